//! The tests of this crate in one program: a module for each thing.

mod analyses;
mod floquet;
mod mode_plots;
mod motion_summary;
mod optimal;
mod own_study;
mod path_requests;
mod periodic;
mod raised_warnings;
mod requests;
mod response_curves;
mod start_laws;
mod starts;
mod steady;
#[path = "../../../results/tests/suite/svg/mod.rs"]
mod svg;
