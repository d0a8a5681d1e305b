//! Predicts the stage of a step from the stages of the last ones.
//!
//! Stage accelerations and multipliers are smooth in time for every member, unlike the stored aⁿ.

use poinsot_mechanics::System;

/// Stages of the last three steps with their times, newest first, and the rule that extrapolates them.
#[derive(Debug)]
pub(crate) struct Predictor {
    stages: [Vec<f64>; 3],
    times: [f64; 3],
    known: usize,
    /// The one of [`RULES`] that would have predicted the last step best.
    rule: usize,
    /// The rules' weights for the step in progress.
    weights: [[f64; 3]; RULES.len()],
}

/// Weights of the last three stages that predict the next one, and how many of them are used: constant,
/// linear and quadratic in time, and linear plus the alternating mode (−1)ⁿ that constraints leave in stage
/// values (gs4-isochronous-integrators I-53).
const RULES: [([f64; 3], usize); 4] =
    [([1.0, 0.0, 0.0], 1), ([2.0, -1.0, 0.0], 2), ([3.0, -3.0, 1.0], 3), ([1.0, 1.0, -1.0], 3)];

impl Predictor {
    /// Starts with accelerations and multipliers of the start.
    pub fn new(start: Vec<f64>, t: f64) -> Self {
        let zero = vec![0.0; start.len()];
        Predictor {
            stages: [start, zero.clone(), zero],
            times: [t; 3],
            known: 0,
            rule: 0,
            weights: RULES.map(|(w, _)| w),
        }
    }

    /// The newest stage.
    pub fn newest(&self) -> &[f64] {
        &self.stages[0]
    }

    /// Sets the weights for a stage at time t: those of equal steps, or polynomials through the actual times.
    pub fn aim(&mut self, t: f64) {
        self.weights = RULES.map(|(w, _)| w);
        let [t1, t2, t3] = self.times;
        let equal = |h: f64| (h - (t - t1)).abs() <= 1e-6 * (t - t1);
        if self.known >= 2 && !equal(t1 - t2) {
            let x = (t - t1) / (t1 - t2);
            self.weights[1] = [1.0 + x, -x, 0.0];
        }
        if self.known >= 3 && !(equal(t1 - t2) && equal(t2 - t3)) {
            let basis = |a: f64, b: f64, c: f64| (t - b) * (t - c) / ((a - b) * (a - c));
            self.weights[2] = [basis(t1, t2, t3), basis(t2, t1, t3), basis(t3, t1, t2)];
            // The alternating mode has no meaning between unequal steps.
            self.weights[3] = self.weights[1];
        }
    }

    /// The predicted stage, entry by entry.
    pub fn stage(&self) -> impl Iterator<Item = f64> + '_ {
        let [w1, w2, w3] = self.weights[self.rule];
        let [s1, s2, s3] = &self.stages;
        s1.iter().zip(s2).zip(s3).map(move |((s1, s2), s3)| w1 * s1 + w2 * s2 + w3 * s3)
    }

    /// Takes the converged stage at time t in, and chooses the rule that would have served it best.
    pub fn take(&mut self, system: &System, stage: &[f64], t: f64) {
        self.take_measuring(stage, t, system.nodes().iter().flat_map(|node| node.unknowns()));
    }

    /// The same with the entries that the rules are judged by.
    pub fn take_measuring(&mut self, stage: &[f64], t: f64, entries: impl Iterator<Item = usize>) {
        self.rule = self.best_rule(stage, entries);
        self.stages.rotate_right(1);
        self.stages[0].copy_from_slice(stage);
        self.times = [t, self.times[0], self.times[1]];
        // The start value stands for t₀, not for a stage: it is not counted.
        self.known = (self.known + 1).min(3);
    }

    fn best_rule(&self, stage: &[f64], entries: impl Iterator<Item = usize>) -> usize {
        let [s1, s2, s3] = &self.stages;
        let mut error = [0.0f64; RULES.len()];
        for i in entries {
            for (error, [w1, w2, w3]) in error.iter_mut().zip(&self.weights) {
                let miss = stage[i] - (w1 * s1[i] + w2 * s2[i] + w3 * s3[i]);
                *error += miss * miss;
            }
        }
        let usable = (0..RULES.len()).filter(|&k| RULES[k].1 <= self.known.max(1));
        usable.min_by(|a, b| error[*a].total_cmp(&error[*b])).unwrap_or(0)
    }
}
