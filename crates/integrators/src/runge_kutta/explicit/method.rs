//! Explicit Runge–Kutta methods by name, and their settings.

use crate::control::Tolerance;
use crate::method::{Integrator, Listing, Method};
use crate::named::{Label, Named};
use crate::refusal::{Refusal, UNDETERMINED, is_undetermined};
use crate::runge_kutta::explicit::ExplicitRungeKutta;
use crate::runge_kutta::explicit::partition::MAX_UNKNOWNS;
use crate::runge_kutta::tableau::Tableau;
use crate::setting::{Given, Setting, SettingError, Word};
use crate::step_failure::StepFailure;
use crate::stepper::Stepper;
use poinsot_mechanics::{State, System};

/// An explicit Runge–Kutta method.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ExplicitMethod {
    /// Euler, order 1.
    Euler,
    /// The explicit midpoint rule, order 2.
    Midpoint,
    /// Heun with Euler embedded, order 2(1).
    Heun,
    /// The classical method, order 4.
    RungeKutta4,
    /// Cash and Karp, order 5(4).
    CashKarp,
    /// Dormand and Prince, order 5(4).
    #[default]
    DormandPrince,
}

impl ExplicitMethod {
    /// The coefficients.
    pub fn tableau(self) -> Tableau {
        let name = match self {
            ExplicitMethod::Euler => "explicit-euler",
            ExplicitMethod::Midpoint => "explicit-midpoint",
            ExplicitMethod::Heun => "euler-heun",
            ExplicitMethod::RungeKutta4 => "runge-kutta-4",
            ExplicitMethod::CashKarp => "cash-karp",
            ExplicitMethod::DormandPrince => "dormand-prince",
        };
        Tableau::named(name).expect("every explicit method is in the list of tableaus")
    }

    /// Name, as in a model file.
    pub fn name(self) -> &'static str {
        EXPLICIT.iter().find(|entry| entry.method == self).map_or("", |entry| entry.label.name)
    }

    /// Whether the method estimates its error, so that steps can be adaptive.
    pub fn is_pair(self) -> bool {
        matches!(self, ExplicitMethod::Heun | ExplicitMethod::CashKarp | ExplicitMethod::DormandPrince)
    }
}

/// How the constraints are kept.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Procedure {
    /// All accelerations are integrated; positions and velocities drift off the constraints.
    Augmented,
    /// The same, then positions and velocities are moved back onto the constraints after each step, with the
    /// least change in the sense of the masses.
    Projected,
    /// Only independent coordinates are integrated (Wehage's coordinate partitioning); the default.
    #[default]
    Embedding,
}

/// Settings of an explicit Runge–Kutta method.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct ExplicitSettings {
    /// The method.
    pub tableau: ExplicitMethod,
    /// How the constraints are kept.
    pub procedure: Procedure,
    /// Tolerances in which a pair measures its error until others are set.
    pub tolerance: Tolerance,
}

impl ExplicitSettings {
    /// A method in a procedure, with the usual tolerance.
    pub fn new(tableau: ExplicitMethod, procedure: Procedure) -> Self {
        ExplicitSettings { tableau, procedure, tolerance: Tolerance::default() }
    }
}

impl Integrator for ExplicitSettings {
    fn start<'s>(
        &self,
        system: &'s System,
        state: State,
        _h: f64,
    ) -> Result<Box<dyn Stepper + 's>, StepFailure> {
        Ok(Box::new(ExplicitRungeKutta::new(system, *self, state)?))
    }

    fn refusal(&self, system: &System) -> Option<Refusal> {
        if self.procedure == Procedure::Embedding && system.coordinates() > MAX_UNKNOWNS {
            return Some(Refusal {
                reason: "the system has more unknowns than independent coordinates are chosen for",
                remedy: "choose form = \"projected\", or another integrator",
            });
        }
        is_undetermined(system).then_some(UNDETERMINED)
    }

    fn tableau(&self) -> Option<Tableau> {
        Some(self.tableau.tableau())
    }

    fn order(&self) -> usize {
        self.tableau.tableau().order
    }

    fn estimates_errors(&self) -> bool {
        self.tableau.is_pair()
    }

    fn tolerance(&self) -> f64 {
        self.tolerance.relative
    }

    fn set_local_tolerance(&mut self, tolerance: Tolerance, _adaptive: bool) {
        self.tolerance = tolerance;
    }

    fn holds(&self) -> (bool, bool) {
        let holds = self.procedure != Procedure::Augmented;
        (holds, holds)
    }

    fn leaves_variables_open(&self) -> bool {
        true
    }

    fn carries_multipliers(&self) -> bool {
        false
    }
}

/// An explicit method with its name.
#[derive(Clone, Copy, Debug)]
pub struct NamedExplicit {
    /// How it is called.
    pub label: Label,
    /// The method.
    pub method: ExplicitMethod,
}

impl NamedExplicit {
    /// The entry of [`EXPLICIT`] with this name or alias.
    pub fn find(name: &str) -> Option<&'static NamedExplicit> {
        EXPLICIT.iter().find(|entry| entry.label.is_called(name))
    }
}

/// All explicit methods by name.
pub const EXPLICIT: &[NamedExplicit] = &[
    NamedExplicit {
        label: Label {
            name: "runge-kutta-4",
            aliases: &["rk4"],
            summary: "explicit, order 4; form embedding (default), projected or augmented",
        },
        method: ExplicitMethod::RungeKutta4,
    },
    NamedExplicit {
        label: Label {
            name: "dormand-prince",
            aliases: &["dopri5"],
            summary: "explicit, order 5 with an error estimate of order 4; forms as for runge-kutta-4",
        },
        method: ExplicitMethod::DormandPrince,
    },
    NamedExplicit {
        label: Label {
            name: "cash-karp",
            aliases: &[],
            summary: "explicit, order 5 with an error estimate of order 4; forms as for runge-kutta-4",
        },
        method: ExplicitMethod::CashKarp,
    },
    NamedExplicit {
        label: Label {
            name: "heun",
            aliases: &["euler-heun"],
            summary: "explicit, order 2 with an error estimate of order 1; forms as for runge-kutta-4",
        },
        method: ExplicitMethod::Heun,
    },
    NamedExplicit {
        label: Label {
            name: "explicit-midpoint",
            aliases: &[],
            summary: "explicit, order 2; forms as for runge-kutta-4",
        },
        method: ExplicitMethod::Midpoint,
    },
    NamedExplicit {
        label: Label {
            name: "euler",
            aliases: &["explicit-euler"],
            summary: "explicit, order 1; forms as for runge-kutta-4",
        },
        method: ExplicitMethod::Euler,
    },
];

const FORMS: [Word; 3] = [
    Word {
        word: "embedding",
        text: "Explicit Runge–Kutta methods: only independent coordinates are integrated, the others follow \
               from the joints.",
    },
    Word {
        word: "projected",
        text: "Explicit Runge–Kutta methods: all accelerations are integrated, then positions and velocities \
               projected.",
    },
    Word {
        word: "augmented",
        text: "Explicit Runge–Kutta methods: all accelerations are integrated; the constraints drift.",
    },
];

impl Named for NamedExplicit {
    fn label(&self) -> Label {
        self.label
    }

    fn family(&self) -> &'static str {
        "explicit Runge–Kutta methods"
    }

    fn settings(&self) -> Vec<Setting> {
        vec![Setting::form(&FORMS)]
    }

    fn method(&self, given: &Given) -> Result<Method, SettingError> {
        let procedure = match given.word("form") {
            Some("projected") => Procedure::Projected,
            Some("augmented") => Procedure::Augmented,
            _ => Procedure::Embedding,
        };
        Ok(ExplicitSettings::new(self.method, procedure).into())
    }
}

impl Listing for ExplicitSettings {
    fn listed() -> Vec<&'static dyn Named> {
        EXPLICIT.iter().map(|entry| entry as &dyn Named).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::gs4::member::NamedMember;

    #[test]
    fn names_lead_to_methods() {
        for entry in EXPLICIT {
            assert_eq!(entry.method.name(), entry.label.name);
            let tableau = entry.method.tableau();
            assert!(tableau.is_explicit());
            assert_eq!(tableau.embedded.is_some(), entry.method.is_pair(), "{}", entry.name());
            for name in entry.label.aliases.iter().chain([&entry.label.name]) {
                assert_eq!(NamedExplicit::find(name).unwrap().method, entry.method);
                assert!(NamedMember::find(name).is_none(), "`{name}` is taken");
            }
        }
        assert!(NamedExplicit::find("rk5").is_none());
    }
}
