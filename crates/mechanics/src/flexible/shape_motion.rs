//! Inertia forces of a flexible body in the axes of its floating frame, with exact derivatives.
//!
//! The kinetic energy, with v = Aᵀṙ and ω in body axes, is
//!
//! ```text
//! T = ½ m v² + v·(ω × s) + v·ṡ + ½ ω·Jω + ω·Σ_k h_k q̇_k + ½ Σ_kl m_kl q̇_k q̇_l
//! s = I₁ + S̄_k q_k + ½ ḡ_kl q_k q_l,   J = J₀ + J_k q_k + J_kl q_k q_l,   h_k = h_k0 + h_kl q_l
//! ```
//! with ∂s/∂q_k = σ_k. With γ = Aᵀ(r̈ − g) and α = ω̇ the inertia forces less weight follow as
//!
//! ```text
//! f   = mγ + α × s + ω × (ω × s) + 2 ω × ṡ + s̈                                      body axes, on r
//! τ   = s × γ + Jα + ω × Jω + J̇ω + h_k q̈_k + h_kl q̇_k q̇_l + ω × h_k q̇_k            body axes, on the rotation
//! f_k = σ_k·γ + h_k·α − ½ ω·(∂J/∂q_k) ω + ω·(h_kl − h_lk) q̇_l + m_kl q̈_l          on q_k
//! ```
//! (floating-frame-and-ancf §1.9.1, §1.12: S̄_t = s, Ī_θθ = J, the columns of Ī_θf are h_k, m_ff = m_kl.)
//! With geometric stiffness a point moves by ½ H_kl q_k q_l besides, H_kl = ∂²x/∂q_k∂q_l: what bends becomes
//! shorter. Of T the terms are kept that are of second order in q, or linear in it with a rate:
//!
//! ```text
//! ḡ_kl = ∫ρ H_kl,   D_kl = ∫ρ H_kl Xᵀ:      J_kl + tr(D) 1 − ½ (D + Dᵀ),   h_kl + ∫ρ X × H_kl
//! ```
//! On q_k they make the force −(γ·ḡ_kl + W : D_kl) q_l, W = α̃ + ω̃ω̃. That is the stiffness of the stress
//! which the loads −ρ(γ + W X) cause, so that ḡ and D are found from stresses, and H itself is not needed.

use poinsot_flexible::InertiaIntegrals;
use poinsot_flexible::reduction::GeometricStiffness;
use poinsot_geometry::{Mat3, Vec3, so3};

/// The polynomials s, J and h_k, and m_kl.
#[derive(Clone, Debug)]
pub(super) struct ShapeInertia {
    pub mass: f64,
    s0: Vec3,
    s1: Vec<Vec3>,
    /// ḡ_kl, empty without geometric stiffness.
    s2: Vec<Vec3>,
    j0: Mat3,
    j1: Vec<Mat3>,
    j2: Vec<Mat3>,
    h0: Vec<Vec3>,
    h1: Vec<Vec3>,
    m: Vec<f64>,
    /// The shapes act back on nothing: f and τ are those of q = 0, and f_k has of q no more than m_kl q̈_l.
    one_way: bool,
}

/// Motion of the frame in its own axes: γ, α and ω.
#[derive(Clone, Copy, Debug)]
pub(super) struct BodyMotion {
    pub gamma: Vec3,
    pub alpha: Vec3,
    pub omega: Vec3,
}

/// The coefficients at the numbers q of an instant, and what they make with q̇ and q̈.
#[derive(Clone, Debug, Default)]
pub(crate) struct ShapeMotion {
    pub q: Vec<f64>,
    pub qd: Vec<f64>,
    pub qdd: Vec<f64>,
    /// σ_k.
    sigma: Vec<Vec3>,
    /// h_k.
    h: Vec<Vec3>,
    /// ∂J/∂q_k.
    j_slope: Vec<Mat3>,
    s: Vec3,
    s_rate: Vec3,
    s_second: Vec3,
    j: Mat3,
    j_rate: Mat3,
    /// Σ h_k q̇_k.
    spin: Vec3,
}

/// ρ∫ a × b of the matrix ρ∫ b aᵀ: what is left of it when it is made skew.
fn cross_of(m: &Mat3) -> Vec3 {
    Vec3::new(m[(2, 1)] - m[(1, 2)], m[(0, 2)] - m[(2, 0)], m[(1, 0)] - m[(0, 1)])
}

/// J of the Euler tensor E: tr(E) I − E.
fn inertia_of(euler: &Mat3) -> Mat3 {
    Mat3::from_diagonal_element(euler.trace()) - euler
}

impl ShapeInertia {
    pub fn new(integrals: &InertiaIntegrals) -> Self {
        let n = integrals.mean.len();
        let sym = |m: &Mat3| (m + m.transpose()) * 0.5;
        ShapeInertia {
            mass: integrals.mass,
            s0: integrals.first_moment,
            s1: integrals.mean.clone(),
            s2: vec![],
            j0: inertia_of(&integrals.second_moment),
            j1: integrals.moments.iter().map(|d| inertia_of(&(d + d.transpose()))).collect(),
            j2: integrals.products.iter().map(|p| inertia_of(&sym(p))).collect(),
            h0: integrals.moments.iter().map(cross_of).collect(),
            // h_kl = ∫ρ S_l × S_k.
            h1: integrals.products.iter().map(cross_of).collect(),
            m: integrals.products.iter().take(n * n).map(Mat3::trace).collect(),
            one_way: false,
        }
    }

    /// Lets the shapes act back on nothing, with the masses m_kl of other integrals.
    pub fn loosen(&mut self, whole: &InertiaIntegrals) {
        self.m = whole.products.iter().map(Mat3::trace).collect();
        self.one_way = true;
    }

    /// Whether the shapes act back on nothing.
    pub fn is_one_way(&self) -> bool {
        self.one_way
    }

    /// Adds the shortening of second order to s, J and h_k.
    pub fn shorten(&mut self, geometric: &GeometricStiffness) {
        let n = self.size();
        self.s2 = vec![Vec3::zeros(); n * n];
        for k in 0..n {
            for l in 0..n {
                // H_kl is symmetric in its shapes; what is computed of stresses is so up to rounding.
                let (i, j) = (k * n + l, l * n + k);
                let moment = (geometric.moments[i] + geometric.moments[j]) * 0.5;
                self.s2[i] = (geometric.mean[i] + geometric.mean[j]) * 0.5;
                self.j2[i] += inertia_of(&((moment + moment.transpose()) * 0.5));
                self.h1[i] += cross_of(&moment);
            }
        }
    }

    /// Whether it has a shortening of second order.
    pub fn is_shortened(&self) -> bool {
        !self.s2.is_empty()
    }

    pub fn size(&self) -> usize {
        self.s1.len()
    }

    /// h_k,l.
    #[inline]
    fn h1(&self, k: usize, l: usize) -> &Vec3 {
        &self.h1[k * self.size() + l]
    }

    /// ḡ_kl.
    #[inline]
    fn s2(&self, k: usize, l: usize) -> Vec3 {
        if self.s2.is_empty() { Vec3::zeros() } else { self.s2[k * self.size() + l] }
    }

    /// Sets the coefficients for the numbers in `at`.
    pub fn load(&self, at: &mut ShapeMotion) {
        let n = self.size();
        at.sigma.clone_from(&self.s1);
        at.h.clone_from(&self.h0);
        at.j_slope.clone_from(&self.j1);
        at.s = self.s0;
        at.j = self.j0;
        (at.s_rate, at.s_second, at.j_rate, at.spin) =
            (Vec3::zeros(), Vec3::zeros(), Mat3::zeros(), Vec3::zeros());
        if self.one_way {
            return;
        }
        for k in 0..n {
            for l in 0..n {
                let q = at.q[l];
                at.h[k] += self.h1(k, l) * q;
                at.j_slope[k] += self.j2[k * n + l] * (2.0 * q);
                at.sigma[k] += self.s2(k, l) * q;
            }
            // s and J are their slopes summed with half of what they have of second order.
            at.s += (self.s1[k] + at.sigma[k]) * (0.5 * at.q[k]);
            at.j += (self.j1[k] + at.j_slope[k]) * (0.5 * at.q[k]);
        }
        for k in 0..n {
            at.s_rate += at.sigma[k] * at.qd[k];
            at.s_second += at.sigma[k] * at.qdd[k];
            at.j_rate += at.j_slope[k] * at.qd[k];
            at.spin += at.h[k] * at.qd[k];
            for l in (0..n).filter(|_| !self.s2.is_empty()) {
                at.s_second += self.s2(k, l) * (at.qd[k] * at.qd[l]);
            }
        }
    }

    /// Σ_l h_kl q̇_l and Σ_l h_lk q̇_l.
    fn turning(&self, k: usize, at: &ShapeMotion) -> (Vec3, Vec3) {
        let (mut row, mut column) = (Vec3::zeros(), Vec3::zeros());
        for (l, qd) in at.qd.iter().enumerate() {
            row += self.h1(k, l) * *qd;
            column += self.h1(l, k) * *qd;
        }
        (row, column)
    }

    /// (f, τ) in body axes; f_k into `shapes`.
    pub fn force(&self, body: &BodyMotion, at: &ShapeMotion, shapes: &mut [f64]) -> (Vec3, Vec3) {
        let BodyMotion { gamma, alpha, omega } = body;
        let mut torque =
            at.s.cross(gamma) + at.j * alpha + omega.cross(&(at.j * omega + at.spin)) + at.j_rate * omega;
        for (k, out) in shapes.iter_mut().enumerate() {
            let (mut row, mut column) = (Vec3::zeros(), Vec3::zeros());
            if !self.one_way {
                (row, column) = self.turning(k, at);
                torque += at.h[k] * at.qdd[k] + row * at.qd[k];
            }
            let inertia: f64 = self.m[k * self.size()..].iter().zip(&at.qdd).map(|(m, qdd)| m * qdd).sum();
            *out = at.sigma[k].dot(gamma) + at.h[k].dot(alpha) - 0.5 * omega.dot(&(at.j_slope[k] * omega))
                + omega.dot(&(row - column))
                + inertia;
        }
        let swept = omega.cross(&at.s) + at.s_rate * 2.0;
        (gamma * self.mass + alpha.cross(&at.s) + omega.cross(&swept) + at.s_second, torque)
    }

    /// ½ v·… of the head of this file.
    pub fn kinetic_energy(&self, v: &Vec3, omega: &Vec3, at: &ShapeMotion) -> f64 {
        let n = self.size();
        let pairs = (0..n * n).map(|i| self.m[i] * at.qd[i / n] * at.qd[i % n]);
        let pairs: f64 = if self.one_way { 0.0 } else { pairs.sum() };
        0.5 * self.mass * v.norm_squared()
            + v.dot(&(omega.cross(&at.s) + at.s_rate))
            + omega.dot(&(at.j * omega * 0.5 + at.spin))
            + 0.5 * pairs
    }

    /// Linear and angular momentum about the origin of the frame, body axes.
    pub fn momenta(&self, v: &Vec3, omega: &Vec3, at: &ShapeMotion) -> (Vec3, Vec3) {
        let linear = v * self.mass + omega.cross(&at.s) + at.s_rate;
        (linear, at.s.cross(v) + at.j * omega + at.spin)
    }
}

impl ShapeMotion {
    /// First moment of mass, body axes.
    pub fn first_moment(&self) -> &Vec3 {
        &self.s
    }

    /// Inertia about the origin of the frame.
    pub fn inertia(&self) -> &Mat3 {
        &self.j
    }
}

/// Derivatives of (f, τ) by γ, α and ω, in body axes.
#[derive(Clone, Copy, Debug)]
pub(super) struct FrameTangent {
    pub force_by_gamma: f64,
    pub force_by_alpha: Mat3,
    pub force_by_omega: Mat3,
    pub torque_by_gamma: Mat3,
    pub torque_by_alpha: Mat3,
    pub torque_by_omega: Mat3,
}

/// Derivatives by q_k, q̇_k and q̈_k of f and τ, and of f_k by γ, α and ω.
#[derive(Clone, Copy, Debug)]
pub(super) struct ShapeTangent {
    pub force: [Vec3; 3],
    pub torque: [Vec3; 3],
    pub by_gamma: Vec3,
    pub by_alpha: Vec3,
    pub by_omega: Vec3,
}

impl ShapeInertia {
    pub fn frame_tangent(&self, body: &BodyMotion, at: &ShapeMotion) -> FrameTangent {
        let w = so3::skew(&body.omega);
        FrameTangent {
            force_by_gamma: self.mass,
            force_by_alpha: -so3::skew(&at.s),
            force_by_omega: -so3::skew(&(body.omega.cross(&at.s) + at.s_rate * 2.0)) - w * so3::skew(&at.s),
            torque_by_gamma: so3::skew(&at.s),
            torque_by_alpha: at.j,
            torque_by_omega: w * at.j - so3::skew(&(at.j * body.omega + at.spin)) + at.j_rate,
        }
    }

    pub fn shape_tangent(&self, k: usize, body: &BodyMotion, at: &ShapeMotion) -> ShapeTangent {
        let BodyMotion { gamma, alpha, omega } = body;
        let n = self.size();
        if self.one_way {
            let slope = &at.j_slope[k];
            return ShapeTangent {
                force: [Vec3::zeros(); 3],
                torque: [Vec3::zeros(); 3],
                by_gamma: at.sigma[k],
                by_alpha: at.h[k],
                by_omega: -slope * omega,
            };
        }
        let (row, column) = self.turning(k, at);
        let (mut shortening, mut shortening_rate) = (Vec3::zeros(), Vec3::zeros());
        let (mut slope_rate, mut pushed) = (Mat3::zeros(), Vec3::zeros());
        for l in 0..n {
            shortening_rate += self.s2(k, l) * at.qd[l];
            shortening += self.s2(k, l) * at.qdd[l];
            slope_rate += self.j2[k * n + l] * (2.0 * at.qd[l]);
            pushed += self.h1(l, k) * at.qdd[l];
        }
        let (sigma, slope) = (&at.sigma[k], &at.j_slope[k]);
        let by_place =
            alpha.cross(sigma) + omega.cross(&(omega.cross(sigma) + shortening_rate * 2.0)) + shortening;
        let turned = sigma.cross(gamma)
            + slope * alpha
            + omega.cross(&(slope * omega + column))
            + slope_rate * omega
            + pushed;
        ShapeTangent {
            force: [by_place, omega.cross(sigma) * 2.0 + shortening_rate * 2.0, *sigma],
            torque: [turned, slope * omega + row + column + omega.cross(&at.h[k]), at.h[k]],
            by_gamma: *sigma,
            by_alpha: at.h[k],
            by_omega: row - column - slope * omega,
        }
    }

    /// Derivatives of f_k by q_l, q̇_l and q̈_l.
    pub fn pair_tangent(&self, k: usize, l: usize, body: &BodyMotion) -> [f64; 3] {
        let BodyMotion { gamma, alpha, omega } = body;
        let i = k * self.size() + l;
        if self.one_way {
            return [0.0, 0.0, self.m[i]];
        }
        let place = self.s2(k, l).dot(gamma) + self.h1[i].dot(alpha) - omega.dot(&(self.j2[i] * omega));
        [place, omega.dot(&(self.h1[i] - self.h1(l, k))), self.m[i]]
    }
}
