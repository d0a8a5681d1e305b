//! Lines evaluated together, in as many components as their plane or space has.
//!
//! Places and slopes of points move by their own components, so that an element needs no charts: with x in
//! the axes of the plane, or of space, and f = ∂V/∂x
//!
//! ```text
//! R_a = Σ_b M_ab (ẍ_b − c_b g) + f_a
//! ∂R_a/∂x_b = Σ_g (s_a′ s_b′ H_yy + s_a′ s_b″ H_yz + s_a″ s_b′ H_yzᵀ + s_a″ s_b″ H_zz)
//! ```
//! with f and H of y = r′ and z = r″ as in `measure.rs`, four elements at a time (`batch.rs`). It takes lines
//! with the measures of stretch and curvature and without viscosity, in space those that are straight without
//! load; others are evaluated one by one.

use super::batch::{Batch, LANES, Loads, Shares, Tangents};
use super::cable::Cable;
use super::curved::Point;
use super::shape::Cubic;
use crate::assembly::{Linearization, RowLevels, Term, Terms};
use crate::element_groups::{ElementGroup, GroupScratch, Offer, Share};
use crate::mass::inertia::Inertia;
use crate::nodes::carried::{Carried, NodeId};
use crate::nodes::chart::Chart;
use crate::system::state::Instant;
use crate::system::{Node, Places, System};
use poinsot_geometry::Vec3;
use std::any::Any;
use std::collections::HashMap;

type Vector<const D: usize> = [f64; D];

/// Unknowns of an element at most.
const UNKNOWNS: usize = 12;
type Local = [[f64; UNKNOWNS]; UNKNOWNS];

/// A point or slope: its node, first unknown, axes, and whether it has weight.
#[derive(Clone, Debug)]
struct LineVector {
    node: NodeId,
    eq: usize,
    axes: [Vec3; 3],
    weighs: bool,
}

/// Where an element of up to four vectors writes.
#[derive(Clone, Debug)]
pub(super) struct Slots {
    pub vectors: [usize; 4],
    count: usize,
    pub local: [usize; 4],
    pub unknowns: usize,
    pub block: Vec<u32>,
}

/// A Gauss point of an element.
#[derive(Clone, Debug)]
pub(super) struct LinePoint {
    pub weights: [f64; 2],
    pub reference: [f64; 2],
    pub slope: [f64; 4],
    pub curvature: [f64; 4],
}

/// An element.
#[derive(Clone, Debug)]
pub(super) struct Element {
    pub slots: Slots,
    pub points: Vec<LinePoint>,
    pub axial: f64,
    pub bending: f64,
    /// The mass between the same vectors.
    pub mass: Option<[[f64; 4]; 4]>,
}

/// Mass between vectors.
#[derive(Clone, Debug)]
struct Mass {
    slots: Slots,
    mass: [[f64; 4]; 4],
}

/// What is known of the lines of one plane, or of space.
#[derive(Clone, Debug, Default)]
struct Lines<const D: usize> {
    vectors: Vec<LineVector>,
    batches: Vec<Batch>,
    masses: Vec<Mass>,
}

/// All lines of a system that can be evaluated together: those of one plane and those in space.
#[derive(Clone, Debug, Default)]
pub(crate) struct LineElements {
    plane: Lines<2>,
    space: Lines<3>,
}

/// x, ẍ less free fall, and the loads of each vector.
#[derive(Clone, Debug, Default)]
struct LineScratch<const D: usize> {
    x: Vec<VectorOf<D>>,
    fall: Vec<VectorOf<D>>,
    loads: Vec<VectorOf<D>>,
}

/// A vector that has a default.
#[derive(Clone, Copy, Debug)]
pub(super) struct VectorOf<const D: usize>(pub Vector<D>);

#[derive(Clone, Debug, Default)]
struct BothScratch {
    plane: LineScratch<2>,
    space: LineScratch<3>,
}

/// Axes of a point or slope in the plane or in space; none of other nodes.
fn axes_of<const D: usize>(chart: &Chart) -> Option<([Vec3; 3], bool)> {
    match (chart, D) {
        (Chart::PlanarPoint { e1, e2 }, 2) => Some(([*e1, *e2, e1.cross(e2)], true)),
        (Chart::PlanarSlope { e1, e2 }, 2) => Some(([*e1, *e2, e1.cross(e2)], false)),
        (Chart::Point, 3) => Some(([Vec3::x(), Vec3::y(), Vec3::z()], true)),
        (Chart::Slope, 3) => Some(([Vec3::x(), Vec3::y(), Vec3::z()], false)),
        _ => None,
    }
}

/// Finds the vectors of elements.
struct Finder<'a, const D: usize> {
    nodes: &'a [Node],
    known: HashMap<NodeId, usize>,
    elements: Vec<Element>,
    /// Elements by their vectors.
    by_vectors: HashMap<[usize; 4], usize>,
    lines: Lines<D>,
}

impl<'a, const D: usize> Finder<'a, D> {
    fn new(nodes: &'a [Node]) -> Self {
        Finder {
            nodes,
            known: HashMap::new(),
            elements: vec![],
            by_vectors: HashMap::new(),
            lines: Lines::default(),
        }
    }

    /// The vectors of an element, if all are points and slopes of one plane, each once.
    fn slots(&mut self, carried: &[Carried], places: &Places) -> Option<Slots> {
        let n = carried.len();
        if n == 0 || n > 4 || places.nodes.len() != n {
            return None;
        }
        let mut found = vec![];
        for c in carried {
            let (axes, weighs) = axes_of::<D>(&self.nodes[c.node].chart)?;
            let other = |known: &LineVector| known.axes != axes;
            if c.c != Vec3::zeros() || c.c0 != 1.0 || self.lines.vectors.first().is_some_and(other) {
                return None;
            }
            found.push(LineVector { node: c.node, eq: self.nodes[c.node].eq, axes, weighs });
        }
        if found.iter().any(|v| v.axes != found[0].axes) {
            return None;
        }
        let (mut vectors, mut local) = ([0; 4], [0; 4]);
        for (a, vector) in found.into_iter().enumerate() {
            local[a] = places.carried[a].local;
            vectors[a] = *self.known.entry(vector.node).or_insert_with(|| {
                self.lines.vectors.push(vector);
                self.lines.vectors.len() - 1
            });
        }
        Some(Slots { vectors, count: n, local, unknowns: places.unknowns.len(), block: places.block.clone() })
    }

    fn element(&mut self, cable: &Cable, carried: &[Carried], places: &Places) -> bool {
        let Some((points, section, normal, l)) = cable.elastic_curvature() else { return false };
        if normal.is_some() != (D == 2) || D == 3 && points.iter().any(|p| p.reference[1] != 0.0) {
            return false;
        }
        let Some(slots) = self.slots(carried, places) else { return false };
        let [e1, e2, _] = self.lines.vectors[slots.vectors[0]].axes;
        // κ changes its sign with the normal.
        let sign = normal.map_or(1.0, |n| n.dot(&e1.cross(&e2)));
        if (sign.abs() - 1.0).abs() > 1e-9 {
            return false;
        }
        let point = |p: &Point| {
            let s = Cubic::at(p.xi, l);
            let reference = [p.reference[0], sign.signum() * p.reference[1]];
            LinePoint { weights: p.weights, reference, slope: s.slope, curvature: s.curvature }
        };
        let points = points.iter().map(point).collect();
        let (axial, bending) = (section.axial, section.bending);
        self.by_vectors.insert(slots.vectors, self.elements.len());
        self.elements.push(Element { slots, points, axial, bending, mass: None });
        true
    }

    fn mass(&mut self, law: &Inertia, places: &Places) -> bool {
        let Some(slots) = self.slots(law.carried(), places) else { return false };
        let mut mass = [[0.0; 4]; 4];
        for (a, row) in mass[..slots.count].iter_mut().enumerate() {
            row[..slots.count].iter_mut().enumerate().for_each(|(b, m)| *m = law.coefficient(a, b));
        }
        // With the element, if it has none yet: its vectors are looked at once for both.
        let element = self.by_vectors.get(&slots.vectors).filter(|_| slots.count == 4);
        match element.map(|&k| &mut self.elements[k]).filter(|e| e.mass.is_none()) {
            Some(element) => element.mass = Some(mass),
            None => self.lines.masses.push(Mass { slots, mass }),
        }
        true
    }

    /// The lines, elements with as many points side by side.
    fn done(self) -> Lines<D> {
        let mut lines = self.lines;
        for alike in self.elements.chunk_by(|a, b| a.points.len() == b.points.len()) {
            lines.batches.extend(alike.chunks(LANES).map(Batch::new::<D>));
        }
        lines
    }
}

impl<const D: usize> Default for VectorOf<D> {
    fn default() -> Self {
        VectorOf([0.0; D])
    }
}

impl Slots {
    /// Adds a local matrix to its slots and clears it.
    #[inline]
    fn scatter(&self, local: &mut Local, term: Term, terms: &mut Terms) {
        let (values, factor) = terms.target(term);
        let n = self.unknowns;
        for (row, slots) in local.iter_mut().zip(self.block.chunks_exact(n)) {
            for (value, &slot) in row[..n].iter_mut().zip(slots) {
                values[slot as usize] += factor * *value;
                *value = 0.0;
            }
        }
    }
}

impl<const D: usize> Lines<D> {
    #[inline(always)]
    fn components(v: &LineVector, x: &Vec3) -> Vector<D> {
        std::array::from_fn(|i| if D == 3 { x[i] } else { v.axes[i].dot(x) })
    }

    fn load(&self, at: &Instant, s: &mut LineScratch<D>) {
        s.x.clear();
        s.x.extend(self.vectors.iter().map(|v| VectorOf(Self::components(v, &at.frames[v.node].r))));
    }

    fn add_residual(&self, gravity: &Vec3, at: &Instant, out: &mut [f64], s: &mut LineScratch<D>) {
        if self.vectors.is_empty() {
            return;
        }
        self.load(at, s);
        let weight = Self::components(&self.vectors[0], gravity);
        s.fall.clear();
        s.fall.extend(self.vectors.iter().map(|v| {
            let g = if v.weighs { weight } else { [0.0; D] };
            VectorOf(std::array::from_fn(|i| at.a[v.eq + i] - g[i]))
        }));
        s.loads.clear();
        s.loads.resize(self.vectors.len(), VectorOf::default());
        Loads { batches: &self.batches, x: &s.x, fall: &s.fall, loads: &mut s.loads }.add();
        for mass in &self.masses {
            let n = mass.slots.count;
            for a in 0..n {
                let mut f = [0.0; D];
                for b in 0..n {
                    let (m, fall) = (mass.mass[a][b], &s.fall[mass.slots.vectors[b]].0);
                    for i in 0..D {
                        f[i] += m * fall[i];
                    }
                }
                let load = &mut s.loads[mass.slots.vectors[a]].0;
                for i in 0..D {
                    load[i] += f[i];
                }
            }
        }
        for (v, load) in self.vectors.iter().zip(&s.loads) {
            for i in 0..D {
                out[v.eq + i] += load.0[i];
            }
        }
    }

    fn add_tangent(&self, at: &Linearization, share: Share, terms: &mut Terms, s: &mut LineScratch<D>) {
        let mut local = [[0.0; UNKNOWNS]; UNKNOWNS];
        let summed = matches!(terms, Terms::Sum { .. });
        for mass in &self.masses {
            let n = mass.slots.count;
            for a in 0..n {
                for b in 0..n {
                    for i in 0..D {
                        local[mass.slots.local[a] + i][mass.slots.local[b] + i] += mass.mass[a][b];
                    }
                }
            }
            mass.slots.scatter(&mut local, Term::Mass, terms);
        }
        if self.batches.is_empty() {
            return;
        }
        self.load(&at.stage, s);
        let mut add = |stiffness: f64, mass: f64, term: Term| {
            let (values, factor) = terms.target(term);
            let shares = Shares { stiffness: factor * stiffness, mass: factor * mass };
            Tangents { batches: &self.batches, x: &s.x, shares, values }.add();
        };
        // Summed terms go to their slots at once.
        match (share.forces, summed) {
            (true, true) => add(at.stiffness, at.mass, Term::Constant),
            (forces, _) => {
                add(0.0, 1.0, Term::Mass);
                if forces {
                    add(1.0, 0.0, Term::Stiffness);
                }
            }
        }
    }
}

impl ElementGroup for LineElements {
    fn take(&mut self, offer: &mut Offer) {
        let (mut plane, mut space) = (Finder::<2>::new(offer.nodes()), Finder::<3>::new(offer.nodes()));
        offer.forces(|_, law, places| {
            let own: &dyn Any = law;
            let Some(cable) = own.downcast_ref::<Cable>() else { return false };
            plane.element(cable, law.carried(), places) || space.element(cable, law.carried(), places)
        });
        // Masses of vectors that no element has are left alone: points of other things.
        offer.inertias(|_, law, places| {
            let of =
                |known: &HashMap<NodeId, usize>| law.carried().iter().all(|c| known.contains_key(&c.node));
            of(&plane.known) && plane.mass(law, places) || of(&space.known) && space.mass(law, places)
        });
        *self = LineElements { plane: plane.done(), space: space.done() };
    }

    fn add_residual(
        &self,
        system: &System,
        at: &Instant,
        _levels: &mut RowLevels,
        out: &mut [f64],
        s: &mut GroupScratch,
    ) {
        let s: &mut BothScratch = s.get();
        self.plane.add_residual(&system.gravity, at, out, &mut s.plane);
        self.space.add_residual(&system.gravity, at, out, &mut s.space);
    }

    fn add_tangent(
        &self,
        _system: &System,
        at: &Linearization,
        share: Share,
        terms: &mut Terms,
        s: &mut GroupScratch,
    ) {
        let s: &mut BothScratch = s.get();
        self.plane.add_tangent(at, share, terms, &mut s.plane);
        self.space.add_tangent(at, share, terms, &mut s.space);
    }
}
