//! Families of systems: the same elements for every value of a parameter p, be it a load, a stiffness, a speed or a length.
//!
//! ```text
//! F(q, λ; p) = (Gᵀλ − Q, Φ) = 0            ∂F/∂p ≈ (F(q, λ; p + h) − F(q, λ; p − h))/2h
//! ```
//! The difference is exact where F is linear in p; then the two neighbours of one value serve for all others.

use poinsot_integrators::instant;
use poinsot_mechanics::{Scratch, State, System};
use poinsot_numerics::pattern::Pattern;

/// h, relative to the scale of the parameter.
const CHANGE: f64 = 1e-4;
/// F counts as linear in p where its second difference is below this share of the first; h being small, its curvature over the
/// whole range is then below 1e-5.
const LINEAR: f64 = 1e-9;

/// A system for each value of a parameter. All have the same elements in the same order.
pub trait Family {
    /// The system at a value of the parameter; it need not be started. The error says why there is none.
    fn system(&mut self, parameter: f64) -> Result<System, String>;
}

impl<F: FnMut(f64) -> Result<System, String>> Family for F {
    fn system(&mut self, parameter: f64) -> Result<System, String> {
        self(parameter)
    }
}

/// Why a member of a family is of no use.
const OTHER_EQUATIONS: &str = "the equations of the system change with the parameter";

/// R and Φ of a system at rest, in one vector.
pub(crate) fn balance(system: &System, state: &State, a: &[f64], out: &mut [f64], s: &mut Scratch) {
    let here = instant(state, a);
    out.fill(0.0);
    system.residual(&here, out, s);
    system.constraint_residual(&here, out, s);
}

/// The members of a family that are in use, all numbered alike.
pub(crate) struct Members<'f> {
    family: &'f mut dyn Family,
    /// Rows out of force in every member.
    dropped: Vec<(usize, usize)>,
    suspended: Vec<(usize, usize)>,
    /// The structure that all share; what was analysed for it serves all.
    pub pattern: Pattern,
    /// The member at the value in use.
    at: f64,
    here: System,
    neighbours: Option<Neighbours>,
    /// Size of typical changes of the parameter.
    pub scale: f64,
    /// Systems that were built.
    pub builds: usize,
    work: [Vec<f64>; 3],
    scratch: Scratch,
}

/// Members at p ± h.
struct Neighbours {
    at: f64,
    below: System,
    above: System,
    linear: bool,
}

impl<'f> Members<'f> {
    /// `first` is the member at `at`, started: redundant rows of all others are treated as there.
    pub fn new(family: &'f mut dyn Family, first: System, at: f64, scale: f64) -> Self {
        let constraints = first.constraints().iter().enumerate();
        let dropped = constraints
            .flat_map(|(c, entry)| (0..entry.active.len()).filter(|&r| !entry.active[r]).map(move |r| (c, r)))
            .collect();
        let n = first.size();
        Members {
            family,
            dropped,
            suspended: first.suspended_rows(),
            pattern: first.pattern().clone(),
            at,
            here: first,
            neighbours: None,
            scale,
            builds: 0,
            work: [vec![0.0; n], vec![0.0; n], vec![0.0; n]],
            scratch: Scratch::default(),
        }
    }

    /// The member in use.
    pub fn here(&self) -> &System {
        &self.here
    }

    fn build(&mut self, parameter: f64) -> Result<System, String> {
        let mut system = self.family.system(parameter)?;
        self.builds += 1;
        let strict = !self.suspended.is_empty();
        if strict || !self.dropped.is_empty() {
            let known = |&(c, row): &(usize, usize)| {
                system.constraints().get(c).is_some_and(|entry| row < entry.active.len())
            };
            if !self.dropped.iter().chain(&self.suspended).all(known) {
                return Err(OTHER_EQUATIONS.into());
            }
            system.drop_rows(&self.dropped, strict);
            system.suspend_rows(&self.suspended);
        }
        if *system.pattern() != self.pattern || system.nodes().len() != self.here.nodes().len() {
            return Err(OTHER_EQUATIONS.into());
        }
        Ok(system)
    }

    /// Takes the member at a value into use.
    pub fn take(&mut self, parameter: f64) -> Result<(), String> {
        if parameter != self.at {
            self.here = self.build(parameter)?;
            self.at = parameter;
        }
        Ok(())
    }

    /// F of the member in use.
    pub fn balance(&mut self, state: &State, a: &[f64], out: &mut [f64]) {
        balance(&self.here, state, a, out, &mut self.scratch);
    }

    /// ∂F/∂p, times the scale of the parameter, at the member in use.
    pub fn slope(&mut self, state: &State, a: &[f64], out: &mut [f64]) -> Result<(), String> {
        let h = CHANGE * self.scale;
        if !self.neighbours.as_ref().is_some_and(|n| n.linear || n.at == self.at) {
            let (below, above) = (self.build(self.at - h)?, self.build(self.at + h)?);
            self.neighbours = Some(Neighbours { at: self.at, below, above, linear: false });
        }
        let Some(neighbours) = &mut self.neighbours else { return Ok(()) };
        let [low, middle, high] = &mut self.work;
        let s = &mut self.scratch;
        balance(&neighbours.below, state, a, low, s);
        balance(&neighbours.above, state, a, high, s);
        for ((slope, low), high) in out.iter_mut().zip(&*low).zip(&*high) {
            *slope = (high - low) / (2.0 * CHANGE);
        }
        if neighbours.at == self.at && !neighbours.linear {
            balance(&self.here, state, a, middle, s);
            let terms = low.iter().zip(&*middle).zip(&*high);
            let (mut first, mut second): (f64, f64) = (0.0, 0.0);
            for ((l, m), r) in terms {
                first = first.max((r - l).abs());
                second = second.max((r - 2.0 * m + l).abs());
            }
            neighbours.linear = first > 0.0 && second <= LINEAR * first;
        }
        Ok(())
    }
}
