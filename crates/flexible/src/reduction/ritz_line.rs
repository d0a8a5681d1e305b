//! A straight beam along x whose shapes are functions of x (floating-frame-and-ancf 5.1 … 5.3).
//!
//! ```text
//! S_k = a_k + y b_k + z c_k,    a = (u, v, w),   b = (−v', 0, φ),   c = (−w', −φ, 0)
//! S̄_k = ∫ρA a_k,   D_k = ∫ρA x a_k e_xᵀ + ρI_z b_k e_yᵀ + ρI_y c_k e_zᵀ
//! P_kl = ∫ρA a_k a_lᵀ + ρI_z b_k b_lᵀ + ρI_y c_k c_lᵀ
//! K_kl = ∫EA u_k' u_l' + EI_z v_k'' v_l'' + EI_y w_k'' w_l'' + GJ φ_k' φ_l'
//! ```
//! with I_z = ∫y² dA and I_y = ∫z² dA. Sections stay plane and at right angles to the line.

use super::{Damping, RitzBody};
use crate::elements::gauss_on_line;
use crate::{InertiaIntegrals, Interface};
use nalgebra::DMatrix;
use poinsot_geometry::{Mat3, Vec3};

/// Pieces of the length that are integrated one by one.
const PIECES: usize = 200;
/// Gauss points of each.
const POINTS: usize = 4;

/// Section of a beam at a place.
#[derive(Clone, Copy, Debug)]
pub struct LineSection {
    /// A (m²).
    pub area: f64,
    /// I_y = ∫z² dA (m⁴).
    pub inertia_y: f64,
    /// I_z = ∫y² dA (m⁴).
    pub inertia_z: f64,
    /// J (m⁴).
    pub torsion: f64,
    /// E (Pa).
    pub young: f64,
    /// G (Pa).
    pub shear: f64,
    /// ρ (kg/m³).
    pub density: f64,
}

/// A shape at a place: (u, v, w, φ), its first and its second derivatives by x.
#[derive(Clone, Copy, Debug, Default)]
pub struct LineShape {
    /// (u, v, w, φ).
    pub value: [f64; 4],
    /// Derivatives.
    pub slope: [f64; 4],
    /// Second derivatives.
    pub curvature: [f64; 4],
}

/// A beam of shape functions.
pub struct RitzLine<'a> {
    /// Length (m).
    pub length: f64,
    /// The section at x.
    pub section: &'a dyn Fn(f64) -> LineSection,
    /// The shapes at x, all of them.
    pub shapes: &'a dyn Fn(f64) -> Vec<LineShape>,
    /// Names and places of the interfaces (m).
    pub interfaces: &'a [(String, Vec3)],
    /// Number of places to draw.
    pub points: usize,
    /// Damping.
    pub damping: Damping,
}

impl LineShape {
    /// a, b and c.
    fn of_section(&self) -> [Vec3; 3] {
        let ([u, v, w, twist], [_, slope_v, slope_w, _]) = (self.value, self.slope);
        [Vec3::new(u, v, w), Vec3::new(-slope_v, 0.0, twist), Vec3::new(-slope_w, -twist, 0.0)]
    }

    /// Displacement of a point of the section.
    fn at(&self, place: &Vec3) -> Vec3 {
        let [a, b, c] = self.of_section();
        a + b * place.y + c * place.z
    }

    /// Rotation of the section.
    fn rotation(&self) -> Vec3 {
        Vec3::new(self.value[3], -self.slope[2], self.slope[1])
    }
}

impl RitzLine<'_> {
    /// Its integrals, and what its interfaces do.
    pub fn body(&self) -> RitzBody {
        let n = (self.shapes)(0.0).len();
        let mut stiffness = DMatrix::zeros(n, n);
        let mut inertia = InertiaIntegrals::lumped(&[], n);
        let step = self.length / PIECES as f64;
        for piece in 0..PIECES {
            for (place, weight) in gauss_on_line(POINTS) {
                let x = (piece as f64 + 0.5 * (1.0 + place)) * step;
                self.add(x, 0.5 * step * weight, &mut inertia, &mut stiffness);
            }
        }
        let count = self.points.max(2);
        let nodes: Vec<Vec3> =
            (0..count).map(|i| Vec3::new(self.length * i as f64 / (count - 1) as f64, 0.0, 0.0)).collect();
        let mut shapes = DMatrix::zeros(3 * count, n);
        for (i, node) in nodes.iter().enumerate() {
            for (k, shape) in (self.shapes)(node.x).iter().enumerate() {
                shapes.view_mut((3 * i, k), (3, 1)).copy_from(&shape.at(node));
            }
        }
        let interfaces = self.interfaces.iter().map(|(name, place)| {
            let all = (self.shapes)(place.x);
            Interface {
                name: name.clone(),
                place: *place,
                displacements: all.iter().map(|shape| shape.at(place)).collect(),
                rotations: all.iter().map(LineShape::rotation).collect(),
            }
        });
        RitzBody {
            inertia,
            stiffness,
            interfaces: interfaces.collect(),
            nodes,
            shapes,
            damping: self.damping.clone(),
        }
    }

    /// What a section adds.
    fn add(&self, x: f64, dx: f64, inertia: &mut InertiaIntegrals, stiffness: &mut DMatrix<f64>) {
        let (section, all) = ((self.section)(x), (self.shapes)(x));
        let n = all.len();
        let LineSection { area, inertia_y, inertia_z, torsion, young, shear, density } = section;
        let masses = [density * area * dx, density * inertia_z * dx, density * inertia_y * dx];
        let places = [Vec3::x() * x, Vec3::y(), Vec3::z()];
        inertia.mass += masses[0];
        inertia.first_moment += places[0] * masses[0];
        for (mass, place) in masses.iter().zip(&places) {
            inertia.second_moment += place * place.transpose() * *mass;
        }
        for (k, shape) in all.iter().enumerate() {
            let own = shape.of_section();
            inertia.mean[k] += own[0] * masses[0];
            for (i, mass) in masses.iter().enumerate() {
                inertia.moments[k] += own[i] * places[i].transpose() * *mass;
            }
            for (l, other) in all.iter().enumerate() {
                let theirs = other.of_section();
                let product = |i: usize| own[i] * theirs[i].transpose() * masses[i];
                inertia.products[k * n + l] += (0..3).map(product).sum::<Mat3>();
                stiffness[(k, l)] += dx
                    * (young
                        * (area * shape.slope[0] * other.slope[0]
                            + inertia_z * shape.curvature[1] * other.curvature[1]
                            + inertia_y * shape.curvature[2] * other.curvature[2])
                        + shear * torsion * shape.slope[3] * other.slope[3]);
            }
        }
    }
}
