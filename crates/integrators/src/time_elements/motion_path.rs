//! The motion of a frame over a time element, on SE(3) (motion-interpolation-galerkin §1.15, §1.16).
//!
//! ```text
//! H(α) = H_0 exp( p(α) ),     p(α) = Σ_{a≥1} l_a(α) p_a,     p_a = log( H_0⁻¹ H_a )
//! h v(α) = T6(p) p′,          h w_g = h v(α_g) − r̄′(α_g) jq,     jq = log( H_b⁻¹ H_0 )
//! ```
//! In a continuous element H_0 = H_b, and the nodes are those after it.
//! Six-vectors are {linear ; angular} in the axes of the frame. Of degree one H is the dual spherical linear
//! interpolation, v is constant and w_0 = v + (4/h) jq, w_1 = v − (2/h) jq.

use crate::time_elements::scheme::{MOST, Place, Row};
use poinsot_geometry::{Mat6, Pose, Vec6, se3};
use poinsot_mechanics::Frame;

/// The pose of a frame.
pub(super) fn pose(frame: &Frame) -> Pose {
    Pose::new(frame.r, frame.rot)
}

/// A frame at the nodes of an element.
#[derive(Clone, Copy, Debug)]
pub struct MotionPath {
    /// Number of nodes.
    count: usize,
    is_continuous: bool,
    /// H_0.
    first: Pose,
    /// jq, and p_a of the nodes; p_0 = 0.
    pub jump: Vec6,
    turns: [Vec6; MOST],
}

/// What the path is at a place, besides its pose.
#[derive(Clone, Copy, Debug)]
pub struct PathPoint {
    /// H.
    pub pose: Pose,
    /// h v.
    pub speed: Vec6,
    /// p and p′.
    p: Vec6,
    slope: Vec6,
}

/// How a place moves with the nodes: δu and δ(h v) for each node's increment.
#[derive(Clone, Copy, Debug)]
pub struct PathTangent {
    /// ∂u/∂u_a.
    pub moved: [Mat6; MOST],
    /// ∂(h v)/∂u_a.
    pub speed: [Mat6; MOST],
    /// ∂u/∂u_b and ∂(h v)/∂u_b.
    pub before: [Mat6; 2],
}

impl MotionPath {
    /// From the frame before the element and those at its nodes, of which the first is at the start if the
    /// motion may jump there.
    pub fn new(before: &Frame, nodes: &[Frame], is_continuous: bool) -> Self {
        let first = pose(if is_continuous { before } else { &nodes[0] });
        let mut turns = [Vec6::zeros(); MOST];
        for (turn, node) in turns.iter_mut().zip(nodes).skip(usize::from(!is_continuous)) {
            *turn = se3::log(&first.relative(&pose(node)));
        }
        let jump = if is_continuous { Vec6::zeros() } else { se3::log(&pose(before).relative(&first)) };
        MotionPath { count: nodes.len(), is_continuous, first, jump, turns }
    }

    /// The nodes after H_0.
    fn others(&self) -> std::ops::Range<usize> {
        usize::from(!self.is_continuous)..self.count
    }

    fn combined(&self, weights: &Row) -> Vec6 {
        self.others().map(|a| self.turns[a] * weights[a]).sum()
    }

    /// At a place.
    pub fn at(&self, place: &Place) -> PathPoint {
        let (p, slope) = (self.combined(&place.base), self.combined(&place.slope));
        let speed = se3::tangent(&p) * slope;
        PathPoint { pose: self.first.update(&p), speed, p, slope }
    }

    /// exp(p) at a place.
    pub fn relative(&self, place: &Place) -> Pose {
        se3::exp(&self.combined(&place.base))
    }

    /// δp_a = T6⁻¹(p_a) u_a − T6⁻¹(−p_a) u_0, for each a the two factors.
    pub fn node_tangents(&self) -> [[Mat6; 2]; MOST] {
        std::array::from_fn(|a| match self.others().contains(&a) {
            true => [se3::tangent_inv(&self.turns[a]), -se3::tangent_inv(&-self.turns[a])],
            false => [Mat6::zeros(); 2],
        })
    }

    /// δu = T6(p) δp + Ad(exp(−p)) u_0,     δ(h v) = ∂(T6(p) p′)/∂p δp + T6(p) δp′.
    pub fn tangent(&self, at: &PathPoint, place: &Place, nodes: &[[Mat6; 2]; MOST]) -> PathTangent {
        let turning = se3::tangent(&at.p);
        let bending = se3::tangent_derivative(&at.p, &at.slope);
        let none = [Mat6::zeros(); MOST];
        let mut out = PathTangent { moved: none, speed: none, before: [Mat6::zeros(); 2] };
        let mut by_first = [se3::exp(&-at.p).adjoint(), Mat6::zeros()];
        for a in self.others() {
            let ([own, first], l, slope) = (&nodes[a], place.base[a], place.slope[a]);
            let (moved, speed) = (turning * l, bending * l + turning * slope);
            out.moved[a] = moved * own;
            out.speed[a] = speed * own;
            by_first[0] += moved * first;
            by_first[1] += speed * first;
        }
        match self.is_continuous {
            true => out.before = by_first,
            false => [out.moved[0], out.speed[0]] = by_first,
        }
        out
    }

    /// ∂jq/∂u_0 and ∂jq/∂u_b, of a jump.
    pub fn jump_tangents(&self) -> [Mat6; 2] {
        [se3::tangent_inv(&self.jump), -se3::tangent_inv(&-self.jump)]
    }
}
