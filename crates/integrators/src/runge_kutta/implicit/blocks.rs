//! Newton's matrix, which falls apart into blocks: one for every real eigenvalue and every pair.

use crate::linear::complex_factors::ComplexFactors;
use crate::linear::factors::Factors;
use crate::runge_kutta::implicit::ImplicitRungeKutta;
use crate::runge_kutta::implicit::settings::{ImplicitFamily, StageForm};
use crate::runge_kutta::implicit::stages::{add, mix_stages};
use crate::step_failure::StepFailure;
use poinsot_geometry::Mat3;
use poinsot_mechanics::{Level, StepPolynomial, System};
use poinsot_numerics::mix;

/// The step matrix for all steps, and its factors for one.
#[derive(Debug)]
pub(super) struct Blocks {
    pub polynomial: StepPolynomial,
    /// The step that the factors belong to.
    pub factored_for: Option<f64>,
    pub real: Vec<Factors>,
    pub complex: Vec<ComplexFactors>,
    pub scalings: Vec<Scaling>,
    /// A real matrix for the estimate, where the stages have none.
    pub filter: Option<Factors>,
    pub values: Vec<f64>,
    pub imaginary: Vec<f64>,
    pub identity: Vec<Mat3>,
}

impl Blocks {
    /// Of so many real eigenvalues and pairs; `filters` says that an estimate needs a real matrix.
    pub fn new(system: &System, real: usize, pairs: usize, filters: bool) -> Self {
        Blocks {
            polynomial: StepPolynomial::new(system),
            factored_for: None,
            real: (0..real).map(|_| Factors::new(system)).collect(),
            complex: ComplexFactors::several(system, pairs),
            scalings: vec![Scaling::new(system.size()); real + pairs],
            filter: (real == 0 && filters).then(|| Factors::new(system)),
            values: vec![0.0; system.pattern().nnz()],
            imaginary: vec![0.0; system.pattern().nnz()],
            identity: vec![Mat3::identity(); system.nodes().len()],
        }
    }

    /// The factors that filter an estimate and close the joints, if there are any.
    pub fn single(&self) -> Option<&Factors> {
        self.filter.as_ref().or(self.real.first())
    }
}

impl ImplicitRungeKutta<'_> {
    /// Step matrix at a stage as it stands, for all steps.
    pub(super) fn linearize(&mut self, h: f64, stage: usize) {
        let level = if self.settings.form == StageForm::Position { Level::Position } else { Level::Velocity };
        let t = self.past.state.t + self.scheme.c[stage] * h;
        let at = self.step.stages.instant(stage, t, &self.past.state.memory);
        self.system.step_polynomial(
            at,
            &self.matrix.identity,
            level,
            &mut self.matrix.polynomial,
            &mut self.scratch,
        );
        self.matrix.factored_for = None;
        self.counters.jacobians += 1;
    }

    pub(super) fn factor(&mut self, h: f64) -> Result<(), StepFailure> {
        let (system, t) = (self.system, self.past.state.t);
        let singular = |e| StepFailure::singular(system, t, &e);
        for (factors, mu) in self.matrix.real.iter_mut().zip(&self.scheme.similarity.real) {
            self.matrix.polynomial.at(h / mu, &mut self.matrix.values);
            factors.factor(system, &self.matrix.values).map_err(singular)?;
        }
        for (factors, &pair) in self.matrix.complex.iter_mut().zip(&self.scheme.similarity.pairs) {
            self.matrix.polynomial.at_complex(
                beta(h, pair),
                &mut self.matrix.values,
                &mut self.matrix.imaginary,
            );
            factors.factor(system, &self.matrix.values, &self.matrix.imaginary).map_err(singular)?;
        }
        let blocks = self.scheme.similarity.real.iter().map(|mu| (h / mu, 0.0));
        let blocks = blocks.chain(self.scheme.similarity.pairs.iter().map(|&pair| beta(h, pair)));
        for (scaling, beta) in self.matrix.scalings.iter_mut().zip(blocks) {
            scaling.set(beta, &self.entries, self.settings.form);
        }
        if let Some(filter) = &mut self.matrix.filter {
            self.matrix.polynomial.at(h * self.scheme.estimator.gamma, &mut self.matrix.values);
            filter.factor(system, &self.matrix.values).map_err(singular)?;
        }
        self.counters.factorisations += 1;
        self.matrix.factored_for = Some(h);
        Ok(())
    }

    /// Increments of all stages from their residuals, in their place.
    pub(super) fn solve_blocks(&mut self, h: f64) {
        let stabilised = self.settings.form == StageForm::Stabilised;
        let sim = &self.scheme.similarity;
        let n = self.step.stages.n;
        mix_stages(&sim.t_inverse, &mut self.step.stages, &mut self.room.mixed, stabilised);
        if self.newton.corrected && self.settings.family != ImplicitFamily::Gauss {
            mix(&sim.t_inverse, &self.step.stages.p, n, &mut self.room.mixed);
            self.room
                .mixed
                .chunks_exact_mut(n)
                .for_each(|p| self.rows.constraints.iter().for_each(|&k| p[k] = 0.0));
            self.weigh_corrections(h);
        }
        let sim = &self.scheme.similarity;
        let rows = Rows {
            all: &self.rows.constraints,
            level: &self.rows.level,
            stabilised,
            corrected: self.newton.corrected,
        };
        let (real, complex) = self.matrix.scalings.split_at(sim.real.len());
        let mut residual = self.step.stages.residual.chunks_exact_mut(n);
        let mut position = self.step.stages.position.chunks_exact_mut(n);
        for (factors, scaling) in self.matrix.real.iter().zip(real) {
            if let (Some(residual), Some(position)) = (residual.next(), position.next()) {
                rows.solve_real(factors, scaling, residual, position);
            }
        }
        for (factors, scaling) in self.matrix.complex.iter_mut().zip(complex) {
            if let (Some(re), Some(im), Some(p_re), Some(p_im)) =
                (residual.next(), residual.next(), position.next(), position.next())
            {
                rows.solve_complex(factors, scaling, (re, im), (p_re, p_im));
            }
        }
        mix_stages(&sim.t, &mut self.step.stages, &mut self.room.mixed, stabilised);
    }

    /// Adds S p to the residuals of the position corrections, p in `mixed`.
    fn weigh_corrections(&mut self, h: f64) {
        let (n, pattern, sim) = (self.step.stages.n, self.system.pattern(), &self.scheme.similarity);
        let mut stages = self.step.stages.position.chunks_exact_mut(n).zip(self.room.mixed.chunks_exact(n));
        for mu in &sim.real {
            let Some((out, p)) = stages.next() else { return };
            let [_, _, right] = &mut self.room.error;
            self.matrix.polynomial.at(h / mu, &mut self.matrix.values);
            right.fill(0.0);
            pattern.accumulate(&self.matrix.values, p, 1.0, right);
            self.rows.constraints.iter().for_each(|&k| right[k] = 0.0);
            add(out, 1.0, right);
        }
        for &pair in &sim.pairs {
            let (Some((out_re, re)), Some((out_im, im))) = (stages.next(), stages.next()) else { return };
            let [_, right_im, right_re] = &mut self.room.error;
            self.matrix.polynomial.at_complex(
                beta(h, pair),
                &mut self.matrix.values,
                &mut self.matrix.imaginary,
            );
            right_re.fill(0.0);
            right_im.fill(0.0);
            pattern.accumulate(&self.matrix.values, re, 1.0, right_re);
            pattern.accumulate(&self.matrix.imaginary, im, -1.0, right_re);
            pattern.accumulate(&self.matrix.values, im, 1.0, right_im);
            pattern.accumulate(&self.matrix.imaginary, re, 1.0, right_im);
            for &k in &self.rows.constraints {
                (right_re[k], right_im[k]) = (0.0, 0.0);
            }
            add(out_re, 1.0, right_re);
            add(out_im, 1.0, right_im);
        }
    }
}

/// β = h/μ for μ = α − iβ.
fn beta(h: f64, [re, im]: [f64; 2]) -> (f64, f64) {
    let square = re * re + im * im;
    (h * re / square, h * im / square)
}

/// What an entry of the residual is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Entry {
    /// Balance of an unknown, or an equation of a network with rates.
    Balance,
    /// A row on velocities, or an algebraic equation of a network.
    Rate,
    /// A holonomic row at the level of the form.
    Level,
}

/// How residuals become right sides and solutions increments: the balance is multiplied by β, rows at
/// position level are divided by it, those at acceleration level multiplied; the solution is δv and β δλ. For
/// the stabilised form G δp = −Φ/β + Φ̇, because δv moves positions too.
#[derive(Clone, Debug)]
pub(super) struct Scaling {
    pub beta: (f64, f64),
    /// 1/β.
    pub inverse: (f64, f64),
    /// What each entry of the right side is multiplied by, real and imaginary part.
    pub real: Vec<f64>,
    pub imaginary: Vec<f64>,
}

impl Scaling {
    pub fn new(n: usize) -> Self {
        Scaling { beta: (1.0, 0.0), inverse: (1.0, 0.0), real: vec![0.0; n], imaginary: vec![0.0; n] }
    }

    pub fn set(&mut self, beta: (f64, f64), entries: &[Entry], form: StageForm) {
        let square = beta.0 * beta.0 + beta.1 * beta.1;
        self.beta = beta;
        self.inverse = (beta.0 / square, -beta.1 / square);
        for (k, &entry) in entries.iter().enumerate() {
            (self.real[k], self.imaginary[k]) = match (entry, form) {
                (Entry::Balance, _) | (Entry::Level, StageForm::Acceleration) => (-beta.0, -beta.1),
                (Entry::Level, StageForm::Position) => (-self.inverse.0, -self.inverse.1),
                _ => (-1.0, 0.0),
            };
        }
    }
}

/// A product of complex numbers.
#[inline]
pub(super) fn times((a, b): (f64, f64), (c, d): (f64, f64)) -> (f64, f64) {
    (a * c - b * d, a * d + b * c)
}

/// Which entries of the residual are rows.
pub(super) struct Rows<'a> {
    pub all: &'a [usize],
    pub level: &'a [usize],
    pub stabilised: bool,
    /// Whether the position corrections have a balance of their own.
    pub corrected: bool,
}

impl Rows<'_> {
    pub fn solve_real(
        &self,
        factors: &Factors,
        scaling: &Scaling,
        residual: &mut [f64],
        position: &mut [f64],
    ) {
        if self.stabilised {
            let shift = scaling.inverse.0;
            if self.corrected {
                position.iter_mut().for_each(|x| *x = -*x);
                self.level.iter().for_each(|&k| position[k] = residual[k] + position[k] * shift);
            } else {
                self.level.iter().for_each(|&k| position[k] = residual[k] - position[k] * shift);
            }
        }
        residual.iter_mut().zip(&scaling.real).for_each(|(r, s)| *r *= s);
        if self.stabilised {
            factors.solve2(residual, position);
        } else {
            factors.solve(residual);
        }
        self.all.iter().for_each(|&k| residual[k] *= scaling.inverse.0);
    }

    pub fn solve_complex(
        &self,
        factors: &mut ComplexFactors,
        scaling: &Scaling,
        (re, im): (&mut [f64], &mut [f64]),
        (p_re, p_im): (&mut [f64], &mut [f64]),
    ) {
        if self.stabilised {
            let sign = if self.corrected { -1.0 } else { 1.0 };
            if self.corrected {
                p_re.iter_mut().chain(p_im.iter_mut()).for_each(|x| *x = -*x);
            }
            for &k in self.level {
                let open = times((p_re[k], p_im[k]), scaling.inverse);
                (p_re[k], p_im[k]) = (re[k] - sign * open.0, im[k] - sign * open.1);
            }
        }
        for ((re, im), (a, b)) in
            re.iter_mut().zip(im.iter_mut()).zip(scaling.real.iter().zip(&scaling.imaginary))
        {
            (*re, *im) = times((*re, *im), (*a, *b));
        }
        if self.stabilised {
            factors.solve2([re, im], [p_re, p_im]);
        } else {
            factors.solve(re, im);
        }
        for &k in self.all {
            (re[k], im[k]) = times((re[k], im[k]), scaling.inverse);
        }
    }
}
