//! What a method makes of an oscillation and of a state that decays.

use super::numbers::{complex, decimal, radius, short, tidy};
use super::subject::{Chosen, Subject};
use poinsot_integrators::{Overshoot, Spectrum};
use std::f64::consts::TAU;

/// Steps over the period in the table.
const STEPS: [f64; 7] = [0.01, 0.05, 0.1, 0.2, 0.5, 1.0, 10.0];

/// Radius, period, damping and first step over the size of the step.
pub(super) fn table(chosen: &Chosen, xi: f64) -> String {
    let of = if xi > 0.0 { format!("of damping ratio {xi}") } else { "without damping".into() };
    let mut text = format!(
        "\nOscillation {of}: a step h on the period T, Ω = 2π h/T\n  \
         {:>6} {:>9} {:>11} {:>11} {:>11}",
        "h/T", "Ω", "radius", "period", "damping"
    );
    if matches!(chosen.subject, Subject::Gs4(_)) {
        text += &format!(" {:>11} {:>11} {:>11} {:>11}", "d1/d0", "v1/(ωd0)", "d1/(v0/ω)", "v1/v0");
    }
    text.push('\n');
    let method = chosen.amplification();
    let limit = method.stability_limit(xi);
    for step in STEPS {
        let omega = TAU * step;
        // Less than two steps in a period cannot show it.
        let shown = step <= 0.5 && meaningful(omega, limit);
        let percent = |v: Option<f64>| {
            v.filter(|_| shown).map_or("–".into(), |v| format!("{:.4} %", tidy(100.0 * v)))
        };
        text += &format!(
            "  {step:>6} {omega:>9.4} {:>11} {:>11} {:>11}",
            radius(method.spectral_radius(omega, xi)),
            percent(method.period_elongation(omega, xi)),
            percent(method.numerical_damping(omega, xi)),
        );
        if let Subject::Gs4(spectrum) = &chosen.subject {
            let first = spectrum.first_step(omega, xi);
            for value in [
                first.displacement_of_displacement,
                first.velocity_of_displacement,
                first.displacement_of_velocity,
                first.velocity_of_velocity,
            ] {
                text += &format!(" {:>11}", decimal(value));
            }
        }
        text.push('\n');
    }
    if let Subject::Gs4(spectrum) = &chosen.subject {
        text += &at_infinity(spectrum);
    }
    text
}

/// Radius and phase at Ω that were asked for, to all digits.
///
/// ```text
/// |ζ|,     arg ζ − Ω √(1 − ξ²)
/// ```
pub(super) fn at(chosen: &Chosen, xi: f64, omegas: &[f64]) -> String {
    if omegas.is_empty() {
        return String::new();
    }
    let method = chosen.amplification();
    let mut text = format!("\nAt Ω = ωh\n  {:>9} {:>20} {:>20}\n", "Ω", "radius", "phase error (rad)");
    for &omega in omegas {
        let turned = omega * (1.0 - xi * xi).max(0.0).sqrt();
        // The angle of a root says nothing of whole turns.
        let root = method.principal_root(omega, xi).filter(|_| xi < 1.0 && turned < std::f64::consts::PI);
        let phase = root.map_or("–".into(), |root| format!("{:.12e}", root.arg() - turned));
        text += &format!("  {omega:>9} {:>20.15} {phase:>20}\n", method.spectral_radius(omega, xi));
    }
    text
}

/// Whether period and damping mean anything at Ω: not beyond the stability limit, if there is one.
pub(super) fn meaningful(omega: f64, limit: f64) -> bool {
    limit == 0.0 || omega <= limit
}

/// The last line of the table, and what the first step does there.
fn at_infinity(spectrum: &Spectrum) -> String {
    let Some(roots) = spectrum.roots_at_infinity() else {
        return "  at infinite frequency a root is infinite: the member is explicit\n".into();
    };
    let largest = roots.iter().map(|r| r.norm()).fold(0.0, f64::max);
    let member = &spectrum.member;
    let [min, max, s] = roots.map(|r| complex(&r));
    let overshoot = match member.overshoot() {
        Overshoot::U0V0 => "U0V0: displacements and velocities stay bounded",
        Overshoot::U0V1 => "U0V1: displacements stay bounded, velocities grow as Ω",
        Overshoot::V0U1 => "V0U1: velocities stay bounded, displacements grow as Ω",
    };
    format!(
        "  {:>6} {:>9} {:>11}   roots {min}, {max} (principal) and {s} (spurious)\n  \
         First step from a stiff start: {overshoot}\n",
        "∞",
        "∞",
        radius(largest)
    )
}

/// The largest steps.
pub(super) fn stability(chosen: &Chosen, xi: f64) -> String {
    let method = chosen.amplification();
    let mut text = String::from("\nStability\n");
    let mut line = |what: &str, limit: &str| text += &format!("  {what:<34} {limit}\n");
    let of_step = |limit: f64| match limit {
        0.0 => "unstable at every step, however small".into(),
        limit if limit.is_infinite() => "at every step".into(),
        limit => format!("up to Ω = {limit:.4}, h = {:.4} T", limit / TAU),
    };
    line("oscillation without damping", &of_step(method.stability_limit(0.0)));
    if xi > 0.0 {
        line(&format!("oscillation of damping ratio {xi}"), &of_step(method.stability_limit(xi)));
    }
    let real = match method.real_axis_limit() {
        0.0 => "unstable at every step, however small".into(),
        limit if limit.is_infinite() => "at every step".into(),
        limit => format!("up to |λ|h = {limit:.4}"),
    };
    line("state y' = λy with λ < 0", &real);
    if let Subject::Gs4(spectrum) = &chosen.subject
        && let Some(roots) = spectrum.first_order_roots_at_infinity()
    {
        let list: Vec<String> = roots.iter().map(complex).collect();
        line(
            "",
            &format!(
                "roots {} at λh = -∞, 1 and {} at 0",
                list.join(", "),
                short(spectrum.acceleration_root())
            ),
        );
    }
    text
}
