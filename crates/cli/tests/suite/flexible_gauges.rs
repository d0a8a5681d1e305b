//! Stresses of flexible bodies as signals.

use crate::common::{output, poinsot, with_model};
use std::fmt::Write;
use std::path::Path;
use tempfile::TempDir;

/// A strip of shells along x, 1 m long and 0.1 m wide, with the groups plate, root and tip.
fn strip(elements: usize) -> String {
    let (mut nodes, mut cells) = (String::new(), String::new());
    for k in 0..=elements {
        let x = k as f64 / elements as f64;
        writeln!(nodes, "{} {x} -0.05 0\n{} {x} 0.05 0", 2 * k + 1, 2 * k + 2).unwrap();
    }
    for k in 0..elements {
        let a = 2 * k + 1;
        writeln!(cells, "{} 3 2 1 1 {a} {} {} {}", k + 1, a + 2, a + 3, a + 1).unwrap();
    }
    writeln!(cells, "{} 1 2 2 2 1 2", elements + 1).unwrap();
    let last = 2 * elements + 1;
    writeln!(cells, "{} 1 2 3 3 {last} {}", elements + 2, last + 1).unwrap();
    format!(
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n3\n2 1 \"plate\"\n1 2 \"root\"\n1 3 \"tip\"\n\
         $EndPhysicalNames\n$Nodes\n{}\n{nodes}$EndNodes\n$Elements\n{}\n{cells}$EndElements\n",
        2 * elements + 2,
        elements + 2
    )
}

const STRIP: &str = r#"type = "mesh", file = "part.msh",
    section = [{ type = "shell", group = "plate", thickness = 0.01, material = { young = 2e11, poisson = 0, density = 7800 } }]"#;

/// A strip that is clamped, bent by a moment of 0.1 N m at its tip and pulled by 1 N.
fn model(source: &str, gauges: &str) -> String {
    format!(
        r#"
        [model]
        gravity = [0, 0, 0]

        [[flexible]]
        name = "part"
        source = {{ {source} }}
        interface = [{{ name = "root", group = "root" }}, {{ name = "tip", group = "tip" }}]
        reference = "root"
        gauge = [{gauges}]

        [[joint]]
        type = "fixed"
        name = "wall"
        between = ["ground", "part.root"]

        [[force]]
        type = "torque"
        name = "moment"
        on = "part.tip"
        torque = [0, 0.1, 0]

        [[force]]
        type = "force"
        name = "pull"
        on = "part.tip"
        force = [1, 0, 0]

        [study]
        type = "equilibrium"
        "#
    )
}

fn folder(model: &str) -> TempDir {
    let folder = with_model(model);
    std::fs::write(folder.path().join("part.msh"), strip(8)).unwrap();
    folder
}

const FACES: &str = r#"{ name = "up", at = [0.5, 0, 0.1] }, { name = "down", point = 9, side = "below" }"#;

#[test]
fn both_faces_of_a_strip_in_bending() {
    // Bending ±6 M/(b h²) = ±6e4 Pa with tension above, and F/(b h) = 1e3 Pa on both faces.
    let expectations = [("up", 6.1e4_f64), ("down", -5.9e4)].map(|(name, stress)| {
        let size = stress.abs();
        format!(
            "[[expect]]\nsignal = \"part.{name}.stress.xx\"\nvalue = {stress}\nrelative = 1e-6\n\
             [[expect]]\nsignal = \"part.{name}.von_mises\"\nvalue = {size}\nrelative = 1e-6\n\
             [[expect]]\nsignal = \"part.{name}.principal1 + part.{name}.principal3\"\nvalue = {stress}\n\
             relative = 1e-6\n[[expect]]\nsignal = \"part.{name}.stress.xy\"\nvalue = 0\ntolerance = 0.01\n"
        )
    });
    let largest = "[[expect]]\nsignal = \"part.von_mises\"\nvalue = 6.1e4\nrelative = 1e-6\n";
    let folder = folder(&format!("{}\n{}\n{largest}", model(STRIP, FACES), expectations.concat()));
    let (code, told, said) = output(poinsot(folder.path()).args(["run", "model.toml", "--out", "run"]));
    assert_eq!(code, 0, "{told}\n{said}");
    assert!(told.contains("9 of 9"), "{told}");
}

fn refused(folder: &Path, words: &[&str]) {
    let (code, _, said) = output(poinsot(folder).args(["check", "model.toml"]));
    assert_eq!(code, 2, "{said}");
    let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in words.iter().chain([&"┬"]) {
        assert!(flat.contains(word), "`{word}` is not in:\n{said}");
    }
}

#[test]
fn gauges_that_cannot_be() {
    let with = |gauge: &str| folder(&model(STRIP, gauge));
    refused(with(r#"{ name = "g" }"#).path(), &["the gauge `g` needs one of `point`, `at`"]);
    refused(with(r#"{ name = "g", point = 99 }"#).path(), &["the file has no node 99"]);
    refused(
        with(r#"{ name = "tip", point = 9 }"#).path(),
        &["an interface and a gauge are both called `tip`"],
    );
    refused(with(r#"{ name = "2g", point = 9 }"#).path(), &["cannot be the name of a gauge"]);
    let line = r#"type = "line", points = [[0, 0, 0], [1, 0, 0]], elements = 4,
        section = { area = 1e-4, inertia = [1e-9, 1e-9], young = 2e11, density = 7800 }"#;
    let line = model(line, r#"{ name = "g", point = 1 }"#);
    let line = line.replace(r#"group = "root""#, "point = 1").replace(r#"group = "tip""#, "point = 5");
    refused(with_model(&line).path(), &["the stresses of `part` are not known", "solids, shells or planes"]);
}

#[test]
fn a_law_does_not_read_stresses() {
    let text = model(STRIP, FACES).replace("[1, 0, 0]", "[\"part.up.von_mises\", 0, 0]");
    refused(folder(&text).path(), &["a law cannot read `part.up.von_mises`"]);
}

#[test]
fn a_reduced_file_keeps_its_stresses() {
    let whole = folder(&model(STRIP, FACES));
    let reduce = ["reduce", "model.toml", "part", "--out", "part.reduced"];
    let (code, _, said) = output(poinsot(whole.path()).args(reduce));
    assert_eq!(code, 0, "{said}");
    let text = model(r#"type = "reduced", file = "part.reduced""#, FACES)
        .replace(r#", group = "root""#, "")
        .replace(r#", group = "tip""#, "")
        .replace(r#"reference = "root""#, "");
    let expect = "[[expect]]\nsignal = \"part.down.stress.xx\"\nvalue = -5.9e4\nrelative = 1e-6\n";
    std::fs::write(whole.path().join("model.toml"), format!("{text}\n{expect}")).unwrap();
    let (code, told, said) = output(poinsot(whole.path()).args(["run", "model.toml", "--out", "run"]));
    assert_eq!(code, 0, "{told}\n{said}");
    assert!(told.contains("1 of 1"), "{told}");
}
