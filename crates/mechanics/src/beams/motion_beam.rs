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

use super::beam::{BeamError, SectionPlace, SectionState, VECTORS, nodal_vectors};
use super::interpolation::{MAX_NODES, lagrange, node_places, shape};
use super::plane::BeamElement;
use super::relative_motion::{
    Entry, Invariants, Mat12, PAIR, Secant, Vec12, entries, invariant_change, invariant_curvature,
};
use super::section::Section;
use crate::carried::Carried;
use crate::chart::Frame;
use crate::force::{Force, Motion, Power};
use crate::joints::Attachment;
use crate::lists::{Blocks, MAX_CARRIED};
use crate::passage::Passage;
use poinsot_geometry::interpolation::{Metric, MotionInterpolation, Quadrature};
use poinsot_geometry::motion_parameters::Generator;
use poinsot_geometry::nalgebra::SMatrix;
use poinsot_geometry::se3::{Pose, ad, join, up};
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6, so3};
use std::cell::RefCell;

type Mat6x3 = SMatrix<f64, 6, 3>;

/// Cosine of half the angle between two nodes below which they count as half a turn apart.
const LEAST_HALF_COSINE: f64 = 1e-3;

/// Where the strain energy of an element of order N is summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StrainPoints {
    /// At N Gauss points: free of locking.
    #[default]
    Gauss,
    /// At the N + 1 nodes: too stiff in extension and shear, for comparison with publications.
    Lobatto,
}

/// What the stress of an element does virtual work on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum VirtualStrains {
    /// The variation of the strains: forces have a potential, their tangent is symmetric.
    #[default]
    Consistent,
    /// Strains of virtual displacements that are interpolated in section axes, as published: the forces of an
    /// element have no potential and do not quite balance, their tangent is not symmetric; same order.
    Interpolated,
}

/// How a [`MotionBeam`] interpolates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MotionScheme {
    /// The metric, whose parameter measures relative motions. Geodesic is exact for any constant strain.
    pub metric: Metric,
    /// Where the strain energy is summed.
    pub points: StrainPoints,
    /// What the stress does virtual work on.
    pub virtual_strains: VirtualStrains,
}

impl Default for MotionScheme {
    fn default() -> Self {
        MotionScheme {
            metric: Metric::Geodesic,
            points: StrainPoints::default(),
            virtual_strains: VirtualStrains::default(),
        }
    }
}

/// A point of the quadrature.
#[derive(Clone, Debug)]
struct Station {
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
struct Room {
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
fn clear<T: Copy>(list: &mut Vec<T>, zero: T, count: usize) {
    list.clear();
    list.resize(count, zero);
}

/// Strains, resultants and nodal curvatures are six numbers per node or station.
type Six = [Vec6; MAX_NODES];

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

    fn nodes(&self) -> usize {
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

    /// Ordered pairs of nodes with the factor of s_jk in k_j.
    fn pairs(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        let n = self.nodes();
        self.slopes
            .iter()
            .enumerate()
            .map(move |(p, slope)| (p / n, p % n, *slope))
            .filter(|(j, k, _)| j != k)
    }

    fn curvatures(&self, x: &[Vec3]) -> Six {
        self.curvatures_with(self.scheme.metric, x)
    }

    /// k_j.
    fn curvatures_with(&self, metric: Metric, x: &[Vec3]) -> Six {
        let mut k = [Vec6::zeros(); MAX_NODES];
        for (j, other, slope) in self.pairs() {
            k[j] += Invariants::new(node(x, j), node(x, other)).parameter(metric) * slope;
        }
        k
    }

    /// k̇_j.
    fn curvature_rates(&self, x: &[Vec3], xdot: &[Vec3]) -> Six {
        let mut k = [Vec6::zeros(); MAX_NODES];
        for (j, other, slope) in self.pairs() {
            let (a, b) = (node(x, j), node(x, other));
            let secant = Secant::at(self.scheme.metric, &Invariants::new(a, b));
            k[j] += secant.along(&invariant_change(&entries(a, b), of_pair(xdot, j, other))) * slope;
        }
        k
    }

    /// ε at the stations.
    fn strains(&self, k: &Six) -> Six {
        let mut e = self.at_stations(k);
        e.iter_mut().zip(&self.stations).for_each(|(e, g)| *e -= g.reference);
        e
    }

    /// Values at the nodes carried to the stations.
    fn at_stations(&self, k: &Six) -> Six {
        let mut e = [Vec6::zeros(); MAX_NODES];
        for (e, g) in e.iter_mut().zip(&self.stations) {
            *e = k[..self.nodes()].iter().zip(&g.value).map(|(k, l)| k * *l).sum();
        }
        e
    }

    /// ε, S = C ε + C_v ε̇ and ε̇ at the stations.
    fn stresses(&self, at: &Motion) -> (Six, Six, Six) {
        let strain = self.strains(&self.curvatures(at.x));
        let mut s = strain.map(|e| self.stiffness * e);
        let mut rates = [Vec6::zeros(); MAX_NODES];
        if let Some(viscosity) = &self.viscosity {
            rates = self.at_stations(&self.curvature_rates(at.x, at.xdot));
            s.iter_mut().zip(&rates).for_each(|(s, rate)| *s += viscosity * rate);
        }
        (strain, s, rates)
    }

    /// Load on k_j: Σ_g w J l_j S_g.
    fn nodal_loads(&self, s: &Six) -> Six {
        let mut loads = [Vec6::zeros(); MAX_NODES];
        for (g, s) in self.stations.iter().zip(s) {
            loads[..self.nodes()].iter_mut().zip(&g.value).for_each(|(f, l)| *f += s * (g.weight * l));
        }
        loads
    }

    /// Strains and stress resultants at ξ in [−1, 1]: those of the stations, carried on as a polynomial.
    pub fn section_state(&self, at: &Motion, xi: f64) -> SectionState {
        let mut places = [0.0; MAX_NODES];
        places.iter_mut().zip(&self.stations).for_each(|(place, g)| *place = g.xi);
        let weights = lagrange(&places[..self.stations.len()], xi).value;
        let (strains, stresses, _) = self.stresses(at);
        let sum = |of: &Six| -> Vec6 { of.iter().zip(&weights).map(|(v, w)| v * *w).sum() };
        // The parameters are singular at half a turn between nodes; four times the half cosine leaves room to
        // 165 degrees.
        let turned =
            |(j, k, _): (usize, usize, f64)| Invariants::new(node(at.x, j), node(at.x, k)).half_cosine();
        let axes = self.pairs().map(turned).fold(0.25, f64::min) * 4.0;
        SectionState { strain: sum(&strains), resultant: sum(&stresses), axes }
    }

    /// Point of the line and section axes at ξ in [−1, 1], as the metric interpolates the motions of the
    /// nodes. None where their axes are none, or too far apart.
    pub fn section_place(&self, at: &Motion, xi: f64) -> Option<SectionPlace> {
        let weights = shape(self.nodes(), xi);
        let axes = |x: &[Vec3]| Mat3::from_columns(&[x[1], x[2], x[3]]);
        let pose = |x: &[Vec3]| Some(Pose::new(x[0], so3::polar(&axes(x))?));
        let poses: Vec<Pose> = at.x.chunks_exact(VECTORS).map(pose).collect::<Option<_>>()?;
        let mut motion = MotionInterpolation::new(self.scheme.metric, &poses).ok()?;
        let n = self.nodes();
        let here = motion.at(&weights.value[..n], &weights.slope[..n]).ok()?;
        // (Rᵀṙ, ω) of the nodes carried along as virtual motions are.
        let mut twist = Vec6::zeros();
        for (k, (pose, xdot)) in poses.iter().zip(at.xdot.chunks_exact(VECTORS)).enumerate() {
            let linear = pose.rotation.tr_mul(&xdot[0]);
            let angular = so3::axial(&pose.rotation.tr_mul(&axes(xdot)));
            twist += here.increment(k) * join(&linear, &angular);
        }
        let place = here.pose();
        let velocity = place.rotation * twist.fixed_rows::<3>(0);
        Some(SectionPlace { position: place.r, velocity, axes: place.rotation })
    }

    /// Forces of the stresses: −Σ_jk ∂π(x)ᵀ D_jkᵀ σ_jk, σ_jk = l′_k/J_j Σ_g w J l_j S_g.
    fn add_consistent(&self, s: &Six, x: &[Vec3], secant: impl Fn(usize, usize) -> Secant, f: &mut [Vec3]) {
        let loads = self.nodal_loads(s);
        for (j, k, slope) in self.pairs() {
            let phi = secant(j, k).gradient(&(loads[j] * slope));
            for e in entries(node(x, j), node(x, k)) {
                f[vector(e.v, j, k)] -= e.y * phi[e.p];
            }
        }
    }

    fn secant_at(&self, x: &[Vec3], j: usize, k: usize) -> Secant {
        Secant::at(self.scheme.metric, &Invariants::new(node(x, j), node(x, k)))
    }

    fn secant_over(&self, step: &Passage, j: usize, k: usize) -> Secant {
        let place = |x: &[Vec3]| Invariants::new(node(x, j), node(x, k));
        Secant::new(self.scheme.metric, &place(step.from), &place(step.to))
    }

    /// D_jk ∂π/∂x summed into ∂k_j/∂x_v.
    fn add_gradients(&self, x: &[Vec3], secant: impl Fn(usize, usize) -> Secant, nodal: &mut [Mat6x3]) {
        let vectors = self.carried.len();
        for (j, k, slope) in self.pairs() {
            let d = secant(j, k).matrix() * slope;
            for e in entries(node(x, j), node(x, k)) {
                nodal[j * vectors + vector(e.v, j, k)] += d.column(e.p) * e.y.transpose();
            }
        }
    }

    /// ∂k̇_j/∂x_v: Σ_k l′_k/J_j (D ∂π(ẋ) + ∂(D π̇)/∂π ∂π(x)).
    fn add_rate_gradients(&self, at: &Motion, nodal: &mut [Mat6x3]) {
        let vectors = self.carried.len();
        for (j, k, slope) in self.pairs() {
            let secant = self.secant_at(at.x, j, k);
            let here = entries(node(at.x, j), node(at.x, k));
            let rate = invariant_change(&here, of_pair(at.xdot, j, k));
            let d = secant.matrix() * slope;
            let mut bend = SMatrix::<f64, 6, 12>::zeros();
            for i in 0..6 {
                let h: Mat12 = secant.derivative(&Vec6::ith(i, 2.0 * slope));
                bend.set_row(i, &(h * rate).transpose());
            }
            for (e, m) in entries(node(at.xdot, j), node(at.xdot, k))
                .iter()
                .map(|e| (e, &d))
                .chain(here.iter().map(|e| (e, &bend)))
            {
                nodal[j * vectors + vector(e.v, j, k)] += m.column(e.p) * e.y.transpose();
            }
        }
    }

    /// Σ_j l_j ∂k_j/∂x_v.
    fn carry(&self, g: &Station, nodal: &[Mat6x3], out: &mut Vec<Mat6x3>) {
        let vectors = self.carried.len();
        clear(out, Mat6x3::zeros(), vectors);
        for (row, l) in nodal.chunks_exact(vectors).zip(&g.value) {
            if *l != 0.0 {
                out.iter_mut().zip(row).for_each(|(out, k)| *out += k * *l);
            }
        }
    }

    /// Adds Σ_jk ∂π(x)ᵀ H_jk ∂π(y) + factor Σ φ_p ∂²π_p to −∂f; `part` gives H and φ of a pair for a load on
    /// s_jk.
    fn add_geometric(
        &self,
        s: &Six,
        [x, y]: [&[Vec3]; 2],
        factor: f64,
        part: impl Fn(usize, usize, &Vec6) -> (Mat12, Vec12),
        table: &mut [Mat3],
    ) {
        let vectors = self.carried.len();
        let loads = self.nodal_loads(s);
        for (j, k, slope) in self.pairs() {
            let (h, phi) = part(j, k, &(loads[j] * slope));
            let right: [Entry; 27] = entries(node(y, j), node(y, k));
            let mut product = [[Vec3::zeros(); PAIR]; 12];
            for (p, row) in product.iter_mut().enumerate() {
                right.iter().for_each(|e| row[e.v] += e.y * h[(p, e.p)]);
            }
            for e in entries(node(x, j), node(x, k)) {
                let row = vector(e.v, j, k) * vectors;
                for (w, z) in product[e.p].iter().enumerate() {
                    table[row + vector(w, j, k)] += e.y * z.transpose();
                }
            }
            invariant_curvature(&phi, |v, w, value| {
                let block = &mut table[vector(v, j, k) * vectors + vector(w, j, k)];
                (0..3).for_each(|c| block[(c, c)] += value * factor);
            });
        }
    }

    /// Adds w left_aᵀ right_b to −∂f.
    fn add_products(&self, weight: f64, left: &[Mat6x3], right: &[Mat6x3], table: &mut [Mat3]) {
        for (row, left) in table.chunks_exact_mut(right.len()).zip(left) {
            let left = left.transpose() * weight;
            row.iter_mut().zip(right).for_each(|(block, right)| *block += left * right);
        }
    }

    /// Hands −table over.
    fn push(&self, table: &[Mat3], out: &mut Blocks) {
        let vectors = self.carried.len();
        for (at, block) in table.iter().enumerate() {
            out.push(at / vectors, at % vectors, -block);
        }
    }

    /// C ∂ε + C_v ∂ε̇ into `right`, with ∂ε in `left`.
    fn stress_gradients(&self, g: &Station, room: &mut Room) {
        let Room { nodal, second, left, right, rates, .. } = room;
        self.carry(g, nodal, left);
        clear(right, Mat6x3::zeros(), left.len());
        right.iter_mut().zip(left.iter()).for_each(|(right, e)| *right = self.stiffness * e);
        if let Some(viscosity) = &self.viscosity {
            self.carry(g, second, rates);
            right.iter_mut().zip(rates.iter()).for_each(|(right, rate)| *right += viscosity * rate);
        }
    }

    /// Over a step: S and Δε at the stations.
    fn mean_stresses(&self, step: &Passage) -> (Six, Six) {
        let mut s = [Vec6::zeros(); MAX_NODES];
        let (from, to) = (self.strains(&self.curvatures(step.from)), self.strains(&self.curvatures(step.to)));
        s.iter_mut().zip(from.iter().zip(&to)).for_each(|(s, (a, b))| *s = self.stiffness * ((a + b) * 0.5));
        let mut change = [Vec6::zeros(); MAX_NODES];
        if let Some(drag) = self.drag(step) {
            change = self.at_stations(&self.curvature_changes(step));
            s.iter_mut().zip(&change).for_each(|(s, change)| *s += drag * change);
        }
        (s, change)
    }

    /// Δk_j with all its digits.
    fn curvature_changes(&self, step: &Passage) -> Six {
        let mut k = [Vec6::zeros(); MAX_NODES];
        for (j, other, slope) in self.pairs() {
            let mean = entries(node(step.mean, j), node(step.mean, other));
            let change = invariant_change(&mean, |v| step.change(vector(v, j, other)));
            k[j] += self.secant_over(step, j, other).along(&change) * slope;
        }
        k
    }

    /// C_v/h + χ C, if not zero.
    fn drag(&self, step: &Passage) -> Option<Mat6> {
        let viscous = self.viscosity.map(|v| v / step.h);
        let numerical = (step.dissipation != 0.0).then(|| self.stiffness * step.dissipation);
        match (viscous, numerical) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        }
    }

    fn is_consistent(&self) -> bool {
        self.scheme.virtual_strains == VirtualStrains::Consistent
    }

    /// Forces of interpolated virtual strains: on node a −Σ_g w J B_aᵀS, B_a = l′_a/J + l_a ad(k), in section
    /// axes.
    fn add_interpolated(&self, s: &Six, strain: &Six, x: &[Vec3], f: &mut [Vec3]) {
        for (g, (s, strain)) in self.stations.iter().zip(s.iter().zip(strain)) {
            let turned = ad(&(strain + g.reference)).transpose() * s;
            for (a, (x, f)) in x.chunks_exact(VECTORS).zip(f.chunks_exact_mut(VECTORS)).enumerate() {
                let wrench = (s * g.slope[a] + turned * g.value[a]) * g.weight;
                let force = x[1] * wrench[0] + x[2] * wrench[1] + x[3] * wrench[2];
                let moment = x[1] * wrench[3] + x[2] * wrench[4] + x[3] * wrench[5];
                f[0] -= force;
                (1..4).for_each(|i| f[i] += x[i].cross(&moment) * 0.5);
            }
        }
    }

    /// Adds to −∂f the part of a station: `left` holds ∂k, `right` ∂S.
    fn add_interpolated_tangent(&self, g: &Station, s: &Vec6, k: &Vec6, x: &[Vec3], room: &mut Room) {
        let Room { left, right, table, .. } = room;
        let vectors = self.carried.len();
        let (adk, lifted) = (ad(k).transpose(), up(s));
        for (a, d) in x.chunks_exact(VECTORS).enumerate() {
            let (l, slope) = (g.value[a] * g.weight, g.slope[a] * g.weight);
            let axes = Mat3::from_columns(&d[1..]);
            let by_stress = Mat6::identity() * slope + adk * l;
            let arms: [Mat3; 3] = std::array::from_fn(|i| so3::skew(&d[1 + i]) * axes * -0.5);
            for v in 0..vectors {
                let wrench = by_stress * right[v] + lifted * left[v] * l;
                let (force, moment) = (wrench.fixed_rows::<3>(0), wrench.fixed_rows::<3>(3));
                table[VECTORS * a * vectors + v] += axes * force;
                for (i, arm) in arms.iter().enumerate() {
                    table[(VECTORS * a + 1 + i) * vectors + v] += arm * moment;
                }
            }
            self.add_turning(a, &(by_stress * s), d, table);
        }
    }

    /// Adds to −∂f what follows from axes that turn with constant components of force and moment.
    fn add_turning(&self, a: usize, wrench: &Vec6, d: &[Vec3], table: &mut [Mat3]) {
        let vectors = self.carried.len();
        let (row, first) = (VECTORS * a, VECTORS * a + 1);
        let moment = d[1] * wrench[3] + d[2] * wrench[4] + d[3] * wrench[5];
        for i in 0..3 {
            table[row * vectors + first + i] += Mat3::identity() * wrench[i];
            table[(first + i) * vectors + first + i] += so3::skew(&moment) * 0.5;
            for l in 0..3 {
                table[(first + i) * vectors + first + l] -= so3::skew(&d[1 + i]) * (0.5 * wrench[3 + l]);
            }
        }
    }

    fn interpolated_tangent(&self, at: &Motion, room: &mut Room, k: &mut Blocks, c: &mut Blocks) {
        let (strain, s, _) = self.stresses(at);
        for (g, (s, strain)) in self.stations.iter().zip(s.iter().zip(&strain)) {
            self.stress_gradients(g, room);
            self.add_interpolated_tangent(g, s, &(strain + g.reference), at.x, room);
        }
        self.push(&room.table, k);
        let Some(viscosity) = &self.viscosity else { return };
        room.table.iter_mut().for_each(|block| *block = Mat3::zeros());
        for (g, strain) in self.stations.iter().zip(&strain) {
            self.carry(g, &room.nodal, &mut room.left);
            room.right.iter_mut().zip(&room.left).for_each(|(right, e)| *right = viscosity * e);
            room.left.iter_mut().for_each(|e| *e = Mat6x3::zeros());
            self.add_interpolated_tangent(g, &Vec6::zeros(), &(strain + g.reference), at.x, room);
        }
        self.push(&room.table, c);
    }

    fn consistent_tangent(&self, at: &Motion, room: &mut Room, k: &mut Blocks, c: &mut Blocks) {
        let (_, s, _) = self.stresses(at);
        for g in &self.stations {
            self.stress_gradients(g, room);
            self.add_products(g.weight, &room.left, &room.right, &mut room.table);
        }
        let part = |j: usize, k: usize, load: &Vec6| {
            let secant = self.secant_at(at.x, j, k);
            (secant.derivative(load) * 2.0, secant.gradient(load))
        };
        self.add_geometric(&s, [at.x; 2], 1.0, part, &mut room.table);
        self.push(&room.table, k);
        let Some(viscosity) = &self.viscosity else { return };
        room.table.iter_mut().for_each(|block| *block = Mat3::zeros());
        for g in &self.stations {
            self.carry(g, &room.nodal, &mut room.left);
            room.right.iter_mut().zip(&room.left).for_each(|(right, e)| *right = viscosity * e);
            self.add_products(g.weight, &room.left, &room.right, &mut room.table);
        }
        self.push(&room.table, c);
    }

    /// −∂f/∂x⁺ = Σ_g w J (D ∂π(x̄))ᵀ (½C + C_v/h + χC) ∂ε⁺ + Σ_jk ∂π(x̄)ᵀ ∂(Dᵀσ)/∂π⁺ ∂π(x⁺) + ½ Dᵀσ ∂²π.
    fn step_tangent(&self, step: &Passage, room: &mut Room, k: &mut Blocks) {
        let by_end = self.stiffness * 0.5 + self.drag(step).unwrap_or_else(Mat6::zeros);
        self.add_gradients(step.mean, |j, k| self.secant_over(step, j, k), &mut room.nodal);
        self.add_gradients(step.to, |j, k| self.secant_at(step.to, j, k), &mut room.second);
        for g in &self.stations {
            self.carry(g, &room.nodal, &mut room.left);
            self.carry(g, &room.second, &mut room.right);
            room.right.iter_mut().for_each(|e| *e = by_end * *e);
            self.add_products(g.weight, &room.left, &room.right, &mut room.table);
        }
        let part = |j: usize, k: usize, load: &Vec6| {
            let secant = self.secant_over(step, j, k);
            (secant.derivative(load), secant.gradient(load))
        };
        self.add_geometric(&self.mean_stresses(step).0, [step.mean, step.to], 0.5, part, &mut room.table);
        self.push(&room.table, k);
    }

    /// Runs with empty work arrays.
    fn with_room(&self, run: impl FnOnce(&mut Room)) {
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
fn node(x: &[Vec3], j: usize) -> &[Vec3] {
    &x[VECTORS * j..VECTORS * (j + 1)]
}

/// The number among the element's vectors of a vector of a pair of nodes.
fn vector(v: usize, j: usize, k: usize) -> usize {
    if v < VECTORS { VECTORS * j + v } else { VECTORS * (k - 1) + v }
}

/// The vectors of a pair of nodes.
fn of_pair(x: &[Vec3], j: usize, k: usize) -> impl Fn(usize) -> Vec3 + '_ {
    move |v| x[vector(v, j, k)]
}

impl Force for MotionBeam {
    fn kind(&self) -> &'static str {
        "beam"
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        let (strain, s, _) = self.stresses(at);
        match self.scheme.virtual_strains {
            VirtualStrains::Consistent => {
                self.add_consistent(&s, at.x, |j, k| self.secant_at(at.x, j, k), f);
            }
            VirtualStrains::Interpolated => self.add_interpolated(&s, &strain, at.x, f),
        }
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, c: &mut Blocks) {
        self.with_room(|room| {
            self.add_gradients(at.x, |j, k| self.secant_at(at.x, j, k), &mut room.nodal);
            if self.viscosity.is_some() {
                self.add_rate_gradients(at, &mut room.second);
            }
            match self.scheme.virtual_strains {
                VirtualStrains::Consistent => self.consistent_tangent(at, room, k, c),
                VirtualStrains::Interpolated => self.interpolated_tangent(at, room, k, c),
            }
        });
    }

    fn potential(&self, at: &Motion) -> f64 {
        let strain = self.strains(&self.curvatures(at.x));
        let energy = |(g, e): (&Station, &Vec6)| 0.5 * g.weight * e.dot(&(self.stiffness * e));
        self.stations.iter().zip(&strain).map(energy).sum()
    }

    /// Forces of interpolated virtual strains have no potential: what they do beyond −dV/dt is supplied.
    fn power(&self, at: &Motion) -> Power {
        if self.is_consistent() && self.viscosity.is_none() {
            return Power::default();
        }
        let rates = self.at_stations(&self.curvature_rates(at.x, at.xdot));
        let sum = |law: &Mat6, of: &Six| -> f64 {
            let pairs = of.iter().zip(&rates);
            self.stations.iter().zip(pairs).map(|(g, (e, rate))| g.weight * rate.dot(&(law * e))).sum()
        };
        let dissipated = self.viscosity.map_or(0.0, |viscosity| sum(&viscosity, &rates));
        if self.is_consistent() {
            return Power { supplied: 0.0, dissipated };
        }
        let mut f = [Vec3::zeros(); MAX_CARRIED];
        self.force(at, &mut f[..at.x.len()]);
        let work: f64 = f.iter().zip(at.xdot).map(|(f, v)| f.dot(v)).sum();
        let stored = sum(&self.stiffness, &self.strains(&self.curvatures(at.x)));
        Power { supplied: work + stored + dissipated, dissipated }
    }

    fn discrete_force(&self, step: &Passage, f: &mut [Vec3]) {
        match self.scheme.virtual_strains {
            VirtualStrains::Consistent => {
                let (s, _) = self.mean_stresses(step);
                self.add_consistent(&s, step.mean, |j, k| self.secant_over(step, j, k), f);
            }
            VirtualStrains::Interpolated => self.force(&step.motion(), f),
        }
    }

    fn discrete_tangent(&self, step: &Passage, k: &mut Blocks, c: &mut Blocks) {
        match self.scheme.virtual_strains {
            VirtualStrains::Consistent => self.with_room(|room| self.step_tangent(step, room, k)),
            VirtualStrains::Interpolated => half_tangent(self, step, k, c),
        }
    }

    fn discrete_work(&self, step: &Passage) -> Power {
        if self.is_consistent() {
            let Some(drag) = self.drag(step) else { return Power::default() };
            let (_, change) = self.mean_stresses(step);
            let lost = |(g, e): (&Station, &Vec6)| g.weight * e.dot(&(drag * e));
            return Power { supplied: 0.0, dissipated: self.stations.iter().zip(&change).map(lost).sum() };
        }
        let mut f = [Vec3::zeros(); MAX_CARRIED];
        self.discrete_force(step, &mut f[..step.to.len()]);
        let work: f64 = (0..step.to.len()).map(|a| f[a].dot(&step.change(a))).sum();
        let stored = self.potential(&step.last()) - self.potential(&step.first());
        let dissipated = self.power(&step.motion()).dissipated * step.h;
        Power { supplied: work + stored + dissipated, dissipated }
    }

    fn as_beam(&self) -> Option<BeamElement<'_>> {
        Some(BeamElement::Motion(self))
    }

    fn section_place(&self, at: &Motion, xi: f64) -> Option<SectionPlace> {
        MotionBeam::section_place(self, at, xi)
    }

    fn section_state(&self, at: &Motion, xi: f64) -> Option<SectionState> {
        Some(MotionBeam::section_state(self, at, xi))
    }
}

/// ½ ∂f/∂x + ∂f/∂ẋ/h at the mean of a step.
fn half_tangent(law: &MotionBeam, step: &Passage, k: &mut Blocks, c: &mut Blocks) {
    let from = k.entries().len();
    c.clear();
    law.tangent(&step.motion(), k, c);
    k.entries_mut(from).iter_mut().for_each(|block| block.value *= 0.5);
    for block in c.entries() {
        k.push(block.a, block.b, block.value / step.h);
    }
}
