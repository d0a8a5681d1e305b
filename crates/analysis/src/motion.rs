//! The motion study: integrates a system over time, samples it, watches for events and audits it.
//!
//! One driver serves every integrator. With fixed steps it goes from one time of the timetable to the next;
//! with adaptive steps the [`Controller`] judges every attempt, and samples in between come from the dense
//! output, moved onto the constraints. Where redundant rows are exchanged or an event happens the integrator
//! starts anew.

mod kinks;
mod law_pace;
mod retake;

use crate::audit::Audit;
use crate::checkpoint::Checkpoint;
use crate::events::{Continuation, Crossings, EventHandler, Happening, LawTimes, NoEvents, Watch};
use crate::network_start::settle_networks;
use crate::redundancy::Redundancy;
use crate::timetable::{Timetable, stops, timetable};
use poinsot_expr::TimeLaw;
use poinsot_integrators::{
    Attempt, Controller, Counters, DenseOutput, ErrorMeasure, Method, SaddlePoint, StepFailure, Stepper,
    Tolerance, WorkMeter, first_step, instant, is_powered,
};
use poinsot_mechanics::{Balance, Instant, LawSpan, Power, Scratch, State, Switches, System};

pub(crate) use kinks::KinkLog;
pub use kinks::{KinkReport, Kinks};
use kinks::{KinkWatch, Passing, Turn};
pub(crate) use law_pace::LawPace;
use retake::Retake;

/// How often a fixed step that does not converge is halved before the run fails.
const MAX_CUTS: u32 = 5;

/// Way of a body (rad, or lengths of the model) after which the choice of redundant rows is looked at again.
const EXCHANGE_CHECK: f64 = 0.05;

/// Residual of a redundant row, relative to the model's length, at which it contradicts the others.
const CONTRADICTION: f64 = 1e-6;

/// The same relative to the rows in force, where the form of the constraints lets these open and brings them
/// back: a redundant row opens with them.
const LEVERAGE: f64 = 100.0;

/// Rate of a constraint at a kink, relative to the largest speed, that only an impulse explains.
const STRUCK: f64 = 1e-3;

/// Shortest adaptive step, relative to the time reached and to the span of the study.
const SHORTEST: (f64, f64) = (1e-14, 1e-30);

/// Events within this part of the span that are an accumulation. Where bounces accumulate a coordinate of
/// size x does not change in floating point for about √(ε x/a), so they come no faster than that.
const CROWD: (usize, f64) = (100, 1e-6);

/// Relative to its terms, how far an algebraic equation must be from holding to have been opened by a jump.
const OPEN_BEHIND_JUMP: f64 = 1e-10;

/// Most rotation of a body in an adaptive step (rad): two bodies turn by less than half a turn relative to
/// each other, so that full turns can be counted.
const MAX_TURN: f64 = 1.5;

/// How the time goes on.
#[derive(Clone, Debug, PartialEq)]
pub enum Pace {
    /// In steps of one length.
    Fixed {
        /// Step (s).
        step: f64,
        /// A sample is taken every so many steps.
        stride: usize,
    },
    /// In steps as long as the tolerance allows.
    Adaptive {
        /// Tolerance of the local error.
        tolerance: Tolerance,
        /// First step (s); without it the study finds one.
        first: Option<f64>,
        /// Longest step (s).
        longest: Option<f64>,
        /// Time between samples (s); without it every step is one.
        every: Option<f64>,
    },
}

/// What is to be integrated and when it is to be looked at.
#[derive(Clone, Debug)]
pub struct MotionStudy {
    /// End time (s).
    pub end: f64,
    /// Steps and samples.
    pub pace: Pace,
    /// Times at which a sample is taken exactly.
    pub times: Vec<f64>,
    /// The integrator; settings of GS4 turn into one with `into()`.
    pub method: Method,
    /// Times at which a law has a kink or a jump, in order: steps end there, and the integrator starts anew.
    /// Breaks at the very start and end count too.
    pub kinks: Vec<f64>,
    /// Explicit functions of time in the laws: an adaptive step is not so long that it could miss a turn of
    /// one.
    pub laws: Vec<TimeLaw>,
    /// What adaptive steps do about other kinks, those of piecewise laws of the state.
    pub state_kinks: Kinks,
    /// Tolerances of single nodes and variables: a range of equation numbers each.
    pub tolerances: Vec<(std::ops::Range<usize>, Tolerance)>,
    /// A checkpoint is made after so many steps; there the integrator starts anew from the state alone, so
    /// that a run that is taken up again is the same to the last bit.
    pub checkpoint: Option<usize>,
}

impl MotionStudy {
    fn new(end: f64, pace: Pace, method: Method) -> Self {
        MotionStudy {
            end,
            pace,
            times: vec![],
            kinks: vec![],
            laws: vec![],
            state_kinks: Kinks::default(),
            method,
            tolerances: vec![],
            checkpoint: None,
        }
    }

    /// A study with fixed steps.
    pub fn fixed(end: f64, step: f64, stride: usize, method: impl Into<Method>) -> Self {
        let pace = Pace::Fixed { step, stride };
        Self::new(end, pace, method.into())
    }

    /// A study with adaptive steps, sampled at every step.
    pub fn adaptive(end: f64, tolerance: Tolerance, method: impl Into<Method>) -> Self {
        let pace = Pace::Adaptive { tolerance, first: None, longest: None, every: None };
        Self::new(end, pace, method.into())
    }

    /// The step, or a usual one where steps are adaptive.
    pub fn typical_step(&self, report: &MotionReport) -> f64 {
        match self.pace {
            Pace::Fixed { step, .. } => step,
            // Where the first step already fails it would have been at most the whole study.
            Pace::Adaptive { .. } if report.state.t == report.start_time => self.end - report.start_time,
            Pace::Adaptive { .. } => {
                (report.state.t - report.start_time) / report.counters.steps.max(1) as f64
            }
        }
    }
}

/// A sample: the state with accelerations and multipliers that belong to it, and its balance.
#[derive(Clone, Copy, Debug)]
pub struct Sample<'a> {
    /// State, accelerations and multipliers.
    pub at: Instant<'a>,
    /// Energies and momenta.
    pub balance: &'a Balance,
    /// Work supplied since the start (J).
    pub supplied: f64,
    /// Work dissipated since the start (J).
    pub dissipated: f64,
}

/// Receives samples and progress.
pub trait Observer {
    /// A sample; an error text ends the run.
    fn sample(&mut self, system: &System, sample: &Sample) -> Result<(), String>;

    /// Called after each step; false asks to stop.
    fn keep_going(&mut self, t: f64) -> bool;

    /// A place from which the motion can be taken up again; an error text ends the run.
    fn checkpoint(&mut self, _at: &Checkpoint) -> Result<(), String> {
        Ok(())
    }
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// Reached the end time, or an event that ends the motion.
    Completed,
    /// Stopped on request.
    Interrupted,
    /// A step failed.
    Failed(StepFailure),
    /// The observer refused a sample.
    Refused(String),
    /// An event could not be handled.
    EventFailed(String),
}

/// An event that has happened.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Event {
    /// When (s).
    pub time: f64,
    /// What.
    pub what: Happening,
}

/// What a run gives besides its samples.
#[derive(Clone, Debug)]
pub struct MotionReport {
    /// How it ended.
    pub ending: Ending,
    /// Where it started (s).
    pub start_time: f64,
    /// The state that was reached.
    pub state: State,
    /// Cost.
    pub counters: Counters,
    /// How often an embedding has changed its independent coordinates.
    pub rechoices: usize,
    /// What the integrator has to say about the motion.
    pub warning: Option<&'static str>,
    /// Evidence.
    pub audit: Audit,
    /// Events in the order in which they happened.
    pub events: Vec<Event>,
    /// Kinks of piecewise laws.
    pub kinks: KinkReport,
}

/// Runs a motion study without events from a consistent state.
pub fn run_motion(
    system: &mut System,
    start: State,
    study: &MotionStudy,
    observer: &mut dyn Observer,
) -> Result<MotionReport, StepFailure> {
    run_with_events(system, start, study, observer, &mut NoEvents)
}

/// Runs a motion study from a consistent state. Where redundant rows are exchanged on the way and after
/// events the integrator starts anew at the state reached.
pub fn run_with_events(
    system: &mut System,
    start: State,
    study: &MotionStudy,
    observer: &mut dyn Observer,
    events: &mut dyn EventHandler,
) -> Result<MotionReport, StepFailure> {
    let log = Log::new(system, &start, study, events);
    drive(system, start, study, observer, events, log)
}

/// Goes on from a state and what is known of the way there.
pub(crate) fn drive(
    system: &mut System,
    mut state: State,
    study: &MotionStudy,
    observer: &mut dyn Observer,
    events: &mut dyn EventHandler,
    mut log: Log,
) -> Result<MotionReport, StepFailure> {
    let start_time = log.start;
    log.watch_kinks(system, study);
    let mut open = OPEN_BEHIND_JUMP;
    loop {
        log.hold_laws(system, study, state.t);
        system.close_behind_jump(open, &mut state, &mut Scratch::default());
        let integration = study.method.start(system, state, log.first_step(study))?;
        let mut run = Run::new(system, study, integration, &mut log, events)?;
        let segment = run.go_past_kinks(observer)?;
        let (reached, counters) = (run.integration.state().clone(), *run.integration.counters());
        let (rechoices, warning) = (run.integration.rechoices(), run.integration.warning());
        drop(run);
        log.counters.add(&counters);
        log.rechoices += rechoices;
        state = reached;
        open = segment.least_opening(study);
        let ending = match segment {
            Segment::Ended(ending) => Some(ending),
            Segment::Weak => {
                let exchanged = Redundancy::new(system).exchange(system, &state);
                exchanged.map_err(|e| StepFailure::singular(system, state.t, &e))?;
                log.audit.exchanges += 1;
                None
            }
            Segment::Astray(before) => {
                state = *before;
                let exchanged = Redundancy::new(system).exchange(system, &state);
                exchanged.map_err(|e| StepFailure::singular(system, state.t, &e))?;
                log.audit.exchanges += 1;
                log.counters.steps -= 1;
                log.counters.unsolved += 1;
                None
            }
            Segment::Kink => {
                log.hold_laws(system, study, state.t);
                log.strike(system, &mut state)?;
                log.forget_steps(false);
                None
            }
            Segment::Passed(at) => {
                state = *at;
                // A formula of several steps begins with the first order.
                log.forget_steps(!matches!(study.method, Method::Bdf(_)));
                None
            }
            Segment::Events(what, at) => {
                state = *at;
                let ending = log.handle(&what, system, &mut state, study, events)?;
                log.watch_kinks(system, study);
                if ending == Some(Ending::Completed) {
                    log.last_sample(system, &state, study, observer, events)?;
                }
                ending
            }
            Segment::Checkpoint => {
                log.saved = log.counters.steps;
                let kept = observer.checkpoint(&Checkpoint::of(system, &state, &log));
                kept.err().map(Ending::Refused)
            }
        };
        if let Some(ending) = ending {
            system.hold_laws(LawSpan::ALL);
            let kinks = KinkReport { held: log.laws.shortest, ..log.kinks.report() };
            let Log { audit, counters, rechoices, events, .. } = log;
            return Ok(MotionReport {
                ending,
                start_time,
                state,
                counters,
                rechoices,
                warning,
                audit,
                events,
                kinks,
            });
        }
    }
}

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
    pub events: Vec<Event>,
    /// Signals of the events that have just happened, with the side of zero they are on.
    pub happened: Vec<(usize, f64)>,
    /// Sides of zero of all signals before the events, or where the integrator was seated anew.
    pub sides: Option<Vec<f64>>,
    /// Number of steps at the last checkpoint.
    pub saved: usize,
    pub kinks: KinkLog,
    pub laws: LawPace,
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
            events: vec![],
            happened: vec![],
            sides: None,
            saved: 0,
            kinks: KinkLog::default(),
            laws: LawPace::default(),
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
    fn watch_kinks(&mut self, system: &System, study: &MotionStudy) {
        let adaptive = matches!(study.pace, Pace::Adaptive { .. });
        if adaptive && study.state_kinks == Kinks::Locate {
            self.kinks.watch(Switches::of(system));
        }
    }

    /// Between two times at which laws have kinks or jumps a step sees the law that holds in between, up to
    /// both ends.
    fn hold_laws(&self, system: &System, study: &MotionStudy, t: f64) {
        let kinks = &self.law_times.kinks;
        let behind = kinks.partition_point(|kink| *kink <= t + self.targets.tiny());
        let from = behind.checked_sub(1).map_or(f64::NEG_INFINITY, |k| kinks[k]);
        let to = kinks.get(behind).copied().unwrap_or(f64::INFINITY);
        let scale = t.abs().max(if to.is_finite() { to } else { study.end }.abs());
        system.hold_laws(LawSpan::between(from, to, scale));
    }

    /// Takes up what laws of time tell since an event has changed them.
    fn renew_laws(&mut self, t: f64, law_times: LawTimes) {
        self.targets.renew_kinks(t, &law_times.kinks);
        self.laws = LawPace { shortest: self.laws.shortest, ..LawPace::default() };
        self.law_times = law_times;
    }

    /// Behind a kink the steps so far tell nothing, but where the step `keeps` its length.
    fn forget_steps(&mut self, keeps: bool) {
        self.controller.restart();
        self.step = self.step.filter(|_| keeps);
    }

    /// The step with which an integrator starts, as far as it is known.
    fn first_step(&self, study: &MotionStudy) -> f64 {
        self.step.unwrap_or(match study.pace {
            Pace::Fixed { step, .. } => step,
            Pace::Adaptive { first, .. } => first.unwrap_or(0.0),
        })
    }

    /// A sample of the state in which the last event has left the motion.
    fn last_sample(
        &mut self,
        system: &System,
        state: &State,
        study: &MotionStudy,
        observer: &mut dyn Observer,
        events: &mut dyn EventHandler,
    ) -> Result<(), StepFailure> {
        let integration = study.method.start(system, state.clone(), self.first_step(study))?;
        let mut run = Run::new(system, study, integration, self, events)?;
        // The run has its ending already.
        run.sample(observer).map(|_| ())
    }

    /// Where the law of a drive has a kink the speed that it asks for jumps: an impulse brings the velocities
    /// there, and its work is supplied. This holds for every form of the constraints: one that keeps
    /// accelerations alone would never see the jump, one that keeps positions would swing about it.
    fn strike(&mut self, system: &System, state: &mut State) -> Result<(), StepFailure> {
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

    /// Lets events do what they do and makes the state consistent again.
    fn handle(
        &mut self,
        happenings: &[(Happening, f64)],
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
        for &(what, side) in happenings {
            self.events.push(Event { time: t, what });
            let outcome = match what {
                Happening::Crossed(k) => events.crossed(k, system, state),
                Happening::Time(k) => events.time_has_come(k, system, state),
            };
            let continuation = match outcome {
                Ok(continuation) => continuation,
                Err(refusal) => return Ok(Some(Ending::EventFailed(refusal))),
            };
            if let Happening::Crossed(k) = what {
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
            return Ok(Some(Ending::EventFailed(error.to_string())));
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
            Some(_) => Ok(Some(Ending::EventFailed(format!(
                "events accumulate at t = {t:.9} s: {most} of them in no time; let the motion end there, or rest"
            )))),
            None => Ok(None),
        }
    }
}

/// How a part of the run ended.
enum Segment {
    Ended(Ending),
    /// A redundant row has become weak in its dependence.
    Weak,
    /// A step has left a redundant row open: the rows in force were satisfied elsewhere. With the state
    /// before it.
    Astray(Box<State>),
    /// Something has happened, each with the side of zero a signal comes from, with the state there.
    Events(Vec<(Happening, f64)>, Box<State>),
    /// It is time for a checkpoint.
    Checkpoint,
    /// A law has a kink here.
    Kink,
    /// A piecewise law has a kink, behind which is this state.
    Passed(Box<State>),
}

impl Segment {
    /// How far an algebraic equation must be from holding at the new start to have been opened by a jump: at
    /// a kink that was located on a polynomial more than its error.
    fn least_opening(&self, study: &MotionStudy) -> f64 {
        match (self, &study.pace) {
            (Segment::Kink, _) => OPEN_BEHIND_JUMP,
            (Segment::Passed(_), Pace::Adaptive { tolerance, .. }) => {
                100.0 * tolerance.relative.max(tolerance.absolute)
            }
            _ => f64::INFINITY,
        }
    }
}

/// Why a part of the run ends.
enum Break {
    Segment(Segment),
    Failure(StepFailure),
}

impl From<StepFailure> for Break {
    fn from(failure: StepFailure) -> Self {
        Break::Failure(failure)
    }
}

impl From<Ending> for Break {
    fn from(ending: Ending) -> Self {
        Break::Segment(Segment::Ended(ending))
    }
}

struct Run<'a> {
    system: &'a System,
    study: &'a MotionStudy,
    integration: Box<dyn Stepper + 'a>,
    saddle: SaddlePoint,
    /// In use if rows are suspended.
    redundancy: Option<Redundancy>,
    /// Way since the choice of redundant rows was looked at: rotation, or displacement over the model's
    /// length.
    way: f64,
    length: f64,
    /// The state before the last step, and the motion since, where anybody asks.
    before: State,
    dense: Option<DenseOutput>,
    /// Whether anything but gravity and springs may do work.
    powered: bool,
    /// Work of the last step, and of its part up to a time inside.
    work: Power,
    part: (f64, Power),
    inside: State,
    /// What samples show, where velocities at the ends of steps are open.
    shown: Option<State>,
    a: Vec<f64>,
    a_before: Vec<f64>,
    rows: Vec<f64>,
    scratch: Scratch,
    meter: WorkMeter,
    events: &'a mut dyn EventHandler,
    watch: Option<Watch>,
    kinks: Option<KinkWatch>,
    /// The step that was wanted before a kink, until the first step behind it.
    behind_kink: Option<f64>,
    retake: Retake<'a>,
    log: &'a mut Log,
}

impl<'a> Run<'a> {
    fn new(
        system: &'a System,
        study: &'a MotionStudy,
        mut integration: Box<dyn Stepper + 'a>,
        log: &'a mut Log,
        events: &'a mut dyn EventHandler,
    ) -> Result<Self, StepFailure> {
        let a = vec![0.0; system.size()];
        let state = integration.state().clone();
        if let Pace::Adaptive { tolerance, .. } = study.pace {
            let mut measure = ErrorMeasure::new(system, tolerance);
            study.tolerances.iter().for_each(|(range, tolerance)| measure.set(range.clone(), *tolerance));
            measure.set_span(study.end - log.start);
            integration.set_tolerances(measure);
        }
        let mut run = Run {
            system,
            study,
            meter: WorkMeter::new(system, &*integration),
            integration,
            saddle: SaddlePoint::new(system),
            way: 0.0,
            length: system.length_scale(),
            redundancy: (!system.suspended_rows().is_empty()).then(|| Redundancy::new(system)),
            before: state.clone(),
            dense: None,
            powered: is_powered(system),
            work: Power::default(),
            part: (0.0, Power::default()),
            retake: Retake::new(&study.method, &state),
            shown: study.method.leaves_velocities_open().then(|| state.clone()),
            inside: state,
            rows: a.clone(),
            a_before: a.clone(),
            a,
            scratch: Scratch::default(),
            watch: None,
            kinks: None,
            behind_kink: None,
            events,
            log,
        };
        run.watch_from_here()?;
        Ok(run)
    }

    /// Watches switches and events from the state of the integration on.
    fn watch_from_here(&mut self) -> Result<(), StepFailure> {
        if let Pace::Adaptive { tolerance, .. } = self.study.pace {
            self.watch_kinks(tolerance.relative.max(tolerance.absolute));
        }
        if self.events.signals() > 0 {
            let mut values = vec![0.0; self.events.signals()];
            self.inside.clone_from(self.integration.state());
            self.signals_inside(&mut values)?;
            self.watch = Some(Watch::new(&values, self.log.sides.as_deref(), &self.log.happened));
        }
        self.log.happened.clear();
        self.log.sides = None;
        Ok(())
    }

    /// Goes on over kinks, as long as the method can start anew in place.
    fn go_past_kinks(&mut self, observer: &mut dyn Observer) -> Result<Segment, StepFailure> {
        loop {
            let segment = self.go(observer)?;
            let (mut state, keeps) = match &segment {
                Segment::Kink => (self.integration.state().clone(), false),
                Segment::Passed(at) => ((**at).clone(), true),
                _ => return Ok(segment),
            };
            self.log.hold_laws(self.system, self.study, state.t);
            let open = segment.least_opening(self.study);
            self.system.close_behind_jump(open, &mut state, &mut self.scratch);
            let supplied = self.log.audit.supplied;
            if matches!(segment, Segment::Kink) {
                self.log.strike(self.system, &mut state)?;
            }
            if !self.restart(&state)? {
                // A new integration begins there, and with it the impulse.
                self.log.audit.supplied = supplied;
                return Ok(segment);
            }
            self.log.forget_steps(keeps);
        }
    }

    /// Starts anew at a state behind a kink, as a new run would; false if the method cannot.
    fn restart(&mut self, state: &State) -> Result<bool, StepFailure> {
        let (counters, rechoices) = (*self.integration.counters(), self.integration.rechoices());
        if !self.integration.restart(state)? {
            return Ok(false);
        }
        self.log.counters.add(&counters);
        self.log.rechoices += rechoices;
        self.meter.restart(self.system, &*self.integration);
        for known in [&mut self.before, &mut self.inside].into_iter().chain(&mut self.shown) {
            known.clone_from(state);
        }
        self.retake.restart(state);
        self.way = 0.0;
        self.dense = None;
        (self.work, self.part) = (Power::default(), (0.0, Power::default()));
        self.a.fill(0.0);
        self.behind_kink = None;
        self.watch_from_here()?;
        Ok(true)
    }

    fn go(&mut self, observer: &mut dyn Observer) -> Result<Segment, StepFailure> {
        match self.run_to_the_end(observer) {
            Ok(()) => Ok(Segment::Ended(Ending::Completed)),
            Err(Break::Segment(segment)) => Ok(segment),
            Err(Break::Failure(failure)) => Err(failure),
        }
    }

    fn run_to_the_end(&mut self, observer: &mut dyn Observer) -> Result<(), Break> {
        self.sample(observer)??;
        while let Some(target) = self.log.targets.front() {
            match self.study.pace {
                Pace::Fixed { step, .. } => {
                    let h = target.time - self.integration.state().t;
                    let nominal = if (h / step - 1.0).abs() < 1e-9 { step } else { h };
                    // An event may have happened just there.
                    if h > 4.0 * f64::EPSILON * target.time.abs() {
                        self.advance(nominal, target.time, 0, observer)?;
                    }
                }
                Pace::Adaptive { .. } => self.advance_adaptively(target.time, observer)?,
            }
            self.log.targets.next();
            self.integration.snap_time(target.time);
            // At a kink a row shows what holds from there on.
            let is_kink = target.kink && target.event.is_none();
            if target.sample && !is_kink {
                match self.sample(observer) {
                    Ok(outcome) => outcome?,
                    Err(failure) => return Err(Ending::Failed(failure).into()),
                }
            }
            if let Some(k) = target.event {
                let state = Box::new(self.integration.state().clone());
                self.log.sides = self.watch.as_ref().map(Watch::sides);
                return Err(Break::Segment(Segment::Events(vec![(Happening::Time(k), 0.0)], state)));
            }
            if target.kink {
                self.log.sides = self.watch.as_ref().map(Watch::sides);
                if matches!(self.study.pace, Pace::Fixed { .. }) && !target.sample {
                    // Rows stay as far apart as they were asked for.
                    self.log.sampled = Some(self.integration.state().t);
                }
                return Err(Break::Segment(Segment::Kink));
            }
            if !observer.keep_going(target.time) {
                if !target.sample {
                    self.sample(observer)??;
                }
                return Err(Ending::Interrupted.into());
            }
            self.watch_rows()?;
            if self.log.targets.front().is_some() {
                self.watch_steps()?;
            }
        }
        Ok(())
    }

    /// Whether it is time for a checkpoint.
    fn watch_steps(&mut self) -> Result<(), Break> {
        let Some(every) = self.study.checkpoint else { return Ok(()) };
        let steps = self.log.counters.steps + self.integration.counters().steps;
        if steps < self.log.saved + every.max(1) {
            return Ok(());
        }
        self.log.sides = self.watch.as_ref().map(Watch::sides);
        Err(Break::Segment(Segment::Checkpoint))
    }

    /// Looks at the choice of redundant rows: by the way gone and not at samples, so that the motion does not
    /// depend on how often it is looked at.
    fn watch_rows(&mut self) -> Result<(), Break> {
        if self.way > EXCHANGE_CHECK {
            self.way = 0.0;
            if self.is_weak()? {
                return Err(Break::Segment(Segment::Weak));
            }
        }
        Ok(())
    }

    /// Whether a suspended row should be exchanged; not twice at the same time.
    fn is_weak(&mut self) -> Result<bool, StepFailure> {
        let state = self.integration.state();
        let Some(redundancy) = &mut self.redundancy else { return Ok(false) };
        if self.log.exchanged == Some(state.t) {
            return Ok(false);
        }
        let weak = redundancy.needs_exchange(self.system, state);
        let weak = weak.map_err(|e| StepFailure::singular(self.system, state.t, &e))?;
        if weak {
            self.log.exchanged = Some(state.t);
            self.log.sides = self.watch.as_ref().map(Watch::sides);
        }
        Ok(weak)
    }

    /// Steps by h to `end`, or where that does not converge by two halves, and so on.
    fn advance(&mut self, h: f64, end: f64, cuts: u32, observer: &mut dyn Observer) -> Result<(), Break> {
        self.remember_before();
        match self.integration.attempt(h) {
            Ok(_) => {
                let rotation = self.redundancy.is_some().then(|| self.log.audit.rotation.clone());
                self.accept(h);
                if let Some(rotation) = rotation
                    && self.is_astray()
                {
                    return Err(self.go_back(rotation));
                }
                self.look_for_events(end, observer)
            }
            Err(failure) if cuts == MAX_CUTS => Err(self.give_up(failure, observer)),
            Err(_) => {
                self.log.audit.cut_steps += 1;
                self.advance(0.5 * h, end, cuts + 1, observer)?;
                self.advance(0.5 * h, end, cuts + 1, observer)
            }
        }
    }

    /// Whether the last step satisfies the rows in force but not the redundant ones: between its ends the
    /// choice of rows has passed a singular position. Where rows were exchanged before that step, they
    /// contradict each other.
    fn is_astray(&mut self) -> bool {
        let state = self.integration.state();
        let system = self.system;
        let allowed = self.length * CONTRADICTION;
        let astray =
            contradiction(system, &self.study.method, state, allowed, &mut self.rows, &mut self.scratch);
        astray.is_some() && self.log.exchanged != Some(self.before.t)
    }

    /// Undoes the last step, to take it again with other rows.
    fn go_back(&mut self, rotation: crate::audit::Worst) -> Break {
        let audit = &mut self.log.audit;
        audit.rotation = rotation;
        audit.supplied -= self.work.supplied;
        audit.dissipated -= self.work.dissipated;
        self.log.exchanged = Some(self.before.t);
        self.log.sides = self.watch.as_ref().map(Watch::sides);
        Break::Segment(Segment::Astray(Box::new(self.before.clone())))
    }

    /// Steps as the controller says until `end`.
    fn advance_adaptively(&mut self, end: f64, observer: &mut dyn Observer) -> Result<(), Break> {
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
    fn shortest(&self) -> f64 {
        let t = self.integration.state().t;
        (SHORTEST.0 * t.abs()).max(SHORTEST.1 * (self.study.end - self.log.start))
    }

    /// Ends the last step at a kink, or at an event before it.
    fn pass(&mut self, passing: &Passing, end: f64, observer: &mut dyn Observer) -> Break {
        match self.end_at(passing, end, observer) {
            Ok(segment) => Break::Segment(segment),
            Err(reason) => reason,
        }
    }

    fn end_at(&mut self, passing: &Passing, end: f64, observer: &mut dyn Observer) -> Result<Segment, Break> {
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

    fn judge(&mut self, h: f64, attempt: &Attempt) -> poinsot_integrators::Verdict {
        let verdict = self.log.controller.judge(h, attempt);
        let next = attempt.next.filter(|_| verdict.accept).unwrap_or(verdict.next);
        poinsot_integrators::Verdict {
            next: next.min(attempt.longest).min(self.log.controller.longest),
            ..verdict
        }
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
        let (state, a) = (self.integration.state(), &mut self.a);
        a.copy_from_slice(self.integration.rates());
        self.saddle
            .accelerations(self.system, state, a)
            .map_err(|e| StepFailure::singular(self.system, state.t, &e))?;
        let longest = self.log.controller.longest.min(self.study.end - state.t);
        Ok(first_step(&mut measure, state, a, self.integration.exponent(), longest))
    }

    /// Ends the run at a step that fails, unless other rows may help.
    fn give_up(&mut self, failure: StepFailure, observer: &mut dyn Observer) -> Break {
        match self.is_weak() {
            Ok(true) => return Break::Segment(Segment::Weak),
            Ok(false) => {}
            Err(failure) => return Break::Failure(failure),
        }
        // The state before the step may be beyond reach too.
        self.sample(observer).ok();
        Ending::Failed(failure).into()
    }

    fn remember_before(&mut self) {
        self.before.clone_from(self.integration.state());
    }

    fn accept(&mut self, h: f64) {
        let report = self.integration.accept();
        let t = self.integration.state().t;
        let turned = || self.system.nodes()[report.body].name.clone();
        let audit = &mut self.log.audit;
        audit.rotation.note(report.rotation, t, turned);
        audit.longest_step.note(h, t, String::new);
        if h < audit.shortest_step.value {
            audit.shortest_step = crate::audit::Worst { value: h, place: String::new(), time: t };
        }
        if let Some(firmness) = self.integration.firmness().filter(|f| *f < audit.nearest.0) {
            audit.nearest = (firmness, t);
        }
        if self.redundancy.is_some() {
            self.way += report.rotation.max(self.speed() * h / self.length);
        }
        let work = self.meter.step(self.system, &*self.integration, h);
        self.log.audit.supplied += work.supplied;
        self.log.audit.dissipated += work.dissipated;
        self.work = work;
        self.part = (self.before.t, Power::default());
        self.dense = None;
        self.watch_error(h);
    }

    /// Largest speed of a body.
    fn speed(&self) -> f64 {
        let state = self.integration.state();
        let speed = |k| self.system.twist(k, &state.v).linear.norm();
        (1..state.frames.len()).map(speed).fold(0.0, f64::max)
    }

    /// Largest angular speed of a body.
    fn spin(&self) -> f64 {
        let state = self.integration.state();
        let spin = |k| self.system.twist(k, &state.v).angular.norm();
        (1..state.frames.len()).map(spin).fold(f64::MIN_POSITIVE, f64::max)
    }

    /// The state at a time inside the last step into `inside`, on the constraints.
    fn look_inside(&mut self, t: f64) -> Result<(), StepFailure> {
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
    fn settle_at(&mut self, t: f64) -> Result<(), StepFailure> {
        if matches!(self.study.method, Method::Gs4(_) | Method::Explicit(_)) {
            return self.look_inside(t);
        }
        self.see_inside(t)?;
        let projected = self.saddle.project(self.system, &mut self.inside, self.length);
        projected.map_err(|e| StepFailure::singular(self.system, t, &e))?;
        self.system.remember_with(&mut self.inside, &mut self.scratch);
        Ok(())
    }

    /// The state at a time on the polynomial of the last step into `inside`.
    fn see_inside(&mut self, t: f64) -> Result<(), StepFailure> {
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
    fn signals_inside(&mut self, out: &mut [f64]) -> Result<(), StepFailure> {
        self.a.copy_from_slice(self.integration.rates());
        if self.events.needs_accelerations() {
            let t = self.inside.t;
            let found = self.saddle.accelerations(self.system, &self.inside, &mut self.a);
            found.map_err(|e| StepFailure::singular(self.system, t, &e))?;
        }
        self.events.values(self.system, &instant(&self.inside, &self.a), out);
        Ok(())
    }

    fn look_for_events(&mut self, end: f64, observer: &mut dyn Observer) -> Result<(), Break> {
        self.look_for_events_until(self.integration.state().t, end, observer)
    }

    /// Looks for events in the last step up to a time.
    fn look_for_events_until(
        &mut self,
        until: f64,
        end: f64,
        observer: &mut dyn Observer,
    ) -> Result<(), Break> {
        let Some(mut watch) = self.watch.take() else { return Ok(()) };
        let span = (self.before.t, until);
        let rules: Vec<_> = (0..self.events.signals()).map(|k| self.events.crossing(k)).collect();
        let mut values = |t: f64, out: &mut [f64]| {
            self.look_inside(t)?;
            self.signals_inside(out)
        };
        let found = watch.first_crossings(span, |k| rules[k], &mut values)?;
        self.watch = Some(watch);
        let Some(Crossings { time, signals, sides }) = found else { return Ok(()) };
        if self.log.grid.is_some() {
            self.sample_inside(time, end, observer)?;
        }
        self.look_inside(time)?;
        self.sample_look(self.inside.t, observer)?;
        // Of the last step only the work up to the event counts.
        let missing = self.missing_work(time)?;
        self.log.audit.supplied += missing.supplied;
        self.log.audit.dissipated += missing.dissipated;
        self.look_inside(time)?;
        self.log.sides = Some(sides);
        let state = Box::new(self.inside.clone());
        let what = signals.into_iter().map(|(k, side)| (Happening::Crossed(k), side)).collect();
        Err(Break::Segment(Segment::Events(what, state)))
    }

    /// The work up to a time inside the last step less that of the whole step: by Gauss's rule of three
    /// points from the last time that was asked for.
    fn missing_work(&mut self, t: f64) -> Result<Power, StepFailure> {
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

    /// Samples of the grid inside the last step up to `now`, and not at `end`, where the target itself may be
    /// one.
    fn sample_inside(&mut self, now: f64, end: f64, observer: &mut dyn Observer) -> Result<(), Break> {
        let Some((mut k, every)) = self.log.grid else {
            return if now < end { self.sample(observer)?.map_err(Break::from) } else { Ok(()) };
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
    fn sample_look(&mut self, t: f64, observer: &mut dyn Observer) -> Result<(), Break> {
        let missing = self.missing_work(t)?;
        self.look_inside(t)?;
        let whole = (self.log.audit.supplied, self.log.audit.dissipated);
        self.log.audit.supplied += missing.supplied;
        self.log.audit.dissipated += missing.dissipated;
        let inside = std::mem::replace(&mut self.inside, self.before.clone());
        let outcome = self.sample_at(&inside, observer);
        self.inside = inside;
        (self.log.audit.supplied, self.log.audit.dissipated) = whole;
        match outcome {
            Ok(outcome) => outcome.map_err(Break::from),
            Err(failure) => Err(Ending::Failed(failure).into()),
        }
    }

    /// A sample at the state of the integration.
    fn sample(&mut self, observer: &mut dyn Observer) -> Result<Result<(), Ending>, StepFailure> {
        let state = self.integration.state().clone();
        self.sample_at(&state, observer)
    }

    fn sample_at(
        &mut self,
        state: &State,
        observer: &mut dyn Observer,
    ) -> Result<Result<(), Ending>, StepFailure> {
        if self.log.sampled == Some(state.t) {
            return Ok(Ok(()));
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
    fn sample_shown(
        &mut self,
        state: &State,
        shown: Option<&mut State>,
        observer: &mut dyn Observer,
    ) -> Result<Result<(), Ending>, StepFailure> {
        let singular = |e| StepFailure::singular(self.system, state.t, &e);
        let shown = match shown {
            Some(shown) => {
                self.saddle.project_velocities(self.system, shown).map_err(singular)?;
                &*shown
            }
            None => state,
        };
        self.a.copy_from_slice(self.integration.rates());
        self.saddle.accelerations(self.system, shown, &mut self.a).map_err(singular)?;
        if let Some(redundancy) = &mut self.redundancy {
            redundancy.spread_reactions(self.system, shown, &mut self.a).map_err(singular)?;
        }
        if let Some(equation) = self.a.iter().position(|a| !a.is_finite()) {
            return Err(StepFailure::not_finite(self.system, state.t, equation));
        }
        let at = instant(shown, &self.a);
        let balance = self.system.balance(&at, &mut self.scratch);
        if !balance.total().is_finite() {
            let step = state.t - self.before.t;
            return Err(StepFailure::blown_up(self.system, state.t, step, largest(&shown.v)));
        }
        let audit = &mut self.log.audit;
        audit.note_balance(&balance, state.t);
        let own = instant(state, &self.a);
        audit.note_constraints(self.system, state, &own, &mut self.rows, &mut self.scratch);
        let sample = Sample { at, balance: &balance, supplied: audit.supplied, dissipated: audit.dissipated };
        let outcome = observer.sample(self.system, &sample).map_err(Ending::Refused);
        let (method, allowed) = (&self.study.method, self.length * CONTRADICTION);
        match contradiction(self.system, method, state, allowed, &mut self.rows, &mut self.scratch) {
            Some(equation) if method.drifts() => Err(StepFailure::drifted(state.t, equation)),
            Some(equation) => Err(StepFailure::contradiction(state.t, equation)),
            None => Ok(outcome),
        }
    }
}

/// A redundant row that is open although the rows in force hold, or much farther than these where the form of
/// the constraints lets them open and brings them back. Where they drift the motion of redundant joints has
/// no meaning.
fn contradiction(
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

/// Kinetic and potential energy of a state.
fn total_energy(system: &System, state: &State) -> f64 {
    let zero = vec![0.0; system.size()];
    system.balance(&instant(state, &zero), &mut Scratch::default()).total()
}

/// The place of the largest number.
fn largest(x: &[f64]) -> usize {
    x.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).map_or(0, |(k, _)| k)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::consistent_start;
    use poinsot_expr::{Expr, SmoothFunction};
    use poinsot_geometry::{Mat3, Vec3};
    use poinsot_integrators::{Procedure, Settings};
    use poinsot_mechanics::drives;
    use poinsot_mechanics::joints::{Attachment, prismatic, revolute};
    use poinsot_mechanics::{
        Body, Chart, Coordinate, Frame, GROUND, MassProperties, NodeId, SystemBuilder, Twist,
    };

    struct Silent;

    impl Observer for Silent {
        fn sample(&mut self, _: &System, _: &Sample) -> Result<(), String> {
            Ok(())
        }

        fn keep_going(&mut self, _: f64) -> bool {
            true
        }
    }

    /// A slider-crank without any force, its crank driven at an uneven speed.
    fn driven_slider_crank() -> System {
        let mut b = SystemBuilder::new(Vec3::zeros());
        let chart = Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() };
        let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
        let mut body = |name: &str, x: f64| {
            let node = b.node(name, chart, Frame { r: Vec3::x() * x, rot: Mat3::identity() }, still);
            b.body(Body::new(node, &MassProperties::new(0.6, Vec3::zeros(), Mat3::identity() * 4e-3)));
            node
        };
        let (crank, rod, slider) = (body("crank", 0.0), body("rod", 0.25), body("slider", 0.4));
        let at = |b: &SystemBuilder, node: NodeId, x: f64, axes: Mat3| {
            let z = *b.start(node);
            Attachment { node, origin: Vec3::x() * x - z.r, axes }
        };
        for (nodes, x) in [([GROUND, crank], 0.0), ([crank, rod], 0.1), ([rod, slider], 0.4)] {
            let [first, second] = nodes.map(|node| at(&b, node, x, Mat3::identity()));
            b.constraint("pin", Box::new(revolute(&first, &second)));
        }
        let along_x = Mat3::from_columns(&[Vec3::y(), Vec3::z(), Vec3::x()]);
        let [first, second] = [GROUND, slider].map(|node| at(&b, node, 0.4, along_x));
        b.constraint("guide", Box::new(prismatic(&first, &second)));
        let [first, second] = [GROUND, crank].map(|node| at(&b, node, 0.0, Mat3::identity()));
        let law = Expr::parse("20*t + 0.3*sin(15*t)").unwrap();
        let law = SmoothFunction::new(&law, &["t"], &|_| None).unwrap();
        let drive = drives::coordinate(Coordinate::angle(&first, &second), law, second.point());
        b.constraint("drive", Box::new(drive));
        b.build()
    }

    /// The largest imbalance of a driven mechanism falls with the order of the method, however rarely it is
    /// sampled.
    #[test]
    fn energy_audit_of_a_drive() {
        let methods = [(Method::from(Settings::default()), 2.0), (Method::from(Procedure::Embedding), 4.0)];
        for (method, order) in methods {
            let [coarse, fine] = [200usize, 400].map(|n| {
                let mut system = driven_slider_crank();
                let (state, _) = consistent_start(&mut system, 0.0).unwrap();
                let end = 0.33;
                let study = MotionStudy::fixed(end, end / n as f64, n, method);
                let report = run_motion(&mut system, state, &study, &mut Silent).unwrap();
                assert_eq!(report.ending, Ending::Completed);
                let audit = &report.audit;
                assert!(audit.supplied.abs() > 0.1, "the drive has done no work");
                assert!(
                    audit.imbalance.value < 1e-2 * audit.energy_scale,
                    "{method:?}: {:?}",
                    audit.imbalance
                );
                audit.imbalance.value
            });
            let measured = (coarse / fine).log2();
            assert!(
                (measured - order).abs() < 0.3,
                "{method:?}: order {measured:.2} of {coarse:.2e}, {fine:.2e}"
            );
        }
    }
}
