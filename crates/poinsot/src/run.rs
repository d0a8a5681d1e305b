//! What a study gave.

use crate::error::Error;
use poinsot_model::{Model, NamedState};
use poinsot_results::{Artifact, RunFolder, RunSummary, SignalTable};
use poinsot_studies::Product;
use std::path::{Path, PathBuf};

/// The results of a study.
pub struct Run {
    model: Model,
    product: Product,
}

/// The newest row of results.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    table: &'a SignalTable,
    row: usize,
}

impl<'a> Row<'a> {
    pub(crate) fn last_of(table: &'a SignalTable) -> Option<Self> {
        Some(Row { table, row: table.len().checked_sub(1)? })
    }

    /// The time, or the value of what the study goes along.
    pub fn time(&self) -> f64 {
        self.table.time()[self.row]
    }

    /// The value of a signal.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.table.column(name)?.get(self.row).copied()
    }
}

impl Run {
    pub(crate) fn new(model: Model, product: Product) -> Self {
        Run { model, product }
    }

    /// True if the study completed and everything that was judged holds.
    pub fn holds(&self) -> bool {
        self.product.summary.holds()
    }

    /// What was done and the evidence, as a person reads it.
    pub fn text(&self) -> String {
        self.product.summary.text()
    }

    /// The same as data.
    pub fn summary(&self) -> &dyn RunSummary {
        &*self.product.summary
    }

    /// The model that was run.
    pub fn specification(&self) -> &Model {
        &self.model
    }

    /// The state in which the study ended, by names, if it ends in one.
    pub fn end(&self) -> Option<&NamedState> {
        self.product.states.last()
    }

    /// The states that the study was to keep, and the last one.
    pub fn states(&self) -> &[NamedState] {
        &self.product.states
    }

    /// Everything there is to keep and to look at.
    pub fn artifacts(&self) -> &[Artifact] {
        &self.product.artifacts
    }

    fn table(&self) -> Option<&SignalTable> {
        self.product.artifacts.iter().find_map(|artifact| match artifact {
            Artifact::Signals(signals) => Some(&signals.table),
            _ => None,
        })
    }

    /// Times of the rows, or the values that the study goes along.
    pub fn time(&self) -> &[f64] {
        self.table().map_or(&[], SignalTable::time)
    }

    /// Names of the columns.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.table().into_iter().flat_map(|table| table.columns()).map(|column| column.name.as_str())
    }

    /// The values of a signal, a row each.
    pub fn column(&self, name: &str) -> Result<&[f64], Error> {
        let found = self.table().and_then(|table| table.column(name));
        found.ok_or_else(|| Error::Column {
            name: name.to_owned(),
            known: self.columns().map(str::to_owned).collect(),
        })
    }

    /// The last value of a signal.
    pub fn last(&self, name: &str) -> Result<f64, Error> {
        self.column(name)?.last().copied().ok_or_else(|| Error::NoRows { name: name.to_owned() })
    }

    /// Writes the folder of results that `poinsot run` writes, with tables, pictures and the page; returns
    /// the path of its summary.
    pub fn save(&mut self, folder: impl AsRef<Path>) -> Result<PathBuf, Error> {
        let mut folder = RunFolder::create(folder.as_ref())?;
        let written = self.product.write(&mut folder, &self.model, false)?;
        match written.troubles.into_iter().next() {
            Some(trouble) => Err(trouble.into()),
            None => Ok(written.summary),
        }
    }
}
