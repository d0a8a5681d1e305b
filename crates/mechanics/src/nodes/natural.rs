//! Velocities, momenta and forces in natural coordinates, where the mass matrix of a body is constant.
//!
//! ```text
//! z = (r, R),   T = ½ ∫ρ |ṙ + Ṙ X|² dV,   p = ∂T/∂ż = (m(ṙ + Ṙ c),  m ṙ cᵀ + Ṙ E)
//! ```
//! with the Euler tensor E = ∫ρ X Xᵀ dV = ½ tr(J) I − J about the reference point (energy-momentum-null-space
//! I-32; axes and reference point may be any).

use crate::assembly::Scratch;
use crate::mass::body::{Body, basis};
use crate::nodes::carried::Carried;
use crate::nodes::chart::{Chart, Frame, Twist};
use crate::system::System;
use crate::system::state::State;
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6, so3};
use serde::{Deserialize, Serialize};

/// A tangent or cotangent vector in the natural coordinates of one node: a velocity (ṙ, Ṙ), a momentum or a
/// force.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct FrameRate {
    /// The part of the origin.
    pub r: Vec3,
    /// The parts of the three directors, column by column.
    pub rot: Mat3,
}

impl FrameRate {
    /// Nothing.
    pub fn zero() -> Self {
        FrameRate { r: Vec3::zeros(), rot: Mat3::zeros() }
    }

    /// Σ of the products of all twelve components: power, if one is a force and the other a velocity.
    #[inline]
    pub fn dot(&self, other: &FrameRate) -> f64 {
        self.r.dot(&other.r) + self.rot.dot(&other.rot)
    }

    /// ẋ of a carried vector.
    #[inline]
    pub fn of(&self, carried: &Carried) -> Vec3 {
        self.r * carried.c0 + self.rot * carried.c
    }

    /// Adds a force on a carried vector: f on the origin, f c_I on director I.
    #[inline]
    pub fn add_force(&mut self, carried: &Carried, f: &Vec3) {
        self.r += f * carried.c0;
        self.rot += f * carried.c.transpose();
    }

    /// Σ_I d_I × f_I: the moment of forces on the directors of `z`.
    #[inline]
    pub fn moment(&self, z: &Frame) -> Vec3 {
        // The axial vector of R Fᵀ − F Rᵀ, with Σ_I d_I × f_I = −axial(R Fᵀ) in components.
        let s = z.rot * self.rot.transpose();
        Vec3::new(s[(1, 2)] - s[(2, 1)], s[(2, 0)] - s[(0, 2)], s[(0, 1)] - s[(1, 0)])
    }
}

impl std::ops::Add for FrameRate {
    type Output = FrameRate;

    fn add(self, other: FrameRate) -> FrameRate {
        FrameRate { r: self.r + other.r, rot: self.rot + other.rot }
    }
}

impl std::ops::Sub for FrameRate {
    type Output = FrameRate;

    fn sub(self, other: FrameRate) -> FrameRate {
        FrameRate { r: self.r - other.r, rot: self.rot - other.rot }
    }
}

impl std::ops::Mul<f64> for FrameRate {
    type Output = FrameRate;

    fn mul(self, factor: f64) -> FrameRate {
        FrameRate { r: self.r * factor, rot: self.rot * factor }
    }
}

impl Frame {
    /// (ṙ, Ṙ) of a frame that moves with a twist.
    #[inline]
    pub fn rate(&self, v: &Twist) -> FrameRate {
        FrameRate { r: v.linear, rot: self.rot * so3::skew(&v.angular) }
    }

    /// z + δ, without regard to whether the directors stay orthonormal.
    #[inline]
    pub fn plus(&self, delta: &FrameRate) -> Frame {
        Frame { r: self.r + delta.r, rot: self.rot + delta.rot }
    }
}

impl Body {
    /// E = ½ tr(J) I − J.
    pub fn euler_tensor(&self) -> Mat3 {
        Mat3::identity() * (0.5 * self.inertia.trace()) - self.inertia
    }

    /// p = (m(ṙ + Ṙ c), m ṙ cᵀ + Ṙ E), given the Euler tensor.
    #[inline]
    pub fn natural_momentum(&self, euler: &Mat3, w: &FrameRate) -> FrameRate {
        let (m, c) = (self.mass, &self.centre);
        FrameRate { r: (w.r + w.rot * c) * m, rot: w.r * (c * m).transpose() + w.rot * euler }
    }
}

impl Body {
    /// The twist whose momenta, linear and angular, are those of p; none for a body without inertia about
    /// some axis.
    fn twist_of_momentum(&self, z: &Frame, p: &FrameRate) -> Option<Twist> {
        let (m, c) = (self.mass, &self.centre);
        let linear = z.rot.tr_mul(&p.r);
        let angular = z.rot.tr_mul(&p.moment(z)) - c.cross(&linear);
        let about_centre = self.inertia - (Mat3::identity() * c.norm_squared() - c * c.transpose()) * m;
        let omega = about_centre.cholesky()?.solve(&angular);
        Some(Twist { linear: z.rot * (linear / m - omega.cross(c)), angular: omega })
    }

    /// A rigid motion's natural velocity whose momenta, linear and angular, are those of p.
    pub(crate) fn rate_of_momentum(&self, z: &Frame, p: &FrameRate) -> FrameRate {
        let moved = || Twist { linear: p.r / self.mass, angular: Vec3::zeros() };
        z.rate(&self.twist_of_momentum(z, p).unwrap_or_else(moved))
    }
}

impl System {
    /// Sets the natural velocities of a state to those of its velocities, w = ż.
    pub fn take_rates(&self, state: &mut State) {
        state.rates.clear();
        let rate = |id: usize| state.frames[id].rate(&self.twist(id, &state.v));
        state.rates.extend((0..state.frames.len()).map(rate));
        self.take_product_rates(state);
    }

    /// The velocities whose momenta, linear and angular, are those of the natural velocities w: v = (Tᵀ M
    /// T)⁻¹ Tᵀ M w. What w has besides, its parts normal to rigid motions, is lost. Nodes without mass keep
    /// their rate.
    pub fn velocities_of(&self, frames: &[Frame], rates: &[FrameRate], v: &mut [f64], s: &mut Scratch) {
        self.rigid_velocities_of(frames, rates, v);
        self.flexible_velocities_of(frames, rates, v, s);
    }

    fn rigid_velocities_of(&self, frames: &[Frame], rates: &[FrameRate], v: &mut [f64]) {
        for (id, node) in self.nodes.iter().enumerate() {
            let (z, w) = (&frames[id], &rates[id]);
            let twist = Twist { linear: w.r, angular: so3::axial(&z.rot.tr_mul(&w.rot)) };
            node.chart.velocities(&twist, &mut v[node.unknowns()]);
        }
        for entry in &self.bodies {
            let (body, id) = (&entry.body, entry.body.node);
            let (node, z) = (&self.nodes[id], &frames[id]);
            if !matches!(node.chart, Chart::Motion | Chart::Planar { .. }) {
                continue;
            }
            let p = body.natural_momentum(&body.euler_tensor(), &rates[id]);
            if node.chart == Chart::Motion {
                // With the centre of mass as reference the two parts come apart.
                if let Some(twist) = body.twist_of_momentum(z, &p) {
                    node.chart.velocities(&twist, &mut v[node.unknowns()]);
                }
                continue;
            }
            let moment = z.rot.tr_mul(&p.moment(z));
            let wrench = Vec6::new(p.r.x, p.r.y, p.r.z, moment.x, moment.y, moment.z);
            let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
            let mass = body.tangent(z, &still, &still, &Vec3::zeros()).mass;
            let (columns, dofs) = basis(&node.chart);
            let mut reduced = Mat6::identity();
            let mut right = Vec6::zeros();
            for i in 0..dofs {
                right[i] = columns[i].dot(&wrench);
                for j in 0..dofs {
                    reduced[(i, j)] = columns[i].dot(&(mass * columns[j]));
                }
            }
            if let Some(solution) = reduced.cholesky().map(|c| c.solve(&right)) {
                v[node.unknowns()].copy_from_slice(&solution.as_slice()[..dofs]);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mass::mass_properties::MassProperties;
    use crate::system::SystemBuilder;

    fn body() -> Body {
        let inertia = Mat3::new(2.0, 0.1, -0.2, 0.1, 2.5, 0.3, -0.2, 0.3, 1.5);
        Body::new(1, &MassProperties::new(3.0, Vec3::new(0.3, -0.2, 0.5), inertia))
    }

    #[test]
    fn natural_momentum_gives_the_energy_and_momenta_of_the_twist() {
        let (body, z) =
            (body(), Frame { r: Vec3::new(1.0, 2.0, -0.5), rot: so3::exp(&Vec3::new(0.4, -1.0, 0.7)) });
        let v = Twist { linear: Vec3::new(0.2, 1.1, -0.6), angular: Vec3::new(-1.3, 0.8, 2.0) };
        let w = z.rate(&v);
        let p = body.natural_momentum(&body.euler_tensor(), &w);
        assert!((0.5 * p.dot(&w) - body.kinetic_energy(&z, &v)).abs() < 1e-13);
        assert!((p.r - body.momentum(&z, &v)).norm() < 1e-13);
        assert!((z.r.cross(&p.r) + p.moment(&z) - body.angular_momentum(&z, &v)).norm() < 1e-12);
        let mut b = SystemBuilder::new(Vec3::zeros());
        b.node("body", Chart::Motion, z, v);
        b.body(body);
        let system = b.build();
        let mut back = vec![0.0; 6];
        system.velocities_of(
            &[Frame::identity(), z],
            &[FrameRate::zero(), w],
            &mut back,
            &mut Scratch::default(),
        );
        let twist = system.twist(1, &back);
        assert!((twist.linear - v.linear).norm() + (twist.angular - v.angular).norm() < 1e-12);
    }

    #[test]
    fn moment_is_the_sum_over_the_directors() {
        let z = Frame { r: Vec3::zeros(), rot: Mat3::new(0.3, 1.2, -0.4, 0.7, -0.1, 0.9, 1.1, 0.2, 0.6) };
        let f =
            FrameRate { r: Vec3::zeros(), rot: Mat3::new(1.0, -0.5, 0.2, 0.4, 0.8, -0.3, 0.6, -0.9, 0.1) };
        let sum: Vec3 = (0..3).map(|k| z.rot.column(k).cross(&f.rot.column(k))).sum();
        assert!((sum - f.moment(&z)).norm() < 1e-15);
    }
}
