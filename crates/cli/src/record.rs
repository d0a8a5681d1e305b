//! Records a running system: signals, energies and the values of expectations.

use crate::progress::{Progress, interrupted};
use poinsot_analysis::{Observer, Sample};
use poinsot_mechanics::System;
use poinsot_model::spec::BodyRef;
use poinsot_model::{Assembly, Model, Probe, View};
use poinsot_results::{Column, EnergyHistory, RecordError, SignalTable};

/// Most bodies whose positions are recorded when a model names no signals.
const DEFAULT_BODIES: usize = 6;

/// Most variables of equations that are recorded then.
const DEFAULT_VARIABLES: usize = 20;

/// Receives the samples of a run.
pub struct Recorder<'a> {
    model: &'a Model,
    nodes: &'a Assembly,
    probe: Probe,
    progress: Progress,
    end: f64,
    /// The signals.
    pub table: SignalTable,
    /// The energies.
    pub energy: EnergyHistory,
    /// Value of each expectation, once its time has come.
    pub measured: Vec<Option<f64>>,
}

impl<'a> Recorder<'a> {
    /// A recorder for a study with the given end.
    pub fn new(
        model: &'a Model,
        nodes: &'a Assembly,
        progress: Progress,
        end: f64,
    ) -> Result<Self, RecordError> {
        Ok(Recorder {
            model,
            nodes,
            probe: Probe::default(),
            progress,
            end,
            table: SignalTable::new(columns(model))?,
            energy: EnergyHistory::default(),
            measured: vec![None; model.expects.len()],
        })
    }

    /// Where the model's things are in the system.
    pub fn assembly(&self) -> &'a Assembly {
        self.nodes
    }

    /// Takes the progress bar away.
    pub fn finish(&self) {
        self.progress.finish();
    }
}

/// The signals of the model, or the positions of its first bodies and the first variables if it names none.
pub fn columns(model: &Model) -> Vec<Column> {
    let text = |t: &Option<String>| t.clone().unwrap_or_default();
    if model.signals.is_empty() {
        let bodies = model.bodies.iter().take(DEFAULT_BODIES);
        let positions = bodies.flat_map(|body| {
            ["x", "y", "z"].map(|axis| Column::new(format!("{}.position.{axis}", body.name), "m", ""))
        });
        let variables = default_variables(model).map(|(block, index)| {
            let (block, variable) = (&model.equations[block], &model.equations[block].variables[index]);
            Column::new(block.variable_name(index), text(&variable.unit), text(&variable.description))
        });
        return positions.chain(variables).collect();
    }
    let column = |s: &poinsot_model::spec::SignalSpec| {
        Column::new(s.name.clone(), text(&s.unit), text(&s.description))
    };
    model.signals.iter().map(column).collect()
}

/// The variables that are recorded when a model names no signals: block and index.
fn default_variables(model: &Model) -> impl Iterator<Item = (usize, usize)> + '_ {
    let blocks = model.equations.iter().enumerate();
    blocks.flat_map(|(k, block)| (0..block.variables.len()).map(move |j| (k, j))).take(DEFAULT_VARIABLES)
}

impl Observer for Recorder<'_> {
    fn sample(&mut self, system: &System, sample: &Sample) -> Result<(), String> {
        let t = sample.at.t;
        let view = View { model: self.model, assembly: self.nodes, system, sample, results: None };
        let signals = self.probe.signals(&view);
        for (expect, measured) in self.model.expects.iter().zip(&mut self.measured) {
            let due = expect.at.unwrap_or(self.end);
            if (due - t).abs() <= 1e-9 * due.abs().max(t.abs()) {
                let value = self.probe.formula(&expect.formula, &view, &signals);
                *measured = value.is_finite().then_some(value);
            }
        }
        let row = if self.model.signals.is_empty() {
            let origin = |k| self.nodes.position(BodyRef::Body(k), &sample.at);
            let nodes = 0..self.model.bodies.len().min(DEFAULT_BODIES);
            let variables = default_variables(self.model)
                .map(|(block, index)| sample.at.v[self.nodes.variable(system, block, index)]);
            nodes.flat_map(|k| <[f64; 3]>::from(origin(k))).chain(variables).collect()
        } else {
            signals
        };
        self.table.push(t, &row).map_err(|e| e.to_string())?;
        let (b, e) = (sample.balance, &mut self.energy);
        let start = e.total.first().copied().unwrap_or(b.total());
        e.time.push(t);
        e.kinetic.push(b.kinetic);
        e.potential.push(b.potential);
        e.total.push(b.total());
        e.supplied.push(sample.supplied);
        e.dissipated.push(sample.dissipated);
        e.imbalance.push(b.total() - start - sample.supplied + sample.dissipated);
        Ok(())
    }

    fn keep_going(&mut self, t: f64) -> bool {
        self.progress.at(t);
        !interrupted()
    }
}
