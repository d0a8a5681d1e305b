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

use poinsot_geometry::interpolation::Metric;
use poinsot_geometry::motion_parameters::Generator;
use poinsot_geometry::nalgebra::{SMatrix, SVector};
use poinsot_geometry::{Mat3, Vec3, Vec6, so3};

/// Twelve numbers for M (row by row) and t.
pub(super) type Vec12 = SVector<f64, 12>;
pub(super) type Mat12 = SMatrix<f64, 12, 12>;
pub(super) type Mat6x12 = SMatrix<f64, 6, 12>;

/// Where t starts among the invariants.
const T: usize = 9;

/// g and its first three derivatives by c.
pub(super) fn factor(metric: Metric, c: f64) -> [f64; 4] {
    let y = 1.0 + c;
    match metric {
        Metric::Matrix | Metric::Vector(Generator::EulerRodrigues) => [1.0, 0.0, 0.0, 0.0],
        Metric::Quaternion | Metric::Vector(Generator::QuarterSine) => {
            power(std::f64::consts::SQRT_2, -0.5, y)
        }
        Metric::Geodesic | Metric::Vector(Generator::Cartesian) => angle_quotient(c),
        Metric::Vector(Generator::Linear) => [c, 1.0, 0.0, 0.0],
        Metric::Vector(Generator::CayleyGibbs) => power(4.0, -2.0, y),
        Metric::Vector(Generator::WienerMilenkovic) => wiener_milenkovic(y),
    }
}

/// a yⁿ and its first three derivatives.
fn power(a: f64, n: f64, y: f64) -> [f64; 4] {
    let value = a * y.powf(n);
    let first = value * n / y;
    let second = first * (n - 1.0) / y;
    [value, first, second, second * (n - 2.0) / y]
}

/// 4/(η(1 + η)²) = 4(1/η − 1/q − 1/q²) with q = 1 + η, by y = 2η².
fn wiener_milenkovic(y: f64) -> [f64; 4] {
    let [eta, e1, e2, e3] = power(std::f64::consts::FRAC_1_SQRT_2, 0.5, y);
    let (u, v) = (1.0 / eta, 1.0 / (1.0 + eta));
    let f0 = 4.0 * (u - v - v * v);
    let f1 = 4.0 * (-u * u + v.powi(2) + 2.0 * v.powi(3));
    let f2 = 4.0 * (2.0 * u.powi(3) - 2.0 * v.powi(3) - 6.0 * v.powi(4));
    let f3 = 4.0 * (-6.0 * u.powi(4) + 6.0 * v.powi(4) + 24.0 * v.powi(5));
    [f0, f1 * e1, f2 * e1 * e1 + f1 * e2, f3 * e1.powi(3) + 3.0 * f2 * e1 * e2 + f1 * e3]
}

/// φ/sin φ = arccos c/√(1 − c²) and its first three derivatives.
///
/// ```text
/// (1 − c²) g′ = c g − 1,   (1 − c²) g⁽ᵐ⁺¹⁾ = (2m + 1) c g⁽ᵐ⁾ + m² g⁽ᵐ⁻¹⁾
/// g = Σ_k k!/(3/2)_k x^k,   x = ½(1 − c)
/// ```
/// The recurrence cancels as c → 1, where the series is used.
fn angle_quotient(c: f64) -> [f64; 4] {
    let x = 0.5 * (1.0 - c);
    if x >= 0.15 {
        let sine2 = 1.0 - c * c;
        let g0 = c.acos() / sine2.sqrt();
        let g1 = (c * g0 - 1.0) / sine2;
        let g2 = (3.0 * c * g1 + g0) / sine2;
        return [g0, g1, g2, (5.0 * c * g2 + 4.0 * g1) / sine2];
    }
    const TERMS: usize = 26;
    // k!/(3/2)_k from the ratio k/(k + 1/2).
    const COEFFICIENTS: [f64; TERMS] = {
        let mut a = [1.0; TERMS];
        let mut k = 1;
        while k < TERMS {
            a[k] = a[k - 1] * k as f64 / (k as f64 + 0.5);
            k += 1;
        }
        a
    };
    // As many terms as the third derivative needs: k³ xᵏ⁻³ falls below round-off.
    let terms = if x < 1e-3 {
        9
    } else if x < 0.015 {
        13
    } else {
        TERMS
    };
    let mut d = [0.0; 4];
    for a in COEFFICIENTS[..terms].iter().rev() {
        d[3] = d[3] * x + 3.0 * d[2];
        d[2] = d[2] * x + 2.0 * d[1];
        d[1] = d[1] * x + d[0];
        d[0] = d[0] * x + a;
    }
    // d/dc = −½ d/dx.
    [d[0], -0.5 * d[1], 0.25 * d[2], -0.125 * d[3]]
}

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
fn stacked(linear: &Vec3, angular: &Vec3) -> Vec6 {
    Vec6::new(linear.x, linear.y, linear.z, angular.x, angular.y, angular.z)
}

/// A vector of M and t parts.
fn joined(m: &Mat3, t: &Vec3) -> Vec12 {
    Vec12::from_fn(|p, _| if p < T { m[(p / 3, p % 3)] } else { t[p - T] })
}

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
pub(super) struct Secant {
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
