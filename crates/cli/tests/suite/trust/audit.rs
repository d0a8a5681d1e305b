//! The audit: ✓ is given for what was checked, ✗ is wrong and exits with 1, `!` needs eyes.

use crate::trust::tools::{Finished, command_on, run};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// A mass on a spring, x = 1 + cos(100 t)/1000.
const SPRING: &str = r#"
[model]
name = "spring"
gravity = [0, 0, 0]
[[body]]
name = "m"
type = "point"
mass = 1
position = [1.001, 0, 0]
[[force]]
name = "s"
type = "spring"
between = ["ground", "m"]
points = [[0, 0, 0], [1.001, 0, 0]]
stiffness = 1e4
length = 1
[[signal]]
name = "x"
value = "m.position.x"
[study]
end = 0.2
step = 1e-4
"#;

/// The mark in front of a line of the audit.
fn mark(run: &Finished, label: &str) -> Option<char> {
    let line = run.out.lines().find(|line| line.chars().skip(2).collect::<String>().starts_with(label));
    line.and_then(|line| line.chars().next())
}

fn time_error(run: &Finished) -> f64 {
    run.summary()["audit"]["time_error"]["relative"].as_f64().unwrap_or(f64::INFINITY)
}

const METHODS: [&str; 10] = [
    "generalized-alpha",
    "newmark",
    "midpoint",
    "radau",
    "gauss",
    "runge-kutta-4",
    "energy-momentum",
    "variational-midpoint",
    "averaged-gradient",
    "galerkin",
];

#[test]
fn steps_that_do_not_see_an_oscillation_get_no_tick() {
    for method in METHODS.into_iter().filter(|method| *method != "runge-kutta-4") {
        let coarse = run(SPRING, &["--until", "1", "--step", "0.05", "--integrator", method]);
        assert_eq!(mark(&coarse, "time error"), Some('!'), "{method}: {}", coarse.out);
    }
}

#[test]
fn a_tick_means_an_error_below_one_per_cent() {
    let truth = 1.0 + 1e-3 * f64::cos(100.0 * 0.2);
    for method in METHODS {
        for step in ["1e-2", "5e-3", "2e-3", "1e-3", "5e-4", "1e-4"] {
            let r = run(SPRING, &["--step", step, "--integrator", method]);
            if r.code != 0 {
                continue;
            }
            let (error, claim) = ((r.last("x") - truth).abs() / 1e-3, time_error(&r));
            assert!(error <= 10.0 * claim.max(1e-9), "{method} {step}: {error} is not what {claim} claims");
            let tick = mark(&r, "time error") == Some('✓');
            assert!(!tick || error < 1e-2, "{method} {step}: {error} with a tick");
            assert!(tick || step != "1e-4", "{method} {step}: {claim} without a tick");
        }
    }
}

/// What `--check-step` observes is the error: on x − 1 = a cos ωt and ẋ = −aω sin ωt, relative to the largest
/// change 2a and to aω.
#[test]
fn the_step_check_observes_the_error() {
    let model = SPRING.replace("[study]", "[[signal]]\nname = \"v\"\nvalue = \"m.velocity.x\"\n[study]");
    for (method, steps) in
        [("newmark", ["2e-3", "5e-4"]), ("gauss", ["1e-2", "4e-3"]), ("bdf", ["2e-3", "1e-3"])]
    {
        for step in steps {
            let r = run(&model, &["--check-step", "--step", step, "--integrator", method]);
            let (t, x, v) = (r.signal("time"), r.signal("x"), r.signal("v"));
            let error = |k: usize| {
                let (c, s) = ((100.0 * t[k]).cos(), (100.0 * t[k]).sin());
                let place = (x[k] - 1.0 - 1e-3 * c).abs() / 2e-3;
                place.max((v[k] + 0.1 * s).abs() / 0.1)
            };
            let truth = (0..t.len()).map(error).fold(0.0, f64::max);
            let check = &r.summary()["audit"]["step_check"];
            let seen = check["error"].as_f64().unwrap_or_else(|| panic!("{}", r.said()));
            assert!(
                seen > 0.5 * truth && seen < 2.0 * truth,
                "{method} {step}: {seen} for {truth}\n{}",
                r.out
            );
            let expected = if seen <= 1e-2 { '✓' } else { '!' };
            assert_eq!(mark(&r, "step check"), Some(expected), "{}", r.out);
        }
    }
    let adaptive = ["--check-step", "--adaptive", "--integrator", "radau", "--tolerance", "1e-5"];
    let r = run(&model, &adaptive);
    assert_eq!(mark(&r, "step check"), Some('✓'), "{}", r.out);
    assert!(r.out.contains("a ten times tighter tolerance changes it by at most"), "{}", r.out);
}

/// A slope has the error of its direction. That of its length is a strain: in a stiff line waves of it run
/// to and fro within a step and move nothing.
#[test]
fn slopes_of_a_line_are_measured_as_directions() {
    let cable = include_str!("../../../../../examples/cable_and_trolley.toml");
    let of = |step: &str| run(cable, &["--until", "1", "--step", step]);
    let exact = of("1.25e-4").last("load_x");
    for (step, expected) in [("0.02", '!'), ("0.01", '!'), ("5e-4", '✓')] {
        let r = of(step);
        let (error, claim) = ((r.last("load_x") - exact).abs() / exact.abs(), time_error(&r));
        assert!(error <= claim, "{step}: {error} is not what {claim} claims");
        assert_eq!(mark(&r, "time error"), Some(expected), "{step}: {}", r.out);
    }
}

/// Five radians of oscillation in a step: half the step is another motion, and the run is told to be wrong.
#[test]
fn a_motion_that_shorter_steps_change_altogether_is_wrong() {
    let r = run(SPRING, &["--check-step", "--until", "1", "--step", "0.05"]);
    assert_eq!((r.code, mark(&r, "step check")), (1, Some('✗')), "{}", r.out);
    let r = run(SPRING, &["--check-step", "--checkpoint", "100"]);
    assert_eq!(r.code, 2, "{}", r.said());
}

#[test]
fn a_blow_of_a_few_steps_does_not_hide_among_smooth_ones() {
    // A ball that meets a stiff stop for 2 ms of 1 s: at 2 steps per contact the rebound is a guess.
    let model = r#"
[model]
name = "blow"
gravity = [0, 0, 0]
[[body]]
name = "ball"
mass = 1
inertia = [1, 1, 1]
velocity = [-1, 0, 0]
position = [0.5, 0, 0]
[[joint]]
name = "rail"
type = "prismatic"
between = ["ground", "ball"]
at = [0.5, 0, 0]
axis = [1, 0, 0]
limits = { lower = -0.4, stiffness = 2e6 }
[[signal]]
name = "v"
value = "ball.velocity.x"
[study]
end = 1
step = 1e-3
integrator = "newmark"
"#;
    let (coarse, fine) = (run(model, &[]), run(model, &["--step", "1e-5"]));
    assert!((fine.last("v") - 1.0).abs() < 1e-3, "{}", fine.last("v"));
    let error = (coarse.last("v") - 1.0).abs();
    assert!(error <= 10.0 * time_error(&coarse), "{error}: {}", coarse.out);
    assert!(mark(&coarse, "time error") == Some('!') || error < 1e-2, "{error}: {}", coarse.out);
}

/// A pendulum that runs into a stop at 0.5 rad: of a hundred steps one goes over the kink, and with a method
/// of high order nearly all of the error is its own.
#[test]
fn one_step_over_a_kink_is_seen_by_methods_of_high_order() {
    let model = r#"
[model]
name = "stop"
[[body]]
name = "rod"
mass = 1
inertia = [0.1, 0.1, 0.01]
position = [0, 0, -0.5]
angular_velocity = [0, 4, 0]
[[joint]]
name = "hinge"
type = "revolute"
between = ["ground", "rod"]
at = [0, 0, 0]
axis = [0, 1, 0]
limits = { upper = 0.5, stiffness = 300 }
[[signal]]
name = "angle"
value = "hinge.angle"
[study]
end = 0.6
step = 4e-3
"#;
    let truth = run(model, &["--integrator", "radau", "--adaptive", "--tolerance", "1e-11"]).last("angle");
    for (method, stages) in [("radau", "3"), ("gauss", "3"), ("lobatto", "4"), ("radau", "5")] {
        for step in ["6e-3", "4e-3", "2.5e-3", "1.6e-3"] {
            let r = run(model, &["--integrator", method, "--stages", stages, "--step", step]);
            let error = (r.last("angle") - truth).abs();
            assert!(error <= 10.0 * time_error(&r), "{method} {stages} {step}: {error}\n{}", r.out);
        }
    }
}

/// A slider thrown up an incline turns round inside a step, and with it the friction.
const THROWN_UP: &str = r#"
[model]
gravity = [0, -9.81, 0]
plane = "xy"
[[body]]
name = "slider"
shape = { type = "box", size = [0.2, 0.1, 0.1], mass = 0.3 }
velocity = [1.2, 1.6, 0]
[[joint]]
name = "guide"
type = "prismatic"
between = ["ground", "slider"]
at = [0, 0, 0]
axis = [0.6, 0.8, 0]
friction = { static = 0.1, dynamic = 0.06, transition_velocity = 0.002 }
[study]
end = 0.6
step = 0.01
output_step = 0.1
[[signal]]
name = "x"
value = "slider.position.x"
"#;

/// The method and the one that takes its steps again may both step over the turn and agree: the error that is
/// stated must nevertheless be that of the motion.
#[test]
fn friction_that_turns_round_inside_a_step_is_seen() {
    let exact = run(THROWN_UP, &["--integrator", "radau", "--adaptive", "--tolerance", "1e-11"]);
    for integrator in ["radau", "lobatto", "gauss", "generalized-alpha", "runge-kutta-4", "bdf"] {
        for step in ["0.01", "0.007", "0.003"] {
            let ran = run(THROWN_UP, &["--integrator", integrator, "--step", step]);
            assert_eq!(ran.code, 0, "{integrator}, {step}: {}", ran.said());
            let way = (exact.last("x") - exact.signal("x")[0]).abs();
            let error = (ran.last("x") - exact.last("x")).abs() / way;
            let stated = time_error(&ran);
            assert!(error <= 10.0 * stated + 1e-9, "{integrator}, {step}: {error:e}, stated {stated:e}");
        }
    }
}

/// Nothing moves, and what rounding does is no error.
#[test]
fn a_model_at_rest_is_right() {
    let model = r#"
[model]
name = "at rest"
gravity = [0, 0, 0]
[[body]]
name = "rod"
mass = 3
inertia = [0.1, 0.2, 0.3]
position = [0.3, -0.1, 0.2]
[[joint]]
name = "hinge"
type = "revolute"
between = ["ground", "rod"]
at = [0.1, 0.2, 0.3]
axis = [0.36, 0.48, 0.8]
[study]
end = 0.5
step = 1e-2
"#;
    for gravity in ["[0, 0, 0]", "[0, 0, -9.81]"] {
        // With gravity a second joint holds it.
        let second = "[[joint]]\nname = \"ball\"\ntype = \"spherical\"\nbetween = [\"ground\", \"rod\"]\nat = [0.7, 0, 0]\n";
        let held = if gravity == "[0, 0, 0]" { "" } else { second };
        let model = model.replace("[0, 0, 0]", gravity).replace("[study]", &format!("{held}[study]"));
        for method in METHODS.into_iter().chain(["hht", "bdf", "lobatto", "dormand-prince"]) {
            let r = run(&model, &["--integrator", method]);
            assert_eq!(r.code, 0, "{method}: {}", r.said());
            let marks = (mark(&r, "time error"), mark(&r, "energy"));
            assert_eq!(marks, (Some('✓'), Some('✓')), "{method} {gravity}: {}", r.out);
        }
    }
}

const COIN: &str = r#"
[model]
name = "coin"
[parameters]
R = 0.04
tilt = "radians(60)"
[[body]]
name = "coin"
shape = { type = "cylinder", radius = "R", length = 0.003, axis = "y", mass = 0.05 }
position = [0, 0, "R*cos(tilt)"]
orientation = { axis = [1, 0, 0], angle = "tilt" }
angular_velocity = [0, 6, 14]
velocity = [0.2, 0, 0]
[[joint]]
name = "table"
type = "rolling_disk"
between = ["ground", "coin"]
radius = "R"
at = [0, 0, 0]
normal = [0, 0, 1]
axle = [0, "cos(tilt)", "sin(tilt)"]
[[signal]]
name = "y"
value = "coin.position.y"
[study]
end = 3
step = 5e-4
"#;

#[test]
fn a_healthy_coin_is_not_wrong_and_a_coarse_one_gets_no_tick() {
    let coarse = run(COIN, &[]);
    // 0.8 % of its energy and 5 mm of its way are off.
    assert_eq!(coarse.code, 0, "{}", coarse.said());
    assert!(!coarse.out.contains('✗'), "{}", coarse.out);
    assert_eq!((mark(&coarse, "energy"), mark(&coarse, "time error")), (Some('!'), Some('!')));
    let fine = run(COIN, &["--integrator", "radau", "--adaptive", "--tolerance", "1e-8"]);
    assert_eq!(mark(&fine, "energy"), Some('✓'), "{}", fine.out);
    assert!((fine.last("y") - coarse.last("y")).abs() > 4e-3);
}

#[test]
fn the_energy_check_does_not_depend_on_the_rows() {
    let imbalance = |every: &str| {
        let model = format!("{COIN}output_step = {every}\n");
        let found = run(&model, &["--until", "1"]);
        found.summary()["audit"]["energy"]["max_relative_imbalance"].as_f64().unwrap()
    };
    let (many, few) = (imbalance("5e-4"), imbalance("1"));
    assert!(few > 0.8 * many && many >= few, "{many} {few}");
}

#[test]
fn equations_without_bodies_say_nothing_of_bodies() {
    let circuit = "V1 = voltage_source(a, ground, v = 1);\n\
         R1 = resistor(a, b, R = 10);\n\
         C1 = capacitor(b, ground, C = 1e-3);\n\
         FinalTime = 0.05;\n";
    let r = command_on("run", "model.ldae", circuit, &[]);
    assert_eq!(r.code, 0, "{}", r.said());
    for word in ["momentum", "0 bodies", "0 joints", "positions corrected"] {
        assert!(!r.out.contains(word), "{word}: {}", r.out);
    }
    assert_eq!(mark(&r, "time error"), Some('✓'), "{}", r.out);
}

#[test]
fn heat_that_only_moves_is_in_balance() {
    let model = "A = thermal_capacity(a, C = 400, T0 = 290);\n\
         R = thermal_resistance(a, b, R = 0.05);\n\
         B = thermal_capacity(b, C = 900, T0 = 350);\n\
         FinalTime = 100;\n";
    let r = command_on("run", "model.ldae", model, &[]);
    assert_eq!(r.code, 0, "{}", r.said());
    assert!(!r.out.contains('✗') && mark(&r, "energy") == Some('✓'), "{}", r.out);
}

#[test]
fn a_motion_that_grows_beyond_bounds_names_time_and_cause() {
    // ẍ + 10 x = 1000 x³ from 1: x → ∞ in finite time.
    let model = |rest: &str| {
        format!(
            "DisplacementVariables = [x];\n\
         FlowVariables = [v];\n\
         KineticCoEnergy = v^2/2;\n\
         {rest}\n\
         InitialDisplacements = [1];\n\
         InitialFlows = [0];\n\
         FinalTime = 1; OutputPoints = 11;\n"
        )
    };
    for rest in [
        "PotentialEnergy = 5*x^2;\nGeneralizedEfforts = [1000*x^3];",
        "PotentialEnergy = 10*log(x);\nGeneralizedEfforts = [0];",
    ] {
        let r = command_on("run", "model.ldae", &model(rest), &[]);
        assert_eq!(r.code, 1, "{}", r.said());
        assert!(r.err.contains("at t = ") && r.err.contains("grow beyond all bounds"), "{}", r.said());
        assert!(r.err.contains("model.v") || r.err.contains("model.x"), "{}", r.err);
        assert_eq!(r.summary()["outcome"]["status"], "failed");
    }
}

#[test]
fn quiet_runs_still_say_which_expectation_was_missed() {
    let model = format!("{SPRING}[[expect]]\nsignal = \"x\"\nvalue = 3\ntolerance = 1e-3\n");
    let r = run(&model, &["-q"]);
    assert_eq!((r.code, r.out.as_str()), (1, ""), "{}", r.said());
    assert!(r.err.contains("x at 0.2 s") && r.err.contains("expected 3"), "{}", r.err);
}

#[cfg(unix)]
#[test]
fn an_interrupted_motion_exits_with_130_and_says_so() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("model.toml"), SPRING.replace("end = 0.2", "end = 1e5")).unwrap();
    let mut command = Command::new(env!("CARGO_BIN_EXE_poinsot"));
    command.current_dir(folder.path()).args(["run", "model.toml", "-q"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    std::thread::sleep(Duration::from_secs(2));
    let interrupted = Instant::now();
    Command::new("kill").args(["-INT", &child.id().to_string()]).status().unwrap();
    let done = child.wait_with_output().unwrap();
    assert!(interrupted.elapsed() < Duration::from_secs(60));
    let words = String::from_utf8_lossy(&done.stderr);
    assert_eq!(done.status.code(), Some(130), "{words}");
    assert!(words.contains("stopped by the user at t ="), "{words}");
    assert!(folder.path().join("runs/model/summary.json").exists());
}
