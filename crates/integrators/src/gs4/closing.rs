//! Closes the joints at the end of a step farther than Newton's iteration leaves them.
//!
//! The iteration ends where its error is a small part of the tolerance. At loose tolerances joints would stay
//! open by that much, although they can be closed at little cost with the factors of the step,
//!
//! ```text
//! S δ + Gᵀμ = 0,  G δ = −Φ          S ν + Gᵀς = 0,  G ν = −Φ̇
//! ```
//! The metric S of the least change is the step matrix, which leaves stiff directions alone.

use crate::linear::factors::Factors;
use crate::linear::saddle_point::{instant, retract};
use poinsot_mechanics::{Frame, Scratch, State, System};

/// What may stay open of positions and velocities, relative to the model's length and speed.
const CLOSED: f64 = 1e-10;

/// Tolerance up to which the iteration itself closes the joints so far.
const TIGHT: f64 = 1e-8;

/// Corrections at most: the directions of the rows are those of the matrix, a little before the end of the
/// step.
const MOST: usize = 4;

/// Which levels are closed, and the work arrays.
#[derive(Debug)]
pub(crate) struct Closing {
    /// Positions and velocities.
    levels: (bool, bool),
    length: f64,
    phi: Vec<f64>,
    rate: Vec<f64>,
    zero: Vec<f64>,
    frames: Vec<Frame>,
}

impl Closing {
    /// For the levels that a form holds.
    pub fn new(system: &System, levels: (bool, bool)) -> Self {
        let zero = vec![0.0; system.size()];
        let any = !system.enforced_equations().is_empty();
        Closing {
            levels: (levels.0 && any, levels.1 && any),
            length: system.length_scale(),
            phi: zero.clone(),
            rate: zero.clone(),
            zero,
            frames: system.nodes().iter().map(|node| node.start).collect(),
        }
    }

    /// Closes the joints at a state that ends a step of length h, solved with these factors to this
    /// tolerance.
    pub fn close(
        &mut self,
        system: &System,
        factors: &Factors,
        state: &mut State,
        (h, tolerance): (f64, f64),
        s: &mut Scratch,
    ) {
        if tolerance <= TIGHT || !(self.levels.0 || self.levels.1) {
            return;
        }
        let speed = self.speed(system, state).max(1e-3 * self.length / h);
        let mut last = f64::INFINITY;
        for _ in 0..MOST {
            let open = self.measure(system, state, speed, s);
            // Also where it is not a number: the step is judged elsewhere.
            if !(open > CLOSED && open < 0.5 * last) {
                return;
            }
            last = open;
            factors.solve2(&mut self.phi, &mut self.rate);
            retract(system, &state.frames, &self.phi, &mut self.frames);
            state.frames.copy_from_slice(&self.frames);
            for i in system.nodes().iter().flat_map(|node| node.unknowns()) {
                state.v[i] += self.rate[i];
            }
        }
    }

    /// −Φ and −Φ̇ of the levels that are closed; the largest of them, relative to length and speed.
    fn measure(&mut self, system: &System, state: &State, speed: f64, s: &mut Scratch) -> f64 {
        self.phi.fill(0.0);
        self.rate.fill(0.0);
        system.constraint_levels(&instant(state, &self.zero), &mut self.phi, &mut self.rate, s);
        system.hold_variables(&mut self.rate);
        let mut open: f64 = 0.0;
        for (rows, wanted, scale) in
            [(&mut self.phi, self.levels.0, self.length), (&mut self.rate, self.levels.1, speed)]
        {
            if !wanted {
                rows.fill(0.0);
            }
            for row in rows.iter_mut() {
                open = open.max(row.abs() / scale);
                *row = -*row;
            }
        }
        open
    }

    /// Largest speed of a body, a spin by the length of the model.
    fn speed(&self, system: &System, state: &State) -> f64 {
        let speed = |k| {
            let twist = system.twist(k, &state.v);
            twist.linear.norm().max(self.length * twist.angular.norm())
        };
        (1..state.frames.len()).map(speed).fold(0.0, f64::max)
    }
}
