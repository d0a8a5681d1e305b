//! The size of shapes: numbers of a body whose shapes have size 1 are lengths, as its places are.

use super::Reduced;
use crate::{Component, FullBody, ReducedBody, Unknown};
use nalgebra::DMatrix;

/// A displacement below this share of rotation times size of the body is rounding.
const NO_DISPLACEMENT: f64 = 1e-6;

impl Reduced {
    /// The same body with shapes of size 1.
    pub fn in_metres(mut self, full: &FullBody) -> Self {
        let extent = full.nodes.iter().map(|place| (place - full.nodes[0]).norm()).fold(0.0, f64::max);
        let size = |k| size_of_shape(&self.body, full, &self.shapes, extent, k);
        let sizes: Vec<f64> = (0..self.body.size()).map(size).collect();
        let scale: Vec<f64> = sizes.iter().map(|size| if *size > 0.0 { 1.0 / size } else { 1.0 }).collect();
        self.body.scale_shapes(&scale);
        for (mut shape, scale) in self.shapes.column_iter_mut().zip(&scale) {
            shape *= *scale;
        }
        self
    }
}

/// The size of shape k: its largest displacement of a node, m. Where nodes only turn, as those of a straight
/// line in torsion do, it is their largest rotation times the size of the body.
fn size_of_shape(body: &ReducedBody, full: &FullBody, shapes: &DMatrix<f64>, extent: f64, k: usize) -> f64 {
    let nodes = body.shapes.column(k);
    let moved = nodes.as_slice().chunks(3).map(|u| u[0].hypot(u[1]).hypot(u[2])).fold(0.0, f64::max);
    let turns = |unknown: &Unknown| matches!(unknown.component, Component::Rotation(_));
    let turned = |a: usize| if turns(&full.unknowns[a]) { shapes[(a, k)].abs() } else { 0.0 };
    let turned = extent * (0..full.unknowns.len()).map(turned).fold(0.0, f64::max);
    if moved > NO_DISPLACEMENT * turned { moved } else { turned }
}

impl ReducedBody {
    /// Multiplies each shape by a number.
    fn scale_shapes(&mut self, scale: &[f64]) {
        let n = self.size();
        for k in 0..n {
            self.inertia.mean[k] *= scale[k];
            self.inertia.moments[k] *= scale[k];
            for l in 0..n {
                let factor = scale[k] * scale[l];
                self.inertia.products[k * n + l] *= factor;
                self.stiffness[(k, l)] *= factor;
                self.damping[(k, l)] *= factor;
                if let Some(geometric) = &mut self.geometric {
                    geometric.mean[k * n + l] *= factor;
                    geometric.moments[k * n + l] *= factor;
                    for load in &mut geometric.loads {
                        load[k * n + l].iter_mut().for_each(|value| *value *= factor);
                    }
                }
            }
            for interface in &mut self.interfaces {
                interface.displacements[k] *= scale[k];
                interface.rotations[k] *= scale[k];
            }
            self.shapes.column_mut(k).scale_mut(scale[k]);
            if let Some(stresses) = &mut self.stresses {
                stresses.values.column_mut(k).scale_mut(scale[k]);
            }
        }
    }
}
