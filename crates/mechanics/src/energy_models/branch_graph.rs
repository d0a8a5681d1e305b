//! Nodes and branches of a network: islands, trees and chords.
//!
//! A network of N nodes and B branches in one piece has a tree of N − 1 branches that joins all nodes; the
//! other C = B − N + 1 branches are chords. Each chord closes one loop over the tree, so that the chords'
//! flows are independent and every branch flow is an integer combination of them,
//!
//! ```text
//! f_b = Σ_c k_bc f_c,     k_bc ∈ {−1, 0, 1}
//! ```
//! (lagrangian-dae-modeling §1.13).

use std::collections::VecDeque;

/// A branch from one node to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GraphBranch {
    /// Where it begins.
    pub from: usize,
    /// Where it ends.
    pub to: usize,
}

/// Nodes with branches between them.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BranchGraph {
    /// How many nodes.
    pub nodes: usize,
    /// The branches.
    pub branches: Vec<GraphBranch>,
}

/// A tree that joins the nodes of every island.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpanningTree {
    /// Whether a branch belongs to the tree.
    pub in_tree: Vec<bool>,
    /// The chords.
    pub chords: Vec<usize>,
    /// Of each branch the chords that its flow is made of, by their place among the chords, with sign.
    pub combination: Vec<Vec<(usize, i32)>>,
}

impl BranchGraph {
    /// The branches at each node.
    fn at_nodes(&self) -> Vec<Vec<usize>> {
        let mut at: Vec<Vec<usize>> = vec![vec![]; self.nodes];
        for (b, branch) in self.branches.iter().enumerate() {
            at[branch.from].push(b);
            if branch.to != branch.from {
                at[branch.to].push(b);
            }
        }
        at
    }

    /// The other end of a branch.
    fn across(&self, branch: usize, node: usize) -> usize {
        let GraphBranch { from, to } = self.branches[branch];
        if from == node { to } else { from }
    }

    /// The number of each node's island, counted in the order of the nodes.
    pub fn islands(&self) -> Vec<usize> {
        let at = self.at_nodes();
        let mut island = vec![usize::MAX; self.nodes];
        let mut count = 0;
        for start in 0..self.nodes {
            if island[start] != usize::MAX {
                continue;
            }
            let mut queue = VecDeque::from([start]);
            island[start] = count;
            while let Some(node) = queue.pop_front() {
                for &b in &at[node] {
                    let other = self.across(b, node);
                    if island[other] == usize::MAX {
                        island[other] = count;
                        queue.push_back(other);
                    }
                }
            }
            count += 1;
        }
        island
    }

    /// A spanning tree; branches with a lower rank come into it before those with a higher one.
    pub fn spanning_tree(&self, rank: &[u32]) -> SpanningTree {
        let mut order: Vec<usize> = (0..self.branches.len()).collect();
        order.sort_by_key(|&b| rank[b]);
        let mut group: Vec<usize> = (0..self.nodes).collect();
        let mut in_tree = vec![false; self.branches.len()];
        for b in order {
            let GraphBranch { from, to } = self.branches[b];
            let (a, c) = (root(&mut group, from), root(&mut group, to));
            if a != c {
                group[a] = c;
                in_tree[b] = true;
            }
        }
        let chords: Vec<usize> = (0..self.branches.len()).filter(|&b| !in_tree[b]).collect();
        let combination = self.combinations(&in_tree, &chords);
        SpanningTree { in_tree, chords, combination }
    }

    /// Each chord's flow goes on from its end through the tree back to its beginning.
    fn combinations(&self, in_tree: &[bool], chords: &[usize]) -> Vec<Vec<(usize, i32)>> {
        let tree: Vec<bool> = in_tree.to_vec();
        let mut combination = vec![vec![]; self.branches.len()];
        for (c, &chord) in chords.iter().enumerate() {
            combination[chord].push((c, 1));
            let GraphBranch { from, to } = self.branches[chord];
            for (b, sign) in self.path(to, from, &tree).unwrap_or_default() {
                combination[b].push((c, sign));
            }
        }
        combination
    }

    /// A shortest path over allowed branches: each with sign +1 where it runs along its direction; `None` if
    /// there is no path.
    pub fn path(&self, start: usize, end: usize, allowed: &[bool]) -> Option<Vec<(usize, i32)>> {
        let at = self.at_nodes();
        let mut reached: Vec<Option<usize>> = vec![None; self.nodes];
        let mut queue = VecDeque::from([start]);
        while let Some(node) = queue.pop_front() {
            if node == end {
                break;
            }
            for &b in at[node].iter().filter(|&&b| allowed[b]) {
                let other = self.across(b, node);
                if other != start && reached[other].is_none() {
                    reached[other] = Some(b);
                    queue.push_back(other);
                }
            }
        }
        let (mut path, mut node) = (vec![], end);
        while node != start {
            let b = reached[node]?;
            let sign = if self.branches[b].to == node { 1 } else { -1 };
            path.push((b, sign));
            node = self.across(b, node);
        }
        path.reverse();
        Some(path)
    }

    /// Σ of the flows that come in minus those that go out, of a node: the branches with their signs.
    pub fn incidence(&self, node: usize) -> Vec<(usize, i32)> {
        let sign = |branch: &GraphBranch| i32::from(branch.to == node) - i32::from(branch.from == node);
        let signs = self.branches.iter().enumerate().map(|(b, branch)| (b, sign(branch)));
        signs.filter(|(_, sign)| *sign != 0).collect()
    }

    /// A loop of chosen branches, if there is one: the branches in the order of the loop.
    pub fn loop_of(&self, chosen: &[bool]) -> Option<Vec<usize>> {
        let mut allowed = vec![false; self.branches.len()];
        for (b, branch) in self.branches.iter().enumerate().filter(|(b, _)| chosen[*b]) {
            if branch.from == branch.to {
                return Some(vec![b]);
            }
            if let Some(path) = self.path(branch.to, branch.from, &allowed) {
                return Some(std::iter::once(b).chain(path.into_iter().map(|(b, _)| b)).collect());
            }
            allowed[b] = true;
        }
        None
    }

    /// A set of chosen branches that alone joins some nodes to the rest: the nodes and the branches.
    pub fn cutset_of(&self, chosen: &[bool]) -> Option<(Vec<usize>, Vec<usize>)> {
        let rest: Vec<usize> = (0..self.branches.len()).filter(|&b| !chosen[b]).collect();
        let without =
            BranchGraph { nodes: self.nodes, branches: rest.iter().map(|&b| self.branches[b]).collect() };
        let (parts, whole) = (without.islands(), self.islands());
        let cut = |b: &&GraphBranch| parts[b.from] != parts[b.to];
        let first = self.branches.iter().find(cut)?;
        // Of the two sides the one without the first node of the island, which is its reference.
        let home = whole.iter().position(|&island| island == whole[first.from])?;
        let part = if parts[first.to] == parts[home] { parts[first.from] } else { parts[first.to] };
        let inside = (0..self.nodes).filter(|&n| parts[n] == part).collect();
        let cut = |&b: &usize| (parts[self.branches[b].from] == part) != (parts[self.branches[b].to] == part);
        Some((inside, (0..self.branches.len()).filter(cut).collect()))
    }
}

/// The root of a node's group, shortening the way to it.
fn root(group: &mut [usize], mut node: usize) -> usize {
    while group[node] != node {
        group[node] = group[group[node]];
        node = group[node];
    }
    node
}

#[cfg(test)]
mod tests {
    use super::*;

    fn graph(nodes: usize, branches: &[(usize, usize)]) -> BranchGraph {
        let branches = branches.iter().map(|&(from, to)| GraphBranch { from, to }).collect();
        BranchGraph { nodes, branches }
    }

    /// The network of lagrangian-dae-modeling §1.13 with B = 5, N = 4: ψ1 = i1 − i2, ψ2 = i2 + i3 − i4,
    /// ψ3 = i5 − i4.
    fn digest() -> BranchGraph {
        graph(4, &[(0, 1), (1, 2), (0, 2), (2, 3), (3, 0)])
    }

    #[test]
    fn chords_are_branches_less_nodes_plus_one() {
        let tree = digest().spanning_tree(&[0, 0, 0, 0, 0]);
        assert_eq!(tree.chords.len(), 2);
        assert_eq!(tree.in_tree.iter().filter(|t| **t).count(), 3);
    }

    #[test]
    fn combinations_satisfy_continuity_at_every_node() {
        for rank in [[0, 0, 0, 0, 0], [4, 3, 2, 1, 0], [1, 0, 1, 0, 1]] {
            let (graph, chords) = (digest(), [0.7, -1.3]);
            let tree = graph.spanning_tree(&rank);
            let flow = |b: usize| -> f64 {
                tree.combination[b].iter().map(|&(c, sign)| f64::from(sign) * chords[c]).sum()
            };
            for node in 0..graph.nodes {
                let sum: f64 = graph.incidence(node).iter().map(|&(b, sign)| f64::from(sign) * flow(b)).sum();
                assert!(sum.abs() < 1e-15);
            }
            assert_eq!(flow(0), flow(1));
            assert_eq!(flow(3), flow(4));
            assert!((flow(1) + flow(2) - flow(3)).abs() < 1e-15);
        }
    }

    #[test]
    fn a_high_rank_makes_chords() {
        let tree = digest().spanning_tree(&[0, 9, 0, 9, 0]);
        assert_eq!(tree.chords, [1, 3]);
    }

    #[test]
    fn islands_are_counted() {
        assert_eq!(graph(5, &[(0, 1), (2, 3)]).islands(), [0, 0, 1, 1, 2]);
        let tree = graph(5, &[(0, 1), (2, 3), (3, 2)]).spanning_tree(&[0, 0, 0]);
        assert_eq!(tree.chords, [2]);
        assert_eq!(tree.combination[1], [(0, 1)]);
    }

    #[test]
    fn loops_and_cutsets_are_found() {
        let g = graph(3, &[(0, 1), (1, 2), (2, 0), (0, 1)]);
        assert_eq!(g.loop_of(&[true, false, false, true]), Some(vec![3, 0]));
        assert_eq!(g.loop_of(&[true, true, false, false]), None);
        assert_eq!(graph(1, &[(0, 0)]).loop_of(&[true]), Some(vec![0]));
        assert_eq!(g.cutset_of(&[false, true, true, false]), Some((vec![2], vec![1, 2])));
        assert_eq!(g.cutset_of(&[true, false, false, true]), None);
    }
}
