//! glTF 2.0, as text with its buffers beside it or inside, and GLB: the triangles of all nodes in the place
//! where the nodes put them.

use super::{MeshError, Part};
use crate::input_file::InputFiles;
use crate::spec::Color;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use poinsot_geometry::Vec3;
use poinsot_geometry::nalgebra::{Matrix4, Quaternion, UnitQuaternion};
use poinsot_mechanics::mass_properties::TriangleMesh;
use serde_json::Value;
use std::collections::HashSet;
use std::path::Path;

/// Nodes within nodes at most.
const DEPTH: usize = 64;
/// Numbers of all corners and triangles at most: a mesh may stand in many places.
const NUMBERS: usize = 100_000_000;
/// First word of a GLB file, `glTF`, and the types of its two parts.
const MAGIC: u32 = 0x4654_6C67;
const JSON: u32 = 0x4E4F_534A;
const BIN: u32 = 0x004E_4942;

fn refuse(why: impl Into<String>) -> MeshError {
    MeshError::Content(why.into())
}

/// Reads a `.gltf` file.
pub(super) fn read_text(bytes: &[u8], path: &Path, files: &InputFiles) -> Result<Vec<Part>, MeshError> {
    Document::new(bytes, None, path, files)?.parts()
}

/// Reads a `.glb` file: a header, the JSON and a buffer.
pub(super) fn read_binary(bytes: &[u8], path: &Path, files: &InputFiles) -> Result<Vec<Part>, MeshError> {
    let word = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    if word(0) != Some(MAGIC) {
        return Err(refuse("it is not a GLB file"));
    }
    let (mut at, mut json, mut buffer) = (12, None, None);
    while let (Some(length), Some(kind)) = (word(at), word(at + 4)) {
        let end = (at + 8).saturating_add(length as usize);
        let content = bytes.get(at + 8..end).ok_or_else(|| refuse("the file is cut short"))?;
        match kind {
            JSON => json = Some(content),
            BIN => buffer = Some(content.to_vec()),
            _ => {}
        }
        at = end;
    }
    Document::new(json.ok_or_else(|| refuse("the file is cut short"))?, buffer, path, files)?.parts()
}

/// What has been found in a document so far.
struct Found {
    parts: Vec<Part>,
    visited: HashSet<Option<u64>>,
    /// Numbers in all parts.
    numbers: usize,
}

/// A document with its buffers.
struct Document {
    json: Value,
    buffers: Vec<Vec<u8>>,
}

impl Document {
    fn new(
        json: &[u8],
        mut inside: Option<Vec<u8>>,
        path: &Path,
        files: &InputFiles,
    ) -> Result<Document, MeshError> {
        let json: Value =
            serde_json::from_slice(json).map_err(|error| refuse(format!("as JSON: {error}")))?;
        if json["extensionsRequired"].as_array().is_some_and(|list| !list.is_empty()) {
            return Err(refuse(format!("it needs the extensions {}", json["extensionsRequired"])));
        }
        let mut buffers = vec![];
        for buffer in list(&json["buffers"]) {
            buffers.push(match buffer["uri"].as_str() {
                None => inside.take().ok_or_else(|| refuse("a buffer is missing"))?,
                Some(address) => content(address, path, files)?,
            });
        }
        Ok(Document { json, buffers })
    }

    fn parts(&self) -> Result<Vec<Part>, MeshError> {
        let scene = self.json["scene"].as_u64().unwrap_or(0) as usize;
        let mut found = Found { parts: vec![], visited: HashSet::new(), numbers: 0 };
        for node in list(&self.json["scenes"][scene]["nodes"]) {
            self.node(node, &Matrix4::identity(), 0, &mut found)?;
        }
        Ok(found.parts)
    }

    fn node(
        &self,
        index: &Value,
        carrier: &Matrix4<f64>,
        depth: usize,
        found: &mut Found,
    ) -> Result<(), MeshError> {
        let node = self.item("nodes", index)?;
        if depth > DEPTH {
            return Err(refuse("its nodes are too deep"));
        }
        // glTF 2.0, 3.5.2: the nodes are trees. Where they are not, a few of them can stand in very many
        // places.
        if !found.visited.insert(index.as_u64()) {
            return Err(refuse(format!("its node {index} stands in two places")));
        }
        let place = carrier * placement(node);
        if !node["mesh"].is_null() {
            for primitive in list(&self.item("meshes", &node["mesh"])?["primitives"]) {
                if let Some(part) = self.primitive(primitive, &place)? {
                    found.numbers += 3 * (part.mesh.vertices.len() + part.mesh.triangles.len());
                    found.parts.push(part);
                }
                if found.numbers > NUMBERS {
                    return Err(refuse("it holds too many triangles"));
                }
            }
        }
        list(&node["children"]).iter().try_for_each(|child| self.node(child, &place, depth + 1, found))
    }

    fn item(&self, what: &str, index: &Value) -> Result<&Value, MeshError> {
        let item = index.as_u64().and_then(|index| self.json[what].get(index as usize));
        item.ok_or_else(|| refuse(format!("it names {what} that are not there")))
    }

    /// The triangles of a primitive; points and lines are left out.
    fn primitive(&self, primitive: &Value, place: &Matrix4<f64>) -> Result<Option<Part>, MeshError> {
        let mode = primitive["mode"].as_u64().unwrap_or(4);
        if !(4..=6).contains(&mode) {
            return Ok(None);
        }
        let numbers = self.numbers(&primitive["attributes"]["POSITION"], "VEC3")?;
        let point = |c: &[f64]| place.transform_point(&Vec3::new(c[0], c[1], c[2]).into()).coords;
        let vertices: Vec<Vec3> = numbers.chunks_exact(3).map(point).collect();
        let corners: Vec<usize> = match &primitive["indices"] {
            Value::Null => (0..vertices.len()).collect(),
            indices => self.numbers(indices, "SCALAR")?.iter().map(|&index| index as usize).collect(),
        };
        if corners.iter().any(|corner| *corner >= vertices.len()) {
            return Err(refuse("a triangle names a corner that is not there"));
        }
        let triangles = match mode {
            // A strip turns every second triangle around.
            5 => (2..corners.len())
                .map(|k| if k % 2 == 0 { [k - 2, k - 1, k] } else { [k - 1, k - 2, k] })
                .map(|triangle| triangle.map(|k| corners[k]))
                .collect(),
            6 => (2..corners.len()).map(|k| [corners[0], corners[k - 1], corners[k]]).collect(),
            _ => corners.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect(),
        };
        let color = match &primitive["material"] {
            Value::Null => None,
            index => base_color(self.item("materials", index)?),
        };
        Ok(Some(Part { mesh: TriangleMesh { vertices, triangles }, color }))
    }

    /// The numbers of an accessor.
    fn numbers(&self, index: &Value, kind: &str) -> Result<Vec<f64>, MeshError> {
        let accessor = self.item("accessors", index)?;
        if accessor["type"] != kind || !accessor["sparse"].is_null() {
            return Err(refuse("it has an accessor of a type that is not known"));
        }
        let view = self.item("bufferViews", &accessor["bufferView"])?;
        let whole = |value: &Value| value.as_u64().unwrap_or(0) as usize;
        let parts = if kind == "VEC3" { 3 } else { 1 };
        let size = match accessor["componentType"].as_u64() {
            Some(5121) => 1,
            Some(5123) => 2,
            Some(5125 | 5126) => 4,
            _ => return Err(refuse("it has numbers of a type that is not known")),
        };
        let stride = if whole(&view["byteStride"]) > 0 { whole(&view["byteStride"]) } else { parts * size };
        let short = || refuse("a buffer is too short: the file is cut short");
        let buffer = self.buffers.get(whole(&view["buffer"])).ok_or_else(short)?;
        let start = whole(&view["byteOffset"]).saturating_add(whole(&accessor["byteOffset"]));
        let mut numbers = vec![];
        for k in 0..whole(&accessor["count"]) {
            for part in 0..parts {
                let at = k
                    .checked_mul(stride)
                    .and_then(|at| at.checked_add(start)?.checked_add(part * size))
                    .ok_or_else(short)?;
                let bytes = buffer.get(at..at.saturating_add(size)).ok_or_else(short)?;
                numbers.push(match (bytes, accessor["componentType"].as_u64()) {
                    (&[a, b, c, d], Some(5126)) => f64::from(f32::from_le_bytes([a, b, c, d])),
                    (&[a, b, c, d], _) => f64::from(u32::from_le_bytes([a, b, c, d])),
                    (&[a, b], _) => f64::from(u16::from_le_bytes([a, b])),
                    (bytes, _) => f64::from(bytes[0]),
                });
            }
        }
        Ok(numbers)
    }
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// The bytes of a data address or of a file beside the document.
fn content(address: &str, path: &Path, files: &InputFiles) -> Result<Vec<u8>, MeshError> {
    if let Some(data) = address.strip_prefix("data:") {
        let text = data.split_once(";base64,").ok_or_else(|| refuse("a buffer is not base64"))?.1;
        return STANDARD.decode(text).map_err(|error| refuse(format!("a buffer as base64: {error}")));
    }
    let file = path.parent().unwrap_or(Path::new("")).join(address.replace("%20", " "));
    files
        .data(&file)
        .map(|bytes| bytes.to_vec())
        .map_err(|error| refuse(format!("its buffer {address:?} cannot be read: {error}")))
}

/// The transformation of a node: a matrix by columns, or translation, rotation and scale.
fn placement(node: &Value) -> Matrix4<f64> {
    let numbers = |key: &str, count: usize| -> Option<Vec<f64>> {
        let values: Option<Vec<f64>> = node[key].as_array()?.iter().map(Value::as_f64).collect();
        values.filter(|values| values.len() == count)
    };
    if let Some(matrix) = numbers("matrix", 16) {
        return Matrix4::from_column_slice(&matrix);
    }
    let vector = |key: &str| numbers(key, 3).map(|v| Vec3::new(v[0], v[1], v[2]));
    let turn = numbers("rotation", 4).map_or(UnitQuaternion::identity(), |q| {
        UnitQuaternion::from_quaternion(Quaternion::new(q[3], q[0], q[1], q[2]))
    });
    Matrix4::new_translation(&vector("translation").unwrap_or_default())
        * turn.to_homogeneous()
        * Matrix4::new_nonuniform_scaling(&vector("scale").unwrap_or(Vec3::repeat(1.0)))
}

/// The colour of a material, which glTF keeps linear: s = 1.055 l^(1/2.4) − 0.055.
fn base_color(material: &Value) -> Option<Color> {
    let factor = material["pbrMetallicRoughness"]["baseColorFactor"].as_array()?;
    let byte = |k: usize| {
        let linear = factor.get(k)?.as_f64()?.clamp(0.0, 1.0);
        let shown =
            if linear < 0.003_130_8 { 12.92 * linear } else { 1.055 * linear.powf(1.0 / 2.4) - 0.055 };
        Some((255.0 * shown).round() as u8)
    };
    Some(Color([byte(0)?, byte(1)?, byte(2)?]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A triangle (0,0,0), (1,0,0), (0,1,0), moved by (0,0,5) and turned by 90° about z, in orange.
    fn document() -> (String, Vec<u8>) {
        let mut buffer: Vec<u8> = [0u16, 1, 2, 0].iter().flat_map(|i| i.to_le_bytes()).collect();
        let corners = [0.0f32, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0];
        buffer.extend(corners.iter().flat_map(|x| x.to_le_bytes()));
        let json = r#"{"asset":{"version":"2.0"},"scene":0,"scenes":[{"nodes":[0]}],
            "nodes":[{"translation":[0,0,5],"children":[1]},{"mesh":0,"rotation":[0,0,0.7071067811865476,0.7071067811865476]}],
            "meshes":[{"primitives":[{"attributes":{"POSITION":1},"indices":0,"material":0}]}],
            "materials":[{"pbrMetallicRoughness":{"baseColorFactor":[1,0.2159,0,1]}}],
            "accessors":[{"bufferView":0,"componentType":5123,"count":3,"type":"SCALAR"},
                         {"bufferView":1,"componentType":5126,"count":3,"type":"VEC3"}],
            "bufferViews":[{"buffer":0,"byteLength":6},{"buffer":0,"byteOffset":8,"byteLength":36}],
            "buffers":[{"byteLength":44URI}]}"#;
        (json.to_owned(), buffer)
    }

    fn check(parts: &[Part]) {
        assert_eq!(parts.len(), 1);
        assert_eq!(parts[0].mesh.triangles, [[0, 1, 2]]);
        let want = [Vec3::new(0.0, 0.0, 5.0), Vec3::new(0.0, 1.0, 5.0), Vec3::new(-1.0, 0.0, 5.0)];
        assert!(parts[0].mesh.vertices.iter().zip(&want).all(|(a, b)| (a - b).norm() < 1e-12));
        assert_eq!(parts[0].color, Some(Color([255, 128, 0])));
    }

    #[test]
    fn nodes_place_their_triangles() {
        let ((json, buffer), files) = (document(), InputFiles::default());
        let uri = format!(r#","uri":"data:application/octet-stream;base64,{}""#, STANDARD.encode(&buffer));
        check(&read_text(json.replace("URI", &uri).as_bytes(), Path::new("a.gltf"), &files).unwrap());
        // The same as GLB, whole and cut short anywhere.
        let json = json.replace("URI", "");
        let words = |list: &[u32]| list.iter().flat_map(|w| w.to_le_bytes()).collect::<Vec<u8>>();
        let mut glb = words(&[MAGIC, 2, 0, json.len() as u32, JSON]);
        glb.extend(json.as_bytes());
        glb.extend(words(&[buffer.len() as u32, BIN]));
        glb.extend(&buffer);
        check(&read_binary(&glb, Path::new("a.glb"), &files).unwrap());
        for end in 0..glb.len() {
            assert!(read_binary(&glb[..end], Path::new("a.glb"), &files).is_err(), "{end}");
        }
    }
}
