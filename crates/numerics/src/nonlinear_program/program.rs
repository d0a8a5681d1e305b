//! What is asked: a function to be made least, and conditions.

/// Where a number may lie; infinite ends are open.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Least value.
    pub lower: f64,
    /// Largest value.
    pub upper: f64,
}

impl Range {
    /// Any number.
    pub const FREE: Range = Range { lower: f64::NEG_INFINITY, upper: f64::INFINITY };

    /// One number only.
    pub fn exactly(value: f64) -> Self {
        Range { lower: value, upper: value }
    }

    /// This number and larger ones.
    pub fn at_least(lower: f64) -> Self {
        Range { lower, ..Range::FREE }
    }

    /// This number and smaller ones.
    pub fn at_most(upper: f64) -> Self {
        Range { upper, ..Range::FREE }
    }

    /// Whether it holds one number only.
    pub fn is_one_number(&self) -> bool {
        self.lower == self.upper
    }
}

/// A function has no value at a point: there the equations cannot be solved, or a number is not finite.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("a function has no value there")]
pub struct NoValue;

/// A nonlinear program over a point x:
///
/// ```text
/// min f(x)   subject to   c_k(x) in [lower_k, upper_k],   x_i in [lower_i, upper_i]
/// ```
/// A point may lie on a manifold (rotations): then it has more numbers than there are unknowns, the
/// derivatives are those by the unknowns d of [`Program::move_by`] at d = 0, and an unknown with a range
/// moves one number, [`Program::coordinate`], by itself.
pub trait Program {
    /// Number of unknowns, n.
    fn unknowns(&self) -> usize;

    /// Number of conditions, m.
    fn rows(&self) -> usize;

    /// Range of an unknown.
    fn unknown_range(&self, _unknown: usize) -> Range {
        Range::FREE
    }

    /// Range of a condition.
    fn row_range(&self, row: usize) -> Range;

    /// The number of an unknown at a point.
    fn coordinate(&self, x: &[f64], unknown: usize) -> f64 {
        x[unknown]
    }

    /// out := x moved by α d.
    fn move_by(&mut self, x: &[f64], d: &[f64], alpha: f64, out: &mut [f64]) {
        out.iter_mut().zip(x).zip(d).for_each(|((out, x), d)| *out = x + alpha * d);
    }

    /// The unknowns that move `from` to x.
    fn away(&mut self, x: &[f64], from: &[f64], out: &mut [f64]) {
        out.iter_mut().zip(x).zip(from).for_each(|((out, x), from)| *out = x - from);
    }

    /// f.
    fn objective(&mut self, x: &[f64]) -> Result<f64, NoValue>;

    /// ∂f/∂x.
    fn gradient(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NoValue>;

    /// c.
    fn conditions(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NoValue>;

    /// Row and unknown of each entry of ∂c/∂x; entries at one place are summed.
    fn jacobian_places(&self) -> Vec<(usize, usize)>;

    /// Entries of ∂c/∂x.
    fn jacobian(&mut self, x: &[f64], out: &mut [f64]) -> Result<(), NoValue>;

    /// Places of the entries of the Hessian, one of (i, j) and (j, i); entries at one place are summed.
    fn hessian_places(&self) -> Vec<(usize, usize)>;

    /// Entries of the Hessian of w f + λᵀc.
    fn hessian(&mut self, x: &[f64], w: f64, lambda: &[f64], out: &mut [f64]) -> Result<(), NoValue>;
}
