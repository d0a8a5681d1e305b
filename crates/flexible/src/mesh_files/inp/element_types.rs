//! Types of elements of Abaqus and CalculiX, and what they are for us.

use crate::mesh::ElementKind::{self, *};
use crate::mesh_files::cells::Shape;

/// Families: beginning of the name, what it is, and the ends that it may have, which say how it is
/// integrated.
const FAMILIES: [(&str, ElementKind, &[&str]); 30] = [
    ("C3D4", Tet4, &["", "H"]),
    ("C3D6", Wedge6, &["", "H"]),
    ("C3D8", Hex8, &["", "H", "I", "IH", "R", "RH", "S", "HS"]),
    ("C3D10", Tet10, &["", "H", "HS", "I", "M", "MH", "T"]),
    ("C3D15", Wedge15, &["", "H"]),
    ("C3D20", Hex20, &["", "H", "R", "RH", "RI"]),
    ("S3", Tri3, &["", "R", "RS"]),
    ("STRI3", Tri3, &[""]),
    ("S4", Quad4, &["", "R", "R5", "RS", "RSW"]),
    ("S6", Tri6, &[""]),
    ("STRI65", Tri6, &[""]),
    ("S8", Quad8, &["", "R", "R5"]),
    ("M3D3", Tri3, &[""]),
    ("M3D4", Quad4, &["", "R"]),
    ("M3D6", Tri6, &[""]),
    ("M3D8", Quad8, &["", "R"]),
    ("CPS3", Tri3, &[""]),
    ("CPS4", Quad4, &["", "I", "R"]),
    ("CPS6", Tri6, &["", "M"]),
    ("CPS8", Quad8, &["", "R"]),
    ("CPE3", Tri3, &["", "H"]),
    ("CPE4", Quad4, &["", "H", "I", "IH", "R", "RH"]),
    ("CPE6", Tri6, &["", "H", "M", "MH"]),
    ("CPE8", Quad8, &["", "H", "R", "RH"]),
    ("T2D2", Bar2, &["", "H"]),
    ("T3D2", Bar2, &["", "H"]),
    ("B21", Beam2, &["", "H"]),
    ("B23", Beam2, &["", "H"]),
    ("B31", Beam2, &["", "H", "R"]),
    ("B33", Beam2, &["", "H"]),
];

/// What a type of elements is, by its name in capitals.
pub(super) fn shape(name: &str) -> Option<Shape> {
    if ["T2D3", "T3D3", "B22", "B32", "B32R"].contains(&name) {
        return Some(Shape::Line3);
    }
    let of_family = |(start, kind, ends): &(&str, ElementKind, &[&str])| {
        name.strip_prefix(start).filter(|end| ends.contains(end)).map(|_| Shape::Element(*kind))
    };
    FAMILIES.iter().find_map(of_family)
}
