//! A state feedback u = −K x with wanted poles.

use crate::complaint::Complaint;
use crate::linearize::LinearSystem;
use crate::ranges::{complex, significant};
use poinsot_analysis::LinearModel;
use poinsot_numerics::dense::c64;
use poinsot_numerics::pole_placement::{Placement, PlacementError, place as place_poles};
use serde_json::json;

/// Condition of the eigenvectors above which small errors move the poles a lot.
const SENSITIVE: f64 = 1e6;

/// The feedback of all inputs that gives a system these poles, as JSON or in words.
pub fn place(system: &LinearSystem, poles: &[c64], json: bool) -> Result<String, Complaint> {
    let found = &system.found;
    let inputs: Vec<String> = system.spec.inputs.iter().map(|input| input.name.clone()).collect();
    let placement = place_poles(found.a.as_ref(), found.b.as_ref(), poles).map_err(|e| refused(&e, found))?;
    Ok(match json {
        true => as_json(found, &inputs, &placement),
        false => as_text(&system.prepared.model.name, found, &inputs, &placement),
    })
}

/// A wrong list is bad input; a system that cannot be moved is a failure.
fn refused(error: &PlacementError, found: &LinearModel) -> Complaint {
    match error {
        PlacementError::Count { .. } => {
            Complaint::bad_input(format!("--poles: {error}: {}", found.states.join(", ")))
        }
        PlacementError::NotConjugate { .. } | PlacementError::NotFinite => {
            Complaint::bad_input(format!("--poles: {error}"))
        }
        PlacementError::NoInput => Complaint::bad_input(format!("{error}: give --input")),
        error => Complaint::failed(error.to_string()),
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
