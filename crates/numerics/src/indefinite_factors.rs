//! A = L B Lᵀ of sparse symmetric matrices that are not definite, with a pattern that is analysed once.
//!
//! The matrices are those of optimality conditions, [W Aᵀ; A 0]: a row of a constraint has no pivot of its
//! own. Each is therefore eliminated together with an unknown of a large entry in that row, and pivots of two
//! rows are chosen by size inside a pair (Bunch and Kaufman). The signs of B are those of the eigenvalues
//! (Sylvester).

use crate::SymmetricMatrix;
use crate::matching::match_rows;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::PermRef;
use faer::sparse::linalg::SupernodalThreshold;
use faer::sparse::linalg::amd;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, IntranodeLbltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

/// A pivot is zero below this. Units of rows and unknowns differ by any factor, so that no pivot is small
/// beside the others; what the factors are worth is seen when they are used.
const ZERO: f64 = 1e-200;

/// How many eigenvalues of a matrix have which sign.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Inertia {
    /// Above zero.
    pub positive: usize,
    /// Below zero.
    pub negative: usize,
    /// Zero to rounding.
    pub zero: usize,
}

/// The factors of matrices of one pattern.
pub struct IndefiniteFactors {
    symbolic: SymbolicCholesky<usize>,
    /// The pattern with pairs made alike, and for each stored entry of the matrix its place there.
    starts: Vec<usize>,
    rows: Vec<usize>,
    places: Vec<usize>,
    entries: Vec<f64>,
    values: Vec<f64>,
    subdiagonal: Vec<f64>,
    forward: Vec<usize>,
    inverse: Vec<usize>,
    scratch: MemBuffer,
}

impl std::fmt::Debug for IndefiniteFactors {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IndefiniteFactors").field("values", &self.values).finish_non_exhaustive()
    }
}

/// The factors do not fit in memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the factors do not fit in memory")]
pub struct NoRoom;

impl IndefiniteFactors {
    /// Analyses the pattern of a matrix whose last rows, from `first_row` on, have no pivot of their own. The
    /// values say which of their entries are large.
    pub fn new(matrix: &SymmetricMatrix, first_row: usize) -> Result<Self, NoRoom> {
        let n = matrix.size();
        let partner = match_rows(matrix, first_row);
        let nodes = Nodes::new(n, first_row, &partner);
        let neighbours = nodes.graph(matrix);
        let order = nodes.order(&neighbours)?;
        let alike = nodes.pattern(matrix, &neighbours);
        let places = matrix.entries().map(|(i, j, _)| alike.position(i, j).unwrap_or_default()).collect();
        let rows: Vec<usize> = alike.rows().iter().map(|&row| row as usize).collect();
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, alike.starts(), None, &rows);
        let mut inverse = vec![0; n];
        order.iter().enumerate().for_each(|(k, &unknown)| inverse[unknown] = k);
        let parameters = CholeskySymbolicParams {
            supernodal_flop_ratio_threshold: SupernodalThreshold::FORCE_SUPERNODAL,
            ..Default::default()
        };
        let custom = SymmetricOrdering::Custom(PermRef::new_checked(&order, &inverse, n));
        let symbolic =
            factorize_symbolic_cholesky(pattern, Side::Lower, custom, parameters).map_err(|_| NoRoom)?;
        let need = symbolic
            .factorize_numeric_intranode_lblt_scratch::<f64>(Par::Seq, Default::default())
            .or(symbolic.solve_in_place_scratch::<f64>(1, Par::Seq));
        let mut values = Vec::new();
        values.try_reserve_exact(symbolic.len_val()).map_err(|_| NoRoom)?;
        values.resize(symbolic.len_val(), 0.0);
        Ok(IndefiniteFactors {
            starts: alike.starts().to_vec(),
            entries: vec![0.0; rows.len()],
            places,
            values,
            subdiagonal: vec![0.0; n],
            forward: vec![0; n],
            inverse: vec![0; n],
            scratch: MemBuffer::try_new(need).map_err(|_| NoRoom)?,
            symbolic,
            rows,
        })
    }

    /// Numbers stored for the factors.
    pub fn stored(&self) -> usize {
        self.values.len()
    }

    /// Factors a matrix of the pattern. With zero eigenvalues, or with entries that are not finite (then all
    /// are called zero), there are no factors to solve with.
    pub fn factor(&mut self, matrix: &SymmetricMatrix) -> Inertia {
        let n = self.forward.len();
        if n == 0 {
            return Inertia::default();
        }
        if !matrix.values().iter().all(|value| value.is_finite()) {
            return Inertia { zero: n, ..Default::default() };
        }
        self.entries.fill(0.0);
        // What is left of pivots of two rows would be taken for new ones.
        self.subdiagonal.fill(0.0);
        self.places.iter().zip(matrix.values()).for_each(|(&place, value)| self.entries[place] = *value);
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, &self.starts, None, &self.rows);
        self.symbolic.factorize_numeric_intranode_lblt(
            &mut self.values,
            &mut self.subdiagonal,
            &mut self.forward,
            &mut self.inverse,
            SparseColMatRef::new(pattern, &self.entries),
            Side::Lower,
            Par::Seq,
            MemStack::new(&mut self.scratch),
            Default::default(),
        );
        self.inertia()
    }

    /// Signs of the blocks of B: of those with two rows the determinant decides.
    fn inertia(&self) -> Inertia {
        let mut inertia = Inertia::default();
        let SymbolicCholeskyRaw::Supernodal(blocks) = self.symbolic.raw() else { return inertia };
        for block in 0..blocks.n_supernodes() {
            let (begin, end) = (blocks.supernode_begin()[block], blocks.supernode_end()[block]);
            let first = blocks.col_ptr_for_val()[block];
            let height = (blocks.col_ptr_for_val()[block + 1] - first) / (end - begin);
            let diagonal = |k: usize| self.values[first + (k - begin) * (height + 1)];
            let mut k = begin;
            while k < end {
                let beside = self.subdiagonal[k];
                if beside == 0.0 || k + 1 == end {
                    let pivot = diagonal(k);
                    if pivot > ZERO {
                        inertia.positive += 1;
                    } else if pivot < -ZERO {
                        inertia.negative += 1;
                    } else {
                        inertia.zero += 1;
                    }
                    k += 1;
                } else {
                    let (a, c) = (diagonal(k), diagonal(k + 1));
                    if a * c < beside * beside {
                        inertia.positive += 1;
                        inertia.negative += 1;
                    } else if a + c > 0.0 {
                        inertia.positive += 2;
                    } else {
                        inertia.negative += 2;
                    }
                    k += 2;
                }
            }
        }
        // What is not finite compares as neither.
        let counted = inertia.positive + inertia.negative;
        Inertia { zero: self.forward.len() - counted, ..inertia }
    }

    /// b := A⁻¹ b.
    pub fn solve(&mut self, b: &mut [f64]) {
        let n = self.forward.len();
        if n == 0 {
            return;
        }
        let pivots = PermRef::new_checked(&self.forward, &self.inverse, n);
        IntranodeLbltRef::<usize, f64>::new(&self.symbolic, &self.values, &self.subdiagonal, pivots)
            .solve_in_place_with_conj(
                Conj::No,
                MatMut::from_column_major_slice_mut(b, n, 1),
                Par::Seq,
                MemStack::new(&mut self.scratch),
            );
    }
}

/// Unknowns and rows that are eliminated together: pairs, and what is left alone.
struct Nodes {
    /// Node of each unknown and row.
    of: Vec<usize>,
    /// One or two members of each node, an unknown before its row.
    members: Vec<[Option<usize>; 2]>,
}

impl Nodes {
    fn new(n: usize, first_row: usize, partner: &[Option<usize>]) -> Self {
        let mut nodes = Nodes { of: vec![usize::MAX; n], members: Vec::with_capacity(n) };
        for (row, unknown) in (first_row..n).zip(partner) {
            if let Some(unknown) = *unknown {
                (nodes.of[unknown], nodes.of[row]) = (nodes.members.len(), nodes.members.len());
                nodes.members.push([Some(unknown), Some(row)]);
            }
        }
        for k in 0..n {
            if nodes.of[k] == usize::MAX {
                nodes.of[k] = nodes.members.len();
                nodes.members.push([Some(k), None]);
            }
        }
        nodes
    }

    /// Neighbours of each node with larger numbers, ascending.
    fn graph(&self, matrix: &SymmetricMatrix) -> Vec<Vec<usize>> {
        let mut neighbours = vec![vec![]; self.members.len()];
        for (i, j, _) in matrix.entries() {
            let (a, b) = (self.of[i].min(self.of[j]), self.of[i].max(self.of[j]));
            if a != b {
                neighbours[a].push(b);
            }
        }
        for list in &mut neighbours {
            list.sort_unstable();
            list.dedup();
        }
        neighbours
    }

    /// Unknowns and rows in the order of elimination: nodes by minimum degree.
    fn order(&self, neighbours: &[Vec<usize>]) -> Result<Vec<usize>, NoRoom> {
        let count = self.members.len();
        let mut starts = vec![0];
        let mut rows = vec![];
        for list in neighbours {
            rows.extend_from_slice(list);
            starts.push(rows.len());
        }
        let pattern = SymbolicSparseColMatRef::new_checked(count, count, &starts, None, &rows);
        let (mut order, mut inverse) = (vec![0usize; count], vec![0usize; count]);
        let need = amd::order_maybe_unsorted_scratch::<usize>(count, rows.len());
        let mut scratch = MemBuffer::try_new(need).map_err(|_| NoRoom)?;
        let stack = MemStack::new(&mut scratch);
        amd::order_maybe_unsorted(&mut order, &mut inverse, pattern, Default::default(), stack)
            .map_err(|_| NoRoom)?;
        Ok(order.iter().flat_map(|&node| self.members[node].into_iter().flatten()).collect())
    }

    /// The pattern in which both members of a pair have all the neighbours of the pair.
    fn pattern(&self, matrix: &SymmetricMatrix, neighbours: &[Vec<usize>]) -> SymmetricMatrix {
        let members = |node: usize| self.members[node].into_iter().flatten();
        let inside = (0..self.members.len()).flat_map(|node| {
            members(node).flat_map(move |i| members(node).map(move |j| (i.max(j), i.min(j))))
        });
        let between = neighbours.iter().enumerate().flat_map(|(a, list)| {
            list.iter().flat_map(move |&b| members(a).flat_map(move |i| members(b).map(move |j| (i, j))))
        });
        let entries = inside.chain(between).map(|(i, j)| (i, j, 0.0));
        SymmetricMatrix::from_entries(matrix.size(), entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::irregular;

    /// [D Aᵀ; A 0] with a chain of dense blocks.
    fn chain(blocks: usize, width: usize, rows: usize, shift: f64) -> (SymmetricMatrix, usize) {
        let n = blocks * width;
        let mut entries = vec![];
        for i in 0..n {
            entries.push((i, i, shift + irregular(i)));
        }
        for b in 0..blocks - 1 {
            for r in 0..rows {
                let row = n + b * rows + r;
                entries.push((row, row, 0.0));
                for c in 0..2 * width {
                    entries.push((row, b * width + c, irregular(7 + row * 31 + c)));
                }
            }
        }
        let size = n + (blocks - 1) * rows;
        (SymmetricMatrix::from_entries(size, entries.into_iter()), n)
    }

    #[test]
    fn solutions_satisfy_their_equations() {
        for (blocks, width, rows) in [(2, 2, 1), (3, 3, 2), (4, 5, 3), (10, 5, 3), (6, 12, 8), (20, 6, 5)] {
            for shift in [0.0, 1e-3, 1.0, 1e3] {
                let (matrix, first_row) = chain(blocks, width, rows, shift);
                let mut factors = IndefiniteFactors::new(&matrix, first_row).unwrap();
                // Of another matrix before: nothing of it must be left.
                factors.factor(&chain(blocks, width, rows, 0.3 - shift).0);
                let inertia = factors.factor(&matrix);
                assert_eq!(inertia.zero, 0);
                let b: Vec<f64> = (0..matrix.size()).map(|i| irregular(3 * i + 1)).collect();
                let mut x = b.clone();
                factors.solve(&mut x);
                let mut product = vec![0.0; b.len()];
                matrix.multiply(&x, &mut product);
                let largest = |v: &[f64]| v.iter().fold(0.0, |most: f64, x| most.max(x.abs()));
                let rest: Vec<f64> = b.iter().zip(&product).map(|(b, p)| b - p).collect();
                let error = largest(&rest) / (1.0 + largest(&x) * (1.0 + shift));
                assert!(error < 1e-10, "{blocks} blocks of {width} with {rows} rows, {shift}: {error}");
            }
        }
    }
}
