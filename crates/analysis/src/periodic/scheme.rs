//! By which steps a periodic motion is made.

use crate::periodic::shooting::Shooting;
use poinsot_integrators::{Method, StepMap};
use poinsot_mechanics::System;

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
}

impl PeriodicScheme {
    /// The map of a step; the rate (rad/s) is typical of the motion.
    pub fn map<'s>(&self, system: &'s System, rate: f64) -> Box<dyn StepMap + 's> {
        match *self {
            PeriodicScheme::Shooting { method, steps } => {
                Box::new(Shooting::new(system, method, steps, rate))
            }
        }
    }

    /// The order p: errors at the bounds of elements go with h^p.
    pub fn order(&self, system: &System) -> usize {
        match self {
            PeriodicScheme::Shooting { method, .. } => method.order_in(system),
        }
    }
}
