//! Exported functions run in GNU Octave and agree with the equations themselves.

use poinsot_expr::rate_name;
use poinsot_model::Symbols;
use poinsot_studies::{load, load_str};
use std::path::{Path, PathBuf};
use std::process::Command;

/// Whether GNU Octave is there. Without it the test says so, unless it is required.
fn octave() -> bool {
    let there = Command::new("octave-cli").arg("--version").output().is_ok_and(|out| out.status.success());
    let required = std::env::var("POINSOT_OCTAVE").is_ok_and(|value| value == "required");
    assert!(there || !required, "octave-cli is required, but not installed");
    if !there {
        println!("octave-cli is not installed: nothing was compared");
    }
    there
}

/// A fraction that changes from number to number.
fn spread(k: usize) -> f64 {
    ((k as f64 + 1.0) * 0.754_877_666_246_693).fract()
}

/// Runs the exported functions at a state and compares with the expressions.
fn compare(symbols: &Symbols, folder: &Path, sizes: &dyn Fn(&str) -> f64) {
    let n = symbols.unknowns.len();
    let values: Vec<f64> =
        symbols.unknowns.iter().enumerate().map(|(k, name)| sizes(name) * (0.2 + spread(k))).collect();
    let rates: Vec<f64> = (0..n).map(|k| spread(100 + k) - 0.5).collect();
    let t = 0.37;
    let files = symbols.octave().unwrap();
    for (name, text) in [&files.residual, &files.jacobian] {
        std::fs::write(folder.join(name), text).unwrap();
    }
    let column = |list: &[f64]| list.iter().map(|x| format!("{x:e}")).collect::<Vec<_>>().join(";");
    let (residual, jacobian) =
        (files.residual.0.trim_end_matches(".m"), files.jacobian.0.trim_end_matches(".m"));
    let script = format!(
        "x = [{}]; xd = [{}]; r = {residual}(x, xd, {t:e}); [a, b] = {jacobian}(x, xd, {t:e}); \
         printf('%.17g\\n', r, a, b);",
        column(&values),
        column(&rates),
    );
    let output =
        Command::new("octave-cli").args(["--quiet", "--eval", &script]).current_dir(folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8(output.stdout).unwrap();
    let numbers: Vec<f64> = text.lines().map(|line| line.trim().parse().unwrap()).collect();
    assert_eq!(numbers.len(), n + 2 * n * n, "{}", symbols.name);
    let lookup = |name: &str| {
        let rate = (0..n).find(|&k| rate_name(&symbols.unknowns[k]) == name).map(|k| rates[k]);
        let value = (0..n).find(|&k| symbols.unknowns[k] == name).map(|k| values[k]);
        let parameter = symbols.parameters.iter().find(|p| p.0 == name).map(|p| p.1);
        rate.or(value).or(parameter).or((name == "t").then_some(t))
    };
    let near = |own: f64, other: f64, scale: f64, what: &str| {
        assert!(
            (own - other).abs() <= 1e-12 * scale.max(own.abs()),
            "{}: {what}: {own} and {other}",
            symbols.name
        );
    };
    for (k, equation) in symbols.equations.iter().enumerate() {
        let derivative = |j: usize, name: &str, place: usize| {
            let own = equation.derivative(name).eval(&lookup).unwrap();
            near(own, numbers[place], 0.0, &format!("row {k}, derivative {j} by {name}"));
            own
        };
        // Octave stores matrices by columns.
        let mut scale: f64 = 0.0;
        for j in 0..n {
            let by_value = derivative(j, &symbols.unknowns[j], n + j * n + k);
            let by_rate = derivative(j, &rate_name(&symbols.unknowns[j]), n + n * n + j * n + k);
            scale = scale.max((by_value * values[j]).abs()).max((by_rate * rates[j]).abs());
        }
        near(equation.eval(&lookup).unwrap(), numbers[k], scale, &format!("row {k}"));
    }
}

/// A folder of its own.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&path).unwrap();
    path
}

#[test]
fn energy_models_agree_with_octave() {
    if !octave() {
        return;
    }
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    for file in [
        "motor.ldae",
        "ldae/cartesian_pendulum.ldae",
        "ldae/power_supply_filter.ldae",
        "ldae/transistor_amplifier.ldae",
        "ldae/quick_return.ldae",
        "ldae/magnetic_suspension.ldae",
        "ldae/robot_computed_torque.ldae",
        "ldae/rc_switched.ldae",
    ] {
        let (model, _) = load(examples.join(file), &[]).unwrap_or_else(|e| panic!("{file}: {e}"));
        let symbols = Symbols::of(&model).unwrap();
        // Voltages of diodes stay where exponentials are numbers of a usual size.
        let sizes = |name: &str| if name.starts_with('v') { 0.3 } else { 1.0 };
        compare(&symbols, &folder(&symbols.name), &sizes);
    }
}

#[test]
fn equations_of_a_toml_model_agree_with_octave() {
    if !octave() {
        return;
    }
    let text = r#"
[parameters]
L = 0.5
[[table]]
name = "bump"
points = [[0, 0], [0.5, 1], [1, 0]]
[[equations]]
name = "coil"
variables = { i = 0.1, u = 1, end = 0 }
equations = ["L*der(i) = u - 2*i", "u = if(i > 0.3, bump(t), max(i, 0.1)^1.5)", "der(end) = atan2(i, u) + mod(u, 0.3)"]
[study]
type = "motion"
end = 1
integrator = "radau"
"#;
    let (model, _) = load_str("coil.toml", text, &[]).unwrap();
    compare(&Symbols::of(&model).unwrap(), &folder("coil"), &|_| 1.0);
}
