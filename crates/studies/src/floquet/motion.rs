//! The motion at one value of the parameter, with its multipliers.

use super::request::{FloquetSpec, MultipliersBy};
use crate::failure::StudyError;
use crate::periodic::failure::placed;
use crate::periodic::guess::settled;
use crate::periodic::run::{advances, held, settings};
use crate::study::Prepared;
use poinsot_analysis::{Changes, Closure, Floquet, PeriodicError, PeriodicReport, find_periodic};
use poinsot_mechanics::State;
use std::f64::consts::TAU;

/// Errors of the largest multiplier are brought below this share of the tolerance of the motion.
const REFINEMENTS: usize = 4;

/// A motion with its multipliers.
pub struct Motion {
    /// The period (s).
    pub period: f64,
    /// Its multipliers.
    pub floquet: Floquet,
    /// Its start.
    pub state: State,
    /// Accelerations, rates and multipliers of constraints there.
    pub a: Vec<f64>,
    /// Change between two meshes, in units of the states.
    pub change: f64,
    /// Elements of the mesh.
    pub elements: usize,
    /// Elements that the mesh began with.
    pub asked_elements: usize,
}

/// The motion at the value that a model was prepared with, looked for near a state of another value.
pub fn find(
    prepared: &mut Prepared,
    spec: &FloquetSpec,
    elements: usize,
    near: Option<&State>,
) -> Result<Motion, StudyError> {
    let motion = &spec.motion;
    let mut settings = settings(prepared.model, motion);
    settings.elements = settings.elements.max(elements);
    let period = settings.period.value();
    let state = match near {
        Some(near) => {
            settings.from_rest = false;
            carried(prepared, near, period, motion.start)?
        }
        None => settled(&mut prepared.system, prepared.state.clone(), motion, period)?,
    };
    let (model, system, assembly) = (prepared.model, &prepared.system, &prepared.assembly);
    let advances = advances(model, system, assembly, motion)?;
    let pins = |at: &State| held(model, system, assembly, at, motion);
    let closure =
        Closure { advances: &advances, pins: if motion.hold.is_empty() { None } else { Some(&pins) } };
    if spec.by == MultipliersBy::Leading {
        return super::leading::find(prepared, spec, &settings, &advances, state);
    }
    let mut found: PeriodicReport;
    let mut refined = 0;
    loop {
        found = find_periodic(system, state.clone(), &settings, closure).map_err(|e| placed(e, motion))?;
        // Elements that follow the motion need not follow deviations from it.
        let error = found.floquet.largest().map_or(0.0, |m| m.error / (1.0 + m.value.norm()));
        match settings.tolerance {
            Some(tolerance) if error > tolerance && refined < REFINEMENTS => settings.elements *= 2,
            _ => break,
        }
        refined += 1;
    }
    let rate = TAU / found.orbit.period;
    let mut changes = Changes::new(system, rate);
    let state = found.orbit.states[0].clone();
    let a = changes.accelerations(&state)?;
    let mut floquet = found.floquet;
    if let MultipliersBy::Hill { harmonics, kept } = spec.by {
        let mut map = settings.scheme.map(system, rate).map_err(PeriodicError::from)?;
        super::harmonics::replace(
            system,
            (&mut *map, &mut changes),
            &found.orbit,
            (harmonics, kept),
            &mut floquet,
        )?;
    }
    Ok(Motion {
        period: found.orbit.period,
        floquet,
        state,
        a,
        change: found.change,
        elements: found.mesh.elements,
        asked_elements: settings.elements,
    })
}

/// The state of a neighbouring value, moved onto the constraints of this one.
fn carried(prepared: &Prepared, near: &State, period: f64, start: f64) -> Result<State, StudyError> {
    let mut state = prepared.state.clone();
    let fits = state.frames.len() == near.frames.len() && state.v.len() == near.v.len();
    if fits && state.memory.len() == near.memory.len() {
        state.frames.clone_from(&near.frames);
        state.v.clone_from(&near.v);
        state.memory.clone_from(&near.memory);
    }
    state.t = start;
    state.rates.clear();
    Changes::new(&prepared.system, TAU / period).settle(&mut state)?;
    Ok(state)
}
