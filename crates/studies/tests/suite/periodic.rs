//! Periodic studies: what each scheme finds, orders of convergence, and what is said about mistakes.

use crate::starts::{model, run};
use poinsot_analysis::{
    Closure, PeriodGiven, PeriodicReport, PeriodicScheme, PeriodicSettings, find_periodic_near,
};
use poinsot_integrators::{ConstraintPoints, ElementMap, Scheme, StepMap};
use poinsot_mechanics::{State, System};
use poinsot_results::RunSummary;
use poinsot_studies::periodic::PeriodicSummary;
use poinsot_studies::{Blame, load_str, prepare};
use std::f64::consts::TAU;

fn found(text: &str) -> PeriodicSummary {
    let product = run(&model(text)).unwrap_or_else(|error| panic!("{error}"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("summary.json");
    product.summary.write(&path).unwrap();
    PeriodicSummary::read(&path).unwrap()
}

/// The message of a model that is refused, at reading or before the run.
fn refused(text: &str) -> String {
    match load_str("f.toml", text, &[]) {
        Err(error) => error.render(false),
        Ok((model, _)) => match run(&model) {
            Err(error) => {
                assert_eq!(error.blame(), Blame::Input, "{error}");
                error.to_string()
            }
            Ok(_) => panic!("the model was taken"),
        },
    }
}

/// x″ + Ω² x = cos t of a point on a rail.
fn oscillator(stiffness: f64) -> String {
    format!(
        r#"
[model]
gravity = [0, 0, 0]
[[body]]
name = "p"
type = "point"
mass = 1
[[joint]]
name = "rail"
type = "point_on_line"
between = ["ground", "p"]
axis = [1, 0, 0]
at = [0, 0, 0]
[[force]]
name = "spring"
type = "spring"
between = ["ground", "p"]
points = [[-10, 0, 0], [0, 0, 0]]
length = 10
force = "{stiffness}*(length - 10)"
[[force]]
name = "load"
type = "force"
on = "p"
force = ["cos(t)", 0, 0]
"#
    )
}

/// The periodic motion of a system in so many equal elements.
fn orbit(system: &System, start: &State, scheme: PeriodicScheme, elements: usize) -> PeriodicReport {
    let settings = PeriodicSettings {
        start: 0.0,
        period: PeriodGiven::Known(TAU),
        scheme,
        elements,
        tolerance: None,
        multipliers: 1e-6,
        breaks: vec![],
        from_rest: true,
    };
    let closure = Closure { advances: &[], pins: None };
    let at = |k: usize| State { t: TAU * k as f64 / elements as f64, ..start.clone() };
    let course: Vec<State> = (0..=elements).map(at).collect();
    find_periodic_near(system, &course, &settings, closure).unwrap()
}

/// Nodes and weights of Gauss quadrature over (0, 1), of degree nine.
const GAUSS: [(f64, f64); 5] = [
    (0.046910077030668, 0.118463442528095),
    (0.230765344947158, 0.239314335249683),
    (0.5, 0.284444444444444),
    (0.769234655052842, 0.239314335249683),
    (0.953089922969332, 0.118463442528095),
];

/// Relative L2 errors of dG(1) over a period: of x and v as they are, then with Radau's correction
/// (motion-interpolation-galerkin V10).
fn errors(stiffness: f64, elements: usize) -> [f64; 4] {
    let model = model(&format!("{}[study]\nend = 1\n", oscillator(stiffness)));
    let prepared = prepare(&model, 0.0).unwrap();
    let (system, start) = (&prepared.system, &prepared.state);
    let found = orbit(system, start, PeriodicScheme::Discontinuous { degree: 1 }, elements);
    let mut map = ElementMap::new(system, Scheme::new(1, ConstraintPoints::Radau)).unwrap();
    let e = system.nodes().iter().find(|node| node.name == "p").unwrap().unknowns().start;
    let node = system.nodes().iter().position(|node| node.name == "p").unwrap();
    let (mut sums, mut sizes) = ([0.0; 4], [0.0; 2]);
    let mut end = start.clone();
    for state in &found.orbit.states {
        let h = TAU / elements as f64;
        map.advance(state, h, &mut end).unwrap();
        let course = map.element().course();
        // Of degree one: x by its ends, v by its values at the two Gauss points.
        let (q, w) = (&course.values[2 * e..2 * e + 2], &course.w[2 * e..2 * e + 2]);
        let c = 0.5 - 0.5 / 3f64.sqrt();
        for (alpha, weight) in GAUSS {
            let t = state.t + alpha * h;
            let (x, v) = (t.cos() / (stiffness - 1.0), -t.sin() / (stiffness - 1.0));
            let own = [
                state.frames[node].r.x + (1.0 - alpha) * q[0] + alpha * q[1],
                ((1.0 - c - alpha) * w[0] + (alpha - c) * w[1]) / (1.0 - 2.0 * c),
            ];
            let mut better = start.clone();
            map.element().motion(course, alpha, &mut better);
            let all = [own[0], own[1], better.frames[node].r.x, better.v[e]];
            for (k, value) in all.into_iter().enumerate() {
                sums[k] += weight * h * (value - [x, v][k % 2]).powi(2);
            }
            sizes[0] += weight * h * x * x;
            sizes[1] += weight * h * v * v;
        }
    }
    std::array::from_fn(|k| (sums[k] / sizes[k % 2]).sqrt())
}

/// Errors of an independent implementation with the same quadrature, to their three digits; stiff: Ω² = 2e7.
#[test]
fn discontinuous_elements_have_the_errors_of_the_source() {
    let cases = [
        (2.0, 8, [3.75e-2, 3.95e-2, 1.95e-2, 2.63e-2]),
        (2.0, 32, [2.34e-3, 2.35e-3, 3.21e-4, 4.31e-4]),
        (2.0, 128, [1.47e-4, 1.47e-4, 5.03e-6, 6.77e-6]),
        (2e7, 8, [2.28e-2, 2.15e-1, 2.31e-2, 1.78e-1]),
        (2e7, 32, [1.44e-3, 5.65e-2, 1.44e-3, 4.40e-2]),
        (2e7, 128, [8.98e-5, 1.42e-2, 8.97e-5, 1.10e-2]),
    ];
    for (stiffness, elements, wanted) in cases {
        let found = errors(stiffness, elements);
        for (found, wanted) in found.iter().zip(wanted) {
            assert!(
                (found / wanted - 1.0).abs() < 6e-3,
                "{stiffness}, {elements}: {found:e}, not {wanted:e}"
            );
        }
    }
}

/// A pendulum on a spring that a force drives: every scheme finds the same motion and multipliers.
fn driven(study: &str) -> String {
    format!(
        r#"
[model]
gravity = [0, 0, -9.81]
[[body]]
name = "arm"
mass = 1
inertia = [0.01, 0.01, 0.01]
position = [0, 0, -0.3]
[[joint]]
name = "hinge"
type = "revolute"
between = ["ground", "arm"]
at = [0, 0, 0]
axis = [0, 1, 0]
[[force]]
name = "damper"
type = "torsion"
joint = "hinge"
damping = 0.1
[[force]]
name = "push"
type = "force"
on = "arm"
force = ["1.5*cos(5*t)", 0, 0]
[[signal]]
name = "angle"
value = "hinge.angle"
[study]
type = "periodic"
period = "2*pi/5"
settle = 3
{study}
"#
    )
}

#[test]
fn all_schemes_find_one_motion() {
    let schemes = [
        "scheme = \"shooting\"",
        "scheme = \"collocation\"",
        "scheme = \"collocation\"\npoints = \"radau\"",
        "scheme = \"dg\"\ndegree = 3",
        "scheme = \"fourier\"",
        "scheme = \"harmonic_balance\"",
    ];
    let all: Vec<PeriodicSummary> = schemes.iter().map(|scheme| found(&driven(scheme))).collect();
    for (summary, scheme) in all.iter().zip(schemes) {
        assert_eq!(summary.multiplier_count, 2, "{scheme}");
        for (one, other) in summary.multipliers.iter().zip(&all[0].multipliers) {
            let off = (one.value.re - other.value.re).hypot(one.value.im.abs() - other.value.im.abs());
            assert!(off < 1e-6, "{scheme}: {:?}, not {:?}", one.value, other.value);
            assert!((one.frequency_hz / other.frequency_hz - 1.0).abs() < 1e-5, "{scheme}");
        }
    }
}

#[test]
fn mistakes_are_told_with_their_place() {
    let base = oscillator(2.0);
    let with = |study: &str| format!("{base}[study]\ntype = \"periodic\"\n{study}\n");
    let cases = [
        ("period = 5", "does not repeat itself after the period"),
        ("period = \"unknown\"\nguess = 6", "the period cannot be unknown"),
        ("period = \"unknown\"", "an unknown period needs a guess"),
        ("period = -1", "the period"),
        ("period = \"2*pi\"\nscheme = \"dg\"\ndegree = 4", "the degree must be between 1 and 3"),
        ("period = \"2*pi\"\nscheme = \"fourier\"\nelements = 8", "has no elements"),
        ("period = \"2*pi\"\nadvance = { \"m.x\" = 1 }", "there is no variable"),
        ("period = \"2*pi\"\nscheme = \"fourier\"\nadvance = { \"m.x\" = 1 }", "does not know `advance`"),
    ];
    for (study, wanted) in cases {
        let message = refused(&with(study));
        assert!(message.contains(wanted), "{study}: {message}");
    }
    let two = base.replace("\"cos(t)\"", "\"cos(t) + cos(sqrt(2)*t)\"");
    let message = refused(&format!("{two}[study]\ntype = \"periodic\"\nperiod = \"2*pi\"\n"));
    assert!(message.contains("does not repeat itself"), "{message}");
    let events = "[[event]]\nname = \"knock\"\nwhen = \"p.position.x\"\nset = {}\n";
    let message = refused(&format!("{base}{events}[study]\ntype = \"periodic\"\nperiod = \"2*pi\"\n"));
    assert!(message.contains("has no events"), "{message}");
}

/// At rest a stiffness that pulsates does nothing: a period that is not its own is noticed beside the rest.
#[test]
fn a_wrong_period_is_noticed_at_rest() {
    let swing = |study: &str| {
        format!(
            r#"
[model]
gravity = [0, 0, 0]
[[body]]
name = "bead"
type = "point"
mass = 1
[[joint]]
name = "wire"
type = "point_on_line"
between = ["ground", "bead"]
at = [0, 0, 0]
axis = [1, 0, 0]
[[force]]
name = "spring"
type = "force"
on = "bead"
force = ["-(1 + 0.3*cos(1.9*t))*bead.position.x", 0, 0]
[study]
type = "periodic"
from = "rest"
{study}
"#
        )
    };
    for wrong in ["period = \"2*pi\"", "period = \"pi/1.9\"", "period = \"3*pi/1.9\""] {
        let message = refused(&swing(wrong));
        assert!(message.contains("does not repeat itself after the period"), "{wrong}: {message}");
    }
    // V9 at W/2w = 0.95.
    let right = found(&swing("period = \"2*pi/1.9\""));
    assert!((right.multipliers[0].magnitude - 1.206919).abs() < 1e-6, "{:?}", right.multipliers);
}
