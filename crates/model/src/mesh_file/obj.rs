//! Wavefront OBJ: the lines `v x y z` and `f a b c …`; all others are for materials and textures.

use super::MeshError;
use poinsot_geometry::Vec3;
use poinsot_mechanics::mass_properties::TriangleMesh;

/// The triangles of a file; polygons are cut into fans.
pub(super) fn read(bytes: &[u8]) -> Result<TriangleMesh, MeshError> {
    let text = String::from_utf8_lossy(bytes);
    let mut mesh = TriangleMesh::default();
    for (number, line) in text.lines().enumerate() {
        let refuse = |why: &str| MeshError::Content(format!("line {}: {why}", number + 1));
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let numbers: Vec<f64> = words.take(3).map_while(|word| word.parse().ok()).collect();
                let [x, y, z] = numbers[..] else { return Err(refuse("a vertex needs three numbers")) };
                mesh.vertices.push(Vec3::new(x, y, z));
            }
            Some("f") => {
                let corners: Option<Vec<usize>> =
                    words.map(|word| corner(word, mesh.vertices.len())).collect();
                let corners = corners.ok_or_else(|| refuse("a face names a vertex that is not there"))?;
                let [first, rest @ ..] = &corners[..] else { return Err(refuse("a face without corners")) };
                mesh.triangles.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
            }
            _ => {}
        }
    }
    Ok(mesh)
}

/// The index of `7`, `7/1`, `7/1/3` or `-1`, which counts from the last vertex.
fn corner(word: &str, vertices: usize) -> Option<usize> {
    let number: i64 = word.split('/').next()?.parse().ok()?;
    let index = if number < 0 { vertices as i64 + number } else { number - 1 };
    usize::try_from(index).ok().filter(|index| *index < vertices)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polygons_become_fans() {
        let text =
            "# square\nv 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvn 0 0 1\nf 1/1/1 2/2/1 3/3/1 4/4/1\nf -4 -3 -2\n";
        let mesh = read(text.as_bytes()).unwrap();
        assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3], [0, 1, 2]]);
        assert_eq!(mesh.vertices[2], Vec3::new(1.0, 1.0, 0.0));
    }

    #[test]
    fn mistakes_name_their_line() {
        for (text, line) in
            [("v 1 2", "line 1"), ("v 0 0 0\nf 1 2 3", "line 2"), ("v 0 0 0\nf 0 1 1", "line 2")]
        {
            assert!(read(text.as_bytes()).unwrap_err().to_string().starts_with(line), "{text}");
        }
    }
}
