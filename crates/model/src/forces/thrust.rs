//! Spring, damper or actuator along a joint.

use super::declaration::{LawKeys, Own};
use super::{ForceCoordinate, ForceEntry, ForceInput, ForceLaw, ForceSpec, ForceType};
use crate::build::Site;
use crate::declared::declared;
use crate::diagnostic::Diagnostic;
use crate::file::FileTable;
use crate::joints::Dimension;
use crate::resolve::Resolver;
use crate::value::{Number, Text};
use poinsot_expr::Function;
use poinsot_mechanics::forces::CoordinateForce;
use poinsot_mechanics::{Coordinate, Force};

/// Arguments of the law.
const ARGUMENTS: &[&str] = &["t", "displacement", "rate"];
/// What they are.
const OWN: &[(&str, Own)] = &[("t", Own::Time), ("displacement", Own::Coordinate), ("rate", Own::Rate)];

/// What there is to know of the type.
pub const THRUST: ForceType = ForceType {
    word: "thrust",
    noun: "spring along a joint",
    what: "the same along the displacement or arc length of a joint",
    along: Some(ForceCoordinate {
        name: "displacement",
        rate: "rate",
        effort: "force",
        dimension: Dimension::Length,
        sign: "positive against the displacement",
    }),
    input: ForceInput::Whole("the force along the joint"),
    is_link: false,
    holds_rods: false,
    notes: "The force `stiffness (displacement − free displacement) + damping · rate + force(t, displacement, \
            rate)` acts *against* the displacement on the second body. A motor that drives the joint forward has \
            a negative `force`.",
    example: r#"[[joint]]
name = "slide"
type = "prismatic"
between = ["ground", "carriage"]
axis = [1, 0, 0]
at = [0, 0, 0]

[[force]]
name = "motor"
type = "thrust"
joint = "slide"
damping = 5
force = "-3*(1 - exp(-t))""#,
};

declared! {
    /// A spring–damper–actuator along the displacement of a prismatic or cylindrical joint, or along the arc
    /// length of a sliding joint. Its force, against the displacement, is stiffness·(displacement at the
    /// moment − free displacement) + damping·rate + force.
    ThrustTable "spring along a joint" is THRUST: ForceType {
        /// The prismatic, cylindrical or sliding joint it works in.
        joint: Text,
        /// Stiffness, N/m.
        stiffness: Number = 0,
        /// Damping, N·s/m.
        damping: Number = 0,
        /// Free displacement, m.
        displacement: Number = 0,
        /// Additional force, N; may use `t`, `displacement`, `rate` and quantities of the running system.
        force: Option<Number>,
    }
}

impl ForceEntry for ThrustTable {
    fn resolve(&self, resolver: &mut Resolver, file: &FileTable) -> Option<ForceSpec> {
        let stiffness = resolver.number(&self.stiffness);
        let damping = resolver.damping(&self.damping, &format!("the damping of `{}`", self.name.value));
        let free = resolver.number(&self.displacement);
        let law = resolver.spring_law(self.force.as_ref(), ARGUMENTS, file);
        let place = resolver.length_of_joint(&self.joint);
        let (stiffness, damping) = (stiffness?, damping?);
        resolver.warn_idle(&self.name, [stiffness, damping], self.force.is_some());
        let ((joint, coordinate), free, law) = (place?, free?, law?);
        Some(ForceSpec::new(self, Thrust { joint, coordinate, stiffness, damping, free, law }))
    }

    fn law_keys(&self) -> Option<LawKeys<'_>> {
        Some(LawKeys { efforts: self.force.iter().collect(), own: OWN, always: false })
    }
}

impl Resolver<'_> {
    /// A joint by name, with its coordinate that is a length.
    fn length_of_joint(&mut self, name: &Text) -> Option<(usize, usize)> {
        let joint = self.joint_named(name)?;
        // A joint with a mistake is not reported again.
        let spec = self.joints.get(joint)?.as_ref()?;
        let declared = spec.kind.declaration();
        let length = declared.coordinates.iter().position(|c| c.dimension == Dimension::Length);
        if length.is_none() {
            let span = spec.span.clone();
            self.diagnostics.push(
                Diagnostic::error(format!("the joint `{}` has no displacement", name.value))
                    .at(name.span.clone(), "must be prismatic, cylindrical or sliding")
                    .and(span, "this joint"),
            );
        }
        length.map(|length| (joint, length))
    }
}

/// A spring–damper–actuator along a joint.
#[derive(Clone, Debug)]
pub struct Thrust {
    /// Index into [`Model::joints`](crate::Model::joints).
    pub joint: usize,
    /// Index into the joint's [`coordinates`](crate::spec::JointType::coordinates): a length.
    pub coordinate: usize,
    /// Stiffness.
    pub stiffness: f64,
    /// Damping.
    pub damping: f64,
    /// Free displacement.
    pub free: f64,
    /// Additional force as a function of `t`, `displacement`, `rate`.
    pub law: Option<Function>,
}

impl ForceLaw for Thrust {
    fn declaration(&self) -> &'static ForceType {
        &THRUST
    }

    fn force(&self, site: &Site) -> Box<dyn Force> {
        Box::new(CoordinateForce {
            coordinate: site.coordinate(self.joint, self.coordinate).clone(),
            stiffness: self.stiffness,
            damping: self.damping,
            free: self.free,
            law: self.law.clone(),
        })
    }

    fn coordinate(&self, site: &Site) -> Option<Coordinate> {
        Some(site.coordinate(self.joint, self.coordinate).clone())
    }

    fn spring(&self) -> Option<[f64; 3]> {
        Some([self.stiffness, self.damping, self.free])
    }

    fn laws(&self) -> &[Function] {
        self.law.as_slice()
    }
}
