//! A model: loaded, built, changed, run.

use crate::builder::ModelBuilder;
use crate::error::Error;
use crate::run::{Row, Run};
use poinsot_mechanics::{Carried, Constraint, Force};
use poinsot_model::study::StudyRequest;
use poinsot_model::{Diagnostic, Place};
use poinsot_results::SignalTable;
use poinsot_studies::{Chain, RunOptions, StudyError, Unwatched, Watch, load, load_str, perform};
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

/// A model with what it asks for.
#[derive(Clone, Debug)]
pub struct Model {
    inner: poinsot_model::Model,
    warnings: Vec<Diagnostic>,
}

impl Model {
    /// Loads a model file, TOML or an energy model `.ldae`.
    pub fn load(path: impl AsRef<Path>) -> Result<Self, Error> {
        let (inner, warnings) = load(path, &[])?;
        Ok(Model { inner, warnings })
    }

    /// Reads the text of a model file. Messages call it `name`, and paths in it are relative to that.
    pub fn parse(name: &str, text: &str) -> Result<Self, Error> {
        let (inner, warnings) = load_str(name, text, &[])?;
        Ok(Model { inner, warnings })
    }

    /// Begins a new model.
    pub fn builder(name: &str) -> ModelBuilder {
        ModelBuilder::new(name)
    }

    /// What is doubtful in the model with its parameters, a line each.
    pub fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        self.warnings.iter().map(|warning| warning.one_line(&self.inner.source))
    }

    /// The model with every name resolved and every number evaluated.
    pub fn specification(&self) -> &poinsot_model::Model {
        &self.inner
    }

    /// The value of a parameter.
    pub fn parameter(&self, name: &str) -> Option<f64> {
        self.inner.parameters.iter().find(|parameter| parameter.name == name).map(|p| p.value)
    }

    /// The same model with other values of parameters. Nothing is read again.
    pub fn with(&self, values: &[(&str, f64)]) -> Result<Self, Error> {
        let values: Vec<(String, f64)> = values.iter().map(|(n, v)| ((*n).to_owned(), *v)).collect();
        let (inner, warnings) = self.inner.with_parameters(&values)?;
        Ok(Model { inner, warnings })
    }

    /// The same model with another study, one of [`studies`](crate::studies). What the file expects of its
    /// own study does not count for it.
    pub fn with_study(&self, study: impl StudyRequest) -> Self {
        let mut inner = self.inner.clone().with_study(study);
        inner.expects.clear();
        Model { inner, warnings: self.warnings.clone() }
    }

    /// Names of the studies of the file, in the order in which they run; empty where they have none.
    pub fn studies(&self) -> Vec<String> {
        self.inner.studies().into_iter().filter_map(|study| study.name).collect()
    }

    /// The same model with the study of a name: with what that one starts from, leaves out and expects.
    pub fn study(&self, name: &str) -> Result<Self, Error> {
        Ok(Model { inner: self.inner.with_study_named(name)?, warnings: self.warnings.clone() })
    }

    /// The same model, its study starting in the state in which a run has ended. Things are found by their
    /// names; what the state does not have starts as modelled.
    pub fn starting_from(&self, run: &Run) -> Result<Self, Error> {
        let state = run.end().ok_or(Error::NoState)?;
        let from = format!("the end of a run of {}", run.specification().name);
        let inner = self.inner.clone().starting_from(Arc::new(state.clone()), from);
        Ok(Model { inner, warnings: self.warnings.clone() })
    }

    /// Adds a force of one's own that acts on some points and directions; `make` is given them as they are
    /// carried along.
    pub fn add_force<F: Force + 'static>(
        &mut self,
        name: &str,
        places: &[Place],
        make: impl Fn(&[Carried]) -> F + Send + Sync + 'static,
    ) -> Result<(), Error> {
        Ok(self.inner.add_force(name, places, make)?)
    }

    /// Adds a joint of one's own between some points and directions.
    pub fn add_joint<C: Constraint + 'static>(
        &mut self,
        name: &str,
        places: &[Place],
        make: impl Fn(&[Carried]) -> C + Send + Sync + 'static,
    ) -> Result<(), Error> {
        Ok(self.inner.add_joint(name, places, make)?)
    }

    /// Runs all studies of the file in their order, each from the states that it starts from.
    pub fn run_all(&self) -> Result<Vec<Run>, Error> {
        let mut chain = Chain::new(&self.inner);
        let mut runs = vec![];
        for head in chain.heads() {
            let model = chain.model(&head)?;
            if let Some(error) = chain.broken(&head) {
                return Err(StudyError::from(error).into());
            }
            let product = perform(&model, &RunOptions::default(), &Unwatched)?;
            chain.note(&head, Some(&product));
            runs.push(Run::new(model, product));
        }
        Ok(runs)
    }

    /// Runs the study that the model asks for, and before it those that it starts from.
    pub fn run(&self) -> Result<Run, Error> {
        self.perform(&Unwatched)
    }

    /// Runs the study and shows every row of its results as soon as it is there; the observer may end the
    /// run, whose results then go that far.
    pub fn run_observed(&self, observer: impl FnMut(&Row) -> ControlFlow<()> + Send) -> Result<Run, Error> {
        self.perform(&Observed { observer: Mutex::new(observer), ended: AtomicBool::new(false) })
    }

    fn perform(&self, watch: &dyn Watch) -> Result<Run, Error> {
        let product = perform(&self.inner, &RunOptions::default(), watch)?;
        Ok(Run::new(self.inner.clone(), product))
    }
}

/// A closure that sees rows.
struct Observed<F> {
    observer: Mutex<F>,
    ended: AtomicBool,
}

impl<F: FnMut(&Row) -> ControlFlow<()> + Send> Watch for Observed<F> {
    fn row(&self, table: &SignalTable) {
        let (Ok(mut observer), Some(row)) = (self.observer.lock(), Row::last_of(table)) else { return };
        if observer(&row).is_break() {
            self.ended.store(true, Ordering::Relaxed);
        }
    }

    fn goes_on(&self) -> bool {
        !self.ended.load(Ordering::Relaxed)
    }
}
