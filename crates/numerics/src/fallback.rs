//! Sparse LU with pivoting, for matrices whose pivots cannot stay on the
//! diagonal. Slower than [`crate::SparseLu`] and [`crate::ComplexLu`] by an order of
//! magnitude; it takes the same pattern and values, so that a caller can switch.

use crate::pattern::{Pattern, PatternBuilder};
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

impl From<LuError> for FallbackError {
    fn from(error: LuError) -> Self {
        match error {
            LuError::SymbolicSingular { index } => Self::Pattern { column: index },
            LuError::Generic(_) => Self::Memory,
        }
    }
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
        self.factors = Some(Lu::try_new_with_symbolic(self.symbolic.clone(), matrix)?);
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
        let rows = b.len();
        self.factors().solve_in_place(faer::MatMut::from_column_major_slice_mut(b, rows, 1));
    }

    /// b := A⁻ᵀ b with the last successful factors.
    ///
    /// # Panics
    /// If nothing has been factored.
    pub fn solve_transposed(&self, b: &mut [f64]) {
        assert_eq!(b.len(), self.pattern.n(), "vector of length n");
        let rows = b.len();
        self.factors().solve_transpose_in_place(faer::MatMut::from_column_major_slice_mut(b, rows, 1));
    }

    fn factors(&self) -> &Lu<usize, f64> {
        let Some(factors) = &self.factors else {
            panic!("solve before a successful factor");
        };
        factors
    }
}

/// LU with pivoting of complex matrices of one pattern, as real ones of twice the size: each entry a + ib is
/// the block [a, −b; b, a]. faer for complex numbers would take as long to compile as for real ones.
#[derive(Debug, Clone)]
pub struct ComplexPivotingLu {
    pattern: Pattern,
    doubled: PivotingLu,
}

impl ComplexPivotingLu {
    /// Analyses the pattern.
    pub fn new(pattern: &Pattern) -> Result<Self, FallbackError> {
        let mut builder = PatternBuilder::new(2 * pattern.n());
        for column in 0..pattern.n() {
            for &row in pattern.rows(column) {
                builder.add_block(&[2 * row, 2 * row + 1], &[2 * column, 2 * column + 1]);
            }
        }
        Ok(Self { pattern: pattern.clone(), doubled: PivotingLu::new(&builder.build())? })
    }

    /// Factors the matrix with the given real and imaginary parts, one value per stored entry.
    pub fn factor(&mut self, re: &[f64], im: &[f64]) -> Result<(), FallbackError> {
        let nnz = self.pattern.nnz();
        assert!(re.len() == nnz && im.len() == nnz, "one value per stored entry");
        let mut values = Vec::with_capacity(4 * nnz);
        for column in 0..self.pattern.n() {
            let slots = self.pattern.slots(column);
            values.extend(slots.clone().flat_map(|k| [re[k], im[k]]));
            values.extend(slots.flat_map(|k| [-im[k], re[k]]));
        }
        self.doubled.factor(&values)
    }

    /// (re + i im) := A⁻¹ (re + i im), in place, with the last successful factors.
    ///
    /// # Panics
    /// If nothing has been factored.
    pub fn solve(&self, re: &mut [f64], im: &mut [f64]) {
        let n = self.pattern.n();
        assert!(re.len() == n && im.len() == n, "vectors of length n");
        let mut x: Vec<f64> = re.iter().zip(&*im).flat_map(|(&re, &im)| [re, im]).collect();
        self.doubled.solve(&mut x);
        for ((re, im), x) in re.iter_mut().zip(im).zip(x.chunks_exact(2)) {
            (*re, *im) = (x[0], x[1]);
        }
    }
}

fn view(pattern: &Pattern) -> SymbolicSparseColMatRef<'_, usize> {
    let n = pattern.n();
    SymbolicSparseColMatRef::new_checked(n, n, pattern.column_starts(), None, pattern.row_indices())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::SparseLu;

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
        let mut lu = ComplexPivotingLu::new(&pattern).unwrap();
        assert_eq!(lu.factor(&values, &values), Err(FallbackError::Singular));
        assert_eq!(lu.factor(&values, &[f64::NAN; 4]), Err(FallbackError::NotFinite));
    }
}
