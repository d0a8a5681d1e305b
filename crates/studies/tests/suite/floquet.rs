//! Multipliers against a parameter.

use poinsot_studies::{RunOptions, Unwatched, load_str, perform};

/// The words of a study that holds.
fn told(text: &str) -> String {
    let (model, _) = load_str("test.toml", text, &[]).unwrap_or_else(|error| panic!("{error:?}"));
    let product = perform(&model, &RunOptions::default(), &Unwatched).unwrap_or_else(|e| panic!("{e:?}"));
    let words = product.summary.text();
    assert!(product.summary.holds(), "{words}");
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

fn refused(text: &str) -> String {
    match load_str("test.toml", text, &[]) {
        Err(error) => format!("{error:?}"),
        Ok((model, _)) => match perform(&model, &RunOptions::default(), &Unwatched) {
            Err(error) => format!("{error:?}"),
            Ok(product) => panic!("it runs: {}", product.summary.text()),
        },
    }
}

const MATHIEU: &str = r#"
[model]
gravity = [0, 0, 0]
[parameters]
r = 1
W = "2*r"
[[body]]
name = "mass"
type = "point"
mass = 1
position = [1, 0, 0]
[[joint]]
name = "rail"
type = "point_on_line"
between = ["ground", "mass"]
at = [0, 0, 0]
axis = [1, 0, 0]
[[force]]
name = "spring"
type = "spring"
between = ["ground", "mass"]
points = [[-10, 0, 0], [1, 0, 0]]
length = 11
force = "(1 - 0.3*cos(W*t))*(length - 11)"
"#;

fn mathieu(keys: &str, expect: &[(&str, f64, f64)]) -> String {
    let mut text = format!(
        "{MATHIEU}\n[study]\ntype = \"floquet\"\nparameter = \"r\"\nrange = [0.95, 1.05]\nvalues = 3\n\
         period = \"2*pi/W\"\nfrom = \"rest\"\n{keys}\n"
    );
    for (at, value, tolerance) in expect {
        text += &format!(
            "[[expect]]\nsignal = \"multiplier.1.magnitude\"\nat = {at}\nvalue = {value}\ntolerance = {tolerance}\n"
        );
    }
    text
}

/// motion-interpolation-galerkin V9.
const KNOWN: [(&str, f64); 3] = [("0.95", 1.206919), ("1", 1.264911), ("1.05", 1.176866)];

#[test]
fn all_methods_give_the_same_multipliers() {
    for keys in
        ["", "method = \"leading\"\ncount = 1", "method = \"hill\"\nharmonics = 6", "scheme = \"shooting\""]
    {
        let mut text = mathieu(keys, &[]);
        for (at, value) in KNOWN {
            text += &format!(
                "[[expect]]\nsignal = \"multiplier.1.magnitude\"\nat = {at}\nvalue = {value}\ntolerance = 6e-7\n"
            );
        }
        let words = told(&text);
        let alone = words.contains("the largest multipliers at 3 values");
        assert_eq!(alone, keys.contains("leading"), "{words}");
    }
}

/// Two tongues narrower than the distance of the values, motion-interpolation-galerkin V9.
#[test]
fn narrow_ranges_are_found_where_a_mode_meets_itself() {
    let text = mathieu("", &[]).replace("range = [0.95, 1.05]\nvalues = 3", "range = [0.4, 0.6]\nvalues = 4");
    let ends = [("from", 0.4907), ("to", 0.5018), ("peak", 0.4962)];
    let expect = ends.map(|(end, value)| {
        format!("[[expect]]\nsignal = \"instability.1.{end}\"\nvalue = {value}\ntolerance = 1e-4\n")
    });
    let magnitude = "[[expect]]\nsignal = \"instability.1.magnitude\"\nvalue = 1.07399\ntolerance = 6e-6\n";
    told(&(text + &expect.concat() + magnitude));
}

#[test]
fn keys_are_checked_before_the_run() {
    let hill = refused(&mathieu("harmonics = 4", &[]));
    assert!(hill.contains("is for method"), "{hill}");
    let kept = refused(&mathieu("method = \"hill\"\nharmonics = 4\nkept = 4", &[]));
    assert!(kept.contains("fewer can be kept"), "{kept}");
    let rows = refused(&mathieu("rows = 4", &[]));
    assert!(rows.contains("unknown key `rows`"), "{rows}");
    let blade = refused(&mathieu("blades = [[\"mast\"], [\"mass\"], [\"mass\"]]", &[]));
    assert!(blade.contains("there is no body or beam `mast`"), "{blade}");
    let range = refused(&mathieu("", &[]).replace("[0.95, 1.05]", "[1.05, 0.95]"));
    assert!(range.contains("the range from 1.05 to 0.95 is empty"), "{range}");
}

/// A hub on springs with blades on hinges; one of them may be heavier.
fn rotor(blades: usize, heavier: f64) -> String {
    let mut text = String::from(
        r#"
[model]
gravity = [0, 0, 0]
plane = "xy"
[parameters]
W = 21
[[body]]
name = "hub"
mass = 32
inertia = [1, 1, 1]
[[joint]]
name = "slide"
type = "prismatic"
between = ["ground", "hub"]
at = [0, 0, 0]
axis = [1, 0, 0]
[[force]]
name = "mount"
type = "spring"
between = ["ground", "hub"]
points = [[-5, 0, 0], [0, 0, 0]]
stiffness = 12000
length = 5
[[body]]
name = "rotor"
mass = 3
inertia = [1, 1, 1]
angular_velocity = [0, 0, "W"]
[[joint]]
name = "shaft"
type = "revolute"
between = ["hub", "rotor"]
at = [0, 0, 0]
axis = [0, 0, 1]
[[drive]]
name = "speed"
type = "joint"
joint = "shaft"
position = "W*t"
"#,
    );
    let mut names = vec![];
    for k in 0..blades {
        let angle = std::f64::consts::TAU * k as f64 / blades as f64;
        let (c, s) = (angle.cos(), angle.sin());
        let mass = if k == 1 { 12.75 + heavier } else { 12.75 };
        names.push(format!("[\"blade{}\"]", k + 1));
        text += &format!(
            r#"
[[body]]
name = "blade{n}"
mass = {mass}
inertia = [1, 19.2, 19.2]
position = [{x}, {y}, 0]
orientation = {{ axis = [0, 0, 1], angle = {angle} }}
velocity = ["-W*{y}", "W*{x}", 0]
angular_velocity = [0, 0, "W"]
[[joint]]
name = "lag{n}"
type = "revolute"
between = ["rotor", "blade{n}"]
at = [{hx}, {hy}, 0]
axis = [0, 0, 1]
[[force]]
name = "spring{n}"
type = "torsion"
joint = "lag{n}"
stiffness = 2760
damping = 20
"#,
            n = k + 1,
            x = 2.375 * c,
            y = 2.375 * s,
            hx = 0.25 * c,
            hy = 0.25 * s,
        );
    }
    text + &format!(
        "[study]\ntype = \"floquet\"\nparameter = \"W\"\nrange = [20, 21]\nvalues = 2\nperiod = \"2*pi/W\"\nelements = 16\n\
         blades = [{}]\n",
        names.join(", ")
    )
}

#[test]
fn equal_blades_have_constant_equations_and_others_a_reason() {
    for blades in [3, 4, 5] {
        let words = told(&rotor(blades, 0.0));
        assert!(words.contains("in multi-blade coordinates the equations are constant"), "{words}");
        let differ = words.split("give the multipliers but for ").nth(1).unwrap();
        let differ: f64 = differ.split_whitespace().next().unwrap().trim_end_matches(',').parse().unwrap();
        // States between the bounds of sixteen elements are known to 1e-6; their equations are constant to
        // 1e-5.
        assert!(differ < 1e-4, "{blades}: {words}");
    }
    let two = told(&rotor(2, 0.0));
    assert!(two.contains("a rotor with 2 blades has no constant equations"), "{two}");
    let heavier = told(&rotor(4, 1.0));
    assert!(heavier.contains("multi-blade coordinates do not apply"), "{heavier}");
    assert!(heavier.contains("blade 2"), "{heavier}");
}
