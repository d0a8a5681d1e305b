//! Loads per length along a beam element that read the state: the place and motion of the section that they
//! act on, and anything else of the system.
//!
//! ```text
//! f_{r_a} = ∫ N_a q ds,     q = Σ_i q_i e_i (world axes)  or  Σ_i q_i d_i(s) (section axes)
//! q_i = q_i(t, s, x, ẋ, d₁, d₂, d₃, r),     x = Σ_a N_a r_a,   d_k = Σ_a N_a d_k^a
//! ```
//! What it adds to the energy is supplied, what it takes dissipated, element by element.

use super::beam::{BeamError, VECTORS};
use super::load::{LoadAxes, located_points};
use super::point::Point;
use crate::coordinate::Coordinate;
use crate::element_buffers::Blocks;
use crate::force::{Extensions, Force, Motion, Power};
use crate::forces::{By, PiecewiseElement, Readings, StateLawError, booked, merged_switches};
use crate::joints::Attachment;
use crate::nodes::carried::Carried;
use crate::nodes::chart::Frame;
use crate::reading::Reading;
use crate::room::{with_numbers, with_vectors};
use poinsot_expr::{Block, Engine, Function, Switch};
use poinsot_geometry::{Mat3, Vec3};

/// Arguments before the readings: t, s, and five vectors of the section.
pub const SECTION_ARGUMENTS: usize = 17;
/// The section's vectors among the arguments: x, ẋ, d₁, d₂, d₃.
const FIRST_VECTOR: usize = 2;
const SECTION_VECTORS: usize = 5;
/// Their components.
const SECTION_COMPONENTS: usize = 3 * SECTION_VECTORS;
/// Vectors of the section that turn and move with the nodes: x, d₁, d₂, d₃.
const POSITIONS: [usize; 4] = [0, 2, 3, 4];
const VELOCITY: usize = 1;

/// A load q (N/m) on an element, a law of the state.
#[derive(Clone, Debug)]
pub struct StateLoad {
    carried: Vec<Carried>,
    nodes: usize,
    points: Vec<(Point, f64)>,
    axes: LoadAxes,
    readings: Readings,
    code: Block,
    switches: Vec<Switch>,
    /// Whether the load changes with each vector of the section.
    sees: [bool; SECTION_VECTORS],
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
    /// functions have the arguments t, s, position, velocity, d₁, d₂, d₃ (three components each) and the
    /// readings.
    pub fn new(
        nodes: &[Attachment],
        reference: &[Frame],
        from: f64,
        axes: LoadAxes,
        readings: Vec<Reading>,
        load: &[Function; 3],
    ) -> Result<Self, StateLoadError> {
        let points = located_points(nodes, reference, from)?;
        let vectors = |node: &Attachment| [node.point(), node.axis(0), node.axis(1), node.axis(2)];
        let mut carried: Vec<Carried> = nodes.iter().flat_map(vectors).collect();
        let readings = Readings::new(&mut carried, readings)?;
        let functions = load.each_ref();
        let inputs = SECTION_ARGUMENTS + readings.len();
        let code = Block::of(&functions, inputs, &|i| i >= FIRST_VECTOR, Engine::default());
        let switches = merged_switches(load);
        let sees = std::array::from_fn(|vector| {
            let components = FIRST_VECTOR + 3 * vector..FIRST_VECTOR + 3 * vector + 3;
            let turns = axes == LoadAxes::Section && vector > VELOCITY;
            turns || code.entries().iter().any(|(_, i)| components.contains(i))
        });
        Ok(StateLoad { carried, nodes: nodes.len(), points, axes, readings, code, switches, sees })
    }

    /// Arguments of the law at a point; those of the readings must be there.
    fn fill(&self, p: &Point, s: f64, at: &Motion, arguments: &mut [f64]) -> [Vec3; SECTION_VECTORS] {
        let mut section = [Vec3::zeros(); SECTION_VECTORS];
        for (a, weight) in p.value[..self.nodes].iter().enumerate() {
            let x = &at.x[VECTORS * a..];
            section[0] += x[0] * *weight;
            section[1] += at.xdot[VECTORS * a] * *weight;
            (0..3).for_each(|k| section[2 + k] += x[1 + k] * *weight);
        }
        arguments[0] = at.t;
        arguments[1] = s;
        for (place, vector) in arguments[FIRST_VECTOR..].chunks_exact_mut(3).zip(&section) {
            place.copy_from_slice(vector.as_slice());
        }
        section
    }

    /// How many arguments the law has.
    fn count(&self) -> usize {
        SECTION_ARGUMENTS + self.readings.len()
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
        with_numbers(self.count(), |arguments| {
            self.readings.values(at, &mut arguments[SECTION_ARGUMENTS..]);
            for (p, s) in &self.points {
                let section = self.fill(p, *s, at, arguments);
                let mut q = [0.0; 3];
                self.code.eval(arguments, &mut q);
                let q = self.in_world(&q, &section) * p.weight;
                f.iter_mut().step_by(VECTORS).zip(&p.value[..self.nodes]).for_each(|(f, n)| *f += q * *n);
            }
        });
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, c: &mut Blocks) {
        let of_sections = self.points.len() * SECTION_COMPONENTS;
        with_vectors(of_sections + self.readings.len() * self.nodes, |room| {
            let (by_section, by_reading) = room.split_at_mut(of_sections);
            self.differentiate(at, by_section, by_reading);
            self.push_sections(by_section, k, c);
            self.push_readings(at, by_reading, k, c);
        });
    }

    fn sees_velocity(&self) -> bool {
        self.readings.see_velocity() || self.sees[VELOCITY]
    }

    fn is_active(&self) -> bool {
        self.sees_velocity()
    }

    fn power(&self, at: &Motion) -> Power {
        with_vectors(self.carried.len(), |f| {
            self.force(at, f);
            booked(f.iter().zip(at.xdot).map(|(f, v)| f.dot(v)).sum())
        })
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
        Extensions { piecewise: Some(self), ..Extensions::default() }
    }
}

impl StateLoad {
    /// Adds ∂q by the components of the vectors of the section, point by point, and Σ w N_a ∂q by the
    /// readings, for each the nodes one after the other.
    fn differentiate(&self, at: &Motion, by_section: &mut [Vec3], by_reading: &mut [Vec3]) {
        with_numbers(self.count() + self.code.entries().len(), |room| {
            let (arguments, partials) = room.split_at_mut(self.count());
            self.readings.values(at, &mut arguments[SECTION_ARGUMENTS..]);
            for ((p, s), by_section) in
                self.points.iter().zip(by_section.chunks_exact_mut(SECTION_COMPONENTS))
            {
                let section = self.fill(p, *s, at, arguments);
                let mut q = [0.0; 3];
                self.code.eval_derivatives(arguments, &mut q, partials);
                let axes = self.component_axes(&section);
                for (&(i, argument), partial) in self.code.entries().iter().zip(&*partials) {
                    let column = axes.column(i) * *partial;
                    match argument.checked_sub(SECTION_ARGUMENTS) {
                        None => by_section[argument - FIRST_VECTOR] += column,
                        Some(j) => {
                            let nodes = by_reading[j * self.nodes..].iter_mut().zip(&p.value[..self.nodes]);
                            nodes.for_each(|(to, n)| *to += column * (p.weight * *n));
                        }
                    }
                }
                if self.axes == LoadAxes::Section {
                    (0..9).for_each(|k| by_section[6 + k][k % 3] += q[k / 3]);
                }
            }
        });
    }

    /// Adds Σ w N_a N_b ∂q/∂x etc. over the points.
    fn push_sections(&self, by: &[Vec3], k: &mut Blocks, c: &mut Blocks) {
        for (a, b) in (0..self.nodes).flat_map(|a| (0..self.nodes).map(move |b| (a, b))) {
            let sum = |vector: usize| -> Mat3 {
                let mut sum = Mat3::zeros();
                for ((p, _), by) in self.points.iter().zip(by.chunks_exact(SECTION_COMPONENTS)) {
                    let by = &by[3 * vector..3 * vector + 3];
                    sum += Mat3::from_columns(by) * (p.weight * p.value[a] * p.value[b]);
                }
                sum
            };
            let (row, column) = (VECTORS * a, VECTORS * b);
            for (place, vector) in POSITIONS.into_iter().enumerate().filter(|(_, v)| self.sees[*v]) {
                k.push(row, column + place, sum(vector));
            }
            if self.sees[VELOCITY] {
                c.push(row, column, sum(VELOCITY));
            }
        }
    }

    /// Adds D_aj ⊗ ∂r_j/∂x_b and D_aj ⊗ ∂r_j/∂ẋ_b.
    fn push_readings(&self, at: &Motion, by: &[Vec3], k: &mut Blocks, c: &mut Blocks) {
        self.readings.slopes(at, |j, level, columns, slopes| {
            let out = if level == By::Position { &mut *k } else { &mut *c };
            for (&column, slope) in columns.iter().zip(slopes) {
                let b = self.readings.columns(level)[column];
                let along = by[j * self.nodes..][..self.nodes].iter().enumerate();
                along.for_each(|(a, along)| out.push_outer(VECTORS * a, b, along, slope));
            }
        });
    }
}

/// Switches are looked at in the middle of the element.
impl PiecewiseElement for StateLoad {
    fn switches(&self) -> Vec<Switch> {
        self.switches.clone()
    }

    fn switch_arguments(&self, at: &Motion, arguments: &mut Vec<f64>) {
        let from = arguments.len();
        arguments.resize(from + self.count(), 0.0);
        let own = &mut arguments[from..];
        self.readings.values(at, &mut own[SECTION_ARGUMENTS..]);
        if let Some((p, s)) = self.points.get(self.points.len() / 2) {
            self.fill(p, *s, at, own);
        }
    }
}
