//! The linear system of a Newton step on the optimality conditions, and what makes it solvable:
//!
//! ```text
//! [ W + Σ + δ_w I   Aᵀ      ] [ d  ]     [ r₁ ]
//! [ A               −δ_c I  ] [ dλ ]  =  [ r₂ ]
//! ```
//! The step goes down where the matrix has as many positive eigenvalues as there are unknowns and as many
//! negative ones as rows; δ_w grows until it has, δ_c comes in where rows depend on each other (Wächter and
//! Biegler 2006, algorithm IC).

use super::standard::Standard;
use crate::SymmetricMatrix;
use crate::indefinite_factors::{IndefiniteFactors, NoRoom};

const FIRST: f64 = 1e-4;
const LEAST: f64 = 1e-20;
const MOST: f64 = 1e40;
const SHRINK: f64 = 1.0 / 3.0;
const GROW_FAST: f64 = 100.0;
const GROW: f64 = 8.0;
/// δ_c over µ^¼.
const ROW_SHIFT: f64 = 1e-8;
const REFINEMENTS: usize = 10;
/// Residual over its bound at which refinement ends, and above which the factors are of no use.
const EXACT: f64 = 1e-14;
const USELESS: f64 = 1e-6;

/// No shift made the system solvable.
#[derive(Clone, Copy, Debug)]
pub(super) struct Unsolvable;

pub(super) struct Kkt {
    size: usize,
    m: usize,
    matrix: SymmetricMatrix,
    hessian_slots: Vec<usize>,
    jacobian_slots: Vec<usize>,
    diagonal_slots: Vec<usize>,
    factors: IndefiniteFactors,
    /// δ_w of this and of the last step that needed one.
    pub shift: f64,
    last_shift: f64,
    row_shift: f64,
    rest: Vec<f64>,
    product: Vec<f64>,
}

impl Kkt {
    /// Analyses the structure; the Jacobian says which of its entries are large.
    pub fn new(form: &Standard, jacobian: &[f64]) -> Result<Self, NoRoom> {
        let (size, m) = (form.size, form.m);
        let entries = (0..size + m).map(|i| (i, i, 0.0));
        let entries = entries.chain(form.hessian_places.iter().map(|&(i, j)| (i, j, 0.0)));
        let rows = form.jacobian_places.iter().zip(jacobian).map(|(&(row, i), &a)| (size + row, i, a));
        let matrix = SymmetricMatrix::from_entries(size + m, entries.chain(rows));
        // Every one of these entries was just added.
        let slot = |i: usize, j: usize| matrix.position(i, j).unwrap_or_default();
        Ok(Kkt {
            size,
            m,
            hessian_slots: form.hessian_places.iter().map(|&(i, j)| slot(i, j)).collect(),
            jacobian_slots: form.jacobian_places.iter().map(|&(row, i)| slot(size + row, i)).collect(),
            diagonal_slots: (0..size + m).map(|i| slot(i, i)).collect(),
            factors: IndefiniteFactors::new(&matrix, size)?,
            shift: 0.0,
            last_shift: 0.0,
            row_shift: 0.0,
            rest: vec![0.0; size + m],
            product: vec![0.0; size + m],
            matrix,
        })
    }

    fn fill(&mut self, form: &Standard, hessian: &[f64], jacobian: &[f64], sigma: &[f64]) {
        let values = self.matrix.values_mut();
        values.fill(0.0);
        self.hessian_slots.iter().zip(hessian).for_each(|(&slot, entry)| values[slot] += entry);
        self.jacobian_slots.iter().zip(jacobian).for_each(|(&slot, entry)| values[slot] += entry);
        for i in 0..self.size {
            values[self.diagonal_slots[i]] += if form.pinned[i] { 1.0 } else { sigma[i] + self.shift };
        }
        self.diagonal_slots[self.size..].iter().for_each(|&slot| values[slot] -= self.row_shift);
    }

    /// Factors the matrix with the least shifts that serve, and solves for the right sides in x.
    pub fn solve_first(
        &mut self,
        form: &Standard,
        (hessian, jacobian): (&[f64], &[f64]),
        sigma: &[f64],
        mu: f64,
        right: &[f64],
        x: &mut [f64],
    ) -> Result<(), Unsolvable> {
        (self.shift, self.row_shift) = (0.0, 0.0);
        loop {
            self.fill(form, hessian, jacobian, sigma);
            let inertia = self.factors.factor(&self.matrix);
            let fits = inertia.positive == self.size && inertia.negative == self.m;
            if fits && self.solve(right, x) {
                if self.shift > 0.0 {
                    self.last_shift = self.shift;
                }
                return Ok(());
            }
            let rows_depend = inertia.zero > 0 || inertia.negative < self.m || fits;
            if rows_depend && self.row_shift == 0.0 && self.m > 0 {
                self.row_shift = ROW_SHIFT * mu.powf(0.25);
                continue;
            }
            self.shift = match (self.shift > 0.0, self.last_shift > 0.0) {
                (false, false) => FIRST,
                (false, true) => (SHRINK * self.last_shift).max(LEAST),
                (true, false) => GROW_FAST * self.shift,
                (true, true) => GROW * self.shift,
            };
            if self.shift > MOST {
                return Err(Unsolvable);
            }
        }
    }

    /// Solves with the factors and refines; whether the solution is of use.
    pub fn solve(&mut self, right: &[f64], x: &mut [f64]) -> bool {
        x.copy_from_slice(right);
        self.factors.solve(x);
        let largest = |v: &[f64]| v.iter().fold(0.0, |most: f64, e| most.max(e.abs()));
        let size = largest(right);
        let mut before = f64::INFINITY;
        for _ in 0..REFINEMENTS {
            self.matrix.multiply(x, &mut self.product);
            let parts = self.rest.iter_mut().zip(right).zip(&self.product);
            parts.for_each(|((rest, right), product)| *rest = right - product);
            // Of rows by themselves: their units differ.
            let bound = size + largest(x).min(1e3 * size);
            let error = largest(&self.rest) / bound.max(f64::MIN_POSITIVE);
            if !x.iter().all(|x| x.is_finite()) {
                return false;
            }
            if error <= EXACT || error > 0.5 * before {
                return error.min(before) <= USELESS;
            }
            before = error;
            self.factors.solve(&mut self.rest);
            x.iter_mut().zip(&self.rest).for_each(|(x, change)| *x += change);
        }
        before <= USELESS
    }

    /// λ that leaves least of g + Aᵀλ, from [I Aᵀ; A 0] (d; λ) = (−g; 0).
    pub fn least_multipliers(
        &mut self,
        form: &Standard,
        jacobian: &[f64],
        gradient: &[f64],
    ) -> Option<Vec<f64>> {
        let hessian = vec![0.0; self.hessian_slots.len()];
        let sigma = vec![1.0; self.size];
        let mut right: Vec<f64> = gradient.iter().map(|g| -g).collect();
        right.resize(self.size + self.m, 0.0);
        let mut x = vec![0.0; self.size + self.m];
        let kept = self.last_shift;
        let solved = self.solve_first(form, (&hessian, jacobian), &sigma, 1.0, &right, &mut x);
        self.last_shift = kept;
        solved.ok().map(|()| x[self.size..].to_vec())
    }
}
