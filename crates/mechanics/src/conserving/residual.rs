//! Residual of a step.

use super::averaged::averaged_force;
use super::rigidity::internal_forces;
use crate::assembly::{gather_rows, store_rows};
use crate::conserving::Rule;
use crate::conserving::layout::{Conserving, Kind};
use crate::conserving::step::{ConservingScratch, ConservingStep};
use crate::constraint::Constraint;
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::{Gradients, MAX_ROWS};
use crate::nodes::carried::Carried;
use crate::nodes::chart::Chart;
use crate::nodes::natural::FrameRate;
use crate::system::Places;
use poinsot_geometry::Vec3;

impl Conserving<'_> {
    /// The balance of forces into the unknowns' entries of `out`, Φ(z⁺) of holonomic rows and h times the
    /// mean rate of rows on velocities into theirs, the equations of rigidity into theirs. Forces on the
    /// nodes are left in `step.forces`.
    pub fn residual(
        &self,
        rule: Rule,
        step: &mut ConservingStep,
        out: &mut [f64],
        s: &mut ConservingScratch,
    ) {
        out.fill(0.0);
        self.follow_shapes(step);
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
            i.residual(&step.change[i.node], &step.start[i.node], out);
        }
        for id in 1..self.nodes.len() {
            self.project(id, rule, step, out);
        }
    }

    /// Φ of the holonomic rows and of rigidity at the start into their entries of `out`.
    pub fn start_residual(&self, step: &ConservingStep, out: &mut [f64], s: &mut ConservingScratch) {
        for (entry, places) in self.system.constraints.iter().zip(&self.constraints) {
            let (law, n) = (entry.working(), places.carried.len());
            self.load(places, step, s);
            let mut rows = [0.0; MAX_ROWS];
            let ends = s.carried.ends(self.system, step, n, &step.memory[entry.memory.clone()], 0.0);
            law.residual(&ends.start(), &mut rows[..law.rows()]);
            store_rows(places, &rows, out);
        }
        for i in &self.internal {
            i.residual(&FrameRate::zero(), &step.start[i.node], out);
        }
    }

    fn add_weight(&self, step: &mut ConservingStep, s: &mut ConservingScratch) {
        for body in self.system.bodies() {
            let weight = self.system.gravity * body.mass;
            step.applied[body.node].add_force(&Carried::point(body.node, body.centre), &-weight);
        }
        self.add_coupled_weight(&mut step.applied, s);
        self.add_flexible_weight(step);
    }

    /// Weight of what couples nodes, with the sign of the balance.
    pub(super) fn add_coupled_weight(&self, forces: &mut [FrameRate], s: &mut ConservingScratch) {
        for (entry, places) in self.system.inertias.iter().zip(&self.inertias) {
            entry.law.weight(&self.system.gravity, &mut s.f[..places.carried.len()]);
            scatter(places, &s.f, -1.0, forces);
        }
    }

    /// (2/h) M (Δz/h − w).
    fn add_inertia(&self, step: &mut ConservingStep, s: &mut ConservingScratch) {
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
                s.carried.rate[k] = jump.of(&place.carried);
            }
            entry.law.apply(&s.carried.rate[..n], &mut s.f[..n]);
            scatter(places, &s.f, 1.0, &mut step.forces);
        }
        self.add_flexible_inertia(step);
    }

    /// Constraint forces into the nodes, the row's residual into `out`.
    fn constraint(
        &self,
        index: usize,
        rule: Rule,
        step: &mut ConservingStep,
        out: &mut [f64],
        s: &mut ConservingScratch,
    ) {
        let (entry, places) = (&self.system.constraints[index], &self.constraints[index]);
        let (law, n) = (entry.working(), places.carried.len());
        self.load(places, step, s);
        let lambda = gather_rows(places, &step.lambda);
        let ends = s.carried.ends(self.system, step, n, &step.memory[entry.memory.clone()], 0.0);
        let mut rows = [0.0; MAX_ROWS];
        law.residual(&ends.end(), &mut rows[..law.rows()]);
        s.f[..n].fill(Vec3::zeros());
        match rule {
            Rule::Variational => law.pull(&ends.start(), &lambda, &mut s.f[..n], &mut s.gradients),
            _ if law.is_quadratic() => law.pull(&ends.middle(), &lambda, &mut s.f[..n], &mut s.gradients),
            _ => {
                s.gradients.clear();
                law.discrete_gradients(&ends, &mut s.gradients);
                for g in s.gradients.entries() {
                    s.f[g.carried] += g.value * lambda[g.row];
                }
            }
        }
        if (0..law.rows()).any(|k| law.is_velocity_row(k)) {
            mean_rates(law, &ends, &mut rows, &mut s.gradients);
        }
        store_rows(places, &rows, out);
        scatter(places, &s.f, 1.0, &mut step.forces);
    }

    fn apply_force(&self, index: usize, rule: Rule, step: &mut ConservingStep, s: &mut ConservingScratch) {
        let (entry, places) = (&self.system.forces[index], &self.forces[index]);
        let law = &*entry.law;
        let n = places.carried.len();
        self.load(places, step, s);
        s.f[..n].fill(Vec3::zeros());
        let memory = &step.memory[entry.memory.clone()];
        let reactions = self.reactions_over_step(index, step, s);
        let ends = StepEnds {
            reactions: &reactions[..self.pressing[index].len()],
            ..s.carried.ends(self.system, step, n, memory, step.dissipation[index])
        };
        match rule {
            Rule::EnergyMomentum => law.discrete_force(&ends, &mut s.f[..n]),
            Rule::Variational => law.force(&ends.motion(), &mut s.f[..n]),
            Rule::Averaged => averaged_force(law, &ends, &step.quadrature, &mut s.between, &mut s.f[..n]),
        }
        scatter(places, &s.f, -1.0, &mut step.applied);
    }
}

impl Conserving<'_> {
    /// Friction of a joint, at the mean rate.
    fn apply_friction(&self, index: usize, step: &mut ConservingStep, s: &mut ConservingScratch) {
        let (law, f) = (&self.system.frictions[index].law, &self.frictions[index]);
        let n = f.places.carried.len();
        self.load(&f.places, step, s);
        s.f[..n].fill(Vec3::zeros());
        let ends = s.carried.ends(self.system, step, n, &[], 0.0);
        law.discrete_force(&ends, &f.pressing(&step.lambda), &mut s.f[..n]);
        scatter(&f.places, &s.f, -1.0, &mut step.applied);
    }
}

impl Conserving<'_> {
    /// Projects the forces on a node onto its test directions.
    fn project(&self, id: usize, rule: Rule, step: &ConservingStep, out: &mut [f64]) {
        let (place, f) = (&self.nodes[id], &step.forces[id]);
        let out = &mut out[place.eq..place.eq + place.kind.dofs()];
        match &place.kind {
            Kind::Chart(Chart::Fixed) => {}
            Kind::Chart(Chart::Parameter | Chart::Number) => out[0] += f.r.x,
            Kind::Chart(Chart::Point | Chart::Slope) => add(out, &f.r),
            Kind::Chart(Chart::PlanarPoint { e1, e2 } | Chart::PlanarSlope { e1, e2 }) => {
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
            Kind::PlaneDirectors(plane) => {
                out.iter_mut().zip(plane.components(f)).for_each(|(out, f)| *out += f);
            }
            Kind::EulerParameters => {
                add(&mut out[..3], &f.r);
                out[3] += step.norm_error(id);
                add(&mut out[4..], &f.moment(self.tested(rule, step, id)));
            }
        }
    }
}

/// h (G ẋ + drift) of the rows on velocities, at the mean.
pub(super) fn mean_rates(
    law: &dyn Constraint,
    ends: &StepEnds,
    rows: &mut [f64; MAX_ROWS],
    g: &mut Gradients,
) {
    let (middle, mut rates) = (ends.middle(), [0.0; MAX_ROWS]);
    law.drift(&middle, &mut rates[..law.rows()]);
    law.push(&middle, ends.rate, &mut rates, g);
    for k in (0..law.rows()).filter(|&k| law.is_velocity_row(k)) {
        rows[k] = ends.h * rates[k];
    }
}

#[inline]
fn add(out: &mut [f64], f: &Vec3) {
    out.iter_mut().zip(f.iter()).for_each(|(out, f)| *out += f);
}

/// Adds forces on carried vectors to their nodes.
#[inline]
pub(super) fn scatter(places: &Places, f: &[Vec3], sign: f64, forces: &mut [FrameRate]) {
    for (place, f) in places.carried.iter().zip(f) {
        forces[place.carried.node].add_force(&place.carried, &(f * sign));
    }
}
