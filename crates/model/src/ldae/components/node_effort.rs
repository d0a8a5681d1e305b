//! Efforts of nodes where flows are independent and have no multipliers.

use super::super::keyword::Keyword;
use super::expand::{Expanded, Motion};
use super::formula::Formula;
use super::sum::Sum;
use super::wiring::{Circuit, Dependent};
use poinsot_expr::Expr;

/// The efforts of the nodes that can be reached from the reference over branches without inertia and
/// constraints: along a branch from a to b
///
/// ```text
/// e_b = e_a − (∂V/∂q + ∂D/∂f − e^s).
/// ```
pub(super) fn node_efforts(circuit: &Circuit, expanded: &Expanded) -> Vec<Dependent> {
    let drops: Vec<Option<Sum>> = circuit.motions.iter().map(|motion| drop(motion, expanded)).collect();
    let allowed: Vec<bool> = drops.iter().map(Option::is_some).collect();
    let letter = circuit.discipline.effort().letter;
    let mut efforts = Vec::new();
    for (k, node) in circuit.nodes.iter().enumerate() {
        let Some(path) = circuit.graph.path(0, k + 1, &allowed) else { continue };
        let mut value = Sum::default();
        for (b, sign) in path {
            drops[b].iter().for_each(|drop| value.add_sum(-sign, drop));
        }
        efforts.push(Dependent { name: circuit.name(k + 1, letter), value, span: node.span.clone() });
    }
    efforts
}

/// ∂V/∂q + ∂D/∂f − e^s of a branch; `None` if more than this acts on it.
fn drop(motion: &Motion, expanded: &Expanded) -> Option<Sum> {
    let mentions = |law: &&Formula| law.contains(&motion.flow) || law.contains(&motion.displacement);
    for keyword in [Keyword::KineticCoEnergy, Keyword::DisplacementConstraints, Keyword::FlowConstraints] {
        if expanded.laws(keyword).iter().any(|law| mentions(&law)) {
            return None;
        }
    }
    let mut sum = Sum::default();
    for (keyword, name) in
        [(Keyword::PotentialEnergy, &motion.displacement), (Keyword::DissipationFunction, &motion.flow)]
    {
        for law in expanded.laws(keyword).iter().filter(|law| law.contains(name)) {
            let slope = Expr::parse(&law.text()).ok()?.derivative(name);
            sum.add(1, &Formula::made(&slope.to_string(), motion.span.clone()));
        }
    }
    motion.applied.iter().for_each(|applied| sum.add(-1, applied));
    Some(sum)
}
