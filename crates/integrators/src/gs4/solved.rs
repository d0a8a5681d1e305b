//! What follows once the equations of a GS4 step are solved: projection and estimate of its error.

use crate::gs4::Gs4;
use crate::gs4::form::Gs4Form;
use crate::gs4::local_error::{LocalError, Normal, SolvedStep};
use crate::gs4::settings::Settings;
use crate::linear::projection::{End, ProjectionError};
use crate::linear::saddle_point::instant;
use crate::step_failure::StepFailure;

impl Gs4<'_> {
    /// Moves the end of the step onto the constraints, as far as that is wanted.
    pub(super) fn project(&mut self, h: f64) -> Result<(), StepFailure> {
        if self.projector.is_none() {
            return Ok(());
        }
        let speed = self.speed_scale(h).linear;
        let Some(projector) = &mut self.projector else { return Ok(()) };
        let (s, wanted) = (&mut self.step, &self.settings.projection);
        let later = 1.0 + self.w.phi;
        for i in 0..s.end_a.len() {
            s.end_a[i] = s.a[i] + later * s.delta[i];
        }
        // Not needed any more; takes the change of â⁺ in.
        s.correction.fill(0.0);
        let mut end = End {
            t: self.past.state.t + h,
            frames: &mut s.end_frames,
            v: &mut s.end_v,
            a: &mut s.end_a,
            memory: &self.past.state.memory,
            scale: [self.length, speed, speed / h],
            moved: &mut s.move_end,
            accelerated: &mut s.correction,
        };
        let outcome = projector.project(self.system, wanted, &mut end, &mut self.scratch);
        if wanted.acceleration {
            s.delta.iter_mut().zip(&s.correction).for_each(|(d, change)| *d += change / later);
        }
        outcome.map_err(|e| match e {
            ProjectionError::Singular(e) => StepFailure::singular(self.system, self.past.state.t, &e),
            ProjectionError::Open(row) => {
                self.failure(h, "the projection onto the constraints did not converge", row)
            }
        })
    }

    pub(super) fn estimate(&mut self, h: f64) {
        let system = self.system;
        let trial = SolvedStep {
            system,
            factors: &self.matrix.factors,
            values: &self.matrix.values,
            h,
            start: instant(&self.past.state, &self.step.a),
            end: self.step.end(&self.past.state, h),
            moved: &self.step.move_end,
            stage: &self.step.stage_a,
            constraint_rows: &self.rows.constraints,
            velocity_rows: self.rows.on_velocities(),
            normal: self.normal_errors(h),
        };
        let frames = &self.past.state.frames;
        let error = self.local_error.get_or_insert_with(|| Box::new(LocalError::new(system, frames)));
        error.estimate(&trial, &mut self.scratch);
    }

    /// What becomes of errors normal to the constraints.
    fn normal_errors(&self, h: f64) -> Normal {
        let Settings { form, projection, .. } = &self.settings;
        let on_rates = matches!(form, Gs4Form::Velocity | Gs4Form::Acceleration);
        let velocity_drifts = *form == Gs4Form::Acceleration && !projection.velocity;
        let held = form.holds_velocity() || projection.velocity;
        Normal {
            position_drifts: on_rates && !projection.position,
            velocity_drifts,
            loose: !self.rows.constraints.is_empty() && !held && !velocity_drifts,
            open: (matches!(form, Gs4Form::Baumgarte { .. }) && !projection.position)
                .then(|| self.measure.as_ref().map_or(0.0, |m| h / m.span())),
        }
    }
}
