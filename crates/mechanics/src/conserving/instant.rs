//! The equations at one instant inside a step, in natural coordinates: what Galerkin steps integrate over the
//! step (energy-momentum-null-space I-17, I-18).
//!
//! ```text
//! f(z, ż, λ, t) = Gᵀλ − F − weight          forces on the nodes, with the sign of the balance M ẇ + f = 0
//! G ż + drift                               rates of the rows: of holonomic ones Φ̇, of rows on velocities ψ
//! ```
//! Directors need not be orthonormal here: they are inside a step only as nearly as the path is exact. Nodes
//! must move linearly with their unknowns: bodies as [`Coordinates::Directors`](super::Coordinates), points,
//! parameters.

use super::instant_elements::load_inside;
use crate::assembly::{add_rows, clear_rows, scatter_rows};
use crate::conserving::layout::Conserving;
use crate::conserving::step::ConservingScratch;
use crate::element_buffers::MAX_ROWS;
use crate::force::{Motion, Power};
use crate::nodes::carried::Carried;
use crate::nodes::chart::Frame;
use crate::nodes::natural::FrameRate;

/// An instant inside a step, or its end.
#[derive(Clone, Copy, Debug)]
pub struct StepInstant<'a> {
    /// Time (s).
    pub t: f64,
    /// z.
    pub frames: &'a [Frame],
    /// ż.
    pub rates: &'a [FrameRate],
    /// λ in the entries of constraint rows, ẏ in those of variables.
    pub lambda: &'a [f64],
    /// y in the entries of variables.
    pub variables: &'a [f64],
    /// Remembered numbers at the start of the step.
    pub memory: &'a [f64],
}

/// By how many points an element is integrated over a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sampling {
    /// As many points as the degree: weight, rigidity, constraints that are quadratic or on velocities,
    /// friction, and networks with their loads, so that what they give and what they take is the same. The
    /// rule is exact for the work of quadratic constraints, and the moments of what acts between bodies
    /// cancel at its points.
    Collocated,
    /// More points, for the sake of the work: forces, other constraints.
    Averaged,
    /// As many points as the degree, of which the end of the step is one: algebraic equations of networks.
    AtLevels,
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

    /// f into the unknowns' entries of `out`, G ż + drift into those of the rows, both of the elements that
    /// are integrated so. `forces` is room for one entry per node.
    pub fn balance_inside(
        &self,
        sampling: Sampling,
        at: &StepInstant,
        forces: &mut [FrameRate],
        out: &mut [f64],
        s: &mut ConservingScratch,
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
                    forces[i.node].rot += at.frames[i.node].rot * i.table(at.lambda);
                    i.rates(&at.rates[i.node], &at.frames[i.node], out);
                }
                (0..self.frictions.len()).for_each(|f| self.friction_inside(f, at, forces, s));
                (0..self.networks.len()).for_each(|n| self.network_inside(n, at, forces, out, s));
            }
            Sampling::Averaged => (0..self.forces.len()).for_each(|f| self.force_inside(f, at, forces, s)),
            Sampling::AtLevels => (0..self.networks.len()).for_each(|n| self.levels_inside(n, at, out, s)),
        }
        for (id, f) in forces.iter().enumerate().skip(1) {
            self.add_components(id, f, out);
        }
    }

    /// Derivatives of [`Conserving::balance_inside`].
    pub fn tangent_inside(
        &self,
        sampling: Sampling,
        at: &StepInstant,
        to: &mut Derivatives,
        s: &mut ConservingScratch,
    ) {
        to.by_position.fill(0.0);
        to.by_rate.fill(0.0);
        for c in (0..self.constraints.len()).filter(|&c| self.sampling(c) == sampling) {
            self.constraint_tangent_inside(c, at, to, s);
        }
        match sampling {
            Sampling::Collocated => {
                self.internal.iter().for_each(|i| self.rigidity_tangent_inside(i, at, to));
                (0..self.frictions.len()).for_each(|f| self.friction_tangent_inside(f, at, to, s));
                (0..self.networks.len()).for_each(|n| self.network_tangent_inside(n, at, to, s));
            }
            Sampling::Averaged => {
                (0..self.forces.len()).for_each(|f| self.force_tangent_inside(f, at, to, s))
            }
            Sampling::AtLevels => {
                (0..self.networks.len()).for_each(|n| self.levels_tangent_inside(n, at, to, s))
            }
        }
    }

    /// Φ of the holonomic rows at the end of a step; other entries stay. Rigidity is evaluated from what
    /// changes, free of cancellation.
    pub fn positions_at_end(
        &self,
        end: &StepInstant,
        start: &[Frame],
        change: &[FrameRate],
        out: &mut [f64],
        s: &mut ConservingScratch,
    ) {
        for (entry, places) in self.system.constraints.iter().zip(&self.constraints) {
            let (law, n) = (entry.working(), places.carried.len());
            load_inside(places, end, s);
            let mut rows = [0.0; MAX_ROWS];
            law.residual(
                &entry.configuration(self.system.law_time(end.t), end.memory, &s.carried.from[..n]),
                &mut rows[..law.rows()],
            );
            for (k, &eq) in places.rows.iter().enumerate() {
                if let Some(out) = out.get_mut(eq).filter(|_| !law.is_velocity_row(k)) {
                    *out = rows[k];
                }
            }
        }
        for i in &self.internal {
            i.residual(&change[i.node], &start[i.node], out);
        }
    }

    /// G of the holonomic rows at the end of a step into the slots of the rows; other slots become zero.
    pub fn end_gradients(&self, end: &StepInstant, values: &mut [f64], s: &mut ConservingScratch) {
        values.fill(0.0);
        for (entry, places) in self.system.constraints.iter().zip(&self.constraints) {
            let (law, n) = (entry.working(), places.carried.len());
            load_inside(places, end, s);
            self.directions_inside(places, s);
            s.gradients.clear();
            law.gradients(
                &entry.configuration(self.system.law_time(end.t), end.memory, &s.carried.from[..n]),
                &mut s.gradients,
            );
            let holonomic = |k: usize| !law.is_velocity_row(k);
            clear_rows(&mut s.lower[..law.rows()], places.unknowns.len());
            add_rows(&mut s.lower, s.gradients.entries(), places, &s.trial[..], 1.0, holonomic);
            scatter_rows(&s.lower, &places.lower, places, values);
        }
        for i in &self.internal {
            i.add_gradients(&end.frames[i.node].rot, &i.lower, values);
        }
    }

    /// Power of forces, friction and driven constraints that are integrated so.
    pub fn power_inside(&self, sampling: Sampling, at: &StepInstant, s: &mut ConservingScratch) -> Power {
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
                (0..self.networks.len()).for_each(|n| self.network_power_inside(n, at, &mut sum, s));
            }
            Sampling::Averaged => {
                for (index, places) in self.forces.iter().enumerate() {
                    load_inside(places, at, s);
                    let n = places.carried.len();
                    let (x, xdot) = (&s.carried.from[..n], &s.carried.rate[..n]);
                    let entry = &self.system.forces[index];
                    let reactions = self.reactions_inside(index, at, x, &mut s.gradients);
                    let reactions = &reactions[..entry.read()];
                    let t = self.system.law_time(at.t);
                    let here = Motion { reactions, ..entry.motion(t, at.memory, x, xdot) };
                    let power = entry.law.power(&here);
                    sum.supplied += power.supplied;
                    sum.dissipated += power.dissipated;
                }
            }
            Sampling::AtLevels => {}
        }
        sum
    }
}
