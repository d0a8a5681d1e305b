//! Numbers at the stages of a step.

use poinsot_mechanics::{Frame, Instant};
use poinsot_numerics::mix;

/// Numbers at the stages, stage by stage.
#[derive(Clone, Debug)]
pub(super) struct Stages {
    /// Unknowns of a stage.
    pub n: usize,
    /// Z_i.
    pub z: Vec<f64>,
    /// V_i.
    pub v: Vec<f64>,
    /// A_i, with λ_i in the constraint entries.
    pub a: Vec<f64>,
    /// λ_i in the constraint entries, zero elsewhere.
    pub lambda: Vec<f64>,
    /// Θ_i.
    pub theta: Vec<f64>,
    /// T⁻¹(Θ_i) (V_i + p_i).
    pub rate: Vec<f64>,
    /// p_i, with μ_i in the constraint entries.
    pub p: Vec<f64>,
    pub frames: Vec<Vec<Frame>>,
    /// Balance and constraints; then the increment.
    pub residual: Vec<f64>,
    /// Φ of the stabilised form; then the increment of p.
    pub position: Vec<f64>,
}

impl Stages {
    pub fn new(stages: usize, n: usize, frames: &[Frame]) -> Self {
        let zero = || vec![0.0; stages * n];
        Stages {
            n,
            z: zero(),
            v: zero(),
            a: zero(),
            lambda: zero(),
            theta: zero(),
            rate: zero(),
            p: zero(),
            frames: vec![frames.to_vec(); stages],
            residual: zero(),
            position: zero(),
        }
    }

    /// As new stages at a configuration.
    pub fn reset(&mut self, frames: &[Frame]) {
        let Stages { n: _, z, v, a, lambda, theta, rate, p, frames: all, residual, position } = self;
        for numbers in [z, v, a, lambda, theta, rate, p, residual, position] {
            numbers.fill(0.0);
        }
        all.iter_mut().for_each(|own| own.copy_from_slice(frames));
    }

    pub fn count(&self) -> usize {
        self.frames.len()
    }

    /// The entries of stage i.
    pub fn range(&self, i: usize) -> std::ops::Range<usize> {
        i * self.n..(i + 1) * self.n
    }

    /// What the equations are evaluated at.
    pub fn instant<'a>(&'a self, i: usize, t: f64, memory: &'a [f64]) -> Instant<'a> {
        let range = self.range(i);
        Instant {
            t,
            frames: &self.frames[i],
            v: &self.v[range.clone()],
            a: &self.a[range],
            memory,
            rates: &[],
        }
    }
}

/// Residuals of all stages mixed by a matrix.
pub(super) fn mix_stages(matrix: &[f64], stages: &mut Stages, mixed: &mut Vec<f64>, stabilised: bool) {
    mix(matrix, &stages.residual, stages.n, mixed);
    std::mem::swap(mixed, &mut stages.residual);
    if stabilised {
        mix(matrix, &stages.position, stages.n, mixed);
        std::mem::swap(mixed, &mut stages.position);
    }
}

/// x += c y.
#[inline]
pub(super) fn add(x: &mut [f64], c: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += c * y);
}
