//! Energy models through the command: runs, checks, settings from outside, limits, refusals.

use crate::common;

use common::{output, poinsot};
use serde_json::Value;

const OSCILLATOR: &str = "# a mass on a spring\nm = 2; k = 8;\nDisplacementVariables = [q];\nFlowVariables = [f];\n\
    KineticCoEnergy = m*f^2/2;\nPotentialEnergy = k*q^2/2;\nenergy = m*f^2/2 + k*q^2/2;\n\
    InitialDisplacements = [1];\nInitialFlows = [0];\nFinalTime = 2;\nOutputPoints = 5;\n";

fn answer(text: &[u8], args: &[&str]) -> (i32, String, String, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("oscillator.ldae"), text).unwrap();
    let (code, out, err) = output(poinsot(folder.path()).args(args));
    assert!(!err.contains("panicked"), "{err}");
    (code, out, err, folder)
}

fn table(folder: &tempfile::TempDir) -> (Vec<String>, Vec<Vec<f64>>) {
    let csv = std::fs::read_to_string(folder.path().join("r/signals.csv")).unwrap();
    let mut lines = csv.lines().filter(|line| !line.starts_with('#'));
    let name = |cell: &str| cell.split(' ').next().unwrap_or_default().to_owned();
    let names = lines.next().unwrap().split(',').map(name).collect();
    let rows = lines.map(|line| line.split(',').map(|cell| cell.parse().unwrap()).collect()).collect();
    (names, rows)
}

#[test]
fn runs_and_writes_its_columns() {
    let args = ["run", "oscillator.ldae", "--out", "r", "--csv", "--tolerance", "1e-10"];
    let (code, out, err, folder) = answer(OSCILLATOR.as_bytes(), &args);
    assert_eq!(code, 0, "{out}{err}");
    let (names, rows) = table(&folder);
    assert_eq!(names, ["time", "q", "f", "energy"]);
    let times: Vec<f64> = rows.iter().map(|row| row[0]).collect();
    assert_eq!(times, [0.0, 0.5, 1.0, 1.5, 2.0]);
    for row in &rows {
        let want = [(2.0 * row[0]).cos(), -2.0 * (2.0 * row[0]).sin(), 4.0];
        row[1..].iter().zip(want).for_each(|(have, want)| assert!((have - want).abs() < 1e-8, "{row:?}"));
    }
    let summary = std::fs::read_to_string(folder.path().join("r/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!(summary["counts"]["variables"], 2);
}

#[test]
fn parameters_integrators_and_checks() {
    let set = [
        "run",
        "oscillator.ldae",
        "--out",
        "r",
        "--csv",
        "--set",
        "k=2*m",
        "--until",
        "1",
        "--integrator",
        "bdf",
    ];
    let (code, out, err, folder) = answer(OSCILLATOR.as_bytes(), &set);
    assert_eq!(code, 0, "{out}{err}");
    let (_, rows) = table(&folder);
    let last = rows.last().unwrap();
    assert!((last[1] - 2f64.sqrt().cos()).abs() < 1e-3, "{last:?}");
    let (code, out, ..) = answer(OSCILLATOR.as_bytes(), &["check", "oscillator.ldae"]);
    assert_eq!(code, 0);
    assert!(out.contains("2, 2 of them with a rate"), "{out}");
    let args =
        ["compare", "oscillator.ldae", "--with", "radau,bdf", "--tolerances", "1e-4,1e-6", "--turns", "1"];
    let (code, out, err, _) = answer(OSCILLATOR.as_bytes(), &args);
    assert_eq!(code, 0, "{out}{err}");
}

#[test]
fn a_limit_of_steps_ends_the_run() {
    let text = format!("{OSCILLATOR}MaxSteps = 3;\n");
    let (code, _, err, _) = answer(text.as_bytes(), &["run", "oscillator.ldae", "--out", "r"]);
    assert_eq!(code, 1);
    assert!(err.contains("the limit of steps is reached") && err.contains("MaxSteps"), "{err}");
}

#[test]
fn mistakes_are_bad_input() {
    let text = OSCILLATOR.replace("KineticCoEnergy", "KineticCoenergy");
    let (code, _, err, _) = answer(text.as_bytes(), &["run", "oscillator.ldae"]);
    assert_eq!(code, 2);
    assert!(err.contains("oscillator.ldae:5:1") && err.contains("did you mean `KineticCoEnergy`?"), "{err}");
    let (code, _, err, _) = answer(b"m = 2; \xc3(\n", &["check", "oscillator.ldae"]);
    assert_eq!(code, 2);
    assert!(err.contains("byte 0xc3 at offset 7"), "{err}");
    let (code, _, err, _) = answer(OSCILLATOR.as_bytes(), &["run", "oscillator.ldae", "--set", "kk=1"]);
    assert_eq!(code, 2);
    assert!(err.contains("cannot set `kk`"), "{err}");
}
