//! The local error of a Galerkin step: by how much the step of the next degree ends elsewhere.
//!
//! ```text
//! η = y_{k+1}(h) − y_k(h) = C_k h^{2k+1} + O(h^{2k+2})
//! ```
//! Both steps begin at the same state, and Legendre polynomials are hierarchical: the coefficients of
//! degree k with a zero behind them are the guess for degree k + 1, which Newton's iteration improves.
//! What is left of the error of degree k + 1 is by h² smaller, so that the estimate over the error tends
//! to one: errors of steps add up to that of the motion. The step itself stays that of degree k, which
//! conserves whatever its length is; nothing of the next degree is taken over. The highest degree has none
//! above it, and is compared with the one below: then η is the error of that.
//!
//! **Inside a step** the motion is recorded on a polynomial of degree five, but variables of networks on the
//! cubic through y and ẏ at both ends, which errs by h⁴ whatever the degree of the step is. It is compared in
//! the middle with the polynomial of the companion, and the step is taken again if it errs by more than the
//! tolerance there. The polynomial of degree five errs by θ⁶/46080 of a body that turns by θ, which may not
//! be more than that either.

use super::galerkin::Galerkin;
use super::galerkin_newton::GalerkinNewton;
use super::galerkin_settings::GalerkinSettings;
use super::time_element::MAX_GALERKIN_DEGREE;
use crate::accepted_frames::turns;
use crate::conserving::constrained_newton::{Scale, Unsolved};
use crate::control::ErrorMeasure;
use crate::step_failure::StepFailure;
use poinsot_geometry::so3;
use poinsot_mechanics::conserving::Conserving;
use poinsot_mechanics::{Node, State, System, Twist};

/// Newton's error of the companion, as a part of the tolerance.
const EXACT: f64 = 1e-3;

/// The part that is aimed at of the step with which the error inside would be the tolerance.
const INSIDE: f64 = 0.9;

/// Of the polynomial of degree five through three derivatives at both ends: 2⁶ 6!.
const QUINTIC: f64 = 46080.0;

/// The error of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Estimate {
    /// In units of the tolerance.
    pub error: f64,
    /// The step that the error inside allows.
    pub longest: f64,
}

/// What the estimate needs.
#[derive(Debug)]
pub(super) struct Companion {
    /// The step of the other degree, and its end; while it is worked on, those of the step itself.
    pub solver: GalerkinNewton,
    pub end: State,
    pub measure: ErrorMeasure,
    position: Vec<f64>,
    velocity: Vec<f64>,
    /// The velocities of the step itself.
    own: Vec<f64>,
    /// Rates of variables at its end.
    rates: Vec<f64>,
}

impl Companion {
    pub fn new(view: &Conserving, settings: &GalerkinSettings, state: &State) -> Self {
        let (system, degree) = (view.system(), companion_degree(settings.degree));
        // One point more, so that the error of the rule is seen too.
        let points = (settings.points + 1).max(degree);
        Companion {
            solver: GalerkinNewton::new(view, degree, points),
            end: state.clone(),
            measure: ErrorMeasure::new(system, settings.local),
            position: vec![0.0; system.size()],
            velocity: vec![0.0; system.size()],
            own: vec![0.0; system.size()],
            rates: vec![0.0; system.size()],
        }
    }

    /// The weighted distance of the ends.
    fn distance(&mut self, system: &System, end: &State) -> f64 {
        for (id, node) in system.nodes().iter().enumerate() {
            let (z, other) = (&end.frames[id], &self.end.frames[id]);
            let moved = Twist { linear: other.r - z.r, angular: so3::log(&z.rot.tr_mul(&other.rot)) };
            node.chart.velocities(&moved, &mut self.position[node.unknowns()]);
        }
        for ((d, other), v) in self.velocity.iter_mut().zip(&self.end.v).zip(&end.v) {
            *d = other - v;
        }
        self.measure.norm(&self.position, &self.velocity)
    }
}

/// The degree that a step of degree k is compared with.
fn companion_degree(k: usize) -> usize {
    if k < MAX_GALERKIN_DEGREE { k + 1 } else { k - 1 }
}

/// The power of the step with which the estimate goes.
pub(super) fn exponent(k: usize) -> usize {
    2 * k.min(companion_degree(k)) + 1
}

impl Galerkin<'_> {
    /// The estimated local error of the step that was solved last, in units of the tolerance, if it is asked
    /// for.
    pub(super) fn estimate(&mut self, h: f64) -> Result<Option<Estimate>, StepFailure> {
        let Some(mut companion) = self.companion.take() else { return Ok(None) };
        companion.measure.weigh_at(&self.state, h);
        self.lift(&mut companion.solver);
        self.swap(&mut companion);
        let solved = self.solve_companion(h, companion.measure.tightest());
        let finished = solved.and_then(|()| self.finish(h));
        self.swap(&mut companion);
        let error = finished.and_then(|()| self.distance(&mut companion));
        let inside = [self.inside(h, &mut companion), self.turned(&companion)];
        let error = error.map(|nodal| Estimate {
            error: inside.iter().filter(|inside| **inside > 1.0).fold(nodal, |max, inside| max.max(*inside)),
            longest: inside.iter().zip([4.0, 6.0]).fold(f64::INFINITY, |least, (inside, power)| {
                if *inside > 0.0 { least.min(INSIDE * h * inside.powf(-1.0 / power)) } else { least }
            }),
        });
        self.companion = Some(companion);
        error.map(Some)
    }

    /// The weighted distance of the ends. The velocities of degree one are compared without what constraints
    /// forbid, as those of the next degree are.
    fn distance(&mut self, companion: &mut Companion) -> Result<f64, StepFailure> {
        if self.settings.degree > 1 {
            return Ok(companion.distance(self.system, &self.end));
        }
        companion.own.copy_from_slice(&self.end.v);
        let permitted = self.permit();
        let error = companion.distance(self.system, &self.end);
        self.end.v.copy_from_slice(&companion.own);
        permitted.map(|()| error)
    }

    /// The weighted error of the cubic through variables and their rates in the middle of the step; algebraic
    /// ones follow those. The companion of degree one knows no better.
    fn inside(&mut self, h: f64, companion: &mut Companion) -> f64 {
        if self.variables.is_empty() || companion.solver.element.degree <= 2 {
            return 0.0;
        }
        let (start, end, k) = (&self.state, &self.end, companion.solver.element.degree);
        companion.rates.copy_from_slice(&self.rates);
        self.system.network_rates(end, &mut companion.rates, &mut self.scratch);
        companion.velocity.fill(0.0);
        companion.position.fill(0.0);
        let (course, point) = (&companion.solver.course, &companion.solver.element.middle);
        for network in self.system.networks() {
            for j in (0..network.law.variables.len()).filter(|&j| !network.is_algebraic(j)) {
                let e = network.unknown(j);
                let own = self.view.row(e);
                let u = &course.u[k * own..k * own + k];
                let way = u.iter().zip(&point.integral).map(|(u, i)| u * i).sum::<f64>();
                let cubic = 0.5 * (start.v[e] + end.v[e]) + 0.125 * h * (self.rates[e] - companion.rates[e]);
                companion.velocity[e] = cubic - (start.v[e] + h * way);
            }
        }
        companion.measure.norm(&companion.position, &companion.velocity)
    }

    /// The error inside a step that comes of turning, in tolerances.
    fn turned(&self, companion: &Companion) -> f64 {
        let turn = |(id, node): (usize, &Node)| match turns(&node.chart) {
            true => so3::log(&self.state.frames[id].rot.tr_mul(&self.end.frames[id].rot)).norm(),
            false => 0.0,
        };
        let largest = self.system.nodes().iter().enumerate().map(turn).fold(0.0, f64::max);
        largest.powi(6) / QUINTIC / companion.measure.tightest()
    }

    /// Makes the companion's step the one that is worked on, or the other way round.
    fn swap(&mut self, companion: &mut Companion) {
        std::mem::swap(&mut self.solver, &mut companion.solver);
        std::mem::swap(&mut self.end, &mut companion.end);
    }

    /// Guess: the polynomials of the step itself.
    fn lift(&self, companion: &mut GalerkinNewton) {
        let (from, to) = (self.solver.element.degree, companion.element.degree);
        let own = self.solver.course.u.chunks_exact(from);
        for (u, own) in companion.course.u.chunks_exact_mut(to).zip(own) {
            u.fill(0.0);
            u.iter_mut().zip(own).for_each(|(u, own)| *u = *own);
        }
    }

    fn solve_companion(&mut self, h: f64, tolerance: f64) -> Result<(), StepFailure> {
        self.begin(h);
        let own = self.settings.tolerance;
        let scale = Scale { tolerance: own.max(EXACT * tolerance), ..self.scale(h) };
        let effort = self.solver.solve(&self.view, &scale).map_err(|e: Unsolved| self.unsolved(e))?;
        self.count(&effort);
        Ok(())
    }
}
