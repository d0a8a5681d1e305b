//! Elements whose law has kinks or jumps.

use crate::force::Motion;
use poinsot_expr::Switch;

/// An element with a piecewise law.
pub trait PiecewiseElement {
    /// Functions whose passing a level is a kink or a jump of the force; time is their first argument.
    fn switches(&self) -> Vec<Switch>;

    /// Adds the arguments of the switches.
    fn switch_arguments(&self, at: &Motion, arguments: &mut Vec<f64>);
}
