//! What laws and networks read off the mechanics: scalar functions r(x, ẋ) of carried vectors.

use crate::coordinate::Coordinate;
use crate::nodes::carried::Carried;
use crate::speed::{Speed, Weights};
use poinsot_geometry::Vec3;
use std::ops::Range;

/// A coordinate or a speed that a law reads.
#[derive(Clone, Debug, PartialEq)]
pub enum Reading {
    /// The value of a coordinate.
    Coordinate(Coordinate),
    /// A speed.
    Speed(Speed),
}

impl Reading {
    /// The coordinate, unless it is a speed.
    pub fn as_coordinate(&self) -> Option<&Coordinate> {
        match self {
            Reading::Coordinate(s) => Some(s),
            Reading::Speed(_) => None,
        }
    }

    /// Whether it depends on velocities.
    pub fn is_speed(&self) -> bool {
        matches!(self, Reading::Speed(_))
    }

    /// The carried vectors, at most four.
    pub fn carried(&self) -> &[Carried] {
        match self {
            Reading::Coordinate(s) => s.carried(),
            Reading::Speed(w) => w.carried(),
        }
    }

    /// The vectors whose positions it depends on.
    pub(crate) fn seen_positions(&self) -> Range<usize> {
        match self {
            Reading::Coordinate(s) => 0..s.carried().len(),
            // u · ẋ.
            Reading::Speed(Speed::Projection(_)) => 0..1,
            Reading::Speed(Speed::Rate(Coordinate::Component(..))) => 0..0,
            Reading::Speed(w) => 0..w.carried().len(),
        }
    }

    /// The vectors whose velocities it depends on.
    pub(crate) fn seen_velocities(&self) -> Range<usize> {
        match self {
            Reading::Coordinate(_) => 0..0,
            Reading::Speed(Speed::Rate(s)) => 0..s.carried().len(),
            // The first is the direction.
            Reading::Speed(w) => 1..w.carried().len(),
        }
    }

    /// r(x, ẋ); an angle is returned in the turn nearest to `memory`.
    #[inline]
    pub fn value(&self, x: &[Vec3], xdot: &[Vec3], memory: f64) -> f64 {
        match self {
            Reading::Coordinate(s) => s.value(x, memory),
            Reading::Speed(w) => w.value(x, xdot),
        }
    }

    /// ∂r/∂x_a at fixed ẋ.
    #[inline]
    pub fn by_position(&self, x: &[Vec3], xdot: &[Vec3]) -> Weights {
        match self {
            Reading::Coordinate(s) => {
                let [a, b, c] = s.slope(x);
                [a, b, c, Vec3::zeros()]
            }
            Reading::Speed(w) => w.slope(x, xdot),
        }
    }

    /// ∂r/∂ẋ_a of a speed.
    #[inline]
    pub fn by_velocity(&self, x: &[Vec3]) -> Option<Weights> {
        match self {
            Reading::Coordinate(_) => None,
            Reading::Speed(w) => Some(w.weights(x)),
        }
    }
}
