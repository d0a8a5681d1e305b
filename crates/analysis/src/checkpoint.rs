//! Checkpoints: everything from which a motion can be taken up again, to the last bit.
//!
//! At a checkpoint the integrator starts anew from the state alone, whether or not the run is ever
//! interrupted. What it had in store besides need not be kept therefore: state, choice of redundant rows,
//! step control, audit and what is still to come are all there is.

use crate::audit::{Audit, Worst};
use crate::bytes::{Decoder, Encoder};
use crate::events::{EventHandler, Happening};
use crate::motion::{Event, LawPace, Log, MotionReport, MotionStudy, Observer, drive};
use crate::time_error::{Class, TimeError, Track};
use crate::timetable::Cursor;
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::{Counters, StepFailure};
use poinsot_mechanics::{Balance, Frame, FrameRate, Power, State, System};
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

impl Checkpoint {
    pub(crate) fn of(system: &System, state: &State, log: &Log) -> Self {
        let mut e = Encoder::new();
        put_system(&mut e, system);
        put_state(&mut e, state);
        put_log(&mut e, log);
        Checkpoint { time: state.t, bytes: e.into_bytes() }
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
    let mut d = Decoder::new(bytes);
    take_system(&mut d, system).ok_or(ResumeError::Unreadable)?;
    let state = take_state(&mut d).ok_or(ResumeError::Unreadable)?;
    let fits = system.start_state(state.t);
    if (state.frames.len(), state.v.len(), state.memory.len())
        != (fits.frames.len(), fits.v.len(), fits.memory.len())
    {
        return Err(ResumeError::Unreadable);
    }
    let mut log = Log::new(system, &state, study, events);
    take_log(&mut d, &mut log, study, events).filter(|()| d.is_at_end()).ok_or(ResumeError::Unreadable)?;
    Ok(drive(system, state, study, observer, events, log)?)
}

/// The rows in force, and the start that lengths are measured by.
fn put_system(e: &mut Encoder, system: &System) {
    let place = |e: &mut Encoder, (c, row): &(usize, usize)| {
        e.count(*c);
        e.count(*row);
    };
    let constraints = system.constraints().iter().enumerate();
    let dropped: Vec<(usize, usize)> = constraints
        .flat_map(|(c, entry)| (0..entry.active.len()).filter(|&r| !entry.active[r]).map(move |r| (c, r)))
        .collect();
    e.list(&dropped, place);
    e.list(&system.suspended_rows(), place);
    put_state(e, &system.start_state(0.0));
}

fn take_system(d: &mut Decoder, system: &mut System) -> Option<()> {
    let place = |d: &mut Decoder| Some((d.count()?, d.count()?));
    let (dropped, suspended) = (d.list(place)?, d.list(place)?);
    let exists = |(c, row): &(usize, usize)| {
        system.constraints().get(*c).is_some_and(|entry| *row < entry.active.len())
    };
    if !dropped.iter().chain(&suspended).all(exists) {
        return None;
    }
    system.restore_rows();
    system.drop_rows(&dropped, !suspended.is_empty());
    system.suspend_rows(&suspended);
    let start = take_state(d)?;
    let fits = start.frames.len() == system.nodes().len() && start.v.len() == system.size();
    fits.then(|| system.set_start(&start))
}

fn put_state(e: &mut Encoder, state: &State) {
    e.number(state.t);
    e.list(&state.frames, |e, frame| put_natural(e, &frame.r, &frame.rot));
    e.numbers(&state.v);
    e.numbers(&state.memory);
    e.list(&state.rates, |e, rate| put_natural(e, &rate.r, &rate.rot));
}

fn put_natural(e: &mut Encoder, r: &Vec3, rot: &Mat3) {
    r.iter().chain(rot.iter()).for_each(|x| e.number(*x));
}

fn take_state(d: &mut Decoder) -> Option<State> {
    let t = d.number()?;
    let frames = d.list(|d| take_natural(d).map(|(r, rot)| Frame { r, rot }))?;
    let (v, memory) = (d.numbers()?, d.numbers()?);
    let rates = d.list(|d| take_natural(d).map(|(r, rot)| FrameRate { r, rot }))?;
    Some(State { t, frames, v, memory, rates })
}

fn take_natural(d: &mut Decoder) -> Option<(Vec3, Mat3)> {
    let mut x = [0.0; 12];
    for x in &mut x {
        *x = d.number()?;
    }
    Some((Vec3::from_column_slice(&x[..3]), Mat3::from_column_slice(&x[3..])))
}

fn put_log(e: &mut Encoder, log: &Log) {
    put_audit(e, &log.audit);
    let Cursor { grid, sample, kink, last, .. } = log.targets.cursor;
    // Events may have changed the times that are past: those to come tell where the study stands.
    [grid as usize, log.targets.left(), usize::from(sample), usize::from(kink)]
        .iter()
        .for_each(|n| e.count(*n));
    e.optional(last);
    e.count(log.grid.map_or(0, |(k, _)| k as usize));
    e.number(log.start);
    e.optional(log.sampled);
    e.optional(log.exchanged);
    e.numbers(&log.controller.save());
    e.optional(log.step);
    let c = &log.counters;
    let counters = [
        c.steps,
        c.iterations,
        c.max_iterations,
        c.residuals,
        c.factorisations,
        c.jacobians,
        c.rejected,
        c.unsolved,
        log.rechoices,
        log.saved,
    ];
    counters.iter().for_each(|n| e.count(*n));
    e.list(&log.events, |e, event| {
        e.number(event.time);
        let (kind, k) = match event.what {
            Happening::Crossed(k) => (0, k),
            Happening::Time(k) => (1, k),
        };
        e.count(kind);
        e.count(k);
    });
    e.count(usize::from(log.sides.is_some()));
    e.numbers(log.sides.as_deref().unwrap_or_default());
    let kinks = &log.kinks;
    e.count(kinks.located);
    e.count(kinks.retried);
    e.list(&kinks.recent, |e, (count, since)| {
        e.count(*count);
        e.number(*since);
    });
    e.numbers(&kinks.sliding);
    let LawPace { plain, sizes, shortest } = &log.laws;
    [plain.0, plain.1].iter().for_each(|t| e.number(*t));
    e.numbers(sizes);
    e.optional(*shortest);
}

fn take_log(d: &mut Decoder, log: &mut Log, study: &MotionStudy, events: &dyn EventHandler) -> Option<()> {
    log.audit = take_audit(d)?;
    let (taken, left, sample, kink) = (d.count()? as u64, d.count()?, d.count()? != 0, d.count()? != 0);
    let last = d.optional()?;
    let grid = d.count()?;
    log.start = d.number()?;
    log.set_times(study, events);
    let exact = log.targets.left().checked_sub(left)?;
    log.targets.cursor = Cursor { grid: taken, exact, sample, kink, last };
    if let Some((k, _)) = &mut log.grid {
        *k = grid as u64;
    }
    log.sampled = d.optional()?;
    log.exchanged = d.optional()?;
    log.controller.load(d.numbers()?.try_into().ok()?);
    log.step = d.optional()?;
    let c = &mut log.counters;
    *c = Counters {
        steps: d.count()?,
        iterations: d.count()?,
        max_iterations: d.count()?,
        residuals: d.count()?,
        factorisations: d.count()?,
        jacobians: d.count()?,
        rejected: d.count()?,
        unsolved: d.count()?,
    };
    log.rechoices = d.count()?;
    log.saved = d.count()?;
    log.events = d.list(|d| {
        let time = d.number()?;
        let what = match (d.count()?, d.count()?) {
            (0, k) => Happening::Crossed(k),
            (_, k) => Happening::Time(k),
        };
        Some(Event { time, what })
    })?;
    let there = d.count()? != 0;
    let sides = d.numbers()?;
    log.sides = there.then_some(sides);
    let kinks = &mut log.kinks;
    (kinks.located, kinks.retried) = (d.count()?, d.count()?);
    kinks.recent = d.list(|d| Some((d.count()?, d.number()?)))?;
    kinks.sliding = d.numbers()?;
    log.laws = LawPace { plain: (d.number()?, d.number()?), sizes: d.numbers()?, shortest: d.optional()? };
    Some(())
}

fn put_balance(e: &mut Encoder, b: &Balance) {
    let vectors = [b.momentum, b.angular_momentum, b.centre_of_mass];
    let scalars = [b.kinetic, b.potential, b.power.supplied, b.power.dissipated];
    scalars.iter().for_each(|x| e.number(*x));
    vectors.iter().flat_map(|v| v.iter()).for_each(|x| e.number(*x));
}

fn take_balance(d: &mut Decoder) -> Option<Balance> {
    let vector = |d: &mut Decoder| Some(Vec3::new(d.number()?, d.number()?, d.number()?));
    let (kinetic, potential) = (d.number()?, d.number()?);
    let power = Power { supplied: d.number()?, dissipated: d.number()? };
    let (momentum, angular_momentum, centre_of_mass) = (vector(d)?, vector(d)?, vector(d)?);
    Some(Balance { kinetic, potential, momentum, angular_momentum, centre_of_mass, power })
}

fn put_audit(e: &mut Encoder, a: &Audit) {
    put_balance(e, &a.start);
    put_balance(e, &a.end);
    [a.supplied, a.dissipated, a.energy_scale, a.speed, a.nearest.0, a.nearest.1]
        .iter()
        .for_each(|x| e.number(*x));
    e.count(a.cut_steps);
    e.count(a.exchanges);
    let worst = [
        &a.imbalance,
        &a.momentum_change,
        &a.angular_momentum_change,
        &a.position,
        &a.velocity,
        &a.acceleration,
        &a.rotation,
        &a.shortest_step,
        &a.longest_step,
    ];
    for Worst { value, place, time } in worst {
        e.number(*value);
        e.text(place);
        e.number(*time);
    }
    put_time_error(e, &a.time_error);
}

fn put_time_error(e: &mut Encoder, t: &TimeError) {
    put_state(e, &t.start);
    e.list(&t.tracks, |e, Track { size, change, errors }| {
        [size, change].into_iter().chain(errors).for_each(|x| e.number(*x));
    });
    for Class { steps, again, next, weight, weight_again } in &t.classes {
        [steps, again, next].iter().for_each(|n| e.count(**n));
        [weight, weight_again].iter().for_each(|x| e.number(**x));
    }
    e.count(t.steps);
    e.count(t.failed);
    e.count(t.fresh);
    e.number(t.length);
}

fn take_time_error(d: &mut Decoder) -> Option<TimeError> {
    let mut t = TimeError::of(take_state(d)?, 0);
    t.tracks = d.list(|d| {
        let mut track = Track { size: d.number()?, change: d.number()?, ..Track::default() };
        for error in &mut track.errors {
            *error = d.number()?;
        }
        Some(track)
    })?;
    for class in &mut t.classes {
        let (steps, again, next) = (d.count()?, d.count()?, d.count()?);
        *class = Class { steps, again, next, weight: d.number()?, weight_again: d.number()? };
    }
    (t.steps, t.failed, t.fresh, t.length) = (d.count()?, d.count()?, d.count()?, d.number()?);
    Some(t)
}

fn take_audit(d: &mut Decoder) -> Option<Audit> {
    let (start, end) = (take_balance(d)?, take_balance(d)?);
    let (supplied, dissipated, energy_scale, speed) = (d.number()?, d.number()?, d.number()?, d.number()?);
    let nearest = (d.number()?, d.number()?);
    let (cut_steps, exchanges) = (d.count()?, d.count()?);
    let mut worst = || Some(Worst { value: d.number()?, place: d.text()?, time: d.number()? });
    Some(Audit {
        start,
        end,
        supplied,
        dissipated,
        imbalance: worst()?,
        energy_scale,
        momentum_change: worst()?,
        angular_momentum_change: worst()?,
        position: worst()?,
        velocity: worst()?,
        acceleration: worst()?,
        rotation: worst()?,
        speed,
        cut_steps,
        exchanges,
        nearest,
        shortest_step: worst()?,
        longest_step: worst()?,
        time_error: take_time_error(d)?,
    })
}
