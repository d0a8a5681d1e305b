//! Lines as dual unit vectors (Plücker coordinates), motion-interpolation-galerkin §1.2.

use crate::Vec3;
use crate::dual::{Dual, DualNumber, DualVec3};

/// A directed line `l + ε (x_P × l)`, `|l| = 1`, `l · (x_P × l) = 0`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    dual: DualVec3,
}

impl Line {
    /// Line through `point` along `direction`; `None` for a zero or non-finite direction.
    pub fn new(point: &Vec3, direction: &Vec3) -> Option<Self> {
        let norm = direction.norm();
        if !(norm > 0.0 && norm.is_finite()) {
            return None;
        }
        let l = direction / norm;
        Some(Self { dual: Dual::new(l, point.cross(&l)) })
    }

    /// Line of a dual vector, brought to unit length and to orthogonal parts; `None` for a zero primal part.
    pub fn from_dual(v: &DualVec3) -> Option<Self> {
        let norm = v.re.norm();
        if !(norm > 0.0 && norm.is_finite()) {
            return None;
        }
        let l = v.re / norm;
        let moment = v.du / norm;
        Some(Self { dual: Dual::new(l, moment - l * l.dot(&moment)) })
    }

    /// Unit direction.
    pub fn direction(&self) -> Vec3 {
        self.dual.re
    }

    /// Moment about the origin, `x_P × l`.
    pub fn moment(&self) -> Vec3 {
        self.dual.du
    }

    /// The dual unit vector.
    pub fn dual(&self) -> DualVec3 {
        self.dual
    }

    /// Point of the line nearest to the origin, `~l n°`.
    pub fn foot(&self) -> Vec3 {
        self.dual.re.cross(&self.dual.du)
    }

    /// Distance of a point from the line.
    pub fn distance_to_point(&self, x: &Vec3) -> f64 {
        (self.moment() - x.cross(&self.direction())).norm()
    }

    /// Dual angle `α + ε α°` to another line: angle in `[0, π]` and distance along the common normal.
    ///
    /// From `pᵀq = cos α` and `~p q = sin α n`. Parallel lines have a positive distance; for others its sign
    /// follows the normal `p × q`.
    pub fn dual_angle(&self, q: &Self) -> DualNumber {
        let cross = self.dual.cross(&q.dual);
        let (sine, cosine) = (cross.re.norm(), self.dual.re.dot(&q.dual.re));
        let angle = sine.atan2(cosine);
        if sine < PARALLEL_SINE {
            // The dual part of a sine at α = 0 or π is the distance itself.
            return Dual::new(angle, cross.du.norm());
        }
        Dual::new(angle, -self.dual.dot(&q.dual).du / sine)
    }

    /// The common normal line; `None` for parallel lines, which have no unique one.
    pub fn common_normal(&self, q: &Self) -> Option<Self> {
        let cross = self.dual.cross(&q.dual);
        if cross.re.norm() < PARALLEL_SINE {
            return None;
        }
        Self::from_dual(&cross)
    }

    /// How far `pᵀq` is from zero: `(|cos α|, |(pᵀq)°|)`; both vanish iff the lines meet at a right angle.
    pub fn orthogonal_intersection_defect(&self, q: &Self) -> (f64, f64) {
        let product = self.dual.dot(&q.dual);
        (product.re.abs(), product.du.abs())
    }
}

/// Lines whose directions enclose a smaller sine are treated as parallel.
const PARALLEL_SINE: f64 = 1e-12;
