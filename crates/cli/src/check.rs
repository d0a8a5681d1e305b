//! `poinsot check`: what a model is, without running it.

use crate::run::{Overrides, load, simulation_error};
use crate::simulate::SimulationError;
use crate::{message, summarize};
use clap::Args;
use poinsot_analysis::{StartReport, consistent_start};
use poinsot_mechanics::System;
use poinsot_model::{Model, build};
use std::path::PathBuf;
use std::process::ExitCode;

/// Arguments of `poinsot check`.
#[derive(Args)]
pub struct CheckArguments {
    /// The model file.
    model: PathBuf,
    #[command(flatten)]
    overrides: Overrides,
}

/// Runs the command.
pub fn check(arguments: &CheckArguments) -> ExitCode {
    let model = match load(&arguments.model, &arguments.overrides) {
        Ok(model) => model,
        Err(code) => return code,
    };
    let mut assembly = match build(&model) {
        Ok(assembly) => assembly,
        Err(diagnostic) => return simulation_error(&model, &SimulationError::Model(Box::new(diagnostic))),
    };
    let rows: usize = assembly.system.constraints().iter().map(|c| c.law.rows()).sum();
    let start_time = model.study.as_ref().map_or(0.0, |s| s.start);
    match consistent_start(&mut assembly.system, start_time) {
        Ok((_, start)) => message::print(&text(&model, &assembly.system, rows - start.void, &start)),
        Err(error) => simulation_error(&model, &SimulationError::Start(error)),
    }
}

fn text(model: &Model, system: &System, rows: usize, start: &StartReport) -> String {
    let counts = summarize::counts(model, system, start);
    let mut text = format!("{} ({})\n", model.name, model.source.name);
    let mut line = |name: &str, value: String| text += &format!("  {name:<24}{value}\n");
    line("bodies", counts.bodies.to_string());
    line("joints", counts.joints.to_string());
    line("forces", counts.forces.to_string());
    line("coordinates", counts.coordinates.to_string());
    line("constraints", format!("{} independent of {rows}", counts.constraints));
    line("degrees of freedom", counts.degrees_of_freedom.to_string());
    line(
        "start",
        format!(
            "joints open by {:.2e} as modelled, {:.2e} assembled ({} iterations)",
            start.residual.0, start.residual.1, start.iterations
        ),
    );
    for message in summarize::start_summary(start).messages {
        line("", message);
    }
    match start.redundant.len() {
        0 => line("redundant constraints", "none".into()),
        n => line("redundant constraints", n.to_string()),
    }
    for redundant in &start.redundant {
        line("", format!("{}: depends on {}", redundant.row, redundant.depends_on.join(", ")));
    }
    text
}
