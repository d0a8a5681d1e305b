//! A = L D Lᵀ of sparse symmetric matrices, by blocks of columns of equal structure, on faer.
//!
//! Without exchange of pivots: for definite matrices, and for those of a shifted problem K − σM, whose
//! negative pivots count the eigenvalues below σ (Sylvester).
//!
//! On a cube of 32³ nodes with three unknowns each (98 304 unknowns, 3.8 million entries) the factors take
//! 880 MB and 5.8 s with nested dissection, 1.5 GB and 19 s with minimum degree. [`crate::SparseLu`], made
//! for mechanisms, takes 7.8 GB and 61 s. Measured on one core, analysis and numbers together.

use crate::SymmetricMatrix;
use crate::dissection::nested_dissection;
use faer::dyn_stack::{MemBuffer, MemStack};
use faer::perm::PermRef;
use faer::sparse::linalg::cholesky::{
    CholeskySymbolicParams, LdltRef, SymbolicCholesky, SymbolicCholeskyRaw, SymmetricOrdering,
    factorize_symbolic_cholesky,
};
use faer::sparse::{SparseColMatRef, SymbolicSparseColMatRef};
use faer::{Conj, MatMut, Par, Side};

/// The order in which unknowns are eliminated.
#[derive(Clone, Copy, Debug)]
pub enum EliminationOrder<'a> {
    /// Approximate minimum degree: from the pattern alone.
    MinimumDegree,
    /// Nested dissection: with the node of each unknown and the places of the nodes.
    Dissection {
        /// Node of each unknown.
        node_of: &'a [u32],
        /// Place of each node.
        places: &'a [[f64; 3]],
    },
}

/// A matrix that has no factors.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SymmetricFactorError {
    /// A pivot is zero, or not finite.
    #[error("the pivot of unknown {unknown} is zero")]
    Pivot {
        /// The unknown, or one that is eliminated next to it.
        unknown: usize,
    },
    /// An entry is infinite or not a number.
    #[error("a value of the matrix is not finite")]
    NotFinite,
    /// The factors do not fit in memory.
    #[error("the factors do not fit in memory")]
    Memory,
}

/// The factors of a matrix.
#[derive(Debug)]
pub struct SymmetricFactors {
    symbolic: SymbolicCholesky<usize>,
    /// L below the diagonal, D on it.
    values: Vec<f64>,
}

impl SymmetricFactors {
    /// Factors a matrix.
    pub fn new(matrix: &SymmetricMatrix, order: EliminationOrder) -> Result<Self, SymmetricFactorError> {
        if !matrix.values().iter().all(|value| value.is_finite()) {
            return Err(SymmetricFactorError::NotFinite);
        }
        let rows: Vec<usize> = matrix.rows().iter().map(|&row| row as usize).collect();
        let n = matrix.size();
        let pattern = SymbolicSparseColMatRef::new_checked(n, n, matrix.starts(), None, &rows);
        let symbolic = analyse(pattern, matrix, order)?;
        let memory = |_| SymmetricFactorError::Memory;
        let mut values = Vec::new();
        values.try_reserve_exact(symbolic.len_val()).map_err(|_| SymmetricFactorError::Memory)?;
        values.resize(symbolic.len_val(), 0.0);
        let need = symbolic.factorize_numeric_ldlt_scratch::<f64>(Par::Seq, Default::default());
        let mut scratch = MemBuffer::try_new(need).map_err(memory)?;
        symbolic
            .factorize_numeric_ldlt(
                &mut values,
                SparseColMatRef::new(pattern, matrix.values()),
                Side::Lower,
                Default::default(),
                Par::Seq,
                MemStack::new(&mut scratch),
                Default::default(),
            )
            .map_err(|faer::linalg::cholesky::ldlt::factor::LdltError::ZeroPivot { index }| {
                // Column by column it counts from one, by blocks from zero.
                let place = index.saturating_sub(1).min(n.saturating_sub(1));
                SymmetricFactorError::Pivot { unknown: unknown_at(&symbolic, place) }
            })?;
        let factors = Self { symbolic, values };
        let zero = factors.pivots().find(|(_, pivot)| *pivot == 0.0 || !pivot.is_finite());
        match zero {
            Some((unknown, _)) => Err(SymmetricFactorError::Pivot { unknown }),
            None => Ok(factors),
        }
    }

    /// Number of unknowns.
    pub fn size(&self) -> usize {
        self.symbolic.nrows()
    }

    /// Numbers stored for the factors.
    pub fn stored(&self) -> usize {
        self.values.len()
    }

    /// Unknown and pivot, in the order of elimination.
    pub fn pivots(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        let places: Vec<usize> = match self.symbolic.raw() {
            SymbolicCholeskyRaw::Simplicial(one) => one.col_ptr()[..one.ncols()].to_vec(),
            SymbolicCholeskyRaw::Supernodal(blocks) => {
                let place = |block: usize| {
                    let width = blocks.supernode_end()[block] - blocks.supernode_begin()[block];
                    let first = blocks.col_ptr_for_val()[block];
                    let height = (blocks.col_ptr_for_val()[block + 1] - first) / width;
                    (0..width).map(move |column| first + column * (height + 1))
                };
                (0..blocks.n_supernodes()).flat_map(place).collect()
            }
        };
        places.into_iter().enumerate().map(|(k, place)| (unknown_at(&self.symbolic, k), self.values[place]))
    }

    /// Number of negative eigenvalues of the matrix (Sylvester).
    pub fn negative_pivots(&self) -> usize {
        self.pivots().filter(|(_, pivot)| *pivot < 0.0).count()
    }

    /// b := A⁻¹ b for columns of b one behind the other.
    ///
    /// # Panics
    ///
    /// If the columns are not whole.
    pub fn solve(&self, b: &mut [f64]) {
        let rows = self.size();
        if rows == 0 {
            return;
        }
        assert_eq!(b.len() % rows, 0, "whole columns");
        let columns = b.len() / rows;
        let mut scratch = MemBuffer::new(self.symbolic.solve_in_place_scratch::<f64>(columns, Par::Seq));
        LdltRef::<usize, f64>::new(&self.symbolic, &self.values).solve_in_place_with_conj(
            Conj::No,
            MatMut::from_column_major_slice_mut(b, rows, columns),
            Par::Seq,
            MemStack::new(&mut scratch),
        );
    }
}

/// The unknown that is eliminated as the k-th.
fn unknown_at(symbolic: &SymbolicCholesky<usize>, k: usize) -> usize {
    symbolic.perm().map_or(k, |perm| perm.arrays().0[k])
}

fn analyse(
    pattern: SymbolicSparseColMatRef<usize>,
    matrix: &SymmetricMatrix,
    order: EliminationOrder,
) -> Result<SymbolicCholesky<usize>, SymmetricFactorError> {
    let params = CholeskySymbolicParams::default;
    let memory = |_| SymmetricFactorError::Memory;
    match order {
        EliminationOrder::MinimumDegree => {
            factorize_symbolic_cholesky(pattern, Side::Lower, SymmetricOrdering::Amd, params())
                .map_err(memory)
        }
        EliminationOrder::Dissection { node_of, places } => {
            let forward = nested_dissection(matrix, node_of, places);
            let mut inverse = vec![0; forward.len()];
            forward.iter().enumerate().for_each(|(k, &unknown)| inverse[unknown] = k);
            let order = SymmetricOrdering::Custom(PermRef::new_checked(&forward, &inverse, forward.len()));
            factorize_symbolic_cholesky(pattern, Side::Lower, order, params()).map_err(memory)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::irregular;

    /// A lattice of n × n × n nodes, each joined to its neighbours, with `diagonal` on the diagonal.
    fn lattice(n: usize, diagonal: f64) -> (SymmetricMatrix, Vec<u32>, Vec<[f64; 3]>) {
        let number = |p: [usize; 3]| (p[0] * n + p[1]) * n + p[2];
        let nodes = || (0..n * n * n).map(|a| [a / (n * n), a / n % n, a % n]);
        let joined = nodes().flat_map(|p| {
            (0..3).filter(move |&axis| p[axis] + 1 < n).map(move |axis| {
                let mut q = p;
                q[axis] += 1;
                (number(q), number(p), -1.0)
            })
        });
        let entries = nodes().map(|p| (number(p), number(p), diagonal)).chain(joined);
        let matrix = SymmetricMatrix::from_entries(n * n * n, entries.collect::<Vec<_>>().into_iter());
        let places = nodes().map(|p| p.map(|x| x as f64)).collect();
        (matrix, (0..(n * n * n) as u32).collect(), places)
    }

    #[test]
    fn solves_in_either_order() {
        let (matrix, node_of, places) = lattice(9, 6.5);
        let x: Vec<f64> = (0..2 * matrix.size()).map(irregular).collect();
        let mut b = vec![0.0; x.len()];
        for (x, b) in x.chunks(matrix.size()).zip(b.chunks_mut(matrix.size())) {
            matrix.multiply(x, b);
        }
        let dissection = EliminationOrder::Dissection { node_of: &node_of, places: &places };
        for order in [EliminationOrder::MinimumDegree, dissection] {
            let factors = SymmetricFactors::new(&matrix, order).unwrap();
            let mut solution = b.clone();
            factors.solve(&mut solution);
            let error = x.iter().zip(&solution).map(|(x, y)| (x - y).abs()).fold(0.0, f64::max);
            assert!(error < 1e-13, "{error}");
            assert_eq!(factors.negative_pivots(), 0);
            assert!(factors.pivots().all(|(_, pivot)| pivot > 0.0));
        }
    }

    /// Eigenvalues of the lattice are d − 2 Σ cos(π k_i/(n + 1)).
    #[test]
    fn negative_pivots_count_eigenvalues() {
        let n = 8;
        let cosine = |k: usize| (std::f64::consts::PI * k as f64 / (n + 1) as f64).cos();
        for diagonal in [5.0, 3.3, 0.7, -1.1] {
            let (matrix, node_of, places) = lattice(n, diagonal);
            let values = (0..n * n * n).map(|a| [a / (n * n), a / n % n, a % n].map(|k| 2.0 * cosine(k + 1)));
            let expected = values.filter(|value| value.iter().sum::<f64>() > diagonal).count();
            let dissection = EliminationOrder::Dissection { node_of: &node_of, places: &places };
            for order in [EliminationOrder::MinimumDegree, dissection] {
                assert_eq!(SymmetricFactors::new(&matrix, order).unwrap().negative_pivots(), expected);
            }
        }
    }

    #[test]
    fn nothing_to_solve() {
        let empty = SymmetricMatrix::from_entries(0, [].into_iter());
        let factors = SymmetricFactors::new(&empty, EliminationOrder::MinimumDegree).unwrap();
        factors.solve(&mut []);
        assert_eq!(factors.negative_pivots(), 0);
    }

    #[test]
    fn a_singular_matrix_is_refused() {
        let order = EliminationOrder::MinimumDegree;
        let zero = SymmetricMatrix::from_entries(2, [(0, 0, 1.0), (1, 0, 1.0), (1, 1, 1.0)].into_iter());
        assert!(matches!(SymmetricFactors::new(&zero, order), Err(SymmetricFactorError::Pivot { .. })));
        let infinite = SymmetricMatrix::from_entries(1, [(0, 0, f64::INFINITY)].into_iter());
        assert_eq!(SymmetricFactors::new(&infinite, order).unwrap_err(), SymmetricFactorError::NotFinite);
    }
}
