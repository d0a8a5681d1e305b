//! Trust: verdicts of the program that once were wrong in silence, each with the model that showed it.

mod audit;
mod campbell;
mod energy;
mod equilibrium;
mod integrators;
mod jumps;
mod law_studies;
mod laws;
mod modes;
mod periodic;
mod reactions;
mod robust;
mod signals;
mod tolerance;
mod tools;
