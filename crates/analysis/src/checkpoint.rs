//! Checkpoints: everything from which a motion can be taken up again, to the last bit.
//!
//! At a checkpoint the integrator starts anew from the state alone, whether or not the run is ever
//! interrupted. What it had in store besides need not be kept therefore: state, choice of redundant rows,
//! step control, audit and what is still to come are all there is.

use crate::audit::Audit;
use crate::events::EventHandler;
use crate::motion::{Event, KinkLog, Log, MotionReport, MotionStudy, Observer, PlainLaws, drive};
use crate::timetable::Cursor;
use poinsot_integrators::{Counters, StepFailure};
use poinsot_mechanics::{State, System};
use serde::{Deserialize, Serialize};
use thiserror::Error;

/// A place from which a motion can be taken up again.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// Time (s).
    pub time: f64,
    bytes: Vec<u8>,
}

/// Why a motion cannot be taken up again.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ResumeError {
    /// The bytes are not those of a checkpoint of this study.
    #[error("the checkpoint does not belong to this motion, or is damaged")]
    Unreadable,
    /// The first step could not be made.
    #[error(transparent)]
    Step(#[from] StepFailure),
}

/// What the bytes hold.
#[derive(Serialize, Deserialize)]
struct Content {
    rows: Rows,
    /// The start that lengths are measured by.
    start: State,
    state: State,
    course: Course,
}

/// Rows of constraints that are not in force: constraint and row of each.
#[derive(Serialize, Deserialize)]
struct Rows {
    dropped: Vec<(usize, usize)>,
    suspended: Vec<(usize, usize)>,
}

/// What is kept of a [`Log`].
#[derive(Serialize, Deserialize)]
struct Course {
    audit: Audit,
    cursor: Cursor,
    /// Exact times to come. Events may have changed those that are past: these tell where the study stands.
    left: usize,
    /// Number of the next sample of the dense output.
    grid: u64,
    start: f64,
    sampled: Option<f64>,
    exchanged: Option<f64>,
    controller: [f64; 9],
    step: Option<f64>,
    counters: Counters,
    rechoices: usize,
    events: Vec<Event>,
    sides: Option<Vec<f64>>,
    saved: usize,
    kinks: KinkLog,
    laws: PlainLaws,
}

impl Checkpoint {
    pub(crate) fn of(system: &System, state: &State, log: &Log) -> Self {
        let content = Content {
            rows: Rows::of(system),
            start: system.start_state(0.0),
            state: state.clone(),
            course: Course::of(log),
        };
        let bytes = postcard::to_stdvec(&content).expect("writing to memory does not fail");
        Checkpoint { time: state.t, bytes }
    }

    /// All of it as bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}

/// Takes up a motion at a checkpoint. `system` is built from the same model, with what events have changed in
/// it; study and events are the same as they were.
pub fn resume(
    system: &mut System,
    bytes: &[u8],
    study: &MotionStudy,
    observer: &mut dyn Observer,
    events: &mut dyn EventHandler,
) -> Result<MotionReport, ResumeError> {
    let (content, rest) = postcard::take_from_bytes::<Content>(bytes).map_err(|_| ResumeError::Unreadable)?;
    let Content { rows, start, state, course } = content;
    rows.put_in_force(system).filter(|()| rest.is_empty()).ok_or(ResumeError::Unreadable)?;
    if start.frames.len() != system.nodes().len() || start.v.len() != system.size() {
        return Err(ResumeError::Unreadable);
    }
    system.set_start(&start);
    let fits = system.start_state(state.t);
    if (state.frames.len(), state.v.len(), state.memory.len())
        != (fits.frames.len(), fits.v.len(), fits.memory.len())
    {
        return Err(ResumeError::Unreadable);
    }
    let mut log = Log::new(system, &state, study, events);
    course.take_up(&mut log, study, events).ok_or(ResumeError::Unreadable)?;
    Ok(drive(system, state, study, observer, events, log)?)
}

impl Rows {
    fn of(system: &System) -> Self {
        let constraints = system.constraints().iter().enumerate();
        let dropped = constraints
            .flat_map(|(c, entry)| (0..entry.active.len()).filter(|&r| !entry.active[r]).map(move |r| (c, r)))
            .collect();
        Rows { dropped, suspended: system.suspended_rows() }
    }

    fn put_in_force(&self, system: &mut System) -> Option<()> {
        let Rows { dropped, suspended } = self;
        let exists = |(c, row): &(usize, usize)| {
            system.constraints().get(*c).is_some_and(|entry| *row < entry.active.len())
        };
        if !dropped.iter().chain(suspended).all(exists) {
            return None;
        }
        system.restore_rows();
        system.drop_rows(dropped, !suspended.is_empty());
        system.suspend_rows(suspended);
        Some(())
    }
}

impl Course {
    /// Every field of the log is named, so that a new one cannot be forgotten.
    fn of(log: &Log) -> Self {
        let Log {
            audit,
            targets,
            grid,
            start,
            sampled,
            exchanged,
            controller,
            step,
            counters,
            rechoices,
            events,
            // No event has just happened at a checkpoint; what laws of time tell is asked again, and each
            // integration has its own warning.
            happened: _,
            law_times: _,
            warning: _,
            sides,
            saved,
            kinks,
            laws,
        } = log;
        Course {
            audit: audit.clone(),
            cursor: targets.cursor,
            left: targets.left(),
            grid: grid.map_or(0, |(k, _)| k),
            start: *start,
            sampled: *sampled,
            exchanged: *exchanged,
            controller: controller.save(),
            step: *step,
            counters: *counters,
            rechoices: *rechoices,
            events: events.clone(),
            sides: sides.clone(),
            saved: *saved,
            kinks: kinks.clone(),
            laws: laws.clone(),
        }
    }

    fn take_up(self, log: &mut Log, study: &MotionStudy, events: &dyn EventHandler) -> Option<()> {
        log.start = self.start;
        log.set_times(study, events);
        let exact = log.targets.left().checked_sub(self.left)?;
        log.targets.cursor = Cursor { exact, ..self.cursor };
        if let Some((k, _)) = &mut log.grid {
            *k = self.grid;
        }
        log.audit = self.audit;
        (log.sampled, log.exchanged) = (self.sampled, self.exchanged);
        log.controller.load(self.controller);
        (log.step, log.counters) = (self.step, self.counters);
        (log.rechoices, log.saved) = (self.rechoices, self.saved);
        (log.events, log.sides) = (self.events, self.sides);
        let switches = std::mem::take(&mut log.kinks.switches);
        log.kinks = self.kinks;
        log.kinks.switches = switches;
        log.laws = self.laws;
        Some(())
    }
}
