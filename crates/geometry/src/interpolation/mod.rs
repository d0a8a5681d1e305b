//! Interpolation of rotations and motions (motion-interpolation-galerkin §1.9 … §1.11, §1.22).
//!
//! In a vector space `x(η) = Σ l_k x_k` is the point with the least `Σ l_k |x − x_k|²`. On the manifold of
//! motions the same statement with a [metric](Metric) takes its place,
//!
//! ```text
//! X(η) = stat_X Σ_k l_k(η) dist²(X, X_k)      ⇔      Σ_k l_k(η) s_k = 0 ,   s_k = s(X⁻¹ X_k)
//! ```
//!
//! with a parameter vector `s` of the relative motion that belongs to the metric. Such an interpolation is
//! frame indifferent, does not depend on the path by which the nodes came to their places, and passes through
//! the nodes if the basis is nodal.
//!
//! - bases: [`Lagrange`] (Gauss, Lobatto, Radau, equidistant), [`chebyshev()`], [`Fourier`], [`BSpline`],
//!   [`NodalSpline`], all a [`Basis`]; [`Quadrature`] for the points and weights;
//! - [`RotationInterpolation`] on SO(3) and [`MotionInterpolation`] on SE(3): frame, curvature, their
//!   increments and second derivatives;
//! - [`ScrewSegment`]: two nodes in closed form (dual SLERP).

mod algebra;
mod basis;
mod bspline;
mod chebyshev;
mod fourier;
mod lagrange;
pub mod legendre;
pub mod matrix_metric;
mod metric;
mod motion_interpolation;
mod nodal_spline;
mod quadrature;
mod relative;
mod rotation_interpolation;
mod screw_segment;
mod stationary_frame;

pub use basis::{Basis, BasisError};
pub use bspline::BSpline;
pub use chebyshev::{chebyshev, chebyshev_polynomial};
pub use fourier::Fourier;
pub use lagrange::Lagrange;
pub use metric::Metric;
pub use motion_interpolation::{MotionInterpolation, MotionPoint};
pub use nodal_spline::NodalSpline;
pub use quadrature::Quadrature;
pub use rotation_interpolation::{RotationInterpolation, RotationPoint};
pub use screw_segment::ScrewSegment;
pub use stationary_frame::InterpolationError;
