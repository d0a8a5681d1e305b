//! `poinsot check`: what a model is, without running it.

use crate::complaints::study_error;
use crate::message;
use crate::overrides::{Overrides, load};
use clap::Args;
use poinsot_analysis::StartReport;
use poinsot_mechanics::System;
use poinsot_model::{Model, StudyHead, build};
use poinsot_results::summary_text::{Mark, Report, number_of};
use poinsot_studies::motion::refusal;
use poinsot_studies::summarize;
use poinsot_studies::{StudyError, model_start};
use std::path::PathBuf;
use std::process::ExitCode;

/// Count and inspect a model without running it: degrees of freedom, redundant joints, start.
#[derive(Args)]
pub struct Arguments {
    /// The model file; `-` reads it from standard input.
    model: PathBuf,
    #[command(flatten)]
    overrides: Overrides,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> ExitCode {
    let model = match load(&arguments.model, &arguments.overrides) {
        Ok(model) => model,
        Err(code) => return code,
    };
    let (mut system, _) = match build(&model) {
        Ok(built) => built,
        Err(diagnostic) => return study_error(&model, &StudyError::Model(Box::new(diagnostic))),
    };
    let start_time = model.study.as_ref().map_or(0.0, |s| s.start());
    match model_start(&model, &mut system, start_time) {
        Ok((_, start)) => match refusal(&model, &system) {
            Some(diagnostic) => study_error(&model, &StudyError::Model(Box::new(diagnostic))),
            None => message::print_report(&report(&model, &system, &start)),
        },
        Err(error) => study_error(&model, &error),
    }
}

/// What the model is, as a report.
fn report(model: &Model, system: &System, start: &StartReport) -> Report {
    let counts = summarize::counts(model, system, start);
    let mut report = Report::titled(format!("{} ({})", model.name, model.source.name));
    let mut line = |name: &str, value: String| report.line(Mark::None, name, &value);
    let studies = model.studies();
    if studies.len() > 1 {
        let named =
            |head: &StudyHead| format!("{} ({})", head.name.as_deref().unwrap_or_default(), head.word);
        line("studies", studies.iter().map(named).collect::<Vec<_>>().join(", "));
    }
    line("bodies", counts.bodies.to_string());
    if counts.beams > 0 {
        line("beams", format!("{} with {}", counts.beams, number_of(counts.beam_nodes, "node", "nodes")));
    }
    if counts.plates > 0 {
        let nodes = number_of(counts.plate_nodes, "node", "nodes");
        line("plates", format!("{} with {nodes}", counts.plates));
    }
    line("joints", counts.joints.to_string());
    line("couplings", model.couplings.len().to_string());
    line("drives", model.drives.len().to_string());
    line("constraints", model.constraints.len().to_string());
    line("forces", counts.forces.to_string());
    if let [network] = system.networks() {
        let rates = (0..network.law.variables.len()).filter(|&j| !network.is_algebraic(j)).count();
        let index = if network.is_index_one() { "index 1" } else { "index above 1" };
        let index = if system.algebraic_equations().is_empty() { "all with rates" } else { index };
        line("variables", format!("{}, {rates} of them with a rate", counts.variables));
        line("equations", format!("{}, {index}", network.law.equations.len()));
    }
    if !model.events.is_empty() {
        line("events", model.events.len().to_string());
    }
    line(
        "start",
        format!(
            "joints open by {:.2e} as modelled, {:.2e} assembled ({} iterations)",
            start.residual.0, start.residual.1, start.iterations
        ),
    );
    let summary = summarize::start_summary(start);
    for message in summary.asked.into_iter().chain(summary.messages) {
        line("", message);
    }
    flexible_bodies(model, &mut report);
    if let Some(redundancy) = summarize::redundancy(model, system, start) {
        report.redundancy(&redundancy);
    }
    report
}

/// Mass, centre, inertia and rigid motions of the finite elements and matrices, and what is doubtful.
fn flexible_bodies(model: &Model, report: &mut Report) {
    for spec in &model.flexible {
        let shapes = number_of(spec.body.size() as u64, "shape", "shapes");
        let Some(recipe) = &spec.recipe else {
            report.line(Mark::None, &spec.name, &format!("flexible, {shapes}"));
            continue;
        };
        match recipe.check_lines() {
            Ok((lines, doubts)) => {
                let first = std::iter::once(format!("flexible, {shapes}"));
                let label = |k| if k == 0 { spec.name.as_str() } else { "" };
                let lines = first.chain(lines).enumerate();
                lines.for_each(|(k, text)| report.line(Mark::None, label(k), &text));
                doubts.iter().for_each(|doubt| report.line(Mark::Attention, "", doubt));
            }
            Err(error) => report.line(Mark::Attention, &spec.name, &error.to_string()),
        }
    }
}
