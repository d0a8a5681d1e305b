//! From branches and nodes to the variables and constraints of a network (lagrangian-dae-modeling §1.13).
//!
//! Where nodes share an effort (electrical, fluid, thermal), a flow runs through each branch, and what comes
//! into a node goes out of it: ψ = Σ f_in − Σ f_out, except at the reference. For a branch from a to b
//! Lagrange's equation is then
//!
//! ```text
//! d/dt ∂T*/∂f − ∂T*/∂q + ∂V/∂q + ∂D/∂f − e^s = μ_a − μ_b,
//! ```
//! so that the multiplier μ of a node is its effort. With independent flows only those of the chords are
//! unknown, the others and their displacements are sums of them, and there are no such constraints.
//!
//! Where nodes share a motion (translation, rotation), each node has a displacement and a flow, and a branch
//! from a to b has the differences q_b − q_a and f_b − f_a.

use super::super::keyword::Keyword;
use super::expand::{End, Expanded, Motion, Node, Wire};
use super::sum::Sum;
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use poinsot_mechanics::{BranchGraph, Discipline, GraphBranch, Sharing};

/// A displacement and a flow that are unknown.
#[derive(Clone, Debug)]
pub(crate) struct UnknownMotion {
    pub displacement: String,
    pub flow: String,
    pub start: [Sum; 2],
    pub applied: Sum,
    /// Whether the model gives start values.
    pub chosen: [bool; 2],
    pub span: Span,
}

/// A displacement or flow that follows from unknowns.
#[derive(Clone, Debug)]
pub(crate) struct Dependent {
    pub name: String,
    pub value: Sum,
    pub span: Span,
}

/// Continuity at a node.
#[derive(Clone, Debug)]
pub(crate) struct Continuity {
    /// Name of the multiplier, the effort of the node.
    pub effort: String,
    pub value: Sum,
    pub span: Span,
}

/// The variables and constraints of a network.
#[derive(Clone, Debug, Default)]
pub(crate) struct Wiring {
    pub unknowns: Vec<UnknownMotion>,
    pub dependents: Vec<Dependent>,
    pub continuity: Vec<Continuity>,
    /// Names with units.
    pub units: Vec<(String, String)>,
}

/// The branches of one discipline: graph node 0 is the reference.
pub(super) struct Circuit<'a> {
    pub discipline: Discipline,
    pub graph: BranchGraph,
    pub motions: Vec<&'a Motion>,
    pub nodes: Vec<&'a Node>,
}

impl Circuit<'_> {
    /// The branches of a discipline; `None` without any.
    fn of(expanded: &Expanded, discipline: Discipline) -> Option<Circuit<'_>> {
        let belongs = |node: &Node| node.discipline.as_ref().is_some_and(|(other, _)| *other == discipline);
        let (mut place, mut nodes) = (vec![0; expanded.nodes.len()], Vec::new());
        for (k, node) in expanded.nodes.iter().enumerate().filter(|(_, node)| belongs(node)) {
            nodes.push(node);
            place[k] = nodes.len();
        }
        let wired = |motion: &&Motion| motion.wire.is_some_and(|wire| wire.discipline == discipline);
        let motions: Vec<&Motion> = expanded.motions.iter().filter(wired).collect();
        let end = |end: End| match end {
            End::Ground => 0,
            End::Node(node) => place[node],
        };
        let branch = |wire: Wire| GraphBranch { from: end(wire.from), to: end(wire.to) };
        let branches: Vec<GraphBranch> = motions.iter().filter_map(|m| m.wire.map(branch)).collect();
        if branches.is_empty() {
            return None;
        }
        Some(Circuit { discipline, graph: BranchGraph { nodes: nodes.len() + 1, branches }, motions, nodes })
    }

    /// The name of a variable of a node.
    pub fn name(&self, node: usize, letter: &str) -> String {
        format!("{}.{letter}", self.nodes[node - 1].name)
    }
}

/// Puts the network of a model together; mistakes are reported.
pub(crate) fn wire(expanded: &Expanded, independent: bool, diagnostics: &mut Diagnostics) -> Wiring {
    let mut wiring = Wiring::default();
    for motion in expanded.motions.iter().filter(|motion| motion.wire.is_none()) {
        wiring.unknowns.push(of_branch(motion));
    }
    for discipline in Discipline::ALL {
        let Some(circuit) = Circuit::of(expanded, discipline) else { continue };
        for motion in &circuit.motions {
            wiring.units.push((motion.displacement.clone(), discipline.displacement().unit.into()));
            wiring.units.push((motion.flow.clone(), discipline.flow().unit.into()));
        }
        super::topology::check(&circuit, expanded, independent, diagnostics);
        match (discipline.sharing(), independent) {
            (Sharing::Motion, _) => wiring.moving_nodes(&circuit, diagnostics),
            (Sharing::Effort, false) => wiring.all_flows(&circuit),
            (Sharing::Effort, true) => wiring.independent_flows(&circuit, expanded),
        }
    }
    wiring
}

fn of_branch(motion: &Motion) -> UnknownMotion {
    let sum = |formula: &Option<_>| {
        let mut sum = Sum::default();
        formula.iter().for_each(|formula| sum.add(1, formula));
        sum
    };
    UnknownMotion {
        displacement: motion.displacement.clone(),
        flow: motion.flow.clone(),
        start: [sum(&motion.start[0]), sum(&motion.start[1])],
        applied: sum(&motion.applied),
        chosen: motion.chosen,
        span: motion.span.clone(),
    }
}

impl Wiring {
    /// One flow for each branch, and continuity at every node but the reference.
    fn all_flows(&mut self, circuit: &Circuit) {
        self.unknowns.extend(circuit.motions.iter().map(|motion| of_branch(motion)));
        let effort = circuit.discipline.effort();
        for (k, node) in circuit.nodes.iter().enumerate() {
            let mut value = Sum::default();
            for (b, sign) in circuit.graph.incidence(k + 1) {
                value.add_name(sign, &circuit.motions[b].flow, &node.span);
            }
            let name = circuit.name(k + 1, effort.letter);
            self.units.push((name.clone(), effort.unit.into()));
            self.continuity.push(Continuity { effort: name, value, span: node.span.clone() });
        }
    }

    /// The flows of the chords; f_b = Σ k_bc f_c and q_b = q_b(0) + Σ k_bc (q_c − q_c(0)) for the tree.
    fn independent_flows(&mut self, circuit: &Circuit, expanded: &Expanded) {
        let rank: Vec<u32> = circuit.motions.iter().map(|motion| rank(motion, expanded)).collect();
        let tree = circuit.graph.spanning_tree(&rank);
        let chord = |c: usize| circuit.motions[tree.chords[c]];
        let mut applied = vec![Sum::default(); tree.chords.len()];
        for (b, motion) in circuit.motions.iter().enumerate() {
            for (c, sign) in &tree.combination[b] {
                motion.applied.iter().for_each(|formula| applied[*c].add(*sign, formula));
            }
            if !tree.in_tree[b] {
                continue;
            }
            let (mut flow, mut displacement) = (Sum::default(), Sum::default());
            motion.start[0].iter().for_each(|start| displacement.add(1, start));
            for (c, sign) in &tree.combination[b] {
                flow.add_name(*sign, &chord(*c).flow, &motion.span);
                displacement.add_name(*sign, &chord(*c).displacement, &motion.span);
                chord(*c).start[0].iter().for_each(|start| displacement.add(-sign, start));
            }
            for (name, value) in [(&motion.displacement, displacement), (&motion.flow, flow)] {
                self.dependents.push(Dependent { name: name.clone(), value, span: motion.span.clone() });
            }
        }
        for (c, applied) in applied.into_iter().enumerate() {
            self.unknowns.push(UnknownMotion { applied, ..of_branch(chord(c)) });
        }
        let efforts = super::node_effort::node_efforts(circuit, expanded);
        let unit = circuit.discipline.effort().unit;
        self.units.extend(efforts.iter().map(|effort| (effort.name.clone(), unit.into())));
        self.dependents.extend(efforts);
    }

    /// A displacement and a flow for each node; those of branches are differences.
    fn moving_nodes(&mut self, circuit: &Circuit, diagnostics: &mut Diagnostics) {
        let (q, f) = (circuit.discipline.displacement(), circuit.discipline.flow());
        let starts = [0, 1].map(|k| node_starts(circuit, k, diagnostics));
        for (k, node) in circuit.nodes.iter().enumerate() {
            let mut applied = Sum::default();
            for (b, sign) in circuit.graph.incidence(k + 1) {
                circuit.motions[b].applied.iter().for_each(|formula| applied.add(sign, formula));
            }
            let [(displacement, from_q), (flow, from_f)] = [0, 1].map(|k2| starts[k2][k + 1].clone());
            let unknown = UnknownMotion {
                displacement: circuit.name(k + 1, q.letter),
                flow: circuit.name(k + 1, f.letter),
                start: [displacement, flow],
                applied,
                chosen: [from_q, from_f],
                span: node.span.clone(),
            };
            self.units.push((unknown.displacement.clone(), q.unit.into()));
            self.units.push((unknown.flow.clone(), f.unit.into()));
            self.unknowns.push(unknown);
        }
        for (motion, branch) in circuit.motions.iter().zip(&circuit.graph.branches) {
            for (name, letter) in [(&motion.displacement, q.letter), (&motion.flow, f.letter)] {
                let mut value = Sum::default();
                for (sign, node) in [(1, branch.to), (-1, branch.from)] {
                    if node > 0 {
                        value.add_name(sign, &circuit.name(node, letter), &motion.span);
                    }
                }
                self.dependents.push(Dependent { name: name.clone(), value, span: motion.span.clone() });
            }
        }
    }
}

/// How late a branch comes into the tree: sources and stores first, then losses, inertias, and flows that are
/// given.
fn rank(motion: &Motion, expanded: &Expanded) -> u32 {
    let uses = |keyword: Keyword| {
        expanded
            .laws(keyword)
            .iter()
            .any(|law| law.contains(&motion.flow) || law.contains(&motion.displacement))
    };
    if uses(Keyword::FlowConstraints) {
        3
    } else if uses(Keyword::KineticCoEnergy) {
        2
    } else if uses(Keyword::DissipationFunction) || uses(Keyword::EffortConstraints) {
        1
    } else {
        0
    }
}

/// Start values of the nodes, and whether the model gives them: q_b = q_a + q along branches with a start
/// value. Those that the model gives come before those that components have by default; two for one node are
/// reported.
fn node_starts(circuit: &Circuit, which: usize, diagnostics: &mut Diagnostics) -> Vec<(Sum, bool)> {
    let count = circuit.graph.nodes;
    let mut starts: Vec<Option<Sum>> = vec![None; count];
    let mut given = vec![false; count];
    starts[0] = Some(Sum::default());
    for chosen in [true, false] {
        let mut waiting: Vec<usize> = (0..circuit.motions.len())
            .filter(|&b| {
                circuit.motions[b].chosen[which] == chosen && circuit.motions[b].start[which].is_some()
            })
            .collect();
        loop {
            let before = waiting.len();
            waiting.retain(|&b| {
                let GraphBranch { from, to } = circuit.graph.branches[b];
                let (known, new, sign) = match (&starts[from], &starts[to]) {
                    (Some(known), None) => (known.clone(), to, 1),
                    (None, Some(known)) => (known.clone(), from, -1),
                    _ => return true,
                };
                let mut sum = known;
                circuit.motions[b].start[which].iter().for_each(|start| sum.add(sign, start));
                (starts[new], given[new]) = (Some(sum), chosen);
                false
            });
            if waiting.len() == before {
                break;
            }
        }
        let twice = waiting.iter().find(|&&b| {
            let GraphBranch { from, to } = circuit.graph.branches[b];
            let known = |node: usize| node == 0 || given[node];
            let nonzero = circuit.motions[b].start[which].as_ref().is_some_and(|start| !start.is_zero());
            chosen && nonzero && known(from) && known(to)
        });
        if let Some(&b) = twice {
            let what = if which == 0 { circuit.discipline.displacement() } else { circuit.discipline.flow() };
            let message = format!("the start of `{}` follows from others already", circuit.motions[b].owner);
            diagnostics.push(
                Diagnostic::error(message)
                    .at(circuit.motions[b].span.clone(), format!("its {} is given twice", what.name))
                    .help("give start values for one component at each node"),
            );
        }
    }
    starts.into_iter().map(Option::unwrap_or_default).zip(given).collect()
}
