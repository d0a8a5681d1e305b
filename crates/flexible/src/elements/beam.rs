//! Beam in space or in the plane: two nodes, with or without shear deformation.
//!
//! ```text
//! u = (u1 − y θ_z + z θ_y,  v − z φ,  w + y φ),   ξ = x/l
//! v = Σ n_k (v_A, θ_zA, v_B, θ_zB)_k,   θ_z = Σ t_k (…)_k;   u1 and φ are linear
//! n = (1 − 3ξ² + 2ξ³ + Φ(1 − ξ),  l (ξ − 2ξ² + ξ³ + ½Φ(ξ − ξ²)),
//!      3ξ² − 2ξ³ + Φξ,            l (ξ³ − ξ² − ½Φ(ξ − ξ²))) / (1 + Φ)
//! K = ∫ EA u1'² + EI3 θ_z'² + EI2 θ_y'² + G I1 φ'² + κGA (v' − θ_z)² + …,   Φ = 12 EI / (κGA l²)
//! K_σ = ∫ σ_xx S'ᵀ S',   σ_xx = P/A
//! ```
//! With Φ = 0, θ_z = v' and θ_y = −w', S is that of floating-frame-and-ancf §1.18 (errata: its rows 3, 4 and
//! 10), in the plane of §1.17. y and z stay in S and in X: without them the inertia about the beam's own axis
//! is lost (§1.16). K and the integrals of S are computed by quadrature that is exact, not transcribed.

use super::cross_section::{CrossSection, check_positive};
use super::inertia::Particle;
use super::quadrature::line;
use super::{ALL, Element, ElementInertia, ElementStress, GeometryFault, StressState, frame};
use crate::{Component, FlexibleError};
use nalgebra::{DMatrix, DVector, Matrix3xX, RowDVector};
use poinsot_geometry::{Mat3, Vec3, so3};

/// Where the y axis of a beam's section points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum BeamOrientation {
    /// Toward the body's y axis, of a beam along it toward ∓x, then turned about the beam by an angle (rad):
    /// the rule of §1.18 with the roll angle that it lacks.
    Roll(f64),
    /// In the plane of the beam and this vector; as `Roll(0)` of a beam along it.
    Toward(Vec3),
}

/// What a beam is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BeamSection {
    /// Its cross-section.
    pub cross_section: CrossSection,
    /// E (Pa).
    pub young: f64,
    /// G (Pa).
    pub shear: f64,
    /// ρ (kg/m³).
    pub density: f64,
    /// Where the section's axes are.
    pub orientation: BeamOrientation,
    /// Place of the centroid in the axes y, z of the section, seen from the line between the nodes (m).
    pub offset: [f64; 2],
}

impl BeamSection {
    pub(crate) fn check(&self) -> Result<(), FlexibleError> {
        self.cross_section.check()?;
        let orientation = match self.orientation {
            BeamOrientation::Roll(angle) => angle,
            BeamOrientation::Toward(vector) => vector.sum(),
        };
        for (what, value) in [("orientation", orientation), ("offset", self.offset[0] + self.offset[1])] {
            if !value.is_finite() {
                return Err(FlexibleError::SectionNotFinite { what });
            }
        }
        check_positive(&[
            ("Young's modulus", self.young),
            ("shear modulus", self.shear),
            ("density", self.density),
        ])
    }
}

/// What goes through a section of a beam, in its axes: the part ahead (toward the second node) pulls with
/// these on the part behind.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SectionForces {
    /// Along the beam (N), tension positive.
    pub axial: f64,
    /// Along y and z (N).
    pub shear: [f64; 2],
    /// About the beam (N·m).
    pub torque: f64,
    /// About y and z (N·m).
    pub bending: [f64; 2],
}

/// A beam in its place.
pub(crate) struct Beam {
    section: BeamSection,
    places: [Vec3; 2],
    length: f64,
    /// Columns are the axes x, y, z of the beam.
    axes: Mat3,
    planar: bool,
}

/// Functions of bending in one plane at a place: n_k, t_k and their derivatives along x.
struct Bending {
    n: [f64; 4],
    t: [f64; 4],
    dn: [f64; 4],
    dt: [f64; 4],
}

fn bending(xi: f64, l: f64, phi: f64) -> Bending {
    let (x, f) = (xi, 1.0 / (1.0 + phi));
    let bubble = 0.5 * phi * (x - x * x);
    let slope = 0.5 * phi * (1.0 - 2.0 * x);
    let t = [
        6.0 * (x * x - x) / l,
        1.0 - 4.0 * x + 3.0 * x * x + phi * (1.0 - x),
        6.0 * (x - x * x) / l,
        3.0 * x * x - 2.0 * x + phi * x,
    ];
    let dt = [
        6.0 * (2.0 * x - 1.0) / (l * l),
        (6.0 * x - 4.0 - phi) / l,
        6.0 * (1.0 - 2.0 * x) / (l * l),
        (6.0 * x - 2.0 + phi) / l,
    ];
    let n = [
        1.0 - 3.0 * x * x + 2.0 * x.powi(3) + phi * (1.0 - x),
        l * (x - 2.0 * x * x + x.powi(3) + bubble),
        3.0 * x * x - 2.0 * x.powi(3) + phi * x,
        l * (x.powi(3) - x * x - bubble),
    ];
    let dn = [
        (6.0 * (x * x - x) - phi) / l,
        1.0 - 4.0 * x + 3.0 * x * x + slope,
        (6.0 * (x - x * x) + phi) / l,
        3.0 * x * x - 2.0 * x - slope,
    ];
    let scaled = |values: [f64; 4]| values.map(|value| value * f);
    Bending { n: scaled(n), t: scaled(t), dn: scaled(dn), dt: scaled(dt) }
}

/// Unknowns (v_A, θ_zA, v_B, θ_zB) and (w_A, −θ_yA, w_B, −θ_yB) among the twelve, with their signs.
const BENDING_Y: [(usize, f64); 4] = [(1, 1.0), (5, 1.0), (7, 1.0), (11, 1.0)];
const BENDING_Z: [(usize, f64); 4] = [(2, 1.0), (4, -1.0), (8, 1.0), (10, -1.0)];

/// Unknowns of a beam in the plane among the twelve.
const PLANAR: [usize; 6] = [0, 1, 5, 6, 7, 11];
const PLANAR_COMPONENTS: [Component; 3] =
    [Component::Translation(0), Component::Translation(1), Component::Rotation(2)];

/// A row over the twelve unknowns.
fn row(unknowns: [(usize, f64); 4], values: [f64; 4]) -> RowDVector<f64> {
    let mut row = RowDVector::zeros(12);
    for ((k, sign), value) in unknowns.into_iter().zip(values) {
        row[k] = sign * value;
    }
    row
}

/// (value at A, value at B) of the unknowns k and k + 6.
fn linear(k: usize, a: f64, b: f64) -> RowDVector<f64> {
    let mut row = RowDVector::zeros(12);
    row[k] = a;
    row[k + 6] = b;
    row
}

impl Beam {
    /// A beam in space.
    pub fn spatial(section: BeamSection, places: [Vec3; 2]) -> Self {
        let length = (places[1] - places[0]).norm();
        let axes = axes((places[1] - places[0]) / length, section.orientation);
        Beam { section, places, length, axes, planar: false }
    }

    /// A beam in a plane z = constant that bends in it; the section's y axis lies in the plane.
    pub fn planar(section: BeamSection, places: [Vec3; 2]) -> Self {
        let along = places[1] - places[0];
        let orientation = BeamOrientation::Toward(Vec3::z().cross(&along));
        Beam { planar: true, ..Beam::spatial(BeamSection { orientation, ..section }, places) }
    }

    /// Φ of bending in the x–y and x–z planes.
    fn shear_parameters(&self) -> [f64; 2] {
        let section = &self.section.cross_section;
        let of = |inertia: f64, area: f64| {
            12.0 * self.section.young * inertia / (self.section.shear * area * self.length.powi(2))
        };
        section.shear_areas.map_or([0.0; 2], |[y, z]| [of(section.inertia_z, y), of(section.inertia_y, z)])
    }

    /// The field S (rows) and its derivative along x at (ξ, y, z), of the twelve unknowns along the beam's
    /// axes.
    fn field(&self, xi: f64, y: f64, z: f64) -> (DMatrix<f64>, DMatrix<f64>) {
        let l = self.length;
        let [phi_y, phi_z] = self.shear_parameters();
        let (v, w) = (bending(xi, l, phi_y), bending(xi, l, phi_z));
        let (a, b) = (1.0 - xi, xi);
        let s = [
            linear(0, a, b) - row(BENDING_Y, v.t) * y - row(BENDING_Z, w.t) * z,
            row(BENDING_Y, v.n) - linear(3, a, b) * z,
            row(BENDING_Z, w.n) + linear(3, a, b) * y,
        ];
        let (a, b) = (-1.0 / l, 1.0 / l);
        let slope = [
            linear(0, a, b) - row(BENDING_Y, v.dt) * y - row(BENDING_Z, w.dt) * z,
            row(BENDING_Y, v.dn) - linear(3, a, b) * z,
            row(BENDING_Z, w.dn) + linear(3, a, b) * y,
        ];
        (DMatrix::from_rows(&s), DMatrix::from_rows(&slope))
    }

    /// K of the twelve unknowns along the beam's axes at its centre line.
    fn local_stiffness(&self) -> DMatrix<f64> {
        let BeamSection { cross_section: section, young, shear, .. } = self.section;
        let [phi_y, phi_z] = self.shear_parameters();
        let mut k = DMatrix::zeros(12, 12);
        let mut add = |stiffness: f64, strain: RowDVector<f64>| k += strain.tr_mul(&strain) * stiffness;
        for (at, weight) in line(3) {
            let (xi, dx) = (0.5 * (1.0 + at), 0.5 * weight * self.length);
            let (v, w) = (bending(xi, self.length, phi_y), bending(xi, self.length, phi_z));
            add(young * section.area * dx, linear(0, -1.0 / self.length, 1.0 / self.length));
            add(shear * section.torsion * dx, linear(3, -1.0 / self.length, 1.0 / self.length));
            add(young * section.inertia_z * dx, row(BENDING_Y, v.dt));
            add(young * section.inertia_y * dx, row(BENDING_Z, w.dt));
            if let Some([area_y, area_z]) = section.shear_areas {
                let difference = |b: &Bending| std::array::from_fn(|k| b.dn[k] - b.t[k]);
                add(shear * area_y * dx, row(BENDING_Y, difference(&v)));
                add(shear * area_z * dx, row(BENDING_Z, difference(&w)));
            }
        }
        k
    }

    /// From unknowns along body axes at the nodes to those along the beam's axes at the centre line.
    fn to_local(&self) -> DMatrix<f64> {
        let t = frame::to_local(&self.axes, &[self.offset(); 2]);
        if self.planar { t.select_columns(&PLANAR) } else { t }
    }

    /// From the nodes to the centroid, body axes.
    fn offset(&self) -> Vec3 {
        self.axes * Vec3::new(0.0, self.section.offset[0], self.section.offset[1])
    }

    /// Four points of the section with a quarter of its area each, that have its second moments: products of
    /// fields that are linear in y and z are integrated exactly.
    fn fibres(&self) -> [(f64, f64); 4] {
        let CrossSection { area, inertia_y, inertia_z, .. } = self.section.cross_section;
        let (y, z) = ((2.0 * inertia_z / area).sqrt(), (2.0 * inertia_y / area).sqrt());
        [(y, 0.0), (-y, 0.0), (0.0, z), (0.0, -z)]
    }

    fn particles(&self) -> impl Iterator<Item = Particle> + '_ {
        let to_local = self.to_local();
        let mass = self.section.density * self.section.cross_section.area * self.length;
        line(4).into_iter().flat_map(move |(at, weight)| {
            let to_local = to_local.clone();
            self.fibres().into_iter().map(move |(y, z)| {
                let xi = 0.5 * (1.0 + at);
                let field = self.axes * self.field(xi, y, z).0 * &to_local;
                let along = self.places[0] + (self.places[1] - self.places[0]) * xi;
                let place = along + self.offset() + self.axes * Vec3::new(0.0, y, z);
                let columns: Vec<Vec3> = field.column_iter().map(|c| Vec3::new(c[0], c[1], c[2])).collect();
                Particle { mass: mass * weight / 8.0, place, field: Matrix3xX::from_columns(&columns) }
            })
        })
    }

    fn local_unknowns(&self, unknowns: &[f64]) -> DVector<f64> {
        self.to_local() * DVector::from_column_slice(unknowns)
    }
}

impl Element for Beam {
    fn components(&self) -> &'static [Component] {
        if self.planar { &PLANAR_COMPONENTS } else { &ALL }
    }

    fn check(&self) -> Result<(), GeometryFault> {
        super::bar::check_length(&self.places)?;
        if self.planar && (self.places[1].z - self.places[0].z).abs() > 1e-9 * self.length {
            return Err(GeometryFault::OutOfPlane);
        }
        Ok(())
    }

    fn stiffness(&self) -> DMatrix<f64> {
        let to_local = self.to_local();
        to_local.tr_mul(&(self.local_stiffness() * &to_local))
    }

    fn inertia(&self) -> ElementInertia {
        ElementInertia::of_particles(2 * self.components().len(), self.particles())
    }

    fn geometric(&self, state: &StressState) -> DMatrix<f64> {
        let CrossSection { area, .. } = self.section.cross_section;
        let x = self.axes.column(0).into_owned();
        let force = match state {
            StressState::Uniform(stress) => area * x.dot(&(stress * x)),
            StressState::Of(unknowns) => {
                let local = self.local_unknowns(unknowns);
                self.section.young * area * (local[6] - local[0]) / self.length
            }
        };
        let to_local = self.to_local();
        let mut g = DMatrix::zeros(to_local.ncols(), to_local.ncols());
        for (at, weight) in line(4) {
            for (y, z) in self.fibres() {
                let slope = self.field(0.5 * (1.0 + at), y, z).1 * &to_local;
                g += slope.tr_mul(&slope) * (force * self.length * weight / 8.0);
            }
        }
        g
    }

    fn stresses(&self, unknowns: &[f64]) -> ElementStress {
        let f = self.local_stiffness() * self.local_unknowns(unknowns);
        let forces = |k: usize, sign: f64| SectionForces {
            axial: sign * f[k],
            shear: [sign * f[k + 1], sign * f[k + 2]],
            torque: sign * f[k + 3],
            bending: [sign * f[k + 4], sign * f[k + 5]],
        };
        ElementStress::Sections([forces(0, -1.0), forces(6, 1.0)])
    }
}

/// Axes of a beam along the unit vector c (6.149 … 6.151 with a roll angle).
fn axes(c: Vec3, orientation: BeamOrientation) -> Mat3 {
    let toward = |vector: Vec3| {
        let across = vector - c * c.dot(&vector);
        (across.norm() > 1e-9 * vector.norm()).then(|| across.normalize())
    };
    let default = || toward(Vec3::y()).unwrap_or_else(|| Vec3::x() * -c.y.signum());
    let y = match orientation {
        BeamOrientation::Roll(angle) => so3::exp(&(c * angle)) * default(),
        BeamOrientation::Toward(vector) => toward(vector).unwrap_or_else(default),
    };
    Mat3::from_columns(&[c, y, c.cross(&y)])
}
