//! What is asked of a reduction.

use crate::Unknown;
use nalgebra::DMatrix;
use poinsot_geometry::Vec3;

/// How the nodes of an interface follow it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterfaceKind {
    /// They move with it as on a rigid body (RBE2).
    Rigid,
    /// It moves as they do in the mean, by least squares with weights (RBE3): they stay free to deform.
    Mean,
}

/// A point of the body that other things hold.
#[derive(Clone, Debug, PartialEq)]
pub struct InterfaceRequest {
    /// Name.
    pub name: String,
    /// Nodes that it stands for.
    pub nodes: Vec<usize>,
    /// Weights of the nodes; all equal if there are none.
    pub weights: Vec<f64>,
    /// Where it is (m); the weighted mean of its nodes if that is not said.
    pub place: Option<Vec3>,
    /// How its nodes follow.
    pub kind: InterfaceKind,
}

impl InterfaceRequest {
    /// A rigid interface at the mean of its nodes.
    pub fn rigid(name: &str, nodes: &[usize]) -> Self {
        let kind = InterfaceKind::Rigid;
        InterfaceRequest { name: name.into(), nodes: nodes.to_vec(), weights: vec![], place: None, kind }
    }

    /// An interface that moves as the mean of its nodes, all of equal weight.
    pub fn mean(name: &str, nodes: &[usize]) -> Self {
        InterfaceRequest { kind: InterfaceKind::Mean, ..Self::rigid(name, nodes) }
    }
}

/// How many modes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ModeChoice {
    /// So many.
    Count(usize),
    /// All below a frequency (Hz).
    UpTo(f64),
    /// All there are.
    All,
}

/// The shapes of a reduced body.
#[derive(Clone, Debug, PartialEq)]
pub enum Method {
    /// What each interface does alone, and vibrations with all interfaces held. No modes: Guyan's.
    CraigBampton(ModeChoice),
    /// Vibrations of the free body, and `corrections` blocks of static answers to loads at the interfaces:
    /// K⁺F, K⁺MK⁺F, … with inertia in balance.
    Free {
        /// Which vibrations.
        modes: ModeChoice,
        /// Number of blocks.
        corrections: usize,
    },
    /// Vibrations under the reference conditions, and blocks of static answers as above.
    Supported {
        /// Which vibrations.
        modes: ModeChoice,
        /// Number of blocks.
        corrections: usize,
    },
    /// Shapes given as columns, a row for each unknown of the full body.
    Given(DMatrix<f64>),
}

/// What keeps the body frame from moving against the body.
#[derive(Clone, Debug, PartialEq)]
pub enum Reference {
    /// No shape moves the mass centre or has angular momentum: the mean axes of Tisserand.
    MeanAxis,
    /// The first interface is held.
    FirstInterface,
    /// The named interface is held.
    Interface(String),
    /// Unknowns that are held, as those of a simply supported beam.
    Held(Vec<Unknown>),
}

/// Damping of the shapes.
#[derive(Clone, Debug, PartialEq)]
pub enum Damping {
    /// None.
    None,
    /// A ratio to critical damping, the same of each vibration.
    Ratio(f64),
    /// A ratio for each vibration, lowest first.
    Ratios(Vec<f64>),
    /// D = a M + b K.
    Rayleigh {
        /// a (1/s).
        mass: f64,
        /// b (s).
        stiffness: f64,
    },
    /// D of the full body is not known to us: D of the shapes.
    Given(DMatrix<f64>),
}

/// What is asked of a reduction.
#[derive(Clone, Debug, PartialEq)]
pub struct Reduction {
    /// Points that other things hold.
    pub interfaces: Vec<InterfaceRequest>,
    /// The shapes.
    pub method: Method,
    /// What keeps the frame with the body.
    pub reference: Reference,
    /// Damping.
    pub damping: Damping,
    /// Vibrations of the full body that those of the reduced one are compared with; each comparison, free and
    /// held, costs a factorisation.
    pub compare: usize,
}
