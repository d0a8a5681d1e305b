//! Point on a plane.

use super::declaration::{X, Y, joint};
use super::guide::Guide;
use super::{Axial, JointEnds, JointEntry, JointLaw, JointSpec, JointSymbol, JointType, PointEnds};
use crate::file::Triple;
use crate::resolve::Resolver;
use poinsot_mechanics::{Constraint, joints};

/// What there is to know of the type.
pub const POINT_ON_PLANE: JointType = JointType {
    word: "point_on_plane",
    free: "a point of the second body moves in a plane of the first",
    coordinates: &[X, Y],
    axial: Some(Axial::Axis),
    symbol: JointSymbol::Plate,
    points: PointEnds::Second,
    example: r#"[[joint]]
name = "contact"
type = "point_on_plane"
between = ["ground", "foot"]
at = [0, 0, 0]
axis = [0, 0, 1]"#,
    ..JointType::PLAIN
};

joint! {
    /// A point of the second body stays in a plane of the first.
    PointOnPlaneTable "point_on_plane joint" is POINT_ON_PLANE {
        /// World point of the plane at the start; default: the first end's marker, else the second end's
        /// point.
        at: Option<Triple>,
        /// World direction of the normal at the start; the z axis of the first end's marker if missing.
        axis: Option<Triple>,
        /// World point on the second body at the start; default: its marker or point mass, else `at`.
        point: Option<Triple>,
    }
}

impl JointEntry for PointOnPlaneTable {
    fn resolve(&self, resolver: &mut Resolver) -> Option<JointSpec> {
        let keys = Guide { at: self.at.as_ref(), axis: self.axis.as_ref(), point: self.point.as_ref() };
        Some(JointSpec::new(self, PointOnPlane, resolver.guide(self, keys)?))
    }
}

/// The second origin stays in the xy plane of the first frame.
#[derive(Clone, Copy, Debug)]
pub struct PointOnPlane;

impl JointLaw for PointOnPlane {
    fn declaration(&self) -> &'static JointType {
        &POINT_ON_PLANE
    }

    fn constraint(&self, ends: &JointEnds) -> Box<dyn Constraint> {
        Box::new(joints::point_on_plane(&ends.first, &ends.second))
    }
}
