//! Elements to which a law can add: forces along the element's own directions.
//!
//! ```text
//! f_a = Σ_i e_i B_ai(x)          efforts e_i: components of a load, the tension of a spring
//! ```

use crate::coordinate::Coordinate;
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::Blocks;
use crate::force::Motion;
use poinsot_geometry::Vec3;

/// Most inputs of an element: those of a bushing.
pub const MAX_INPUTS: usize = 6;

/// An element with inputs.
pub trait InputElement {
    /// How many inputs it has, at most [`MAX_INPUTS`].
    fn inputs(&self) -> usize;

    /// How many of its vectors the inputs push: the first ones.
    fn pushed(&self) -> usize;

    /// Whether the element by itself gives no force, whatever the motion.
    fn is_idle(&self) -> bool;

    /// The coordinate s of its own vectors, in their order, against which its only input pulls:
    /// f_a = −e ∂s/∂x_a.
    fn against(&self) -> Option<&Coordinate> {
        None
    }

    /// Adds Σ_i e_i B_ai.
    fn push(&self, efforts: &[f64], at: &Motion, f: &mut [Vec3]);

    /// Adds Σ_i e_i ∂B_ai/∂x_b.
    fn push_tangent(&self, efforts: &[f64], at: &Motion, k: &mut Blocks);

    /// Adds Σ_i e_i B_ai over a step.
    fn push_over_step(&self, efforts: &[f64], step: &StepEnds, f: &mut [Vec3]) {
        self.push(efforts, &step.motion(), f);
    }

    /// Adds Σ_i e_i ∂B_ai/∂x⁺_b of [`InputElement::push_over_step`].
    fn push_tangent_over_step(&self, efforts: &[f64], step: &StepEnds, k: &mut Blocks) {
        let from = k.entries().len();
        self.push_tangent(efforts, &step.motion(), k);
        k.entries_mut(from).iter_mut().for_each(|block| block.value *= 0.5);
    }
}
