//! Free flight of joined rigid bodies and the heavy top (energy-momentum-null-space V-2, V-4, V-5, V-6).

use crate::common;

use common::{attach, integrate, order, tight, violation};
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::{Gs4, Gs4Form, Member, Stepper, instant};
use poinsot_mechanics::joints::{cylindrical, planar, revolute, spherical};
use poinsot_mechanics::*;

/// Two bodies in free flight, the second moving relative to the first.
struct Pair {
    system: System,
    /// Angle of the second body about the joint's axis.
    angle: Coordinate,
    attachments: [joints::Attachment; 2],
}

/// A body of the pair: mass, principal moments, centre and its joint point in body axes; axes start along the
/// world's.
struct Part {
    mass: f64,
    moments: [f64; 3],
    centre: [f64; 3],
    joint: [f64; 3],
}

/// ω² = ω¹ + θ̇ n and ẋ of the second joint point = that of the first + `slide` (world axes at the start).
fn pair(
    parts: [Part; 2],
    spin: [f64; 3],
    velocity: [f64; 3],
    rate: f64,
    slide: [f64; 3],
    join: impl Fn(&joints::Attachment, &joints::Attachment) -> joints::Joint,
) -> Pair {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let (w1, v1) = (Vec3::from(spin), Vec3::from(velocity));
    let w2 = w1 + Vec3::z() * rate;
    // Velocity of the first body's material point that coincides with the second joint point.
    let point = Vec3::from(parts[1].centre) + Vec3::from(parts[1].joint);
    let carried = v1 + w1.cross(&(point - Vec3::from(parts[0].centre)));
    let v2 = carried + Vec3::from(slide) - w2.cross(&Vec3::from(parts[1].joint));
    let mut attachments = vec![];
    for (part, (linear, angular)) in parts.iter().zip([(v1, w1), (v2, w2)]) {
        let start = Frame { r: part.centre.into(), rot: Mat3::identity() };
        let node = b.node("body", Chart::Motion, start, Twist { linear, angular });
        let inertia = Mat3::from_diagonal(&part.moments.into());
        b.body(Body::new(node, &MassProperties::new(part.mass, Vec3::zeros(), inertia)));
        attachments.push(attach(node, part.joint.into(), Mat3::identity()));
    }
    b.constraint("joint", Box::new(join(&attachments[0], &attachments[1])));
    let angle = Coordinate::angle(&attachments[0], &attachments[1]);
    Pair { system: b.build(), angle, attachments: [attachments[0], attachments[1]] }
}

/// V-4: revolute pair.
fn revolute_pair() -> Pair {
    let one = Part {
        mass: 100.0,
        moments: [1975.0, 1975.0, 200.0],
        centre: [3.0, 3.0, 8.0],
        joint: [0.0, 0.0, 5.0],
    };
    let two = Part {
        mass: 2.0,
        moments: [12.64083, 32.3717, 26.14083],
        centre: [5.5, 3.0, 13.0],
        joint: [-2.5, 0.0, 0.0],
    };
    pair([one, two], [10.0, -20.0, -20.0], [0.0; 3], -15.0, [0.0; 3], revolute)
}

/// V-5: cylindrical pair.
fn cylindrical_pair() -> Pair {
    let one = Part { mass: 4.0, moments: [304.0, 304.0, 8.0], centre: [0.0; 3], joint: [0.0; 3] };
    let two = Part { mass: 3.0, moments: [18.75, 18.75, 19.5], centre: [0.0, 0.0, -11.0], joint: [0.0; 3] };
    pair([one, two], [-1.0, -1.5, 0.0], [0.0, 50.0, 0.0], 100.0, [0.0, 0.0, 35.5], cylindrical)
}

/// V-6: planar pair.
fn planar_pair() -> Pair {
    let side = 5125.0 / 48.0;
    let one = Part {
        mass: 5.0,
        moments: [side, side, 640.0 / 3.0],
        centre: [5.0, 5.0, 5.0],
        joint: [0.0, 0.0, 0.25],
    };
    let two = Part {
        mass: 2.0,
        moments: [43.0 / 40.0, 43.0 / 40.0, 0.8],
        centre: [-2.0, -2.0, 6.25],
        joint: [0.0, 0.0, -1.0],
    };
    pair([one, two], [20.0, 20.0, -10.0], [0.0; 3], -60.0, [150.0, -120.0, 0.0], planar)
}

fn balance(system: &System, state: &State) -> Balance {
    let zero = vec![0.0; system.size()];
    system.balance(&instant(state, &zero), &mut Scratch::default())
}

fn assert_start(pair: &Pair, energy: f64, angular: [f64; 3], linear: [f64; 3]) {
    let state = pair.system.start_state(0.0);
    let (position, velocity) = violation(&pair.system, &state);
    assert!(position < 1e-13 && velocity < 1e-11, "Φ = {position:.2e}, Φ̇ = {velocity:.2e}");
    let start = balance(&pair.system, &state);
    assert!((start.total() / energy - 1.0).abs() < 1e-11, "H0 = {}", start.total());
    assert!((start.angular_momentum - Vec3::from(angular)).amax() < 1e-7, "L0 = {}", start.angular_momentum);
    assert!((start.momentum - Vec3::from(linear)).amax() < 1e-10, "P0 = {}", start.momentum);
}

/// The start values that the digest computes exactly from its data.
#[test]
fn start_values() {
    assert_start(
        &revolute_pair(),
        588273.889875,
        [23751.4083, -43297.434, -5827.42905],
        [-200.0, -275.0, 100.0],
    );
    assert_start(&cylindrical_pair(), 107604.71875, [964.25, -1028.625, 1950.0], [49.5, 317.0, 106.5]);
    assert_start(
        &planar_pair(),
        72415.0,
        [3094.41666666667, 3469.41666666667, -1469.33333333333],
        [210.0, -150.0, 0.0],
    );
}

fn coordinate(s: &Coordinate, state: &State, memory: f64) -> f64 {
    let x: Vec<Vec3> = s.carried().iter().map(|c| c.value(&state.frames[c.node])).collect();
    s.value(&x, memory)
}

/// The angle of the pair's joint at the end of a run, counted over full turns.
fn run<'p>(pair: &'p Pair, member: Member, form: Gs4Form, h: f64, steps: usize) -> (Gs4<'p>, f64) {
    let start = pair.system.start_state(0.0);
    let mut gs4 = Gs4::new(&pair.system, tight(member, form), start, h).unwrap();
    let mut angle = 0.0;
    for _ in 0..steps {
        gs4.step(h).unwrap();
        angle = coordinate(&pair.angle, gs4.state(), angle);
    }
    (gs4, angle)
}

const CASES: [(Member, Gs4Form); 6] = [
    (Member::u0(0.8, 0.8, 0.8), Gs4Form::Stabilised),
    (Member::u0(0.5, 1.0, 0.5), Gs4Form::Stabilised),
    (Member::v0(1.0, 1.0, 0.0), Gs4Form::Stabilised),
    (Member::u0(0.8, 0.8, 0.8), Gs4Form::Position),
    (Member::u0(0.5, 1.0, 0.5), Gs4Form::Position),
    (Member::v0(1.0, 1.0, 0.0), Gs4Form::Position),
];

/// Largest relative errors of H and L in the second half of a run; P is conserved to round-off all the time.
fn drift(name: &str, pair: &Pair, (member, form): (Member, Gs4Form), h: f64, steps: usize) -> [f64; 2] {
    let state = pair.system.start_state(0.0);
    let start = balance(&pair.system, &state);
    let mut gs4 = Gs4::new(&pair.system, tight(member, form), state, h).unwrap();
    let mut worst = [0.0f64; 2];
    for n in 0..steps {
        gs4.step(h).unwrap();
        let now = balance(&pair.system, gs4.state());
        let momentum = (now.momentum - start.momentum).norm() / start.momentum.norm();
        assert!(momentum < 1e-11, "{name}, {member:?}, {form:?}: ΔP/P = {momentum:.2e}");
        if 2 * n >= steps {
            let angular = (now.angular_momentum - start.angular_momentum).norm();
            worst[0] = worst[0].max((now.total() / start.total() - 1.0).abs());
            worst[1] = worst[1].max(angular / start.angular_momentum.norm());
        }
    }
    worst
}

/// "all conserved": linear momentum to round-off; energy and angular momentum with second order.
fn check_momenta(name: &str, pair: &Pair, h: f64, steps: usize) {
    for case in CASES {
        let (coarse, fine) = (drift(name, pair, case, h, steps), drift(name, pair, case, 0.5 * h, 2 * steps));
        let orders = [0, 1].map(|k| order(coarse[k], fine[k]));
        assert!(
            orders.iter().all(|o| *o > 1.85),
            "{name}, {case:?}: orders {orders:.3?} of (H, L), {fine:?}"
        );
    }
}

#[test]
fn momenta_of_the_revolute_pair() {
    check_momenta("revolute", &revolute_pair(), 5e-4, 400);
}

#[test]
fn momenta_of_the_cylindrical_pair() {
    check_momenta("cylindrical", &cylindrical_pair(), 5e-4, 400);
}

#[test]
fn momenta_of_the_planar_pair() {
    check_momenta("planar", &planar_pair(), 2e-4, 400);
}

/// V-4, "PROTO DOP853, ~1e-8": φ²(0.2)=(6.282709978,5.218438445,5.246971449), θ²(0.2)=−2.370845478, and
/// t=0.18: φ¹=(2.668735788,2.447154089,8.356386204).
#[test]
fn path_of_the_revolute_pair() {
    let pair = revolute_pair();
    let exact = Vec3::new(6.282709978, 5.218438445, 5.246971449);
    let first = Vec3::new(2.668735788, 2.447154089, 8.356386204);
    for (member, form) in CASES {
        let at = |n: usize| {
            let h = 0.2 / n as f64;
            let (early, _) = run(&pair, member, form, h, 9 * n / 10);
            let (gs4, angle) = run(&pair, member, form, h, n);
            [
                (gs4.state().frames[2].r - exact).norm(),
                (early.state().frames[1].r - first).norm(),
                (angle + 2.370845478).abs(),
            ]
        };
        let (coarse, fine) = (at(400), at(800));
        let orders = [0, 1, 2].map(|k| order(coarse[k], fine[k]));
        assert!(
            orders.iter().all(|o| (o - 2.0).abs() < 0.15),
            "{member:?}, {form:?}: orders {orders:.3?} of (φ², φ¹, θ²), errors {fine:?}"
        );
    }
}

/// V-5: "θ²(t)=100 t exactly (axisymmetric bodies, no axial torque)", and
/// φ²(.7)=(4.752530375,28.042355035,9.504126523), u²(.7)=8.94914596.
#[test]
fn path_of_the_cylindrical_pair() {
    let pair = cylindrical_pair();
    let exact = Vec3::new(4.752530375, 28.042355035, 9.504126523);
    let slide = Coordinate::displacement(&pair.attachments[0], &pair.attachments[1]);
    for (member, form) in CASES {
        let at = |n: usize| {
            let (gs4, angle) = run(&pair, member, form, 0.7 / n as f64, n);
            let u = coordinate(&slide, gs4.state(), 0.0);
            // The joint has no torque about the second body's own axis, so its spin does not change at all.
            let spin = pair.system.twist(2, &gs4.state().v).angular.z;
            assert!((spin - 100.0).abs() < 1e-9, "{member:?}, {form:?}: spin {spin}");
            let angle_error = (angle - 70.0).abs();
            let h = 0.7 / n as f64;
            assert!(
                angle_error < 450.0 * h * h,
                "{member:?}, {form:?}: θ² off by {angle_error:.2e} at h = {h}"
            );
            [(gs4.state().frames[2].r - exact).norm(), (u - 8.94914596).abs()]
        };
        let (coarse, fine) = (at(700), at(1400));
        let orders = [0, 1].map(|k| order(coarse[k], fine[k]));
        assert!(
            orders.iter().all(|o| (o - 2.0).abs() < 0.15),
            "{member:?}, {form:?}: orders {orders:.3?} of (φ², u²), errors {fine:?}"
        );
    }
}

/// V-6: "θ²(t)=−60 t exactly", (u1,u2)(.08)=(10.95975202,−7.95448585),
/// φ¹(.08)=(7.055942894,3.276012778,8.254508745).
#[test]
fn path_of_the_planar_pair() {
    let pair = planar_pair();
    let exact = Vec3::new(7.055942894, 3.276012778, 8.254508745);
    for (member, form) in CASES {
        let at = |n: usize| {
            let (gs4, angle) = run(&pair, member, form, 0.08 / n as f64, n);
            let z = &gs4.state().frames;
            let [one, two] = pair.attachments.map(|a| a.point().value(&z[a.node]));
            let offset = z[1].rot.tr_mul(&(two - one));
            [
                (z[1].r - exact).norm(),
                (offset - Vec3::new(10.95975202, -7.95448585, 0.0)).norm(),
                (angle + 4.8).abs(),
            ]
        };
        let (coarse, fine) = (at(160), at(320));
        let orders = [0, 1, 2].map(|k| order(coarse[k], fine[k]));
        assert!(
            orders.iter().all(|o| (o - 2.0).abs() < 0.15),
            "{member:?}, {form:?}: orders {orders:.3?} of (φ¹, u, θ²), errors {fine:?}"
        );
    }
}

/// V-2: the cone H=0.1, R=0.05, ρ=2700 in steady precession: D(t)=exp(ω_p t ê3) D(0) exp(ω_s t ê3), φ=L d3.
struct Top {
    system: System,
    arm: f64,
    start: Mat3,
    precession: f64,
    spin: f64,
}

fn top() -> Top {
    let (height, radius, density) = (0.1f64, 0.05f64, 2700.0);
    let (arm, g) = (0.75 * height, 9.81);
    let mass = density * std::f64::consts::PI * radius * radius * height / 3.0;
    let across = 3.0 * mass / 80.0 * (4.0 * radius * radius + height * height);
    let along = 0.3 * mass * radius * radius;
    let nutation = std::f64::consts::FRAC_PI_3;
    let start = so3::exp(&(Vec3::x() * nutation));
    let precession = 10.0;
    let about_pivot = across + mass * arm * arm;
    let spin =
        mass * g * arm / (along * precession) + (about_pivot - along) / along * precession * nutation.cos();
    let mut b = SystemBuilder::new(Vec3::z() * -g);
    let r = start * Vec3::z() * arm;
    let omega = Vec3::z() * precession + start * Vec3::z() * spin;
    let velocity = Twist { linear: omega.cross(&r), angular: start.tr_mul(&omega) };
    let node = b.node("top", Chart::Motion, Frame { r, rot: start }, velocity);
    let inertia = Mat3::from_diagonal(&Vec3::new(across, across, along));
    b.body(Body::new(node, &MassProperties::new(mass, Vec3::zeros(), inertia)));
    let pivot = attach(GROUND, Vec3::zeros(), Mat3::identity());
    let tip = attach(node, Vec3::z() * -arm, Mat3::identity());
    b.constraint("pivot", Box::new(spherical(&pivot, &tip)));
    Top { system: b.build(), arm, start, precession, spin }
}

impl Top {
    fn exact(&self, t: f64) -> (Frame, Twist) {
        let turn = |rate: f64| so3::exp(&(Vec3::z() * (rate * t)));
        let rot = turn(self.precession) * self.start * turn(self.spin);
        let r = rot * Vec3::z() * self.arm;
        let omega = Vec3::z() * self.precession + rot * Vec3::z() * self.spin;
        (Frame { r, rot }, Twist { linear: omega.cross(&r), angular: rot.tr_mul(&omega) })
    }
}

/// "ω_s=135.6, H0=5.6690551906, L(0)=(0,−0.04503947,0.07106577), φ(0.1)=(0.05465514,−0.03509366,0.0375)".
#[test]
fn heavy_top_data() {
    let top = top();
    assert!((top.spin - 135.6).abs() < 1e-9, "ω_s = {}", top.spin);
    let start = balance(&top.system, &top.system.start_state(0.0));
    assert!((start.total() - 5.6690551906).abs() < 1e-9, "H0 = {}", start.total());
    assert!((start.angular_momentum - Vec3::new(0.0, -0.04503947, 0.07106577)).amax() < 1e-8);
    assert!((top.exact(0.1).0.r - Vec3::new(0.05465514, -0.03509366, 0.0375)).amax() < 1e-8);
}

/// "analytic solution … full phase-space error measurable without any reference run"; order 2.
#[test]
fn heavy_top_is_second_order() {
    let top = top();
    let (frame, twist) = top.exact(0.1);
    let start = top.system.start_state(0.0);
    for (member, form) in CASES {
        let at = |n: usize| {
            let gs4 = integrate(&top.system, tight(member, form), &start, 0.1 / n as f64, n);
            let (z, v) = (&gs4.state().frames[1], top.system.twist(1, &gs4.state().v));
            [
                (z.r - frame.r).norm(),
                (z.rot - frame.rot).norm(),
                (v.linear - twist.linear).norm(),
                (v.angular - twist.angular).norm(),
            ]
        };
        let (coarse, fine) = (at(400), at(800));
        let orders = [0, 1, 2, 3].map(|k| order(coarse[k], fine[k]));
        assert!(
            orders.iter().all(|o| (o - 2.0).abs() < 0.15),
            "{member:?}, {form:?}: orders {orders:.3?} of (r, R, ṙ, ω), errors {fine:?}"
        );
    }
}
