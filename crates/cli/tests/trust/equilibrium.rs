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

/// A chain of bars of one metre and one kilogram that hangs on the ground, each turned by an angle against the one before; torsion
/// springs in the joints are at rest at an angle.
fn chain(angles: &[f64], stiffness: f64, rest: f64) -> String {
    let mut model = String::from("[model]\nplane = \"zx\"\ngravity = [0, 0, -9.81]\n");
    let ([mut x, mut z], mut turned) = ([0.0, 0.0], 0.0);
    for (k, angle) in angles.iter().enumerate() {
        turned += angle;
        let (along_x, along_z) = (turned.sin(), -turned.cos());
        let before = if k == 0 { "ground".to_owned() } else { format!("bar{}", k - 1) };
        model += &format!(
            "[[body]]\nname = \"bar{k}\"\nmass = 1\ninertia = [0.08, 0.08, 0.08]\nposition = [{}, 0, {}]\n\
             orientation = {{ axis = [0, 1, 0], angle = {} }}\n\
             [[joint]]\nname = \"pin{k}\"\ntype = \"revolute\"\nbetween = [\"{before}\", \"bar{k}\"]\nat = [{x}, 0, {z}]\n\
             axis = [0, -1, 0]\n",
            x + 0.5 * along_x,
            z + 0.5 * along_z,
            -turned
        );
        if stiffness > 0.0 {
            model += &format!(
                "[[force]]\nname = \"spring{k}\"\ntype = \"torsion\"\njoint = \"pin{k}\"\nstiffness = {stiffness}\n\
                 angle = {}\n",
                rest - angle
            );
        }
        (x, z) = (x + along_x, z + along_z);
    }
    model
}

/// The distance that `stability` tells, with all that it says.
fn distance(model: &str) -> (f64, Value) {
    let done = command_on("stability", "model.toml", model, &["--json"]);
    let answer: Value = serde_json::from_str(&done.out).unwrap_or_else(|e| panic!("{e}\n{}", done.said()));
    (answer["distance"].as_f64().unwrap(), answer)
}

/// A turn, as the shortest way.
fn turn(angle: f64) -> f64 {
    (angle - 2.0 * PI * (angle / (2.0 * PI)).round()).abs()
}

/// Pendulums rest hanging or standing.
#[test]
fn a_hinged_bar_goes_to_the_nearest_rest() {
    for start in [0.3, 1.0, 1.5, 1.6, 2.2, 3.0, -1.7, -2.9] {
        let (found, answer) = distance(&chain(&[start], 0.0, 0.0));
        let nearest = turn(start).min(turn(start - PI));
        assert!((found - nearest).abs() < 1e-6, "{start}: {answer}");
        assert!(answer["starts"].as_u64().unwrap() > 0, "{answer}");
    }
}

/// Both bars of a double pendulum hang or stand: four positions of rest, of which the nearest by the angles of the joints is found.
#[test]
fn a_double_pendulum_goes_to_the_nearest_rest() {
    for [first, second] in
        [[0.4, 0.3], [1.7, 0.2], [0.3, 2.0], [2.5, -1.0], [-1.4, 1.9], [2.0, 2.4], [1.5, 1.5]]
    {
        let (found, answer) = distance(&chain(&[first, second], 0.0, 0.0));
        let away = |x: f64, y: f64| turn(first - x).hypot(turn(second - y));
        let all = [away(0.0, 0.0), away(0.0, PI), away(PI, 0.0), away(PI, PI)];
        let nearest = all.iter().fold(f64::INFINITY, |m, d| m.min(*d));
        assert!((found - nearest).abs() < 1e-6, "{first} {second}: {nearest} {answer}");
    }
}

/// Bars on weak springs, wound up: k θ₁ − k θ₂ + … is solved by Newton's method from a fine grid of angles, and the nearest of all that
/// are found there is the one that the program gives.
#[test]
fn a_wound_up_arm_goes_to_the_nearest_rest() {
    let (stiffness, rest) = (1.5, 4.0);
    // Moments about the pins, by the relative angles a, b: weights 1.5 l and 0.5 l of arms, springs at rest far off.
    let moments = |[a, b]: [f64; 2]| {
        let upper = 9.81 * 0.5 * (a + b).sin();
        [9.81 * 1.5 * a.sin() + upper + stiffness * (a - rest), upper + stiffness * (b - rest)]
    };
    let solve = |mut q: [f64; 2]| {
        for _ in 0..60 {
            let f = moments(q);
            let c = 9.81 * 0.5 * (q[0] + q[1]).cos();
            let [aa, ab, bb] = [9.81 * 1.5 * q[0].cos() + c + stiffness, c, c + stiffness];
            let det = aa * bb - ab * ab;
            let step = [(bb * f[0] - ab * f[1]) / det, (aa * f[1] - ab * f[0]) / det];
            let share = (0.3 / step[0].abs().max(step[1].abs())).min(1.0);
            q = [q[0] - share * step[0], q[1] - share * step[1]];
        }
        let f = moments(q);
        (f[0].abs() + f[1].abs() < 1e-9).then_some(q)
    };
    let mut rests: Vec<[f64; 2]> = vec![];
    for i in -16..=16 {
        for j in -16..=16 {
            let Some(q) = solve([0.2 * f64::from(i), 0.2 * f64::from(j)]) else { continue };
            let new = |r: &[f64; 2]| (r[0] - q[0]).abs() + (r[1] - q[1]).abs() > 1e-6;
            if q[0].abs() < PI && q[1].abs() < PI && rests.iter().all(new) {
                rests.push(q);
            }
        }
    }
    assert!(rests.len() > 1, "{rests:?}");
    for start in [[0.5, 0.5], [1.2, 2.6], [2.6, 0.5], [2.0, -2.5], [-2.8, 1.0]] {
        let (found, answer) = distance(&chain(&start, stiffness, rest));
        let away = |r: &[f64; 2]| (r[0] - start[0]).hypot(r[1] - start[1]);
        let nearest = rests.iter().map(away).fold(f64::INFINITY, f64::min);
        assert!(found <= nearest + 1e-6, "{start:?}: {nearest} of {rests:?}, {answer}");
    }
}

/// What is found far from the start says how far, and from how many points nearer ones were looked for.
#[test]
fn the_way_is_told() {
    let done = command_on("stability", "model.toml", &chain(&[1.0], 0.0, 0.0), &[]);
    assert!(done.out.contains("equilibrium nearest to the start"), "{}", done.said());
    assert!(done.out.contains("no nearer one from"), "{}", done.said());
    let done = command_on("equilibrium", "model.toml", &chain(&[1.0], 0.0, 0.0), &[]);
    assert!(done.out.contains("no nearer one from"), "{}", done.said());
}
