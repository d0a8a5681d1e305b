//! Explicit and velocity-implicit members (gs4-isochronous-integrators I-14).
//!
//! Three switches turn terms of the unknown Δa off:
//!
//! ```text
//! W₃Λ₃ → η₁ W₃Λ₃        W₂Λ₅ → η₂ W₂Λ₅        λ₃ → η₃ λ₃
//! ```
//! With η₁ = η₂ = 0 the stage does not depend on Δa: only W₁Λ₆ M has to be solved with. Every setting keeps second order.

use crate::member::Weights;

/// The switches η₁, η₂, η₃; `true` stands for 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Switches {
    /// η₁: the stage position depends on Δa.
    pub eta1: bool,
    /// η₂: the stage velocity depends on Δa.
    pub eta2: bool,
    /// η₃: the new position depends on Δa.
    pub eta3: bool,
}

impl Switches {
    /// η = (1, 1, 1): the implicit member.
    pub const IMPLICIT: Switches = Switches { eta1: true, eta2: true, eta3: true };
    /// η = (0, 0, 0): explicit. Free of dissipation for some members, unstable at every step for others (I-14).
    pub const EXPLICIT: Switches = Switches { eta1: false, eta2: false, eta3: false };
    /// η = (0, 0, 1): explicit with numerical damping.
    pub const EXPLICIT_DISSIPATIVE: Switches = Switches { eta1: false, eta2: false, eta3: true };
    /// η = (0, 1, 0): explicit in positions, implicit in velocities; dampers do not limit the step.
    pub const VELOCITY_IMPLICIT: Switches = Switches { eta1: false, eta2: true, eta3: false };
    /// η = (0, 1, 1): the same with numerical damping.
    pub const VELOCITY_IMPLICIT_DISSIPATIVE: Switches = Switches { eta1: false, eta2: true, eta3: true };

    /// Whether the stage position is known before the solve.
    pub fn is_explicit_in_positions(&self) -> bool {
        !self.eta1
    }
}

impl Weights {
    /// The weights with terms of Δa switched off. The time shift φ = W₁Λ₆ − W₁ stays.
    pub fn switched(self, switches: Switches) -> Weights {
        let on = |switch: bool, weight: f64| if switch { weight } else { 0.0 };
        Weights {
            w3l3: on(switches.eta1, self.w3l3),
            w2l5: on(switches.eta2, self.w2l5),
            l3: on(switches.eta3, self.l3),
            ..self
        }
    }
}
