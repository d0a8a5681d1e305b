//! `poinsot modes`: small motions about a state.

use crate::base::{Base, rebase};
use crate::carry_out::analysis;
use crate::numbers::count;
use crate::output::Output;
use crate::parameters::Parameters;
use clap::Args;
use poinsot_studies::modes::ModesSpec;
use std::path::PathBuf;
use std::process::ExitCode;

/// Frequencies, damping ratios and shapes of small motions about a state, moving or not.
#[derive(Args)]
pub struct Arguments {
    /// The model file; `-` reads it from standard input.
    model: PathBuf,
    #[command(flatten)]
    parameters: Parameters,
    #[command(flatten)]
    base: Base,
    /// Number of modes, from the lowest.
    #[arg(long, value_name = "N", value_parser = count(1..))]
    count: Option<usize>,
    #[command(flatten)]
    output: Output,
}

/// Runs `poinsot modes`.
pub fn run(arguments: &Arguments) -> ExitCode {
    analysis("modes", &arguments.model, &arguments.parameters, &arguments.output, |model| {
        let mut study = model.study_of().cloned().unwrap_or_else(|| ModesSpec::at(model.start()));
        study.count = arguments.count.unwrap_or(study.count);
        let own = model.study_of::<ModesSpec>().is_some();
        let elsewhere = arguments.parameters.chosen.starts_elsewhere(model, own);
        rebase(&arguments.base, model, elsewhere, &mut study.about, &mut study.time, &mut study.observer)?;
        Ok(study)
    })
}
