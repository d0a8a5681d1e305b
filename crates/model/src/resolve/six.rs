//! 6×6 matrices.

use super::Resolver;
use crate::diagnostic::Diagnostic;
use crate::file::SixTable;
use crate::value::{Located, Number};
use poinsot_geometry::Mat6;

impl Resolver<'_> {
    /// A 6×6 matrix from its diagonal or in full.
    pub(crate) fn six(&mut self, table: &SixTable) -> Option<Mat6> {
        match table {
            SixTable::Diagonal(numbers) => {
                let values = self.numbers(&numbers.value)?;
                Some(Mat6::from_diagonal(&values.into()))
            }
            SixTable::Matrix(rows) => self.full_six(rows),
        }
    }

    fn full_six(&mut self, rows: &Located<[[Number; 6]; 6]>) -> Option<Mat6> {
        let values = self.rows(rows)?;
        let matrix = Mat6::from_fn(|i, j| values[i][j]);
        let skew = (matrix - matrix.transpose()).amax();
        if skew > 1e-9 * matrix.amax() {
            self.diagnostics.push(
                Diagnostic::warning(format!(
                    "this matrix is not symmetric (entries differ by {skew}): the element is not conservative"
                ))
                .at(rows.span.clone(), "not symmetric"),
            );
        }
        Some(matrix)
    }
}
