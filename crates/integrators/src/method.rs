//! The integrators, and what each says of itself.
//!
//! An integrator is a folder with its settings, its [`Stepper`] and an `impl Integrator` for the settings,
//! and one line in the list at the end of this file.

use crate::bdf::BdfSettings;
use crate::conserving::energy_momentum::ConservingSettings;
use crate::conserving::galerkin::GalerkinSettings;
use crate::control::Tolerance;
use crate::gs4::settings::Settings;
use crate::refusal::Refusal;
use crate::runge_kutta::explicit::method::{ExplicitMethod, ExplicitSettings, Procedure};
use crate::runge_kutta::implicit::ImplicitSettings;
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
    /// An explicit Runge–Kutta method.
    Explicit(ExplicitSettings),
    /// Radau IIA, Gauss or Lobatto IIIA.
    Implicit(ImplicitSettings),
    /// Backward differentiation formulas of variable order.
    Bdf(BdfSettings),
    /// Energy–momentum and other structure-preserving steps.
    Conserving(ConservingSettings),
    /// Galerkin steps of degree k.
    Galerkin(GalerkinSettings),
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
}
