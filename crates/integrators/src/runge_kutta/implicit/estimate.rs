//! The end of a step and its local error.

use crate::linear::saddle_point::retract;
use crate::newton::rounding::ROUNDINGS;
use crate::runge_kutta::implicit::ImplicitRungeKutta;
use crate::runge_kutta::implicit::blocks::Entry;
use crate::runge_kutta::implicit::settings::StageForm;
use crate::runge_kutta::implicit::stages::add;
use crate::step_failure::StepFailure;

/// Weight of the local errors of a motion, which add up in its phase, and the tolerance above which it grows.
const PHASE: (f64, f64) = (4.0, 1e-6);

/// The same with two stages, whatever the tolerance.
const TWO_STAGE_PHASE: f64 = 40.0;

/// Tolerances below this are so near to rounding that estimated errors may be no more than that.
const ROUNDED: f64 = 1e-10;

impl ImplicitRungeKutta<'_> {
    /// The end of the step.
    pub(super) fn finish(&mut self, h: f64) -> Result<(), StepFailure> {
        self.step.end.t = self.past.state.t + h;
        self.step.end.memory.copy_from_slice(&self.past.state.memory);
        let stages = &self.step.stages;
        if self.scheme.tableau.is_stiffly_accurate() {
            let range = stages.range(stages.count() - 1);
            self.step.end.frames.copy_from_slice(&stages.frames[stages.count() - 1]);
            self.step.end.v.copy_from_slice(&stages.v[range.clone()]);
            self.step.end_a.copy_from_slice(&stages.a[range.clone()]);
            self.step.end_theta.copy_from_slice(&stages.theta[range]);
        } else {
            self.step.end_theta.fill(0.0);
            self.step.end_a.fill(0.0);
            self.step.end.v.copy_from_slice(&self.past.state.v);
            // No method of this kind has an explicit stage.
            self.scheme.stage_weights(1.0, &mut self.room.all_weights);
            for (i, (d, w)) in self.scheme.d.iter().zip(&self.room.all_weights).enumerate() {
                let range = stages.range(i);
                add(&mut self.step.end_theta, *d, &stages.theta[range.clone()]);
                add(&mut self.step.end.v, *d, &stages.z[range.clone()]);
                add(&mut self.step.end_a, *w, &stages.a[range]);
            }
            retract(self.system, &self.past.state.frames, &self.step.end_theta, &mut self.step.end.frames);
        }
        if self.settings.project || !self.scheme.tableau.is_stiffly_accurate() {
            let projected = self.saddle.project(self.system, &mut self.step.end, self.length);
            let (system, t) = (self.system, self.step.end.t);
            projected.map_err(|e| StepFailure::singular(system, t, &e))?;
        } else if let Some(factors) = self.matrix.single() {
            let (system, scratch) = (self.system, &mut self.scratch);
            self.closing.close(system, factors, &mut self.step.end, (h, self.step.tightest), scratch);
        }
        Ok(())
    }

    /// The local error, by an embedded formula of order s (lagrangian-dae-modeling §1.26, step 7), filtered
    /// by the real matrix:
    ///
    /// ```text
    /// ẏ̂ = μ (Σ (b_i − b̂_i) Y'_i − b̂₀ ẏ_n),     η = −E⁻¹ Φ(y_{n+1}, ẏ̂)
    /// ```
    /// The balance holds at the end with A_s, so Φ is M (v̇̂ − A_s) there and θ̇̂ − v in the kinematics.
    pub(super) fn estimate(&mut self, h: f64) -> f64 {
        let estimator = &self.scheme.estimator;
        let mu = 1.0 / estimator.gamma;
        let n = self.past.state.v.len();
        let [error, kinematic, right] = &mut self.room.error;
        let stages = &self.step.stages;
        let last = stages.range(stages.count() - 1).start;
        for k in 0..n {
            if self.rows.is_row[k] {
                (error[k], kinematic[k]) = (0.0, 0.0);
                continue;
            }
            let (mut a, mut rate) =
                (-estimator.start_weight * self.past.a[k], -estimator.start_weight * self.past.state.v[k]);
            for (i, d) in estimator.difference.iter().enumerate() {
                a += d * stages.a[i * n + k];
                rate += d * stages.rate[i * n + k];
            }
            error[k] = mu * a - stages.a[last + k];
            kinematic[k] = mu * rate - stages.rate[last + k];
        }
        let beta = h / mu;
        let [a0, a1, a2] = &self.matrix.polynomial.powers;
        let pattern = self.system.pattern();
        // Balance: −β M (v̇̂ − A) + β² K (θ̇̂ − v). Rows: G η_q = 0 or G η_v + ∂(Gv)/∂q η_q = 0 with η_q = β
        // (η_v − (θ̇̂ − v)).
        right.fill(0.0);
        pattern.accumulate(a1, kinematic, beta, right);
        for (k, &entry) in self.entries.iter().enumerate() {
            let keep =
                entry == Entry::Rate || (entry == Entry::Level && self.settings.form != StageForm::Position);
            right[k] = if keep { right[k] } else { 0.0 };
        }
        let rows = &mut self.room.values_of_rows;
        rows.copy_from_slice(right);
        right.fill(0.0);
        pattern.accumulate(a0, error, -beta, right);
        pattern.accumulate(a2, kinematic, beta * beta, right);
        if self.settings.form == StageForm::Position {
            rows.fill(0.0);
            pattern.accumulate(a0, kinematic, 1.0, rows);
        }
        let entries = self.entries.iter().enumerate().filter(|(_, entry)| **entry != Entry::Balance);
        entries.for_each(|(k, _)| right[k] = rows[k]);
        self.matrix.single().expect("a method has a real matrix").solve(right);
        for k in 0..n {
            if self.rows.is_row[k] {
                right[k] = 0.0;
            }
            error[k] = beta * (right[k] - kinematic[k]);
        }
        if self.settings.form == StageForm::Position {
            self.make_tangent();
        }
        let [error, _, right] = &self.room.error;
        let phase = phase_weight(self.measure.tightest(), self.settings.stages);
        let (motion, variables) = self.measure.norms(error, right);
        // Variables may swing too, which more stages take in their stride.
        let swing = if self.settings.stages == 2 { phase } else { 1.0 };
        (phase * motion).hypot(swing * variables)
    }

    /// At position level velocities normal to the constraints are variables of index two, an order less
    /// exact, whose errors do not propagate. What does of an error η of velocities, and grows into positions,
    /// is its tangential part
    ///
    /// ```text
    /// S η' + Gᵀ μ = M η,     G η' = 0
    /// ```
    fn make_tangent(&mut self) {
        let [_, right, velocity] = &mut self.room.error;
        right.fill(0.0);
        self.system.pattern().accumulate(&self.matrix.polynomial.powers[0], velocity, 1.0, right);
        for (right, entry) in right.iter_mut().zip(&self.entries) {
            *right = if *entry == Entry::Balance { *right } else { 0.0 };
        }
        self.matrix.single().expect("a method has a real matrix").solve(right);
        for unknowns in self.system.nodes().iter().map(|node| node.unknowns()) {
            velocity[unknowns.clone()].copy_from_slice(&right[unknowns]);
        }
    }

    /// What of an estimated error is no rounding of the stages, η = Σ e_i Z_i: that part no shorter step
    /// would mend. The floor of rounding is a bound, often a wide one: the last increment is another.
    pub(super) fn beyond_rounding(&mut self, error: f64, h: f64) -> f64 {
        if error <= 1.0 || self.step.tightest > ROUNDED {
            return error;
        }
        let weights: f64 = self.scheme.estimator.increments.iter().map(|e| e.abs()).sum();
        let phase = phase_weight(self.step.tightest, self.settings.stages);
        let last = self.newton.convergence.last_increment();
        let rounding = ROUNDINGS * weights * phase * self.rounding(h).min(last);
        (error * error - rounding * rounding).max(0.0).sqrt()
    }
}

/// Weight of the local errors of a motion. The estimate goes with the power s + 1 of the step, the error at
/// the end with 2s − 1: the looser the tolerance, the less the estimate promises. For the error to go with
/// the tolerance ε the weight goes with ε^((s−2)/(2s−1)), for s = 3 with ε^(1/5). With two stages both have
/// the same power, and the error of ten radians is fifty times the estimate.
fn phase_weight(tolerance: f64, stages: usize) -> f64 {
    match stages {
        2 => TWO_STAGE_PHASE,
        _ => PHASE.0 * (tolerance / PHASE.1).max(1.0).powf(0.2),
    }
}
