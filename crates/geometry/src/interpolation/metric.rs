//! The four metrics on rotations and motions (motion-interpolation-galerkin §1.10, §1.11).
//!
//! Every metric leads to `Σ l_k s_k = 0` with a parameter vector `s = f(φ) n` of the relative motion. With
//! the (dual) quaternion `η = cos(φ/2)`, `v = sin(φ/2) n` of that motion it is `s = h(η) v`:
//!
//! | metric | dist² | s | h(η) |
//! |---|---|---|---|
//! | matrix | 4 (1 − cos φ) | sin φ n | 2 η |
//! | quaternion | 2 (1 − cos φ/2) | 2 sin(φ/2) n | 2 |
//! | geodesic | φ² | φ n | φ/sin(φ/2) |
//! | vector p | p² | p' p n | (see below) |
//!
//! The vector metric of `p = 2 sin(φ/2)` is half the matrix metric, that of `p = 4 sin(φ/4)` four times the
//! quaternion metric and that of `p = φ` the geodesic one.

use crate::Mat3;
use crate::dual::DualNumber;
use crate::dual_quaternion::DualQuaternion;
use crate::motion_parameters::Generator;
use crate::quaternion::EulerParameters;
use crate::se3::Pose;

/// How the distance of two rotations or motions is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Metric {
    /// Frobenius norm of the difference of the motion tensors. No singularity for any rotation, so the one
    /// for global interpolation.
    Matrix,
    /// Norm of the difference of the quaternions, of either sign. Closed form. Signs are continued from node
    /// to node, so that neighbours must be less than π apart.
    Quaternion,
    /// Length of a parameter vector of the relative motion. For neighbouring frames.
    Vector(Generator),
    /// Length of the logarithm of the relative motion. For frames less than π apart; exact for screw motions.
    Geodesic,
}

/// `s = h(η) v`, one for each different scheme.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Parameter {
    /// `sin φ n`.
    Linear,
    /// `2 sin(φ/2) n`.
    EulerRodrigues,
    /// `φ n`.
    Cartesian,
    /// `½ sin 2φ n`, of the vector metric with `p = sin φ`.
    HalfSine,
    /// `2 tan(φ/2)/cos²(φ/2) n`, of `p = 2 tan(φ/2)`.
    Gibbs,
    /// `4 tan(φ/4)/cos²(φ/4) n`, of `p = 4 tan(φ/4)`.
    WienerMilenkovic,
}

impl Metric {
    /// Squared distance of two motions, a dual number.
    pub fn distance_squared(self, a: &Pose, b: &Pose) -> DualNumber {
        let q = DualQuaternion::from_pose(&a.relative(b)).scalar();
        self.squared(q)
    }

    /// Squared distance of two rotations.
    pub fn rotation_distance_squared(self, a: &Mat3, b: &Mat3) -> f64 {
        let q = EulerParameters::from_matrix(&(a.transpose() * b));
        self.squared(DualNumber::real(q.scalar)).re
    }

    /// `dist²` from `η = cos(φ/2) ≥ 0`, with `sin²(φ/2) = 1 − η²`.
    fn squared(self, eta: DualNumber) -> DualNumber {
        let real = DualNumber::real;
        let one = real(1.0);
        let sine2 = one - eta * eta;
        match self {
            Self::Matrix => real(8.0) * sine2,
            Self::Quaternion => real(2.0) * (one - eta),
            Self::Vector(Generator::EulerRodrigues) => real(4.0) * sine2,
            Self::Vector(Generator::QuarterSine) => real(8.0) * (one - eta),
            Self::Vector(Generator::Linear) => real(4.0) * eta * eta * sine2,
            Self::Vector(Generator::CayleyGibbs) => real(4.0) * sine2 / (eta * eta),
            Self::Vector(Generator::WienerMilenkovic) => real(16.0) * (one - eta) / (one + eta),
            Self::Geodesic | Self::Vector(Generator::Cartesian) => {
                let h = Parameter::Cartesian.factor(eta.re);
                // φ² = h² sin²(φ/2)
                let h = eta.lift(h[0], h[1]);
                h * h * sine2
            }
        }
    }

    pub(super) fn parameter(self) -> Parameter {
        match self {
            Self::Matrix | Self::Vector(Generator::EulerRodrigues) => Parameter::Linear,
            Self::Quaternion | Self::Vector(Generator::QuarterSine) => Parameter::EulerRodrigues,
            Self::Geodesic | Self::Vector(Generator::Cartesian) => Parameter::Cartesian,
            Self::Vector(Generator::Linear) => Parameter::HalfSine,
            Self::Vector(Generator::CayleyGibbs) => Parameter::Gibbs,
            Self::Vector(Generator::WienerMilenkovic) => Parameter::WienerMilenkovic,
        }
    }
}

impl Parameter {
    /// `h` and its first four derivatives at `η`.
    pub(super) fn factor(self, eta: f64) -> [f64; 5] {
        match self {
            Self::Linear => [2.0 * eta, 2.0, 0.0, 0.0, 0.0],
            Self::EulerRodrigues => [2.0, 0.0, 0.0, 0.0, 0.0],
            Self::Cartesian => half_angle_quotient(eta).map(|y| 2.0 * y),
            Self::HalfSine => [(4.0 * eta * eta - 2.0) * eta, 12.0 * eta * eta - 2.0, 24.0 * eta, 24.0, 0.0],
            Self::Gibbs => power(2.0, -3, eta),
            Self::WienerMilenkovic => power(8.0, -2, 1.0 + eta),
        }
    }
}

/// `a xⁿ` and its first four derivatives.
fn power(a: f64, n: i32, x: f64) -> [f64; 5] {
    let mut factor = a;
    std::array::from_fn(|m| {
        let m = m as i32;
        let value = factor * x.powi(n - m);
        factor *= f64::from(n - m);
        value
    })
}

/// `y(η) = (φ/2)/sin(φ/2) = arccos η/√(1 − η²)` and its first four derivatives.
///
/// ```text
/// (1 − η²) y' = η y − 1 ,     (1 − η²) y⁽ᵐ⁺¹⁾ = (2m + 1) η y⁽ᵐ⁾ + m² y⁽ᵐ⁻¹⁾
/// y = Σ_k k!/(3/2)_k x^k ,    x = (1 − η)/2 = sin²(φ/4)
/// ```
///
/// The recurrence cancels as η → 1, where the series is used.
fn half_angle_quotient(eta: f64) -> [f64; 5] {
    let x = 0.5 * (1.0 - eta);
    if x < 0.2 {
        return half_angle_series(x);
    }
    let sine2 = 1.0 - eta * eta;
    let y0 = eta.acos() / sine2.sqrt();
    let y1 = (eta * y0 - 1.0) / sine2;
    let y2 = (3.0 * eta * y1 + y0) / sine2;
    let y3 = (5.0 * eta * y2 + 4.0 * y1) / sine2;
    let y4 = (7.0 * eta * y3 + 9.0 * y2) / sine2;
    [y0, y1, y2, y3, y4]
}

/// The series with its derivatives by Horner's rule; `d/dη = −½ d/dx`.
fn half_angle_series(x: f64) -> [f64; 5] {
    const TERMS: usize = 34;
    // k!/(3/2)_k, from the ratio (k + 1)/(k + 3/2).
    const COEFFICIENTS: [f64; TERMS] = {
        let mut a = [1.0; TERMS];
        let mut k = 1;
        while k < TERMS {
            a[k] = a[k - 1] * k as f64 / (k as f64 + 0.5);
            k += 1;
        }
        a
    };
    let mut d = [0.0; 5];
    for a in COEFFICIENTS.iter().rev() {
        for m in (1..5).rev() {
            d[m] = d[m] * x + m as f64 * d[m - 1];
        }
        d[0] = d[0] * x + a;
    }
    let mut factor = 1.0;
    d.map(|value| {
        let scaled = factor * value;
        factor *= -0.5;
        scaled
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Parameter; 6] = [
        Parameter::Linear,
        Parameter::EulerRodrigues,
        Parameter::Cartesian,
        Parameter::HalfSine,
        Parameter::Gibbs,
        Parameter::WienerMilenkovic,
    ];

    // s = h v has the length f(φ) = p p' of its metric.
    #[test]
    fn factors_are_those_of_the_parameters() {
        for phi in [1e-8, 0.1, 0.9, 1.84, 1.87, 2.5, 3.1_f64] {
            let (sine, eta) = (0.5 * phi).sin_cos();
            let length = |p: Parameter| p.factor(eta)[0] * sine;
            let generated = |g: Generator| g.value(phi) * g.slope(phi);
            let pairs = [
                (Parameter::Linear, generated(Generator::EulerRodrigues)),
                (Parameter::EulerRodrigues, generated(Generator::QuarterSine)),
                (Parameter::Cartesian, generated(Generator::Cartesian)),
                (Parameter::HalfSine, generated(Generator::Linear)),
                (Parameter::Gibbs, generated(Generator::CayleyGibbs)),
                (Parameter::WienerMilenkovic, generated(Generator::WienerMilenkovic)),
            ];
            for (parameter, expected) in pairs {
                let error = (length(parameter) - expected).abs();
                assert!(error <= 1e-14 * expected.abs().max(phi), "{parameter:?} at {phi}: {error:e}");
            }
        }
    }

    // Each derivative is the difference of the one before.
    #[test]
    fn derivatives_of_the_factors() {
        let h = 1e-3;
        for parameter in ALL {
            for eta in [0.3, 0.55, 0.6, 0.65, 0.9, 0.997] {
                let at = |step: f64| parameter.factor(eta + step * h);
                let (a, b, c, d) = (at(1.0), at(-1.0), at(2.0), at(-2.0));
                let exact = parameter.factor(eta);
                for m in 0..4 {
                    let difference = (8.0 * (a[m] - b[m]) - (c[m] - d[m])) / (12.0 * h);
                    let error = (exact[m + 1] - difference).abs();
                    // Truncation h⁴/30 of the fifth derivative further, at most 1e9 (Gibbs at 0.3).
                    assert!(
                        error < 1e-8 * (1.0 + exact[m + 1].abs()) * (1.0 / eta).powi(6),
                        "{parameter:?} {eta} {m}"
                    );
                }
            }
        }
    }

    // Series and recurrence meet.
    #[test]
    fn series_of_the_half_angle_quotient() {
        for x in [0.2, 0.2 + 1e-9, 0.21_f64] {
            let (series, closed) = (half_angle_series(x), half_angle_quotient(1.0 - 2.0 * x));
            for m in 0..5 {
                assert!((series[m] / closed[m] - 1.0).abs() < 1e-13, "x = {x}, derivative {m}");
            }
        }
        // φ/2 over its sine at φ = 1, and the first two slopes −1/3, 4/15 at η = 1.
        assert!((half_angle_quotient(0.5_f64.cos())[0] - 0.5 / 0.5_f64.sin()).abs() < 2e-16);
        let [y, y1, y2, ..] = half_angle_quotient(1.0);
        assert!(y == 1.0 && (y1 + 1.0 / 3.0).abs() < 1e-16 && (y2 - 4.0 / 15.0).abs() < 1e-16);
    }
}
