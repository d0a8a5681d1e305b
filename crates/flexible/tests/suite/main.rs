//! The tests of this crate in one program: a module for each thing.

mod assembly;
mod beams;
mod calculix;
mod continuum;
mod materials;
mod rigid_motion;
mod shells;
mod solids;
mod support;
