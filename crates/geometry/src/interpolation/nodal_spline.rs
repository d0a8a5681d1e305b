//! Nodal functions of a spline space (motion-interpolation-galerkin §1.22, B.42 and B.45).
//!
//! With the collocation matrix `C_jk = b_k(x_j)` of the data sites, the control points `c = C⁻¹ f` reproduce
//! the data, so that
//!
//! ```text
//! Σ_k b_k(x) c_k = Σ_j l_j(x) f_j ,      l_j(x) = Σ_k b_k(x) (C⁻¹)_kj
//! ```
//!
//! Weighing nodal motions with `l_j` is therefore the same as solving for control points of their redundant
//! coordinates and projecting afterwards.

use super::basis::{Basis, BasisError, ascending};
use super::bspline::BSpline;
use nalgebra::DMatrix;

/// The B-splines that are not zero at one point live on the stack.
const MAX_LOCAL: usize = 32;

/// Spline functions with `l_k(x_j) = δ_kj` at given data sites.
#[derive(Debug, Clone, PartialEq)]
pub struct NodalSpline {
    spline: BSpline,
    sites: Vec<f64>,
    /// `C⁻¹`: row `k` belongs to B-spline `k`.
    inverse: DMatrix<f64>,
}

impl NodalSpline {
    /// Nodal functions of the space of `spline` for ascending data sites, as many as it has functions.
    pub fn new(spline: BSpline, sites: Vec<f64>) -> Result<Self, BasisError> {
        let n = spline.len();
        if sites.len() != n {
            return Err(BasisError::SiteCount { sites: sites.len(), functions: n });
        }
        if spline.degree() >= MAX_LOCAL {
            return Err(BasisError::Degree { degree: spline.degree(), limit: MAX_LOCAL - 1 });
        }
        ascending("nodes", &sites, true)?;
        let collocation = {
            let rows: Vec<f64> = sites.iter().flat_map(|x| spline.values(*x)).collect();
            DMatrix::from_row_slice(n, n, &rows)
        };
        let inverse = collocation.try_inverse().filter(|m| m.iter().all(|entry| entry.is_finite()));
        let inverse = inverse.ok_or(BasisError::SingularSites { sites: n })?;
        Ok(Self { spline, sites, inverse })
    }

    /// Clamped equidistant knots with data at the Greville abscissae.
    pub fn greville(degree: usize, n: usize, a: f64, b: f64) -> Result<Self, BasisError> {
        let spline = BSpline::clamped(degree, n, a, b)?;
        let sites = spline.nodes().to_vec();
        Self::new(spline, sites)
    }

    /// Not-a-knot spline through data at given sites.
    pub fn not_a_knot(degree: usize, sites: Vec<f64>) -> Result<Self, BasisError> {
        Self::new(BSpline::not_a_knot(degree, &sites)?, sites)
    }

    /// Periodic spline through `n` equidistant data. For even degrees the knots lie between the data.
    pub fn periodic(degree: usize, n: usize, origin: f64, period: f64) -> Result<Self, BasisError> {
        let spline = BSpline::periodic(degree, n, origin, period)?;
        let sites = spline.nodes().to_vec();
        Self::new(spline, sites)
    }

    /// The B-splines that span the space.
    pub fn spline(&self) -> &BSpline {
        &self.spline
    }
}

impl Basis for NodalSpline {
    fn len(&self) -> usize {
        self.sites.len()
    }

    fn nodes(&self) -> &[f64] {
        &self.sites
    }

    fn interval(&self) -> (f64, f64) {
        self.spline.interval()
    }

    fn evaluate(&self, x: f64, values: &mut [f64], slopes: &mut [f64]) {
        let first = self.spline.evaluate_local(x, values, slopes);
        let (n, count) = (self.sites.len(), self.spline.degree() + 1);
        let mut local = [(0.0, 0.0); MAX_LOCAL];
        for (i, pair) in local[..count].iter_mut().enumerate() {
            let k = (first + i) % n;
            *pair = (values[k], slopes[k]);
        }
        for j in 0..n {
            let column = self.inverse.column(j);
            let (mut value, mut slope) = (0.0, 0.0);
            for (i, (b, b_slope)) in local[..count].iter().enumerate() {
                let c = column[(first + i) % n];
                value += b * c;
                slope += b_slope * c;
            }
            (values[j], slopes[j]) = (value, slope);
        }
    }
}
