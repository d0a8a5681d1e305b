//! Single elements at an instant inside a step.

use super::instant::{Derivatives, StepInstant};
use crate::assembly::{
    add_blocks, add_rows, clear_rows, gather_rows, scatter_block, scatter_rows, store_rows,
};
use crate::conserving::layout::{Conserving, Internal};
use crate::conserving::residual::scatter;
use crate::conserving::step::ConservingScratch;
use crate::constraint::Configuration;
use crate::coordinate::Slope;
use crate::element_buffers::MAX_ROWS;
use crate::force::Motion;
use crate::friction::Grip;
use crate::nodes::carried::Carried;
use crate::nodes::chart::Frame;
use crate::nodes::natural::FrameRate;
use crate::system::Places;
use poinsot_geometry::Vec3;

impl Conserving<'_> {
    pub(super) fn constraint_inside(
        &self,
        index: usize,
        at: &StepInstant,
        forces: &mut [FrameRate],
        out: &mut [f64],
        s: &mut ConservingScratch,
    ) {
        let (entry, places) = (&self.system.constraints[index], &self.constraints[index]);
        let (law, n) = (entry.working(), places.carried.len());
        load_inside(places, at, s);
        let (lambda, mut rates) = (gather_rows(places, at.lambda), [0.0; MAX_ROWS]);
        let here = entry.configuration(self.system.law_time(at.t), at.memory, &s.carried.from[..n]);
        s.f[..n].fill(Vec3::zeros());
        law.pull(&here, &lambda[..law.rows()], &mut s.f[..n], &mut s.gradients);
        scatter(places, &s.f, 1.0, forces);
        law.drift(&here, &mut rates[..law.rows()]);
        law.push(&here, &s.carried.rate[..n], &mut rates, &mut s.gradients);
        entry.follow_by(|eq| at.variables[self.own[eq]], &mut rates);
        store_rows(places, &rates, out);
    }

    /// Σ_k λ_k G_k·ẋ of a driven constraint.
    pub(super) fn constraint_power_inside(
        &self,
        index: usize,
        at: &StepInstant,
        s: &mut ConservingScratch,
    ) -> f64 {
        let (entry, places) = (&self.system.constraints[index], &self.constraints[index]);
        if !entry.driven {
            return 0.0;
        }
        let (law, n) = (entry.working(), places.carried.len());
        load_inside(places, at, s);
        let (lambda, mut rates) = (gather_rows(places, at.lambda), [0.0; MAX_ROWS]);
        let here = entry.configuration(self.system.law_time(at.t), at.memory, &s.carried.from[..n]);
        law.push(&here, &s.carried.rate[..n], &mut rates, &mut s.gradients);
        lambda.iter().zip(&rates).map(|(l, rate)| l * rate).sum()
    }

    /// Σ λ ∂G/∂x, and the rows: G by ẋ and by λ, ∂(G ẋ + drift)/∂x.
    pub(super) fn constraint_tangent_inside(
        &self,
        index: usize,
        at: &StepInstant,
        to: &mut Derivatives,
        s: &mut ConservingScratch,
    ) {
        let (entry, places) = (&self.system.constraints[index], &self.constraints[index]);
        let (law, n, unknowns) = (entry.working(), places.carried.len(), places.unknowns.len());
        load_inside(places, at, s);
        self.directions_inside(places, s);
        let lambda = gather_rows(places, at.lambda);
        let here: Configuration =
            entry.configuration(self.system.law_time(at.t), at.memory, &s.carried.from[..n]);
        s.k.clear();
        law.hessian(&here, &lambda[..law.rows()], &mut s.k);
        clear_rows(&mut s.local[..unknowns], unknowns);
        add_blocks(&mut s.local, s.k.entries(), places, &s.trial[..], &s.trial[..]);
        scatter_block(&s.local, &places.block, unknowns, 1.0, to.by_position);
        s.gradients.clear();
        law.gradients(&here, &mut s.gradients);
        clear_rows(&mut s.upper[..law.rows()], places.unknowns.len());
        add_rows(&mut s.upper, s.gradients.entries(), places, &s.trial[..], 1.0, |_| true);
        scatter_rows(&s.upper, &places.upper, places, to.by_position);
        scatter_rows(&s.upper, &places.lower, places, to.by_rate);
        s.gradients.clear();
        law.rate_gradients(&here, &s.carried.rate[..n], &mut s.gradients);
        clear_rows(&mut s.lower[..law.rows()], places.unknowns.len());
        add_rows(&mut s.lower, s.gradients.entries(), places, &s.trial[..], 1.0, |_| true);
        scatter_rows(&s.lower, &places.lower, places, to.by_position);
        let in_force = entry.command_blocks().filter(|([row], _)| places.rows.contains(&self.own[*row]));
        for ([row], [variable]) in in_force {
            if let Some(slot) = self.pattern.index(self.own[row], self.own[variable]) {
                to.by_position[slot] -= 1.0;
            }
        }
    }

    /// The same of the rows of rigidity: their gradients are linear in the directors.
    pub(super) fn rigidity_tangent_inside(&self, i: &Internal, at: &StepInstant, to: &mut Derivatives) {
        i.add_gradients(&at.frames[i.node].rot, &i.upper, to.by_position);
        i.add_gradients(&at.frames[i.node].rot, &i.lower, to.by_rate);
        i.add_gradients(&at.rates[i.node].rot, &i.lower, to.by_position);
        i.add_hessian(at.lambda, 1.0, &self.node_blocks[i.node], to.by_position);
    }

    pub(super) fn force_inside(
        &self,
        index: usize,
        at: &StepInstant,
        forces: &mut [FrameRate],
        s: &mut ConservingScratch,
    ) {
        let (entry, places) = (&self.system.forces[index], &self.forces[index]);
        let n = places.carried.len();
        load_inside(places, at, s);
        s.f[..n].fill(Vec3::zeros());
        let (x, xdot) = (&s.carried.from[..n], &s.carried.rate[..n]);
        let reactions = self.reactions_inside(index, at, x, &mut s.gradients);
        let reactions = &reactions[..entry.read()];
        let t = self.system.law_time(at.t);
        let here = Motion { reactions, ..entry.motion(t, at.memory, x, xdot) };
        entry.law.force(&here, &mut s.f[..n]);
        scatter(places, &s.f, -1.0, forces);
    }

    pub(super) fn force_tangent_inside(
        &self,
        index: usize,
        at: &StepInstant,
        to: &mut Derivatives,
        s: &mut ConservingScratch,
    ) {
        let (entry, places) = (&self.system.forces[index], &self.forces[index]);
        let (n, unknowns) = (places.carried.len(), places.unknowns.len());
        load_inside(places, at, s);
        self.directions_inside(places, s);
        s.k.clear();
        s.c.clear();
        let (x, xdot) = (&s.carried.from[..n], &s.carried.rate[..n]);
        let reactions = self.reactions_inside(index, at, x, &mut s.gradients);
        let reactions = &reactions[..entry.read()];
        let t = self.system.law_time(at.t);
        let here = Motion { reactions, ..entry.motion(t, at.memory, x, xdot) };
        entry.law.tangent(&here, &mut s.k, &mut s.c);
        for (blocks, values) in [(&s.k, &mut *to.by_position), (&s.c, &mut *to.by_rate)] {
            clear_rows(&mut s.local[..unknowns], unknowns);
            add_blocks(&mut s.local, blocks.entries(), places, &s.trial[..], &s.trial[..]);
            scatter_block(&s.local, &places.block, unknowns, -1.0, values);
        }
        self.add_pressed_inside(index, at, reactions, to, s);
    }

    /// F, ∂s/∂x_a and ṡ of a friction.
    pub(super) fn grip_inside(
        &self,
        index: usize,
        at: &StepInstant,
        s: &mut ConservingScratch,
    ) -> (Grip, Slope, f64) {
        let (law, f) = (&self.system.frictions[index].law, &self.frictions[index]);
        let n = f.places.carried.len();
        load_inside(&f.places, at, s);
        let rate = law.coordinate.rate(&s.carried.from[..n], &s.carried.rate[..n]);
        (law.grip(rate, &f.pressing(at.lambda)), law.coordinate.slope(&s.carried.from[..n]), rate)
    }

    pub(super) fn friction_inside(
        &self,
        index: usize,
        at: &StepInstant,
        forces: &mut [FrameRate],
        s: &mut ConservingScratch,
    ) {
        let (grip, slope, _) = self.grip_inside(index, at, s);
        let places = &self.frictions[index].places;
        let n = places.carried.len();
        s.f.iter_mut().zip(&slope).take(n).for_each(|(f, g)| *f = g * grip.force);
        scatter(places, &s.f, 1.0, forces);
    }

    /// Derivatives of F ∂s/∂x_a by x, ẋ and λ.
    pub(super) fn friction_tangent_inside(
        &self,
        index: usize,
        at: &StepInstant,
        to: &mut Derivatives,
        s: &mut ConservingScratch,
    ) {
        let (grip, slope, _) = self.grip_inside(index, at, s);
        let (law, f) = (&self.system.frictions[index].law, &self.frictions[index]);
        let (n, unknowns) = (f.places.carried.len(), f.places.unknowns.len());
        self.directions_inside(&f.places, s);
        let slope_rate = law.coordinate.slope_rate(&s.carried.from[..n], &s.carried.rate[..n]);
        s.k.clear();
        s.c.clear();
        for a in 0..n {
            for b in 0..n {
                s.k.push_outer(a, b, &(slope[a] * grip.by_rate), &slope_rate[b]);
                s.c.push_outer(a, b, &(slope[a] * grip.by_rate), &slope[b]);
            }
        }
        law.coordinate.hessian(&s.carried.from[..n], grip.force, &mut s.k);
        for (blocks, values) in [(&s.k, &mut *to.by_position), (&s.c, &mut *to.by_rate)] {
            clear_rows(&mut s.local[..unknowns], unknowns);
            add_blocks(&mut s.local, blocks.entries(), &f.places, &s.trial[..], &s.trial[..]);
            scatter_block(&s.local, &f.places.block, unknowns, 1.0, values);
        }
        f.add_pressing(&grip.by_lambda, &slope, &s.trial[..], to.by_position);
    }

    /// How the carried vectors of an element move with the unknowns, the same everywhere.
    pub(super) fn directions_inside(&self, places: &Places, s: &mut ConservingScratch) {
        for (k, place) in places.carried.iter().enumerate().filter(|(_, p)| p.dofs > 0) {
            let Carried { node, c0, c, .. } = place.carried;
            self.test(node, &Frame::identity(), c0, &c, &mut s.trial[k]);
        }
    }
}

/// Carried vectors of an element and their rates.
#[inline]
pub(super) fn load_inside(places: &Places, at: &StepInstant, s: &mut ConservingScratch) {
    for (k, place) in places.carried.iter().enumerate() {
        let c = &place.carried;
        s.carried.from[k] = c.value(&at.frames[c.node]);
        s.carried.rate[k] = at.rates[c.node].of(c);
    }
}
