//! What there is to see of a flexible body: its skin, and how each shape moves it.

use poinsot_flexible::{ReducedBody, Skin};
use poinsot_geometry::Vec3;
use poinsot_model::spec::FlexibleSpec;
use poinsot_results::Block;
use poinsot_results::scene::SceneFlexible;
use std::collections::HashMap;
use std::f64::consts::TAU;

/// Corners around a line.
const AROUND: usize = 12;
/// Least radius of a line that is drawn, in lengths of the model: a wire is still seen.
const WIRE: f64 = 0.003;
/// Radius of a grid point, likewise.
const POINT: f64 = 0.008;
/// Most grid points that are drawn.
const MOST_POINTS: usize = 4000;

/// The surface of a flexible body whose first shape is number `first` of all.
pub fn scene_flexible(spec: &FlexibleSpec, first: usize, length: f64) -> SceneFlexible {
    let surface = Surface::of(&spec.body, length);
    let (n, shapes) = (surface.vertices.len(), spec.body.size());
    let numbers = |v: &Vec3| [v.x as f32, v.y as f32, v.z as f32];
    let displaced = (0..shapes).flat_map(|k| {
        let of_node = move |node: usize| (0..3).map(move |i| spec.body.shapes[(3 * node + i, k)] as f32);
        surface.vertices.iter().flat_map(move |(_, node)| of_node(*node))
    });
    SceneFlexible {
        name: spec.name.clone(),
        frame: spec.frame,
        first,
        shapes,
        displacements: Block::f32(&[shapes, n, 3], displaced),
        vertices: Block::f32(&[n, 3], surface.vertices.iter().flat_map(|(v, _)| numbers(v))),
        triangles: Block::u32(&[surface.triangles.len(), 3], surface.triangles.iter().flatten().copied()),
        stresses: stresses(spec, &surface),
        color: None,
    }
}

/// Stresses of each shape at the vertices, side by side; where a node has none they are zero.
fn stresses(spec: &FlexibleSpec, surface: &Surface) -> Option<Block> {
    let found = spec.body.stresses.as_ref()?;
    let mut places: HashMap<usize, Vec<usize>> = HashMap::new();
    found.nodes.iter().enumerate().for_each(|(place, &node)| places.entry(node).or_default().push(place));
    let sides = places.values().map(Vec::len).max()?;
    let mut numbers: Vec<f32> = vec![];
    for shape in found.values.column_iter() {
        for side in 0..sides {
            for (_, node) in &surface.vertices {
                let place = places.get(node).map(|all| all[side.min(all.len() - 1)]);
                numbers.extend((0..6).map(|i| place.map_or(0.0, |place| shape[6 * place + i] as f32)));
            }
        }
    }
    Some(Block::f32(&[found.values.ncols(), sides, surface.vertices.len(), 6], numbers))
}

/// Triangles between vertices that each go with a node.
#[derive(Default)]
struct Surface {
    /// Place and node.
    vertices: Vec<(Vec3, usize)>,
    triangles: Vec<[u32; 3]>,
}

impl Surface {
    fn of(body: &ReducedBody, length: f64) -> Surface {
        let mut surface = Surface::default();
        surface.skin(&body.nodes, &body.skin, length);
        if surface.triangles.is_empty() {
            let step = body.nodes.len().div_ceil(MOST_POINTS).max(1);
            (0..body.nodes.len())
                .step_by(step)
                .for_each(|node| surface.point(&body.nodes[node], node, POINT * length));
        }
        surface
    }

    fn skin(&mut self, nodes: &[Vec3], skin: &Skin, length: f64) {
        let mut vertex_of: HashMap<usize, u32> = HashMap::new();
        for triangle in &skin.triangles {
            let corners = triangle.map(|node| {
                *vertex_of.entry(node).or_insert_with(|| {
                    self.vertices.push((nodes[node], node));
                    self.vertices.len() as u32 - 1
                })
            });
            self.triangles.push(corners);
        }
        for &(ends, radius) in &skin.lines {
            self.line(ends.map(|node| (nodes[node], node)), radius.max(WIRE * length));
        }
    }

    /// A round rod between two nodes, open where the next one goes on.
    fn line(&mut self, ends: [(Vec3, usize); 2], radius: f64) {
        let Some(along) = (ends[1].0 - ends[0].0).try_normalize(0.0) else { return };
        let across = along.cross(&if along.x.abs() < 0.5 { Vec3::x() } else { Vec3::y() }).normalize();
        let (other, first) = (along.cross(&across), self.vertices.len() as u32);
        for k in 0..AROUND {
            let (sin, cos) = (TAU * k as f64 / AROUND as f64).sin_cos();
            let out = (across * cos + other * sin) * radius;
            self.vertices.extend(ends.map(|(place, node)| (place + out, node)));
        }
        let n = AROUND as u32;
        for k in 0..n {
            let [a, b] = [first + 2 * k, first + 2 * ((k + 1) % n)];
            self.triangles.extend([[a, b, b + 1], [a, b + 1, a + 1]]);
        }
        for k in 2..n {
            let [a, b, c] = [0, k - 1, k].map(|k| first + 2 * k);
            self.triangles.extend([[a, c, b], [a + 1, b + 1, c + 1]]);
        }
    }

    /// A grid point as an octahedron.
    fn point(&mut self, place: &Vec3, node: usize, radius: f64) {
        let first = self.vertices.len() as u32;
        for k in 0..6 {
            let mut out = Vec3::zeros();
            out[k % 3] = if k < 3 { radius } else { -radius };
            self.vertices.push((place + out, node));
        }
        // An octant each; turned around where an odd number of axes is negative.
        for octant in 0..8_u32 {
            let [x, y, z] = [0, 1, 2].map(|i| first + i + if octant >> i & 1 == 1 { 3 } else { 0 });
            self.triangles.push(if octant.count_ones() % 2 == 0 { [x, y, z] } else { [x, z, y] });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// V = Σ a·(b × c)/6.
    fn volume(surface: &Surface) -> f64 {
        let at = |k: u32| surface.vertices[k as usize].0;
        surface.triangles.iter().map(|&[a, b, c]| at(a).dot(&at(b).cross(&at(c))) / 6.0).sum()
    }

    #[test]
    fn rods_and_points_are_closed_and_look_outwards() {
        let mut rod = Surface::default();
        let [a, b] = [Vec3::new(0.1, 0.2, 0.3), Vec3::new(0.1, 1.2, 0.3)];
        rod.line([(a, 0), (b, 1)], 0.1);
        let area = 0.5 * AROUND as f64 * 0.01 * (TAU / AROUND as f64).sin();
        assert!((volume(&rod) - area).abs() < 1e-14, "{}", volume(&rod));
        let mut point = Surface::default();
        point.point(&a, 0, 0.3);
        assert!((volume(&point) - 4.0 / 3.0 * 0.027).abs() < 1e-14, "{}", volume(&point));
    }
}
