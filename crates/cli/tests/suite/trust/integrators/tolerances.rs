//! The tighter tolerance is never less accurate: down to 1e-14 every run finishes, and its error against an
//! independent solution falls with the tolerance or lies at rounding.

use super::matrix::{Last, loaded};
use super::model;
use poinsot_analysis::{Ending, Pace, consistent_start, run_with_events};
use poinsot_integrators::{BdfSettings, ImplicitFamily, ImplicitSettings, Method, Tolerance};
use poinsot_model::build;
use poinsot_studies::LiveModel;
use poinsot_studies::motion::{ModelEvents, motion_study};
use std::cell::RefCell;
use std::f64::consts::PI;
use std::rc::Rc;

/// Below this rounding rules.
const ROUNDING: f64 = 1e-12;

/// By how much a run with the tighter tolerance may be worse by chance.
const CHANCE: f64 = 1.5;

type Point = [f64; 2];

fn plus(y: Point, h: f64, d: Point) -> Point {
    [y[0] + h * d[0], y[1] + h * d[1]]
}

/// n steps of the midpoint rule over a time h, smoothed.
fn midpoints(f: &impl Fn(Point) -> Point, y: Point, h: f64, n: usize) -> Point {
    let part = h / n as f64;
    let (mut before, mut now) = (y, plus(y, part, f(y)));
    for _ in 1..n {
        (before, now) = (now, plus(before, 2.0 * part, f(now)));
    }
    let end = plus(before, part, f(now));
    [0.5 * (end[0] + now[0]), 0.5 * (end[1] + now[1])]
}

/// ẏ = f(y) over a time, by extrapolation of the midpoint rule (W. B. Gragg).
fn gragg(f: impl Fn(Point) -> Point, mut y: Point, time: f64, steps: usize) -> Point {
    const ROWS: usize = 8;
    for _ in 0..steps {
        let mut row: Vec<Point> = vec![];
        for j in 0..ROWS {
            let mut next = vec![midpoints(&f, y, time / steps as f64, 2 * (j + 1))];
            for k in 1..=j {
                let ratio = ((j + 1) as f64 / (j + 1 - k) as f64).powi(2) - 1.0;
                let (own, coarser): (Point, Point) = (next[k - 1], row[k - 1]);
                next.push([0, 1].map(|i| own[i] + (own[i] - coarser[i]) / ratio));
            }
            row = next;
        }
        y = row[ROWS - 1];
    }
    y
}

/// x of the oscillator with stiffness 9 above and 25 below zero, that starts upward with speed 1.
pub fn two_springs(time: f64) -> f64 {
    let left = time % (PI / 3.0 + PI / 5.0);
    if left < PI / 3.0 { (3.0 * left).sin() / 3.0 } else { -(5.0 * (left - PI / 3.0)).sin() / 5.0 }
}

const METHODS: usize = 4;

fn methods(tolerance: Tolerance) -> [(&'static str, Method); METHODS] {
    let implicit = |family, stages| {
        let estimate = family == ImplicitFamily::Radau;
        Method::Implicit(ImplicitSettings { family, stages, tolerance, estimate, ..Default::default() })
    };
    [
        ("radau of 3 stages", implicit(ImplicitFamily::Radau, 3)),
        ("radau of 5 stages", implicit(ImplicitFamily::Radau, 5)),
        ("gauss", implicit(ImplicitFamily::Gauss, 3)),
        ("bdf", Method::Bdf(BdfSettings { tolerance, ..Default::default() })),
    ]
}

/// The signals at the end, by adaptive steps, or by those of the model where the method cannot choose them.
fn end_of(name: &str, method: Method, tolerance: Tolerance) -> Result<Vec<f64>, String> {
    let model = loaded(&model(name)).unwrap();
    let (mut system, assembly) = build(&model).map_err(|d| d.message)?;
    let (state, _) = consistent_start(&mut system, 0.0).map_err(|e| e.to_string())?;
    let mut study = motion_study(&model, &system, &assembly).ok_or("no study")?;
    if !matches!(method, Method::Implicit(settings) if settings.family == ImplicitFamily::Gauss) {
        study.pace = Pace::Adaptive { tolerance, first: None, longest: None, every: Some(2.0 * study.end) };
    }
    study.method = method;
    let live = Rc::new(RefCell::new(LiveModel::new(model, assembly)));
    let mut last = Last { live: live.clone(), values: vec![] };
    let mut events = ModelEvents::new(live);
    let report = run_with_events(&mut system, state, &study, &mut last, &mut events);
    match report.map_err(|e| e.to_string())?.ending {
        Ending::Completed => Ok(last.values),
        other => Err(format!("{other:?}")),
    }
}

/// Complaints about a model whose first signals are to have these values at the end.
fn complaints(name: &str, exact: &[f64]) -> Vec<String> {
    let mut found = vec![];
    for k in 0..METHODS {
        let mut before = f64::INFINITY;
        for digits in 4..=14 {
            let tolerance = Tolerance::both(10f64.powi(-digits));
            let [(method_name, method)] = &methods(tolerance)[k..=k] else { unreachable!() };
            // Formulas of low order would take hours.
            if *method_name == "bdf" && digits > 12 {
                continue;
            }
            let who = format!("{name}, {method_name}, 1e-{digits}");
            let values = match end_of(name, *method, tolerance) {
                Ok(values) => values,
                Err(failure) => {
                    found.push(format!("{who}: {failure}"));
                    continue;
                }
            };
            let error = values.iter().zip(exact).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            println!("{who}: {error:.1e}");
            // An error far below what was asked for may be so by chance.
            let chance = if *method_name == "gauss" { 0.1 * tolerance.relative } else { 0.0 };
            if error > ROUNDING.max(chance) && error > CHANCE * before {
                found.push(format!("{who}: error {error:.1e} after {before:.1e}"));
            }
            before = error;
        }
    }
    found
}

fn hold(name: &str, exact: &[f64]) {
    let found = complaints(name, exact);
    assert!(found.is_empty(), "{}", found.join("\n"));
}

#[test]
fn on_a_pendulum() {
    let inertia = 0.03 + 2.0 * 0.4 * 0.4;
    let end = gragg(|[phi, w]| [w, 2.0 * 9.81 * 0.4 * phi.cos() / inertia], [0.0; 2], 1.5, 300);
    hold("pendulum", &end[..1]);
}

#[test]
fn on_a_stabilised_energy_model() {
    let end = gragg(|[phi, w]| [w, -9.81 / 0.4 * phi.sin() - 0.2 * w], [PI / 2.0, 0.0], 0.5, 100);
    hold("energy_model_with_a_rod", &[0.4 * end[0].sin(), -0.4 * end[0].cos()]);
}

#[test]
fn behind_kinks() {
    hold("equations_with_kinks", &[two_springs(2.3)]);
    hold("spring_and_stop", &[two_springs(2.3)]);
}
