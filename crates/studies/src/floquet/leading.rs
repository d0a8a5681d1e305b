//! The largest multipliers of a model with many unknowns.

use super::motion::Motion;
use super::request::FloquetSpec;
use crate::failure::StudyError;
use crate::periodic::failure::placed;
use crate::study::Prepared;
use poinsot_analysis::{Changes, PeriodicSettings, find_leading};
use poinsot_mechanics::State;
use std::f64::consts::TAU;

/// The motion with its largest multipliers.
pub fn find(
    prepared: &Prepared,
    spec: &FloquetSpec,
    settings: &PeriodicSettings,
    advances: &[(usize, f64)],
    state: State,
) -> Result<Motion, StudyError> {
    let found = find_leading(&prepared.system, state, settings, advances, spec.motion.count)
        .map_err(|error| placed(error, &spec.motion))?;
    let state = found.orbit.states[0].clone();
    let a = Changes::new(&prepared.system, TAU / found.orbit.period).accelerations(&state)?;
    Ok(Motion {
        period: found.orbit.period,
        elements: found.orbit.elements(),
        asked_elements: settings.elements,
        floquet: found.floquet,
        change: found.change,
        state,
        a,
    })
}
