//! Residual and matrix of a step.

use super::Rule;
use super::crossing::{Crossing, Directions, MAX_LOCAL, Workroom};
use super::layout::{Conserving, Internal, Kind, Mass};
use crate::body::Body;
use crate::carried::Carried;
use crate::chart::{Chart, Frame};
use crate::constraint::Constraint;
use crate::force::{Force, Motion, Power};
use crate::lists::{Blocks, Gradient, Gradients, MAX_CARRIED, MAX_ROWS};
use crate::natural::FrameRate;
use crate::passage::Passage;
use crate::system::{NO_EQUATION, Places};
use poinsot_geometry::{Mat3, Vec3, so3};

/// A step as an element with `n` carried vectors sees it; a macro because it borrows single arrays of the
/// workroom.
macro_rules! passage {
    ($system:expr, $step:expr, $s:expr, $n:expr, $memory:expr, $dissipation:expr) => {
        Passage {
            t: $step.t,
            h: $step.h,
            span: $system.law_span(),
            from: &$s.from[..$n],
            to: &$s.to[..$n],
            mean: &$s.mean[..$n],
            rate: &$s.rate[..$n],
            memory: $memory,
            dissipation: $dissipation,
        }
    };
}

impl Conserving<'_> {
    /// The balance of forces into the unknowns' entries of `out`, Φ(z⁺) of holonomic rows and h times the
    /// mean rate of rows on velocities into theirs, the equations of rigidity into theirs. Forces on the
    /// nodes are left in `step.forces`.
    pub fn residual(&self, rule: Rule, step: &mut Crossing, out: &mut [f64], s: &mut Workroom) {
        out.fill(0.0);
        step.applied.fill(FrameRate::zero());
        for f in 0..self.forces.len() {
            self.apply_force(f, rule, step, s);
        }
        for f in 0..self.frictions.len() {
            self.apply_friction(f, step, s);
        }
        self.add_weight(step, s);
        step.forces.copy_from_slice(&step.applied);
        self.add_inertia(step, s);
        for c in 0..self.constraints.len() {
            self.constraint(c, rule, step, out, s);
        }
        for i in &self.internal {
            internal_forces(i, rule, step);
            internal_residual(&step.change[i.node], &step.start[i.node], &mut out[i.eq..i.eq + 6]);
        }
        for id in 1..self.nodes.len() {
            self.project(id, rule, step, out);
        }
    }

    /// The step matrix into the slots of the pattern, for unknowns in units of h²/2 = β and constraint rows
    /// divided by β:
    ///
    /// ```text
    /// [ Bᵀ M A + β Bᵀ K A + β (∂B/∂u)ᵀ f    Bᵀ Gdᵀ ]
    /// [ G(z⁺) A                             0      ]
    /// ```
    /// with A = ∂z⁺/∂u and B the test directions. The last residual must be that of the same step.
    pub fn matrix(&self, rule: Rule, step: &Crossing, values: &mut [f64], s: &mut Workroom) {
        values.fill(0.0);
        let beta = 0.5 * step.h * step.h;
        for mass in &self.masses {
            self.add_mass(mass, rule, step, values, s);
        }
        self.add_coupled_mass(rule, step, values, s);
        for id in 1..self.nodes.len() {
            self.add_geometric(id, rule, step, beta, values);
        }
        for c in 0..self.constraints.len() {
            self.add_constraint(c, rule, step, beta, values, s);
        }
        for i in &self.internal {
            self.add_internal(i, rule, step, beta, values);
        }
        for f in 0..self.forces.len() {
            self.add_force(f, rule, step, beta, values, s);
        }
        for f in 0..self.frictions.len() {
            self.add_friction(f, rule, step, beta, values, s);
        }
        for &slot in &self.unit_slots {
            values[slot] = 1.0;
        }
    }

    /// Φ of the holonomic rows and of rigidity at the start into their entries of `out`.
    pub fn start_residual(&self, step: &Crossing, out: &mut [f64], s: &mut Workroom) {
        for (entry, places) in self.system.constraints.iter().zip(&self.constraints) {
            let (law, n) = (entry.working(), places.carried.len());
            self.load(places, step, s);
            let mut rows = [0.0; MAX_ROWS];
            let passage = passage!(self.system, step, s, n, &step.memory[entry.memory.clone()], 0.0);
            law.residual(&passage.start(), &mut rows[..law.rows()]);
            store(places, &rows, out);
        }
        for i in &self.internal {
            internal_residual(&FrameRate::zero(), &step.start[i.node], &mut out[i.eq..i.eq + 6]);
        }
    }

    /// Work over the step: of forces and friction, and of constraint forces where the constraints moved. With
    /// the change of the potential energy it is exactly the change of the kinetic energy that the balance
    /// implies.
    pub fn work(&self, rule: Rule, step: &Crossing, s: &mut Workroom) -> Power {
        let mut sum = Power::default();
        for (index, places) in self.forces.iter().enumerate() {
            let law = &*self.system.forces[index].law;
            let n = places.carried.len();
            self.load(places, step, s);
            let passage =
                passage!(self.system, step, s, n, &step.memory[index..=index], step.dissipation[index]);
            let work = match rule {
                Rule::EnergyMomentum => law.discrete_work(&passage),
                Rule::Averaged => averaged_work(law, &passage, &step.quadrature, &mut s.between, &mut s.f),
                Rule::Variational => averaged_work(law, &passage, &[(0.5, 1.0)], &mut s.between, &mut s.f),
            };
            sum.supplied += work.supplied;
            sum.dissipated += work.dissipated;
        }
        for (entry, f) in self.system.frictions.iter().zip(&self.frictions) {
            let n = f.places.carried.len();
            self.load(&f.places, step, s);
            let passage = passage!(self.system, step, s, n, &[], 0.0);
            sum.dissipated += entry.law.discrete_grip(&passage, &pressing(&f.rows, &step.lambda)).loss;
        }
        for index in 0..self.constraints.len() {
            sum.supplied -= self.constraint_work(index, rule, step, s);
        }
        if !step.holds {
            sum.supplied -= self.internal.iter().map(|i| internal_work(i, step)).sum::<f64>();
        }
        sum
    }

    /// Σ_k λ_k Gd_k·Δx of a constraint that is driven or has moved.
    fn constraint_work(&self, index: usize, rule: Rule, step: &Crossing, s: &mut Workroom) -> f64 {
        let (entry, places) = (&self.system.constraints[index], &self.constraints[index]);
        if !entry.driven && step.holds {
            return 0.0;
        }
        let (law, n) = (entry.working(), places.carried.len());
        self.load(places, step, s);
        let mut lambda = [0.0; MAX_ROWS];
        gather(places, &step.lambda, &mut lambda);
        let passage = passage!(self.system, step, s, n, &step.memory[entry.memory.clone()], 0.0);
        s.gradients.clear();
        match rule {
            Rule::Variational => law.gradients(&passage.start(), &mut s.gradients),
            _ => law.discrete_gradients(&passage, &mut s.gradients),
        }
        s.gradients.entries().iter().map(|g| lambda[g.row] * g.value.dot(&passage.change(g.carried))).sum()
    }

    /// The frame that test directions are taken from.
    #[inline]
    pub fn tested<'a>(&self, rule: Rule, step: &'a Crossing, id: usize) -> &'a Frame {
        match rule {
            Rule::Variational => &step.start[id],
            _ => &step.mean[id],
        }
    }

    fn add_weight(&self, step: &mut Crossing, s: &mut Workroom) {
        for body in self.system.bodies() {
            let weight = self.system.gravity * body.mass;
            step.applied[body.node].add_force(&Carried::point(body.node, body.centre), &-weight);
        }
        self.add_coupled_weight(&mut step.applied, s);
    }

    /// Weight of what couples nodes, with the sign of the balance.
    pub(super) fn add_coupled_weight(&self, forces: &mut [FrameRate], s: &mut Workroom) {
        for (entry, places) in self.system.inertias.iter().zip(&self.inertias) {
            entry.law.weight(&self.system.gravity, &mut s.f[..places.carried.len()]);
            scatter(places, &s.f, -1.0, forces);
        }
    }

    /// (2/h) M (Δz/h − w).
    fn add_inertia(&self, step: &mut Crossing, s: &mut Workroom) {
        for mass in &self.masses {
            let body = &self.system.bodies[mass.body].body;
            let id = body.node;
            let jump = (step.change[id] * (1.0 / step.h) - step.rates[id]) * (2.0 / step.h);
            step.forces[id] = step.forces[id] + body.natural_momentum(&mass.euler, &jump);
        }
        for (entry, places) in self.system.inertias.iter().zip(&self.inertias) {
            let n = places.carried.len();
            for (k, place) in places.carried.iter().enumerate() {
                let id = place.carried.node;
                let jump = (step.change[id] * (1.0 / step.h) - step.rates[id]) * (2.0 / step.h);
                s.rate[k] = jump.of(&place.carried);
            }
            entry.law.apply(&s.rate[..n], &mut s.f[..n]);
            scatter(places, &s.f, 1.0, &mut step.forces);
        }
    }

    /// Carried vectors of an element at both ends.
    #[inline]
    pub(super) fn load(&self, places: &Places, step: &Crossing, s: &mut Workroom) {
        for (k, place) in places.carried.iter().enumerate() {
            let c = &place.carried;
            let change = step.change[c.node].of(c);
            s.from[k] = c.value(&step.start[c.node]);
            s.to[k] = s.from[k] + change;
            s.mean[k] = s.from[k] + change * 0.5;
            s.rate[k] = change / step.h;
        }
    }

    /// Constraint forces into the nodes, the row's residual into `out`.
    fn constraint(&self, index: usize, rule: Rule, step: &mut Crossing, out: &mut [f64], s: &mut Workroom) {
        let (entry, places) = (&self.system.constraints[index], &self.constraints[index]);
        let (law, n) = (entry.working(), places.carried.len());
        self.load(places, step, s);
        let mut lambda = [0.0; MAX_ROWS];
        gather(places, &step.lambda, &mut lambda);
        let passage = passage!(self.system, step, s, n, &step.memory[entry.memory.clone()], 0.0);
        let mut rows = [0.0; MAX_ROWS];
        law.residual(&passage.end(), &mut rows[..law.rows()]);
        s.f[..n].fill(Vec3::zeros());
        match rule {
            Rule::Variational => law.pull(&passage.start(), &lambda, &mut s.f[..n], &mut s.gradients),
            _ if law.is_quadratic() => law.pull(&passage.middle(), &lambda, &mut s.f[..n], &mut s.gradients),
            _ => {
                s.gradients.clear();
                law.discrete_gradients(&passage, &mut s.gradients);
                for g in s.gradients.entries() {
                    s.f[g.carried] += g.value * lambda[g.row];
                }
            }
        }
        if (0..law.rows()).any(|k| law.is_velocity_row(k)) {
            mean_rates(law, &passage, &mut rows, &mut s.gradients);
        }
        store(places, &rows, out);
        scatter(places, &s.f, 1.0, &mut step.forces);
    }

    fn apply_force(&self, index: usize, rule: Rule, step: &mut Crossing, s: &mut Workroom) {
        let (law, places) = (&*self.system.forces[index].law, &self.forces[index]);
        let n = places.carried.len();
        self.load(places, step, s);
        s.f[..n].fill(Vec3::zeros());
        let memory = &step.memory[index..=index];
        let passage = passage!(self.system, step, s, n, memory, step.dissipation[index]);
        match rule {
            Rule::EnergyMomentum => law.discrete_force(&passage, &mut s.f[..n]),
            Rule::Variational => law.force(&passage.motion(), &mut s.f[..n]),
            Rule::Averaged => averaged_force(law, &passage, &step.quadrature, &mut s.between, &mut s.f[..n]),
        }
        scatter(places, &s.f, -1.0, &mut step.applied);
    }

    /// Projects the forces on a node onto its test directions.
    fn project(&self, id: usize, rule: Rule, step: &Crossing, out: &mut [f64]) {
        let (place, f) = (&self.nodes[id], &step.forces[id]);
        let out = &mut out[place.eq..place.eq + place.kind.dofs()];
        match &place.kind {
            Kind::Chart(Chart::Fixed) => {}
            Kind::Chart(Chart::Parameter) => out[0] += f.r.x,
            Kind::Chart(Chart::Point) => add(out, &f.r),
            Kind::Chart(Chart::PlanarPoint { e1, e2 }) => {
                out[0] += e1.dot(&f.r);
                out[1] += e2.dot(&f.r);
            }
            Kind::Chart(Chart::Planar { e1, e2, normal }) => {
                let z = self.tested(rule, step, id);
                out[0] += e1.dot(&f.r);
                out[1] += e2.dot(&f.r);
                out[2] += (step.start[id].rot * normal).dot(&f.moment(z));
            }
            Kind::Chart(Chart::Motion) => {
                add(&mut out[..3], &f.r);
                add(&mut out[3..], &f.moment(self.tested(rule, step, id)));
            }
            Kind::Directors => {
                add(&mut out[..3], &f.r);
                out[3..].iter_mut().zip(f.rot.as_slice()).for_each(|(out, f)| *out += f);
            }
            Kind::EulerParameters => {
                add(&mut out[..3], &f.r);
                out[3] += step.norm_error(id);
                add(&mut out[4..], &f.moment(self.tested(rule, step, id)));
            }
        }
    }

    /// Bᵀ M A of a body, and the norm of Euler parameters.
    pub(super) fn add_mass(
        &self,
        mass: &Mass,
        rule: Rule,
        step: &Crossing,
        values: &mut [f64],
        s: &mut Workroom,
    ) {
        let body = &self.system.bodies[mass.body].body;
        let id = body.node;
        let dofs = self.nodes[id].kind.dofs();
        let test_frame = self.tested(rule, step, id);
        if matches!(self.nodes[id].kind, Kind::Chart(Chart::Motion)) {
            add_rigid_mass(body, &mass.euler, &step.end[id], test_frame, &mass.block, values);
            return;
        }
        // Columns and rows of the origin and of the three directors, as carried vectors.
        let carried = [(1.0, Vec3::zeros()), (0.0, Vec3::x()), (0.0, Vec3::y()), (0.0, Vec3::z())];
        for (k, (c0, c)) in carried.iter().enumerate() {
            self.trial(id, step, *c0, c, &mut s.trial[k]);
            self.test(id, test_frame, *c0, c, &mut s.test[k]);
        }
        for j in 0..dofs {
            let moved = FrameRate {
                r: s.trial[0][j],
                rot: Mat3::from_columns(&[s.trial[1][j], s.trial[2][j], s.trial[3][j]]),
            };
            let p = body.natural_momentum(&mass.euler, &moved);
            for i in 0..dofs {
                let mut value = s.test[0][i].dot(&p.r);
                for k in 0..3 {
                    value += s.test[1 + k][i].dot(&p.rot.column(k));
                }
                values[mass.block[i * dofs + j] as usize] += value;
            }
        }
    }

    /// Bᵀ M A of what couples nodes.
    pub(super) fn add_coupled_mass(&self, rule: Rule, step: &Crossing, values: &mut [f64], s: &mut Workroom) {
        for (entry, places) in self.system.inertias.iter().zip(&self.inertias) {
            let unknowns = places.unknowns.len();
            self.load_directions(places, rule, step, s);
            clear(&mut s.local, unknowns);
            entry.law.add_products::<MAX_LOCAL, 12>(places, &s.test[..], &s.trial[..], &mut s.local);
            scatter_block(&s.local, &places.block, unknowns, 1.0, values);
        }
    }

    /// β (∂B/∂u)ᵀ f: the test directions turn with the end; and the norm of Euler parameters.
    fn add_geometric(&self, id: usize, rule: Rule, step: &Crossing, beta: f64, values: &mut [f64]) {
        let (place, f) = (&self.nodes[id], &step.forces[id]);
        let dofs = place.kind.dofs();
        let slot = |i: usize, j: usize| self.node_blocks[id][i * dofs + j] as usize;
        let turns = rule != Rule::Variational;
        match &place.kind {
            Kind::Chart(Chart::Motion) if turns => {
                // ½ Σ_I f̃_I d̃_I = ½ (Σ d_I f_Iᵀ − (Σ f_I·d_I) 1).
                let spread = step.end[id].rot * f.rot.transpose();
                let block = (spread - Mat3::identity() * spread.trace()) * (0.5 * beta);
                for i in 0..3 {
                    for j in 0..3 {
                        values[slot(3 + i, 3 + j)] += block[(i, j)];
                    }
                }
            }
            Kind::Chart(Chart::Planar { normal, .. }) if turns => {
                let n = step.start[id].rot * normal;
                let spread = step.end[id].rot * f.rot.transpose();
                values[slot(2, 2)] += 0.5 * beta * (n.dot(&(spread * n)) - spread.trace());
            }
            Kind::EulerParameters => {
                let by = step.by_parameter(id);
                let e = step.parameters(id);
                for j in 0..4 {
                    let half = Frame { r: Vec3::zeros(), rot: by[j] * (0.5 * beta) };
                    let moment = f.moment(&half);
                    for i in 0..3 {
                        values[slot(4 + i, 3 + j)] += if turns { moment[i] } else { 0.0 };
                    }
                    values[slot(3, 3 + j)] += 2.0 * e[j];
                }
            }
            _ => {}
        }
    }

    fn add_constraint(
        &self,
        index: usize,
        rule: Rule,
        step: &Crossing,
        beta: f64,
        values: &mut [f64],
        s: &mut Workroom,
    ) {
        let (entry, places) = (&self.system.constraints[index], &self.constraints[index]);
        let (law, n) = (entry.working(), places.carried.len());
        let unknowns = places.unknowns.len();
        self.load(places, step, s);
        self.load_directions(places, rule, step, s);
        let mut lambda = [0.0; MAX_ROWS];
        gather(places, &step.lambda, &mut lambda);
        let passage = passage!(self.system, step, s, n, &step.memory[entry.memory.clone()], 0.0);
        s.k.clear();
        if rule != Rule::Variational {
            law.discrete_hessian(&passage, &lambda[..law.rows()], &mut s.k);
        }
        clear(&mut s.local, unknowns);
        add_blocks(&mut s.local, &s.k, places, &s.test, &s.trial);
        scatter_block(&s.local, &places.block, unknowns, beta, values);
        self.load_discrete_rows(index, rule, step, s);
        self.load_end_rows(index, step, s);
        for (slots, rows) in [(&places.upper, &s.upper), (&places.lower, &s.lower)] {
            scatter_rows(rows, slots, places, values);
        }
    }

    /// Gd B of a constraint into `s.upper`; its carried vectors and test directions must be loaded.
    fn load_discrete_rows(&self, index: usize, rule: Rule, step: &Crossing, s: &mut Workroom) {
        let (entry, places) = (&self.system.constraints[index], &self.constraints[index]);
        let (law, n) = (entry.working(), places.carried.len());
        s.upper[..law.rows()].iter_mut().for_each(|row| row[..places.unknowns.len()].fill(0.0));
        let passage = passage!(self.system, step, s, n, &step.memory[entry.memory.clone()], 0.0);
        s.gradients.clear();
        match rule {
            Rule::Variational => law.gradients(&passage.start(), &mut s.gradients),
            _ => law.discrete_gradients(&passage, &mut s.gradients),
        }
        add_rows(&mut s.upper, s.gradients.entries(), places, &s.test, 1.0, |_| true);
    }

    /// How the rows of a constraint change with the end, into `s.lower`: G at the end for positions; G at the
    /// mean and the derivative of the rate for velocities. Its carried vectors and trial directions must be
    /// loaded.
    fn load_end_rows(&self, index: usize, step: &Crossing, s: &mut Workroom) {
        let (entry, places) = (&self.system.constraints[index], &self.constraints[index]);
        let (law, n) = (entry.working(), places.carried.len());
        s.lower[..law.rows()].iter_mut().for_each(|row| row[..places.unknowns.len()].fill(0.0));
        let passage = passage!(self.system, step, s, n, &step.memory[entry.memory.clone()], 0.0);
        let by_velocity = |k: usize| law.is_velocity_row(k);
        if (0..law.rows()).any(by_velocity) {
            s.gradients.clear();
            law.gradients(&passage.middle(), &mut s.gradients);
            add_rows(&mut s.lower, s.gradients.entries(), places, &s.trial, 1.0, by_velocity);
            s.gradients.clear();
            law.rate_gradients(&passage.middle(), passage.rate, &mut s.gradients);
            let half = 0.5 * step.h;
            add_rows(&mut s.lower, s.gradients.entries(), places, &s.trial, half, by_velocity);
        }
        s.gradients.clear();
        law.gradients(&passage.end(), &mut s.gradients);
        add_rows(&mut s.lower, s.gradients.entries(), places, &s.trial, 1.0, |k| !by_velocity(k));
    }

    fn add_force(
        &self,
        index: usize,
        rule: Rule,
        step: &Crossing,
        beta: f64,
        values: &mut [f64],
        s: &mut Workroom,
    ) {
        let (law, places) = (&*self.system.forces[index].law, &self.forces[index]);
        let (n, unknowns) = (places.carried.len(), places.unknowns.len());
        self.load(places, step, s);
        self.load_directions(places, rule, step, s);
        let memory = &step.memory[index..=index];
        s.k.clear();
        s.c.clear();
        let passage = passage!(self.system, step, s, n, memory, step.dissipation[index]);
        clear(&mut s.local, unknowns);
        match rule {
            Rule::EnergyMomentum => {
                law.discrete_tangent(&passage, &mut s.k, &mut s.c);
                add_blocks(&mut s.local, &s.k, places, &s.test, &s.trial);
            }
            Rule::Variational => {
                law.tangent(&passage.motion(), &mut s.k, &mut s.c);
                scale(&mut s.k, 0.5);
                scale(&mut s.c, 1.0 / step.h);
                add_blocks(&mut s.local, &s.k, places, &s.test, &s.trial);
                add_blocks(&mut s.local, &s.c, places, &s.test, &s.trial);
            }
            Rule::Averaged => {
                for (alpha, weight) in &step.quadrature {
                    s.k.clear();
                    s.c.clear();
                    let motion = between(&passage, *alpha, &mut s.between);
                    law.tangent(&motion, &mut s.k, &mut s.c);
                    scale(&mut s.k, alpha * weight);
                    scale(&mut s.c, weight / step.h);
                    add_blocks(&mut s.local, &s.k, places, &s.test, &s.trial);
                    add_blocks(&mut s.local, &s.c, places, &s.test, &s.trial);
                }
            }
        }
        scatter_block(&s.local, &places.block, unknowns, -beta, values);
    }

    pub(super) fn load_directions(&self, places: &Places, rule: Rule, step: &Crossing, s: &mut Workroom) {
        for (k, place) in places.carried.iter().enumerate().filter(|(_, p)| p.dofs > 0) {
            let Carried { node, c0, c } = place.carried;
            self.trial(node, step, c0, &c, &mut s.trial[k]);
            self.test(node, self.tested(rule, step, node), c0, &c, &mut s.test[k]);
        }
    }
}

impl Conserving<'_> {
    /// Friction of a joint, at the mean rate.
    fn apply_friction(&self, index: usize, step: &mut Crossing, s: &mut Workroom) {
        let (law, f) = (&self.system.frictions[index].law, &self.frictions[index]);
        let n = f.places.carried.len();
        self.load(&f.places, step, s);
        s.f[..n].fill(Vec3::zeros());
        let passage = passage!(self.system, step, s, n, &[], 0.0);
        law.discrete_force(&passage, &pressing(&f.rows, &step.lambda), &mut s.f[..n]);
        scatter(&f.places, &s.f, -1.0, &mut step.applied);
    }

    /// Forces of rigidity on the directors of a node, and Σ λ ∂²g/∂d² as a 3×3 table.
    fn add_internal(&self, i: &Internal, rule: Rule, step: &Crossing, beta: f64, values: &mut [f64]) {
        let tested = self.tested(rule, step, i.node);
        let (mut upper, mut lower) = ([[0.0; 12]; 6], [[0.0; 12]; 6]);
        internal_gradients(tested, &mut upper);
        internal_gradients(&step.end[i.node], &mut lower);
        for (slots, rows) in [(&i.upper, &upper), (&i.lower, &lower)] {
            for (slot, value) in slots.iter().zip(rows.as_flattened()) {
                values[*slot as usize] += value;
            }
        }
        if rule == Rule::Variational {
            return;
        }
        let l = &step.lambda[i.eq..i.eq + 6];
        let table = [[l[0], l[3], l[4]], [l[3], l[1], l[5]], [l[4], l[5], l[2]]];
        let block = &self.node_blocks[i.node];
        for (a, row) in table.iter().enumerate() {
            for (b, value) in row.iter().enumerate() {
                for k in 0..3 {
                    let slot = block[(3 + 3 * a + k) * 12 + 3 + 3 * b + k] as usize;
                    values[slot] += 0.5 * beta * value;
                }
            }
        }
    }

    fn add_friction(
        &self,
        index: usize,
        rule: Rule,
        step: &Crossing,
        beta: f64,
        values: &mut [f64],
        s: &mut Workroom,
    ) {
        let (law, f) = (&self.system.frictions[index].law, &self.frictions[index]);
        let (n, unknowns) = (f.places.carried.len(), f.places.unknowns.len());
        self.load(&f.places, step, s);
        self.load_directions(&f.places, rule, step, s);
        let lambda = pressing(&f.rows, &step.lambda);
        let passage = passage!(self.system, step, s, n, &[], 0.0);
        let grip = law.discrete_grip(&passage, &lambda);
        s.k.clear();
        law.discrete_tangent(&passage, &lambda, &mut s.k);
        clear(&mut s.local, unknowns);
        add_blocks(&mut s.local, &s.k, &f.places, &s.test, &s.trial);
        scatter_block(&s.local, &f.places.block, unknowns, -beta, values);
        let mut along = [0.0; MAX_LOCAL];
        for ((place, g), p) in f.places.carried.iter().zip(&grip.slope).zip(s.test.iter()) {
            for (i, column) in p[..place.dofs].iter().enumerate() {
                along[place.local + i] += g.dot(column);
            }
        }
        let rows = f.upper.chunks_exact(unknowns.max(1)).zip(&grip.by_lambda).zip(&f.rows);
        for ((slots, by), _) in rows.filter(|(_, eq)| eq.is_some()) {
            for (&slot, along) in slots.iter().zip(&along) {
                values[slot as usize] += by * along;
            }
        }
    }
}

/// Single constraints, for treatments that eliminate them. Only rows in force count, in the order of
/// [`Conserving::rows_in_force`]; matrices are stored row by row.
impl Conserving<'_> {
    /// The moving nodes that a constraint touches, with the first of their columns.
    pub fn touched_nodes(&self, index: usize) -> &[(usize, usize)] {
        &self.constraints[index].nodes
    }

    /// The unknowns that a constraint touches: the columns of its rows.
    pub fn touched_unknowns(&self, index: usize) -> &[usize] {
        &self.constraints[index].unknowns
    }

    /// Own equations of the rows of a constraint that are in force.
    pub fn rows_in_force(&self, index: usize) -> impl Iterator<Item = usize> + '_ {
        self.constraints[index].rows.iter().copied().filter(|&eq| eq != NO_EQUATION)
    }

    /// Gd B: the directions of the constraint forces in the equations.
    pub fn discrete_rows(
        &self,
        index: usize,
        rule: Rule,
        step: &Crossing,
        out: &mut [f64],
        s: &mut Workroom,
    ) {
        let places = &self.constraints[index];
        self.load(places, step, s);
        self.load_directions(places, rule, step, s);
        self.load_discrete_rows(index, rule, step, s);
        pack(&s.upper, places, out);
    }

    /// How the rows of a constraint change with the unknowns at the end.
    pub fn end_rows(&self, index: usize, step: &Crossing, out: &mut [f64], s: &mut Workroom) {
        let places = &self.constraints[index];
        self.load(places, step, s);
        for (k, place) in places.carried.iter().enumerate().filter(|(_, p)| p.dofs > 0) {
            let Carried { node, c0, c } = place.carried;
            self.trial(node, step, c0, &c, &mut s.trial[k]);
        }
        self.load_end_rows(index, step, s);
        pack(&s.lower, places, out);
    }

    /// Φ(z⁺) of the rows of a constraint, h times the mean rate of rows on velocities.
    pub fn end_residual(&self, index: usize, step: &Crossing, out: &mut [f64], s: &mut Workroom) {
        let (entry, places) = (&self.system.constraints[index], &self.constraints[index]);
        let (law, n) = (entry.working(), places.carried.len());
        self.load(places, step, s);
        let passage = passage!(self.system, step, s, n, &step.memory[entry.memory.clone()], 0.0);
        let mut rows = [0.0; MAX_ROWS];
        law.residual(&passage.end(), &mut rows[..law.rows()]);
        if (0..law.rows()).any(|k| law.is_velocity_row(k)) {
            mean_rates(law, &passage, &mut rows, &mut s.gradients);
        }
        let in_force = rows.iter().zip(&places.rows).filter(|(_, eq)| **eq != NO_EQUATION);
        out.iter_mut().zip(in_force).for_each(|(out, (value, _))| *out = *value);
    }
}

/// The rows in force, one after the other.
fn pack(rows: &Rows, places: &Places, out: &mut [f64]) {
    let unknowns = places.unknowns.len();
    let in_force = rows.iter().zip(&places.rows).filter(|(_, eq)| **eq != NO_EQUATION);
    for (out, (row, _)) in out.chunks_exact_mut(unknowns.max(1)).zip(in_force) {
        out.copy_from_slice(&row[..unknowns]);
    }
}

/// λ of the rows of a friction's joint, zero for rows out of force.
pub(super) fn pressing(rows: &[Option<usize>], lambda: &[f64]) -> [f64; MAX_ROWS] {
    let mut pressing = [0.0; MAX_ROWS];
    for (l, eq) in pressing.iter_mut().zip(rows) {
        *l = eq.map_or(0.0, |eq| lambda[eq]);
    }
    pressing
}

/// Bᵀ M A of a rigid motion: [m, −m (R⁺c)~; m (R̄c)~, tr(S) − S], S = R⁺ E R̄ᵀ.
fn add_rigid_mass(body: &Body, euler: &Mat3, end: &Frame, tested: &Frame, block: &[u32], values: &mut [f64]) {
    let m = body.mass;
    let spread = end.rot * euler * tested.rot.transpose();
    let turning = Mat3::identity() * spread.trace() - spread;
    let (right, left) =
        (so3::skew(&(end.rot * body.centre)) * -m, so3::skew(&(tested.rot * body.centre)) * m);
    for i in 0..3 {
        values[block[i * 6 + i] as usize] += m;
        for j in 0..3 {
            values[block[i * 6 + 3 + j] as usize] += right[(i, j)];
            values[block[(3 + i) * 6 + j] as usize] += left[(i, j)];
            values[block[(3 + i) * 6 + 3 + j] as usize] += turning[(i, j)];
        }
    }
}

/// Pairs of directors whose products are the rows of rigidity.
const PAIRS: [(usize, usize); 6] = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)];

/// The rows of rigidity at the end. They hold at the start, so that only what changes counts: Δ(d_I·d_J) =
/// d_I·δ_J + δ_I·d_J + δ_I·δ_J, added to what is left open at the start.
pub(super) fn internal_residual(change: &FrameRate, start: &Frame, out: &mut [f64]) {
    let d = |k: usize| start.rot.column(k);
    let delta = |k: usize| change.rot.column(k);
    for (out, &(i, j)) in out.iter_mut().zip(&PAIRS) {
        let open = d(i).dot(&d(j)) - f64::from(u8::from(i == j));
        let changed = d(i).dot(&delta(j)) + delta(i).dot(&d(j)) + delta(i).dot(&delta(j));
        *out = (open + changed) * if i == j { 0.5 } else { 1.0 };
    }
}

/// λ·(g⁺ − g) of the rows of rigidity, where they give way.
fn internal_work(i: &Internal, step: &Crossing) -> f64 {
    let (mut before, mut after) = ([0.0; 6], [0.0; 6]);
    internal_residual(&FrameRate::zero(), &step.start[i.node], &mut before);
    internal_residual(&step.change[i.node], &step.start[i.node], &mut after);
    (0..6).map(|k| step.lambda[i.eq + k] * (after[k] - before[k])).sum()
}

/// ∂g/∂(r, d₁, d₂, d₃).
pub(super) fn internal_gradients(z: &Frame, rows: &mut [[f64; 12]; 6]) {
    for (row, &(i, j)) in rows.iter_mut().zip(&PAIRS) {
        let share = if i == j { 0.5 } else { 1.0 };
        for k in 0..3 {
            row[3 + 3 * i + k] += share * z.rot[(k, j)];
            row[3 + 3 * j + k] += share * z.rot[(k, i)];
        }
    }
}

/// Gdᵀ λ of the rows of rigidity.
fn internal_forces(i: &Internal, rule: Rule, step: &mut Crossing) {
    let z = if rule == Rule::Variational { &step.start[i.node] } else { &step.mean[i.node] };
    step.forces[i.node].rot += z.rot * internal_table(i, &step.lambda);
}

/// The multipliers of rigidity as a symmetric table: Gᵀλ = R Λ.
pub(super) fn internal_table(i: &Internal, lambda: &[f64]) -> Mat3 {
    let l = &lambda[i.eq..i.eq + 6];
    Mat3::new(l[0], l[3], l[4], l[3], l[1], l[5], l[4], l[5], l[2])
}

/// Rates of the rows of rigidity for directors that move at the given rate.
pub(super) fn internal_rates(rate: &FrameRate, z: &Frame, out: &mut [f64]) {
    for (out, &(i, j)) in out.iter_mut().zip(&PAIRS) {
        let moved = z.rot.column(i).dot(&rate.rot.column(j)) + rate.rot.column(i).dot(&z.rot.column(j));
        *out = moved * if i == j { 0.5 } else { 1.0 };
    }
}

/// h (G ẋ + drift) of the rows on velocities, at the mean.
fn mean_rates(law: &dyn Constraint, passage: &Passage, rows: &mut [f64; MAX_ROWS], g: &mut Gradients) {
    let (middle, mut rates) = (passage.middle(), [0.0; MAX_ROWS]);
    law.drift(&middle, &mut rates[..law.rows()]);
    law.push(&middle, passage.rate, &mut rates, g);
    for k in (0..law.rows()).filter(|&k| law.is_velocity_row(k)) {
        rows[k] = passage.h * rates[k];
    }
}

/// The force averaged along the straight path.
fn averaged_force(law: &dyn Force, passage: &Passage, rule: &[(f64, f64)], x: &mut [Vec3], f: &mut [Vec3]) {
    let n = f.len();
    for (alpha, weight) in rule {
        let mut here = [Vec3::zeros(); MAX_CARRIED];
        law.force(&between(passage, *alpha, x), &mut here[..n]);
        f.iter_mut().zip(&here).for_each(|(f, here)| *f += here * *weight);
    }
}

/// Work of the averaged force. What the rule leaves of the balance of a potential is an error of the rule,
/// not work.
fn averaged_work(
    law: &dyn Force,
    passage: &Passage,
    rule: &[(f64, f64)],
    between: &mut [Vec3],
    f: &mut [Vec3],
) -> Power {
    let n = passage.to.len();
    f[..n].fill(Vec3::zeros());
    averaged_force(law, passage, rule, between, &mut f[..n]);
    let work: f64 = (0..n).map(|a| f[a].dot(&passage.change(a))).sum();
    let stored = law.potential(&passage.last()) - law.potential(&passage.first());
    let power = law.power(&passage.motion());
    let dissipated = power.dissipated * passage.h;
    let supplied = if power.supplied == 0.0 { 0.0 } else { work + stored + dissipated };
    Power { supplied, dissipated }
}

/// The motion at a share of the step.
fn between<'a>(passage: &Passage<'a>, alpha: f64, x: &'a mut [Vec3]) -> Motion<'a> {
    let n = passage.to.len();
    for (a, x) in x[..n].iter_mut().enumerate() {
        *x = passage.from[a] + passage.rate[a] * (alpha * passage.h);
    }
    Motion { t: passage.time(alpha), x: &x[..n], ..passage.motion() }
}

#[inline]
fn add(out: &mut [f64], f: &Vec3) {
    out.iter_mut().zip(f.iter()).for_each(|(out, f)| *out += f);
}

/// λ of the rows in force.
#[inline]
pub(super) fn gather(places: &Places, all: &[f64], lambda: &mut [f64; MAX_ROWS]) {
    for (l, &eq) in lambda.iter_mut().zip(&places.rows) {
        *l = if eq == NO_EQUATION { 0.0 } else { all[eq] };
    }
}

#[inline]
pub(super) fn store(places: &Places, rows: &[f64; MAX_ROWS], out: &mut [f64]) {
    for (value, &eq) in rows.iter().zip(&places.rows) {
        if eq != NO_EQUATION {
            out[eq] = *value;
        }
    }
}

/// Adds forces on carried vectors to their nodes.
#[inline]
pub(super) fn scatter(places: &Places, f: &[Vec3], sign: f64, forces: &mut [FrameRate]) {
    for (place, f) in places.carried.iter().zip(f) {
        forces[place.carried.node].add_force(&place.carried, &(f * sign));
    }
}

type Rows = [[f64; MAX_LOCAL]; MAX_ROWS];
type Local = [[f64; MAX_LOCAL]; MAX_LOCAL];

/// Adds Σ_a scale G_kaᵀ p_a to the rows that are wanted.
#[inline]
pub(super) fn add_rows(
    rows: &mut Rows,
    gradients: &[Gradient],
    places: &Places,
    p: &Directions,
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

pub(super) fn clear(local: &mut Local, unknowns: usize) {
    for row in &mut local[..unknowns] {
        row[..unknowns].fill(0.0);
    }
}

/// Adds Σ testᵀ B_ab trial.
pub(super) fn add_blocks(
    local: &mut Local,
    blocks: &Blocks,
    places: &Places,
    test: &Directions,
    trial: &Directions,
) {
    for block in blocks.entries() {
        let (a, b) = (&places.carried[block.a], &places.carried[block.b]);
        for j in 0..b.dofs {
            let moved = block.value * trial[block.b][j];
            for i in 0..a.dofs {
                local[a.local + i][b.local + j] += test[block.a][i].dot(&moved);
            }
        }
    }
}

pub(super) fn scatter_block(local: &Local, slots: &[u32], unknowns: usize, scale: f64, values: &mut [f64]) {
    for (row, slots) in local.iter().zip(slots.chunks_exact(unknowns.max(1))) {
        for (value, &slot) in row.iter().zip(slots) {
            values[slot as usize] += value * scale;
        }
    }
}

pub(super) fn scatter_rows(rows: &Rows, slots: &[u32], places: &Places, values: &mut [f64]) {
    let slots = slots.chunks_exact(places.unknowns.len().max(1));
    for ((row, slots), &eq) in rows.iter().zip(slots).zip(&places.rows) {
        if eq != NO_EQUATION {
            for (value, &slot) in row.iter().zip(slots) {
                values[slot as usize] += value;
            }
        }
    }
}

fn scale(blocks: &mut Blocks, factor: f64) {
    blocks.entries_mut(0).iter_mut().for_each(|block| block.value *= factor);
}
