//! Motion under loads. Energy models ask for it too, so that its request lies here.

use super::{IntegratorSpec, Kinks};
use crate::diagnostic::Span;
use crate::study::StudyRequest;
use poinsot_integrators::{Method, Tolerance};
use poinsot_mechanics::System;

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
    /// The word of a motion study.
    pub const WORD: &'static str = "motion";

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
        let mut method = self.integrator.method;
        method.set_local_tolerance(self.local_tolerance(), self.step().is_none());
        method
    }

    /// Lets the integrator choose what was not given and depends on the study.
    pub fn settle(&mut self, has_beams: bool) {
        let vibrates = has_beams && self.step().is_some();
        let IntegratorSpec { method, given, .. } = &mut self.integrator;
        method.settle(given, vibrates);
    }

    /// The method for a model.
    pub fn method_for(&self, system: &System) -> Method {
        let mut method = self.method();
        method.fit(&self.integrator.given, system, self.step());
        method
    }
}

impl StudyRequest for MotionSpec {
    fn word(&self) -> &'static str {
        Self::WORD
    }
    fn span(&self) -> &Span {
        &self.span
    }
    fn start(&self) -> f64 {
        self.start
    }
    fn times(&self) -> Option<(f64, f64)> {
        Some((self.start, self.end))
    }
}
