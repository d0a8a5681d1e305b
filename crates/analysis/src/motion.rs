//! The motion study: integrates a system over time, samples it, watches for events and audits it.
//!
//! One driver serves every integrator, see `driver.rs`. With fixed steps it goes from one time of the
//! timetable to the next; with adaptive steps a [`Controller`](poinsot_integrators::Controller) judges each
//! attempt, and samples in between come from the dense output, moved onto the constraints. At kinks of the
//! laws, where redundant rows are exchanged and where an event happens the integrator starts anew.

mod adaptive_steps;
mod driver;
mod event_search;
mod fixed_steps;
mod inside_step;
mod kinks;
mod log;
mod observer;
mod plain_laws;
mod redundant_rows;
mod report;
mod retake;
mod run;
mod sampling;
mod stop;
mod study;

use crate::events::{EventHandler, NoEvents};
use poinsot_integrators::StepFailure;
use poinsot_mechanics::{State, System};

pub(crate) use driver::drive;
pub(crate) use kinks::KinkLog;
pub use kinks::{KinkReport, Kinks};
pub(crate) use log::Log;
pub use observer::{Observer, Sample};
pub(crate) use plain_laws::PlainLaws;
pub use report::{Ending, Event, MotionReport};
use run::Run;
use stop::Stop;
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

    /// A motion that needs more steps than it may take ends where the last of them leads; one that needs just
    /// as many is complete.
    #[test]
    fn limit_of_steps() {
        let end = 0.1;
        for (most, ending, reached) in [(10, Ending::Completed, end), (9, Ending::OutOfSteps, 0.9 * end)] {
            let mut system = driven_slider_crank();
            let (state, _) = consistent_start(&mut system, 0.0).unwrap();
            let mut study = MotionStudy::fixed(end, end / 10.0, 10, Settings::default());
            study.max_steps = Some(most);
            let mut seen = vec![];
            let mut watch = |_: &System, sample: &Sample| seen.push(sample.at.t);
            let report = run_motion(&mut system, state, &study, &mut watch).unwrap();
            assert_eq!((report.ending, report.counters.steps), (ending, most));
            assert!((report.state.t - reached).abs() < 1e-12 && seen.last() == Some(&report.state.t));
        }
    }
}
