//! `poinsot response`: step, impulse and initial response of the linearised model, by the matrix exponential.
//!
//! ```text
//! z(t + h) = e^(Ah) z(t) + ∫₀ʰ e^(Aτ) dτ B u,      y = C z + D u
//! ```

use crate::linear_system::{load_bare, state_named, with_linear_system};
use crate::message;
use crate::overrides::parse_setting;
use crate::ranges::{parse_value, significant};
use crate::run::{Base, default_folder};
use clap::Args;
use poinsot_analysis::LinearModel;
use poinsot_numerics::dense::Mat;
use poinsot_numerics::exponential::exponential_with_input;
use poinsot_results::{Column, ResultsError, RunFolder, SignalTable, plot_signals, write_csv};
use poinsot_studies::Prepared;
use poinsot_studies::linearize::LinearizeSpec;
use std::path::PathBuf;
use std::process::ExitCode;

/// Rows that are printed.
const ROWS: usize = 11;
/// Columns that are printed.
const COLUMNS: usize = 6;

/// Arguments of the command.
#[derive(Args)]
pub struct ResponseArguments {
    /// The model file.
    model: PathBuf,
    /// Set a parameter, e.g. --set L=0.5; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
    #[command(flatten)]
    base: Base,
    /// The input that is changed: NAME.x of a force, a spring, a variable that an algebraic equation gives, a
    /// parameter.
    #[arg(long, value_name = "NAME")]
    input: Option<String>,
    /// Height of a step of the input (default 1).
    #[arg(long, value_name = "SIZE", group = "kind", allow_hyphen_values = true, requires = "input")]
    step: Option<f64>,
    /// Area of an impulse of the input.
    #[arg(long, value_name = "AREA", group = "kind", allow_hyphen_values = true, requires = "input")]
    impulse: Option<f64>,
    /// Deviation of a state at the start, e.g. --initial theta=0.1; may be repeated.
    #[arg(long, value_name = "STATE=VALUE", value_parser = parse_value)]
    initial: Vec<(String, f64)>,
    /// How long (s).
    #[arg(long, value_name = "TIME")]
    until: f64,
    /// Points in time.
    #[arg(long, value_name = "N", default_value_t = 500, value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(2..=100_000))]
    points: usize,
    /// Folder for the table and the picture; default runs/MODEL-response.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Print nothing.
    #[arg(long, short)]
    quiet: bool,
}

/// Runs the command.
pub fn response(arguments: &ResponseArguments) -> ExitCode {
    let finite = |x: &Option<f64>| x.is_none_or(|x| x.is_finite());
    if !arguments.until.is_finite() || arguments.until <= 0.0 {
        return message::bad_input(&format!("--until {} must be a positive number", arguments.until));
    }
    if !finite(&arguments.step) || !finite(&arguments.impulse) {
        return message::bad_input("--step and --impulse must be finite numbers");
    }
    if arguments.input.is_none() && arguments.initial.is_empty() {
        return message::bad_input(
            "nothing moves: give --input with --step or --impulse, or --initial STATE=VALUE",
        );
    }
    let model = match load_bare(&arguments.model, &arguments.set) {
        Ok(model) => model,
        Err(code) => return code,
    };
    let inputs: Vec<String> = arguments.input.iter().cloned().collect();
    with_linear_system(&model, &arguments.base, &inputs, |prepared, spec, found| {
        match respond(arguments, prepared, spec, found) {
            Ok(table) => write(arguments, prepared, found, &table),
            Err(text) => message::bad_input(&text),
        }
    })
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

fn respond(
    arguments: &ResponseArguments,
    prepared: &Prepared,
    spec: &LinearizeSpec,
    found: &LinearModel,
) -> Result<SignalTable, String> {
    let recorded = Recorded::new(prepared, spec, found);
    if recorded.columns.is_empty() {
        return Err("the model has no states and no signals that could respond".into());
    }
    let n = found.a.nrows();
    // Only the input of the command line is held; others of the study stay at rest.
    let first = arguments.input.is_some();
    let held = match (first, arguments.impulse) {
        (false, _) | (_, Some(_)) => 0.0,
        (true, None) => arguments.step.unwrap_or(1.0),
    };
    let column = Mat::from_fn(n, 1, |i, _| if first { found.b[(i, 0)] } else { 0.0 });
    let mut z = vec![0.0; n];
    for (name, value) in &arguments.initial {
        let k = state_named(&found.states, name).ok_or_else(|| {
            let hint = poinsot_expr::suggest(name, &found.states)
                .map_or(format!("states: {}", found.states.join(", ")), |s| format!("did you mean `{s}`?"));
            format!("there is no state `{name}`; {hint}")
        })?;
        z[k] += value;
    }
    if let Some(area) = arguments.impulse {
        z.iter_mut().enumerate().for_each(|(i, z)| *z += area * column[(i, 0)]);
    }
    let h = arguments.until / (arguments.points - 1) as f64;
    let fail = |e: String| format!("the response cannot be computed: {e}");
    let (e, w) = exponential_with_input(found.a.as_ref(), column.as_ref(), h)
        .map_err(|error| fail(format!("{error}; take more --points")))?;
    let mut table = SignalTable::new(recorded.columns).map_err(|e| fail(e.to_string()))?;
    for k in 0..arguments.points {
        let value = |i: usize| {
            let through = if first { recorded.d[(i, 0)] * held } else { 0.0 };
            (0..n).map(|j| recorded.c[(i, j)] * z[j]).sum::<f64>() + through
        };
        let row: Vec<f64> = (0..recorded.c.nrows()).map(value).collect();
        table.push(k as f64 * h, &row).map_err(|e| fail(e.to_string()))?;
        z = (0..n).map(|i| (0..n).map(|j| e[(i, j)] * z[j]).sum::<f64>() + w[(i, 0)] * held).collect();
    }
    Ok(table)
}

fn write(
    arguments: &ResponseArguments,
    prepared: &Prepared,
    found: &LinearModel,
    table: &SignalTable,
) -> ExitCode {
    let folder = arguments.out.clone().unwrap_or_else(|| default_folder(&arguments.model, "response"));
    let kind = match (&arguments.input, arguments.impulse) {
        (Some(input), Some(_)) => format!("impulse response to {input}"),
        (Some(input), None) => format!("step response to {input}"),
        (None, _) => "initial response".into(),
    };
    let title = format!("{}: {kind}", prepared.model.name);
    let written = || -> Result<PathBuf, ResultsError> {
        let folder = RunFolder::create(folder)?;
        write_csv(table, &folder.path().join("response.csv"))?;
        let sheets = plot_signals(table, &title, &folder.path().join("response.svg"))?;
        Ok(sheets.into_iter().next().unwrap_or_default())
    };
    let picture = match written() {
        Ok(picture) => picture,
        Err(error) => {
            message::complain(&format!("Error: {error}"));
            return ExitCode::from(message::FAILED);
        }
    };
    if arguments.quiet {
        return ExitCode::SUCCESS;
    }
    let mut text = format!("{title}, {} states, deviations\n\n", found.states.len());
    text += &printed(table);
    if let Some(stability) = &found.stability {
        text += &format!("\nstability: {}\n", stability.words());
    }
    message::print(&format!("{text}\nLook at {}\n", picture.display()))
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
