//! The thin plate and shell element of four nodes and 36 coordinates r, r_x, r_y (Dmitrochenko and Pogorelov
//! 2003; Dufva and Shabana 2005; floating-frame-and-ancf §1.21.12).
//!
//! Fibres stay normal to the middle surface (Kirchhoff and Love):
//!
//! ```text
//! E_αβ = ½(r_α·r_β − a⁰_αβ) − z (r_αβ·n − b⁰_αβ),      n = r_x × r_y/|r_x × r_y|,   plane stress
//! ```
//! There is no transverse strain, so nothing of it locks. Deflections are continuous along edges, slopes
//! across edges at nodes alone: the element of rectangles and parallelograms passes the patch test, one of
//! other shapes does not exactly.

use super::elasticity::{Fibres, Pool, Split, StrainTerms};
use super::element::SolidElement;
use super::error::{SolidError, count, positive};
use super::full_beam::{Constitution, axes_of, positive_volume};
use super::plate_shapes::{CORNERS, cubic};
use super::point::{Term, Triple};
use super::reading::{FibreReader, Reader};
use super::strain_map::StrainMap;
use super::thick_plate::{cubic_entries, plate_mass, through};
use crate::mass::Inertia;
use crate::nodes::carried::Carried;
use poinsot_flexible::{Material, plane_stress};
use poinsot_geometry::interpolation::Quadrature;
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6};

const KIND: &str = "a plate element of 36 coordinates";
/// Nodal vectors: r, r_x, r_y.
const VECTORS: usize = 3;
/// Gauss points in each direction.
const POINTS: usize = 3;
/// Strains of a point: stretches and curvatures.
const STRAINS: usize = 6;

/// An element on r, r_x, r_y of four corners, counterclockwise, x over `size[0]` and y over `size[1]`;
/// `reference` holds their values where it is free of stress. The axes of the material are r_x, r_y made
/// orthogonal to it, and the normal.
pub fn thin_plate(
    carried: &[Carried],
    reference: &[Vec3],
    size: [f64; 2],
    thickness: f64,
    material: &Material,
    constitution: &Constitution,
) -> Result<SolidElement, SolidError> {
    count(KIND, carried.len(), reference, &[4 * VECTORS])?;
    size.iter().try_for_each(|side| positive("the side of a plate element", *side).map(drop))?;
    positive("the thickness of a plate", thickness)?;
    let split = Split {
        section: plane_stress(material.elasticity()),
        middle: Mat6::zeros(),
        factors: [Vec6::repeat(1.0); 2],
        initial: constitution.initial,
        viscosity: constitution.viscosity,
    };
    let fibres = Fibres { terms: strain_terms(), places: through(thickness) };
    let rule = Quadrature::gauss_legendre(POINTS);
    let (mut pool, mut points, mut axes) = (Pool::default(), vec![], vec![]);
    // Second derivatives are weighed by a length.
    let scale = size[0] * size[1];
    for k in 0..POINTS * POINTS {
        let (i, j) = (k / POINTS, k % POINTS);
        let s = cubic(rule.points[i], rule.points[j], size);
        let [a, b, uu, vv, uv] =
            [s.x, s.y, s.xx, s.yy, s.xy].map(|table| pool.add(cubic_entries(&table, VECTORS)));
        let [a0, b0] = [a, b].map(|k| pool.0[k].of(reference));
        let normal = a0.cross(&b0).try_normalize(1e-300).ok_or(SolidError::NoVolume { what: KIND })?;
        let frame = Mat3::from_columns(&[a0, b0, normal]);
        if !positive_volume(&frame) {
            return Err(SolidError::NoVolume { what: KIND });
        }
        let own = axes_of(&a0, &b0).ok_or(SolidError::NoVolume { what: KIND })?;
        let weight = 0.25 * size[0] * size[1] * rule.weights[i] * rule.weights[j];
        let mut point = fibres.point(STRAINS, &split, |_, _| frame, &own, weight);
        point.map = StrainMap::Surface;
        let pairs = [(a, a), (b, b), (a, b)];
        point.terms =
            (0..3).map(|form| Term { form, factor: 1.0, p: pairs[form].0, q: pairs[form].1 }).collect();
        let triple =
            |(k, u): (usize, usize)| Triple { form: 3 + k, at: [u, a, b], weights: [scale, 1.0, 1.0] };
        point.triples = [uu, vv, uv].into_iter().enumerate().map(triple).collect();
        points.push(point);
        axes.push(frame.try_inverse().ok_or(SolidError::NoVolume { what: KIND })? * own);
    }
    let Split { section, middle, factors, initial, .. } = split;
    let grid = [rule.points.clone(), rule.points];
    let reader =
        Reader::Fibres(Box::new(FibreReader { grid, fibres, axes, section, middle, factors, initial }));
    Ok(SolidElement::new("plate", carried, reference, pool.0, points, reader))
}

fn strain_terms() -> StrainTerms {
    vec![
        ([0, 0], vec![(0, 0, 1.0), (1, 1, 1.0), (3, 2, 1.0)]),
        ([1, 0], vec![(0, 3, -1.0), (1, 4, -1.0), (3, 5, -1.0)]),
    ]
}

/// The consistent mass, constant: M_ab = ∫ρh S_a S_b dA; fibres do not have inertia of their own.
pub fn thin_plate_mass(
    carried: &[Carried],
    reference: &[Vec3],
    size: [f64; 2],
    thickness: f64,
    density: f64,
) -> Result<Inertia, SolidError> {
    count(KIND, carried.len(), reference, &[4 * VECTORS])?;
    plate_mass(carried, reference, size, VECTORS, |value, _| {
        let shapes = (0..CORNERS.len()).flat_map(|i| value[i]).collect();
        vec![(density * thickness, shapes)]
    })
}
