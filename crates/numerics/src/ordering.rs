//! Elimination order of a mechanism: bodies ("nodes") and the multipliers of the
//! joints between them ("couplers").
//!
//! Nodes are taken by minimum degree on a quotient graph. A coupler is eliminated
//! together with the last of its nodes, so that its pivot block is −G S⁻¹ Gᵀ of
//! everything it acts on. What remains of an eliminated node is an *element*: the
//! set of open couplers (and directly coupled nodes) it ties together. The degree
//! of a node is the number of unknowns of the element it would leave behind.
//!
//! *Hubs* are the exception. A body that carries many joints would gather all
//! their multipliers in one dense front. A coupler between a hub and a free tree
//! of bodies is therefore eliminated with the tree: a free tree has an invertible
//! articulated inertia, so −G S⁻¹ Gᵀ of the tree side alone is regular where the
//! coupler's rows are independent on that side. Only the hub's own unknowns remain.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Something that ties nodes together: a joint with multipliers, or, with zero
/// rows, a force element that couples its nodes directly.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Coupler {
    /// Nodes it acts on; the ground is not a node.
    pub nodes: Vec<usize>,
    /// Number of multiplier rows.
    pub rows: usize,
}

/// First unknown of every group in elimination order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GroupOrder {
    /// First unknown of every node.
    pub node_offset: Vec<usize>,
    /// First multiplier of every coupler.
    pub coupler_offset: Vec<usize>,
    /// Number of unknowns.
    pub n: usize,
}

/// Orders the unknowns of nodes and couplers for elimination with little fill.
///
/// # Panics
/// If a coupler names a node that does not exist.
pub fn order_groups(node_sizes: &[usize], couplers: &[Coupler]) -> GroupOrder {
    order(node_sizes, couplers, true)
}

/// As [`order_groups`], without the exception for hubs: every coupler comes
/// after all of its nodes. For finding dependent rows, and for couplers whose
/// rows may be dependent on one of their nodes alone.
///
/// # Panics
/// If a coupler names a node that does not exist.
pub fn order_groups_strict(node_sizes: &[usize], couplers: &[Coupler]) -> GroupOrder {
    order(node_sizes, couplers, false)
}

fn order(node_sizes: &[usize], couplers: &[Coupler], with_hubs: bool) -> GroupOrder {
    let mut elimination = Elimination::new(node_sizes, couplers);
    if !with_hubs {
        elimination.hub.fill(false);
    }
    elimination.run();
    elimination.offsets(node_sizes, couplers)
}

/// Node or coupler in one numbering: couplers follow the nodes.
type Variable = u32;

/// What remains of an eliminated node.
#[derive(Default)]
struct Element {
    /// Variables it ties together.
    boundary: Vec<Variable>,
    /// Couplers eliminated with the node.
    closed: Vec<Variable>,
    /// Elements it absorbed.
    children: Vec<u32>,
    /// Nodes minus couplers eliminated in the whole tree below: 1 for a free tree.
    balance: i64,
}

struct Elimination {
    nodes: usize,
    /// Unknowns of every variable.
    weight: Vec<usize>,
    /// Couplers with rows that act on a node.
    couplers_of: Vec<Vec<Variable>>,
    /// Nodes coupled to a node directly.
    neighbours: Vec<Vec<Variable>>,
    /// Nodes of a coupler with rows.
    nodes_of: Vec<Vec<Variable>>,
    /// Nodes of a coupler that are not eliminated.
    open: Vec<usize>,
    hub: Vec<bool>,
    /// Elements, numbered as the nodes they come from.
    elements: Vec<Element>,
    absorbed: Vec<bool>,
    elements_of: Vec<Vec<u32>>,
    done: Vec<bool>,
    seen: Vec<u32>,
    stamp: u32,
    /// Nodes in elimination order.
    order: Vec<u32>,
}

/// The element a node would leave behind.
#[derive(Default)]
struct Candidate {
    boundary: Vec<Variable>,
    closed: Vec<Variable>,
    children: Vec<u32>,
    balance: i64,
    degree: usize,
}

/// Rows on a node, in multiples of its size, above which it is a hub.
const HUB_ROWS: usize = 2;

/// A node with more couplers than this, and than [`CROWDED_ROOT`] √nodes, is last.
const CROWDED_LEAST: usize = 16;
const CROWDED_ROOT: f64 = 10.0;

impl Elimination {
    fn new(node_sizes: &[usize], couplers: &[Coupler]) -> Self {
        let nodes = node_sizes.len();
        let variables = nodes + couplers.len();
        let mut weight = node_sizes.to_vec();
        weight.extend(couplers.iter().map(|c| c.rows));
        let mut couplers_of = vec![Vec::new(); nodes];
        let mut neighbours = vec![Vec::new(); nodes];
        let mut nodes_of = Vec::with_capacity(couplers.len());
        for (index, coupler) in couplers.iter().enumerate() {
            let mut list: Vec<Variable> = coupler.nodes.iter().map(|&n| n as Variable).collect();
            list.sort_unstable();
            list.dedup();
            for &node in &list {
                assert!((node as usize) < nodes, "coupler on a node that does not exist");
                if coupler.rows > 0 {
                    couplers_of[node as usize].push((nodes + index) as Variable);
                } else {
                    neighbours[node as usize].extend(list.iter().filter(|&&other| other != node));
                }
            }
            nodes_of.push(if coupler.rows > 0 { list } else { Vec::new() });
        }
        let hub = (0..nodes)
            .map(|node| {
                let rows = couplers_of[node].iter().map(|&c| weight[c as usize]).sum::<usize>();
                rows > HUB_ROWS * node_sizes[node]
            })
            .collect();
        Self {
            nodes,
            weight,
            couplers_of,
            neighbours,
            open: nodes_of.iter().map(Vec::len).collect(),
            nodes_of,
            hub,
            elements: (0..nodes).map(|_| Element::default()).collect(),
            absorbed: vec![false; nodes],
            elements_of: vec![Vec::new(); variables],
            done: vec![false; variables],
            seen: vec![0; variables],
            stamp: 0,
            order: Vec::with_capacity(nodes),
        }
    }

    fn is_coupler(&self, variable: Variable) -> bool {
        variable as usize >= self.nodes
    }

    /// Whether eliminating a node closes a coupler of that node.
    fn closes(&self, coupler: Variable) -> bool {
        self.open[coupler as usize - self.nodes] == 1
    }

    /// The element a node would leave behind, written into `out`.
    fn candidate(&mut self, node: Variable, out: &mut Candidate) {
        out.boundary.clear();
        out.closed.clear();
        out.children.clear();
        out.balance = 1;
        self.stamp += 1;
        self.seen[node as usize] = self.stamp;
        // Mark the closing couplers first, lest an element brings them in.
        for &coupler in &self.couplers_of[node as usize] {
            if !self.done[coupler as usize] && self.closes(coupler) {
                self.seen[coupler as usize] = self.stamp;
                out.closed.push(coupler);
            }
        }
        out.balance -= out.closed.len() as i64;
        self.absorb_elements(node, out);
        for at in 0..out.closed.len() {
            self.absorb_elements(out.closed[at], out);
        }
        for at in 0..self.neighbours[node as usize].len() {
            let other = self.neighbours[node as usize][at];
            self.take(other, out);
        }
        for at in 0..self.couplers_of[node as usize].len() {
            let coupler = self.couplers_of[node as usize][at];
            self.take(coupler, out);
        }
        out.degree = out.boundary.iter().map(|&v| self.weight[v as usize]).sum();
        self.close_towards_hub(node, out);
    }

    /// Order of choice: least degree first; among equals the node that takes most
    /// unknowns with it. On a tree of 1000 bodies with 300 loops the smallest
    /// front (2.1 M products) and the least cost (2.4 M) as first criterion were
    /// worse than the least degree (1.6 M).
    fn key(&self, node: Variable, candidate: &Candidate) -> (usize, Reverse<usize>) {
        let closed = candidate.closed.iter().map(|&c| self.weight[c as usize]);
        let taken = self.weight[node as usize] + closed.sum::<usize>();
        (candidate.degree, Reverse(taken))
    }

    fn absorb_elements(&mut self, variable: Variable, out: &mut Candidate) {
        for at in 0..self.elements_of[variable as usize].len() {
            let element = self.elements_of[variable as usize][at];
            // An element has the number of its node, whose mark is free.
            if self.absorbed[element as usize] || self.seen[element as usize] == self.stamp {
                continue;
            }
            self.seen[element as usize] = self.stamp;
            out.children.push(element);
            out.balance += self.elements[element as usize].balance;
            for i in 0..self.elements[element as usize].boundary.len() {
                let other = self.elements[element as usize].boundary[i];
                self.take(other, out);
            }
        }
    }

    fn take(&mut self, variable: Variable, out: &mut Candidate) {
        let v = variable as usize;
        if !self.done[v] && self.seen[v] != self.stamp {
            self.seen[v] = self.stamp;
            out.boundary.push(variable);
        }
    }

    /// Hub exception: the only open coupler of a free tree leads to a hub.
    fn close_towards_hub(&mut self, node: Variable, out: &mut Candidate) {
        let &[coupler] = &out.boundary[..] else {
            return;
        };
        if !self.is_coupler(coupler) || out.balance != 1 {
            return;
        }
        let own = coupler as usize - self.nodes;
        let rest = self.nodes_of[own].iter().copied();
        let mut rest = rest.filter(|&n| n != node && !self.done[n as usize]);
        let (Some(hub), None) = (rest.next(), rest.next()) else {
            return;
        };
        let regular =
            self.nodes_of[own].len() == 2 && self.weight[coupler as usize] <= self.weight[node as usize];
        if regular && self.hub[hub as usize] {
            out.boundary[0] = hub;
            out.closed.push(coupler);
            out.balance -= 1;
            out.degree = self.weight[hub as usize];
        }
    }

    fn run(&mut self) {
        let mut heap = BinaryHeap::with_capacity(2 * self.nodes);
        let mut keys = Vec::with_capacity(self.nodes);
        let mut candidate = Candidate::default();
        let crowded = self.crowded();
        for (node, &crowded) in crowded.iter().enumerate() {
            let mut key = (usize::MAX, Reverse(0));
            if !crowded {
                self.candidate(node as Variable, &mut candidate);
                key = self.key(node as Variable, &candidate);
            }
            keys.push(key);
            heap.push(Reverse((key, node as Variable)));
        }
        let mut affected = Vec::new();
        while let Some(Reverse((key, node))) = heap.pop() {
            if self.done[node as usize] || key != keys[node as usize] {
                continue;
            }
            self.candidate(node, &mut candidate);
            self.eliminate(node, &candidate);
            self.affected_by(node, &mut affected);
            for &other in affected.iter().filter(|&&other| !crowded[other as usize]) {
                self.candidate(other, &mut candidate);
                let key = self.key(other, &candidate);
                if key != keys[other as usize] {
                    keys[other as usize] = key;
                    heap.push(Reverse((key, other)));
                }
            }
        }
    }

    /// Nodes of so many couplers that following their degree would cost more
    /// than it gains; they come last.
    fn crowded(&self) -> Vec<bool> {
        let limit = CROWDED_LEAST.max((CROWDED_ROOT * (self.nodes as f64).sqrt()) as usize);
        (0..self.nodes)
            .map(|node| self.couplers_of[node].len() + self.neighbours[node].len() > limit)
            .collect()
    }

    fn eliminate(&mut self, node: Variable, candidate: &Candidate) {
        self.order.push(node);
        self.done[node as usize] = true;
        for &child in &candidate.children {
            self.absorbed[child as usize] = true;
        }
        for &coupler in &candidate.closed {
            self.done[coupler as usize] = true;
        }
        for at in 0..self.couplers_of[node as usize].len() {
            let coupler = self.couplers_of[node as usize][at];
            self.open[coupler as usize - self.nodes] -= 1;
        }
        for &variable in &candidate.boundary {
            let Self { absorbed, elements_of, .. } = self;
            let list = &mut elements_of[variable as usize];
            // Absorbed elements are passed over wherever they stand; a hub's long list is cleared of them
            // seldom.
            if list.len().is_power_of_two() {
                list.retain(|&e| !absorbed[e as usize]);
            }
            list.push(node);
        }
        self.elements[node as usize] = Element {
            boundary: candidate.boundary.clone(),
            closed: candidate.closed.clone(),
            children: candidate.children.clone(),
            balance: candidate.balance,
        };
    }

    /// Nodes whose degree the newest element may have changed.
    fn affected_by(&self, element: u32, affected: &mut Vec<Variable>) {
        affected.clear();
        for &variable in &self.elements[element as usize].boundary {
            if !self.is_coupler(variable) {
                affected.push(variable);
            } else if self.closes(variable) {
                let nodes = &self.nodes_of[variable as usize - self.nodes];
                affected.extend(nodes.iter().filter(|&&n| !self.done[n as usize]));
            }
        }
        affected.sort_unstable();
        affected.dedup();
    }

    /// Numbers the unknowns in postorder of the tree of elements, which keeps
    /// every subtree together.
    fn offsets(&self, node_sizes: &[usize], couplers: &[Coupler]) -> GroupOrder {
        let mut result = GroupOrder {
            node_offset: vec![0; node_sizes.len()],
            coupler_offset: vec![usize::MAX; couplers.len()],
            n: 0,
        };
        let mut stack = Vec::new();
        for &root in &self.order {
            if self.absorbed[root as usize] {
                continue;
            }
            stack.push((root, 0));
            while let Some((element, visited)) = stack.pop() {
                let content = &self.elements[element as usize];
                if let Some(&child) = content.children.get(visited) {
                    stack.push((element, visited + 1));
                    stack.push((child, 0));
                    continue;
                }
                result.node_offset[element as usize] = result.n;
                result.n += node_sizes[element as usize];
                for &coupler in &content.closed {
                    result.coupler_offset[coupler as usize - self.nodes] = result.n;
                    result.n += self.weight[coupler as usize];
                }
            }
        }
        // Couplers without nodes, or without rows.
        for (offset, coupler) in result.coupler_offset.iter_mut().zip(couplers) {
            if *offset == usize::MAX {
                *offset = result.n;
                result.n += coupler.rows;
            }
        }
        result
    }
}
