//! The equations of a Galerkin step of degree k and Newton's iteration for them (energy-momentum-null-space
//! I-17, I-18).
//!
//! ```text
//! balance        M a_i + ∫ M_i f(z, z′/h, λ, t) dα = 0,   i = 1 … k
//! holonomic      ∫ M_i Φ′ dα = 0:   Φ(z_k, t⁺) = 0 for i = 1,   h ∫ M_i (G z′/h + drift) dα = 0 for i = 2 … k
//! on velocities  h ∫ M_i (G z′/h + drift) dα = 0,   i = 1 … k
//! with rates     ∫ M_i F(y, ẏ, z, z′/h, t) dα = 0,   i = 1 … k, by the Gauss points
//! algebraic      F(y, z, w, t) = 0 at k points, of which the end is one
//! ```
//! Unknown e of the view has k coefficients at k·e … k·e + k − 1: those of ẇ, or of λ in the entry of a row.
//! This keeps the elimination order. The coefficients of a variable are those of ẏ, or of y itself where the
//! algebraic equations have to be differentiated for it, as those for λ: such a variable remembers nothing
//! from step to step. Rows are multiplied by B⁻¹/h², see [`TimeElement`].
//!
//! The mass of thin bodies is singular in the directors, and that of others may be indefinite; pivots in
//! elimination order then lose digits. The equations of each body are therefore solved with γ Gᵀ times its
//! rows of rigidity added, M + γ GᵀG in place of M: the solution is the same.

pub(crate) mod course;
pub(crate) mod matrix;
pub(crate) mod stiffening;

use crate::conserving::constrained_newton::{Effort, Scale, Unsolved};
use crate::conserving::galerkin_newton::course::Course;
use crate::conserving::galerkin_newton::matrix::expanded;
use crate::conserving::galerkin_newton::stiffening::Stiffening;
use crate::conserving::time_element::{Point, Polynomials, TimeElement};
use crate::linear::factors::Factors;
use crate::newton::convergence::{Convergence, Next};
use crate::newton::policy::{self, GROWN_ROUND_OFF};
use poinsot_mechanics::conserving::{Conserving, ConservingScratch, NetworkUnknown, Sampling};
use poinsot_mechanics::{FrameRate, Power};
use poinsot_numerics::pattern::Pattern;

/// What an equation of the view is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Equation {
    Balance,
    Holonomic,
    OnVelocities,
    /// Of a network, with rates.
    WithRates,
    Algebraic,
    /// A row out of force.
    Idle,
}

/// What the coefficients of an unknown of the view are those of.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Unknown {
    /// ẇ.
    Acceleration,
    /// λ, or y.
    Value,
    /// ẏ.
    Rate,
}

#[derive(Debug)]
pub(crate) struct GalerkinNewton {
    pub element: TimeElement,
    pub course: Course,
    /// Whether anything needs more points than the degree.
    averages: bool,
    /// Whether there are algebraic equations.
    levels: bool,
    equations: Vec<Equation>,
    unknowns: Vec<Unknown>,
    variables: Vec<NetworkUnknown>,
    pattern: Pattern,
    factors: Factors,
    values: Vec<f64>,
    /// M in the slots of the view.
    inertia: Vec<f64>,
    by_position: Vec<f64>,
    by_rate: Vec<f64>,
    residual: Vec<f64>,
    /// One number per equation of the view.
    out: Vec<f64>,
    part: Vec<f64>,
    forces: Vec<FrameRate>,
    stiffenings: Vec<Stiffening>,
    factored_for: Option<f64>,
    convergence: Convergence,
    room: ConservingScratch,
}

impl GalerkinNewton {
    pub fn new(view: &Conserving, degree: usize, points: usize) -> Self {
        let n = view.size();
        let mut equations = vec![Equation::Balance; n];
        view.system().constraint_equations().iter().for_each(|&eq| equations[view.row(eq)] = Equation::Idle);
        view.enforced_equations().iter().for_each(|&eq| equations[eq] = Equation::OnVelocities);
        view.holonomic_equations().iter().for_each(|&eq| equations[eq] = Equation::Holonomic);
        let mut unknowns = vec![Unknown::Acceleration; n];
        (0..n).filter(|&e| equations[e] != Equation::Balance).for_each(|e| unknowns[e] = Unknown::Value);
        let variables = view.network_unknowns();
        for v in &variables {
            unknowns[v.eq[0]] = if v.is_determined { Unknown::Rate } else { Unknown::Value };
        }
        for row in view.network_rows() {
            equations[row.eq] = if row.is_algebraic { Equation::Algebraic } else { Equation::WithRates };
        }
        let pattern = expanded(view.pattern(), degree);
        let mut inertia = vec![0.0; view.pattern().nnz()];
        view.inertia_matrix(&mut inertia);
        GalerkinNewton {
            element: TimeElement::new(degree, points),
            course: Course::new(view, degree),
            averages: view.averages(),
            levels: equations.contains(&Equation::Algebraic),
            equations,
            unknowns,
            variables,
            factors: Factors::of(&pattern),
            values: vec![0.0; pattern.nnz()],
            inertia,
            by_position: vec![0.0; view.pattern().nnz()],
            by_rate: vec![0.0; view.pattern().nnz()],
            residual: vec![0.0; degree * n],
            out: vec![0.0; n],
            part: vec![0.0; n],
            forces: vec![FrameRate::zero(); view.system().nodes().len()],
            pattern,
            stiffenings: Stiffening::of(view),
            factored_for: None,
            convergence: Convergence::new(policy::GALERKIN),
            room: ConservingScratch::default(),
        }
    }

    /// Solves the step from the coefficients as they are.
    pub fn solve(&mut self, view: &Conserving, scale: &Scale) -> Result<Effort, Unsolved> {
        let mut effort = Effort::default();
        self.convergence.begin();
        for _ in 0..scale.max_iterations {
            self.evaluate(view)?;
            effort.residuals += 1;
            if self.factored_for != Some(self.course.h) {
                effort.factorisations += 1;
                self.factor(view)?;
            }
            let size = self.improve(view, scale);
            effort.iterations += 1;
            if !size.is_finite() {
                break;
            }
            match self.convergence.judge(size, scale.tolerance, [GROWN_ROUND_OFF, 0.0]) {
                Next::Done => return Ok(effort),
                Next::Iterate => {}
                Next::Factor => self.factored_for = None,
            }
        }
        self.factored_for = None;
        Err(Unsolved::NoConvergence(self.largest()))
    }

    /// Work of forces and drives over the step, by the rules of the balance.
    pub fn work(&mut self, view: &Conserving) -> Power {
        let mut sum = Power::default();
        for (sampling, g) in self.places() {
            let (k, point) = (self.element.degree, self.point(sampling, g));
            self.course.visit(view, k, &point);
            let power = view.power_inside(sampling, &self.course.inside(), &mut self.room);
            sum.supplied += power.supplied * point.weight * self.course.h;
            sum.dissipated += power.dissipated * point.weight * self.course.h;
        }
        sum
    }

    /// All places at which elements are evaluated.
    fn places(&self) -> impl Iterator<Item = (Sampling, usize)> + use<> {
        let more = if self.averages { self.element.average.len() } else { 0 };
        let collocated = (0..self.element.degree).map(|g| (Sampling::Collocated, g));
        let levels = if self.levels { self.element.levels.len() } else { 0 };
        let averaged = (0..more).map(|g| (Sampling::Averaged, g));
        collocated.chain(averaged).chain((0..levels).map(|g| (Sampling::AtLevels, g)))
    }

    fn point(&self, sampling: Sampling, g: usize) -> Point {
        match sampling {
            Sampling::Collocated => self.element.collocation[g],
            Sampling::Averaged => self.element.average[g],
            Sampling::AtLevels => self.element.levels[g],
        }
    }

    /// Residual at the current coefficients; leaves the course at the end of the step.
    fn evaluate(&mut self, view: &Conserving) -> Result<(), Unsolved> {
        let (k, h) = (self.element.degree, self.course.h);
        self.residual.fill(0.0);
        for i in 0..k {
            self.part.iter_mut().zip(self.course.u.chunks_exact(k)).for_each(|(a, u)| *a = u[i]);
            self.out.fill(0.0);
            view.add_inertia_of(&self.part, &mut self.out);
            self.residual.chunks_exact_mut(k).zip(&self.out).for_each(|(r, out)| r[i] += out);
        }
        for (sampling, g) in self.places() {
            let point = self.point(sampling, g);
            self.course.visit(view, k, &point);
            let at = self.course.inside();
            view.balance_inside(sampling, &at, &mut self.forces, &mut self.out, &mut self.room);
            for ((r, out), equation) in self.residual.chunks_exact_mut(k).zip(&self.out).zip(&self.equations)
            {
                let (tests, factor) = tests(*equation, &point, h);
                r.iter_mut().zip(tests).for_each(|(r, m)| *r += factor * m * out);
            }
        }
        self.course.visit(view, k, &self.element.end);
        let course = &self.course;
        view.positions_at_end(&course.inside(), &course.start, &course.change, &mut self.out, &mut self.room);
        for ((r, out), equation) in self.residual.chunks_exact_mut(k).zip(&self.out).zip(&self.equations) {
            if *equation == Equation::Holonomic {
                r.iter_mut().enumerate().for_each(|(i, r)| *r += self.element.of_mean(i) / (h * h) * out);
            }
        }
        Unsolved::check(&self.residual).map_err(|error| match error {
            Unsolved::NotANumber(entry) => Unsolved::NotANumber(entry / k),
            other => other,
        })
    }

    /// One increment; returns its size relative to the way of a step.
    fn improve(&mut self, view: &Conserving, scale: &Scale) -> f64 {
        let (k, beta) = (self.element.degree, 0.5 * self.course.h * self.course.h);
        self.stiffenings.iter().for_each(|stiffening| stiffening.stiffen(k, &mut self.residual));
        self.factors.solve(&mut self.residual);
        self.course.u.iter_mut().zip(&self.residual).for_each(|(u, r)| *u -= r);
        let mut size: f64 = 0.0;
        for (id, node) in view.system().nodes().iter().enumerate().skip(1) {
            let unknowns = view.unknowns(id);
            let d = &self.residual[k * unknowns.start..k * unknowns.end];
            let (linear, angular) = d.split_at(d.len().min(k * node.chart.linear_dofs()));
            let largest = |x: &[f64]| beta * x.iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            size = size.max(largest(linear) / scale.linear).max(largest(angular) / scale.angular);
        }
        for v in self.variables.iter().filter(|v| v.is_determined) {
            let d = self.residual[k * v.eq[0]..k * v.eq[0] + k].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
            let y = self.course.variables[v.eq[0]].abs().max(v.nominal);
            size = size.max(self.course.h.abs() * d / y);
        }
        if self.residual.iter().sum::<f64>().is_finite() { size } else { f64::NAN }
    }

    /// The equation of the view with the largest increment.
    fn largest(&self) -> usize {
        let k = self.element.degree;
        let size = |e: &usize| self.residual[k * e..k * e + k].iter().fold(0.0_f64, |m, x| m.max(x.abs()));
        let unknowns = (0..self.equations.len()).filter(|&e| self.unknowns[e] != Unknown::Value);
        unknowns.max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(0)
    }
}

/// What an equation is tested with at a place, and the factor of all of it.
#[inline]
fn tests(equation: Equation, point: &Point, h: f64) -> (&Polynomials, f64) {
    match equation {
        Equation::Balance | Equation::WithRates => (&point.base, point.weight),
        Equation::Holonomic => (&point.rows_without_mean, point.weight / h),
        Equation::OnVelocities | Equation::Algebraic => (&point.rows, point.weight / h),
        Equation::Idle => (&point.rows, 0.0),
    }
}

#[cfg(test)]
mod derivative;
