//! The step matrix against differences of the residual.

use super::*;
use poinsot_expr::{Expr, Function, SmoothFunction};
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_mechanics::conserving::Coordinates;
use poinsot_mechanics::forces::{CoordinateForce, Governed, PointForce};
use poinsot_mechanics::joints::{Attachment, distance, revolute, rolling_disk};
use poinsot_mechanics::*;

/// A crank with motor and friction, a body on a rod and a spring, a rolling disk, a point; a law reads
/// reactions of three of them.
fn system() -> System {
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    let mut body = |r: Vec3, turned: Vec3, angular: Vec3| {
        let linear = Vec3::new(0.3, -0.2, 0.5);
        let node =
            b.node("body", Chart::Motion, Frame { r, rot: so3::exp(&turned) }, Twist { linear, angular });
        let inertia = Mat3::from_diagonal(&Vec3::new(0.06, 0.05, 0.08));
        b.body(Body::new(node, &MassProperties::new(1.0, Vec3::new(0.1, 0.0, 0.05), inertia)));
        node
    };
    let crank = body(Vec3::zeros(), Vec3::z() * 0.2, Vec3::z() * 4.0);
    let bob = body(Vec3::new(0.7, 0.4, 0.3), Vec3::new(0.3, -0.2, 0.4), Vec3::new(1.0, 2.0, -0.5));
    let disk = body(Vec3::new(3.0, 0.0, 0.48), Vec3::new(1.3, 0.1, 0.0), Vec3::new(0.4, 0.7, 4.0));
    let at = |node, origin| Attachment { node, origin, axes: Mat3::identity() };
    let point = b.node(
        "point",
        Chart::Point,
        Frame { r: Vec3::new(1.0, 1.0, 1.0), rot: Mat3::identity() },
        Twist { linear: Vec3::y(), angular: Vec3::zeros() },
    );
    b.body(Body::new(point, &MassProperties::point(2.0, Vec3::zeros())));
    let tilt = so3::exp(&Vec3::new(0.4, -0.3, 0.2));
    let [e1, e2] = [0, 1].map(|k| tilt.column(k).into_owned());
    let plane = Chart::Planar { e1, e2, normal: Vec3::z() };
    let twist = Twist { linear: e1 - e2, angular: Vec3::z() * 2.0 };
    let plate = b.node("plate", plane, Frame { r: Vec3::x() * 2.0, rot: tilt }, twist);
    let inertia = Mat3::from_diagonal(&Vec3::new(0.06, 0.05, 0.08));
    b.body(Body::new(plate, &MassProperties::new(1.5, Vec3::new(0.1, 0.2, 0.0), inertia)));
    let axle = [at(GROUND, Vec3::zeros()), at(crank, Vec3::zeros())];
    let hinge = b.constraint("axle", Box::new(revolute(&axle[0], &axle[1])));
    let coordinate = Coordinate::angle(&axle[0], &axle[1]);
    let law = SmoothFunction::new(&Expr::parse("3*t + 0.2*sin(5*t)").unwrap(), &["t"], &|_| None).unwrap();
    let motor = b.constraint("motor", Box::new(drives::coordinate(coordinate.clone(), law, axle[1].point())));
    let friction = Friction {
        coordinate,
        weights: [1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
        static_coefficient: 0.2,
        dynamic_coefficient: 0.1,
        stribeck: 1.0,
        transition: 0.5,
        lever: 0.1,
        viscous: 0.1,
        preload: 0.0,
    };
    b.friction(hinge, friction);
    b.constraint("rod", Box::new(distance(&at(crank, Vec3::x()), &at(bob, Vec3::y() * 0.2), 0.8)));
    let contact = b.constraint(
        "contact",
        Box::new(rolling_disk(&at(GROUND, Vec3::zeros()), &at(disk, Vec3::zeros()), 0.5)),
    );
    let coordinate = Coordinate::distance(&at(point, Vec3::zeros()), &at(bob, Vec3::z() * 0.4));
    let spring = CoordinateForce { coordinate, stiffness: 12.0, damping: 0.7, free: 0.8, law: None };
    b.force("spring", Box::new(spring));
    let coordinate = Coordinate::distance(&at(point, Vec3::zeros()), &at(plate, Vec3::x() * 0.4));
    let link = CoordinateForce { coordinate, stiffness: 8.0, damping: 0.5, free: 0.4, law: None };
    b.force("link", Box::new(link));
    b.constraint("arm", Box::new(distance(&at(bob, Vec3::zeros()), &at(plate, Vec3::y() * 0.3), 1.4)));
    let idle = PointForce::dead(bob, Vec3::y(), [0.0; 3].map(Function::constant));
    let along = ReadDirection::Carried(Carried::direction(crank, Vec3::new(0.6, 0.8, 0.0)));
    let read = |c: usize, part| ReactionReading::new(c, b.constraint_law(c), part);
    let reactions = vec![
        read(hinge, ReactionPart::Force(along)),
        read(contact, ReactionPart::Torque(along)),
        read(motor, ReactionPart::Multiplier { row: 0, factor: -1.0 }),
    ];
    let laws = ["0.3*p*q", "0.2*p^2 + m*t", "sin(q)*m"];
    let efforts =
        laws.map(|law| Function::new(&Expr::parse(law).unwrap(), &["t", "p", "q", "m"], &|_| None).unwrap());
    let law = Governed::pressed(Box::new(idle), vec![], reactions, &efforts).unwrap();
    b.force("law of reactions", Box::new(law));
    b.build()
}

/// An arm and a slide in it with a network: readings of positions and speeds, loads, an algebraic equation, a
/// variable of index two, rows that follow variables, a law that reads them.
fn system_with_network() -> System {
    let mut b = SystemBuilder::new(Vec3::new(1.0, -3.0, -9.0));
    let mut body = |r: Vec3, turned: Vec3| {
        let start = Frame { r, rot: so3::exp(&turned) };
        let velocity = Twist { linear: Vec3::new(0.3, -0.2, 0.5), angular: Vec3::new(0.5, 1.5, -0.7) };
        let node = b.node("body", Chart::Motion, start, velocity);
        let inertia = Mat3::from_diagonal(&Vec3::new(1.1, 1.3, 1.6));
        b.body(Body::new(node, &MassProperties::new(1.5, Vec3::new(0.1, 0.2, -0.1), inertia)));
        Attachment { node, origin: Vec3::new(0.2, 0.1, 0.3), axes: so3::exp(&(turned * 0.5)) }
    };
    let first = body(Vec3::new(0.4, 0.1, 0.0), Vec3::new(0.3, -0.1, 0.4));
    let second = body(Vec3::new(1.4, 0.3, 0.2), Vec3::new(-0.2, 0.5, 0.1));
    let ground = Attachment { node: GROUND, origin: Vec3::zeros(), axes: Mat3::identity() };
    let hinge = b.constraint("hinge", Box::new(revolute(&ground, &first)));
    let (angle, reach) = (Coordinate::angle(&ground, &first), Coordinate::distance(&first, &second));
    let variable = |variable| VariableReading { network: 0, variable };
    let world = ReadDirection::Carried(Carried::direction(GROUND, Vec3::new(0.6, 0.0, 0.8)));
    let reaction = ReactionReading::new(hinge, b.constraint_law(hinge), ReactionPart::Force(world));
    let function =
        |text: &str, names: &[&str]| Function::new(&Expr::parse(text).unwrap(), names, &|_| None).unwrap();
    let efforts = ["a*p + w^2*d", "sin(a)*t + d*p", "a*d*w"].map(|l| function(l, &["t", "w", "p", "a", "d"]));
    let push = PointForce::follower(first.node, first.origin, &first.axes, [0.0; 3].map(Function::constant));
    let speed = Reading::Speed(Speed::spin(second.node, first.axis(1)));
    let read = (vec![reaction], vec![variable(0), variable(2)]);
    let push = Governed::reading(Box::new(push), vec![speed], read, &efforts).unwrap();
    b.force("law", Box::new(push));
    let drive = drives::coordinate_rate(reach.clone(), SmoothFunction::constant(0.3), second.point());
    let drive = b.constraint("drive", Box::new(drive));
    let names = ["a", "b", "d", "m", "da", "db", "dd", "dm", "q", "w", "s", "v", "t"];
    let rate = |c: &Coordinate| Reading::Speed(Speed::Rate(c.clone()));
    let law = |text: &str| function(text, &names);
    let network = Network {
        name: "circuit".into(),
        variables: [("a", 0.3), ("b", -0.2), ("d", 0.7), ("m", 0.4)]
            .map(|(name, start)| Variable { name: name.into(), start, nominal: 1.0 })
            .into(),
        readings: vec![
            Reading::Coordinate(angle.clone()),
            rate(&angle),
            Reading::Coordinate(reach.clone()),
            rate(&reach),
        ],
        equations: vec![
            law("da*(1 + b^2) + sin(q)*d + w*a*t - s*v + m"),
            law("db + a*da*s + 0.3*db*cos(d) + v^2*w"),
            law("d + 0.3*sin(d) - a*q - 0.2*w*s + t*v"),
            law("a^2 + a - 0.5*s"),
        ],
        loads: vec![Load::along(0, law("a*w + d*sin(q) + t*v")), Load::along(2, law("d*s + b^2*q + a*v"))],
    };
    b.network(network).unwrap();
    b.command(drive, 0, VariableReading { network: 0, variable: 1 });
    b.build()
}

/// The step matrix is the derivative of the residual, by central differences.
#[test]
fn matrix_is_the_derivative_of_the_residual() {
    [system(), system_with_network()].iter().for_each(compare);
}

fn compare(system: &System) {
    let view = Conserving::new(system, Coordinates::Directors);
    for k in 1..=3 {
        let mut newton = GalerkinNewton::new(&view, k, k + 2);
        let state = system.start_state(0.0);
        let course = &mut newton.course;
        course.h = 0.1;
        course.rates =
            (0..state.frames.len()).map(|id| state.frames[id].rate(&system.twist(id, &state.v))).collect();
        course.start.clone_from(&state.frames);
        course.memory.clone_from(&state.memory);
        for v in view.network_unknowns() {
            course.start_variables[v.eq[0]] = state.v[v.eq[1]];
        }
        course.u.iter_mut().enumerate().for_each(|(i, u)| *u = ((i * 7 % 11) as f64 - 5.0) * 0.3);
        newton.evaluate(&view).unwrap();
        newton.factor(&view).unwrap();
        let values = newton.values.clone();
        for c in 0..newton.course.u.len() {
            let step = 1e-5;
            let u = newton.course.u[c];
            let mut sides = [step, -step].map(|d| {
                newton.course.u[c] = u + d;
                newton.evaluate(&view).unwrap();
                let mut residual = newton.residual.clone();
                newton.stiffenings.iter().for_each(|s| s.stiffen(k, &mut residual));
                residual
            });
            newton.course.u[c] = u;
            let scale = 0.5 / step;
            let [plus, minus] = &mut sides;
            plus.iter_mut().zip(minus.iter()).for_each(|(p, m)| *p = (*p - m) * scale);
            for (&r, slot) in newton.pattern.rows(c).iter().zip(newton.pattern.slots(c)) {
                let (found, exact) = (values[slot], plus[r]);
                let names = [r, c].map(|e| view.equation_name(e / k));
                assert!((found - exact).abs() < 1e-6 * (1.0 + exact.abs()), "{k} {names:?}: {found} {exact}");
            }
        }
    }
}
