//! The tests of this crate in one program: a module for each thing.

mod bdf;
mod common;
mod conditioning;
mod conserving_elements;
#[allow(dead_code, reason = "chains are for the examples")]
mod conserving_models;
mod constraint_forms;
mod embedding;
mod energy_momentum;
mod explicit;
mod explicit_runge_kutta;
mod first_order;
mod flexible;
mod galerkin;
mod implicit_runge_kutta;
mod invariants;
mod kepler;
mod lagrangian_forms;
mod linear_model;
mod local_error;
mod newton;
mod nonholonomic;
mod null_space;
mod order_ode;
mod partition;
mod penalty;
mod pendulum;
mod pleiades;
mod regression;
mod spatial_order;
mod spectrum;
mod step_map;
mod time_elements;
mod turning_frame;
mod weights;
mod work;
