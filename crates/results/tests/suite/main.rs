//! The tests of this crate in one program: a module for each thing.

mod analyses;
mod matrices;
mod mode_plots;
mod results;
mod svg;
