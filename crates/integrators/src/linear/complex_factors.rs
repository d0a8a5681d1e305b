//! The factored complex step matrix: static pivots in elimination order, or pivoting where one of them fails.

use crate::linear::backward_error::BackwardError;
use poinsot_mechanics::System;
use poinsot_numerics::complex_lu::ComplexLu;
use poinsot_numerics::fallback::ComplexPivotingLu;
use poinsot_numerics::lu::PivotError;

/// Factors of complex matrices with the pattern of a system.
#[derive(Debug)]
pub struct ComplexFactors {
    lu: ComplexLu,
    /// Analysed when a static pivot fails for the first time.
    pivoting: Option<ComplexPivotingLu>,
    /// Whether the last factors are those of `pivoting`.
    pivoted: bool,
    /// Where pivots may fade, with room for imaginary parts.
    check: Option<(BackwardError, Vec<f64>)>,
}

impl ComplexFactors {
    /// So many, for the pattern of a system as it is numbered now, which is analysed once.
    pub fn several(system: &System, count: usize) -> Vec<Self> {
        if count == 0 {
            return vec![];
        }
        let lu = ComplexLu::new(system.pattern());
        let check = || BackwardError::of(system).map(|check| (check, vec![0.0; system.size()]));
        let factors = |_| ComplexFactors { lu: lu.clone(), pivoting: None, pivoted: false, check: check() };
        (0..count).map(factors).collect()
    }

    /// Factors real and imaginary parts; the error names the equation whose pivot failed, if pivoting does
    /// not help either.
    pub fn factor(&mut self, system: &System, re: &[f64], im: &[f64]) -> Result<(), PivotError> {
        self.pivoted = false;
        let ComplexFactors { lu, check, .. } = self;
        let sound = lu.factor(re, im).and_then(|()| match check {
            Some((check, room)) => {
                check.check_complex(system.pattern(), [re, im], room, |x, y| lu.solve(x, y))
            }
            None => Ok(()),
        });
        let Err(error) = sound else { return Ok(()) };
        if self.pivoting.is_none() {
            self.pivoting = ComplexPivotingLu::new(system.pattern()).ok();
        }
        let pivoting = self.pivoting.as_mut().ok_or(error)?;
        pivoting.factor(re, im).map_err(|_| error)?;
        self.pivoted = true;
        Ok(())
    }

    /// x := A⁻¹ x for x = `re` + i `im`.
    pub fn solve(&mut self, re: &mut [f64], im: &mut [f64]) {
        match &mut self.pivoting {
            Some(pivoting) if self.pivoted => pivoting.solve(re, im),
            _ => self.lu.solve(re, im),
        }
    }

    /// The same for two vectors, given as real and imaginary parts.
    pub fn solve2(&mut self, b: [&mut [f64]; 2], c: [&mut [f64]; 2]) {
        match &mut self.pivoting {
            Some(pivoting) if self.pivoted => {
                let ([re, im], [p, q]) = (b, c);
                pivoting.solve(re, im);
                pivoting.solve(p, q);
            }
            _ => self.lu.solve2(b, c),
        }
    }
}
