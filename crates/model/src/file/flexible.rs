//! The tables of flexible bodies.

use super::{
    BeamsSourceTable, FunctionsSourceTable, MatricesSourceTable, MeshSourceTable, OrientationTable,
    ReducedSourceTable, Triple,
};
use crate::read::{choice, record, tagged};
use crate::value::{List, Located, Number, Text};

record! {
    /// A body that deforms a little: a floating frame, and shapes that deform what it carries. Other things
    /// hold it by its interfaces, `name.interface`, which are used like bodies. It offers `name.mode1`,
    /// `name.mode1_rate`, …: how far it is deformed along each shape; of solids and shells also
    /// `name.von_mises`, the largest equivalent stress on its surface, and the stresses at its gauges.
    pub struct FlexibleTable "flexible body" {
        /// Name, unique among all things of the model.
        name: Text,
        /// Where its data come from.
        source: FlexibleSourceTable,
        /// Points at which other things hold it.
        interface: List<InterfaceTable>,
        /// Points of its surface at which stresses are wanted.
        gauge: List<GaugeTable> = [],
        /// The shapes of a body of finite elements. Default: "craig_bampton".
        method: Option<Located<FlexibleMethod>>,
        /// Number of vibrations among the shapes. Default: 6.
        modes: Option<Number>,
        /// All vibrations up to a frequency, Hz, instead of `modes`.
        up_to: Option<Number>,
        /// Static answers to loads at the interfaces beside the vibrations of "free" and "supported", in
        /// blocks: 1 for the answers K⁻¹F, 2 for K⁻¹MK⁻¹F besides, and so on. Default: 0.
        corrections: Option<Number>,
        /// The shapes of "given": a file of numbers (`.csv`, `.npy`) with a row for each unknown of the body
        /// and a column for each shape.
        shapes: Option<Text>,
        /// What keeps the floating frame with the body: "mean_axis", or the name of an interface to which it
        /// is fixed. Default: "mean_axis", or what is `held`.
        reference: Option<Text>,
        /// Points that keep the floating frame with the body, instead of `reference`.
        held: Option<Located<List<HeldTable>>>,
        /// Damping ratio of the shapes, a share of the critical one: one number for all, or one for each.
        damping: Option<Located<List<Number>>>,
        /// Damping a M + b K of a body of finite elements: a in 1/s, b in s.
        rayleigh: Option<Located<[Number; 2]>>,
        /// Whether stress that acceleration, spin, weight and loads at interfaces cause makes a body of
        /// finite elements stiffer or softer: needed for blades that spin and columns that are pressed. The
        /// loads go to the `reference`. Default: false.
        geometric_stiffness: Option<Located<bool>>,
        /// Whether the deformation acts back on the motion. Default: "two_way".
        coupling: Option<Located<FlexibleCoupling>>,
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
    /// A point of a flexible body at which other things hold it: one of `point`, `at`, `group`; of a reduced
    /// body its name alone. A node of a solid has no rotation: an interface of solids needs three nodes or
    /// more that do not lie on a line, so a group, or `at` with a `radius`.
    pub struct InterfaceTable "interface" {
        /// Name: other things name it `body.name`.
        name: Text,
        /// Number of a grid point or node, from 1; the label of the node in a file.
        point: Option<Number>,
        /// The node that is nearest to this place, body axes, m.
        at: Option<Triple>,
        /// All nodes that are this near to `at`, m, instead of the nearest.
        radius: Option<Number>,
        /// All nodes of a group of the mesh.
        group: Option<Text>,
        /// How several nodes follow the interface. Default: "rigid".
        kind: Option<Located<InterfaceKind>>,
    }
}

record! {
    /// A point of the surface of solids or shells at which stresses are wanted, Pa. It offers
    /// `body.name.von_mises`, `body.name.stress.xx`, `.yy`, `.zz`, `.yz`, `.xz`, `.xy` in body axes, and
    /// `body.name.principal1` (the largest), `principal2`, `principal3`.
    pub struct GaugeTable "gauge" {
        /// Name, unique among the gauges and interfaces of the body.
        name: Text,
        /// Number of a node, from 1; the label of the node in a file.
        point: Option<Number>,
        /// The node of the surface that is nearest to this place, body axes, m.
        at: Option<Triple>,
        /// The face of a shell. Default: "above", where its normal points.
        side: Option<Located<ShellSide>>,
    }
}

choice! {
    /// A face of a shell.
    pub enum ShellSide "side of a shell" {
        /// Where its normal points: its nodes are counter-clockwise as seen from there.
        "above" => Above,
        /// The other one.
        "below" => Below,
    }
}

choice! {
    /// How the nodes of a group follow their interface.
    pub enum InterfaceKind "kind of interface" {
        /// As on a rigid body (RBE2).
        "rigid" => Rigid,
        /// The interface moves as they do in the mean (RBE3).
        "mean" => Mean,
    }
}

record! {
    /// A node that keeps the floating frame with the body.
    pub struct HeldTable "held point" {
        /// Number of the node, from 1; its label in a file.
        point: Number,
        /// Directions in which it is held.
        directions: Located<List<Located<HeldDirection>>>,
    }
}

choice! {
    /// A direction in which a node is held.
    pub enum HeldDirection "direction" {
        /// Along the body's x axis.
        "x" => X,
        /// Along the body's y axis.
        "y" => Y,
        /// Along the body's z axis.
        "z" => Z,
        /// Rotation about the body's x axis.
        "rx" => Rx,
        /// Rotation about the body's y axis.
        "ry" => Ry,
        /// Rotation about the body's z axis.
        "rz" => Rz,
    }
}

choice! {
    /// The shapes of a body of finite elements.
    pub enum FlexibleMethod "reduction" {
        /// What each interface does alone, and vibrations with all interfaces held.
        "craig_bampton" => CraigBampton,
        /// Vibrations of the free body.
        "free" => Free,
        /// Vibrations under the reference conditions.
        "supported" => Supported,
        /// Those of a file, `shapes`.
        "given" => Given,
    }
}

choice! {
    /// Whether the deformation of a flexible body acts back on its motion.
    pub enum FlexibleCoupling "coupling" {
        /// It does.
        "two_way" => TwoWay,
        /// Frame and interfaces move as those of a rigid body, whose inertia, weight and reactions load the
        /// shapes (linear elastodynamics): for vibrations far above the motion.
        "one_way" => OneWay,
    }
}

tagged! {
    /// Where the data of a flexible body come from.
    pub enum FlexibleSourceTable "source" {
        "line" => Line(LineSourceTable),
        "beams" => Beams(BeamsSourceTable),
        "points" => Points(PointsSourceTable),
        "functions" => Functions(FunctionsSourceTable),
        "mesh" => Mesh(MeshSourceTable),
        "matrices" => Matrices(MatricesSourceTable),
        "reduced" => Reduced(ReducedSourceTable),
    }
}

record! {
    /// Beam elements along a line, of Euler and Bernoulli.
    pub struct LineSourceTable "line" {
        /// Corners of the line, body axes, m.
        points: Located<List<Triple>>,
        /// Number of elements, shared out to the pieces by length.
        elements: Number,
        /// The cross-section.
        section: LineSectionTable,
        /// Whether the line bends in the plane z = constant of the body alone. Default: in planar models.
        planar: Option<bool>,
    }
}

record! {
    /// A cross-section of beam elements.
    pub struct LineSectionTable "cross-section" {
        /// Area, m².
        area: Number,
        /// Second moments of area about the axes y and z of the section, m⁴: bending along z and along y. The
        /// axis y is as near as possible to the body's y axis.
        inertia: Located<[Number; 2]>,
        /// Torsion constant, m⁴. Default: the sum of the two, as for a circle.
        torsion: Option<Number>,
        /// Young's modulus, Pa.
        young: Number,
        /// Poisson's ratio.
        poisson: Number = 0.3,
        /// Density, kg/m³.
        density: Number,
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
        /// Angular frequency of each shape, rad/s, instead of `stiffness`: for shapes that are vibrations of
        /// the body where its floating frame is held.
        frequency: Option<Located<List<Number>>>,
    }
}
