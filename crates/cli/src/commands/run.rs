//! `poinsot run`: the study of the file.

use crate::carry_out::carry_out;
use crate::commands::view::Serving;
use crate::message;
use crate::numbers::count;
use crate::output::{Output, default_folder};
use crate::overrides::{Overrides, load};
use crate::watch::watch;
use clap::Args;
use poinsot_studies::checkpoint::Identity;
use poinsot_studies::{Checkpoints, RunOptions};
use std::path::PathBuf;
use std::process::ExitCode;

/// Run the study of a model, write its results and audit them.
#[derive(Args)]
#[command(after_help = "\
Examples:
  poinsot run model.toml
  poinsot run model.toml --integrator optimal --rho 0.5 --step 1e-4
  poinsot run model.toml --integrator radau --adaptive --tolerance 1e-8
  poinsot run model.toml --check-step
  poinsot run model.toml --out results/first --csv --json")]
pub struct Arguments {
    /// The model file.
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
