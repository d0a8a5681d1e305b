//! Errors of a step at the order at hand and at its neighbours, and what follows for the next step.

use crate::bdf::Bdf;
use crate::bdf::equations::BALANCE;
use crate::bdf::formula::{Formula, add};
use crate::bdf::history::{MOST, difference_weights};
use crate::runge_kutta::implicit::settings::StageForm;

/// Rotation (rad) of a body over the past of a formula up to which the chart serves; it ends at 2π.
const MAX_TURN: f64 = 4.0;

/// Parts of the step that the error would just allow: at the order at hand, a lower and a higher one.
const SAFETY: [f64; 3] = [1.0 / 1.2, 1.0 / 1.3, 1.0 / 1.4];

/// Growth of the step from which it is worth a change, and the largest.
const GROWTH: (f64, f64) = (1.2, 4.0);

/// Largest growth of the step while the order rises from the start.
const START_GROWTH: f64 = 4.0;

/// The step is made shorter if that would have suited the last one; never by more than the second number.
const SHRINK: (f64, f64) = (0.88, 0.5);

/// Attempts in a row that fail before the order becomes one.
const MAX_FAILURES: usize = 3;

/// What an estimated error counts at least and at most: those of many steps add up, and BDF damp little of
/// what oscillates.
pub(super) const ACCUMULATION: (f64, f64) = (5.0, 300.0);

/// What the next step is to be.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// Order after the step is accepted, and if it is rejected.
    pub order: usize,
    pub retry: usize,
    /// Steps at the same length and order, with this one.
    pub settled: usize,
    pub starting: bool,
}

/// What was accepted last.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct LastStep {
    pub h: f64,
    pub order: usize,
    /// Π of its formula.
    pub product: f64,
}

/// Order and step: which come next, and after what.
#[derive(Clone, Copy, Debug)]
pub(super) struct OrderControl {
    /// Whether the order is variable.
    pub variable: bool,
    /// Order of the next attempt.
    pub next: usize,
    pub last: LastStep,
    /// Steps at the same length and order.
    pub settled: usize,
    /// Whether the order rises from the start.
    pub starting: bool,
    /// Attempts since a step was accepted.
    pub attempts: usize,
    pub plan: Plan,
}

impl OrderControl {
    /// Of a fixed order.
    pub fn new(order: usize) -> Self {
        OrderControl {
            variable: false,
            next: order,
            last: LastStep::default(),
            settled: 0,
            starting: false,
            attempts: 0,
            plan: Plan { order: 1, retry: 1, settled: 0, starting: false },
        }
    }
}

impl Bdf<'_> {
    /// The order of the next attempt: as planned, or lower after failures.
    pub(super) fn choose_order(&mut self) {
        if self.control.variable && self.control.attempts > 0 {
            self.control.starting = false;
            self.control.settled = 0;
            self.control.next = if self.control.attempts >= MAX_FAILURES {
                1
            } else {
                self.control.plan.retry.min(self.control.next)
            };
        }
        self.past.history.chart(self.system, self.control.next + 1);
        let points = self.past.history.known();
        while self.control.next > 1
            && (points <= self.control.next || self.past.history.turned(self.control.next + 1) > MAX_TURN)
        {
            self.control.next -= 1;
        }
        self.control.plan.retry = self.control.next;
    }

    /// The norm of η_k.
    pub(super) fn estimate(&mut self) -> f64 {
        let [position, velocity] = &mut self.step.error;
        let (stage, at, c) = (&self.step.stage, &self.step.prediction, self.step.formula.error);
        for k in 0..stage.v.len() {
            position[k] = c * (stage.theta[k] - at.theta[k]);
            velocity[k] = c * (stage.v[k] - at.v[k]);
        }
        self.norm_of_error()
    }

    /// The norm of η_j, for which j + 1 points of the past must be known.
    fn error_of_order(&mut self, j: usize) -> f64 {
        let nodes = &self.step.formula.nodes[..j + 2];
        let mut weights = [0.0; MOST];
        difference_weights(nodes, &mut weights);
        let product: f64 = nodes[1..=j].iter().map(|x| -x).product();
        let [position, velocity] = &mut self.step.error;
        position.fill(0.0);
        velocity.fill(0.0);
        self.past.history.chart(self.system, j + 1);
        add(product * weights[0], &self.step.stage.theta, position);
        add(product * weights[0], &self.step.stage.v, velocity);
        for (w, past) in weights[1..j + 2].iter().zip(self.past.history.points()) {
            add(product * w, &past.theta, position);
            add(product * w, &past.v, velocity);
        }
        self.norm_of_error()
    }

    /// The norm of the errors in `error`. At position level velocities normal to the constraints follow from
    /// differences of positions and are an order less exact, but do not propagate: those of a velocity error
    /// η that do are
    ///
    /// ```text
    /// S η' + Gᵀ μ = M η,     G η' = 0
    /// ```
    fn norm_of_error(&mut self) -> f64 {
        let [position, velocity] = &mut self.step.error;
        if self.settings.form == StageForm::Position && self.equations.has_rows {
            let right = &mut self.step.stage.residual;
            right.fill(0.0);
            self.system.pattern().accumulate(&self.matrix.polynomial.powers[0], velocity, 1.0, right);
            let rows = right.iter_mut().zip(&self.equations.powers).filter(|(_, power)| **power != BALANCE);
            rows.for_each(|(right, _)| *right = 0.0);
            self.matrix.factors.solve(right);
            for k in (0..right.len()).filter(|&k| self.equations.is_mechanical[k]) {
                velocity[k] = right[k];
            }
        }
        let (motion, variables) = self.measure.norms(position, velocity);
        (self.accumulation() * motion).hypot(ACCUMULATION.0 * variables)
    }

    /// What an estimated error of the motion counts: a fifth of the number of steps, within limits. Errors of
    /// many steps add up in the phase of a motion, and at the start steps are short for a while only.
    pub(super) fn accumulation(&self) -> f64 {
        let (least, most) = ACCUMULATION;
        let steps =
            if self.measure.span().is_finite() { self.measure.span() / self.step.formula.h } else { 0.0 };
        (0.2 * steps).clamp(least, most)
    }

    /// Plans order and step after one with this error; returns the step.
    pub(super) fn make_plan(&mut self, error: f64) -> Option<f64> {
        let Formula { h, order: k, .. } = self.step.formula;
        let same_step = (h / self.control.last.h - 1.0).abs() < 1e-6;
        let settled = if same_step && k == self.control.last.order { self.control.settled + 1 } else { 1 };
        self.control.plan = Plan { order: k, retry: k, settled, starting: false };
        if !self.control.variable {
            return None;
        }
        let growth = growth(error, k, SAFETY[0]);
        let highest = self.settings.max_order;
        if self.control.starting && growth >= 1.0 {
            let raise = k < highest && self.past.history.known() > k;
            self.control.plan.order = if raise { k + 1 } else { k };
            self.control.plan.starting = self.control.plan.order < highest;
            return Some(h * growth.min(START_GROWTH));
        }
        let mut best = (growth, k);
        if growth < SHRINK.0 || settled > k {
            if k > 1 {
                let lower = self::growth(self.error_of_order(k - 1), k - 1, SAFETY[1]);
                best = if lower > best.0 { (lower, k - 1) } else { best };
            }
            if settled > k && k < highest && self.past.history.known() >= k + 2 {
                let higher = self::growth(self.error_of_order(k + 1), k + 1, SAFETY[2]);
                best = if higher > best.0 { (higher, k + 1) } else { best };
            }
        }
        if error > 1.0 {
            self.control.plan.retry = best.1.min(k);
            return None;
        }
        if growth < SHRINK.0 {
            self.control.plan.order = best.1;
            return Some(h * best.0.clamp(SHRINK.1, 1.0));
        }
        if settled <= k || best.0 < GROWTH.0 {
            return Some(h);
        }
        self.control.plan.order = best.1;
        Some(h * best.0.min(GROWTH.1))
    }
}

/// The factor by which the step could change for an error to become one, of which a part is taken.
fn growth(error: f64, order: usize, safety: f64) -> f64 {
    safety * error.max(1e-12).powf(-1.0 / (order + 1) as f64)
}
