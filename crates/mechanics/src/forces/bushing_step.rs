//! A bushing over a step: energy and momentum are kept through the invariants a_k·d and Q_ij = a_i·b_j.
//!
//! ```text
//! S = K ½(e + e⁺) + (C/h + χ K) Δe,      e = (u, θ)
//! Δu_k = ā_k·Δd + d̄·Δa_k                                     u is quadratic: its gradient at the mean
//! w = axial(Q_mᵀ ΔQ) = n sin φ                                Q⁺ = Q exp(φ n)
//! Δθ = T_d w,   T_d = T₀ + r ⊗ w/|w|²,   r = Δθ − T₀ w,       T₀ = T⁻¹(½(θ + θ⁺))
//! P = ½ Q_m skew(T_dᵀ S_θ)   so that   Σ_ij P_ij ΔQ_ij = S_θ·Δθ
//! f_x₂ = −Σ S_k ā_k = −f_x₁,   f_{a_k} = −S_k d̄ − Σ_j P_kj b̄_j,   f_{b_j} = −Σ_i P_ij ā_i
//! ```
//! Q_m is the mean of Q at the ends, bars are means of vectors. T_d is Gonzalez' discrete derivative on the
//! rotation group (energy-momentum-null-space I-13, I-14). Σ f·Δx = −S·Δe = V − V⁺ − Δeᵀ(C/h + χ K)Δe
//! exactly.

use super::bushing::{A, B, Bushing, X1, X2, stack};
use crate::discrete_gradients::StepEnds;
use crate::discrete_gradients::trust;
use crate::element_buffers::Blocks;
use crate::force::Motion;
use poinsot_geometry::nalgebra::SMatrix;
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6, so3};

/// Round-off of the logarithms.
const ROUND_OFF: f64 = 16.0 * f64::EPSILON;

const VECTORS: usize = 8;

/// A vector for each carried one.
pub(super) type Vectors = [Vec3; VECTORS];

/// Everything about the deformation over a step.
pub(super) struct BushingStep {
    /// Mean of x₂ − x₁, and of the axes as columns.
    d: Vec3,
    a: Mat3,
    b: Mat3,
    /// Q at the start and its mean over the ends.
    q_from: Mat3,
    q_mean: Mat3,
    theta: Vec3,
    w: Vec3,
    t0: Mat3,
    /// r, zero where it is round-off, and |w|².
    defect: Vec3,
    square: f64,
    /// Δe.
    pub change: Vec6,
    s: Vec6,
}

/// The axes that start at `first` as columns.
fn axes(x: &[Vec3], first: usize) -> Mat3 {
    Mat3::from_columns(&x[first..first + 3])
}

/// r = Δθ − T₀ w, of third order in the step: as it stands it is known to the round-off ε of θ only.
/// Simpson's rule along Q exp(τ φ n), on which θ′ = T⁻¹(θ) φ n, gives it with the round-off ε φ and an error
/// of the order φ⁵; the middle of the path is that of Hermite's cubic. It is taken where both agree to ε (see
/// [`trust`]), and r is zero where it is below ε φ.
fn defect(first: &Vec3, last: &Vec3, w: &Vec3, turn: &Mat3, t0: &Mat3) -> Vec3 {
    let direct = last - first - t0 * w;
    let sine = w.norm();
    if sine == 0.0 {
        return Vec3::zeros();
    }
    let angle = sine.atan2(0.5 * (turn.trace() - 1.0));
    let spin = w * (angle / sine);
    let [start, end] = [first, last].map(|theta| so3::tangent_inv(theta) * spin);
    let middle = so3::tangent_inv(&((first + last) * 0.5 + (start - end) * 0.125)) * spin;
    let straight = t0 * spin;
    let bend = (start - straight) + (middle - straight) * 4.0 + (end - straight);
    let simpson = bend / 6.0 + t0 * (spin - w);
    let gap = direct - simpson;
    let r = simpson + gap * trust(gap.norm(), ROUND_OFF * (1.0 + last.norm()));
    if r.norm() <= ROUND_OFF * sine { Vec3::zeros() } else { r }
}

impl BushingStep {
    pub fn new(bushing: &Bushing, step: &StepEnds) -> Self {
        let (d, dd) = (step.mean[X2] - step.mean[X1], step.change(X2) - step.change(X1));
        let (a, b) = (axes(step.mean, A), axes(step.mean, B));
        let [da, db] = [A, B].map(|k| Mat3::from_columns(&[0, 1, 2].map(|i| step.change(k + i))));
        let q = |x: &[Vec3]| axes(x, A).tr_mul(&axes(x, B));
        let (q_from, q_to) = (q(step.from), q(step.to));
        let q_mean = (q_from + q_to) * 0.5;
        // ΔQ and Δu from the increments, with all their digits.
        let w = so3::axial(&q_mean.tr_mul(&(a.tr_mul(&db) + da.tr_mul(&b))));
        let change_u = a.tr_mul(&dd) + da.tr_mul(&d);
        // Directors that are unknowns themselves are orthonormal only in the end: θ is that of the nearest
        // rotation.
        let [first, last] = [q_from, q_to].map(|q| so3::log(&so3::orthonormalize(&q)));
        let theta = (first + last) * 0.5;
        let t0 = so3::tangent_inv(&theta);
        let defect = defect(&first, &last, &w, &q_from.tr_mul(&q_to), &t0);
        let offset = |x: &[Vec3]| axes(x, A).tr_mul(&(x[X2] - x[X1]));
        let mean = stack(&((offset(step.from) + offset(step.to)) * 0.5), &theta);
        let change = stack(&change_u, &(t0 * w + defect));
        let s = bushing.stiffness * mean + drag(bushing, step) * change;
        BushingStep { d, a, b, q_from, q_mean, theta, w, t0, defect, square: w.norm_squared(), change, s }
    }

    /// The same deformation under other generalised forces.
    pub fn under(self, s: &[f64]) -> Self {
        BushingStep { s: Vec6::from_row_slice(s), ..self }
    }

    fn moment_part(&self) -> Vec3 {
        self.s.fixed_rows::<3>(3).into_owned()
    }

    /// T_dᵀ v.
    fn pulled_back(&self, v: &Vec3) -> Vec3 {
        self.t0.tr_mul(v) + self.w * self.share(v)
    }

    /// r·v/|w|².
    fn share(&self, v: &Vec3) -> f64 {
        if self.defect == Vec3::zeros() { 0.0 } else { self.defect.dot(v) / self.square }
    }

    fn p(&self) -> Mat3 {
        self.q_mean * so3::skew(&self.pulled_back(&self.moment_part())) * 0.5
    }

    /// f of all carried vectors.
    pub fn force(&self) -> Vectors {
        let s = self.s.fixed_rows::<3>(0).into_owned();
        let p = self.p();
        forces(&(self.a * s), &(self.d * s.transpose() + self.b * p.transpose()), &(self.a * p))
    }

    /// Change of the forces with component `c` of x⁺_y; `de` and `ds` are the changes of e⁺ and S.
    fn force_rate(&self, y: usize, c: usize, to: &[Vec3], de: &Vec6, ds: &Vec6) -> Vectors {
        let (mut d, mut a, mut b, mut q) = (Vec3::zeros(), Mat3::zeros(), Mat3::zeros(), Mat3::zeros());
        match y {
            X1 => d[c] = -0.5,
            X2 => d[c] = 0.5,
            A..B => {
                a[(c, y - A)] = 0.5;
                (0..3).for_each(|j| q[(y - A, j)] = to[B + j][c]);
            }
            _ => {
                b[(c, y - B)] = 0.5;
                (0..3).for_each(|i| q[(i, y - B)] = to[A + i][c]);
            }
        }
        let s = self.s.fixed_rows::<3>(0).into_owned();
        let s_rate = ds.fixed_rows::<3>(0).into_owned();
        let (p, p_rate) = (self.p(), self.p_rate(&q, de, ds));
        let on_a =
            self.d * s_rate.transpose() + d * s.transpose() + self.b * p_rate.transpose() + b * p.transpose();
        forces(&(self.a * s_rate + a * s), &on_a, &(self.a * p_rate + a * p))
    }

    /// dP = ½ (½ dQ⁺ skew(σ) + Q_m skew(dσ)) with σ = T_dᵀ S_θ.
    fn p_rate(&self, dq: &Mat3, de: &Vec6, ds: &Vec6) -> Mat3 {
        let (turn, moment) = (de.fixed_rows::<3>(3).into_owned(), self.moment_part());
        let dw = so3::axial(&self.q_from.tr_mul(dq));
        let mut rate = self.pulled_back(&ds.fixed_rows::<3>(3).into_owned());
        rate += so3::tangent_inv_transposed_derivative(&self.theta, &moment) * turn * 0.5;
        if self.defect != Vec3::zeros() {
            let by_theta = so3::tangent_inv_derivative(&self.theta, &self.w) * turn * 0.5;
            let defect_rate = turn - self.t0 * dw - by_theta;
            let share = self.share(&moment);
            let share_rate = (defect_rate.dot(&moment) - 2.0 * share * self.w.dot(&dw)) / self.square;
            rate += dw * share + self.w * share_rate;
        }
        let sigma = so3::skew(&self.pulled_back(&moment));
        (dq * sigma * 0.5 + self.q_mean * so3::skew(&rate)) * 0.5
    }
}

/// C/h + χ K.
pub(super) fn drag(bushing: &Bushing, step: &StepEnds) -> Mat6 {
    bushing.damping / step.h + bushing.stiffness * step.dissipation
}

/// Forces from that on x₁ and those against the axes a and b, as columns.
fn forces(on_first: &Vec3, against_a: &Mat3, against_b: &Mat3) -> Vectors {
    let mut f = [Vec3::zeros(); VECTORS];
    f[X1] = *on_first;
    f[X2] = -on_first;
    for k in 0..3 {
        f[A + k] = -against_a.column(k);
        f[B + k] = -against_b.column(k);
    }
    f
}

/// ∂S/∂e⁺ = ½ K + C/h + χ K.
pub(super) fn by_end(bushing: &Bushing, step: &StepEnds) -> Mat6 {
    bushing.stiffness * 0.5 + drag(bushing, step)
}

/// ∂f_a/∂x⁺_y, column by column; `by_end` is ∂S/∂e⁺.
pub(super) fn push_tangent(
    bushing: &Bushing,
    step: &StepEnds,
    e: &BushingStep,
    by_end: &Mat6,
    out: &mut Blocks,
) {
    let end = bushing.deformation(&Motion { x: step.to, ..step.motion() });
    for y in 0..VECTORS {
        let strain: SMatrix<f64, 6, 3> = end.strain(y);
        let by_strain = by_end * strain;
        let mut blocks = [Mat3::zeros(); VECTORS];
        for c in 0..3 {
            let (de, ds) = (strain.column(c).into_owned(), by_strain.column(c).into_owned());
            let rate = e.force_rate(y, c, step.to, &de, &ds);
            blocks.iter_mut().zip(&rate).for_each(|(block, f)| block.set_column(c, f));
        }
        blocks.iter().enumerate().for_each(|(a, block)| out.push(a, y, *block));
    }
}
