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
        let projected = self.saddle.project(system, &mut self.inside, self.length);
        projected.map_err(|e| StepFailure::singular(system, t, &e))?;
        if !system.networks().is_empty() {
            system.close_networks(&mut self.inside, &mut self.scratch);
        }
        system.remember_with(&mut self.inside, &mut self.scratch);
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
        let projected = self.saddle.project(self.system, &mut self.inside, self.length);
        projected.map_err(|e| StepFailure::singular(self.system, t, &e))?;
        self.system.remember_with(&mut self.inside, &mut self.scratch);
        Ok(())
    }

    /// The state at a time on the polynomial of the last step into `inside`.
    pub(super) fn see_inside(&mut self, t: f64) -> Result<(), StepFailure> {
        let (system, end) = (self.system, self.integration.state().t);
        if t == end {
            self.inside.clone_from(self.integration.state());
            return Ok(());
        }
        let singular = |e| StepFailure::singular(system, t, &e);
        if !self.integration.interpolate(t, &mut self.inside) {
            if self.dense.is_none() {
                let mut dense = DenseOutput::new(system, &self.before);
                let after = self.integration.state();
                self.a_before.copy_from_slice(self.integration.rates());
                self.a.copy_from_slice(self.integration.rates());
                self.saddle.accelerations(system, &self.before, &mut self.a_before).map_err(singular)?;
                system.network_rates(&self.before, &mut self.a_before, &mut self.scratch);
                self.saddle.accelerations(system, after, &mut self.a).map_err(singular)?;
                system.network_rates(after, &mut self.a, &mut self.scratch);
                dense.set(system, (&self.before, &self.a_before), (after, &self.a));
                self.dense = Some(dense);
            }
            let dense = self.dense.as_mut().expect("made above");
            dense.at(system, t, &mut self.inside);
        }
        // Natural velocities are known at the ends of steps only.
        self.inside.rates.clear();
        Ok(())
    }

    /// The watched signals at `inside`.
    pub(super) fn signals_inside(&mut self, out: &mut [f64]) -> Result<(), StepFailure> {
        self.a.copy_from_slice(self.integration.rates());
        if self.events.needs_accelerations() {
            let t = self.inside.t;
            let found = self.saddle.accelerations(self.system, &self.inside, &mut self.a);
            found.map_err(|e| StepFailure::singular(self.system, t, &e))?;
        }
        self.events.values(self.system, &instant(&self.inside, &self.a), out);
        Ok(())
    }

    /// The work up to a time inside the last step less that of the whole step: by Gauss's rule of three
    /// points from the last time that was asked for.
    pub(super) fn missing_work(&mut self, t: f64) -> Result<Power, StepFailure> {
        if !self.powered || t == self.integration.state().t {
            return Ok(Power::default());
        }
        let (start, mut part) = self.part;
        let (h, offset) = (t - start, 0.5 * 0.6_f64.sqrt());
        let points = [(0.5 - offset, 5.0 / 18.0), (0.5, 4.0 / 9.0), (0.5 + offset, 5.0 / 18.0)];
        for (c, b) in points.into_iter().filter(|_| h > 0.0) {
            self.settle_at(start + c * h)?;
            self.a.copy_from_slice(self.integration.rates());
            let found = self.saddle.accelerations(self.system, &self.inside, &mut self.a);
            found.map_err(|e| StepFailure::singular(self.system, self.inside.t, &e))?;
            let power = self.system.power(&instant(&self.inside, &self.a), &mut self.scratch);
            part.supplied += b * h * power.supplied;
            part.dissipated += b * h * power.dissipated;
        }
        self.part = (t, part);
        Ok(Power {
            supplied: part.supplied - self.work.supplied,
            dissipated: part.dissipated - self.work.dissipated,
        })
    }
}
