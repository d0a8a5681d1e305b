//! The residuals of a GS4 step.

use crate::gs4::Gs4;
use crate::gs4::form::Gs4Form;

impl Gs4<'_> {
    /// Scaled residuals: the balance and the closing rows into `residual`, Φ of corrected forms into
    /// `position`.
    pub(super) fn evaluate_residual(&mut self, h: f64) {
        let stage = self.step.stage(&self.past.state, self.w.w1, h);
        self.system.residual(&stage, &mut self.newton.residual, &mut self.scratch);
        if self.settings.form == Gs4Form::Hamiltonian {
            // η = −c h μ, because S p + Gᵀμ = 0 and c h² p = h S⁻¹Gᵀη.
            let (mu, scale) = (&self.step.correction, -self.lift * h);
            self.system.add_rate_pull(&stage, mu, scale, &mut self.newton.residual, &mut self.scratch);
        }
        let balance = 1.0 / self.w.w1l6;
        self.newton.residual.iter_mut().for_each(|r| *r *= balance);
        if self.settings.form.is_corrected() {
            self.close_both_levels(h);
        } else {
            self.close(h);
        }
        self.counters.residuals += 1;
    }

    /// Velocity level into `residual`, S p + Gᵀμ and the position level into `position`.
    fn close_both_levels(&mut self, h: f64) {
        let (system, s) = (self.system, &mut self.scratch);
        let stage = self.step.stage(&self.past.state, self.w.w1, h);
        let end = self.step.end(&self.past.state, h);
        self.newton.position.fill(0.0);
        if self.newton.corrected && (!self.matrix.fresh || self.newton.unsettled) {
            self.newton.unsettled = false;
            // S p with the matrix in use, Gᵀμ with the directions of this stage. With a matrix of this step
            // the solve itself keeps both in balance.
            self.newton.metric.copy_from_slice(&self.step.correction);
            self.rows.constraints.iter().for_each(|&row| self.newton.metric[row] = 0.0);
            system.pattern().multiply(&self.matrix.values, &self.newton.metric, &mut self.newton.position);
            system.add_pull(&stage, &self.step.correction, &mut self.newton.position, s);
        }
        system.constraint_levels(&end, &mut self.newton.position, &mut self.newton.residual, s);
        self.newton.open =
            self.rows.constraints.iter().map(|&row| self.newton.position[row].abs()).fold(0.0, f64::max);
        let scale = 1.0 / self.step.closure.lead;
        let (by_position, moved) = (1.0 / (self.lift * h * h), self.w.l3 / self.lift);
        for &row in &self.rows.constraints {
            self.newton.residual[row] *= scale;
            // The increment of Δa moves q⁺ too: G δa = −Φ̇ to first order in the rotation of the step.
            self.newton.position[row] =
                self.newton.position[row] * by_position - moved * self.newton.residual[row];
        }
        // Algebraic equations of networks are closed at the end like velocities.
        let by_velocity = 1.0 / (self.w.l5 * h);
        self.rows.algebraic().iter().for_each(|&row| self.newton.residual[row] *= by_velocity);
        // The position correction respects rows on velocities as they stand.
        self.rows.on_velocities().iter().for_each(|&row| self.newton.position[row] = 0.0);
    }

    /// (γ₃ Φa + γ₂ Φv + γ₁ Φ − p_λ λ̃) / ℓ into the constraint rows of `residual`.
    fn close(&mut self, h: f64) {
        let (system, s, c) = (self.system, &mut self.scratch, &self.step.closure);
        let at = if c.at_stage {
            self.step.stage(&self.past.state, self.w.w1, h)
        } else {
            self.step.end(&self.past.state, h)
        };
        let level = &mut self.newton.position;
        level.fill(0.0);
        let mut add = |weight: f64, level: &[f64]| {
            self.rows.constraints.iter().for_each(|&row| self.newton.residual[row] += weight * level[row]);
        };
        if c.position != 0.0 {
            system.constraint_residual(&at, level, s);
            add(c.position, level);
        }
        if c.acceleration != 0.0 {
            system.constraint_acceleration(&at, level, s);
            add(c.acceleration, level);
        }
        if c.velocity != 0.0 {
            system.constraint_rate(&at, level, s);
            add(c.velocity, level);
        }
        if !self.rows.on_velocities().is_empty() && !c.at_stage {
            if c.velocity == 0.0 {
                system.constraint_rate(&at, level, s);
            }
            let scale = c.lead / (self.w.l5 * h);
            self.rows.on_velocities().iter().for_each(|&row| self.newton.residual[row] = scale * level[row]);
        }
        for &(row, _, softness) in &self.matrix.soft {
            self.newton.residual[row] -= softness * self.step.stage_a[row];
        }
        if !self.rows.algebraic().is_empty() {
            let end = self.step.end(&self.past.state, h);
            system.constraint_rate(&end, level, s);
            let by_velocity = 1.0 / (self.w.l5 * h);
            self.rows
                .algebraic()
                .iter()
                .for_each(|&row| self.newton.residual[row] = by_velocity * level[row]);
        }
        self.newton.open =
            self.rows.constraints.iter().map(|&row| self.newton.residual[row].abs()).fold(0.0, f64::max);
        let scale = 1.0 / c.lead;
        self.rows.constraints.iter().for_each(|&row| self.newton.residual[row] *= scale);
    }
}
