//! Which of the redundant rows are in force: looked at on the way, exchanged where they become weak.

use super::{Run, Stop};
use crate::audit::Worst;
use poinsot_integrators::{Method, StepFailure, instant};
use poinsot_mechanics::{Scratch, State, System};

/// Residual of a redundant row, relative to the model's length, at which it contradicts the others.
pub(super) const CONTRADICTION: f64 = 1e-6;

/// Rate of a redundant row, relative to the largest speed and to the model's length (at most a radian) over
/// the whole study, at which it contradicts the others: a drive by rate asks for a motion that the joints
/// forbid.
const RATE_CONTRADICTION: f64 = 1e-5;

/// A residual relative to that of the rows in force, where the form of the constraints lets these open and
/// brings them back: a redundant row opens with them.
const LEVERAGE: f64 = 100.0;

/// Way of a body (rad, or lengths of the model) after which the choice of redundant rows is looked at again.
const EXCHANGE_CHECK: f64 = 0.05;

impl Run<'_> {
    /// Looks at the choice of redundant rows: by the way gone and not at samples, so that the motion does not
    /// depend on how often it is looked at.
    pub(super) fn watch_rows(&mut self) -> Result<(), Stop> {
        if self.redundant.way > EXCHANGE_CHECK {
            self.redundant.way = 0.0;
            if self.is_weak()? {
                return Err(Stop::WeakRow);
            }
        }
        Ok(())
    }

    /// Whether a suspended row should be exchanged; not twice at the same time.
    pub(super) fn is_weak(&mut self) -> Result<bool, StepFailure> {
        let state = self.integration.state();
        let Some(redundancy) = &mut self.redundant.redundancy else { return Ok(false) };
        if self.log.exchanged == Some(state.t) {
            return Ok(false);
        }
        let weak = redundancy.needs_exchange(self.system, state);
        let weak = weak.map_err(|e| StepFailure::singular(self.system, state.t, &e))?;
        if weak {
            self.log.exchanged = Some(state.t);
            self.keep_sides();
        }
        Ok(weak)
    }

    /// Whether the last step satisfies the rows in force but not the redundant ones: between its ends the
    /// choice of rows has passed a singular position. Where rows were exchanged before that step, they
    /// contradict each other.
    pub(super) fn is_astray(&mut self) -> bool {
        let state = self.integration.state();
        let system = self.system;
        let allowed = self.length * CONTRADICTION;
        let astray = contradiction(
            system,
            &self.study.method,
            state,
            allowed,
            &mut self.buffers.rows,
            &mut self.buffers.scratch,
        );
        astray.is_some() && self.log.exchanged != Some(self.last.before.t)
    }

    /// Undoes the last step, to take it again with other rows.
    pub(super) fn go_back(&mut self, rotation: Worst) -> Stop {
        let audit = &mut self.log.audit;
        audit.rotation = rotation;
        audit.supplied -= self.last.work.supplied;
        audit.dissipated -= self.last.work.dissipated;
        self.log.exchanged = Some(self.last.before.t);
        self.keep_sides();
        Stop::Astray(Box::new(self.last.before.clone()))
    }

    /// A redundant row whose rate does not vanish at a state, although the rows in force hold with their
    /// rates. Where joints drift the rates of redundant rows drift apart as well.
    pub(super) fn contradiction_of_rates(&self, state: &State) -> Option<String> {
        if self.study.method.holds() != (true, true) {
            return None;
        }
        let (rate, equation) = self.system.suspended_rate(state)?;
        let rest = self.length.min(1.0) / (self.study.end - self.log.start);
        (rate > RATE_CONTRADICTION * (self.speed().max(self.spin()) + rest)).then_some(equation)
    }
}

/// A redundant row that is open although the rows in force hold, or much farther than these where the form of
/// the constraints lets them open and brings them back. Where they drift the motion of redundant joints has
/// no meaning.
pub(super) fn contradiction(
    system: &System,
    method: &Method,
    state: &State,
    allowed: f64,
    rows: &mut [f64],
    scratch: &mut Scratch,
) -> Option<String> {
    let (open, equation) = system.dropped_residual(state.t, &state.frames, &state.memory)?;
    if open <= allowed {
        return None;
    }
    let mut others = 0.0;
    if !method.holds().0 && !method.drifts() {
        rows.fill(0.0);
        system.constraint_residual(&instant(state, &state.v), rows, scratch);
        others = rows.iter().fold(0.0, |most: f64, row| most.max(row.abs()));
    }
    (open > allowed + LEVERAGE * others).then_some(equation)
}
