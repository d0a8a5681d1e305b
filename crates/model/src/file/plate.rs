//! The tables of plates and shells.

use super::{MaterialTable, Triple};
use crate::read::{choice, record};
use crate::value::{List, Located, Number, Text};

record! {
    /// A plate or shell of absolute nodal coordinates: it may move and deform as far as it likes. Its nodes
    /// `name.node0_0`, `name.node1_0`, … (first number along the first side) are used like point masses; the
    /// corners are also `name.corner1` to `name.corner4`, in the order (0, 0), (1, 0), (1, 1), (0, 1).
    pub struct PlateTable "plate" {
        /// Name, unique among all things of the model.
        name: Text,
        /// A corner of a parallelogram, world axes, m.
        corner: Option<Triple>,
        /// Its first side, from the corner on, m.
        side1: Option<Triple>,
        /// Its second side, from the corner on, m.
        side2: Option<Triple>,
        /// The middle surface in world axes, m, as functions of `u` and `v`, instead of a corner and two
        /// sides.
        surface: Option<Triple>,
        /// First and last `u` of the `surface`.
        range_u: Option<Located<[Number; 2]>>,
        /// First and last `v` of the `surface`.
        range_v: Option<Located<[Number; 2]>>,
        /// Number of elements along the two sides.
        elements: Located<[Number; 2]>,
        /// How fibres across the plate move.
        theory: Located<PlateKind> = "thin",
        /// Thickness, m.
        thickness: Number,
        /// The material; its axes are the first side and what is normal to it in the plate.
        material: MaterialTable,
        /// Factor of transverse shear, with theory "thick". Default: 5/6.
        shear_factor: Option<Number>,
        /// Membrane stress 11, 22, 12 in the modelled position, Pa.
        prestress: Option<Located<[Number; 3]>>,
        /// Edges that are held; others are free.
        edges: List<EdgeTable> = [],
        /// Viscosity proportional to the stiffness, s.
        stiffness_damping: Number = 0,
        /// Dead load per area, world axes, N/m²; may use `t`.
        load: Option<Triple>,
        /// Velocity of the first node at the start, world axes, m/s.
        velocity: Triple = [0, 0, 0],
        /// Angular velocity of the whole plate at the start, world axes, rad/s.
        angular_velocity: Triple = [0, 0, 0],
        /// Colour: "#rrggbb" or a CSS name; default: by number.
        color: Option<Text>,
    }
}

record! {
    /// An edge of a plate that is held.
    pub struct EdgeTable "edge" {
        /// Which one.
        side: Located<PlateSide>,
        /// How it is held.
        r#type: Located<EdgeType>,
        /// What holds it: a body, marker, node of a beam or "ground". Default: "ground".
        to: Option<Text>,
    }
}

choice! {
    /// How fibres across a plate move.
    pub enum PlateKind "theory of a plate" {
        /// They stay normal to the middle surface: for plates that are thin.
        "thin" => Thin,
        /// They tilt and stretch: with transverse shear.
        "thick" => Thick,
    }
}

choice! {
    /// An edge of a plate.
    pub enum PlateSide "edge of a plate" {
        /// Where the first side starts.
        "start1" => Start1,
        /// Where it ends.
        "end1" => End1,
        /// Where the second side starts.
        "start2" => Start2,
        /// Where it ends.
        "end2" => End2,
    }
}

choice! {
    /// How an edge is held.
    pub enum EdgeType "kind of edge" {
        /// Free to turn about the edge.
        "pinned" => Pinned,
        /// Fixed, with its slopes.
        "clamped" => Clamped,
    }
}
