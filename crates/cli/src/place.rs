//! `poinsot place`: a state feedback u = −K x with wanted poles.

use crate::linear_system::{load_bare, with_linear_system};
use crate::message;
use crate::overrides::parse_setting;
use crate::ranges::{complex, parse_poles, significant};
use crate::run::Base;
use clap::Args;
use poinsot_analysis::LinearModel;
use poinsot_numerics::dense::c64;
use poinsot_numerics::pole_placement::{Placement, PlacementError, place as place_poles};
use serde_json::json;
use std::path::PathBuf;
use std::process::ExitCode;

/// Condition of the eigenvectors above which small errors move the poles a lot.
const SENSITIVE: f64 = 1e6;

/// Arguments of the command.
#[derive(Args)]
pub struct PlaceArguments {
    /// The model file.
    model: PathBuf,
    /// Set a parameter, e.g. --set L=0.5; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
    #[command(flatten)]
    base: Base,
    /// An input that the feedback uses; may be repeated. Default: those of the file's study of type
    /// linearize.
    #[arg(long, value_name = "NAME")]
    input: Vec<String>,
    /// The poles, one for each state, complex ones in conjugate pairs, e.g. "-10+1i,-10-1i,-3".
    #[arg(long, value_name = "LIST", allow_hyphen_values = true)]
    poles: String,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

/// Runs the command.
pub fn place(arguments: &PlaceArguments) -> ExitCode {
    let poles = match parse_poles(&arguments.poles) {
        Ok(poles) => poles,
        Err(text) => return message::bad_input(&format!("--poles: {text}")),
    };
    let model = match load_bare(&arguments.model, &arguments.set) {
        Ok(model) => model,
        Err(code) => return code,
    };
    with_linear_system(&model, &arguments.base, &arguments.input, |_, spec, found| {
        let inputs: Vec<String> = spec.inputs.iter().map(|input| input.name.clone()).collect();
        match place_poles(found.a.as_ref(), found.b.as_ref(), &poles) {
            Ok(placement) if arguments.json => message::print(&as_json(found, &inputs, &placement)),
            Ok(placement) => message::print(&as_text(&model.name, found, &inputs, &placement)),
            Err(error) => refuse(&error, found),
        }
    })
}

/// A wrong list is bad input; a system that cannot be moved is a failure.
fn refuse(error: &PlacementError, found: &LinearModel) -> ExitCode {
    match error {
        PlacementError::Count { .. } => {
            message::bad_input(&format!("--poles: {error}: {}", found.states.join(", ")))
        }
        PlacementError::NotConjugate { .. } | PlacementError::NotFinite => {
            message::bad_input(&format!("--poles: {error}"))
        }
        PlacementError::NoInput => message::bad_input(&format!("{error}: give --input")),
        error => {
            message::complain(&format!("Error: {error}"));
            ExitCode::from(message::FAILED)
        }
    }
}

fn as_json(found: &LinearModel, inputs: &[String], placement: &Placement) -> String {
    let row = |i: usize| (0..found.states.len()).map(|j| placement.gain[(i, j)]).collect::<Vec<_>>();
    let pair = |p: &c64| json!({ "re": p.re, "im": p.im });
    let value = json!({
        "states": found.states,
        "inputs": inputs,
        "gain": (0..inputs.len()).map(row).collect::<Vec<_>>(),
        "poles": placement.poles.iter().map(pair).collect::<Vec<_>>(),
        "deviation": placement.deviation,
        "condition": placement.condition.is_finite().then_some(placement.condition),
    });
    format!("{value:#}\n")
}

fn as_text(name: &str, found: &LinearModel, inputs: &[String], placement: &Placement) -> String {
    let widest = found.states.iter().map(|s| s.chars().count()).max().unwrap_or(0).max(5) + 2;
    let columns: Vec<usize> = inputs.iter().map(|i| i.chars().count().max(14) + 2).collect();
    let mut text = format!("{name}: state feedback u = -K x\n\n{:<widest$}", "state");
    for (input, width) in inputs.iter().zip(&columns) {
        text += &format!("{input:>width$}");
    }
    text.push('\n');
    for (j, state) in found.states.iter().enumerate() {
        text += &format!("{state:<widest$}");
        for (i, width) in columns.iter().enumerate() {
            text += &format!("{:>width$}", significant(placement.gain[(i, j)], 9));
        }
        text.push('\n');
    }
    let list = |poles: &[c64]| poles.iter().map(|p| complex(*p, 7)).collect::<Vec<_>>().join(",  ");
    text += &format!("\npoles before  {}\n", list(&found.poles));
    text += &format!("poles after   {}\n", list(&placement.poles));
    text += &format!("off by        {:.1e} at most\n", placement.deviation);
    if placement.condition > SENSITIVE {
        text += &format!(
            "! the poles are sensitive: condition of their eigenvectors {:.1e} (poles apart from each other are not)\n",
            placement.condition
        );
    }
    text
}
