//! The multifrontal method, for real and complex matrices.
//!
//! Every front (a dense block of the factors) is assembled from the entries of A and the
//! updates of its children, its pivots are eliminated by dense kernels, and what remains
//! is the update of its parent. Entries have P parts: 1 real, 2 complex.

use crate::kernels::{self, Entries, Processor, Shape};
use crate::lanes::{Lanes, Quad};
use crate::lu::{PIVOT_TOLERANCE, PivotError};
use crate::symbolic::{Front, Symbolic};

/// Memory of all fronts, and scratch behind the last.
pub fn memory(symbolic: &Symbolic) -> Vec<Quad> {
    let quads = symbolic.fronts.iter().map(|f| f.shape.quads).max().unwrap_or(0);
    vec![Quad::default(); symbolic.quads + 4 * (1 + symbolic.parts) * quads]
}

/// Factors the matrix whose entries have these parts. `worst` becomes the largest ratio of the terms of a
/// pivot to the pivot.
///
/// `scale` holds Σ |l_ki u_ik| that finished fronts contributed to the diagonal of row k; it is zero
/// before and after.
#[inline(always)]
pub fn factor<E: Entries<P>, const P: usize>(
    on: Processor<E, P>,
    symbolic: &Symbolic,
    fronts: &mut [Quad],
    scale: &mut [f64],
    values: [&[f64]; P],
    worst: &mut f64,
) -> Result<(), PivotError> {
    *worst = 1.0;
    for front in &symbolic.fronts {
        let (dense, after) = assemble(symbolic, front, fronts, values);
        // Scratch at a fixed distance from the front: elsewhere its addresses
        // may agree with those of the front modulo 4096, which processors
        // mistake for a dependence (measured: half the speed).
        let (terms, after) = after.split_at_mut(4 * front.shape.quads);
        terms.fill(Quad::default());
        kernels::partial_lu::<E, P>(on, front.shape, dense, terms, after);
        match check_pivots::<E::Part, P>(on, symbolic, front, dense, terms, scale, values) {
            Ok(ratio) => *worst = worst.max(ratio),
            Err(error) => {
                scale.fill(0.0);
                return Err(error);
            }
        }
    }
    Ok(())
}

/// x := A⁻¹ x for R vectors, each given by its parts.
#[inline(always)]
pub fn solve<E: Entries<P>, const P: usize, const R: usize>(
    on: Processor<E, P>,
    symbolic: &Symbolic,
    memory: &[Quad],
    mut sides: [[&mut [f64]; P]; R],
) {
    let Symbolic { fronts, rows, .. } = symbolic;
    for front in fronts {
        let dense = dense::<P>(front, memory);
        kernels::forward::<E, P, R>(on, front.shape, dense, rows, front.rows, &mut sides);
    }
    for front in fronts.iter().rev() {
        let dense = dense::<P>(front, memory);
        kernels::backward::<E, P, R>(on, front.shape, dense, rows, front.rows, &mut sides);
    }
}

/// x := A⁻ᵀ x of a real matrix: Uᵀ from the first pivot to the last, then Lᵀ back.
pub fn solve_transposed(symbolic: &Symbolic, memory: &[Quad], x: &mut [f64]) {
    let Symbolic { fronts, rows, .. } = symbolic;
    for front in fronts {
        let Shape { pivots, rows: m, quads } = front.shape;
        let (dense, global) = (kernels::numbers(dense::<1>(front, memory)), rows.slice(front.rows, m));
        for (i, column) in dense.chunks_exact(4 * quads).take(m).enumerate() {
            // u_ki of all pivots k above i, and 1/u_ii.
            let above = column.iter().zip(global).take(i.min(pivots));
            let known: f64 = above.map(|(u, &k)| u * x[k as usize]).sum();
            let own = &mut x[global[i] as usize];
            *own -= known;
            if i < pivots {
                *own *= column[i];
            }
        }
    }
    for front in fronts.iter().rev() {
        let Shape { pivots, rows: m, quads } = front.shape;
        let (dense, global) = (kernels::numbers(dense::<1>(front, memory)), rows.slice(front.rows, m));
        for (k, column) in dense.chunks_exact(4 * quads).enumerate().take(pivots).rev() {
            let below = column.iter().zip(global).skip(k + 1);
            let known: f64 = below.map(|(l, &i)| l * x[i as usize]).sum();
            x[global[k] as usize] -= known;
        }
    }
}

#[inline(always)]
fn dense<'a, const P: usize>(front: &Front, fronts: &'a [Quad]) -> &'a [Quad] {
    &fronts[front.offset..front.offset + P * front.shape.rows * front.shape.quads]
}

/// Fills a front with its entries of A and the updates of its children. Returns
/// it with the memory of the fronts after it, which are not assembled yet.
#[inline(always)]
pub fn assemble<'a, const P: usize>(
    symbolic: &Symbolic,
    front: &Front,
    fronts: &'a mut [Quad],
    values: [&[f64]; P],
) -> (&'a mut [Quad], &'a mut [Quad]) {
    let Shape { rows, quads, .. } = front.shape;
    let (before, rest) = fronts.split_at_mut(front.offset);
    let (dense, after) = rest.split_at_mut(P * rows * quads);
    dense.fill(Quad::default());
    let target = kernels::numbers_mut(dense);
    let runs = &symbolic.runs[front.runs.0..front.runs.1];
    for (part, values) in values.into_iter().enumerate() {
        let target = &mut target[part * 4 * quads..];
        for run in runs {
            let (from, to, length) = (run.source as usize, run.target as usize, run.length as usize);
            copy_short(&values[from..from + length], &mut target[to..to + length]);
        }
    }
    for &child in &symbolic.children[front.children.0..front.children.1] {
        let child = &symbolic.fronts[child as usize];
        add_update::<P>(symbolic, child, kernels::numbers(before), target, 4 * quads);
    }
    (dense, after)
}

/// Copies a few numbers; four at a time beats a call of memcpy here.
#[inline(always)]
#[allow(clippy::manual_memcpy)]
fn copy_short(from: &[f64], to: &mut [f64]) {
    let (from, from_rest) = from.as_chunks::<4>();
    let (to, to_rest) = to.as_chunks_mut::<4>();
    for (to, from) in to.iter_mut().zip(from) {
        *to = *from;
    }
    for i in 0..from_rest.len().min(to_rest.len()).min(3) {
        to_rest[i] = from_rest[i];
    }
}

/// Adds the update of a child to its parent, whose columns have so many rows with the padding.
#[inline(always)]
fn add_update<const P: usize>(
    symbolic: &Symbolic,
    child: &Front,
    before: &[f64],
    parent: &mut [f64],
    padded: usize,
) {
    let Shape { pivots, rows, quads } = child.shape;
    let places = &symbolic.relative[child.relative..child.relative + rows - pivots];
    for (column, &place) in (pivots..rows).zip(places) {
        for part in 0..P {
            let start = 4 * child.offset + (P * column + part) * 4 * quads;
            let update = &before[start + pivots..start + rows];
            let start = (P * place as usize + part) * padded;
            if child.consecutive {
                let first = start + places[0] as usize;
                let target = &mut parent[first..first + update.len()];
                for (to, from) in target.iter_mut().zip(update) {
                    *to += from;
                }
            } else {
                let target = &mut parent[start..start + padded];
                for (&row, from) in places.iter().zip(update) {
                    target[row as usize] += from;
                }
            }
        }
    }
}

/// Compares every pivot of a front with the terms it was formed from, and hands
/// the terms of the rows below to the fronts above.
#[inline(always)]
fn check_pivots<L: Lanes, const P: usize>(
    on: L::Processor,
    symbolic: &Symbolic,
    front: &Front,
    dense: &[Quad],
    terms: &[Quad],
    scale: &mut [f64],
    values: [&[f64]; P],
) -> Result<f64, PivotError> {
    let mut worst: f64 = 1.0;
    let Shape { pivots, rows, quads } = front.shape;
    let global = symbolic.rows.slice(front.rows, 4 * quads);
    for (q, group) in terms.as_chunks::<4>().0.iter().enumerate() {
        let sums = kernels::lane_sums::<L>(on, group);
        for i in 0..4 {
            let k = 4 * q + i;
            let row = global[k] as usize;
            if k < pivots {
                let slot = symbolic.diagonal[row] as usize;
                let own = magnitude(values.map(|values| values[slot]));
                let size = sums.0[i] + scale[row] + own;
                scale[row] = 0.0;
                let inverse = reciprocal::<P>(dense, k, quads);
                let ratio = magnitude(inverse) * size;
                worst = worst.max(ratio);
                // Written so that a NaN fails; a zero reciprocal is an infinite pivot.
                if !(ratio * PIVOT_TOLERANCE < 1.0 && magnitude(inverse) != 0.0) {
                    return Err(PivotError { row, pivot: pivot(inverse, size), scale: size });
                }
            } else if k < rows {
                scale[row] += sums.0[i];
            }
        }
    }
    Ok(worst)
}

/// Parts of the reciprocal of pivot k of a front.
#[inline(always)]
fn reciprocal<const P: usize>(dense: &[Quad], k: usize, quads: usize) -> [f64; P] {
    let mut parts = [0.0; P];
    for (part, number) in parts.iter_mut().enumerate() {
        *number = dense[(P * k + part) * quads + k / 4].0[k % 4];
    }
    parts
}

/// Sum of the magnitudes of the parts.
#[inline(always)]
fn magnitude<const P: usize>(parts: [f64; P]) -> f64 {
    let mut sum = parts[0].abs();
    for part in &parts[1..] {
        sum += part.abs();
    }
    sum
}

/// A pivot, or the magnitude of a complex one, from its reciprocal and the size of its terms.
#[cold]
fn pivot<const P: usize>(reciprocal: [f64; P], size: f64) -> f64 {
    match reciprocal.as_slice() {
        [real] => 1.0 / real,
        // Of finite terms the pivot is finite: its reciprocal is not a number where its square vanishes.
        parts if size.is_finite() && parts.iter().any(|x| x.is_nan()) => 0.0,
        parts => 1.0 / parts.iter().fold(0.0, |norm: f64, x| norm.hypot(*x)),
    }
}
