//! The kinematic study: a system whose drives leave no freedom, followed through time
//! (floating-frame-and-ancf §1.14.6).
//!
//! ```text
//! position       Φ(q, t) = 0                       Newton from the prediction q ∘ (h v + ½ h² a)
//! velocity       G v = −Φ_t
//! acceleration   [M Gᵀ; G 0] (a, λ) = (Q, −κ)      with the reactions and the efforts of the drives
//! ```
//! Rows on velocities (rate drives, rolling) know no position; over a step they hold in the mean along the
//! path τ ↦ q ∘ (τ u) to the new position,
//!
//! ```text
//! ∫₀¹ (G(q ∘ τu) u + h drift) dτ = 0        (Gauss quadrature)
//! ```
//! A row that is the rate of a coordinate integrates to that coordinate's change on every path: it is
//! followed exactly. A row that cannot be integrated (rolling) is followed with second order in the step.

use crate::audit::Worst;
use crate::halt::Halt;
use crate::motion::{Observer, Sample};
use crate::redundancy::reported_reactions;
use crate::tangent::{Tangent, Weights, largest, units};
use crate::timetable::timetable;
use poinsot_geometry::interpolation::Quadrature;
use poinsot_geometry::so3;
use poinsot_integrators::{SaddlePoint, instant, retract};
use poinsot_mechanics::{Chart, Power, Scratch, State, System};
use poinsot_numerics::irregular;
use thiserror::Error;

/// How often a step is halved before the study fails.
const MAX_CUTS: u32 = 10;
const MAX_ITERATIONS: usize = 20;
/// Residual of Φ, relative to the model's length, at which a position counts as found.
const CLOSED: f64 = 1e-13;
/// A correction larger than this share of the predicted move leaves the branch …
const JUMP: f64 = 0.5;
/// … unless it is smaller than this (rad, or relative to the model's length).
const SMALL_JUMP: f64 = 0.02;
/// Largest rotation of a body in a step (rad), so that angles stay countable.
const MAX_TURN: f64 = 1.0;
/// Smallest singular value of the scaled Jacobian, relative to the best position so far, at which rank counts
/// as lost. A residual of [`CLOSED`] leaves its square root open along the direction that loses its hold, so
/// that velocities mean nothing there.
const RANK_LOST: f64 = 1e-6;
/// A singular position counts as the cause of a failure if it is at most so many failed steps away.
const NEAR_SINGULAR: f64 = 20.0;
/// Points of the quadrature along the path of a step.
const PATH_POINTS: usize = 6;

/// Times at which the positions are wanted.
#[derive(Clone, Debug, PartialEq)]
pub struct KinematicsStudy {
    /// End time (s).
    pub end: f64,
    /// Step (s).
    pub step: f64,
    /// A sample is taken every so many steps.
    pub stride: usize,
    /// Times at which a sample is taken exactly.
    pub times: Vec<f64>,
}

/// Why a kinematic study is not possible or did not go on.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum KinematicsError {
    /// The step or the end time makes no sense.
    #[error(
        "the study needs a positive step and an end after the start: step {step} s from {start} s to {end} s"
    )]
    Times {
        /// Start time (s).
        start: f64,
        /// End time (s).
        end: f64,
        /// Step (s).
        step: f64,
    },
    /// The drives leave freedom.
    #[error(
        "the drives leave a mobility of {freedom}: body `{body}` can still move; drive it (one more drive per degree of freedom), or use `run`, which integrates the free motion"
    )]
    Underdetermined {
        /// Degrees of freedom that are left.
        freedom: usize,
        /// A body that moves in them.
        body: String,
    },
    /// A law has no value.
    #[error(
        "at t = {time:.6e} s {equation} has no finite value: look at the expressions of drives and loads there, a root, a quotient or a logarithm that leaves its range"
    )]
    NotFinite {
        /// Time (s).
        time: f64,
        /// The equation, in words.
        equation: String,
    },
    /// Nothing can move.
    #[error("the model has no bodies to follow")]
    Empty,
    /// The Jacobian loses rank.
    #[error(
        "at t = {time:.6e} s the drive passes a singular position (a dead centre or the end of its reach): {equation} is no longer independent there; drive another coordinate or stay away from that position"
    )]
    Singular {
        /// Time (s).
        time: f64,
        /// The weakest equation, in words.
        equation: String,
    },
    /// No position was found, however small the step.
    #[error(
        "no position at t = {time:.6e} s, not even after a step of {step:.3e} s: {equation} stays open by {residual:.3e}; check that the drives' laws are continuous and within the mechanism's reach"
    )]
    NotConverged {
        /// Time that was tried (s).
        time: f64,
        /// Smallest step that was tried (s).
        step: f64,
        /// The worst equation, in words.
        equation: String,
        /// Its residual.
        residual: f64,
    },
    /// The position found does not continue the motion, however small the step.
    #[error(
        "at t = {time:.6e} s the motion jumps: body `{body}` is found {correction:.3e} away from where its velocity leads, after a step of {step:.3e} s; check that the drives' laws are continuous"
    )]
    Jump {
        /// Time that was tried (s).
        time: f64,
        /// Smallest step that was tried (s).
        step: f64,
        /// The body.
        body: String,
        /// Distance (rad, or relative to the model's length).
        correction: f64,
    },
    /// A body turns too far in a step, however small.
    #[error(
        "at t = {time:.6e} s body `{body}` turns by {turn:.3} rad in a step of {step:.3e} s, too far to count its angle; use a smaller step"
    )]
    TooFast {
        /// Time that was tried (s).
        time: f64,
        /// Smallest step that was tried (s).
        step: f64,
        /// The body.
        body: String,
        /// Its rotation in that step (rad).
        turn: f64,
    },
    /// A row that was redundant at the start contradicts the others later.
    #[error(
        "at t = {time:.6e} s {equation} contradicts the other joints and drives by {residual:.3e}: it depends on them, so one drive is too many"
    )]
    Conflict {
        /// Time (s).
        time: f64,
        /// The row, in words.
        equation: String,
        /// Its residual.
        residual: f64,
    },
}

/// How a kinematic study ended.
#[derive(Clone, Debug, PartialEq)]
pub enum KinematicsEnding {
    /// Reached the end time.
    Completed,
    /// Stopped on request.
    Interrupted,
    /// The motion could not be followed further.
    Failed(KinematicsError),
    /// The observer does not go on from a sample.
    Halted(Halt),
}

/// The position that came nearest to a singular one.
#[derive(Clone, Debug, PartialEq)]
pub struct Weakest {
    /// Smallest singular value of the Jacobian; columns measured by the model's length and 1 rad, rows of
    /// length one.
    pub value: f64,
    /// The row that is least independent of the others, in words; a drive where one takes part.
    pub equation: String,
    /// Time (s).
    pub time: f64,
}

/// What a kinematic study gives besides its samples.
#[derive(Clone, Debug)]
pub struct KinematicsReport {
    /// How it ended.
    pub ending: KinematicsEnding,
    /// The state that was reached.
    pub state: State,
    /// Positions found after the start.
    pub steps: usize,
    /// Newton iterations.
    pub iterations: usize,
    /// Most iterations for one position.
    pub max_iterations: usize,
    /// How often a step was halved.
    pub cut_steps: usize,
    /// Largest |Φ|.
    pub position: Worst,
    /// Largest |Φ̇|.
    pub velocity: Worst,
    /// Largest |Φ̈|.
    pub acceleration: Worst,
    /// The weakest position.
    pub weakest: Weakest,
    /// Work supplied by drives and actuators (J).
    pub supplied: f64,
    /// Work dissipated (J).
    pub dissipated: f64,
}

/// Follows a fully driven system from a consistent state. A motion that cannot be followed to the end gives a
/// report that ends with [`KinematicsEnding::Failed`]; an error means that there is no motion to follow.
pub fn run_kinematics(
    system: &System,
    start: State,
    study: &KinematicsStudy,
    observer: &mut dyn Observer,
) -> Result<KinematicsReport, KinematicsError> {
    if !(study.step > 0.0 && study.step.is_finite() && study.end.is_finite() && study.end >= start.t) {
        return Err(KinematicsError::Times { start: start.t, end: study.end, step: study.step });
    }
    if system.size() == 0 {
        return Err(KinematicsError::Empty);
    }
    if let Some(equation) = not_finite(system, &start) {
        return Err(KinematicsError::NotFinite { time: start.t, equation });
    }
    let freedom = system.coordinates().saturating_sub(system.active_rows());
    if freedom > 0 {
        return Err(KinematicsError::Underdetermined { freedom, body: free_body(system, &start)? });
    }
    let mut run = Run::new(system, start)?;
    let ending = match run.go(study, observer) {
        Ok(ending) => ending,
        Err(error) => {
            run.sample(observer).ok();
            KinematicsEnding::Failed(error)
        }
    };
    Ok(run.report(ending))
}

/// The first constraint without a finite value or rate, in words.
fn not_finite(system: &System, state: &State) -> Option<String> {
    let zero = vec![0.0; system.size()];
    let (mut phi, mut rate, mut second) = (zero.clone(), zero.clone(), zero.clone());
    let (at, mut scratch) = (instant(state, &zero), Scratch::default());
    system.constraint_levels(&at, &mut phi, &mut rate, &mut scratch);
    system.constraint_acceleration(&at, &mut second, &mut scratch);
    let bad = |&row: &usize| !(phi[row].is_finite() && rate[row].is_finite() && second[row].is_finite());
    system.constraint_equations().iter().find(|row| bad(row)).map(|&row| system.equation_name(row))
}

/// The matrix of projections and accelerations.
const DYNAMIC: Weights = Weights { mass: 1.0, stiffness: 0.0 };

/// The body that moves most in an irregular motion that the constraints allow.
fn free_body(system: &System, state: &State) -> Result<String, KinematicsError> {
    let mut tangent = Tangent::new(system);
    let zero = vec![0.0; system.size()];
    tangent.factor(system, state, &zero, DYNAMIC).map_err(|e| singular(system, state.t, e.row))?;
    let mut still = state.clone();
    still.v.fill(0.0);
    let mut drift = zero.clone();
    system.constraint_rate(&instant(&still, &zero), &mut drift, &mut tangent.scratch);
    let unknowns = system.nodes().iter().flat_map(|n| n.unknowns());
    unknowns.for_each(|i| still.v[i] = irregular(i));
    let mut b = zero.clone();
    system.constraint_rate(&instant(&still, &zero), &mut b, &mut tangent.scratch);
    b.iter_mut().zip(&drift).for_each(|(b, d)| *b = d - *b);
    tangent.solve(&mut b);
    b.iter_mut().zip(&still.v).for_each(|(b, v)| *b += v);
    let length = system.length_scale();
    let speed = |k: usize| {
        let twist = system.twist(k, &b);
        (twist.linear.norm() / length).max(twist.angular.norm())
    };
    let fastest = (1..system.nodes().len()).max_by(|&j, &k| speed(j).total_cmp(&speed(k)));
    Ok(fastest.map_or_else(String::new, |k| system.nodes()[k].name.clone()))
}

fn singular(system: &System, time: f64, row: usize) -> KinematicsError {
    KinematicsError::Singular { time, equation: system.equation_name(row) }
}

/// Why a step was not taken.
enum Trouble {
    /// No convergence: worst equation and its residual.
    Open(usize, f64),
    /// Off the branch: node and distance.
    Jump(usize, f64),
    /// Singular matrix at an equation.
    Singular(usize),
    /// A body turns too far in one step: node and angle.
    Turn(usize, f64),
}

struct Run<'a> {
    system: &'a System,
    tangent: Tangent,
    saddle: SaddlePoint,
    state: State,
    /// Accelerations and multipliers at the state.
    a: Vec<f64>,
    zero: Vec<f64>,
    units: Vec<f64>,
    length: f64,
    /// Equations of rows on velocities.
    velocity_rows: Vec<usize>,
    /// Points and weights of the quadrature on [0, 1].
    path: Vec<(f64, f64)>,
    rank: Rank,
    /// Largest of the smallest singular values so far.
    firmest: f64,
    scratch: Scratch,
    power: Power,
    sampled: Option<f64>,
    report: KinematicsReport,
}

impl<'a> Run<'a> {
    fn new(system: &'a System, start: State) -> Result<Self, KinematicsError> {
        let n = system.size();
        let length = system.length_scale();
        let Quadrature { points, weights } = Quadrature::gauss_legendre(PATH_POINTS);
        let path = points.iter().zip(&weights).map(|(x, w)| (0.5 * (1.0 + x), 0.5 * w)).collect();
        let report = KinematicsReport {
            ending: KinematicsEnding::Completed,
            state: start.clone(),
            steps: 0,
            iterations: 0,
            max_iterations: 0,
            cut_steps: 0,
            position: Worst::default(),
            velocity: Worst::default(),
            acceleration: Worst::default(),
            weakest: Weakest { value: f64::INFINITY, equation: String::new(), time: start.t },
            supplied: 0.0,
            dissipated: 0.0,
        };
        let mut run = Run {
            system,
            tangent: Tangent::new(system),
            saddle: SaddlePoint::new(system),
            state: start,
            a: vec![0.0; n],
            zero: vec![0.0; n],
            units: units(system, length),
            length,
            velocity_rows: system.velocity_equations(),
            path,
            rank: Rank::new(system),
            firmest: 0.0,
            scratch: Scratch::default(),
            power: Power::default(),
            sampled: None,
            report,
        };
        let t = run.state.t;
        let fail = |e: poinsot_numerics::lu::PivotError| singular(system, t, e.row);
        run.tangent.factor(system, &run.state, &run.zero, DYNAMIC).map_err(fail)?;
        run.saddle.accelerations(system, &run.state, &mut run.a).map_err(fail)?;
        run.power = system.power(&instant(&run.state, &run.a), &mut run.scratch);
        run.measure()?;
        Ok(run)
    }

    fn go(
        &mut self,
        study: &KinematicsStudy,
        observer: &mut dyn Observer,
    ) -> Result<KinematicsEnding, KinematicsError> {
        if let Err(halt) = self.sample(observer) {
            return Ok(KinematicsEnding::Halted(halt));
        }
        for target in timetable(self.state.t, study.end, study.step, study.stride, &study.times, &[], &[]) {
            self.advance(target.time, 0)?;
            if target.sample {
                self.check_dropped()?;
                if let Err(halt) = self.sample(observer) {
                    return Ok(KinematicsEnding::Halted(halt));
                }
            }
            if !observer.keep_going(target.time) {
                self.sample(observer).ok();
                return Ok(KinematicsEnding::Interrupted);
            }
        }
        Ok(KinematicsEnding::Completed)
    }

    /// Goes to `time` in one step, or where that fails in two halves, and so on.
    fn advance(&mut self, time: f64, cuts: u32) -> Result<(), KinematicsError> {
        let trouble = match self.step(time) {
            Ok(()) => return self.measure(),
            Err(trouble) => trouble,
        };
        if cuts == MAX_CUTS {
            let there = State { t: time, ..self.state.clone() };
            return Err(match not_finite(self.system, &there) {
                Some(equation) => KinematicsError::NotFinite { time, equation },
                None => self.failure(time, trouble),
            });
        }
        self.report.cut_steps += 1;
        let middle = 0.5 * (self.state.t + time);
        self.advance(middle, cuts + 1)?;
        self.advance(time, cuts + 1)
    }

    fn step(&mut self, time: f64) -> Result<(), Trouble> {
        let (mut trial, iterations) = self.position(time)?;
        self.report.iterations += iterations;
        self.report.max_iterations = self.report.max_iterations.max(iterations);
        let mut a = self.a.clone();
        self.velocity(&mut trial)?;
        self.saddle.accelerations(self.system, &trial, &mut a).map_err(|e| Trouble::Singular(e.row))?;
        self.system.remember_with(&mut trial, &mut self.scratch);
        let h = time - self.state.t;
        self.state = trial;
        self.a = a;
        self.report.steps += 1;
        self.add_work(h);
        Ok(())
    }

    /// Solves Φ(q, t) = 0 from the prediction; returns the state with the velocities of before.
    fn position(&mut self, time: f64) -> Result<(State, usize), Trouble> {
        let system = self.system;
        let h = time - self.state.t;
        let mut u = self.zero.clone();
        for i in system.nodes().iter().flat_map(|n| n.unknowns()) {
            u[i] = h * (self.state.v[i] + 0.5 * h * self.a[i]);
        }
        let turns = (1..system.nodes().len()).map(|k| (k, system.twist(k, &u).angular.norm()));
        if let Some((node, turn)) = turns.max_by(|x, y| x.1.total_cmp(&y.1)).filter(|x| x.1 > MAX_TURN) {
            return Err(Trouble::Turn(node, turn));
        }
        let predicted = u.clone();
        let mut trial = self.state.clone();
        trial.t = time;
        retract(system, &self.state.frames, &u, &mut trial.frames);
        let mut best = f64::INFINITY;
        let mut b = self.zero.clone();
        for iteration in 0..MAX_ITERATIONS {
            self.open(&trial, &u, h, &mut b);
            let (worst, size) = largest(&b);
            let done = size <= CLOSED * self.length;
            // Round-off may end the iteration a little above the tolerance.
            if done || (size <= 1e3 * CLOSED * self.length && size >= 0.5 * best) {
                self.check_branch(&predicted, &u)?;
                return Ok((trial, iteration));
            }
            if !size.is_finite() || (iteration > 3 && size > 1e3 * best) {
                return Err(Trouble::Open(worst, size));
            }
            best = best.min(size);
            b.iter_mut().for_each(|r| *r = -*r);
            self.factor(&trial)?;
            self.tangent.solve(&mut b);
            let frames = trial.frames.clone();
            retract(system, &frames, &b, &mut trial.frames);
            self.update_move(&trial, &b, &mut u);
        }
        self.open(&trial, &u, h, &mut b);
        let (worst, size) = largest(&b);
        Err(Trouble::Open(worst, size))
    }

    fn factor(&mut self, at: &State) -> Result<(), Trouble> {
        self.tangent.factor(self.system, at, &self.zero, DYNAMIC).map_err(|e| Trouble::Singular(e.row))
    }

    /// Φ of the holonomic rows, and of the rows on velocities the integral along the path τ ↦ q ∘ (τ u).
    fn open(&mut self, trial: &State, u: &[f64], h: f64, b: &mut [f64]) {
        b.fill(0.0);
        self.system.constraint_residual(&instant(trial, &self.zero), b, &mut self.scratch);
        if self.velocity_rows.is_empty() {
            return;
        }
        let mut on_path = self.state.clone();
        on_path.v.iter_mut().zip(u).for_each(|(v, u)| *v = u / h);
        let mut rates = self.zero.clone();
        for &(tau, weight) in &self.path {
            let part: Vec<f64> = u.iter().map(|u| tau * u).collect();
            retract(self.system, &self.state.frames, &part, &mut on_path.frames);
            on_path.t = self.state.t + tau * h;
            self.system.constraint_rate(&instant(&on_path, &self.zero), &mut rates, &mut self.scratch);
            self.velocity_rows.iter().for_each(|&eq| b[eq] += h * weight * rates[eq]);
        }
    }

    /// The move u with q⁺ = q ∘ u after a correction by δ.
    fn update_move(&self, trial: &State, delta: &[f64], u: &mut [f64]) {
        for (k, node) in self.system.nodes().iter().enumerate() {
            node.unknowns().for_each(|i| u[i] += delta[i]);
            if node.chart == Chart::Motion {
                let turn = so3::log(&self.state.frames[k].rot.tr_mul(&trial.frames[k].rot));
                u[node.unknowns()][3..].copy_from_slice(turn.as_slice());
            }
        }
    }

    /// A correction that is not small against the predicted move has left the branch.
    fn check_branch(&self, predicted: &[f64], u: &[f64]) -> Result<(), Trouble> {
        let (mut moved, mut correction): (f64, (usize, f64)) = (0.0, (0, 0.0));
        let nodes = self.system.nodes().iter().enumerate().filter(|(_, n)| !n.chart.is_number());
        for (k, node) in nodes {
            for i in node.unknowns() {
                moved = moved.max((predicted[i] / self.units[i]).abs());
                let by = ((u[i] - predicted[i]) / self.units[i]).abs();
                if by > correction.1 {
                    correction = (k, by);
                }
            }
        }
        let allowed = (JUMP * moved).max(SMALL_JUMP);
        if correction.1 > allowed { Err(Trouble::Jump(correction.0, correction.1)) } else { Ok(()) }
    }

    /// G v = −drift.
    fn velocity(&mut self, trial: &mut State) -> Result<(), Trouble> {
        self.factor(trial)?;
        let mut b = self.zero.clone();
        self.system.constraint_rate(&instant(trial, &self.zero), &mut b, &mut self.scratch);
        b.iter_mut().for_each(|r| *r = -*r);
        self.tangent.solve(&mut b);
        for i in self.system.nodes().iter().flat_map(|n| n.unknowns()) {
            trial.v[i] += b[i];
        }
        Ok(())
    }

    /// Work of the step by the trapezoidal rule.
    fn add_work(&mut self, h: f64) {
        let power = self.system.power(&instant(&self.state, &self.a), &mut self.scratch);
        self.report.supplied += 0.5 * h * (self.power.supplied + power.supplied);
        self.report.dissipated += 0.5 * h * (self.power.dissipated + power.dissipated);
        self.power = power;
    }

    /// Notes residuals and the distance from a singular position; the factors must be those of the state.
    fn measure(&mut self) -> Result<(), KinematicsError> {
        let (system, t) = (self.system, self.state.t);
        let at = instant(&self.state, &self.a);
        let mut rows = self.zero.clone();
        let note = |worst: &mut Worst, rows: &[f64]| {
            let (eq, value) = largest(rows);
            worst.note(value, t, || system.equation_name(eq));
        };
        system.constraint_residual(&at, &mut rows, &mut self.scratch);
        note(&mut self.report.position, &rows);
        system.constraint_rate(&at, &mut rows, &mut self.scratch);
        note(&mut self.report.velocity, &rows);
        system.constraint_acceleration(&at, &mut rows, &mut self.scratch);
        note(&mut self.report.acceleration, &rows);

        let value = self.rank.estimate(system, &self.tangent, &self.units, t);
        if value < self.report.weakest.value {
            let equation = system.equation_name(self.weakest_row());
            self.report.weakest = Weakest { value, equation, time: t };
        }
        self.firmest = self.firmest.max(value);
        if value.is_nan() || value <= RANK_LOST * self.firmest {
            // Velocities and reactions mean nothing here: no sample of this position.
            self.sampled = Some(t);
            return Err(singular(system, t, self.weakest_row()));
        }
        Ok(())
    }

    /// The largest entry of the left singular vector; among the driven rows, if one of them takes part.
    fn weakest_row(&mut self) -> usize {
        let mut still = self.state.clone();
        still.v.fill(0.0);
        let mut drift = self.zero.clone();
        self.system.constraint_rate(&instant(&still, &self.zero), &mut drift, &mut self.scratch);
        let (any, size) = largest(&self.rank.left);
        let driven: Vec<f64> =
            self.rank.left.iter().zip(&drift).map(|(l, d)| if *d != 0.0 { *l } else { 0.0 }).collect();
        let (drive, share) = largest(&driven);
        if share > 0.01 * size { drive } else { any }
    }

    /// Rows out of force must still hold.
    fn check_dropped(&mut self) -> Result<(), KinematicsError> {
        let state = &self.state;
        let worst = self.system.dropped_residual(state.t, &state.frames, &state.memory);
        let Some((residual, equation)) = worst else { return Ok(()) };
        if residual > 1e-6 * self.length {
            return Err(KinematicsError::Conflict { time: state.t, equation, residual });
        }
        self.report.position.note(residual, state.t, || equation);
        Ok(())
    }

    fn failure(&mut self, time: f64, trouble: Trouble) -> KinematicsError {
        let (system, step) = (self.system, time - self.state.t);
        if let Some(at) = self.rank.vanishes()
            && at - self.state.t <= NEAR_SINGULAR * step
        {
            return singular(system, at, self.weakest_row());
        }
        match trouble {
            Trouble::Open(eq, residual) => {
                KinematicsError::NotConverged { time, step, equation: system.equation_name(eq), residual }
            }
            Trouble::Jump(node, correction) => {
                KinematicsError::Jump { time, step, body: system.nodes()[node].name.clone(), correction }
            }
            Trouble::Singular(row) => singular(system, time, row),
            Trouble::Turn(node, turn) => {
                KinematicsError::TooFast { time, step, body: system.nodes()[node].name.clone(), turn }
            }
        }
    }

    fn sample(&mut self, observer: &mut dyn Observer) -> Result<(), Halt> {
        if self.sampled == Some(self.state.t) {
            return Ok(());
        }
        self.sampled = Some(self.state.t);
        let a = reported_reactions(self.system, &self.state, &self.a).unwrap_or_else(|_| self.a.clone());
        let at = instant(&self.state, &a);
        let balance = self.system.balance(&at, &mut self.scratch);
        let (supplied, dissipated) = (self.report.supplied, self.report.dissipated);
        observer.sample(self.system, &Sample { at, balance: &balance, supplied, dissipated })
    }

    fn report(self, ending: KinematicsEnding) -> KinematicsReport {
        KinematicsReport { ending, state: self.state, ..self.report }
    }
}

/// The smallest singular value of the scaled Jacobian Ĝ = N⁻¹ G D, D the units of the unknowns, N the norms
/// of the rows of G D, by inverse iteration with ĜᵀĜ. For a square G the matrix [M Gᵀ; G 0] contains both
/// inverses:
///
/// ```text
/// [M Gᵀ; G 0]⁻¹ (f, 0) = (0, G⁻ᵀ f),        [M Gᵀ; G 0]⁻¹ (0, w) = (G⁻¹ w, …)
/// ```
struct Rank {
    /// Right singular vector, in the unknowns' entries.
    right: Vec<f64>,
    /// Left singular vector, in the constraint entries.
    left: Vec<f64>,
    is_row: Vec<bool>,
    norms: Vec<f64>,
    started: bool,
    /// The last two times and squares of the value.
    history: [(f64, f64); 2],
}

impl Rank {
    fn new(system: &System) -> Self {
        let is_row = system.is_constraint_row();
        let right = is_row.iter().enumerate().map(|(k, row)| if *row { 0.0 } else { irregular(k) }).collect();
        let zero = vec![0.0; system.size()];
        let history = [(f64::NEG_INFINITY, 0.0); 2];
        Rank { right, left: zero.clone(), is_row, norms: zero, started: false, history }
    }

    fn estimate(&mut self, system: &System, factored: &Tangent, units: &[f64], t: f64) -> f64 {
        self.row_norms(system, factored.values(), units);
        let rounds = if self.started { 3 } else { 12 };
        self.started = true;
        let mut value = 0.0;
        normalize(&mut self.right);
        for _ in 0..rounds {
            // left = N G⁻ᵀ D⁻¹ right
            self.left.copy_from_slice(&self.right);
            self.left.iter_mut().zip(units).for_each(|(x, d)| *x /= d);
            factored.solve(&mut self.left);
            self.keep(true);
            if normalize(&mut self.left) == 0.0 {
                return 0.0;
            }
            // right = D⁻¹ G⁻¹ N left
            self.right.iter_mut().zip(&self.left).zip(&self.norms).for_each(|((r, l), n)| *r = l * n);
            factored.solve(&mut self.right);
            self.right.iter_mut().zip(units).for_each(|(x, d)| *x /= d);
            self.keep(false);
            let size = normalize(&mut self.right);
            value = if size.is_finite() { 1.0 / size } else { 0.0 };
            if value == 0.0 {
                break;
            }
        }
        self.history = [self.history[1], (t, value * value)];
        value
    }

    /// Clears the entries that do not belong: of `left` those of unknowns (scaling the rest), of `right`
    /// those of rows.
    fn keep(&mut self, left: bool) {
        for (k, &row) in self.is_row.iter().enumerate() {
            match (left, row) {
                (true, true) => self.left[k] *= self.norms[k],
                (true, false) => self.left[k] = 0.0,
                (false, true) => self.right[k] = 0.0,
                (false, false) => {}
            }
        }
    }

    /// Norms of the rows of G D, read from the columns of Gᵀ.
    fn row_norms(&mut self, system: &System, values: &[f64], units: &[f64]) {
        let pattern = system.pattern();
        for eq in (0..self.is_row.len()).filter(|&eq| self.is_row[eq]) {
            let entries = pattern.rows(eq).iter().zip(pattern.slots(eq));
            let square: f64 = entries.map(|(&i, slot)| (values[slot] * units[i]).powi(2)).sum();
            self.norms[eq] = square.sqrt();
        }
    }

    /// When the value would reach zero: near the end of a drive's reach its square falls linearly.
    fn vanishes(&self) -> Option<f64> {
        let [(t0, s0), (t1, s1)] = self.history;
        (s1 < s0 && t0.is_finite()).then(|| t1 + s1 * (t1 - t0) / (s0 - s1))
    }
}

/// Scales to unit length; returns the length before.
fn normalize(x: &mut [f64]) -> f64 {
    let size = x.iter().map(|x| x * x).sum::<f64>().sqrt();
    if size > 0.0 {
        x.iter_mut().for_each(|x| *x /= size);
    }
    size
}
