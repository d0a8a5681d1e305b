//! Adaptive steps: as long as the controller, the laws of time, kinks and turns of bodies allow.

use super::kinks::{Passing, Turn};
use super::segment::{Break, Segment};
use super::{Ending, Observer, Pace, Run, largest};
use crate::events::Watch;
use poinsot_integrators::{Attempt, ErrorMeasure, StepFailure, Verdict, first_step};

/// Most rotation of a body in an adaptive step (rad): two bodies turn by less than half a turn relative to
/// each other, so that full turns can be counted.
const MAX_TURN: f64 = 1.5;

/// Shortest adaptive step, relative to the time reached and to the span of the study.
const SHORTEST: (f64, f64) = (1e-14, 1e-30);

impl Run<'_> {
    /// Steps as the controller says until `end`.
    pub(super) fn advance_adaptively(&mut self, end: f64, observer: &mut dyn Observer) -> Result<(), Break> {
        let mut wanted = match self.log.step.or(self.first_step()) {
            Some(step) => step,
            None => self.find_first_step()?,
        };
        loop {
            let left = end - self.integration.state().t;
            if left <= 4.0 * f64::EPSILON * end.abs().max(self.log.start.abs()) {
                self.log.step = Some(wanted);
                return Ok(());
            }
            let bounded = self.plain_step(wanted.min(MAX_TURN / self.spin()), end);
            // The last two steps share what is left, so that none of them is tiny.
            let h = if bounded >= 0.999_999 * left {
                left
            } else if 2.0 * bounded > left {
                0.5 * left
            } else {
                self.integration.convenient_step(bounded).min(left)
            };
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
                    wanted = if verdict.accept && h < 0.9 * wanted {
                        wanted.max(verdict.next)
                    } else {
                        verdict.next
                    };
                    if verdict.accept {
                        self.accept(h);
                        self.log.step = Some(wanted);
                        if let Turn::Land(passing) = turn {
                            return Err(self.pass(&passing, end, observer));
                        }
                        if let Some(passing) = self.passing_inside()? {
                            return Err(self.pass(&passing, end, observer));
                        }
                        // The rates are known again.
                        wanted = self.behind_kink.take().map_or(wanted, |step| wanted.max(step));
                        self.log.step = Some(wanted);
                        self.kinks_passed();
                        self.look_for_events(end, observer)?;
                        self.sample_inside(self.integration.state().t, end, observer)?;
                        if !observer.keep_going(self.integration.state().t) {
                            self.sample(observer)??;
                            return Err(Ending::Interrupted.into());
                        }
                        self.watch_rows()?;
                        self.watch_steps()?;
                        if wanted < self.shortest() {
                            let equation = largest(self.integration.rates());
                            let t = self.integration.state().t;
                            let failure = StepFailure::blown_up(self.system, t, wanted, equation);
                            return Err(self.give_up(failure, observer));
                        }
                        continue;
                    }
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
            let t = self.integration.state().t;
            if wanted < self.shortest() {
                let failure = failure.unwrap_or_else(|| StepFailure::too_short(t, wanted));
                return Err(self.give_up(failure, observer));
            }
        }
    }

    /// The shortest adaptive step that makes sense.
    pub(super) fn shortest(&self) -> f64 {
        let t = self.integration.state().t;
        (SHORTEST.0 * t.abs()).max(SHORTEST.1 * (self.study.end - self.log.start))
    }

    /// Ends the last step at a kink, or at an event before it.
    pub(super) fn pass(&mut self, passing: &Passing, end: f64, observer: &mut dyn Observer) -> Break {
        match self.end_at(passing, end, observer) {
            Ok(segment) => Break::Segment(segment),
            Err(reason) => reason,
        }
    }

    pub(super) fn end_at(
        &mut self,
        passing: &Passing,
        end: f64,
        observer: &mut dyn Observer,
    ) -> Result<Segment, Break> {
        let t = passing.time;
        self.look_for_events_until(t.min(self.integration.state().t), end, observer)?;
        if self.log.grid.is_some() {
            self.sample_inside(t, end, observer)?;
        } else {
            self.look_inside(t)?;
            self.sample_look(self.inside.t, observer)?;
        }
        let missing = self.missing_work(t)?;
        self.log.audit.supplied += missing.supplied;
        self.log.audit.dissipated += missing.dissipated;
        self.settle_at(t)?;
        self.log.sides = self.watch.as_ref().map(Watch::sides);
        self.note_kink(passing);
        if !observer.keep_going(t) {
            return Ok(Segment::Ended(Ending::Interrupted));
        }
        Ok(Segment::Passed(Box::new(self.inside.clone())))
    }

    pub(super) fn judge(&mut self, h: f64, attempt: &Attempt) -> Verdict {
        let verdict = self.log.controller.judge(h, attempt);
        let next = attempt.next.filter(|_| verdict.accept).unwrap_or(verdict.next);
        Verdict { next: next.min(attempt.longest).min(self.log.controller.longest), ..verdict }
    }

    pub(super) fn first_step(&self) -> Option<f64> {
        match self.study.pace {
            Pace::Adaptive { first, .. } if self.log.events.is_empty() => first,
            _ => None,
        }
    }

    pub(super) fn find_first_step(&mut self) -> Result<f64, StepFailure> {
        let Pace::Adaptive { tolerance, .. } = self.study.pace else { return Ok(0.0) };
        let mut measure = ErrorMeasure::new(self.system, tolerance);
        let (state, a) = (self.integration.state(), &mut self.a);
        a.copy_from_slice(self.integration.rates());
        self.saddle
            .accelerations(self.system, state, a)
            .map_err(|e| StepFailure::singular(self.system, state.t, &e))?;
        let longest = self.log.controller.longest.min(self.study.end - state.t);
        Ok(first_step(&mut measure, state, a, self.integration.exponent(), longest))
    }
}
