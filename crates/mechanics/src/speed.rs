//! Scalar speeds: functions w(x, ẋ) = Σ_a W_a(x)·ẋ_a of carried vectors, linear in their velocities.
//!
//! ```text
//! rate        w = ṡ of a coordinate s
//! projection  w = u · ẋ
//! spin        w = u · ω = (u·d₁)(d₃·ḋ₂) + (u·d₂)(d₁·ḋ₃) + (u·d₃)(d₂·ḋ₁),   d_k axes of the body that spins
//! ```
//! Constraints on velocities are made of them.

use crate::coordinate::Coordinate;
use crate::element_buffers::Blocks;
use crate::nodes::carried::{Carried, NodeId};
use poinsot_geometry::{Mat3, Vec3};

/// A scalar function of carried vectors, linear in their velocities.
#[derive(Clone, Debug, PartialEq)]
pub enum Speed {
    /// ṡ of a coordinate.
    Rate(Coordinate),
    /// u · ẋ: carried (u, x).
    Projection([Carried; 2]),
    /// u · ω of a body: carried (u, d₁, d₂, d₃).
    Spin([Carried; 4]),
}

/// W_a or ∂w/∂x_a; a speed has at most four carried vectors.
pub type Weights = [Vec3; 4];

impl Speed {
    /// The angular velocity of a node along a carried direction.
    pub fn spin(of: NodeId, along: Carried) -> Self {
        let axis = |k: usize| Carried::direction(of, Mat3::identity().column(k).into_owned());
        Speed::Spin([along, axis(0), axis(1), axis(2)])
    }

    /// The carried vectors.
    pub fn carried(&self) -> &[Carried] {
        match self {
            Speed::Rate(coordinate) => coordinate.carried(),
            Speed::Projection(c) => c,
            Speed::Spin(c) => c,
        }
    }

    /// W_a.
    pub fn weights(&self, x: &[Vec3]) -> Weights {
        let mut w = [Vec3::zeros(); 4];
        match self {
            Speed::Rate(coordinate) => w[..3].copy_from_slice(&coordinate.slope(x)),
            Speed::Projection(_) => w[1] = x[0],
            Speed::Spin(_) => {
                for [i, j, k] in CYCLES {
                    w[j] = x[k] * x[0].dot(&x[i]);
                }
            }
        }
        w
    }

    /// w = Σ_a W_a·ẋ_a.
    pub fn value(&self, x: &[Vec3], xdot: &[Vec3]) -> f64 {
        self.weights(x).iter().zip(xdot).map(|(w, v)| w.dot(v)).sum()
    }

    /// ∂w/∂x_a at fixed ẋ.
    pub fn slope(&self, x: &[Vec3], xdot: &[Vec3]) -> Weights {
        let mut g = [Vec3::zeros(); 4];
        match self {
            Speed::Rate(coordinate) => g[..3].copy_from_slice(&coordinate.slope_rate(x, xdot)),
            Speed::Projection(_) => g[0] = xdot[1],
            Speed::Spin(_) => {
                for [i, j, k] in CYCLES {
                    let (turn, along) = (x[k].dot(&xdot[j]), x[0].dot(&x[i]));
                    g[0] += x[i] * turn;
                    g[i] += x[0] * turn;
                    g[k] += xdot[j] * along;
                }
            }
        }
        g
    }

    /// `scale` · ∂W_a/∂x_b.
    pub fn weight_slopes(&self, x: &[Vec3], scale: f64, out: &mut Blocks) {
        match self {
            Speed::Rate(coordinate) => coordinate.hessian(x, scale, out),
            Speed::Projection(_) => out.push(1, 0, Mat3::identity() * scale),
            Speed::Spin(_) => {
                for [i, j, k] in CYCLES {
                    let across = x[k] * scale;
                    out.push_outer(j, 0, &across, &x[i]);
                    out.push_outer(j, i, &across, &x[0]);
                    out.push(j, k, Mat3::identity() * (scale * x[0].dot(&x[i])));
                }
            }
        }
    }
}

/// (i, j, k): ω̄_i = d_k · ḋ_j with cyclic indices of the carried axes.
const CYCLES: [[usize; 3]; 3] = [[1, 2, 3], [2, 3, 1], [3, 1, 2]];
