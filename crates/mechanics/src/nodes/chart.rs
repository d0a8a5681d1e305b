//! Natural coordinates and charts.
//!
//! A frame has twelve natural coordinates: its origin r and its three directors, the columns of the
//! rotation matrix R. A chart says by which unknowns they move: z = z(q), δz = T(q) δq. Elements are
//! functions of *carried vectors* (see [`crate::Carried`]), so they never learn which chart is in use.

use poinsot_geometry::{Mat3, Vec3, so3};
use serde::{Deserialize, Serialize};

/// The natural coordinates of one node: origin and directors (columns of `rot`).
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Frame {
    /// Origin in world axes (m).
    pub r: Vec3,
    /// Rotation matrix, body axes to world axes.
    pub rot: Mat3,
}

impl Frame {
    /// The world frame.
    pub fn identity() -> Self {
        Frame { r: Vec3::zeros(), rot: Mat3::identity() }
    }
}

/// How a node moves: which unknowns stand for its natural coordinates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Chart {
    /// Does not move (ground).
    Fixed,
    /// A number without mass that belongs to a constraint (the place on a curve); it stands in the first
    /// component of r.
    Parameter,
    /// A number with mass: how far a flexible body is deformed along a shape; it stands in the first
    /// component of r.
    Number,
    /// A point: three translations, no orientation.
    Point,
    /// A point that stays in a plane: translations along `e1` and `e2`.
    PlanarPoint {
        /// First in-plane axis, world.
        e1: Vec3,
        /// Second in-plane axis, world.
        e2: Vec3,
    },
    /// A slope ∂r/∂x of a body that is interpolated: a free vector of three unknowns, which need not stay a
    /// unit vector; it stands in r, but is no place.
    Slope,
    /// A slope that stays in a plane: components along `e1` and `e2`.
    PlanarSlope {
        /// First in-plane axis, world.
        e1: Vec3,
        /// Second in-plane axis, world.
        e2: Vec3,
    },
    /// A rigid motion: velocities (ṙ in world axes, ω in body axes), increments on R³ × SO(3).
    Motion,
    /// A rigid motion parallel to a plane: translations along `e1`, `e2` and the angle about the normal.
    Planar {
        /// First in-plane axis, world.
        e1: Vec3,
        /// Second in-plane axis, world.
        e2: Vec3,
        /// The plane's normal in body axes (constant, because the body only turns about it).
        normal: Vec3,
    },
}

/// Translational and angular velocity (or acceleration) of a frame: ṙ in world axes, ω in body axes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Twist {
    /// Velocity of the origin, world axes.
    pub linear: Vec3,
    /// Angular velocity, body axes.
    pub angular: Vec3,
}

impl Chart {
    /// Number of unknowns.
    #[inline]
    pub fn dofs(&self) -> usize {
        match self {
            Chart::Fixed => 0,
            Chart::Parameter | Chart::Number => 1,
            Chart::PlanarPoint { .. } | Chart::PlanarSlope { .. } => 2,
            Chart::Point | Chart::Slope | Chart::Planar { .. } => 3,
            Chart::Motion => 6,
        }
    }

    /// How many of the unknowns are translations; they come first. The others are measured by one: turns, and
    /// slopes.
    #[inline]
    pub fn linear_dofs(&self) -> usize {
        match self {
            Chart::Fixed | Chart::Slope | Chart::PlanarSlope { .. } => 0,
            Chart::Parameter | Chart::Number => 1,
            Chart::Point | Chart::Motion => 3,
            Chart::Planar { .. } | Chart::PlanarPoint { .. } => 2,
        }
    }

    /// Whether it is a number, which has no place in space.
    #[inline]
    pub fn is_number(&self) -> bool {
        matches!(self, Chart::Parameter | Chart::Number)
    }

    /// Whether it is a slope: a vector in space, but no place.
    #[inline]
    pub fn is_slope(&self) -> bool {
        matches!(self, Chart::Slope | Chart::PlanarSlope { .. })
    }

    /// How many of the unknowns are components of r in world axes or in those of a plane; they come first.
    #[inline]
    pub fn vector_dofs(&self) -> usize {
        if self.is_slope() { self.dofs() } else { self.linear_dofs() }
    }

    /// The twist that the velocities `v` stand for.
    #[inline]
    pub fn twist(&self, v: &[f64]) -> Twist {
        match self {
            Chart::Fixed => Twist { linear: Vec3::zeros(), angular: Vec3::zeros() },
            Chart::Parameter | Chart::Number => {
                Twist { linear: Vec3::new(v[0], 0.0, 0.0), angular: Vec3::zeros() }
            }
            Chart::Point | Chart::Slope => {
                Twist { linear: Vec3::new(v[0], v[1], v[2]), angular: Vec3::zeros() }
            }
            Chart::PlanarPoint { e1, e2 } | Chart::PlanarSlope { e1, e2 } => {
                Twist { linear: e1 * v[0] + e2 * v[1], angular: Vec3::zeros() }
            }
            // One check of the length for all numbers.
            Chart::Motion => {
                let v = &v[..6];
                Twist { linear: Vec3::new(v[0], v[1], v[2]), angular: Vec3::new(v[3], v[4], v[5]) }
            }
            Chart::Planar { e1, e2, normal } => {
                let v = &v[..3];
                Twist { linear: e1 * v[0] + e2 * v[1], angular: normal * v[2] }
            }
        }
    }

    /// The unknowns that stand for a twist; its components that the chart cannot express are lost.
    pub fn velocities(&self, twist: &Twist, v: &mut [f64]) {
        match self {
            Chart::Fixed => {}
            Chart::Parameter | Chart::Number => v[0] = twist.linear.x,
            Chart::Point | Chart::Slope => v.copy_from_slice(twist.linear.as_slice()),
            Chart::Motion => {
                v[..3].copy_from_slice(twist.linear.as_slice());
                v[3..].copy_from_slice(twist.angular.as_slice());
            }
            Chart::PlanarPoint { e1, e2 } | Chart::PlanarSlope { e1, e2 } => {
                v[0] = e1.dot(&twist.linear);
                v[1] = e2.dot(&twist.linear);
            }
            Chart::Planar { e1, e2, normal } => {
                v[0] = e1.dot(&twist.linear);
                v[1] = e2.dot(&twist.linear);
                v[2] = normal.dot(&twist.angular);
            }
        }
    }

    /// Retraction: z⁺ = z ∘ Δ, that is r⁺ = r + Δr, R⁺ = R exp(Δθ).
    #[inline]
    pub fn retract(&self, z: &Frame, delta: &[f64]) -> Frame {
        let mut out = *z;
        self.retract_to(z, delta, &mut out);
        out
    }

    /// [`Chart::retract`] in place.
    #[inline]
    pub fn retract_to(&self, z: &Frame, delta: &[f64], out: &mut Frame) {
        match self {
            Chart::Planar { e1, e2, normal } => {
                let delta = &delta[..3];
                out.r = z.r + e1 * delta[0] + e2 * delta[1];
                out.rot = turn_about(&z.rot, normal, delta[2]);
            }
            Chart::Motion => {
                let delta = &delta[..6];
                out.r = z.r + Vec3::new(delta[0], delta[1], delta[2]);
                out.rot = z.rot * so3::exp(&Vec3::new(delta[3], delta[4], delta[5]));
            }
            _ => {
                out.r = z.r + self.twist(delta).linear;
                out.rot = z.rot;
            }
        }
    }

    /// Body-axes rotation caused by a change of Δθ: δθ = T(Δθ) δ(Δθ), the tangent of the retraction.
    #[inline]
    pub fn tangent(&self, delta: &[f64]) -> Mat3 {
        match self {
            Chart::Motion => so3::tangent(&Vec3::new(delta[3], delta[4], delta[5])),
            _ => Mat3::identity(),
        }
    }
}

/// R exp(θ ñ) = cos θ R + sin θ R ñ + (1 − cos θ) (R n) nᵀ for a unit vector n.
#[inline]
fn turn_about(rot: &Mat3, normal: &Vec3, theta: f64) -> Mat3 {
    let (a, b) = so3::sine_and_cosine_quotients(theta * theta);
    let (sine, versine) = (a * theta, b * theta * theta);
    let cosine = 1.0 - versine;
    let [c0, c1, c2] = [0, 1, 2].map(|k| rot.column(k).into_owned());
    // The same without the terms that are zero: most bodies in a plane turn about their third axis.
    if normal.z == 1.0 && normal.x == 0.0 && normal.y == 0.0 {
        return Mat3::from_columns(&[
            c0 * cosine + c1 * sine,
            c1 * cosine - c0 * sine,
            c2 * cosine + c2 * versine,
        ]);
    }
    let raised = rot * normal * versine;
    let n = normal * sine;
    Mat3::from_columns(&[
        c0 * cosine + c1 * n.z - c2 * n.y + raised * normal.x,
        c1 * cosine + c2 * n.x - c0 * n.z + raised * normal.y,
        c2 * cosine + c0 * n.y - c1 * n.x + raised * normal.z,
    ])
}
