//! `poinsot view`: results in a browser.

use crate::http::listen;
use crate::message;
use crate::progress::catch_interrupt;
use crate::server::{ShownRun, Site, serve};
use clap::Args;
use poinsot_results::{Kept, ReportedRun, ResultsError, SourceText, Status, StoredRun};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};
use std::sync::Arc;

/// How the page is served.
#[derive(Args, Clone, Default)]
pub struct Serving {
    /// Port of the page; default a free one.
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub port: u16,
    /// Open the page in the browser.
    #[arg(long)]
    pub open: bool,
}

/// Show results in a browser: animation, plots, audit; several are compared. The page is served on this
/// machine only.
#[derive(Args)]
#[command(after_help = "\
Examples:
  poinsot view runs/heavy_top --open
  poinsot view runs/coarse runs/fine")]
pub struct Arguments {
    /// Folders of results; several are compared.
    #[arg(required = true, value_name = "RESULT")]
    results: Vec<PathBuf>,
    #[command(flatten)]
    serving: Serving,
}

/// Runs the command.
pub fn run(arguments: &Arguments) -> ExitCode {
    let mut runs = vec![];
    let mut good = 0;
    for folder in &arguments.results {
        match StoredRun::read(folder) {
            Ok(stored) => {
                stored.troubles.iter().for_each(|trouble| message::complain(&format!("Warning: {trouble}")));
                runs.push(ShownRun::stored(stored));
                good += 1;
            }
            Err(error) => {
                message::complain(&format!("Error: {error}{}", advice(&error)));
                runs.push(ShownRun::bare(unreadable(folder, &error)));
            }
        }
    }
    if good == 0 {
        return ExitCode::from(message::BAD_INPUT);
    }
    catch_interrupt();
    let served = Site::new(runs, false).map_err(|error| error.to_string());
    let opened = served.and_then(|site| Ok((Arc::new(site), listen(arguments.serving.port)?)));
    let (site, (server, address)) = match opened {
        Ok(opened) => opened,
        Err(text) => return message::bad_input(&text),
    };
    announce(&address, &arguments.serving);
    serve(&server, &site, || {});
    ExitCode::SUCCESS
}

/// What to do about a folder that cannot be read.
fn advice(error: &ResultsError) -> &'static str {
    match error {
        ResultsError::NoFolder { .. } | ResultsError::NotAResult { .. } | ResultsError::NotAFolder { .. } => {
            ""
        }
        _ => ". Run the model again",
    }
}

/// Says where the page is, and opens it if that is wanted.
pub fn announce(address: &str, serving: &Serving) {
    message::print(&format!("Look at {address}  (Ctrl-C ends)\n"));
    if serving.open && !open_browser(address) {
        message::complain("no browser could be started: open the address yourself");
    }
}

fn open_browser(address: &str) -> bool {
    let candidates: &[&[&str]] = match std::env::consts::OS {
        "macos" => &[&["open"]],
        "windows" => &[&["cmd", "/C", "start", ""]],
        _ => &[&["xdg-open"], &["sensible-browser"], &["x-www-browser"]],
    };
    candidates.iter().any(|words| {
        let mut command = Command::new(words[0]);
        command
            .args(&words[1..])
            .arg(address)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        command.spawn().is_ok()
    })
}

/// A run in the place of one that cannot be read.
fn unreadable(folder: &Path, error: &ResultsError) -> ReportedRun {
    let name = folder.file_name().unwrap_or(folder.as_os_str()).to_string_lossy().into_owned();
    failed_run(name, error.to_string(), "run the model again".into(), SourceText::default())
}

/// A run that has nothing to show but why.
pub fn failed_run(name: String, message: String, remedy: String, source: SourceText) -> ReportedRun {
    ReportedRun {
        name,
        study: "motion".into(),
        status: Status::Failed,
        text: message.clone(),
        message,
        remedy,
        summary: vec![],
        source,
        checks: vec![],
        files: vec![],
        scene: None,
        axis: Default::default(),
        frames: None,
        signals: None,
        energy: None,
        modes: None,
        plots: vec![],
        diagrams: vec![],
        kept: Kept::default(),
    }
}
