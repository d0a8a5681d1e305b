//! The tests of this crate in one program: a module for each thing.

mod block;
mod breaks;
mod derivative;
mod equation;
mod fuzz;
mod gradient;
mod grammar;
mod latex;
mod limited_exponential;
mod long;
mod octave;
mod parse_errors;
mod program;
mod properties;
mod random;
mod shared;
mod smooth_function;
mod switches;
mod table;
mod tidy;
