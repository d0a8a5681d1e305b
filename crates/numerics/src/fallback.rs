//! Sparse LU with pivoting, for matrices whose pivots cannot stay on the
//! diagonal. Slower than [`crate::SparseLu`] by an order of magnitude; it takes
//! the same pattern and values, so that a caller can switch.

use crate::pattern::Pattern;
use faer::linalg::solvers::Solve;
use faer::sparse::linalg::LuError;
use faer::sparse::linalg::solvers::{Lu, SymbolicLu};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};

/// A matrix that has no factors even with pivoting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FallbackError {
    /// No pivot can be found whatever the values are.
    #[error("the pattern is singular: no pivot in column {column} of the elimination")]
    Pattern {
        /// Step of the elimination.
        column: usize,
    },
    /// The factors are not finite.
    #[error("the matrix is singular to working precision")]
    Singular,
    /// An entry is infinite or not a number.
    #[error("a value of the matrix is not finite")]
    NotFinite,
    /// The factors do not fit in memory.
    #[error("the factors do not fit in memory")]
    Memory,
}

/// LU with pivoting of matrices of one pattern, on faer.
#[derive(Debug, Clone)]
pub struct PivotingLu {
    pattern: Pattern,
    symbolic: SymbolicLu<usize>,
    factors: Option<Lu<usize, f64>>,
}

impl PivotingLu {
    /// Analyses the pattern.
    pub fn new(pattern: &Pattern) -> Result<Self, FallbackError> {
        let symbolic = SymbolicLu::try_new(view(pattern)).map_err(|_| FallbackError::Memory)?;
        Ok(Self { pattern: pattern.clone(), symbolic, factors: None })
    }

    /// Factors the matrix with these values.
    pub fn factor(&mut self, values: &[f64]) -> Result<(), FallbackError> {
        assert_eq!(values.len(), self.pattern.nnz(), "one value per stored entry");
        self.factors = None;
        if !values.iter().all(|v| v.is_finite()) {
            return Err(FallbackError::NotFinite);
        }
        let matrix = SparseColMatRef::new(view(&self.pattern), values);
        let factors =
            Lu::try_new_with_symbolic(self.symbolic.clone(), matrix).map_err(|error| match error {
                LuError::SymbolicSingular { index } => FallbackError::Pattern { column: index },
                LuError::Generic(_) => FallbackError::Memory,
            })?;
        self.factors = Some(factors);
        // A zero pivot appears only in a solution.
        let mut probe = vec![1.0; self.pattern.n()];
        self.solve(&mut probe);
        if probe.iter().all(|x| x.is_finite()) {
            Ok(())
        } else {
            self.factors = None;
            Err(FallbackError::Singular)
        }
    }

    /// b := A⁻¹ b with the last successful factors.
    ///
    /// # Panics
    /// If nothing has been factored.
    pub fn solve(&self, b: &mut [f64]) {
        assert_eq!(b.len(), self.pattern.n(), "vector of length n");
        let Some(factors) = &self.factors else {
            panic!("solve before a successful factor");
        };
        let rows = b.len();
        factors.solve_in_place(faer::MatMut::from_column_major_slice_mut(b, rows, 1));
    }
}

fn view(pattern: &Pattern) -> SymbolicSparseColMatRef<'_, usize> {
    let n = pattern.n();
    SymbolicSparseColMatRef::new_checked(n, n, pattern.column_starts(), None, pattern.row_indices())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{PatternBuilder, SparseLu};

    fn two_by_two(values: [f64; 4]) -> (Pattern, Vec<f64>) {
        let mut builder = PatternBuilder::new(2);
        builder.add_clique(&[0, 1]);
        (builder.build(), values.to_vec())
    }

    #[test]
    fn solves_where_the_static_pivot_is_zero() {
        let (pattern, values) = two_by_two([0.0, 3.0, 2.0, 1.0]);
        let error = SparseLu::new(&pattern).factor(&values).unwrap_err();
        assert_eq!(error.row, 0);
        let mut lu = PivotingLu::new(&pattern).unwrap();
        lu.factor(&values).unwrap();
        let mut b = [4.0, 5.0];
        lu.solve(&mut b);
        assert!((b[0] - 1.0).abs() < 1e-15 && (b[1] - 2.0).abs() < 1e-15);
    }

    #[test]
    fn reports_singular_and_not_finite() {
        let (pattern, values) = two_by_two([1.0, 2.0, 2.0, 4.0]);
        let mut lu = PivotingLu::new(&pattern).unwrap();
        assert_eq!(lu.factor(&values), Err(FallbackError::Singular));
        assert_eq!(lu.factor(&[f64::NAN; 4]), Err(FallbackError::NotFinite));
    }
}
