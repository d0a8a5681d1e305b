//! The tables of beams.

use super::{ArcTable, ElementsTable, EndTable, Frame, HelixTable, LineKind, PlaceTable, SixTable, Triple};
use crate::read::{choice, record, tagged};
use crate::value::{List, Located, Number, Text};

record! {
    /// A beam of large deformation. Its nodes `name.node0`, `name.node1`, … are used like bodies,
    /// `name.start` and `name.end` are the first and the last; their z axes point along the line, x and y
    /// are the axes 1 and 2 of the section.
    pub struct BeamTable "beam" {
        /// Name, unique among all things of the model.
        name: Text,
        /// Start of a straight beam or an arc: world axes, m, or a body, marker or node.
        from: Option<PlaceTable>,
        /// End of a straight beam, or of an arc `through` a point: world axes, m, or a body, marker or node.
        to: Option<PlaceTable>,
        /// Points on the line, instead of `from` and `to`: world axes, m, or bodies, markers or nodes.
        points: Option<Located<List<PlaceTable>>>,
        /// How the line goes through the points; default: "polyline".
        line: Option<Located<LineKind>>,
        /// The line is an arc that starts at `from`.
        arc: Option<ArcTable>,
        /// The line is a helix.
        helix: Option<HelixTable>,
        /// The line in world axes, m, as functions of `u`.
        curve: Option<Triple>,
        /// First and last `u` of the `curve`.
        range: Option<Located<[Number; 2]>>,
        /// Direction that axis 1 of the section is as near to as possible at the start of the beam. Default:
        /// in the plane of a planar model, else nearest to the world's z axis (to x for a beam that starts
        /// along z).
        axis1: Option<Triple>,
        /// Angle by which the section is turned about the line, rad: from start to end, evenly, or as a
        /// function of the length `s`.
        twist: Option<Number>,
        /// Number of elements: of the same length, in a polyline shared out to the pieces by length, or one
        /// number for each piece.
        elements: ElementsTable,
        /// What the elements interpolate.
        formulation: Located<BeamFormulation> = "director",
        /// Order of the elements, one less than their nodes: 1 to 3, with formulation "motion" 1 to 8.
        /// Default: 2. With formulation "ancf" cables are cubic between two nodes, and an order has no
        /// meaning; element = "beam" has order 1 or 2.
        order: Option<Number>,
        /// With formulation "ancf": what elements are. Default: "cable".
        element: Option<Located<BeamElement>>,
        /// With element = "beam": factor of the stiffness of sections against a change of their shape.
        /// Default: 1.
        section_stiffening: Option<Number>,
        /// With formulation "ancf": tension in the modelled position, N. Default: 0. Strains count from that
        /// position.
        tension: Option<Number>,
        /// With formulation "ancf": how strains are measured. Default: "curvature".
        strain: Option<Located<BeamStrain>>,
        /// With formulation "ancf" and strain "chord" or "green": what the frame of an element follows.
        /// Default: "pinned".
        element_frame: Option<Located<BeamFrame>>,
        /// With formulation "motion": by which parameter the motion between nodes is measured. Default:
        /// "geodesic".
        interpolation: Option<Located<BeamInterpolation>>,
        /// Where the strain energy is summed. Default: with formulation "motion" "gauss", with "ancf"
        /// "three".
        quadrature: Option<Located<BeamQuadrature>>,
        /// With formulation "motion": what the stresses do virtual work on. Default: "consistent".
        virtual_strains: Option<Located<BeamVirtualStrains>>,
        /// The cross-section.
        section: SectionTable,
        /// Moves the section away from the line along its axes 1 and 2, m.
        offset: Located<[Number; 2]> = [0, 0],
        /// How the first node is held; default: free.
        start: Option<EndTable>,
        /// How the last node is held; default: free.
        end: Option<EndTable>,
        /// Where the mass goes.
        mass: Located<BeamMass> = "consistent",
        /// Viscosity proportional to the stiffness, s.
        stiffness_damping: Number = 0,
        /// Viscosity of the section: six numbers or a 6×6 matrix, in the units of the stiffness times s.
        viscosity: Option<SixTable>,
        /// Damping proportional to the mass, 1/s; resists rigid motions too.
        mass_damping: Number = 0,
        /// Load per length, N/m; may use `t`, the length `s` along the beam, what the section there does
        /// (`position.x`, `velocity.x`, its axes `d1.x`, `d2.x`, `d3.x`), and quantities of the running
        /// system.
        load: Option<Triple>,
        /// Moment per length, N; may use what `load` may use.
        moment: Option<Triple>,
        /// Axes of the components of load and moment: "body" are those of the section.
        load_frame: Located<Frame> = "world",
        /// Number of places, at equal distances along the line, whose positions, axes and stress resultants
        /// are recorded in `beam_NAME.parquet` (and with `--csv` in `beam_NAME.csv`), a row for each time
        /// and place.
        shape: Option<Number>,
        /// Velocity of the first node at the start, world axes, m/s.
        velocity: Triple = [0, 0, 0],
        /// Angular velocity of the whole beam at the start, world axes, rad/s.
        angular_velocity: Triple = [0, 0, 0],
        /// Colour: "#rrggbb" or a CSS name; default: by number. The section is drawn with its true outline, a
        /// "given" one as a rectangle of the same stiffness.
        color: Option<Text>,
    }
}

choice! {
    /// What the elements of a beam interpolate.
    pub enum BeamFormulation "formulation of a beam" {
        /// The line and the section axes as vectors.
        "director" => Director,
        /// Rigid motions of the sections.
        "motion" => Motion,
        /// Places and slopes (absolute nodal coordinates); see `element`.
        "ancf" => Ancf,
    }
}

choice! {
    /// What an element of absolute nodal coordinates is.
    pub enum BeamElement "element of a beam" {
        /// Places and slopes along the line; no shear, no torsion.
        "cable" => Cable,
        /// Places and slopes across the line, the axes of sections: with shear and torsion.
        "beam" => Beam,
    }
}

choice! {
    /// By which parameter the motion between nodes is measured.
    pub enum BeamInterpolation "interpolation of a beam" {
        /// The logarithm: exact for any constant strain.
        "geodesic" => Geodesic,
        /// Euler–Rodrigues parameters.
        "quaternion" => Quaternion,
        /// Linear parameters.
        "matrix" => Matrix,
        /// The vector metric of Wiener and Milenkovic.
        "vector" => Vector,
    }
}

choice! {
    /// How the strains of a line with slopes are measured.
    pub enum BeamStrain "strain of a beam" {
        /// Stretch and curvature, of any size.
        "curvature" => Curvature,
        /// Linear strains in a frame of the element: refined meshes go to a wrong answer; for comparison.
        "chord" => Chord,
        /// Green's strain of fibres in a frame of the element: for comparison.
        "green" => Green,
        /// Stretch of the chord and second derivative of the line: for comparison.
        "simplified" => Simplified,
    }
}

choice! {
    /// What the frame of an element follows.
    pub enum BeamFrame "frame of an element" {
        /// The chord between its nodes.
        "pinned" => Pinned,
        /// The slope of its first node.
        "tangent" => Tangent,
    }
}

choice! {
    /// Where the strain energy of an element is summed.
    pub enum BeamQuadrature "quadrature of a beam" {
        /// At as many Gauss points as the order says.
        "gauss" => Gauss,
        /// At the nodes: too stiff, for comparison.
        "lobatto" => Lobatto,
        /// With formulation "ancf": at three Gauss points.
        "three" => Three,
        /// With formulation "ancf": stretch at five Gauss points and bending at three, as is usual; stiffer
        /// on coarse meshes.
        "five" => Five,
    }
}

choice! {
    /// What the stresses of an element do virtual work on.
    pub enum BeamVirtualStrains "virtual strains of a beam" {
        /// The variation of the strains: the forces have a potential.
        "consistent" => Consistent,
        /// Strains of virtual displacements interpolated in section axes, as published.
        "interpolated" => Interpolated,
    }
}

choice! {
    /// Where the mass of a beam goes.
    pub enum BeamMass "mass of a beam" {
        /// As the interpolation says; couples the nodes of an element.
        "consistent" => Consistent,
        /// Onto the nodes, a rigid body on each; with formulation "ancf" onto places and slopes, where a
        /// rigid rotation of an element then has a wrong inertia.
        "lumped" => Lumped,
    }
}

tagged! {
    /// A cross-section: a shape of a material, or matrices.
    pub enum SectionTable "section" {
        "rectangle" => Rectangle(RectangleTable),
        "circle" => Circle(CircleTable),
        "tube" => Tube(TubeTable),
        "i" => I(ITable),
        "thin_walled" => ThinWalled(ThinWalledTable),
        "given" => Given(GivenSectionTable),
    }
}

/// Declares a section by its shape: its own keys and those all shapes share.
macro_rules! section {
    ($(#[doc = $doc:literal])* $name:ident $title:literal
        { $( $(#[doc = $key_doc:literal])* $key:ident : $type:ty $(= $default:tt)? ),* $(,)? }) => {
        record! {
            $(#[doc = $doc])*
            pub struct $name $title {
                $( $(#[doc = $key_doc])* $key: $type $(= $default)?, )*
                /// Young's modulus, Pa.
                young: Number,
                /// Poisson's ratio.
                poisson: Number = 0.3,
                /// Density, kg/m³.
                density: Number,
                /// Shear factors of the axes 1 and 2, instead of those of the shape.
                shear_factors: Option<Located<[Number; 2]>>,
            }
        }
    };
}

section! {
    /// A solid rectangle.
    RectangleTable "rectangle" {
        /// Width along axis 1, m.
        width: Number,
        /// Height along axis 2, m.
        height: Number,
    }
}
section! {
    /// A solid circle.
    CircleTable "circle" {
        /// Diameter, m.
        diameter: Number,
    }
}
section! {
    /// A round tube.
    TubeTable "tube" {
        /// Outer diameter, m.
        diameter: Number,
        /// Thickness of the wall, m.
        thickness: Number,
    }
}
section! {
    /// An I-section: flanges along axis 1, web along axis 2.
    ITable "I-section" {
        /// Width of the flanges, m.
        width: Number,
        /// Height over all, m.
        height: Number,
        /// Thickness of the web, m.
        web: Number,
        /// Thickness of the flanges, m.
        flange: Number,
    }
}
section! {
    /// Thin walls along a polygon.
    ThinWalledTable "thin-walled section" {
        /// Corners of the middle line along axes 1 and 2, m; the centroid need not be at the origin.
        corners: Located<List<[Number; 2]>>,
        /// Thickness of all walls, m.
        thickness: Number,
        /// Whether the last corner is joined to the first.
        closed: bool = false,
    }
}

record! {
    /// A section by its matrices, in the order shear 1, shear 2, extension, bending 1, bending 2, torsion.
    pub struct GivenSectionTable "given section" {
        /// Stiffness: GA1, GA2, EA (N), EI1, EI2, GJ (N·m²), or a 6×6 matrix.
        stiffness: SixTable,
        /// Mass per length, kg/m.
        mass: Option<Number>,
        /// Second moments of mass per length along axes 1 and 2, ∫ρ x² and ∫ρ y², kg·m.
        inertia: Option<Located<[Number; 2]>>,
        /// ∫ρ x y, kg·m. Default: 0.
        inertia_product: Option<Number>,
        /// Centre of mass of the section from the line, along axes 1 and 2, m. Default: on the line.
        centre: Option<Located<[Number; 2]>>,
        /// Instead of these four: the 6×6 mass per length of the section as a rigid body, in the order of the
        /// stiffness. Blocks: mass times 1, mass times the skew matrix of the centre, inertia about the line.
        mass_matrix: Option<Located<[[Number; 6]; 6]>>,
    }
}

impl BeamTable {
    /// Whether its nodes have places and slopes along the line alone.
    pub fn is_cable(&self) -> bool {
        self.formulation.value == BeamFormulation::Ancf && !self.has_section_slopes()
    }

    /// Whether its nodes have places and slopes across the line.
    pub fn has_section_slopes(&self) -> bool {
        let element = self.element.as_ref().map(|element| element.value);
        self.formulation.value == BeamFormulation::Ancf && element == Some(BeamElement::Beam)
    }
}
