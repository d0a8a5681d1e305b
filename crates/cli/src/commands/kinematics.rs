//! `poinsot kinematics`: the motion that joints and drives determine.

use crate::carry_out::analysis;
use crate::output::Output;
use crate::overrides::{set_end, set_step};
use crate::parameters::Parameters;
use clap::Args;
use poinsot_studies::kinematics::KinematicsSpec;
use std::path::PathBuf;
use std::process::ExitCode;

/// Follow the motion that joints and drives alone determine: positions, velocities, accelerations,
/// reactions.
#[derive(Args)]
pub struct Arguments {
    /// The model file; `-` reads it from standard input.
    model: PathBuf,
    #[command(flatten)]
    parameters: Parameters,
    /// End time (s).
    #[arg(long, value_name = "TIME")]
    until: Option<f64>,
    /// Time between positions (s).
    #[arg(long, value_name = "TIME")]
    step: Option<f64>,
    #[command(flatten)]
    output: Output,
}

/// Runs `poinsot kinematics`.
pub fn run(arguments: &Arguments) -> ExitCode {
    analysis("kinematics", &arguments.model, &arguments.parameters, &arguments.output, |model| {
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
