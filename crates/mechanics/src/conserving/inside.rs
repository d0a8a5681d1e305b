//! The equations at one instant inside a step, in natural coordinates: what Galerkin steps integrate over the
//! step (energy-momentum-null-space I-17, I-18).
//!
//! ```text
//! f(z, ż, λ, t) = Gᵀλ − F − weight          forces on the nodes, with the sign of the balance M ẇ + f = 0
//! G ż + drift                               rates of the rows: of holonomic ones Φ̇, of rows on velocities ψ
//! ```
//! Directors need not be orthonormal here: they are inside a step only as nearly as the path is exact. Nodes
//! must move linearly with their unknowns: bodies in space as [`Coordinates::Directors`](super::Coordinates),
//! points, parameters.

use super::assembly::{
    add_blocks, add_rows, clear, gather, internal_gradients, internal_rates, internal_residual,
    internal_table, pressing, scatter, scatter_block, scatter_rows, store,
};
use super::crossing::{MAX_LOCAL, Workroom};
use super::layout::{Conserving, Internal, Kind};
use crate::carried::Carried;
use crate::chart::{Chart, Frame};
use crate::constraint::Configuration;
use crate::coordinate::Slope;
use crate::force::{Motion, Power};
use crate::friction::Grip;
use crate::lists::{MAX_CARRIED, MAX_ROWS};
use crate::natural::FrameRate;
use crate::system::Places;
use poinsot_geometry::{Mat3, Vec3};

/// An instant inside a step, or its end.
#[derive(Clone, Copy, Debug)]
pub struct Inside<'a> {
    /// Time (s).
    pub t: f64,
    /// z.
    pub frames: &'a [Frame],
    /// ż.
    pub rates: &'a [FrameRate],
    /// λ in the entries of constraint rows.
    pub lambda: &'a [f64],
    /// Remembered numbers at the start of the step.
    pub memory: &'a [f64],
}

/// By how many points an element is integrated over a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// As many points as the degree: weight, rigidity, constraints that are quadratic or on velocities,
    /// friction. The rule is exact for the work of quadratic constraints, and the moments of what acts
    /// between bodies cancel at its points.
    Collocated,
    /// More points, for the sake of the work: forces, other constraints.
    Averaged,
}

/// Slots of the step matrix for the derivatives by z and λ, and by ż.
#[derive(Debug)]
pub struct Derivatives<'a> {
    /// ∂/∂z in the columns of unknowns, ∂/∂λ in those of rows.
    pub by_position: &'a mut [f64],
    /// ∂/∂ż.
    pub by_rate: &'a mut [f64],
}

impl Conserving<'_> {
    /// A node whose natural coordinates are not linear in its unknowns, if there is one.
    pub fn curved_node(&self) -> Option<usize> {
        let linear = |kind: &Kind| match kind {
            Kind::Chart(chart) => !matches!(chart, Chart::Motion | Chart::Planar { .. }),
            Kind::Directors => true,
            Kind::EulerParameters => false,
        };
        self.nodes.iter().position(|node| !linear(&node.kind))
    }

    /// Whether there is anything to be integrated by more points.
    pub fn averages(&self) -> bool {
        !self.forces.is_empty() || (0..self.constraints.len()).any(|c| self.sampling(c) == Sampling::Averaged)
    }

    /// How a constraint is integrated.
    pub fn sampling(&self, constraint: usize) -> Sampling {
        let entry = &self.system.constraints[constraint];
        let law = entry.working();
        let exact = law.is_quadratic() || (0..law.rows()).all(|k| law.is_velocity_row(k));
        if exact && !entry.driven { Sampling::Collocated } else { Sampling::Averaged }
    }

    /// Gradients of the six rows of rigidity by the twelve natural coordinates.
    pub fn rigidity_gradients(&self, z: &Frame) -> [[f64; 12]; 6] {
        let mut rows = [[0.0; 12]; 6];
        internal_gradients(z, &mut rows);
        rows
    }

    /// The natural velocity or acceleration that components in the unknowns of a node stand for.
    #[inline]
    pub fn natural_rate(&self, id: usize, u: &[f64]) -> FrameRate {
        match &self.nodes[id].kind {
            Kind::Directors => {
                FrameRate { r: Vec3::new(u[0], u[1], u[2]), rot: Mat3::from_column_slice(&u[3..12]) }
            }
            Kind::Chart(chart) => FrameRate { r: chart.twist(u).linear, rot: Mat3::zeros() },
            Kind::EulerParameters => FrameRate::zero(),
        }
    }

    /// Components of a force in the unknowns of a node, added to `out`.
    #[inline]
    fn add_components(&self, id: usize, f: &FrameRate, out: &mut [f64]) {
        let place = &self.nodes[id];
        let out = &mut out[place.eq..place.eq + place.kind.dofs()];
        match &place.kind {
            Kind::Directors => {
                let all = f.r.iter().chain(f.rot.as_slice());
                out.iter_mut().zip(all).for_each(|(out, f)| *out += f);
            }
            Kind::Chart(Chart::Parameter) => out[0] += f.r.x,
            Kind::Chart(Chart::PlanarPoint { e1, e2 }) => {
                out[0] += e1.dot(&f.r);
                out[1] += e2.dot(&f.r);
            }
            _ => out.iter_mut().zip(f.r.iter()).for_each(|(out, f)| *out += f),
        }
    }

    /// Adds M a for accelerations a in the unknowns.
    pub fn add_inertia_of(&self, a: &[f64], out: &mut [f64]) {
        self.add_inertia_of_bodies(a, out);
        self.add_coupled_inertia_of(a, out);
    }

    fn add_inertia_of_bodies(&self, a: &[f64], out: &mut [f64]) {
        for mass in &self.masses {
            let body = &self.system.bodies[mass.body].body;
            let rate = self.natural_rate(body.node, &a[self.unknowns(body.node)]);
            self.add_components(body.node, &body.natural_momentum(&mass.euler, &rate), out);
        }
    }

    fn add_coupled_inertia_of(&self, a: &[f64], out: &mut [f64]) {
        for (entry, places) in self.system.inertias.iter().zip(&self.inertias) {
            let (mut rate, mut p) = ([Vec3::zeros(); MAX_CARRIED], [Vec3::zeros(); MAX_CARRIED]);
            let n = places.carried.len();
            for (rate, c) in rate.iter_mut().zip(entry.law.carried()) {
                *rate = self.natural_rate(c.node, &a[self.unknowns(c.node)]).of(c);
            }
            entry.law.apply(&rate[..n], &mut p[..n]);
            for (p, c) in p.iter().zip(entry.law.carried()) {
                let mut f = FrameRate::zero();
                f.add_force(c, p);
                self.add_components(c.node, &f, out);
            }
        }
    }

    /// M in the slots of the pattern, and ones on the diagonal of rows out of force.
    pub fn inertia_matrix(&self, values: &mut [f64]) {
        values.fill(0.0);
        let (mut unit, mut column) = (vec![0.0; self.size()], vec![0.0; self.size()]);
        for mass in &self.masses {
            let unknowns = self.unknowns(self.system.bodies[mass.body].body.node);
            let dofs = unknowns.len();
            for j in unknowns.clone() {
                unit[j] = 1.0;
                column.fill(0.0);
                self.add_inertia_of_bodies(&unit, &mut column);
                unit[j] = 0.0;
                for i in unknowns.clone() {
                    let slot = mass.block[(i - unknowns.start) * dofs + j - unknowns.start];
                    values[slot as usize] = column[i];
                }
            }
        }
        let mut s = Workroom::default();
        for (entry, places) in self.system.inertias.iter().zip(&self.inertias) {
            let unknowns = places.unknowns.len();
            self.directions_inside(places, &mut s);
            clear(&mut s.local, unknowns);
            entry.law.add_products::<MAX_LOCAL, 12>(places, &s.trial[..], &s.trial[..], &mut s.local);
            scatter_block(&s.local, &places.block, unknowns, 1.0, values);
        }
        self.unit_slots.iter().for_each(|&slot| values[slot] = 1.0);
    }

    /// f into the unknowns' entries of `out`, G ż + drift into those of the rows, both of the elements that
    /// are integrated so. `forces` is room for one entry per node.
    pub fn balance_inside(
        &self,
        sampling: Sampling,
        at: &Inside,
        forces: &mut [FrameRate],
        out: &mut [f64],
        s: &mut Workroom,
    ) {
        out.fill(0.0);
        forces.fill(FrameRate::zero());
        for c in (0..self.constraints.len()).filter(|&c| self.sampling(c) == sampling) {
            self.constraint_inside(c, at, forces, out, s);
        }
        match sampling {
            Sampling::Collocated => {
                for body in self.system.bodies() {
                    let weight = self.system.gravity * body.mass;
                    forces[body.node].add_force(&Carried::point(body.node, body.centre), &-weight);
                }
                self.add_coupled_weight(forces, s);
                for i in &self.internal {
                    forces[i.node].rot += at.frames[i.node].rot * internal_table(i, at.lambda);
                    internal_rates(&at.rates[i.node], &at.frames[i.node], &mut out[i.eq..i.eq + 6]);
                }
                (0..self.frictions.len()).for_each(|f| self.friction_inside(f, at, forces, s));
            }
            Sampling::Averaged => (0..self.forces.len()).for_each(|f| self.force_inside(f, at, forces, s)),
        }
        for (id, f) in forces.iter().enumerate().skip(1) {
            self.add_components(id, f, out);
        }
    }

    /// Derivatives of [`Conserving::balance_inside`].
    pub fn tangent_inside(&self, sampling: Sampling, at: &Inside, to: &mut Derivatives, s: &mut Workroom) {
        to.by_position.fill(0.0);
        to.by_rate.fill(0.0);
        for c in (0..self.constraints.len()).filter(|&c| self.sampling(c) == sampling) {
            self.constraint_tangent_inside(c, at, to, s);
        }
        match sampling {
            Sampling::Collocated => {
                self.internal.iter().for_each(|i| self.rigidity_tangent_inside(i, at, to));
                (0..self.frictions.len()).for_each(|f| self.friction_tangent_inside(f, at, to, s));
            }
            Sampling::Averaged => {
                (0..self.forces.len()).for_each(|f| self.force_tangent_inside(f, at, to, s))
            }
        }
    }

    /// Φ of the holonomic rows at the end of a step; other entries stay. Rigidity is evaluated from what
    /// changes, free of cancellation.
    pub fn positions_at_end(
        &self,
        end: &Inside,
        start: &[Frame],
        change: &[FrameRate],
        out: &mut [f64],
        s: &mut Workroom,
    ) {
        for (entry, places) in self.system.constraints.iter().zip(&self.constraints) {
            let (law, n) = (entry.working(), places.carried.len());
            load_inside(places, end, s);
            let mut rows = [0.0; MAX_ROWS];
            law.residual(
                &entry.configuration(self.system.law_time(end.t), end.memory, &s.from[..n]),
                &mut rows[..law.rows()],
            );
            for (k, &eq) in places.rows.iter().enumerate() {
                if let Some(out) = out.get_mut(eq).filter(|_| !law.is_velocity_row(k)) {
                    *out = rows[k];
                }
            }
        }
        for i in &self.internal {
            internal_residual(&change[i.node], &start[i.node], &mut out[i.eq..i.eq + 6]);
        }
    }

    /// G of the holonomic rows at the end of a step into the slots of the rows; other slots become zero.
    pub fn end_gradients(&self, end: &Inside, values: &mut [f64], s: &mut Workroom) {
        values.fill(0.0);
        for (entry, places) in self.system.constraints.iter().zip(&self.constraints) {
            let (law, n) = (entry.working(), places.carried.len());
            load_inside(places, end, s);
            self.directions_inside(places, s);
            s.gradients.clear();
            law.gradients(
                &entry.configuration(self.system.law_time(end.t), end.memory, &s.from[..n]),
                &mut s.gradients,
            );
            let holonomic = |k: usize| !law.is_velocity_row(k);
            clear_rows(&mut s.lower[..law.rows()], places);
            add_rows(&mut s.lower, s.gradients.entries(), places, &s.trial, 1.0, holonomic);
            scatter_rows(&s.lower, &places.lower, places, values);
        }
        for i in &self.internal {
            add_internal_rows(&end.frames[i.node], &i.lower, values);
        }
    }

    /// Power of forces, friction and driven constraints that are integrated so.
    pub fn power_inside(&self, sampling: Sampling, at: &Inside, s: &mut Workroom) -> Power {
        let mut sum = Power::default();
        for c in (0..self.constraints.len()).filter(|&c| self.sampling(c) == sampling) {
            sum.supplied -= self.constraint_power_inside(c, at, s);
        }
        match sampling {
            Sampling::Collocated => {
                for f in 0..self.frictions.len() {
                    let (grip, _, rate) = self.grip_inside(f, at, s);
                    sum.dissipated += grip.force * rate;
                }
            }
            Sampling::Averaged => {
                for (index, places) in self.forces.iter().enumerate() {
                    load_inside(places, at, s);
                    let n = places.carried.len();
                    let (x, xdot) = (&s.from[..n], &s.rate[..n]);
                    let here = Motion { t: self.system.law_time(at.t), x, xdot, memory: at.memory[index] };
                    let power = self.system.forces[index].law.power(&here);
                    sum.supplied += power.supplied;
                    sum.dissipated += power.dissipated;
                }
            }
        }
        sum
    }
}

impl Conserving<'_> {
    fn constraint_inside(
        &self,
        index: usize,
        at: &Inside,
        forces: &mut [FrameRate],
        out: &mut [f64],
        s: &mut Workroom,
    ) {
        let (entry, places) = (&self.system.constraints[index], &self.constraints[index]);
        let (law, n) = (entry.working(), places.carried.len());
        load_inside(places, at, s);
        let (mut lambda, mut rates) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
        gather(places, at.lambda, &mut lambda);
        let here = entry.configuration(self.system.law_time(at.t), at.memory, &s.from[..n]);
        s.f[..n].fill(Vec3::zeros());
        law.pull(&here, &lambda[..law.rows()], &mut s.f[..n], &mut s.gradients);
        scatter(places, &s.f, 1.0, forces);
        law.drift(&here, &mut rates[..law.rows()]);
        law.push(&here, &s.rate[..n], &mut rates, &mut s.gradients);
        store(places, &rates, out);
    }

    /// Σ_k λ_k G_k·ẋ of a driven constraint.
    fn constraint_power_inside(&self, index: usize, at: &Inside, s: &mut Workroom) -> f64 {
        let (entry, places) = (&self.system.constraints[index], &self.constraints[index]);
        if !entry.driven {
            return 0.0;
        }
        let (law, n) = (entry.working(), places.carried.len());
        load_inside(places, at, s);
        let (mut lambda, mut rates) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
        gather(places, at.lambda, &mut lambda);
        let here = entry.configuration(self.system.law_time(at.t), at.memory, &s.from[..n]);
        law.push(&here, &s.rate[..n], &mut rates, &mut s.gradients);
        lambda.iter().zip(&rates).map(|(l, rate)| l * rate).sum()
    }

    /// Σ λ ∂G/∂x, and the rows: G by ẋ and by λ, ∂(G ẋ + drift)/∂x.
    fn constraint_tangent_inside(&self, index: usize, at: &Inside, to: &mut Derivatives, s: &mut Workroom) {
        let (entry, places) = (&self.system.constraints[index], &self.constraints[index]);
        let (law, n, unknowns) = (entry.working(), places.carried.len(), places.unknowns.len());
        load_inside(places, at, s);
        self.directions_inside(places, s);
        let mut lambda = [0.0; MAX_ROWS];
        gather(places, at.lambda, &mut lambda);
        let here: Configuration = entry.configuration(self.system.law_time(at.t), at.memory, &s.from[..n]);
        s.k.clear();
        law.hessian(&here, &lambda[..law.rows()], &mut s.k);
        clear(&mut s.local, unknowns);
        add_blocks(&mut s.local, &s.k, places, &s.trial, &s.trial);
        scatter_block(&s.local, &places.block, unknowns, 1.0, to.by_position);
        s.gradients.clear();
        law.gradients(&here, &mut s.gradients);
        clear_rows(&mut s.upper[..law.rows()], places);
        add_rows(&mut s.upper, s.gradients.entries(), places, &s.trial, 1.0, |_| true);
        scatter_rows(&s.upper, &places.upper, places, to.by_position);
        scatter_rows(&s.upper, &places.lower, places, to.by_rate);
        s.gradients.clear();
        law.rate_gradients(&here, &s.rate[..n], &mut s.gradients);
        clear_rows(&mut s.lower[..law.rows()], places);
        add_rows(&mut s.lower, s.gradients.entries(), places, &s.trial, 1.0, |_| true);
        scatter_rows(&s.lower, &places.lower, places, to.by_position);
    }

    /// The same of the rows of rigidity: their gradients are linear in the directors.
    fn rigidity_tangent_inside(&self, i: &Internal, at: &Inside, to: &mut Derivatives) {
        add_internal_rows(&at.frames[i.node], &i.upper, to.by_position);
        add_internal_rows(&at.frames[i.node], &i.lower, to.by_rate);
        let rate = &at.rates[i.node];
        add_internal_rows(&Frame { r: rate.r, rot: rate.rot }, &i.lower, to.by_position);
        let (table, eq) = (internal_table(i, at.lambda), self.nodes[i.node].eq + 3);
        for a in 0..3 {
            for b in 0..3 {
                for k in 0..3 {
                    if let Some(slot) = self.pattern.index(eq + 3 * a + k, eq + 3 * b + k) {
                        to.by_position[slot] += table[(a, b)];
                    }
                }
            }
        }
    }

    fn force_inside(&self, index: usize, at: &Inside, forces: &mut [FrameRate], s: &mut Workroom) {
        let (law, places) = (&self.system.forces[index].law, &self.forces[index]);
        let n = places.carried.len();
        load_inside(places, at, s);
        s.f[..n].fill(Vec3::zeros());
        let here = Motion {
            t: self.system.law_time(at.t),
            x: &s.from[..n],
            xdot: &s.rate[..n],
            memory: at.memory[index],
        };
        law.force(&here, &mut s.f[..n]);
        scatter(places, &s.f, -1.0, forces);
    }

    fn force_tangent_inside(&self, index: usize, at: &Inside, to: &mut Derivatives, s: &mut Workroom) {
        let (law, places) = (&self.system.forces[index].law, &self.forces[index]);
        let (n, unknowns) = (places.carried.len(), places.unknowns.len());
        load_inside(places, at, s);
        self.directions_inside(places, s);
        s.k.clear();
        s.c.clear();
        let here = Motion {
            t: self.system.law_time(at.t),
            x: &s.from[..n],
            xdot: &s.rate[..n],
            memory: at.memory[index],
        };
        law.tangent(&here, &mut s.k, &mut s.c);
        for (blocks, values) in [(&s.k, &mut *to.by_position), (&s.c, &mut *to.by_rate)] {
            clear(&mut s.local, unknowns);
            add_blocks(&mut s.local, blocks, places, &s.trial, &s.trial);
            scatter_block(&s.local, &places.block, unknowns, -1.0, values);
        }
    }

    /// F, ∂s/∂x_a and ṡ of a friction.
    fn grip_inside(&self, index: usize, at: &Inside, s: &mut Workroom) -> (Grip, Slope, f64) {
        let (law, f) = (&self.system.frictions[index].law, &self.frictions[index]);
        let n = f.places.carried.len();
        load_inside(&f.places, at, s);
        let rate = law.coordinate.rate(&s.from[..n], &s.rate[..n]);
        (law.grip(rate, &pressing(&f.rows, at.lambda)), law.coordinate.slope(&s.from[..n]), rate)
    }

    fn friction_inside(&self, index: usize, at: &Inside, forces: &mut [FrameRate], s: &mut Workroom) {
        let (grip, slope, _) = self.grip_inside(index, at, s);
        let places = &self.frictions[index].places;
        let n = places.carried.len();
        s.f.iter_mut().zip(&slope).take(n).for_each(|(f, g)| *f = g * grip.force);
        scatter(places, &s.f, 1.0, forces);
    }

    /// Derivatives of F ∂s/∂x_a by x, ẋ and λ.
    fn friction_tangent_inside(&self, index: usize, at: &Inside, to: &mut Derivatives, s: &mut Workroom) {
        let (grip, slope, _) = self.grip_inside(index, at, s);
        let (law, f) = (&self.system.frictions[index].law, &self.frictions[index]);
        let (n, unknowns) = (f.places.carried.len(), f.places.unknowns.len());
        self.directions_inside(&f.places, s);
        let slope_rate = law.coordinate.slope_rate(&s.from[..n], &s.rate[..n]);
        s.k.clear();
        s.c.clear();
        for a in 0..n {
            for b in 0..n {
                s.k.push_outer(a, b, &(slope[a] * grip.by_rate), &slope_rate[b]);
                s.c.push_outer(a, b, &(slope[a] * grip.by_rate), &slope[b]);
            }
        }
        law.coordinate.hessian(&s.from[..n], grip.force, &mut s.k);
        for (blocks, values) in [(&s.k, &mut *to.by_position), (&s.c, &mut *to.by_rate)] {
            clear(&mut s.local, unknowns);
            add_blocks(&mut s.local, blocks, &f.places, &s.trial, &s.trial);
            scatter_block(&s.local, &f.places.block, unknowns, 1.0, values);
        }
        let mut along = [0.0; MAX_LOCAL];
        for ((place, g), p) in f.places.carried.iter().zip(&slope).zip(s.trial.iter()) {
            for (i, column) in p[..place.dofs].iter().enumerate() {
                along[place.local + i] += g.dot(column);
            }
        }
        let rows = f.upper.chunks_exact(unknowns.max(1)).zip(&grip.by_lambda).zip(&f.rows);
        for ((slots, by), _) in rows.filter(|(_, eq)| eq.is_some()) {
            for (&slot, along) in slots.iter().zip(&along) {
                to.by_position[slot as usize] += by * along;
            }
        }
    }

    /// How the carried vectors of an element move with the unknowns, the same everywhere.
    fn directions_inside(&self, places: &Places, s: &mut Workroom) {
        for (k, place) in places.carried.iter().enumerate().filter(|(_, p)| p.dofs > 0) {
            let Carried { node, c0, c } = place.carried;
            self.test(node, &Frame::identity(), c0, &c, &mut s.trial[k]);
        }
    }
}

/// Carried vectors of an element and their rates.
#[inline]
fn load_inside(places: &Places, at: &Inside, s: &mut Workroom) {
    for (k, place) in places.carried.iter().enumerate() {
        let c = &place.carried;
        s.from[k] = c.value(&at.frames[c.node]);
        s.rate[k] = at.rates[c.node].of(c);
    }
}

fn clear_rows(rows: &mut [[f64; MAX_LOCAL]], places: &Places) {
    rows.iter_mut().for_each(|row| row[..places.unknowns.len()].fill(0.0));
}

/// Adds the gradients of the rows of rigidity to their slots.
fn add_internal_rows(z: &Frame, slots: &[u32], values: &mut [f64]) {
    let mut rows = [[0.0; 12]; 6];
    internal_gradients(z, &mut rows);
    for (&slot, value) in slots.iter().zip(rows.as_flattened()) {
        values[slot as usize] += value;
    }
}
