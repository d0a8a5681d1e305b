//! Error measure and step control, the same for every adaptive method.
//!
//! A local error η of positions and velocities is measured by the weighted root mean square
//!
//! ```text
//! err = sqrt( (1/n) Σ (|η_i| / w_i)² ),      w_i = atol_i nominal_i + rtol_i |y_i|
//! ```
//! (lagrangian-dae-modeling §1.21). Nominal sizes make tolerances independent of units: the model's own length for translations,
//! a radian for rotations, both per second for velocities, and what the model says for the variables of
//! networks. The size |y_i| of a translation or a velocity is that of the whole vector, so that the axes do not matter.
//! Multipliers are not measured: their errors do not propagate.

use poinsot_mechanics::{Frame, State, System};

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
    tolerance: Tolerance,
    /// Nominal sizes of position and velocity; no position for variables of networks.
    position: Option<f64>,
    velocity: f64,
    /// Power of the step by which errors of this group are discounted (index-aware weights).
    discount: i32,
}

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
}

impl ErrorMeasure {
    /// For a system with one tolerance for everything.
    pub fn new(system: &System, tolerance: Tolerance) -> Self {
        let length = system.length_scale();
        let mut groups = Vec::new();
        for (k, node) in system.nodes().iter().enumerate().skip(1) {
            let all = node.unknowns();
            let middle = all.start + node.chart.linear_dofs();
            for (unknowns, size, node) in [(all.start..middle, length, Some(k)), (middle..all.end, 1.0, None)]
            {
                let group =
                    Group { unknowns, node, tolerance, position: Some(size), velocity: size, discount: 0 };
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

    /// The tightest relative tolerance.
    pub fn tightest(&self) -> f64 {
        self.groups.iter().map(|g| g.tolerance.relative.max(g.tolerance.absolute)).fold(1.0, f64::min)
    }

    /// Weighs errors of a step of length `h` by the sizes at a state.
    pub fn weigh(&mut self, frames: &[Frame], v: &[f64], h: f64) {
        for g in &self.groups {
            let norm = |x: &[f64]| x.iter().map(|x| x * x).sum::<f64>().sqrt();
            let Tolerance { relative, absolute } = g.tolerance;
            let speed = norm(&v[g.unknowns.clone()]);
            // Index-aware: the part of a variable of higher index that the step can see, not more than all of it.
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

    /// [`ErrorMeasure::weigh`] at a state.
    pub fn weigh_at(&mut self, state: &State, h: f64) {
        self.weigh(&state.frames, &state.v, h);
    }

    /// The weighted root mean square of errors in positions and velocities.
    pub fn norm(&self, position: &[f64], velocity: &[f64]) -> f64 {
        let square = |x: &[f64], w: &[f64]| x.iter().zip(w).map(|(x, w)| (x * w) * (x * w)).sum::<f64>();
        ((square(position, &self.by_position) + square(velocity, &self.by_velocity)) / self.count as f64)
            .sqrt()
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

    /// Weights of the squares of velocities: with positions that change by the step times them, or (`index_three`) by the latter
    /// alone, as where velocities are variables of index two.
    pub(crate) fn weights_of_velocity(&self, h: f64, index_three: bool, out: &mut [f64]) {
        out.copy_from_slice(&self.by_both);
        if index_three {
            let count = self.count as f64;
            for g in &self.groups {
                let weight = match g.position {
                    Some(_) => h * self.by_position[g.unknowns.start],
                    None => self.by_velocity[g.unknowns.start],
                };
                out[g.unknowns.clone()].fill(weight * weight / count);
            }
        }
    }

    /// Weights of the squares of rates by which positions change over the step.
    pub(crate) fn weights_of_position(&self, h: f64, out: &mut [f64]) {
        let count = self.count as f64;
        out.iter_mut().zip(&self.by_position).for_each(|(out, w)| *out = h * h * w * w / count);
    }

    /// The square of the weighted size of positions alone.
    pub fn square_of_position(&self, position: &[f64]) -> f64 {
        let square = position.iter().zip(&self.by_position).map(|(x, w)| (x * w) * (x * w)).sum::<f64>();
        square / self.count as f64
    }

    /// The weighted size of the variables of networks alone.
    pub fn norm_of_variables(&self, velocity: &[f64]) -> f64 {
        let groups = self.groups.iter().filter(|g| g.position.is_none()).map(|g| g.unknowns.start);
        let square = groups.map(|k| (velocity[k] * self.by_velocity[k]).powi(2)).sum::<f64>();
        (square / self.count as f64).sqrt()
    }
}

/// Largest and smallest change of the step from one step to the next.
const GROWTH: (f64, f64) = (0.2, 5.0);

/// Fraction of the step that the error estimate would just allow.
const SAFETY: f64 = 0.9;

/// Chooses the steps of an adaptive integration.
#[derive(Clone, Debug)]
pub struct Controller {
    /// Step and error of the last accepted step.
    last: Option<(f64, f64)>,
    rejected: bool,
    /// Longest step.
    pub longest: f64,
}

/// What the controller says about an attempt.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Verdict {
    /// Whether the step is good enough.
    pub accept: bool,
    /// Step to try next.
    pub next: f64,
}

impl Controller {
    /// Steps up to `longest`.
    pub fn new(longest: f64) -> Self {
        Controller { last: None, rejected: false, longest }
    }

    /// Judges a step h with the error `err`, which goes with the power `exponent` of the step. `effort` between 0
    /// and 1 is how much of its iterations Newton needed: much effort makes the next step more careful.
    ///
    /// ```text
    /// h̄ = h β err^(−1/k) · min(1, (h/h₋)(err₋/err)^(1/k))         (predictive, Gustafsson)
    /// ```
    pub fn judge(&mut self, h: f64, err: f64, exponent: usize, effort: f64) -> Verdict {
        let k = exponent as f64;
        let err = err.max(1e-10);
        let safety = SAFETY * (1.0 - 0.5 * effort);
        let mut factor = safety * err.powf(-1.0 / k);
        let accept = err <= 1.0;
        if accept {
            if let Some((before, error)) = self.last {
                factor = factor.min(safety * (h / before) * (error / (err * err)).powf(1.0 / k));
            }
            if self.rejected {
                factor = factor.min(1.0);
            }
            self.last = Some((h, err.max(1e-2)));
        }
        self.rejected = !accept;
        let next = (h * factor.clamp(GROWTH.0, GROWTH.1)).min(self.longest);
        Verdict { accept, next }
    }

    /// The step after one that Newton's iteration could not solve.
    pub fn cut(&mut self, h: f64) -> f64 {
        self.rejected = true;
        0.5 * h
    }

    /// Forgets the steps before a discontinuity.
    pub fn restart(&mut self) {
        self.last = None;
        self.rejected = false;
    }

    /// The numbers that a continuation needs.
    pub fn save(&self) -> [f64; 4] {
        let (h, err) = self.last.unwrap_or((0.0, 0.0));
        [f64::from(u8::from(self.last.is_some())), h, err, f64::from(u8::from(self.rejected))]
    }

    /// Takes up numbers of [`Controller::save`].
    pub fn load(&mut self, numbers: [f64; 4]) {
        let [known, h, err, rejected] = numbers;
        self.last = (known != 0.0).then_some((h, err));
        self.rejected = rejected != 0.0;
    }
}

/// A first step: the one over which the motion would change by a small part of its tolerance if it went on as it begins
/// (h₀ = ε^{1/k} / |ẏ| in weighted norms), at most `longest`.
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
