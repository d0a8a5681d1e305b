//! Torsional spring, damper or actuator in a joint.

use super::declaration::{LawKeys, Own};
use super::{ForceCoordinate, ForceEntry, ForceInput, ForceLaw, ForceSpec, ForceType};
use crate::build::Site;
use crate::declared::declared;
use crate::diagnostic::Diagnostic;
use crate::file::FileTable;
use crate::joints::Dimension;
use crate::resolve::Resolver;
use crate::resolve::names::Thing;
use crate::value::{Number, Text};
use poinsot_expr::Function;
use poinsot_mechanics::forces::CoordinateForce;
use poinsot_mechanics::{Coordinate, Force};

/// Arguments of the law.
const ARGUMENTS: &[&str] = &["t", "angle", "rate"];
/// What they are.
const OWN: &[(&str, Own)] = &[("t", Own::Time), ("angle", Own::Coordinate), ("rate", Own::Rate)];

/// What there is to know of the type.
pub const TORSION: ForceType = ForceType {
    word: "torsion",
    noun: "torsion spring",
    what: "the same about the axis of a revolute or cylindrical joint",
    along: Some(ForceCoordinate {
        name: "angle",
        rate: "rate",
        effort: "torque",
        dimension: Dimension::Angle,
        sign: "positive against the angle",
    }),
    input: ForceInput::Whole("the torque of the torsion spring"),
    is_link: false,
    holds_rods: false,
    notes: "The torque `stiffness (angle − free angle) + damping · rate + torque(t, angle, rate)` acts *against* \
            the angle on the second body. A motor that drives the joint forward has a negative `torque`. The \
            angle counts full turns.",
    example: r#"[[force]]
name = "motor"
type = "torsion"
joint = "hinge"
damping = 0.2
torque = "-3*(1 - exp(-t))""#,
};

declared! {
    /// A torsional spring–damper–actuator in a revolute or cylindrical joint. Its torque, against the
    /// angle, is stiffness·(angle at the moment − free angle) + damping·rate + torque.
    TorsionTable "torsion spring" is TORSION: ForceType {
        /// The revolute or cylindrical joint it works in.
        joint: Text,
        /// Stiffness, N·m/rad.
        stiffness: Number = 0,
        /// Damping, N·m·s/rad.
        damping: Number = 0,
        /// Free angle, rad.
        angle: Number = 0,
        /// Additional torque, N·m; may use `t`, `angle`, `rate` and quantities of the
        /// running system.
        torque: Option<Number>,
    }
}

impl ForceEntry for TorsionTable {
    fn resolve(&self, resolver: &mut Resolver, file: &FileTable) -> Option<ForceSpec> {
        let stiffness = resolver.number(&self.stiffness);
        let damping = resolver.damping(&self.damping, &format!("the damping of `{}`", self.name.value));
        let angle = resolver.number(&self.angle);
        let law = resolver.spring_law(self.torque.as_ref(), ARGUMENTS, file);
        let joint = resolver.turning_joint(&self.joint, file);
        let (stiffness, damping) = (stiffness?, damping?);
        resolver.warn_idle(&self.name, [stiffness, damping], self.torque.is_some());
        let (joint, angle, law) = (joint?, angle?, law?);
        Some(ForceSpec::new(self, Torsion { joint, stiffness, damping, angle, law }))
    }

    fn law_keys(&self) -> Option<LawKeys<'_>> {
        Some(LawKeys { efforts: self.torque.iter().collect(), own: OWN, always: false })
    }
}

impl Resolver<'_> {
    /// A revolute or cylindrical joint by name.
    fn turning_joint(&mut self, name: &Text, file: &FileTable) -> Option<usize> {
        let turns = |index: usize| match file.joint.get(index) {
            Some(joint) => joint.entry().declaration().takes_torsion,
            // At the end of a beam.
            None => matches!(self.joints.get(index), Some(Some(joint))
                if joint.kind.declaration().takes_torsion),
        };
        if let Some(index) = self.names.joint(&name.value) {
            if turns(index) {
                return Some(index);
            }
            let end = |index: usize| self.joints.get(index)?.as_ref().map(|joint| joint.span.clone());
            let span = file.joint.get(index).map(|j| j.entry().name().span.clone()).or_else(|| end(index));
            let span = span.unwrap_or_else(|| name.span.clone());
            self.diagnostics.push(
                Diagnostic::error(format!("the joint `{}` has no angle", name.value))
                    .at(name.span.clone(), "must be revolute or cylindrical")
                    .and(span, "this joint"),
            );
            return None;
        }
        let wanted = |thing| matches!(thing, Thing::Joint(index) if turns(index));
        let names: Vec<String> = self.names.of(wanted).into_iter().map(str::to_owned).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.unknown(name, "revolute or cylindrical joint", &names);
        None
    }
}

/// A torsional spring–damper–actuator in a joint.
#[derive(Clone, Debug)]
pub struct Torsion {
    /// Index into [`Model::joints`](crate::Model::joints): one that takes torsion springs.
    pub joint: usize,
    /// Stiffness.
    pub stiffness: f64,
    /// Damping.
    pub damping: f64,
    /// Free angle.
    pub angle: f64,
    /// Additional torque as a function of `t`, `angle`, `rate`.
    pub law: Option<Function>,
}

impl ForceLaw for Torsion {
    fn declaration(&self) -> &'static ForceType {
        &TORSION
    }

    fn force(&self, site: &Site) -> Box<dyn Force> {
        Box::new(CoordinateForce {
            coordinate: site.coordinate(self.joint, 0).clone(),
            stiffness: self.stiffness,
            damping: self.damping,
            free: self.angle,
            law: self.law.clone(),
        })
    }

    fn coordinate(&self, site: &Site) -> Option<Coordinate> {
        Some(site.coordinate(self.joint, 0).clone())
    }

    fn spring(&self) -> Option<[f64; 3]> {
        Some([self.stiffness, self.damping, self.angle])
    }

    fn laws(&self) -> &[Function] {
        self.law.as_slice()
    }
}
