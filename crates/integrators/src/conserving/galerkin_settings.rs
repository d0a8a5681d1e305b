//! Settings of Galerkin steps.

use super::settings::{flexible_refusal, sliding_refusal};
use crate::conserving::galerkin::Galerkin;
use crate::conserving::settings::{MAX_POINTS, MULTIPLIERS};
use crate::conserving::time_element::MAX_GALERKIN_DEGREE;
use crate::control::Tolerance;
use crate::expected_order::{ExpectedOrder, QuantityLevel};
use crate::method::{Integrator, Listing, Method};
use crate::named::{Label, Named};
use crate::refusal::Refusal;
use crate::setting::{Counts, Given, Kind, Listed, Setting, SettingError};
use crate::step_failure::StepFailure;
use crate::stepper::Stepper;
use poinsot_mechanics::{State, System};

/// Settings of Galerkin steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GalerkinSettings {
    /// Degree k of the path in a step, from 1 to [`MAX_GALERKIN_DEGREE`].
    pub degree: usize,
    /// Gauss points that forces are integrated by, at least k.
    pub points: usize,
    /// Relative accuracy of Newton's iteration.
    pub tolerance: f64,
    /// Newton iterations at most.
    pub max_iterations: usize,
    /// Estimates the error of every step.
    pub estimate: bool,
    /// Tolerances of adaptive steps.
    pub local: Tolerance,
}

impl GalerkinSettings {
    /// A degree with three points more than that, to round-off.
    pub fn new(degree: usize) -> Self {
        GalerkinSettings {
            degree,
            points: degree + 3,
            tolerance: 1e-13,
            max_iterations: 30,
            estimate: false,
            local: Tolerance::default(),
        }
    }
}

impl Integrator for GalerkinSettings {
    fn start<'s>(
        &self,
        system: &'s System,
        state: State,
        _h: f64,
    ) -> Result<Box<dyn Stepper + 's>, StepFailure> {
        Ok(Box::new(Galerkin::new(system, *self, state)?))
    }

    fn refusal(&self, system: &System) -> Option<Refusal> {
        let because = |reason, remedy| Some(Refusal { reason, remedy });
        if let Some(refusal) = flexible_refusal(system, true).or_else(|| sliding_refusal(system)) {
            return Some(refusal);
        }
        if !(1..=MAX_GALERKIN_DEGREE).contains(&self.degree) {
            return because("there is no Galerkin step of that degree", "choose a degree from 1 to 6");
        }
        if self.points < self.degree {
            return because(
                "forces are integrated by fewer points than the path of a Galerkin step has degrees",
                "ask for at least as many points as the degree",
            );
        }
        None
    }

    fn order(&self) -> usize {
        2 * self.degree
    }

    fn order_in(&self, system: &System) -> usize {
        match self.degree {
            k if is_differentiated(system) => k + 1 - 2 * usize::from(k.is_multiple_of(2)),
            k if k.is_multiple_of(2) && system.is_pressed() => 2,
            _ => self.order(),
        }
    }

    /// Orders of Galerkin steps of degree k, measured on the heavy top and the revolute pair of
    /// energy-momentum-null-space V-2, V-4:
    ///
    /// ```text
    /// q, v  2k,   λ inside the steps  k
    /// ```
    /// Variables for which algebraic equations have to be differentiated, and their rates, are of order k − 1
    /// for even and k + 1 for odd k (measured for k = 2, 3), as the part of w is that constraints forbid, and
    /// its rate. Where forces follow λ, its error has no mean in a step of odd degree. With degree 2 the
    /// order was measured; that of other even degrees is not known.
    fn expected_order(&self, level: QuantityLevel, system: &System) -> ExpectedOrder {
        let reason = "inside the steps they are of the order of the degree, k";
        match (level, self.degree) {
            (QuantityLevel::Own, _) => ExpectedOrder::less(self.degree, reason),
            (_, 2 | 3) if is_differentiated(system) => ExpectedOrder::less(
                self.order_in(system),
                "algebraic equations have to be differentiated for variables, which are then of the order of \
                 multipliers inside the steps; odd degrees are better",
            ),
            _ if is_differentiated(system) => ExpectedOrder::UNKNOWN,
            (_, 2) if system.is_pressed() => ExpectedOrder::less(
                2,
                "friction, or a law of reactions, follows multipliers that are of the order of the degree; use \
                 an odd one",
            ),
            (_, k) if k.is_multiple_of(2) && system.is_pressed() => ExpectedOrder::UNKNOWN,
            _ => ExpectedOrder::full(self.order()),
        }
    }

    fn estimates_errors(&self) -> bool {
        true
    }

    fn prefers_equal_steps(&self) -> bool {
        true
    }

    fn tolerance(&self) -> f64 {
        self.tolerance
    }

    fn set_local_tolerance(&mut self, tolerance: Tolerance, adaptive: bool) {
        (self.local, self.estimate) = (tolerance, adaptive);
    }

    fn holds(&self) -> (bool, bool) {
        (true, false)
    }
}

/// Whether algebraic equations of networks have to be differentiated to determine all variables.
fn is_differentiated(system: &System) -> bool {
    system.networks().iter().any(|network| !network.is_index_one())
}

/// Degree that is not given.
const DEGREE: usize = 2;

const STAGES: Setting = Setting {
    key: "stages",
    kind: Kind::Count(Counts::Between(1, MAX_GALERKIN_DEGREE)),
    text: "Degree of the polynomials in a step",
    noun: "{} stages",
    default: "2",
    listed: Listed::Range,
    in_name: true,
    of_the_file: true,
    ..Setting::PLAIN
};

const POINTS: Setting = Setting {
    key: "points",
    kind: Kind::Count(Counts::Between(1, MAX_POINTS)),
    text: "Gauss points in a step, at least as many as `stages`",
    noun: "{} Gauss points",
    default: "three more than `stages`",
    listed: Listed::Key,
    ..Setting::PLAIN
};

/// The entry in the list of integrators.
struct NamedGalerkin;

impl Named for NamedGalerkin {
    fn label(&self) -> Label {
        Label {
            name: "galerkin",
            aliases: &["cg", "mg"],
            summary: "polynomials of degree s in a step (cG(s), mG(s)), order 2s: energy to the accuracy of the Gauss rule",
        }
    }

    fn settings(&self) -> Vec<Setting> {
        vec![STAGES, POINTS, Setting::form(&[MULTIPLIERS]), Setting::newton("1e-13")]
    }

    fn method(&self, given: &Given) -> Result<Method, SettingError> {
        let default = GalerkinSettings::new(given.count(STAGES.key).unwrap_or(DEGREE));
        let (degree, points) = (default.degree, given.count(POINTS.key).unwrap_or(default.points));
        if points < degree {
            return Err(SettingError {
                key: POINTS.key,
                label: "not possible".into(),
                message: format!("Galerkin steps with {degree} stages cannot have {points} Gauss points"),
                help: Some(format!(
                    "it can have {degree} to {MAX_POINTS}; {} is the default",
                    default.points
                )),
            });
        }
        let tolerance = given.number("tolerance").unwrap_or(default.tolerance);
        Ok(GalerkinSettings { points, tolerance, ..default }.into())
    }
}

impl Listing for GalerkinSettings {
    fn listed() -> Vec<&'static dyn Named> {
        vec![&NamedGalerkin]
    }
}
