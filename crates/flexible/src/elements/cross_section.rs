//! Cross-sections of beams, along their principal axes y and z through the centroid.

use crate::FlexibleError;
use std::f64::consts::PI;

/// Numbers of a cross-section.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CrossSection {
    /// A (m²).
    pub area: f64,
    /// I2 = ∫z² dA (m⁴): bending in the x–z plane.
    pub inertia_y: f64,
    /// I3 = ∫y² dA (m⁴): bending in the x–y plane.
    pub inertia_z: f64,
    /// I1 (m⁴): twist per length is torque / G I1. It is not the polar moment unless the section is round.
    pub torsion: f64,
    /// Shear areas along y and z (m²); without them there is no shear deformation (Euler and Bernoulli).
    pub shear_areas: Option<[f64; 2]>,
}

impl CrossSection {
    /// A disk.
    pub fn circle(radius: f64) -> Self {
        CrossSection::tube(radius, 0.0)
    }

    /// A ring.
    pub fn tube(outer: f64, inner: f64) -> Self {
        let inertia = PI / 4.0 * (outer.powi(4) - inner.powi(4));
        CrossSection {
            area: PI * (outer.powi(2) - inner.powi(2)),
            inertia_y: inertia,
            inertia_z: inertia,
            torsion: 2.0 * inertia,
            shear_areas: None,
        }
    }

    /// A rectangle with sides along y and z.
    pub fn rectangle(along_y: f64, along_z: f64) -> Self {
        let area = along_y * along_z;
        CrossSection {
            area,
            inertia_y: area * along_z.powi(2) / 12.0,
            inertia_z: area * along_y.powi(2) / 12.0,
            torsion: torsion_of_rectangle(along_y.max(along_z), along_y.min(along_z)),
            shear_areas: None,
        }
    }

    /// The same with shear deformation (Timoshenko): `factor` times the area is the shear area, 5/6 of a
    /// rectangle.
    pub fn with_shear(self, factor: f64) -> Self {
        CrossSection { shear_areas: Some([factor * self.area; 2]), ..self }
    }

    pub(crate) fn check(&self) -> Result<(), FlexibleError> {
        let shear = self.shear_areas.unwrap_or([1.0; 2]);
        check_positive(&[
            ("area", self.area),
            ("second moment about y", self.inertia_y),
            ("second moment about z", self.inertia_z),
            ("torsion constant", self.torsion),
            ("shear area along y", shear[0]),
            ("shear area along z", shear[1]),
        ])
    }
}

pub(super) fn check_positive(numbers: &[(&'static str, f64)]) -> Result<(), FlexibleError> {
    match numbers.iter().find(|(_, value)| !(value.is_finite() && *value > 0.0)) {
        Some(&(what, value)) => Err(FlexibleError::BadSection { what, value }),
        None => Ok(()),
    }
}

/// Saint-Venant: I1 = ⅓ a b³ (1 − 192 b/(π⁵ a) Σ tanh(n π a / 2b)/n⁵), n odd, a ≥ b.
fn torsion_of_rectangle(a: f64, b: f64) -> f64 {
    let term = |n: f64| (n * PI * a / (2.0 * b)).tanh() / n.powi(5);
    // Terms beyond the hundredth are below 1e-11 of the first.
    let sum: f64 = (0..100).rev().map(|k| term(f64::from(2 * k + 1))).sum();
    a * b.powi(3) / 3.0 * (1.0 - 192.0 * b / (PI.powi(5) * a) * sum)
}
