//! Studies.

use super::{About, Axis, IntegratorSpec, Kinks, MatrixFormat, Side};
use crate::diagnostic::Span;
use crate::spec::BodyRef;
use poinsot_integrators::{BdfSettings, ExplicitSettings, ImplicitSettings, Method, Tolerance};
use poinsot_mechanics::System;

/// What to compute and how.
#[derive(Clone, Debug, PartialEq)]
pub enum StudySpec {
    /// Motion under loads.
    Motion(MotionSpec),
    /// Motion that constraints and drives alone determine.
    Kinematics(KinematicsSpec),
    /// The position at rest.
    Equilibrium(EquilibriumSpec),
    /// Small free motions.
    Modes(ModesSpec),
    /// The linear system of small motions.
    Linearize(LinearizeSpec),
    /// Equilibria along a parameter.
    Path(PathSpec),
    /// Critical values of a parameter.
    Buckling(BucklingSpec),
    /// Modes as functions of a parameter.
    Campbell(CampbellSpec),
}

impl StudySpec {
    /// Its word in the file.
    pub fn word(&self) -> &'static str {
        match self {
            StudySpec::Motion(_) => "motion",
            StudySpec::Kinematics(_) => "kinematics",
            StudySpec::Equilibrium(_) => "equilibrium",
            StudySpec::Modes(_) => "modes",
            StudySpec::Linearize(_) => "linearize",
            StudySpec::Path(_) => "path",
            StudySpec::Buckling(_) => "buckling",
            StudySpec::Campbell(_) => "campbell",
        }
    }

    /// The motion study, if it is one.
    pub fn motion(&self) -> Option<&MotionSpec> {
        match self {
            StudySpec::Motion(motion) => Some(motion),
            _ => None,
        }
    }

    /// The motion study, if it is one, to change it.
    pub fn motion_mut(&mut self) -> Option<&mut MotionSpec> {
        match self {
            StudySpec::Motion(motion) => Some(motion),
            _ => None,
        }
    }

    /// Place of the table's header.
    pub fn span(&self) -> &Span {
        match self {
            StudySpec::Motion(study) => &study.span,
            StudySpec::Kinematics(study) => &study.span,
            StudySpec::Equilibrium(study) => &study.span,
            StudySpec::Modes(study) => &study.span,
            StudySpec::Linearize(study) => &study.span,
            StudySpec::Path(study) => &study.span,
            StudySpec::Buckling(study) => &study.span,
            StudySpec::Campbell(study) => &study.span,
        }
    }

    /// Time of the start, or the only time there is.
    pub fn start(&self) -> f64 {
        match self {
            StudySpec::Motion(study) => study.start,
            StudySpec::Kinematics(study) => study.start,
            StudySpec::Equilibrium(study) => study.time,
            StudySpec::Modes(study) => study.time,
            StudySpec::Linearize(study) => study.time,
            StudySpec::Path(study) => study.time,
            StudySpec::Buckling(study) => study.time,
            StudySpec::Campbell(study) => study.time,
        }
    }

    /// Start and end of a study along time.
    pub fn times(&self) -> Option<(f64, f64)> {
        match self {
            StudySpec::Motion(study) => Some((study.start, study.end)),
            StudySpec::Kinematics(study) => Some((study.start, study.end)),
            _ => None,
        }
    }
}

/// Motion from constraints and drives alone.
#[derive(Clone, Debug, PartialEq)]
pub struct KinematicsSpec {
    /// Start time.
    pub start: f64,
    /// End time.
    pub end: f64,
    /// Time between the positions.
    pub step: f64,
    /// Time between recorded rows, if given.
    pub output_step: Option<f64>,
    /// Place of the table's header.
    pub span: Span,
}

/// The position at rest under the loads.
#[derive(Clone, Debug, PartialEq)]
pub struct EquilibriumSpec {
    /// Time at which loads and drives are taken.
    pub time: f64,
    /// Relative tolerance.
    pub tolerance: f64,
    /// Most steps in which the loads are brought up, where Newton's method under the full load fails.
    pub load_steps: usize,
    /// Most iterations under the full load and for each load step.
    pub max_iterations: usize,
    /// Place of the table's header.
    pub span: Span,
}

impl EquilibriumSpec {
    /// The search at a time with the defaults of the file format.
    pub fn at(time: f64) -> Self {
        EquilibriumSpec { time, tolerance: 1e-10, load_steps: 60, max_iterations: 60, span: 0..0 }
    }
}

/// Small free motions about a state.
#[derive(Clone, Debug, PartialEq)]
pub struct ModesSpec {
    /// The state.
    pub about: About,
    /// Number of modes.
    pub count: usize,
    /// Time at which loads and drives are taken.
    pub time: f64,
    /// The body in whose frame the state is at rest.
    pub observer: BodyRef,
    /// Place of the table's header.
    pub span: Span,
}

impl ModesSpec {
    /// The lowest modes about the equilibrium at a time, with the defaults of the file format.
    pub fn at(time: f64) -> Self {
        ModesSpec { about: About::Equilibrium, count: 10, time, observer: BodyRef::Ground, span: 0..0 }
    }
}

/// Modes as functions of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct CampbellSpec {
    /// Name of the parameter.
    pub parameter: String,
    /// Its first and last value, the last one larger.
    pub range: [f64; 2],
    /// Number of values, at least two.
    pub points: usize,
    /// Number of modes.
    pub count: usize,
    /// Engine orders, all positive.
    pub orders: Vec<f64>,
    /// Name of the parameter that is the speed of rotation.
    pub speed: String,
    /// The state.
    pub about: About,
    /// Time at which loads and drives are taken.
    pub time: f64,
    /// The body in whose frame the state is at rest.
    pub observer: BodyRef,
    /// Place of the table's header.
    pub span: Span,
}

impl CampbellSpec {
    /// A parameter over a range, with the defaults of the file format.
    pub fn over(parameter: &str, range: [f64; 2], time: f64) -> Self {
        CampbellSpec {
            parameter: parameter.to_owned(),
            range,
            points: 41,
            count: 6,
            orders: vec![],
            speed: parameter.to_owned(),
            about: About::Equilibrium,
            time,
            observer: BodyRef::Ground,
            span: 0..0,
        }
    }
}

/// The linear system x' = A x + B u, y = C x + D u of small motions about a state.
#[derive(Clone, Debug, PartialEq)]
pub struct LinearizeSpec {
    /// The state.
    pub about: About,
    /// Time at which loads and drives are taken.
    pub time: f64,
    /// The body in whose frame the state is at rest.
    pub observer: BodyRef,
    /// The inputs u.
    pub inputs: Vec<InputSpec>,
    /// The outputs y: indices into [`Model::signals`](crate::Model::signals).
    pub outputs: Vec<usize>,
    /// Files to write.
    pub formats: Vec<MatrixFormat>,
    /// Place of the table's header.
    pub span: Span,
}

impl LinearizeSpec {
    /// The system about the equilibrium at a time, with the first signals as outputs and no inputs, and the
    /// defaults of the file format.
    pub fn at(time: f64, signals: usize) -> Self {
        LinearizeSpec {
            about: About::Equilibrium,
            time,
            observer: BodyRef::Ground,
            inputs: vec![],
            outputs: (0..signals).collect(),
            formats: vec![MatrixFormat::Json, MatrixFormat::Npz, MatrixFormat::Mat],
            span: 0..0,
        }
    }
}

/// Equilibria along a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct PathSpec {
    /// Name of the parameter.
    pub parameter: String,
    /// Its value at the start; `None` is that of the parameter itself.
    pub from: Option<f64>,
    /// Value towards which the path sets out.
    pub to: f64,
    /// Range of the parameter, if given.
    pub range: Option<[f64; 2]>,
    /// Index into [`Model::signals`](crate::Model::signals) of the signal that the parameter is plotted
    /// against, if given.
    pub signal: Option<usize>,
    /// Range of that signal, if given.
    pub signal_range: Option<[f64; 2]>,
    /// First step.
    pub step: f64,
    /// Longest step.
    pub longest: f64,
    /// Shortest step.
    pub shortest: f64,
    /// Most points of each branch.
    pub points: usize,
    /// Whether crossing paths are followed.
    pub branches: bool,
    /// Time at which loads and drives are taken.
    pub time: f64,
    /// Size of a correction at which a point counts as found.
    pub tolerance: f64,
    /// Place of the table's header.
    pub span: Span,
}

impl PathSpec {
    /// The path of a parameter to a value at a time, with the defaults of the file format.
    pub fn to(parameter: &str, to: f64, time: f64) -> Self {
        PathSpec {
            parameter: parameter.into(),
            from: None,
            to,
            range: None,
            signal: None,
            signal_range: None,
            step: 0.02,
            longest: 0.1,
            shortest: 1e-7,
            points: 500,
            branches: true,
            time,
            tolerance: 1e-8,
            span: 0..0,
        }
    }
}

/// Critical values of a parameter, linearised about an equilibrium.
#[derive(Clone, Debug, PartialEq)]
pub struct BucklingSpec {
    /// Name of the parameter.
    pub parameter: String,
    /// Its value at the state that buckles; `None` is that of the parameter itself.
    pub at: Option<f64>,
    /// Number of critical values.
    pub count: usize,
    /// The side on which they are sought.
    pub side: Side,
    /// Time at which loads and drives are taken.
    pub time: f64,
    /// Place of the table's header.
    pub span: Span,
}

impl BucklingSpec {
    /// The critical values of a parameter at a time, with the defaults of the file format.
    pub fn of(parameter: &str, time: f64) -> Self {
        BucklingSpec { parameter: parameter.into(), at: None, count: 4, side: Side::Up, time, span: 0..0 }
    }
}

/// An input of a linear system.
#[derive(Clone, Debug, PartialEq)]
pub struct InputSpec {
    /// Its name in the file.
    pub name: String,
    /// What it is.
    pub kind: InputKind,
}

/// What an input of a linear system is.
#[derive(Clone, Debug, PartialEq)]
pub enum InputKind {
    /// An addition to a force.
    Force {
        /// Index into [`Model::forces`](crate::Model::forces).
        force: usize,
        /// Component of a force or torque; `None` for a spring's tension or a torsion spring's torque.
        component: Option<Axis>,
    },
    /// An addition to a variable that an algebraic equation determines.
    Variable {
        /// Index into [`Model::equations`](crate::Model::equations).
        equations: usize,
        /// Index of the variable in the block.
        index: usize,
    },
    /// A change of the parameter of this name.
    Parameter(String),
}

/// Motion under loads: how to integrate it.
#[derive(Clone, Debug, PartialEq)]
pub struct MotionSpec {
    /// Start time.
    pub start: f64,
    /// End time.
    pub end: f64,
    /// The integrator.
    pub integrator: IntegratorSpec,
    /// How the time goes on.
    pub pace: PaceSpec,
    /// Tolerance of the local error, if given; with fixed steps it bounds what Newton's iteration leaves over
    /// in implicit Runge–Kutta methods.
    pub tolerance: Option<Tolerance>,
    /// Tolerances of single bodies.
    pub tolerances: Vec<ToleranceSpec>,
    /// What adaptive steps do about kinks of piecewise laws in the state.
    pub kinks: Kinks,
    /// Time between recorded rows, if given.
    pub output_step: Option<f64>,
    /// Times at which adaptive steps end and the integrator starts anew, beside those that the laws
    /// themselves tell.
    pub stops: Vec<f64>,
    /// Most steps, if they are limited.
    pub max_steps: Option<usize>,
    /// Place of the table's header.
    pub span: Span,
}

/// How the time goes on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PaceSpec {
    /// In steps of one length.
    Fixed {
        /// Step.
        step: f64,
    },
    /// In steps as long as the tolerance allows.
    Adaptive {
        /// First step, if given.
        first: Option<f64>,
        /// Longest step, if given.
        longest: Option<f64>,
    },
}

/// The tolerance of a part of the system.
#[derive(Clone, Debug, PartialEq)]
pub struct ToleranceSpec {
    /// What it is for.
    pub of: ToleranceOf,
    /// The tolerance.
    pub tolerance: Tolerance,
}

/// What has a tolerance of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToleranceOf {
    /// Position, orientation and velocities of a body: index into [`Model::bodies`](crate::Model::bodies).
    Body(usize),
    /// A variable of first-order equations.
    Variable {
        /// Index into [`Model::equations`](crate::Model::equations).
        equations: usize,
        /// Index of the variable in the block.
        index: usize,
    },
}

/// Tolerances where none are given: of adaptive steps, and of what Newton's iteration may leave over in fixed
/// ones.
const TOLERANCES: (f64, f64) = (1e-6, 1e-8);

impl MotionSpec {
    /// A study from 0 to `end` with the defaults of the file format.
    pub fn new(end: f64, step: f64) -> Self {
        MotionSpec {
            start: 0.0,
            end,
            integrator: IntegratorSpec::default(),
            pace: PaceSpec::Fixed { step },
            tolerance: None,
            tolerances: vec![],
            kinks: Kinks::Locate,
            output_step: None,
            stops: vec![],
            max_steps: None,
            span: 0..0,
        }
    }

    /// The step, if it is fixed.
    pub fn step(&self) -> Option<f64> {
        match self.pace {
            PaceSpec::Fixed { step } => Some(step),
            PaceSpec::Adaptive { .. } => None,
        }
    }

    /// The tolerance of the local error, given or by default.
    pub fn local_tolerance(&self) -> Tolerance {
        let (adaptive, fixed) = TOLERANCES;
        let default = if self.step().is_some() { fixed } else { adaptive };
        self.tolerance.unwrap_or(Tolerance::both(default))
    }

    /// The integrator with its settings.
    pub fn method(&self) -> Method {
        match self.integrator.method {
            Method::Implicit(settings) => {
                let estimate = self.step().is_none();
                Method::Implicit(ImplicitSettings { tolerance: self.local_tolerance(), estimate, ..settings })
            }
            Method::Bdf(settings) => {
                Method::Bdf(BdfSettings { tolerance: self.local_tolerance(), ..settings })
            }
            Method::Explicit(settings) => {
                Method::Explicit(ExplicitSettings { tolerance: self.local_tolerance(), ..settings })
            }
            method => method,
        }
    }

    /// Chooses the highest order of backward differences where none is given. At fixed steps those above the
    /// second let vibrations without damping grow, and a beam has some at every step: their stability regions
    /// miss a part of the imaginary axis.
    pub fn settle_order(&mut self, has_beams: bool) {
        let vibrates = has_beams && self.step().is_some();
        let chosen =
            self.integrator.order.unwrap_or(if vibrates { 2 } else { BdfSettings::default().max_order });
        if let Method::Bdf(settings) = &mut self.integrator.method {
            settings.max_order = chosen;
        }
    }

    /// The method for a model.
    pub(crate) fn method_for(&self, system: &System) -> Method {
        match (self.method(), self.step()) {
            (Method::Conserving(settings), Some(step)) => {
                self.integrator.conserving_settings(settings, system, step).into()
            }
            (method, _) => method,
        }
    }
}
