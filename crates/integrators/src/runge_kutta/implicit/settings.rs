//! Implicit Runge–Kutta methods by name, and their settings.

use crate::control::Tolerance;
use crate::expected_order::{ExpectedOrder, QuantityLevel};
use crate::method::{Integrator, Listing, Method};
use crate::named::{Label, Named};
use crate::runge_kutta::implicit::ImplicitRungeKutta;
use crate::runge_kutta::tableau::Tableau;
use crate::setting::{Counts, Given, Kind, Listed, Setting, SettingError, Value, Word};
use crate::step_failure::StepFailure;
use crate::stepper::Stepper;
use poinsot_mechanics::{State, System};

/// How the constraints enter the stages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StageForm {
    /// Position and velocity level together (Gear–Gupta–Leimkuhler).
    Stabilised,
    /// Position level (index 3).
    Position,
    /// Velocity level (index 2).
    Velocity,
    /// Acceleration level (index 1).
    Acceleration,
}

impl StageForm {
    /// Whether positions and velocities at the ends of steps satisfy the constraints.
    pub(crate) fn holds(self) -> (bool, bool) {
        let position = matches!(self, StageForm::Stabilised | StageForm::Position);
        let velocity = matches!(self, StageForm::Stabilised | StageForm::Velocity);
        (position, velocity)
    }
}

/// A family of implicit methods.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImplicitFamily {
    /// Radau IIA: order 2s − 1, damps stiff parts away.
    Radau,
    /// Gauss: order 2s, conserves quadratic invariants.
    Gauss,
    /// Lobatto IIIA: order 2s − 2, begins and ends at the ends of the step.
    Lobatto,
}

/// Settings of an implicit Runge–Kutta method.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ImplicitSettings {
    /// The family.
    pub family: ImplicitFamily,
    /// Number of stages.
    pub stages: usize,
    /// Form of the constraints.
    pub form: StageForm,
    /// Moves the end of the step onto the constraints that the form does not keep.
    pub project: bool,
    /// Estimates the error of every step.
    pub estimate: bool,
    /// Tolerances of adaptive steps; with fixed steps they decide when Newton's iteration ends.
    pub tolerance: Tolerance,
}

impl Default for ImplicitSettings {
    fn default() -> Self {
        ImplicitSettings {
            family: ImplicitFamily::Radau,
            stages: 3,
            form: StageForm::Stabilised,
            project: false,
            estimate: true,
            tolerance: Tolerance::default(),
        }
    }
}

impl Integrator for ImplicitSettings {
    fn start<'s>(
        &self,
        system: &'s System,
        state: State,
        _h: f64,
    ) -> Result<Box<dyn Stepper + 's>, StepFailure> {
        Ok(Box::new(ImplicitRungeKutta::new(system, *self, state)?))
    }

    fn tableau(&self) -> Option<Tableau> {
        let tableau = match self.family {
            ImplicitFamily::Radau => Tableau::radau_iia(self.stages),
            ImplicitFamily::Gauss => Tableau::gauss(self.stages),
            ImplicitFamily::Lobatto => Tableau::lobatto_iiia(self.stages),
        };
        tableau.ok()
    }

    fn order(&self) -> usize {
        match self.family {
            ImplicitFamily::Radau => 2 * self.stages - 1,
            ImplicitFamily::Gauss => 2 * self.stages,
            ImplicitFamily::Lobatto => 2 * self.stages - 2,
        }
    }

    fn expected_order(&self, level: QuantityLevel, _system: &System) -> ExpectedOrder {
        match self.family {
            ImplicitFamily::Radau => radau(self.stages, self.form, level),
            ImplicitFamily::Gauss => gauss(self.stages, level),
            ImplicitFamily::Lobatto if level == QuantityLevel::Own => ExpectedOrder::UNKNOWN,
            ImplicitFamily::Lobatto => ExpectedOrder::full(self.order()),
        }
    }

    fn estimates_errors(&self) -> bool {
        self.family == ImplicitFamily::Radau
    }

    fn tolerance(&self) -> f64 {
        self.tolerance.relative
    }

    fn ends_by_local_tolerance(&self) -> bool {
        true
    }

    fn set_local_tolerance(&mut self, tolerance: Tolerance, adaptive: bool) {
        (self.tolerance, self.estimate) = (tolerance, adaptive);
    }

    fn holds(&self) -> (bool, bool) {
        let (position, velocity) = self.form.holds();
        (position || self.project, velocity || self.project)
    }
}

/// Orders of Radau IIA with s stages (lagrangian-dae-modeling §1.23, with the orders observed there):
///
/// ```text
/// index 1:  q, v, λ  2s−1
/// index 2 and stabilised:  q, v  2s−1,  λ  s
/// index 3:  q  2s−1,  v  s,  λ  s−1           s = 1: all 1
/// ```
fn radau(s: usize, form: StageForm, level: QuantityLevel) -> ExpectedOrder {
    use QuantityLevel::{Acceleration, Own, Position, Signal, Velocity};
    let (full, less) = (ExpectedOrder::full, ExpectedOrder::less);
    match (form, level) {
        _ if s == 1 => full(1),
        (StageForm::Position, Position) => full(2 * s - 1),
        (StageForm::Position, Velocity) => less(s, "index 3 reduces the order of velocities to s"),
        (StageForm::Position, Own) => less(s - 1, "index 3 reduces the order of multipliers to s−1"),
        // As much as they depend on velocities normal to the constraints.
        (StageForm::Position, Signal | Acceleration) => ExpectedOrder::UNKNOWN,
        (StageForm::Acceleration, Own) => full(2 * s - 1),
        (_, Own) => less(s, "index 2 reduces the order of multipliers to s"),
        _ => full(2 * s - 1),
    }
}

/// Orders of Gauss with s stages, measured on the pendulum of gs4-isochronous-integrators I-54 with s = 1, 2,
/// 3:
///
/// ```text
/// q, v  2s,   λ  s
/// ```
fn gauss(s: usize, level: QuantityLevel) -> ExpectedOrder {
    match level {
        QuantityLevel::Own => {
            ExpectedOrder::less(s, "inside the steps they are of the order of the stages, s")
        }
        _ => ExpectedOrder::full(2 * s),
    }
}

const STABILISED: Word = Word { word: "stabilised", text: "On position and velocity level." };
const POSITION: Word = Word { word: "position", text: "On position level only (index 3)." };
const VELOCITY: Word = Word {
    word: "velocity",
    text: "On velocity level (index 2); positions drift unless they are projected.",
};
const ACCELERATION: Word = Word {
    word: "acceleration",
    text: "On acceleration level (index 1); positions and velocities drift unless they are projected.",
};

/// Forms of methods that damp stiff parts away.
pub(crate) const DAMPED_FORMS: [Word; 4] = [STABILISED, POSITION, VELOCITY, ACCELERATION];
/// Gauss and Lobatto do not damp what index 3 excites.
const CENTRED_FORMS: [Word; 3] = [VELOCITY, ACCELERATION, STABILISED];

/// What a form does not hold would drift.
pub(crate) const PROJECT: Setting = Setting::project("with the forms velocity and acceleration");

impl StageForm {
    /// The form of a word.
    fn from_word(word: &str) -> Self {
        match word {
            "position" => StageForm::Position,
            "velocity" => StageForm::Velocity,
            "acceleration" => StageForm::Acceleration,
            _ => StageForm::Stabilised,
        }
    }

    /// The form that was given, or that of the first word, and whether the ends of steps are projected.
    pub(crate) fn given(given: &Given, words: &[Word]) -> (Self, bool) {
        let form = StageForm::from_word(given.word("form").unwrap_or(words[0].word));
        let drifts = matches!(form, StageForm::Velocity | StageForm::Acceleration);
        (form, given.flag("project").unwrap_or(drifts))
    }
}

/// A family in the list of integrators.
struct NamedFamily {
    label: Label,
    /// A name that also fixes the number of stages.
    special: Option<(&'static str, usize)>,
    family: ImplicitFamily,
    stages: &'static [usize],
    default: &'static str,
    forms: &'static [Word],
}

const FAMILIES: [NamedFamily; 3] = [
    NamedFamily {
        label: Label {
            name: "radau",
            aliases: &["radau-iia"],
            summary: "Radau IIA, order 2s−1: stiff motions, and motions to tight tolerances",
        },
        special: None,
        family: ImplicitFamily::Radau,
        stages: &[1, 2, 3, 5, 7],
        default: "3",
        forms: &DAMPED_FORMS,
    },
    NamedFamily {
        label: Label {
            name: "gauss",
            aliases: &["implicit-midpoint"],
            summary: "Gauss, order 2s, no numerical damping: conserves over long times",
        },
        special: Some(("implicit-midpoint", 1)),
        family: ImplicitFamily::Gauss,
        stages: &[1, 2, 3],
        default: "2",
        forms: &CENTRED_FORMS,
    },
    NamedFamily {
        label: Label {
            name: "lobatto",
            aliases: &["lobatto-iiia", "trapezoid"],
            summary: "Lobatto IIIA, order 2s−2, no numerical damping",
        },
        special: Some(("trapezoid", 2)),
        family: ImplicitFamily::Lobatto,
        stages: &[2, 3, 4],
        default: "3",
        forms: &CENTRED_FORMS,
    },
];

impl Named for NamedFamily {
    fn label(&self) -> Label {
        self.label
    }

    fn settings(&self) -> Vec<Setting> {
        let stages = Setting {
            key: "stages",
            kind: Kind::Count(Counts::OneOf(self.stages)),
            text: "Number of stages",
            noun: "{} stages",
            default: self.default,
            listed: Listed::Range,
            in_name: true,
            of_the_file: true,
            ..Setting::PLAIN
        };
        vec![stages, Setting::form(self.forms), PROJECT]
    }

    fn meant_by(&self, alias: &str) -> Option<(&'static str, Value)> {
        let (name, stages) = self.special?;
        (name == alias).then_some(("stages", Value::Count(stages)))
    }

    fn method(&self, given: &Given) -> Result<Method, SettingError> {
        let (form, project) = StageForm::given(given, self.forms);
        let stages = (self as &dyn Named).in_force("stages", given).and_then(Value::count);
        let default = ImplicitSettings::default();
        let stages = stages.unwrap_or(default.stages);
        Ok(ImplicitSettings { family: self.family, stages, form, project, ..default }.into())
    }
}

impl Listing for ImplicitSettings {
    fn listed() -> Vec<&'static dyn Named> {
        FAMILIES.iter().map(|entry| entry as &dyn Named).collect()
    }
}
