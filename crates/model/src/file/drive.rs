//! The tables of drives.

use super::{Frame, Triple};
use crate::read::{record, tagged};
use crate::value::{Located, Number, Text};

tagged! {
    /// A motion imposed as a function of time.
    pub enum DriveTable "drive" {
        "joint" => Joint(JointDriveTable),
        "point" => Point(PointDriveTable),
        "angular_velocity" => AngularVelocity(AngularVelocityDriveTable),
    }
}

impl DriveTable {
    /// Its name.
    pub fn name(&self) -> &Text {
        match self {
            DriveTable::Joint(table) => &table.name,
            DriveTable::Point(table) => &table.name,
            DriveTable::AngularVelocity(table) => &table.name,
        }
    }
}

record! {
    /// Imposes a joint's coordinate (`position`) or its rate (`rate`).
    pub struct JointDriveTable "joint drive" {
        /// Name, unique among all things of the model.
        name: Text,
        /// The joint.
        joint: Text,
        /// The coordinate; not needed if the joint has only one.
        coordinate: Option<Text>,
        /// The coordinate over time, rad or m; may use `t`.
        position: Option<Number>,
        /// The rate of the coordinate over time, rad/s or m/s; may use `t`.
        rate: Option<Number>,
    }
}

record! {
    /// Imposes the position of a point.
    pub struct PointDriveTable "point drive" {
        /// Name, unique among all things of the model.
        name: Text,
        /// The body whose origin, or the marker, that is moved.
        point: Text,
        /// Coordinates over time, m; each may use `t` or be "free".
        position: Triple,
        /// The body or marker from whose origin and in whose axes the position is given, or "ground".
        relative_to: Text = "ground",
    }
}

record! {
    /// Imposes the angular velocity of a body.
    pub struct AngularVelocityDriveTable "angular_velocity drive" {
        /// Name, unique among all things of the model.
        name: Text,
        /// The body or marker.
        on: Text,
        /// Components over time, rad/s; each may use `t`.
        angular_velocity: Triple,
        /// Axes of the components.
        frame: Located<Frame> = "world",
    }
}
