//! The state that a study starts from: as modelled, an equilibrium, a steady rotation, the end of another
//! study or of a run that was kept.

mod rest;
mod steady;

use crate::failure::{Blame, Failure, StudyError};
use crate::progress::Watch;
use crate::states_file::{self, StatesError};
use crate::study::{Prepared, RunOptions, model_start, perform};
use poinsot_analysis::StartReport;
use poinsot_mechanics::{State, System};
use poinsot_model::study::InitialSpec;
use poinsot_model::{Agreement, Assembly, Diagnostic, LoadError, Model, NamedState};
use poinsot_results::{Initial, Status, short};
use std::borrow::Cow;
use std::sync::Arc;
use thiserror::Error;

/// Names that are listed.
const LISTED: usize = 6;
/// Correction of a state, in lengths of the model and radians, above which it did not fit.
const FITS: f64 = 1e-6;

/// Why a study has nothing to start from.
#[derive(Debug, Error)]
pub enum InitialError {
    /// The model of the study that it starts from is wrong.
    #[error("{0}")]
    Model(#[from] LoadError),
    /// The study that it starts from did not come to its end.
    #[error("the study `{name}` did not come to its end, and this one starts from there: {reason}")]
    Unfinished {
        /// Its name.
        name: String,
        /// What happened.
        reason: String,
    },
    /// The study that it starts from has failed before.
    #[error("it is not run: the study `{name}`, from which it starts, did not come to its end")]
    Lost {
        /// Its name.
        name: String,
    },
    /// The study that it starts from gave nothing.
    #[error("the study `{name}`, from which this one starts, failed: {cause}")]
    Failed {
        /// Its name.
        name: String,
        /// Why.
        cause: Box<StudyError>,
    },
    /// There is no such state.
    #[error("there is no state to start from: {0}")]
    States(#[from] StatesError),
    /// Nothing of the state is in the model.
    #[error("{from} belongs to another model: it has {}, this one {}", some(there), some(here))]
    OtherModel {
        /// Where the state comes from.
        from: String,
        /// What it has.
        there: Vec<String>,
        /// What the model has.
        here: Vec<String>,
    },
}

impl Failure for InitialError {
    fn blame(&self) -> Blame {
        match self {
            InitialError::Unfinished { .. } | InitialError::Lost { .. } => Blame::Solve,
            InitialError::Failed { cause, .. } => cause.blame(),
            _ => Blame::Input,
        }
    }
    fn remedy(&self) -> Option<&'static str> {
        match self {
            InitialError::Failed { cause, .. } => cause.remedy(),
            _ => None,
        }
    }
}

/// The first names of a list.
fn some(names: &[String]) -> String {
    let more = names.len().saturating_sub(LISTED);
    let first: Vec<String> = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect();
    match (first.is_empty(), more) {
        (true, _) => "nothing that moves".into(),
        (_, 0) => first.join(", "),
        _ => format!("{} and {more} more", first.join(", ")),
    }
}

/// The model with the state that its study starts from found: the study of the file that it is the end of is
/// run, the folder that it is kept in is read. Other starts are found when the model is prepared.
pub fn settled<'m>(model: &'m Model, watch: &dyn Watch) -> Result<Cow<'m, Model>, StudyError> {
    let (state, from) = match &model.initial {
        InitialSpec::Study { name, time } => {
            let states = states_of(model, name, *time, watch)?;
            let from = InitialSpec::told(name, *time);
            (states_file::at(&states, *time, &from).map_err(|e| placed(model, e.into()))?, from)
        }
        InitialSpec::Run { folder, time } => {
            let (state, file) = states_file::read(folder, *time).map_err(|e| placed(model, e.into()))?;
            let study = file.study.map_or(String::new(), |name| format!(", {name}"));
            let from = format!("the run {} ({}{study})", folder.display(), file.model);
            (state, from)
        }
        _ => return Ok(Cow::Borrowed(model)),
    };
    Ok(Cow::Owned(model.clone().starting_from(Arc::new(state), from)))
}

/// A mistake at the place of the file that asks for the state, if it is the file that does.
fn placed(model: &Model, error: InitialError) -> StudyError {
    let Some(place) = model.initial_place.clone() else { return error.into() };
    let help = match &error {
        InitialError::OtherModel { .. } => {
            "name a run of this model, or of one with bodies of the same names"
        }
        InitialError::States(StatesError::Time { .. }) => "leave `time` out for the end, or keep that time",
        _ => "give the folder of a run that has ended, relative to the model file",
    };
    let diagnostic = Diagnostic::error(error.to_string()).at(place, "asked for here").help(help);
    StudyError::Model(Box::new(diagnostic))
}

/// Runs a study of the file of a model for its states.
fn states_of(
    model: &Model,
    name: &str,
    time: Option<f64>,
    watch: &dyn Watch,
) -> Result<Vec<NamedState>, StudyError> {
    let mut source = model.with_study_named(name).map_err(InitialError::from)?;
    source.expects.clear();
    source.keep.extend(time);
    let product = perform(&source, &RunOptions::default(), watch).map_err(|cause| match cause.blame() {
        Blame::User => cause,
        _ => InitialError::Failed { name: name.to_owned(), cause: Box::new(cause) }.into(),
    })?;
    let outcome = &product.summary.common().outcome;
    match outcome.status {
        Status::Completed => Ok(product.states),
        _ => Err(InitialError::Unfinished { name: name.to_owned(), reason: outcome.message.clone() }.into()),
    }
}

/// Starts a system where the model says.
pub fn begin(
    model: &Model,
    mut system: System,
    assembly: Assembly,
    time: f64,
) -> Result<Prepared<'_>, StudyError> {
    match &model.initial {
        InitialSpec::Modelled => begin_as_modelled(model, system, assembly, time),
        InitialSpec::Equilibrium => rest::begin(begin_as_modelled(model, system, assembly, time)?),
        InitialSpec::Steady(observer) => {
            steady::begin(begin_as_modelled(model, system, assembly, time)?, *observer)
        }
        InitialSpec::Given { state, from } => {
            let agreement = put(model, &mut system, &assembly, state, time);
            if agreement.common == 0 && !(state.nodes.is_empty() && state.variables.is_empty()) {
                let (from, there) = (from.clone(), agreement.missing_here);
                let here = agreement.missing_there;
                return Err(placed(model, InitialError::OtherModel { from, there, here }));
            }
            let mut prepared = begin_as_modelled(model, system, assembly, time)?;
            prepared.initial = Some(told(from, state, &agreement, &prepared));
            Ok(prepared)
        }
        InitialSpec::Study { .. } | InitialSpec::Run { .. } => {
            let settled = settled(model, &crate::progress::Unwatched)?;
            let Prepared { system, assembly, state, start, initial, set_up, .. } =
                begin(&settled, system, assembly, time)?;
            Ok(Prepared { model, system, assembly, state, start, initial, set_up })
        }
    }
}

/// Starts a system from the state that it was built with.
pub fn begin_as_modelled(
    model: &Model,
    mut system: System,
    assembly: Assembly,
    time: f64,
) -> Result<Prepared<'_>, StudyError> {
    let (state, start) = model_start(model, &mut system, time)?;
    Ok(Prepared { model, system, assembly, state, start, initial: None, set_up: 0.0 })
}

/// Makes a state the start of a system that has not started yet.
fn put(model: &Model, system: &mut System, assembly: &Assembly, state: &NamedState, time: f64) -> Agreement {
    let (state, agreement) = state.place(model, system, assembly, time);
    system.set_start(&state);
    agreement
}

/// What is told of a state that was carried over.
fn told(from: &str, state: &NamedState, agreement: &Agreement, prepared: &Prepared) -> Initial {
    let mut doubts = vec![];
    if !agreement.missing_there.is_empty() {
        doubts.push(format!("not in that state, and here as modelled: {}", some(&agreement.missing_there)));
    }
    if !agreement.missing_here.is_empty() {
        doubts.push(format!("in that state, and not in this model: {}", some(&agreement.missing_here)));
    }
    for (name, there, here) in &agreement.other_values {
        doubts.push(format!("`{name}` was {} there and is {} here", short(*there, 6), short(*here, 6)));
    }
    doubts.extend(misfit(&prepared.start, prepared.system.length_scale(), state.time, prepared.state.t));
    let facts = vec![format!("{} bodies, nodes and variables taken over", agreement.common)];
    Initial { from: format!("{from}, t = {} s", short(state.time, 6)), facts, doubts }
}

/// What joints and drives had to change in a state that should fit.
fn misfit(start: &StartReport, length: f64, then: f64, now: f64) -> Option<String> {
    let (far, body) = &start.moved;
    let (turn, turned) = &start.turned;
    let clock = match then == now {
        true => String::new(),
        false => format!(
            "; that state is of t = {} s, this study begins at {} s: a drive may be elsewhere then",
            short(then, 6),
            short(now, 6)
        ),
    };
    if *far > FITS * length {
        return Some(format!("joints and drives moved `{body}` by {far:.1e} m from that state{clock}"));
    }
    (*turn > FITS)
        .then(|| format!("joints and drives turned `{turned}` by {turn:.1e} rad from that state{clock}"))
}

/// What moved farthest and turned most between two states, in words.
fn way(system: &System, before: &State, after: &State) -> Vec<String> {
    let mut moved = (0.0, String::new());
    let mut turned = moved.clone();
    for ((k, node), (a, b)) in system.nodes().iter().enumerate().zip(before.frames.iter().zip(&after.frames))
    {
        let larger = |slot: &mut (f64, String), value: f64| {
            if value > slot.0 {
                *slot = (value, node.name.clone());
            }
        };
        if k != poinsot_mechanics::GROUND {
            larger(&mut moved, (b.r - a.r).norm());
            larger(&mut turned, poinsot_geometry::so3::log(&a.rot.tr_mul(&b.rot)).norm());
        }
    }
    let mut words = vec![];
    if moved.0 > 0.0 {
        words.push(format!("moved farthest: `{}`, by {:.3e} m", moved.1, moved.0));
    }
    if turned.0 > 0.0 {
        words.push(format!("turned most: `{}`, by {:.3e} rad", turned.1, turned.0));
    }
    words
}
