//! Square sparse matrices with pivoting, for starts and for rates: R A C = L U with row scales R and column
//! scales C.

use poinsot_numerics::PivotingLu;
use poinsot_numerics::pattern::{Pattern, PatternBuilder};

/// Where the entries of square matrices stand, analysed once.
#[derive(Debug)]
pub(crate) struct SquarePattern {
    /// (row, column) of each entry.
    places: Vec<(usize, usize)>,
    /// Where each of them is stored.
    slots: Vec<usize>,
    pattern: Pattern,
    lu: PivotingLu,
}

/// A matrix with its factors.
pub(crate) struct SparseSquare {
    pattern: Pattern,
    values: Vec<f64>,
    lu: PivotingLu,
    row_scale: Vec<f64>,
    column_scale: Vec<f64>,
}

/// A solution of the scaled equations that is larger than this times what it answers stands on a pivot that
/// is only rounding.
const SAFE: f64 = 1e10;

impl SquarePattern {
    /// Matrices of n rows with entries at the given (row, column).
    pub fn new(n: usize, places: Vec<(usize, usize)>) -> Option<Self> {
        let mut builder = PatternBuilder::new(n);
        for &(row, column) in &places {
            builder.add_block(&[row], &[column]);
        }
        let pattern = builder.build();
        let slots = places.iter().map(|&(row, column)| pattern.index(row, column));
        let slots = slots.collect::<Option<Vec<usize>>>()?;
        let lu = PivotingLu::new(&pattern).ok()?;
        Some(SquarePattern { places, slots, pattern, lu })
    }

    /// The factors of the matrix with these entries; none if it has none.
    pub fn factor(&self, entries: &[f64]) -> Option<SparseSquare> {
        let n = self.pattern.n();
        let inverse = |x: f64| (x > 0.0 && x.is_finite()).then(|| 1.0 / x);
        let mut largest = vec![0.0f64; n];
        for (&(row, _), value) in self.places.iter().zip(entries) {
            largest[row] = largest[row].max(value.abs());
        }
        let row_scale = largest.iter().map(|x| inverse(*x)).collect::<Option<Vec<f64>>>()?;
        largest.fill(0.0);
        for (&(row, column), value) in self.places.iter().zip(entries) {
            largest[column] = largest[column].max((value * row_scale[row]).abs());
        }
        let column_scale = largest.iter().map(|x| inverse(*x)).collect::<Option<Vec<f64>>>()?;
        let mut values = vec![0.0; self.pattern.nnz()];
        for ((&(row, column), value), &slot) in self.places.iter().zip(entries).zip(&self.slots) {
            values[slot] += value * row_scale[row] * column_scale[column];
        }
        let mut lu = self.lu.clone();
        lu.factor(&values).ok()?;
        Some(SparseSquare { pattern: self.pattern.clone(), values, lu, row_scale, column_scale })
    }
}

impl SparseSquare {
    /// A⁻¹ b; none where the matrix is not clearly regular.
    pub fn solve(&self, b: &[f64]) -> Option<Vec<f64>> {
        let scaled: Vec<f64> = b.iter().zip(&self.row_scale).map(|(b, scale)| b * scale).collect();
        let mut x = scaled.clone();
        self.lu.solve(&mut x);
        let mut rest = scaled.clone();
        self.pattern.accumulate(&self.values, &x, -1.0, &mut rest);
        let size = |x: &[f64]| x.iter().fold(0.0, |m: f64, x| m.max(x.abs()));
        let bound = size(&scaled);
        let good = size(&rest) <= 1e-10 * bound && size(&x) <= SAFE * bound;
        good.then(|| x.iter().zip(&self.column_scale).map(|(x, scale)| x * scale).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(a: [[f64; 3]; 3]) -> Option<SparseSquare> {
        let places: Vec<(usize, usize)> = (0..9).map(|k| (k / 3, k % 3)).collect();
        let values: Vec<f64> = places.iter().map(|&(i, j)| a[i][j]).collect();
        SquarePattern::new(3, places)?.factor(&values)
    }

    #[test]
    fn scales_and_exchanges() {
        // The first needs exchanges and is badly scaled; the second has rank 2; the third has an empty row.
        let a = [[0.0, 2e6, 1.0], [3e-9, 1e-3, 0.0], [1e-8, 4e-3, 5e-9]];
        let x = [1.0, -2.0, 3.0];
        let b: Vec<f64> = a.iter().map(|row| row.iter().zip(x).map(|(a, x)| a * x).sum()).collect();
        let found = matrix(a).unwrap().solve(&b).unwrap();
        assert!(found.iter().zip(x).all(|(b, x)| (b - x).abs() < 1e-9), "{found:?}");
        let singular = matrix([[0.0, 1.0, 2.0], [3.0, 4.0, 5.0], [6.0, 7.0, 8.0]]);
        assert!(singular.and_then(|a| a.solve(&[1.0, 0.0, 0.0])).is_none());
        assert!(matrix([[1.0; 3], [2.0, 0.0, 1.0], [0.0; 3]]).is_none());
    }
}
