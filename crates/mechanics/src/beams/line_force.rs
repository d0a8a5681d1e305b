//! What all loads and moments along a line that read the state tell beside their forces: what they read, and
//! kinks and jumps of their law at each of their points.

use super::line_law::LineLaw;
use crate::discrete_gradients::StepEnds;
use crate::force::{Force, Motion};
use crate::forces::{PiecewiseElement, PressedElement};
use crate::reaction_reading::ReactionReading;
use crate::variable_reading::VariableReading;
use poinsot_expr::Switch;
use poinsot_geometry::Vec3;

/// A load or moment per length on an element that follows a law of the state.
pub(crate) trait LineForce: Force {
    /// Its law.
    fn law(&self) -> &LineLaw;

    /// At how many points the law is evaluated.
    fn points(&self) -> usize;

    /// Puts the section at a point among the arguments of the law.
    fn fill_point(&self, place: usize, at: &Motion, arguments: &mut [f64]);

    /// Adds ∂f_a/∂ρ_j of a reaction or variable.
    fn add_by_reaction(&self, j: usize, at: &Motion, f: &mut [Vec3]);

    /// The same of the mean force over a step.
    fn add_by_reaction_over_step(&self, j: usize, step: &StepEnds, f: &mut [Vec3]) {
        self.add_by_reaction(j, &step.motion(), f);
    }
}

impl<F: LineForce> PressedElement for F {
    fn reactions(&self) -> &[ReactionReading] {
        self.law().reactions()
    }

    fn variables(&self) -> &[VariableReading] {
        self.law().variables()
    }

    fn by_reaction(&self, j: usize, at: &Motion, f: &mut [Vec3]) {
        self.add_by_reaction(j, at, f);
    }

    fn by_reaction_over_step(&self, j: usize, step: &StepEnds, f: &mut [Vec3]) {
        self.add_by_reaction_over_step(j, step, f);
    }
}

/// The law is evaluated at the Gauss points, and each has its kinks at times of its own.
impl<F: LineForce> PiecewiseElement for F {
    fn switches(&self) -> Vec<Switch> {
        self.law().switches().to_vec()
    }

    fn switch_arguments(&self, at: &Motion, arguments: &mut Vec<f64>) {
        self.switch_arguments_at(0, at, arguments);
    }

    fn reads_reactions(&self, switch: &Switch) -> bool {
        self.law().reads_reactions(switch)
    }

    fn places(&self) -> usize {
        self.points()
    }

    fn is_local(&self, switch: &Switch) -> bool {
        self.law().is_local(switch)
    }

    fn switch_arguments_at(&self, place: usize, at: &Motion, arguments: &mut Vec<f64>) {
        let from = arguments.len();
        arguments.resize(from + self.law().count(), 0.0);
        let own = &mut arguments[from..];
        self.law().fill_read(at, own);
        self.fill_point(place, at, own);
    }
}
