//! Drives: motions imposed as functions of time.

use super::{EndSpec, Frame};
use crate::diagnostic::Span;
use poinsot_expr::SmoothFunction;

/// An imposed motion.
#[derive(Clone, Debug)]
pub struct DriveSpec {
    /// Its name.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// What it is.
    pub kind: DriveKind,
}

/// The kinds of drives; laws are functions of `t`.
#[derive(Clone, Debug)]
pub enum DriveKind {
    /// A joint coordinate or its rate.
    Joint {
        /// Index into [`Model::joints`](crate::Model::joints).
        joint: usize,
        /// Index into the joint's [`coordinates`](crate::spec::JointType::coordinates).
        coordinate: usize,
        /// Coordinate or rate over time.
        law: SmoothFunction,
        /// Which of the two.
        level: DriveLevel,
    },
    /// The position of a point in a frame.
    Point {
        /// The point: origin of this end.
        on: EndSpec,
        /// The frame in whose axes, and from whose origin, the position is given.
        relative_to: EndSpec,
        /// Coordinates over time; `None` where the point is free. At least one is given.
        position: Box<[Option<SmoothFunction>; 3]>,
    },
    /// The angular velocity of a body.
    AngularVelocity {
        /// The body.
        on: EndSpec,
        /// Components over time.
        components: Box<[SmoothFunction; 3]>,
        /// Axes of the components: the world's, or those of the end.
        frame: Frame,
    },
}

/// What of a coordinate is imposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriveLevel {
    /// The coordinate.
    Position,
    /// Its rate.
    Rate,
}
