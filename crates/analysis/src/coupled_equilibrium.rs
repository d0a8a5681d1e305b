//! Equilibrium of mechanics with first-order equations, at a fixed time:
//!
//! ```text
//! R(q, η, λ) = Gᵀ λ − Q(q, v = 0, η, t) = 0,      F(η, η̇ = 0, r(q, v = 0), t) = 0,      Φ(q, t) = 0
//! ```
//! A variable whose value stands nowhere (a branch charge, a cyclic coordinate) keeps its start value, and of
//! a family of equilibria the one nearest to the start is taken (lagrangian-dae-modeling G27): steps are the
//! shortest that solve
//!
//! ```text
//! Newton        J δ = −F                               by singular values, in bounded steps with a line search
//! load steps    F(x) = (1 − s) F(x₀),  s: 0 → 1
//! relaxation    (JᵀJ + μ) δ = −JᵀF                     Levenberg and Marquardt, downhill on |F|²
//! ```
//! with unknowns in their usual sizes and equations in the sizes of their terms. Where all of them stop at a
//! point at which J is singular, they are tried again from points nearby.
//!
//! Close to a pole of the equations everything balances beside terms that grow without bound, and there is no
//! root. So a balance counts only where Newton's steps contract.
//!
//! A variable whose value stands nowhere may also run on at a constant rate, as the charge behind a direct
//! current does. If nothing is found with η̇ = 0, its rate becomes an unknown in place of its value: a steady
//! state, as constant for all the others as an equilibrium.

use crate::coupled::{Coupled, CoupledError, CoupledSpace, stands_nowhere, variable_names};
use crate::equilibrium::{Equilibrium, EquilibriumError, EquilibriumMethod, EquilibriumSettings};
use crate::stability::{LinearStability, LinearVerdict, Stability, StaticStability};
use crate::tangent::units;
use poinsot_geometry::Mat3;
use poinsot_integrators::{instant, retract};
use poinsot_mechanics::{Level, Linearization, Scratch, State, System};
use poinsot_numerics::dense::{DenseLu, Mat, expand};
use poinsot_numerics::irregular;
use poinsot_numerics::subspace::{null_space, pseudo_solve};

/// A singular value of the scaled J below this share of the largest counts as zero.
const RANK: f64 = 1e-11;
/// Halvings of a Newton step at most.
const MAX_HALVINGS: usize = 12;
/// Largest step of a variable in an iteration, in its usual size, and in the first one, in its nominal size:
/// what J says of a point holds near it, and a step beyond that goes past the nearest equilibrium.
const MAX_CHANGE: f64 = 10.0;
const FIRST_CHANGE: f64 = 0.5;
/// The first bound grows so much after a step that did half of what it promised, and shrinks after one that
/// had to be cut.
const WIDER: f64 = 3.0;
const NARROWER: f64 = 0.5;
/// Largest rotation (rad) and displacement (of the model's length) of a body in an iteration.
const MAX_TURN: f64 = 0.3;
const MAX_SHIFT: f64 = 0.5;
/// First and smallest load step.
const LOAD_STEPS: (f64, f64) = (0.1, 1e-4);
/// Newton steps at most that make a solution better than asked for, while they do.
const POLISH: usize = 6;
/// Newton steps that must contract at a root, to this share of the first, and how much longer than the first
/// none may be; kinks take a step or two. Roundings of the terms of an equation, below which a step is noise.
const CONTRACTING: usize = 3;
const CONTRACTION: f64 = 0.5;
const LEAP: f64 = 10.0;
const NOISE: f64 = 64.0 * f64::EPSILON;
/// Points nearby that are tried from, and how far off they are, in usual sizes.
const NEARBY: usize = 4;
const OFFSET: f64 = 0.2;
/// Share of a direction that is free, above which an unknown is named for it.
const NAMED: f64 = 0.1;

/// A trial with its multipliers.
#[derive(Clone)]
struct Point {
    state: State,
    a: Vec<f64>,
}

/// F with the sizes of its terms.
struct Balance {
    values: Vec<f64>,
    /// Largest |F| by size, and its equation.
    worst: (usize, f64),
}

struct Solver<'a> {
    system: &'a System,
    settings: EquilibriumSettings,
    units: Vec<f64>,
    length: f64,
    is_row: Vec<bool>,
    /// Rows on velocities that follow variables.
    commanded: Vec<bool>,
    /// Whether these hold positions instead.
    pinned: bool,
    algebraic: Vec<bool>,
    is_variable: Vec<bool>,
    nominal: Vec<f64>,
    identity: Vec<Mat3>,
    scratch: Scratch,
    iterations: usize,
    load_steps: usize,
    /// Variables with a rate whose value stands nowhere.
    cyclic: Vec<bool>,
    /// Whether their rates are unknowns.
    running: bool,
}

/// The methods in turn, and whether variables may run on.
const METHODS: [(EquilibriumMethod, bool); 6] = [
    (EquilibriumMethod::Newton, false),
    (EquilibriumMethod::LoadSteps, false),
    (EquilibriumMethod::Newton, true),
    (EquilibriumMethod::LoadSteps, true),
    (EquilibriumMethod::Relaxation, false),
    (EquilibriumMethod::Relaxation, true),
];

/// Finds a state of rest from `start`, at its time.
pub(crate) fn find(
    system: &System,
    start: State,
    settings: &EquilibriumSettings,
) -> Result<Equilibrium, EquilibriumError> {
    find_within(system, start, settings, NEARBY)
}

/// As [`find`], from the start alone.
pub(crate) fn find_from(
    system: &System,
    start: State,
    settings: &EquilibriumSettings,
) -> Result<Equilibrium, EquilibriumError> {
    find_within(system, start, settings, 0)
}

/// As [`find`], with so many points nearby.
fn find_within(
    system: &System,
    mut start: State,
    settings: &EquilibriumSettings,
    nearby: usize,
) -> Result<Equilibrium, EquilibriumError> {
    system.nodes().iter().for_each(|node| start.v[node.unknowns()].fill(0.0));
    let mut solver = Solver::new(system, *settings);
    let mut best: Option<Balance> = None;
    for attempt in 0..=nearby {
        let from = solver.nearby(&start, attempt);
        for (method, running) in METHODS {
            if running && !solver.cyclic.contains(&true) {
                continue;
            }
            solver.running = running;
            // What follows a variable stays where it is, unless the variable is zero elsewhere alone.
            for &pinned in if system.has_commands() { &[true, false][..] } else { &[false] } {
                solver.pinned = pinned;
                let mut at = Point { state: from.clone(), a: vec![0.0; system.size()] };
                let found = match method {
                    EquilibriumMethod::Newton => solver.newton(&mut at, None),
                    EquilibriumMethod::LoadSteps => solver.load_steps(&mut at),
                    EquilibriumMethod::Relaxation => solver.relax(&mut at),
                };
                let contracts = found && solver.contracts(&at);
                solver.pinned = false;
                let balance = solver.balance(&at, None);
                if contracts && (!pinned || solver.converged(&balance)) {
                    return Ok(solver.finish(at, method, &balance));
                }
                let better = |b: &Balance| balance.worst.1 < b.worst.1 || b.worst.1.is_nan();
                if best.as_ref().is_none_or(better) {
                    best = Some(balance);
                }
            }
        }
    }
    let (row, residual) = best.map_or((0, f64::INFINITY), |b| b.worst);
    let equation = system.equation_name(row);
    Err(EquilibriumError::NotFound { iterations: solver.iterations, residual, equation })
}

impl<'a> Solver<'a> {
    fn new(system: &'a System, settings: EquilibriumSettings) -> Self {
        let length = system.length_scale();
        let mark = |equations: Vec<usize>| {
            let mut marks = vec![false; system.size()];
            equations.into_iter().for_each(|eq| marks[eq] = true);
            marks
        };
        let absent = system.variable_equations().into_iter().zip(stands_nowhere(system));
        let cyclic = mark(absent.filter(|(_, absent)| *absent).map(|(eq, _)| eq).collect());
        let mut nominal = vec![1.0; system.size()];
        for network in system.networks() {
            let variables = network.law.variables.iter().enumerate();
            variables.for_each(|(j, v)| nominal[network.unknown(j)] = v.nominal);
        }
        Solver {
            system,
            settings,
            units: units(system, length),
            length,
            is_row: system.is_constraint_row(),
            commanded: mark(system.commanded_equations()),
            pinned: false,
            algebraic: mark(system.algebraic_equations()),
            is_variable: mark(system.variable_equations()),
            nominal,
            identity: vec![Mat3::identity(); system.nodes().len()],
            scratch: Scratch::default(),
            iterations: 0,
            load_steps: 0,
            cyclic,
            running: false,
        }
    }

    /// Whether the unknown of an equation is the rate of a variable.
    fn is_rate(&self, k: usize) -> bool {
        self.running && self.cyclic[k]
    }

    /// The start, or a point off it in the variables that stand in equations.
    fn nearby(&self, start: &State, attempt: usize) -> State {
        let mut state = start.clone();
        if attempt > 0 {
            let variables = self.system.variable_equations();
            for (k, (&eq, absent)) in variables.iter().zip(stands_nowhere(self.system)).enumerate() {
                if !absent {
                    let size = start.v[eq].abs().max(self.nominal[eq]);
                    state.v[eq] += 2.0 * OFFSET * size * irregular(k + 31 * attempt);
                }
            }
        }
        state
    }

    /// Usual sizes of the unknowns: lengths, one radian, variables, forces.
    fn sizes(&self, at: &Point) -> Vec<f64> {
        let weight = self.system.bodies().map(|b| b.mass).fold(0.0, f64::max) * self.system.gravity.norm();
        let size = |k: usize| match (self.is_row[k], self.is_variable[k]) {
            (true, _) => at.a[k].abs().max(weight).max(1e-3),
            (_, true) if self.is_rate(k) => at.a[k].abs().max(self.nominal[k]),
            (_, true) => at.state.v[k].abs().max(self.nominal[k]),
            _ => self.units[k],
        };
        (0..self.system.size()).map(size).collect()
    }

    /// Sizes by which the length of a step is measured: those of variables are nominal, whatever their
    /// values.
    fn metric(&self, sizes: &[f64]) -> Vec<f64> {
        let size = |k: usize| if self.is_variable[k] { self.nominal[k] } else { sizes[k] };
        (0..sizes.len()).map(size).collect()
    }

    /// F at a point, less an offset.
    fn values(&mut self, at: &Point, offset: Option<&[f64]>) -> Vec<f64> {
        let here = instant(&at.state, &at.a);
        let n = self.system.size();
        let (mut values, mut levels) = (vec![0.0; n], vec![0.0; n]);
        self.system.residual(&here, &mut values, &mut self.scratch);
        self.system.constraint_rate(&here, &mut levels, &mut self.scratch);
        (0..n).filter(|&k| self.algebraic[k]).for_each(|k| values[k] = levels[k]);
        if let Some(offset) = offset {
            values.iter_mut().zip(offset).for_each(|(r, o)| *r -= o);
        }
        self.system.constraint_residual(&here, &mut values, &mut self.scratch);
        // At rest the variables that rows on velocities follow are zero.
        (0..n).filter(|&k| self.commanded[k] && !self.pinned).for_each(|k| values[k] = levels[k]);
        values
    }

    /// J: columns of displacements from positions, of variables from their values, of multipliers from the
    /// constraints.
    fn jacobian(&mut self, at: &Point) -> Mat<f64> {
        let by_value = self.matrix(at, [0.0, 1.0, 0.0, 0.0]);
        let by_position = self.matrix(at, [0.0, 0.0, 1.0, 1.0]);
        let by_rate = self.running.then(|| self.matrix(at, [1.0, 0.0, 0.0, 0.0]));
        let n = self.system.size();
        Mat::from_fn(n, n, |i, j| match &by_rate {
            Some(by_rate) if self.cyclic[j] => by_rate[(i, j)],
            _ if self.commanded[i] && self.is_variable[j] == self.pinned => 0.0,
            _ if self.is_row[i] || self.is_row[j] || self.is_variable[j] => by_value[(i, j)],
            // What an equation without rates reads of velocities stands in both.
            _ if self.algebraic[i] => by_position[(i, j)] - by_value[(i, j)],
            _ => by_position[(i, j)],
        })
    }

    fn matrix(&mut self, at: &Point, [mass, damping, stiffness, gamma]: [f64; 4]) -> Mat<f64> {
        let linearization = Linearization {
            mass,
            damping,
            stiffness,
            gamma,
            level: Level::Position,
            networks: true,
            ..Linearization::at(instant(&at.state, &at.a), &self.identity)
        };
        let mut values = vec![0.0; self.system.pattern().nnz()];
        self.system.step_matrix(&linearization, &mut values, &mut self.scratch);
        expand(self.system.pattern(), &values)
    }

    /// Sizes of the equations: the largest change that an unknown of usual size makes.
    fn rows(j: &Mat<f64>, sizes: &[f64]) -> Vec<f64> {
        let row = |i: usize| (0..sizes.len()).map(|k| (j[(i, k)] * sizes[k]).abs()).fold(0.0, f64::max);
        (0..sizes.len()).map(row).collect()
    }

    fn balance(&mut self, at: &Point, offset: Option<&[f64]>) -> Balance {
        let values = self.values(at, offset);
        let sizes = self.sizes(at);
        let rows = Self::rows(&self.jacobian(at), &sizes);
        let relative = |(r, size): (&f64, &f64)| if *r == 0.0 { 0.0 } else { (r / size).abs() };
        let shares: Vec<f64> = values.iter().zip(&rows).map(relative).collect();
        Balance { worst: crate::tangent::largest(&shares), values }
    }

    fn converged(&self, balance: &Balance) -> bool {
        balance.worst.1 <= self.settings.tolerance
    }

    /// |F|² in the sizes of the equations.
    fn merit(values: &[f64], rows: &[f64]) -> f64 {
        let part = |(r, size): (&f64, &f64)| if *r == 0.0 { 0.0 } else { (r / size).powi(2) };
        let sum: f64 = values.iter().zip(rows).map(part).sum();
        if sum.is_nan() { f64::INFINITY } else { sum }
    }

    /// The share of δ with which nothing moves too far, and no variable by more than `change` of its nominal
    /// size.
    fn allowed(&self, delta: &[f64], sizes: &[f64], change: f64) -> f64 {
        let mut share: f64 = 1.0;
        for k in 1..self.system.nodes().len() {
            let twist = self.system.twist(k, delta);
            let (turn, shift) = (twist.angular.norm(), twist.linear.norm() / self.length);
            share = share.min(MAX_TURN / turn.max(MAX_TURN)).min(MAX_SHIFT / shift.max(MAX_SHIFT));
        }
        for (k, _) in self.is_variable.iter().enumerate().filter(|(_, is)| **is) {
            share = share.min(MAX_CHANGE / (delta[k].abs() / sizes[k]).max(MAX_CHANGE));
            share = share.min(change / (delta[k].abs() / self.nominal[k]).max(change));
        }
        share
    }

    fn moved(&self, from: &Point, delta: &[f64], share: f64) -> Point {
        let step: Vec<f64> = delta.iter().map(|d| share * d).collect();
        let mut to = from.clone();
        retract(self.system, &from.state.frames, &step, &mut to.state.frames);
        for (k, step) in step.iter().enumerate() {
            if self.is_row[k] || self.is_rate(k) {
                to.a[k] += step;
            } else if self.is_variable[k] && !self.cyclic[k] {
                to.state.v[k] += step;
            }
        }
        self.system.remember(&mut to.state);
        to
    }

    /// The shortest step that solves J δ = −F best; none without finite numbers.
    fn direction(&mut self, at: &Point, values: &[f64]) -> Option<(Vec<f64>, Vec<f64>, Vec<f64>)> {
        let (j, sizes) = (self.jacobian(at), self.sizes(at));
        let rows = Self::rows(&j, &sizes);
        let metric = self.metric(&sizes);
        let (even, right) = scaled(&j, &rows, &metric, values);
        let (step, _) = pseudo_solve(even.as_ref(), &right, RANK).ok()?;
        let delta: Vec<f64> = step.iter().zip(&metric).map(|(s, size)| -s * size).collect();
        delta.iter().all(|d| d.is_finite()).then_some((delta, rows, sizes))
    }

    /// Whether undamped Newton steps from a point that balances become shorter, or are rounding.
    fn contracts(&mut self, at: &Point) -> bool {
        let Some((mut delta, first, noise)) = self.newton_step(at) else { return false };
        if first <= noise {
            return true;
        }
        let mut at = at.clone();
        for _ in 0..CONTRACTING {
            at = self.moved(&at, &delta, 1.0);
            let Some((next, length, _)) = self.newton_step(&at) else { return false };
            if length <= noise.max(CONTRACTION * first) {
                return true;
            }
            if length > LEAP * first {
                return false;
            }
            delta = next;
        }
        false
    }

    /// δ of Newton's method, its length in usual sizes, and the length that roundings of the terms give to
    /// it.
    fn newton_step(&mut self, at: &Point) -> Option<(Vec<f64>, f64, f64)> {
        let values = self.values(at, None);
        let (delta, _, sizes) = self.direction(at, &values)?;
        let (j, metric) = (self.jacobian(at), self.metric(&sizes));
        let size = |k: usize| match (self.is_row[k] || self.is_rate(k), self.is_variable[k]) {
            (true, _) => at.a[k].abs(),
            (_, true) => at.state.v[k].abs(),
            _ => self.units[k],
        };
        let terms =
            |i: usize| values[i].abs() + (0..sizes.len()).map(|k| (j[(i, k)] * size(k)).abs()).sum::<f64>();
        let rounding = |i: usize| NOISE * terms(i) * irregular(i).signum();
        let roundings: Vec<f64> = (0..sizes.len()).map(rounding).collect();
        let (noise, ..) = self.direction(at, &roundings)?;
        let length =
            |delta: &[f64]| delta.iter().zip(&metric).map(|(d, m)| (d / m).abs()).fold(0.0, f64::max);
        let (step, noise) = (length(&delta), length(&noise));
        Some((delta, step, noise))
    }

    /// Newton's method with backtracking; whether it converged.
    fn newton(&mut self, at: &mut Point, offset: Option<&[f64]>) -> bool {
        let mut balance = self.balance(at, offset);
        let (mut polished, mut change) = (0, FIRST_CHANGE);
        for _ in 0..self.settings.iterations + POLISH {
            let done = self.converged(&balance);
            if done && (offset.is_some() || polished == POLISH || balance.worst.1 == 0.0) {
                return true;
            }
            self.iterations += usize::from(!done);
            polished += usize::from(done);
            let Some((delta, rows, sizes)) = self.direction(at, &balance.values) else { return done };
            let before = Self::merit(&balance.values, &rows);
            let mut share = self.allowed(&delta, &sizes, change);
            let mut accepted = None;
            for halvings in 0..=MAX_HALVINGS {
                let trial = self.moved(at, &delta, share);
                let values = self.values(&trial, offset);
                let enough = if done { 0.25 } else { 1.0 - 1e-4 * share };
                let merit = Self::merit(&values, &rows);
                if merit < enough * before {
                    let kept = merit < (1.0 - 0.5 * share) * before;
                    change *= if halvings > 0 {
                        NARROWER
                    } else if kept {
                        WIDER
                    } else {
                        1.0
                    };
                    accepted = Some(trial);
                    break;
                }
                if done {
                    break;
                }
                share *= 0.5;
            }
            let Some(trial) = accepted else { return done };
            *at = trial;
            balance = self.balance(at, offset);
        }
        self.converged(&balance)
    }

    fn load_steps(&mut self, at: &mut Point) -> bool {
        let mut start = self.values(at, None);
        start.iter_mut().zip(&self.is_row).filter(|(_, row)| **row).for_each(|(r, _)| *r = 0.0);
        let (mut s, mut step) = (0.0, LOAD_STEPS.0);
        for _ in 0..self.settings.load_steps {
            let next = if s + step > 1.0 - 1e-9 { 1.0 } else { s + step };
            let offset: Vec<f64> = start.iter().map(|r| (1.0 - next) * r).collect();
            let mut trial = at.clone();
            let offset = (next < 1.0).then_some(offset.as_slice());
            if self.newton(&mut trial, offset) {
                self.load_steps += 1;
                *at = trial;
                if next == 1.0 {
                    return true;
                }
                (s, step) = (next, 1.5 * step);
            } else {
                step *= 0.5;
                if step < LOAD_STEPS.1 {
                    return false;
                }
            }
        }
        false
    }

    /// Downhill on |F|² by Levenberg and Marquardt, then Newton's method.
    fn relax(&mut self, at: &mut Point) -> bool {
        let mut mu = 1e-2;
        for _ in 0..self.settings.relaxations.min(10 * self.settings.iterations) {
            let values = self.values(at, None);
            let (j, sizes) = (self.jacobian(at), self.sizes(at));
            let rows = Self::rows(&j, &sizes);
            let before = Self::merit(&values, &rows);
            if !before.is_finite() {
                return false;
            }
            let metric = self.metric(&sizes);
            let (even, right) = scaled(&j, &rows, &metric, &values);
            let mut lowered = false;
            while mu < 1e8 && !lowered {
                self.iterations += 1;
                let Some(delta) = damped(&even, &right, mu, &metric) else { return false };
                let share = self.allowed(&delta, &sizes, f64::INFINITY);
                let trial = self.moved(at, &delta, share);
                let values = self.values(&trial, None);
                lowered = Self::merit(&values, &rows) < (1.0 - 1e-6) * before;
                mu = if lowered { (0.2 * mu).max(1e-12) } else { 5.0 * mu };
                if lowered {
                    *at = trial;
                }
            }
            if !lowered || self.balance(at, None).worst.1 < 1e-4 {
                break;
            }
        }
        self.newton(at, None)
    }

    fn finish(mut self, at: Point, method: EquilibriumMethod, balance: &Balance) -> Equilibrium {
        let (row, residual) = balance.worst;
        let held = self.held(&at);
        let judge = || -> Result<LinearStability, CoupledError> {
            let space: CoupledSpace = Coupled::new(self.system, &at.state, &at.a, 0)?.reduce(&[])?;
            Ok(space.judge()?.0)
        };
        let judged = if self.settings.judge { judge().map(Some) } else { Ok(None) };
        let (linear, unjudged) = match judged {
            Ok(linear) => (linear, None),
            Err(error) => (None, Some(error.to_string())),
        };
        Equilibrium {
            residual: (residual, self.system.equation_name(row)),
            state: at.state,
            a: at.a,
            iterations: self.iterations,
            load_steps: self.load_steps,
            method,
            verdict: counted(linear.as_ref()),
            lowest: vec![],
            linear,
            by_modes: None,
            unjudged,
            held,
        }
    }

    /// Unknowns that the equations leave free here: variables that stand nowhere, and members of a family.
    fn held(&mut self, at: &Point) -> Vec<String> {
        let (j, sizes) = (self.jacobian(at), self.sizes(at));
        let rows = Self::rows(&j, &sizes);
        let (even, _) = scaled(&j, &rows, &self.metric(&sizes), &vec![0.0; sizes.len()]);
        let Ok((null, _)) = null_space(even.as_ref(), RANK) else { return vec![] };
        let share = |k: usize| (0..null.ncols()).map(|c| null[(k, c)].powi(2)).sum::<f64>().sqrt();
        let free = |k: &usize| !self.is_row[*k] && share(*k) > NAMED;
        let names = variable_names(self.system);
        let variables = self.system.variable_equations();
        let name = |k: usize| match variables.iter().position(|&eq| eq == k) {
            Some(v) => names[v].clone(),
            None => self.system.equation_name(k),
        };
        let mut held: Vec<String> =
            (0..sizes.len()).filter(free).filter(|&k| !self.cyclic[k]).map(name).collect();
        for &eq in variables.iter().filter(|&&eq| self.cyclic[eq]) {
            let rate = at.a[eq];
            let runs = rate.abs() > 1e-12 * self.nominal[eq];
            held.push(if runs { format!("{} (runs on by {rate:.6e} per s)", name(eq)) } else { name(eq) });
        }
        held
    }
}

/// J with columns in usual sizes and rows of size one, and F alike.
fn scaled(j: &Mat<f64>, rows: &[f64], sizes: &[f64], values: &[f64]) -> (Mat<f64>, Vec<f64>) {
    let by = |i: usize| if rows[i] > 0.0 { 1.0 / rows[i] } else { 1.0 };
    let n = sizes.len();
    (Mat::from_fn(n, n, |i, k| j[(i, k)] * sizes[k] * by(i)), (0..n).map(|i| values[i] * by(i)).collect())
}

/// −(JᵀJ + μ)⁻¹ Jᵀ F.
fn damped(j: &Mat<f64>, f: &[f64], mu: f64, sizes: &[f64]) -> Option<Vec<f64>> {
    let n = sizes.len();
    let mut square = j.transpose() * j;
    (0..n).for_each(|i| square[(i, i)] += mu);
    let mut step: Vec<f64> = (0..n).map(|k| -(0..n).map(|i| j[(i, k)] * f[i]).sum::<f64>()).collect();
    DenseLu::new(square.as_ref()).ok()?.solve(&mut step);
    step.iter_mut().zip(sizes).for_each(|(s, size)| *s *= size);
    step.iter().all(|s| s.is_finite()).then_some(step)
}

/// The verdict on eigenvalues in the words of statics.
fn counted(linear: Option<&LinearStability>) -> StaticStability {
    let stability = match linear.map(LinearStability::verdict) {
        Some(LinearVerdict::AsymptoticallyStable) => Stability::Stable,
        Some(LinearVerdict::Unstable) => Stability::Unstable,
        _ => Stability::Neutral,
    };
    StaticStability {
        stability,
        negative: linear.map_or(0, |l| l.growing),
        zero: linear.map_or(0, |l| l.zeros),
        flutter: 0,
        complete: linear.is_some(),
    }
}

/// A range of a variable in which equilibria are looked for.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SearchRange {
    /// Equation number of the variable, see [`poinsot_mechanics::NetworkEntry::unknown`].
    pub variable: usize,
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
}

/// Distance, in usual sizes, within which two equilibria are one.
const SAME: f64 = 1e-6;

/// Looks for equilibria inside ranges of variables of networks: from the start, from a grid of three values
/// of every variable (as far as `starts` goes) and from Halton's points. Other variables start from their
/// values in `start`. Each is listed once, in the order of the variables.
pub fn search_equilibria(
    system: &System,
    start: &State,
    ranges: &[SearchRange],
    starts: usize,
    settings: &EquilibriumSettings,
) -> Vec<Equilibrium> {
    let mut found: Vec<Equilibrium> = vec![];
    // Points nearby would leave their cell: each start has one try of every method.
    for point in start_points(ranges, starts) {
        let mut from = start.clone();
        if let Some(point) = point {
            ranges.iter().zip(&point).for_each(|(range, x)| from.v[range.variable] = *x);
        }
        let Ok(equilibrium) = find_within(system, from, settings, 0) else { continue };
        let inside = |r: &SearchRange| {
            let (x, margin) = (equilibrium.state.v[r.variable], 1e-9 * (r.high - r.low));
            x >= r.low - margin && x <= r.high + margin
        };
        if ranges.iter().all(inside) && !found.iter().any(|other| same(system, ranges, other, &equilibrium)) {
            found.push(equilibrium);
        }
    }
    let key = |e: &Equilibrium| ranges.iter().map(|r| e.state.v[r.variable]).collect::<Vec<f64>>();
    found.sort_by(|a, b| {
        let pairs = key(a).into_iter().zip(key(b)).zip(ranges);
        let differ =
            pairs.map(|((x, y), r)| if (x - y).abs() < 1e-7 * (r.high - r.low) { 0.0 } else { x - y });
        differ.into_iter().find(|d| *d != 0.0).map_or(std::cmp::Ordering::Equal, |d| d.total_cmp(&0.0))
    });
    found
}

fn same(system: &System, ranges: &[SearchRange], a: &Equilibrium, b: &Equilibrium) -> bool {
    let near = |r: &SearchRange| {
        (a.state.v[r.variable] - b.state.v[r.variable]).abs() <= SAME * (r.high - r.low).abs()
    };
    let length = system.length_scale();
    let frames = a.state.frames.iter().zip(&b.state.frames);
    let placed = frames
        .map(|(x, y)| (x.r - y.r).norm() / length + (x.rot - y.rot).norm())
        .all(|distance| distance <= SAME);
    ranges.iter().all(near) && placed
}

/// The start (none), the grid, and Halton's points.
fn start_points(ranges: &[SearchRange], count: usize) -> Vec<Option<Vec<f64>>> {
    let at = |share: &dyn Fn(usize) -> f64| -> Option<Vec<f64>> {
        Some(ranges.iter().enumerate().map(|(k, r)| r.low + share(k) * (r.high - r.low)).collect())
    };
    let mut points = vec![None];
    let grid = 3usize.checked_pow(ranges.len() as u32).unwrap_or(usize::MAX);
    if grid <= count {
        // 1/6, 1/2, 5/6 of the range: ends often are turning points of their own.
        points.extend((0..grid).map(|i| at(&|k| ((i / 3usize.pow(k as u32)) % 3) as f64 / 3.0 + 1.0 / 6.0)));
    }
    let mut index = 1;
    while points.len() < count {
        points.push(at(&|k| halton(index, k)));
        index += 1;
    }
    points
}

/// Halton's sequence: the digits of `index` in the prime base of dimension k, mirrored behind the point.
pub(crate) fn halton(index: usize, dimension: usize) -> f64 {
    const PRIMES: [usize; 16] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53];
    let base = PRIMES[dimension % PRIMES.len()];
    let (mut left, mut factor, mut value) = (index + dimension / PRIMES.len() * 409, 1.0, 0.0);
    while left > 0 {
        factor /= base as f64;
        value += factor * (left % base) as f64;
        left /= base;
    }
    value
}
