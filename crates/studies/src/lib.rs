//! Studies of a model, each from its request to its results: what was computed, the evidence that it can be
//! trusted, the tables and pictures.
//!
//! ```
//! use poinsot_studies::{RunOptions, Unwatched, load_str, perform};
//!
//! let text = r#"
//! [[body]]
//! name = "ball"
//! type = "point"
//! mass = 1
//! [study]
//! end = 1
//! "#;
//! let (model, _warnings) = load_str("fall.toml", text, &[])?;
//! let product = perform(&model, &RunOptions::default(), &Unwatched)?;
//! assert!(product.summary.holds(), "{}", product.summary.text());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

pub mod buckling;
pub mod campbell;
mod chain;
pub mod compare;
pub mod compared_quantities;
mod complaint;
pub mod converge;
pub mod equilibrium;
mod failure;
mod flexible_audit;
mod flexible_scene;
pub mod floquet;
mod initial;
pub mod integrator_argument;
pub mod kinematics;
pub mod linearize;
mod list;
mod live;
mod looks;
pub mod markdown;
pub mod measured_run;
pub mod modes;
pub mod motion;
mod node_turn;
mod parameter_sweep;
pub mod path;
pub mod periodic;
pub mod place;
mod plate_scene;
pub mod portrait;
mod progress;
pub mod ranges;
mod record;
pub mod response;
pub mod response_curve;
mod scene;
mod shapes;
pub mod small_motions;
pub mod stability;
mod states_file;
mod study;
pub mod summarize;

pub use chain::Chain;
pub use complaint::Complaint;
pub use failure::{Blame, Failure, Interrupted, RequestError, StudyError};
pub use initial::{InitialError, settled};
pub use list::{STUDIES, load, load_str, schema, studies};
pub use live::LiveModel;
pub use motion::checkpoint;
pub use progress::{Hidden, Runs, Unwatched, Watch};
pub use record::sample_stride;
pub use study::{
    AnyStudy, Checkpoints, Perform, Prepared, Product, RunOptions, Written, model_start, perform, prepare,
};
