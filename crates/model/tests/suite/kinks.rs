//! Kinks and jumps of piecewise laws in the state, against closed forms: adaptive steps end at them, and the
//! error follows the tolerance as in a smooth motion.

use crate::adaptive;

use adaptive::Watcher;
use poinsot_analysis::{Ending, Kinks, MotionReport, Pace, consistent_start, run_motion};
use poinsot_integrators::{BdfSettings, ExplicitMethod, ExplicitSettings, ImplicitSettings};
use poinsot_integrators::{Method, Procedure, Settings, Tolerance};
use poinsot_model::build;
use poinsot_studies::load_str;
use poinsot_studies::motion::motion_study;

/// Runs a model to its end; returns the largest error of its expectations, in sizes of one, and the report.
fn run(text: &str, method: Method, tolerance: f64, kinks: Kinks) -> (f64, MotionReport) {
    let (model, _) = load_str("model.toml", text, &[]).unwrap_or_else(|e| panic!("{e}"));
    let (mut system, assembly) = build(&model).unwrap_or_else(|d| panic!("{}", d.one_line(&model.source)));
    let (state, _) = consistent_start(&mut system, 0.0).unwrap();
    let mut study = motion_study(&model, &system, &assembly).unwrap();
    let both = Tolerance::both(tolerance);
    study.method = match method {
        Method::Implicit(settings) => Method::Implicit(ImplicitSettings { tolerance: both, ..settings }),
        Method::Bdf(settings) => Method::Bdf(BdfSettings { tolerance: both, ..settings }),
        Method::Explicit(settings) => Method::Explicit(ExplicitSettings { tolerance: both, ..settings }),
        method => method,
    };
    study.pace = Pace::Adaptive { tolerance: both, first: None, longest: None, every: Some(2.0 * study.end) };
    study.state_kinks = kinks;
    let mut watcher = Watcher::new(&model, &assembly, study.end);
    let report = run_motion(&mut system, state, &study, &mut watcher).unwrap_or_else(|e| panic!("{e}"));
    let errors = model.expects.iter().zip(&watcher.measured);
    let errors = errors.map(|(e, value)| (value - e.value).abs() / (1.0 + e.value.abs()));
    (errors.fold(0.0, |m: f64, e| if e.is_nan() { f64::NAN } else { m.max(e) }), report)
}

fn radau(stages: usize) -> Method {
    Method::Implicit(ImplicitSettings { stages, ..ImplicitSettings::default() })
}

fn dormand_prince() -> Method {
    ExplicitSettings::new(ExplicitMethod::DormandPrince, Procedure::Embedding).into()
}

/// Runs Radau with both numbers of stages at seven tolerances.
fn check(text: &str, kinks: usize, most_steps: [usize; 2], factor: f64) {
    for (stages, most) in [3, 5].into_iter().zip(most_steps) {
        for k in 4..=10 {
            let tolerance = 10f64.powi(-k);
            let (error, report) = run(text, radau(stages), tolerance, Kinks::Locate);
            let what =
                format!("{stages} stages, 1e-{k}: {error:.1e}, {:?}, {:?}", report.counters, report.kinks);
            assert_eq!(report.ending, Ending::Completed, "{what}");
            assert!(error <= factor * tolerance, "{what}");
            assert_eq!((report.kinks.located, report.kinks.sliding.len()), (kinks, 0), "{what}");
            if k == 8 {
                assert!(report.counters.steps <= most, "{what}");
            }
        }
    }
}

/// A mass between two springs with clearance g on both sides: free flights of the time 2g/v, contacts of the
/// time π/ω. Eight periods T = 4g/v + 2π/ω and a third of a flight.
fn clearance() -> String {
    let (g, v, omega) = (0.5, 2.0, 5.0);
    let period = 4.0 * g / v + 2.0 * std::f64::consts::PI / omega;
    let end = 8.0 * period + g / (3.0 * v);
    format!(
        r#"
[parameters]
g = {g}
k = {k}
[[equations]]
name = "m"
equations = ["der(x) = v", "der(v) = -k*(max(x - g, 0) + min(x + g, 0))"]
[equations.variables]
x = {{ start = 0 }}
v = {{ start = {v} }}
[study]
end = {end:?}
integrator = "radau"
[[expect]]
signal = "m.x"
value = {x:?}
tolerance = 1
[[expect]]
signal = "m.v"
value = {v}
tolerance = 1
"#,
        k = omega * omega,
        x = g / 3.0,
    )
}

#[test]
fn oscillator_with_clearance() {
    // The errors of the contacts add up, as they do in a smooth oscillation.
    check(&clearance(), 32, [800, 200], 150.0);
    // The same accuracy without the kinks takes more steps; at equal tolerance the error is larger.
    let (located, _) = run(&clearance(), radau(5), 1e-8, Kinks::Locate);
    let (ignored, report) = run(&clearance(), radau(5), 1e-8, Kinks::Ignore);
    assert_eq!(report.kinks.located, 0);
    assert!(located < ignored, "{located:.1e} against {ignored:.1e}");
}

/// The other methods end at the kinks too.
#[test]
fn all_adaptive_methods_meet_the_kinks() {
    for (method, tolerance, factor) in [
        (dormand_prince(), 1e-8, 1e4),
        (Method::Bdf(BdfSettings::default()), 1e-7, 1e4),
        (Method::Gs4(Settings::default()), 1e-5, 1e4),
    ] {
        let (error, report) = run(&clearance(), method, tolerance, Kinks::Locate);
        let what = format!("{method:?}: {error:.1e}, {:?}, {:?}", report.counters, report.kinks);
        assert_eq!(report.ending, Ending::Completed, "{what}");
        assert_eq!(report.kinks.located, 32, "{what}");
        assert!(error <= factor * tolerance, "{what}");
    }
}

/// A throw upwards with quadratic drag, v̇ = −g − (g/w²) v|v|: up v = w tan(atan(u/w) − gt/w), from the top
/// v = −w tanh(g(t − t₁)/w).
#[test]
fn drag_changes_its_direction() {
    let (g, w, u, end) = (9.81, 20.0, 30.0, 5.0_f64);
    let top = w / g * f64::atan(u / w);
    let v = -w * (g * (end - top) / w).tanh();
    // Height: w²/(2g) ln(1 + u²/w²) up, w²/g ln cosh down.
    let s = w * w / g * (0.5 * (1.0 + u * u / (w * w)).ln() - (g * (end - top) / w).cosh().ln());
    let text = format!(
        r#"
[[equations]]
name = "m"
equations = ["der(s) = v", "der(v) = -{g} - {g}/{w}^2*v*abs(v)"]
[equations.variables]
s = {{ start = 0 }}
v = {{ start = {u} }}
[study]
end = {end}
integrator = "radau"
[[expect]]
signal = "m.v"
value = {v:?}
tolerance = 1
[[expect]]
signal = "m.s"
value = {s:?}
tolerance = 1
"#
    );
    check(&text, 1, [100, 50], 10.0);
}

/// ẋ = x, ẏ = f(x) ẋ with f of straight lines: y is the area under them, from 1 to e³.
#[test]
fn table_with_corners() {
    let points = [(0.0, 0.0), (2.0, 4.0), (5.0, 1.0), (9.0, 6.0), (14.0, -2.0), (30.0, 3.0)];
    let f = |x: f64| {
        let k = points.iter().rposition(|p| p.0 <= x).unwrap();
        let ((a, fa), (b, fb)) = (points[k], points[k + 1]);
        fa + (fb - fa) * (x - a) / (b - a)
    };
    let end = 3.0_f64.exp();
    let mut corners = vec![1.0, 2.0, 5.0, 9.0, 14.0, end];
    let area: f64 = corners.windows(2).map(|w| 0.5 * (w[1] - w[0]) * (f(w[0]) + f(w[1]))).sum();
    corners.clear();
    let text = format!(
        r#"
[[table]]
name = "f"
interpolation = "linear"
points = [[0, 0], [2, 4], [5, 1], [9, 6], [14, -2], [30, 3]]
[[equations]]
name = "m"
equations = ["der(x) = x", "der(y) = f(x)*x"]
[equations.variables]
x = {{ start = 1 }}
y = {{ start = 0 }}
[study]
end = 3
integrator = "radau"
[[expect]]
signal = "m.y"
value = {area:?}
tolerance = 1
[[expect]]
signal = "m.x"
value = {end:?}
tolerance = 1
"#
    );
    check(&text, 4, [150, 60], 10.0);
}

/// A jump of the rate: x = t up to one, then 1 + 3(t − 1); y follows it with a lag.
#[test]
fn jump_of_a_rate() {
    // ẏ = x − y from 0: before the jump y = t − 1 + e^(−t), behind it y = p(τ) + (y₁ − p(0)) e^(−τ), p = 3τ −
    // 2.
    let tau = 1.5_f64;
    let y = 3.0 * tau - 2.0 + ((-1.0_f64).exp() + 2.0) * (-tau).exp();
    let text = format!(
        r#"
[[equations]]
name = "m"
equations = ["der(x) = if(x < 1, 1, 3)", "der(y) = x - y"]
[equations.variables]
x = {{ start = 0 }}
y = {{ start = 0 }}
[study]
end = 2.5
integrator = "radau"
[[expect]]
signal = "m.x"
value = 5.5
tolerance = 1
[[expect]]
signal = "m.y"
value = {y:?}
tolerance = 1
"#
    );
    check(&text, 1, [100, 60], 10.0);
}

/// A mass falls into a rope: the law of a spring has a kink where the rope becomes taut.
#[test]
fn rope_becomes_taut() {
    let (g, start, length, k) = (9.81_f64, 0.5, 2.0, 400.0_f64);
    let (fall, omega) = ((2.0 * (length - start) / g).sqrt(), k.sqrt());
    // Stretch z = A cos ωτ + B sin ωτ + g/k with z(0) = 0, ż(0) = g·fall; a quarter of the time past the
    // lowest point.
    let tau = 0.1;
    let (a, b) = (-g / k, g * fall / omega);
    let stretch = a * (omega * tau).cos() + b * (omega * tau).sin() + g / k;
    let text = format!(
        r#"
[model]
gravity = [0, 0, -{g}]
[[body]]
name = "mass"
type = "point"
mass = 1
position = [0, 0, -{start}]
[[force]]
name = "rope"
type = "spring"
between = ["ground", "mass"]
points = [[0, 0, 0], [0, 0, -{start}]]
force = "{k}*ramp(length - {length})"
[study]
end = {end:?}
integrator = "radau"
[[expect]]
signal = "mass.position.z"
value = {z:?}
tolerance = 1
"#,
        end = fall + tau,
        z = -(length + stretch),
    );
    check(&text, 1, [60, 30], 10.0);
}

/// A motion that slides along a switch does not stall the run, and the report names the switch.
#[test]
fn sliding_is_reported() {
    let text = r#"
[[equations]]
name = "m"
equations = ["der(x) = 0.3 - sign(x)"]
[equations.variables]
x = { start = 0.5 }
[study]
end = 2
integrator = "dormand-prince"
[[expect]]
signal = "m.x"
value = 0
tolerance = 1
"#;
    for (method, kinks) in [(dormand_prince(), Kinks::Locate), (radau(3), Kinks::Locate)] {
        let (error, report) = run(text, method, 1e-5, kinks);
        let what = format!("{error:.1e} {:?} {:?} {:?}", report.ending, report.kinks, report.counters);
        println!("{what}");
        let [(name, time)] = &report.kinks.sliding[..] else { panic!("{what}") };
        // x = 0.5 − 0.7 t reaches zero at 5/7.
        assert_eq!(name, "m.x = 0");
        assert!((time - 5.0 / 7.0).abs() < 1e-3, "{what}");
        match &report.ending {
            Ending::Completed => assert!(error < 1e-4, "{what}"),
            Ending::Failed(failure) => assert!(failure.to_string().contains("sticks to a switch"), "{what}"),
            _ => panic!("{what}"),
        }
    }
}
