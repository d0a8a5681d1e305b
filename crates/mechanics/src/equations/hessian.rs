//! Second derivatives of rows.

use super::evaluate::{FEW_CARRIED, gather};
use super::{Equation, Equations, First, NO_SECOND, NONE, Second};
use crate::constraint::Configuration;
use crate::element_buffers::{Blocks, MAX_CONSTRAINED};
use poinsot_expr::Jet;
use poinsot_geometry::{Mat3, Vec3};

impl Equations {
    /// λ ∂G_a/∂x_b of row `k`.
    pub(super) fn push_hessian(&self, k: usize, at: &Configuration, lambda: f64, h: &mut Blocks) {
        let row = &self.rows[k];
        if !self.bent[k] {
            return self.push_curvatures(row, at, &self.first(row, at, None), lambda, h);
        }
        let mut second = NO_SECOND;
        let first = self.second(row, at, &mut second);
        self.push_curvatures(row, at, &first, lambda, h);
        match self.carried.len() {
            ..=FEW_CARRIED => self.cross_terms::<FEW_CARRIED>(row, at, &second, lambda, h),
            _ => self.cross_terms::<MAX_CONSTRAINED>(row, at, &second, lambda, h),
        }
    }

    /// λ Σ_j F_j ∂²s_j (holonomic) or λ Σ_p F_p ∂W_p (velocities).
    fn push_curvatures(
        &self,
        row: &Equation,
        at: &Configuration,
        first: &First,
        lambda: f64,
        h: &mut Blocks,
    ) {
        let m = row.coordinates.len();
        for (&s, slope) in row.coordinates.iter().zip(&first[1..]).filter(|_| row.speeds.is_empty()) {
            let (coordinate, places) = &self.coordinates[s];
            let from = h.entries().len();
            coordinate.hessian(&gather(places, at.x), lambda * slope, h);
            renumber(h, from, places);
        }
        for (&w, slope) in row.speeds.iter().zip(&first[1 + m..]) {
            let (speed, places) = &self.speeds[w];
            let from = h.entries().len();
            speed.weight_slopes(&gather(places, at.x), lambda * slope, h);
            renumber(h, from, places);
        }
    }

    /// λ Σ_jl F_jl ∂s_j ∂s_lᵀ (holonomic) or λ Σ_pj F_pj W_p ∂s_jᵀ (velocities), pair by pair of at most N
    /// carried vectors.
    fn cross_terms<const N: usize>(
        &self,
        row: &Equation,
        at: &Configuration,
        second: &Second,
        lambda: f64,
        h: &mut Blocks,
    ) {
        let m = row.coordinates.len();
        let holonomic = row.speeds.is_empty();
        let (first, count) = if holonomic { (0, m) } else { (m, row.speeds.len()) };
        let by = |p: usize, j: usize| second[Jet::place(first + p, j)];
        if (0..count).all(|p| (0..m).all(|j| by(p, j) == 0.0)) {
            return;
        }
        let mut grid = [[Mat3::zeros(); N]; N];
        for p in (0..count).filter(|&p| (0..m).any(|j| by(p, j) != 0.0)) {
            let (places, left): ([usize; 4], [Vec3; 4]) = if holonomic {
                let (_, places) = &self.coordinates[row.coordinates[p]];
                let g = self.slope(row.coordinates[p], at.x);
                ([places[0], places[1], places[2], NONE], [g[0], g[1], g[2], Vec3::zeros()])
            } else {
                let (w, places) = &self.speeds[row.speeds[p]];
                (*places, w.weights(&gather(places, at.x)))
            };
            for j in (0..m).filter(|&j| by(p, j) != 0.0) {
                let (_, columns) = &self.coordinates[row.coordinates[j]];
                let right = self.slope(row.coordinates[j], at.x).map(|slope| slope * (lambda * by(p, j)));
                for (a, left) in places.iter().zip(&left).filter(|(a, _)| **a != NONE) {
                    for (b, right) in columns.iter().zip(&right).filter(|(b, _)| **b != NONE) {
                        grid[*a][*b] += left * right.transpose();
                    }
                }
            }
        }
        self.push_grid(&grid, h);
    }

    /// Pushes the blocks of a grid that are not zero.
    pub(crate) fn push_grid<const N: usize>(&self, grid: &[[Mat3; N]; N], h: &mut Blocks) {
        let n = self.carried.len();
        for (a, line) in grid[..n].iter().enumerate() {
            for (b, block) in line[..n].iter().enumerate().filter(|(_, block)| **block != Mat3::zeros()) {
                h.push(a, b, *block);
            }
        }
    }
}

/// Moves blocks of one element, pushed since `from`, to the constraint's numbering.
pub(crate) fn renumber(h: &mut Blocks, from: usize, places: &[usize]) {
    for block in h.entries_mut(from) {
        block.a = places[block.a];
        block.b = places[block.b];
    }
}
