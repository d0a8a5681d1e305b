//! Torque on a body: dead (world components) or follower (body components).
//!
//! In natural coordinates a torque τ is the set of director forces f_k = ½ τ × d_k, because
//! Σ_k d_k × f_k = ½ Σ_k (τ − d_k (d_k·τ)) = τ.
//!
//! Over a step the mean directors d̄_k are not orthonormal (energy-momentum-null-space I-34), so the forces
//! are
//!
//! ```text
//! f_k = μ × d̄_k,     J̄ μ = τ,     J̄ = Σ_k (|d̄_k|² I − d̄_k d̄_kᵀ)        ⇒   Σ_k d̄_k × f_k = τ
//! ```
//! The angular momentum changes by h τ, and the work is τ·c with Δd_k = c × d̄_k, c = 2 tan(φ/2) along the
//! axis of the turn φ.

use super::{InputElement, PiecewiseElement, components, merged_switches};
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::Blocks;
use crate::force::{Extensions, Force, Motion, Power};
use crate::nodes::carried::{Carried, NodeId};
use poinsot_expr::{Function, Switch};
use poinsot_geometry::{Mat3, Vec3, so3};

/// A torque T(t) on a frame.
#[derive(Clone, Debug)]
pub struct Torque {
    carried: [Carried; 3],
    law: Law,
    follower: bool,
}

/// The three components over time.
#[derive(Clone, Debug)]
enum Law {
    /// T(t).
    OfTime([Function; 3]),
    /// Σ w m(t, s): a node's share of a moment per length.
    AlongLine { density: [Function; 3], points: Vec<(f64, f64)> },
}

impl Law {
    fn at(&self, t: f64) -> Vec3 {
        match self {
            Law::OfTime(torque) => components(torque, t),
            Law::AlongLine { density, points } => {
                let term = |&(w, s): &(f64, f64)| Vec3::from_fn(|k, _| w * density[k].value(&[t, s]));
                points.iter().map(term).sum()
            }
        }
    }
}

impl Torque {
    /// A dead torque: world components.
    pub fn dead(node: NodeId, torque: [Function; 3]) -> Self {
        Torque { carried: directors(node, &Mat3::identity()), law: Law::OfTime(torque), follower: false }
    }

    /// A follower torque: components along `axes` (columns, in body axes).
    pub fn follower(node: NodeId, axes: &Mat3, torque: [Function; 3]) -> Self {
        Torque { carried: directors(node, axes), law: Law::OfTime(torque), follower: true }
    }

    /// No torque, for others to push: components along `axes` (columns, in body axes) if it is a follower,
    /// else along the world's.
    pub(crate) fn idle(node: NodeId, axes: &Mat3, follower: bool) -> Self {
        let law = Law::OfTime([0.0; 3].map(Function::constant));
        Torque { carried: directors(node, axes), law, follower }
    }

    /// A share Σ w m(t, s) of a moment per length at points (w, s): follower with components along `axes`,
    /// else dead.
    pub(crate) fn along_line(
        node: NodeId,
        axes: Option<&Mat3>,
        density: [Function; 3],
        points: Vec<(f64, f64)>,
    ) -> Self {
        let carried = directors(node, axes.unwrap_or(&Mat3::identity()));
        Torque { carried, law: Law::AlongLine { density, points }, follower: axes.is_some() }
    }

    fn in_world(&self, t: &[f64], at: &Motion) -> Vec3 {
        match self.follower {
            true => at.x[0] * t[0] + at.x[1] * t[1] + at.x[2] * t[2],
            false => Vec3::new(t[0], t[1], t[2]),
        }
    }
}

/// The axes (columns, in body axes) as carried directions.
pub(crate) fn directors(node: NodeId, axes: &Mat3) -> [Carried; 3] {
    [0, 1, 2].map(|k| Carried::direction(node, axes.column(k).into_owned()))
}

/// Spatial angular velocity from director velocities: ω = ½ Σ d_k × ḋ_k.
pub(crate) fn spin(d: &[Vec3], ddot: &[Vec3]) -> Vec3 {
    (d[0].cross(&ddot[0]) + d[1].cross(&ddot[1]) + d[2].cross(&ddot[2])) * 0.5
}

/// J̄⁻¹; half the identity where the directors turn by π and no such forces exist.
fn inverse_of_mean(d: &[Vec3]) -> Mat3 {
    let j: Mat3 = d.iter().map(|d| Mat3::identity() * d.norm_squared() - d * d.transpose()).sum();
    j.try_inverse().unwrap_or_else(|| Mat3::identity() * 0.5)
}

impl Force for Torque {
    fn kind(&self) -> &'static str {
        "torque"
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        self.push(self.law.at(at.t).as_slice(), at, f);
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, _c: &mut Blocks) {
        self.push_tangent(self.law.at(at.t).as_slice(), at, k);
    }

    fn discrete_force(&self, step: &StepEnds, f: &mut [Vec3]) {
        self.push_over_step(self.law.at(step.time(0.5)).as_slice(), step, f);
    }

    fn discrete_tangent(&self, step: &StepEnds, k: &mut Blocks, _c: &mut Blocks) {
        self.push_tangent_over_step(self.law.at(step.time(0.5)).as_slice(), step, k);
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions { input: Some(self), piecewise: Some(self), ..Extensions::default() }
    }

    fn power(&self, at: &Motion) -> Power {
        let torque = self.in_world(self.law.at(at.t).as_slice(), at);
        Power { supplied: torque.dot(&spin(at.x, at.xdot)), dissipated: 0.0 }
    }
}

/// A moment per length that travels along a beam has a kink where it comes to a point; kinks in time alone
/// are known beforehand.
impl PiecewiseElement for Torque {
    fn switches(&self) -> Vec<Switch> {
        let Law::AlongLine { density, .. } = &self.law else { return vec![] };
        let mut switches = merged_switches(density);
        switches.retain(|switch| switch.depends_on(0));
        switches
    }

    fn switch_arguments(&self, at: &Motion, arguments: &mut Vec<f64>) {
        self.switch_arguments_at(0, at, arguments);
    }

    fn places(&self) -> usize {
        match &self.law {
            Law::OfTime(_) => 1,
            Law::AlongLine { points, .. } => points.len(),
        }
    }

    fn is_local(&self, _switch: &Switch) -> bool {
        true
    }

    fn switch_arguments_at(&self, place: usize, at: &Motion, arguments: &mut Vec<f64>) {
        if let Law::AlongLine { points, .. } = &self.law {
            arguments.extend([at.t, points[place].1]);
        }
    }
}

/// The components.
impl InputElement for Torque {
    fn inputs(&self) -> usize {
        3
    }

    fn pushed(&self) -> usize {
        3
    }

    fn is_idle(&self) -> bool {
        let (Law::OfTime(law) | Law::AlongLine { density: law, .. }) = &self.law;
        law.iter().all(Function::is_zero)
    }

    fn push(&self, torque: &[f64], at: &Motion, f: &mut [Vec3]) {
        let half = self.in_world(torque, at) * 0.5;
        for (f, d) in f.iter_mut().zip(at.x) {
            *f += half.cross(d);
        }
    }

    /// ∂f_k/∂d_l = ½ τ̃ δ_kl − ½ d̃_k ∂τ/∂d_l.
    fn push_tangent(&self, torque: &[f64], at: &Motion, k: &mut Blocks) {
        let turn = so3::skew(&(self.in_world(torque, at) * 0.5));
        for a in 0..3 {
            k.push(a, a, turn);
            if self.follower {
                for (b, torque) in torque.iter().enumerate() {
                    k.push(a, b, so3::skew(&at.x[a]) * (-0.5 * torque));
                }
            }
        }
    }

    fn push_over_step(&self, torque: &[f64], step: &StepEnds, f: &mut [Vec3]) {
        let mu = inverse_of_mean(step.mean) * self.in_world(torque, &step.motion());
        f.iter_mut().zip(step.mean).for_each(|(f, d)| *f += mu.cross(d));
    }

    /// ∂f_k/∂d⁺_l = ½ μ̃ δ_kl − d̃_k ∂μ/∂d⁺_l,
    /// J̄ ∂μ/∂d⁺_l = ∂τ/∂d⁺_l − ½ (2 μ d̄_lᵀ − (d̄_l·μ) I − d̄_l μᵀ).
    fn push_tangent_over_step(&self, torque: &[f64], step: &StepEnds, k: &mut Blocks) {
        let at = step.motion();
        let inverse = inverse_of_mean(at.x);
        let mu = inverse * self.in_world(torque, &at);
        for (b, d) in at.x.iter().enumerate() {
            let turned = mu * d.transpose() * 2.0 - Mat3::identity() * d.dot(&mu) - d * mu.transpose();
            let follow = if self.follower { torque[b] } else { 0.0 };
            let by = inverse * (Mat3::identity() * follow - turned) * 0.5;
            for (a, e) in at.x.iter().enumerate() {
                let own = if a == b { so3::skew(&mu) * 0.5 } else { Mat3::zeros() };
                k.push(a, b, own - so3::skew(e) * by);
            }
        }
    }
}
