//! A start at rest in the position of equilibrium.

use super::way;
use crate::equilibrium::{self, EquilibriumMethod, EquilibriumSpec};
use crate::failure::StudyError;
use crate::study::Prepared;
use poinsot_analysis::{Equilibrium, EquilibriumSettings, consistent_start, find_equilibrium};
use poinsot_mechanics::State;
use poinsot_results::{Initial, Verdict};

/// Tolerance of a second search from what was found, see [`EquilibriumSettings::tolerance`]: what is left out
/// of balance is a motion.
const EXACT: f64 = 1e-13;

/// From a start as modelled to rest in the equilibrium.
pub fn begin(prepared: Prepared) -> Result<Prepared, StudyError> {
    let found = find(&prepared)?;
    settle(prepared, found)
}

/// To rest in an equilibrium that was found.
pub fn settle(mut prepared: Prepared, found: Equilibrium) -> Result<Prepared, StudyError> {
    let verdict = equilibrium::judged(&prepared, &found);
    let method = EquilibriumMethod::from(found.method).words().to_owned();
    let mut facts = vec![format!("found in {} iterations ({method})", found.iterations)];
    facts.extend(way(&prepared.system, &prepared.state, &found.state));
    let judged = format!("{}: {}", verdict.verdict.words(), verdict.reason);
    let mut doubts = vec![];
    match verdict.verdict {
        Verdict::Unstable | Verdict::None => doubts.push(judged),
        _ => facts.push(judged),
    }
    let time = prepared.state.t;
    prepared.system.set_start(&found.state);
    let (state, start) = consistent_start(&mut prepared.system, time)?;
    doubts.extend(moving(&prepared, &state));
    let initial = Initial { from: "at rest in equilibrium".into(), facts, doubts };
    Ok(Prepared { state, start, initial: Some(initial), ..prepared })
}

/// The nearest equilibrium, as exact as it can be had.
pub fn find(prepared: &Prepared) -> Result<Equilibrium, StudyError> {
    let (mut found, _) = equilibrium::solve(prepared, &EquilibriumSpec::at(prepared.state.t))?;
    let exact = EquilibriumSettings {
        tolerance: EXACT,
        load_steps: 0,
        relaxations: 0,
        judge: false,
        ..EquilibriumSettings::default()
    };
    if let Ok(nearer) = find_equilibrium(&prepared.system, found.state.clone(), &exact) {
        found.iterations += nearer.iterations;
        (found.state, found.a) = (nearer.state, nearer.a);
    }
    Ok(found)
}

/// Drives may leave no rest.
fn moving(prepared: &Prepared, state: &State) -> Option<String> {
    let system = &prepared.system;
    let speed = |k: usize| {
        let twist = system.twist(k, &state.v);
        twist.linear.norm() + system.length_scale() * twist.angular.norm()
    };
    let nodes = 1..system.nodes().len();
    let fastest = nodes.max_by(|a, b| speed(*a).total_cmp(&speed(*b))).filter(|k| speed(*k) > 0.0)?;
    let name = &system.nodes()[fastest].name;
    Some(format!("drives move at the start: nothing else does, but `{name}` is not at rest"))
}
