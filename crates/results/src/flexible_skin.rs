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
    /// Of each shape the stresses of the vertices on one side after the other, six numbers each.
    stresses: Vec<Vec<[f64; 6]>>,
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
        let stresses = scene.stresses.as_ref().map_or(Some(vec![]), |block| block.numbers())?;
        let whole = stresses.is_empty() || stresses.len().is_multiple_of(6 * rest.len() * scene.shapes);
        let fits = whole
            && displacements.len() == 3 * rest.len() * scene.shapes
            && corners.iter().all(|&k| (k as usize) < rest.len());
        fits.then(|| FlexibleSkin {
            frame: scene.frame,
            first: scene.first,
            shapes: displacements.chunks_exact((3 * rest.len()).max(1)).map(vectors).collect(),
            triangles: corners.chunks_exact(3).map(|t| [0, 1, 2].map(|i| t[i] as usize)).collect(),
            stresses: stresses
                .chunks_exact((stresses.len() / scene.shapes.max(1)).max(1))
                .map(|shape| shape.chunks_exact(6).map(|s| std::array::from_fn(|i| s[i])).collect())
                .collect(),
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

    /// The larger one of the equivalent stresses of the sides at each vertex; none if there are no stresses.
    ///
    /// σ_v² = ((σ_x − σ_y)² + (σ_y − σ_z)² + (σ_z − σ_x)²)/2 + 3 (τ_yz² + τ_xz² + τ_xy²)
    pub fn von_mises(&self, state: &Snapshot) -> Option<Vec<f64>> {
        let mut sum = vec![[0.0; 6]; self.stresses.first()?.len()];
        for (k, shape) in self.stresses.iter().enumerate() {
            let q = state.amplitudes.get(self.first + k).copied().unwrap_or(0.0);
            sum.iter_mut().zip(shape).for_each(|(sum, s)| (0..6).for_each(|i| sum[i] += s[i] * q));
        }
        let mut largest = vec![0.0; self.rest.len()];
        for (k, [x, y, z, yz, xz, xy]) in sum.into_iter().enumerate() {
            let normal = (x - y).powi(2) + (y - z).powi(2) + (z - x).powi(2);
            let equivalent = (0.5 * normal + 3.0 * (yz * yz + xz * xz + xy * xy)).sqrt();
            let vertex = k % self.rest.len();
            largest[vertex] = f64::max(largest[vertex], equivalent);
        }
        Some(largest)
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
            // The second shape: tension on one side, shear on the other.
            stresses: Some(Block::f32(
                &[2, 2, 3, 6],
                (0..72).map(|k| match k {
                    36 => 8.0,
                    57 => 4.0,
                    _ => 0.0,
                }),
            )),
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
        let stresses = skin.von_mises(&state).unwrap();
        // 36 + 18 + 3: the first vertex on the other side, yz.
        for (found, expected) in stresses.iter().zip([2.0, 0.0, 0.0]) {
            assert!((found - expected).abs() < 1e-12, "{stresses:?}");
        }
        let triangles = Block::u32(&[1, 3], [0, 1, 3]);
        assert_eq!(FlexibleSkin::of(&SceneFlexible { triangles, ..scene }), None);
    }
}
