//! A file that uses everything.

use poinsot_geometry::{Pose, Vec3};
use poinsot_integrators::{Member, Method, Treatment, Value};
use poinsot_mechanics::mass_properties::{self, Shape};
use poinsot_model::quantity::{ForceQuantity, JointQuantity, Motion, SystemQuantity};
use poinsot_model::spec::*;
use poinsot_model::{Quantity, build};
use poinsot_studies::motion::motion_study;
use poinsot_studies::{load, load_str};

const GOOD: &str = include_str!("good.toml");

fn model() -> Model {
    match load_str("good.toml", GOOD, &[]) {
        Ok((model, warnings)) => {
            let lines: Vec<_> = warnings.iter().map(|w| w.one_line(&model.source)).collect();
            assert!(lines.is_empty(), "{lines:#?}");
            model
        }
        Err(error) => panic!("{}", error.render(false)),
    }
}

fn near(a: Vec3, b: [f64; 3]) {
    assert!((a - Vec3::from(b)).norm() < 1e-12, "{a} is not {b:?}");
}

fn world(model: &Model, end: &EndSpec) -> Pose {
    model.pose(end.body) * end.frame
}

#[test]
fn settings_and_parameters() {
    let model = model();
    assert_eq!(model.name, "Everything");
    assert_eq!(model.gravity, Vec3::new(0.0, 0.0, -9.81));
    let values: Vec<_> = model.parameters.iter().map(|p| (p.name.as_str(), p.value)).collect();
    let expected = [("m", 15.0), ("L", 1.0), ("a", 0.5), ("g", 9.81), ("F0", 10.0), ("J", 1.25)];
    assert_eq!(values, expected);
}

#[test]
fn overrides_replace_parameters_before_others_depend_on_them() {
    let set = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let overrides = [set("a", "1"), set("a", "0.5 + g - 9.31"), set("g", "9.81")];
    let (model, _) = load_str("good.toml", GOOD, &overrides).unwrap();
    let value = |name: &str| model.parameters.iter().find(|p| p.name == name).unwrap().value;
    assert!((value("a") - 1.0).abs() < 1e-12);
    assert!((value("L") - 2.0).abs() < 1e-12);
    let changed: Vec<_> = model.parameters.iter().filter(|p| p.overridden).collect();
    assert_eq!(changed.len(), 2);
}

#[test]
fn bodies() {
    let model = model();
    let names: Vec<_> = model.bodies.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["top", "arm", "block", "wheel", "plate", "rod", "bob"]);
    let BodyKind::Rigid(top) = &model.bodies[0].kind else { panic!() };
    near(top.angular_velocity, [2.0, 0.0, 0.0]);
    near(top.pose.rotation * Vec3::z(), [1.0, 0.0, 0.0]);
    let BodyKind::Rigid(arm) = &model.bodies[1].kind else { panic!() };
    let MassSpec::Given { mass, inertia, .. } = &arm.mass else { panic!() };
    assert_eq!(*mass, 2.0);
    assert!((inertia[(1, 1)] - (1.1 - 2.0 * 0.01)).abs() < 1e-12);
    assert_eq!(inertia[(0, 1)], 0.1);
    let BodyKind::Rigid(wheel) = &model.bodies[3].kind else { panic!() };
    let MassSpec::Shapes(shapes) = &wheel.mass else { panic!() };
    assert_eq!(shapes.len(), 5);
    let wheel = Shape::Cylinder { radius: 0.3, length: 0.05, axis: mass_properties::Axis::Y };
    assert_eq!(shapes[0].solid, Solid::Shape(wheel));
    assert_eq!(shapes[1].amount, Amount::Mass(1.0));
    let BodyKind::Rigid(rod) = &model.bodies[5].kind else { panic!() };
    let MassSpec::Shapes(shapes) = &rod.mass else { panic!() };
    assert_eq!(shapes[0].amount, Amount::Mass(0.5));
    let BodyKind::Point(bob) = &model.bodies[6].kind else { panic!() };
    near(bob.velocity, [0.0, 1.0, 0.0]);
}

#[test]
fn ends_of_joints_meet_at_the_start() {
    let model = model();
    let joint = |name: &str| model.joints.iter().find(|j| j.name == name).unwrap();
    for name in ["pivot", "hinge", "slide", "table", "weld"] {
        let joint = joint(name);
        let gap = world(&model, &joint.first).relative(&world(&model, &joint.second));
        assert!(gap.r.norm() < 1e-12, "{name}");
        assert!((gap.rotation - poinsot_geometry::Mat3::identity()).norm() < 1e-12, "{name}");
    }
    let hinge = joint("hinge");
    near(world(&model, &hinge.first).rotation * Vec3::z(), [0.0, 0.0, 1.0]);
    near(world(&model, &hinge.second).r, [0.0, 0.0, 1.0]);
    let screw = joint("screw");
    assert_eq!(screw.first.body, BodyRef::Ground);
    assert_eq!(screw.first.marker, Some(1));
    near(world(&model, &screw.first).rotation * Vec3::z(), [0.0, 0.0, 1.0]);
    near(world(&model, &screw.second).rotation * Vec3::z(), [0.0, 1.0, 0.0]);
    let cardan = joint("cardan");
    near(world(&model, &cardan.first).rotation * Vec3::z(), [1.0, 0.0, 0.0]);
    near(world(&model, &cardan.first).rotation * Vec3::x(), [0.0, 1.0, 0.0]);
    near(world(&model, &cardan.second).rotation * Vec3::z(), [0.0, 1.0, 0.0]);
    assert_eq!(joint("string").law().map(|Distance { length }| *length), Some(2.0));
}

#[test]
fn forces_are_compiled() {
    let model = model();
    let named = |name: &str| model.forces.iter().find(|f| f.name == name).unwrap();
    let PointForce { force, frame, on } = named("push").law().unwrap();
    assert_eq!(*frame, Frame::Body);
    near(on.frame.r, [0.0, 0.0, 1.0]);
    assert!((force[0].value(&[1.0]) - 10.0 * 1f64.sin()).abs() < 1e-12);
    let Torque { torque, on, .. } = named("drive").law().unwrap();
    assert_eq!(torque[2].value(&[0.0]), 10.0);
    assert_eq!(on.marker, Some(0));
    let Spring { law, first, second, length, .. } = named("s1").law().unwrap();
    let law = law.as_ref().unwrap();
    assert_eq!(law.value(&[0.0, 3.0, 2.0]), 6.0);
    assert_eq!(*length, 0.07785);
    near(first.frame.r, [0.0, 0.0, 1.0]);
    near(second.frame.r, [0.0, 0.0, 0.0]);
    let Torsion { joint, law, .. } = named("ts").law().unwrap();
    let law = law.as_ref().unwrap();
    assert_eq!(model.joints[*joint].name, "hinge");
    assert_eq!(law.value(&[0.0, 2.0, 0.0]), -8.0);
    let Bushing { stiffness, damping, .. } = named("mount").law().unwrap();
    assert_eq!(stiffness[(5, 5)], 10.0);
    assert_eq!(damping.norm(), 0.0);
}

#[test]
fn study() {
    let model = model();
    let study = model.motion().unwrap();
    assert_eq!((study.start, study.end, study.step()), (0.0, 5.0, Some(1e-3)));
    let (name, form) = (study.integrator.name, study.integrator.form());
    let rho = study.integrator.value("rho");
    assert_eq!((name, rho, form), ("generalized-alpha", Some(Value::Number(0.9)), "position"));
    assert_eq!(study.method().gs4().unwrap().member, Member::u0(0.9, 0.9, 0.9));
    assert_eq!(study.output_step, Some(0.01));
}

#[test]
fn study_by_roots_and_defaults() {
    let text = "[study]\nend = 1\nstep = 0.1\nintegrator = { family = \"V0\", roots = [0.5, 1, 0.2] }\n";
    let (model, _) = load_str("dir/roots.toml", text, &[]).unwrap();
    assert_eq!(model.name, "roots");
    let study = model.motion().unwrap();
    let Method::Gs4(settings) = study.method() else { panic!() };
    assert_eq!((settings.member, settings.tolerance), (Member::v0(0.5, 1.0, 0.2), 1e-10));
    assert_eq!((study.integrator.name, study.integrator.form()), ("gs4", "stabilised"));
    let (model, _) =
        load_str("f", "[study]\nend = 1\nstep = 0.1\nintegrator = \"chung-hulbert\"", &[]).unwrap();
    let integrator = &model.motion().unwrap().integrator;
    assert_eq!(integrator.name, "generalized-alpha");
    assert_eq!(integrator.value("rho"), Some(Value::Number(0.9)));
}

/// A penalty that is not given follows from mass, step and length of the model; one that is given stays.
#[test]
fn structure_preserving_studies() {
    let text = |keys: &str| {
        format!(
            "[[body]]\nname = \"a\"\ntype = \"point\"\nmass = 2\nposition = [3, 0, 0]\n\
             [[joint]]\nname = \"rod\"\ntype = \"distance\"\nbetween = [\"ground\", \"a\"]\n\
             [study]\nend = 1\nstep = 0.01\nintegrator = \"energy-momentum\"\n{keys}"
        )
    };
    let treatment = |keys: &str| {
        let (model, warnings) = load_str("f", &text(keys), &[]).unwrap();
        assert!(warnings.is_empty());
        let (system, assembly) = build(&model).unwrap();
        let study = motion_study(&model, &system, &assembly).unwrap();
        let Method::Conserving(settings) = study.method else { panic!() };
        (settings.treatment, system.length_scale())
    };
    let near = |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-14, "{a} {b}");
    let (Treatment::Penalty { stiffness }, _) = treatment("constraints = \"penalty\"") else { panic!() };
    near(stiffness, 2e7);
    let found = treatment("form = \"augmented-lagrange\"");
    let (Treatment::AugmentedLagrange { stiffness, tolerance }, length) = found else { panic!() };
    near(stiffness, 2e7);
    near(tolerance, 1e-10 * length);
    let given = "form = \"augmented-lagrange\"\npenalty = 1e5\nconstraint_tolerance = 1e-9";
    assert_eq!(treatment(given).0, Treatment::AugmentedLagrange { stiffness: 1e5, tolerance: 1e-9 });
    assert_eq!(treatment("").0, Treatment::Automatic);
    assert_eq!(treatment("form = \"null-space\"\ncoordinates = \"directors\"").0, Treatment::NullSpace);
}

#[test]
fn signals_name_quantities() {
    let model = model();
    let signal = |name: &str| model.signals.iter().find(|s| s.name == name).unwrap();
    let tip = signal("tip_z");
    let z = Quantity::Marker { marker: 0, what: Motion::Position(Axis::Z) };
    assert_eq!(tip.formula.quantities, [z]);
    assert_eq!(tip.unit.as_deref(), Some("m"));
    let height = signal("height");
    let bob = Quantity::Body { body: 6, what: Motion::Position(Axis::Z) };
    assert_eq!(height.formula.quantities, [Quantity::Signal(0), bob]);
    assert_eq!(height.formula.program.eval(&[5.0, 2.0]), 6.0);
    assert_eq!(signal("angle").unit.as_deref(), Some("rad"));
    let drift = signal("drift");
    assert_eq!(drift.unit, None);
    assert_eq!(
        drift.formula.quantities,
        [
            Quantity::System(SystemQuantity::TotalEnergy),
            Quantity::System(SystemQuantity::KineticEnergy),
            Quantity::Time
        ]
    );
    let pull = Quantity::Joint { joint: 6, what: JointQuantity::ReactionAxial };
    assert_eq!(signal("pull").formula.quantities, [pull]);
    assert_eq!(signal("same_pull").unit.as_deref(), Some("N"));
}

#[test]
fn expectations() {
    let model = model();
    let [first, second] = &model.expects[..] else { panic!() };
    assert_eq!(first.formula.quantities, [Quantity::Signal(0)]);
    assert_eq!((first.at, first.tolerance), (Some(1.0), Tolerance::Absolute(1e-4)));
    assert_eq!(second.value, 0.5);
    assert_eq!(second.tolerance.bound(second.value), 5e-4);
    let torque = Quantity::Force { force: 3, what: ForceQuantity::Effort };
    assert_eq!(second.formula.quantities[1], torque);
}

#[test]
fn planar_model_needs_only_one_moment() {
    let text = "[model]\nplane = \"xy\"\ngravity = [0, -9.81, 0]\n\
                [[body]]\nname = \"link\"\nmass = 1\ninertia = [0, 0, 0.1]\n";
    let (model, warnings) = load_str("f", text, &[]).unwrap();
    assert_eq!(model.plane, Some(Plane::Xy));
    assert!(warnings.is_empty());
}

#[test]
fn mesh_paths_are_relative_to_the_model() {
    let directory = tempfile::tempdir().unwrap();
    let text = "[[body]]\nname = \"part\"\nshape = { type = \"mesh\", file = \"part.stl\", mass = 1 }\n";
    let path = directory.path().join("model.toml");
    std::fs::write(&path, text).unwrap();
    assert!(load(&path, &[]).is_err());
    std::fs::write(directory.path().join("part.stl"), "solid\n").unwrap();
    let (model, _) = load(&path, &[]).unwrap();
    let BodyKind::Rigid(part) = &model.bodies[0].kind else { panic!() };
    let MassSpec::Shapes(shapes) = &part.mass else { panic!() };
    assert!(matches!(&shapes[0].solid, Solid::Mesh(mesh) if mesh.triangles.is_empty()));
    assert_eq!(model.files[0].path, directory.path().join("part.stl"));
}

#[test]
fn empty_file_is_an_empty_model() {
    let (model, warnings) = load_str("empty.toml", "", &[]).unwrap();
    assert_eq!(model.name, "empty");
    assert!(model.bodies.is_empty() && warnings.is_empty() && model.study.is_none());
    assert_eq!(model.gravity, Vec3::new(0.0, 0.0, -9.81));
}

#[test]
fn markers_give_their_own_frames() {
    let text = r#"
[[body]]
name = "a"
mass = 1
inertia = [1, 1, 1]
orientation = { axis = [0, 0, 1], angle = 1 }
position = [1, 2, 3]
[[body]]
name = "b"
mass = 1
inertia = [1, 1, 1]
[[marker]]
name = "on_a"
body = "a"
position = [0, 0, 1]
orientation = { x_axis = [0, 1, 0], z_axis = [1, 0, 0] }
[[marker]]
name = "on_b"
body = "b"
position = [1, 0, 0]
orientation = { x_axis = [1, 0, 0], z_axis = [0, 1, 0] }
[[joint]]
name = "both"
type = "revolute"
between = ["on_a", "on_b"]
at = [0, 0, 0]
[[joint]]
name = "tilted"
type = "revolute"
between = ["a", "on_b"]
axis = [0, 1, 1]
[[joint]]
name = "cardan"
type = "universal"
between = ["on_b", "a"]
second_axis = [0, 0, 1]
[[force]]
name = "follower"
type = "force"
on = "on_a"
force = [1, 0, 0]
frame = "body"
"#;
    let (model, warnings) = load_str("f.toml", text, &[]).unwrap();
    let lines: Vec<_> = warnings.iter().map(|w| w.one_line(&model.source)).collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
    assert!(lines[0].starts_with("f.toml:26:6: warning: `at` of `both` is not used"), "{lines:?}");
    let [both, tilted, cardan] = &model.joints[..] else { panic!() };
    let close = |a: Pose, b: Pose| (a.r - b.r).norm() + (a.rotation - b.rotation).norm() < 1e-12;
    assert!(close(both.first.frame, model.markers[0].pose));
    assert!(close(both.second.frame, model.markers[1].pose));
    // The body's end takes the marker's point, the given axis and the marker's x axis.
    let first = world(&model, &tilted.first);
    near(first.r, [1.0, 0.0, 0.0]);
    near(first.rotation * Vec3::x(), [1.0, 0.0, 0.0]);
    near(first.rotation * Vec3::z() * 2f64.sqrt(), [0.0, 1.0, 1.0]);
    near(world(&model, &tilted.second).rotation * Vec3::z(), [0.0, 1.0, 0.0]);
    near(world(&model, &cardan.first).rotation * Vec3::z(), [0.0, 1.0, 0.0]);
    near(world(&model, &cardan.second).rotation * Vec3::z(), [0.0, 0.0, 1.0]);
    let PointForce { on, .. } = model.forces[0].law().unwrap();
    assert!(close(on.frame, model.markers[0].pose));
}
