//! Joints, springs and arrows.

use super::camera::horizontal;
use super::facets::{Facet, Vector, facets, rod};
use crate::scene::{JointSymbol, Placement, SceneJoint, Shape, Solid};
use crate::snapshot::{Snapshot, Wrench};
use nalgebra::{Rotation3, UnitQuaternion};
use std::f64::consts::TAU;

/// Sizes in lengths of the scene.
const JOINT: f64 = 0.017;
const LINK: f64 = 0.004;
const RAIL: f64 = 0.006;
const COIL: f64 = 0.02;
const WIRE: f64 = 0.004;
const ARROW: f64 = 0.009;
/// Turns of a spring, and points of each.
const TURNS: usize = 9;
const TURN_POINTS: usize = 14;

/// A solid with its axis along a direction, about a place.
fn upright(solid: Solid, at: &Vector, along: &Vector) -> Vec<Facet> {
    let turn = Rotation3::rotation_between(&Vector::z(), along)
        .unwrap_or_else(|| Rotation3::from_axis_angle(&Vector::x_axis(), std::f64::consts::PI));
    let q = UnitQuaternion::from_rotation_matrix(&turn);
    let pose = Placement { position: (*at).into(), rotation: [q.i, q.j, q.k, q.w] };
    facets(&Shape { solid, pose, color: None, derived: false })
}

/// A joint: a pin along its axis, a ball, a rail as long as the travel, or a thin rod between two points.
pub(crate) fn joint(
    joint: &SceneJoint,
    state: &Snapshot,
    length: f64,
    travel: Option<[f64; 2]>,
) -> Vec<Facet> {
    let [first, second] = [0, 1].map(|k| state.place(&joint.ends[k]));
    let radius = JOINT * length;
    match (joint.symbol, joint.axis) {
        (JointSymbol::Clamp, _) => vec![],
        (JointSymbol::Rod, _) => rod(&[first, second], LINK * length),
        (JointSymbol::Rope, _) => rod(&rope(joint, state), WIRE * length),
        (JointSymbol::Block | JointSymbol::Sleeve, Some(axis)) => {
            let along = state.direction(&joint.ends[0], axis);
            let Some([low, high]) = travel else { return vec![] };
            let room = 0.12 * length;
            rod(&[first + along * (low - room), first + along * (high + room)], RAIL * length)
        }
        (_, None) => upright(Solid::Sphere { radius: 1.3 * radius }, &first, &Vector::z()),
        (_, Some(axis)) => {
            let along = state.direction(&joint.ends[0], axis);
            upright(Solid::Cylinder { radius, length: 3.4 * radius }, &first, &along)
        }
    }
}

/// The line of a rope: straight along common tangents, round where it lies on a pulley.
fn rope(joint: &SceneJoint, state: &Snapshot) -> Vec<Vector> {
    let [first, second] = [0, 1].map(|k| state.place(&joint.ends[k]));
    let Some(pulley) = joint.over.first() else { return vec![first, second] };
    let normal = Vector::from(pulley.axis);
    let (e1, _) = horizontal(&normal);
    let e2 = normal.cross(&e1);
    let pulleys = joint.over.iter().map(|pulley| (state.place(&pulley.at), pulley.radius));
    let circles: Vec<(Vector, f64)> =
        std::iter::once((first, 0.0)).chain(pulleys).chain([(second, 0.0)]).collect();
    // Where the rope leaves a circle in direction α it is on the right of the centre.
    let touch =
        |(centre, radius): (Vector, f64), alpha: f64| centre + (e1 * alpha.sin() - e2 * alpha.cos()) * radius;
    let direction = |pair: &[(Vector, f64)]| {
        let (d, rho) = (pair[1].0 - pair[0].0, pair[1].1 - pair[0].1);
        let (x, y) = (d.dot(&e1), d.dot(&e2));
        y.atan2(x) - rho.atan2((x * x + y * y - rho * rho).max(0.0).sqrt())
    };
    let runs: Vec<f64> = circles.windows(2).map(direction).collect();
    let mut line = vec![first];
    for (k, turn) in runs.windows(2).enumerate() {
        let circle = circles[k + 1];
        let mut angle = (turn[1] - turn[0]).rem_euclid(TAU);
        if circle.1 < 0.0 {
            angle -= TAU;
        }
        let points = (angle.abs() / 0.1).ceil().max(1.0);
        line.extend((0..=points as usize).map(|j| touch(circle, turn[0] + angle * j as f64 / points)));
    }
    line.push(second);
    line
}

/// How far a joint has slid along its axis.
pub(crate) fn slid(joint: &SceneJoint, state: &Snapshot) -> Option<f64> {
    let along = state.direction(&joint.ends[0], joint.axis?);
    Some((state.place(&joint.ends[1]) - state.place(&joint.ends[0])).dot(&along))
}

/// A coil with straight ends.
pub(crate) fn spring(from: &Vector, to: &Vector, length: f64) -> Vec<Facet> {
    let along = to - from;
    let Some(axis) = along.try_normalize(1e-9 * length) else { return vec![] };
    let (first, second) = horizontal(&axis);
    let points = TURNS * TURN_POINTS;
    let coil = (0..=points).map(|k| {
        let share = k as f64 / points as f64;
        let (sin, cos) = (TAU * TURNS as f64 * share).sin_cos();
        from + along * (0.12 + 0.76 * share) + (first * cos + second * sin) * (COIL * length)
    });
    let line: Vec<Vector> =
        [*from, from + along * 0.1].into_iter().chain(coil).chain([from + along * 0.9, *to]).collect();
    rod(&line, WIRE * length)
}

/// An arrow that ends at a place.
pub(crate) fn arrow(at: &Vector, force: &Vector, length: f64) -> Vec<Facet> {
    let long = force.norm();
    if long < 0.01 * length {
        return vec![];
    }
    let (along, radius) = (force / long, ARROW * length);
    let head = (5.0 * radius).min(0.6 * long);
    let mut list = rod(&[at - force, at - along * (0.8 * head)], radius);
    list.extend(upright(
        Solid::Cone { radius: 2.4 * radius, length: head },
        &(at - along * (0.5 * head)),
        &along,
    ));
    list
}

/// The force of a wrench.
pub(crate) fn force(wrench: &Wrench) -> Vector {
    Vector::new(wrench[0], wrench[1], wrench[2])
}
