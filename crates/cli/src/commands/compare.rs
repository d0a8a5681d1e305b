//! `poinsot compare`: error against work of several integrators on one model, treatments of constraints, or
//! formulations of beams.

use crate::complaints::complained;
use crate::message;
use crate::numbers::count;
use crate::output::default_folder;
use crate::overrides::load_motion;
use crate::parameters::Parameters;
use crate::progress::{Bar, catch_interrupt};
use clap::Args;
use poinsot_studies::compare::Told;
use poinsot_studies::compare::beams::{self, BeamRequest};
use poinsot_studies::compare::integrators::{self, CompareRequest};
use poinsot_studies::compare::treatments::{self, TreatmentRequest};
use poinsot_studies::integrator_argument::split_outside;
use std::path::PathBuf;
use std::process::ExitCode;

/// Compare integrators on a model: error against time and evaluations; or treatments of its constraints, or
/// formulations of its beams.
#[derive(Args)]
#[command(after_help = "\
Examples:
  poinsot compare model.toml --with 'radau,generalized-alpha,runge-kutta-4'
  poinsot compare model.toml --with 'radau(stages=5),V0(1,1,0):position' --tolerances 1e-5,1e-7 --steps 1e-3,5e-4
  poinsot compare model.toml --constraints multipliers,penalty,null-space,minimal --steps 1e-2,1e-3,1e-4
  poinsot compare model.toml --constraints all
  poinsot compare model.toml --beams director,motion,ancf --refine 1,2,4
  poinsot compare model.toml --beams 'director,motion(order=3),ancf(cable),ancf(beam)'")]
pub struct Arguments {
    /// The model file; `-` reads it from standard input.
    model: PathBuf,
    /// Integrators: name, name:form, name(rho=0.8), radau(stages=5,fixed), V0(1,1,0).
    #[arg(long, value_name = "LIST", required_unless_present_any = ["constraints", "beams"])]
    with: Option<String>,
    /// Treatments of constraints in structure-preserving steps instead, or "all": multipliers, penalty(1e5),
    /// augmented-lagrange(directors), null-space, minimal, automatic.
    #[arg(long, value_name = "LIST", conflicts_with_all = ["with", "tolerances", "reference"])]
    constraints: Option<String>,
    /// Formulations of beams instead: director, motion, ancf(cable), ancf(beam), ancf(chord), also with an
    /// order, motion(order=3). The model must have [[signal]]s that every mesh has, e.g. of `beam.at(s)` or
    /// `beam.end`.
    #[arg(
        long,
        value_name = "LIST",
        conflicts_with_all = ["with", "constraints", "tolerances", "reference", "steps", "coordinates"]
    )]
    beams: Option<String>,
    /// With --beams: by how much the elements of the file are multiplied.
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        default_values_t = [1, 2, 4],
        value_parser = count(1..),
        requires = "beams"
    )]
    refine: Vec<usize>,
    /// Unknowns of rigid bodies with --constraints, where a treatment does not say; default: as in the study,
    /// or motion.
    #[arg(long, value_name = "WORD", conflicts_with = "with", value_parser = treatments::coordinates())]
    coordinates: Option<String>,
    /// Tolerances for those that choose their steps.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_values_t = [1e-4, 1e-6, 1e-8])]
    tolerances: Vec<f64>,
    /// Steps for the others (s); default: the step of the study, its half, quarter and eighth. With
    /// --constraints: steps whose condition numbers are told, default the step of the study, its tenth and
    /// hundredth; the longest is run.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    steps: Vec<f64>,
    /// Tolerance of the reference, or a file of signals of an earlier run.
    #[arg(long, value_name = "TOLERANCE|FILE")]
    reference: Option<String>,
    /// Each time is the least of so many turns.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = count(1..))]
    turns: usize,
    #[command(flatten)]
    parameters: Parameters,
    /// End time (s).
    #[arg(long, value_name = "TIME")]
    until: Option<f64>,
    /// Folder for the results; default runs/MODEL-compare.
    #[arg(long, value_name = "FOLDER")]
    out: Option<PathBuf>,
    /// Print comparison.json instead of the table.
    #[arg(long)]
    json: bool,
    /// No progress bar and no table.
    #[arg(long, short)]
    quiet: bool,
}

/// Runs `poinsot compare`.
pub fn run(arguments: &Arguments) -> ExitCode {
    let loaded = load_motion(&arguments.model, &arguments.parameters, arguments.until, "are compared");
    let (model, study) = match loaded {
        Ok(loaded) => loaded,
        Err(code) => return code,
    };
    catch_interrupt();
    let place = arguments.out.clone().unwrap_or_else(|| default_folder(&arguments.model, "compare"));
    let bar = Bar::new(arguments.quiet);
    let found = match (&arguments.constraints, &arguments.beams) {
        (_, Some(list)) => beams::compare(&of_beams(arguments, list), &model, &study, &place, &bar),
        (Some(list), None) => {
            treatments::compare(&of_treatments(arguments, list), &model, &study, &place, &bar)
        }
        (None, None) => integrators::compare(&of_integrators(arguments), &model, &study, &place, &bar),
    };
    drop(bar);
    match found {
        Ok(told) => tell(arguments, &told),
        Err(complaint) => complained(&model, &complaint),
    }
}

fn of_integrators(arguments: &Arguments) -> CompareRequest {
    CompareRequest {
        with: arguments.with.clone().unwrap_or_default(),
        tolerances: arguments.tolerances.clone(),
        steps: arguments.steps.clone(),
        reference: arguments.reference.clone(),
        turns: arguments.turns,
    }
}

fn of_beams(arguments: &Arguments, list: &str) -> BeamRequest {
    let words = split_outside(list).into_iter().map(|word| word.trim().to_owned());
    BeamRequest {
        formulations: words.collect(),
        refinements: arguments.refine.clone(),
        turns: arguments.turns,
    }
}

fn of_treatments(arguments: &Arguments, list: &str) -> TreatmentRequest {
    TreatmentRequest {
        list: list.into(),
        coordinates: arguments.coordinates.clone(),
        steps: arguments.steps.clone(),
        turns: arguments.turns,
    }
}

fn tell(arguments: &Arguments, told: &Told) -> ExitCode {
    if arguments.json {
        message::print(&told.json);
    } else if !arguments.quiet {
        let look = told.picture.as_ref().map_or(String::new(), |p| format!("\nLook at {}\n", p.display()));
        message::print(&(told.text.clone() + &look));
    }
    match told.failure {
        None => ExitCode::SUCCESS,
        Some(text) => {
            message::complain(&format!("Error: {text}"));
            ExitCode::from(message::FAILED)
        }
    }
}
