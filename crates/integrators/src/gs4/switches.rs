//! Implicit, explicit and velocity-implicit use of a member (gs4-isochronous-integrators I-14).
//!
//! ```text
//! W₃Λ₃ → η₁ W₃Λ₃,     W₂Λ₅ → η₂ W₂Λ₅,     λ₃ → η₃ λ₃
//! ```
//! With η₁ = η₂ = 0 the forces are taken at a stage that is known before Δa, and only M and the constraint
//! Jacobian are left to factor. Every setting is of second order; what changes is stability.

use crate::amplification::Amplification;
use crate::gs4::member::{Member, Weights};
use crate::gs4::spectrum::Spectrum;

/// The three switches of a member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// η₁: Δa moves the position of the stage.
    pub eta1: bool,
    /// η₂: Δa moves the velocity of the stage.
    pub eta2: bool,
    /// η₃: Δa moves the position at the end of the step.
    pub eta3: bool,
}

impl Default for Switches {
    fn default() -> Self {
        Switches::IMPLICIT
    }
}

impl Switches {
    /// (1,1,1): the member as it stands.
    pub const IMPLICIT: Switches = Switches { eta1: true, eta2: true, eta3: true };
    /// (0,0,0): explicit, without numerical damping for the members that are stable with it.
    pub const EXPLICIT: Switches = Switches { eta1: false, eta2: false, eta3: false };
    /// (0,0,1): explicit with numerical damping.
    pub const EXPLICIT_DISSIPATIVE: Switches = Switches { eta1: false, eta2: false, eta3: true };
    /// (0,1,0): explicit in position, implicit in velocity; for undamped motions the same as (0,0,0).
    pub const VELOCITY_IMPLICIT: Switches = Switches { eta1: false, eta2: true, eta3: false };
    /// (0,1,1): explicit in position, implicit in velocity, with numerical damping.
    pub const VELOCITY_IMPLICIT_DISSIPATIVE: Switches = Switches { eta1: false, eta2: true, eta3: true };

    /// Whether the forces do not depend on Δa.
    pub fn is_explicit(&self) -> bool {
        !self.eta1 && !self.eta2
    }

    /// Whether the position of the stage is known before Δa.
    pub fn is_explicit_in_positions(&self) -> bool {
        !self.eta1
    }

    /// The explicit use of a member: without numerical damping where that is stable, else with it; none if
    /// both are unstable.
    pub fn explicit(member: &Member) -> Option<Switches> {
        [Switches::EXPLICIT, Switches::EXPLICIT_DISSIPATIVE].into_iter().find(|s| s.suits(member))
    }

    /// The velocity-implicit use of a member, chosen likewise.
    pub fn velocity_implicit(member: &Member) -> Option<Switches> {
        let both = [Switches::VELOCITY_IMPLICIT, Switches::VELOCITY_IMPLICIT_DISSIPATIVE];
        both.into_iter().find(|s| s.suits(member))
    }

    /// The weights of a member used like this.
    pub fn apply(&self, mut w: Weights) -> Weights {
        let on = |eta: bool, weight: f64| if eta { weight } else { 0.0 };
        (w.w3l3, w.w2l5, w.l3) = (on(self.eta1, w.w3l3), on(self.eta2, w.w2l5), on(self.eta3, w.l3));
        w
    }

    /// Whether a member used like this is stable for short steps: no root of the undamped oscillator leaves
    /// the unit circle at small Ω = ωh (table I-14).
    pub fn suits(&self, member: &Member) -> bool {
        Spectrum::new(*member, *self).stability_limit(0.0) > 0.0
    }
}

impl Weights {
    /// The weights with terms of Δa switched off. The time shift φ = W₁Λ₆ − W₁ stays.
    pub fn switched(self, switches: Switches) -> Weights {
        switches.apply(self)
    }
}
