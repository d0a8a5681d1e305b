//! Strategies, comparisons and finite differences shared by the tests.
use poinsot_geometry::dual::{Dual, DualNumber, DualVec3};
use poinsot_geometry::nalgebra::{Dim, Matrix, SMatrix, SVector, storage::Storage};
use poinsot_geometry::se3::{Pose, join};
use poinsot_geometry::{Mat3, Vec3, Vec6, so3};
use proptest::prelude::*;

/// Magnitude of anything that is compared.
pub trait Size {
    fn size(&self) -> f64;
}

impl Size for f64 {
    fn size(&self) -> f64 {
        self.abs()
    }
}

impl<R: Dim, C: Dim, S: Storage<f64, R, C>> Size for Matrix<f64, R, C, S> {
    fn size(&self) -> f64 {
        self.norm()
    }
}

impl<T: Size> Size for Dual<T> {
    fn size(&self) -> f64 {
        self.re.size() + self.du.size()
    }
}

/// Asserts `|a - b| ≤ tol`, and fails on NaN.
#[track_caller]
pub fn close<T>(a: T, b: T, tol: f64)
where
    T: Size + Copy + std::fmt::Debug + std::ops::Sub<Output = T>,
{
    let error = (a - b).size();
    assert!(error <= tol, "difference {error:e} > {tol:e}\n left: {a:?}\nright: {b:?}");
}

/// Fourth-order central difference of a vector function.
pub fn jacobian<const M: usize, const N: usize>(
    f: impl Fn(&SVector<f64, N>) -> SVector<f64, M>,
    x: &SVector<f64, N>,
) -> SMatrix<f64, M, N> {
    let columns: [SVector<f64, M>; N] = std::array::from_fn(|k| {
        time_derivative(|t| {
            let mut shifted = *x;
            shifted[k] += t;
            f(&shifted)
        })
    });
    SMatrix::from_columns(&columns)
}

/// Fourth-order central difference at `t = 0`.
pub fn time_derivative<const M: usize, const N: usize>(
    f: impl Fn(f64) -> SMatrix<f64, M, N>,
) -> SMatrix<f64, M, N> {
    let h = 3e-4;
    (8.0 * (f(h) - f(-h)) - (f(2.0 * h) - f(-2.0 * h))) / (12.0 * h)
}

/// Fourth-order second difference at `t = 0`.
pub fn second_time_derivative<const M: usize, const N: usize>(
    f: impl Fn(f64) -> SMatrix<f64, M, N>,
) -> SMatrix<f64, M, N> {
    let h = 2e-3;
    (16.0 * (f(h) + f(-h)) - (f(2.0 * h) + f(-2.0 * h)) - 30.0 * f(0.0)) / (12.0 * h * h)
}

prop_compose! {
    pub fn vec3()(x in -2.0..2.0_f64, y in -2.0..2.0_f64, z in -2.0..2.0_f64) -> Vec3 {
        Vec3::new(x, y, z)
    }
}

prop_compose! {
    /// Unit vectors, evenly over the sphere.
    pub fn unit()(z in -1.0..1.0_f64, a in 0.0..std::f64::consts::TAU) -> Vec3 {
        let s = (1.0 - z * z).sqrt();
        Vec3::new(s * a.cos(), s * a.sin(), z)
    }
}

/// Rotation vectors of angle below `limit`, with the neighbourhoods of 0 well represented.
pub fn rotation_vector(limit: f64) -> impl Strategy<Value = Vec3> {
    let angle = prop_oneof![
        6 => 0.0..limit,
        1 => Just(0.0),
        1 => Just(1e-9),
        1 => Just(1e-5),
        1 => Just(1e-3),
    ];
    (unit(), angle).prop_map(|(n, f)| n * f)
}

pub fn rotation() -> impl Strategy<Value = Mat3> {
    rotation_vector(std::f64::consts::PI).prop_map(|t| so3::exp(&t))
}

pub fn vec6() -> impl Strategy<Value = Vec6> {
    (vec3(), vec3()).prop_map(|(a, b)| join(&a, &b))
}

/// Twists with rotation below `limit`.
pub fn twist(limit: f64) -> impl Strategy<Value = Vec6> {
    (vec3(), rotation_vector(limit)).prop_map(|(a, b)| join(&a, &b))
}

pub fn pose() -> impl Strategy<Value = Pose> {
    (vec3(), rotation()).prop_map(|(r, a)| Pose::new(r, a))
}

pub fn dual_vec3() -> impl Strategy<Value = DualVec3> {
    (vec3(), vec3()).prop_map(|(a, b)| Dual::new(a, b))
}

prop_compose! {
    pub fn dual_number()(a in -2.0..2.0_f64, b in -2.0..2.0_f64) -> DualNumber {
        Dual::new(a, b)
    }
}
