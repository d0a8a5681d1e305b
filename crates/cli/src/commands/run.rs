//! `poinsot run`: the study of the file, or all of them.

use crate::carry_out::carry_out_in;
use crate::commands::view::Serving;
use crate::complaints::study_error;
use crate::message;
use crate::numbers::count;
use crate::output::{Output, default_folder, study_folder};
use crate::overrides::{Overrides, STANDARD_INPUT, load_with};
use crate::progress::interrupted;
use crate::watch::watch;
use clap::Args;
use poinsot_model::Model;
use poinsot_studies::checkpoint::Identity;
use poinsot_studies::{Chain, Checkpoints, RunOptions};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Run the study of a model, or all of its studies, write their results and audit them.
#[derive(Args)]
#[command(after_help = "\
Examples:
  poinsot run model.toml
  poinsot run model.toml --integrator optimal --rho 0.5 --step 1e-4
  poinsot run model.toml --integrator radau --adaptive --tolerance 1e-8
  poinsot run model.toml --check-step
  poinsot run cable.toml --study loose
  poinsot run model.toml --initial equilibrium
  poinsot run model.toml --out results/first --csv --json")]
pub struct Arguments {
    /// The model file; `-` reads it from standard input.
    pub model: PathBuf,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Write a checkpoint into the folder after every N steps, for `poinsot resume`. At each the integrator
    /// starts anew.
    #[arg(long, value_name = "N", value_parser = count(1..))]
    pub checkpoint: Option<usize>,
    /// Run the motion once more with half the step, or a ten times tighter tolerance, and audit the
    /// difference.
    #[arg(long, conflicts_with_all = ["checkpoint", "watch"])]
    check_step: bool,
    /// Show the results in a browser and run again whenever the model file, or a file it names, changes.
    #[arg(long, conflicts_with_all = ["checkpoint", "json"])]
    pub watch: bool,
    #[command(flatten)]
    pub serving: Serving,
    #[command(flatten)]
    pub output: Output,
}

impl Arguments {
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

/// Runs the study of the file.
pub fn run(arguments: &Arguments) -> ExitCode {
    if arguments.watch {
        return match arguments.model == Path::new(STANDARD_INPUT) {
            true => message::bad_input("--watch needs a file: standard input does not change"),
            false => watch(arguments),
        };
    }
    if arguments.serving.open || arguments.serving.port != 0 {
        return message::bad_input(
            "--port and --open are for --watch; `poinsot view` shows results that are there",
        );
    }
    if arguments.checkpoint.is_some() && arguments.model == Path::new(STANDARD_INPUT) {
        return message::bad_input("--checkpoint needs a file: standard input cannot be read again");
    }
    let parameters = &arguments.overrides.parameters;
    match load_with(&arguments.model, parameters) {
        Ok(model) if parameters.chosen.study.is_none() && model.studies().len() > 1 => {
            run_all(arguments, &model)
        }
        Ok(model) => run_one(arguments, model),
        Err(code) => code,
    }
}

/// Runs the study at hand.
fn run_one(arguments: &Arguments, mut model: Model) -> ExitCode {
    if let Err(text) = arguments.overrides.apply(&mut model) {
        return message::bad_input(&text);
    }
    let place = arguments.output.out.clone().unwrap_or_else(|| study_folder(&arguments.model, &model));
    let checkpoints = arguments.checkpoint.map(|every| Checkpoints {
        folder: place.clone(),
        every,
        identity: Identity::new(arguments.line(), &model),
        from: None,
    });
    let options = RunOptions { checkpoints, check_step: arguments.check_step };
    carry_out_in(place, &model, &arguments.output, options).0
}

/// Runs all studies of the file, each after the one that it starts from, into folders of their names. One
/// that fails keeps only those from running that start from it.
fn run_all(arguments: &Arguments, model: &Model) -> ExitCode {
    let Arguments { output, overrides, .. } = arguments;
    let for_one = [
        (overrides.changes_study(), "--until, --step and changes of the integrator"),
        (overrides.parameters.chosen.initial.is_some(), "--initial"),
        (arguments.checkpoint.is_some(), "--checkpoint"),
        (arguments.check_step, "--check-step"),
    ];
    if let Some((_, flag)) = for_one.iter().find(|(given, _)| *given) {
        let names: Vec<String> = model.studies().into_iter().filter_map(|head| head.name).collect();
        let names = names.join(", ");
        return message::bad_input(&format!("{flag}: for one study; give --study, one of {names}"));
    }
    let place = output.out.clone().unwrap_or_else(|| default_folder(&arguments.model, ""));
    let mut chain = Chain::new(model);
    let mut worst = ExitCode::SUCCESS;
    let heads = chain.heads();
    message::begin_list(output.json);
    for head in &heads {
        message::next_of_list(output.json);
        let (code, product) = match (chain.model(head), chain.broken(head)) {
            (Ok(model), None) => {
                let folder = place.join(head.name.as_deref().unwrap_or_default());
                carry_out_in(folder, &model, output, RunOptions::default())
            }
            (Ok(model), Some(error)) => (study_error(&model, &error.into()), None),
            (Err(error), _) => (message::load_error(&error), None),
        };
        chain.note(head, product.as_ref());
        if code != ExitCode::SUCCESS && worst == ExitCode::SUCCESS {
            worst = code;
        }
        if interrupted() {
            break;
        }
    }
    message::end_list(output.json);
    worst
}
