//! Geometrically exact beams with directors (energy-momentum-null-space 1.F).
//!
//! The centre line r(s) and the section axes d₁, d₂, d₃ (d₃ along the line as modelled) are interpolated between nodes. Shear,
//! extension, bending and torsion are of any size; the strains do not feel a rigid motion (I-42).

mod beam;
mod chain;
mod course;
mod curve;
mod damping;
mod interpolation;
mod line;
mod load;
mod mass;
mod plane;
mod section;
mod section_shape;
mod thin_wall;

pub use beam::{Beam, BeamError, SectionPlace, SectionState};
pub use chain::{BeamChain, MassModel};
pub use course::{Corner, Course, LineError, pieces, shared_out};
pub use curve::{Curve, Helix, Spline, Straight};
pub use damping::MassDamping;
pub use interpolation::{gauss_places, node_shares};
pub use line::{frames_along, section_axes};
pub use load::{DistributedLoad, LoadAxes, distributed_moment};
pub use mass::{consistent_mass, lumped_mass};
pub(crate) use plane::{PlaneBeams, PlaneScratch};
pub use section::{Material, Section, SectionMass};
pub use section_shape::{SectionArea, SectionError, SectionShape};
