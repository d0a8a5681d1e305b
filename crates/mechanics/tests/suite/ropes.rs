//! Ropes over pulleys: length, gradients at random states, wheels that turn along.

use crate::derivatives::check;
use crate::random::Random;
use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::joints::{Attachment, Rope, RopeError, RopeWheel};
use poinsot_mechanics::*;
use std::f64::consts::PI;

fn body(rng: &mut Random, b: &mut SystemBuilder, place: Vec3) -> Attachment {
    let start = Frame { r: place + rng.vector() * 0.1, rot: rng.rotation() };
    let twist = Twist { linear: rng.vector(), angular: rng.vector() };
    let node = b.node("body", Chart::Motion, start, twist);
    let inertia = Mat3::from_diagonal(&Vec3::new(1.1, 1.3, 1.6));
    b.body(Body::new(node, &MassProperties::new(1.4, Vec3::zeros(), inertia)));
    Attachment { node, origin: rng.vector() * 0.1, axes: rng.rotation() }
}

/// Four bodies: a load, two wheels with their centres on different sides of the rope, a load.
fn system(rng: &mut Random, turning: [bool; 2]) -> System {
    let mut b = SystemBuilder::new(rng.vector());
    let places =
        [Vec3::new(-1.5, -2.0, 0.0), Vec3::zeros(), Vec3::new(2.0, -1.0, 0.0), Vec3::new(4.5, 1.0, 0.0)];
    let ends = places.map(|place| body(rng, &mut b, place));
    let wheel = |k: usize, radius: f64| RopeWheel {
        centre: ends[k].point(),
        radius,
        mark: turning[k - 1].then(|| ends[k].axis(0)),
    };
    let wheels = [wheel(1, -0.5), wheel(2, 0.4)];
    let carried = [ends[0].point(), wheels[0].centre, wheels[1].centre, ends[3].point()];
    let marks = wheels.iter().filter_map(|wheel| wheel.mark);
    let start: Vec<Vec3> = carried.into_iter().chain(marks).map(|c| c.value(b.start(c.node))).collect();
    let normal = Vec3::new(0.1, -0.05, 1.0).normalize();
    let rope = Rope::new([carried[0], carried[3]], &wheels, &normal, &start, None).unwrap();
    b.constraint("rope", Box::new(rope));
    b.build()
}

#[test]
fn derivatives() {
    let mut rng = Random(0x70be_0001_beef_cafe);
    for turning in [[false, false], [true, false], [false, true], [true, true]] {
        for _ in 0..3 {
            let system = system(&mut rng, turning);
            check(&system, &mut rng, &format!("rope over wheels that turn along: {turning:?}"));
            // As it is made, its length is the one that it has.
            let state = system.start_state(0.0);
            let zero = vec![0.0; system.size()];
            let at = Instant {
                t: 0.0,
                frames: &state.frames,
                v: &state.v,
                a: &zero,
                memory: &state.memory,
                rates: &[],
            };
            let mut phi = zero.clone();
            system.constraint_residual(&at, &mut phi, &mut Scratch::default());
            assert!(phi.iter().all(|value| value.abs() < 1e-14));
        }
    }
}

fn over(wheels: &[(Vec3, f64)], ends: [Vec3; 2]) -> Result<Rope, RopeError> {
    let point = |place: &Vec3| Carried::point(GROUND, *place);
    let list: Vec<RopeWheel> = wheels
        .iter()
        .map(|(c, radius)| RopeWheel { centre: point(c), radius: *radius, mark: None })
        .collect();
    let start: Vec<Vec3> =
        [ends[0]].into_iter().chain(wheels.iter().map(|wheel| wheel.0)).chain([ends[1]]).collect();
    Rope::new([point(&ends[0]), point(&ends[1])], &list, &Vec3::z(), &start, None)
}

/// Lengths by elementary geometry: half around a wheel, straight past one, once around an open and a crossed
/// pair.
#[test]
fn lengths() {
    let at = |x: f64, y: f64| Vec3::new(x, y, 0.0);
    // Up on the left, over the wheel clockwise, down on the right: its centre is on the right of the rope.
    let rope = over(&[(at(0.0, 0.0), -0.5)], [at(-0.5, -2.0), at(0.5, -3.0)]).unwrap();
    assert!((rope.lengths()[0] - (5.0 + 0.5 * PI)).abs() < 1e-14);
    // The same seen from the other side.
    let rope = over(&[(at(0.0, 0.0), 0.5)], [at(0.5, -3.0), at(-0.5, -2.0)]).unwrap();
    assert!((rope.lengths()[0] - (5.0 + 0.5 * PI)).abs() < 1e-14);
    // It touches the wheel only.
    let rope = over(&[(at(0.0, -1.0), -1.0)], [at(-2.0, 0.0), at(3.0, 0.0)]).unwrap();
    assert!((rope.lengths()[0] - 5.0).abs() < 1e-12);
    // An S over two wheels whose common tangent crosses the line of centres: √(3² − 2²) between them.
    let rope = over(&[(at(0.0, 0.0), -1.0), (at(3.0, 0.0), 1.0)], [at(-1.0, -2.0), at(4.0, 2.0)]).unwrap();
    let beta = (2.0f64 / 3.0).asin();
    let wraps = 2.0 * (PI / 2.0 + (PI / 2.0 - (PI / 2.0 - beta)));
    let expected = 4.0 + 5.0f64.sqrt() + wraps;
    assert!((rope.lengths()[0] - expected).abs() < 1e-13, "{} {expected}", rope.lengths()[0]);
    // Inside of a wheel there is no tangent.
    let inside = over(&[(at(0.0, 0.0), 1.0)], [at(-2.0, 0.0), at(0.3, 0.1)]);
    assert_eq!(inside.unwrap_err(), RopeError::Overlap(1));
}
