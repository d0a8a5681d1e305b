//! Reads the quantities that signals and expectations name off a running system.

use crate::build::Assembly;
use crate::quantity::{
    BeamQuantity, ConstraintQuantity, CouplingQuantity, DriveQuantity, FlexibleQuantity, ForceQuantity,
    JointQuantity, Motion, PlateFace, PlateQuantity, Quantity, StressQuantity, SystemQuantity,
    VariableQuantity,
};
use crate::spec::{BodyRef, EndSpec, Formula, Model};
use crate::study::Answers;
use poinsot_flexible::continuum::{principal, von_mises};
use poinsot_geometry::{Mat3, Pose, Vec3, so3};
use poinsot_mechanics::{Balance, Instant, Scratch, System};
use thiserror::Error;

/// Length of interpolated section axes below which a beam element counts as folded: two nodes turned by 120°.
const FOLDED: f64 = 0.5;

/// A beam with an element that is folded so far that it has lost its stiffness.
#[derive(Clone, Debug, Error, PartialEq)]
#[error(
    "the beam `{beam}` folds at t = {time:.6} s: the nodes of element {element} are turned against each other so far that it has \
     lost its stiffness"
)]
pub struct FoldedBeam {
    /// The beam.
    pub beam: String,
    /// Number of the element.
    pub element: usize,
    /// When (s).
    pub time: f64,
}

impl FoldedBeam {
    /// What to do.
    pub const REMEDY: &str = "give the beam more elements";
}

/// Evaluates formulas of a model on samples of its system.
#[derive(Debug, Default)]
pub struct Probe {
    scratch: Scratch,
    arguments: Vec<f64>,
}

/// What a probe looks at.
#[derive(Clone, Copy)]
pub struct View<'a> {
    /// The specification.
    pub model: &'a Model,
    /// Where its things are in the system.
    pub assembly: &'a Assembly,
    /// The system that is running.
    pub system: &'a System,
    /// The instant that is looked at.
    pub at: Instant<'a>,
    /// Energies and momenta there.
    pub balance: &'a Balance,
    /// What the study found, for expectations.
    pub results: Option<&'a Answers<'a>>,
}

impl Probe {
    /// Values of all signals, in order.
    pub fn signals(&mut self, view: &View) -> Vec<f64> {
        let mut values = Vec::with_capacity(view.model.signals.len());
        for signal in &view.model.signals {
            let value = self.formula(&signal.formula, view, &values);
            values.push(value);
        }
        values
    }

    /// Value of a formula; `signals` are the values that it may refer to.
    pub fn formula(&mut self, formula: &Formula, view: &View, signals: &[f64]) -> f64 {
        let mut arguments = std::mem::take(&mut self.arguments);
        arguments.clear();
        for &quantity in &formula.quantities {
            arguments.push(self.quantity(quantity, view, signals));
        }
        let value = formula.program.eval(&arguments);
        self.arguments = arguments;
        value
    }

    /// Value of a quantity; `signals` are the values that it may refer to.
    pub fn quantity(&mut self, quantity: Quantity, view: &View, signals: &[f64]) -> f64 {
        match quantity {
            Quantity::Time => view.at.t,
            Quantity::Body { body, what } => motion(view, BodyRef::Body(body), &Pose::identity(), what),
            Quantity::Marker { marker, what } => {
                let marker = &view.model.markers[marker];
                motion(view, marker.body, &marker.pose, what)
            }
            Quantity::Joint { joint, what } => self.joint(joint, what, view),
            Quantity::Force { force, what } => self.force(force, what, view),
            Quantity::Variable { equations, index, what } => {
                let number = view.assembly.variable(view.system, equations, index);
                match what {
                    VariableQuantity::Value => view.at.v[number],
                    VariableQuantity::Rate => view.at.a[number],
                }
            }
            Quantity::Beam { beam, place, what } => {
                self.beam(view.assembly.beams[beam][place.element], place.xi(), what, view)
            }
            Quantity::Flexible { flexible, shape, what } => {
                let node = view.assembly.shapes[flexible][shape];
                match what {
                    FlexibleQuantity::Value => view.at.frames[node].r.x,
                    FlexibleQuantity::Rate => view.at.v[view.system.nodes()[node].unknowns()][0],
                }
            }
            Quantity::Plate { plate, element, what } => self.plate(plate, element, what, view),
            Quantity::Stress { flexible, gauge, what } => self.stress(flexible, gauge, what, view),
            Quantity::System(what) => system(what, view),
            Quantity::Coupling { coupling, what: CouplingQuantity::Load } => {
                -view.system.multiplier(view.assembly.couplings[coupling], 0, &view.at)
            }
            Quantity::Drive { drive, what } => self.drive(view.assembly.drives[drive], what, view),
            Quantity::Constraint { constraint, what: ConstraintQuantity::Multiplier } => {
                view.system.multiplier(view.assembly.equations[constraint], 0, &view.at)
            }
            Quantity::Result(result) => view.results.and_then(|answers| answers(result)).unwrap_or(f64::NAN),
            // Events are counted by who runs the study.
            Quantity::Event { .. } => f64::NAN,
            Quantity::Signal(index) => signals[index],
        }
    }

    /// A stress at a gauge, or the largest on the surface of a flexible body.
    fn stress(&mut self, flexible: usize, gauge: Option<usize>, what: StressQuantity, view: &View) -> f64 {
        let spec = &view.model.flexible[flexible];
        // The resolver offers stresses only of bodies that have them.
        let Some(stresses) = &spec.body.stresses else { return 0.0 };
        let amounts: Vec<f64> =
            view.assembly.shapes[flexible].iter().map(|node| view.at.frames[*node].r.x).collect();
        let Some(gauge) = gauge else { return stresses.largest(&amounts).1 };
        let stress = stresses.at(spec.gauges[gauge].place, &amounts);
        match what {
            StressQuantity::Component(i, j) => stress[(i.index(), j.index())],
            StressQuantity::Principal(k) => principal(&stress).values[k],
            StressQuantity::VonMises => von_mises(&stress),
        }
    }

    fn joint(&mut self, joint: usize, what: JointQuantity, view: &View) -> f64 {
        let at = &view.at;
        let mut tracked = |index: usize| {
            view.system.tracked(view.assembly.coordinates[joint][index], at, &mut self.scratch)
        };
        match what {
            JointQuantity::Coordinate { index } => tracked(index).0,
            JointQuantity::CoordinateRate { index } => tracked(index).1,
            JointQuantity::ReactionForce(axis) => self.reaction(joint, view).force[axis.index()],
            JointQuantity::ReactionTorque(axis) => self.reaction(joint, view).torque[axis.index()],
            JointQuantity::ReactionAxial => {
                self.reaction(joint, view).force.dot(&joint_direction(joint, view))
            }
            JointQuantity::JointForce(axis) => {
                let axes = first_axes(joint, view);
                axes.tr_mul(&self.reaction(joint, view).force)[axis.index()]
            }
            JointQuantity::JointTorque(axis) => {
                let axes = first_axes(joint, view);
                axes.tr_mul(&self.reaction(joint, view).torque)[axis.index()]
            }
            JointQuantity::Tension { part } => view.system.multiplier(joint, part, at),
            JointQuantity::Friction => match view.assembly.frictions[joint] {
                Some(index) => -view.system.friction(index, at, &mut self.scratch).0,
                None => 0.0,
            },
            JointQuantity::LimitForce { index } => self.stop_force(joint, index, view),
        }
    }

    /// Force of a joint's stops along a coordinate.
    fn stop_force(&mut self, joint: usize, coordinate: usize, view: &View) -> f64 {
        let spec = &view.model.joints[joint];
        let limits = spec.limits.iter().map(|limit| limit.coordinate);
        let stops = limits.chain(spec.stop_laws.iter().map(|law| law.coordinate));
        let stops = stops.zip(&view.assembly.stops[joint]);
        let mut sum = 0.0;
        for (_, &force) in stops.filter(|(own, _)| *own == coordinate) {
            let along = view.system.along(force, &view.at, &mut self.scratch);
            sum -= along.map_or(0.0, |along| along.force);
        }
        sum
    }

    fn drive(&mut self, constraint: usize, what: DriveQuantity, view: &View) -> f64 {
        let at = &view.at;
        match what {
            DriveQuantity::Effort => -view.system.multiplier(constraint, 0, at),
            DriveQuantity::Power => view.system.drive_power(constraint, at, &mut self.scratch),
            DriveQuantity::Force(axis) => self.reaction(constraint, view).force[axis.index()],
            DriveQuantity::Torque(axis) => self.reaction(constraint, view).torque[axis.index()],
        }
    }

    fn reaction(&mut self, joint: usize, view: &View) -> poinsot_mechanics::Reaction {
        view.system.reaction(joint, &view.at, &mut self.scratch)
    }

    /// The first beam element that is folded so far that its section axes have lost half of their length.
    pub fn folded_beam(&mut self, view: &View) -> Option<FoldedBeam> {
        for (beam, elements) in view.model.beams.iter().zip(&view.assembly.beams) {
            for (element, &force) in elements.iter().enumerate() {
                let here = view.system.section_state(force, 0.0, &view.at, &mut self.scratch)?;
                if here.axes < FOLDED {
                    return Some(FoldedBeam { beam: beam.name.clone(), element, time: view.at.t });
                }
            }
        }
        None
    }

    /// What the shapes of beams record: all [quantities](BeamQuantity::offered) at each place of each beam,
    /// in order.
    pub fn beam_shapes(&mut self, view: &View) -> Vec<f64> {
        if view.model.beams.iter().all(|beam| beam.shape.is_empty()) {
            return vec![];
        }
        let (offered, mut values) = (BeamQuantity::offered(), vec![]);
        for (beam, forces) in view.model.beams.iter().zip(&view.assembly.beams) {
            for (_, place) in &beam.shape {
                let here =
                    offered.iter().map(|(_, what)| self.beam(forces[place.element], place.xi(), *what, view));
                values.extend(here.collect::<Vec<_>>());
            }
        }
        values
    }

    /// In the middle of an element of a plate.
    fn plate(&mut self, plate: usize, element: usize, what: PlateQuantity, view: &View) -> f64 {
        let (force, at, s) = (view.assembly.plates[plate][element], &view.at, &mut self.scratch);
        let thickness = view.model.plates[plate].thickness;
        let component = |k: usize| PlateQuantity::COMPONENTS[k].1;
        let middle = [0.0; 2];
        let value = match what {
            PlateQuantity::Force(k) => {
                view.system.stress_resultants(force, middle, at, s).map(|[n, _, _]| n[component(k)])
            }
            PlateQuantity::Moment(k) => {
                view.system.stress_resultants(force, middle, at, s).map(|[_, m, _]| m[component(k)])
            }
            PlateQuantity::VonMises(face) => {
                let z = if face == PlateFace::Top { 0.5 * thickness } else { -0.5 * thickness };
                view.system.stress(force, middle, [z, 0.0], at, s).map(|s| {
                    let [a, b, c] = [s[0] - s[1], s[1] - s[2], s[2] - s[0]];
                    let shear = s[3] * s[3] + s[4] * s[4] + s[5] * s[5];
                    (0.5 * (a * a + b * b + c * c) + 3.0 * shear).sqrt()
                })
            }
        };
        value.unwrap_or(0.0)
    }

    /// At a place of an element; zero if it is no beam.
    fn beam(&mut self, force: usize, xi: f64, what: BeamQuantity, view: &View) -> f64 {
        let at = &view.at;
        let place = |s: &mut Scratch| view.system.section_place(force, xi, at, s);
        let state = |s: &mut Scratch| view.system.section_state(force, xi, at, s);
        let s = &mut self.scratch;
        let value = match what {
            BeamQuantity::Position(axis) => place(s).map(|here| here.position[axis.index()]),
            BeamQuantity::Velocity(axis) => place(s).map(|here| here.velocity[axis.index()]),
            BeamQuantity::SectionAxis(which, axis) => {
                place(s).map(|here| here.axes[(axis.index(), which.index())])
            }
            BeamQuantity::Force(axis) => state(s).map(|here| here.resultant[axis.index()]),
            BeamQuantity::Moment(axis) => state(s).map(|here| here.resultant[3 + axis.index()]),
            BeamQuantity::Strain(axis) => state(s).map(|here| here.strain[axis.index()]),
            BeamQuantity::Curvature(axis) => state(s).map(|here| here.strain[3 + axis.index()]),
        };
        value.unwrap_or(0.0)
    }

    fn force(&mut self, force: usize, what: ForceQuantity, view: &View) -> f64 {
        let Some(along) = view.system.along(force, &view.at, &mut self.scratch) else {
            return 0.0;
        };
        let spec = &view.model.forces[force];
        match (what, spec.law.as_deref()) {
            (ForceQuantity::Coordinate, _) => along.value,
            (ForceQuantity::Rate, _) => along.rate,
            // Signals are put in, so that the law refers to none.
            (ForceQuantity::Effort, Some([law])) if spec.is_network_load() => {
                along.force + self.formula(law, view, &[])
            }
            (ForceQuantity::Effort, _) => along.force,
        }
    }
}

/// The axes of a joint's first frame in the world.
fn first_axes(joint: usize, view: &View) -> Mat3 {
    let first = &view.model.joints[joint].first;
    view.at.frames[view.assembly.node(first.body)].rot * first.frame.rotation
}

/// The axis of a joint in the world, or the direction of a distance joint from first to second point.
fn joint_direction(joint: usize, view: &View) -> Vec3 {
    let spec = &view.model.joints[joint];
    let place = |end: &EndSpec| {
        let z = &view.at.frames[view.assembly.node(end.body)];
        let origin = view.assembly.from_node(end.body, &end.frame.r);
        (z.r + z.rot * origin, z.rot * end.frame.rotation.column(2))
    };
    let ((p1, axis), (p2, _)) = (place(&spec.first), place(&spec.second));
    spec.axial_direction(axis, p2 - p1)
}

fn motion(view: &View, body: BodyRef, pose: &Pose, what: Motion) -> f64 {
    let (node, at) = (view.assembly.node(body), &view.at);
    let point = || view.system.point_motion(node, &view.assembly.from_node(body, &pose.r), at);
    let spin = || view.system.angular_motion(node, at);
    match what {
        Motion::Position(axis) => point().position[axis.index()],
        Motion::Velocity(axis) => point().velocity[axis.index()],
        Motion::Acceleration(axis) => point().acceleration[axis.index()],
        Motion::AngularVelocity(axis) => {
            let spin = spin();
            (spin.rotation * spin.velocity_body)[axis.index()]
        }
        Motion::AngularVelocityBody(axis) => pose.rotation.tr_mul(&spin().velocity_body)[axis.index()],
        Motion::AngularAcceleration(axis) => {
            let spin = spin();
            (spin.rotation * spin.acceleration_body)[axis.index()]
        }
        Motion::Rotation(row, column) => (spin().rotation * pose.rotation)[(row.index(), column.index())],
        Motion::RotationVector(axis) => so3::log(&(spin().rotation * pose.rotation))[axis.index()],
    }
}

fn system(what: SystemQuantity, view: &View) -> f64 {
    let balance = view.balance;
    match what {
        SystemQuantity::KineticEnergy => balance.kinetic,
        SystemQuantity::PotentialEnergy => balance.potential,
        SystemQuantity::TotalEnergy => balance.total(),
        SystemQuantity::Momentum(axis) => balance.momentum[axis.index()],
        SystemQuantity::AngularMomentum(axis) => balance.angular_momentum[axis.index()],
        SystemQuantity::CentreOfMass(axis) => balance.centre_of_mass[axis.index()],
    }
}
