//! Whether a linearised system stays what it is while time goes on. Eigenvalues judge only if it does:
//! an oscillator whose stiffness pulses may grow though it is stable at every instant, and an inverted
//! pendulum on a shaken support may stand though it is unstable at every instant.
//!
//! The system is linearised again at other instants, about the motion that goes on steadily for the observer,
//!
//! ```text
//! r(t + τ) = r + ∫ exp(Ω s) ds ṙ,      R(t + τ) = exp(Ω τ) exp((ω − Ω) τ) R,      velocities as the observer sees them
//! ```
//! and about a position of rest as time alone goes on: drives by position give v and a what they prescribe,
//! algebraic variables follow their equations, multipliers their loads; drives by rate stay as they are at
//! the instant of the study. A load that only depends on time moves the state and not the matrices;
//! `forcing.rs` looks what that does. Two linearised systems are one if
//!
//! ```text
//! (K̂ + σ Ĉ + σ² M) y + Gᵀ μ = f,      (σ G + N̂) y = 0      have the same y for the same f, in the observer's axes,
//! ```
//! at several σ: whatever rows the constraints have and however these mix with time. What rounding
//! does to y is measured with a matrix that differs in its last digits.

use crate::forcing::reaching;
use crate::linear::{Linear, SeenBy, for_each_entry, observer_spin};
use crate::tangent::units;
use poinsot_geometry::{Mat3, so3};
use poinsot_integrators::{Factors, SaddlePoint, instant};
use poinsot_mechanics::{Chart, Linearization, NodeId, Scratch, State, System};
use poinsot_numerics::dense::{Mat, expand};
use poinsot_numerics::irregular;
use poinsot_numerics::subspace::pseudo_solve;

/// Instants that a position of rest is looked at again, after that of the study (s): in no simple
/// ratio with each other, so that no period hits them all.
const WAITS: [f64; 9] =
    [0.0, 1.618034e-4, 2.236068e-3, 3.141593e-2, 0.577216, 1.202057, 7.389056, 46.86712, 1618.034];
/// The same for a motion, as turns of its fastest body (rad).
const TURNS: [f64; 6] = [0.0618034, 0.577216, 1.202057, 2.236068, 7.389056, 331.7231];
/// Turn of a body (rad) within which a joint follows its angle.
const FOLLOWED: f64 = 2.0;
/// A change of y below this share is none.
const STEADY: f64 = 1e-8;
/// Change of the last digits, and how often what it does to y is surely more than rounding does.
const LAST_DIGITS: f64 = 1e-13;
const SURE: f64 = 1e3;
/// Forces that are tried.
const PROBES: usize = 3;
/// Newton steps for algebraic variables.
const FOLLOWING: usize = 8;

/// How a linearised system changes with time.
#[derive(Clone, Debug, PartialEq)]
pub struct Changing {
    /// Largest change of what a force does, relative to that.
    pub share: f64,
    /// How long after the instant of the study (s).
    pub after: f64,
    /// The unknown that it was seen at, in words.
    pub at: String,
    /// What changes with time, in words, where it reaches the linearised system by moving the state alone.
    pub by: Vec<String>,
}

/// How the system, linearised about a state with its accelerations and multipliers, changes with
/// time for an observer; none if it does not.
pub fn changing(system: &System, state: &State, a: &[f64], observer: NodeId) -> Option<Changing> {
    let speed = |k: usize| {
        let twist = system.twist(k, &state.v);
        twist.angular.norm().max(twist.linear.norm() / system.length_scale())
    };
    let fastest = (0..system.nodes().len()).map(speed).fold(0.0, f64::max);
    let later: Vec<(f64, State, Vec<f64>)> = match fastest > 0.0 {
        true => TURNS
            .iter()
            .filter_map(|turn| going_on((system, state, a), observer, turn / fastest, *turn))
            .collect(),
        false => waiting(system, state, a),
    };
    if later.is_empty() {
        return None;
    }
    let first = Linear::about(system, state, a, observer);
    let mut comparison = Comparison::new(system, &first, fastest)?;
    let mut worst: Option<Changing> = None;
    for (after, later, a) in &later {
        let other = Linear::about(system, later, a, observer);
        let seen = SeenBy::new(system, state, later, observer);
        if let Some((share, equation)) = comparison.with(&other, &seen)
            && worst.as_ref().is_none_or(|w| share > w.share)
        {
            let at = system.equation_name(equation);
            worst = Some(Changing { share, after: *after, at, by: vec![] });
        }
    }
    worst.or_else(|| {
        let moments = match fastest > 0.0 {
            true => later
                .into_iter()
                .map(|(after, later, _)| turned((system, state, a), observer, after, later))
                .collect(),
            false => later
                .into_iter()
                .map(|(after, _, _)| (after, at_time(state, after), a.to_vec()))
                .collect::<Vec<_>>(),
        };
        reaching(system, (state, a), observer, &moments, &mut comparison)
    })
}

/// The same position of rest some time later.
fn at_time(state: &State, after: f64) -> State {
    State { t: state.t + after, ..state.clone() }
}

/// A later state of a steady motion with the accelerations of the first as the observer sees them.
fn turned((system, state, a): At, observer: NodeId, after: f64, later: State) -> (f64, State, Vec<f64>) {
    let mut turned = a.to_vec();
    SeenBy::new(system, state, &later, observer).turn(system, &mut turned);
    (after, later, turned)
}

/// Drives by rate that stand at a position of rest and move at another time.
pub fn moving_later(system: &System, state: &State) -> Vec<String> {
    let mut s = Scratch::default();
    let zero = vec![0.0; system.size()];
    let mut rates = |wait: f64| {
        let mut rest = state.clone();
        system.nodes().iter().for_each(|node| rest.v[node.unknowns()].fill(0.0));
        rest.t += wait;
        let mut out = zero.clone();
        system.constraint_rate(&instant(&rest, &zero), &mut out, &mut s);
        out
    };
    let first = rates(0.0);
    let others: Vec<Vec<f64>> = WAITS.iter().map(|wait| rates(*wait)).collect();
    let moves = |eq: &usize| others.iter().any(|other| other[*eq].is_finite() && other[*eq] != first[*eq]);
    system.velocity_equations().into_iter().filter(moves).map(|eq| system.equation_name(eq)).collect()
}

type At<'a> = (&'a System, &'a State, &'a [f64]);

/// The motion that goes on for some time as the observer sees it now.
fn going_on(
    (system, state, a): At,
    observer: NodeId,
    time: f64,
    turn: f64,
) -> Option<(f64, State, Vec<f64>)> {
    let spin = observer_spin(system, state, observer);
    let mut later = state.clone();
    let steps = (turn / FOLLOWED).ceil().max(1.0) as usize;
    for step in 1..=steps {
        let dt = time * step as f64 / steps as f64;
        for (k, node) in system.nodes().iter().enumerate() {
            let (frame, twist) = (&state.frames[k], system.twist(k, &state.v));
            match node.chart {
                Chart::Fixed => {}
                Chart::Parameter | Chart::Number => later.frames[k].r.x = frame.r.x + dt * twist.linear.x,
                _ => {
                    let own = frame.rot * twist.angular - spin;
                    later.frames[k].r = frame.r + dt * (so3::spatial_tangent(&(dt * spin)) * twist.linear);
                    later.frames[k].rot = so3::exp(&(dt * spin)) * so3::exp(&(dt * own)) * frame.rot;
                }
            }
        }
        system.remember(&mut later);
    }
    later.t += time;
    SeenBy::new(system, state, &later, observer).turn(system, &mut later.v);
    let mut b = a.to_vec();
    SaddlePoint::new(system).accelerations(system, &later, &mut b).ok()?;
    system.network_rates(&later, &mut b, &mut Scratch::default());
    b.iter().all(|b| b.is_finite()).then_some((time, later, b))
}

/// A position of rest at the instants at which anything is other than now.
fn waiting(system: &System, state: &State, a: &[f64]) -> Vec<(f64, State, Vec<f64>)> {
    let mut rest = Rest::new(system, state, a);
    WAITS.iter().filter_map(|wait| rest.after(*wait)).collect()
}

/// A position of rest while time goes on.
struct Rest<'a> {
    at: At<'a>,
    on_velocities: Vec<usize>,
    saddle: SaddlePoint,
    scratch: Scratch,
    /// All that equations and matrices say at the instant of the study.
    first: Vec<f64>,
}

impl<'a> Rest<'a> {
    fn new(system: &'a System, state: &'a State, a: &'a [f64]) -> Self {
        let on_velocities = system.velocity_equations();
        let (saddle, scratch) = (SaddlePoint::new(system), Scratch::default());
        let mut rest = Rest { at: (system, state, a), on_velocities, saddle, scratch, first: vec![] };
        rest.first = rest.everything(state);
        rest
    }

    /// Residuals, rates, accelerations and the step matrix, to be compared bit by bit.
    fn everything(&mut self, state: &State) -> Vec<f64> {
        let (system, _, a) = self.at;
        let (at, n) = (instant(state, a), system.size());
        let mut all = vec![0.0; 3 * n + system.pattern().nnz()];
        let (residual, rest) = all.split_at_mut(n);
        let (rate, rest) = rest.split_at_mut(n);
        let (acceleration, matrix) = rest.split_at_mut(n);
        system.residual(&at, residual, &mut self.scratch);
        system.constraint_rate(&at, rate, &mut self.scratch);
        system.constraint_acceleration(&at, acceleration, &mut self.scratch);
        for &eq in &self.on_velocities {
            (residual[eq], rate[eq], acceleration[eq]) = (0.0, 0.0, 0.0);
        }
        let identity = vec![Mat3::identity(); system.nodes().len()];
        let networks = !system.networks().is_empty();
        let linearization = Linearization {
            mass: 1.0,
            damping: 0.7,
            stiffness: 0.3,
            gamma: 1.0,
            networks,
            ..Linearization::at(at, &identity)
        };
        system.step_matrix(&linearization, matrix, &mut self.scratch);
        all
    }

    /// The position with what is prescribed some time later; none if nothing is other than now.
    fn after(&mut self, wait: f64) -> Option<(f64, State, Vec<f64>)> {
        let (system, state, a) = self.at;
        let mut later = state.clone();
        later.t += wait;
        let everything = self.everything(&later);
        let same = everything.iter().zip(&self.first).all(|(x, y)| x.to_bits() == y.to_bits());
        let stands = wait > 0.0 || !self.is_driven(state);
        // A law may end somewhere; beyond that it says nothing.
        if (same && stands) || everything.iter().any(|x| !x.is_finite()) {
            return None;
        }
        follow_algebraic(system, a, &mut later);
        let mut a = a.to_vec();
        // Without inertia in some direction there are no accelerations; then loads alone are compared.
        if self.saddle.factor_at(system, &later, &a).is_ok() {
            self.prescribe(&mut later, &mut a);
        }
        (later.v.iter().chain(&a).all(|x| x.is_finite())).then_some((wait, later, a))
    }

    /// Whether a drive moves at the instant of the study, so that nothing can rest.
    fn is_driven(&mut self, state: &State) -> bool {
        let (system, zero) = (self.at.0, vec![0.0; self.at.0.size()]);
        let (mut rate, mut acceleration) = (zero.clone(), zero.clone());
        system.constraint_rate(&instant(state, &zero), &mut rate, &mut self.scratch);
        system.constraint_acceleration(&instant(state, &zero), &mut acceleration, &mut self.scratch);
        system.hold_variables(&mut rate);
        system.hold_variables(&mut acceleration);
        rate.iter().chain(&acceleration).any(|x| *x != 0.0)
    }

    /// Velocities and accelerations that drives prescribe, with the multipliers of the loads of that instant.
    /// What loads accelerate beyond that is the answer to them, and no part of the state.
    fn prescribe(&mut self, later: &mut State, a: &mut [f64]) {
        let (system, state, zero) = (self.at.0, self.at.1, vec![0.0; self.at.0.size()]);
        let mut now = later.clone();
        now.t = state.t;
        let mut rate = zero.clone();
        system.constraint_rate(&instant(later, &zero), &mut rate, &mut self.scratch);
        self.hold_rates(&now, &zero, &mut rate, System::constraint_rate);
        self.saddle.solve(&mut rate);
        system.nodes().iter().flat_map(|n| n.unknowns()).for_each(|i| later.v[i] -= rate[i]);
        now.v.clone_from(&later.v);
        let answer = |loads: &State, this: &mut Self| {
            let mut b = a.to_vec();
            system.clear_accelerations(&mut b);
            let mut right = zero.clone();
            system.residual(&instant(loads, &b), &mut right, &mut this.scratch);
            system.constraint_acceleration(&instant(later, &b), &mut right, &mut this.scratch);
            this.hold_rates(&now, &b, &mut right, System::constraint_acceleration);
            this.saddle.solve(&mut right);
            b.iter_mut().zip(&right).for_each(|(b, r)| *b -= r);
            b
        };
        let (moved, loaded) = (answer(&now, self), answer(later, self));
        let is_row = system.is_constraint_row();
        for (k, a) in a.iter_mut().enumerate() {
            *a = if is_row[k] { loaded[k] } else { moved[k] };
        }
    }

    /// Rows on velocities as at the instant of the study, variables held.
    fn hold_rates(
        &mut self,
        now: &State,
        a: &[f64],
        out: &mut [f64],
        of: fn(&System, &poinsot_mechanics::Instant, &mut [f64], &mut Scratch),
    ) {
        let system = self.at.0;
        let mut held = vec![0.0; out.len()];
        of(system, &instant(now, a), &mut held, &mut self.scratch);
        self.on_velocities.iter().for_each(|&eq| out[eq] = held[eq]);
        system.hold_variables(out);
    }
}

/// Variables without rates satisfy the equations without rates again.
pub(crate) fn follow_algebraic(system: &System, a: &[f64], later: &mut State) {
    let mut scratch = Scratch::default();
    let equations = system.algebraic_equations();
    if equations.is_empty() {
        return;
    }
    for _ in 0..FOLLOWING {
        let linear = Linear::about(system, later, a, 0);
        let mut with_rate = vec![false; system.size()];
        for_each_entry(system, |_, column, slot| with_rate[column] |= linear.mass[slot] != 0.0);
        let variables: Vec<usize> =
            system.variable_equations().into_iter().filter(|&eq| !with_rate[eq]).collect();
        let mut right = vec![0.0; system.size()];
        system.constraint_rate(&instant(later, a), &mut right, &mut scratch);
        let damping = expand(system.pattern(), &linear.damping);
        let size = |j: usize| later.v[variables[j]].abs().max(1.0);
        let by = |i: usize| {
            let row = (0..variables.len()).map(|j| (damping[(equations[i], variables[j])] * size(j)).abs());
            row.fold(f64::MIN_POSITIVE, f64::max)
        };
        let matrix = Mat::from_fn(equations.len(), variables.len(), |i, j| {
            damping[(equations[i], variables[j])] * size(j) / by(i)
        });
        let right: Vec<f64> = equations.iter().enumerate().map(|(i, &eq)| right[eq] / by(i)).collect();
        let Ok((step, _)) = pseudo_solve(matrix.as_ref(), &right, 1e-12) else { return };
        let steps: Vec<f64> = step.iter().enumerate().map(|(j, s)| s * size(j)).collect();
        if steps.iter().any(|s| !s.is_finite()) {
            return;
        }
        variables.iter().zip(&steps).for_each(|(&eq, step)| later.v[eq] -= step);
        if step.iter().all(|s| s.abs() <= 1e-14) {
            return;
        }
    }
}

/// What forces do to a linearised system, for comparison with others.
pub(crate) struct Comparison<'a> {
    system: &'a System,
    first: &'a Linear,
    shifts: Vec<Shift>,
    factors: Factors,
}

/// Forces at one σ, and what they do.
struct Shift {
    sigma: f64,
    forces: Vec<Vec<f64>>,
    answers: Vec<Vec<f64>>,
    /// Usual size of each unknown, and what rounding makes of it.
    sizes: Vec<f64>,
    rounding: Vec<f64>,
}

impl<'a> Comparison<'a> {
    /// None if the system says nothing: without unknowns.
    fn new(system: &'a System, linear: &'a Linear, fastest: f64) -> Option<Self> {
        let mut factors = Factors::new(system);
        let mut shifts = vec![];
        for sigma in shifts_of(system, linear, fastest) {
            let matrix = linear.combine(system, [1.0, sigma, sigma * sigma], sigma);
            let forces = forces(system, &linear.is_row, &matrix);
            let Some(answers) = answers_of(system, &mut factors, &matrix, &forces) else { continue };
            let last_digits = |(k, x): (usize, &f64)| x * (1.0 + LAST_DIGITS * irregular(k));
            let rounded: Vec<f64> = matrix.iter().enumerate().map(last_digits).collect();
            let Some(others) = answers_of(system, &mut factors, &rounded, &forces) else { continue };
            let sizes = group_sizes(system, &answers, None);
            let rounding = group_sizes(system, &answers, Some(&others));
            shifts.push(Shift { sigma, forces, answers, sizes, rounding });
        }
        (!shifts.is_empty()).then_some(Comparison { system, first: linear, shifts, factors })
    }

    /// The system that others are compared with.
    pub fn first(&self) -> &'a Linear {
        self.first
    }

    /// The rates σ at which they are.
    pub fn rates(&self) -> Vec<f64> {
        self.shifts.iter().map(|shift| shift.sigma).collect()
    }

    /// The largest change, relative, and its unknown; none if it is rounding.
    pub fn with(&mut self, other: &Linear, seen: &SeenBy) -> Option<(f64, usize)> {
        let mut worst: Option<(f64, usize)> = None;
        for shift in &self.shifts {
            let sigma = shift.sigma;
            let matrix = other.combine(self.system, [1.0, sigma, sigma * sigma], sigma);
            let turned = |of: &Vec<f64>| {
                let mut turned = of.clone();
                seen.turn(self.system, &mut turned);
                turned
            };
            let forces: Vec<Vec<f64>> = shift.forces.iter().map(turned).collect();
            let expected: Vec<Vec<f64>> = shift.answers.iter().map(turned).collect();
            let Some(answers) = answers_of(self.system, &mut self.factors, &matrix, &forces) else {
                continue;
            };
            let changes = group_sizes(self.system, &expected, Some(&answers));
            for (k, change) in changes.iter().enumerate() {
                let size = shift.sizes[k];
                let real = *change > STEADY * size && *change > SURE * shift.rounding[k];
                if real && worst.is_none_or(|(share, _)| change / size > share) {
                    worst = Some((change / size, k));
                }
            }
        }
        worst
    }
}

/// σ from the slowest to the fastest of the unknowns, each taken alone; away from round
/// numbers, where an eigenvalue could be.
fn shifts_of(system: &System, linear: &Linear, fastest: f64) -> Vec<f64> {
    let diagonal =
        |values: &[f64], i: usize| system.pattern().index(i, i).map_or(0.0, |slot| values[slot].abs());
    let mut rates = vec![];
    for i in (0..system.size()).filter(|&i| !linear.is_row[i]) {
        let [m, c, k] = [&linear.mass, &linear.damping, &linear.stiffness].map(|of| diagonal(of, i));
        rates.extend([(k / m).sqrt(), c / m].into_iter().filter(|rate| rate.is_finite() && *rate > 0.0));
    }
    let low = rates.iter().copied().fold(f64::INFINITY, f64::min);
    let high = rates.iter().copied().fold(0.0, f64::max);
    if high == 0.0 {
        return vec![1.3719 * if fastest > 0.0 { fastest } else { 1.0 }];
    }
    let low = low.max(1e-6 * high);
    let mut shifts = vec![1.3719 * low, 1.3719 * (low * high).sqrt(), 1.3719 * high];
    shifts.dedup();
    shifts
}

/// Irregular forces in proportion to what usual displacements call for; none on constraint rows.
fn forces(system: &System, is_row: &[bool], matrix: &[f64]) -> Vec<Vec<f64>> {
    let unit = units(system, system.length_scale());
    let mut size = vec![0.0_f64; system.size()];
    for_each_entry(system, |row, column, slot| {
        if !is_row[row] && !is_row[column] {
            size[row] = size[row].max((matrix[slot] * unit[column]).abs());
        }
    });
    let probe = |p: usize| (0..size.len()).map(|k| size[k] * irregular(k + 131 * p)).collect();
    (0..PROBES).map(probe).collect()
}

/// What forces do; none where the matrix is singular.
fn answers_of(
    system: &System,
    factors: &mut Factors,
    matrix: &[f64],
    forces: &[Vec<f64>],
) -> Option<Vec<Vec<f64>>> {
    factors.factor(system, matrix).ok()?;
    let answer = |force: &Vec<f64>| {
        let mut y = force.clone();
        factors.solve(&mut y);
        y.iter().all(|y| y.is_finite()).then_some(y)
    };
    forces.iter().map(answer).collect()
}

/// The largest value, or difference of two, in each group of unknowns that have one unit: places of
/// a node, tilts of a node, a variable. Multipliers have none.
fn group_sizes(system: &System, values: &[Vec<f64>], others: Option<&[Vec<f64>]>) -> Vec<f64> {
    let mut sizes = vec![0.0; system.size()];
    let largest = |k: usize| {
        let each = values.iter().enumerate();
        each.map(|(p, v)| (v[k] - others.map_or(0.0, |o| o[p][k])).abs()).fold(0.0, f64::max)
    };
    for node in system.nodes() {
        let (all, places) = (node.unknowns(), node.chart.linear_dofs());
        let split = all.start + places;
        for group in [all.start..split, split..all.end] {
            let size = group.clone().map(largest).fold(0.0, f64::max);
            sizes[group].fill(size);
        }
    }
    system.variable_equations().into_iter().for_each(|eq| sizes[eq] = largest(eq));
    sizes
}
