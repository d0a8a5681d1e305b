//! Discrete gradients of any smooth function, by Gonzalez' formula (energy-momentum-null-space I-13):
//!
//! ```text
//! D = ∇f(y_m) + (c/N) W Δ,     c = f(y⁺) − f(y) − ∇f(y_m)·Δ,     N = Δᵀ W Δ,     Δ = y⁺ − y
//! ∂D/∂y⁺ = ½∇²f(y_m) + W Δ ⊗ (∂c/N − 2c W Δ/N²) + (c/N) W,     ∂c = ∇f(y⁺) − ∇f(y_m) − ½∇²f(y_m) Δ
//! ```
//! W is diagonal and makes arguments of different units comparable: 1 for angles and cosines, 1/L² for
//! lengths with a length L of the element. With one argument D is the secant slope, whatever W.
//!
//! c is of third order in Δ, but its terms are not: taken as it stands it is round-off, and D loses the
//! digits ε|f|/|Δ|. Simpson's rule gives c = ⅙(∇f(y) − 2∇f(y_m) + ∇f(y⁺))·Δ + O(|Δ|⁵) with an error of
//! ε|∇f||Δ| only. It is taken where both agree to the round-off of f: there f(y⁺) − f(y) cannot be told from
//! D·Δ, and no threshold on |Δ| with its question of units is needed. The change from one to the other is
//! gradual, or D would jump.

use crate::constraint::{Configuration, Constraint};
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::{Blocks, Gradients, MAX_CONSTRAINED, MAX_ROWS};
use crate::nodes::carried::Carried;
use poinsot_geometry::{Mat3, Vec3};
use std::cell::RefCell;

/// Round-off of a few operations.
const ROUND_OFF: f64 = 8.0 * f64::EPSILON;

/// What c is made of.
#[derive(Clone, Copy, Default)]
pub(super) struct Rise {
    /// f(y⁺) − f(y).
    pub(super) rise: f64,
    /// ∇f·Δ at the start, the mean and the end.
    pub(super) slopes: [f64; 3],
    /// Size of the numbers whose rounding enters f: |f|, |f⁺| and Σ|∂f/∂y_i||y_i|.
    pub(super) size: f64,
    /// Σ|∂f/∂y_i||Δ_i|.
    pub(super) steepness: f64,
}

impl Rise {
    /// c, see the module's text; zero where it is only round-off of ∇f·Δ.
    pub(super) fn defect(&self) -> f64 {
        let direct = self.rise - self.slopes[1];
        let simpson = (self.slopes[0] - 2.0 * self.slopes[1] + self.slopes[2]) / 6.0;
        let noise = ROUND_OFF * (self.size + self.steepness);
        let gap = direct - simpson;
        let c = simpson + gap * trust(gap.abs(), noise);
        if c.abs() <= ROUND_OFF * self.steepness { 0.0 } else { c }
    }
}

/// How far a gap between the direct value and Simpson's is believed: not at all up to `noise`, fully from
/// twice that on.
pub(crate) fn trust(gap: f64, noise: f64) -> f64 {
    let t = ((gap - noise) / noise.max(f64::MIN_POSITIVE)).clamp(0.0, 1.0);
    t * t * (3.0 - 2.0 * t)
}

/// ∂c_j where it is more than the round-off of its terms, else 0.
pub(super) fn significant(end: f64, mean: f64, bend: f64) -> f64 {
    let value = end - mean - bend;
    if value.abs() <= ROUND_OFF * (end.abs() + mean.abs()) { 0.0 } else { value }
}

/// Mean distance of carried points from the origins of their nodes, 1 if there are none: the length that
/// compares lengths with angles.
pub(crate) fn arm(carried: &[Carried]) -> f64 {
    let arms = carried.iter().filter(|c| c.is_place()).map(|c| c.c.norm()).filter(|arm| *arm > 0.0);
    let (sum, count) = arms.fold((0.0, 0), |(sum, count), arm| (sum + arm, count + 1));
    if count > 0 { sum / f64::from(count) } else { 1.0 }
}

/// One vector per carried vector.
type Vectors = [Vec3; MAX_CONSTRAINED];

thread_local! {
    /// Room for gradients where the caller has none to offer.
    static ROOM: RefCell<Gradients> = RefCell::new(Gradients::default());
}

/// W Δ of the carried vectors, W and N.
struct VectorStep {
    change: Vectors,
    weight: [f64; MAX_CONSTRAINED],
    along: Vectors,
    n: f64,
}

impl VectorStep {
    fn new(carried: &[Carried], step: &StepEnds) -> Self {
        let length = arm(carried);
        let (mut change, mut along) = ([Vec3::zeros(); MAX_CONSTRAINED], [Vec3::zeros(); MAX_CONSTRAINED]);
        let mut weight = [0.0; MAX_CONSTRAINED];
        let mut n = 0.0;
        for (a, carried) in carried.iter().enumerate() {
            let size = match carried {
                Carried { slope: true, .. } => 1.0,
                _ if carried.c0 != 0.0 => length,
                _ => carried.c.norm().max(f64::MIN_POSITIVE),
            };
            weight[a] = 1.0 / (size * size);
            change[a] = step.change(a);
            along[a] = change[a] * weight[a];
            n += along[a].dot(&change[a]);
        }
        VectorStep { change, weight, along, n }
    }
}

/// The times at which a row is taken, so that explicit time is averaged over the ends.
fn times(law: &(impl Constraint + ?Sized), step: &StepEnds) -> ([f64; 2], usize) {
    let middle = step.time(0.5);
    if law.is_driven() { ([step.time(0.0), step.time(1.0)], 2) } else { ([middle, middle], 1) }
}

/// Φ of the holonomic rows at the given vectors, averaged over the ends in time; rows on velocities are left
/// zero.
fn values(law: &(impl Constraint + ?Sized), step: &StepEnds, x: &[Vec3]) -> [f64; MAX_ROWS] {
    let (times, count) = times(law, step);
    let mut mean = [0.0; MAX_ROWS];
    for &t in &times[..count] {
        let mut phi = [0.0; MAX_ROWS];
        law.residual(&Configuration { t, x, memory: step.memory }, &mut phi[..law.rows()]);
        mean.iter_mut().zip(&phi).for_each(|(mean, phi)| *mean += phi / count as f64);
    }
    mean
}

/// ∂Φ_k of the holonomic rows at the given vectors, averaged over the ends in time, with `g` as room.
fn slopes(
    law: &(impl Constraint + ?Sized),
    step: &StepEnds,
    x: &[Vec3],
    g: &mut Gradients,
) -> [Vectors; MAX_ROWS] {
    let (times, count) = times(law, step);
    let from = g.entries().len();
    let mut mean = [[Vec3::zeros(); MAX_CONSTRAINED]; MAX_ROWS];
    for &t in &times[..count] {
        law.gradients(&Configuration { t, x, memory: step.memory }, g);
        for g in g.entries()[from..].iter().filter(|g| !law.is_velocity_row(g.row)) {
            mean[g.row][g.carried] += g.value / count as f64;
        }
        g.truncate(from);
    }
    mean
}

/// c of every holonomic row with ∂Φ at the mean and the end.
struct Defects {
    c: [f64; MAX_ROWS],
    mean: [Vectors; MAX_ROWS],
    last: [Vectors; MAX_ROWS],
}

impl Defects {
    fn new(law: &(impl Constraint + ?Sized), step: &StepEnds, along: &VectorStep, g: &mut Gradients) -> Self {
        let first = slopes(law, step, step.from, g);
        let (mean, last) = (slopes(law, step, step.mean, g), slopes(law, step, step.to, g));
        let (start, end) = (values(law, step, step.from), values(law, step, step.to));
        let c = std::array::from_fn(|k| {
            let n = law.carried().len();
            let dot = |g: &Vectors| (0..n).map(|a| g[a].dot(&along.change[a])).sum::<f64>();
            let size = |of: &[Vec3]| (0..n).map(|a| mean[k][a].norm() * of[a].norm()).sum::<f64>();
            let rise = Rise {
                rise: end[k] - start[k],
                slopes: [dot(&first[k]), dot(&mean[k]), dot(&last[k])],
                size: start[k].abs() + end[k].abs() + size(step.from),
                steepness: size(&along.change),
            };
            rise.defect()
        });
        Defects { c, mean, last }
    }
}

/// Gonzalez' formula for the holonomic rows of any constraint in the space of its carried vectors, G at the
/// mean for rows on velocities. Energy is kept; momentum only where the correction, of third order, happens
/// to vanish.
pub(crate) fn gradients(law: &(impl Constraint + ?Sized), step: &StepEnds, g: &mut Gradients) {
    let along = VectorStep::new(law.carried(), step);
    let velocity_rows = (0..law.rows()).any(|k| law.is_velocity_row(k));
    if along.n > 0.0 || law.is_driven() {
        let defects = Defects::new(law, step, &along, g);
        let share = |k: usize| if along.n > 0.0 { defects.c[k] / along.n } else { 0.0 };
        for k in (0..law.rows()).filter(|k| !law.is_velocity_row(*k)) {
            for a in 0..law.carried().len() {
                let value = defects.mean[k][a] + along.along[a] * share(k);
                if value != Vec3::zeros() {
                    g.push(k, a, value);
                }
            }
        }
        if velocity_rows {
            let from = g.entries().len();
            law.gradients(&step.middle(), g);
            g.retain_from(from, |entry| law.is_velocity_row(entry.row));
        }
    } else {
        law.gradients(&step.middle(), g);
    }
}

/// Σ_k λ_k ∂Gd_ka/∂x⁺_b of [`gradients`].
pub(crate) fn hessian(law: &(impl Constraint + ?Sized), step: &StepEnds, lambda: &[f64], h: &mut Blocks) {
    let (mut holonomic, mut others) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
    for (k, &l) in lambda.iter().enumerate() {
        *(if law.is_velocity_row(k) { &mut others[k] } else { &mut holonomic[k] }) = l;
    }
    if others != [0.0; MAX_ROWS] {
        half_hessian(law, &step.middle(), &others[..law.rows()], h);
    }
    let from = h.entries().len();
    let (times, count) = times(law, step);
    let shared = holonomic.map(|l| l / count as f64);
    for &t in &times[..count] {
        half_hessian(law, &Configuration { t, ..step.middle() }, &shared[..law.rows()], h);
    }
    let along = VectorStep::new(law.carried(), step);
    if along.n == 0.0 {
        return;
    }
    let mut bend = [Vec3::zeros(); MAX_CONSTRAINED];
    for block in &h.entries()[from..] {
        bend[block.b] += block.value.tr_mul(&along.change[block.a]);
    }
    ROOM.with_borrow_mut(|g| {
        g.clear();
        let defects = Defects::new(law, step, &along, g);
        push_correction(law.carried().len(), &along, &defects, &holonomic, &bend, h);
    });
}

/// Half the hessian, as that of a gradient at the mean by the end.
pub(crate) fn half_hessian(
    law: &(impl Constraint + ?Sized),
    at: &Configuration,
    lambda: &[f64],
    h: &mut Blocks,
) {
    let from = h.entries().len();
    law.hessian(at, lambda, h);
    h.entries_mut(from).iter_mut().for_each(|block| block.value *= 0.5);
}

/// W Δ ⊗ (∂c/N − 2c W Δ/N²) + (c/N) W with c = Σ_k λ_k c_k.
fn push_correction(
    vectors: usize,
    step: &VectorStep,
    defects: &Defects,
    lambda: &[f64; MAX_ROWS],
    bend: &Vectors,
    h: &mut Blocks,
) {
    let weigh =
        |g: &[Vectors; MAX_ROWS], b: usize| -> Vec3 { (0..MAX_ROWS).map(|k| g[k][b] * lambda[k]).sum() };
    let c: f64 = defects.c.iter().zip(lambda).map(|(c, l)| c * l).sum();
    for (b, bend) in bend[..vectors].iter().enumerate() {
        let (end, mean) = (weigh(&defects.last, b), weigh(&defects.mean, b));
        let by_end = Vec3::from_fn(|i, _| significant(end[i], mean[i], bend[i]));
        let by = by_end / step.n - step.along[b] * (2.0 * c / (step.n * step.n));
        for a in 0..vectors {
            let own = if a == b { c / step.n * step.weight[a] } else { 0.0 };
            h.push(a, b, step.along[a] * by.transpose() + Mat3::identity() * own);
        }
    }
}
