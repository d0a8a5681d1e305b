//! Surfaces that deform: r = R + A (X + Σ_k S_k(X) q_k) at each vertex.

use crate::scene::SceneFlexible;
use crate::snapshot::Snapshot;
use nalgebra::{Isometry3, Point3, Vector3};

type Vector = Vector3<f64>;

/// A surface of a scene with its numbers at hand.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct FlexibleSkin {
    /// The body that is its floating frame.
    frame: usize,
    /// Its first number among those of a snapshot.
    first: usize,
    /// X of each vertex.
    rest: Vec<Vector>,
    /// S_k of each vertex, shape by shape.
    shapes: Vec<Vec<Vector>>,
    /// Vertices of the triangles.
    pub triangles: Vec<[usize; 3]>,
}

impl FlexibleSkin {
    /// None if blocks are damaged or do not fit each other.
    pub fn of(scene: &SceneFlexible) -> Option<FlexibleSkin> {
        let vectors = |numbers: &[f64]| -> Vec<Vector> {
            numbers.chunks_exact(3).map(Vector::from_column_slice).collect()
        };
        let rest = vectors(&scene.vertices.numbers()?);
        let displacements = scene.displacements.numbers()?;
        let corners = scene.triangles.numbers()?;
        let fits = displacements.len() == 3 * rest.len() * scene.shapes
            && corners.iter().all(|&k| (k as usize) < rest.len());
        fits.then(|| FlexibleSkin {
            frame: scene.frame,
            first: scene.first,
            shapes: displacements.chunks_exact((3 * rest.len()).max(1)).map(vectors).collect(),
            triangles: corners.chunks_exact(3).map(|t| [0, 1, 2].map(|i| t[i] as usize)).collect(),
            rest,
        })
    }

    /// Σ_k S_k q_k of each vertex, body axes.
    pub fn displacements(&self, state: &Snapshot) -> Vec<Vector> {
        let mut sum = vec![Vector::zeros(); self.rest.len()];
        for (k, shape) in self.shapes.iter().enumerate() {
            let q = state.amplitudes.get(self.first + k).copied().unwrap_or(0.0);
            sum.iter_mut().zip(shape).for_each(|(sum, s)| *sum += s * q);
        }
        sum
    }

    /// The floating frame.
    pub fn pose(&self, state: &Snapshot) -> Isometry3<f64> {
        state.poses.get(self.frame).copied().unwrap_or_default()
    }

    /// Where the vertices are in the world.
    pub fn points(&self, state: &Snapshot) -> Vec<Vector> {
        let pose = self.pose(state);
        let places = self.rest.iter().zip(self.displacements(state));
        places.map(|(x, u)| (pose * Point3::from(x + u)).coords).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::block::Block;
    use nalgebra::UnitQuaternion;

    #[test]
    fn shapes_move_vertices_in_the_axes_of_their_frame() {
        let scene = SceneFlexible {
            name: "plate".into(),
            frame: 1,
            first: 1,
            shapes: 2,
            vertices: Block::f32(&[3, 3], [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0]),
            displacements: Block::f32(&[2, 3, 3], (0..18).map(|k| if k == 5 || k == 9 { 1.0 } else { 0.0 })),
            triangles: Block::u32(&[1, 3], [0, 1, 2]),
            color: None,
        };
        let skin = FlexibleSkin::of(&scene).unwrap();
        let turn = UnitQuaternion::from_scaled_axis(Vector::x() * std::f64::consts::FRAC_PI_2);
        let pose = Isometry3::from_parts(nalgebra::Translation3::new(0.0, 0.0, 5.0), turn);
        let poses = vec![Isometry3::identity(), pose];
        let state = Snapshot { poses, amplitudes: vec![9.0, 0.5, 0.25], ..Snapshot::default() };
        // The second vertex goes along z of the frame, which is −y of the world; the first along x.
        let expected = [[0.25, 0.0, 5.0], [1.0, -0.5, 5.0], [0.0, 0.0, 6.0]];
        for (point, expected) in skin.points(&state).iter().zip(expected) {
            assert!((point - Vector::from(expected)).norm() < 1e-12, "{point}");
        }
        let triangles = Block::u32(&[1, 3], [0, 1, 3]);
        assert_eq!(FlexibleSkin::of(&SceneFlexible { triangles, ..scene }), None);
    }
}
