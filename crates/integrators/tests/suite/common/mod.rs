//! What the tests of this crate share: small systems, starts, independent references, orders.

pub mod circle;
pub mod oscillator;
pub mod pendulum;

use poinsot_expr::{Expr, Function};
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::{Factors, Gs4, Gs4Form, Member, SaddlePoint, Settings, Stepper, instant, retract};
use poinsot_mechanics::joints::Attachment;
use poinsot_mechanics::*;

/// A small deterministic generator of numbers in [0, 1).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64
    }

    /// Random roots 0 ≤ ρ_s ≤ ρ_min ≤ ρ_max ≤ 1 as (ρ_min, ρ_max, ρ_s).
    pub fn roots(&mut self) -> [f64; 3] {
        let mut r = [self.next(), self.next(), self.next()];
        r.sort_by(f64::total_cmp);
        [r[1], r[2], r[0]]
    }
}

/// A force law f(t, s, r) with r = ṡ.
pub fn law(text: &str) -> Function {
    Function::new(&Expr::parse(text).unwrap(), &["t", "s", "r"], &|_| None).unwrap()
}

/// Settings with the tightest useful Newton tolerance.
pub fn tight(member: Member, form: Gs4Form) -> Settings {
    Settings { member, form, tolerance: 1e-14, max_iterations: 60, ..Settings::default() }
}

/// A point of unit mass.
pub fn unit_point(b: &mut SystemBuilder, r: Vec3, v: Vec3) -> NodeId {
    let start = Frame { r, rot: Mat3::identity() };
    let node = b.node("point", Chart::Point, start, Twist { linear: v, angular: Vec3::zeros() });
    b.body(Body::new(node, &MassProperties::point(1.0, Vec3::zeros())));
    node
}

/// Attachment whose axes (columns) are given in body axes.
pub fn attach(node: NodeId, origin: Vec3, axes: Mat3) -> Attachment {
    Attachment { node, origin, axes }
}

/// Axes whose third is the world's x.
pub fn along_x() -> Mat3 {
    Mat3::from_columns(&[Vec3::y(), Vec3::z(), Vec3::x()])
}

/// log₂ of the ratio of two errors, one at h and one at h/2.
pub fn order(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).log2()
}

/// Largest absolute value of Φ, and of Φ̇.
pub fn violation(system: &System, state: &State) -> (f64, f64) {
    let mut s = Scratch::default();
    let zero = vec![0.0; system.size()];
    let (mut phi, mut rate) = (zero.clone(), zero.clone());
    system.constraint_residual(&instant(state, &zero), &mut phi, &mut s);
    system.constraint_rate(&instant(state, &zero), &mut rate, &mut s);
    (largest(&phi), largest(&rate))
}

pub fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| f64::max(m, x.abs()))
}

pub fn largest_difference(x: &[f64], y: &[f64]) -> f64 {
    x.iter().zip(y).fold(0.0, |m, (x, y)| f64::max(m, (x - y).abs()))
}

/// Accelerations and multipliers that belong to a state.
pub fn accelerations(system: &System, state: &State) -> Vec<f64> {
    let mut a = vec![0.0; system.size()];
    SaddlePoint::new(system).accelerations(system, state, &mut a).unwrap();
    a
}

/// The modelled start, moved onto the constraints of position and velocity.
pub fn consistent_start(system: &System) -> State {
    let mut state = system.start_state(0.0);
    let zero = vec![0.0; system.size()];
    let mut matrix = SaddlePoint::new(system);
    let mut b = vec![0.0; system.size()];
    for _ in 0..30 {
        if violation(system, &state).0 < 1e-15 {
            break;
        }
        b.fill(0.0);
        system.constraint_residual(&instant(&state, &zero), &mut b, &mut matrix.scratch);
        b.iter_mut().for_each(|r| *r = -*r);
        matrix.factor(system, &state).unwrap();
        matrix.solve(&mut b);
        let frames = state.frames.clone();
        retract(system, &frames, &b, &mut state.frames);
    }
    assert!(violation(system, &state).0 < 1e-13, "the mechanism does not close");
    b.fill(0.0);
    system.constraint_rate(&instant(&state, &zero), &mut b, &mut matrix.scratch);
    system.hold_variables(&mut b);
    b.iter_mut().for_each(|r| *r = -*r);
    matrix.factor(system, &state).unwrap();
    matrix.solve(&mut b);
    for i in system.nodes().iter().flat_map(|n| n.unknowns()) {
        state.v[i] += b[i];
    }
    system.remember(&mut state);
    state
}

/// Integrates n steps of length h.
pub fn integrate<'s>(system: &'s System, settings: Settings, state: &State, h: f64, n: usize) -> Gs4<'s> {
    let mut gs4 = Gs4::new(system, settings, state.clone(), h).unwrap();
    for _ in 0..n {
        gs4.step(h).unwrap_or_else(|e| panic!("{:?} {:?}: {e}", settings.member, settings.form));
    }
    gs4
}

/// Classical fourth-order Runge–Kutta for ẏ = f(t, y).
pub fn runge_kutta<const N: usize>(
    f: impl Fn(f64, &[f64; N]) -> [f64; N],
    mut y: [f64; N],
    t_end: f64,
    steps: usize,
) -> [f64; N] {
    let h = t_end / steps as f64;
    let shifted = |y: &[f64; N], k: &[f64; N], c: f64| std::array::from_fn(|i| y[i] + c * k[i]);
    for n in 0..steps {
        let t = n as f64 * h;
        let k1 = f(t, &y);
        let k2 = f(t + 0.5 * h, &shifted(&y, &k1, 0.5 * h));
        let k3 = f(t + 0.5 * h, &shifted(&y, &k2, 0.5 * h));
        let k4 = f(t + h, &shifted(&y, &k3, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    y
}

/// Fourth-order Runge–Kutta–Munthe-Kaas on the equations reduced to index 1: a reference that shares nothing
/// with the integrator but the equations of motion. In a step, q = q_n ∘ u with u̇ = T⁻¹(u) v and v̇ = a(q,
/// v).
pub fn manifold_runge_kutta(system: &System, start: &State, t_end: f64, steps: usize) -> State {
    let n = system.size();
    let h = (t_end - start.t) / steps as f64;
    let mask = system.is_constraint_row();
    let mut solver = SaddlePoint::new(system);
    let mut state = start.clone();
    for step in 0..steps {
        let mut rates: Vec<(Vec<f64>, Vec<f64>)> = vec![];
        for c in [0.0, 0.5, 0.5, 1.0] {
            let (mut u, mut at) = (vec![0.0; n], state.clone());
            at.t += c * h;
            if let Some((du, dv)) = rates.last() {
                for i in 0..n {
                    u[i] = c * h * du[i];
                    at.v[i] += c * h * dv[i];
                }
            }
            retract(system, &state.frames, &u, &mut at.frames);
            let mut a = vec![0.0; n];
            solver.accelerations(system, &at, &mut a).unwrap();
            (0..n).filter(|&i| mask[i]).for_each(|i| a[i] = 0.0);
            rates.push((chart_rate(system, &u, &at.v), a));
        }
        let (mut u, frames) = (vec![0.0; n], state.frames.clone());
        for ((du, dv), weight) in rates.iter().zip([1.0, 2.0, 2.0, 1.0]) {
            for i in 0..n {
                u[i] += weight * h / 6.0 * du[i];
                state.v[i] += weight * h / 6.0 * dv[i];
            }
        }
        retract(system, &frames, &u, &mut state.frames);
        state.t = start.t + (step + 1) as f64 * h;
        system.remember(&mut state);
    }
    state
}

/// u̇ = T⁻¹(u) v on the rotations, u̇ = v elsewhere.
fn chart_rate(system: &System, u: &[f64], v: &[f64]) -> Vec<f64> {
    let mut rate = v.to_vec();
    for node in system.nodes().iter().filter(|n| n.chart == Chart::Motion) {
        let r = node.unknowns().start + 3;
        let turn = so3::tangent_inv(&Vec3::new(u[r], u[r + 1], u[r + 2]));
        let w = turn * Vec3::new(v[r], v[r + 1], v[r + 2]);
        rate[r..r + 3].copy_from_slice(w.as_slice());
    }
    rate
}

/// Largest difference of two configurations, over origins and rotation matrices.
pub fn distance_of_frames(x: &[Frame], y: &[Frame]) -> f64 {
    x.iter().zip(y).fold(0.0, |m, (x, y)| f64::max(m, (x.r - y.r).amax()).max((x.rot - y.rot).amax()))
}

/// Takes rows out that a planar model does not need.
pub fn without_redundant_rows(mut system: System) -> System {
    system.restore_rows();
    let state = system.start_state(0.0);
    let mut values = vec![0.0; system.pattern().nnz()];
    system.kinematic_matrix(&instant(&state, &[]), system.arm(), &mut values, &mut Scratch::default());
    let rows = system.is_constraint_row();
    let dependent = Factors::new(&system).factor_dropping(&values, &rows, 1e-9).unwrap();
    let rows = system.rows_at(&dependent);
    system.drop_rows(&rows, false);
    system
}
