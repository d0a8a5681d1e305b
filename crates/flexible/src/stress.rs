//! Stresses of displacements of a body.

use crate::elements::{ElementStress, SectionForces};
use crate::{FiniteElements, FlexibleError};
use poinsot_geometry::Mat3;

/// Stresses at nodes and forces through beams.
#[derive(Clone, Debug, PartialEq)]
pub struct Stresses {
    /// At each node of solids and plane faces: extrapolated from inside of each element, then the mean of the
    /// elements. Where different materials meet, it is the mean of stresses that jump.
    pub nodes: Vec<Option<Mat3>>,
    /// At each node of shells, likewise.
    pub shells: Vec<Option<ShellStress>>,
    /// Of each bar and beam: element, and what goes through its two ends.
    pub lines: Vec<(usize, [SectionForces; 2])>,
}

/// Stresses on the two faces of a shell, body axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ShellStress {
    /// On the face from which the nodes go around counter-clockwise.
    pub above: Mat3,
    /// On the other face.
    pub below: Mat3,
}

/// Sum of stresses and how many.
#[derive(Clone, Copy, Default)]
struct Mean {
    sum: Mat3,
    count: f64,
}

impl Mean {
    fn add(&mut self, stress: &Mat3) {
        self.sum += stress;
        self.count += 1.0;
    }

    fn get(&self) -> Option<Mat3> {
        (self.count > 0.0).then(|| self.sum / self.count)
    }
}

impl FiniteElements<'_> {
    /// Stresses of displacements: linear in them, so that those of a shape of a reduced body are its share.
    pub fn stresses(&self, displacements: &[f64]) -> Result<Stresses, FlexibleError> {
        self.check_length(displacements)?;
        let size = self.mesh().nodes.len();
        let (mut solids, mut above, mut below) =
            (vec![Mean::default(); size], vec![Mean::default(); size], vec![Mean::default(); size]);
        let mut lines = vec![];
        for (index, element) in self.elements() {
            let own = self.gather(index, &*element, displacements);
            let nodes = &self.mesh().elements[index].nodes;
            let add = |means: &mut [Mean], stresses: &[Mat3]| {
                nodes.iter().zip(stresses).for_each(|(&node, stress)| means[node].add(stress));
            };
            match element.stresses(&own) {
                ElementStress::Nodes(stresses) => add(&mut solids, &stresses),
                ElementStress::Faces { above: top, below: bottom } => {
                    add(&mut above, &top);
                    add(&mut below, &bottom);
                }
                ElementStress::Sections(ends) => lines.push((index, ends)),
            }
        }
        let faces = above.iter().zip(&below);
        Ok(Stresses {
            nodes: solids.iter().map(Mean::get).collect(),
            shells: faces.map(|(a, b)| Some(ShellStress { above: a.get()?, below: b.get()? })).collect(),
            lines,
        })
    }
}
