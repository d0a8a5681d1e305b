//! Whether the equations of a model are linear, found by probing its elements.
//!
//! Points that only translate have carried vectors x linear in q. Then M is constant, and K, C and G are
//! constant if every force has the same ∂f/∂x, ∂f/∂ẋ and every constraint the same ∂Φ/∂x wherever, however
//! fast and whenever it is asked. Probes of many sizes in random directions find others; what has kinks
//! is not asked. Loads may depend on time as they like.

use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::{Blocks, Carried, Chart, Configuration, GROUND, Gradients, State, System};
use poinsot_numerics::irregular;

/// Probes of each element.
const PROBES: usize = 24;

/// Sizes of the probes, in units of the model's length.
const SIZES: [f64; 4] = [1e-3, 1.0, 1e-1, 1e3];

/// Derivatives that differ by less, relative to the largest, are the same.
const SAME: f64 = 1e-12;

/// Whether the step matrix of the system is constant.
pub(crate) fn is_linear(system: &System, state: &State) -> bool {
    let translates = |chart: &Chart| {
        matches!(chart, Chart::Fixed | Chart::Point | Chart::PlanarPoint { .. }) || chart.is_slope()
    };
    system.nodes().iter().all(|n| translates(&n.chart))
        && !system.is_pressed()
        && system.networks().is_empty()
        && !system.is_piecewise()
        && forces_are_linear(system, state)
        && constraints_are_linear(system, state)
}

/// Positions and velocities of carried vectors, moved where they can be moved.
struct Probe {
    /// Numbers drawn so far.
    drawn: usize,
    length: f64,
    x: Vec<Vec3>,
    xdot: Vec<Vec3>,
    t: f64,
}

impl Probe {
    fn new(system: &System) -> Self {
        Probe { drawn: 0, length: system.length_scale(), x: vec![], xdot: vec![], t: 0.0 }
    }

    /// The k-th probe of an element; the first is the state itself.
    fn take(&mut self, carried: &[Carried], state: &State, k: usize) {
        let size = if k == 0 { 0.0 } else { self.length * SIZES[k % SIZES.len()] };
        let drawn = &mut self.drawn;
        let mut number = || {
            *drawn += 1;
            2.0 * size * irregular(*drawn)
        };
        self.x.clear();
        self.xdot.clear();
        for c in carried {
            let moves = if c.node == GROUND { 0.0 } else { c.c0 };
            self.x.push(c.value(&state.frames[c.node]) + Vec3::from_fn(|_, _| number()) * moves);
            self.xdot.push(Vec3::from_fn(|_, _| number()) * moves);
        }
        self.t = state.t + number().abs();
    }
}

fn forces_are_linear(system: &System, state: &State) -> bool {
    let (mut probe, mut k, mut c) = (Probe::new(system), Blocks::default(), Blocks::default());
    system.forces().iter().all(|entry| {
        let carried = entry.law.carried();
        let mut first: Option<Vec<Mat3>> = None;
        (0..PROBES).all(|n| {
            probe.take(carried, state, n);
            k.clear();
            c.clear();
            let at = entry.motion(probe.t, &state.memory, &probe.x, &probe.xdot);
            entry.law.tangent(&at, &mut k, &mut c);
            let many = carried.len();
            let mut sums = vec![Mat3::zeros(); 2 * many * many];
            for (offset, blocks) in [(0, &k), (many * many, &c)] {
                for block in blocks.entries().iter().filter(|b| moves(&carried[b.a]) && moves(&carried[b.b]))
                {
                    sums[offset + block.a * many + block.b] += block.value;
                }
            }
            let first = first.get_or_insert_with(|| sums.clone());
            same(first.iter().flat_map(|m| m.iter()), sums.iter().flat_map(|m| m.iter()))
        })
    })
}

fn constraints_are_linear(system: &System, state: &State) -> bool {
    let (mut probe, mut g) = (Probe::new(system), Gradients::default());
    system.constraints().iter().all(|entry| {
        let carried = entry.law.carried();
        let mut memory = vec![0.0; entry.law.memories()];
        entry.law.start_memory(&mut memory);
        let mut first: Option<Vec<Vec3>> = None;
        (0..PROBES).all(|n| {
            probe.take(carried, state, n);
            g.clear();
            entry.law.gradients(&Configuration { t: probe.t, x: &probe.x, memory: &memory }, &mut g);
            let mut sums = vec![Vec3::zeros(); entry.law.rows() * carried.len()];
            for entry in g.entries().iter().filter(|e| moves(&carried[e.carried])) {
                sums[entry.row * carried.len() + entry.carried] += entry.value;
            }
            let first = first.get_or_insert_with(|| sums.clone());
            same(first.iter().flat_map(|v| v.iter()), sums.iter().flat_map(|v| v.iter()))
        })
    })
}

/// Whether a carried vector depends on the motion of its node.
fn moves(c: &Carried) -> bool {
    c.node != GROUND && c.c0 != 0.0
}

fn same<'a>(x: impl Iterator<Item = &'a f64> + Clone, y: impl Iterator<Item = &'a f64>) -> bool {
    let size = x.clone().fold(0.0, |m: f64, x| m.max(x.abs()));
    // Not a number is not the same.
    x.zip(y).all(|(x, y)| (x - y).abs() <= SAME * size)
}
