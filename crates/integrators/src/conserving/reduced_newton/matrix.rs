//! K° = Pd°ᵀ K P°: the step matrix on the degrees of freedom of a tree of joints.
//!
//! ```text
//! Row_child = a Row_parent + b e        (energy-momentum-null-space I-54)
//! ```
//! The rows of a node in Pd° and P° are full in the columns of the joints between it and its root and zero
//! elsewhere.

use crate::conserving::reduced_newton::joint_tree::{Columns, JointTree};
use poinsot_mechanics::conserving::Conserving;

/// One node in P°: rows × columns.
#[derive(Debug)]
struct NodeRows {
    /// Degrees of freedom that move the node, roots first.
    columns: Vec<usize>,
    test: Vec<f64>,
    end: Vec<f64>,
    /// Links whose unknowns stand in the node's rows of K, with the value slots, row by row.
    couplings: Vec<(usize, Vec<u32>)>,
    /// All columns of those links.
    reach: Vec<Run>,
    /// `columns` as runs, with the place of the first in a row.
    runs: Vec<Run>,
}

/// Consecutive columns.
#[derive(Clone, Copy, Debug)]
struct Run {
    first: usize,
    place: usize,
    length: usize,
}

/// Ascending columns as runs.
fn runs(columns: &[usize]) -> Vec<Run> {
    let mut runs: Vec<Run> = vec![];
    for (place, &column) in columns.iter().enumerate() {
        match runs.last_mut() {
            Some(run) if run.first + run.length == column => run.length += 1,
            _ => runs.push(Run { first: column, place, length: 1 }),
        }
    }
    runs
}

/// y += α x.
#[inline]
fn add(y: &mut [f64], alpha: f64, x: &[f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += alpha * x);
}

/// Room for K°.
#[derive(Debug)]
pub(crate) struct ReducedMatrix {
    nodes: Vec<NodeRows>,
    size: usize,
    /// K P° of one node, rows of full length.
    product: Vec<f64>,
}

const NO_SLOT: u32 = u32::MAX;

impl ReducedMatrix {
    pub fn new(view: &Conserving, tree: &JointTree) -> Self {
        let pattern = view.pattern();
        let mut link_at = vec![None; view.size()];
        for (index, link) in tree.links.iter().enumerate() {
            link_at[link.eq..link.eq + link.dofs].fill(Some(index));
        }
        let mut nodes: Vec<NodeRows> = vec![];
        for link in &tree.links {
            let mut columns: Vec<usize> = link.parent.map_or(vec![], |p| nodes[p].columns.clone());
            columns.extend(link.first..link.first + link.free);
            let room = vec![0.0; columns.len() * link.dofs];
            let runs = runs(&columns);
            let (couplings, reach) = (vec![], vec![]);
            nodes.push(NodeRows { columns, test: room.clone(), end: room, couplings, reach, runs });
        }
        for (index, link) in tree.links.iter().enumerate() {
            // The pattern is symmetric: the rows of a column are the columns of a row.
            let unknowns = link.eq..link.eq + link.dofs;
            let mut others: Vec<usize> =
                unknowns.clone().flat_map(|eq| pattern.rows(eq)).filter_map(|&row| link_at[row]).collect();
            others.sort_unstable();
            others.dedup();
            let mut reach: Vec<usize> = others.iter().flat_map(|&o| nodes[o].columns.clone()).collect();
            reach.sort_unstable();
            reach.dedup();
            let slot = |i: usize, j: usize| pattern.index(i, j).map_or(NO_SLOT, |slot| slot as u32);
            let slots = |other: usize| {
                let other = &tree.links[other];
                let columns = other.eq..other.eq + other.dofs;
                unknowns.clone().flat_map(|i| columns.clone().map(move |j| slot(i, j))).collect()
            };
            nodes[index].couplings = others.iter().map(|&other| (other, slots(other))).collect();
            nodes[index].reach = runs(&reach);
        }
        ReducedMatrix { nodes, size: tree.size, product: vec![0.0; 6 * tree.size] }
    }

    /// K° into `out`, row by row.
    pub fn assemble(
        &mut self,
        tree: &JointTree,
        test: &[Columns],
        end: &[Columns],
        values: &[f64],
        out: &mut [f64],
    ) {
        self.recur(tree, test, |node| &mut node.test);
        self.recur(tree, end, |node| &mut node.end);
        out.fill(0.0);
        let n = self.size;
        for (node, link) in self.nodes.iter().zip(&tree.links) {
            for i in 0..link.dofs {
                let product = &mut self.product[i * n..(i + 1) * n];
                node.reach.iter().for_each(|run| product[run.first..run.first + run.length].fill(0.0));
                for (other, slots) in &node.couplings {
                    let (other, dofs) = (&self.nodes[*other], tree.links[*other].dofs);
                    let width = other.columns.len();
                    for (j, &slot) in slots[i * dofs..(i + 1) * dofs].iter().enumerate() {
                        let value = if slot == NO_SLOT { 0.0 } else { values[slot as usize] };
                        if value == 0.0 {
                            continue;
                        }
                        let row = &other.end[j * width..(j + 1) * width];
                        for run in &other.runs {
                            add(&mut product[run.first..run.first + run.length], value, &row[run.place..]);
                        }
                    }
                }
                let width = node.columns.len();
                for (&row, p) in node.columns.iter().zip(&node.test[i * width..(i + 1) * width]) {
                    if *p == 0.0 {
                        continue;
                    }
                    let out = &mut out[row * n..(row + 1) * n];
                    for run in &node.reach {
                        let columns = run.first..run.first + run.length;
                        add(&mut out[columns.clone()], *p, &product[columns]);
                    }
                }
            }
        }
    }

    fn recur(&mut self, tree: &JointTree, columns: &[Columns], of: impl Fn(&mut NodeRows) -> &mut Vec<f64>) {
        for (index, (link, own)) in tree.links.iter().zip(columns).enumerate() {
            let (before, after) = self.nodes.split_at_mut(index);
            let width = after[0].columns.len();
            let inherited = width - link.free;
            let rows = of(&mut after[0]);
            for i in 0..link.dofs {
                let row = &mut rows[i * width..(i + 1) * width];
                row[..inherited].fill(0.0);
                row[inherited..].copy_from_slice(&own.b[i * link.free..(i + 1) * link.free]);
                let Some(parent) = link.parent else { continue };
                let parent = of(&mut before[parent]);
                for k in 0..link.parent_dofs {
                    let a = own.a[i * link.parent_dofs + k];
                    if a != 0.0 {
                        let parent = &parent[k * inherited..(k + 1) * inherited];
                        row.iter_mut().zip(parent).for_each(|(row, p)| *row += a * p);
                    }
                }
            }
        }
    }
}
