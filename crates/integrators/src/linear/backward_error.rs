//! Whether factors are those of their matrix.
//!
//! Static pivots are chosen by the pattern. The derivative of a diode's law by its voltage falls to nothing
//! in reverse bias, and as a pivot it would spoil the factors without any sign. A solve tells: with A x = b
//! computed,
//!
//! ```text
//! ω = max_i |b − A x|_i / (|A| |x| + |b|)_i
//! ```
//! is a few roundings where elimination was stable, whatever the condition of A.

use poinsot_mechanics::System;
use poinsot_numerics::lu::PivotError;
use poinsot_numerics::pattern::Pattern;

/// Factors with a larger ω are not used.
const LARGEST: f64 = 1e-10;

/// Room for one check.
#[derive(Clone, Debug)]
pub(crate) struct BackwardError {
    b: Vec<f64>,
    x: Vec<f64>,
    /// b − A x and |A| |x| + |b|, row by row.
    rows: Vec<[f64; 2]>,
}

impl BackwardError {
    /// For systems whose pivots may fade: those with algebraic equations.
    pub fn of(system: &System) -> Option<Self> {
        (!system.algebraic_equations().is_empty()).then(|| Self::new(system.size()))
    }

    fn new(n: usize) -> Self {
        // Numbers of changing sign and size, so that nothing cancels by chance.
        let b = (0..n).map(|k| ((k + 1) as f64 * 0.618_033_988_749_895).fract() - 0.4).collect();
        BackwardError { b, x: vec![0.0; n], rows: vec![[0.0; 2]; n] }
    }

    /// Whether a real solve is as good as it should be; the error tells the row that is farthest from it.
    pub fn check(
        &mut self,
        pattern: &Pattern,
        values: &[f64],
        solve: impl FnOnce(&mut [f64]),
    ) -> Result<(), PivotError> {
        self.x.copy_from_slice(&self.b);
        solve(&mut self.x);
        self.rows.iter_mut().zip(&self.b).for_each(|(row, b)| *row = [*b, b.abs()]);
        for (column, x) in self.x.iter().enumerate() {
            for slot in pattern.slots(column) {
                let [open, size] = &mut self.rows[pattern.row_indices()[slot]];
                *open -= values[slot] * x;
                *size += (values[slot] * x).abs();
            }
        }
        self.verdict()
    }

    /// The same for a complex matrix; the right side is real.
    pub fn check_complex(
        &mut self,
        pattern: &Pattern,
        [re, im]: [&[f64]; 2],
        imaginary: &mut [f64],
        solve: impl FnOnce(&mut [f64], &mut [f64]),
    ) -> Result<(), PivotError> {
        self.x.copy_from_slice(&self.b);
        imaginary.fill(0.0);
        solve(&mut self.x, imaginary);
        self.rows.iter_mut().zip(&self.b).for_each(|(row, b)| *row = [*b, b.abs()]);
        // The real part of the residual is a check as good as the whole.
        for (column, (x, y)) in self.x.iter().zip(imaginary.iter()).enumerate() {
            for slot in pattern.slots(column) {
                let [open, size] = &mut self.rows[pattern.row_indices()[slot]];
                *open -= re[slot] * x - im[slot] * y;
                *size += (re[slot] * x).abs() + (im[slot] * y).abs();
            }
        }
        self.verdict()
    }

    fn verdict(&self) -> Result<(), PivotError> {
        // What is no number is not small.
        let sound = |[open, size]: &[f64; 2]| open.abs() <= LARGEST * size;
        match self.rows.iter().position(|row| !sound(row)) {
            None => Ok(()),
            Some(row) => Err(PivotError { row, pivot: self.rows[row][0], scale: self.rows[row][1] }),
        }
    }
}
