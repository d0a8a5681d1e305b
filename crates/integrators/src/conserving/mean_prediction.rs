//! Predicts a structure-preserving step from the mean velocities of the last ones.
//!
//! Unlike the velocities at the ends of steps, mean velocities are free of the alternating part that
//! constraints leave (energy-momentum-null-space I-06).

use crate::accepted_frames::{LargestTurn, turns};
use crate::gs4::predictor::Predictor;
use poinsot_geometry::Vec3;
use poinsot_mechanics::conserving::{Conserving, ConservingStep};
use poinsot_mechanics::{Chart, State, System, Twist};

/// Mean velocities and multipliers of the last steps.
#[derive(Debug)]
pub(crate) struct MeanPrediction {
    /// Mean velocities (turns in world axes) of the last step, and the middle of it.
    last: (Vec<f64>, f64),
    /// Their rates of change from step to step, extrapolated from those of the last steps.
    rates: Predictor,
    rate: Vec<f64>,
    /// Multipliers, which alternate, in the order of `rows`.
    multipliers: Predictor,
    multiplier: Vec<f64>,
    /// Own equations of the constraint rows, those of rigidity last.
    rows: Vec<usize>,
}

impl MeanPrediction {
    /// At a state, for multipliers of these own equations.
    pub fn new(system: &System, state: &State, rows: Vec<usize>) -> Self {
        let n = system.size();
        MeanPrediction {
            last: (first_mean(system, state), state.t),
            rates: Predictor::new(vec![0.0; n], state.t),
            rate: vec![0.0; n],
            multipliers: Predictor::new(vec![0.0; rows.len()], state.t),
            multiplier: vec![0.0; rows.len()],
            rows,
        }
    }

    /// Multipliers of the last step, those of the constraint rows of the system first.
    pub fn multipliers(&self) -> &[f64] {
        &self.multiplier
    }

    /// Guesses the multipliers of a step from a state, and its increments.
    pub fn guess(&mut self, view: &Conserving, state: &State, step: &mut ConservingStep, delta: &mut [f64]) {
        let h = step.h;
        let middle = state.t + 0.5 * h;
        if (middle - state.t) * (state.t - self.last.1) < 0.0 {
            // Time runs backwards from here.
            self.last = (first_mean(view.system(), state), state.t);
            self.rates = Predictor::new(vec![0.0; self.rate.len()], state.t);
            self.multipliers = Predictor::new(self.multiplier.clone(), state.t);
        }
        self.multipliers.aim(middle);
        for (&own, lambda) in self.rows.iter().zip(self.multipliers.stage()) {
            step.lambda[own] = lambda;
        }
        self.rates.aim(middle);
        let (last, at) = (&self.last.0, self.last.1);
        for ((mean, last), rate) in self.rate.iter_mut().zip(last).zip(self.rates.stage()) {
            *mean = last + (middle - at) * rate;
        }
        for (id, node) in view.system().nodes().iter().enumerate().skip(1) {
            let (mean, delta) = (&self.rate[node.unknowns()], &mut delta[view.unknowns(id)]);
            if view.is_rigid(id) {
                delta.iter_mut().zip(mean).for_each(|(delta, mean)| *delta = h * mean);
                continue;
            }
            let Twist { linear, mut angular } = node.chart.twist(mean);
            if node.chart != Chart::Motion {
                angular = state.frames[id].rot * angular;
            }
            view.guess(id, &state.frames[id], &(linear * h), &(angular * h), delta);
        }
    }

    /// Takes mean velocities and multipliers of a solved step in; the largest turn.
    pub fn take(&mut self, view: &Conserving, step: &ConservingStep) -> LargestTurn {
        let (rate, mut largest) = (&mut self.rate, LargestTurn::default());
        let (h, middle) = (step.h, step.t + 0.5 * step.h);
        for (id, node) in view.system().nodes().iter().enumerate().skip(1) {
            let (linear, mut angular) = (step.change[id].r / h, Vec3::zeros());
            if turns(&node.chart) {
                angular = step.rotation_vector(id);
                largest.note(id, angular.norm());
                angular /= h;
            }
            if node.chart != Chart::Motion {
                angular = step.start[id].rot.tr_mul(&angular);
            }
            node.chart.velocities(&Twist { linear, angular }, &mut rate[node.unknowns()]);
        }
        for (mean, last) in rate.iter_mut().zip(&mut self.last.0) {
            let now = *mean;
            *mean = (now - *last) / (middle - self.last.1);
            *last = now;
        }
        self.last.1 = middle;
        self.rates.take(view.system(), rate, middle);
        for (lambda, &own) in self.multiplier.iter_mut().zip(&self.rows) {
            *lambda = step.lambda[own];
        }
        self.multipliers.take_measuring(&self.multiplier, middle, 0..self.rows.len());
        largest
    }
}

/// The velocities of a state, turns in world axes.
fn first_mean(system: &System, state: &State) -> Vec<f64> {
    let mut mean = state.v.clone();
    for (id, node) in system.nodes().iter().enumerate().filter(|(_, n)| n.chart == Chart::Motion) {
        let omega = state.frames[id].rot * system.twist(id, &state.v).angular;
        mean[node.unknowns()][3..].copy_from_slice(omega.as_slice());
    }
    mean
}
