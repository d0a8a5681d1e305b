//! What is to be done with a step that was tried: take it, or try it again so that it ends at a kink.

use super::KinkWatch;
use super::level::Passing;
use super::passings::{AT_START, Look};
use crate::motion::Run;
use poinsot_integrators::{Attempt, StepFailure};

/// A step is tried again so that it ends before the kink by this part of it.
const SHORT: f64 = 5e-3;

/// How far before the kink a step may end, and how far it is looked for beyond the end.
const REACH: (f64, f64) = (1.5e-2, 0.1);

/// Where a switch depends on algebraic variables steps are tried nearer and nearer, by this part of the rest
/// of the way each, down to so many tolerances: their polynomial is only as good as it is short beyond the
/// stages.
const NEARER: (f64, f64) = (0.02, 10.0);

/// How often a step is tried again for one kink.
const MAX_TRIES: usize = 8;

/// What is to be done with a step that was tried.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Turn {
    /// As if there were no kinks.
    Go,
    /// Try it again.
    Again,
    /// If it is good enough take it, and start anew at the kink.
    Land(Passing),
}

impl Run<'_> {
    /// Looks for kinks in a step that was tried up to `end` at most.
    pub fn turn(
        &mut self,
        h: f64,
        attempt: &Result<Attempt, StepFailure>,
        end: f64,
    ) -> Result<Turn, StepFailure> {
        let Some(mut watch) = self.kinks.take() else { return Ok(Turn::Go) };
        let turn = match attempt {
            Ok(_) => self.turn_solved(h, end, &mut watch),
            Err(_) => self.turn_unsolved(h, &mut watch),
        };
        if turn == Ok(Turn::Go) {
            watch.aim = None;
        }
        self.kinks = Some(watch);
        turn
    }

    fn turn_solved(&mut self, h: f64, end: f64, watch: &mut KinkWatch) -> Result<Turn, StepFailure> {
        let start = self.integration.state().t;
        let now = start + h;
        watch.ahead = self.integration.looks_ahead();
        if !watch.ahead {
            return Ok(Turn::Go);
        }
        if watch.aim.is_none() && self.goes_calmly((start, now), Look::Ahead, watch)? {
            return Ok(Turn::Go);
        }
        if let Some(found) = self.first_passing((start, now), Look::Ahead, watch)? {
            // A jump may deceive about where it is: with the tries the way becomes shorter.
            let way = (found.time - start) * (1.0 - SHORT) * if watch.tries < 3 { 1.0 } else { 0.8 };
            watch.tries += 1;
            if watch.tries > MAX_TRIES || start + way <= start {
                return Ok(Turn::Land(found));
            }
            watch.aim = Some(start + way);
            return Ok(Turn::Again);
        }
        if watch.aim.is_none() {
            return Ok(Turn::Go);
        }
        let (known, at_start) = (watch.trial.clone(), std::mem::take(&mut watch.at_start));
        let values = watch.values.clone();
        let found = self.first_passing_from(&known, (now, now + REACH.1 * h), Look::Ahead, watch)?;
        (watch.trial, watch.at_start, watch.values) = (known, at_start, values);
        let Some(found) = found.filter(|found| found.time <= end) else { return Ok(Turn::Go) };
        let algebraic = watch.switches.is_algebraic(found.switch, self.system);
        let (gap, reach) = (found.time - now, if algebraic { NEARER.1 * watch.tolerance } else { REACH.0 });
        if gap <= reach * h || (watch.tries >= MAX_TRIES && !algebraic) {
            return Ok(Turn::Land(found));
        }
        if watch.tries >= MAX_TRIES {
            // From here the rest of the way is short enough to see better.
            return Ok(Turn::Go);
        }
        watch.tries += 1;
        watch.clean = watch.aim;
        let short = if gap <= REACH.0 * h { NEARER.0 * gap } else { SHORT * (found.time - start) };
        watch.aim = Some(found.time - short);
        Ok(Turn::Again)
    }

    /// Where Newton's iteration has failed there may be a kink in the step: tries the step that would end
    /// there, once.
    fn turn_unsolved(&mut self, h: f64, watch: &mut KinkWatch) -> Result<Turn, StepFailure> {
        let start = self.integration.state().t;
        if let Some(clean) = watch.clean.take() {
            // Too near: then from where it could be done.
            (watch.aim, watch.tries) = (Some(clean), MAX_TRIES);
            return Ok(Turn::Again);
        }
        if std::mem::replace(&mut watch.guessed, true) || watch.aim.is_some() {
            return Ok(Turn::Go);
        }
        let found = self.first_passing((start, start + h), Look::CarriedOn, watch)?;
        let way = found.map_or(0.0, |found| (found.time - start) * (1.0 - SHORT));
        if way <= AT_START * h {
            return Ok(Turn::Go);
        }
        self.log.counters.unsolved += 1;
        watch.aim = Some(start + way);
        watch.tries += 1;
        Ok(Turn::Again)
    }

    /// The passing inside a step that has been taken by a method that shows nothing before.
    pub fn passing_inside(&mut self) -> Result<Option<Passing>, StepFailure> {
        let Some(mut watch) = self.kinks.take_if(|watch| !watch.ahead) else { return Ok(None) };
        let (start, now) = (self.last.before.t, self.integration.state().t);
        let found = match self.goes_calmly((start, now), Look::Inside, &mut watch) {
            Ok(true) => Ok(None),
            Ok(false) => self.first_passing((start, now), Look::Inside, &mut watch),
            Err(failure) => Err(failure),
        };
        self.kinks = Some(watch);
        found
    }
}
