//! Bodies whose shapes are functions of the place, given by their integrals (floating-frame-and-ancf 5.1 …
//! 5.3).

use super::damping::damping_matrix;
use super::{Damping, ReductionError, small};
use crate::{InertiaIntegrals, Interface, ReducedBody, ShapeKind, Skin};
use nalgebra::DMatrix;
use poinsot_geometry::Vec3;

/// A body of shape functions.
#[derive(Clone, Debug)]
pub struct RitzBody {
    /// Integrals of inertia of the body and its shapes.
    pub inertia: InertiaIntegrals,
    /// K of the shapes.
    pub stiffness: DMatrix<f64>,
    /// Points that other things hold, with what they do in each shape.
    pub interfaces: Vec<Interface>,
    /// Points to draw.
    pub nodes: Vec<Vec3>,
    /// Displacements of these points in each shape: 3 rows for each.
    pub shapes: DMatrix<f64>,
    /// Damping.
    pub damping: Damping,
}

/// The body with its coordinates as they are given; checks that they are of a body without rigid motion.
pub fn ritz_body(given: RitzBody) -> Result<ReducedBody, ReductionError> {
    let n = given.inertia.size();
    check_sizes(&given, n)?;
    let mass = given.inertia.shape_mass();
    check_mass(&given.inertia, &mass)?;
    if (&given.stiffness - given.stiffness.transpose()).amax() > 1e-9 * given.stiffness.amax() {
        return wrong("the stiffness matrix is not symmetric");
    }
    let stiffness = small::symmetric_part(&given.stiffness);
    let (squares, _) = small::eigen(&stiffness, &mass).map_err(|_| {
        ReductionError::Given("the shapes are dependent: their mass matrix is not positive".into())
    })?;
    let largest = squares.last().copied().unwrap_or(0.0);
    if squares.iter().any(|square| square.is_nan() || *square <= 1e-14 * largest) {
        return wrong("a combination of the shapes has no stiffness: they contain a rigid motion");
    }
    Ok(ReducedBody {
        damping: damping_matrix(&given.damping, &stiffness, &mass)?,
        inertia: given.inertia,
        stiffness,
        kinds: vec![ShapeKind::Given; n],
        interfaces: given.interfaces,
        nodes: given.nodes,
        shapes: given.shapes,
        skin: Skin::default(),
        stresses: None,
        geometric: None,
    })
}

fn wrong<T>(words: &str) -> Result<T, ReductionError> {
    Err(ReductionError::Given(words.into()))
}

fn check_sizes(given: &RitzBody, n: usize) -> Result<(), ReductionError> {
    let inertia = &given.inertia;
    if inertia.moments.len() != n || inertia.products.len() != n * n || given.stiffness.shape() != (n, n) {
        return wrong("the integrals and the stiffness matrix are of different numbers of shapes");
    }
    if given.shapes.shape() != (3 * given.nodes.len(), n) {
        return wrong("the points to draw do not have three rows each and a column for each shape");
    }
    let fits = |interface: &Interface| interface.displacements.len() == n && interface.rotations.len() == n;
    if !given.interfaces.iter().all(fits) {
        return wrong("an interface does not have a displacement and a rotation for each shape");
    }
    let finite = given.stiffness.iter().chain(given.shapes.iter()).all(|value| value.is_finite())
        && inertia.mean.iter().all(|value| value.iter().all(|x| x.is_finite()))
        && inertia.moments.iter().chain(&inertia.products).all(|value| value.iter().all(|x| x.is_finite()));
    if finite { Ok(()) } else { wrong("a number of the body is not finite") }
}

/// ∫ρ [1, X, S]ᵀ [1, X, S] is not negative, and P_lk = P_klᵀ.
fn check_mass(inertia: &InertiaIntegrals, mass: &DMatrix<f64>) -> Result<(), ReductionError> {
    let n = inertia.size();
    let size = mass.amax();
    for k in 0..n {
        for l in 0..n {
            let twin = inertia.products[l * n + k].transpose();
            if (inertia.products[k * n + l] - twin).amax() > 1e-9 * size {
                return wrong("the products of inertia P_kl and P_lk are not transposes of each other");
            }
        }
    }
    if !(inertia.mass > 0.0 && inertia.mass.is_finite()) {
        return wrong("the mass is not positive");
    }
    let c = inertia.first_moment / inertia.mass;
    let central = inertia.second_moment - c * c.transpose() * inertia.mass;
    if central.symmetric_eigenvalues().min() < -1e-9 * inertia.second_moment.amax() {
        return wrong("the second moment of mass is impossible: negative about the mass centre");
    }
    Ok(())
}
