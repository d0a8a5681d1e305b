//! Structure-preserving steps on the conserving view of a system: by discrete gradients, and by finite
//! elements in time.

pub(crate) mod constrained_newton;
pub(crate) mod end_velocities;
pub(crate) mod energy_momentum;
pub(crate) mod galerkin;
mod galerkin_estimate;
pub(crate) mod galerkin_newton;
pub(crate) mod galerkin_settings;
mod galerkin_velocities;
pub(crate) mod mean_prediction;
pub(crate) mod reduced_newton;
pub(crate) mod settings;
pub(crate) mod time_element;
pub(crate) mod treatment;
