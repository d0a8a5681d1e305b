//! Dual numbers `a + ε a°` with `ε² = 0`, and dual vectors and matrices (motion-interpolation-galerkin §1.1).
//!
//! An analytic dual function obeys `f(a + ε a°) = f(a) + ε a° f'(a)`. Dual numbers have no order and no norm:
//! comparisons are made on the primal part alone.

use crate::so3::{axial, skew};
use crate::{Mat3, Mat4, Mat6, Vec3, Vec4, Vec6};
use std::ops::{Add, Div, Mul, Neg, Sub};

/// A primal part and a dual part.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Dual<T> {
    /// Primal part `a`.
    pub re: T,
    /// Dual part `a°`.
    pub du: T,
}

/// Dual number.
pub type DualNumber = Dual<f64>;
/// Dual vector of three components.
pub type DualVec3 = Dual<Vec3>;
/// Dual vector of four components (dual quaternions).
pub type DualVec4 = Dual<Vec4>;
/// Dual 3×3 matrix.
pub type DualMat3 = Dual<Mat3>;
/// Dual 4×4 matrix.
pub type DualMat4 = Dual<Mat4>;

impl<T> Dual<T> {
    /// Dual quantity from its two parts.
    pub const fn new(re: T, du: T) -> Self {
        Self { re, du }
    }
}

impl<T: Add<Output = T>> Add for Dual<T> {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self::new(self.re + b.re, self.du + b.du)
    }
}

impl<T: Sub<Output = T>> Sub for Dual<T> {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        Self::new(self.re - b.re, self.du - b.du)
    }
}

impl<T: Neg<Output = T>> Neg for Dual<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Self::new(-self.re, -self.du)
    }
}

/// `(ab)° = a b° + a° b`, for every pair whose primal product exists.
impl<A, B, C> Mul<Dual<B>> for Dual<A>
where
    A: Copy + Mul<B, Output = C>,
    B: Copy,
    C: Add<Output = C>,
{
    type Output = Dual<C>;
    fn mul(self, b: Dual<B>) -> Dual<C> {
        Dual::new(self.re * b.re, self.re * b.du + self.du * b.re)
    }
}

/// `(a/b)° = (a° b - a b°)/b²`.
impl Div for DualNumber {
    type Output = Self;
    fn div(self, b: Self) -> Self {
        let q = self.re / b.re;
        Self::new(q, (self.du - q * b.du) / b.re)
    }
}

impl DualNumber {
    /// A real number as a dual one.
    pub const fn real(value: f64) -> Self {
        Self::new(value, 0.0)
    }

    /// Lifts a real function with value `f(a)` and slope `f'(a)`.
    pub fn lift(self, value: f64, slope: f64) -> Self {
        Self::new(value, self.du * slope)
    }

    /// `aⁿ + ε n a° aⁿ⁻¹`.
    pub fn powi(self, n: i32) -> Self {
        let slope = if n == 0 { 0.0 } else { f64::from(n) * self.re.powi(n - 1) };
        self.lift(self.re.powi(n), slope)
    }

    /// Sine.
    pub fn sin(self) -> Self {
        self.lift(self.re.sin(), self.re.cos())
    }

    /// Cosine.
    pub fn cos(self) -> Self {
        self.lift(self.re.cos(), -self.re.sin())
    }

    /// Tangent.
    pub fn tan(self) -> Self {
        let t = self.re.tan();
        self.lift(t, 1.0 + t * t)
    }

    /// Arc cosine; the dual part is infinite at ±1.
    pub fn acos(self) -> Self {
        self.lift(self.re.acos(), -1.0 / (1.0 - self.re * self.re).sqrt())
    }

    /// Exponential.
    pub fn exp(self) -> Self {
        self.lift(self.re.exp(), self.re.exp())
    }

    /// Natural logarithm.
    pub fn ln(self) -> Self {
        self.lift(self.re.ln(), 1.0 / self.re)
    }

    /// Square root `√a + ε a°/(2√a)`.
    pub fn sqrt(self) -> Self {
        let root = self.re.sqrt();
        self.lift(root, 0.5 / root)
    }

    /// Angle of the point `(x, self)`, `(y/x)` with the quadrant of the primal parts.
    pub fn atan2(self, x: Self) -> Self {
        let square = self.re * self.re + x.re * x.re;
        Self::new(self.re.atan2(x.re), (x.re * self.du - self.re * x.du) / square)
    }
}

impl DualVec3 {
    /// Dual inner product. Its dual part is the reciprocal product, not virtual work.
    pub fn dot(&self, b: &Self) -> DualNumber {
        Dual::new(self.re.dot(&b.re), self.re.dot(&b.du) + self.du.dot(&b.re))
    }

    /// `~p q + ε (~p q° + ~p° q)`.
    pub fn cross(&self, b: &Self) -> Self {
        Dual::new(self.re.cross(&b.re), self.re.cross(&b.du) + self.du.cross(&b.re))
    }

    /// Dual skew matrix.
    pub fn skew(&self) -> DualMat3 {
        Dual::new(skew(&self.re), skew(&self.du))
    }

    /// Extended six-vector `{s° ; s}`.
    pub fn extended(&self) -> Vec6 {
        crate::se3::join(&self.du, &self.re)
    }

    /// Dual vector of the six-vector `{s° ; s}`.
    pub fn from_extended(s: &Vec6) -> Self {
        let (linear, angular) = crate::se3::split(s);
        Dual::new(angular, linear)
    }
}

impl DualVec4 {
    /// Dual inner product of two four-vectors.
    pub fn dot(&self, b: &Self) -> DualNumber {
        Dual::new(self.re.dot(&b.re), self.re.dot(&b.du) + self.du.dot(&b.re))
    }
}

impl DualMat3 {
    /// Dual identity.
    pub fn identity() -> Self {
        Dual::new(Mat3::identity(), Mat3::zeros())
    }

    /// Transpose of both parts.
    pub fn transpose(&self) -> Self {
        Dual::new(self.re.transpose(), self.du.transpose())
    }

    /// Dual trace.
    pub fn trace(&self) -> DualNumber {
        Dual::new(self.re.trace(), self.du.trace())
    }

    /// Axial vector of the skew part.
    pub fn axial(&self) -> DualVec3 {
        Dual::new(axial(&self.re), axial(&self.du))
    }

    /// Extended 6×6 matrix `[S, S° ; 0, S]`.
    pub fn extended(&self) -> Mat6 {
        let mut m = Mat6::zeros();
        m.fixed_view_mut::<3, 3>(0, 0).copy_from(&self.re);
        m.fixed_view_mut::<3, 3>(3, 3).copy_from(&self.re);
        m.fixed_view_mut::<3, 3>(0, 3).copy_from(&self.du);
        m
    }
}

impl DualMat4 {
    /// Transpose of both parts.
    pub fn transpose(&self) -> Self {
        Dual::new(self.re.transpose(), self.du.transpose())
    }
}
