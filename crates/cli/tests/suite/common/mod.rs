//! What the tests of the command share: running it in a folder of its own.

use assert_cmd::Command;
use std::path::Path;

/// The command, run in a folder.
pub fn poinsot(folder: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_poinsot"));
    command.current_dir(folder);
    command
}

/// A folder with one model file in it.
pub fn with_model(text: &str) -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("model.toml"), text).unwrap();
    folder
}

/// Exit code, standard output and standard error.
pub fn output(command: &mut Command) -> (i32, String, String) {
    let out = command.output().unwrap();
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (out.status.code().unwrap(), text(&out.stdout), text(&out.stderr))
}
