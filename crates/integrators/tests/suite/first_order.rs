//! GS4-1: first-order systems and algebraic equations through the GS4-2 step (gs4-isochronous-integrators
//! I-26 … I-29, I-61, V-05, V-09), and one step for a first-order and a second-order system together.

use crate::common;

use common::{order, runge_kutta, tight, unit_point};
use poinsot_expr::{Expr, Function};
use poinsot_geometry::Vec3;
use poinsot_integrators::{Gs4, Gs4Form, ImplicitRungeKutta, ImplicitSettings, Member, Stepper, Tolerance};
use poinsot_mechanics::*;

/// GS4-1 with the roots (ρ∞, ρs).
fn gs4_1(rho: f64, rs: f64) -> Member {
    Member::v0(rho, 1.0, rs)
}

/// A network with variables of these names and start values; rates are written as names with a d before them.
fn network(variables: &[(&str, f64)], readings: Vec<Reading>, named: &[&str], equations: &[&str]) -> Network {
    let names = variables.iter().map(|(name, _)| name.to_string());
    let rates = variables.iter().map(|(name, _)| format!("d{name}"));
    let read = named.iter().map(|name| name.to_string());
    let arguments: Vec<String> = names.chain(rates).chain(read).chain(["t".into()]).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let function = |text: &&str| Function::new(&Expr::parse(text).unwrap(), &arguments, &|_| None).unwrap();
    Network {
        name: "network".into(),
        variables: variables
            .iter()
            .map(|&(name, start)| Variable { name: name.into(), start, nominal: 1.0 })
            .collect(),
        readings,
        equations: equations.iter().map(function).collect(),
        loads: vec![],
    }
}

fn alone(network: Network) -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    b.network(network).unwrap();
    b.build()
}

/// Variables and stored rates after n steps, from the rates at the start as they are.
fn integrate(system: &System, member: Member, t: f64, n: usize) -> (Vec<f64>, Vec<f64>, f64) {
    let h = t / n as f64;
    let mut gs4 = Gs4::new(system, tight(member, Gs4Form::Stabilised), system.start_state(0.0), h).unwrap();
    let mut rates = vec![0.0; system.size()];
    assert!(system.network_rates(&system.start_state(0.0), &mut rates, &mut Scratch::default()));
    gs4.set_stored_acceleration(&rates);
    for _ in 0..n {
        gs4.step(h).unwrap();
    }
    let of = |x: &[f64]| (0..system.size()).map(|j| x[system.networks()[0].unknown(j)]).collect();
    (of(&gs4.state().v), of(gs4.stored_acceleration()), gs4.weights().phi * h)
}

/// V-05: the Brusselator in its stable and its oscillating case; the errors of the digest at T = 5 with 800
/// steps.
#[test]
fn brusselator() {
    let member =
        |k: usize| [gs4_1(1.0, 1.0), gs4_1(1.0, 0.5), gs4_1(1.0, 0.0), gs4_1(0.5, 0.5), gs4_1(0.0, 0.0)][k];
    // (B, errors of the state for the five members, errors of the rate for the last two).
    let cases = [
        (1.5, [9.21e-7, 9.21e-7, 9.21e-7, 1.36e-6, 5.04e-6], [3.29e-6, 8.35e-6]),
        (3.0, [5.03e-7, 5.03e-7, 5.03e-7, 3.13e-7, 2.37e-6], [f64::NAN, 6.30e-6]),
    ];
    for (b, states, rates) in cases {
        let rate =
            |y: &[f64; 2]| [1.0 - (b + 1.0) * y[0] + y[0] * y[0] * y[1], b * y[0] - y[0] * y[0] * y[1]];
        let equations = [format!("dx - (1 - ({b} + 1)*x + x^2*y)"), format!("dy - ({b}*x - x^2*y)")];
        let equations: Vec<&str> = equations.iter().map(String::as_str).collect();
        let system = alone(network(&[("x", 1.0), ("y", 1.0)], vec![], &[], &equations));
        let errors = |k: usize, n: usize| {
            let (y, nu, shift) = integrate(&system, member(k), 5.0, n);
            let exact = runge_kutta(|_, y: &[f64; 2]| rate(y), [1.0, 1.0], 5.0, 20_000);
            let shifted = rate(&runge_kutta(|_, y: &[f64; 2]| rate(y), [1.0, 1.0], 5.0 - shift, 20_000));
            let largest = |x: &[f64], e: &[f64; 2]| (x[0] - e[0]).abs().max((x[1] - e[1]).abs());
            (largest(&y, &exact), largest(&nu, &shifted))
        };
        for (k, expected) in states.iter().enumerate() {
            let (coarse, fine) = (errors(k, 800), errors(k, 1600));
            assert!((coarse.0 / expected - 1.0).abs() < 0.01, "B = {b}, member {k}: {:e}", coarse.0);
            assert!(
                (order(coarse.0, fine.0) - 2.0).abs() < 0.05 && (order(coarse.1, fine.1) - 2.0).abs() < 0.1
            );
            if k >= 3 && rates[k - 3].is_finite() {
                assert!(
                    (coarse.1 / rates[k - 3] - 1.0).abs() < 0.01,
                    "B = {b}, member {k}: rate {:e}",
                    coarse.1
                );
            }
        }
    }
}

/// V-09: van der Pol's equation in the limit of index one, ṡ = −η, 0 = s − η³/3 + η.
#[test]
fn van_der_pol_in_the_limit() {
    let start: f64 = 0.5;
    let system = alone(network(
        &[("s", start.powi(3) / 3.0 - start), ("eta", start)],
        vec![],
        &[],
        &["ds + eta", "s - eta^3/3 + eta"],
    ));
    // ln η − η²/2 = t + ln ½ − 1/8 by Newton's method.
    let eta = |t: f64| {
        let mut eta: f64 = 0.7;
        for _ in 0..60 {
            eta -= (eta.ln() - eta * eta / 2.0 - t - 0.5f64.ln() + 0.125) / (1.0 / eta - eta);
        }
        eta
    };
    let cases = [
        (gs4_1(1.0, 0.0), [1.028e-5, 1.820e-4, 2.361e-5]),
        (gs4_1(0.0, 0.0), [6.240e-5, 5.656e-4, 1.433e-4]),
        (gs4_1(1.0, 1.0), [1.028e-5, 2.361e-5, 2.361e-5]),
        (gs4_1(0.5, 0.5), [1.633e-5, 9.433e-5, 3.751e-5]),
    ];
    for (member, expected) in cases {
        let errors = |n: usize| {
            let (y, nu, shift) = integrate(&system, member, 0.25, n);
            let exact = eta(0.25);
            let closed = y[0] - y[1].powi(3) / 3.0 + y[1];
            assert!(closed.abs() < 1e-14, "the algebraic equation is open by {closed:e}");
            let s = exact.powi(3) / 3.0 - exact;
            [(y[0] - s).abs(), (nu[0] + eta(0.25 - shift)).abs(), (y[1] - exact).abs()]
        };
        let (printed, coarse, fine) = (errors(25), errors(100), errors(200));
        for k in 0..3 {
            assert!((printed[k] / expected[k] - 1.0).abs() < 0.01, "{member:?}: {printed:?}");
            assert!((order(coarse[k], fine[k]) - 2.0).abs() < 0.06, "{member:?}: {coarse:?} {fine:?}");
        }
    }
}

/// A mass on a spring whose end is moved by a first-order actuator that follows the mass: both in one step,
/// of order two in every variable for every kind of member, against a tight Radau run.
#[test]
fn mixed_systems() {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let node = unit_point(&mut b, Vec3::new(1.0, 0.0, 0.0), Vec3::new(0.0, 0.3, 0.0));
    let coordinate = Coordinate::component(Carried::point(node, Vec3::zeros()), 0);
    let across = Coordinate::component(Carried::point(node, Vec3::zeros()), 1);
    let readings = vec![
        Reading::Coordinate(coordinate.clone()),
        Reading::Speed(Speed::Rate(coordinate)),
        Reading::Coordinate(across),
    ];
    let named = ["x", "v", "z"];
    let mut actuator = network(
        &[("u", 0.2), ("w", 0.0)],
        readings,
        &named,
        &["du - (0.5*x - 0.8*u + 0.1*v*z + w)", "w - sin(u) - 0.2*x*v"],
    );
    let arguments = ["u", "w", "du", "dw", "x", "v", "z", "t"];
    let law = |text: &str| Function::new(&Expr::parse(text).unwrap(), &arguments, &|_| None).unwrap();
    actuator.loads = vec![
        Load::along(0, law("-4*(x - u) - 0.1*v + w*z + 0.3*cos(2*t)")),
        Load::along(2, law("-2*z + 0.4*u*x")),
    ];
    b.network(actuator).unwrap();
    let system = b.build();
    let mut start = system.start_state(0.0);
    let open = system.close_networks(&mut start, &mut Scratch::default()).unwrap();
    assert!(open.residual < 1e-14, "{open:?}");
    let exact = {
        let settings = ImplicitSettings {
            stages: 5,
            tolerance: Tolerance::both(1e-13),
            estimate: false,
            ..Default::default()
        };
        let mut run = ImplicitRungeKutta::new(&system, settings, start.clone()).unwrap();
        for _ in 0..40 {
            run.attempt(0.05).unwrap();
            run.accept();
        }
        run.state().clone()
    };
    for member in
        [Member::u0(0.9, 0.9, 0.9), gs4_1(0.5, 0.5), Member::v0(0.3, 0.7, 0.1), Member::u0(1.0, 1.0, 0.0)]
    {
        let errors = |n: usize| {
            let h = 2.0 / n as f64;
            let mut gs4 = Gs4::new(&system, tight(member, Gs4Form::Stabilised), start.clone(), h).unwrap();
            for _ in 0..n {
                gs4.step(h).unwrap();
            }
            let mut errors: Vec<f64> =
                gs4.state().v.iter().zip(&exact.v).map(|(v, e)| (v - e).abs()).collect();
            errors.push((gs4.state().frames[node].r - exact.frames[node].r).amax());
            errors
        };
        let (coarse, fine) = (errors(100), errors(200));
        for (c, f) in coarse.iter().zip(&fine).filter(|(c, _)| **c > 1e-9) {
            assert!((order(*c, *f) - 2.0).abs() < 0.15, "{member:?}: {coarse:?} {fine:?}");
        }
    }
}
