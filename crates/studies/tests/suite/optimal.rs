//! Optimal controls against closed forms and published values (motion-interpolation-galerkin §1.20).

use crate::starts::model;
use poinsot_analysis::{
    Condition, Duration, Free, OptimalError, OptimalMotion, OptimalProblem, OptimalSettings, Setting,
    VariableQuantity, Where, find_optimal,
};
use poinsot_integrators::{CollocationPoints, ConstraintPoints, Scheme};
use poinsot_mechanics::{State, System};
use poinsot_numerics::nonlinear_program::Range;
use poinsot_studies::{Prepared, prepare};

/// A model, its controls and what is asked of it.
struct Case<'a> {
    text: &'a str,
    controls: &'a [(&'a str, Range)],
    parameters: &'a [(&'a str, Range)],
    objective: &'a [(&'a str, f64)],
    time_weight: f64,
    duration: Duration,
    ends: &'a [(&'a str, f64)],
    everywhere: &'a [(&'a str, Range)],
}

const PLAIN: Case = Case {
    text: "",
    controls: &[],
    parameters: &[],
    objective: &[],
    time_weight: 0.0,
    duration: Duration::Given(1.0),
    ends: &[],
    everywhere: &[],
};

/// The place of a variable `network.name` in the velocities.
fn entry(system: &System, name: &str) -> usize {
    let names = system.networks().iter().flat_map(|network| network.law.variables.iter());
    let found = names.zip(system.variable_equations()).find(|(variable, _)| variable.name == name);
    found.unwrap_or_else(|| panic!("no variable {name}")).1
}

fn quantity(system: &System, name: &str) -> Box<VariableQuantity> {
    Box::new(VariableQuantity { name: name.into(), entry: entry(system, name) })
}

impl Case<'_> {
    fn problem(&self, system: &System) -> OptimalProblem {
        let free = |list: &[(&str, Range)], setting| -> Vec<Free> {
            let of = |(name, range): &(&str, Range)| Free {
                name: (*name).into(),
                entry: entry(system, name),
                setting,
                range: *range,
            };
            list.iter().map(of).collect()
        };
        let end = |(name, value): &(&str, f64)| Condition {
            quantity: quantity(system, name),
            place: Where::End,
            range: Range::exactly(*value),
        };
        let path = |(name, range): &(&str, Range)| Condition {
            quantity: quantity(system, name),
            place: Where::Everywhere,
            range: *range,
        };
        OptimalProblem {
            free: [free(self.controls, Setting::Anew), free(self.parameters, Setting::Once)].concat(),
            duration: self.duration,
            objective: self.objective.iter().map(|(name, w)| (quantity(system, name) as _, *w)).collect(),
            time_weight: self.time_weight,
            conditions: self.ends.iter().map(end).chain(self.everywhere.iter().map(path)).collect(),
        }
    }

    fn solve(&self, settings: &OptimalSettings) -> Result<OptimalMotion, OptimalError> {
        let model = model(self.text);
        let prepared = prepare(&model, 0.0).unwrap();
        self.solve_from(&prepared, settings, |state, _| state)
    }

    /// From a guess: the start itself everywhere, changed by `shape` at each share of the way.
    fn solve_from(
        &self,
        prepared: &Prepared,
        settings: &OptimalSettings,
        shape: impl Fn(State, f64) -> State,
    ) -> Result<OptimalMotion, OptimalError> {
        let problem = self.problem(&prepared.system);
        let count = settings.shares.len();
        let guess = (0..=count).map(|i| shape(prepared.state.clone(), i as f64 / count as f64)).collect();
        find_optimal(&prepared.system, &problem, settings, guess, &mut |_| true)
    }
}

fn radau(points: usize, elements: usize) -> OptimalSettings {
    OptimalSettings::new(Scheme::collocation(points, CollocationPoints::Radau), elements)
}

/// ẍ = u with u that is linear over each element.
const CART: &str = r#"
[[equations]]
name = "cart"
variables = { x = 0, v = 0, u = 0, slope = 0, effort = 0 }
equations = ["der(x) = v", "der(v) = u", "der(u) = slope", "der(slope) = 0", "der(effort) = u^2"]
[study]
end = 1
"#;

#[test]
fn a_cart_from_rest_to_rest_takes_twelve() {
    // X5: u = 6 − 12 t, ∫u² = 12, to rounding for two elements and more.
    let case = Case {
        text: CART,
        controls: &[("cart.u", Range::FREE), ("cart.slope", Range::FREE)],
        objective: &[("cart.effort", 1.0)],
        ends: &[("cart.x", 1.0), ("cart.v", 0.0)],
        ..PLAIN
    };
    let model = model(CART);
    let prepared = prepare(&model, 0.0).unwrap();
    let (u, slope) = (entry(&prepared.system, "cart.u"), entry(&prepared.system, "cart.slope"));
    for elements in [2, 3, 8] {
        for scheme in [
            Scheme::new(1, ConstraintPoints::Radau),
            Scheme::new(2, ConstraintPoints::Radau),
            Scheme::collocation(2, CollocationPoints::Radau),
            Scheme::collocation(3, CollocationPoints::Radau),
            Scheme::collocation(2, CollocationPoints::Gauss),
        ] {
            let name = scheme.name();
            // ∫u² of a linear u has degree three at the end: so many orders are exact.
            let found = case.solve(&OptimalSettings::new(scheme, elements)).unwrap();
            assert!((found.objective - 12.0).abs() < 1e-11, "{name}: {}", found.objective);
            assert!((found.states[0].v[u] - 6.0).abs() < 1e-8, "{name}: u(0) = {}", found.states[0].v[u]);
            assert!((found.states[0].v[slope] + 12.0).abs() < 1e-7, "{name}");
            assert!(found.is_within_tolerance);
        }
    }
}

#[test]
fn the_fastest_way_switches_once() {
    // F02: |u| ≤ 1, rest to rest over a distance of one in two seconds, with the switch in the middle, where
    // an element begins.
    let text = r#"
[[equations]]
name = "cart"
variables = { x = 0, v = 0, u = 0 }
equations = ["der(x) = v", "der(v) = u", "der(u) = 0"]
[study]
end = 1
"#;
    let limits = Range { lower: -1.0, upper: 1.0 };
    let case = Case {
        text,
        controls: &[("cart.u", limits)],
        time_weight: 1.0,
        duration: Duration::Free { guess: 3.0, range: Range { lower: 0.1, upper: 20.0 } },
        ends: &[("cart.x", 1.0), ("cart.v", 0.0)],
        ..PLAIN
    };
    let found = case.solve(&radau(2, 10)).unwrap();
    assert!((found.duration - 2.0).abs() < 1e-7, "{}", found.duration);
}

#[test]
fn a_limit_on_the_way_costs_what_bryson_and_denham_say() {
    // F03: x ≤ l at the bounds of elements, J = 4/(9 l) for l ≤ 1/6, 2 + 6 (1 − 4 l)² up to a quarter.
    for (limit, exact) in [(1.0 / 6.0, 8.0 / 3.0), (1.0 / 9.0, 4.0), (1.0 / 12.0, 16.0 / 3.0), (0.2, 2.24)] {
        let text = CART.replace("v = 0,", "v = 1,");
        let case = Case {
            text: &text,
            controls: &[("cart.u", Range::FREE), ("cart.slope", Range::FREE)],
            objective: &[("cart.effort", 0.5)],
            ends: &[("cart.x", 0.0), ("cart.v", -1.0)],
            everywhere: &[("cart.x", Range::at_most(limit))],
            ..PLAIN
        };
        // Elements end where the arcs do, at 3 l and 1 − 3 l, for the first three.
        let found = case.solve(&radau(3, 36)).unwrap();
        let error = (found.objective / exact - 1.0).abs();
        assert!(error < 2e-6, "l = {limit}: {} for {exact}", found.objective);
    }
}

#[test]
fn the_oscillator_of_van_der_pol_is_calmed() {
    // F09, J = 2.873143851081: with controls that are linear over elements the error falls with the mesh.
    let text = r#"
[[equations]]
name = "p"
variables = { x = 0, y = 1, u = 0, slope = 0, cost = 0 }
equations = ["der(x) = (1 - y^2)*x - y + u", "der(y) = x", "der(u) = slope", "der(slope) = 0", "der(cost) = x^2 + y^2 + u^2"]
[study]
end = 1
"#;
    let case = Case {
        text,
        controls: &[("p.u", Range::FREE), ("p.slope", Range::FREE)],
        objective: &[("p.cost", 1.0)],
        duration: Duration::Given(10.0),
        ..PLAIN
    };
    let errors = [10, 20, 40].map(|n| case.solve(&radau(3, n)).unwrap().objective - 2.873143851081);
    // Linear pieces err by h² in the control, by h⁴ in the cost.
    assert!(errors[0] > 0.0 && errors[2].abs() < 5e-5, "{errors:?}");
    assert!((errors[0] / errors[1]).log2() > 3.3 && (errors[1] / errors[2]).log2() > 3.3, "{errors:?}");
}

/// A pendulum on a hinge, m g l = 9.81 N·m and I = 1 kg·m² about it, with a torque that is linear over each
/// element.
const PENDULUM: &str = r#"
[model]
gravity = [0, -9.81, 0]
[[body]]
name = "bar"
mass = 2
inertia = [0.5, 0.5, 0.5]
position = [0, -0.5, 0]
[[joint]]
name = "hinge"
type = "revolute"
between = ["ground", "bar"]
at = [0, 0, 0]
axis = [0, 0, 1]
[[force]]
name = "motor"
type = "torsion"
joint = "hinge"
torque = "c.u"
[[equations]]
name = "c"
variables = { angle = 0, rate = 0, u = 0, slope = 0, effort = 0 }
equations = ["der(angle) = hinge.rate", "rate = hinge.rate", "der(u) = slope", "der(slope) = 0", "der(effort) = u^2"]
[study]
end = 1
"#;

#[test]
fn a_parameter_is_set_once() {
    // One force for the whole way: x = u/2 after a second, so that u = 2 and ∫u² = 4.
    let text = CART.replace("\"der(u) = slope\"", "\"der(u) = 0\"");
    let case = Case {
        text: &text,
        parameters: &[("cart.u", Range::FREE)],
        objective: &[("cart.effort", 1.0)],
        ends: &[("cart.x", 1.0)],
        ..PLAIN
    };
    let found = case.solve(&radau(2, 6)).unwrap();
    assert!((found.objective - 4.0).abs() < 1e-9, "{}", found.objective);
}

#[test]
fn what_cannot_be_reached_is_named() {
    let text = CART.replace("v = 0,", "v = 1,");
    let case = Case {
        text: &text,
        controls: &[("cart.u", Range { lower: -1.0, upper: 1.0 }), ("cart.slope", Range::exactly(0.0))],
        objective: &[("cart.effort", 1.0)],
        ends: &[("cart.x", 5.0)],
        ..PLAIN
    };
    let error = case.solve(&radau(2, 8)).unwrap_err();
    assert!(matches!(error, OptimalError::Search { .. }), "{error}");
}

#[test]
fn a_constraint_that_follows_a_control_is_refused() {
    let text = PENDULUM.replace("torque = \"c.u\"", "torque = 0").replace(
        "[study]",
        "[[drive]]\nname = \"servo\"\ntype = \"joint\"\njoint = \"hinge\"\nrate = \"c.u\"\n[study]",
    );
    let text = text.replace("rate = 0, ", "").replace("\"rate = hinge.rate\", ", "");
    let case = Case { text: &text, controls: &[("c.u", Range::FREE)], ..PLAIN };
    let error = case.solve(&radau(2, 4)).unwrap_err();
    assert!(matches!(error, OptimalError::Jumps { .. }), "{error}");
}
