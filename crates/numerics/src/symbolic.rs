//! Symbolic analysis: from a pattern to the tree of fronts of a multifrontal LU.
//!
//! Column j of L has the structure (Gilbert, Liu)
//!
//! ```text
//! struct(j) = { i > j : a_ij ≠ 0 } ∪ ⋃_{children c of j} struct(c) \ {j},   parent(j) = min struct(j)
//! ```
//!
//! Consecutive columns of equal structure form one *front*; small fronts are
//! merged with their parent where the added zeros cost less than the overhead.

use crate::kernels::{RowList, Shape};
use crate::pattern::Pattern;

/// Values that go from consecutive slots to consecutive numbers of a front.
#[derive(Debug, Clone, Copy)]
pub struct Run {
    pub source: u32,
    pub target: u32,
    pub length: u32,
}

/// One front and where its data are found in the lists of [`Symbolic`].
#[derive(Debug, Clone, Copy)]
pub struct Front {
    pub shape: Shape,
    /// First quad of the front.
    pub offset: usize,
    /// First of the 4·quads matrix rows in `rows`.
    pub rows: usize,
    pub runs: (usize, usize),
    pub children: (usize, usize),
    /// Place of the update's first row among the rows of the parent, in `relative`.
    pub relative: usize,
    /// Whether the rows of the update are consecutive in the parent.
    pub consecutive: bool,
}

/// Everything about a factorisation that does not depend on the values.
#[derive(Debug, Clone)]
pub struct Symbolic {
    /// Numbers of an entry.
    pub parts: usize,
    pub n: usize,
    pub nnz: usize,
    pub fronts: Vec<Front>,
    pub rows: RowList,
    pub runs: Vec<Run>,
    /// Children of all fronts.
    pub children: Vec<u32>,
    pub relative: Vec<u32>,
    /// Value slot of every diagonal entry.
    pub diagonal: Vec<u32>,
    /// Quads of all fronts together.
    pub quads: usize,
    /// Nonzeros of L + U without the padding and the zeros of merged fronts.
    pub fill: usize,
    /// Multiplications of a factorisation without padding and merging.
    pub products: usize,
}

/// Pivots `first … first + pivots` with the rows below them.
struct Group {
    first: usize,
    pivots: usize,
    below: Vec<u32>,
}

impl Group {
    fn rows(&self) -> usize {
        self.pivots + self.below.len()
    }

    fn cost(&self) -> f64 {
        cost(self.pivots, self.rows())
    }
}

/// Estimated cycles to factor and solve with a front of s pivots and m rows.
fn cost(s: usize, m: usize) -> f64 {
    let quads = m.div_ceil(4);
    let mut cycles = FRONT_CYCLES;
    for panel in 0..s.div_ceil(4) {
        let width = (s - 4 * panel).min(4);
        let right = (m - 4 * panel - width) as f64;
        let below = (quads - panel - 1) as f64;
        cycles += 25.0 * width as f64 + right * (6.0 + 2.0 * below) + 8.0 * below;
    }
    cycles
}

/// Fixed cost of a front beyond its arithmetic.
const FRONT_CYCLES: f64 = 60.0;

impl Symbolic {
    /// Analysis for entries of so many parts: 1 real, 2 complex. The columns of the fronts are `parts` times
    /// as long as those of real ones.
    pub fn new(pattern: &Pattern, parts: usize) -> Self {
        let columns = column_structures(pattern);
        let fill = columns.iter().map(|c| 2 * c.len() + 1).sum();
        let products = columns.iter().map(|c| c.len() * (c.len() + 1)).sum();
        let groups = merge_small(equal_structure(columns));
        let mut result = Self {
            parts,
            n: pattern.n(),
            nnz: pattern.nnz(),
            fronts: Vec::with_capacity(groups.len()),
            rows: RowList::default(),
            runs: Vec::new(),
            children: Vec::new(),
            relative: Vec::new(),
            diagonal: Vec::with_capacity(pattern.n()),
            quads: 0,
            fill,
            products,
        };
        for j in 0..pattern.n() {
            let before = pattern.rows(j).partition_point(|&row| row < j);
            result.diagonal.push((pattern.slots(j).start + before) as u32);
        }
        let children = children_of(&groups, pattern.n());
        let mut local = vec![0u32; pattern.n()];
        let mut rows = Vec::new();
        for (group, children) in groups.iter().zip(&children) {
            result.push_front(pattern, group, children, &mut rows, &mut local);
        }
        result.rows = RowList::new(rows, pattern.n());
        result
    }

    fn push_front(
        &mut self,
        pattern: &Pattern,
        group: &Group,
        children: &[u32],
        all_rows: &mut Vec<u32>,
        local: &mut [u32],
    ) {
        let m = group.rows();
        let shape = Shape { pivots: group.pivots, rows: m, quads: m.div_ceil(4) };
        let rows = all_rows.len();
        let pivots = group.first..group.first + group.pivots;
        all_rows.extend(pivots.map(|j| j as u32));
        all_rows.extend(&group.below);
        let last = all_rows[rows + m - 1];
        all_rows.resize(rows + 4 * shape.quads, last);
        for (place, &row) in all_rows[rows..rows + m].iter().enumerate() {
            local[row as usize] = place as u32;
        }
        let runs = self.runs.len();
        self.push_runs(pattern, group, &all_rows[rows..rows + m], local);
        let first_child = self.children.len();
        self.children.extend(children);
        for &child in children {
            self.place_update(child as usize, all_rows, local);
        }
        self.fronts.push(Front {
            shape,
            offset: self.quads,
            rows,
            runs: (runs, self.runs.len()),
            children: (first_child, self.children.len()),
            relative: 0,
            consecutive: true,
        });
        self.quads += self.parts * m * shape.quads;
    }

    /// A front takes the entries whose smaller index is one of its pivots.
    fn push_runs(&mut self, pattern: &Pattern, group: &Group, rows: &[u32], local: &[u32]) {
        let stride = (self.parts * rows.len().next_multiple_of(4)) as u32;
        let begin_front = self.runs.len();
        let end_pivots = group.first + group.pivots;
        for (place, &column) in rows.iter().enumerate() {
            let column = column as usize;
            let start = pattern.slots(column).start;
            let entries = pattern.rows(column);
            let begin = entries.partition_point(|&row| row < group.first);
            let end = if place < group.pivots {
                entries.len()
            } else {
                entries.partition_point(|&row| row < end_pivots)
            };
            for entry in begin..end {
                let source = (start + entry) as u32;
                let target = place as u32 * stride + local[entries[entry]];
                match self.runs[begin_front..].last_mut() {
                    Some(run) if run.source + run.length == source && run.target + run.length == target => {
                        run.length += 1;
                    }
                    _ => self.runs.push(Run { source, target, length: 1 }),
                }
            }
        }
    }

    fn place_update(&mut self, child: usize, all_rows: &[u32], local: &[u32]) {
        let front = &mut self.fronts[child];
        let Shape { pivots, rows, .. } = front.shape;
        front.relative = self.relative.len();
        let below = &all_rows[front.rows + pivots..front.rows + rows];
        self.relative.extend(below.iter().map(|&row| local[row as usize]));
        let placed = &self.relative[front.relative..];
        front.consecutive = placed.windows(2).all(|pair| pair[0] + 1 == pair[1]);
    }
}

/// Rows below the diagonal of every column of L, ascending.
fn column_structures(pattern: &Pattern) -> Vec<Vec<u32>> {
    let n = pattern.n();
    let mut structures: Vec<Vec<u32>> = Vec::with_capacity(n);
    let mut children: Vec<Vec<u32>> = vec![Vec::new(); n];
    let mut seen = vec![usize::MAX; n];
    for j in 0..n {
        seen[j] = j;
        let mut rows = Vec::new();
        let mut take = |row: usize, rows: &mut Vec<u32>| {
            if row > j && seen[row] != j {
                seen[row] = j;
                rows.push(row as u32);
            }
        };
        for &row in pattern.rows(j) {
            take(row, &mut rows);
        }
        for &child in &children[j] {
            for &row in &structures[child as usize] {
                take(row as usize, &mut rows);
            }
        }
        rows.sort_unstable();
        if let Some(&parent) = rows.first() {
            children[parent as usize].push(j as u32);
        }
        structures.push(rows);
    }
    structures
}

/// Joins column j+1 to column j where struct(j) = {j+1} ∪ struct(j+1).
fn equal_structure(columns: Vec<Vec<u32>>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (j, below) in columns.into_iter().enumerate() {
        match groups.last_mut() {
            Some(group)
                if group.below.first() == Some(&(j as u32)) && group.below.len() == below.len() + 1 =>
            {
                group.pivots += 1;
                group.below = below;
            }
            _ => groups.push(Group { first: j, pivots: 1, below }),
        }
    }
    groups
}

/// Merges a group with the one right before it where that is its child and
/// the merged front is estimated not to cost more.
fn merge_small(groups: Vec<Group>) -> Vec<Group> {
    let mut merged: Vec<Group> = Vec::with_capacity(groups.len());
    for mut group in groups {
        while let Some(before) = merged.last() {
            let is_child = before.below.first().is_some_and(|&row| {
                let row = row as usize;
                row >= group.first && row < group.first + group.pivots
            });
            let together = cost(before.pivots + group.pivots, before.pivots + group.rows());
            if !is_child || together > before.cost() + group.cost() {
                break;
            }
            group.first = before.first;
            group.pivots += before.pivots;
            merged.pop();
        }
        merged.push(group);
    }
    merged
}

/// Children of every group in the assembly tree.
fn children_of(groups: &[Group], n: usize) -> Vec<Vec<u32>> {
    let mut owner = vec![0u32; n];
    for (index, group) in groups.iter().enumerate() {
        owner[group.first..group.first + group.pivots].fill(index as u32);
    }
    let mut children = vec![Vec::new(); groups.len()];
    for (index, group) in groups.iter().enumerate() {
        if let Some(&row) = group.below.first() {
            children[owner[row as usize] as usize].push(index as u32);
        }
    }
    children
}
