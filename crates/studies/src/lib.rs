//! Studies of a model, each from its request to its results: what was computed, the evidence that it can be
//! trusted, the tables and pictures.

mod buckling;
mod campbell;
pub mod compared_quantities;
pub mod equilibrium;
pub mod integrator_argument;
mod kinematics;
pub mod linearize;
mod looks;
pub mod measured_run;
pub mod modes;
mod motion;
mod parameter_sweep;
mod path;
mod progress;
mod record;
mod scene;
mod study;
pub mod summarize;
pub mod treatment;

pub use motion::checkpoint;
pub use progress::{Runs, Unwatched, Watch};
pub use study::{Checkpoints, Conduct, Prepared, Product, StudyError, Written, perform, prepare};
