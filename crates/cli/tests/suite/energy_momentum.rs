//! Structure-preserving integrators from model file and command line.

use crate::common;

use common::{output, poinsot, with_model};
use serde_json::Value;
use std::path::Path;

/// energy-momentum-null-space V-2.
const TOP: &str = include_str!("../../../../verification/energy_momentum/v2_heavy_top.toml");
/// energy-momentum-null-space V-1.
const PENDULUM: &str =
    include_str!("../../../../verification/energy_momentum/v1_double_spherical_pendulum.toml");

fn without_expectations(model: &str) -> &str {
    model.split("[[expect]]").next().unwrap()
}

fn json(folder: &Path, args: &[&str]) -> Value {
    let (code, out, err) = output(poinsot(folder).args(args));
    assert_eq!(code, 0, "{out}{err}");
    serde_json::from_str(&out).unwrap()
}

fn number(value: &Value, key: &str) -> f64 {
    value[key].as_f64().unwrap_or_else(|| panic!("no {key} in {value}"))
}

#[test]
fn a_run_names_its_treatment_and_conserves_energy() {
    let folder = with_model(without_expectations(TOP));
    let run = ["run", "model.toml", "--integrator", "energy-momentum", "--step", "1e-3", "--json"];
    let directors = ["--constraints", "multipliers", "--coordinates", "directors"];
    let summary = json(folder.path(), &[&run[..], &directors].concat());
    let integrator = &summary["study"]["integrator"];
    assert_eq!(integrator["form"], "multipliers");
    let treatment = &integrator["treatment"];
    assert_eq!((&treatment["coordinates"], number(treatment, "unknowns")), (&"directors".into(), 21.0));
    let audit = &summary["audit"];
    assert!(number(&audit["energy"], "max_relative_imbalance") < 1e-13);
    let constraints = &audit["constraints"];
    assert!(number(&constraints["position"], "max") < 1e-13);
    // The hidden constraints are met to O(h²), and said to be.
    let velocity = &constraints["velocity"];
    assert!(velocity["limit"].is_null() && number(velocity, "max") > 1e-6, "{velocity}");
    assert!(velocity["remark"].as_str().unwrap().contains("monitored, not imposed"), "{velocity}");
    // 0.14 rad in a step: 2 tan θ/2 = 1.0016 θ.
    let warning = audit["warnings"][0].as_str().unwrap();
    assert!(warning.contains("0.14 rad in a step") && warning.contains("0.16 %"), "{warning}");
    let (code, out, _) = output(poinsot(folder.path()).args(&run[..6]).args(["--form", "penalty"]));
    assert!(code == 0 && out.contains("energy-momentum, penalty, coordinates motion, "), "{out}");
    assert!(out.contains("penalty 7.07e8") && out.contains("monitored, not imposed"), "{out}");
}

/// A variational integrator imposes velocities, and its energy errs without drifting away.
#[test]
fn variational_steps_project_velocities() {
    let folder = with_model(without_expectations(PENDULUM));
    let run = ["run", "model.toml", "--integrator", "symplectic-midpoint", "--step", "0.01", "--json"];
    let audit = &json(folder.path(), &run)["audit"];
    let velocity = &audit["constraints"]["velocity"];
    assert!(number(velocity, "max") < number(velocity, "limit"), "{velocity}");
    let energy = number(&audit["energy"], "max_relative_imbalance");
    assert!(energy > 1e-6 && energy < 5e-3, "{energy}");
}

/// V-1, V-2: second order in the state and in what belongs to it.
#[test]
fn orders() {
    for (model, step, until) in [(PENDULUM, "1e-2", "0.5"), (TOP, "1e-3", "0.05")] {
        let folder = with_model(without_expectations(model));
        for integrator in ["energy-momentum", "variational-midpoint"] {
            let args = ["converge", "model.toml", "--json", "--step", step, "--until", until];
            let found = json(folder.path(), &[&args[..], &["--integrator", integrator]].concat());
            for quantity in found["quantities"].as_array().unwrap() {
                let (order, expected) = (number(quantity, "order"), number(quantity, "expected"));
                assert!(order > expected - 0.15, "{integrator}: {quantity}");
                if quantity["level"] != "own" {
                    assert!((order - 2.0).abs() < 0.15, "{integrator}: {quantity}");
                }
            }
        }
    }
}

/// A comparison with other integrators, by the same words.
#[test]
fn compared_with_others() {
    let folder = with_model(without_expectations(PENDULUM));
    let with = "energy-momentum,energy-momentum(penalty=1e10):penalty,cg1(points=2):multipliers,variational-midpoint,gauss(stages=1)";
    let args = [
        "compare",
        "model.toml",
        "--json",
        "--turns",
        "1",
        "--until",
        "1",
        "--steps",
        "0.01",
        "--with",
        with,
    ];
    let found = json(folder.path(), &args);
    let errors: Vec<f64> = found["runs"].as_array().unwrap().iter().map(|run| number(run, "error")).collect();
    assert_eq!(errors.len(), 5);
    assert!(errors.iter().all(|error| (1e-5..1e-2).contains(error)), "{errors:?}");
    // Constant weight: the averaged gradient is the discrete one.
    assert!((errors[2] / errors[0] - 1.0).abs() < 1e-6, "{errors:?}");
}

/// Tables 4.1 and 4.2: unknowns of the constrained scheme, largest |Φ|, energies, differences.
#[test]
fn treatments_side_by_side() {
    let folder = with_model(without_expectations(TOP));
    let list =
        "multipliers(directors),multipliers,penalty(1e5),penalty(1e7),augmented-lagrange,null-space,minimal";
    let args = ["compare", "model.toml", "--constraints", list, "--steps", "1e-2,1e-3", "--until", "0.5"];
    let found = json(folder.path(), &[&args[..], &["--turns", "1", "--json"]].concat());
    assert_eq!((&found["integrator"], number(&found, "step_s")), (&"energy-momentum".into(), 1e-2));
    let rows = found["treatments"].as_array().unwrap();
    assert_eq!(rows.len(), 7);
    assert_eq!([number(&rows[0], "unknowns"), number(&rows[1], "unknowns")], [21.0, 9.0]);
    for row in rows {
        assert!(row["failure"].is_null(), "{row}");
        assert!(number(row, "energy_imbalance") < 1e-12, "{row}");
        assert_eq!(row["conditions"].as_array().unwrap().len(), 2);
        assert!(number(row, "time_per_step_s") > 0.0 && number(row, "steps") == 50.0);
    }
    let [soft, stiff] = [&rows[2], &rows[3]].map(|row| number(row, "position_residual"));
    assert!(soft > 50.0 * stiff && stiff > 1e-9, "{soft} {stiff}");
    for k in [0, 1, 4, 5, 6] {
        assert!(number(&rows[k], "position_residual") < 1e-10, "{}", rows[k]);
        assert!(number(&rows[k], "difference_at_end") < 1e-8, "{}", rows[k]);
    }
    let csv = std::fs::read_to_string(folder.path().join("runs/model-compare/constraints.csv")).unwrap();
    let cells: Vec<usize> = csv.lines().map(|line| line.matches(',').count()).collect();
    assert!(cells.iter().all(|n| *n == cells[0]), "{csv}");
    let (code, out, _) =
        output(poinsot(folder.path()).args(&args[..3]).args(["all", "--turns", "1", "--until", "0.1"]));
    assert!(
        code == 0 && out.contains("| multipliers(euler-parameters) |") && out.contains("| automatic "),
        "{out}"
    );
}

/// Impulses, bounces and new parameters change velocities: what the integrator keeps of them starts anew.
#[test]
fn events_change_the_velocities_that_are_kept() {
    for model in [
        include_str!("../../../../verification/events/struck_double_pendulum.toml"),
        include_str!("../../../../verification/events/bouncing_ball.toml"),
    ] {
        let folder = with_model(model);
        let run = ["run", "model.toml", "--integrator", "energy-momentum", "--step", "1e-3", "--json"];
        let summary = json(folder.path(), &run);
        let expectations = summary["expectations"].as_array().unwrap();
        assert!(
            !expectations.is_empty() && expectations.iter().all(|e| e["passed"] == true),
            "{expectations:?}"
        );
    }
}

/// A blow in full swing, against Radau: without a new start of the velocities it would be lost.
#[test]
fn a_blow_in_full_swing() {
    let blow = "[[event]]\nname = \"blow\"\nat = 0.3\nimpulse = { body = \"m2\", force = [3, 20, 5] }\n";
    let folder = with_model(&format!("{}{blow}", without_expectations(PENDULUM)));
    let args =
        ["compare", "model.toml", "--with", "energy-momentum", "--steps", "2e-3,1e-3", "--until", "0.8"];
    let found = json(folder.path(), &[&args[..], &["--turns", "1", "--json"]].concat());
    let [coarse, fine] = [0, 1].map(|k| number(&found["runs"][k], "error"));
    assert!(coarse < 1e-4 && ((coarse / fine).log2() - 2.0).abs() < 0.15, "{coarse} {fine}");
}

#[test]
fn options_are_checked() {
    let folder = with_model(without_expectations(TOP));
    let says = |args: &[&str], part: &str| {
        let (code, _, err) = output(poinsot(folder.path()).args(args));
        assert!(code == 2 && err.contains(part), "{code} {err}");
    };
    let run = ["run", "model.toml", "--integrator", "energy-momentum"];
    let also = |more: &[&'static str]| [&run[..], more].concat();
    says(&also(&["--form", "minimal", "--constraints", "minimal"]), "cannot be used multiple times");
    says(&also(&["--form", "stabilised"]), "does not have the form");
    says(&also(&["--points", "3"]), "--points: the integrator energy-momentum does not use it");
    says(&also(&["--adaptive"]), "cannot choose its steps");
    says(&also(&["--penalty=-1", "--form", "penalty"]), "must be positive");
    says(
        &["run", "model.toml", "--coordinates", "directors"],
        "--coordinates: the integrator generalized-alpha",
    );
    let compare = ["compare", "model.toml", "--constraints"];
    says(&[&compare[..], &["multiplier"]].concat(), "did you mean `multipliers`?");
    says(&[&compare[..], &["minimal", "--with", "radau"]].concat(), "cannot be used with");
    says(&["compare", "model.toml"], "required");
    says(&["compare", "model.toml", "--with", "radau", "--coordinates", "directors"], "cannot be used with");
}

/// What the file says of a structure-preserving integrator holds unless the command line says otherwise.
#[test]
fn the_command_line_keeps_what_the_file_says() {
    let keys = "integrator = \"energy-momentum\"\nconstraints = \"penalty\"\npenalty = 1e6\ncoordinates = \"directors\"\n";
    let folder = with_model(&without_expectations(TOP).replace("[study]\n", &format!("[study]\n{keys}")));
    let run = ["run", "model.toml", "--until", "0.01", "--json"];
    let treatment = |more: &[&str]| {
        let summary = json(folder.path(), &[&run[..], more].concat());
        let integrator = &summary["study"]["integrator"];
        (integrator["form"].clone(), integrator["treatment"].clone())
    };
    let (form, found) = treatment(&["--penalty", "1e7"]);
    assert_eq!(
        (form, &found["coordinates"], number(&found, "penalty")),
        ("penalty".into(), &"directors".into(), 1e7)
    );
    let (form, found) = treatment(&["--integrator", "variational-midpoint"]);
    assert_eq!((form, &found["coordinates"]), ("automatic".into(), &"directors".into()));
    let (form, found) = treatment(&["--form", "minimal"]);
    assert_eq!((form, &found["penalty"]), ("minimal".into(), &Value::Null));
}
