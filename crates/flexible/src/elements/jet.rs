//! A number with its slope: shape functions are written once, their derivatives follow.

use poinsot_geometry::Vec3;
use std::ops::{Add, Mul, Neg, Sub};

/// A value and its derivatives along ξ, η, ζ.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Jet {
    pub value: f64,
    pub slope: Vec3,
}

impl Jet {
    /// ξ, η, ζ at a place.
    pub fn coordinates(at: &Vec3) -> [Jet; 3] {
        std::array::from_fn(|k| Jet { value: at[k], slope: Vec3::ith(k, 1.0) })
    }
}

impl Add for Jet {
    type Output = Jet;
    fn add(self, other: Jet) -> Jet {
        Jet { value: self.value + other.value, slope: self.slope + other.slope }
    }
}

impl Sub for Jet {
    type Output = Jet;
    fn sub(self, other: Jet) -> Jet {
        self + -other
    }
}

impl Neg for Jet {
    type Output = Jet;
    fn neg(self) -> Jet {
        self * -1.0
    }
}

impl Mul for Jet {
    type Output = Jet;
    fn mul(self, other: Jet) -> Jet {
        Jet { value: self.value * other.value, slope: self.slope * other.value + other.slope * self.value }
    }
}

impl Mul<f64> for Jet {
    type Output = Jet;
    fn mul(self, factor: f64) -> Jet {
        Jet { value: self.value * factor, slope: self.slope * factor }
    }
}

impl Add<f64> for Jet {
    type Output = Jet;
    fn add(self, number: f64) -> Jet {
        Jet { value: self.value + number, ..self }
    }
}

impl Sub<f64> for Jet {
    type Output = Jet;
    fn sub(self, number: f64) -> Jet {
        self + -number
    }
}
