//! Inertia of a flexible body in natural coordinates, where it is constant.
//!
//! Beside origin r and directors A the products Y_k = q_k A (three vectors for each shape) are taken for
//! coordinates. A point is then linear in them, and so is the momentum in their rates:
//!
//! ```text
//! x = r + A X + Σ_k Y_k S_k
//! p_r = m ṙ + Ȧ I₁ + Ẏ_k S̄_k,   p_A = ṙ I₁ᵀ + Ȧ E + Ẏ_k D_k,   p_k = ṙ S̄_kᵀ + Ȧ D_kᵀ + Ẏ_l P_lk
//! ```
//! The relation AᵀY_k = q_k 1 is quadratic and the same in turned axes, and Δq_k 1 = Āᵀ ΔY_k + ΔAᵀ Ȳ_k with
//! the means Ā and Ȳ_k of both ends. A step that tests the balance with
//!
//! ```text
//! δY_k = Ā⁻ᵀ (δq_k 1 − δAᵀ Ȳ_k)
//! ```
//! conserves energy and momentum as it does for rigid bodies (energy-momentum-null-space I-20, I-35).

use super::FlexibleInertia;
use crate::assembly::Scratch;
use crate::energy::Balance;
use crate::mass::body::basis;
use crate::nodes::carried::{Carried, NodeId};
use crate::nodes::chart::Frame;
use crate::nodes::natural::FrameRate;
use crate::system::System;
use crate::system::state::State;
use poinsot_flexible::InertiaIntegrals;
use poinsot_geometry::{Mat3, Vec3};

/// A Ẏ_k or a force on Y_k for each shape, beside what belongs to the frame.
pub(crate) trait Products {
    /// That of shape k.
    fn product(&self, k: usize) -> Mat3;
}

impl<F: Fn(usize) -> Mat3> Products for F {
    fn product(&self, k: usize) -> Mat3 {
        self(k)
    }
}

impl FlexibleInertia {
    /// Origin and directors of the floating frame, and the numbers.
    pub(crate) fn natural_carried(&self) -> Vec<Carried> {
        let frame = self.frame();
        let axis = |k: usize| Carried::direction(frame, Mat3::identity().column(k).into());
        let own = [Carried::point(frame, Vec3::zeros()), axis(0), axis(1), axis(2)];
        own.into_iter().chain(self.carried()[1..].iter().copied()).collect()
    }

    /// The node of the number of shape k.
    pub(crate) fn number(&self, k: usize) -> NodeId {
        self.carried()[1 + k].node
    }

    /// Number of shapes.
    pub(crate) fn size(&self) -> usize {
        self.carried().len() - 1
    }

    /// (p_r, p_A) of the rates.
    pub(crate) fn frame_momentum(&self, rate: &FrameRate, products: &impl Products) -> FrameRate {
        let InertiaIntegrals { mass, first_moment, second_moment, mean, moments, .. } = self.integrals();
        let mut p = FrameRate {
            r: rate.r * *mass + rate.rot * first_moment,
            rot: rate.r * first_moment.transpose() + rate.rot * second_moment,
        };
        for (k, (mean, moment)) in mean.iter().zip(moments).enumerate() {
            let product = products.product(k);
            p.r += product * mean;
            p.rot += product * moment;
        }
        p
    }

    /// p_k of the rates.
    pub(crate) fn shape_momentum(&self, k: usize, rate: &FrameRate, products: &impl Products) -> Mat3 {
        let InertiaIntegrals { mean, moments, products: table, .. } = self.integrals();
        let n = self.size();
        let own = rate.r * mean[k].transpose() + rate.rot * moments[k].transpose();
        (0..n).fold(own, |sum, l| sum + products.product(l) * table[l * n + k])
    }

    /// The rate of Y_k where the frame has the rate `rate` and q_k the rate `speed`.
    pub(crate) fn product_rate(z: &Frame, rate: &FrameRate, q: f64, speed: f64) -> Mat3 {
        z.rot * speed + rate.rot * q
    }

    /// Energies and momenta of natural velocities.
    pub(crate) fn add_natural_balance(&self, frames: &[Frame], rates: &[FrameRate], b: &mut Balance) {
        let (z, w) = (&frames[self.frame()], &rates[self.frame()]);
        let products = |k: usize| rates[self.number(k)].rot;
        let mut p = self.frame_momentum(w, &products);
        b.kinetic += 0.5 * p.dot(w);
        for k in 0..self.size() {
            let own = self.shape_momentum(k, w, &products);
            b.kinetic += 0.5 * own.dot(&products(k));
            p.rot += own * frames[self.number(k)].r.x;
        }
        b.momentum += p.r;
        b.angular_momentum += z.r.cross(&p.r) + p.moment(z);
    }
}

impl System {
    /// Sets the natural velocities of products to those of the velocities.
    pub(crate) fn take_product_rates(&self, state: &mut State) {
        for law in self.flexible() {
            let (z, rate) = (state.frames[law.frame()], state.rates[law.frame()]);
            for k in 0..law.size() {
                let id = law.number(k);
                let (q, speed) = (state.frames[id].r.x, state.rates[id].r.x);
                state.rates[id].rot = FlexibleInertia::product_rate(&z, &rate, q, speed);
            }
        }
    }

    /// The velocities of flexible bodies whose momenta are those of the natural velocities: M v = Bᵀ p, with
    /// B the directions of the unknowns at `frames`.
    pub(crate) fn flexible_velocities_of(
        &self,
        frames: &[Frame],
        rates: &[FrameRate],
        v: &mut [f64],
        s: &mut Scratch,
    ) {
        for law in self.flexible() {
            let id = law.frame();
            let (z, w, chart) = (&frames[id], &rates[id], &self.nodes[id].chart);
            let products = |k: usize| rates[law.number(k)].rot;
            let mut p = law.frame_momentum(w, &products);
            let dofs = chart.dofs();
            let size = dofs + law.size();
            s.shape_forces.resize(size, 0.0);
            for k in 0..law.size() {
                let own = law.shape_momentum(k, w, &products);
                p.rot += own * frames[law.number(k)].r.x;
                s.shape_forces[dofs + k] = z.rot.dot(&own);
            }
            let moment = z.rot.tr_mul(&p.moment(z));
            let (columns, _) = basis(chart);
            for (column, out) in columns[..dofs].iter().zip(&mut s.shape_forces) {
                *out = column.fixed_rows::<3>(0).dot(&p.r) + column.fixed_rows::<3>(3).dot(&moment);
            }
            s.shapes.q.clear();
            s.shapes.q.extend((0..law.size()).map(|k| frames[law.number(k)].r.x));
            law.mass_matrix(chart, z, &mut s.shapes, &mut s.local.m);
            if solve_definite(&mut s.local.m[..size], &mut s.shape_forces) {
                v[self.nodes[id].unknowns()].copy_from_slice(&s.shape_forces[..dofs]);
                for k in 0..law.size() {
                    v[self.nodes[law.number(k)].eq] = s.shape_forces[dofs + k];
                }
            }
        }
    }
}

/// Solves A x = b in place by Cholesky's factors of a symmetric matrix; false if it is not positive definite.
fn solve_definite<const L: usize>(a: &mut [[f64; L]], b: &mut [f64]) -> bool {
    let n = b.len();
    for j in 0..n {
        for i in j..n {
            let sum: f64 = (0..j).map(|k| a[i][k] * a[j][k]).sum();
            let left = a[i][j] - sum;
            if i > j {
                a[i][j] = left / a[j][j];
            } else if left > 0.0 {
                a[j][j] = left.sqrt();
            } else {
                return false;
            }
        }
    }
    for i in 0..n {
        let sum: f64 = (0..i).map(|k| a[i][k] * b[k]).sum();
        b[i] = (b[i] - sum) / a[i][i];
    }
    for i in (0..n).rev() {
        let sum: f64 = (i + 1..n).map(|k| a[k][i] * b[k]).sum();
        b[i] = (b[i] - sum) / a[i][i];
    }
    true
}
