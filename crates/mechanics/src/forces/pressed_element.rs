//! Elements that read reactions: the assembly tells them ρ in [`Motion::reactions`] and adds what changes
//! with ρ.

use crate::discrete_gradients::StepEnds;
use crate::force::{Force, Motion};
use crate::reaction_reading::ReactionReading;
use poinsot_geometry::Vec3;

/// An element whose forces depend on reactions, f_a(x, ẋ, t, ρ). Its carried vectors include those of what it
/// reads.
pub trait PressedElement {
    /// What it reads, at most [`MAX_REACTIONS`](crate::MAX_REACTIONS).
    fn reactions(&self) -> &[ReactionReading];

    /// Adds ∂f_a/∂ρ_j.
    fn by_reaction(&self, j: usize, at: &Motion, f: &mut [Vec3]);

    /// Adds ∂f_a/∂ρ_j of the mean force over a step.
    fn by_reaction_over_step(&self, j: usize, step: &StepEnds, f: &mut [Vec3]);
}

/// What a force reads of reactions.
pub(crate) fn reactions_of(law: &dyn Force) -> &[ReactionReading] {
    law.extensions().pressed.map_or(&[], |element| element.reactions())
}
