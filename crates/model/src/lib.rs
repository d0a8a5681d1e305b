//! Model files: TOML to system and request, with diagnostics that point at the line.
//!
//! [`load`] reads a file into a [`Model`]: every name resolved, every number
//! evaluated, every load compiled. All mistakes of a file are reported together
//! as [`Diagnostic`]s. [`schema`] is the JSON Schema of the format for editors.
//!
//! The way of a file: text → spanned TOML → tables (`file`, read by `read`) →
//! specification ([`spec`], made by `resolve`). Energy models, `.ldae` files, go by way of `ldae` instead.
//!
//! ```
//! use poinsot_model::Studies;
//!
//! let text = r#"
//! [parameters]
//! L = 2
//! [[body]]
//! name = "bob"
//! type = "point"
//! mass = 1
//! position = ["L", 0, 0]
//! [[joint]]
//! name = "rod"
//! type = "distance"
//! between = ["ground", "bob"]
//! "#;
//! let load = |text: &str| poinsot_model::load_str("pendulum.toml", text, &[], Studies::default());
//! let (model, _warnings) = load(text)?;
//! assert_eq!(model.bodies[0].pose().r.x, 2.0);
//!
//! let error = load(&text.replace("\"L\"", "\"K\"")).unwrap_err();
//! assert_eq!(error.to_string(), "pendulum.toml:8:14: error: unknown name `K` (known names: L)");
//! # Ok::<(), poinsot_model::LoadError>(())
//! ```
#![warn(missing_docs)]

mod addition;
mod beam_variant;
mod build;
mod color;
mod couplings;
mod declared;
pub mod diagnostic;
mod drives;
mod expression;
mod file;
mod flexible_recipe;
mod forces;
mod input_file;
mod joints;
mod ldae;
mod load;
mod mesh_file;
mod named_state;
mod parametric;
mod probe;
pub mod quantity;
mod raised;
pub mod read;
mod reference;
mod resolve;
mod schema;
mod section_outline;
pub mod spec;
pub mod study;
mod suggest;
mod symbols;
pub mod units;
mod value;

pub use addition::{Addition, NoSuchBody, Place};
pub use beam_variant::BeamVariant;
pub use build::{Assembly, Site, build};
pub use diagnostic::{Diagnostic, Diagnostics, Label, Severity, Source, Span};
pub use file::Triple;
pub use flexible_recipe::{FlexibleRecipe, FullBodyData, RecipeError};
pub use input_file::{InputFile, fnv1a, fnv1a_on};
pub use ldae::{LIBRARY, LibraryComponent, library_reference};
pub use load::{LoadError, load, load_str};
pub use named_state::{Agreement, NamedNode, NamedState, NamedValues};
pub use parametric::{ParametricModel, StudyHead};
pub use probe::{FoldedBeam, Probe, View};
pub use quantity::Quantity;
pub use raised::Raised;
pub use reference::{declared_examples, example_model, model_file_reference};
pub use schema::schema;
pub use spec::Model;
pub use study::Studies;
pub use symbols::{OctaveFiles, Symbols, SymbolsError};
