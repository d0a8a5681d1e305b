//! By which steps a periodic motion is made.

use crate::periodic::shooting::Shooting;
use poinsot_integrators::{
    CollocationPoints, ConstraintPoints, ElementMap, Method, Scheme, StepFailure, StepMap,
};
use poinsot_mechanics::System;

/// Harmonics at first where their number is free.
const HARMONICS: usize = 8;
/// Rounding of the derivative of a step by differences.
const DIFFERENCES: f64 = 1e-12;
/// Rounding of an exact derivative.
const EXACT: f64 = 1e-14;

/// By which steps a periodic motion is made.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PeriodicScheme {
    /// The steps of an integrator, so many in each element.
    Shooting {
        /// The integrator.
        method: Method,
        /// Its steps in an element.
        steps: usize,
    },
    /// Discontinuous time elements of a degree, constraints at right Radau points
    /// (motion-interpolation-galerkin §1.18).
    Discontinuous {
        /// Degree, 1 … `MAX_ELEMENT_DEGREE`.
        degree: usize,
    },
    /// Continuous Galerkin elements of degree one (motion-interpolation-galerkin §1.17): for motions; their
    /// multipliers hold only up to [`PeriodicScheme::fastest`].
    Continuous,
    /// Collocation at points of each element, fields of one degree more through the state before
    /// (motion-interpolation-galerkin §1.15).
    Collocation {
        /// Points of an element, 1 … `MAX_COLLOCATION_POINTS`.
        points: usize,
        /// Where they are.
        at: CollocationPoints,
    },
    /// Harmonics of the whole period.
    Spectral(Spectral),
}

/// A motion of harmonics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spectral {
    /// Their number; it follows the tolerance where it is not given.
    pub harmonics: Option<usize>,
    /// Times beside those that the harmonics need, as a factor: harmonic balance. Without it the equations
    /// hold at as many times: Fourier collocation.
    pub oversampling: Option<f64>,
}

impl Spectral {
    /// The number of harmonics that is tried first.
    pub fn first(&self) -> usize {
        self.harmonics.unwrap_or(HARMONICS)
    }

    /// The number of times for so many harmonics, an odd one.
    pub fn times(&self, harmonics: usize) -> usize {
        let least = 2 * harmonics + 1;
        match self.oversampling {
            None => least,
            Some(factor) => ((factor * least as f64).ceil() as usize) | 1,
        }
    }
}

impl PeriodicScheme {
    /// The map of a step; the rate (rad/s) is typical of the motion.
    pub fn map<'s>(&self, system: &'s System, rate: f64) -> Result<Box<dyn StepMap + 's>, StepFailure> {
        Ok(match *self {
            PeriodicScheme::Shooting { method, steps } => {
                Box::new(Shooting::new(system, method, steps, rate))
            }
            PeriodicScheme::Discontinuous { degree } => {
                Box::new(ElementMap::new(system, Scheme::new(degree, ConstraintPoints::Radau))?)
            }
            PeriodicScheme::Continuous => Box::new(ElementMap::new(system, Scheme::continuous())?),
            PeriodicScheme::Collocation { points, at } => {
                Box::new(ElementMap::new(system, Scheme::collocation(points, at))?)
            }
            PeriodicScheme::Spectral(_) => {
                return Err(StepFailure::refused(
                    0.0,
                    "harmonics of a whole period have no steps",
                    "take time elements",
                ));
            }
        })
    }

    /// Rounding of the derivative of one step: that of differences is larger.
    pub fn rounding(&self) -> f64 {
        match self {
            PeriodicScheme::Shooting { .. } => DIFFERENCES,
            _ => EXACT,
        }
    }

    /// The largest product of a frequency and the length of an element for which multipliers mean anything
    /// (motion-interpolation-galerkin §1.17): cos θ = (1 − y²/3)/(1 + y²/6) of continuous elements leaves −1
    /// … 1 beyond y = 2√3.
    pub fn fastest(&self) -> Option<f64> {
        matches!(self, PeriodicScheme::Continuous).then_some(2.0 * 3f64.sqrt())
    }

    /// The order p: errors at the bounds of elements go with h^p.
    pub fn order(&self, system: &System) -> usize {
        match self {
            PeriodicScheme::Shooting { method, .. } => method.order_in(system),
            PeriodicScheme::Discontinuous { degree } => 2 * degree + 1,
            PeriodicScheme::Continuous => 2,
            PeriodicScheme::Collocation { points, at: CollocationPoints::Gauss } => 2 * points,
            PeriodicScheme::Collocation { points, at: CollocationPoints::Radau } => 2 * points - 1,
            PeriodicScheme::Spectral(spectral) => 2 * spectral.harmonics.unwrap_or(1),
        }
    }
}
