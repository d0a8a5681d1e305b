//! The equilibrium nearest to the start is the nearest.

use crate::tools::command_on;
use serde_json::Value;
use std::f64::consts::PI;

/// A pendulum rests at every multiple of π; Newton's step −tan θ once went from 1.5 to −4π, from π/2 to −2π.
#[test]
fn a_pendulum_goes_to_the_nearest_rest() {
    for start in [0.1, 1.0, 1.4, 1.5, 0.5 * PI, 1.6, 1.7, 2.0, 3.0, 5.0, 7.0, -1.55, -4.6] {
        let model = format!(
            "[[equations]]\nname = \"p\"\nvariables = {{ angle = {start}, speed = 0 }}\n\
             equations = [\"der(angle) = speed\", \"der(speed) = -9.81*sin(angle) - 0.1*speed\"]\n"
        );
        let done = command_on("stability", "model.toml", &model, &["--json"]);
        let answer: Value =
            serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}\n{}", done.said()));
        let angle = answer["variables"]["p.angle"].as_f64().unwrap();
        let nearest = (start - PI * (start / PI).round()).abs();
        assert!((angle / PI - (angle / PI).round()).abs() < 1e-9, "{start}: {angle}");
        assert!((angle - start).abs() < nearest + 1e-9, "{start}: {angle}");
        assert!((answer["distance"].as_f64().unwrap() - nearest).abs() < 1e-9, "{answer}");
        let words = if (angle / PI).round() as i64 % 2 == 0 { "asymptotically stable" } else { "unstable" };
        assert_eq!(answer["verdict"], words, "{start}: {angle}");
    }
}

/// With bodies nearer ones are not looked for, and nothing else is claimed.
#[test]
fn what_is_not_known_is_not_claimed() {
    let model = r#"
[[body]]
name = "bob"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0.8, 0, -0.6]
[[joint]]
name = "pin"
type = "revolute"
between = ["ground", "bob"]
at = [0, 0, 0]
axis = [0, 1, 0]
"#;
    let done = command_on("stability", "model.toml", model, &[]);
    assert!(done.out.contains("equilibrium found from the start"), "{}", done.said());
    assert!(done.out.contains("not proven to be the nearest"), "{}", done.said());
    let done = command_on("equilibrium", "model.toml", model, &[]);
    assert!(done.out.contains("not proven to be the nearest"), "{}", done.said());
}
