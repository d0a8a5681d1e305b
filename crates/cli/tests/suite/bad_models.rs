//! Models with mistakes: every one is answered with a message that tells what is wrong and where, the right
//! exit code, and what could be computed before. Exit code 2: the input is bad, with file, line and column.
//! 1: the solve failed.

use crate::common;

use common::{output, poinsot};
use serde_json::Value;
use std::path::Path;

/// A bar on a hinge along y.
const BAR: &str = r#"
[[body]]
name = "bar"
mass = 1
inertia = [0.01, 0.1, 0.1]
position = [0.5, 0, 0]

[[joint]]
name = "hinge"
type = "revolute"
between = ["ground", "bar"]
at = [0, 0, 0]
axis = [0, 1, 0]
"#;

const MOTION: &str = "\n[study]\nend = 1\nstep = 1e-2\n";
const KINEMATICS: &str = "\n[study]\ntype = \"kinematics\"\nend = 1\nstep = 1e-2\n";

/// A slider-crank (crank 0.2, rod 0.5) whose slider is pulled: it can go out to 0.7, at t = (0.7 −
/// √0.21)/0.4.
const PULLED_SLIDER: &str = r#"
[model]
plane = "xy"
gravity = [0, 0, 0]

[[body]]
name = "crank"
mass = 1
inertia = [0.01, 0.01, 0.01]
position = [0, 0.1, 0]

[[body]]
name = "rod"
mass = 1
inertia = [0.01, 0.01, 0.01]
position = ["0.5*sqrt(0.21)", 0.1, 0]

[[body]]
name = "slider"
mass = 1
inertia = [0.01, 0.01, 0.01]
position = ["sqrt(0.21)", 0, 0]

[[joint]]
name = "bearing"
type = "revolute"
between = ["ground", "crank"]
at = [0, 0, 0]
axis = [0, 0, 1]

[[joint]]
name = "pin"
type = "revolute"
between = ["crank", "rod"]
at = [0, 0.2, 0]
axis = [0, 0, 1]

[[joint]]
name = "wrist"
type = "revolute"
between = ["rod", "slider"]
at = ["sqrt(0.21)", 0, 0]
axis = [0, 0, 1]

[[joint]]
name = "guide"
type = "prismatic"
between = ["ground", "slider"]
at = ["sqrt(0.21)", 0, 0]
axis = [1, 0, 0]

[[drive]]
name = "pull"
type = "joint"
joint = "guide"
position = "0.4*t"

[[signal]]
name = "angle"
value = "bearing.angle"
"#;

const POINT: &str = "[[body]]\nname = \"p\"\ntype = \"point\"\nmass = 1\nposition = [1, 0, 0]\n";

/// A drive of the bar's hinge.
fn drive(name: &str, law: &str) -> String {
    format!("\n[[drive]]\nname = \"{name}\"\ntype = \"joint\"\njoint = \"hinge\"\nposition = \"{law}\"\n")
}

fn constraint(equation: &str) -> String {
    format!("{POINT}\n[[constraint]]\nname = \"c\"\nequation = \"{equation}\"\n{MOTION}")
}

struct Answer {
    code: i32,
    out: String,
    err: String,
    folder: tempfile::TempDir,
}

impl Answer {
    /// The summary that was kept.
    fn summary(&self) -> Value {
        let path = self.folder.path().join("r/summary.json");
        let text = std::fs::read_to_string(&path).unwrap_or_else(|e| panic!("no summary: {e}\n{}", self.err));
        serde_json::from_str(&text).unwrap()
    }

    fn says(&self, words: &[&str]) {
        for word in words {
            assert!(self.err.contains(word), "`{word}` is not in\n{}", self.err);
        }
    }
}

fn run_with(files: &[(&str, &str)], args: &[&str]) -> Answer {
    let folder = tempfile::tempdir().unwrap();
    for (name, text) in files {
        std::fs::write(folder.path().join(name), text).unwrap();
    }
    let (code, out, err) = output(poinsot(folder.path()).args(args).args(["--out", "r"]));
    let answer = Answer { code, out, err, folder };
    assert!(!answer.err.contains("panicked"), "{}", answer.err);
    answer
}

fn run(model: &str) -> Answer {
    run_with(&[("model.toml", model)], &["run", "model.toml"])
}

/// The line of the first occurrence of a text, from 1, and its column.
fn place(model: &str, text: &str) -> String {
    let at = model.find(text).unwrap_or_else(|| panic!("`{text}` is not in the model"));
    let line = model[..at].matches('\n').count() + 1;
    let column = at - model[..at].rfind('\n').map_or(0, |k| k + 1) + 1;
    format!("model.toml:{line}:{column}")
}

/// Bad input: exit code 2, the place of `text` in the model, a caret, the words, and no results.
fn refused(model: &str, text: &str, words: &[&str]) {
    let answer = run(model);
    assert_eq!(answer.code, 2, "{}{}", answer.out, answer.err);
    answer.says(&[&place(model, text)]);
    answer.says(&["─"]);
    answer.says(words);
    assert!(!Path::new(&answer.folder.path().join("r")).exists(), "bad input leaves no folder");
}

/// A failed solve: exit code 1 and the words.
fn failed(model: &str, words: &[&str]) -> Answer {
    let answer = run(model);
    assert_eq!(answer.code, 1, "{}{}", answer.out, answer.err);
    answer.says(words);
    answer
}

/// A run that went wrong on its way keeps a summary, which tells the same.
fn kept(answer: &Answer, from: f64, to: f64) {
    let summary = answer.summary();
    assert_eq!(summary["outcome"]["status"], "failed");
    assert!(!summary["outcome"]["message"].as_str().unwrap().is_empty());
    assert!(!summary["outcome"]["remedy"].as_str().unwrap().is_empty());
    let reached = summary["t_reached"].as_f64().or(summary["study"]["t_reached"].as_f64()).unwrap();
    assert!(from <= reached && reached <= to, "reached {reached}, not between {from} and {to}");
    for file in ["signals.parquet", "signals.svg"] {
        assert!(answer.folder.path().join("r").join(file).exists(), "{file} is not kept");
    }
    answer.says(&["Try: "]);
}

/// The first number after `t = `.
fn time_said(err: &str) -> f64 {
    let text = err.split("t = ").nth(1).unwrap_or_else(|| panic!("no time in\n{err}"));
    text.split_whitespace().next().unwrap().parse().unwrap()
}

#[test]
fn joints_that_contradict_each_other() {
    let rods = r#"
[[marker]]
name = "end"
body = "bar"
position = [0.5, 0, 0]

[[joint]]
name = "rod"
type = "distance"
between = ["ground", "end"]
length = 1.3
"#;
    // The hinge holds the end at the distance 1.
    failed(&format!("{BAR}{rods}{MOTION}"), &["joint `rod` (distance), length", "3.000e-1", "model.toml"]);
}

#[test]
fn links_that_are_too_short() {
    let link = |name: &str, x: f64| {
        format!(
            "[[body]]\nname = \"{name}\"\nmass = 1\ninertia = [0.1, 0.1, 0.1]\nposition = [{x}, 0.1, 0]\n\
             [[marker]]\nname = \"{name}0\"\nbody = \"{name}\"\nposition = [-0.5, 0, 0]\n\
             [[marker]]\nname = \"{name}1\"\nbody = \"{name}\"\nposition = [0.5, 0, 0]\n"
        )
    };
    let joint = |name: &str, a: &str, b: &str| {
        format!("[[joint]]\nname = \"{name}\"\ntype = \"spherical\"\nbetween = [\"{a}\", \"{b}\"]\n")
    };
    let ground = "[[marker]]\nname = \"left\"\nbody = \"ground\"\n[[marker]]\nname = \"right\"\nbody = \"ground\"\nposition = [3, 0, 0]\n";
    let model = link("a", 0.5)
        + &link("b", 2.0)
        + ground
        + &joint("A", "left", "a0")
        + &joint("B", "a1", "b0")
        + &joint("C", "b1", "right")
        + MOTION;
    // Two links of 1 m between supports 3 m apart.
    let answer = failed(&model, &["joint `", "open by 1.0"]);
    assert!(["`A`", "`B`", "`C`"].iter().any(|name| answer.err.contains(name)), "{}", answer.err);
}

#[test]
fn a_drive_beyond_the_reach() {
    let end = (0.7 - 0.21f64.sqrt()) / 0.4;
    for study in [KINEMATICS, MOTION] {
        let answer = failed(&format!("{PULLED_SLIDER}{study}"), &["at t = ", "singular"]);
        let said = time_said(&answer.err);
        assert!((said - end).abs() < 2e-3, "{said} is not near {end}\n{}", answer.err);
        kept(&answer, 0.6, end);
    }
    // Kinematics knows the time and the drive.
    let answer = failed(&format!("{PULLED_SLIDER}{KINEMATICS}"), &["`pull`", "dead centre", "drive another"]);
    assert!((time_said(&answer.err) - end).abs() < 1e-5);
}

#[test]
fn a_start_in_a_dead_centre() {
    // Crank and rod stretched along x, and driven at the slider.
    let model = PULLED_SLIDER
        .replace("position = [0, 0.1, 0]", "position = [0.1, 0, 0]")
        .replace("position = [\"0.5*sqrt(0.21)\", 0.1, 0]", "position = [0.45, 0, 0]")
        .replace("[\"sqrt(0.21)\", 0, 0]", "[0.7, 0, 0]")
        .replace("at = [0, 0.2, 0]", "at = [0.2, 0, 0]")
        .replace("0.4*t", "-0.1*t");
    for study in [KINEMATICS, MOTION] {
        failed(&format!("{model}{study}"), &["singular position", "drive `pull`", "start from"]);
    }
}

#[test]
fn a_table_whose_abscissae_do_not_increase() {
    let table = "\n[[table]]\nname = \"lift\"\npoints = [[0, 0], [0.2, 1], [0.1, 2]]\n";
    let model = format!("{BAR}{table}{}{KINEMATICS}", drive("motor", "lift(t)"));
    refused(&model, "[0.1, 2]", &["must increase", "0.2", "0.1"]);
    let table = "\n[[table]]\nname = \"lift\"\nfile = \"lift.csv\"\n";
    let model = format!("{BAR}{table}{}{KINEMATICS}", drive("motor", "lift(t)"));
    let csv = "t,y\n0,0\n0.1,1\n0.1,2\n0.3,1\n";
    let answer = run_with(&[("model.toml", &model), ("lift.csv", csv)], &["run", "model.toml"]);
    assert_eq!(answer.code, 2, "{}", answer.err);
    answer.says(&["lift.csv, line 4", "must increase", &place(&model, "\"lift.csv\"")]);
    // No file, and no numbers in it.
    refused(&model, "\"lift.csv\"", &["cannot read the table file \"lift.csv\""]);
    let answer = run_with(&[("model.toml", &model), ("lift.csv", "0,0\n1,up\n")], &["run", "model.toml"]);
    assert_eq!(answer.code, 2, "{}", answer.err);
    answer.says(&["lift.csv, line 2", "\"up\" in column 2 is not a number"]);
}

/// One mistake, one message: a table that cannot be read says nothing about the smoothness of the law.
#[test]
fn a_broken_table_does_not_raise_other_complaints() {
    let table = "\n[[table]]\nname = \"lift\"\npoints = [[0, 0], [0.2, 1], [0.1, 2]]\n";
    let answer = run(&format!("{BAR}{table}{}{KINEMATICS}", drive("motor", "lift(t)")));
    assert!(!answer.err.contains("kinks"), "{}", answer.err);
}

#[test]
fn kinematics_with_freedom_left() {
    failed(&format!("{BAR}{KINEMATICS}"), &["mobility of 1", "body `bar`", "drive"]);
    let other = "\n[[body]]\nname = \"other\"\nmass = 1\ninertia = [0.1, 0.1, 0.1]\n";
    let model = format!("{BAR}{other}{}{KINEMATICS}", drive("motor", "t"));
    failed(&model, &["mobility of 6", "body `other`"]);
}

#[test]
fn drives_that_contradict_each_other() {
    let two = |law: &str, study: &str| format!("{BAR}{}{}{study}", drive("one", "t"), drive("two", law));
    // At the start already.
    failed(&two("t + 0.1", KINEMATICS), &["drive `two`", "contradicts", "1.000e-1"]);
    // Later.
    let answer = failed(&two("t + 4*ramp(t - 0.5)^3", KINEMATICS), &["at t = 5.1", "`two`", "contradicts"]);
    kept(&answer, 0.5, 0.52);
    // In their rates at the start.
    failed(&two("2*t", KINEMATICS), &["`two`", "contradicts", "speed"]);
    // Two drives of one law are fine.
    let answer = run(&two("t", KINEMATICS));
    assert_eq!(answer.code, 0, "{}", answer.err);
    assert!(answer.out.contains("redundant"), "{}", answer.out);
}

/// In a motion, too, drives that pull apart must not end as a success.
#[test]
fn drives_that_contradict_each_other_in_a_motion() {
    for law in ["2*t", "t + 4*ramp(t - 0.5)^3"] {
        let model = format!("{BAR}{}{}{MOTION}", drive("one", "t"), drive("two", law));
        let answer = run(&model);
        assert_eq!(answer.code, 1, "{law}:\n{}{}", answer.out, answer.err);
        answer.says(&["`two`", "contradicts"]);
    }
}

#[test]
fn no_equilibrium() {
    let stone = "[[body]]\nname = \"stone\"\nmass = 1\ninertia = [0.1, 0.1, 0.1]\n";
    let wire = "\n[[joint]]\nname = \"wire\"\ntype = \"point_on_line\"\nbetween = [\"ground\", \"p\"]\naxis = [1, 0, -1]\n";
    let twist = "\n[[force]]\nname = \"twist\"\ntype = \"torque\"\non = \"bar\"\ntorque = [0, 20, 0]\n";
    for (model, body) in [
        (stone.to_owned(), "`stone`, z"),
        (format!("{POINT}{wire}"), "`p`"),
        (format!("{BAR}{twist}"), "`bar`"),
    ] {
        for kind in ["equilibrium", "modes", "linearize"] {
            failed(
                &format!("{model}\n[study]\ntype = \"{kind}\"\n"),
                &["no equilibrium found", body, "out of balance", "may not exist", "start nearer"],
            );
        }
    }
}

#[test]
fn inputs_and_outputs_that_are_not_there() {
    let push = "\n[[force]]\nname = \"push\"\ntype = \"force\"\non = \"bar\"\nforce = [0, 0, 0]\n";
    let signal = "\n[[signal]]\nname = \"angle\"\nvalue = \"hinge.angle\"\n";
    let model = |what: &str| format!("{BAR}{push}{signal}\n[study]\ntype = \"linearize\"\n{what}\n");
    refused(
        &model("inputs = [\"pusch.x\"]"),
        "pusch.x",
        &["no force or parameter `pusch`", "did you mean `push`"],
    );
    refused(&model("inputs = [\"push\"]"), "\"push\"]", &["not an input", "push.x, push.y or push.z"]);
    refused(&model("inputs = [\"push.w\"]"), "\"push.w\"", &["not an input", "push.x, push.y or push.z"]);
    refused(
        &model("inputs = [\"hinge\"]"),
        "hinge\"]",
        &["no force or parameter `hinge`", "this is a joint"],
    );
    refused(&model("outputs = [\"angel\"]"), "\"angel\"", &["no signal `angel`", "did you mean `angle`"]);
    refused(&model("format = [\"xls\"]"), "\"xls\"", &["json", "npz", "mat"]);
}

#[test]
fn an_observer_that_is_not_there() {
    let model = |what: &str| format!("{BAR}\n[study]\ntype = \"modes\"\n{what}\n");
    refused(&model("observer = \"baar\""), "\"baar\"", &["no body `baar`", "did you mean `bar`"]);
    let text = model("observer = \"hinge\"");
    let answer = run(&text);
    assert_eq!(answer.code, 2, "{}", answer.err);
    answer.says(&["no body `hinge`", "this is a joint"]);
    refused(&model("count = 0"), "0\n", &["whole number"]);
    refused(&model("about = \"rest\""), "\"rest\"", &["equilibrium", "start"]);
}

#[test]
fn equations_that_are_no_constraints() {
    let model = constraint("p.velocity.x*p.velocity.y - 1");
    refused(
        &model,
        "\"p.velocity.x*",
        &["linear in velocities", "`p.velocity.x` and `p.velocity.y` together"],
    );
    let model = constraint("hypot(p.velocity.x, p.velocity.y) - 1");
    refused(&model, "\"hypot", &["linear in velocities"]);
    let model = constraint("3*time - 1");
    refused(&model, "\"3*time", &["`c` constrains no motion", "names no position or velocity"]);
    let model = constraint("p.acceleration.x");
    refused(&model, "p.acceleration.x", &["cannot use `p.acceleration.x`"]);
    let model = constraint("q.position.x");
    refused(&model, "q.position.x", &["`q`"]);
    // Without a slope at the start.
    failed(&constraint("p.position.y^2"), &["singular position", "constraint `c`"]);
    // Not satisfied and not satisfiable.
    failed(&constraint("p.position.x^2 + 1"), &["constraint `c`"]);
}

/// A marker on the ground does not move either.
#[test]
fn a_constraint_on_the_ground() {
    let marker = "[[marker]]\nname = \"fixed_point\"\nbody = \"ground\"\n";
    let model = format!("{marker}{}", constraint("fixed_point.position.x - 1"));
    refused(&model, "\"c\"", &["constrains no motion"]);
}

#[test]
fn a_gear_between_joints_without_an_angle() {
    let cart = r#"
[[body]]
name = "cart"
mass = 1
inertia = [0.1, 0.1, 0.1]
position = [0, 1, 0]

[[joint]]
name = "guide"
type = "prismatic"
between = ["ground", "cart"]
at = [0, 1, 0]
axis = [1, 0, 0]

[[coupling]]
name = "gears"
type = "gear"
joints = ["hinge", "guide"]
teeth = [10, 20]
"#;
    let model = format!("{BAR}{cart}{MOTION}");
    let answer = run(&model);
    assert_eq!(answer.code, 2, "{}", answer.err);
    answer
        .says(&["the prismatic joint `guide` has no coordinate `angle`", "its coordinates are displacement"]);
    answer.says(&[&place(&model, "\"guide\"]")]);
}

#[test]
fn friction_limits_and_wheels() {
    let model = format!("{BAR}friction = {{ dynamic = 0.1 }}\n{MOTION}");
    refused(&model, "{ dynamic", &["missing key `radius` in friction"]);
    let model = format!("{BAR}friction = {{ dynamic = 0.3, static = 0.1, radius = 0.01 }}\n{MOTION}");
    assert_eq!(run(&model).code, 2);
    let model = format!("{BAR}limits = {{ lower = 1, upper = -1, stiffness = 100 }}\n{MOTION}");
    refused(&model, "-1, stiff", &["upper limit -1 of `hinge` is not above the lower one 1"]);
    let model = format!("{BAR}limits = {{ lower = 1 }}\n{MOTION}");
    refused(&model, "{ lower", &["stiffness"]);
    let wheel = |radius: &str, axle: &str| {
        format!(
            "[[body]]\nname = \"wheel\"\nmass = 1\ninertia = [0.1, 0.1, 0.1]\nposition = [0, 0, 0.3]\n\
             [[joint]]\nname = \"road\"\ntype = \"rolling_disk\"\nbetween = [\"ground\", \"wheel\"]\n\
             radius = {radius}\nat = [0, 0, 0]\nnormal = [0, 0, 1]\naxle = {axle}\n{MOTION}"
        )
    };
    let model = wheel("0", "[0, 1, 0]");
    refused(&model, "0\nat", &["the radius of `road` must be positive, but is 0"]);
    let model = wheel("\"-0.3\"", "[0, 1, 0]");
    refused(&model, "\"-0.3\"", &["must be positive"]);
    let model = wheel("0.3", "[0, 0, 1]");
    refused(&model, "[0, 0, 1]\n\n", &["parallel to the normal", "flat"]);
}

#[test]
fn laws_with_kinks_and_jumps() {
    for study in [KINEMATICS, MOTION] {
        let model = format!("{BAR}{}{study}", drive("motor", "abs(t - 0.5)"));
        let answer = run(&model);
        assert_eq!(answer.code, 0, "{}", answer.err);
        answer.says(&["Warning", "kinks", "smootherstep", &place(&model, "abs(t - 0.5)")]);
    }
    // A jump of a position cannot be followed.
    let model = format!("{BAR}{}{KINEMATICS}", drive("motor", "step(t - 0.5)"));
    let answer = failed(&model, &["Warning", "jumps", "at t = 5.0", "body `bar`", "continuous"]);
    kept(&answer, 0.49, 0.5);
    // Smooth laws are not accused.
    for law in ["smootherstep(t)", "sin(t)", "0.1*t^3", "exp(-t)"] {
        let answer = run(&format!("{BAR}{}{KINEMATICS}", drive("motor", law)));
        assert_eq!((answer.code, answer.err.as_str()), (0, ""), "{law}");
    }
}

/// The cube of a ramp has two continuous derivatives.
#[test]
fn a_smooth_power_of_a_ramp_is_no_kink() {
    let answer = run(&format!("{BAR}{}{KINEMATICS}", drive("motor", "ramp(t - 0.5)^3")));
    assert_eq!((answer.code, answer.err.as_str()), (0, ""));
}

#[test]
fn laws_that_stop_being_numbers() {
    for study in [KINEMATICS, MOTION] {
        // A pole at t = 1/2.
        let answer =
            failed(&format!("{BAR}{}{study}", drive("motor", "1/(t - 0.5) + 2")), &["at t = ", "`bar`"]);
        let said = time_said(&answer.err);
        assert!((0.45..=0.5).contains(&said), "{said}\n{}", answer.err);
        kept(&answer, 0.4, 0.5);
    }
    // The end of a root.
    let answer = failed(&format!("{BAR}{}{KINEMATICS}", drive("motor", "sqrt(0.5 - t)")), &["at t = 5.0"]);
    kept(&answer, 0.49, 0.5);
}

/// The message names the drive and says that its law has no value.
#[test]
fn a_law_without_a_value_is_named() {
    for law in ["1/t", "sqrt(0.5 - t)"] {
        let answer = failed(&format!("{BAR}{}{KINEMATICS}", drive("motor", law)), &["`motor`"]);
        assert!(!answer.err.contains("dead centre"), "{law} is no dead centre:\n{}", answer.err);
        answer.says(&["`motor`", "finite"]);
    }
}

/// In a motion the same law must leave a summary that names time, equation and remedy.
#[test]
fn a_law_without_a_value_keeps_the_motion() {
    let answer = failed(&format!("{BAR}{}{MOTION}", drive("motor", "sqrt(0.5 - t)")), &["at t = "]);
    kept(&answer, 0.49, 0.5);
}

/// A load that is not a number, in every analysis.
#[test]
fn a_load_that_is_not_a_number() {
    let load = "\n[[force]]\nname = \"push\"\ntype = \"force\"\non = \"bar\"\nforce = [0, 0, \"1/t\"]\n";
    for kind in ["equilibrium", "modes", "linearize"] {
        let answer = run(&format!("{BAR}{load}\n[study]\ntype = \"{kind}\"\n"));
        assert_eq!(answer.code, 1, "{kind}: {}", answer.err);
    }
    let answer = run(&format!("{BAR}{load}{MOTION}"));
    assert_eq!(answer.code, 1, "{}", answer.err);
}

/// Structure-preserving integrators: what they cannot do is told where it is asked for.
#[test]
fn structure_preserving_steps_that_are_not_possible() {
    let study = |keys: &str| {
        format!("{BAR}\n[study]\nend = 1\nstep = 1e-2\nintegrator = \"energy-momentum\"\n{keys}\n")
    };
    refused(
        &study("form = \"velocity\""),
        "\"velocity\"",
        &["does not have the form \"velocity\"", "use automatic, multipliers, null-space, minimal"],
    );
    refused(
        &study("form = \"minimal\"\nconstraints = \"multipliers\""),
        "\"multipliers\"",
        &["two words for one thing", "give one of them"],
    );
    refused(
        &study("coordinates = \"quaternions\""),
        "\"quaternions\"",
        &["motion, directors, euler-parameters"],
    );
    refused(&study("dissipation = -1"), "-1", &["must not be negative", "0 conserves energy"]);
    refused(&study("form = \"penalty\"\npenalty = -5"), "-5", &["the penalty must be positive"]);
    refused(
        &study("").replace("step = 1e-2\n", ""),
        "[study]",
        &["missing key `step`", "the integrator \"energy-momentum\" needs `step`"],
    );
    let circuit = "[[equations]]\nname = \"rc\"\nvariables = { u = 1 }\nequations = [\"der(u) + u\"]\n";
    refused(
        &(study("") + circuit),
        "\"energy-momentum\"",
        &["does not know [[equations]]", "generalized-alpha or radau"],
    );
    let answer = run(&study("points = 4"));
    assert_eq!(answer.code, 0, "{}", answer.err);
    answer.says(&["does not use `points`"]);
}

/// Options that make no sense.
#[test]
fn bad_options() {
    let model = format!("{BAR}{}{KINEMATICS}", drive("motor", "t"));
    for args in [
        &["equilibrium", "model.toml", "--time", "nan"][..],
        &["modes", "model.toml", "--time", "inf"],
        &["modes", "model.toml", "--count", "0"],
        &["modes", "model.toml", "--count", "-3"],
        &["modes", "model.toml", "--observer", "motor"],
        &["kinematics", "model.toml", "--step", "nan"],
        &["kinematics", "model.toml", "--until", "-1"],
        &["linearize", "model.toml", "--about", "there"],
        &["equilibrium", "lost.toml"],
        &["modes", "model.toml", "--set", "x"],
    ] {
        let answer = run_with(&[("model.toml", &model)], args);
        assert_eq!(answer.code, 2, "{args:?}: {}{}", answer.out, answer.err);
        assert!(!answer.err.is_empty(), "{args:?}");
    }
}

/// A model without anything in it is not followed, and the message does not speak of dead centres.
#[test]
fn an_empty_model() {
    for kind in ["equilibrium", "modes", "linearize"] {
        let answer = run(&format!("[study]\ntype = \"{kind}\"\n"));
        assert!(answer.code == 0 || answer.code == 2, "{kind}: {}", answer.err);
    }
    let answer = run(KINEMATICS);
    assert!(!answer.err.contains("dead centre"), "{}", answer.err);
}
