//! Rotations, rigid motions and orientation sets.
//!
//! Conventions used by every module:
//! - a rotation matrix `A` maps body components to space components, `u = A ū`;
//! - `skew(a) b = a × b`;
//! - material (body) quantities are left invariant, `skew(ω̄) = Aᵀ Ȧ`; spatial ones `skew(ω) = Ȧ Aᵀ`;
//! - Euler parameters carry the scalar first;
//! - six-vectors carry the linear part first, `{linear ; angular}`.
//!
//! It is a library: [`interpolation`], [`joint_axis`], [`manifold_newton`] and sets of [`orientation`] hold
//! more than the simulator itself asks for.
//!
//! ```
//! use poinsot_geometry::{Vec3, so3};
//!
//! let quarter = so3::exp(&(Vec3::z() * std::f64::consts::FRAC_PI_2));
//! assert!((quarter * Vec3::x() - Vec3::y()).norm() < 1e-15);
//! assert!((so3::log(&quarter).z - std::f64::consts::FRAC_PI_2).abs() < 1e-15);
//! ```

pub use nalgebra;

/// Vector of three components.
pub type Vec3 = nalgebra::Vector3<f64>;
/// Vector of four components (Euler parameters, scalar first).
pub type Vec4 = nalgebra::Vector4<f64>;
/// Vector of six components, linear part first.
pub type Vec6 = nalgebra::Vector6<f64>;
/// 3×3 matrix.
pub type Mat3 = nalgebra::Matrix3<f64>;
/// 4×4 matrix.
pub type Mat4 = nalgebra::Matrix4<f64>;
/// 6×6 matrix.
pub type Mat6 = nalgebra::Matrix6<f64>;
/// 3×4 matrix.
pub type Mat3x4 = nalgebra::Matrix3x4<f64>;
/// 4×3 matrix.
pub type Mat4x3 = nalgebra::Matrix4x3<f64>;

pub mod axis_angle;
pub mod direction_cosines;
pub mod dual;
pub mod dual_quaternion;
pub mod euler;
pub mod interpolation;
pub mod joint_axis;
pub mod line;
pub mod manifold_newton;
pub mod motion;
pub mod motion_parameters;
pub mod orientation;
pub mod quaternion;
pub mod rodrigues;
pub mod se3;
pub mod so3;
pub mod stumpff;
mod tangent_operator;

pub use orientation::{Orientation, OrientationError};
pub use quaternion::EulerParameters;
pub use se3::Pose;
