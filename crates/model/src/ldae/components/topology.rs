//! What is wrong with a network by its form: islands, loose ends, loops of effort sources, cutsets of flow
//! sources.

use super::super::keyword::Keyword;
use super::body::Definition;
use super::expand::{Expanded, Motion, Node};
use super::formula::Formula;
use super::wiring::Circuit;
use crate::diagnostic::{Diagnostic, Diagnostics};
use poinsot_mechanics::Sharing;
use std::collections::HashSet;

/// Reports what cannot work.
pub(super) fn check(
    circuit: &Circuit,
    expanded: &Expanded,
    independent: bool,
    diagnostics: &mut Diagnostics,
) {
    let shares_effort = circuit.discipline.sharing() == Sharing::Effort;
    if shares_effort && !independent {
        islands(circuit, diagnostics);
    }
    loose_ends(circuit, diagnostics);
    let given_flow: Vec<bool> = circuit.motions.iter().map(|m| is_flow_source(m, expanded)).collect();
    if shares_effort {
        let given: Vec<bool> = circuit.motions.iter().map(|m| is_effort_source(m, expanded)).collect();
        source_loop(circuit, &given, circuit.discipline.effort().name, diagnostics);
        source_cutset(circuit, &given_flow, diagnostics);
    } else {
        source_loop(circuit, &given_flow, circuit.discipline.flow().name, diagnostics);
    }
}

/// A constraint acts on every flow that stands in it. A parameter that reads a flow of another instance would
/// so make a transformer of a source.
pub(super) fn check_readings(expanded: &Expanded, diagnostics: &mut Diagnostics) {
    let is_flow = |name: &str| {
        let branch = expanded.motions.iter().any(|motion| motion.flow == name);
        let node = |node: &Node| {
            let flow = node.discipline.as_ref().filter(|(d, _)| d.sharing() == Sharing::Motion);
            flow.is_some_and(|(d, _)| name == format!("{}.{}", node.name, d.flow().letter))
        };
        branch || expanded.nodes.iter().any(node)
    };
    for law in expanded.laws(Keyword::FlowConstraints) {
        for name in law.names() {
            let Some(defined) = expanded.definitions.iter().find(|defined| defined.name == name) else {
                continue;
            };
            let Definition::Formula(value) = &defined.value else { continue };
            let own = name.rfind('.').map_or("", |dot| &name[..=dot]);
            let mut read: Vec<String> = dependencies(value, expanded).into_iter().collect();
            read.sort_unstable();
            let Some(flow) = read.into_iter().find(|other| !other.starts_with(own) && is_flow(other)) else {
                continue;
            };
            diagnostics.push(
                Diagnostic::error(format!(
                    "`{name}` stands in a flow constraint and reads `{flow}`, on which the constraint would act back"
                ))
                .at(defined.span.clone(), format!("reads `{flow}`"))
                .help(
                    "give the component an effort of its own, e.g. `EffortVariables = [v]; \
                     GeneralizedEfforts = [v]; EffortConstraints = [j - i];`, or take a source of the library",
                ),
            );
        }
    }
}

/// Every island needs the reference.
fn islands(circuit: &Circuit, diagnostics: &mut Diagnostics) {
    let island = circuit.graph.islands();
    let mut seen = vec![island[0]];
    for k in 1..circuit.graph.nodes {
        if seen.contains(&island[k]) {
            continue;
        }
        seen.push(island[k]);
        let members = (1..circuit.graph.nodes).filter(|&n| island[n] == island[k]);
        let names: Vec<String> = members.map(|n| format!("`{}`", circuit.nodes[n - 1].name)).collect();
        let effort = circuit.discipline.effort().name;
        let (noun, verb) = if names.len() == 1 { ("node", "has") } else { ("nodes", "have") };
        let message = format!(
            "the {} {noun} {} {verb} no connection to `ground`",
            circuit.discipline.adjective(),
            listed(&names)
        );
        diagnostics.push(
            Diagnostic::error(message)
                .at(circuit.nodes[k - 1].span.clone(), format!("its {effort} is not determined"))
                .help("every island needs a reference: connect one of its nodes to `ground`"),
        );
    }
}

fn listed(names: &[String]) -> String {
    match names.len() {
        0..=5 => names.join(", "),
        more => format!("{} and {} more", names[..4].join(", "), more - 4),
    }
}

/// A node with one branch.
fn loose_ends(circuit: &Circuit, diagnostics: &mut Diagnostics) {
    for (k, node) in circuit.nodes.iter().enumerate() {
        let [(b, _)] = circuit.graph.incidence(k + 1)[..] else { continue };
        let motion = circuit.motions[b];
        let branch = circuit.graph.branches[b];
        let consequence = match circuit.discipline.sharing() {
            Sharing::Effort => format!("no {} can run through it", circuit.discipline.flow().name),
            // A mass or a machine on its own moves well.
            Sharing::Motion if branch.from == 0 || branch.to == 0 => continue,
            Sharing::Motion => format!("it transmits no {}", circuit.discipline.effort().name),
        };
        let message =
            format!("only `{}` is connected to the node `{}`: {consequence}", motion.owner, node.name);
        diagnostics.push(
            Diagnostic::warning(message)
                .at(node.span.clone(), "a loose end")
                .help("a misspelt node? nodes with the same name are connected"),
        );
    }
}

/// Names that a formula depends on, also by way of definitions.
fn dependencies(formula: &Formula, expanded: &Expanded) -> HashSet<String> {
    let mut found: HashSet<String> = HashSet::new();
    let mut waiting: Vec<String> = formula.names().into_iter().map(str::to_owned).collect();
    while let Some(name) = waiting.pop() {
        if found.contains(&name) {
            continue;
        }
        let definition = expanded.definitions.iter().find(|defined| defined.name == name);
        if let Some(Definition::Formula(value)) = definition.map(|defined| &defined.value) {
            waiting.extend(value.names().into_iter().map(str::to_owned));
        }
        found.insert(name);
    }
    found
}

/// Whether a name is a variable: no definition, function, time or constant.
fn is_variable(name: &str, expanded: &Expanded) -> bool {
    let defined = expanded.definitions.iter().any(|defined| defined.name == name);
    !(defined || ["t", "pi"].contains(&name) || poinsot_expr::builtin(name).is_some() || name == "if")
}

/// A branch with nothing but an effort that depends on no variable.
fn is_effort_source(motion: &Motion, expanded: &Expanded) -> bool {
    let mentions =
        |formula: &Formula| formula.contains(&motion.flow) || formula.contains(&motion.displacement);
    let used = expanded.laws.values().flatten().any(mentions);
    let fixed = motion.applied.as_ref().is_none_or(|applied| {
        !dependencies(applied, expanded).iter().any(|name| is_variable(name, expanded))
    });
    !used && fixed
}

/// A branch whose flow alone stands in a flow or effort constraint.
fn is_flow_source(motion: &Motion, expanded: &Expanded) -> bool {
    let laws = [Keyword::FlowConstraints, Keyword::EffortConstraints].map(|keyword| expanded.laws(keyword));
    laws.into_iter().flatten().any(|law| {
        let variables = dependencies(law, expanded).into_iter().filter(|name| is_variable(name, expanded));
        law.contains(&motion.flow) && variables.collect::<Vec<_>>() == [motion.flow.clone()]
    })
}

fn owners(circuit: &Circuit, branches: &[usize]) -> String {
    let mut names: Vec<String> =
        branches.iter().map(|&b| format!("`{}`", circuit.motions[b].owner)).collect();
    names.sort_unstable();
    names.dedup();
    listed(&names)
}

fn source_loop(circuit: &Circuit, given: &[bool], what: &str, diagnostics: &mut Diagnostics) {
    let Some(found) = circuit.graph.loop_of(given) else { return };
    let message = format!("{} give every {what} of a loop", owners(circuit, &found));
    diagnostics.push(
        Diagnostic::error(message)
            .at(circuit.motions[found[0]].span.clone(), "closes the loop")
            .help("one of them is too many, or something must give way between them"),
    );
}

fn source_cutset(circuit: &Circuit, given: &[bool], diagnostics: &mut Diagnostics) {
    let Some((nodes, found)) = circuit.graph.cutset_of(given) else { return };
    let names: Vec<String> = nodes
        .iter()
        .map(|&n| match n {
            0 => "`ground`".to_owned(),
            n => format!("`{}`", circuit.nodes[n - 1].name),
        })
        .collect();
    let message = format!(
        "{} give every {} into {}",
        owners(circuit, &found),
        circuit.discipline.flow().name,
        listed(&names)
    );
    diagnostics.push(
        Diagnostic::error(message)
            .at(circuit.motions[found[0]].span.clone(), "one of these sources")
            .help("what they feed needs another way back"),
    );
}
