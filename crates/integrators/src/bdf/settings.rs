//! Settings of the backward differentiation formulas.

use crate::bdf::Bdf;
use crate::control::Tolerance;
use crate::method::{Integrator, Listing, Method};
use crate::named::{Label, Named};
use crate::runge_kutta::implicit::settings::{DAMPED_FORMS, PROJECT, StageForm};
use crate::setting::{Counts, Given, Kind, Listed, Setting, SettingError};
use crate::step_failure::StepFailure;
use crate::stepper::Stepper;
use poinsot_mechanics::{State, System};

/// Highest order; beyond it the formulas are not stable.
pub const MAX_BDF_ORDER: usize = 6;

/// Settings of the backward differentiation formulas.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BdfSettings {
    /// Highest order, 1 to 6; with fixed steps the order. The sixth damps oscillations worse than the others.
    pub max_order: usize,
    /// Form of the constraints.
    pub form: StageForm,
    /// Moves the end of every step onto the constraints that the form does not keep.
    pub project: bool,
    /// Tolerances of adaptive steps; with fixed steps they decide when Newton's iteration ends.
    pub tolerance: Tolerance,
}

impl Default for BdfSettings {
    fn default() -> Self {
        BdfSettings {
            max_order: 5,
            form: StageForm::Stabilised,
            project: false,
            tolerance: Tolerance::default(),
        }
    }
}

impl Integrator for BdfSettings {
    fn start<'s>(
        &self,
        system: &'s System,
        state: State,
        _h: f64,
    ) -> Result<Box<dyn Stepper + 's>, StepFailure> {
        Ok(Box::new(Bdf::new(system, *self, state)?))
    }

    fn order(&self) -> usize {
        self.max_order
    }

    fn estimates_errors(&self) -> bool {
        true
    }

    fn tolerance(&self) -> f64 {
        self.tolerance.relative
    }

    fn ends_by_local_tolerance(&self) -> bool {
        true
    }

    fn set_local_tolerance(&mut self, tolerance: Tolerance, _adaptive: bool) {
        self.tolerance = tolerance;
    }

    /// At fixed steps orders above the second let vibrations without damping grow, and a beam has some at
    /// every step: their stability regions miss a part of the imaginary axis.
    fn settle(&mut self, given: &Given, vibrates: bool) {
        let default = if vibrates { 2 } else { BdfSettings::default().max_order };
        self.max_order = given.count(ORDER.key).unwrap_or(default);
    }

    fn holds(&self) -> (bool, bool) {
        let (position, velocity) = self.form.holds();
        (position || self.project, velocity || self.project)
    }

    fn starts_at_low_order(&self) -> bool {
        true
    }
}

/// The entry in the list of integrators.
struct BackwardDifferences;

const ORDER: Setting = Setting {
    key: "order",
    kind: Kind::Count(Counts::Between(1, MAX_BDF_ORDER)),
    text: "Largest order",
    noun: "the order {}",
    default: "5",
    listed: Listed::Range,
    ..Setting::PLAIN
};

impl Named for BackwardDifferences {
    fn label(&self) -> Label {
        Label {
            name: "bdf",
            aliases: &["backward-differences"],
            summary: "backward differences of variable order: long runs, one or two residuals per step",
        }
    }

    fn settings(&self) -> Vec<Setting> {
        vec![ORDER, Setting::form(&DAMPED_FORMS), PROJECT]
    }

    fn method(&self, given: &Given) -> Result<Method, SettingError> {
        let (form, project) = StageForm::given(given, &DAMPED_FORMS);
        let default = BdfSettings::default();
        let max_order = given.count(ORDER.key).unwrap_or(default.max_order);
        Ok(BdfSettings { max_order, form, project, ..default }.into())
    }
}

impl Listing for BdfSettings {
    fn listed() -> Vec<&'static dyn Named> {
        vec![&BackwardDifferences]
    }
}
