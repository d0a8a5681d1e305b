//! Moments per length along a beam element that read the state, as the loads of `state_load.rs` do.
//!
//! ```text
//! τ_a = Σ_i μ_ai e_i (world axes)  or  Σ_i μ_ai d_i^a (section axes),     μ_a = ∫ N_a m ds
//! m = m(t, s, x, ẋ, d₁, d₂, d₃, r, ρ)
//! f_{d_k^a} = Σ_i μ_ai B_aki,     ∂f_{d_k^a}/∂x_b = Σ_i μ_ai ∂B_aki/∂x_b + Σ_i B_aki ⊗ ∂μ_ai/∂x_b
//! ```
//! B are the forces of a unit torque on a node, at an instant or over a step. What it adds to the energy is
//! supplied, what it takes dissipated, element by element.

use super::beam::VECTORS;
use super::interpolation::MAX_NODES;
use super::line_force::LineForce;
use super::line_law::{LineLaw, LineReadings, VELOCITY};
use super::load::LoadAxes;
use super::state_load::{StateLoad, StateLoadError};
use crate::coordinate::Coordinate;
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::Blocks;
use crate::force::{Extensions, Force, Motion, Power};
use crate::forces::{By, InputElement, Torque, booked};
use crate::joints::Attachment;
use crate::nodes::carried::Carried;
use crate::nodes::chart::Frame;
use crate::room::with_vectors;
use poinsot_expr::Function;
use poinsot_geometry::{Mat3, Vec3};

/// What pushes on the directors of a node: the three behind its point.
const DIRECTORS: usize = 3;

/// B_aki of each node as matrices over i.
type Directions = [[Mat3; DIRECTORS]; MAX_NODES];

/// A moment m (N) per length on an element, a law of the state.
#[derive(Clone, Debug)]
pub struct StateMoment {
    /// m by its components.
    density: StateLoad,
    /// Pushed by the law, one on each node.
    torques: Vec<Torque>,
}

impl StateMoment {
    /// A moment on the element of these nodes, see [`StateLoad::new`].
    pub fn new(
        nodes: &[Attachment],
        reference: &[Frame],
        from: f64,
        axes: LoadAxes,
        read: LineReadings,
        moment: &[Function; 3],
    ) -> Result<Self, StateLoadError> {
        let density = StateLoad::new(nodes, reference, from, LoadAxes::World, read, moment)?;
        let torque = |node: &Attachment| Torque::idle(node.node, &node.axes, axes == LoadAxes::Section);
        Ok(StateMoment { density, torques: nodes.iter().map(torque).collect() })
    }

    /// μ_a.
    fn shares(&self, at: &Motion) -> [Vec3; MAX_NODES] {
        let mut shares = [Vec3::zeros(); MAX_NODES];
        self.density.at_points(at, |values, m| {
            shares.iter_mut().zip(values).for_each(|(share, n)| *share += m * *n);
        });
        shares
    }

    /// B_aki from what a unit torque on a node does to its directors.
    fn directions(&self, push: impl Fn(usize, &[f64], &mut [Vec3])) -> Directions {
        let mut directions = [[Mat3::zeros(); DIRECTORS]; MAX_NODES];
        for (a, own) in directions[..self.torques.len()].iter_mut().enumerate() {
            for i in 0..3 {
                let (mut unit, mut f) = ([0.0; 3], [Vec3::zeros(); DIRECTORS]);
                unit[i] = 1.0;
                push(a, &unit, &mut f);
                own.iter_mut().zip(&f).for_each(|(own, f)| own.set_column(i, f));
            }
        }
        directions
    }

    /// Adds Σ_i B_aki ⊗ ∂μ_ai by positions times the first factor to `k`, by velocities times the second to
    /// `c`.
    fn follow(
        &self,
        at: &Motion,
        directions: &Directions,
        (k, by_position): (&mut Blocks, f64),
        (c, by_velocity): (&mut Blocks, f64),
    ) {
        self.density.with_slopes(at, |by_section, by_read| {
            self.follow_sections(by_section, directions, (k, by_position), (c, by_velocity));
            self.follow_readings(at, by_read, directions, (k, by_position), (c, by_velocity));
        });
    }

    /// Of these the parts by the section.
    fn follow_sections(
        &self,
        by_section: &[Vec3],
        directions: &Directions,
        (k, by_position): (&mut Blocks, f64),
        (c, by_velocity): (&mut Blocks, f64),
    ) {
        let law = &self.density;
        for (a, b) in (0..law.nodes).flat_map(|a| (0..law.nodes).map(move |b| (a, b))) {
            for (place, vector) in law.positions() {
                let by = law.section_sum(by_section, vector, a, b) * by_position;
                let rows = directions[a].iter().enumerate();
                rows.for_each(|(d, along)| k.push(director(a, d), VECTORS * b + place, along * by));
            }
            if law.sees[VELOCITY] {
                let by = law.section_sum(by_section, VELOCITY, a, b) * by_velocity;
                let rows = directions[a].iter().enumerate();
                rows.for_each(|(d, along)| c.push(director(a, d), VECTORS * b, along * by));
            }
        }
    }

    /// Of these the parts by the readings.
    fn follow_readings(
        &self,
        at: &Motion,
        by_read: &[Vec3],
        directions: &Directions,
        (k, by_position): (&mut Blocks, f64),
        (c, by_velocity): (&mut Blocks, f64),
    ) {
        let law = &self.density;
        law.law.readings.slopes(at, |j, level, columns, slopes| {
            let (out, factor) =
                if level == By::Position { (&mut *k, by_position) } else { (&mut *c, by_velocity) };
            for (&column, slope) in columns.iter().zip(slopes) {
                let (b, slope) = (law.law.readings.columns(level)[column], slope * factor);
                self.along(&by_read[j * law.nodes..][..law.nodes], directions, |a, along| {
                    out.push_outer(a, b, &along, &slope);
                });
            }
        });
    }

    /// Σ_i B_aki ∂μ_ai/∂r for the directors, each with its place among the vectors.
    fn along(&self, by: &[Vec3], directions: &Directions, mut each: impl FnMut(usize, Vec3)) {
        for (a, (by, directions)) in by.iter().zip(directions).enumerate() {
            directions.iter().enumerate().for_each(|(d, b)| each(director(a, d), b * by));
        }
    }

    /// Forces of the torques `push`ed on the nodes.
    fn push_all(&self, shares: &[Vec3], f: &mut [Vec3], push: impl Fn(usize, &[f64], &mut [Vec3])) {
        for (a, share) in shares[..self.torques.len()].iter().enumerate() {
            push(a, share.as_slice(), &mut f[director(a, 0)..director(a, DIRECTORS)]);
        }
    }
}

/// Place of director d of node a among the vectors.
fn director(a: usize, d: usize) -> usize {
    VECTORS * a + 1 + d
}

/// The directors of node a alone.
fn of_node<'a>(at: &Motion<'a>, a: usize) -> Motion<'a> {
    let own = director(a, 0)..director(a, DIRECTORS);
    Motion { x: &at.x[own.clone()], xdot: &at.xdot[own], memory: &[], reactions: &[], t: at.t }
}

/// The directors of node a alone, over a step.
fn of_node_over_step<'a>(step: &StepEnds<'a>, a: usize) -> StepEnds<'a> {
    let own = director(a, 0)..director(a, DIRECTORS);
    StepEnds {
        from: &step.from[own.clone()],
        to: &step.to[own.clone()],
        mean: &step.mean[own.clone()],
        rate: &step.rate[own],
        memory: &[],
        reactions: &[],
        ..*step
    }
}

/// Moves the blocks from the given one on to the directors of node a.
fn move_to(a: usize, from: usize, k: &mut Blocks) {
    for block in k.entries_mut(from) {
        (block.a, block.b) = (director(a, block.a), director(a, block.b));
    }
}

impl Force for StateMoment {
    fn kind(&self) -> &'static str {
        "distributed moment"
    }

    fn carried(&self) -> &[Carried] {
        self.density.carried()
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        self.push_all(&self.shares(at), f, |a, share, f| self.torques[a].push(share, &of_node(at, a), f));
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, c: &mut Blocks) {
        for (a, (torque, share)) in self.torques.iter().zip(&self.shares(at)).enumerate() {
            let from = k.entries().len();
            torque.push_tangent(share.as_slice(), &of_node(at, a), k);
            move_to(a, from, k);
        }
        let directions = self.directions(|a, unit, f| self.torques[a].push(unit, &of_node(at, a), f));
        self.follow(at, &directions, (k, 1.0), (c, 1.0));
    }

    fn discrete_force(&self, step: &StepEnds, f: &mut [Vec3]) {
        let push = |a: usize, share: &[f64], f: &mut [Vec3]| {
            self.torques[a].push_over_step(share, &of_node_over_step(step, a), f);
        };
        self.push_all(&self.shares(&step.motion()), f, push);
    }

    fn discrete_tangent(&self, step: &StepEnds, k: &mut Blocks, c: &mut Blocks) {
        for (a, (torque, share)) in self.torques.iter().zip(&self.shares(&step.motion())).enumerate() {
            let from = k.entries().len();
            torque.push_tangent_over_step(share.as_slice(), &of_node_over_step(step, a), k);
            move_to(a, from, k);
        }
        let push = |a: usize, unit: &[f64], f: &mut [Vec3]| {
            self.torques[a].push_over_step(unit, &of_node_over_step(step, a), f);
        };
        c.clear();
        self.follow(&step.motion(), &self.directions(push), (k, 0.5), (c, 1.0 / step.h));
        c.entries().iter().for_each(|block| k.push(block.a, block.b, block.value));
    }

    fn sees_velocity(&self) -> bool {
        self.density.sees_velocity()
    }

    fn is_active(&self) -> bool {
        self.density.is_active()
    }

    fn power(&self, at: &Motion) -> Power {
        with_vectors(self.carried().len(), |f| {
            self.force(at, f);
            booked(f.iter().zip(at.xdot).map(|(f, v)| f.dot(v)).sum())
        })
    }

    fn memories(&self) -> usize {
        self.density.memories()
    }

    fn start_memory(&self, near: &dyn Fn(&Coordinate) -> f64, memory: &mut [f64]) {
        self.density.start_memory(near, memory);
    }

    fn remember(&self, at: &Motion, memory: &mut [f64]) {
        self.density.remember(at, memory);
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            piecewise: Some(self),
            pressed: self.density.law.is_pressed().then_some(self),
            ..Extensions::default()
        }
    }
}

impl LineForce for StateMoment {
    fn law(&self) -> &LineLaw {
        self.density.law()
    }

    fn points(&self) -> usize {
        self.density.points()
    }

    fn fill_point(&self, place: usize, at: &Motion, arguments: &mut [f64]) {
        self.density.fill_point(place, at, arguments);
    }

    fn add_by_reaction(&self, j: usize, at: &Motion, f: &mut [Vec3]) {
        let directions = self.directions(|a, unit, f| self.torques[a].push(unit, &of_node(at, a), f));
        self.add_along(j, at, &directions, f);
    }

    fn add_by_reaction_over_step(&self, j: usize, step: &StepEnds, f: &mut [Vec3]) {
        let push = |a: usize, unit: &[f64], f: &mut [Vec3]| {
            self.torques[a].push_over_step(unit, &of_node_over_step(step, a), f);
        };
        self.add_along(j, &step.motion(), &self.directions(push), f);
    }
}

impl StateMoment {
    /// Adds ∂f_a/∂ρ_j.
    fn add_along(&self, j: usize, at: &Motion, directions: &Directions, f: &mut [Vec3]) {
        self.density.with_slopes(at, |_, by_read| {
            let by = self.density.of_reaction(j, by_read);
            self.along(by, directions, |a, along| f[a] += along);
        });
    }
}
