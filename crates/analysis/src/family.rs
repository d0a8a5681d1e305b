//! Families of systems: the same elements for every value of a parameter p, be it a load, a stiffness, a
//! speed or a length.
//!
//! ```text
//! F(q, λ; p) = (Gᵀλ − Q, Φ) = 0            ∂F/∂p ≈ (F(q, λ; p + h) − F(q, λ; p − h))/2h
//! ```
//! Mostly the parameter is a load or another factor, and F is linear in it. Then two members serve for all
//! values,
//!
//! ```text
//! F(p) = (1 − w) F₀ + w F₁,     J(p) = (1 − w) J₀ + w J₁,     w = (p − p₀)/(p₁ − p₀)
//! ```
//! and nothing is built on the way. That this holds is not taken for granted: it is checked against the
//! member itself at a third value and again at every point of a path, to rounding; where it does not, members
//! are built for every value.

use crate::tangent::{Tangent, Weights};
use poinsot_integrators::instant;
use poinsot_mechanics::{Scratch, State, System};
use poinsot_numerics::pattern::Pattern;
use std::collections::VecDeque;
use thiserror::Error;

/// h, relative to the scale of the parameter.
const CHANGE: f64 = 1e-4;
/// Members that are kept.
const KEPT: usize = 4;
/// Where between its ends a chord is checked first.
const BETWEEN: f64 = 0.381_966;
/// Deviation from a chord, relative to the change of F and to the size of J, that is rounding.
const STRAIGHT: f64 = 1e-12;
/// Rounding of F_k, relative to Σ_j |J_kj| u_j.
const ROUNDING: f64 = 16.0 * f64::EPSILON;

/// Why a family has no member of use at a value of the parameter.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum FamilyError {
    /// It cannot be built.
    #[error("{0}")]
    NotBuilt(String),
    /// It is another system than the others.
    #[error("the equations of the system change with the parameter")]
    OtherEquations,
}

/// A system for each value of a parameter. All have the same elements in the same order.
pub trait SystemFamily {
    /// The system at a value of the parameter; it need not be started. The error says why there is none.
    fn system(&mut self, parameter: f64) -> Result<System, FamilyError>;

    /// Whether members may be interpolated where F is linear in the parameter; if not, one is built for every
    /// value.
    fn interpolates(&self) -> bool {
        true
    }
}

impl<F: FnMut(f64) -> Result<System, FamilyError>> SystemFamily for F {
    fn system(&mut self, parameter: f64) -> Result<System, FamilyError> {
        self(parameter)
    }
}

/// A family without interpolation: every member is built.
#[derive(Debug)]
pub struct BuiltAnew<F>(pub F);

impl<F: SystemFamily> SystemFamily for BuiltAnew<F> {
    fn system(&mut self, parameter: f64) -> Result<System, FamilyError> {
        self.0.system(parameter)
    }

    fn interpolates(&self) -> bool {
        false
    }
}

/// R and Φ of a system at rest, in one vector.
fn balance(system: &System, state: &State, a: &[f64], out: &mut [f64], s: &mut Scratch) {
    let here = instant(state, a);
    out.fill(0.0);
    system.residual(&here, out, s);
    system.constraint_residual(&here, out, s);
}

/// What the members of a family have in common: structure, and rows out of force.
#[derive(Debug)]
pub(crate) struct Likeness {
    dropped: Vec<(usize, usize)>,
    suspended: Vec<(usize, usize)>,
    pattern: Pattern,
    nodes: usize,
}

impl Likeness {
    /// Of a system that was started.
    pub fn of(first: &System) -> Self {
        let constraints = first.constraints().iter().enumerate();
        let dropped = constraints
            .flat_map(|(c, entry)| (0..entry.active.len()).filter(|&r| !entry.active[r]).map(move |r| (c, r)))
            .collect();
        Likeness {
            dropped,
            suspended: first.suspended_rows(),
            pattern: first.pattern().clone(),
            nodes: first.nodes().len(),
        }
    }

    /// Treats the redundant rows of another system alike, if it has the same equations.
    pub fn make(&self, system: &mut System) -> Result<(), FamilyError> {
        let strict = !self.suspended.is_empty();
        if strict || !self.dropped.is_empty() {
            let known = |&(c, row): &(usize, usize)| {
                system.constraints().get(c).is_some_and(|entry| row < entry.active.len())
            };
            if !self.dropped.iter().chain(&self.suspended).all(known) {
                return Err(FamilyError::OtherEquations);
            }
            system.drop_rows(&self.dropped, strict);
            system.suspend_rows(&self.suspended);
        }
        if *system.pattern() != self.pattern || system.nodes().len() != self.nodes {
            return Err(FamilyError::OtherEquations);
        }
        Ok(())
    }
}

/// The members of a family that are in use, all numbered alike.
pub(crate) struct Members<'f> {
    family: &'f mut dyn SystemFamily,
    likeness: Likeness,
    /// The structure that all share; what was analysed for it serves all.
    pub pattern: Pattern,
    /// The value in use.
    at: f64,
    /// Members that were built last, with their values; the newest comes last, and there is always one.
    recent: VecDeque<(f64, System)>,
    chord: Option<Chord>,
    neighbours: Option<(f64, [System; 2])>,
    /// Size of typical changes of the parameter.
    pub scale: f64,
    /// Systems that were built.
    pub builds: usize,
    work: [Vec<f64>; 2],
    scratch: Scratch,
}

/// Two members between which F is linear.
struct Chord {
    values: [f64; 2],
    ends: [System; 2],
    /// Whether J does not depend on the parameter.
    same_matrix: bool,
}

impl Chord {
    /// w.
    fn share(&self, parameter: f64) -> f64 {
        (parameter - self.values[0]) / (self.values[1] - self.values[0])
    }
}

impl<'f> Members<'f> {
    /// `first` is the member at `at`, started: redundant rows of all others are treated as there.
    pub fn new(family: &'f mut dyn SystemFamily, first: System, at: f64, scale: f64) -> Self {
        let n = first.size();
        Members {
            family,
            likeness: Likeness::of(&first),
            pattern: first.pattern().clone(),
            at,
            recent: VecDeque::from([(at, first)]),
            chord: None,
            neighbours: None,
            scale,
            builds: 0,
            work: [vec![0.0; n], vec![0.0; n]],
            scratch: Scratch::default(),
        }
    }

    /// A member whose structure is that of all; without a chord the one at the value in use.
    pub fn here(&self) -> &System {
        &self.recent[self.recent.len() - 1].1
    }

    fn build(&mut self, parameter: f64) -> Result<System, FamilyError> {
        let mut system = self.family.system(parameter)?;
        self.builds += 1;
        self.likeness.make(&mut system)?;
        Ok(system)
    }

    /// Takes a value into use.
    pub fn take(&mut self, parameter: f64) -> Result<(), FamilyError> {
        self.at = parameter;
        if self.chord.is_none() { self.exact().map(|_| ()) } else { Ok(()) }
    }

    /// The member at the value in use, not interpolated.
    pub fn exact(&mut self) -> Result<&System, FamilyError> {
        let at = self.at;
        let newest = match self.recent.iter().position(|(value, _)| *value == at) {
            Some(known) => self.recent.remove(known),
            None => Some((at, self.build(at)?)),
        };
        if self.recent.len() >= KEPT {
            self.recent.pop_front();
        }
        self.recent.extend(newest);
        Ok(self.here())
    }

    /// F at the value in use.
    pub fn balance(&mut self, state: &State, a: &[f64], out: &mut [f64]) {
        let s = &mut self.scratch;
        let Some(chord) = &self.chord else {
            return balance(&self.recent[self.recent.len() - 1].1, state, a, out, s);
        };
        let w = chord.share(self.at);
        let [first, last] = &mut self.work;
        balance(&chord.ends[0], state, a, first, s);
        balance(&chord.ends[1], state, a, last, s);
        for ((f, first), last) in out.iter_mut().zip(&*first).zip(&*last) {
            *f = (1.0 - w) * first + w * last;
        }
    }

    /// J, assembled at the value in use; its values are those of `tangent`.
    pub fn assemble(&self, tangent: &mut Tangent, state: &State, a: &[f64], weights: Weights) {
        match &self.chord {
            None => {
                tangent.assemble(self.here(), state, a, weights);
            }
            Some(Chord { ends, same_matrix: true, .. }) => {
                tangent.assemble(&ends[0], state, a, weights);
            }
            Some(chord) => tangent.assemble_between(
                [&chord.ends[0], &chord.ends[1]],
                chord.share(self.at),
                (state, a),
                weights,
            ),
        }
    }

    /// ∂F/∂p, times the scale of the parameter, at the value in use.
    pub fn slope(&mut self, state: &State, a: &[f64], out: &mut [f64]) -> Result<(), FamilyError> {
        let h = CHANGE * self.scale;
        let known = |(at, _): &(f64, [System; 2])| *at == self.at;
        if self.chord.is_none() && !self.neighbours.as_ref().is_some_and(known) {
            self.neighbours = Some((self.at, [self.build(self.at - h)?, self.build(self.at + h)?]));
        }
        let (ends, per_scale) = match (&self.chord, &self.neighbours) {
            (Some(chord), _) => (&chord.ends, self.scale / (chord.values[1] - chord.values[0])),
            (None, Some((_, ends))) => (ends, 0.5 / CHANGE),
            (None, None) => return Ok(()),
        };
        let [first, last] = &mut self.work;
        balance(&ends[0], state, a, first, &mut self.scratch);
        balance(&ends[1], state, a, last, &mut self.scratch);
        for ((slope, first), last) in out.iter_mut().zip(&*first).zip(&*last) {
            *slope = (last - first) * per_scale;
        }
        Ok(())
    }

    /// Interpolates from now on between the value in use and another one, if F is linear between them in this
    /// position.
    pub fn interpolate(&mut self, to: f64, state: &State, a: &[f64], sizes: &Sizes) {
        let from = self.at;
        if !self.family.interpolates() || to == from {
            return;
        }
        // Without a member there, there is no chord.
        let (Ok(first), Ok(last)) = (self.build(from), self.build(to)) else { return };
        self.chord = Some(Chord { values: [from, to], ends: [first, last], same_matrix: true });
        self.at = from + BETWEEN * (to - from);
        if !self.confirm(state, a, sizes).unwrap_or(false) {
            self.chord = None;
        }
        self.at = from;
    }

    /// Whether F and J at the value in use are those of the member there; if not, members are built from now
    /// on.
    pub fn confirm(&mut self, state: &State, a: &[f64], sizes: &Sizes) -> Result<bool, FamilyError> {
        if self.chord.is_none() {
            return Ok(true);
        }
        self.exact()?;
        let mut tangent = Tangent::new(self.here());
        let exact = tangent.assemble(self.here(), state, a, STATICS).to_vec();
        let mut straight = self.is_straight(state, a, &exact, sizes);
        let fits = |members: &Self, tangent: &mut Tangent| {
            members.assemble(tangent, state, a, STATICS);
            sizes.alike(&members.pattern, tangent.values(), &exact)
        };
        if straight && !fits(self, &mut tangent) {
            self.chord.iter_mut().for_each(|chord| chord.same_matrix = false);
            straight = fits(self, &mut tangent);
        }
        if !straight {
            self.chord = None;
        }
        Ok(straight)
    }

    /// Whether F at the value in use is that of the member there, up to the rounding of elastic forces that
    /// cancel.
    fn is_straight(&mut self, state: &State, a: &[f64], matrix: &[f64], sizes: &Sizes) -> bool {
        let n = self.pattern.n();
        let (mut here, mut there) = (vec![0.0; n], vec![0.0; n]);
        self.balance(state, a, &mut here);
        balance(self.here(), state, a, &mut there, &mut Scratch::default());
        let [first, last] = &self.work;
        let mut change = [0.0; 2];
        for k in 0..n {
            let row = usize::from(sizes.is_row[k]);
            change[row] = f64::max(change[row], ((last[k] - first[k]) * sizes.units[k]).abs());
        }
        let mut rounding = vec![0.0; n];
        for (j, multiplier) in a.iter().enumerate() {
            for (&i, slot) in self.pattern.rows(j).iter().zip(self.pattern.slots(j)) {
                let size = if sizes.is_row[j] { multiplier.abs() } else { sizes.units[j] };
                rounding[i] += ROUNDING * matrix[slot].abs() * size;
            }
        }
        (0..n).all(|k| {
            let limit = STRAIGHT * change[usize::from(sizes.is_row[k])] / sizes.units[k] + rounding[k];
            (here[k] - there[k]).abs() <= limit
        })
    }
}

const STATICS: Weights = Weights { mass: 0.0, stiffness: 1.0 };

/// By what unknowns are measured.
pub(crate) struct Sizes {
    /// Unit of each unknown, 1 for multipliers.
    pub units: Vec<f64>,
    /// Which unknowns are multipliers.
    pub is_row: Vec<bool>,
}

impl Sizes {
    /// Whether two matrices differ by rounding; stiffnesses are compared with the largest, and so are
    /// constraints.
    fn alike(&self, pattern: &Pattern, one: &[f64], other: &[f64]) -> bool {
        let (mut size, mut difference) = ([0.0; 2], [0.0; 2]);
        for j in 0..pattern.n() {
            for (&i, slot) in pattern.rows(j).iter().zip(pattern.slots(j)) {
                let kind = usize::from(self.is_row[i] || self.is_row[j]);
                let unit = self.units[i] * self.units[j];
                size[kind] = f64::max(size[kind], (other[slot] * unit).abs());
                difference[kind] = f64::max(difference[kind], ((one[slot] - other[slot]) * unit).abs());
            }
        }
        (0..2).all(|kind| difference[kind] <= STRAIGHT * size[kind])
    }
}
