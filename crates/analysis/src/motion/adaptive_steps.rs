//! Adaptive steps: as long as the controller, the laws of time, kinks and turns of bodies allow.

use super::kinks::{Passing, Turn};
use super::run::largest;
use super::{Ending, Observer, Pace, Run, Stop};
use poinsot_integrators::{Attempt, ErrorMeasure, StepDecision, StepFailure, first_step};

/// Most rotation of a body in an adaptive step (rad): two bodies turn by less than half a turn relative to
/// each other, so that full turns can be counted.
const MAX_TURN: f64 = 1.5;

/// Shortest adaptive step, relative to the time reached and to the span of the study.
const SHORTEST: (f64, f64) = (1e-14, 1e-30);

impl Run<'_> {
    /// Takes a step as the controller says: tries until one is good enough, and ends it at a kink if there is
    /// one inside.
    pub(super) fn take_adaptive_step(&mut self, end: f64, observer: &mut dyn Observer) -> Result<(), Stop> {
        let mut wanted = match self.log.step.or(self.first_step()) {
            Some(step) => step,
            None => self.find_first_step()?,
        };
        loop {
            let h = self.bounded_step(wanted, end);
            if let Some(failure) = self.stalled() {
                return Err(self.give_up(failure, observer));
            }
            let h = self.aimed_step().unwrap_or(h);
            self.remember_before();
            let attempt = self.integration.attempt(h);
            let turn = self.turn(h, &attempt, end)?;
            if turn == Turn::Again {
                self.log.kinks.retried += 1;
                continue;
            }
            let failure = match attempt {
                Ok(attempt) => {
                    let verdict = self.judge(h, &attempt);
                    if verdict.accept {
                        let next = if h < 0.9 * wanted { wanted.max(verdict.next) } else { verdict.next };
                        return self.accept_before_kink(h, next, turn, end, observer);
                    }
                    wanted = verdict.next;
                    self.log.counters.rejected += 1;
                    self.forget_aim();
                    if let (Some(_), Some(error)) = (self.behind_kink, attempt.error) {
                        // Wrong rates just behind the kink are an error that goes with the step itself.
                        wanted = h * (0.5 / error).clamp(1e-8, 0.2);
                    }
                    None
                }
                Err(failure) => {
                    wanted = self.log.controller.cut(h);
                    self.log.counters.unsolved += 1;
                    Some(failure)
                }
            };
            if wanted < self.shortest() {
                let t = self.integration.state().t;
                let failure = failure.unwrap_or_else(|| StepFailure::too_short(t, wanted));
                return Err(self.give_up(failure, observer));
            }
        }
    }

    /// The step that is wanted, as far as laws of time, turns of bodies and the time to arrive at allow.
    fn bounded_step(&mut self, wanted: f64, end: f64) -> f64 {
        let left = end - self.integration.state().t;
        let bounded = self.plain_step(wanted.min(MAX_TURN / self.spin()), end);
        // The last two steps share what is left, so that none of them is tiny.
        if bounded >= 0.999_999 * left {
            left
        } else if 2.0 * bounded > left {
            0.5 * left
        } else {
            self.integration.convenient_step(bounded).min(left)
        }
    }

    /// Accepts a step; where it has passed a kink it ends there. `next` is the step that is wanted then.
    fn accept_before_kink(
        &mut self,
        h: f64,
        next: f64,
        turn: Turn,
        end: f64,
        observer: &mut dyn Observer,
    ) -> Result<(), Stop> {
        self.accept(h);
        self.log.step = Some(next);
        let passing = match turn {
            Turn::Land(passing) => Some(passing),
            _ => self.passing_inside()?,
        };
        if let Some(passing) = passing {
            return self.end_at(&passing, end, observer);
        }
        // The rates are known again.
        self.log.step = Some(self.behind_kink.take().map_or(next, |step| next.max(step)));
        self.kinks_passed();
        Ok(())
    }

    /// Whether there is a step left to a time of the timetable.
    pub(super) fn is_step_left(&self, end: f64) -> bool {
        let left = end - self.integration.state().t;
        left > 4.0 * f64::EPSILON * end.abs().max(self.log.start.abs())
    }

    /// Ends a motion whose steps have become too short to make sense.
    pub(super) fn watch_step(&mut self, observer: &mut dyn Observer) -> Result<(), Stop> {
        let Some(wanted) = self.log.step.filter(|step| *step < self.shortest()) else { return Ok(()) };
        let equation = largest(self.integration.rates());
        let failure = StepFailure::blown_up(self.system, self.integration.state().t, wanted, equation);
        Err(self.give_up(failure, observer))
    }

    /// The shortest adaptive step that makes sense.
    fn shortest(&self) -> f64 {
        let t = self.integration.state().t;
        (SHORTEST.0 * t.abs()).max(SHORTEST.1 * (self.study.end - self.log.start))
    }

    /// Ends the last step at a kink, or at an event before it.
    fn end_at(&mut self, passing: &Passing, end: f64, observer: &mut dyn Observer) -> Result<(), Stop> {
        let t = passing.time;
        self.look_for_events_until(t.min(self.integration.state().t), end, observer)?;
        if self.log.grid.is_some() {
            self.sample_inside(t, end, observer)?;
        } else {
            self.look_inside(t)?;
            self.sample_look(self.buffers.inside.t, observer)?;
        }
        let missing = self.missing_work(t)?;
        self.log.audit.supplied += missing.supplied;
        self.log.audit.dissipated += missing.dissipated;
        self.settle_at(t)?;
        self.keep_sides();
        self.note_kink(passing);
        if !observer.keep_going(t) {
            return Err(Ending::Interrupted.into());
        }
        Err(Stop::Kink(Some(Box::new(self.buffers.inside.clone()))))
    }

    fn judge(&mut self, h: f64, attempt: &Attempt) -> StepDecision {
        let verdict = self.log.controller.judge(h, attempt);
        let next = attempt.next.filter(|_| verdict.accept).unwrap_or(verdict.next);
        StepDecision { next: next.min(attempt.longest).min(self.log.controller.longest), ..verdict }
    }

    fn first_step(&self) -> Option<f64> {
        match self.study.pace {
            Pace::Adaptive { first, .. } if self.log.events.is_empty() => first,
            _ => None,
        }
    }

    fn find_first_step(&mut self) -> Result<f64, StepFailure> {
        let Pace::Adaptive { tolerance, .. } = self.study.pace else { return Ok(0.0) };
        let mut measure = ErrorMeasure::new(self.system, tolerance);
        let (state, a) = (self.integration.state(), &mut self.buffers.a);
        a.copy_from_slice(self.integration.rates());
        self.saddle
            .accelerations(self.system, state, a)
            .map_err(|e| StepFailure::singular(self.system, state.t, &e))?;
        let longest = self.log.controller.longest.min(self.study.end - state.t);
        Ok(first_step(&mut measure, state, a, self.integration.exponent(), longest))
    }
}
