//! What the command says, and its exit codes.

use crate::fit::fit;
use anstream::stream::RawStream;
use anstream::{AutoStream, ColorChoice};
use poinsot_model::diagnostic::render_all;
use poinsot_model::{Diagnostic, Label, LoadError, Source};
use poinsot_results::summary_text::Report;
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

/// Says once for all when there are colours. `auto`: where somebody looks, unless NO_COLOR is set;
/// CLICOLOR_FORCE has them everywhere.
pub fn set_colour(when: clap::ColorChoice) {
    let choice = match when {
        clap::ColorChoice::Auto => ColorChoice::Auto,
        clap::ColorChoice::Always => ColorChoice::Always,
        clap::ColorChoice::Never => ColorChoice::Never,
    };
    choice.write_global();
    // The progress bar asks there.
    console::set_colors_enabled_stderr(colour());
}

fn is_coloured(stream: &impl RawStream) -> bool {
    AutoStream::choice(stream) != ColorChoice::Never
}

/// Whether messages may be coloured.
pub fn colour() -> bool {
    is_coloured(&std::io::stderr())
}

/// Columns of the terminal that standard output goes to; none where it goes elsewhere.
pub fn columns() -> Option<usize> {
    let terminal = console::Term::stdout();
    let width = terminal.size_checked().map(|(_, columns)| usize::from(columns));
    width.filter(|_| std::io::stdout().is_terminal())
}

/// The marks at the beginning of lines in their colours.
fn with_coloured_marks(text: &str) -> String {
    let line = |line: &str| {
        let rest = line.trim_start();
        let (indent, mark) = (&line[..line.len() - rest.len()], rest.chars().next().unwrap_or(' '));
        let (code, after) = match (mark, &rest[mark.len_utf8().min(rest.len())..]) {
            (_, after) if !after.starts_with(' ') => return line.to_owned(),
            ('✓', after) => (32, after),
            ('!', after) => (33, after),
            ('✗', after) => (31, after),
            _ => return line.to_owned(),
        };
        format!("{indent}\x1b[1;{code}m{mark}\x1b[0m{after}")
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Number of letters that are seen: codes of colours are not.
fn seen(text: &str) -> usize {
    let parts = text.split("\x1b[").enumerate();
    parts
        .map(|(k, part)| if k == 0 { part } else { part.split_once('m').map_or("", |(_, rest)| rest) })
        .map(|part| part.chars().count())
        .sum()
}

/// The text with lines of at most so many columns, broken between words. What goes on stands under what
/// follows the first wide gap of its line: under the text beside a name.
fn fitted(text: &str, columns: usize) -> String {
    let line = |line: &str| {
        let name = line.trim_start();
        let indent = line.len() - name.len();
        let gap = name.find("  ").map(|at| (at, name[at..].len() - name[at..].trim_start().len()));
        let hanging = gap.map_or(indent + 2, |(at, gap)| indent + seen(&name[..at]) + gap);
        let hanging = if hanging < columns / 2 { hanging } else { indent + 2 };
        let mut lines = vec![String::new()];
        for (k, word) in line.split(' ').enumerate() {
            let last = lines.last_mut().expect("there is a line");
            if k > 0 && seen(last) + 1 + seen(word) > columns && !last.trim().is_empty() && !word.is_empty() {
                lines.push(" ".repeat(hanging) + word);
            } else {
                last.push_str(if k > 0 { " " } else { "" });
                last.push_str(word);
            }
        }
        lines.iter().map(|line| line.trim_end()).collect::<Vec<_>>().join("\n")
    };
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

/// Prints words with marks to standard output: as they fit the terminal, in colours where they are wanted.
pub fn print_words(text: &str) -> ExitCode {
    let fitted = columns().map_or_else(|| text.to_owned(), |columns| fitted(text, columns));
    match is_coloured(&std::io::stdout()) {
        true => print(&with_coloured_marks(&fitted)),
        false => print(&fitted),
    }
}

/// What the reader of arguments has to say: help as it fits the terminal, complaints as they are.
pub fn argument_help(told: &clap::Error) -> ExitCode {
    let (true, Some(columns)) = (!told.use_stderr(), columns()) else { told.exit() };
    let text = told.render();
    match is_coloured(&std::io::stdout()) {
        true => print(&fitted(&text.ansi().to_string(), columns)),
        false => print(&fitted(&text.to_string(), columns)),
    }
}

/// Prints a report as it fits the terminal.
pub fn print_report(report: &Report) -> ExitCode {
    print_words(&report.text_within(columns()))
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
    let terminal = console::Term::stderr();
    let columns = terminal.size_checked().filter(|_| terminal.is_term());
    let text = match columns {
        Some((_, columns)) => &fit(text, usize::from(columns)),
        None => text,
    };
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn help_goes_on_under_its_text() {
        let text = "  \x1b[1mpath\x1b[0m   Follow the equilibria along a parameter\n\nshort";
        let expected = "  \x1b[1mpath\x1b[0m   Follow the equilibria\n         along a parameter\n\nshort";
        assert_eq!(fitted(text, 32), expected);
        assert_eq!(fitted(text, 80), text);
    }

    #[test]
    fn marks_have_their_colours_and_nothing_else_has() {
        let text = "Title! of ✓\n✓ completed  t = 1 s\n  ✗ off by 2\n! warnings\n!important\n\n";
        let expected = "Title! of ✓\n\x1b[1;32m✓\x1b[0m completed  t = 1 s\n  \x1b[1;31m✗\x1b[0m off by 2\n\
                        \x1b[1;33m!\x1b[0m warnings\n!important\n\n";
        assert_eq!(with_coloured_marks(text), expected);
    }
}
