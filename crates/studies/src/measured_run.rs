//! Single runs of a model for comparisons: recorded, or timed without recording.

use crate::compared_quantities::{OwnValues, Watched};
use crate::failure::{RequestError, StudyError};
use crate::integrator_argument::{ArgumentError, Choice};
use crate::live::LiveModel;
use crate::motion::{ModelEvents, motion_study};
use crate::progress::{PartOfRuns, Runs};
use crate::record::of_signal;
use crate::study::{Prepared, prepare};
use poinsot_analysis::comparison::{ComparisonError, Record};
use poinsot_analysis::{
    Audit, Ending, Halt, MotionReport, MotionStudy, Observer, Pace, Sample, Trail, run_with_events,
};
use poinsot_integrators::{Method, StepFailure, Tolerance};
use poinsot_mechanics::{State, System};
use poinsot_model::spec::{MotionSpec, PaceSpec, ToleranceSpec};
use poinsot_model::{Model, View};
use std::cell::RefCell;
use std::rc::Rc;
use std::time::Instant;
use thiserror::Error;

/// Why a run of a comparison gives nothing.
#[derive(Debug, Error)]
pub enum RunFailure {
    /// There is nothing to run with.
    #[error(transparent)]
    Argument(#[from] ArgumentError),
    /// The model cannot be built or started.
    #[error(transparent)]
    Study(#[from] StudyError),
    /// The integrator cannot take the model.
    #[error("refused: {}; {}", .0.reason, .0.remedy)]
    Refused(poinsot_integrators::Refusal),
    /// There is no such formulation of beams.
    #[error("no such formulation")]
    NoFormulation,
    /// The model cannot be resolved with it.
    #[error("{0}")]
    Model(String),
    /// It has no treatments of constraints.
    #[error("not such a method")]
    NoTreatments,
    /// A step fails.
    #[error(transparent)]
    Step(#[from] StepFailure),
    /// The user has stopped it.
    #[error("stopped by the user")]
    Interrupted,
    /// The limit of steps.
    #[error("the limit of steps is reached")]
    OutOfSteps,
    /// An event or who watches has ended it.
    #[error(transparent)]
    Ended(Halt),
    /// What it gives cannot be kept or compared.
    #[error(transparent)]
    Record(#[from] ComparisonError),
}

/// How a run steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Steps {
    /// As long as this tolerance allows.
    Tolerance(f64),
    /// Of this length (s).
    Length(f64),
}

/// When a run is looked at.
#[derive(Clone, Debug)]
pub enum Sampling {
    /// After every interval (s); by adaptive integrators from their dense output.
    Every(f64),
    /// At these times, where steps end.
    Exactly(Vec<f64>),
    /// At the end of every step; by fixed steps as many as the study records.
    Steps,
    /// At start and end only.
    Ends,
}

/// The study with another integrator and other steps. Tolerances keep their proportions.
pub fn respecified(study: &MotionSpec, choice: &Choice, steps: Steps) -> MotionSpec {
    let integrator = choice.spec.clone();
    match steps {
        Steps::Length(step) => {
            // What an adaptive study allows its local error is too much for Newton's iteration.
            let tolerance = study.tolerance.filter(|_| study.step().is_some());
            MotionSpec { integrator, pace: PaceSpec::Fixed { step }, tolerance, ..study.clone() }
        }
        Steps::Tolerance(tolerance) => {
            let base = study.tolerance.unwrap_or_default();
            let factor = tolerance / base.relative;
            let scaled =
                |t: &Tolerance| Tolerance { relative: factor * t.relative, absolute: factor * t.absolute };
            let of = |t: &ToleranceSpec| ToleranceSpec { tolerance: scaled(&t.tolerance), ..t.clone() };
            let longest = match study.pace {
                PaceSpec::Adaptive { longest, .. } => longest,
                PaceSpec::Fixed { .. } => None,
            };
            MotionSpec {
                integrator,
                pace: PaceSpec::Adaptive { first: None, longest },
                tolerance: Some(scaled(&base)),
                tolerances: study.tolerances.iter().map(of).collect(),
                ..study.clone()
            }
        }
    }
}

/// A model that is ready to run.
pub struct MeasuredRun {
    system: System,
    state: State,
    study: MotionStudy,
    live: Rc<RefCell<LiveModel>>,
}

/// A recorded run.
pub struct Recorded {
    /// What was recorded.
    pub record: Record,
    /// Cost and evidence.
    pub report: MotionReport,
}

impl MeasuredRun {
    /// A model with this study.
    pub fn new(model: &Model, mut spec: MotionSpec, sampling: &Sampling) -> Result<Self, StudyError> {
        spec.settle(!model.beams.is_empty());
        let start = spec.start;
        let mut model = model.clone().with_study(spec);
        model.expects.clear();
        let Prepared { system, assembly, state, .. } = prepare(&model, start)?;
        let mut study = motion_study(&model, &system, &assembly).ok_or(RequestError::NoStudy)?;
        sample(&mut study, start, sampling);
        let live = Rc::new(RefCell::new(LiveModel::new(model, assembly)));
        Ok(MeasuredRun { system, state, study, live })
    }

    /// The system.
    pub fn system(&self) -> &System {
        &self.system
    }

    /// The state at the start.
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The method with all its settings.
    pub fn method(&self) -> Method {
        self.study.method
    }

    /// Why the integrator cannot take the model, with what to do.
    pub fn refusal(&self) -> Option<RunFailure> {
        self.study.method.refusal(&self.system).map(RunFailure::Refused)
    }

    /// What to record: the signals, or all there is.
    pub fn watched(&self, everything: bool) -> Watched {
        let LiveModel { model, assembly, .. } = &*self.live.borrow();
        match everything {
            true => Watched::everything(model, &self.system, assembly),
            false => Watched::signals(model, &self.system),
        }
    }

    /// Runs and records.
    pub fn record(
        self,
        watched: Watched,
        own: Option<&OwnValues>,
        progress: &Runs,
    ) -> Result<Recorded, RunFailure> {
        let MeasuredRun { mut system, state, study, live } = self;
        let mut events = ModelEvents::new(live.clone());
        let mut tracks = watched.tracks();
        tracks.extend(own.iter().flat_map(|own| own.tracks()).cloned());
        let progress = PartOfRuns::new(progress, state.t, study.end);
        let mut watcher = Watcher { live, watched, own, record: Record::new(tracks), progress };
        let report = run_with_events(&mut system, state, &study, &mut watcher, &mut events);
        let report = finished(report)?;
        Ok(Recorded { record: watcher.record, report })
    }

    /// Runs without recording; what it takes (s) and costs. Building and starting are not counted.
    pub fn time(self, progress: &Runs) -> Result<(f64, MotionReport), RunFailure> {
        let MeasuredRun { mut system, state, study, live } = self;
        let mut events = ModelEvents::new(live);
        let mut silent = Silent { progress: PartOfRuns::new(progress, state.t, study.end) };
        let clock = Instant::now();
        let report = run_with_events(&mut system, state, &study, &mut silent, &mut events);
        let time = clock.elapsed().as_secs_f64();
        Ok((time, finished(report)?))
    }

    /// Runs and keeps where the motion has been.
    pub fn trail(self, progress: &Runs) -> Result<Trail, RunFailure> {
        let MeasuredRun { mut system, state, study, live } = self;
        let mut events = ModelEvents::new(live);
        let progress = PartOfRuns::new(progress, state.t, study.end);
        let mut follower = Follower { trail: Trail::default(), progress };
        let report = run_with_events(&mut system, state, &study, &mut follower, &mut events);
        finished(report)?;
        Ok(follower.trail)
    }

    /// Runs without recording, audited at the end of every step.
    pub fn audit(self, progress: &Runs) -> Result<Audit, RunFailure> {
        self.time(progress).map(|(_, report)| report.audit)
    }

    /// Takes `count` steps of length h, and records the integrator's own accelerations and multipliers inside
    /// those whose number, from 1, is wanted. They stand at t + c h of the step.
    pub fn own_values(
        self,
        h: f64,
        count: usize,
        own: &OwnValues,
        wanted: &dyn Fn(usize) -> bool,
        progress: &Runs,
    ) -> Result<Record, RunFailure> {
        let start = self.state.t;
        let mut record = Record::new(own.tracks().to_vec());
        let mut stepper = self.study.method.start(&self.system, self.state.clone(), h)?;
        for k in 1..=count {
            let before = stepper.state().t;
            stepper.step(h)?;
            stepper.snap_time(start + k as f64 * h);
            if wanted(k) {
                let (part, a) = stepper.stage();
                record.push(before + part * h, &own.row(a))?;
            }
            if !progress.within(k as f64 / count as f64) {
                return Err(RunFailure::Interrupted);
            }
        }
        Ok(record)
    }
}

fn sample(study: &mut MotionStudy, start: f64, sampling: &Sampling) {
    let beyond = 2.0 * (study.end - start);
    study.times = match sampling {
        Sampling::Exactly(times) => times.clone(),
        Sampling::Every(_) | Sampling::Steps | Sampling::Ends => vec![],
    };
    match &mut study.pace {
        Pace::Fixed { step, stride } => {
            *stride = match sampling {
                Sampling::Every(interval) => (interval / *step).round().max(1.0) as usize,
                Sampling::Steps => *stride,
                Sampling::Exactly(_) | Sampling::Ends => usize::MAX,
            };
        }
        Pace::Adaptive { every, .. } => {
            *every = match sampling {
                Sampling::Every(interval) => Some(*interval),
                Sampling::Steps => None,
                Sampling::Exactly(_) | Sampling::Ends => Some(beyond),
            };
        }
    }
}

/// The report of a run that came to its end.
fn finished(report: Result<MotionReport, StepFailure>) -> Result<MotionReport, RunFailure> {
    let report = report?;
    match report.ending {
        Ending::Completed => Ok(report),
        Ending::Interrupted => Err(RunFailure::Interrupted),
        Ending::OutOfSteps => Err(RunFailure::OutOfSteps),
        Ending::Failed(failure) => Err(failure.into()),
        Ending::Halted(refusal) | Ending::EventFailed(refusal) => Err(RunFailure::Ended(refusal)),
    }
}

struct Watcher<'a> {
    live: Rc<RefCell<LiveModel>>,
    watched: Watched,
    own: Option<&'a OwnValues>,
    record: Record,
    progress: PartOfRuns<'a>,
}

impl Observer for Watcher<'_> {
    fn sample(&mut self, system: &System, sample: &Sample) -> Result<(), Halt> {
        let live = self.live.borrow();
        let LiveModel { model, assembly, .. } = &*live;
        let mut row = self.watched.row(&View {
            model,
            assembly,
            system,
            at: sample.at,
            balance: sample.balance,
            results: None,
        });
        row.extend(self.own.iter().flat_map(|own| own.row(sample.at.a)));
        let open = self.watched.open();
        self.record.push_with_gaps(sample.at.t, &row, open).map_err(|error| of_signal(&error))
    }

    fn keep_going(&mut self, t: f64) -> bool {
        self.progress.at(t)
    }
}

struct Follower<'a> {
    trail: Trail,
    progress: PartOfRuns<'a>,
}

impl Observer for Follower<'_> {
    fn sample(&mut self, _: &System, sample: &Sample) -> Result<(), Halt> {
        self.trail.note(&sample.at);
        Ok(())
    }

    fn keep_going(&mut self, t: f64) -> bool {
        self.progress.at(t)
    }
}

struct Silent<'a> {
    progress: PartOfRuns<'a>,
}

impl Observer for Silent<'_> {
    fn sample(&mut self, _: &System, _: &Sample) -> Result<(), Halt> {
        Ok(())
    }

    fn keep_going(&mut self, t: f64) -> bool {
        self.progress.at(t)
    }
}
