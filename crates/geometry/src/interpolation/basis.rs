//! Interpolation functions `l_k(x)` (motion-interpolation-galerkin §1.9, §1.22).

use thiserror::Error;

/// A set of functions `l_k` with `Σ l_k = 1`, which weighs the data of `n` nodes at every `x` of an interval.
pub trait Basis {
    /// Number of functions.
    fn len(&self) -> usize;

    /// Node of each function, ascending: `l_k(x_j) = δ_kj` if the basis is [nodal](Basis::is_nodal).
    fn nodes(&self) -> &[f64];

    /// Ends of the interval; one period if the functions are periodic.
    fn interval(&self) -> (f64, f64);

    /// Whether each function is one at its own node and zero at the others.
    fn is_nodal(&self) -> bool {
        true
    }

    /// Writes `l_k(x)` and `l_k'(x)`. Does not allocate.
    ///
    /// # Panics
    /// If a slice does not have [`len`](Basis::len) entries.
    fn evaluate(&self, x: f64, values: &mut [f64], slopes: &mut [f64]);

    /// Whether there is no function at all.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// `l_k(x)` for all `k`.
    fn values(&self, x: f64) -> Vec<f64> {
        let (mut values, mut slopes) = (vec![0.0; self.len()], vec![0.0; self.len()]);
        self.evaluate(x, &mut values, &mut slopes);
        values
    }

    /// `l_k'(x)` for all `k`.
    fn derivatives(&self, x: f64) -> Vec<f64> {
        let (mut values, mut slopes) = (vec![0.0; self.len()], vec![0.0; self.len()]);
        self.evaluate(x, &mut values, &mut slopes);
        slopes
    }
}

/// A basis that cannot be built.
#[derive(Debug, Clone, PartialEq, Error)]
pub enum BasisError {
    /// Too few nodes for the kind of basis.
    #[error("{found} nodes are too few: at least {needed} are needed")]
    TooFewNodes {
        /// Nodes given.
        found: usize,
        /// Nodes needed.
        needed: usize,
    },
    /// Nodes or knots that do not ascend, or are not finite.
    #[error("{what} do not ascend at entry {index}: {left} is followed by {right}")]
    NotAscending {
        /// "nodes", "knots" or "ends of the interval".
        what: &'static str,
        /// Index of the second of the pair.
        index: usize,
        /// First of the pair.
        left: f64,
        /// Second of the pair.
        right: f64,
    },
    /// A knot vector whose length is not number of functions + degree + 1.
    #[error("{knots} knots do not define {functions} B-splines of degree {degree}")]
    KnotCount {
        /// Knots given.
        knots: usize,
        /// Functions wanted.
        functions: usize,
        /// Degree.
        degree: usize,
    },
    /// A degree beyond what the basis supports.
    #[error("degree {degree} exceeds the greatest one supported, {limit}")]
    Degree {
        /// Degree wanted.
        degree: usize,
        /// Greatest degree.
        limit: usize,
    },
    /// The number of data sites differs from the number of splines.
    #[error("{sites} data sites cannot determine {functions} splines")]
    SiteCount {
        /// Sites given.
        sites: usize,
        /// Number of splines.
        functions: usize,
    },
    /// The data sites do not determine the spline (Schoenberg–Whitney condition violated).
    #[error("the collocation matrix of the {sites} data sites is singular")]
    SingularSites {
        /// Number of sites.
        sites: usize,
    },
}

/// Refuses values that do not ascend, strictly if `strict`.
pub(super) fn ascending(what: &'static str, values: &[f64], strict: bool) -> Result<(), BasisError> {
    for (i, pair) in values.windows(2).enumerate() {
        let (left, right) = (pair[0], pair[1]);
        let fine = if strict { left < right } else { left <= right };
        if !(fine && left.is_finite() && right.is_finite()) {
            return Err(BasisError::NotAscending { what, index: i + 1, left, right });
        }
    }
    Ok(())
}
