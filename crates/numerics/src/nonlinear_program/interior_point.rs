//! A primal-dual interior point method with a filter (Wächter and Biegler, Mathematical Programming 106,
//! 2006).
//!
//! Bounds become a barrier, and for a sequence of µ that goes to zero Newton's method solves
//!
//! ```text
//! ∇f + Aᵀλ − z_l + z_u = 0,   c = 0,   (y − l) z_l = µ,   (u − y) z_u = µ
//! ```
//! A step is taken as far as it improves the violation θ = |c|₁ or the barrier function φ, by the filter;
//! where none does, a restoration looks for a point that satisfies the conditions better.

use super::filter::Filter;
use super::kkt::Kkt;
use super::outcome::{Failure, Progress, Reason, Settings, Solution, Start};
use super::program::Program;
use super::restoration::{Goal, Restoration};
use super::standard::{DAMPING, Point, Standard, Values};

/// How far inside a bound the start lies, of its size and of the range.
const INSIDE: f64 = 1e-2;
/// Multipliers of the start above this are not believed.
const WILD: f64 = 1e3;
/// µ falls when the errors of its problem are below this many times µ; to this part of it or this power.
const NEAR: f64 = 10.0;
const FALL: f64 = 0.2;
const FALL_POWER: f64 = 1.5;
/// Least share of the way to a bound that a step takes.
const BOUNDARY: f64 = 0.99;
/// Multipliers above this on average scale the errors.
const LARGE_MULTIPLIER: f64 = 100.0;
/// Multipliers of bounds stay within this factor of µ over the distance.
const TRUST: f64 = 1e10;
/// Of the line search: slope that counts, powers of φ and θ, share of it, of the least step.
const ARMIJO: f64 = 1e-8;
const PHI_POWER: f64 = 2.3;
const THETA_POWER: f64 = 1.1;
const LEAST_STEP: f64 = 0.05;
const MARGIN: f64 = 1e-5;
const MOST_CORRECTIONS: usize = 4;
const CORRECTION: f64 = 0.99;
/// Share of the violation that a restoration must leave at most.
const RESTORED: f64 = 0.9;
/// Restorations at one µ, after which more lead nowhere.
const MOST_RESTORATIONS: usize = 12;
/// An error at which a search that comes to rest counts as solved.
const ACCEPTABLE: f64 = 1e-6;
/// The objective falls without end when it or an unknown gets here.
const ENDLESS: f64 = 1e20;

/// Finds a local minimum. The watcher sees every step and ends the search with `false`.
pub fn solve(
    program: &mut dyn Program,
    start: &Start,
    settings: &Settings,
    watch: &mut dyn FnMut(&Progress) -> bool,
) -> Result<Solution, Failure> {
    let mut form = Standard::new(program);
    let fail = |reason: Reason, x: &[f64], form: &mut Standard, iterations: usize| {
        let mut violated: Vec<(usize, f64)> =
            form.violations(x).unwrap_or_default().into_iter().enumerate().collect();
        violated.retain(|(_, distance)| *distance > settings.tolerance);
        violated.sort_by(|a, b| b.1.total_cmp(&a.1));
        Failure { reason, x: x.to_vec(), violated, iterations }
    };
    let mut search = match Search::new(&mut form, start, settings, false) {
        Ok(search) => search,
        Err(reason) => return Err(fail(reason, &start.x, &mut form, 0)),
    };
    let result = search.run(watch, &mut || false);
    let (at, iterations) = (search.at.x.clone(), search.iteration);
    match result {
        Ok(_) => Ok(search.solution()),
        Err(reason) => Err(fail(reason, &at, &mut form, iterations)),
    }
}

/// Why a search ended.
enum End {
    Solved,
    /// By the test for leaving early.
    Left,
}

/// Errors of the optimality conditions, scaled.
#[derive(Clone, Copy, Debug)]
struct Errors {
    stationarity: f64,
    violation: f64,
    complementarity: f64,
}

impl Errors {
    fn largest(&self) -> f64 {
        self.stationarity.max(self.violation).max(self.complementarity)
    }
}

/// Newton's step.
#[derive(Clone, Debug)]
struct Step {
    /// d, then the change of λ.
    primal: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
}

struct Search<'f, 'p> {
    form: &'f mut Standard<'p>,
    kkt: Kkt,
    settings: Settings,
    is_restoring: bool,
    at: Point,
    trial: Point,
    values: Values,
    trial_values: Values,
    hessian: Vec<f64>,
    lambda: Vec<f64>,
    lower: Vec<f64>,
    upper: Vec<f64>,
    mu: f64,
    filter: Filter,
    theta_least: f64,
    iteration: usize,
    error: f64,
    is_within_tolerance: bool,
    tiny_steps: usize,
    /// Restorations at this µ.
    restorations: usize,
}

impl<'f, 'p> Search<'f, 'p> {
    fn new(
        form: &'f mut Standard<'p>,
        start: &Start,
        settings: &Settings,
        is_restoring: bool,
    ) -> Result<Self, Reason> {
        let slacks = form.size - form.n;
        let mut at = Point { x: start.x.clone(), s: vec![0.0; slacks] };
        form.scale(&at)?;
        at.s = form.slacks_of(&at.x)?;
        let inside = if start.barrier < 1e-3 { start.barrier.max(1e-12) } else { INSIDE };
        let inward: Vec<f64> = (0..form.size).map(|i| push_inside(form, &at, i, inside)).collect();
        let mut moved = at.clone();
        form.move_by(&at, &inward, 1.0, &mut moved);
        let at = moved;
        let mut values = form.room();
        form.evaluate(&at, &mut values)?;
        form.differentiate(&at, &mut values)?;
        let kkt = Kkt::new(form, &values.jacobian).map_err(|_| Reason::Memory)?;
        let theta = violation(&values.rows);
        let bounded = |i: usize, bound: f64| if bound.is_finite() && !form.pinned[i] { 1.0 } else { 0.0 };
        let mu = start.barrier;
        let mut search = Search {
            lower: (0..form.size).map(|i| bounded(i, form.lower[i])).collect(),
            upper: (0..form.size).map(|i| bounded(i, form.upper[i])).collect(),
            kkt,
            settings: *settings,
            is_restoring,
            trial: at.clone(),
            trial_values: values.clone(),
            hessian: vec![0.0; form.hessian_places.len()],
            lambda: vec![0.0; form.m],
            mu,
            filter: Filter::new(1e4 * theta.max(1.0)),
            theta_least: 1e-4 * theta.max(1.0),
            iteration: 0,
            error: f64::INFINITY,
            is_within_tolerance: false,
            tiny_steps: 0,
            restorations: 0,
            at,
            values,
            form,
        };
        if mu < 1e-3 {
            // A good start: multipliers of bounds as they are on the way.
            for i in 0..search.form.size {
                let [below, above] = search.form.distances(&search.at, i);
                search.lower[i] *= (mu / below).min(WILD);
                search.upper[i] *= (mu / above).min(WILD);
            }
        }
        match &start.multipliers {
            Some(given) => {
                let w = search.form.objective_factor;
                let parts = search.lambda.iter_mut().zip(given).zip(&search.form.row_factors);
                parts.for_each(|((lambda, given), factor)| *lambda = w * given / factor);
            }
            None => search.estimate_multipliers(),
        }
        Ok(search)
    }

    /// ∇f − z_l + z_u.
    fn reduced_gradient(&self) -> Vec<f64> {
        let parts = self.values.gradient.iter().zip(&self.lower).zip(&self.upper);
        parts.map(|((g, lower), upper)| g - lower + upper).collect()
    }

    fn estimate_multipliers(&mut self) {
        self.lambda.fill(0.0);
        if self.form.m == 0 {
            return;
        }
        let gradient = self.reduced_gradient();
        if let Some(lambda) = self.kkt.least_multipliers(self.form, &self.values.jacobian, &gradient)
            && lambda.iter().all(|l| l.abs() <= WILD)
        {
            self.lambda = lambda;
        }
    }

    fn errors(&self, mu: f64) -> Errors {
        let mut stationarity = self.reduced_gradient();
        self.form.add_transposed(&self.values.jacobian, &self.lambda, &mut stationarity);
        let mut complementarity = 0.0_f64;
        let (mut bounds, mut sum) = (0, 0.0);
        for i in 0..self.form.size {
            let [below, above] = self.form.distances(&self.at, i);
            for (z, distance) in [(self.lower[i], below), (self.upper[i], above)] {
                if z > 0.0 {
                    complementarity = complementarity.max((z * distance - mu).abs());
                    bounds += 1;
                    sum += z;
                }
            }
        }
        let scale =
            |sum: f64, count: usize| (sum / count.max(1) as f64).max(LARGE_MULTIPLIER) / LARGE_MULTIPLIER;
        let lambda_sum: f64 = self.lambda.iter().map(|l| l.abs()).sum();
        let largest = |v: &[f64]| v.iter().fold(0.0, |most: f64, e| most.max(e.abs()));
        for (entry, _) in stationarity.iter_mut().zip(&self.form.pinned).filter(|(_, pinned)| **pinned) {
            *entry = 0.0;
        }
        Errors {
            stationarity: largest(&stationarity) / scale(lambda_sum + sum, self.form.m + bounds),
            violation: largest(&self.values.rows),
            complementarity: complementarity / scale(sum, bounds),
        }
    }

    /// ∇φ and Σ.
    fn barrier_derivatives(&self) -> (Vec<f64>, Vec<f64>) {
        let mut gradient = self.values.gradient.clone();
        let mut sigma = vec![0.0; self.form.size];
        for i in (0..self.form.size).filter(|&i| self.form.is_bounded(i)) {
            let [below, above] = self.form.distances(&self.at, i);
            gradient[i] += self.mu / above - self.mu / below;
            if below.is_finite() != above.is_finite() {
                gradient[i] += if below.is_finite() { DAMPING * self.mu } else { -DAMPING * self.mu };
            }
            sigma[i] = self.lower[i] / below + self.upper[i] / above;
        }
        (gradient, sigma)
    }

    /// The changes of the multipliers of bounds that go with d.
    fn with_bounds(&self, primal: Vec<f64>) -> Step {
        let size = self.form.size;
        let (mut lower, mut upper) = (vec![0.0; size], vec![0.0; size]);
        for i in (0..size).filter(|&i| self.form.is_bounded(i)) {
            let [below, above] = self.form.distances(&self.at, i);
            let (z_l, z_u) = (self.lower[i], self.upper[i]);
            if below.is_finite() {
                lower[i] = (self.mu - z_l * primal[i]) / below - z_l;
            }
            if above.is_finite() {
                upper[i] = (self.mu + z_u * primal[i]) / above - z_u;
            }
        }
        Step { primal, lower, upper }
    }

    /// Largest shares of a step that keep unknowns and multipliers inside their bounds.
    fn most(&self, step: &Step) -> (f64, f64) {
        let tau = BOUNDARY.max(1.0 - self.mu);
        let (mut primal, mut dual) = (1.0_f64, 1.0_f64);
        for i in (0..self.form.size).filter(|&i| self.form.is_bounded(i)) {
            let [below, above] = self.form.distances(&self.at, i);
            let d = step.primal[i];
            let room = if d < 0.0 { below } else { above };
            if d != 0.0 && room.is_finite() {
                primal = primal.min(tau * room / d.abs());
            }
            for (z, change) in [(self.lower[i], step.lower[i]), (self.upper[i], step.upper[i])] {
                if change < 0.0 {
                    dual = dual.min(-tau * z / change);
                }
            }
        }
        (primal, dual)
    }

    /// Goes on until a solution, or until `leave` says so.
    fn run(
        &mut self,
        watch: &mut dyn FnMut(&Progress) -> bool,
        leave: &mut dyn FnMut() -> bool,
    ) -> Result<End, Reason> {
        let least_mu = self.settings.tolerance / (NEAR + 1.0);
        let mut last = [1.0, 0.0];
        loop {
            let errors = self.errors(0.0);
            self.error = errors.largest();
            let progress = Progress {
                iteration: self.iteration,
                is_restoring: self.is_restoring,
                objective: self.values.objective / self.form.objective_factor,
                violation: errors.violation,
                stationarity: errors.stationarity,
                barrier: self.mu,
                step: last[0],
                shift: last[1],
            };
            if !watch(&progress) {
                return Err(Reason::Stopped);
            }
            if self.error <= self.settings.tolerance {
                self.is_within_tolerance = true;
                return Ok(End::Solved);
            }
            if self.tiny_steps >= 2 && self.mu <= least_mu {
                return if self.error <= ACCEPTABLE { Ok(End::Solved) } else { Err(Reason::Stuck) };
            }
            if self.iteration >= self.settings.most_steps {
                return Err(Reason::IterationLimit(self.settings.most_steps));
            }
            let endless = self.values.objective.abs() >= ENDLESS
                || (0..self.form.size).any(|i| self.form.coordinate(&self.at, i).abs() >= ENDLESS);
            if endless && !self.is_restoring {
                return Err(Reason::Unbounded);
            }
            while self.mu > least_mu
                && (self.errors(self.mu).largest() <= NEAR * self.mu || self.tiny_steps >= 2)
            {
                self.mu = least_mu.max((FALL * self.mu).min(self.mu.powf(FALL_POWER)));
                self.filter.clear();
                self.tiny_steps = 0;
                self.restorations = 0;
            }
            if self.form.hessian(&self.at, &self.lambda, &mut self.hessian).is_err() {
                return Err(Reason::Stuck);
            }
            match self.advance(watch) {
                Ok(alpha) => last = [alpha, self.kkt.shift],
                Err(reason) => {
                    // At rest within rounding.
                    return match (self.error <= ACCEPTABLE, reason) {
                        (true, Reason::Stuck | Reason::Infeasible) => Ok(End::Solved),
                        (_, reason) => Err(reason),
                    };
                }
            }
            self.iteration += 1;
            if leave() {
                return Ok(End::Left);
            }
        }
    }

    /// One step; how much of it was made.
    fn advance(&mut self, watch: &mut dyn FnMut(&Progress) -> bool) -> Result<f64, Reason> {
        let (size, m) = (self.form.size, self.form.m);
        let (gradient, sigma) = self.barrier_derivatives();
        let mut stationarity = gradient.clone();
        self.form.add_transposed(&self.values.jacobian, &self.lambda, &mut stationarity);
        let mut right: Vec<f64> = stationarity.iter().chain(&self.values.rows).map(|r| -r).collect();
        right[..size].iter_mut().zip(&self.form.pinned).filter(|(_, p)| **p).for_each(|(r, _)| *r = 0.0);
        let mut x = vec![0.0; size + m];
        let matrices = (&self.hessian[..], &self.values.jacobian[..]);
        if self.kkt.solve_first(self.form, matrices, &sigma, self.mu, &right, &mut x).is_err() {
            return self.restore(watch);
        }
        let step = self.with_bounds(x);
        let theta = violation(&self.values.rows);
        let phi = self.form.barrier(&self.at, &self.values, self.mu);
        let slope: f64 = gradient.iter().zip(&step.primal).map(|(g, d)| g * d).sum();
        let (most, most_dual) = self.most(&step);
        if self.is_tiny(&step) {
            self.tiny_steps += 1;
            self.form.move_by(&self.at, &step.primal, most, &mut self.trial);
            if self.form.evaluate(&self.trial, &mut self.trial_values).is_ok() {
                return self.accept(&step, most, most_dual);
            }
        }
        self.tiny_steps = 0;
        let least = self.least_step(theta, slope);
        let mut alpha = most;
        loop {
            self.form.move_by(&self.at, &step.primal, alpha, &mut self.trial);
            let trial = self.try_out();
            if let Some([new_theta, new_phi]) = trial {
                if self.is_taken(alpha, slope, [theta, phi], [new_theta, new_phi]) {
                    return self.accept(&step, alpha, most_dual);
                }
                if alpha == most
                    && new_theta >= theta
                    && let Some((corrected, alpha)) =
                        self.correct(&right, &step, most, slope, [theta, phi], new_theta)
                {
                    return self.accept(&corrected, alpha, most_dual);
                }
            }
            alpha *= 0.5;
            if alpha < least {
                self.filter.add(theta, phi);
                return self.restore(watch);
            }
        }
    }

    /// θ and φ of the trial point, if it has values.
    fn try_out(&mut self) -> Option<[f64; 2]> {
        self.form.evaluate(&self.trial, &mut self.trial_values).ok()?;
        let phi = self.form.barrier(&self.trial, &self.trial_values, self.mu);
        phi.is_finite().then(|| [violation(&self.trial_values.rows), phi])
    }

    /// Whether the step is as small as rounding.
    fn is_tiny(&self, step: &Step) -> bool {
        let relative = |i: usize| {
            let size = if self.form.is_bounded(i) { self.form.coordinate(&self.at, i).abs() } else { 0.0 };
            step.primal[i].abs() / (1.0 + size)
        };
        (0..self.form.size).all(|i| relative(i) < 10.0 * f64::EPSILON) && violation(&self.values.rows) < 1e-4
    }

    fn least_step(&self, theta: f64, slope: f64) -> f64 {
        let mut share = MARGIN;
        if slope < 0.0 {
            share = share.min(MARGIN * theta / -slope);
            if theta <= self.theta_least {
                share = share.min(theta.powf(THETA_POWER) / (-slope).powf(PHI_POWER));
            }
        }
        (LEAST_STEP * share).max(1e-14)
    }

    /// Whether φ is what must fall: the step goes down, and θ is small beside it.
    fn is_downhill(&self, alpha: f64, slope: f64, theta: f64) -> bool {
        theta <= self.theta_least && slope < 0.0 && alpha * (-slope).powf(PHI_POWER) > theta.powf(THETA_POWER)
    }

    /// The tests of filter and decrease; adds to the filter where they say so.
    fn is_taken(
        &mut self,
        alpha: f64,
        slope: f64,
        [theta, phi]: [f64; 2],
        [new_theta, new_phi]: [f64; 2],
    ) -> bool {
        let rounding = 10.0 * f64::EPSILON * phi.abs();
        if !self.filter.accepts(new_theta, new_phi - rounding) {
            return false;
        }
        let falls = new_phi <= phi + ARMIJO * alpha * slope + rounding;
        if self.is_downhill(alpha, slope, theta) {
            return falls;
        }
        if !Filter::improves(new_theta, new_phi - rounding, theta, phi) {
            return false;
        }
        self.filter.add(theta, phi);
        true
    }

    /// Second-order corrections: the step with the violation at its end taken away, by the same factors.
    fn correct(
        &mut self,
        right: &[f64],
        step: &Step,
        most: f64,
        slope: f64,
        old: [f64; 2],
        new_theta: f64,
    ) -> Option<(Step, f64)> {
        let size = self.form.size;
        let mut right = right.to_vec();
        let (mut alpha, mut before) = (most, new_theta);
        for _ in 0..MOST_CORRECTIONS {
            for (r, row) in right[size..].iter_mut().zip(&self.trial_values.rows) {
                *r = alpha * *r - row;
            }
            let mut x = vec![0.0; right.len()];
            if !self.kkt.solve(&right, &mut x) {
                return None;
            }
            let corrected = self.with_bounds(x);
            alpha = self.most(&corrected).0;
            self.form.move_by(&self.at, &corrected.primal, alpha, &mut self.trial);
            let new = self.try_out()?;
            if self.is_taken(alpha, slope, old, new) {
                // Multipliers of bounds by the step itself.
                let step = Step { primal: corrected.primal, ..step.clone() };
                return Some((step, alpha));
            }
            if new[0] > CORRECTION * before {
                return None;
            }
            before = new[0];
        }
        None
    }

    /// Takes the trial point.
    fn accept(&mut self, step: &Step, alpha: f64, dual: f64) -> Result<f64, Reason> {
        std::mem::swap(&mut self.at, &mut self.trial);
        std::mem::swap(&mut self.values, &mut self.trial_values);
        self.form.differentiate(&self.at, &mut self.values).map_err(|_| Reason::Stuck)?;
        let size = self.form.size;
        self.lambda.iter_mut().zip(&step.primal[size..]).for_each(|(l, change)| *l += alpha * change);
        self.lower.iter_mut().zip(&step.lower).for_each(|(z, change)| *z += dual * change);
        self.upper.iter_mut().zip(&step.upper).for_each(|(z, change)| *z += dual * change);
        self.hold_bound_multipliers();
        Ok(alpha)
    }

    /// Keeps z near µ over the distance, so that Σ stays that of the barrier.
    fn hold_bound_multipliers(&mut self) {
        for i in 0..self.form.size {
            let [below, above] = self.form.distances(&self.at, i);
            for (z, distance) in [(&mut self.lower[i], below), (&mut self.upper[i], above)] {
                if *z > 0.0 {
                    *z = z.clamp(self.mu / (TRUST * distance), TRUST * self.mu / distance);
                }
            }
        }
    }

    /// Looks for a point that satisfies the conditions better and that the filter takes.
    fn restore(&mut self, watch: &mut dyn FnMut(&Progress) -> bool) -> Result<f64, Reason> {
        let theta = violation(&self.values.rows);
        let largest = self.values.rows.iter().fold(0.0, |most: f64, row| most.max(row.abs()));
        self.restorations += 1;
        let is_late = self.restorations > MOST_RESTORATIONS;
        if self.is_restoring || is_late || largest <= 0.1 * self.settings.tolerance {
            return Err(Reason::Stuck);
        }
        let mu = self.mu.max(largest);
        let most_steps = self.settings.most_steps.saturating_sub(self.iteration);
        let settings = Settings { most_steps, ..self.settings };
        let goal = Goal { filter: self.filter.clone(), theta: RESTORED * theta, mu: self.mu };
        let (end, point, steps) = {
            let mut restoration = Restoration::new(self.form, &self.at, mu, goal);
            let start = restoration.start(&self.values.rows, mu);
            let start = Start { multipliers: Some(vec![0.0; self.lambda.len()]), barrier: mu, x: start };
            let is_reached = restoration.is_reached();
            let mut form = Standard::new(&mut restoration);
            let mut inner = Search::new(&mut form, &start, &settings, true)?;
            let end = inner.run(watch, &mut || is_reached.get());
            let (x, steps) = (inner.at.x.clone(), inner.iteration);
            (end, restoration.split(&x), steps)
        };
        self.iteration += steps;
        if let Err(reason @ (Reason::Stopped | Reason::IterationLimit(_) | Reason::Memory)) = end {
            self.at = point;
            return Err(reason);
        }
        let evaluated = self.form.evaluate(&point, &mut self.values);
        let known = evaluated.and_then(|()| self.form.differentiate(&point, &mut self.values));
        known.map_err(|_| Reason::Stuck)?;
        self.at = point;
        let new_theta = violation(&self.values.rows);
        if new_theta > RESTORED * theta {
            return Err(if end.is_ok() { Reason::Infeasible } else { Reason::Stuck });
        }
        if !self.filter.accepts(new_theta, self.form.barrier(&self.at, &self.values, self.mu)) {
            self.filter.clear();
        }
        for i in 0..self.form.size {
            let [below, above] = self.form.distances(&self.at, i);
            for (z, distance) in [(&mut self.lower[i], below), (&mut self.upper[i], above)] {
                if *z > 0.0 {
                    *z = (self.mu / distance).min(WILD);
                }
            }
        }
        self.estimate_multipliers();
        Ok(1.0)
    }

    fn solution(&self) -> Solution {
        let w = self.form.objective_factor;
        let n = self.form.n;
        let lambda = self.lambda.iter().zip(&self.form.row_factors).map(|(l, factor)| l * factor / w);
        let rows = self.values.rows.iter().zip(&self.form.row_factors);
        Solution {
            x: self.at.x.clone(),
            objective: self.values.objective / w,
            multipliers: lambda.collect(),
            lower_multipliers: self.lower[..n].iter().map(|z| z / w).collect(),
            upper_multipliers: self.upper[..n].iter().map(|z| z / w).collect(),
            violation: rows.fold(0.0, |most: f64, (row, factor)| most.max((row / factor).abs())),
            error: self.error,
            is_within_tolerance: self.is_within_tolerance,
            iterations: self.iteration,
            barrier: self.mu,
        }
    }
}

/// θ.
pub(super) fn violation(rows: &[f64]) -> f64 {
    rows.iter().map(|row| row.abs()).sum()
}

/// How far to move an unknown so that it lies inside its bounds.
fn push_inside(form: &Standard, at: &Point, i: usize, inside: f64) -> f64 {
    let (value, lower, upper) = (form.coordinate(at, i), form.lower[i], form.upper[i]);
    if form.pinned[i] {
        return lower - value;
    }
    let from = |bound: f64| (inside * bound.abs().max(1.0)).min(inside * (upper - lower));
    let least = if lower.is_finite() { lower + from(lower) } else { lower };
    let most = if upper.is_finite() { upper - from(upper) } else { upper };
    if form.is_bounded(i) { value.clamp(least, most) - value } else { 0.0 }
}
