//! Deformation that acts back on nothing: the linear theory of elastodynamics.
//!
//! ```text
//! m_kl q̈_l = −K q − D q̇ − S̄_k·γ − h_k·α + ½ ω·J_k ω + Σ_i (S_ki·λ_i + φ_ki·μ_i)
//! ```
//! Frame and interfaces move as those of a rigid body. The shapes are loaded by its inertia and weight at
//! q = 0, and by the forces λ_i and torques μ_i, frame axes, with which the ties hold the interfaces.
//! This element is the last sum, for one interface: it reads the multipliers of the six rows of its tie.

use crate::constraint::Constraint;
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::Blocks;
use crate::force::{Extensions, Force, Motion, Power};
use crate::forces::PressedElement;
use crate::nodes::carried::{Carried, NodeId};
use crate::reaction_reading::{ReactionPart, ReactionReading};
use poinsot_geometry::Vec3;

/// Rows of a tie: three of place, three of rotation.
const ROWS: usize = 6;

/// Loads the shapes with what the tie of an interface transmits.
#[derive(Clone, Debug)]
pub struct TransmittedLoad {
    carried: Vec<Carried>,
    /// For each shape S_k and φ_k of the interface.
    shapes: Vec<[f64; ROWS]>,
    readings: Vec<ReactionReading>,
}

impl TransmittedLoad {
    /// On the numbers q_k, from the tie that is constraint `constraint` of the system.
    pub fn new(
        numbers: &[NodeId],
        (constraint, tie): (usize, &dyn Constraint),
        displacements: &[Vec3],
        rotations: &[Vec3],
    ) -> Self {
        let reading =
            |row| ReactionReading::new(constraint, tie, ReactionPart::Multiplier { row, factor: 1.0 });
        let six = |(s, turn): (&Vec3, &Vec3)| [s.x, s.y, s.z, turn.x, turn.y, turn.z];
        TransmittedLoad {
            carried: numbers.iter().map(|&node| Carried::point(node, Vec3::zeros())).collect(),
            shapes: displacements.iter().zip(rotations).map(six).collect(),
            readings: (0..ROWS).map(reading).collect(),
        }
    }
}

impl Force for TransmittedLoad {
    fn kind(&self) -> &'static str {
        "transmitted load"
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        for (f, shape) in f.iter_mut().zip(&self.shapes) {
            f.x += shape.iter().zip(at.reactions).map(|(s, lambda)| s * lambda).sum::<f64>();
        }
    }

    fn tangent(&self, _at: &Motion, _k: &mut Blocks, _c: &mut Blocks) {}

    fn sees_velocity(&self) -> bool {
        false
    }

    /// It does work on the shapes alone, whose energy does not count.
    fn power(&self, _at: &Motion) -> Power {
        Power::default()
    }

    fn is_active(&self) -> bool {
        true
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions { pressed: Some(self), ..Extensions::default() }
    }
}

impl PressedElement for TransmittedLoad {
    fn reactions(&self) -> &[ReactionReading] {
        &self.readings
    }

    fn by_reaction(&self, j: usize, _at: &Motion, f: &mut [Vec3]) {
        f.iter_mut().zip(&self.shapes).for_each(|(f, shape)| f.x += shape[j]);
    }

    fn by_reaction_over_step(&self, j: usize, _step: &StepEnds, f: &mut [Vec3]) {
        f.iter_mut().zip(&self.shapes).for_each(|(f, shape)| f.x += shape[j]);
    }
}
