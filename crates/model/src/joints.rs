//! The joints that a model file knows, one file each: its keys, frames, law, coordinates and sign.
//!
//! A file declares a [`JointType`], the table of its keys (`joint!`), how the table becomes a [`JointSpec`]
//! ([`JointEntry`]), and the law ([`JointLaw`]), whose equations are in `poinsot_mechanics::joints`. The list
//! below makes it known. Reader, schema, reference page, quantities, scene and pictures follow from that.

mod common_frame;
mod constant_velocity;
mod cylindrical;
mod declaration;
mod distance;
mod fixed;
mod guide;
mod knife_edge;
mod limits;
mod line_clamp;
mod planar;
mod plane;
mod point_on_curve;
mod point_on_line;
mod point_on_plane;
mod prismatic;
mod revolute;
mod rolling_ball;
mod rolling_disk;
mod rope;
mod screw;
mod shafts;
mod sliding;
mod spherical;
mod start;
mod universal;

use crate::read::tagged;

pub use constant_velocity::*;
pub use cylindrical::*;
pub use declaration::*;
pub use distance::*;
pub use fixed::*;
pub use knife_edge::*;
pub use limits::*;
pub use line_clamp::*;
pub use planar::*;
pub use point_on_curve::*;
pub use point_on_line::*;
pub use point_on_plane::*;
pub use prismatic::*;
pub use revolute::*;
pub use rolling_ball::*;
pub use rolling_disk::*;
pub use rope::*;
pub use screw::*;
pub use sliding::*;
pub use spherical::*;
pub use start::*;
pub use universal::*;

tagged! {
    /// A joint between two bodies.
    pub(crate) enum JointTable "joint": JointEntry of JointType {
        FIXED.word => Fixed(FixedTable),
        SPHERICAL.word => Spherical(SphericalTable),
        REVOLUTE.word => Revolute(RevoluteTable),
        PRISMATIC.word => Prismatic(PrismaticTable),
        CYLINDRICAL.word => Cylindrical(CylindricalTable),
        SCREW.word => Screw(ScrewTable),
        PLANAR.word => Planar(PlanarTable),
        UNIVERSAL.word => Universal(UniversalTable),
        CONSTANT_VELOCITY.word => ConstantVelocity(ConstantVelocityTable),
        DISTANCE.word => Distance(DistanceTable),
        POINT_ON_LINE.word => PointOnLine(PointOnLineTable),
        POINT_ON_PLANE.word => PointOnPlane(PointOnPlaneTable),
        POINT_ON_CURVE.word => PointOnCurve(PointOnCurveTable),
        SLIDING.word => Sliding(SlidingTable),
        ROPE.word => Rope(RopeTable),
        ROLLING_DISK.word => RollingDisk(RollingDiskTable),
        ROLLING_BALL.word => RollingBall(RollingBallTable),
        KNIFE_EDGE.word => KnifeEdge(KnifeEdgeTable),
    }
}
