//! Periodic motions by Fourier collocation (motion-interpolation-galerkin §1.17, §1.22, F46).
//!
//! A motion is known by its places at N equidistant times t_k of the period T, N odd. Velocities and
//! accelerations are those of the trigonometric polynomials through them, in natural coordinates: origin and
//! axes of every frame are periodic, also where it makes whole turns.
//!
//! ```text
//! ṙ_k = Σ_j D_kj r_j,     ω_k = axial( R_kᵀ Σ_j D_kj R_j ),     v̇_k = Σ_j D_kj v_j,     η̇_k = Σ_j D_kj η_j
//! R(t_k, q_k, v_k, v̇_k, λ_k, η_k, η̇_k) = 0,     Φ(t_k, q_k) = 0
//! ```
//! All times are coupled with all others: the matrix is dense in time, its error falls faster than any power
//! of N for a smooth motion. With a free period D goes with 1/T, and the motion is held in its phase,
//! Σ_k v_k·δq_k = 0.

use crate::periodic::Orbit;
use crate::tangent::{largest, units};
use poinsot_geometry::interpolation::{Basis, Fourier};
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::retract;
use poinsot_mechanics::{Chart, Instant, Level, Node, Scratch, State, StepPolynomial, System, Twist};
use poinsot_numerics::dense::{DenseError, DenseLu, Mat};
use std::f64::consts::TAU;
use thiserror::Error;

/// Most unknowns of all times together.
const MOST_UNKNOWNS: usize = 6000;
/// Most iterations.
const MOST_ITERATIONS: usize = 30;
/// Largest increment of a finished iteration, in units of the model.
const SMALL: f64 = 1e-12;
/// A velocity below this, in units of the model and of the period, is rounding.
const ROUNDED: f64 = 1e-11;
/// Largest part of a turn, and of the length of the model, that an increment may have.
const REACH: f64 = 0.5;

/// A periodic motion by its states at equidistant times.
#[derive(Clone, Debug)]
pub struct FourierOrbit {
    /// States with accelerations and multipliers.
    pub motion: Vec<(State, Vec<f64>)>,
    /// The period (s).
    pub period: f64,
    /// Size of the highest harmonics of velocities and variables beside the whole: what is cut off is of this
    /// size.
    pub edge: f64,
    /// Iterations that were needed.
    pub iterations: usize,
}

/// Why there is no such motion.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FourierOrbitError {
    /// Times must be odd in number.
    #[error("{0} times in a period: an odd number is needed, at least 3")]
    Samples(usize),
    /// Too many unknowns for a dense matrix.
    #[error(
        "{0} unknowns at all times together, more than the {MOST_UNKNOWNS} that a dense matrix is made for"
    )]
    TooLarge(usize),
    /// The iteration does not converge.
    #[error("the iteration does not converge: {0} changes most")]
    NotConverged(String),
    /// The matrix is singular.
    #[error("the equations are singular: the motion is not isolated")]
    Singular,
    /// A dense computation failed.
    #[error(transparent)]
    Dense(#[from] DenseError),
}

/// The motion near a guess at N times of the period; with `free` the period is unknown.
pub fn fourier_orbit(
    system: &System,
    guess: Vec<State>,
    period: f64,
    free: bool,
) -> Result<FourierOrbit, FourierOrbitError> {
    search(system, guess, period, free, None)
}

/// The motion of so many harmonics near a guess at more times of the period than they need: harmonic balance
/// with alternating frequency and time. With F the orthonormal basis 1, cos jWt, sin jWt, j = 1 … n_H, the
/// harmonics of the equations vanish, and increments are of such harmonics,
///
/// ```text
/// (F ⊗ I) R = 0,     δq = (Fᵀ ⊗ I) ŷ
/// ```
/// What the equations have above n_H does not fold back as long as the times resolve it.
pub fn harmonic_balance(
    system: &System,
    guess: Vec<State>,
    period: f64,
    free: bool,
    harmonics: usize,
) -> Result<FourierOrbit, FourierOrbitError> {
    if guess.len() <= 2 * harmonics {
        return Err(FourierOrbitError::Samples(guess.len()));
    }
    search(system, guess, period, free, Some(harmonics))
}

fn search(
    system: &System,
    guess: Vec<State>,
    period: f64,
    free: bool,
    harmonics: Option<usize>,
) -> Result<FourierOrbit, FourierOrbitError> {
    let count = guess.len();
    if count < 3 || count.is_multiple_of(2) {
        return Err(FourierOrbitError::Samples(count));
    }
    let size = count * system.size() + usize::from(free);
    if size > MOST_UNKNOWNS {
        return Err(FourierOrbitError::TooLarge(size));
    }
    let mut collocation = Collocation::new(system, guess, period, free);
    collocation.harmonics = harmonics;
    let unit = units(system, system.length_scale());
    for iteration in 1..=MOST_ITERATIONS {
        collocation.take_rates();
        let mut increment = collocation.residual();
        increment.iter_mut().for_each(|x| *x = -*x);
        let matrix = collocation.matrix();
        match harmonics {
            None => DenseLu::new(matrix.as_ref())?.solve(&mut increment),
            Some(kept) => {
                let balance = Balance::new(count, system.size(), kept, free);
                let mut harmonics = balance.gathered(&increment);
                DenseLu::new(balance.reduced(&matrix).as_ref())?.solve(&mut harmonics);
                increment = balance.spread(&harmonics);
            }
        }
        if increment.iter().any(|x| !x.is_finite()) {
            return Err(FourierOrbitError::Singular);
        }
        let (worst, change) = collocation.size_of(&increment, &unit);
        collocation.improve(&increment, (REACH / change).min(1.0));
        if change < SMALL {
            collocation.take_rates();
            return Ok(collocation.finish(iteration));
        }
        if iteration == MOST_ITERATIONS {
            return Err(FourierOrbitError::NotConverged(system.equation_name(worst)));
        }
    }
    unreachable!("the loop ends with a motion or an error")
}

/// F, with the period left as it is.
struct Balance {
    basis: Mat<f64>,
    n: usize,
    border: usize,
}

impl Balance {
    fn new(count: usize, n: usize, harmonics: usize, free: bool) -> Self {
        let value = |h: usize, k: usize| {
            let angle = TAU * (h.div_ceil(2) * k) as f64 / count as f64;
            match h {
                0 => (1.0 / count as f64).sqrt(),
                _ if h % 2 == 1 => (2.0 / count as f64).sqrt() * angle.cos(),
                _ => (2.0 / count as f64).sqrt() * angle.sin(),
            }
        };
        Balance { basis: Mat::from_fn(2 * harmonics + 1, count, value), n, border: usize::from(free) }
    }

    /// (F ⊗ I) x.
    fn gathered(&self, x: &[f64]) -> Vec<f64> {
        let (f, n) = (&self.basis, self.n);
        let of = |i: usize| (0..f.ncols()).map(|k| f[(i / n, k)] * x[n * k + i % n]).sum();
        let mut out: Vec<f64> = (0..f.nrows() * n).map(of).collect();
        out.extend(&x[f.ncols() * n..]);
        out
    }

    /// (Fᵀ ⊗ I) ŷ.
    fn spread(&self, y: &[f64]) -> Vec<f64> {
        let (f, n) = (&self.basis, self.n);
        let of = |i: usize| (0..f.nrows()).map(|h| f[(h, i / n)] * y[n * h + i % n]).sum();
        let mut out: Vec<f64> = (0..f.ncols() * n).map(of).collect();
        out.extend(&y[f.nrows() * n..]);
        out
    }

    /// (F ⊗ I) J (Fᵀ ⊗ I).
    fn reduced(&self, matrix: &Mat<f64>) -> Mat<f64> {
        let (full, own) = (matrix.nrows(), self.basis.nrows() * self.n + self.border);
        let mut half = Mat::zeros(own, full);
        for c in 0..full {
            let column: Vec<f64> = (0..full).map(|r| matrix[(r, c)]).collect();
            self.gathered(&column).into_iter().enumerate().for_each(|(r, x)| half[(r, c)] = x);
        }
        let mut out = Mat::zeros(own, own);
        for r in 0..own {
            let row: Vec<f64> = (0..full).map(|c| half[(r, c)]).collect();
            self.gathered(&row).into_iter().enumerate().for_each(|(c, x)| out[(r, c)] = x);
        }
        out
    }
}

impl FourierOrbit {
    /// The state at a time, of the trigonometric polynomials through all states; velocities as they are there,
    /// to be moved onto the constraints by whom that matters.
    pub fn state_at(&self, system: &System, t: f64) -> State {
        let count = self.motion.len();
        let start = self.motion[0].0.t;
        let basis = Fourier::new(count, start, self.period).expect("times and a period");
        let (mut weights, mut slopes) = (vec![0.0; count], vec![0.0; count]);
        basis.evaluate(t, &mut weights, &mut slopes);
        let before = (((t - start) / self.period * count as f64).floor().max(0.0) as usize).min(count - 1);
        let mut state = State { t, rates: vec![], ..self.motion[before].0.clone() };
        let parts = || self.motion.iter().map(|(state, _)| state).zip(&weights);
        for (id, frame) in state.frames.iter_mut().enumerate() {
            frame.r = parts().map(|(state, w)| state.frames[id].r * *w).sum();
            let axes: Mat3 = parts().map(|(state, w)| state.frames[id].rot * *w).sum();
            frame.rot = so3::orthonormalize(&axes);
        }
        for (e, v) in state.v.iter_mut().enumerate() {
            *v = parts().map(|(state, w)| state.v[e] * w).sum();
        }
        system.remember_with(&mut state, &mut Scratch::default());
        state
    }

    /// Its states and their ends a period later, in equal elements.
    pub fn orbit(&self, system: &System) -> Orbit {
        let states: Vec<State> = self.motion.iter().map(|(state, _)| state.clone()).collect();
        let (first, last) = (&states[0], &states[states.len() - 1]);
        let mut end = State { t: first.t + self.period, memory: last.memory.clone(), ..first.clone() };
        system.remember_with(&mut end, &mut Scratch::default());
        let fractions = Orbit::equal(states.len());
        Orbit { states, end, fractions, period: self.period }
    }
}

/// The motion in progress.
struct Collocation<'s> {
    system: &'s System,
    states: Vec<State>,
    /// v̇, η̇ and λ at each time.
    a: Vec<Vec<f64>>,
    period: f64,
    free: bool,
    /// D.
    d: Mat<f64>,
    kinds: Kinds,
    scratch: Scratch,
    /// Harmonics that are kept, where they are fewer than the times have.
    harmonics: Option<usize>,
}

/// What the equations of a system are.
struct Kinds {
    /// Rows out of force.
    idle: Vec<bool>,
    /// Rows of constraints on positions.
    level: Vec<bool>,
    /// Rows on velocities and algebraic equations, in which velocities and values come first.
    velocity: Vec<bool>,
    /// Multipliers.
    multiplier: Vec<bool>,
    /// Variables of networks.
    variable: Vec<bool>,
}

impl Kinds {
    fn new(system: &System) -> Self {
        let mark = |equations: Vec<usize>| {
            let mut marks = vec![false; system.size()];
            equations.into_iter().for_each(|eq| marks[eq] = true);
            marks
        };
        let multiplier = mark(system.constraint_equations());
        let (enforced, on_velocities) =
            (mark(system.enforced_equations()), mark(system.velocity_equations()));
        let algebraic = mark(system.algebraic_equations());
        let each = |f: &dyn Fn(usize) -> bool| (0..system.size()).map(f).collect();
        Kinds {
            idle: each(&|e| multiplier[e] && !enforced[e]),
            level: each(&|e| enforced[e] && !on_velocities[e]),
            velocity: each(&|e| enforced[e] && on_velocities[e] || algebraic[e]),
            variable: mark(system.variable_equations()),
            multiplier,
        }
    }

    /// The powers of the system's polynomial begin with accelerations, velocities or positions.
    fn first(&self, e: usize) -> usize {
        2 * usize::from(self.level[e]) + usize::from(self.velocity[e])
    }
}

impl<'s> Collocation<'s> {
    fn new(system: &'s System, states: Vec<State>, period: f64, free: bool) -> Self {
        let count = states.len();
        let basis = Fourier::new(count, 0.0, period).expect("an odd number of times and a period");
        Collocation {
            d: Mat::from_fn(count, count, |k, j| basis.derivative(k, j)),
            a: vec![vec![0.0; system.size()]; count],
            kinds: Kinds::new(system),
            scratch: Scratch::default(),
            harmonics: None,
            system,
            states,
            period,
            free,
        }
    }

    /// Σ_j D_kj R_j.
    fn axes_rate(&self, node: usize, k: usize) -> Mat3 {
        (0..self.states.len()).map(|j| self.states[j].frames[node].rot * self.d[(k, j)]).sum()
    }

    /// Velocities and accelerations from the places.
    fn take_rates(&mut self) {
        let count = self.states.len();
        for (id, node) in self.system.nodes().iter().enumerate() {
            for k in 0..count {
                let linear: Vec3 = (0..count).map(|j| self.states[j].frames[id].r * self.d[(k, j)]).sum();
                let turned = self.states[k].frames[id].rot.tr_mul(&self.axes_rate(id, k));
                let twist = Twist { linear, angular: axial(&turned) };
                node.chart.velocities(&twist, &mut self.states[k].v[node.unknowns()]);
            }
        }
        for e in (0..self.system.size()).filter(|&e| !self.kinds.multiplier[e]) {
            for k in 0..count {
                self.a[k][e] = (0..count).map(|j| self.states[j].v[e] * self.d[(k, j)]).sum();
            }
        }
    }

    /// What the equations leave at all times, one after the other; last that of the phase, nothing.
    fn residual(&mut self) -> Vec<f64> {
        let n = self.system.size();
        let mut out = vec![0.0; self.states.len() * n + usize::from(self.free)];
        let mut phi = vec![0.0; n];
        for (k, out) in out.chunks_exact_mut(n).take(self.states.len()).enumerate() {
            let (state, a) = (&self.states[k], &self.a[k]);
            phi.fill(0.0);
            self.system.residual_with_levels(&at(state, a), out, Some(&mut phi), &mut self.scratch);
            for e in 0..n {
                if self.kinds.idle[e] {
                    out[e] = a[e];
                } else if self.kinds.level[e] {
                    out[e] = phi[e];
                }
            }
        }
        out
    }

    /// The derivative of the residual by increments in the charts, variables, multipliers, and the period.
    fn matrix(&mut self) -> Mat<f64> {
        let (system, count, n) = (self.system, self.states.len(), self.system.size());
        let size = count * n + usize::from(self.free);
        let motions = self.motions();
        let mut matrix = Mat::zeros(size, size);
        let identity = vec![Mat3::identity(); system.nodes().len()];
        let mut polynomial = StepPolynomial::new(system);
        let node_of = node_of(system);
        let pattern = system.pattern();
        for k in 0..count {
            let instant = at(&self.states[k], &self.a[k]);
            system.step_polynomial(instant, &identity, Level::Position, &mut polynomial, &mut self.scratch);
            for c in 0..n {
                for (&row, slot) in pattern.rows(c).iter().zip(pattern.slots(c)) {
                    if self.kinds.idle[row] {
                        continue;
                    }
                    let own = n * k + row;
                    // Factors of acceleration, velocity and position, or of a multiplier.
                    let parts = [0, 1, 2].map(|power| polynomial.powers[power][slot]);
                    if self.kinds.multiplier[c] {
                        matrix[(own, n * k + c)] += parts[0];
                        continue;
                    }
                    let first = self.kinds.first(row);
                    let by = |level: usize| if level < first { 0.0 } else { parts[level - first] };
                    if by(0) == 0.0 && by(1) == 0.0 && by(2) == 0.0 {
                        continue;
                    }
                    if self.free {
                        let (v, a) = (self.states[k].v[c], self.a[k][c]);
                        let rate = if self.kinds.variable[c] { 0.0 } else { by(1) * v };
                        let second = if self.kinds.variable[c] { by(0) * a } else { 2.0 * by(0) * a };
                        matrix[(own, size - 1)] -= (rate + second) / self.period;
                    }
                    if self.kinds.variable[c] {
                        matrix[(own, n * k + c)] += by(1);
                        for j in 0..count {
                            matrix[(own, n * j + c)] += by(0) * self.d[(k, j)];
                        }
                        continue;
                    }
                    matrix[(own, n * k + c)] += by(2);
                    let (node, local) = node_of[c];
                    let (places, chart) = (&motions[node], &system.nodes()[node]);
                    for j in 0..count {
                        for m in chart.unknowns() {
                            let to = (local, m - chart.unknowns().start);
                            let [v, a] = places.changes(k, j, to);
                            matrix[(own, n * j + m)] += by(1) * v + by(0) * a;
                        }
                    }
                }
            }
            (0..n).filter(|&e| self.kinds.idle[e]).for_each(|e| matrix[(n * k + e, n * k + e)] = 1.0);
        }
        if self.free {
            for (k, state) in self.states.iter().enumerate() {
                let moving = (0..n).filter(|&e| !self.kinds.multiplier[e] && !self.kinds.variable[e]);
                moving.for_each(|e| matrix[(size - 1, n * k + e)] = state.v[e]);
                let variables = (0..n).filter(|&e| self.kinds.variable[e]);
                variables.for_each(|e| matrix[(size - 1, n * k + e)] = self.a[k][e]);
            }
        }
        matrix
    }

    /// How velocities and accelerations of all nodes follow their places.
    fn motions(&self) -> Vec<NodeRates> {
        let nodes = self.system.nodes().iter().enumerate();
        nodes.map(|(id, node)| NodeRates::new(self, id, node)).collect()
    }

    /// The largest increment in units of the model, and where.
    fn size_of(&self, increment: &[f64], unit: &[f64]) -> (usize, f64) {
        let n = self.system.size();
        let mut scaled = vec![0.0; n];
        for increment in increment.chunks_exact(n) {
            for e in (0..n).filter(|&e| !self.kinds.multiplier[e]) {
                let size = match self.kinds.variable[e] {
                    true => self.states.iter().map(|state| state.v[e].abs()).fold(1.0, f64::max),
                    false => unit[e],
                };
                scaled[e] = f64::max(scaled[e], increment[e].abs() / size);
            }
        }
        largest(&scaled)
    }

    fn improve(&mut self, increment: &[f64], part: f64) {
        let n = self.system.size();
        for (k, increment) in increment.chunks_exact(n).take(self.states.len()).enumerate() {
            let moved: Vec<f64> = increment.iter().map(|x| part * x).collect();
            let state = &mut self.states[k];
            let before = state.frames.clone();
            retract(self.system, &before, &moved, &mut state.frames);
            for (e, moved) in moved.iter().enumerate() {
                if self.kinds.multiplier[e] {
                    self.a[k][e] += moved;
                } else if self.kinds.variable[e] {
                    state.v[e] += moved;
                }
            }
            self.system.remember_with(state, &mut self.scratch);
        }
        if self.free {
            let period = self.period + part * increment[increment.len() - 1];
            let count = self.states.len();
            let start = self.states[0].t;
            self.d = Mat::from_fn(count, count, |k, j| self.d[(k, j)] * (self.period / period));
            self.period = period;
            for (k, state) in self.states.iter_mut().enumerate() {
                state.t = start + period * k as f64 / count as f64;
            }
        }
    }

    fn finish(self, iterations: usize) -> FourierOrbit {
        let edge = self.edge();
        let motion = self.states.into_iter().zip(self.a).collect();
        FourierOrbit { motion, period: self.period, edge, iterations }
    }

    /// The two highest harmonics of velocities and variables beside all of them: of symmetric motions every
    /// other one vanishes. Below rounding in units of the model nothing moves.
    fn edge(&self) -> f64 {
        let count = self.states.len();
        let highest = self.harmonics.unwrap_or(count / 2);
        let unit = units(self.system, self.system.length_scale());
        let size = |e: usize| {
            let seen = self.states.iter().map(|state| state.v[e].abs()).fold(0.0, f64::max);
            match self.kinds.variable[e] {
                true => (seen, 0.0),
                false => (seen * self.period / (TAU * unit[e]), ROUNDED),
            }
        };
        let (mut cut, mut all) = (0.0f64, 0.0f64);
        for e in (0..self.system.size()).filter(|&e| !self.kinds.multiplier[e]) {
            let (seen, rounded) = size(e);
            if seen <= rounded {
                continue;
            }
            let largest = self.states.iter().map(|state| state.v[e].abs()).fold(0.0, f64::max);
            all = all.max(largest);
            for harmonic in highest.saturating_sub(1).max(1)..=highest {
                let [mut cosine, mut sine] = [0.0, 0.0];
                for (k, state) in self.states.iter().enumerate() {
                    let angle = TAU * (harmonic * k) as f64 / count as f64;
                    cosine += state.v[e] * angle.cos();
                    sine += state.v[e] * angle.sin();
                }
                cut = cut.max(2.0 * f64::hypot(cosine, sine) / count as f64);
            }
        }
        if all > 0.0 { cut / all } else { 0.0 }
    }
}

/// The node and the place in it of every unknown of a node.
fn node_of(system: &System) -> Vec<(usize, usize)> {
    let mut out = vec![(0, 0); system.size()];
    for (id, node) in system.nodes().iter().enumerate() {
        node.unknowns().enumerate().for_each(|(local, e)| out[e] = (id, local));
    }
    out
}

fn at<'a>(state: &'a State, a: &'a [f64]) -> Instant<'a> {
    poinsot_integrators::instant(state, a)
}

/// axial(X) of X = −Xᵀ, of its skew part for others.
fn axial(x: &Mat3) -> Vec3 {
    Vec3::new(x[(2, 1)] - x[(1, 2)], x[(0, 2)] - x[(2, 0)], x[(1, 0)] - x[(0, 1)]) * 0.5
}

/// δv_k and δa_k of a node by its increments at t_j.
struct NodeRates {
    count: usize,
    /// ∂v_k/∂q_j, at count·k + j.
    velocity: Vec<[[f64; 6]; 6]>,
    acceleration: Vec<[[f64; 6]; 6]>,
}

impl NodeRates {
    /// ```text
    /// δω_k = Σ_j D_kj ½ (tr B I − Bᵀ) δψ_j − ½ (tr A I − A) δψ_k,     B = R_kᵀ R_j,  A = R_kᵀ Σ_j D_kj R_j
    /// ```
    fn new(orbit: &Collocation, id: usize, node: &Node) -> Self {
        let (count, dofs) = (orbit.states.len(), node.chart.dofs());
        let mut velocity = vec![[[0.0; 6]; 6]; count * count];
        let rot = |k: usize| &orbit.states[k].frames[id].rot;
        let turns = matches!(node.chart, Chart::Motion | Chart::Planar { .. });
        let vector = node.chart.vector_dofs();
        // Columns of the chart among turns, and its rows.
        let axes: Vec<Vec3> = match node.chart {
            Chart::Motion => vec![Vec3::x(), Vec3::y(), Vec3::z()],
            Chart::Planar { normal, .. } => vec![normal],
            _ => vec![],
        };
        for k in 0..count {
            let rate = if turns { rot(k).tr_mul(&orbit.axes_rate(id, k)) } else { Mat3::zeros() };
            for j in 0..count {
                let block = &mut velocity[count * k + j];
                (0..vector).for_each(|m| block[m][m] = orbit.d[(k, j)]);
                if !turns {
                    continue;
                }
                let b = rot(k).tr_mul(rot(j));
                let mut turn = (Mat3::identity() * b.trace() - b.transpose()) * (0.5 * orbit.d[(k, j)]);
                if j == k {
                    turn -= (Mat3::identity() * rate.trace() - rate) * 0.5;
                }
                for (m, row) in axes.iter().enumerate() {
                    for (l, column) in axes.iter().enumerate() {
                        block[vector + m][vector + l] = row.dot(&(turn * column));
                    }
                }
            }
        }
        let mut acceleration = vec![[[0.0; 6]; 6]; count * count];
        for k in 0..count {
            for (i, j) in (0..count).flat_map(|i| (0..count).map(move |j| (i, j))) {
                let (d, from) = (orbit.d[(k, i)], &velocity[count * i + j]);
                let to = &mut acceleration[count * k + j];
                for (to, from) in to.iter_mut().zip(from).take(dofs) {
                    to.iter_mut().zip(from).take(dofs).for_each(|(to, from)| *to += d * from);
                }
            }
        }
        NodeRates { count, velocity, acceleration }
    }

    /// Of velocity and acceleration, in some row and column.
    fn changes(&self, k: usize, j: usize, (row, column): (usize, usize)) -> [f64; 2] {
        let place = self.count * k + j;
        [self.velocity[place][row][column], self.acceleration[place][row][column]]
    }
}
