//! Newton's iteration for a step of the conserving view with constraint forces eliminated.
//!
//! ```text
//! null space   Pdᵀ T(z⁺) = 0,  Φ(z⁺) = 0      all coordinates unknown           (energy-momentum-null-space I-24)
//! minimal      Pdᵀ T(F(μ)) = 0                 degrees of freedom alone unknown   (I-26)
//! ```
//! Pd = Pd° (1 − A⁺ A) U from a tree of joints ([`JointTree`], explicit), loops that close it
//! ([`LoopClosure`], semi-explicit) or closures alone (implicit). Both solve the same matrix Pdᵀ S P, the
//! first with the gaps of the constraints besides (the split system of I-64). S holds the multipliers that
//! balance T best at the iterate; they are the result too (I-63: λ = −l/h).

pub(crate) mod joint_tree;
pub(crate) mod loop_closure;
pub(crate) mod lower_pair;
pub(crate) mod matrix;

use crate::conserving::constrained_newton::{Effort, Scale, Unsolved};
use crate::conserving::reduced_newton::joint_tree::{At, Columns, JointTree, TreeError};
use crate::conserving::reduced_newton::loop_closure::{Dependent, LoopClosure};
use crate::conserving::reduced_newton::matrix::ReducedMatrix;
use crate::linear::dense_factors::DenseFactors;
use crate::newton::convergence::{Convergence, Next};
use crate::newton::increments::largest;
use crate::newton::policy::CONSERVING;
use poinsot_mechanics::conserving::{Conserving, ConservingScratch, ConservingStep, Rule};
use poinsot_numerics::dense::Mat;

impl From<TreeError> for Unsolved {
    fn from(error: TreeError) -> Self {
        Unsolved::Singular(error.0)
    }
}

impl From<Dependent> for Unsolved {
    fn from(rows: Dependent) -> Self {
        Unsolved::Singular(rows.0)
    }
}

/// Iterations that close loops at most.
const MAX_CLOSING: usize = 30;

#[derive(Debug)]
pub(crate) struct ReducedNewton {
    minimal: bool,
    tree: JointTree,
    loops: LoopClosure,
    reduction: ReducedMatrix,
    /// a and b at the test directions and at the end that the factors are for.
    test: Vec<Columns>,
    end: Vec<Columns>,
    /// K°, and the matrix of the degrees of freedom that remain.
    reduced: Vec<f64>,
    factors: DenseFactors,
    values: Vec<f64>,
    residual: Vec<f64>,
    force: Vec<f64>,
    delta: Vec<f64>,
    nu: Vec<f64>,
    /// Forces on the degrees of freedom of the tree; on those that remain.
    on_tree: Vec<f64>,
    on_free: Vec<f64>,
    factored_for: Option<f64>,
    convergence: Convergence,
    room: ConservingScratch,
}

impl ReducedNewton {
    /// For a view in motions and a step at rest.
    pub fn new(view: &Conserving, step: &ConservingStep, minimal: bool) -> Result<Self, Unsolved> {
        let mut tree = JointTree::new(view, step);
        tree.begin(view, step)?;
        let mut end = vec![Columns::none(); tree.links.len()];
        tree.columns(view, step, At::End, &mut end)?;
        let mut loops = LoopClosure::new(view, &tree);
        loops.choose(view, &tree, step, &end);
        loops.load(view, &tree, step, At::End, &end)?;
        let (n, size) = (view.size(), tree.size);
        Ok(ReducedNewton {
            minimal,
            reduction: ReducedMatrix::new(view, &tree),
            test: end.clone(),
            end,
            reduced: vec![0.0; size * size],
            factors: DenseFactors::new(loops.free()),
            values: vec![0.0; view.pattern().nnz()],
            residual: vec![0.0; n],
            force: vec![0.0; n],
            delta: vec![0.0; n],
            nu: vec![0.0; size],
            on_tree: vec![0.0; size],
            on_free: vec![0.0; size],
            factored_for: None,
            convergence: Convergence::new(CONSERVING),
            room: ConservingScratch::default(),
            tree,
            loops,
        })
    }

    /// How the null space is found.
    pub fn kind(&self) -> &'static str {
        match self.tree.is_explicit() {
            (true, _) if !self.loops.is_open() => "explicit",
            (_, false) if self.loops.is_open() => "implicit",
            _ => "semi-explicit",
        }
    }

    /// Solves the step that starts as it is; `guess` are increments from the start.
    pub fn solve(
        &mut self,
        view: &Conserving,
        rule: Rule,
        step: &mut ConservingStep,
        guess: &[f64],
        scale: &Scale,
    ) -> Result<Effort, Unsolved> {
        let (mut effort, beta) = (Effort::default(), 0.5 * step.h * step.h);
        self.predict(view, step, guess, scale)?;
        self.convergence.begin();
        for _ in 0..scale.max_iterations {
            self.evaluate(view, rule, step, &mut effort)?;
            if self.factored_for != Some(step.h) {
                self.factor(view, rule, step, &mut effort)?;
            }
            let size = self.improve(view, step, beta, scale)?;
            effort.iterations += 1;
            if !size.is_finite() {
                break;
            }
            match self.convergence.judge(size, scale.tolerance, scale.floors()) {
                Next::Done => {
                    // The forces after the last increment, by the matrix at hand.
                    view.pattern().accumulate(&self.values, &self.delta, 1.0 / beta, &mut self.residual);
                    self.balance(view, rule, step)?;
                    return Ok(effort);
                }
                Next::Iterate => {}
                Next::Factor => self.factored_for = None,
            }
        }
        self.factored_for = None;
        Err(Unsolved::NoConvergence(largest(&self.delta, |_| true)))
    }

    /// The first iterate: the guess itself, or the place nearest to it that the joints allow.
    fn predict(
        &mut self,
        view: &Conserving,
        step: &mut ConservingStep,
        guess: &[f64],
        scale: &Scale,
    ) -> Result<(), Unsolved> {
        step.rest();
        if !self.minimal {
            if self.loops.is_open() {
                // Only where the constraints hold can dependent rows be told from others.
                self.choose(view, step)?;
                self.factored_for = None;
            }
            step.advance(view, guess);
            return Ok(());
        }
        if self.factored_for != Some(step.h) {
            self.choose(view, step)?;
            self.load_end(view, step)?;
        }
        self.tree.columns(view, step, At::End, &mut self.test)?;
        self.tree.relative(&self.test, guess, &mut self.nu);
        self.tree.update(view, step, &self.test, &self.nu)?;
        self.close(view, step, scale)?;
        Ok(())
    }

    fn evaluate(
        &mut self,
        view: &Conserving,
        rule: Rule,
        step: &mut ConservingStep,
        effort: &mut Effort,
    ) -> Result<(), Unsolved> {
        view.residual(rule, step, &mut self.residual, &mut self.room);
        effort.residuals += 1;
        Unsolved::check(&self.residual)?;
        if self.factored_for != Some(step.h) && (self.minimal || !self.loops.is_open()) {
            self.choose(view, step)?;
        }
        self.tree.columns(view, step, At::Test(rule), &mut self.test)?;
        self.loops.load(view, &self.tree, step, At::Test(rule), &self.test)?;
        Ok(())
    }

    /// Bases of the null space at the end as it is.
    fn choose(&mut self, view: &Conserving, step: &ConservingStep) -> Result<(), Unsolved> {
        self.tree.begin(view, step)?;
        self.tree.columns(view, step, At::End, &mut self.end)?;
        self.loops.choose(view, &self.tree, step, &self.end);
        self.factors.resize(self.loops.free());
        Ok(())
    }

    fn load_end(&mut self, view: &Conserving, step: &ConservingStep) -> Result<(), Unsolved> {
        self.tree.columns(view, step, At::End, &mut self.end)?;
        self.loops.load(view, &self.tree, step, At::End, &self.end)?;
        Ok(())
    }

    /// Multipliers that balance the forces in `residual`, which is from then on what they leave of it.
    fn balance(&mut self, view: &Conserving, rule: Rule, step: &mut ConservingStep) -> Result<(), Unsolved> {
        if self.loops.is_open() {
            self.force.copy_from_slice(&self.residual);
            self.on_tree.fill(0.0);
            self.tree.pull(&self.test, &mut self.force, &mut self.on_tree);
            self.loops.balance(view, rule, step, &self.on_tree, &mut self.residual);
        }
        self.tree.balance(view, rule, step, &mut self.residual)?;
        Ok(())
    }

    /// Pdᵀ S P at the iterate of the last residual.
    fn factor(
        &mut self,
        view: &Conserving,
        rule: Rule,
        step: &mut ConservingStep,
        effort: &mut Effort,
    ) -> Result<(), Unsolved> {
        self.assemble(view, rule, step)?;
        effort.factorisations += 1;
        let outcome = self.factors.factor();
        self.factored_for = outcome.is_ok().then_some(step.h);
        self.convergence.factored();
        outcome.map_err(|_| Unsolved::Singular(self.tree.links.first().map_or(0, |link| link.eq)))
    }

    fn assemble(&mut self, view: &Conserving, rule: Rule, step: &mut ConservingStep) -> Result<(), Unsolved> {
        self.balance(view, rule, step)?;
        view.matrix(rule, step, &mut self.values, &mut self.room);
        self.load_end(view, step)?;
        if !self.loops.is_open() {
            let out = self.factors.entries_mut();
            self.reduction.assemble(&self.tree, &self.test, &self.end, &self.values, out);
            return Ok(());
        }
        self.reduction.assemble(&self.tree, &self.test, &self.end, &self.values, &mut self.reduced);
        self.condense();
        Ok(())
    }

    /// Uᵀ (1 − A⁺ A)ᵀ K° (1 − A'⁺ A') U, column by column.
    fn condense(&mut self) {
        let (size, free) = (self.tree.size, self.loops.free());
        for j in 0..free {
            self.on_free[..free].fill(0.0);
            self.on_free[j] = 1.0;
            self.loops.push(At::End, &self.on_free[..free], &mut self.nu);
            for (i, row) in self.reduced.chunks_exact(size).enumerate() {
                self.on_tree[i] = row.iter().zip(&self.nu).map(|(k, n)| k * n).sum();
            }
            self.loops.pull(&mut self.on_tree, &mut self.on_free[..free]);
            let out = self.factors.entries_mut();
            (0..free).for_each(|i| out[i * free + j] = self.on_free[i]);
        }
    }

    /// One increment; returns its size relative to the way of a step.
    fn improve(
        &mut self,
        view: &Conserving,
        step: &mut ConservingStep,
        beta: f64,
        scale: &Scale,
    ) -> Result<f64, Unsolved> {
        let free = self.loops.free();
        self.force.copy_from_slice(&self.residual);
        if !self.minimal {
            self.gap_increments(view, step)?;
            view.pattern().accumulate(&self.values, &self.delta, 1.0 / beta, &mut self.force);
        }
        self.on_tree.fill(0.0);
        self.tree.pull(&self.test, &mut self.force, &mut self.on_tree);
        self.loops.pull(&mut self.on_tree, &mut self.on_free[..free]);
        let mu = &mut self.on_free[..free];
        self.factors.solve(mu);
        mu.iter_mut().for_each(|m| *m *= -beta);
        if self.minimal {
            self.loops.push(At::End, mu, &mut self.nu);
            self.tree.push(&self.end, &self.nu, &mut self.delta);
            let size = scale.size_of(view, &self.delta);
            if !size.is_finite() {
                return Ok(size);
            }
            self.tree.update(view, step, &self.end, &self.nu)?;
            // What loops move counts too: nobody has seen yet which forces that makes.
            return Ok(size.max(self.close(view, step, scale)?));
        }
        // Increments that close the gaps are in `nu` already.
        self.loops.push(At::End, mu, &mut self.on_tree);
        self.nu.iter_mut().zip(&self.on_tree).for_each(|(nu, own)| *nu += own);
        self.tree.push_closing(&self.end, &self.nu, &mut self.delta);
        step.advance(view, &self.delta);
        Ok(scale.size_of(view, &self.delta))
    }

    /// Increments δ, and ν of the tree, that close joints and loops to first order.
    fn gap_increments(&mut self, view: &Conserving, step: &ConservingStep) -> Result<(), Unsolved> {
        self.tree.measure_gaps(view, step, &self.residual)?;
        self.nu.fill(0.0);
        self.tree.push_closing(&self.end, &self.nu, &mut self.delta);
        if self.loops.is_open() {
            self.loops.closing_after(view, step, &self.residual, &self.delta, &mut self.nu);
            self.tree.push_closing(&self.end, &self.nu, &mut self.delta);
        }
        Ok(())
    }

    /// Newton's iteration on the loops along the joints, ν = −A'⁺ Φ; returns the size of its largest
    /// increment.
    fn close(
        &mut self,
        view: &Conserving,
        step: &mut ConservingStep,
        scale: &Scale,
    ) -> Result<f64, Unsolved> {
        if !self.loops.is_open() {
            return Ok(0.0);
        }
        let (mut convergence, mut largest) = (Convergence::new(CONSERVING), 0.0_f64);
        for _ in 0..MAX_CLOSING {
            self.loops.closing(view, step, &mut self.nu);
            self.tree.push(&self.end, &self.nu, &mut self.force);
            let size = scale.size_of(view, &self.force);
            if !size.is_finite() {
                break;
            }
            largest = largest.max(size);
            self.tree.update(view, step, &self.end, &self.nu)?;
            match convergence.judge(size, 0.1 * scale.tolerance, scale.floors()) {
                Next::Done => return Ok(largest),
                Next::Iterate => {}
                Next::Factor => {
                    self.load_end(view, step)?;
                    convergence.factored();
                }
            }
        }
        Err(Unsolved::NoConvergence(self.loops.kept().next().unwrap_or(0)))
    }

    /// The iteration matrix of the digest's unscaled form: (2/h) Pdᵀ S P, or [(2/h) Pdᵀ S; G].
    pub fn iteration_matrix(
        &mut self,
        view: &Conserving,
        rule: Rule,
        step: &mut ConservingStep,
        guess: &[f64],
        scale: &Scale,
    ) -> Result<Mat<f64>, Unsolved> {
        self.predict(view, step, guess, scale)?;
        self.factored_for = None;
        self.evaluate(view, rule, step, &mut Effort::default())?;
        self.assemble(view, rule, step)?;
        let (free, per_step) = (self.loops.free(), 2.0 / step.h);
        if self.minimal {
            let entries = self.factors.entries_mut();
            return Ok(Mat::from_fn(free, free, |i, j| per_step * entries[i * free + j]));
        }
        let unknowns: Vec<usize> =
            (1..view.system().nodes().len()).flat_map(|id| view.unknowns(id)).collect();
        let full = poinsot_numerics::dense::expand(view.pattern(), &self.values);
        let left_out: Vec<usize> = self.loops.left_out().collect();
        let rows: Vec<usize> =
            view.enforced_equations().into_iter().filter(|eq| !left_out.contains(eq)).collect();
        let mut test = Mat::<f64>::zeros(unknowns.len(), free);
        for j in 0..free {
            self.on_free[..free].fill(0.0);
            self.on_free[j] = 1.0;
            self.loops.push(At::Test(rule), &self.on_free[..free], &mut self.nu);
            self.tree.push(&self.test, &self.nu, &mut self.delta);
            unknowns.iter().enumerate().for_each(|(i, &eq)| test[(i, j)] = self.delta[eq]);
        }
        let stiffness = Mat::from_fn(unknowns.len(), unknowns.len(), |i, j| full[(unknowns[i], unknowns[j])]);
        let tested = test.transpose() * stiffness;
        Ok(Mat::from_fn(free + rows.len(), unknowns.len(), |i, j| match i.checked_sub(free) {
            None => per_step * tested[(i, j)],
            Some(k) => full[(rows[k], unknowns[j])],
        }))
    }
}

#[cfg(test)]
mod tests;
