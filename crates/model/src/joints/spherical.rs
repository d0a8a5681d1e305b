//! Spherical joint (ball joint).

use super::common_frame::CommonFrame;
use super::declaration::joint;
use super::{JointEnds, JointEntry, JointLaw, JointSpec, JointSymbol, JointType, PointEnds};
use crate::file::Triple;
use crate::resolve::Resolver;
use poinsot_mechanics::{Constraint, joints};

/// What there is to know of the type.
pub const SPHERICAL: JointType = JointType {
    word: "spherical",
    free: "three rotations about `at`",
    points: PointEnds::Both,
    symbol: JointSymbol::Ball,
    orients: true,
    has_axis: false,
    example: r#"[[joint]]
name = "shoulder"
type = "spherical"
between = ["ground", "arm"]
at = [0, 0, 1.4]"#,
    ..JointType::PLAIN
};

joint! {
    /// Two points coincide (ball joint).
    SphericalTable "spherical joint" is SPHERICAL {
        /// World point of the joint at the start; not needed if an end is a marker.
        at: Option<Triple>,
    }
}

impl JointEntry for SphericalTable {
    fn resolve(&self, resolver: &mut Resolver) -> Option<JointSpec> {
        let keys = CommonFrame { at: self.at.as_ref(), axis: None, at_second: false };
        Some(JointSpec::new(self, Spherical, resolver.common_frame(self, keys)?))
    }
}

/// The origins coincide.
#[derive(Clone, Copy, Debug)]
pub struct Spherical;

impl JointLaw for Spherical {
    fn declaration(&self) -> &'static JointType {
        &SPHERICAL
    }

    fn constraint(&self, ends: &JointEnds) -> Box<dyn Constraint> {
        Box::new(joints::spherical(&ends.first, &ends.second))
    }
}
