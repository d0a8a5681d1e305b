//! A model while it runs: events may change its parameters.

use poinsot_analysis::consistent_start;
use poinsot_mechanics::{State, System};
use poinsot_model::{Assembly, Model, NamedState, build};

/// A model and where its things are in the system that runs, both replaced where an event sets parameters.
#[derive(Debug)]
pub struct LiveModel {
    /// The specification.
    pub model: Model,
    /// Where its things are in the system.
    pub assembly: Assembly,
    /// Parameters that events have set, with their values.
    changes: Vec<(String, f64)>,
}

impl LiveModel {
    /// Before any event.
    pub fn new(model: Model, assembly: Assembly) -> Self {
        LiveModel { model, assembly, changes: vec![] }
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
    pub fn with(&self, values: &[(String, f64)]) -> Result<(Model, System, Assembly), String> {
        let mut changes = self.changes.clone();
        changes.retain(|(name, _)| values.iter().all(|(other, _)| other != name));
        changes.extend_from_slice(values);
        self.resolve(&changes)
    }

    /// Builds the model anew with parameters that events have set, for a motion that is taken up again. The
    /// system is not started.
    pub fn redo(&mut self, changes: &[(String, f64)]) -> Result<System, String> {
        let (model, system, assembly) = self.resolve(changes)?;
        *self = LiveModel { model, assembly, changes: changes.to_vec() };
        Ok(system)
    }

    /// The model with other parameters, its system and assembly.
    fn resolve(&self, changes: &[(String, f64)]) -> Result<(Model, System, Assembly), String> {
        let model = self.model.with_parameters(changes).map_err(|e| e.to_string())?;
        let (system, assembly) = build(&model).map_err(|d| d.one_line(&model.source))?;
        Ok((model, system, assembly))
    }

    /// Sets parameters: the model is resolved and built anew, the state carried over by names and made
    /// consistent.
    pub(crate) fn set(
        &mut self,
        new_values: &[(String, f64)],
        system: &mut System,
        state: &mut State,
    ) -> Result<(), String> {
        let mut changes = self.changes.clone();
        for (name, value) in new_values {
            changes.retain(|(other, _)| other != name);
            changes.push((name.clone(), *value));
        }
        let (model, mut new, assembly) = self.resolve(&changes)?;
        let (carried, _) = self.state(system, state).place(&model, &new, &assembly, state.t);
        new.set_start(&carried);
        new.start_with_memory(carried.memory);
        let (fresh, _) = consistent_start(&mut new, state.t).map_err(|e| e.to_string())?;
        (*system, *state) = (new, fresh);
        *self = LiveModel { model, assembly, changes };
        Ok(())
    }
}
