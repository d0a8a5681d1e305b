//! The motion inside a step, for methods without a polynomial of their own.
//!
//! In the chart of the start of the step, q = q_n ∘ θ, the polynomial of degree five through θ, θ̇ and θ̈ at
//! both ends gives positions to O(h⁶) and velocities to O(h⁵); the variables of networks follow the cubic
//! through y and ẏ. On rotations θ̇ = T⁻¹(θ) ω and θ̈ = T⁻¹ ω̇ + Ṫ⁻¹ ω.

use crate::linear::saddle_point::retract;
use poinsot_geometry::{Vec3, so3};
use poinsot_mechanics::{Chart, State, System};

/// The motion between two states.
#[derive(Clone, Debug)]
pub struct DenseOutput {
    start: State,
    h: f64,
    /// θ, θ̇ and θ̈ at the start and at the end; y and ẏ of networks stand in the second and third.
    ends: [[Vec<f64>; 3]; 2],
    is_variable: Vec<bool>,
    theta: Vec<f64>,
    rate: Vec<f64>,
}

impl DenseOutput {
    /// Room for a system.
    pub fn new(system: &System, state: &State) -> Self {
        let n = system.size();
        let mut is_variable = vec![false; n];
        for network in system.networks() {
            (0..network.law.variables.len()).for_each(|j| is_variable[network.unknown(j)] = true);
        }
        DenseOutput {
            start: state.clone(),
            h: 0.0,
            ends: std::array::from_fn(|_| std::array::from_fn(|_| vec![0.0; n])),
            is_variable,
            theta: vec![0.0; n],
            rate: vec![0.0; n],
        }
    }

    /// Takes up the step from one state to another, with the accelerations and rates that belong to them.
    pub fn set(&mut self, system: &System, (start, a): (&State, &[f64]), (end, b): (&State, &[f64])) {
        self.start.clone_from(start);
        self.h = end.t - start.t;
        let [first, last] = &mut self.ends;
        first[0].fill(0.0);
        first[1].copy_from_slice(&start.v);
        first[2].copy_from_slice(a);
        last[1].copy_from_slice(&end.v);
        last[2].copy_from_slice(b);
        for (k, node) in system.nodes().iter().enumerate().skip(1) {
            let (z, new, all) = (&start.frames[k], &end.frames[k], node.unknowns());
            let turn = so3::log(&(z.rot.transpose() * new.rot));
            let moved = poinsot_mechanics::Twist { linear: new.r - z.r, angular: turn };
            node.chart.velocities(&moved, &mut last[0][all.clone()]);
            if node.chart == Chart::Motion {
                let range = all.start + 3..all.end;
                let vector = |x: &[f64]| Vec3::from_column_slice(&x[range.clone()]);
                let (w, alpha, rate) = (vector(&end.v), vector(b), so3::tangent_inv(&turn) * vector(&end.v));
                let second = so3::tangent_inv(&turn) * alpha + so3::tangent_inv_rate(&turn, &rate) * w;
                last[1][range.clone()].copy_from_slice(rate.as_slice());
                last[2][range.clone()].copy_from_slice(second.as_slice());
                // At θ = 0: d/dt T⁻¹ ω = ½ ω × ω = 0.
            }
        }
    }

    /// The state at a time inside the step.
    pub fn at(&mut self, system: &System, t: f64, out: &mut State) {
        let h = self.h;
        let x = (t - self.start.t) / h;
        let (value, slope, cubic) = (quintic(x), quintic_slope(x), cubic(x));
        let [first, last] = &self.ends;
        for i in 0..self.theta.len() {
            let (v, a) = ([first[1][i], last[1][i]], [first[2][i], last[2][i]]);
            if self.is_variable[i] {
                self.rate[i] = cubic[0] * v[0] + cubic[1] * v[1] + h * (cubic[2] * a[0] + cubic[3] * a[1]);
                continue;
            }
            let ends = [first[0][i], last[0][i], h * v[0], h * v[1], h * h * a[0], h * h * a[1]];
            let sum = |w: &[f64; 6]| w.iter().zip(&ends).map(|(w, e)| w * e).sum::<f64>();
            self.theta[i] = sum(&value);
            self.rate[i] = sum(&slope) / h;
        }
        out.t = t;
        out.memory.copy_from_slice(&self.start.memory);
        retract(system, &self.start.frames, &self.theta, &mut out.frames);
        out.v.fill(0.0);
        for node in &system.nodes()[1..] {
            let all = node.unknowns();
            out.v[all.clone()].copy_from_slice(&self.rate[all.clone()]);
            if node.chart == Chart::Motion {
                let range = all.start + 3..all.end;
                let turn = so3::tangent(&Vec3::from_column_slice(&self.theta[range.clone()]));
                let w = turn * Vec3::from_column_slice(&self.rate[range.clone()]);
                out.v[range].copy_from_slice(w.as_slice());
            }
        }
        for i in (0..out.v.len()).filter(|&i| self.is_variable[i]) {
            out.v[i] = self.rate[i];
        }
    }
}

/// Weights of θ₀, θ₁, hθ̇₀, hθ̇₁, h²θ̈₀, h²θ̈₁ at the fraction x.
fn quintic(x: f64) -> [f64; 6] {
    let (x3, x4, x5) = (x.powi(3), x.powi(4), x.powi(5));
    let rise = 10.0 * x3 - 15.0 * x4 + 6.0 * x5;
    [
        1.0 - rise,
        rise,
        x - 6.0 * x3 + 8.0 * x4 - 3.0 * x5,
        -4.0 * x3 + 7.0 * x4 - 3.0 * x5,
        0.5 * (x * x - 3.0 * x3 + 3.0 * x4 - x5),
        0.5 * (x3 - 2.0 * x4 + x5),
    ]
}

/// Their derivatives.
fn quintic_slope(x: f64) -> [f64; 6] {
    let (x2, x3, x4) = (x * x, x.powi(3), x.powi(4));
    let rise = 30.0 * x2 - 60.0 * x3 + 30.0 * x4;
    [
        -rise,
        rise,
        1.0 - 18.0 * x2 + 32.0 * x3 - 15.0 * x4,
        -12.0 * x2 + 28.0 * x3 - 15.0 * x4,
        0.5 * (2.0 * x - 9.0 * x2 + 12.0 * x3 - 5.0 * x4),
        0.5 * (3.0 * x2 - 8.0 * x3 + 5.0 * x4),
    ]
}

/// Weights of y₀, y₁, hẏ₀, hẏ₁.
fn cubic(x: f64) -> [f64; 4] {
    let rise = x * x * (3.0 - 2.0 * x);
    [1.0 - rise, rise, x * (1.0 - x) * (1.0 - x), x * x * (x - 1.0)]
}
