//! The fully parameterised plate and shell element of four nodes and 48 coordinates r, r_x, r_y, r_z (Mikkola
//! and Shabana 2003) with Green's strains (floating-frame-and-ancf §1.7.3, §1.21.12).
//!
//! ```text
//! r = Σ N_i r_i + N_i^x r_x,i + N_i^y r_y,i + z Σ B_i r_z,i            N cubic, B bilinear
//! E_αβ = ½(a_α·a_β) + ½z (a_α·d_β + d_α·a_β) + ½z² d_α·d_β − …,   2E_αz = a_α·d,   E_zz = ½ d·d
//! ```
//! with a_α = r_α and d = r_z in the middle surface, d_α its derivatives. **Locking.** Transverse shear is
//! that of the edges, where cubic deflections and linear d go together, carried linearly across the element
//! (mixed interpolation of tensorial components, Dvorkin and Bathe 1984, with all points of an edge); the
//! thickness strain is carried bilinearly from the nodes; the elasticity is split so that bending is in plane
//! stress (see `elasticity.rs`).

use super::elasticity::{Fibres, Pool, Split, StrainTerms};
use super::element::SolidElement;
use super::error::{SolidError, count, positive};
use super::full_beam::{Constitution, axes_of, positive_volume};
use super::plate_shapes::{CORNERS, Cubic, bilinear, cubic};
use super::point::{Gradient, Term};
use super::reading::{FibreReader, Reader};
use crate::mass::Inertia;
use crate::nodes::carried::Carried;
use poinsot_flexible::Material;
use poinsot_geometry::interpolation::Quadrature;
use poinsot_geometry::{Mat3, Vec3, Vec6};

const KIND: &str = "a plate element of 48 coordinates";
/// Nodal vectors: r, r_x, r_y, r_z.
const VECTORS: usize = 4;
/// Gauss points in each direction.
const POINTS: usize = 3;
/// Forms of a point: ½a·a, a·a′, ½a′·a′ of both directions, a·b, a·b′ + a′·b, a′·b′, and the assumed a·d,
/// b·d, ½d·d.
const FORMS: usize = 12;

/// Thickness and shear factor of a plate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PlateSection {
    /// Thickness (m).
    pub thickness: f64,
    /// Factor of transverse shear, 5/6 for an even plate.
    pub shear: f64,
}

impl PlateSection {
    /// With the shear factor 5/6.
    pub fn of_thickness(thickness: f64) -> Self {
        PlateSection { thickness, shear: 5.0 / 6.0 }
    }
}

/// z and weights through the thickness.
pub(super) fn through(thickness: f64) -> Vec<[f64; 3]> {
    let rule = Quadrature::gauss_legendre(3);
    let half = 0.5 * thickness;
    rule.points.iter().zip(&rule.weights).map(|(z, w)| [z * half, 0.0, w * half]).collect()
}

/// The entries of a gradient from a table of cubic shapes, for nodes of `vectors` vectors.
pub(super) fn cubic_entries(table: &[[f64; 3]; 4], vectors: usize) -> Vec<(usize, f64)> {
    let one = |i: usize| (0..3).map(move |k| (vectors * i + k, table[i][k]));
    (0..4).flat_map(one).collect()
}

fn director_entries(table: [f64; 4]) -> Vec<(usize, f64)> {
    (0..4).map(|i| (VECTORS * i + 3, table[i])).collect()
}

/// An element on r, r_x, r_y, r_z of four corners, counterclockwise, x over `size[0]` and y over `size[1]`;
/// `reference` holds their values where it is free of stress. The axes of the material are r_x, r_y made
/// orthogonal to it, and the normal.
pub fn thick_plate(
    carried: &[Carried],
    reference: &[Vec3],
    size: [f64; 2],
    section: &PlateSection,
    material: &Material,
    constitution: &Constitution,
) -> Result<SolidElement, SolidError> {
    count(KIND, carried.len(), reference, &[4 * VECTORS])?;
    size.iter().try_for_each(|side| positive("the side of a plate element", *side).map(drop))?;
    let split = split(section, material, constitution)?;
    let fibres = Fibres { terms: strain_terms(), places: through(section.thickness) };
    let rule = Quadrature::gauss_legendre(POINTS);
    let mut pool = Pool::default();
    let nodes: [usize; 4] = std::array::from_fn(|i| pool.add([(VECTORS * i + 3, 1.0)]));
    let edges = Edges::new(&mut pool, &rule.points, size);
    let (mut points, mut axes) = (vec![], vec![]);
    for k in 0..POINTS * POINTS {
        let (i, j) = (k / POINTS, k % POINTS);
        let (xi, eta) = (rule.points[i], rule.points[j]);
        let s = cubic(xi, eta, size);
        let [value, by_x, by_y] = bilinear(xi, eta, size);
        let [a, b] = [s.x, s.y].map(|table| pool.add(cubic_entries(&table, VECTORS)));
        let [da, db] = [by_x, by_y].map(|table| pool.add(director_entries(table)));
        let at = |k: usize| pool.0[k].of(reference);
        let (a0, b0, da0, db0) = (at(a), at(b), at(da), at(db));
        let d0 = Gradient(director_entries(value)).of(reference);
        let jacobian = |z: f64, _| Mat3::from_columns(&[a0 + da0 * z, b0 + db0 * z, d0]);
        if fibres.places.iter().any(|f| !positive_volume(&jacobian(f[0], 0.0))) {
            return Err(SolidError::NoVolume { what: KIND });
        }
        let own = axes_of(&a0, &b0).ok_or(SolidError::NoVolume { what: KIND })?;
        let weight = 0.25 * size[0] * size[1] * rule.weights[i] * rule.weights[j];
        let mut point = fibres.point(FORMS, &split, jacobian, &own, weight);
        point.terms = surface_terms([a, b, da, db]);
        point.terms.extend(edges.terms(i, j, &rule.points));
        let thickness =
            |(i, share): (usize, f64)| Term { form: 11, factor: 0.5 * share, p: nodes[i], q: nodes[i] };
        point.terms.extend(value.into_iter().enumerate().map(thickness));
        points.push(point);
        axes.push(jacobian(0.0, 0.0).try_inverse().ok_or(SolidError::NoVolume { what: KIND })? * own);
    }
    let Split { section, middle, factors, initial, .. } = split;
    let grid = [rule.points.clone(), rule.points];
    let reader =
        Reader::Fibres(Box::new(FibreReader { grid, fibres, axes, section, middle, factors, initial }));
    Ok(SolidElement::new("plate", carried, reference, pool.0, points, reader))
}

fn split(
    section: &PlateSection,
    material: &Material,
    constitution: &Constitution,
) -> Result<Split, SolidError> {
    positive("the thickness of a plate", section.thickness)?;
    let shear = positive("a shear factor", section.shear)?.sqrt();
    let uncoupled = Split::of_plate(material.elasticity());
    let factors = Vec6::new(1.0, 1.0, 1.0, 1.0, shear, shear);
    Ok(Split {
        section: uncoupled,
        middle: material.elasticity() - uncoupled,
        factors: [factors; 2],
        initial: constitution.initial,
        viscosity: constitution.viscosity,
    })
}

fn strain_terms() -> StrainTerms {
    let plain = |pairs: &[(usize, usize)]| pairs.iter().map(|&(k, m)| (k, m, 1.0)).collect::<Vec<_>>();
    vec![
        ([0, 0], plain(&[(0, 0), (1, 3), (3, 6), (4, 9), (5, 10), (2, 11)])),
        ([1, 0], plain(&[(0, 1), (1, 4), (3, 7)])),
        ([2, 0], plain(&[(0, 2), (1, 5), (3, 8)])),
    ]
}

fn surface_terms([a, b, da, db]: [usize; 4]) -> Vec<Term> {
    let term = |form, factor, p, q| Term { form, factor, p, q };
    vec![
        term(0, 0.5, a, a),
        term(1, 1.0, a, da),
        term(2, 0.5, da, da),
        term(3, 0.5, b, b),
        term(4, 1.0, b, db),
        term(5, 0.5, db, db),
        term(6, 1.0, a, b),
        term(7, 1.0, a, db),
        term(7, 1.0, da, b),
        term(8, 1.0, da, db),
    ]
}

/// Tangents along the edges and d there.
struct Edges {
    /// a and d at (ξ_i, −1) and (ξ_i, 1).
    along_x: Vec<[[usize; 2]; 2]>,
    /// b and d at (−1, η_j) and (1, η_j).
    along_y: Vec<[[usize; 2]; 2]>,
}

impl Edges {
    fn new(pool: &mut Pool, places: &[f64], size: [f64; 2]) -> Self {
        let mut pair = |xi: f64, eta: f64, table: fn(&Cubic) -> &[[f64; 3]; 4]| {
            let tangent = pool.add(cubic_entries(table(&cubic(xi, eta, size)), VECTORS));
            [tangent, pool.add(director_entries(bilinear(xi, eta, size)[0]))]
        };
        let along_x = places.iter().map(|xi| [-1.0, 1.0].map(|eta| pair(*xi, eta, |s| &s.x))).collect();
        let along_y = places.iter().map(|eta| [-1.0, 1.0].map(|xi| pair(xi, *eta, |s| &s.y))).collect();
        Edges { along_x, along_y }
    }

    /// The assumed shear strains of point (i, j).
    fn terms(&self, i: usize, j: usize, places: &[f64]) -> Vec<Term> {
        let shares = |place: f64| [0.5 * (1.0 - place), 0.5 * (1.0 + place)];
        let both = |form: usize, edges: &[[usize; 2]; 2], place: f64| -> Vec<Term> {
            edges.iter().zip(shares(place)).map(|(&[p, q], factor)| Term { form, factor, p, q }).collect()
        };
        let mut terms = both(9, &self.along_x[i], places[j]);
        terms.extend(both(10, &self.along_y[j], places[i]));
        terms
    }
}

/// The consistent mass, constant: M_ab = ∫ρ S_a S_b dV, with the area of the middle surface.
pub fn thick_plate_mass(
    carried: &[Carried],
    reference: &[Vec3],
    size: [f64; 2],
    thickness: f64,
    density: f64,
) -> Result<Inertia, SolidError> {
    count(KIND, carried.len(), reference, &[4 * VECTORS])?;
    let (line, turn) = (density * thickness, density * thickness.powi(3) / 12.0);
    plate_mass(carried, reference, size, VECTORS, |value, directors| {
        let mut shapes = vec![0.0; 4 * VECTORS];
        let mut tilts = shapes.clone();
        for i in 0..CORNERS.len() {
            (0..3).for_each(|k| shapes[VECTORS * i + k] = value[i][k]);
            tilts[VECTORS * i + 3] = directors[i];
        }
        vec![(line, shapes), (turn, tilts)]
    })
}

/// ∫Σ m S_a S_b dA over the reference, from the shapes of `of` with their masses per area.
pub(super) fn plate_mass(
    carried: &[Carried],
    reference: &[Vec3],
    size: [f64; 2],
    vectors: usize,
    of: impl Fn(&[[f64; 3]; 4], &[f64; 4]) -> Vec<(f64, Vec<f64>)>,
) -> Result<Inertia, SolidError> {
    let n = carried.len();
    let rule = Quadrature::gauss_legendre(5);
    let mut table = vec![0.0; n * n];
    for k in 0..rule.points.len() * rule.points.len() {
        let (i, j) = (k / rule.points.len(), k % rule.points.len());
        let s = cubic(rule.points[i], rule.points[j], size);
        let [a0, b0] = [s.x, s.y].map(|t| Gradient(cubic_entries(&t, vectors)).of(reference));
        let area = 0.25 * size[0] * size[1] * rule.weights[i] * rule.weights[j] * a0.cross(&b0).norm();
        for (mass, shapes) in of(&s.value, &bilinear(rule.points[i], rule.points[j], size)[0]) {
            for (a, left) in shapes.iter().enumerate() {
                shapes
                    .iter()
                    .enumerate()
                    .for_each(|(b, right)| table[a * n + b] += mass * area * left * right);
            }
        }
    }
    Ok(Inertia::new(carried.to_vec(), |a, b| table[a.min(b) * n + a.max(b)]))
}
