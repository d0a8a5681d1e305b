//! The three vectors that the strains of a cubic line depend on.
//!
//! ```text
//! w = (r_O′, δ, r_A′),   δ = r_A − r_O:      r′ = s₂′ w₁ + s₃′ w₂ + s₄′ w₃,   r″ likewise
//! ```
//! A function of w is free of translation by itself. Its gradient in the four nodal vectors is (−g₂, g₁,
//! g₂, g₃).

use super::shape::Cubic;
use crate::element_buffers::{Block, Blocks};
use poinsot_geometry::{Mat3, Vec3};

/// r_O′, δ and r_A′.
pub(super) type Triple = [Vec3; 3];

/// Second derivatives by them.
pub(super) type TripleMatrix = [[Mat3; 3]; 3];

/// Where each of the three goes among r_O, r_O′, r_A, r_A′, with signs.
const PLACES: [&[(usize, f64)]; 3] = [&[(1, 1.0)], &[(0, -1.0), (2, 1.0)], &[(3, 1.0)]];

/// No second derivatives.
pub(super) const NO_MATRIX: TripleMatrix = [[crate::assembly::ZERO; 3]; 3];

/// w of the nodal vectors.
#[inline]
pub(super) fn triple(x: &[Vec3]) -> Triple {
    [x[1], x[2] - x[0], x[3]]
}

/// Factors of w in r′ or r″.
#[inline]
pub(super) fn factors(all: &[f64; 4]) -> [f64; 3] {
    [all[1], all[2], all[3]]
}

/// Adds −g to the forces on the nodal vectors.
#[inline]
pub(super) fn pull(g: &Triple, f: &mut [Vec3]) {
    f[0] += g[1];
    f[1] -= g[0];
    f[2] -= g[1];
    f[3] -= g[2];
}

/// Adds −h to the derivatives of the forces on the nodal vectors.
pub(super) fn push(h: &TripleMatrix, out: &mut Blocks) {
    let table: &mut [Block] = out.push_table(4);
    for (i, rows) in PLACES.iter().enumerate() {
        for (j, columns) in PLACES.iter().enumerate() {
            for &(a, left) in *rows {
                for &(b, right) in *columns {
                    table[4 * a + b].value -= h[i][j] * (left * right);
                }
            }
        }
    }
}

/// Factors of w in r′ and r″ at a place.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Rows {
    pub slope: [f64; 3],
    pub curvature: [f64; 3],
}

impl Rows {
    pub fn at(xi: f64, l: f64) -> Self {
        let s = Cubic::at(xi, l);
        Rows { slope: factors(&s.slope), curvature: factors(&s.curvature) }
    }

    /// y = r′ and z = r″.
    #[inline]
    pub fn fields(&self, w: &Triple) -> [Vec3; 2] {
        [combined(&self.slope, w), combined(&self.curvature, w)]
    }

    /// Adds a gradient by (y, z) to that by w.
    #[inline]
    pub fn add(&self, g: &[Vec3; 2], out: &mut Triple) {
        for (i, out) in out.iter_mut().enumerate() {
            *out += g[0] * self.slope[i] + g[1] * self.curvature[i];
        }
    }

    /// Adds second derivatives by (y, z) to those by w.
    #[inline]
    pub fn add_matrix(&self, h: &[[Mat3; 2]; 2], out: &mut TripleMatrix) {
        for (j, (slope, curvature)) in self.slope.iter().zip(&self.curvature).enumerate() {
            let columns = h.map(|row| row[0] * *slope + row[1] * *curvature);
            for (i, out) in out.iter_mut().enumerate() {
                out[j] += columns[0] * self.slope[i] + columns[1] * self.curvature[i];
            }
        }
    }
}

#[inline]
pub(super) fn combined(factors: &[f64; 3], w: &Triple) -> Vec3 {
    w[0] * factors[0] + w[1] * factors[1] + w[2] * factors[2]
}
