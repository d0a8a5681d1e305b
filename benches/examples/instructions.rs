//! Runs one kernel for `benches/instructions`, which counts its instructions: `instructions NAME`, without a
//! name prints all of them.
//!
//! Only what happens inside [`measured`] counts: models are built and brought to their start before.

use poinsot_analysis::consistent_start;
use poinsot_benches::beam::beam;
use poinsot_benches::chain::{Kind, chain};
use poinsot_benches::laws::{Alone, ELEMENTS, Element, row};
use poinsot_geometry::Mat3;
use poinsot_integrators::{
    ConservingSettings, Factors, Gs4Form, ImplicitSettings, Method, Settings, instant,
};
use poinsot_mechanics::conserving::Rule;
use poinsot_mechanics::{Level, Linearization, Scratch, State, System};
use std::hint::black_box;

/// A kernel: its name and what it does.
type Kernel = (&'static str, fn());

const KERNELS: [Kernel; 17] = [
    ("planar chain, residual", || evaluate(planar(), residual)),
    ("planar chain, step matrix", || evaluate(planar(), step_matrix)),
    ("planar chain, factor", || evaluate(planar(), factor)),
    ("planar chain, solve", || evaluate(planar(), solve)),
    ("spatial chain, residual", || evaluate(spatial(), residual)),
    ("spatial chain, step matrix", || evaluate(spatial(), step_matrix)),
    ("spatial chain, factor", || evaluate(spatial(), factor)),
    ("spatial chain, solve", || evaluate(spatial(), solve)),
    ("beams in space, residual", || evaluate(beams(), residual)),
    ("beams in space, step matrix", || evaluate(beams(), step_matrix)),
    ("planar chain, GS4 at position level", || steps(planar(), gs4(Gs4Form::Position))),
    ("spatial chain, GS4 stabilised", || steps(spatial(), gs4(Gs4Form::Stabilised))),
    ("beam in the plane, GS4", || steps(beam("pendulum", "plane", 50, 1).0, gs4(Gs4Form::Stabilised))),
    ("planar chain, Radau", || steps(planar(), ImplicitSettings::default().into())),
    ("spatial chain, energy-momentum", || {
        steps(spatial(), ConservingSettings::new(Rule::EnergyMomentum).into());
    }),
    ("free bodies, residual", || evaluate(row(BODIES, None), residual)),
    ("free bodies, step matrix", || evaluate(row(BODIES, None), step_matrix)),
];

/// What is counted of each element of [`ELEMENTS`].
type ElementKernel = (&'static str, fn(Element));

const ELEMENT_KERNELS: [ElementKernel; 4] = [
    ("force", |element| alone(element, |one| _ = black_box(one.force()))),
    ("tangent", |element| alone(element, |one| _ = black_box(one.tangent()))),
    ("residual", |element| evaluate(row(BODIES, Some(element)), residual)),
    ("step matrix", |element| evaluate(row(BODIES, Some(element)), step_matrix)),
];

/// Bodies in a row, with an element between two of them.
const BODIES: usize = 101;

/// Links of the chains, evaluations of a function, and steps.
const LINKS: usize = 100;
const TIMES: usize = 20;
const STEPS: usize = 10;

/// Length of a step (s).
const H: f64 = 1e-3;

fn planar() -> System {
    chain(Kind::PlanarBodies, LINKS).0
}

fn spatial() -> System {
    chain(Kind::Spatial, LINKS).0
}

fn beams() -> System {
    beam("pendulum", "space", 50, 2).0
}

fn gs4(form: Gs4Form) -> Method {
    Settings { form, ..Settings::default() }.into()
}

fn main() {
    let asked = std::env::args().nth(1);
    let offer = |name: String, kernel: &dyn Fn()| match &asked {
        Some(asked) if *asked == name => kernel(),
        Some(_) => {}
        None => println!("{name}"),
    };
    KERNELS.iter().for_each(|(name, kernel)| offer((*name).to_owned(), kernel));
    for (element, make) in ELEMENTS {
        for (what, kernel) in ELEMENT_KERNELS {
            offer(format!("{element}, {what}"), &|| kernel(make));
        }
    }
}

/// One element by itself, as often as there are some in a row.
fn alone(element: Element, function: fn(&mut Alone)) {
    let mut one = Alone::new(element);
    function(&mut one);
    measured(&mut || (0..TIMES * (BODIES - 1)).for_each(|_| function(black_box(&mut one))));
}

/// What callgrind is told to look at.
#[inline(never)]
fn measured(kernel: &mut dyn FnMut()) {
    kernel();
}

/// A system at its start and room for what is computed there.
struct Bench {
    system: System,
    state: State,
    scratch: Scratch,
    factors: Factors,
    values: Vec<f64>,
    a: Vec<f64>,
    out: Vec<f64>,
    identity: Vec<Mat3>,
}

fn evaluate(mut system: System, function: fn(&mut Bench)) {
    let (state, _) = consistent_start(&mut system, 0.0).expect("a sound model");
    let zero = vec![0.0; system.size()];
    let mut bench = Bench {
        factors: Factors::new(&system),
        values: vec![0.0; system.pattern().row_indices().len()],
        identity: vec![Mat3::identity(); system.nodes().len()],
        a: zero.clone(),
        out: zero,
        scratch: Scratch::default(),
        system,
        state,
    };
    // Buffers are made, and a matrix is there to be factored and solved with.
    residual(&mut bench);
    step_matrix(&mut bench);
    factor(&mut bench);
    measured(&mut || (0..TIMES).for_each(|_| function(&mut bench)));
}

fn residual(b: &mut Bench) {
    b.system.residual(&instant(&b.state, &b.a), &mut b.out, &mut b.scratch);
}

fn step_matrix(b: &mut Bench) {
    let at = instant(&b.state, &b.a);
    let linearization = Linearization {
        damping: 0.5 * H,
        stiffness: 0.25 * H * H,
        level: Level::Velocity,
        gamma: 0.5 * H,
        ..Linearization::at(at, &b.identity)
    };
    b.system.step_matrix(&linearization, &mut b.values, &mut b.scratch);
}

fn factor(b: &mut Bench) {
    b.factors.factor(&b.system, &b.values).expect("a regular matrix");
}

fn solve(b: &mut Bench) {
    b.factors.solve(&mut b.out);
}

/// Some steps behind the first ones.
fn steps(mut system: System, method: Method) {
    let (state, _) = consistent_start(&mut system, 0.0).expect("a sound model");
    let mut integration = method.start(&system, state, H).expect("a sound start");
    let mut step = || integration.step(H).expect("a short step");
    step();
    measured(&mut || (0..STEPS).for_each(|_| _ = step()));
}
