//! The ends of a beam: how they are held.

use super::Triple;
use crate::diagnostic::Span;
use crate::read::{FromToml, Node, Reader, choice, record};
use crate::value::{Located, Text};
use schemars::{Schema, SchemaGenerator, json_schema};
use toml::de::DeValue;

choice! {
    /// How the end of a beam is held.
    pub enum EndType "end of a beam" {
        /// Not at all.
        "free" => Free,
        /// No relative motion.
        "clamped" => Clamped,
        /// Free to turn about its point.
        "pinned" => Pinned,
        /// Free to turn about an axis.
        "hinged" => Hinged,
        /// A fixed joint, as "clamped".
        "fixed" => Fixed,
        /// A spherical joint, as "pinned".
        "spherical" => Spherical,
        /// A revolute joint, as "hinged".
        "revolute" => Revolute,
        /// A prismatic joint along an axis.
        "prismatic" => Prismatic,
        /// A cylindrical joint about an axis.
        "cylindrical" => Cylindrical,
        /// A planar joint normal to an axis.
        "planar" => Planar,
        /// A universal joint: `axis` fixed to what holds it, `second_axis` to the beam.
        "universal" => Universal,
    }
}

record! {
    /// A joint at the end of a beam.
    pub struct HeldEndTable "end of a beam" {
        /// Kind of the joint.
        r#type: Located<EndType>,
        /// What holds the end: a body, marker, node of a beam or "ground".
        to: Option<Text>,
        /// World point of the joint; default: a marker, else the end of the beam.
        at: Option<Triple>,
        /// World direction of the axis; default: normal to the plane of a planar model, the z axis of a
        /// marker.
        axis: Option<Triple>,
        /// World direction of the axis fixed to the beam, of a universal joint.
        second_axis: Option<Triple>,
    }
}

/// How an end is held: a word, or a table with what holds it.
#[derive(Clone, Debug)]
pub struct EndTable {
    /// The joint.
    pub held: HeldEndTable,
    /// Place of the word or table.
    pub span: Span,
}

impl FromToml for EndTable {
    fn expected() -> String {
        format!("one of {}, or a table {{ type, to, at, axis }}", EndType::WORDS.join(", "))
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        let span = reader.span(node.span());
        let held = match node.get_ref() {
            DeValue::String(_) => {
                let r#type = Located::from_toml(node, reader)?;
                HeldEndTable { r#type, to: None, at: None, axis: None, second_axis: None, span: span.clone() }
            }
            DeValue::Table(_) => HeldEndTable::from_toml(node, reader)?,
            _ => {
                reader.mismatch(node, &Self::expected());
                return None;
            }
        };
        Some(EndTable { held, span })
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({ "anyOf": [EndType::schema(generator), HeldEndTable::schema(generator)] })
    }
}
