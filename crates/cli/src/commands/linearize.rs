//! `poinsot linearize`: matrices of small motions.

use crate::base::{Base, rebase};
use crate::carry_out::analysis;
use crate::output::Output;
use crate::parameters::Parameters;
use clap::Args;
use poinsot_studies::linearize::LinearizeSpec;
use std::path::PathBuf;
use std::process::ExitCode;

/// Matrices A, B, C, D of small motions for control design, as JSON, NumPy and MATLAB files.
#[derive(Args)]
pub struct Arguments {
    /// The model file; `-` reads it from standard input.
    model: PathBuf,
    #[command(flatten)]
    parameters: Parameters,
    #[command(flatten)]
    base: Base,
    #[command(flatten)]
    output: Output,
}

/// Runs `poinsot linearize`.
pub fn run(arguments: &Arguments) -> ExitCode {
    analysis("linearize", &arguments.model, &arguments.parameters, &arguments.output, |model| {
        let mut study = model
            .study_of()
            .cloned()
            .unwrap_or_else(|| LinearizeSpec::at(model.start(), model.signals.len()));
        let own = model.study_of::<LinearizeSpec>().is_some();
        let elsewhere = arguments.parameters.chosen.starts_elsewhere(model, own);
        rebase(&arguments.base, model, elsewhere, &mut study.about, &mut study.time, &mut study.observer)?;
        Ok(study)
    })
}
