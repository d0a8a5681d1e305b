//! Parameters of a model on the command line.

use crate::chosen_study::ChosenStudy;
use clap::Args;
use poinsot_model::Model;

/// Values of parameters, and the study that is meant.
#[derive(Args, Clone, Default)]
pub struct Parameters {
    #[command(flatten)]
    pub chosen: ChosenStudy,
    /// Set a parameter, e.g. --set L=0.5; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub set: Vec<(String, String)>,
}

/// A setting NAME=VALUE.
fn parse_setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().into(), value.trim().into())),
        _ => Err(format!("`{text}` is not of the form NAME=VALUE")),
    }
}

/// The name of a parameter of the model, from the command line or else from its study.
pub fn parameter_named(model: &Model, given: &Option<String>, own: Option<&str>) -> Result<String, String> {
    let Some(name) = given.as_deref().or(own) else {
        return Err("the model has no study that names a parameter: give --parameter".into());
    };
    let names: Vec<&str> = model.parameters.iter().map(|p| p.name.as_str()).collect();
    if names.contains(&name) {
        return Ok(name.to_owned());
    }
    let hint = match poinsot_expr::suggest(name, &names) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => "the model has no [parameters]".into(),
        None => format!("parameters: {}", names.join(", ")),
    };
    Err(format!("there is no parameter `{name}`; {hint}"))
}
