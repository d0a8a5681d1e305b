//! Assembly of the equations of a [`System`] and of their exact derivatives.
//!
//! ```text
//! R = M(q) a + Gᵀ(q) λ − Q(q, v, t)
//! ```

use crate::beams::PlaneScratch;
use crate::body::basis;
use crate::carried::{Carried, columns, project};
use crate::chart::{Chart, Frame, Twist};
use crate::constraint::Levels;
use crate::force::{Force, Motion};
use crate::inertia::NaturalAcceleration;
use crate::lists::{Blocks, Gradients, MAX_CARRIED, MAX_MEMORY, MAX_ROWS};
use crate::state::{Instant, State};
use crate::strain::{StrainPoint, StrainRows};
use crate::system::{ConstraintEntry, ForceEntry, NO_EQUATION, Place, Places, System};
use poinsot_geometry::nalgebra::ArrayStorage;
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6};

/// Most unknowns that one element may touch (nine frames).
pub(crate) const MAX_LOCAL: usize = 54;

/// Work arrays of the assembly; make one and reuse it.
#[derive(Clone, Debug)]
pub struct Scratch {
    /// Twists of all nodes at the velocities loaded last.
    pub(crate) twists: Vec<Twist>,
    /// Generalised forces in natural coordinates of all nodes, while a residual is made.
    pub(crate) loads: Vec<NaturalForce>,
    /// Accelerations of all nodes, where inertia couples some.
    pub(crate) accelerations: Vec<NaturalAcceleration>,
    pub(crate) plane: PlaneScratch,
    pub(crate) strain: Box<StrainPoint>,
    strain_rows: StrainRows,
    pub(crate) x: [Vec3; MAX_CARRIED],
    pub(crate) xdot: [Vec3; MAX_CARRIED],
    pub(crate) f: [Vec3; MAX_CARRIED],
    pub(crate) p: [[Vec3; 6]; MAX_CARRIED],
    pub(crate) p_rate: [[Vec3; 6]; MAX_CARRIED],
    pub(crate) gradients: Gradients,
    rate_gradients: Gradients,
    pub(crate) k: Blocks,
    pub(crate) c: Blocks,
    pub(crate) local_k: Box<LocalBlock>,
    pub(crate) local_c: Box<LocalBlock>,
    pub(crate) local_g: Box<LocalRows>,
    /// Arguments of a network.
    pub(crate) arguments: Vec<f64>,
    /// Values of functions of a network.
    pub(crate) values: Vec<f64>,
    /// Derivatives of functions of a network.
    pub(crate) partials: Vec<f64>,
}

impl Default for Scratch {
    fn default() -> Self {
        let zero = Vec3::zeros();
        Scratch {
            twists: Vec::new(),
            loads: Vec::new(),
            accelerations: Vec::new(),
            plane: PlaneScratch::default(),
            strain: Box::default(),
            strain_rows: StrainRows::new(MAX_LOCAL),
            x: [zero; MAX_CARRIED],
            xdot: [zero; MAX_CARRIED],
            f: [zero; MAX_CARRIED],
            p: [[zero; 6]; MAX_CARRIED],
            p_rate: [[zero; 6]; MAX_CARRIED],
            gradients: Gradients::default(),
            rate_gradients: Gradients::default(),
            k: Blocks::default(),
            c: Blocks::default(),
            local_k: zero_block(),
            local_c: zero_block(),
            local_g: Box::new([[0.0; MAX_LOCAL]; MAX_ROWS]),
            arguments: Vec::new(),
            values: Vec::new(),
            partials: Vec::new(),
        }
    }
}

/// A block of zeros, whose memory is not touched before it is used.
fn zero_block() -> Box<LocalBlock> {
    let rows = vec![[0.0; MAX_LOCAL]; MAX_LOCAL].into_boxed_slice();
    rows.try_into().expect("as many rows as the block has")
}

/// Where and how the step matrix is taken:
///
/// ```text
/// [ β_m M + β_c C + β_k K T̃    G(q̃)ᵀ ]      at the stage q̃
/// [ L                            0    ]      at the end q⁺, L as [`Level`] says
/// ```
/// with C = ∂R/∂v, K = ∂R/∂q and T the tangent of the retraction of each node.
#[derive(Clone, Copy, Debug)]
pub struct Linearization<'a> {
    /// Instant at which the equation of motion is collocated.
    pub stage: Instant<'a>,
    /// Tangent of the retraction to the stage, one per node.
    pub stage_tangent: &'a [Mat3],
    /// Instant at which the constraints hold.
    pub end: Instant<'a>,
    /// Tangent of the retraction to the end, one per node.
    pub end_tangent: &'a [Mat3],
    /// β_m.
    pub mass: f64,
    /// β_c.
    pub damping: f64,
    /// β_k.
    pub stiffness: f64,
    /// Level at which the holonomic constraints are imposed.
    pub level: Level,
    /// γ, the step's ratio of ∂q⁺/∂v⁺.
    pub gamma: f64,
    /// Whether the variables of networks take part; otherwise they are held.
    pub networks: bool,
}

impl<'a> Linearization<'a> {
    /// [M Gᵀ; G 0] at one instant; `identity` holds an identity for every node.
    pub fn at(at: Instant<'a>, identity: &'a [Mat3]) -> Self {
        Linearization {
            stage: at,
            stage_tangent: identity,
            end: at,
            end_tangent: identity,
            mass: 1.0,
            damping: 0.0,
            stiffness: 0.0,
            level: Level::Velocity,
            gamma: 0.0,
            networks: false,
        }
    }
}

/// The step matrix at one instant as a polynomial, A₀ + β A₁ + β² A₂, for the coefficients β_m = 1, β_c = γ =
/// β and β_k = β² of a method whose q depends on v as β and v on a as β. Makes any number of step matrices,
/// real or complex.
#[derive(Clone, Debug, Default)]
pub struct StepPolynomial {
    /// A₀, A₁ and A₂ in the slots of [`System::pattern`].
    pub powers: [Vec<f64>; 3],
}

impl StepPolynomial {
    /// For the pattern of a system as it is numbered now.
    pub fn new(system: &System) -> Self {
        StepPolynomial { powers: std::array::from_fn(|_| vec![0.0; system.pattern.nnz()]) }
    }

    /// A₀ + β A₁ + β² A₂.
    pub fn at(&self, beta: f64, values: &mut [f64]) {
        let [a0, a1, a2] = &self.powers;
        for (value, ((a0, a1), a2)) in values.iter_mut().zip(a0.iter().zip(a1).zip(a2)) {
            *value = a0 + beta * (a1 + beta * a2);
        }
    }

    /// The same for β = `re` + i `im`, as real and imaginary parts.
    pub fn at_complex(&self, (re, im): (f64, f64), real: &mut [f64], imaginary: &mut [f64]) {
        let [a0, a1, a2] = &self.powers;
        let (re2, im2) = (re * re - im * im, 2.0 * re * im);
        for k in 0..a0.len() {
            real[k] = a0[k] + re * a1[k] + re2 * a2[k];
            imaginary[k] = im * a1[k] + im2 * a2[k];
        }
    }
}

/// What a term of the step matrix is multiplied by.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Term {
    Constant,
    Mass,
    Damping,
    Stiffness,
    Gamma,
}

/// Where the terms of the step matrix go.
pub(crate) enum Terms<'a> {
    /// Summed, with the coefficients of a [`Linearization`], in the order of [`Term`].
    Sum { values: &'a mut [f64], coefficients: [f64; 5] },
    /// Kept apart by powers of β.
    Powers(&'a mut StepPolynomial),
}

impl<'a> Terms<'a> {
    fn sum(at: &Linearization, values: &'a mut [f64]) -> Self {
        Terms::Sum { values, coefficients: [1.0, at.mass, at.damping, at.stiffness, at.gamma] }
    }

    /// The numbers that terms of a kind are added to, and with which coefficient.
    #[inline]
    pub(crate) fn target(&mut self, term: Term) -> (&mut [f64], f64) {
        match self {
            Terms::Sum { values, coefficients } => (values, coefficients[term as usize]),
            Terms::Powers(polynomial) => match term {
                Term::Constant | Term::Mass => (&mut polynomial.powers[0], 1.0),
                Term::Damping | Term::Gamma => (&mut polynomial.powers[1], 1.0),
                Term::Stiffness => (&mut polynomial.powers[2], 1.0),
            },
        }
    }

    /// Adds one number.
    #[inline]
    pub(crate) fn add(&mut self, term: Term, slot: u32, value: f64) {
        let (values, coefficient) = self.target(term);
        values[slot as usize] += coefficient * value;
    }
}

/// Which derivative of the holonomic constraints makes the lower rows of the step matrix. Rows on velocities
/// know only the second.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// Φ(q⁺): L = G T⁺.
    Position,
    /// The rate at (q⁺, v⁺): L = G + γ ∂(rate)/∂q T⁺.
    Velocity,
}

impl System {
    /// R = M a + Gᵀλ − Q and the equations of networks with rates into their entries of `out`; those of
    /// constraints and algebraic equations are set to zero.
    pub fn residual(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        self.residual_and(at, out, (false, false), s, |_, _, _, _| {});
    }

    /// [`System::residual`] with the rates of the constraints and the algebraic equations in their entries,
    /// and Φ in those of `phi`, if asked for: what a stage of an implicit method needs, in one pass.
    pub fn residual_with_levels(
        &self,
        at: &Instant,
        out: &mut [f64],
        mut phi: Option<&mut [f64]>,
        s: &mut Scratch,
    ) {
        self.residual_and(at, out, (phi.is_some(), true), s, |places, position, rate, out| {
            store_rows(places, rate, out);
            if let Some(phi) = &mut phi {
                store_rows(places, position, phi);
            }
        });
        self.algebraic_residual(at, out, s);
    }

    /// [`System::residual`] with Φ in the entries of the constraints, in one pass.
    pub fn residual_with_positions(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        self.residual_and(at, out, (true, false), s, |places, position, _, out| {
            store_rows(places, position, out);
        });
    }

    /// The residual, and for each constraint Φ and the rates as far as they are wanted.
    #[inline]
    fn residual_and(
        &self,
        at: &Instant,
        out: &mut [f64],
        (position, velocity): (bool, bool),
        s: &mut Scratch,
        mut store: impl FnMut(&Places, &[f64; MAX_ROWS], &[f64; MAX_ROWS], &mut [f64]),
    ) {
        out.fill(0.0);
        s.loads.resize(self.nodes.len(), NaturalForce::ZERO);
        self.loaded.iter().for_each(|&k| s.loads[k] = NaturalForce::ZERO);
        self.load_twists(at.v, s);
        self.add_inertia_forces(at, out, s);
        for entry in &self.constraints {
            let (law, places) = (entry.working(), &entry.places);
            let (n, rows) = (places.carried.len(), law.rows());
            let (mut lambda, mut phi, mut rate) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS], [0.0; MAX_ROWS]);
            multipliers(places, at.a, &mut lambda);
            self.positions(places, at.frames, s);
            if velocity {
                self.velocities(places, at.frames, s);
            }
            let here = entry.configuration(self.law_time(at.t), at.memory, &s.x[..n]);
            let wanted = Levels {
                position: position.then_some(&mut phi[..rows]),
                velocity: velocity.then_some((&s.xdot[..n], &mut rate[..rows])),
            };
            s.f[..n].fill(Vec3::zeros());
            law.evaluate(&here, &lambda[..rows], &mut s.f[..n], wanted, &mut s.gradients);
            add_loads(places, &s.f, 1.0, &mut s.loads);
            store(places, &phi, &rate, out);
        }
        self.add_applied_forces(at, out, s);
        for &k in &self.loaded {
            let node = &self.nodes[k];
            s.loads[k].project(&node.chart, &at.frames[k], &mut out[node.unknowns()]);
        }
    }

    /// M a − bias − weight of all that has mass; twists must be loaded.
    fn add_inertia_forces(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        for entry in &self.bodies {
            let node = &self.nodes[entry.body.node];
            let (v, a) = (&s.twists[entry.body.node], self.twist(entry.body.node, at.a));
            let f = entry.body.force(&at.frames[entry.body.node], v, &a, &self.gravity);
            add_wrench(&node.chart, &f, &mut out[node.eq..]);
        }
        self.add_coupled_inertia(at, s);
        self.plane.add_residual(at, &self.gravity, out, &mut s.plane);
    }

    /// Applied forces, frictions and networks; twists must be loaded.
    fn add_applied_forces(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        for (entry, memory) in self.forces.iter().zip(at.memory).filter(|(entry, _)| !entry.in_plane) {
            let places = &entry.places;
            self.positions(places, at.frames, s);
            if entry.sees_velocity {
                self.velocities(places, at.frames, s);
            }
            applied_force(&*entry.law, self.law_time(at.t), *memory, s);
            add_loads(places, &s.f, -1.0, &mut s.loads);
        }
        self.add_friction_forces(at, out, s);
        self.add_network_residual(at, out, s);
    }

    /// Adds Gᵀ(q) μ to the unknowns' entries of `out`, μ in the constraint entries of `mu`.
    pub fn add_pull(&self, at: &Instant, mu: &[f64], out: &mut [f64], s: &mut Scratch) {
        for entry in &self.constraints {
            let places = &entry.places;
            self.positions(places, at.frames, s);
            constraint_force(entry, self.law_time(at.t), at.memory, mu, s);
            self.scatter_force(places, at.frames, &s.f, 1.0, out);
        }
    }

    /// Φ(q, t) into the constraint entries of `out`, zero for rows on velocities.
    pub fn constraint_residual(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        for entry in &self.constraints {
            self.positions(&entry.places, at.frames, s);
            residual_of(entry, self.law_time(at.t), at, out, s);
        }
    }

    /// The rates G v + drift (Φ̇ of holonomic rows) into the constraint entries of `out`, and algebraic
    /// equations.
    pub fn constraint_rate(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        self.load_twists(at.v, s);
        for entry in &self.constraints {
            self.positions(&entry.places, at.frames, s);
            self.rate_of(entry, at, out, s);
        }
        self.algebraic_residual(at, out, s);
    }

    /// Adds `scale` · (∂(Gv)/∂q)ᵀ μ to the unknowns' entries of `out`, μ in the constraint entries of `mu`.
    pub fn add_rate_pull(&self, at: &Instant, mu: &[f64], scale: f64, out: &mut [f64], s: &mut Scratch) {
        self.load_twists(at.v, s);
        for entry in &self.constraints {
            let (law, places) = (entry.working(), &entry.places);
            let n = places.carried.len();
            let mut weight = [0.0; MAX_ROWS];
            multipliers(places, mu, &mut weight);
            self.positions(places, at.frames, s);
            self.velocities(places, at.frames, s);
            let here = entry.configuration(self.law_time(at.t), at.memory, &s.x[..n]);
            s.rate_gradients.clear();
            law.rate_gradients(&here, &s.xdot[..n], &mut s.rate_gradients);
            s.f[..n].fill(Vec3::zeros());
            for g in s.rate_gradients.entries() {
                s.f[g.carried] += g.value * weight[g.row];
            }
            self.scatter_force(places, at.frames, &s.f, scale, out);
            s.f[..n].fill(Vec3::zeros());
            let here = entry.configuration(self.law_time(at.t), at.memory, &s.x[..n]);
            law.pull(&here, &weight[..law.rows()], &mut s.f[..n], &mut s.gradients);
            // ∂ẋ/∂q belongs to the carried vector ω × c.
            for (place, f) in places.carried.iter().zip(&s.f) {
                let node = place.carried.node;
                let c = s.twists[node].angular.cross(&place.carried.c);
                let moved = Carried { node, c0: 0.0, c };
                let q = &mut out[place.eq..place.eq + place.dofs];
                project(&self.nodes[node].chart, &at.frames[node], &moved, &(f * scale), q);
            }
        }
    }

    /// Φ into `phi` and the rates with the algebraic equations into `rate`, in one pass.
    pub fn constraint_levels(&self, at: &Instant, phi: &mut [f64], rate: &mut [f64], s: &mut Scratch) {
        self.load_twists(at.v, s);
        for entry in &self.constraints {
            self.positions(&entry.places, at.frames, s);
            residual_of(entry, self.law_time(at.t), at, phi, s);
            self.rate_of(entry, at, rate, s);
        }
        self.algebraic_residual(at, rate, s);
    }

    /// The rates of one constraint; positions and twists must be set.
    #[inline]
    fn rate_of(&self, entry: &ConstraintEntry, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        let (law, places) = (entry.working(), &entry.places);
        let n = places.carried.len();
        self.velocities(places, at.frames, s);
        let here = entry.configuration(self.law_time(at.t), at.memory, &s.x[..n]);
        let mut rate = [0.0; MAX_ROWS];
        law.drift(&here, &mut rate[..law.rows()]);
        law.push(&here, &s.xdot[..n], &mut rate, &mut s.gradients);
        store_rows(places, &rate, out);
    }

    /// d(rate)/dt = G a + κ(q, v, t) into the constraint entries of `out`; with `a` zero it is κ. The same
    /// for algebraic equations.
    pub fn constraint_acceleration(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        self.load_twists(at.v, s);
        for entry in &self.constraints {
            let (law, places) = (entry.working(), &entry.places);
            let n = places.carried.len();
            self.positions(places, at.frames, s);
            self.velocities(places, at.frames, s);
            let here = entry.configuration(self.law_time(at.t), at.memory, &s.x[..n]);
            let mut level = [0.0; MAX_ROWS];
            law.drift_rate(&here, &s.xdot[..n], &mut level[..law.rows()]);
            s.gradients.clear();
            law.gradients(&here, &mut s.gradients);
            for g in s.gradients.entries() {
                let c = &places.carried[g.carried].carried;
                let (z, a) = (&at.frames[c.node], self.twist(c.node, at.a));
                level[g.row] += g.value.dot(&c.acceleration(z, &s.twists[c.node], &a));
            }
            s.rate_gradients.clear();
            law.rate_gradients(&here, &s.xdot[..n], &mut s.rate_gradients);
            for g in s.rate_gradients.entries() {
                level[g.row] += g.value.dot(&s.xdot[g.carried]);
            }
            store_rows(places, &level, out);
        }
        self.algebraic_rate(at, out, s);
    }

    /// The step matrix of [`Linearization`] into `values`, the slots of [`System::pattern`].
    pub fn step_matrix(&self, at: &Linearization, values: &mut [f64], s: &mut Scratch) {
        values.fill(0.0);
        let loaded = at.damping != 0.0 || at.stiffness != 0.0;
        self.add_terms(at, loaded, &mut Terms::sum(at, values), s);
        for &slot in &self.unit_slots {
            values[slot] = 1.0;
        }
    }

    /// The step matrix at an instant for all β; networks take part. The tangents of the retraction are
    /// identities.
    pub fn step_polynomial(
        &self,
        at: Instant,
        identity: &[Mat3],
        level: Level,
        polynomial: &mut StepPolynomial,
        s: &mut Scratch,
    ) {
        polynomial.powers.iter_mut().for_each(|p| p.fill(0.0));
        let at = Linearization {
            damping: 1.0,
            stiffness: 1.0,
            gamma: 1.0,
            level,
            networks: true,
            ..Linearization::at(at, identity)
        };
        self.add_terms(&at, true, &mut Terms::Powers(polynomial), s);
        for &slot in &self.unit_slots {
            polynomial.powers[0][slot] = 1.0;
        }
    }

    fn add_terms(&self, at: &Linearization, loaded: bool, terms: &mut Terms, s: &mut Scratch) {
        self.load_twists(at.stage.v, s);
        self.add_bodies(at, terms, s);
        self.add_coupled_inertia_tangent(at, terms, s);
        self.plane.add_tangent(at, &self.gravity, loaded, terms, &mut s.plane);
        if loaded {
            let forces = self.forces.iter().zip(at.stage.memory).filter(|(entry, _)| !entry.in_plane);
            for (entry, memory) in forces {
                self.add_force(entry, at, *memory, terms, s);
            }
        }
        self.add_friction_tangent(at, terms, s);
        if at.networks {
            self.add_network_tangent(at, terms, s);
        } else {
            self.hold_networks(terms);
        }
        self.load_twists(at.end.v, s);
        for entry in &self.constraints {
            self.add_constraint(entry, at, terms, s);
        }
        if at.networks {
            self.add_algebraic_tangent(at, terms, s);
        }
    }

    /// Lets every element remember its unwrapped coordinates.
    pub fn remember(&self, state: &mut State) {
        let mut s = Scratch::default();
        self.remember_with(state, &mut s);
    }

    /// [`System::remember`] without allocation.
    pub fn remember_with(&self, state: &mut State, s: &mut Scratch) {
        self.load_twists(&state.v, s);
        let remembering =
            self.forces.iter().zip(&mut state.memory).filter(|(entry, _)| entry.law.remembers());
        for (entry, memory) in remembering {
            let n = entry.places.carried.len();
            self.positions(&entry.places, &state.frames, s);
            self.velocities(&entry.places, &state.frames, s);
            let at = Motion { t: self.law_time(state.t), x: &s.x[..n], xdot: &s.xdot[..n], memory: *memory };
            *memory = entry.law.remember(&at);
        }
        for entry in self.constraints.iter().filter(|c| !c.memory.is_empty()) {
            let law = &entry.law;
            let x: &mut [Vec3] = &mut s.x[..law.carried().len()];
            for (x, c) in x.iter_mut().zip(law.carried()) {
                *x = c.value(&state.frames[c.node]);
            }
            let mut new = [0.0; MAX_MEMORY];
            let new = &mut new[..entry.memory.len()];
            law.remember(&entry.configuration(self.law_time(state.t), &state.memory, x), new);
            state.memory[entry.memory.clone()].copy_from_slice(new);
        }
        let trackers = &mut state.memory[self.forces.len()..];
        for ((coordinate, _), memory) in self.trackers.iter().zip(trackers) {
            for (x, c) in s.x.iter_mut().zip(coordinate.carried()) {
                *x = c.value(&state.frames[c.node]);
            }
            *memory = coordinate.value(&s.x[..coordinate.carried().len()], *memory);
        }
        self.remember_readings(&state.frames, &mut state.memory, s);
    }

    /// Evaluates `read` on the carried vectors of force `index`.
    #[inline]
    pub(crate) fn with_motion<T>(
        &self,
        index: usize,
        at: &Instant,
        s: &mut Scratch,
        read: impl Fn(&Motion) -> T,
    ) -> T {
        let places = &self.forces[index].places;
        let n = places.carried.len();
        self.positions(places, at.frames, s);
        for (xdot, place) in s.xdot.iter_mut().zip(&places.carried) {
            let c = &place.carried;
            *xdot = c.velocity(&at.frames[c.node], &self.twist(c.node, at.v));
        }
        read(&Motion { t: self.law_time(at.t), x: &s.x[..n], xdot: &s.xdot[..n], memory: at.memory[index] })
    }

    /// Constraint forces f_a = −Σ λ_k ∂Φ_k/∂x_a on the carried vectors of constraint `index`.
    pub(crate) fn constraint_forces<'s>(
        &'s self,
        index: usize,
        at: &Instant,
        s: &'s mut Scratch,
    ) -> impl Iterator<Item = (&'s Place, Vec3, Vec3)> + Clone {
        let entry = &self.constraints[index];
        let n = entry.places.carried.len();
        self.positions(&entry.places, at.frames, s);
        let lambda = reported(&entry.places, at.a);
        s.f[..n].fill(Vec3::zeros());
        let here = entry.configuration(self.law_time(at.t), at.memory, &s.x[..n]);
        entry.working().pull(&here, &lambda[..entry.working().rows()], &mut s.f[..n], &mut s.gradients);
        entry.places.carried.iter().zip(s.x.iter().zip(&s.f)).map(|(p, (x, f))| (p, *x, -f))
    }

    #[inline]
    pub(crate) fn positions(&self, places: &Places, frames: &[Frame], s: &mut Scratch) {
        for (x, place) in s.x.iter_mut().zip(&places.carried) {
            *x = place.carried.value(&frames[place.carried.node]);
        }
    }

    /// Twists of the watched nodes for velocities `v`, used until the next load.
    pub(crate) fn load_twists(&self, v: &[f64], s: &mut Scratch) {
        let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
        s.twists.resize(self.nodes.len(), still);
        for &k in &self.watched {
            let node = &self.nodes[k];
            s.twists[k] = node.chart.twist(&v[node.unknowns()]);
        }
    }

    #[inline]
    pub(crate) fn velocities(&self, places: &Places, frames: &[Frame], s: &mut Scratch) {
        for (xdot, place) in s.xdot.iter_mut().zip(&places.carried) {
            let node = place.carried.node;
            *xdot = place.carried.velocity(&frames[node], &s.twists[node]);
        }
    }

    #[inline]
    pub(crate) fn scatter_force(
        &self,
        places: &Places,
        frames: &[Frame],
        f: &[Vec3],
        sign: f64,
        out: &mut [f64],
    ) {
        for (place, f) in places.carried.iter().zip(f) {
            let node = place.carried.node;
            let chart = &self.nodes[node].chart;
            let q = &mut out[place.eq..place.eq + place.dofs];
            project(chart, &frames[node], &place.carried, &(f * sign), q);
        }
    }

    /// The inertia's share of the step matrix.
    pub(crate) fn add_inertia(&self, at: &Linearization, values: &mut [f64], s: &mut Scratch) {
        self.load_twists(at.stage.v, s);
        let mut terms = Terms::sum(at, values);
        self.add_bodies(at, &mut terms, s);
        self.add_coupled_inertia_tangent(at, &mut terms, s);
        self.plane.add_tangent(at, &self.gravity, false, &mut terms, &mut s.plane);
    }

    fn add_bodies(&self, at: &Linearization, terms: &mut Terms, s: &Scratch) {
        for entry in &self.bodies {
            let id = entry.body.node;
            let node = &self.nodes[id];
            let (v, a) = (&s.twists[id], self.twist(id, at.stage.a));
            let t = entry.body.tangent(&at.stage.frames[id], v, &a, &self.gravity);
            let mut stiffness = t.stiffness;
            if matches!(node.chart, Chart::Motion) {
                let turned = stiffness.fixed_view::<6, 3>(0, 3) * at.stage_tangent[id];
                stiffness.fixed_view_mut::<6, 3>(0, 3).copy_from(&turned);
            }
            if let Terms::Sum { values, .. } = terms {
                let m = t.mass * at.mass + t.damping * at.damping + stiffness * at.stiffness;
                scatter_inertia(&node.chart, &entry.block, &m, values);
                continue;
            }
            for (term, m) in [(Term::Mass, t.mass), (Term::Damping, t.damping), (Term::Stiffness, stiffness)]
            {
                scatter_inertia(&node.chart, &entry.block, &m, terms.target(term).0);
            }
        }
    }

    fn add_constraint(
        &self,
        entry: &ConstraintEntry,
        at: &Linearization,
        terms: &mut Terms,
        s: &mut Scratch,
    ) {
        let (law, places) = (entry.working(), &entry.places);
        let n = places.carried.len();
        let unknowns = places.unknowns.len();
        self.positions(places, at.stage.frames, s);
        self.columns(places, at.stage.frames, s);
        constraint_force(entry, self.law_time(at.stage.t), at.stage.memory, at.stage.a, s);
        let here = entry.configuration(self.law_time(at.stage.t), at.stage.memory, &s.x[..n]);
        s.gradients.clear();
        law.gradients(&here, &mut s.gradients);
        for row in &mut s.local_g[..law.rows()] {
            row[..unknowns].fill(0.0);
        }
        add_rows(&mut s.local_g, s.gradients.entries(), places, &s.p, 1.0, |_| true);
        scatter_rows(&s.local_g, &places.upper, places, terms.target(Term::Constant).0);
        if at.stiffness != 0.0 {
            s.k.clear();
            let mut lambda = [0.0; MAX_ROWS];
            multipliers(places, at.stage.a, &mut lambda);
            law.hessian(&here, &lambda[..law.rows()], &mut s.k);
            clear_block(&mut s.local_k, unknowns);
            add_blocks(&mut s.local_k, s.k.entries(), places, &s.p, &s.p);
            self.add_geometric(places, at.stage.frames, s);
            self.turn_columns(&mut s.local_k[..unknowns], places, at.stage_tangent);
            scatter_block(&s.local_k, &places.block, unknowns, Term::Stiffness, 1.0, terms);
        }
        if let Terms::Sum { values, .. } = terms {
            self.lower_rows(entry, at, s);
            scatter_rows(&s.local_g, &places.lower, places, values);
            return;
        }
        // L = G + γ ∂(rate)/∂q: without the second part, then the second part alone.
        self.lower_rows(entry, &Linearization { gamma: 0.0, ..*at }, s);
        scatter_rows(&s.local_g, &places.lower, places, terms.target(Term::Constant).0);
        if at.level == Level::Velocity {
            self.rate_rows(entry, at, s);
            self.turn_columns(&mut s.local_g[..law.rows()], places, at.end_tangent);
            scatter_rows(&s.local_g, &places.lower, places, terms.target(Term::Gamma).0);
        }
    }

    /// ∂(rate)/∂q of one constraint into `s.local_g`.
    fn rate_rows(&self, entry: &ConstraintEntry, at: &Linearization, s: &mut Scratch) {
        let (law, places) = (entry.working(), &entry.places);
        let n = places.carried.len();
        for row in &mut s.local_g[..law.rows()] {
            row[..places.unknowns.len()].fill(0.0);
        }
        self.velocities(places, at.end.frames, s);
        self.column_rates(places, at.end.frames, s);
        let here = entry.configuration(self.law_time(at.end.t), at.end.memory, &s.x[..n]);
        s.rate_gradients.clear();
        law.rate_gradients(&here, &s.xdot[..n], &mut s.rate_gradients);
        add_rows(&mut s.local_g, s.rate_gradients.entries(), places, &s.p, 1.0, |_| true);
        add_rows(&mut s.local_g, s.gradients.entries(), places, &s.p_rate, 1.0, |_| true);
    }

    /// G of one constraint into `s.local_g`.
    pub(crate) fn local_jacobian(&self, entry: &ConstraintEntry, at: &Instant, s: &mut Scratch) {
        let (law, places) = (entry.working(), &entry.places);
        let n = places.carried.len();
        self.positions(places, at.frames, s);
        self.columns(places, at.frames, s);
        s.gradients.clear();
        law.gradients(&entry.configuration(self.law_time(at.t), at.memory, &s.x[..n]), &mut s.gradients);
        for row in &mut s.local_g[..law.rows()] {
            row[..places.unknowns.len()].fill(0.0);
        }
        add_rows(&mut s.local_g, s.gradients.entries(), places, &s.p, 1.0, |_| true);
    }

    /// The rows L, with ∂(rate)/∂q = ∂(rate)/∂x P + G ∂ẋ/∂q.
    fn lower_rows(&self, entry: &ConstraintEntry, at: &Linearization, s: &mut Scratch) {
        let (law, places) = (entry.working(), &entry.places);
        let (n, count, unknowns) = (places.carried.len(), law.rows(), places.unknowns.len());
        self.positions(places, at.end.frames, s);
        self.columns(places, at.end.frames, s);
        let here = entry.configuration(self.law_time(at.end.t), at.end.memory, &s.x[..n]);
        s.gradients.clear();
        law.gradients(&here, &mut s.gradients);
        for row in &mut s.local_g[..count] {
            row[..unknowns].fill(0.0);
        }
        let by_velocity = |row: usize| at.level == Level::Velocity || law.is_velocity_row(row);
        if at.gamma != 0.0 && (0..count).any(by_velocity) {
            let g = at.gamma;
            self.velocities(places, at.end.frames, s);
            self.column_rates(places, at.end.frames, s);
            let here = entry.configuration(self.law_time(at.end.t), at.end.memory, &s.x[..n]);
            s.rate_gradients.clear();
            law.rate_gradients(&here, &s.xdot[..n], &mut s.rate_gradients);
            add_rows(&mut s.local_g, s.rate_gradients.entries(), places, &s.p, g, by_velocity);
            add_rows(&mut s.local_g, s.gradients.entries(), places, &s.p_rate, g, by_velocity);
        }
        add_rows(&mut s.local_g, s.gradients.entries(), places, &s.p, 1.0, |row| !by_velocity(row));
        self.turn_columns(&mut s.local_g[..count], places, at.end_tangent);
        add_rows(&mut s.local_g, s.gradients.entries(), places, &s.p, 1.0, by_velocity);
    }

    /// Multiplies the rotation columns of each node by the tangent of its retraction.
    pub(crate) fn turn_columns(&self, rows: &mut [[f64; MAX_LOCAL]], places: &Places, tangents: &[Mat3]) {
        for &(node, local) in &places.nodes {
            if !matches!(self.nodes[node].chart, Chart::Motion) {
                continue;
            }
            let t = &tangents[node];
            for row in rows.iter_mut() {
                let r = &mut row[local + 3..local + 6];
                let new = t.tr_mul(&Vec3::new(r[0], r[1], r[2]));
                r.copy_from_slice(new.as_slice());
            }
        }
    }

    fn add_force(
        &self,
        entry: &ForceEntry,
        at: &Linearization,
        memory: f64,
        terms: &mut Terms,
        s: &mut Scratch,
    ) {
        let (law, places) = (&*entry.law, &entry.places);
        let (n, unknowns) = (places.carried.len(), places.unknowns.len());
        let frames = at.stage.frames;
        self.positions(places, frames, s);
        self.columns(places, frames, s);
        if entry.sees_velocity {
            self.velocities(places, frames, s);
            self.column_rates(places, frames, s);
            clear_block(&mut s.local_c, unknowns);
        }
        applied_force(law, self.law_time(at.stage.t), memory, s);
        clear_block(&mut s.local_k, unknowns);
        let motion = Motion { t: self.law_time(at.stage.t), x: &s.x[..n], xdot: &s.xdot[..n], memory };
        let points = law.strain_points();
        for k in 0..points {
            law.strain_point(k, &motion, &mut s.strain);
            s.strain_rows.add(&s.strain, places, [&s.p, &s.p_rate], [&mut s.local_k, &mut s.local_c]);
        }
        if points == 0 {
            s.k.clear();
            s.c.clear();
            law.tangent(&motion, &mut s.k, &mut s.c);
            add_blocks(&mut s.local_k, s.k.entries(), places, &s.p, &s.p);
            add_blocks(&mut s.local_k, s.c.entries(), places, &s.p, &s.p_rate);
            add_blocks(&mut s.local_c, s.c.entries(), places, &s.p, &s.p);
        }
        self.add_geometric(places, frames, s);
        self.turn_columns(&mut s.local_k[..unknowns], places, at.stage_tangent);
        scatter_block(&s.local_k, &places.block, unknowns, Term::Stiffness, -1.0, terms);
        if entry.sees_velocity {
            scatter_block(&s.local_c, &places.block, unknowns, Term::Damping, -1.0, terms);
        }
    }

    pub(crate) fn columns(&self, places: &Places, frames: &[Frame], s: &mut Scratch) {
        for (p, place) in s.p.iter_mut().zip(&places.carried) {
            let c = &place.carried;
            *p = columns(&self.nodes[c.node].chart, &frames[c.node], c.c0, &c.c);
        }
    }

    /// ∂ẋ/∂q at fixed v: the columns of the carried vector ω × c.
    pub(crate) fn column_rates(&self, places: &Places, frames: &[Frame], s: &mut Scratch) {
        for (p, place) in s.p_rate.iter_mut().zip(&places.carried) {
            let c = &place.carried;
            let moved = s.twists[c.node].angular.cross(&c.c);
            *p = columns(&self.nodes[c.node].chart, &frames[c.node], 0.0, &moved);
        }
    }

    /// Adds ∂(Pᵀf)/∂q at constant f, i.e. c̃ (Rᵀf)~ on the rotations of each carried vector's node.
    pub(crate) fn add_geometric(&self, places: &Places, frames: &[Frame], s: &mut Scratch) {
        for (place, f) in places.carried.iter().zip(&s.f).filter(|(place, _)| place.last == place.dofs) {
            let c = &place.carried;
            let pulled = frames[c.node].rot.tr_mul(f);
            match self.nodes[c.node].chart {
                Chart::Motion => {
                    // c̃ p̃ = p cᵀ − (c·p) I
                    let along = c.c.dot(&pulled);
                    for i in 0..3 {
                        let row = &mut s.local_k[place.local + 3 + i];
                        for j in 0..3 {
                            row[place.local + 3 + j] += pulled[i] * c.c[j];
                        }
                        row[place.local + 3 + i] -= along;
                    }
                }
                Chart::Planar { normal, .. } => {
                    let last = place.local + 2;
                    s.local_k[last][last] += normal.dot(&c.c.cross(&pulled.cross(&normal)));
                }
                _ => {}
            }
        }
    }
}

/// No matrix.
pub(crate) const ZERO: Mat3 = Mat3::from_array_storage(ArrayStorage([[0.0; 3]; 3]));

/// f_a on carried vectors as forces on natural coordinates: with x = c₀ r + R c they are Σ c₀ f on r and Σ f
/// cᵀ on R.
#[derive(Clone, Copy, Debug)]
pub(crate) struct NaturalForce {
    pub origin: Vec3,
    pub directors: Mat3,
}

impl NaturalForce {
    const ZERO: Self = NaturalForce { origin: Vec3::new(0.0, 0.0, 0.0), directors: ZERO };

    /// Adds Q = Tᵀf: the torque in body axes is Σ c × Rᵀf, twice the skew part of Σ (Rᵀf) cᵀ.
    #[inline]
    fn project(&self, chart: &Chart, z: &Frame, q: &mut [f64]) {
        let (f, m) = (&self.origin, &self.directors);
        // (RᵀF)_ij of the directors.
        let pulled = |i: usize, j: usize| z.rot.column(i).dot(&m.column(j));
        let torque = || {
            Vec3::new(pulled(2, 1) - pulled(1, 2), pulled(0, 2) - pulled(2, 0), pulled(1, 0) - pulled(0, 1))
        };
        match chart {
            Chart::Fixed => {}
            Chart::Parameter => q[0] += f.x,
            Chart::Point => (0..3).for_each(|k| q[k] += f[k]),
            Chart::Motion => {
                let torque = torque();
                for k in 0..3 {
                    q[k] += f[k];
                    q[3 + k] += torque[k];
                }
            }
            Chart::PlanarPoint { e1, e2 } => {
                q[0] += e1.dot(f);
                q[1] += e2.dot(f);
            }
            Chart::Planar { e1, e2, normal } => {
                q[0] += e1.dot(f);
                q[1] += e2.dot(f);
                q[2] += normal.dot(&torque());
            }
        }
    }
}

/// Adds `sign` f_a to the loads of the nodes.
#[inline]
pub(crate) fn add_loads(places: &Places, f: &[Vec3], sign: f64, loads: &mut [NaturalForce]) {
    for (place, f) in places.carried.iter().zip(f) {
        let (c, load, f) = (&place.carried, &mut loads[place.carried.node], f * sign);
        load.origin += f * c.c0;
        for k in 0..3 {
            load.directors.column_mut(k).axpy(c.c[k], &f, 1.0);
        }
    }
}

/// The wrench (f world, τ body) of a body in its chart's unknowns.
#[inline]
fn add_wrench(chart: &Chart, f: &Vec6, out: &mut [f64]) {
    match chart {
        Chart::Planar { e1, e2, normal } => {
            let (force, torque) = (f.fixed_rows::<3>(0), f.fixed_rows::<3>(3));
            out[0] += e1.dot(&force);
            out[1] += e2.dot(&force);
            out[2] += normal.dot(&torque);
        }
        Chart::PlanarPoint { e1, e2 } => {
            let force = f.fixed_rows::<3>(0);
            out[0] += e1.dot(&force);
            out[1] += e2.dot(&force);
        }
        _ => {
            for k in 0..chart.dofs() {
                out[k] += f[k];
            }
        }
    }
}

/// λ of every row that has an equation, suspended or not: suspended rows may have got their share of the
/// reactions.
pub(crate) fn reported(places: &Places, a: &[f64]) -> [f64; MAX_ROWS] {
    let mut lambda = [0.0; MAX_ROWS];
    for (l, &eq) in lambda.iter_mut().zip(&places.numbers) {
        *l = if eq == NO_EQUATION { 0.0 } else { a[eq] };
    }
    lambda
}

/// λ of the rows in force.
#[inline]
fn multipliers(places: &Places, a: &[f64], lambda: &mut [f64; MAX_ROWS]) {
    for (l, &eq) in lambda.iter_mut().zip(&places.rows) {
        *l = if eq == NO_EQUATION { 0.0 } else { a[eq] };
    }
}

/// Φ of one constraint at the time that laws see into its entries of `out`; positions must be set.
#[inline]
fn residual_of(entry: &ConstraintEntry, t: f64, at: &Instant, out: &mut [f64], s: &Scratch) {
    let law = entry.working();
    let here = entry.configuration(t, at.memory, &s.x[..entry.places.carried.len()]);
    let mut phi = [0.0; MAX_ROWS];
    law.residual(&here, &mut phi[..law.rows()]);
    store_rows(&entry.places, &phi, out);
}

/// Σ λ_k G_ka into `s.f`; positions must be set.
#[inline]
fn constraint_force(entry: &ConstraintEntry, t: f64, memory: &[f64], a: &[f64], s: &mut Scratch) {
    let (law, places) = (entry.working(), &entry.places);
    let n = places.carried.len();
    let mut lambda = [0.0; MAX_ROWS];
    multipliers(places, a, &mut lambda);
    s.f[..n].fill(Vec3::zeros());
    let here = entry.configuration(t, memory, &s.x[..n]);
    law.pull(&here, &lambda[..law.rows()], &mut s.f[..n], &mut s.gradients);
}

/// f_a into `s.f`; positions and velocities must be set.
#[inline]
fn applied_force(law: &dyn Force, t: f64, memory: f64, s: &mut Scratch) {
    let n = law.carried().len();
    s.f[..n].fill(Vec3::zeros());
    let motion = Motion { t, x: &s.x[..n], xdot: &s.xdot[..n], memory };
    law.force(&motion, &mut s.f[..n]);
}

#[inline]
fn store_rows(places: &Places, rows: &[f64; MAX_ROWS], out: &mut [f64]) {
    for (value, &eq) in rows.iter().zip(&places.rows) {
        if eq != NO_EQUATION {
            out[eq] = *value;
        }
    }
}

type LocalRows = [[f64; MAX_LOCAL]; MAX_ROWS];
pub(crate) type LocalBlock = [[f64; MAX_LOCAL]; MAX_LOCAL];

/// Adds Σ_a scale G_kaᵀ P_a to the rows k that are `wanted`.
#[inline]
fn add_rows(
    rows: &mut LocalRows,
    gradients: &[crate::lists::Gradient],
    places: &Places,
    p: &[[Vec3; 6]],
    scale: f64,
    wanted: impl Fn(usize) -> bool,
) {
    for g in gradients.iter().filter(|g| wanted(g.row)) {
        let place = &places.carried[g.carried];
        let value = g.value * scale;
        for j in place.moves() {
            rows[g.row][place.local + j] += value.dot(&p[g.carried][j]);
        }
    }
}

pub(crate) fn clear_block(block: &mut LocalBlock, unknowns: usize) {
    for row in &mut block[..unknowns] {
        row[..unknowns].fill(0.0);
    }
}

/// Adds Σ P_aᵀ B_ab P_b.
pub(crate) fn add_blocks(
    local: &mut LocalBlock,
    blocks: &[crate::lists::Block],
    places: &Places,
    left: &[[Vec3; 6]],
    right: &[[Vec3; 6]],
) {
    for block in blocks {
        let (a, b) = (&places.carried[block.a], &places.carried[block.b]);
        for j in b.moves() {
            let moved = block.value * right[block.b][j];
            for i in a.moves() {
                local[a.local + i][b.local + j] += left[block.a][i].dot(&moved);
            }
        }
    }
}

/// Adds `sign` times a block to its slots.
pub(crate) fn scatter_block(
    local: &LocalBlock,
    slots: &[u32],
    unknowns: usize,
    term: Term,
    sign: f64,
    terms: &mut Terms,
) {
    let (values, coefficient) = terms.target(term);
    let scale = sign * coefficient;
    for (row, slots) in local.iter().zip(slots.chunks_exact(unknowns.max(1))) {
        for (value, &slot) in row.iter().zip(slots) {
            values[slot as usize] += value * scale;
        }
    }
}

/// Adds a matrix in twists to the slots of a body.
#[inline]
fn scatter_inertia(chart: &Chart, slots: &[u32], m: &Mat6, values: &mut [f64]) {
    let dofs = chart.dofs();
    match chart {
        Chart::Planar { .. } | Chart::PlanarPoint { .. } => {
            let (b, _) = basis(chart);
            for (i, slots) in slots.chunks_exact(dofs).enumerate() {
                for (j, &slot) in slots.iter().enumerate() {
                    values[slot as usize] += b[i].dot(&(m * b[j]));
                }
            }
        }
        _ => {
            for (i, slots) in slots.chunks_exact(dofs).enumerate() {
                for (j, &slot) in slots.iter().enumerate() {
                    values[slot as usize] += m[(i, j)];
                }
            }
        }
    }
}

/// Adds rows in force to their slots.
fn scatter_rows(local: &LocalRows, slots: &[u32], places: &Places, values: &mut [f64]) {
    let slots = slots.chunks_exact(places.unknowns.len().max(1));
    for ((row, slots), &eq) in local.iter().zip(slots).zip(&places.rows) {
        if eq != NO_EQUATION {
            for (value, &slot) in row.iter().zip(slots) {
                values[slot as usize] += value;
            }
        }
    }
}
