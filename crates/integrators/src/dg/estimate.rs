//! The local error of a discontinuous Galerkin step.
//!
//! The jumps [[q]] and [[w]] at the start of a step are what its polynomials err by there, of the power k + 1
//! of the step. At its end they err by the power 2k + 2. For the error of the motion to go with the tolerance
//! ε, the jump is weighed by ε^{k/(2k+1)}.

use crate::dg::DiscontinuousGalerkin;
use crate::linear::saddle_point::instant;
use crate::step_failure::StepFailure;

/// What a jump counts.
const WEIGHT: f64 = 1.0;

impl DiscontinuousGalerkin<'_> {
    /// The weighted size of the jumps.
    pub(super) fn estimate(&mut self) -> Result<f64, StepFailure> {
        let [position, velocity, ..] = &mut self.jumps;
        self.element.jumps(position, velocity);
        if self.has_rows {
            self.permit()?;
        }
        let [position, velocity, ..] = &self.jumps;
        let k = self.settings.degree as f64;
        let weight = WEIGHT * self.measure.tightest().powf(k / (2.0 * k + 1.0));
        let (motion, variables) = self.measure.norms(position, velocity);
        Ok(weight * motion.hypot(variables))
    }

    /// Takes out of the jump of velocities what the constraints forbid: it is of lower order, and it does not
    /// propagate.
    ///
    /// ```text
    /// M δ + Gᵀμ = 0,   G δ = G [[w]],     [[w]] := [[w]] − δ
    /// ```
    fn permit(&mut self) -> Result<(), StepFailure> {
        let (system, t) = (self.system, self.state.t);
        if !self.factored[1] {
            self.saddle.factor(system, &self.state).map_err(|e| StepFailure::singular(system, t, &e))?;
            self.factored[1] = true;
        }
        let [_, velocity, before, rows] = &mut self.jumps;
        before.fill(0.0);
        rows.fill(0.0);
        let scratch = &mut self.element.scratch;
        system.constraint_rate(&instant(&self.state, &self.a), before, scratch);
        self.state.v.iter_mut().zip(&*velocity).for_each(|(v, jump)| *v += jump);
        system.constraint_rate(&instant(&self.state, &self.a), rows, scratch);
        self.state.v.iter_mut().zip(&*velocity).for_each(|(v, jump)| *v -= jump);
        rows.iter_mut().zip(&*before).for_each(|(after, before)| *after -= before);
        system.hold_variables(rows);
        self.saddle.solve(rows);
        for e in system.nodes().iter().flat_map(|node| node.unknowns()) {
            velocity[e] -= rows[e];
        }
        Ok(())
    }
}
