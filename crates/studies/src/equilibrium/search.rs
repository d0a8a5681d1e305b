//! All equilibria inside ranges of variables, and their kinds.

use crate::complaint::Complaint;
use crate::equilibrium::{EquilibriumSpec, judged, settings};
use crate::linearize::{NameError, variable};
use crate::portrait::MarkKind;
use crate::ranges::{NamedRange, complex, significant};
use crate::study::{Prepared, prepare};
use poinsot_analysis::{Equilibrium, SearchRange, search_equilibria};
use poinsot_model::Model;
use serde_json::json;

/// Ranges in the numbers of the system.
pub fn ranges(prepared: &Prepared, named: &[NamedRange]) -> Result<Vec<SearchRange>, NameError> {
    let mut ranges: Vec<SearchRange> = vec![];
    for range in named {
        let variable = variable(prepared, &range.name)?;
        if ranges.iter().any(|other| other.variable == variable) {
            return Err(NameError::Twice { what: "variable", name: range.name.clone() });
        }
        ranges.push(SearchRange { variable, low: range.low, high: range.high });
    }
    Ok(ranges)
}

/// The kind of an equilibrium by its eigenvalues.
pub fn kind(found: &Equilibrium) -> MarkKind {
    let Some(linear) = &found.linear else { return MarkKind::Undecided };
    let decaying = linear.values.iter().any(|v| v.re < 0.0);
    match (linear.growing, linear.on_axis, linear.zeros) {
        (0, _, _) if linear.undecided > 0 => MarkKind::Undecided,
        (0, 0, 0) => MarkKind::Stable,
        (0, _, 0) => MarkKind::Centre,
        (0, _, _) => MarkKind::Undecided,
        _ if decaying => MarkKind::Saddle,
        _ => MarkKind::Unstable,
    }
}

/// Looks for equilibria from so many starts and lists them, as JSON or in words.
pub fn search(
    model: &Model,
    spec: &EquilibriumSpec,
    named: &[NamedRange],
    starts: usize,
    as_json: bool,
) -> Result<String, Complaint> {
    let prepared = prepare(model, spec.time)?;
    let ranges = ranges(&prepared, named).map_err(Complaint::bad_input)?;
    let found = search_equilibria(&prepared.system, &prepared.state, &ranges, starts, &settings(spec));
    if as_json {
        return Ok(json_of(&prepared, &found));
    }
    if found.is_empty() {
        return Err(Complaint::failed(format!(
            "{}: no equilibrium found inside the ranges from {starts} starts; widen them or raise --starts",
            model.source.name
        )));
    }
    Ok(text_of(&prepared, &found, starts))
}

fn values(prepared: &Prepared, found: &Equilibrium) -> Vec<(String, f64)> {
    let networks = prepared.system.networks().iter();
    let of = networks
        .flat_map(|n| n.law.variables.iter().enumerate().map(|(j, v)| (v.name.clone(), n.unknown(j))));
    of.map(|(name, eq)| (name, found.state.v[eq])).collect()
}

fn json_of(prepared: &Prepared, found: &[Equilibrium]) -> String {
    let one = |e: &Equilibrium| {
        let variables: serde_json::Map<String, serde_json::Value> =
            values(prepared, e).into_iter().map(|(name, value)| (name, json!(value))).collect();
        let eigenvalues = e.linear.iter().flat_map(|l| &l.values).map(|v| json!({ "re": v.re, "im": v.im }));
        let stability = judged(prepared, e);
        json!({
            "variables": variables,
            "held": e.held,
            "verdict": stability.verdict.words(),
            "reason": stability.reason,
            "eigenvalues": eigenvalues.collect::<Vec<_>>(),
        })
    };
    format!("{:#}\n", serde_json::Value::from(found.iter().map(one).collect::<Vec<_>>()))
}

fn text_of(prepared: &Prepared, found: &[Equilibrium], starts: usize) -> String {
    let count = if found.len() == 1 { "1 equilibrium".into() } else { format!("{} equilibria", found.len()) };
    let mut text = format!("{}: {count} from {starts} starts\n", prepared.model.name);
    for (k, equilibrium) in found.iter().enumerate() {
        let at: Vec<String> = values(prepared, equilibrium)
            .iter()
            .map(|(name, value)| {
                // What is zero up to the tolerance is not written as rounding.
                let value = if value.abs() < 1e-12 { 0.0 } else { *value };
                format!("{name} = {}", significant(value, 7))
            })
            .collect();
        let stability = judged(prepared, equilibrium);
        text += &format!("\n{:>3}  {}\n", k + 1, at.join(",  "));
        text += &format!("     {}: {}\n", stability.verdict.words(), stability.reason);
        if let Some(linear) = &equilibrium.linear {
            let list: Vec<String> = linear.values.iter().map(|v| complex(*v, 7)).collect();
            text += &format!("     eigenvalues {}\n", list.join(",  "));
        }
        if !equilibrium.held.is_empty() {
            text += &format!("     held {}\n", equilibrium.held.join(", "));
        }
    }
    text
}
