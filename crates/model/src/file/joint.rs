//! The tables of joints.

use super::{OrientationTable, Triple};
use crate::read::{record, tagged};
use crate::value::{Located, Number, Text};

tagged! {
    /// A joint between two bodies.
    pub enum JointTable "joint" {
        "fixed" => Fixed(FixedTable),
        "spherical" => Spherical(SphericalTable),
        "revolute" => Revolute(RevoluteTable),
        "prismatic" => Prismatic(PrismaticTable),
        "cylindrical" => Cylindrical(CylindricalTable),
        "screw" => Screw(ScrewTable),
        "planar" => Planar(PlanarTable),
        "universal" => Universal(UniversalTable),
        "constant_velocity" => ConstantVelocity(ConstantVelocityTable),
        "distance" => Distance(DistanceTable),
        "point_on_line" => PointOnLine(PointOnLineTable),
        "point_on_plane" => PointOnPlane(PointOnPlaneTable),
        "point_on_curve" => PointOnCurve(PointOnCurveTable),
        "rolling_disk" => RollingDisk(RollingDiskTable),
        "rolling_ball" => RollingBall(RollingBallTable),
        "knife_edge" => KnifeEdge(KnifeEdgeTable),
    }
}

impl JointTable {
    /// Its name.
    pub fn name(&self) -> &Text {
        match self {
            JointTable::Fixed(table) => &table.name,
            JointTable::Spherical(table) => &table.name,
            JointTable::Revolute(table) => &table.name,
            JointTable::Prismatic(table) => &table.name,
            JointTable::Cylindrical(table) => &table.name,
            JointTable::Screw(table) => &table.name,
            JointTable::Planar(table) => &table.name,
            JointTable::Universal(table) => &table.name,
            JointTable::ConstantVelocity(table) => &table.name,
            JointTable::Distance(table) => &table.name,
            JointTable::PointOnLine(table) => &table.name,
            JointTable::PointOnPlane(table) => &table.name,
            JointTable::PointOnCurve(table) => &table.name,
            JointTable::RollingDisk(table) => &table.name,
            JointTable::RollingBall(table) => &table.name,
            JointTable::KnifeEdge(table) => &table.name,
        }
    }
}

/// Declares a joint: its own keys and those all joints share.
macro_rules! joint {
    ($(#[doc = $doc:literal])* $name:ident $title:literal
        { $( $(#[doc = $key_doc:literal])* $key:ident : $type:ty $(= $default:tt)? ),* $(,)? }) => {
        record! {
            $(#[doc = $doc])*
            pub struct $name $title {
                /// Name, unique among all things of the model.
                name: Text,
                /// First and second end: bodies, markers or "ground".
                between: Located<[Text; 2]>,
                $( $(#[doc = $key_doc])* $key: $type $(= $default)?, )*
            }
        }
    };
}

joint! {
    /// No relative motion.
    FixedTable "fixed joint" {
        /// World point of the joint at the start; default: a marker end, else the second body's origin.
        at: Option<Triple>,
    }
}
joint! {
    /// Two points coincide (ball joint).
    SphericalTable "spherical joint" {
        /// World point of the joint at the start; not needed if an end is a marker.
        at: Option<Triple>,
    }
}
joint! {
    /// Rotation about one axis (hinge).
    RevoluteTable "revolute joint" {
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
joint! {
    /// Translation along one axis, no rotation.
    PrismaticTable "prismatic joint" {
        /// World point of the joint at the start; not needed if an end is a marker.
        at: Option<Triple>,
        /// World direction of the axis at the start; the z axis of a marker end if missing.
        axis: Option<Triple>,
        /// Stops of the displacement, m.
        limits: Option<LimitsTable>,
        /// Friction in the guide.
        friction: Option<GuideFrictionTable>,
    }
}
joint! {
    /// Rotation about and translation along one axis.
    CylindricalTable "cylindrical joint" {
        /// World point of the joint at the start; not needed if an end is a marker.
        at: Option<Triple>,
        /// World direction of the axis at the start; the z axis of a marker end if missing.
        axis: Option<Triple>,
        /// Stops of the angle, rad.
        angle_limits: Option<LimitsTable>,
        /// Stops of the displacement, m.
        displacement_limits: Option<LimitsTable>,
    }
}
joint! {
    /// Rotation about one axis with a translation along it in proportion (helical joint).
    ScrewTable "screw joint" {
        /// World point of the joint at the start; not needed if an end is a marker.
        at: Option<Triple>,
        /// World direction of the axis at the start; the z axis of a marker end if missing.
        axis: Option<Triple>,
        /// Translation for one turn, m; negative for a left-handed thread.
        lead: Number,
        /// Stops of the displacement, m.
        limits: Option<LimitsTable>,
    }
}
joint! {
    /// Motion in a plane: two translations and the rotation about the normal.
    PlanarTable "planar joint" {
        /// World point of the joint at the start; not needed if an end is a marker.
        at: Option<Triple>,
        /// World direction of the normal at the start; the z axis of a marker end if missing.
        axis: Option<Triple>,
    }
}
joint! {
    /// Rotation about two perpendicular axes, one fixed in each body (Cardan joint).
    UniversalTable "universal joint" {
        /// World point of the joint at the start; not needed if an end is a marker.
        at: Option<Triple>,
        /// World direction of the axis fixed in the first body; the z axis of a marker if missing.
        axis: Option<Triple>,
        /// World direction of the axis fixed in the second body; the z axis of a marker if missing.
        second_axis: Option<Triple>,
    }
}
joint! {
    /// Two shafts that bend freely at a point and turn with the same angular velocity.
    ConstantVelocityTable "constant_velocity joint" {
        /// World point of the joint at the start; not needed if an end is a marker.
        at: Option<Triple>,
        /// World direction of the first shaft at the start; the z axis of a marker if missing.
        axis: Option<Triple>,
        /// World direction of the second shaft at the start; the z axis of a marker, else `axis` if missing.
        second_axis: Option<Triple>,
    }
}
joint! {
    /// Constant distance between two points (massless rod).
    DistanceTable "distance joint" {
        /// World points on the two bodies at the start; default their origins or markers.
        points: Option<Located<[Triple; 2]>>,
        /// The distance, m; default: the distance at the start.
        length: Option<Number>,
    }
}
joint! {
    /// A point of the second body stays on a line of the first.
    PointOnLineTable "point_on_line joint" {
        /// World point of the line at the start; default: the first end's marker, else the second end's
        /// point.
        at: Option<Triple>,
        /// World direction of the line at the start; the z axis of the first end's marker if missing.
        axis: Option<Triple>,
        /// World point on the second body at the start; default: its marker or point mass, else `at`.
        point: Option<Triple>,
    }
}
joint! {
    /// A point of the second body stays in a plane of the first.
    PointOnPlaneTable "point_on_plane joint" {
        /// World point of the plane at the start; default: the first end's marker, else the second end's
        /// point.
        at: Option<Triple>,
        /// World direction of the normal at the start; the z axis of the first end's marker if missing.
        axis: Option<Triple>,
        /// World point on the second body at the start; default: its marker or point mass, else `at`.
        point: Option<Triple>,
    }
}
joint! {
    /// A point of the second body stays on a curve fixed to the first.
    PointOnCurveTable "point_on_curve joint" {
        /// Coordinates of the curve in its own frame, m: expressions of the parameter `s`.
        curve: Triple,
        /// Parameter near the place of the point at the start.
        start: Number = 0,
        /// World origin of the curve's frame at the start; default: the first end's own frame.
        at: Option<Triple>,
        /// World orientation of the curve's frame at the start; default: that of the first end's own frame.
        orientation: Option<OrientationTable>,
        /// World point on the second body at the start; default: its origin or marker.
        point: Option<Triple>,
    }
}
joint! {
    /// A thin disk (second end) rolls without slipping on a plane (first end).
    RollingDiskTable "rolling_disk joint" {
        /// Radius of the disk, m.
        radius: Number,
        /// A world point of the plane at the start; not needed if the first end is a marker.
        at: Option<Triple>,
        /// World normal of the plane at the start, to the side of the disk; the z axis of a marker if
        /// missing.
        normal: Option<Triple>,
        /// World direction of the disk's axle at the start; the z axis of a marker if missing.
        axle: Option<Triple>,
        /// World centre of the disk at the start; default: the second end's origin or marker.
        centre: Option<Triple>,
    }
}
joint! {
    /// A ball (second end) rolls without slipping on a plane (first end).
    RollingBallTable "rolling_ball joint" {
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
joint! {
    /// A blade on the second body does not move sideways over a plane of the first (skate).
    KnifeEdgeTable "knife_edge joint" {
        /// World point of the blade at the start; not needed if the second end is a marker.
        at: Option<Triple>,
        /// World direction of the blade at the start; the x axis of a marker if missing.
        axis: Option<Triple>,
        /// World normal of the plane at the start; the z axis of the first end's marker if missing.
        normal: Option<Triple>,
    }
}

record! {
    /// Elastic stops of a joint's coordinate: `lower`, `upper` or both.
    pub struct LimitsTable "limits" {
        /// Least free value, m or rad.
        lower: Option<Number>,
        /// Greatest free value, m or rad.
        upper: Option<Number>,
        /// Stiffness of the stops, N/m or N·m/rad.
        stiffness: Number,
        /// Damping of the stops after Hunt and Crossley, s/m or s/rad.
        damping: Number = 0,
    }
}

/// Declares a friction table: its own keys and those all share.
macro_rules! friction {
    ($(#[doc = $doc:literal])* $name:ident
        { $( $(#[doc = $key_doc:literal])* $key:ident : $type:ty ),* $(,)? }) => {
        record! {
            $(#[doc = $doc])*
            pub struct $name "friction" {
                /// Coefficient of static friction; default: the dynamic one.
                r#static: Option<Number>,
                /// Coefficient of dynamic friction.
                dynamic: Number,
                /// Sliding velocity over which static falls to dynamic friction, m/s; default: ten times
                /// `transition_velocity`.
                stribeck_velocity: Option<Number>,
                /// Sliding velocity below which friction is smoothed through zero, m/s.
                transition_velocity: Number = 1e-3,
                /// Viscous friction along the coordinate, N·s/m or N·m·s/rad.
                viscous: Number = 0,
                $( $(#[doc = $key_doc])* $key: $type, )*
                /// Distance of the two bearings that carry bending moments, m; default: moments cause no
                /// friction.
                arm: Option<Number>,
                /// Normal force that is there without any load, N.
                preload: Number = 0,
            }
        }
    };
}

friction! {
    /// Dry and viscous friction of a pin in its bearing.
    PinFrictionTable {
        /// Radius of the pin, m.
        radius: Number,
    }
}
friction! {
    /// Dry and viscous friction of a slider in its guide.
    GuideFrictionTable {}
}
