//! The equilibrium nearest to the start is the nearest.

use crate::trust::tools::command_on;
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

/// A chain of bars of one metre and one kilogram that hangs on the ground, each turned by an angle against
/// the one before; torsion springs in the joints are at rest at an angle.
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

/// Both bars of a double pendulum hang or stand: four positions of rest, of which the nearest by the angles
/// of the joints is found.
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

/// Bars on weak springs, wound up: k θ₁ − k θ₂ + … is solved by Newton's method from a fine grid of angles,
/// and the nearest of all that are found there is the one that the program gives.
#[test]
fn a_wound_up_arm_goes_to_the_nearest_rest() {
    let (stiffness, rest) = (1.5, 4.0);
    // Moments about the pins, by the relative angles a, b: weights 1.5 l and 0.5 l of arms, springs at rest
    // far off.
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

/// Bars of a four-bar linkage: crank, coupler, rocker, and the ground between its pins; each weighs as much
/// as it is long.
const LINKAGE: [f64; 4] = [1.0, 2.2, 1.9, 2.0];

/// Directions of crank, coupler and rocker in the plane at an angle of the crank, for one of its two
/// branches.
fn linkage(crank: f64, branch: f64) -> Option<[f64; 3]> {
    let [a, b, c, d] = LINKAGE;
    let (x, z) = (d - a * crank.cos(), -a * crank.sin());
    let (far, towards) = (x.hypot(z), z.atan2(x));
    let cosine = (far * far + b * b - c * c) / (2.0 * far * b);
    let coupler = towards + branch * (cosine.abs() <= 1.0).then(|| cosine.acos())?;
    let (tip_x, tip_z) = (a * crank.cos() + b * coupler.cos(), a * crank.sin() + b * coupler.sin());
    Some([crank, coupler, tip_z.atan2(tip_x - d)])
}

fn linkage_model(angles: [f64; 3]) -> String {
    let [a, _, _, d] = LINKAGE;
    let mut model = String::from("[model]\nplane = \"zx\"\ngravity = [0, 0, -9.81]\n");
    let tip = [a * angles[0].cos(), a * angles[0].sin()];
    let roots = [[0.0, 0.0], tip, [d, 0.0]];
    for (k, (([x, z], angle), length)) in roots.iter().zip(angles).zip(LINKAGE).enumerate() {
        let inertia = length.powi(3) / 12.0;
        model += &format!(
            "[[body]]\nname = \"bar{k}\"\nmass = {length}\ninertia = [{inertia}, {inertia}, {inertia}]\n\
             position = [{}, 0, {}]\norientation = {{ axis = [0, -1, 0], angle = {angle} }}\n",
            x + 0.5 * length * angle.cos(),
            z + 0.5 * length * angle.sin(),
        );
    }
    let end = [tip[0] + LINKAGE[1] * angles[1].cos(), tip[1] + LINKAGE[1] * angles[1].sin()];
    let pins = [
        ("ground", "bar0", roots[0]),
        ("bar0", "bar1", tip),
        ("bar1", "bar2", end),
        ("ground", "bar2", roots[2]),
    ];
    for (k, (one, other, [x, z])) in pins.into_iter().enumerate() {
        model += &format!(
            "[[joint]]\nname = \"pin{k}\"\ntype = \"revolute\"\nbetween = [\"{one}\", \"{other}\"]\n\
             at = [{x}, 0, {z}]\naxis = [0, -1, 0]\n"
        );
    }
    model
}

/// A closed loop: heights of the bars by the angle of the crank are scanned on both branches, and no rest of
/// the scan is nearer than the one that is found.
#[test]
fn a_four_bar_linkage_goes_to_the_nearest_rest() {
    let [a, b, c, _] = LINKAGE;
    let weight = |[crank, coupler, rocker]: [f64; 3]| {
        0.5 * a * a * crank.sin()
            + b * (a * crank.sin() + 0.5 * b * coupler.sin())
            + 0.5 * c * c * rocker.sin()
    };
    let joints = |[crank, coupler, rocker]: [f64; 3]| [crank, coupler - crank, rocker - coupler, rocker];
    let mut rests = vec![];
    for branch in [1.0, -1.0] {
        let slope = |angle: f64| {
            let side = |h: f64| linkage(angle + h, branch).map(weight);
            Some((side(1e-5)? - side(-1e-5)?) / 2e-5)
        };
        let steps = 20_000;
        for k in 0..steps {
            let at = |k: usize| 2.0 * PI * k as f64 / steps as f64;
            let (mut low, mut high) = (at(k), at(k + 1));
            let (Some(first), Some(last)) = (slope(low), slope(high)) else { continue };
            if first * last > 0.0 {
                continue;
            }
            for _ in 0..40 {
                let middle = 0.5 * (low + high);
                let same = slope(middle).is_some_and(|s| s * first > 0.0);
                *(if same { &mut low } else { &mut high }) = middle;
            }
            rests.extend(linkage(low, branch));
        }
    }
    assert!(rests.len() >= 4, "{rests:?}");
    for (crank, branch) in
        [(0.4, 1.0), (1.2, 1.0), (2.0, 1.0), (2.9, 1.0), (-1.1, 1.0), (1.9, -1.0), (-0.8, -1.0)]
    {
        let start = linkage(crank, branch).unwrap();
        let (found, answer) = distance(&linkage_model(start));
        let away = |rest: &[f64; 3]| {
            let pairs = joints(start).into_iter().zip(joints(*rest));
            pairs.map(|(x, y)| turn(x - y).powi(2)).sum::<f64>().sqrt()
        };
        let nearest = rests.iter().map(away).fold(f64::INFINITY, f64::min);
        assert!((found - nearest).abs() < 1e-4, "{crank} {branch}: {nearest}, {answer}");
    }
}

/// Beside a pole of the equations all balances with a current and a speed that are zero but for rounding:
/// there is no rest. The current of a magnet feeds a charge that runs on; the mass hangs at 1 mm, wherever
/// the start is.
#[test]
fn beside_a_pole_nothing_rests() {
    for start in [0.3e-3, 0.9e-3, 1e-3, 1.2e-3, 3e-3] {
        let model = format!(
            "[[equations]]\nname = \"s\"\nvariables = {{ q = 0, x = {{ start = {start}, nominal = 1e-3 }}, \
             i = {{ start = 0.008, nominal = 0.01 }}, u = 0 }}\nequations = [\n\"der(q) = i\", \"der(x) = u\",\n\
             \"0.03/(1e-5 + x)*der(i) - 0.03/(1e-5 + x)^2*u*i + 10*i = 10*sqrt(1.96/0.03)*1.01e-3\",\n\
             \"0.1*der(u) + 0.03*i^2/(2*(1e-5 + x)^2) = 0.98\"]\n"
        );
        let (_, answer) = distance(&model);
        let x = answer["variables"]["s.x"].as_f64().unwrap();
        assert!((x - 1e-3).abs() < 1e-12, "{start}: {answer}");
        assert!(answer["passed"].is_null(), "{start}: {answer}");
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
