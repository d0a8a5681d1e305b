//! Forces at places between nodes: derivatives, and that they are those of a point that moves there.

use crate::derivatives;
use crate::random::Random;
use poinsot_expr::{Expr, Function};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::ancf::{Cubic, SlopeMoment, SlopeNode, cable_mass};
use poinsot_mechanics::beams::node_weights;
use poinsot_mechanics::forces::{CoordinateForce, Governed, PointForce};
use poinsot_mechanics::joints::{Attachment, revolute};
use poinsot_mechanics::*;

const L: f64 = 1.4;

fn function(text: &str, arguments: &[&str]) -> Function {
    Function::new(&Expr::parse(text).unwrap(), arguments, &|_| None).unwrap()
}

fn at(node: NodeId) -> Attachment {
    Attachment { node, origin: Vec3::zeros(), axes: Mat3::identity() }
}

/// The vectors of a line of one element with random rates, and those of its place and slope at ξ.
fn line(rng: &mut Random, b: &mut SystemBuilder, plane: bool) -> [SlopeNode; 2] {
    let flat = |v: Vec3| if plane { Vec3::new(v.x, v.y, 0.0) } else { v };
    let axes = plane.then(|| [Vec3::x(), Vec3::y()]);
    let ends = [0.0, 1.0].map(|k: f64| {
        let start = [Vec3::x() * (k * L) + flat(rng.vector()) * 0.2, Vec3::x() + flat(rng.vector()) * 0.2];
        let rates = [flat(rng.vector()), flat(rng.vector())];
        SlopeNode::add_to(b, &format!("n{k}"), axes, start, rates)
    });
    b.inertia(cable_mass(&ends, L, 1.3));
    ends
}

fn vectors([from, to]: &[SlopeNode; 2]) -> [Carried; 4] {
    [from.place, from.slope, to.place, to.slope]
}

/// Springs, dampers, laws of what moves there and of reactions, forces and moments.
#[test]
fn derivatives_are_exact() {
    let mut rng = Random(1291);
    for plane in [true, false] {
        for round in 0..3 {
            let mut b = SystemBuilder::new(rng.vector() * 9.0);
            let ends = line(&mut rng, &mut b, plane);
            let shape = |xi: f64| Cubic::at(xi, L);
            let xi = [0.21, 0.5, 0.83][round];
            let place = at(b.between(vectors(&ends).into_iter().zip(shape(xi).value).collect()));
            let other = at(b.between(vectors(&ends).into_iter().zip(shape(1.0 - xi * xi).value).collect()));
            let slope = Carried::slope(b.between(vectors(&ends).into_iter().zip(shape(xi).slope).collect()));
            let flat = |v: Vec3| if plane { Vec3::new(v.x, v.y, 0.0) } else { v };
            let chart = match plane {
                true => Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() },
                false => Chart::Motion,
            };
            let spin = if plane { Vec3::z() * rng.next() } else { rng.vector() };
            let twist = Twist { linear: flat(rng.vector()), angular: spin };
            let start = Frame { r: flat(rng.vector()) + Vec3::y(), rot: Mat3::identity() };
            let hub = b.node("hub", chart, start, twist);
            let inertia = Mat3::from_diagonal(&Vec3::new(1.1, 1.3, 1.6));
            b.body(Body::new(hub, &MassProperties::new(1.5, Vec3::zeros(), inertia)));
            let rim = Attachment { origin: flat(rng.vector()), ..at(hub) };
            let joint = b.constraint("c", Box::new(revolute(&Attachment { node: GROUND, ..rim }, &rim)));
            // A spring to a body, one between two places of the line, both with laws of their own.
            for second in [rim, other] {
                let coordinate = Coordinate::distance(&place, &second);
                let law = Some(function("s^2*cos(t) + 0.4*v*s", &["t", "s", "v"]));
                let spring = CoordinateForce { coordinate, stiffness: 7.0, damping: 0.6, free: 0.3, law };
                b.force("spring", Box::new(spring));
            }
            // A force that reads the place, its rate, another length and a reaction.
            let law = |text: &str| function(text, &["t", "l", "v", "x", "p"]);
            let readings = vec![
                Reading::Coordinate(Coordinate::distance(&other, &rim)),
                Reading::Speed(Speed::Rate(Coordinate::distance(&place, &rim))),
                Reading::Coordinate(Coordinate::component(place.point(), 0)),
            ];
            let read = ReactionPart::Force(ReadDirection::Carried(Carried::direction(hub, Vec3::x())));
            let reactions = vec![ReactionReading::new(joint, b.constraint_law(joint), read)];
            let idle = PointForce::dead(place.node, Vec3::zeros(), [0.0; 3].map(Function::constant));
            let laws =
                [law("l*v + 0.3*p"), law("x^2*l - 0.1*p*v"), law(if plane { "0" } else { "sin(x)*t" })];
            let push = Governed::pressed(Box::new(idle), readings, reactions, &laws).unwrap();
            b.force("law", Box::new(push));
            let moment = if plane { ["0", "0", "2 + t"] } else { ["1", "t", "-2"] };
            b.force("moment", Box::new(SlopeMoment::new(slope, moment.map(|text| function(text, &["t"])))));
            derivatives::check(&b.build(), &mut rng, &format!("between nodes, plane {plane}"));
        }
    }
}

/// Points of a line with section axes are sums of the nodes' points.
#[test]
fn derivatives_on_frames_are_exact() {
    let mut rng = Random(17);
    for order in [1, 2, 3] {
        let mut b = SystemBuilder::new(rng.vector());
        let nodes: Vec<NodeId> = (0..=order)
            .map(|k| {
                let z = Frame { r: Vec3::x() * k as f64 + rng.vector() * 0.2, rot: rng.rotation() };
                let node =
                    b.node("n", Chart::Motion, z, Twist { linear: rng.vector(), angular: rng.vector() });
                b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), Mat3::identity() * 0.1)));
                node
            })
            .collect();
        let sum = nodes.iter().map(|node| at(*node).point()).zip(node_weights(order, 0.37)).collect();
        let place = at(b.between(sum));
        let end = Attachment { origin: rng.vector(), ..at(nodes[0]) };
        let coordinate = Coordinate::distance(&place, &end);
        let law = Some(function("s*v", &["t", "s", "v"]));
        b.force(
            "spring",
            Box::new(CoordinateForce { coordinate, stiffness: 5.0, damping: 0.2, free: 0.5, law }),
        );
        derivatives::check(&b.build(), &mut rng, &format!("between frames of order {order}"));
    }
}

/// What the spring tells is that of a spring at a point which moves as the place does.
#[test]
fn a_spring_tells_what_one_at_a_point_tells() {
    let mut rng = Random(4);
    let mut b = SystemBuilder::new(Vec3::zeros());
    let ends = line(&mut rng, &mut b, false);
    let shape = Cubic::at(0.3, L);
    let place = at(b.between(vectors(&ends).into_iter().zip(shape.value).collect()));
    let post = Attachment { origin: Vec3::new(0.2, 1.0, -0.4), ..at(GROUND) };
    let spring = |place: Attachment| CoordinateForce {
        coordinate: Coordinate::distance(&post, &place),
        stiffness: 40.0,
        damping: 3.0,
        free: 0.4,
        law: Some(function("2*s - v^2 + t", &["t", "s", "v"])),
    };
    let force = b.force("spring", Box::new(spring(place)));
    // The place and its velocity, by hand.
    let sum = |of: fn(&SystemBuilder, &Carried) -> Vec3, b: &SystemBuilder| -> Vec3 {
        vectors(&ends).iter().zip(shape.value).map(|(c, w)| of(b, c) * w).sum()
    };
    let r = sum(|b, c| b.start(c.node).r, &b);
    let point = b.node(
        "p",
        Chart::Point,
        Frame { r, rot: Mat3::identity() },
        Twist { linear: Vec3::zeros(), angular: Vec3::zeros() },
    );
    b.body(Body::new(point, &MassProperties::point(1.0, Vec3::zeros())));
    let same = b.force("spring", Box::new(spring(at(point))));
    let system = b.build();
    let mut state = system.start_state(0.3);
    let velocity: Vec3 =
        vectors(&ends).iter().zip(shape.value).map(|(c, w)| system.twist(c.node, &state.v).linear * w).sum();
    let own = system.nodes()[point].unknowns();
    state.v[own].copy_from_slice(velocity.as_slice());
    let a = vec![0.0; system.size()];
    let at = Instant { t: 0.3, frames: &state.frames, v: &state.v, a: &a, memory: &state.memory, rates: &[] };
    let mut s = Scratch::default();
    let [here, there] = [force, same].map(|k| system.along(k, &at, &mut s).unwrap());
    for (here, there) in [(here.value, there.value), (here.rate, there.rate), (here.force, there.force)] {
        assert!((here - there).abs() < 1e-14 * (1.0 + there.abs()), "{here} {there}");
    }
}
