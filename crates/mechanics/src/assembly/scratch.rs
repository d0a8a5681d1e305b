//! Work arrays of the assembly.

use super::natural_force::NaturalForce;
use crate::assembly::strain::{StrainPoint, StrainRows};
use crate::element_buffers::{Blocks, Gradients, MAX_CARRIED, MAX_ROWS, MAX_UNKNOWNS};
use crate::element_groups::GroupScratch;
use crate::flexible::ShapeMotion;
use crate::mass::inertia::NaturalAcceleration;
use crate::nodes::chart::Twist;
use poinsot_geometry::Vec3;

/// Room for the unknowns of one element.
pub(crate) const MAX_LOCAL: usize = MAX_UNKNOWNS;

/// Work arrays of the assembly; make one and reuse it.
#[derive(Clone, Debug)]
pub struct Scratch {
    /// Twists of all nodes at the velocities loaded last.
    pub(crate) twists: Vec<Twist>,
    /// Generalised forces in natural coordinates of all nodes, while a residual is made.
    pub(crate) loads: Vec<NaturalForce>,
    /// Accelerations of all nodes, where inertia couples some.
    pub(crate) accelerations: Vec<NaturalAcceleration>,
    /// Of each group.
    pub(crate) groups: Vec<GroupScratch>,
    pub(crate) strain: Box<StrainPoint>,
    pub(super) strain_rows: StrainRows,
    pub(crate) x: [Vec3; MAX_CARRIED],
    pub(crate) xdot: [Vec3; MAX_CARRIED],
    pub(crate) f: [Vec3; MAX_CARRIED],
    pub(crate) p: [[Vec3; 6]; MAX_CARRIED],
    pub(crate) p_rate: [[Vec3; 6]; MAX_CARRIED],
    pub(crate) gradients: Gradients,
    pub(super) rate_gradients: Gradients,
    pub(crate) k: Blocks,
    pub(crate) c: Blocks,
    /// Of a flexible body.
    pub(crate) shapes: ShapeMotion,
    pub(crate) shape_forces: Vec<f64>,
    pub(crate) local: LocalMatrices,
    /// What an element will remember.
    pub(super) remembered: Vec<f64>,
    /// Arguments of a network.
    pub(crate) arguments: Vec<f64>,
    /// Values of functions of a network.
    pub(crate) values: Vec<f64>,
    /// Derivatives of functions of a network.
    pub(crate) partials: Vec<f64>,
}

impl Default for Scratch {
    fn default() -> Self {
        let zero = Vec3::zeros();
        Scratch {
            twists: Vec::new(),
            loads: Vec::new(),
            accelerations: Vec::new(),
            groups: Vec::new(),
            strain: Box::default(),
            strain_rows: StrainRows::new(MAX_LOCAL),
            x: [zero; MAX_CARRIED],
            xdot: [zero; MAX_CARRIED],
            f: [zero; MAX_CARRIED],
            p: [[zero; 6]; MAX_CARRIED],
            p_rate: [[zero; 6]; MAX_CARRIED],
            gradients: Gradients::default(),
            rate_gradients: Gradients::default(),
            k: Blocks::default(),
            c: Blocks::default(),
            shapes: ShapeMotion::default(),
            shape_forces: Vec::new(),
            local: LocalMatrices::default(),
            remembered: Vec::new(),
            arguments: Vec::new(),
            values: Vec::new(),
            partials: Vec::new(),
        }
    }
}

/// What one element adds to the step matrix, in its own unknowns.
#[derive(Clone, Debug)]
pub(crate) struct LocalMatrices {
    pub m: Box<LocalBlock>,
    pub k: Box<LocalBlock>,
    pub c: Box<LocalBlock>,
    /// Rows of a constraint.
    pub g: Box<LocalRows>,
}

impl Default for LocalMatrices {
    fn default() -> Self {
        LocalMatrices {
            m: zero_block(),
            k: zero_block(),
            c: zero_block(),
            g: Box::new([[0.0; MAX_LOCAL]; MAX_ROWS]),
        }
    }
}

/// A block of zeros, whose memory is not touched before it is used.
fn zero_block() -> Box<LocalBlock> {
    let rows = vec![[0.0; MAX_LOCAL]; MAX_LOCAL].into_boxed_slice();
    rows.try_into().expect("as many rows as the block has")
}

pub(crate) type LocalRows = [[f64; MAX_LOCAL]; MAX_ROWS];

pub(crate) type LocalBlock = [[f64; MAX_LOCAL]; MAX_LOCAL];
