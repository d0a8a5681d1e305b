//! What a method cannot do with a system, known before the first step.

use crate::energy_momentum::{ConservingSettings, Treatment};
use crate::explicit_method::{ExplicitSettings, Procedure};
use crate::galerkin;
use crate::partition::MAX_UNKNOWNS;
use crate::settings::Settings;
use crate::stepper::Method;
use crate::switches::Switches;
use poinsot_mechanics::System;
use poinsot_mechanics::conserving::Rule;

/// Why a method is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub reason: &'static str,
    /// What to choose instead.
    pub remedy: &'static str,
}

/// Equations whose rates an explicit method would have to know.
const UNDETERMINED: Refusal = Refusal {
    reason: "an explicit method needs the rates of all variables, and the [[equations]] do not determine them: an \
             algebraic equation has index 2 or more, or a rate has a zero factor",
    remedy: "choose an implicit integrator (radau or bdf), or differentiate that equation",
};

impl Method {
    /// Why the method cannot take this system, if it cannot.
    pub fn refusal(&self, system: &System) -> Option<Refusal> {
        match self {
            Method::Gs4(settings) => settings.refusal().or_else(|| explicit_gs4(settings, system)),
            Method::Explicit(settings) => explicit(settings, system),
            Method::Conserving(settings) => conserving(settings, system),
            Method::Galerkin(settings) => galerkin::refusal(system, settings),
            Method::Implicit(_) | Method::Bdf(_) => None,
        }
    }
}

fn is_undetermined(system: &System) -> bool {
    system.networks().iter().any(|network| !network.is_index_one())
}

fn explicit_gs4(settings: &Settings, system: &System) -> Option<Refusal> {
    (settings.switches != Switches::IMPLICIT && is_undetermined(system)).then_some(UNDETERMINED)
}

fn explicit(settings: &ExplicitSettings, system: &System) -> Option<Refusal> {
    if settings.procedure == Procedure::Embedding && system.coordinates() > MAX_UNKNOWNS {
        return Some(Refusal {
            reason: "the system has more unknowns than independent coordinates are chosen for",
            remedy: "choose form = \"projected\", or another integrator",
        });
    }
    is_undetermined(system).then_some(UNDETERMINED)
}

/// What structure-preserving steps cannot do.
pub(crate) fn conserving(settings: &ConservingSettings, system: &System) -> Option<Refusal> {
    if !system.networks().is_empty() {
        return Some(MECHANICS_ONLY);
    }
    if settings.rule == Rule::Variational && system.inertias().next().is_some() {
        return Some(Refusal {
            reason: "the variational rule needs masses of single bodies, not those that beams share between nodes",
            remedy: "choose energy-momentum, or lumped masses for the beams",
        });
    }
    let reduces = matches!(settings.treatment, Treatment::NullSpace | Treatment::Minimal);
    (reduces && !system.frictions().is_empty()).then_some(Refusal {
        reason: "friction needs the constraint forces, which the null space treatments eliminate",
        remedy: "choose form = \"multipliers\"",
    })
}

/// Structure-preserving steps and other domains.
pub(crate) const MECHANICS_ONLY: Refusal = Refusal {
    reason: "structure-preserving steps know mechanics only, not equations of other domains",
    remedy: "choose another integrator, for example generalized-alpha or radau",
};
