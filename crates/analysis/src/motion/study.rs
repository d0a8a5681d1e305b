//! What is to be integrated, and how time goes on.

use super::kinks::Kinks;
use super::report::MotionReport;
use poinsot_expr::TimeLaw;
use poinsot_integrators::{Method, Tolerance};

/// How the time goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum Pace {
    /// In steps of one length.
    Fixed {
        /// Step (s).
        step: f64,
        /// A sample is taken every so many steps.
        stride: usize,
    },
    /// In steps as long as the tolerance allows.
    Adaptive {
        /// Tolerance of the local error.
        tolerance: Tolerance,
        /// First step (s); without it the study finds one.
        first: Option<f64>,
        /// Longest step (s).
        longest: Option<f64>,
        /// Time between samples (s); without it every step is one.
        every: Option<f64>,
    },
}

/// What is to be integrated and when it is to be looked at.
#[derive(Clone, Debug)]
pub struct MotionStudy {
    /// End time (s).
    pub end: f64,
    /// Steps and samples.
    pub pace: Pace,
    /// Times at which a sample is taken exactly.
    pub times: Vec<f64>,
    /// The integrator; settings of GS4 turn into one with `into()`.
    pub method: Method,
    /// Times at which a law has a kink or a jump, in order: steps end there, and the integrator starts anew.
    /// Breaks at the very start and end count too.
    pub kinks: Vec<f64>,
    /// Explicit functions of time in the laws: an adaptive step is not so long that it could miss a turn of
    /// one.
    pub laws: Vec<TimeLaw>,
    /// What adaptive steps do about other kinks, those of piecewise laws of the state.
    pub state_kinks: Kinks,
    /// Tolerances of single nodes and variables: a range of equation numbers each.
    pub tolerances: Vec<(std::ops::Range<usize>, Tolerance)>,
    /// A checkpoint is made after so many steps; there the integrator starts anew from the state alone, so
    /// that a run that is taken up again is the same to the last bit.
    pub checkpoint: Option<usize>,
    /// The motion ends where it would need more steps than these.
    pub max_steps: Option<usize>,
}

impl MotionStudy {
    fn new(end: f64, pace: Pace, method: Method) -> Self {
        MotionStudy {
            end,
            pace,
            times: vec![],
            kinks: vec![],
            laws: vec![],
            state_kinks: Kinks::default(),
            method,
            tolerances: vec![],
            checkpoint: None,
            max_steps: None,
        }
    }

    /// A study with fixed steps.
    pub fn fixed(end: f64, step: f64, stride: usize, method: impl Into<Method>) -> Self {
        let pace = Pace::Fixed { step, stride };
        Self::new(end, pace, method.into())
    }

    /// A study with adaptive steps, sampled at every step.
    pub fn adaptive(end: f64, tolerance: Tolerance, method: impl Into<Method>) -> Self {
        let pace = Pace::Adaptive { tolerance, first: None, longest: None, every: None };
        Self::new(end, pace, method.into())
    }

    /// The step, or a usual one where steps are adaptive.
    pub fn typical_step(&self, report: &MotionReport) -> f64 {
        match self.pace {
            Pace::Fixed { step, .. } => step,
            // Where the first step already fails it would have been at most the whole study.
            Pace::Adaptive { .. } if report.state.t == report.start_time => self.end - report.start_time,
            Pace::Adaptive { .. } => {
                (report.state.t - report.start_time) / report.counters.steps.max(1) as f64
            }
        }
    }
}
