//! Sparse LU with the pivots on the diagonal in the given order.
//!
//! A = L U by the multifrontal method. The analysis is done once per pattern; factoring
//! and solving do not allocate.

use crate::kernels::{self, Shape};
use crate::lanes::{Lanes, Quad, Task, dispatch};
use crate::multifrontal;
use crate::pattern::Pattern;
use crate::symbolic::Symbolic;

/// A pivot below this fraction of the terms it was formed from is rounding noise.
pub const PIVOT_TOLERANCE: f64 = 1e-13;

/// A pivot of a droppable row below this fraction of its terms is held against the rounding
/// errors that elimination carried into it.
const SUSPECT: f64 = 1e-5;

/// Largest rounding error of a pivot in units of the estimate ε Σ |x_i y_i| scale_i; on loops of
/// up to 3000 joints 0.3 was seen.
const NOISE_UNITS: f64 = 4.0;

/// A pivot that cannot be divided by.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
#[error("pivot {pivot:e} of row {row} is too small against its terms of size {scale:e}")]
pub struct PivotError {
    /// Row (and unknown) of the matrix.
    pub row: usize,
    /// Value of the pivot, possibly not finite; the magnitude of a complex one.
    pub pivot: f64,
    /// |a_kk| + Σ |l_ki u_ik|, the size of the terms the pivot was formed from.
    pub scale: f64,
}

/// LU factorisation of matrices of one structurally symmetric pattern.
#[derive(Debug, Clone)]
pub struct SparseLu {
    symbolic: Symbolic,
    /// All fronts, and scratch behind the last.
    fronts: Vec<Quad>,
    /// Σ |l_ki u_ik| that finished fronts contributed to the diagonal of row k;
    /// zero between factorisations.
    scale: Vec<f64>,
    residual: Vec<f64>,
    /// Largest ratio of the terms of a pivot to the pivot itself.
    cancellation: f64,
}

impl SparseLu {
    /// Analyses the pattern. The factors are those of no matrix until
    /// [`SparseLu::factor`] has succeeded.
    pub fn new(pattern: &Pattern) -> Self {
        let symbolic = Symbolic::new(pattern, 1);
        Self {
            fronts: multifrontal::memory(&symbolic),
            scale: vec![0.0; symbolic.n],
            residual: vec![0.0; symbolic.n],
            cancellation: 1.0,
            symbolic,
        }
    }

    /// Number of unknowns.
    pub fn n(&self) -> usize {
        self.symbolic.n
    }

    /// Nonzeros of L + U.
    pub fn fill(&self) -> usize {
        self.symbolic.fill
    }

    /// Multiplications of one factorisation, Σ r(r+1) over columns of r entries.
    pub fn products(&self) -> usize {
        self.symbolic.products
    }

    /// Numbers stored for the factors, zeros of merged fronts, updates and
    /// padding included.
    pub fn stored(&self) -> usize {
        4 * self.symbolic.quads
    }

    /// Number of dense fronts.
    pub fn fronts(&self) -> usize {
        self.symbolic.fronts.len()
    }

    /// Largest ratio of the terms that a pivot was formed from to the pivot itself, in the last
    /// factorisation: how much cancels. Rows of constraints at an angle α to the others have about 1/sin²α.
    pub fn cancellation(&self) -> f64 {
        self.cancellation
    }

    /// Negative pivots of the last factors: the number of negative eigenvalues where the matrix is symmetric
    /// (Sylvester).
    pub fn negative_pivots(&self) -> usize {
        self.reciprocal_pivots().filter(|(_, reciprocal)| *reciprocal < 0.0).count()
    }

    /// Row and 1/pivot of the last factors, in the order of elimination. In a symmetric matrix [I Aᵀ; A 0]
    /// the pivot of a row of A is minus the square of its distance from the span of the rows before it.
    pub fn reciprocal_pivots(&self) -> impl Iterator<Item = (usize, f64)> + '_ {
        self.symbolic.fronts.iter().flat_map(move |front| {
            let Shape { pivots, quads, .. } = front.shape;
            let reciprocal = move |k: usize| self.fronts[front.offset + k * quads + k / 4].0[k % 4];
            let rows = self.symbolic.rows.slice(front.rows, pivots);
            rows.iter().enumerate().map(move |(k, &row)| (row as usize, reciprocal(k)))
        })
    }

    /// Factors the matrix with these values. After an error the factors must
    /// not be used.
    pub fn factor(&mut self, values: &[f64]) -> Result<(), PivotError> {
        assert_eq!(values.len(), self.symbolic.nnz, "one value per stored entry");
        dispatch(Factor { lu: self, values })
    }

    /// Factors in rank-revealing mode and returns the dependent rows, ascending.
    ///
    /// A droppable row depends on earlier ones where its pivot is below `tolerance` (at least
    /// [`PIVOT_TOLERANCE`]) times the size of the terms it was formed from, or below the
    /// rounding errors in it: along a chain of a thousand joints these grow to 1e-8 of the
    /// terms. Its reciprocal pivot is set to zero, so that its unknown comes out as zero and
    /// no other row sees it. Other rows fail as in [`SparseLu::factor`].
    ///
    /// In a KKT matrix the pivot of a constraint relative to its terms is about the square
    /// of the sine between its row of G and the rows before it, in the metric of M⁻¹.
    /// A deviation below about 1e-7 can therefore not be told from exact dependence.
    pub fn factor_dropping(
        &mut self,
        values: &[f64],
        droppable: &[bool],
        tolerance: f64,
    ) -> Result<Vec<usize>, PivotError> {
        assert_eq!(values.len(), self.symbolic.nnz, "one value per stored entry");
        assert_eq!(droppable.len(), self.n(), "one mark per row");
        let mut dropped = Vec::new();
        let Self { symbolic, fronts, scale, .. } = self;
        scale.fill(0.0);
        for (k, &slot) in symbolic.diagonal.iter().enumerate() {
            scale[k] = values[slot as usize].abs();
        }
        let mut probe = Probe { x: vec![0.0; symbolic.n], y: vec![0.0; symbolic.n], stack: vec![] };
        let mut result = Ok(());
        for (index, front) in symbolic.fronts.iter().enumerate() {
            multifrontal::assemble(symbolic, front, fronts, [values]);
            let (before, dense) = fronts.split_at_mut(front.offset);
            let before = Eliminated { symbolic, front: index, numbers: kernels::numbers(before) };
            let rows = symbolic.rows.slice(front.rows, front.shape.rows);
            let (probe, dropped) = (&mut probe, &mut dropped);
            let revealing = Revealing { before, rows, droppable, tolerance, scale, probe, dropped };
            result = revealing.partial_lu(front.shape, kernels::numbers_mut(dense));
            if result.is_err() {
                break;
            }
        }
        scale.fill(0.0);
        result.map(|()| dropped)
    }

    /// b := A⁻¹ b.
    pub fn solve(&self, b: &mut [f64]) {
        assert_eq!(b.len(), self.n(), "vector of length n");
        dispatch(Solve { lu: self, sides: [[b]] });
    }

    /// b := A⁻¹ b and c := A⁻¹ c, reading the factors once.
    pub fn solve2(&self, b: &mut [f64], c: &mut [f64]) {
        assert!(b.len() == self.n() && c.len() == self.n(), "vectors of length n");
        dispatch(Solve { lu: self, sides: [[b], [c]] });
    }

    /// b := A⁻ᵀ b.
    pub fn solve_transposed(&self, b: &mut [f64]) {
        assert_eq!(b.len(), self.n(), "vector of length n");
        multifrontal::solve_transposed(&self.symbolic, &self.fronts, b);
    }

    /// One step of iterative refinement: x += A⁻¹ (b − A x).
    ///
    /// Returns the largest magnitude of the residual b − A x before the step.
    pub fn refine(&mut self, values: &[f64], pattern: &Pattern, b: &[f64], x: &mut [f64]) -> f64 {
        let mut residual = std::mem::take(&mut self.residual);
        residual.copy_from_slice(b);
        pattern.accumulate(values, x, -1.0, &mut residual);
        let size = residual.iter().fold(0.0, |size: f64, r| size.max(r.abs()));
        self.solve(&mut residual);
        for (x, d) in x.iter_mut().zip(&residual) {
            *x += d;
        }
        self.residual = residual;
        size
    }
}

struct Factor<'a> {
    lu: &'a mut SparseLu,
    values: &'a [f64],
}

impl Task for Factor<'_> {
    type Output = Result<(), PivotError>;

    #[inline(always)]
    fn run<L: Lanes>(self, on: L::Processor) -> Self::Output {
        let SparseLu { symbolic, fronts, scale, cancellation, .. } = self.lu;
        multifrontal::factor::<L, 1>(on, symbolic, fronts, scale, [self.values], cancellation)
    }
}

struct Solve<'a, 'b, const R: usize> {
    lu: &'a SparseLu,
    sides: [[&'b mut [f64]; 1]; R],
}

impl<const R: usize> Task for Solve<'_, '_, R> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, on: L::Processor) {
        multifrontal::solve::<L, 1, R>(on, &self.lu.symbolic, &self.lu.fronts, self.sides);
    }
}

/// The fronts that are finished.
struct Eliminated<'a> {
    symbolic: &'a Symbolic,
    front: usize,
    numbers: &'a [f64],
}

/// Elimination in a front that decides on every pivot before it is used.
struct Revealing<'a> {
    before: Eliminated<'a>,
    rows: &'a [u32],
    droppable: &'a [bool],
    tolerance: f64,
    scale: &'a mut [f64],
    probe: &'a mut Probe,
    dropped: &'a mut Vec<usize>,
}

/// Vectors of a back substitution, zero between two of them, and the fronts still to be visited.
struct Probe {
    x: Vec<f64>,
    y: Vec<f64>,
    stack: Vec<u32>,
}

impl Revealing<'_> {
    fn partial_lu(mut self, shape: Shape, dense: &mut [f64]) -> Result<(), PivotError> {
        let (m, stride) = (shape.rows, 4 * shape.quads);
        for k in 0..shape.pivots {
            let inverse = self.reciprocal(k, stride, dense)?;
            dense[k * stride + k] = inverse;
            for i in k + 1..m {
                dense[k * stride + i] *= inverse;
            }
            let (left, right) = dense.split_at_mut((k + 1) * stride);
            let l = &left[k * stride..k * stride + m];
            for (j, column) in (k + 1..m).zip(right.chunks_exact_mut(stride)) {
                let u = column[k];
                self.scale[self.rows[j] as usize] += (l[j] * u).abs();
                for i in k + 1..m {
                    column[i] -= l[i] * u;
                }
            }
        }
        Ok(())
    }

    /// 1/pivot, or zero for a dependent row.
    fn reciprocal(&mut self, k: usize, stride: usize, dense: &[f64]) -> Result<f64, PivotError> {
        let row = self.rows[k] as usize;
        let (pivot, scale) = (dense[k * stride + k], self.scale[row]);
        let size = pivot.abs();
        let droppable = self.droppable[row];
        let negligible = size <= self.tolerance.max(PIVOT_TOLERANCE) * scale;
        let suspect = droppable && !negligible && size <= SUSPECT * scale;
        if droppable && (negligible || (suspect && size <= NOISE_UNITS * self.noise(k, stride, dense))) {
            self.dropped.push(row);
            Ok(0.0)
        } else if pivot.is_finite() && size > PIVOT_TOLERANCE * scale {
            Ok(1.0 / pivot)
        } else {
            Err(PivotError { row, pivot, scale })
        }
    }

    /// Rounding errors in pivot k of the front.
    ///
    /// The pivot is yᵀAx with Lᵀy = e, U x = e u_kk. Elimination is exact for a matrix A + δA
    /// with |δA| of the order ε |L||U|, whose diagonal is `scale`: the pivot is off by yᵀδA x.
    fn noise(&mut self, k: usize, stride: usize, dense: &[f64]) -> f64 {
        let Probe { x, y, stack } = &mut *self.probe;
        let Eliminated { symbolic, front, numbers } = &self.before;
        let own = self.rows[k] as usize;
        (x[own], y[own]) = (1.0, 1.0);
        substitute(dense, &self.rows[..=k], k, stride, x, y);
        let children = |front: usize| {
            let (first, last) = symbolic.fronts[front].children;
            &symbolic.children[first..last]
        };
        let mut sum = 0.0;
        let mut visited = vec![];
        stack.extend_from_slice(children(*front));
        while let Some(index) = stack.pop() {
            let front = &symbolic.fronts[index as usize];
            let Shape { pivots, rows, quads } = front.shape;
            let global = symbolic.rows.slice(front.rows, rows);
            // Where nothing arrives, nothing goes on to the fronts below.
            if substitute(&numbers[4 * front.offset..], global, pivots, 4 * quads, x, y) {
                visited.push(index);
                stack.extend_from_slice(children(index as usize));
            }
        }
        let mut collect = |row: u32| {
            let row = row as usize;
            sum += (x[row] * y[row]).abs() * self.scale[row];
            (x[row], y[row]) = (0.0, 0.0);
        };
        for index in visited {
            let front = &symbolic.fronts[index as usize];
            let pivots = symbolic.rows.slice(front.rows, front.shape.pivots);
            pivots.iter().for_each(|&row| collect(row));
        }
        self.rows[..=k].iter().for_each(|&row| collect(row));
        f64::EPSILON * sum
    }
}

/// Back substitution with the pivots of a front: y_j = −Σ_{i>j} l_ij y_i, x_j = −Σ_{i>j} u_ji x_i / u_jj.
/// False if nothing arrives.
fn substitute(
    dense: &[f64],
    rows: &[u32],
    pivots: usize,
    stride: usize,
    x: &mut [f64],
    y: &mut [f64],
) -> bool {
    if rows[pivots..].iter().all(|&row| x[row as usize] == 0.0 && y[row as usize] == 0.0) {
        return false;
    }
    for j in (0..pivots).rev() {
        let (mut from_l, mut from_u) = (0.0, 0.0);
        for (i, &row) in rows.iter().enumerate().skip(j + 1) {
            from_l += dense[j * stride + i] * y[row as usize];
            from_u += dense[i * stride + j] * x[row as usize];
        }
        let row = rows[j] as usize;
        y[row] = -from_l;
        x[row] = -from_u * dense[j * stride + j];
    }
    true
}
