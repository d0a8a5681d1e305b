//! Sparse symmetric matrices, kept as their lower triangle by columns.

/// A sparse symmetric matrix.
#[derive(Clone, Debug, PartialEq)]
pub struct SymmetricMatrix {
    size: usize,
    /// Where each column begins in the lists, and behind the last one their length.
    starts: Vec<usize>,
    /// Row of each entry, not above the diagonal, ascending in a column.
    rows: Vec<u32>,
    values: Vec<f64>,
}

impl SymmetricMatrix {
    /// The sum of entries (row, column, value); of each pair (i, j), (j, i) give one, in any order.
    ///
    /// # Panics
    ///
    /// If an index is not below `size`.
    pub fn from_entries(size: usize, entries: impl Iterator<Item = (usize, usize, f64)> + Clone) -> Self {
        let lower = entries.map(|(i, j, value)| (i.max(j), i.min(j), value));
        let mut starts = vec![0; size + 1];
        for (i, j, _) in lower.clone() {
            assert!(i < size, "entry ({i}, {j}) of a matrix of {size} rows");
            starts[j + 1] += 1;
        }
        (0..size).for_each(|j| starts[j + 1] += starts[j]);
        let mut next = starts.clone();
        let mut unsorted = vec![(0, 0.0); starts[size]];
        for (i, j, value) in lower {
            unsorted[next[j]] = (i as u32, value);
            next[j] += 1;
        }
        let mut matrix = SymmetricMatrix { size, starts: vec![0], rows: vec![], values: vec![] };
        for j in 0..size {
            matrix.add_column(&mut unsorted[starts[j]..starts[j + 1]]);
        }
        matrix
    }

    /// Sorts a column and adds it with equal rows summed.
    fn add_column(&mut self, column: &mut [(u32, f64)]) {
        // Stable, so that sums do not depend on anything but the order of the entries.
        column.sort_by_key(|(row, _)| *row);
        let first = self.rows.len();
        for &(row, value) in column.iter() {
            if self.rows.len() > first && self.rows.last() == Some(&row) {
                *self.values.last_mut().expect("as long as the rows") += value;
            } else {
                self.rows.push(row);
                self.values.push(value);
            }
        }
        self.starts.push(self.rows.len());
    }

    /// Number of rows.
    pub fn size(&self) -> usize {
        self.size
    }

    /// Where each column begins, and the number of stored entries.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// Row of each stored entry.
    pub fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// Value of each stored entry.
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Number of stored entries.
    pub fn stored(&self) -> usize {
        self.rows.len()
    }

    /// Rows and values of a column from the diagonal on.
    pub fn column(&self, j: usize) -> impl Iterator<Item = (usize, f64)> + '_ {
        let range = self.starts[j]..self.starts[j + 1];
        self.rows[range.clone()].iter().map(|row| *row as usize).zip(self.values[range].iter().copied())
    }

    /// All stored entries (row, column, value), column by column.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + Clone + '_ {
        (0..self.size).flat_map(move |j| {
            let range = self.starts[j]..self.starts[j + 1];
            range.map(move |k| (self.rows[k] as usize, j, self.values[k]))
        })
    }

    /// y = A x.
    pub fn multiply(&self, x: &[f64], y: &mut [f64]) {
        y.fill(0.0);
        for j in 0..self.size {
            let mut sum = 0.0;
            for (i, value) in self.column(j) {
                if i == j {
                    sum += value * x[j];
                } else {
                    y[i] += value * x[j];
                    sum += value * x[i];
                }
            }
            y[j] += sum;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entries_are_summed_on_both_sides_of_the_diagonal() {
        let entries = [(0, 0, 2.0), (2, 0, 1.0), (0, 2, 0.5), (1, 1, 3.0), (2, 2, 4.0), (0, 0, 1.0)];
        let a = SymmetricMatrix::from_entries(3, entries.into_iter());
        assert_eq!(a.stored(), 4);
        let mut y = [0.0; 3];
        a.multiply(&[1.0, 2.0, 4.0], &mut y);
        assert_eq!(y, [9.0, 6.0, 17.5]);
        assert_eq!(a.entries().collect::<Vec<_>>(), [(0, 0, 3.0), (2, 0, 1.5), (1, 1, 3.0), (2, 2, 4.0)]);
    }
}
