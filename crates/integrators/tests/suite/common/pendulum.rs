//! The pendulum as a constrained point, with its exact motion (gs4-isochronous-integrators V-13).

use super::{accelerations, attach, order, runge_kutta, tight, unit_point};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::{Gs4, Gs4Form, Member, Settings, Stepper};
use poinsot_mechanics::joints::distance;
use poinsot_mechanics::*;
use std::f64::consts::FRAC_PI_3;

pub const G: f64 = 9.81;

/// Φ = ½(x·x − 1), the form in which the digest gives its multipliers.
#[derive(Debug)]
pub struct UnitCircle([Carried; 1]);

impl Constraint for UnitCircle {
    fn kind(&self) -> &'static str {
        "unit circle"
    }

    fn row_name(&self, _k: usize) -> &'static str {
        "radius"
    }

    fn rows(&self) -> usize {
        1
    }

    fn carried(&self) -> &[Carried] {
        &self.0
    }

    fn reaction_point(&self) -> usize {
        0
    }

    fn residual(&self, at: &Configuration, phi: &mut [f64]) {
        phi[0] = 0.5 * (at.x[0].norm_squared() - 1.0);
    }

    fn gradients(&self, at: &Configuration, g: &mut Gradients) {
        g.push(0, 0, at.x[0]);
    }

    fn rate_gradients(&self, _at: &Configuration, xdot: &[Vec3], g: &mut Gradients) {
        g.push(0, 0, xdot[0]);
    }

    fn hessian(&self, _at: &Configuration, lambda: &[f64], h: &mut Blocks) {
        h.push(0, 0, Mat3::identity() * lambda[0]);
    }
}

/// How the rod is modelled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Rod {
    /// ½(x·x − 1).
    Square,
    /// The library's distance joint |x| − 1.
    Joint,
}

/// "Φ=½(qᵀq−1), m=1, Q=(0,−9.81), q0=(sin π/3, −cos π/3), v0=.5(cos π/3, sin π/3)", or from rest.
pub fn pendulum(rod: Rod, speed: f64) -> System {
    let mut b = SystemBuilder::new(Vec3::y() * -G);
    let (s, c) = FRAC_PI_3.sin_cos();
    let node = unit_point(&mut b, Vec3::new(s, -c, 0.0), Vec3::new(c, s, 0.0) * speed);
    let law: Box<dyn Constraint> = match rod {
        Rod::Square => Box::new(UnitCircle([Carried::point(node, Vec3::zeros())])),
        Rod::Joint => {
            let end = |node| attach(node, Vec3::zeros(), Mat3::identity());
            Box::new(distance(&end(GROUND), &end(node), 1.0))
        }
    };
    b.constraint("rod", law);
    b.build()
}

/// What is compared: position, velocity, acceleration and multiplier.
#[derive(Clone, Copy, Debug)]
pub struct Values {
    pub q: Vec3,
    pub v: Vec3,
    pub a: Vec3,
    pub lambda: f64,
}

/// The exact motion by its angle: θ̈ = −g sin θ; then λ = Q·q + |v|², a = Q − λ q.
pub fn exact(t: f64, speed: f64) -> Values {
    let [angle, rate] = runge_kutta(|_, y| [y[1], -G * y[0].sin()], [FRAC_PI_3, speed], t, 500);
    let (s, c) = angle.sin_cos();
    let (q, v) = (Vec3::new(s, -c, 0.0), Vec3::new(c, s, 0.0) * rate);
    let load = Vec3::y() * -G;
    let lambda = load.dot(&q) + v.norm_squared();
    Values { q, v, a: load - q * lambda, lambda }
}

/// An integration that carries λ by λⁿ⁺¹ = (λ̃ − (1−W1)λⁿ)/W1 (I-47, I-55).
pub struct Run<'s> {
    pub gs4: Gs4<'s>,
    pub lambda: f64,
    pub x: std::ops::Range<usize>,
    pub row: usize,
}

impl<'s> Run<'s> {
    /// With `plain`, a⁰ and λ⁰ are those of t₀; else a⁰ is the integrator's own.
    pub fn new(system: &'s System, member: Member, form: Gs4Form, h: f64, plain: bool) -> Self {
        Run::with(system, tight(member, form), h, plain)
    }

    pub fn with(system: &'s System, settings: Settings, h: f64, plain: bool) -> Self {
        let state = system.start_state(0.0);
        let now = accelerations(system, &state);
        let mut gs4 = Gs4::new(system, settings, state, h).unwrap();
        if plain {
            gs4.set_stored_acceleration(&now);
        }
        let row = system.row_equation(0, 0).unwrap();
        Run { gs4, lambda: now[row], x: system.nodes()[1].unknowns(), row }
    }

    pub fn step(&mut self, h: f64) {
        self.gs4.step(h).unwrap();
        let w1 = self.gs4.weights().w1;
        self.lambda = (self.stage_lambda() - (1.0 - w1) * self.lambda) / w1;
    }

    pub fn stage_lambda(&self) -> f64 {
        self.gs4.stage()[self.row]
    }

    pub fn values(&self) -> Values {
        let vector = |x: &[f64]| Vec3::from_column_slice(&x[self.x.clone()]);
        Values {
            q: self.gs4.state().frames[1].r,
            v: vector(&self.gs4.state().v),
            a: vector(self.gs4.stored_acceleration()),
            lambda: self.lambda,
        }
    }
}

/// A series of runs to T = 1: what is integrated and how it starts.
#[derive(Clone, Copy, Debug)]
pub struct Series {
    pub settings: Settings,
    pub rod: Rod,
    pub plain: bool,
    pub speed: f64,
}

impl Series {
    /// As the digest's table: Φ = ½(x·x − 1), a⁰ = q̈(t₀), nonzero speed.
    pub fn new(member: Member, form: Gs4Form) -> Self {
        Series { settings: tight(member, form), rod: Rod::Square, plain: true, speed: 0.5 }
    }

    /// Largest components of the errors of q, v at t, of a at t − φh, of λ by the recurrence at t and of λ̃
    /// at its own time; the largest over the last `window` of `n` steps.
    pub fn errors(&self, n: usize, window: usize) -> [f64; 5] {
        let system = pendulum(self.rod, self.speed);
        let h = 1.0 / n as f64;
        let mut run = Run::with(&system, self.settings, h, self.plain);
        let mut worst = [0.0; 5];
        for k in 1..=n {
            run.step(h);
            if k + window > n {
                let now = self.errors_of(&run, k as f64 * h, h);
                worst = std::array::from_fn(|i| f64::max(worst[i], now[i]));
            }
        }
        worst
    }

    pub fn errors_of(&self, run: &Run, t: f64, h: f64) -> [f64; 5] {
        let (got, w) = (run.values(), self.settings.weights());
        let (end, shifted) = (exact(t, self.speed), exact(t - w.phi * h, self.speed));
        let stage = exact(t + (w.w1 - 1.0) * h, self.speed);
        [
            (got.q - end.q).amax(),
            (got.v - end.v).amax(),
            (got.a - shifted.a).amax(),
            (got.lambda - end.lambda).abs(),
            (run.stage_lambda() - stage.lambda).abs(),
        ]
    }

    /// Orders at T between n and 2n steps.
    pub fn orders_at_end(&self, n: usize) -> [f64; 5] {
        let (coarse, fine) = (self.errors(n, 1), self.errors(2 * n, 1));
        std::array::from_fn(|k| order(coarse[k], fine[k]))
    }

    /// Orders of the largest error in the last quarter, where no sign change of an error misleads.
    pub fn orders(&self, n: usize) -> [f64; 5] {
        let (coarse, fine) = (self.errors(n, n / 4), self.errors(2 * n, n / 2));
        std::array::from_fn(|k| order(coarse[k], fine[k]))
    }
}

pub const MEMBERS: [Member; 14] = [
    Member::u0(1.0, 1.0, 1.0),
    Member::u0(1.0, 1.0, 0.5),
    Member::u0(1.0, 1.0, 0.0),
    Member::v0(1.0, 1.0, 0.0),
    Member::v0(1.0, 1.0, 0.5),
    Member::u0(0.0, 1.0, 0.0),
    Member::u0(0.5, 1.0, 0.5),
    Member::u0(0.5, 0.5, 0.5),
    Member::u0(0.8, 0.8, 0.8),
    Member::u0(0.6, 0.6, 1.0 / 3.0),
    Member::u0(0.5, 0.5, 0.0),
    Member::u0(0.0, 0.0, 0.0),
    Member::v0(0.5, 0.5, 0.5),
    Member::v0(0.3, 0.7, 0.1),
];
