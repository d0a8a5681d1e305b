//! Shear-deformable beams, plates and shells of absolute nodal coordinates.
//!
//! An element is a function of nodal vectors: positions and slopes. Its strains are functions of gradients of
//! the position, which are linear in them; see [`SolidElement`]. A slope is a vector of its own node.
//!
//! | element | nodal vectors | strains |
//! |---|---|---|
//! | [`section_beam`] | r, d₁, d₂ at two or three nodes | of sections: Γ, K |
//! | [`full_beam`] | r, r_x, r_y, r_z at two nodes | Green's, over the section |
//! | [`thin_plate`] | r, r_x, r_y at four nodes | of the middle surface: stretch, curvature |
//! | [`thick_plate`] | r, r_x, r_y, r_z at four nodes | Green's, over the thickness |
//!
//! The reference may have any shape.

mod area_load;
mod chain;
mod divided;
mod elasticity;
mod element;
mod error;
mod full_beam;
mod patch;
mod plate_shapes;
mod point;
mod reading;
mod section_beam;
mod strain_map;
mod thick_plate;
mod thin_plate;
mod triple;

pub use area_load::AreaLoad;
pub use chain::SolidBeam;
pub use element::SolidElement;
pub use error::SolidError;
pub use full_beam::{Constitution, FibreSection, full_beam, full_beam_mass};
pub use patch::{PlateNode, PlatePatch, PlateTheory};
pub use reading::StressElement;
pub use section_beam::{section_beam, section_beam_mass};
pub use thick_plate::{PlateSection, thick_plate, thick_plate_mass};
pub use thin_plate::{thin_plate, thin_plate_mass};
