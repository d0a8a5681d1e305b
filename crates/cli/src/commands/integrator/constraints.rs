//! What a method makes of constraints in their forms.

use super::numbers::{complex, short};
use poinsot_integrators::{ConstraintForm, NormalRoots, Spectrum, Tableau, verdict};

/// Columns of the text.
const COLUMNS: usize = 104;

/// Orders in the forms of the constraints (lagrangian-dae-modeling §1.23).
pub(super) fn of_runge_kutta(tableau: &Tableau) -> String {
    let (p, s) = (tableau.order, tableau.stages());
    if tableau.is_explicit() {
        return format!(
            "\nConstraints\n  embedding, projected   order {p} in q and v; joints hold to round-off\n  \
             augmented              order {p}; joints drift open\n"
        );
    }
    if tableau.name.starts_with("dg") {
        let k = s - 1;
        return format!(
            "\nConstraints\n  \
             radau (default)        order {p} in q and v, {k} in λ; without the projection {p} in q, {s} in v\n  \
             gauss, as published    without the projection order {s} in q, {k} in v, and joints are open by h^{s}\n  \
             \x20                      where they connect moving bodies; the projection leaves order {k} in q and v\n"
        );
    }
    if !tableau.name.starts_with("radau") && tableau.name != "implicit-euler" {
        return format!(
            "\nConstraints\n  acceleration level, projected after each step: order {p} in q and v\n"
        );
    }
    let at_position = (2 * s - 2).max(1);
    format!(
        "\nConstraints\n  stabilised, velocity   order {p} in q and v, {s} in λ\n  \
         position (index 3)     order {at_position} in q at least, {s} in v, {} in λ\n  \
         acceleration           order {p} in q, v and λ; joints drift open\n",
        (s - 1).max(1)
    )
}

/// Normal roots and a verdict for each form.
pub(super) fn of_member(spectrum: &Spectrum) -> String {
    let roots = NormalRoots::new(spectrum.weights());
    let position = roots.position.map_or("–".into(), |r| r.each_ref().map(complex).join(", "));
    let mut text = format!("\nConstraints\n  {:<24}{:<16}verdict\n", "form", "normal roots");
    for form in ConstraintForm::ALL {
        let (name, roots) = match form {
            ConstraintForm::Position => ("position (index 3)", position.clone()),
            ConstraintForm::Velocity => ("velocity (index 2)", short(roots.velocity)),
            ConstraintForm::Acceleration => ("acceleration (index 1)", short(roots.acceleration)),
            ConstraintForm::Stabilised => ("stabilised (default)", short(roots.velocity)),
        };
        let words = verdict(&spectrum.member, spectrum.switches, form);
        text += &format!("  {name:<24}{roots:<16}{}\n", wrapped(&words, 42));
    }
    let multiplier = short(roots.multiplier);
    text + &format!("  {:<24}{multiplier:<16}of a multiplier carried from step to step\n", "multipliers")
}

/// Broken into lines, the second and later ones indented.
fn wrapped(words: &str, indent: usize) -> String {
    let mut lines = vec![String::new()];
    for word in words.split(' ') {
        let line = lines.last().map_or(0, |l| l.chars().count());
        match lines.last_mut() {
            Some(last) if line > 0 && indent + line + 1 + word.chars().count() <= COLUMNS => {
                last.push(' ');
                last.push_str(word);
            }
            Some(last) if line == 0 => last.push_str(word),
            _ => lines.push(word.to_owned()),
        }
    }
    lines.join(&format!("\n{:indent$}", ""))
}
