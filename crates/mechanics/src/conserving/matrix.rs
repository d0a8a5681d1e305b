//! Matrix of a step.

use super::averaged::between;
use crate::assembly::{add_blocks, add_rows, clear_rows, gather_rows, scatter_block, scatter_rows};
use crate::conserving::Rule;
use crate::conserving::layout::{Conserving, Kind, Mass};
use crate::conserving::step::{ConservingScratch, ConservingStep, MAX_LOCAL};
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::Blocks;
use crate::mass::body::Body;
use crate::nodes::chart::{Chart, Frame};
use crate::nodes::natural::FrameRate;
use poinsot_geometry::{Mat3, Vec3, so3};

impl Conserving<'_> {
    /// The step matrix into the slots of the pattern, for unknowns in units of h²/2 = β and constraint rows
    /// divided by β:
    ///
    /// ```text
    /// [ Bᵀ M A + β Bᵀ K A + β (∂B/∂u)ᵀ f    Bᵀ Gdᵀ ]
    /// [ G(z⁺) A                             0      ]
    /// ```
    /// with A = ∂z⁺/∂u and B the test directions. The last residual must be that of the same step.
    pub fn matrix(&self, rule: Rule, step: &ConservingStep, values: &mut [f64], s: &mut ConservingScratch) {
        values.fill(0.0);
        let beta = 0.5 * step.h * step.h;
        for mass in &self.masses {
            self.add_mass(mass, rule, step, values, s);
        }
        self.add_coupled_mass(rule, step, values, s);
        self.add_flexible_matrix(rule, step, beta, values, s);
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

    /// Bᵀ M A of a body, and the norm of Euler parameters.
    pub(super) fn add_mass(
        &self,
        mass: &Mass,
        rule: Rule,
        step: &ConservingStep,
        values: &mut [f64],
        s: &mut ConservingScratch,
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
    pub(super) fn add_coupled_mass(
        &self,
        rule: Rule,
        step: &ConservingStep,
        values: &mut [f64],
        s: &mut ConservingScratch,
    ) {
        for (entry, places) in self.system.inertias.iter().zip(&self.inertias) {
            let unknowns = places.unknowns.len();
            self.load_directions(places, rule, step, s);
            clear_rows(&mut s.local[..unknowns], unknowns);
            entry.law.add_products::<MAX_LOCAL, 12>(places, &s.test[..], &s.trial[..], &mut s.local);
            scatter_block(&s.local, &places.block, unknowns, 1.0, values);
        }
    }

    /// β (∂B/∂u)ᵀ f: the test directions turn with the end; and the norm of Euler parameters.
    fn add_geometric(&self, id: usize, rule: Rule, step: &ConservingStep, beta: f64, values: &mut [f64]) {
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
        step: &ConservingStep,
        beta: f64,
        values: &mut [f64],
        s: &mut ConservingScratch,
    ) {
        let (entry, places) = (&self.system.constraints[index], &self.constraints[index]);
        let (law, n) = (entry.working(), places.carried.len());
        let unknowns = places.unknowns.len();
        self.load(places, step, s);
        self.load_directions(places, rule, step, s);
        let lambda = gather_rows(places, &step.lambda);
        let ends = s.carried.ends(self.system, step, n, &step.memory[entry.memory.clone()], 0.0);
        s.k.clear();
        if rule != Rule::Variational {
            law.discrete_hessian(&ends, &lambda[..law.rows()], &mut s.k);
        }
        clear_rows(&mut s.local[..unknowns], unknowns);
        add_blocks(&mut s.local, s.k.entries(), places, &s.test[..], &s.trial[..]);
        scatter_block(&s.local, &places.block, unknowns, beta, values);
        self.load_discrete_rows(index, rule, step, s);
        self.load_end_rows(index, step, s);
        for (slots, rows) in [(&places.upper, &s.upper), (&places.lower, &s.lower)] {
            scatter_rows(rows, slots, places, values);
        }
    }

    /// Gd B of a constraint into `s.upper`; its carried vectors and test directions must be loaded.
    pub(super) fn load_discrete_rows(
        &self,
        index: usize,
        rule: Rule,
        step: &ConservingStep,
        s: &mut ConservingScratch,
    ) {
        let (entry, places) = (&self.system.constraints[index], &self.constraints[index]);
        let (law, n) = (entry.working(), places.carried.len());
        clear_rows(&mut s.upper[..law.rows()], places.unknowns.len());
        let ends = s.carried.ends(self.system, step, n, &step.memory[entry.memory.clone()], 0.0);
        s.gradients.clear();
        match rule {
            Rule::Variational => law.gradients(&ends.start(), &mut s.gradients),
            _ => law.discrete_gradients(&ends, &mut s.gradients),
        }
        add_rows(&mut s.upper, s.gradients.entries(), places, &s.test[..], 1.0, |_| true);
    }

    /// How the rows of a constraint change with the end, into `s.lower`: G at the end for positions; G at the
    /// mean and the derivative of the rate for velocities. Its carried vectors and trial directions must be
    /// loaded.
    pub(super) fn load_end_rows(&self, index: usize, step: &ConservingStep, s: &mut ConservingScratch) {
        let (entry, places) = (&self.system.constraints[index], &self.constraints[index]);
        let (law, n) = (entry.working(), places.carried.len());
        clear_rows(&mut s.lower[..law.rows()], places.unknowns.len());
        let ends = s.carried.ends(self.system, step, n, &step.memory[entry.memory.clone()], 0.0);
        let by_velocity = |k: usize| law.is_velocity_row(k);
        if (0..law.rows()).any(by_velocity) {
            s.gradients.clear();
            law.gradients(&ends.middle(), &mut s.gradients);
            add_rows(&mut s.lower, s.gradients.entries(), places, &s.trial[..], 1.0, by_velocity);
            s.gradients.clear();
            law.rate_gradients(&ends.middle(), ends.rate, &mut s.gradients);
            let half = 0.5 * step.h;
            add_rows(&mut s.lower, s.gradients.entries(), places, &s.trial[..], half, by_velocity);
        }
        s.gradients.clear();
        law.gradients(&ends.end(), &mut s.gradients);
        add_rows(&mut s.lower, s.gradients.entries(), places, &s.trial[..], 1.0, |k| !by_velocity(k));
    }

    pub(super) fn add_force(
        &self,
        index: usize,
        rule: Rule,
        step: &ConservingStep,
        beta: f64,
        values: &mut [f64],
        s: &mut ConservingScratch,
    ) {
        let (entry, places) = (&self.system.forces[index], &self.forces[index]);
        let law = &*entry.law;
        let (n, unknowns) = (places.carried.len(), places.unknowns.len());
        self.load(places, step, s);
        self.load_directions(places, rule, step, s);
        let memory = &step.memory[entry.memory.clone()];
        s.k.clear();
        s.c.clear();
        let reactions = self.reactions_over_step(index, step, s);
        let ends = StepEnds {
            reactions: &reactions[..self.pressing[index].len()],
            ..s.carried.ends(self.system, step, n, memory, step.dissipation[index])
        };
        clear_rows(&mut s.local[..unknowns], unknowns);
        match rule {
            Rule::EnergyMomentum => {
                law.discrete_tangent(&ends, &mut s.k, &mut s.c);
                add_blocks(&mut s.local, s.k.entries(), places, &s.test[..], &s.trial[..]);
            }
            Rule::Variational => {
                law.tangent(&ends.motion(), &mut s.k, &mut s.c);
                scale(&mut s.k, 0.5);
                scale(&mut s.c, 1.0 / step.h);
                add_blocks(&mut s.local, s.k.entries(), places, &s.test[..], &s.trial[..]);
                add_blocks(&mut s.local, s.c.entries(), places, &s.test[..], &s.trial[..]);
            }
            Rule::Averaged => {
                for (alpha, weight) in &step.quadrature {
                    s.k.clear();
                    s.c.clear();
                    let motion = between(&ends, *alpha, &mut s.between);
                    law.tangent(&motion, &mut s.k, &mut s.c);
                    scale(&mut s.k, alpha * weight);
                    scale(&mut s.c, weight / step.h);
                    add_blocks(&mut s.local, s.k.entries(), places, &s.test[..], &s.trial[..]);
                    add_blocks(&mut s.local, s.c.entries(), places, &s.test[..], &s.trial[..]);
                }
            }
        }
        self.add_pressed(index, rule, step, &reactions, values, s);
        scatter_block(&s.local, &places.block, unknowns, -beta, values);
    }
}

impl Conserving<'_> {
    fn add_friction(
        &self,
        index: usize,
        rule: Rule,
        step: &ConservingStep,
        beta: f64,
        values: &mut [f64],
        s: &mut ConservingScratch,
    ) {
        let (law, f) = (&self.system.frictions[index].law, &self.frictions[index]);
        let (n, unknowns) = (f.places.carried.len(), f.places.unknowns.len());
        self.load(&f.places, step, s);
        self.load_directions(&f.places, rule, step, s);
        let lambda = f.pressing(&step.lambda);
        let ends = s.carried.ends(self.system, step, n, &[], 0.0);
        let grip = law.discrete_grip(&ends, &lambda);
        s.k.clear();
        law.discrete_tangent(&ends, &lambda, &mut s.k);
        clear_rows(&mut s.local[..unknowns], unknowns);
        add_blocks(&mut s.local, s.k.entries(), &f.places, &s.test[..], &s.trial[..]);
        scatter_block(&s.local, &f.places.block, unknowns, -beta, values);
        f.add_pressing(&grip.by_lambda, &grip.slope, &s.test[..], values);
    }
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

fn scale(blocks: &mut Blocks, factor: f64) {
    blocks.entries_mut(0).iter_mut().for_each(|block| block.value *= factor);
}
