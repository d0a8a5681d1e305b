//! Elements that read reactions and variables of networks: the assembly tells them both in
//! [`Motion::reactions`], variables last, and adds what changes with them.

use crate::discrete_gradients::StepEnds;
use crate::force::{Force, Motion};
use crate::reaction_reading::ReactionReading;
use crate::variable_reading::VariableReading;
use poinsot_geometry::Vec3;

/// An element whose forces depend on reactions and variables, f_a(x, ẋ, t, ρ). Its carried vectors include
/// those of what it reads.
pub trait PressedElement {
    /// The reactions that it reads; with the variables at most [`MAX_REACTIONS`](crate::MAX_REACTIONS).
    fn reactions(&self) -> &[ReactionReading];

    /// The variables of networks that it reads: ρ_j behind the reactions.
    fn variables(&self) -> &[VariableReading] {
        &[]
    }

    /// Adds ∂f_a/∂ρ_j.
    fn by_reaction(&self, j: usize, at: &Motion, f: &mut [Vec3]);

    /// Adds ∂f_a/∂ρ_j of the mean force over a step.
    fn by_reaction_over_step(&self, j: usize, step: &StepEnds, f: &mut [Vec3]);
}

/// What a force reads of reactions.
pub(crate) fn reactions_of(law: &dyn Force) -> &[ReactionReading] {
    law.extensions().pressed.map_or(&[], |element| element.reactions())
}
