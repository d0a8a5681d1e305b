//! How far the rows of Ĝ_d are from depending on each other, one by one.
//!
//! ```text
//! S = Ĝ_d Ĝ_dᵀ = L D Lᵀ,     d_k = (distance of row k from the span of the rows before it)²
//! ```
//! Near a singular choice of dependent coordinates some d_k goes to zero. One number for the whole system, as
//! σ_min, tells that only of its worst mechanism; the d_k tell it of every mechanism, whatever its neighbours
//! are like.

use crate::linear::jacobian::Jacobian;
use poinsot_numerics::lu::SparseLu;
use poinsot_numerics::pattern::{Pattern, PatternBuilder};

/// Room for S and its factors; make one and reuse it.
#[derive(Debug)]
pub(crate) struct RowDistances {
    pattern: Pattern,
    lu: SparseLu,
    values: Vec<f64>,
    /// Entries of G: row of S and unknown, row after row.
    entries: Vec<(usize, usize)>,
    /// Where the entries of a row begin.
    row_starts: Vec<usize>,
    /// Entries of each unknown, and where those of an unknown begin.
    by_unknown: Vec<usize>,
    unknown_starts: Vec<usize>,
    /// Ĝ_d entry by entry, zero where the unknown is independent or the row is left out.
    chosen: Vec<f64>,
    /// Slot of S in the column that is being filled, by row.
    slot: Vec<usize>,
    /// 1/d_k.
    reciprocal: Vec<f64>,
}

impl RowDistances {
    /// For the rows and unknowns of a Jacobian.
    pub fn new(jacobian: &Jacobian, size: usize) -> Self {
        let rows = jacobian.rows();
        let mut place = vec![0; size];
        rows.iter().enumerate().for_each(|(k, &row)| place[row] = k);
        let entries: Vec<(usize, usize)> = jacobian.scaled().map(|(e, _)| (place[e.row], e.column)).collect();
        let (_, row_starts) = grouped(entries.iter().map(|e| e.0), rows.len());
        let (by_unknown, unknown_starts) = grouped(entries.iter().map(|e| e.1), size);
        let mut pattern = PatternBuilder::new(rows.len());
        for range in unknown_starts.windows(2) {
            let coupled: Vec<usize> = by_unknown[range[0]..range[1]].iter().map(|&e| entries[e].0).collect();
            pattern.add_clique(&coupled);
        }
        let pattern = pattern.build();
        RowDistances {
            lu: SparseLu::new(&pattern),
            values: vec![0.0; pattern.nnz()],
            pattern,
            chosen: vec![0.0; entries.len()],
            entries,
            row_starts,
            by_unknown,
            unknown_starts,
            slot: vec![0; rows.len()],
            reciprocal: vec![1.0; rows.len()],
        }
    }

    /// 1/d_k of every row of the Jacobian as it is now, with the given dependent unknowns; rows that are
    /// `left_out` have 1. Infinite where rows depend on each other.
    pub fn reciprocal(
        &mut self,
        jacobian: &Jacobian,
        is_dependent: &[bool],
        left_out: impl Fn(usize) -> bool,
    ) -> &[f64] {
        for (chosen, (e, value)) in self.chosen.iter_mut().zip(jacobian.scaled()) {
            *chosen = if is_dependent[e.column] && !left_out(e.row) { value } else { 0.0 };
        }
        self.fill();
        let idle = jacobian.rows().iter().enumerate().filter(|(_, row)| left_out(**row));
        for slot in idle.filter_map(|(k, _)| self.pattern.index(k, k)) {
            self.values[slot] = 1.0;
        }
        match self.lu.factor(&self.values) {
            Ok(()) => {
                let RowDistances { lu, reciprocal, .. } = self;
                lu.reciprocal_pivots().for_each(|(k, value)| reciprocal[k] = value.abs());
            }
            Err(_) => self.reciprocal.fill(f64::INFINITY),
        }
        &self.reciprocal
    }

    /// S, column by column.
    fn fill(&mut self) {
        self.values.fill(0.0);
        for (k, range) in self.row_starts.windows(2).enumerate() {
            let slots = self.pattern.slots(k);
            self.pattern.rows(k).iter().zip(slots).for_each(|(&row, slot)| self.slot[row] = slot);
            for e in range[0]..range[1] {
                let value = self.chosen[e];
                if value == 0.0 {
                    continue;
                }
                let unknown = self.entries[e].1;
                for &other in &self.by_unknown[self.unknown_starts[unknown]..self.unknown_starts[unknown + 1]]
                {
                    self.values[self.slot[self.entries[other].0]] += value * self.chosen[other];
                }
            }
        }
    }
}

/// Numbers of the items in the order of their groups, and where each of `count` groups begins.
fn grouped(groups: impl Iterator<Item = usize>, count: usize) -> (Vec<usize>, Vec<usize>) {
    let groups: Vec<usize> = groups.collect();
    let mut starts = vec![0; count + 1];
    groups.iter().for_each(|&group| starts[group + 1] += 1);
    (0..count).for_each(|k| starts[k + 1] += starts[k]);
    let mut items: Vec<usize> = (0..groups.len()).collect();
    items.sort_by_key(|&item| groups[item]);
    (items, starts)
}
