//! Adaptive steps hold their tolerance: the error of a motion is at most ten times what was asked for.

use crate::tools::{Finished, run};

/// A motion that is not sensitive, with the signals that are compared and their sizes (m, rad).
struct Motion {
    name: &'static str,
    model: &'static str,
    end: f64,
    signals: &'static [(&'static str, f64)],
    /// The exact motion, where it is known; else Radau of ninth order with a tight tolerance is believed.
    exact: Option<fn(f64) -> Vec<f64>>,
}

/// Error that is allowed, in tolerances.
const MOST: f64 = 10.0;

/// Rows that are compared.
const ROWS: usize = 40;

const SPRING: Motion = Motion {
    name: "spring",
    model: r#"
[model]
gravity = [0, 0, 0]
[[body]]
name = "bob"
type = "point"
mass = 2
position = [1.3, 0, 0]
[[force]]
name = "coil"
type = "spring"
between = ["ground", "bob"]
points = [[0, 0, 0], [1.3, 0, 0]]
stiffness = 200
length = 1
"#,
    end: 5.0,
    signals: &[("bob.position.x", 1.0)],
    exact: Some(|t| vec![1.0 + 0.3 * (10.0 * t).cos()]),
};

/// A symmetric body spins freely: its axis goes round the angular momentum at |L|/A, its marks at (1 − C/A) ω about it.
const SPIN: Motion = Motion {
    name: "free spin",
    model: r#"
[model]
gravity = [0, 0, 0]
[[body]]
name = "top"
mass = 1
inertia = [0.2, 0.2, 0.3]
angular_velocity = [3, 0, 4]
[[body]]
name = "far"
type = "point"
mass = 1
position = [1, 0, 0]
"#,
    end: 4.0,
    signals: &[("top.rotation.xz", 1.0), ("top.rotation.yz", 1.0), ("top.rotation.zz", 1.0)],
    exact: Some(|t| {
        // L = (0.6, 0, 1.2): e_z turns about it with |L|/A.
        let (l, a) = ([0.6, 0.0, 1.2], 0.2);
        let size = f64::hypot(l[0], l[2]);
        let n = l.map(|x| x / size);
        let (s, c) = (size / a * t).sin_cos();
        let along = n[2];
        let cross = [n[1], -n[0], 0.0];
        let e = [0.0, 0.0, 1.0];
        (0..3).map(|k| e[k] * c + cross[k] * s + n[k] * along * (1.0 - c)).collect()
    }),
};

const BUSHING: Motion = Motion {
    name: "bushing",
    model: r#"
[[body]]
name = "block"
position = [0, 0, 0]
mass = 3
inertia = [0.05, 0.08, 0.1]
velocity = [0.5, -1, 0.3]
angular_velocity = [2, 3, -4]
[[body]]
name = "mass"
type = "point"
mass = 1
position = [1, 0, 0]
[[joint]]
name = "rod"
type = "distance"
between = ["block", "mass"]
points = [[0, 0, 0], [1, 0, 0]]
[[force]]
name = "rubber"
type = "bushing"
between = ["ground", "block"]
at = [0, 0, 0]
stiffness = [1200, 2000, 3000, 40, 60, 30]
damping = [1, 1, 2, 0.02, 0.02, 0.02]
"#,
    end: 1.0,
    signals: &[("block.position.x", 1.0), ("block.position.z", 1.0), ("block.rotation.yx", 1.0)],
    exact: None,
};

const BEAM: Motion = Motion {
    name: "beam",
    model: r#"
[[beam]]
name = "rod"
from = [0, 0, 0]
to = [1, 0, 0]
elements = 2
order = 2
section = { type = "circle", diameter = 0.04, young = 2e7, density = 1200 }
start = "clamped"
stiffness_damping = 1e-3
"#,
    end: 0.5,
    signals: &[("rod.end.position.x", 1.0), ("rod.end.position.z", 1.0)],
    exact: None,
};

const GYROSTAT: Motion = Motion {
    name: "gyrostat",
    model: r#"
[[body]]
name = "top"
position = [0.5, 0, 0]
mass = 2
inertia = [0.02, 0.05, 0.05]
[[joint]]
name = "pivot"
type = "spherical"
between = ["ground", "top"]
at = [0, 0, 0]
[[force]]
name = "wheel"
type = "gyrostat"
on = "top"
axis = [1, 0, 0]
momentum = 4
"#,
    end: 3.0,
    signals: &[("top.position.x", 0.5), ("top.position.y", 0.5), ("top.position.z", 0.5)],
    exact: None,
};

const LOOP: Motion = Motion {
    name: "closed loop",
    model: r#"
[model]
plane = "xy"
gravity = [0, -9.81, 0]
[[body]]
name = "crank"
position = [0, 0.15, 0]
mass = 1
inertia = [0.01, 0.01, 0.01]
angular_velocity = [0, 0, -6]
[[body]]
name = "coupler"
position = [0.45, 0.45, 0]
mass = 2
inertia = [0.1, 0.1, 0.1]
[[body]]
name = "rocker"
position = [0.95, 0.3, 0]
mass = 1.5
inertia = [0.05, 0.05, 0.05]
[[joint]]
name = "a"
type = "revolute"
between = ["ground", "crank"]
at = [0, 0, 0]
axis = [0, 0, 1]
[[joint]]
name = "b"
type = "revolute"
between = ["crank", "coupler"]
at = [0, 0.3, 0]
axis = [0, 0, 1]
[[joint]]
name = "c"
type = "revolute"
between = ["coupler", "rocker"]
at = [0.9, 0.6, 0]
axis = [0, 0, 1]
[[joint]]
name = "d"
type = "revolute"
between = ["ground", "rocker"]
at = [1, 0, 0]
axis = [0, 0, 1]
"#,
    end: 1.0,
    signals: &[("coupler.position.x", 1.0), ("coupler.position.y", 1.0)],
    exact: None,
};

const FRICTION: Motion = Motion {
    name: "friction",
    model: r#"
[[body]]
name = "sledge"
position = [0.3, 0, 0.2]
mass = 2
inertia = [0.05, 0.05, 0.05]
velocity = [2, 0, 0]
[[body]]
name = "bob"
type = "point"
position = [0.3, 0, -0.5]
mass = 1
[[joint]]
name = "rail"
type = "prismatic"
between = ["ground", "sledge"]
at = [0, 0, 0]
axis = [1, 0, 0]
friction = { dynamic = 0.2, transition_velocity = 0.05, arm = 0.3 }
[[joint]]
name = "rod"
type = "distance"
between = ["sledge", "bob"]
points = [[0.3, 0, 0.2], [0.3, 0, -0.5]]
"#,
    end: 1.0,
    signals: &[("sledge.position.x", 1.0), ("bob.position.x", 1.0), ("bob.position.z", 1.0)],
    exact: None,
};

const DRIVE: Motion = Motion {
    name: "drive",
    model: r#"
[[body]]
name = "arm"
position = [0.3, 0, 0]
mass = 2
inertia = [0.01, 0.05, 0.05]
[[body]]
name = "hand"
position = [0.6, 0, -0.3]
mass = 1
inertia = [0.04, 0.04, 0.01]
[[joint]]
name = "shoulder"
type = "revolute"
between = ["ground", "arm"]
at = [0, 0, 0]
axis = [0, 0, 1]
[[joint]]
name = "wrist"
type = "universal"
between = ["arm", "hand"]
at = [0.6, 0, 0]
axis = [1, 0, 0]
second_axis = [0, 1, 0]
[[drive]]
name = "motor"
type = "joint"
joint = "shoulder"
position = "0.5*(1 - cos(5*t))"
"#,
    end: 1.5,
    signals: &[("hand.position.x", 0.5), ("hand.position.y", 0.5), ("hand.position.z", 0.5)],
    exact: None,
};

/// A body that only drifts: what its velocity is wrong by grows into its place for as long as the motion lasts.
const DRIFT: Motion = Motion {
    name: "drift",
    model: r#"
[model]
gravity = [0, 0, 0]
[[body]]
name = "raft"
type = "point"
mass = 1
position = [1, 0, 0]
[[force]]
name = "gust"
type = "force"
on = "raft"
force = ["40*exp(-100*(t - 1)^2)", 0, 0]
"#,
    end: 20.0,
    signals: &[("raft.position.x", 134.0)],
    exact: None,
};

const MOTIONS: [Motion; 9] = [SPRING, SPIN, BUSHING, BEAM, GYROSTAT, LOOP, FRICTION, DRIVE, DRIFT];

impl Motion {
    fn run(&self, study: &str) -> Finished {
        let row = self.end / ROWS as f64;
        let mut text =
            format!("{}\n[study]\nend = {}\noutput_step = {row:?}\n{study}\n", self.model, self.end);
        for (k, (signal, _)) in self.signals.iter().enumerate() {
            text += &format!("[[signal]]\nname = \"s{k}\"\nvalue = \"{signal}\"\n");
        }
        let finished = run(&text, &[]);
        assert_eq!(finished.code, 0, "{}, {study}: {}", self.name, finished.said());
        finished
    }

    /// The signals, each over its size, at all rows.
    fn rows(&self, study: &str) -> (Vec<Vec<f64>>, usize) {
        let finished = self.run(study);
        let times = finished.signal("time");
        let columns: Vec<Vec<f64>> =
            (0..self.signals.len()).map(|k| finished.signal(&format!("s{k}"))).collect();
        let row = self.end / ROWS as f64;
        let at = |k: usize| {
            let near = |t: &&f64| (**t - k as f64 * row).abs() < 1e-9 * self.end;
            let found = times.iter().rposition(|t| near(&t)).expect("every row is there");
            columns.iter().zip(self.signals).map(|(column, (_, size))| column[found] / size).collect()
        };
        let steps = finished.summary()["statistics"]["steps"].as_u64().unwrap_or(0);
        ((0..=ROWS).map(at).collect(), steps as usize)
    }

    fn truth(&self) -> Vec<Vec<f64>> {
        let Some(exact) = self.exact else {
            return self.rows("integrator = \"radau\"\nstages = 5\nrelative_tolerance = 1e-12").0;
        };
        let row = self.end / ROWS as f64;
        let sized =
            |values: Vec<f64>| values.iter().zip(self.signals).map(|(x, (_, size))| x / size).collect();
        (0..=ROWS).map(|k| sized(exact(k as f64 * row))).collect()
    }
}

/// The error of every motion over the tolerance.
fn check(method: &str, tolerances: &[f64]) {
    let mut missed = String::new();
    for motion in &MOTIONS {
        let truth = motion.truth();
        for tolerance in tolerances {
            let (rows, steps) = motion.rows(&format!("{method}\nrelative_tolerance = {tolerance:e}"));
            let wrong = |(a, b): (&Vec<f64>, &Vec<f64>)| {
                a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
            };
            let error = rows.iter().zip(&truth).map(wrong).fold(0.0, f64::max) / tolerance;
            let words =
                format!("{method}, {}, {tolerance:e}: {error:.2} tolerances, {steps} steps\n", motion.name);
            print!("{words}");
            if error.is_nan() || error > MOST {
                missed += &words;
            }
        }
    }
    assert!(missed.is_empty(), "{missed}");
}

#[test]
fn generalized_alpha() {
    check("integrator = \"generalized-alpha\"", &[1e-4, 1e-6]);
}

#[test]
fn generalized_alpha_tightly() {
    check("integrator = \"generalized-alpha\"", &[1e-8]);
}

#[test]
fn members_of_gs4() {
    for member in ["newmark", "midpoint", "hht", "wbz", "optimal"] {
        check(&format!("integrator = \"{member}\""), &[1e-5]);
    }
}

#[test]
fn radau() {
    check("integrator = \"radau\"", &[1e-4, 1e-6, 1e-8]);
    check("integrator = \"radau\"\nstages = 2", &[1e-4, 1e-6]);
}

#[test]
fn bdf() {
    check("integrator = \"bdf\"", &[1e-4, 1e-6, 1e-8]);
}

#[test]
fn dormand_prince() {
    check("integrator = \"dormand-prince\"", &[1e-4, 1e-6, 1e-8]);
}
