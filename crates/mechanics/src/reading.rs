//! What laws and networks read off the mechanics: scalar functions r(x, ẋ) of carried vectors.

use crate::coordinate::Coordinate;
use crate::nodes::carried::Carried;
use crate::speed::{Speed, Weights};
use poinsot_geometry::Vec3;

/// A coordinate or a speed that a law reads.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    of: Observed,
    near: f64,
}

/// What is read.
#[derive(Clone, Debug, PartialEq)]
enum Observed {
    /// The value of a coordinate.
    Coordinate(Coordinate),
    /// A speed.
    Speed(Speed),
}

impl Reading {
    /// The value of a coordinate.
    pub fn coordinate(of: Coordinate) -> Self {
        Reading { of: Observed::Coordinate(of), near: 0.0 }
    }

    /// A speed.
    pub fn speed(of: Speed) -> Self {
        Reading { of: Observed::Speed(of), near: 0.0 }
    }

    /// With an angle that starts in the turn nearest to `near`.
    pub fn starting_near(self, near: f64) -> Self {
        Reading { near, ..self }
    }

    /// What is remembered of it before the start.
    pub(crate) fn near(&self) -> f64 {
        self.near
    }

    /// The coordinate, unless it is a speed.
    pub fn as_coordinate(&self) -> Option<&Coordinate> {
        match &self.of {
            Observed::Coordinate(s) => Some(s),
            Observed::Speed(_) => None,
        }
    }

    /// Whether it depends on velocities.
    pub fn is_speed(&self) -> bool {
        matches!(self.of, Observed::Speed(_))
    }

    /// The carried vectors, at most four.
    pub fn carried(&self) -> &[Carried] {
        match &self.of {
            Observed::Coordinate(s) => s.carried(),
            Observed::Speed(w) => w.carried(),
        }
    }

    /// r(x, ẋ); an angle is returned in the turn nearest to `memory`.
    #[inline]
    pub fn value(&self, x: &[Vec3], xdot: &[Vec3], memory: f64) -> f64 {
        match &self.of {
            Observed::Coordinate(s) => s.value(x, memory),
            Observed::Speed(w) => w.value(x, xdot),
        }
    }

    /// ∂r/∂x_a at fixed ẋ.
    #[inline]
    pub fn by_position(&self, x: &[Vec3], xdot: &[Vec3]) -> Weights {
        match &self.of {
            Observed::Coordinate(s) => {
                let [a, b, c] = s.slope(x);
                [a, b, c, Vec3::zeros()]
            }
            Observed::Speed(w) => w.slope(x, xdot),
        }
    }

    /// ∂r/∂ẋ_a of a speed.
    #[inline]
    pub fn by_velocity(&self, x: &[Vec3]) -> Option<Weights> {
        match &self.of {
            Observed::Coordinate(_) => None,
            Observed::Speed(w) => Some(w.weights(x)),
        }
    }
}
