//! The motion inside the last step: on the polynomial of the method or on dense output, on the constraints.

use super::Run;
use poinsot_integrators::{DenseOutput, StepFailure, instant};
use poinsot_mechanics::Power;

impl Run<'_> {
    /// The state at a time inside the last step into `inside`, on the constraints.
    pub(super) fn look_inside(&mut self, t: f64) -> Result<(), StepFailure> {
        self.see_inside(t)?;
        let system = self.system;
        if t == self.integration.state().t {
            return Ok(());
        }
        let projected = self.saddle.project(system, &mut self.buffers.inside, self.length);
        projected.map_err(|e| StepFailure::singular(system, t, &e))?;
        if !system.networks().is_empty() {
            system.close_networks(&mut self.buffers.inside, &mut self.buffers.scratch);
        }
        system.remember_with(&mut self.buffers.inside, &mut self.buffers.scratch);
        Ok(())
    }

    /// The state at a time inside the last step into `inside`, as a new start. A method that makes algebraic
    /// equations hold at its stages takes them as the polynomial leaves them, for this keeps what the rates
    /// conserve: to close them here would move variables with a rate too.
    pub(super) fn settle_at(&mut self, t: f64) -> Result<(), StepFailure> {
        if self.study.method.leaves_variables_open() {
            return self.look_inside(t);
        }
        self.see_inside(t)?;
        let projected = self.saddle.project(self.system, &mut self.buffers.inside, self.length);
        projected.map_err(|e| StepFailure::singular(self.system, t, &e))?;
        self.system.remember_with(&mut self.buffers.inside, &mut self.buffers.scratch);
        Ok(())
    }

    /// The state at a time on the polynomial of the last step into `inside`.
    pub(super) fn see_inside(&mut self, t: f64) -> Result<(), StepFailure> {
        let (system, end) = (self.system, self.integration.state().t);
        if t == end {
            self.buffers.inside.clone_from(self.integration.state());
            return Ok(());
        }
        let singular = |e| StepFailure::singular(system, t, &e);
        if !self.integration.interpolate(t, &mut self.buffers.inside) {
            if self.last.dense.is_none() {
                let mut dense = DenseOutput::new(system, &self.last.before);
                let after = self.integration.state();
                self.buffers.a_before.copy_from_slice(self.integration.rates());
                self.buffers.a.copy_from_slice(self.integration.rates());
                self.saddle
                    .accelerations(system, &self.last.before, &mut self.buffers.a_before)
                    .map_err(singular)?;
                system.network_rates(
                    &self.last.before,
                    &mut self.buffers.a_before,
                    &mut self.buffers.scratch,
                );
                self.saddle.accelerations(system, after, &mut self.buffers.a).map_err(singular)?;
                system.network_rates(after, &mut self.buffers.a, &mut self.buffers.scratch);
                dense.set(system, (&self.last.before, &self.buffers.a_before), (after, &self.buffers.a));
                self.last.dense = Some(dense);
            }
            let dense = self.last.dense.as_mut().expect("made above");
            dense.at(system, t, &mut self.buffers.inside);
        }
        // Natural velocities are known at the ends of steps only.
        self.buffers.inside.rates.clear();
        Ok(())
    }

    /// The watched signals at `inside`.
    pub(super) fn signals_inside(&mut self, out: &mut [f64]) -> Result<(), StepFailure> {
        self.buffers.a.copy_from_slice(self.integration.rates());
        if self.events.needs_accelerations() {
            let t = self.buffers.inside.t;
            let found = self.saddle.accelerations(self.system, &self.buffers.inside, &mut self.buffers.a);
            found.map_err(|e| StepFailure::singular(self.system, t, &e))?;
        }
        self.events.values(self.system, &instant(&self.buffers.inside, &self.buffers.a), out);
        Ok(())
    }

    /// The work up to a time inside the last step less that of the whole step: by Gauss's rule of three
    /// points from the last time that was asked for.
    pub(super) fn missing_work(&mut self, t: f64) -> Result<Power, StepFailure> {
        if !self.powered || t == self.integration.state().t {
            return Ok(Power::default());
        }
        let (start, mut part) = self.last.part;
        let (h, offset) = (t - start, 0.5 * 0.6_f64.sqrt());
        let points = [(0.5 - offset, 5.0 / 18.0), (0.5, 4.0 / 9.0), (0.5 + offset, 5.0 / 18.0)];
        for (c, b) in points.into_iter().filter(|_| h > 0.0) {
            self.settle_at(start + c * h)?;
            self.buffers.a.copy_from_slice(self.integration.rates());
            let found = self.saddle.accelerations(self.system, &self.buffers.inside, &mut self.buffers.a);
            found.map_err(|e| StepFailure::singular(self.system, self.buffers.inside.t, &e))?;
            let power =
                self.system.power(&instant(&self.buffers.inside, &self.buffers.a), &mut self.buffers.scratch);
            part.supplied += b * h * power.supplied;
            part.dissipated += b * h * power.dissipated;
        }
        self.last.part = (t, part);
        Ok(Power {
            supplied: part.supplied - self.last.work.supplied,
            dissipated: part.dissipated - self.last.work.dissipated,
        })
    }
}
