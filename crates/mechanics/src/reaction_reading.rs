//! Reactions that laws read: multipliers of constraints, and the components of force and torque they make.
//!
//! ```text
//! f_a = −Σ_k λ_k G_ka(x)                             on the carried vectors of the second body
//! ρ = Σ_a w_a·f_a,     w_a = c₀ e  of a force,     w_a = e × (x_a − c₀ x_joint)  of a torque
//! ∂ρ/∂λ_k = −Σ_a w_a·G_ka
//! ∂ρ/∂x_b = −Σ_a H_abᵀ w_a + Σ_a (∂w_a/∂x_b)ᵀ f_a,     H_ab = Σ_k λ_k ∂G_ka/∂x_b
//! ```
//! e is a direction that a body carries, or the unit vector between two points.

use crate::constraint::{Configuration, Constraint};
use crate::element_buffers::{Blocks, Gradients, MAX_CONSTRAINED, MAX_ROWS};
use crate::joints::distance::{curvature, direction};
use crate::nodes::carried::Carried;
use poinsot_geometry::Vec3;

/// The direction e along which a reaction is read.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReadDirection {
    /// A direction that a body or ground carries, of length one.
    Carried(Carried),
    /// From the first point to the second.
    Line(Carried, Carried),
}

impl ReadDirection {
    fn carried(&self) -> Vec<Carried> {
        match self {
            ReadDirection::Carried(e) => vec![*e],
            ReadDirection::Line(first, second) => vec![*first, *second],
        }
    }
}

/// What is read of a constraint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ReactionPart {
    /// A multiple of the multiplier of a row.
    Multiplier {
        /// The row.
        row: usize,
        /// What λ is multiplied with.
        factor: f64,
    },
    /// The force on the second body along a direction.
    Force(ReadDirection),
    /// The torque on the second body about the joint's point on it, along a direction.
    Torque(ReadDirection),
}

/// Vectors that a reading sees: those of the constraint and of the direction.
const MAX_SEEN: usize = MAX_CONSTRAINED + 2;

/// Most reactions that one law may read.
pub const MAX_REACTIONS: usize = 12;

/// A reaction that a law reads.
#[derive(Clone, Debug, PartialEq)]
pub struct ReactionReading {
    /// The constraint, as the system numbers it.
    pub constraint: usize,
    part: ReactionPart,
    /// Vectors of the constraint, then those of the direction; none for a multiplier.
    carried: Vec<Carried>,
    /// How many belong to the constraint.
    own: usize,
    /// The joint's point on the second body, among them.
    point: usize,
    /// Where the vectors stand among those of the element.
    vectors: Vec<usize>,
}

/// ∂ρ/∂λ_k, and ∂ρ/∂x_b with the place of x_b among the vectors of the element.
pub(crate) struct ReactionResponse {
    pub by_lambda: [f64; MAX_ROWS],
    by_position: [Vec3; MAX_SEEN],
}

/// What the weights w_a are made of.
struct Pulled {
    e: Vec3,
    x: [Vec3; MAX_SEEN],
}

impl ReactionReading {
    /// What is read of constraint `constraint`, whose law is given.
    pub fn new(constraint: usize, law: &dyn Constraint, part: ReactionPart) -> Self {
        let (mut carried, mut own) = (vec![], 0);
        if let ReactionPart::Force(along) | ReactionPart::Torque(along) = &part {
            carried.extend_from_slice(law.carried());
            own = carried.len();
            carried.extend(along.carried());
        }
        ReactionReading { constraint, part, carried, own, point: law.reaction_point(), vectors: vec![] }
    }

    /// Finds its vectors among those of an element, with the place of each.
    pub(crate) fn put(&mut self, place: &mut dyn FnMut(&Carried) -> usize) {
        self.vectors = self.carried.iter().map(place).collect();
    }

    /// ρ for the vectors of the element, the time and the memory of the constraint.
    pub(crate) fn value(
        &self,
        law: &dyn Constraint,
        at: &Configuration,
        lambda: &[f64; MAX_ROWS],
        g: &mut Gradients,
    ) -> f64 {
        if let ReactionPart::Multiplier { row, factor } = self.part {
            return factor * lambda[row];
        }
        let pulled = self.pulled(at.x);
        self.by_lambda(law, at, &pulled, g).iter().zip(lambda).map(|(by, l)| by * l).sum()
    }

    /// Derivatives of [`ReactionReading::value`].
    pub(crate) fn response(
        &self,
        law: &dyn Constraint,
        at: &Configuration,
        lambda: &[f64; MAX_ROWS],
        (g, h): (&mut Gradients, &mut Blocks),
    ) -> ReactionResponse {
        let mut by_position = [Vec3::zeros(); MAX_SEEN];
        if let ReactionPart::Multiplier { row, factor } = self.part {
            let mut by_lambda = [0.0; MAX_ROWS];
            by_lambda[row] = factor;
            return ReactionResponse { by_lambda, by_position };
        }
        let pulled = self.pulled(at.x);
        let by_lambda = self.by_lambda(law, at, &pulled, g);
        let here = Configuration { x: &pulled.x[..self.own], ..*at };
        h.clear();
        law.hessian(&here, &lambda[..law.rows()], h);
        for block in h.entries() {
            by_position[block.b] -= block.value.tr_mul(&self.weight(block.a, &pulled));
        }
        let mut f = [Vec3::zeros(); MAX_CONSTRAINED];
        g.entries().iter().for_each(|g| f[g.carried] -= g.value * lambda[g.row]);
        let along = self.by_weights(&f, &pulled, &mut by_position);
        self.by_direction(along, &pulled, &mut by_position);
        ReactionResponse { by_lambda, by_position }
    }

    /// ∂ρ/∂x_b of a response for the vectors of the element, added to `out`.
    pub(crate) fn add_slope(&self, response: &ReactionResponse, out: &mut [Vec3]) {
        for (&place, slope) in self.vectors.iter().zip(&response.by_position) {
            out[place] += slope;
        }
    }

    fn pulled(&self, all: &[Vec3]) -> Pulled {
        let mut x = [Vec3::zeros(); MAX_SEEN];
        x.iter_mut().zip(&self.vectors).for_each(|(x, &place)| *x = all[place]);
        let e = match self.along() {
            Some(ReadDirection::Line(..)) => direction(&x[self.own..]).0,
            _ => x[self.own],
        };
        Pulled { e, x }
    }

    fn along(&self) -> Option<&ReadDirection> {
        match &self.part {
            ReactionPart::Multiplier { .. } => None,
            ReactionPart::Force(along) | ReactionPart::Torque(along) => Some(along),
        }
    }

    /// Whether vector a belongs to the body on which the reaction is read.
    fn is_on_second(&self, a: usize) -> bool {
        self.carried[a].node == self.carried[self.point].node
    }

    /// w_a.
    fn weight(&self, a: usize, at: &Pulled) -> Vec3 {
        let c0 = self.carried[a].place();
        match self.part {
            _ if !self.is_on_second(a) => Vec3::zeros(),
            ReactionPart::Torque(_) => at.e.cross(&self.arm(a, at)),
            _ => at.e * c0,
        }
    }

    /// A force on a direction u is the couple u × f; on a point it has the arm x − x_joint.
    fn arm(&self, a: usize, at: &Pulled) -> Vec3 {
        if !self.carried[a].is_place() { at.x[a] } else { at.x[a] - at.x[self.point] }
    }

    /// ∂ρ/∂λ_k; the gradients are left in `g`.
    fn by_lambda(
        &self,
        law: &dyn Constraint,
        at: &Configuration,
        pulled: &Pulled,
        g: &mut Gradients,
    ) -> [f64; MAX_ROWS] {
        let mut by = [0.0; MAX_ROWS];
        g.clear();
        law.gradients(&Configuration { x: &pulled.x[..self.own], ..*at }, g);
        g.entries().iter().for_each(|g| by[g.row] -= self.weight(g.carried, pulled).dot(&g.value));
        by
    }

    /// Adds Σ_a (∂w_a/∂x_b)ᵀ f_a at fixed e; returns ∂ρ/∂e, the force or torque itself.
    fn by_weights(&self, f: &[Vec3], at: &Pulled, out: &mut [Vec3]) -> Vec3 {
        let mut sum = Vec3::zeros();
        for a in (0..self.own).filter(|&a| self.is_on_second(a)) {
            let ReactionPart::Torque(_) = self.part else {
                sum += f[a] * self.carried[a].place();
                continue;
            };
            sum += self.arm(a, at).cross(&f[a]);
            let by_arm = f[a].cross(&at.e);
            out[a] += by_arm;
            if self.carried[a].is_place() {
                out[self.point] -= by_arm;
            }
        }
        sum
    }

    /// Adds (∂e/∂x_b)ᵀ ∂ρ/∂e.
    fn by_direction(&self, by_e: Vec3, at: &Pulled, out: &mut [Vec3]) {
        if let Some(ReadDirection::Line(..)) = self.along() {
            let (e, length) = direction(&at.x[self.own..]);
            let along = curvature(&e, length) * by_e;
            out[self.own] -= along;
            out[self.own + 1] += along;
        } else {
            out[self.own] += by_e;
        }
    }
}
