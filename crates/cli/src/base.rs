//! The state that a linearisation is about.

use crate::numbers::finite;
use clap::Args;
use poinsot_model::Model;
use poinsot_model::spec::BodyRef;
use poinsot_studies::small_motions::About;

/// What a linearisation is about.
#[derive(Args)]
pub struct Base {
    /// The state: the equilibrium, or the start with its velocities.
    #[arg(long, value_name = "STATE", value_parser = ["equilibrium", "start"])]
    about: Option<String>,
    /// Time at which loads and drives are taken (s).
    #[arg(long, value_name = "TIME")]
    time: Option<f64>,
    /// The body in whose axes the state is steady; default ground.
    #[arg(long, value_name = "BODY")]
    observer: Option<String>,
}

/// What the command line says about the state of a linearisation; it is about the start if the study
/// `starts_elsewhere`, unless something else is said.
pub fn rebase(
    base: &Base,
    model: &Model,
    starts_elsewhere: bool,
    about: &mut About,
    time: &mut f64,
    observer: &mut BodyRef,
) -> Result<(), String> {
    match base.about.as_deref() {
        Some("start") => *about = About::Start,
        Some(_) => *about = About::Equilibrium,
        None if starts_elsewhere => *about = About::Start,
        None => {}
    }
    *time = finite("--time", base.time)?.unwrap_or(*time);
    let Some(name) = &base.observer else { return Ok(()) };
    if name == "ground" {
        *observer = BodyRef::Ground;
        return Ok(());
    }
    let names: Vec<&str> = model.bodies.iter().map(|b| b.name.as_str()).collect();
    match names.iter().position(|n| n == name) {
        Some(k) => *observer = BodyRef::Body(k),
        None => {
            let hint = poinsot_expr::suggest(name, &names)
                .map_or(String::new(), |s| format!("; did you mean `{s}`?"));
            return Err(format!("there is no body `{name}` to observe from{hint}"));
        }
    }
    Ok(())
}
