//! What a method cannot do with a system, known before the first step.

use poinsot_mechanics::System;

/// Why a method is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub reason: &'static str,
    /// What to choose instead.
    pub remedy: &'static str,
}

/// Equations whose rates an explicit method would have to know.
pub(crate) const UNDETERMINED: Refusal = Refusal {
    reason: "an explicit method needs the rates of all variables, and the [[equations]] do not determine them: an \
             algebraic equation has index 2 or more, or a rate has a zero factor",
    remedy: "choose an implicit integrator (radau or bdf), or differentiate that equation",
};

/// Whether some rates do not follow from the state.
pub(crate) fn is_undetermined(system: &System) -> bool {
    system.networks().iter().any(|network| !network.is_index_one())
}

/// Structure-preserving steps and other domains.
pub(crate) const MECHANICS_ONLY: Refusal = Refusal {
    reason: "structure-preserving steps know mechanics only, not equations of other domains",
    remedy: "choose another integrator, for example generalized-alpha or radau",
};
