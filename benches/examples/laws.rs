//! What a law of the state costs beside a native spring: force and tangent of one element, in nanoseconds.
//!
//! The spring acts between two points that move. The law is a drag on a point by its own velocity, and the
//! same spring with a law that reads the distance and its rate.

use poinsot_expr::{Expr, Function};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::forces::{CoordinateForce, Governed, PointForce};
use poinsot_mechanics::joints::Attachment;
use poinsot_mechanics::{Blocks, Carried, Coordinate, Force, Motion, Reading, Speed};
use std::hint::black_box;
use std::time::Instant;

const ROUNDS: usize = 7;
const CALLS: usize = 200_000;

fn main() {
    let at = |node| Attachment { node, origin: Vec3::new(0.1, 0.2, 0.0), axes: Mat3::identity() };
    let distance = Coordinate::distance(&at(1), &at(2));
    let spring =
        |law| CoordinateForce { coordinate: distance.clone(), stiffness: 20.0, damping: 0.3, free: 0.8, law };
    let function = |text: &str, names: &[&str]| {
        Function::new(&Expr::parse(text).expect("it parses"), names, &|_| None).expect("its names are known")
    };
    let point = Carried::point(1, Vec3::zeros());
    let speeds = (0..3).map(|k| Reading::Speed(Speed::Rate(Coordinate::component(point, k)))).collect();
    let drag = ["x", "y", "z"].map(|k| format!("-0.1*{k}*sqrt(x^2 + y^2 + z^2)"));
    let drag: Vec<Function> = drag.iter().map(|law| function(law, &["t", "x", "y", "z"])).collect();
    let idle = [0.0; 3].map(Function::constant);
    let read = vec![Reading::Coordinate(distance.clone()), Reading::Speed(Speed::Rate(distance.clone()))];
    let law = [function("0.5*l^2 - 0.1*v", &["t", "l", "v"])];
    let elements: [(&str, Box<dyn Force>); 3] = [
        ("spring", Box::new(spring(None))),
        (
            "drag by a law",
            Box::new(
                Governed::new(Box::new(PointForce::dead(1, Vec3::zeros(), idle)), speeds, &drag)
                    .expect("it fits"),
            ),
        ),
        (
            "spring with a law of its length",
            Box::new(Governed::new(Box::new(spring(None)), read, &law).expect("it fits")),
        ),
    ];
    let mut first = None;
    println!("{:<34}{:>10}{:>8}{:>12}{:>8}", "element", "force ns", "ratio", "tangent ns", "ratio");
    for (name, element) in &elements {
        let times = [false, true].map(|tangent| cost(&**element, tangent));
        let base = *first.get_or_insert(times);
        let [force, tangent] = times;
        let (by_force, by_tangent) = (force / base[0], tangent / base[1]);
        println!("{name:<34}{force:>10.1}{by_force:>8.2}{tangent:>12.1}{by_tangent:>8.2}");
    }
}

/// The least time of a call of several rounds (ns).
fn cost(element: &dyn Force, tangent: bool) -> f64 {
    let n = element.carried().len();
    let x: Vec<Vec3> = (0..n).map(|k| Vec3::new(0.3 + k as f64, 0.7, -0.2 * k as f64)).collect();
    let xdot: Vec<Vec3> = (0..n).map(|k| Vec3::new(-0.4, 0.1 * k as f64, 0.9)).collect();
    let memory = vec![0.0; element.memories()];
    let at = Motion { t: 0.3, x: &x, xdot: &xdot, memory: &memory, reactions: &[] };
    let (mut f, mut k, mut c) = (vec![Vec3::zeros(); n], Blocks::default(), Blocks::default());
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        let clock = Instant::now();
        for _ in 0..CALLS {
            if tangent {
                k.clear();
                c.clear();
                element.tangent(black_box(&at), &mut k, &mut c);
                black_box((&k, &c));
            } else {
                element.force(black_box(&at), black_box(&mut f));
            }
        }
        least = least.min(clock.elapsed().as_secs_f64() * 1e9 / CALLS as f64);
    }
    least
}
