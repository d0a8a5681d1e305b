//! Newton's iteration: when it has converged, when its matrix is worth factoring anew, and how exactly it can
//! know its increments.

pub(crate) mod constant_matrix;
pub(crate) mod convergence;
pub(crate) mod increments;
pub(crate) mod linearity;
pub(crate) mod local_convergence;
pub(crate) mod policy;
pub(crate) mod rounding;
pub(crate) mod secants;
