//! Closed triangle meshes: STL files and volume integrals.

use crate::mass::mass_properties::{MassError, all_finite, dyad};
use crate::mass::shape::{UniformSolid, not_flat};
use poinsot_geometry::{Mat3, Vec3};
use std::collections::HashMap;
use std::io::Cursor;

/// The surface of a solid as triangles.
///
/// The surface may have several closed parts; an inner part oriented against the outer one is a
/// cavity. Whether the normals of the whole point outwards or inwards does not matter.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TriangleMesh {
    /// Corner positions (m).
    pub vertices: Vec<Vec3>,
    /// Three vertex indices per triangle, in the same sense of turning all over the surface.
    pub triangles: Vec<[usize; 3]>,
}

impl TriangleMesh {
    /// The triangles of an STL file by its content, binary or text; equal corners become one vertex.
    ///
    /// STL files carry no unit: apply [`scaled`](Self::scaled) with 1e-3 to one drawn in millimetres.
    pub fn from_stl(bytes: Vec<u8>) -> std::io::Result<TriangleMesh> {
        let mut mesh = TriangleMesh::default();
        let mut index_of = HashMap::new();
        for facet in stl_io::create_stl_reader(&mut Cursor::new(plain_stl(bytes)))? {
            let triangle = facet?.vertices.map(|corner| {
                // Adding zero turns −0 into +0, so that both are one key.
                let corner = corner.0.map(|x| x + 0.0);
                *index_of.entry(corner.map(f32::to_bits)).or_insert_with(|| {
                    mesh.vertices.push(Vec3::from(corner.map(f64::from)));
                    mesh.vertices.len() - 1
                })
            });
            let [a, b, c] = triangle;
            // Slivers collapse to an edge in single precision; they bound no volume.
            if a != b && b != c && c != a {
                mesh.triangles.push(triangle);
            }
        }
        Ok(mesh)
    }

    /// The mesh with all positions multiplied by a factor.
    pub fn scaled(&self, factor: f64) -> TriangleMesh {
        TriangleMesh {
            vertices: self.vertices.iter().map(|vertex| vertex * factor).collect(),
            triangles: self.triangles.clone(),
        }
    }

    /// Whether every edge belongs to two triangles that pass it in opposite directions.
    pub fn check_closed(&self) -> Result<(), MassError> {
        self.check_indices()?;
        // Per edge: how often it is passed towards the larger index, and how often back.
        let mut passes: HashMap<(usize, usize), (usize, usize)> = HashMap::new();
        for &[a, b, c] in &self.triangles {
            for (from, to) in [(a, b), (b, c), (c, a)] {
                let pass = passes.entry((from.min(to), from.max(to))).or_default();
                if from < to {
                    pass.0 += 1;
                } else {
                    pass.1 += 1;
                }
            }
        }
        let edges = passes.len();
        let count =
            |fault: fn(usize, usize) -> bool| passes.values().filter(|&&(to, back)| fault(to, back)).count();
        let open = count(|to, back| to + back == 1);
        let branched = count(|to, back| to + back > 2);
        let clashing = count(|to, back| to + back == 2 && to != back);
        if open > 0 {
            return Err(MassError::OpenMesh { open, edges });
        }
        if branched > 0 {
            return Err(MassError::BranchedMesh { branched, edges });
        }
        if clashing > 0 {
            return Err(MassError::MixedOrientation { clashing, edges });
        }
        Ok(())
    }

    fn check_indices(&self) -> Result<(), MassError> {
        if self.triangles.is_empty() {
            return Err(MassError::EmptyMesh);
        }
        let count = self.vertices.len();
        for (triangle, corners) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&vertex| vertex >= count) {
                return Err(MassError::NoSuchVertex { triangle, vertex, count });
            }
        }
        Ok(())
    }

    /// Centre and diagonal of the box around the vertices.
    fn bounds(&self) -> (Vec3, f64) {
        let mut low = Vec3::repeat(f64::INFINITY);
        let mut high = Vec3::repeat(f64::NEG_INFINITY);
        for vertex in &self.vertices {
            low = low.inf(vertex);
            high = high.sup(vertex);
        }
        (low + (high - low) / 2.0, (high - low).norm())
    }

    /// Volume integrals by signed tetrahedra from a point o to each triangle (a, b, c):
    ///
    /// ```text
    /// V = det(a,b,c)/6,  ∫x dV = V s/4,  ∫xxᵀdV = V(aaᵀ + bbᵀ + ccᵀ + ssᵀ)/20,  s = a + b + c.
    /// ```
    ///
    /// They are exact. With o in the middle of the mesh no digits are lost to a distant origin.
    pub(crate) fn solid(&self) -> Result<UniformSolid, MassError> {
        self.check_closed()?;
        for vertex in &self.vertices {
            all_finite("position of a vertex of the mesh", vertex.as_slice())?;
        }
        let (middle, extent) = self.bounds();
        let (mut volume, mut first, mut second) = (0.0, Vec3::zeros(), Mat3::zeros());
        for triangle in &self.triangles {
            let [a, b, c] = triangle.map(|vertex| self.vertices[vertex] - middle);
            let part = a.dot(&b.cross(&c)) / 6.0;
            let s = a + b + c;
            volume += part;
            first += part / 4.0 * s;
            second += part / 20.0 * (dyad(&a) + dyad(&b) + dyad(&c) + dyad(&s));
        }
        not_flat("mesh", volume.abs(), extent)?;
        // Inward normals change the sign of all three integrals, which the quotients do not see.
        let centre = first / volume;
        Ok(UniformSolid {
            volume: volume.abs(),
            centre: middle + centre,
            spread: second / volume - dyad(&centre),
        })
    }
}

/// Binary or text STL brought into the one form of each that the reader accepts.
///
/// A binary file is known by its length, because its free header may start with "solid" too. In a
/// text file the solid may be unnamed, capitalised or one of several; all facets are taken.
fn plain_stl(mut bytes: Vec<u8>) -> Vec<u8> {
    if is_binary_stl(&bytes) {
        bytes[..80].fill(0);
        return bytes;
    }
    let text = String::from_utf8_lossy(&bytes).to_ascii_lowercase();
    if !text.trim_start().starts_with("solid") {
        return bytes;
    }
    let mut plain = String::from("solid mesh\n");
    for line in text.lines() {
        let keyword = line.split_whitespace().next().unwrap_or("");
        if !matches!(keyword, "solid" | "endsolid") {
            plain.push_str(line);
            plain.push('\n');
        }
    }
    plain.push_str("endsolid mesh\n");
    plain.into_bytes()
}

/// Header of 80 bytes, number of facets in four, 50 bytes per facet.
fn is_binary_stl(bytes: &[u8]) -> bool {
    match bytes.get(80..84) {
        Some(&[a, b, c, d]) => {
            let facets = u64::from(u32::from_le_bytes([a, b, c, d]));
            bytes.len() as u64 == 84 + 50 * facets
        }
        _ => false,
    }
}
