//! The search for a steady rotation.
//!
//! Newton's method, at once or at a speed that is raised in steps:
//!
//! ```text
//! [K̂ + σM  Ĉ_η  Gᵀ  B] (δq, δη, δλ, δx) = −(R, F, Φ)     K̂ = M ((W − E) W + Ẇ) + C W + K, as in `linear.rs`
//! VᵀM δq = 0                                                 the angles stay where they are
//! ```
//! σM keeps directions without stiffness in place. V = ∂v/∂s. x are the free speeds with B = ∂R/∂s, or, at
//! speeds that are held, the accelerations θ = ṡ with which the machine would leave them, B = M V. These are
//! looked for first. If they are nil the speed is the one that was asked for, otherwise it becomes unknown.
//!
//! Where that fails, a damped run in the turning axes goes until nothing changes: steps of the implicit Euler
//! method in which bodies lose their velocity after each,
//!
//! ```text
//! K̂ → K̂ + M/τ²,      Ĉ_η → Ĉ_η + M_η/τ,      ∂R/∂s → ∂R/∂s + M V/τ            τ → ∞ as it comes to rest
//! ```

use super::kinematics::Kinematics;
use super::{Steady, SteadyError, SteadyMethod};
use crate::coupled::{stands_nowhere, variable_names};
use crate::linear::{TurningMatrices, for_each_entry};
use crate::tangent::{Tangent, Weights, largest, units};
use poinsot_geometry::{Vec3, so3};
use poinsot_integrators::{Factors, instant, retract};
use poinsot_mechanics::{GROUND, NodeId, Scratch, State, System};
use poinsot_numerics::dense::Mat;
use poinsot_numerics::fallback::PivotingLu;
use poinsot_numerics::lu::PivotError;
use poinsot_numerics::subspace::pseudo_solve;

/// Largest rotation of a body in an iteration (rad), and displacement relative to the model's length.
const MAX_STEP: f64 = 0.3;
/// Largest change of a variable or a speed in an iteration, in its size.
const MAX_CHANGE: f64 = 10.0;
/// Newton iterations at one speed at most.
const MAX_ITERATIONS: usize = 40;
/// Correction, in lengths of the model and radians, at which a position is found, and above which a
/// correction that no longer contracts is not rounding.
const FOUND: (f64, f64) = (1e-13, 1e-8);
/// A correction larger than this share of the one before has not contracted.
const CONTRACTION: f64 = 0.5;
/// First step of the speed where Newton's method fails, as a share of it, and the shortest.
const SPEED_STEPS: (f64, f64) = (0.25, 1e-3);
/// σ relative to Ω²: keeps directions without stiffness in place. The same for variables, relative to Ω.
const ANCHOR: f64 = 1e-6;
/// Solutions of a step, each for what the one before left.
const REFINEMENTS: usize = 3;
/// Error of the rows, relative to their terms, above which other pivots are tried.
const SOUND: f64 = 1e-10;
/// Acceleration of a free speed relative to Ω² that may be rounding, and change of it with the speed relative
/// to Ω below which torques do not depend on it.
const BALANCED: f64 = 1e-7;
const INDIFFERENT: f64 = 1e-9;
/// Speeds at which that is looked at again, times Ω.
const BEYOND: [f64; 2] = [1.0, 30.0];
/// Steps of a damped run at most; the first one, and the one at which Newton's method takes over, times Ω.
const RUN: usize = 600;
const RUN_STEPS: (f64, f64) = (0.05, 1e3);
/// How much a step of the run grows if little changed, and shrinks if much did, and what these are.
const PACE: [f64; 2] = [2.0, 0.25];
const CHANGES: [f64; 2] = [0.1, 1.0];
/// Angles by which everything is turned for the second look (rad), each from the one before: in no simple
/// ratio, and small enough for joints to follow their angles.
const LOOKS: [f64; 3] = [0.577216, 1.618034, 1.202057];
/// Distance between what is found there and what was turned, in lengths of the model and radians, above
/// which the motion is not steady.
const SAME: f64 = 1e-7;

/// A trial position; `a` holds accelerations, rates of variables, and λ in the constraint entries.
#[derive(Clone)]
struct Point {
    state: State,
    a: Vec<f64>,
    /// s.
    speeds: Vec<f64>,
    /// θ.
    surplus: Vec<f64>,
}

/// What is unknown of the free speeds.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Speeds {
    /// Nothing: their accelerations are.
    Held,
    /// They are.
    Free,
}

/// A solution of the bordered equations.
struct Solved {
    delta: Vec<f64>,
    free: Vec<f64>,
    slope: f64,
    /// See [`Search::solve_bordered`].
    error: f64,
}

/// What would become of speeds that are held.
struct Judgement {
    /// Nothing changes them.
    balanced: bool,
    /// What changes them does not depend on them.
    indifferent: bool,
    /// What is accelerated most.
    body: String,
    /// By how much (rad/s²).
    change: f64,
}

/// A correction.
struct Step {
    delta: Vec<f64>,
    /// Of s or θ.
    free: Vec<f64>,
    /// In lengths and radians, variables and speeds in their sizes.
    size: f64,
    /// Size of positions alone, and of the rest alone.
    parts: [f64; 2],
    /// How much θ changes with s, relative to Ω.
    slope: f64,
    /// The worst equation before it.
    worst: usize,
}

pub(super) struct Search<'a> {
    system: &'a System,
    observer: NodeId,
    kinematics: Kinematics,
    units: Vec<f64>,
    nominal: Vec<f64>,
    factors: Factors,
    /// Where σM is so small a pivot that static ones leave it to rounding.
    pivoting: Option<PivotingLu>,
    /// Whether the last factors are those.
    pivoted: bool,
    tangent: Tangent,
    is_row: Vec<bool>,
    is_variable: Vec<bool>,
    /// Variables whose values stand nowhere.
    cyclic: Vec<bool>,
    algebraic: Vec<usize>,
    velocity_rows: Vec<usize>,
    scratch: Scratch,
    iterations: usize,
}

impl<'a> Search<'a> {
    pub fn new(system: &'a System, observer: NodeId, kinematics: Kinematics) -> Self {
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
        Search {
            system,
            observer,
            kinematics,
            units: units(system, system.length_scale()),
            nominal,
            factors: Factors::new(system),
            pivoting: None,
            pivoted: false,
            tangent: Tangent::new(system),
            is_row: system.is_constraint_row(),
            is_variable: mark(system.variable_equations()),
            cyclic,
            algebraic: system.algebraic_equations(),
            velocity_rows: system.velocity_equations(),
            scratch: Scratch::default(),
            iterations: 0,
        }
    }

    /// From a start to the steady rotation.
    pub fn find(mut self, start: &State) -> Result<Steady, SteadyError> {
        let m = self.kinematics.free_speeds();
        let begun = Point {
            state: start.clone(),
            a: vec![0.0; self.system.size()],
            speeds: vec![0.0; m],
            surplus: vec![0.0; m],
        };
        let (mut at, method, speeds) = self.settle(&begun)?;
        self.set_motion(&mut at, 1.0);
        let rates = self.rates(&at, 1.0);
        let fastest = fastest(&rates);
        let repeats_within = if fastest > 0.0 { self.look_again(&at, speeds)? } else { 0.0 };
        let Search { kinematics, iterations, system, observer, .. } = self;
        let frame = &at.state.frames[observer];
        let rate = frame.rot * kinematics.twist(observer, frame, &rates).angular;
        let turning = (0..system.nodes().len()).map(|k| kinematics.turns(k)).collect();
        let speed_found = speeds == Speeds::Free;
        Ok(Steady { state: at.state, rate, turning, speed_found, method, iterations, repeats_within })
    }

    /// At the speeds that were asked for if nothing accelerates there, else at those where nothing does.
    fn settle(&mut self, begun: &Point) -> Result<(Point, SteadyMethod, Speeds), SteadyError> {
        let held = self.at_held_speeds(begun);
        if self.kinematics.free_speeds() == 0 {
            return held.map(|(at, method)| (at, method, Speeds::Held));
        }
        let Ok((at, method)) = held else {
            // Not even at this speed: perhaps on the way to another one.
            let mut freed = begun.clone();
            return match self.run(&mut freed, Speeds::Free) {
                Ok(()) => Ok((freed, SteadyMethod::Relaxation, Speeds::Free)),
                Err(_) => held.map(|(at, method)| (at, method, Speeds::Held)),
            };
        };
        let Judgement { balanced, indifferent, body, change } = self.judge(&at);
        if balanced && indifferent {
            return Ok((at, method, Speeds::Held));
        }
        let speed = self.observer_speed(&at);
        let refused = |reason| SteadyError::Accelerates { speed, body, change, reason };
        if indifferent && self.is_indifferent_beyond(&at) {
            return Err(refused("they do not depend on the speed"));
        }
        let mut freed = at;
        freed.surplus.fill(0.0);
        let mut trial = freed.clone();
        if self.newton(&mut trial, 1.0, Speeds::Free).is_ok() {
            return Ok((trial, method, Speeds::Free));
        }
        match self.run(&mut freed, Speeds::Free) {
            Ok(()) => Ok((freed, SteadyMethod::Relaxation, Speeds::Free)),
            Err(_) => Err(refused("no speed was found at which they balance")),
        }
    }

    /// What would become of the free speeds.
    fn judge(&mut self, at: &Point) -> Judgement {
        let pace = self.pace(at, 1.0);
        let slope = self.step(at, 1.0, Speeds::Free, None).map_or(f64::INFINITY, |step| step.slope);
        let change = self.kinematics.rates_at(0.0, &at.surplus);
        let of = |k: usize| {
            let (rate, spin) = (self.kinematics.carrier(k, &change), self.kinematics.spin(k, &change));
            (at.state.frames[k].rot.tr_mul(&rate) + spin).norm()
        };
        let most =
            (0..self.system.nodes().len()).fold(GROUND, |best, k| if of(k) > of(best) { k } else { best });
        let balanced = of(most) <= BALANCED * pace * pace;
        let body = self.system.nodes()[most].name.clone();
        Judgement { balanced, indifferent: slope <= INDIFFERENT, body, change: of(most) }
    }

    /// Whether torques do not depend on speeds beyond those of a trial, where it would go.
    fn is_indifferent_beyond(&mut self, at: &Point) -> bool {
        let (pace, size) = (self.pace(at, 1.0), dot(&at.surplus, &at.surplus).sqrt());
        BEYOND.into_iter().all(|far| {
            let mut there = at.clone();
            let ways = at.surplus.iter().map(|change| change / size);
            there.speeds.iter_mut().zip(ways).for_each(|(speed, way)| *speed += far * pace * way);
            self.set_motion(&mut there, 1.0);
            self.step(&there, 1.0, Speeds::Free, None).is_ok_and(|step| step.slope <= INDIFFERENT)
        })
    }

    fn observer_speed(&self, at: &Point) -> f64 {
        let (frame, rates) = (&at.state.frames[self.observer], self.rates(at, 1.0));
        self.kinematics.twist(self.observer, frame, &rates).angular.norm()
    }

    /// ρ of a trial at a share of the speed.
    fn rates(&self, at: &Point, share: f64) -> Vec<f64> {
        self.kinematics.rates_at(share, &at.speeds)
    }

    /// Ω by which everything is measured: that of what turns fastest, or 1 rad/s.
    fn pace(&self, at: &Point, share: f64) -> f64 {
        let fastest = fastest(&self.rates(at, share));
        if fastest > 0.0 { fastest } else { 1.0 }
    }

    /// Velocities and accelerations at a share of the speed.
    fn set_motion(&self, at: &mut Point, share: f64) {
        let (rates, frames) = (self.rates(at, share), &at.state.frames);
        let v = self.kinematics.velocities(self.system, frames, &rates);
        let mut a = self.kinematics.accelerations(self.system, frames, [&rates, &rates]);
        let surplus = self.kinematics.rates_at(0.0, &at.surplus);
        let tangential = self.kinematics.velocities(self.system, frames, &surplus);
        a.iter_mut().zip(&tangential).for_each(|(a, t)| *a += t);
        for i in self.system.nodes().iter().flat_map(|node| node.unknowns()) {
            (at.state.v[i], at.a[i]) = (v[i], a[i]);
        }
    }

    /// Newton's method at full speed, else at speeds that are raised, else a damped run.
    fn at_held_speeds(&mut self, begun: &Point) -> Result<(Point, SteadyMethod), SteadyError> {
        let mut worst = 0;
        let mut attempt = |from: &Point, share: f64, search: &mut Self| {
            let mut at = from.clone();
            search.newton(&mut at, share, Speeds::Held).map_err(|row| worst = row).ok().map(|()| at)
        };
        if let Some(at) = attempt(begun, 1.0, self) {
            return Ok((at, SteadyMethod::Newton));
        }
        let (mut at, mut done, (mut step, shortest)) = (begun.clone(), 0.0, SPEED_STEPS);
        while done < 1.0 {
            let share = (done + step).min(1.0);
            match attempt(&at, share, self) {
                Some(found) => (at, done) = (found, share),
                None if step > shortest => step *= 0.5,
                None => break,
            }
        }
        if done == 1.0 {
            return Ok((at, SteadyMethod::Raised));
        }
        let mut relaxed = begun.clone();
        match self.run(&mut relaxed, Speeds::Held) {
            Ok(()) => Ok((relaxed, SteadyMethod::Relaxation)),
            Err(_) => Err(SteadyError::NotFound {
                speed: done * self.observer_speed(begun),
                equation: self.system.equation_name(worst),
                iterations: self.iterations,
            }),
        }
    }

    /// R, F and Φ.
    fn balance(&mut self, at: &Point) -> Vec<f64> {
        let here = instant(&at.state, &at.a);
        let mut values = vec![0.0; self.system.size()];
        self.system.residual(&here, &mut values, &mut self.scratch);
        if !self.algebraic.is_empty() {
            let mut levels = vec![0.0; values.len()];
            self.system.constraint_rate(&here, &mut levels, &mut self.scratch);
            self.algebraic.iter().for_each(|&k| values[k] = levels[k]);
        }
        self.system.constraint_residual(&here, &mut values, &mut self.scratch);
        self.velocity_rows.iter().for_each(|&row| values[row] = 0.0);
        values
    }

    /// λ of the best balance in the sense of the masses.
    fn set_multipliers(&mut self, at: &mut Point) -> Result<(), PivotError> {
        let rows: Vec<usize> = (0..self.is_row.len()).filter(|&k| self.is_row[k]).collect();
        rows.iter().for_each(|&k| at.a[k] = 0.0);
        let mut b = vec![0.0; self.system.size()];
        self.system.residual(&instant(&at.state, &at.a), &mut b, &mut self.scratch);
        b.iter_mut().for_each(|r| *r = -*r);
        self.system.hold_variables(&mut b);
        let zero = vec![0.0; b.len()];
        self.tangent.factor(self.system, &at.state, &zero, Weights { mass: 1.0, stiffness: 0.0 })?;
        self.tangent.solve(&mut b);
        rows.iter().for_each(|&k| at.a[k] = b[k]);
        Ok(())
    }

    /// The matrix of a step: columns of variables by their values, or by their rates where these run on.
    fn matrix(&self, of: &TurningMatrices, pace: f64, tau: Option<f64>) -> Vec<f64> {
        let (by_mass, by_rate) = match tau {
            Some(tau) => (ANCHOR * pace * pace + 1.0 / (tau * tau), ANCHOR * pace + 1.0 / tau),
            None => (ANCHOR * pace * pace, ANCHOR * pace),
        };
        let mut values = of.stiffness.clone();
        for_each_entry(self.system, |row, column, slot| {
            match (self.is_variable[column], self.is_row[row] || self.is_row[column]) {
                (_, true) => {}
                (true, _) if self.cyclic[column] => values[slot] = of.mass[slot],
                (true, _) => values[slot] = of.damping[slot] + by_rate * of.mass[slot],
                (false, _) if !self.is_variable[row] => values[slot] += by_mass * of.mass[slot],
                _ => {}
            }
        });
        values
    }

    /// The correction of a trial; the equation that fails otherwise.
    fn step(&mut self, at: &Point, share: f64, speeds: Speeds, tau: Option<f64>) -> Result<Step, usize> {
        self.iterations += 1;
        let values = self.balance(at);
        let (worst, largest_value) = largest(&values);
        if !largest_value.is_finite() {
            return Err(worst);
        }
        let rates = self.rates(at, share);
        let pace = self.pace(at, share);
        let surplus = self.kinematics.rates_at(0.0, &at.surplus);
        let [carriers, changes] = [&rates, &surplus].map(|of| {
            let each = (0..self.system.nodes().len()).map(|k| self.kinematics.carrier(k, of));
            each.collect::<Vec<Vec3>>()
        });
        let of = TurningMatrices::about(self.system, (&at.state, &at.a), &carriers, &changes);
        let matrix = self.matrix(&of, pace, tau);
        let right: Vec<f64> = values.iter().map(|r| -r).collect();
        let mut best: Option<Solved> = None;
        for pivoted in [false, true] {
            if !self.factor(&matrix, pivoted) {
                continue;
            }
            let border = self.border(at, (&of, &matrix), (&rates, pace), (speeds, tau));
            let solved = self.solve_bordered(&matrix, &border, right.clone());
            if best.as_ref().is_none_or(|best| solved.error < best.error || best.error.is_nan()) {
                best = Some(solved);
            }
            if best.as_ref().is_some_and(|best| best.error <= SOUND) {
                break;
            }
        }
        let Solved { delta, free, slope, .. } = best.ok_or(worst)?;
        let parts = self.sizes(at, &delta, &free, (speeds, pace));
        let size = parts[0].max(parts[1]);
        if !size.is_finite() {
            return Err(worst);
        }
        Ok(Step { delta, free, size, parts, slope, worst })
    }

    /// Factors a matrix, with static pivots or with others; false where there are no factors.
    fn factor(&mut self, matrix: &[f64], pivoted: bool) -> bool {
        self.pivoted = pivoted;
        if !pivoted {
            return self.factors.factor(self.system, matrix).is_ok();
        }
        if self.pivoting.is_none() {
            self.pivoting = PivotingLu::new(self.system.pattern()).ok();
        }
        self.pivoting.as_mut().is_some_and(|lu| lu.factor(matrix).is_ok())
    }

    /// b := A⁻¹ b.
    fn divide(&self, b: &mut [f64]) {
        match &self.pivoting {
            Some(pivoting) if self.pivoted => pivoting.solve(b),
            _ => self.factors.solve(b),
        }
    }

    /// The solution with the border, and how far it is from solving its rows, relative to their terms.
    fn solve_bordered(&self, matrix: &[f64], border: &Border, mut right: Vec<f64>) -> Solved {
        let (mut delta, mut free) = (vec![0.0; right.len()], vec![0.0; border.phases.len()]);
        let mut sizes: Vec<f64> = right.iter().map(|r| r.abs()).collect();
        // σM is a small pivot where there is no stiffness: what it magnifies and the border takes away again
        // leaves its rounding.
        for _ in 0..REFINEMENTS {
            let mut part = right.clone();
            self.divide(&mut part);
            let more = border.keep_angles(&delta, &mut part);
            self.system.pattern().accumulate(matrix, &part, -1.0, &mut right);
            border.take_away(&more, &mut right);
            delta.iter_mut().zip(&part).for_each(|(d, p)| *d += p);
            free.iter_mut().zip(&more).for_each(|(f, m)| *f += m);
        }
        for_each_entry(self.system, |row, column, slot| sizes[row] += (matrix[slot] * delta[column]).abs());
        // Rows of nothing but rounding are solved, whatever is left of it.
        let nothing = f64::EPSILON.powi(2) * sizes.iter().fold(0.0_f64, |m, size| m.max(*size));
        let share = |(r, size): (&f64, &f64)| if *r == 0.0 { 0.0 } else { r.abs() / size.max(nothing) };
        let error = right
            .iter()
            .zip(&sizes)
            .map(share)
            .fold(0.0, |m: f64, x| if x > m || x.is_nan() { x } else { m });
        Solved { delta, free, slope: border.slope, error }
    }

    /// A⁻¹ b with one step of refinement: σM is a small pivot where there is no stiffness.
    fn solve(&self, matrix: &[f64], b: Vec<f64>) -> Vec<f64> {
        let mut x = b.clone();
        self.divide(&mut x);
        let mut rest = b;
        self.system.pattern().accumulate(matrix, &x, -1.0, &mut rest);
        self.divide(&mut rest);
        x.iter_mut().zip(&rest).for_each(|(x, r)| *x += r);
        x
    }

    /// B and VᵀM of the free speeds.
    fn border(
        &self,
        at: &Point,
        (of, matrix): (&TurningMatrices, &[f64]),
        (rates, pace): (&[f64], f64),
        (speeds, tau): (Speeds, Option<f64>),
    ) -> Border {
        let (m, n, frames) = (self.kinematics.free_speeds(), self.system.size(), &at.state.frames);
        let column = |j: usize| (0..rates.len()).map(|k| self.kinematics.free[(k, j)]).collect::<Vec<f64>>();
        let (mut phases, mut by_speed) = (vec![], vec![]);
        for j in 0..m {
            let along = column(j);
            let v = self.kinematics.velocities(self.system, frames, &along);
            let mut a = self.kinematics.accelerations(self.system, frames, [&along, rates]);
            let other = self.kinematics.accelerations(self.system, frames, [rates, &along]);
            a.iter_mut().zip(&other).for_each(|(a, o)| *a += o);
            let (mut phase, mut slope) = (vec![0.0; n], vec![0.0; n]);
            self.system.pattern().accumulate(&of.mass, &v, 1.0, &mut phase);
            self.system.pattern().accumulate(&of.mass, &a, 1.0, &mut slope);
            self.system.pattern().accumulate(&of.damping, &v, 1.0, &mut slope);
            if let Some(tau) = tau {
                slope.iter_mut().zip(&phase).for_each(|(s, p)| *s += p / tau);
            }
            by_speed.push(slope);
            phases.push(phase);
        }
        let solved = |columns: &[Vec<f64>]| {
            columns.iter().map(|b| self.solve(matrix, b.clone())).collect::<Vec<Vec<f64>>>()
        };
        let square = |columns: &[Vec<f64>]| Mat::from_fn(m, m, |i, j| dot(&phases[i], &columns[j]));
        let by_surplus = solved(&phases);
        let inertia = square(&by_surplus);
        let by_speed_solved = solved(&by_speed);
        let slopes = square(&by_speed_solved);
        let slopes: Vec<Vec<f64>> = (0..m)
            .map(|j| divide(&inertia, &(0..m).map(|i| slopes[(i, j)] / pace).collect::<Vec<_>>()))
            .collect();
        let slope = slopes.iter().flatten().fold(0.0_f64, |s, x| s.max(x.abs()));
        let (columns, solved) = match speeds {
            Speeds::Held => (phases.clone(), by_surplus),
            Speeds::Free => (by_speed, by_speed_solved),
        };
        // With a one beside it, so that what is nil beside Ω counts as nothing.
        let slopes = (speeds == Speeds::Free).then(|| {
            Mat::from_fn(m + 1, m + 1, |i, j| match (i < m, j < m) {
                (true, true) => slopes[j][i],
                (false, false) => 1.0,
                _ => 0.0,
            })
        });
        Border { phases, columns, solved, inertia, slopes, pace, slope }
    }

    /// The size of positions in lengths of the model and radians, of variables and speeds in theirs.
    fn sizes(&self, at: &Point, delta: &[f64], free: &[f64], (speeds, pace): (Speeds, f64)) -> [f64; 2] {
        let (mut places, mut others) = (0.0_f64, 0.0_f64);
        let larger = |a: f64, b: f64| if b > a || b.is_nan() { b } else { a };
        for (k, d) in delta.iter().enumerate().filter(|(k, _)| !self.is_row[*k]) {
            match (self.is_variable[k], self.cyclic[k]) {
                (true, false) => others = larger(others, d.abs() / at.state.v[k].abs().max(self.nominal[k])),
                (true, true) => others = larger(others, d.abs() / at.a[k].abs().max(self.nominal[k])),
                _ => places = larger(places, d.abs() / self.units[k]),
            }
        }
        for d in free.iter().filter(|_| speeds == Speeds::Free) {
            others = larger(others, d.abs() / pace);
        }
        [places, others]
    }

    /// Takes a share of a step.
    fn take(&self, at: &mut Point, step: &Step, part: f64, (share, speeds): (f64, Speeds)) {
        let delta: Vec<f64> = step.delta.iter().map(|d| part * d).collect();
        let frames = at.state.frames.clone();
        retract(self.system, &frames, &delta, &mut at.state.frames);
        self.system.remember(&mut at.state);
        for (k, d) in delta.iter().enumerate() {
            match (self.is_row[k], self.is_variable[k], self.cyclic[k]) {
                (true, ..) | (_, true, true) => at.a[k] += d,
                (_, true, false) => at.state.v[k] += d,
                _ => {}
            }
        }
        let free = match speeds {
            Speeds::Held => &mut at.surplus,
            Speeds::Free => &mut at.speeds,
        };
        free.iter_mut().zip(&step.free).for_each(|(x, d)| *x += part * d);
        self.set_motion(at, share);
    }

    /// Newton's method at a share of the speed; the worst equation if it fails.
    fn newton(&mut self, at: &mut Point, share: f64, speeds: Speeds) -> Result<(), usize> {
        self.set_motion(at, share);
        self.set_multipliers(at).map_err(|e| e.row)?;
        let mut last = f64::INFINITY;
        let mut worst = 0;
        for _ in 0..MAX_ITERATIONS {
            let step = self.step(at, share, speeds, None)?;
            worst = step.worst;
            let [places, others] = step.parts;
            let part = (MAX_STEP / places).min(MAX_CHANGE / others).min(1.0);
            self.take(at, &step, part, (share, speeds));
            let (found, rounding) = FOUND;
            if step.size <= found || (step.size <= rounding && step.size > CONTRACTION * last) {
                return Ok(());
            }
            last = step.size;
        }
        Err(worst)
    }

    /// A damped run in the turning axes until Newton's method ends it; the worst equation if it does not.
    fn run(&mut self, at: &mut Point, speeds: Speeds) -> Result<(), usize> {
        self.set_motion(at, 1.0);
        self.set_multipliers(at).map_err(|e| e.row)?;
        let pace = self.pace(at, 1.0);
        let mut tau = RUN_STEPS.0 / pace;
        let mut worst = 0;
        for _ in 0..RUN {
            let step = match self.step(at, 1.0, speeds, Some(tau)) {
                Ok(step) if step.parts[0] <= MAX_STEP && step.parts[1] <= CHANGES[1] => step,
                Ok(_) | Err(_) if tau > 1e-9 / pace => {
                    tau *= PACE[1];
                    continue;
                }
                Ok(step) => return Err(step.worst),
                Err(row) => return Err(row),
            };
            worst = step.worst;
            self.take(at, &step, 1.0, (1.0, speeds));
            if step.size <= CHANGES[0] {
                tau *= PACE[0];
            }
            if tau * pace > RUN_STEPS.1 {
                let mut ended = at.clone();
                if self.newton(&mut ended, 1.0, speeds).is_ok() {
                    *at = ended;
                    return Ok(());
                }
                tau *= PACE[1];
            }
        }
        Err(worst)
    }

    /// Turns everything by some angles and looks whether the same is found there.
    fn look_again(&mut self, at: &Point, speeds: Speeds) -> Result<f64, SteadyError> {
        let rates = self.rates(at, 1.0);
        let fastest = fastest(&rates);
        let (mut turned, mut angle, mut farthest) = (at.clone(), 0.0, 0.0_f64);
        for turn in LOOKS {
            angle += turn;
            self.turn(&mut turned, &rates, turn / fastest);
            self.set_motion(&mut turned, 1.0);
            let mut found = turned.clone();
            let newton = self.newton(&mut found, 1.0, speeds);
            let change = self.change(&turned, &found);
            if newton.is_err() || change.distance.is_nan() || change.distance > SAME {
                let Change { distance, what, unit } = change;
                return Err(SteadyError::Changing { angle, what, distance, unit });
            }
            farthest = farthest.max(change.distance);
        }
        Ok(farthest)
    }

    /// Lets everything go on steadily for some time, and angles be followed.
    fn turn(&self, at: &mut Point, rates: &[f64], time: f64) {
        for k in (0..self.system.nodes().len()).filter(|&k| self.kinematics.turns(k)) {
            at.state.frames[k] = self.kinematics.later(k, &at.state.frames[k], rates, time);
        }
        (0..self.cyclic.len()).filter(|&k| self.cyclic[k]).for_each(|k| at.state.v[k] += time * at.a[k]);
        at.state.t += time;
        self.system.remember(&mut at.state);
    }

    /// What differs most between a state that was turned and the one found there.
    fn change(&self, turned: &Point, found: &Point) -> Change {
        let length = self.system.length_scale();
        let mut most = Change { distance: 0.0, what: "nothing".into(), unit: "" };
        let mut note = |distance: f64, what: &dyn Fn() -> String, unit: &'static str| {
            if distance > most.distance || (distance.is_nan() && !most.distance.is_nan()) {
                most = Change { distance, what: what(), unit };
            }
        };
        for (k, (a, b)) in turned.state.frames.iter().zip(&found.state.frames).enumerate() {
            let apart = ((b.r - a.r).norm() / length).max(so3::log(&a.rot.tr_mul(&b.rot)).norm());
            note(apart, &|| format!("`{}`", self.system.nodes()[k].name), "lengths or radians");
        }
        let names = variable_names(self.system);
        for (name, &k) in names.iter().zip(&self.system.variable_equations()) {
            let of = |at: &Point| if self.cyclic[k] { at.a[k] } else { at.state.v[k] };
            let apart = (of(found) - of(turned)).abs() / of(turned).abs().max(self.nominal[k]);
            note(apart, &|| format!("`{name}`"), "of its size");
        }
        let pace = self.pace(turned, 1.0);
        let sped = turned.speeds.iter().zip(&found.speeds).map(|(a, b)| (a - b).abs() / pace);
        note(sped.fold(0.0, f64::max), &|| "the speed".into(), "of it");
        let pressed = turned.surplus.iter().zip(&found.surplus).map(|(a, b)| (a - b).abs() / (pace * pace));
        note(pressed.fold(0.0, f64::max), &|| "the balance of torques".into(), "of what inertia would be");
        most
    }
}

/// Columns B of the free speeds and rows VᵀM of their angles.
struct Border {
    phases: Vec<Vec<f64>>,
    columns: Vec<Vec<f64>>,
    /// A⁻¹ B.
    solved: Vec<Vec<f64>>,
    /// VᵀM A⁻¹ M V.
    inertia: Mat<f64>,
    /// −∂θ/∂s relative to Ω, where s are the unknowns, with a one beside it.
    slopes: Option<Mat<f64>>,
    pace: f64,
    slope: f64,
}

impl Border {
    /// Changes of s or θ with which δ and a part that is added to it keep the angles; changes the part.
    fn keep_angles(&self, delta: &[f64], part: &mut [f64]) -> Vec<f64> {
        if self.phases.is_empty() {
            return vec![];
        }
        let right: Vec<f64> = self.phases.iter().map(|phase| dot(phase, delta) + dot(phase, part)).collect();
        let mut free = divide(&self.inertia, &right);
        if let Some(slopes) = &self.slopes {
            let mut right: Vec<f64> = free.iter().map(|s| s / self.pace).collect();
            right.push(0.0);
            let solved = pseudo_solve(slopes.as_ref(), &right, INDIFFERENT);
            free = solved.map_or(vec![f64::NAN; free.len()], |x| x.0[..free.len()].to_vec());
        }
        for (free, column) in free.iter().zip(&self.solved) {
            part.iter_mut().zip(column).for_each(|(d, c)| *d -= free * c);
        }
        free
    }

    /// right −= B x.
    fn take_away(&self, free: &[f64], right: &mut [f64]) {
        for (free, column) in free.iter().zip(&self.columns) {
            right.iter_mut().zip(column).for_each(|(r, c)| *r -= free * c);
        }
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

/// A⁻¹ b of a small matrix.
fn divide(a: &Mat<f64>, b: &[f64]) -> Vec<f64> {
    pseudo_solve(a.as_ref(), b, 1e-14).map_or(vec![f64::NAN; b.len()], |x| x.0)
}

/// See [`Search::change`].
struct Change {
    distance: f64,
    what: String,
    unit: &'static str,
}

/// The fastest of some rates.
fn fastest(rates: &[f64]) -> f64 {
    rates.iter().fold(0.0, |m: f64, rate| m.max(rate.abs()))
}
