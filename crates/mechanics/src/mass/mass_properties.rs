//! Mass, centre of mass and inertia of a rigid body.
//!
//! Two tensors describe the same distribution of mass. With ρ the position relative to a point,
//! the Euler tensor is E = ∫ρρᵀdm and the inertia tensor J = ∫(|ρ|²I − ρρᵀ)dm, so that
//!
//! ```text
//! J = tr(E) I − E,    E = ½tr(J) I − J.
//! ```
//!
//! A mass distribution exists for J exactly when E has no negative eigenvalue, which is the triangle
//! inequality J₁ + J₂ ≥ J₃ of the principal moments. The Euler tensor is the mass matrix of the
//! directors (energy-momentum-null-space I-32).

use poinsot_geometry::{Mat3, Vec3};
use thiserror::Error;

pub use crate::mass::shape::{Axis, Shape};
pub use crate::mass::triangle_mesh::TriangleMesh;

/// Relative tolerance of the symmetry and of the triangle inequality.
const TOLERANCE: f64 = 1e-9;

/// A principal moment below this fraction of the largest one is rounding, not inertia.
pub(crate) const ROUNDING: f64 = 1e-14;

/// Why mass properties could not be computed or cannot belong to a rigid body.
#[derive(Debug, Error)]
pub enum MassError {
    /// A number is infinite or not a number.
    #[error("the {quantity} is not finite")]
    NotFinite {
        /// What it is.
        quantity: &'static str,
    },
    /// The mass is zero or negative.
    #[error("the mass must be positive, it is {mass:e}")]
    NonPositiveMass {
        /// The mass (kg).
        mass: f64,
    },
    /// The inertia tensor differs from its transpose.
    #[error("the inertia tensor is not symmetric: J{row}{column} = {upper:e} but J{column}{row} = {lower:e}")]
    NotSymmetric {
        /// Row of the first element, from 1.
        row: usize,
        /// Column of the first element, from 1.
        column: usize,
        /// Element (row, column).
        upper: f64,
        /// Element (column, row).
        lower: f64,
    },
    /// The inertia tensor is zero, as for a point mass.
    #[error("the inertia tensor is zero: that is a point mass, not a rigid body")]
    ZeroInertia,
    /// A principal moment is zero or negative.
    #[error(
        "the inertia tensor is not positive definite: principal moments {:e}, {:e}, {:e} \
         (a line of mass has no inertia about itself; give it a radius)",
        .principal[0], .principal[1], .principal[2]
    )]
    NotPositiveDefinite {
        /// Principal moments about the centre of mass, ascending.
        principal: [f64; 3],
    },
    /// The largest principal moment exceeds the sum of the other two.
    #[error(
        "no mass distribution has the principal moments {:e}, {:e}, {:e}: \
         the largest exceeds the sum of the other two by {excess:e} \
         (was the inertia given about the centre of mass?)",
        .principal[0], .principal[1], .principal[2]
    )]
    TriangleInequality {
        /// Principal moments about the centre of mass, ascending.
        principal: [f64; 3],
        /// J₃ − J₁ − J₂.
        excess: f64,
    },
    /// The density is zero, negative or not finite.
    #[error("the density must be positive and finite, it is {density:e}")]
    Density {
        /// The density (kg/m³).
        density: f64,
    },
    /// A length of a shape is zero, negative or not finite.
    #[error("the {name} of the {shape} must be positive and finite, it is {value:e}")]
    Dimension {
        /// The kind of shape.
        shape: &'static str,
        /// The length in question.
        name: &'static str,
        /// Its value (m).
        value: f64,
    },
    /// The bore of a hollow cylinder is negative or leaves no wall.
    #[error(
        "the inner radius of the hollow cylinder must lie between zero and the outer radius: \
         inner {inner:e}, outer {outer:e}"
    )]
    Wall {
        /// Inner radius (m).
        inner: f64,
        /// Outer radius (m).
        outer: f64,
    },
    /// The shape encloses no volume.
    #[error("the {shape} is flat: its volume is {volume:e} over an extent of {extent:e}")]
    Flat {
        /// The kind of shape.
        shape: &'static str,
        /// Volume (m³).
        volume: f64,
        /// Largest distance the volume is measured against (m).
        extent: f64,
    },
    /// The mesh has no triangles.
    #[error("the mesh has no triangles")]
    EmptyMesh,
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} names vertex {vertex}, but the mesh has {count} vertices")]
    NoSuchVertex {
        /// Index of the triangle, from 0.
        triangle: usize,
        /// The vertex index it names.
        vertex: usize,
        /// Number of vertices.
        count: usize,
    },
    /// Some edges have a triangle on one side only.
    #[error("the mesh is not closed: {open} of its {edges} edges are open (one triangle instead of two)")]
    OpenMesh {
        /// Number of edges with one triangle.
        open: usize,
        /// Number of edges.
        edges: usize,
    },
    /// Some edges belong to more than two triangles.
    #[error("{branched} of the {edges} edges of the mesh are shared by more than two triangles")]
    BranchedMesh {
        /// Number of edges with more than two triangles.
        branched: usize,
        /// Number of edges.
        edges: usize,
    },
    /// Neighbouring triangles disagree about which side is outside.
    #[error(
        "the triangles of the mesh are not oriented alike: \
         {clashing} of its {edges} edges are passed twice in the same direction"
    )]
    MixedOrientation {
        /// Number of edges passed twice in the same direction.
        clashing: usize,
        /// Number of edges.
        edges: usize,
    },
}

/// Mass, centre of mass and inertia of a body, expressed in some frame.
#[derive(Clone, Debug, PartialEq)]
pub struct MassProperties {
    /// Mass (kg).
    pub mass: f64,
    /// Centre of mass in the frame (m).
    pub centre: Vec3,
    /// Inertia tensor about the centre of mass, in the axes of the frame (kg m²).
    pub inertia: Mat3,
}

impl MassProperties {
    /// Mass properties from the inertia about the centre of mass.
    pub fn new(mass: f64, centre: Vec3, inertia_about_centre: Mat3) -> Self {
        MassProperties { mass, centre, inertia: inertia_about_centre }
    }

    /// A point mass: no inertia of its own.
    pub fn point(mass: f64, position: Vec3) -> Self {
        MassProperties::new(mass, position, Mat3::zeros())
    }

    /// Mass properties from the inertia about the origin of the frame: J_c = J_o − m(|c|²I − ccᵀ).
    pub fn from_reference(mass: f64, centre: Vec3, inertia_about_reference_point: Mat3) -> Self {
        let inertia = inertia_about_reference_point - mass * inertia_of(&dyad(&centre));
        MassProperties::new(mass, centre, inertia)
    }

    /// Inertia about a point of the frame: J_p = J_c + m(|d|²I − ddᵀ) with d = c − p.
    pub fn inertia_about(&self, point: Vec3) -> Mat3 {
        self.inertia + self.mass * inertia_of(&dyad(&(self.centre - point)))
    }

    /// The same body seen from a parent frame x' = R x + t: c' = R c + t, J' = R J Rᵀ.
    pub fn moved(&self, rotation: &Mat3, translation: &Vec3) -> MassProperties {
        MassProperties {
            mass: self.mass,
            centre: rotation * self.centre + translation,
            inertia: rotation * self.inertia * rotation.transpose(),
        }
    }

    /// The rigid union of several bodies given in one frame.
    ///
    /// A part of negative mass and inertia is a hole. Where the total mass is zero there is no
    /// centre of mass, and the sum is taken about the origin; [`check`](Self::check) rejects it.
    pub fn sum(parts: &[MassProperties]) -> MassProperties {
        let mass: f64 = parts.iter().map(|part| part.mass).sum();
        let first: Vec3 = parts.iter().map(|part| part.mass * part.centre).sum();
        let centre = if mass == 0.0 { Vec3::zeros() } else { first / mass };
        let inertia = parts.iter().map(|part| part.inertia_about(centre)).sum();
        MassProperties::new(mass, centre, inertia)
    }

    /// The same distribution with another total mass: J scales with m.
    pub fn scaled_to_mass(&self, mass: f64) -> Result<MassProperties, MassError> {
        positive_mass(mass)?;
        positive_mass(self.mass)?;
        let inertia = self.inertia * (mass / self.mass);
        Ok(MassProperties::new(mass, self.centre, inertia))
    }

    /// Euler tensor ∫ρρᵀdm about the origin of the frame: E = ½tr(J_o)I − J_o = E_c + m ccᵀ.
    pub fn euler_tensor(&self) -> Mat3 {
        let trace = self.inertia.trace();
        Mat3::from_diagonal_element(0.5 * trace) - self.inertia + self.mass * dyad(&self.centre)
    }

    /// Principal moments about the centre of mass, ascending; NaN for an inertia that is not finite.
    pub fn principal_moments(&self) -> [f64; 3] {
        if self.inertia.iter().any(|element| !element.is_finite()) {
            return [f64::NAN; 3];
        }
        let scale = self.inertia.amax();
        if scale == 0.0 {
            return [0.0; 3];
        }
        let unit = self.inertia / scale;
        let symmetric = (unit + unit.transpose()) / 2.0;
        let eigenvalues = symmetric.symmetric_eigenvalues() * scale;
        let mut principal = [eigenvalues[0], eigenvalues[1], eigenvalues[2]];
        principal.sort_by(f64::total_cmp);
        principal
    }

    /// Whether a rigid body can have these properties.
    ///
    /// Mass and all principal moments must be positive and J₃ ≤ J₁ + J₂ to a relative 1e-9. The
    /// equality is allowed: mass in a plane, one principal Euler moment zero. A thin rod passes as
    /// long as it has some inertia about its axis.
    pub fn check(&self) -> Result<(), MassError> {
        positive_mass(self.mass)?;
        all_finite("centre of mass", self.centre.as_slice())?;
        all_finite("inertia tensor", self.inertia.as_slice())?;
        let scale = self.inertia.amax();
        if scale == 0.0 {
            return Err(MassError::ZeroInertia);
        }
        self.check_symmetry(TOLERANCE * scale)?;
        let principal = self.principal_moments();
        if principal[0] <= ROUNDING * scale {
            return Err(MassError::NotPositiveDefinite { principal });
        }
        let excess = principal[2] - principal[0] - principal[1];
        if excess > TOLERANCE * principal[2] {
            return Err(MassError::TriangleInequality { principal, excess });
        }
        Ok(())
    }

    fn check_symmetry(&self, tolerance: f64) -> Result<(), MassError> {
        for (i, j) in [(0, 1), (0, 2), (1, 2)] {
            let (upper, lower) = (self.inertia[(i, j)], self.inertia[(j, i)]);
            if (upper - lower).abs() > tolerance {
                let (row, column) = (i + 1, j + 1);
                return Err(MassError::NotSymmetric { row, column, upper, lower });
            }
        }
        Ok(())
    }
}

/// xxᵀ.
pub(crate) fn dyad(x: &Vec3) -> Mat3 {
    x * x.transpose()
}

/// Inertia tensor of an Euler tensor: J = tr(E)I − E.
pub(crate) fn inertia_of(euler: &Mat3) -> Mat3 {
    Mat3::from_diagonal_element(euler.trace()) - euler
}

pub(crate) fn positive_mass(mass: f64) -> Result<(), MassError> {
    all_finite("mass", &[mass])?;
    if mass > 0.0 { Ok(()) } else { Err(MassError::NonPositiveMass { mass }) }
}

pub(crate) fn all_finite(quantity: &'static str, values: &[f64]) -> Result<(), MassError> {
    if values.iter().all(|value| value.is_finite()) { Ok(()) } else { Err(MassError::NotFinite { quantity }) }
}
