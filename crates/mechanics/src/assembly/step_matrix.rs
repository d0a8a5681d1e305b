//! The step matrix of a [`Linearization`].

use super::constraints::constraint_force;
use super::linearization::{Level, Linearization, StepPolynomial, Term, Terms};
use super::scatter::{add_blocks, add_rows, scatter_rows};
use super::scratch::{MAX_LOCAL, Scratch};
use crate::assembly::{add_columns, clear_rows, gather_rows};
use crate::element_buffers::MAX_CARRIED;
use crate::element_groups::{GroupScratch, Share};
use crate::force::Motion;
use crate::mass::body::basis;
use crate::nodes::chart::Chart;
use crate::pressing::PressedColumns;
use crate::system::state::Instant;
use crate::system::{ConstraintEntry, ForceEntry, System};
use poinsot_geometry::{Mat3, Mat6, Vec3};

impl System {
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

    /// [`System::step_polynomial`] of inertia and constraints alone, without applied forces, frictions and
    /// loads of networks: nodes have ∂(M a + Gᵀλ)/∂q as A₂, with the inertia forces of the velocities, rows
    /// their rates by velocities, variables and positions as A₀ and A₁.
    pub fn inertia_polynomial(
        &self,
        at: Instant,
        identity: &[Mat3],
        polynomial: &mut StepPolynomial,
        s: &mut Scratch,
    ) {
        polynomial.powers.iter_mut().for_each(|p| p.fill(0.0));
        let at = Linearization {
            damping: 1.0,
            stiffness: 1.0,
            gamma: 1.0,
            networks: true,
            ..Linearization::of_constraints(at, identity)
        };
        let terms = &mut Terms::Powers(polynomial);
        self.load_twists(at.stage.v, s);
        self.add_bodies(&at, terms, s);
        self.add_coupled_inertia_tangent(&at, terms, s);
        self.add_flexible_tangent(&at, terms, s);
        self.add_groups(&at, Share { forces: false, constraints: true }, terms, s);
        for entry in self.constraints.iter().filter(|entry| !entry.taken) {
            self.add_constraint(entry, &at, terms, s);
        }
        self.add_algebraic_tangent(&at, terms, s);
        for &slot in &self.unit_slots {
            polynomial.powers[0][slot] = 1.0;
        }
    }

    fn add_terms(&self, at: &Linearization, loaded: bool, terms: &mut Terms, s: &mut Scratch) {
        self.load_twists(at.stage.v, s);
        self.add_bodies(at, terms, s);
        self.add_coupled_inertia_tangent(at, terms, s);
        self.add_flexible_tangent(at, terms, s);
        self.add_groups(at, Share { forces: loaded, constraints: true }, terms, s);
        if loaded {
            for entry in self.forces.iter().filter(|entry| !entry.taken) {
                self.add_force(entry, at, terms, s);
            }
        }
        self.add_friction_tangent(at, terms, s);
        for entry in self.forces.iter().filter(|entry| at.pressed && !entry.pressing.is_empty()) {
            self.add_pressing(entry, at, terms, s);
        }
        if at.networks {
            for entry in self.forces.iter().filter(|entry| loaded && !entry.variables.is_empty()) {
                self.add_by_variables(entry, at, terms, s);
            }
            self.add_network_tangent(at, terms, s);
        } else {
            self.hold_networks(terms);
        }
        self.load_twists(at.end.v, s);
        for entry in self.constraints.iter().filter(|entry| !entry.taken) {
            self.add_constraint(entry, at, terms, s);
        }
        if at.networks {
            self.add_algebraic_tangent(at, terms, s);
        }
    }

    /// The inertia's share of the step matrix.
    pub(crate) fn add_inertia(&self, at: &Linearization, values: &mut [f64], s: &mut Scratch) {
        self.load_twists(at.stage.v, s);
        let mut terms = Terms::sum(at, values);
        self.add_bodies(at, &mut terms, s);
        self.add_coupled_inertia_tangent(at, &mut terms, s);
        self.add_flexible_tangent(at, &mut terms, s);
        self.add_groups(at, Share { forces: false, constraints: false }, &mut terms, s);
    }

    fn add_groups(&self, at: &Linearization, share: Share, terms: &mut Terms, s: &mut Scratch) {
        s.groups.resize_with(self.groups.len(), GroupScratch::default);
        for (group, own) in self.groups.iter().zip(&mut s.groups) {
            group.add_tangent(self, at, share, terms, own);
        }
    }

    fn add_bodies(&self, at: &Linearization, terms: &mut Terms, s: &Scratch) {
        for entry in self.bodies.iter().filter(|entry| !entry.taken) {
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
        let (law, places) = (entry.working(), entry.places_at(at.stage.frames));
        let n = places.carried.len();
        let unknowns = places.unknowns.len();
        entry.add_commands(at, terms);
        self.positions(places, at.stage.frames, s);
        self.columns(places, at.stage.frames, s);
        let instant = (self.law_time(at.stage.t), at.stage.memory);
        constraint_force(entry, places, instant, at.stage.a, s);
        let here = entry.configuration(self.law_time(at.stage.t), at.stage.memory, &s.x[..n]);
        s.gradients.clear();
        law.gradients(&here, &mut s.gradients);
        clear_rows(&mut s.local.g[..law.rows()], unknowns);
        add_rows(&mut s.local.g, s.gradients.entries(), places, &s.p, 1.0, |_| true);
        scatter_rows(&s.local.g, &places.upper, places, terms.target(Term::Constant).0);
        if at.stiffness != 0.0 {
            s.k.clear();
            let lambda = gather_rows(places, at.stage.a);
            law.hessian(&here, &lambda[..law.rows()], &mut s.k);
            clear_rows(&mut s.local.k[..unknowns], unknowns);
            add_blocks(&mut s.local.k, s.k.entries(), places, &s.p, &s.p);
            self.add_geometric(places, at.stage.frames, s);
            self.turn_columns(&mut s.local.k[..unknowns], places, at.stage_tangent);
            terms.add_block(Term::Stiffness, 1.0, &s.local.k, &places.block, unknowns);
        }
        if let Terms::Sum { values, .. } = terms {
            self.lower_rows(entry, at, s);
            let places = entry.places_at(at.end.frames);
            scatter_rows(&s.local.g, &places.lower, places, values);
            return;
        }
        // L = G + γ ∂(rate)/∂q: without the second part, then the second part alone.
        let places = entry.places_at(at.end.frames);
        self.lower_rows(entry, &Linearization { gamma: 0.0, ..*at }, s);
        scatter_rows(&s.local.g, &places.lower, places, terms.target(Term::Constant).0);
        if at.level == Level::Velocity || (0..law.rows()).any(|row| law.is_velocity_row(row)) {
            self.rate_rows(entry, at, s);
            self.turn_columns(&mut s.local.g[..law.rows()], places, at.end_tangent);
            scatter_rows(&s.local.g, &places.lower, places, terms.target(Term::Gamma).0);
        }
    }

    /// ∂(rate)/∂q of one constraint into `s.local.g`, zero for rows that are imposed on positions.
    fn rate_rows(&self, entry: &ConstraintEntry, at: &Linearization, s: &mut Scratch) {
        let (law, places) = (entry.working(), entry.places_at(at.end.frames));
        let n = places.carried.len();
        clear_rows(&mut s.local.g[..law.rows()], places.unknowns.len());
        self.velocities(places, at.end.frames, s);
        self.column_rates(places, at.end.frames, s);
        let here = entry.configuration(self.law_time(at.end.t), at.end.memory, &s.x[..n]);
        s.rate_gradients.clear();
        law.rate_gradients(&here, &s.xdot[..n], &mut s.rate_gradients);
        let by_velocity = |row: usize| at.level == Level::Velocity || law.is_velocity_row(row);
        add_rows(&mut s.local.g, s.rate_gradients.entries(), places, &s.p, 1.0, by_velocity);
        add_rows(&mut s.local.g, s.gradients.entries(), places, &s.p_rate, 1.0, by_velocity);
    }

    /// The rows L, with ∂(rate)/∂q = ∂(rate)/∂x P + G ∂ẋ/∂q.
    fn lower_rows(&self, entry: &ConstraintEntry, at: &Linearization, s: &mut Scratch) {
        let (law, places) = (entry.working(), entry.places_at(at.end.frames));
        let (n, count, unknowns) = (places.carried.len(), law.rows(), places.unknowns.len());
        self.positions(places, at.end.frames, s);
        self.columns(places, at.end.frames, s);
        let here = entry.configuration(self.law_time(at.end.t), at.end.memory, &s.x[..n]);
        s.gradients.clear();
        law.gradients(&here, &mut s.gradients);
        clear_rows(&mut s.local.g[..count], unknowns);
        let by_velocity = |row: usize| at.level == Level::Velocity || law.is_velocity_row(row);
        if at.gamma != 0.0 && (0..count).any(by_velocity) {
            let g = at.gamma;
            self.velocities(places, at.end.frames, s);
            self.column_rates(places, at.end.frames, s);
            let here = entry.configuration(self.law_time(at.end.t), at.end.memory, &s.x[..n]);
            s.rate_gradients.clear();
            law.rate_gradients(&here, &s.xdot[..n], &mut s.rate_gradients);
            add_rows(&mut s.local.g, s.rate_gradients.entries(), places, &s.p, g, by_velocity);
            add_rows(&mut s.local.g, s.gradients.entries(), places, &s.p_rate, g, by_velocity);
        }
        add_rows(&mut s.local.g, s.gradients.entries(), places, &s.p, 1.0, |row| !by_velocity(row));
        self.turn_columns(&mut s.local.g[..count], places, at.end_tangent);
        add_rows(&mut s.local.g, s.gradients.entries(), places, &s.p, 1.0, by_velocity);
    }

    fn add_force(&self, entry: &ForceEntry, at: &Linearization, terms: &mut Terms, s: &mut Scratch) {
        let (law, places) = (&*entry.law, &entry.places);
        let (n, unknowns) = (places.carried.len(), places.unknowns.len());
        let frames = at.stage.frames;
        self.positions(places, frames, s);
        self.columns(places, frames, s);
        if entry.sees_velocity {
            self.velocities(places, frames, s);
            self.column_rates(places, frames, s);
            clear_rows(&mut s.local.c[..unknowns], unknowns);
        }
        let reactions = self.applied_force(entry, &at.stage, s);
        clear_rows(&mut s.local.k[..unknowns], unknowns);
        let t = self.law_time(at.stage.t);
        let motion = Motion {
            reactions: &reactions[..entry.read()],
            ..entry.motion(t, at.stage.memory, &s.x[..n], &s.xdot[..n])
        };
        if let Some(law) = law.extensions().strains {
            for k in 0..law.strain_points() {
                law.strain_point(k, &motion, &mut s.strain);
                s.strain_rows.add(&s.strain, places, [&s.p, &s.p_rate], [&mut s.local.k, &mut s.local.c]);
            }
        } else {
            s.k.clear();
            s.c.clear();
            law.tangent(&motion, &mut s.k, &mut s.c);
            add_blocks(&mut s.local.k, s.k.entries(), places, &s.p, &s.p);
            add_blocks(&mut s.local.k, s.c.entries(), places, &s.p, &s.p_rate);
            add_blocks(&mut s.local.c, s.c.entries(), places, &s.p, &s.p);
        }
        for j in 0..entry.pressing.len() {
            let columns = self.pressed_by(entry, j, &reactions, &at.stage, s);
            columns.add_stiffness(unknowns, 1.0, &mut s.local.k);
        }
        self.add_geometric(places, frames, s);
        self.turn_columns(&mut s.local.k[..unknowns], places, at.stage_tangent);
        terms.add_block(Term::Stiffness, -1.0, &s.local.k, &places.block, unknowns);
        if entry.sees_velocity {
            terms.add_block(Term::Damping, -1.0, &s.local.c, &places.block, unknowns);
        }
    }

    /// Adds ∂R/∂λ of a force that reads reactions.
    fn add_pressing(&self, entry: &ForceEntry, at: &Linearization, terms: &mut Terms, s: &mut Scratch) {
        let (places, frames) = (&entry.places, at.stage.frames);
        self.positions(places, frames, s);
        self.velocities(places, frames, s);
        self.columns(places, frames, s);
        let reactions = self.applied_force(entry, &at.stage, s);
        for (j, rows) in entry.pressing.iter().enumerate() {
            let columns = self.pressed_by(entry, j, &reactions, &at.stage, s);
            let force = &columns.force[..places.unknowns.len()];
            rows.add_columns(&columns.by_lambda, force, -1.0, terms.target(Term::Constant).0);
        }
    }

    /// Adds ∂R/∂y of a force that reads variables, which stand where velocities stand.
    fn add_by_variables(&self, entry: &ForceEntry, at: &Linearization, terms: &mut Terms, s: &mut Scratch) {
        let (places, frames) = (&entry.places, at.stage.frames);
        let n = places.carried.len();
        self.positions(places, frames, s);
        self.velocities(places, frames, s);
        self.columns(places, frames, s);
        let reactions = self.applied_force(entry, &at.stage, s);
        for (j, variable) in entry.variables.iter().enumerate() {
            let by = self.by_read(entry, entry.pressing.len() + j, &reactions, &at.stage, s);
            let mut along = [0.0; MAX_LOCAL];
            add_columns(&mut along, places, &by[..n], &s.p);
            let (values, coefficient) = terms.target(Term::Damping);
            variable.add(&along[..places.unknowns.len()], coefficient, values);
        }
    }

    /// ∂f_a/∂ρ_j of a reaction or variable that a force reads; positions and velocities must be set.
    fn by_read(
        &self,
        entry: &ForceEntry,
        j: usize,
        reactions: &[f64],
        at: &Instant,
        s: &Scratch,
    ) -> [Vec3; MAX_CARRIED] {
        let (n, t) = (entry.places.carried.len(), self.law_time(at.t));
        let motion = Motion {
            reactions: &reactions[..entry.read()],
            ..entry.motion(t, at.memory, &s.x[..n], &s.xdot[..n])
        };
        let mut by = [Vec3::zeros(); MAX_CARRIED];
        let pressed = entry.law.extensions().pressed;
        pressed.iter().for_each(|element| element.by_reaction(j, &motion, &mut by[..n]));
        by
    }

    /// How a force changes with reaction j; positions, velocities and columns must be set.
    fn pressed_by(
        &self,
        entry: &ForceEntry,
        j: usize,
        reactions: &[f64],
        at: &Instant,
        s: &mut Scratch,
    ) -> PressedColumns<MAX_LOCAL> {
        let (law, n, t) = (&*entry.law, entry.places.carried.len(), self.law_time(at.t));
        let by = self.by_read(entry, j, reactions, at, s);
        let from = entry.pressing(t, at, &s.x[..n]);
        let buffers = (&mut s.gradients, &mut s.k);
        self.pressed_columns((law, j), &from, &by[..n], &entry.places, [&s.p, &s.p], buffers)
    }
}

/// Adds a matrix in twists to the slots of a body.
#[inline]
fn scatter_inertia(chart: &Chart, slots: &[u32], m: &Mat6, values: &mut [f64]) {
    let dofs = chart.dofs();
    match chart {
        Chart::Planar { .. } | Chart::PlanarPoint { .. } | Chart::PlanarSlope { .. } => {
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
