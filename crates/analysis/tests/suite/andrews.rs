//! Andrews' squeezing mechanism (gs4-isochronous-integrators V-08): seven bodies in the plane, ten revolute
//! joints, a spring and a drive torque; the error table of the digest reproduced.

use poinsot_analysis::consistent_start;
use poinsot_expr::Function;
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::{Gs4, Gs4Form, Member, SaddlePoint, Settings, Stepper, instant};
use poinsot_mechanics::forces::{CoordinateForce, Torque};
use poinsot_mechanics::joints::{Attachment, revolute};
use poinsot_mechanics::*;

const M: [f64; 7] = [0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498];
const I: [f64; 7] = [2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5];
/// Relative angles β, Θ, γ, Φ, δ, Ω, ε at the start.
const START: [f64; 7] = [
    -0.0617138900142764,
    0.0,
    0.455279819163070,
    0.222668390165886,
    0.487364979543843,
    -0.222668390165886,
    1.23054744454982,
];
/// Angles and rates at t = 0.03, recomputed to 15 digits.
const ANGLES: [f64; 7] = [
    15.810771195153707,
    -15.756371058411839,
    0.04082224011964581,
    -0.534730116342080,
    0.524409965879954,
    0.534730116342080,
    1.048080741041938,
];
const RATES: [f64; 7] = [
    1139.9203022591061,
    -1424.3792951775401,
    11.032911910618596,
    19.293374105032045,
    0.573569914829503,
    -19.293374105032045,
    0.323179149249131,
];
const LAMBDA: [f64; 6] = [
    199.17534810453863,
    -29.755309974971764,
    23.06654361162215,
    31.452725275771137,
    22.64249478639438,
    11.617392352611257,
];

struct Mechanism {
    system: System,
    trackers: [usize; 7],
    /// The joints at the common pin: coupler with bodies 3, 4 and 6.
    loops: [usize; 3],
}

/// Relative angles from absolute ones (bodies 2, 4 and 6 are measured from bodies 1, 5 and 7).
fn relative(x: [f64; 7]) -> [f64; 7] {
    [x[0], x[1] - x[0], x[2], x[3] - x[4], x[4], x[5] - x[6], x[6]]
}

fn mechanism() -> Mechanism {
    let (a, b, c) = ([-0.06934, -0.00227], [-0.03635, 0.03273], [0.014, 0.072]);
    let (d, da, e, ea, rr, ra) = (0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092);
    let (ss, sa, sb, sc, sd) = (0.035, 0.01874, 0.01043, 0.018, 0.02);
    let (ta, tb, u, ua, ub, zf, zt, fa) = (0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421);
    let [be, th, ga, ph, de, om, ep] = START;
    let angle = [be, be + th, ga, ph + de, de, om + ep, ep];
    let turn = |k: usize| so3::exp(&Vec3::new(0.0, 0.0, angle[k]));
    let plane = |p: [f64; 2]| Vec3::new(p[0], p[1], 0.0);
    let pin1 = turn(0) * plane([rr, 0.0]);
    let centre = [
        turn(0) * plane([ra, 0.0]),
        pin1 - turn(1) * plane([da, 0.0]),
        plane(b) + turn(2) * plane([sb, -sa]),
        plane(a) + turn(4) * plane([zt, 0.0]) + turn(3) * plane([0.0, ea - e]),
        plane(a) + turn(4) * plane([ta, tb]),
        plane(a) + turn(6) * plane([0.0, -u]) + turn(5) * plane([zf - fa, 0.0]),
        plane(a) + turn(6) * plane([-ub, -ua]),
    ];
    let mut builder = SystemBuilder::new(Vec3::zeros());
    let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
    let chart = Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() };
    let nodes = [0, 1, 2, 3, 4, 5, 6].map(|k| {
        let start = Frame { r: centre[k], rot: turn(k) };
        let node = builder.node(&format!("k{}", k + 1), chart, start, still);
        let inertia = Mat3::identity() * I[k];
        builder.body(Body::new(node, &MassProperties::new(M[k], Vec3::zeros(), inertia)));
        node
    });
    let at = |node, p: [f64; 2]| Attachment { node, origin: plane(p), axes: Mat3::identity() };
    let body = |k: usize, p| at(nodes[k - 1], p);
    let end = [da - d, 0.0];
    let joints = [
        (at(GROUND, [0.0, 0.0]), body(1, [-ra, 0.0])),
        (body(1, [rr - ra, 0.0]), body(2, [da, 0.0])),
        (at(GROUND, b), body(3, [-sb, sa])),
        (body(2, end), body(3, [-sb, sa - ss])),
        (body(2, end), body(4, [0.0, -ea])),
        (body(2, end), body(6, [fa, 0.0])),
        (body(4, [0.0, e - ea]), body(5, [zt - ta, -tb])),
        (body(6, [fa - zf, 0.0]), body(7, [ub, ua - u])),
        (at(GROUND, a), body(5, [-ta, -tb])),
        (at(GROUND, a), body(7, [ub, ua])),
    ];
    for (k, (first, second)) in joints.iter().enumerate() {
        builder.constraint(&format!("j{k}"), Box::new(revolute(first, second)));
    }
    let spring = CoordinateForce {
        coordinate: Coordinate::distance(&at(GROUND, c), &body(3, [sd - sb, sa - sc])),
        stiffness: 4530.0,
        damping: 0.0,
        free: 0.07785,
        law: None,
    };
    builder.force("spring", Box::new(spring));
    let torque = [0.0, 0.0, 0.033].map(Function::constant);
    builder.force("drive", Box::new(Torque::dead(nodes[0], torque)));
    let trackers = nodes
        .map(|node| builder.track(Coordinate::angle(&at(GROUND, [0.0, 0.0]), &at(node, [0.0, 0.0])), 0.0));
    Mechanism { system: builder.build(), trackers, loops: [3, 4, 5] }
}

/// Largest errors of angles, rates and loop multipliers at t = 0.03.
struct Errors {
    angle: f64,
    rate: f64,
    lambda: f64,
    position: f64,
    velocity: f64,
}

fn largest(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max)
}

/// Forces at the common pin on bodies 3, 4 and 6: the loop multipliers up to sign.
fn loop_forces(m: &Mechanism, state: &State, a: &[f64]) -> [f64; 6] {
    let mut s = Scratch::default();
    let mut out = [0.0; 6];
    for (k, &joint) in m.loops.iter().enumerate() {
        let force = m.system.reaction(joint, &instant(state, a), &mut s).force;
        out[2 * k] = force.x;
        out[2 * k + 1] = force.y;
    }
    out
}

fn run(member: Member, form: Gs4Form, h: f64) -> Errors {
    let mut m = mechanism();
    let (state, start) = consistent_start(&mut m.system, 0.0).unwrap();
    assert!(start.redundant.is_empty() && start.residual.0 < 1e-10, "{start:?}");
    let settings = Settings { member, form, tolerance: 1e-15, ..Settings::default() };
    let mut gs4 = Gs4::new(&m.system, settings, state, h).unwrap();
    let w1 = gs4.weights().w1;
    let mut s = Scratch::default();
    let (mut position, mut velocity): (f64, f64) = (0.0, 0.0);
    let n = m.system.size();
    let mut lambda = vec![0.0; n];
    SaddlePoint::new(&m.system).accelerations(&m.system, gs4.state(), &mut lambda).unwrap();
    // The digest's runs start with a⁰ = q̈(t₀).
    gs4.set_stored_acceleration(&lambda);
    let zero = vec![0.0; n];
    for _ in 0..(0.03 / h).round() as usize {
        gs4.step(h).unwrap();
        for (l, stage) in lambda.iter_mut().zip(gs4.stage()) {
            *l = (stage - (1.0 - w1) * *l) / w1;
        }
        let (mut phi, mut rate) = (vec![0.0; n], vec![0.0; n]);
        m.system.constraint_levels(&instant(gs4.state(), &zero), &mut phi, &mut rate, &mut s);
        position = phi.iter().fold(position, |m, r| m.max(r.abs()));
        velocity = rate.iter().fold(velocity, |m, r| m.max(r.abs()));
    }
    let at = instant(gs4.state(), &zero);
    let both = m.trackers.map(|k| m.system.tracked(k, &at, &mut s));
    let (angles, rates) = (relative(both.map(|b| b.0)), relative(both.map(|b| b.1)));
    let forces = loop_forces(&m, gs4.state(), &lambda).map(f64::abs);
    Errors {
        angle: largest(&angles, &ANGLES),
        rate: largest(&rates, &RATES),
        lambda: largest(&forces, &LAMBDA.map(f64::abs)),
        position,
        velocity,
    }
}

fn near(got: f64, expected: f64, what: &str) {
    assert!((got / expected - 1.0).abs() < 0.05, "{what}: {got:.4e} instead of {expected:.4e}");
}

/// The start accelerations and loop forces of the digest's KKT check.
#[test]
fn start_accelerations() {
    let mut m = mechanism();
    let (state, _) = consistent_start(&mut m.system, 0.0).unwrap();
    let mut a = vec![0.0; m.system.size()];
    SaddlePoint::new(&m.system).accelerations(&m.system, &state, &mut a).unwrap();
    let spin = |k: usize| m.system.twist(k, &a).angular.z;
    assert!((spin(1) - 14222.443919954).abs() < 1e-4, "{}", spin(1));
    assert!((spin(2) - spin(1) + 10666.832939966).abs() < 1e-4);
    let forces = loop_forces(&m, &state, &a).map(f64::abs);
    for (f, expected) in forces.iter().zip([98.5668704, 6.12268834, 0.0, 0.0, 0.0, 0.0]) {
        assert!((f - expected).abs() < 1e-6, "{forces:?}");
    }
}

const STEPS: [f64; 3] = [2e-5, 1e-5, 5e-6];

#[test]
fn error_table_at_position_level() {
    // (angles, rates, multipliers) at the three steps.
    let table = [
        (
            Member::v0(1.0, 1.0, 0.0),
            [[8.314e-5, 3.012e-2, 5.997e-2], [2.079e-5, 7.528e-3, 1.442e-2], [5.197e-6, 1.882e-3, 7.3e-2]],
        ),
        (
            Member::u0(0.0, 1.0, 0.0),
            [[1.383e-3, 5.517e-1, 1.793e-1], [3.062e-4, 1.222e-1, 4.391e-2], [7.158e-5, 2.857e-2, 1.085e-2]],
        ),
        (
            Member::u0(0.8, 0.8, 0.8),
            [[1.090e-4, 4.042e-2, 6.379e-2], [2.751e-5, 1.020e-2, 1.594e-2], [6.911e-6, 2.564e-3, 3.994e-3]],
        ),
    ];
    for (member, rows) in table {
        for (h, [angle, rate, lambda]) in STEPS.into_iter().zip(rows) {
            let e = run(member, Gs4Form::Position, h);
            near(e.angle, angle, "angles");
            near(e.rate, rate, "rates");
            // The undamped root −1 of the midpoint member carries round-off into λ, more with smaller steps:
            // the digest's own value at 5e-6 is nothing else.
            if h > 1e-5 || member.rho_s > 0.0 || member.rho_min == 0.0 {
                near(e.lambda, lambda, "multipliers");
            }
            assert!(e.position < 1e-15, "Φ {:.1e}", e.position);
        }
    }
}

/// The rows of index 2: "|Gv|≤2e-15, |Φ| 4.6e-7, 1.2e-7, 2.9e-8".
#[test]
fn error_table_at_velocity_level() {
    let table = [
        (
            Member::v0(1.0, 1.0, 0.0),
            [[1.479e-4, 5.915e-2, 2.802e-2], [3.696e-5, 1.479e-2, 7.013e-3], [9.240e-6, 3.696e-3, 1.764e-3]],
        ),
        (
            Member::u0(0.0, 1.0, 0.0),
            [[1.152e-3, 4.624e-1, 1.332e-1], [2.484e-4, 9.985e-2, 3.239e-2], [5.715e-5, 2.299e-2, 7.981e-3]],
        ),
        (
            Member::u0(0.8, 0.8, 0.8),
            [[1.309e-4, 5.230e-2, 2.898e-2], [3.242e-5, 1.296e-2, 7.250e-3], [8.067e-6, 3.224e-3, 1.823e-3]],
        ),
    ];
    for (member, rows) in table {
        for (h, [angle, rate, lambda]) in STEPS.into_iter().zip(rows) {
            let e = run(member, Gs4Form::Velocity, h);
            near(e.angle, angle, "angles");
            near(e.rate, rate, "rates");
            near(e.lambda, lambda, "multipliers");
            // How far positions drift depends on how the constraints are written: joints here, loops there.
            let drift = e.position / (h / 2e-5).powi(2);
            assert!(
                (3.9e-7..4.7e-7).contains(&drift) && e.velocity < 1e-14,
                "{drift:.2e}, {:.1e}",
                e.velocity
            );
        }
    }
}

/// Algorithm 3.5.2 with the midpoint member.
#[test]
fn error_table_hamiltonian() {
    let rows =
        [[8.313e-5, 3.300e-2, 3.076e-2], [2.078e-5, 8.252e-3, 7.693e-3], [5.197e-6, 2.063e-3, 1.934e-3]];
    for (h, [angle, rate, lambda]) in STEPS.into_iter().zip(rows) {
        let e = run(Member::v0(1.0, 1.0, 0.0), Gs4Form::Hamiltonian, h);
        near(e.angle, angle, "angles");
        near(e.rate, rate, "rates");
        near(e.lambda, lambda, "multipliers");
        assert!(e.position < 1e-15 && e.velocity < 1e-11, "{:.1e} {:.1e}", e.position, e.velocity);
    }
}

/// The stabilised form without that force: second order, and here more accurate.
#[test]
fn stabilised_form_is_second_order() {
    let coarse = run(Member::v0(1.0, 1.0, 0.0), Gs4Form::Stabilised, 2e-5);
    let fine = run(Member::v0(1.0, 1.0, 0.0), Gs4Form::Stabilised, 1e-5);
    for (what, a, b) in [
        ("angles", coarse.angle, fine.angle),
        ("rates", coarse.rate, fine.rate),
        ("multipliers", coarse.lambda, fine.lambda),
    ] {
        let order = (a / b).log2();
        assert!((order - 2.0).abs() < 0.1, "{what}: order {order:.2} ({a:.3e} → {b:.3e})");
    }
    assert!(fine.angle < 2.078e-5 && fine.rate < 8.252e-3 && fine.lambda < 7.693e-3);
}
