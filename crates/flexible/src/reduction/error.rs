//! Why a body cannot be reduced, in words that name the cause.

use poinsot_numerics::dense::DenseError;
use poinsot_numerics::krylov::KrylovError;
use thiserror::Error;

/// Why a body cannot be reduced. Nodes are numbers in the list of the body, from 0.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ReductionError {
    /// Sizes of the lists of the body do not fit together, or a number is not finite.
    #[error("the body is not consistent: {0}")]
    Body(String),
    /// Parts that nothing joins.
    #[error(
        "the body falls into {parts} parts: nothing joins node {first} and node {second}; join their nodes, or \
         make a body of each part"
    )]
    Disconnected {
        /// Number of parts.
        parts: usize,
        /// A node of the first part.
        first: usize,
        /// A node of another part.
        second: usize,
    },
    /// A rigid motion costs energy.
    #[error(
        "the stiffness matrix is not that of a free body: {motion} costs energy (residual {residual:.1e}); give \
         the matrices without supports"
    )]
    NotFree {
        /// The motion in words.
        motion: &'static str,
        /// |K r| against |K| |r|.
        residual: f64,
    },
    /// More motions without strain than those of a rigid body.
    #[error(
        "the body can deform without strain, most at node {node}: beside its {rigid} rigid motions K has a further \
         zero mode; a hinge, a loose node or an element without stiffness is in it"
    )]
    Mechanism {
        /// The node that moves most.
        node: usize,
        /// Number of rigid motions.
        rigid: usize,
    },
    /// The mass of the matrix is not that of the integrals.
    #[error("the mass matrix moves {matrix} kg along {axis}, the integrals of the body hold {integral} kg")]
    Mass {
        /// x, y or z.
        axis: char,
        /// rᵀ M r (kg).
        matrix: f64,
        /// ∫ρ (kg).
        integral: f64,
    },
    /// An interface names a node that does not exist, or none.
    #[error("interface `{interface}`: {problem}")]
    Interface {
        /// Name of the interface.
        interface: String,
        /// What is wrong with it.
        problem: String,
    },
    /// One node that cannot rotate.
    #[error(
        "interface `{interface}` has one node, {node}, which has no rotation: take three nodes or more that do not \
         lie on a line"
    )]
    OneNode {
        /// Name of the interface.
        interface: String,
        /// The node.
        node: usize,
    },
    /// Nodes on a line, about which they do not rotate.
    #[error(
        "interface `{interface}`: its {nodes} nodes lie on a line, so that a rotation about it moves none of them; \
         add a node beside the line"
    )]
    Collinear {
        /// Name of the interface.
        interface: String,
        /// Number of its nodes.
        nodes: usize,
    },
    /// A node of two interfaces.
    #[error("interfaces `{first}` and `{second}` share node {node}: a node can follow one of them only")]
    SharedNode {
        /// Name of an interface.
        first: String,
        /// Name of the other.
        second: String,
        /// The node.
        node: usize,
    },
    /// More modes than there are.
    #[error("{asked} modes are asked for, {available} there are")]
    TooManyModes {
        /// Number asked for.
        asked: usize,
        /// Number that exists.
        available: usize,
    },
    /// The eigenvalue count does not agree with the modes found.
    #[error("{found} modes lie below {frequency:.6e} Hz by search, {counted} by count of negative pivots")]
    MissedModes {
        /// Number of modes found.
        found: usize,
        /// Number by inertia.
        counted: usize,
        /// Frequency of the count (Hz).
        frequency: f64,
    },
    /// A mode with a residual above the limit.
    #[error("mode {mode} has a residual of {residual:.1e} against {limit:.1e}")]
    Inaccurate {
        /// Number of the mode, from 1.
        mode: usize,
        /// |K φ − ω² M φ| against |K φ|.
        residual: f64,
        /// The limit.
        limit: f64,
    },
    /// The reference does not hold the body.
    #[error("{reference} leaves a rigid motion free: {held} of {rigid} are held")]
    Reference {
        /// The reference in words.
        reference: String,
        /// Independent rigid motions that it holds.
        held: usize,
        /// Rigid motions of the body.
        rigid: usize,
    },
    /// Shapes, ratios or matrices that were given do not fit.
    #[error("{0}")]
    Given(String),
    /// The factors do not fit in memory.
    #[error("the factors of {unknowns} unknowns do not fit in memory")]
    Memory {
        /// Number of unknowns.
        unknowns: usize,
    },
    /// The search for modes failed.
    #[error("modes: {0}")]
    Krylov(#[from] KrylovError),
    /// A small dense problem failed.
    #[error("reduced matrices: {0}")]
    Dense(#[from] DenseError),
}

impl ReductionError {
    /// The same with nodes by the labels of their file.
    pub fn with_labels(self, label: impl Fn(usize) -> usize) -> Self {
        match self {
            ReductionError::Disconnected { parts, first, second } => {
                ReductionError::Disconnected { parts, first: label(first), second: label(second) }
            }
            ReductionError::Mechanism { node, rigid } => {
                ReductionError::Mechanism { node: label(node), rigid }
            }
            ReductionError::OneNode { interface, node } => {
                ReductionError::OneNode { interface, node: label(node) }
            }
            ReductionError::SharedNode { first, second, node } => {
                ReductionError::SharedNode { first, second, node: label(node) }
            }
            other => other,
        }
    }

    /// The interface that it is about, the last where it is about two.
    pub fn interface(&self) -> Option<&str> {
        match self {
            ReductionError::Interface { interface, .. }
            | ReductionError::OneNode { interface, .. }
            | ReductionError::Collinear { interface, .. }
            | ReductionError::SharedNode { second: interface, .. } => Some(interface),
            _ => None,
        }
    }
}
