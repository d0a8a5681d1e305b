//! The factored complex step matrix: static pivots in elimination order, or pivoting where one of them fails.

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
}

impl ComplexFactors {
    /// So many, for the pattern of a system as it is numbered now, which is analysed once.
    pub fn several(system: &System, count: usize) -> Vec<Self> {
        if count == 0 {
            return vec![];
        }
        let lu = ComplexLu::new(system.pattern());
        (0..count).map(|_| ComplexFactors { lu: lu.clone(), pivoting: None, pivoted: false }).collect()
    }

    /// Factors real and imaginary parts; the error names the equation whose pivot failed, if pivoting does not help either.
    pub fn factor(&mut self, system: &System, re: &[f64], im: &[f64]) -> Result<(), PivotError> {
        self.pivoted = false;
        let Err(error) = self.lu.factor(re, im) else { return Ok(()) };
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
