//! When a switch passes a level.

use super::KinkWatch;
use super::level::Outside;
use super::passings::Look;
use crate::motion::Run;
use poinsot_integrators::{StepFailure, instant};

/// Relative to the step, how exactly a passing is located; iterations at most.
const EXACTNESS: f64 = 1e-14;
const MAX_ITERATIONS: usize = 100;

impl Run<'_> {
    /// How far a switch is above its level at a time.
    pub(super) fn distance(
        &mut self,
        own: &Outside,
        t: f64,
        look: Look,
        watch: &KinkWatch,
    ) -> Result<f64, StepFailure> {
        self.see(t, look, watch)?;
        let at = instant(&self.buffers.inside, &self.buffers.a);
        Ok(watch.switches.value(own.switch, self.system, &at, &mut self.buffers.scratch) - own.level)
    }

    /// The first time in a small interval at which a switch is behind a level, where it is at the end:
    /// inverse quadratic interpolation, with bisection where that is not safe (T. R. Chandrupatla, "A new
    /// hybrid quadratic/bisection algorithm for finding the zero of a nonlinear function", 1997).
    pub(super) fn locate(
        &mut self,
        own: &Outside,
        (low, high): (f64, f64),
        at_high: f64,
        look: Look,
        watch: &KinkWatch,
    ) -> Result<f64, StepFailure> {
        let at_low = self.distance(own, low, look, watch)?;
        let is_behind = |x: f64| x != 0.0 && (x > 0.0) == (at_high > 0.0);
        if !at_low.is_finite() || is_behind(at_low) {
            return Ok(low);
        }
        let exactness = EXACTNESS * (high - low) + 2.0 * f64::EPSILON * high.abs();
        // The passing is between the newest time and the one on the other side; the third is the one before.
        let (mut newest, mut other) = ((high, at_high), (low, at_low));
        let mut part = at_high / (at_high - at_low);
        for _ in 0..MAX_ITERATIONS {
            let width = other.0 - newest.0;
            let least = 0.5 * exactness / width.abs();
            if least >= 0.5 || least.is_nan() {
                break;
            }
            let t = newest.0 + part.clamp(least, 1.0 - least) * width;
            if t == newest.0 || t == other.0 {
                break;
            }
            let x = self.distance(own, t, look, watch)?;
            let before = if is_behind(x) == is_behind(newest.1) {
                newest
            } else {
                std::mem::replace(&mut other, newest)
            };
            newest = (t, x);
            part = part_of_the_way(newest, other, before);
        }
        Ok(if is_behind(newest.1) { newest.0 } else { other.0 })
    }
}

/// The part of the way from a to b at which a function is zero that has opposite signs there, by a third
/// point c.
fn part_of_the_way(a: (f64, f64), b: (f64, f64), c: (f64, f64)) -> f64 {
    let xi = (a.0 - b.0) / (c.0 - b.0);
    let phi = (a.1 - b.1) / (c.1 - b.1);
    if phi * phi < xi && (1.0 - phi) * (1.0 - phi) < 1.0 - xi {
        let quadratic = a.1 / (b.1 - a.1) * c.1 / (b.1 - c.1);
        quadratic + (c.0 - a.0) / (b.0 - a.0) * a.1 / (c.1 - a.1) * b.1 / (c.1 - b.1)
    } else {
        0.5
    }
}
