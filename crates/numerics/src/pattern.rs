//! Sparsity pattern of a square, structurally symmetric matrix.

/// Collects couplings between unknowns and builds a [`Pattern`] from them.
#[derive(Debug, Clone)]
pub struct PatternBuilder {
    n: usize,
    /// Coupled pairs (column, row); duplicates are removed by [`Self::build`].
    pairs: Vec<(usize, usize)>,
}

impl PatternBuilder {
    /// Starts the pattern of an `n × n` matrix; the diagonal is always present.
    pub fn new(n: usize) -> Self {
        let pairs = (0..n).map(|i| (i, i)).collect();
        Self { n, pairs }
    }

    /// Couples every unknown of the list with every other.
    pub fn add_clique(&mut self, unknowns: &[usize]) -> &mut Self {
        for &column in unknowns {
            self.pairs.extend(unknowns.iter().map(|&row| (column, row)));
        }
        self
    }

    /// Couples every row with every column, in both triangles.
    pub fn add_block(&mut self, rows: &[usize], columns: &[usize]) -> &mut Self {
        for &column in columns {
            for &row in rows {
                self.pairs.push((column, row));
                self.pairs.push((row, column));
            }
        }
        self
    }

    /// Sorts the couplings into compressed columns.
    ///
    /// # Panics
    /// If an unknown was named that is not below `n`.
    pub fn build(&self) -> Pattern {
        let n = self.n;
        let mut start = vec![0; n + 1];
        for &(column, row) in &self.pairs {
            assert!(column < n && row < n, "unknown outside the matrix");
            start[column + 1] += 1;
        }
        for j in 0..n {
            start[j + 1] += start[j];
        }
        let mut rows = vec![0; self.pairs.len()];
        let mut next = start.clone();
        for &(column, row) in &self.pairs {
            rows[next[column]] = row;
            next[column] += 1;
        }
        let mut column_start = Vec::with_capacity(n + 1);
        column_start.push(0);
        let mut row_index = Vec::new();
        for j in 0..n {
            let column = &mut rows[start[j]..start[j + 1]];
            column.sort_unstable();
            let begin = row_index.len();
            for &row in column.iter() {
                if row_index.len() == begin || row_index.last() != Some(&row) {
                    row_index.push(row);
                }
            }
            column_start.push(row_index.len());
        }
        Pattern { n, column_start, row_index }
    }
}

/// Structurally symmetric pattern in compressed sparse columns: rows ascend
/// inside each column and the diagonal is always stored.
///
/// The values of a matrix live in a separate slice of [`Pattern::nnz`] numbers
/// whose slots are named by [`Pattern::index`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    n: usize,
    column_start: Vec<usize>,
    row_index: Vec<usize>,
}

impl Pattern {
    /// Number of rows and columns.
    pub fn n(&self) -> usize {
        self.n
    }

    /// Number of stored entries, the length of a slice of values.
    pub fn nnz(&self) -> usize {
        self.row_index.len()
    }

    /// Value slot of an entry, or `None` where the matrix is structurally zero.
    pub fn index(&self, row: usize, column: usize) -> Option<usize> {
        if column >= self.n {
            return None;
        }
        let begin = self.column_start[column];
        let found = self.rows(column).binary_search(&row).ok()?;
        Some(begin + found)
    }

    /// Row numbers of a column, ascending.
    pub fn rows(&self, column: usize) -> &[usize] {
        &self.row_index[self.slots(column)]
    }

    /// Value slots of a column, in the order of [`Pattern::rows`].
    pub fn slots(&self, column: usize) -> std::ops::Range<usize> {
        self.column_start[column]..self.column_start[column + 1]
    }

    /// Start of every column in the values, `n + 1` numbers.
    pub fn column_starts(&self) -> &[usize] {
        &self.column_start
    }

    /// Row numbers of all entries, column after column.
    pub fn row_indices(&self) -> &[usize] {
        &self.row_index
    }

    /// y = A x.
    pub fn multiply(&self, values: &[f64], x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        self.accumulate(values, x, 1.0, y);
    }

    /// y += α A x.
    pub fn accumulate(&self, values: &[f64], x: &[f64], alpha: f64, y: &mut [f64]) {
        assert_eq!(values.len(), self.nnz(), "one value per stored entry");
        assert!(x.len() == self.n && y.len() == self.n, "vectors of length n");
        for (column, &xj) in x.iter().enumerate() {
            let slots = self.slots(column);
            let scaled = alpha * xj;
            for (&row, &a) in self.row_index[slots.clone()].iter().zip(&values[slots]) {
                y[row] += a * scaled;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_symmetric_sorted_pattern_with_diagonal() {
        let mut builder = PatternBuilder::new(5);
        builder.add_clique(&[3, 1]).add_block(&[4], &[0, 3]);
        let pattern = builder.build();
        assert_eq!(pattern.n(), 5);
        assert_eq!(pattern.nnz(), 5 + 2 + 4);
        assert_eq!(pattern.rows(3), &[1, 3, 4]);
        assert_eq!(pattern.rows(2), &[2]);
        for column in 0..5 {
            for row in 0..5 {
                let here = pattern.index(row, column).is_some();
                assert_eq!(here, pattern.index(column, row).is_some());
            }
        }
        assert_eq!(pattern.index(0, 9), None);
    }

    #[test]
    fn multiplies() {
        let mut builder = PatternBuilder::new(3);
        builder.add_block(&[0], &[2]);
        let pattern = builder.build();
        let mut values = vec![0.0; pattern.nnz()];
        for (row, column, value) in [(0, 0, 2.0), (1, 1, 3.0), (2, 2, 4.0), (0, 2, 5.0), (2, 0, 7.0)] {
            values[pattern.index(row, column).unwrap()] = value;
        }
        let mut y = [0.0; 3];
        pattern.multiply(&values, &[1.0, 2.0, 3.0], &mut y);
        assert_eq!(y, [17.0, 6.0, 19.0]);
    }
}
