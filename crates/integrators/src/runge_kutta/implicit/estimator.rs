//! The local error of a collocation step, from a second solution of lower order (lagrangian-dae-modeling
//! §1.22).
//!
//! ```text
//! ŷ = y_n + h b̂_0 ẏ_n + h Σ b̂_i Y'_i + h γ̂ f(ŷ, t_{n+1}),     Σ_j b̂_j c_j^{q−1} + b̂_0 δ_{q1} + γ̂ = 1/q
//! ```
//! for q up to the order of ŷ. One simplified Newton step from y_{n+1} gives η = y_{n+1} − ŷ:
//!
//! ```text
//! η = −(I − hγ̂J)⁻¹ { Σ e_i Z_i + h e_0 ẏ_n + hγ̂ f(y_{n+1}, t_{n+1}) },     e = (b̂ − b)ᵀ A⁻¹
//! ```
//! and for an implicit system Φ(y, ẏ, t) = 0 the opposite sign in
//!
//! ```text
//! η = −(J + M/(hγ̂))⁻¹ Φ(y_{n+1}, ẏ̂, t_{n+1}),     ẏ̂ = ( Σ (b_i − b̂_i) Y'_i − b̂_0 ẏ_n ) / γ̂
//! ```
//! with J = Φ_y, M = Φ_ẏ. The rules b and b̂ differ by the errors of extrapolating the stages' rates to both
//! ends,
//!
//! ```text
//! b̂_0 (ẏ_n − Σ ℓ_i(0) Y'_i) + γ̂ (f(ŷ) − Σ ℓ_i(1) Y'_i)
//! ```
//! of which the second vanishes where the end is a stage (Radau IIA, Lobatto IIIA): there b̂_0 = κ only
//! scales the estimate and γ̂ only filters it. With Gauss b̂_0 = (−1)^m (κ − γ̂) has the same effect; the
//! value that makes ŷ of one order more, κ = 0, makes η vanish on every linear equation. For small h, and for
//! hλ → −∞ on ẏ = λy (w_0 as in [`crate::Collocation`], zero unless the first stage is explicit),
//!
//! ```text
//! |η| ≈ κ h^{m+1} |y^{(m+1)}| Π c_i / m!,     |η| → κ/γ̂ |1 − Σ ℓ_i(0) w_i0| |y_n|
//! ```

use crate::runge_kutta::implicit::similarity::Similarity;
use crate::runge_kutta::tableau::lagrange;

/// κ where the order of the method exceeds that of the estimate: the estimate is of a power of h lower than
/// the error.
const SCALE: f64 = 0.02;

/// κ of the implicit Euler method, which is compared with the trapezoidal rule: its true local error h²ÿ/2.
const EULER_SCALE: f64 = 0.5;

/// Coefficients of the error estimate. Entries are for the implicit stages.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimator {
    /// Order of the estimate, η = O(h^{order + 1}): the number m of implicit stages.
    pub order: usize,
    /// γ̂: the real eigenvalue 1/μ of A if there is one, else the geometric mean of the moduli of the
    /// eigenvalues.
    pub gamma: f64,
    /// Index into [`Similarity::real`] of the eigenvalue 1/γ̂, whose factored matrix J + (μ/h) M serves the
    /// estimate too. None for an even number of implicit stages: then J + M/(hγ̂) is one real factorisation
    /// more for each step matrix. Where the end is a stage that can be saved by applying Re (I − h(γ_2 +
    /// iγ_3)J)⁻¹ of a pair to the braces, as they do not depend on γ̂.
    pub real_block: Option<usize>,
    /// b̂_0.
    pub start_weight: f64,
    /// b̂. An explicit first stage keeps its weight b_1.
    pub weights: Vec<f64>,
    /// b − b̂.
    pub difference: Vec<f64>,
    /// e = (b̂ − b)ᵀ A⁻¹.
    pub increments: Vec<f64>,
    /// e_0 = b̂_0 − Σ e_i a_i, with a_i the coefficients of an explicit first stage, if any.
    pub start_increment: f64,
}

impl Estimator {
    /// For a method of this order with implicit stages at c with weights b, W = A⁻¹, and the coefficients a
    /// of an explicit first stage.
    pub(crate) fn new(
        order: usize,
        c: &[f64],
        b: &[f64],
        w: &[f64],
        a: &[f64],
        similarity: &Similarity,
    ) -> Self {
        let m = c.len();
        let real_block = if similarity.real.is_empty() { None } else { Some(0) };
        let gamma = 1.0 / real_block.map_or_else(|| similarity.mean_modulus(), |k| similarity.real[k]);
        let scale = if order == m { EULER_SCALE } else { SCALE };
        let sign = if m.is_multiple_of(2) { 1.0 } else { -1.0 };
        let start_weight = if c[m - 1] == 1.0 { scale } else { sign * (scale - gamma) };
        // b − b̂ = b̂_0 ℓ(0) + γ̂ ℓ(1).
        let extrapolated = |i: usize| start_weight * lagrange(c, i, 0.0) + gamma * lagrange(c, i, 1.0);
        let difference: Vec<f64> = (0..m).map(extrapolated).collect();
        let increment = |j: usize| -(0..m).map(|i| difference[i] * w[i * m + j]).sum::<f64>();
        let increments: Vec<f64> = (0..m).map(increment).collect();
        let start_increment = start_weight - increments.iter().zip(a).map(|(e, a)| e * a).sum::<f64>();
        Self {
            order: m,
            gamma,
            real_block,
            start_weight,
            weights: b.iter().zip(&difference).map(|(b, difference)| b - difference).collect(),
            difference,
            increments,
            start_increment,
        }
    }
}
