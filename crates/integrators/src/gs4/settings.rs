//! Settings of a GS4-2 integration, and which of them do not go together.

use crate::expected_order::{ExpectedOrder, QuantityLevel};
use crate::gs4::Gs4;
use crate::gs4::compatibility::{ConstraintForm, Incompatibility, compatibility};
use crate::gs4::form::Gs4Form;
use crate::gs4::member::{DEFAULT_RHO, Member, Weights};
use crate::gs4::switches::Switches;
use crate::linear::projection::Projection;
use crate::method::Integrator;
use crate::refusal::{Refusal, UNDETERMINED, is_undetermined};
use crate::step_failure::StepFailure;
use crate::stepper::Stepper;
use poinsot_mechanics::{State, System};

/// Settings of the integrator.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// Member of the family.
    pub member: Member,
    /// Implicit or explicit use of it.
    pub switches: Switches,
    /// Form of the constraints.
    pub form: Gs4Form,
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
            form: Gs4Form::Stabilised,
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

    /// Why these settings are refused whatever the system, if they are.
    pub fn contradiction(&self) -> Option<Refusal> {
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
        if self.form == Gs4Form::Position && !self.switches.eta3 {
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
        if self.form != Gs4Form::Position || !self.member.rings_at_position_level() {
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

impl Integrator for Settings {
    fn start<'s>(
        &self,
        system: &'s System,
        state: State,
        h: f64,
    ) -> Result<Box<dyn Stepper + 's>, StepFailure> {
        Ok(Box::new(Gs4::new(system, *self, state, h)?))
    }

    fn refusal(&self, system: &System) -> Option<Refusal> {
        let is_explicit = self.switches != Switches::IMPLICIT;
        self.contradiction().or_else(|| (is_explicit && is_undetermined(system)).then_some(UNDETERMINED))
    }

    fn doubt(&self) -> Option<&'static str> {
        self.compatibility()
    }

    fn order(&self) -> usize {
        2
    }

    /// Second order, but for what position-level constraints excite in the direction normal to them: roots
    /// {−ρ_min, −ρ_max} of U0 and {−1, −ρ_s} of V0, of which those at −1 never decay
    /// (gs4-isochronous-integrators I-53, I-54).
    fn expected_order(&self, level: QuantityLevel, _system: &System) -> ExpectedOrder {
        if level != QuantityLevel::Own || self.form != Gs4Form::Position {
            return ExpectedOrder::full(2);
        }
        match compatibility(&self.member, self.switches, ConstraintForm::Position) {
            Ok(()) => ExpectedOrder::full(2),
            Err(Incompatibility::Oscillates) => ExpectedOrder::less(
                1,
                "an oscillation normal to the constraints never decays; use form = \"stabilised\"",
            ),
            _ => ExpectedOrder::less(
                0,
                "oscillations normal to the constraints never decay; use form = \"stabilised\"",
            ),
        }
    }

    fn estimates_errors(&self) -> bool {
        true
    }

    fn tolerance(&self) -> f64 {
        self.tolerance
    }

    fn tighten(&mut self, tolerance: f64) {
        self.tolerance = self.tolerance.min(tolerance);
    }

    fn lags_in_rotation(&self) -> bool {
        true
    }

    fn prefers_equal_steps(&self) -> bool {
        true
    }

    fn holds(&self) -> (bool, bool) {
        let Projection { position, velocity, .. } = self.projection;
        (self.form.holds_position() || position, self.form.holds_velocity() || velocity)
    }

    fn drifts(&self) -> bool {
        !self.holds().0 && !matches!(self.form, Gs4Form::Baumgarte { .. } | Gs4Form::Penalty { .. })
    }

    fn leaves_variables_open(&self) -> bool {
        true
    }
}
