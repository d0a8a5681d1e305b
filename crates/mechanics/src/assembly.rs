//! Assembly of the equations of a [`System`] and of their exact derivatives.
//!
//! ```text
//! R = M(q) a + Gᵀ(q) λ − Q(q, v, t)
//! ```

use crate::body::basis;
use crate::carried::{Carried, columns, project};
use crate::chart::{Chart, Frame, Twist};
use crate::force::{Force, Motion};
use crate::lists::{Blocks, Gradients, MAX_CARRIED, MAX_MEMORY, MAX_ROWS};
use crate::state::{Instant, State};
use crate::system::{ConstraintEntry, NO_EQUATION, Place, Places, System};
use poinsot_geometry::{Mat3, Vec3, Vec6, so3};

/// Most unknowns that one element may touch (eight frames).
pub(crate) const MAX_LOCAL: usize = 48;

/// Work arrays of the assembly; make one and reuse it.
#[derive(Clone, Debug)]
pub struct Scratch {
    /// Twists of all nodes at the velocities loaded last.
    twists: Vec<Twist>,
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
}

impl Default for Scratch {
    fn default() -> Self {
        let zero = Vec3::zeros();
        Scratch {
            twists: Vec::new(),
            x: [zero; MAX_CARRIED],
            xdot: [zero; MAX_CARRIED],
            f: [zero; MAX_CARRIED],
            p: [[zero; 6]; MAX_CARRIED],
            p_rate: [[zero; 6]; MAX_CARRIED],
            gradients: Gradients::default(),
            rate_gradients: Gradients::default(),
            k: Blocks::default(),
            c: Blocks::default(),
            local_k: Box::new([[0.0; MAX_LOCAL]; MAX_LOCAL]),
            local_c: Box::new([[0.0; MAX_LOCAL]; MAX_LOCAL]),
            local_g: Box::new([[0.0; MAX_LOCAL]; MAX_ROWS]),
        }
    }
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
        }
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
    /// R = M a + Gᵀλ − Q into the unknowns' entries of `out`; constraint entries are set to zero.
    pub fn residual(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        out.fill(0.0);
        self.load_twists(at.v, s);
        for entry in &self.bodies {
            let node = &self.nodes[entry.body.node];
            let (v, a) = (&s.twists[entry.body.node], self.twist(entry.body.node, at.a));
            let f = entry.body.force(&at.frames[entry.body.node], v, &a, &self.gravity);
            add_wrench(&node.chart, &f, &mut out[node.eq..]);
        }
        for entry in &self.constraints {
            let places = &entry.places;
            self.positions(places, at.frames, s);
            constraint_force(entry, at.t, at.memory, at.a, s);
            self.scatter_force(places, at.frames, &s.f, 1.0, out);
        }
        for (entry, memory) in self.forces.iter().zip(at.memory) {
            let places = &entry.places;
            self.positions(places, at.frames, s);
            self.velocities(places, at.frames, s);
            applied_force(&*entry.law, at.t, *memory, s);
            self.scatter_force(places, at.frames, &s.f, -1.0, out);
        }
        self.add_friction_forces(at, out, s);
    }

    /// Adds Gᵀ(q) μ to the unknowns' entries of `out`, μ in the constraint entries of `mu`.
    pub fn add_pull(&self, at: &Instant, mu: &[f64], out: &mut [f64], s: &mut Scratch) {
        for entry in &self.constraints {
            let places = &entry.places;
            self.positions(places, at.frames, s);
            constraint_force(entry, at.t, at.memory, mu, s);
            self.scatter_force(places, at.frames, &s.f, 1.0, out);
        }
    }

    /// Φ(q, t) into the constraint entries of `out`, zero for rows on velocities.
    pub fn constraint_residual(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        for entry in &self.constraints {
            self.positions(&entry.places, at.frames, s);
            residual_of(entry, at, out, s);
        }
    }

    /// The rates G v + drift (Φ̇ of holonomic rows) into the constraint entries of `out`.
    pub fn constraint_rate(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        self.load_twists(at.v, s);
        for entry in &self.constraints {
            self.positions(&entry.places, at.frames, s);
            self.rate_of(entry, at, out, s);
        }
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
            let here = entry.configuration(at.t, at.memory, &s.x[..n]);
            s.rate_gradients.clear();
            law.rate_gradients(&here, &s.xdot[..n], &mut s.rate_gradients);
            s.f[..n].fill(Vec3::zeros());
            for g in s.rate_gradients.entries() {
                s.f[g.carried] += g.value * weight[g.row];
            }
            self.scatter_force(places, at.frames, &s.f, scale, out);
            s.f[..n].fill(Vec3::zeros());
            let here = entry.configuration(at.t, at.memory, &s.x[..n]);
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

    /// Φ into `phi` and the rates into `rate`, in one pass.
    pub fn constraint_levels(&self, at: &Instant, phi: &mut [f64], rate: &mut [f64], s: &mut Scratch) {
        self.load_twists(at.v, s);
        for entry in &self.constraints {
            self.positions(&entry.places, at.frames, s);
            residual_of(entry, at, phi, s);
            self.rate_of(entry, at, rate, s);
        }
    }

    /// The rates of one constraint; positions and twists must be set.
    #[inline]
    fn rate_of(&self, entry: &ConstraintEntry, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        let (law, places) = (entry.working(), &entry.places);
        let n = places.carried.len();
        self.velocities(places, at.frames, s);
        let here = entry.configuration(at.t, at.memory, &s.x[..n]);
        let mut rate = [0.0; MAX_ROWS];
        law.drift(&here, &mut rate[..law.rows()]);
        law.push(&here, &s.xdot[..n], &mut rate, &mut s.gradients);
        store_rows(places, &rate, out);
    }

    /// d(rate)/dt = G a + κ(q, v, t) into the constraint entries of `out`; with `a` zero it is κ.
    pub fn constraint_acceleration(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        self.load_twists(at.v, s);
        for entry in &self.constraints {
            let (law, places) = (entry.working(), &entry.places);
            let n = places.carried.len();
            self.positions(places, at.frames, s);
            self.velocities(places, at.frames, s);
            let here = entry.configuration(at.t, at.memory, &s.x[..n]);
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
    }

    /// The step matrix of [`Linearization`] into `values`, the slots of [`System::pattern`].
    pub fn step_matrix(&self, at: &Linearization, values: &mut [f64], s: &mut Scratch) {
        values.fill(0.0);
        self.load_twists(at.stage.v, s);
        self.add_bodies(at, values, s);
        if at.damping != 0.0 || at.stiffness != 0.0 {
            for (entry, memory) in self.forces.iter().zip(at.stage.memory) {
                self.add_force(&*entry.law, &entry.places, at, *memory, values, s);
            }
        }
        self.add_friction_tangent(at, values, s);
        self.load_twists(at.end.v, s);
        for entry in &self.constraints {
            self.add_constraint(entry, at, values, s);
        }
        for &slot in &self.unit_slots {
            values[slot] = 1.0;
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
        for (entry, memory) in self.forces.iter().zip(&mut state.memory) {
            let n = entry.places.carried.len();
            self.positions(&entry.places, &state.frames, s);
            self.velocities(&entry.places, &state.frames, s);
            let at = Motion { t: state.t, x: &s.x[..n], xdot: &s.xdot[..n], memory: *memory };
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
            law.remember(&entry.configuration(state.t, &state.memory, x), new);
            state.memory[entry.memory.clone()].copy_from_slice(new);
        }
        let trackers = &mut state.memory[self.forces.len()..];
        for ((coordinate, _), memory) in self.trackers.iter().zip(trackers) {
            for (x, c) in s.x.iter_mut().zip(coordinate.carried()) {
                *x = c.value(&state.frames[c.node]);
            }
            *memory = coordinate.value(&s.x[..coordinate.carried().len()], *memory);
        }
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
        read(&Motion { t: at.t, x: &s.x[..n], xdot: &s.xdot[..n], memory: at.memory[index] })
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
        let here = entry.configuration(at.t, at.memory, &s.x[..n]);
        entry.working().pull(&here, &lambda[..entry.working().rows()], &mut s.f[..n], &mut s.gradients);
        entry.places.carried.iter().zip(s.x.iter().zip(&s.f)).map(|(p, (x, f))| (p, *x, -f))
    }

    #[inline]
    pub(crate) fn positions(&self, places: &Places, frames: &[Frame], s: &mut Scratch) {
        for (x, place) in s.x.iter_mut().zip(&places.carried) {
            *x = place.carried.value(&frames[place.carried.node]);
        }
    }

    /// Twists of all nodes for velocities `v`, used until the next load.
    fn load_twists(&self, v: &[f64], s: &mut Scratch) {
        s.twists.clear();
        s.twists.extend(self.nodes.iter().map(|n| n.chart.twist(&v[n.unknowns()])));
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

    /// The bodies' share of the step matrix.
    pub(crate) fn add_inertia(&self, at: &Linearization, values: &mut [f64], s: &mut Scratch) {
        self.load_twists(at.stage.v, s);
        self.add_bodies(at, values, s);
    }

    fn add_bodies(&self, at: &Linearization, values: &mut [f64], s: &Scratch) {
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
            let m = t.mass * at.mass + t.damping * at.damping + stiffness * at.stiffness;
            let dofs = node.chart.dofs();
            match node.chart {
                Chart::Planar { .. } | Chart::PlanarPoint { .. } => {
                    let (b, _) = basis(&node.chart);
                    for (i, slots) in entry.block.chunks_exact(dofs).enumerate() {
                        for (j, &slot) in slots.iter().enumerate() {
                            values[slot as usize] += b[i].dot(&(m * b[j]));
                        }
                    }
                }
                _ => {
                    for (i, slots) in entry.block.chunks_exact(dofs).enumerate() {
                        for (j, &slot) in slots.iter().enumerate() {
                            values[slot as usize] += m[(i, j)];
                        }
                    }
                }
            }
        }
    }

    fn add_constraint(
        &self,
        entry: &ConstraintEntry,
        at: &Linearization,
        values: &mut [f64],
        s: &mut Scratch,
    ) {
        let (law, places) = (entry.working(), &entry.places);
        let n = places.carried.len();
        let unknowns = places.unknowns.len();
        self.positions(places, at.stage.frames, s);
        self.columns(places, at.stage.frames, s);
        constraint_force(entry, at.stage.t, at.stage.memory, at.stage.a, s);
        let here = entry.configuration(at.stage.t, at.stage.memory, &s.x[..n]);
        s.gradients.clear();
        law.gradients(&here, &mut s.gradients);
        for row in &mut s.local_g[..law.rows()] {
            row[..unknowns].fill(0.0);
        }
        add_rows(&mut s.local_g, s.gradients.entries(), places, &s.p, 1.0, |_| true);
        scatter_rows(&s.local_g, &places.upper, places, values);
        if at.stiffness != 0.0 {
            s.k.clear();
            let mut lambda = [0.0; MAX_ROWS];
            multipliers(places, at.stage.a, &mut lambda);
            law.hessian(&here, &lambda[..law.rows()], &mut s.k);
            clear_block(&mut s.local_k, unknowns);
            add_blocks(&mut s.local_k, s.k.entries(), places, &s.p, &s.p);
            self.add_geometric(places, at.stage.frames, s);
            self.turn_columns(&mut s.local_k[..unknowns], places, at.stage_tangent);
            scatter_block(&s.local_k, &places.block, unknowns, at.stiffness, values);
        }
        self.lower_rows(entry, at, s);
        scatter_rows(&s.local_g, &places.lower, places, values);
    }

    /// G of one constraint into `s.local_g`.
    pub(crate) fn local_jacobian(&self, entry: &ConstraintEntry, at: &Instant, s: &mut Scratch) {
        let (law, places) = (entry.working(), &entry.places);
        let n = places.carried.len();
        self.positions(places, at.frames, s);
        self.columns(places, at.frames, s);
        s.gradients.clear();
        law.gradients(&entry.configuration(at.t, at.memory, &s.x[..n]), &mut s.gradients);
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
        let here = entry.configuration(at.end.t, at.end.memory, &s.x[..n]);
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
            let here = entry.configuration(at.end.t, at.end.memory, &s.x[..n]);
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
        law: &dyn Force,
        places: &Places,
        at: &Linearization,
        memory: f64,
        values: &mut [f64],
        s: &mut Scratch,
    ) {
        let (n, unknowns) = (places.carried.len(), places.unknowns.len());
        let frames = at.stage.frames;
        self.positions(places, frames, s);
        self.velocities(places, frames, s);
        self.columns(places, frames, s);
        self.column_rates(places, frames, s);
        applied_force(law, at.stage.t, memory, s);
        s.k.clear();
        s.c.clear();
        let motion = Motion { t: at.stage.t, x: &s.x[..n], xdot: &s.xdot[..n], memory };
        law.tangent(&motion, &mut s.k, &mut s.c);
        clear_block(&mut s.local_k, unknowns);
        clear_block(&mut s.local_c, unknowns);
        add_blocks(&mut s.local_k, s.k.entries(), places, &s.p, &s.p);
        add_blocks(&mut s.local_k, s.c.entries(), places, &s.p, &s.p_rate);
        add_blocks(&mut s.local_c, s.c.entries(), places, &s.p, &s.p);
        self.add_geometric(places, frames, s);
        self.turn_columns(&mut s.local_k[..unknowns], places, at.stage_tangent);
        scatter_block(&s.local_k, &places.block, unknowns, -at.stiffness, values);
        scatter_block(&s.local_c, &places.block, unknowns, -at.damping, values);
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
        for (place, f) in places.carried.iter().zip(&s.f) {
            let c = &place.carried;
            let pulled = so3::skew(&frames[c.node].rot.tr_mul(f));
            match self.nodes[c.node].chart {
                Chart::Motion => {
                    let block = so3::skew(&c.c) * pulled;
                    for i in 0..3 {
                        for j in 0..3 {
                            s.local_k[place.local + 3 + i][place.local + 3 + j] += block[(i, j)];
                        }
                    }
                }
                Chart::Planar { normal, .. } => {
                    let last = place.local + 2;
                    s.local_k[last][last] += normal.dot(&c.c.cross(&(pulled * normal)));
                }
                _ => {}
            }
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

/// λ of every row that has an equation, suspended or not: suspended rows may have got their share of the reactions.
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

/// Φ of one constraint into its entries of `out`; positions must be set.
#[inline]
fn residual_of(entry: &ConstraintEntry, at: &Instant, out: &mut [f64], s: &Scratch) {
    let law = entry.working();
    let here = entry.configuration(at.t, at.memory, &s.x[..entry.places.carried.len()]);
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
type LocalBlock = [[f64; MAX_LOCAL]; MAX_LOCAL];

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
        let row = &mut rows[g.row][place.local..place.local + place.dofs];
        for (entry, column) in row.iter_mut().zip(&p[g.carried]) {
            *entry += value.dot(column);
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
        for j in 0..b.dofs {
            let moved = block.value * right[block.b][j];
            for i in 0..a.dofs {
                local[a.local + i][b.local + j] += left[block.a][i].dot(&moved);
            }
        }
    }
}

pub(crate) fn scatter_block(
    local: &LocalBlock,
    slots: &[u32],
    unknowns: usize,
    scale: f64,
    values: &mut [f64],
) {
    for (row, slots) in local.iter().zip(slots.chunks_exact(unknowns.max(1))) {
        for (value, &slot) in row.iter().zip(slots) {
            values[slot as usize] += value * scale;
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
