//! Why there is no periodic motion.

use crate::fourier_orbit::FourierOrbitError;
use crate::periodic_linear::PeriodicLinearError;
use poinsot_integrators::StepFailure;
use poinsot_numerics::dense::DenseError;
use poinsot_numerics::hill::HillError;
use thiserror::Error;

/// Why there is no periodic motion.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PeriodicError {
    /// A step could not be taken.
    #[error("{0}")]
    Step(#[from] StepFailure),
    /// The equations are singular.
    #[error("the equations are singular at t = {t:.6} s: {equation}")]
    Singular {
        /// When.
        t: f64,
        /// The equation.
        equation: String,
    },
    /// Accelerations that are no numbers.
    #[error("{equation} has no finite value at t = {t:.6} s")]
    NotFinite {
        /// When.
        t: f64,
        /// The equation.
        equation: String,
    },
    /// A row depends on others on the way.
    #[error(
        "{equation} depends on the other constraints at t = {t:.6} s: the motion passes a singular position"
    )]
    Dependent {
        /// When.
        t: f64,
        /// The row.
        equation: String,
    },
    /// Newton's method does not close the motion.
    #[error(
        "the motion does not close: after {iterations} corrections the steps leave {gap:.3e} open, most at t = {t:.6} s in {equation}{free}"
    )]
    Open {
        /// Corrections.
        iterations: usize,
        /// Largest gap, in units of the states.
        gap: f64,
        /// Where it is.
        t: f64,
        /// The unknown.
        equation: String,
        /// What is said of free directions.
        free: String,
    },
    /// The corrections lead to an equilibrium.
    #[error("the corrections lead to a state of rest: nothing moves there, and it has no period")]
    Rest,
    /// The unknown period has left all bounds.
    #[error("the unknown period has become {period:.3e} s: there is no such motion near the start")]
    Period {
        /// The period.
        period: f64,
    },
    /// A period that is said to be unknown of a model that time drives.
    #[error("the period cannot be unknown: the model depends on time (seen in {by})")]
    Driven {
        /// Where time is seen.
        by: String,
    },
    /// The model after a period is another one.
    #[error(
        "the model does not repeat itself after the period of {period} s: at t = {t:.6} s and a period later {what} differs by {share:.1e} of its size"
    )]
    NotPeriodic {
        /// The period.
        period: f64,
        /// When.
        t: f64,
        /// What differs.
        what: String,
        /// By how much.
        share: f64,
    },
    /// The largest multipliers were not found.
    #[error("the largest multipliers were not found: {reason}")]
    Leading {
        /// Why.
        reason: String,
    },
    /// No motion by harmonics.
    #[error("{0}")]
    Fourier(FourierOrbitError),
    /// No linearised motion by harmonics.
    #[error("{0}")]
    Linear(#[from] PeriodicLinearError),
    /// No exponents by harmonics.
    #[error("{0}")]
    Hill(#[from] HillError),
    /// Too large a matrix of harmonics.
    #[error(
        "harmonics of small motions have {wanted} unknowns, more than the {most} that a dense matrix is made for"
    )]
    TooLarge {
        /// Unknowns.
        wanted: usize,
        /// The most.
        most: usize,
    },
    /// No oscillating mode of a state of rest.
    #[error("no small motion about the start oscillates: there is no swing to begin with")]
    NoSwing,
    /// A guess that is no course of states.
    #[error("the motion that is to begin with has fewer than three states")]
    NoGuess,
    /// Linear algebra failed.
    #[error("{0}")]
    Dense(#[from] DenseError),
    /// Other turns than were stated.
    #[error("{what} advances by {found} turns in a period, not by {stated}")]
    Turns {
        /// The joint.
        what: String,
        /// Found.
        found: f64,
        /// Stated.
        stated: f64,
    },
}

impl PeriodicError {
    /// What to try.
    pub fn remedy(&self) -> &'static str {
        match self {
            PeriodicError::Step(failure) => failure.remedy,
            PeriodicError::Singular { .. } | PeriodicError::Dependent { .. } => {
                "look at what joints and masses do there"
            }
            PeriodicError::NotFinite { .. } => {
                "look at its expression: a root, a quotient or a logarithm that leaves its range"
            }
            PeriodicError::Open { .. } => {
                "start nearer to the motion: `settle` lets the model run for some periods first, `elements` \
                 makes the steps shorter"
            }
            PeriodicError::Rest => "start from a state that moves, with `settle` or other start values",
            PeriodicError::Period { .. } => {
                "give a better `guess` of the period, or start nearer to the motion"
            }
            PeriodicError::NotPeriodic { .. } => {
                "give the common period of all loads and drives; with two that are in no ratio there is none"
            }
            PeriodicError::Leading { .. } => "ask for fewer or more of them by `count`",
            PeriodicError::Fourier(FourierOrbitError::TooLarge(_)) | PeriodicError::TooLarge { .. } => {
                "take time elements: scheme = \"dg\" or \"shooting\""
            }
            PeriodicError::Fourier(FourierOrbitError::Singular) => {
                "take scheme = \"dg\", which leaves free directions where they are, or hold the model"
            }
            PeriodicError::Fourier(_) | PeriodicError::Hill(_) => {
                "take more harmonics, or start nearer to the motion: `settle` lets the model run for some periods"
            }
            PeriodicError::Linear(PeriodicLinearError::TurnsTooFar(_)) => "take more `harmonics`",
            PeriodicError::Linear(_) => "take time elements: scheme = \"dg\" or \"shooting\"",
            PeriodicError::NoSwing => "begin with from = \"motion\" and a `guess` of the period",
            PeriodicError::NoGuess => "give its states at more times of the period",
            PeriodicError::Driven { .. } => {
                "a motion that time drives has the period of its loads and drives, or a multiple of it: give that"
            }
            PeriodicError::Dense(_) => "take more elements",
            PeriodicError::Turns { .. } => "correct `turns`, or leave it out: turns are counted anyway",
        }
    }
}
