//! Energy models: the language of `.ldae` files and of `[[lagrangian]]` blocks.
//!
//! A text is a list of statements `name = value;` (lagrangian-dae-modeling §1.29). Keywords name the
//! variables, energies and constraints; all other names are definitions. The way of a text: statements →
//! names and definitions → [`EnergyModel`] → Lagrange's equation ([`poinsot_mechanics::Lagrangian`]) → a
//! block of first-order equations ([`EquationsSpec`](crate::spec::EquationsSpec)), which every implicit
//! integrator solves.

mod components;
mod definitions;
mod energy;
mod extent;
mod keyword;
mod lower;
mod model;
mod names;
mod options;
mod statement;

pub use components::{LIBRARY, LibraryComponent, library_reference};
pub(crate) use definitions::Signal;
pub(crate) use energy::{Around, EnergyModel, read};
pub(crate) use lower::{Derived, Lowering, derive, places, variables};
pub(crate) use model::load;
