//! Break times of expressions.

use poinsot_expr::{Expr, Extrapolation, Interpolation, Table};
use std::sync::Arc;

fn tables() -> Vec<Arc<Table>> {
    let table = |name, points: &[(f64, f64)], interpolation, extrapolation| {
        Arc::new(Table::new(name, points, interpolation, extrapolation).unwrap())
    };
    let pulse = [(0.0, 0.0), (50e-9, 0.0), (60e-9, 20.0), (110e-9, 20.0), (120e-9, 0.0)];
    vec![
        table("ramps", &[(1.0, 0.0), (2.0, 3.0), (4.0, 3.0)], Interpolation::Linear, Extrapolation::Hold),
        table("pulse", &pulse, Interpolation::Linear, Extrapolation::Periodic),
        table("curve", &[(1.0, 0.0), (2.0, 3.0), (4.0, 3.0)], Interpolation::Spline, Extrapolation::Hold),
        table("wave", &[(0.0, 0.0), (1.0, 3.0), (2.0, 0.0)], Interpolation::Spline, Extrapolation::Periodic),
    ]
}

fn breaks(text: &str, from: f64, to: f64) -> Vec<f64> {
    let constants = |name: &str| match name {
        "t0" => Some(0.5),
        "T" => Some(2.0),
        _ => None,
    };
    Expr::parse_with(text, &tables()).unwrap().breaks("t", &constants, from, to)
}

#[test]
fn smooth_functions_have_none() {
    for text in ["sin(t)*exp(-t)", "3", "t^2 + x", "wave(t)", "curve(x)", "if(x < 1, t, 0)", "abs(t*x)"] {
        assert_eq!(breaks(text, -10.0, 10.0), Vec::<f64>::new(), "{text}");
    }
}

#[test]
fn comparisons_of_straight_lines() {
    assert_eq!(breaks("if(t < t0, 1, 0)", 0.0, 10.0), [0.5]);
    assert_eq!(breaks("x*if(2*t - 1 >= 3*T and t < 9, sin(t), y)", 0.0, 10.0), [3.5, 9.0]);
    assert_eq!(breaks("if(not (4 < -t/2), 1, 0)", -20.0, 10.0), [-8.0]);
    // Only those of the interval, its ends among them, and each once.
    assert_eq!(breaks("if(t < 1, 1, 0) + if(t > 1, 2, 3) + if(t < 20, 1, 0)", 1.0, 10.0), [1.0]);
    assert_eq!(breaks("if(t < 1, 1, 0) + if(t < 20, 1, 0)", 1.1, 10.0), Vec::<f64>::new());
    assert_eq!(breaks("if(t < 1, 1, 0) + if(t > 1, 2, 3)", 0.0, 10.0), [1.0]);
}

#[test]
fn functions_that_switch() {
    assert_eq!(
        breaks("abs(t - 1) + step(t - 2) + ramp(3 - t) + sign(t - 4)", 0.0, 10.0),
        [1.0, 2.0, 3.0, 4.0]
    );
    assert_eq!(breaks("clamp(2*t, 1, 3) + max(t, 4, 2*t - 5)", 0.0, 10.0), [0.5, 1.5, 4.0, 4.5, 5.0]);
    assert_eq!(breaks("floor(t/2) + round(t)", 0.0, 3.0), [0.0, 0.5, 1.5, 2.0, 2.5]);
    assert_eq!(breaks("smoothstep((t - 1)/T)", 0.0, 10.0), [1.0, 3.0]);
}

#[test]
fn what_is_made_of_straight_lines_switches_too() {
    assert_eq!(breaks("if(mod(t, T) < t0, 1, 0)", 0.0, 5.0), [0.0, 0.5, 2.0, 2.5, 4.0, 4.5]);
    assert_eq!(breaks("if(abs(t - 3) < 1, 1, 0)", 0.0, 5.0), [2.0, 3.0, 4.0]);
    assert_eq!(breaks("if(ramps(t) > 1.5, x, y)", 0.0, 5.0), [1.0, 1.5, 2.0, 4.0]);
}

/// sin 3t = 0 at kπ/3, t² = 2 at √2, a wave that grows meets 1 again and again.
#[test]
fn curves_switch_too() {
    let near = |text: &str, to: f64, expected: &[f64]| {
        let found = breaks(text, 0.0, to);
        assert_eq!(found.len(), expected.len(), "{text}: {found:?}");
        for (found, expected) in found.iter().zip(expected) {
            assert!((found - expected).abs() <= 4e-16 * expected.max(1.0), "{text}: {found} for {expected}");
        }
    };
    let third = std::f64::consts::PI / 3.0;
    near("if(sin(3*t) > 0, x, y)", 4.0, &[0.0, third, 2.0 * third, 3.0 * third]);
    near("abs(t^T - 2)", 4.0, &[2f64.sqrt()]);
    near("step(t*exp(-t) - 1/e)", 0.9, &[]);
    near("if(mod(t, 1)^2 < 0.25, 1, 0)", 1.9, &[0.0, 0.5, 1.0, 1.5]);
    // A thousand periods, each passed twice.
    assert_eq!(breaks("if(cos(2*pi*t) > 0.3, 1, 0)", 0.0, 1000.0).len(), 2000);
    // Of other variables nobody knows.
    assert_eq!(breaks("if(sin(t) > x, 1, 0)", 0.0, 10.0), Vec::<f64>::new());
}

#[test]
fn points_of_tables() {
    assert_eq!(breaks("x*ramps(t)", 0.0, 10.0), [1.0, 2.0, 4.0]);
    assert_eq!(breaks("ramps(2*(t - t0))", 0.0, 10.0), [1.0, 1.5, 2.5]);
    assert_eq!(breaks("curve(t)", 0.0, 10.0), [1.0, 4.0]);
    let found = breaks("pulse(t)", 0.0, 1.2e-6);
    assert_eq!(found.len(), 41);
    let periods = (0..10).flat_map(|k| [50.0, 60.0, 110.0, 120.0].map(|t| (120.0 * k as f64 + t) * 1e-9));
    for (found, expected) in found.iter().zip(std::iter::once(0.0).chain(periods)) {
        assert!((found - expected).abs() < 1e-21, "{found} instead of {expected}");
    }
}

#[test]
fn too_many_are_left_out() {
    assert_eq!(breaks("floor(t*1e9)", 0.0, 1.0), Vec::<f64>::new());
}
