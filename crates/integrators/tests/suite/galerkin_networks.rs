//! Galerkin steps with networks: orders, energy that goes to and fro, algebraic equations.

use crate::common;

use common::{order, runge_kutta, unit_point};
use poinsot_expr::{Expr, Function};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::{Galerkin, GalerkinSettings, Integrator, Stepper};
use poinsot_mechanics::forces::CoordinateForce;
use poinsot_mechanics::joints::Attachment;
use poinsot_mechanics::*;

/// A network with variables of these names and start values; rates are written as names with a d before them.
fn network(variables: &[(&str, f64)], readings: Vec<Reading>, named: &[&str], equations: &[&str]) -> Network {
    let names = variables.iter().map(|(name, _)| name.to_string());
    let rates = variables.iter().map(|(name, _)| format!("d{name}"));
    let read = named.iter().map(|name| name.to_string());
    let arguments: Vec<String> = names.chain(rates).chain(read).chain(["t".into()]).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let function = |text: &&str| Function::new(&Expr::parse(text).unwrap(), &arguments, &|_| None).unwrap();
    let loads = match equations.len() > variables.len() {
        true => vec![Load::along(0, function(&equations[variables.len()]))],
        false => vec![],
    };
    Network {
        name: "network".into(),
        variables: variables
            .iter()
            .map(|&(name, start)| Variable { name: name.into(), start, nominal: 1.0 })
            .collect(),
        readings,
        equations: equations[..variables.len()].iter().map(function).collect(),
        loads,
    }
}

fn alone(network: Network) -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    b.network(network).unwrap();
    b.build()
}

/// The variables after n steps.
fn values(system: &System, degree: usize, t: f64, n: usize) -> Vec<f64> {
    let mut steps = Galerkin::new(system, GalerkinSettings::new(degree), system.start_state(0.0)).unwrap();
    for _ in 0..n {
        steps.step(t / n as f64).unwrap();
    }
    let network = &system.networks()[0];
    (0..network.law.variables.len()).map(|j| steps.state().v[network.unknown(j)]).collect()
}

fn assert_order(degree: usize, coarse: &[f64], fine: &[f64], exact: &[f64]) {
    let largest = |x: &[f64]| x.iter().zip(exact).map(|(x, e)| (x - e).abs()).fold(0.0, f64::max);
    let (coarse, fine) = (largest(coarse), largest(fine));
    println!("k {degree}: {coarse:.2e} {fine:.2e}, order {:.2}", order(coarse, fine));
    assert!((order(coarse, fine) - 2.0 * degree as f64).abs() < 0.3, "k {degree}: {coarse:e} {fine:e}");
}

/// gs4-isochronous-integrators V-05, the Brusselator that oscillates.
#[test]
fn rates_are_of_order_two_k() {
    let rate =
        |_: f64, y: &[f64; 2]| [1.0 - 4.0 * y[0] + y[0] * y[0] * y[1], 3.0 * y[0] - y[0] * y[0] * y[1]];
    let equations = ["dx - (1 - 4*x + x^2*y)", "dy - (3*x - x^2*y)"];
    let system = alone(network(&[("x", 1.0), ("y", 1.0)], vec![], &[], &equations));
    let exact = runge_kutta(rate, [1.0, 1.0], 3.0, 40_000);
    for (k, n) in [(1, 200), (2, 100), (3, 20)] {
        assert_order(k, &values(&system, k, 3.0, n), &values(&system, k, 3.0, 2 * n), &exact);
    }
}

/// gs4-isochronous-integrators V-09, index one: the algebraic variable holds its equation at the end of every
/// step, and both are of order 2k.
#[test]
fn algebraic_variables_are_of_order_two_k() {
    let start: f64 = 0.5;
    let variables = [("s", start.powi(3) / 3.0 - start), ("eta", start)];
    let system = alone(network(&variables, vec![], &[], &["ds + eta", "s - eta^3/3 + eta"]));
    // ln η − η²/2 = t + ln ½ − 1/8 by Newton's method.
    let (t, mut eta) = (0.2, 0.7_f64);
    for _ in 0..60 {
        eta -= (eta.ln() - eta * eta / 2.0 - t - 0.5f64.ln() + 0.125) / (1.0 / eta - eta);
    }
    let exact = [eta.powi(3) / 3.0 - eta, eta];
    for (k, n) in [(1, 20), (2, 10), (3, 4)] {
        let fine = values(&system, k, t, 2 * n);
        assert!((fine[0] - fine[1].powi(3) / 3.0 + fine[1]).abs() < 1e-14);
        assert_order(k, &values(&system, k, t, n), &fine, &exact);
    }
}

/// A constraint on variables with rates, whose multiplier has to be differentiated for twice: a circle of
/// index three that a point goes round at constant speed, x = cos 2t, multiplier −4.
#[test]
fn variables_of_index_three() {
    let variables = [("x", 1.0), ("y", 0.0), ("u", 0.0), ("w", 2.0), ("m", -4.0)];
    let equations = ["dx - u", "dy - w", "du - m*x", "dw - m*y", "x^2 + y^2 - 1"];
    let system = alone(network(&variables, vec![], &[], &equations));
    let exact = [2.0_f64.cos(), 2.0_f64.sin()];
    for (k, n) in [(2, 20), (3, 10)] {
        let [coarse, fine] = [n, 2 * n].map(|n| values(&system, k, 1.0, n));
        println!("{coarse:?}\n{fine:?}");
        assert!((fine[0].hypot(fine[1]) - 1.0).abs() < 1e-12);
        let error = |y: &[f64]| (y[0] - exact[0]).abs().max((y[1] - exact[1]).abs());
        assert!(order(error(&coarse), error(&fine)) > k as f64 - 0.3 && error(&fine) < 1e-3);
    }
}

const COUPLING: f64 = 1.7;

/// A mass on a spring moves a coil, L di/dt = −κ ẋ − q/C, dq/dt = i, and the current pushes it, κ i.
fn voice_coil() -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let node = unit_point(&mut b, Vec3::x() * 1.3, Vec3::zeros());
    let end = |node| Attachment { node, origin: Vec3::zeros(), axes: Mat3::identity() };
    let coordinate = Coordinate::distance(&end(GROUND), &end(node));
    let spring = CoordinateForce {
        coordinate: coordinate.clone(),
        stiffness: 30.0,
        damping: 0.0,
        free: 1.0,
        law: None,
    };
    b.force("spring", Box::new(spring));
    let readings = vec![Reading::Coordinate(coordinate.clone()), Reading::Speed(Speed::Rate(coordinate))];
    let equations = ["0.4*di + 1.7*w + q/0.05", "dq - i", "1.7*i"];
    b.network(network(&[("i", 0.5), ("q", 0.02)], readings, &["s", "w"], &equations)).unwrap();
    b.build()
}

/// ½ m ẋ² + ½ k (x − 1)² + ½ L i² + ½ q²/C.
fn coil_energy(system: &System, state: &State) -> f64 {
    let [i, q] = [0, 1].map(|j| state.v[system.networks()[0].unknown(j)]);
    let (x, w) = (state.frames[1].r.x - 1.0, state.rates[1].r.x);
    0.5 * w * w + 15.0 * x * x + 0.2 * i * i + 10.0 * q * q
}

/// What the mechanics give is what the network takes, at any step: energy over 10⁴ steps changes by rounding.
#[test]
fn energy_goes_between_mechanics_and_network_without_loss() {
    let system = voice_coil();
    for (k, h) in [(1, 0.1), (2, 0.1), (3, 0.3)] {
        let mut steps = Galerkin::new(&system, GalerkinSettings::new(k), system.start_state(0.0)).unwrap();
        let (first, mut off, mut moved) = (coil_energy(&system, steps.state()), 0.0_f64, 0.0_f64);
        for step in 0..10_000 {
            // Steps of any length.
            steps.step(h * [1.0, 0.6, 1.4][step % 3]).unwrap();
            let energy = coil_energy(&system, steps.state());
            off = off.max((energy / first - 1.0).abs());
            moved = moved.max((steps.state().frames[1].r.x - 1.0).abs());
        }
        println!("k {k}: {off:.1e}");
        assert!(off < 1e-11 && moved > 0.2, "k {k}: {off:e}");
    }
}

/// The coil against the closed form of its linear equations, by their matrix exponential in small steps.
#[test]
fn coil_is_of_order_two_k() {
    let system = voice_coil();
    let rate = |_: f64, y: &[f64; 4]| {
        [y[1], -30.0 * y[0] + COUPLING * y[2], (-COUPLING * y[1] - y[3] / 0.05) / 0.4, y[2]]
    };
    let exact = runge_kutta(rate, [0.3, 0.0, 0.5, 0.02], 1.0, 20_000);
    for (k, n) in [(1, 100), (2, 40), (3, 15)] {
        let at = |n: usize| {
            let mut steps =
                Galerkin::new(&system, GalerkinSettings::new(k), system.start_state(0.0)).unwrap();
            for _ in 0..n {
                steps.step(1.0 / n as f64).unwrap();
            }
            let state = steps.state();
            let [i, q] = [0, 1].map(|j| state.v[system.networks()[0].unknown(j)]);
            vec![state.frames[1].r.x - 1.0, state.rates[1].r.x, i, q]
        };
        assert_order(k, &at(n), &at(2 * n), &exact);
    }
}

#[test]
fn knows_networks() {
    assert!(GalerkinSettings::new(2).refusal(&voice_coil()).is_none());
}
