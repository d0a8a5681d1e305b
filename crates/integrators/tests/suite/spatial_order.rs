//! Order of accuracy on spatial mechanisms, open and closed, for positions, velocities, reported
//! accelerations and reactions (gs4-isochronous-integrators I-53, I-54, §0.4 warning 4).

use crate::common;

use common::{
    accelerations, attach, consistent_start, distance_of_frames, integrate, largest_difference, law,
    manifold_runge_kutta, order, tight, violation,
};
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6, so3};
use poinsot_integrators::{Gs4Form, Member, Stepper};
use poinsot_mechanics::forces::{Bushing, CoordinateForce};
use poinsot_mechanics::joints::{revolute, spherical};
use poinsot_mechanics::*;

/// A full inertia tensor with the given principal moments.
fn turned(principal: Vec3, turn: Vec3) -> Mat3 {
    let r = so3::exp(&turn);
    r * Mat3::from_diagonal(&principal) * r.transpose()
}

/// A body whose frame is its modelled orientation and whose centre of mass is off the frame's origin.
fn link(b: &mut SystemBuilder, name: &str, r: Vec3, turn: Vec3, spin: Vec3, velocity: Vec3) -> NodeId {
    let start = Frame { r, rot: so3::exp(&turn) };
    let node = b.node(name, Chart::Motion, start, Twist { linear: velocity, angular: spin });
    let inertia = turned(Vec3::new(0.08, 0.11, 0.15), Vec3::new(0.4, -0.7, 0.2));
    b.body(Body::new(node, &MassProperties::new(1.3, Vec3::new(0.05, -0.04, 0.07), inertia)));
    node
}

/// An attachment at a world point with world axes, as seen from the modelled frame of a node.
fn at_world(b: &SystemBuilder, node: NodeId, point: Vec3, axes: Mat3) -> joints::Attachment {
    let z = *b.start(node);
    attach(node, z.rot.tr_mul(&(point - z.r)), z.rot.tr_mul(&axes))
}

fn gravity() -> Vec3 {
    Vec3::new(0.0, 0.0, -9.81)
}

/// Ground – revolute (tilted axis) – link 1 – spherical – link 2, with a bushing at the hand and a spring.
fn arm() -> System {
    let mut b = SystemBuilder::new(gravity());
    let axes = so3::exp(&Vec3::new(0.6, 0.3, -0.2));
    let elbow = Vec3::new(0.9, 0.1, 0.2);
    let hand = Vec3::new(1.5, 0.5, -0.3);
    let still = Vec3::zeros();
    let one = link(&mut b, "upper", elbow * 0.5, Vec3::new(0.1, 0.5, -0.3), axes.column(2) * 1.5, still);
    let spin = Vec3::new(1.0, -2.0, 1.5);
    let two = link(&mut b, "lower", (elbow + hand) * 0.5, Vec3::new(-0.4, 0.2, 0.8), spin, still);
    let shoulder = [at_world(&b, GROUND, Vec3::zeros(), axes), at_world(&b, one, Vec3::zeros(), axes)];
    b.constraint("shoulder", Box::new(revolute(&shoulder[0], &shoulder[1])));
    let ball = [one, two].map(|node| at_world(&b, node, elbow, Mat3::identity()));
    b.constraint("elbow", Box::new(spherical(&ball[0], &ball[1])));
    let ends = [GROUND, two].map(|node| at_world(&b, node, hand, Mat3::identity()));
    let stiffness = Mat6::from_diagonal(&Vec6::new(20.0, 25.0, 30.0, 0.8, 1.0, 1.2));
    b.force("hand", Box::new(Bushing::new(&ends[0], &ends[1], stiffness, stiffness * 0.02)));
    let anchors = [at_world(&b, GROUND, Vec3::new(0.0, 1.0, 0.5), axes), at_world(&b, one, elbow, axes)];
    let spring = CoordinateForce {
        coordinate: Coordinate::distance(&anchors[0], &anchors[1]),
        stiffness: 15.0,
        damping: 0.3,
        free: 0.8,
        law: Some(law("2*sin(3*t)")),
    };
    b.force("spring", Box::new(spring));
    b.build()
}

/// Ground – revolute – crank – spherical – coupler – spherical – rocker – revolute – ground, axes askew.
fn four_bar() -> System {
    let mut b = SystemBuilder::new(gravity());
    let (first, second) = (so3::exp(&Vec3::new(0.2, 0.1, 0.0)), so3::exp(&Vec3::new(-1.1, 0.3, 0.4)));
    let (o, a, c, d) =
        (Vec3::zeros(), Vec3::new(0.1, 0.4, 0.1), Vec3::new(1.2, 0.7, 0.6), Vec3::new(1.4, 0.0, 0.0));
    let still = Vec3::zeros();
    let crank = link(&mut b, "crank", a * 0.5, Vec3::new(0.2, 0.0, 0.9), first.column(2) * 4.0, still);
    let coupler = link(&mut b, "coupler", (a + c) * 0.5, Vec3::new(0.0, -0.5, 0.3), Vec3::x() * 0.5, still);
    let rocker = link(&mut b, "rocker", (c + d) * 0.5, Vec3::new(0.7, 0.1, 0.0), still, still);
    for (name, node, point, axes) in [("first", crank, o, first), ("second", rocker, d, second)] {
        let ends = [GROUND, node].map(|node| at_world(&b, node, point, axes));
        b.constraint(name, Box::new(revolute(&ends[0], &ends[1])));
    }
    for (name, nodes, point) in [("near", [crank, coupler], a), ("far", [coupler, rocker], c)] {
        let ends = nodes.map(|node| at_world(&b, node, point, Mat3::identity()));
        b.constraint(name, Box::new(spherical(&ends[0], &ends[1])));
    }
    let ends = [GROUND, rocker].map(|node| at_world(&b, node, d, second));
    let torsion = CoordinateForce {
        coordinate: Coordinate::angle(&ends[0], &ends[1]),
        stiffness: 4.0,
        damping: 0.1,
        free: 0.2,
        law: None,
    };
    b.force("torsion", Box::new(torsion));
    b.build()
}

/// Positions, velocities, accelerations and multipliers at the end.
struct End {
    frames: Vec<Frame>,
    v: Vec<f64>,
    a: Vec<f64>,
    lambda: Vec<f64>,
}

fn end(system: &System, state: &State) -> End {
    let mask = system.is_constraint_row();
    let all = accelerations(system, state);
    let pick = |rows: bool| (0..system.size()).filter(|&i| mask[i] == rows).map(|i| all[i]).collect();
    End { frames: state.frames.clone(), v: state.v.clone(), a: pick(false), lambda: pick(true) }
}

fn errors(got: &End, exact: &End) -> [f64; 4] {
    [
        distance_of_frames(&got.frames, &exact.frames),
        largest_difference(&got.v, &exact.v),
        largest_difference(&got.a, &exact.a),
        largest_difference(&got.lambda, &exact.lambda),
    ]
}

/// Second order of everything reported, for both forms; the reference is a Runge–Kutta integration of order
/// 4.
fn check(name: &str, system: &System, steps: usize) {
    let t_end = 0.6;
    let start = consistent_start(system);
    let [rough, fine] = [300, 600].map(|n| end(system, &manifold_runge_kutta(system, &start, t_end, n)));
    let own = errors(&rough, &fine);
    for form in [Gs4Form::Stabilised, Gs4Form::Position] {
        for member in [
            Member::named("generalized-alpha", 0.8).unwrap(),
            Member::named("optimal", 0.5).unwrap(),
            Member::named("midpoint", 0.0).unwrap(),
        ] {
            let at = |n: usize| {
                let gs4 = integrate(system, tight(member, form), &start, t_end / n as f64, n);
                let (position, velocity) = violation(system, gs4.state());
                assert!(position < 1e-12, "{name}, {member:?}, {form:?}: Φ = {position:.2e}");
                let stabilised = form == Gs4Form::Stabilised;
                assert!(!stabilised || velocity < 1e-12, "{name}, {member:?}: Φ̇ = {velocity:.2e}");
                errors(&end(system, gs4.state()), &fine)
            };
            let (coarse, finer) = (at(steps), at(2 * steps));
            let orders: Vec<f64> = coarse.iter().zip(finer).map(|(c, f)| order(*c, f)).collect();
            for (k, name) in ["q", "v", "a", "λ"].into_iter().enumerate() {
                assert!(
                    finer[k] > 30.0 * own[k],
                    "the reference of {name} is too rough: {own:?} for {finer:?}"
                );
            }
            assert!(
                orders.iter().all(|o| (o - 2.0).abs() < 0.15),
                "{name}, {member:?}, {form:?}: orders {orders:.3?} of (q, v, a, λ), errors {finer:?}"
            );
        }
    }
}

#[test]
fn two_link_arm() {
    check("arm", &arm(), 120);
}

#[test]
fn closed_four_bar_with_two_spherical_joints() {
    check("four-bar", &four_bar(), 120);
}
