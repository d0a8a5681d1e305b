//! `poinsot run` and the commands of the single analyses: run a study and write a folder of results.

use crate::linear_system::load_bare;
use crate::message;
use crate::overrides::{Overrides, forget_later, load, parse_setting, set_end, set_step};
use crate::progress::{Bar, catch_interrupt};
use crate::render::export;
use crate::view::Serving;
use crate::watch::watch;
use clap::{Args, Parser};
use poinsot_model::Model;
use poinsot_model::spec::BodyRef;
use poinsot_model::study::StudyRequest;
use poinsot_results::{ResultsError, RunFolder, RunSummary, Status};
use poinsot_studies::buckling::BucklingSpec;
use poinsot_studies::campbell::CampbellSpec;
use poinsot_studies::checkpoint::{self, Identity, Saved};
use poinsot_studies::equilibrium::EquilibriumSpec;
use poinsot_studies::equilibrium::search::search;
use poinsot_studies::kinematics::KinematicsSpec;
use poinsot_studies::linearize::LinearizeSpec;
use poinsot_studies::modes::ModesSpec;
use poinsot_studies::path::PathSpec;
use poinsot_studies::ranges::{NamedRange, parse_range};
use poinsot_studies::small_motions::About;
use poinsot_studies::{Blame, Checkpoints, Complaint, Product, RunOptions, StudyError, perform};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

/// Where results go and what is said; the same for all analyses.
#[derive(Args, Clone)]
pub struct Output {
    /// Folder for the results; default runs/MODEL, with the name of the analysis for those that are not in
    /// the file.
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
    /// Also write signals.csv.
    #[arg(long)]
    pub csv: bool,
    /// Also write the frames for ParaView, into the folder vtk of the results.
    #[arg(long)]
    vtk: bool,
    /// Print summary.json instead of the audit.
    #[arg(long)]
    json: bool,
    /// No progress bar and no audit.
    #[arg(long, short)]
    pub quiet: bool,
}

/// Arguments of `poinsot run`.
#[derive(Args)]
pub struct RunArguments {
    /// The model file.
    pub model: PathBuf,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Write a checkpoint into the folder after every N steps, for `poinsot resume`. At each the integrator
    /// starts anew.
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    checkpoint: Option<usize>,
    /// Run the motion once more with half the step, or a ten times tighter tolerance, and audit the
    /// difference.
    #[arg(long, conflicts_with_all = ["checkpoint", "watch"])]
    check_step: bool,
    /// Show the results in a browser and run again whenever the model file, or a file it names, changes.
    #[arg(long, conflicts_with_all = ["checkpoint", "json"])]
    watch: bool,
    #[command(flatten)]
    pub serving: Serving,
    #[command(flatten)]
    pub output: Output,
}

impl RunArguments {
    /// Whether it goes on until it is stopped.
    pub fn is_endless(&self) -> bool {
        self.watch
    }
}

/// A command line of `poinsot run`, as a checkpoint keeps it.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct RunLine {
    #[command(flatten)]
    run: RunArguments,
}

impl RunArguments {
    /// The command line that says the same, without the folder.
    fn line(&self) -> Vec<String> {
        let mut line = vec![self.model.to_string_lossy().into_owned()];
        line.extend(self.overrides.line());
        if let Some(n) = self.checkpoint {
            line.extend(["--checkpoint".into(), n.to_string()]);
        }
        line.extend(self.output.csv.then(|| "--csv".into()));
        line.extend(self.output.vtk.then(|| "--vtk".into()));
        line
    }
}

/// Arguments of `poinsot resume`.
#[derive(Args)]
pub struct ResumeArguments {
    /// The folder of the run.
    folder: PathBuf,
    /// Print summary.json instead of the audit.
    #[arg(long)]
    json: bool,
    /// No progress bar and no audit.
    #[arg(long, short)]
    quiet: bool,
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
    /// Look for all equilibria with a variable of equations inside a range, e.g. --search theta=-4..4; may be
    /// repeated. Lists them with their verdicts and writes no results.
    #[arg(long, value_name = "NAME=LOW..HIGH", value_parser = parse_range, conflicts_with_all = ["out", "csv", "quiet"])]
    search: Vec<NamedRange>,
    /// Number of starts of the search.
    #[arg(long, value_name = "N", default_value_t = 60, requires = "search", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    starts: usize,
    #[command(flatten)]
    output: Output,
}

/// Arguments of `poinsot path`.
#[derive(Args)]
pub struct PathArguments {
    /// The model file.
    model: PathBuf,
    /// Set a parameter, e.g. --set L=0.5; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
    /// The parameter that changes along the path.
    #[arg(long, value_name = "NAME")]
    parameter: Option<String>,
    /// Its value at the start; default: that of the file.
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    from: Option<f64>,
    /// Value towards which the path sets out.
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    to: Option<f64>,
    /// The signal to plot the parameter against.
    #[arg(long, value_name = "SIGNAL")]
    signal: Option<String>,
    /// Most points of each branch.
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    points: Option<usize>,
    /// Do not follow crossing paths.
    #[arg(long)]
    no_branches: bool,
    #[command(flatten)]
    output: Output,
}

/// Arguments of `poinsot buckling`.
#[derive(Args)]
pub struct BucklingArguments {
    /// The model file.
    model: PathBuf,
    /// Set a parameter, e.g. --set L=0.5; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
    /// The parameter whose critical values are sought.
    #[arg(long, value_name = "NAME")]
    parameter: Option<String>,
    /// Its value at the state that buckles; default: that of the file.
    #[arg(long, value_name = "VALUE", allow_negative_numbers = true)]
    at: Option<f64>,
    /// Number of critical values, from the nearest.
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    count: Option<usize>,
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

/// Arguments of `poinsot campbell`.
#[derive(Args)]
pub struct CampbellArguments {
    /// The model file.
    model: PathBuf,
    /// Set a parameter, e.g. --set L=0.5; may be repeated.
    #[arg(long = "set", value_name = "NAME=VALUE", value_parser = parse_setting)]
    set: Vec<(String, String)>,
    /// The parameter that is changed and its range, e.g. --over Omega=0..500.
    #[arg(long, value_name = "NAME=LOW..HIGH", value_parser = parse_range)]
    over: Option<NamedRange>,
    /// Number of values of the parameter.
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(2..))]
    points: Option<usize>,
    /// Number of modes, from the lowest.
    #[arg(long, value_name = "N", value_parser = clap::builder::RangedU64ValueParser::<usize>::new().range(1..))]
    count: Option<usize>,
    /// Engine orders, e.g. --orders 1,2,3.
    #[arg(long, value_name = "K,…", value_delimiter = ',')]
    orders: Option<Vec<f64>>,
    /// The parameter that is the speed of rotation (rad/s); default: the one that is changed.
    #[arg(long, value_name = "NAME")]
    speed: Option<String>,
    #[command(flatten)]
    base: Base,
    #[command(flatten)]
    output: Output,
}

fn check_time(time: Option<f64>) -> Result<Option<f64>, String> {
    match time {
        Some(time) if !time.is_finite() => Err(format!("--time {time} must be a number")),
        time => Ok(time),
    }
}

/// Runs the study of the file.
pub fn run(arguments: &RunArguments) -> ExitCode {
    if arguments.watch {
        return watch(arguments);
    }
    if arguments.serving.open || arguments.serving.port != 0 {
        return message::bad_input(
            "--port and --open are for --watch; `poinsot view` shows results that are there",
        );
    }
    let model = match load(&arguments.model, &arguments.overrides) {
        Ok(model) => model,
        Err(code) => return code,
    };
    let checkpoints = arguments.checkpoint.map(|every| Checkpoints {
        folder: arguments.output.out.clone().unwrap_or_else(|| default_folder(&arguments.model, "")),
        every,
        identity: Identity::new(arguments.line(), &model),
        from: None,
    });
    let options = RunOptions { checkpoints, check_step: arguments.check_step };
    carry_out(&arguments.model, &model, "", &arguments.output, options)
}

/// Goes on with a run after its last checkpoint.
pub fn resume(arguments: &ResumeArguments) -> ExitCode {
    let saved = match Saved::read(&arguments.folder) {
        Ok(saved) => saved,
        Err(error) => return message::bad_input(&error.to_string()),
    };
    let Ok(RunLine { mut run }) = RunLine::try_parse_from(&saved.identity.arguments) else {
        return message::bad_input("the checkpoint keeps a command that this version does not know");
    };
    // The model is where it was, seen from there or from here.
    let there = saved.identity.directory.join(&run.model);
    if there.exists() {
        run.model = there;
    }
    let model = match load(&run.model, &run.overrides) {
        Ok(model) => model,
        Err(code) => return code,
    };
    if let Some(file) = saved.identity.changed(&model) {
        let (file, model) = (file.display(), run.model.display());
        return message::bad_input(&format!("{file} has changed since the checkpoint: run {model} anew"));
    }
    let folder = arguments.folder.clone();
    let output = Output {
        out: Some(folder.clone()),
        csv: run.output.csv,
        vtk: run.output.vtk,
        json: arguments.json,
        quiet: arguments.quiet,
    };
    let (every, identity) = (run.checkpoint.unwrap_or(usize::MAX), saved.identity.clone());
    let checkpoints = Checkpoints { folder, every, identity, from: Some(saved) };
    let options = RunOptions { checkpoints: Some(checkpoints), ..RunOptions::default() };
    carry_out(&run.model, &model, "", &output, options)
}

/// Loads a model and gives it the study that a command asks for; expectations of another study are left out.
fn analysis<R: StudyRequest>(
    path: &Path,
    set: &[(String, String)],
    output: &Output,
    study: impl FnOnce(&Model) -> Result<R, String>,
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
    model.study = Some(Arc::new(study));
    carry_out(path, &model, if in_file { "" } else { word }, output, RunOptions::default())
}

/// Runs `poinsot kinematics`.
pub fn kinematics(arguments: &KinematicsArguments) -> ExitCode {
    analysis(&arguments.model, &arguments.set, &arguments.output, |model| {
        let mut study = match (model.study_of::<KinematicsSpec>(), model.motion()) {
            (Some(study), _) => study.clone(),
            (None, Some(study)) => {
                let Some(step) = study.step().or(arguments.step) else {
                    return Err(
                        "the motion study has adaptive steps: give --step, the time between positions".into(),
                    );
                };
                KinematicsSpec {
                    start: study.start,
                    end: study.end,
                    step,
                    output_step: study.output_step,
                    span: study.span.clone(),
                }
            }
            _ => match (arguments.until, arguments.step) {
                (Some(end), Some(step)) => {
                    KinematicsSpec { start: 0.0, end, step, output_step: None, span: 0..0 }
                }
                _ => return Err("the model has no times to follow: give --until and --step".into()),
            },
        };
        set_end(arguments.until, study.start, &mut study.end)?;
        set_step(arguments.step, &mut study.step)?;
        Ok(study)
    })
}

/// Runs `poinsot equilibrium`.
pub fn equilibrium(arguments: &EquilibriumArguments) -> ExitCode {
    if !arguments.search.is_empty() {
        return search_for(arguments);
    }
    analysis(&arguments.model, &arguments.set, &arguments.output, |model| {
        let mut study = model.study_of().cloned().unwrap_or_else(|| EquilibriumSpec::at(model.start()));
        study.time = check_time(arguments.time)?.unwrap_or(study.time);
        Ok(study)
    })
}

/// Runs `poinsot equilibrium --search`.
fn search_for(arguments: &EquilibriumArguments) -> ExitCode {
    let model = match load_bare(&arguments.model, &arguments.set) {
        Ok(model) => model,
        Err(code) => return code,
    };
    let mut spec = model.study_of().cloned().unwrap_or_else(|| EquilibriumSpec::at(model.start()));
    spec.time = match check_time(arguments.time) {
        Ok(time) => time.unwrap_or(spec.time),
        Err(text) => return message::bad_input(&text),
    };
    answered(&model, search(&model, &spec, &arguments.search, arguments.starts, arguments.output.json))
}

/// The name of a parameter of the model, from the command line or else from its study.
fn parameter_named(model: &Model, given: &Option<String>, own: Option<&str>) -> Result<String, String> {
    let Some(name) = given.as_deref().or(own) else {
        return Err("the model has no study that names a parameter: give --parameter".into());
    };
    let names: Vec<&str> = model.parameters.iter().map(|p| p.name.as_str()).collect();
    if names.contains(&name) {
        return Ok(name.to_owned());
    }
    let hint = match poinsot_expr::suggest(name, &names) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => "the model has no [parameters]".into(),
        None => format!("parameters: {}", names.join(", ")),
    };
    Err(format!("there is no parameter `{name}`; {hint}"))
}

fn finite(flag: &str, value: Option<f64>) -> Result<Option<f64>, String> {
    match value {
        Some(value) if !value.is_finite() => Err(format!("{flag} {value} must be a number")),
        value => Ok(value),
    }
}

/// Runs `poinsot path`.
pub fn path(arguments: &PathArguments) -> ExitCode {
    analysis(&arguments.model, &arguments.set, &arguments.output, |model| {
        let own = model.study_of::<PathSpec>().cloned();
        let named = own.as_ref().map(|study| study.parameter.as_str());
        let parameter = parameter_named(model, &arguments.parameter, named)?;
        let to = finite("--to", arguments.to)?;
        let mut study = match (own, to) {
            (Some(study), _) if study.parameter == parameter => study,
            (_, Some(to)) => PathSpec::to(&parameter, to, model.start()),
            _ => return Err(format!("the path of `{parameter}` has no aim: give --to")),
        };
        if let Some(to) = to {
            (study.to, study.range) = (to, study.range.filter(|range| (range[0]..=range[1]).contains(&to)));
        }
        study.from = finite("--from", arguments.from)?.or(study.from);
        study.points = arguments.points.unwrap_or(study.points);
        study.branches &= !arguments.no_branches;
        if let Some(signal) = &arguments.signal {
            let names: Vec<&str> = model.signals.iter().map(|s| s.name.as_str()).collect();
            let Some(index) = names.iter().position(|name| name == signal) else {
                let hint = poinsot_expr::suggest(signal, &names).map_or_else(
                    || format!("signals: {}", names.join(", ")),
                    |s| format!("did you mean `{s}`?"),
                );
                return Err(format!("there is no signal `{signal}`; {hint}"));
            };
            if study.signal != Some(index) {
                (study.signal, study.signal_range) = (Some(index), None);
            }
        }
        Ok(study)
    })
}

/// Runs `poinsot buckling`.
pub fn buckling(arguments: &BucklingArguments) -> ExitCode {
    analysis(&arguments.model, &arguments.set, &arguments.output, |model| {
        let of_path = |study: &PathSpec| BucklingSpec {
            at: study.from,
            ..BucklingSpec::of(&study.parameter, study.time)
        };
        let own = model.study_of::<BucklingSpec>().cloned().or(model.study_of().map(of_path));
        let named = own.as_ref().map(|study| study.parameter.as_str());
        let parameter = parameter_named(model, &arguments.parameter, named)?;
        let mut study = match own {
            Some(study) if study.parameter == parameter => study,
            _ => BucklingSpec::of(&parameter, model.start()),
        };
        study.at = finite("--at", arguments.at)?.or(study.at);
        study.count = arguments.count.unwrap_or(study.count);
        Ok(study)
    })
}

/// Runs `poinsot modes`.
pub fn modes(arguments: &ModesArguments) -> ExitCode {
    analysis(&arguments.model, &arguments.set, &arguments.output, |model| {
        let mut study = model.study_of().cloned().unwrap_or_else(|| ModesSpec::at(model.start()));
        study.count = arguments.count.unwrap_or(study.count);
        rebase(&arguments.base, model, &mut study.about, &mut study.time, &mut study.observer)?;
        Ok(study)
    })
}

/// Runs `poinsot linearize`.
pub fn linearize(arguments: &LinearizeArguments) -> ExitCode {
    analysis(&arguments.model, &arguments.set, &arguments.output, |model| {
        let mut study = model
            .study_of()
            .cloned()
            .unwrap_or_else(|| LinearizeSpec::at(model.start(), model.signals.len()));
        rebase(&arguments.base, model, &mut study.about, &mut study.time, &mut study.observer)?;
        Ok(study)
    })
}

/// Runs `poinsot campbell`.
pub fn campbell(arguments: &CampbellArguments) -> ExitCode {
    analysis(&arguments.model, &arguments.set, &arguments.output, |model| {
        let mut study = match (model.study_of::<CampbellSpec>(), &arguments.over) {
            (Some(study), _) => study.clone(),
            (_, Some(range)) => CampbellSpec::over(&range.name, [range.low, range.high], model.start()),
            (_, None) => {
                return Err("the model has no study of type \"campbell\": give --over NAME=LOW..HIGH".into());
            }
        };
        if let Some(range) = &arguments.over {
            if range.name != study.parameter && study.speed == study.parameter {
                study.speed.clone_from(&range.name);
            }
            (study.parameter, study.range) = (range.name.clone(), [range.low, range.high]);
        }
        study.points = arguments.points.unwrap_or(study.points);
        study.count = arguments.count.unwrap_or(study.count);
        study.orders = arguments.orders.clone().unwrap_or(study.orders);
        study.speed = arguments.speed.clone().unwrap_or(study.speed);
        if let Some(order) = study.orders.iter().find(|k| !(k.is_finite() && **k > 0.0)) {
            return Err(format!("the engine order {order} must be positive"));
        }
        let names: Vec<&str> = model.parameters.iter().map(|p| p.name.as_str()).collect();
        for name in [&study.parameter, &study.speed] {
            if !names.contains(&name.as_str()) {
                let hint = poinsot_expr::suggest(name, &names)
                    .map_or(String::new(), |s| format!("; did you mean `{s}`?"));
                return Err(format!("there is no parameter `{name}`{hint}"));
            }
        }
        rebase(&arguments.base, model, &mut study.about, &mut study.time, &mut study.observer)?;
        Ok(study)
    })
}

/// What the command line says about the state of a linearisation.
pub fn rebase(
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
fn carry_out(path: &Path, model: &Model, suffix: &str, output: &Output, options: RunOptions) -> ExitCode {
    catch_interrupt();
    // Before anything is computed: can the results be kept?
    let place = output.out.clone().unwrap_or_else(|| default_folder(path, suffix));
    let opened = open_folder(place, &options.checkpoints);
    let mut folder = match opened {
        Ok(folder) => folder,
        Err(error) => return unkept(&error),
    };
    let performed = perform(model, &options, &Bar::new(output.quiet));
    let mut product = match performed {
        Ok(product) => product,
        Err(error) => return study_error(model, &error),
    };
    match product.write(&mut folder, model, output.csv) {
        Ok(written) => {
            let exported = export_vtk(output, &product, &written.summary);
            let told = tell(output, &product, &written.summary);
            let troubles = written.troubles.into_iter().chain(exported.err());
            troubles.fold(told, |_, error| unkept(&error))
        }
        Err(error) => {
            // What cannot be kept is at least said.
            message::print_words(&product.summary.text_within(message::columns()));
            unkept(&error)
        }
    }
}

/// Makes the folder of a run its own.
fn open_folder(path: PathBuf, checkpoints: &Option<Checkpoints>) -> Result<RunFolder, ResultsError> {
    let mut folder = RunFolder::create(path)?;
    if checkpoints.is_some() {
        checkpoint::FILES.iter().try_for_each(|(name, _)| folder.reserve(name).map(|_| ()))?;
    }
    Ok(folder)
}

/// Complains about results that cannot be kept.
pub fn unkept(error: &ResultsError) -> ExitCode {
    message::complain(&format!("Error: {error}"));
    ExitCode::from(message::FAILED)
}

/// Writes the frames for ParaView beside the summary, if that is wanted.
pub fn export_vtk(output: &Output, product: &Product, summary: &Path) -> Result<(), ResultsError> {
    if let (true, Some((scene, frames))) = (output.vtk, product.scene()) {
        let told = export(scene, frames, &summary.with_file_name("vtk"))?;
        if !output.quiet && !output.json {
            message::print(&told);
        }
    }
    Ok(())
}

/// What is said about a study that gave nothing, and what to do about it.
pub fn study_text(model: &Model, error: &StudyError) -> (String, String) {
    match error {
        StudyError::Model(diagnostic) => {
            (diagnostic.render(&model.source, false), "correct the model file: the page follows".into())
        }
        error => (error.to_string(), error.remedy().unwrap_or_default().into()),
    }
}

/// Complains about a study that gave nothing.
pub fn study_error(model: &Model, error: &StudyError) -> ExitCode {
    match error {
        StudyError::Model(diagnostic) => {
            message::complain(diagnostic.render(&model.source, message::colour()).trim_end());
            ExitCode::from(message::BAD_INPUT)
        }
        error if error.blame() == Blame::Input => {
            message::bad_input(&format!("{}: {error}", model.source.name))
        }
        error => {
            message::complain(&format!("Error: {}: {error}", model.source.name));
            if let Some(remedy) = error.remedy() {
                message::complain(&format!("Try: {remedy}"));
            }
            ExitCode::from(message::FAILED)
        }
    }
}

/// Says what was answered, or complains.
pub fn answered(model: &Model, answer: Result<String, Complaint>) -> ExitCode {
    match answer {
        Ok(text) => message::print(&text),
        Err(complaint) => complained(model, &complaint),
    }
}

/// Complains about a question that was not answered.
pub fn complained(model: &Model, complaint: &Complaint) -> ExitCode {
    match complaint {
        Complaint::Study(error) => study_error(model, error),
        Complaint::Text(Blame::Input, text) => message::bad_input(text),
        Complaint::Text(_, text) => {
            message::complain(&format!("Error: {text}"));
            ExitCode::from(message::FAILED)
        }
    }
}

/// Folder of results where none is given.
pub fn default_folder(model: &Path, suffix: &str) -> PathBuf {
    let mut name = model.file_stem().unwrap_or(model.as_os_str()).to_owned();
    if !suffix.is_empty() {
        name.push("-");
        name.push(suffix);
    }
    Path::new("runs").join(name)
}

/// Pictures, the one to look at first.
const PICTURES: [&str; 7] = [
    "report.html",
    "campbell.svg",
    "path.svg",
    "signals.svg",
    "mode_shapes.svg",
    "spectrum.svg",
    "energy.svg",
];

/// Says how it went.
pub fn tell(output: &Output, product: &Product, summary_path: &Path) -> ExitCode {
    let summary = &product.summary;
    if output.json {
        match summary.json() {
            Ok(text) => message::print(&(text + "\n")),
            Err(error) => return message::bad_input(&error.to_string()),
        };
    } else if !output.quiet {
        let folder = summary_path.parent().unwrap_or(summary_path);
        let mut text = summary.text_within(message::columns());
        if let Some(look) = PICTURES.iter().find(|f| folder.join(f).exists()) {
            text += &format!("\nLook at {}\n", folder.join(look).display());
        }
        message::print_words(&text);
    }
    let common = summary.common();
    if common.outcome.status == Status::Interrupted {
        message::complain(&format!("Interrupted: {}", common.outcome.message));
        if product.is_resumable() {
            let folder = summary_path.parent().unwrap_or(summary_path);
            message::complain(&format!("Go on with: poinsot resume {}", folder.display()));
        }
        return ExitCode::from(message::INTERRUPTED);
    }
    if common.outcome.status == Status::Failed {
        message::complain(&format!("Error: {}", common.outcome.message));
        message::complain(&format!("Try: {}", common.outcome.remedy));
    }
    if output.quiet {
        say_what_fails(&**summary);
    }
    if summary.holds() { ExitCode::SUCCESS } else { ExitCode::from(message::FAILED) }
}

/// Lines that say that something is wrong, for those who want to hear nothing else.
fn say_what_fails(summary: &dyn RunSummary) {
    for line in summary.lines().iter().filter(|line| line.label != "failed") {
        for text in line.failures() {
            message::complain(&format!("Error: {}: {text}", line.label));
        }
    }
}
