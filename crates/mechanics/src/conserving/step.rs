//! A step in the making: where it starts, where its end stands now, and what acts between.

use super::layout::{Conserving, Kind};
use crate::assembly::Scratch;
use crate::conserving::step_view::CarriedEnds;
use crate::element_buffers::{Blocks, Gradients, MAX_CARRIED, MAX_ROWS};
use crate::nodes::chart::{Chart, Frame};
use crate::nodes::natural::FrameRate;
use poinsot_geometry::{EulerParameters, Mat3, Vec3, so3};

/// Most unknowns that one element may touch (nine frames).
pub(crate) const MAX_LOCAL: usize = 108;

/// A step in the making.
#[derive(Clone, Debug)]
pub struct ConservingStep {
    /// Time at the start (s).
    pub t: f64,
    /// Length of the step (s).
    pub h: f64,
    /// z, the frames at the start.
    pub start: Vec<Frame>,
    /// w, the natural velocities at the start.
    pub rates: Vec<FrameRate>,
    /// Δz = z⁺ − z, free of cancellation.
    pub change: Vec<FrameRate>,
    /// z⁺.
    pub end: Vec<Frame>,
    /// ½(z + z⁺).
    pub mean: Vec<Frame>,
    /// Q − 1 of the rotation in the step, R⁺ = Q R; its four Euler parameters ε less (1, 0, 0, 0).
    turn: Vec<(Mat3, [f64; 4])>,
    /// Remembered numbers at the start.
    pub memory: Vec<f64>,
    /// Multipliers in the entries of constraint rows.
    pub lambda: Vec<f64>,
    /// Numerical dissipation χ of each force element.
    pub dissipation: Vec<f64>,
    /// Whether constraints hold at both ends, so that only driven ones do work.
    pub holds: bool,
    /// Places in the step, from 0 to 1, and weights of [`Rule::Averaged`](super::Rule).
    pub quadrature: Vec<(f64, f64)>,
    /// Weight, forces and friction on the natural coordinates of each node at the last residual, with the
    /// sign of the balance.
    pub applied: Vec<FrameRate>,
    /// Forces on the natural coordinates of each node at the last residual: inertia and constraint forces
    /// less applied ones.
    pub forces: Vec<FrameRate>,
}

impl ConservingStep {
    /// Without a step yet, for a view.
    pub fn new(view: &Conserving) -> Self {
        let nodes = view.nodes.len();
        ConservingStep {
            t: 0.0,
            h: 0.0,
            start: vec![Frame::identity(); nodes],
            rates: vec![FrameRate::zero(); nodes],
            change: vec![FrameRate::zero(); nodes],
            end: vec![Frame::identity(); nodes],
            mean: vec![Frame::identity(); nodes],
            turn: vec![(Mat3::zeros(), [0.0; 4]); nodes],
            memory: vec![],
            lambda: vec![0.0; view.size()],
            dissipation: vec![0.0; view.system.forces.len()],
            holds: true,
            quadrature: vec![(0.5, 1.0)],
            applied: vec![FrameRate::zero(); nodes],
            forces: vec![FrameRate::zero(); nodes],
        }
    }

    /// Puts the end onto the start; start, rates, memory, t and h must be set.
    pub fn rest(&mut self) {
        self.change.fill(FrameRate::zero());
        self.turn.fill((Mat3::zeros(), [0.0; 4]));
        self.end.copy_from_slice(&self.start);
        self.mean.copy_from_slice(&self.start);
    }

    /// Moves the end by increments of the unknowns.
    pub fn advance(&mut self, view: &Conserving, delta: &[f64]) {
        for id in 1..view.nodes.len() {
            self.advance_node(view, id, &delta[view.unknowns(id)]);
        }
    }

    /// Moves the end of one node by increments of its unknowns.
    pub fn advance_node(&mut self, view: &Conserving, id: usize, d: &[f64]) {
        let (start, change) = (&self.start[id], &mut self.change[id]);
        match &view.nodes[id].kind {
            Kind::Chart(Chart::Motion) => {
                change.r += Vec3::new(d[0], d[1], d[2]);
                turn_by(&mut self.turn[id].0, &so3::exp_less_one(&Vec3::new(d[3], d[4], d[5])));
                change.rot = self.turn[id].0 * start.rot;
            }
            Kind::Chart(chart @ Chart::Planar { normal, .. }) => {
                change.r += chart.twist(d).linear;
                turn_by(&mut self.turn[id].0, &so3::exp_less_one(&(start.rot * normal * d[2])));
                change.rot = self.turn[id].0 * start.rot;
            }
            Kind::Chart(chart) => change.r += chart.twist(d).linear,
            Kind::Directors => {
                change.r += Vec3::new(d[0], d[1], d[2]);
                change.rot += Mat3::from_column_slice(&d[3..]);
            }
            Kind::PlaneDirectors(plane) => *change = *change + plane.rate(d),
            Kind::EulerParameters => {
                change.r += Vec3::new(d[0], d[1], d[2]);
                let (turn, e) = &mut self.turn[id];
                e.iter_mut().zip(&d[3..]).for_each(|(e, d)| *e += d);
                *turn = rotation_less_one(e);
                change.rot = *turn * start.rot;
            }
        }
        self.end[id].r = start.r + change.r;
        self.mean[id].r = start.r + change.r * 0.5;
        // The directors of a number's change are those of its products.
        if !matches!(view.nodes[id].kind, Kind::Chart(Chart::Number)) {
            self.end[id].rot = start.rot + change.rot;
            self.mean[id].rot = start.rot + change.rot * 0.5;
        }
    }

    /// Turns the end of a rigid body by Q (world axes), given as Q − 1 so that small turns keep their digits.
    pub fn turn_node(&mut self, id: usize, less_one: &Mat3) {
        turn_by(&mut self.turn[id].0, less_one);
        self.change[id].rot = self.turn[id].0 * self.start[id].rot;
        self.end[id].rot = self.start[id].rot + self.change[id].rot;
        self.mean[id].rot = self.start[id].rot + self.change[id].rot * 0.5;
    }

    /// Puts the origin of a node's end where it belongs.
    pub fn put_node(&mut self, id: usize, r: &Vec3) {
        self.change[id].r = r - self.start[id].r;
        self.end[id].r = self.start[id].r + self.change[id].r;
        self.mean[id].r = self.start[id].r + self.change[id].r * 0.5;
    }

    /// ∂R⁺/∂ε_j of a node in Euler parameters.
    pub(crate) fn by_parameter(&self, id: usize) -> [Mat3; 4] {
        let [e0, e1, e2, e3] = self.parameters(id);
        let v = Vec3::new(e1, e2, e3);
        // Q = (ε₀² − |ε|²) 1 + 2 ε εᵀ + 2 ε₀ ε̃.
        let by_scalar = Mat3::identity() * (2.0 * e0) + so3::skew(&v) * 2.0;
        let by_vector = |k: usize| {
            let mut unit = Vec3::zeros();
            unit[k] = 1.0;
            Mat3::identity() * (-2.0 * v[k])
                + (unit * v.transpose() + v * unit.transpose()) * 2.0
                + so3::skew(&unit) * (2.0 * e0)
        };
        let rot = &self.start[id].rot;
        [by_scalar * rot, by_vector(0) * rot, by_vector(1) * rot, by_vector(2) * rot]
    }

    /// The Euler parameters ε of the rotation in the step.
    pub(crate) fn parameters(&self, id: usize) -> [f64; 4] {
        let e = &self.turn[id].1;
        [1.0 + e[0], e[1], e[2], e[3]]
    }

    /// |ε|² − 1 = 2 e₀ + |e|² with e = ε − (1, 0, 0, 0).
    pub(crate) fn norm_error(&self, id: usize) -> f64 {
        let e = &self.turn[id].1;
        2.0 * e[0] + e.iter().map(|e| e * e).sum::<f64>()
    }

    /// w⁺ = (2/h) Δz − w.
    pub fn end_rate(&self, id: usize) -> FrameRate {
        self.change[id] * (2.0 / self.h) - self.rates[id]
    }

    /// The rotation vector (world axes) of a node's turn in the step.
    pub fn rotation_vector(&self, id: usize) -> Vec3 {
        let q = self.change[id].rot * self.start[id].rot.transpose() + Mat3::identity();
        EulerParameters::from_matrix(&q).rotation_vector()
    }

    /// The angle by which a node turns in the step.
    pub fn rotation(&self, id: usize) -> f64 {
        self.rotation_vector(id).norm()
    }
}

/// Q − 1 ← S Q − 1, given S − 1, free of cancellation.
fn turn_by(turn: &mut Mat3, step: &Mat3) {
    *turn += step * *turn + step;
}

/// Q − 1 for the Euler parameters (1 + e₀, e₁, e₂, e₃): −2|e|² 1 + 2 e eᵀ + 2 ε₀ ẽ for unit parameters,
/// extended to others by the homogeneous form.
fn rotation_less_one(e: &[f64; 4]) -> Mat3 {
    let (e0, v) = (1.0 + e[0], Vec3::new(e[1], e[2], e[3]));
    let diagonal = 2.0 * e[0] + e[0] * e[0] - v.norm_squared();
    Mat3::identity() * diagonal + v * v.transpose() * 2.0 + so3::skew(&v) * (2.0 * e0)
}

/// How each carried vector of an element moves with the unknowns of its node.
pub(crate) type Directions = [[Vec3; 12]; MAX_CARRIED];

/// Work arrays of the assembly; make one and reuse it.
#[derive(Clone, Debug)]
pub struct ConservingScratch {
    pub(crate) carried: CarriedEnds,
    /// Between from and to, for averages.
    pub(crate) between: [Vec3; MAX_CARRIED],
    pub(crate) f: [Vec3; MAX_CARRIED],
    /// Forces on the products of each shape of a flexible body.
    pub(crate) products: Vec<Mat3>,
    /// ∂x⁺/∂u.
    pub(crate) trial: Box<Directions>,
    /// Virtual displacements that the balance is tested with.
    pub(crate) test: Box<Directions>,
    pub(crate) gradients: Gradients,
    /// Arguments, values and derivatives of the functions of networks.
    pub(crate) laws: Scratch,
    pub(crate) k: Blocks,
    pub(crate) c: Blocks,
    pub(crate) local: Box<[[f64; MAX_LOCAL]; MAX_LOCAL]>,
    pub(crate) upper: Box<[[f64; MAX_LOCAL]; MAX_ROWS]>,
    pub(crate) lower: Box<[[f64; MAX_LOCAL]; MAX_ROWS]>,
}

impl Default for ConservingScratch {
    fn default() -> Self {
        let zero = [Vec3::zeros(); MAX_CARRIED];
        ConservingScratch {
            carried: CarriedEnds { from: zero, to: zero, mean: zero, rate: zero },
            between: zero,
            f: zero,
            products: super::flexible::no_products(),
            trial: Box::new([[Vec3::zeros(); 12]; MAX_CARRIED]),
            test: Box::new([[Vec3::zeros(); 12]; MAX_CARRIED]),
            gradients: Gradients::default(),
            laws: Scratch::default(),
            k: Blocks::default(),
            c: Blocks::default(),
            local: Box::new([[0.0; MAX_LOCAL]; MAX_LOCAL]),
            upper: Box::new([[0.0; MAX_LOCAL]; MAX_ROWS]),
            lower: Box::new([[0.0; MAX_LOCAL]; MAX_ROWS]),
        }
    }
}

impl Conserving<'_> {
    /// Increments of the unknowns that move a rigid body by Δr and turn it by Δθ (world axes).
    pub fn guess(&self, id: usize, start: &Frame, moved: &Vec3, theta: &Vec3, delta: &mut [f64]) {
        match &self.nodes[id].kind {
            Kind::Chart(_) => {
                delta[..3].copy_from_slice(moved.as_slice());
                delta[3..].copy_from_slice(theta.as_slice());
            }
            Kind::Directors => {
                delta[..3].copy_from_slice(moved.as_slice());
                delta[3..].copy_from_slice((so3::exp_less_one(theta) * start.rot).as_slice());
            }
            Kind::PlaneDirectors(plane) => {
                let rot = so3::exp_less_one(theta) * start.rot;
                delta.copy_from_slice(&plane.unknowns(&FrameRate { r: *moved, rot }));
            }
            Kind::EulerParameters => {
                delta[..3].copy_from_slice(moved.as_slice());
                let e = EulerParameters::from_rotation_vector(theta).to_vec4();
                delta[3..].copy_from_slice(e.as_slice());
                delta[3] -= 1.0;
            }
        }
    }

    /// Whether a node's directors stay orthonormal to round-off whatever the unknowns are.
    pub fn is_rigid(&self, id: usize) -> bool {
        matches!(self.nodes[id].kind, Kind::Chart(_))
    }

    /// Natural velocities Δz/h less M⁻¹ of half the impulse of weight and forces in place of those at the
    /// start. Parts of the impulse that a body has no mass for are lost; they do no work on rigid motions.
    pub fn half_impulse_rates(&self, step: &mut ConservingStep) {
        for id in 1..self.nodes.len() {
            step.rates[id] = step.change[id] * (1.0 / step.h);
        }
        for body in self.system.bodies() {
            let (f, id) = (step.applied[body.node] * (-0.5 * step.h), body.node);
            let gained = body.rate_of_momentum(&step.end[id], &f);
            step.rates[id] = step.rates[id] + gained;
        }
    }
}
