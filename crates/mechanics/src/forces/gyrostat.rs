//! Gyrostat: a rotor inside a body that carries a constant spin momentum h along an axis of the body.
//!
//! With unit directions a, b of the body, a × b the axis, its angular momentum is H = h a × b. The Lagrangian
//! h ω·(a × b), ω the angular velocity in space, is h ȧ·b up to a total derivative, so the forces on the
//! directions are
//!
//! ```text
//! f_a = −h ḃ,     f_b = h ȧ          a × f_a + b × f_b = −ω × H,      f_a·ȧ + f_b·ḃ = 0
//! ```
//! linear in the rates: the tangent is constant and the forces do no work, at an instant or over a step. Over
//! a step the moment of the forces at the mean is −(H⁺ − H)/h, so the sum of the body's angular momentum and
//! H is conserved.
//!
//! In a frame that turns with Ω the angular velocity in space is ω + Ω:
//!
//! ```text
//! V = −h Ω·(a × b),      f_a += h b × Ω,     f_b += h Ω × a
//! ```

use crate::discrete_gradients::StepEnds;
use crate::element_buffers::Blocks;
use crate::force::{Force, Motion, Power};
use crate::nodes::carried::{Carried, NodeId};
use poinsot_geometry::{Mat3, Vec3, so3};

/// Spin momentum carried by a body.
#[derive(Clone, Debug)]
pub struct Gyrostat {
    carried: [Carried; 2],
    momentum: f64,
    frame_rate: Vec3,
}

impl Gyrostat {
    /// A momentum (N·m·s) along the unit vector `axis` in body axes; `frame_rate` is Ω of the frame of
    /// reference (rad/s).
    pub fn new(node: NodeId, axis: &Vec3, momentum: f64, frame_rate: Vec3) -> Self {
        // Any direction that is not along the axis will do.
        let smallest = axis.iamin();
        let a = axis.cross(&Mat3::identity().column(smallest)).normalize();
        let carried = [Carried::direction(node, a), Carried::direction(node, axis.cross(&a))];
        Gyrostat { carried, momentum, frame_rate }
    }
}

impl Force for Gyrostat {
    fn kind(&self) -> &'static str {
        "gyrostat"
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        f[0] += (at.x[1].cross(&self.frame_rate) - at.xdot[1]) * self.momentum;
        f[1] += (self.frame_rate.cross(&at.x[0]) + at.xdot[0]) * self.momentum;
    }

    fn tangent(&self, _at: &Motion, k: &mut Blocks, c: &mut Blocks) {
        c.push(0, 1, Mat3::identity() * -self.momentum);
        c.push(1, 0, Mat3::identity() * self.momentum);
        let turn = so3::skew(&self.frame_rate) * self.momentum;
        k.push(0, 1, -turn);
        k.push(1, 0, turn);
    }

    fn potential(&self, at: &Motion) -> f64 {
        -self.frame_rate.dot(&self.angular_momentum(at))
    }

    fn power(&self, _at: &Motion) -> Power {
        Power::default()
    }

    fn is_gyroscopic(&self) -> bool {
        true
    }

    fn discrete_work(&self, _step: &StepEnds) -> Power {
        Power::default()
    }

    fn angular_momentum(&self, at: &Motion) -> Vec3 {
        at.x[0].cross(&at.x[1]) * self.momentum
    }
}
