//! Where everything of a scene is at one value of the axis, or at one phase of a mode.

use crate::frames::Frames;
use crate::mode_shapes::ModeShape;
use crate::scene::{End, Scene, SceneBeam};
use nalgebra::{Isometry3, Point3, Quaternion, Translation3, UnitQuaternion, Vector3};

/// Numbers of a pose and of a wrench in a frame.
const POSE: usize = 7;
const WRENCH: usize = 6;
/// Most points drawn along a beam.
const LINE_POINTS: usize = 400;

/// Force and torque.
pub type Wrench = [f64; 6];

/// Where everything is.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Snapshot {
    /// Pose of each body.
    pub poses: Vec<Isometry3<f64>>,
    /// Reaction of each joint on its second end, world axes.
    pub reactions: Vec<Wrench>,
    /// Each load, world axes.
    pub loads: Vec<Wrench>,
    /// Stress resultants of each beam element, section axes.
    pub resultants: Vec<Wrench>,
    /// How far flexible bodies are deformed along each of their shapes.
    pub amplitudes: Vec<f64>,
}

impl Snapshot {
    /// A frame.
    pub fn frame(frames: &Frames, k: usize) -> Snapshot {
        Snapshot::between(frames, k, k, 0.0)
    }

    /// Between the frames around a value of the axis; before the first and after the last, those. None
    /// without frames.
    pub fn at(frames: &Frames, value: f64) -> Option<Snapshot> {
        let axis = frames.axis();
        let after = axis.partition_point(|&a| a <= value);
        let (from, to) = (after.saturating_sub(1), after.min(axis.len().checked_sub(1)?));
        let gap = axis[to] - axis[from];
        let share = if gap > 0.0 { ((value - axis[from]) / gap).clamp(0.0, 1.0) } else { 0.0 };
        Some(Snapshot::between(frames, from, to, share))
    }

    fn between(frames: &Frames, from: usize, to: usize, share: f64) -> Snapshot {
        let parts = frames.size().parts();
        let (a, b) = (frames.frame(from), frames.frame(to));
        let pose = |(a, b): (&[f32], &[f32])| isometry(a).lerp_slerp(&isometry(b), share);
        let number = |(a, b): (&f32, &f32)| f64::from(*a) * (1.0 - share) + f64::from(*b) * share;
        let wrench = |(a, b): (&[f32], &[f32])| -> Wrench { std::array::from_fn(|i| number((&a[i], &b[i]))) };
        let wrenches = |part: usize| {
            let range = parts[part].clone();
            a[range.clone()].chunks_exact(WRENCH).zip(b[range].chunks_exact(WRENCH)).map(wrench).collect()
        };
        let poses = a[parts[0].clone()].chunks_exact(POSE).zip(b[parts[0].clone()].chunks_exact(POSE));
        Snapshot {
            poses: poses.map(pose).collect(),
            reactions: wrenches(1),
            loads: wrenches(2),
            resultants: wrenches(3),
            amplitudes: a[parts[4].clone()].iter().zip(&b[parts[4].clone()]).map(number).collect(),
        }
    }

    /// The state moved by a mode: the centre of mass of each body by Re(a e^(iφ)) times an amplitude, and the
    /// body turned about it.
    pub fn of_mode(&self, scene: &Scene, mode: &ModeShape, amplitude: f64, phase: f64) -> Snapshot {
        let moved = |k: usize| {
            let pose = &self.poses[k];
            let Some((body, motion)) = scene.bodies.get(k).zip(mode.bodies.get(k)) else { return *pose };
            let at = |v: &crate::mode_shapes::ComplexVector| Vector3::from(v.at(phase)) * amplitude;
            let centre = Vector3::from(body.centre);
            let turned = UnitQuaternion::from_scaled_axis(at(&motion.rotation)) * pose.rotation;
            let place = pose * Point3::from(centre) + at(&motion.translation) - turned * centre;
            Isometry3::from_parts(Translation3::from(place.coords), turned)
        };
        let deformed =
            |(k, rest): (usize, &f64)| rest + mode.amplitudes.get(k).map_or(0.0, |a| amplitude * a.at(phase));
        let zero = |list: &[Wrench]| vec![[0.0; WRENCH]; list.len()];
        Snapshot {
            poses: (0..self.poses.len()).map(moved).collect(),
            reactions: zero(&self.reactions),
            loads: zero(&self.loads),
            resultants: zero(&self.resultants),
            amplitudes: self.amplitudes.iter().enumerate().map(deformed).collect(),
        }
    }

    /// The place of an end in the world.
    pub fn place(&self, end: &End) -> Vector3<f64> {
        let at = Point3::from(end.at);
        end.body.and_then(|k| self.poses.get(k)).map_or(at, |pose| pose * at).coords
    }

    /// A direction in the axes of what carries an end, in the world.
    pub fn direction(&self, end: &End, axis: [f64; 3]) -> Vector3<f64> {
        let axis = Vector3::from(axis);
        end.body.and_then(|k| self.poses.get(k)).map_or(axis, |pose| pose.rotation * axis)
    }

    /// Places and axes along a beam. Between neighbouring nodes the line is the cubic that leaves and meets
    /// them along their third axes and that is a circle's arc, to drawing accuracy, where they are its
    /// tangents; the axes turn evenly.
    pub fn line(&self, beam: &SceneBeam) -> Vec<Isometry3<f64>> {
        let nodes: Vec<&Isometry3<f64>> = beam.nodes.iter().filter_map(|k| self.poses.get(*k)).collect();
        let parts = (LINE_POINTS / nodes.len().max(1)).clamp(1, 8);
        let mut line = vec![];
        for pair in nodes.windows(2) {
            line.extend((0..parts).map(|k| between_nodes(pair[0], pair[1], k as f64 / parts as f64)));
        }
        line.extend(nodes.last().map(|last| **last));
        line
    }
}

/// x(s) = (1 + 2s)(1 − s)² a + s(1 − s)² l d_a + s²(3 − 2s) b − s²(1 − s) l d_b, l = |b − a|/cos²(θ/4), θ
/// between d_a and d_b: the cubic meets a circle in its middle, too.
fn between_nodes(a: &Isometry3<f64>, b: &Isometry3<f64>, s: f64) -> Isometry3<f64> {
    let (p, q) = (a.translation.vector, b.translation.vector);
    let axis = |pose: &Isometry3<f64>| pose.rotation * Vector3::z();
    let half = (0.5 * (1.0 + axis(a).dot(&axis(b)))).clamp(0.0, 1.0).sqrt();
    let length = (q - p).norm() / (0.5 * (1.0 + half));
    let tangent = |pose: &Isometry3<f64>| axis(pose) * length;
    let r = 1.0 - s;
    let place = p * ((1.0 + 2.0 * s) * r * r) + tangent(a) * (s * r * r) + q * (s * s * (3.0 - 2.0 * s))
        - tangent(b) * (s * s * r);
    let turn = a.rotation.try_slerp(&b.rotation, s, 1e-9).unwrap_or(a.rotation);
    Isometry3::from_parts(Translation3::from(place), turn)
}

fn isometry(numbers: &[f32]) -> Isometry3<f64> {
    let [x, y, z, i, j, k, w] = std::array::from_fn(|n| f64::from(numbers[n]));
    let turn = UnitQuaternion::try_new(Quaternion::new(w, i, j, k), 1e-6).unwrap_or_default();
    Isometry3::from_parts(Translation3::new(x, y, z), turn)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::FrameSize;
    use std::f64::consts::{FRAC_PI_2, PI};

    #[test]
    fn halfway_between_two_frames() {
        let mut frames = Frames::new(FrameSize { bodies: 1, ..FrameSize::default() });
        let half = (0.25 * PI) as f32;
        frames.push(0.0, &[0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]);
        frames.push(2.0, &[4.0, 0.0, 0.0, 0.0, 0.0, half.sin(), half.cos()]);
        let state = Snapshot::at(&frames, 1.0).unwrap();
        assert!((state.poses[0].translation.x - 2.0).abs() < 1e-6);
        assert!((state.poses[0].rotation.angle() - 0.25 * PI).abs() < 1e-6);
        assert_eq!(Snapshot::at(&frames, -1.0).unwrap(), Snapshot::frame(&frames, 0));
        assert_eq!(Snapshot::at(&frames, 9.0).unwrap().poses[0].translation.x, 4.0);
        assert_eq!(Snapshot::at(&Frames::new(FrameSize::default()), 0.0), None);
    }

    /// The cubic of a quarter circle is known to leave it by 2.7e-4 of the radius at most.
    #[test]
    fn a_bent_element_is_round() {
        let node = |angle: f64| {
            let place = Vector3::new(0.0, angle.sin(), angle.cos());
            let turn = UnitQuaternion::from_scaled_axis(Vector3::x() * -(FRAC_PI_2 + angle));
            Isometry3::from_parts(Translation3::from(place), turn)
        };
        let nodes = [node(0.0), node(FRAC_PI_2)];
        // Axis 3 is the tangent of the arc.
        assert!((nodes[0].rotation * Vector3::z() - Vector3::y()).norm() < 1e-12);
        for k in 0..=10 {
            let radius = between_nodes(&nodes[0], &nodes[1], 0.1 * k as f64).translation.vector.norm();
            assert!((radius - 1.0).abs() < 2.8e-4, "{radius}");
        }
    }
}
