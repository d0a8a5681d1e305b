//! First-order equations beside the mechanics: circuits, controllers, heat, reactions.
//!
//! A network has variables y and as many equations,
//!
//! ```text
//! F_k(y, ẏ, r, t) = 0,
//! ```
//! where the readings r are coordinates and speeds of the mechanics. Equations without ẏ are *algebraic*.
//! Loads act back on coordinates of the mechanics, Q = e(y, r, t) ∂s/∂q.
//!
//! In the vectors of the system y stands where velocities stand and ẏ where accelerations stand: a
//! first-order system is a second-order one whose positions nobody asks for (gs4-isochronous-integrators
//! I-26). Each equation is numbered as one of the variables that it determines, so that the diagonal of the
//! step matrix is not empty.

mod closing;
mod closing_step;
mod energy;
mod entry;
pub(crate) mod hidden_equations;
mod laws;
pub(crate) mod least_change;
mod load;
mod network;
mod rates;
mod readings;
mod residual;
mod sparse_square;
mod start;
pub(crate) mod structure;
mod switches;
mod tangent;

pub use closing::OpenEquation;
pub use energy::NetworkEnergy;
pub use entry::NetworkEntry;
pub(crate) use entry::{Entries, LoadSlots, Numbers};
pub use load::{Booking, Load, LoadTarget};
pub use network::{Network, NetworkError, Variable};
pub use start::{NetworkStartError, ReadingResponse};
pub(crate) use switches::NetworkSwitches;
