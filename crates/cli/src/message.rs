//! What the command says, and its exit codes.

use poinsot_model::diagnostic::render_all;
use poinsot_model::{Diagnostic, LoadError, Source};
use std::io::{IsTerminal, Write};
use std::process::ExitCode;

/// A solve failed, an expectation was missed or the audit found something wrong.
pub const FAILED: u8 = 1;
/// The input is wrong.
pub const BAD_INPUT: u8 = 2;

/// Stopped by the user, as shells say it: 128 + SIGINT.
pub const INTERRUPTED: u8 = 130;

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
    ExitCode::from(BAD_INPUT)
}

/// All diagnostics of a file that could not be loaded.
pub fn load_error(error: &LoadError) -> ExitCode {
    complain(error.render(colour()).trim_end());
    let count = error.diagnostics().iter().filter(|d| d.is_error()).count();
    if count > 1 {
        complain(&format!("{count} errors"));
    }
    ExitCode::from(BAD_INPUT)
}

/// Diagnostics of a file that was loaded.
pub fn warnings(source: &Source, diagnostics: &[Diagnostic]) {
    if !diagnostics.is_empty() {
        complain(render_all(diagnostics, source, colour()).trim_end());
    }
}
