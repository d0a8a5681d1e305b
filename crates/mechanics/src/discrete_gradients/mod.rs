//! Discrete gradients: what stands for a derivative over a step, so that the function changes exactly by it.

mod coordinate;
mod equations;
mod gradient;
mod scalar;
mod step_ends;

pub(crate) use gradient::{arm, gradients, half_hessian, hessian, trust};
pub(crate) use scalar::{ScalarFunction, ScalarStep};
pub use step_ends::StepEnds;
