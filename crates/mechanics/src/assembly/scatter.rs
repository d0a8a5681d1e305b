//! From the numbers of an element to those of the system: rows of constraints, blocks between unknowns. An
//! element has at most L unknowns, a node W: 54 and 6 in charts, 108 and 12 in steps in natural coordinates.

use crate::element_buffers::{Block, Gradient, MAX_ROWS};
use crate::system::{NO_EQUATION, Places};
use poinsot_geometry::Vec3;

/// Numbers of the rows in force, zero for the others: λ of a constraint.
#[inline]
pub(crate) fn gather_rows(places: &Places, all: &[f64]) -> [f64; MAX_ROWS] {
    let mut rows = [0.0; MAX_ROWS];
    for (row, &eq) in rows.iter_mut().zip(&places.rows) {
        *row = if eq == NO_EQUATION { 0.0 } else { all[eq] };
    }
    rows
}

/// Puts numbers of rows in force into their entries.
#[inline]
pub(crate) fn store_rows(places: &Places, rows: &[f64; MAX_ROWS], out: &mut [f64]) {
    for (value, &eq) in rows.iter().zip(&places.rows) {
        if eq != NO_EQUATION {
            out[eq] = *value;
        }
    }
}

/// Sets the first `unknowns` entries of rows to zero.
#[inline]
pub(crate) fn clear_rows<const L: usize>(rows: &mut [[f64; L]], unknowns: usize) {
    for row in rows {
        row[..unknowns].fill(0.0);
    }
}

/// Adds Σ_a scale G_kaᵀ P_a to the rows k that are `wanted`.
#[inline]
pub(crate) fn add_rows<const L: usize, const W: usize>(
    rows: &mut [[f64; L]; MAX_ROWS],
    gradients: &[Gradient],
    places: &Places,
    p: &[[Vec3; W]],
    scale: f64,
    wanted: impl Fn(usize) -> bool,
) {
    for g in gradients.iter().filter(|g| wanted(g.row)) {
        let place = &places.carried[g.carried];
        let value = g.value * scale;
        for j in place.moves() {
            rows[g.row][place.local + j] += value.dot(&p[g.carried][j]);
        }
    }
}

/// Adds Σ_a P_aᵀ g_a.
#[inline]
pub(crate) fn add_columns<const W: usize>(row: &mut [f64], places: &Places, g: &[Vec3], p: &[[Vec3; W]]) {
    for ((place, g), p) in places.carried.iter().zip(g).zip(p) {
        for j in place.moves() {
            row[place.local + j] += g.dot(&p[j]);
        }
    }
}

/// Adds Σ P_aᵀ B_ab P_b.
pub(crate) fn add_blocks<const L: usize, const W: usize>(
    local: &mut [[f64; L]; L],
    blocks: &[Block],
    places: &Places,
    left: &[[Vec3; W]],
    right: &[[Vec3; W]],
) {
    for block in blocks {
        let (a, b) = (&places.carried[block.a], &places.carried[block.b]);
        for j in b.moves() {
            let moved = block.value * right[block.b][j];
            for i in a.moves() {
                local[a.local + i][b.local + j] += left[block.a][i].dot(&moved);
            }
        }
    }
}

/// Adds `scale` times a block to its slots.
pub(crate) fn scatter_block<const L: usize>(
    local: &[[f64; L]; L],
    slots: &[u32],
    unknowns: usize,
    scale: f64,
    values: &mut [f64],
) {
    for (row, slots) in local.iter().zip(slots.chunks_exact(unknowns.max(1))) {
        for (value, &slot) in row.iter().zip(slots) {
            values[slot as usize] += value * scale;
        }
    }
}

/// Adds rows in force to their slots.
pub(crate) fn scatter_rows<const L: usize>(
    rows: &[[f64; L]; MAX_ROWS],
    slots: &[u32],
    places: &Places,
    values: &mut [f64],
) {
    let slots = slots.chunks_exact(places.unknowns.len().max(1));
    for ((row, slots), &eq) in rows.iter().zip(slots).zip(&places.rows) {
        if eq != NO_EQUATION {
            for (value, &slot) in row.iter().zip(slots) {
                values[slot as usize] += value;
            }
        }
    }
}
