//! Whether the statements of a model or a component fit each other.

use super::super::keyword::Keyword;
use super::body::{Body, GROUND};
use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::suggest::did_you_mean;

/// Checks a component that was found under a name.
pub(crate) fn check(body: &Body, name: &str, diagnostics: &mut Diagnostics) {
    match &body.component {
        Some(word) if word.text == name => {}
        Some(word) => diagnostics.push(
            Diagnostic::error(format!("the component is called `{}`, but its file `{name}`", word.text))
                .at(word.span.clone(), "another name"),
        ),
        None => diagnostics.push(
            Diagnostic::error(format!("this is no component: `Component = {name};` is missing"))
                .at(body.span.clone(), "in this file"),
        ),
    }
    if let Some(span) = &body.independent {
        let message = "Flows is chosen by the model, not by a component";
        diagnostics.push(Diagnostic::error(message).at(span.clone(), "not here"));
    }
    for (word, _) in &body.others {
        let (message, help) = match Keyword::from_word(&word.text) {
            Some(_) => (format!("{} belongs to a model, not to a component", word.text), None),
            None => (format!("unknown keyword `{}`", word.text), did_you_mean(&word.text, Keyword::words())),
        };
        diagnostics.push(Diagnostic::error(message).at(word.span.clone(), "not here").maybe_help(help));
    }
    for port in &body.ports {
        let at = |word: &super::super::statement::Word| word.text == port.name.text;
        let by_branch = body.branches.iter().any(|b| at(&b.from) || at(&b.to));
        if !by_branch && !body.instances.iter().any(|instance| instance.nodes.iter().any(at)) {
            let message = format!("no branch begins or ends at the port `{}`", port.name.text);
            diagnostics.push(Diagnostic::error(message).at(port.name.span.clone(), "not connected"));
        }
    }
    lengths(body, diagnostics);
}

/// Checks that lists are as long as those they belong to, and that branches name flows.
pub(crate) fn lengths(body: &Body, diagnostics: &mut Diagnostics) {
    let count = |keyword| body.names(keyword).len();
    let [q, f, s, e] = super::body::VARIABLES.map(count);
    let mut demand = |keyword: Keyword, have: usize, want: usize, noun: &str| {
        if have != want {
            let place =
                body.laws(keyword).first().map_or(body.span.clone(), |formula| formula.origin.clone());
            let place = body.names(keyword).first().map_or(place, |declared| declared.name.span.clone());
            let plural = if want == 1 { "" } else { "s" };
            let message = format!("{} has {have} for {want} {noun}{plural}", keyword.word());
            diagnostics.push(Diagnostic::error(message).at(place, "another length"));
        }
    };
    demand(Keyword::FlowVariables, f, q, "displacement");
    for (keyword, want, noun) in [
        (Keyword::GeneralizedEfforts, q, "displacement"),
        (Keyword::InitialDisplacements, q, "displacement"),
        (Keyword::InitialFlows, f, "flow"),
        (Keyword::InitialDynamic, s, "dynamic variable"),
        (Keyword::InitialEfforts, e, "effort"),
    ] {
        if body.laws.contains_key(&keyword) {
            demand(keyword, body.laws(keyword).len(), want, noun);
        }
    }
    demand(Keyword::DynamicConstraints, body.laws(Keyword::DynamicConstraints).len(), s, "dynamic variable");
    demand(Keyword::EffortConstraints, body.laws(Keyword::EffortConstraints).len(), e, "effort");
    for branch in &body.branches {
        let flows = || body.names(Keyword::FlowVariables).iter().map(|flow| flow.name.text.as_str());
        if !flows().any(|flow| flow == branch.flow.text) {
            diagnostics.push(
                Diagnostic::error(format!("`{}` is not among the FlowVariables", branch.flow.text))
                    .at(branch.flow.span.clone(), "not a flow")
                    .maybe_help(did_you_mean(&branch.flow.text, flows())),
            );
        }
        if branch.from.text == branch.to.text {
            let message = format!("the branch `{}` ends where it begins", branch.flow.text);
            diagnostics.push(
                Diagnostic::error(message)
                    .at(branch.to.span.clone(), "the same node")
                    .help(format!("the reference is called `{GROUND}`")),
            );
        }
    }
}
