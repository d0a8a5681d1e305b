//! What hangs on a joint that is asked to start somewhere goes there with it, as if it were rigid.
//!
//! Constraints between two nodes and elements of beams make a tree from the ground outwards. Behind a joint
//! with a start value that no loop closes around, the next node is moved to where joint and value ask,
//!
//! ```text
//! Φ_joint(q) = 0,   s(q) = s₀          by Newton's method for this node alone, in legs
//! ```
//! and all nodes behind it by the same rigid motion D = (R, d): r → R r + d, rotations R·. Joints behind keep
//! their coordinates, beams their shape. Where a loop closes, joints decide (`start_values.rs`).

use crate::linear::constraint_gradients;
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::instant;
use poinsot_mechanics::{Chart, Frame, GROUND, NodeId, Scratch, StartValue, State, System, Twist};
use poinsot_numerics::dense::Mat;
use poinsot_numerics::subspace::pseudo_solve;
use std::collections::VecDeque;

/// Longest leg of a turn (rad).
const LEG: f64 = 1.0;
/// Newton steps of a leg at most.
const STEPS: usize = 30;
/// Openness of a row, relative to the model's length, that passes for rounding.
const CLOSED: f64 = 1e-12;
/// A singular value below this share of the largest is none.
const RANK: f64 = 1e-10;

/// What joins two nodes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Link {
    Constraint(usize),
    Beam,
}

/// The way from the ground to every node.
struct Tree {
    /// The node before, and what leads from there.
    parent: Vec<Option<(NodeId, Link)>>,
    /// Nodes from the ground outwards.
    order: Vec<NodeId>,
}

impl Tree {
    fn of(system: &System) -> Self {
        let count = system.nodes().len();
        let mut links: Vec<Vec<(NodeId, Link)>> = vec![vec![]; count];
        let mut join = |[a, b]: [NodeId; 2], link: Link| {
            links[a].push((b, link));
            links[b].push((a, link));
        };
        for c in 0..system.constraints().len() {
            if let [a, b] = nodes_of(system, c)[..] {
                join([a, b], Link::Constraint(c));
            }
        }
        for force in system.forces().iter().filter(|force| force.law.extensions().beam.is_some()) {
            let mut nodes: Vec<NodeId> = force.law.carried().iter().map(|c| c.node).collect();
            nodes.dedup();
            nodes.windows(2).for_each(|pair| join([pair[0], pair[1]], Link::Beam));
        }
        let mut tree = Tree { parent: vec![None; count], order: vec![] };
        let mut seen = vec![false; count];
        for root in 0..count {
            let mut queue = VecDeque::from([root]);
            while let Some(node) = queue.pop_front() {
                if std::mem::replace(&mut seen[node], true) {
                    continue;
                }
                tree.order.push(node);
                for &(next, link) in links[node].iter().filter(|(next, _)| !seen[*next]) {
                    // The first to reach a node has it.
                    tree.parent[next].get_or_insert((node, link));
                    queue.push_back(next);
                }
            }
        }
        tree
    }

    /// The nodes behind a constraint, the one that it holds first; none if it closes a loop.
    fn behind(&self, c: usize) -> Vec<NodeId> {
        let held = |node: &NodeId| matches!(self.parent[*node], Some((_, Link::Constraint(k))) if k == c);
        let Some(first) = (0..self.parent.len()).find(held) else { return vec![] };
        let mut behind = vec![false; self.parent.len()];
        behind[first] = true;
        for &node in &self.order {
            if let Some((parent, _)) = self.parent[node] {
                behind[node] |= behind[parent];
            }
        }
        let others = self.order.iter().copied().filter(|&node| behind[node] && node != first);
        std::iter::once(first).chain(others).collect()
    }
}

/// The nodes of a constraint that are bodies or the ground, each once. Slopes go with the place that they
/// belong to.
fn nodes_of(system: &System, c: usize) -> Vec<NodeId> {
    let carried = system.constraints()[c].law.carried().iter().map(|x| x.node);
    let mut nodes: Vec<NodeId> = carried
        .filter(|&k| {
            let chart = &system.nodes()[k].chart;
            !chart.is_number() && !chart.is_slope()
        })
        .collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes
}

/// Carries what hangs on joints with start values to where these ask, joints nearer to the ground first. What
/// cannot be carried stays.
pub(crate) fn carry(system: &mut System, t: f64, values: &[StartValue]) {
    let tree = Tree::of(system);
    let rank = |node: NodeId| tree.order.iter().position(|&other| other == node);
    let mut joints: Vec<(Option<usize>, usize, Vec<NodeId>)> = vec![];
    for value in values {
        let named = |c: &usize| system.constraints()[*c].name == value.joint;
        let Some(c) = (0..system.constraints().len()).find(named) else { continue };
        let behind = tree.behind(c);
        if joints.iter().any(|(_, other, _)| *other == c) || closes_a_loop(system, c, &behind) {
            continue;
        }
        if let Some(&first) = behind.first() {
            joints.push((rank(first), c, behind));
        }
    }
    joints.sort();
    for (_, c, behind) in joints {
        let name = system.constraints()[c].name.clone();
        let own: Vec<StartValue> = values.iter().filter(|value| value.joint == name).cloned().collect();
        carry_one(system, t, (c, &behind), &own);
    }
}

/// Whether something else than the joint ties what is behind it to what is not.
fn closes_a_loop(system: &System, c: usize, behind: &[NodeId]) -> bool {
    let crosses = |nodes: &[NodeId]| {
        nodes.iter().any(|node| behind.contains(node)) && !nodes.iter().all(|node| behind.contains(node))
    };
    let others = (0..system.constraints().len()).filter(|k| *k != c);
    let tied = others.into_iter().any(|k| {
        // A drive or a coupling of this very joint says nothing about others.
        let (nodes, own) = (nodes_of(system, k), nodes_of(system, c));
        crosses(&nodes) && nodes != own
    });
    tied || behind.contains(&GROUND)
}

/// Moves one joint to its values, with all behind it.
fn carry_one(system: &mut System, t: f64, (c, behind): (usize, &[NodeId]), values: &[StartValue]) {
    let modelled = system.start_state(t).frames;
    let turn = values.iter().map(|value| value.turn_from(&modelled)).fold(0.0, f64::max);
    let legs = (turn / LEG).ceil().max(1.0);
    for leg in 1..=legs as usize {
        let share = leg as f64 / legs;
        let aims: Vec<StartValue> = match share {
            1.0 => values.to_vec(),
            _ => values.iter().map(|value| value.part_way(&modelled, share)).collect(),
        };
        system.impose(&aims);
        let mut state = system.start_state(t);
        if !reach(system, &mut state, c, behind) {
            break;
        }
        system.set_start(&state);
    }
    system.release();
}

/// Newton's method for the first of the nodes, which takes the others with it; whether it closes.
fn reach(system: &System, state: &mut State, c: usize, behind: &[NodeId]) -> bool {
    let constraints = std::iter::once(c).chain(system.imposed());
    let row =
        |k: usize| (0..system.constraints()[k].law.rows()).filter_map(move |r| system.row_equation(k, r));
    let rows: Vec<usize> = constraints.flat_map(row).collect();
    let unknowns = system.nodes()[behind[0]].unknowns();
    let close = CLOSED * system.length_scale().max(1.0);
    let (mut scratch, zero) = (Scratch::default(), vec![0.0; system.size()]);
    for _ in 0..STEPS {
        let mut phi = zero.clone();
        system.constraint_residual(&instant(state, &zero), &mut phi, &mut scratch);
        let open: Vec<f64> = rows.iter().map(|&row| phi[row]).collect();
        if open.iter().all(|phi| phi.abs() <= close) {
            return true;
        }
        let values = constraint_gradients(system, state);
        let entry = |i: usize, j: usize| {
            system.pattern().index(rows[i], unknowns.start + j).map_or(0.0, |slot| values[slot])
        };
        let gradients = Mat::from_fn(rows.len(), unknowns.len(), entry);
        let Ok((step, _)) = pseudo_solve(gradients.as_ref(), &open, RANK) else { return false };
        let delta: Vec<f64> = step.iter().map(|step| -step).collect();
        if delta.iter().any(|d| !d.is_finite()) {
            return false;
        }
        let old = state.frames[behind[0]];
        let new = system.nodes()[behind[0]].chart.retract(&old, &delta);
        // The first as it is retracted: turned like the others, its distance from a rotation would double.
        let turn: Mat3 = new.rot * old.rot.transpose();
        state.frames[behind[0]] = new;
        for &node in &behind[1..] {
            let frame = state.frames[node];
            let turns = matches!(system.nodes()[node].chart, Chart::Motion | Chart::Planar { .. });
            let rot = if turns { turn * frame.rot } else { frame.rot };
            // A slope is turned, but has no place.
            let r = match system.nodes()[node].chart.is_slope() {
                true => turn * frame.r,
                false => new.r + turn * (frame.r - old.r),
            };
            state.frames[node] = Frame { r, rot };
        }
        system.remember(state);
    }
    false
}

/// A change of the velocity of a node, world axes.
#[derive(Clone, Copy)]
struct Change {
    linear: Vec3,
    angular: Vec3,
}

impl Change {
    /// The same rigid motion at a place that is `arm` away.
    fn at(&self, arm: &Vec3) -> Change {
        Change { linear: self.linear + self.angular.cross(arm), angular: self.angular }
    }

    fn minus(&self, other: &Change) -> Change {
        Change { linear: self.linear - other.linear, angular: self.angular - other.angular }
    }
}

/// Beams, and what is behind them, go on with what their ends were given, as if all were rigid. Joints give
/// nodes of beams what mass carries through them, which is little of it: the change of a node of a beam
/// becomes that of the node before, and what is joined to it keeps its motion relative to it.
pub(crate) fn carry_rates(system: &mut System, t: f64, before: &[Twist]) {
    let mut state = system.start_state(t);
    let tree = Tree::of(system);
    let none = Change { linear: Vec3::zeros(), angular: Vec3::zeros() };
    // What joints gave, what there is now, and the difference behind beams.
    let given = |node: NodeId| {
        let (new, old, rot) = (system.twist(node, &state.v), &before[node], &state.frames[node].rot);
        Change { linear: new.linear - old.linear, angular: rot * (new.angular - old.angular) }
    };
    let given: Vec<Change> = (0..tree.parent.len()).map(given).collect();
    let (mut changed, mut added) = (given.clone(), vec![none; given.len()]);
    for &node in &tree.order {
        let Some((parent, link)) = tree.parent[node] else { continue };
        let arm = match system.nodes()[node].chart.is_slope() {
            true => state.frames[node].r,
            false => state.frames[node].r - state.frames[parent].r,
        };
        added[node] = match link {
            _ if system.nodes()[node].chart.is_slope() => {
                let turned = changed[parent].angular;
                Change { linear: turned.cross(&arm) - given[node].linear, angular: turned }
            }
            Link::Beam => changed[parent].at(&arm).minus(&given[node]),
            Link::Constraint(_) => added[parent].at(&arm),
        };
        let more = added[node];
        changed[node].linear += more.linear;
        changed[node].angular += more.angular;
        let mut twist = system.twist(node, &state.v);
        twist.linear += more.linear;
        twist.angular += state.frames[node].rot.tr_mul(&more.angular);
        let entry = &system.nodes()[node];
        entry.chart.velocities(&twist, &mut state.v[entry.unknowns()]);
    }
    system.set_start(&state);
}
