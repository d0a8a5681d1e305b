//! Sparse LU of complex matrices with the pivots on the diagonal in the given order, for the stage
//! equations of implicit Runge–Kutta methods: the companion of [`crate::SparseLu`].

use crate::complex_lanes::Complex;
use crate::lanes::{Lanes, Quad, Task, dispatch};
use crate::lu::PivotError;
use crate::multifrontal;
use crate::pattern::Pattern;
use crate::symbolic::Symbolic;

/// LU factorisation of complex matrices of one structurally symmetric pattern.
#[derive(Debug, Clone)]
pub struct ComplexLu {
    symbolic: Symbolic,
    /// All fronts, and scratch behind the last.
    fronts: Vec<Quad>,
    /// Sizes of the terms of pivots to come, zero between factorisations.
    scale: Vec<f64>,
}

impl ComplexLu {
    /// Analyses the pattern. The factors are those of no matrix until
    /// [`ComplexLu::factor`] has succeeded.
    pub fn new(pattern: &Pattern) -> Self {
        let symbolic = Symbolic::new(pattern, 2);
        Self { fronts: multifrontal::memory(&symbolic), scale: vec![0.0; symbolic.n], symbolic }
    }

    /// Number of unknowns.
    pub fn n(&self) -> usize {
        self.symbolic.n
    }

    /// Factors the matrix with the given real and imaginary parts, one value per stored entry.
    /// After an error the factors must not be used.
    ///
    /// Magnitudes are |re| + |im|, which is at most √2 times the modulus. Pivots are squared: their
    /// moduli must be between 1e-154 and 1e154.
    pub fn factor(&mut self, re: &[f64], im: &[f64]) -> Result<(), PivotError> {
        let nnz = self.symbolic.nnz;
        assert!(re.len() == nnz && im.len() == nnz, "one value per stored entry");
        dispatch(Factor { lu: self, values: [re, im] })
    }

    /// (re + i im) := A⁻¹ (re + i im), in place.
    pub fn solve(&self, re: &mut [f64], im: &mut [f64]) {
        assert!(re.len() == self.n() && im.len() == self.n(), "vectors of length n");
        dispatch(Solve { lu: self, sides: [[re, im]] });
    }

    /// [`ComplexLu::solve`] for two vectors, reading the factors once.
    pub fn solve2(&self, b: [&mut [f64]; 2], c: [&mut [f64]; 2]) {
        let fits = b.iter().chain(&c).all(|x| x.len() == self.n());
        assert!(fits, "vectors of length n");
        dispatch(Solve { lu: self, sides: [b, c] });
    }
}

struct Factor<'a> {
    lu: &'a mut ComplexLu,
    values: [&'a [f64]; 2],
}

impl Task for Factor<'_> {
    type Output = Result<(), PivotError>;

    #[inline(always)]
    fn run<L: Lanes>(self, on: L::Processor) -> Self::Output {
        let ComplexLu { symbolic, fronts, scale } = self.lu;
        multifrontal::factor::<Complex<L>, 2>(on, symbolic, fronts, scale, self.values, &mut 1.0)
    }
}

struct Solve<'a, 'b, const R: usize> {
    lu: &'a ComplexLu,
    sides: [[&'b mut [f64]; 2]; R],
}

impl<const R: usize> Task for Solve<'_, '_, R> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lanes>(self, on: L::Processor) {
        multifrontal::solve::<Complex<L>, 2, R>(on, &self.lu.symbolic, &self.lu.fronts, self.sides);
    }
}
