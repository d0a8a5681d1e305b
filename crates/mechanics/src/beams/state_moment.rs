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
use super::load::LoadAxes;
use super::state_load::{
    FIRST_VECTOR, MAX_ARGUMENTS, MAX_POINTS, SECTION_ARGUMENTS, SECTION_VECTORS, StateLoad, StateLoadError,
};
use crate::coordinate::Coordinate;
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::{Blocks, MAX_CARRIED};
use crate::force::{Extensions, Force, Motion, Power};
use crate::forces::{InputElement, MAX_READINGS, PiecewiseElement, PressedElement, Torque, booked};
use crate::joints::Attachment;
use crate::nodes::carried::Carried;
use crate::nodes::chart::Frame;
use crate::reaction_reading::{MAX_REACTIONS, ReactionReading};
use crate::reading::Reading;
use crate::variable_reading::VariableReading;
use poinsot_expr::{Function, Switch};
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

/// ∂m by the section at each point, and ∂μ_a by readings, reactions and variables.
struct Slopes {
    by_section: [[Mat3; SECTION_VECTORS]; MAX_POINTS],
    by_reading: [[Vec3; MAX_NODES]; MAX_READINGS + MAX_REACTIONS],
}

impl StateMoment {
    /// A moment on the element of these nodes, see [`StateLoad::new`].
    pub fn new(
        nodes: &[Attachment],
        reference: &[Frame],
        from: f64,
        axes: LoadAxes,
        read: (Vec<Reading>, Vec<ReactionReading>, Vec<VariableReading>),
        moment: &[Function; 3],
    ) -> Result<Self, StateLoadError> {
        let density = StateLoad::new(nodes, reference, from, LoadAxes::World, read, moment)?;
        let torque = |node: &Attachment| Torque::idle(node.node, &node.axes, axes == LoadAxes::Section);
        Ok(StateMoment { density, torques: nodes.iter().map(torque).collect() })
    }

    /// μ_a.
    fn shares(&self, at: &Motion) -> [Vec3; MAX_NODES] {
        let law = &self.density;
        let (mut arguments, mut shares) = (law.arguments(at), [Vec3::zeros(); MAX_NODES]);
        for (p, s) in &law.points {
            law.fill(p, *s, at, &mut arguments);
            let mut m = [0.0; 3];
            law.code.eval(&arguments, &mut m);
            let m = Vec3::from(m) * p.weight;
            shares.iter_mut().zip(&p.value[..law.nodes]).for_each(|(share, n)| *share += m * *n);
        }
        shares
    }
}

impl StateMoment {
    fn slopes(&self, at: &Motion) -> Slopes {
        let law = &self.density;
        let (mut arguments, mut partials) = (law.arguments(at), [0.0; 3 * MAX_ARGUMENTS]);
        let mut slopes = Slopes {
            by_section: [[Mat3::zeros(); SECTION_VECTORS]; MAX_POINTS],
            by_reading: [[Vec3::zeros(); MAX_NODES]; MAX_READINGS + MAX_REACTIONS],
        };
        for ((p, s), by_section) in law.points.iter().zip(&mut slopes.by_section) {
            law.fill(p, *s, at, &mut arguments);
            let mut m = [0.0; 3];
            law.code.eval_derivatives(&arguments, &mut m, &mut partials);
            for (&(i, argument), partial) in law.code.entries().iter().zip(&partials) {
                if let Some(j) = argument.checked_sub(SECTION_ARGUMENTS) {
                    let nodes = slopes.by_reading[j].iter_mut().zip(&p.value[..law.nodes]);
                    nodes.for_each(|(to, n)| to[i] += partial * p.weight * n);
                } else {
                    let place = argument - FIRST_VECTOR;
                    by_section[place / 3][(i, place % 3)] += partial;
                }
            }
        }
        slopes
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
        let (law, slopes) = (&self.density, self.slopes(at));
        let velocity = law.sees_velocity();
        for (a, b) in (0..law.nodes).flat_map(|a| (0..law.nodes).map(move |b| (a, b))) {
            let sum = |vector: usize| -> Mat3 {
                let points = law.points.iter().zip(&slopes.by_section);
                points.map(|((p, _), by)| by[vector] * (p.weight * p.value[a] * p.value[b])).sum()
            };
            for (place, vector) in [0, 2, 3, 4].into_iter().enumerate() {
                let by = sum(vector) * by_position;
                let rows = directions[a].iter().enumerate();
                rows.for_each(|(d, along)| k.push(director(a, d), VECTORS * b + place, along * by));
            }
            if velocity {
                let by = sum(1) * by_velocity;
                let rows = directions[a].iter().enumerate();
                rows.for_each(|(d, along)| c.push(director(a, d), VECTORS * b, along * by));
            }
        }
        let along = |j: usize| self.along(&slopes.by_reading[j], directions);
        law.readings.push_slopes(at, along, (k, by_position), (c, by_velocity));
    }

    /// Σ_i B_aki ∂μ_ai/∂r for all vectors.
    fn along(&self, by: &[Vec3; MAX_NODES], directions: &Directions) -> [Vec3; MAX_CARRIED] {
        let mut along = [Vec3::zeros(); MAX_CARRIED];
        for (a, by) in by[..self.torques.len()].iter().enumerate() {
            directions[a].iter().enumerate().for_each(|(d, b)| along[director(a, d)] = b * by);
        }
        along
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
        let mut f = [Vec3::zeros(); MAX_CARRIED];
        self.force(at, &mut f[..self.carried().len()]);
        booked(f.iter().zip(at.xdot).map(|(f, v)| f.dot(v)).sum())
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
            pressed: self.density.is_pressed().then_some(self),
            ..Extensions::default()
        }
    }
}

impl PressedElement for StateMoment {
    fn reactions(&self) -> &[ReactionReading] {
        self.density.reactions()
    }

    fn variables(&self) -> &[VariableReading] {
        self.density.variables()
    }

    fn by_reaction(&self, j: usize, at: &Motion, f: &mut [Vec3]) {
        let directions = self.directions(|a, unit, f| self.torques[a].push(unit, &of_node(at, a), f));
        self.add_along(j, at, &directions, f);
    }

    fn by_reaction_over_step(&self, j: usize, step: &StepEnds, f: &mut [Vec3]) {
        let push = |a: usize, unit: &[f64], f: &mut [Vec3]| {
            self.torques[a].push_over_step(unit, &of_node_over_step(step, a), f);
        };
        self.add_along(j, &step.motion(), &self.directions(push), f);
    }
}

impl StateMoment {
    /// Adds ∂f_a/∂ρ_j, where the law has a derivative.
    fn add_along(&self, j: usize, at: &Motion, directions: &Directions, f: &mut [Vec3]) {
        let by = self.slopes(at).by_reading[self.density.readings.len() + j];
        let by = by.map(|by| by.map(|by| if by.is_finite() { by } else { 0.0 }));
        let along = self.along(&by, directions);
        f.iter_mut().zip(&along).for_each(|(f, along)| *f += along);
    }
}

impl PiecewiseElement for StateMoment {
    fn switches(&self) -> Vec<Switch> {
        self.density.switches()
    }

    fn switch_arguments(&self, at: &Motion, arguments: &mut Vec<f64>) {
        self.density.switch_arguments(at, arguments);
    }

    fn reads_reactions(&self, switch: &Switch) -> bool {
        self.density.reads_reactions(switch)
    }

    fn places(&self) -> usize {
        self.density.places()
    }

    fn is_local(&self, switch: &Switch) -> bool {
        self.density.is_local(switch)
    }

    fn switch_arguments_at(&self, place: usize, at: &Motion, arguments: &mut Vec<f64>) {
        self.density.switch_arguments_at(place, at, arguments);
    }
}
