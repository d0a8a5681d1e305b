//! The order that theory and measurements promise for a quantity, and why it may be less than that of the
//! method.

use crate::compared_quantities::Level;
use poinsot_integrators::{
    ConstraintForm, Form as Gs4Form, ImplicitFamily, Incompatibility, Method, Settings, compatibility,
};
use poinsot_model::spec::{Form, IntegratorSpec};

/// An order to be expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expected {
    /// The order, if it is known.
    pub order: Option<f64>,
    /// Why it is less than that of the method.
    pub reason: Option<&'static str>,
}

impl Expected {
    fn full(order: usize) -> Self {
        Expected { order: Some(order as f64), reason: None }
    }

    fn less(order: usize, reason: &'static str) -> Self {
        Expected { order: Some(order as f64), reason: Some(reason) }
    }

    const UNKNOWN: Expected = Expected { order: None, reason: None };
}

/// Whether accelerations and multipliers are unknowns of the step, rather than found at each stage.
pub fn carries_multipliers(spec: &IntegratorSpec) -> bool {
    !matches!(spec.form, Form::Embedding | Form::Projected | Form::Augmented)
}

/// The order of a quantity.
pub fn expected(spec: &IntegratorSpec, level: Level) -> Expected {
    match &spec.method {
        Method::Gs4(settings) => gs4(settings, level),
        Method::Implicit(settings) if settings.family == ImplicitFamily::Radau => {
            radau(settings.stages, spec.form, level)
        }
        Method::Implicit(settings) if settings.family == ImplicitFamily::Gauss => {
            gauss(settings.stages, level)
        }
        Method::Conserving(_) => conserving(spec.form, level),
        Method::Galerkin(settings) => galerkin(settings.degree, level),
        _ if level == Level::Own => Expected::UNKNOWN,
        _ => Expected::full(spec.order()),
    }
}

/// Second order, but for what position-level constraints excite in the direction normal to them: roots
/// {−ρ_min, −ρ_max} of U0 and {−1, −ρ_s} of V0, of which those at −1 never decay (gs4-isochronous-integrators
/// I-53, I-54).
fn gs4(settings: &Settings, level: Level) -> Expected {
    if level != Level::Own || settings.form != Gs4Form::Position {
        return Expected::full(2);
    }
    match compatibility(&settings.member, settings.switches, ConstraintForm::Position) {
        Ok(()) => Expected::full(2),
        Err(Incompatibility::Oscillates) => Expected::less(
            1,
            "an oscillation normal to the constraints never decays; use form = \"stabilised\"",
        ),
        _ => {
            Expected::less(0, "oscillations normal to the constraints never decay; use form = \"stabilised\"")
        }
    }
}

/// Orders of Radau IIA with s stages (lagrangian-dae-modeling §1.23, with the orders observed there):
///
/// ```text
/// index 1:  q, v, λ  2s−1
/// index 2 and stabilised:  q, v  2s−1,  λ  s
/// index 3:  q  2s−1,  v  s,  λ  s−1           s = 1: all 1
/// ```
fn radau(stages: usize, form: Form, level: Level) -> Expected {
    let s = stages;
    if s == 1 {
        return Expected::full(1);
    }
    match (form, level) {
        (Form::Position, Level::Position) => Expected::full(2 * s - 1),
        (Form::Position, Level::Velocity) => {
            Expected::less(s, "index 3 reduces the order of velocities to s")
        }
        (Form::Position, Level::Own) => {
            Expected::less(s - 1, "index 3 reduces the order of multipliers to s−1")
        }
        // As much as they depend on velocities normal to the constraints.
        (Form::Position, Level::Signal | Level::Acceleration) => Expected::UNKNOWN,
        (Form::Acceleration, Level::Own) => Expected::full(2 * s - 1),
        (_, Level::Own) => Expected::less(s, "index 2 reduces the order of multipliers to s"),
        _ => Expected::full(2 * s - 1),
    }
}

/// Second order in the state and in what belongs to it. From a consistent start velocities normal to the
/// constraints alternate between 0 and O(h²), e⁺ = −e − ½ h² Ġ v̇ (energy-momentum-null-space I-06, G-08),
/// multipliers of the steps by O(h). With a penalty they swing about those of the constraint.
fn conserving(form: Form, level: Level) -> Expected {
    match (form, level) {
        (Form::Penalty, Level::Own | Level::Acceleration) => Expected::UNKNOWN,
        (_, Level::Own) => Expected::less(
            1,
            "what velocities have normal to the constraints alternates from step to step; those recorded do not",
        ),
        _ => Expected::full(2),
    }
}

/// Orders of Galerkin steps of degree k, measured on the heavy top and the revolute pair of
/// energy-momentum-null-space V-2, V-4:
///
/// ```text
/// q, v  2k,   λ inside the steps  k
/// ```
fn galerkin(degree: usize, level: Level) -> Expected {
    match level {
        Level::Own => Expected::less(degree, "inside the steps they are of the order of the degree, k"),
        _ => Expected::full(2 * degree),
    }
}

/// Orders of Gauss with s stages, measured on the pendulum of gs4-isochronous-integrators I-54 with s = 1, 2,
/// 3:
///
/// ```text
/// q, v  2s,   λ  s
/// ```
fn gauss(stages: usize, level: Level) -> Expected {
    match level {
        Level::Own => Expected::less(stages, "inside the steps they are of the order of the stages, s"),
        _ => Expected::full(2 * stages),
    }
}
