//! Bending of a thin plate: triangle DKT (Batoz, Bathe and Ho, 1980) and quadrilateral DKQ (Batoz and
//! Ben Tahar, 1982).
//!
//! ```text
//! u = z β,   β = Σ N_a β_a + Σ_sides M_k s_k [−3/(2 l_k) (w_b − w_a) − ¾ s_k·(β_a + β_b)],   β = (θ_y, −θ_x)
//! κ = (β_x,x, β_y,y, β_x,y + β_y,x),   K = ∫ κᵀ (t³/12) D κ
//! ```
//! N_a belongs to corners, M_k to the middle of the side k from a to b with direction s_k. Normals stay
//! normal (β = −∇w) at the nodes and along the sides, where w is cubic: nothing is left that could lock in
//! shear, and a quadratic w is met exactly on any mesh. Thick plates, whose shear counts, are for solids.

use super::shapes::{Shape, Station};
use crate::mesh::ElementKind;
use nalgebra::{DMatrix, Matrix3xX};
use poinsot_geometry::{Mat3, Vec3};

/// A plate in the plane z = 0 of its own axes.
pub(super) struct Plate {
    corners: &'static Shape,
    sides: &'static Shape,
    places: Vec<Vec3>,
}

impl Plate {
    /// A triangle or quadrilateral with these corners.
    pub fn new(places: Vec<Vec3>) -> Self {
        let kinds = match places.len() {
            3 => (ElementKind::Tri3, ElementKind::Tri6),
            _ => (ElementKind::Quad4, ElementKind::Quad8),
        };
        let shape = |kind| Shape::of(kind).expect("a face");
        Plate { corners: shape(kinds.0), sides: shape(kinds.1), places }
    }

    /// Points of integration, which are also those of stresses.
    pub fn stations(&self) -> &'static [Station] {
        &self.corners.stress
    }

    /// κ of the unknowns (w, θ_x, θ_y) of each node, and dA.
    pub fn curvature(&self, station: &Station) -> (Matrix3xX<f64>, f64) {
        let n = self.places.len();
        let mut j: Mat3 = self.places.iter().zip(&station.slopes).map(|(x, s)| x * s.transpose()).sum();
        j[(2, 2)] = 1.0;
        let inverse = j.try_inverse().unwrap_or_else(Mat3::zeros).transpose();
        let mut kappa = Matrix3xX::zeros(3 * n);
        for (a, slope) in station.slopes.iter().enumerate() {
            let g = inverse * slope;
            kappa.set_column(3 * a + 1, &bend(&-Vec3::y(), &g));
            kappa.set_column(3 * a + 2, &bend(&Vec3::x(), &g));
        }
        let middles = self.sides.station(&station.at, 0.0).slopes;
        for (a, slope) in middles[n..].iter().enumerate() {
            let b = (a + 1) % n;
            let side = self.places[b] - self.places[a];
            let (l, s) = (side.norm(), side.normalize());
            let shape = bend(&s, &(inverse * slope));
            for (node, sign) in [(a, 1.0), (b, -1.0)] {
                let mut add = |k: usize, factor: f64| {
                    let mut column = kappa.column_mut(3 * node + k);
                    column += shape * factor;
                };
                add(0, sign * 1.5 / l);
                add(1, 0.75 * s.y);
                add(2, -0.75 * s.x);
            }
        }
        (kappa, j.determinant() * station.weight)
    }

    /// K for the stiffness (t³/12) D of the components xx, yy, xy.
    pub fn stiffness(&self, bending: &Mat3) -> DMatrix<f64> {
        let n = 3 * self.places.len();
        let mut k = DMatrix::zeros(n, n);
        for station in self.stations() {
            let (kappa, area) = self.curvature(station);
            k += kappa.tr_mul(&(bending * area * &kappa));
        }
        k
    }
}

/// κ of the field β = b f with ∇f = g.
fn bend(b: &Vec3, g: &Vec3) -> Vec3 {
    Vec3::new(b.x * g.x, b.y * g.y, b.x * g.y + b.y * g.x)
}
