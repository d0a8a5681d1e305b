//! The specification: a model file with every name resolved and every number evaluated.
//!
//! Points and axes of joints and forces are already given in the axes of the
//! bodies that carry them, so no later stage needs the modelled configuration
//! for anything but the initial values.

use crate::addition::Addition;
use crate::diagnostic::{Source, Span};
use crate::input_file::InputFile;
use crate::named_state::NamedState;
use crate::parametric::ParametricModel;
use crate::quantity::{BeamPlace, Quantity};
use crate::raised::Raised;
use crate::study::{InitialSpec, StudyRequest};
use poinsot_expr::{Expr, Program};
use poinsot_geometry::{Mat3, Pose, Vec3};
use poinsot_mechanics::forces::Turning;
use poinsot_mechanics::mass_properties::{Shape, TriangleMesh};
use std::sync::Arc;

mod beam;
mod constraint;
mod equations;
mod event;
mod flexible;
mod input;
mod integrator;
mod lagrangian;
mod look;
mod motion;
mod plate;
mod table;

pub use crate::couplings::*;
pub use crate::drives::*;
pub use crate::file::{Axis, Crossing, Frame, Kinks, Plane, SettingsTable};
pub use crate::forces::*;
pub use crate::joints::*;
pub use beam::*;
pub use constraint::*;
pub use equations::*;
pub use event::*;
pub use flexible::*;
pub use input::*;
pub use integrator::*;
pub use lagrangian::*;
pub use look::*;
pub use motion::*;
pub use plate::*;
pub use table::*;

/// A whole model file.
#[derive(Clone, Debug)]
pub struct Model {
    /// What it was resolved from.
    pub origin: Arc<ParametricModel>,
    /// Name and text of the file; spans refer to it.
    pub source: Source,
    /// The other files that were read: tables, meshes, energy models and components.
    pub files: Vec<InputFile>,
    /// Title of the model; the file's name if it gives none.
    pub name: String,
    /// What the model shows.
    pub description: Option<String>,
    /// Acceleration of gravity, world axes.
    pub gravity: Vec3,
    /// The plane of a planar model.
    pub plane: Option<Plane>,
    /// The turning frame that everything is described in.
    pub turning: Option<Turning>,
    /// Parameters with their values, overrides applied.
    pub parameters: Vec<ParameterSpec>,
    /// Rigid bodies and points, then the nodes of beams, then the frames of flexible bodies, then the nodes
    /// of plates.
    pub bodies: Vec<BodySpec>,
    /// Beams.
    pub beams: Vec<BeamSpec>,
    /// Flexible bodies.
    pub flexible: Vec<FlexibleSpec>,
    /// Plates and shells.
    pub plates: Vec<PlateSpec>,
    /// Frames on bodies.
    pub markers: Vec<MarkerSpec>,
    /// Joints.
    pub joints: Vec<JointSpec>,
    /// Linear relations between joint coordinates.
    pub couplings: Vec<CouplingSpec>,
    /// Imposed motions.
    pub drives: Vec<DriveSpec>,
    /// Constraints given by equations.
    pub constraints: Vec<ConstraintSpec>,
    /// First-order equations beside the mechanics.
    pub equations: Vec<EquationsSpec>,
    /// Tables that expressions use as functions.
    pub tables: Vec<TableSpec>,
    /// Loads and compliant elements.
    pub forces: Vec<ForceSpec>,
    /// What to compute: the study at hand.
    pub study: Option<Arc<dyn StudyRequest>>,
    /// The name of that study in the file, if it has one.
    pub study_name: Option<String>,
    /// Its place among the studies of the file.
    pub(crate) study_index: usize,
    /// The state it starts from.
    pub initial: InitialSpec,
    /// Where the file says so.
    pub initial_place: Option<Span>,
    /// Names of what it leaves out.
    pub off: Vec<String>,
    /// Times at which its whole state is kept, beside the end.
    pub keep: Vec<f64>,
    /// What happens during a motion.
    pub events: Vec<EventSpec>,
    /// What to record.
    pub signals: Vec<SignalSpec>,
    /// What to check.
    pub expects: Vec<ExpectSpec>,
    /// What things look like.
    pub looks: Looks,
    /// What a program adds.
    pub additions: Vec<Addition>,
    /// Warnings that other values of its parameters raise during a study.
    pub raised: Raised,
}

impl Model {
    /// The request of its study, if it is of this kind.
    pub fn study_of<R: StudyRequest>(&self) -> Option<&R> {
        self.study.as_deref()?.of()
    }

    /// The motion that it asks for, if it does.
    pub fn motion(&self) -> Option<&MotionSpec> {
        self.study_of()
    }

    /// Changes the motion that it asks for, if it does.
    pub fn change_motion(&mut self, change: impl FnOnce(&mut MotionSpec)) {
        if let Some(motion) = self.motion() {
            let mut motion = motion.clone();
            change(&mut motion);
            self.study = Some(Arc::new(motion));
        }
    }

    /// The same model with another study.
    pub fn with_study(self, study: impl StudyRequest) -> Self {
        Model { study: Some(Arc::new(study)), ..self }
    }

    /// The same model with a study that starts from a state, which comes from there.
    pub fn starting_from(self, state: Arc<NamedState>, from: impl Into<String>) -> Self {
        Model { initial: InitialSpec::Given { state, from: from.into() }, ..self }
    }

    /// When its study starts, or the time 0.
    pub fn start(&self) -> f64 {
        self.study.as_ref().map_or(0.0, |study| study.start())
    }

    /// Pose of a body at the start.
    pub fn pose(&self, body: BodyRef) -> Pose {
        match body {
            BodyRef::Ground => Pose::identity(),
            BodyRef::Body(index) => self.bodies[index].pose(),
        }
    }
}

/// A named number.
#[derive(Clone, Debug, PartialEq)]
pub struct ParameterSpec {
    /// Its name.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// True if the value was set from outside the file.
    pub overridden: bool,
    /// Place of the name.
    pub span: Span,
}

/// The ground or one of [`Model::bodies`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BodyRef {
    /// The fixed world.
    Ground,
    /// Index into [`Model::bodies`].
    Body(usize),
}

/// A body.
#[derive(Clone, Debug, PartialEq)]
pub struct BodySpec {
    /// Its name.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// What it is.
    pub kind: BodyKind,
}

impl BodySpec {
    /// Pose at the start; a point has the axes of the world.
    pub fn pose(&self) -> Pose {
        match &self.kind {
            BodyKind::Rigid(rigid) => rigid.pose,
            BodyKind::Point(point) => Pose::translation(point.position),
            BodyKind::PlateNode(node) => Pose::translation(node.position),
            BodyKind::BeamNode(node) | BodyKind::FloatingFrame(node) | BodyKind::Interface(node) => node.pose,
            BodyKind::CableNode(cable) if cable.is_framed => cable.node.pose,
            BodyKind::CableNode(cable) => Pose::translation(cable.node.pose.r),
        }
    }

    /// Pose at the start with the axes of the line, of a node of a beam that may be a point.
    pub fn line_pose(&self) -> Pose {
        match &self.kind {
            BodyKind::CableNode(cable) => cable.node.pose,
            _ => self.pose(),
        }
    }

    /// True for a point mass, and for what else has no orientation: a node of a plate, or of a line that
    /// nothing holds.
    pub fn is_point(&self) -> bool {
        match &self.kind {
            BodyKind::Point(_) | BodyKind::PlateNode(_) => true,
            BodyKind::CableNode(cable) => !cable.is_framed,
            _ => false,
        }
    }
}

/// The kinds of bodies.
#[derive(Clone, Debug, PartialEq)]
pub enum BodyKind {
    /// A rigid body.
    Rigid(RigidSpec),
    /// A point mass.
    Point(PointSpec),
    /// A node of a beam.
    BeamNode(BeamNodeSpec),
    /// A node of a line with slopes.
    CableNode(CableNodeSpec),
    /// The floating frame of a flexible body.
    FloatingFrame(BeamNodeSpec),
    /// A point of a flexible body at which other things hold it.
    Interface(BeamNodeSpec),
    /// A node of a plate.
    PlateNode(PlateNodeSpec),
}

/// A rigid body.
#[derive(Clone, Debug, PartialEq)]
pub struct RigidSpec {
    /// Mass, centre of mass and inertia, or the solids they follow from.
    pub mass: MassSpec,
    /// Pose of the body frame at the start.
    pub pose: Pose,
    /// Velocity of the origin at the start, world axes.
    pub velocity: Vec3,
    /// Angular velocity at the start, world axes.
    pub angular_velocity: Vec3,
}

/// A point mass.
#[derive(Clone, Debug, PartialEq)]
pub struct PointSpec {
    /// Its mass.
    pub mass: f64,
    /// Position at the start.
    pub position: Vec3,
    /// Velocity at the start.
    pub velocity: Vec3,
}

/// Where a rigid body's mass properties come from.
#[derive(Clone, Debug, PartialEq)]
pub enum MassSpec {
    /// Given as numbers.
    Given {
        /// Mass.
        mass: f64,
        /// Centre of mass from the body's origin, body axes.
        centre_of_mass: Vec3,
        /// Inertia about the centre of mass, body axes.
        inertia: Mat3,
    },
    /// The sum of solids.
    Shapes(Vec<ShapeSpec>),
}

/// A homogeneous solid placed in a body.
#[derive(Clone, Debug, PartialEq)]
pub struct ShapeSpec {
    /// The geometry.
    pub solid: Solid,
    /// How much it weighs.
    pub amount: Amount,
    /// Pose of the solid's frame in body axes.
    pub pose: Pose,
    /// Place of its table.
    pub span: Span,
}

/// Density or mass of a solid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Amount {
    /// Density, kg/m³.
    Density(f64),
    /// Mass, kg.
    Mass(f64),
}

/// The geometry of a solid; lengths in metres.
#[derive(Clone, Debug, PartialEq)]
pub enum Solid {
    /// Given by its dimensions.
    Shape(Shape),
    /// A closed triangle mesh.
    Mesh(Arc<TriangleMesh>),
}

/// A frame on a body.
#[derive(Clone, Debug, PartialEq)]
pub struct MarkerSpec {
    /// Its name.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// The body that carries it.
    pub body: BodyRef,
    /// Pose in body axes.
    pub pose: Pose,
}

/// A place along the line of a beam, between nodes or at one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinePlace {
    /// The beam: index into [`Model::beams`].
    pub beam: usize,
    /// Where on it.
    pub at: BeamPlace,
}

/// One end of a joint or force: a frame on a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EndSpec {
    /// The body.
    pub body: BodyRef,
    /// The frame in body axes; its z axis is the joint axis of this end.
    pub frame: Pose,
    /// The marker that gave the frame, if one did: index into [`Model::markers`].
    pub marker: Option<usize>,
    /// The place along a line that it is, if it is one; the body is then the node next to it, and the frame
    /// has its point as modelled. Only forces have such ends.
    pub line: Option<LinePlace>,
}

/// An expression of quantities of the running system.
#[derive(Clone, Debug)]
pub struct Formula {
    /// Its text.
    pub text: String,
    /// Place of the string.
    pub span: Span,
    /// The parsed expression; names of study results have letters in place of leading digits.
    pub expr: Expr,
    /// The names in it that stand for the quantities.
    pub arguments: Vec<String>,
    /// The quantities it uses; variables of `program` in this order.
    pub quantities: Vec<Quantity>,
    /// The program over the quantities, parameters inserted.
    pub program: Program,
}

/// A quantity to record.
#[derive(Clone, Debug)]
pub struct SignalSpec {
    /// Its name.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// Its unit, given or that of its single quantity.
    pub unit: Option<String>,
    /// What it is.
    pub description: Option<String>,
    /// Its value; `Quantity::Signal` refers to earlier signals only.
    pub formula: Formula,
}

/// A value the results must show.
#[derive(Clone, Debug)]
pub struct ExpectSpec {
    /// What is checked; a bare signal name becomes `Quantity::Signal`.
    pub formula: Formula,
    /// When; `None` is the end of the study. In a path study a value of `when`.
    pub at: Option<f64>,
    /// In a path study the signal that `at` is a value of; `None` is the parameter.
    pub when: Option<usize>,
    /// In a path study the branch, from 0.
    pub branch: usize,
    /// The expected value.
    pub value: f64,
    /// How near it must be.
    pub tolerance: Tolerance,
    /// Where the value comes from.
    pub source: Option<String>,
    /// Place of the table's header.
    pub span: Span,
}

/// How near a value must be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Tolerance {
    /// Greatest difference.
    Absolute(f64),
    /// Greatest difference divided by the expected value.
    Relative(f64),
}

impl Tolerance {
    /// The greatest allowed difference from `expected`.
    pub fn bound(self, expected: f64) -> f64 {
        match self {
            Tolerance::Absolute(bound) => bound,
            Tolerance::Relative(ratio) => ratio * expected.abs(),
        }
    }
}
