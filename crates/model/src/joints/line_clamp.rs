//! The clamp of a line with slopes in space, which beams make of `start` and `end`.

use super::{JointEnds, JointLaw, JointSymbol, JointType, PointEnds};
use poinsot_mechanics::Constraint;
use poinsot_mechanics::ancf::{SlopeNode, clamp};

const LINE_CLAMP: JointType = JointType {
    word: "clamp of a line",
    free: "torsion, which a line has not",
    points: PointEnds::Second,
    symbol: JointSymbol::Clamp,
    has_axis: false,
    ..JointType::PLAIN
};

/// The end of a line is at a point of a body, its slope along an axis.
#[derive(Clone, Copy, Debug)]
pub struct LineClamp;

impl JointLaw for LineClamp {
    fn declaration(&self) -> &'static JointType {
        &LINE_CLAMP
    }

    fn constraint(&self, ends: &JointEnds) -> Box<dyn Constraint> {
        // The slope of a node follows its place, see `SlopeNode::add_to`.
        let node = SlopeNode::of(ends.second.node, ends.second.node + 1);
        Box::new(clamp(&ends.first, &node))
    }
}
