//! Constant-velocity joint.

use super::declaration::joint;
use super::shafts::{Placed, Shafts};
use super::{JointEnds, JointEntry, JointLaw, JointSpec, JointType};
use crate::diagnostic::Diagnostic;
use crate::file::Triple;
use crate::resolve::Resolver;
use crate::resolve::frame::{bend, perpendicular, triad};
use poinsot_geometry::Pose;
use poinsot_mechanics::{Constraint, joints};

/// What there is to know of the type.
pub const CONSTANT_VELOCITY: JointType = JointType {
    word: "constant_velocity",
    free: "bend of two shafts in any direction; both turn equally",
    has_axis: false,
    notes: "The frames are chosen such that at the start the second is the first, bent about the normal of \
            both shafts.",
    example: r#"[[joint]]
name = "half_shaft"
type = "constant_velocity"
between = ["gearbox", "hub"]
at = [0, 0.7, 0.3]
axis = [0, 1, 0]
second_axis = [0, 1, -0.2]"#,
    ..JointType::PLAIN
};

joint! {
    /// Two shafts that bend freely at a point and turn with the same angular velocity.
    ConstantVelocityTable "constant_velocity joint" is CONSTANT_VELOCITY {
        /// World point of the joint at the start; not needed if an end is a marker.
        at: Option<Triple>,
        /// World direction of the first shaft at the start; the z axis of a marker if missing.
        axis: Option<Triple>,
        /// World direction of the second shaft at the start; the z axis of a marker, else `axis` if missing.
        second_axis: Option<Triple>,
    }
}

impl JointEntry for ConstantVelocityTable {
    /// Two shafts whose relative rotation at the start is the bend from one to the other.
    fn resolve(&self, resolver: &mut Resolver) -> Option<JointSpec> {
        let axes = [("axis", self.axis.as_ref()), ("second_axis", self.second_axis.as_ref())];
        let shafts = Shafts { at: self.at.as_ref(), axes };
        let Placed { ends, point, axes } = resolver.place_shafts(self, &shafts)?;
        let (first, second) = match axes {
            [Some(first), second] => (first, second.unwrap_or(first)),
            // A marker on the second body gives both shafts.
            [None, Some(second)] if ends[1].marker.is_some() => (second, second),
            [None, _] => {
                resolver.missing(self, "axis", "a world direction");
                return None;
            }
        };
        let Some(turn) = bend(first, second) else {
            let place = self.second_axis.as_ref().or(self.axis.as_ref());
            resolver.diagnostics.push(
                Diagnostic::error(format!("the shafts of `{}` point against each other", self.name.value))
                    .at(place.map_or(&self.span, |triple| &triple.span).clone(), "opposite direction")
                    .help(
                        "both directions point the same way along the shafts, e.g. from first to second body",
                    ),
            );
            return None;
        };
        let rotation = match ends.each_ref().map(|end| end.marker) {
            [Some((_, pose)), _] => pose.rotation,
            [None, Some((_, pose))] => turn.transpose() * pose.rotation,
            [None, None] => triad(first, perpendicular(first)),
        };
        let frames = [Pose::new(point, rotation), Pose::new(point, turn * rotation)];
        let ends = [0, 1].map(|i| ends[i].with_frame(frames[i]));
        Some(JointSpec::new(self, ConstantVelocity, ends))
    }
}

/// The origins coincide, the relative rotation is a pure bend: a rotation about the common normal of the two
/// z axes.
#[derive(Clone, Copy, Debug)]
pub struct ConstantVelocity;

impl JointLaw for ConstantVelocity {
    fn declaration(&self) -> &'static JointType {
        &CONSTANT_VELOCITY
    }

    fn constraint(&self, ends: &JointEnds) -> Box<dyn Constraint> {
        Box::new(joints::constant_velocity(&ends.first, &ends.second))
    }
}
