//! The tables of flexible bodies.

use super::{OrientationTable, Triple};
use crate::read::{record, tagged};
use crate::value::{List, Located, Number, Text};

record! {
    /// A body that deforms a little: a floating frame, and shapes that deform what it carries. Other things
    /// hold it by its interfaces, `name.interface`, which are used like bodies. It offers `name.mode1`,
    /// `name.mode1_rate`, …: how far it is deformed along each shape.
    pub struct FlexibleTable "flexible body" {
        /// Name, unique among all things of the model.
        name: Text,
        /// Where its data come from.
        source: FlexibleSourceTable,
        /// Points at which other things hold it.
        interface: List<InterfaceTable>,
        /// Damping ratio of each shape, a share of the critical one; one number for all, or one for each.
        damping: Option<Located<List<Number>>>,
        /// Position of the body axes at the start, world axes, m.
        position: Triple = [0, 0, 0],
        /// Orientation of the body axes at the start.
        orientation: Option<OrientationTable>,
        /// Velocity of the origin of the body axes at the start, world axes, m/s.
        velocity: Triple = [0, 0, 0],
        /// Angular velocity at the start, world axes, rad/s.
        angular_velocity: Triple = [0, 0, 0],
    }
}

record! {
    /// A point of a flexible body at which other things hold it.
    pub struct InterfaceTable "interface" {
        /// Name: other things name it `body.name`.
        name: Text,
        /// Number of the grid point, from 1.
        point: Number,
    }
}

tagged! {
    /// Where the data of a flexible body come from.
    pub enum FlexibleSourceTable "source" {
        "points" => Points(PointsSourceTable),
    }
}

record! {
    /// Grid points with masses, and their displacements in each shape: from a test, or from another program.
    pub struct PointsSourceTable "points" {
        /// Masses of the points, kg.
        mass: Located<List<Number>>,
        /// Places of the points, body axes, m.
        place: Located<List<Triple>>,
        /// For each shape the displacement of each point, body axes.
        displacement: Located<List<List<Triple>>>,
        /// For each shape the small rotation of each point, body axes. Default: none.
        rotation: Option<Located<List<List<Triple>>>>,
        /// Stiffness of the shapes, a row for each.
        stiffness: Option<Located<List<List<Number>>>>,
        /// Angular frequency of each shape, rad/s, instead of `stiffness`: for shapes that are modes of the
        /// body, of a motion for which `reference` holds.
        frequency: Option<Located<List<Number>>>,
    }
}
