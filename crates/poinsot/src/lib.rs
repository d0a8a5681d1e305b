//! Poinsot as a library: mechanical and multidiscipline systems under constraints, simulated in Rust.
//!
//! Load a model file or build a model, run its study, read columns of results:
//!
//! ```
//! use poinsot::Model;
//!
//! let mut pendulum = Model::builder("pendulum");
//! pendulum.parameter("L", 0.5);
//! pendulum.body("bob").set("type", "point").set("mass", 1.0).set("position", ["L", "0", "0"]);
//! pendulum.joint("rod", "distance").set("between", ["ground", "bob"]);
//! pendulum.study("motion").set("end", 1.0).set("step", 1e-3);
//! pendulum.signal("height", "bob.position.z");
//! let run = pendulum.build()?.run()?;
//!
//! assert!(run.holds(), "{}", run.text());
//! let lowest = run.column("height")?.iter().copied().fold(0.0, f64::min);
//! assert!((lowest + 0.5).abs() < 1e-4);
//! # Ok::<(), poinsot::Error>(())
//! ```
//!
//! What a model may hold is what a model file may hold, with the same keys and the same messages: the
//! reference is `docs/model-file.md`. Forces and joints of your own are [`Force`] and [`Constraint`], added
//! by [`Model::add_force`] and [`Model::add_joint`]. `examples/rust` has programs to begin with.

mod builder;
mod error;
mod model;
mod run;

pub use builder::{Entry, IntoValue, ModelBuilder};
pub use error::Error;
pub use model::Model;
pub use run::{Row, Run};

/// The crates below: all that this one is made of.
pub use {
    poinsot_geometry as geometry, poinsot_mechanics as mechanics, poinsot_model, poinsot_studies as studies,
};

pub use poinsot_geometry::{Mat3, Vec3};
pub use poinsot_mechanics::{Blocks, Carried, Configuration, Constraint, Force, Gradients, Motion, Power};
pub use poinsot_model::{NamedState, Place};
pub use poinsot_results::RunSummary;
