//! Residuals and increments of an iteration: what is wrong with them, and where.

/// Why a step fails whose residual is not a number.
pub(crate) const NOT_A_NUMBER: &str = "a force or a joint is not a number";

/// Why a step fails whose iteration does not end.
pub(crate) const NOT_CONVERGED: &str = "Newton's iteration did not converge";

/// The first entry that is not a finite number.
pub(crate) fn not_a_number(residual: &[f64]) -> Option<usize> {
    if residual.iter().sum::<f64>().is_finite() {
        return None;
    }
    residual.iter().position(|r| !r.is_finite())
}

/// The largest of some entries; the first if there are none.
pub(crate) fn largest(increment: &[f64], counts: impl Fn(usize) -> bool) -> usize {
    let entries = increment.iter().enumerate().filter(|(k, _)| counts(*k));
    entries.max_by(|a, b| a.1.abs().total_cmp(&b.1.abs())).map_or(0, |(k, _)| k)
}
