//! Constraints alone: Φ, its rates and their derivatives, and the forces Gᵀλ.

use super::scatter::{add_rows, store_rows};
use super::scratch::Scratch;
use crate::assembly::{clear_rows, gather_rows};
use crate::element_buffers::MAX_ROWS;
use crate::nodes::carried::{Carried, project};
use crate::system::state::Instant;
use crate::system::{ConstraintEntry, NO_EQUATION, Place, Places, System};
use poinsot_geometry::Vec3;

impl System {
    /// Φ(q, t) into the constraint entries of `out`, zero for rows on velocities.
    pub fn constraint_residual(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        for entry in &self.constraints {
            self.positions(entry.places_at(at.frames), at.frames, s);
            residual_of(entry, self.law_time(at.t), at, out, s);
        }
    }

    /// The rates G v + drift (Φ̇ of holonomic rows) into the constraint entries of `out`, and algebraic
    /// equations.
    pub fn constraint_rate(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        self.load_twists(at.v, s);
        for entry in &self.constraints {
            self.positions(entry.places_at(at.frames), at.frames, s);
            self.rate_of(entry, at, out, s);
        }
        self.algebraic_residual(at, out, s);
    }

    /// Φ into `phi` and the rates with the algebraic equations into `rate`, in one pass.
    pub fn constraint_levels(&self, at: &Instant, phi: &mut [f64], rate: &mut [f64], s: &mut Scratch) {
        self.load_twists(at.v, s);
        for entry in &self.constraints {
            self.positions(entry.places_at(at.frames), at.frames, s);
            residual_of(entry, self.law_time(at.t), at, phi, s);
            self.rate_of(entry, at, rate, s);
        }
        self.algebraic_residual(at, rate, s);
    }

    /// The rates of one constraint; positions and twists must be set.
    #[inline]
    fn rate_of(&self, entry: &ConstraintEntry, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        let (law, places) = (entry.working(), entry.places_at(at.frames));
        let n = places.carried.len();
        self.velocities(places, at.frames, s);
        let here = entry.configuration(self.law_time(at.t), at.memory, &s.x[..n]);
        let mut rate = [0.0; MAX_ROWS];
        law.drift(&here, &mut rate[..law.rows()]);
        law.push(&here, &s.xdot[..n], &mut rate, &mut s.gradients);
        entry.follow(at.v, &mut rate);
        store_rows(places, &rate, out);
    }

    /// d(rate)/dt = G a + κ(q, v, t) into the constraint entries of `out`; with `a` zero it is κ. The same
    /// for algebraic equations.
    pub fn constraint_acceleration(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        self.load_twists(at.v, s);
        for entry in &self.constraints {
            let (law, places) = (entry.working(), entry.places_at(at.frames));
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
            entry.follow(at.a, &mut level);
            store_rows(places, &level, out);
        }
        self.algebraic_rate(at, out, s);
    }

    /// Adds Gᵀ(q) μ to the unknowns' entries of `out`, μ in the constraint entries of `mu`.
    pub fn add_pull(&self, at: &Instant, mu: &[f64], out: &mut [f64], s: &mut Scratch) {
        for entry in &self.constraints {
            let places = entry.places_at(at.frames);
            self.positions(places, at.frames, s);
            constraint_force(entry, places, (self.law_time(at.t), at.memory), mu, s);
            self.scatter_force(places, at.frames, &s.f, 1.0, out);
        }
    }

    /// Adds `scale` · (∂(Gv)/∂q)ᵀ μ to the unknowns' entries of `out`, μ in the constraint entries of `mu`.
    pub fn add_rate_pull(&self, at: &Instant, mu: &[f64], scale: f64, out: &mut [f64], s: &mut Scratch) {
        self.load_twists(at.v, s);
        for entry in &self.constraints {
            let (law, places) = (entry.working(), entry.places_at(at.frames));
            let n = places.carried.len();
            let weight = gather_rows(places, mu);
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
                let moved = Carried::direction(node, c);
                let q = &mut out[place.eq..place.eq + place.dofs];
                project(&self.nodes[node].chart, &at.frames[node], &moved, &(f * scale), q);
            }
        }
    }

    /// Constraint forces f_a = −Σ λ_k ∂Φ_k/∂x_a on the carried vectors of constraint `index`.
    pub(crate) fn constraint_forces<'s>(
        &'s self,
        index: usize,
        at: &Instant,
        s: &'s mut Scratch,
    ) -> impl Iterator<Item = (&'s Place, Vec3, Vec3)> + Clone {
        let entry = &self.constraints[index];
        let places = entry.places_at(at.frames);
        let n = places.carried.len();
        self.positions(places, at.frames, s);
        let lambda = reported(places, at.a);
        s.f[..n].fill(Vec3::zeros());
        let here = entry.configuration(self.law_time(at.t), at.memory, &s.x[..n]);
        entry.working().pull(&here, &lambda[..entry.working().rows()], &mut s.f[..n], &mut s.gradients);
        places.carried.iter().zip(s.x.iter().zip(&s.f)).map(|(p, (x, f))| (p, *x, -f))
    }

    /// G of one constraint into `s.local.g`.
    pub(crate) fn local_jacobian(&self, entry: &ConstraintEntry, at: &Instant, s: &mut Scratch) {
        let (law, places) = (entry.working(), entry.places_at(at.frames));
        let n = places.carried.len();
        self.positions(places, at.frames, s);
        self.columns(places, at.frames, s);
        s.gradients.clear();
        law.gradients(&entry.configuration(self.law_time(at.t), at.memory, &s.x[..n]), &mut s.gradients);
        clear_rows(&mut s.local.g[..law.rows()], places.unknowns.len());
        add_rows(&mut s.local.g, s.gradients.entries(), places, &s.p, 1.0, |_| true);
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

/// Φ of one constraint at the time that laws see into its entries of `out`; positions must be set.
#[inline]
fn residual_of(entry: &ConstraintEntry, t: f64, at: &Instant, out: &mut [f64], s: &Scratch) {
    let (law, places) = (entry.working(), entry.places_at(at.frames));
    let here = entry.configuration(t, at.memory, &s.x[..places.carried.len()]);
    let mut phi = [0.0; MAX_ROWS];
    law.residual(&here, &mut phi[..law.rows()]);
    store_rows(places, &phi, out);
}

/// Σ λ_k G_ka into `s.f`; positions must be set.
#[inline]
pub(super) fn constraint_force(
    entry: &ConstraintEntry,
    places: &Places,
    (t, memory): (f64, &[f64]),
    a: &[f64],
    s: &mut Scratch,
) {
    let (law, n) = (entry.working(), places.carried.len());
    let lambda = gather_rows(places, a);
    s.f[..n].fill(Vec3::zeros());
    let here = entry.configuration(t, memory, &s.x[..n]);
    law.pull(&here, &lambda[..law.rows()], &mut s.f[..n], &mut s.gradients);
}
