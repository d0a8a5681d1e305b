//! `poinsot run` and the commands of the single analyses: run a study and write a folder of results.

use crate::message;
use crate::progress::catch_interrupt;
use crate::study::{Product, StudyError, perform};
use clap::Args;
use poinsot_integrators::{DEFAULT_RHO, EXPLICIT, Form, Member, NAMED, NamedMember, Procedure};
use poinsot_model::Model;
use poinsot_model::spec::{
    About, BodyRef, EquilibriumSpec, IntegratorSpec, KinematicsSpec, LinearizeSpec, ModesSpec, MotionSpec,
    StudySpec,
};
use poinsot_results::Status;
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
    /// How the constraints are imposed: stabilised, hamiltonian or position; with runge-kutta-4 embedding, projected or
    /// augmented.
    #[arg(long, value_name = "FORM", value_parser = ["stabilised", "hamiltonian", "position", "embedding", "projected", "augmented"])]
    pub form: Option<String>,
    /// Parameter of the integrator, for --integrator.
    #[arg(long, value_name = "RHO")]
    pub rho: Option<f64>,
}

/// Where results go and what is said; the same for all analyses.
#[derive(Args)]
pub struct Output {
    /// Folder for the results; default runs/MODEL, with the name of the analysis for those that are not in the file.
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

/// Arguments of `poinsot run`.
#[derive(Args)]
pub struct RunArguments {
    /// The model file.
    model: PathBuf,
    #[command(flatten)]
    overrides: Overrides,
    #[command(flatten)]
    output: Output,
}

/// Arguments of `poinsot kinematics`.
#[derive(Args)]
pub struct KinematicsArguments {
    /// The model file.
    model: PathBuf,
    /// Set a parameter, e.g. --set L=0.5; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
    /// End time (s).
    #[arg(long, value_name = "TIME")]
    until: Option<f64>,
    /// Time between positions (s).
    #[arg(long, value_name = "TIME")]
    step: Option<f64>,
    #[command(flatten)]
    output: Output,
}

/// Arguments of `poinsot equilibrium`.
#[derive(Args)]
pub struct EquilibriumArguments {
    /// The model file.
    model: PathBuf,
    /// Set a parameter, e.g. --set L=0.5; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
    /// Time at which loads and drives are taken (s).
    #[arg(long, value_name = "TIME")]
    time: Option<f64>,
    #[command(flatten)]
    output: Output,
}

/// What a linearisation is about.
#[derive(Args)]
pub struct Base {
    /// The state: the equilibrium, or the start with its velocities.
    #[arg(long, value_name = "STATE", value_parser = ["equilibrium", "start"])]
    about: Option<String>,
    /// Time at which loads and drives are taken (s).
    #[arg(long, value_name = "TIME")]
    time: Option<f64>,
    /// The body in whose axes the state is steady; default ground.
    #[arg(long, value_name = "BODY")]
    observer: Option<String>,
}

/// Arguments of `poinsot modes`.
#[derive(Args)]
pub struct ModesArguments {
    /// The model file.
    model: PathBuf,
    /// Set a parameter, e.g. --set L=0.5; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
    #[command(flatten)]
    base: Base,
    /// Number of modes, from the lowest.
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    count: Option<usize>,
    #[command(flatten)]
    output: Output,
}

/// Arguments of `poinsot linearize`.
#[derive(Args)]
pub struct LinearizeArguments {
    /// The model file.
    model: PathBuf,
    /// Set a parameter, e.g. --set L=0.5; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
    #[command(flatten)]
    base: Base,
    #[command(flatten)]
    output: Output,
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
        model.study = Some(StudySpec::Motion(MotionSpec::new(end, step)));
    }
    let asked = overrides.until.is_some()
        || overrides.step.is_some()
        || overrides.integrator.is_some()
        || overrides.form.is_some()
        || overrides.rho.is_some();
    let Some(study) = model.study.as_mut() else { return Ok(()) };
    let word = study.word();
    let integrates = overrides.integrator.is_some() || overrides.form.is_some() || overrides.rho.is_some();
    let study = match study {
        StudySpec::Motion(study) => study,
        StudySpec::Kinematics(study) if !integrates => {
            set_times(overrides.until, overrides.step, study.start, &mut study.end, &mut study.step)?;
            if let Some(end) = overrides.until {
                forget_later(model, end);
            }
            return Ok(());
        }
        _ if asked => {
            return Err(format!(
                "--until, --step, --integrator, --form and --rho are for motions; the study is of type {word}"
            ));
        }
        _ => return Ok(()),
    };
    set_times(overrides.until, overrides.step, study.start, &mut study.end, &mut study.step)?;
    if overrides.integrator.as_deref() == Some(EXPLICIT[0].name) {
        study.procedure = Some(Procedure::Embedding);
    } else if let Some(name) = &overrides.integrator {
        study.procedure = None;
        let rho = overrides.rho.or(study.integrator.rho).unwrap_or(DEFAULT_RHO);
        study.integrator = integrator(name, rho)?;
    } else if let (Some(rho), Some(name)) = (overrides.rho, study.integrator.name) {
        study.integrator = integrator(name, rho)?;
    }
    if let Some(form) = &overrides.form {
        set_form(study, form)?;
    }
    if let Some(end) = overrides.until {
        forget_later(model, end);
    }
    Ok(())
}

fn set_form(study: &mut MotionSpec, form: &str) -> Result<(), String> {
    let implicit = match form {
        "stabilised" => Some(Form::Stabilised),
        "hamiltonian" => Some(Form::Hamiltonian),
        "position" => Some(Form::Position),
        _ => None,
    };
    let explicit = match form {
        "embedding" => Some(Procedure::Embedding),
        "projected" => Some(Procedure::Projected),
        "augmented" => Some(Procedure::Augmented),
        _ => None,
    };
    match (study.procedure, implicit, explicit) {
        (None, Some(form), _) => study.form = form,
        (Some(_), _, Some(procedure)) => study.procedure = Some(procedure),
        (None, ..) => return Err(format!("--form {form} is for --integrator {}", EXPLICIT[0].name)),
        (Some(_), ..) => return Err(format!("--form {form} is not for {}", EXPLICIT[0].name)),
    }
    Ok(())
}

/// Takes end and step from the command line, if they are there.
fn set_times(
    until: Option<f64>,
    by: Option<f64>,
    start: f64,
    end: &mut f64,
    step: &mut f64,
) -> Result<(), String> {
    match until {
        Some(until) if !until.is_finite() || until <= start => {
            return Err(format!("--until {until} does not lie after the start at {start}"));
        }
        until => *end = until.unwrap_or(*end),
    }
    match by {
        Some(by) if !by.is_finite() || by <= 0.0 => {
            return Err(format!("--step {by} must be a positive number"));
        }
        by => *step = by.unwrap_or(*step),
    }
    Ok(())
}

fn check_time(time: Option<f64>) -> Result<Option<f64>, String> {
    match time {
        Some(time) if !time.is_finite() => Err(format!("--time {time} must be a number")),
        time => Ok(time),
    }
}

/// What lies beyond a new end cannot be measured.
fn forget_later(model: &mut Model, end: f64) {
    model.expects.retain(|e| e.at.is_some_and(|at| at <= end));
}

fn integrator(name: &str, rho: f64) -> Result<IntegratorSpec, String> {
    let Some(known) = NamedMember::find(name) else {
        let names: Vec<&str> = NAMED.iter().map(|m| m.name).chain([EXPLICIT[0].name]).collect();
        let hint =
            poinsot_expr::suggest(name, &names).map_or(String::new(), |s| format!("; did you mean `{s}`?"));
        return Err(format!("there is no integrator `{name}`{hint} (known: {})", names.join(", ")));
    };
    let member = Member::named(name, rho).map_err(|e| e.to_string())?;
    Ok(IntegratorSpec { member, name: Some(known.name), rho: known.rho_range.map(|_| rho) })
}

/// Runs the study of the file.
pub fn run(arguments: &RunArguments) -> ExitCode {
    match load(&arguments.model, &arguments.overrides) {
        Ok(model) => carry_out(&arguments.model, &model, "", &arguments.output),
        Err(code) => code,
    }
}

/// Loads a model and gives it the study that a command asks for; expectations of another study are left out.
fn analysis(
    path: &Path,
    set: &[(String, String)],
    output: &Output,
    study: impl FnOnce(&Model) -> Result<StudySpec, String>,
) -> ExitCode {
    let overrides = Overrides { set: set.to_vec(), ..Overrides::default() };
    let mut model = match load(path, &overrides) {
        Ok(model) => model,
        Err(code) => return code,
    };
    let study = match study(&model) {
        Ok(study) => study,
        Err(text) => return message::bad_input(&text),
    };
    let in_file = model.study.as_ref().map(|s| s.word()) == Some(study.word());
    if !in_file {
        model.expects.clear();
    } else if let (Some(old), Some(new)) = (model.study.as_ref().and_then(|s| s.times()), study.times())
        && new.1 < old.1
    {
        forget_later(&mut model, new.1);
    }
    let word = study.word();
    model.study = Some(study);
    carry_out(path, &model, if in_file { "" } else { word }, output)
}

/// Runs `poinsot kinematics`.
pub fn kinematics(arguments: &KinematicsArguments) -> ExitCode {
    analysis(&arguments.model, &arguments.set, &arguments.output, |model| {
        let mut study = match &model.study {
            Some(StudySpec::Kinematics(study)) => study.clone(),
            Some(StudySpec::Motion(study)) => KinematicsSpec {
                start: study.start,
                end: study.end,
                step: study.step,
                output_step: study.output_step,
                span: study.span.clone(),
            },
            _ => match (arguments.until, arguments.step) {
                (Some(end), Some(step)) => {
                    KinematicsSpec { start: 0.0, end, step, output_step: None, span: 0..0 }
                }
                _ => return Err("the model has no times to follow: give --until and --step".into()),
            },
        };
        set_times(arguments.until, arguments.step, study.start, &mut study.end, &mut study.step)?;
        Ok(StudySpec::Kinematics(study))
    })
}

/// When the study of a file starts.
fn start_of(study: &Option<StudySpec>) -> f64 {
    study.as_ref().map_or(0.0, StudySpec::start)
}

/// Runs `poinsot equilibrium`.
pub fn equilibrium(arguments: &EquilibriumArguments) -> ExitCode {
    analysis(&arguments.model, &arguments.set, &arguments.output, |model| {
        let mut study = match &model.study {
            Some(StudySpec::Equilibrium(study)) => study.clone(),
            other => EquilibriumSpec::at(start_of(other)),
        };
        study.time = check_time(arguments.time)?.unwrap_or(study.time);
        Ok(StudySpec::Equilibrium(study))
    })
}

/// Runs `poinsot modes`.
pub fn modes(arguments: &ModesArguments) -> ExitCode {
    analysis(&arguments.model, &arguments.set, &arguments.output, |model| {
        let mut study = match &model.study {
            Some(StudySpec::Modes(study)) => study.clone(),
            other => ModesSpec::at(start_of(other)),
        };
        study.count = arguments.count.unwrap_or(study.count);
        rebase(&arguments.base, model, &mut study.about, &mut study.time, &mut study.observer)?;
        Ok(StudySpec::Modes(study))
    })
}

/// Runs `poinsot linearize`.
pub fn linearize(arguments: &LinearizeArguments) -> ExitCode {
    analysis(&arguments.model, &arguments.set, &arguments.output, |model| {
        let mut study = match &model.study {
            Some(StudySpec::Linearize(study)) => study.clone(),
            other => LinearizeSpec::at(start_of(other), model.signals.len()),
        };
        rebase(&arguments.base, model, &mut study.about, &mut study.time, &mut study.observer)?;
        Ok(StudySpec::Linearize(study))
    })
}

/// What the command line says about the state of a linearisation.
fn rebase(
    base: &Base,
    model: &Model,
    about: &mut About,
    time: &mut f64,
    observer: &mut BodyRef,
) -> Result<(), String> {
    match base.about.as_deref() {
        Some("start") => *about = About::Start,
        Some(_) => *about = About::Equilibrium,
        None => {}
    }
    *time = check_time(base.time)?.unwrap_or(*time);
    let Some(name) = &base.observer else { return Ok(()) };
    if name == "ground" {
        *observer = BodyRef::Ground;
        return Ok(());
    }
    let names: Vec<&str> = model.bodies.iter().map(|b| b.name.as_str()).collect();
    match names.iter().position(|n| n == name) {
        Some(k) => *observer = BodyRef::Body(k),
        None => {
            let hint = poinsot_expr::suggest(name, &names)
                .map_or(String::new(), |s| format!("; did you mean `{s}`?"));
            return Err(format!("there is no body `{name}` to observe from{hint}"));
        }
    }
    Ok(())
}

/// Runs the study of a model, writes its results and tells.
fn carry_out(path: &Path, model: &Model, suffix: &str, output: &Output) -> ExitCode {
    catch_interrupt();
    let mut product = match perform(model, output.quiet) {
        Ok(product) => product,
        Err(error) => return study_error(model, &error),
    };
    let folder = output.out.clone().unwrap_or_else(|| default_folder(path, suffix));
    match product.write(folder, &model.name, output.csv) {
        Ok(summary) => tell(output, &product, &summary),
        Err(error) => {
            message::complain(&format!("Error: {error}"));
            ExitCode::from(message::FAILED)
        }
    }
}

/// Complains about a study that gave nothing.
pub fn study_error(model: &Model, error: &StudyError) -> ExitCode {
    match error {
        StudyError::Model(diagnostic) => {
            message::complain(diagnostic.render(&model.source, message::colour()).trim_end());
            ExitCode::from(message::BAD_INPUT)
        }
        error if error.is_bad_input() => message::bad_input(&format!("{}: {error}", model.source.name)),
        error => {
            message::complain(&format!("Error: {}: {error}", model.source.name));
            if let StudyError::Start(start) = error {
                message::complain(&format!("Try: {}", start.remedy()));
            }
            ExitCode::from(message::FAILED)
        }
    }
}

fn default_folder(model: &Path, suffix: &str) -> PathBuf {
    let mut name = model.file_stem().unwrap_or(model.as_os_str()).to_owned();
    if !suffix.is_empty() {
        name.push("-");
        name.push(suffix);
    }
    Path::new("runs").join(name)
}

/// Pictures, the one to look at first.
const PICTURES: [&str; 4] = ["signals.svg", "mode_shapes.svg", "spectrum.svg", "energy.svg"];

fn tell(output: &Output, product: &Product, summary_path: &Path) -> ExitCode {
    let summary = &product.summary;
    if output.json {
        match summary.json() {
            Ok(text) => message::print(&(text + "\n")),
            Err(error) => return message::bad_input(&error.to_string()),
        };
    } else if !output.quiet {
        let folder = summary_path.parent().unwrap_or(summary_path);
        let mut text = summary.text();
        if let Some(look) = PICTURES.iter().find(|f| folder.join(f).exists()) {
            text += &format!("\nLook at {}\n", folder.join(look).display());
        }
        message::print(&text);
    }
    let common = summary.common();
    if common.outcome.status == Status::Failed {
        message::complain(&format!("Error: {}", common.outcome.message));
        message::complain(&format!("Try: {}", common.outcome.remedy));
    }
    let met = common.expectations.iter().all(|e| e.passed);
    if common.outcome.status == Status::Failed || !met {
        return ExitCode::from(message::FAILED);
    }
    ExitCode::SUCCESS
}
