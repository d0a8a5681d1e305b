//! The path through a Galerkin step.

use crate::conserving::time_element::{Point, Polynomials};
use poinsot_mechanics::conserving::{Conserving, StepInstant};
use poinsot_mechanics::{Frame, FrameRate};

/// The path through a step.
#[derive(Clone, Debug)]
pub(crate) struct Course {
    pub t: f64,
    pub h: f64,
    /// z₀, w₀ and memory at the start.
    pub start: Vec<Frame>,
    pub rates: Vec<FrameRate>,
    pub memory: Vec<f64>,
    /// y at the start.
    pub start_variables: Vec<f64>,
    /// Coefficients of ẇ, λ and ẏ or y.
    pub u: Vec<f64>,
    /// At the place visited last: z, z − z₀, z′/h, λ or ẏ, y.
    pub frames: Vec<Frame>,
    pub change: Vec<FrameRate>,
    pub speeds: Vec<FrameRate>,
    pub lambda: Vec<f64>,
    pub variables: Vec<f64>,
    /// Entries of variables, and whether their coefficients are those of ẏ.
    of_variables: Vec<(usize, bool)>,
    t_visited: f64,
}

/// Most unknowns of one node.
pub(super) const MOST: usize = 12;

impl Course {
    pub fn new(view: &Conserving, degree: usize) -> Self {
        let (nodes, n) = (view.system().nodes().len(), view.size());
        Course {
            t: 0.0,
            h: 0.0,
            start: vec![Frame::identity(); nodes],
            rates: vec![FrameRate::zero(); nodes],
            memory: vec![],
            u: vec![0.0; degree * n],
            frames: vec![Frame::identity(); nodes],
            change: vec![FrameRate::zero(); nodes],
            speeds: vec![FrameRate::zero(); nodes],
            lambda: vec![0.0; n],
            start_variables: vec![0.0; n],
            variables: vec![0.0; n],
            of_variables: view.network_unknowns().iter().map(|v| (v.eq[0], v.is_determined)).collect(),
            t_visited: 0.0,
        }
    }

    /// Σ_j p_j a_j of a node.
    pub fn combined(&self, view: &Conserving, id: usize, k: usize, p: &Polynomials) -> FrameRate {
        let mut sum = [0.0; MOST];
        let unknowns = view.unknowns(id);
        for (sum, a) in sum.iter_mut().zip(self.u[k * unknowns.start..k * unknowns.end].chunks_exact(k)) {
            *sum = a.iter().zip(p).map(|(a, p)| a * p).sum();
        }
        view.natural_rate(id, &sum)
    }

    /// z = z₀ + h α w₀ + h² Σ ψ_j a_j, z′/h = w₀ + h Σ ψ_j′ a_j, λ = Σ M_j λ_j, y = y₀ + h Σ ι_j c_j.
    pub fn visit(&mut self, view: &Conserving, k: usize, p: &Point) {
        let h = self.h;
        self.t_visited = self.t + p.alpha * h;
        for id in 1..self.start.len() {
            let w = self.rates[id];
            self.change[id] = w * (h * p.alpha) + self.combined(view, id, k, &p.path) * (h * h);
            self.speeds[id] = w + self.combined(view, id, k, &p.speed) * h;
            self.frames[id] = self.start[id].plus(&self.change[id]);
        }
        // Entries of unknowns are filled too; nothing reads them.
        for (l, u) in self.lambda.iter_mut().zip(self.u.chunks_exact(k)) {
            *l = u.iter().zip(&p.base).map(|(u, m)| u * m).sum();
        }
        for &(e, of_rate) in &self.of_variables {
            let u = &self.u[k * e..k * e + k];
            let way: f64 = u.iter().zip(&p.integral).map(|(u, i)| u * i).sum();
            self.variables[e] = if of_rate { self.start_variables[e] + h * way } else { self.lambda[e] };
        }
    }

    pub fn inside(&self) -> StepInstant<'_> {
        StepInstant {
            t: self.t_visited,
            frames: &self.frames,
            rates: &self.speeds,
            lambda: &self.lambda,
            variables: &self.variables,
            memory: &self.memory,
        }
    }
}
