//! A model while it runs: events may change its parameters.

use poinsot_analysis::{StartError, consistent_start};
use poinsot_mechanics::{State, System};
use poinsot_model::{Assembly, LoadError, Model, NamedState, build};
use thiserror::Error;

/// Why a model cannot have other values of its parameters.
#[derive(Debug, Error)]
pub enum ChangeError {
    /// They do not fit it.
    #[error(transparent)]
    Resolve(LoadError),
    /// No system can be built: a diagnostic in one line.
    #[error("{0}")]
    Build(String),
    /// It cannot start from the state it is in.
    #[error(transparent)]
    Start(StartError),
}

/// A model and where its things are in the system that runs, both replaced where an event sets parameters.
#[derive(Debug)]
pub struct LiveModel {
    /// The specification.
    pub model: Model,
    /// Where its things are in the system.
    pub assembly: Assembly,
    /// Parameters that events have set, with their values.
    changes: Vec<(String, f64)>,
    /// Whether the study is evaluated anew too where parameters change.
    study_too: bool,
}

impl LiveModel {
    /// Before any event.
    pub fn new(model: Model, assembly: Assembly) -> Self {
        LiveModel { model, assembly, changes: vec![], study_too: false }
    }

    /// With a study whose own values follow the parameters.
    pub(crate) fn with_study(model: Model, assembly: Assembly) -> Self {
        LiveModel { study_too: true, ..LiveModel::new(model, assembly) }
    }

    /// Parameters that events have set so far, with their values.
    pub fn changes(&self) -> &[(String, f64)] {
        &self.changes
    }

    /// A state of the system that runs, by names.
    pub(crate) fn state(&self, system: &System, state: &State) -> NamedState {
        NamedState::of(&self.model, system, state, &self.assembly)
    }

    /// The model with other values of parameters, with its system, not started, and where its things are in
    /// that.
    pub fn with(&self, values: &[(String, f64)]) -> Result<(Model, System, Assembly), ChangeError> {
        let mut changes = self.changes.clone();
        changes.retain(|(name, _)| values.iter().all(|(other, _)| other != name));
        changes.extend_from_slice(values);
        self.resolve(&changes)
    }

    /// Builds the model anew with parameters that events have set, for a motion that is taken up again. The
    /// system is not started.
    pub fn redo(&mut self, changes: &[(String, f64)]) -> Result<System, ChangeError> {
        let (model, system, assembly) = self.resolve(changes)?;
        *self = LiveModel { model, assembly, changes: changes.to_vec(), ..*self };
        Ok(system)
    }

    /// The model with other parameters, its system and assembly.
    fn resolve(&self, changes: &[(String, f64)]) -> Result<(Model, System, Assembly), ChangeError> {
        let (mut model, warnings) = match self.study_too {
            true => self.model.with_parameters_and_study(changes),
            false => self.model.with_parameters(changes),
        }
        .map_err(ChangeError::Resolve)?;
        model.raised = self.model.raised.clone();
        model.raised.note(changes, &warnings, &model.source);
        let built = build(&model).map_err(|d| ChangeError::Build(d.one_line(&model.source)));
        let (system, assembly) = built?;
        Ok((model, system, assembly))
    }

    /// Sets parameters: the model is resolved and built anew, the state carried over by names and made
    /// consistent.
    pub(crate) fn set(
        &mut self,
        new_values: &[(String, f64)],
        system: &mut System,
        state: &mut State,
    ) -> Result<(), ChangeError> {
        let mut changes = self.changes.clone();
        for (name, value) in new_values {
            changes.retain(|(other, _)| other != name);
            changes.push((name.clone(), *value));
        }
        let (model, mut new, assembly) = self.resolve(&changes)?;
        let (carried, _) = self.state(system, state).place(&model, &new, &assembly, state.t);
        new.set_start(&carried);
        let (fresh, _) = consistent_start(&mut new, state.t).map_err(ChangeError::Start)?;
        (*system, *state) = (new, fresh);
        *self = LiveModel { model, assembly, changes, ..*self };
        Ok(())
    }
}
