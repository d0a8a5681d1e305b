//! Mass of a section as of a rigid body, with its part along the line.
//!
//! ```text
//! M = [ m 1   m c̃ᵀ ]     on (Rᵀṙ, ω) in section axes, c the centre of mass, J the inertia about the line
//!     [ m c̃   J   ]                                      motion-interpolation-galerkin §1.12
//! E = ∫ρ X Xᵀ = ½ tr(J) 1 − J
//! ```
//! A thin section has c₃ = 0 and E_i3 = 0, so that J₃ = J₁ + J₂; then the axis d₃ has no mass.

use super::section::{Section, SectionMass};
use poinsot_geometry::{Mat3, Mat6, Vec3};
use thiserror::Error;

/// What a section has of mass along the line: ∫ρ ζ₃ (kg), and ∫ρ ζ₁ζ₃, ∫ρ ζ₂ζ₃, ∫ρ ζ₃² (kg·m) per length.
/// Zero for thin sections.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AxialMass {
    /// ∫ρ ζ₃.
    pub first: f64,
    /// ∫ρ ζ₁ζ₃, ∫ρ ζ₂ζ₃, ∫ρ ζ₃².
    pub second: [f64; 3],
}

/// Why a 6×6 matrix is not the mass of a rigid section. Rows and columns count from 1.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SectionMassError {
    /// An entry is not what the form of the matrix asks for.
    #[error("entry ({row}, {column}) of the mass matrix is {given}, but must be {expected}: {why}")]
    Entry {
        /// Row.
        row: usize,
        /// Column.
        column: usize,
        /// As given.
        given: f64,
        /// As it must be.
        expected: f64,
        /// The reason.
        why: &'static str,
    },
    /// The mass is not positive.
    #[error("the mass per length, entry (1, 1) of the mass matrix, is {0}, but must be positive")]
    Mass(f64),
    /// No body has such an inertia.
    #[error(
        "the mass matrix is that of no body: ½ tr(J) 1 − J about the centre of mass has the negative eigenvalue {0:.6e}"
    )]
    Inertia(f64),
}

/// Mass, first moments and Euler tensor of a section per length.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RigidSection {
    /// ∫ρ (kg/m).
    pub mass: f64,
    /// ∫ρ X (kg).
    pub first: Vec3,
    /// ∫ρ X Xᵀ (kg·m).
    pub euler: Mat3,
}

impl RigidSection {
    /// From mass per length (kg/m), centre of mass (m) and inertia about the point of the line (kg·m), in
    /// section axes.
    pub fn new(mass: f64, centre: Vec3, inertia: Mat3) -> Self {
        RigidSection {
            mass,
            first: centre * mass,
            euler: Mat3::identity() * (0.5 * inertia.trace()) - inertia,
        }
    }

    /// From the 6×6 matrix M above, in the order of the strains.
    pub fn from_matrix(m: &Mat6) -> Result<Self, SectionMassError> {
        let mass = m[(0, 0)];
        if !(mass > 0.0 && mass.is_finite()) {
            return Err(SectionMassError::Mass(mass));
        }
        let first = Vec3::new(m[(5, 1)], m[(3, 2)], m[(4, 0)]);
        let inertia = m.fixed_view::<3, 3>(3, 3).into_owned();
        check_form(m, mass, &first)?;
        let section = Self::new(mass, first / mass, inertia);
        let central = section.euler - first * first.transpose() / mass;
        let least = central.symmetric_eigenvalues().min();
        if least < -1e-9 * inertia.amax() {
            return Err(SectionMassError::Inertia(least));
        }
        Ok(section)
    }

    /// The parts across and along the line.
    pub fn split(&self) -> (SectionMass, AxialMass) {
        let e = &self.euler;
        // What is only round-off of ½ tr(J) − J₃ would give d₃ a mass.
        let size = e.amax();
        let clean = |value: f64| if value.abs() <= 1e-12 * size { 0.0 } else { value };
        let across = SectionMass {
            mass: self.mass,
            first: [self.first.x, self.first.y],
            second: [e[(0, 0)], e[(1, 1)], e[(0, 1)]],
        };
        let second = [e[(0, 2)], e[(1, 2)], e[(2, 2)]].map(clean);
        (across, AxialMass { first: self.first.z, second })
    }

    /// The coefficients of (ṙ, ḋ₁, ḋ₂, ḋ₃) in the kinetic energy per length.
    pub(super) fn table(&self) -> [[f64; 4]; 4] {
        std::array::from_fn(|i| {
            std::array::from_fn(|j| match (i, j) {
                (0, 0) => self.mass,
                (0, k) | (k, 0) => self.first[k - 1],
                (i, j) => self.euler[(i - 1, j - 1)],
            })
        })
    }

    /// Whether the third axis has no mass.
    pub(super) fn is_thin(&self) -> bool {
        self.first.z == 0.0 && self.euler.column(2).iter().all(|e| *e == 0.0)
    }
}

/// The blocks m 1 and m c̃ and symmetry.
fn check_form(m: &Mat6, mass: f64, first: &Vec3) -> Result<(), SectionMassError> {
    let moved = poinsot_geometry::so3::skew(first);
    let size = m.amax();
    for row in 0..6 {
        for column in 0..=row {
            let (expected, why) = match (row, column) {
                (r, c) if r < 3 => {
                    (if r == c { mass } else { 0.0 }, "its block of forces is the mass times 1")
                }
                (r, c) if c < 3 => (
                    moved[(r - 3, c)],
                    "its block of moments and forces is the skew matrix of the mass times the centre",
                ),
                (r, c) => (m[(c, r)], "it is symmetric"),
            };
            for (r, c) in [(row, column), (column, row)] {
                let given = m[(r, c)];
                let round_off = 1e-9 * given.abs().max(expected.abs()) + 1e-12 * size;
                if (given - expected).abs() > round_off || !given.is_finite() {
                    return Err(SectionMassError::Entry { row: r + 1, column: c + 1, given, expected, why });
                }
            }
        }
    }
    Ok(())
}

impl From<&SectionMass> for RigidSection {
    fn from(mass: &SectionMass) -> Self {
        let ([s1, s2], [m11, m22, m12]) = (mass.first, mass.second);
        let euler = Mat3::new(m11, m12, 0.0, m12, m22, 0.0, 0.0, 0.0, 0.0);
        RigidSection { mass: mass.mass, first: Vec3::new(s1, s2, 0.0), euler }
    }
}

impl From<&Section> for RigidSection {
    fn from(section: &Section) -> Self {
        let mut whole = Self::from(&section.mass);
        let [m13, m23, m33] = section.axial_mass.second;
        whole.first.z = section.axial_mass.first;
        (whole.euler[(0, 2)], whole.euler[(2, 0)]) = (m13, m13);
        (whole.euler[(1, 2)], whole.euler[(2, 1)]) = (m23, m23);
        whole.euler[(2, 2)] = m33;
        whole
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use poinsot_geometry::so3;

    fn matrix(mass: f64, centre: Vec3, inertia: Mat3) -> Mat6 {
        let mut m = Mat6::identity() * mass;
        m.fixed_view_mut::<3, 3>(3, 0).copy_from(&(so3::skew(&centre) * mass));
        m.fixed_view_mut::<3, 3>(0, 3).copy_from(&(so3::skew(&centre).transpose() * mass));
        m.fixed_view_mut::<3, 3>(3, 3).copy_from(&inertia);
        m
    }

    /// The Euler tensor has the trace ½ tr J. (The inertia of V7, but not its centre of mass, for which no
    /// such body exists.)
    #[test]
    fn a_matrix_is_read_as_mass_centre_and_inertia() {
        let inertia = Mat3::new(1.25, 0.57, -0.23, 0.57, 1.56, 0.34, -0.23, 0.34, 2.54);
        let centre = Vec3::new(0.05, -0.03, 0.02);
        let m = matrix(6.0, centre, inertia);
        let section = RigidSection::from_matrix(&m).unwrap();
        assert!((section.first - centre * 6.0).amax() < 1e-15);
        assert!((section.euler.trace() - 0.5 * 5.35).abs() < 1e-14);
        assert!((Mat3::identity() * section.euler.trace() - section.euler - inertia).amax() < 1e-14);
        let thin = RigidSection::from_matrix(&matrix(
            4.8,
            Vec3::zeros(),
            Mat3::from_diagonal(&Vec3::new(2.35e-4, 2.35e-4, 4.7e-4)),
        ));
        let (across, along) = thin.unwrap().split();
        assert_eq!(along, AxialMass::default());
        assert!((across.second[0] - 2.35e-4).abs() < 1e-18 && across.mass == 4.8);
    }

    #[test]
    fn other_matrices_are_refused_by_the_entry() {
        let good = matrix(6.0, Vec3::new(0.25, -0.03, 0.12), Mat3::from_diagonal_element(2.0));
        for (row, column) in [(1, 1), (2, 0), (0, 1), (3, 0), (1, 3), (4, 5), (5, 3)] {
            let mut bad = good;
            bad[(row, column)] += 0.01;
            let SectionMassError::Entry { row: r, column: c, .. } =
                RigidSection::from_matrix(&bad).unwrap_err()
            else {
                panic!("{row} {column}")
            };
            assert!(
                (r, c) == (row + 1, column + 1) || (c, r) == (row + 1, column + 1),
                "{row} {column}: {r} {c}"
            );
        }
        let flat = matrix(1.0, Vec3::zeros(), Mat3::from_diagonal(&Vec3::new(1.0, 1.0, 3.0)));
        assert_eq!(RigidSection::from_matrix(&flat).unwrap_err(), SectionMassError::Inertia(-0.5));
    }
}
