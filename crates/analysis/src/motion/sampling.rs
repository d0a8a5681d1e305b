//! Samples: at steps, at times of the grid inside them, with what the audit makes of them.

use super::redundant_rows::{CONTRADICTION, contradiction};
use super::run::largest;
use super::{Ending, Observer, Run, Sample, Stop};
use poinsot_integrators::{StepFailure, instant};
use poinsot_mechanics::State;

impl Run<'_> {
    /// Samples of the grid inside the last step up to `now`, and not at `end`, where the target itself may be
    /// one.
    pub(super) fn sample_inside(
        &mut self,
        now: f64,
        end: f64,
        observer: &mut dyn Observer,
    ) -> Result<(), Stop> {
        let Some((mut k, every)) = self.log.grid else {
            return if now < end { self.sample(observer) } else { Ok(()) };
        };
        let tiny = 1e-9 * every;
        loop {
            let t = self.log.start + k as f64 * every;
            if t > now + tiny {
                break;
            }
            k += 1;
            self.log.grid = Some((k, every));
            if t > end - tiny {
                continue;
            }
            self.sample_look(t.min(now), observer)?;
        }
        Ok(())
    }

    /// A sample at a time inside the last step, with the work up to there.
    pub(super) fn sample_look(&mut self, t: f64, observer: &mut dyn Observer) -> Result<(), Stop> {
        let missing = self.missing_work(t)?;
        self.look_inside(t)?;
        let whole = (self.log.audit.supplied, self.log.audit.dissipated);
        self.log.audit.supplied += missing.supplied;
        self.log.audit.dissipated += missing.dissipated;
        let inside = std::mem::replace(&mut self.buffers.inside, self.last.before.clone());
        let outcome = self.sample_at(&inside, observer);
        self.buffers.inside = inside;
        (self.log.audit.supplied, self.log.audit.dissipated) = whole;
        outcome.map_err(Stop::reported)
    }

    /// A sample at the state of the integration.
    pub(super) fn sample(&mut self, observer: &mut dyn Observer) -> Result<(), Stop> {
        let state = self.integration.state().clone();
        self.sample_at(&state, observer)
    }

    pub(super) fn sample_at(&mut self, state: &State, observer: &mut dyn Observer) -> Result<(), Stop> {
        if self.log.sampled == Some(state.t) {
            return Ok(());
        }
        self.log.sampled = Some(state.t);
        let mut shown = self.shown.take();
        if let Some(shown) = &mut shown {
            shown.clone_from(state);
        }
        let outcome = self.sample_shown(state, shown.as_mut(), observer);
        self.shown = shown;
        outcome
    }

    /// Samples a state; `shown` is a copy whose velocities are moved onto the constraints first, where they
    /// are not there yet.
    pub(super) fn sample_shown(
        &mut self,
        state: &State,
        shown: Option<&mut State>,
        observer: &mut dyn Observer,
    ) -> Result<(), Stop> {
        let singular = |e| StepFailure::singular(self.system, state.t, &e);
        let shown = match shown {
            Some(shown) => {
                self.saddle.project_velocities(self.system, shown).map_err(singular)?;
                &*shown
            }
            None => state,
        };
        self.buffers.a.copy_from_slice(self.integration.rates());
        self.saddle.accelerations(self.system, shown, &mut self.buffers.a).map_err(singular)?;
        if let Some(redundancy) = &mut self.redundant.redundancy {
            redundancy.spread_reactions(self.system, shown, &mut self.buffers.a).map_err(singular)?;
        }
        if let Some(equation) = self.buffers.a.iter().position(|a| !a.is_finite()) {
            return Err(StepFailure::not_finite(self.system, state.t, equation).into());
        }
        let at = instant(shown, &self.buffers.a);
        let balance = self.system.balance(&at, &mut self.buffers.scratch);
        if !balance.total().is_finite() {
            let step = state.t - self.last.before.t;
            return Err(StepFailure::blown_up(self.system, state.t, step, largest(&shown.v)).into());
        }
        let audit = &mut self.log.audit;
        audit.note_balance(&balance, state.t);
        let own = instant(state, &self.buffers.a);
        audit.note_constraints(self.system, state, &own, &mut self.buffers.rows, &mut self.buffers.scratch);
        let sample = Sample { at, balance: &balance, supplied: audit.supplied, dissipated: audit.dissipated };
        let told = observer.sample(self.system, &sample);
        let (method, allowed) = (&self.study.method, self.length * CONTRADICTION);
        let found = contradiction(
            self.system,
            method,
            state,
            allowed,
            &mut self.buffers.rows,
            &mut self.buffers.scratch,
        );
        match found.or_else(|| self.contradiction_of_rates(state)) {
            Some(equation) if method.drifts() => Err(StepFailure::drifted(state.t, equation).into()),
            Some(equation) => Err(StepFailure::contradiction(state.t, equation).into()),
            None => told.map_err(|halt| Ending::Halted(halt).into()),
        }
    }
}
