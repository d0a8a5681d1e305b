//! Joints of every kind, couplings, drives, constraints and tables.

use poinsot_geometry::{Mat3, Pose, Vec3, so3};
use poinsot_model::quantity::{
    ConstraintQuantity, CouplingQuantity, DriveQuantity, JointQuantity, Motion, Quantity,
};
use poinsot_model::spec::*;
use poinsot_studies::kinematics::KinematicsSpec;
use poinsot_studies::{load, load_str};
use std::f64::consts::PI;

const MECHANISM: &str = include_str!("mechanism.toml");

fn loaded(text: &str) -> Model {
    match load_str("f.toml", text, &[]) {
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

fn joint<'a>(model: &'a Model, name: &str) -> &'a JointSpec {
    model.joints.iter().find(|j| j.name == name).unwrap()
}

/// World frames of the two ends at the start.
fn frames(model: &Model, name: &str) -> [Pose; 2] {
    let joint = joint(model, name);
    [&joint.first, &joint.second].map(|end| model.pose(end.body) * end.frame)
}

fn axis(frame: &Pose, index: usize) -> Vec3 {
    frame.rotation.column(index).into()
}

#[test]
fn screw_with_stops() {
    let model = loaded(MECHANISM);
    let thread = joint(&model, "thread");
    assert_eq!(thread.law().map(|Screw { lead }| *lead), Some(-0.005));
    let limit = LimitSpec {
        coordinate: 1,
        force: "limit_force",
        lower: None,
        upper: Some(0.1),
        stiffness: 1e6,
        damping: 0.0,
    };
    assert_eq!(thread.limits, [limit]);
    let names: Vec<_> = thread.kind.coordinates().iter().map(|c| (c.name, c.rate)).collect();
    assert_eq!(names, [("angle", "rate"), ("displacement", "displacement_rate")]);
}

#[test]
fn stops_and_friction() {
    let model = loaded(MECHANISM);
    let bearing = joint(&model, "bearing");
    let [limit] = bearing.limits[..] else { panic!() };
    assert_eq!((limit.coordinate, limit.upper, limit.damping), (0, Some(1.0), 0.2));
    assert!((limit.lower.unwrap() + PI / 2.0).abs() < 1e-15);
    let friction = FrictionSpec {
        static_coefficient: 0.2,
        dynamic_coefficient: 0.1,
        stribeck_velocity: 1e-2,
        transition_velocity: 1e-3,
        viscous: 0.4,
        radius: Some(0.01),
        arm: Some(0.05),
        preload: 3.0,
    };
    assert_eq!(bearing.friction, Some(friction));
    let guide = joint(&model, "guide").friction.unwrap();
    assert_eq!((guide.static_coefficient, guide.dynamic_coefficient), (0.3, 0.3));
    assert_eq!((guide.stribeck_velocity, guide.radius, guide.arm), (2e-2, None, None));
    let sleeve = &joint(&model, "sleeve").limits;
    assert_eq!(sleeve.iter().map(|l| l.coordinate).collect::<Vec<_>>(), [0, 1]);
    assert_eq!((sleeve[0].lower, sleeve[0].upper), (Some(-1.0), None));
}

#[test]
fn points_on_line_and_plane() {
    let model = loaded(MECHANISM);
    let [line, bead] = frames(&model, "wire");
    near(line.r, [0.0, 0.0, 2.0]);
    near(axis(&line, 2), [1.0, 0.0, 0.0]);
    near(bead.r, [0.5, 0.0, 2.0]);
    let [plane, puck] = frames(&model, "ice");
    // Without `at` the plane goes through the point.
    near(plane.r, [0.5, 0.5, 0.0]);
    near(puck.r, [0.5, 0.5, 0.0]);
    near(axis(&plane, 2), [0.0, 0.0, 1.0]);
    let coordinates = |name: &str| joint(&model, name).kind.coordinates();
    assert_eq!(coordinates("wire").iter().map(|c| c.name).collect::<Vec<_>>(), ["displacement"]);
    assert_eq!(coordinates("ice").iter().map(|c| c.rate).collect::<Vec<_>>(), ["x_rate", "y_rate"]);
}

#[test]
fn point_of_a_rigid_body_on_a_line() {
    let bodies = "[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\nposition = [1, 2, 3]\n\
                  [[marker]]\nname = \"m\"\nbody = \"ground\"\norientation = { axis = [0, 1, 0], angle = \"pi/2\" }\n";
    let line = |keys: &str| {
        let text = format!(
            "{bodies}[[joint]]\nname = \"j\"\ntype = \"point_on_line\"\nbetween = [\"ground\", \"a\"]\n{keys}"
        );
        frames(&loaded(&text), "j")
    };
    let [first, second] = line("at = [1, 0, 0]\naxis = [0, 0, 1]");
    near(first.r, [1.0, 0.0, 0.0]);
    near(second.r, [1.0, 0.0, 0.0]);
    let [first, second] = line("at = [1, 0, 0]\naxis = [0, 0, 1]\npoint = [1, 0, 5]");
    near(first.r, [1.0, 0.0, 0.0]);
    near(second.r, [1.0, 0.0, 5.0]);
    let text = format!(
        "{bodies}[[joint]]\nname = \"j\"\ntype = \"point_on_line\"\nbetween = [\"m\", \"a\"]\npoint = [4, 0, 0]"
    );
    let [first, second] = frames(&loaded(&text), "j");
    near(axis(&first, 2), [1.0, 0.0, 0.0]);
    near(second.r, [4.0, 0.0, 0.0]);
}

#[test]
fn curve_is_a_function_of_s() {
    let model = loaded(MECHANISM);
    let PointOnCurve { curve, start } = joint(&model, "track").law().unwrap();
    assert_eq!(*start, 0.25);
    assert!((curve[0].value(&[1.0]) - 1f64.cos()).abs() < 1e-15);
    assert!((curve[1].second(0, 0, &[1.0]) + 1f64.sin()).abs() < 1e-15);
    assert!((curve[2].value(&[1.0]) - 0.4).abs() < 1e-12);
    let [first, second] = frames(&model, "track");
    near(first.r, [0.0, 0.0, 0.0]);
    near(second.r, [1.0, 0.0, 0.0]);
    let placed =
        MECHANISM.replace("start = 0.25", "at = [0, 0, 2]\norientation = { axis = [0, 0, 1], angle = 1 }");
    let [first, _] = frames(&loaded(&placed), "track");
    near(first.r, [0.0, 0.0, 2.0]);
    near(axis(&first, 0), [1f64.cos(), 1f64.sin(), 0.0]);
}

#[test]
fn constant_velocity_starts_with_a_pure_bend() {
    let model = loaded(MECHANISM);
    let [first, second] = frames(&model, "bent");
    near(axis(&first, 2), [1.0, 0.0, 0.0]);
    let half = 0.5f64.sqrt();
    near(axis(&second, 2), [half, half, 0.0]);
    // The rotation between the frames: about the normal of both shafts, by the angle between them.
    let turn = so3::log(&(second.rotation * first.rotation.transpose()));
    near(turn, [0.0, 0.0, PI / 4.0]);
    let straight = MECHANISM.replace("second_axis = [1, 1, 0]\n", "");
    let [first, second] = frames(&loaded(&straight), "bent");
    assert!((first.rotation - second.rotation).norm() < 1e-12);
}

#[test]
fn constant_velocity_from_a_marker() {
    let model = loaded(
        "[[body]]\nname = \"a\"\nmass = 1\ninertia = [1, 1, 1]\n[[body]]\nname = \"b\"\nmass = 1\ninertia = [1, 1, 1]\n\
         [[marker]]\nname = \"m\"\nbody = \"b\"\norientation = { axis = [1, 2, 3], angle = 0.7 }\n\
         [[joint]]\nname = \"j\"\ntype = \"constant_velocity\"\nbetween = [\"a\", \"m\"]\naxis = [0, 0, 1]",
    );
    let [first, second] = frames(&model, "j");
    near(axis(&first, 2), [0.0, 0.0, 1.0]);
    let turn = so3::log(&(second.rotation * first.rotation.transpose()));
    assert!(turn.dot(&axis(&first, 2)).abs() < 1e-12 && turn.dot(&axis(&second, 2)).abs() < 1e-12);
    assert_eq!(joint(&model, "j").second.marker, Some(0));
}

#[test]
fn rolling_bodies() {
    let model = loaded(MECHANISM);
    assert_eq!(joint(&model, "tyre").law().map(|RollingDisk { radius }| *radius), Some(0.3));
    let [plane, wheel] = frames(&model, "tyre");
    near(axis(&plane, 2), [0.0, 0.0, 1.0]);
    near(wheel.r, [2.0, 1.0, 0.3]);
    near(axis(&wheel, 2), [0.0, 1.0, 0.0]);
    assert_eq!(joint(&model, "roll").law().map(|RollingBall { radius }| *radius), Some(0.1));
    near(frames(&model, "roll")[1].r, [4.0, 0.0, 0.1]);
}

#[test]
fn knife_edge_frames() {
    let model = loaded(MECHANISM);
    let [plane, blade] = frames(&model, "blade");
    near(axis(&plane, 2), [0.0, 0.0, 1.0]);
    near(blade.r, [5.0, 0.2, 0.0]);
    let half = 0.5f64.sqrt();
    near(axis(&blade, 0), [half, 0.0, half]);
    near(axis(&blade, 1), [0.0, 1.0, 0.0]);
    near(axis(&blade, 2), [-half, 0.0, half]);
    assert!((blade.rotation.transpose() * blade.rotation - Mat3::identity()).norm() < 1e-12);
    assert!((blade.rotation.determinant() - 1.0).abs() < 1e-12);
}

#[test]
fn couplings_are_linear_relations() {
    let model = loaded(MECHANISM);
    let index = |name: &str| model.joints.iter().position(|j| j.name == name).unwrap();
    let term = |name: &str, coordinate, factor| CouplingTerm { joint: index(name), coordinate, factor };
    let coupling = |name: &str| model.couplings.iter().find(|c| c.name == name).unwrap();
    let terms = |name: &str| coupling(name).terms.clone();
    assert_eq!(terms("gears"), [term("bearing", 0, 20.0), term("sleeve", 0, 40.0)]);
    assert_eq!(terms("ring"), [term("bearing", 0, 1.0), term("ground_plane", 2, -3.0)]);
    assert_eq!(terms("rack"), [term("bearing", 0, 0.02), term("guide", 0, 1.0)]);
    assert_eq!(terms("band"), [term("bearing", 0, 0.1), term("sleeve", 0, -0.2)]);
    let sum = [term("sleeve", 1, 2.0), term("guide", 0, -20.0), term("wire", 0, 1.0)];
    assert_eq!(terms("sum"), sum);
    assert_eq!((coupling("sum").offset, coupling("gears").offset), (Some(0.5), None));
    assert_eq!((coupling("sum").kind.word, coupling("rack").kind.word), ("linear", "rack_and_pinion"));
    let crossed = loaded(&MECHANISM.replace("radii = [0.1, 0.2]", "radii = [0.1, 0.2]\ncrossed = true"));
    assert_eq!(crossed.couplings[3].terms[1].factor, 0.2);
}

#[test]
fn tables_are_functions_everywhere() {
    let model = loaded(MECHANISM);
    assert_eq!(model.tables.iter().map(|t| t.name.as_str()).collect::<Vec<_>>(), ["lift", "wave"]);
    assert_eq!(model.tables[0].table.points()[1], (0.3, 1.0));
    let PointForce { force, .. } = model.forces[0].law().unwrap();
    assert_eq!((force[0].value(&[2.5]), force[0].partial(0, &[2.5])), (1.0, 2.0));
    let Spring { law, .. } = model.forces[1].law().unwrap();
    let law = law.as_ref().unwrap();
    assert!((law.value(&[0.0, 0.3, 0.0]) - 1.0).abs() < 1e-12);
    let text = format!(
        "{MECHANISM}output_step = \"wave(0.25)\"\n[[signal]]\nname = \"y\"\nvalue = \"wave(bead.position.x)\""
    );
    let model = loaded(&text);
    let study = model.study_of::<KinematicsSpec>().unwrap();
    assert_eq!(study.output_step, Some(0.5));
    assert_eq!(model.signals.last().unwrap().formula.program.eval(&[0.75]), 1.5);
}

#[test]
fn tables_from_files() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("model.toml");
    let text = "[[table]]\nname = \"f\"\nfile = \"f.csv\"\ncolumns = [3, 1]\ninterpolation = \"linear\"\n";
    std::fs::write(&path, text).unwrap();
    std::fs::write(directory.path().join("f.csv"), "y, note, x\n1, a, 0\n3, b, 2\n").unwrap();
    let (model, _) = load(&path, &[]).unwrap();
    assert_eq!(model.tables[0].table.points(), [(0.0, 1.0), (2.0, 3.0)]);
    assert_eq!(model.tables[0].table.value(1.0, 0), 2.0);
    std::fs::write(directory.path().join("f.csv"), "y, note, x\n1, a, 0\n\n3, b, 0\n").unwrap();
    let error = load(&path, &[]).unwrap_err().to_string();
    assert!(error.contains("model.toml:3:8: error: f.csv, line 4: the abscissae must increase"), "{error}");
    std::fs::write(directory.path().join("f.csv"), "1, a, 0\n3, b\n").unwrap();
    let error = load(&path, &[]).unwrap_err().to_string();
    assert!(error.contains("f.csv, line 2: there is no column 3"), "{error}");
}

#[test]
fn drives_impose_functions_of_time() {
    let model = loaded(MECHANISM);
    let named = |name: &str| model.drives.iter().find(|d| d.name == name).unwrap();
    let JointDrive { joint, coordinate, law, level, .. } = named("motor").law().unwrap();
    assert_eq!((model.joints[*joint].name.as_str(), *coordinate), ("bearing", 0));
    assert_eq!(*level, DriveLevel::Position);
    assert!((law.value(&[1.0]) - (2.0 * PI + 0.4)).abs() < 1e-12);
    let JointDrive { joint, coordinate, law, level, .. } = named("spindle").law().unwrap();
    assert_eq!((model.joints[*joint].name.as_str(), *coordinate), ("sleeve", 1));
    assert_eq!((*level, law.partial(0, &[0.0])), (DriveLevel::Rate, 1.0));
    let PointDrive { on, relative_to, position } = named("hand").law().unwrap();
    assert_eq!((on.body, relative_to.body), (BodyRef::Body(7), BodyRef::Ground));
    let [Some(x), None, Some(z)] = position else { panic!() };
    assert_eq!((x.value(&[2.0]), x.second(0, 0, &[2.0]), z.value(&[9.0])), (4.5, 2.0, 2.0));
    let AngularVelocityDrive { components, frame, .. } = named("spin").law().unwrap();
    assert_eq!((components[2].value(&[3.0]), *frame), (3.0, Frame::Body));
}

#[test]
fn constraints_put_signals_in() {
    let model = loaded(MECHANISM);
    let [level, cat] = &model.constraints[..] else { panic!() };
    assert_eq!(level.arguments, ["bead.position.z", "puck.position.x", "time"]);
    assert!(!level.velocity_level);
    // 2 z − x + R − R cos t
    let at = [0.4, 0.1, 1.0];
    assert!((level.function.value(&at) - (0.7 + 0.3 - 0.3 * 1f64.cos())).abs() < 1e-15);
    assert_eq!((level.function.partial(0, &at), level.function.partial(1, &at)), (2.0, -1.0));
    assert_eq!(level.expr.to_string(), "2*bead.position.z - puck.position.x + R - R*cos(time)");
    assert!(cat.velocity_level);
    assert_eq!(cat.quantities.len(), 4);
    let velocity = Quantity::Body { body: 5, what: Motion::Velocity(Axis::X) };
    assert_eq!(cat.quantities[0], velocity);
    assert_eq!(cat.function.second(0, 1, &[0.0; 4]), 1.0);
}

#[test]
fn a_signal_that_is_only_named_may_repeat_quantities() {
    let model = loaded(
        "[[body]]\nname = \"p\"\ntype = \"point\"\nmass = 1\nposition = [1, 0, 0]\n\
         [[signal]]\nname = \"r2\"\nvalue = \"p.position.x^2 + p.position.y^2\"\n\
         [[constraint]]\nname = \"c\"\nequation = \"sqrt(r2) + p.position.y - 1\"",
    );
    let constraint = &model.constraints[0];
    assert_eq!(constraint.arguments, ["p.position.x", "p.position.y"]);
    assert!((constraint.function.value(&[3.0, 4.0]) - 8.0).abs() < 1e-15);
    assert!((constraint.function.partial(1, &[3.0, 4.0]) - 1.8).abs() < 1e-15);
}

#[test]
fn new_quantities_and_their_units() {
    let model = loaded(MECHANISM);
    let joint = |name: &str| model.joints.iter().position(|j| j.name == name).unwrap();
    let check = |signal: &str, quantity: Quantity, unit: Option<&str>| {
        let signal = model.signals.iter().find(|s| s.name == signal).unwrap();
        assert_eq!(signal.formula.quantities, [quantity], "{}", signal.name);
        assert_eq!(signal.unit.as_deref(), unit, "{}", signal.name);
        assert_eq!(quantity.unit(&model), unit);
    };
    let of = |name: &str, what| Quantity::Joint { joint: joint(name), what };
    check("floor_x", of("ground_plane", JointQuantity::Coordinate { index: 0 }), Some("m"));
    check("floor_rate", of("ground_plane", JointQuantity::CoordinateRate { index: 2 }), Some("rad/s"));
    check("stop", of("bearing", JointQuantity::LimitForce { index: 0 }), Some("N·m"));
    check("sleeve_stop", of("sleeve", JointQuantity::LimitForce { index: 1 }), Some("N"));
    check("rub", of("bearing", JointQuantity::Friction), Some("N·m"));
    check("push_on", of("guide", JointQuantity::JointForce(Axis::X)), Some("N"));
    check("where", of("track", JointQuantity::Coordinate { index: 0 }), None);
    check("torque", Quantity::Drive { drive: 0, what: DriveQuantity::Effort }, Some("N·m"));
    check("power", Quantity::Drive { drive: 3, what: DriveQuantity::Power }, Some("W"));
    check("pull", Quantity::Drive { drive: 2, what: DriveQuantity::Force(Axis::Y) }, Some("N"));
    check("tooth_load", Quantity::Coupling { coupling: 0, what: CouplingQuantity::Load }, Some("N·m"));
    check("multiplier", Quantity::Constraint { constraint: 1, what: ConstraintQuantity::Multiplier }, None);
}

#[test]
fn rough_drives_are_warned_of() {
    let warnings = |law: &str| {
        let text = MECHANISM.replace("\"2*pi*t + 0.1*lift(t)\"", law);
        let (model, warnings) = load_str("f.toml", &text, &[]).unwrap();
        warnings.iter().map(|w| w.one_line(&model.source)).collect::<Vec<_>>()
    };
    for law in ["\"wave(t)\"", "\"abs(t - 1)\"", "\"if(t < 1, t, 1)\"", "\"2*step(t)\"", "\"(t > 1)*t\""] {
        let found = warnings(law);
        assert_eq!(found.len(), 1, "{law}: {found:?}");
        assert!(found[0].contains("velocities jump there"), "{found:?}");
    }
    for law in ["\"smootherstep(t)\"", "\"t*if(R > 1, 2, 3)\"", "\"abs(R)*t\"", "2"] {
        assert!(warnings(law).is_empty(), "{law}");
    }
    // A rate may have kinks, for they are jumps of the acceleration only.
    let rate = |law: &str| {
        let text = MECHANISM.replace("rate = \"sin(t)\"", &format!("rate = {law}"));
        load_str("f.toml", &text, &[]).unwrap().1.len()
    };
    assert_eq!((rate("\"ramp(t - 1)\""), rate("\"step(t - 1)\"")), (0, 1));
}

#[test]
fn wheels_in_the_air_are_warned_of() {
    let text = MECHANISM.replace("position = [2, 1, \"R\"]", "position = [2, 1, 1]");
    let (model, warnings) = load_str("f.toml", &text, &[]).unwrap();
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    let line = warning.one_line(&model.source);
    assert!(line.contains("`tyre` does not touch the plane at the start: it is 0.700000 above it"), "{line}");
    let near = MECHANISM.replace("position = [2, 1, \"R\"]", "position = [2, 1, 0.4]");
    loaded(&near);
}

#[test]
fn markers_replace_keys() {
    let text = MECHANISM.replace(
        "[[joint]]\nname = \"tyre\"\ntype = \"rolling_disk\"\nbetween = [\"ground\", \"wheel\"]",
        "[[marker]]\nname = \"hub\"\nbody = \"wheel\"\norientation = { axis = [1, 0, 0], angle = \"-pi/2\" }\n\
         [[joint]]\nname = \"tyre\"\ntype = \"rolling_disk\"\nbetween = [\"ground\", \"hub\"]",
    );
    let (model, warnings) = load_str("f.toml", &text, &[]).unwrap();
    let [warning] = &warnings[..] else { panic!("{warnings:?}") };
    assert!(warning.message.contains("`axle` of `tyre` is not used"), "{warning:?}");
    near(axis(&frames(&model, "tyre")[1], 2), [0.0, 1.0, 0.0]);
}
