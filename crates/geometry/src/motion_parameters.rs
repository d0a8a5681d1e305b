//! Vectorial parameterisations of motion, `p = p(φ) n` (motion-interpolation-galerkin §1.5, §1.7).
//!
//! ```text
//! R(p)   = I + ζ1 ~p + ζ2 ~p ~p
//! T⁻¹(p) = χ0 I + ½ ~p + χ2 ~p ~p ,              χ0 = p', χ2 = (p' - 1/ε)/p²
//! T(p)   = τ0 I - ζ2 ~p + τ2 ~p ~p ,             τ0 = 1/p', τ2 = (1/p' - ζ1)/p²
//! ```
//!
//! Every coefficient is an analytic function of `X = p·p`, so it is evaluated in dual arithmetic without a
//! division by `p` and loses nothing at `p → 0`.

use crate::dual::{DualMat3, DualNumber, DualVec3};
use crate::dual_quaternion::DualQuaternion;
use crate::motion::{Screw, pose_of_tensor};
use crate::se3::{self, Pose};
use crate::stumpff::Stumpff;
use crate::{Mat6, Vec6};
use thiserror::Error;

/// Generating function `p(φ)`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Generator {
    /// `p = φ`, the exponential map; singular at 2π.
    Cartesian,
    /// `p = sin φ`, the axial part of the motion tensor; one to one below π/2.
    Linear,
    /// `p = 2 sin(φ/2)`, twice the vector part of the quaternion; singular at π.
    EulerRodrigues,
    /// `p = 4 sin(φ/4)`; singular at 2π.
    QuarterSine,
    /// `p = 2 tan(φ/2)`, twice the Gibbs vector; infinite at π.
    CayleyGibbs,
    /// `p = 4 tan(φ/4)`, the Wiener–Milenković parameters; infinite at 2π.
    WienerMilenkovic,
}

/// A motion or parameter vector outside the chart of its parameterisation.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum ChartError {
    /// The parameter vector is longer than the generating function can be, or at its singular length.
    #[error("|p| = {length} is outside the {generator:?} chart, which needs |p| < {limit}")]
    Length {
        /// Parameterisation.
        generator: Generator,
        /// Length of the rotation part of `p`.
        length: f64,
        /// Greatest length allowed (excluded).
        limit: f64,
    },
    /// The rotation angle of the motion is outside the chart.
    #[error(
        "rotation angle {angle} rad is outside the {generator:?} chart, which needs less than {limit} rad"
    )]
    Angle {
        /// Parameterisation.
        generator: Generator,
        /// Rotation angle of the motion.
        angle: f64,
        /// Greatest angle allowed (excluded).
        limit: f64,
    },
}

/// Dual coefficients at one `X = p·p`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Coefficients {
    /// `ζ1 = sin φ / p`.
    pub zeta1: DualNumber,
    /// `ζ2 = (1 - cos φ)/p²`.
    pub zeta2: DualNumber,
    /// `χ0 = p'(φ)`.
    pub chi0: DualNumber,
    /// `χ2 = (p' - 1/ε)/p²`.
    pub chi2: DualNumber,
    /// `τ0 = 1/p'`.
    pub tau0: DualNumber,
    /// `τ2 = (1/p' - ζ1)/p²`.
    pub tau2: DualNumber,
}

const ONE: DualNumber = DualNumber::real(1.0);
/// Relative distance from a chart limit below which the chart is refused.
const CHART_MARGIN: f64 = 1e-12;

fn real(value: f64) -> DualNumber {
    DualNumber::real(value)
}

impl Generator {
    /// All parameterisations.
    pub const ALL: [Self; 6] = [
        Self::Cartesian,
        Self::Linear,
        Self::EulerRodrigues,
        Self::QuarterSine,
        Self::CayleyGibbs,
        Self::WienerMilenkovic,
    ];

    /// `p(φ)`.
    pub fn value(self, phi: f64) -> f64 {
        match self {
            Self::Cartesian => phi,
            Self::Linear => phi.sin(),
            Self::EulerRodrigues => 2.0 * (0.5 * phi).sin(),
            Self::QuarterSine => 4.0 * (0.25 * phi).sin(),
            Self::CayleyGibbs => 2.0 * (0.5 * phi).tan(),
            Self::WienerMilenkovic => 4.0 * (0.25 * phi).tan(),
        }
    }

    /// `p'(φ)`.
    pub fn slope(self, phi: f64) -> f64 {
        match self {
            Self::Cartesian => 1.0,
            Self::Linear => phi.cos(),
            Self::EulerRodrigues => (0.5 * phi).cos(),
            Self::QuarterSine => (0.25 * phi).cos(),
            Self::CayleyGibbs => (0.5 * phi).cos().powi(-2),
            Self::WienerMilenkovic => (0.25 * phi).cos().powi(-2),
        }
    }

    /// Rotation angle below which the chart is one to one and its tangent regular.
    pub fn angle_limit(self) -> f64 {
        use std::f64::consts::{FRAC_PI_2, PI, TAU};
        match self {
            Self::Linear => FRAC_PI_2,
            Self::EulerRodrigues | Self::CayleyGibbs => PI,
            Self::Cartesian | Self::QuarterSine | Self::WienerMilenkovic => TAU,
        }
    }

    /// Length of `p` at the angle limit.
    pub fn length_limit(self) -> f64 {
        match self {
            Self::Cartesian => std::f64::consts::TAU,
            Self::Linear => 1.0,
            Self::EulerRodrigues => 2.0,
            Self::QuarterSine => 4.0,
            Self::CayleyGibbs | Self::WienerMilenkovic => f64::INFINITY,
        }
    }

    /// Coefficients at the parameter `p`.
    pub fn coefficients(self, p: &DualVec3) -> Result<Coefficients, ChartError> {
        let length = p.re.norm();
        let limit = self.length_limit();
        let regular = length.is_finite() && length < limit * (1.0 - CHART_MARGIN);
        if !regular {
            return Err(ChartError::Length { generator: self, length, limit });
        }
        Ok(self.coefficients_of_square(p.dot(p)))
    }

    fn coefficients_of_square(self, x: DualNumber) -> Coefficients {
        match self {
            Self::Cartesian => cartesian(x),
            Self::Linear => linear(x),
            Self::EulerRodrigues => euler_rodrigues(x),
            Self::QuarterSine => quarter_sine(x),
            Self::CayleyGibbs => cayley_gibbs(x),
            Self::WienerMilenkovic => wiener_milenkovic(x),
        }
    }

    /// Motion tensor `R(p)`.
    pub fn tensor(self, p: &DualVec3) -> Result<DualMat3, ChartError> {
        let c = self.coefficients(p)?;
        let k = p.skew();
        Ok(DualMat3::identity() + c.zeta1 * k + c.zeta2 * (k * k))
    }

    /// Pose of the parameter.
    pub fn pose(self, p: &DualVec3) -> Result<Pose, ChartError> {
        Ok(pose_of_tensor(&self.tensor(p)?))
    }

    /// Parameter of a pose, from its dual quaternion (rotation angle in `[0, π]`).
    pub fn parameter(self, pose: &Pose) -> Result<DualVec3, ChartError> {
        let angle = crate::so3::log(&pose.rotation).norm();
        let limit = self.angle_limit();
        let regular = angle < limit * (1.0 - CHART_MARGIN);
        if !regular {
            return Err(ChartError::Angle { generator: self, angle, limit });
        }
        let q = DualQuaternion::from_pose(pose);
        let (eta, v) = (q.scalar(), q.vector());
        Ok(match self {
            Self::Cartesian => DualVec3::from_extended(&se3::log(pose)),
            Self::Linear => real(2.0) * eta * v,
            Self::EulerRodrigues => real(2.0) * v,
            // sin(φ/4) = sin(φ/2)/(2 cos(φ/4)), cos(φ/4) = √((1 + η)/2)
            Self::QuarterSine => real(2.0) / (real(0.5) * (ONE + eta)).sqrt() * v,
            Self::CayleyGibbs => real(2.0) / eta * v,
            Self::WienerMilenkovic => real(4.0) / (ONE + eta) * v,
        })
    }

    /// Parameter of a screw displacement, `p° = φ° p'(φ) n + p(φ) n°`.
    pub fn parameter_of_screw(self, screw: &Screw) -> DualVec3 {
        let phi = screw.angle;
        phi.lift(self.value(phi.re), self.slope(phi.re)) * screw.axis.dual()
    }

    /// Dual tangent tensor `T(p)`: `v = T(p) ṗ`.
    pub fn tangent(self, p: &DualVec3) -> Result<DualMat3, ChartError> {
        let c = self.coefficients(p)?;
        let k = p.skew();
        Ok(c.tau0 * DualMat3::identity() - c.zeta2 * k + c.tau2 * (k * k))
    }

    /// Dual inverse tangent tensor `T⁻¹(p)`: `ṗ = T⁻¹(p) v`.
    pub fn tangent_inv(self, p: &DualVec3) -> Result<DualMat3, ChartError> {
        let c = self.coefficients(p)?;
        let k = p.skew();
        Ok(c.chi0 * DualMat3::identity() + real(0.5) * k + c.chi2 * (k * k))
    }

    /// Extended 6×6 tangent for `p = {p° ; p}`.
    pub fn tangent6(self, p: &Vec6) -> Result<Mat6, ChartError> {
        Ok(self.tangent(&DualVec3::from_extended(p))?.extended())
    }

    /// Extended 6×6 inverse tangent for `p = {p° ; p}`.
    pub fn tangent_inv6(self, p: &Vec6) -> Result<Mat6, ChartError> {
        Ok(self.tangent_inv(&DualVec3::from_extended(p))?.extended())
    }

    /// Rate of the parameter of a relative motion `R1ᵀ R2`: `ṗ = -T⁻¹(-p) v1 + T⁻¹(p) v2`.
    ///
    /// `T⁻¹(-p) = T⁻¹(p) - ~p`, so one evaluation serves both.
    pub fn relative_rate(self, p: &DualVec3, v1: &DualVec3, v2: &DualVec3) -> Result<DualVec3, ChartError> {
        let inverse = self.tangent_inv(p)?;
        Ok(inverse * *v2 - (inverse - p.skew()) * *v1)
    }
}

/// Inverse tangents of the linear parameterisation from the motion tensor `S` itself, free of trigonometry:
/// `T⁻¹(s) = ½ (tr S I - Sᵀ)` and `T⁻¹(-s) = ½ (tr S I - S)`, returned in this order.
pub fn linear_tangent_inv_of_tensor(s: &DualMat3) -> (DualMat3, DualMat3) {
    let scaled = s.trace() * DualMat3::identity();
    (real(0.5) * (scaled - s.transpose()), real(0.5) * (scaled - *s))
}

/// `X = φ²`: the Stumpff functions; `d/dX` is half their slope.
fn cartesian(x: DualNumber) -> Coefficients {
    let s = Stumpff::new(x.re);
    let lift = |j: usize| x.lift(s.c[j], 0.5 * s.slope(j));
    Coefficients {
        zeta1: lift(1),
        zeta2: lift(2),
        chi0: ONE,
        chi2: x.lift(s.chi(), 0.5 * s.chi_slope()),
        tau0: ONE,
        tau2: lift(3),
    }
}

/// `X = sin²φ`, `c = cos φ`.
fn linear(x: DualNumber) -> Coefficients {
    let c = (ONE - x).sqrt();
    let zeta2 = ONE / (ONE + c);
    Coefficients { zeta1: ONE, zeta2, chi0: c, chi2: -(real(0.5) * zeta2), tau0: ONE / c, tau2: zeta2 / c }
}

/// `X = 4 sin²(φ/2)`, `η = cos(φ/2)`.
fn euler_rodrigues(x: DualNumber) -> Coefficients {
    let eta = (ONE - real(0.25) * x).sqrt();
    Coefficients {
        zeta1: eta,
        zeta2: real(0.5),
        chi0: eta,
        chi2: real(0.0),
        tau0: ONE / eta,
        tau2: real(0.25) / eta,
    }
}

/// `X = 16 σ`, `σ = sin²(φ/4)`, `c = cos(φ/4)`.
fn quarter_sine(x: DualNumber) -> Coefficients {
    let sigma = x * real(1.0 / 16.0);
    let c = (ONE - sigma).sqrt();
    let two_sigma = real(2.0) * sigma;
    Coefficients {
        zeta1: c * (ONE - two_sigma),
        zeta2: real(0.5) * (ONE - sigma),
        chi0: c,
        chi2: real(1.0 / 16.0) / c,
        tau0: ONE / c,
        tau2: (real(3.0) - two_sigma) / (real(16.0) * c),
    }
}

/// `X = 4 tan²(φ/2)`.
fn cayley_gibbs(x: DualNumber) -> Coefficients {
    let secant2 = ONE + real(0.25) * x;
    let cosine2 = ONE / secant2;
    Coefficients {
        zeta1: cosine2,
        zeta2: real(0.5) * cosine2,
        chi0: secant2,
        chi2: real(0.25),
        tau0: cosine2,
        tau2: real(0.0),
    }
}

/// `X = 16 τ`, `τ = tan²(φ/4)`.
fn wiener_milenkovic(x: DualNumber) -> Coefficients {
    let tau = x * real(1.0 / 16.0);
    let secant2 = ONE + tau;
    let nu = ONE / secant2;
    Coefficients {
        zeta1: (ONE - tau) * nu * nu,
        zeta2: real(0.5) * nu * nu,
        chi0: secant2,
        chi2: real(0.125),
        tau0: nu,
        tau2: real(0.125) * nu * nu,
    }
}
