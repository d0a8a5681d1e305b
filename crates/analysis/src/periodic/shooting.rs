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

/// ε in units of the states.
const REACH: f64 = 1e-3;

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

    /// The difference quotient of the ends along a way there and back; none if a step fails.
    fn quotient(
        &mut self,
        ends: &mut dyn FnMut(&mut Self, f64) -> Option<State>,
        out: &mut [f64],
    ) -> Option<()> {
        out.fill(0.0);
        let mut way = vec![0.0; self.changes.size()];
        for (at, weight) in [(1.0, 8.0), (-1.0, -8.0), (2.0, -1.0), (-2.0, 1.0)] {
            let end = ends(self, at)?;
            self.changes.difference(&self.end, &end, &mut way);
            out.iter_mut().zip(&way).for_each(|(out, way)| *out += weight / 12.0 * way);
        }
        Some(())
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
                let step: Vec<f64> = change.iter().map(|d| at * reach * d).collect();
                let start = this.start.clone();
                let moved = this.changes.moved(&start, &step).ok()?;
                this.flow(&moved, h).ok()
            };
            match self.quotient(&mut ends, out) {
                Some(()) => out.iter_mut().for_each(|x| *x /= reach),
                None => out.fill(f64::NAN),
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
        let mut ends = |this: &mut Self, at: f64| this.flow(&start, h + at * reach).ok();
        match self.quotient(&mut ends, out) {
            Some(()) => out.iter_mut().for_each(|x| *x /= reach),
            None => out.fill(f64::NAN),
        }
    }
}
