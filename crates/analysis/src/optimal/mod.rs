//! Optimal control of a system by direct transcription (motion-interpolation-galerkin §1.20).
//!
//! The duration T is cut into K elements. States x_i at their bounds and controls u_i over them are unknown
//! at once, with the time element φ between them ([`ElementMap`](poinsot_integrators::ElementMap)),
//!
//! ```text
//! min J(x_K, T)   subject to   φ(x_i, u_i, σ_i T) ⊖ x_{i+1} = 0,   conditions on x_i, u_i and x_K
//! ```
//! A control is a variable of the system that stands still by itself (its rate is zero) and that is set anew
//! at the start of each element; variables that are integrals of such ones make controls of higher degree. A
//! parameter is such a variable that is set once. So laws of every kind follow them with exact derivatives,
//! and an integral to be made small is a variable too. The constraints of joints are kept by the element, and
//! states move in the changes that these allow ([`Changes`](crate::Changes)).

mod error;
mod problem;
mod segment;
mod solve;
mod transcription;

pub use error::OptimalError;
pub use problem::{Condition, Duration, Free, OptimalProblem, Quantity, Setting, VariableQuantity, Where};
pub use solve::{OptimalMotion, OptimalSettings, find_optimal};
