//! Stages before and after an increment: what the last step predicts, and what follows from unknowns.

use crate::linear::saddle_point::retract;
use crate::runge_kutta::implicit::ImplicitRungeKutta;
use crate::runge_kutta::implicit::stages::{Stages, add};
use poinsot_geometry::{Vec3, so3};
use poinsot_numerics::mix;

/// Ratio of a step to the last one up to which the polynomial of that is carried on.
const FARTHEST: f64 = 25.0;

/// Sweeps of the quadrature of rotations at most, and the change (rad) relative to the tolerance that ends
/// them.
const TURNS: (usize, f64) = (20, 1e-4);

impl ImplicitRungeKutta<'_> {
    /// Stages extrapolated from those of the last step: velocities by the polynomial of the step, multipliers
    /// by that through the stages.
    pub(super) fn predict(&mut self, h: f64) {
        let (count, n) = (self.step.stages.count(), self.step.stages.n);
        if h > FARTHEST * self.past.last_step {
            for i in 0..count {
                let (range, c) = (self.step.stages.range(i), self.scheme.c[i] * h);
                let (z, lambda) =
                    (&mut self.step.stages.z[range.clone()], &mut self.step.stages.lambda[range]);
                z.iter_mut().zip(&self.past.a).for_each(|(z, a)| *z = c * a);
                self.rows.constraints.iter().for_each(|&k| lambda[k] = self.past.a[k]);
            }
        } else {
            self.extrapolate(h);
        }
        self.step.stages.p.fill(0.0);
        for i in 0..count {
            let start = i * n;
            self.rows.constraints.iter().for_each(|&k| self.step.stages.z[start + k] = 0.0);
            // Rotations need a first guess of their own.
            for k in self.rows.rotating.iter().flat_map(|&k| k..k + 3) {
                self.step.stages.theta[start + k] = self.scheme.c[i] * h * self.past.state.v[k];
            }
        }
        self.kinematics(h);
    }

    /// Z and λ of the stages from the last step.
    fn extrapolate(&mut self, h: f64) {
        let (count, n, first) = (self.step.stages.count(), self.step.stages.n, self.first());
        let fraction = |c: f64| 1.0 + c * h / self.past.last_step;
        for (row, (start, c)) in
            self.room.prediction.chunks_exact_mut(count).zip(self.room.weights.iter_mut().zip(&self.scheme.c))
        {
            *start = self.past.last_step * self.scheme.weights_beyond(fraction(*c), row);
        }
        mix(&self.room.prediction, &self.past.done.z, n, &mut self.step.stages.z);
        for (z, start) in self.step.stages.z.chunks_exact_mut(n).zip(&self.room.weights) {
            for (k, z) in z.iter_mut().enumerate() {
                *z += start * self.past.before_a[k] - (self.past.state.v[k] - self.past.before.v[k]);
            }
        }
        if self.rows.constraints.is_empty() {
            return;
        }
        for (i, c) in self.scheme.c.iter().enumerate() {
            self.scheme.stage_weights_beyond(fraction(*c), &mut self.room.all_weights);
            let (explicit, implicit) = self.room.all_weights.split_at(first);
            for &k in &self.rows.constraints {
                let stages = implicit.iter().enumerate();
                let own: f64 = stages.map(|(j, w)| w * self.past.done.lambda[j * n + k]).sum();
                self.step.stages.lambda[i * n + k] =
                    own + explicit.iter().map(|w| w * self.past.before_a[k]).sum::<f64>();
            }
        }
    }

    /// V, A, Θ and the frames of all stages from Z, λ and p.
    pub(super) fn kinematics(&mut self, h: f64) {
        let n = self.step.stages.n;
        let Stages { z, v, a, lambda, frames, .. } = &mut self.step.stages;
        mix(&self.scheme.w, z, n, a);
        a.iter_mut().zip(lambda.iter()).for_each(|(a, l)| *a = *a / h + l);
        for (v, z) in v.chunks_exact_mut(n).zip(z.chunks_exact(n)) {
            v.iter_mut().zip(z.iter().zip(&self.past.state.v)).for_each(|(v, (z, start))| *v = start + z);
        }
        if self.scheme.has_explicit_start() {
            for (a, start) in a.chunks_exact_mut(n).zip(&self.scheme.w_start) {
                let rates = a.iter_mut().zip(&self.past.a).zip(&self.rows.is_row).filter(|(_, row)| !**row);
                rates.for_each(|((a, before), _)| *a += start * before);
            }
        }
        if frames[0].len() == 1 {
            // Networks alone: nothing moves.
            self.step.stages.rate.copy_from_slice(&self.step.stages.v);
            return;
        }
        let enough = (TURNS.1 * self.step.tightest).max(4.0 * f64::EPSILON);
        for _ in 0..TURNS.0 {
            if self.turn(h) <= enough {
                break;
            }
        }
        for (frames, theta) in self.step.stages.frames.iter_mut().zip(self.step.stages.theta.chunks_exact(n))
        {
            retract(self.system, &self.past.state.frames, theta, frames);
        }
    }

    /// Θ_i = h Σ a_ij (T⁻¹(Θ_j) (V_j + p_j)) once more; returns the largest change of a rotation.
    fn turn(&mut self, h: f64) -> f64 {
        let Stages { n, v, theta, rate, p, .. } = &mut self.step.stages;
        rate.iter_mut().zip(v.iter().zip(p.iter())).for_each(|(rate, (v, p))| *rate = v + p);
        for start in (0..v.len()).step_by(*n) {
            for &k in &self.rows.rotating {
                let range = start + k..start + k + 3;
                let turn = so3::tangent_inv(&Vec3::from_column_slice(&theta[range.clone()]));
                let angular = turn * Vec3::from_column_slice(&rate[range.clone()]);
                rate[range].copy_from_slice(angular.as_slice());
            }
        }
        mix(&self.step.quadrature, rate, *n, &mut self.room.mixed);
        if self.scheme.has_explicit_start() {
            for (i, new) in self.room.mixed.chunks_exact_mut(*n).enumerate() {
                add(new, h * self.scheme.tableau.row(1 + i)[0], &self.past.state.v);
            }
        }
        let mut change: f64 = 0.0;
        for start in (0..v.len()).step_by(*n) {
            for k in self.rows.rotating.iter().flat_map(|&k| start + k..start + k + 3) {
                change = change.max((self.room.mixed[k] - theta[k]).abs());
            }
        }
        std::mem::swap(theta, &mut self.room.mixed);
        change
    }
}
