//! Times the step of an N-link chain: `chain [planar|spatial|planar-body] N h t_end [position|stabilised]
//! [tolerance]`.

use poinsot_analysis::consistent_start;
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::{Form, Gs4, Member, Settings, Stepper};
use poinsot_mechanics::joints::{Attachment, revolute, spherical};
use poinsot_mechanics::*;
use std::time::Instant as Clock;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let kind = args.get(1).map_or("spatial", |s| s.as_str());
    let n: usize = args.get(2).and_then(|s| s.parse().ok()).unwrap_or(10);
    let h: f64 = args.get(3).and_then(|s| s.parse().ok()).unwrap_or(1e-3);
    let t_end: f64 = args.get(4).and_then(|s| s.parse().ok()).unwrap_or(1.0);
    let form = if args.get(5).is_some_and(|s| s == "position") { Form::Position } else { Form::Stabilised };
    let tolerance: f64 = args.get(6).and_then(|s| s.parse().ok()).unwrap_or(1e-10);
    let (l, m) = (10.0 / n as f64, 10.0 / n as f64);
    let spatial = kind == "spatial";
    let gravity = if spatial { Vec3::new(0.0, 0.0, -9.81) } else { Vec3::new(0.0, -9.81, 0.0) };
    let r = l / 10.0;
    let (jx, jt) = if spatial {
        (m * r * r / 2.0, m * (3.0 * r * r + l * l) / 12.0)
    } else {
        (m * l * l / 1200.0, m * l * l / 12.0)
    };
    let mut b = SystemBuilder::new(gravity);
    let mut previous = (GROUND, Vec3::zeros());
    let mut nodes = vec![];
    for i in 0..n {
        let x = (i as f64 + 0.5) * l;
        let start = Frame { r: Vec3::new(x, 0.0, 0.0), rot: Mat3::identity() };
        let spin = if spatial { 1.0 } else { 0.0 };
        let velocity = Twist { linear: Vec3::new(0.0, spin * x, 0.0), angular: Vec3::new(0.0, 0.0, spin) };
        let chart = if kind == "planar-body" {
            Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() }
        } else {
            Chart::Motion
        };
        let node = b.node(&format!("link{i}"), chart, start, velocity);
        let inertia = Mat3::from_diagonal(&Vec3::new(jx, jt, jt));
        b.body(Body::new(node, &MassProperties::new(m, Vec3::zeros(), inertia)));
        let axes = Mat3::identity();
        let first = Attachment { node: previous.0, origin: previous.1, axes };
        let second = Attachment { node, origin: Vec3::new(-l / 2.0, 0.0, 0.0), axes };
        let joint = if spatial { spherical(&first, &second) } else { revolute(&first, &second) };
        b.constraint(&format!("joint{i}"), Box::new(joint));
        previous = (node, Vec3::new(l / 2.0, 0.0, 0.0));
        nodes.push(node);
    }
    let mut system = b.build();
    let clock = Clock::now();
    let (state, report) = consistent_start(&mut system, 0.0).unwrap();
    println!("start {:.1} ms, redundant {}", clock.elapsed().as_secs_f64() * 1e3, report.redundant.len());
    let settings = Settings { member: Member::u0(0.9, 0.9, 0.9), form, tolerance, ..Settings::default() };
    let mut gs4 = Gs4::new(&system, settings, state, h).unwrap();
    let steps = (t_end / h).round() as usize;
    let clock = Clock::now();
    for k in 0..steps {
        if let Err(e) = gs4.step(h) {
            println!("step {k}: {e}");
            break;
        }
    }
    let wall = clock.elapsed().as_secs_f64();
    let z = &gs4.state().frames[*nodes.last().unwrap()];
    let tip = z.r + z.rot * Vec3::new(l / 2.0, 0.0, 0.0);
    let c = gs4.counters();
    println!(
        "{kind} N={n} {:.2} us/step, it/step {:.2}, fact/step {:.3}, tip {:.9?}",
        wall / c.steps as f64 * 1e6,
        c.iterations as f64 / c.steps as f64,
        c.factorisations as f64 / c.steps as f64,
        tip.as_slice()
    );
}
