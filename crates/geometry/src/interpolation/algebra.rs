//! Three-vectors, 3×3 matrices and quaternions over the real or the dual numbers.
//!
//! Rotations are the real case of motions: every formula of the interpolation is written once and read over
//! `f64` for SO(3) and over dual numbers for SE(3).

use crate::dual::DualNumber;
use std::ops::{Add, Div, Mul, Neg, Sub};

/// Numbers over which the formulas hold.
pub(super) trait Number:
    Copy + Add<Output = Self> + Sub<Output = Self> + Mul<Output = Self> + Div<Output = Self> + Neg<Output = Self>
{
    fn real(value: f64) -> Self;
    fn primal(self) -> f64;
    /// `f(self)` for a function with the given value and slope at the primal part.
    fn lift(self, value: f64, slope: f64) -> Self;
    fn scale(self, factor: f64) -> Self;

    fn sqrt(self) -> Self {
        let root = self.primal().sqrt();
        self.lift(root, 0.5 / root)
    }
}

impl Number for f64 {
    fn real(value: f64) -> Self {
        value
    }
    fn primal(self) -> f64 {
        self
    }
    fn lift(self, value: f64, _slope: f64) -> Self {
        value
    }
    fn scale(self, factor: f64) -> Self {
        self * factor
    }
}

impl Number for DualNumber {
    fn real(value: f64) -> Self {
        DualNumber::real(value)
    }
    fn primal(self) -> f64 {
        self.re
    }
    fn lift(self, value: f64, slope: f64) -> Self {
        DualNumber::lift(self, value, slope)
    }
    fn scale(self, factor: f64) -> Self {
        DualNumber::new(self.re * factor, self.du * factor)
    }
}

/// Vector of three components.
#[derive(Debug, Clone, Copy)]
pub(super) struct V3<T>(pub [T; 3]);

/// 3×3 matrix, row by row.
#[derive(Debug, Clone, Copy)]
pub(super) struct M3<T>(pub [[T; 3]; 3]);

impl<T: Number> V3<T> {
    pub fn zero() -> Self {
        Self([T::real(0.0); 3])
    }

    pub fn dot(&self, b: &Self) -> T {
        self.0[0] * b.0[0] + self.0[1] * b.0[1] + self.0[2] * b.0[2]
    }

    pub fn cross(&self, b: &Self) -> Self {
        let ([x, y, z], [u, v, w]) = (self.0, b.0);
        Self([y * w - z * v, z * u - x * w, x * v - y * u])
    }

    pub fn scale(&self, factor: T) -> Self {
        Self(self.0.map(|a| a * factor))
    }

    pub fn times(&self, factor: f64) -> Self {
        Self(self.0.map(|a| a.scale(factor)))
    }

    pub fn skew(&self) -> M3<T> {
        let (zero, [x, y, z]) = (T::real(0.0), self.0);
        M3([[zero, -z, y], [z, zero, -x], [-y, x, zero]])
    }

    /// `self bᵀ`.
    pub fn outer(&self, b: &Self) -> M3<T> {
        M3(self.0.map(|a| b.0.map(|c| a * c)))
    }

    /// Length of the primal part.
    pub fn primal_norm(&self) -> f64 {
        self.0.iter().map(|a| a.primal().powi(2)).sum::<f64>().sqrt()
    }
}

impl<T: Number> M3<T> {
    pub fn zero() -> Self {
        Self([[T::real(0.0); 3]; 3])
    }

    pub fn diagonal(value: T) -> Self {
        let zero = T::real(0.0);
        Self([[value, zero, zero], [zero, value, zero], [zero, zero, value]])
    }

    pub fn transpose(&self) -> Self {
        Self(std::array::from_fn(|i| std::array::from_fn(|j| self.0[j][i])))
    }

    pub fn scale(&self, factor: T) -> Self {
        Self(self.0.map(|row| row.map(|a| a * factor)))
    }

    pub fn times(&self, factor: f64) -> Self {
        Self(self.0.map(|row| row.map(|a| a.scale(factor))))
    }

    pub fn primal(&self) -> crate::Mat3 {
        crate::Mat3::from_fn(|i, j| self.0[i][j].primal())
    }

    /// Inverse by cofactors; `None` if the primal part is singular to working precision.
    pub fn inverse(&self) -> Option<Self> {
        let rows: [V3<T>; 3] = self.0.map(V3);
        let columns = [rows[1].cross(&rows[2]), rows[2].cross(&rows[0]), rows[0].cross(&rows[1])];
        let determinant = rows[0].dot(&columns[0]);
        let size: f64 = rows.iter().map(V3::primal_norm).product();
        let regular = determinant.primal().abs() > 1e-13 * size;
        regular.then(|| Self(columns.map(|c| c.0)).transpose().scale(T::real(1.0) / determinant))
    }
}

impl<T: Number> Add for V3<T> {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] + b.0[i]))
    }
}

impl<T: Number> Sub for V3<T> {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        Self(std::array::from_fn(|i| self.0[i] - b.0[i]))
    }
}

impl<T: Number> Add for M3<T> {
    type Output = Self;
    fn add(self, b: Self) -> Self {
        Self(std::array::from_fn(|i| std::array::from_fn(|j| self.0[i][j] + b.0[i][j])))
    }
}

impl<T: Number> Sub for M3<T> {
    type Output = Self;
    fn sub(self, b: Self) -> Self {
        Self(std::array::from_fn(|i| std::array::from_fn(|j| self.0[i][j] - b.0[i][j])))
    }
}

impl<T: Number> Neg for M3<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.map(|row| row.map(|a| -a)))
    }
}

impl<T: Number> Mul for M3<T> {
    type Output = Self;
    fn mul(self, b: Self) -> Self {
        let (a, b) = (&self.0, &b.0);
        let mut product = Self::zero();
        for (i, row) in product.0.iter_mut().enumerate() {
            for (j, entry) in row.iter_mut().enumerate() {
                *entry = a[i][0] * b[0][j] + a[i][1] * b[1][j] + a[i][2] * b[2][j];
            }
        }
        product
    }
}

impl<T: Number> Mul<V3<T>> for M3<T> {
    type Output = V3<T>;
    fn mul(self, b: V3<T>) -> V3<T> {
        V3(self.0.map(|row| V3(row).dot(&b)))
    }
}

/// Quaternion, scalar part first.
#[derive(Debug, Clone, Copy)]
pub(super) struct Quaternion<T> {
    pub scalar: T,
    pub vector: V3<T>,
}

impl<T: Number> Quaternion<T> {
    pub fn identity() -> Self {
        Self { scalar: T::real(1.0), vector: V3::zero() }
    }

    pub fn dot(&self, b: &Self) -> T {
        self.scalar * b.scalar + self.vector.dot(&b.vector)
    }

    pub fn scale(&self, factor: T) -> Self {
        Self { scalar: self.scalar * factor, vector: self.vector.scale(factor) }
    }

    pub fn times(&self, factor: f64) -> Self {
        Self { scalar: self.scalar.scale(factor), vector: self.vector.times(factor) }
    }

    pub fn conjugate(&self) -> Self {
        Self { scalar: self.scalar, vector: self.vector.times(-1.0) }
    }

    pub fn add_scaled(&mut self, b: &Self, factor: f64) {
        self.scalar = self.scalar + b.scalar.scale(factor);
        self.vector = self.vector + b.vector.times(factor);
    }

    /// Unit quaternion of the same direction; `None` next to zero.
    pub fn normalized(&self) -> Option<Self> {
        let square = self.dot(self);
        (square.primal() > 1e-20).then(|| self.scale(T::real(1.0) / square.sqrt()))
    }

    /// The quaternion of the same motion whose primal scalar part is not negative.
    pub fn canonical(&self) -> Self {
        if self.scalar.primal() < 0.0 { self.times(-1.0) } else { *self }
    }

    /// Hamilton product.
    pub fn compose(&self, b: &Self) -> Self {
        Self {
            scalar: self.scalar * b.scalar - self.vector.dot(&b.vector),
            vector: b.vector.scale(self.scalar) + self.vector.scale(b.scalar) + self.vector.cross(&b.vector),
        }
    }

    /// `R = I + 2 η ~v + 2 ~v ~v`.
    pub fn tensor(&self) -> M3<T> {
        let k = self.vector.skew();
        M3::diagonal(T::real(1.0)) + k.scale(self.scalar.scale(2.0)) + (k * k).times(2.0)
    }
}
