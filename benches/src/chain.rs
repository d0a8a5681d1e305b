//! A chain of N equal rods, 10 m and 10 kg in all, straight from a fixed point, released under gravity.

use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::joints::{Attachment, revolute, spherical};
use poinsot_mechanics::{Body, Chart, Frame, GROUND, MassProperties, NodeId, System, SystemBuilder, Twist};

/// How the rods hang together, and how they move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Hinges, bodies of space.
    Planar,
    /// Hinges, bodies of the plane.
    PlanarBodies,
    /// Ball joints; the straight chain turns about the vertical.
    Spatial,
}

/// The system, the last node, and the length of a rod.
pub fn chain(kind: Kind, n: usize) -> (System, NodeId, f64) {
    let (l, m) = (10.0 / n as f64, 10.0 / n as f64);
    let spatial = kind == Kind::Spatial;
    let gravity = if spatial { Vec3::new(0.0, 0.0, -9.81) } else { Vec3::new(0.0, -9.81, 0.0) };
    let r = l / 10.0;
    let (jx, jt) = if spatial {
        (m * r * r / 2.0, m * (3.0 * r * r + l * l) / 12.0)
    } else {
        (m * l * l / 1200.0, m * l * l / 12.0)
    };
    let mut b = SystemBuilder::new(gravity);
    let mut previous = (GROUND, Vec3::zeros());
    for i in 0..n {
        let x = (i as f64 + 0.5) * l;
        let start = Frame { r: Vec3::new(x, 0.0, 0.0), rot: Mat3::identity() };
        let spin = if spatial { 1.0 } else { 0.0 };
        let velocity = Twist { linear: Vec3::new(0.0, spin * x, 0.0), angular: Vec3::new(0.0, 0.0, spin) };
        let chart = if kind == Kind::PlanarBodies {
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
    }
    (b.build(), previous.0, l)
}
