//! Energy models in the forms of their constraints: orders of Radau IIA and drift
//! (lagrangian-dae-modeling §1.23, VC-5.order, VC-5.p9).

use crate::common;

use common::runge_kutta;
use poinsot_expr::{Expr, Function, rate_name};
use poinsot_geometry::Vec3;
use poinsot_integrators::{ImplicitRungeKutta, ImplicitSettings, Stepper, Tolerance};
use poinsot_mechanics::{EquationForm, Lagrangian, Network, StartGuess, System, SystemBuilder, Variable};

/// A point of mass 1 on a circle of radius 1, y along gravity g.
fn pendulum() -> Lagrangian {
    let names = |list: [&str; 2]| list.map(String::from).to_vec();
    let mut model = Lagrangian::new(names(["x", "y"]), names(["u", "v"]));
    model.kinetic = Expr::parse("(u*u + v*v)/2").unwrap();
    model.potential = Expr::parse("-g*y").unwrap();
    model.displacement_constraints = vec![Expr::parse("x*x + y*y - 1").unwrap()];
    model
}

/// The equations of a form as a network, with a consistent start.
fn system(
    model: &Lagrangian,
    form: EquationForm,
    start: &[f64],
    constants: &dyn Fn(&str) -> Option<f64>,
) -> System {
    let (keep, sizes) = (vec![false; start.len()], vec![1.0; start.len()]);
    let guess = StartGuess { values: start, keep: &keep, sizes: &sizes, time: 0.0, constants };
    let start = model.consistent_start(&guess).unwrap();
    let equations = model.equations(form).unwrap();
    let values: Vec<String> = equations.unknowns.iter().map(|u| u.name.clone()).collect();
    let mut names: Vec<String> =
        values.iter().cloned().chain(values.iter().map(|name| rate_name(name))).collect();
    names.push("t".into());
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let variable = |name: &String| {
        let known = start.names.iter().position(|other| other == name);
        Variable { name: name.clone(), start: known.map_or(0.0, |k| start.values[k]), nominal: 1.0 }
    };
    let mut builder = SystemBuilder::new(Vec3::zeros());
    let function = |expr: &Expr| Function::new(expr, &names, constants).unwrap();
    builder
        .network(Network {
            name: "model".into(),
            variables: values.iter().map(variable).collect(),
            readings: vec![],
            equations: equations.rows.iter().map(|row| function(&row.expr)).collect(),
            loads: vec![],
        })
        .unwrap();
    builder.build()
}

/// Values at the end of fixed steps.
fn run(system: &System, stages: usize, t: f64, steps: usize) -> Vec<f64> {
    let settings =
        ImplicitSettings { stages, tolerance: Tolerance::both(1e-13), estimate: false, ..Default::default() };
    let mut run = ImplicitRungeKutta::new(system, settings, system.start_state(0.0)).unwrap();
    for _ in 0..steps {
        run.attempt(t / steps as f64).unwrap();
        run.accept();
    }
    let network = &system.networks()[0];
    (0..network.law.variables.len()).map(|j| run.state().v[network.unknown(j)]).collect()
}

const G: f64 = 9.81;

fn gravity(name: &str) -> Option<f64> {
    (name == "g").then_some(G)
}

/// Largest errors of displacement, flow and multiplier at t = 0.5 of the pendulum that starts at angle 1 with
/// rate 0.5.
fn errors(form: EquationForm, stages: usize, steps: usize) -> [f64; 3] {
    let place = |theta: f64| [theta.sin(), theta.cos()];
    let speed = |theta: f64, rate: f64| [rate * theta.cos(), -rate * theta.sin()];
    let ([x, y], [u, v]) = (place(1.0), speed(1.0, 0.5));
    let system = system(&pendulum(), form, &[x, y, u, v], &gravity);
    let end = run(&system, stages, 0.5, steps);
    let [theta, rate] = runge_kutta(|_, y| [y[1], -G * y[0].sin()], [1.0, 0.5], 0.5, 20_000);
    let (q, f) = (place(theta), speed(theta, rate));
    let lambda = 0.5 * (rate * rate + G * theta.cos());
    let apart = |a: [f64; 2], b: &[f64]| (a[0] - b[0]).abs().max((a[1] - b[1]).abs());
    [apart(q, &end[..2]), apart(f, &end[2..4]), (end[4] - lambda).abs()]
}

#[test]
fn orders_of_the_forms_are_those_of_theory() {
    // (form, stages, orders of q, f, λ): lagrangian-dae-modeling §1.23.
    let expected = [
        (EquationForm::Index3, 3, [5.1, 3.0, 2.0]),
        (EquationForm::Index2, 3, [5.0, 5.0, 3.05]),
        (EquationForm::Index1, 3, [5.0, 5.0, 5.0]),
        (EquationForm::Stabilised, 3, [5.0, 5.0, 3.03]),
        (EquationForm::Index3, 2, [3.3, 2.0, 1.05]),
        (EquationForm::Index2, 2, [3.0, 3.0, 2.0]),
        (EquationForm::Index1, 2, [3.0, 3.0, 3.0]),
        (EquationForm::Stabilised, 2, [3.0, 3.0, 2.0]),
        (EquationForm::Stabilised, 1, [1.0, 1.0, 1.0]),
    ];
    for (form, stages, orders) in expected {
        let (coarse, fine) = (errors(form, stages, 10), errors(form, stages, 20));
        for (k, expected) in orders.into_iter().enumerate() {
            let order = (coarse[k] / fine[k]).log2();
            assert!(
                (order - expected).abs() < 0.45,
                "{form:?} with {stages} stages, variable {k}: order {order:.2}, expected {expected}; {fine:?}"
            );
        }
    }
}

#[test]
fn errors_of_the_forms_at_forty_steps() {
    // VC-5.order, 3 stages, 40 steps.
    for (form, expected) in [
        (EquationForm::Index3, [1.13e-10, 8.39e-6, 2.19e-3]),
        (EquationForm::Index2, [1.03e-10, 4.16e-10, 2.04e-5]),
        (EquationForm::Stabilised, [9.5e-11, 4.8e-10, 2.02e-5]),
    ] {
        let errors = errors(form, 3, 40);
        for (error, expected) in errors.into_iter().zip(expected) {
            assert!((0.5..2.0).contains(&(error / expected)), "{form:?}: {errors:?}");
        }
    }
}

/// The underlying ordinary differential equation of VC-4.11, where 1 was put in for x² + y² after φ was
/// differentiated. The digest's numbers for index 1 are its; those of φ̈ = 0 drift otherwise.
fn underlying() -> Lagrangian {
    let mut model = pendulum();
    let lambda = "(u*u + v*v + g*y)/2";
    model.applied = vec![
        Expr::parse(&format!("-2*x*{lambda}")).unwrap(),
        Expr::parse(&format!("-2*y*{lambda}")).unwrap(),
    ];
    model.displacement_constraints.clear();
    model
}

#[test]
fn drift_of_implicit_euler() {
    // VC-5.p9: x² + y² − 1 at t = 2.5 with g = 9 from rest at (1, 0), and the end states, h = 0.01.
    let nine = |name: &str| (name == "g").then_some(9.0);
    for (model, form, drift, end) in [
        (pendulum(), EquationForm::Index3, 0.0, [0.923288, 0.384108]),
        (pendulum(), EquationForm::Index2, -0.169526, [0.870652, 0.269144]),
        (underlying(), EquationForm::Index1, 0.259543, [1.053843, 0.385950]),
        // x = 0.768809, y = 0.077268 by an independent implicit Euler method with λ from φ̈ = 0.
        (pendulum(), EquationForm::Index1, -0.402962, [0.768809, 0.077268]),
        (pendulum(), EquationForm::Stabilised, 0.0, [0.958083, 0.286489]),
    ] {
        let system = system(&model, form, &[1.0, 0.0, 0.0, 0.0], &nine);
        let values = run(&system, 1, 2.5, 250);
        let [x, y] = [values[0], values[1]];
        assert!((x * x + y * y - 1.0 - drift).abs() < 2e-6, "{form:?}: {}", x * x + y * y - 1.0);
        assert!((x - end[0]).abs() < 2e-6 && (y - end[1]).abs() < 2e-6, "{form:?}: {x} {y}");
    }
}
