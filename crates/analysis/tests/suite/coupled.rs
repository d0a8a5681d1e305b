//! Equilibrium, modes and linear systems of first-order equations, through the library.

use poinsot_analysis::*;
use poinsot_expr::{Expr, Function};
use poinsot_geometry::Vec3;
use poinsot_mechanics::{Network, System, SystemBuilder, Variable};

/// A system of equations alone: names with start values, and expressions that are zero; `x_rate` is the rate
/// of x.
fn system(variables: &[(&str, f64)], equations: &[&str]) -> System {
    let names: Vec<String> = variables.iter().map(|(name, _)| name.to_string()).collect();
    let rates = names.iter().map(|name| format!("{name}_rate"));
    let arguments: Vec<String> = names.iter().cloned().chain(rates).chain(["t".into()]).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let compile = |text: &&str| Function::new(&Expr::parse(text).unwrap(), &arguments, &|_| None).unwrap();
    let network = Network {
        name: "n".into(),
        variables: variables
            .iter()
            .map(|(name, start)| Variable { name: name.to_string(), start: *start, nominal: 1.0 })
            .collect(),
        readings: vec![],
        equations: equations.iter().map(compile).collect(),
        loads: vec![],
    };
    let mut builder = SystemBuilder::new(Vec3::zeros());
    builder.network(network).unwrap();
    builder.build()
}

fn equilibrium(system: &System) -> Equilibrium {
    find_equilibrium(system, system.start_state(0.0), &EquilibriumSettings::default()).unwrap()
}

/// Values of the variables in their order.
fn values(system: &System, found: &Equilibrium) -> Vec<f64> {
    let network = &system.networks()[0];
    (0..network.law.variables.len()).map(|j| found.state.v[network.unknown(j)]).collect()
}

const PENDULUM: [&str; 5] = [
    "x_rate - u",
    "y_rate - v",
    "0.25*u_rate + 2*x*lam",
    "0.25*v_rate + 2*y*lam - 0.25*9.8",
    "x^2 + y^2 - 0.09",
];

/// Index 3: at the bottom λ = m g/2l and the eigenvalues are ±i √(g/l), two states of five variables.
#[test]
fn cartesian_pendulum() {
    let system = system(&[("x", 0.1), ("y", 0.25), ("u", 0.0), ("v", 0.0), ("lam", 0.0)], &PENDULUM);
    let found = equilibrium(&system);
    let at = values(&system, &found);
    for (value, exact) in at.iter().zip([0.0, 0.3, 0.0, 0.0, 0.25 * 9.8 / 0.6]) {
        assert!((value - exact).abs() < 1e-11, "{at:?}");
    }
    let linear = found.linear.as_ref().unwrap();
    assert_eq!((linear.verdict(), linear.values.len()), (LinearVerdict::Marginal, 2));
    assert!((linear.values[0].im - (9.8f64 / 0.3).sqrt()).abs() < 1e-11);
    let modes = find_modes(&system, &found.state, &found.a, 0, 10).unwrap();
    assert_eq!(modes.modes.len(), 1);
    let shares: f64 = modes.modes[0].participation.iter().map(|(_, share)| share).sum();
    assert!((shares - 1.0).abs() < 1e-12);
    let mut outputs = |state: &poinsot_mechanics::State, a: &[f64]| {
        // Place across and its acceleration.
        let network = &system.networks()[0];
        vec![state.v[network.unknown(0)], a[network.unknown(2)]]
    };
    let model = linearize(&system, &found.state, &found.a, 0, &[], &mut outputs).unwrap();
    assert_eq!((model.states.as_slice(), model.index), (["x".to_string(), "u".into()].as_slice(), 3));
    assert!((model.c[(0, 0)] - 1.0).abs() < 1e-10 && (model.c[(1, 0)] + 9.8 / 0.3).abs() < 1e-8);
}

/// lagrangian-dae-modeling VC-6.1 from a start at which the Jacobian is singular.
#[test]
fn singular_start() {
    let system = system(&[("a", 0.0), ("b", 0.0)], &["a_rate - b", "b_rate + a^2 + b - 1"]);
    let at = values(&system, &equilibrium(&system));
    assert!((at[0].abs() - 1.0).abs() < 1e-12 && at[1].abs() < 1e-12, "{at:?}");
    let network = &system.networks()[0];
    let range = |j: usize| SearchRange { variable: network.unknown(j), low: -2.0, high: 2.0 };
    let found = search_equilibria(
        &system,
        &system.start_state(0.0),
        &[range(0), range(1)],
        40,
        &EquilibriumSettings::default(),
    );
    let growing: Vec<usize> = found.iter().map(|e| e.linear.as_ref().unwrap().growing).collect();
    assert_eq!(growing, [1, 0]);
    assert!((found[0].linear.as_ref().unwrap().values[1].re + 2.0).abs() < 1e-12);
}

/// G27: a charge stays where it starts, and runs on where a direct current needs it to.
#[test]
fn charges() {
    // R i + L i' = e − q/C: the charge has a value that matters; without capacitor it runs on.
    let loaded = system(&[("q", 0.3), ("i", 0.1)], &["q_rate - i", "0.1*i_rate + 2*i + q/0.5 - 3"]);
    let found = equilibrium(&loaded);
    assert!((values(&loaded, &found)[0] - 1.5).abs() < 1e-13 && found.held.is_empty());
    let open = system(&[("q", 0.3), ("i", 0.1)], &["q_rate - i", "0.1*i_rate + 2*i - 3"]);
    let found = equilibrium(&open);
    assert_eq!(values(&open, &found)[0], 0.3);
    assert!((values(&open, &found)[1] - 1.5).abs() < 1e-13);
    assert!(found.held.len() == 1 && found.held[0].starts_with("q (runs on by 1.5"), "{:?}", found.held);
    let linear = found.linear.unwrap();
    assert_eq!(
        (linear.verdict(), linear.cyclic.as_slice()),
        (LinearVerdict::AsymptoticallyStable, ["q".to_string()].as_slice())
    );
    assert!((linear.values[1].re + 20.0).abs() < 1e-12);
}

/// A family: only the difference of two tanks is determined; the nearest to the start is taken.
#[test]
fn family() {
    let tanks = system(&[("a", 3.0), ("b", 1.0)], &["a_rate + (a - b)", "b_rate - (a - b)"]);
    let found = equilibrium(&tanks);
    let at = values(&tanks, &found);
    assert!((at[0] - at[1]).abs() < 1e-14 && (at[0] - 2.0).abs() < 1e-13, "{at:?}");
    assert_eq!(found.held, ["a", "b"]);
    let linear = found.linear.unwrap();
    assert_eq!((linear.verdict(), linear.zeros, linear.semisimple), (LinearVerdict::Marginal, 1, true));
}

/// Nothing rests: the equation is named.
#[test]
fn no_equilibrium() {
    let system = system(&[("a", 0.0)], &["a_rate - 1 - a^2"]);
    let error =
        find_equilibrium(&system, system.start_state(0.0), &EquilibriumSettings::default()).unwrap_err();
    assert!(matches!(error, EquilibriumError::NotFound { ref equation, .. } if equation.contains("for `a`")));
}

/// Inputs: an effort through its algebraic equation, a change of all residuals; a variable with a rate is
/// refused.
#[test]
fn inputs() {
    let motor = system(
        &[("w", 0.0), ("i", 0.0), ("e", 0.0)],
        &["0.2*w_rate + 0.5*w - 3*i", "0.1*i_rate + 2*i + 3*w - e", "e - 4"],
    );
    let found = equilibrium(&motor);
    let network = &motor.networks()[0];
    let mut change = vec![0.0; motor.size()];
    change[network.unknown(0)] = -1.0;
    let effort = Input::Variable { network: 0, variable: 2 };
    let mut none = |_: &poinsot_mechanics::State, _: &[f64]| vec![0.0];
    let model =
        linearize(&motor, &found.state, &found.a, 0, &[effort, Input::Residuals(change)], &mut none).unwrap();
    assert_eq!(model.states, ["w", "i"]);
    let b = [[0.0, 5.0], [10.0, 0.0]];
    let a = [[-2.5, 15.0], [-30.0, -20.0]];
    for i in 0..2 {
        for j in 0..2 {
            assert!((model.a[(i, j)] - a[i][j]).abs() < 1e-12 && (model.b[(i, j)] - b[i][j]).abs() < 1e-12);
        }
    }
    assert!((model.variables_by_inputs[(2, 0)] - 1.0).abs() < 1e-14);
    let wrong = Input::Variable { network: 0, variable: 0 };
    let error = linearize(&motor, &found.state, &found.a, 0, &[wrong], &mut none).unwrap_err();
    assert_eq!(error, LinearizeError::NotAlgebraic("w".into()));
}
