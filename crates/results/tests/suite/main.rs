//! The tests of this crate in one program: a module for each thing.

mod matrices;
mod results;
mod svg;
