//! Friction of joints and stops of their coordinates against closed forms and independent integrations.

use crate::mechanisms;

use mechanisms::*;
use poinsot_analysis::*;
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::{Method, Procedure, instant};
use poinsot_mechanics::forces::Stop;
use poinsot_mechanics::joints::*;
use poinsot_mechanics::*;
use std::f64::consts::{PI, TAU};

const G: f64 = 9.81;

fn down() -> Vec3 {
    Vec3::new(0.0, 0.0, -G)
}

/// A friction law without preload and viscous part.
fn dry(coordinate: Coordinate, weights: [f64; 6], mu: [f64; 2], lever: f64) -> Friction {
    Friction {
        coordinate,
        weights,
        static_coefficient: mu[0],
        dynamic_coefficient: mu[1],
        stribeck: 0.3,
        transition: 0.05,
        lever,
        viscous: 0.0,
        preload: 0.0,
    }
}

/// μ(v) = (μ_d + (μ_s − μ_d) exp(−(v/v_s)²)) tanh(v/v_t), written once more.
fn stribeck(mu: [f64; 2], v: f64) -> f64 {
    (mu[1] + (mu[0] - mu[1]) * (-(v / 0.3) * (v / 0.3)).exp()) * (v / 0.05).tanh()
}

const FORCES: [f64; 6] = [1.0, 1.0, 0.0, 0.0, 0.0, 0.0];
const PIN: [f64; 6] = [1.0, 1.0, 1.0, 0.0, 0.0, 0.0];

/// A block on a slope that falls by the angle α along x.
fn block(alpha: f64, speed: f64, mu: [f64; 2], chart: Chart) -> System {
    let mut b = SystemBuilder::new(down());
    let along = Vec3::new(alpha.cos(), 0.0, -alpha.sin());
    let velocity = Twist { linear: along * speed, angular: Vec3::zeros() };
    let node = b.node("block", chart, Frame::identity(), velocity);
    let inertia = Mat3::from_diagonal(&Vec3::new(0.1, 0.2, 0.3));
    b.body(Body::new(node, &MassProperties::new(2.5, Vec3::zeros(), inertia)));
    let ends = [GROUND, node].map(|node| attach(node, Vec3::zeros(), axes_along(&along)));
    let guide = b.constraint("slope", Box::new(prismatic(&ends[0], &ends[1])));
    let s = Coordinate::displacement(&ends[0], &ends[1]);
    b.friction(guide, dry(s.clone(), FORCES, mu, 1.0));
    b.track(s, 0.0);
    b.build()
}

const VERTICAL: Chart = Chart::Planar {
    e1: Vec3::new(1.0, 0.0, 0.0),
    e2: Vec3::new(0.0, 0.0, 1.0),
    normal: Vec3::new(0.0, -1.0, 0.0),
};

/// Far above the transition the block has the constant acceleration g (sin α − μ cos α),
/// in space and in the plane.
#[test]
fn sliding_block() {
    let (alpha, mu, v0) = (0.3f64, 0.2, 4.0);
    let acceleration = G * (alpha.sin() - mu * alpha.cos());
    for chart in [Chart::Motion, VERTICAL] {
        let mut system = block(alpha, v0, [mu, mu], chart);
        let (report, rows) = run(&mut system, default_method(), 2.0, 100, 1, |system, sample| {
            let mut s = Scratch::default();
            let (place, speed) = system.tracked(0, &sample.at, &mut s);
            let (force, rate) = system.friction(0, &sample.at, &mut s);
            near(rate, speed, 1e-13, "rate");
            vec![place, speed, force, sample.balance.power.dissipated]
        });
        let normal = 2.5 * G * alpha.cos();
        for (t, row) in &rows {
            near(row[0], v0 * t + 0.5 * acceleration * t * t, 1e-10, "place");
            near(row[1], v0 + acceleration * t, 1e-10, "speed");
            near(row[2], mu * normal, 1e-10, "friction");
            near(row[3], mu * normal * row[1], 1e-9, "dissipated power");
        }
        let way = rows.last().unwrap().1[0];
        near(report.audit.dissipated, mu * normal * way, 1e-9, "dissipated work");
        assert!(
            report.audit.imbalance.value < 1e-9 * report.audit.energy_scale,
            "{:?}",
            report.audit.imbalance
        );
    }
}

/// From rest over the top of the Stribeck curve, against v̇ = g (sin α − μ(v) cos α).
#[test]
fn block_that_breaks_loose() {
    let (alpha, mu) = (0.42f64, [0.4, 0.2]);
    let ode = |_: f64, y: &[f64; 2]| [y[1], G * (alpha.sin() - stribeck(mu, y[1]) * alpha.cos())];
    let reference = runge_kutta(ode, [0.0, 0.0], 1.0, 20_000);
    let [coarse, fine] = [400, 800].map(|steps| {
        let mut system = block(alpha, 0.0, mu, Chart::Motion);
        let (report, rows) = run(&mut system, default_method(), 1.0, steps, 1, |system, sample| {
            let (place, speed) = system.tracked(0, &sample.at, &mut Scratch::default());
            vec![place, speed]
        });
        let last = &rows.last().unwrap().1;
        assert!(report.audit.dissipated > 0.0);
        [(last[0] - reference[0]).abs(), (last[1] - reference[1]).abs(), report.audit.imbalance.value]
    });
    for k in 0..3 {
        assert!(fine[k] < 1e-4 && (order(coarse[k], fine[k]) - 2.0).abs() < 0.2, "{k}: {coarse:?} {fine:?}");
    }
}

/// Below the angle of friction the block creeps at the speed where μ(v) = tan α.
#[test]
fn block_that_creeps() {
    let (alpha, mu) = (0.25f64, [0.4, 0.35]);
    let (mut low, mut high) = (0.0, 0.05);
    for _ in 0..60 {
        let v = 0.5 * (low + high);
        if stribeck(mu, v) < alpha.tan() { low = v } else { high = v }
    }
    let mut system = block(alpha, 0.0, mu, Chart::Motion);
    let (_, rows) = run(&mut system, default_method(), 1.0, 200, 1, |system, sample| {
        vec![system.tracked(0, &sample.at, &mut Scratch::default()).1]
    });
    near(rows.last().unwrap().1[0], low, 1e-9, "speed of creep");
}

/// A bent guide: with the centre of mass at e along the guide the bearings carry m g and the moment m g e, so
/// N = m g √(1 + (e/arm)²).
#[test]
fn bending_of_a_guide() {
    let (e, arm, mass, mu, v0) = (0.4, 0.25, 3.0, 0.15, 5.0);
    let mut b = SystemBuilder::new(down());
    let along = axes_along(&Vec3::x());
    let velocity = Twist { linear: Vec3::x() * v0, angular: Vec3::zeros() };
    let node = b.node("slide", Chart::Motion, Frame::identity(), velocity);
    b.body(Body::new(
        node,
        &MassProperties::new(mass, Vec3::x() * e, Mat3::from_diagonal(&Vec3::new(0.1, 0.2, 0.3))),
    ));
    let ends = [GROUND, node].map(|node| attach(node, Vec3::zeros(), along));
    let guide = b.constraint("guide", Box::new(prismatic(&ends[0], &ends[1])));
    let s = Coordinate::displacement(&ends[0], &ends[1]);
    let bent = [1.0, 1.0, 1.0 / arm, 1.0 / arm, 1.0 / arm, 0.0];
    b.friction(guide, dry(s.clone(), bent, [mu, mu], 1.0));
    b.track(s, 0.0);
    let mut system = b.build();
    let slowing = mu * G * (1.0 + (e / arm) * (e / arm)).sqrt();
    let (_, rows) = run(&mut system, default_method(), 1.0, 50, 1, |system, sample| {
        vec![system.tracked(0, &sample.at, &mut Scratch::default()).1]
    });
    for (t, row) in &rows {
        near(row[0], v0 - slowing * t, 1e-10, "speed");
    }
}

/// A body on a pin along y, its centre of mass at `arm` below.
fn on_a_pin(
    mass: f64,
    inertia: f64,
    arm: f64,
    angle: f64,
    speed: f64,
    law: impl Fn(Coordinate) -> Friction,
) -> System {
    let mut b = SystemBuilder::new(down());
    let rot = poinsot_geometry::so3::exp(&(Vec3::y() * angle));
    let velocity = Twist { linear: Vec3::zeros(), angular: Vec3::y() * speed };
    let node = b.node("wheel", Chart::Motion, Frame { r: Vec3::zeros(), rot }, velocity);
    let about_centre = Mat3::from_diagonal(&Vec3::new(0.6 * inertia, inertia, 0.6 * inertia));
    b.body(Body::new(node, &MassProperties::new(mass, Vec3::z() * -arm, about_centre)));
    let along = axes_along(&Vec3::y());
    let ends = [attach(GROUND, Vec3::zeros(), along), attach(node, Vec3::zeros(), along)];
    let pin = b.constraint("pin", Box::new(revolute(&ends[0], &ends[1])));
    let theta = Coordinate::angle(&ends[0], &ends[1]);
    b.friction(pin, law(theta.clone()));
    b.track(theta, angle);
    b.build()
}

/// A disk on a pin of radius r slows down by r μ m g/I, whatever its speed; a viscous part
/// adds exponentially.
#[test]
fn spinning_disk() {
    let (mass, inertia, r, mu, w0) = (4.0, 0.05, 0.01, 0.12, 60.0);
    let mut system =
        on_a_pin(mass, inertia, 0.0, 0.0, w0, |s| Friction { transition: 0.02, ..dry(s, PIN, [mu, mu], r) });
    let slowing = r * mu * mass * G / inertia;
    let (report, rows) = run(&mut system, default_method(), 5.0, 1000, 1, |system, sample| {
        let mut s = Scratch::default();
        let (angle, speed) = system.tracked(0, &sample.at, &mut s);
        vec![angle, speed, system.friction(0, &sample.at, &mut s).0]
    });
    for (t, row) in &rows {
        near(row[0], w0 * t - 0.5 * slowing * t * t, 1e-8, "angle");
        near(row[1], w0 - slowing * t, 1e-9, "speed");
        near(row[2], r * mu * mass * G, 1e-10, "torque");
    }
    assert!(rows.last().unwrap().1[0] > 40.0 * TAU);
    let lost = 0.5 * inertia * (w0 * w0 - rows.last().unwrap().1[1].powi(2));
    near(report.audit.dissipated, lost, 1e-8, "dissipated work");

    let (viscous, preload) = (0.02, 15.0);
    let mut system = on_a_pin(mass, inertia, 0.0, 0.0, w0, |s| Friction {
        viscous,
        preload,
        transition: 0.01,
        ..dry(s, PIN, [mu, mu], r)
    });
    let constant = r * mu * (mass * G + preload) / viscous;
    let (_, rows) = run(&mut system, Procedure::Embedding.into(), 2.0, 1000, 1, |system, sample| {
        vec![system.tracked(0, &sample.at, &mut Scratch::default()).1]
    });
    for (t, row) in &rows {
        near(row[0], (w0 + constant) * (-viscous / inertia * t).exp() - constant, 1e-9, "speed with grease");
    }
}

/// A pendulum whose pin is pressed by weight, centrifugal and inertia force, (I + m l²) θ̈ = −m g l
/// sin θ − r μ(r θ̇) N, N = m √((l θ̈ + g sin θ)² + (l θ̇² + g cos θ)²).
#[test]
fn pendulum_with_a_rubbing_pin() {
    let (m, inertia, l, r, mu) = (2.0, 0.03, 0.4, 0.06, [0.5, 0.3]);
    let acceleration = |theta: f64, rate: f64| {
        let mut a = 0.0;
        for _ in 0..60 {
            let normal =
                m * ((l * a + G * theta.sin()).powi(2) + (l * rate * rate + G * theta.cos()).powi(2)).sqrt();
            a = -(m * G * l * theta.sin() + r * stribeck(mu, r * rate) * normal) / (inertia + m * l * l);
        }
        a
    };
    let start = [1.4, 0.5];
    let reference = runge_kutta(|_, y: &[f64; 2]| [y[1], acceleration(y[0], y[1])], start, 2.0, 20_000);
    let follow = |method: Method, steps: usize| {
        let mut system = on_a_pin(m, inertia, l, start[0], start[1], |s| dry(s, PIN, mu, r));
        let (report, rows) = run(&mut system, method, 2.0, steps, 1, |system, sample| {
            let mut s = Scratch::default();
            let (angle, rate) = system.tracked(0, &sample.at, &mut s);
            let reported = system.twist(1, sample.at.a).angular.y;
            near(reported, acceleration(angle, rate), 1e-9, "acceleration with friction");
            // What friction takes is what the energy loses.
            let pin = system.reaction(0, &sample.at, &mut s);
            let normal = pin.force.norm();
            near(
                system.friction(0, &sample.at, &mut s).0,
                r * stribeck(mu, r * rate) * normal,
                1e-10,
                "friction",
            );
            vec![angle, rate]
        });
        let last = &rows.last().unwrap().1;
        assert!(report.audit.dissipated > 1.0, "{}", report.audit.dissipated);
        let off = (last[0] - reference[0]).abs().max((last[1] - reference[1]).abs());
        [off, report.audit.imbalance.value / report.audit.energy_scale]
    };
    let [coarse, fine] = [400, 800].map(|steps| follow(default_method(), steps));
    for k in 0..2 {
        assert!(fine[k] < 1e-3 && (order(coarse[k], fine[k]) - 2.0).abs() < 0.2, "{k}: {coarse:?} {fine:?}");
    }
    let [coarse, fine] = [800, 1600].map(|steps| follow(Procedure::Embedding.into(), steps));
    assert!(fine[0] < 1e-9 && (order(coarse[0], fine[0]) - 4.0).abs() < 0.2, "{coarse:?} {fine:?}");
}

/// The curve of the coefficient: odd, steep through zero, a peak near μ_s, then μ_d.
#[test]
fn stribeck_curve() {
    let (mu, load) = ([0.5, 0.2], 40.0);
    let law = |s| Friction { preload: load, transition: 0.01, ..dry(s, [0.0; 6], mu, 0.2) };
    let mut system = on_a_pin(1.0, 0.1, 0.0, 0.0, 0.0, law);
    let (mut state, _) = consistent_start(&mut system, 0.0).unwrap();
    let spin = system.nodes()[1].unknowns().start + 4;
    let zero = vec![0.0; system.size()];
    let mut coefficient = |v: f64| {
        state.v[spin] = v / 0.2;
        let (torque, rate) = system.friction(0, &instant(&state, &zero), &mut Scratch::default());
        near(rate * 0.2, v, 1e-12, "speed of sliding");
        torque / (0.2 * load)
    };
    for v in [0.001, 0.03, 0.2, 1.0, 7.0] {
        near(coefficient(-v), -coefficient(v), 1e-14, "odd");
    }
    near(coefficient(0.0), 0.0, 0.0, "no force at rest");
    near(coefficient(1e-6) / 1e-6, mu[0] / 0.01, 1e-6, "slope at rest");
    near(coefficient(0.3), mu[1] + (mu[0] - mu[1]) / 1f64.exp(), 1e-12, "at the Stribeck speed");
    near(coefficient(3.0), mu[1], 1e-12, "far out");
    let samples: Vec<f64> = (0..2000).map(|k| coefficient(k as f64 * 5e-4)).collect();
    let peak = samples.iter().copied().fold(0.0, f64::max);
    assert!(peak < mu[0] && peak > 0.97 * mu[0], "{peak}");
    let top = samples.iter().position(|c| *c == peak).unwrap();
    assert!(samples[..=top].windows(2).all(|w| w[1] > w[0]), "rises to the peak");
    assert!(samples[top..].windows(2).all(|w| w[1] < w[0]), "falls behind it");
}

/// Friction in one of two guides that do the same: the work it is said to do is what the energy
/// loses, although the reactions are not determined.
#[test]
fn friction_in_a_redundant_guide() {
    let (mass, mu, v0) = (3.0, 0.2, 5.0);
    let mut b = SystemBuilder::new(down());
    let along = axes_along(&Vec3::x());
    let velocity = Twist { linear: Vec3::x() * v0, angular: Vec3::zeros() };
    let node = b.node("slide", Chart::Motion, Frame::identity(), velocity);
    b.body(Body::new(
        node,
        &MassProperties::new(mass, Vec3::zeros(), Mat3::from_diagonal(&Vec3::new(0.1, 0.2, 0.3))),
    ));
    for (name, y) in [("left guide", 0.3), ("right guide", -0.3)] {
        let ends = [GROUND, node].map(|node| attach(node, Vec3::y() * y, along));
        let guide = b.constraint(name, Box::new(prismatic(&ends[0], &ends[1])));
        b.friction(guide, dry(Coordinate::displacement(&ends[0], &ends[1]), FORCES, [mu, mu], 1.0));
    }
    let mut system = b.build();
    let (report, _) = run(&mut system, default_method(), 1.0, 50, 1, |system, sample| {
        let at = &sample.at;
        let mut s = Scratch::default();
        let slowing = -system.twist(1, at.a).linear.x;
        let forces = [0, 1].map(|k| system.friction(k, at, &mut s).0);
        near(forces[0] + forces[1], mass * slowing, 1e-9, "friction");
        let lost = mass * slowing * system.twist(1, at.v).linear.x;
        near(sample.balance.power.dissipated, lost, 1e-8, "dissipated power");
        vec![]
    });
    assert!(report.audit.imbalance.value < 1e-9 * report.audit.energy_scale, "{:?}", report.audit.imbalance);
}

/// A mass between two stops.
fn bouncing(mass: f64, speed: f64, stiffness: f64, damping: f64) -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let along = axes_along(&Vec3::x());
    let velocity = Twist { linear: Vec3::x() * speed, angular: Vec3::zeros() };
    let node = b.node("mass", Chart::Motion, Frame::identity(), velocity);
    b.body(Body::new(node, &MassProperties::new(mass, Vec3::zeros(), Mat3::identity())));
    let ends = [GROUND, node].map(|node| attach(node, Vec3::zeros(), along));
    b.constraint("guide", Box::new(prismatic(&ends[0], &ends[1])));
    let coordinate = Coordinate::displacement(&ends[0], &ends[1]);
    b.track(coordinate.clone(), 0.0);
    b.force("stop", Box::new(Stop { coordinate, lower: -0.2, upper: 0.3, stiffness, damping }));
    b.build()
}

/// The speed v₁ after a rebound from v₀ by the law of Hunt and Crossley, from m v dv/dδ = −k δ (1 + d v):
/// v₀/d − ln(1 + d v₀)/d² = −v₁/d − ln(1 − d v₁)/d². It depends neither on the mass nor on the stiffness.
fn rebound(v0: f64, d: f64) -> f64 {
    let side = |v: f64| v / d - (1.0 + d * v).ln() / (d * d);
    let (mut low, mut high) = (0.0, v0.min(1.0 / d));
    for _ in 0..200 {
        let v = 0.5 * (low + high);
        if side(-v) < side(v0) { low = v } else { high = v }
    }
    low
}

/// Speeds after each of five bounces, against the closed form and against an integration of the same law.
#[test]
fn bounces_between_stops() {
    let (mass, v0, k, d) = (2.0, 3.0, 5e4, 0.15);
    let end = 1.5;
    let force = |s: f64, v: f64| {
        let (depth, side) = if s > 0.3 {
            (s - 0.3, 1.0)
        } else if s < -0.2 {
            (-0.2 - s, -1.0)
        } else {
            (0.0, 1.0)
        };
        -side * (k * depth * (1.0 + d * side * v)).max(0.0)
    };
    let reference = runge_kutta(|_, y: &[f64; 2]| [y[1], force(y[0], y[1]) / mass], [0.0, v0], end, 300_000);
    let follow = |steps: usize| {
        let mut system = bouncing(mass, v0, k, d);
        let (report, rows) = run(&mut system, default_method(), end, steps, 1, |system, sample| {
            let mut s = Scratch::default();
            let (place, speed) = system.tracked(0, &sample.at, &mut s);
            let along = system.along(0, &sample.at, &mut s).unwrap();
            near(-along.force, force(place, speed), 1e-9 * k, "force of the stop");
            vec![place, speed]
        });
        // Speeds of flights between the stops.
        let mut speeds: Vec<f64> = vec![];
        for pair in rows.windows(2) {
            let inside = |row: &[f64]| row[0] < 0.3 && row[0] > -0.2;
            if inside(&pair[1].1) && !inside(&pair[0].1) {
                speeds.push(pair[1].1[1]);
            }
        }
        (report, rows.last().unwrap().1.clone(), speeds)
    };
    let (report, last, speeds) = follow(60_000);
    assert!(speeds.len() >= 5, "{speeds:?}");
    let mut v = v0;
    for (bounce, speed) in speeds.iter().enumerate() {
        v = rebound(v, d);
        let sign = if bounce % 2 == 0 { -1.0 } else { 1.0 };
        near(*speed, sign * v, 1e-5, &format!("speed after bounce {bounce}"));
    }
    near(last[0], reference[0], 1e-5, "place at the end");
    near(last[1], reference[1], 1e-5, "speed at the end");
    let lost = 0.5 * mass * (v0 * v0 - v * v);
    near(report.audit.dissipated, lost, 1e-4, "dissipated work");
    assert!(report.audit.imbalance.value < 1e-5 * report.audit.energy_scale, "{:?}", report.audit.imbalance);
    // The touch falls anywhere into a step, so the error is of second order in the mean only.
    let coarse = (follow(6_000).1[1] - reference[1]).abs();
    assert!(coarse < 5e-4, "{coarse:.2e}");
}

/// For small d v a rebound keeps the share 1 − (2/3) d v of the speed.
#[test]
fn share_of_a_rebound() {
    for dv in [0.02, 0.01] {
        near(rebound(dv, 1.0) / dv, 1.0 - 2.0 / 3.0 * dv, 0.5 * dv * dv, "closed form");
        let v0 = 2.0;
        let mut system = bouncing(1.0, v0, 2e4, dv / v0);
        let (_, rows) = run(&mut system, default_method(), 0.24, 12_000, 1, |system, sample| {
            vec![system.tracked(0, &sample.at, &mut Scratch::default()).1]
        });
        near(-rows.last().unwrap().1[0], rebound(v0, dv / v0), 1e-6, "speed after the rebound");
    }
}

/// Without damping energy is conserved to second order, and the depth is v √(m/k).
#[test]
fn elastic_stops() {
    let (mass, v0, k) = (2.0, 3.0, 5e4);
    let errors = [4000, 8000, 16000].map(|steps| {
        let mut system = bouncing(mass, v0, k, 0.0);
        let (report, rows) = run(&mut system, midpoint(), 1.0, steps, 1, |system, sample| {
            vec![system.tracked(0, &sample.at, &mut Scratch::default()).0]
        });
        assert_eq!(report.audit.dissipated, 0.0);
        let deepest = rows.iter().fold(0.0, |m: f64, (_, row)| m.max(row[0] - 0.3));
        near(deepest, v0 * (mass / k).sqrt(), 1e-4, "depth");
        report.audit.imbalance.value / report.audit.energy_scale
    });
    assert!(errors[2] < 5e-5 && order(errors[0], errors[2]) / 2.0 > 1.8, "{errors:?}");
}

/// A wheel whose angle is limited to between −1.2 and 2.6 turns runs through all of them and comes back.
#[test]
fn limits_beyond_a_turn() {
    let (inertia, w0, k) = (0.3, 11.0, 4e3);
    let (lower, upper) = (-1.2 * TAU, 2.6 * TAU);
    let mut b = SystemBuilder::new(Vec3::zeros());
    let velocity = Twist { linear: Vec3::zeros(), angular: Vec3::z() * w0 };
    let node = b.node("wheel", Chart::Motion, Frame::identity(), velocity);
    b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), Mat3::identity() * inertia)));
    let ends = [GROUND, node].map(|node| attach(node, Vec3::zeros(), Mat3::identity()));
    b.constraint("hinge", Box::new(revolute(&ends[0], &ends[1])));
    let coordinate = Coordinate::angle(&ends[0], &ends[1]);
    b.track(coordinate.clone(), 0.0);
    b.force("stop", Box::new(Stop { coordinate, lower, upper, stiffness: k, damping: 0.0 }));
    let mut system = b.build();
    // Free to the upper stop, half a swing in it, free to the lower stop, half a swing, and back to zero.
    let swing = PI * (inertia / k).sqrt();
    let round = (upper + (upper - lower) - lower) / w0 + 2.0 * swing;
    let (_, rows) = run(&mut system, default_method(), round, 40_000, 1, |system, sample| {
        let mut s = Scratch::default();
        let (angle, rate) = system.tracked(0, &sample.at, &mut s);
        near(system.along(0, &sample.at, &mut s).unwrap().value, angle, 1e-12, "angle at the stop");
        vec![angle, rate]
    });
    let depth = w0 * (inertia / k).sqrt();
    let extent = |sign: f64| rows.iter().fold(f64::MIN, |m, (_, row)| m.max(sign * row[0]));
    near(extent(1.0), upper + depth, 1e-4, "highest");
    near(extent(-1.0), -lower + depth, 1e-4, "lowest");
    near(rows.last().unwrap().1[0], 0.0, 1e-3, "back at the start");
    near(rows.last().unwrap().1[1], w0, 1e-3, "with the same speed");
}
