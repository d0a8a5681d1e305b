//! Groups of elements that are evaluated together, because many like ones cost less at once than one by one.
//!
//! A group takes elements over from the system, which then leaves their share of residual and step matrix to
//! it. All else (energies, signals, starts, conserving steps) sees every element as before. The system does
//! not know what groups there are: [`SystemBuilder::group`](crate::SystemBuilder::group) adds one, and every
//! builder begins with the standard ones.

mod offer;
mod scratch;

pub use crate::assembly::{RowLevels, Term, Terms};
pub use crate::system::{NO_EQUATION, Place, Places};
pub use offer::Offer;
pub use scratch::GroupScratch;

use crate::ancf::LineElements;
use crate::assembly::Linearization;
use crate::beams::PlaneBeams;
use crate::system::System;
use crate::system::state::Instant;
use std::fmt::Debug;

/// Elements that are evaluated together.
pub trait ElementGroup: Send + Sync + Debug {
    /// Takes over the elements that it evaluates, in place of those that it had. Called whenever the system
    /// was numbered or rows of constraints came in or out of force.
    fn take(&mut self, offer: &mut Offer);

    /// Adds its share of R = M a + Gᵀλ − Q, and stores what is wanted of the rows of its constraints.
    fn add_residual(
        &self,
        system: &System,
        at: &Instant,
        levels: &mut RowLevels,
        out: &mut [f64],
        s: &mut GroupScratch,
    );

    /// Adds its share of the step matrix.
    fn add_tangent(
        &self,
        system: &System,
        at: &Linearization,
        share: Share,
        terms: &mut Terms,
        s: &mut GroupScratch,
    );
}

/// Which shares of the step matrix are wanted beside that of inertia.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// Stiffness and damping of forces.
    pub forces: bool,
    /// Rows and columns of constraints, and their stiffness.
    pub constraints: bool,
}

/// The groups that every system has.
pub(crate) fn standard() -> Vec<Box<dyn ElementGroup>> {
    vec![Box::new(PlaneBeams::default()), Box::new(LineElements::default())]
}
