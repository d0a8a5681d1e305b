//! Stresses of the shapes of a reduced body: σ(X) = Σ_k σ_k(X) q_k at nodes of its skin.

use crate::continuum::{stress_of_voigt, voigt_of_stress, von_mises};
use crate::{FiniteElements, FlexibleError, Skin};
use nalgebra::DMatrix;
use poinsot_geometry::Mat3;
use serde::{Deserialize, Serialize};

/// Stresses of each shape at places of the skin. A node of a shell has two places, one on each face.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ShapeStresses {
    /// The node of each place.
    pub nodes: Vec<usize>,
    /// Six rows for each place, xx, yy, zz, yz, xz, xy in body axes (Pa), a column for each shape.
    #[serde(with = "crate::kept_matrix")]
    pub values: DMatrix<f64>,
}

impl ShapeStresses {
    /// σ at a place, for amounts q of the shapes.
    pub fn at(&self, place: usize, q: &[f64]) -> Mat3 {
        let mut sum = nalgebra::Vector6::zeros();
        for (column, q) in self.values.column_iter().zip(q) {
            sum += column.fixed_rows::<6>(6 * place) * *q;
        }
        stress_of_voigt(&sum)
    }

    /// Equivalent stress of von Mises at a place.
    pub fn von_mises(&self, place: usize, q: &[f64]) -> f64 {
        von_mises(&self.at(place, q))
    }

    /// The largest equivalent stress, and its node.
    pub fn largest(&self, q: &[f64]) -> (usize, f64) {
        let all = (0..self.nodes.len()).map(|place| (self.nodes[place], self.von_mises(place, q)));
        all.fold((0, 0.0), |most, next| if next.1 > most.1 { next } else { most })
    }
}

impl FiniteElements<'_> {
    /// Stresses of shapes, whose columns have a row for each unknown, at the nodes of a skin. None for bodies
    /// of lines, which have forces through sections instead.
    pub fn shape_stresses(
        &self,
        skin: &Skin,
        shapes: &DMatrix<f64>,
    ) -> Result<Option<ShapeStresses>, FlexibleError> {
        let mut seen: Vec<usize> = skin.triangles.iter().flatten().copied().collect();
        seen.sort_unstable();
        seen.dedup();
        let (mut nodes, mut columns): (Vec<usize>, Vec<f64>) = (vec![], vec![]);
        for shape in shapes.column_iter() {
            let found = self.stresses(shape.into_owned().as_slice())?;
            let of_node = |node: usize| {
                let faces = found.shells[node].map(|shell| [shell.above, shell.below]);
                found.nodes[node].into_iter().chain(faces.into_iter().flatten())
            };
            nodes = seen.iter().flat_map(|&node| of_node(node).map(move |_| node)).collect();
            let stresses = seen.iter().flat_map(|&node| of_node(node));
            columns.extend(stresses.flat_map(|stress| <[f64; 6]>::from(voigt_of_stress(&stress))));
        }
        let values = DMatrix::from_vec(6 * nodes.len(), shapes.ncols(), columns);
        Ok((!nodes.is_empty()).then_some(ShapeStresses { nodes, values }))
    }
}
