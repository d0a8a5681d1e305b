//! Residual and Jacobian of a planar chain: as energies against rigid bodies and joints.
//!
//! ```text
//! cargo run --release -p poinsot-benches --example energy_chain [links]
//! ```
//! Prints a line of JSON for each form: times of one evaluation (µs, the least of many) of the residual and
//! of the Jacobian, assembled, and of the compiled functions that give both at once; the time from energies
//! to compiled equations (s), and sums of the residual and of the Jacobian that tell whether another code
//! evaluates the same functions.

use poinsot_expr::{Block, Engine, Expr, Function, rate_name};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::joints::{Attachment, revolute};
use poinsot_mechanics::{
    Body, Chart, EquationForm, Frame, GROUND, Instant, Lagrangian, LagrangianEquations, Level, Network,
    Scratch, StepPolynomial, System, SystemBuilder, Twist, Variable,
};
use std::collections::HashMap;
use std::time::Instant as Clock;

const MASS: f64 = 1.0;
const LENGTH: f64 = 1.0;
const INERTIA: f64 = MASS * LENGTH * LENGTH / 12.0;
const GRAVITY: f64 = 9.81;

/// Links along the x axis, pinned at the origin.
fn bodies(links: usize) -> System {
    let mut builder = SystemBuilder::new(Vec3::new(0.0, -GRAVITY, 0.0));
    let chart = Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() };
    let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
    let mut before = Attachment { node: GROUND, origin: Vec3::zeros(), axes: Mat3::identity() };
    for k in 0..links {
        let r = Vec3::new((k as f64 + 0.5) * LENGTH, 0.0, 0.0);
        let node = builder.node(&format!("link{k}"), chart, Frame { r, rot: Mat3::identity() }, still);
        let inertia = Mat3::from_diagonal(&Vec3::new(INERTIA, INERTIA, INERTIA));
        builder.body(Body { node, mass: MASS, centre: Vec3::zeros(), inertia });
        let end = |x: f64| Attachment { node, origin: Vec3::new(x, 0.0, 0.0), axes: Mat3::identity() };
        let joint = builder.constraint(&format!("pin{k}"), Box::new(revolute(&before, &end(-0.5 * LENGTH))));
        assert_eq!(joint, k);
        before = end(0.5 * LENGTH);
    }
    let mut system = builder.build();
    // What the plane forbids anyhow: the offset along z and the two tilts.
    let dropped: Vec<(usize, usize)> = (0..links).flat_map(|k| [2, 3, 4].map(|row| (k, row))).collect();
    system.drop_rows(&dropped, false);
    system
}

/// The same links as energies and constraints.
fn energies(links: usize) -> Lagrangian {
    let names = |words: [&str; 3]| -> Vec<String> {
        (0..links).flat_map(|k| words.map(|word| format!("{word}{k}"))).collect()
    };
    let sum = |term: &dyn Fn(usize) -> String| (0..links).map(term).collect::<Vec<_>>().join(" + ");
    let parse = |text: &str| Expr::parse(text).expect("an expression of this file");
    let mut model = Lagrangian::new(names(["x", "y", "th"]), names(["u", "v", "w"]));
    model.kinetic = parse(&sum(&|k| format!("m*(u{k}*u{k} + v{k}*v{k})/2 + I*w{k}*w{k}/2")));
    model.potential = parse(&sum(&|k| format!("m*g*y{k}")));
    for k in 0..links {
        for (x, f) in [("x", "cos"), ("y", "sin")] {
            let before = match k.checked_sub(1) {
                Some(j) => format!(" - {x}{j} - l/2*{f}(th{j})"),
                None => String::new(),
            };
            model.displacement_constraints.push(parse(&format!("{x}{k} - l/2*{f}(th{k}){before}")));
        }
    }
    model
}

fn constant(name: &str) -> Option<f64> {
    match name {
        "m" => Some(MASS),
        "I" => Some(INERTIA),
        "l" => Some(LENGTH),
        "g" => Some(GRAVITY),
        _ => None,
    }
}

/// The unknowns, their rates and time.
fn arguments(equations: &LagrangianEquations) -> Vec<String> {
    let values = equations.unknowns.iter().map(|u| u.name.clone());
    let rates = equations.unknowns.iter().map(|u| rate_name(&u.name));
    values.chain(rates).chain(["t".into()]).collect()
}

/// The least time of one call for the residual and all its derivatives (µs).
fn measure_functions(equations: &LagrangianEquations) -> f64 {
    let names = arguments(equations);
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let exprs: Vec<Expr> = equations.rows.iter().map(|row| row.expr.clone()).collect();
    let block = Block::new(&exprs, &names, &constant, Engine::Native).expect("known names");
    let at = vec![0.1; names.len()];
    let (mut values, mut partials) = (vec![0.0; block.outputs()], vec![0.0; block.entries().len()]);
    least(&mut || block.eval_derivatives(&at, &mut values, &mut partials))
}

/// The least time of many runs (µs).
fn least(run: &mut dyn FnMut()) -> f64 {
    let time = |_| {
        let clock = Clock::now();
        (0..20).for_each(|_| run());
        clock.elapsed().as_secs_f64() / 20.0 * 1e6
    };
    (0..200).map(time).fold(f64::INFINITY, f64::min)
}

/// The energies as first-order equations of a system.
fn compiled(equations: &LagrangianEquations) -> System {
    let values: Vec<String> = equations.unknowns.iter().map(|u| u.name.clone()).collect();
    let names = arguments(equations);
    let places: HashMap<&str, usize> = names.iter().enumerate().map(|(k, name)| (name.as_str(), k)).collect();
    let place = |name: &str| places.get(name).copied();
    let function = |expr: &Expr| Function::with_places(expr, &place, &constant).expect("known names");
    let network = Network {
        name: "chain".into(),
        variables: values
            .iter()
            .map(|name| Variable { name: name.clone(), start: 0.1, nominal: 1.0 })
            .collect(),
        readings: vec![],
        equations: equations.rows.iter().map(|row| function(&row.expr)).collect(),
        loads: vec![],
    };
    let mut builder = SystemBuilder::new(Vec3::zeros());
    builder.network(network).expect("a sound network");
    builder.build()
}

/// The least times of a residual with constraints and of a Jacobian (µs), and their sums.
fn measure(system: &System) -> [[f64; 2]; 2] {
    let state = system.start_state(0.0);
    let a = vec![0.1; system.size()];
    let at = Instant { t: 0.0, frames: &state.frames, v: &state.v, a: &a, memory: &state.memory, rates: &[] };
    let mut scratch = Scratch::default();
    let identity = vec![Mat3::identity(); system.nodes().len()];
    let (mut out, mut phi) = (vec![0.0; system.size()], vec![0.0; system.size()]);
    let mut polynomial = StepPolynomial::new(system);
    let residual = least(&mut || system.residual_with_levels(&at, &mut out, Some(&mut phi), &mut scratch));
    let jacobian =
        least(&mut || system.step_polynomial(at, &identity, Level::Velocity, &mut polynomial, &mut scratch));
    let entries = polynomial.powers.iter().flatten().sum();
    [[residual, jacobian], [out.iter().sum(), entries]]
}

fn main() {
    let links = std::env::args().nth(1).and_then(|n| n.parse().ok()).unwrap_or(67);
    let [native, _] = measure(&bodies(links));
    let clock = Clock::now();
    let model = energies(links);
    let parsed = clock.elapsed().as_secs_f64();
    for (name, form) in [("index3", EquationForm::Index3), ("stabilised", EquationForm::Stabilised)] {
        let clock = Clock::now();
        let equations = model.equations(form).expect("a sound model");
        let deriving = clock.elapsed().as_secs_f64();
        let clock = Clock::now();
        let system = compiled(&equations);
        let compile = clock.elapsed().as_secs_f64();
        let functions = measure_functions(&equations);
        let [energy, sums] = measure(&system);
        println!(
            "{{\"links\": {links}, \"coordinates\": {}, \"form\": \"{name}\", \"equations\": {}, \
             \"bodies_us\": {native:.2?}, \"energies_us\": {energy:.2?}, \"ratio\": {:.3}, \
             \"functions_us\": {functions:.2}, \
             \"parse_s\": {parsed:.3}, \"derive_s\": {deriving:.3}, \"compile_s\": {compile:.3}, \"sums\": {sums:?}}}",
            3 * links,
            equations.rows.len(),
            (energy[0] + energy[1]) / (native[0] + native[1]),
        );
    }
}
