//! The past of a multistep method, and polynomials through it.
//!
//! Positions of the past are seen from the chart of the last one, q_i = q_n ∘ θ_i: translations by their
//! difference, rotations by θ_i = log(R_nᵀ R_i) on the branch next to that of the neighbour. There a smooth
//! motion is a smooth curve θ(t), so formulas for vectors keep their order.

use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_mechanics::{Chart, Frame, Power, State, System, Twist};
use std::f64::consts::TAU;

/// Points that a polynomial goes through at most: those of an error estimate for order 6 + 1, with the new
/// one.
pub(crate) const MOST: usize = 9;

/// A time that the integration has passed.
#[derive(Clone, Debug)]
pub(crate) struct Past {
    pub t: f64,
    frames: Vec<Frame>,
    /// Velocities and variables of networks.
    pub v: Vec<f64>,
    /// Accelerations, rates and multipliers.
    pub a: Vec<f64>,
    /// θ in the chart of the last point.
    pub theta: Vec<f64>,
    /// Largest |θ| of a body that turns in space.
    angle: f64,
    power: Power,
}

/// The last points, the newest first.
#[derive(Clone, Debug)]
pub(crate) struct History {
    points: Vec<Past>,
    known: usize,
    /// How many points are seen from the newest.
    charted: usize,
}

impl History {
    /// Begins at a state.
    pub fn new(state: &State, a: &[f64], power: Power, room: usize) -> Self {
        let past = Past {
            t: state.t,
            frames: state.frames.clone(),
            v: state.v.clone(),
            a: a.to_vec(),
            theta: vec![0.0; a.len()],
            angle: 0.0,
            power,
        };
        History { points: vec![past; room], known: 1, charted: 1 }
    }

    /// Adds a point; the oldest falls off.
    pub fn push(&mut self, state: &State, a: &[f64], power: Power) {
        self.points.rotate_right(1);
        let past = &mut self.points[0];
        past.t = state.t;
        past.frames.copy_from_slice(&state.frames);
        past.v.copy_from_slice(&state.v);
        past.a.copy_from_slice(a);
        past.theta.fill(0.0);
        past.angle = 0.0;
        past.power = power;
        self.known = (self.known + 1).min(self.points.len());
        self.charted = 1;
    }

    /// Sets the time of the newest point.
    pub fn snap_time(&mut self, t: f64) {
        self.points[0].t = t;
    }

    /// Number of points.
    pub fn known(&self) -> usize {
        self.known
    }

    /// The points, the newest first.
    pub fn points(&self) -> &[Past] {
        &self.points[..self.known]
    }

    /// Sees the newest `count` points from the newest.
    pub fn chart(&mut self, system: &System, count: usize) {
        for i in self.charted..count.min(self.known) {
            let (newer, older) = self.points.split_at_mut(i);
            older[0].see_from(&newer[0].frames, &newer[i - 1].theta, system);
        }
        self.charted = self.charted.max(count.min(self.known));
    }

    /// The largest rotation of a body in space since the oldest of the newest `count` points, which must be
    /// charted.
    pub fn turned(&self, count: usize) -> f64 {
        self.points[..count].iter().map(|past| past.angle).fold(0.0, f64::max)
    }

    /// x_i = (t_i − t)/h, into `nodes`.
    pub fn nodes(&self, t: f64, h: f64, nodes: &mut [f64]) {
        nodes.iter_mut().zip(&self.points).for_each(|(x, past)| *x = (past.t - t) / h);
    }

    /// Work since the last point but one, by the integral of the polynomial of the powers through the newest
    /// `count` points.
    pub fn work(&self, count: usize) -> Power {
        let mut work = Power::default();
        let [now, before] = [&self.points[0], &self.points[1]];
        let (h, count) = (now.t - before.t, count.min(self.known));
        let (mut nodes, mut weights) = ([0.0; MOST], [0.0; MOST]);
        self.nodes(now.t, h, &mut nodes[..count]);
        for (c, b) in GAUSS_4 {
            weights_at(&nodes[..count], c - 1.0, &mut weights);
            for (w, past) in weights[..count].iter().zip(&self.points) {
                work.supplied += b * h * w * past.power.supplied;
                work.dissipated += b * h * w * past.power.dissipated;
            }
        }
        work
    }
}

impl Past {
    fn see_from(&mut self, frames: &[Frame], neighbour: &[f64], system: &System) {
        self.angle = 0.0;
        for (k, node) in system.nodes().iter().enumerate().skip(1) {
            let (z, past, all) = (&frames[k], &self.frames[k], node.unknowns());
            let mut seen = Twist { linear: past.r - z.r, angular: Vec3::zeros() };
            if matches!(node.chart, Chart::Motion | Chart::Planar { .. }) {
                let near = node.chart.twist(&neighbour[all.clone()]).angular;
                seen.angular = turn_near(&near, &(z.rot.transpose() * past.rot));
                if node.chart == Chart::Motion {
                    self.angle = self.angle.max(seen.angular.norm());
                }
            }
            node.chart.velocities(&seen, &mut self.theta[all]);
        }
    }
}

/// The rotation vector of a rotation matrix on the branch next to that of a neighbour.
fn turn_near(near: &Vec3, rot: &Mat3) -> Vec3 {
    // Up to 0.7 rad, the usual case, the axial vector θ/|θ| sin |θ| is well conditioned.
    if rot.trace() > 2.5 && near.norm_squared() < 1.0 {
        let axial = so3::axial(rot);
        let sine = axial.norm();
        return if sine > 1e-8 { axial * (sine.asin() / sine) } else { axial };
    }
    let turn = so3::log(rot);
    let angle = turn.norm();
    if angle == 0.0 {
        return turn;
    }
    let turns = ((near.dot(&turn) / angle - angle) / TAU).round();
    turn * (1.0 + TAU * turns / angle)
}

/// Points and weights of Gauss on (0, 1), exact to degree 7.
const GAUSS_4: [(f64, f64); 4] = [
    (0.069_431_844_202_973_71, 0.173_927_422_568_726_93),
    (0.330_009_478_207_571_9, 0.326_072_577_431_273_07),
    (0.669_990_521_792_428_1, 0.326_072_577_431_273_07),
    (0.930_568_155_797_026_3, 0.173_927_422_568_726_93),
];

/// ℓ_i(x): the weights of the polynomial through the nodes at x.
pub(crate) fn weights_at(nodes: &[f64], x: f64, weights: &mut [f64]) {
    for (i, weight) in weights[..nodes.len()].iter_mut().enumerate() {
        let others = nodes.iter().enumerate().filter(|(j, _)| *j != i);
        *weight = others.map(|(_, xj)| (x - xj) / (nodes[i] - xj)).product();
    }
}

/// ℓ_i'(0) from ℓ_i(0), for nodes that are not zero.
pub(crate) fn slopes_at_zero(nodes: &[f64], weights: &[f64], slopes: &mut [f64]) {
    for (i, slope) in slopes[..nodes.len()].iter_mut().enumerate() {
        let others = nodes.iter().enumerate().filter(|(j, _)| *j != i);
        *slope = -weights[i] * others.map(|(_, xj)| 1.0 / xj).sum::<f64>();
    }
}

/// Weights of the divided difference over all nodes.
pub(crate) fn difference_weights(nodes: &[f64], weights: &mut [f64]) {
    for (i, weight) in weights[..nodes.len()].iter_mut().enumerate() {
        let others = nodes.iter().enumerate().filter(|(j, _)| *j != i);
        *weight = 1.0 / others.map(|(_, xj)| nodes[i] - xj).product::<f64>();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn polynomials_are_met() {
        let nodes = [-1.0, -1.7, -3.0, -3.2];
        let f = |x: f64| 2.0 - x + 0.5 * x * x + 3.0 * x.powi(3);
        let sum = |w: &[f64]| w.iter().zip(nodes).map(|(w, x)| w * f(x)).sum::<f64>();
        let (mut weights, mut slopes) = ([0.0; 4], [0.0; 4]);
        weights_at(&nodes, 0.4, &mut weights);
        assert!((sum(&weights) - f(0.4)).abs() < 1e-12);
        weights_at(&nodes, 0.0, &mut weights);
        slopes_at_zero(&nodes, &weights, &mut slopes);
        assert!((sum(&weights) - 2.0).abs() < 1e-12);
        assert!((sum(&slopes) + 1.0).abs() < 1e-11);
        difference_weights(&nodes, &mut weights);
        assert!((sum(&weights) - 3.0).abs() < 1e-12);
    }
}
