//! The quantities of a running system that expressions can name.

use crate::file::Axis;
use crate::spec::{
    CouplingSpec, Dimension, DriveEffort, DriveSpec, DriveType, ForceSpec, ForceType, JointSpec, Model,
    VariableSpec,
};
use crate::study::{StudyResult, WholeStudy};
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
    /// Of a force along a coordinate.
    Force {
        /// Index of the force.
        force: usize,
        /// What of it.
        what: ForceQuantity,
    },
    /// The load of a coupling.
    Coupling {
        /// Index of the coupling.
        coupling: usize,
        /// What of it.
        what: CouplingQuantity,
    },
    /// What a drive does.
    Drive {
        /// Index of the drive.
        drive: usize,
        /// What of it.
        what: DriveQuantity,
    },
    /// The load of a constraint.
    Constraint {
        /// Index of the constraint.
        constraint: usize,
        /// What of it.
        what: ConstraintQuantity,
    },
    /// A variable of first-order equations.
    Variable {
        /// Index of the block of equations.
        equations: usize,
        /// Index of the variable in the block.
        index: usize,
        /// What of it.
        what: VariableQuantity,
    },
    /// Of a section of a beam.
    Beam {
        /// Index of the beam.
        beam: usize,
        /// Which section.
        place: BeamPlace,
        /// What of it.
        what: BeamQuantity,
    },
    /// Of a shape of a flexible body.
    Flexible {
        /// Index of the flexible body.
        flexible: usize,
        /// Index of the shape.
        shape: usize,
        /// What of it.
        what: FlexibleQuantity,
    },
    /// Of an element of a plate, in its middle.
    Plate {
        /// Index of the plate.
        plate: usize,
        /// Element, the first side running faster.
        element: usize,
        /// What of it.
        what: PlateQuantity,
    },
    /// A stress of a flexible body.
    Stress {
        /// Index of the flexible body.
        flexible: usize,
        /// Index of the gauge; the largest anywhere on its surface without.
        gauge: Option<usize>,
        /// What of it.
        what: StressQuantity,
    },
    /// Of the whole system.
    System(SystemQuantity),
    /// A result of the study; only in expectations.
    Result(StudyResult),
    /// Of an event; only in expectations.
    Event {
        /// Index of the event.
        event: usize,
        /// What of it.
        what: EventQuantity,
    },
    /// An earlier signal: index into the signals.
    Signal(usize),
}

impl Quantity {
    /// Whether it is a reaction: a multiplier, or what multipliers make.
    pub fn is_reaction(self) -> bool {
        use JointQuantity as J;
        match self {
            Quantity::Joint { what, .. } => matches!(
                what,
                J::ReactionForce(_)
                    | J::ReactionTorque(_)
                    | J::ReactionAxial
                    | J::JointForce(_)
                    | J::JointTorque(_)
                    | J::Tension { .. }
            ),
            Quantity::Drive { what, .. } => what != DriveQuantity::Power,
            Quantity::Coupling { .. } | Quantity::Constraint { .. } => true,
            _ => false,
        }
    }
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
    /// A coordinate; angles are unwrapped.
    Coordinate {
        /// Index into the joint's [`coordinates`](crate::spec::JointType::coordinates).
        index: usize,
    },
    /// Its rate.
    CoordinateRate {
        /// Index into the joint's [`coordinates`](crate::spec::JointType::coordinates).
        index: usize,
    },
    /// Force on the second body, world axes.
    ReactionForce(Axis),
    /// Torque on the second body about its joint point, world axes.
    ReactionTorque(Axis),
    /// Force on the second body along the joint axis, or along the rod of a distance joint.
    ReactionAxial,
    /// Force on the second body, axes of the first end's frame.
    JointForce(Axis),
    /// Torque on the second body about its joint point, axes of the first end's frame.
    JointTorque(Axis),
    /// Tension of a part of a rope.
    Tension {
        /// The part, from the first end on.
        part: usize,
    },
    /// Friction force or torque along the coordinate.
    Friction,
    /// Force or torque of the stops along a coordinate.
    LimitForce {
        /// Index into the joint's [`coordinates`](crate::spec::JointType::coordinates).
        index: usize,
    },
}

/// Of a coupling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CouplingQuantity {
    /// The multiplier: times a term's factor it is the force along the term's coordinate.
    Load,
}

/// Of a drive.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DriveQuantity {
    /// Force or torque along the coordinate of a joint drive.
    Effort,
    /// Force of a point drive on the point, world axes.
    Force(Axis),
    /// Torque of an angular velocity drive on the body, world axes.
    Torque(Axis),
    /// Power that the drive feeds in.
    Power,
}

/// Of a constraint.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstraintQuantity {
    /// The multiplier of the equation.
    Multiplier,
}

/// Of a variable of first-order equations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum VariableQuantity {
    /// Its value.
    Value,
    /// Its rate.
    Rate,
}

/// Of a force along a coordinate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ForceQuantity {
    /// The coordinate: a length, an angle.
    Coordinate,
    /// Its rate.
    Rate,
    /// The force or torque along it.
    Effort,
}

/// A place along a beam.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct BeamPlace {
    /// Element, from 0.
    pub element: usize,
    /// ξ as bits, which are equal for equal places.
    xi: u64,
}

impl BeamPlace {
    /// At ξ in [−1, 1] of an element.
    pub fn new(element: usize, xi: f64) -> Self {
        BeamPlace { element, xi: xi.to_bits() }
    }

    /// ξ in the element.
    pub fn xi(self) -> f64 {
        f64::from_bits(self.xi)
    }
}

/// Of a shape of a flexible body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FlexibleQuantity {
    /// How far the body is deformed along it.
    Value,
    /// The rate of that.
    Rate,
}

/// Of a stress (Pa), in body axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StressQuantity {
    /// A component.
    Component(Axis, Axis),
    /// A principal stress, the largest first.
    Principal(usize),
    /// The equivalent stress of von Mises.
    VonMises,
}

impl StressQuantity {
    /// All of them at one place, by name.
    pub fn offered() -> Vec<(String, StressQuantity)> {
        use Axis::{X, Y, Z};
        let pairs = [("xx", X, X), ("yy", Y, Y), ("zz", Z, Z), ("yz", Y, Z), ("xz", X, Z), ("xy", X, Y)];
        let components =
            pairs.map(|(name, i, j)| (format!("stress.{name}"), StressQuantity::Component(i, j)));
        let principal = (0..3).map(|k| (format!("principal{}", k + 1), StressQuantity::Principal(k)));
        let von_mises = ("von_mises".to_owned(), StressQuantity::VonMises);
        components.into_iter().chain(principal).chain([von_mises]).collect()
    }
}

/// Of an element of a plate, in axes of its material: x along the first side, y normal to it in the plate, z
/// across.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlateQuantity {
    /// Force per length xx, yy, xy, xz, yz: index into [`PlateQuantity::COMPONENTS`].
    Force(usize),
    /// Moment per length xx, yy, xy, likewise.
    Moment(usize),
    /// Equivalent stress of von Mises at the face to which the normal points, or at the other one.
    VonMises(PlateFace),
}

/// A face of a plate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PlateFace {
    /// Where the normal points: first side × second side.
    Top,
    /// The other one.
    Bottom,
}

impl PlateQuantity {
    /// Components by name, with their places in a stress (11, 22, 33, 12, 13, 23).
    pub const COMPONENTS: [(&str, usize); 5] = [("xx", 0), ("yy", 1), ("xy", 3), ("xz", 4), ("yz", 5)];

    /// All of them at one element, by name.
    pub fn offered() -> Vec<(String, PlateQuantity)> {
        let part = |what: &str, make: fn(usize) -> PlateQuantity, count: usize| -> Vec<_> {
            let names = Self::COMPONENTS.iter().take(count).enumerate();
            names.map(|(k, (name, _))| (format!("{what}.{name}"), make(k))).collect()
        };
        let mut list = part("force", PlateQuantity::Force, 5);
        list.extend(part("moment", PlateQuantity::Moment, 3));
        list.push(("top.von_mises".into(), PlateQuantity::VonMises(PlateFace::Top)));
        list.push(("bottom.von_mises".into(), PlateQuantity::VonMises(PlateFace::Bottom)));
        list
    }

    fn unit(self) -> &'static str {
        match self {
            PlateQuantity::Force(_) => "N/m",
            PlateQuantity::Moment(_) => "N",
            PlateQuantity::VonMises(_) => "Pa",
        }
    }
}

/// Of a section of a beam. Forces, moments, strains and curvatures have components in section axes: x and y
/// across, z along the line; the others in world axes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BeamQuantity {
    /// Point of the line.
    Position(Axis),
    /// Its velocity.
    Velocity(Axis),
    /// Axis 1, 2 or 3 of the section, world component.
    SectionAxis(Axis, Axis),
    /// Shear forces and tension.
    Force(Axis),
    /// Bending moments and torque.
    Moment(Axis),
    /// Shear strains and extension.
    Strain(Axis),
    /// Bending and torsion, less those of the reference.
    Curvature(Axis),
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
    /// What a joint offers.
    pub fn offered(joint: &JointSpec) -> Vec<(String, JointQuantity)> {
        let mut list = Vec::new();
        let coordinates = joint.kind.coordinates();
        for (index, coordinate) in coordinates.iter().enumerate() {
            list.push((coordinate.name.into(), JointQuantity::Coordinate { index }));
            list.push((coordinate.rate.into(), JointQuantity::CoordinateRate { index }));
        }
        components(&mut list, "reaction.force", JointQuantity::ReactionForce);
        components(&mut list, "reaction.torque", JointQuantity::ReactionTorque);
        if joint.kind.declaration().axial.is_some() {
            list.push(("reaction.axial".into(), JointQuantity::ReactionAxial));
        }
        components(&mut list, "reaction.joint_force", JointQuantity::JointForce);
        components(&mut list, "reaction.joint_torque", JointQuantity::JointTorque);
        for part in 0..joint.kind.tensions() {
            let name = if part == 0 { "tension".into() } else { format!("tension_{}", part + 1) };
            list.push((name, JointQuantity::Tension { part }));
        }
        if joint.friction.is_some() {
            list.push(("friction".into(), JointQuantity::Friction));
        }
        let limits = joint.limits.iter().map(|limit| (limit.force, limit.coordinate));
        let laws = joint.stop_laws.iter().map(|law| (law.force, law.coordinate));
        for (force, index) in limits.chain(laws) {
            list.push((force.into(), JointQuantity::LimitForce { index }));
        }
        list
    }

    /// Its unit.
    pub fn unit(self, joint: &JointSpec) -> Option<&'static str> {
        let dimension = |index: usize| Some(joint.kind.coordinates().get(index)?.dimension);
        match self {
            JointQuantity::Coordinate { index } => dimension(index)?.unit(),
            JointQuantity::CoordinateRate { index } => dimension(index)?.rate_unit(),
            JointQuantity::ReactionForce(_)
            | JointQuantity::ReactionAxial
            | JointQuantity::JointForce(_)
            | JointQuantity::Tension { .. } => Some("N"),
            JointQuantity::ReactionTorque(_) | JointQuantity::JointTorque(_) => Some("N·m"),
            JointQuantity::Friction => dimension(0)?.effort_unit(),
            JointQuantity::LimitForce { index } => dimension(index)?.effort_unit(),
        }
    }
}

impl CouplingQuantity {
    /// What a coupling offers.
    pub fn offered() -> Vec<(String, CouplingQuantity)> {
        vec![("load".into(), CouplingQuantity::Load)]
    }

    /// Its unit: that of a force along a coordinate divided by that of the factor.
    pub fn unit(self, coupling: &CouplingSpec) -> Option<&'static str> {
        coupling.kind.load_unit
    }
}

impl DriveQuantity {
    /// What a drive offers.
    pub fn offered(declared: &DriveType) -> Vec<(String, DriveQuantity)> {
        let mut list = Vec::new();
        match declared.effort {
            DriveEffort::Along => list.push(("effort".into(), DriveQuantity::Effort)),
            DriveEffort::Force => components(&mut list, "force", DriveQuantity::Force),
            DriveEffort::Torque => components(&mut list, "torque", DriveQuantity::Torque),
        }
        list.push(("power".into(), DriveQuantity::Power));
        list
    }

    /// Its unit; `dimension` is that of the coordinate of a joint drive.
    pub fn unit(self, dimension: Option<Dimension>) -> Option<&'static str> {
        match self {
            DriveQuantity::Effort => dimension?.effort_unit(),
            DriveQuantity::Force(_) => Some("N"),
            DriveQuantity::Torque(_) => Some("N·m"),
            DriveQuantity::Power => Some("W"),
        }
    }
}

impl ConstraintQuantity {
    /// What a constraint offers.
    pub fn offered() -> Vec<(String, ConstraintQuantity)> {
        vec![("multiplier".into(), ConstraintQuantity::Multiplier)]
    }
}

/// Of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventQuantity {
    /// How often it has happened.
    Count,
    /// When it happened first.
    FirstTime,
    /// When it happened last.
    LastTime,
}

/// Events are counted over the whole study.
const EVENTS: WholeStudy = WholeStudy {
    belongs: "events are counted over the whole study",
    noun: "events",
    mixes: "mixes events and quantities",
};

impl EventQuantity {
    /// All, with their names.
    pub const ALL: [(&'static str, EventQuantity); 3] = [
        ("count", EventQuantity::Count),
        ("first_time", EventQuantity::FirstTime),
        ("last_time", EventQuantity::LastTime),
    ];
}

impl ForceQuantity {
    /// What a force offers.
    pub fn offered(declared: &ForceType) -> Vec<(String, ForceQuantity)> {
        let Some(along) = declared.along else { return vec![] };
        vec![
            (along.name.into(), ForceQuantity::Coordinate),
            (along.rate.into(), ForceQuantity::Rate),
            (along.effort.into(), ForceQuantity::Effort),
        ]
    }

    /// Its unit.
    pub fn unit(self, declared: &ForceType) -> Option<&'static str> {
        let dimension = declared.along?.dimension;
        match self {
            ForceQuantity::Coordinate => dimension.unit(),
            ForceQuantity::Rate => dimension.rate_unit(),
            ForceQuantity::Effort => dimension.effort_unit(),
        }
    }
}

impl BeamQuantity {
    /// What a section offers.
    pub fn offered() -> Vec<(String, BeamQuantity)> {
        let mut list = Vec::new();
        components(&mut list, "position", BeamQuantity::Position);
        components(&mut list, "velocity", BeamQuantity::Velocity);
        components(&mut list, "d1", |axis| BeamQuantity::SectionAxis(Axis::X, axis));
        components(&mut list, "d2", |axis| BeamQuantity::SectionAxis(Axis::Y, axis));
        components(&mut list, "d3", |axis| BeamQuantity::SectionAxis(Axis::Z, axis));
        components(&mut list, "force", BeamQuantity::Force);
        components(&mut list, "moment", BeamQuantity::Moment);
        components(&mut list, "strain", BeamQuantity::Strain);
        components(&mut list, "curvature", BeamQuantity::Curvature);
        list
    }

    /// Its unit.
    pub fn unit(self) -> &'static str {
        match self {
            BeamQuantity::Position(_) => "m",
            BeamQuantity::Velocity(_) => "m/s",
            BeamQuantity::SectionAxis(..) => "1",
            BeamQuantity::Force(_) => "N",
            BeamQuantity::Moment(_) => "N·m",
            BeamQuantity::Strain(_) => "1",
            BeamQuantity::Curvature(_) => "1/m",
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

/// The things that own quantities, by index.
pub trait Owners {
    /// A joint.
    fn joint(&self, index: usize) -> Option<&JointSpec>;
    /// A coupling.
    fn coupling(&self, index: usize) -> Option<&CouplingSpec>;
    /// A drive.
    fn drive(&self, index: usize) -> Option<&DriveSpec>;
    /// A force.
    fn force(&self, index: usize) -> Option<&ForceSpec>;
    /// A variable of a block of equations.
    fn variable(&self, equations: usize, index: usize) -> Option<&VariableSpec>;
}

impl Owners for Model {
    fn joint(&self, index: usize) -> Option<&JointSpec> {
        self.joints.get(index)
    }
    fn coupling(&self, index: usize) -> Option<&CouplingSpec> {
        self.couplings.get(index)
    }
    fn drive(&self, index: usize) -> Option<&DriveSpec> {
        self.drives.get(index)
    }
    fn force(&self, index: usize) -> Option<&ForceSpec> {
        self.forces.get(index)
    }
    fn variable(&self, equations: usize, index: usize) -> Option<&VariableSpec> {
        self.equations.get(equations)?.variables.get(index)
    }
}

impl Quantity {
    /// Whether it depends on accelerations or reactions; a signal itself does not tell.
    pub fn needs_accelerations(self) -> bool {
        match self {
            Quantity::Body { what, .. } | Quantity::Marker { what, .. } => {
                matches!(what, Motion::Acceleration(_) | Motion::AngularAcceleration(_))
            }
            Quantity::Joint { what, .. } => !matches!(
                what,
                JointQuantity::Coordinate { .. }
                    | JointQuantity::CoordinateRate { .. }
                    | JointQuantity::LimitForce { .. }
            ),
            Quantity::Coupling { .. } | Quantity::Drive { .. } | Quantity::Constraint { .. } => true,
            _ => false,
        }
    }

    /// Set if it belongs to a study as a whole, not to a state.
    pub(crate) fn of_whole_study(self) -> Option<&'static WholeStudy> {
        match self {
            Quantity::Event { .. } => Some(&EVENTS),
            Quantity::Result(result) => result.whole,
            _ => None,
        }
    }

    /// Whether it is a function of positions and time alone, with a rate; a signal itself does not tell.
    pub fn is_position(self) -> bool {
        match self {
            Quantity::Time => true,
            Quantity::Body { what, .. } | Quantity::Marker { what, .. } => {
                matches!(what, Motion::Position(_) | Motion::Rotation(..))
            }
            Quantity::Joint { what, .. } => matches!(what, JointQuantity::Coordinate { .. }),
            Quantity::Force { what, .. } => what == ForceQuantity::Coordinate,
            Quantity::Flexible { what, .. } => what == FlexibleQuantity::Value,
            Quantity::Beam { what, .. } => matches!(what, BeamQuantity::Position(_)),
            Quantity::System(what) => matches!(what, SystemQuantity::CentreOfMass(_)),
            _ => false,
        }
    }

    /// Its unit, if it has one; that of a signal is the signal's own.
    pub fn unit(self, owners: &impl Owners) -> Option<&str> {
        match self {
            Quantity::Time => Some("s"),
            Quantity::Body { what, .. } | Quantity::Marker { what, .. } => Some(what.unit()),
            Quantity::Joint { joint, what } => what.unit(owners.joint(joint)?),
            Quantity::Force { force, what } => what.unit(owners.force(force)?.kind.declaration()),
            Quantity::Coupling { coupling, what } => what.unit(owners.coupling(coupling)?),
            Quantity::Drive { drive, what } => what.unit(driven(owners, drive)),
            Quantity::Variable { equations, index, what } => {
                let variable = owners.variable(equations, index)?;
                match what {
                    VariableQuantity::Value => variable.unit.as_deref(),
                    VariableQuantity::Rate => variable.rate_unit.as_deref(),
                }
            }
            Quantity::Beam { what, .. } => Some(what.unit()),
            Quantity::Stress { .. } => Some("Pa"),
            Quantity::Plate { what, .. } => Some(what.unit()),
            Quantity::System(what) => Some(what.unit()),
            Quantity::Result(result) => result.unit,
            Quantity::Event { what: EventQuantity::FirstTime | EventQuantity::LastTime, .. } => Some("s"),
            Quantity::Flexible { .. }
            | Quantity::Constraint { .. }
            | Quantity::Event { what: EventQuantity::Count, .. }
            | Quantity::Signal(_) => None,
        }
    }
}

/// The dimension of the coordinate of a joint drive.
fn driven(owners: &impl Owners, drive: usize) -> Option<Dimension> {
    let (joint, coordinate) = owners.drive(drive)?.kind.coordinate()?;
    Some(owners.joint(joint)?.kind.coordinates().get(coordinate)?.dimension)
}
