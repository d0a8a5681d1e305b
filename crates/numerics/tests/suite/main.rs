//! The tests of this crate in one program: a module for each thing.

mod common;
mod complex;
mod hill;
mod krylov;
mod mechanisms;
mod nonlinear_program;
mod product;
mod rank;
mod spectra;
