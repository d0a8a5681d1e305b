//! Newton's iteration for a step of the conserving view with all multipliers as unknowns: multipliers,
//! penalty, augmented Lagrange.
//!
//! ```text
//! multipliers          Φ(z⁺) = 0                                             (energy-momentum-null-space I-21)
//! penalty              λ = μ (Φ(z) + Φ(z⁺)),  the discrete gradient of μ|Φ|²   (I-22)
//! augmented Lagrange   λ = λ_k + μ Φ(z⁺),  λ_{k+1} = λ, until |Φ(z⁺)| is below the tolerance (I-23, with Φ(z) = 0)
//! ```
//! λ stays an unknown in all of them, Φ(z) + Φ(z⁺) − (λ − λ_k)/μ = 0 its equation: the same solution as with
//! λ eliminated, without the large numbers. Unknowns are in units of h²/2 and so are the rows, which keeps
//! the condition number constant as h shrinks.

use crate::linear::factors::Factors;
use crate::newton::convergence::{Convergence, Next};
use crate::newton::increments::{NOT_A_NUMBER, NOT_CONVERGED, largest, not_a_number};
use crate::newton::policy::{self, GROWN_ROUND_OFF};
use crate::step_failure::{LOOK_AT_LOADS, StepFailure, singular_at};
use poinsot_mechanics::FrameRate;
use poinsot_mechanics::conserving::{Conserving, ConservingScratch, ConservingStep, Rule};
use poinsot_numerics::dense::{self, Mat};

/// How constraints are imposed where multipliers remain unknowns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Imposed {
    Exactly,
    ByPenalty { stiffness: f64 },
    Augmented { stiffness: f64, tolerance: f64 },
}

/// What increments are measured by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Scale {
    /// The way that the model moves in a step at least (m), and the angle (rad).
    pub linear: f64,
    pub angular: f64,
    /// Relative accuracy, and the round-off of positions in the same measure.
    pub tolerance: f64,
    pub round_off: f64,
    pub max_iterations: usize,
}

impl Scale {
    /// The size of increments of the unknowns relative to the way of a step; not a number if one of them is
    /// not.
    pub fn size_of(&self, view: &Conserving, delta: &[f64]) -> f64 {
        let largest = |x: &[f64]| x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let mut size: f64 = 0.0;
        for (id, node) in view.system().nodes().iter().enumerate().skip(1) {
            let d = &delta[view.unknowns(id)];
            let (linear, angular) = d.split_at(d.len().min(node.chart.linear_dofs()));
            size = size.max(largest(linear) / self.linear).max(largest(angular) / self.angular);
        }
        if delta.iter().sum::<f64>().is_finite() { size } else { f64::NAN }
    }
}

impl Scale {
    /// The way of a step at the present speed, or at least a millionth of the model.
    pub fn of_step(rates: &[FrameRate], h: f64, length: f64, tolerance: f64, max_iterations: usize) -> Self {
        let (mut linear, mut angular) = (0.0_f64, 0.0_f64);
        for w in rates {
            linear = linear.max(w.r.amax());
            angular = angular.max(w.rot.amax());
        }
        let linear = (linear * h.abs()).max(1e-6 * length);
        let angular = (angular * h.abs()).max(linear / length).max(1e-6);
        let round_off = f64::EPSILON * (length / linear).max(1.0 / angular);
        Scale { linear, angular, tolerance, round_off, max_iterations }
    }

    /// Increments below which an iteration that stands still has reached round-off.
    pub fn floors(&self) -> [f64; 2] {
        [100.0 * self.round_off, GROWN_ROUND_OFF]
    }
}

/// Why a step was not solved, and at which equation.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unsolved {
    Singular(usize),
    NotANumber(usize),
    NoConvergence(usize),
}

impl Unsolved {
    /// Refuses a residual that is not a number.
    pub fn check(residual: &[f64]) -> Result<(), Unsolved> {
        match residual.iter().sum::<f64>().is_finite() {
            true => Ok(()),
            false => Err(Unsolved::NotANumber(not_a_number(residual).unwrap_or(0))),
        }
    }

    /// In words, for a step of length h from t; `remedy` is that of an iteration that does not converge.
    pub fn failure(self, view: &Conserving, step: [f64; 2], remedy: &'static str) -> StepFailure {
        let (reason, equation, remedy) = match self {
            Unsolved::Singular(equation) => {
                let (equation, remedy) = singular_at(view.system(), view.equation_name(equation));
                return StepFailure::of_step(step, "the equations are singular", equation, remedy);
            }
            Unsolved::NotANumber(equation) => (NOT_A_NUMBER, equation, LOOK_AT_LOADS),
            Unsolved::NoConvergence(equation) => (NOT_CONVERGED, equation, remedy),
        };
        StepFailure::of_step(step, reason, view.equation_name(equation), remedy)
    }
}

/// What a solved step took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    pub iterations: usize,
    pub residuals: usize,
    pub factorisations: usize,
}

/// Augmented Lagrange iterations at most.
const MAX_UPDATES: usize = 500;

#[derive(Debug)]
pub(crate) struct ConstrainedNewton {
    imposed: Imposed,
    factors: Factors,
    values: Vec<f64>,
    residual: Vec<f64>,
    /// Φ at the start of the step.
    start: Vec<f64>,
    /// λ_k.
    guess: Vec<f64>,
    delta: Vec<f64>,
    level_rows: Vec<usize>,
    /// Rows that give way, with their diagonal slots.
    soft: Vec<(usize, usize)>,
    is_row: Vec<bool>,
    factored_for: Option<f64>,
    convergence: Convergence,
    room: ConservingScratch,
}

impl ConstrainedNewton {
    pub fn new(view: &Conserving, imposed: Imposed) -> Self {
        let (n, pattern) = (view.size(), view.pattern());
        let mut is_row = vec![false; n];
        view.enforced_equations().into_iter().for_each(|row| is_row[row] = true);
        let soft = match imposed {
            Imposed::Exactly => vec![],
            _ => view
                .holonomic_equations()
                .into_iter()
                .filter_map(|r| Some((r, pattern.index(r, r)?)))
                .collect(),
        };
        ConstrainedNewton {
            imposed,
            factors: Factors::of(pattern),
            values: vec![0.0; pattern.nnz()],
            residual: vec![0.0; n],
            start: vec![0.0; n],
            guess: vec![0.0; n],
            delta: vec![0.0; n],
            level_rows: view.level_rows(),
            soft,
            is_row,
            factored_for: None,
            convergence: Convergence::new(policy::CONSERVING),
            room: ConservingScratch::default(),
        }
    }

    /// Solves the step from the end and the multipliers as they are.
    pub fn solve(
        &mut self,
        view: &Conserving,
        rule: Rule,
        step: &mut ConservingStep,
        scale: &Scale,
    ) -> Result<Effort, Unsolved> {
        let mut effort = Effort::default();
        // Augmented Lagrange leaves Φ(z) out, else it would end at Φ(z⁺) = −Φ(z) and not at 0.
        if matches!(self.imposed, Imposed::ByPenalty { .. }) {
            view.start_residual(step, &mut self.start, &mut self.room);
        }
        let Imposed::Augmented { stiffness, tolerance } = self.imposed else {
            self.guess.fill(0.0);
            self.iterate(view, rule, step, scale, &mut effort)?;
            return Ok(effort);
        };
        self.guess.copy_from_slice(&step.lambda);
        for _ in 0..MAX_UPDATES {
            self.iterate(view, rule, step, scale, &mut effort)?;
            // Φ(z⁺) follows from the multipliers, which the iteration has converged.
            let open = |&(row, _): &(usize, usize)| {
                ((step.lambda[row] - self.guess[row]) / stiffness - self.start[row]).abs()
            };
            if self.soft.iter().map(open).fold(0.0, f64::max) <= tolerance {
                return Ok(effort);
            }
            self.guess.copy_from_slice(&step.lambda);
        }
        Err(Unsolved::NoConvergence(self.soft.first().map_or(0, |s| s.0)))
    }

    fn iterate(
        &mut self,
        view: &Conserving,
        rule: Rule,
        step: &mut ConservingStep,
        scale: &Scale,
        effort: &mut Effort,
    ) -> Result<(), Unsolved> {
        let beta = 0.5 * step.h * step.h;
        self.convergence.begin();
        for _ in 0..scale.max_iterations {
            self.evaluate(view, rule, step, beta, effort)?;
            if self.factored_for != Some(step.h) {
                self.factor(view, rule, step, effort)?;
            }
            let size = self.improve(view, step, beta, scale);
            effort.iterations += 1;
            if !size.is_finite() {
                break;
            }
            match self.convergence.judge(size, scale.tolerance, scale.floors()) {
                Next::Done => return Ok(()),
                Next::Iterate => {}
                Next::Factor => self.factored_for = None,
            }
        }
        self.factored_for = None;
        Err(Unsolved::NoConvergence(largest(&self.delta, |k| !self.is_row[k])))
    }

    /// Scaled residual at the current end.
    fn evaluate(
        &mut self,
        view: &Conserving,
        rule: Rule,
        step: &mut ConservingStep,
        beta: f64,
        effort: &mut Effort,
    ) -> Result<(), Unsolved> {
        view.residual(rule, step, &mut self.residual, &mut self.room);
        effort.residuals += 1;
        for &(row, _) in &self.soft {
            let give = (step.lambda[row] - self.guess[row]) / self.stiffness();
            self.residual[row] += self.start[row] - give;
        }
        self.level_rows.iter().for_each(|&row| self.residual[row] /= beta);
        Unsolved::check(&self.residual)
    }

    fn stiffness(&self) -> f64 {
        match self.imposed {
            Imposed::Exactly => f64::INFINITY,
            Imposed::ByPenalty { stiffness } | Imposed::Augmented { stiffness, .. } => stiffness,
        }
    }

    fn factor(
        &mut self,
        view: &Conserving,
        rule: Rule,
        step: &ConservingStep,
        effort: &mut Effort,
    ) -> Result<(), Unsolved> {
        view.matrix(rule, step, &mut self.values, &mut self.room);
        let give = 1.0 / (self.stiffness() * 0.5 * step.h * step.h);
        for &(_, slot) in &self.soft {
            self.values[slot] -= give;
        }
        effort.factorisations += 1;
        let outcome = self.factors.factor_of(view.pattern(), &self.values);
        self.factored_for = outcome.is_ok().then_some(step.h);
        self.convergence.factored();
        outcome.map_err(|e| Unsolved::Singular(e.row))
    }

    /// One increment; returns its size relative to the way of a step.
    fn improve(&mut self, view: &Conserving, step: &mut ConservingStep, beta: f64, scale: &Scale) -> f64 {
        self.factors.solve(&mut self.residual);
        for (i, r) in self.residual.iter().enumerate() {
            if self.is_row[i] {
                step.lambda[i] -= r;
            }
            self.delta[i] = -beta * r;
        }
        step.advance(view, &self.delta);
        scale.size_of(view, &self.delta)
    }

    /// The iteration matrix in the digest's unscaled form: [(2/h) M + h X, h Gdᵀ; G, 0], or with the springs
    /// of a penalty condensed, (2/h) M + h X + h μ Gdᵀ G (energy-momentum-null-space I-21, I-22).
    pub fn iteration_matrix(&mut self, view: &Conserving, rule: Rule, step: &mut ConservingStep) -> Mat<f64> {
        view.residual(rule, step, &mut self.residual, &mut self.room);
        view.matrix(rule, step, &mut self.values, &mut self.room);
        self.factored_for = None;
        let full = dense::expand(view.pattern(), &self.values);
        let (h, is_soft) = (step.h, |eq: usize| self.soft.iter().any(|s| s.0 == eq));
        let nodes = (1..view.system().nodes().len()).flat_map(|id| view.unknowns(id));
        let hard = view.enforced_equations().into_iter().filter(|&eq| !is_soft(eq));
        let kept: Vec<usize> = nodes.chain(hard).collect();
        Mat::from_fn(kept.len(), kept.len(), |i, j| {
            let (row, column) = (kept[i], kept[j]);
            let entry = full[(row, column)];
            match (self.is_row[row], self.is_row[column]) {
                (true, _) => entry,
                (false, true) => h * entry,
                (false, false) => {
                    let springs: f64 = self.soft.iter().map(|s| full[(row, s.0)] * full[(s.0, column)]).sum();
                    let stiffness = if springs == 0.0 { 0.0 } else { self.stiffness() };
                    2.0 / h * entry + h * stiffness * springs
                }
            }
        })
    }
}
