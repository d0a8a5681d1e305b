//! Elements whose law has kinks or jumps.

use crate::force::Motion;
use poinsot_expr::Switch;

/// An element with a piecewise law.
pub trait PiecewiseElement {
    /// Functions whose passing a level is a kink or a jump of the force; time is their first argument.
    fn switches(&self) -> Vec<Switch>;

    /// Adds the arguments of the switches.
    fn switch_arguments(&self, at: &Motion, arguments: &mut Vec<f64>);

    /// Whether a switch depends on reactions, which follow from the whole system at an instant.
    fn reads_reactions(&self, _switch: &Switch) -> bool {
        false
    }

    /// In how many places along the element its law is evaluated.
    fn places(&self) -> usize {
        1
    }

    /// Whether a switch has another value in each of these places.
    fn is_local(&self, _switch: &Switch) -> bool {
        false
    }

    /// Adds the arguments of the switches in one of these places.
    fn switch_arguments_at(&self, _place: usize, at: &Motion, arguments: &mut Vec<f64>) {
        self.switch_arguments(at, arguments);
    }
}
