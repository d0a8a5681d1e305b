//! The tests of this crate in one program: a module for each thing.

mod analyses;
mod bad_models;
mod beams;
mod campbell;
mod checkpoints;
mod command;
mod common;
mod compare;
mod energy_momentum;
mod equations;
mod flexible_gauges;
mod flexible_sources;
mod flexible_start;
mod flexible_studies;
mod integrator;
mod ldae;
mod paths;
mod pictures;
mod stability;
mod studies;
mod terminal;
mod trust;
mod view;
