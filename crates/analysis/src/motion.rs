//! The motion study: integrates a system over time, samples it and audits it.
//!
//! The audit compares the change of energy with what the model explains,
//!
//! ```text
//! imbalance = (T + V)(t) − (T + V)(t₀) − ∫ (supplied − dissipated) dt,
//! ```
//! follows the momenta and keeps the worst residual of the constraints at position, velocity and
//! acceleration level.

use crate::redundancy::Redundancy;
use poinsot_geometry::Vec3;
use poinsot_integrators::{Counters, Method, SaddlePoint, StepFailure, Stepper, WorkMeter, instant};
use poinsot_mechanics::{Balance, Instant, Scratch, State, System};
use std::iter::Peekable;

/// How often a step that does not converge is halved before the run fails.
const MAX_CUTS: u32 = 5;

/// Way of a body (rad, or lengths of the model) after which the choice of redundant rows is looked at again.
const EXCHANGE_CHECK: f64 = 0.05;

/// Residual of a redundant row, relative to the model's length, at which it contradicts the others.
const CONTRADICTION: f64 = 1e-6;

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
    /// The integrator; settings of GS4 turn into one with `into()`.
    pub method: Method,
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
    pub(crate) fn note(&mut self, value: f64, time: f64, place: impl FnOnce() -> String) {
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
    /// How often redundant rows were exchanged for others.
    pub exchanges: usize,
    /// The least [`Stepper::firmness`] of a step and its time: how near the motion came to a singular position.
    pub nearest: (f64, f64),
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
    /// Evidence.
    pub audit: Audit,
}

/// Runs a motion study from a consistent state. Where redundant rows are exchanged on the way, the integrator starts
/// anew at the state reached.
pub fn run_motion(
    system: &mut System,
    start: State,
    study: &MotionStudy,
    observer: &mut dyn Observer,
) -> Result<MotionReport, StepFailure> {
    let start_time = start.t;
    let mut log = Log::new(system, &start);
    let mut targets = timetable(start.t, study.end, study.step, study.stride, &study.times).peekable();
    let mut state = start;
    loop {
        let integration = study.method.start(system, state, study.step)?;
        let mut run = Run::new(system, study, integration, &mut log);
        let segment = run.go(&mut targets, observer)?;
        let (reached, counters) = (run.integration.state().clone(), *run.integration.counters());
        let rechoices = run.integration.rechoices();
        drop(run);
        log.counters.add(&counters);
        log.rechoices += rechoices;
        match segment {
            Segment::Ended(ending) => {
                let Log { audit, counters, rechoices, .. } = log;
                return Ok(MotionReport { ending, start_time, state: reached, counters, rechoices, audit });
            }
            Segment::Weak => {
                let t = reached.t;
                Redundancy::new(system)
                    .exchange(system, &reached)
                    .map_err(|e| StepFailure::singular(system, t, &e))?;
                log.audit.exchanges += 1;
                state = reached;
            }
        }
    }
}

/// What is kept over the whole run.
struct Log {
    audit: Audit,
    /// Time of the last sample.
    sampled: Option<f64>,
    /// Time of the last exchange of redundant rows.
    exchanged: Option<f64>,
    counters: Counters,
    rechoices: usize,
}

impl Log {
    fn new(system: &System, start: &State) -> Self {
        let zero = vec![0.0; system.size()];
        let balance = system.balance(&instant(start, &zero), &mut Scratch::default());
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
            exchanges: 0,
            nearest: (f64::INFINITY, start.t),
        };
        Log { audit, sampled: None, exchanged: None, counters: Counters::default(), rechoices: 0 }
    }
}

/// How a part of the run ended.
enum Segment {
    Ended(Ending),
    /// A redundant row has become weak in its dependence.
    Weak,
}

struct Run<'a> {
    system: &'a System,
    study: &'a MotionStudy,
    integration: Box<dyn Stepper + 'a>,
    saddle: SaddlePoint,
    /// In use if rows are suspended.
    redundancy: Option<Redundancy>,
    /// Way since the choice of redundant rows was looked at: rotation, or displacement over the model's length.
    way: f64,
    length: f64,
    a: Vec<f64>,
    rows: Vec<f64>,
    scratch: Scratch,
    meter: WorkMeter,
    log: &'a mut Log,
}

impl<'a> Run<'a> {
    fn new(
        system: &'a System,
        study: &'a MotionStudy,
        integration: Box<dyn Stepper + 'a>,
        log: &'a mut Log,
    ) -> Self {
        let a = vec![0.0; system.size()];
        Run {
            system,
            study,
            meter: WorkMeter::new(system, &*integration),
            integration,
            saddle: SaddlePoint::new(system),
            way: 0.0,
            length: system.length_scale(),
            redundancy: (!system.suspended_rows().is_empty()).then(|| Redundancy::new(system)),
            rows: a.clone(),
            a,
            scratch: Scratch::default(),
            log,
        }
    }

    fn go(
        &mut self,
        targets: &mut Peekable<impl Iterator<Item = Target>>,
        observer: &mut dyn Observer,
    ) -> Result<Segment, StepFailure> {
        if let Err(refusal) = self.sample(observer)? {
            return Ok(Segment::Ended(Ending::Refused(refusal)));
        }
        while let Some(&target) = targets.peek() {
            let h = target.time - self.integration.state().t;
            let nominal = if (h / self.study.step - 1.0).abs() < 1e-9 { self.study.step } else { h };
            if let Err(failure) = self.advance(nominal, 0) {
                if self.is_weak()? {
                    return Ok(Segment::Weak);
                }
                // The state before the step may be beyond reach too.
                self.sample(observer).ok();
                return Ok(Segment::Ended(Ending::Failed(failure)));
            }
            targets.next();
            self.integration.snap_time(target.time);
            if target.sample {
                match self.sample(observer) {
                    Ok(Ok(())) => {}
                    Ok(Err(refusal)) => return Ok(Segment::Ended(Ending::Refused(refusal))),
                    Err(failure) => return Ok(Segment::Ended(Ending::Failed(failure))),
                }
            }
            if !observer.keep_going(target.time) {
                if !target.sample {
                    self.sample(observer)?.ok();
                }
                return Ok(Segment::Ended(Ending::Interrupted));
            }
            // By the way gone and not at samples, so that the motion does not depend on how often it is looked at.
            if self.way > EXCHANGE_CHECK {
                self.way = 0.0;
                if self.is_weak()? {
                    return Ok(Segment::Weak);
                }
            }
        }
        Ok(Segment::Ended(Ending::Completed))
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
        }
        Ok(weak)
    }

    /// Steps by h, or where that does not converge by two halves, and so on.
    fn advance(&mut self, h: f64, cuts: u32) -> Result<(), StepFailure> {
        match self.integration.step(h) {
            Ok(report) => {
                let turned = || self.system.nodes()[report.body].name.clone();
                self.log.audit.rotation.note(report.rotation, self.integration.state().t, turned);
                if self.redundancy.is_some() {
                    self.way += report.rotation.max(self.speed() * h / self.length);
                }
                if let Some(firmness) = self.integration.firmness().filter(|f| *f < self.log.audit.nearest.0)
                {
                    self.log.audit.nearest = (firmness, self.integration.state().t);
                }
                self.add_work(h);
                Ok(())
            }
            Err(failure) if cuts == MAX_CUTS => Err(failure),
            Err(_) => {
                self.log.audit.cut_steps += 1;
                self.advance(0.5 * h, cuts + 1)?;
                self.advance(0.5 * h, cuts + 1)
            }
        }
    }

    /// Largest speed of a body.
    fn speed(&self) -> f64 {
        let state = self.integration.state();
        let speed = |k| self.system.twist(k, &state.v).linear.norm();
        (1..state.frames.len()).map(speed).fold(0.0, f64::max)
    }

    /// Work of the step.
    fn add_work(&mut self, h: f64) {
        let work = self.meter.step(self.system, &*self.integration, h);
        self.log.audit.supplied += work.supplied;
        self.log.audit.dissipated += work.dissipated;
    }

    fn sample(&mut self, observer: &mut dyn Observer) -> Result<Result<(), String>, StepFailure> {
        let state = self.integration.state();
        if self.log.sampled == Some(state.t) {
            return Ok(Ok(()));
        }
        self.log.sampled = Some(state.t);
        let singular = |e| StepFailure::singular(self.system, state.t, &e);
        self.saddle.accelerations(self.system, state, &mut self.a).map_err(singular)?;
        if let Some(redundancy) = &mut self.redundancy {
            redundancy.spread_reactions(self.system, state, &mut self.a).map_err(singular)?;
        }
        if let Some(equation) = self.a.iter().position(|a| !a.is_finite()) {
            return Err(StepFailure::not_finite(self.system, state.t, equation));
        }
        let at = instant(state, &self.a);
        let balance = self.system.balance(&at, &mut self.scratch);
        let audit = &mut self.log.audit;
        audit_balance(audit, &balance, state.t);
        audit_constraints(audit, self.system, state, &at, &mut self.rows, &mut self.scratch);
        let sample = Sample { at, balance: &balance, supplied: audit.supplied, dissipated: audit.dissipated };
        let outcome = observer.sample(self.system, &sample);
        match self.system.dropped_residual(state.t, &state.frames, &state.memory) {
            Some((open, equation)) if open > CONTRADICTION * self.length => {
                Err(StepFailure::contradiction(state.t, equation))
            }
            _ => Ok(outcome),
        }
    }
}

fn audit_balance(audit: &mut Audit, balance: &Balance, t: f64) {
    let (supplied, dissipated) = (audit.supplied, audit.dissipated);
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

fn audit_constraints(
    audit: &mut Audit,
    system: &System,
    state: &State,
    at: &Instant,
    rows: &mut [f64],
    s: &mut Scratch,
) {
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
    if let Some((value, name)) = system.suspended_rate(state) {
        audit.velocity.note(value, at.t, || name);
    }
    system.constraint_acceleration(at, rows, s);
    note(&mut audit.acceleration, rows);
}

/// A time to step to.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    pub time: f64,
    pub sample: bool,
}

/// Grid times start + k·step, the exact sample times in between, and the end.
pub(crate) fn timetable(
    start: f64,
    end: f64,
    step: f64,
    stride: usize,
    times: &[f64],
) -> impl Iterator<Item = Target> + use<> {
    let stride = stride.max(1);
    let tiny = 1e-9 * step;
    let count = ((end - start) / step - 1e-9).ceil().max(0.0) as u64;
    let mut exact: Vec<f64> =
        times.iter().copied().filter(|t| *t > start + tiny && *t < end - tiny).collect();
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start::consistent_start;
    use poinsot_expr::{Expr, SmoothFunction};
    use poinsot_geometry::Mat3;
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

    /// The largest imbalance of a driven mechanism falls with the order of the method, however rarely it is sampled.
    #[test]
    fn energy_audit_of_a_drive() {
        let methods = [(Method::from(Settings::default()), 2.0), (Method::from(Procedure::Embedding), 4.0)];
        for (method, order) in methods {
            let [coarse, fine] = [200usize, 400].map(|n| {
                let mut system = driven_slider_crank();
                let (state, _) = consistent_start(&mut system, 0.0).unwrap();
                let end = 0.33;
                let study = MotionStudy { end, step: end / n as f64, stride: n, times: vec![], method };
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
