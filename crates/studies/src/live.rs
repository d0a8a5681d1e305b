//! A model while it runs: events may change its parameters.

use poinsot_analysis::{StartError, consistent_start};
use poinsot_mechanics::{State, System, Twist};
use poinsot_model::{Assembly, LoadError, Model, build};
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
        *self = LiveModel { model, assembly, changes: changes.to_vec() };
        Ok(system)
    }

    /// The model with other parameters, its system and assembly.
    fn resolve(&self, changes: &[(String, f64)]) -> Result<(Model, System, Assembly), ChangeError> {
        let (model, _) = self.model.with_parameters(changes).map_err(ChangeError::Resolve)?;
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
        let carried = carry_over((system, state, &self.assembly), (&new, &assembly));
        new.set_start(&carried);
        let (mut fresh, _) = consistent_start(&mut new, state.t).map_err(ChangeError::Start)?;
        // The same file has the same elements: full turns stay counted.
        if fresh.memory.len() == state.memory.len() {
            fresh.memory.clone_from(&state.memory);
            new.remember(&mut fresh);
        }
        (*system, *state) = (new, fresh);
        *self = LiveModel { model, assembly, changes };
        Ok(())
    }
}

/// The state of one system in another one, by the names of nodes and variables. Bodies keep the place and the
/// velocity of their reference points, not of their centres of mass.
fn carry_over(
    (old, state, old_assembly): (&System, &State, &Assembly),
    (new, new_assembly): (&System, &Assembly),
) -> State {
    let mut carried = new.start_state(state.t);
    let centre = |assembly: &Assembly, node: usize| {
        let body = assembly.nodes.iter().position(|&n| n == node);
        body.map_or_else(Default::default, |k| assembly.centres[k])
    };
    for (k, node) in new.nodes().iter().enumerate() {
        let Some(j) = old.nodes().iter().position(|other| other.name == node.name) else { continue };
        let (mut frame, twist) = (state.frames[j], old.twist(j, &state.v));
        let moved = centre(new_assembly, k) - centre(old_assembly, j);
        frame.r += frame.rot * moved;
        let linear = twist.linear + frame.rot * twist.angular.cross(&moved);
        node.chart.velocities(&Twist { linear, ..twist }, &mut carried.v[node.unknowns()]);
        carried.frames[k] = frame;
    }
    for entry in new.networks() {
        for (j, variable) in entry.law.variables.iter().enumerate() {
            let same = old.networks().iter().find_map(|other| {
                let k = other.law.variables.iter().position(|v| v.name == variable.name)?;
                Some(state.v[other.unknown(k)])
            });
            if let Some(value) = same {
                carried.v[entry.unknown(j)] = value;
            }
        }
    }
    carried
}
