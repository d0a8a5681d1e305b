//! A step as a map made of the steps of any integrator: shooting.
//!
//! Its derivative is that of the flow by central differences of fourth order,
//!
//! ```text
//! Φ d ≈ [8 (φ(x + εd) − φ(x − εd)) − (φ(x + 2εd) − φ(x − 2εd))] / 12 ε,
//! ```
//! along directions that the constraints allow; all steps have one length, so that differences of flows are
//! those of one smooth map.

use crate::periodic::changes::Changes;
use poinsot_integrators::{Method, StepFailure, StepMap};
use poinsot_mechanics::{State, System};
use poinsot_numerics::dense::Mat;

/// ε in units of the states, at first.
const REACH: f64 = 1e-3;
/// Relative difference of quotients of second order, below which those of fourth order have only rounding.
const CURVED: f64 = 1e-5;
/// The shortest reach, as part of the first.
const SHORTEST: f64 = 1e-3;

/// Steps of an integrator as one map.
#[derive(Debug)]
pub struct Shooting<'s> {
    system: &'s System,
    method: Method,
    steps: usize,
    changes: Changes<'s>,
    start: State,
    end: State,
    h: f64,
}

impl<'s> Shooting<'s> {
    /// Of so many steps of an integrator; the rate is that of [`Changes::new`].
    pub fn new(system: &'s System, method: Method, steps: usize, rate: f64) -> Self {
        let start = system.start_state(0.0);
        let changes = Changes::new(system, rate);
        Shooting { system, method, steps: steps.max(1), changes, end: start.clone(), start, h: 0.0 }
    }

    fn flow(&mut self, from: &State, h: f64) -> Result<State, StepFailure> {
        let step = h / self.steps as f64;
        let mut integration = self.method.start(self.system, from.clone(), step)?;
        for k in 1..=self.steps {
            integration.step(step)?;
            integration.snap_time(from.t + h * (k as f64 / self.steps as f64));
        }
        let mut end = integration.state().clone();
        end.rates.clear();
        let t = end.t;
        self.changes.settle(&mut end).map_err(|e| StepFailure {
            t,
            step,
            reason: "the end of the steps cannot be moved onto the constraints",
            equation: e.to_string(),
            remedy: "take more steps",
        })?;
        Ok(end)
    }

    /// The derivative of the ends along a way there and back; none if a step fails. The reach is made shorter
    /// until the quotients of second order at ε and 2ε tell that what the fourth order leaves is small.
    fn quotient(
        &mut self,
        longest: f64,
        ends: &mut dyn FnMut(&mut Self, f64) -> Option<State>,
        out: &mut [f64],
    ) -> Option<()> {
        let mut way = vec![0.0; self.changes.size()];
        let mut other = way.clone();
        let mut reach = longest;
        loop {
            // Quotients at ε into `out`, at 2ε into `other`.
            let mut found = Some(());
            for (k, quotient) in [&mut *out, &mut other[..]].into_iter().enumerate() {
                quotient.fill(0.0);
                for side in [1.0, -1.0] {
                    let at = side * (k + 1) as f64 * reach;
                    match ends(self, at) {
                        Some(end) => self.changes.difference(&self.end, &end, &mut way),
                        None => found = None,
                    }
                    quotient.iter_mut().zip(&way).for_each(|(q, way)| *q += way / (2.0 * at));
                }
            }
            let open: Vec<f64> = out.iter().zip(&other).map(|(near, far)| (near - far) / 3.0).collect();
            let is_near = self.changes.measure(&open) <= CURVED * self.changes.measure(out).max(1e-3);
            let is_last = reach <= SHORTEST * longest;
            if found.is_some() && (is_near || is_last) {
                out.iter_mut().zip(&open).for_each(|(out, open)| *out += open);
                return Some(());
            }
            if is_last {
                return None;
            }
            reach *= 0.25;
        }
    }
}

impl StepMap for Shooting<'_> {
    fn size(&self) -> usize {
        self.changes.size()
    }

    fn advance(&mut self, start: &State, h: f64, end: &mut State) -> Result<(), StepFailure> {
        let reached = self.flow(start, h)?;
        self.start.clone_from(start);
        self.end.clone_from(&reached);
        end.clone_from(&reached);
        self.h = h;
        Ok(())
    }

    fn push(&mut self, changes: &[f64], out: &mut [f64]) {
        let size = self.changes.size();
        for (change, out) in changes.chunks_exact(size).zip(out.chunks_exact_mut(size)) {
            let length = self.changes.measure(change);
            if length == 0.0 {
                out.fill(0.0);
                continue;
            }
            let (reach, h) = (REACH / length, self.h);
            let mut ends = |this: &mut Self, at: f64| {
                let step: Vec<f64> = change.iter().map(|d| at * d).collect();
                let start = this.start.clone();
                let moved = this.changes.moved(&start, &step).ok()?;
                this.flow(&moved, h).ok()
            };
            if self.quotient(reach, &mut ends, out).is_none() {
                out.fill(f64::NAN);
            }
        }
    }

    fn pull(&mut self, changes: &[f64], out: &mut [f64]) {
        // Φᵀ y = Σ_j n_j (Φ n_j · y) over all directions there are.
        let size = self.changes.size();
        out.fill(0.0);
        let Ok(basis) = self.changes.basis(&self.start.clone()) else { return out.fill(f64::NAN) };
        for j in 0..basis.ncols() {
            let unit = Mat::from_fn(basis.ncols(), 1, |i, _| f64::from(i == j));
            let direction = self.changes.spread(&basis, &unit);
            let mut image = vec![0.0; size];
            self.push(&direction, &mut image);
            for (y, out) in changes.chunks_exact(size).zip(out.chunks_exact_mut(size)) {
                let along: f64 = image.iter().zip(y).map(|(a, b)| a * b).sum();
                for (e, out) in out.iter_mut().enumerate() {
                    let scale = self.changes.scale()[e];
                    // The basis is orthonormal in units S.
                    if scale > 0.0 {
                        *out += along * direction[e] / (scale * scale);
                    }
                }
            }
        }
    }

    fn by_length(&mut self, out: &mut [f64]) {
        let (start, h) = (self.start.clone(), self.h);
        let reach = REACH * h;
        let mut ends = |this: &mut Self, at: f64| this.flow(&start, h + at).ok();
        if self.quotient(reach, &mut ends, out).is_none() {
            out.fill(f64::NAN);
        }
    }
}
