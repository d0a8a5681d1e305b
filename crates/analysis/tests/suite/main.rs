//! The tests of this crate in one program: a module for each thing.

mod ancf;
mod ancf_plates;
mod ancf_solids;
mod andrews;
mod beams;
mod coupled;
mod drives_and_couplings;
mod equilibrium;
mod friction_and_stops;
mod impulses;
mod joints;
mod kinematics;
mod mechanisms;
mod mobility;
mod modes;
mod motion_beam;
mod paths;
mod periodic_linear;
mod redundancy;
mod spinning;
