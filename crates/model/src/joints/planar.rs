//! Planar joint.

use super::common_frame::CommonFrame;
use super::declaration::{ANGLE, X, Y, joint};
use super::{Axial, JointCoordinate, JointEnds, JointEntry, JointLaw, JointSpec, JointSymbol, JointType};
use crate::file::Triple;
use crate::resolve::Resolver;
use poinsot_mechanics::{Constraint, joints};

/// What there is to know of the type.
pub const PLANAR: JointType = JointType {
    word: "planar",
    free: "two translations across the normal, rotation about it",
    coordinates: &[X, Y, JointCoordinate { rate: "angle_rate", ..ANGLE }],
    axial: Some(Axial::Axis),
    symbol: JointSymbol::Plate,
    example: r#"[[joint]]
name = "table_top"
type = "planar"
between = ["ground", "puck"]
at = [0, 0, 0.8]
axis = [0, 0, 1]"#,
    ..JointType::PLAIN
};

joint! {
    /// Motion in a plane: two translations and the rotation about the normal.
    PlanarTable "planar joint" is PLANAR {
        /// World point of the joint at the start; not needed if an end is a marker.
        at: Option<Triple>,
        /// World direction of the normal at the start; the z axis of a marker end if missing.
        axis: Option<Triple>,
    }
}

impl JointEntry for PlanarTable {
    fn resolve(&self, resolver: &mut Resolver) -> Option<JointSpec> {
        let keys = CommonFrame { at: self.at.as_ref(), axis: Some(self.axis.as_ref()), at_second: false };
        let ends = resolver.common_frame(self, keys);
        Some(JointSpec::new(self, Planar, ends?))
    }
}

/// The origins stay in the plane normal to the common z axis.
#[derive(Clone, Copy, Debug)]
pub struct Planar;

impl JointLaw for Planar {
    fn declaration(&self) -> &'static JointType {
        &PLANAR
    }

    fn constraint(&self, ends: &JointEnds) -> Box<dyn Constraint> {
        Box::new(joints::planar(&ends.first, &ends.second))
    }
}
