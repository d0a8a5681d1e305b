//! The validation models of energy-momentum-null-space V-1 … V-7, and chains.

use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_mechanics::joints::*;
use poinsot_mechanics::mass_properties::Shape;
use poinsot_mechanics::*;

pub fn attached(node: NodeId, origin: Vec3, axes: Mat3) -> Attachment {
    Attachment { node, origin, axes }
}

/// Axes whose third is given.
pub fn axes_about(axis: &Vec3) -> Mat3 {
    let z = axis.normalize();
    let other = if z.x.abs() < 0.7 { Vec3::x() } else { Vec3::y() };
    let x = other.cross(&z).normalize();
    Mat3::from_columns(&[x, z.cross(&x), z])
}

fn body(b: &mut SystemBuilder, r: Vec3, rot: Mat3, v: Vec3, omega: Vec3, mass: f64, inertia: Vec3) -> NodeId {
    let velocity = Twist { linear: v, angular: rot.transpose() * omega };
    let node = b.node("body", Chart::Motion, Frame { r, rot }, velocity);
    b.body(Body::new(node, &MassProperties::new(mass, Vec3::zeros(), Mat3::from_diagonal(&inertia))));
    node
}

/// V-1: double spherical pendulum.
pub fn double_spherical_pendulum() -> System {
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    let mut previous = attached(GROUND, Vec3::zeros(), Mat3::identity());
    for (k, (mass, speed)) in [(10.0, -2.0), (5.0, -5.0)].into_iter().enumerate() {
        let start = Frame { r: Vec3::x() * (k + 1) as f64, rot: Mat3::identity() };
        let velocity = Twist { linear: Vec3::y() * speed, angular: Vec3::zeros() };
        let node = b.node(&format!("m{}", k + 1), Chart::Point, start, velocity);
        b.body(Body::new(node, &MassProperties::point(mass, Vec3::zeros())));
        let here = attached(node, Vec3::zeros(), Mat3::identity());
        b.constraint("rod", Box::new(distance(&previous, &here, 1.0)));
        previous = here;
    }
    b.build()
}

/// V-2: cone with its tip fixed, in steady precession.
pub fn top() -> System {
    let (height, radius, density) = (0.1, 0.05, 2700.0);
    let mass = density * std::f64::consts::PI * radius * radius * height / 3.0;
    let length = 0.75 * height;
    let j1 = 3.0 * mass / 80.0 * (4.0 * radius * radius + height * height);
    let j3 = 0.3 * mass * radius * radius;
    let nutation = std::f64::consts::FRAC_PI_3;
    let (m1, m3, precession) = (j1 + mass * length * length, j3, 10.0);
    let spin = mass * 9.81 * length / (m3 * precession) + (m1 - m3) / m3 * precession * nutation.cos();
    assert!((spin - 135.6).abs() < 1e-9);
    let rot = so3::exp(&(Vec3::x() * nutation));
    let d3 = rot * Vec3::z();
    let (r, omega) = (d3 * length, Vec3::z() * precession + d3 * spin);
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    let node = body(&mut b, r, rot, omega.cross(&r), omega, mass, Vec3::new(j1, j1, j3));
    let ground = attached(GROUND, Vec3::zeros(), Mat3::identity());
    b.constraint(
        "pivot",
        Box::new(spherical(&ground, &attached(node, Vec3::z() * -length, Mat3::identity()))),
    );
    b.build()
}

/// V-4: two bodies with a revolute joint in free flight.
pub fn revolute_pair() -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let omega = Vec3::new(10.0, -20.0, -20.0);
    let omega2 = omega + Vec3::z() * -15.0;
    let (r1, r2) = (Vec3::new(3.0, 3.0, 8.0), Vec3::new(5.5, 3.0, 13.0));
    let (a1, a2) = (Vec3::z() * 5.0, Vec3::x() * -2.5);
    let rot = Mat3::identity();
    let v2 = omega.cross(&a1) - omega2.cross(&a2);
    let one = body(&mut b, r1, rot, Vec3::zeros(), omega, 100.0, Vec3::new(1975.0, 1975.0, 200.0));
    let two = body(&mut b, r2, rot, v2, omega2, 2.0, Vec3::new(12.64083, 32.3717, 26.14083));
    b.constraint("hinge", Box::new(revolute(&attached(one, a1, rot), &attached(two, a2, rot))));
    b.build()
}

/// V-5: a tube that slides and turns on a cylinder.
pub fn cylindrical_pair() -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let (v, omega, rot) = (Vec3::y() * 50.0, Vec3::new(-1.0, -1.5, 0.0), Mat3::identity());
    let r2 = Vec3::z() * -11.0;
    let one = body(&mut b, Vec3::zeros(), rot, v, omega, 4.0, Vec3::new(304.0, 304.0, 8.0));
    let v2 = v + omega.cross(&r2) + Vec3::z() * 35.5;
    let omega2 = omega + Vec3::z() * 100.0;
    let two = body(&mut b, r2, rot, v2, omega2, 3.0, Vec3::new(18.75, 18.75, 19.5));
    let at = |node| attached(node, Vec3::zeros(), rot);
    b.constraint("slider", Box::new(cylindrical(&at(one), &at(two))));
    b.build()
}

/// V-6: a pyramid that slides on a plate.
pub fn planar_pair() -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let (r1, r2) = (Vec3::new(5.0, 5.0, 5.0), Vec3::new(-2.0, -2.0, 6.25));
    let (omega, rot) = (Vec3::new(20.0, 20.0, -10.0), Mat3::identity());
    let omega2 = omega + Vec3::z() * -60.0;
    let plate = Vec3::new(5125.0 / 48.0, 5125.0 / 48.0, 640.0 / 3.0);
    let one = body(&mut b, r1, rot, Vec3::zeros(), omega, 5.0, plate);
    let arm = Vec3::z() * -1.0;
    let contact = omega.cross(&(r2 + arm - r1)) + Vec3::new(150.0, -120.0, 0.0);
    let v2 = contact - omega2.cross(&arm);
    let two = body(&mut b, r2, rot, v2, omega2, 2.0, Vec3::new(43.0 / 40.0, 43.0 / 40.0, 0.8));
    let (first, second) = (attached(one, Vec3::z() * 0.25, rot), attached(two, arm, rot));
    b.constraint("contact", Box::new(planar(&first, &second)));
    b.build()
}

/// V-7: the six-body linkage, its first body fixed to the ground, with all its 36 + 36 rows.
pub fn linkage() -> System {
    let (l, density, a) = (0.1, 1000.0, (0.16 * std::f64::consts::PI).tan());
    let (x, y, z) = (Vec3::x(), Vec3::y(), Vec3::z());
    let corners = [Vec3::zeros(), y, x + y, x + y - z, x - z, -z].map(|v| v * l);
    let axes = [x, -z, -y, -x, z, y];
    let omegas = [Vec3::zeros(), -z, -z - y, -x - y - z, -x - y, -x].map(|w| w * 30.0);
    let velocities = [Vec3::zeros(), -x, -x - z, -x + y, -x, Vec3::zeros()].map(|v| v * 3.0);
    let mut b = SystemBuilder::new(z * -9.81);
    let mut nodes = vec![];
    for k in 0..6 {
        let (v0, v1) = (corners[k], corners[(k + 1) % 6]);
        let tetrahedron = [v0, v0 + axes[k] * (a * l), v1, v1 + axes[(k + 1) % 6] * (a * l)];
        let properties = Shape::Tetrahedron { corners: tetrahedron }.with_density(density).unwrap();
        let velocity = Twist { linear: velocities[k], angular: omegas[k] };
        let node = b.node(&format!("cell{k}"), Chart::Motion, Frame::identity(), velocity);
        b.body(Body::new(node, &properties));
        nodes.push(node);
    }
    let fixed_at = |node| attached(node, Vec3::zeros(), Mat3::identity());
    b.constraint("base", Box::new(fixed(&fixed_at(GROUND), &fixed_at(nodes[0]))));
    for k in 1..=6 {
        let at = |node| attached(node, corners[k % 6], axes_about(&axes[k % 6]));
        b.constraint(&format!("hinge{k}"), Box::new(revolute(&at(nodes[k - 1]), &at(nodes[k % 6]))));
    }
    b.build()
}

/// Angle of the hinge k = 1 … 5 of the linkage, in (−π, π].
pub fn hinge_angle(frames: &[Frame], k: usize) -> f64 {
    let axes = [Vec3::x(), -Vec3::z(), -Vec3::y(), -Vec3::x(), Vec3::z(), Vec3::y()];
    let joint = axes_about(&axes[k % 6]);
    let (one, two) = (frames[k].rot * joint, frames[k % 6 + 1].rot * joint);
    one.column(1).dot(&two.column(0)).atan2(one.column(0).dot(&two.column(0)))
}

/// Joints of a chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Links {
    Ball,
    Hinge,
}

/// A chain of rods of 1 m and 1 kg from the ground, released from the horizontal while it turns about the
/// vertical.
pub fn chain(n: usize, links: Links) -> System {
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    let inertia = Mat3::from_diagonal(&Vec3::new(0.005, 0.0858, 0.0858));
    let mut previous = attached(GROUND, Vec3::zeros(), Mat3::identity());
    for k in 0..n {
        let x = k as f64 + 0.5;
        let (linear, angular) = match links {
            Links::Ball => (Vec3::y() * x, Vec3::z()),
            Links::Hinge => (Vec3::zeros(), Vec3::zeros()),
        };
        let start = Frame { r: Vec3::x() * x, rot: Mat3::identity() };
        let node = b.node(&format!("link{k}"), Chart::Motion, start, Twist { linear, angular });
        b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), inertia)));
        let axis = if k % 2 == 0 { Vec3::y() } else { Vec3::new(0.0, 0.6, 0.8) };
        let axes = match links {
            Links::Ball => Mat3::identity(),
            Links::Hinge => axes_about(&axis),
        };
        let first = Attachment { axes, ..previous };
        let second = attached(node, Vec3::x() * -0.5, axes);
        match links {
            Links::Ball => b.constraint("joint", Box::new(spherical(&first, &second))),
            Links::Hinge => b.constraint("joint", Box::new(revolute(&first, &second))),
        };
        previous = attached(node, Vec3::x() * 0.5, Mat3::identity());
    }
    b.build()
}

/// Seven bodies in a tree with a ball joint, a cylindrical, a planar, a fixed, a revolute and a prismatic
/// one, turning as one; every other joint has its parent second.
pub fn mixed_tree(grounded: bool) -> System {
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    let omega = Vec3::new(0.7, -1.1, 2.0);
    let mut nodes = vec![];
    let places: Vec<Vec3> = (0..7)
        .map(|k| Vec3::new(f64::from(k), (1.3 * f64::from(k)).sin(), 0.4 * f64::from(k * k % 5)))
        .collect();
    for (k, r) in places.iter().enumerate() {
        let rot = so3::exp(&Vec3::new(0.3 * k as f64, -0.2, 0.5 - 0.1 * k as f64));
        let inertia = Vec3::new(0.3, 0.4 + 0.05 * k as f64, 0.5);
        nodes.push(body(&mut b, *r, rot, omega.cross(r), omega, 1.0 + 0.3 * k as f64, inertia));
    }
    let at = |node: NodeId, point: &Vec3, axes: &Mat3, b: &SystemBuilder| {
        let start = if node == GROUND { Frame::identity() } else { *b.start(node) };
        attached(node, start.rot.transpose() * (point - start.r), start.rot.transpose() * axes)
    };
    if grounded {
        let (point, axes) = (Vec3::zeros(), Mat3::identity());
        let (g, f) = (at(GROUND, &point, &axes, &b), at(nodes[0], &point, &axes, &b));
        b.constraint("pivot", Box::new(spherical(&f, &g)));
    }
    // (parent, child) by joint; the tree branches at bodies 1 and 3.
    let pairs = [(0, 1), (1, 2), (1, 3), (3, 4), (3, 5), (5, 6)];
    for (k, (p, c)) in pairs.into_iter().enumerate() {
        let point = (places[p] + places[c]) * 0.5;
        let axes = axes_about(&Vec3::new(1.0, 0.5 * k as f64 - 1.0, 0.8));
        let offset = if k == 1 || k == 2 || k == 5 { 0.3 } else { 0.0 };
        let (mut one, mut two) = (at(nodes[p], &point, &axes, &b), at(nodes[c], &point, &axes, &b));
        if k % 2 == 1 {
            std::mem::swap(&mut one, &mut two);
        }
        // The second point starts somewhere along what the joint leaves free.
        let along = if k == 2 { Vec3::x() } else { Vec3::z() };
        two.origin += two.axes * along * offset;
        let joint = match k {
            0 => spherical(&one, &two),
            1 => cylindrical(&one, &two),
            2 => planar(&one, &two),
            3 => fixed(&one, &two),
            4 => revolute(&one, &two),
            _ => prismatic(&one, &two),
        };
        b.constraint(["S", "C", "E", "F", "R", "P"][k], Box::new(joint));
    }
    b.build()
}

/// Energies and momenta of a state.
pub fn balance(system: &System, state: &State) -> Balance {
    let a = vec![0.0; system.size()];
    let at = Instant {
        t: state.t,
        frames: &state.frames,
        v: &state.v,
        a: &a,
        memory: &state.memory,
        rates: &state.rates,
    };
    system.balance(&at, &mut Scratch::default())
}
