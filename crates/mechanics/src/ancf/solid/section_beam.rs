//! Shear-deformable beam elements of two or three nodes with the strains of structural mechanics, after
//! Nachbagauer, Pechstein, Irschik and Gerstmayr (2011, 2013): nodal vectors r, d₁, d₂, slopes of the
//! position by the coordinates of the section (floating-frame-and-ancf §1.21.12, gap 24).
//!
//! ```text
//! r(s) = Σ N_a r_a,   d_κ(s) = Σ N_a d_κ^a
//! V = Σ_g w ½ ε·Cε  +  Σ_nodes w ½ (EA (E₁₁² + E₂₂²) + GA (2E₁₂)²),   E_κλ = ½(d_κ·d_λ − δ_κλ)
//! ```
//! ε are the strains (Γ, K) of the frame of d₁ and d₂ (see `strain_map.rs`), which do not change when the
//! section does. **Locking** is kept away by one Gauss point less than nodes, and by the strains of the
//! section at the nodes alone: between nodes that are turned against each other interpolated d_κ are shorter
//! than at nodes, which must cost nothing. In equilibrium without forces on slopes sections at nodes are then
//! unstrained, and the solution is that of rigid sections.
//!
//! In motion sections also feel their inertia: a spin ω stretches them by about ρI ω²/EA. A `stiffening` of
//! their shape makes them as rigid as is wanted.
//!
//! Sections carry mass as in [`SectionMass`]; the third axis has none.

use super::elasticity::Pool;
use super::element::SolidElement;
use super::error::{SolidError, count, positive};
use super::point::{Point, Term};
use super::reading::Reader;
use super::strain_map::StrainMap;
use crate::beams::interpolation::{gauss_places, shape};
use crate::beams::{Section, SectionMass};
use crate::mass::Inertia;
use crate::nodes::carried::Carried;
use poinsot_geometry::interpolation::Quadrature;
use poinsot_geometry::{Mat3, Vec3, Vec6};

const KIND: &str = "a beam element of sections";
/// Nodal vectors: r, d₁, d₂.
const VECTORS: usize = 3;

/// e₁, e₂, e₃ of the slopes of a section; none if these are parallel.
pub(super) fn frame(b: &Vec3, c: &Vec3) -> Option<Mat3> {
    let e2 = c.try_normalize(1e-12)?;
    let e1 = (b - e2 * b.dot(&e2)).try_normalize(1e-12)?;
    Some(Mat3::from_columns(&[e1, e2, e1.cross(&e2)]))
}

/// dr/dξ of the reference.
fn tangent(reference: &[Vec3], slopes: &[f64]) -> Vec3 {
    reference.iter().step_by(VECTORS).zip(slopes).map(|(r, slope)| r * *slope).sum()
}

/// An element on r, d₁, d₂ of two or three nodes in the order of the line, the middle one at half of the
/// length; `reference` holds their values where it is free of stress but for the stress resultants `initial`.
/// `stiffening` multiplies the stiffness of sections against a change of their shape: 1 is that of the
/// material.
pub fn section_beam(
    carried: &[Carried],
    reference: &[Vec3],
    section: &Section,
    initial: &Vec6,
    stiffening: f64,
) -> Result<SolidElement, SolidError> {
    count(KIND, carried.len(), reference, &[2 * VECTORS, 3 * VECTORS])?;
    positive("the stiffening of sections", stiffening)?;
    let nodes = carried.len() / VECTORS;
    let rule = Quadrature::gauss_legendre(nodes - 1);
    let mut pool = Pool::default();
    let (mut points, mut weights, mut axes) = (vec![], vec![], vec![]);
    for (xi, w) in gauss_places(nodes - 1).iter().zip(&rule.weights) {
        let n = shape(nodes, *xi);
        let stretch = length_of(&tangent(reference, &n.slope[..nodes]))?;
        let all = |of: &[f64], vector: usize, scale: f64| -> Vec<(usize, f64)> {
            (0..nodes).map(|a| (VECTORS * a + vector, of[a] * scale)).collect()
        };
        let a = pool.add(all(&n.slope, 0, 1.0 / stretch));
        let [b, c] = [1, 2].map(|vector| pool.add(all(&n.value, vector, 1.0)));
        let [db, dc] = [1, 2].map(|vector| pool.add(all(&n.slope, vector, 1.0 / stretch)));
        let pairs = [
            (a, a),
            (a, b),
            (a, c),
            (b, b),
            (b, c),
            (c, c),
            (db, a),
            (db, b),
            (db, c),
            (dc, a),
            (dc, b),
            (dc, c),
        ];
        let weight = w * stretch;
        points.push(section_point(&pairs, section, initial, weight));
        weights.push(weight);
        axes.push([b, c]);
    }
    // Gauss–Lobatto weights of the nodes.
    let shares: &[f64] = if nodes == 2 { &[1.0, 1.0] } else { &[1.0 / 3.0, 4.0 / 3.0, 1.0 / 3.0] };
    for (k, share) in shares.iter().enumerate() {
        let xi = 2.0 * k as f64 / (nodes - 1) as f64 - 1.0;
        let stretch = length_of(&tangent(reference, &shape(nodes, xi).slope[..nodes]))?;
        let [b, c] = [1, 2].map(|vector| pool.add([(VECTORS * k + vector, 1.0)]));
        points.push(shape_point(b, c, section, share * stretch * stiffening));
    }
    for x in reference.chunks_exact(VECTORS) {
        frame(&x[1], &x[2]).ok_or(SolidError::NoVolume { what: KIND })?;
    }
    let reader = Reader::Section { places: gauss_places(nodes - 1), weights, axes };
    Ok(SolidElement::new("beam", carried, reference, pool.0, points, reader))
}

fn length_of(tangent: &Vec3) -> Result<f64, SolidError> {
    let length = tangent.norm();
    if length.is_finite() && length > 0.0 { Ok(length) } else { Err(SolidError::NoVolume { what: KIND }) }
}

/// A point of the line with the strains Γ, K.
fn section_point(pairs: &[(usize, usize)], section: &Section, initial: &Vec6, weight: f64) -> Point {
    let table = |law: &poinsot_geometry::Mat6| (law * weight).transpose().as_slice().to_vec();
    let terms = pairs.iter().enumerate().map(|(form, &(p, q))| Term { form, factor: 1.0, p, q });
    Point {
        forms: pairs.len(),
        terms: terms.collect(),
        triples: vec![],
        map: StrainMap::Section,
        stiffness: table(&section.stiffness),
        viscosity: if section.viscosity.iter().all(|v| *v == 0.0) {
            vec![]
        } else {
            table(&section.viscosity)
        },
        reference: vec![0.0; 6],
        initial: (initial * weight).as_slice().to_vec(),
    }
}

/// A node with the strains E₁₁, E₂₂, 2E₁₂ of its section.
fn shape_point(b: usize, c: usize, section: &Section, weight: f64) -> Point {
    let diagonal = |law: &poinsot_geometry::Mat6| {
        let stiffness = [law[(2, 2)], law[(2, 2)], law[(0, 0)]];
        let mut table = vec![0.0; 9];
        (0..3).for_each(|k| table[4 * k] = stiffness[k] * weight);
        table
    };
    let viscosity = diagonal(&section.viscosity);
    Point {
        forms: 3,
        terms: vec![
            Term { form: 0, factor: 0.5, p: b, q: b },
            Term { form: 1, factor: 0.5, p: c, q: c },
            Term { form: 2, factor: 1.0, p: b, q: c },
        ],
        triples: vec![],
        map: StrainMap::Linear,
        stiffness: diagonal(&section.stiffness),
        viscosity: if viscosity.iter().all(|v| *v == 0.0) { vec![] } else { viscosity },
        reference: vec![0.0; 3],
        initial: vec![0.0; 3],
    }
}

/// The consistent mass, constant: M_ab = ∫N_a N_b ds × [m, s₁, s₂; s₁, M₁₁, M₁₂; s₂, M₁₂, M₂₂].
pub fn section_beam_mass(
    carried: &[Carried],
    reference: &[Vec3],
    mass: &SectionMass,
) -> Result<Inertia, SolidError> {
    count(KIND, carried.len(), reference, &[2 * VECTORS, 3 * VECTORS])?;
    let nodes = carried.len() / VECTORS;
    let rule = Quadrature::gauss_legendre(nodes + 2);
    let ([s1, s2], [m11, m22, m12]) = (mass.first, mass.second);
    let table = [[mass.mass, s1, s2], [s1, m11, m12], [s2, m12, m22]];
    let mut shared = vec![0.0; nodes * nodes];
    for (xi, w) in rule.points.iter().zip(&rule.weights) {
        let n = shape(nodes, *xi);
        let weight = w * length_of(&tangent(reference, &n.slope[..nodes]))?;
        shared
            .iter_mut()
            .enumerate()
            .for_each(|(k, s)| *s += weight * (n.value[k / nodes] * n.value[k % nodes]));
    }
    let coefficient =
        |i: usize, j: usize| shared[(i / VECTORS) * nodes + j / VECTORS] * table[i % VECTORS][j % VECTORS];
    Ok(Inertia::new(carried.to_vec(), coefficient))
}
