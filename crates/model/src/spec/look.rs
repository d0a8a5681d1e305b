//! What things look like.

use poinsot_geometry::Pose;
use poinsot_mechanics::mass_properties::{Axis, Shape};
use std::fmt;

/// A colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Color(
    /// Red, green and blue.
    pub [u8; 3],
);

impl fmt::Display for Color {
    /// As `#rrggbb`.
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let [r, g, b] = self.0;
        write!(f, "#{r:02x}{g:02x}{b:02x}")
    }
}

/// A solid to look at.
#[derive(Clone, Debug, PartialEq)]
pub struct LookSpec {
    /// The solid.
    pub solid: LookSolid,
    /// Its pose in the axes of what carries it.
    pub pose: Pose,
    /// Its colour.
    pub color: Option<Color>,
}

/// The geometry of a look.
#[derive(Clone, Debug, PartialEq)]
pub enum LookSolid {
    /// A shape that could have a mass, too; a mesh need not be closed here.
    Shape(Shape),
    /// A cylinder with round ends, about its middle.
    Capsule {
        /// Radius (m).
        radius: f64,
        /// Length between the centres of its ends (m).
        length: f64,
        /// Its axis.
        axis: Axis,
    },
}

/// What a body or the ground looks like.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct BodyLook {
    /// The solids that are given, none to hide it; `None` if its look follows from its mass and its joints.
    pub solids: Option<Vec<LookSpec>>,
    /// Colour of what has none of its own.
    pub color: Option<Color>,
}

/// What a beam looks like.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct BeamLook {
    /// Its colour.
    pub color: Option<Color>,
    /// Closed polygon of the section in its axes 1 and 2 (m); a hollow one is cut open along a seam. Empty if
    /// only the stiffness is known.
    pub outline: Vec<[f64; 2]>,
}

/// What the things of a model look like.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Looks {
    /// The rigid bodies and points of the file, in their order.
    pub bodies: Vec<BodyLook>,
    /// The beams.
    pub beams: Vec<BeamLook>,
    /// What stands on the ground.
    pub ground: BodyLook,
}
