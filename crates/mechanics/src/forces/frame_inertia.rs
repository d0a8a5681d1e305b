//! Inertia forces of a frame that turns with a constant angular velocity Ω about a centre x₀.
//!
//! With M_ab the constant mass matrix between carried vectors (see [`crate::Inertia`]) and ξ_b = x_b − c₀ x₀
//! seen from the centre,
//!
//! ```text
//! f_a = −Σ_b M_ab (2 Ω × ẋ_b + Ω × (Ω × ξ_b))
//! V = −½ Σ_ab M_ab (Ω × ξ_a)·(Ω × ξ_b)                the part of Coriolis has no power: M is symmetric, Ω × is not
//! ∂f_a/∂x_b = −M_ab Ω̃ Ω̃,      ∂f_a/∂ẋ_b = −2 M_ab Ω̃
//! ```
//! Both derivatives are constant. Over a step the gradient of V at the mean is a discrete gradient, because V
//! is quadratic (energy-momentum-null-space I-16), and Coriolis at the mean rate does no work: Σ_ab M_ab
//! Δx_a·(Ω × Δx_b) = 0. What an integrator that conserves energy conserves here is the Jacobi integral T + V.

use crate::discrete_gradients::StepEnds;
use crate::element_buffers::Blocks;
use crate::force::{Force, Motion, Power};
use crate::mass::body::Body;
use crate::mass::inertia::Inertia;
use crate::nodes::carried::Carried;
use crate::nodes::chart::Chart;
use poinsot_geometry::{Mat3, Vec3, so3};

/// A frame of reference that turns steadily.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Turning {
    /// Angular velocity Ω (rad/s), in the axes of the frame.
    pub rate: Vec3,
    /// A point of the axis that it turns about.
    pub centre: Vec3,
}

/// The inertia forces of a turning frame on one mass matrix.
#[derive(Clone, Debug)]
pub struct FrameInertia {
    mass: Inertia,
    frame: Turning,
}

impl FrameInertia {
    /// On what couples nodes.
    pub fn on_inertia(mass: &Inertia, frame: Turning) -> Self {
        FrameInertia { mass: mass.clone(), frame }
    }

    /// On a body: a point mass, or one with the Euler tensor E between its directors.
    pub fn on_body(body: &Body, chart: &Chart, frame: Turning) -> Self {
        let origin = Carried::point(body.node, Vec3::zeros());
        if matches!(chart, Chart::Point | Chart::PlanarPoint { .. }) {
            return FrameInertia { mass: Inertia::new(vec![origin], |_, _| body.mass), frame };
        }
        let axis = |k: usize| Carried::direction(body.node, Mat3::identity().column(k).into_owned());
        let (euler, first) = (body.euler_tensor(), body.centre * body.mass);
        let entry = |a: usize, b: usize| match (a, b) {
            (0, 0) => body.mass,
            (0, k) | (k, 0) => first[k - 1],
            (i, j) => euler[(i - 1, j - 1)],
        };
        FrameInertia { mass: Inertia::new(vec![origin, axis(0), axis(1), axis(2)], entry), frame }
    }

    /// ξ_b = x_b − c₀ x₀; slopes are seen from nowhere.
    fn seen_from_centre(&self, b: usize, at: &Motion) -> Vec3 {
        at.x[b] - self.frame.centre * self.mass.carried()[b].place()
    }

    /// Calls `f(a, b, M_ab)` for every entry that is not zero.
    fn for_each(&self, mut f: impl FnMut(usize, usize, f64)) {
        let n = self.mass.carried().len();
        for a in 0..n {
            for b in 0..n {
                let m = self.mass.coefficient(a, b);
                if m != 0.0 {
                    f(a, b, m);
                }
            }
        }
    }
}

impl Force for FrameInertia {
    fn kind(&self) -> &'static str {
        "inertia of the turning frame"
    }

    fn carried(&self) -> &[Carried] {
        self.mass.carried()
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        let rate = &self.frame.rate;
        self.for_each(|a, b, m| {
            let inward = rate.cross(&rate.cross(&self.seen_from_centre(b, at)));
            f[a] -= (rate.cross(&at.xdot[b]) * 2.0 + inward) * m;
        });
    }

    fn tangent(&self, _at: &Motion, k: &mut Blocks, c: &mut Blocks) {
        let turn = so3::skew(&self.frame.rate);
        let inward = turn * turn;
        self.for_each(|a, b, m| {
            k.push(a, b, inward * -m);
            c.push(a, b, turn * (-2.0 * m));
        });
    }

    fn potential(&self, at: &Motion) -> f64 {
        let mut sum = 0.0;
        let swept = |b: usize| self.frame.rate.cross(&self.seen_from_centre(b, at));
        self.for_each(|a, b, m| sum -= 0.5 * m * swept(a).dot(&swept(b)));
        sum
    }

    fn power(&self, _at: &Motion) -> Power {
        Power::default()
    }

    fn is_gyroscopic(&self) -> bool {
        true
    }

    fn discrete_work(&self, _step: &StepEnds) -> Power {
        Power::default()
    }
}
