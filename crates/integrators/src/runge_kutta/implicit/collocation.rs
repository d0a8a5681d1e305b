//! What an implicit step by collocation needs besides its tableau (lagrangian-dae-modeling §1.22, §1.26).
//!
//! Unknowns are the increments Z_i = Y_i − y_n of the m implicit stages: all stages of Radau IIA and Gauss,
//! all but the first of Lobatto IIIA, which is y_n. The step is the polynomial u of the fraction θ of the
//! step with u(0) = 0, u(c_i) = Z_i and, after an explicit first stage, u'(0) = h ẏ_n. Its rates at the
//! stages and its end are
//!
//! ```text
//! h Y'_i = Σ_j w_ij Z_j + w_i0 h ẏ_n,     y_{n+1} = y_n + Σ_j d_j Z_j + d_0 h ẏ_n
//! ```
//! With A = Ã, or A = [0 0; a Ã] if the first stage is explicit: W = Ã⁻¹, w_0 = −W a, d = b̃ᵀW, d_0 = b_1 − d
//! a; w_0 and d_0 are zero if no stage is explicit. The polynomial gives all of them without solving an
//! equation.

use crate::runge_kutta::implicit::estimator::Estimator;
use crate::runge_kutta::implicit::similarity::Similarity;
use crate::runge_kutta::tableau::{Tableau, lagrange};
use poinsot_numerics::dense::DenseError;

/// A method that cannot be treated as collocation.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum CollocationError {
    /// No stage is implicit.
    #[error("{0} is explicit")]
    Explicit(String),
    /// A differs from the integrals of the Lagrange polynomials, or nodes coincide.
    #[error("{name} is not a collocation method: stage {stage} is off by {defect:e}")]
    NotCollocation {
        /// Name of the method.
        name: String,
        /// First stage that differs, counted from 1.
        stage: usize,
        /// How much Σ_j w_ij a_jk differs from the unit matrix.
        defect: f64,
    },
    /// The eigenvalues of W were not found.
    #[error("the stages of {name} cannot be decoupled: {source}")]
    Decoupling {
        /// Name of the method.
        name: String,
        /// What failed.
        source: DenseError,
    },
}

/// Largest entry of W Ã − I in a method that is collocation.
const TOLERANCE: f64 = 1e-11;

/// A collocation method, ready for steps. Vectors have an entry and matrices, stored row by row, a row for
/// each implicit stage.
#[derive(Clone, Debug, PartialEq)]
pub struct Collocation {
    /// The method.
    pub tableau: Tableau,
    /// Nodes of the implicit stages.
    pub c: Vec<f64>,
    /// W = Ã⁻¹.
    pub w: Vec<f64>,
    /// w_0 = −W a.
    pub w_start: Vec<f64>,
    /// d = b̃ᵀW; (0, …, 0, 1) if the end is a stage.
    pub d: Vec<f64>,
    /// d_0 = b_1 − d a.
    pub d_start: f64,
    /// Block-diagonal form of W.
    pub similarity: Similarity,
    /// Error estimate.
    pub estimator: Estimator,
    /// 1/Π(c_j − c_k) over the nodes k ≠ j of the implicit stages, with 1/c_j^r of the basis; and of all
    /// stages.
    scales: Vec<f64>,
    stage_scales: Vec<f64>,
}

impl Collocation {
    /// Prepares a method whose coefficients are those of collocation at its nodes.
    pub fn new(tableau: Tableau) -> Result<Self, CollocationError> {
        if tableau.is_explicit() {
            return Err(CollocationError::Explicit(tableau.name));
        }
        let first = usize::from(tableau.has_explicit_start());
        let c = tableau.c[first..].to_vec();
        let m = c.len();
        let step = Polynomial { c: &c, explicit_start: first == 1 };
        let (mut w, mut w_start) = (vec![0.0; m * m], vec![0.0; m]);
        for (i, row) in w.chunks_exact_mut(m).enumerate() {
            w_start[i] = step.rates(c[i], row);
        }
        check_inverse(&tableau, &w)?;
        let mut d = vec![0.0; m];
        let d_start = step.values(1.0, &mut d);
        let similarity = Similarity::of(&w, m)
            .map_err(|source| CollocationError::Decoupling { name: tableau.name.clone(), source })?;
        let a: Vec<f64> =
            (first..tableau.stages()).map(|i| if first == 1 { tableau.row(i)[0] } else { 0.0 }).collect();
        let estimator = Estimator::new(tableau.order, &c, &tableau.b[first..], &w, &a, &similarity);
        let spread = |c: &[f64], j: usize| -> f64 {
            c.iter().enumerate().filter(|&(k, _)| k != j).map(|(_, node)| c[j] - node).product()
        };
        let scales = (0..m).map(|j| 1.0 / (c[j].powi(1 + first as i32) * spread(&c, j))).collect();
        let stage_scales = (0..tableau.stages()).map(|j| 1.0 / spread(&tableau.c, j)).collect();
        Ok(Self { tableau, c, w, w_start, d, d_start, similarity, estimator, scales, stage_scales })
    }

    /// Number m of implicit stages.
    pub fn implicit_stages(&self) -> usize {
        self.c.len()
    }

    /// Whether the first stage is y_n, so that the rate ẏ_n enters the step.
    pub fn has_explicit_start(&self) -> bool {
        self.implicit_stages() < self.tableau.stages()
    }

    /// Weights of the dense output y(t_n + θh) − y_n = Σ w_i(θ) Z_i + w_0(θ) h ẏ_n; those of Z go to `out`,
    /// w_0 is returned and zero unless the first stage is explicit. A θ > 1 extrapolates, as a prediction of
    /// the next step.
    ///
    /// # Panics
    ///
    /// If `out` has not m entries.
    pub fn weights(&self, theta: f64, out: &mut [f64]) -> f64 {
        self.polynomial().values(theta, out)
    }

    /// Weights of the rate h ẏ(t_n + θh) of the dense output, in the order of [`Self::weights`].
    ///
    /// # Panics
    ///
    /// If `out` has not m entries.
    pub fn rate_weights(&self, theta: f64, out: &mut [f64]) -> f64 {
        self.polynomial().rates(theta, out)
    }

    /// Weights of the interpolation through values at all s stages and nothing else, of degree s − 1: for
    /// multipliers and rates.
    ///
    /// # Panics
    ///
    /// If `out` has not s entries.
    pub fn stage_weights(&self, theta: f64, out: &mut [f64]) {
        assert_eq!(out.len(), self.tableau.stages(), "one weight for each stage");
        for (j, out) in out.iter_mut().enumerate() {
            *out = lagrange(&self.tableau.c, j, theta);
        }
    }

    /// [`Self::weights`] beyond the step, θ > 1, by one product over all nodes instead of one for each stage.
    pub(crate) fn weights_beyond(&self, theta: f64, out: &mut [f64]) -> f64 {
        let power = if self.has_explicit_start() { theta * theta } else { theta };
        let all: f64 = self.c.iter().map(|node| theta - node).product();
        for ((out, node), scale) in out.iter_mut().zip(&self.c).zip(&self.scales) {
            *out = power * all * scale / (theta - node);
        }
        if self.has_explicit_start() { self.polynomial().of_start_rate(theta).value } else { 0.0 }
    }

    /// [`Self::stage_weights`] beyond the step, θ > 1.
    pub(crate) fn stage_weights_beyond(&self, theta: f64, out: &mut [f64]) {
        let all: f64 = self.tableau.c.iter().map(|node| theta - node).product();
        for ((out, node), scale) in out.iter_mut().zip(&self.tableau.c).zip(&self.stage_scales) {
            *out = all * scale / (theta - node);
        }
    }

    fn polynomial(&self) -> Polynomial<'_> {
        Polynomial { c: &self.c, explicit_start: self.has_explicit_start() }
    }
}

/// W Ã = I, which holds for collocation only.
fn check_inverse(tableau: &Tableau, w: &[f64]) -> Result<(), CollocationError> {
    let s = tableau.stages();
    let m = w.len().isqrt();
    let first = s - m;
    for i in 0..m {
        for k in 0..m {
            let product: f64 = (0..m).map(|j| w[i * m + j] * tableau.a[(first + j) * s + first + k]).sum();
            let defect = (product - if i == k { 1.0 } else { 0.0 }).abs();
            if defect.is_nan() || defect > TOLERANCE {
                let name = tableau.name.clone();
                return Err(CollocationError::NotCollocation { name, stage: first + i + 1, defect });
            }
        }
    }
    Ok(())
}

/// The basis of the polynomials u, with r = 1, or r = 2 where u'(0) is given:
///
/// ```text
/// M_j(x) = (x/c_j)^r Π_{k≠j} (x − c_k)/(c_j − c_k),     M_0(x) = x Π_k (1 − x/c_k)
/// ```
struct Polynomial<'c> {
    c: &'c [f64],
    explicit_start: bool,
}

impl Polynomial<'_> {
    /// M_j(x), and M_0(x) or zero.
    fn values(&self, x: f64, out: &mut [f64]) -> f64 {
        self.evaluate(x, out, |basis| basis.value)
    }

    /// M_j'(x), and M_0'(x) or zero.
    fn rates(&self, x: f64, out: &mut [f64]) -> f64 {
        self.evaluate(x, out, |basis| basis.slope)
    }

    fn evaluate(&self, x: f64, out: &mut [f64], pick: impl Fn(Product) -> f64) -> f64 {
        assert_eq!(out.len(), self.c.len(), "one weight for each implicit stage");
        for (j, out) in out.iter_mut().enumerate() {
            *out = pick(self.of_stage(j, x));
        }
        if self.explicit_start { pick(self.of_start_rate(x)) } else { 0.0 }
    }

    /// M_j.
    fn of_stage(&self, j: usize, x: f64) -> Product {
        let own = self.c[j];
        let start = Product::ONE.times(x, own);
        let start = if self.explicit_start { start.times(x, own) } else { start };
        let others = self.c.iter().enumerate().filter(|&(k, _)| k != j);
        others.fold(start, |product, (_, node)| product.times(x - node, own - node))
    }

    /// M_0.
    fn of_start_rate(&self, x: f64) -> Product {
        self.c.iter().fold(Product::ONE.times(x, 1.0), |product, node| product.times(x - node, -node))
    }
}

/// A product of linear factors, and its derivative.
#[derive(Clone, Copy)]
struct Product {
    value: f64,
    slope: f64,
}

impl Product {
    const ONE: Self = Self { value: 1.0, slope: 0.0 };

    /// Multiplied by distance/scale, where the distance grows by one with the variable. Dividing here keeps
    /// the basis exactly 0 or 1 at the nodes.
    fn times(self, distance: f64, scale: f64) -> Self {
        let factor = distance / scale;
        Self { value: self.value * factor, slope: self.slope * factor + self.value / scale }
    }
}

#[cfg(test)]
mod tests;
