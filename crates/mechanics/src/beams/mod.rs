//! Geometrically exact beams: with interpolated directors (energy-momentum-null-space I-39 … I-45) and with
//! interpolated motions (motion-interpolation-galerkin §1.12).
//!
//! Nodes carry the centre line r(s) and the section axes d₁, d₂, d₃ (d₃ along the line as modelled). [`Beam`]
//! interpolates these vectors, [`MotionBeam`] the rigid motions that they make up. Shear, extension, bending
//! and torsion are of any size; the strains do not feel a rigid motion (I-42). Mass, loads and damping are
//! the same for both.

mod beam;
mod beam_element;
mod chain;
mod course;
mod curve;
mod damping;
pub(crate) mod interpolation;
mod line;
pub(crate) mod line_force;
pub(crate) mod line_law;
mod load;
mod mass;
mod motion_beam;
mod plane;
mod point;
mod relative_motion;
mod section;
mod section_form;
mod section_mass;
mod section_shape;
mod state_load;
mod state_moment;
mod thin_wall;
mod timed_load;

pub use beam::{Beam, BeamError};
pub use beam_element::{BeamElement, SectionPlace, SectionState};
pub use chain::{BeamChain, Formulation, MassModel};
pub use course::{Corner, Course, LineError, pieces, shared_out};
pub use curve::{Curve, Helix, Spline, Straight};
pub use damping::MassDamping;
pub use interpolation::{gauss_places, node_shares, node_weights};
pub use line::{frames_along, section_axes};
pub use line_law::{LineReadings, SECTION_ARGUMENTS};
pub use load::{DistributedLoad, LoadAxes, distributed_moment, element_length};
pub use mass::{consistent_mass, lumped_mass};
pub use motion_beam::{MotionBeam, MotionScheme, StrainPoints, VirtualStrains};
pub(crate) use plane::PlaneBeams;
pub use section::{Material, Section, SectionMass};
pub use section_form::{StrainShare, section_weights, strain_shares};
pub use section_mass::{AxialMass, RigidSection, SectionMassError};
pub use section_shape::{SectionArea, SectionError, SectionShape};
pub use state_load::{StateLoad, StateLoadError};
pub use state_moment::StateMoment;
pub(crate) use timed_load::TimedLoad;
