//! What an element sees of a step: its carried vectors at both ends, their mean and their mean rate.
//!
//! The conserving view of an element needs no more than that: a discrete gradient D of a function f(x) is one
//! with
//!
//! ```text
//! Σ_a D_a · (x⁺_a − x_a) = f(x⁺) − f(x)          directionality
//! D_a = ∂f/∂x_a at the mean + O(|x⁺ − x|²)        consistency
//! ```
//! (energy-momentum-null-space I-13). If f is at most quadratic, D is the gradient at the mean (I-16).

use crate::constraint::Configuration;
use crate::force::Motion;
use crate::system::clock::LawSpan;
use poinsot_geometry::Vec3;

/// A step as an element sees it.
#[derive(Clone, Copy, Debug)]
pub struct StepEnds<'a> {
    /// Time at the start of the step (s).
    pub t: f64,
    /// Length of the step (s).
    pub h: f64,
    /// The times that laws see.
    pub span: LawSpan,
    /// Carried vectors x_a at the start.
    pub from: &'a [Vec3],
    /// Carried vectors x⁺_a at the end.
    pub to: &'a [Vec3],
    /// Their means ½(x_a + x⁺_a).
    pub mean: &'a [Vec3],
    /// Their mean rates (x⁺_a − x_a)/h.
    pub rate: &'a [Vec3],
    /// The element's remembered numbers (unwrapped angles) at the start.
    pub memory: &'a [f64],
    /// The reactions that the element reads, at the mean.
    pub reactions: &'a [f64],
    /// Numerical dissipation χ ≥ 0: elements with a potential add χ (∂²V) Δe to the force along each
    /// deformation e.
    pub dissipation: f64,
}

impl<'a> StepEnds<'a> {
    /// The time that laws see at a share of the step.
    pub fn time(&self, share: f64) -> f64 {
        self.span.hold(self.t + share * self.h)
    }

    /// x⁺_a − x_a.
    pub fn change(&self, a: usize) -> Vec3 {
        self.to[a] - self.from[a]
    }

    /// The start as a constraint sees it.
    pub fn start(&self) -> Configuration<'a> {
        Configuration { t: self.time(0.0), x: self.from, memory: self.memory }
    }

    /// The end as a constraint sees it; angles continue from those remembered at the start.
    pub fn end(&self) -> Configuration<'a> {
        Configuration { t: self.time(1.0), x: self.to, memory: self.memory }
    }

    /// The mean as a constraint sees it.
    pub fn middle(&self) -> Configuration<'a> {
        Configuration { t: self.time(0.5), x: self.mean, memory: self.memory }
    }

    /// The mean as a force sees it, with the mean rates.
    pub fn motion(&self) -> Motion<'a> {
        Motion {
            t: self.time(0.5),
            x: self.mean,
            xdot: self.rate,
            memory: self.memory,
            reactions: self.reactions,
        }
    }

    /// The start as a force sees it, with the mean rates.
    pub fn first(&self) -> Motion<'a> {
        Motion { t: self.time(0.0), x: self.from, ..self.motion() }
    }

    /// The end as a force sees it, with the mean rates.
    pub fn last(&self) -> Motion<'a> {
        Motion { t: self.time(1.0), x: self.to, ..self.motion() }
    }
}
