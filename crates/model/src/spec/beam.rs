//! Beams with everything evaluated.

use crate::diagnostic::Span;
use crate::quantity::BeamPlace;
use crate::spec::LawSpec;
use poinsot_expr::Function;
use poinsot_geometry::{Mat3, Pose, Vec3};
use poinsot_mechanics::Frame;
use poinsot_mechanics::ancf::CableDesign;
use poinsot_mechanics::beams::{Corner, Formulation, LoadAxes, MassModel, Section};
use std::ops::Range;

/// A beam.
#[derive(Clone, Debug)]
pub struct BeamSpec {
    /// Its name.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// Its nodes: indices into [`Model::bodies`](super::Model::bodies).
    pub nodes: Range<usize>,
    /// Corners, where the axes of the next element are turned against those of the node.
    pub corners: Vec<Corner>,
    /// Order of the elements.
    pub order: usize,
    /// What they interpolate.
    pub theory: BeamTheory,
    /// The cross-section, with viscosity.
    pub section: Section,
    /// Where the mass goes.
    pub mass: MassModel,
    /// Damping proportional to the mass (1/s).
    pub mass_damping: f64,
    /// Load per length as functions of `t` and `s`.
    pub load: Option<[Function; 3]>,
    /// Load per length that reads the state: the names of its section stand in it as they are.
    pub load_law: Option<[LawSpec; 3]>,
    /// Moment per length, likewise.
    pub moment: Option<[Function; 3]>,
    /// Moment per length that reads the state, likewise.
    pub moment_law: Option<[LawSpec; 3]>,
    /// Axes of both.
    pub load_axes: LoadAxes,
    /// Places that are recorded as the shape of the beam: arc length and section.
    pub shape: Vec<(f64, BeamPlace)>,
}

/// What the elements of a beam interpolate.
#[derive(Clone, Debug)]
pub enum BeamTheory {
    /// Lines with section axes.
    Sections(Formulation),
    /// Lines with slopes.
    Slopes(Box<CableSpec>),
    /// Lines with slopes across, the axes of sections.
    SectionSlopes {
        /// Factor of the stiffness of sections against a change of their shape.
        stiffening: f64,
        /// Tension in the reference (N).
        tension: f64,
    },
}

/// A line by places and slopes.
#[derive(Clone, Debug)]
pub struct CableSpec {
    /// Stiffness, measure of strain, plane.
    pub design: CableDesign,
    /// Places and axes of the nodes in the reference, third axis along it.
    pub reference: Vec<Frame>,
    /// Arc length at the ends of the elements.
    pub bounds: Vec<f64>,
}

/// A node of a line with slopes.
#[derive(Clone, Debug, PartialEq)]
pub struct CableNodeSpec {
    /// Pose and velocities at the start.
    pub node: BeamNodeSpec,
    /// Whether a frame is tied to it, which joints, forces and markers hold; else it is a point.
    pub is_framed: bool,
    /// Axes of the piece that starts at a corner here, in those of the node.
    pub turn: Option<Mat3>,
    /// Whether its slopes are the axes of a section, not the direction of the line.
    pub sections: bool,
}

impl BeamSpec {
    /// Number of elements.
    pub fn elements(&self) -> usize {
        (self.nodes.len() - 1) / self.order
    }
}

/// A node of a beam, or a frame of a flexible body: a frame without a mass of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct BeamNodeSpec {
    /// Pose at the start, z along the line: there the beam is free of stress.
    pub pose: Pose,
    /// Velocity at the start.
    pub velocity: Vec3,
    /// Angular velocity at the start, world axes.
    pub angular_velocity: Vec3,
}
