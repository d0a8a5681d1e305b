//! A beam element that interpolates the rigid motions of its nodes (motion-interpolation-galerkin §1.12).
//!
//! ```text
//! k_j = (1/J_j) Σ_k l′_k(ξ_j) s_jk                     curvature at node j from the motions to the other nodes, (4.5)
//! ε(ξ) = Σ_j l_j(ξ) (k_j − k⁰_j)                       assumed strains: (Γ, K) of any size, in section axes, (4.6)
//! S = C ε + C_v ε̇,   V = Σ_g w J ½ ε·Cε
//! ```
//! Nodes stand at the N + 1 Gauss–Lobatto points, the strain energy is summed at N Gauss points, with which
//! the element does not lock, or at the nodes. s_jk is the parameter of the relative motion (R_jᵀR_k,
//! R_jᵀ(r_k − r_j)) that belongs to a metric, see `relative_motion.rs`: the strains do not feel a rigid
//! motion, and the state at which they are zero is the reference, whose curvatures k⁰ follow from the same
//! formula. J = ds/dξ at the nodes is the speed of the screw motions between the nodes of the reference.
//!
//! Forces are f = −Σ_g w J E_gᵀ S with virtual strains E_g of two kinds:
//!
//! ```text
//! consistent     E_g = ∂ε_g/∂x                               f = −∂V/∂x, symmetric tangent
//! interpolated   E_g δu = Σ_a (l′_a/J + l_a ad(k_g)) δu_a     as published, δu = {Rᵀδr; Rᵀδθ} of each node, (4.16)–(4.19)
//! ```
//! Over a step the stress of the consistent kind is that of the mean of the strains at its ends, and ∂ε is
//! replaced by the exact difference of the parameters, Δε = D Δπ = D ∂π(x̄) Δx: energy and both momenta are
//! conserved (energy-momentum-null-space I-16, I-43).

mod force;
mod gradients;
mod interpolated;
mod scheme;
mod sections;
mod strains;

pub use scheme::{MotionScheme, StrainPoints, VirtualStrains};

use crate::beams::beam::{BeamError, VECTORS};
use crate::beams::interpolation::{MAX_NODES, lagrange, node_places};
use crate::beams::point::nodal_vectors;
use crate::beams::relative_motion::Invariants;
use crate::beams::section::Section;
use crate::joints::Attachment;
use crate::nodes::carried::Carried;
use crate::nodes::chart::Frame;
use poinsot_geometry::interpolation::{Metric, Quadrature};
use poinsot_geometry::motion_parameters::Generator;
use poinsot_geometry::nalgebra::SMatrix;
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6};
use std::cell::RefCell;

pub(super) type Mat6x3 = SMatrix<f64, 6, 3>;

/// Cosine of half the angle between two nodes below which they count as half a turn apart.
const LEAST_HALF_COSINE: f64 = 1e-3;

/// A point of the quadrature.
#[derive(Clone, Debug)]
pub(super) struct Station {
    xi: f64,
    /// w J.
    weight: f64,
    /// l_a.
    value: [f64; MAX_NODES],
    /// l′_a/J.
    slope: [f64; MAX_NODES],
    /// k⁰.
    reference: Vec6,
}

/// A geometrically exact beam element of 2 to 9 nodes that interpolates rigid motions.
#[derive(Clone, Debug)]
pub struct MotionBeam {
    carried: Vec<Carried>,
    scheme: MotionScheme,
    /// l′_k(ξ_j)/J_j, row by row.
    slopes: Vec<f64>,
    stations: Vec<Station>,
    stiffness: Mat6,
    viscosity: Option<Mat6>,
    length: f64,
}

/// Work arrays, for elements of any order; grow once.
#[derive(Debug, Default)]
pub(super) struct Room {
    /// ∂k_j/∂x_v of all nodes j and vectors v, over a step with D in place of ∂s.
    nodal: Vec<Mat6x3>,
    /// The same at the end of a step, or ∂k̇_j/∂x_v.
    second: Vec<Mat6x3>,
    /// ∂ε_g/∂x_v and what it is multiplied with.
    left: Vec<Mat6x3>,
    right: Vec<Mat6x3>,
    rates: Vec<Mat6x3>,
    /// −∂f_a/∂x_b.
    table: Vec<Mat3>,
}

thread_local! {
    static ROOM: RefCell<Room> = RefCell::default();
}

/// Fills a list with zeros.
pub(super) fn clear<T: Copy>(list: &mut Vec<T>, zero: T, count: usize) {
    list.clear();
    list.resize(count, zero);
}

/// Strains, resultants and nodal curvatures are six numbers per node or station.
pub(super) type Six = [Vec6; MAX_NODES];

impl MotionBeam {
    /// An element along nodes in the order of the line, at the Gauss–Lobatto points of its length (see
    /// [`node_shares`](super::node_shares)); `nodes` and `reference` as in [`Beam::new`](super::Beam::new).
    pub fn new(
        nodes: &[Attachment],
        reference: &[Frame],
        section: &Section,
        scheme: MotionScheme,
    ) -> Result<Self, BeamError> {
        let x = nodal_vectors(nodes, reference, MAX_NODES)?;
        let carried =
            nodes.iter().flat_map(|node| [node.point(), node.axis(0), node.axis(1), node.axis(2)]).collect();
        let viscosity = (section.viscosity != Mat6::zeros()).then_some(section.viscosity);
        let mut beam = MotionBeam {
            carried,
            scheme,
            slopes: vec![],
            stations: vec![],
            stiffness: section.stiffness,
            viscosity,
            length: 0.0,
        };
        beam.set_reference(&x)?;
        Ok(beam)
    }

    /// J and k⁰ of the reference.
    fn set_reference(&mut self, x: &[Vec3]) -> Result<(), BeamError> {
        let n = self.nodes();
        let places = node_places(n - 1);
        let rows: Vec<_> = places.iter().map(|xi| lagrange(&places, *xi)).collect();
        self.slopes = rows.iter().flat_map(|row| row.slope[..n].to_vec()).collect();
        let half_turn = |(j, k, _): (usize, usize, f64)| {
            Invariants::new(node(x, j), node(x, k)).half_cosine() < LEAST_HALF_COSINE
        };
        if self.pairs().any(half_turn) {
            return Err(BeamError::HalfTurn);
        }
        let raw = self.curvatures_with(Metric::Geodesic, x);
        let speed: Vec<f64> = raw[..n].iter().map(|k| k.fixed_rows::<3>(0).norm()).collect();
        if !speed.iter().all(|j| *j > 0.0 && j.is_finite()) {
            return Err(BeamError::NoLength);
        }
        for (row, j) in self.slopes.chunks_exact_mut(n).zip(&speed) {
            row.iter_mut().for_each(|slope| *slope /= j);
        }
        let k0 = self.curvatures(x);
        let rule = match self.scheme.points {
            StrainPoints::Gauss => Quadrature::gauss_legendre(n - 1),
            StrainPoints::Lobatto => Quadrature::gauss_lobatto(n),
        };
        for (xi, w) in rule.points.iter().zip(&rule.weights) {
            let shape = lagrange(&places, *xi);
            let j: f64 = speed.iter().zip(&shape.value).map(|(j, l)| j * l).sum();
            let reference = k0[..n].iter().zip(&shape.value).map(|(k, l)| k * *l).sum();
            let slope = shape.slope.map(|l| l / j);
            self.stations.push(Station { xi: *xi, weight: w * j, value: shape.value, slope, reference });
        }
        self.length = self.stations.iter().map(|g| g.weight).sum();
        Ok(())
    }

    /// Length of the reference line (m).
    pub fn length(&self) -> f64 {
        self.length
    }

    /// How it interpolates.
    pub fn scheme(&self) -> MotionScheme {
        self.scheme
    }

    pub(super) fn nodes(&self) -> usize {
        self.carried.len() / VECTORS
    }

    /// Nodal vectors and stiffness of an element with the geodesic metric whose forces have a potential.
    pub(super) fn elastic_geodesic(&self) -> Option<(&[Carried], &Mat6)> {
        let geodesic = matches!(self.scheme.metric, Metric::Geodesic | Metric::Vector(Generator::Cartesian));
        (geodesic && self.is_consistent() && self.viscosity.is_none())
            .then_some((&self.carried[..], &self.stiffness))
    }

    /// ε at the stations, for given nodal vectors.
    pub(super) fn station_strains(&self, x: &[Vec3]) -> Vec<Vec6> {
        self.strains(&self.curvatures(x))[..self.stations.len()].to_vec()
    }

    /// Weight, factor of s_jk as a function of j and k, and k⁰ of each station.
    pub(super) fn station_shares<T>(
        &self,
        take: impl Fn(f64, &dyn Fn(usize, usize) -> f64, &Vec6) -> T,
    ) -> Vec<T> {
        let share = |g: &Station, j: usize, k: usize| g.value[j] * self.slopes[j * self.nodes() + k];
        self.stations.iter().map(|g| take(g.weight, &|j, k| share(g, j, k), &g.reference)).collect()
    }

    pub(super) fn is_consistent(&self) -> bool {
        self.scheme.virtual_strains == VirtualStrains::Consistent
    }

    /// Runs with empty work arrays.
    pub(super) fn with_room(&self, run: impl FnOnce(&mut Room)) {
        ROOM.with_borrow_mut(|room| {
            let (n, vectors) = (self.nodes(), self.carried.len());
            clear(&mut room.nodal, Mat6x3::zeros(), n * vectors);
            clear(&mut room.second, Mat6x3::zeros(), n * vectors);
            clear(&mut room.table, Mat3::zeros(), vectors * vectors);
            run(room);
        });
    }
}

/// r, d₁, d₂, d₃ of a node.
pub(super) fn node(x: &[Vec3], j: usize) -> &[Vec3] {
    &x[VECTORS * j..VECTORS * (j + 1)]
}

/// The number among the element's vectors of a vector of a pair of nodes.
pub(super) fn vector(v: usize, j: usize, k: usize) -> usize {
    if v < VECTORS { VECTORS * j + v } else { VECTORS * k + v - VECTORS }
}

/// The vectors of a pair of nodes.
pub(super) fn of_pair(x: &[Vec3], j: usize, k: usize) -> impl Fn(usize) -> Vec3 + '_ {
    move |v| x[vector(v, j, k)]
}
