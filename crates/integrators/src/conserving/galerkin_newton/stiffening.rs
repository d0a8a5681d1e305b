//! Rows of rigidity that are added to the balance of a body, so that its pivots keep their digits.

use crate::conserving::galerkin_newton::course::MOST;
use poinsot_mechanics::conserving::Conserving;
use poinsot_numerics::pattern::Pattern;

/// The rows of rigidity of one body that are added to its balance.
#[derive(Debug)]
pub(super) struct Stiffening {
    /// Its place among the rows of rigidity of the view.
    pub internal: usize,
    pub node: usize,
    /// First unknown and first row in the view.
    unknown: usize,
    row: usize,
    /// γ = tr E.
    pub gamma: f64,
    /// γ G where the matrix was factored.
    pub weights: [[f64; MOST]; 6],
    /// Places of the body's unknowns and rows in the columns of its unknowns.
    places: [([usize; MOST], [usize; 6]); MOST],
}

impl Stiffening {
    pub fn of(view: &Conserving) -> Vec<Self> {
        let pattern = view.pattern();
        let new = |internal: usize, node: usize, row: usize| {
            let unknown = view.unknowns(node).start;
            let gamma = view.system().director_mass(node);
            if gamma == 0.0 {
                return None;
            }
            let place = |e: usize, c: usize| {
                pattern
                    .index(unknown + e, unknown + c)
                    .map_or(0, |slot| slot - pattern.slots(unknown + c).start)
            };
            let row_place = |r: usize, c: usize| {
                pattern.index(row + r, unknown + c).map_or(0, |slot| slot - pattern.slots(unknown + c).start)
            };
            let places = std::array::from_fn(|c| {
                (std::array::from_fn(|e| place(e, c)), std::array::from_fn(|r| row_place(r, c)))
            });
            Some(Stiffening { internal, node, unknown, row, gamma, weights: [[0.0; MOST]; 6], places })
        };
        // In a plane the masses of a and b are the same moment of inertia, and positive.
        let all = view.internal().iter().enumerate();
        all.filter(|(_, i)| i.count() == 6).filter_map(|(at, i)| new(at, i.node, i.eq)).collect()
    }

    /// Adds γ Gᵀ times the rows to the body's part of the right-hand side.
    pub fn stiffen(&self, k: usize, residual: &mut [f64]) {
        for (r, weights) in self.weights.iter().enumerate() {
            for (e, weight) in weights.iter().enumerate() {
                for i in 0..k {
                    residual[k * (self.unknown + e) + i] += weight * residual[k * (self.row + r) + i];
                }
            }
        }
    }

    /// The same in the matrix.
    pub fn stiffen_matrix(&self, k: usize, pattern: &Pattern, values: &mut [f64]) {
        for (c, (unknowns, rows)) in self.places.iter().enumerate() {
            for j in 0..k {
                let start = pattern.slots(k * (self.unknown + c) + j).start;
                for (row, weights) in rows.iter().zip(&self.weights) {
                    for (unknown, weight) in unknowns.iter().zip(weights) {
                        for i in 0..k {
                            values[start + k * unknown + i] += weight * values[start + k * row + i];
                        }
                    }
                }
            }
        }
    }
}
