//! The scaled step matrix keeps its condition number as the step shrinks (gs4-isochronous-integrators I-52).

use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::Member;
use poinsot_mechanics::joints::{Attachment, revolute, spherical};
use poinsot_mechanics::*;
use poinsot_numerics::dense::{condition, expand};

/// A two-link arm with a revolute and a spherical joint, in motion.
fn arm() -> System {
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let mut previous = Attachment { node: GROUND, origin: Vec3::zeros(), axes: Mat3::identity() };
    for k in 0..2 {
        let start = Frame { r: Vec3::new(0.5 + k as f64, 0.0, 0.0), rot: Mat3::identity() };
        let twist = Twist { linear: Vec3::new(0.0, start.r.x, 0.0), angular: Vec3::z() };
        let node = b.node(&format!("link{k}"), Chart::Motion, start, twist);
        let inertia = Mat3::from_diagonal(&Vec3::new(0.5, 1.0, 1.2));
        b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), inertia)));
        let near = Attachment { node, origin: Vec3::new(-0.5, 0.0, 0.0), axes: Mat3::identity() };
        let joint = if k == 0 { revolute(&previous, &near) } else { spherical(&previous, &near) };
        b.constraint(&format!("joint{k}"), Box::new(joint));
        previous = Attachment { origin: Vec3::new(0.5, 0.0, 0.0), ..near };
    }
    b.build()
}

fn condition_at(h: f64, level: Level) -> f64 {
    let system = arm();
    let state = system.start_state(0.0);
    let w = Member::u0(0.8, 0.8, 0.8).weights();
    let a = vec![1.0; system.size()];
    let at = Instant { t: 0.0, frames: &state.frames, v: &state.v, a: &a, memory: &state.memory, rates: &[] };
    let tangents = vec![Mat3::identity(); system.nodes().len()];
    let linearization = Linearization {
        stage: at,
        stage_tangent: &tangents,
        end: at,
        end_tangent: &tangents,
        mass: 1.0,
        damping: h * w.w2l5 / w.w1l6,
        stiffness: h * h * w.w3l3 / w.w1l6,
        level,
        gamma: w.l3 * h / w.l5,
        networks: false,
        pressed: true,
    };
    let mut values = vec![0.0; system.pattern().nnz()];
    system.step_matrix(&linearization, &mut values, &mut Scratch::default());
    condition(expand(system.pattern(), &values).as_ref()).unwrap()
}

#[test]
fn condition_does_not_grow_as_the_step_shrinks() {
    for level in [Level::Position, Level::Velocity] {
        let reference = condition_at(1e-2, level);
        assert!(reference < 100.0, "{reference}");
        for h in [1e-3, 1e-4, 1e-6, 1e-8] {
            let c = condition_at(h, level);
            assert!((c / reference - 1.0).abs() < 0.05, "h = {h}: {c} against {reference}");
        }
    }
}
