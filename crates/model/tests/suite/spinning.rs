//! Turning frames, gyrostats and Campbell studies in model files.

use poinsot_geometry::Vec3;
use poinsot_model::spec::{BodyRef, Gyrostat};
use poinsot_model::{Model, Quantity, build};
use poinsot_studies::campbell::CampbellSpec;
use poinsot_studies::load_str;
use poinsot_studies::small_motions::About;

const ROTOR: &str = r#"
[model]
gravity = [0, 0, -9.81]
rotation = [0, 0, "Omega"]
rotation_centre = [1, 0, 0]
[parameters]
rpm = 30
Omega = "rpm*pi/30"
[[body]]
name = "rotor"
mass = 2
inertia = [1, 1, 2]
[[marker]]
name = "tilted"
body = "rotor"
orientation = { axis = [1, 0, 0], angle = "pi/2" }
[[force]]
name = "wheel"
type = "gyrostat"
on = "tilted"
axis = [0, 0, 5]
momentum = "2*Omega"
"#;

fn loaded(more: &str) -> Model {
    load_str("rotor.toml", &format!("{ROTOR}{more}"), &[]).unwrap().0
}

#[test]
fn turning_frame_and_gyrostat() {
    let model = loaded("");
    let frame = model.turning.unwrap();
    assert!((frame.rate - Vec3::z() * std::f64::consts::PI).norm() < 1e-15);
    assert_eq!(frame.centre, Vec3::x());
    let Gyrostat { on, axis, momentum } = model.forces[0].law().unwrap();
    assert_eq!(*on, BodyRef::Body(0));
    // The marker's z axis is −y of the body.
    assert!((axis + Vec3::y()).norm() < 1e-15);
    assert!((momentum - 2.0 * std::f64::consts::PI).abs() < 1e-15);
    let (system, _) = build(&model).unwrap();
    let names: Vec<&str> = system.forces().iter().map(|f| f.law.kind()).collect();
    assert_eq!(names, ["gyrostat", "inertia of the turning frame"]);
    assert!(system.is_gyroscopic());
}

#[test]
fn gravity_across_the_axis_warns_where_it_is_given() {
    let slanted = ROTOR.replace("[0, 0, \"Omega\"]", "[0, \"Omega\", \"Omega\"]");
    let (_, diagnostics) = load_str("rotor.toml", &slanted, &[]).unwrap();
    assert_eq!(diagnostics.len(), 1);
    assert!(diagnostics[0].message.contains("gravity is not along the axis"));
    let silent = load_str("rotor.toml", ROTOR, &[]).unwrap().1;
    assert!(silent.is_empty());
}

#[test]
fn campbell_study() {
    let model = loaded("[study]\ntype = \"campbell\"\nparameter = \"Omega\"\nrange = [0, \"2*pi\"]");
    let study = model.study_of::<CampbellSpec>().unwrap();
    assert_eq!((study.points, study.count, study.about), (41, 6, About::Equilibrium));
    assert_eq!((study.speed.as_str(), study.observer), ("Omega", BodyRef::Ground));
    assert!(study.orders.is_empty() && (study.range[1] - std::f64::consts::TAU).abs() < 1e-15);
    let text = "[study]\ntype = \"campbell\"\nparameter = \"rpm\"\nrange = [0, 60]\nspeed = \"Omega\"\npoints = 5\n\
                orders = [1, 2.5]\nabout = \"start\"\nobserver = \"rotor\"\n\
                [[expect]]\nsignal = \"crossing.2.value + instability.1.to\"\nat = 30\nvalue = 1\ntolerance = 1";
    let model = loaded(text);
    let study = model.study_of::<CampbellSpec>().unwrap();
    assert_eq!((study.points, study.orders.as_slice()), (5, &[1.0, 2.5][..]));
    assert_eq!((study.speed.as_str(), study.observer), ("Omega", BodyRef::Body(0)));
    let results = model.expects[0].formula.quantities.iter().map(|quantity| match quantity {
        Quantity::Result(result) => (result.what, result.at[0]),
        other => panic!("{other:?}"),
    });
    assert_eq!(results.collect::<Vec<_>>(), [("crossing.value", 1), ("instability.to", 0)]);
}
