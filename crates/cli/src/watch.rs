//! `poinsot run --watch`: run, show, and run again whenever a file of the model changes.

use crate::commands::run::Arguments;
use crate::commands::view::{announce, failed_run};
use crate::complaints::{study_error, study_text};
use crate::http::listen;
use crate::message;
use crate::output::{export_vtk, study_folder};
use crate::progress::{Bar, catch_interrupt, interrupted};
use crate::server::{ShownRun, Site, serve};
use crate::tell::tell;
use poinsot_results::{ReportedRun, ResultsError, RunFolder, SourceText, Status, StoredRun};
use poinsot_studies::{RunOptions, perform};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::{Duration, SystemTime};

/// How often the files are looked at.
const PAUSE: Duration = Duration::from_millis(300);

/// Why there is nothing new to show, and what to do about it.
struct Trouble {
    message: String,
    remedy: String,
}

/// Runs the command until Ctrl-C.
pub fn watch(arguments: &Arguments) -> ExitCode {
    catch_interrupt();
    let mut watcher = Watcher { arguments, last: None };
    let mut stamps = stamps(&arguments.model);
    let served = Site::new(vec![watcher.attempt()], true).map_err(|error| error.to_string());
    let opened = served.and_then(|site| Ok((Arc::new(site), listen(arguments.serving.port)?)));
    let (site, (server, address)) = match opened {
        Ok(opened) => opened,
        Err(text) => return message::bad_input(&text),
    };
    announce(&address, &arguments.serving);
    serve(&server, &site, || {
        while !interrupted() {
            std::thread::sleep(PAUSE);
            let now = self::stamps(&arguments.model);
            if now == stamps {
                continue;
            }
            stamps = now;
            message::complain(&format!("{} has changed: running again", arguments.model.display()));
            if let Err(error) = site.show(vec![watcher.attempt()]) {
                message::complain(&format!("Error: {error}"));
            }
        }
    });
    ExitCode::SUCCESS
}

struct Watcher<'a> {
    arguments: &'a Arguments,
    /// The last run that was good.
    last: Option<ReportedRun>,
}

impl Watcher<'_> {
    /// Runs the model; with an error shows it with what was good before.
    fn attempt(&mut self) -> ShownRun {
        match self.run() {
            Ok(stored) => {
                self.last = Some(stored.run.clone());
                ShownRun::stored(stored)
            }
            Err(Trouble { message, remedy }) => ShownRun::bare(self.failed(message, remedy)),
        }
    }

    fn failed(&self, message: String, remedy: String) -> ReportedRun {
        let path = &self.arguments.model;
        let source = SourceText {
            name: path.display().to_string(),
            text: std::fs::read(path)
                .map_or(String::new(), |bytes| String::from_utf8_lossy(&bytes).into_owned()),
        };
        match self.last.clone() {
            Some(last) => ReportedRun {
                status: Status::Failed,
                text: format!("{message}\n\nWhat is shown is the last run without this error."),
                message,
                remedy,
                source,
                checks: vec![],
                ..last
            },
            None => {
                let stem = path.file_stem().unwrap_or(path.as_os_str());
                failed_run(stem.to_string_lossy().into_owned(), message, remedy, source)
            }
        }
    }

    fn run(&self) -> Result<StoredRun, Trouble> {
        let Arguments { model: path, overrides, output, .. } = self.arguments;
        let trouble = |message: String, remedy: &str| Trouble { message, remedy: remedy.into() };
        let loaded = poinsot_studies::load(path, &overrides.parameters.set);
        let (mut model, warnings) = loaded.map_err(|error| {
            message::load_error(&error);
            trouble(error.render(false), "correct the model file: the page follows")
        })?;
        message::warnings(&model.source, &warnings);
        model = overrides.parameters.chosen.of(model).map_err(|error| {
            message::load_error(&error);
            trouble(error.render(false), "change the command line")
        })?;
        if model.studies().len() > 1 && overrides.parameters.chosen.study.is_none() {
            let text = "the file has several studies";
            message::bad_input(text);
            return Err(trouble(text.into(), "say which one with --study"));
        }
        overrides.apply(&mut model).map_err(|text| {
            message::bad_input(&text);
            trouble(text, "change the command line")
        })?;
        let folder = output.out.clone().unwrap_or_else(|| study_folder(path, &model));
        let unkept = |error: ResultsError| {
            message::complain(&format!("Error: {error}"));
            trouble(error.to_string(), "choose another folder with --out")
        };
        let mut opened = RunFolder::create(&folder).map_err(unkept)?;
        let performed = perform(&model, &RunOptions::default(), &Bar::new(output.quiet));
        let mut product = performed.map_err(|error| {
            study_error(&model, &error);
            let (message, remedy) = study_text(&model, &error);
            trouble(message, &remedy)
        })?;
        let written = product.write(&mut opened, &model, output.csv).map_err(unkept)?;
        let exported = export_vtk(output, &product, &written.summary);
        tell(output, &product, &written.summary);
        let troubles = written.troubles.into_iter().chain(exported.err());
        troubles.for_each(|error| message::complain(&format!("Error: {error}")));
        StoredRun::read(&folder).map_err(unkept)
    }
}

/// The model file and the files it names, with size and time of each.
fn stamps(model: &Path) -> Vec<(PathBuf, Option<(u64, SystemTime)>)> {
    let text =
        std::fs::read(model).map_or(String::new(), |bytes| String::from_utf8_lossy(&bytes).into_owned());
    let folder = model.parent().unwrap_or(Path::new(""));
    let files = named_files(&text).into_iter().map(|name| folder.join(name));
    let stamp = |path: PathBuf| {
        let found = std::fs::metadata(&path).and_then(|data| Ok((data.len(), data.modified()?))).ok();
        (path, found)
    };
    std::iter::once(model.to_owned()).chain(files).map(stamp).collect()
}

/// The values of all keys `file`, wherever they stand: the text may be wrong in other places.
fn named_files(text: &str) -> Vec<&str> {
    let value = |(at, _): (usize, &str)| {
        let starts =
            text[..at].chars().next_back().is_none_or(|c| !(c.is_alphanumeric() || c == '_' || c == '-'));
        let rest = text[at + "file".len()..].trim_start().strip_prefix('=')?.trim_start();
        let quote = rest.chars().next().filter(|c| starts && (*c == '"' || *c == '\''))?;
        rest[1..].split([quote, '\n']).next()
    };
    text.match_indices("file").filter_map(value).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_found_in_any_text() {
        let text = "[[table]]\nfile = \"cam.csv\"\nlook = { type = \"mesh\", file='a b.stl' }\nprofile = \"no\"\nfile = 3\n[[broken\nfile=\"x";
        assert_eq!(named_files(text), ["cam.csv", "a b.stl", "x"]);
    }
}
