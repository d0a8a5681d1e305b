//! Arithmetic of divided differences: numbers that know their values at both ends of a step, a discrete
//! gradient between them and how that changes with the end.
//!
//! For a function q(I) of a few arguments every number keeps D with
//!
//! ```text
//! Σ_m D_m (I⁺_m − I_m) = q⁺ − q       exactly, with D symmetric in both ends
//! ```
//! The rules follow from Δ(u v) = ū Δv + v̄ Δu with means ū, v̄:
//!
//! ```text
//! q = u v    D_q = ū D_v + v̄ D_u
//! q = u/v    D_q = (D_u − q̄ D_v)/v̄
//! q = √u     D_q = D_u/(q + q⁺)
//! ```
//! Nothing is divided by a difference, so nothing cancels where the ends come close. With both ends in one
//! place D is the gradient, and since it is symmetric ∂D/∂I⁺ is half of the second derivative there: the same
//! code gives forces and tangents of ordinary steps and of conserving ones (energy-momentum-null-space I-13).

use std::ops::{Add, Div, Mul, Neg, Sub};

/// A number between two ends as a function of M arguments; without `SECOND` it knows no ∂D/∂I⁺.
#[derive(Clone, Copy, Debug)]
pub(super) struct Divided<const M: usize, const SECOND: bool> {
    /// q.
    pub from: f64,
    /// q⁺.
    pub to: f64,
    /// D_m.
    pub slope: [f64; M],
    /// ∂q⁺/∂I⁺_m.
    pub end: [f64; M],
    /// ∂D_m/∂I⁺_n.
    pub bend: [[f64; M]; M],
}

impl<const M: usize, const SECOND: bool> Divided<M, SECOND> {
    fn constant(from: f64, to: f64) -> Self {
        Divided { from, to, slope: [0.0; M], end: [0.0; M], bend: [[0.0; M]; M] }
    }

    /// The arguments themselves.
    pub fn arguments(from: &[f64], to: &[f64]) -> [Self; M] {
        std::array::from_fn(|m| {
            let mut q = Self::constant(from[m], to[m]);
            q.slope[m] = 1.0;
            q.end[m] = 1.0;
            q
        })
    }

    fn mean(&self) -> f64 {
        0.5 * (self.from + self.to)
    }

    /// The combination a u + b v of all that is linear in slopes, with the values given.
    fn blend(from: f64, to: f64, [a, b]: [f64; 2], u: &Self, v: &Self) -> Self {
        let mut q = Self::constant(from, to);
        for m in 0..M {
            q.slope[m] = a * u.slope[m] + b * v.slope[m];
            if SECOND {
                for n in 0..M {
                    q.bend[m][n] = a * u.bend[m][n] + b * v.bend[m][n];
                }
            }
        }
        q
    }

    /// Adds s left ⊗ right to ∂D/∂I⁺.
    fn bend_by(&mut self, s: f64, left: &[f64; M], right: &[f64; M]) {
        if SECOND {
            for (row, l) in self.bend.iter_mut().zip(left) {
                row.iter_mut().zip(right).for_each(|(h, r)| *h += s * l * r);
            }
        }
    }

    /// √q.
    pub fn sqrt(self) -> Self {
        let (from, to) = (self.from.sqrt(), self.to.sqrt());
        let factor = 1.0 / (from + to);
        let mut root = Self::blend(from, to, [factor, 0.0], &self, &self);
        root.end = self.end.map(|g| 0.5 * g / to);
        let (slope, end) = (root.slope, root.end);
        root.bend_by(-factor, &slope, &end);
        root
    }
}

impl<const M: usize, const SECOND: bool> Add for Divided<M, SECOND> {
    type Output = Self;
    fn add(self, v: Self) -> Self {
        let mut q = Self::blend(self.from + v.from, self.to + v.to, [1.0, 1.0], &self, &v);
        q.end = std::array::from_fn(|m| self.end[m] + v.end[m]);
        q
    }
}

impl<const M: usize, const SECOND: bool> Sub for Divided<M, SECOND> {
    type Output = Self;
    fn sub(self, v: Self) -> Self {
        let mut q = Self::blend(self.from - v.from, self.to - v.to, [1.0, -1.0], &self, &v);
        q.end = std::array::from_fn(|m| self.end[m] - v.end[m]);
        q
    }
}

impl<const M: usize, const SECOND: bool> Neg for Divided<M, SECOND> {
    type Output = Self;
    fn neg(self) -> Self {
        self * -1.0
    }
}

impl<const M: usize, const SECOND: bool> Mul<f64> for Divided<M, SECOND> {
    type Output = Self;
    fn mul(self, s: f64) -> Self {
        let mut q = Self::blend(s * self.from, s * self.to, [s, 0.0], &self, &self);
        q.end = self.end.map(|g| s * g);
        q
    }
}

impl<const M: usize, const SECOND: bool> Mul for Divided<M, SECOND> {
    type Output = Self;
    fn mul(self, v: Self) -> Self {
        let (u, means) = (self, [self.mean(), v.mean()]);
        let mut q = Self::blend(u.from * v.from, u.to * v.to, [means[1], means[0]], &u, &v);
        q.end = std::array::from_fn(|m| u.to * v.end[m] + v.to * u.end[m]);
        q.bend_by(0.5, &v.slope, &u.end);
        q.bend_by(0.5, &u.slope, &v.end);
        q
    }
}

impl<const M: usize, const SECOND: bool> Div for Divided<M, SECOND> {
    type Output = Self;
    fn div(self, v: Self) -> Self {
        let (from, to) = (self.from / v.from, self.to / v.to);
        let (mean, factor) = (0.5 * (from + to), 1.0 / v.mean());
        let mut q = Self::blend(from, to, [factor, -mean * factor], &self, &v);
        q.end = std::array::from_fn(|m| (self.end[m] - to * v.end[m]) / v.to);
        let (slope, end) = (q.slope, q.end);
        q.bend_by(-0.5 * factor, &v.slope, &end);
        q.bend_by(-0.5 * factor, &slope, &v.end);
        q
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    type Number = Divided<3, true>;

    fn formula([x, y, z]: [Number; 3]) -> Number {
        (x * y - z).sqrt() / (x + y * z) - (-(x * 3.0)) * z
    }

    /// The slope is an exact discrete gradient, symmetric in both ends; the rest is its derivative.
    #[test]
    fn slopes_are_discrete_gradients() {
        let (from, to) = ([1.3, 2.1, 0.4], [1.7, 1.9, 0.9]);
        let q = formula(Number::arguments(&from, &to));
        let step: f64 = (0..3).map(|m| q.slope[m] * (to[m] - from[m])).sum();
        assert!((step - (q.to - q.from)).abs() < 1e-14);
        let back = formula(Number::arguments(&to, &from));
        assert!((0..3).all(|m| (back.slope[m] - q.slope[m]).abs() < 1e-14));
        let e = 1e-6;
        for n in 0..3 {
            let moved = |sign: f64| {
                let mut end = to;
                end[n] += sign * e;
                formula(Number::arguments(&from, &end))
            };
            let (plus, minus) = (moved(1.0), moved(-1.0));
            assert!(((plus.to - minus.to) / (2.0 * e) - q.end[n]).abs() < 1e-8);
            for m in 0..3 {
                let wanted = (plus.slope[m] - minus.slope[m]) / (2.0 * e);
                assert!((wanted - q.bend[m][n]).abs() < 1e-8, "{m} {n}: {wanted} {}", q.bend[m][n]);
            }
        }
    }
}
