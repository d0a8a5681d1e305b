//! Revolute joint (hinge).

use super::BearingLoad::{Bending, Force};
use super::common_frame::CommonFrame;
use super::declaration::{ANGLE, joint};
use super::{
    Axial, JointEnds, JointEntry, JointLaw, JointSpec, JointStop, JointSymbol, JointType, LimitsTable,
    PinFrictionTable,
};
use crate::file::Triple;
use crate::resolve::Resolver;
use poinsot_mechanics::{Constraint, joints};

/// What there is to know of the type.
pub const REVOLUTE: JointType = JointType {
    word: "revolute",
    free: "rotation about the axis",
    coordinates: &[ANGLE],
    axial: Some(Axial::Axis),
    bearing: &[Force, Force, Force, Bending, Bending],
    stops: &[JointStop { coordinate: 0, force: "limit_force" }],
    takes_torsion: true,
    symbol: JointSymbol::Pin,
    example: r#"[[joint]]
name = "hinge"
type = "revolute"
between = ["frame", "door"]
at = [0, 0, 1]
axis = [0, 0, 1]
limits = { lower = 0, upper = "radians(110)", stiffness = 1e4, damping = 0.5 }
friction = { static = 0.2, dynamic = 0.15, radius = 0.006, arm = 1.2 }"#,
    ..JointType::PLAIN
};

joint! {
    /// Rotation about one axis (hinge).
    RevoluteTable "revolute joint" is REVOLUTE {
        /// World point of the joint at the start; not needed if an end is a marker.
        at: Option<Triple>,
        /// World direction of the axis at the start; the z axis of a marker end if missing.
        axis: Option<Triple>,
        /// Stops of the angle, rad.
        limits: Option<LimitsTable>,
        /// Friction in the bearing.
        friction: Option<PinFrictionTable>,
    }
}

impl JointEntry for RevoluteTable {
    fn resolve(&self, resolver: &mut Resolver) -> Option<JointSpec> {
        let keys = CommonFrame { at: self.at.as_ref(), axis: Some(self.axis.as_ref()), at_second: false };
        let ends = resolver.common_frame(self, keys);
        let limits = resolver.limits(self);
        let friction = self.friction.as_ref().map(|table| resolver.pin_friction(&self.name, table));
        JointSpec::new(self, Revolute, ends?).equipped(limits?, friction)
    }

    fn limit_tables(&self) -> Vec<Option<&LimitsTable>> {
        vec![self.limits.as_ref()]
    }
}

/// Rotation about the common z axis.
#[derive(Clone, Copy, Debug)]
pub struct Revolute;

impl JointLaw for Revolute {
    fn declaration(&self) -> &'static JointType {
        &REVOLUTE
    }

    fn constraint(&self, ends: &JointEnds) -> Box<dyn Constraint> {
        Box::new(joints::revolute(&ends.first, &ends.second))
    }
}
