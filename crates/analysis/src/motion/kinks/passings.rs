//! The first level that a switch passes in a step.

use super::KinkWatch;
use super::level::{Cell, NOISE, Outside, Passing, cell_of};
use crate::motion::Run;
use poinsot_integrators::{StepFailure, instant};
use poinsot_mechanics::Switches;

/// Places inside a step at which switches are looked at, its end among them.
const LOOKS: usize = 4;

/// Kinks in the first part of a step that do not harm it: no stage sees them, and a jump shows in the
/// estimated error, which knows the rates at the start.
pub(super) const AT_START: f64 = 1e-4;

/// Which polynomial is looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Look {
    /// That of the step that was tried.
    Ahead,
    /// That of the step before, carried on.
    CarriedOn,
    /// That of the step that was taken.
    Inside,
}

impl Run<'_> {
    /// Whether no switch comes near one of its levels in a step, as far as its middle and its end tell.
    pub(super) fn goes_calmly(
        &mut self,
        (start, end): (f64, f64),
        look: Look,
        watch: &mut KinkWatch,
    ) -> Result<bool, StepFailure> {
        self.see(0.5 * (start + end), look, watch)?;
        let at = instant(&self.buffers.inside, &self.buffers.a);
        watch.switches.values(self.system, &at, &mut watch.middle, &mut self.buffers.scratch);
        self.see(end, look, watch)?;
        let at = instant(&self.buffers.inside, &self.buffers.a);
        watch.switches.values(self.system, &at, &mut watch.values, &mut self.buffers.scratch);
        watch.trial.copy_from_slice(&watch.cells);
        watch.at_start.clear();
        Ok(watch.is_calm())
    }

    pub(super) fn first_passing(
        &mut self,
        span: (f64, f64),
        look: Look,
        watch: &mut KinkWatch,
    ) -> Result<Option<Passing>, StepFailure> {
        let cells = std::mem::take(&mut watch.cells);
        let found = self.first_passing_from(&cells, span, look, watch);
        watch.cells = cells;
        found
    }

    /// The first passing of a level in a span of time, by a switch that matters.
    pub(super) fn first_passing_from(
        &mut self,
        cells: &[Cell],
        (start, end): (f64, f64),
        look: Look,
        watch: &mut KinkWatch,
    ) -> Result<Option<Passing>, StepFailure> {
        watch.trial.copy_from_slice(cells);
        watch.at_start.clear();
        let mut from = start;
        for k in 1..=LOOKS {
            let to = if k == LOOKS { end } else { start + (end - start) * k as f64 / LOOKS as f64 };
            self.see(to, look, watch)?;
            let at = instant(&self.buffers.inside, &self.buffers.a);
            watch.switches.values(self.system, &at, &mut watch.values, &mut self.buffers.scratch);
            self.step_outside(watch);
            let mut found = std::mem::take(&mut watch.outside);
            while let Some(passing) = self.take_first(&mut found, (from, to), look, watch)? {
                let at_start = look == Look::Ahead && passing.time - start <= AT_START * (end - start);
                if self.passing_matters(&passing, look, watch)? {
                    if !at_start {
                        found.clear();
                        watch.outside = found;
                        return Ok(Some(passing));
                    }
                    watch.at_start.push(passing);
                }
                watch.trial[passing.switch] = watch
                    .switches
                    .levels(passing.switch)
                    .around(watch.values[passing.switch])
                    .unwrap_or(passing.cell);
            }
            watch.outside = found;
            from = to;
        }
        Ok(None)
    }

    /// Takes the first of the passings between two times out of the list. Where a switch is not behind its
    /// level yet when another one passes it comes later, whenever that is.
    fn take_first(
        &mut self,
        outside: &mut Vec<Outside>,
        (from, to): (f64, f64),
        look: Look,
        watch: &KinkWatch,
    ) -> Result<Option<Passing>, StepFailure> {
        let mut first: Option<(usize, f64)> = None;
        for (i, own) in outside.iter_mut().enumerate() {
            let time = match (own.time, first) {
                (Some(time), _) => time,
                (None, None) => {
                    let at_end = watch.values[own.switch] - own.level;
                    self.locate(own, (from, to), at_end, look, watch)?
                }
                (None, Some((_, end))) => {
                    let at_end = self.distance(own, end, look, watch)?;
                    if at_end == 0.0 || (at_end > 0.0) != (watch.values[own.switch] > own.level) {
                        continue;
                    }
                    self.locate(own, (from, end), at_end, look, watch)?
                }
            };
            own.time = Some(time);
            if first.is_none_or(|(_, earliest)| time < earliest) {
                first = Some((i, time));
            }
        }
        let Some((i, time)) = first else { return Ok(None) };
        let Outside { switch, level, .. } = outside.remove(i);
        let levels = watch.switches.levels(switch);
        let up = watch.values[switch] > level;
        let cell = if up { (level, levels.above(level)) } else { (levels.below(level), level) };
        Ok(Some(Passing { time, switch, cell }))
    }

    /// The levels between which a switch stands at `inside`, if it is not so near to one of them that this is
    /// noise.
    fn cell(&mut self, k: usize, x: f64, switches: &Switches, tolerance: f64) -> Cell {
        let at = instant(&self.buffers.inside, &self.buffers.a);
        let size = switches.size(k, self.system, &at, &mut self.buffers.scratch);
        cell_of(x, switches.levels(k).around(x), NOISE * tolerance * size)
    }

    /// The switches that stand outside of their levels by more than noise, with the level that they have
    /// passed.
    fn step_outside(&mut self, watch: &mut KinkWatch) {
        for k in 0..watch.values.len() {
            let (x, (low, high)) = (watch.values[k], watch.trial[k]);
            if low.is_nan() {
                watch.trial[k] = self.cell(k, x, &watch.switches, watch.tolerance);
                continue;
            }
            let level = if x > high {
                high
            } else if x < low {
                low
            } else {
                continue;
            };
            if self.log.kinks.sliding[k].is_finite() {
                continue;
            }
            let at = instant(&self.buffers.inside, &self.buffers.a);
            let size = watch.switches.size(k, self.system, &at, &mut self.buffers.scratch);
            if (x - level).abs() > NOISE * watch.tolerance * size {
                watch.outside.push(Outside { switch: k, level, time: None });
            }
        }
    }

    /// Whether the law is another one behind the passing.
    fn passing_matters(
        &mut self,
        passing: &Passing,
        look: Look,
        watch: &KinkWatch,
    ) -> Result<bool, StepFailure> {
        self.see(passing.time, look, watch)?;
        let at = instant(&self.buffers.inside, &self.buffers.a);
        Ok(watch.switches.matters(passing.switch, self.system, &at, &mut self.buffers.scratch))
    }

    /// The state at a time on a polynomial into `inside`.
    pub(super) fn see(&mut self, t: f64, look: Look, watch: &KinkWatch) -> Result<(), StepFailure> {
        match look {
            Look::Ahead => {
                self.integration.look_ahead(t, &mut self.buffers.inside);
            }
            Look::Inside => self.see_inside(t)?,
            Look::CarriedOn => {
                let stepped = self.integration.counters().steps > 0;
                if !(stepped && self.integration.interpolate(t, &mut self.buffers.inside)) {
                    let state = self.integration.state();
                    self.buffers.inside.clone_from(state);
                    let (rates, way) = (self.integration.rates(), t - state.t);
                    watch.variables.iter().for_each(|&k| self.buffers.inside.v[k] += way * rates[k]);
                    self.buffers.inside.t = t;
                }
            }
        }
        self.know_reactions(&watch.switches)
    }

    /// The multipliers at `inside` into `a`, if a switch reads reactions: they follow from positions and
    /// velocities, whatever step led there.
    pub(super) fn know_reactions(&mut self, switches: &Switches) -> Result<(), StepFailure> {
        if !switches.read_reactions() {
            return Ok(());
        }
        let found = self.saddle.accelerations(self.system, &self.buffers.inside, &mut self.buffers.a);
        found.map_err(|e| StepFailure::singular(self.system, self.buffers.inside.t, &e))
    }
}
