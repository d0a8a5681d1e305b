//! Complex numbers as they stand in records.

use serde::{Deserialize, Serialize};

/// A complex number.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Complex {
    /// Real part.
    pub re: f64,
    /// Imaginary part.
    pub im: f64,
}

impl Complex {
    /// re + i·im.
    pub const fn new(re: f64, im: f64) -> Complex {
        Complex { re, im }
    }

    /// The absolute value √(re² + im²).
    pub fn norm(self) -> f64 {
        self.re.hypot(self.im)
    }

    /// The conjugate re − i·im.
    pub fn conj(self) -> Complex {
        Complex { re: self.re, im: -self.im }
    }

    /// The product with another.
    pub fn times(self, other: Complex) -> Complex {
        Complex::new(self.re * other.re - self.im * other.im, self.re * other.im + self.im * other.re)
    }

    /// The real number Re(a e^(iφ)) at a phase φ.
    pub fn at(self, phase: f64) -> f64 {
        let (sin, cos) = phase.sin_cos();
        self.re * cos - self.im * sin
    }

    /// True if both parts are finite.
    pub fn is_finite(self) -> bool {
        self.re.is_finite() && self.im.is_finite()
    }
}

impl From<(f64, f64)> for Complex {
    fn from((re, im): (f64, f64)) -> Complex {
        Complex { re, im }
    }
}
