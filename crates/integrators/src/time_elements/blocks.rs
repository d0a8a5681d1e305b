//! Where the entries of the matrix of a system go in that of an element.

use crate::time_elements::layout::Layout;
use poinsot_mechanics::System;
use poinsot_numerics::pattern::{Pattern, PatternBuilder};

/// Rows and columns of two groups that meet in the matrix.
#[derive(Clone, Debug)]
pub(super) struct Block {
    /// Places in [`Layout::groups`].
    pub row: usize,
    pub column: usize,
    /// First of the slots in [`Blocks::from`], row by row.
    pub from: usize,
    /// First of the slots in [`Blocks::to`], one for each column and point.
    pub to: usize,
}

/// All blocks of a matrix.
#[derive(Clone, Debug, Default)]
pub(super) struct Blocks {
    pub all: Vec<Block>,
    /// Slots in the pattern of the system, [`NONE`] where it has none.
    pub from: Vec<u32>,
    /// Slots in that of the element of the first row's first point; rows and points follow each other.
    pub to: Vec<u32>,
}

/// No slot.
pub(super) const NONE: u32 = u32::MAX;

/// The pattern of the system with whole blocks for whole groups, each entry s × s: frames that turn couple
/// all that they carry.
pub(super) fn expanded_pattern(system: &System, layout: &Layout, s: usize) -> Pattern {
    let mut builder = PatternBuilder::new(s * system.size());
    for (row, column) in pairs(system, layout) {
        let all = |group: usize| -> Vec<usize> {
            let unknowns = &layout.groups[group].unknowns;
            (s * unknowns.start..s * unknowns.end).collect()
        };
        if row <= column {
            builder.add_block(&all(row), &all(column));
        }
    }
    builder.build()
}

/// The groups that meet in the matrix of a system, once each.
fn pairs(system: &System, layout: &Layout) -> Vec<(usize, usize)> {
    let mut group_of = vec![0; system.size()];
    for (k, group) in layout.groups.iter().enumerate() {
        group_of[group.unknowns.clone()].fill(k);
    }
    let pattern = system.pattern();
    let mut pairs: Vec<(usize, usize)> = (0..pattern.n())
        .flat_map(|c| pattern.rows(c).iter().map(move |&r| (r, c)))
        .map(|(r, c)| (group_of[r], group_of[c]))
        .collect();
    pairs.sort_unstable();
    pairs.dedup();
    pairs
}

impl Blocks {
    pub fn new(system: &System, layout: &Layout, expanded: &Pattern, s: usize) -> Self {
        let mut blocks = Blocks::default();
        for (row, column) in pairs(system, layout) {
            let (rows, columns) = (&layout.groups[row].unknowns, &layout.groups[column].unknowns);
            let (from, to) = (blocks.from.len(), blocks.to.len());
            for r in rows.clone() {
                let slots = columns.clone().map(|c| system.pattern().index(r, c));
                blocks.from.extend(slots.map(|slot| slot.map_or(NONE, |slot| slot as u32)));
            }
            for c in s * columns.start..s * columns.end {
                let slot = expanded.index(s * rows.start, c);
                blocks.to.push(slot.expect("the pattern is made of these blocks") as u32);
            }
            blocks.all.push(Block { row, column, from, to });
        }
        blocks
    }
}
