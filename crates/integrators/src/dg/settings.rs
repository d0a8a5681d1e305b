//! Settings of discontinuous Galerkin steps.

use crate::control::Tolerance;
use crate::dg::DiscontinuousGalerkin;
use crate::method::{Integrator, Listing, Method};
use crate::named::{Label, Named};
use crate::refusal::Refusal;
use crate::runge_kutta::tableau::Tableau;
use crate::setting::{Counts, Given, Kind, Listed, Setting, SettingError, Word};
use crate::step_failure::StepFailure;
use crate::stepper::Stepper;
use crate::time_elements::{ConstraintPoints, MAX_ELEMENT_DEGREE, Scheme};
use poinsot_mechanics::{State, System};

/// Settings of discontinuous Galerkin steps.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DgSettings {
    /// Degree k of the polynomials in a step, from 1 to [`MAX_ELEMENT_DEGREE`].
    pub degree: usize,
    /// Where constraints and their forces are taken.
    pub points: ConstraintPoints,
    /// Moves the end of every step onto the constraints.
    pub project: bool,
    /// Estimates the error of every step.
    pub estimate: bool,
    /// Tolerances of adaptive steps; with fixed steps they decide when Newton's iteration ends.
    pub tolerance: Tolerance,
}

impl Default for DgSettings {
    fn default() -> Self {
        DgSettings {
            degree: 1,
            points: ConstraintPoints::Radau,
            project: true,
            estimate: true,
            tolerance: Tolerance::default(),
        }
    }
}

/// Variables would not satisfy their equations at the ends of steps.
const ENDS_WITHOUT_VARIABLES: Refusal = Refusal {
    reason: "at Gauss points no equation of other domains holds at the ends of steps",
    remedy: "leave out constraint_points, or take \"radau\"",
};

impl Integrator for DgSettings {
    fn start<'s>(
        &self,
        system: &'s System,
        state: State,
        _h: f64,
    ) -> Result<Box<dyn Stepper + 's>, StepFailure> {
        Ok(Box::new(DiscontinuousGalerkin::new(system, *self, state)?))
    }

    fn refusal(&self, system: &System) -> Option<Refusal> {
        let gauss = self.points == ConstraintPoints::Gauss;
        (gauss && !system.networks().is_empty()).then_some(ENDS_WITHOUT_VARIABLES)
    }

    fn tableau(&self) -> Option<Tableau> {
        Scheme::new(self.degree, self.points).tableau()
    }

    fn order(&self) -> usize {
        2 * self.degree + 1
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

    fn set_local_tolerance(&mut self, tolerance: Tolerance, adaptive: bool) {
        (self.tolerance, self.estimate) = (tolerance, adaptive);
    }

    fn holds(&self) -> (bool, bool) {
        (self.project || self.points == ConstraintPoints::Radau, self.project)
    }
}

const STAGES: Setting = Setting {
    key: "stages",
    kind: Kind::Count(Counts::Between(2, MAX_ELEMENT_DEGREE + 1)),
    text: "Points of a step: one more than the degree of the polynomials in it",
    noun: "{} stages",
    default: "2",
    listed: Listed::Range,
    in_name: true,
    of_the_file: true,
    ..Setting::PLAIN
};

const RADAU: Word =
    Word { word: "radau", text: "At the right Radau points, of which the end of the step is one." };
const GAUSS: Word = Word {
    word: "gauss",
    text: "At the Gauss points, as published: a lower order where joints connect moving bodies.",
};

const POINTS: Setting = Setting {
    key: "constraint_points",
    kind: Kind::Word(&[RADAU, GAUSS]),
    text: "Where in a step constraints hold and their forces are taken",
    default: RADAU.word,
    listed: Listed::Key,
    ..Setting::PLAIN
};

/// The entry in the list of integrators.
struct NamedDg;

impl Named for NamedDg {
    fn label(&self) -> Label {
        Label {
            name: "dg",
            aliases: &["discontinuous-galerkin"],
            summary: "discontinuous polynomials of degree s−1 in a step, order 2s−1: damps stiff motions away, shows its error by the jump",
        }
    }

    fn settings(&self) -> Vec<Setting> {
        vec![STAGES, POINTS, Setting::project("true")]
    }

    fn method(&self, given: &Given) -> Result<Method, SettingError> {
        let default = DgSettings::default();
        let degree = given.count(STAGES.key).map_or(default.degree, |stages| stages - 1);
        let points = match given.word(POINTS.key) {
            Some(word) if word == GAUSS.word => ConstraintPoints::Gauss,
            _ => ConstraintPoints::Radau,
        };
        let project = given.flag("project").unwrap_or(default.project);
        Ok(DgSettings { degree, points, project, ..default }.into())
    }
}

impl Listing for DgSettings {
    fn listed() -> Vec<&'static dyn Named> {
        vec![&NamedDg]
    }
}
