//! `poinsot integrator`: numbers, verdicts, picture and messages.

use crate::common;

use common::{output, poinsot};
use std::path::Path;

fn integrator(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    output(poinsot(folder).arg("integrator").args(arguments))
}

/// The line that begins with a word.
fn line<'a>(text: &'a str, first: &str) -> &'a str {
    text.lines()
        .find(|l| l.trim_start().starts_with(first))
        .unwrap_or_else(|| panic!("no {first} in\n{text}"))
}

/// gs4-isochronous-integrators I-24 and I-25, the rows of U0(.5,.5,.5).
#[test]
fn numbers_of_a_named_member() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, err) = integrator(folder.path(), &["generalized-alpha", "--rho", "0.5"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.starts_with("generalized-alpha 0.5  U0(0.5, 0.5, 0.5)\n"), "{out}");
    for (name, value) in [("W1 ", "0.666667"), ("W3Λ3", "0.296296"), ("W2Λ5", "0.555556"), ("φ", "0.333333")]
    {
        assert!(line(&out, name).contains(value), "{out}");
    }
    assert!(out.contains("α_m = 0.000000, α_f = 0.333333, β = 0.444444, γ = 0.833333"), "{out}");
    // The radius is exp(−ζ Ω/(1+PE)) = exp(−0.003780·0.628319/1.046715) = 0.997733.
    let row = line(&out, "0.1 ");
    assert!(row.contains(" 0.997733") && row.contains("4.6715 %") && row.contains("0.3780 %"), "{row}");
    let last = line(&out, "∞");
    assert!(last.contains("0.50000000") && last.contains("roots -0.5, -0.5"), "{last}");
    assert!(out.contains("U0V1") && line(&out, "oscillation without damping").ends_with("at every step"));
    assert!(line(&out, "position").contains("second order in q, v, a, λ"), "{out}");
    assert!(out.contains("No picture was drawn; --out FILE.svg"), "{out}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "nothing is written unasked");
}

/// I-54: the midpoint rule oscillates at position level and is second order in the stabilised form.
#[test]
fn verdicts_say_what_to_do() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, _) = integrator(folder.path(), &["midpoint"]);
    assert_eq!(code, 0);
    let words = out.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(
        words.contains("never decays; choose generalized-alpha with rho < 1 or form = \"stabilised\""),
        "{out}"
    );
    assert!(line(&out, "stabilised").contains("second order"), "{out}");
    assert!(line(&out, "position").contains("-1"), "{out}");
}

/// I-14: Ωcrit of explicit members.
#[test]
fn limits_of_explicit_members() {
    let folder = tempfile::tempdir().unwrap();
    let limit = |arguments: &[&str]| {
        let (code, out, err) = integrator(folder.path(), arguments);
        assert_eq!(code, 0, "{err}");
        line(&out, "oscillation without damping").to_owned()
    };
    assert!(limit(&["newmark", "--explicit"]).contains("up to Ω = 2.0000, h = 0.3183 T"));
    assert!(limit(&["optimal", "--rho", "0.5", "--explicit"]).contains("unstable at every step"));
    assert!(limit(&["optimal", "--rho", "0.5", "--explicit", "--dissipative"]).contains("Ω = 1.2247"));
    let roots = ["--roots", "0,0,0.5", "--family", "v0", "--explicit"];
    assert!(limit(&roots).contains("Ω = 1.5954"));
    assert!(limit(&["newmark", "--velocity-implicit"]).contains("Ω = 2.0000"));
    assert!(limit(&["runge-kutta-4"]).contains("Ω = 2.8284"));
    // Ω² + 8ξΩ − 4 = 0 with the velocity of the predictor.
    let (_, out, _) = integrator(folder.path(), &["newmark", "--explicit", "--damping", "0.05"]);
    assert!(line(&out, "oscillation of damping ratio 0.05").contains("Ω = 1.8100"), "{out}");
}

#[test]
fn the_picture_is_drawn_where_asked() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, err) = integrator(folder.path(), &["optimal", "--rho", "0.5", "--out", "optimal.svg"]);
    assert_eq!(code, 0, "{err}");
    assert!(out.ends_with("Look at optimal.svg\n"), "{out}");
    let svg = std::fs::read_to_string(folder.path().join("optimal.svg")).unwrap();
    for text in ["optimal 0.5", "midpoint", "generalized-alpha 0.9", "spectral radius", "h/T"] {
        assert!(svg.contains(text), "{text} is missing");
    }
    // A member is not compared with itself.
    let (code, ..) = integrator(folder.path(), &["midpoint", "--out", "m.svg"]);
    assert_eq!(code, 0);
    let svg = std::fs::read_to_string(folder.path().join("m.svg")).unwrap();
    assert_eq!(svg.matches("midpoint").count(), 2, "once in the title, once in the legend");
    let (code, _, err) = integrator(folder.path(), &["midpoint", "--out", "none/m.svg"]);
    assert_eq!(code, 2);
    assert!(err.contains("none/m.svg"), "{err}");
}

#[test]
fn bad_input_is_named_with_exit_code_2() {
    let folder = tempfile::tempdir().unwrap();
    #[rustfmt::skip]
    let cases: [(&[&str], &str); 10] = [
        (&["generalised-alfa"], "unknown integrator `generalised-alfa`\ndid you mean `generalised-alpha`? known are generalized-alpha, hht"),
        (&["midpoint", "--rho", "0.5"], "the integrator `midpoint` has no parameter `rho`"),
        (&["hht", "--rho", "0.2"], "hht needs 0.5 ≤ rho ≤ 1, but rho = 0.2"),
        (&["--roots", "0.3,0.2,0.1"], "the roots must obey 0 ≤ rho_s ≤ rho_min ≤ rho_max ≤ 1"),
        (&["--roots", "0.3,0.2"], "is not three numbers MIN,MAX,S"),
        (&["--roots", "0.3,2,0", "--explicit"], "the roots must lie between 0 and 1"),
        (&["newmark", "--damping=-1"], "the damping ratio must be a number from 0 upwards, but is -1"),
        (&["newmark", "--dissipative"], "--explicit"),
        (&["runge-kutta-4", "--explicit"], "`runge-kutta-4` has no parameter and no switches"),
        (&[], "<NAME>"),
    ];
    for (arguments, expected) in cases {
        let (code, out, err) = integrator(folder.path(), arguments);
        assert_eq!((code, out.as_str()), (2, ""), "{arguments:?}");
        assert!(err.contains(expected), "{arguments:?}: {err}");
    }
}

/// motion-interpolation-galerkin X1: what discontinuous elements of degree one leave of an oscillation, and how
/// far they turn it.
#[test]
fn digits_at_given_frequencies() {
    let folder = tempfile::tempdir().unwrap();
    let (code, out, err) = integrator(folder.path(), &["dg", "--at", "0.5,1,2,5,10,100"]);
    assert_eq!(code, 0, "{err}");
    let from = out.find("At Ω = ωh").unwrap();
    let table: Vec<Vec<&str>> =
        out[from..].lines().skip(2).take(6).map(|line| line.split_whitespace().collect()).collect();
    let radii = [0.999156474, 0.987729597, 0.874474632, 0.422743682, 0.204397796, 0.0200049938];
    for (row, radius) in table.iter().zip(radii) {
        let found: f64 = row[1].parse().unwrap();
        assert!((found - radius).abs() < 1e-9, "{row:?}");
    }
    for (row, phase, digits) in [(&table[0], -1.14485e-4, 1e-9), (&table[1], -3.5085e-3, 1e-7)] {
        let found: f64 = row[2].parse().unwrap();
        assert!((found - phase).abs() < digits, "{row:?}");
    }
    assert_eq!(table[5][2], "–", "whole turns do not show");
    let (code, _, err) = integrator(folder.path(), &["dg", "--at", "0.5,-1"]);
    assert_eq!(code, 2);
    assert!(err.contains("`-1` is not a positive number"), "{err}");
}
