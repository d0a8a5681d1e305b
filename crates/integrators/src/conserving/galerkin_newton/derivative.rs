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

/// The step matrix is the derivative of the residual, by central differences.
#[test]
fn matrix_is_the_derivative_of_the_residual() {
    let system = system();
    let view = Conserving::new(&system, Coordinates::Directors);
    for k in 1..=3 {
        let mut newton = GalerkinNewton::new(&view, k, k + 2);
        let state = system.start_state(0.0);
        let course = &mut newton.course;
        course.h = 0.1;
        course.rates =
            (0..state.frames.len()).map(|id| state.frames[id].rate(&system.twist(id, &state.v))).collect();
        course.start.clone_from(&state.frames);
        course.memory.clone_from(&state.memory);
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
