//! The studies of a file, one after the other: a study that starts from another one is given its states.

use crate::initial::InitialError;
use crate::states_file;
use crate::study::Product;
use poinsot_model::study::InitialSpec;
use poinsot_model::{LoadError, Model, NamedState, StudyHead};
use poinsot_results::Status;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The studies of a file while they run.
pub struct Chain<'m> {
    model: &'m Model,
    /// States of those that came to their end.
    states: BTreeMap<String, Vec<NamedState>>,
    /// Names of those that did not.
    lost: Vec<String>,
}

impl<'m> Chain<'m> {
    /// Before the first one.
    pub fn new(model: &'m Model) -> Self {
        Chain { model, states: BTreeMap::new(), lost: vec![] }
    }

    /// The studies in the order in which they run.
    pub fn heads(&self) -> Vec<StudyHead> {
        self.model.studies()
    }

    /// The model of a study, with the state it starts from where that is known.
    pub fn model(&self, head: &StudyHead) -> Result<Model, LoadError> {
        let Some(name) = &head.name else { return Ok(self.model.clone()) };
        let model = self.model.with_study_named(name)?;
        let InitialSpec::Study { name: source, time } = &model.initial else { return Ok(model) };
        let from = InitialSpec::told(source, *time);
        match self.states.get(source).map(|states| states_file::at(states, *time, &from)) {
            Some(Ok(state)) => Ok(model.starting_from(Arc::new(state), from)),
            // A time that was not kept: the study runs once more for it.
            _ => Ok(model),
        }
    }

    /// Why a study cannot run, if the one that it starts from did not come to its end.
    pub fn broken(&self, head: &StudyHead) -> Option<InitialError> {
        let source = head.source.as_ref().filter(|source| self.lost.contains(source))?;
        Some(InitialError::Lost { name: source.clone() })
    }

    /// Notes how a study ended; `None` if it gave nothing.
    pub fn note(&mut self, head: &StudyHead, product: Option<&Product>) {
        let Some(name) = head.name.clone() else { return };
        match product.filter(|product| product.summary.common().outcome.status == Status::Completed) {
            Some(product) => {
                self.states.insert(name, product.states.clone());
            }
            None => self.lost.push(name),
        }
    }
}
