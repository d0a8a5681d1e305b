//! A small deterministic generator: same numbers everywhere.

use poinsot_geometry::{Mat3, Vec3, so3};

pub struct Random(pub u64);

impl Random {
    /// Between −1 and 1.
    pub fn next(&mut self) -> f64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as f64 / (1u64 << 53) as f64 * 2.0 - 1.0
    }

    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.next(), self.next(), self.next())
    }

    pub fn rotation(&mut self) -> Mat3 {
        so3::exp(&(self.vector() * 1.5))
    }
}
