//! Newton's method on the motion manifold (motion-interpolation-galerkin §1.8).
//!
//! Increments are material: a pose moves by right multiplication with `exp(Δu)`. The gradient of `f` is `sᵀ
//! grad f = d/de f(H exp(e s))` and the Hessian is the directional derivative of the gradient vector, which
//! is not symmetric away from stationary points.

use crate::se3::Pose;
use crate::{Mat6, Vec6};
use nalgebra::{DMatrix, DVector};
use thiserror::Error;

/// Stopping rule and trust region.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewtonOptions {
    /// Converged when the residual norm is at most this.
    pub tolerance: f64,
    /// Greatest rotation (rad) of one step; the whole step is shortened to respect it.
    pub rotation_radius: f64,
    /// Greatest number of steps.
    pub max_steps: usize,
}

impl Default for NewtonOptions {
    fn default() -> Self {
        Self { tolerance: 1e-12, rotation_radius: 0.5, max_steps: 50 }
    }
}

/// Failure of the iteration.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum NewtonError {
    /// The linear system has no unique solution.
    #[error("Newton matrix is singular at step {step} (residual {residual:e})")]
    Singular {
        /// Step at which it happened.
        step: usize,
        /// Residual norm there.
        residual: f64,
    },
    /// The residual is not finite.
    #[error("residual is not finite at step {step}")]
    NotFinite {
        /// Step at which it happened.
        step: usize,
    },
    /// The blocks of the Lagrangian do not fit the numbers of unknowns.
    #[error("blocks of the Lagrangian do not fit {parameters} parameters and {constraints} constraints")]
    Size {
        /// Number of parameters of the start state.
        parameters: usize,
        /// Number of multipliers of the start state.
        constraints: usize,
    },
    /// Too many steps.
    #[error("no convergence in {steps} steps: residual {residual:e} exceeds {tolerance:e}")]
    NotConverged {
        /// Steps taken.
        steps: usize,
        /// Residual norm reached.
        residual: f64,
        /// Residual norm wanted.
        tolerance: f64,
    },
}

/// Converged pose.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct NewtonSolution {
    /// Pose with vanishing residual.
    pub pose: Pose,
    /// Steps taken.
    pub steps: usize,
    /// Residual norm reached.
    pub residual: f64,
}

impl NewtonOptions {
    /// Factor `min(δ/|Δψ|, 1)` that keeps the angular part of a step inside the trust region.
    pub fn step_factor(&self, increment: &Vec6) -> f64 {
        let rotation = increment.fixed_rows::<3>(3).norm();
        if rotation > self.rotation_radius { self.rotation_radius / rotation } else { 1.0 }
    }

    /// Whether to go on from a residual norm.
    fn unfinished(&self, step: usize, residual: f64) -> Result<bool, NewtonError> {
        if !residual.is_finite() {
            return Err(NewtonError::NotFinite { step });
        }
        if residual <= self.tolerance {
            return Ok(false);
        }
        if step == self.max_steps {
            let tolerance = self.tolerance;
            return Err(NewtonError::NotConverged { steps: step, residual, tolerance });
        }
        Ok(true)
    }
}

/// Algorithm 1: solves `r(H) = 0` from `start`; `system` gives `r` and its material derivative.
///
/// For a minimum of `f`, pass its gradient and Hessian.
pub fn newton(
    start: Pose,
    options: &NewtonOptions,
    mut system: impl FnMut(&Pose) -> (Vec6, Mat6),
) -> Result<NewtonSolution, NewtonError> {
    let mut pose = start;
    let mut step = 0;
    loop {
        let (r, gradient) = system(&pose);
        let residual = r.norm();
        if !options.unfinished(step, residual)? {
            return Ok(NewtonSolution { pose, steps: step, residual });
        }
        let increment = gradient.lu().solve(&-r).ok_or(NewtonError::Singular { step, residual })?;
        pose = pose.update(&(options.step_factor(&increment) * increment));
        step += 1;
    }
}

/// Unknowns of an equality-constrained problem on `parameters × motion`.
#[derive(Debug, Clone, PartialEq)]
pub struct ConstrainedState {
    /// Free parameters θ.
    pub parameters: DVector<f64>,
    /// Pose.
    pub pose: Pose,
    /// Multipliers ν of the constraints.
    pub multipliers: DVector<f64>,
}

/// First and second derivatives of the Lagrangian `L = J + νᵀ r` at one state.
#[derive(Debug, Clone, PartialEq)]
pub struct LagrangianTerms {
    /// `∂L/∂θ`.
    pub parameter_gradient: DVector<f64>,
    /// Material gradient of `L`.
    pub motion_gradient: Vec6,
    /// Constraints `r`.
    pub constraints: DVector<f64>,
    /// `L_θθ`.
    pub parameter_hessian: DMatrix<f64>,
    /// `L_θR` (parameters × 6).
    pub parameter_motion: DMatrix<f64>,
    /// `L_Rθ` (6 × parameters).
    pub motion_parameter: DMatrix<f64>,
    /// `L_RR`, in general unsymmetric.
    pub motion_hessian: Mat6,
    /// `∂r/∂θ`.
    pub constraint_parameter: DMatrix<f64>,
    /// Material derivative of `r` (constraints × 6).
    pub constraint_motion: DMatrix<f64>,
}

impl LagrangianTerms {
    /// Whether every block has the size for `n` parameters and `m` constraints.
    fn fits(&self, n: usize, m: usize) -> bool {
        self.parameter_gradient.len() == n
            && self.constraints.len() == m
            && self.parameter_hessian.shape() == (n, n)
            && self.parameter_motion.shape() == (n, 6)
            && self.motion_parameter.shape() == (6, n)
            && self.constraint_parameter.shape() == (m, n)
            && self.constraint_motion.shape() == (m, 6)
    }

    /// `[L_θθ, L_θR, r_θᵀ ; L_Rθ, L_RR, r_Rᵀ ; r_θ, r_R, 0]`.
    fn matrix(&self) -> DMatrix<f64> {
        let (n, m) = (self.parameter_gradient.len(), self.constraints.len());
        let mut k = DMatrix::zeros(n + 6 + m, n + 6 + m);
        k.view_mut((0, 0), (n, n)).copy_from(&self.parameter_hessian);
        k.view_mut((0, n), (n, 6)).copy_from(&self.parameter_motion);
        k.view_mut((n, 0), (6, n)).copy_from(&self.motion_parameter);
        k.view_mut((n, n), (6, 6)).copy_from(&self.motion_hessian);
        k.view_mut((n + 6, 0), (m, n)).copy_from(&self.constraint_parameter);
        k.view_mut((n + 6, n), (m, 6)).copy_from(&self.constraint_motion);
        k.view_mut((0, n + 6), (n, m)).copy_from(&self.constraint_parameter.transpose());
        k.view_mut((n, n + 6), (6, m)).copy_from(&self.constraint_motion.transpose());
        k
    }

    fn residual(&self) -> DVector<f64> {
        let (n, m) = (self.parameter_gradient.len(), self.constraints.len());
        let mut r = DVector::zeros(n + 6 + m);
        r.rows_mut(0, n).copy_from(&self.parameter_gradient);
        r.rows_mut(n, 6).copy_from(&self.motion_gradient);
        r.rows_mut(n + 6, m).copy_from(&self.constraints);
        r
    }
}

/// Stationary point of `J` under `r = 0` by Newton's method on the KKT system (2.66–2.68).
///
/// Returns the state and the number of steps.
pub fn constrained_newton(
    start: ConstrainedState,
    options: &NewtonOptions,
    mut terms: impl FnMut(&ConstrainedState) -> LagrangianTerms,
) -> Result<(ConstrainedState, usize), NewtonError> {
    let mut state = start;
    let (n, m) = (state.parameters.len(), state.multipliers.len());
    let mut step = 0;
    loop {
        let t = terms(&state);
        if !t.fits(n, m) {
            return Err(NewtonError::Size { parameters: n, constraints: m });
        }
        let r = t.residual();
        let residual = r.norm();
        if !options.unfinished(step, residual)? {
            return Ok((state, step));
        }
        let solution = t.matrix().lu().solve(&-r).ok_or(NewtonError::Singular { step, residual })?;
        let motion: Vec6 = solution.fixed_rows::<6>(n).into();
        let factor = options.step_factor(&motion);
        state.parameters += factor * solution.rows(0, n);
        state.pose = state.pose.update(&(factor * motion));
        state.multipliers += factor * solution.rows(n + 6, m);
        step += 1;
    }
}
