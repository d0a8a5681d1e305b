//! A beam element of two, three or four nodes (energy-momentum-null-space I-39 … I-43).
//!
//! ```text
//! r(s) = Σ N_a r_a,   d_i(s) = Σ N_a d_i^a                                                               I-40
//! Γ_i = d_i·r′ − ref,   K_i = ½(d_k·d_j′ − d_j·d_k′) − ref,   (i, j, k) cyclic                            I-39
//! S = C ε + C_v ε̇,   ε = (Γ, K)
//! V = Σ_g w ½ ε·Cε,   f = −Σ_g w Σ_k S_k ∂ε_k
//! ```
//! The strains are bilinear in the nodal vectors, ε_k = ½ xᵀB_k x − ref. Over a step the stress is that of
//! the mean of the strains at its ends and the gradient that of the mean configuration, which conserves
//! energy and both momenta exactly (I-43):
//!
//! ```text
//! S = C ½(ε + ε⁺) + (C_v/h + χC) Δε,   f = −Σ_g w Σ_k S_k B_k x̄,   Δε_k = (B_k x̄)·Δx
//! ```
//! One Gauss point less than nodes: with more the element locks (I-43 c,
//! motion-interpolation-galerkin §1.12). The reference strains are those of the interpolated reference at
//! the same points, Γ included, so that any curved and twisted line is free of stress (I-43 b).

use super::interpolation::{MAX_NODES, lagrange, shape};
use super::plane::BeamElement;
use super::section::Section;
use crate::carried::Carried;
use crate::chart::Frame;
use crate::force::{Force, Motion, Power};
use crate::joints::Attachment;
use crate::lists::Blocks;
use crate::passage::Passage;
use crate::strain::{OWN, Slopes, StrainPoint};
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6, so3};
use poinsot_numerics::quadrature::gauss_legendre;
use thiserror::Error;

/// Nodal vectors of a node: r, d₁, d₂, d₃.
pub(super) const VECTORS: usize = 4;
/// Most nodes of an element with interpolated directors.
pub(super) const MOST_NODES: usize = 4;

/// The strains that each of them takes part in: Γ, and Γ_m, K_{m+1}, K_{m+2} of d_m.
const ROWS: [[usize; OWN]; VECTORS] = [[0, 1, 2], [0, 4, 5], [1, 5, 3], [2, 3, 4]];

/// Why a beam element cannot be made.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum BeamError {
    /// The number of nodes is not one an element can have.
    #[error("a beam element has 2 to {most} nodes, not {nodes}")]
    Nodes {
        /// Nodes.
        nodes: usize,
        /// Most nodes of such an element.
        most: usize,
    },
    /// Reference frames and nodes do not agree in number.
    #[error("{nodes} nodes of a beam element have {frames} reference frames")]
    Reference {
        /// Nodes.
        nodes: usize,
        /// Frames.
        frames: usize,
    },
    /// The nodes of a chain do not make whole elements.
    #[error("{nodes} nodes do not make whole beam elements of order {order}")]
    Chain {
        /// Nodes.
        nodes: usize,
        /// Degree of the interpolation.
        order: usize,
    },
    /// The line stands still somewhere.
    #[error("the line of a beam element has no length at one of its points: are two nodes in one place?")]
    NoLength,
    /// Two nodes are half a turn apart.
    #[error("two nodes of a beam element are turned against each other by half a turn: use shorter elements")]
    HalfTurn,
}

/// Strains and stress resultants of a section, in the order (Γ₁, Γ₂, Γ₃, K₁, K₂, K₃), in section axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SectionState {
    /// Shear, extension, bending and torsion less those of the reference.
    pub strain: Vec6,
    /// Shear forces, tension, bending moments and torque.
    pub resultant: Vec6,
    /// The least length of the interpolated section axes at the Gauss points of the element: 1 without
    /// bending and torsion, cos θ/2 between two nodes that are turned by θ against each other. An element
    /// that folds has axes of no length and no stiffness.
    pub axes: f64,
}

/// Where a section is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SectionPlace {
    /// Point of the line (m).
    pub position: Vec3,
    /// Its velocity (m/s).
    pub velocity: Vec3,
    /// Section axes d₁, d₂, d₃ as columns: the rotation nearest to the interpolated ones.
    pub axes: Mat3,
}

/// A Gauss point.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    pub xi: f64,
    /// Weight times ds/dξ.
    pub weight: f64,
    /// N_a.
    pub value: [f64; MAX_NODES],
    /// dN_a/ds.
    pub slope: [f64; MAX_NODES],
    /// Strains of the reference.
    pub reference: Vec6,
}

/// r′, d_i and d_i′ at a point, or what is conjugate to them.
#[derive(Clone, Copy)]
struct Fields {
    line: Vec3,
    axes: [Vec3; 3],
    bends: [Vec3; 3],
}

impl Point {
    #[inline]
    fn fields(&self, x: &[Vec3]) -> Fields {
        let zero = Vec3::zeros();
        let mut y = Fields { line: zero, axes: [zero; 3], bends: [zero; 3] };
        for (a, x) in x.chunks_exact(VECTORS).enumerate() {
            let (value, slope) = (self.value[a], self.slope[a]);
            y.line += x[0] * slope;
            for i in 0..3 {
                y.axes[i] += x[1 + i] * value;
                y.bends[i] += x[1 + i] * slope;
            }
        }
        y
    }

    /// f −= the transpose of [`Point::fields`].
    #[inline]
    fn pull(&self, y: &Fields, f: &mut [Vec3]) {
        for (a, f) in f.chunks_exact_mut(VECTORS).enumerate() {
            let (value, slope) = (self.value[a], self.slope[a]);
            f[0] -= y.line * slope;
            for i in 0..3 {
                f[1 + i] -= y.axes[i] * value + y.bends[i] * slope;
            }
        }
    }

    pub fn strain(&self, x: &[Vec3]) -> Vec6 {
        self.fields(x).strain() - self.reference
    }

    /// B_k x of every nodal vector, in the order of [`ROWS`].
    fn slopes(&self, y: &Fields, slopes: &mut [Slopes], nodes: usize) {
        for (a, g) in slopes.chunks_exact_mut(VECTORS).take(nodes).enumerate() {
            let (value, slope) = (self.value[a], self.slope[a]);
            g[0] = y.axes.map(|d| d * slope);
            for m in 0..3 {
                let (j, k) = ((m + 1) % 3, (m + 2) % 3);
                let by_next = (y.bends[k] * value - y.axes[k] * slope) * 0.5;
                let by_last = (y.axes[j] * slope - y.bends[j] * value) * 0.5;
                g[1 + m] = [y.line * value, by_next, by_last];
            }
        }
    }

    /// Σ_k S_k B_k, whose blocks are multiples of the identity.
    fn geometric(&self, nodes: usize, s: &Vec6, point: &mut StrainPoint) {
        point.clear_geometric();
        for a in 0..nodes {
            for b in 0..nodes {
                let (value, slope) = (self.value[a], self.slope[b]);
                let bend = 0.5 * (value * slope - self.slope[a] * self.value[b]);
                for i in 0..3 {
                    let (j, k) = ((i + 1) % 3, (i + 2) % 3);
                    point.push_geometric(VECTORS * b, VECTORS * a + 1 + i, s[i] * value * slope);
                    if a != b {
                        point.push_geometric(VECTORS * a + 1 + k, VECTORS * b + 1 + j, s[3 + i] * bend);
                    }
                }
            }
        }
    }
}

impl Fields {
    #[inline]
    fn strain(&self) -> Vec6 {
        let mut e = Vec6::zeros();
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            e[i] = self.axes[i].dot(&self.line);
            e[3 + i] = 0.5 * (self.axes[k].dot(&self.bends[j]) - self.axes[j].dot(&self.bends[k]));
        }
        e
    }

    /// Σ_k S_k ∂ε_k by the fields: the force of the section, and for each axis what turns and what bends it.
    #[inline]
    fn stressed(&self, s: &Vec6) -> Fields {
        let mut y = *self;
        y.line = self.axes[0] * s[0] + self.axes[1] * s[1] + self.axes[2] * s[2];
        for m in 0..3 {
            let (j, k) = ((m + 1) % 3, (m + 2) % 3);
            let (by_next, by_last) = (0.5 * s[3 + j], 0.5 * s[3 + k]);
            y.axes[m] = self.line * s[m] + self.bends[k] * by_next - self.bends[j] * by_last;
            y.bends[m] = self.axes[j] * by_last - self.axes[k] * by_next;
        }
        y
    }

    /// The rate of the strains, Σ ∂ε · ẏ.
    fn strain_rate(&self, rate: &Fields) -> Vec6 {
        let mut e = Vec6::zeros();
        for i in 0..3 {
            let (j, k) = ((i + 1) % 3, (i + 2) % 3);
            e[i] = self.axes[i].dot(&rate.line) + rate.axes[i].dot(&self.line);
            let first = self.axes[k].dot(&rate.bends[j]) + rate.axes[k].dot(&self.bends[j]);
            let second = self.axes[j].dot(&rate.bends[k]) + rate.axes[j].dot(&self.bends[k]);
            e[3 + i] = 0.5 * (first - second);
        }
        e
    }
}

/// A geometrically exact beam element.
#[derive(Clone, Debug)]
pub struct Beam {
    carried: Vec<Carried>,
    points: Vec<Point>,
    stiffness: Mat6,
    viscosity: Option<Mat6>,
    length: f64,
}

impl Beam {
    /// An element along nodes in the order of the line, those inside at the Gauss–Lobatto points of its
    /// length (see [`node_shares`](super::node_shares)). The third axis of an attachment goes along the line,
    /// the others are the section axes; `reference` holds the origin and the axes of each attachment, in
    /// world axes, where the beam is free of stress.
    pub fn new(nodes: &[Attachment], reference: &[Frame], section: &Section) -> Result<Self, BeamError> {
        let x = nodal_vectors(nodes, reference, MOST_NODES)?;
        let carried =
            nodes.iter().flat_map(|node| [node.point(), node.axis(0), node.axis(1), node.axis(2)]).collect();
        let points = gauss_points(&x, nodes.len() - 1)?;
        let viscosity = (section.viscosity != Mat6::zeros()).then_some(section.viscosity);
        let length = arc_length(&x)?;
        Ok(Beam { carried, points, stiffness: section.stiffness, viscosity, length })
    }

    /// Length of the reference line (m).
    pub fn length(&self) -> f64 {
        self.length
    }

    /// Strains and stress resultants at ξ in [−1, 1]: those of the Gauss points, where they are most
    /// accurate, carried on as a polynomial.
    pub fn section_state(&self, at: &Motion, xi: f64) -> SectionState {
        let mut places = [0.0; MAX_NODES];
        places.iter_mut().zip(&self.points).for_each(|(place, p)| *place = p.xi);
        let weights = lagrange(&places[..self.points.len()], xi).value;
        let mut state = SectionState { strain: Vec6::zeros(), resultant: Vec6::zeros(), axes: f64::INFINITY };
        for (p, weight) in self.points.iter().zip(weights) {
            let y = p.fields(at.x);
            let (strain, resultant) = self.stress(p, &y, at);
            state.strain += strain * weight;
            state.resultant += resultant * weight;
            state.axes = y.axes.iter().map(|d| d.norm()).fold(state.axes, f64::min);
        }
        state
    }

    /// Point of the line and section axes at ξ in [−1, 1], as interpolated.
    pub fn section_place(&self, at: &Motion, xi: f64) -> SectionPlace {
        let weights = shape(self.nodes(), xi).value;
        let sum = |x: &[Vec3], k: usize| -> Vec3 {
            x.chunks_exact(VECTORS).zip(weights).map(|(x, weight)| x[k] * weight).sum()
        };
        let axes = Mat3::from_columns(&[sum(at.x, 1), sum(at.x, 2), sum(at.x, 3)]);
        let axes = so3::polar(&axes).unwrap_or(axes);
        SectionPlace { position: sum(at.x, 0), velocity: sum(at.xdot, 0), axes }
    }

    /// Nodal vectors, Gauss points and stiffness, if it is not viscous.
    pub(super) fn elastic(&self) -> Option<(&[Carried], &[Point], &Mat6)> {
        self.viscosity.is_none().then_some((&self.carried, &self.points, &self.stiffness))
    }

    fn nodes(&self) -> usize {
        self.carried.len() / VECTORS
    }

    /// ε and S = C ε + C_v ε̇ at a point with these fields.
    #[inline]
    fn stress(&self, p: &Point, y: &Fields, at: &Motion) -> (Vec6, Vec6) {
        let strain = y.strain() - p.reference;
        let mut s = self.stiffness * strain;
        if let Some(viscosity) = &self.viscosity {
            s += viscosity * y.strain_rate(&p.fields(at.xdot));
        }
        (strain, s)
    }

    /// Over a step: S, the fields of x̄ and Δε.
    fn mean_stress(&self, p: &Point, step: &Passage) -> (Vec6, Fields, Vec6) {
        let y = p.fields(step.mean);
        let change = y.strain_rate(&p.fields(step.rate)) * step.h;
        let mean = (p.strain(step.from) + p.strain(step.to)) * 0.5;
        (self.stiffness * mean + self.drag(step) * change, y, change)
    }

    /// C_v/h + χ C.
    fn drag(&self, step: &Passage) -> Mat6 {
        self.viscosity.map_or_else(Mat6::zeros, |v| v / step.h) + self.stiffness * step.dissipation
    }
}

/// r, d₁, d₂, d₃ of each node in the reference.
pub(super) fn nodal_vectors(
    nodes: &[Attachment],
    reference: &[Frame],
    most: usize,
) -> Result<Vec<Vec3>, BeamError> {
    let n = nodes.len();
    if !(2..=most).contains(&n) {
        return Err(BeamError::Nodes { nodes: n, most });
    }
    if reference.len() != n {
        return Err(BeamError::Reference { nodes: n, frames: reference.len() });
    }
    let column = |z: &Frame, k: usize| z.rot.column(k).into_owned();
    Ok(reference.iter().flat_map(|z| [z.r, column(z, 0), column(z, 1), column(z, 2)]).collect())
}

/// As many Gauss points as asked for, with the strains of the reference.
pub(super) fn gauss_points(x: &[Vec3], count: usize) -> Result<Vec<Point>, BeamError> {
    let n = x.len() / VECTORS;
    let (places, weights) = gauss_legendre(count);
    let point = |(&xi, &weight): (&f64, &f64)| {
        let shape = shape(n, xi);
        let mut p = Point { xi, weight, value: shape.value, slope: shape.slope, reference: Vec6::zeros() };
        let stretch = p.fields(x).line.norm();
        if !(stretch > 0.0 && stretch.is_finite()) {
            return Err(BeamError::NoLength);
        }
        p.weight *= stretch;
        p.slope.iter_mut().for_each(|slope| *slope /= stretch);
        p.reference = p.fields(x).strain();
        Ok(p)
    };
    places.iter().zip(&weights).map(point).collect()
}

/// ∫|dr/dξ| dξ of the interpolated reference line.
fn arc_length(x: &[Vec3]) -> Result<f64, BeamError> {
    Ok(gauss_points(x, 8)?.iter().map(|p| p.weight).sum())
}

impl Force for Beam {
    fn kind(&self) -> &'static str {
        "beam"
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        for p in &self.points {
            let y = p.fields(at.x);
            let s = self.stress(p, &y, at).1 * p.weight;
            p.pull(&y.stressed(&s), f);
        }
    }

    fn sees_velocity(&self) -> bool {
        self.viscosity.is_some()
    }

    fn strain_points(&self) -> usize {
        self.points.len()
    }

    fn strain_point(&self, k: usize, at: &Motion, out: &mut StrainPoint) {
        let (p, nodes) = (&self.points[k], self.nodes());
        let y = p.fields(at.x);
        out.rows = &ROWS;
        out.stiffness = self.stiffness * p.weight;
        out.viscosity = self.viscosity.map(|v| v * p.weight);
        p.slopes(&y, &mut out.slopes, nodes);
        if self.viscosity.is_some() {
            p.slopes(&p.fields(at.xdot), &mut out.rates, nodes);
        }
        p.geometric(nodes, &(self.stress(p, &y, at).1 * p.weight), out);
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, c: &mut Blocks) {
        let n = self.carried.len();
        let mut point = StrainPoint::default();
        let (k, c) = (k.push_table(n), self.viscosity.map(|_| c.push_table(n)).unwrap_or_default());
        for i in 0..self.points.len() {
            self.strain_point(i, at, &mut point);
            point.add_products(n, |b| point.stress_slopes(b), k);
            point.add_geometric(n, k);
            if let Some(viscosity) = &point.viscosity {
                point.add_products(n, |b| point.through(viscosity, &point.slopes[b], b), c);
            }
        }
    }

    fn potential(&self, at: &Motion) -> f64 {
        let energy = |p: &Point| {
            let strain = p.strain(at.x);
            0.5 * p.weight * strain.dot(&(self.stiffness * strain))
        };
        self.points.iter().map(energy).sum()
    }

    fn power(&self, at: &Motion) -> Power {
        let Some(viscosity) = &self.viscosity else { return Power::default() };
        let lost = |p: &Point| {
            let rate = p.fields(at.x).strain_rate(&p.fields(at.xdot));
            p.weight * rate.dot(&(viscosity * rate))
        };
        Power { supplied: 0.0, dissipated: self.points.iter().map(lost).sum() }
    }

    fn discrete_force(&self, step: &Passage, f: &mut [Vec3]) {
        for p in &self.points {
            let (s, y, _) = self.mean_stress(p, step);
            p.pull(&y.stressed(&(s * p.weight)), f);
        }
    }

    /// −Σ_g w ((B_k x̄) ⊗ (½C + C_v/h + χC)(B_k x⁺) + ½ S_k B_k): the gradient of Δε by x⁺ is that of ε⁺.
    fn discrete_tangent(&self, step: &Passage, k: &mut Blocks, _c: &mut Blocks) {
        let (n, nodes) = (self.carried.len(), self.nodes());
        let mut point = StrainPoint::default();
        point.rows = &ROWS;
        let mut ends = point.slopes;
        let k = k.push_table(n);
        for p in &self.points {
            let by_end = (self.stiffness * 0.5 + self.drag(step)) * p.weight;
            let (s, y, _) = self.mean_stress(p, step);
            p.slopes(&y, &mut point.slopes, nodes);
            p.slopes(&p.fields(step.to), &mut ends, nodes);
            p.geometric(nodes, &(s * (0.5 * p.weight)), &mut point);
            point.add_products(n, |b| point.through(&by_end, &ends[b], b), k);
            point.add_geometric(n, k);
        }
    }

    fn discrete_work(&self, step: &Passage) -> Power {
        let drag = self.drag(step);
        let lost = |p: &Point| {
            let change = self.mean_stress(p, step).2;
            p.weight * change.dot(&(drag * change))
        };
        Power { supplied: 0.0, dissipated: self.points.iter().map(lost).sum() }
    }

    fn as_beam(&self) -> Option<BeamElement<'_>> {
        Some(BeamElement::Director(self))
    }

    fn section_state(&self, at: &Motion, xi: f64) -> Option<SectionState> {
        Some(Beam::section_state(self, at, xi))
    }

    fn section_place(&self, at: &Motion, xi: f64) -> Option<SectionPlace> {
        Some(Beam::section_place(self, at, xi))
    }
}
