//! Force on a point of a body.

use super::declaration::{LOAD_NAMES, LawKeys, own_frame};
use super::{ForceEntry, ForceInput, ForceLaw, ForceSpec, ForceType, Load};
use crate::build::Site;
use crate::declared::declared;
use crate::diagnostic::Diagnostic;
use crate::file::{FileTable, Frame, Triple};
use crate::resolve::Resolver;
use crate::spec::EndSpec;
use crate::value::{Located, Text};
use poinsot_expr::Function;
use poinsot_mechanics::{Force, forces};

/// What there is to know of the type.
pub const POINT_FORCE: ForceType = ForceType {
    word: "force",
    noun: "force",
    what: "force on a point of a body",
    along: None,
    input: ForceInput::Components,
    is_link: false,
    holds_rods: false,
    notes: "Components may read quantities of the running system: positions, velocities, rotations, joint \
            coordinates, lengths and forces of springs, reactions of joints, efforts of drives, loads of \
            couplings, sections of beams, variables, signals. What such a law adds to the energy is counted as \
            supplied, what it takes as dissipated.",
    example: r#"[[force]]
name = "push"
type = "force"
on = "tip"
force = ["-0.3*tip.velocity.x", 0, "10*sin(20*t)"]"#,
};

declared! {
    /// A force on a body at a body-fixed point. Components may use the time `t` and quantities of the running
    /// system.
    LoadTable "force" is POINT_FORCE: ForceType {
        /// The body or marker it acts on, or a place along a beam as "cable.at(0.37)".
        on: Text,
        /// Point of attack in body axes, m; default: the body's origin or the marker.
        at: Option<Triple>,
        /// Components, N; expressions may use `t` and quantities of the running system.
        force: Triple,
        /// Axes of the components.
        frame: Located<Frame> = "world",
    }
}

impl ForceEntry for LoadTable {
    fn resolve(&self, resolver: &mut Resolver, file: &FileTable) -> Option<ForceSpec> {
        let force = resolver.load_components(&self.force, file);
        let at = self.at.as_ref().map(|at| resolver.vector(at));
        // A force in world axes at the point of a line's node needs no frame there.
        let plain = self.at.is_none() && self.frame.value == Frame::World;
        let line = resolver.idle_line_node(&self.on.value).filter(|_| plain);
        let end = resolver.loaded_place(&self.on, file)?;
        if let Some(node) = line {
            resolver.leave_idle(node);
        }
        if end.line.is_some() {
            let why = "a place along a line has no axes and no other points";
            resolver.plain_on_line(&self.on, self.frame.value, self.at.as_ref(), why)?;
        } else if resolver.is_point(end.body) {
            if self.frame.value == Frame::Body {
                resolver.no_orientation(&self.on, "a force in body axes");
                return None;
            }
            if let Some(at) = &self.at {
                let message = format!("`{}` is a point mass: it has no other points", self.on.value);
                resolver.diagnostics.push(Diagnostic::error(message).at(at.span.clone(), "remove `at`"));
                return None;
            }
        }
        let mut on = own_frame(end);
        if let Some(at) = at.filter(|_| end.line.is_none()) {
            on.frame.r = at?;
        }
        Some(ForceSpec::new(self, PointForce { on, force: force?, frame: self.frame.value }))
    }

    fn law_keys(&self) -> Option<LawKeys<'_>> {
        Some(LawKeys { efforts: self.force.value.iter().collect(), own: LOAD_NAMES, always: false })
    }
}

/// A force at a point of a body.
#[derive(Clone, Debug)]
pub struct PointForce {
    /// The body; the origin of the frame is the point of attack, its axes are those of a follower force's
    /// components.
    pub on: EndSpec,
    /// Components as functions of `t`.
    pub force: [Function; 3],
    /// Axes of the components.
    pub frame: Frame,
}

impl ForceLaw for PointForce {
    fn declaration(&self) -> &'static ForceType {
        &POINT_FORCE
    }

    fn force(&self, site: &Site) -> Box<dyn Force> {
        let (at, force) = (site.attach(&self.on), self.force.clone());
        Box::new(match self.frame {
            Frame::World => forces::PointForce::dead(at.node, at.origin, force),
            Frame::Body => forces::PointForce::follower(at.node, at.origin, &at.axes, force),
        })
    }

    fn laws(&self) -> &[Function] {
        &self.force
    }

    fn load(&self) -> Option<Load<'_>> {
        Some(Load { on: &self.on, components: &self.force, frame: self.frame, is_torque: false })
    }
}
