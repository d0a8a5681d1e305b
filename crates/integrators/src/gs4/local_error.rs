//! The local error of a step of second order.
//!
//! The accelerations A that belong to (q, v) at the grid points follow the exact motion through (qₙ, vₙ) up
//! to O(h³), whatever the method stores. The polynomial P through the newest of them therefore gives the
//! exact increments up to O(h⁴), and
//!
//! ```text
//! e_v = v⁺ − v − ∫ P dt          e_q = Δq − h v − ∫∫ P dt² − (h³/12) ω × ω̇
//! P(t_n + θh) = A_n + θ D₁ + θ(θ−1) D₂ + θ(θ−1)(θ−c) D₃,     A_{n−1} at θ = c < 0
//! ∫ P dt   = h  (A_n   + D₁/2 − D₂/6  − (1/12 − c/6)  D₃)
//! ∫∫ P dt² = h² (A_n/2 + D₁/6 − D₂/12 − (1/30 − c/12) D₃)
//! ```
//! is asymptotically the local error of every member, with its own weights, switches, shifted accelerations
//! and steps of any length: nothing about the member enters but what it did. The last term is that of the
//! rotation vector (Magnus' series). In the first step, or after steps without an estimate, a point in the
//! middle of the step takes the place of A_{n−1}; D₃ comes in with the third step.
//!
//! A comes from one correction with the step matrix, A := A₀ − S⁻¹ (M A₀ + Gᵀλ₀ − Q; G A₀ + κ), with A₀
//! extrapolated from the points before. In stiff directions S⁻¹ holds the correction back, so that stiff
//! parts that the method damps do not rule the estimate.
//!
//! Where the form pulls a part of v normal to the constraints back (position level, Baumgarte), v⁺ and vₙ
//! stand for their tangential parts, through which alone there is an exact motion.
//!
//! The estimate is projected onto G e_q = 0 and G e_v + ∂(Gv)/∂q e_q = 0 where the step holds these levels.
//! What the constraints hold has no error, and the (−1)ⁿ modes that position-level constraints leave in the
//! stored acceleration (gs4-isochronous-integrators I-53) stand normal to the constraints and do not come in:
//! neither a nor λ̃ of the method is used. A level that nothing holds and nothing pulls back drifts for ever:
//! Φ̇ = 0 alone has an exact motion through every q, Φ̈ = 0 alone one through every (q, v), and errors normal
//! to the constraints add up like all others. Where Baumgarte's form pulls positions back they stand open by
//! x, G x = Φ(q⁺), as long as the motion lasts. That does not add up: a step counts its share (h/T) x of it.

use crate::linear::factors::Factors;
use crate::linear::saddle_point::retract;
use poinsot_mechanics::{Chart, Frame, Instant, Scratch, System};

/// A step that has been solved but not accepted.
#[derive(Clone, Copy, Debug)]
pub(crate) struct SolvedStep<'a> {
    pub system: &'a System,
    pub factors: &'a Factors,
    /// The matrix that is factored.
    pub values: &'a [f64],
    pub h: f64,
    pub start: Instant<'a>,
    pub end: Instant<'a>,
    /// Increment of position.
    pub moved: &'a [f64],
    /// Accelerations and multipliers of the stage: a guess for the first step.
    pub stage: &'a [f64],
    pub constraint_rows: &'a [usize],
    pub velocity_rows: &'a [usize],
    /// What becomes of errors normal to the constraints.
    pub normal: Normal,
}

/// What becomes of errors normal to the constraints.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Normal {
    /// Positions keep them.
    pub position_drifts: bool,
    /// Velocities keep them.
    pub velocity_drifts: bool,
    /// Velocities have a part that is pulled back.
    pub loose: bool,
    /// Positions have one: the part of it that a step counts.
    pub open: Option<f64>,
}

/// Accelerations at the grid points and the estimate made last.
#[derive(Debug)]
pub(crate) struct LocalError {
    /// Accelerations with multipliers of the last grid points, newest first.
    grid: [Vec<f64>; 3],
    times: [f64; 3],
    known: usize,
    /// Those of the end of the step in trial.
    end: Vec<f64>,
    end_time: f64,
    middle: Vec<f64>,
    work: Vec<f64>,
    frames: Vec<Frame>,
    v: Vec<f64>,
    /// Tangential velocities at both ends of the step.
    start_v: Vec<f64>,
    end_v: Vec<f64>,
    pub position: Vec<f64>,
    pub velocity: Vec<f64>,
}

/// Corrections of a guess that is only of first order.
const FIRST_CORRECTIONS: usize = 3;

impl LocalError {
    pub fn new(system: &System, frames: &[Frame]) -> Self {
        let zero = vec![0.0; system.size()];
        LocalError {
            grid: [zero.clone(), zero.clone(), zero.clone()],
            times: [0.0; 3],
            known: 0,
            end: zero.clone(),
            end_time: f64::NAN,
            middle: zero.clone(),
            work: zero.clone(),
            frames: frames.to_vec(),
            v: zero.clone(),
            start_v: zero.clone(),
            end_v: zero.clone(),
            position: zero.clone(),
            velocity: zero,
        }
    }

    /// Estimates the local error of a trial.
    pub fn estimate(&mut self, trial: &SolvedStep, s: &mut Scratch) {
        self.find_start(trial, s);
        self.find_end(trial, s);
        if self.known < 2 {
            self.find_middle(trial, s);
        }
        self.integrate(trial);
        if !trial.constraint_rows.is_empty() {
            if !trial.normal.position_drifts {
                self.make_position_tangent(trial);
            }
            if !trial.normal.velocity_drifts {
                self.make_velocity_tangent(trial, s);
            }
            if let Some(share) = trial.normal.open {
                self.add_opening(trial, share, s);
            }
        }
    }

    /// The trial has been accepted: its end is a grid point.
    pub fn accept(&mut self, t: f64) {
        if self.end_time.is_nan() {
            self.known = 0;
            return;
        }
        std::mem::swap(&mut self.start_v, &mut self.end_v);
        self.grid.rotate_right(1);
        self.grid[0].copy_from_slice(&self.end);
        self.times = [t, self.times[0], self.times[1]];
        self.known = (self.known + 1).min(3);
        self.end_time = f64::NAN;
    }

    /// The trial is dropped.
    pub fn forget_trial(&mut self) {
        self.end_time = f64::NAN;
    }

    /// A_n, where it is not known from the step before.
    fn find_start(&mut self, trial: &SolvedStep, s: &mut Scratch) {
        if self.known == 0 {
            find_tangential(trial, &trial.start, &mut self.start_v, [&mut self.work, &mut self.middle], s);
            let start = Instant { v: &self.start_v, ..trial.start };
            self.grid[0].copy_from_slice(trial.stage);
            for _ in 0..FIRST_CORRECTIONS {
                correct(trial, &start, &mut self.grid[0], &mut self.work, s);
            }
            self.times[0] = trial.start.t;
            self.known = 1;
        }
    }

    /// A_{n+1}, from the parabola or the line through the points before.
    fn find_end(&mut self, trial: &SolvedStep, s: &mut Scratch) {
        self.end_time = trial.end.t;
        let [t1, t2, t3] = self.times.map(|t| (t - self.times[0]) / trial.h);
        let (weights, corrections) = match self.known {
            0 | 1 => ([1.0, 0.0, 0.0], FIRST_CORRECTIONS),
            2 => ([(1.0 - t2) / (t1 - t2), (1.0 - t1) / (t2 - t1), 0.0], 2),
            _ => {
                let basis = |a: f64, b: f64, c: f64| (1.0 - b) * (1.0 - c) / ((a - b) * (a - c));
                ([basis(t1, t2, t3), basis(t2, t1, t3), basis(t3, t1, t2)], 1)
            }
        };
        let [a1, a2, a3] = &self.grid;
        for i in 0..self.end.len() {
            self.end[i] = weights[0] * a1[i] + weights[1] * a2[i] + weights[2] * a3[i];
        }
        find_tangential(trial, &trial.end, &mut self.end_v, [&mut self.work, &mut self.middle], s);
        let end = Instant { v: &self.end_v, ..trial.end };
        for _ in 0..corrections {
            correct(trial, &end, &mut self.end, &mut self.work, s);
        }
    }

    /// The acceleration in the middle of the step, where Hermite's cubics through both ends lead.
    fn find_middle(&mut self, trial: &SolvedStep, s: &mut Scratch) {
        let (h, start, v, end_v) = (trial.h, &trial.start, &self.start_v, &self.end_v);
        for i in 0..self.v.len() {
            self.middle[i] = 0.5 * (self.grid[0][i] + self.end[i]);
            self.v[i] = 0.5 * (v[i] + end_v[i]) + 0.125 * h * (self.grid[0][i] - self.end[i]);
            self.work[i] = 0.5 * trial.moved[i] + 0.125 * h * (v[i] - end_v[i]);
        }
        for &row in trial.constraint_rows {
            (self.v[row], self.work[row]) = (0.0, 0.0);
        }
        retract(trial.system, start.frames, &self.work, &mut self.frames);
        let at = Instant { t: start.t + 0.5 * h, frames: &self.frames, v: &self.v, ..*start };
        for _ in 0..FIRST_CORRECTIONS {
            correct(trial, &at, &mut self.middle, &mut self.work, s);
        }
    }

    /// e_q and e_v.
    fn integrate(&mut self, trial: &SolvedStep) {
        let (h, v, end_v) = (trial.h, &self.start_v, &self.end_v);
        let at = |k: usize| (self.times[k] - self.times[0]) / h;
        let (third, c) = if self.known < 2 { (&self.middle, 0.5) } else { (&self.grid[1], at(1)) };
        // Without a fourth point D₃ is left out.
        let fourth = (self.known >= 3).then(|| (&self.grid[2], at(2)));
        let now = &self.grid[0];
        for i in 0..now.len() {
            let d1 = self.end[i] - now[i];
            let d2 = ((third[i] - now[i]) / c - d1) / (c - 1.0);
            let d3 = fourth.map_or(0.0, |(a, d)| (((a[i] - now[i]) / d - d1) / (d - 1.0) - d2) / (d - c));
            let once = now[i] + d1 / 2.0 - d2 / 6.0 - (1.0 / 12.0 - c / 6.0) * d3;
            let twice = now[i] / 2.0 + d1 / 6.0 - d2 / 12.0 - (1.0 / 30.0 - c / 12.0) * d3;
            self.velocity[i] = end_v[i] - v[i] - h * once;
            self.position[i] = trial.moved[i] - h * v[i] - h * h * twice;
        }
        for node in trial.system.nodes().iter().filter(|n| n.chart == Chart::Motion) {
            let (spin, change) =
                (node.chart.twist(&v[node.unknowns()]), node.chart.twist(&now[node.unknowns()]));
            let turn = spin.angular.cross(&change.angular) * (h * h * h / 12.0);
            let rotation = &mut self.position[node.unknowns()][3..];
            rotation.iter_mut().zip(turn.iter()).for_each(|(e, t)| *e -= t);
        }
        for &row in trial.constraint_rows {
            (self.position[row], self.velocity[row]) = (0.0, 0.0);
        }
    }

    /// G e_q = 0; rows on velocities leave positions alone.
    fn make_position_tangent(&mut self, trial: &SolvedStep) {
        trial.system.pattern().multiply(trial.values, &self.position, &mut self.work);
        trial.velocity_rows.iter().for_each(|&row| self.work[row] = 0.0);
        subtract(trial, &mut self.position, &mut self.work);
    }

    /// e_q := e_q + share · x with G x = Φ(q⁺).
    fn add_opening(&mut self, trial: &SolvedStep, share: f64, s: &mut Scratch) {
        self.work.fill(0.0);
        trial.system.constraint_residual(&trial.end, &mut self.work, s);
        trial.velocity_rows.iter().for_each(|&row| self.work[row] = 0.0);
        self.work.iter_mut().for_each(|open| *open *= -share);
        subtract(trial, &mut self.position, &mut self.work);
    }

    /// G e_v + ∂(Gv)/∂q e_q = 0: the rates at the end are those of the exact motion.
    fn make_velocity_tangent(&mut self, trial: &SolvedStep, s: &mut Scratch) {
        for i in 0..self.v.len() {
            self.v[i] = self.end_v[i] - self.velocity[i];
            self.middle[i] = -self.position[i];
        }
        retract(trial.system, trial.end.frames, &self.middle, &mut self.frames);
        let exact = Instant { frames: &self.frames, v: &self.v, ..trial.end };
        self.work.fill(0.0);
        self.middle.fill(0.0);
        trial.system.constraint_rate(&Instant { v: &self.end_v, ..trial.end }, &mut self.work, s);
        trial.system.constraint_rate(&exact, &mut self.middle, s);
        self.work.iter_mut().zip(&self.middle).for_each(|(end, exact)| *end -= exact);
        subtract(trial, &mut self.velocity, &mut self.work);
    }
}

/// e := e − S⁻¹ (0; r) with the rows r in `work`.
fn subtract(trial: &SolvedStep, e: &mut [f64], work: &mut [f64]) {
    let unknowns = || trial.system.nodes().iter().flat_map(|n| n.unknowns());
    unknowns().for_each(|i| work[i] = 0.0);
    trial.system.hold_variables(work);
    trial.factors.solve(work);
    unknowns().for_each(|i| e[i] -= work[i]);
}

/// v − x with S x + Gᵀμ = 0 and G x = Gv: v without the part that violates the constraints. The matrix may be
/// an old one, so one correction turns x into the directions of the instant.
fn find_tangential(
    trial: &SolvedStep,
    at: &Instant,
    v: &mut [f64],
    [work, spare]: [&mut [f64]; 2],
    s: &mut Scratch,
) {
    v.copy_from_slice(at.v);
    if !trial.normal.loose {
        return;
    }
    let unknowns = || trial.system.nodes().iter().flat_map(|n| n.unknowns());
    work.fill(0.0);
    trial.system.constraint_rate(at, work, s);
    trial.system.hold_variables(work);
    trial.factors.solve(work);
    for i in unknowns() {
        v[i] -= work[i];
        work[i] = 0.0;
    }
    // (G − G_old)ᵀ μ and −G v.
    trial.system.pattern().multiply(trial.values, work, spare);
    spare.iter_mut().for_each(|r| *r = -*r);
    trial.system.add_pull(at, work, spare, s);
    trial.system.constraint_rate(&Instant { v, ..*at }, spare, s);
    trial.constraint_rows.iter().for_each(|&row| spare[row] = -spare[row]);
    trial.factors.solve(spare);
    unknowns().for_each(|i| v[i] += spare[i]);
}

/// A := A − S⁻¹ (M A + Gᵀλ − Q; G A + κ).
fn correct(trial: &SolvedStep, at: &Instant, a: &mut [f64], work: &mut [f64], s: &mut Scratch) {
    let at = Instant { a, ..*at };
    trial.system.residual(&at, work, s);
    trial.system.constraint_acceleration(&at, work, s);
    trial.factors.solve(work);
    a.iter_mut().zip(work).for_each(|(a, r)| *a -= *r);
}
