//! One step of the search for variables that satisfy the algebraic equations of a network.

use super::entry::NetworkEntry;
use crate::assembly::Scratch;
use crate::networks::sparse_square::{SparseSquare, SquarePattern};
use poinsot_numerics::dense::Mat;
use poinsot_numerics::subspace::pseudo_solve;
use std::sync::OnceLock;

/// The algebraic equations of a network, linear about a state.
pub(super) struct Linearised {
    /// What the equations are divided by.
    pub(super) sizes: Vec<f64>,
    /// (equation, variable, slope) of the divided equations.
    slopes: Vec<(usize, usize, f64)>,
    /// The factors that have solved them.
    factors: Option<LinearFactors>,
}

enum LinearFactors {
    /// Of the variables without rates.
    Square(SparseSquare),
    /// Of [I Aᵀ; A 0].
    Least(SparseSquare),
}

impl Linearised {
    /// The derivatives must be loaded.
    pub(super) fn new(entry: &NetworkEntry, weight: &dyn Fn(usize) -> f64, s: &Scratch) -> Self {
        let (m, group) = (entry.eq.len(), &entry.laws.algebraic);
        let mut sizes = vec![0.0f64; group.equations.len()];
        let mut slopes: Vec<(usize, usize, f64)> = Vec::with_capacity(s.partials.len());
        for (&(i, j), partial) in group.block.entries().iter().zip(&s.partials).filter(|(e, _)| e.1 < m) {
            slopes.push((i, j, partial * weight(j)));
            sizes[i] = sizes[i].max((partial * weight(j)).abs());
        }
        // At a level point of an equation there is no way to go.
        sizes.iter_mut().filter(|size| **size == 0.0).for_each(|size| *size = 1.0);
        slopes.iter_mut().for_each(|(i, _, slope)| *slope /= sizes[*i]);
        Linearised { sizes, slopes, factors: None }
    }

    /// The step that makes the linear equations hold: of the variables without rates, or else the least of
    /// all.
    pub(super) fn step(&mut self, entry: &NetworkEntry, open: &[f64]) -> Option<Vec<f64>> {
        let m = entry.eq.len();
        let closing = entry.closing.get_or_init(|| Closing::new(entry)).as_ref();
        let again = match &self.factors {
            Some(LinearFactors::Square(factors)) => closing.and_then(|closing| closing.step(factors, open)),
            Some(LinearFactors::Least(factors)) => least_solution(factors, open, m),
            None => None,
        };
        if again.is_some() {
            return again;
        }
        let square = closing.and_then(|closing| {
            let factors = closing.factors(&self.slopes)?;
            Some((closing.step(&factors, open)?, LinearFactors::Square(factors)))
        });
        let least = || {
            let factors = least_factors(&entry.least, &self.slopes, open.len(), m)?;
            Some((least_solution(&factors, open, m)?, LinearFactors::Least(factors)))
        };
        match square.or_else(least) {
            Some((step, factors)) => {
                self.factors = Some(factors);
                Some(step)
            }
            None => dense_least_step(&self.slopes, open, m),
        }
    }
}

/// Σ_j |∂F/∂y_j| max(|y_j|, nominal size) of each algebraic equation; the derivatives must be loaded.
pub(super) fn algebraic_terms(entry: &NetworkEntry, s: &Scratch) -> Vec<f64> {
    let group = &entry.laws.algebraic;
    let mut terms = vec![0.0; group.equations.len()];
    for (&(i, j), partial) in group.block.entries().iter().zip(&s.partials) {
        if let Some(variable) = entry.law.variables.get(j) {
            terms[i] += partial.abs() * s.arguments[j].abs().max(variable.nominal);
        }
    }
    terms
}

/// The algebraic equations as functions of the variables without rates alone, where these are as many.
#[derive(Debug)]
pub(super) struct Closing {
    /// The place of each variable among them.
    column: Vec<Option<usize>>,
    pattern: SquarePattern,
}

impl Closing {
    fn new(entry: &NetworkEntry) -> Option<Self> {
        let mut column = vec![None; entry.has_rate.len()];
        let mut count = 0;
        for (column, _) in column.iter_mut().zip(&entry.has_rate).filter(|(_, has_rate)| !**has_rate) {
            *column = Some(count);
            count += 1;
        }
        let group = &entry.laws.algebraic;
        if count != group.equations.len() {
            return None;
        }
        let place = |&(i, j): &(usize, usize)| Some((i, (*column.get(j)?)?));
        let places = group.block.entries().iter().filter_map(place).collect();
        Some(Closing { pattern: SquarePattern::new(count, places)?, column })
    }

    fn factors(&self, slopes: &[(usize, usize, f64)]) -> Option<SparseSquare> {
        let own = slopes.iter().filter(|(_, j, _)| self.column[*j].is_some());
        let values: Vec<f64> = own.map(|(.., slope)| *slope).collect();
        self.pattern.factor(&values)
    }

    /// The step that makes the linear equations hold, where they determine it.
    fn step(&self, factors: &SparseSquare, right: &[f64]) -> Option<Vec<f64>> {
        let solution = factors.solve(right)?;
        Some(self.column.iter().map(|k| k.map_or(0.0, |k| solution[k])).collect())
    }
}

/// The pattern of [I Aᵀ; A 0], analysed when it is first needed.
pub(super) type LeastPattern = OnceLock<Option<SquarePattern>>;

/// Factors of [I Aᵀ; A 0] for the least step of all m variables, where that is clearly regular. The slopes A
/// have the same places every time.
fn least_factors(
    known: &LeastPattern,
    slopes: &[(usize, usize, f64)],
    rows: usize,
    m: usize,
) -> Option<SparseSquare> {
    let both = |&(i, j, _): &(usize, usize, f64)| [(m + i, j), (j, m + i)];
    let places = || (0..m).map(|j| (j, j)).chain(slopes.iter().flat_map(both)).collect();
    let pattern = known.get_or_init(|| SquarePattern::new(m + rows, places())).as_ref()?;
    let twice = slopes.iter().flat_map(|(.., slope)| [*slope; 2]);
    let values: Vec<f64> = (0..m).map(|_| 1.0).chain(twice).collect();
    pattern.factor(&values)
}

fn least_solution(factors: &SparseSquare, right: &[f64], m: usize) -> Option<Vec<f64>> {
    let mut b = vec![0.0; m];
    b.extend_from_slice(right);
    let mut x = factors.solve(&b)?;
    x.truncate(m);
    Some(x)
}

/// The same by singular values.
fn dense_least_step(slopes: &[(usize, usize, f64)], right: &[f64], m: usize) -> Option<Vec<f64>> {
    let mut matrix = Mat::zeros(right.len(), m);
    slopes.iter().for_each(|&(i, j, slope)| matrix[(i, j)] += slope);
    pseudo_solve(matrix.as_ref(), right, 1e-13).ok().map(|(step, _)| step)
}
