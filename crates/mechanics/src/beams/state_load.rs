//! Loads per length along a beam element that read the state: the place and motion of the section that they
//! act on, and anything else of the system.
//!
//! ```text
//! f_{r_a} = ∫ N_a q ds,     q = Σ_i q_i e_i (world axes)  or  Σ_i q_i d_i(s) (section axes)
//! q_i = q_i(t, s, x, ẋ, d₁, d₂, d₃, r, ρ),     x = Σ_a N_a r_a,   d_k = Σ_a N_a d_k^a
//! ```
//! What it adds to the energy is supplied, what it takes dissipated, element by element.

use super::beam::BeamError;
use super::line_force::LineForce;
use super::line_law::*;
use super::load::{LoadAxes, located_points};
use super::point::Point;
use crate::coordinate::Coordinate;
use crate::element_buffers::Blocks;
use crate::force::{Extensions, Force, Motion, Power};
use crate::forces::{By, StateLawError, booked};
use crate::joints::Attachment;
use crate::nodes::carried::Carried;
use crate::nodes::chart::Frame;
use crate::room::{with_numbers, with_vectors};
use poinsot_expr::Function;
use poinsot_geometry::{Mat3, Vec3};

/// Vectors of the section that turn and move with the nodes: x, d₁, d₂, d₃.
pub(super) const POSITIONS: [usize; 4] = [0, 2, 3, 4];

/// A load q (N/m) on an element, a law of the state.
#[derive(Clone, Debug)]
pub struct StateLoad {
    carried: Vec<Carried>,
    pub(super) nodes: usize,
    /// Vectors of a node: its point, and the axes that it has.
    pub(super) stride: usize,
    points: Vec<(Point, f64)>,
    axes: LoadAxes,
    pub(super) law: LineLaw,
    /// Whether the load changes with each vector of the section.
    pub(super) sees: [bool; SECTION_VECTORS],
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
        read: LineReadings,
        load: &[Function; 3],
    ) -> Result<Self, StateLoadError> {
        let vectors = |node: &Attachment| vec![node.point(), node.axis(0), node.axis(1), node.axis(2)];
        let vectors: Vec<Vec<Carried>> = nodes.iter().map(vectors).collect();
        Self::on_vectors(&vectors, (nodes, reference), from, axes, read, load)
    }

    /// The same on nodes that carry their point and the first of their axes; the law must not read others.
    pub fn on_vectors(
        vectors: &[Vec<Carried>],
        (nodes, reference): (&[Attachment], &[Frame]),
        from: f64,
        axes: LoadAxes,
        read: LineReadings,
        load: &[Function; 3],
    ) -> Result<Self, StateLoadError> {
        let points = located_points(nodes, reference, from)?;
        let stride = vectors.first().map_or(1, Vec::len);
        let mut carried = vectors.concat();
        let law = LineLaw::new(&mut carried, read, load)?;
        let sees = std::array::from_fn(|vector| {
            law.reads(vector) || (axes == LoadAxes::Section && vector > VELOCITY)
        });
        Ok(StateLoad { carried, nodes: vectors.len(), stride, points, axes, law, sees })
    }

    /// Puts the section at a point among the arguments.
    fn fill(&self, p: &Point, s: f64, at: &Motion, arguments: &mut [f64]) -> [Vec3; SECTION_VECTORS] {
        let mut section = [Vec3::zeros(); SECTION_VECTORS];
        for (a, weight) in p.value[..self.nodes].iter().enumerate() {
            let x = &at.x[self.stride * a..];
            section[0] += x[0] * *weight;
            section[1] += at.xdot[self.stride * a] * *weight;
            (1..self.stride).for_each(|k| section[1 + k] += x[k] * *weight);
        }
        LineLaw::fill_section(at.t, s, &section, arguments);
        section
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

    /// w q at each point.
    pub(super) fn at_points(&self, at: &Motion, mut each: impl FnMut(&[f64], Vec3)) {
        with_numbers(self.law.count(), |arguments| {
            self.law.fill_read(at, arguments);
            for (p, s) in &self.points {
                let section = self.fill(p, *s, at, arguments);
                let q = self.law.value(arguments);
                each(&p.value[..self.nodes], self.in_world(&q, &section) * p.weight);
            }
        });
    }

    /// Work with ∂q by the components of the vectors of the section, point by point, and with Σ w N_a ∂q by
    /// readings, reactions and variables, for each the nodes one after the other.
    pub(super) fn with_slopes(&self, at: &Motion, work: impl FnOnce(&[Vec3], &[Vec3])) {
        let of_sections = self.points.len() * SECTION_COMPONENTS;
        with_vectors(of_sections + self.law.read() * self.nodes, |room| {
            let (by_section, by_read) = room.split_at_mut(of_sections);
            self.differentiate(at, by_section, by_read);
            work(by_section, by_read);
        });
    }

    fn differentiate(&self, at: &Motion, by_section: &mut [Vec3], by_read: &mut [Vec3]) {
        let count = self.law.count();
        with_numbers(count + self.law.partials(), |room| {
            let (arguments, partials) = room.split_at_mut(count);
            self.law.fill_read(at, arguments);
            for ((p, s), by_section) in
                self.points.iter().zip(by_section.chunks_exact_mut(SECTION_COMPONENTS))
            {
                let section = self.fill(p, *s, at, arguments);
                let axes = self.component_axes(&section);
                let q = self.law.slopes(arguments, partials, |i, argument, partial| {
                    let column = axes.column(i) * partial;
                    match argument {
                        LawArgument::Section(component) => by_section[component] += column,
                        LawArgument::Read(j) => {
                            let nodes = by_read[j * self.nodes..].iter_mut().zip(&p.value[..self.nodes]);
                            nodes.for_each(|(to, n)| *to += column * (p.weight * *n));
                        }
                    }
                });
                if self.axes == LoadAxes::Section {
                    (0..9).for_each(|k| by_section[6 + k][k % 3] += q[k / 3]);
                }
            }
        });
    }

    /// Σ w N_a N_b ∂q by a vector of the section, over the points.
    pub(super) fn section_sum(&self, by_section: &[Vec3], vector: usize, a: usize, b: usize) -> Mat3 {
        let mut sum = Mat3::zeros();
        for ((p, _), by) in self.points.iter().zip(by_section.chunks_exact(SECTION_COMPONENTS)) {
            let by = &by[3 * vector..3 * vector + 3];
            sum += Mat3::from_columns(by) * (p.weight * p.value[a] * p.value[b]);
        }
        sum
    }

    /// The vectors of the section that it sees, with their place among those of a node.
    pub(super) fn positions(&self) -> impl Iterator<Item = (usize, usize)> + '_ {
        POSITIONS[..self.stride].iter().copied().enumerate().filter(|(_, vector)| self.sees[*vector])
    }

    /// Of what is differentiated by readings, reactions and variables: the part of ρ_j.
    pub(super) fn of_reaction<'a>(&self, j: usize, by_read: &'a [Vec3]) -> &'a [Vec3] {
        &by_read[self.law.pressing(j) * self.nodes..][..self.nodes]
    }

    /// Adds ∂f_a by the section.
    fn push_sections(&self, by_section: &[Vec3], k: &mut Blocks, c: &mut Blocks) {
        for (a, b) in (0..self.nodes).flat_map(|a| (0..self.nodes).map(move |b| (a, b))) {
            let (row, column) = (self.stride * a, self.stride * b);
            for (place, vector) in self.positions() {
                k.push(row, column + place, self.section_sum(by_section, vector, a, b));
            }
            if self.sees[VELOCITY] {
                c.push(row, column, self.section_sum(by_section, VELOCITY, a, b));
            }
        }
    }

    /// Adds D_aj ⊗ ∂r_j/∂x_b and D_aj ⊗ ∂r_j/∂ẋ_b.
    fn push_readings(&self, at: &Motion, by_read: &[Vec3], k: &mut Blocks, c: &mut Blocks) {
        self.law.readings.slopes(at, |j, level, columns, slopes| {
            let out = if level == By::Position { &mut *k } else { &mut *c };
            for (&column, slope) in columns.iter().zip(slopes) {
                let b = self.law.readings.columns(level)[column];
                let along = by_read[j * self.nodes..][..self.nodes].iter().enumerate();
                along.for_each(|(a, along)| out.push_outer(self.stride * a, b, along, slope));
            }
        });
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
        self.at_points(at, |shares, q| {
            f.iter_mut().step_by(self.stride).zip(shares).for_each(|(f, n)| *f += q * *n);
        });
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, c: &mut Blocks) {
        self.with_slopes(at, |by_section, by_read| {
            self.push_sections(by_section, k, c);
            self.push_readings(at, by_read, k, c);
        });
    }

    fn sees_velocity(&self) -> bool {
        self.law.readings.see_velocity() || self.sees[VELOCITY]
    }

    fn is_active(&self) -> bool {
        self.sees_velocity() || self.law.is_pressed()
    }

    fn power(&self, at: &Motion) -> Power {
        with_vectors(self.carried.len(), |f| {
            self.force(at, f);
            booked(f.iter().zip(at.xdot).map(|(f, v)| f.dot(v)).sum())
        })
    }

    fn memories(&self) -> usize {
        self.law.readings.len()
    }

    fn start_memory(&self, near: &dyn Fn(&Coordinate) -> f64, memory: &mut [f64]) {
        self.law.readings.start_memory(near, memory);
    }

    fn remember(&self, at: &Motion, memory: &mut [f64]) {
        self.law.readings.values(at, memory);
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions {
            piecewise: Some(self),
            pressed: self.law.is_pressed().then_some(self),
            ..Extensions::default()
        }
    }
}

impl LineForce for StateLoad {
    fn law(&self) -> &LineLaw {
        &self.law
    }

    fn points(&self) -> usize {
        self.points.len()
    }

    fn fill_point(&self, place: usize, at: &Motion, arguments: &mut [f64]) {
        let (p, s) = &self.points[place];
        self.fill(p, *s, at, arguments);
    }

    fn add_by_reaction(&self, j: usize, at: &Motion, f: &mut [Vec3]) {
        self.with_slopes(at, |_, by_read| {
            let by = self.of_reaction(j, by_read);
            f.iter_mut().step_by(self.stride).zip(by).for_each(|(f, by)| *f += by);
        });
    }
}
