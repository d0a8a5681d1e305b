//! Flexible bodies in every study, and what their sources refuse.

use crate::common::{output, poinsot, with_model};
use std::path::Path;

/// A cantilever of length 1 with E I = 1, ρ A = 1, a load at its tip and what a study needs.
fn cantilever(source: &str, interface: &str, keys: &str, rest: &str) -> String {
    format!(
        "[model]\ngravity = [0, 0, 0]\nplane = \"xy\"\n\n[parameters]\nP = 0.01\neta = 0\n\n\
         [[flexible]]\nname = \"arm\"\nsource = {{ {source} }}\ninterface = [{interface}]\n{keys}\n\n\
         [[joint]]\nname = \"wall\"\ntype = \"fixed\"\nbetween = [\"ground\", \"arm.root\"]\n\n\
         [[force]]\nname = \"load\"\ntype = \"force\"\non = \"arm.tip\"\nforce = [0, \"P\", 0]\n\n{rest}"
    )
}

const LINE: &str = "type = \"line\", points = [[0, 0, 0], [1, 0, 0]], elements = 10, section = { area = 1, \
                    inertia = [1e-4, 1e-4], young = 1e4, density = 1 }";
const ENDS: &str = "{ name = \"root\", point = 1 }, { name = \"tip\", point = 11 }";
const FUNCTIONS: &str = "type = \"functions\", length = 1, section = { area = 1, inertia = [1e-4, 1e-4], young = \
                         1e4, density = 1 }, shape = [{ y = \"x^2\" }, { y = \"x^3\" }]";
const PLACES: &str = "{ name = \"root\", at = [0, 0, 0] }, { name = \"tip\", at = [1, 0, 0] }";

fn run(folder: &Path, words: &[&str]) -> String {
    let (code, told, said) = output(poinsot(folder).args(words));
    assert_eq!(code, 0, "{words:?}\n{told}\n{said}");
    told
}

/// The command refuses the model with exit code 2, at this line and with all these words.
fn refused(model: &str, line: usize, words: &[&str]) {
    let folder = with_model(model);
    let (code, _, said) = output(poinsot(folder.path()).args(["check", "model.toml"]));
    assert_eq!(code, 2, "{said}");
    let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
    for word in words.iter().chain([&format!("model.toml:{line}:").as_str(), &"┬"]) {
        assert!(flat.contains(word), "`{word}` is not in:\n{said}");
    }
}

#[test]
fn every_study_takes_a_flexible_body() {
    let signals = "[[signal]]\nname = \"sag\"\nvalue = \"arm.tip.position.y\"\n\n";
    let studies = "[[study]]\nname = \"statics\"\ntype = \"equilibrium\"\n\n\
                   [[study]]\nname = \"spectrum\"\ntype = \"modes\"\ncount = 2\noff = [\"load\"]\n\n\
                   [[study]]\nname = \"linear\"\ntype = \"linearize\"\ninputs = [\"load.y\"]\n\
                   outputs = [\"sag\"]\n\n\
                   [[study]]\nname = \"along\"\ntype = \"path\"\nparameter = \"P\"\nfrom = 0\nto = 0.01\n\n\
                   [[study]]\nname = \"speeds\"\ntype = \"campbell\"\nparameter = \"P\"\nrange = [0, 0.01]\n\
                   points = 3\ncount = 2\n\n\
                   [[study]]\nname = \"motion\"\nend = 0.1\nstep = 1e-3\ninitial = \"statics\"\n\n";
    let expect = |study: &str, signal: &str, value: f64, relative: f64| {
        format!(
            "[[expect]]\nstudy = \"{study}\"\nsignal = \"{signal}\"\nvalue = {value}\nrelative = {relative}\n\
             source = \"Euler and Bernoulli\"\n\n"
        )
    };
    let checks = [
        expect("statics", "sag", 0.01 / 3.0, 1e-4),
        // Rotary inertia, 1e-4, takes less than a thousandth.
        expect("spectrum", "mode.1.circular_frequency", 3.516015, 1e-3),
        expect("along", "sag", 0.01 / 3.0, 1e-4),
        expect("speeds", "mode.1.circular_frequency", 3.516015, 1e-3),
        // Static, then dynamic: it stays where it is.
        expect("motion", "sag", 0.01 / 3.0, 1e-4),
    ]
    .concat();
    let model = cantilever(LINE, ENDS, "modes = 3", &format!("{signals}{studies}{checks}"));
    let folder = with_model(&model);
    let told = run(folder.path(), &["verify", "model.toml"]);
    assert!(told.contains("5 passed, 0 failed"), "{told}");
    for study in ["statics", "spectrum", "linear", "along", "speeds", "motion"] {
        run(folder.path(), &["run", "model.toml", "--study", study, "--out", &format!("runs/{study}")]);
    }
}

/// Shapes with static answers keep statics that vibrations alone lose.
#[test]
fn corrections_make_statics_exact() {
    let sag = |keys: &str| {
        let rest = "[[signal]]\nname = \"sag\"\nvalue = \"arm.tip.position.y\"\n\n[study]\ntype = \"equilibrium\"\n\n\
                    [[expect]]\nsignal = \"sag\"\nvalue = 0.00333333333333\nrelative = 1e-5\nsource = \"P/3\"\n";
        let folder = with_model(&cantilever(LINE, ENDS, keys, rest));
        output(poinsot(folder.path()).args(["verify", "model.toml"])).0
    };
    let free = "reference = \"root\"\nmethod = \"supported\"\nmodes = 1";
    // Φ Φᵀ/ω² of the first mode alone leaves 3 % out.
    assert_eq!(sag(free), 1);
    assert_eq!(sag(&format!("{free}\ncorrections = 1")), 0);
}

#[test]
fn shapes_of_a_file() {
    // Three unknowns of each of the eleven nodes: along, across, rotation.
    let rows = |f: &dyn Fn(f64) -> [f64; 2]| -> String {
        (0..11).map(|k| f64::from(k) / 10.0).map(|x| format!("0\n{}\n{}\n", f(x)[0], f(x)[1])).collect()
    };
    let static_shape = rows(&|x| [x * x * (3.0 - x) / 2.0, (6.0 * x - 3.0 * x * x) / 2.0]);
    let rest = "[study]\ntype = \"equilibrium\"\n\n[[expect]]\nsignal = \"arm.tip.position.y\"\n\
                value = 0.00333333333333\nrelative = 1e-5\nsource = \"P/3\"\n";
    let keys = "method = \"given\"\nshapes = \"shapes.csv\"\nreference = \"root\"";
    let folder = with_model(&cantilever(LINE, ENDS, keys, rest));
    let write = |text: &str| std::fs::write(folder.path().join("shapes.csv"), text).unwrap();
    write(&format!("# along, across, rotation\n{static_shape}"));
    run(folder.path(), &["verify", "model.toml"]);
    for (text, words) in [
        (static_shape.replacen("0\n", "", 1), "the given shapes have 32 rows for 33 unknowns"),
        (static_shape.replacen("0\n", "0, 1\n", 1), "a row of 1 numbers after rows of 2"),
        (static_shape.replacen("0\n", "much\n", 1), "shapes.csv:1"),
        (String::new(), "the table has no numbers"),
    ] {
        write(&text);
        let (code, _, said) = output(poinsot(folder.path()).args(["check", "model.toml"]));
        let flat = said.split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(code == 2 && flat.contains(words), "{words}:\n{said}");
    }
    let study = "[study]\ntype = \"equilibrium\"\n";
    let no_file = cantilever(LINE, ENDS, "method = \"given\"", study);
    refused(&no_file, 10, &["the shapes of `arm` are to be given", "name their file"]);
    let of_vibrations = cantilever(LINE, ENDS, "shapes = \"shapes.csv\"", study);
    refused(&of_vibrations, 13, &["`shapes` belong to the method \"given\""]);
}

#[test]
fn keys_that_have_no_effect_are_refused() {
    let study = "[study]\ntype = \"equilibrium\"\n";
    refused(&cantilever(LINE, ENDS, "corrections = 1", study), 13, &["`corrections` belong to", "exactly"]);
    let functions = |keys: &str| cantilever(FUNCTIONS, PLACES, keys, study);
    let reduction = functions("modes = 2");
    refused(&reduction, 13, &["`modes` belongs to a reduction, and `arm` has none: its shapes are given"]);
}

#[test]
fn shape_functions_that_make_no_body() {
    let study = "[study]\ntype = \"equilibrium\"\n";
    let with = |from: &str, to: &str| cantilever(&FUNCTIONS.replace(from, to), PLACES, "", study);
    refused(&with("x^3", "x"), 11, &["a combination of the shapes has no stiffness", "rigid motion"]);
    refused(&with("x^3", "2*x^2"), 11, &["a combination of the shapes has no stiffness"]);
    refused(&with("x^3", "log(x - 2)"), 11, &["not finite"]);
    refused(&with("x^3", "z^3"), 11, &["`z`"]);
    refused(&with("area = 1,", "area = \"0.5 - x\","), 11, &["the area is -", "must be positive"]);
    let beyond = PLACES.replace("[1, 0, 0]", "[1.5, 0, 0]");
    let beyond = cantilever(FUNCTIONS, &beyond, "", study);
    refused(&beyond, 12, &["the beam goes from x = 0 to x = 1 m", "beyond its ends"]);
    let point = cantilever(FUNCTIONS, ENDS, "", study);
    refused(&point, 12, &["the interface `root` of a body of functions needs `at` alone"]);
}

/// Beams of the model as one flexible body; `from` another beam, ends that are held and so on are refused.
#[test]
fn beams_that_make_no_body() {
    let beam = |name: &str, from: f64, keys: &str| {
        format!(
            "[[beam]]\nname = \"{name}\"\nfrom = [{from}, 0, 0]\nto = [{}, 0, 0]\nelements = 2\n{keys}\n\
             section = {{ type = \"circle\", diameter = 0.1, young = 1e6, density = 100 }}\n\n",
            from + 0.5
        )
    };
    let model = |names: &str, interface: &str, beams: &str| {
        let source = format!("type = \"beams\", beams = [{names}]");
        cantilever(&source, interface, "modes = 2", &format!("{beams}[study]\ntype = \"equilibrium\"\n"))
    };
    let ends = "{ name = \"root\", group = \"near.start\" }, { name = \"tip\", group = \"far.end\" }";
    let both = "\"near\", \"far\"";
    let (near, far) = (beam("near", 0.0, ""), beam("far", 0.5, ""));
    let good = model(both, ends, &format!("{near}{far}"));
    run(with_model(&good).path(), &["check", "model.toml"]);
    refused(&good.replace("\"far\"]", "\"farr\"]"), 11, &["there is no beam `farr`", "did you mean `far`?"]);
    refused(&good.replace("\"far\"]", "\"near\"]"), 11, &["the beam `near` is part of `arm` already"]);
    refused(&good.replace("far.end", "far.ende"), 12, &["there is no group of the mesh `far.ende`"]);
    let apart = model(both, ends, &format!("{near}{}", beam("far", 0.6, "")));
    refused(&apart, 10, &["2 parts"]);
    let held = model(both, ends, &format!("{}{far}", beam("near", 0.0, "start = \"clamped\"")));
    refused(&held, 31, &["`near` is part of a flexible body: `start` has no effect"]);
    let joint = good.replace("\"arm.root\"", "\"near.start\"");
    refused(&joint, 18, &["`near` is part of the flexible body `arm`", "hold an interface of it"]);
}

/// One-way coupling: the motion is that of the rigid body, and the deformation that of full coupling where
/// the frame is driven.
#[test]
fn deformation_that_does_not_act_back() {
    let rod = |name: &str, y: f64, coupling: &str| {
        format!(
            "[[flexible]]\nname = \"{name}\"\nposition = [0, {y}, 0]\ncoupling = \"{coupling}\"\nmodes = 3\n\
             reference = \"root\"\nsource = {{ type = \"line\", points = [[0, 0, 0], [1, 0, 0]], elements = 10, \
             section = {{ area = 1, inertia = [1e-3, 1e-3], young = 2e6, density = 1 }} }}\n\
             interface = [{{ name = \"root\", point = 1 }}, {{ name = \"tip\", point = 11 }}]\n\n"
        )
    };
    let hinge = |name: &str, body: &str, y: f64| {
        format!(
            "[[joint]]\nname = \"{name}\"\ntype = \"revolute\"\nbetween = [\"ground\", \"{body}\"]\n\
             at = [0, {y}, 0]\naxis = [0, 1, 0]\n\n"
        )
    };
    let signal = |name: &str, value: &str| format!("[[signal]]\nname = \"{name}\"\nvalue = \"{value}\"\n\n");
    let expect = |signal: &str, tolerance: f64| {
        format!(
            "[[expect]]\nsignal = \"{signal}\"\nvalue = 0\ntolerance = {tolerance:e}\nsource = \"the other\"\n\n"
        )
    };
    // m (L²/12 + I/A) across, the two second moments along.
    let rigid = "[[body]]\nname = \"stiff\"\nmass = 1\ninertia = [2e-3, \"1/12 + 1e-3\", \"1/12 + 1e-3\"]\n\
                 position = [0.5, 1, 0]\n\n";
    let swings = [
        rod("rod", 0.0, "one_way"),
        rigid.to_owned(),
        hinge("a", "rod.root", 0.0),
        hinge("b", "stiff", 1.0),
        "[study]\nend = 1\nintegrator = \"radau\"\nrelative_tolerance = 1e-9\n\n".to_owned(),
        signal("apart", "a.angle - b.angle"),
        signal("bent", "rod.mode1"),
        expect("apart", 1e-8),
    ]
    .concat();
    let folder = with_model(&swings);
    let told = run(folder.path(), &["run", "model.toml", "--out", "runs/swings"]);
    assert!(told.contains("1 of 1 expectations hold") && told.contains("✓ energy"), "{told}");

    let push = |name: &str, body: &str| {
        format!(
            "[[force]]\nname = \"{name}\"\ntype = \"force\"\non = \"{body}.tip\"\nforce = [0, 0, \
             \"10*smootherstep(t/0.5)\"]\n\n"
        )
    };
    let drive = |name: &str, joint: &str| {
        format!(
            "[[drive]]\nname = \"{name}\"\ntype = \"joint\"\njoint = \"{joint}\"\nposition = \
             \"0.5*smootherstep(t/0.5)\"\n\n"
        )
    };
    let driven = [
        rod("one", 0.0, "one_way"),
        rod("both", 1.0, "two_way"),
        hinge("a", "one.root", 0.0),
        hinge("b", "both.root", 1.0),
        drive("first", "a"),
        drive("second", "b"),
        push("push_one", "one"),
        push("push_both", "both"),
        "[study]\nend = 0.4\nintegrator = \"radau\"\nrelative_tolerance = 1e-8\n\n".to_owned(),
        signal("bent", "one.mode1"),
        signal("difference", "(one.mode1 - both.mode1)/both.mode1"),
        expect("difference", 4e-3),
    ]
    .concat();
    let folder = with_model(&driven);
    let told = run(folder.path(), &["run", "model.toml", "--out", "runs/driven"]);
    assert!(told.contains("1 of 1 expectations hold"), "{told}");

    let stiffened =
        swings.replace("reference = \"root\"", "reference = \"root\"\ngeometric_stiffness = true");
    refused(&stiffened, 4, &["not with one-way coupling", "remove one of the two"]);
    let conserving =
        swings.replace("radau", "energy-momentum").replace("relative_tolerance = 1e-9", "step = 1e-3");
    let folder = with_model(&conserving);
    let (code, _, said) = output(poinsot(folder.path()).args(["run", "model.toml"]));
    assert!(code == 2 && said.contains("one-way"), "{said}");
}

/// Without shapes a flexible body is rigid; a structure that is held everywhere is one of shapes alone.
#[test]
fn rigid_and_structural_limits() {
    let line = "source = { type = \"line\", points = [[0, 0, 0], [1, 0, 0]], elements = 10, section = { area = 1, \
                inertia = [1e-3, 1e-3], young = 2e6, density = 1 } }";
    let body = |modes: usize| {
        format!(
            "[[flexible]]\nname = \"rod\"\nmodes = {modes}\nreference = \"root\"\n{line}\n\
             interface = [{{ name = \"root\", point = 1 }}]\nvelocity = [1, 2, 3]\nangular_velocity = [3, 5, -4]\n\n"
        )
    };
    let rigid = "[[body]]\nname = \"stiff\"\nmass = 1\ninertia = [2e-3, \"1/12 + 1e-3\", \"1/12 + 1e-3\"]\n\
                 position = [0.5, 0, 0]\nvelocity = [1, 0, 0.5]\nangular_velocity = [3, 5, -4]\n\n";
    let study = "[study]\nend = 1\nintegrator = \"radau\"\nrelative_tolerance = 1e-11\n\n";
    let expects: String = ["rotation.xy", "rotation.yz", "rotation.zx"]
        .map(|what| {
            format!(
                "[[expect]]\nsignal = \"rod.{what} - stiff.{what}\"\nvalue = 0\ntolerance = 1e-9\nsource = \"rigid\"\n\n"
            )
        })
        .concat();
    let folder = with_model(&format!("{}{rigid}{study}{expects}", body(0)));
    run(folder.path(), &["verify", "model.toml"]);

    // Both ends in walls: the frame stands still, and the beam is that of a structure.
    let held = format!(
        "[model]\ngravity = [0, 0, 0]\n[[flexible]]\nname = \"rod\"\nmodes = 4\nreference = \"root\"\n{line}\n\
         interface = [{{ name = \"root\", point = 1 }}, {{ name = \"tip\", point = 11 }}]\n\n\
         [[joint]]\nname = \"left\"\ntype = \"fixed\"\nbetween = [\"ground\", \"rod.root\"]\n\n\
         [[joint]]\nname = \"right\"\ntype = \"fixed\"\nbetween = [\"ground\", \"rod.tip\"]\n\n\
         [study]\ntype = \"modes\"\ncount = 2\n\n[[expect]]\nsignal = \"mode.1.circular_frequency\"\n\
         value = \"22.3732854*sqrt(2e6*1e-3)\"\nrelative = 0.03\nsource = \"Euler and Bernoulli, less rotary inertia\"\n"
    );
    run(with_model(&held).path(), &["verify", "model.toml"]);
}

/// Spin without stiffness of stress is told, and with it not.
#[test]
fn spin_without_stiffness_is_told() {
    let model = |keys: &str| {
        cantilever(LINE, ENDS, &format!("reference = \"root\"\n{keys}"), "[study]\nend = 0.1\nstep = 1e-3\n")
            .replace("plane = \"xy\"", "plane = \"xy\"\nrotation = [0, 0, 1]")
    };
    let told = |keys: &str| run(with_model(&model(keys)).path(), &["run", "model.toml"]);
    let flat = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
    let soft = flat(told(""));
    assert!(soft.contains("! deformation") && soft.contains("geometric_stiffness"), "{soft}");
    let stiff = flat(told("geometric_stiffness = true"));
    assert!(stiff.contains("✓ deformation"), "{stiff}");
}
