//! Newton's iteration for a step of the conserving view with all multipliers as unknowns: multipliers, penalty, augmented Lagrange.
//!
//! ```text
//! multipliers          Φ(z⁺) = 0                                             (energy-momentum-null-space I-21)
//! penalty              λ = μ (Φ(z) + Φ(z⁺)),  the discrete gradient of μ|Φ|²   (I-22)
//! augmented Lagrange   λ = λ_k + μ (Φ(z) + Φ(z⁺)),  λ_{k+1} = λ, until |Φ(z⁺)| is below the tolerance (I-23)
//! ```
//! λ stays an unknown in all of them, Φ(z) + Φ(z⁺) − (λ − λ_k)/μ = 0 its equation: the same solution as with λ eliminated, without
//! the large numbers. Unknowns are in units of h²/2 and so are the rows, which keeps the condition number constant as h shrinks.

use crate::factors::Factors;
use poinsot_mechanics::conserving::{Conserving, Crossing, Rule, Workroom};

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
    pub tolerance: f64,
    pub max_iterations: usize,
}

/// Why a step was not solved.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Unsolved {
    Singular(usize),
    NotANumber(usize),
    NoConvergence(usize),
}

/// What a solved step took.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Effort {
    pub iterations: usize,
    pub residuals: usize,
    pub factorisations: usize,
}

/// Iterations still to come that make a new factorisation worth its cost.
const WORTH_FACTORING: f64 = 2.5;

/// A measured contraction is not believed to be better than this when it decides that the iteration may end.
const BEST_CREDIBLE_CONTRACTION: f64 = 0.02;

/// Relative increment below which a stalled iteration has reached round-off.
const ROUND_OFF: f64 = 1e-9;

/// Relative increment above which the iteration is far from the solution and every iterate gets its own matrix.
const FAR: f64 = 1e-2;

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
    contraction: f64,
    room: Workroom,
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
            contraction: 0.1,
            room: Workroom::default(),
        }
    }

    /// Solves the step from the end and the multipliers as they are.
    pub fn solve(
        &mut self,
        view: &Conserving,
        rule: Rule,
        step: &mut Crossing,
        scale: &Scale,
    ) -> Result<Effort, Unsolved> {
        let mut effort = Effort::default();
        if !self.soft.is_empty() {
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
        step: &mut Crossing,
        scale: &Scale,
        effort: &mut Effort,
    ) -> Result<(), Unsolved> {
        let beta = 0.5 * step.h * step.h;
        let mut last: Option<f64> = None;
        let mut fresh = false;
        self.contraction = (2.0 * self.contraction).min(0.9);
        for _ in 0..scale.max_iterations {
            self.evaluate(view, rule, step, beta, effort)?;
            if self.factored_for != Some(step.h) {
                self.factor(view, rule, step, effort)?;
                fresh = true;
                last = None;
            }
            let size = self.improve(view, step, beta, scale);
            effort.iterations += 1;
            if !size.is_finite() {
                break;
            }
            if let Some(last) = last {
                self.contraction = (size / last).max(1e-10);
            }
            let theta = self.contraction.max(BEST_CREDIBLE_CONTRACTION);
            let left_over = if theta < 1.0 { theta / (1.0 - theta) * size } else { f64::INFINITY };
            let stalled = last.is_some() && self.contraction > 0.2 && size <= ROUND_OFF;
            if left_over <= scale.tolerance || stalled {
                return Ok(());
            }
            let left = if self.contraction < 1.0 {
                (scale.tolerance / size).ln() / self.contraction.ln()
            } else {
                f64::INFINITY
            };
            // A matrix of this iterate takes the place of one that contracts slowly.
            if size > FAR || (left > WORTH_FACTORING && (last.is_some() || !fresh)) {
                self.factored_for = None;
            }
            last = Some(size);
        }
        self.factored_for = None;
        Err(Unsolved::NoConvergence(self.largest()))
    }

    /// Scaled residual at the current end.
    fn evaluate(
        &mut self,
        view: &Conserving,
        rule: Rule,
        step: &mut Crossing,
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
        if !self.residual.iter().sum::<f64>().is_finite() {
            let worst = self.residual.iter().position(|r| !r.is_finite()).unwrap_or(0);
            return Err(Unsolved::NotANumber(worst));
        }
        Ok(())
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
        step: &Crossing,
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
        self.contraction = 0.1;
        outcome.map_err(|e| Unsolved::Singular(e.row))
    }

    /// One increment; returns its size relative to the way of a step.
    fn improve(&mut self, view: &Conserving, step: &mut Crossing, beta: f64, scale: &Scale) -> f64 {
        self.factors.solve(&mut self.residual);
        for (i, r) in self.residual.iter().enumerate() {
            if self.is_row[i] {
                step.lambda[i] -= r;
            }
            self.delta[i] = -beta * r;
        }
        step.advance(view, &self.delta);
        let mut size: f64 = 0.0;
        for id in 1..step.start.len() {
            let d = &self.delta[view.unknowns(id)];
            let (linear, angular) = d.split_at(d.len().min(view.system().nodes()[id].chart.linear_dofs()));
            let largest = |x: &[f64]| x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            size = size.max(largest(linear) / scale.linear).max(largest(angular) / scale.angular);
        }
        if self.delta.iter().sum::<f64>().is_finite() { size } else { f64::NAN }
    }

    fn largest(&self) -> usize {
        let size = |i: &usize| self.delta[*i].abs();
        let unknowns = (0..self.delta.len()).filter(|&i| !self.is_row[i]);
        unknowns.max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(0)
    }
}
