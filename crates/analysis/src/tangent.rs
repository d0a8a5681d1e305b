//! The linearised equations at rest or in motion, assembled and factored:
//!
//! ```text
//! [ σ M + κ K   Gᵀ ]
//! [ G           0  ]      K = ∂(Gᵀλ − Q)/∂q at the multipliers λ
//! ```
//! κ = 0 gives the matrix of accelerations and projections, σ = 0 that of statics.

use poinsot_geometry::Mat3;
use poinsot_integrators::{Factors, instant};
use poinsot_mechanics::{Level, Linearization, Scratch, State, System};
use poinsot_numerics::lu::PivotError;
use poinsot_numerics::pattern::Pattern;

/// The matrix above; make one per system and reuse it.
#[derive(Debug)]
pub(crate) struct Tangent {
    values: Vec<f64>,
    factors: Factors,
    identity: Vec<Mat3>,
    /// Work arrays, free for the caller's own evaluations.
    pub scratch: Scratch,
}

/// σ and κ of [`Tangent`].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Weights {
    pub mass: f64,
    pub stiffness: f64,
}

impl Tangent {
    pub fn new(system: &System) -> Self {
        Tangent {
            values: vec![0.0; system.pattern().nnz()],
            factors: Factors::new(system),
            identity: vec![Mat3::identity(); system.nodes().len()],
            scratch: Scratch::default(),
        }
    }

    /// Assembles at a state; `a` holds λ in its constraint entries.
    pub fn assemble(&mut self, system: &System, state: &State, a: &[f64], weights: Weights) -> &[f64] {
        let at = instant(state, a);
        let linearization = Linearization {
            mass: weights.mass,
            stiffness: weights.stiffness,
            level: Level::Position,
            ..Linearization::at(at, &self.identity)
        };
        system.step_matrix(&linearization, &mut self.values, &mut self.scratch);
        &self.values
    }

    /// (1 − w) times the matrix of the first system and w times that of the second, which have the same
    /// pattern.
    pub fn assemble_between(
        &mut self,
        systems: [&System; 2],
        w: f64,
        (state, a): (&State, &[f64]),
        weights: Weights,
    ) {
        let first = self.assemble(systems[0], state, a, weights).to_vec();
        self.assemble(systems[1], state, a, weights);
        self.values.iter_mut().zip(&first).for_each(|(last, first)| *last = (1.0 - w) * first + w * *last);
    }

    /// Factors what was assembled last.
    pub fn factor_assembled(&mut self, pattern: &Pattern) -> Result<(), PivotError> {
        self.factors.factor_of(pattern, &self.values)
    }

    /// Assembles and factors; the error names the equation whose pivot failed, if pivoting does not help
    /// either.
    pub fn factor(
        &mut self,
        system: &System,
        state: &State,
        a: &[f64],
        weights: Weights,
    ) -> Result<(), PivotError> {
        self.assemble(system, state, a, weights);
        self.factors.factor(system, &self.values)
    }

    /// The values assembled last, in the slots of [`System::pattern`].
    pub fn values(&self) -> &[f64] {
        &self.values
    }

    /// Negative pivots of the last factors, see [`Factors::negative_pivots`].
    pub fn negative_pivots(&self) -> Option<usize> {
        self.factors.negative_pivots()
    }

    /// b := A⁻¹ b with the last factors.
    pub fn solve(&self, b: &mut [f64]) {
        self.factors.solve(b);
    }

    /// Solves with one step of iterative refinement: small pivots (σ M where there is no stiffness) cost
    /// digits.
    pub fn solve_refined(&self, system: &System, b: &mut [f64]) {
        let right = b.to_vec();
        self.solve(b);
        let mut rest = right;
        system.pattern().accumulate(&self.values, b, -1.0, &mut rest);
        self.solve(&mut rest);
        b.iter_mut().zip(&rest).for_each(|(x, d)| *x += d);
    }
}

/// Unit by which each unknown is measured: `length` for translations, 1 rad for rotations; 1 for multipliers.
pub(crate) fn units(system: &System, length: f64) -> Vec<f64> {
    let mut units = vec![1.0; system.size()];
    for node in system.nodes() {
        let first = node.unknowns().start;
        units[first..first + node.chart.linear_dofs()].fill(length);
    }
    units
}

/// The largest value by magnitude and where it stands; a value that is not a number is the largest.
pub(crate) fn largest(values: &[f64]) -> (usize, f64) {
    let larger = |best: (usize, f64), (i, x): (usize, &f64)| {
        let worse = x.abs() > best.1 || (x.is_nan() && !best.1.is_nan());
        if worse { (i, x.abs()) } else { best }
    };
    values.iter().enumerate().fold((0, 0.0), larger)
}
