//! Ball that rolls on a plane.

use super::declaration::joint;
use super::plane::{Rolled, Rolling, height};
use super::{Axial, JointEnds, JointEntry, JointLaw, JointSpec, JointSymbol, JointType, Wheel};
use crate::file::Triple;
use crate::resolve::Resolver;
use crate::value::Number;
use poinsot_geometry::Pose;
use poinsot_mechanics::{Constraint, joints};

/// What there is to know of the type.
pub const ROLLING_BALL: JointType = JointType {
    word: "rolling_ball",
    free: "a ball rolls on a plane without slipping",
    axial: Some(Axial::Axis),
    symbol: JointSymbol::Ball,
    notes: "A ball that does not touch the plane at the start is moved there; a warning tells if it is \
            farther away than half the radius.",
    example: r#"[[joint]]
name = "marble"
type = "rolling_ball"
between = ["ground", "ball"]
radius = 0.3
at = [0, 0, 0]
normal = [0, 0, 1]"#,
    ..JointType::PLAIN
};

joint! {
    /// A ball (second end) rolls without slipping on a plane (first end).
    RollingBallTable "rolling_ball joint" is ROLLING_BALL {
        /// Radius of the ball, m.
        radius: Number,
        /// A world point of the plane at the start; not needed if the first end is a marker.
        at: Option<Triple>,
        /// World normal of the plane at the start, to the side of the ball; the z axis of a marker if
        /// missing.
        normal: Option<Triple>,
        /// World centre of the ball at the start; default: the second end's origin or marker.
        centre: Option<Triple>,
    }
}

impl JointEntry for RollingBallTable {
    /// First frame: a point of the plane, z along its normal. Second frame: the centre.
    fn resolve(&self, resolver: &mut Resolver) -> Option<JointSpec> {
        let Self { name, radius, at, normal, centre, .. } = self;
        let Rolled { ends, radius, plane, centre } =
            resolver.rolled(self, Rolling { radius, at, normal, centre })?;
        let plane = plane?;
        if ends[1].marker.is_some() {
            resolver.not_used(name, &[("centre", self.centre.as_ref())]);
        }
        let ball = ends[1].own_or(Pose::new(centre, plane.rotation));
        resolver.warn_gap(name, height(&plane, &ball) - radius, radius);
        let ends = [ends[0].with_frame(plane), ends[1].with_frame(ball)];
        Some(JointSpec::new(self, RollingBall { radius }, ends))
    }
}

/// A ball about the second origin rolls on the xy plane of the first frame without slipping.
#[derive(Clone, Copy, Debug)]
pub struct RollingBall {
    /// Radius of the ball.
    pub radius: f64,
}

impl JointLaw for RollingBall {
    fn declaration(&self) -> &'static JointType {
        &ROLLING_BALL
    }

    fn constraint(&self, ends: &JointEnds) -> Box<dyn Constraint> {
        Box::new(joints::rolling_ball(&ends.first, &ends.second, self.radius))
    }

    fn wheel(&self) -> Option<Wheel> {
        Some(Wheel::Ball(self.radius))
    }
}
