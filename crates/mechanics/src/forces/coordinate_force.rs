//! Spring–damper–actuator along a coordinate: between two points, or torsional in a joint.
//!
//! ```text
//! F = k (s − s₀) + c ṡ + f(t, s, ṡ),     f_a = −F ∂s/∂x_a
//! ```
//! F is positive when it pulls the coordinate back (tension). The law f may be any expression.
//!
//! Over a step, with the discrete slope S_a of the coordinate and the numerical dissipation χ,
//!
//! ```text
//! F = k (½(s + s⁺) − s₀) + (c/h + χ k) Δs + f(t_m, ½(s + s⁺), Δs/h),     f_a = −F S_a
//! −F Δs = V − V⁺ − (c/h + χ k) Δs² − f Δs
//! ```

use super::{push_along, push_tangent_along};
use crate::coordinate::Coordinate;
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::Blocks;
use crate::force::{Extensions, Force, Motion, Power};
use crate::forces::{Along, CoordinateElement, InputElement, PiecewiseElement};
use crate::nodes::carried::Carried;
use poinsot_expr::{Function, Switch};
use poinsot_geometry::Vec3;

/// Spring–damper–actuator along a scalar coordinate.
#[derive(Clone, Debug)]
pub struct CoordinateForce {
    /// The coordinate s.
    pub coordinate: Coordinate,
    /// Stiffness k (N/m or N·m/rad).
    pub stiffness: f64,
    /// Damping c (N·s/m or N·m·s/rad).
    pub damping: f64,
    /// Free length or angle s₀.
    pub free: f64,
    /// Extra law f(t, s, ṡ), tension positive.
    pub law: Option<Function>,
}

impl CoordinateForce {
    /// (s, ṡ, F, law's share of F).
    fn state(&self, at: &Motion) -> (f64, f64, f64, f64) {
        let s = self.coordinate.value(at.x, at.memory[0]);
        let rate = self.coordinate.rate(at.x, at.xdot);
        let extra = self.law.as_ref().map_or(0.0, |f| f.value(&[at.t, s, rate]));
        (s, rate, self.stiffness * (s - self.free) + self.damping * rate + extra, extra)
    }
}

/// The force over a step: Δs, F, ∂F/∂s⁺, the loss (c/h + χ k) Δs² and the law's share of F.
struct Pull {
    change: f64,
    tension: f64,
    by_end: f64,
    loss: f64,
    extra: f64,
}

impl CoordinateForce {
    fn pull(&self, step: &StepEnds) -> Pull {
        let change = self.coordinate.change(step.from, step.to);
        let mean = self.coordinate.value(step.from, step.memory[0]) + 0.5 * change;
        let args = [step.time(0.5), mean, change / step.h];
        let extra = self.law.as_ref().map_or(0.0, |f| f.value(&args));
        let [by_value, by_rate] = [1, 2].map(|i| self.law.as_ref().map_or(0.0, |f| f.partial(i, &args)));
        let drag = self.damping / step.h + step.dissipation * self.stiffness;
        Pull {
            change,
            tension: self.stiffness * (mean - self.free) + drag * change + extra,
            by_end: 0.5 * (self.stiffness + by_value) + drag + by_rate / step.h,
            loss: drag * change * change,
            extra,
        }
    }
}

impl Force for CoordinateForce {
    fn kind(&self) -> &'static str {
        match self.coordinate {
            Coordinate::Angle(_) => "torsion",
            _ => "spring",
        }
    }

    fn carried(&self) -> &[Carried] {
        self.coordinate.carried()
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        let (.., tension, _) = self.state(at);
        let slope = self.coordinate.slope(at.x);
        for (f, g) in f.iter_mut().zip(&slope) {
            *f -= g * tension;
        }
    }

    /// −∂f_a/∂x_b = F_s g_a g_bᵀ + F_ṡ g_a ġ_bᵀ + F ∂²s,   −∂f_a/∂ẋ_b = F_ṡ g_a g_bᵀ.
    fn tangent(&self, at: &Motion, k: &mut Blocks, c: &mut Blocks) {
        let (s, rate, tension, _) = self.state(at);
        let args = [at.t, s, rate];
        let slope = self.coordinate.slope(at.x);
        let slope_rate = self.coordinate.slope_rate(at.x, at.xdot);
        let by_value = self.stiffness + self.law.as_ref().map_or(0.0, |f| f.partial(1, &args));
        let by_rate = self.damping + self.law.as_ref().map_or(0.0, |f| f.partial(2, &args));
        let n = self.carried().len();
        for a in 0..n {
            for b in 0..n {
                let row = slope[b] * by_value + slope_rate[b] * by_rate;
                k.push(a, b, -slope[a] * row.transpose());
                if by_rate != 0.0 {
                    c.push(a, b, slope[a] * slope[b].transpose() * -by_rate);
                }
            }
        }
        self.coordinate.hessian(at.x, -tension, k);
    }

    fn potential(&self, at: &Motion) -> f64 {
        let stretch = self.coordinate.value(at.x, at.memory[0]) - self.free;
        0.5 * self.stiffness * stretch * stretch
    }

    fn power(&self, at: &Motion) -> Power {
        let (_, rate, _, extra) = self.state(at);
        Power { supplied: -extra * rate, dissipated: self.damping * rate * rate }
    }

    fn is_active(&self) -> bool {
        self.law.as_ref().is_some_and(|law| !law.partial_is_zero(2))
    }

    fn discrete_force(&self, step: &StepEnds, f: &mut [Vec3]) {
        push_along(&self.coordinate, step, self.pull(step).tension, f);
    }

    fn discrete_tangent(&self, step: &StepEnds, k: &mut Blocks, _c: &mut Blocks) {
        let pull = self.pull(step);
        push_tangent_along(&self.coordinate, step, pull.tension, pull.by_end, k);
    }

    fn discrete_work(&self, step: &StepEnds) -> Power {
        let pull = self.pull(step);
        Power { supplied: -pull.extra * pull.change, dissipated: pull.loss }
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
        Extensions {
            coordinate: Some(self),
            input: Some(self),
            piecewise: Some(self),
            ..Extensions::default()
        }
    }
}

impl CoordinateElement for CoordinateForce {
    fn along(&self, at: &Motion) -> Along {
        let (value, rate, force, _) = self.state(at);
        Along { value, rate, force }
    }
}

/// The tension.
impl InputElement for CoordinateForce {
    fn inputs(&self) -> usize {
        1
    }

    fn pushed(&self) -> usize {
        self.carried().len()
    }

    fn is_idle(&self) -> bool {
        let law = self.law.as_ref().is_none_or(Function::is_zero);
        law && self.stiffness == 0.0 && self.damping == 0.0
    }

    fn against(&self) -> Option<&Coordinate> {
        Some(&self.coordinate)
    }

    fn push(&self, tension: &[f64], at: &Motion, f: &mut [Vec3]) {
        let slope = self.coordinate.slope(at.x);
        f.iter_mut().zip(&slope).for_each(|(f, g)| *f -= g * tension[0]);
    }

    fn push_tangent(&self, tension: &[f64], at: &Motion, k: &mut Blocks) {
        self.coordinate.hessian(at.x, -tension[0], k);
    }

    fn push_over_step(&self, tension: &[f64], step: &StepEnds, f: &mut [Vec3]) {
        push_along(&self.coordinate, step, tension[0], f);
    }

    fn push_tangent_over_step(&self, tension: &[f64], step: &StepEnds, k: &mut Blocks) {
        self.coordinate.discrete_curvature(step.from, step.to, -tension[0], k);
    }
}

impl PiecewiseElement for CoordinateForce {
    fn switches(&self) -> Vec<Switch> {
        self.law.as_ref().map_or(vec![], |law| law.switches().to_vec())
    }

    fn switch_arguments(&self, at: &Motion, arguments: &mut Vec<f64>) {
        let (value, rate, ..) = self.state(at);
        arguments.extend([at.t, value, rate]);
    }
}
