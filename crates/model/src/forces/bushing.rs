//! Elastic connection of two frames in all six directions.

use super::declaration::{LOAD_NAMES, LawKeys};
use super::{ForceEntry, ForceInput, ForceLaw, ForceSpec, ForceType};
use crate::build::Site;
use crate::declared::declared;
use crate::diagnostic::Diagnostic;
use crate::file::{FileTable, OrientationTable, SixTable, Triple};
use crate::resolve::Resolver;
use crate::spec::EndSpec;
use crate::value::{Located, Number, Text};
use poinsot_geometry::{Mat6, Pose};
use poinsot_mechanics::{Force, forces};

/// What there is to know of the type.
pub const BUSHING: ForceType = ForceType {
    word: "bushing",
    noun: "bushing",
    what: "elastic connection of two frames in all six directions",
    along: None,
    input: ForceInput::None("a bushing has no force of its own to add to"),
    is_link: true,
    holds_rods: false,
    notes: "The bushing is free of force where its two frames coincide. Translations are measured in the axes \
            on the first body; rotations by the rotation vector, below a half turn.",
    example: r#"[[force]]
name = "mount"
type = "bushing"
between = ["frame", "engine"]
at = [0, 0, 0.3]
stiffness = [2e5, 2e5, 4e5, 800, 800, 500]
damping = [200, 200, 400, 1, 1, 1]"#,
};

declared! {
    /// An elastic connection of two frames in all six directions.
    BushingTable "bushing" is BUSHING: ForceType {
        /// First and second end: bodies, markers or "ground".
        between: Located<[Text; 2]>,
        /// World point of the bushing at the start; not needed if an end is a marker.
        at: Option<Triple>,
        /// World orientation of its axes at the start; default: those of a marker end, else the world's.
        orientation: Option<OrientationTable>,
        /// Six stiffnesses (three of translation, N/m, three of rotation, N·m/rad), or a 6×6 matrix.
        stiffness: SixTable,
        /// Six dampings (N·s/m, N·m·s/rad), or a 6×6 matrix.
        damping: SixTable = [0, 0, 0, 0, 0, 0],
        /// Six additional forces and torques against the deformation, N and N·m, in the same axes; may use
        /// `t` and quantities of the running system.
        force: Option<Located<[Number; 6]>>,
    }
}

impl ForceEntry for BushingTable {
    fn resolve(&self, resolver: &mut Resolver, _file: &FileTable) -> Option<ForceSpec> {
        let stiffness = resolver.six(&self.stiffness);
        let damping = resolver.six(&self.damping);
        let at = self.at.as_ref().map(|at| resolver.vector(at));
        let axes = self.orientation.as_ref().map(|o| resolver.rotation(Some(o)));
        let ends = resolver.ends(&self.between)?;
        resolver.refuse_point_ends(&ends, &self.between, "a bushing")?;
        let marker = ends.iter().find_map(|end| end.marker.map(|m| m.1));
        if ends.iter().all(|end| end.marker.is_some()) {
            let keys = [
                ("at", self.at.as_ref().map(|t| t.span.clone())),
                ("orientation", self.orientation.as_ref().map(|t| t.span.clone())),
            ];
            for (key, span) in keys {
                if let Some(span) = span {
                    resolver.unused(&self.name, key, span);
                }
            }
        }
        let point = at.unwrap_or(marker.map(|pose| pose.r));
        if at.is_none() && point.is_none() {
            resolver.diagnostics.push(
                Diagnostic::error("missing key `at` in bushing")
                    .at(self.span.clone(), "this bushing needs `at`")
                    .help("give `at` (the world point of the bushing), or use a marker as an end"),
            );
        }
        let default = marker.map_or(Pose::identity().rotation, |pose| pose.rotation);
        let world = Pose::new(point?, axes.unwrap_or(Some(default))?);
        let [first, second] = ends.map(|end| end.with_frame(world));
        Some(ForceSpec::new(self, Bushing { first, second, stiffness: stiffness?, damping: damping? }))
    }

    fn law_keys(&self) -> Option<LawKeys<'_>> {
        let force = self.force.as_ref()?;
        Some(LawKeys { efforts: force.value.iter().collect(), own: LOAD_NAMES, always: true })
    }
}

/// An elastic connection of two frames.
#[derive(Clone, Debug)]
pub struct Bushing {
    /// First end.
    pub first: EndSpec,
    /// Second end.
    pub second: EndSpec,
    /// Stiffness, translations first.
    pub stiffness: Mat6,
    /// Damping, translations first.
    pub damping: Mat6,
}

impl ForceLaw for Bushing {
    fn declaration(&self) -> &'static ForceType {
        &BUSHING
    }

    fn force(&self, site: &Site) -> Box<dyn Force> {
        let (first, second) = (site.attach(&self.first), site.attach(&self.second));
        Box::new(forces::Bushing::new(&first, &second, self.stiffness, self.damping))
    }

    fn ends(&self) -> Option<[&EndSpec; 2]> {
        Some([&self.first, &self.second])
    }
}
