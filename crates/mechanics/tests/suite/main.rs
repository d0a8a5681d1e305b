//! The tests of this crate in one program: a module for each thing.

mod ancf;
mod ancf_solids;
mod beams;
mod between_nodes;
mod conserving;
mod derivatives;
mod element_groups;
mod energies;
mod flexible;
mod flexible_digest;
mod lagrangian_derivatives;
mod lagrangian_identities;
mod lagrangian_start;
mod laws_on_slopes;
mod mass_properties;
mod mechanism_tables;
mod motion_beam;
mod networks;
mod random;
mod ropes;
mod sliding;
