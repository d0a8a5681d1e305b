//! A run: the integration of one system, step by step, and what is looked at on the way.

use super::driver::OPEN_BEHIND_JUMP;
use super::fixed_steps::{MOST_PARTS, Parts};
use super::kinks::KinkWatch;
use super::retake::Retake;
use super::{Ending, Log, MotionStudy, Observer, Pace, Stop};
use crate::audit::Worst;
use crate::events::{EventHandler, EventId, Watch};
use crate::redundancy::Redundancy;
use crate::timetable::Target;
use poinsot_integrators::{
    DenseOutput, ErrorMeasure, SaddlePoint, StepFailure, Stepper, WorkMeter, is_powered,
};
use poinsot_mechanics::{Power, Scratch, State, System};

/// The integration of one system in progress.
pub(super) struct Run<'a> {
    pub system: &'a System,
    pub study: &'a MotionStudy,
    pub integration: Box<dyn Stepper + 'a>,
    pub saddle: SaddlePoint,
    pub redundant: RedundantRows,
    pub length: f64,
    pub last: LastStep,
    /// Whether anything but gravity and springs may do work.
    pub powered: bool,
    pub buffers: Buffers,
    /// What samples show, where velocities at the ends of steps are open.
    pub shown: Option<State>,
    pub meter: WorkMeter,
    pub events: &'a mut dyn EventHandler,
    pub watch: Option<Watch>,
    pub kinks: Option<KinkWatch>,
    /// The step that was wanted before a kink, until the first step behind it.
    pub behind_kink: Option<f64>,
    /// What is left of a fixed step.
    pub parts: Parts,
    pub retake: Retake<'a>,
    pub log: &'a mut Log,
}

/// Rows that depend on others.
pub(super) struct RedundantRows {
    /// In use if rows are suspended.
    pub redundancy: Option<Redundancy>,
    /// Way since the choice of them was looked at: rotation, or displacement over the model's length.
    pub way: f64,
}

/// The step that was taken last.
pub(super) struct LastStep {
    /// The state before it, and the motion since, where anybody asks.
    pub before: State,
    pub dense: Option<DenseOutput>,
    /// Its work, and that of its part up to a time inside.
    pub work: Power,
    pub part: (f64, Power),
}

/// Room for a state inside a step, its accelerations and residuals.
pub(super) struct Buffers {
    pub inside: State,
    pub a: Vec<f64>,
    pub a_before: Vec<f64>,
    pub rows: Vec<f64>,
    pub scratch: Scratch,
}

impl LastStep {
    /// None yet: the motion is at this state.
    fn none(state: State) -> Self {
        LastStep { before: state, dense: None, work: Power::default(), part: (0.0, Power::default()) }
    }
}

impl<'a> Run<'a> {
    /// Begins at a state with a new integration.
    pub fn new(
        system: &'a System,
        study: &'a MotionStudy,
        state: State,
        log: &'a mut Log,
        events: &'a mut dyn EventHandler,
    ) -> Result<Self, StepFailure> {
        log.hold_laws(system, study, state.t);
        let mut integration = study.method.start(system, state, log.first_step(study))?;
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
            length: system.length_scale(),
            redundant: RedundantRows {
                redundancy: (!system.suspended_rows().is_empty()).then(|| Redundancy::new(system)),
                way: 0.0,
            },
            last: LastStep::none(state.clone()),
            powered: is_powered(system),
            retake: Retake::new(&study.method, &state),
            shown: study.method.leaves_velocities_open().then(|| state.clone()),
            buffers: Buffers {
                inside: state,
                rows: a.clone(),
                a_before: a.clone(),
                a,
                scratch: Scratch::default(),
            },
            watch: None,
            kinks: None,
            behind_kink: None,
            parts: Parts::with_capacity(MOST_PARTS),
            events,
            log,
        };
        run.watch_from_here()?;
        Ok(run)
    }

    /// Begins anew at another state of the same system: in place where the method can, otherwise with a new
    /// integration.
    fn begin_anew(mut self, state: State) -> Result<Self, StepFailure> {
        self.count();
        if !self.integration.restart(&state)? {
            let Run { system, study, log, events, .. } = self;
            return Run::new(system, study, state, log, events);
        }
        self.meter.restart(self.system, &*self.integration);
        for known in [&mut self.last.before, &mut self.buffers.inside].into_iter().chain(&mut self.shown) {
            known.clone_from(&state);
        }
        self.retake.restart(&state);
        self.redundant.way = 0.0;
        self.last.dense = None;
        (self.last.work, self.last.part) = (Power::default(), (0.0, Power::default()));
        self.buffers.a.fill(0.0);
        self.behind_kink = None;
        self.parts.clear();
        self.watch_from_here()?;
        Ok(self)
    }

    /// Begins anew behind a kink of the laws: here, at a time known beforehand, or at a state inside the last
    /// step where one was located.
    pub fn go_behind_kink(mut self, located: Option<Box<State>>) -> Result<Self, StepFailure> {
        let was_located = located.is_some();
        let mut state = located.map_or_else(|| self.integration.state().clone(), |state| *state);
        let Run { system, study, log, buffers, .. } = &mut self;
        log.hold_laws(system, study, state.t);
        // What a jump has opened: at a kink that was located on a polynomial more than its error.
        let open = match study.pace {
            Pace::Adaptive { tolerance, .. } if was_located => {
                100.0 * tolerance.relative.max(tolerance.absolute)
            }
            _ => OPEN_BEHIND_JUMP,
        };
        if !was_located {
            log.strike(system, &mut state)?;
        }
        system.close_behind_jump(open, &mut state, &mut buffers.scratch);
        // A formula of several steps begins with the first order.
        log.forget_steps(was_located && !study.method.starts_at_low_order());
        self.begin_anew(state)
    }

    /// The state that was reached; the run is over.
    pub fn leave(mut self) -> State {
        self.count();
        self.integration.state().clone()
    }

    /// Takes what the integration has cost, and says, into the log.
    fn count(&mut self) {
        self.log.counters.add(self.integration.counters());
        self.log.rechoices += self.integration.rechoices();
        self.log.warning = self.integration.warning();
    }

    /// Watches switches and events from the state of the integration on.
    fn watch_from_here(&mut self) -> Result<(), StepFailure> {
        if let Pace::Adaptive { tolerance, .. } = self.study.pace {
            self.watch_kinks(tolerance.relative.max(tolerance.absolute));
        }
        if self.events.signals() > 0 {
            let mut values = vec![0.0; self.events.signals()];
            self.buffers.inside.clone_from(self.integration.state());
            self.signals_inside(&mut values)?;
            self.watch = Some(Watch::new(&values, self.log.sides.as_deref(), &self.log.happened));
        }
        self.log.happened.clear();
        self.log.sides = None;
        Ok(())
    }

    /// Goes on until the motion ends or something asks for a new start.
    pub fn go(&mut self, observer: &mut dyn Observer) -> Stop {
        self.go_to_the_end(observer).err().unwrap_or(Stop::Ended(Ending::Completed))
    }

    /// The order of a motion: from one time of the timetable to the next in steps that are taken, accepted
    /// and watched, with samples inside them and at the times themselves.
    fn go_to_the_end(&mut self, observer: &mut dyn Observer) -> Result<(), Stop> {
        self.sample(observer)?;
        while let Some(target) = self.log.targets.front() {
            self.set_out(target.time);
            while self.is_before(target.time) {
                self.watch_limit(observer)?;
                match self.study.pace {
                    Pace::Fixed { .. } => self.take_fixed_step(observer)?,
                    Pace::Adaptive { .. } => self.take_adaptive_step(target.time, observer)?,
                }
                self.look_for_events(target.time, observer)?;
                // Parts of a fixed step are nobody's samples: it is watched where it ends.
                if matches!(self.study.pace, Pace::Adaptive { .. }) {
                    self.sample_inside(self.integration.state().t, target.time, observer)?;
                    self.watch_course(observer)?;
                    self.watch_step(observer)?;
                }
            }
            self.arrive(&target, observer)?;
            self.watch_course(observer)?;
        }
        Ok(())
    }

    fn set_out(&mut self, end: f64) {
        if let Pace::Fixed { step, .. } = self.study.pace {
            self.plan_fixed_step(step, end);
        }
    }

    fn is_before(&self, end: f64) -> bool {
        match self.study.pace {
            Pace::Fixed { .. } => !self.parts.is_empty(),
            Pace::Adaptive { .. } => self.is_step_left(end),
        }
    }

    /// Takes the next time of the timetable for reached: a sample, an event or a kink may be there.
    fn arrive(&mut self, target: &Target, observer: &mut dyn Observer) -> Result<(), Stop> {
        self.log.targets.next();
        self.integration.snap_time(target.time);
        // At a kink a row shows what holds from there on.
        let is_kink = target.kink && target.event.is_none();
        if target.sample && !is_kink {
            self.sample(observer).map_err(Stop::reported)?;
        }
        if let Some(k) = target.event {
            self.keep_sides();
            let state = Box::new(self.integration.state().clone());
            return Err(Stop::Events(vec![(EventId::Time(k), 0.0)], state));
        }
        if target.kink {
            self.keep_sides();
            if matches!(self.study.pace, Pace::Fixed { .. }) && !target.sample {
                // Rows stay as far apart as they were asked for.
                self.log.sampled = Some(self.integration.state().t);
            }
            return Err(Stop::Kink(None));
        }
        Ok(())
    }

    /// Whether the motion goes on as it is: the observer, redundant rows and checkpoints may stop it.
    fn watch_course(&mut self, observer: &mut dyn Observer) -> Result<(), Stop> {
        if !observer.keep_going(self.integration.state().t) {
            self.sample(observer)?;
            return Err(Ending::Interrupted.into());
        }
        self.watch_rows()?;
        let Some(every) = self.study.checkpoint else { return Ok(()) };
        let is_due = self.steps() >= self.log.saved + every.max(1);
        if is_due && self.log.targets.front().is_some() {
            self.keep_sides();
            return Err(Stop::Checkpoint);
        }
        Ok(())
    }

    /// Ends a motion that has no step left.
    fn watch_limit(&mut self, observer: &mut dyn Observer) -> Result<(), Stop> {
        if self.study.max_steps.is_none_or(|most| self.steps() < most) {
            return Ok(());
        }
        self.sample(observer)?;
        Err(Ending::OutOfSteps.into())
    }

    /// Steps that were taken since the motion began.
    fn steps(&self) -> usize {
        self.log.counters.steps + self.integration.counters().steps
    }

    /// Keeps the sides of zero on which signals stand for the next start.
    pub fn keep_sides(&mut self) {
        self.log.sides = self.watch.as_ref().map(Watch::sides);
    }

    /// Ends the run at a step that fails, unless other rows may help.
    pub fn give_up(&mut self, failure: StepFailure, observer: &mut dyn Observer) -> Stop {
        match self.is_weak() {
            Ok(true) => return Stop::WeakRow,
            Ok(false) => {}
            Err(failure) => return failure.into(),
        }
        // The state before the step may be beyond reach too.
        self.sample(observer).ok();
        Ending::Failed(failure).into()
    }

    pub fn remember_before(&mut self) {
        self.last.before.clone_from(self.integration.state());
    }

    /// Takes the step that was tried, and measures it.
    pub fn accept(&mut self, h: f64) {
        let report = self.integration.accept();
        let t = self.integration.state().t;
        let turned = || self.system.nodes()[report.body].name.clone();
        let audit = &mut self.log.audit;
        audit.rotation.note(report.rotation, t, turned);
        audit.longest_step.note(h, t, String::new);
        if h < audit.shortest_step.value {
            audit.shortest_step = Worst { value: h, place: String::new(), time: t };
        }
        if let Some(firmness) = self.integration.firmness().filter(|f| *f < audit.nearest.0) {
            audit.nearest = (firmness, t);
        }
        if self.redundant.redundancy.is_some() {
            self.redundant.way += report.rotation.max(self.speed() * h / self.length);
        }
        let work = self.meter.step(self.system, &*self.integration, h);
        self.log.audit.supplied += work.supplied;
        self.log.audit.dissipated += work.dissipated;
        self.last.work = work;
        self.last.part = (self.last.before.t, Power::default());
        self.last.dense = None;
        self.watch_error(h);
    }

    /// Largest speed of a body.
    pub fn speed(&self) -> f64 {
        let state = self.integration.state();
        let speed = |k| self.system.twist(k, &state.v).linear.norm();
        (1..state.frames.len()).map(speed).fold(0.0, f64::max)
    }

    /// Largest angular speed of a body.
    pub fn spin(&self) -> f64 {
        let state = self.integration.state();
        let spin = |k| self.system.twist(k, &state.v).angular.norm();
        (1..state.frames.len()).map(spin).fold(f64::MIN_POSITIVE, f64::max)
    }
}

/// The place of the largest number.
pub(super) fn largest(x: &[f64]) -> usize {
    x.iter().enumerate().max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).map_or(0, |(k, _)| k)
}
