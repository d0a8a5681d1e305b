//! Static equilibrium at a fixed time (floating-frame-and-ancf §1.14.5):
//!
//! ```text
//! R(q, λ) = Gᵀ(q) λ − Q(q, v = 0, t) = 0,      Φ(q, t) = 0
//! ```
//! Rows on velocities have no Φ: from the start on the system moves as they allow (G δq = 0, a wheel rolls
//! and does not slip, a rate drive holds its coordinate), and their multipliers are the forces of static
//! friction or of the brake.
//!
//! Dry friction of joints is regularised around v = 0 and gives no force at rest.
//!
//! Three methods are tried in turn:
//!
//! ```text
//! Newton        [K Gᵀ; G 0] (δq, δλ) = −(R, Φ)
//! load steps    R(q, λ) = (1 − s) R(q₀, λ₀),  s: 0 → 1     the part of the loads that is out of balance comes on slowly
//! relaxation    [K + σM Gᵀ; G 0] (δq, δλ) = −(R, Φ),  σ → 0   downhill as the flow M q̇ = −R, in ever longer steps
//! ```
//! λ₀ is the best balance in the sense of the masses, so that R(q₀, λ₀) has no part that constraints could
//! carry.
//!
//! Newton's method is tried boldly first, then with half the rotation in a step, then cautiously. Bold steps
//! follow the Newton path F(x(s)) = (1 − s) F(x₀), F = (R, Φ): a share s of the step, as rotations and
//! displacements allow, each part of the system that is independent of the others for itself, then, where
//! that is not all of it, a few back to the path,
//!
//! ```text
//! K(x₀) δ = −F(x₀),  x₁ = x₀ + s δ           K(x₁) δ = −(F(x₁) − (1 − s) F(x₀))
//! ```
//! R may become larger on the way: a slender beam that bends in the first also stretches, by the square of
//! the step, and the others take that out again. A search for smaller R would hold it to steps as small as it
//! is slender. Cautious steps are halved until R falls or the next correction with the same matrix, δ',
//! contracts.
//!
//! Converged is what satisfies all of
//!
//! ```text
//! |R_k| ≤ tolerance · largest load + ε Σ_j |K_kj| u_j         what rounding leaves of cancelling elastic forces
//! |Φ| ≤ 1e-12 length
//! |δ'| ≤ tolerance, or no longer contracting                   in lengths of the model and radians
//! ```
//! Systems with first-order equations are in `coupled_equilibrium.rs`.

use crate::modes::{EigenvalueVerdict, find_modes};
use crate::stability::{LinearStability, Stability, StaticStability, judge};
use crate::tangent::{Tangent, Weights, largest, units};
use poinsot_integrators::{instant, retract};
use poinsot_mechanics::{GROUND, Instant, State, System};
use poinsot_numerics::dense::DenseError;
use poinsot_numerics::lu::PivotError;
use poinsot_numerics::pattern::Pattern;
use thiserror::Error;

/// Residual of Φ, relative to the model's length, at which the constraints count as closed.
const CLOSED: f64 = 1e-12;
/// Largest rotation of a body in an iteration (rad).
const MAX_TURN: f64 = 0.3;
/// Largest displacement in an iteration, relative to the model's length.
const MAX_SHIFT: f64 = 0.5;
/// Smallest share of a Newton step that is tried: 2⁻¹⁰.
const MAX_HALVINGS: usize = 10;
/// A correction in balance above this size, in lengths of the model and radians, is not one.
const LARGEST_LAST: f64 = 1e-3;
/// Steps back to the Newton path at most, after each along it.
const MAX_RETURNS: usize = 3;
/// A correction larger than this share of the one before has not contracted.
const CONTRACTION: f64 = 0.5;
/// Rounding of a sum of elastic forces, relative to Σ_j |K_kj| u_j: a few units of the last place.
const ROUNDING: f64 = 4.0 * f64::EPSILON;
/// σ of Newton's method, relative to the typical force per mass and length: keeps directions without
/// stiffness in place.
const ANCHOR: f64 = 1e-7;
/// First load step.
const FIRST_LOAD_STEP: f64 = 0.1;
/// Smallest load step.
const MIN_LOAD_STEP: f64 = 1e-4;
/// Modes that are looked at in large systems where velocities decide.
const LOWEST_MODES: usize = 12;

/// How hard to try.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EquilibriumSettings {
    /// Largest out-of-balance force, relative to the largest force in the system, and largest correction of
    /// the position, relative to the model's length and in radians; both as far as rounding allows.
    pub tolerance: f64,
    /// Newton iterations at most, for the whole load and for each load step; 0 leaves both methods out.
    pub iterations: usize,
    /// Load steps at most; 0 leaves the method out.
    pub load_steps: usize,
    /// Iterations of the relaxation at most; 0 leaves the method out.
    pub relaxations: usize,
    /// Whether its stability is judged, which costs more than finding it.
    pub judge: bool,
}

impl Default for EquilibriumSettings {
    fn default() -> Self {
        EquilibriumSettings {
            tolerance: 1e-10,
            iterations: 60,
            load_steps: 60,
            relaxations: 1000,
            judge: true,
        }
    }
}

impl EquilibriumSettings {
    /// Only the relaxation: it goes downhill, to a stable position, where Newton's method takes the nearest
    /// of any kind.
    pub fn downhill() -> Self {
        EquilibriumSettings { iterations: 0, load_steps: 0, ..EquilibriumSettings::default() }
    }
}

/// The method that found the equilibrium.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EquilibriumMethod {
    /// Newton's method.
    Newton,
    /// Newton's method with the out-of-balance loads brought on in steps.
    LoadSteps,
    /// Relaxation along the flow M q̇ = −R.
    Relaxation,
}

/// A position of rest.
#[derive(Clone, Debug)]
pub struct Equilibrium {
    /// The position; velocities are zero.
    pub state: State,
    /// Accelerations, all zero, with λ in the constraint entries; rates of variables that run on although
    /// everything else rests.
    pub a: Vec<f64>,
    /// Iterations of all methods.
    pub iterations: usize,
    /// Load steps that were taken.
    pub load_steps: usize,
    /// The method that succeeded.
    pub method: EquilibriumMethod,
    /// Largest out-of-balance force relative to the largest force, and its equation in words.
    pub residual: (f64, String),
    /// Stability.
    pub verdict: StaticStability,
    /// The lowest eigenvalues ω² (1/s²), by their real parts, at most six; none with first-order equations.
    pub lowest: Vec<f64>,
    /// What the eigenvalues of the states say; of systems with first-order equations only.
    pub linear: Option<LinearStability>,
    /// What the modes say where stiffness alone does not decide, and why it does not.
    pub by_modes: Option<(EigenvalueVerdict, VelocityForces)>,
    /// Why there are no eigenvalues, with first-order equations.
    pub unjudged: Option<String>,
    /// With first-order equations: unknowns that these leave free, held as near to the start as can be.
    pub held: Vec<String>,
}

/// Why no equilibrium is given.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum EquilibriumError {
    /// None of the methods found one.
    #[error(
        "no equilibrium found: after {iterations} iterations {equation} is out of balance by {residual:.3e} of the largest force; it may not exist (a force that nothing holds), or the start is too far from it: start nearer, or `run` the motion with damping"
    )]
    NotFound {
        /// Iterations of all methods.
        iterations: usize,
        /// Out-of-balance force relative to the largest force.
        residual: f64,
        /// Its equation, in words.
        equation: String,
    },
    /// The constraints do not close.
    #[error("no equilibrium found: {equation} stays open by {residual:.3e}")]
    Open {
        /// The worst constraint, in words.
        equation: String,
        /// Its residual.
        residual: f64,
    },
    /// The equations are singular at the start.
    #[error("the equations are singular at the start: {equation} has no inertia or depends on others")]
    Singular {
        /// Equation, in words.
        equation: String,
    },
    /// The stability could not be judged.
    #[error("the stability of the equilibrium cannot be judged: {0}")]
    Stability(#[from] DenseError),
}

/// Finds a position of rest from `start`, at its time.
pub fn find_equilibrium(
    system: &System,
    start: State,
    settings: &EquilibriumSettings,
) -> Result<Equilibrium, EquilibriumError> {
    if !system.networks().is_empty() {
        return crate::coupled_equilibrium::find(system, start, settings);
    }
    let mut start = start;
    start.v.fill(0.0);
    let singular = |e: PivotError| EquilibriumError::Singular { equation: system.equation_name(e.row) };
    let mut solver = Solver::new(system, *settings);
    let mut best: Option<Balance> = None;
    let attempts = [
        (EquilibriumMethod::Newton, BOLD),
        (EquilibriumMethod::Newton, SLOW),
        (EquilibriumMethod::Newton, CAUTIOUS),
        (EquilibriumMethod::LoadSteps, BOLD),
        (EquilibriumMethod::Relaxation, CAUTIOUS),
    ];
    for (method, limits) in attempts {
        solver.measure_stiffness(&start);
        let mut at = Point { state: start.clone(), a: solver.multipliers(&start).map_err(singular)? };
        let found = match method {
            EquilibriumMethod::Newton => solver.newton(&mut at, None, limits),
            EquilibriumMethod::LoadSteps => solver.load_steps(&mut at),
            EquilibriumMethod::Relaxation => solver.relax(&mut at),
        };
        let balance = solver.balance(&at, None);
        if found {
            return solver.finish(at, method, balance);
        }
        if best.as_ref().is_none_or(|b| balance.total() < b.total()) {
            best = Some(balance);
        }
    }
    Err(solver.failure(best))
}

/// Forces by which velocities take part in stability.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VelocityForces {
    /// They can hold what stiffness does not: a sleeping top, a rotor above its critical speeds.
    Gyroscopic,
    /// Laws of velocities, which can let go what stiffness holds: they may feed in energy.
    Laws,
}

/// What the eigenvalues of small motions say, if they can be had.
fn verdict_of_modes(system: &System, at: &Point) -> Option<EigenvalueVerdict> {
    Some(find_modes(system, &at.state, &at.a, GROUND, LOWEST_MODES).ok()?.verdict)
}

/// A trial position with its multipliers.
#[derive(Clone)]
struct Point {
    state: State,
    /// λ in the constraint entries, else zero.
    a: Vec<f64>,
}

/// R and Φ in one vector, with their sizes.
struct Balance {
    values: Vec<f64>,
    /// Typical force: the largest load, or what counts as one where everything is unstressed.
    force: f64,
    /// The same for directions without stiffness, which may be far softer than the stiffest.
    anchor: f64,
    /// Largest out-of-balance force relative to the largest load, rounding allowed for, and its equation.
    unbalanced: (usize, f64),
    /// Largest |Φ| relative to the model's length, and its equation.
    open: (usize, f64),
}

impl Balance {
    fn total(&self) -> f64 {
        let sum = self.unbalanced.1 + self.open.1;
        if sum.is_nan() { f64::INFINITY } else { sum }
    }
}

struct Solver<'a> {
    system: &'a System,
    settings: EquilibriumSettings,
    tangent: Tangent,
    units: Vec<f64>,
    length: f64,
    is_row: Vec<bool>,
    zero: Vec<f64>,
    iterations: usize,
    load_steps: usize,
    /// Force that counts as typical where everything is unstressed.
    floor: f64,
    /// For each equation the first one of the part of the system that it belongs to.
    parts: Vec<usize>,
    /// Rounding of the balance in each equation, torques by the force at the model's length.
    rounding: Vec<f64>,
}

/// How Newton's method goes.
#[derive(Clone, Copy)]
struct NewtonLimits {
    /// Largest rotation of a body in an iteration (rad).
    turn: f64,
    /// Whether steps are halved until they make things better.
    cautious: bool,
}

const BOLD: NewtonLimits = NewtonLimits { turn: MAX_TURN, cautious: false };
const SLOW: NewtonLimits = NewtonLimits { turn: 0.5 * MAX_TURN, cautious: false };
const CAUTIOUS: NewtonLimits = NewtonLimits { turn: MAX_TURN, cautious: true };

/// What is left of (R, Φ) on the Newton path after a share of a step.
struct Left {
    values: Vec<f64>,
    /// Merits before the step, with the force that they were measured by.
    sizes: Vec<f64>,
    force: f64,
    /// Steps back to the path that may still be taken.
    tries: usize,
}

/// A step of Newton's method that was accepted.
struct Step {
    to: Point,
    balance: Balance,
    /// Whether it is in balance and the next correction is small, or rounding.
    settled: bool,
}

/// Deviation, relative to the model's length, whose elastic force counts as typical in an unstressed system.
const UNSTRESSED: f64 = 1e-3;
/// Share of that force that directions without stiffness are held by at least.
const SLACK: f64 = 1e-3;

/// For each equation the first one that it is connected with through others.
fn independent_parts(pattern: &Pattern) -> Vec<usize> {
    fn first(parts: &[usize], mut k: usize) -> usize {
        while parts[k] != k {
            k = parts[k];
        }
        k
    }
    let mut parts: Vec<usize> = (0..pattern.n()).collect();
    for j in 0..pattern.n() {
        for &i in pattern.rows(j) {
            let (a, b) = (first(&parts, i), first(&parts, j));
            parts[a.max(b)] = a.min(b);
            // The way is shortened for those that come after.
            (parts[i], parts[j]) = (a.min(b), a.min(b));
        }
    }
    (0..parts.len()).map(|k| first(&parts, k)).collect()
}

impl<'a> Solver<'a> {
    fn new(system: &'a System, settings: EquilibriumSettings) -> Self {
        let length = system.length_scale();
        Solver {
            system,
            settings,
            tangent: Tangent::new(system),
            units: units(system, length),
            length,
            is_row: system.is_constraint_row(),
            zero: vec![0.0; system.size()],
            iterations: 0,
            load_steps: 0,
            floor: 0.0,
            parts: independent_parts(system.pattern()),
            rounding: vec![0.0; system.size()],
        }
    }

    /// Sets the floor of the typical force from the stiffness at a position.
    fn measure_stiffness(&mut self, state: &State) {
        let weights = Weights { mass: 0.0, stiffness: 1.0 };
        self.tangent.assemble(self.system, state, &self.zero, weights);
        self.measure_rounding();
        let values = self.tangent.values();
        let diagonal = |i: usize| self.system.pattern().index(i, i).map_or(0.0, |slot| values[slot].abs());
        let unknowns = self.system.nodes().iter().flat_map(|n| n.unknowns());
        let stiffest = unknowns.map(|i| diagonal(i) * self.units[i] * self.units[i]).fold(0.0, f64::max);
        self.floor = UNSTRESSED * stiffest / self.length;
    }

    /// ε Σ_j |K_kj| u_j with the matrix assembled last: coordinates of size u_j are rounded to ε u_j, and so
    /// are the strains that are differences of them.
    fn measure_rounding(&mut self) {
        let (pattern, values) = (self.system.pattern(), self.tangent.values());
        self.rounding.fill(0.0);
        for j in (0..pattern.n()).filter(|&j| !self.is_row[j]) {
            for (&i, slot) in pattern.rows(j).iter().zip(pattern.slots(j)) {
                self.rounding[i] += values[slot].abs() * self.units[j];
            }
        }
        for (rounding, unit) in self.rounding.iter_mut().zip(&self.units) {
            *rounding *= ROUNDING * unit / self.length;
        }
    }

    /// λ of the best balance: [M Gᵀ; G 0] (·, λ) = (Q, 0).
    fn multipliers(&mut self, state: &State) -> Result<Vec<f64>, PivotError> {
        let mut b = self.zero.clone();
        self.system.residual(&instant(state, &self.zero), &mut b, &mut self.tangent.scratch);
        b.iter_mut().for_each(|r| *r = -*r);
        self.tangent.factor(self.system, state, &self.zero, Weights { mass: 1.0, stiffness: 0.0 })?;
        self.tangent.solve(&mut b);
        b.iter_mut().zip(&self.is_row).filter(|(_, row)| !**row).for_each(|(b, _)| *b = 0.0);
        Ok(b)
    }

    /// R − offset and Φ.
    fn balance(&mut self, at: &Point, offset: Option<&[f64]>) -> Balance {
        let here = instant(&at.state, &at.a);
        let mut values = self.zero.clone();
        let s = &mut self.tangent.scratch;
        self.system.residual(&here, &mut values, s);
        if let Some(offset) = offset {
            values.iter_mut().zip(offset).for_each(|(r, o)| *r -= o);
        }
        self.system.constraint_residual(&here, &mut values, s);
        let load = self.largest_load(at);
        let (mut unbalanced, mut open) = (self.zero.clone(), self.zero.clone());
        for (k, &r) in values.iter().enumerate() {
            match self.is_row[k] {
                true => open[k] = r / self.length,
                false if r == 0.0 => {}
                // A torque is measured by the force at the model's length.
                false => {
                    let rounding = self.rounding[k] / self.settings.tolerance;
                    unbalanced[k] = r * self.units[k] / self.length / (load + rounding);
                }
            }
        }
        let (force, anchor) = (load.max(self.floor), load.max(SLACK * self.floor));
        Balance { values, force, anchor, unbalanced: largest(&unbalanced), open: largest(&open) }
    }

    /// The largest force in the system: weights, applied forces, forces of springs and beams, constraint
    /// forces.
    fn largest_load(&mut self, at: &Point) -> f64 {
        let system = self.system;
        let gravity = system.gravity.norm();
        let mut force = system.largest_mass() * gravity;
        let still = Instant { v: &self.zero, ..instant(&at.state, &at.a) };
        for (index, entry) in system.forces().iter().enumerate() {
            let f = system.force_on_vectors(index, &still, &mut self.tangent.scratch);
            for (f, c) in f.iter().zip(entry.law.carried()) {
                force = force.max(f.norm() / if !c.is_place() { self.length } else { 1.0 });
            }
        }
        let mut pull = self.zero.clone();
        system.add_pull(&instant(&at.state, &at.a), &at.a, &mut pull, &mut self.tangent.scratch);
        pull.iter_mut().zip(&self.units).for_each(|(p, u)| *p *= u / self.length);
        force.max(largest(&pull).1)
    }

    fn balanced(&self, balance: &Balance) -> bool {
        balance.unbalanced.1 <= self.settings.tolerance && balance.open.1 <= CLOSED
    }

    /// Scale of σ: the typical force by mass and length (1/s²).
    fn stiffness_scale(&self, force: f64) -> f64 {
        let mass = self.system.largest_mass();
        if mass > 0.0 { force / (mass * self.length) } else { 0.0 }
    }

    /// Solves [K + σM Gᵀ; G 0] δ = −(R, Φ); none if that is singular.
    fn direction(&mut self, at: &Point, values: &[f64], sigma: f64) -> Option<Vec<f64>> {
        let weights = Weights { mass: sigma, stiffness: 1.0 };
        self.tangent.factor(self.system, &at.state, &at.a, weights).ok()?;
        let mut delta: Vec<f64> = values.iter().map(|r| -r).collect();
        self.tangent.solve_refined(self.system, &mut delta);
        delta.iter().all(|d| d.is_finite()).then_some(delta)
    }

    /// As much of δ that no body turns by more than `most` or moves too far.
    fn allowed(&self, delta: &[f64], most: f64) -> Vec<f64> {
        let shares = self.shares(delta, most);
        delta.iter().zip(&self.parts).map(|(d, part)| d * shares[*part]).collect()
    }

    /// The share of δ that each part may take, by the part's number: those that are independent go each by
    /// its own.
    fn shares(&self, delta: &[f64], most: f64) -> Vec<f64> {
        let mut shares = vec![1.0_f64; delta.len()];
        for (k, node) in
            self.system.nodes().iter().enumerate().filter(|(_, node)| !node.unknowns().is_empty())
        {
            let twist = self.system.twist(k, delta);
            let (turn, shift) = (twist.angular.norm(), twist.linear.norm() / self.length);
            let share = &mut shares[self.parts[node.unknowns().start]];
            *share = share.min(most / turn.max(most)).min(MAX_SHIFT / shift.max(MAX_SHIFT));
        }
        shares
    }

    /// Moves by a share of δ.
    fn moved(&self, from: &Point, delta: &[f64], share: f64) -> Point {
        let step: Vec<f64> = delta.iter().map(|d| share * d).collect();
        let mut to = from.clone();
        retract(self.system, &from.state.frames, &step, &mut to.state.frames);
        for (k, _) in self.is_row.iter().enumerate().filter(|(_, row)| **row) {
            to.a[k] += step[k];
        }
        self.system.remember(&mut to.state);
        to
    }

    /// R² and Φ² in units of a force and the length, by the numbers of the parts.
    fn merits(&self, values: &[f64], force: f64) -> Vec<f64> {
        let mut merits = vec![0.0; values.len()];
        for (k, r) in values.iter().enumerate() {
            let unit = if self.is_row[k] { self.length } else { force * self.length / self.units[k] };
            merits[self.parts[k]] += (r / unit).powi(2);
        }
        merits
    }

    /// The same of all parts together.
    fn merit(&self, balance: &Balance, force: f64) -> f64 {
        self.merits(&balance.values, force).iter().sum()
    }

    /// Size of a step: the largest of its displacements, in lengths of the model, and rotations.
    fn size(&self, step: &[f64]) -> f64 {
        let moves = step.iter().zip(&self.units).zip(&self.is_row).filter(|(_, row)| !**row);
        moves.map(|((d, unit), _)| (d / unit).abs()).fold(0.0, |m, d| if d.is_nan() { d } else { m.max(d) })
    }

    /// −K⁻¹ (R, Φ) with the last factors.
    fn correction(&self, balance: &Balance) -> Vec<f64> {
        let mut next: Vec<f64> = balance.values.iter().map(|r| -r).collect();
        self.tangent.solve_refined(self.system, &mut next);
        next
    }

    /// Newton's method; whether it converged.
    fn newton(&mut self, at: &mut Point, offset: Option<&[f64]>, limits: NewtonLimits) -> bool {
        let mut balance = self.balance(at, offset);
        let mut left: Option<Left> = None;
        for _ in 0..self.settings.iterations {
            if balance.total() == 0.0 {
                return true;
            }
            self.iterations += 1;
            let mut values = balance.values.clone();
            left = left.filter(|left| left.tries > 0 && !self.is_back(&balance, left));
            values
                .iter_mut()
                .zip(left.iter().flat_map(|l| &l.values))
                .for_each(|(value, left)| *value -= left);
            let sigma = ANCHOR * self.stiffness_scale(balance.anchor);
            let Some(delta) = self.direction(at, &values, sigma) else { return self.balanced(&balance) };
            self.measure_rounding();
            // In balance a large correction tells of a direction without stiffness, or of a matrix that tells
            // nothing.
            let size = self.size(&delta);
            let is_still = size <= self.settings.tolerance || size > LARGEST_LAST || size.is_nan();
            if left.is_none() && is_still && self.balanced(&balance) {
                return true;
            }
            let Some(step) = self.newton_step(at, &balance, &delta, offset, limits) else {
                return self.balanced(&balance);
            };
            left = match left {
                Some(left) => Some(Left { tries: left.tries - 1, ..left }),
                None if limits.cautious => None,
                None => self.left(&delta, &balance, limits),
            };
            (*at, balance) = (step.to, step.balance);
            if step.settled {
                return true;
            }
        }
        self.balanced(&balance)
    }

    /// What the allowed share of a step leaves of (R, Φ) on the Newton path; none if it is all of it.
    fn left(&self, delta: &[f64], balance: &Balance, limits: NewtonLimits) -> Option<Left> {
        let shares = self.shares(delta, limits.turn);
        let rest = |(r, part): (&f64, &usize)| (1.0 - shares[*part]) * r;
        let values: Vec<f64> = balance.values.iter().zip(&self.parts).map(rest).collect();
        let (sizes, force) = (self.merits(&balance.values, balance.force), balance.force);
        shares.iter().any(|share| *share < 1.0).then_some(Left { values, sizes, force, tries: MAX_RETURNS })
    }

    /// Whether every part is so near to the Newton path that the next step can be taken.
    fn is_back(&self, balance: &Balance, left: &Left) -> bool {
        let off: Vec<f64> = balance.values.iter().zip(&left.values).map(|(r, l)| r - l).collect();
        let least = self.settings.tolerance.powi(2);
        let mut sizes = self.merits(&off, left.force).into_iter().zip(&left.sizes);
        sizes.all(|(off, before)| off <= 0.25 * before + least)
    }

    /// As much of δ as the limits allows.
    fn newton_step(
        &mut self,
        at: &Point,
        balance: &Balance,
        delta: &[f64],
        offset: Option<&[f64]>,
        limits: NewtonLimits,
    ) -> Option<Step> {
        let before = self.merit(balance, balance.force);
        let whole = delta;
        let delta = &self.allowed(whole, limits.turn);
        let is_whole = delta == whole;
        let mut share = 1.0;
        for _ in 0..=MAX_HALVINGS {
            let to = self.moved(at, delta, share);
            let there = self.balance(&to, offset);
            let next = self.correction(&there);
            let (size, last) = (self.size(&next), self.size(whole));
            if !size.is_finite() && !limits.cautious {
                return None;
            }
            if is_whole && share == 1.0 && self.balanced(&there) {
                if size <= self.settings.tolerance && size <= CONTRACTION * last {
                    let better = self.moved(&to, &next, 1.0);
                    let balance = self.balance(&better, offset);
                    // Multipliers of a matrix that is nearly singular may be anything.
                    let sound = balance.force <= 2.0 * there.force;
                    return Some(match sound && balance.total() <= there.total() {
                        true => Step { to: better, balance, settled: true },
                        false => Step { to, balance: there, settled: true },
                    });
                }
                if size > CONTRACTION * last {
                    return Some(Step { to, balance: there, settled: true });
                }
            }
            let falls = self.merit(&there, balance.force) <= (1.0 - 1e-4 * share) * before;
            if !limits.cautious || falls || size <= (1.0 - 0.25 * share) * last {
                return Some(Step { to, balance: there, settled: false });
            }
            share *= 0.5;
        }
        None
    }

    /// R(q, λ) = (1 − s) R(q₀, λ₀) with s from 0 to 1.
    fn load_steps(&mut self, at: &mut Point) -> bool {
        let start = self.balance(at, None).values;
        let unbalanced: Vec<f64> =
            start.iter().zip(&self.is_row).map(|(r, row)| if *row { 0.0 } else { *r }).collect();
        let (mut s, mut step) = (0.0, FIRST_LOAD_STEP);
        for _ in 0..self.settings.load_steps {
            let next = if s + step > 1.0 - 1e-9 { 1.0 } else { s + step };
            let offset: Vec<f64> = unbalanced.iter().map(|r| (1.0 - next) * r).collect();
            let mut trial = at.clone();
            let found = self.newton(&mut trial, Some(&offset), BOLD) || {
                trial.clone_from(at);
                self.newton(&mut trial, Some(&offset), CAUTIOUS)
            };
            if found {
                self.load_steps += 1;
                *at = trial;
                if next == 1.0 {
                    return true;
                }
                (s, step) = (next, 1.5 * step);
            } else {
                step *= 0.5;
                if step < MIN_LOAD_STEP {
                    return false;
                }
            }
        }
        false
    }

    /// Implicit Euler steps of the flow M q̇ = −R with the pseudo time step 1/σ, longer as R falls (switched
    /// evolution relaxation). A step must go downhill, δᵀR < 0; else σ is too small for the negative
    /// stiffness there.
    fn relax(&mut self, at: &mut Point) -> bool {
        let mut balance = self.balance(at, None);
        let mut sigma = 10.0 * self.stiffness_scale(balance.force);
        let mut last = f64::INFINITY;
        for _ in 0..self.settings.relaxations {
            if balance.total() == 0.0 {
                return true;
            }
            self.iterations += 1;
            let Some(delta) = self.downhill(at, &balance, &mut sigma) else { return self.balanced(&balance) };
            let size = self.size(&delta);
            if self.balanced(&balance) && (size <= self.settings.tolerance || size > CONTRACTION * last) {
                return true;
            }
            last = size;
            let allowed = self.allowed(&delta, MAX_TURN);
            let mut next = self.moved(at, &allowed, 1.0);
            // Far from balance λ of the linearised step is poor; the best balance there is a better one.
            if allowed != delta || balance.unbalanced.1 > 1e-3 {
                let Ok(a) = self.multipliers(&next.state) else { return false };
                next.a = a;
            }
            let there = self.balance(&next, None);
            let fall = there.total() / balance.total();
            sigma *= fall.clamp(0.1, 1.0);
            (*at, balance) = (next, there);
        }
        self.balanced(&balance)
    }

    fn downhill(&mut self, at: &Point, balance: &Balance, sigma: &mut f64) -> Option<Vec<f64>> {
        let least = ANCHOR * self.stiffness_scale(balance.anchor);
        for _ in 0..40 {
            *sigma = sigma.max(least);
            if let Some(delta) = self.direction(at, &balance.values, *sigma) {
                let terms = delta.iter().zip(&balance.values).zip(&self.is_row);
                let work: f64 = terms.filter(|(_, row)| !**row).map(|((d, r), _)| d * r).sum();
                // While the constraints are open the step closes them, up or down.
                if work <= 0.0 || balance.open.1 > balance.unbalanced.1 {
                    return Some(delta);
                }
            }
            *sigma *= 4.0;
        }
        None
    }

    fn finish(
        mut self,
        at: Point,
        method: EquilibriumMethod,
        balance: Balance,
    ) -> Result<Equilibrium, EquilibriumError> {
        let scale = self.stiffness_scale(balance.force);
        let (mut verdict, lowest) = match self.settings.judge {
            true => judge(self.system, &mut self.tangent, &at.state, &at.a, scale)?,
            false => (StaticStability::unjudged(), vec![]),
        };
        let unstable = verdict.stability == Stability::Unstable;
        let forces = match self.settings.judge {
            true if self.system.is_active() => Some(VelocityForces::Laws),
            true if self.system.is_gyroscopic() && unstable => Some(VelocityForces::Gyroscopic),
            _ => None,
        };
        let by_modes = forces.and_then(|forces| Some((verdict_of_modes(self.system, &at)?, forces)));
        if let Some((by_modes, _)) = by_modes {
            verdict.stability = match by_modes {
                EigenvalueVerdict::Stable | EigenvalueVerdict::AsymptoticallyStable => Stability::Stable,
                EigenvalueVerdict::Neutral => Stability::Neutral,
                EigenvalueVerdict::Unstable => Stability::Unstable,
            };
        }
        let (equation, residual) = balance.unbalanced;
        Ok(Equilibrium {
            residual: (residual, self.system.equation_name(equation)),
            state: at.state,
            a: at.a,
            iterations: self.iterations,
            load_steps: self.load_steps,
            method,
            verdict,
            lowest,
            linear: None,
            by_modes,
            unjudged: None,
            held: vec![],
        })
    }

    fn failure(&self, best: Option<Balance>) -> EquilibriumError {
        let Some(best) = best else {
            return EquilibriumError::NotFound {
                iterations: self.iterations,
                residual: f64::INFINITY,
                equation: "none".into(),
            };
        };
        if best.open.1 > 1e-8 && best.open.1 > best.unbalanced.1 {
            let (equation, residual) = best.open;
            let equation = self.system.equation_name(equation);
            return EquilibriumError::Open { equation, residual: residual * self.length };
        }
        let (equation, residual) = best.unbalanced;
        let equation = self.system.equation_name(equation);
        EquilibriumError::NotFound { iterations: self.iterations, residual, equation }
    }
}
