//! What the command says, and its exit codes.

use poinsot_model::diagnostic::render_all;
use poinsot_model::{Diagnostic, Label, LoadError, Source};
use serde_json::{Value, json};
use std::io::{IsTerminal, Write};
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};

/// A solve failed, an expectation was missed or the audit found something wrong.
pub const FAILED: u8 = 1;
/// The input is wrong.
pub const BAD_INPUT: u8 = 2;

/// Stopped by the user, as shells say it: 128 + SIGINT.
pub const INTERRUPTED: u8 = 130;

/// Whether the command was asked for JSON: what is wrong is then told on standard output too.
static JSON: AtomicBool = AtomicBool::new(false);
/// Whether a list of documents was begun, and whether it has one already.
static LISTED: AtomicBool = AtomicBool::new(false);

/// Tells from now on what is wrong as JSON too.
pub fn speak_json(json: bool) {
    JSON.store(json, Ordering::Relaxed);
}

/// Begins a list of JSON documents.
pub fn begin_list(json: bool) {
    LISTED.store(false, Ordering::Relaxed);
    if json {
        print("[\n");
    }
}

/// Before the next document of a list.
pub fn next_of_list(json: bool) {
    if LISTED.swap(true, Ordering::Relaxed) && json {
        print(",\n");
    }
}

/// Ends a list of JSON documents.
pub fn end_list(json: bool) {
    if json {
        print("]\n");
    }
}

/// What is wrong as JSON: an exit code and errors.
fn print_json(code: u8, errors: Vec<Value>) {
    if JSON.load(Ordering::Relaxed) {
        let document = json!({ "exit_code": code, "errors": errors });
        print(&format!("{document:#}\n"));
    }
}

/// A message without a place.
fn bare(message: &str, help: Option<&str>) -> Value {
    json!({ "severity": "error", "message": message, "help": help })
}

/// A diagnostic with its places.
fn placed(diagnostic: &Diagnostic, source: &Source) -> Value {
    let place = |label: &Label| {
        let ((line, column), (last_line, last_column)) =
            (source.position(label.span.start), source.position(label.span.end));
        json!({
            "file": source.name,
            "line": line,
            "column": column,
            "end_line": last_line,
            "end_column": last_column,
            "label": label.text,
        })
    };
    json!({
        "severity": diagnostic.severity.to_string(),
        "message": diagnostic.message,
        "place": diagnostic.primary.as_ref().map(place),
        "others": diagnostic.secondary.iter().map(place).collect::<Vec<_>>(),
        "help": diagnostic.help,
    })
}

/// A complaint about a place of a model file, with exit code 2.
pub fn wrong(diagnostic: &Diagnostic, source: &Source) -> ExitCode {
    complain(diagnostic.render(source, colour()).trim_end());
    print_json(BAD_INPUT, vec![placed(diagnostic, source)]);
    ExitCode::from(BAD_INPUT)
}

/// A complaint about a solve that failed, with what to try and exit code 1.
pub fn failed(text: &str, remedy: Option<&str>) -> ExitCode {
    complain(&format!("Error: {text}"));
    if let Some(remedy) = remedy {
        complain(&format!("Try: {remedy}"));
    }
    print_json(FAILED, vec![bare(text, remedy)]);
    ExitCode::from(FAILED)
}

/// Whether messages may be coloured.
pub fn colour() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none()
}

/// Prints to standard output; a closed pipe is no error.
pub fn print(text: &str) -> ExitCode {
    let mut out = std::io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
        Err(_) => ExitCode::from(FAILED),
    }
}

/// Prints to standard error.
pub fn complain(text: &str) {
    // If even standard error is closed there is nobody to tell.
    writeln!(std::io::stderr(), "{text}").ok();
}

/// A complaint with exit code 2.
pub fn bad_input(text: &str) -> ExitCode {
    complain(&format!("Error: {text}"));
    print_json(BAD_INPUT, vec![bare(text, None)]);
    ExitCode::from(BAD_INPUT)
}

/// All diagnostics of a file that could not be loaded.
pub fn load_error(error: &LoadError) -> ExitCode {
    complain(error.render(colour()).trim_end());
    let count = error.diagnostics().iter().filter(|d| d.is_error()).count();
    if count > 1 {
        complain(&format!("{count} errors"));
    }
    let errors = match error {
        LoadError::Read { .. } => vec![bare(&error.to_string(), None)],
        LoadError::Invalid { source_text, diagnostics } => {
            diagnostics.iter().map(|diagnostic| placed(diagnostic, source_text)).collect()
        }
    };
    print_json(BAD_INPUT, errors);
    ExitCode::from(BAD_INPUT)
}

/// Diagnostics of a file that was loaded.
pub fn warnings(source: &Source, diagnostics: &[Diagnostic]) {
    if !diagnostics.is_empty() {
        complain(render_all(diagnostics, source, colour()).trim_end());
    }
}
