//! What is kept over the whole run, through every new start of the integrator.

use super::kinks::{KinkLog, Kinks};
use super::plain_laws::PlainLaws;
use super::{Ending, Event, KinkReport, MotionReport, MotionStudy, Observer, Pace, Run, Stop};
use crate::audit::Audit;
use crate::events::{Continuation, EventHandler, EventId, LawTimes};
use crate::halt::Halt;
use crate::network_start::settle_networks;
use crate::redundancy::Redundancy;
use crate::timetable::{Timetable, stops, timetable};
use poinsot_integrators::{Controller, Counters, SaddlePoint, StepFailure, instant};
use poinsot_mechanics::{LawSpan, Scratch, State, Switches, System};

/// Events within this part of the span that are an accumulation. Where bounces accumulate a coordinate of
/// size x does not change in floating point for about √(ε x/a), so they come no faster than that.
const CROWD: (usize, f64) = (100, 1e-6);

/// Rate of a constraint at a kink, relative to the largest speed, that only an impulse explains.
const STRUCK: f64 = 1e-3;

/// What is kept over the whole run.
pub(crate) struct Log {
    pub audit: Audit,
    /// Times still to come.
    pub targets: Timetable,
    /// Samples still to come from the dense output: the next, and the time between them.
    pub grid: Option<(u64, f64)>,
    pub start: f64,
    /// Time of the last sample.
    pub sampled: Option<f64>,
    /// Time of the last exchange of redundant rows.
    pub exchanged: Option<f64>,
    pub controller: Controller,
    /// Adaptive step to try next.
    pub step: Option<f64>,
    pub counters: Counters,
    pub rechoices: usize,
    /// What the last integration had to say.
    pub warning: Option<&'static str>,
    pub events: Vec<Event>,
    /// Signals of the events that have just happened, with the side of zero they are on.
    pub happened: Vec<(usize, f64)>,
    /// Sides of zero of all signals before the events, or where the integrator was seated anew.
    pub sides: Option<Vec<f64>>,
    /// Number of steps at the last checkpoint.
    pub saved: usize,
    pub kinks: KinkLog,
    pub laws: PlainLaws,
    /// What laws of time tell beforehand, since the last event that changed it.
    pub law_times: LawTimes,
}

impl Log {
    pub(crate) fn new(
        system: &System,
        start: &State,
        study: &MotionStudy,
        events: &dyn EventHandler,
    ) -> Self {
        let of_study = || LawTimes { kinks: study.kinks.clone(), laws: study.laws.clone() };
        let mut log = Log {
            audit: Audit::new(system, start),
            targets: stops(start.t, study.end, &[], &[], &[]),
            grid: None,
            start: start.t,
            sampled: None,
            exchanged: None,
            controller: Controller::new(f64::INFINITY),
            step: None,
            counters: Counters::default(),
            rechoices: 0,
            warning: None,
            events: vec![],
            happened: vec![],
            sides: None,
            saved: 0,
            kinks: KinkLog::default(),
            laws: PlainLaws::default(),
            law_times: events.law_times().unwrap_or_else(of_study),
        };
        log.set_times(study, events);
        log
    }

    /// The times of the whole study, and the longest step.
    pub(crate) fn set_times(&mut self, study: &MotionStudy, events: &dyn EventHandler) {
        let (start, kinks) = (self.start, &self.law_times.kinks);
        let (targets, grid, longest) = match study.pace {
            Pace::Fixed { step, stride } => (
                timetable(start, study.end, step, stride, &study.times, events.times(), kinks),
                None,
                f64::INFINITY,
            ),
            Pace::Adaptive { longest, every, .. } => (
                stops(start, study.end, &study.times, events.times(), kinks),
                every.map(|dt| (1, dt)),
                longest.unwrap_or(study.end - start),
            ),
        };
        (self.targets, self.grid) = (targets, grid);
        (self.controller.longest, self.controller.span) = (longest, study.end - start);
    }

    /// Looks for the switches of a system, if steps are to end where these pass a level.
    pub(super) fn watch_kinks(&mut self, system: &System, study: &MotionStudy) {
        let adaptive = matches!(study.pace, Pace::Adaptive { .. });
        if adaptive && study.state_kinks == Kinks::Locate {
            self.kinks.watch(Switches::of(system));
        }
    }

    /// Between two times at which laws have kinks or jumps a step sees the law that holds in between, up to
    /// both ends.
    pub(super) fn hold_laws(&self, system: &System, study: &MotionStudy, t: f64) {
        let kinks = &self.law_times.kinks;
        let behind = kinks.partition_point(|kink| *kink <= t + self.targets.tiny());
        let from = behind.checked_sub(1).map_or(f64::NEG_INFINITY, |k| kinks[k]);
        let to = kinks.get(behind).copied().unwrap_or(f64::INFINITY);
        let scale = t.abs().max(if to.is_finite() { to } else { study.end }.abs());
        system.hold_laws(LawSpan::between(from, to, scale));
    }

    /// Takes up what laws of time tell since an event has changed them.
    pub(super) fn renew_laws(&mut self, t: f64, law_times: LawTimes) {
        self.targets.renew_kinks(t, &law_times.kinks);
        self.laws = PlainLaws { shortest: self.laws.shortest, ..PlainLaws::default() };
        self.law_times = law_times;
    }

    /// Behind a kink the steps so far tell nothing, but where the step `keeps` its length.
    pub(super) fn forget_steps(&mut self, keeps: bool) {
        self.controller.restart();
        self.step = self.step.filter(|_| keeps);
    }

    /// The step with which an integrator starts, as far as it is known.
    pub(super) fn first_step(&self, study: &MotionStudy) -> f64 {
        self.step.unwrap_or(match study.pace {
            Pace::Fixed { step, .. } => step,
            Pace::Adaptive { first, .. } => first.unwrap_or(0.0),
        })
    }

    /// Puts other rows in force than those that have become weak.
    pub(super) fn exchange_rows(&mut self, system: &mut System, state: &State) -> Result<(), StepFailure> {
        let exchanged = Redundancy::new(system).exchange(system, state);
        exchanged.map_err(|e| StepFailure::singular(system, state.t, &e))?;
        self.audit.exchanges += 1;
        Ok(())
    }

    /// The last step counts as one that failed.
    pub(super) fn take_back_step(&mut self) {
        self.counters.steps -= 1;
        self.counters.unsolved += 1;
    }

    /// The report of the whole run.
    pub(super) fn report(self, ending: Ending, state: State) -> MotionReport {
        let kinks = KinkReport { held: self.laws.shortest, ..self.kinks.report() };
        let Log { start, audit, counters, rechoices, warning, events, .. } = self;
        MotionReport { ending, start_time: start, state, counters, rechoices, warning, audit, events, kinks }
    }

    /// Where the law of a drive has a kink the speed that it asks for jumps: an impulse brings the velocities
    /// there, and its work is supplied. This holds for every form of the constraints: one that keeps
    /// accelerations alone would never see the jump, one that keeps positions would swing about it.
    pub(super) fn strike(&mut self, system: &System, state: &mut State) -> Result<(), StepFailure> {
        let mut rows = vec![0.0; system.size()];
        system.constraint_rate(&instant(state, &rows.clone()), &mut rows, &mut Scratch::default());
        let open = rows.iter().fold(0.0, |most: f64, row| most.max(row.abs()));
        let speed = state.v.iter().fold(0.0, |most: f64, v| most.max(v.abs()));
        if open <= STRUCK * speed.max(f64::MIN_POSITIVE) {
            return Ok(());
        }
        let before = total_energy(system, state);
        state.rates.clear();
        let projected = SaddlePoint::new(system).project(system, state, system.length_scale());
        projected.map_err(|e| StepFailure::singular(system, state.t, &e))?;
        system.remember(state);
        self.audit.supplied += total_energy(system, state) - before;
        Ok(())
    }

    /// Lets events do what they do; where they end the motion the state in which they leave it is the last
    /// sample.
    pub(super) fn settle(
        &mut self,
        ids: &[(EventId, f64)],
        system: &mut System,
        state: &mut State,
        study: &MotionStudy,
        observer: &mut dyn Observer,
        events: &mut dyn EventHandler,
    ) -> Result<Option<Ending>, StepFailure> {
        let ending = self.handle(ids, system, state, study, events)?;
        self.watch_kinks(system, study);
        if ending == Some(Ending::Completed) {
            let mut run = Run::new(system, study, state.clone(), self, events)?;
            // The motion has its ending already.
            if let Err(Stop::Failure(failure)) = run.sample(observer) {
                return Err(failure);
            }
        }
        Ok(ending)
    }

    /// Lets events do what they do and makes the state consistent again.
    fn handle(
        &mut self,
        ids: &[(EventId, f64)],
        system: &mut System,
        state: &mut State,
        study: &MotionStudy,
        events: &mut dyn EventHandler,
    ) -> Result<Option<Ending>, StepFailure> {
        let t = state.t;
        // Natural velocities that an integrator keeps are made anew from v: what an event does to velocities
        // counts, and what they have normal to the constraints must not be carried over a jump of the loads,
        // behind which it would swing for ever (energy-momentum-null-space G-08).
        state.rates.clear();
        let before = total_energy(system, state);
        let mut stop = false;
        self.happened.clear();
        for &(what, side) in ids {
            self.events.push(Event { time: t, what });
            let outcome = match what {
                EventId::Crossed(k) => events.crossed(k, system, state),
                EventId::Time(k) => events.time_has_come(k, system, state),
            };
            let continuation = match outcome {
                Ok(continuation) => continuation,
                Err(halt) => return Ok(Some(Ending::EventFailed(halt))),
            };
            if let EventId::Crossed(k) = what {
                self.happened.push((k, if continuation == Continuation::Rebound { side } else { 0.0 }));
            }
            stop |= continuation == Continuation::Stop;
        }
        if let Some(law_times) = events.law_times() {
            self.renew_laws(t, law_times);
        }
        self.hold_laws(system, study, t);
        let projected = SaddlePoint::new(system).project(system, state, system.length_scale());
        projected.map_err(|e| StepFailure::singular(system, t, &e))?;
        if let Err(error) = settle_networks(system, state) {
            return Ok(Some(Ending::EventFailed(Halt::of_event(error.to_string()))));
        }
        system.close_networks(state, &mut Scratch::default());
        system.remember(state);
        // What the event adds to or takes from the energy is its work.
        self.audit.supplied += total_energy(system, state) - before;
        self.controller.restart();
        self.step = None;
        self.sampled = None;
        if stop {
            return Ok(Some(Ending::Completed));
        }
        let (most, span) = CROWD;
        let crowd = self.events.len().checked_sub(most).and_then(|k| self.events.get(k));
        let end = self.targets.end();
        match crowd.filter(|event| t - event.time < span * (end - self.start)) {
            Some(_) => Ok(Some(Ending::EventFailed(Halt::of_event(format!(
                "events accumulate at t = {t:.9} s: {most} of them in no time; let the motion end there, or rest"
            ))))),
            None => Ok(None),
        }
    }
}

/// Kinetic and potential energy of a state.
fn total_energy(system: &System, state: &State) -> f64 {
    let zero = vec![0.0; system.size()];
    system.balance(&instant(state, &zero), &mut Scratch::default()).total()
}
