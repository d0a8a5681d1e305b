//! A beam element with interpolated directors in a plane (energy-momentum-null-space I-39, I-40).
//!
//! ```text
//! Γ + i Γ′ = d̄ x′,   K = Im d̄ d′          S = C ε,   s = S_Γ + i S_Γ′,   M = S_K
//! δV = Re(x̄_* δx′ + d̄_* δd + d̄′_* δd′),   x_* = s d,   d_* = s̄ x′ − i M d′,   d′_* = i M d
//! ```

// Loops count nodes, so that they unroll.
#![allow(clippy::needless_range_loop)]

use super::super::beam::{Beam, MOST_NODES};
use super::element::PlaneElement;
use super::{Finder, Local, Moving, Number, Slots, UNKNOWNS, ZERO, cross, dot, turned};
use crate::beams::point::Point;
use crate::system::Places;
use poinsot_geometry::Vec3;

/// A point of an element: the parts of its quadrature that are in the plane.
#[derive(Clone, Debug)]
struct PlanePoint {
    weight: f64,
    value: [f64; MOST_NODES],
    slope: [f64; MOST_NODES],
    reference: [f64; 3],
}

/// An element that interpolates x and d.
#[derive(Clone, Debug)]
pub(super) struct DirectorElement {
    element: PlaneElement,
    points: Vec<PlanePoint>,
}

impl Finder<'_> {
    pub fn director(&mut self, beam: &Beam, places: &Places) -> Option<DirectorElement> {
        let (carried, points, stiffness) = beam.elastic()?;
        let strains = |x: &[Vec3]| points.iter().map(|point| point.strain(x)).collect();
        let element = self.element(carried, stiffness, places, strains)?;
        let in_plane = |x: &Point| PlanePoint {
            weight: x.weight,
            value: std::array::from_fn(|k| x.value[k]),
            slope: std::array::from_fn(|k| x.slope[k]),
            reference: element.in_plane(&x.reference),
        };
        let points = points.iter().map(in_plane).collect();
        Some(DirectorElement { element, points })
    }
}

/// x′, d and d′ at a point.
struct PlaneFields {
    line: Number,
    axis: Number,
    bend: Number,
}

impl DirectorElement {
    pub fn slots(&self) -> &Slots {
        &self.element.slots
    }

    pub fn count(&self) -> usize {
        self.element.slots.count
    }

    /// The fields at a point and w S = (s, M).
    #[inline]
    fn stress<const N: usize>(
        &self,
        point: &PlanePoint,
        x: &[Number; N],
        d: &[Number; N],
    ) -> (PlaneFields, Number, f64) {
        let (mut line, mut axis, mut bend) = (ZERO, ZERO, ZERO);
        for k in 0..N {
            line += x[k] * point.slope[k];
            axis += d[k] * point.value[k];
            bend += d[k] * point.slope[k];
        }
        let [e1, e2, e3] = point.reference;
        let e = [dot(axis, line) - e1, cross(axis, line) - e2, cross(axis, bend) - e3];
        let s = self.element.stress(e).map(|s| s * point.weight);
        (PlaneFields { line, axis, bend }, Number::new(s[0], s[1]), s[2])
    }

    /// Adds ∂V by r and p.
    #[inline]
    pub fn add_loads<const N: usize>(&self, moving: &[Moving], loads: &mut [(Number, Number)]) {
        let (x, d) = self.element.vectors::<N>(moving);
        for point in &self.points {
            let (y, s, m) = self.stress(point, &x, &d);
            let (on_line, on_bend) = (s * y.axis, turned(y.axis) * m);
            let on_axis = s.conj() * y.line - turned(y.bend) * m;
            for k in 0..N {
                let load = &mut loads[self.element.slots.nodes[k]];
                let f = on_line * point.slope[k];
                load.0 += f;
                let on_d = on_axis * point.value[k] + on_bend * point.slope[k];
                load.1 += self.element.on_direction(k, f, on_d);
            }
        }
    }

    /// Adds ∂²V: rows of strains times C, what S does along second derivatives, and the turning of p.
    pub fn add_stiffness<const N: usize>(&self, moving: &[Moving], local: &mut Local) {
        let (x, d) = self.element.vectors::<N>(moving);
        for point in &self.points {
            let (y, s, m) = self.stress(point, &x, &d);
            let on_axis = s.conj() * y.line - turned(y.bend) * m;
            let (on_line, on_bend) = (s * y.axis, turned(y.axis) * m);
            // δx′ of all unknowns, δd and δd′ of the rotations, and the strains by all unknowns.
            let mut lines = [ZERO; UNKNOWNS];
            let (mut axes, mut bends) = ([ZERO; MOST_NODES], [ZERO; MOST_NODES]);
            let mut rows = [[0.0; 3]; UNKNOWNS];
            for k in 0..N {
                let Some(at) = self.element.slots.local[k] else { continue };
                let (value, slope) = (point.value[k], point.slope[k]);
                let (arm, turn) = (x[k] - moving[self.element.slots.nodes[k]].r, turned(d[k]));
                let own = [Number::new(slope, 0.0), Number::new(0.0, slope), turned(arm) * slope];
                lines[at..at + 3].copy_from_slice(&own);
                (axes[k], bends[k]) = (turn * value, turn * slope);
                for (row, line) in rows[at..at + 3].iter_mut().zip(own) {
                    *row = [dot(y.axis, line), cross(y.axis, line), 0.0];
                }
                let row = &mut rows[at + 2];
                row[0] += dot(axes[k], y.line);
                row[1] += cross(axes[k], y.line);
                row[2] = cross(axes[k], y.bend) + cross(y.axis, bends[k]);
                local[at + 2][at + 2] -=
                    slope * dot(on_line, arm) + value * dot(on_axis, d[k]) + slope * dot(on_bend, d[k]);
            }
            let n = self.element.slots.unknowns;
            let stress = rows.map(|e| self.element.stress(e).map(|s| s * point.weight));
            for (row, e) in local[..n].iter_mut().zip(&rows) {
                for (value, s) in row[..n].iter_mut().zip(&stress) {
                    *value += e[0] * s[0] + e[1] * s[1] + e[2] * s[2];
                }
            }
            for k in 0..N {
                let Some(at) = self.element.slots.local[k] else { continue };
                // Re s̄ δd̄ δx′ + M Im δd̄ δd′ and the same with both δ exchanged.
                let along = s * axes[k];
                for (j, line) in lines[..n].iter().enumerate() {
                    let value = dot(along, *line);
                    local[at + 2][j] += value;
                    local[j][at + 2] += value;
                }
                for l in 0..N {
                    let Some(other) = self.element.slots.local[l] else { continue };
                    let value = m * cross(axes[k], bends[l]);
                    local[at + 2][other + 2] += value;
                    local[other + 2][at + 2] += value;
                }
            }
        }
    }
}
