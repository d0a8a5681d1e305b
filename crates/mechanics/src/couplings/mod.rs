//! Couplings: linear relations between joint coordinates,
//!
//! ```text
//! Φ = Σ_j c_j s_j − c = 0        (1 row)
//! ```
//! Angles are unwrapped, so that a ratio of 7/3 holds over any number of turns. The multiplier λ is the load
//! of the coupling: it acts on coordinate j with the force or torque −λ c_j.

mod belt;
mod gear;
mod linear;
mod rack_and_pinion;

pub use belt::belt;
pub use gear::gear;
pub use linear::linear;
pub use rack_and_pinion::rack_and_pinion;
