//! A model for each value of one of its parameters.

use crate::failure::{Blame, Failure, StudyError};
use crate::live::{ChangeError, LiveModel};
use crate::study::{Prepared, prepare};
use poinsot_analysis::{FamilyError, SystemFamily};
use poinsot_mechanics::System;
use poinsot_model::{Assembly, Model};
use std::collections::VecDeque;
use std::rc::Rc;
use thiserror::Error;

/// Models that are remembered.
const REMEMBERED: usize = 16;

/// A model with a value of the parameter, and where its things are in its system.
pub struct SweptModel {
    /// The model: its formulas know the value too.
    pub model: Model,
    /// Where its things are.
    pub assembly: Assembly,
}

/// The models of all values of a parameter.
pub struct SweptModels {
    live: LiveModel,
    parameter: String,
    recent: VecDeque<(f64, Rc<SweptModel>)>,
}

impl SweptModels {
    /// Of a model that was prepared.
    pub fn of(prepared: &Prepared, parameter: &str) -> Self {
        let live = LiveModel::new(prepared.model.clone(), prepared.assembly.clone());
        SweptModels { live, parameter: parameter.to_owned(), recent: VecDeque::new() }
    }

    /// Of a model whose study has values that follow the parameter.
    pub fn with_study(prepared: &Prepared, parameter: &str) -> Self {
        let live = LiveModel::with_study(prepared.model.clone(), prepared.assembly.clone());
        SweptModels { live, parameter: parameter.to_owned(), recent: VecDeque::new() }
    }

    /// The member at a value, with its system, which is not started.
    pub fn build(&mut self, value: f64) -> Result<(System, Rc<SweptModel>), ChangeError> {
        let (model, system, assembly) = self.live.with(&[(self.parameter.clone(), value)])?;
        let member = Rc::new(SweptModel { model, assembly });
        if self.recent.len() == REMEMBERED {
            self.recent.pop_front();
        }
        self.recent.push_back((value, member.clone()));
        Ok((system, member))
    }

    /// The member at a value with its system; a study fails if there is none.
    pub fn at(&mut self, value: f64) -> Result<(System, Rc<SweptModel>), StudyError> {
        let name = self.parameter.clone();
        self.build(value).map_err(|reason| MemberError { name, value, reason }.into())
    }

    /// The member at a value.
    pub fn member(&mut self, value: f64) -> Result<Rc<SweptModel>, ChangeError> {
        match self.recent.iter().find(|(other, _)| *other == value) {
            Some((_, member)) => Ok(member.clone()),
            None => self.build(value).map(|(_, member)| member),
        }
    }
}

impl SystemFamily for SweptModels {
    fn system(&mut self, parameter: f64) -> Result<System, FamilyError> {
        self.build(parameter)
            .map(|(system, _)| system)
            .map_err(|reason| FamilyError::NotBuilt(reason.to_string()))
    }
}

/// The model cannot be built with another value of a parameter.
#[derive(Debug, Error)]
#[error("the model cannot be built with `{name}` = {value}: {reason}")]
pub struct MemberError {
    /// The parameter.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Why.
    pub reason: ChangeError,
}

impl Failure for MemberError {
    fn blame(&self) -> Blame {
        Blame::Input
    }
}

/// The value of a parameter in a model.
pub fn value_of(model: &Model, parameter: &str) -> f64 {
    model.parameters.iter().find(|p| p.name == parameter).map_or(0.0, |p| p.value)
}

/// Hands on a model prepared with another value of a parameter.
pub fn with_value<T>(
    prepared: Prepared,
    parameter: &str,
    value: f64,
    then: impl FnOnce(Prepared) -> Result<T, StudyError>,
) -> Result<T, StudyError> {
    if value == value_of(prepared.model, parameter) {
        return then(prepared);
    }
    let fail = |reason| StudyError::from(MemberError { name: parameter.to_owned(), value, reason });
    let member = SweptModels::of(&prepared, parameter).member(value).map_err(fail)?;
    then(prepare(&member.model, prepared.state.t)?)
}
