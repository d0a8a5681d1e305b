//! A flexible body after its reduction: a few shapes, and the constant integrals of its inertia.
//!
//! ```text
//! r = R + A (X + Σ_k S_k(X) q_k)
//! m,  I₁ = ∫ρ X,  E = ∫ρ X Xᵀ,  S̄_k = ∫ρ S_k,  D_k = ∫ρ S_k Xᵀ,  P_kl = ∫ρ S_k S_lᵀ
//! ```
//! (floating-frame-and-ancf §1.9.1: I_kl, Ī_kl and S̄_kl are the components of E, D_k and P_kl.)

use crate::reduction::GeometricStiffness;
use crate::{ShapeStresses, Skin};
use nalgebra::DMatrix;
use poinsot_geometry::{Mat3, Vec3};
use serde::{Deserialize, Serialize};

/// Integrals of inertia of a body and its shapes, in body axes about the origin of the body frame.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct InertiaIntegrals {
    /// m (kg).
    pub mass: f64,
    /// I₁ = ∫ρ X.
    pub first_moment: Vec3,
    /// E = ∫ρ X Xᵀ.
    pub second_moment: Mat3,
    /// S̄_k = ∫ρ S_k, of each shape.
    pub mean: Vec<Vec3>,
    /// D_k = ∫ρ S_k Xᵀ, of each shape.
    pub moments: Vec<Mat3>,
    /// P_kl = ∫ρ S_k S_lᵀ at k n + l; P_lk = P_klᵀ.
    pub products: Vec<Mat3>,
}

impl InertiaIntegrals {
    /// Whether the kinetic energy of every motion, rigid and along the shapes, is positive.
    pub fn is_positive(&self) -> bool {
        let n = self.mean.len();
        let mass = self.mass_matrix();
        let sizes: Vec<f64> = (0..6 + n).map(|i| mass[(i, i)].abs().sqrt()).collect();
        let mass = DMatrix::from_fn(6 + n, 6 + n, |i, j| match sizes[i] * sizes[j] {
            0.0 => f64::from(u8::from(i == j)),
            size => mass[(i, j)] / size,
        });
        let negative = |i: usize| mass[(i, i)] < 0.0;
        !(0..6 + n).any(negative) && (mass + DMatrix::identity(6 + n, 6 + n) * 1e-12).cholesky().is_some()
    }
}

/// A point of the body at which other things hold it: it moves with the shapes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Interface {
    /// Name in the model.
    pub name: String,
    /// Where it is in the undeformed body (m).
    pub place: Vec3,
    /// Displacement in each shape.
    pub displacements: Vec<Vec3>,
    /// Small rotation in each shape.
    pub rotations: Vec<Vec3>,
}

/// Where a shape comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ShapeKind {
    /// A vibration with all interfaces held (Craig–Bampton), a free one, or one under reference conditions.
    Normal,
    /// What an interface does that moves alone while the others are held.
    Constraint,
    /// A combination of those above that is orthogonal to the others and free of rigid motion.
    Mixed,
    /// Given by the user.
    Given,
}

/// A flexible body with a few shapes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ReducedBody {
    /// Integrals of inertia.
    pub inertia: InertiaIntegrals,
    /// K of the shapes: q-forces are −K q.
    #[serde(with = "crate::kept_matrix")]
    pub stiffness: DMatrix<f64>,
    /// D of the shapes: q-forces are −D q̇.
    #[serde(with = "crate::kept_matrix")]
    pub damping: DMatrix<f64>,
    /// What each shape is.
    pub kinds: Vec<ShapeKind>,
    /// Interfaces.
    pub interfaces: Vec<Interface>,
    /// Places of the nodes of the full body (m).
    pub nodes: Vec<Vec3>,
    /// Displacements of the nodes in each shape: 3 rows for each node, a column for each shape.
    #[serde(with = "crate::kept_matrix")]
    pub shapes: DMatrix<f64>,
    /// What is seen of the full body.
    pub skin: Skin,
    /// Stresses of the shapes, where the full body is of solids or faces.
    pub stresses: Option<ShapeStresses>,
    /// Stiffness of stress, where it was computed.
    pub geometric: Option<GeometricStiffness>,
}

impl ReducedBody {
    /// Number of shapes.
    pub fn size(&self) -> usize {
        self.kinds.len()
    }
}
