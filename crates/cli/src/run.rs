//! `poinsot run`: simulates a model and writes a folder of results.

use crate::message;
use crate::progress::catch_interrupt;
use crate::simulate::{Simulation, SimulationError, simulate};
use clap::Args;
use poinsot_integrators::{DEFAULT_RHO, Member, NAMED, NamedMember};
use poinsot_model::Model;
use poinsot_model::spec::{IntegratorSpec, StudySpec};
use poinsot_results::{ResultsError, RunFolder, Status};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Changes to a model from the command line.
#[derive(Args, Clone, Default)]
pub struct Overrides {
    /// Set a parameter, e.g. --set L=0.5; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    pub set: Vec<(String, String)>,
    /// End time (s).
    #[arg(long, value_name = "TIME")]
    pub until: Option<f64>,
    /// Step (s).
    #[arg(long, value_name = "TIME")]
    pub step: Option<f64>,
    /// Integrator by name (see `poinsot integrators`).
    #[arg(long, value_name = "NAME")]
    pub integrator: Option<String>,
    /// Parameter of the integrator, for --integrator.
    #[arg(long, value_name = "RHO")]
    pub rho: Option<f64>,
}

/// Arguments of `poinsot run`.
#[derive(Args)]
pub struct RunArguments {
    /// The model file.
    model: PathBuf,
    #[command(flatten)]
    overrides: Overrides,
    /// Folder for the results; default runs/MODEL.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Also write signals.csv.
    #[arg(long)]
    csv: bool,
    /// Print summary.json instead of the audit.
    #[arg(long)]
    json: bool,
    /// No progress bar and no audit.
    #[arg(long, short)]
    quiet: bool,
}

fn parse_setting(text: &str) -> Result<(String, String), String> {
    match text.split_once('=') {
        Some((name, value)) if !name.trim().is_empty() => Ok((name.trim().into(), value.trim().into())),
        _ => Err(format!("`{text}` is not of the form NAME=VALUE")),
    }
}

/// Loads a model and applies the overrides; complains and gives the exit code if that fails.
pub fn load(path: &Path, overrides: &Overrides) -> Result<Model, ExitCode> {
    let (mut model, diagnostics) =
        poinsot_model::load(path, &overrides.set).map_err(|e| message::load_error(&e))?;
    message::warnings(&model.source, &diagnostics);
    apply(&mut model, overrides).map_err(|text| message::bad_input(&text))?;
    Ok(model)
}

fn apply(model: &mut Model, overrides: &Overrides) -> Result<(), String> {
    if model.study.is_none()
        && let (Some(end), Some(step)) = (overrides.until, overrides.step)
    {
        model.study = Some(StudySpec::new(end, step));
    }
    let Some(study) = model.study.as_mut() else { return Ok(()) };
    if let Some(end) = overrides.until {
        if !end.is_finite() || end <= study.start {
            return Err(format!("--until {end} does not lie after the start at {}", study.start));
        }
        study.end = end;
        // What lies beyond the new end cannot be measured.
        model.expects.retain(|e| e.at.is_some_and(|at| at <= end));
    }
    if let Some(step) = overrides.step {
        if !step.is_finite() || step <= 0.0 {
            return Err(format!("--step {step} must be a positive number"));
        }
        study.step = step;
    }
    if let Some(name) = &overrides.integrator {
        let rho = overrides.rho.or(study.integrator.rho).unwrap_or(DEFAULT_RHO);
        study.integrator = integrator(name, rho)?;
    } else if let (Some(rho), Some(name)) = (overrides.rho, study.integrator.name) {
        study.integrator = integrator(name, rho)?;
    }
    Ok(())
}

fn integrator(name: &str, rho: f64) -> Result<IntegratorSpec, String> {
    let Some(known) = NamedMember::find(name) else {
        let names: Vec<&str> = NAMED.iter().map(|m| m.name).collect();
        let hint =
            poinsot_expr::suggest(name, &names).map_or(String::new(), |s| format!("; did you mean `{s}`?"));
        return Err(format!("there is no integrator `{name}`{hint} (known: {})", names.join(", ")));
    };
    let member = Member::named(name, rho).map_err(|e| e.to_string())?;
    Ok(IntegratorSpec { member, name: Some(known.name), rho: known.rho_range.map(|_| rho) })
}

/// Runs the command.
pub fn run(arguments: &RunArguments) -> ExitCode {
    let model = match load(&arguments.model, &arguments.overrides) {
        Ok(model) => model,
        Err(code) => return code,
    };
    catch_interrupt();
    let mut simulation = match simulate(&model, arguments.quiet) {
        Ok(simulation) => simulation,
        Err(error) => return simulation_error(&model, &error),
    };
    let folder = arguments.out.clone().unwrap_or_else(|| default_folder(&arguments.model));
    match write(&folder, &model, &mut simulation, arguments.csv) {
        Ok(summary) => tell(arguments, &simulation, &summary),
        Err(error) => {
            message::complain(&format!("Error: {error}"));
            ExitCode::from(message::FAILED)
        }
    }
}

/// Complains about a simulation that gave nothing.
pub fn simulation_error(model: &Model, error: &SimulationError) -> ExitCode {
    match error {
        SimulationError::Model(diagnostic) => {
            message::complain(diagnostic.render(&model.source, message::colour()).trim_end());
            ExitCode::from(message::BAD_INPUT)
        }
        SimulationError::NoStudy | SimulationError::Record(_) => {
            message::bad_input(&format!("{}: {error}", model.source.name))
        }
        SimulationError::Start(_) | SimulationError::Step(_) => {
            message::complain(&format!("Error: {}: {error}", model.source.name));
            ExitCode::from(message::FAILED)
        }
    }
}

fn default_folder(model: &Path) -> PathBuf {
    Path::new("runs").join(model.file_stem().unwrap_or(model.as_os_str()))
}

fn write(
    path: &Path,
    model: &Model,
    simulation: &mut Simulation,
    csv: bool,
) -> Result<PathBuf, ResultsError> {
    let mut folder = RunFolder::create(path)?;
    folder.write_signals_parquet(&simulation.table)?;
    if csv {
        folder.write_signals_csv(&simulation.table)?;
    }
    if !simulation.table.is_empty() && !simulation.table.columns().is_empty() {
        folder.plot_signals(&simulation.table, &model.name)?;
    }
    if !simulation.energy.time.is_empty() {
        folder.plot_energy(&simulation.energy, &model.name)?;
    }
    folder.finish(&mut simulation.summary)
}

fn tell(arguments: &RunArguments, simulation: &Simulation, summary_path: &Path) -> ExitCode {
    let summary = &simulation.summary;
    if arguments.json {
        match summary.json() {
            Ok(text) => message::print(&(text + "\n")),
            Err(error) => return message::bad_input(&error.to_string()),
        };
    } else if !arguments.quiet {
        let folder = summary_path.parent().unwrap_or(summary_path);
        let mut text = summary.text();
        let look = ["signals.svg", "energy.svg"].iter().find(|f| folder.join(f).exists());
        if let Some(look) = look {
            text += &format!("\nLook at {}\n", folder.join(look).display());
        }
        message::print(&text);
    }
    if summary.outcome.status == Status::Failed {
        message::complain(&format!("Error: {}", summary.outcome.message));
        message::complain(&format!("Try: {}", summary.outcome.remedy));
    }
    let met = summary.expectations.iter().all(|e| e.passed);
    if summary.outcome.status == Status::Failed || !met {
        return ExitCode::from(message::FAILED);
    }
    ExitCode::SUCCESS
}
