//! Loads per length along a beam element that read the state: the place and motion of the section that they
//! act on, and anything else of the system.
//!
//! ```text
//! f_{r_a} = ∫ N_a q ds,     q = Σ_i q_i e_i (world axes)  or  Σ_i q_i d_i(s) (section axes)
//! q_i = q_i(t, s, x, ẋ, d₁, d₂, d₃, r, ρ),     x = Σ_a N_a r_a,   d_k = Σ_a N_a d_k^a
//! ```
//! What it adds to the energy is supplied, what it takes dissipated, element by element.

use super::beam::{BeamError, VECTORS};
use super::load::{LoadAxes, located_points};
use super::point::Point;
use crate::coordinate::Coordinate;
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::{Blocks, MAX_CARRIED};
use crate::force::{Extensions, Force, Motion, Power};
use crate::forces::{
    MAX_READINGS, PiecewiseElement, PressedElement, Readings, StateLawError, booked, merged_switches,
    place_of,
};
use crate::joints::Attachment;
use crate::nodes::carried::Carried;
use crate::nodes::chart::Frame;
use crate::reaction_reading::{MAX_REACTIONS, ReactionReading};
use crate::reading::Reading;
use crate::variable_reading::VariableReading;
use poinsot_expr::{Block, Engine, Function, Switch};
use poinsot_geometry::{Mat3, Vec3};

/// Arguments before the readings: t, s, and five vectors of the section.
pub const SECTION_ARGUMENTS: usize = 17;
/// The arc length among the arguments.
const ARC_LENGTH: usize = 1;
/// The section's vectors among the arguments: x, ẋ, d₁, d₂, d₃.
pub(super) const FIRST_VECTOR: usize = 2;
pub(super) const SECTION_VECTORS: usize = 5;
/// Most Gauss points of an element.
pub(super) const MAX_POINTS: usize = super::interpolation::MAX_NODES + 2;
pub(super) const MAX_ARGUMENTS: usize = SECTION_ARGUMENTS + MAX_READINGS + MAX_REACTIONS;

/// A load q (N/m) on an element, a law of the state.
#[derive(Clone, Debug)]
pub struct StateLoad {
    carried: Vec<Carried>,
    pub(super) nodes: usize,
    pub(super) points: Vec<(Point, f64)>,
    axes: LoadAxes,
    pub(super) readings: Readings,
    reactions: Vec<ReactionReading>,
    variables: Vec<VariableReading>,
    pub(super) code: Block,
    switches: Vec<Switch>,
}

/// Why there is no such load.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum StateLoadError {
    /// Of the element.
    #[error(transparent)]
    Beam(#[from] BeamError),
    /// Of the law.
    #[error(transparent)]
    Law(#[from] StateLawError),
}

impl StateLoad {
    /// A load on the element of these nodes, see [`DistributedLoad::new`](super::DistributedLoad::new). The
    /// functions have the arguments t, s, position, velocity, d₁, d₂, d₃ (three components each), the
    /// readings, the reactions and the variables.
    pub fn new(
        nodes: &[Attachment],
        reference: &[Frame],
        from: f64,
        axes: LoadAxes,
        (readings, mut reactions, variables): (Vec<Reading>, Vec<ReactionReading>, Vec<VariableReading>),
        load: &[Function; 3],
    ) -> Result<Self, StateLoadError> {
        let pressing = reactions.len() + variables.len();
        if pressing > MAX_REACTIONS {
            return Err(StateLawError::Reactions(pressing).into());
        }
        let points = located_points(nodes, reference, from)?;
        let vectors = |node: &Attachment| [node.point(), node.axis(0), node.axis(1), node.axis(2)];
        let mut carried: Vec<Carried> = nodes.iter().flat_map(vectors).collect();
        let readings = Readings::new(&mut carried, readings)?;
        reactions.iter_mut().for_each(|reading| reading.put(&mut |c| place_of(c, &mut carried)));
        if carried.len() > MAX_CARRIED {
            return Err(StateLawError::Vectors(carried.len()).into());
        }
        let functions = load.each_ref();
        let known = SECTION_ARGUMENTS + readings.len();
        let code = Block::of(&functions, known + pressing, &|i| i >= FIRST_VECTOR, Engine::default());
        let mut switches = merged_switches(load);
        // The arc length of a point stays what it is.
        switches.retain(|switch| (0..known + pressing).any(|i| i != ARC_LENGTH && switch.depends_on(i)));
        let nodes = nodes.len();
        Ok(StateLoad { carried, nodes, points, axes, readings, reactions, variables, code, switches })
    }

    /// Arguments of the law at a point; those of the readings must be there.
    pub(super) fn fill(
        &self,
        p: &Point,
        s: f64,
        at: &Motion,
        arguments: &mut [f64; MAX_ARGUMENTS],
    ) -> [Vec3; 5] {
        let mut section = [Vec3::zeros(); SECTION_VECTORS];
        for (a, weight) in p.value[..self.nodes].iter().enumerate() {
            let x = &at.x[VECTORS * a..];
            section[0] += x[0] * *weight;
            section[1] += at.xdot[VECTORS * a] * *weight;
            (0..3).for_each(|k| section[2 + k] += x[1 + k] * *weight);
        }
        arguments[0] = at.t;
        arguments[ARC_LENGTH] = s;
        for (place, vector) in arguments[FIRST_VECTOR..].chunks_exact_mut(3).zip(&section) {
            place.copy_from_slice(vector.as_slice());
        }
        section
    }

    pub(super) fn arguments(&self, at: &Motion) -> [f64; MAX_ARGUMENTS] {
        let mut arguments = [0.0; MAX_ARGUMENTS];
        self.readings.values(at, &mut arguments[SECTION_ARGUMENTS..]);
        let first = SECTION_ARGUMENTS + self.readings.len();
        arguments[first..first + at.reactions.len()].copy_from_slice(at.reactions);
        arguments
    }

    /// q in world axes from its components.
    fn in_world(&self, q: &[f64; 3], section: &[Vec3; SECTION_VECTORS]) -> Vec3 {
        match self.axes {
            LoadAxes::World => Vec3::from(*q),
            LoadAxes::Section => section[2] * q[0] + section[3] * q[1] + section[4] * q[2],
        }
    }

    /// The axes of the components.
    fn component_axes(&self, section: &[Vec3; SECTION_VECTORS]) -> Mat3 {
        match self.axes {
            LoadAxes::World => Mat3::identity(),
            LoadAxes::Section => Mat3::from_columns(&[section[2], section[3], section[4]]),
        }
    }
}

impl Force for StateLoad {
    fn kind(&self) -> &'static str {
        "distributed load"
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        let mut arguments = self.arguments(at);
        for (p, s) in &self.points {
            let section = self.fill(p, *s, at, &mut arguments);
            let mut q = [0.0; 3];
            self.code.eval(&arguments, &mut q);
            let q = self.in_world(&q, &section) * p.weight;
            f.iter_mut().step_by(VECTORS).zip(&p.value[..self.nodes]).for_each(|(f, n)| *f += q * *n);
        }
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, c: &mut Blocks) {
        let mut arguments = self.arguments(at);
        let mut partials = [0.0; 3 * MAX_ARGUMENTS];
        let mut by_section = [[Mat3::zeros(); SECTION_VECTORS]; MAX_POINTS];
        let mut by_reading = [[Vec3::zeros(); MAX_CARRIED]; MAX_READINGS + MAX_REACTIONS];
        for ((p, s), by_section) in self.points.iter().zip(&mut by_section) {
            let section = self.fill(p, *s, at, &mut arguments);
            let mut q = [0.0; 3];
            self.code.eval_derivatives(&arguments, &mut q, &mut partials);
            // As with laws of forces: where there is no slope, Newton's method goes on without it.
            partials.iter_mut().filter(|partial| !partial.is_finite()).for_each(|partial| *partial = 0.0);
            let axes = self.component_axes(&section);
            for (&(i, argument), partial) in self.code.entries().iter().zip(&partials) {
                let column = axes.column(i) * *partial;
                match argument.checked_sub(SECTION_ARGUMENTS) {
                    None => {
                        let place = argument - FIRST_VECTOR;
                        let mut to = by_section[place / 3].column_mut(place % 3);
                        to += column;
                    }
                    Some(j) => {
                        let nodes = by_reading[j].iter_mut().step_by(VECTORS).zip(&p.value[..self.nodes]);
                        nodes.for_each(|(to, n)| *to += column * (p.weight * *n));
                    }
                }
            }
            if self.axes == LoadAxes::Section {
                (0..3).for_each(|i| by_section[2 + i] += Mat3::identity() * q[i]);
            }
        }
        self.push_sections(&by_section, k, c);
        self.readings.push_slopes(at, |j| by_reading[j], (k, 1.0), (c, 1.0));
    }

    fn sees_velocity(&self) -> bool {
        let velocity = FIRST_VECTOR + 3..FIRST_VECTOR + 6;
        self.readings.see_velocity() || self.code.entries().iter().any(|(_, i)| velocity.contains(i))
    }

    fn is_active(&self) -> bool {
        self.sees_velocity() || self.is_pressed()
    }

    fn power(&self, at: &Motion) -> Power {
        let mut f = [Vec3::zeros(); MAX_CARRIED];
        self.force(at, &mut f[..self.carried.len()]);
        booked(f.iter().zip(at.xdot).map(|(f, v)| f.dot(v)).sum())
    }

    fn memories(&self) -> usize {
        self.readings.len()
    }

    fn start_memory(&self, near: &dyn Fn(&Coordinate) -> f64, memory: &mut [f64]) {
        self.readings.start_memory(near, memory);
    }

    fn remember(&self, at: &Motion, memory: &mut [f64]) {
        self.readings.values(at, memory);
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            piecewise: Some(self),
            pressed: self.is_pressed().then_some(self),
            ..Extensions::default()
        }
    }
}

impl PressedElement for StateLoad {
    fn reactions(&self) -> &[ReactionReading] {
        &self.reactions
    }

    fn variables(&self) -> &[VariableReading] {
        &self.variables
    }

    fn by_reaction(&self, j: usize, at: &Motion, f: &mut [Vec3]) {
        let (mut arguments, mut partials) = (self.arguments(at), [0.0; 3 * MAX_ARGUMENTS]);
        let place = SECTION_ARGUMENTS + self.readings.len() + j;
        for (p, s) in &self.points {
            let section = self.fill(p, *s, at, &mut arguments);
            let mut q = [0.0; 3];
            self.code.eval_derivatives(&arguments, &mut q, &mut partials);
            let axes = self.component_axes(&section);
            let entries = self.code.entries().iter().zip(&partials);
            for (&(i, _), partial) in
                entries.filter(|((_, argument), by)| *argument == place && by.is_finite())
            {
                let by = axes.column(i) * (*partial * p.weight);
                f.iter_mut().step_by(VECTORS).zip(&p.value[..self.nodes]).for_each(|(f, n)| *f += by * *n);
            }
        }
    }

    fn by_reaction_over_step(&self, j: usize, step: &StepEnds, f: &mut [Vec3]) {
        self.by_reaction(j, &step.motion(), f);
    }
}

impl StateLoad {
    pub(super) fn is_pressed(&self) -> bool {
        !self.reactions.is_empty() || !self.variables.is_empty()
    }

    /// Adds Σ w N_a N_b ∂q/∂x etc. over the points.
    fn push_sections(&self, by: &[[Mat3; SECTION_VECTORS]], k: &mut Blocks, c: &mut Blocks) {
        let velocity = self.sees_velocity();
        for (a, b) in (0..self.nodes).flat_map(|a| (0..self.nodes).map(move |b| (a, b))) {
            let sum = |vector: usize| -> Mat3 {
                let points = self.points.iter().zip(by);
                points.map(|((p, _), by)| by[vector] * (p.weight * p.value[a] * p.value[b])).sum()
            };
            let (row, column) = (VECTORS * a, VECTORS * b);
            for (place, vector) in [0, 2, 3, 4].into_iter().enumerate() {
                k.push(row, column + place, sum(vector));
            }
            if velocity {
                c.push(row, column, sum(1));
            }
        }
    }
}

/// The law is evaluated at the Gauss points, and each has its kinks at times of its own.
impl PiecewiseElement for StateLoad {
    fn switches(&self) -> Vec<Switch> {
        self.switches.clone()
    }

    fn switch_arguments(&self, at: &Motion, arguments: &mut Vec<f64>) {
        self.switch_arguments_at(0, at, arguments);
    }

    fn reads_reactions(&self, switch: &Switch) -> bool {
        let first = SECTION_ARGUMENTS + self.readings.len();
        (first..first + self.reactions.len()).any(|i| switch.depends_on(i))
    }

    fn places(&self) -> usize {
        self.points.len()
    }

    fn is_local(&self, switch: &Switch) -> bool {
        (ARC_LENGTH..SECTION_ARGUMENTS).any(|i| switch.depends_on(i))
    }

    fn switch_arguments_at(&self, place: usize, at: &Motion, arguments: &mut Vec<f64>) {
        let mut values = self.arguments(at);
        let (p, s) = &self.points[place];
        self.fill(p, *s, at, &mut values);
        arguments.extend_from_slice(&values[..SECTION_ARGUMENTS + self.readings.len() + at.reactions.len()]);
    }
}
