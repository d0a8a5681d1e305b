//! The residual R = M a + Gᵀλ − Q.

use super::natural_force::{NaturalForce, add_loads};
use super::scratch::Scratch;
use crate::assembly::{RowLevels, gather_rows};
use crate::constraint::Levels;
use crate::element_buffers::MAX_ROWS;
use crate::element_groups::GroupScratch;
use crate::force::Motion;
use crate::nodes::chart::Chart;
use crate::reaction_reading::MAX_REACTIONS;
use crate::system::state::Instant;
use crate::system::{ForceEntry, System};
use poinsot_geometry::{Vec3, Vec6};

impl System {
    /// R = M a + Gᵀλ − Q and the equations of networks with rates into their entries of `out`; those of
    /// constraints and algebraic equations are set to zero.
    pub fn residual(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        self.residual_and(at, out, RowLevels::None, s);
    }

    /// [`System::residual`] with the rates of the constraints and the algebraic equations in their entries,
    /// and Φ in those of `phi`, if asked for: what a stage of an implicit method needs, in one pass.
    pub fn residual_with_levels(
        &self,
        at: &Instant,
        out: &mut [f64],
        phi: Option<&mut [f64]>,
        s: &mut Scratch,
    ) {
        self.residual_and(at, out, RowLevels::Rates(phi), s);
        self.algebraic_residual(at, out, s);
    }

    /// [`System::residual`] with Φ in the entries of the constraints, in one pass.
    pub fn residual_with_positions(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        self.residual_and(at, out, RowLevels::Positions, s);
    }

    /// The residual, and for each constraint Φ and the rates as far as they are wanted.
    #[inline]
    fn residual_and(&self, at: &Instant, out: &mut [f64], mut levels: RowLevels, s: &mut Scratch) {
        let (position, velocity) = (levels.positions(), levels.rates());
        out.fill(0.0);
        s.loads.resize(self.nodes.len(), NaturalForce::ZERO);
        self.loaded.iter().for_each(|&k| s.loads[k] = NaturalForce::ZERO);
        self.load_twists(at.v, s);
        self.add_inertia_forces(at, out, s);
        s.groups.resize_with(self.groups.len(), GroupScratch::default);
        for (group, own) in self.groups.iter().zip(&mut s.groups) {
            group.add_residual(self, at, &mut levels, out, own);
        }
        for entry in self.constraints.iter().filter(|entry| !entry.taken) {
            let (law, places) = (entry.working(), entry.places_at(at.frames));
            let (n, rows) = (places.carried.len(), law.rows());
            let lambda = gather_rows(places, at.a);
            let (mut phi, mut rate) = ([0.0; MAX_ROWS], [0.0; MAX_ROWS]);
            self.positions(places, at.frames, s);
            if velocity {
                self.velocities(places, at.frames, s);
            }
            let here = entry.configuration(self.law_time(at.t), at.memory, &s.x[..n]);
            let wanted = Levels {
                position: position.then_some(&mut phi[..rows]),
                velocity: velocity.then_some((&s.xdot[..n], &mut rate[..rows])),
            };
            s.f[..n].fill(Vec3::zeros());
            law.evaluate(&here, &lambda[..rows], &mut s.f[..n], wanted, &mut s.gradients);
            add_loads(places, &s.f, 1.0, &mut s.loads);
            entry.follow(at.v, &mut rate);
            levels.store(places, &phi, &rate, out);
        }
        self.add_applied_forces(at, out, s);
        for &k in &self.loaded {
            let node = &self.nodes[k];
            s.loads[k].project(&node.chart, &at.frames[k], &mut out[node.unknowns()]);
        }
    }

    /// M a − bias − weight of all that has mass; twists must be loaded.
    fn add_inertia_forces(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        for entry in self.bodies.iter().filter(|entry| !entry.taken) {
            let node = &self.nodes[entry.body.node];
            let (v, a) = (&s.twists[entry.body.node], self.twist(entry.body.node, at.a));
            let f = entry.body.force(&at.frames[entry.body.node], v, &a, &self.gravity);
            add_wrench(&node.chart, &f, &mut out[node.eq..]);
        }
        self.add_coupled_inertia(at, s);
        self.add_flexible_inertia(at, out, s);
    }

    /// Applied forces, frictions and networks; twists must be loaded.
    fn add_applied_forces(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        for entry in self.forces.iter().filter(|entry| !entry.taken) {
            let places = &entry.places;
            self.positions(places, at.frames, s);
            if entry.sees_velocity {
                self.velocities(places, at.frames, s);
            }
            self.applied_force(entry, at, s);
            add_loads(places, &s.f, -1.0, &mut s.loads);
        }
        self.add_friction_forces(at, out, s);
        self.add_network_residual(at, out, s);
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
        Chart::PlanarPoint { e1, e2 } | Chart::PlanarSlope { e1, e2 } => {
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

impl System {
    /// f_a into `s.f`, and the reactions that the force reads; positions and velocities must be set.
    #[inline]
    pub(super) fn applied_force(
        &self,
        entry: &ForceEntry,
        at: &Instant,
        s: &mut Scratch,
    ) -> [f64; MAX_REACTIONS] {
        let n = entry.places.carried.len();
        let t = self.law_time(at.t);
        let reactions = self.reactions_read(&*entry.law, &entry.pressing(t, at, &s.x[..n]), &mut s.gradients);
        s.f[..n].fill(Vec3::zeros());
        let motion = Motion {
            reactions: &reactions[..entry.read()],
            ..entry.motion(t, at.memory, &s.x[..n], &s.xdot[..n])
        };
        entry.law.force(&motion, &mut s.f[..n]);
        reactions
    }
}
