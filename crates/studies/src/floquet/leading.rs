//! The largest multipliers of a model with many unknowns.

use super::motion::Motion;
use super::request::FloquetSpec;
use crate::failure::StudyError;
use crate::periodic::failure::placed;
use poinsot_analysis::{Changes, PeriodicSettings, find_leading};
use poinsot_mechanics::{State, System};
use std::f64::consts::TAU;

/// The motion with its largest multipliers.
pub fn find(
    system: &System,
    spec: &FloquetSpec,
    settings: &PeriodicSettings,
    advances: &[(usize, f64)],
    state: State,
) -> Result<Motion, StudyError> {
    let found = find_leading(system, state, settings, advances, spec.motion.count)
        .map_err(|error| placed(error, &spec.motion))?;
    let state = found.orbit.states[0].clone();
    let a = Changes::new(system, TAU / found.orbit.period).accelerations(&state)?;
    Ok(Motion {
        blades: None,
        period: found.orbit.period,
        elements: found.orbit.elements(),
        floquet: found.floquet,
        change: found.change,
        state,
        a,
    })
}
