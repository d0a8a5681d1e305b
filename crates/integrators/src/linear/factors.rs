//! The factored step matrix: static pivots in elimination order, or pivoting where one of them fails.

use crate::linear::backward_error::BackwardError;
use poinsot_mechanics::System;
use poinsot_numerics::fallback::PivotingLu;
use poinsot_numerics::lu::{PivotError, SparseLu};
use poinsot_numerics::pattern::Pattern;

/// Factors of matrices with the pattern of a system.
#[derive(Debug)]
pub struct Factors {
    lu: SparseLu,
    /// Analysed when a static pivot fails for the first time.
    pivoting: Option<PivotingLu>,
    /// Whether the last factors are those of `pivoting`.
    pivoted: bool,
    /// Where pivots may fade.
    check: Option<BackwardError>,
}

impl Factors {
    /// For the pattern of a system as it is numbered now.
    pub fn new(system: &System) -> Self {
        Factors { check: BackwardError::of(system), ..Self::of(system.pattern()) }
    }

    /// For a pattern.
    pub fn of(pattern: &Pattern) -> Self {
        Factors { lu: SparseLu::new(pattern), pivoting: None, pivoted: false, check: None }
    }

    /// Factors; the error names the equation whose pivot failed, if pivoting does not help either.
    pub fn factor(&mut self, system: &System, values: &[f64]) -> Result<(), PivotError> {
        self.factor_of(system.pattern(), values)
    }

    /// [`Factors::factor`] of a matrix with the pattern that the factors are for.
    pub fn factor_of(&mut self, pattern: &Pattern, values: &[f64]) -> Result<(), PivotError> {
        self.pivoted = false;
        let Factors { lu, check, .. } = self;
        let sound = lu.factor(values).and_then(|()| match check {
            Some(check) => check.check(pattern, values, |b| lu.solve(b)),
            None => Ok(()),
        });
        let Err(error) = sound else { return Ok(()) };
        if self.pivoting.is_none() {
            self.pivoting = PivotingLu::new(pattern).ok();
        }
        let pivoting = self.pivoting.as_mut().ok_or(error)?;
        pivoting.factor(values).map_err(|_| error)?;
        self.pivoted = true;
        Ok(())
    }

    /// How much cancels in the pivots of the last matrix, see [`SparseLu::cancellation`].
    pub fn cancellation(&self) -> f64 {
        self.lu.cancellation()
    }

    /// Negative pivots of the last factors, see [`SparseLu::negative_pivots`]; none if they were found by
    /// pivoting.
    pub fn negative_pivots(&self) -> Option<usize> {
        (!self.pivoted).then(|| self.lu.negative_pivots())
    }

    /// Factors in rank-revealing mode, see [`SparseLu::factor_dropping`].
    pub fn factor_dropping(
        &mut self,
        values: &[f64],
        droppable: &[bool],
        tolerance: f64,
    ) -> Result<Vec<usize>, PivotError> {
        self.pivoted = false;
        self.lu.factor_dropping(values, droppable, tolerance)
    }

    /// b := A⁻¹ b.
    pub fn solve(&self, b: &mut [f64]) {
        match &self.pivoting {
            Some(pivoting) if self.pivoted => pivoting.solve(b),
            _ => self.lu.solve(b),
        }
    }

    /// b := A⁻ᵀ b.
    pub fn solve_transposed(&self, b: &mut [f64]) {
        match &self.pivoting {
            Some(pivoting) if self.pivoted => pivoting.solve_transposed(b),
            _ => self.lu.solve_transposed(b),
        }
    }

    /// b := A⁻¹ b and c := A⁻¹ c.
    pub fn solve2(&self, b: &mut [f64], c: &mut [f64]) {
        match &self.pivoting {
            Some(pivoting) if self.pivoted => {
                pivoting.solve(b);
                pivoting.solve(c);
            }
            _ => self.lu.solve2(b, c),
        }
    }
}
