//! Error measure and step control, the same for every adaptive method.
//!
//! A local error η of positions and velocities is measured by the weighted root mean square
//!
//! ```text
//! err = sqrt( (1/n) Σ (|η_i| / w_i)² ),      w_i = atol_i nominal_i + rtol_i |y_i|
//! ```
//! (lagrangian-dae-modeling §1.21), and of a motion by that of the worst vector of a body over 3.5 where this
//! is more, so that one body does not err unseen among many that do not. Nominal sizes make tolerances
//! independent of units: the model's own length for translations, a radian for rotations, both per second for
//! velocities, and what the model says for the variables of networks. The size |y_i| of a translation or a
//! velocity is that of the whole vector, so that the axes do not matter. Multipliers are not measured: their
//! errors do not propagate.

pub(crate) mod lasting;

use crate::control::lasting::Lasting;
use crate::step_report::Attempt;
use poinsot_mechanics::{Chart, Frame, State, System};

/// How exact an adaptive integration is to be.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    /// Error relative to the size of each quantity.
    pub relative: f64,
    /// Error relative to the nominal size of each quantity.
    pub absolute: f64,
}

impl Default for Tolerance {
    fn default() -> Self {
        Tolerance::both(1e-6)
    }
}

impl Tolerance {
    /// The same number for both.
    pub fn both(tolerance: f64) -> Self {
        Tolerance { relative: tolerance, absolute: tolerance }
    }
}

/// Unknowns that share a size: the translations, the rotations or the variable of a node or network.
#[derive(Clone, Debug)]
struct Group {
    unknowns: std::ops::Range<usize>,
    /// Node, for translations.
    node: Option<usize>,
    /// Node whose axes these are, for rotations in space.
    body: Option<usize>,
    tolerance: Tolerance,
    /// Nominal sizes of position and velocity; no position for variables of networks.
    position: Option<f64>,
    velocity: f64,
    /// Power of the step by which errors of this group are discounted (index-aware weights).
    discount: i32,
}

/// What a single vector may err in tolerances: that of one body alone in the root mean square.
const SINGLE: f64 = 3.5;

/// Measures local errors.
#[derive(Clone, Debug)]
pub struct ErrorMeasure {
    groups: Vec<Group>,
    count: usize,
    /// 1/w of positions and velocities, equation order; zero for multipliers.
    by_position: Vec<f64>,
    by_velocity: Vec<f64>,
    /// Squared weights of velocities with the positions that they change in the step.
    by_both: Vec<f64>,
    /// Span of the study (s), over which errors add up.
    span: f64,
    /// What is known of how long errors of velocity move positions, for each group, where that counts.
    lasting: Vec<Lasting>,
}

impl ErrorMeasure {
    /// For a system with one tolerance for everything.
    pub fn new(system: &System, tolerance: Tolerance) -> Self {
        let length = system.length_scale();
        let mut groups = Vec::new();
        for (k, node) in system.nodes().iter().enumerate().skip(1) {
            let all = node.unknowns();
            let middle = all.start + node.chart.linear_dofs();
            let body = (node.chart == Chart::Motion).then_some(k);
            let parts = [(all.start..middle, length, Some(k), None), (middle..all.end, 1.0, None, body)];
            for (unknowns, size, node, body) in parts {
                let position = Some(size);
                let group = Group { unknowns, node, body, tolerance, position, velocity: size, discount: 0 };
                groups.extend((!group.unknowns.is_empty()).then_some(group));
            }
        }
        for network in system.networks() {
            for (j, variable) in network.law.variables.iter().enumerate() {
                let eq = network.unknown(j);
                let discount = network.index(j).saturating_sub(1) as i32;
                let velocity = variable.nominal;
                groups.push(Group {
                    unknowns: eq..eq + 1,
                    node: None,
                    body: None,
                    tolerance,
                    position: None,
                    velocity,
                    discount,
                });
            }
        }
        let each = |g: &Group| g.unknowns.len() * (1 + usize::from(g.position.is_some()));
        let count = groups.iter().map(each).sum::<usize>().max(1);
        let n = system.size();
        ErrorMeasure {
            groups,
            count,
            by_position: vec![0.0; n],
            by_velocity: vec![0.0; n],
            by_both: vec![0.0; n],
            span: f64::INFINITY,
            lasting: vec![],
        }
    }

    /// Gives the unknowns in a range of equation numbers a tolerance of their own.
    pub fn set(&mut self, unknowns: std::ops::Range<usize>, tolerance: Tolerance) {
        for group in &mut self.groups {
            if unknowns.contains(&group.unknowns.start) {
                group.tolerance = tolerance;
            }
        }
    }

    /// Says how long the study is.
    pub fn set_span(&mut self, span: f64) {
        self.span = span;
    }

    /// Lets errors of velocity count by what they do to positions until the end of the study.
    pub(crate) fn let_velocities_last(&mut self) {
        if self.span.is_finite() {
            self.lasting = vec![Lasting::default(); self.groups.len()];
        }
    }

    /// Takes note of the errors of velocity of a step h that ends at a state.
    pub(crate) fn note(&mut self, velocity: &[f64], state: &State, h: f64) {
        for (g, lasting) in self.groups.iter().zip(&mut self.lasting) {
            let range = g.unknowns.clone();
            let frame = g.body.map(|k| &state.frames[k]);
            lasting.note(&velocity[range.clone()], &state.v[range], frame, h, self.span);
        }
    }

    /// How long the study is (s); infinite if that is not known.
    pub fn span(&self) -> f64 {
        self.span
    }

    /// The tightest relative tolerance.
    pub fn tightest(&self) -> f64 {
        self.groups.iter().map(|g| g.tolerance.relative.max(g.tolerance.absolute)).fold(1.0, f64::min)
    }

    /// Weighs errors of a step of length `h` by the sizes at a state.
    pub fn weigh(&mut self, frames: &[Frame], v: &[f64], h: f64) {
        for g in &self.groups {
            let Tolerance { relative, absolute } = g.tolerance;
            let speed = norm(&v[g.unknowns.clone()]);
            // Index-aware: the part of a variable of higher index that the step can see, not more than all of
            // it.
            let discount = h.abs().min(1.0).powi(g.discount);
            let by_velocity = discount / (absolute * g.velocity + relative * speed);
            let by_position = g.position.map_or(0.0, |nominal| {
                let size = g.node.map_or(nominal, |k| frames[k].r.norm());
                1.0 / (absolute * nominal + relative * size)
            });
            self.by_position[g.unknowns.clone()].fill(by_position);
            self.by_velocity[g.unknowns.clone()].fill(by_velocity);
            let both = by_velocity * by_velocity + h * h * by_position * by_position;
            self.by_both[g.unknowns.clone()].fill(both / self.count as f64);
        }
    }

    /// Weighs errors of velocity anew by how far they move positions, which add up: what lasts τ seconds
    /// may be
    ///
    /// ```text
    /// w = atol nominal/τ + rtol |v|,      at most (T/h) (atol nominal + rtol |v|)
    /// ```
    /// Of a velocity itself a single step may err by its tolerance.
    pub(crate) fn weigh_lasting(&mut self, velocity: &[f64], v: &[f64], h: f64) {
        for (g, lasting) in self.groups.iter().zip(&self.lasting).filter(|(g, _)| g.position.is_some()) {
            let Tolerance { relative, absolute } = g.tolerance;
            let speed = norm(&v[g.unknowns.clone()]);
            let size = norm(&velocity[g.unknowns.clone()]);
            let time = lasting.of(size, h, self.span);
            let moved = absolute * g.velocity / time + relative * speed;
            let own = (absolute * g.velocity + relative * speed) * self.span / h;
            let usual = if size > 0.0 { (lasting.usual(h) / size).max(1.0) } else { 1.0 };
            self.by_velocity[g.unknowns.clone()].fill(usual / moved.min(own));
        }
    }

    /// [`ErrorMeasure::weigh`] at a state.
    pub fn weigh_at(&mut self, state: &State, h: f64) {
        self.weigh(&state.frames, &state.v, h);
    }

    /// The weighted size of errors in positions and velocities.
    pub fn norm(&self, position: &[f64], velocity: &[f64]) -> f64 {
        let (motion, variables) = self.norms(position, velocity);
        motion.hypot(variables)
    }

    /// The same of the mechanics, and of the variables of networks.
    pub(crate) fn norms(&self, position: &[f64], velocity: &[f64]) -> (f64, f64) {
        let square = |x: &[f64], w: f64| x.iter().map(|x| x * x).sum::<f64>() * w * w;
        let (mut motion, mut variables, mut worst): (f64, f64, f64) = (0.0, 0.0, 0.0);
        for g in &self.groups {
            let (range, k) = (g.unknowns.clone(), g.unknowns.start);
            let of_velocity = square(&velocity[range.clone()], self.by_velocity[k]);
            if g.position.is_none() {
                variables += of_velocity;
                continue;
            }
            let of_position = square(&position[range], self.by_position[k]);
            motion += of_position + of_velocity;
            worst = worst.max(of_position).max(of_velocity);
        }
        let count = self.count as f64;
        let motion = (motion / count).max(worst / (SINGLE * SINGLE));
        (motion.sqrt(), (variables / count).sqrt())
    }

    /// The size of velocities that come from rounding positions, over a time h.
    pub fn round_off(&self, h: f64) -> f64 {
        let part = |g: &Group| {
            let error = f64::EPSILON * g.position.unwrap_or(0.0) / h * self.by_velocity[g.unknowns.start];
            g.unknowns.len() as f64 * error * error
        };
        (self.groups.iter().map(part).sum::<f64>() / self.count as f64).sqrt()
    }

    /// The square of the weighted size of velocities, with positions that change by the step times that.
    pub fn square_of_velocity(&self, velocity: &[f64]) -> f64 {
        velocity.iter().zip(&self.by_both).map(|(x, w)| x * x * w).sum()
    }

    /// The square of the weighted size of positions alone.
    pub fn square_of_position(&self, position: &[f64]) -> f64 {
        let square = position.iter().zip(&self.by_position).map(|(x, w)| (x * w) * (x * w)).sum::<f64>();
        square / self.count as f64
    }

    /// Weights of the squares of velocities, with positions that change by the step times them.
    pub(crate) fn weights_of_velocity(&self, out: &mut [f64]) {
        out.copy_from_slice(&self.by_both);
    }

    /// Weights of the squares of rates by which positions change over the step.
    pub(crate) fn weights_of_position(&self, h: f64, out: &mut [f64]) {
        let count = self.count as f64;
        out.iter_mut().zip(&self.by_position).for_each(|(out, w)| *out = h * h * w * w / count);
    }
}

fn norm(x: &[f64]) -> f64 {
    x.iter().map(|x| x * x).sum::<f64>().sqrt()
}

/// Largest and smallest change of the step from one step to the next.
const GROWTH: (f64, f64) = (0.2, 5.0);

/// Changes of the step that are not made where errors add up.
const HELD: (f64, f64) = (SAFETY, 1.3);

/// Fraction of the step that the error estimate would just allow.
const SAFETY: f64 = 0.9;

/// Part of the reserve that a single step is to spend, and the part that it may.
const TO_SPEND: f64 = 1e-3;
const MOST_TO_SPEND: f64 = 0.1;

/// What every step may spend, at least and where shorter steps do not help at most.
const ALLOWANCE: (f64, f64) = (1e-6, 1e-3);

/// Growth of the allowance with a shorter step that did not help, and what is left of it after one that did,
/// and after any other.
const ALLOWANCE_CHANGE: (f64, f64, f64) = (4.0, 0.25, 0.99);

/// Ratio to the step before below which a step tells whether shorter ones help.
const SHORTER: f64 = 0.8;

/// Chooses the steps of an adaptive integration.
///
/// Where the errors of steps add up ([`Attempt::adds_up`]) a step may spend the part h/T of the tolerance, T
/// the span of the study: then the sum over all steps is the tolerance. The error of a step over a kink or a
/// jump falls with h itself, as does what a member of GS4 keeps in its stored acceleration of the longer
/// steps before, and no step would be short enough. For these there is a reserve,
///
/// ```text
/// R = 1 + Σ (h/T − err),     aim err = h/T + R/1000,     accepted up to R/10 if that is more
/// ```
/// at first one tolerance, into which goes what other steps do not spend. The sum of all errors is then at
/// most 2.
///
/// What does not fall faster than the step whatever its length (rounding, accelerations that alternate for
/// ever) cannot be held so: where shorter steps do not lower err/h each step is allowed more, up to a
/// thousandth of the tolerance.
#[derive(Clone, Debug)]
pub struct Controller {
    /// Step and error of the last accepted step.
    last: Option<(f64, f64)>,
    rejected: bool,
    /// R.
    reserve: f64,
    /// What every step may spend.
    allowance: f64,
    /// A step and its error over its length, with which shorter ones are compared.
    tried: Option<(f64, f64)>,
    /// Longest step.
    pub longest: f64,
    /// T, the span of the study.
    pub span: f64,
}

/// What the controller says about an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepDecision {
    /// Whether the step is good enough.
    pub accept: bool,
    /// Step to try next.
    pub next: f64,
}

impl Controller {
    /// Steps up to `longest` in a study of that length.
    pub fn new(longest: f64) -> Self {
        Controller {
            last: None,
            rejected: false,
            reserve: 1.0,
            allowance: ALLOWANCE.0,
            tried: None,
            longest,
            span: longest,
        }
    }

    /// Judges a step h with the error `err`, which goes with the power k of the step. The `effort` of
    /// Newton's iteration, between 0 and 1, makes the next step more careful.
    ///
    /// ```text
    /// h̄ = h β err^(−1/k) · min(1, (h/h₋)(err₋/err)^(1/k))         (predictive, Gustafsson)
    /// ```
    /// Where errors add up err stands for err over the share of the step, whose own power is taken from k.
    pub fn judge(&mut self, h: f64, attempt: &Attempt) -> StepDecision {
        let spent = attempt.error.unwrap_or(0.0);
        let (own, k) = (h / self.span, attempt.exponent as f64);
        let (share, k, most) = match attempt.adds_up {
            true => {
                self.see_whether_shorter_helps(h, spent);
                let share = own + (TO_SPEND * self.reserve).max(self.allowance);
                (share, k - own / share, MOST_TO_SPEND * self.reserve)
            }
            false => (1.0, k, 1.0),
        };
        let err = (spent / share).max(1e-10);
        let safety = SAFETY * (1.0 - 0.5 * attempt.effort);
        let mut factor = safety * err.powf(-1.0 / k);
        let accept = err <= 1.0 || spent <= most;
        if accept {
            if let Some((before, error)) = self.last {
                factor = factor.min(safety * (h / before) * (error / (err * err)).powf(1.0 / k));
            }
            if self.rejected {
                factor = factor.min(1.0);
            }
            self.last = Some((h, err.max(1e-2)));
            self.reserve += if attempt.adds_up { own - spent } else { 0.0 };
            // Steps that change all the time leave errors that do not cancel.
            if attempt.adds_up && (HELD.0..HELD.1).contains(&factor) {
                factor = 1.0;
            }
        }
        self.rejected = !accept;
        let next = (h * factor.clamp(GROWTH.0, GROWTH.1)).min(self.longest);
        StepDecision { accept, next }
    }

    /// Whether err/h has fallen with the step as it should, with the square, or hardly.
    fn see_whether_shorter_helps(&mut self, h: f64, spent: f64) {
        let rate = spent / h;
        let (longer, old) = self.tried.unwrap_or((0.0, 0.0));
        let mut change = ALLOWANCE_CHANGE.2;
        if h < SHORTER * longer {
            let helped = rate < old * (h / longer).sqrt();
            change = if helped { ALLOWANCE_CHANGE.1 } else { ALLOWANCE_CHANGE.0 };
        }
        if h < SHORTER * longer || h > longer {
            self.tried = Some((h, rate));
        }
        self.allowance = (change * self.allowance).clamp(ALLOWANCE.0, ALLOWANCE.1);
    }

    /// The step after one that Newton's iteration could not solve.
    pub fn cut(&mut self, h: f64) -> f64 {
        self.rejected = true;
        0.5 * h
    }

    /// Forgets the steps before a discontinuity.
    pub fn restart(&mut self) {
        (self.last, self.tried) = (None, None);
        self.rejected = false;
    }

    /// The numbers that a continuation needs.
    pub fn save(&self) -> [f64; 9] {
        let known = |pair: Option<(f64, f64)>| pair.map_or([0.0; 3], |(h, err)| [1.0, h, err]);
        let ([last, h, err], [tried, step, rate]) = (known(self.last), known(self.tried));
        [last, h, err, f64::from(u8::from(self.rejected)), self.reserve, self.allowance, tried, step, rate]
    }

    /// Takes up numbers of [`Controller::save`].
    pub fn load(&mut self, numbers: [f64; 9]) {
        let [known, h, err, rejected, reserve, allowance, tried, step, rate] = numbers;
        (self.reserve, self.allowance) = (reserve, allowance);
        self.tried = (tried != 0.0).then_some((step, rate));
        self.last = (known != 0.0).then_some((h, err));
        self.rejected = rejected != 0.0;
    }
}

/// A first step: the one over which the motion would change by a small part of its tolerance if it went on as
/// it begins (h₀ = ε^{1/k} / |ẏ| in weighted norms), at most `longest`.
pub fn first_step(
    measure: &mut ErrorMeasure,
    state: &State,
    a: &[f64],
    exponent: usize,
    longest: f64,
) -> f64 {
    measure.weigh_at(state, 1.0);
    let rate = measure.norm(&state.v, a);
    if !(rate.is_finite() && rate > 0.0) {
        return 1e-3 * longest;
    }
    // err of an Euler step is about h² |ÿ|/2 ~ (h rate)² ε: aim at one.
    let tolerance = measure.tightest();
    let h = (1.0 / rate) * (1.0 / tolerance).powf(1.0 - 1.0 / exponent as f64);
    (0.01 * h).min(1e-2 * longest)
}
