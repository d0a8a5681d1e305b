//! The motion at one value of the parameter, with its multipliers.

use super::request::{FloquetSpec, MultipliersBy};
use crate::failure::StudyError;
use crate::periodic::guess::settled;
use crate::periodic::run::{advances, search_from, settings};
use crate::study::Prepared;
use poinsot_analysis::{
    Changes, Floquet, MultiBlade, Orbit, PeriodGiven, PeriodicError, PeriodicScheme, PeriodicSettings, Rotor,
};
use poinsot_mechanics::{State, System};
use poinsot_model::{Assembly, Diagnostic, Model};
use std::f64::consts::TAU;

/// Periodic part of constant equations, beside what the accuracy of the motion leaves open.
const CONSTANT: f64 = 1e-6;

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
    /// Constant equations in multi-blade coordinates, or why there are none; none if they are not asked for.
    pub blades: Option<Result<MultiBlade, String>>,
    /// Elements of the mesh.
    pub elements: usize,
}

/// A motion at another value of the parameter.
pub struct Near<'a> {
    /// Its start.
    pub state: &'a State,
    /// Its period (s).
    pub period: f64,
}

/// The motion at the value that a model was prepared with, looked for near one of another value.
pub fn find(prepared: &mut Prepared, spec: &FloquetSpec, near: Option<Near>) -> Result<Motion, StudyError> {
    let motion = &spec.motion;
    let mut settings = settings(prepared.model, motion);
    let state = match &near {
        Some(near) => {
            if let PeriodGiven::Unknown(_) = settings.period {
                settings.period = PeriodGiven::Unknown(near.period);
            }
            carried(prepared, near, settings.period.value(), motion.start)?
        }
        None => settled(&mut prepared.system, prepared.state.clone(), motion, settings.period.value())?,
    };
    let Prepared { model, system, assembly, .. } = prepared;
    if spec.by == MultipliersBy::Leading {
        let advances = advances(model, system, assembly, motion)?;
        return super::leading::find((model, system, assembly), spec, &settings, &advances, state);
    }
    let found =
        search_from(model, system, assembly, state, motion, (settings.clone(), near.is_none()))?.report;
    let harmonics = matches!(settings.scheme, PeriodicScheme::Spectral(_));
    let rate = TAU / found.orbit.period;
    let mut changes = Changes::new(system, rate);
    let state = found.orbit.states[0].clone();
    let a = changes.accelerations(&state)?;
    let mut floquet = found.floquet;
    if let MultipliersBy::Hill { harmonics, kept } = spec.by {
        let mut map = settings.scheme.map(system, rate).map_err(PeriodicError::from)?;
        let along = super::harmonics::along(system, (&mut *map, &mut changes), &found.orbit, harmonics)?;
        super::harmonics::replace(system, &along, &found.orbit, kept, &mut floquet)?;
    }
    let near_steps = if harmonics { None } else { Some(&settings) };
    let blades = match near_steps {
        Some(settings) => {
            multi_blade((model, system, assembly), spec, settings, (&found.orbit, found.change))?
        }
        None => None,
    };
    Ok(Motion {
        blades,
        period: found.orbit.period,
        elements: found.mesh.elements,
        change: found.change,
        floquet,
        state,
        a,
    })
}

/// Small motions in multi-blade coordinates, or why they have none; none if they are not asked for.
pub fn multi_blade(
    (model, system, assembly): (&Model, &System, &Assembly),
    spec: &FloquetSpec,
    settings: &PeriodicSettings,
    (orbit, change): (&Orbit, f64),
) -> Result<Option<Result<MultiBlade, String>>, StudyError> {
    if spec.blades.is_empty() {
        return Ok(None);
    }
    let rotor = rotor(model, assembly, spec)?;
    let rate = TAU / orbit.period;
    let mut map = settings.scheme.map(system, rate).map_err(PeriodicError::from)?;
    let mut changes = Changes::new(system, rate);
    let most = rotor.blades.len() + 2;
    let along = super::harmonics::along(system, (&mut *map, &mut changes), orbit, most)?;
    let constant = rotor.constant(system, &along, orbit.period, CONSTANT.max(100.0 * change));
    Ok(Some(constant.map_err(|error| error.to_string())))
}

/// The nodes of the blades.
pub fn rotor(model: &Model, assembly: &Assembly, spec: &FloquetSpec) -> Result<Rotor, StudyError> {
    let mut blades = vec![];
    for blade in &spec.blades {
        let mut nodes = vec![];
        for (name, span) in blade {
            let body = model.bodies.iter().position(|body| body.name == *name);
            let beam = model.beams.iter().find(|beam| beam.name == *name);
            match (body, beam) {
                (Some(k), _) => nodes.push(assembly.nodes[k]),
                (None, Some(beam)) => nodes.extend(beam.nodes.clone().map(|k| assembly.nodes[k])),
                (None, None) => {
                    let error = Diagnostic::error(format!("there is no body or beam `{name}`"));
                    let error = error.at(span.clone(), "not found");
                    let help = "a blade has bodies and beams of the model";
                    return Err(StudyError::Model(Box::new(error.help(help))));
                }
            }
        }
        blades.push(nodes);
    }
    Ok(Rotor { blades })
}

/// The state of a neighbouring value, moved onto the constraints of this one.
fn carried(prepared: &Prepared, near: &Near, period: f64, start: f64) -> Result<State, StudyError> {
    let (mut state, near) = (prepared.state.clone(), near.state);
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
