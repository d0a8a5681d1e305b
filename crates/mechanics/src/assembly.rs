//! Assembly of the equations of a [`System`] and of their exact derivatives.
//!
//! ```text
//! R = M(q) a + Gᵀ(q) λ − Q(q, v, t)
//! ```

use crate::body::basis;
use crate::carried::{Carried, columns, project};
use crate::chart::{Chart, Frame, Twist};
use crate::constraint::Constraint;
use crate::force::{Force, Motion};
use crate::lists::{Blocks, Gradients, MAX_CARRIED, MAX_ROWS};
use crate::state::{Instant, State};
use crate::system::{NO_EQUATION, NO_SLOT, Place, Places, System};
use poinsot_geometry::{Mat3, Vec3, Vec6, so3};

/// Most unknowns that one element may touch (four frames).
const MAX_LOCAL: usize = 24;

/// Work arrays of the assembly; make one and reuse it.
#[derive(Clone, Debug)]
pub struct Scratch {
    /// Twists of all nodes at the velocities loaded last.
    twists: Vec<Twist>,
    pub(crate) x: [Vec3; MAX_CARRIED],
    pub(crate) xdot: [Vec3; MAX_CARRIED],
    f: [Vec3; MAX_CARRIED],
    p: [[Vec3; 6]; MAX_CARRIED],
    p_rate: [[Vec3; 6]; MAX_CARRIED],
    gradients: Gradients,
    gradient_rates: Gradients,
    k: Blocks,
    c: Blocks,
    local_k: [[f64; MAX_LOCAL]; MAX_LOCAL],
    local_c: [[f64; MAX_LOCAL]; MAX_LOCAL],
    local_g: [[f64; MAX_LOCAL]; MAX_ROWS],
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
            gradient_rates: Gradients::default(),
            k: Blocks::default(),
            c: Blocks::default(),
            local_k: [[0.0; MAX_LOCAL]; MAX_LOCAL],
            local_c: [[0.0; MAX_LOCAL]; MAX_LOCAL],
            local_g: [[0.0; MAX_LOCAL]; MAX_ROWS],
        }
    }
}

/// Where and how the step matrix is taken:
///
/// ```text
/// [ M + β_c C + β_k K T̃    G(q̃)ᵀ ]      at the stage q̃
/// [ L                        0    ]      at the end q⁺, L as [`Level`] says
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
    /// β_c.
    pub damping: f64,
    /// β_k.
    pub stiffness: f64,
    /// Level at which the constraints are imposed.
    pub level: Level,
}

/// Which derivative of the constraints makes the lower rows of the step matrix.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Level {
    /// Φ(q⁺): L = G T⁺.
    Position,
    /// G v⁺: L = G + γ ∂(Gv)/∂q T⁺.
    Velocity {
        /// γ, the step's ratio of ∂q⁺/∂v⁺.
        gamma: f64,
    },
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
            constraint_force(entry.working(), places, at.t, at.a, s);
            self.scatter_force(places, at.frames, &s.f, 1.0, out);
        }
        for (entry, memory) in self.forces.iter().zip(at.memory) {
            let places = &entry.places;
            self.positions(places, at.frames, s);
            self.velocities(places, at.frames, s);
            applied_force(&*entry.law, at.t, *memory, s);
            self.scatter_force(places, at.frames, &s.f, -1.0, out);
        }
    }

    /// Adds Gᵀ(q) μ to the unknowns' entries of `out`, μ in the constraint entries of `mu`.
    pub fn add_pull(&self, t: f64, frames: &[Frame], mu: &[f64], out: &mut [f64], s: &mut Scratch) {
        for entry in &self.constraints {
            let places = &entry.places;
            self.positions(places, frames, s);
            constraint_force(entry.working(), places, t, mu, s);
            self.scatter_force(places, frames, &s.f, 1.0, out);
        }
    }

    /// Φ(q, t) into the constraint entries of `out`.
    pub fn constraint_residual(&self, t: f64, frames: &[Frame], out: &mut [f64], s: &mut Scratch) {
        let mut phi = [0.0; MAX_ROWS];
        for entry in &self.constraints {
            let law = entry.working();
            self.positions(&entry.places, frames, s);
            law.residual(&s.x[..entry.places.carried.len()], t, &mut phi[..law.rows()]);
            store_rows(&entry.places, &phi, out);
        }
    }

    /// Φ̇ = G v + Φ_t into the constraint entries of `out`.
    pub fn constraint_rate(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        self.load_twists(at.v, s);
        for entry in &self.constraints {
            self.positions(&entry.places, at.frames, s);
            self.rate_of(entry.working(), &entry.places, at, out, s);
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
            s.gradient_rates.clear();
            law.gradient_rates(&s.x[..n], &s.xdot[..n], at.t, &mut s.gradient_rates);
            s.f[..n].fill(Vec3::zeros());
            for g in s.gradient_rates.entries() {
                s.f[g.carried] += g.value * weight[g.row];
            }
            self.scatter_force(places, at.frames, &s.f, scale, out);
            s.f[..n].fill(Vec3::zeros());
            law.pull(&s.x[..n], at.t, &weight[..law.rows()], &mut s.f[..n], &mut s.gradients);
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

    /// Φ into `phi` and Φ̇ into `rate`, in one pass.
    pub fn constraint_levels(&self, at: &Instant, phi: &mut [f64], rate: &mut [f64], s: &mut Scratch) {
        self.load_twists(at.v, s);
        let mut values = [0.0; MAX_ROWS];
        for entry in &self.constraints {
            let law = entry.working();
            self.positions(&entry.places, at.frames, s);
            law.residual(&s.x[..entry.places.carried.len()], at.t, &mut values[..law.rows()]);
            store_rows(&entry.places, &values, phi);
            self.rate_of(law, &entry.places, at, rate, s);
        }
    }

    /// Φ̇ of one constraint; positions and twists must be set.
    #[inline]
    fn rate_of(&self, law: &dyn Constraint, places: &Places, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        let n = places.carried.len();
        self.velocities(places, at.frames, s);
        let mut rate = [0.0; MAX_ROWS];
        law.time_rate(&s.x[..n], at.t, &mut rate);
        law.push(&s.x[..n], &s.xdot[..n], at.t, &mut rate, &mut s.gradients);
        store_rows(places, &rate, out);
    }

    /// Φ̈ = G a + κ(q, v) + Φ_tt into the constraint entries of `out`; with `a` zero it is κ + Φ_tt.
    pub fn constraint_acceleration(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        self.load_twists(at.v, s);
        for entry in &self.constraints {
            let (law, places) = (entry.working(), &entry.places);
            let n = places.carried.len();
            self.positions(places, at.frames, s);
            self.velocities(places, at.frames, s);
            let mut level = [0.0; MAX_ROWS];
            law.time_acceleration(&s.x[..n], at.t, &mut level);
            s.gradients.clear();
            law.gradients(&s.x[..n], at.t, &mut s.gradients);
            for g in s.gradients.entries() {
                let c = &places.carried[g.carried].carried;
                let (z, a) = (&at.frames[c.node], self.twist(c.node, at.a));
                level[g.row] += g.value.dot(&c.acceleration(z, &s.twists[c.node], &a));
            }
            s.gradient_rates.clear();
            law.gradient_rates(&s.x[..n], &s.xdot[..n], at.t, &mut s.gradient_rates);
            for g in s.gradient_rates.entries() {
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
        self.load_twists(at.end.v, s);
        for entry in &self.constraints {
            self.add_constraint(entry.working(), &entry.places, at, values, s);
        }
    }

    /// Lets every force remember its unwrapped coordinate.
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
        let trackers = &mut state.memory[self.forces.len()..];
        for (coordinate, memory) in self.trackers.iter().zip(trackers) {
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
        self.positions(&entry.places, at.frames, s);
        constraint_force(entry.working(), &entry.places, at.t, at.a, s);
        entry.places.carried.iter().zip(s.x.iter().zip(&s.f)).map(|(p, (x, f))| (p, *x, -f))
    }

    #[inline]
    fn positions(&self, places: &Places, frames: &[Frame], s: &mut Scratch) {
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
    fn velocities(&self, places: &Places, frames: &[Frame], s: &mut Scratch) {
        for (xdot, place) in s.xdot.iter_mut().zip(&places.carried) {
            let node = place.carried.node;
            *xdot = place.carried.velocity(&frames[node], &s.twists[node]);
        }
    }

    #[inline]
    fn scatter_force(&self, places: &Places, frames: &[Frame], f: &[Vec3], sign: f64, out: &mut [f64]) {
        for (place, f) in places.carried.iter().zip(f) {
            let node = place.carried.node;
            let chart = &self.nodes[node].chart;
            let q = &mut out[place.eq..place.eq + place.dofs];
            project(chart, &frames[node], &place.carried, &(f * sign), q);
        }
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
            let m = t.mass + t.damping * at.damping + stiffness * at.stiffness;
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
        law: &dyn Constraint,
        places: &Places,
        at: &Linearization,
        values: &mut [f64],
        s: &mut Scratch,
    ) {
        let n = places.carried.len();
        let unknowns = places.unknowns.len();
        self.positions(places, at.stage.frames, s);
        self.columns(places, at.stage.frames, s);
        constraint_force(law, places, at.stage.t, at.stage.a, s);
        s.gradients.clear();
        law.gradients(&s.x[..n], at.stage.t, &mut s.gradients);
        for row in &mut s.local_g[..law.rows()] {
            row[..unknowns].fill(0.0);
        }
        add_rows(&mut s.local_g, s.gradients.entries(), places, &s.p, 1.0);
        scatter_rows(&s.local_g, &places.upper, unknowns, values);
        if at.stiffness != 0.0 {
            s.k.clear();
            let mut lambda = [0.0; MAX_ROWS];
            multipliers(places, at.stage.a, &mut lambda);
            law.hessian(&s.x[..n], at.stage.t, &lambda[..law.rows()], &mut s.k);
            clear_block(&mut s.local_k, unknowns);
            add_blocks(&mut s.local_k, s.k.entries(), places, &s.p, &s.p);
            self.add_geometric(places, at.stage.frames, s);
            self.turn_columns(&mut s.local_k[..unknowns], places, at.stage_tangent);
            scatter_block(&s.local_k, &places.block, unknowns, at.stiffness, values);
        }
        self.lower_rows(law, places, at, s);
        scatter_rows(&s.local_g, &places.lower, unknowns, values);
    }

    /// The rows L, with ∂(Gv)/∂q = Ġ P + G ∂ẋ/∂q.
    fn lower_rows(&self, law: &dyn Constraint, places: &Places, at: &Linearization, s: &mut Scratch) {
        let (n, count, unknowns) = (places.carried.len(), law.rows(), places.unknowns.len());
        self.positions(places, at.end.frames, s);
        self.columns(places, at.end.frames, s);
        s.gradients.clear();
        law.gradients(&s.x[..n], at.end.t, &mut s.gradients);
        for row in &mut s.local_g[..count] {
            row[..unknowns].fill(0.0);
        }
        match at.level {
            Level::Position => {
                add_rows(&mut s.local_g, s.gradients.entries(), places, &s.p, 1.0);
                self.turn_columns(&mut s.local_g[..count], places, at.end_tangent);
            }
            Level::Velocity { gamma } => {
                if gamma != 0.0 {
                    self.velocities(places, at.end.frames, s);
                    self.column_rates(places, at.end.frames, s);
                    s.gradient_rates.clear();
                    law.gradient_rates(&s.x[..n], &s.xdot[..n], at.end.t, &mut s.gradient_rates);
                    add_rows(&mut s.local_g, s.gradient_rates.entries(), places, &s.p, gamma);
                    add_rows(&mut s.local_g, s.gradients.entries(), places, &s.p_rate, gamma);
                    self.turn_columns(&mut s.local_g[..count], places, at.end_tangent);
                }
                add_rows(&mut s.local_g, s.gradients.entries(), places, &s.p, 1.0);
            }
        }
    }

    /// Multiplies the rotation columns of each node by the tangent of its retraction.
    fn turn_columns(&self, rows: &mut [[f64; MAX_LOCAL]], places: &Places, tangents: &[Mat3]) {
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

    fn columns(&self, places: &Places, frames: &[Frame], s: &mut Scratch) {
        for (p, place) in s.p.iter_mut().zip(&places.carried) {
            let c = &place.carried;
            *p = columns(&self.nodes[c.node].chart, &frames[c.node], c.c0, &c.c);
        }
    }

    /// ∂ẋ/∂q at fixed v: the columns of the carried vector ω × c.
    fn column_rates(&self, places: &Places, frames: &[Frame], s: &mut Scratch) {
        for (p, place) in s.p_rate.iter_mut().zip(&places.carried) {
            let c = &place.carried;
            let moved = s.twists[c.node].angular.cross(&c.c);
            *p = columns(&self.nodes[c.node].chart, &frames[c.node], 0.0, &moved);
        }
    }

    /// Adds ∂(Pᵀf)/∂q at constant f, i.e. c̃ (Rᵀf)~ on the rotations of each carried vector's node.
    fn add_geometric(&self, places: &Places, frames: &[Frame], s: &mut Scratch) {
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
                Chart::Fixed | Chart::Point | Chart::PlanarPoint { .. } => {}
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

#[inline]
fn multipliers(places: &Places, a: &[f64], lambda: &mut [f64; MAX_ROWS]) {
    for (l, &eq) in lambda.iter_mut().zip(&places.rows) {
        *l = if eq == NO_EQUATION { 0.0 } else { a[eq] };
    }
}

/// Σ λ_k ∂Φ_k/∂x_a into `s.f`; positions must be set.
#[inline]
fn constraint_force(law: &dyn Constraint, places: &Places, t: f64, a: &[f64], s: &mut Scratch) {
    let n = places.carried.len();
    let mut lambda = [0.0; MAX_ROWS];
    multipliers(places, a, &mut lambda);
    s.f[..n].fill(Vec3::zeros());
    law.pull(&s.x[..n], t, &lambda[..law.rows()], &mut s.f[..n], &mut s.gradients);
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

/// Adds rows Σ_a scale (∂Φ/∂x_a)ᵀ P_a.
fn add_rows(
    rows: &mut LocalRows,
    gradients: &[crate::lists::Gradient],
    places: &Places,
    p: &[[Vec3; 6]],
    scale: f64,
) {
    for g in gradients {
        let place = &places.carried[g.carried];
        let value = g.value * scale;
        let row = &mut rows[g.row][place.local..place.local + place.dofs];
        for (entry, column) in row.iter_mut().zip(&p[g.carried]) {
            *entry += value.dot(column);
        }
    }
}

fn clear_block(block: &mut LocalBlock, unknowns: usize) {
    for row in &mut block[..unknowns] {
        row[..unknowns].fill(0.0);
    }
}

/// Adds Σ P_aᵀ B_ab P_b.
fn add_blocks(
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

fn scatter_block(local: &LocalBlock, slots: &[u32], unknowns: usize, scale: f64, values: &mut [f64]) {
    for (row, slots) in local.iter().zip(slots.chunks_exact(unknowns.max(1))) {
        for (value, &slot) in row.iter().zip(slots) {
            values[slot as usize] += value * scale;
        }
    }
}

fn scatter_rows(local: &LocalRows, slots: &[u32], unknowns: usize, values: &mut [f64]) {
    for (row, slots) in local.iter().zip(slots.chunks_exact(unknowns.max(1))) {
        for (value, &slot) in row.iter().zip(slots) {
            if slot != NO_SLOT {
                values[slot as usize] += value;
            }
        }
    }
}
