//! The integrators, and what each says of itself.
//!
//! An integrator is a folder with its settings, its [`Stepper`], an `impl Integrator` and a [`Listing`] of
//! its names for the settings, and one line in the list at the end of this file.

use crate::bdf::settings::BdfSettings;
use crate::conserving::galerkin_settings::GalerkinSettings;
use crate::conserving::settings::ConservingSettings;
use crate::control::Tolerance;
use crate::dg::settings::DgSettings;
use crate::expected_order::{ExpectedOrder, QuantityLevel};
use crate::gs4::settings::Settings;
use crate::named::Named;
use crate::refusal::Refusal;
use crate::runge_kutta::explicit::method::{ExplicitMethod, ExplicitSettings, Procedure};
use crate::runge_kutta::implicit::settings::ImplicitSettings;
use crate::runge_kutta::tableau::Tableau;
use crate::setting::Given;
use crate::step_failure::StepFailure;
use crate::stepper::Stepper;
use poinsot_mechanics::{State, System};
use std::ops::{Deref, DerefMut};

/// A method with its settings.
pub trait Integrator: std::fmt::Debug {
    /// Starts an integration at a consistent state; `h` is the first step.
    fn start<'s>(
        &self,
        system: &'s System,
        state: State,
        h: f64,
    ) -> Result<Box<dyn Stepper + 's>, StepFailure>;

    /// Why the method cannot take this system, if it cannot.
    fn refusal(&self, _system: &System) -> Option<Refusal> {
        None
    }

    /// What is to be said against these settings although they work.
    fn doubt(&self) -> Option<&'static str> {
        None
    }

    /// Order in smooth motions.
    fn order(&self) -> usize;

    /// Order in smooth motions of a system, which may have forces that lower it.
    fn order_in(&self, _system: &System) -> usize {
        self.order()
    }

    /// Its coefficients, if it is a Runge–Kutta method.
    fn tableau(&self) -> Option<Tableau> {
        None
    }

    /// Order of a quantity of a system, as far as it is known.
    fn expected_order(&self, level: QuantityLevel, system: &System) -> ExpectedOrder {
        match level {
            QuantityLevel::Own => ExpectedOrder::UNKNOWN,
            _ => ExpectedOrder::full(self.order_in(system)),
        }
    }

    /// Whether it estimates its errors, so that a study can choose the steps.
    fn estimates_errors(&self) -> bool {
        false
    }

    /// Relative accuracy: of Newton's iteration, or of the local error where that decides when it ends.
    fn tolerance(&self) -> f64;

    /// Whether its Newton iteration ends by the tolerance of the local error, with fixed steps too.
    fn ends_by_local_tolerance(&self) -> bool {
        false
    }

    /// Lets Newton's iteration leave over no more than this, if it does not end by the local error.
    fn tighten(&mut self, _tolerance: f64) {}

    /// Chooses what was not given and depends on the study. A model that has beams `vibrates` with fixed
    /// steps.
    fn settle(&mut self, _given: &Given, _vibrates: bool) {}

    /// Chooses what was not given and depends on the system and the step, if that is fixed.
    fn fit(&mut self, _given: &Given, _system: &System, _step: Option<f64>) {}

    /// Sets the tolerance of the local error, of a method that has one, and whether steps follow it.
    fn set_local_tolerance(&mut self, _tolerance: Tolerance, _adaptive: bool) {}

    /// Whether positions and velocities at the ends of steps satisfy the constraints to rounding.
    fn holds(&self) -> (bool, bool);

    /// Whether joints open more and more, since nothing brings them back.
    fn drifts(&self) -> bool {
        !self.holds().0
    }

    /// Whether velocities at the ends of steps satisfy the constraints to the order of the method only, and
    /// alternate about them (energy-momentum-null-space G-08), although positions satisfy them.
    fn leaves_velocities_open(&self) -> bool {
        false
    }

    /// What is said of velocities that need not satisfy the constraints.
    fn velocity_remark(&self) -> &'static str {
        "monitored, not imposed"
    }

    /// Whether a body that turns far in a fixed step gets a wrong phase.
    fn lags_in_rotation(&self) -> bool {
        false
    }

    /// The part by which a steady spin lags if a body turns by an angle (rad) in a step, where that is known.
    fn spin_lag(&self, _angle: f64) -> Option<f64> {
        None
    }

    /// Whether accelerations and multipliers are unknowns of the step, rather than found at each stage.
    fn carries_multipliers(&self) -> bool {
        true
    }

    /// Whether it is made for equal steps, although it could choose them.
    fn prefers_equal_steps(&self) -> bool {
        false
    }

    /// Whether algebraic variables at the ends of steps satisfy their equations to the order of the method
    /// only.
    fn leaves_variables_open(&self) -> bool {
        false
    }

    /// Whether its first steps after a start are of lower order than those that follow.
    fn starts_at_low_order(&self) -> bool {
        false
    }
}

/// The names under which an integrator with these settings can be had.
pub(crate) trait Listing {
    /// In the order of the list.
    fn listed() -> Vec<&'static dyn Named>;
}

macro_rules! methods {
    ($($(#[$text:meta])* $name:ident($settings:ty),)*) => {
        /// Which integrator, with its settings.
        #[derive(Clone, Copy, Debug, PartialEq)]
        pub enum Method {
            $($(#[$text])* $name($settings),)*
        }

        $(impl From<$settings> for Method {
            fn from(settings: $settings) -> Self {
                Method::$name(settings)
            }
        })*

        /// All integrators that can be had by name.
        pub fn integrators() -> Vec<&'static dyn Named> {
            [$(<$settings as Listing>::listed()),*].concat()
        }

        impl Deref for Method {
            type Target = dyn Integrator;

            fn deref(&self) -> &Self::Target {
                match self {
                    $(Method::$name(settings) => settings,)*
                }
            }
        }

        impl DerefMut for Method {
            fn deref_mut(&mut self) -> &mut Self::Target {
                match self {
                    $(Method::$name(settings) => settings,)*
                }
            }
        }
    };
}

methods! {
    /// GS4-2, of second order.
    Gs4(Settings),
    /// Energy–momentum and other structure-preserving steps.
    Conserving(ConservingSettings),
    /// Galerkin steps of degree k.
    Galerkin(GalerkinSettings),
    /// Radau IIA, Gauss or Lobatto IIIA.
    Implicit(ImplicitSettings),
    /// Discontinuous Galerkin steps.
    Dg(DgSettings),
    /// Backward differentiation formulas of variable order.
    Bdf(BdfSettings),
    /// An explicit Runge–Kutta method.
    Explicit(ExplicitSettings),
}

impl Default for Method {
    fn default() -> Self {
        Method::Gs4(Settings::default())
    }
}

impl From<Procedure> for Method {
    /// The classical Runge–Kutta method of order 4 in this procedure.
    fn from(procedure: Procedure) -> Self {
        ExplicitSettings::new(ExplicitMethod::RungeKutta4, procedure).into()
    }
}

impl Method {
    /// The settings of GS4, if that is the method.
    pub fn gs4(&self) -> Option<&Settings> {
        match self {
            Method::Gs4(settings) => Some(settings),
            _ => None,
        }
    }

    /// The settings of structure-preserving steps, if it takes such.
    pub fn conserving(&self) -> Option<&ConservingSettings> {
        match self {
            Method::Conserving(settings) => Some(settings),
            _ => None,
        }
    }
}
