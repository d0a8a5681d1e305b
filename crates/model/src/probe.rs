//! Reads the quantities that signals and expectations name off a running system.

use crate::build::Assembly;
use crate::quantity::{ForceQuantity, JointQuantity, Motion, Quantity, SystemQuantity};
use crate::spec::{BodyRef, EndSpec, Formula, JointKind, Model};
use poinsot_analysis::Sample;
use poinsot_geometry::{Pose, Vec3, so3};
use poinsot_mechanics::{Scratch, System};

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
    /// The sample.
    pub sample: &'a Sample<'a>,
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

    fn quantity(&mut self, quantity: Quantity, view: &View, signals: &[f64]) -> f64 {
        match quantity {
            Quantity::Time => view.sample.at.t,
            Quantity::Body { body, what } => motion(view, BodyRef::Body(body), &Pose::identity(), what),
            Quantity::Marker { marker, what } => {
                let marker = &view.model.markers[marker];
                motion(view, marker.body, &marker.pose, what)
            }
            Quantity::Joint { joint, what } => self.joint(joint, what, view),
            Quantity::Force { force, what } => self.force(force, what, view),
            Quantity::System(what) => system(what, view),
            Quantity::Signal(index) => signals[index],
        }
    }

    fn joint(&mut self, joint: usize, what: JointQuantity, view: &View) -> f64 {
        let at = &view.sample.at;
        let mut tracked = |index: Option<usize>| match index {
            Some(index) => view.system.tracked(index, at, &mut self.scratch),
            None => (0.0, 0.0),
        };
        match what {
            JointQuantity::Angle => tracked(view.assembly.angles[joint]).0,
            JointQuantity::Rate => tracked(view.assembly.angles[joint]).1,
            JointQuantity::Displacement => tracked(view.assembly.displacements[joint]).0,
            JointQuantity::DisplacementRate => tracked(view.assembly.displacements[joint]).1,
            JointQuantity::ReactionForce(axis) => self.reaction(joint, view).force[axis.index()],
            JointQuantity::ReactionTorque(axis) => self.reaction(joint, view).torque[axis.index()],
            JointQuantity::ReactionAxial => {
                self.reaction(joint, view).force.dot(&joint_direction(joint, view))
            }
        }
    }

    fn reaction(&mut self, joint: usize, view: &View) -> poinsot_mechanics::Reaction {
        view.system.reaction(joint, &view.sample.at, &mut self.scratch)
    }

    fn force(&mut self, force: usize, what: ForceQuantity, view: &View) -> f64 {
        let Some(along) = view.system.along(force, &view.sample.at, &mut self.scratch) else {
            return 0.0;
        };
        match what {
            ForceQuantity::Length | ForceQuantity::Angle => along.value,
            ForceQuantity::LengthRate | ForceQuantity::AngleRate => along.rate,
            ForceQuantity::Force | ForceQuantity::Torque => along.force,
        }
    }
}

/// The axis of a joint in the world, or the direction of a distance joint from first to second point.
fn joint_direction(joint: usize, view: &View) -> Vec3 {
    let spec = &view.model.joints[joint];
    let place = |end: &EndSpec| {
        let z = &view.sample.at.frames[view.assembly.node(end.body)];
        let origin = view.assembly.from_node(end.body, &end.frame.r);
        (z.r + z.rot * origin, z.rot * end.frame.rotation.column(2))
    };
    let ((p1, axis), (p2, _)) = (place(&spec.first), place(&spec.second));
    match spec.kind {
        JointKind::Distance { .. } => (p2 - p1).normalize(),
        _ => axis,
    }
}

fn motion(view: &View, body: BodyRef, pose: &Pose, what: Motion) -> f64 {
    let (node, at) = (view.assembly.node(body), &view.sample.at);
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
    let balance = view.sample.balance;
    match what {
        SystemQuantity::KineticEnergy => balance.kinetic,
        SystemQuantity::PotentialEnergy => balance.potential,
        SystemQuantity::TotalEnergy => balance.total(),
        SystemQuantity::Momentum(axis) => balance.momentum[axis.index()],
        SystemQuantity::AngularMomentum(axis) => balance.angular_momentum[axis.index()],
        SystemQuantity::CentreOfMass(axis) => balance.centre_of_mass[axis.index()],
    }
}
