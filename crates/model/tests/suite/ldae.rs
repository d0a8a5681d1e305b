//! Energy models in `.ldae` files against reference values (lagrangian-dae-modeling §2.7, B1 … B12).

use crate::energy;

use energy::{example, model, run};
use poinsot_integrators::{Tolerance, Value};
use poinsot_model::spec::{PaceSpec, ToleranceOf};
use poinsot_studies::{load, load_str};

/// Every sample can be read and built.
#[test]
fn all_samples_load() {
    let folder = format!("{}/../../examples/ldae", env!("CARGO_MANIFEST_DIR"));
    let mut count = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let (model, _) = load(&path, &[]).unwrap_or_else(|error| panic!("{error}"));
        poinsot_model::build(&model).unwrap_or_else(|d| panic!("{}", d.one_line(&model.source)));
        count += 1;
    }
    assert!(count >= 18, "{count}");
}

/// Listing 1 runs unchanged (VC-6.9): order of unknowns, start, output grid, exact solution.
#[test]
fn the_motor_of_listing_1() {
    let motor = example("motor.ldae");
    let names: Vec<&str> = motor.signals.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["q", "theta", "qdot", "thetadot", "s", "v", "vb", "tau"]);
    assert_eq!(motor.parameters.len(), 9);
    assert_eq!(motor.equations[0].name, "motor");
    let row = |k: usize, values: &[(&str, f64)]| energy::value(&motor.equations[0].equations[k].expr, values);
    assert_eq!(row(0, &[("der(motor.q)", 5.0), ("motor.qdot", 2.0)]), 3.0);
    assert_eq!(row(4, &[("der(motor.s)", 5.0), ("motor.theta", 3.0), ("theta_d", 1.0)]), 3.0);
    // InitialEfforts are not consistent: v(0) = Kp (θ − θ_d) + Ki s.
    assert_eq!(motor.equations[0].variables[5].start, 100.0);
    let record = run(&motor, Some(1e-11), &[0.1, 1.0, 5.0, 10.0, 20.0, 50.0]);
    record.compare(
        &["theta", "qdot", "thetadot", "s", "q", "v"],
        &[
            &[0.1, 0.022668628, 0.984108067, 0.313502460, -0.099095181, 0.099356129, 98.724089055],
            &[1.0, 0.289985652, 0.792782100, 0.266439345, -0.854301976, 0.896600890, 79.544454574],
            &[5.0, 0.950313942, 0.262677222, 0.088491096, -2.138752422, 2.859790934, 26.356130062],
            &[10.0, 1.149530642, 0.022860116, 0.007875394, -1.724692844, 3.449379465, 2.293864258],
            &[20.0, 1.076708514, -0.029128375, -0.009732177, -0.474828369, 3.229152323, -2.922567666],
            &[50.0, 0.999902708, -7.682544e-5, -2.600771e-5, 0.001743775, 2.999705522, -0.007708516],
        ],
        1e-6,
    );
    let rows = run(&motor, None, &[]).rows;
    assert_eq!((rows.len(), rows[0].0, rows[999].0), (1000, 0.0, 50.0));
    assert!((rows[1].0 - 50.0 / 999.0).abs() < 1e-15);
}

/// Closed forms of VC-6.11, VC-6.12 and P4, with tolerances that the file gives.
#[test]
fn circuits_and_oscillators() {
    let rc = run(&example("ldae/rc_step.ldae"), Some(1e-13), &[0.005, 0.05]);
    rc.compare(&["q"], &[&[0.005, 1.896361676e-6], &[0.05, 2.999863800e-6]], 1e-12);
    let (omega, zeta) = (150f64.sqrt(), 0.75 / (2.0 * 13.5f64.sqrt()));
    let damped = omega * (1.0 - zeta * zeta).sqrt();
    let exact = |t: f64| {
        1e-2 * (-zeta * omega * t).exp() * ((damped * t).cos() + zeta * omega / damped * (damped * t).sin())
    };
    let oscillator = run(&example("ldae/damped_oscillator.ldae"), Some(1e-12), &[1.0, 3.0]);
    assert!((oscillator.at(3.0, "q") - 7.435006790e-5).abs() < 1e-13);
    assert!((oscillator.at(3.0, "f") - 2.641237438e-3).abs() < 1e-11);
    assert!((oscillator.at(1.0, "q") - exact(1.0)).abs() < 1e-12);
    let forced = run(&example("ldae/forced_oscillator.ldae"), Some(1e-11), &[0.257856484, 5.0]);
    forced.compare(&["q"], &[&[0.257856484, 0.019160732], &[5.0, 0.011120409]], 1e-7);
    let switched = run(&example("ldae/rc_switched.ldae"), Some(1e-10), &[2.005, 4.005]);
    switched.compare(&["q"], &[&[2.005, 1.103638324e-6], &[4.005, 1.896361676e-6]], 1e-12);
    let ladder = run(&example("ldae/lc_ladder.ldae"), Some(1e-12), &[1e-4, 1e-3]);
    ladder.compare(
        &["f2", "f4"],
        &[&[1e-4, 0.031406957, 0.037750597], &[1e-3, 0.019809964, 0.020128567]],
        1e-6,
    );
}

/// VC-6.13: the pendulum in Cartesian coordinates, in several forms, against the one in its angle.
#[test]
fn the_pendulum_in_several_forms() {
    let times = [0.25, 0.5, 1.0, 2.0, 3.0];
    let table: [&[f64]; 5] = [
        &[0.25, 0.165330679, 0.250331314, 10.221861974],
        &[0.5, -0.280765464, 0.105691790, 4.315748080],
        &[1.0, 0.064263800, 0.293036114, 11.965641313],
        &[2.0, -0.299669149, 0.014085495, 0.575157716],
        &[3.0, -0.176253971, 0.242764367, 9.912878301],
    ];
    let path = format!("{}/../../examples/ldae/cartesian_pendulum.ldae", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(path).unwrap();
    let index3 = model("p.ldae", &format!("{text}Form = index3;"));
    let phi = &index3.equations[0].equations[4].expr;
    assert_eq!(energy::value(phi, &[("p.q1", 3.0), ("p.q2", 4.0), ("l", 2.0)]), 21.0);
    for (form, unknowns) in [("stabilised", 6), ("index2", 5), ("index1", 5)] {
        let pendulum = model("p.ldae", &format!("{text}Form = {form};"));
        assert_eq!(pendulum.equations[0].variables.len(), unknowns, "{form}");
        // λ of the start is the true one: 0 at the horizontal.
        assert!(pendulum.equations[0].variables[4].start.abs() < 1e-12);
        let record = run(&pendulum, Some(1e-10), &times);
        record.compare(&["q1", "q2", "lambda1"], &table, 2e-6);
    }
    let angle = run(&example("ldae/pendulum_angle.ldae"), Some(1e-11), &times);
    angle.compare(
        &["theta", "w"],
        &[&[0.25, 0.583684628, -7.383535548], &[3.0, -0.627982342, -7.271085495]],
        1e-7,
    );
}

/// VC-6.16 … VC-6.19, P6, P7, P11: mechanisms and feedback.
#[test]
fn mechanisms_and_controllers() {
    let quick = run(&example("ldae/quick_return.ldae"), Some(1e-9), &[0.1, 1.0, 3.0, 6.0]);
    quick.compare(
        &["th1", "w1", "th2", "th3", "r2", "r4"],
        &[
            &[0.1, 0.199983422, 1.999969283, 1.151474632, 0.233131897, 0.048144002, 0.061759709],
            &[1.0, 1.999972214, 2.000009201, 1.712863824, 0.026868899, 0.058778350, 0.018661965],
            &[3.0, 5.999990165, 1.999977848, 1.061793431, 0.344845312, 0.039407107, 0.067218376],
            &[6.0, 11.999991571, 2.000007607, 1.047739163, 0.364565923, 0.033785677, 0.067990829],
        ],
        1e-6,
    );
    let suspension = run(&example("ldae/magnetic_suspension.ldae"), Some(1e-11), &[0.05, 0.1, 0.2]);
    suspension.compare(&["x"], &[&[0.05, 1.733023e-3], &[0.1, 1.816129e-3], &[0.2, 1.234833e-3]], 1e-6);
    let open = run(&example("ldae/magnetic_suspension_open.ldae"), Some(1e-11), &[0.1, 0.2]);
    open.compare(&["x", "i"], &[&[0.1, 0.010273188, 0.068643615]], 1e-6);
    open.compare(&["x"], &[&[0.2, 0.055184698]], 1e-6);
    let balanced = run(&example("ldae/inverted_pendulum.ldae"), Some(1e-11), &[0.1, 0.5]);
    balanced.compare(
        &["x", "th", "xd", "w"],
        &[
            &[0.1, 0.005805243, -0.013804222, 0.049377925, -0.119801349],
            &[0.5, 0.000977978, 0.00240613, -0.010121508, 0.00904279],
        ],
        1e-6,
    );
    let angles = run(&example("ldae/double_pendulum_angles.ldae"), Some(1e-11), &[1.0, 5.0]);
    angles.compare(
        &["a1", "a2", "w1", "w2"],
        &[
            &[1.0, 0.388091636, -0.512929396, -1.382392206, -2.061705372],
            &[5.0, -0.826947431, -0.838701095, -1.898722452, 0.890197838],
        ],
        1e-6,
    );
    let cartesian = run(&example("ldae/double_pendulum.ldae"), Some(1e-10), &[5.0]);
    let (a1, a2) = (angles.at(5.0, "a1"), angles.at(5.0, "a2"));
    let want = [a1.sin(), a1.cos(), a1.sin() + 2.0 * a2.sin(), a1.cos() + 2.0 * a2.cos()];
    cartesian.compare(&["x1", "y1", "x2", "y2"], &[&[5.0, want[0], want[1], want[2], want[3]]], 1e-7);
    let four_bar = run(&example("ldae/four_bar.ldae"), Some(1e-9), &[0.001, 0.1, 1.0, 2.0]);
    four_bar.compare(
        &["th1"],
        &[&[0.001, 0.006273968], &[0.1, 0.628304572], &[1.0, 6.283176123], &[2.0, 12.56636143]],
        1e-6,
    );
    let robot = run(&example("ldae/robot_computed_torque.ldae"), Some(1e-11), &[0.0, 0.1, 0.5, 2.1, 2.5]);
    robot.compare(&["tau1", "tau2"], &[&[0.0, 105.280753808, 41.607402704]], 1e-8);
    robot.compare(
        &["q1"],
        &[&[0.1, 0.222867164], &[0.5, 0.745226374], &[2.1, 0.56253045], &[2.5, 0.040171756]],
        1e-6,
    );
}

/// The wheels of VC-4.7 roll without slipping on a circle: ω = u/l tan φ, radius u/ω.
#[test]
fn the_three_wheeler_goes_round() {
    let record = run(&example("ldae/three_wheeler.ldae"), Some(1e-10), &[5.0, 10.0]);
    let omega = 2.0 / 1.5 * 0.3f64.tan();
    for t in [5.0, 10.0] {
        let radius = 2.0 / omega;
        let want = [radius * (omega * t).sin(), radius * (1.0 - (omega * t).cos()), omega * t];
        record.compare(&["x", "y", "th"], &[&[t, want[0], want[1], want[2]]], 1e-7);
    }
}

/// Definitions in any order, tables, functions, powers, comments; parameters, signals and what is set from
/// outside.
#[test]
fn the_language() {
    let text = "\
% a comment; with = signs\n\
power = F*f;                  // a signal of variables\n\
F = lift(t) + c*0;            # calls a table\n\
lift = table(linear, [0, 0], [1, top], [2, 0]);\n\
top = 2**3/4 + 5e-1;\n\
m = 2*half; half = 0.5;\n\
e = 3; pi2 = 2*pi; c = if(m < 2, 1, -1);\n\
DisplacementVariables = [x]; FlowVariables = [f];\n\
KineticCoEnergy = m*f**2/2;\n\
GeneralizedEfforts = [F\n\
];\n\
InitialDisplacements = [e*sin(0)]; InitialFlows = [];\n\
FinalTime = 2;\n";
    let text = text.replace("InitialFlows = [];", "InitialFlows = [0];");
    let one = model("a/b-1.ldae", &text);
    let parameters: Vec<(&str, f64)> = one.parameters.iter().map(|p| (p.name.as_str(), p.value)).collect();
    let pi2 = 2.0 * std::f64::consts::PI;
    assert_eq!(parameters, [("top", 2.5), ("m", 1.0), ("half", 0.5), ("e", 3.0), ("pi2", pi2), ("c", 1.0)]);
    let names: Vec<&str> = one.signals.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["x", "f", "F", "power"]);
    assert_eq!((one.name.as_str(), one.equations[0].name.as_str()), ("b-1", "b_1"));
    // ∫ of a triangle of height 2.5 over 2 s.
    let record = run(&one, Some(1e-10), &[1.0, 2.0]);
    record.compare(&["f", "F", "power"], &[&[1.0, 1.25, 2.5, 3.125], &[2.0, 2.5, 0.0, 0.0]], 1e-9);
    record.compare(&["x"], &[&[1.0, 2.5 / 6.0], &[2.0, 2.5]], 1e-9);
    let set = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let (heavier, _) = load_str("b.ldae", &text, &[set("half", "1"), set("top", "half*8")]).unwrap();
    let value =
        |name: &str| heavier.parameters.iter().find(|p| p.name == name).map(|p| (p.value, p.overridden));
    assert_eq!(value("m"), Some((2.0, false)));
    assert_eq!(value("top"), Some((8.0, true)));
    assert_eq!(value("c"), Some((-1.0, false)));
    run(&heavier, Some(1e-10), &[2.0]).compare(&["f"], &[&[2.0, 4.0]], 1e-9);
    let refused =
        |name: &str, value: &str| load_str("b.ldae", &text, &[set(name, value)]).unwrap_err().to_string();
    assert!(refused("F", "x").contains("cannot set `F`: `x` is not a parameter"));
    assert!(refused("hlf", "1").contains("did you mean `half`?"));
    assert!(refused("half", "2*").contains("cannot set `half` to `2*`"));
}

/// Options become settings of the study.
#[test]
fn options() {
    let text = "DisplacementVariables = [x]; FlowVariables = [f]; DynamicVariables = [s];\n\
                KineticCoEnergy = f*f/2; DynamicConstraints = [x];\n\
                InitialDisplacements = [0]; InitialFlows = [1]; InitialDynamic = [0];\n\
                InitialTime = 1; FinalTime = 3; OutputPoints = 5;\n";
    let plain = model("m.ldae", text);
    let study = |model: &poinsot_model::Model| model.motion().unwrap().clone();
    let default = study(&plain);
    assert_eq!((default.start, default.end, default.output_step), (1.0, 3.0, Some(0.5)));
    let stages = default.integrator.value("stages");
    assert_eq!((default.integrator.name, stages), ("radau", Some(Value::Count(3))));
    assert_eq!(default.local_tolerance(), Tolerance::both(1e-6));
    let record = run(&plain, None, &[]);
    let times: Vec<f64> = record.rows.iter().map(|(t, _)| *t).collect();
    assert_eq!(times, [1.0, 1.5, 2.0, 2.5, 3.0]);
    record.compare(&["x", "s"], &[&[3.0, 2.0, 2.0]], 1e-9);
    let full = model(
        "m.ldae",
        &format!(
            "{text}AbsoluteTolerance = [1e-9, 1e-8, 1e-7]; RelativeTolerance = 1e-5; InitialStepSize = 1e-3;\n\
             MaxSteps = 500; EventTimes = [1.5, 2]; NominalSizes = [1, 2, 3]; Keep = [x];\n\
             DifferentiationIndex = [0, 0, 0];"
        ),
    );
    let given = study(&full);
    assert_eq!(given.pace, PaceSpec::Adaptive { first: Some(1e-3), longest: None });
    assert_eq!((given.max_steps, given.stops.clone()), (Some(500), vec![1.5, 2.0]));
    assert_eq!(given.local_tolerance(), Tolerance { relative: 1e-5, absolute: 1e-7 });
    let first = &given.tolerances[0];
    assert_eq!(first.of, ToleranceOf::Variable { equations: 0, index: 0 });
    assert_eq!(first.tolerance, Tolerance { relative: 1e-5, absolute: 1e-9 });
    assert_eq!(full.equations[0].variables[2].nominal, 3.0);
    let (system, assembly) = poinsot_model::build(&full).unwrap();
    let motion = poinsot_studies::motion::motion_study(&full, &system, &assembly).unwrap();
    assert_eq!(motion.kinks, [1.5, 2.0]);
    assert_eq!(motion.tolerances.len(), 3);
    let (_, warnings) = load_str("m.ldae", &format!("{text}DifferentiationIndex = [0, 1, 0];"), &[]).unwrap();
    assert!(warnings[0].message.contains("DifferentiationIndex differs"), "{warnings:?}");
}

/// A start beside the constraints is moved onto them, except what must stay; redundant constraints are left
/// out.
#[test]
fn consistent_starts() {
    let text = "DisplacementVariables = [x, y]; FlowVariables = [u, v];\n\
                KineticCoEnergy = (u*u + v*v)/2; PotentialEnergy = 9.81*y;\n\
                DisplacementConstraints = [x*x + y*y - 25];\n\
                InitialDisplacements = [3, 4.1]; InitialFlows = [1, 0]; FinalTime = 1;\n";
    let (moved, warnings) = load_str("p.ldae", text, &[]).unwrap();
    assert!(warnings[0].message.contains("changed"), "{warnings:?}");
    let start = |model: &poinsot_model::Model, k: usize| model.equations[0].variables[k].start;
    let (x, y) = (start(&moved, 0), start(&moved, 1));
    assert!(
        (x * x + y * y - 25.0).abs() < 1e-9 && (x * start(&moved, 2) + y * start(&moved, 3)).abs() < 1e-9
    );
    let (kept, _) = load_str("p.ldae", &format!("{text}Keep = [x, u];"), &[]).unwrap();
    assert_eq!((start(&kept, 0), start(&kept, 2)), (3.0, 1.0));
    assert!((start(&kept, 1) - 4.0).abs() < 1e-9 && (start(&kept, 3) + 0.75).abs() < 1e-9);
    let twice = text
        .replace("[x*x + y*y - 25]", "[x*x + y*y - 25, 2*x*x + 2*y*y - 50]")
        .replace("4.1", "4")
        .replace("[1, 0]", "[0, 0]");
    let (once, warnings) = load_str("p.ldae", &twice, &[]).unwrap();
    assert!(
        warnings[0].message.contains("displacement constraint 2 follows from the others"),
        "{warnings:?}"
    );
    assert_eq!(once.equations[0].variables.len(), 6);
}
