//! The motion study: integrates a system over time, samples it, watches for events and audits it.
//!
//! One driver serves every integrator. With fixed steps it goes from one time of the timetable to the next;
//! with adaptive steps the [`Controller`] judges every attempt, and samples in between come from the dense
//! output, moved onto the constraints. Where redundant rows are exchanged or an event happens the integrator
//! starts anew.

mod adaptive_steps;
mod event_search;
mod fixed_steps;
mod inside_step;
mod kinks;
mod law_pace;
mod log;
mod observer;
mod redundant_rows;
mod report;
mod retake;
mod sampling;
mod segment;
mod study;

use crate::audit::Worst;
use crate::checkpoint::Checkpoint;
use crate::events::{EventHandler, Happening, NoEvents, Watch};
use crate::redundancy::Redundancy;
use poinsot_integrators::{
    DenseOutput, ErrorMeasure, SaddlePoint, StepFailure, Stepper, WorkMeter, is_powered,
};
use poinsot_mechanics::{LawSpan, Power, Scratch, State, System};

pub(crate) use kinks::KinkLog;
use kinks::KinkWatch;
pub use kinks::{KinkReport, Kinks};
pub(crate) use law_pace::LawPace;
pub(crate) use log::Log;
pub use observer::{Observer, Sample};
pub use report::{Ending, Event, MotionReport};
use retake::Retake;
use segment::{Break, OPEN_BEHIND_JUMP, Segment};
pub use study::{MotionStudy, Pace};

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
                log.forget_steps(!study.method.starts_at_low_order());
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
            audit.shortest_step = Worst { value: h, place: String::new(), time: t };
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
    use poinsot_integrators::{Method, Procedure, Settings};
    use poinsot_mechanics::drives;
    use poinsot_mechanics::joints::{Attachment, prismatic, revolute};
    use poinsot_mechanics::{
        Body, Chart, Coordinate, Frame, GROUND, MassProperties, NodeId, SystemBuilder, Twist,
    };

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
                let report =
                    run_motion(&mut system, state, &study, &mut |_: &System, _: &Sample| {}).unwrap();
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
