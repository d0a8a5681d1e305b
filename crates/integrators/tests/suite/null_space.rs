//! Null space treatments of the energy–momentum step (energy-momentum-null-space I-24 … I-28, V-1 … V-9).

use crate::conserving_models as models;

use models::*;
use poinsot_expr::{Expr, SmoothFunction};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::{ConservingSettings, EnergyMomentum, Stepper, Treatment, TreatmentReport};
use poinsot_mechanics::conserving::{Coordinates, Rule};
use poinsot_mechanics::joints::*;
use poinsot_mechanics::*;

fn settings(treatment: Treatment) -> ConservingSettings {
    ConservingSettings { treatment, ..ConservingSettings::new(Rule::EnergyMomentum) }
}

/// The linkage with one dependent row of the closing hinge out of force, as multipliers need it.
fn regular_linkage() -> System {
    let mut system = linkage();
    system.suspend_rows(&[(6, 4)]);
    system
}

struct Run {
    state: State,
    lambda: Vec<f64>,
    iterations: f64,
}

fn run(system: &System, settings: ConservingSettings, h: f64, steps: usize) -> Run {
    let mut integration = EnergyMomentum::new(system, settings, system.start_state(0.0)).unwrap();
    for _ in 0..steps {
        integration.attempt(h).unwrap();
        integration.accept();
    }
    let rows = system.enforced_equations();
    Run {
        state: integration.state().clone(),
        lambda: rows.iter().map(|&eq| integration.mean()[eq]).collect(),
        iterations: integration.counters().iterations as f64 / steps as f64,
    }
}

fn apart(a: &Run, b: &Run) -> f64 {
    let frames = a.state.frames.iter().zip(&b.state.frames);
    frames.map(|(a, b)| (a.r - b.r).norm() + (a.rot - b.rot).norm()).fold(0.0, f64::max)
}

fn largest(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |m, x| m.max(x.abs()))
}

/// V-9.5: all treatments make the same steps, with the same multipliers.
#[test]
fn all_treatments_make_the_same_steps() {
    let cases: [(&str, System, f64); 8] = [
        ("V-1", double_spherical_pendulum(), 0.01),
        ("V-2", top(), 1e-3),
        ("V-4", revolute_pair(), 0.01),
        ("V-5", cylindrical_pair(), 0.001),
        ("V-6", planar_pair(), 1e-3),
        ("V-7", regular_linkage(), 1e-3),
        ("tree", mixed_tree(false), 0.01),
        ("grounded tree", mixed_tree(true), 0.01),
    ];
    for (name, system, h) in cases {
        let with = run(&system, settings(Treatment::Multipliers), h, 100);
        for treatment in [Treatment::NullSpace, Treatment::Minimal] {
            let without = run(&system, settings(treatment), h, 100);
            let apart = apart(&with, &without);
            let forces =
                with.lambda.iter().zip(&without.lambda).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
            let forces = forces / largest(&with.lambda);
            println!(
                "{name} {treatment:?}: {apart:e}, multipliers {forces:e}, iterations {} {}",
                with.iterations, without.iterations
            );
            assert!(apart < 1e-8 && forces < 1e-6, "{name} {treatment:?}");
        }
    }
}

fn report(system: &System, treatment: Treatment, coordinates: Coordinates, h: f64) -> TreatmentReport {
    let settings = ConservingSettings { coordinates, ..settings(treatment) };
    EnergyMomentum::new(system, settings, system.start_state(0.0)).unwrap().report(h).unwrap()
}

const DIRECTORS: Coordinates = Coordinates::Directors;

/// Unknowns of the digest's tables: multipliers, penalty, augmented Lagrange, minimal, in directors.
#[test]
fn unknowns_are_those_of_the_tables() {
    let penalty = Treatment::Penalty { stiffness: 1e5 };
    let augmented = Treatment::AugmentedLagrange { stiffness: 1e5, tolerance: 1e-10 };
    let all = [Treatment::Multipliers, penalty, augmented, Treatment::Minimal];
    for (name, system, expected, kind) in [
        ("V-1", double_spherical_pendulum(), [8, 6, 6, 4], "explicit"),
        ("V-2", top(), [21, 12, 12, 3], "explicit"),
        ("V-4", revolute_pair(), [41, 24, 24, 7], "explicit"),
        ("V-5", cylindrical_pair(), [40, 24, 24, 8], "explicit"),
        ("V-6", planar_pair(), [39, 24, 24, 9], "explicit"),
        ("V-7", regular_linkage(), [143, 72, 72, 1], "semi-explicit"),
    ] {
        let reports = all.map(|treatment| report(&system, treatment, DIRECTORS, 1e-2));
        assert_eq!(reports.map(|r| r.unknowns), expected, "{name}");
        assert_eq!(reports.map(|r| r.null_space), [None, None, None, Some(kind)], "{name}");
    }
    // The treatment with all coordinates eliminates rigidity itself.
    assert_eq!(report(&revolute_pair(), Treatment::NullSpace, DIRECTORS, 1e-2).unknowns, 12);
}

/// Condition numbers of the digest's prototype (V-2, V-4, V-5, V-6: the same coordinates and nearly the same
/// rows), slopes −3 and 0.
#[test]
fn condition_numbers_are_those_of_the_tables() {
    let decades = |system: &System, treatment: Treatment, coordinates: Coordinates| {
        [1e-2, 1e-3, 1e-4].map(|h| report(system, treatment, coordinates, h).condition)
    };
    for (name, system, constrained, reduced) in [
        ("V-2", top(), 2.0e6, 8.5),
        ("V-4", revolute_pair(), 1.5e13, 67.0),
        ("V-5", cylindrical_pair(), 3.6e11, 480.0),
        ("V-6", planar_pair(), 4.8e10, 530.0),
    ] {
        let with = decades(&system, Treatment::Multipliers, DIRECTORS);
        let without = decades(&system, Treatment::Minimal, DIRECTORS);
        println!("{name}: constrained {with:?} ({constrained:e}), reduced {without:?} ({reduced})");
        assert!((with[0] / constrained - 1.0).abs() < 0.1, "{name}: {with:?}");
        assert!(without.iter().all(|c| (c / reduced - 1.0).abs() < 0.05), "{name}: {without:?}");
        // Beyond 1e16 round-off takes the smallest singular value.
        assert!(with[1] > 1e15 || (with[1] / with[0] / 1e3 - 1.0).abs() < 0.05, "{name}: {with:?}");
    }
    // Other rows and reference points than the digest's: orders of magnitude and slopes.
    for (name, system, constrained, reduced) in
        [("V-1", double_spherical_pendulum(), 1.1e9, 5.8), ("V-7", regular_linkage(), 7.2e5, 1.0)]
    {
        let with = decades(&system, Treatment::Multipliers, DIRECTORS);
        let without = decades(&system, Treatment::Minimal, DIRECTORS);
        println!("{name}: constrained {with:?} ({constrained:e}), reduced {without:?} ({reduced})");
        assert!(with[0] / constrained < 10.0 && with[0] / constrained > 0.1, "{name}: {with:?}");
        assert!(without.iter().all(|c| c / reduced < 10.0 && c / reduced > 0.1), "{name}: {without:?}");
        assert!((with[2] / with[1] / 1e3 - 1.0).abs() < 0.1, "{name}: {with:?}");
        assert!((without[2] / without[1] - 1.0).abs() < 1e-2, "{name}: {without:?}");
    }
    // V-2, penalty: 2.8e4, 2.8e3, 2.7e3 and 2.8e9, 3.8e7, 3.8e5. At h = 1e-2 the top turns by more than a
    // radian in a step, so that the number depends on the iterate: ours is that of the start, where the mean
    // directors are of full length.
    for (stiffness, expected) in [(1e5, [2.8e4, 2.8e3, 2.7e3]), (1e10, [2.8e9, 3.8e7, 3.8e5])] {
        let soft = decades(&top(), Treatment::Penalty { stiffness }, DIRECTORS);
        println!("V-2, penalty {stiffness:e}: {soft:?}");
        assert!(soft[1..].iter().zip(&expected[1..]).all(|(c, e)| (c / e - 1.0).abs() < 0.03), "{soft:?}");
        assert!(soft[0] / expected[0] > 1.0 && soft[0] / expected[0] < 1.5, "{soft:?}");
    }
    // The matrix of all coordinates has the slope −1 (I-28).
    let all = decades(&revolute_pair(), Treatment::NullSpace, DIRECTORS);
    println!("V-4, all coordinates: {all:?}");
    assert!((all[2] / all[1] / 10.0 - 1.0).abs() < 0.02);
}

/// Hinge angles of the linkage followed over many turns.
fn turn_linkage(system: &System, treatment: Treatment, h: f64, steps: usize) -> (f64, f64, f64) {
    let mut integration = EnergyMomentum::new(system, settings(treatment), system.start_state(0.0)).unwrap();
    let mut angles = [0.0_f64; 2];
    for _ in 0..steps {
        integration.attempt(h).unwrap();
        integration.accept();
        for (k, angle) in angles.iter_mut().enumerate() {
            let now = hinge_angle(&integration.state().frames, k + 1);
            let turn = std::f64::consts::TAU;
            *angle = now + turn * ((*angle - now) / turn).round();
        }
    }
    let energy = balance(system, integration.state()).total();
    (angles[0], angles[1], energy)
}

/// V-7: one unknown carries the linkage through full revolutions, with all its rows and no choice of
/// branches.
#[test]
fn linkage_turns_over_and_over_with_one_unknown() {
    let system = linkage();
    let start = balance(&system, &system.start_state(0.0)).total();
    assert!((start - 0.679924103558).abs() < 1e-11);
    let (one, two, energy) = turn_linkage(&system, Treatment::Minimal, 0.01, 26);
    println!("{one} {two} {:e}", energy / start - 1.0);
    assert!((one + 3.658182829).abs() < 2e-9 && (two - 1.790486889).abs() < 2e-9, "{one} {two}");
    assert!((energy / start - 1.0).abs() < 1e-12);
    for treatment in [Treatment::Minimal, Treatment::NullSpace] {
        let (one, two, _) = turn_linkage(&system, treatment, 1e-3, 260);
        assert!((one + 3.661551265).abs() < 2e-9 && (two - 1.729353965).abs() < 2e-9, "{one} {two}");
    }
    // Ten periods of 0.39022808 s: back in the cube.
    let (one, two, energy) = turn_linkage(&system, Treatment::Minimal, 0.39022808e-3, 10_000);
    println!("after ten revolutions: {one} {two} {:e}", energy / start - 1.0);
    assert!(one.abs() < 0.05 && two.abs() < 0.05 && (energy / start - 1.0).abs() < 1e-10);
}

/// Heavy top and linkage over 1e5 steps.
#[test]
fn energy_and_momentum_stay_over_many_steps() {
    for (name, system, h, steps) in [("top", top(), 1e-3, 100_000), ("linkage", linkage(), 1e-3, 100_000)] {
        for treatment in [Treatment::Minimal, Treatment::Automatic] {
            if name == "linkage" && treatment == Treatment::Automatic {
                continue; // A fixed choice of rows comes near a singular position there.
            }
            let start = balance(&system, &system.start_state(0.0));
            let mut integration =
                EnergyMomentum::new(&system, settings(treatment), system.start_state(0.0)).unwrap();
            let (mut energy, mut momentum) = (0.0_f64, 0.0_f64);
            for k in 0..steps {
                integration.attempt(h).unwrap();
                integration.accept();
                if k % 1000 == 999 {
                    let now = balance(&system, integration.state());
                    energy = energy.max((now.total() / start.total() - 1.0).abs());
                    let l = now.angular_momentum.z / start.angular_momentum.z - 1.0;
                    momentum = momentum.max(if name == "top" { l.abs() } else { 0.0 });
                }
            }
            println!("{name} {treatment:?}: energy {energy:e}, momentum {momentum:e}");
            assert!(energy < 1e-10 && momentum < 1e-10, "{name} {treatment:?}");
        }
    }
}

/// V-9.6 and V-1: order two of the state, one of λ at the end of the step, two in its middle.
#[test]
fn orders_of_state_and_multipliers() {
    let system = double_spherical_pendulum();
    let exact = Vec3::new(-0.644182351, 0.536466489, -0.545190613);
    let mut errors = vec![];
    for steps in [50, 100, 200] {
        let h = 1.0 / steps as f64;
        let run = run(&system, settings(Treatment::Minimal), h, steps);
        errors.push((run.state.frames[1].r - exact).norm());
        if steps == 100 {
            let scheme = Vec3::new(-0.644483646, 0.535825505, -0.545464810);
            assert!((run.state.frames[1].r - scheme).norm() < 3e-9);
            // The digest's multipliers belong to ½(q·q − l²): ours differ by the length of the mean rod at
            // most.
            for (ours, digest) in run.lambda.iter().zip([293.95205, 114.93371]) {
                assert!((ours / digest - 1.0).abs() < 3e-4, "{ours} {digest}");
            }
        }
    }
    println!("{errors:?}");
    assert!((errors[0] / errors[1]).log2() > 1.97 && (errors[1] / errors[2]).log2() > 1.97);
    // λ of the last step against λ(1) and against λ(1 − h/2), from a fine run.
    let lambda =
        |steps: usize| run(&system, settings(Treatment::Minimal), 1.0 / steps as f64, steps).lambda[0];
    let fine = 20_000;
    let trace = multipliers(&system, 1.0 / f64::from(fine), fine as usize);
    let at = |t: f64| {
        // Values belong to the middles of steps.
        let x = t * f64::from(fine) - 0.5;
        let k = (x.floor() as usize).min(trace.len() - 2);
        trace[k] + (trace[k + 1] - trace[k]) * (x - k as f64)
    };
    let (mut end, mut middle) = (vec![], vec![]);
    for steps in [50, 100, 200] {
        let (value, h) = (lambda(steps), 1.0 / steps as f64);
        end.push((value - at(1.0)).abs());
        middle.push((value - at(1.0 - 0.5 * h)).abs());
    }
    println!("λ: end {end:?}, middle {middle:?}");
    let order = |e: &[f64]| (e[1] / e[2]).log2();
    assert!((order(&end) - 1.0).abs() < 0.1 && (order(&middle) - 2.0).abs() < 0.15);
}

fn multipliers(system: &System, h: f64, steps: usize) -> Vec<f64> {
    let row = system.enforced_equations()[0];
    let mut integration =
        EnergyMomentum::new(system, settings(Treatment::Minimal), system.start_state(0.0)).unwrap();
    let step = |_| {
        integration.attempt(h).unwrap();
        integration.accept();
        integration.mean()[row]
    };
    (0..steps).map(step).collect()
}

/// V-9.8: back again with −h.
#[test]
fn steps_are_reversible() {
    for (name, system, h) in
        [("top", top(), 1e-3), ("tree", mixed_tree(true), 0.01), ("linkage", linkage(), 1e-3)]
    {
        for treatment in [Treatment::Minimal, Treatment::NullSpace] {
            let start = system.start_state(0.0);
            let mut integration = EnergyMomentum::new(&system, settings(treatment), start.clone()).unwrap();
            for h in [h, -h] {
                for _ in 0..50 {
                    integration.attempt(h).unwrap();
                    integration.accept();
                }
            }
            let frames = start.frames.iter().zip(&integration.state().frames);
            let back = frames.map(|(a, b)| (a.r - b.r).norm() + (a.rot - b.rot).norm()).fold(0.0, f64::max);
            println!("{name} {treatment:?}: {back:e}");
            assert!(back < 1e-10, "{name} {treatment:?}: {back:e}");
        }
    }
}

/// Joints without closed forms, in space and in a plane, loops and couplings of rows: the same steps again.
#[test]
fn other_joints_and_charts_make_the_same_steps() {
    let cases = [
        ("universal", joint_chain("universal")),
        ("constant velocity", joint_chain("constant velocity")),
        ("point on line", joint_chain("point on line")),
        ("point on plane", joint_chain("point on plane")),
        ("distance", joint_chain("distance")),
        ("screw", joint_chain("screw")),
        ("plane", planar_four_bar()),
        ("knife edge", sledge()),
        ("drive", driven_crank()),
    ];
    for (name, system) in cases {
        let with = run(&system, settings(Treatment::Multipliers), 5e-3, 100);
        for treatment in [Treatment::NullSpace, Treatment::Minimal] {
            let without = run(&system, settings(treatment), 5e-3, 100);
            let moved =
                apart(&with, &Run { state: system.start_state(0.0), lambda: vec![], iterations: 0.0 });
            let kind = report(&system, treatment, Coordinates::Motion, 5e-3);
            println!("{name} {treatment:?}: {:e} of {moved:.2}, {kind:?}", apart(&with, &without));
            assert!(apart(&with, &without) < 1e-8 && moved > 1e-2, "{name} {treatment:?}");
        }
    }
}

/// Two bodies under gravity: the first on a ball joint, the second on the joint in question.
fn joint_chain(kind: &str) -> System {
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    let omega = Vec3::new(0.3, -0.5, 1.0);
    let mut nodes = vec![];
    for k in 1..3 {
        let r = Vec3::x() * f64::from(k);
        let velocity = Twist { linear: omega.cross(&r), angular: omega };
        let node = b.node("body", Chart::Motion, Frame { r, rot: Mat3::identity() }, velocity);
        let inertia = Mat3::from_diagonal(&Vec3::new(0.2, 0.3, 0.4));
        b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), inertia)));
        nodes.push(node);
    }
    let axes = Mat3::from_columns(&[Vec3::y(), Vec3::z(), Vec3::x()]);
    let ground = attached(GROUND, Vec3::zeros(), axes);
    b.constraint("pivot", Box::new(spherical(&ground, &attached(nodes[0], -Vec3::x(), axes))));
    let (one, two) = (attached(nodes[0], Vec3::x() * 0.5, axes), attached(nodes[1], Vec3::x() * -0.5, axes));
    match kind {
        "universal" => {
            let crossed = Mat3::from_columns(&[Vec3::x(), Vec3::y(), Vec3::z()]);
            b.constraint(kind, Box::new(universal(&one, &Attachment { axes: crossed, ..two })))
        }
        "constant velocity" => b.constraint(kind, Box::new(constant_velocity(&one, &two))),
        "point on line" => b.constraint(kind, Box::new(point_on_line(&one, &two))),
        "point on plane" => b.constraint(kind, Box::new(point_on_plane(&one, &two))),
        "screw" => b.constraint(kind, Box::new(screw(&one, &two, 0.1))),
        _ => {
            let away = Attachment { origin: Vec3::new(-0.5, 0.6, 0.8), ..two };
            b.constraint(kind, Box::new(joints::distance(&one, &away, 1.0)))
        }
    };
    b.build()
}

/// A four-bar linkage of bodies in a plane, whose rows are those that such bodies can violate.
fn planar_four_bar() -> System {
    let mut b = SystemBuilder::new(Vec3::y() * -9.81);
    let points =
        [Vec3::zeros(), Vec3::new(0.4, 0.9, 0.0), Vec3::new(2.3, 1.5, 0.0), Vec3::new(2.0, 0.0, 0.0)];
    let chart = Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() };
    let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
    let mut ends = vec![attached(GROUND, Vec3::zeros(), Mat3::identity())];
    for k in 0..3 {
        let r = (points[k] + points[k + 1]) * 0.5;
        let node = b.node("bar", chart, Frame { r, rot: Mat3::identity() }, still);
        b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), Mat3::identity() * 0.1)));
        ends.push(attached(node, points[k] - r, Mat3::identity()));
        ends.push(attached(node, points[k + 1] - r, Mat3::identity()));
    }
    ends.push(attached(GROUND, points[3], Mat3::identity()));
    let mut rows = vec![];
    for (k, pair) in ends.chunks(2).enumerate() {
        b.constraint("pin", Box::new(revolute(&pair[0], &pair[1])));
        rows.extend([(k, 2), (k, 3), (k, 4)]);
    }
    let mut system = b.build();
    system.drop_rows(&rows, false);
    system
}

/// A crank whose angle is given, with a rod on a ball joint.
fn driven_crank() -> System {
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    let omega = Vec3::y() * 3.0;
    let mut nodes = vec![];
    for k in 0..2 {
        let r = Vec3::x() * (0.5 + f64::from(k));
        let velocity = Twist { linear: omega.cross(&r), angular: omega };
        let node = b.node("body", Chart::Motion, Frame { r, rot: Mat3::identity() }, velocity);
        let inertia = Mat3::from_diagonal(&Vec3::new(0.02, 0.1, 0.1));
        b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), inertia)));
        nodes.push(node);
    }
    let axes = axes_about(&Vec3::y());
    let (ground, crank) = (attached(GROUND, Vec3::zeros(), axes), attached(nodes[0], Vec3::x() * -0.5, axes));
    b.constraint("axle", Box::new(revolute(&ground, &crank)));
    let law = SmoothFunction::new(&Expr::parse("3*t + 0.5*t^2").unwrap(), &["t"], &|_| None).unwrap();
    b.constraint(
        "motor",
        Box::new(drives::coordinate(Coordinate::angle(&ground, &crank), law, crank.point())),
    );
    let (pin, rod) = (attached(nodes[0], Vec3::x() * 0.5, axes), attached(nodes[1], Vec3::x() * -0.5, axes));
    b.constraint("ball", Box::new(spherical(&pin, &rod)));
    b.build()
}

/// A slider that follows a law and comes to rest at t = 0.5, beside a body that falls freely.
fn driven_slider() -> System {
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
    let mut body = |r: Vec3| {
        let node = b.node("body", Chart::Motion, Frame { r, rot: Mat3::identity() }, still);
        b.body(Body::new(node, &MassProperties::new(0.5, Vec3::zeros(), Mat3::identity() * 0.1)));
        node
    };
    let (slider, _) = (body(Vec3::zeros()), body(Vec3::x() * 3.0));
    let axes = axes_about(&Vec3::new(0.1, 0.3, -1.0));
    let rail = [GROUND, slider].map(|node| attached(node, Vec3::zeros(), axes));
    b.constraint("rail", Box::new(prismatic(&rail[0], &rail[1])));
    let law = Expr::parse("0.3*smootherstep(t/0.5)").unwrap();
    let law = SmoothFunction::new(&law, &["t"], &|_| None).unwrap();
    let way = Coordinate::displacement(&rail[0], &rail[1]);
    b.constraint("motor", Box::new(drives::coordinate(way, law, rail[1].point())));
    b.build()
}

/// Where a step converges at once the multipliers are corrected once, not twice: a predicted error that came
/// back with the other sign grew from step to step.
#[test]
fn multipliers_of_a_drive_stay_right_for_many_steps() {
    for (name, system) in [("slider", driven_slider()), ("crank", driven_crank())] {
        for rule in [Rule::EnergyMomentum, Rule::Variational] {
            let course = |treatment| {
                let settings = ConservingSettings { rule, ..settings(treatment) };
                let mut integration =
                    EnergyMomentum::new(&system, settings, system.start_state(0.0)).unwrap();
                let rows = system.enforced_equations();
                let mut all = vec![];
                for _ in 0..800 {
                    integration.attempt(1e-3).unwrap();
                    integration.accept();
                    all.extend(rows.iter().map(|&eq| integration.mean()[eq]));
                }
                all
            };
            let with = course(Treatment::Multipliers);
            for treatment in [Treatment::NullSpace, Treatment::Minimal] {
                let without = course(treatment);
                let apart = with.iter().zip(&without).fold(0.0, |m: f64, (a, b)| m.max((a - b).abs()));
                let apart = apart / largest(&with);
                assert!(apart < 1e-6, "{name} {rule:?} {treatment:?}: {apart:e}");
            }
        }
    }
}

#[test]
fn friction_needs_multipliers() {
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
    let node = b.node("bob", Chart::Motion, Frame { r: Vec3::x(), rot: Mat3::identity() }, still);
    b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), Mat3::identity())));
    let axes = axes_about(&Vec3::y());
    let pin = [attached(GROUND, Vec3::zeros(), axes), attached(node, -Vec3::x(), axes)];
    let hinge = b.constraint("pin", Box::new(revolute(&pin[0], &pin[1])));
    let law = Friction {
        coordinate: Coordinate::angle(&pin[0], &pin[1]),
        weights: [1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
        static_coefficient: 0.2,
        dynamic_coefficient: 0.1,
        stribeck: 0.05,
        transition: 0.01,
        lever: 0.02,
        viscous: 0.0,
        preload: 0.0,
    };
    b.friction(hinge, law);
    let system = b.build();
    let start = |treatment| EnergyMomentum::new(&system, settings(treatment), system.start_state(0.0));
    assert!(start(Treatment::Minimal).unwrap_err().reason.contains("friction"));
    assert!(start(Treatment::NullSpace).is_err());
    let mut integration = start(Treatment::Automatic).unwrap();
    integration.attempt(1e-3).unwrap();
}

/// A sledge with an arm: a knife edge allows no speed across it.
fn sledge() -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let omega = Vec3::z() * 2.0;
    let moving = |r: Vec3| Twist { linear: Vec3::x() + omega.cross(&r), angular: omega };
    let inertia = Mat3::identity() * 0.3;
    let body = |b: &mut SystemBuilder, r: Vec3, mass: f64| {
        let node = b.node("body", Chart::Motion, Frame { r, rot: Mat3::identity() }, moving(r));
        b.body(Body::new(node, &MassProperties::new(mass, Vec3::zeros(), inertia)));
        node
    };
    let (main, arm) = (body(&mut b, Vec3::zeros(), 2.0), body(&mut b, Vec3::new(0.6, 0.3, 0.0), 0.5));
    let at = |node, origin| attached(node, origin, Mat3::identity());
    b.constraint("floor", Box::new(planar(&at(GROUND, Vec3::zeros()), &at(main, Vec3::zeros()))));
    b.constraint("pin", Box::new(revolute(&at(main, Vec3::x() * 0.5), &at(arm, Vec3::new(-0.1, -0.3, 0.0)))));
    b.constraint("edge", Box::new(knife_edge(&at(GROUND, Vec3::zeros()), &at(main, Vec3::zeros()))));
    b.build()
}
