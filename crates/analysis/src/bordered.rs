//! A sparse matrix with one more row and column, factored as one:
//!
//! ```text
//! [ J   c ]
//! [ bᵀ  d ]
//! ```
//! It is regular where J alone is singular, at limit points; the border comes last in the elimination and
//! costs no fill beside itself.

use poinsot_integrators::Factors;
use poinsot_numerics::lu::PivotError;
use poinsot_numerics::pattern::{Pattern, PatternBuilder};

/// Steps of iterative refinement: the pivots of J fade near singular points.
const REFINEMENTS: usize = 2;

/// The matrix above; make one per pattern and reuse it.
#[derive(Debug)]
pub(crate) struct Bordered {
    pattern: Pattern,
    /// Slot of each entry of J.
    inner: Vec<usize>,
    /// Slots of the last column and row, corner included.
    column: Vec<usize>,
    row: Vec<usize>,
    values: Vec<f64>,
    factors: Factors,
    right: Vec<f64>,
    rest: Vec<f64>,
}

impl Bordered {
    pub fn new(base: &Pattern) -> Self {
        let n = base.n();
        let mut builder = PatternBuilder::new(n + 1);
        for column in 0..n {
            builder.add_block(base.rows(column), &[column]);
        }
        let all: Vec<usize> = (0..n).collect();
        let pattern = builder.add_block(&[n], &all).build();
        // Every one of these entries was just added.
        let slot = |row: usize, column: usize| pattern.index(row, column).unwrap_or_default();
        let inner = (0..n).flat_map(|j| base.rows(j).iter().map(move |&i| (i, j)));
        Bordered {
            inner: inner.map(|(i, j)| slot(i, j)).collect(),
            column: (0..=n).map(|i| slot(i, n)).collect(),
            row: (0..=n).map(|j| slot(n, j)).collect(),
            values: vec![0.0; pattern.nnz()],
            factors: Factors::of(&pattern),
            right: vec![0.0; n + 1],
            rest: vec![0.0; n + 1],
            pattern,
        }
    }

    /// Factors with the values of J, the column c, the row b and the corner d.
    pub fn factor(&mut self, j: &[f64], c: &[f64], b: &[f64], d: f64) -> Result<(), PivotError> {
        self.inner.iter().zip(j).for_each(|(&slot, value)| self.values[slot] = *value);
        self.column.iter().zip(c).for_each(|(&slot, value)| self.values[slot] = *value);
        self.row.iter().zip(b).for_each(|(&slot, value)| self.values[slot] = *value);
        let corner = self.row[self.row.len() - 1];
        self.values[corner] = d;
        self.factors.factor_of(&self.pattern, &self.values)
    }

    /// x := A⁻¹ x with n + 1 numbers.
    pub fn solve(&mut self, x: &mut [f64]) {
        self.right.copy_from_slice(x);
        self.factors.solve(x);
        for _ in 0..REFINEMENTS {
            self.rest.copy_from_slice(&self.right);
            self.pattern.accumulate(&self.values, x, -1.0, &mut self.rest);
            self.factors.solve(&mut self.rest);
            x.iter_mut().zip(&self.rest).for_each(|(x, d)| *x += d);
        }
    }
}
