//! Adaptive steps hold their tolerance: the error of a motion is at most ten times what was asked for.

use crate::trust::tools::{Finished, run};

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

/// A symmetric body spins freely: its axis goes round the angular momentum at |L|/A, its marks at (1 − C/A) ω
/// about it.
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

/// A body that only drifts: what its velocity is wrong by grows into its place for as long as the motion
/// lasts.
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

/// Nothing can move but as it is driven: all errors are normal to the constraints. Forms that let these drift
/// did not measure them, and missed their tolerance by up to 20 000 times.
const DRIVEN: Motion = Motion {
    name: "driven",
    model: r#"
[[body]]
name = "arm"
position = [0.5, 0, 0]
mass = 2
inertia = [0.02, 0.2, 0.2]
[[joint]]
name = "hinge"
type = "revolute"
between = ["ground", "arm"]
at = [0, 0, 0]
axis = [0, 0, 1]
[[drive]]
name = "motor"
type = "joint"
joint = "hinge"
position = "0.8*(1 - cos(3*t))"
"#,
    end: 2.0,
    signals: &[("arm.position.x", 0.5), ("arm.position.y", 0.5)],
    exact: Some(|t| {
        let (sin, cos) = (0.8 * (1.0 - (3.0 * t).cos())).sin_cos();
        vec![0.5 * cos, 0.5 * sin]
    }),
};

/// A light body between others, on a line and a plane; sizes are the way that it goes. What the embedding
/// integrates errs less than what follows from it, which was not measured.
const LIGHT: Motion = Motion {
    name: "light body",
    model: r#"
[[body]]
name = "base"
position = [0.31, 0.1499, -0.5285]
shape = { type = "box", size = [0.1897, 0.122, 0.4001], mass = 1.899 }
velocity = [1.956, -0.8925, 0.08146]
angular_velocity = [3.279, 3.597, 1.201]
[[joint]]
name = "foot"
type = "revolute"
between = ["ground", "base"]
at = [0.06932, 0.06475, -0.2089]
axis = [-0.6588, -0.003085, 0.7523]
[[body]]
name = "arm"
position = [0.2923, -0.2884, -0.4088]
shape = { type = "box", size = [0.2666, 0.2607, 0.1193], mass = 0.02129 }
orientation = { rotation_vector = [-1.499, 1.601, -0.1324] }
velocity = [-0.4426, -0.0002648, -1.17]
angular_velocity = [-1.801, -1.297, -1.102]
[[joint]]
name = "shoulder"
type = "revolute"
between = ["base", "arm"]
at = [0.3243, -0.07954, -0.4904]
axis = [0.8089, -0.5383, -0.2364]
[[body]]
name = "hand"
position = [0.7432, -0.123, -0.3502]
shape = { type = "box", size = [0.1521, 0.2012, 0.1035], mass = 0.008306 }
[[joint]]
name = "wrist"
type = "revolute"
between = ["arm", "hand"]
at = [0.4782, -0.1177, -0.3814]
axis = [-0.1839, 0.8532, 0.4881]
[[body]]
name = "feather"
position = [0.8662, -0.04318, -0.9587]
shape = { type = "box", size = [0.2132, 0.1431, 0.1629], mass = 0.0002715 }
orientation = { rotation_vector = [1.36, 0.3844, -1.218] }
[[joint]]
name = "wire"
type = "point_on_line"
between = ["arm", "feather"]
at = [0.5333, -0.1855, -0.6197]
point = [0.5333, -0.1855, -0.6197]
axis = [0.04225, -0.06934, -0.9967]
[[joint]]
name = "wall"
type = "point_on_plane"
between = ["feather", "base"]
at = [0.2599, 0.05903, -0.3941]
point = [0.2599, 0.05903, -0.3941]
axis = [1, 0, 0]
[[force]]
name = "long"
type = "spring"
between = ["feather", "arm"]
points = [[0.272, 0.8896, -1.566], [0.2923, -0.2884, -0.4088]]
stiffness = 9.739
damping = 0.01062
[[force]]
name = "stiff"
type = "spring"
between = ["arm", "hand"]
points = [[-0.2737, 0.3844, -0.2107], [0.7432, -0.123, -0.3502]]
stiffness = 702.7
length = 0.275
"#,
    end: 0.08595,
    signals: &[("feather.position.x", 11.7), ("feather.position.y", 11.7), ("feather.position.z", 11.7)],
    exact: None,
};

const MOTIONS: [Motion; 10] = [SPRING, SPIN, BUSHING, BEAM, GYROSTAT, LOOP, FRICTION, DRIVE, DRIFT, DRIVEN];

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

/// Variables swing as well: x = 0.2 cos 54t, for fifty radians.
const SWING: Motion = Motion {
    name: "swinging variables",
    model: r#"
[[equations]]
name = "swing"
variables = { x = 0.2, v = 0 }
equations = ["der(x) = v", "der(v) = -2916*x"]
"#,
    end: 0.9,
    signals: &[("swing.x", 1.0)],
    exact: Some(|t| vec![0.2 * (54.0 * t).cos()]),
};

/// A pendulum of rubber: its sections shiver at 24 000 rad/s with amplitudes that no tolerance sees.
const FLEXIBLE: Motion = Motion {
    name: "flexible pendulum",
    model: r#"
[model]
plane = "xy"
gravity = [0, -9.81, 0]
[[beam]]
name = "rod"
from = [0, 0, 0]
to = [1, 0, 0]
elements = 8
order = 2
section = { type = "circle", diameter = 0.02, young = 5e7, density = 1200 }
[[joint]]
name = "pin"
type = "revolute"
between = ["ground", "rod.node0"]
at = [0, 0, 0]
axis = [0, 0, 1]
"#,
    end: 0.2,
    signals: &[("rod.end.position.x", 1.0), ("rod.end.position.y", 1.0)],
    exact: None,
};

/// The error of every motion over the tolerance.
fn check(method: &str, tolerances: &[f64]) {
    check_with(&MOTIONS, method, tolerances);
}

fn check_with(motions: &[Motion], method: &str, tolerances: &[f64]) {
    let mut missed = String::new();
    for motion in motions {
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

/// Errors of velocity count by how far they move positions: those of fast vibrations do not ask for short
/// steps. Counted over the whole span they asked for 157 000.
#[test]
fn fast_vibrations_do_not_rule_the_steps() {
    let study = "integrator = \"generalized-alpha\"\nrelative_tolerance = 1e-4";
    let (rows, steps) = FLEXIBLE.rows(study);
    let wrong =
        |(a, b): (&Vec<f64>, &Vec<f64>)| a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    let error = rows.iter().zip(&FLEXIBLE.truth()).map(wrong).fold(0.0, f64::max);
    assert!(error < 1e-4 * MOST, "{error:e}");
    assert!(steps < 20_000, "{steps} steps");
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
    check_with(&[SWING], "integrator = \"radau\"\nstages = 2", &[1e-4, 1e-6, 1e-7]);
    check_with(&[SWING], "integrator = \"radau\"", &[1e-4, 1e-6, 1e-8, 1e-10]);
}

#[test]
fn bdf() {
    check("integrator = \"bdf\"", &[1e-4, 1e-6, 1e-8]);
}

#[test]
fn dormand_prince() {
    check("integrator = \"dormand-prince\"", &[1e-4, 1e-6, 1e-8]);
}

/// Every form of the constraints, also those that let errors normal to the constraints stand or drift.
/// (Newmark's accelerations ring for ever at position level.)
#[test]
fn forms_of_gs4() {
    let drifting = ["velocity", "acceleration", "baumgarte"];
    let members = [
        ("generalized-alpha", &["position", "hamiltonian"][..]),
        ("generalized-alpha", &drifting),
        ("newmark", &drifting),
    ];
    for (member, forms) in members {
        for form in forms {
            let method = format!("integrator = \"{member}\"\nform = \"{form}\"");
            check_with(&[LOOP, DRIVE, DRIVEN], &method, &[1e-4, 1e-6]);
        }
    }
}

#[test]
fn forms_of_radau_and_bdf() {
    for name in ["radau", "bdf"] {
        for form in ["position", "velocity", "acceleration"] {
            let method = format!("integrator = \"{name}\"\nform = \"{form}\"");
            check_with(&[LOOP, DRIVE, DRIVEN], &method, &[1e-4, 1e-6]);
        }
    }
}

#[test]
fn embedding() {
    for name in ["dormand-prince", "cash-karp"] {
        let method = format!("integrator = \"{name}\"\nform = \"embedding\"");
        check_with(&[LIGHT, LOOP, DRIVE, DRIVEN], &method, &[1e-4, 1e-6, 1e-8]);
    }
}
