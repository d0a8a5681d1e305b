//! Inertia and weight of a flexible body on its nodes, see [`super::shape_motion`] for the equations.
//!
//! In the axes of the floating frame, γ = Aᵀ(r̈ − g); in a frame of reference that turns with Ω about x₀,
//! with Ω̄ = AᵀΩ and ω, α relative to it,
//!
//! ```text
//! γ = Aᵀ(r̈ − g + 2 Ω × ṙ + Ω × (Ω × (r − x₀))),   ω → ω + Ω̄,   α → α + Ω̄ × ω
//! δγ = Aᵀ(δr̈ + 2 Ω × δṙ + Ω × (Ω × δr)) + γ × δθ,   δΩ̄ = Ω̄ × δθ
//! ```

use super::shape_motion::{BodyMotion, ShapeInertia, ShapeMotion};
use crate::assembly::{Linearization, LocalBlock, MAX_LOCAL, Scratch, Term, Terms};
use crate::energy::Balance;
use crate::forces::Turning;
use crate::mass::body::basis;
use crate::nodes::carried::{Carried, NodeId};
use crate::nodes::chart::{Chart, Frame, Twist};
use crate::system::state::Instant;
use crate::system::{Places, System};
use poinsot_flexible::InertiaIntegrals;
use poinsot_flexible::reduction::GeometricStiffness;
use poinsot_geometry::Vec3;

/// Inertia of a flexible body.
#[derive(Clone, Debug)]
pub struct FlexibleInertia {
    /// The floating frame, then the numbers q_k.
    carried: Vec<Carried>,
    shapes: ShapeInertia,
    integrals: InertiaIntegrals,
    turning: Option<Turning>,
}

/// A flexible body of the system and where its numbers go.
#[derive(Clone, Debug)]
pub(crate) struct FlexibleEntry {
    pub law: FlexibleInertia,
    pub places: Places,
}

/// First column of rotations among the six of a frame.
const ROTATION: usize = 3;

impl FlexibleInertia {
    /// Of the body with floating frame `frame` and the numbers q_k, one for each shape.
    pub fn new(frame: NodeId, numbers: &[NodeId], integrals: &InertiaIntegrals) -> Self {
        assert_eq!(numbers.len(), integrals.mean.len(), "a number for each shape");
        let nodes = std::iter::once(frame).chain(numbers.iter().copied());
        FlexibleInertia {
            carried: nodes.map(|node| Carried::point(node, Vec3::zeros())).collect(),
            shapes: ShapeInertia::new(integrals),
            integrals: integrals.clone(),
            turning: None,
        }
    }

    /// With the stiffness of stress that inertia and weight cause: a number for each pair of shapes.
    pub fn with_geometric(mut self, geometric: &GeometricStiffness) -> Self {
        let pairs = self.shapes.size() * self.shapes.size();
        assert_eq!(geometric.mean.len(), pairs, "a stiffness for each pair of shapes");
        self.shapes.shorten(geometric);
        self
    }

    /// With shapes that act back on nothing; `whole` are the integrals of the body with what its interfaces
    /// carry.
    pub fn one_way(mut self, whole: &InertiaIntegrals) -> Self {
        self.shapes.loosen(whole);
        self
    }

    /// Whether its shapes act back on nothing.
    pub fn is_one_way(&self) -> bool {
        self.shapes.is_one_way()
    }

    /// Whether inertia and weight make it stiffer or softer.
    pub fn is_stiffened(&self) -> bool {
        self.shapes.is_shortened()
    }

    /// The origin of the floating frame and the numbers.
    pub fn carried(&self) -> &[Carried] {
        &self.carried
    }

    /// The node of the floating frame.
    pub fn frame(&self) -> NodeId {
        self.carried[0].node
    }

    /// Mass (kg).
    pub fn mass(&self) -> f64 {
        self.shapes.mass
    }

    /// The integrals of its shapes.
    pub fn integrals(&self) -> &InertiaIntegrals {
        &self.integrals
    }

    /// The frame of reference turns.
    pub(crate) fn set_turning(&mut self, turning: Turning) {
        self.turning = Some(turning);
    }

    fn rate(&self) -> Vec3 {
        self.turning.map_or(Vec3::zeros(), |turning| turning.rate)
    }

    /// γ, α and ω of the frame of reference that does not turn.
    fn body_motion(&self, z: &Frame, v: &Twist, a: &Twist, gravity: &Vec3) -> BodyMotion {
        let mut acceleration = a.linear - gravity;
        let Some(Turning { rate, centre }) = &self.turning else {
            return BodyMotion { gamma: z.rot.tr_mul(&acceleration), alpha: a.angular, omega: v.angular };
        };
        acceleration += rate.cross(&v.linear) * 2.0 + rate.cross(&rate.cross(&(z.r - centre)));
        let own = z.rot.tr_mul(rate);
        BodyMotion {
            gamma: z.rot.tr_mul(&acceleration),
            alpha: a.angular + own.cross(&v.angular),
            omega: v.angular + own,
        }
    }

    /// Kinetic energy and momenta relative to the frame of reference.
    fn add_balance(&self, z: &Frame, v: &Twist, at: &ShapeMotion, b: &mut Balance) {
        let own = z.rot.tr_mul(&v.linear);
        b.kinetic += self.shapes.kinetic_energy(&own, &v.angular, at);
        let (linear, angular) = self.shapes.momenta(&own, &v.angular, at);
        let linear = z.rot * linear;
        b.momentum += linear;
        b.angular_momentum += z.r.cross(&linear) + z.rot * angular;
    }

    /// Place of the centre of mass, potential of weight and of the turning of the frame of reference.
    fn add_potential(&self, z: &Frame, gravity: &Vec3, at: &ShapeMotion, b: &mut Balance) {
        let moment = z.r * self.mass() + z.rot * at.first_moment();
        b.centre_of_mass += moment;
        b.potential -= gravity.dot(&moment);
        if let Some(Turning { rate, centre }) = &self.turning {
            let (turned, swept) = (z.rot.tr_mul(rate), rate.cross(&(z.r - centre)));
            let with_body = rate.cross(&(z.rot * at.first_moment()));
            b.potential -= 0.5 * self.mass() * swept.norm_squared()
                + swept.dot(&with_body)
                + 0.5 * turned.dot(&(at.inertia() * turned));
        }
    }
}

/// Derivatives of γ, α and ω by one unknown of the frame: by acceleration, velocity and place.
#[derive(Clone, Copy, Debug, Default)]
struct MotionSlope {
    gamma: [Vec3; 3],
    alpha: [Vec3; 3],
    omega: [Vec3; 3],
}

/// The last of the three derivatives: by acceleration, velocity, place.
const BY_PLACE: usize = 2;

impl FlexibleInertia {
    /// Derivatives by the motion `direction` of the frame.
    fn motion_slope(&self, z: &Frame, v: &Twist, body: &BodyMotion, direction: &Twist) -> MotionSlope {
        let (linear, angular) = (z.rot.tr_mul(&direction.linear), &direction.angular);
        let own = z.rot.tr_mul(&self.rate());
        let turned = own.cross(angular);
        MotionSlope {
            gamma: [
                linear,
                own.cross(&linear) * 2.0,
                own.cross(&own.cross(&linear)) + body.gamma.cross(angular),
            ],
            alpha: [*angular, turned, turned.cross(&v.angular)],
            omega: [Vec3::zeros(), *angular, turned],
        }
    }

    /// M at the numbers q in `at`, in the unknowns of frame and numbers.
    pub(crate) fn mass_matrix(&self, chart: &Chart, z: &Frame, at: &mut ShapeMotion, block: &mut LocalBlock) {
        let n = self.shapes.size();
        at.qd.clear();
        at.qd.resize(n, 0.0);
        at.qdd.clear();
        at.qdd.resize(n, 0.0);
        self.shapes.load(at);
        let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
        let body = BodyMotion { gamma: Vec3::zeros(), alpha: Vec3::zeros(), omega: Vec3::zeros() };
        self.tangent(chart, z, (&still, &body), at, &mut [block]);
        if self.is_one_way() {
            // The mass of a metric is symmetric.
            let dofs = chart.dofs();
            block[dofs..dofs + n].iter_mut().for_each(|row| row[..dofs].fill(0.0));
        }
    }

    /// The matrices M, C and K, as many as are asked for, by accelerations, velocities and places.
    fn tangent(
        &self,
        chart: &Chart,
        z: &Frame,
        motion: (&Twist, &BodyMotion),
        at: &ShapeMotion,
        blocks: &mut [&mut LocalBlock],
    ) {
        let (v, body) = motion;
        let (columns, dofs) = basis(chart);
        let twist = |k: usize| Twist {
            linear: columns[k].fixed_rows::<3>(0).into_owned(),
            angular: columns[k].fixed_rows::<3>(ROTATION).into_owned(),
        };
        let t = self.shapes.frame_tangent(body, at);
        let n = self.shapes.size();
        let mut room = [0.0; MAX_LOCAL];
        let (force, _) = self.shapes.force(body, at, &mut room[..n]);
        for j in 0..dofs {
            let direction = twist(j);
            let slope = self.motion_slope(z, v, body, &direction);
            for (by, block) in blocks.iter_mut().enumerate() {
                let (gamma, alpha, omega) = (&slope.gamma[by], &slope.alpha[by], &slope.omega[by]);
                let mut f = gamma * t.force_by_gamma + t.force_by_alpha * alpha + t.force_by_omega * omega;
                if by == BY_PLACE {
                    f += direction.angular.cross(&force);
                }
                let f = z.rot * f;
                let torque =
                    t.torque_by_gamma * gamma + t.torque_by_alpha * alpha + t.torque_by_omega * omega;
                for i in 0..dofs {
                    let own = twist(i);
                    block[i][j] = own.linear.dot(&f) + own.angular.dot(&torque);
                }
            }
        }
        for k in 0..n {
            let t = self.shapes.shape_tangent(k, body, at);
            for i in 0..dofs {
                let own = twist(i);
                let slope = self.motion_slope(z, v, body, &own);
                // Derivatives by q_k, q̇_k and q̈_k stand in the order of places, here reversed.
                for (by, block) in blocks.iter_mut().enumerate() {
                    block[i][dofs + k] =
                        own.linear.dot(&(z.rot * t.force[2 - by])) + own.angular.dot(&t.torque[2 - by]);
                    block[dofs + k][i] = t.by_gamma.dot(&slope.gamma[by])
                        + t.by_alpha.dot(&slope.alpha[by])
                        + t.by_omega.dot(&slope.omega[by]);
                }
            }
            for l in 0..n {
                let pair = self.shapes.pair_tangent(k, l, body);
                for (by, block) in blocks.iter_mut().enumerate() {
                    block[dofs + k][dofs + l] = pair[2 - by];
                }
            }
        }
    }
}

impl System {
    /// Numbers of a flexible body at an instant into the work arrays.
    fn load_shapes(&self, entry: &FlexibleEntry, at: &Instant, motion: &mut ShapeMotion) {
        let numbers = &entry.law.carried[1..];
        let unknown = |c: &Carried| self.nodes[c.node].eq;
        motion.q.clear();
        motion.q.extend(numbers.iter().map(|c| at.frames[c.node].r.x));
        motion.qd.clear();
        motion.qd.extend(numbers.iter().map(|c| at.v[unknown(c)]));
        motion.qdd.clear();
        motion.qdd.extend(numbers.iter().map(|c| at.a[unknown(c)]));
        entry.law.shapes.load(motion);
    }

    /// Adds inertia less weight of flexible bodies to the residual.
    pub(crate) fn add_flexible_inertia(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        for entry in &self.flexible {
            let (law, id) = (&entry.law, entry.law.frame());
            self.load_shapes(entry, at, &mut s.shapes);
            let (v, a, z) = (self.twist(id, at.v), self.twist(id, at.a), &at.frames[id]);
            let body = law.body_motion(z, &v, &a, &self.gravity);
            let n = law.shapes.size();
            s.shape_forces.resize(n, 0.0);
            let (force, torque) = law.shapes.force(&body, &s.shapes, &mut s.shape_forces);
            let (columns, dofs) = basis(&self.nodes[id].chart);
            let force = z.rot * force;
            for (k, column) in columns[..dofs].iter().enumerate() {
                let moved =
                    column.fixed_rows::<3>(0).dot(&force) + column.fixed_rows::<3>(ROTATION).dot(&torque);
                out[self.nodes[id].eq + k] += moved;
            }
            for (c, f) in law.carried[1..].iter().zip(&s.shape_forces) {
                out[self.nodes[c.node].eq] += f;
            }
        }
    }

    /// Their share of the step matrix.
    pub(crate) fn add_flexible_tangent(&self, at: &Linearization, terms: &mut Terms, s: &mut Scratch) {
        for entry in &self.flexible {
            let (law, places, id) = (&entry.law, &entry.places, entry.law.frame());
            self.load_shapes(entry, &at.stage, &mut s.shapes);
            let (v, a, z) = (self.twist(id, at.stage.v), self.twist(id, at.stage.a), &at.stage.frames[id]);
            let body = law.body_motion(z, &v, &a, &self.gravity);
            let unknowns = places.unknowns.len();
            let mut matrices = [&mut *s.local.m, &mut *s.local.c, &mut *s.local.k];
            law.tangent(&self.nodes[id].chart, z, (&v, &body), &s.shapes, &mut matrices);
            self.turn_columns(&mut s.local.k[..unknowns], places, at.stage_tangent);
            terms.add_block(Term::Mass, 1.0, &s.local.m, &places.block, unknowns);
            terms.add_block(Term::Damping, 1.0, &s.local.c, &places.block, unknowns);
            terms.add_block(Term::Stiffness, 1.0, &s.local.k, &places.block, unknowns);
        }
    }

    /// Adds energies and momenta of flexible bodies; `centre_of_mass` is a sum of mass times place. Returns
    /// the mass.
    pub(crate) fn add_flexible_balance(&self, at: &Instant, b: &mut Balance, s: &mut Scratch) -> f64 {
        for entry in &self.flexible {
            let (law, id) = (&entry.law, entry.law.frame());
            self.load_shapes(entry, at, &mut s.shapes);
            law.add_potential(&at.frames[id], &self.gravity, &s.shapes, b);
            if at.rates.is_empty() {
                law.add_balance(&at.frames[id], &self.twist(id, at.v), &s.shapes, b);
            } else {
                law.add_natural_balance(at.frames, at.rates, b);
            }
        }
        self.flexible().map(FlexibleInertia::mass).sum()
    }

    /// Inertias of flexible bodies.
    pub fn flexible(&self) -> impl Iterator<Item = &FlexibleInertia> {
        self.flexible.iter().map(|entry| &entry.law)
    }
}
