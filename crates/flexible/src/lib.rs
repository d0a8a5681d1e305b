//! Flexible bodies: from finite elements, or matrices of them, to a few modes and constant integrals.
//!
//! ```text
//! mesh → elements → FullBody (M, K, products of inertia) → reduction → ReducedBody (modes, integrals)
//! ```
//! Everything is in the axes of the body as it is meshed. What moves the body through space is in the crate
//! of mechanics, which is given the integrals.

#![warn(missing_docs)]

mod full_body;
mod kept_matrix;
mod reduced_body;
pub mod reduction;

pub use full_body::{Component, FullBody, MassProducts, Unknown};
pub use reduced_body::{InertiaIntegrals, Interface, ReducedBody, ShapeKind};
