//! Running a model and looking at what it says and writes.
use crate::common::{output, poinsot};
use serde_json::Value;
use std::path::PathBuf;

/// A finished command in a folder of its own, which lives as long as this.
pub struct Finished {
    pub folder: tempfile::TempDir,
    pub code: i32,
    pub out: String,
    pub err: String,
}

/// `poinsot COMMAND model.toml ARGUMENTS` on a model; `file` names it and so tells its
/// kind (`.toml`, `.ldae`).
pub fn command_on(command: &str, file: &str, text: &str, arguments: &[&str]) -> Finished {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join(file), text).unwrap();
    let (code, out, err) = output(poinsot(folder.path()).args([command, file]).args(arguments));
    Finished { folder, code, out, err }
}

/// `poinsot run model.toml --csv` with more arguments.
pub fn run(text: &str, arguments: &[&str]) -> Finished {
    command_on("run", "model.toml", text, &[&["--csv"], arguments].concat())
}

impl Finished {
    /// All that was printed.
    pub fn said(&self) -> String {
        format!("{}{}", self.out, self.err)
    }

    /// The folder with the results.
    pub fn results(&self) -> PathBuf {
        self.folder.path().join("runs/model")
    }

    /// The summary.
    pub fn summary(&self) -> Value {
        let text = std::fs::read_to_string(self.results().join("summary.json"));
        serde_json::from_str(&text.unwrap_or_else(|e| panic!("{e}\n{}", self.said()))).unwrap()
    }

    /// A column of the signals.
    pub fn signal(&self, name: &str) -> Vec<f64> {
        let text = std::fs::read_to_string(self.results().join("signals.csv"));
        let text = text.unwrap_or_else(|e| panic!("{e}\n{}", self.said()));
        let mut lines = text.lines();
        let head: Vec<&str> = lines.next().unwrap().split(',').collect();
        let named = |column: &&str| column.trim_matches('"').split(" [").next() == Some(name);
        let k = head.iter().position(named).unwrap_or_else(|| panic!("no `{name}` among {head:?}"));
        lines.map(|line| line.split(',').nth(k).unwrap().parse().unwrap_or(f64::NAN)).collect()
    }

    /// The last value of a signal.
    pub fn last(&self, name: &str) -> f64 {
        *self.signal(name).last().unwrap()
    }
}
