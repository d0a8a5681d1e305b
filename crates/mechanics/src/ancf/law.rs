//! What a cable resists, and how it is asked to measure that.

use crate::beams::Section;
use poinsot_geometry::{Mat3, Vec3};
use thiserror::Error;

/// How the strains of a cubic line are measured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CableStrain {
    /// Stretch |r′| − 1 and curvature |r′ × r″|/|r′|²: for deformations of any size, in the plane and in
    /// space.
    #[default]
    Curvature,
    /// Green's strain of the fibres with respect to a frame of the element: for comparison, in the plane.
    Green(CableFrame),
    /// Stretch of the chord and |r″|: for comparison.
    Simplified,
    /// Linear strains with respect to a frame of the element: for comparison, in the plane. Refined meshes go
    /// to a wrong answer where 6 EI κ²/EA is not small.
    Chord(CableFrame),
}

/// The direction from which a local frame measures (gs4-isochronous-integrators I-88).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CableFrame {
    /// Along the chord from node to node.
    #[default]
    Pinned,
    /// Along the slope of the first node.
    Tangent,
}

/// At how many Gauss points strains are summed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CablePoints {
    /// Three for stretch and bending: no locking on coarse meshes.
    #[default]
    Three,
    /// Five for stretch and three for bending, as is usual (C08): coarse meshes are stiffer.
    Five,
}

/// Stiffness of a cable.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CableSection {
    /// EA (N).
    pub axial: f64,
    /// EI (N·m²).
    pub bending: f64,
    /// ∫E y⁴ dA (N·m⁴), which Green's strain alone asks for.
    pub fourth: f64,
    /// Viscosity of the stretch (N·s).
    pub axial_viscosity: f64,
    /// Viscosity of the curvature (N·m²·s).
    pub bending_viscosity: f64,
    /// Mass per length (kg/m).
    pub mass: f64,
}

/// Why a section makes no cable.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum CableError {
    /// Coupled stretch and bending.
    #[error(
        "its stretch is coupled with bending, shear or torsion, which a line without section axes cannot have"
    )]
    Coupled,
    /// Two bending stiffnesses.
    #[error("its bending stiffnesses differ, {0} and {1}: a line without torsion cannot tell its axes apart")]
    Unequal(f64, f64),
    /// The centre of mass is not on the line.
    #[error("its centre of mass is not on the line")]
    Eccentric,
    /// No stiffness.
    #[error("its stiffness against stretch and bending must be positive")]
    Soft,
    /// A frame of the element needs a plane.
    #[error("strains with respect to a frame of the element need a planar model")]
    NotPlanar,
    /// Only straight elements.
    #[error("this measure of strain is for lines that are straight without load")]
    NotStraight,
    /// Viscosity with a measure for comparison.
    #[error("viscosity needs the strain \"curvature\"")]
    Viscous,
    /// Tension with a measure for comparison.
    #[error("a tension in the modelled position needs the strain \"curvature\"")]
    Tense,
    /// Half a turn or more inside an element, or no length.
    #[error("the line of an element has no length, or turns back on itself")]
    NoLength,
}

/// A stiffness below this share of the largest passes for zero.
const NONE: f64 = 1e-9;

/// EA and EI about the normal of the plane or about any axis, of a stiffness or viscosity.
fn of_matrix(c: &poinsot_geometry::Mat6, normal: Option<&Vec3>) -> Result<[f64; 2], CableError> {
    let (axial, bending) = (c[(2, 2)], [c[(3, 3)], c[(4, 4)], c[(3, 4)]]);
    let coupled = |k: usize, scale: f64| c[(2, k)].abs() > NONE * (axial * scale.abs()).sqrt();
    if (3..6).any(|k| coupled(k, c[(k, k)])) || (0..2).any(|k| coupled(k, c[(k, k)])) {
        return Err(CableError::Coupled);
    }
    let about = match normal {
        Some(n) => n.x * n.x * bending[0] + n.y * n.y * bending[1] + 2.0 * n.x * n.y * bending[2],
        None => {
            let size = bending[0].abs().max(bending[1].abs());
            if (bending[0] - bending[1]).abs() > NONE * size || bending[2].abs() > NONE * size {
                return Err(CableError::Unequal(bending[0], bending[1]));
            }
            bending[0]
        }
    };
    Ok([axial, about])
}

impl CableSection {
    /// Of a section of a beam. Shear, torsion and the inertia of rotation of sections are not those of a line
    /// and are left out. `normal` is that of the plane of motion in section axes, none in space.
    pub fn of(section: &Section, normal: Option<&Vec3>) -> Result<Self, CableError> {
        let [axial, bending] = of_matrix(&section.stiffness, normal)?;
        if !(axial > 0.0 && bending > 0.0 && axial.is_finite() && bending.is_finite()) {
            return Err(CableError::Soft);
        }
        let [axial_viscosity, bending_viscosity] = of_matrix(&section.viscosity, normal)?;
        let mass = section.mass.mass;
        let radius = (bending / axial).sqrt();
        if section.mass.first.iter().any(|m| m.abs() > 1e-6 * mass * radius) {
            return Err(CableError::Eccentric);
        }
        // ∫y⁴dA is 9/5 I²/A of a rectangle and 2 I²/A of a circle: a share of order h² of the axial force.
        let fourth = 1.8 * bending * bending / axial;
        Ok(CableSection { axial, bending, fourth, axial_viscosity, bending_viscosity, mass })
    }

    /// Whether it resists rates of strain.
    pub fn is_viscous(&self) -> bool {
        self.axial_viscosity != 0.0 || self.bending_viscosity != 0.0
    }
}

/// The rotation that turns one unit vector into another the short way.
pub(super) fn least_turn(from: &Vec3, to: &Vec3) -> Mat3 {
    let (across, cosine) = (from.cross(to), from.dot(to));
    if cosine <= -1.0 + 1e-12 {
        let side = if from.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
        let axis = from.cross(&side).normalize();
        return axis * axis.transpose() * 2.0 - Mat3::identity();
    }
    let skew = poinsot_geometry::so3::skew(&across);
    Mat3::identity() + skew + skew * skew / (1.0 + cosine)
}
