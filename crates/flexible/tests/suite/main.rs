//! The tests of this crate in one program: a module for each thing.

mod reduction_bodies;
mod reduction_causes;
mod reduction_closed_forms;
mod reduction_file;
mod reduction_interfaces;
mod reduction_modes;
mod reduction_stress;
