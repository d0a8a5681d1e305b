//! The tables of a model file as they are written: format 1.
//!
//! These declarations are the single source of the keys, their documentation,
//! their defaults and the JSON Schema.

use crate::couplings::CouplingTable;
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::drives::DriveTable;
use crate::forces::ForceTable;
use crate::joints::JointTable;
use crate::read::{FromToml, Node, Reader, Record, choice, record, tagged};
use crate::study::{Studies, StudyEntries};
use crate::value::{Count, Located, Number, Part, Text};
use schemars::{Schema, SchemaGenerator, json_schema};
use toml::de::DeValue;

mod beam;
mod beam_end;
mod beam_line;
mod constraint;
mod equations;
mod event;
mod flexible;
mod flexible_source;
mod integrator;
mod lagrangian;
mod look;
mod plate;
mod table;

pub use beam::*;
pub use beam_end::*;
pub use beam_line::*;
pub use constraint::*;
pub use equations::*;
pub use event::*;
pub use flexible::*;
pub use flexible_source::*;
pub use integrator::*;
pub use lagrangian::*;
pub use look::*;
pub use plate::*;
pub use table::*;

/// Three numbers.
pub type Triple = Located<[Number; 3]>;

record! {
    /// A mechanical system, the study to run on it and the results expected of it.
    /// SI units and radians. Every number may be an expression of the parameters in quotes.
    pub struct FileTable "model file" {
        /// Name, gravity and other settings of the whole model.
        model: Part<ModelTable>,
        /// Named numbers for use in expressions. They may depend on each other.
        parameters: Part<ParametersTable>,
        /// What stands on the ground, to be looked at.
        ground: Part<GroundTable>,
        /// Functions through points, for use in expressions.
        table: Vec<TableTable>,
        /// Rigid bodies and point masses.
        body: Vec<BodyTable>,
        /// Geometrically exact beams.
        beam: Vec<BeamTable>,
        /// Bodies that deform a little: shapes on a floating frame.
        flexible: Vec<FlexibleTable>,
        /// Plates and shells that deform as far as they like.
        plate: Vec<PlateTable>,
        /// Named frames fixed to bodies.
        marker: Vec<MarkerTable>,
        /// Joints between bodies.
        joint: Vec<JointTable>,
        /// Linear relations between joint coordinates: gears, belts, racks.
        coupling: Vec<CouplingTable>,
        /// Motions imposed as functions of time.
        drive: Vec<DriveTable>,
        /// Constraints given by equations.
        constraint: Vec<ConstraintTable>,
        /// First-order equations beside the mechanics.
        equations: Vec<EquationsTable>,
        /// Energy models beside the mechanics.
        lagrangian: Vec<LagrangianTable>,
        /// Forces, torques, springs, bushings.
        force: Vec<ForceTable>,
        /// What to compute and how: one study, or several with names.
        study: StudyEntries,
        /// Events during a motion: impulses, bounces, changes of parameters, its end.
        event: Vec<EventTable>,
        /// Quantities to record.
        signal: Vec<SignalTable>,
        /// Values the results are checked against.
        expect: Vec<ExpectTable>,
    }
}

record! {
    /// Settings of the whole model.
    pub struct ModelTable "[model]" {
        /// Title of the model, shown in the audit and on plots; default: the name of the file.
        name: Option<Text>,
        /// What the model shows.
        description: Option<Text>,
        /// Acceleration of gravity in world axes, m/s².
        gravity: Triple = [0, 0, -9.81],
        /// Makes the model planar: bodies move only in this plane.
        plane: Option<Located<Plane>>,
        /// Angular velocity of the frame that everything is described in, in its own axes, rad/s; constant.
        /// Ground turns with it.
        rotation: Option<Triple>,
        /// A point of the axis of `rotation`, m; default: the origin.
        rotation_centre: Option<Triple>,
    }
}

choice! {
    /// The plane a planar model moves in.
    pub enum Plane "plane" {
        /// Normal along z.
        "xy" => Xy,
        /// Normal along x.
        "yz" => Yz,
        /// Normal along y.
        "zx" => Zx,
    }
}

/// `[parameters]`: any names, each a number or an expression of the others.
#[derive(Clone, Debug)]
pub struct ParametersTable {
    /// Names and values in the order of the file.
    pub list: Vec<(Text, Number)>,
}

impl FromToml for ParametersTable {
    fn expected() -> String {
        "a table of numbers".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        let DeValue::Table(table) = node.get_ref() else {
            reader.mismatch(node, &Self::expected());
            return None;
        };
        let mut list = Vec::new();
        for (key, value) in table.iter() {
            match Number::from_toml(value, reader) {
                Some(number) => list.push((Text::new(key.get_ref(), key.span(), reader), number)),
                None => reader.lost.push(key.get_ref().to_string()),
            }
        }
        list.sort_by_key(|(name, _)| name.span.start);
        Some(ParametersTable { list })
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "type": "object", "additionalProperties": Number::schema(generator) })
    }
}

tagged! {
    /// A body: rigid by default, or a point mass.
    pub enum BodyTable "body" default "rigid" {
        "rigid" => Rigid(RigidTable),
        "point" => Point(PointTable),
    }
}

record! {
    /// A rigid body. Its mass properties are given by `mass` and `inertia`, or by `shape`.
    pub struct RigidTable "rigid body" {
        /// Name, unique among all things of the model.
        name: Text,
        /// Mass, kg; with `inertia`, or with one `shape` that has neither `mass` nor `density`.
        mass: Option<Number>,
        /// Inertia, kg·m²: three moments along the body axes, a 3×3 matrix, or
        /// { xx, yy, zz, xy, xz, yz } as the entries stand in the tensor (xy = -∫xy dm).
        inertia: Option<InertiaTable>,
        /// The point the inertia is given about.
        inertia_about: Located<InertiaAbout> = "centre_of_mass",
        /// Centre of mass in body axes from the body's origin, m; default: the origin.
        centre_of_mass: Option<Triple>,
        /// A solid, or an array of solids, that gives mass, centre of mass and inertia, instead of the keys
        /// above.
        shape: Option<ShapesTable>,
        /// What it looks like: a solid, an array of solids or "none". Default: its shape, or what mass and
        /// joints suggest.
        look: Option<LooksTable>,
        /// Colour of the solids that have none: "#rrggbb" or a CSS name.
        color: Option<Text>,
        /// Position of the body's origin at the start, world axes, m.
        position: Triple = [0, 0, 0],
        /// Orientation of the body axes at the start.
        orientation: Option<OrientationTable>,
        /// Velocity of the body's origin at the start, world axes, m/s.
        velocity: Triple = [0, 0, 0],
        /// Angular velocity at the start, world axes, rad/s.
        angular_velocity: Option<Triple>,
        /// Angular velocity at the start, body axes, rad/s, instead of `angular_velocity`.
        angular_velocity_body: Option<Triple>,
    }
}

record! {
    /// A point mass: no size, no orientation.
    pub struct PointTable "point" {
        /// Name, unique among all things of the model.
        name: Text,
        /// Mass, kg.
        mass: Number,
        /// Position at the start, world axes, m.
        position: Triple = [0, 0, 0],
        /// Velocity at the start, world axes, m/s.
        velocity: Triple = [0, 0, 0],
        /// What it looks like: a solid, an array of solids or "none". Default: a ball.
        look: Option<LooksTable>,
        /// Colour of the solids that have none: "#rrggbb" or a CSS name.
        color: Option<Text>,
    }
}

choice! {
    /// The point an inertia is given about.
    pub enum InertiaAbout "reference of the inertia" {
        /// The centre of mass.
        "centre_of_mass" => CentreOfMass,
        /// The origin of the body frame.
        "reference_point" => ReferencePoint,
    }
}

/// The forms an inertia may be written in.
#[derive(Clone, Debug)]
pub enum InertiaTable {
    /// Three moments along the body axes.
    Diagonal(Located<[Number; 3]>),
    /// A 3×3 matrix.
    Matrix(Located<[[Number; 3]; 3]>),
    /// Entries by name.
    Components(InertiaComponents),
}

record! {
    /// Entries of the inertia tensor by name.
    pub struct InertiaComponents "inertia" {
        /// Moment about x.
        xx: Number,
        /// Moment about y.
        yy: Number,
        /// Moment about z.
        zz: Number,
        /// Entry xy of the tensor (-∫xy dm).
        xy: Number = 0,
        /// Entry xz of the tensor (-∫xz dm).
        xz: Number = 0,
        /// Entry yz of the tensor (-∫yz dm).
        yz: Number = 0,
    }
}

/// True for an array whose first element is an array.
fn is_nested(node: &Node) -> bool {
    match node.get_ref() {
        DeValue::Array(items) => items.first().is_some_and(|item| item.get_ref().is_array()),
        _ => false,
    }
}

impl FromToml for InertiaTable {
    fn expected() -> String {
        "three moments, a 3×3 matrix or a table { xx, yy, zz, xy, xz, yz }".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        match node.get_ref() {
            DeValue::Table(_) => InertiaComponents::from_toml(node, reader).map(InertiaTable::Components),
            DeValue::Array(_) if is_nested(node) => {
                Located::from_toml(node, reader).map(InertiaTable::Matrix)
            }
            DeValue::Array(items) if items.len() == 3 => {
                Located::from_toml(node, reader).map(InertiaTable::Diagonal)
            }
            _ => {
                reader.mismatch(node, &Self::expected());
                None
            }
        }
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            <[Number; 3]>::schema(generator),
            <[[Number; 3]; 3]>::schema(generator),
            InertiaComponents::schema(generator),
        ] })
    }
}

/// One solid or several.
#[derive(Clone, Debug)]
pub struct ShapesTable {
    /// The solids.
    pub list: Vec<ShapeTable>,
    /// Place of the value.
    pub span: Span,
}

impl FromToml for ShapesTable {
    fn expected() -> String {
        "a shape or an array of shapes".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        let span = reader.span(node.span());
        let list = match node.get_ref() {
            DeValue::Table(_) => vec![ShapeTable::from_toml(node, reader)?],
            DeValue::Array(items) if !items.is_empty() => {
                let read: Vec<_> = items.iter().map(|item| ShapeTable::from_toml(item, reader)).collect();
                read.into_iter().collect::<Option<_>>()?
            }
            _ => {
                reader.mismatch(node, &Self::expected());
                return None;
            }
        };
        Some(ShapesTable { list, span })
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let one = ShapeTable::schema(generator);
        json_schema!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
    }
}

tagged! {
    /// A homogeneous solid. Its mass is given by `density` or by `mass`.
    pub enum ShapeTable "shape" {
        "box" => Box(BoxTable),
        "sphere" => Sphere(SphereTable),
        "cylinder" => Cylinder(CylinderTable),
        "hollow_cylinder" => HollowCylinder(HollowCylinderTable),
        "cone" => Cone(ConeTable),
        "tetrahedron" => Tetrahedron(TetrahedronTable),
        "mesh" => Mesh(MeshTable),
    }
}

choice! {
    /// A coordinate axis.
    pub enum Axis "axis" {
        /// First axis.
        "x" => X,
        /// Second axis.
        "y" => Y,
        /// Third axis.
        "z" => Z,
    }
}

/// Declares the solids that bodies are made of and look like; `declare` adds the keys that all of them share.
macro_rules! solids {
    ($declare:ident: $box:ident, $sphere:ident, $cylinder:ident, $hollow:ident, $cone:ident, $tetrahedron:ident) => {
        $declare! {
            /// A box; its origin is its centre.
            $box "box" {
                /// Lengths of the edges along x, y, z, m.
                size: Triple,
            }
        }
        $declare! {
            /// A sphere; its origin is its centre.
            $sphere "sphere" {
                /// Radius, m.
                radius: Number,
            }
        }
        $declare! {
            /// A cylinder; its origin is its centre.
            $cylinder "cylinder" {
                /// Radius, m.
                radius: Number,
                /// Length, m.
                length: Number,
                /// Direction of the axis of rotation.
                axis: Axis = "z",
            }
        }
        $declare! {
            /// A hollow cylinder (tube); its origin is its centre.
            $hollow "hollow cylinder" {
                /// Outer radius, m.
                outer_radius: Number,
                /// Inner radius, m.
                inner_radius: Number,
                /// Length, m.
                length: Number,
                /// Direction of the axis of rotation.
                axis: Axis = "z",
            }
        }
        $declare! {
            /// A circular cone; its origin is the centre of its base, its apex lies in the
            /// positive direction of the axis.
            $cone "cone" {
                /// Radius of the base, m.
                radius: Number,
                /// Height, m.
                height: Number,
                /// Direction from base to apex.
                axis: Axis = "z",
            }
        }
        $declare! {
            /// A tetrahedron.
            $tetrahedron "tetrahedron" {
                /// The four corners, m.
                corners: Located<[[Number; 3]; 4]>,
            }
        }
    };
}
pub(crate) use solids;

/// Declares a solid: its own keys and those all solids share.
macro_rules! shape {
    ($(#[doc = $doc:literal])* $name:ident $title:literal
        { $( $(#[doc = $key_doc:literal])* $key:ident : $type:ty $(= $default:tt)? ),* $(,)? }) => {
        record! {
            $(#[doc = $doc])*
            pub struct $name $title {
                $( $(#[doc = $key_doc])* $key: $type $(= $default)?, )*
                /// Density, kg/m³.
                density: Option<Number>,
                /// Mass, kg, instead of the density.
                mass: Option<Number>,
                /// Position of the solid's origin in body axes, m.
                position: Triple = [0, 0, 0],
                /// Orientation of the solid's axes in body axes.
                orientation: Option<OrientationTable>,
            }
        }
    };
}

solids!(shape: BoxTable, SphereTable, CylinderTable, HollowCylinderTable, ConeTable, TetrahedronTable);
shape! {
    /// A closed triangle mesh from an STL file.
    MeshTable "mesh" {
        /// Path of the STL file, relative to the model file.
        file: Text,
        /// Factor from the file's length unit to metres.
        scale: Number = 1,
    }
}

record! {
    /// An orientation, in one of these forms: axis and angle; rotation_vector;
    /// euler_parameters; rodrigues; sequence and angles; matrix; two of x_axis, y_axis, z_axis.
    pub struct OrientationTable "orientation" {
        /// Axis of a rotation by `angle`.
        axis: Option<Triple>,
        /// Angle of the rotation about `axis`, rad.
        angle: Option<Number>,
        /// Axis times angle, rad.
        rotation_vector: Option<Triple>,
        /// Euler parameters [e0, e1, e2, e3], scalar first, of unit length (to 1e-3; then normalised).
        euler_parameters: Option<Located<[Number; 4]>>,
        /// Rodrigues parameters: axis times tan(angle/2).
        rodrigues: Option<Triple>,
        /// Axes of three successive rotations about the turned axes, e.g. "zxz".
        sequence: Option<Text>,
        /// Angles of the `sequence`, rad.
        angles: Option<Triple>,
        /// Rotation matrix, rows; its columns are the turned axes.
        matrix: Option<Located<[[Number; 3]; 3]>>,
        /// Direction of the turned x axis.
        x_axis: Option<Triple>,
        /// Direction of the turned y axis.
        y_axis: Option<Triple>,
        /// Direction of the turned z axis.
        z_axis: Option<Triple>,
    }
}

record! {
    /// A named frame fixed to a body or to the ground.
    pub struct MarkerTable "marker" {
        /// Name, unique among all things of the model.
        name: Text,
        /// The body that carries it, or "ground".
        body: Text,
        /// Position in body axes from the body's origin, m.
        position: Triple = [0, 0, 0],
        /// Orientation in body axes.
        orientation: Option<OrientationTable>,
    }
}

choice! {
    /// The axes the components of a load are given in.
    pub enum Frame "frame" {
        /// World axes: a dead load.
        "world" => World,
        /// Axes of the body or marker the load acts on: a follower load.
        "body" => Body,
    }
}

/// Six numbers or a 6×6 matrix.
#[derive(Clone, Debug)]
pub enum SixTable {
    /// The diagonal.
    Diagonal(Box<Located<[Number; 6]>>),
    /// All entries by rows.
    Matrix(Box<Located<[[Number; 6]; 6]>>),
}

impl FromToml for SixTable {
    fn expected() -> String {
        "six numbers or a 6×6 matrix".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        if is_nested(node) {
            let matrix = Located::from_toml(node, reader);
            return matrix.map(|rows| SixTable::Matrix(Box::new(rows)));
        }
        match node.get_ref() {
            DeValue::Array(items) if items.len() == 6 => {
                let diagonal = Located::from_toml(node, reader);
                diagonal.map(|values| SixTable::Diagonal(Box::new(values)))
            }
            _ => {
                reader.mismatch(node, &Self::expected());
                None
            }
        }
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [
            <[Number; 6]>::schema(generator),
            <[[Number; 6]; 6]>::schema(generator),
        ] })
    }
}

record! {
    /// A quantity to record.
    pub struct SignalTable "signal" {
        /// Name, unique among signals and parameters.
        name: Text,
        /// Expression of quantities (`tip.position.z`, `energy.total`, …), parameters, `time`
        /// and earlier signals.
        value: Text,
        /// Unit, shown on plots: signals of one unit share a panel; default: that of the quantity if the
        /// expression is a single one.
        unit: Option<Text>,
        /// What it is.
        description: Option<Text>,
    }
}

record! {
    /// A value the results must show.
    pub struct ExpectTable "expectation" {
        /// A signal's name or an expression.
        signal: Text,
        /// Name of the study that must show it; required where there are several.
        study: Option<Text>,
        /// Time, s; in a campbell study the value of the parameter; in a path study the value of the
        /// parameter, or of the signal `when`, at which the path is looked at, where it first takes it;
        /// default: the end of the study.
        at: Option<Number>,
        /// In a path study: the signal that `at` is a value of; default: the parameter.
        when: Option<Text>,
        /// In a path study: the branch, from 1 for the first path; default: 1.
        branch: Option<Located<Count>>,
        /// The expected value.
        value: Number,
        /// Absolute tolerance; one of the two is required.
        tolerance: Option<Number>,
        /// Tolerance relative to `value`.
        relative: Option<Number>,
        /// Where the value comes from.
        source: Option<Text>,
    }
}

/// A document as it was read.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    /// Its tables.
    pub tables: FileTable,
    /// Names of things that could not be read: a reference to one is no further mistake.
    pub lost: Vec<String>,
}

/// Reads a whole document, reporting every mistake of syntax and of keys.
pub(crate) fn read(text: &str, studies: Studies, diagnostics: &mut Diagnostics) -> Option<Document> {
    let (document, errors) = toml::de::DeTable::parse_recoverable(text);
    // What a broken document seems to say would only produce misleading messages.
    if !errors.is_empty() {
        for error in errors {
            let span = error.span().unwrap_or(0..0);
            let message = format!("not valid TOML: {}", error.message());
            diagnostics.push(Diagnostic::error(message).at(span, "here"));
        }
        return None;
    }
    let mut reader = Reader::new(text, studies, diagnostics);
    let tables = FileTable::read(document.get_ref(), 0..0, &[], &mut reader)?;
    let lost = reader.lost;
    Some(Document { tables, lost })
}
