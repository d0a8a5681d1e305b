//! What the stages of an explicit step tell: its error, its work, and whether the motion is stiff.

use crate::runge_kutta::explicit::ExplicitRungeKutta;
use crate::runge_kutta::explicit::interpolation::DORMAND_PRINCE_BUMP;
use crate::runge_kutta::explicit::method::ExplicitMethod;
use crate::runge_kutta::explicit::stages::combine;
use poinsot_mechanics::Power;

/// What Dormand and Prince's method bears of h|λ| on the negative real axis.
const DORMAND_PRINCE_BORDER: f64 = 3.25;

/// Distance of two stages in units of the tolerance below which rounding rules.
const INDISTINCT: f64 = 1e-3;

/// Weight of the local errors of a motion, which add up in its phase.
const PHASE: f64 = 4.0;

impl ExplicitRungeKutta<'_> {
    /// The error of a pair, h Σ (b_i − b̂_i) k_i, in the chart of the start of the step. In the embedding
    /// that is the error of the independent coordinates, and the dependent ones may err more.
    pub(super) fn estimate(&mut self, h: f64) -> Option<f64> {
        let weights = self.scheme.difference.as_ref()?;
        self.measure.weigh_at(&self.past.state, h);
        let [position, velocity] = &mut self.step.error;
        position.fill(0.0);
        velocity.fill(0.0);
        combine(&self.step.stages, weights, h, &self.unknowns, [position, velocity]);
        if let Some(embedding) = &mut self.embedding {
            let errors = [&mut position[..], &mut velocity[..]];
            // Where they are not to be had the step is taken again, shorter.
            if embedding.complete_errors(self.system, &self.step.trial, errors).is_err() {
                return Some(f64::INFINITY);
            }
        }
        let (motion, variables) = self.measure.norms(position, velocity);
        Some((PHASE * motion).hypot(variables))
    }

    /// What the stages of an accepted step tell, before they are overwritten.
    pub(super) fn note_step(&mut self, h: f64) {
        self.past.work = Power::default();
        for (stage, b) in self.step.stages.iter().zip(&self.scheme.tableau.b) {
            self.past.work.supplied += b * h * stage.power.supplied;
            self.past.work.dissipated += b * h * stage.power.dissipated;
        }
        self.past.before_a.copy_from_slice(&self.step.stages[0].a);
        if self.settings.tableau != ExplicitMethod::DormandPrince {
            return;
        }
        for (bump, &i) in self.dense.bump.iter_mut().zip(&self.dense.variables) {
            *bump =
                DORMAND_PRINCE_BUMP.iter().zip(&self.step.stages).map(|(d, stage)| d * h * stage.a[i]).sum();
        }
        if let Some(h_lambda) = self.h_lambda(h) {
            self.stiffness.note(h_lambda, DORMAND_PRINCE_BORDER);
        }
    }

    /// h|λ| by the last two stages, both at the end of the step: y_{n+1} − Y_s = h Σ_j (b_j − a_sj) k_j.
    fn h_lambda(&mut self, h: f64) -> Option<f64> {
        let last = self.step.stages.len() - 1;
        let [position, velocity] = &mut self.step.error;
        position.fill(0.0);
        velocity.fill(0.0);
        let (stages, unknowns) = (&self.step.stages, &self.unknowns);
        combine(stages, &self.scheme.tableau.b, h, unknowns, [&mut *position, &mut *velocity]);
        combine(stages, self.scheme.tableau.row(last - 1), -h, unknowns, [&mut *position, &mut *velocity]);
        let distance = self.measure.norm(position, velocity);
        let ends = (&stages[last - 1], &stages[last]);
        for &i in unknowns {
            position[i] = ends.1.rate[i] - ends.0.rate[i];
            velocity[i] = ends.1.a[i] - ends.0.a[i];
        }
        (distance > INDISTINCT).then(|| h.abs() * self.measure.norm(position, velocity) / distance)
    }
}
