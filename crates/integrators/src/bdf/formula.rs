//! The formula of a step, what the past predicts for its end, and the unknowns there.

use crate::bdf::Bdf;
use crate::bdf::history::{MOST, slopes_at_zero, weights_at};
use crate::linear::saddle_point::retract;
use poinsot_geometry::{Vec3, so3};
use poinsot_mechanics::{Frame, State};

/// The formula of a step.
#[derive(Clone, Copy, Debug)]
pub(super) struct Formula {
    pub h: f64,
    pub order: usize,
    pub beta: f64,
    /// x_i = (t_{n+1−i} − t_{n+1})/h with x_0 = 0.
    pub nodes: [f64; MOST + 1],
    /// η_k = `error` (y − yᴾ).
    pub error: f64,
    /// Π |x_i| h over the points of the formula.
    pub product: f64,
}

/// What is unknown in a step, and what follows from it.
#[derive(Clone, Debug)]
pub(super) struct Stage {
    pub v: Vec<f64>,
    /// Accelerations, with λ in the constraint entries.
    pub a: Vec<f64>,
    pub theta: Vec<f64>,
    pub p: Vec<f64>,
    pub frames: Vec<Frame>,
    /// Balance and constraints; then the increment.
    pub residual: Vec<f64>,
    /// Φ of the stabilised form; then the increment of p.
    pub position: Vec<f64>,
}

/// The polynomial P at the new time.
#[derive(Clone, Debug)]
pub(super) struct Prediction {
    pub v: Vec<f64>,
    pub v_rate: Vec<f64>,
    pub theta: Vec<f64>,
    pub theta_rate: Vec<f64>,
}

/// The step in progress.
#[derive(Clone, Debug)]
pub(super) struct Step {
    pub formula: Formula,
    pub prediction: Prediction,
    pub stage: Stage,
    /// The state at its end.
    pub end: State,
    pub iterations: usize,
    /// Errors of positions and velocities.
    pub error: [Vec<f64>; 2],
}

impl Step {
    pub fn new(state: &State, a: &[f64]) -> Self {
        let zero = || vec![0.0; a.len()];
        Step {
            formula: Formula {
                h: 0.0,
                order: 1,
                beta: 0.0,
                nodes: [0.0; MOST + 1],
                error: 0.5,
                product: 0.0,
            },
            prediction: Prediction { v: zero(), v_rate: zero(), theta: zero(), theta_rate: zero() },
            stage: Stage {
                v: zero(),
                a: a.to_vec(),
                theta: zero(),
                p: zero(),
                frames: state.frames.clone(),
                residual: zero(),
                position: zero(),
            },
            end: state.clone(),
            iterations: 0,
            error: [zero(), zero()],
        }
    }
}

/// Points of the past that multipliers are extrapolated from, at most.
const MULTIPLIER_POINTS: usize = 4;

impl Bdf<'_> {
    /// Coefficients of a step of length h and the polynomial P at its end.
    pub(super) fn formulate(&mut self, h: f64) {
        let (k, n) = (self.control.next, self.past.state.v.len());
        let known = self.past.history.known();
        let formula = &mut self.step.formula;
        (formula.h, formula.order) = (h, k);
        formula.nodes[0] = 0.0;
        // From t_n, so that rounding of t_n + h does not enter.
        self.past.history.nodes(self.past.state.t, h, &mut formula.nodes[1..=known]);
        formula.nodes[1..=known].iter_mut().for_each(|x| *x -= 1.0);
        let past = &formula.nodes[1..=k];
        formula.beta = h / past.iter().map(|x| -1.0 / x).sum::<f64>();
        formula.product = past.iter().map(|x| -x * h).product();
        let prediction = &mut self.step.prediction;
        if known == 1 {
            // From one point P is the tangent, a polynomial with a double node.
            formula.error = 0.5;
            for i in 0..n {
                prediction.v[i] = self.past.state.v[i] + h * self.past.a[i];
                prediction.theta[i] = h * self.past.state.v[i];
            }
            prediction.v_rate.copy_from_slice(&self.past.a);
            prediction.theta_rate.copy_from_slice(&self.past.state.v);
        } else {
            formula.error = -1.0 / formula.nodes[k + 1];
            let (mut values, mut slopes) = ([0.0; MOST], [0.0; MOST]);
            let nodes = &formula.nodes[1..k + 2];
            weights_at(nodes, 0.0, &mut values);
            slopes_at_zero(nodes, &values, &mut slopes);
            let Prediction { v, v_rate, theta, theta_rate } = prediction;
            [&mut *v, v_rate, theta, theta_rate].into_iter().for_each(|x| x.fill(0.0));
            for ((value, slope), past) in values.iter().zip(&slopes).zip(&self.past.history.points()[..=k]) {
                add(*value, &past.v, v);
                add(slope / h, &past.v, v_rate);
                add(*value, &past.theta, theta);
                add(slope / h, &past.theta, theta_rate);
            }
        }
        for (v, _) in prediction.v.iter_mut().zip(&self.rows.is_row).filter(|(_, row)| **row) {
            *v = 0.0;
        }
    }

    /// The stage as P and the past have it.
    pub(super) fn predict(&mut self) {
        let (stage, formula) = (&mut self.step.stage, &self.step.formula);
        stage.v.copy_from_slice(&self.step.prediction.v);
        stage.theta.copy_from_slice(&self.step.prediction.theta);
        let count = self.past.history.known().min(formula.order + 1).min(MULTIPLIER_POINTS);
        let mut weights = [0.0; MOST];
        weights_at(&formula.nodes[1..=count], 0.0, &mut weights);
        for &row in &self.rows.constraints {
            stage.a[row] = weights[..count]
                .iter()
                .zip(self.past.history.points())
                .map(|(w, past)| w * past.a[row])
                .sum();
        }
        // p makes up for the error of the formula, which goes with Π.
        let ratio = if formula.order == self.control.last.order {
            formula.product / self.control.last.product
        } else {
            0.0
        };
        let ratio = if ratio < 2.0 { ratio } else { 0.0 };
        stage.p.iter_mut().zip(&self.past.p).for_each(|(p, last)| *p = ratio * last);
        self.kinematics();
    }

    /// Accelerations, θ and frames from v and p.
    pub(super) fn kinematics(&mut self) {
        let (stage, at, beta) = (&mut self.step.stage, &self.step.prediction, self.step.formula.beta);
        for k in (0..stage.v.len()).filter(|&k| !self.rows.is_row[k]) {
            stage.a[k] = at.v_rate[k] + (stage.v[k] - at.v[k]) / beta;
        }
        let mut next_turn = self.rows.rotating.iter().copied().peekable();
        let mut k = 0;
        while k < stage.v.len() {
            if next_turn.next_if_eq(&k).is_some() {
                let vector = |x: &[f64]| Vec3::from_column_slice(&x[k..k + 3]);
                let known = vector(&at.theta) + beta * (vector(&stage.p) - vector(&at.theta_rate));
                let theta = turn(vector(&stage.theta), known, vector(&stage.v) * beta);
                stage.theta[k..k + 3].copy_from_slice(theta.as_slice());
                k += 3;
                continue;
            }
            stage.theta[k] = at.theta[k] + beta * (stage.v[k] + stage.p[k] - at.theta_rate[k]);
            k += 1;
        }
        retract(self.system, &self.past.state.frames, &stage.theta, &mut stage.frames);
    }
}

/// y += w x.
pub(super) fn add(w: f64, x: &[f64], y: &mut [f64]) {
    y.iter_mut().zip(x).for_each(|(y, x)| *y += w * x);
}

/// Solves θ = known + T⁻¹(θ) w from a guess, with the derivative −½ ŵ of T⁻¹(θ) w at θ = 0:
///
/// ```text
/// (I + b̂) δ = r,     δ = (r − b × r + (b·r) b)/(1 + b·b),     b = ½ w
/// ```
fn turn(mut theta: Vec3, known: Vec3, w: Vec3) -> Vec3 {
    let b = 0.5 * w;
    for _ in 0..MAX_SWEEPS {
        let r = known + so3::tangent_inv(&theta) * w - theta;
        let step = (r - b.cross(&r) + b * b.dot(&r)) / (1.0 + b.norm_squared());
        theta += step;
        let size = step.amax();
        if size <= 1e-13 || size.is_nan() {
            break;
        }
    }
    theta
}

/// Newton steps for a rotation at most.
const MAX_SWEEPS: usize = 8;
