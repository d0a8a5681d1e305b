//! Point on a line.

use super::declaration::{DISPLACEMENT, joint};
use super::guide::Guide;
use super::{JointEnds, JointEntry, JointLaw, JointSpec, JointType, PointEnds};
use crate::file::Triple;
use crate::resolve::Resolver;
use poinsot_mechanics::{Constraint, joints};

/// What there is to know of the type.
pub const POINT_ON_LINE: JointType = JointType {
    word: "point_on_line",
    free: "a point of the second body moves along a line of the first",
    coordinates: &[DISPLACEMENT],
    points: PointEnds::Second,
    example: r#"[[joint]]
name = "wire"
type = "point_on_line"
between = ["ground", "bead"]
at = [0, 0, 1]
axis = [1, 0, 0]"#,
    ..JointType::PLAIN
};

joint! {
    /// A point of the second body stays on a line of the first.
    PointOnLineTable "point_on_line joint" is POINT_ON_LINE {
        /// World point of the line at the start; default: the first end's marker, else the second end's
        /// point.
        at: Option<Triple>,
        /// World direction of the line at the start; the z axis of the first end's marker if missing.
        axis: Option<Triple>,
        /// World point on the second body at the start; default: its marker or point mass, else `at`.
        point: Option<Triple>,
    }
}

impl JointEntry for PointOnLineTable {
    fn resolve(&self, resolver: &mut Resolver) -> Option<JointSpec> {
        let keys = Guide { at: self.at.as_ref(), axis: self.axis.as_ref(), point: self.point.as_ref() };
        Some(JointSpec::new(self, PointOnLine, resolver.guide(self, keys)?))
    }
}

/// The second origin stays on the z axis of the first frame.
#[derive(Clone, Copy, Debug)]
pub struct PointOnLine;

impl JointLaw for PointOnLine {
    fn declaration(&self) -> &'static JointType {
        &POINT_ON_LINE
    }

    fn constraint(&self, ends: &JointEnds) -> Box<dyn Constraint> {
        Box::new(joints::point_on_line(&ends.first, &ends.second))
    }
}
