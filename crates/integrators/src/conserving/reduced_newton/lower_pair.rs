//! Closed forms of the lower pairs and the weld: what they leave free of the motion of one body relative to
//! another (energy-momentum-null-space I-46 … I-51, I-54).
//!
//! ```text
//! t² = a t¹ + b ν,    t = (ṙ, ω) in world axes,    a = [1 c̃; 0 1]
//!
//! revolute      c = ϱ² − ϱ¹    b = [ϱ²×w; w]                       w = w₃, axis on the second body
//! fixed         c = ϱ² − ϱ¹    none
//! cylindrical   c = r¹ − r²    b = [u₁×u₂ ϱ²×w; 0 w]                u on the first body
//! prismatic     c = r¹ − r²    b = [u₁×u₂; 0]
//! planar        c = r¹ − r²    b = [u₂×u₃ u₃×u₁ ϱ²×w; 0 0 w]
//! spherical     t² = [1 −ϱ̃¹; 0 0] t¹ + [ϱ̃²; 1] ν                   ν = ω²
//! ```
//! With vectors at the mean these are the discrete null space matrices, with vectors at the end the tangents.
//! The products u₁×u₂ and so on, of which the mean is no unit vector, and w in place of u₃ make Gd Pd = 0
//! hold for any two positions, also for those that the joint does not allow (the modified columns (6.1.61),
//! (6.1.96)). If the second body is the parent, t¹ = a⁻¹ (t² − b ν).

use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_mechanics::conserving::ConservingStep;
use poinsot_mechanics::joints::LowerPair;
use poinsot_mechanics::{Carried, Constraint, Frame};

/// A lower pair, or a weld, between two nodes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairJoint {
    pair: LowerPair,
    first: usize,
    second: usize,
    /// Joint points in body axes.
    points: [Vec3; 2],
    /// Axes of the first attachment and of the second in body axes; those that the joint has no use for are
    /// zero.
    u: [Vec3; 3],
    w: [Vec3; 3],
    /// Whether the second body is the parent.
    reversed: bool,
}

/// Most degrees of freedom of a pair.
pub(crate) const MAX_FREE: usize = 3;

/// The columns of t_child = a t_parent + b ν: linear and angular parts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PairMotion {
    /// a = [1 c̃; 0 1], or [1 c̃; 0 0] if the rotations are independent.
    pub c: Vec3,
    pub turns_along: bool,
    pub b: [(Vec3, Vec3); MAX_FREE],
}

impl PairJoint {
    /// Reads a joint with all its rows; none if it has no closed form.
    pub fn of(law: &dyn Constraint, parent: usize) -> Option<Self> {
        let x = law.carried();
        let pair = law.lower_pair()?;
        let [u, w] = pair.axes();
        let mut axes = [[Vec3::zeros(); 3]; 2];
        let mut rest: &[Carried] = &x[2..];
        for (axes, wanted) in axes.iter_mut().zip([u, w]) {
            for &k in wanted {
                axes[k] = rest[0].c;
                rest = &rest[1..];
            }
        }
        if u.len() == 2 {
            axes[0][2] = axes[0][0].cross(&axes[0][1]);
        }
        let (first, second) = (x[0].node, x[1].node);
        let [u, w] = axes;
        Some(PairJoint { pair, first, second, points: [x[0].c, x[1].c], u, w, reversed: parent == second })
    }

    /// Degrees of freedom.
    pub fn free(&self) -> usize {
        match self.pair {
            LowerPair::Fixed => 0,
            LowerPair::Revolute | LowerPair::Prismatic => 1,
            LowerPair::Cylindrical => 2,
            LowerPair::Spherical | LowerPair::Planar => 3,
        }
    }

    /// a and b for vectors at these frames, those of a step's mean or of its end.
    pub fn motion(&self, frames: impl Fn(usize) -> Frame) -> PairMotion {
        let (one, two) = (frames(self.first), frames(self.second));
        let rho = [one.rot * self.points[0], two.rot * self.points[1]];
        let zero = Vec3::zeros();
        let mut b = [(zero, zero); MAX_FREE];
        if self.pair == LowerPair::Spherical {
            let (parent, child) = if self.reversed { (rho[1], rho[0]) } else { (rho[0], rho[1]) };
            let turn = so3::skew(&child);
            for (k, column) in b.iter_mut().enumerate() {
                column.0 = turn.column(k).into_owned();
                column.1[k] = 1.0;
            }
            return PairMotion { c: -parent, turns_along: false, b };
        }
        let u = |k: usize| one.rot * self.u[k];
        let w = two.rot * self.w[2];
        let turning = (rho[1].cross(&w), w);
        match self.pair {
            LowerPair::Revolute => b[0] = turning,
            LowerPair::Prismatic => b[0].0 = u(0).cross(&u(1)),
            LowerPair::Cylindrical => {
                b[0].0 = u(0).cross(&u(1));
                b[1] = turning;
            }
            LowerPair::Planar => {
                b[0].0 = u(1).cross(&u(2));
                b[1].0 = u(2).cross(&u(0));
                b[2] = turning;
            }
            LowerPair::Spherical | LowerPair::Fixed => {}
        }
        let mut c = match self.pair {
            LowerPair::Revolute | LowerPair::Fixed => rho[1] - rho[0],
            _ => one.r - two.r,
        };
        if self.reversed {
            b.iter_mut().for_each(|b| *b = (c.cross(&b.1) - b.0, -b.1));
            c = -c;
        }
        PairMotion { c, turns_along: true, b }
    }

    /// F of I-46 … I-55: moves the end of the child by ν, given the turn S of the parent in this move as S −
    /// 1, and closes what round-off has opened. Returns the child's turn. `before` is the child's frame and
    /// the parent's before the move.
    pub fn update(
        &self,
        step: &mut ConservingStep,
        parent_turn: &Mat3,
        before: (&Frame, &Frame),
        nu: &[f64],
    ) -> Mat3 {
        let (child, parent) =
            if self.reversed { (self.first, self.second) } else { (self.second, self.first) };
        let sign = if self.reversed { -1.0 } else { 1.0 };
        let (one, two) = if self.reversed { before } else { (before.1, before.0) };
        let about = |angle: f64| two.rot * self.w[2] * (sign * angle);
        let own = match self.pair {
            LowerPair::Spherical => Vec3::new(nu[0], nu[1], nu[2]),
            LowerPair::Revolute => about(nu[0]),
            LowerPair::Cylindrical => about(nu[1]),
            LowerPair::Planar => about(nu[2]),
            LowerPair::Prismatic | LowerPair::Fixed => Vec3::zeros(),
        };
        let own = so3::exp_less_one(&own);
        let mut turn = match self.pair {
            LowerPair::Spherical => own,
            _ => parent_turn * own + parent_turn + own,
        };
        step.turn_node(child, &turn);
        let open = self.misalignment(&step.end[self.first].rot, &step.end[self.second].rot) * sign;
        if open != Vec3::zeros() {
            let closing = so3::exp_less_one(&open);
            step.turn_node(child, &closing);
            turn += closing * turn + closing;
        }
        // Components of the offset x₂ − x₁ along the axes of the first body.
        let offset = two.r + two.rot * self.points[1] - one.r - one.rot * self.points[0];
        let along = |k: usize| offset.dot(&(one.rot * self.u[k]));
        let axes = step.end[self.first].rot;
        let offset = match self.pair {
            LowerPair::Prismatic | LowerPair::Cylindrical => axes * self.u[2] * (along(2) + nu[0]),
            LowerPair::Planar => axes * (self.u[0] * (along(0) + nu[0]) + self.u[1] * (along(1) + nu[1])),
            _ => Vec3::zeros(),
        };
        let (here, there) =
            if self.reversed { (self.points[0], self.points[1]) } else { (self.points[1], self.points[0]) };
        let joint = step.end[parent].r + step.end[parent].rot * there + offset * sign;
        let r = joint - step.end[child].rot * here;
        step.put_node(child, &r);
        turn
    }

    /// The rotation vector that turns the second body's axes onto those of the first, as far as the joint
    /// holds them; it is of the size of round-off.
    fn misalignment(&self, one: &Mat3, two: &Mat3) -> Vec3 {
        let between = |k: usize| (two * self.w[k]).cross(&(one * self.u[k]));
        match self.pair {
            LowerPair::Spherical => Vec3::zeros(),
            LowerPair::Revolute | LowerPair::Cylindrical | LowerPair::Planar => between(2),
            LowerPair::Prismatic | LowerPair::Fixed => (between(0) + between(1) + between(2)) * 0.5,
        }
    }
}
