//! Beams in a plane, in complex numbers.
//!
//! A node that moves parallel to a plane has a place r and a direction p = e^{iθ} in it. Every vector that it
//! carries is x = c₀ r + z p there with a constant z, and the section axis along the plane's normal stays as
//! it is. With the in-plane axis d, and the other one i d, what is left of the strains are Γ + i Γ′ and K,
//! with the stresses s + i s′ and M. These are the same equations as in space, which elements and inertias
//! that are not wholly in one plane keep.

// Loops count nodes, so that they unroll.
#![allow(clippy::needless_range_loop)]

mod director;
mod element;
mod inertia;
mod motion;

use super::beam::{Beam, MOST_NODES};
use super::motion_beam::MotionBeam;
use crate::assembly::{Linearization, RowLevels, Term, Terms};
use crate::element_groups::{ElementGroup, GroupScratch, Offer, Share};
use crate::nodes::carried::{Carried, GROUND};
use crate::nodes::chart::{Chart, Frame};
use crate::system::state::Instant;
use crate::system::{Node, Places, System};
use director::DirectorElement;
use inertia::PlaneInertia;
use motion::MotionElement;
use poinsot_geometry::Vec3;
use poinsot_geometry::nalgebra::Complex;
use std::any::Any;
use std::collections::HashMap;

type Number = Complex<f64>;

const ZERO: Number = Number::new(0.0, 0.0);

/// Unknowns of an element at most.
const UNKNOWNS: usize = 3 * MOST_NODES;
type Local = [[f64; UNKNOWNS]; UNKNOWNS];

/// Calls a method of an element for the number of its nodes.
macro_rules! by_count {
    ($element:ident, $method:ident($($argument:expr),*)) => {
        match $element.count() {
            2 => $element.$method::<2>($($argument),*),
            3 => $element.$method::<3>($($argument),*),
            _ => $element.$method::<4>($($argument),*),
        }
    };
}

/// Re(ā b), the inner product of two vectors of the plane.
#[inline(always)]
fn dot(a: Number, b: Number) -> f64 {
    a.re * b.re + a.im * b.im
}

/// Im(ā b), their cross product.
#[inline(always)]
fn cross(a: Number, b: Number) -> f64 {
    a.re * b.im - a.im * b.re
}

/// i a.
#[inline(always)]
fn turned(a: Number) -> Number {
    Number::new(-a.im, a.re)
}

/// A node in the plane.
#[derive(Clone, Debug)]
struct PlaneNode {
    id: usize,
    /// First unknown; none for ground.
    eq: Option<usize>,
    /// In world axes.
    e1: Vec3,
    e2: Vec3,
    /// The direction that is p, in body axes.
    forward: Vec3,
}

/// r, p, r̈ − g and p̈ of a node, with ω.
#[derive(Clone, Copy, Debug)]
struct Moving {
    r: Number,
    p: Number,
    fall: Number,
    swing: Number,
    omega: f64,
}

/// Where an element with up to four nodes writes.
#[derive(Clone, Debug)]
struct Slots {
    nodes: [usize; MOST_NODES],
    count: usize,
    /// First local unknown of each node, by [`Places::unknowns`]; none for ground.
    local: [Option<usize>; MOST_NODES],
    unknowns: usize,
    block: Vec<u32>,
}

/// All beam elements and inertias of a system that are in a plane.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlaneBeams {
    nodes: Vec<PlaneNode>,
    directors: Vec<DirectorElement>,
    motions: Vec<MotionElement>,
    inertias: Vec<PlaneInertia>,
}

/// What the nodes do and what acts on them, while equations are made: forces conjugate to r and p.
#[derive(Clone, Debug, Default)]
struct PlaneScratch {
    moving: Vec<Moving>,
    loads: Vec<(Number, Number)>,
}

impl PlaneNode {
    fn new(id: usize, nodes: &[Node]) -> Option<Self> {
        let node = &nodes[id];
        let Chart::Planar { e1, e2, normal } = node.chart else { return None };
        let upright = (node.start.rot * normal - e1.cross(&e2)).norm() < 1e-9;
        let forward = node.start.rot.tr_mul(&e1);
        upright.then_some(PlaneNode { id, eq: Some(node.eq), e1, e2, forward })
    }

    /// Ground, in the plane of another node.
    fn ground(&self) -> Self {
        PlaneNode { id: GROUND, eq: None, forward: self.e1, ..*self }
    }

    fn shares_plane(&self, other: &PlaneNode) -> bool {
        self.e1 == other.e1 && self.e2 == other.e2
    }

    /// z of a direction in body axes, and its component along the normal.
    fn direction(&self, c: &Vec3, normal: &Vec3) -> (Number, f64) {
        let left = normal.cross(&self.forward);
        (Number::new(c.dot(&self.forward), c.dot(&left)), c.dot(normal))
    }

    #[inline]
    fn moving(&self, at: &Instant, gravity: &Vec3) -> Moving {
        let z: &Frame = &at.frames[self.id];
        let in_plane = |x: &Vec3| Number::new(self.e1.dot(x), self.e2.dot(x));
        let (r, p, weight) = (in_plane(&z.r), in_plane(&(z.rot * self.forward)), in_plane(gravity));
        let Some(eq) = self.eq else {
            return Moving { r, p, fall: -weight, swing: ZERO, omega: 0.0 };
        };
        let (a, omega) = (&at.a[eq..eq + 3], at.v[eq + 2]);
        let swing = p * Number::new(-omega * omega, a[2]);
        Moving { r, p, fall: Number::new(a[0], a[1]) - weight, swing, omega }
    }
}

/// Finds the nodes of an element among those of the plane; none if one of them is not in it.
struct Finder<'a> {
    all: &'a [Node],
    known: HashMap<usize, usize>,
    nodes: Vec<PlaneNode>,
}

impl Finder<'_> {
    /// The nodes of carried vectors that come in groups of `each` per node.
    fn slots(&mut self, carried: &[Carried], each: usize, places: &Places) -> Option<Slots> {
        let ids: Vec<usize> = carried.chunks(each).map(|group| group[0].node).collect();
        let grouped = carried.chunks(each).all(|group| group.iter().all(|c| c.node == group[0].node));
        let first = ids.iter().find(|&&id| id != GROUND)?;
        let plane = PlaneNode::new(*first, self.all)?;
        let mut found = vec![];
        for &id in &ids {
            let node = if id == GROUND { plane.ground() } else { PlaneNode::new(id, self.all)? };
            if !node.shares_plane(&plane) {
                return None;
            }
            found.push(node);
        }
        if !grouped || !(2..=MOST_NODES).contains(&ids.len()) || self.differs(&plane) {
            return None;
        }
        let (mut nodes, mut local) = ([0; MOST_NODES], [None; MOST_NODES]);
        for (a, node) in found.into_iter().enumerate() {
            local[a] = places.nodes.iter().find(|(id, _)| *id == node.id).map(|(_, local)| *local);
            nodes[a] = *self.known.entry(node.id).or_insert_with(|| {
                self.nodes.push(node);
                self.nodes.len() - 1
            });
        }
        let (unknowns, block) = (places.unknowns.len(), places.block.clone());
        Some(Slots { nodes, count: ids.len(), local, unknowns, block })
    }

    fn differs(&self, plane: &PlaneNode) -> bool {
        self.nodes.first().is_some_and(|known| !known.shares_plane(plane))
    }

    fn normal(&self, id: usize, plane: &PlaneNode) -> Vec3 {
        match self.all[id].chart {
            Chart::Planar { normal, .. } => normal,
            _ => plane.e1.cross(&plane.e2),
        }
    }

    /// z and the component along the normal of a carried vector of the k-th node of an element.
    fn direction(&self, slots: &Slots, k: usize, c: &Carried) -> (Number, f64) {
        let node = &self.nodes[slots.nodes[k]];
        node.direction(&c.c, &self.normal(c.node, node))
    }
}

impl PlaneBeams {
    fn load(&self, at: &Instant, gravity: &Vec3, s: &mut PlaneScratch) {
        s.moving.clear();
        s.moving.extend(self.nodes.iter().map(|node| node.moving(at, gravity)));
    }
}

impl ElementGroup for PlaneBeams {
    /// Beams and inertias that move parallel to a plane, one plane for all.
    fn take(&mut self, offer: &mut Offer) {
        let mut finder = Finder { all: offer.nodes(), known: HashMap::new(), nodes: vec![] };
        let mut all = PlaneBeams::default();
        offer.forces(|_, law, places| {
            let law: &dyn Any = law;
            if let Some(beam) = law.downcast_ref::<Beam>() {
                taken(&mut all.directors, finder.director(beam, places))
            } else if let Some(beam) = law.downcast_ref::<MotionBeam>() {
                taken(&mut all.motions, finder.motion(beam, places))
            } else {
                false
            }
        });
        offer.inertias(|_, law, places| taken(&mut all.inertias, finder.inertia(law, places)));
        all.nodes = finder.nodes;
        *self = all;
    }

    /// Adds inertia less weight and the beams' share of −Q.
    fn add_residual(
        &self,
        system: &System,
        at: &Instant,
        _levels: &mut RowLevels,
        out: &mut [f64],
        s: &mut GroupScratch,
    ) {
        let s: &mut PlaneScratch = s.get();
        self.load(at, &system.gravity, s);
        s.loads.clear();
        s.loads.resize(self.nodes.len(), (ZERO, ZERO));
        for beam in &self.directors {
            by_count!(beam, add_loads(&s.moving, &mut s.loads));
        }
        for beam in &self.motions {
            by_count!(beam, add_loads(&s.moving, &mut s.loads));
        }
        for inertia in &self.inertias {
            by_count!(inertia, add_loads(&s.moving, &mut s.loads));
        }
        for (node, (moving, (f, phi))) in self.nodes.iter().zip(s.moving.iter().zip(&s.loads)) {
            if let Some(eq) = node.eq {
                out[eq] += f.re;
                out[eq + 1] += f.im;
                out[eq + 2] += cross(moving.p, *phi);
            }
        }
    }

    fn add_tangent(
        &self,
        system: &System,
        at: &Linearization,
        share: Share,
        terms: &mut Terms,
        s: &mut GroupScratch,
    ) {
        let s: &mut PlaneScratch = s.get();
        self.load(&at.stage, &system.gravity, s);
        let (mut local, moving) = ([[0.0; UNKNOWNS]; UNKNOWNS], &s.moving);
        for inertia in &self.inertias {
            by_count!(inertia, add_tangent(at, moving, terms, &mut local));
        }
        if !share.forces {
            return;
        }
        for beam in &self.directors {
            by_count!(beam, add_stiffness(moving, &mut local));
            beam.slots().scatter(&mut local, Term::Stiffness, terms);
        }
        for beam in &self.motions {
            by_count!(beam, add_stiffness(moving, &mut local));
            beam.slots().scatter(&mut local, Term::Stiffness, terms);
        }
    }
}

/// Keeps an element if there is one; says whether.
fn taken<T>(list: &mut Vec<T>, element: Option<T>) -> bool {
    let found = element.is_some();
    list.extend(element);
    found
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
