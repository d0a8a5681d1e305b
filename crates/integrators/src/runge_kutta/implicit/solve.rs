//! Newton's iteration on all stages.

use crate::newton::convergence::Next;
use crate::newton::increments::{NOT_A_NUMBER, NOT_CONVERGED, largest, not_a_number};
use crate::newton::local_convergence::LocalConvergence;
use crate::newton::policy::{RADAU, RENEWALS};
use crate::newton::rounding::{Depth, ROUNDINGS, Rounding};
use crate::newton::secants::Secants;
use crate::runge_kutta::implicit::ImplicitRungeKutta;
use crate::runge_kutta::implicit::blocks::Entry;
use crate::runge_kutta::implicit::settings::{ImplicitFamily, StageForm};
use crate::runge_kutta::implicit::stages::{Stages, add};
use crate::step_failure::StepFailure;
use poinsot_mechanics::{Linearization, System};

/// Increments that improve the next one.
const SECANTS: usize = 6;

/// Corrections of positions whose direction does not matter, in units of what Newton's iteration may leave.
const SIGNIFICANT: f64 = 1e4;

/// What an iteration knows of itself, and its work arrays.
#[derive(Debug)]
pub(super) struct Newton {
    /// Error that the iteration may leave.
    pub goal: f64,
    /// Whether p is large enough for its direction to matter.
    pub corrected: bool,
    pub convergence: LocalConvergence,
    /// Whether the last attempt has not been accepted.
    pub tried: bool,
    /// Weights of the squares of increments, of Z and of p.
    pub squares: Vec<f64>,
    pub position_squares: Vec<f64>,
    pub secants: Secants,
    pub rounding: Rounding,
}

impl Newton {
    pub fn new(system: &System, stages: usize) -> Self {
        let n = system.size();
        // Laws of networks have kinks, across which secants lead to solutions whose error the estimate does
        // not see.
        let secants = if system.networks().is_empty() { SECANTS } else { 0 };
        Newton {
            goal: 0.0,
            corrected: false,
            convergence: LocalConvergence::new(RADAU),
            tried: false,
            squares: vec![0.0; n],
            position_squares: vec![0.0; n],
            secants: Secants::new(stages * n, secants),
            rounding: Rounding::new(system),
        }
    }

    /// As a new one: weights, secants and goal belong to a step and are set there.
    pub fn reset(&mut self) {
        (self.goal, self.corrected, self.tried) = (0.0, false, false);
        self.convergence.forget();
    }
}

/// Weighted sizes of an increment of all stages.
struct Increment {
    /// As the factored matrix gives it.
    plain: f64,
    /// As it was taken, with what the increments before it tell.
    size: f64,
}

impl ImplicitRungeKutta<'_> {
    /// Solves for the stages, with derivatives taken `anew` or those at hand; returns the number of
    /// iterations.
    pub(super) fn solve(&mut self, h: f64, anew: bool) -> Result<usize, StepFailure> {
        self.predict(h);
        if anew {
            self.linearize(h, self.step.stages.count() / 2);
        }
        if self.matrix.factored_for != Some(h) {
            self.factor(h)?;
        }
        let most = self.most_iterations();
        self.newton.goal = newton_goal(self.step.tightest, self.settings.stages);
        self.newton.corrected = false;
        self.newton.secants.restart();
        self.newton.convergence.begin(self.newton.goal, most);
        if self.piecewise {
            self.newton.convergence.distrust();
        }
        // Joints hold to the last digit, which at position level is a velocity of that digit over the step.
        let floor = RADAU.round_off * self.measure.round_off(h);
        let (mut rounding, mut worst, mut renewals) = (None, None, 0);
        for iteration in 1..=most {
            worst = None;
            self.evaluate(h);
            if let Some(entry) = not_a_number(&self.step.stages.residual) {
                self.matrix.factored_for = None;
                return Err(self.failure(h, NOT_A_NUMBER, entry % self.step.stages.n));
            }
            let Increment { size, plain } = self.improve(h);
            self.counters.iterations += 1;
            if !size.is_finite() {
                break;
            }
            let mut floors = [floor, 0.0];
            if size > floor && self.newton.convergence.is_doubtful(size, self.step.tightest) {
                worst = Some(self.largest_increment());
                floors[1] = *rounding.get_or_insert_with(|| ROUNDINGS * self.rounding(h));
            }
            match self.newton.convergence.judge(size, plain, floors) {
                Next::Done => return Ok(self.converged(iteration)),
                Next::Iterate => {}
                Next::Factor if renewals == RENEWALS || !anew => break,
                Next::Factor => {
                    renewals += 1;
                    self.renew(h, renewals)?;
                }
            }
        }
        self.matrix.factored_for = None;
        self.newton.convergence.forget();
        let equation = worst.unwrap_or_else(|| self.largest_increment());
        Err(self.failure(h, NOT_CONVERGED, equation))
    }

    /// Takes the matrix of the iterate. One side of a kink is the steeper one, whose matrix serves both.
    fn renew(&mut self, h: f64, times: usize) -> Result<(), StepFailure> {
        let end = self.step.stages.count() - 1;
        self.linearize(h, if times % 2 == 1 { end } else { 0 });
        self.factor(h)?;
        self.newton.secants.restart();
        self.newton.convergence.renewed();
        Ok(())
    }

    pub(super) fn most_iterations(&self) -> usize {
        RADAU.iterations[usize::from(!self.settings.estimate)]
    }

    fn converged(&mut self, iterations: usize) -> usize {
        self.step.iterations = iterations;
        self.counters.max_iterations = self.counters.max_iterations.max(iterations);
        iterations
    }

    /// Residuals of all stages.
    pub(super) fn evaluate(&mut self, h: f64) {
        let (system, s) = (self.system, &mut self.scratch);
        let n = self.step.stages.n;
        let mut residuals = std::mem::take(&mut self.step.stages.residual);
        let mut positions = std::mem::take(&mut self.step.stages.position);
        for (i, (residual, position)) in
            residuals.chunks_exact_mut(n).zip(positions.chunks_exact_mut(n)).enumerate()
        {
            let at = self.step.stages.instant(
                i,
                self.past.state.t + self.scheme.c[i] * h,
                &self.past.state.memory,
            );
            match self.settings.form {
                StageForm::Stabilised => {
                    position.fill(0.0);
                    let p = &self.step.stages.p[self.step.stages.range(i)];
                    if self.newton.corrected && self.settings.family != ImplicitFamily::Gauss {
                        system.add_pull(&at, p, position, s);
                    }
                    system.residual_with_levels(&at, residual, Some(position), s);
                    if self.newton.corrected && self.settings.family == ImplicitFamily::Gauss {
                        let (weighed, metric) = (&mut self.room.values_of_rows, &mut self.matrix.values);
                        system.step_matrix(
                            &Linearization::of_constraints(at, &self.matrix.identity),
                            metric,
                            s,
                        );
                        weighed.fill(0.0);
                        system.pattern().accumulate(metric, p, 1.0, weighed);
                        self.rows.level.iter().for_each(|&row| weighed[row] = 0.0);
                        // Variables have no positions.
                        system.hold_variables(weighed);
                        add(position, 1.0, weighed);
                    }
                }
                StageForm::Velocity => system.residual_with_levels(&at, residual, None, s),
                StageForm::Position => {
                    system.residual_with_positions(&at, residual, s);
                    if !self.rows.velocity.is_empty() {
                        system.constraint_rate(&at, position, s);
                        self.rows.velocity.iter().for_each(|&row| residual[row] = position[row]);
                    }
                }
                StageForm::Acceleration => {
                    system.residual(&at, residual, s);
                    if !self.rows.velocity.is_empty() {
                        system.constraint_rate(&at, residual, s);
                    }
                    system.constraint_acceleration(&at, position, s);
                    self.rows.level.iter().for_each(|&row| residual[row] = position[row]);
                }
            }
        }
        self.step.stages.residual = residuals;
        self.step.stages.position = positions;
        self.counters.residuals += self.step.stages.count();
    }

    /// One increment of all stages.
    fn improve(&mut self, h: f64) -> Increment {
        self.solve_blocks(h);
        let stabilised = self.settings.form == StageForm::Stabilised;
        let n = self.step.stages.n;
        let Stages { z, lambda, p, residual, position, .. } = &mut self.step.stages;
        let corrections = if stabilised { &mut position[..] } else { &mut [] };
        let weights = [&self.newton.squares[..], &self.newton.position_squares[..]];
        let squares = self.newton.secants.improve(weights, residual, corrections);
        for start in (0..z.len()).step_by(n) {
            for &k in &self.rows.constraints {
                lambda[start + k] += residual[start + k];
                residual[start + k] = 0.0;
            }
        }
        add(z, 1.0, residual);
        if stabilised {
            add(p, 1.0, position);
            let size = |p: &[f64]| p.iter().zip(weights[1]).map(|(p, w)| p * p * w).sum::<f64>();
            let largest = p.chunks_exact(n).map(size).fold(0.0, f64::max);
            self.newton.corrected = largest > (SIGNIFICANT * self.newton.goal).powi(2);
        }
        self.kinematics(h);
        let [plain, size] = squares.map(|square| (square / self.step.stages.count() as f64).sqrt());
        Increment { plain, size }
    }

    /// The size of an increment that is rounding alone; spoils the increments of the stages.
    pub(super) fn rounding(&mut self, h: f64) -> f64 {
        let (n, count, form) = (self.step.stages.n, self.step.stages.count(), self.settings.form);
        let stabilised = form == StageForm::Stabilised;
        let corrected = std::mem::replace(&mut self.newton.corrected, false);
        for i in 0..count {
            let range = self.step.stages.range(i);
            let Stages { z, v, lambda, frames, residual, position, .. } = &mut self.step.stages;
            self.newton.rounding.place(self.system, &frames[i]);
            // Rates are sums of increments, which cancel.
            for k in 0..n {
                let w = self.scheme.w[i * count..(i + 1) * count].iter().enumerate();
                let rate: f64 = w.map(|(j, w)| (w * z[j * n + k]).abs()).sum();
                self.newton.rounding.a[k] = rate / h + lambda[range.start + k].abs();
                self.newton.rounding.v[k] = v[range.start + k].abs();
            }
            let depth = |k: usize| match (self.entries[k], form) {
                (Entry::Balance, _) | (Entry::Level, StageForm::Acceleration) => Depth::Balance,
                (Entry::Level, StageForm::Position) => Depth::Position,
                _ => Depth::Velocity,
            };
            let (system, polynomial) = (self.system, &self.matrix.polynomial);
            self.newton.rounding.residuals(system, polynomial, depth, i, &mut residual[range.clone()]);
            if stabilised {
                let position = &mut position[range];
                self.newton.rounding.residuals(system, polynomial, |_| Depth::Position, i, position);
                let others = self.entries.iter().zip(position).filter(|(entry, _)| **entry != Entry::Level);
                others.for_each(|(_, position)| *position = 0.0);
            }
        }
        self.solve_blocks(h);
        self.newton.corrected = corrected;
        let weighted =
            |x: &[f64], w: &[f64]| x.iter().zip(w.iter().cycle()).map(|(x, w)| x * x * w).sum::<f64>();
        let mut square = weighted(&self.step.stages.residual, &self.newton.squares);
        if stabilised {
            square += weighted(&self.step.stages.position, &self.newton.position_squares);
        }
        (square / count as f64).sqrt()
    }

    /// The unknown with the largest increment at the last stage.
    fn largest_increment(&self) -> usize {
        let last = self.step.stages.residual.chunks_exact(self.step.stages.n).next_back();
        last.map_or(0, |last| largest(last, |_| true))
    }
}

/// Left-over error of Newton's iteration in units of the tolerance (lagrangian-dae-modeling §1.26, step 5).
fn newton_goal(tolerance: f64, stages: usize) -> f64 {
    (10.0 * f64::EPSILON / tolerance).max(RADAU.goal * stages as f64)
}
