//! Beams in a plane, in complex numbers.
//!
//! A node that moves parallel to a plane has a place r and a direction p = e^{iθ} in it. Every vector that it carries is
//! x = c₀ r + z p there with a constant z, and the section axis along the plane's normal stays as it is. With the in-plane axis d,
//! the other one i d, and x, d interpolated as in space (I-39, I-40), what is left of the strains is
//!
//! ```text
//! Γ + i Γ′ = d̄ x′,   K = Im d̄ d′          S = C ε,   s = S_Γ + i S_Γ′,   M = S_K
//! δV = Re(x̄_* δx′ + d̄_* δd + d̄′_* δd′),   x_* = s d,   d_* = s̄ x′ − i M d′,   d′_* = i M d
//! ```
//! and mass that couples nodes gives, with p̈ = (iα − ω²) p,
//!
//! ```text
//! f_a = Σ_b m_ab (r̈_b − g) + n_ab p̈_b,   φ_a = Σ_b n̄_ba (r̈_b − g) + o_ab p̈_b,   Q = (Re f, Im f, Re(ip)‾φ)
//! ```
//! These are the same equations as in space, which elements and inertias that are not wholly in one plane keep.

// Loops count nodes, so that they unroll.
#![allow(clippy::needless_range_loop)]

use super::beam::MOST_NODES;
use super::beam::{Beam, Point, VECTORS};
use crate::assembly::{Linearization, Term, Terms};
use crate::carried::{Carried, GROUND};
use crate::chart::{Chart, Frame};
use crate::inertia::Inertia;
use crate::state::Instant;
use crate::system::{Node, Places};
use poinsot_geometry::Vec3;
use poinsot_geometry::nalgebra::Complex;
use std::collections::HashMap;

type Number = Complex<f64>;

const ZERO: Number = Number::new(0.0, 0.0);

/// Unknowns of an element at most.
const UNKNOWNS: usize = 3 * MOST_NODES;
type Local = [[f64; UNKNOWNS]; UNKNOWNS];

/// Calls a method of an element for the number of its nodes.
macro_rules! by_count {
    ($element:ident, $method:ident($($argument:expr),*)) => {
        match $element.slots.count {
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

/// A point of an element: the parts of its quadrature that are in the plane.
#[derive(Clone, Debug)]
struct PlanePoint {
    weight: f64,
    value: [f64; MOST_NODES],
    slope: [f64; MOST_NODES],
    reference: [f64; 3],
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

#[derive(Clone, Debug)]
struct PlaneBeam {
    slots: Slots,
    /// z of x and of d at each node.
    origin: [Number; MOST_NODES],
    axis: [Number; MOST_NODES],
    stiffness: [[f64; 3]; 3],
    points: Vec<PlanePoint>,
}

#[derive(Clone, Debug)]
struct PlaneInertia {
    slots: Slots,
    /// m_ab, n_ab and o_ab.
    mass: [[(f64, Number, Number); MOST_NODES]; MOST_NODES],
}

/// All beam elements and inertias of a system that are in a plane.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlaneBeams {
    nodes: Vec<PlaneNode>,
    beams: Vec<PlaneBeam>,
    inertias: Vec<PlaneInertia>,
}

/// What the nodes do and what acts on them, while equations are made: forces conjugate to r and p.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlaneScratch {
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

    fn beam(&mut self, beam: &Beam, places: &Places) -> Option<PlaneBeam> {
        let (carried, points, stiffness) = beam.elastic()?;
        let slots = self.slots(carried, VECTORS, places)?;
        let upright = |m: usize| {
            let along = |k: usize| self.direction(&slots, k, &carried[VECTORS * k + 1 + m]).1;
            let sign = along(0).signum();
            (0..slots.count).all(|k| (sign * along(k) - 1.0).abs() < 1e-9).then_some((m, sign))
        };
        let (m, sign) = (0..3).find_map(upright)?;
        let (p, q) = ((m + 1) % 3, (m + 2) % 3);
        // Strains out of the plane would be constant; their stress is not taken into account.
        let x: Vec<Vec3> = carried.iter().map(|c| c.value(&self.all[c.node].start)).collect();
        let flat = |point: &Point| {
            let e = point.strain(&x);
            [m, 3 + p, 3 + q].iter().all(|&k| e[k].abs() < 1e-9)
        };
        if !points.iter().all(flat) {
            return None;
        }
        let (mut origin, mut axis) = ([ZERO; MOST_NODES], [ZERO; MOST_NODES]);
        for k in 0..slots.count {
            origin[k] = self.direction(&slots, k, &carried[VECTORS * k]).0;
            axis[k] = self.direction(&slots, k, &carried[VECTORS * k + 1 + p]).0;
        }
        // (Γ_p, Γ_q, K_m); the other axis is ±i d.
        let rows = [(p, 1.0), (q, sign), (3 + m, sign)];
        let stiffness = rows.map(|(i, si)| rows.map(|(j, sj)| si * sj * stiffness[(i, j)]));
        let in_plane = |x: &Point| PlanePoint {
            weight: x.weight,
            value: std::array::from_fn(|k| x.value[k]),
            slope: std::array::from_fn(|k| x.slope[k]),
            reference: rows.map(|(i, si)| si * x.reference[i]),
        };
        let points = points.iter().map(in_plane).collect();
        Some(PlaneBeam { slots, origin, axis, stiffness, points })
    }

    fn inertia(&mut self, law: &Inertia, places: &Places) -> Option<PlaneInertia> {
        let carried = law.carried();
        let each = carried.iter().take_while(|c| c.node == carried[0].node).count();
        if each == 0 || !carried.len().is_multiple_of(each) {
            return None;
        }
        let slots = self.slots(carried, each, places)?;
        let mut mass = [[(0.0, ZERO, ZERO); MOST_NODES]; MOST_NODES];
        for (i, left) in carried.iter().enumerate() {
            let (a, zi) = (i / each, self.direction(&slots, i / each, left).0);
            for (j, right) in carried.iter().enumerate() {
                let (b, zj) = (j / each, self.direction(&slots, j / each, right).0);
                let (share, m) = (&mut mass[a][b], law.coefficient(i, j));
                share.0 += left.c0 * m * right.c0;
                share.1 += zj * (left.c0 * m);
                share.2 += zi.conj() * zj * m;
            }
        }
        Some(PlaneInertia { slots, mass })
    }
}

impl PlaneBeams {
    /// Takes over the beams and inertias that are in a plane, one plane for all; returns which.
    pub fn new<'a>(
        nodes: &[Node],
        beams: impl Iterator<Item = Option<(&'a Beam, &'a Places)>>,
        inertias: impl Iterator<Item = (&'a Inertia, &'a Places)>,
    ) -> (Self, [Vec<bool>; 2]) {
        let mut finder = Finder { all: nodes, known: HashMap::new(), nodes: vec![] };
        let beams: Vec<_> =
            beams.map(|beam| beam.and_then(|(beam, places)| finder.beam(beam, places))).collect();
        let inertias: Vec<_> = inertias.map(|(law, places)| finder.inertia(law, places)).collect();
        let taken =
            [beams.iter().map(Option::is_some).collect(), inertias.iter().map(Option::is_some).collect()];
        let (beams, inertias) =
            (beams.into_iter().flatten().collect(), inertias.into_iter().flatten().collect());
        (PlaneBeams { nodes: finder.nodes, beams, inertias }, taken)
    }

    fn load(&self, at: &Instant, gravity: &Vec3, s: &mut PlaneScratch) {
        s.moving.clear();
        s.moving.extend(self.nodes.iter().map(|node| node.moving(at, gravity)));
    }

    /// Adds inertia less weight and the beams' share of −Q.
    pub fn add_residual(&self, at: &Instant, gravity: &Vec3, out: &mut [f64], s: &mut PlaneScratch) {
        self.load(at, gravity, s);
        s.loads.clear();
        s.loads.resize(self.nodes.len(), (ZERO, ZERO));
        for beam in &self.beams {
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

    /// Adds the inertia's and, if `loaded`, the beams' share of the step matrix.
    pub fn add_tangent(
        &self,
        at: &Linearization,
        gravity: &Vec3,
        loaded: bool,
        terms: &mut Terms,
        s: &mut PlaneScratch,
    ) {
        self.load(&at.stage, gravity, s);
        let (mut local, moving) = ([[0.0; UNKNOWNS]; UNKNOWNS], &s.moving);
        for inertia in &self.inertias {
            by_count!(inertia, add_tangent(at, moving, terms, &mut local));
        }
        for beam in self.beams.iter().filter(|_| loaded) {
            by_count!(beam, add_stiffness(moving, &mut local));
            beam.slots.scatter(&mut local, Term::Stiffness, terms);
        }
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

/// x′, d and d′ at a point.
struct PlaneFields {
    line: Number,
    axis: Number,
    bend: Number,
}

impl PlaneBeam {
    /// x and d of the nodes.
    #[inline]
    fn vectors<const N: usize>(&self, moving: &[Moving]) -> ([Number; N], [Number; N]) {
        let (mut x, mut d) = ([ZERO; N], [ZERO; N]);
        for k in 0..N {
            let node = &moving[self.slots.nodes[k]];
            x[k] = node.r + self.origin[k] * node.p;
            d[k] = self.axis[k] * node.p;
        }
        (x, d)
    }

    /// The fields at a point and w S = (s, M).
    #[inline]
    fn stress<const N: usize>(
        &self,
        point: &PlanePoint,
        x: &[Number; N],
        d: &[Number; N],
    ) -> (PlaneFields, Number, f64) {
        let (mut line, mut axis, mut bend) = (ZERO, ZERO, ZERO);
        for k in 0..N {
            line += x[k] * point.slope[k];
            axis += d[k] * point.value[k];
            bend += d[k] * point.slope[k];
        }
        let [e1, e2, e3] = point.reference;
        let e = [dot(axis, line) - e1, cross(axis, line) - e2, cross(axis, bend) - e3];
        let s = self.stiffness.map(|c| (c[0] * e[0] + c[1] * e[1] + c[2] * e[2]) * point.weight);
        (PlaneFields { line, axis, bend }, Number::new(s[0], s[1]), s[2])
    }

    /// Adds ∂V by r and p.
    #[inline]
    fn add_loads<const N: usize>(&self, moving: &[Moving], loads: &mut [(Number, Number)]) {
        let (x, d) = self.vectors::<N>(moving);
        for point in &self.points {
            let (y, s, m) = self.stress(point, &x, &d);
            let (on_line, on_bend) = (s * y.axis, turned(y.axis) * m);
            let on_axis = s.conj() * y.line - turned(y.bend) * m;
            for k in 0..N {
                let load = &mut loads[self.slots.nodes[k]];
                let f = on_line * point.slope[k];
                load.0 += f;
                let on_d = on_axis * point.value[k] + on_bend * point.slope[k];
                load.1 += self.origin[k].conj() * f + self.axis[k].conj() * on_d;
            }
        }
    }

    /// Adds ∂²V: rows of strains times C, what S does along second derivatives, and the turning of p.
    fn add_stiffness<const N: usize>(&self, moving: &[Moving], local: &mut Local) {
        let (x, d) = self.vectors::<N>(moving);
        for point in &self.points {
            let (y, s, m) = self.stress(point, &x, &d);
            let on_axis = s.conj() * y.line - turned(y.bend) * m;
            let (on_line, on_bend) = (s * y.axis, turned(y.axis) * m);
            // δx′ of all unknowns, δd and δd′ of the rotations, and the strains by all unknowns.
            let mut lines = [ZERO; UNKNOWNS];
            let (mut axes, mut bends) = ([ZERO; MOST_NODES], [ZERO; MOST_NODES]);
            let mut rows = [[0.0; 3]; UNKNOWNS];
            for k in 0..N {
                let Some(at) = self.slots.local[k] else { continue };
                let (value, slope) = (point.value[k], point.slope[k]);
                let (arm, turn) = (x[k] - moving[self.slots.nodes[k]].r, turned(d[k]));
                let own = [Number::new(slope, 0.0), Number::new(0.0, slope), turned(arm) * slope];
                lines[at..at + 3].copy_from_slice(&own);
                (axes[k], bends[k]) = (turn * value, turn * slope);
                for (row, line) in rows[at..at + 3].iter_mut().zip(own) {
                    *row = [dot(y.axis, line), cross(y.axis, line), 0.0];
                }
                let row = &mut rows[at + 2];
                row[0] += dot(axes[k], y.line);
                row[1] += cross(axes[k], y.line);
                row[2] = cross(axes[k], y.bend) + cross(y.axis, bends[k]);
                local[at + 2][at + 2] -=
                    slope * dot(on_line, arm) + value * dot(on_axis, d[k]) + slope * dot(on_bend, d[k]);
            }
            let n = self.slots.unknowns;
            let stress = rows
                .map(|e| self.stiffness.map(|c| point.weight * (c[0] * e[0] + c[1] * e[1] + c[2] * e[2])));
            for (row, e) in local[..n].iter_mut().zip(&rows) {
                for (value, s) in row[..n].iter_mut().zip(&stress) {
                    *value += e[0] * s[0] + e[1] * s[1] + e[2] * s[2];
                }
            }
            for k in 0..N {
                let Some(at) = self.slots.local[k] else { continue };
                // Re s̄ δd̄ δx′ + M Im δd̄ δd′ and the same with both δ exchanged.
                let along = s * axes[k];
                for (j, line) in lines[..n].iter().enumerate() {
                    let value = dot(along, *line);
                    local[at + 2][j] += value;
                    local[j][at + 2] += value;
                }
                for l in 0..N {
                    let Some(other) = self.slots.local[l] else { continue };
                    let value = m * cross(axes[k], bends[l]);
                    local[at + 2][other + 2] += value;
                    local[other + 2][at + 2] += value;
                }
            }
        }
    }
}

impl PlaneInertia {
    /// f_a and φ_a of a node of the element.
    #[inline]
    fn force<const N: usize>(&self, a: usize, moving: &[Moving]) -> (Number, Number) {
        let (mut f, mut phi) = (ZERO, ZERO);
        for b in 0..N {
            let (node, (m, n, o)) = (&moving[self.slots.nodes[b]], self.mass[a][b]);
            f += node.fall * m + n * node.swing;
            phi += self.mass[b][a].1.conj() * node.fall + o * node.swing;
        }
        (f, phi)
    }

    #[inline]
    fn add_loads<const N: usize>(&self, moving: &[Moving], loads: &mut [(Number, Number)]) {
        for a in 0..N {
            let (f, phi) = self.force::<N>(a, moving);
            let load = &mut loads[self.slots.nodes[a]];
            *load = (load.0 + f, load.1 + phi);
        }
    }

    /// Adds the columns of θ_b where p̈_b changes by `change` of node b.
    #[inline]
    fn add_columns<const N: usize>(
        &self,
        moving: &[Moving],
        change: impl Fn(&Moving) -> Number,
        local: &mut Local,
    ) {
        for b in 0..N {
            let Some(j) = self.slots.local[b] else { continue };
            let swing = change(&moving[self.slots.nodes[b]]);
            for a in 0..N {
                let Some(i) = self.slots.local[a] else { continue };
                let (_, n, o) = self.mass[a][b];
                let f = n * swing;
                local[i][j + 2] += f.re;
                local[i + 1][j + 2] += f.im;
                local[i + 2][j + 2] += cross(moving[self.slots.nodes[a]].p, o * swing);
            }
        }
    }

    /// Adds `factor` ∂R/∂a: p̈ goes by i p.
    #[inline]
    fn add_mass<const N: usize>(&self, moving: &[Moving], factor: f64, local: &mut Local) {
        for a in 0..N {
            let Some(i) = self.slots.local[a] else { continue };
            let p = moving[self.slots.nodes[a]].p * factor;
            for b in 0..N {
                let Some(j) = self.slots.local[b] else { continue };
                let (m, by_fall) = (self.mass[a][b].0 * factor, self.mass[b][a].1.conj());
                local[i][j] += m;
                local[i + 1][j + 1] += m;
                local[i + 2][j] += cross(p, by_fall);
                local[i + 2][j + 1] += cross(p, turned(by_fall));
            }
        }
        self.add_columns::<N>(moving, |node| turned(node.p) * factor, local);
    }

    /// Adds `factor` ∂R/∂v: p̈ goes by −2ω p.
    #[inline]
    fn add_spin<const N: usize>(&self, moving: &[Moving], factor: f64, local: &mut Local) {
        self.add_columns::<N>(moving, |node| node.p * (-2.0 * node.omega * factor), local);
    }

    /// Adds `factor` ∂R/∂q: p̈ turns with p, and so does the direction of Q.
    #[inline]
    fn add_turn<const N: usize>(&self, moving: &[Moving], factor: f64, local: &mut Local) {
        self.add_columns::<N>(moving, |node| turned(node.swing) * factor, local);
        for a in 0..N {
            if let Some(at) = self.slots.local[a] {
                let phi = self.force::<N>(a, moving).1;
                local[at + 2][at + 2] -= factor * dot(moving[self.slots.nodes[a]].p, phi);
            }
        }
    }

    /// Adds its share of the step matrix; `local` is zero before and after.
    #[inline]
    fn add_tangent<const N: usize>(
        &self,
        at: &Linearization,
        moving: &[Moving],
        terms: &mut Terms,
        local: &mut Local,
    ) {
        // Summed terms go to their slots at once.
        if let Terms::Sum { .. } = terms {
            self.add_mass::<N>(moving, at.mass, local);
            self.add_spin::<N>(moving, at.damping, local);
            self.add_turn::<N>(moving, at.stiffness, local);
            return self.slots.scatter(local, Term::Constant, terms);
        }
        self.add_mass::<N>(moving, 1.0, local);
        self.slots.scatter(local, Term::Mass, terms);
        self.add_spin::<N>(moving, 1.0, local);
        self.slots.scatter(local, Term::Damping, terms);
        self.add_turn::<N>(moving, 1.0, local);
        self.slots.scatter(local, Term::Stiffness, terms);
    }
}
