//! Stops: a coordinate that runs against its limits.
//!
//! ```text
//! beyond the upper limit   δ = s − s_max,   F = k δ (1 + d δ̇),  not less than zero     (pulls the coordinate back)
//! beyond the lower limit   δ = s_min − s,   F likewise, the other way
//! ```
//! The law of Hunt and Crossley: continuous at the touch, no sticking, dissipated power k d δ δ̇². A rebound from the
//! speed v keeps the share 1 − (2/3) d v of it for small d v.

use crate::carried::Carried;
use crate::coordinate::Coordinate;
use crate::force::{Along, Force, Motion, Power};
use crate::lists::Blocks;
use poinsot_geometry::Vec3;

/// One-sided springs at the limits of a coordinate.
#[derive(Clone, Debug)]
pub struct Stop {
    /// The coordinate s.
    pub coordinate: Coordinate,
    /// Lower limit s_min, −∞ if there is none.
    pub lower: f64,
    /// Upper limit s_max, ∞ if there is none.
    pub upper: f64,
    /// Stiffness k (N/m or N·m/rad).
    pub stiffness: f64,
    /// Damping d per unit of force (s/m or s/rad).
    pub damping: f64,
}

/// Penetration δ, its direction σ (1 at the upper, −1 at the lower limit, 0 between), force F ≥ 0 and its derivatives.
struct Contact {
    depth: f64,
    side: f64,
    force: f64,
    by_depth: f64,
    by_rate: f64,
    /// δ̇.
    rate: f64,
}

impl Stop {
    fn contact(&self, s: f64, rate: f64) -> Contact {
        let (depth, side) = if s > self.upper {
            (s - self.upper, 1.0)
        } else if s < self.lower {
            (self.lower - s, -1.0)
        } else {
            (0.0, 0.0)
        };
        let rate = side * rate;
        let grip = 1.0 + self.damping * rate;
        let pressed = depth > 0.0 && grip > 0.0;
        let k = if pressed { self.stiffness } else { 0.0 };
        let (by_depth, by_rate) = (k * grip, k * depth * self.damping);
        Contact { depth, side, force: k * depth * grip, by_depth, by_rate, rate }
    }

    fn at(&self, at: &Motion) -> (f64, f64, Contact) {
        let s = self.coordinate.value(at.x, at.memory);
        let rate = self.coordinate.rate(at.x, at.xdot);
        (s, rate, self.contact(s, rate))
    }
}

impl Force for Stop {
    fn kind(&self) -> &'static str {
        "stop"
    }

    fn carried(&self) -> &[Carried] {
        self.coordinate.carried()
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        let (.., contact) = self.at(at);
        let slope = self.coordinate.slope(at.x);
        for (f, g) in f.iter_mut().zip(&slope) {
            *f -= g * (contact.side * contact.force);
        }
    }

    fn tangent(&self, at: &Motion, k: &mut Blocks, c: &mut Blocks) {
        let (.., contact) = self.at(at);
        if contact.force == 0.0 && contact.by_depth == 0.0 {
            return;
        }
        let slope = self.coordinate.slope(at.x);
        let slope_rate = self.coordinate.slope_rate(at.x, at.xdot);
        let n = self.carried().len();
        for a in 0..n {
            for b in 0..n {
                let row = slope[b] * contact.by_depth + slope_rate[b] * contact.by_rate;
                k.push(a, b, -slope[a] * row.transpose());
                c.push(a, b, slope[a] * slope[b].transpose() * -contact.by_rate);
            }
        }
        self.coordinate.hessian(at.x, -contact.side * contact.force, k);
    }

    fn potential(&self, at: &Motion) -> f64 {
        let (.., contact) = self.at(at);
        0.5 * self.stiffness * contact.depth * contact.depth
    }

    /// What the force takes beyond the spring's share k δ.
    fn power(&self, at: &Motion) -> Power {
        let (.., contact) = self.at(at);
        let excess = contact.force - self.stiffness * contact.depth;
        Power { supplied: 0.0, dissipated: excess * contact.rate }
    }

    fn remember(&self, at: &Motion) -> f64 {
        self.coordinate.value(at.x, at.memory)
    }

    fn along(&self, at: &Motion) -> Option<Along> {
        let (value, rate, contact) = self.at(at);
        Some(Along { value, rate, force: contact.side * contact.force })
    }
}
