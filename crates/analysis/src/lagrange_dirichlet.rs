//! Lagrange and Dirichlet on natural conservative systems, T = ½ q̇ᵀM(q) q̇ and a potential V(q)
//! (lagrangian-dae-modeling §1.28):
//!
//! ```text
//! equilibrium      ∂V/∂q = 0
//! stable           V has a minimum: its Hessian is positive definite
//! unstable         V has no minimum: an eigenvalue of the Hessian is negative
//! ```
//! A Hessian that is only semidefinite does not decide.

use poinsot_expr::{EvalError, Expr, SmoothFunction};
use poinsot_numerics::dense::{DenseError, Mat, symmetric_eigen};
use thiserror::Error;

/// ∂V/∂q below this share of the Hessian's entries times the usual size of a coordinate is zero.
const LEVEL: f64 = 1e-8;
/// An eigenvalue below this share of the largest is zero.
const FLAT: f64 = 1e-11;

/// What the potential says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PotentialVerdict {
    /// A minimum: stable.
    Minimum,
    /// Falls in some directions and rises in others: unstable.
    Saddle,
    /// Falls in all directions: unstable.
    Maximum,
    /// Flat to second order in some direction and falling in none: not decided.
    Flat,
}

impl PotentialVerdict {
    /// Whether the equilibrium is stable; none if that is not decided.
    pub fn is_stable(self) -> Option<bool> {
        match self {
            PotentialVerdict::Minimum => Some(true),
            PotentialVerdict::Saddle | PotentialVerdict::Maximum => Some(false),
            PotentialVerdict::Flat => None,
        }
    }
}

/// The Hessian of a potential at an equilibrium.
#[derive(Clone, Debug)]
pub struct Potential {
    /// The verdict.
    pub verdict: PotentialVerdict,
    /// ∂²V/∂q², exact.
    pub hessian: Mat<f64>,
    /// Its eigenvalues, ascending.
    pub eigenvalues: Vec<f64>,
}

/// Why the potential says nothing.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PotentialError {
    /// The point is no equilibrium.
    #[error("the point is no equilibrium: the potential changes by {slope:.6e} per unit of `{coordinate}`")]
    NoEquilibrium {
        /// The coordinate.
        coordinate: String,
        /// ∂V/∂q.
        slope: f64,
    },
    /// Not as many values as coordinates.
    #[error("{values} values for {coordinates} coordinates")]
    Lengths {
        /// Number of coordinates.
        coordinates: usize,
        /// Number of values.
        values: usize,
    },
    /// The expression cannot be evaluated.
    #[error(transparent)]
    Expression(#[from] EvalError),
    /// The eigenvalues could not be found.
    #[error(transparent)]
    Dense(#[from] DenseError),
}

/// Judges the equilibrium `at` of the potential `v` of the coordinates; `parameters` has the values of all
/// other names.
pub fn lagrange_dirichlet(
    v: &Expr,
    coordinates: &[String],
    at: &[f64],
    parameters: &dyn Fn(&str) -> Option<f64>,
) -> Result<Potential, PotentialError> {
    let n = coordinates.len();
    if at.len() != n {
        return Err(PotentialError::Lengths { coordinates: n, values: at.len() });
    }
    let names: Vec<&str> = coordinates.iter().map(String::as_str).collect();
    let v = SmoothFunction::new(v, &names, parameters)?;
    let hessian = Mat::from_fn(n, n, |i, j| v.second(i, j, at));
    let stiffest = hessian.norm_max();
    for (k, name) in coordinates.iter().enumerate() {
        let (slope, size) = (v.partial(k, at), at[k].abs().max(1.0));
        if slope.abs() > LEVEL * (stiffest * size).max(f64::MIN_POSITIVE) {
            return Err(PotentialError::NoEquilibrium { coordinate: name.clone(), slope });
        }
    }
    let (eigenvalues, _) = match n {
        0 => (vec![], Mat::zeros(0, 0)),
        _ => symmetric_eigen(hessian.as_ref(), Mat::<f64>::identity(n, n).as_ref())?,
    };
    let zero = FLAT * eigenvalues.iter().fold(0.0, |m: f64, e| m.max(e.abs()));
    let (falling, rising) = (
        eigenvalues.iter().filter(|e| **e < -zero).count(),
        eigenvalues.iter().filter(|e| **e > zero).count(),
    );
    let verdict = match (falling, rising) {
        (0, r) if r == n => PotentialVerdict::Minimum,
        (0, _) => PotentialVerdict::Flat,
        (f, _) if f == n => PotentialVerdict::Maximum,
        _ => PotentialVerdict::Saddle,
    };
    Ok(Potential { verdict, hessian, eigenvalues })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::f64::consts::PI;

    const PARAMETERS: [(&str, f64); 4] = [("k", 20.0), ("m2", 0.1), ("g", 9.8), ("l", 0.25)];

    fn judge(v: &str, names: &[&str], at: &[f64]) -> Result<Potential, PotentialError> {
        let names: Vec<String> = names.iter().map(|n| n.to_string()).collect();
        let parameters = |name: &str| PARAMETERS.iter().find(|(n, _)| *n == name).map(|(_, v)| *v);
        lagrange_dirichlet(&Expr::parse(v).unwrap(), &names, at, &parameters)
    }

    /// VC-6.8: Hessian diag(k, −m2 g l cosθ): (0, 0) is a saddle, (0, π) a minimum.
    #[test]
    fn pendulum_on_a_sprung_cart() {
        let v = "k*x^2/2 + m2*g*l*cos(th)";
        let (k, w) = (20.0, 0.1 * 9.8 * 0.25);
        let up = judge(v, &["x", "th"], &[0.0, 0.0]).unwrap();
        assert_eq!((up.verdict, up.verdict.is_stable()), (PotentialVerdict::Saddle, Some(false)));
        assert_eq!((up.hessian[(0, 0)], up.hessian[(0, 1)]), (k, 0.0));
        assert!((up.hessian[(1, 1)] + w).abs() < 1e-15);
        let down = judge(v, &["x", "th"], &[0.0, PI]).unwrap();
        assert_eq!((down.verdict, down.verdict.is_stable()), (PotentialVerdict::Minimum, Some(true)));
        assert!((down.eigenvalues[0] - w).abs() < 1e-15 && (down.eigenvalues[1] - k).abs() < 1e-12);
    }

    #[test]
    fn other_cases() {
        assert_eq!(judge("-x^2", &["x"], &[0.0]).unwrap().verdict, PotentialVerdict::Maximum);
        let flat = judge("x^2 + y^4", &["x", "y"], &[0.0, 0.0]).unwrap();
        assert_eq!(flat.verdict.is_stable(), None);
        let error = judge("x^2", &["x"], &[0.5]).unwrap_err();
        assert!(matches!(error, PotentialError::NoEquilibrium { slope, .. } if slope == 1.0));
        assert!(matches!(judge("x", &["x"], &[]), Err(PotentialError::Lengths { .. })));
    }
}
