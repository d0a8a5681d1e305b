//! Parameter of the relative motion of two nodes as a function of products of their vectors, and its exact
//! difference over a step.
//!
//! ```text
//! M_il = d_i^j·d_l^k,   t_i = d_i^j·(r_k − r_j)                                   the invariants π of nodes j and k
//! a = axial M,   c = ½(tr M − 1),   b = axial(t̃M) = ½(tr M t − M t),   γ = t·a
//! s = g(c) a,   s° = g b − g′ γ a                           motion-interpolation-galerkin §1.5, §1.10
//! ```
//! For orthonormal axes c is the cosine of the angle between the nodes, and s, s° are the primal and dual
//! parts of the parameter that belongs to a metric, whose g is
//!
//! | metric | matrix | quaternion | geodesic | sin φ | 2 tan φ/2 | 4 tan φ/4 |
//! |---|---|---|---|---|---|---|
//! | g | 1 | 1/η | φ/sin φ | c | 1/η⁴ | 4/(η(1 + η)²) |
//!
//! with η = cos φ/2 = √½(1 + c). Written in this way the parameter has no branches, is defined for axes that
//! are not quite orthonormal, as iterates and means are, and its derivatives are exact there too.
//!
//! π is quadratic in the vectors, so Δπ = ∂π(x̄) Δx. All else is products of polynomials in π and functions
//! of c alone; by the product rule of differences, with means and divided differences g[c, c⁺] = Δg/Δc,
//!
//! ```text
//! Δs  = ḡ Δa + g[c, c⁺] Δc ā
//! Δs° = ḡ Δb + g[c, c⁺] Δc b̄ − ḡ′ (γ̄ Δa + Δγ ā) − g′[c, c⁺] Δc mean(γa)
//! Δb = ½(tr M̄ Δt + Δtr M t̄ − M̄ Δt − ΔM t̄),   Δγ = t̄·Δa + ā·Δt
//! ```
//! exactly: Δs = D Δπ with a matrix D that is the gradient where the step has no length.

mod factor;
mod secant;

pub(crate) use secant::Secant;

use factor::factor;
use poinsot_geometry::interpolation::Metric;
use poinsot_geometry::nalgebra::{SMatrix, SVector};
use poinsot_geometry::{Mat3, Vec3, Vec6, so3};

/// Twelve numbers for M (row by row) and t.
pub(super) type Vec12 = SVector<f64, 12>;

pub(super) type Mat12 = SMatrix<f64, 12, 12>;

pub(super) type Mat6x12 = SMatrix<f64, 6, 12>;

/// Where t starts among the invariants.
pub(super) const T: usize = 9;

/// What the parameter is made of, at one place.
#[derive(Clone, Copy, Debug)]
pub(super) struct Invariants {
    m: Mat3,
    t: Vec3,
    a: Vec3,
    b: Vec3,
    c: f64,
    gamma: f64,
}

impl Invariants {
    /// Of node k seen from node j; each has r, d₁, d₂, d₃.
    pub fn new(j: &[Vec3], k: &[Vec3]) -> Self {
        let m = Mat3::from_fn(|i, l| j[1 + i].dot(&k[1 + l]));
        let along = k[0] - j[0];
        let t = Vec3::from_fn(|i, _| j[1 + i].dot(&along));
        let a = so3::axial(&m);
        let b = (t * m.trace() - m * t) * 0.5;
        Invariants { m, t, a, b, c: 0.5 * (m.trace() - 1.0), gamma: t.dot(&a) }
    }

    /// {s°; s}.
    pub fn parameter(&self, metric: Metric) -> Vec6 {
        let [g, g1, ..] = factor(metric, self.c);
        stacked(&(self.b * g - self.a * (g1 * self.gamma)), &(self.a * g))
    }

    /// Cosine of half the angle between the nodes.
    pub fn half_cosine(&self) -> f64 {
        (0.5 * (1.0 + self.c)).max(0.0).sqrt()
    }
}

/// Two three-vectors, linear part first.
pub(super) fn stacked(linear: &Vec3, angular: &Vec3) -> Vec6 {
    Vec6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
}

/// A vector of M and t parts.
pub(super) fn joined(m: &Mat3, t: &Vec3) -> Vec12 {
    Vec12::from_fn(|p, _| if p < T { m[(p / 3, p % 3)] } else { t[p - T] })
}

/// One entry of ∂π/∂x: ∂π_p/∂x_v = y, with v counting r, d₁, d₂, d₃ of node j and then those of node k.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    pub p: usize,
    pub v: usize,
    pub y: Vec3,
}

/// Vectors of a pair of nodes.
pub(super) const PAIR: usize = 8;

/// ∂π/∂x, linear in x.
pub(super) fn entries(j: &[Vec3], k: &[Vec3]) -> [Entry; 27] {
    let along = k[0] - j[0];
    std::array::from_fn(|n| {
        let i = n / 9;
        match n % 9 {
            l @ 0..3 => Entry { p: 3 * i + l, v: 1 + i, y: k[1 + l] },
            l @ 3..6 => Entry { p: 3 * i + l - 3, v: 5 + l - 3, y: j[1 + i] },
            6 => Entry { p: T + i, v: 1 + i, y: along },
            7 => Entry { p: T + i, v: 4, y: j[1 + i] },
            _ => Entry { p: T + i, v: 0, y: -j[1 + i] },
        }
    })
}

/// ∂π/∂x v for vectors v of the pair.
pub(super) fn invariant_change(entries: &[Entry], v: impl Fn(usize) -> Vec3) -> Vec12 {
    let mut change = Vec12::zeros();
    entries.iter().for_each(|e| change[e.p] += e.y.dot(&v(e.v)));
    change
}

/// Σ_p φ_p ∂²π_p: calls `add(v, w, factor)` for each block factor·1 and its transpose.
pub(super) fn invariant_curvature(phi: &Vec12, mut add: impl FnMut(usize, usize, f64)) {
    let mut pair = |v: usize, w: usize, factor: f64| {
        add(v, w, factor);
        add(w, v, factor);
    };
    for i in 0..3 {
        for l in 0..3 {
            pair(1 + i, 5 + l, phi[3 * i + l]);
        }
        pair(1 + i, 4, phi[T + i]);
        pair(1 + i, 0, -phi[T + i]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use poinsot_geometry::motion_parameters::Generator;
    use poinsot_geometry::se3::{Pose, log};

    const METRICS: [Metric; 6] = [
        Metric::Matrix,
        Metric::Quaternion,
        Metric::Geodesic,
        Metric::Vector(Generator::Linear),
        Metric::Vector(Generator::CayleyGibbs),
        Metric::Vector(Generator::WienerMilenkovic),
    ];

    fn vectors(r: [f64; 3], turn: [f64; 3]) -> [Vec3; 4] {
        let rot = so3::exp(&turn.into());
        [r.into(), rot.column(0).into(), rot.column(1).into(), rot.column(2).into()]
    }

    fn pose(x: &[Vec3; 4]) -> Pose {
        Pose::new(x[0], Mat3::from_columns(&x[1..]))
    }

    /// The parameter is p′p n in dual numbers, of the relative motion.
    #[test]
    fn parameters_are_those_of_the_relative_motion() {
        let (x, y) =
            (vectors([0.1, -0.4, 0.7], [0.3, -0.2, 0.9]), vectors([1.1, 0.3, 0.2], [-0.5, 0.8, 0.1]));
        let place = Invariants::new(&x, &y);
        let relative = pose(&x).relative(&pose(&y));
        let geodesic = place.parameter(Metric::Geodesic);
        assert!((geodesic - log(&relative)).amax() < 1e-14, "{geodesic}");
        for (metric, generator) in [
            (Metric::Matrix, Generator::Linear),
            (Metric::Quaternion, Generator::EulerRodrigues),
            (Metric::Geodesic, Generator::Cartesian),
        ] {
            let p = generator.parameter(&relative).unwrap();
            let s = place.parameter(metric);
            assert!((s - stacked(&p.du, &p.re)).amax() < 1e-14, "{metric:?}");
        }
        // The others through their length along the axis: p′p of the angle, and its derivative times the
        // shift along it.
        let screw = log(&relative);
        let n = screw.fixed_rows::<3>(3).normalize();
        let angle = screw.fixed_rows::<3>(3).norm();
        for generator in [Generator::Linear, Generator::CayleyGibbs, Generator::WienerMilenkovic] {
            let s = place.parameter(Metric::Vector(generator));
            let size = |phi: f64| generator.value(phi) * generator.slope(phi);
            assert!((s.fixed_rows::<3>(3) - n * size(angle)).amax() < 1e-14, "{generator:?}");
            let shift = n.dot(&screw.fixed_rows::<3>(0)) * (size(angle + 1e-5) - size(angle - 1e-5)) / 2e-5;
            assert!((n.dot(&s.fixed_rows::<3>(0)) - shift).abs() < 1e-9, "{generator:?}");
        }
    }

    /// Every derivative is the difference of the one before, on both sides of the switch to the series.
    #[test]
    fn derivatives_of_the_factors() {
        for metric in METRICS {
            for c in [-0.5, 0.1, 0.69, 0.71, 0.95, 1.0, 1.02] {
                let h = 1e-4;
                let (plus, minus, exact) = (factor(metric, c + h), factor(metric, c - h), factor(metric, c));
                for m in 0..3 {
                    let slope = (plus[m] - minus[m]) / (2.0 * h);
                    assert!(
                        (slope - exact[m + 1]).abs() < 2e-4 * (1.0 + exact[m + 1].abs()),
                        "{metric:?} {c} {m}"
                    );
                }
            }
            let jump = 1e-13;
            let (a, b) = (factor(metric, 0.7 - jump), factor(metric, 0.7 + jump));
            a.iter().zip(b).for_each(|(a, b)| assert!((a - b).abs() < 1e-11 * (1.0 + b.abs()), "{metric:?}"));
        }
    }

    /// Δs = D Δπ to round-off, for short and long steps, and ∂(Dᵀσ)/∂π⁺ against differences.
    #[test]
    fn differences_are_exact() {
        let (x, y) =
            (vectors([0.1, -0.4, 0.7], [0.3, -0.2, 0.9]), vectors([1.1, 0.3, 0.2], [-0.5, 0.8, 0.1]));
        let load = Vec6::new(0.3, -0.7, 1.1, 0.9, 0.4, -0.6);
        for metric in METRICS {
            for step in [1e-9, 1e-3, 0.1, 1.0] {
                let move_by = |x: &[Vec3; 4], r: [f64; 3], turn: [f64; 3]| {
                    let rot = so3::exp(&(Vec3::from(turn) * step));
                    [x[0] + Vec3::from(r) * step, rot * x[1], rot * x[2], rot * x[3]]
                };
                let to = [
                    move_by(&x, [0.2, 0.5, 0.1], [0.4, 0.3, -0.2]),
                    move_by(&y, [-0.3, 0.2, 0.4], [0.1, -0.5, 0.2]),
                ];
                let mean = [0, 1].map(|n| {
                    let (from, to) = ([&x, &y][n], &to[n]);
                    std::array::from_fn::<Vec3, 4, _>(|v| (from[v] + to[v]) * 0.5)
                });
                let (from, end) = (Invariants::new(&x, &y), Invariants::new(&to[0], &to[1]));
                let change = |v: usize| if v < 4 { to[0][v] - x[v] } else { to[1][v - 4] - y[v - 4] };
                let dpi = invariant_change(&entries(&mean[0], &mean[1]), change);
                let secant = Secant::new(metric, &from, &end);
                let (by_matrix, rise) = (secant.along(&dpi), end.parameter(metric) - from.parameter(metric));
                assert!((by_matrix - rise).amax() < 2e-14, "{metric:?} {step}: {}", by_matrix - rise);
                assert!((secant.matrix() * dpi - by_matrix).amax() < 1e-14);
                let h = 1e-6;
                let exact = secant.derivative(&load);
                for q in 0..12 {
                    let at = |shift: f64| {
                        let mut moved = (end.m, end.t);
                        if q < T {
                            moved.0[(q / 3, q % 3)] += shift
                        } else {
                            moved.1[q - T] += shift
                        }
                        let (m, t) = moved;
                        let a = so3::axial(&m);
                        let b = (t * m.trace() - m * t) * 0.5;
                        let end = Invariants { m, t, a, b, c: 0.5 * (m.trace() - 1.0), gamma: t.dot(&a) };
                        Secant::new(metric, &from, &end).gradient(&load)
                    };
                    let slope = (at(h) - at(-h)) / (2.0 * h);
                    assert!(
                        (slope - exact.column(q)).amax() < 1e-7,
                        "{metric:?} {step} {q}: {}",
                        slope - exact.column(q)
                    );
                }
            }
        }
    }
}
