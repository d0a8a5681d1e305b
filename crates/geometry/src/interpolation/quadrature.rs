//! Quadrature rules on [−1, 1] whose points also serve as nodes (motion-interpolation-galerkin §1.22, V17).
//!
//! | rule, n points | points | weights | exact to degree |
//! |---|---|---|---|
//! | Gauss–Legendre | zeros of `P_n` | `2/((1 − x²) P_n'²)` | 2n − 1 |
//! | Gauss–Radau, left | zeros of `P_n + P_{n−1}` (holds −1) | `(1 − x)/(n² P_{n−1}²)` or `1/((1 − x) P_{n−1}'²)` | 2n − 2 |
//! | Gauss–Lobatto | ±1 and zeros of `P_{n−1}'` | `2/(n (n−1) P_{n−1}²)` | 2n − 3 |

use super::legendre::{left_radau, legendre, legendre_pair, legendre_slope};
use std::f64::consts::PI;

/// Points in ascending order, with weights: `∫₋₁¹ f dx ≈ Σ w_i f(x_i)`.
#[derive(Debug, Clone, PartialEq)]
pub struct Quadrature {
    /// Points `x_i`.
    pub points: Vec<f64>,
    /// Weights `w_i`.
    pub weights: Vec<f64>,
}

impl Quadrature {
    /// Gauss–Legendre rule of `n` points.
    pub fn gauss_legendre(n: usize) -> Self {
        let degree = n as f64;
        // Inside the interval (x² − 1) P_n' = n (x P_n − P_{n−1}).
        let with_slope = |x: f64| {
            let (p, before) = legendre_pair(n, x);
            (p, degree * (x * p - before) / (x * x - 1.0))
        };
        let step = |x: f64| {
            let (p, slope) = with_slope(x);
            p / slope
        };
        let points = symmetric(n, |i| newton(-(PI * (i as f64 + 0.75) / (degree + 0.5)).cos(), step));
        let weight = |x: f64| {
            let slope = with_slope(x).1;
            2.0 / ((1.0 - x * x) * slope * slope)
        };
        Self::weighted(points, weight)
    }

    /// Gauss–Lobatto rule of `n` points, both ends among them; at least two points.
    pub fn gauss_lobatto(n: usize) -> Self {
        let n = n.max(2);
        let (order, degree) = (n - 1, (n - 1) as f64);
        // (1 − x²) P_N' = N (P_{N−1} − x P_N) has all points as zeros and the slope −N (N+1) P_N.
        let step = |x: f64| {
            let (p, before) = legendre_pair(order, x);
            (x * p - before) / ((degree + 1.0) * p)
        };
        let points =
            symmetric(n, |i| if i == 0 { -1.0 } else { newton(-(PI * i as f64 / degree).cos(), step) });
        let weight = |x: f64| 2.0 / (degree * (degree + 1.0) * legendre(order, x).powi(2));
        Self::weighted(points, weight)
    }

    /// Gauss–Radau rule of `n` points, at least one, with a point at −1.
    pub fn gauss_radau_left(n: usize) -> Self {
        let n = n.max(1);
        let step = |x: f64| {
            let (value, slope) = left_radau(n, x);
            value / slope
        };
        let start = |i: usize| -(2.0 * PI * i as f64 / (2 * n - 1) as f64).cos();
        let points = (0..n).map(|i| if i == 0 { -1.0 } else { newton(start(i), step) }).collect();
        // Two equal forms, each used where rounding of the point matters less.
        let weight = |x: f64| {
            if x < 0.0 {
                (1.0 - x) / (n as f64 * legendre(n - 1, x)).powi(2)
            } else {
                1.0 / ((1.0 - x) * legendre_slope(n - 1, x).powi(2))
            }
        };
        Self::weighted(points, weight)
    }

    /// Gauss–Radau rule of `n` points, at least one, with a point at +1.
    pub fn gauss_radau_right(n: usize) -> Self {
        let mut rule = Self::gauss_radau_left(n);
        rule.points.iter_mut().for_each(|x| *x = -*x);
        rule.points.reverse();
        rule.weights.reverse();
        rule
    }

    /// `Σ w_i f(x_i)`.
    pub fn integrate(&self, f: impl Fn(f64) -> f64) -> f64 {
        self.points.iter().zip(&self.weights).map(|(x, w)| w * f(*x)).sum()
    }

    fn weighted(points: Vec<f64>, weight: impl Fn(f64) -> f64) -> Self {
        let weights = points.iter().map(|x| weight(*x)).collect();
        Self { points, weights }
    }
}

/// Newton's iteration from a start that is good to `O(n⁻²)` or better; `step` is value over slope.
fn newton(start: f64, step: impl Fn(f64) -> f64) -> f64 {
    let mut x = start;
    for _ in 0..30 {
        let change = step(x);
        x -= change;
        if change.abs() <= 2e-16 {
            break;
        }
    }
    x
}

/// `n` ascending points that lie symmetrically about 0, from those below it.
fn symmetric(n: usize, lower: impl Fn(usize) -> f64) -> Vec<f64> {
    let mut points = vec![0.0; n];
    for i in 0..n / 2 {
        points[i] = lower(i);
        points[n - 1 - i] = -points[i];
    }
    points
}
