//! Global polynomial interpolation on Chebyshev points (motion-interpolation-galerkin §1.22, B.22–B.28,
//! B.37).
//!
//! ```text
//! x_i = −cos(π i/N) ,     β_i = (−1)^i / c_i ,     c_0 = c_N = 2, else 1
//! ```
//!
//! The barycentric weights are known, so the basis stays accurate for hundreds of nodes.

use super::basis::{BasisError, ascending};
use super::lagrange::Lagrange;
use std::f64::consts::PI;

/// Lagrange basis on the `n` Chebyshev–Gauss–Lobatto points of the interval from `a` to `b`.
pub fn chebyshev(n: usize, a: f64, b: f64) -> Result<Lagrange, BasisError> {
    if n < 2 {
        return Err(BasisError::TooFewNodes { found: n, needed: 2 });
    }
    ascending("ends of the interval", &[a, b], true)?;
    let last = n - 1;
    // sin rather than cos: exactly symmetric about the middle.
    let point = |i: usize| (PI * (2.0 * i as f64 - last as f64) / (2.0 * last as f64)).sin();
    let weight = |i: usize| {
        let end = if i == 0 || i == last { 0.5 } else { 1.0 };
        if i.is_multiple_of(2) { end } else { -end }
    };
    let basis = Lagrange::assemble((0..n).map(point).collect(), (-1.0, 1.0), (0..n).map(weight).collect());
    basis.on(a, b)
}

/// Chebyshev polynomial of the first kind `T_n(x)` and its slope, by the three-term recurrences.
pub fn chebyshev_polynomial(n: usize, x: f64) -> (f64, f64) {
    let ((mut before, mut value), (mut slope_before, mut slope)) = ((x, 1.0), (1.0, 0.0));
    for _ in 0..n {
        (slope_before, slope) = (slope, 2.0 * value + 2.0 * x * slope - slope_before);
        (before, value) = (value, 2.0 * x * value - before);
    }
    (value, slope)
}
