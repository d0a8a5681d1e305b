//! A flexible body before its reduction: unknowns, matrices and products of inertia.
//!
//! ```text
//! u(X) = Σ_a S_a(X) e_a          displacement field of the unknowns e, in body axes
//! M_ab = ∫ρ S_a·S_b,   K_ab = ∫ (D S_a)ᵀ E (D S_b)
//! ```
//! Beside M the floating frame asks for the products of the components, ∫ρ S_a S_bᵀ and ∫ρ S_a Xᵀ.

use crate::Skin;
use nalgebra::DMatrix;
use poinsot_geometry::{Mat3, Vec3};
use poinsot_numerics::SymmetricMatrix;

/// What an unknown of a node is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Component {
    /// Displacement along a body axis, 0 to 2.
    Translation(usize),
    /// Small rotation about a body axis, 0 to 2.
    Rotation(usize),
}

/// An unknown: a component of the motion of a node.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unknown {
    /// The node.
    pub node: usize,
    /// Which component of its motion.
    pub component: Component,
}

/// Products of inertia of displacement fields.
#[derive(Clone, Debug)]
pub enum MassProducts {
    /// Mass m_ab between nodes that holds for each component of their displacements: of elements that
    /// interpolate all components alike, as solids do, and of lumped masses. Rotations have none.
    Nodal(SymmetricMatrix),
    /// ∫ρ S_a S_bᵀ of pairs of unknowns (a, b) with a ≤ b; that of (b, a) is the transpose.
    Pairs(Vec<(usize, usize, Mat3)>),
}

/// A flexible body of finite elements, or of matrices from elsewhere. Its matrices are those of the free
/// body: without supports.
#[derive(Clone, Debug)]
pub struct FullBody {
    /// Places of the nodes, body axes (m).
    pub nodes: Vec<Vec3>,
    /// The unknowns, in the order of the matrices.
    pub unknowns: Vec<Unknown>,
    /// K.
    pub stiffness: SymmetricMatrix,
    /// M.
    pub mass: SymmetricMatrix,
    /// ∫ρ (kg).
    pub total_mass: f64,
    /// ∫ρ X.
    pub first_moment: Vec3,
    /// ∫ρ X Xᵀ.
    pub second_moment: Mat3,
    /// ∫ρ S_a: a column of three for each unknown.
    pub mean: DMatrix<f64>,
    /// ∫ρ S_a Xᵀ: a column of nine for each unknown, the 3 × 3 matrix column by column.
    pub moments: DMatrix<f64>,
    /// ∫ρ S_a S_bᵀ.
    pub products: MassProducts,
    /// What is seen of it.
    pub skin: Skin,
}
