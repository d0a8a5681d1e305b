//! The fully parameterised beam element of two nodes and 24 coordinates r, r_x, r_y, r_z (Shabana and Yakoub
//! 2001; floating-frame-and-ancf gap 24) with Green's strains (§1.7.3, §1.21.4).
//!
//! ```text
//! r = s₁ r₁ + s₂ r_x1 + s₅ r₂ + s₆ r_x2 + (1 − ξ)(y r_y1 + z r_z1) + ξ (y r_y2 + z r_z2)
//! s₁ = 1 − 3ξ² + 2ξ³,  s₂ = l(ξ − 2ξ² + ξ³),  s₅ = 3ξ² − 2ξ³,  s₆ = l(ξ³ − ξ²)
//! E_xx = ½(a + y b′ + z c′)² − …,   2E_xy = (a + y b′ + z c′)·b,   2E_xz = (a + y b′ + z c′)·c,   E_yy = ½ b·b, …
//! ```
//! with a = r_x, b = r_y, c = r_z on the line. **Locking.** Sections stay plane and keep straight lines: they
//! cannot contract as bending asks, so the elasticity is split (see `elasticity.rs`). Strains of the section
//! (yy, zz, yz) are interpolated linearly from those at the nodes: between nodes that are turned against each
//! other b and c are shorter, which must cost nothing. Sections do not warp: factors for shear and torsion
//! make up for it.

use super::elasticity::{Fibre, Fibres, Pool, Split, StrainTerms};
use super::element::SolidElement;
use super::error::{SolidError, count, positive};
use super::point::Term;
use super::reading::{FibreReader, Reader};
use crate::mass::Inertia;
use crate::nodes::carried::Carried;
use poinsot_flexible::Material;
use poinsot_geometry::interpolation::Quadrature;
use poinsot_geometry::{Mat3, Vec3, Vec6};
use std::f64::consts::PI;

const KIND: &str = "a fully parameterised beam element";
/// Gauss points along the line.
const POINTS: usize = 3;

/// A cross-section as fibres, with its factors.
#[derive(Clone, Debug, PartialEq)]
pub struct FibreSection {
    /// y, z (m) and weight (m²) of fibres that integrate polynomials of degree four exactly.
    pub fibres: Vec<[f64; 3]>,
    /// Shear factors along y and z.
    pub shear: [f64; 2],
    /// Torsion constant relative to I_y + I_z.
    pub torsion: f64,
}

impl FibreSection {
    /// A rectangle with sides along y and z (m), without factors.
    pub fn rectangle(sides: [f64; 2]) -> Self {
        let rule = Quadrature::gauss_legendre(3);
        let [y, z] = sides.map(|side| 0.5 * side);
        let fibre = |i: usize, j: usize| {
            [rule.points[i] * y, rule.points[j] * z, rule.weights[i] * rule.weights[j] * y * z]
        };
        FibreSection { fibres: (0..9).map(|k| fibre(k / 3, k % 3)).collect(), shear: [1.0; 2], torsion: 1.0 }
    }

    /// An ellipse with half axes along y and z (m), without factors.
    pub fn ellipse(half: [f64; 2]) -> Self {
        // Two Gauss points in ρ², six equal angles.
        let rule = Quadrature::gauss_legendre(2);
        let fibre = |k: usize, l: usize| {
            let (rho, angle) = ((0.5 * (1.0 + rule.points[k])).sqrt(), l as f64 * PI / 3.0);
            let weight = PI * half[0] * half[1] * rule.weights[k] / 12.0;
            [rho * angle.cos() * half[0], rho * angle.sin() * half[1], weight]
        };
        FibreSection { fibres: (0..12).map(|k| fibre(k / 6, k % 6)).collect(), shear: [1.0; 2], torsion: 1.0 }
    }

    /// With factors for shear along y and z, and for torsion: torsion constant over I_y + I_z.
    pub fn with_factors(self, shear: [f64; 2], torsion: f64) -> Self {
        FibreSection { shear, torsion, ..self }
    }
}

/// Stress in the reference and viscosity of an element.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Constitution {
    /// Second Piola–Kirchhoff stress in the reference (11, 22, 33, 12, 13, 23; Pa), in the axes of the
    /// element.
    pub initial: Vec6,
    /// Kelvin–Voigt: the time τ of S = D(E + τĖ) (s).
    pub viscosity: f64,
}

/// s₁, s₂, s₅, s₆ and their derivatives by x.
fn hermite(xi: f64, l: f64) -> [[f64; 4]; 2] {
    let (x2, x3) = (xi * xi, xi * xi * xi);
    let value = [1.0 - 3.0 * x2 + 2.0 * x3, l * (xi - 2.0 * x2 + x3), 3.0 * x2 - 2.0 * x3, l * (x3 - x2)];
    let bow = 6.0 * (x2 - xi) / l;
    [value, [bow, 1.0 - 4.0 * xi + 3.0 * x2, -bow, 3.0 * x2 - 2.0 * xi]]
}

/// An element on r, r_x, r_y, r_z of two nodes, x from 0 to `length`; `reference` holds their values where it
/// is free of stress. The axes of the material are r_x, r_y made orthogonal to it, and their normal.
pub fn full_beam(
    carried: &[Carried],
    reference: &[Vec3],
    length: f64,
    section: &FibreSection,
    material: &Material,
    constitution: &Constitution,
) -> Result<SolidElement, SolidError> {
    count(KIND, carried.len(), reference, &[8])?;
    let l = positive("the length of a beam element", length)?;
    let split = split(section, material, constitution)?;
    let fibres = Fibres { terms: strain_terms(), places: section.fibres.clone() };
    let rule = Quadrature::gauss_legendre(POINTS);
    let mut pool = Pool::default();
    let nodes = [0, 1].map(|k| [2, 3].map(|vector| pool.add([(4 * k + vector, 1.0)])));
    let (mut points, mut axes) = (vec![], vec![]);
    for (place, w) in rule.points.iter().zip(&rule.weights) {
        let xi = 0.5 * (1.0 + place);
        let [_, slope] = hermite(xi, l);
        let a = pool.add([(0, slope[0]), (1, slope[1]), (4, slope[2]), (5, slope[3])]);
        let [b, c] = [2, 3].map(|vector| pool.add([(vector, 1.0 - xi), (4 + vector, xi)]));
        let [db, dc] = [2, 3].map(|vector| pool.add([(vector, -1.0 / l), (4 + vector, 1.0 / l)]));
        let at = |k: usize| pool.0[k].of(reference);
        let (a0, b0, c0, db0, dc0) = (at(a), at(b), at(c), at(db), at(dc));
        let jacobian = |y: f64, z: f64| Mat3::from_columns(&[a0 + db0 * y + dc0 * z, b0, c0]);
        if section.fibres.iter().any(|f| !positive_volume(&jacobian(f[0], f[1]))) {
            return Err(SolidError::NoVolume { what: KIND });
        }
        let own = axes_of(&a0, &b0).ok_or(SolidError::NoVolume { what: KIND })?;
        let mut point = fibres.point(FORMS, &split, jacobian, &own, 0.5 * w * l);
        point.terms = terms([a, b, c, db, dc], nodes, xi);
        points.push(point);
        axes.push(jacobian(0.0, 0.0).try_inverse().ok_or(SolidError::NoVolume { what: KIND })? * own);
    }
    let Split { section, middle, factors, initial, .. } = split;
    let grid = [rule.points, vec![0.0]];
    let reader =
        Reader::Fibres(Box::new(FibreReader { grid, fibres, axes, section, middle, factors, initial }));
    Ok(SolidElement::new("beam", carried, reference, pool.0, points, reader))
}

fn split(
    section: &FibreSection,
    material: &Material,
    constitution: &Constitution,
) -> Result<Split, SolidError> {
    let [first, second] = section.shear;
    let first = positive("a shear factor", first)?.sqrt();
    let second = positive("a shear factor", second)?.sqrt();
    let twist = positive("the torsion factor", section.torsion)?.sqrt();
    let uncoupled = Split::of_beam(material.elasticity());
    Ok(Split {
        section: uncoupled,
        middle: material.elasticity() - uncoupled,
        factors: [Vec6::new(1.0, 1.0, 1.0, first, second, 1.0), Vec6::new(1.0, 1.0, 1.0, twist, twist, 1.0)],
        initial: constitution.initial,
        viscosity: constitution.viscosity,
    })
}

/// Forms of a point: ½a·a, a·b′, a·c′, ½b′·b′, b′·c′, ½c′·c′, a·b, b′·b, c′·b, a·c, b′·c, c′·c and, between
/// the nodes, ½b·b, ½c·c, b·c.
const FORMS: usize = 15;

fn strain_terms() -> StrainTerms {
    let plain = |pairs: &[(usize, usize)]| pairs.iter().map(|&(k, m)| (k, m, 1.0)).collect::<Vec<_>>();
    vec![
        ([0, 0], plain(&[(0, 0), (3, 6), (4, 9), (1, 12), (2, 13), (5, 14)])),
        ([1, 0], plain(&[(0, 1), (3, 7), (4, 10)])),
        ([0, 1], plain(&[(0, 2), (3, 8), (4, 11)])),
        ([2, 0], plain(&[(0, 3)])),
        ([1, 1], plain(&[(0, 4)])),
        ([0, 2], plain(&[(0, 5)])),
    ]
}

fn terms([a, b, c, db, dc]: [usize; 5], nodes: [[usize; 2]; 2], xi: f64) -> Vec<Term> {
    let half = [(a, a), (a, db), (a, dc), (db, db), (db, dc), (dc, dc), (a, b), (db, b), (dc, b), (a, c)];
    let more = [(db, c), (dc, c)];
    let factor = |p: usize, q: usize| if p == q { 0.5 } else { 1.0 };
    let mut terms: Vec<Term> = half
        .into_iter()
        .chain(more)
        .enumerate()
        .map(|(form, (p, q))| Term { form, factor: factor(p, q), p, q })
        .collect();
    for ([b, c], share) in nodes.into_iter().zip([1.0 - xi, xi]) {
        for (form, (p, q)) in [(12, (b, b)), (13, (c, c)), (14, (b, c))] {
            terms.push(Term { form, factor: share * factor(p, q), p, q });
        }
    }
    terms
}

/// Orthonormal axes: along a, across it towards b, and their normal.
pub(super) fn axes_of(a: &Vec3, b: &Vec3) -> Option<Mat3> {
    let e1 = a.try_normalize(1e-12)?;
    let e2 = (b - e1 * b.dot(&e1)).try_normalize(1e-12)?;
    Some(Mat3::from_columns(&[e1, e2, e1.cross(&e2)]))
}

pub(super) fn positive_volume(jacobian: &Mat3) -> bool {
    let volume = jacobian.determinant();
    volume.is_finite() && volume > 0.0
}

/// The consistent mass, constant: M_ab = ∫ρ S_a S_b dV.
pub fn full_beam_mass(
    carried: &[Carried],
    reference: &[Vec3],
    length: f64,
    section: &FibreSection,
    density: f64,
) -> Result<Inertia, SolidError> {
    count(KIND, carried.len(), reference, &[8])?;
    let l = positive("the length of a beam element", length)?;
    let rule = Quadrature::gauss_legendre(5);
    let mut table = [[0.0; 8]; 8];
    for (place, w) in rule.points.iter().zip(&rule.weights) {
        let xi = 0.5 * (1.0 + place);
        let [s, slope] = hermite(xi, l);
        let sum = |g: [f64; 8]| -> Vec3 { reference.iter().zip(g).map(|(x, g)| x * g).sum() };
        let a0 = sum([slope[0], slope[1], 0.0, 0.0, slope[2], slope[3], 0.0, 0.0]);
        for &[y, z, area] in &section.fibres as &[Fibre] {
            let shape = [s[0], s[1], y * (1.0 - xi), z * (1.0 - xi), s[2], s[3], y * xi, z * xi];
            let fan = sum([0.0, 0.0, -y / l, -z / l, 0.0, 0.0, y / l, z / l]);
            let b0 = sum([0.0, 0.0, 1.0 - xi, 0.0, 0.0, 0.0, xi, 0.0]);
            let c0 = sum([0.0, 0.0, 0.0, 1.0 - xi, 0.0, 0.0, 0.0, xi]);
            let volume = Mat3::from_columns(&[a0 + fan, b0, c0]).determinant();
            let m = density * 0.5 * w * l * area * volume;
            for (row, left) in table.iter_mut().zip(shape) {
                row.iter_mut().zip(shape).for_each(|(m_ab, right)| *m_ab += m * left * right);
            }
        }
    }
    Ok(Inertia::new(carried.to_vec(), |a, b| table[a.min(b)][a.max(b)]))
}
