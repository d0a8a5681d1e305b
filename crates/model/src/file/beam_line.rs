//! The line of a beam: places, arcs, helices, numbers of elements.

use super::Triple;
use crate::read::{FromToml, Node, Reader, choice, record};
use crate::value::{List, Located, Number, Text};
use schemars::{Schema, SchemaGenerator, json_schema};
use toml::de::DeValue;

/// A point: three numbers, or the name of a body, marker or node whose origin it is.
#[derive(Clone, Debug)]
pub enum PlaceTable {
    /// World coordinates.
    Point(Triple),
    /// Origin of a thing where it is modelled.
    Name(Text),
}

impl PlaceTable {
    /// Where it was given.
    pub fn span(&self) -> crate::diagnostic::Span {
        match self {
            PlaceTable::Point(point) => point.span.clone(),
            PlaceTable::Name(name) => name.span.clone(),
        }
    }
}

impl FromToml for PlaceTable {
    fn expected() -> String {
        "three numbers, or the name of a body, marker or node".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        match node.get_ref() {
            DeValue::String(_) => Text::from_toml(node, reader).map(PlaceTable::Name),
            DeValue::Array(items) if items.len() == 3 => {
                Located::from_toml(node, reader).map(PlaceTable::Point)
            }
            _ => {
                reader.mismatch(node, &Self::expected());
                None
            }
        }
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [<[Number; 3]>::schema(generator), { "type": "string" }] })
    }
}

/// Numbers of elements.
#[derive(Clone, Debug)]
pub enum ElementsTable {
    /// Of the whole beam.
    Total(Number),
    /// Of each straight piece.
    Pieces(Located<List<Number>>),
}

impl ElementsTable {
    /// Where they were given.
    pub fn span(&self) -> crate::diagnostic::Span {
        match self {
            ElementsTable::Total(number) => number.span(),
            ElementsTable::Pieces(list) => list.span.clone(),
        }
    }
}

impl FromToml for ElementsTable {
    fn expected() -> String {
        "a number, or one for each straight piece".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        match node.get_ref() {
            DeValue::Array(_) => Located::from_toml(node, reader).map(ElementsTable::Pieces),
            _ => Number::from_toml(node, reader).map(ElementsTable::Total),
        }
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [Number::schema(generator), List::<Number>::schema(generator)] })
    }
}

choice! {
    /// How a line goes through points.
    pub enum LineKind "line" {
        /// Straight pieces with rigid corners.
        "polyline" => Polyline,
        /// The smooth cubic spline.
        "spline" => Spline,
    }
}

record! {
    /// An arc that starts at `from`: with `centre`, `axis` and `angle`; with `tangent`, `axis`, `radius` and
    /// `angle`; or `through` a point to `to`.
    pub struct ArcTable "arc" {
        /// Centre, world axes, m.
        centre: Option<Triple>,
        /// Direction in which the line starts, instead of the centre.
        tangent: Option<Triple>,
        /// Axis about which it turns by the right-hand rule.
        axis: Option<Triple>,
        /// Radius, m, with `tangent`.
        radius: Option<Number>,
        /// Angle from start to end, rad; negative against the right-hand rule.
        angle: Option<Number>,
        /// A point of the arc on the way to `to`.
        through: Option<Triple>,
    }
}

record! {
    /// A helix, as of a coil spring.
    pub struct HelixTable "helix" {
        /// Point of the axis at the level of the start, world axes, m.
        centre: Triple = [0, 0, 0],
        /// Direction of the axis, in which the helix climbs.
        axis: Triple = [0, 0, 1],
        /// Radius of the line, m.
        radius: Number,
        /// Way along the axis for one turn, m.
        pitch: Number,
        /// Number of turns, not only whole ones.
        turns: Number,
        /// Direction from the axis to the start; default: nearest to x, for an axis along x to y.
        towards: Option<Triple>,
        /// Turns against the right-hand rule.
        left_handed: bool = false,
    }
}
