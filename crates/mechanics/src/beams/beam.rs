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

use super::point::{Fields, Point, ROWS, arc_length, gauss_points, nodal_vectors};
use crate::assembly::strain::{StrainElement, StrainPoint};
use crate::beams::interpolation::{MAX_NODES, lagrange, shape};
use crate::beams::section::Section;
use crate::beams::{BeamElement, SectionPlace, SectionState};
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::Blocks;
use crate::force::{Extensions, Force, Motion, Power};
use crate::joints::Attachment;
use crate::nodes::carried::Carried;
use crate::nodes::chart::Frame;
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6, so3};
use thiserror::Error;

/// Nodal vectors of a node: r, d₁, d₂, d₃.
pub(super) const VECTORS: usize = 4;

/// Most nodes of an element with interpolated directors.
pub(super) const MOST_NODES: usize = 4;

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

    /// Nodal vectors, Gauss points and stiffness, if it is not viscous.
    pub(super) fn elastic(&self) -> Option<(&[Carried], &[Point], &Mat6)> {
        self.viscosity.is_none().then_some((&self.carried, &self.points, &self.stiffness))
    }

    pub(super) fn nodes(&self) -> usize {
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
    fn mean_stress(&self, p: &Point, step: &StepEnds) -> (Vec6, Fields, Vec6) {
        let y = p.fields(step.mean);
        let change = y.strain_rate(&p.fields(step.rate)) * step.h;
        let mean = (p.strain(step.from) + p.strain(step.to)) * 0.5;
        (self.stiffness * mean + self.drag(step) * change, y, change)
    }

    /// C_v/h + χ C.
    fn drag(&self, step: &StepEnds) -> Mat6 {
        self.viscosity.map_or_else(Mat6::zeros, |v| v / step.h) + self.stiffness * step.dissipation
    }
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

    fn discrete_force(&self, step: &StepEnds, f: &mut [Vec3]) {
        for p in &self.points {
            let (s, y, _) = self.mean_stress(p, step);
            p.pull(&y.stressed(&(s * p.weight)), f);
        }
    }

    /// −Σ_g w ((B_k x̄) ⊗ (½C + C_v/h + χC)(B_k x⁺) + ½ S_k B_k): the gradient of Δε by x⁺ is that of ε⁺.
    fn discrete_tangent(&self, step: &StepEnds, k: &mut Blocks, _c: &mut Blocks) {
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

    fn discrete_work(&self, step: &StepEnds) -> Power {
        let drag = self.drag(step);
        let lost = |p: &Point| {
            let change = self.mean_stress(p, step).2;
            p.weight * change.dot(&(drag * change))
        };
        Power { supplied: 0.0, dissipated: self.points.iter().map(lost).sum() }
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions { strains: Some(self), beam: Some(self), ..Extensions::default() }
    }
}

impl StrainElement for Beam {
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
}

impl BeamElement for Beam {
    /// Strains and stress resultants at ξ in [−1, 1]: those of the Gauss points, where they are most
    /// accurate, carried on as a polynomial.
    fn section_state(&self, at: &Motion, xi: f64) -> SectionState {
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
    fn section_place(&self, at: &Motion, xi: f64) -> Option<SectionPlace> {
        let weights = shape(self.nodes(), xi).value;
        let sum = |x: &[Vec3], k: usize| -> Vec3 {
            x.chunks_exact(VECTORS).zip(weights).map(|(x, weight)| x[k] * weight).sum()
        };
        let axes = Mat3::from_columns(&[sum(at.x, 1), sum(at.x, 2), sum(at.x, 3)]);
        let axes = so3::polar(&axes).unwrap_or(axes);
        Some(SectionPlace { position: sum(at.x, 0), velocity: sum(at.xdot, 0), axes })
    }
}
