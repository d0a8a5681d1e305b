//! Which joints make the tree: the spanning tree with the most rows.

use crate::conserving::reduced_newton::joint_tree::{DOFS, Hold, JointTree, Link};
use crate::conserving::reduced_newton::lower_pair::PairJoint;
use crate::linear::row_space::RowSpace;
use poinsot_geometry::Mat3;
use poinsot_mechanics::conserving::{Conserving, ConservingScratch, ConservingStep};
use poinsot_mechanics::{Chart, Frame, GROUND, MAX_ROWS};
use std::collections::BinaryHeap;

impl JointTree {
    /// The spanning tree with the most rows, from ground or from free nodes (parameters of curves first); the
    /// step must be at rest.
    pub fn new(view: &Conserving, step: &ConservingStep) -> Self {
        let nodes = view.system().nodes();
        let constraints = view.system().constraints();
        let mut tree = JointTree {
            links: vec![],
            closures: vec![],
            size: 0,
            space: RowSpace::with_room(DOFS, MAX_ROWS),
            room: ConservingScratch::default(),
            rows: [0.0; MAX_ROWS * 2 * DOFS],
            before: vec![],
            turn: vec![],
            gaps: vec![],
            short: 1e-7 * view.system().length_scale().min(1.0),
        };
        let is_joint = |c: usize| {
            let law = &constraints[c].law;
            matches!(view.touched_nodes(c).len(), 1 | 2) && !(0..law.rows()).any(|k| law.is_velocity_row(k))
        };
        let mut around = vec![vec![]; nodes.len()];
        for c in (0..constraints.len()).filter(|&c| is_joint(c) && view.rows_in_force(c).count() > 0) {
            match view.touched_nodes(c) {
                [(node, _)] => around[GROUND].push((c, *node)),
                [(one, _), (two, _)] => {
                    around[*one].push((c, *two));
                    around[*two].push((c, *one));
                }
                _ => {}
            }
        }
        let mut link_of: Vec<Option<usize>> = vec![None; nodes.len()];
        let mut used = vec![false; constraints.len()];
        let mut roots: Vec<usize> = (1..nodes.len()).collect();
        roots.sort_by_key(|&id| nodes[id].chart != Chart::Parameter);
        let mut roots = roots.into_iter();
        // Joints with the most rows first, then in the order of the model.
        let mut heap = BinaryHeap::new();
        let mut reached = GROUND;
        loop {
            for &(c, child) in &around[reached] {
                heap.push((view.rows_in_force(c).count(), std::cmp::Reverse(c), reached, child));
            }
            let next = loop {
                match heap.pop() {
                    Some((_, std::cmp::Reverse(c), parent, child)) if link_of[child].is_none() => {
                        if let Some(link) = tree.joined(view, step, c, link_of[parent], child) {
                            used[c] = true;
                            break Some(link);
                        }
                    }
                    Some(_) => {}
                    None => break roots.find(|&id| link_of[id].is_none()).map(|id| free(view, id)),
                }
            };
            let Some(mut link) = next else { break };
            link.first = tree.size;
            tree.size += link.free;
            reached = link.node;
            link_of[reached] = Some(tree.links.len());
            tree.links.push(link);
        }
        tree.closures =
            (0..constraints.len()).filter(|&c| !used[c] && view.rows_in_force(c).count() > 0).collect();
        let n = tree.links.len();
        tree.before = vec![Frame::identity(); n];
        tree.turn = vec![Mat3::zeros(); n];
        tree.gaps = vec![[0.0; DOFS]; n];
        tree
    }

    /// A node on a joint; none if the rows do not determine part of its motion.
    fn joined(
        &mut self,
        view: &Conserving,
        step: &ConservingStep,
        joint: usize,
        parent: Option<usize>,
        node: usize,
    ) -> Option<Link> {
        let mut link = free(view, node);
        link.parent = parent;
        link.joint = Some(joint);
        link.equations = view.rows_in_force(joint).collect();
        (link.rows, link.width) = (link.equations.len(), view.touched_unknowns(joint).len());
        for &(id, column) in view.touched_nodes(joint) {
            if id == node {
                link.column = column;
            } else {
                link.parent_column = column;
            }
        }
        let parent_node = parent.map_or(GROUND, |p| self.links[p].node);
        if let Some(p) = parent {
            (link.parent_dofs, link.parent_eq) = (self.links[p].dofs, self.links[p].eq);
        }
        let entry = &view.system().constraints()[joint];
        let nodes = view.system().nodes();
        let spatial = |id: usize| id == GROUND || nodes[id].chart == Chart::Motion;
        let whole = (0..entry.law.rows()).all(|row| entry.in_force(row));
        if let Some(pair) =
            PairJoint::of(&*entry.law, parent_node).filter(|_| whole && spatial(node) && spatial(parent_node))
        {
            link.free = pair.free();
            link.hold = Hold::Pair(pair);
            return Some(link);
        }
        if link.rows > link.dofs {
            return None;
        }
        view.end_rows(joint, step, &mut self.rows, &mut self.room);
        if !self.decompose(&link) {
            return None;
        }
        link.free = link.dofs - link.rows;
        link.hold = Hold::Rows { complement: [0.0; DOFS * DOFS] };
        Some(link)
    }
}

/// A node without a joint.
fn free(view: &Conserving, node: usize) -> Link {
    let unknowns = view.unknowns(node);
    Link {
        node,
        parent: None,
        joint: None,
        hold: Hold::Free,
        dofs: unknowns.len(),
        parent_dofs: 0,
        eq: unknowns.start,
        parent_eq: 0,
        free: unknowns.len(),
        first: 0,
        column: 0,
        parent_column: 0,
        rows: 0,
        width: 0,
        equations: vec![],
    }
}
