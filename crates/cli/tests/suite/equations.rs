//! First-order equations through the command: runs of equations alone and with mechanics, `check`, refusals.

use crate::common;

use common::{output, poinsot, with_model};
use serde_json::Value;

/// A discharging capacitor; y follows from an equation without a rate. No signal is named.
const DECAY: &str = r#"
[[equations]]
name = "decay"
variables = { x = { start = 1, unit = "V" }, y = 5 }
equations = ["der(x) = -y", "y^3 = x^3"]
[study]
end = 1
step = 1e-3
"#;

fn answer(model: &str, args: &[&str]) -> (i32, String, String, tempfile::TempDir) {
    let folder = with_model(model);
    let (code, out, err) = output(poinsot(folder.path()).args(args));
    assert!(!err.contains("panicked"), "{err}");
    (code, out, err, folder)
}

#[test]
fn equations_alone_run() {
    let (code, out, err, folder) = answer(DECAY, &["run", "model.toml", "--out", "r", "--csv"]);
    assert_eq!(code, 0, "{out}{err}");
    let summary = std::fs::read_to_string(folder.path().join("r/summary.json")).unwrap();
    let summary: Value = serde_json::from_str(&summary).unwrap();
    assert_eq!((&summary["counts"]["bodies"], &summary["counts"]["variables"]), (&0.into(), &2.into()));
    let messages = summary["start"]["messages"].to_string();
    assert!(messages.contains("equations changed `decay.y` from 5 to 1\""), "{messages}");
    let csv = std::fs::read_to_string(folder.path().join("r/signals.csv")).unwrap();
    let header = csv.lines().find(|line| line.contains("decay.x")).unwrap_or_else(|| panic!("{csv}"));
    assert!(header.contains("decay.y"), "{header}");
    assert!(folder.path().join("r/signals.svg").exists());
    assert!(!folder.path().join("r/energy.svg").exists(), "there is no energy to look at");
}

#[test]
fn check_counts_variables_and_tells_the_index() {
    let (code, out, err, _) = answer(DECAY, &["check", "model.toml"]);
    assert_eq!(code, 0, "{err}");
    for words in
        ["variables    2, 1 of them with a rate", "equations    2, index 1", "changed `decay.y` from 5 to"]
    {
        assert!(out.contains(words), "`{words}` is not in\n{out}");
    }
    let model = DECAY.replace("y^3 = x^3", "x = cos(t)");
    let (_, out, _, _) = answer(&model, &["check", "model.toml"]);
    assert!(out.contains("index above 1"), "{out}");
}

/// Bad input: exit code 2 with place and caret.
#[test]
fn undetermined_variable() {
    let model = DECAY.replace("der(x) = -y", "der(x) = -x");
    let model = model.replace("y^3 = x^3", "x = 1");
    for command in ["run", "check"] {
        let (code, _, err, _) = answer(&model, &[command, "model.toml"]);
        assert_eq!(code, 2, "{err}");
        for words in ["do not determine `decay.y`", "model.toml:4:46", "─"] {
            assert!(err.contains(words), "`{words}` is not in\n{err}");
        }
    }
}

#[test]
fn studies_that_know_no_equations() {
    let (code, _, err, _) = answer(DECAY, &["kinematics", "model.toml"]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("does not know [[equations]]"), "{err}");
}

/// No start values satisfy an equation: the solve fails and says which.
#[test]
fn no_consistent_start() {
    let model = DECAY.replace("y^3 = x^3", "y^2 + x^2 = -1");
    let (code, _, err, _) = answer(&model, &["run", "model.toml", "--out", "r"]);
    assert_eq!(code, 1, "{err}");
    for words in ["no start values satisfy", "equations `decay`, number 2 (for `decay.y`)", "Try: "] {
        assert!(err.contains(words), "`{words}` is not in\n{err}");
    }
    let model = DECAY.replace("y^3 = x^3", "y = log(x - 1)");
    let (code, _, err, _) = answer(&model, &["check", "model.toml"]);
    assert_eq!(code, 1, "{err}");
    assert!(err.contains("number 2 (for `decay.y`) has no finite value at the start"), "{err}");
}

#[test]
fn schema_knows_equations() {
    let (code, out, _, _) = answer("", &["schema"]);
    assert_eq!(code, 0);
    let schema: Value = serde_json::from_str(&out).unwrap();
    let block = &schema["properties"]["equations"];
    assert_eq!(block["type"], "array", "{block}");
    assert!(schema["definitions"]["EquationsTable"]["properties"]["variables"].is_object());
}
