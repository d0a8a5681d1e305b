//! Rows of a matrix and unknowns in pairs, each row with an unknown that has a large entry in it.

use crate::SymmetricMatrix;

/// Entries of a row that are at least this part of its largest are taken first.
const LARGE: f64 = 0.1;

/// The unknown of each row, for the rows of a symmetric matrix from `first_row` on and the unknowns before
/// it; none where more rows than unknowns meet. By augmenting paths, first over large entries, then over all.
pub fn match_rows(matrix: &SymmetricMatrix, first_row: usize) -> Vec<Option<usize>> {
    let rows = matrix.size() - first_row;
    let mut entries: Vec<Vec<(usize, f64)>> = vec![vec![]; rows];
    for (i, j, value) in matrix.entries().filter(|&(i, j, _)| i >= first_row && j < first_row) {
        entries[i - first_row].push((j, value.abs()));
    }
    for row in &mut entries {
        row.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let most = row.first().map_or(0.0, |entry| entry.1);
        row.iter_mut().for_each(|entry| entry.1 = if most > 0.0 { entry.1 / most } else { 0.0 });
    }
    let mut search = Search {
        row_of: vec![None; first_row],
        unknown_of: vec![None; rows],
        seen: vec![usize::MAX; first_row],
        entries,
    };
    // Rows with few entries have the least choice.
    let mut order: Vec<usize> = (0..rows).collect();
    order.sort_by_key(|&row| search.entries[row].len());
    for (round, least) in [LARGE, f64::MIN_POSITIVE, 0.0].into_iter().enumerate() {
        for &row in &order {
            if search.unknown_of[row].is_none() {
                search.augment(row, least, round * rows + row);
            }
        }
    }
    search.unknown_of
}

struct Search {
    /// Unknowns and relative sizes of each row, large ones first.
    entries: Vec<Vec<(usize, f64)>>,
    row_of: Vec<Option<usize>>,
    unknown_of: Vec<Option<usize>>,
    /// Search in which an unknown was met last.
    seen: Vec<usize>,
}

impl Search {
    /// Gives a row an unknown, if others can make way; without recursion, for long chains.
    fn augment(&mut self, row: usize, least: f64, mark: usize) {
        // Rows on the path with the entry to try next, and the unknown by which each came in.
        let mut path: Vec<(usize, usize)> = vec![(row, 0)];
        let mut way: Vec<usize> = vec![];
        while let Some(&mut (here, ref mut next)) = path.last_mut() {
            let list = &self.entries[here];
            // A free unknown ends the search.
            let free = (*next == 0)
                .then(|| list.iter().find(|e| e.1 >= least && self.row_of[e.0].is_none()))
                .flatten();
            if let Some(&(unknown, _)) = free {
                way.push(unknown);
                for (&(r, _), &u) in path.iter().zip(&way) {
                    self.row_of[u] = Some(r);
                    self.unknown_of[r] = Some(u);
                }
                return;
            }
            let follow = (*next..list.len()).find(|&k| list[k].1 >= least && self.seen[list[k].0] != mark);
            match follow {
                Some(k) => {
                    *next = k + 1;
                    let unknown = list[k].0;
                    self.seen[unknown] = mark;
                    way.push(unknown);
                    let owner = self.row_of[unknown].unwrap_or(row);
                    path.push((owner, 0));
                }
                None => {
                    path.pop();
                    way.pop();
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_make_way_for_each_other() {
        // Rows 3, 4, 5 with the unknowns {0}, {0, 1}, {1, 2}; the middle row is largest at 0.
        let entries =
            [(3, 0, 1.0), (4, 0, 5.0), (4, 1, 1.0), (5, 1, 3.0), (5, 2, 1e-6)].map(|(i, j, v)| (i, j, v));
        let matrix = SymmetricMatrix::from_entries(6, entries.into_iter());
        assert_eq!(match_rows(&matrix, 3), [Some(0), Some(1), Some(2)]);
    }

    #[test]
    fn a_row_too_many_stays_alone() {
        let entries = [(1, 0, 1.0), (2, 0, 2.0)];
        let matrix = SymmetricMatrix::from_entries(3, entries.into_iter());
        assert_eq!(match_rows(&matrix, 1).iter().flatten().count(), 1);
    }
}
