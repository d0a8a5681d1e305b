//! The quantities of a running system that expressions can name.

use crate::file::Axis;
use crate::spec::JointKind;
use poinsot_mechanics::mass_properties;

/// A quantity with its owner resolved to an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Quantity {
    /// `time`.
    Time,
    /// Motion of a body's frame: index into the bodies.
    Body {
        /// Index of the body.
        body: usize,
        /// What of it.
        what: Motion,
    },
    /// Motion of a marker: index into the markers.
    Marker {
        /// Index of the marker.
        marker: usize,
        /// What of it.
        what: Motion,
    },
    /// A joint's coordinate or reaction.
    Joint {
        /// Index of the joint.
        joint: usize,
        /// What of it.
        what: JointQuantity,
    },
    /// A spring's or torsion spring's state.
    Force {
        /// Index of the force.
        force: usize,
        /// What of it.
        what: ForceQuantity,
    },
    /// Of the whole system.
    System(SystemQuantity),
    /// An earlier signal: index into the signals.
    Signal(usize),
}

/// Motion of a frame, components in world axes unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Motion {
    /// Position of the origin.
    Position(Axis),
    /// Velocity of the origin.
    Velocity(Axis),
    /// Acceleration of the origin.
    Acceleration(Axis),
    /// Angular velocity.
    AngularVelocity(Axis),
    /// Angular velocity in the frame's own axes.
    AngularVelocityBody(Axis),
    /// Angular acceleration.
    AngularAcceleration(Axis),
    /// Entry of the rotation matrix: row, column.
    Rotation(Axis, Axis),
    /// Rotation vector (axis times angle).
    RotationVector(Axis),
}

/// Of a joint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum JointQuantity {
    /// Angle of rotation, unwrapped.
    Angle,
    /// Its rate.
    Rate,
    /// Displacement along the axis.
    Displacement,
    /// Its rate.
    DisplacementRate,
    /// Force on the second body, world axes.
    ReactionForce(Axis),
    /// Torque on the second body about its joint point, world axes.
    ReactionTorque(Axis),
    /// Force on the second body along the joint axis, or along the rod of a distance joint.
    ReactionAxial,
}

/// Of a spring or torsion spring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ForceQuantity {
    /// Length of a spring.
    Length,
    /// Rate of the length.
    LengthRate,
    /// Tension.
    Force,
    /// Angle of a torsion spring.
    Angle,
    /// Rate of the angle.
    AngleRate,
    /// Torque.
    Torque,
}

/// Of the whole system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SystemQuantity {
    /// Kinetic energy.
    KineticEnergy,
    /// Potential energy.
    PotentialEnergy,
    /// Their sum.
    TotalEnergy,
    /// Linear momentum.
    Momentum(Axis),
    /// Angular momentum about the world origin.
    AngularMomentum(Axis),
    /// Centre of mass of all bodies.
    CentreOfMass(Axis),
}

impl Axis {
    /// Index of the component: 0, 1, 2.
    pub fn index(self) -> usize {
        match self {
            Axis::X => 0,
            Axis::Y => 1,
            Axis::Z => 2,
        }
    }
}

impl From<Axis> for mass_properties::Axis {
    fn from(axis: Axis) -> Self {
        match axis {
            Axis::X => mass_properties::Axis::X,
            Axis::Y => mass_properties::Axis::Y,
            Axis::Z => mass_properties::Axis::Z,
        }
    }
}

const AXES: [Axis; 3] = [Axis::X, Axis::Y, Axis::Z];

/// Adds `stem.x`, `stem.y`, `stem.z`.
fn components<Q>(list: &mut Vec<(String, Q)>, stem: &str, make: fn(Axis) -> Q) {
    for axis in AXES {
        list.push((format!("{stem}.{}", axis.word()), make(axis)));
    }
}

impl Motion {
    /// What a frame offers; a point mass has no orientation.
    pub fn offered(with_orientation: bool) -> Vec<(String, Motion)> {
        let mut list = Vec::new();
        components(&mut list, "position", Motion::Position);
        components(&mut list, "velocity", Motion::Velocity);
        components(&mut list, "acceleration", Motion::Acceleration);
        if with_orientation {
            components(&mut list, "angular_velocity", Motion::AngularVelocity);
            components(&mut list, "angular_velocity_body", Motion::AngularVelocityBody);
            components(&mut list, "angular_acceleration", Motion::AngularAcceleration);
            components(&mut list, "rotation_vector", Motion::RotationVector);
            for row in AXES {
                for column in AXES {
                    let name = format!("rotation.{}{}", row.word(), column.word());
                    list.push((name, Motion::Rotation(row, column)));
                }
            }
        }
        list
    }

    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            Motion::Position(_) => "m",
            Motion::Velocity(_) => "m/s",
            Motion::Acceleration(_) => "m/s²",
            Motion::AngularVelocity(_) | Motion::AngularVelocityBody(_) => "rad/s",
            Motion::AngularAcceleration(_) => "rad/s²",
            Motion::Rotation(..) => "1",
            Motion::RotationVector(_) => "rad",
        }
    }
}

impl JointQuantity {
    /// What a joint of this kind offers.
    pub fn offered(kind: &JointKind) -> Vec<(String, JointQuantity)> {
        use JointKind::*;
        let mut list = Vec::new();
        if matches!(kind, Revolute | Cylindrical) {
            list.push(("angle".into(), JointQuantity::Angle));
            list.push(("rate".into(), JointQuantity::Rate));
        }
        if matches!(kind, Prismatic | Cylindrical) {
            list.push(("displacement".into(), JointQuantity::Displacement));
            list.push(("displacement_rate".into(), JointQuantity::DisplacementRate));
        }
        components(&mut list, "reaction.force", JointQuantity::ReactionForce);
        components(&mut list, "reaction.torque", JointQuantity::ReactionTorque);
        if !matches!(kind, Fixed | Spherical | Universal) {
            list.push(("reaction.axial".into(), JointQuantity::ReactionAxial));
        }
        list
    }

    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            JointQuantity::Angle => "rad",
            JointQuantity::Rate => "rad/s",
            JointQuantity::Displacement => "m",
            JointQuantity::DisplacementRate => "m/s",
            JointQuantity::ReactionForce(_) | JointQuantity::ReactionAxial => "N",
            JointQuantity::ReactionTorque(_) => "N·m",
        }
    }
}

impl ForceQuantity {
    /// What a spring offers.
    pub fn of_spring() -> Vec<(String, ForceQuantity)> {
        vec![
            ("length".into(), ForceQuantity::Length),
            ("rate".into(), ForceQuantity::LengthRate),
            ("force".into(), ForceQuantity::Force),
        ]
    }

    /// What a torsion spring offers.
    pub fn of_torsion() -> Vec<(String, ForceQuantity)> {
        vec![
            ("angle".into(), ForceQuantity::Angle),
            ("rate".into(), ForceQuantity::AngleRate),
            ("torque".into(), ForceQuantity::Torque),
        ]
    }

    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            ForceQuantity::Length => "m",
            ForceQuantity::LengthRate => "m/s",
            ForceQuantity::Force => "N",
            ForceQuantity::Angle => "rad",
            ForceQuantity::AngleRate => "rad/s",
            ForceQuantity::Torque => "N·m",
        }
    }
}

impl SystemQuantity {
    /// Names that start a system quantity; no thing of a model may be called so.
    pub const ROOTS: [&'static str; 4] = ["energy", "momentum", "angular_momentum", "centre_of_mass"];

    /// All, with their full names.
    pub fn offered() -> Vec<(String, SystemQuantity)> {
        let mut list = vec![
            ("energy.kinetic".to_owned(), SystemQuantity::KineticEnergy),
            ("energy.potential".to_owned(), SystemQuantity::PotentialEnergy),
            ("energy.total".to_owned(), SystemQuantity::TotalEnergy),
        ];
        components(&mut list, "momentum", SystemQuantity::Momentum);
        components(&mut list, "angular_momentum", SystemQuantity::AngularMomentum);
        components(&mut list, "centre_of_mass", SystemQuantity::CentreOfMass);
        list
    }

    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            SystemQuantity::KineticEnergy | SystemQuantity::PotentialEnergy | SystemQuantity::TotalEnergy => {
                "J"
            }
            SystemQuantity::Momentum(_) => "kg·m/s",
            SystemQuantity::AngularMomentum(_) => "kg·m²/s",
            SystemQuantity::CentreOfMass(_) => "m",
        }
    }
}

impl Quantity {
    /// Its unit; that of a signal is the signal's own.
    pub fn unit(self) -> Option<&'static str> {
        match self {
            Quantity::Time => Some("s"),
            Quantity::Body { what, .. } | Quantity::Marker { what, .. } => Some(what.unit()),
            Quantity::Joint { what, .. } => Some(what.unit()),
            Quantity::Force { what, .. } => Some(what.unit()),
            Quantity::System(what) => Some(what.unit()),
            Quantity::Signal(_) => None,
        }
    }
}
