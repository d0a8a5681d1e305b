//! `poinsot resume`: goes on with a run.

use super::run;
use crate::carry_out::carry_out;
use crate::message;
use crate::output::Output;
use crate::overrides::load;
use clap::{Args, Parser};
use poinsot_studies::checkpoint::Saved;
use poinsot_studies::{Checkpoints, RunOptions};
use std::path::PathBuf;
use std::process::ExitCode;

/// Go on with a run after its last checkpoint (`poinsot run --checkpoint N`), to the same bits.
#[derive(Args)]
pub struct Arguments {
    /// The folder of the run.
    folder: PathBuf,
    /// Print summary.json instead of the audit.
    #[arg(long)]
    json: bool,
    /// No progress bar and no audit.
    #[arg(long, short)]
    quiet: bool,
}

/// A command line of `poinsot run`, as a checkpoint keeps it.
#[derive(Parser)]
#[command(no_binary_name = true)]
struct RunLine {
    #[command(flatten)]
    run: run::Arguments,
}

/// Goes on with a run after its last checkpoint.
pub fn run(arguments: &Arguments) -> ExitCode {
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
