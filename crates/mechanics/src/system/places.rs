//! Where the numbers of an element go.

use super::entries::Node;
use crate::element_buffers::{MAX_CARRIED, MAX_ROWS};
use crate::nodes::carried::{Carried, GROUND, NodeId};
use poinsot_geometry::Vec3;
use poinsot_numerics::pattern::Pattern;

/// Marks a constraint row that takes no part.
pub const NO_EQUATION: usize = usize::MAX;

/// No slot: the entry is not stored (a dropped row).
pub(crate) const NO_SLOT: u32 = u32::MAX;

/// Where a carried vector of an element writes.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The vector.
    pub carried: Carried,
    /// First unknown of its node.
    pub eq: usize,
    /// First of the node's unknowns in the element's local numbering.
    pub local: usize,
    /// Number of the node's unknowns.
    pub dofs: usize,
    /// First of the node's unknowns that move it: no translation moves a direction.
    pub first: usize,
    /// Behind the last of them: no rotation moves the origin.
    pub last: usize,
}

impl Place {
    /// The node's unknowns that move the vector.
    #[inline]
    pub fn moves(&self) -> std::ops::Range<usize> {
        self.first..self.last
    }
}

/// The part of an element that the assembly needs: where its numbers go.
#[derive(Clone, Debug, Default)]
pub struct Places {
    /// Its carried vectors.
    pub carried: Vec<Place>,
    /// Its moving nodes, each with its first unknown in the local numbering.
    pub nodes: Vec<(NodeId, usize)>,
    /// Its unknowns, in the local numbering.
    pub unknowns: Vec<usize>,
    /// Equation of each row, [`NO_EQUATION`] for a row that was dropped.
    pub numbers: Vec<usize>,
    /// The same, [`NO_EQUATION`] for a suspended row too.
    pub rows: Vec<usize>,
    /// Value slots of the unknown × unknown block, row by row.
    pub block: Vec<u32>,
    /// Value slots (unknown, row), row by row of the constraint.
    pub upper: Vec<u32>,
    /// Value slots (row, unknown).
    pub lower: Vec<u32>,
}

impl Places {
    pub(super) fn new(nodes: &[Node], carried: &[Carried]) -> Self {
        assert!(carried.len() <= MAX_CARRIED, "an element has more carried vectors than MAX_CARRIED");
        Self::of_all(nodes, carried)
    }

    /// Of any number of vectors, of which an element touches few at a time.
    pub(super) fn of_all(nodes: &[Node], carried: &[Carried]) -> Self {
        let mut places = Self::of(carried, |id| (nodes[id].eq, nodes[id].chart.dofs()));
        for place in &mut places.carried {
            let linear = nodes[place.carried.node].chart.linear_dofs();
            if place.carried.c0 == 0.0 {
                place.first = linear;
            }
            if place.carried.c == Vec3::zeros() && !place.carried.slope {
                place.last = linear;
            }
        }
        places
    }

    /// For nodes with the first unknown and the number of unknowns that `place` tells.
    pub(crate) fn of(carried: &[Carried], place: impl Fn(NodeId) -> (usize, usize)) -> Self {
        let mut places = Places::default();
        for c in carried {
            let (eq, dofs) = place(c.node);
            let local = match places.nodes.iter().find(|(id, _)| *id == c.node) {
                Some(&(_, local)) => local,
                None => {
                    let local = places.unknowns.len();
                    if dofs > 0 {
                        places.nodes.push((c.node, local));
                    }
                    places.unknowns.extend(eq..eq + dofs);
                    local
                }
            };
            places.carried.push(Place { carried: *c, eq, local, dofs, first: 0, last: dofs });
        }
        places
    }

    pub(crate) fn active_rows(&self) -> Vec<usize> {
        debug_assert!(self.numbers.len() <= MAX_ROWS);
        self.numbers.iter().copied().filter(|&r| r != NO_EQUATION).collect()
    }
}

fn slot(pattern: &Pattern, row: usize, column: usize) -> u32 {
    if row == NO_EQUATION || column == NO_EQUATION {
        return NO_SLOT;
    }
    pattern.index(row, column).map_or(NO_SLOT, |i| i as u32)
}

pub(crate) fn slots(pattern: &Pattern, rows: &[usize], columns: &[usize]) -> Vec<u32> {
    rows.iter().flat_map(|&r| columns.iter().map(move |&c| slot(pattern, r, c))).collect()
}

pub(crate) fn transposed_slots(pattern: &Pattern, rows: &[usize], columns: &[usize]) -> Vec<u32> {
    rows.iter().flat_map(|&r| columns.iter().map(move |&c| slot(pattern, c, r))).collect()
}

/// The moving nodes that an element touches, as indices without ground.
pub(crate) fn moving(carried: &[Carried]) -> Vec<usize> {
    let mut nodes: Vec<usize> = carried.iter().map(|c| c.node).filter(|&n| n != GROUND).collect();
    nodes.sort_unstable();
    nodes.dedup();
    nodes.iter().map(|n| n - 1).collect()
}
