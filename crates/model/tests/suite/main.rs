//! The tests of this crate in one program: a module for each thing.

mod adaptive;
mod bad;
mod beam_lines;
mod beams;
mod components;
mod components_bad;
mod energy;
mod equations;
mod events;
mod good;
mod kinks;
mod lagrangian;
mod laws;
mod ldae;
mod ldae_bad;
mod ldae_mutations;
mod looks;
mod mechanism;
mod mutations;
mod octave_export;
mod parametric;
mod reference;
mod schema;
mod spinning;
mod start_values;
mod testset;
