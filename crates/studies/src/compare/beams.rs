//! Formulations of beams side by side on one model: error against elements and time.
//!
//! Every formulation runs with the elements of the file and with meshes that are refined; the reference is
//! the first formulation on a mesh twice as fine as the finest. Steps are those of the study for all, so
//! that the error of time is in all of them, and in the reference.

use super::integrators::quoted;
use super::{CompareError, Told, WorkCurve, WorkMark, WorkPrecision};
use crate::complaint::Complaint;
use crate::markdown::{table, two_digits};
use crate::measured_run::{MeasuredRun, Recorded, RunFailure, Sampling};
use crate::progress::{Runs, Watch};
use poinsot_analysis::comparison::{Deviation, Record, Reference};
use poinsot_model::spec::MotionSpec;
use poinsot_model::{BeamVariant, LoadError, Model};
use poinsot_results::RunFolder;
use serde_json::{Value, json};
use std::path::Path;

/// Most times at which motions are compared.
const MOST_TIMES: f64 = 500.0;

/// Formulations that are compared.
#[derive(Clone, Debug)]
pub struct BeamRequest {
    /// Their words, e.g. `director`, `motion(order=3)`, `ancf(beam)`.
    pub formulations: Vec<String>,
    /// By how much the elements of the file are multiplied.
    pub refinements: Vec<usize>,
    /// Each time is the least of so many turns.
    pub turns: usize,
}

/// What a run has shown.
struct Measured {
    record: Record,
    elements: usize,
    unknowns: usize,
    /// Wall-clock time (s) and steps.
    time: f64,
    steps: usize,
    deviation: Option<Deviation>,
}

/// A line of the comparison.
struct Row {
    formulation: String,
    refinement: usize,
    outcome: Result<Measured, RunFailure>,
}

/// Compares formulations of beams and writes what was found into a folder.
pub fn compare(
    request: &BeamRequest,
    model: &Model,
    study: &MotionSpec,
    place: &Path,
    watch: &dyn Watch,
) -> Result<Told, Complaint> {
    if model.beams.is_empty() {
        return Err(Complaint::bad_input(CompareError::NoBeams));
    }
    if model.signals.is_empty() {
        return Err(Complaint::bad_input(CompareError::NoSignals));
    }
    let mut wanted = vec![];
    for word in &request.formulations {
        if BeamVariant::new(word, 1).is_none() {
            return Err(Complaint::bad_input(CompareError::Formulation {
                word: word.clone(),
                known: BeamVariant::words(),
            }));
        }
        wanted.extend(request.refinements.iter().map(|refinement| (word.clone(), *refinement)));
    }
    let finest = request.refinements.iter().copied().max().unwrap_or(1);
    let Some(first) = request.formulations.first() else {
        return Err(Complaint::bad_input(CompareError::Formulation {
            word: String::new(),
            known: BeamVariant::words(),
        }));
    };
    let folder = RunFolder::create(place.to_owned())?;
    let progress = Runs::new(wanted.len() * (1 + request.turns) + 1, watch);
    let run = Comparison { model, study, turns: request.turns, progress: &progress };
    progress.says(&format!("reference: {first}"));
    let reference = run.recorded(first, 2 * finest);
    let reference = reference.map_err(|error| Complaint::failed(error.to_string()))?;
    progress.done(1);
    let mut rows = vec![];
    for (formulation, refinement) in wanted {
        progress.says(&format!("{formulation}, {refinement} x"));
        let outcome = run.measured(&formulation, refinement);
        rows.push(Row { formulation, refinement, outcome });
    }
    let times = reference.record.times().to_vec();
    let own = reference.record.clone();
    let reference = Reference::new(reference.record, &own, times).map_err(Complaint::failed)?;
    for measured in rows.iter_mut().filter_map(|row| row.outcome.as_mut().ok()) {
        measured.deviation = reference.deviation(&measured.record).ok();
    }
    BeamComparison { model: &model.name, first, finest: 2 * finest, rows, turns: request.turns }.write(folder)
}

/// What all runs share.
struct Comparison<'a> {
    model: &'a Model,
    study: &'a MotionSpec,
    turns: usize,
    progress: &'a Runs<'a>,
}

impl Comparison<'_> {
    fn variant(&self, word: &str, refinement: usize) -> Result<Model, RunFailure> {
        let variant = BeamVariant::new(word, refinement).ok_or(RunFailure::NoFormulation)?;
        self.model.with_beams(variant).map_err(|error| match error {
            LoadError::Invalid { diagnostics, .. } => {
                let first = diagnostics.iter().find(|d| d.is_error()).map(|d| d.message.clone());
                RunFailure::Model(first.unwrap_or_else(|| "the model could not be resolved".into()))
            }
            other => RunFailure::Model(other.to_string()),
        })
    }

    fn run(&self, model: &Model, sampling: &Sampling) -> Result<MeasuredRun, RunFailure> {
        Ok(MeasuredRun::new(model, self.study.clone(), sampling)?)
    }

    fn recorded(&self, word: &str, refinement: usize) -> Result<Recorded, RunFailure> {
        if !self.progress.goes_on() {
            return Err(RunFailure::Interrupted);
        }
        let model = self.variant(word, refinement)?;
        let span = self.study.end - self.study.start;
        let every = match self.study.step() {
            Some(h) => h * (span / h / MOST_TIMES).ceil().max(1.0),
            None => span / MOST_TIMES,
        };
        let run = self.run(&model, &Sampling::Every(every))?;
        let watched = run.watched(false);
        run.record(watched, None, self.progress)
    }

    fn measured(&self, word: &str, refinement: usize) -> Result<Measured, RunFailure> {
        let Recorded { record, report } = self.recorded(word, refinement)?;
        self.progress.done(1);
        let model = self.variant(word, refinement)?;
        let (mut time, mut unknowns) = (f64::INFINITY, 0);
        for _ in 0..self.turns {
            let run = self.run(&model, &Sampling::Ends)?;
            unknowns = run.system().size();
            time = time.min(run.time(self.progress)?.0);
            self.progress.done(1);
        }
        let elements = model.beams.iter().map(|beam| beam.elements()).sum();
        let steps = report.counters.steps;
        Ok(Measured { record, elements, unknowns, time, steps, deviation: None })
    }
}

/// All that was found.
struct BeamComparison<'a> {
    model: &'a str,
    first: &'a str,
    finest: usize,
    rows: Vec<Row>,
    turns: usize,
}

impl Row {
    fn error(&self) -> Option<f64> {
        self.outcome.as_ref().ok()?.deviation.as_ref().map(|deviation| deviation.largest)
    }
}

impl BeamComparison<'_> {
    fn write(&self, mut folder: RunFolder) -> Result<Told, Complaint> {
        folder.write("beams.csv", "Formulations of beams (text)", self.csv().as_bytes())?;
        let json =
            serde_json::to_string_pretty(&self.json()).map_err(|e| Complaint::failed(e.to_string()))? + "\n";
        folder.write("beams.json", "Formulations of beams", json.as_bytes())?;
        let mut picture = None;
        type Work<'a> = (&'a str, &'a str, fn(&Measured) -> f64);
        let works: [Work; 2] =
            [("elements.svg", "elements", |m| m.elements as f64), ("time.svg", "time [s]", |m| m.time)];
        for (name, work, of) in works {
            let curves = self.curves(of);
            if curves.iter().all(|curve| curve.runs.is_empty()) {
                continue;
            }
            let plot = WorkPrecision {
                curves: &curves,
                value: "relative error",
                work,
                labels: "times the elements of the file",
                floor: None,
            };
            plot.draw(&mut folder, name, &format!("{}: formulations of beams", self.model))?;
            picture.get_or_insert_with(|| folder.path().join(name));
        }
        let ran = self.rows.iter().any(|row| row.outcome.is_ok());
        let failure = (!ran).then_some("no formulation came to the end");
        Ok(Told { json, text: self.text(), picture, failure })
    }

    fn curves(&self, work: fn(&Measured) -> f64) -> Vec<WorkCurve> {
        let mut curves: Vec<WorkCurve> = vec![];
        for row in &self.rows {
            let (Ok(measured), Some(error)) = (&row.outcome, row.error()) else { continue };
            let mark = WorkMark { work: work(measured), error, label: format!("{}", row.refinement) };
            match curves.iter_mut().find(|curve| curve.name == row.formulation) {
                Some(curve) => curve.runs.push(mark),
                None => curves.push(WorkCurve { name: row.formulation.clone(), runs: vec![mark] }),
            }
        }
        curves
    }

    /// log of the quotient of errors by that of elements, against the row before of the same formulation.
    fn order(&self, k: usize) -> Option<f64> {
        let (row, before) = (&self.rows[k], self.rows.get(k.checked_sub(1)?)?);
        let (Ok(now), Ok(then)) = (&row.outcome, &before.outcome) else { return None };
        let quotient = (before.error()? / row.error()?).ln();
        let finer = (now.elements as f64 / then.elements as f64).ln();
        (row.formulation == before.formulation && finer > 0.0).then_some(quotient / finer)
    }

    fn text(&self) -> String {
        let headings =
            ["formulation", "elements", "unknowns", "error", "order", "time [s]", "time/step [µs]", "remark"];
        let cells = |(k, row): (usize, &Row)| match &row.outcome {
            Ok(m) => vec![
                row.formulation.clone(),
                m.elements.to_string(),
                m.unknowns.to_string(),
                row.error().map_or(String::new(), two_digits),
                self.order(k).filter(|order| order.is_finite()).map_or(String::new(), |o| format!("{o:.1}")),
                two_digits(m.time),
                two_digits(1e6 * m.time / m.steps.max(1) as f64),
                String::new(),
            ],
            Err(reason) => {
                let mut cells = vec![row.formulation.clone(), format!("{} x", row.refinement)];
                cells.extend(std::iter::repeat_n(String::new(), 5));
                cells.push(format!("failed: {reason}"));
                cells
            }
        };
        let rows: Vec<Vec<String>> = self.rows.iter().enumerate().map(cells).collect();
        format!(
            "{}\n\n{}\nerror: largest of all signals, relative to the size of each, against \"{}\" with {} times the \
             elements\norder: of the error by elements   time: least of {} turns, without building the model\n",
            self.model,
            table(&headings, &rows),
            self.first,
            self.finest,
            self.turns
        )
    }

    fn csv(&self) -> String {
        let mut text =
            String::from("formulation,refinement,elements,unknowns,error,track,time [s],steps,failure\n");
        for row in &self.rows {
            let head = format!("{},{}", quoted(&row.formulation), row.refinement);
            text += &match &row.outcome {
                Ok(m) => {
                    let error = row.error().map_or(String::new(), |error| format!("{error:?}"));
                    let track = m.deviation.as_ref().map_or("", |deviation| deviation.track.as_str());
                    let (elements, unknowns) = (m.elements, m.unknowns);
                    format!(
                        "{head},{elements},{unknowns},{error},{},{:?},{},\n",
                        quoted(track),
                        m.time,
                        m.steps
                    )
                }
                Err(reason) => format!("{head},,,,,,,{}\n", quoted(&reason.to_string())),
            };
        }
        text
    }

    fn json(&self) -> Value {
        let entry = |row: &Row| {
            let measured = row.outcome.as_ref().ok();
            json!({
                "formulation": row.formulation, "refinement": row.refinement,
                "elements": measured.map(|m| m.elements), "unknowns": measured.map(|m| m.unknowns),
                "error": row.error(), "time_s": measured.map(|m| m.time), "steps": measured.map(|m| m.steps),
                "failure": row.outcome.as_ref().err().map(RunFailure::to_string),
            })
        };
        json!({
            "analysis": "compare-beams",
            "model": self.model,
            "program": { "name": "poinsot", "version": env!("CARGO_PKG_VERSION") },
            "reference": { "formulation": self.first, "refinement": self.finest },
            "turns": self.turns,
            "runs": self.rows.iter().map(entry).collect::<Vec<_>>(),
        })
    }
}
