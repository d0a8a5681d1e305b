//! The text of `poinsot integrator`: what the method is, its weights, its oscillations, its constraints.

use super::numbers::triple;
use super::subject::{Chosen, Subject};
use super::{constraints, oscillation};
use poinsot_integrators::{Gs4Family, Member, Spectrum, Switches};

/// All of it.
pub(super) fn report(chosen: &Chosen, xi: f64, at: &[f64]) -> String {
    let mut text = String::new();
    match &chosen.subject {
        Subject::Gs4(spectrum) => {
            let triple = triple(&spectrum.member);
            let place = if chosen.name.starts_with(&triple) { String::new() } else { format!("  {triple}") };
            let of = if chosen.is_explicit() { "relative of " } else { "" };
            text += &format!("{}{place}\n{of}{}\n{}", chosen.name, chosen.summary, explicitness(spectrum));
            text += &weights(spectrum);
        }
        Subject::RungeKutta { tableau, .. } => {
            text += &format!(
                "{}\n{}\nOrder {}, {} stages\n",
                chosen.name,
                chosen.summary,
                tableau.order,
                tableau.stages()
            );
        }
    }
    text += &oscillation::table(chosen, xi);
    text += &oscillation::at(chosen, xi, at);
    text += &oscillation::stability(chosen, xi);
    text += &match &chosen.subject {
        Subject::Gs4(spectrum) => constraints::of_member(spectrum),
        Subject::RungeKutta { tableau, .. } => constraints::of_runge_kutta(tableau),
    };
    text
}

/// What the switches make of the member.
fn explicitness(spectrum: &Spectrum) -> &'static str {
    match spectrum.switches {
        Switches::EXPLICIT if spectrum.member == Member::u0(1.0, 1.0, 0.0) => {
            "η = (0, 0, 0): central differences, also called velocity Verlet\n"
        }
        Switches::EXPLICIT => "η = (0, 0, 0): explicit, only masses are solved with\n",
        Switches::EXPLICIT_DISSIPATIVE => "η = (0, 0, 1): explicit, only masses are solved with\n",
        Switches::VELOCITY_IMPLICIT => "η = (0, 1, 0): explicit in positions, implicit in velocities\n",
        Switches::VELOCITY_IMPLICIT_DISSIPATIVE => {
            "η = (0, 1, 1): explicit in positions, implicit in velocities\n"
        }
        _ => "",
    }
}

fn weights(spectrum: &Spectrum) -> String {
    let w = spectrum.weights();
    let rows = [
        ("W1", w.w1, "the balance holds at t + W1 h"),
        ("W2Λ2", w.w2l2, ""),
        ("W3Λ3", w.w3l3, "positions of the stage"),
        ("W2Λ5", w.w2l5, "velocities of the stage"),
        ("W1Λ6", w.w1l6, "accelerations of the stage"),
        ("λ3", w.l3, "new positions"),
        ("λ5", w.l5, "new velocities"),
        ("φ", w.phi, "stored accelerations belong to t − φh"),
        ("r0", spectrum.acceleration_root(), "factor per step of an error in them"),
    ];
    let mut text = String::from("\nWeights\n");
    for (name, value, meaning) in rows {
        text += format!("  {name:<6} {value:>10.6}   {meaning}").trim_end();
        text.push('\n');
    }
    if spectrum.switches == Switches::IMPLICIT {
        let a = spectrum.member.alpha_parameters();
        let values = [("α_m", a.alpha_m), ("α_f", a.alpha_f), ("β", a.beta), ("γ", a.gamma)];
        let mut list: Vec<String> = values.iter().map(|(n, v)| format!("{n} = {v:.6}")).collect();
        if spectrum.member.family == Gs4Family::V0 {
            list.extend([format!("α_k = {:.6}", a.alpha_k), format!("κ = {:.6}", a.kappa)]);
        }
        text += &format!("  as generalized-alpha: {}\n", list.join(", "));
    }
    text
}
