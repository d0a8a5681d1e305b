//! Flexible bodies: worked numbers of floating-frame-and-ancf V28, V29, V31a, V32, V33a and V33b.

use poinsot_flexible::{InertiaIntegrals, LumpedPoint};
use poinsot_geometry::{Vec3, so3};
use poinsot_mechanics::flexible::FlexibleInertia;
use poinsot_mechanics::*;
use std::f64::consts::PI;

/// (R1, R2, θ, q_f…) and its rates.
struct Planar<'a> {
    q: &'a [f64],
    qd: &'a [f64],
    qdd: &'a [f64],
}

/// The system of a planar body with these integrals; columns of the residual are in the order of q.
fn planar_body(integrals: &InertiaIntegrals, gravity: Vec3, at: &Planar) -> (System, Vec<usize>) {
    let mut b = SystemBuilder::new(gravity);
    let chart = Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() };
    let Planar { q, qd, .. } = at;
    let start = Frame { r: Vec3::new(q[0], q[1], 0.0), rot: so3::exp(&(Vec3::z() * q[2])) };
    let twist = Twist { linear: Vec3::new(qd[0], qd[1], 0.0), angular: Vec3::z() * qd[2] };
    let frame = b.node("body", chart, start, twist);
    let numbers: Vec<usize> = (3..q.len()).map(|k| b.number(&format!("q{}", k - 2), q[k], qd[k])).collect();
    b.flexible_inertia(FlexibleInertia::new(frame, &numbers, integrals));
    let system = b.build();
    let nodes = std::iter::once(frame).chain(numbers);
    let order = nodes.flat_map(|node| system.nodes()[node].unknowns()).collect();
    (system, order)
}

/// Place, velocity and acceleration of a material point: mass centre, momentum and inertia force of a body
/// that is this point of mass 1 alone.
fn material_point(place: Vec3, shapes: Vec<Vec3>, at: &Planar) -> [Vec3; 3] {
    let count = shapes.len();
    let point = LumpedPoint { mass: 1.0, place, displacements: shapes };
    let (system, order) = planar_body(&InertiaIntegrals::lumped(&[point], count), Vec3::zeros(), at);
    let state = system.start_state(0.0);
    let mut a = vec![0.0; system.size()];
    order.iter().zip(at.qdd).for_each(|(&i, qdd)| a[i] = *qdd);
    let now = Instant { t: 0.0, frames: &state.frames, v: &state.v, a: &a, memory: &[], rates: &[] };
    let mut out = vec![0.0; system.size()];
    system.residual(&now, &mut out, &mut Scratch::default());
    let balance = system.balance(&now, &mut Scratch::default());
    [balance.centre_of_mass, balance.momentum, Vec3::new(out[order[0]], out[order[1]], 0.0)]
}

fn close(got: Vec3, x: f64, y: f64, tolerance: f64) {
    assert!((got - Vec3::new(x, y, 0.0)).norm() < tolerance, "{got:?} for ({x}, {y})");
}

const ZEROS: [f64; 6] = [0.0; 6];

/// S = diag(ξ, 3ξ² − 2ξ³).
fn cantilever(xi: f64) -> Vec<Vec3> {
    vec![Vec3::x() * xi, Vec3::y() * (3.0 * xi * xi - 2.0 * xi.powi(3))]
}

/// V28 and V29: places, velocity and acceleration of the example beam.
#[test]
fn motion_of_material_points() {
    let (l, q) = (0.5, [1.0, 0.5, 30f64.to_radians(), 0.001, 0.01]);
    let at = Planar { q: &q, qd: &[0.1, 1.0, 5.0, 2.0, 3.0], qdd: &[2.0, 0.0, 0.0, 10.0, 20.0] };
    let [place, velocity, acceleration] = material_point(Vec3::x() * l, cantilever(1.0), &at);
    close(place, 1.428879, 0.759160, 7e-7);
    close(velocity, -0.963750, 6.742470, 7e-7);
    close(acceleration, -46.042476, 18.162010, 7e-7);
    let [place, ..] = material_point(Vec3::x() * (0.5 * l), cantilever(0.5), &at);
    close(place, 1.214439, 0.629580, 7e-7);
}

/// V33a and V33b: the answers of problems 5.1, 5.2 and 5.5 for l = 1.4.
#[test]
fn motion_of_the_problems() {
    let l = 1.4;
    let sines = |xi: f64| vec![Vec3::x() * (PI * xi).sin(), Vec3::y() * (PI * xi).sin()];
    let at = Planar {
        q: &[3.0, 2.0, PI / 2.0, 0.5e-3, 1e-3],
        qd: &[0.0, 0.0, 50.0, 5e3, 1e2],
        qdd: &[0.0, 0.0, 0.0, 5e4, 1e3],
    };
    let [place, velocity, acceleration] = material_point(Vec3::x() * (0.5 * l), sines(0.5), &at);
    close(place, 2.999, 2.0005 + l / 2.0, 1e-12);
    close(velocity, -100.025 - 25.0 * l, 4999.95, 1e-9);
    close(acceleration, -500997.5, 39998.75 - 1250.0 * l, 1e-7);
    let [place, velocity, acceleration] = material_point(Vec3::x() * l, sines(1.0), &at);
    close(place, 3.0, 2.0 + l, 1e-12);
    close(velocity, -50.0 * l, 0.0, 1e-9);
    close(acceleration, 0.0, -2500.0 * l, 1e-7);

    let shapes = |xi: f64| [cantilever(xi), vec![Vec3::y() * (l * (xi.powi(3) - xi * xi))]].concat();
    let q = [3.0, 2.0, PI / 2.0, 0.5e-3, 1e-3, 1e-5];
    let at = Planar { q: &q, qd: &ZEROS, qdd: &ZEROS };
    close(
        material_point(Vec3::x() * (0.5 * l), shapes(0.5), &at)[0],
        2.9995 + 1.25e-6 * l,
        2.00025 + l / 2.0,
        1e-12,
    );
    close(material_point(Vec3::x() * l, shapes(1.0), &at)[0], 2.999, 2.0005 + l, 1e-12);
}

/// V31a: a force F on a point makes Q = (F, BᵀF, SᵀAᵀF), B = A_θ (x̄ + S q_f).
#[test]
fn force_on_a_material_point() {
    let (l, angle, force) = (0.5, 30f64.to_radians(), Vec3::new(3.0, -7.0, 0.0));
    let q = [1.0, 0.5, angle, 0.001, 0.01];
    let shapes = cantilever(1.0);
    let point = LumpedPoint { mass: 1.0, place: Vec3::x() * l, displacements: shapes.clone() };
    let at = Planar { q: &q, qd: &ZEROS[..5], qdd: &[] };
    let (system, order) = planar_body(&InertiaIntegrals::lumped(&[point], 2), force, &at);
    let state = system.start_state(0.0);
    let zero = vec![0.0; system.size()];
    let now = Instant { t: 0.0, frames: &state.frames, v: &state.v, a: &zero, memory: &[], rates: &[] };
    let mut out = vec![0.0; system.size()];
    system.residual(&now, &mut out, &mut Scratch::default());
    let (s, c) = angle.sin_cos();
    let u = Vec3::new(l + q[3], q[4], 0.0);
    let turned = Vec3::new(-s * u.x - c * u.y, c * u.x - s * u.y, 0.0);
    let seen = Vec3::new(c * force.x + s * force.y, -s * force.x + c * force.y, 0.0);
    let expected = [force.x, force.y, turned.dot(&force), shapes[0].dot(&seen), shapes[1].dot(&seen)];
    for (&i, expected) in order.iter().zip(expected) {
        assert!((out[i] + expected).abs() < 1e-13, "{} for {expected}", -out[i]);
    }
}

/// Integrals of the rod of V32: q_f = (slope at A, axial displacement of B, slope at B).
fn rod(m: f64, l: f64) -> InertiaIntegrals {
    let shape = |xi: f64| {
        let (x2, x3) = (xi * xi, xi.powi(3));
        vec![Vec3::y() * (l * (xi - 2.0 * x2 + x3)), Vec3::x() * xi, Vec3::y() * (l * (x3 - x2))]
    };
    // Three Gauss points for a polynomial of degree six in each of a hundred pieces: error 1e-14.
    let (pieces, at) = (100, 0.6f64.sqrt());
    let mut points = vec![];
    for piece in 0..pieces {
        for (place, weight) in [(-at, 5.0 / 18.0), (0.0, 8.0 / 18.0), (at, 5.0 / 18.0)] {
            let xi = (f64::from(piece) + 0.5 * (1.0 + place)) / f64::from(pieces);
            let mass = m * weight / f64::from(pieces);
            points.push(LumpedPoint { mass, place: Vec3::x() * (l * xi), displacements: shape(xi) });
        }
    }
    InertiaIntegrals::lumped(&points, 3)
}

/// V32: mass matrix, forces of velocity and weight of the connecting rod.
#[test]
fn forces_of_the_connecting_rod() {
    let (m, l, g, angle) = (0.8, 0.6, 9.81, 0.7f64);
    let (q1, q2, q3) = (0.03, 0.002, -0.04);
    let (w, v1, v2, v3) = (5.0, 0.4, -0.2, 0.7);
    let q = [0.3, -0.1, angle, q1, q2, q3];
    let evaluate = |gravity: f64, qd: &[f64], qdd: &[f64]| {
        let at = Planar { q: &q, qd, qdd };
        let (system, order) = planar_body(&rod(m, l), Vec3::new(0.0, -gravity, 0.0), &at);
        let state = system.start_state(0.0);
        let mut a = vec![0.0; system.size()];
        order.iter().zip(qdd).for_each(|(&i, qdd)| a[i] = *qdd);
        let now = Instant { t: 0.0, frames: &state.frames, v: &state.v, a: &a, memory: &[], rates: &[] };
        let mut out = vec![0.0; system.size()];
        system.residual(&now, &mut out, &mut Scratch::default());
        order.iter().map(|&i| out[i]).collect::<Vec<_>>()
    };
    let agree = |got: &[f64], expected: &[f64]| {
        for (k, (got, expected)) in got.iter().zip(expected).enumerate() {
            assert!((got - expected).abs() < 1e-12 * (1.0 + expected.abs()), "{k}: {got} for {expected}");
        }
    };
    let turned = evaluate(0.0, &ZEROS, &[0.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    let l2 = l * l;
    agree(
        &turned[2..],
        &[
            m * (l2 / 3.0 + 2.0 * l / 3.0 * q2 + l2 / 105.0 * (q1 * q1 + q3 * q3) + q2 * q2 / 3.0
                - l2 / 70.0 * q1 * q3),
            m * l / 30.0 * (l + q2),
            m * l / 60.0 * (3.0 * q3 - 2.0 * q1),
            -m * l / 20.0 * (l + q2),
        ],
    );
    // (Q_v)_R = (mθ̇²/2) A [l + q2; l(q1 − q3)/6] − (mθ̇/6) A_θ [6 q̇2; l(q̇1 − q̇3)], on the other side.
    let (s, c) = angle.sin_cos();
    let moving = evaluate(0.0, &[0.0, 0.0, w, v1, v2, v3], &ZEROS);
    let (a, b) = ([l + q2, l * (q1 - q3) / 6.0], [6.0 * v2, l * (v1 - v3)]);
    let (half, sixth) = (0.5 * m * w * w, m * w / 6.0);
    let force = [
        half * (c * a[0] - s * a[1]) - sixth * (-s * b[0] - c * b[1]),
        half * (s * a[0] + c * a[1]) - sixth * (c * b[0] - s * b[1]),
        -2.0 * m
            * w
            * (l / 3.0 * v2 + v2 * q2 / 3.0 + l2 / 105.0 * (q1 * v1 + q3 * v3)
                - l2 / 140.0 * (q1 * v3 + v1 * q3)),
        m * w * (w * l2 * (q1 / 105.0 - q3 / 140.0) - l * v2 / 15.0),
        m * w * (w * (q2 + l) / 3.0 - l / 30.0 * (3.0 * v3 - 2.0 * v1)),
        m * w * (w * l2 * (q3 / 105.0 - q1 / 140.0) + l * v2 / 10.0),
    ];
    agree(&moving, &force.map(|f| -f));
    let weight = evaluate(g, &ZEROS, &ZEROS);
    let torque = m * g * (l / 12.0 * (q1 - q3) * s - 0.5 * (l + q2) * c);
    let own = [-l / 12.0 * c, -0.5 * s, l / 12.0 * c].map(|f| m * g * f);
    agree(&weight, &[0.0, -m * g, torque, own[0], own[1], own[2]].map(|f| -f));
}
