//! The tests of this crate in one program: a module for each thing.

mod axis_angle;
mod common;
mod dual;
mod euler;
mod frames;
mod interpolation_bases;
mod interpolation_beam;
mod interpolation_convergence;
mod interpolation_motion;
mod layers;
mod manifold_newton;
mod motion;
mod motion_parameters;
mod orientation;
mod quaternion;
mod rodrigues;
mod se3;
mod so3;
mod sources;
mod validation_orientation;
