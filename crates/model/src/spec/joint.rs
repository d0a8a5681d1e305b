//! Joints.

use super::EndSpec;
use crate::diagnostic::Span;
use poinsot_expr::SmoothFunction;

/// A joint.
#[derive(Clone, Debug)]
pub struct JointSpec {
    /// Its name.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// What it is.
    pub kind: JointKind,
    /// First end.
    pub first: EndSpec,
    /// Second end.
    pub second: EndSpec,
    /// Stops, at most one pair for each coordinate.
    pub limits: Vec<LimitSpec>,
    /// Friction along the coordinate.
    pub friction: Option<FrictionSpec>,
}

/// The kinds of joints. The frames of the two ends coincide (as far as the
/// joint forbids motion) unless markers say otherwise.
#[derive(Clone, Debug)]
pub enum JointKind {
    /// No relative motion.
    Fixed,
    /// The origins coincide.
    Spherical,
    /// Rotation about the common z axis.
    Revolute,
    /// Translation along the common z axis.
    Prismatic,
    /// Rotation about and translation along the common z axis.
    Cylindrical,
    /// Rotation about the common z axis, translation along it in proportion.
    Screw {
        /// Translation for one turn, not zero; negative for a left-handed thread.
        lead: f64,
    },
    /// The origins stay in the plane normal to the common z axis.
    Planar,
    /// The origins coincide, the two z axes stay perpendicular. Each frame's
    /// x axis is the other frame's z axis at the start.
    Universal,
    /// The origins coincide, the relative rotation is a pure bend: a rotation
    /// about the common normal of the two z axes.
    ConstantVelocity,
    /// The origins keep their distance.
    Distance {
        /// The distance.
        length: f64,
    },
    /// The second origin stays on the z axis of the first frame.
    PointOnLine,
    /// The second origin stays in the xy plane of the first frame.
    PointOnPlane,
    /// The second origin stays on a curve in the first frame.
    PointOnCurve {
        /// Coordinates in the axes of the first frame as functions of `s`.
        curve: Box<[SmoothFunction; 3]>,
        /// Parameter near the second origin at the start.
        start: f64,
    },
    /// A disk about the second origin, axle along the second z axis, rolls on
    /// the xy plane of the first frame without slipping.
    RollingDisk {
        /// Radius of the disk.
        radius: f64,
    },
    /// A ball about the second origin rolls on the xy plane of the first frame
    /// without slipping.
    RollingBall {
        /// Radius of the ball.
        radius: f64,
    },
    /// The second origin has no velocity relative to the first body across the
    /// second x axis (the blade) and the first z axis (the normal).
    KnifeEdge,
}

/// A scalar coordinate of a joint and its rate as quantities.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CoordinateName {
    /// Name of the coordinate.
    pub name: &'static str,
    /// Name of its rate.
    pub rate: &'static str,
    /// What it measures.
    pub dimension: Dimension,
}

/// What a coordinate measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// An angle.
    Angle,
    /// A length.
    Length,
    /// The parameter of a curve.
    Parameter,
}

impl Dimension {
    /// Unit of the coordinate.
    pub fn unit(self) -> Option<&'static str> {
        match self {
            Dimension::Angle => Some("rad"),
            Dimension::Length => Some("m"),
            Dimension::Parameter => None,
        }
    }

    /// Unit of its rate.
    pub fn rate_unit(self) -> Option<&'static str> {
        match self {
            Dimension::Angle => Some("rad/s"),
            Dimension::Length => Some("m/s"),
            Dimension::Parameter => None,
        }
    }

    /// Unit of the force along it.
    pub fn effort_unit(self) -> Option<&'static str> {
        match self {
            Dimension::Angle => Some("N·m"),
            Dimension::Length => Some("N"),
            Dimension::Parameter => None,
        }
    }
}

/// A coordinate with its rate.
const fn coordinate(name: &'static str, rate: &'static str, dimension: Dimension) -> CoordinateName {
    CoordinateName { name, rate, dimension }
}

const ANGLE: CoordinateName = coordinate("angle", "rate", Dimension::Angle);
const DISPLACEMENT: CoordinateName = coordinate("displacement", "displacement_rate", Dimension::Length);
const X: CoordinateName = coordinate("x", "x_rate", Dimension::Length);
const Y: CoordinateName = coordinate("y", "y_rate", Dimension::Length);

static TURNING: [CoordinateName; 1] = [ANGLE];
static SLIDING: [CoordinateName; 1] = [DISPLACEMENT];
static CYLINDRICAL: [CoordinateName; 2] = [ANGLE, DISPLACEMENT];
static UNIVERSAL: [CoordinateName; 2] = [
    coordinate("first_angle", "first_angle_rate", Dimension::Angle),
    coordinate("second_angle", "second_angle_rate", Dimension::Angle),
];
static PLANAR: [CoordinateName; 3] = [X, Y, coordinate("angle", "angle_rate", Dimension::Angle)];
static IN_PLANE: [CoordinateName; 2] = [X, Y];
static ON_CURVE: [CoordinateName; 1] = [coordinate("parameter", "parameter_rate", Dimension::Parameter)];

impl JointKind {
    /// Its word in the file.
    pub fn word(&self) -> &'static str {
        match self {
            JointKind::Fixed => "fixed",
            JointKind::Spherical => "spherical",
            JointKind::Revolute => "revolute",
            JointKind::Prismatic => "prismatic",
            JointKind::Cylindrical => "cylindrical",
            JointKind::Screw { .. } => "screw",
            JointKind::Planar => "planar",
            JointKind::Universal => "universal",
            JointKind::ConstantVelocity => "constant_velocity",
            JointKind::Distance { .. } => "distance",
            JointKind::PointOnLine => "point_on_line",
            JointKind::PointOnPlane => "point_on_plane",
            JointKind::PointOnCurve { .. } => "point_on_curve",
            JointKind::RollingDisk { .. } => "rolling_disk",
            JointKind::RollingBall { .. } => "rolling_ball",
            JointKind::KnifeEdge => "knife_edge",
        }
    }

    /// Its scalar coordinates in order.
    pub fn coordinates(&self) -> &'static [CoordinateName] {
        match self {
            JointKind::Revolute => &TURNING,
            JointKind::Prismatic | JointKind::PointOnLine => &SLIDING,
            JointKind::Cylindrical | JointKind::Screw { .. } => &CYLINDRICAL,
            JointKind::Universal => &UNIVERSAL,
            JointKind::Planar => &PLANAR,
            JointKind::PointOnPlane => &IN_PLANE,
            JointKind::PointOnCurve { .. } => &ON_CURVE,
            JointKind::Fixed
            | JointKind::Spherical
            | JointKind::ConstantVelocity
            | JointKind::Distance { .. }
            | JointKind::RollingDisk { .. }
            | JointKind::RollingBall { .. }
            | JointKind::KnifeEdge => &[],
        }
    }

    /// True if it can hold a force along the first frame's z axis, or along the
    /// line of a distance joint.
    pub fn has_axial_reaction(&self) -> bool {
        matches!(
            self,
            JointKind::Revolute
                | JointKind::Prismatic
                | JointKind::Cylindrical
                | JointKind::Screw { .. }
                | JointKind::Planar
                | JointKind::Distance { .. }
                | JointKind::PointOnPlane
                | JointKind::RollingDisk { .. }
                | JointKind::RollingBall { .. }
        )
    }
}

/// Elastic stops of a coordinate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LimitSpec {
    /// Index into [`JointKind::coordinates`].
    pub coordinate: usize,
    /// Least free value.
    pub lower: Option<f64>,
    /// Greatest free value, above the least.
    pub upper: Option<f64>,
    /// Stiffness, positive (N/m or N·m/rad).
    pub stiffness: f64,
    /// Damping after Hunt and Crossley, not negative (s/m or s/rad).
    pub damping: f64,
}

/// Friction along the coordinate of a revolute or prismatic joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrictionSpec {
    /// Coefficient of static friction, not below the dynamic one.
    pub static_coefficient: f64,
    /// Coefficient of dynamic friction.
    pub dynamic_coefficient: f64,
    /// Sliding velocity over which static falls to dynamic friction (m/s).
    pub stribeck_velocity: f64,
    /// Sliding velocity below which friction is smoothed through zero (m/s).
    pub transition_velocity: f64,
    /// Viscous friction along the coordinate (N·s/m or N·m·s/rad).
    pub viscous: f64,
    /// Radius of the pin of a revolute joint (m); `None` for a prismatic joint.
    pub radius: Option<f64>,
    /// Distance of the two bearings, which a bending moment M loads with M/arm (m).
    pub arm: Option<f64>,
    /// Normal force without any load (N).
    pub preload: f64,
}
