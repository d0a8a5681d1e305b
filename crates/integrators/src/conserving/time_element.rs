//! One finite element in time: polynomials over a step, α from 0 to 1 (energy-momentum-null-space I-17,
//! I-18).
//!
//! ```text
//! M_i                   orthonormal Legendre polynomials of degree i − 1, i = 1 … k: test functions, and the base of λ and ẇ
//! ẇ = Σ_j M_j a_j       w^h of degree k
//! z′/h = projection of w^h onto degree k − 1:   z = z₀ + h α w₀ + h² Σ_j ψ_j(α) a_j,   ψ_j′ = projection of ∫₀^α M_j
//! B_ij = ∫ M_i ψ_j′ dα
//! ```
//! Variables of networks have rates Σ_j M_j c_j and are y = y₀ + h Σ_j ι_j c_j, ι_j = ∫₀^α M_j, as w is.
//! Algebraic equations hold at the right k of the k + 1 Lobatto points. What is left of them between is
//! orthogonal to polynomials of degree k − 2, as the tests of the rest ask for, so that the order stays 2k.
//!
//! ψ_j solves the kinematics ∫ M_i (z′/h − w) dα = 0 once and for all. Inertia becomes ∫ M_i M ẇ dα = M a_i;
//! rows that are multiplied by B⁻¹/h² become G a_i to leading order. The step matrix is then that of one
//! instant, [M Gᵀ; G 0], k times over, up to terms that vanish with h: its condition number does not grow as
//! h shrinks.

use crate::runge_kutta::implicit::nodes::lobatto;
use poinsot_geometry::interpolation::Quadrature;
use poinsot_geometry::interpolation::legendre::legendre;
use poinsot_geometry::nalgebra::DMatrix;

/// The highest degree of Galerkin steps.
pub const MAX_GALERKIN_DEGREE: usize = 6;

pub(crate) type Polynomials = [f64; MAX_GALERKIN_DEGREE];

/// A place in the step with what the polynomials are there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Point {
    pub alpha: f64,
    pub weight: f64,
    /// M_i.
    pub base: Polynomials,
    /// ψ_j and ψ_j′.
    pub path: Polynomials,
    pub speed: Polynomials,
    /// ι_j.
    pub integral: Polynomials,
    /// (B⁻¹M)_i, and the same without the part of M₁; at a point of algebraic equations its column of the
    /// inverse of (ι_j at the points).
    pub rows: Polynomials,
    pub rows_without_mean: Polynomials,
}

#[derive(Clone, Debug)]
pub(crate) struct TimeElement {
    pub degree: usize,
    /// The Gauss rule with as many points as the degree.
    pub collocation: Vec<Point>,
    /// The Gauss rule for what needs more points.
    pub average: Vec<Point>,
    /// The points of algebraic equations, the last of which is the end. Speeds there are those of w.
    pub levels: Vec<Point>,
    pub middle: Point,
    pub end: Point,
    /// B⁻¹.
    inverse: [Polynomials; MAX_GALERKIN_DEGREE],
}

impl TimeElement {
    /// Of a degree from 1 to [`MAX_GALERKIN_DEGREE`].
    pub fn new(degree: usize, points: usize) -> Self {
        let inverse = inverse_of_integration(degree);
        let point = |alpha, weight| Point::new(degree, alpha, weight, &inverse);
        let rule = |n| unit_rule(n).map(|(alpha, weight)| point(alpha, weight)).collect();
        TimeElement {
            degree,
            collocation: rule(degree),
            average: rule(points),
            levels: level_points(degree, &point),
            middle: point(0.5, 1.0),
            end: point(1.0, 1.0),
            inverse,
        }
    }

    /// B⁻¹_i1: what the mean rate of a row, Φ⁺, contributes to its k equations.
    pub fn of_mean(&self, i: usize) -> f64 {
        self.inverse[i][0]
    }

    /// E with M_j(1 + ρα) = Σ_l E_lj M_l(α): carries a polynomial on into a next step that is ρ times as
    /// long.
    pub fn continuation(&self, ratio: f64) -> [Polynomials; MAX_GALERKIN_DEGREE] {
        let mut e = [[0.0; MAX_GALERKIN_DEGREE]; MAX_GALERKIN_DEGREE];
        for point in &self.collocation {
            let beyond = base(self.degree, 1.0 + ratio * point.alpha);
            for (row, m) in e.iter_mut().zip(&point.base) {
                row.iter_mut().zip(&beyond).for_each(|(e, b)| *e += point.weight * m * b);
            }
        }
        e
    }
}

impl Point {
    fn new(k: usize, alpha: f64, weight: f64, inverse: &[Polynomials; MAX_GALERKIN_DEGREE]) -> Self {
        let (path, speed, integral) = paths(k, alpha);
        let base = base(k, alpha);
        let product = |from: usize| {
            let mut product = [0.0; MAX_GALERKIN_DEGREE];
            for (p, row) in product.iter_mut().zip(inverse).take(k) {
                *p = (from..k).map(|l| row[l] * base[l]).sum();
            }
            product
        };
        let rows = product(0);
        Point { alpha, weight, base, path, speed, integral, rows, rows_without_mean: product(1) }
    }
}

/// Gauss points and weights on [0, 1].
fn unit_rule(n: usize) -> impl Iterator<Item = (f64, f64)> {
    let Quadrature { points, weights } = Quadrature::gauss_legendre(n);
    points.into_iter().zip(weights).map(|(x, w)| (0.5 + 0.5 * x, 0.5 * w))
}

/// P_0 … P_{k+1} of 2α − 1.
fn polynomials(alpha: f64) -> [f64; MAX_GALERKIN_DEGREE + 2] {
    std::array::from_fn(|n| legendre(n, 2.0 * alpha - 1.0))
}

/// M_i = √(2i − 1) P_{i−1}.
fn base(k: usize, alpha: f64) -> Polynomials {
    let p = polynomials(alpha);
    let mut m = [0.0; MAX_GALERKIN_DEGREE];
    (0..k).for_each(|n| m[n] = ((2 * n + 1) as f64).sqrt() * p[n]);
    m
}

/// ψ_j, ψ_j′ and ι_j, from ∫₀^α P_n = (P_{n+1} − P_{n−1})/(4n + 2), with P_{−1} = −1; the projection drops
/// P_k.
fn paths(k: usize, alpha: f64) -> (Polynomials, Polynomials, Polynomials) {
    let p = polynomials(alpha);
    let lower = |n: usize| if n == 0 { -1.0 } else { p[n - 1] };
    let integral = |n: usize| (p[n + 1] - lower(n)) / (4 * n + 2) as f64;
    let [mut path, mut speed, mut whole] = [[0.0; MAX_GALERKIN_DEGREE]; 3];
    for n in 0..k {
        let scale = ((2 * n + 1) as f64).sqrt() / (4 * n + 2) as f64;
        let (integral_below, sign) = if n == 0 { (alpha, -1.0) } else { (integral(n - 1), 1.0) };
        let (above, integral_above) = if n + 1 < k { (p[n + 1], integral(n + 1)) } else { (0.0, 0.0) };
        whole[n] = scale * (p[n + 1] - lower(n));
        speed[n] = scale * (above - lower(n));
        path[n] = scale * (integral_above - sign * integral_below);
    }
    (path, speed, whole)
}

/// The right k of the k + 1 Lobatto points.
fn level_points(k: usize, point: &dyn Fn(f64, f64) -> Point) -> Vec<Point> {
    let mut points: Vec<Point> = lobatto(k + 1)[1..].iter().map(|&alpha| point(alpha, 1.0)).collect();
    let integrals = DMatrix::from_fn(k, k, |r, j| points[r].integral[j]);
    let inverse = integrals.try_inverse().expect("as many points as polynomials that vanish at the start");
    for (r, point) in points.iter_mut().enumerate() {
        point.speed = point.integral;
        (0..k).for_each(|i| point.rows[i] = inverse[(i, r)]);
    }
    points
}

/// B⁻¹.
fn inverse_of_integration(k: usize) -> [Polynomials; MAX_GALERKIN_DEGREE] {
    let mut b = DMatrix::zeros(k, k);
    for (alpha, weight) in unit_rule(k) {
        let (m, (_, speed, _)) = (base(k, alpha), paths(k, alpha));
        for i in 0..k {
            (0..k).for_each(|j| b[(i, j)] += weight * m[i] * speed[j]);
        }
    }
    let inverse = b.try_inverse().expect("½ in a corner and skew elsewhere");
    let mut out = [[0.0; MAX_GALERKIN_DEGREE]; MAX_GALERKIN_DEGREE];
    for i in 0..k {
        (0..k).for_each(|j| out[i][j] = inverse[(i, j)]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// ∫ M_i M_j, ∫ M_i (ψ_j′ − ∫₀ M_j) and ψ_j(α) − ∫₀ ψ_j′ vanish.
    #[test]
    fn solves_the_kinematics() {
        for k in 1..=MAX_GALERKIN_DEGREE {
            for i in 0..k {
                for j in 0..k {
                    let (mut product, mut weak) = (0.0, 0.0);
                    for (alpha, weight) in unit_rule(k + 1) {
                        let (m, (_, speed, _)) = (base(k, alpha), paths(k, alpha));
                        let inner = unit_rule(k).map(|(x, w)| w * alpha * base(k, x * alpha)[j]);
                        product += weight * m[i] * m[j];
                        weak += weight * m[i] * (speed[j] - inner.sum::<f64>());
                    }
                    let unit = f64::from(u8::from(i == j));
                    assert!((product - unit).abs() < 1e-13 && weak.abs() < 1e-14, "{k} {i} {j}");
                }
                let inner = unit_rule(k).map(|(x, w)| w * 0.7 * paths(k, x * 0.7).1[i]);
                assert!((paths(k, 0.7).0[i] - inner.sum::<f64>()).abs() < 1e-15, "{k} {i}");
            }
        }
    }

    /// z₁ = z₀ + h w₀ + ½h² a of degree one; B = [½, −1/√12; 1/√12, 0] of degree two.
    #[test]
    fn knows_the_lowest_degrees() {
        let one = TimeElement::new(1, 1);
        assert_eq!((one.end.path[0], one.end.speed[0], one.of_mean(0)), (0.5, 0.5, 2.0));
        let two = TimeElement::new(2, 2);
        let root = 12f64.sqrt();
        for (found, exact) in two.inverse.as_flattened().iter().zip([0.0, root]) {
            assert!((found - exact).abs() < 1e-13);
        }
        assert!((two.inverse[1][0] + root).abs() < 1e-13 && (two.inverse[1][1] - 6.0).abs() < 1e-13);
    }

    #[test]
    fn continues_polynomials() {
        let element = TimeElement::new(3, 3);
        let e = element.continuation(0.6);
        let (here, there) = (base(3, 0.3), base(3, 1.0 + 0.6 * 0.3));
        for j in 0..3 {
            let carried: f64 = (0..3).map(|l| e[l][j] * here[l]).sum();
            assert!((carried - there[j]).abs() < 1e-13);
        }
    }
}
