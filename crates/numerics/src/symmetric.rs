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

    /// Values of the stored entries, to be set.
    pub(crate) fn values_mut(&mut self) -> &mut [f64] {
        &mut self.values
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

/// A matrix whose places are known before its values.
impl SymmetricMatrix {
    /// Zeros at all pairs (i, j) of each of the lists: unknowns that an element couples.
    ///
    /// # Panics
    ///
    /// If an index is not below `size`.
    pub fn of_cliques(size: usize, cliques: &[Vec<usize>]) -> Self {
        let entries =
            || cliques.iter().enumerate().flat_map(|(k, clique)| clique.iter().map(move |&i| (i, k)));
        let mut starts = vec![0; size + 1];
        entries().for_each(|(i, _)| starts[i + 1] += 1);
        (0..size).for_each(|i| starts[i + 1] += starts[i]);
        let mut next = starts.clone();
        let mut cliques_of = vec![0u32; starts[size]];
        for (i, k) in entries() {
            cliques_of[next[i]] = k as u32;
            next[i] += 1;
        }
        let mut matrix = SymmetricMatrix { size, starts: vec![0], rows: vec![], values: vec![] };
        // Column in which a row was seen last.
        let mut seen = vec![usize::MAX; size];
        for j in 0..size {
            let first = matrix.rows.len();
            for &k in &cliques_of[starts[j]..starts[j + 1]] {
                for &i in cliques[k as usize].iter().filter(|&&i| i >= j) {
                    if seen[i] != j {
                        seen[i] = j;
                        matrix.rows.push(i as u32);
                    }
                }
            }
            matrix.rows[first..].sort_unstable();
            matrix.starts.push(matrix.rows.len());
        }
        matrix.values = vec![0.0; matrix.rows.len()];
        matrix
    }

    /// Where the entry (i, j) is among `entries`.
    pub fn position(&self, i: usize, j: usize) -> Option<usize> {
        let (row, column) = (i.max(j), i.min(j));
        let start = self.starts[column];
        let found = self.rows[start..self.starts[column + 1]].binary_search(&(row as u32)).ok()?;
        Some(start + found)
    }

    /// Adds to the entry (i, j), which is also (j, i).
    ///
    /// # Panics
    ///
    /// If there is no place for it.
    pub fn add(&mut self, i: usize, j: usize, value: f64) {
        let position = self.position(i, j).expect("an entry of the pattern");
        self.values[position] += value;
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

    #[test]
    fn entries_are_added_to_the_places_of_cliques() {
        let mut a = SymmetricMatrix::of_cliques(4, &[vec![2, 0], vec![3, 2]]);
        assert_eq!(a.stored(), 5);
        a.add(2, 0, 1.0);
        a.add(0, 2, 0.5);
        a.add(2, 2, 3.0);
        assert_eq!(a.position(0, 1), None);
        let kept: Vec<_> = a.entries().filter(|entry| entry.2 != 0.0).collect();
        assert_eq!(kept, [(2, 0, 1.5), (2, 2, 3.0)]);
    }
}
