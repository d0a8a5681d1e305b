//! Spectrum of a GS4 member: roots, overshoot and classical parameters (gs4-isochronous-integrators I-05,
//! I-12 … I-29).
//!
//! With y = (x, hv, h²a) and Ω = ωh a step on ẍ + 2ξωẋ + ω²x = 0 is y⁺ = A y,
//!
//! ```text
//! A = U + [λ₃, λ₅, 1]ᵀ [α₁, α₂, α₃],    U = [[1,1,½],[0,1,1],[0,0,1]]
//! α₁ = −Ω²/D,  α₂ = −(2ξΩ + W₁Ω²)/D,  α₃ = −(1 + 2W₁ξΩ + W₂Λ₂Ω²)/D,  D = W₁Λ₆ + 2W₂Λ₅ξΩ + W₃Λ₃Ω²
//! ```
//! U − 1 is nilpotent, which gives the characteristic polynomial in x = ζ − 1 with positive terms only:
//!
//! ```text
//! D x³ + [1 + 2(λ₅+W₁)ξΩ + (λ₃+λ₅W₁+W₂Λ₂)Ω²] x² + [2ξΩ + (λ₅+½+W₁)Ω²] x + Ω² = 0
//! ```

use crate::amplification::Amplification;
use crate::gs4::member::{Gs4Family, Member, Weights};
use crate::gs4::switches::Switches;
use crate::polynomial::{complex_quadratic_roots, cubic_roots};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_numerics::dense::c64;

/// Above this frequency roots are sought about ζ = −1, where they gather, below it about ζ = 1.
const HIGH_FREQUENCY: f64 = 1.0;

/// A member with its switches, seen through its roots.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Spectrum {
    /// The member.
    pub member: Member,
    /// Which of its terms are implicit.
    pub switches: Switches,
    weights: Weights,
}

/// State after the first step from a unit start with consistent acceleration (I-05).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FirstStep {
    /// d₁/d₀ from a displacement d₀ at rest.
    pub displacement_of_displacement: f64,
    /// v₁/(ωd₀) from a displacement d₀ at rest.
    pub velocity_of_displacement: f64,
    /// d₁/(v₀/ω) from a velocity v₀ without displacement.
    pub displacement_of_velocity: f64,
    /// v₁/v₀ from a velocity v₀ without displacement.
    pub velocity_of_velocity: f64,
}

/// How an implicit member overshoots in the first steps of a stiff start (I-05).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overshoot {
    /// Displacement and velocity stay bounded.
    U0V0,
    /// Displacement stays bounded, velocity grows as Ω.
    U0V1,
    /// Velocity stays bounded, displacement grows as Ω.
    V0U1,
}

/// The parameters of generalised-α that a member stands for (I-18, I-21):
///
/// ```text
/// q̃ = (1−α_k) q⁺ + α_k q + κ h v     ã = (1−α_m) a⁺ + α_m a     at t + (1−α_f) h
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AlphaParameters {
    /// α_m = 1 − W₁Λ₆.
    pub alpha_m: f64,
    /// α_f = 1 − W₁.
    pub alpha_f: f64,
    /// α_k = 1 − W₂; equal to α_f in the U0 family.
    pub alpha_k: f64,
    /// κ = W₁ − W₂; zero in the U0 family.
    pub kappa: f64,
    /// Newmark's β = λ₃.
    pub beta: f64,
    /// Newmark's γ = λ₅.
    pub gamma: f64,
}

impl Member {
    /// The overshoot class of the implicit member.
    pub fn overshoot(&self) -> Overshoot {
        match self.family {
            _ if self.rho_max >= 1.0 => Overshoot::U0V0,
            Gs4Family::U0 => Overshoot::U0V1,
            Gs4Family::V0 => Overshoot::V0U1,
        }
    }

    /// The parameters of generalised-α.
    pub fn alpha_parameters(&self) -> AlphaParameters {
        let w = self.weights();
        // Λ₂ = ½.
        let w2 = 2.0 * w.w2l2;
        AlphaParameters {
            alpha_m: 1.0 - w.w1l6,
            alpha_f: 1.0 - w.w1,
            alpha_k: 1.0 - w2,
            kappa: w.w1 - w2,
            beta: w.l3,
            gamma: w.l5,
        }
    }
}

impl Spectrum {
    /// The spectrum of a member, implicit or with terms switched off.
    pub fn new(member: Member, switches: Switches) -> Self {
        Spectrum { member, switches, weights: member.weights().switched(switches) }
    }

    /// The weights after switching.
    pub fn weights(&self) -> &Weights {
        &self.weights
    }

    /// The amplification matrix A(Ω, ξ) of (x, hv, h²a), I-12.
    pub fn amplification(&self, omega: f64, xi: f64) -> Mat3 {
        let w = &self.weights;
        let (c, k) = (2.0 * xi * omega, omega * omega);
        let d = w.w1l6 + w.w2l5 * c + w.w3l3 * k;
        let alpha = -Vec3::new(k, c + w.w1 * k, 1.0 + w.w1 * c + w.w2l2 * k) / d;
        let shift = Mat3::new(1.0, 1.0, 0.5, 0.0, 1.0, 1.0, 0.0, 0.0, 1.0);
        shift + Vec3::new(w.l3, w.l5, 1.0) * alpha.transpose()
    }

    /// The first step from d₀ or v₀, with a⁰ = −2ξωv₀ − ω²d₀.
    pub fn first_step(&self, omega: f64, xi: f64) -> FirstStep {
        let a = self.amplification(omega, xi);
        let displaced = a * Vec3::new(1.0, 0.0, -omega * omega);
        let moving = a * Vec3::new(0.0, omega, -2.0 * xi * omega * omega);
        FirstStep {
            displacement_of_displacement: displaced[0],
            velocity_of_displacement: displaced[1] / omega,
            displacement_of_velocity: moving[0],
            velocity_of_velocity: moving[1] / omega,
        }
    }

    /// Roots at infinite frequency: −ρ_min, −ρ_max, −ρ_s of the implicit member. With explicit positions one
    /// of them is infinite, and there is no answer.
    pub fn roots_at_infinity(&self) -> Option<[c64; 3]> {
        let Member { rho_min, rho_max, rho_s, .. } = self.member;
        match (self.switches.eta1, self.switches.eta3) {
            (false, _) => None,
            // By design, and without the digits that a polynomial with a triple root costs.
            (true, true) => Some([rho_min, rho_max, rho_s].map(|rho| c64::new(-rho, 0.0))),
            (true, false) => {
                let [_, _, stiffness] = self.polynomials();
                Some(cubic_roots(about_minus_one(stiffness)).map(|y| y - 1.0))
            }
        }
    }

    /// r₀ = 1 − 1/W₁Λ₆: the factor per step of an error in the stored acceleration at low frequency.
    pub fn acceleration_root(&self) -> f64 {
        1.0 - 1.0 / self.weights.w1l6
    }

    /// Coefficients of x³, x², x, 1 that go with 1, 2ξΩ and Ω² in the characteristic polynomial.
    fn polynomials(&self) -> [[f64; 4]; 3] {
        let w = &self.weights;
        [
            [w.w1l6, 1.0, 0.0, 0.0],
            [w.w2l5, w.l5 + w.w1, 1.0, 0.0],
            [w.w3l3, w.l3 + w.l5 * w.w1 + w.w2l2, w.l5 + 0.5 + w.w1, 1.0],
        ]
    }

    /// Coefficients of x², x, 1 that go with 1 and −z on ẏ = λy, where x = ζ − 1 (I-27):
    ///
    /// ```text
    /// (W₁Λ₆ − zW₂Λ₅) x² + (1 − z(λ₅+W₁)) x − z = 0
    /// ```
    fn first_order_polynomials(&self) -> [[f64; 3]; 2] {
        let w = &self.weights;
        [[w.w1l6, 1.0, 0.0], [w.w2l5, w.l5 + w.w1, 1.0]]
    }

    /// Roots at λh = −∞ of the member on ẏ = λy: −ρ∞ and −ρ_s for V0(ρ∞, 1, ρ_s). None if an explicit stage
    /// makes one of them infinite.
    pub fn first_order_roots_at_infinity(&self) -> Option<[c64; 2]> {
        let [_, rate] = self.first_order_polynomials();
        let real = |v: f64| c64::new(v, 0.0);
        let roots = || complex_quadratic_roots(quadratic_about_minus_one(rate).map(real));
        (self.weights.w2l5 > 0.0).then(|| roots().map(|y| y - 1.0))
    }

    /// Whether the member is one of the implicit families, which are stable at every step (I-05, I-27).
    fn is_unconditionally_stable(&self) -> bool {
        self.switches == Switches::IMPLICIT && self.member.check().is_ok()
    }
}

impl Amplification for Spectrum {
    fn roots(&self, omega: f64, xi: f64) -> Vec<c64> {
        let high = omega > HIGH_FREQUENCY;
        let groups = self.polynomials();
        // Shifted group by group: terms that cancel do so before they meet the large Ω².
        let groups = if high { groups.map(about_minus_one) } else { groups };
        let [inertia, damping, stiffness] = groups;
        let (c, k) = (2.0 * xi * omega, omega * omega);
        let roots = cubic_roots(std::array::from_fn(|i| inertia[i] + c * damping[i] + k * stiffness[i]));
        let centre = if high { -1.0 } else { 1.0 };
        roots.map(|x| x + centre).to_vec()
    }

    fn first_order_roots(&self, z: c64) -> Vec<c64> {
        let high = z.norm() > HIGH_FREQUENCY;
        let groups = self.first_order_polynomials();
        let [inertia, rate] = if high { groups.map(quadratic_about_minus_one) } else { groups };
        let roots = complex_quadratic_roots(std::array::from_fn(|i| -z * rate[i] + inertia[i]));
        let centre = if high { -1.0 } else { 1.0 };
        roots.map(|x| x + centre).to_vec()
    }

    fn stability_limit(&self, xi: f64) -> f64 {
        if self.is_unconditionally_stable() {
            return f64::INFINITY;
        }
        crate::amplification::limit(|omega| self.spectral_radius(omega, xi))
    }
}

/// A cubic of x = ζ − 1 as one of y = ζ + 1.
fn about_minus_one([p3, p2, p1, p0]: [f64; 4]) -> [f64; 4] {
    [p3, p2 - 6.0 * p3, p1 - 4.0 * p2 + 12.0 * p3, p0 - 2.0 * p1 + 4.0 * p2 - 8.0 * p3]
}

/// A quadratic of x = ζ − 1 as one of y = ζ + 1.
fn quadratic_about_minus_one([p2, p1, p0]: [f64; 3]) -> [f64; 3] {
    [p2, p1 - 4.0 * p2, p0 - 2.0 * p1 + 4.0 * p2]
}
