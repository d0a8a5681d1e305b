//! The tables of looks: what a body, a point or the ground looks like, without any mass.

use super::{Axis, OrientationTable, Triple, solids};
use crate::read::{FromToml, Node, Reader, record, tagged};
use crate::value::{Located, Number, Text};
use schemars::{Schema, SchemaGenerator, json_schema};
use toml::de::DeValue;

record! {
    /// What stands on the ground.
    pub struct GroundTable "[ground]" {
        /// A solid, or an array of solids, in world axes.
        look: Option<LooksTable>,
        /// Colour of the solids that have none: "#rrggbb" or a CSS name.
        color: Option<Text>,
    }
}

/// `"none"`, one solid or several.
#[derive(Clone, Debug)]
pub struct LooksTable {
    /// The solids; none of them hides the thing.
    pub list: Vec<LookTable>,
}

impl FromToml for LooksTable {
    fn expected() -> String {
        "a look, an array of looks or \"none\"".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        let list = match node.get_ref() {
            DeValue::String(word) if word == "none" => vec![],
            DeValue::Table(_) => vec![LookTable::from_toml(node, reader)?],
            DeValue::Array(items) if !items.is_empty() => {
                let read: Vec<_> = items.iter().map(|item| LookTable::from_toml(item, reader)).collect();
                read.into_iter().collect::<Option<_>>()?
            }
            _ => {
                reader.mismatch(node, &Self::expected());
                return None;
            }
        };
        Some(LooksTable { list })
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let one = LookTable::schema(generator);
        json_schema!({ "anyOf": [{ "const": "none" }, one, { "type": "array", "items": one, "minItems": 1 }] })
    }
}

tagged! {
    /// A solid to look at: the keys of a `shape` without its mass.
    pub enum LookTable "look" {
        "box" => Box(BoxLook),
        "sphere" => Sphere(SphereLook),
        "cylinder" => Cylinder(CylinderLook),
        "hollow_cylinder" => HollowCylinder(HollowCylinderLook),
        "cone" => Cone(ConeLook),
        "capsule" => Capsule(CapsuleLook),
        "tetrahedron" => Tetrahedron(TetrahedronLook),
        "mesh" => Mesh(MeshLook),
    }
}

/// Declares a look: its own keys and those all looks share.
macro_rules! look {
    ($(#[doc = $doc:literal])* $name:ident $title:literal
        { $( $(#[doc = $key_doc:literal])* $key:ident : $type:ty $(= $default:tt)? ),* $(,)? }) => {
        record! {
            $(#[doc = $doc])*
            pub struct $name $title {
                $( $(#[doc = $key_doc])* $key: $type $(= $default)?, )*
                /// Position of the solid's origin in body axes, m.
                position: Triple = [0, 0, 0],
                /// Orientation of the solid's axes in body axes.
                orientation: Option<OrientationTable>,
                /// Colour: "#rrggbb" or a CSS name.
                color: Option<Text>,
            }
        }
    };
}

solids!(look: BoxLook, SphereLook, CylinderLook, HollowCylinderLook, ConeLook, TetrahedronLook);
look! {
    /// A cylinder with round ends; its origin is its centre.
    CapsuleLook "capsule" {
        /// Radius, m.
        radius: Number,
        /// Length between the centres of its ends, m.
        length: Number,
        /// Direction of the axis of rotation.
        axis: Axis = "z",
    }
}
look! {
    /// Triangles from a file: STL, OBJ, glTF or GLB. They need not be closed.
    MeshLook "mesh" {
        /// Path of the file, relative to the model file.
        file: Text,
        /// Factor from the file's length unit to metres.
        scale: Number = 1,
    }
}
