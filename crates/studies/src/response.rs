//! Step, impulse and initial response of a linearised model, by the matrix exponential.
//!
//! ```text
//! z(t + h) = e^(Ah) z(t) + ∫₀ʰ e^(Aτ) dτ B u,      y = C z + D u
//! ```

use crate::linearize::{LinearSystem, LinearizeSpec, state_named};
use crate::ranges::significant;
use crate::study::Prepared;
use poinsot_analysis::LinearModel;
use poinsot_numerics::dense::{DenseError, Mat};
use poinsot_numerics::exponential::exponential_with_input;
use poinsot_results::{Column, RecordError, ResultsError, RunFolder, SignalTable, plot_signals, write_csv};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Rows that are printed.
const ROWS: usize = 11;
/// Columns that are printed.
const COLUMNS: usize = 6;

/// What a linear system is to respond to.
#[derive(Clone, Debug, Default)]
pub struct ResponseRequest {
    /// The first input moves; else none does.
    pub input: Option<String>,
    /// Height of a step of the input; 1 if neither is given.
    pub step: Option<f64>,
    /// Area of an impulse of the input.
    pub impulse: Option<f64>,
    /// Deviations of states at the start.
    pub initial: Vec<(String, f64)>,
    /// How long (s).
    pub until: f64,
    /// Points in time, at least two.
    pub points: usize,
}

/// Why there is no response.
#[derive(Debug, Error)]
pub enum ResponseError {
    /// Nothing can move.
    #[error("the model has no states and no signals that could respond")]
    Empty,
    /// A state of the start that there is not.
    #[error("there is no state `{name}`; {help}")]
    NoState {
        /// As it was written.
        name: String,
        /// What there is.
        help: String,
    },
    /// The matrix exponential cannot be computed.
    #[error("the response cannot be computed: {0}; take more --points")]
    Exponential(DenseError),
    /// It cannot be kept.
    #[error("the response cannot be computed: {0}")]
    Record(#[from] RecordError),
}

/// How a linear system responds.
pub struct Response {
    /// What responds to what.
    pub title: String,
    /// Deviations over time.
    pub table: SignalTable,
    states: usize,
    stability: Option<String>,
}

impl Response {
    /// Computes it; a complaint about what was asked for.
    pub fn of(system: &LinearSystem, request: &ResponseRequest) -> Result<Self, ResponseError> {
        let kind = match (&request.input, request.impulse) {
            (Some(input), Some(_)) => format!("impulse response to {input}"),
            (Some(input), None) => format!("step response to {input}"),
            (None, _) => "initial response".into(),
        };
        Ok(Response {
            title: format!("{}: {kind}", system.prepared.model.name),
            table: table_of(system, request)?,
            states: system.found.states.len(),
            stability: system.found.stability.as_ref().map(|stability| stability.words()),
        })
    }

    /// Writes table and picture into a folder; returns the picture.
    pub fn write(&self, folder: &Path) -> Result<PathBuf, ResultsError> {
        let folder = RunFolder::create(folder.to_owned())?;
        write_csv(&self.table, &folder.path().join("response.csv"))?;
        let sheets = plot_signals(&self.table, &self.title, &folder.path().join("response.svg"))?;
        Ok(sheets.into_iter().next().unwrap_or_default())
    }

    /// A few rows in words.
    pub fn text(&self) -> String {
        let mut text = format!("{}, {} states, deviations\n\n", self.title, self.states);
        text += &printed(&self.table);
        if let Some(stability) = &self.stability {
            text += &format!("\nstability: {stability}\n");
        }
        text
    }
}

/// What is recorded: the signals, or else all variables and states.
struct Recorded {
    columns: Vec<Column>,
    c: Mat<f64>,
    d: Mat<f64>,
}

impl Recorded {
    fn new(prepared: &Prepared, spec: &LinearizeSpec, found: &LinearModel) -> Self {
        let model = prepared.model;
        let what = "deviation from the state that the model is linearised about";
        if !spec.outputs.is_empty() {
            let column = |&k: &usize| {
                let signal = &model.signals[k];
                Column::new(signal.name.clone(), signal.unit.clone().unwrap_or_default(), what)
            };
            let columns = spec.outputs.iter().map(column).collect();
            return Recorded { columns, c: found.c.clone(), d: found.d.clone() };
        }
        let units = model.equations.iter().flat_map(|b| b.variables.iter().map(|v| v.unit.clone()));
        let variables = model.variable_names().into_iter().zip(units);
        let mut columns: Vec<Column> =
            variables.map(|(name, unit)| Column::new(name, unit.unwrap_or_default(), what)).collect();
        let count = columns.len();
        let others: Vec<usize> =
            (0..found.states.len()).filter(|&k| columns.iter().all(|c| c.name != found.states[k])).collect();
        columns.extend(others.iter().map(|&k| Column::new(found.states[k].clone(), "", what)));
        let (n, m) = (found.a.nrows(), found.b.ncols());
        let c = Mat::from_fn(columns.len(), n, |i, j| match i < count {
            true => found.variables[(i, j)],
            false => f64::from(u8::from(others[i - count] == j)),
        });
        let d =
            Mat::from_fn(
                columns.len(),
                m,
                |i, j| if i < count { found.variables_by_inputs[(i, j)] } else { 0.0 },
            );
        Recorded { columns, c, d }
    }
}

/// The response as a table.
fn table_of(system: &LinearSystem, request: &ResponseRequest) -> Result<SignalTable, ResponseError> {
    let LinearSystem { prepared, spec, found } = system;
    let recorded = Recorded::new(prepared, spec, found);
    if recorded.columns.is_empty() {
        return Err(ResponseError::Empty);
    }
    let n = found.a.nrows();
    // Only the input of the command line is held; others of the study stay at rest.
    let first = request.input.is_some();
    let held = match (first, request.impulse) {
        (false, _) | (_, Some(_)) => 0.0,
        (true, None) => request.step.unwrap_or(1.0),
    };
    let column = Mat::from_fn(n, 1, |i, _| if first { found.b[(i, 0)] } else { 0.0 });
    let mut z = vec![0.0; n];
    for (name, value) in &request.initial {
        let k = state_named(&found.states, name).ok_or_else(|| {
            let help = poinsot_expr::suggest(name, &found.states)
                .map_or(format!("states: {}", found.states.join(", ")), |s| format!("did you mean `{s}`?"));
            ResponseError::NoState { name: name.clone(), help }
        })?;
        z[k] += value;
    }
    if let Some(area) = request.impulse {
        z.iter_mut().enumerate().for_each(|(i, z)| *z += area * column[(i, 0)]);
    }
    let h = request.until / (request.points - 1) as f64;
    let (e, w) =
        exponential_with_input(found.a.as_ref(), column.as_ref(), h).map_err(ResponseError::Exponential)?;
    let mut table = SignalTable::new(recorded.columns)?;
    for k in 0..request.points {
        let value = |i: usize| {
            let through = if first { recorded.d[(i, 0)] * held } else { 0.0 };
            (0..n).map(|j| recorded.c[(i, j)] * z[j]).sum::<f64>() + through
        };
        let row: Vec<f64> = (0..recorded.c.nrows()).map(value).collect();
        table.push(k as f64 * h, &row)?;
        z = (0..n).map(|i| (0..n).map(|j| e[(i, j)] * z[j]).sum::<f64>() + w[(i, 0)] * held).collect();
    }
    Ok(table)
}

/// A few rows of the first columns.
fn printed(table: &SignalTable) -> String {
    let names: Vec<&str> = table.columns().iter().take(COLUMNS).map(|c| c.name.as_str()).collect();
    let width = names.iter().map(|n| n.chars().count()).max().unwrap_or(0).max(13) + 2;
    let mut text = format!("{:>12}", "t s");
    names.iter().for_each(|name| text += &format!("{name:>width$}"));
    text.push('\n');
    let count = table.len().min(ROWS);
    for k in 0..count {
        let row = k * (table.len() - 1) / (count - 1).max(1);
        text += &format!("{:>12}", significant(table.time()[row], 6));
        for i in 0..names.len() {
            let value = table.samples(i).map_or(0.0, |s| s[row]);
            text += &format!("{:>width$}", significant(value, 7));
        }
        text.push('\n');
    }
    let more = table.columns().len().saturating_sub(COLUMNS);
    if more > 0 {
        text += &format!("and {more} more in response.csv\n");
    }
    text
}
