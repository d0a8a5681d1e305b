//! Where a GS4 motion is, and the steps that led there.

use crate::gs4::Gs4;
use crate::gs4::predictor::Predictor;
use crate::linear::saddle_point::{SaddlePoint, retract};
use crate::step_failure::StepFailure;
use poinsot_mechanics::State;

/// Change of the time within which Baumgarte's form pulls back from one step to a shorter one.
const PULL_CHANGE: f64 = 0.98;

/// What a step starts from.
#[derive(Debug)]
pub(crate) struct Past {
    pub state: State,
    /// Stored acceleration aⁿ ≈ q̈(t_n − φh) of the last step's h, zero in the constraint entries.
    pub stored: Vec<f64>,
    /// The one before, and that h.
    pub previous: Vec<f64>,
    pub h: Option<f64>,
    pub predictor: Predictor,
    /// Time within which Baumgarte's form pulls back (s), of the last step.
    pub pull: f64,
}

impl Past {
    /// At a state with these accelerations, which are stored as they stand.
    pub fn new(state: State, now: Vec<f64>) -> Self {
        let (stored, previous) = (now.clone(), now.clone());
        Past { stored, previous, h: None, predictor: Predictor::new(now, state.t), pull: 0.0, state }
    }

    /// Time within which Baumgarte's form pulls back in a step of length h. What a long step has left open a
    /// short one would pull back with great force, which asks for steps that are shorter still: the time
    /// follows slowly.
    pub fn pull_within(&self, h: f64) -> f64 {
        h.max(PULL_CHANGE * self.pull)
    }

    /// A step of another length needs the acceleration at another shifted time (gs4-isochronous-integrators
    /// I-16).
    pub fn shifted(&self, phi: f64, h: f64, a: &mut [f64]) {
        a.copy_from_slice(&self.stored);
        let Some(old) = self.h else { return };
        let ratio = h / old - 1.0;
        if ratio.abs() < 1e-12 {
            return;
        }
        let factor = phi * ratio;
        for (a, previous) in a.iter_mut().zip(&self.previous) {
            *a -= factor * (*a - previous);
        }
    }
}

impl Gs4<'_> {
    /// a⁰ := q̈(t₀ − φh), by going back along the Taylor series of the motion.
    pub(super) fn shift_start(
        &mut self,
        solver: &mut SaddlePoint,
        now: &[f64],
        h: f64,
    ) -> Result<(), StepFailure> {
        self.step.a.copy_from_slice(now);
        let back = -self.w.phi * h;
        if back != 0.0 {
            let mut earlier = self.past.state.clone();
            let mut delta = vec![0.0; now.len()];
            for i in 0..now.len() {
                delta[i] = back * self.past.state.v[i] + 0.5 * back * back * now[i];
                earlier.v[i] += back * now[i];
            }
            retract(self.system, &self.past.state.frames, &delta, &mut earlier.frames);
            earlier.t += back;
            let t = self.past.state.t;
            solver
                .accelerations(self.system, &earlier, &mut self.step.a)
                .map_err(|e| StepFailure::singular(self.system, t, &e))?;
            self.system.network_rates(&earlier, &mut self.step.a, &mut solver.scratch);
        }
        // Where the extrapolation changes the acceleration by more than twice itself, a stiff transient has
        // yet to decay and the value at t₀ is the better one. (A load that only begins at t₀ leaves nothing
        // to compare with.)
        let bodies: Vec<usize> = self.system.nodes().iter().flat_map(|n| n.unknowns()).collect();
        let variables: Vec<usize> = self.system.variable_equations();
        for unknowns in [bodies, variables] {
            let size = |x: &dyn Fn(usize) -> f64| unknowns.iter().map(|&i| x(i) * x(i)).sum::<f64>();
            let (change, own) = (size(&|i| self.step.a[i] - now[i]), size(&|i| now[i]));
            if change > 4.0 * own && own > 1e-6 * change {
                unknowns.iter().for_each(|&i| self.step.a[i] = now[i]);
            }
        }
        for &row in &self.rows.constraints {
            self.step.a[row] = 0.0;
        }
        self.past.stored.copy_from_slice(&self.step.a);
        self.past.previous.copy_from_slice(&self.step.a);
        Ok(())
    }
}
