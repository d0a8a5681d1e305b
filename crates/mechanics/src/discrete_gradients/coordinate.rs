//! Discrete slopes of coordinates: what stands for ∂s/∂x_a over a step from x to x⁺.
//!
//! ```text
//! Σ_a S_a·(x⁺_a − x_a) = s⁺ − s        exactly, in closed form, without 0/0
//! at most quadratic s    S = ∂s at the mean
//! distance               S = ± 2 d_m/(s + s⁺),                  d_m mean of x₂ − x₁
//! angle                  S = κ (B_m ∂A − A_m ∂B),               A = u₂·w,  B = u₁·w,  ∂ at the mean vectors
//!                        κ = Δs/(B A⁺ − A B⁺),   Δs = atan2(B A⁺ − A B⁺, A A⁺ + B B⁺),   A_m = ½(A + A⁺)
//! ```
//! All depend on x only through invariants that are at most quadratic, so they keep linear and angular
//! momentum (energy-momentum-null-space I-14), and none changes when the ends are exchanged. An angle may
//! change by less than half a turn per step.

use crate::coordinate::{Coordinate, Slope};
use crate::element_buffers::Blocks;
use poinsot_geometry::{Mat3, Vec3};

impl Coordinate {
    /// Whether s is at most quadratic in the carried vectors.
    pub fn is_quadratic(&self) -> bool {
        !matches!(self, Coordinate::Distance(_) | Coordinate::Angle(_))
    }

    /// s⁺ − s without cancellation; of an angle the change by less than half a turn.
    pub fn change(&self, from: &[Vec3], to: &[Vec3]) -> f64 {
        match self {
            Coordinate::Angle(_) => Turn::new(from, to).change(),
            Coordinate::Component(_, axis) => to[0][*axis] - from[0][*axis],
            _ => {
                let slope = self.discrete_slope(from, to);
                from.iter().zip(to).zip(&slope).map(|((x, y), g)| g.dot(&(y - x))).sum()
            }
        }
    }

    /// S_a with Σ_a S_a·(x⁺_a − x_a) = s⁺ − s.
    pub fn discrete_slope(&self, from: &[Vec3], to: &[Vec3]) -> Slope {
        match self {
            Coordinate::Distance(_) => {
                let n = Span::new(from, to).direction();
                [-n, n, Vec3::zeros()]
            }
            Coordinate::Angle(_) => Turn::new(from, to).slope(),
            _ => self.slope(&means(from, to)),
        }
    }

    /// `scale` · ∂S_a/∂x⁺_b as blocks (a, b), which are not symmetric.
    pub fn discrete_curvature(&self, from: &[Vec3], to: &[Vec3], scale: f64, out: &mut Blocks) {
        match self {
            Coordinate::Distance(_) => {
                let c = Span::new(from, to).curvature() * scale;
                out.push(0, 0, c);
                out.push(1, 1, c);
                out.push(0, 1, -c);
                out.push(1, 0, -c);
            }
            Coordinate::Angle(_) => Turn::new(from, to).curvature(to, scale, out),
            _ => self.hessian(&means(from, to), 0.5 * scale, out),
        }
    }
}

/// ½(x_a + x⁺_a) of up to three vectors.
fn means(from: &[Vec3], to: &[Vec3]) -> [Vec3; 3] {
    let mut mean = [Vec3::zeros(); 3];
    for ((mean, x), y) in mean.iter_mut().zip(from).zip(to) {
        *mean = (x + y) * 0.5;
    }
    mean
}

/// d = x₂ − x₁ at both ends and s + s⁺.
struct Span {
    first: Vec3,
    last: Vec3,
    sum: f64,
}

impl Span {
    fn new(from: &[Vec3], to: &[Vec3]) -> Self {
        let (first, last) = (from[1] - from[0], to[1] - to[0]);
        Span { first, last, sum: first.norm() + last.norm() }
    }

    /// N = 2 d_m/(s + s⁺); zero where the points meet at both ends, as the direction of the distance itself.
    fn direction(&self) -> Vec3 {
        if self.sum > 0.0 { (self.first + self.last) / self.sum } else { Vec3::zeros() }
    }

    /// ∂N/∂d⁺ = (I − N n⁺ᵀ)/(s + s⁺) with n⁺ = d⁺/s⁺.
    fn curvature(&self) -> Mat3 {
        if self.sum == 0.0 {
            return Mat3::zeros();
        }
        let length = self.last.norm();
        let end = if length > 0.0 { self.last / length } else { Vec3::zeros() };
        (Mat3::identity() - self.direction() * end.transpose()) / self.sum
    }
}

/// An angle over a step: A, B at both ends, the mean vectors, S = B A⁺ − A B⁺ and C = A A⁺ + B B⁺.
struct Turn {
    a: [f64; 2],
    b: [f64; 2],
    mean: [Vec3; 3],
    sine: f64,
    cosine: f64,
}

/// Below this tangent of the turn the series of [`Turn::kappa_by_sine`] is used; its first neglected term is
/// 1e-16.
const SMALL_TURN: f64 = 0.1;

impl Turn {
    fn new(from: &[Vec3], to: &[Vec3]) -> Self {
        let mean = means(from, to);
        let a = [from[1].dot(&from[2]), to[1].dot(&to[2])];
        let b = [from[0].dot(&from[2]), to[0].dot(&to[2])];
        // A⁺ − A from the increments of the vectors: S has as many digits as they have.
        let [du1, du2, dw] = [0, 1, 2].map(|k| to[k] - from[k]);
        let (da, db) = (mean[1].dot(&dw) + mean[2].dot(&du2), mean[0].dot(&dw) + mean[2].dot(&du1));
        let sine = 0.5 * ((b[0] + b[1]) * da - (a[0] + a[1]) * db);
        Turn { a, b, mean, sine, cosine: a[0] * a[1] + b[0] * b[1] }
    }

    /// Δs.
    fn change(&self) -> f64 {
        self.sine.atan2(self.cosine)
    }

    /// κ = Δs/S, in the limit 1/C.
    fn kappa(&self) -> f64 {
        if self.sine == 0.0 { 1.0 / self.cosine } else { self.change() / self.sine }
    }

    /// ∂κ/∂S = (C/(S² + C²) − κ)/S = C⁻² (−⅔ τ + ⅘ τ³ − …), τ = S/C.
    fn kappa_by_sine(&self) -> f64 {
        let (s, c) = (self.sine, self.cosine);
        let tau = s / c;
        if c <= 0.0 || tau.abs() > SMALL_TURN {
            return (c / (s * s + c * c) - self.kappa()) / s;
        }
        let square = tau * tau;
        let series = (1..9).rev().fold(0.0, |sum, k| {
            let k = f64::from(k);
            2.0 * k / (2.0 * k + 1.0) - square * sum
        });
        -tau * series / (c * c)
    }

    /// ½(A + A⁺) and ½(B + B⁺).
    fn mean_values(&self) -> (f64, f64) {
        (0.5 * (self.a[0] + self.a[1]), 0.5 * (self.b[0] + self.b[1]))
    }

    /// ∂A and ∂B at given vectors (u₁, u₂, w).
    fn gradients(x: &[Vec3]) -> ([Vec3; 3], [Vec3; 3]) {
        ([Vec3::zeros(), x[2], x[1]], [x[2], Vec3::zeros(), x[0]])
    }

    /// B_m ∂A − A_m ∂B.
    fn across(&self) -> [Vec3; 3] {
        let (a, b) = self.mean_values();
        let (ga, gb) = Self::gradients(&self.mean);
        [0, 1, 2].map(|k| ga[k] * b - gb[k] * a)
    }

    fn slope(&self) -> Slope {
        let kappa = self.kappa();
        self.across().map(|v| v * kappa)
    }

    /// ∂S_a/∂x⁺_b = across_a ∂κ_bᵀ + ½κ (∂A_a ∂B⁺_bᵀ − ∂B_a ∂A⁺_bᵀ) + ½κ (B_m ∂²A − A_m ∂²B).
    fn curvature(&self, to: &[Vec3], scale: f64, out: &mut Blocks) {
        let kappa = self.kappa();
        let by_cosine = -1.0 / (self.sine * self.sine + self.cosine * self.cosine);
        let by_sine = self.kappa_by_sine();
        let ((am, bm), across) = (self.mean_values(), self.across());
        let ((ga, gb), (ea, eb)) = (Self::gradients(&self.mean), Self::gradients(to));
        let by_a = by_sine * self.b[0] + by_cosine * self.a[0];
        let by_b = by_cosine * self.b[0] - by_sine * self.a[0];
        let half = 0.5 * kappa;
        for a in 0..3 {
            for b in 0..3 {
                let left_a = across[a] * by_a - gb[a] * half;
                let left_b = across[a] * by_b + ga[a] * half;
                let mut block = left_a * ea[b].transpose() + left_b * eb[b].transpose();
                let linear = match (a, b) {
                    (0, 2) | (2, 0) => -am,
                    (1, 2) | (2, 1) => bm,
                    _ => 0.0,
                };
                block += Mat3::identity() * (half * linear);
                out.push(a, b, block * scale);
            }
        }
    }
}
