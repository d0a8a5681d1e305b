//! Dry friction in a joint: its size follows from the joint's own reaction.
//!
//! ```text
//! N = √(Σ_k (c_k λ_k)²) + N₀               normal force: force rows c = 1, bending rows c = 1/arm
//! μ(v) = (μ_d + (μ_s − μ_d) e^{−(v/v_s)²}) tanh(v/v_t)        Stribeck curve, regularised around v = 0
//! F = r μ(r ṡ) N + d ṡ,     f_a = −F ∂s/∂x_a
//! ```
//! s is the joint's coordinate; r is the pin's radius of a revolute joint and 1 of a prismatic one, so that v
//! = r ṡ is the speed of sliding. Below the transition speed v_t the joint creeps instead of sticking.
//!
//! Over a step ṡ is Δs/h and ∂s/∂x_a the discrete slope S_a of the coordinate: the force takes the work F Δs
//! ≥ 0.

use crate::assembly::{Linearization, Scratch, Term, Terms, add_blocks, add_columns, clear_rows};
use crate::coordinate::{Coordinate, Slope};
use crate::discrete_gradients::StepEnds;
use crate::element_buffers::{Blocks, MAX_ROWS};
use crate::forces::{push_along, push_tangent_along};
use crate::pressing::PressingRows;
use crate::system::state::Instant;
use crate::system::{Places, System, slots};
use poinsot_geometry::Vec3;
use poinsot_numerics::pattern::Pattern;

/// Dry and viscous friction along a joint's coordinate.
#[derive(Clone, Debug, PartialEq)]
pub struct Friction {
    /// The coordinate s.
    pub coordinate: Coordinate,
    /// c_k of the joint's rows.
    pub weights: [f64; MAX_ROWS],
    /// Coefficient of static friction μ_s.
    pub static_coefficient: f64,
    /// Coefficient of sliding friction μ_d.
    pub dynamic_coefficient: f64,
    /// Stribeck speed v_s (m/s).
    pub stribeck: f64,
    /// Transition speed v_t (m/s).
    pub transition: f64,
    /// Lever r (m), 1 for a sliding joint.
    pub lever: f64,
    /// Viscous friction d (N·s/m or N·m·s/rad).
    pub viscous: f64,
    /// Preload N₀ (N).
    pub preload: f64,
}

/// Friction of a joint of the system.
#[derive(Debug)]
pub struct FrictionEntry {
    /// The constraint whose reaction presses.
    pub constraint: usize,
    /// The law.
    pub law: Friction,
    pub(crate) at: FrictionPlaces,
}

/// Where the friction of a joint acts: the places of its coordinate, and the joint's rows.
#[derive(Clone, Debug, Default)]
pub(crate) struct FrictionPlaces {
    pub places: Places,
    pub pressing: PressingRows,
}

/// Most unknowns that move a coordinate: of three nodes in natural coordinates.
const MOST_UNKNOWNS: usize = 36;

impl FrictionPlaces {
    /// Finds the slots in a pattern.
    pub fn find_slots(&mut self, pattern: &Pattern) {
        let unknowns = &self.places.unknowns;
        self.pressing.find_slots(pattern, unknowns);
        self.places.block = slots(pattern, unknowns, unknowns);
    }

    /// λ of the joint's rows, zero for rows out of force.
    pub fn pressing(&self, a: &[f64]) -> [f64; MAX_ROWS] {
        self.pressing.multipliers(a)
    }

    /// Adds ∂R/∂λ_k = (∂F/∂λ_k) Σ_a P_aᵀ ∂s/∂x_a.
    pub fn add_pressing<const W: usize>(
        &self,
        by_lambda: &[f64; MAX_ROWS],
        slope: &Slope,
        p: &[[Vec3; W]],
        values: &mut [f64],
    ) {
        let mut along = [0.0; MOST_UNKNOWNS];
        add_columns(&mut along, &self.places, slope, p);
        self.pressing.add_columns(by_lambda, &along[..self.places.unknowns.len()], 1.0, values);
    }
}

/// F with its derivatives by ṡ and by λ_k.
pub(crate) struct Grip {
    pub force: f64,
    pub by_rate: f64,
    pub by_lambda: [f64; MAX_ROWS],
}

impl Friction {
    /// μ(v) and μ′(v).
    fn coefficient(&self, v: f64) -> (f64, f64) {
        let bell =
            (self.static_coefficient - self.dynamic_coefficient) * (-(v / self.stribeck).powi(2)).exp();
        let height = self.dynamic_coefficient + bell;
        let bell_slope = -2.0 * v / (self.stribeck * self.stribeck) * bell;
        let turn = (v / self.transition).tanh();
        (height * turn, bell_slope * turn + height * (1.0 - turn * turn) / self.transition)
    }

    /// F at the rate ṡ and the multipliers of the joint.
    pub(crate) fn grip(&self, rate: f64, lambda: &[f64; MAX_ROWS]) -> Grip {
        let loads: [f64; MAX_ROWS] = std::array::from_fn(|k| self.weights[k] * lambda[k]);
        let pressed = loads.iter().map(|l| l * l).sum::<f64>().sqrt();
        let normal = pressed + self.preload;
        let (mu, slope) = self.coefficient(self.lever * rate);
        let by_load = if pressed > 0.0 { self.lever * mu / pressed } else { 0.0 };
        Grip {
            force: self.lever * mu * normal + self.viscous * rate,
            by_rate: self.lever * self.lever * slope * normal + self.viscous,
            by_lambda: std::array::from_fn(|k| by_load * loads[k] * self.weights[k]),
        }
    }
}

/// Friction over a step.
pub struct DiscreteGrip {
    /// F, along s against the motion.
    pub force: f64,
    /// ∂F/∂s⁺.
    pub by_end: f64,
    /// ∂F/∂λ_k.
    pub by_lambda: [f64; MAX_ROWS],
    /// S_a: the force on x_a is −F S_a, and its derivative by λ_k is −(∂F/∂λ_k) S_a.
    pub slope: Slope,
    /// F Δs ≥ 0, the work that is lost (J).
    pub loss: f64,
}

impl Friction {
    /// F over a step for the joint's multipliers.
    pub fn discrete_grip(&self, step: &StepEnds, lambda: &[f64; MAX_ROWS]) -> DiscreteGrip {
        let change = self.coordinate.change(step.from, step.to);
        let grip = self.grip(change / step.h, lambda);
        DiscreteGrip {
            force: grip.force,
            by_end: grip.by_rate / step.h,
            by_lambda: grip.by_lambda,
            slope: self.coordinate.discrete_slope(step.from, step.to),
            loss: grip.force * change,
        }
    }

    /// Adds the forces −F S_a over a step.
    pub fn discrete_force(&self, step: &StepEnds, lambda: &[f64; MAX_ROWS], f: &mut [Vec3]) {
        let grip = self.grip(self.coordinate.change(step.from, step.to) / step.h, lambda);
        push_along(&self.coordinate, step, grip.force, f);
    }

    /// ∂f_a/∂x⁺_b of [`Friction::discrete_force`] at fixed multipliers.
    pub fn discrete_tangent(&self, step: &StepEnds, lambda: &[f64; MAX_ROWS], k: &mut Blocks) {
        let grip = self.grip(self.coordinate.change(step.from, step.to) / step.h, lambda);
        push_tangent_along(&self.coordinate, step, grip.force, grip.by_rate / step.h, k);
    }
}

impl System {
    /// Subtracts the friction forces from the balance: R −= Q; twists must be loaded.
    pub(crate) fn add_friction_forces(&self, at: &Instant, out: &mut [f64], s: &mut Scratch) {
        for entry in &self.frictions {
            let n = entry.at.places.carried.len();
            self.positions(&entry.at.places, at.frames, s);
            self.velocities(&entry.at.places, at.frames, s);
            let coordinate = &entry.law.coordinate;
            let grip = entry.law.grip(coordinate.rate(&s.x[..n], &s.xdot[..n]), &entry.at.pressing(at.a));
            let slope = coordinate.slope(&s.x[..n]);
            for (f, g) in s.f[..n].iter_mut().zip(&slope) {
                *f = g * grip.force;
            }
            self.scatter_force(&entry.at.places, at.frames, &s.f, 1.0, out);
        }
    }

    /// Adds ∂R/∂v, ∂R/∂q and ∂R/∂λ of the friction forces to the step matrix; twists of the stage must be
    /// loaded.
    pub(crate) fn add_friction_tangent(&self, at: &Linearization, terms: &mut Terms, s: &mut Scratch) {
        for entry in &self.frictions {
            let (places, frames) = (&entry.at.places, at.stage.frames);
            let (n, unknowns) = (places.carried.len(), places.unknowns.len());
            self.positions(places, frames, s);
            self.velocities(places, frames, s);
            self.columns(places, frames, s);
            self.column_rates(places, frames, s);
            let coordinate = &entry.law.coordinate;
            let (x, xdot) = (&s.x[..n], &s.xdot[..n]);
            let grip = entry.law.grip(coordinate.rate(x, xdot), &entry.at.pressing(at.stage.a));
            let (slope, slope_rate) = (coordinate.slope(x), coordinate.slope_rate(x, xdot));
            s.k.clear();
            s.c.clear();
            for a in 0..n {
                s.f[a] = slope[a] * grip.force;
                for b in 0..n {
                    s.k.push_outer(a, b, &(slope[a] * grip.by_rate), &slope_rate[b]);
                    s.c.push_outer(a, b, &(slope[a] * grip.by_rate), &slope[b]);
                }
            }
            coordinate.hessian(&s.x[..n], grip.force, &mut s.k);
            clear_rows(&mut s.local.k[..unknowns], unknowns);
            clear_rows(&mut s.local.c[..unknowns], unknowns);
            add_blocks(&mut s.local.k, s.k.entries(), places, &s.p, &s.p);
            add_blocks(&mut s.local.k, s.c.entries(), places, &s.p, &s.p_rate);
            add_blocks(&mut s.local.c, s.c.entries(), places, &s.p, &s.p);
            self.add_geometric(places, frames, s);
            self.turn_columns(&mut s.local.k[..unknowns], places, at.stage_tangent);
            terms.add_block(Term::Stiffness, 1.0, &s.local.k, &places.block, unknowns);
            terms.add_block(Term::Damping, 1.0, &s.local.c, &places.block, unknowns);
            entry.at.add_pressing(&grip.by_lambda, &slope, &s.p, terms.target(Term::Constant).0);
        }
    }

    /// Friction force along the coordinate of friction `index`, against its motion, and the rate.
    pub fn friction(&self, index: usize, at: &Instant, s: &mut Scratch) -> (f64, f64) {
        let entry = &self.frictions[index];
        let n = entry.at.places.carried.len();
        for ((x, xdot), c) in s.x.iter_mut().zip(&mut s.xdot).zip(entry.law.coordinate.carried()) {
            *x = c.value(&at.frames[c.node]);
            *xdot = c.velocity(&at.frames[c.node], &self.twist(c.node, at.v));
        }
        let rate = entry.law.coordinate.rate(&s.x[..n], &s.xdot[..n]);
        (entry.law.grip(rate, &entry.at.pressing(at.a)).force, rate)
    }
}
