//! Verdicts on stability in words.

use poinsot_analysis::{EigenvalueVerdict, LinearStability, LinearVerdict};
use poinsot_numerics::dense::c64;
use poinsot_results as results;

/// Zero eigenvalues are freedoms without stiffness, or drifts; it matters what the others do.
fn neutral(values: &[c64]) -> String {
    let (zero, others): (Vec<c64>, Vec<c64>) = values.iter().partition(|v| v.norm() == 0.0);
    let modes = if zero.len() == 1 { "1 mode is".into() } else { format!("{} modes are", zero.len()) };
    let rest = match EigenvalueVerdict::of(others.iter().copied()) {
        _ if others.is_empty() => "",
        EigenvalueVerdict::AsymptoticallyStable => "; the others decay",
        _ => "; the others do not grow",
    };
    format!("{modes} a freedom without stiffness, or a drift{rest}")
}

/// A verdict on eigenvalues (of a pair only one) in words.
pub fn stability(verdict: EigenvalueVerdict, values: &[c64]) -> results::Stability {
    let (verdict, reason) = match verdict {
        EigenvalueVerdict::AsymptoticallyStable => (
            results::Verdict::AsymptoticallyStable,
            "every eigenvalue lies to the left of the imaginary axis",
        ),
        EigenvalueVerdict::Stable => {
            (results::Verdict::Stable, "no eigenvalue lies to the right of the imaginary axis")
        }
        EigenvalueVerdict::Unstable => {
            (results::Verdict::Unstable, "an eigenvalue lies to the right of the imaginary axis")
        }
        EigenvalueVerdict::Neutral => {
            return results::Stability { verdict: results::Verdict::Neutral, reason: neutral(values) };
        }
    };
    results::Stability { verdict, reason: reason.into() }
}

/// The verdict of the indirect method in words.
pub fn linear_stability(found: &LinearStability) -> results::Stability {
    let verdict = match found.verdict() {
        LinearVerdict::AsymptoticallyStable if found.cyclic.is_empty() => {
            results::Verdict::AsymptoticallyStable
        }
        LinearVerdict::AsymptoticallyStable => results::Verdict::Stable,
        LinearVerdict::Unstable => results::Verdict::Unstable,
        LinearVerdict::Marginal | LinearVerdict::MarginalGrowing | LinearVerdict::Undecided => {
            results::Verdict::Neutral
        }
    };
    results::Stability { verdict, reason: found.words() }
}
