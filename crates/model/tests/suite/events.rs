//! Events of model files against closed forms.

use poinsot_analysis::{Ending, Halt, MotionReport, Observer, Sample, consistent_start, run_with_events};
use poinsot_mechanics::System;
use poinsot_model::{Probe, View, build};
use poinsot_studies::motion::{ModelEvents, motion_study};
use poinsot_studies::{LiveModel, load_str};
use std::cell::RefCell;
use std::rc::Rc;

/// Values of the signals at the samples.
struct Rows {
    live: Rc<RefCell<LiveModel>>,
    rows: Vec<(f64, Vec<f64>)>,
}

impl Observer for Rows {
    fn sample(&mut self, system: &System, sample: &Sample) -> Result<(), Halt> {
        let live = self.live.borrow();
        let view = View {
            model: &live.model,
            assembly: &live.assembly,
            system,
            at: sample.at,
            balance: sample.balance,
            results: None,
        };
        self.rows.push((sample.at.t, Probe::default().signals(&view)));
        Ok(())
    }

    fn keep_going(&mut self, _t: f64) -> bool {
        true
    }
}

struct Ran {
    report: MotionReport,
    /// Name and time of each event.
    events: Vec<(String, f64)>,
    rows: Vec<(f64, Vec<f64>)>,
}

impl Ran {
    fn last(&self) -> &(f64, Vec<f64>) {
        self.rows.last().unwrap()
    }

    fn times(&self, name: &str) -> Vec<f64> {
        self.events.iter().filter(|(n, _)| n == name).map(|(_, t)| *t).collect()
    }
}

fn run(text: &str) -> Ran {
    let (model, _) = load_str("events.toml", text, &[]).unwrap_or_else(|e| panic!("{}", e.render(false)));
    let (mut system, assembly) = build(&model).unwrap();
    let (state, _) = consistent_start(&mut system, 0.0).unwrap();
    let study = motion_study(&model, &system, &assembly).unwrap();
    let live = Rc::new(RefCell::new(LiveModel::new(model, assembly)));
    let mut rows = Rows { live: live.clone(), rows: vec![] };
    let mut events = ModelEvents::new(live.clone());
    let report = run_with_events(&mut system, state, &study, &mut rows, &mut events).unwrap();
    let name = |what| live.borrow().model.events[events.event(what)].name.clone();
    let happened = report.events.iter().map(|e| (name(e.what), e.time)).collect();
    Ran { report, events: happened, rows: rows.rows }
}

const FIXED: &str = "step = 0.01\nintegrator = \"midpoint\"\ntolerance = 1e-13\n";
const ADAPTIVE: &str = "integrator = \"radau\"\nrelative_tolerance = 1e-9\n";

#[track_caller]
fn near(got: f64, exact: f64, tolerance: f64) {
    assert!(
        (got - exact).abs() <= tolerance,
        "{got:.15e} instead of {exact:.15e}: off by {:.1e}",
        (got - exact).abs()
    );
}

fn ball(study: &str, event: &str) -> String {
    format!(
        "[parameters]\ne = 0.8\nradius = 0.1\n[study]\nend = 2.5\n{study}\
         [[body]]\nname = \"ball\"\ntype = \"point\"\nmass = 0.3\nposition = [0, 0, 1.1]\nvelocity = [0.5, 0, 0]\n\
         [[signal]]\nname = \"gap\"\nvalue = \"ball.position.z - radius\"\n\
         [[signal]]\nname = \"speed\"\nvalue = \"ball.velocity.z\"\n\
         [[signal]]\nname = \"x\"\nvalue = \"ball.position.x\"\n\
         [[event]]\nname = \"touch\"\nwhen = \"gap\"\ncrossing = \"falling\"\n{event}\n"
    )
}

/// t₁ = √(2h/g), then flights of 2eⁿ√(2h/g).
fn impacts(e: f64, count: usize) -> Vec<f64> {
    let first = (2.0f64 / 9.81).sqrt();
    (0..count).map(|n| first + (1..=n).map(|k| 2.0 * e.powi(k as i32) * first).sum::<f64>()).collect()
}

#[test]
fn bouncing_ball() {
    for study in [FIXED, ADAPTIVE] {
        let ran = run(&ball(study, "bounce = { restitution = \"e\" }"));
        assert_eq!(ran.report.ending, Ending::Completed);
        let times = ran.times("touch");
        let exact: Vec<f64> = impacts(0.8, 20).into_iter().filter(|t| *t < 2.5).collect();
        assert_eq!(times.len(), exact.len());
        times.iter().zip(&exact).for_each(|(t, exact)| near(*t, *exact, 1e-10));
        // Before and after each impact there is a row: the speed turns round, the sideways motion stays.
        for (n, t) in times.iter().enumerate() {
            let at: Vec<&Vec<f64>> =
                ran.rows.iter().filter(|(time, _)| time == t).map(|(_, row)| row).collect();
            assert_eq!(at.len(), 2);
            near(at[1][1], -0.8 * at[0][1], 1e-13);
            near(at[0][1], -0.8f64.powi(n as i32) * (2.0f64 * 9.81).sqrt(), 1e-8);
            near(at[1][2], 0.5 * t, 1e-9);
        }
        // Height between the impacts, at the end of the study.
        let (t, row) = ran.last();
        let n = exact.len();
        let speed = 0.8f64.powi(n as i32) * (2.0f64 * 9.81).sqrt();
        let flight = t - exact[n - 1];
        near(row[0], speed * flight - 0.5 * 9.81 * flight * flight, 1e-8);
        // The energy that bounces take is accounted for.
        assert!(ran.report.audit.imbalance.value < 1e-8 * ran.report.audit.energy_scale);
        assert!(ran.rows.windows(2).all(|pair| pair[0].0 <= pair[1].0));
    }
}

#[test]
fn stop_event_ends_the_motion_inside_a_step() {
    for study in [FIXED, ADAPTIVE] {
        let ran = run(&ball(study, "stop = true"));
        assert_eq!(ran.report.ending, Ending::Completed);
        near(ran.report.state.t, impacts(0.8, 1)[0], 1e-12);
        near(ran.last().0, impacts(0.8, 1)[0], 1e-12);
        near(ran.last().1[0], 0.0, 1e-12);
    }
}

#[test]
fn accumulating_events_are_reported() {
    for study in [FIXED, ADAPTIVE] {
        let text = ball(study, "bounce = { restitution = 0.3 }");
        let ran = run(&text);
        let Ending::EventFailed(refusal) = &ran.report.ending else { panic!("{:?}", ran.report.ending) };
        let message = &refusal.message;
        assert!(message.contains("events accumulate at t = 0.83"), "{message}");
        // t∞ = t₁ (1 + 2e/(1 − e)).
        near(ran.report.state.t, impacts(0.3, 1)[0] * (1.0 + 0.6 / 0.7), 1e-6);
    }
}

/// A pendulum with a stop: the hinge's angle is thrown back.
#[test]
fn pendulum_at_a_stop() {
    let text = "[model]\ngravity = [0, 0, 0]\n[study]\nend = 3\nintegrator = \"radau\"\nrelative_tolerance = 1e-11\n\
         [[body]]\nname = \"arm\"\nmass = 2\ninertia = [0.1, 0.2, 0.3]\nposition = [0.4, 0, 0]\n\
         velocity = [0, 0.4, 0]\nangular_velocity = [0, 0, 1]\n\
         [[joint]]\nname = \"hinge\"\ntype = \"revolute\"\nbetween = [\"ground\", \"arm\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\n\
         [[signal]]\nname = \"angle\"\nvalue = \"hinge.angle\"\n[[signal]]\nname = \"rate\"\nvalue = \"hinge.rate\"\n\
         [[event]]\nname = \"stop\"\nwhen = \"hinge.angle - 1.25\"\ncrossing = \"rising\"\n\
         bounce = { coordinate = \"hinge.angle\", restitution = 0.5 }\n";
    let ran = run(text);
    near(ran.times("stop")[0], 1.25, 1e-10);
    near(ran.last().1[0], 1.25 - 0.5 * 1.75, 1e-9);
    near(ran.last().1[1], -0.5, 1e-10);
}

/// The stiffness of a spring changes at t₁: x = cos ωt, then amplitude and phase fit.
#[test]
fn stiffness_doubles_at_a_time() {
    for (study, tolerance) in [(ADAPTIVE, 1e-7), ("step = 0.001\nintegrator = \"gauss\"\n", 1e-10)] {
        let text = format!(
            "[model]\ngravity = [0, 0, 0]\n[parameters]\nk = 9\nmass = 1\n[study]\nend = 3\n{study}\
             [[body]]\nname = \"m\"\ntype = \"point\"\nmass = \"mass\"\nposition = [3, 0, 0]\n\
             [[force]]\nname = \"s\"\ntype = \"spring\"\nbetween = [\"ground\", \"m\"]\nstiffness = \"k\"\nlength = 2\n\
             [[signal]]\nname = \"x\"\nvalue = \"m.position.x - 2\"\n[[signal]]\nname = \"k_now\"\nvalue = \"k + 0*time\"\n\
             [[event]]\nname = \"stiffer\"\nat = 0.7\nset = {{ k = \"2*k\" }}\n\
             [[event]]\nname = \"again\"\nat = [1.1, 1.5]\nset = {{ k = \"k + 1\" }}\n"
        );
        let ran = run(&text);
        assert_eq!(ran.events.len(), 3);
        let (mut x, mut v, mut t) = (1.0f64, 0.0f64, 0.0);
        for (end, k) in [(0.7, 9.0f64), (1.1, 18.0), (1.5, 19.0), (3.0, 20.0)] {
            let (w, dt) = (k.sqrt(), end - t);
            (x, v) =
                (x * (w * dt).cos() + v / w * (w * dt).sin(), v * (w * dt).cos() - x * w * (w * dt).sin());
            t = end;
        }
        near(ran.last().1[0], x, tolerance);
        assert_eq!(ran.last().1[1], 20.0);
        assert!(ran.report.audit.imbalance.value < 1e-5 * ran.report.audit.energy_scale);
    }
}

/// Full turns stay counted and bodies stay where they are when a parameter changes their centre of mass.
#[test]
fn set_carries_the_state_over() {
    let text = format!(
        "[model]\ngravity = [0, 0, 0]\n[parameters]\nc = 0\n[study]\nend = 10\n{ADAPTIVE}\
         [[body]]\nname = \"rotor\"\nmass = 2\ninertia = [0.1, 0.2, 0.3]\ncentre_of_mass = [\"c\", 0, 0]\n\
         angular_velocity = [0, 0, 3]\n\
         [[joint]]\nname = \"hinge\"\ntype = \"revolute\"\nbetween = [\"ground\", \"rotor\"]\nat = [0, 0, 0]\naxis = [0, 0, 1]\n\
         [[signal]]\nname = \"angle\"\nvalue = \"hinge.angle\"\n[[signal]]\nname = \"x\"\nvalue = \"rotor.position.x\"\n\
         [[event]]\nname = \"shift\"\nat = 5\nset = {{ c = 0.2 }}\n"
    );
    let ran = run(&text);
    near(ran.last().1[0], 30.0, 1e-7);
    near(ran.last().1[1], 0.0, 1e-12);
}

/// An impulse at a marker, in body axes, its size a formula of the state.
#[test]
fn impulse_at_a_marker() {
    let text = format!(
        "[model]\ngravity = [0, 0, 0]\n[parameters]\nJ = 0.6\n[study]\nend = 2\n{FIXED}\
         [[body]]\nname = \"bar\"\nmass = 2\ninertia = [0.2, 0.3, 0.4]\n\
         orientation = {{ axis = [0, 0, 1], angle = \"pi/2\" }}\nvelocity = [1, 0, 0]\n\
         [[marker]]\nname = \"tip\"\nbody = \"bar\"\nposition = [0.5, 0, 0]\n\
         [[signal]]\nname = \"x\"\nvalue = \"bar.velocity.x\"\n[[signal]]\nname = \"w\"\nvalue = \"bar.angular_velocity.z\"\n\
         [[event]]\nname = \"hit\"\nwhen = \"bar.position.x - 1\"\n\
         impulse = {{ body = \"tip\", force = [0, \"J*bar.velocity.x\", 0], torque = [0, 0, 0.2], frame = \"body\" }}\n"
    );
    let ran = run(&text);
    near(ran.times("hit")[0], 1.0, 1e-12);
    // Across the bar, which stands along y: along −x.
    near(ran.last().1[0], 1.0 - 0.6 / 2.0, 1e-12);
    near(ran.last().1[1], (0.5 * 0.6 + 0.2) / 0.4, 1e-12);
}

/// Two signals cross inside one step: the earlier first. Two at the same moment: both.
#[test]
fn events_in_one_step_come_in_order() {
    let point = |name: &str, v: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\ntype = \"point\"\nmass = 1\nposition = [0, 0, 0]\nvelocity = [{v}, 0, 0]\n\
             [[event]]\nname = \"at_{name}\"\nwhen = \"{name}.position.x - 1\"\n\
             impulse = {{ body = \"{name}\", force = [\"-2*{name}.velocity.x\", 0, 0] }}\n"
        )
    };
    let text = format!(
        "[model]\ngravity = [0, 0, 0]\n[study]\nend = 1.9\nstep = 0.95\n{}{}{}{}",
        point("late", 1.02),
        point("early", 1.1),
        point("twin", 1.05),
        point("other", 1.05)
    );
    let ran = run(&text);
    let names: Vec<&str> = ran.events.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["at_early", "at_twin", "at_other", "at_late"]);
    for (time, v) in ran.events.iter().map(|(_, t)| *t).zip([1.1, 1.05, 1.05, 1.02]) {
        near(time, 1.0 / v, 1e-12);
    }
    // Thrown back at the same speed.
    near(ran.report.state.frames[1].r.x, 2.0 - 1.02 * 1.9, 1e-12);
    near(ran.report.state.frames[2].r.x, 2.0 - 1.1 * 1.9, 1e-12);
    near(ran.report.state.frames[3].r.x, 2.0 - 1.05 * 1.9, 1e-12);
    near(ran.report.state.frames[4].r.x, 2.0 - 1.05 * 1.9, 1e-12);
}

/// An event of a reaction: where the string of a pendulum carries three times the weight at the lowest point.
#[test]
fn an_event_may_watch_reactions() {
    let text = format!(
        "[study]\nend = 1\n{ADAPTIVE}\
         [[body]]\nname = \"bob\"\ntype = \"point\"\nmass = 1\nposition = [1, 0, 0]\n\
         [[joint]]\nname = \"rod\"\ntype = \"distance\"\nbetween = [\"ground\", \"bob\"]\n\
         [[signal]]\nname = \"height\"\nvalue = \"bob.position.z\"\n\
         [[event]]\nname = \"taut\"\nwhen = \"abs(rod.reaction.axial) - 1.5*9.81\"\nstop = true\n"
    );
    // Tension 3 m g cos θ from the horizontal start: 1.5 m g at cos θ = ½.
    let ran = run(&text);
    near(ran.last().1[0], -0.5, 1e-8);
}

/// An event that cannot be carried out ends the motion and says why.
#[test]
fn impossible_actions_are_told() {
    let text = ball(FIXED, "set = { e = \"sqrt(-speed - 100)\" }");
    let Ending::EventFailed(Halt { message, .. }) = run(&text).report.ending else { panic!() };
    assert!(message.contains("event `touch` at t = 0.4515") && message.contains("is NaN"), "{message}");
    let text = ball(FIXED, "set = { m = -1 }")
        .replace("[parameters]", "[parameters]\nm = 0.3")
        .replace("mass = 0.3", "mass = \"m\"");
    let Ending::EventFailed(Halt { message, .. }) = run(&text).report.ending else { panic!() };
    assert!(message.contains("mass"), "{message}");
}

/// What an event does may carry another formula through zero: that is an event at the same time.
#[test]
fn a_formula_that_jumps_through_zero_is_an_event() {
    for study in [FIXED, ADAPTIVE] {
        let ran = run(&format!(
            "[model]\ngravity = [0, 0, 0]\n[study]\nend = 2\n{study}\
             [[body]]\nname = \"p\"\ntype = \"point\"\nmass = 1\nvelocity = [1, 0, 0]\n\
             [[signal]]\nname = \"x\"\nvalue = \"p.position.x\"\n\
             [[event]]\nname = \"hit\"\nat = 0.505\nimpulse = {{ body = \"p\", force = [-3, 0, 0] }}\n\
             [[event]]\nname = \"back\"\nwhen = \"p.velocity.x\"\ncrossing = \"falling\"\nstop = true\n"
        ));
        let names: Vec<&str> = ran.events.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["hit", "back"]);
        near(ran.report.state.t, 0.505, 1e-12);
        near(ran.last().1[0], 0.505, 1e-12);
    }
}

/// Rows and events inside long adaptive steps have the work up to there, not that of the whole step.
#[test]
fn work_is_audited_inside_adaptive_steps() {
    let ran = run(&format!(
        "[model]\ngravity = [0, 0, 0]\n[study]\nend = 5\n{ADAPTIVE}\
         [[body]]\nname = \"m\"\ntype = \"point\"\nmass = 1\nposition = [3, 0, 0]\n\
         [[force]]\nname = \"s\"\ntype = \"spring\"\nbetween = [\"ground\", \"m\"]\nstiffness = 20\ndamping = 0.7\nlength = 2\n\
         [[force]]\nname = \"f\"\ntype = \"force\"\non = \"m\"\nforce = [\"3*sin(4*t)\", 0, 0]\n\
         [[signal]]\nname = \"x\"\nvalue = \"m.position.x\"\n\
         [[event]]\nname = \"middle\"\nwhen = \"m.position.x - 2\"\nimpulse = {{ body = \"m\", force = [0.1, 0, 0] }}\n"
    ));
    let audit = &ran.report.audit;
    assert!(ran.events.len() > 5 && audit.supplied > 1.0 && audit.dissipated > 1.0, "{audit:?}");
    assert!(
        audit.imbalance.value < 1e-6 * audit.energy_scale,
        "{:?} of {}",
        audit.imbalance,
        audit.energy_scale
    );
}
