//! A time element as a map: its derivative against differences, and against its adjoint, on systems with all
//! kinds of unknowns and rows.

use crate::common;
use crate::conserving_models::{cylindrical_pair, planar_pair, revolute_pair};
use crate::flexible::in_flight;
use crate::nonholonomic::{disk, sleigh};
use crate::time_elements::{double_pendulum, heavy_top};

use common::{Random, consistent_start, largest, violation};
use poinsot_expr::{Expr, Function, SmoothFunction};
use poinsot_geometry::{Mat3, Mat6, Vec3, so3};
use poinsot_integrators::{CollocationPoints, ConstraintPoints, ElementMap, SaddlePoint, Scheme, StepMap};
use poinsot_mechanics::beams::{Beam, Section, SectionMass, consistent_mass};
use poinsot_mechanics::forces::{Governed, PointForce, Turning};
use poinsot_mechanics::joints::*;
use poinsot_mechanics::*;

fn smooth(text: &str) -> SmoothFunction {
    SmoothFunction::new(&Expr::parse(text).unwrap(), &["t"], &|_| None).unwrap()
}

fn function(text: &str, names: &[&str]) -> Function {
    Function::new(&Expr::parse(text).unwrap(), names, &|_| None).unwrap()
}

fn on(node: usize, origin: Vec3) -> Attachment {
    Attachment { node, origin, axes: Mat3::identity() }
}

/// Axes whose third is the world's y.
fn along_y() -> Mat3 {
    Mat3::from_columns(&[Vec3::z(), Vec3::x(), Vec3::y()])
}

fn body(b: &mut SystemBuilder, chart: Chart, r: Vec3, linear: Vec3, angular: Vec3) -> NodeId {
    let node = b.node("body", chart, Frame { r, rot: Mat3::identity() }, Twist { linear, angular });
    let (centre, inertia) = (Vec3::new(0.04, -0.03, 0.02), Vec3::new(0.11, 0.14, 0.17));
    let properties = match chart {
        Chart::Point | Chart::PlanarPoint { .. } => MassProperties::point(1.2, Vec3::zeros()),
        _ => MassProperties::new(1.3, centre, Mat3::from_diagonal(&inertia)),
    };
    b.body(Body::new(node, &properties));
    node
}

const PLANAR: Chart = Chart::Planar { e1: Vec3::new(1.0, 0.0, 0.0), e2: Vec3::new(0.0, 0.0, 1.0), normal: Y };
const Y: Vec3 = Vec3::new(0.0, -1.0, 0.0);

/// A four-bar linkage of bodies in space: three of the rows of its last hinge depend on the others.
fn four_bar() -> System {
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    let pins = [Vec3::zeros(), Vec3::new(0.1, 0.0, 0.4), Vec3::new(1.0, 0.0, 0.7), Vec3::new(1.1, 0.0, 0.0)];
    let hold = |node, origin| Attachment { node, origin, axes: along_y() };
    let mut previous = hold(GROUND, pins[0]);
    for pair in pins.windows(2) {
        let middle = (pair[0] + pair[1]) / 2.0;
        let node = body(&mut b, Chart::Motion, middle, Vec3::z() * 0.3, Vec3::y() * 2.0);
        b.constraint("hinge", Box::new(revolute(&previous, &hold(node, pair[0] - middle))));
        previous = hold(node, pair[1] - middle);
    }
    b.constraint("hinge", Box::new(revolute(&previous, &hold(GROUND, pins[3]))));
    let mut system = b.build();
    // Along the axis and about the other two directions the last hinge says what the others do.
    let start = system.start_state(0.0);
    let sound = (0..3).find(|&along| {
        system.suspend_rows(&[(3, along), (3, 3), (3, 4)]);
        SaddlePoint::new(&system).factor(&system, &start).is_ok()
    });
    assert!(sound.is_some());
    system
}

/// A crank in the plane that follows an angle, with a point on a rod and one that slides as told by a speed.
fn driven() -> System {
    // Out of the plane the pin has nothing to say.
    let reduced = |along: usize| {
        let mut system = driven_with_all_rows();
        system.drop_rows(&[(0, along), (0, 3), (0, 4)], false);
        system
    };
    let is_sound =
        |system: &System| SaddlePoint::new(system).factor(system, &system.start_state(0.0)).is_ok();
    (0..3).map(reduced).find(is_sound).unwrap()
}

fn driven_with_all_rows() -> System {
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    let hold = |node, origin| Attachment { node, origin, axes: along_y() };
    let crank = body(&mut b, PLANAR, Vec3::new(0.3, 0.0, 0.0), Vec3::z() * 0.3, Y);
    let (ground, pin) = (hold(GROUND, Vec3::zeros()), hold(crank, Vec3::new(-0.3, 0.0, 0.0)));
    b.constraint("pin", Box::new(revolute(&ground, &pin)));
    let angle = Coordinate::angle(&ground, &pin);
    b.constraint("drive", Box::new(drives::coordinate(angle, smooth("sin(2*t) + 0.4*t^2"), pin.point())));
    let bob = body(&mut b, Chart::Point, Vec3::new(0.9, 0.2, 0.1), Vec3::new(0.2, 1.0, 0.3), Vec3::zeros());
    let tip = hold(crank, Vec3::new(0.3, 0.0, 0.0));
    b.constraint("rod", Box::new(distance(&tip, &on(bob, Vec3::zeros()), 0.4)));
    let chart = Chart::PlanarPoint { e1: Vec3::x(), e2: Vec3::y() };
    let slider = body(&mut b, chart, Vec3::new(2.0, 0.3, 0.0), Vec3::y(), Vec3::zeros());
    let reach = Coordinate::distance(&on(GROUND, Vec3::zeros()), &on(slider, Vec3::zeros()));
    b.constraint(
        "pull",
        Box::new(drives::coordinate_rate(reach, smooth("0.3*cos(3*t)"), on(slider, Vec3::zeros()).point())),
    );
    b.build()
}

/// An arm with motor, controller and friction in its hinge, a slide that follows a variable, and a force that
/// reads the reaction of the hinge; friction and that force only where asked for.
fn controlled(pressed: bool) -> System {
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    let hold = |node, origin| Attachment { node, origin, axes: along_y() };
    let arm = body(&mut b, Chart::Motion, Vec3::new(0.3, 0.0, 0.0), Vec3::z() * -0.3, Vec3::y());
    let (ground, pin) = (hold(GROUND, Vec3::zeros()), hold(arm, Vec3::new(-0.3, 0.0, 0.0)));
    let hinge = b.constraint("hinge", Box::new(revolute(&ground, &pin)));
    let angle = Coordinate::angle(&ground, &pin);
    let friction = pressed.then_some((
        hinge,
        Friction {
            coordinate: angle.clone(),
            weights: [1.0, 1.0, 1.0, 2.5, 2.5, 0.0],
            static_coefficient: 0.3,
            dynamic_coefficient: 0.2,
            stribeck: 0.7,
            transition: 0.9,
            lever: 0.05,
            viscous: 0.05,
            preload: 3.0,
        },
    ));
    if let Some((hinge, friction)) = friction {
        b.friction(hinge, friction);
    }
    let along = Attachment { node: arm, origin: Vec3::zeros(), axes: common::along_x() };
    let block = body(&mut b, Chart::Motion, Vec3::new(0.7, 0.0, 0.0), Vec3::new(0.1, 0.0, -0.7), Vec3::y());
    let held = Attachment { node: block, origin: Vec3::zeros(), axes: common::along_x() };
    b.constraint("slide", Box::new(prismatic(&along, &held)));
    let reach = Coordinate::displacement(&along, &held);
    let still = SmoothFunction::constant(0.0);
    let drive = b.constraint("drive", Box::new(drives::coordinate_rate(reach.clone(), still, held.point())));
    let names = ["i", "e", "x", "di", "de", "dx", "u", "w", "s", "t"];
    let variable = |name: &str, start: f64| Variable { name: name.into(), start, nominal: 1.0 };
    b.network(Network {
        name: "motor".into(),
        variables: vec![variable("i", 0.7), variable("e", 0.2), variable("x", 0.4)],
        readings: vec![
            Reading::Coordinate(angle.clone()),
            Reading::Speed(Speed::Rate(angle)),
            Reading::Coordinate(reach),
        ],
        equations: [
            "0.05*di + 2*i + 0.4*w - e",
            // At the end of a step it reads the velocity before that is moved onto the constraints.
            if pressed { "e + 0.1*e^3 - 3*sin(u) + 0.3*w*x" } else { "e + 0.1*e^3 - 3*sin(u) + 0.3*i*x" },
            "dx - (0.5*w - x + i*s)",
        ]
        .map(|text| function(text, &names))
        .into(),
        loads: vec![Load::along(0, function("0.4*i + 0.1*i*w", &names))],
    })
    .unwrap();
    b.command(drive, 0, VariableReading { network: 0, variable: 2 });
    let world = ReadDirection::Carried(Carried::direction(GROUND, Vec3::new(0.6, 0.0, 0.8)));
    let reaction = ReactionReading::new(hinge, b.constraint_law(hinge), ReactionPart::Force(world));
    let zero = || [0.0; 3].map(Function::constant);
    let element = PointForce::follower(block, Vec3::zeros(), &Mat3::identity(), zero());
    let names = ["t", "w", "p"];
    let laws = ["0.05*p*w", "0.01*p", "sin(0.1*p)*w"].map(|text| function(text, &names));
    let speed = Reading::Speed(Speed::spin(arm, Carried::direction(GROUND, Vec3::y())));
    let law = Governed::pressed(Box::new(element), vec![speed], vec![reaction], &laws).unwrap();
    if pressed {
        b.force("law", Box::new(law));
    }
    b.build()
}

/// Three nodes of a clamped beam, with gravity and a follower spring at the tip.
fn beam() -> System {
    let mut b = SystemBuilder::new(Vec3::new(1.0, -9.0, 2.0));
    let reference: Vec<Frame> =
        (0..3).map(|k| Frame { r: Vec3::z() * (0.4 * k as f64), rot: Mat3::identity() }).collect();
    let mut ends = vec![on(GROUND, Vec3::zeros())];
    for (k, z) in reference.iter().enumerate().skip(1) {
        let turn = Vec3::new(0.05, -0.1, 0.2) * k as f64;
        let start = Frame { r: z.r + Vec3::new(0.02, 0.03, 0.0) * k as f64, rot: so3::exp(&turn) };
        let velocity = Twist { linear: Vec3::new(0.3, -0.2, 0.1), angular: Vec3::new(0.5, 1.0, -0.7) };
        ends.push(on(b.node(&format!("n{k}"), Chart::Motion, start, velocity), Vec3::zeros()));
    }
    let stiffness = Mat6::from_diagonal(&poinsot_geometry::Vec6::new(300.0, 300.0, 900.0, 8.0, 9.0, 6.0));
    let mass = SectionMass { mass: 1.3, first: [0.01, -0.02], second: [0.04, 0.05, 0.01] };
    let section = Section::given(stiffness, mass);
    for (ends, reference) in ends.windows(2).zip(reference.windows(2)) {
        b.force("beam", Box::new(Beam::new(ends, reference, &section).unwrap()));
        b.inertia(consistent_mass(ends, reference, &section.mass).unwrap());
    }
    b.build()
}

/// What turns in a frame that turns.
fn turning() -> System {
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    b.turning(Turning { rate: Vec3::new(0.3, -0.2, 1.5), centre: Vec3::x() });
    let one = body(&mut b, Chart::Motion, Vec3::zeros(), Vec3::x(), Vec3::new(1.0, 2.0, 3.0));
    let two = body(&mut b, Chart::Point, Vec3::new(1.0, 0.2, 0.3), Vec3::y(), Vec3::zeros());
    let ends = [Carried::point(one, Vec3::new(0.2, 0.1, 0.0)), Carried::point(two, Vec3::zeros())];
    b.inertia(Inertia::new(ends.to_vec(), |i, j| if i == j { 0.8 } else { 0.3 }));
    b.constraint("rod", Box::new(distance(&on(one, Vec3::zeros()), &on(two, Vec3::zeros()), 1.1)));
    b.build()
}

/// A rotor with two hinged bars on a hub that slides, in steady rotation: the guess of an element is exact
/// but for the forces in its hinges, which turn.
fn rotor() -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let speed = Vec3::z() * 3.0;
    let solid = |b: &mut SystemBuilder, r: Vec3, twist: Twist| {
        let node = b.node("body", Chart::Motion, Frame { r, rot: Mat3::identity() }, twist);
        let inertia = Mat3::from_diagonal(&Vec3::new(0.3, 0.4, 0.5));
        b.body(Body::new(node, &MassProperties::new(1.3, Vec3::zeros(), inertia)));
        node
    };
    let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
    let hub = solid(&mut b, Vec3::zeros(), still);
    let along = |node| Attachment { node, origin: Vec3::zeros(), axes: common::along_x() };
    b.constraint("slide", Box::new(prismatic(&along(GROUND), &along(hub))));
    let turning = Twist { angular: speed, ..still };
    let shaft = solid(&mut b, Vec3::zeros(), turning);
    b.constraint("shaft", Box::new(revolute(&on(hub, Vec3::zeros()), &on(shaft, Vec3::zeros()))));
    for side in [1.0, -1.0] {
        let r = Vec3::x() * side;
        let bar = solid(&mut b, r, Twist { linear: speed.cross(&r), angular: speed });
        let ends = [on(shaft, r * 0.3), on(bar, r * -0.7)];
        b.constraint("hinge", Box::new(revolute(&ends[0], &ends[1])));
    }
    b.build()
}

/// Numbers that may change.
fn free(system: &System) -> Vec<bool> {
    let rows = system.is_constraint_row();
    rows.iter().chain(&rows).map(|row| !row).collect()
}

fn moved(system: &System, state: &State, change: &[f64], by: f64) -> State {
    let n = system.size();
    let mut out = state.clone();
    let delta: Vec<f64> = change.iter().map(|x| by * x).collect();
    poinsot_integrators::retract(system, &state.frames, &delta[..n], &mut out.frames);
    out.v.iter_mut().zip(&delta[n..]).for_each(|(v, d)| *v += d);
    out
}

/// The change of the charts from one state to another that is near.
fn between(system: &System, from: &State, to: &State) -> Vec<f64> {
    let n = system.size();
    let mut out = vec![0.0; 2 * n];
    for (k, node) in system.nodes().iter().enumerate() {
        let (a, b) = (&from.frames[k], &to.frames[k]);
        let way = Twist { linear: b.r - a.r, angular: so3::log(&a.rot.tr_mul(&b.rot)) };
        node.chart.velocities(&way, &mut out[node.unknowns()]);
    }
    (0..n).for_each(|e| out[n + e] = to.v[e] - from.v[e]);
    out
}

/// A difference of fourth order with steps e along what `at` makes of a number.
fn slope(system: &System, about: &State, e: f64, at: &mut dyn FnMut(f64) -> State) -> Vec<f64> {
    let sides = [e, -e, 2.0 * e, -2.0 * e].map(|x| between(system, about, &at(x)));
    let [p, m, pp, mm] = sides;
    (0..p.len()).map(|i| (8.0 * (p[i] - m[i]) - (pp[i] - mm[i])) / (12.0 * e)).collect()
}

/// How far a change is from another, positions and velocities each in parts of the largest.
fn off(found: &[f64], exact: &[f64]) -> f64 {
    let n = found.len() / 2;
    let parts = found.chunks(n).zip(exact.chunks(n)).map(|(found, exact)| {
        let difference: Vec<f64> = found.iter().zip(exact).map(|(a, b)| a - b).collect();
        largest(&difference) / largest(exact).max(1e-3)
    });
    parts.fold(0.0, f64::max)
}

type Named = (&'static str, System);

fn systems() -> Vec<Named> {
    vec![
        ("double pendulum", double_pendulum()),
        ("top", heavy_top()),
        ("revolute pair", revolute_pair()),
        ("cylindrical pair", cylindrical_pair()),
        ("planar pair", planar_pair()),
        ("flexible", in_flight(40.0, Vec3::z() * -9.81, true)),
        ("disk", disk()),
        ("sleigh", sleigh()),
        ("four bar", four_bar()),
        ("driven", driven()),
        ("controlled", controlled(true)),
        ("beam", beam()),
        ("turning", turning()),
        ("rotor", rotor()),
    ]
}

fn check(name: &str, system: &System, scheme: &Scheme, h: f64) {
    let n = system.size();
    let label = format!("{name}, {}", scheme.name());
    let mut random = Random(0x1234_5678 + scheme.stages() as u64);
    let free = free(system);
    let mut map = ElementMap::new(system, scheme.clone()).unwrap();
    assert_eq!(map.size(), 2 * n);
    // A few steps away from the start.
    let mut state = consistent_start(system);
    let mut end = state.clone();
    for _ in 0..2 {
        map.advance(&state, h, &mut end).unwrap_or_else(|e| panic!("{label}: {e}"));
        std::mem::swap(&mut state, &mut end);
    }
    // Changes of the state that stay on the constraints, as the last step makes them, and any.
    let any = |random: &mut Random| -> Vec<f64> {
        free.iter().map(|free| if *free { random.next() - 0.5 } else { 0.0 }).collect()
    };
    let (count, on_constraints) = (5, 3);
    let mut changes: Vec<f64> = (0..count).flat_map(|_| any(&mut random)).collect();
    let before = changes.clone();
    map.push(&before[..2 * n * on_constraints], &mut changes[..2 * n * on_constraints]);
    map.advance(&state, h, &mut end).unwrap();
    let open = violation(system, &end);
    let speed = largest(&end.v).max(1.0);
    if system.suspended_rows().is_empty() && system.networks().is_empty() {
        assert!(open.0 < 1e-12 * speed && open.1 < 1e-11 * speed, "{label}: open by {open:?}");
    }
    let adjoints: Vec<f64> = (0..count).flat_map(|_| any(&mut random)).collect();
    let (mut pushed, mut pulled) = (vec![0.0; count * 2 * n], vec![0.0; count * 2 * n]);
    let mut by_length = vec![0.0; 2 * n];
    map.push(&changes, &mut pushed);
    map.pull(&adjoints, &mut pulled);
    map.by_length(&mut by_length);
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let size = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| (a * b).abs()).sum::<f64>();
    for (k, (x, image)) in changes.chunks(2 * n).zip(pushed.chunks(2 * n)).enumerate() {
        // What opens joints is taken back with speeds of 1/h: more is rounded.
        let digits = if k < on_constraints { 1e-13 } else { 1e-12 };
        for (y, back) in adjoints.chunks(2 * n).zip(pulled.chunks(2 * n)) {
            let scale = size(y, image) + size(back, x);
            let off = (dot(y, image) - dot(back, x)).abs() / scale;
            assert!(off < digits, "{label}: adjoint of change {k} off by {off:e}");
        }
    }
    let mut other = ElementMap::new(system, scheme.clone()).unwrap();
    let mut to = end.clone();
    for (k, (x, image)) in changes.chunks(2 * n).zip(pushed.chunks(2 * n)).enumerate() {
        // What opens joints changes multipliers by 1/h², and friction with them: truncation and rounding of
        // the differences leave little between them, at another place for each system.
        let reaches = if k < on_constraints { &[1e-4][..] } else { &[2e-6, 4e-7, 1e-5] };
        let mut offs = vec![];
        for &e in reaches {
            let exact = slope(system, &end, e, &mut |by| {
                other.advance(&moved(system, &state, x, by), h, &mut to).unwrap();
                to.clone()
            });
            offs.push(off(image, &exact));
            if offs.last().is_some_and(|off| *off < 1e-7) {
                break;
            }
        }
        let least = offs.iter().copied().fold(f64::INFINITY, f64::min);
        assert!(least < 1e-7, "{label}: push {k} off by {offs:?}");
    }
    let exact = slope(system, &end, 1e-3 * h, &mut |by| {
        other.advance(&state, h + by, &mut to).unwrap();
        to.clone()
    });
    let off = off(&by_length, &exact);
    assert!(off < 1e-7, "{label}: by length off by {off:e}");
}

#[test]
fn derivatives_of_discontinuous_elements() {
    for (name, system) in systems() {
        for degree in 1..=3 {
            let h = if ["pair", "beam"].iter().any(|fast| name.contains(fast)) { 0.005 } else { 0.04 };
            check(name, &system, &Scheme::new(degree, ConstraintPoints::Radau), h);
        }
    }
}

#[test]
fn derivatives_of_collocation() {
    for (name, system) in systems() {
        for points in [CollocationPoints::Radau, CollocationPoints::Gauss] {
            for stages in 1..=4 {
                let h = if ["pair", "beam"].iter().any(|fast| name.contains(fast)) { 0.005 } else { 0.04 };
                check(name, &system, &Scheme::collocation(stages, points), h);
            }
        }
    }
}

/// The end of equal steps of a map.
fn steps_of(system: &System, start: &State, scheme: &Scheme, count: usize, end: f64) -> State {
    let mut map = ElementMap::new(system, scheme.clone()).unwrap();
    let mut state = start.clone();
    let mut next = state.clone();
    for _ in 0..count {
        map.advance(&state, end / count as f64, &mut next).unwrap();
        std::mem::swap(&mut state, &mut next);
    }
    state
}

/// Order 2s at Gauss points and 2s − 1 at Radau points, with joints between moving bodies, drives, rows on
/// velocities and networks. (Forces that follow multipliers have the order of these.)
#[test]
fn orders_of_collocation() {
    let systems = [
        ("double pendulum", double_pendulum(), 0.8, 16),
        ("driven", driven(), 0.5, 10),
        ("sleigh", sleigh(), 0.5, 10),
        ("controlled", controlled(false), 0.2, 10),
    ];
    for (name, system, end, count) in systems {
        // The end of a few steps satisfies equations without rates too.
        let fine = Scheme::new(3, ConstraintPoints::Radau);
        let start = steps_of(&system, &consistent_start(&system), &fine, 4, 0.02);
        let reference = steps_of(&system, &start, &fine, 400, end);
        for points in [CollocationPoints::Radau, CollocationPoints::Gauss] {
            for stages in 1..=3 {
                let scheme = Scheme::collocation(stages, points);
                let errors: Vec<f64> = (0..3)
                    .map(|k| steps_of(&system, &start, &scheme, count << k, end))
                    .map(|found| largest(&between(&system, &reference, &found)))
                    .collect();
                let orders: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
                println!("{name}, {points:?} {stages}: {errors:?}, orders {orders:.2?}");
                let expected = scheme.order as f64;
                assert!(
                    errors[2] < 1e-11 || orders[1] > expected - 0.35,
                    "{name}, {points:?} {stages}: {errors:?}, orders {orders:?}"
                );
            }
        }
    }
}

/// Steps that begin with what their place of a mesh, or half of it, came to end where others do; the same
/// step again takes no more iterations.
#[test]
fn steps_that_resume_end_where_others_do() {
    let schemes = [
        Scheme::new(2, ConstraintPoints::Radau),
        Scheme::collocation(4, CollocationPoints::Gauss),
        Scheme::collocation(3, CollocationPoints::Radau),
        Scheme::continuous(),
    ];
    for (name, system) in systems() {
        for scheme in schemes.iter().filter(|scheme| !scheme.is_mechanical || system.networks().is_empty()) {
            let h = if ["pair", "beam"].iter().any(|fast| name.contains(fast)) { 0.005 } else { 0.04 };
            let label = format!("{name}, {}", scheme.name());
            let first = steps_of(&system, &consistent_start(&system), scheme, 2, 2.0 * h);
            let later = steps_of(&system, &first, scheme, 1, 0.1 * h);
            let mut map = ElementMap::new(&system, scheme.clone()).unwrap();
            let mut end = first.clone();
            let mut step = |map: &mut ElementMap, start: &State, h: f64, place: Option<(usize, f64)>| {
                if let Some((place, from)) = place {
                    map.resume(place, from);
                }
                let before = map.counters().iterations;
                map.advance(start, h, &mut end).unwrap_or_else(|e| panic!("{label}: {e}"));
                (end.clone(), map.counters().iterations - before)
            };
            let middle = step(&mut map, &first, 0.5 * h, None).0;
            let (_, cold) = step(&mut map, &first, h, Some((3, 0.0)));
            let (_, warm) = step(&mut map, &first, h, Some((3, 0.0)));
            // One that starts at its solution may take another one to see that it stands still.
            assert!(warm <= cold.min(3), "{label}: {warm} iterations, {cold} without a guess");
            let mut check = |map: &mut ElementMap, start: &State, h: f64, place: (usize, f64)| {
                let plain = step(map, start, h, None).0;
                let resumed = step(map, start, h, Some(place)).0;
                let off = largest(&between(&system, &plain, &resumed));
                let size = 1.0 + largest(&plain.v);
                assert!(off < 1e-10 * size, "{label}: off by {off:e} at {place:?}");
            };
            check(&mut map, &first, 0.3 * h, (3, 0.0));
            check(&mut map, &middle, 0.5 * h, (3, 0.5));
            check(&mut map, &later, h, (3, 0.0));
            map.halve();
            check(&mut map, &first, 0.5 * h, (6, 0.0));
            check(&mut map, &middle, 0.5 * h, (7, 0.0));
            // A place that nothing is known of.
            map.forget();
            check(&mut map, &first, h, (7, 0.0));
        }
    }
}

#[test]
fn derivatives_of_continuous_elements() {
    for (name, system) in systems().into_iter().filter(|(_, system)| system.networks().is_empty()) {
        let h = if ["pair", "beam"].iter().any(|fast| name.contains(fast)) { 0.005 } else { 0.04 };
        check(name, &system, &Scheme::continuous(), h);
    }
    let networks = ElementMap::new(&controlled(true), Scheme::continuous()).map(|_| ());
    assert!(networks.is_err_and(|e| e.reason.contains("momenta")));
}

/// Second order, in what joints forbid too.
#[test]
fn order_of_continuous_elements() {
    for (name, system, end, count) in [
        ("double pendulum", double_pendulum(), 0.8, 40),
        ("driven", driven(), 0.5, 20),
        ("sleigh", sleigh(), 0.5, 10),
    ] {
        let fine = Scheme::new(3, ConstraintPoints::Radau);
        let start = consistent_start(&system);
        let reference = steps_of(&system, &start, &fine, 400, end);
        let errors = [1, 2, 4].map(|k| {
            let found = steps_of(&system, &start, &Scheme::continuous(), count * k, end);
            largest(&between(&system, &reference, &found))
        });
        let orders = [errors[0] / errors[1], errors[1] / errors[2]].map(f64::log2);
        println!("{name}: {errors:?}, orders {orders:.2?}");
        assert!((orders[1] - 2.0).abs() < 0.15, "{name}: {errors:?}, orders {orders:?}");
    }
}
