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

impl FullBody {
    /// The same body in units of our own, where a unit of length is `length` m and one of mass `mass` kg. A
    /// rotation displaces by itself times a length.
    pub fn in_units(self, length: f64, mass: f64) -> Self {
        if length == 1.0 && mass == 1.0 {
            return self;
        }
        let FullBody { nodes, unknowns, mut mean, mut moments, .. } = self;
        let turn = |unknown: &Unknown| match unknown.component {
            Component::Translation(_) => 1.0,
            Component::Rotation(_) => length,
        };
        let factor: Vec<f64> = unknowns.iter().map(turn).collect();
        let scaled = |matrix: &SymmetricMatrix| {
            let entries = matrix.entries().map(|(i, j, value)| (i, j, mass * factor[i] * factor[j] * value));
            SymmetricMatrix::from_entries(matrix.size(), entries)
        };
        for (k, factor) in factor.iter().enumerate() {
            mean.column_mut(k).scale_mut(mass * factor);
            moments.column_mut(k).scale_mut(mass * length * factor);
        }
        let products = match self.products {
            MassProducts::Nodal(masses) => {
                let entries = masses.entries().map(|(i, j, value)| (i, j, mass * value));
                MassProducts::Nodal(SymmetricMatrix::from_entries(masses.size(), entries))
            }
            MassProducts::Pairs(pairs) => MassProducts::Pairs(
                pairs.into_iter().map(|(a, b, p)| (a, b, p * (mass * factor[a] * factor[b]))).collect(),
            ),
        };
        FullBody {
            nodes: nodes.into_iter().map(|place| place * length).collect(),
            stiffness: scaled(&self.stiffness),
            mass: scaled(&self.mass),
            total_mass: mass * self.total_mass,
            first_moment: self.first_moment * (mass * length),
            second_moment: self.second_moment * (mass * length * length),
            unknowns,
            mean,
            moments,
            products,
            skin: self.skin,
        }
    }

    /// The same body with the unknowns alone that keep the plane normal to an axis.
    pub fn in_plane(self, normal: usize) -> Self {
        let stays = |unknown: &Unknown| match unknown.component {
            Component::Translation(axis) => axis != normal,
            Component::Rotation(axis) => axis == normal,
        };
        let mut new = vec![None; self.unknowns.len()];
        let mut kept = vec![];
        for (a, _) in self.unknowns.iter().enumerate().filter(|(_, unknown)| stays(unknown)) {
            new[a] = Some(kept.len());
            kept.push(a);
        }
        let cut = |matrix: &SymmetricMatrix| {
            let entries: Vec<_> =
                matrix.entries().filter_map(|(i, j, value)| Some((new[i]?, new[j]?, value))).collect();
            SymmetricMatrix::from_entries(kept.len(), entries.iter().copied())
        };
        let products = match self.products {
            MassProducts::Nodal(masses) => MassProducts::Nodal(masses),
            MassProducts::Pairs(pairs) => MassProducts::Pairs(
                pairs.into_iter().filter_map(|(a, b, p)| Some((new[a]?, new[b]?, p))).collect(),
            ),
        };
        FullBody {
            unknowns: kept.iter().map(|&a| self.unknowns[a]).collect(),
            stiffness: cut(&self.stiffness),
            mass: cut(&self.mass),
            mean: self.mean.select_columns(&kept),
            moments: self.moments.select_columns(&kept),
            products,
            ..self
        }
    }
}
