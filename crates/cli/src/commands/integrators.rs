//! `poinsot integrators`: the integrators that a model file can name.

use crate::message;
use clap::Args;
use poinsot_integrators::{families, integrators, keys, owners};
use std::process::ExitCode;

/// List the integrators that a model file can name.
#[derive(Args)]
pub struct Arguments;

/// The list of integrators: name, what can be chosen, forms with the default first.
pub fn run(_: &Arguments) -> ExitCode {
    let mut text = String::from(
        "* chooses its own steps if no step is given; of the forms the first is the default\n\n",
    );
    for entry in integrators() {
        let star = if entry.is_adaptive() { "*" } else { " " };
        text += &format!("{:<20}{star} {:<22} {}\n", entry.name(), entry.choices(), entry.summary());
        text += &format!("{:<22} form {}\n", "", entry.words("form").join(", "));
        if !entry.aliases().is_empty() {
            text += &format!("{:<22} also {}\n", "", entry.aliases().join(", "));
        }
    }
    text.push('\n');
    for key in keys().iter().filter(|key| !key.words.is_empty() && key.setting.key != "form") {
        let words: Vec<String> = key.words.iter().map(|own| format!("{:?}", own.word)).collect();
        let owners = families(&owners(key.setting.key));
        text += &format!("{owners}: {} = {}\n", key.setting.key, words.join(", "));
    }
    text += "Any other member of GS4: integrator = { family = \"U0\", roots = [rmin, rmax, rs] }\n";
    message::print_words(&text)
}
