//! Lines evaluated together, in as many components as their plane or space has.
//!
//! Places and slopes of points move by their own components, so that an element needs no charts: with x in
//! the axes of the plane, or of space, and f = ∂V/∂x
//!
//! ```text
//! R_a = Σ_b M_ab (ẍ_b − c_b g) + f_a,     ∂R_a/∂x_b = Σ_g (s_a′ s_b′ H_yy + s_a′ s_b″ H_yz + s_a″ s_b′ H_yzᵀ + s_a″ s_b″ H_zz)
//! ```
//! with f and H of y = r′ and z = r″ as in `measure.rs`. It takes lines with the measures of stretch and
//! curvature and without viscosity, in space those that are straight without load; others are evaluated one
//! by one.

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
type Matrix<const D: usize> = [[f64; D]; D];

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
struct Slots {
    vectors: [usize; 4],
    count: usize,
    local: [usize; 4],
    unknowns: usize,
    block: Vec<u32>,
}

/// A Gauss point of an element.
#[derive(Clone, Debug)]
struct LinePoint {
    weights: [f64; 2],
    reference: [f64; 2],
    slope: [f64; 4],
    curvature: [f64; 4],
}

/// An element.
#[derive(Clone, Debug)]
struct Element {
    slots: Slots,
    points: Vec<LinePoint>,
    axial: f64,
    bending: f64,
    /// The mass between the same vectors.
    mass: Option<[[f64; 4]; 4]>,
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
    elements: Vec<Element>,
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
struct VectorOf<const D: usize>(Vector<D>);

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
    /// Elements by their vectors.
    elements: HashMap<[usize; 4], usize>,
    lines: Lines<D>,
}

impl<'a, const D: usize> Finder<'a, D> {
    fn new(nodes: &'a [Node]) -> Self {
        Finder { nodes, known: HashMap::new(), elements: HashMap::new(), lines: Lines::default() }
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
        self.elements.insert(slots.vectors, self.lines.elements.len());
        self.lines.elements.push(Element { slots, points, axial, bending, mass: None });
        true
    }

    fn mass(&mut self, law: &Inertia, places: &Places) -> bool {
        let Some(slots) = self.slots(law.carried(), places) else { return false };
        let mut mass = [[0.0; 4]; 4];
        for (a, row) in mass[..slots.count].iter_mut().enumerate() {
            row[..slots.count].iter_mut().enumerate().for_each(|(b, m)| *m = law.coefficient(a, b));
        }
        // With the element, if it has none yet: its vectors are looked at once for both.
        let element = self.elements.get(&slots.vectors).filter(|_| slots.count == 4);
        match element.map(|&k| &mut self.lines.elements[k]).filter(|e| e.mass.is_none()) {
            Some(element) => element.mass = Some(mass),
            None => self.lines.masses.push(Mass { slots, mass }),
        }
        true
    }
}

impl<const D: usize> Default for VectorOf<D> {
    fn default() -> Self {
        VectorOf([0.0; D])
    }
}

#[inline(always)]
fn dot<const D: usize>(a: &Vector<D>, b: &Vector<D>) -> f64 {
    let mut sum = 0.0;
    for i in 0..D {
        sum += a[i] * b[i];
    }
    sum
}

/// a b + c d.
#[inline(always)]
fn mix<const D: usize>(a: f64, x: &Vector<D>, b: f64, y: &Vector<D>) -> Vector<D> {
    std::array::from_fn(|i| a * x[i] + b * y[i])
}

/// Adds factor · left rightᵀ.
#[inline(always)]
fn outer<const D: usize>(m: &mut Matrix<D>, factor: f64, left: &Vector<D>, right: &Vector<D>) {
    for i in 0..D {
        for j in 0..D {
            m[i][j] += factor * left[i] * right[j];
        }
    }
}

/// Adds factor to the diagonal.
#[inline(always)]
fn diagonal<const D: usize>(m: &mut Matrix<D>, factor: f64) {
    m.iter_mut().enumerate().for_each(|(i, row)| row[i] += factor);
}

/// The energy of bending at a Gauss point of weight w: ∂V by y and z, and the second derivatives.
trait Bending<const D: usize> {
    fn slopes(&self, y: &Vector<D>, z: &Vector<D>, w: f64, zero: f64) -> [Vector<D>; 2];
    fn second(&self, y: &Vector<D>, z: &Vector<D>, w: f64, zero: f64) -> [Matrix<D>; 3];
}

impl Bending<2> for Element {
    #[inline(always)]
    fn slopes(&self, y: &Vector<2>, z: &Vector<2>, w: f64, zero: f64) -> [Vector<2>; 2] {
        let i = 1.0 / dot(y, y);
        let k = (y[0] * z[1] - y[1] * z[0]) * i;
        let m = w * self.bending * (k - zero) * i;
        [[m * (z[1] - 2.0 * k * y[0]), m * (-z[0] - 2.0 * k * y[1])], [-m * y[1], m * y[0]]]
    }

    #[inline(always)]
    fn second(&self, y: &Vector<2>, z: &Vector<2>, w: f64, zero: f64) -> [Matrix<2>; 3] {
        let i = 1.0 / dot(y, y);
        let k = (y[0] * z[1] - y[1] * z[0]) * i;
        let (across_z, across_y) = ([z[1], -z[0]], [-y[1], y[0]]);
        let by_y = mix(i, &across_z, -2.0 * k * i, y);
        let by_z = [across_y[0] * i, across_y[1] * i];
        let (c, m) = (w * self.bending, w * self.bending * (k - zero));
        let (mut yy, mut yz, mut zz) = ([[0.0; 2]; 2], [[0.0; 2]; 2], [[0.0; 2]; 2]);
        outer(&mut yy, c, &by_y, &by_y);
        outer(&mut yz, c, &by_y, &by_z);
        outer(&mut zz, c, &by_z, &by_z);
        outer(&mut yy, -2.0 * m * i * i, &across_z, y);
        outer(&mut yy, -2.0 * m * i * i, y, &across_z);
        outer(&mut yy, 8.0 * m * k * i * i, y, y);
        diagonal(&mut yy, -2.0 * m * k * i);
        outer(&mut yz, -2.0 * m * i * i, y, &across_y);
        yz[0][1] += m * i;
        yz[1][0] -= m * i;
        [yy, yz, zz]
    }
}

impl Bending<3> for Element {
    #[inline(always)]
    fn slopes(&self, y: &Vector<3>, z: &Vector<3>, w: f64, _zero: f64) -> [Vector<3>; 2] {
        let i = 1.0 / dot(y, y);
        let u = dot(y, z) * i;
        let across = mix(1.0, z, -u, y);
        let (c, square) = (w * self.bending * i, dot(&across, &across) * i);
        [mix(-c * square, y, -c * u, &across), mix(c, &across, 0.0, &across)]
    }

    #[inline(always)]
    fn second(&self, y: &Vector<3>, z: &Vector<3>, w: f64, _zero: f64) -> [Matrix<3>; 3] {
        let i = 1.0 / dot(y, y);
        let (u, zeta) = (dot(y, z) * i, dot(z, z) * i);
        let c = 0.5 * w * self.bending * i;
        let u_y = mix(i, z, -2.0 * u * i, y);
        let (mut yy, mut yz, mut zz) = ([[0.0; 3]; 3], [[0.0; 3]; 3], [[0.0; 3]; 3]);
        diagonal(&mut yy, c * (4.0 * u * u - 2.0 * zeta));
        outer(&mut yy, c * 8.0 * i * (zeta - u * u), y, y);
        outer(&mut yy, c, z, &mix(4.0 * u * i, y, -2.0, &u_y));
        outer(&mut yy, c * 8.0 * u, y, &u_y);
        outer(&mut yz, -4.0 * c * i, y, z);
        outer(&mut yz, -2.0 * c * i, z, y);
        outer(&mut yz, 8.0 * c * u * i, y, y);
        diagonal(&mut yz, -2.0 * c * u);
        diagonal(&mut zz, 2.0 * c);
        outer(&mut zz, -2.0 * c * i, y, y);
        [yy, yz, zz]
    }
}

impl Element {
    #[inline(always)]
    fn vectors<const D: usize>(&self, x: &[VectorOf<D>]) -> [Vector<D>; 4] {
        self.slots.vectors.map(|v| x[v].0)
    }

    #[inline(always)]
    fn fields<const D: usize>(p: &LinePoint, x: &[Vector<D>; 4]) -> [Vector<D>; 2] {
        let sum = |s: &[f64; 4]| {
            std::array::from_fn(|i| s[0] * x[0][i] + s[1] * x[1][i] + s[2] * x[2][i] + s[3] * x[3][i])
        };
        [sum(&p.slope), sum(&p.curvature)]
    }

    /// Adds ∂V/∂x.
    #[inline]
    fn add_loads<const D: usize>(&self, x: &[VectorOf<D>], fall: &[VectorOf<D>], loads: &mut [VectorOf<D>])
    where
        Element: Bending<D>,
    {
        let x = self.vectors(x);
        let mut f = [[0.0; D]; 4];
        for p in &self.points {
            let [y, z] = Self::fields(p, &x);
            let length = dot(&y, &y).sqrt();
            let tension = p.weights[0] * self.axial * (length - p.reference[0]) / length;
            let [by_y, by_z] = self.slopes(&y, &z, p.weights[1], p.reference[1]);
            for (a, f) in f.iter_mut().enumerate() {
                for i in 0..D {
                    f[i] += p.slope[a] * (tension * y[i] + by_y[i]) + p.curvature[a] * by_z[i];
                }
            }
        }
        if let Some(mass) = &self.mass {
            let fall = self.vectors(fall);
            for (f, row) in f.iter_mut().zip(mass) {
                for (fall, m) in fall.iter().zip(row) {
                    for i in 0..D {
                        f[i] += m * fall[i];
                    }
                }
            }
        }
        for (f, v) in f.iter().zip(self.slots.vectors) {
            f.iter().enumerate().for_each(|(i, f)| loads[v].0[i] += f);
        }
    }

    /// Puts `factor` ∂²V/∂x² into a local matrix.
    fn add_stiffness<const D: usize>(&self, x: &[VectorOf<D>], factor: f64, local: &mut Local)
    where
        Element: Bending<D>,
    {
        let x = self.vectors(x);
        for p in &self.points {
            let [y, z] = Self::fields(p, &x);
            let length = dot(&y, &y).sqrt();
            let [mut yy, yz, zz] = self.second(&y, &z, factor * p.weights[1], p.reference[1]);
            let c = factor * p.weights[0] * self.axial;
            let tension = c * (length - p.reference[0]) / length;
            diagonal(&mut yy, tension);
            outer(&mut yy, (c - tension) / (length * length), &y, &y);
            for b in 0..4 {
                let (sb, kb) = (p.slope[b], p.curvature[b]);
                // H times the column of vector b.
                let mut on_y = [[0.0; D]; D];
                let mut on_z = [[0.0; D]; D];
                for i in 0..D {
                    for j in 0..D {
                        on_y[i][j] = yy[i][j] * sb + yz[i][j] * kb;
                        on_z[i][j] = yz[j][i] * sb + zz[i][j] * kb;
                    }
                }
                let column = self.slots.local[b];
                // It is symmetric: the blocks above the diagonal follow.
                for a in b..4 {
                    let (sa, ka, row) = (p.slope[a], p.curvature[a], self.slots.local[a]);
                    for i in 0..D {
                        for j in 0..D {
                            local[row + i][column + j] += sa * on_y[i][j] + ka * on_z[i][j];
                        }
                    }
                }
            }
        }
        for b in 0..4 {
            for a in b + 1..4 {
                let (row, column) = (self.slots.local[a], self.slots.local[b]);
                for i in 0..D {
                    for j in 0..D {
                        local[column + j][row + i] = local[row + i][column + j];
                    }
                }
            }
        }
    }

    /// Adds `factor` M to a local matrix.
    #[inline]
    fn add_mass<const D: usize>(&self, factor: f64, local: &mut Local) {
        let Some(mass) = &self.mass else { return };
        for (a, row) in mass.iter().enumerate() {
            for (b, m) in row.iter().enumerate() {
                for i in 0..D {
                    local[self.slots.local[a] + i][self.slots.local[b] + i] += factor * m;
                }
            }
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

impl<const D: usize> Lines<D>
where
    Element: Bending<D>,
{
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
        for element in &self.elements {
            element.add_loads(&s.x, &s.fall, &mut s.loads);
        }
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
        if self.elements.is_empty() {
            return;
        }
        self.load(&at.stage, s);
        // Summed terms go to their slots at once.
        let summed = matches!(terms, Terms::Sum { .. });
        for element in &self.elements {
            match (share.forces, summed) {
                (true, true) => {
                    element.add_stiffness(&s.x, at.stiffness, &mut local);
                    element.add_mass::<D>(at.mass, &mut local);
                    element.slots.scatter(&mut local, Term::Constant, terms);
                }
                (forces, _) => {
                    element.add_mass::<D>(1.0, &mut local);
                    element.slots.scatter(&mut local, Term::Mass, terms);
                    if forces {
                        element.add_stiffness(&s.x, 1.0, &mut local);
                        element.slots.scatter(&mut local, Term::Stiffness, terms);
                    }
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
        *self = LineElements { plane: plane.lines, space: space.lines };
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
