//! Flexible bodies in time: what conserving steps keep, that they are of second order, the rigid limit.

use crate::common::{manifold_runge_kutta, order};
use crate::conserving_models::balance;

use poinsot_flexible::{InertiaIntegrals, LumpedPoint};
use poinsot_geometry::nalgebra::DMatrix;
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::{ConservingSettings, EnergyMomentum, Stepper};
use poinsot_mechanics::conserving::{Coordinates, Rule};
use poinsot_mechanics::flexible::{Elasticity, FlexibleInertia, Interface};
use poinsot_mechanics::joints::*;
use poinsot_mechanics::*;

/// Six points with two shapes, one that bends and one that stretches and twists a little.
fn points() -> Vec<LumpedPoint> {
    let places = [
        [0.0, 0.1, 0.0],
        [0.2, -0.1, 0.05],
        [0.4, 0.0, 0.1],
        [0.6, 0.1, -0.1],
        [0.8, -0.05, 0.0],
        [1.0, 0.0, 0.08],
    ];
    let shape =
        |x: Vec3| vec![Vec3::new(0.0, x.x * (1.0 - x.x), 0.2 * x.x), Vec3::new(x.x, 0.3 * x.z, -0.3 * x.y)];
    let point = |x: [f64; 3]| LumpedPoint { mass: 0.4, place: x.into(), displacements: shape(x.into()) };
    places.map(point).into()
}

/// The body in flight, with a rigid one hinged to its end; stiffness of the shapes.
pub fn in_flight(stiffness: f64, gravity: Vec3, hinged: bool) -> System {
    let mut b = SystemBuilder::new(gravity);
    let rot = so3::exp(&Vec3::new(0.3, -0.2, 0.5));
    let motion = Twist { linear: Vec3::new(0.3, 0.1, -0.2), angular: Vec3::new(0.7, 1.1, -0.9) };
    let frame = b.node("body", Chart::Motion, Frame { r: Vec3::zeros(), rot }, motion);
    let numbers = [b.number("q1", 0.0, 0.0), b.number("q2", 0.0, 0.0)];
    b.flexible_inertia(FlexibleInertia::new(frame, &numbers, &InertiaIntegrals::lumped(&points(), 2)));
    let k = DMatrix::from_row_slice(2, 2, &[1.0, 0.2, 0.2, 2.0]) * stiffness;
    b.force("elasticity", Box::new(Elasticity::new(&numbers, &k, &DMatrix::zeros(2, 2))));
    if hinged {
        let place = Vec3::new(1.0, 0.0, 0.0);
        let carried = |c: &Vec3| Twist { linear: motion.linear + rot * motion.angular.cross(c), ..motion };
        let end = b.node("end", Chart::Motion, Frame { r: rot * place, rot }, carried(&place));
        let displacements = vec![Vec3::new(0.0, 0.0, 0.2), Vec3::x()];
        let rotations = vec![Vec3::new(0.0, -0.2, -1.0), Vec3::new(-0.3, 0.0, 0.0)];
        b.constraint("end", Box::new(Interface::new(end, frame, &numbers, place, displacements, rotations)));
        let centre = Vec3::new(1.2, 0.0, 0.0);
        let rod = b.node("rod", Chart::Motion, Frame { r: rot * centre, rot }, carried(&centre));
        b.body(Body::new(rod, &MassProperties::new(0.5, Vec3::zeros(), Mat3::identity() * 0.02)));
        let hold = |node, origin| Attachment { node, origin, axes: Mat3::identity() };
        b.constraint(
            "hinge",
            Box::new(revolute(&hold(end, Vec3::zeros()), &hold(rod, Vec3::new(-0.2, 0.0, 0.0)))),
        );
    }
    b.build()
}

fn run(system: &System, coordinates: Coordinates, h: f64, steps: usize) -> State {
    let settings = ConservingSettings { coordinates, ..ConservingSettings::new(Rule::EnergyMomentum) };
    let mut integration = EnergyMomentum::new(system, settings, system.start_state(0.0)).unwrap();
    for _ in 0..steps {
        integration.attempt(h).unwrap();
        integration.accept();
    }
    integration.state().clone()
}

#[test]
fn conserving_steps_keep_energy_and_momentum_of_a_flexible_body() {
    for hinged in [false, true] {
        let system = in_flight(40.0, Vec3::zeros(), hinged);
        let start = balance(&system, &system.start_state(0.0));
        for coordinates in [Coordinates::Motion, Coordinates::Directors, Coordinates::EulerParameters] {
            let end = run(&system, coordinates, 0.01, 1000);
            let now = balance(&system, &end);
            let energy = (now.total() / start.total() - 1.0).abs();
            let angular =
                (now.angular_momentum - start.angular_momentum).norm() / start.angular_momentum.norm();
            let linear = (now.momentum - start.momentum).norm() / start.momentum.norm();
            println!("hinged {hinged} {coordinates:?}: energy {energy:e}, momenta {linear:e} {angular:e}");
            assert!(energy < 1e-10 && angular < 1e-10 && linear < 1e-10);
            let q = end.frames[2].r.x;
            assert!(q.abs() > 1e-4, "it bends: {q}");
        }
    }
}

#[test]
fn conserving_steps_of_a_flexible_body_are_of_second_order() {
    let system = in_flight(40.0, Vec3::new(0.0, 0.0, -9.81), true);
    let exact = manifold_runge_kutta(&system, &system.start_state(0.0), 0.4, 800);
    let error = |steps: usize| {
        let end = run(&system, Coordinates::Motion, 0.4 / steps as f64, steps);
        let rigid = (1..end.frames.len()).map(|k| (end.frames[k].r - exact.frames[k].r).norm());
        rigid.fold(0.0, f64::max)
    };
    let errors = [error(40), error(80), error(160)];
    println!("{errors:?}");
    assert!(order(errors[0], errors[1]) > 1.9 && order(errors[1], errors[2]) > 1.9);
    assert!(errors[2] < 1e-4);
}

/// Stiff shapes move the frame as the rigid body of the same points.
#[test]
fn stiff_shapes_leave_a_rigid_body() {
    let system = in_flight(1e20, Vec3::new(0.0, 0.0, -9.81), false);
    let points = points();
    let parts: Vec<_> = points.iter().map(|p| MassProperties::point(p.mass, p.place)).collect();
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let frame = &system.nodes()[1];
    let node = b.node("body", Chart::Motion, frame.start, frame.start_velocity);
    b.body(Body::new(node, &MassProperties::sum(&parts)));
    let rigid = b.build();
    let (h, steps) = (0.005, 400);
    let end = run(&system, Coordinates::Motion, h, steps);
    let expected = run(&rigid, Coordinates::Motion, h, steps);
    let apart = (end.frames[1].r - expected.frames[1].r).norm();
    let turned = (end.frames[1].rot - expected.frames[1].rot).norm();
    println!("{apart:e} {turned:e}");
    assert!(apart < 1e-9 && turned < 1e-9);
}
