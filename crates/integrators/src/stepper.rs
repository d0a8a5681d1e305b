//! What all integrations in progress have in common.

use crate::control::ErrorMeasure;
use crate::step_failure::StepFailure;
use crate::step_report::{Attempt, Counters, StepReport};
use poinsot_mechanics::{Power, State};

/// An integration in progress.
pub trait Stepper {
    /// The current state.
    fn state(&self) -> &State;

    /// Tries a step of length h; the state does not change before [`Stepper::accept`].
    fn attempt(&mut self, h: f64) -> Result<Attempt, StepFailure>;

    /// Takes the step that was tried last.
    fn accept(&mut self) -> StepReport;

    /// Advances by h. On failure the state is that before the step.
    fn step(&mut self, h: f64) -> Result<StepReport, StepFailure> {
        self.attempt(h)?;
        Ok(self.accept())
    }

    /// A step not longer than `h` that costs less, if there is one near it.
    fn convenient_step(&self, h: f64) -> f64 {
        h
    }

    /// The power of the step with which the estimated error goes.
    fn exponent(&self) -> usize;

    /// The state at a time inside the last step, if the method has a polynomial of its own.
    fn interpolate(&mut self, _t: f64, _out: &mut State) -> bool {
        false
    }

    /// The state at a time inside the step that was tried last, or little after it, before the step is taken,
    /// if the method has a polynomial of its own.
    fn look_ahead(&mut self, _t: f64, _out: &mut State) -> bool {
        false
    }

    /// Whether the method has a polynomial of its own for [`Stepper::look_ahead`].
    fn looks_ahead(&self) -> bool {
        false
    }

    /// Starts anew at a consistent state of the same system, with nothing counted, in the memory at hand.
    /// What follows is the same to the last bit as with [`Integrator::start`](crate::Integrator::start) and
    /// the same tolerances. False, and nothing has changed, if the method cannot.
    fn restart(&mut self, _state: &State) -> Result<bool, StepFailure> {
        Ok(false)
    }

    /// Rates of the variables of networks at the state, among other numbers.
    fn rates(&self) -> &[f64];

    /// Measures errors with these tolerances, by a method that estimates any.
    fn set_tolerances(&mut self, measure: ErrorMeasure);

    /// Sets the time exactly, to keep rounding of t + h from accumulating.
    fn snap_time(&mut self, t: f64);

    /// What the integration has cost so far.
    fn counters(&self) -> &Counters;

    /// Accelerations and multipliers inside the last step, with the fraction of the step at which they stand;
    /// before the first step those of the start, if known.
    fn stage(&self) -> (f64, &[f64]);

    /// Energy supplied and dissipated in the last step, by a method that has a quadrature of its own.
    fn work(&self) -> Option<Power> {
        None
    }

    /// How far the last step matrix is from singular: about the sine of the angle between a constraint row
    /// and the others, if the method knows.
    fn firmness(&self) -> Option<f64> {
        None
    }

    /// How often independent coordinates were chosen anew, by a method that has any.
    fn rechoices(&self) -> usize {
        0
    }

    /// What the steps so far say against the method, if anything.
    fn warning(&self) -> Option<&'static str> {
        None
    }
}
