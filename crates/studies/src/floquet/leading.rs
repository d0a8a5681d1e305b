//! The largest multipliers of a model with many unknowns.

use super::motion::{Motion, multi_blade};
use super::request::FloquetSpec;
use crate::failure::StudyError;
use crate::periodic::failure::placed;
use poinsot_analysis::{Changes, PeriodicSettings, find_leading};
use poinsot_mechanics::{State, System};
use poinsot_model::{Assembly, Model};
use std::f64::consts::TAU;

/// The motion with its largest multipliers.
pub fn find(
    (model, system, assembly): (&Model, &System, &Assembly),
    spec: &FloquetSpec,
    settings: &PeriodicSettings,
    advances: &[(usize, f64)],
    state: State,
) -> Result<Motion, StudyError> {
    let found = find_leading(system, state, settings, advances, spec.motion.count)
        .map_err(|error| placed(error, &spec.motion))?;
    let state = found.orbit.states[0].clone();
    let a = Changes::new(system, TAU / found.orbit.period).accelerations(&state)?;
    let blades = multi_blade((model, system, assembly), spec, settings, (&found.orbit, found.change))?;
    Ok(Motion {
        blades,
        period: found.orbit.period,
        elements: found.orbit.elements(),
        floquet: found.floquet,
        change: found.change,
        state,
        a,
    })
}
