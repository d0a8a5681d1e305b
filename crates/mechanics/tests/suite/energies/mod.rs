//! What the tests of energy models share: models from text, random values, comparison of equations, starts.

use poinsot_expr::{Block, Engine, Expr};
use poinsot_mechanics::*;
use poinsot_numerics::dense::{DenseLu, Mat};
use std::collections::HashMap;

/// A small deterministic generator: same numbers everywhere.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// In (−1, 1).
    pub fn number(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    }
}

/// An energy model as text; names are separated by blanks.
#[derive(Clone, Copy, Default)]
pub struct Energies<'a> {
    pub q: &'a str,
    pub f: &'a str,
    pub s: &'a str,
    pub efforts: &'a str,
    pub kinetic: &'a str,
    pub potential: &'a str,
    pub dissipation: &'a str,
    /// All zero if there are none.
    pub applied: &'a [&'a str],
    pub phi: &'a [&'a str],
    pub psi: &'a [&'a str],
    pub gamma: &'a [&'a str],
    pub sigma: &'a [&'a str],
}

/// The Cartesian pendulum, q2 downward.
pub const PENDULUM: Energies = Energies {
    q: "q1 q2",
    f: "f1 f2",
    s: "",
    efforts: "",
    kinetic: "m*(f1^2 + f2^2)/2",
    potential: "",
    dissipation: "",
    applied: &["0", "m*g"],
    phi: &["q1^2 + q2^2 - l^2"],
    psi: &[],
    gamma: &[],
    sigma: &[],
};

/// The position control of lagrangian-dae-modeling VC-6.9: a motor with its efforts and an integral.
pub const MOTOR: Energies = Energies {
    q: "q theta",
    f: "qdot thetadot",
    s: "s",
    efforts: "v vb tau",
    kinetic: "(L*qdot*qdot + I*thetadot*thetadot)/2",
    potential: "",
    dissipation: "(R*qdot*qdot + b*thetadot*thetadot)/2",
    applied: &["(v-vb)", "tau"],
    phi: &[],
    psi: &[],
    gamma: &["vb-Kb*thetadot", "tau-Kt*qdot", "v-Kp*(theta-theta_d)-Ki*s"],
    sigma: &["theta-theta_d"],
};

pub const MOTOR_DATA: [(&str, f64); 9] = [
    ("Kt", 1.0),
    ("Kb", 1.0),
    ("L", 0.001),
    ("I", 0.1),
    ("R", 100.0),
    ("b", 3.0),
    ("theta_d", 1.0),
    ("Kp", -100.0),
    ("Ki", -10.0),
];

pub fn words(text: &str) -> Vec<String> {
    text.split_whitespace().map(str::to_owned).collect()
}

pub fn parse(text: &str) -> Expr {
    Expr::parse(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

pub fn equation(text: &str) -> Expr {
    Expr::parse_equation(text, &[]).unwrap_or_else(|error| panic!("{text}: {error}"))
}

impl Energies<'_> {
    pub fn model(&self) -> Lagrangian {
        let list = |list: &[&str]| list.iter().map(|text| parse(text)).collect::<Vec<_>>();
        let energy = |text: &str| if text.is_empty() { Expr::number(0.0) } else { parse(text) };
        let mut model = Lagrangian::new(words(self.q), words(self.f));
        (model.dynamics, model.efforts) = (words(self.s), words(self.efforts));
        model.kinetic = energy(self.kinetic);
        model.potential = energy(self.potential);
        model.dissipation = energy(self.dissipation);
        if !self.applied.is_empty() {
            model.applied = list(self.applied);
        }
        model.displacement_constraints = list(self.phi);
        model.flow_constraints = list(self.psi);
        model.effort_constraints = list(self.gamma);
        model.dynamic_rates = list(self.sigma);
        model
    }
}

/// Values of names.
pub type Values = HashMap<String, f64>;

pub fn values(list: &[(&str, f64)]) -> Values {
    list.iter().map(|(name, value)| (name.to_string(), *value)).collect()
}

pub fn evaluate(expr: &Expr, at: &Values) -> f64 {
    expr.eval(&|name| at.get(name).copied()).unwrap_or_else(|error| panic!("{expr}: {error}"))
}

/// Which numbers a name may have.
#[derive(Clone, Copy, PartialEq)]
pub enum Sign {
    Any,
    Positive,
}

/// 0.3 … 1.7, with a sign or without, for every name of the expressions that has no value.
pub fn fill<'a>(
    at: &mut Values,
    exprs: impl IntoIterator<Item = &'a Expr>,
    random: &mut Random,
    allowed: Sign,
) {
    for expr in exprs {
        for (name, _) in expr.variables() {
            let size = 1.0 + 0.7 * random.number();
            let sign = if allowed == Sign::Any { random.number().signum() } else { 1.0 };
            if poinsot_expr::constant(&name).is_none() {
                at.entry(name).or_insert(sign * size);
            }
        }
    }
}

/// |F| + Σ |x ∂F/∂x|: how large the terms of an expression are.
fn terms(expr: &Expr, at: &Values) -> f64 {
    let mut names: Vec<String> = expr.variables().into_iter().map(|(name, _)| name).collect();
    names.sort();
    names.dedup();
    names.retain(|name| at.contains_key(name));
    let part = |name: &String| (evaluate(&expr.derivative(name), at) * at[name]).abs();
    evaluate(expr, at).abs() + names.iter().map(part).sum::<f64>()
}

/// Two expressions have the same value wherever one looks: 1e-12 of their terms at eight random points.
#[track_caller]
pub fn same(got: &Expr, expected: &Expr, allowed: Sign, what: &str) {
    let mut random = Random::new(2009);
    for _ in 0..8 {
        let mut at = Values::new();
        fill(&mut at, [got, expected], &mut random, allowed);
        let (g, e) = (evaluate(got, &at), evaluate(expected, &at));
        let size = terms(expected, &at).max(f64::MIN_POSITIVE);
        assert!((g - e).abs() <= 1e-12 * size, "{what}: {got} is {g:e}, {expected} is {e:e} at {at:?}");
    }
}

/// The rows of a kind, in order.
pub fn rows(model: &Lagrangian, form: EquationForm, kind: RowKind) -> Vec<Expr> {
    let equations = model.equations(form).unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(equations.unknowns.len(), equations.rows.len());
    equations.rows.into_iter().filter(|row| row.kind == kind).map(|row| row.expr).collect()
}

/// The rows of a kind are the printed equations.
#[track_caller]
pub fn same_rows(model: &Lagrangian, form: EquationForm, kind: RowKind, printed: &[&str], what: &str) {
    same_rows_where(model, form, kind, printed, Sign::Any, what);
}

#[track_caller]
pub fn same_rows_where(
    model: &Lagrangian,
    form: EquationForm,
    kind: RowKind,
    printed: &[&str],
    allowed: Sign,
    what: &str,
) {
    let rows = rows(model, form, kind);
    assert_eq!(rows.len(), printed.len(), "{what}");
    for (k, (row, text)) in rows.iter().zip(printed).enumerate() {
        same(row, &equation(text), allowed, &format!("{what}, row {}", k + 1));
    }
}

/// The momentum rows of the equations as they are.
#[track_caller]
pub fn momentum(energies: &Energies, printed: &[&str], what: &str) {
    same_rows(&energies.model(), EquationForm::Index3, RowKind::Momentum, printed, what);
}

/// The unknowns by which linear equations hold, in order.
pub fn solve_linear(rows: &[Expr], unknowns: &[String], at: &Values) -> Vec<f64> {
    let inputs: Vec<&str> = unknowns.iter().map(String::as_str).collect();
    let block = Block::new(rows, &inputs, &|name| at.get(name).copied(), Engine::Interpreter).unwrap();
    let n = unknowns.len();
    assert_eq!(rows.len(), n);
    let (mut value, mut slopes) = (vec![0.0; n], vec![0.0; block.entries().len()]);
    block.eval_derivatives(&vec![0.0; n], &mut value, &mut slopes);
    let mut matrix = Mat::zeros(n, n);
    block.entries().iter().zip(slopes).for_each(|(&entry, slope)| matrix[entry] = slope);
    DenseLu::new(matrix.as_ref()).unwrap().solve(&mut value);
    value.iter().map(|x| -x).collect()
}

/// Accelerations and multipliers of the index-1 form at a state.
pub fn accelerations(model: &Lagrangian, at: &Values) -> (Vec<f64>, Vec<f64>) {
    let equations = model.equations(EquationForm::Index1).unwrap();
    let wanted = [RowKind::Momentum, RowKind::Displacement, RowKind::Flow];
    let rows: Vec<Expr> =
        equations.rows.into_iter().filter(|row| wanted.contains(&row.kind)).map(|row| row.expr).collect();
    let [lambda, mu, _] = model.multiplier_names();
    let rates = model.flows.iter().map(|f| poinsot_expr::rate_name(f));
    let unknowns: Vec<String> = rates.chain(lambda).chain(mu).collect();
    let mut solution = solve_linear(&rows, &unknowns, at);
    let multipliers = solution.split_off(model.flows.len());
    (solution, multipliers)
}

/// A start: given values by name, all others zero; `keep` must not be changed.
pub fn try_start(
    model: &Lagrangian,
    given: &[(&str, f64)],
    keep: &[&str],
    constants: &[(&str, f64)],
    time: f64,
) -> Result<LagrangianStart, LagrangianStartError> {
    let names: Vec<&String> =
        [&model.displacements, &model.flows, &model.dynamics, &model.efforts].into_iter().flatten().collect();
    for name in given.iter().map(|(name, _)| name).chain(keep) {
        assert!(names.iter().any(|other| other == name), "no variable `{name}`");
    }
    let given = values(given);
    let constants = values(constants);
    let start: Vec<f64> = names.iter().map(|name| given.get(*name).copied().unwrap_or(0.0)).collect();
    let keep: Vec<bool> = names.iter().map(|name| keep.contains(&name.as_str())).collect();
    model.consistent_start(&StartGuess {
        values: &start,
        keep: &keep,
        sizes: &vec![1.0; names.len()],
        time,
        constants: &|name| constants.get(name).copied(),
    })
}

#[track_caller]
pub fn start(
    model: &Lagrangian,
    given: &[(&str, f64)],
    keep: &[&str],
    constants: &[(&str, f64)],
    time: f64,
) -> LagrangianStart {
    try_start(model, given, keep, constants, time).unwrap_or_else(|error| panic!("{error}"))
}

/// The value of an unknown at the start.
#[track_caller]
pub fn value(start: &LagrangianStart, name: &str) -> f64 {
    match start.names.iter().position(|other| other == name) {
        Some(j) => start.values[j],
        None => panic!("no unknown `{name}` in {:?}", start.names),
    }
}

/// The rate of an unknown at the start.
#[track_caller]
pub fn rate(start: &LagrangianStart, name: &str) -> f64 {
    let j = start.names.iter().position(|other| other == name).unwrap();
    start.rates[j].unwrap_or_else(|| panic!("no rate of `{name}`"))
}

#[track_caller]
pub fn near(got: f64, expected: f64, tolerance: f64, what: &str) {
    let off = (got - expected).abs();
    assert!(off <= tolerance, "{what}: {got:.14e} instead of {expected:.14e}, off by {off:.2e}");
}
