//! A step as a map from state to state, with its exact derivative: what periodic motions, their stability and
//! sensitivities are made of.
//!
//! ```text
//! x⁺ = φ(x, h),     δx⁺ = Φ δx + φ_h δh,     Φ = ∂φ/∂x
//! ```
//! A change δx of a state is {δq ; δw}, 2n numbers for a system of n unknowns: increments of the nodes in
//! their charts, then changes of velocities and variables, as `State::v` has them. Entries of multipliers are
//! zero. A state on the constraints has changes with G δq = 0 and G δv + ∂(G v)/∂q δq = 0; φ ends on them, so
//! that Φ gives such changes for such changes.

use crate::step_failure::StepFailure;
use poinsot_mechanics::State;

/// A step as a map that can be differentiated. It keeps what its derivative needs of the step taken last.
pub trait StepMap {
    /// 2n: length of a change of a state.
    fn size(&self) -> usize;

    /// The end of a step of length h after a consistent state.
    fn advance(&mut self, start: &State, h: f64, end: &mut State) -> Result<(), StepFailure>;

    /// The next step is that over a place of a mesh, or one over the part of it that begins at a fraction: it
    /// may begin with what the place came to before. Its end is the same to rounding.
    fn resume(&mut self, _place: usize, _from: f64) {}

    /// Every place of the mesh falls into two halves.
    fn halve(&mut self) {}

    /// Places of a mesh are other ones from now on.
    fn forget(&mut self) {}

    /// Φ δx about the step taken last, for some changes one after the other.
    fn push(&mut self, changes: &[f64], out: &mut [f64]);

    /// Φᵀ y about the step taken last.
    fn pull(&mut self, changes: &[f64], out: &mut [f64]);

    /// φ_h of the step taken last: how its end changes with its length.
    fn by_length(&mut self, out: &mut [f64]);
}
