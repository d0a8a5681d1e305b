//! Scalar coordinates: distance, displacement, angle, component and cosine, as functions of carried vectors.
//!
//! A spring, an actuator, a coupling, a drive, a constraint from an expression and a signal all need the same
//! three things of a coordinate s(x): its value, its gradient and its second derivatives. They are written
//! here once.

use crate::element_buffers::Blocks;
use crate::joints::Attachment;
use crate::joints::distance::{curvature, direction};
use crate::nodes::carried::Carried;
use poinsot_geometry::{Mat3, Vec3};
use std::f64::consts::TAU;

/// A scalar function s(x) of carried vectors.
#[derive(Clone, Debug, PartialEq)]
pub enum Coordinate {
    /// s = |x₂ − x₁|.
    Distance([Carried; 2]),
    /// s = u·(x₂ − x₁): carried (x₁, x₂, u).
    Displacement([Carried; 3]),
    /// s = atan2(u₂·w, u₁·w), continued over full turns: carried (u₁, u₂, w).
    Angle([Carried; 3]),
    /// s = e·x with a world axis e.
    Component([Carried; 1], usize),
    /// s = u·w.
    Cosine([Carried; 2]),
}

/// Gradients ∂s/∂x_a; a coordinate has at most three carried vectors.
pub type Slope = [Vec3; 3];

impl Coordinate {
    /// Distance between the origins of two attachments.
    pub fn distance(first: &Attachment, second: &Attachment) -> Self {
        Coordinate::Distance([first.point(), second.point()])
    }

    /// Displacement of the second origin along the third axis of the first attachment.
    pub fn displacement(first: &Attachment, second: &Attachment) -> Self {
        Coordinate::Displacement([first.point(), second.point(), first.axis(2)])
    }

    /// Angle of the second attachment's first axis about the third axis of the first attachment.
    pub fn angle(first: &Attachment, second: &Attachment) -> Self {
        Coordinate::Angle([first.axis(0), first.axis(1), second.axis(0)])
    }

    /// Displacement of the second origin along axis `k` of the first attachment.
    pub fn displacement_along(first: &Attachment, second: &Attachment, k: usize) -> Self {
        Coordinate::Displacement([first.point(), second.point(), first.axis(k)])
    }

    /// Angle of a universal joint's cross about the third axis of the first attachment.
    pub fn first_cross_angle(first: &Attachment, second: &Attachment) -> Self {
        Coordinate::Angle([first.axis(0), first.axis(1), second.axis(2)])
    }

    /// Angle of a universal joint's second body about its own third axis, measured from the cross.
    pub fn second_cross_angle(first: &Attachment, second: &Attachment) -> Self {
        let across = second.axis(1);
        Coordinate::Angle([second.axis(0), Carried { c: -across.c, ..across }, first.axis(2)])
    }

    /// World component of a carried vector.
    pub fn component(of: Carried, axis: usize) -> Self {
        Coordinate::Component([of], axis)
    }

    /// The carried vectors.
    pub fn carried(&self) -> &[Carried] {
        match self {
            Coordinate::Component(c, _) => c,
            Coordinate::Distance(c) | Coordinate::Cosine(c) => c,
            Coordinate::Displacement(c) | Coordinate::Angle(c) => c,
        }
    }

    /// s(x); an angle is returned in the turn nearest to `memory`.
    #[inline]
    pub fn value(&self, x: &[Vec3], memory: f64) -> f64 {
        match self {
            Coordinate::Distance(_) => direction(x).1,
            Coordinate::Displacement(_) => x[2].dot(&(x[1] - x[0])),
            Coordinate::Angle(_) => {
                let angle = x[1].dot(&x[2]).atan2(x[0].dot(&x[2]));
                angle + TAU * ((memory - angle) / TAU).round()
            }
            Coordinate::Component(_, axis) => x[0][*axis],
            Coordinate::Cosine(_) => x[0].dot(&x[1]),
        }
    }

    /// ∂s/∂x_a.
    #[inline]
    pub fn slope(&self, x: &[Vec3]) -> Slope {
        let mut g = [Vec3::zeros(); 3];
        match self {
            Coordinate::Distance(_) => {
                g[1] = direction(x).0;
                g[0] = -g[1];
            }
            Coordinate::Displacement(_) => {
                g[0] = -x[2];
                g[1] = x[2];
                g[2] = x[1] - x[0];
            }
            Coordinate::Angle(_) => {
                let (c, s, d) = angle_parts(x);
                g[0] = x[2] * (-s / d);
                g[1] = x[2] * (c / d);
                g[2] = (x[1] * c - x[0] * s) / d;
            }
            Coordinate::Component(_, axis) => g[0][*axis] = 1.0,
            Coordinate::Cosine(_) => {
                g[0] = x[1];
                g[1] = x[0];
            }
        }
        g
    }

    /// d/dt ∂s/∂x_a along ẋ, i.e. Σ_b ∂²s/∂x_a∂x_b ẋ_b.
    pub fn slope_rate(&self, x: &[Vec3], xdot: &[Vec3]) -> Slope {
        let mut g = [Vec3::zeros(); 3];
        match self {
            Coordinate::Distance(_) => {
                let (n, l) = direction(x);
                g[1] = curvature(&n, l) * (xdot[1] - xdot[0]);
                g[0] = -g[1];
            }
            Coordinate::Displacement(_) => {
                g[0] = -xdot[2];
                g[1] = xdot[2];
                g[2] = xdot[1] - xdot[0];
            }
            // g = (−s w, c w, c u₂ − s u₁)/d, differentiated as it stands.
            Coordinate::Angle(_) => {
                let (c, s, d) = angle_parts(x);
                let cdot = xdot[0].dot(&x[2]) + x[0].dot(&xdot[2]);
                let sdot = xdot[1].dot(&x[2]) + x[1].dot(&xdot[2]);
                let shrink = 2.0 * (c * cdot + s * sdot) / d;
                g[0] = (x[2] * (s * shrink - sdot) - xdot[2] * s) / d;
                g[1] = (x[2] * (cdot - c * shrink) + xdot[2] * c) / d;
                let across = x[1] * c - x[0] * s;
                g[2] = (x[1] * cdot + xdot[1] * c - x[0] * sdot - xdot[0] * s - across * shrink) / d;
            }
            Coordinate::Component(..) => {}
            Coordinate::Cosine(_) => {
                g[0] = xdot[1];
                g[1] = xdot[0];
            }
        }
        g
    }

    /// `scale` · ∂²s/∂x_a∂x_b.
    pub fn hessian(&self, x: &[Vec3], scale: f64, out: &mut Blocks) {
        match self {
            Coordinate::Distance(_) => {
                let (n, l) = direction(x);
                let c = curvature(&n, l) * scale;
                out.push(0, 0, c);
                out.push(1, 1, c);
                out.push(0, 1, -c);
                out.push(1, 0, -c);
            }
            Coordinate::Displacement(_) => {
                out.push_pair(2, 0, -scale);
                out.push_pair(2, 1, scale);
            }
            Coordinate::Angle(_) => angle_hessian(x, scale, out),
            Coordinate::Component(..) => {}
            Coordinate::Cosine(_) => out.push_pair(0, 1, scale),
        }
    }

    /// ṡ = Σ_a ∂s/∂x_a · ẋ_a.
    pub fn rate(&self, x: &[Vec3], xdot: &[Vec3]) -> f64 {
        let g = self.slope(x);
        xdot.iter().zip(&g).map(|(v, g)| v.dot(g)).sum()
    }

    /// s and ṡ; a length is looked at once.
    #[inline]
    pub(crate) fn value_and_rate(&self, x: &[Vec3], xdot: &[Vec3], memory: f64) -> (f64, f64) {
        if let Coordinate::Distance(_) = self {
            let (e, length) = direction(x);
            return (length, xdot[0].dot(&-e) + xdot[1].dot(&e));
        }
        (self.value(x, memory), self.rate(x, xdot))
    }
}

/// c = u₁·w, s = u₂·w and c² + s².
fn angle_parts(x: &[Vec3]) -> (f64, f64, f64) {
    let (c, s) = (x[0].dot(&x[2]), x[1].dot(&x[2]));
    (c, s, c * c + s * s)
}

/// Second derivatives of atan2(s, c) with s = u₂·w, c = u₁·w:
/// ∂²θ = (θ_cc ∇c∇cᵀ + θ_cs(∇c∇sᵀ + ∇s∇cᵀ) + θ_ss ∇s∇sᵀ) + θ_c ∇²c + θ_s ∇²s.
fn angle_hessian(x: &[Vec3], scale: f64, out: &mut Blocks) {
    let (c, s, d) = angle_parts(x);
    let (tc, ts) = (-s / d, c / d);
    let (tcc, tss, tcs) = (2.0 * c * s / (d * d), -2.0 * c * s / (d * d), (s * s - c * c) / (d * d));
    let zero = Vec3::zeros();
    let (gc, gs) = ([x[2], zero, x[0]], [zero, x[2], x[1]]);
    for a in 0..3 {
        for b in 0..3 {
            let mut block = gc[a] * gc[b].transpose() * tcc
                + (gc[a] * gs[b].transpose() + gs[a] * gc[b].transpose()) * tcs
                + gs[a] * gs[b].transpose() * tss;
            let linear = match (a, b) {
                (0, 2) | (2, 0) => tc,
                (1, 2) | (2, 1) => ts,
                _ => 0.0,
            };
            block += Mat3::identity() * linear;
            out.push(a, b, block * scale);
        }
    }
}
