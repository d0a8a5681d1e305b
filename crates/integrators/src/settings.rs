//! Settings of a GS4-2 integration, and which of them do not go together.

use crate::form::Form;
use crate::member::{DEFAULT_RHO, Member, Weights};
use crate::projection::Projection;
use crate::refusal::Refusal;
use crate::switches::Switches;

/// Settings of the integrator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Member of the family.
    pub member: Member,
    /// Implicit or explicit use of it.
    pub switches: Switches,
    /// Form of the constraints.
    pub form: Form,
    /// Projection onto the constraints after each step.
    pub projection: Projection,
    /// Newton tolerance relative to the model's own speed and length.
    pub tolerance: f64,
    /// Most Newton iterations in a step.
    pub max_iterations: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Settings {
            member: Member::u0(DEFAULT_RHO, DEFAULT_RHO, DEFAULT_RHO),
            switches: Switches::IMPLICIT,
            form: Form::Stabilised,
            projection: Projection::default(),
            tolerance: 1e-10,
            max_iterations: 20,
        }
    }
}

impl Settings {
    /// The weights of the member with its switches.
    pub fn weights(&self) -> Weights {
        self.switches.apply(self.member.weights())
    }

    /// Why these settings are refused, if they are.
    pub fn refusal(&self) -> Option<Refusal> {
        let implicit = self.switches == Switches::IMPLICIT;
        let roots = if implicit { self.member.check() } else { self.member.check_unordered() };
        if roots.is_err() {
            return Some(Refusal {
                reason: "the integrator's roots do not obey 0 ≤ rho_s ≤ rho_min ≤ rho_max ≤ 1",
                remedy: "choose a named integrator or ordered roots",
            });
        }
        if !implicit && !self.switches.suits(&self.member) {
            return Some(Refusal {
                reason: "this member is unstable for every step length when it is used explicitly",
                remedy: "let the acceleration move the position at the end of the step too (eta3 = 1), which adds \
                         numerical damping, or choose central-difference",
            });
        }
        if self.form == Form::Position && !self.switches.eta3 {
            return Some(Refusal {
                reason: "without eta3 the acceleration of a step cannot move its last position, so that the position \
                         level of the constraints cannot be met",
                remedy: "choose the form stabilised or velocity, or eta3 = 1",
            });
        }
        if !self.form.is_sound() {
            return Some(Refusal {
                reason: "a parameter of the constraint form is negative, zero or not a number",
                remedy: "leave the parameters of baumgarte and penalty to the step, or give positive numbers",
            });
        }
        None
    }

    /// A warning where member and form do not suit each other (gs4-isochronous-integrators I-53, I-54):
    /// what is lost, and why.
    ///
    /// λ̃ of members with W₁ = ½ loses an order at acceleration level too, but only from an unshifted start,
    /// and integrations start shifted.
    pub fn compatibility(&self) -> Option<&'static str> {
        if self.form != Form::Position || !self.member.rings_at_position_level() {
            return None;
        }
        let Member { rho_min, rho_max, .. } = self.member;
        Some(if rho_min.min(rho_max) >= 1.0 {
            "position-level constraints act as infinitely stiff springs, and this member has the root −1 there: \
             accelerations and reactions oscillate from step to step by an amount that no shorter step reduces; \
             choose the form stabilised, or generalized-alpha with rho < 1"
        } else {
            "position-level constraints act as infinitely stiff springs, and this member has the root −1 there: \
             accelerations and reactions oscillate from step to step and are of first order only; \
             choose the form stabilised, or generalized-alpha with rho < 1"
        })
    }
}
