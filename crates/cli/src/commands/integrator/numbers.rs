//! How `poinsot integrator` writes numbers, roots and members.

use poinsot_integrators::{Gs4Family, Member};
use poinsot_numerics::dense::c64;

/// U0(min, max, s).
pub(super) fn triple(member: &Member) -> String {
    let family = match member.family {
        Gs4Family::U0 => "U0",
        Gs4Family::V0 => "V0",
    };
    let [min, max, s] = [member.rho_min, member.rho_max, member.rho_s].map(short);
    format!("{family}({min}, {max}, {s})")
}

/// Up to four decimals.
pub(super) fn short(value: f64) -> String {
    let text = format!("{value:.4}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// Without the rounding that would show as −0.
pub(super) fn tidy(value: f64) -> f64 {
    if value.abs() < 1e-9 { 0.0 } else { value }
}

/// With digits enough to tell a creeping growth.
pub(super) fn radius(value: f64) -> String {
    if value < 10.0 { format!("{value:.8}") } else { decimal(value) }
}

pub(super) fn decimal(value: f64) -> String {
    match value.abs() {
        size if size < 1e3 => format!("{:.6}", tidy(value)),
        _ => format!("{value:.3e}"),
    }
}

pub(super) fn complex(root: &c64) -> String {
    if root.im.abs() < 1e-6 { short(root.re) } else { format!("{}{:+.4}i", short(root.re), root.im) }
}
