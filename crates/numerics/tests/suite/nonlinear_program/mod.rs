//! Nonlinear programs with known answers.

mod hock_schittkowski;
mod jet;
mod large;
mod small;
