//! What is said of a study that ran.

use crate::message;
use crate::output::Output;
use poinsot_results::{RunSummary, Status};
use poinsot_studies::Product;
use std::path::Path;
use std::process::ExitCode;

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
