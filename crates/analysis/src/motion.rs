//! The motion study: integrates a system over time, samples it and audits it.
//!
//! The audit compares the change of energy with what the model explains,
//!
//! ```text
//! imbalance = (T + V)(t) − (T + V)(t₀) − ∫ (supplied − dissipated) dt,
//! ```
//! follows the momenta and keeps the worst residual of the constraints at position, velocity and
//! acceleration level.

use poinsot_geometry::Vec3;
use poinsot_integrators::{Counters, Gs4, SaddlePoint, Settings, StepFailure, instant};
use poinsot_mechanics::{Balance, Instant, Scratch, State, System};

/// How often a step that does not converge is halved before the run fails.
const MAX_CUTS: u32 = 5;

/// What is to be integrated and when it is to be looked at.
#[derive(Clone, Debug)]
pub struct MotionStudy {
    /// End time (s).
    pub end: f64,
    /// Step (s).
    pub step: f64,
    /// A sample is taken every so many steps.
    pub stride: usize,
    /// Times at which a sample is taken exactly.
    pub times: Vec<f64>,
    /// Integrator settings.
    pub settings: Settings,
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
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq)]
pub enum Ending {
    /// Reached the end time.
    Completed,
    /// Stopped on request.
    Interrupted,
    /// A step failed.
    Failed(StepFailure),
    /// The observer refused a sample.
    Refused(String),
}

/// A largest value, with where and when it occurred.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Worst {
    /// The value.
    pub value: f64,
    /// Equation or body, in words.
    pub place: String,
    /// Time (s).
    pub time: f64,
}

impl Worst {
    fn note(&mut self, value: f64, time: f64, place: impl FnOnce() -> String) {
        if value > self.value || (value.is_nan() && !self.value.is_nan()) {
            *self = Worst { value, place: place(), time };
        }
    }
}

/// Evidence that the answer can be trusted.
#[derive(Clone, Debug)]
pub struct Audit {
    /// Balance at the start.
    pub start: Balance,
    /// Balance at the last sample.
    pub end: Balance,
    /// Work supplied (J).
    pub supplied: f64,
    /// Work dissipated (J).
    pub dissipated: f64,
    /// Largest energy imbalance (J).
    pub imbalance: Worst,
    /// Scale of the energies in play (J).
    pub energy_scale: f64,
    /// Largest change of linear momentum (N·s).
    pub momentum_change: Worst,
    /// Largest change of angular momentum (N·m·s).
    pub angular_momentum_change: Worst,
    /// Largest |Φ|.
    pub position: Worst,
    /// Largest |Φ̇|.
    pub velocity: Worst,
    /// Largest |Φ̈|.
    pub acceleration: Worst,
    /// Largest rotation of a body in a step (rad).
    pub rotation: Worst,
    /// Largest speed of a body (m/s).
    pub speed: f64,
    /// How often a step did not converge and was halved.
    pub cut_steps: usize,
}

/// What a run gives besides its samples.
#[derive(Clone, Debug)]
pub struct MotionReport {
    /// How it ended.
    pub ending: Ending,
    /// The state that was reached.
    pub state: State,
    /// Cost.
    pub counters: Counters,
    /// Evidence.
    pub audit: Audit,
}

/// Runs a motion study from a consistent state.
pub fn run_motion(
    system: &System,
    start: State,
    study: &MotionStudy,
    observer: &mut dyn Observer,
) -> Result<MotionReport, StepFailure> {
    let integration = Gs4::new(system, study.settings, start, study.step)?;
    let mut run = Run::new(system, study, integration)?;
    let ending = run.go(observer)?;
    run.audit.supplied = run.supplied;
    run.audit.dissipated = run.dissipated;
    Ok(MotionReport {
        ending,
        state: run.integration.state().clone(),
        counters: *run.integration.counters(),
        audit: run.audit,
    })
}

struct Run<'a> {
    system: &'a System,
    study: &'a MotionStudy,
    integration: Gs4<'a>,
    saddle: SaddlePoint,
    a: Vec<f64>,
    rows: Vec<f64>,
    scratch: Scratch,
    /// Time of the last sample.
    sampled: Option<f64>,
    supplied: f64,
    dissipated: f64,
    power: poinsot_mechanics::Power,
    audit: Audit,
}

impl<'a> Run<'a> {
    fn new(system: &'a System, study: &'a MotionStudy, integration: Gs4<'a>) -> Result<Self, StepFailure> {
        let mut scratch = Scratch::default();
        let a = vec![0.0; system.size()];
        let balance = system.balance(&instant(integration.state(), &a), &mut scratch);
        let audit = Audit {
            start: balance,
            end: balance,
            supplied: 0.0,
            dissipated: 0.0,
            imbalance: Worst::default(),
            energy_scale: balance.kinetic,
            momentum_change: Worst::default(),
            angular_momentum_change: Worst::default(),
            position: Worst::default(),
            velocity: Worst::default(),
            acceleration: Worst::default(),
            rotation: Worst::default(),
            speed: 0.0,
            cut_steps: 0,
        };
        Ok(Run {
            system,
            study,
            integration,
            saddle: SaddlePoint::new(system),
            rows: a.clone(),
            a,
            scratch,
            sampled: None,
            supplied: 0.0,
            dissipated: 0.0,
            power: balance.power,
            audit,
        })
    }

    fn go(&mut self, observer: &mut dyn Observer) -> Result<Ending, StepFailure> {
        if let Err(refusal) = self.sample(observer)? {
            return Ok(Ending::Refused(refusal));
        }
        for target in timetable(self.integration.state().t, self.study) {
            let h = target.time - self.integration.state().t;
            let nominal = if (h / self.study.step - 1.0).abs() < 1e-9 { self.study.step } else { h };
            if let Err(failure) = self.advance(nominal, 0) {
                self.sample(observer)?.ok();
                return Ok(Ending::Failed(failure));
            }
            self.integration.snap_time(target.time);
            if target.sample
                && let Err(refusal) = self.sample(observer)?
            {
                return Ok(Ending::Refused(refusal));
            }
            if !observer.keep_going(target.time) {
                if !target.sample {
                    self.sample(observer)?.ok();
                }
                return Ok(Ending::Interrupted);
            }
        }
        Ok(Ending::Completed)
    }

    /// Steps by h, or where that does not converge by two halves, and so on.
    fn advance(&mut self, h: f64, cuts: u32) -> Result<(), StepFailure> {
        match self.integration.step(h) {
            Ok(report) => {
                let turned = || self.system.nodes()[report.body].name.clone();
                self.audit.rotation.note(report.rotation, self.integration.state().t, turned);
                self.add_work(h);
                Ok(())
            }
            Err(failure) if cuts == MAX_CUTS => Err(failure),
            Err(_) => {
                self.audit.cut_steps += 1;
                self.advance(0.5 * h, cuts + 1)?;
                self.advance(0.5 * h, cuts + 1)
            }
        }
    }

    /// Work of the step by the trapezoidal rule.
    fn add_work(&mut self, h: f64) {
        if self.system.forces().is_empty() {
            return;
        }
        let power = self.system.power(&instant(self.integration.state(), &self.a), &mut self.scratch);
        self.supplied += 0.5 * h * (self.power.supplied + power.supplied);
        self.dissipated += 0.5 * h * (self.power.dissipated + power.dissipated);
        self.power = power;
    }

    fn sample(&mut self, observer: &mut dyn Observer) -> Result<Result<(), String>, StepFailure> {
        let state = self.integration.state();
        if self.sampled == Some(state.t) {
            return Ok(Ok(()));
        }
        self.sampled = Some(state.t);
        self.saddle
            .accelerations(self.system, state, &mut self.a)
            .map_err(|e| StepFailure::singular(self.system, state.t, &e))?;
        let at = instant(state, &self.a);
        let balance = self.system.balance(&at, &mut self.scratch);
        audit_balance(&mut self.audit, &balance, state.t, self.supplied, self.dissipated);
        audit_constraints(&mut self.audit, self.system, &at, &mut self.rows, &mut self.scratch);
        let sample = Sample { at, balance: &balance, supplied: self.supplied, dissipated: self.dissipated };
        Ok(observer.sample(self.system, &sample))
    }
}

fn audit_balance(audit: &mut Audit, balance: &Balance, t: f64, supplied: f64, dissipated: f64) {
    let change = balance.total() - audit.start.total();
    let swing = (balance.potential - audit.start.potential).abs();
    let work = supplied.abs().max(dissipated.abs());
    audit.energy_scale = audit.energy_scale.max(balance.kinetic).max(swing).max(work);
    audit.imbalance.note((change - supplied + dissipated).abs(), t, String::new);
    let moved = |a: &Vec3, b: &Vec3| (a - b).norm();
    let linear = moved(&balance.momentum, &audit.start.momentum);
    let angular = moved(&balance.angular_momentum, &audit.start.angular_momentum);
    audit.momentum_change.note(linear, t, String::new);
    audit.angular_momentum_change.note(angular, t, String::new);
    audit.end = *balance;
}

fn audit_constraints(audit: &mut Audit, system: &System, at: &Instant, rows: &mut [f64], s: &mut Scratch) {
    let note = |worst: &mut Worst, rows: &[f64]| {
        for (eq, value) in rows.iter().enumerate() {
            worst.note(value.abs(), at.t, || system.equation_name(eq));
        }
    };
    rows.fill(0.0);
    system.constraint_residual(at, rows, s);
    note(&mut audit.position, rows);
    if let Some((value, name)) = system.dropped_residual(at.t, at.frames, at.memory) {
        audit.position.note(value, at.t, || name);
    }
    for k in 1..at.frames.len() {
        audit.speed = audit.speed.max(system.twist(k, at.v).linear.norm());
    }
    system.constraint_rate(at, rows, s);
    note(&mut audit.velocity, rows);
    system.constraint_acceleration(at, rows, s);
    note(&mut audit.acceleration, rows);
}

/// A time to step to.
struct Target {
    time: f64,
    sample: bool,
}

/// Grid times start + k·step, the exact sample times in between, and the end.
fn timetable(start: f64, study: &MotionStudy) -> impl Iterator<Item = Target> {
    let (step, end, stride) = (study.step, study.end, study.stride.max(1));
    let tiny = 1e-9 * step;
    let count = ((end - start) / step - 1e-9).ceil().max(0.0) as u64;
    let mut exact: Vec<f64> =
        study.times.iter().copied().filter(|t| *t > start + tiny && *t < end - tiny).collect();
    exact.sort_by(f64::total_cmp);
    exact.dedup();
    let mut exact = exact.into_iter().peekable();
    let mut k: u64 = 0;
    std::iter::from_fn(move || {
        if k >= count {
            return None;
        }
        let grid = if k + 1 == count { end } else { start + (k + 1) as f64 * step };
        let due = exact.next_if(|t| *t <= grid + tiny);
        match due {
            Some(t) if t < grid - tiny => Some(Target { time: t, sample: true }),
            _ => {
                k += 1;
                let regular = k.is_multiple_of(stride as u64) || k == count;
                Some(Target { time: grid, sample: regular || due.is_some() })
            }
        }
    })
}
