//! The matrix D of Δs = D Δπ, and its derivatives.

use super::factor::factor;
use super::{Invariants, Mat6x12, Mat12, T, Vec12, joined, stacked};
use poinsot_geometry::interpolation::Metric;
use poinsot_geometry::{Mat3, Vec3, Vec6, so3};

/// Six points of Gauss' rule on [0, 1]: |place − ½| and weight.
const GAUSS: [(f64, f64); 3] = [
    (0.119_309_593_041_598_45, 0.233_956_967_286_345_5),
    (0.330_604_693_233_132_25, 0.180_380_786_524_069_3),
    (0.466_234_757_101_576, 0.085_662_246_189_585_18),
];

/// Divided differences over a step: g[c, c⁺], its derivative by c⁺, and the same of g′.
fn divided(metric: Metric, c: f64, end: f64, from: &[f64; 4], to: &[f64; 4]) -> [f64; 4] {
    let change = end - c;
    if change == 0.0 {
        return [to[1], 0.5 * to[2], to[2], 0.5 * to[3]];
    }
    // The quotient loses |g|/|Δc| digits; Gauss' rule of ∫g′(c + τΔc) dτ loses none, and is exact to
    // round-off at a distance from the singularity at c = −1.
    if change.abs() > 0.1 * (1.0 + c.min(end)) {
        let [first, second] = [0, 1].map(|m| (to[m] - from[m]) / change);
        return [first, (to[1] - first) / change, second, (to[2] - second) / change];
    }
    let mut sum = [0.0; 4];
    for (offset, weight) in GAUSS {
        for share in [0.5 - offset, 0.5 + offset] {
            let g = factor(metric, c + share * change);
            let terms = [g[1], share * g[2], g[2], share * g[3]];
            sum.iter_mut().zip(terms).for_each(|(sum, term)| *sum += weight * term);
        }
    }
    sum
}

/// The parameter over a step: D and its derivative by the end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Secant {
    /// Means of the invariants, and of b, γ and γa.
    m: Mat3,
    t: Vec3,
    a: Vec3,
    b: Vec3,
    gamma: f64,
    gamma_a: Vec3,
    /// Means of g and g′.
    g: f64,
    g1: f64,
    /// See [`divided`].
    divided: [f64; 4],
    end: Invariants,
    /// g′ and g″ at the end.
    end_slopes: [f64; 2],
}

impl Secant {
    /// From one place to another.
    pub fn new(metric: Metric, from: &Invariants, to: &Invariants) -> Self {
        let (before, after) = (factor(metric, from.c), factor(metric, to.c));
        Secant {
            m: (from.m + to.m) * 0.5,
            t: (from.t + to.t) * 0.5,
            a: (from.a + to.a) * 0.5,
            b: (from.b + to.b) * 0.5,
            gamma: 0.5 * (from.gamma + to.gamma),
            gamma_a: (from.a * from.gamma + to.a * to.gamma) * 0.5,
            g: 0.5 * (before[0] + after[0]),
            g1: 0.5 * (before[1] + after[1]),
            divided: divided(metric, from.c, to.c, &before, &after),
            end: *to,
            end_slopes: [after[1], after[2]],
        }
    }

    /// A step without length: D is the gradient, twice the derivative by the end the second derivative.
    pub fn at(metric: Metric, place: &Invariants) -> Self {
        Self::new(metric, place, place)
    }

    /// D Δπ.
    pub fn along(&self, change: &Vec12) -> Vec6 {
        let dm = Mat3::from_fn(|i, l| change[3 * i + l]);
        let dt = Vec3::from_fn(|i, _| change[T + i]);
        let (da, dc) = (so3::axial(&dm), 0.5 * dm.trace());
        let db = (dt * self.m.trace() + self.t * (2.0 * dc) - self.m * dt - dm * self.t) * 0.5;
        let dgamma = self.t.dot(&da) + self.a.dot(&dt);
        let [g1, _, k1, _] = self.divided;
        let linear = db * self.g + self.b * (g1 * dc)
            - (da * self.gamma + self.a * dgamma) * self.g1
            - self.gamma_a * (k1 * dc);
        stacked(&linear, &(da * self.g + self.a * (g1 * dc)))
    }

    /// Dᵀ(force; moment).
    pub fn gradient(&self, load: &Vec6) -> Vec12 {
        let (f, moment) = (load.fixed_rows::<3>(0).into_owned(), load.fixed_rows::<3>(3).into_owned());
        let [g1, _, k1, _] = self.divided;
        let by_c = g1 * (moment.dot(&self.a) + f.dot(&self.b)) - k1 * f.dot(&self.gamma_a);
        c_slope() * by_c + self.polynomial_slope(&f, &moment) * self.g - self.product_slope(&f) * self.g1
    }

    /// D, row by row.
    pub fn matrix(&self) -> Mat6x12 {
        let mut d = Mat6x12::zeros();
        for i in 0..6 {
            d.set_row(i, &self.gradient(&Vec6::ith(i, 1.0)).transpose());
        }
        d
    }

    /// Of moment·a + force·b.
    fn polynomial_slope(&self, f: &Vec3, moment: &Vec3) -> Vec12 {
        polynomial_slope(&self.m, &self.t, f, moment)
    }

    /// Of γ (force·a): β̄ Dγ + γ̄ ∂β with β = force·a.
    fn product_slope(&self, f: &Vec3) -> Vec12 {
        gamma_slope(&self.t, &self.a) * f.dot(&self.a) + axial_slope(f) * self.gamma
    }

    /// ∂(Dᵀ(force; moment))/∂π⁺.
    pub fn derivative(&self, load: &Vec6) -> Mat12 {
        let (f, moment) = (load.fixed_rows::<3>(0).into_owned(), load.fixed_rows::<3>(3).into_owned());
        let ([g1, g2, k1, k2], end) = (self.divided, &self.end);
        let (dc, dbeta) = (c_slope(), axial_slope(&f));
        let end_gamma = gamma_slope(&end.t, &end.a);
        let end_beta = f.dot(&end.a);
        // Of the factor of ∂c.
        let by_c = dc * (g2 * (moment.dot(&self.a) + f.dot(&self.b)) - k2 * f.dot(&self.gamma_a))
            + polynomial_slope(&end.m, &end.t, &f, &moment) * (0.5 * g1)
            - (end_gamma * end_beta + dbeta * end.gamma) * (0.5 * k1);
        // Of ḡ and ḡ′.
        let by_factors = self.polynomial_slope(&f, &moment) * (0.5 * self.end_slopes[0])
            - self.product_slope(&f) * (0.5 * self.end_slopes[1]);
        let mut h = dc * by_c.transpose() + by_factors * dc.transpose();
        // Of the slopes of the polynomials, which are linear.
        let mean_gamma = gamma_slope(&self.t, &self.a);
        h -= (mean_gamma * dbeta.transpose() + dbeta * end_gamma.transpose()) * (0.5 * self.g1);
        self.add_bilinear(&f, &mut h);
        h
    }

    /// Adds ½ḡ ∂²(force·b) − ½ḡ′β̄ ∂²γ, which couple M and t.
    fn add_bilinear(&self, f: &Vec3, h: &mut Mat12) {
        let (half_g, half_gamma) = (0.5 * self.g, 0.5 * self.g1 * f.dot(&self.a));
        for i in 0..3 {
            // ∂(∂(force·b)/∂t_i)/∂M = ½(f_i 1 − f e_iᵀ), ∂(∂γ/∂t_i)/∂M = ∂a_i/∂M = ½ẽ_i.
            let e = Vec3::ith(i, 1.0);
            let by_m = (Mat3::identity() * f[i] - f * e.transpose()) * (0.5 * half_g)
                - so3::skew(&e) * (0.5 * half_gamma);
            for p in 0..T {
                h[(p, T + i)] += by_m[(p / 3, p % 3)];
                h[(T + i, p)] += by_m[(p / 3, p % 3)];
            }
        }
    }
}

/// ∂c = (½ 1; 0).
fn c_slope() -> Vec12 {
    joined(&Mat3::from_diagonal_element(0.5), &Vec3::zeros())
}

/// ∂(v·a) = (½ṽ; 0).
fn axial_slope(v: &Vec3) -> Vec12 {
    joined(&(so3::skew(v) * 0.5), &Vec3::zeros())
}

/// Dγ = (½t̃; a).
fn gamma_slope(t: &Vec3, a: &Vec3) -> Vec12 {
    joined(&(so3::skew(t) * 0.5), a)
}

/// Of moment·a + force·b: (½ moment~ + ½((f·t) 1 − f tᵀ); ½(tr M f − Mᵀf)).
fn polynomial_slope(m: &Mat3, t: &Vec3, f: &Vec3, moment: &Vec3) -> Vec12 {
    let by_m = (so3::skew(moment) + Mat3::identity() * f.dot(t) - f * t.transpose()) * 0.5;
    joined(&by_m, &((f * m.trace() - m.tr_mul(f)) * 0.5))
}
