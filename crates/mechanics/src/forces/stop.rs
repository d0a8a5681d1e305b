//! Stops: a coordinate that runs against its limits.
//!
//! ```text
//! beyond the upper limit   δ = s − s_max,   F = k δ (1 + d δ̇),  not less than zero     (pulls the coordinate back)
//! beyond the lower limit   δ = s_min − s,   F likewise, the other way
//! ```
//! The law of Hunt and Crossley: continuous at the touch, no sticking, dissipated power k d δ δ̇². A rebound
//! from the speed v keeps the share 1 − (2/3) d v of it for small d v.
//!
//! Over a step, with v = Δs/h towards the limit, δ = 0 at an end that does not touch, the share r = Δδ/Δs of
//! the step in contact and the numerical dissipation χ,
//!
//! ```text
//! F = k r (½(δ + δ⁺)(1 + d v) + χ Δs),  not less than zero
//! k r ½(δ + δ⁺) Δs = V⁺ − V,     k r is the mean of V″
//! ```

use super::{push_along, push_tangent_along};
use crate::coordinate::Coordinate;
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::Blocks;
use crate::force::{Extensions, Force, Motion, Power};
use crate::forces::{Along, CoordinateElement, PiecewiseElement};
use crate::nodes::carried::Carried;
use poinsot_expr::{Expr, Switch};
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

/// Penetration δ, its direction σ (1 at the upper, −1 at the lower limit, 0 between), force F ≥ 0 and its
/// derivatives.
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
        let s = self.coordinate.value(at.x, at.memory[0]);
        let rate = self.coordinate.rate(at.x, at.xdot);
        (s, rate, self.contact(s, rate))
    }
}

/// One limit over a step: F ≥ 0 against the motion towards the limit, ∂F/∂s⁺ in that direction and the loss.
#[derive(Default)]
struct Press {
    force: f64,
    by_end: f64,
    loss: f64,
}

impl Stop {
    /// The limit that the coordinate exceeds by `above` at the start (less than zero: free), with Δs towards
    /// it.
    fn press(&self, above: f64, change: f64, step: &StepEnds) -> Press {
        let (first, last) = (above.max(0.0), (above + change).max(0.0));
        if first == 0.0 && last == 0.0 {
            return Press::default();
        }
        // An end that touches and one that does not are apart by more than the depth: no 0/0.
        let (share, by_share) = match (first > 0.0, last > 0.0) {
            (true, true) => (1.0, 0.0),
            (false, _) => (last / change, (1.0 - last / change) / change),
            (true, false) => (-first / change, first / (change * change)),
        };
        let (depth, by_depth) = (0.5 * (first + last), if last > 0.0 { 0.5 } else { 0.0 });
        let (d, chi) = (self.damping / step.h, step.dissipation);
        let grip = 1.0 + d * change;
        let height = depth * grip + chi * change;
        let spring = self.stiffness * share * depth;
        if height <= 0.0 {
            return Press { loss: -spring * change, ..Press::default() };
        }
        let force = self.stiffness * share * height;
        let by_height = by_depth * grip + depth * d + chi;
        Press {
            force,
            by_end: self.stiffness * (by_share * height + share * by_height),
            loss: self.stiffness * share * (depth * d + chi) * change * change,
        }
    }

    /// Force against s, ∂F/∂s⁺ and loss of both limits over a step.
    fn presses(&self, step: &StepEnds) -> Press {
        let s = self.coordinate.value(step.from, step.memory[0]);
        let change = self.coordinate.change(step.from, step.to);
        let (upper, lower) =
            (self.press(s - self.upper, change, step), self.press(self.lower - s, -change, step));
        Press {
            force: upper.force - lower.force,
            by_end: upper.by_end + lower.by_end,
            loss: upper.loss + lower.loss,
        }
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

    fn discrete_force(&self, step: &StepEnds, f: &mut [Vec3]) {
        push_along(&self.coordinate, step, self.presses(step).force, f);
    }

    fn discrete_tangent(&self, step: &StepEnds, k: &mut Blocks, _c: &mut Blocks) {
        let press = self.presses(step);
        if press.force != 0.0 || press.by_end != 0.0 {
            push_tangent_along(&self.coordinate, step, press.force, press.by_end, k);
        }
    }

    fn discrete_work(&self, step: &StepEnds) -> Power {
        Power { supplied: 0.0, dissipated: self.presses(step).loss }
    }

    fn memories(&self) -> usize {
        1
    }

    fn start_memory(&self, near: &dyn Fn(&Coordinate) -> f64, memory: &mut [f64]) {
        memory[0] = near(&self.coordinate);
    }

    fn remember(&self, at: &Motion, memory: &mut [f64]) {
        memory[0] = self.coordinate.value(at.x, at.memory[0]);
    }

    fn extensions(&self) -> Extensions<'_> {
        Extensions { coordinate: Some(self), piecewise: Some(self), ..Extensions::default() }
    }
}

impl CoordinateElement for Stop {
    fn along(&self, at: &Motion) -> Along {
        let (value, rate, contact) = self.at(at);
        Along { value, rate, force: contact.side * contact.force }
    }
}

impl PiecewiseElement for Stop {
    /// The touch of each limit, and where a contact that opens fast would begin to pull.
    fn switches(&self) -> Vec<Switch> {
        let constant = |name: &str| match name {
            "lower" => Some(self.lower),
            "upper" => Some(self.upper),
            "damping" => Some(self.damping),
            _ => None,
        };
        let limits = [
            (self.upper, "if(x > upper, max(1 + damping*rate, 0), 0)"),
            (self.lower, "if(x < lower, max(1 - damping*rate, 0), 0)"),
        ];
        let law = |text: &str| Expr::parse(text).ok()?.switches(&["t", "x", "rate"], &constant).ok();
        limits.iter().filter(|limit| limit.0.is_finite()).filter_map(|limit| law(limit.1)).flatten().collect()
    }

    fn switch_arguments(&self, at: &Motion, arguments: &mut Vec<f64>) {
        let (value, rate, _) = self.at(at);
        arguments.extend([at.t, value, rate]);
    }
}
