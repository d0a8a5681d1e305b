//! The types of studies and what expectations may ask of them.

use poinsot_analysis::Pace;
use poinsot_integrators::{Method, StageForm, Tolerance};
use poinsot_model::Quantity;
use poinsot_model::build;
use poinsot_model::spec::*;
use poinsot_model::study::{StudyRequest, StudyResult};
use poinsot_studies::equilibrium::EquilibriumSpec;
use poinsot_studies::kinematics::KinematicsSpec;
use poinsot_studies::linearize::{LinearizeSpec, MatrixFormat};
use poinsot_studies::load_str;
use poinsot_studies::modes::ModesSpec;
use poinsot_studies::motion::motion_study;
use poinsot_studies::small_motions::About;

const BODIES: &str = r#"
[[body]]
name = "rotor"
mass = 1
inertia = [1, 1, 1]
[[body]]
name = "bob"
type = "point"
mass = 1
position = [1, 0, 0]
[[joint]]
name = "hinge"
type = "revolute"
between = ["ground", "rotor"]
at = [0, 0, 0]
axis = [0, 0, 1]
[[force]]
name = "push"
type = "force"
on = "rotor"
force = [0, 0, 0]
[[force]]
name = "twist"
type = "torque"
on = "rotor"
torque = [0, 0, 0]
[[force]]
name = "s"
type = "spring"
between = ["ground", "bob"]
stiffness = 2
[[force]]
name = "ts"
type = "torsion"
joint = "hinge"
stiffness = 2
[[signal]]
name = "turn"
value = "hinge.angle"
[[signal]]
name = "x"
value = "bob.position.x"
"#;

fn loaded(study: &str) -> Model {
    match load_str("f.toml", &format!("{BODIES}{study}"), &[]) {
        Ok((model, warnings)) => {
            assert!(warnings.is_empty(), "{warnings:?}");
            model
        }
        Err(error) => panic!("{}", error.render(false)),
    }
}

fn study<R: StudyRequest + Clone>(text: &str) -> R {
    loaded(text).study_of::<R>().unwrap().clone()
}

#[test]
fn motion_is_the_default() {
    for text in ["[study]\nend = 2\nstep = 0.1", "[study]\ntype = \"motion\"\nend = 2\nstep = 0.1"] {
        let study: MotionSpec = study(text);
        assert_eq!((study.word(), study.times(), study.start()), ("motion", Some((0.0, 2.0)), 0.0));
        assert_eq!(study.step(), Some(0.1));
    }
    assert_eq!(MotionSpec::new(1.0, 0.1).end, 1.0);
}

const RADAU: &str = "[study]\nend = 2\nintegrator = \"radau\"\n";

#[test]
fn adaptive_motion() {
    let motion = |text: &str| study::<MotionSpec>(text);
    let plain = motion(RADAU);
    assert_eq!(plain.pace, PaceSpec::Adaptive { first: None, longest: None });
    assert_eq!(plain.local_tolerance(), Tolerance::both(1e-6));
    let given =
        format!("{RADAU}stages = 5\nform = \"velocity\"\nrelative_tolerance = 1e-9\nfirst_step = 1e-5\n");
    let given = motion(&(given + "longest_step = 0.1\nabsolute_tolerance = 1e-7"));
    assert_eq!(given.pace, PaceSpec::Adaptive { first: Some(1e-5), longest: Some(0.1) });
    let tolerance = Tolerance { relative: 1e-9, absolute: 1e-7 };
    let Method::Implicit(settings) = given.method() else { panic!() };
    assert_eq!((settings.stages, settings.form, settings.project), (5, StageForm::Velocity, true));
    assert_eq!((settings.tolerance, settings.estimate), (tolerance, true));
    let relative = motion(&format!("{RADAU}relative_tolerance = 1e-9"));
    assert_eq!(relative.local_tolerance(), Tolerance::both(1e-9));
    // With a step the same integrator goes in fixed steps and solves each more exactly.
    let fixed = motion(&format!("{RADAU}step = 0.01"));
    assert_eq!((fixed.step(), fixed.local_tolerance()), (Some(0.01), Tolerance::both(1e-8)));
}

#[test]
fn tolerances_of_bodies() {
    let text = format!(
        "{RADAU}relative_tolerance = 1e-5\n[[study.tolerance]]\nof = \"b\"\nabsolute = 1e-9\n\
         [[body]]\nname = \"a\"\ntype = \"point\"\nmass = 1\n[[body]]\nname = \"b\"\ntype = \"point\"\nmass = 1\n"
    );
    let model = loaded(&text);
    let study = model.motion().unwrap();
    let tolerance = Tolerance { relative: 1e-5, absolute: 1e-9 };
    assert_eq!(study.tolerances, [ToleranceSpec { of: ToleranceOf::Body(3), tolerance }]);
    let (system, assembly) = build(&model).unwrap();
    let study = motion_study(&model, &system, &assembly).unwrap();
    let node = &system.nodes()[assembly.nodes[3]];
    assert_eq!(study.tolerances, [(node.unknowns(), tolerance)]);
    assert_eq!(
        study.pace,
        Pace::Adaptive { tolerance: Tolerance::both(1e-5), first: None, longest: None, every: Some(2e-3) }
    );
}

#[test]
fn kinematics() {
    let text = "[study]\ntype = \"kinematics\"\nstart = 1\nend = 3\nstep = 0.5\noutput_step = 1";
    let study: KinematicsSpec = study(text);
    assert_eq!((study.start, study.end, study.step), (1.0, 3.0, 0.5));
    assert_eq!(study.output_step, Some(1.0));
}

#[test]
fn equilibrium() {
    let found: EquilibriumSpec = study("[study]\ntype = \"equilibrium\"");
    let (tolerance, steps, most) = (found.tolerance, found.load_steps, found.max_iterations);
    assert_eq!((found.time, tolerance, steps, most), (0.0, 1e-10, 60, 60));
    let text = "[study]\ntype = \"equilibrium\"\nload_steps = 5\nmax_iterations = 7\ntime = 2";
    let found: EquilibriumSpec = study(text);
    assert_eq!((found.load_steps, found.max_iterations, found.time), (5, 7, 2.0));
}

#[test]
fn modes() {
    let found: ModesSpec = study("[study]\ntype = \"modes\"");
    assert_eq!((found.about, found.count, found.observer), (About::Equilibrium, 10, BodyRef::Ground));
    let text = "[study]\ntype = \"modes\"\nabout = \"start\"\ncount = 3\nobserver = \"rotor\"";
    let found: ModesSpec = study(text);
    assert_eq!((found.about, found.count, found.observer), (About::Start, 3, BodyRef::Body(0)));
}

#[test]
fn linearize() {
    let found: LinearizeSpec = study("[study]\ntype = \"linearize\"");
    assert!(found.inputs.is_empty() && found.outputs.is_empty());
    assert_eq!(found.formats, [MatrixFormat::Json, MatrixFormat::Npz, MatrixFormat::Mat]);
    let text = "[study]\ntype = \"linearize\"\ninputs = [\"push.x\", \"twist.z\", \"s\", \"ts\"]\n\
                outputs = [\"x\", \"turn\"]\nformat = [\"mat\"]";
    let found: LinearizeSpec = study(text);
    let inputs: Vec<_> = found.inputs.iter().map(|i| (i.name.as_str(), i.kind.clone())).collect();
    let force = |force, component| InputKind::Force { force, component };
    let expected = [
        ("push.x", force(0, Some(Axis::X))),
        ("twist.z", force(1, Some(Axis::Z))),
        ("s", force(2, None)),
        ("ts", force(3, None)),
    ];
    assert_eq!(inputs, expected);
    assert_eq!((found.outputs.as_slice(), found.formats.as_slice()), (&[1, 0][..], &[MatrixFormat::Mat][..]));
}

#[test]
fn results_of_studies_in_expectations() {
    let quantities = |study: &str, signal: &str| {
        let text = format!("[study]\n{study}\n[[expect]]\nsignal = \"{signal}\"\nvalue = 1\ntolerance = 1");
        loaded(&text).expects.remove(0).formula
    };
    let modes = quantities("type = \"modes\"\ncount = 12", "2*mode.12.frequency - mode.1.real + turn");
    let result = |what, at, unit| Quantity::Result(StudyResult::new(what, at, unit));
    let frequency = |index: usize| result("mode.frequency", [index, 0], Some("Hz"));
    let expected = [frequency(11), result("mode.real", [0, 0], Some("1/s")), Quantity::Signal(0)];
    assert_eq!(modes.quantities, expected);
    assert_eq!(modes.program.eval(&[5.0, 3.0, 1.0]), 8.0);
    let poles = quantities("type = \"linearize\"", "mode.40.damping_ratio + matrix.A.2.10");
    let entry = result("matrix.A", [1, 9], None);
    assert_eq!(poles.quantities, [result("mode.damping_ratio", [39, 0], Some("1")), entry]);
    let all = "mode.1.circular_frequency*mode.1.imaginary";
    assert_eq!(quantities("type = \"modes\"", all).quantities.len(), 2);
    let stable = quantities("type = \"equilibrium\"", "equilibrium.stable");
    assert_eq!(stable.quantities, [result("equilibrium.stable", [0, 0], Some("1"))]);
    let model = loaded("[study]\ntype = \"modes\"");
    assert_eq!(frequency(0).unit(&model), Some("Hz"));
    assert_eq!(entry.unit(&model), None);
}
