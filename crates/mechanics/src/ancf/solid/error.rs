//! Why an element cannot be made.

use poinsot_geometry::Vec3;
use thiserror::Error;

/// Why an element of absolute nodal coordinates cannot be made.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum SolidError {
    /// The number of vectors is not that of its nodes.
    #[error("{what} has {wanted} nodal vectors, not {given}")]
    Vectors {
        /// The element.
        what: &'static str,
        /// How many it has.
        wanted: String,
        /// How many were given.
        given: usize,
    },
    /// The reference has no volume somewhere.
    #[error("{what} has no volume at one of its points: are two nodes in one place, or are slopes parallel?")]
    NoVolume {
        /// The element.
        what: &'static str,
    },
    /// A number that must be positive is not.
    #[error("{what} must be positive, not {value}")]
    NotPositive {
        /// What it is.
        what: &'static str,
        /// The number.
        value: f64,
    },
}

pub(super) fn positive(what: &'static str, value: f64) -> Result<f64, SolidError> {
    if value.is_finite() && value > 0.0 { Ok(value) } else { Err(SolidError::NotPositive { what, value }) }
}

/// As many carried vectors as reference values, one of the numbers that are possible.
pub(super) fn count(
    what: &'static str,
    carried: usize,
    reference: &[Vec3],
    possible: &[usize],
) -> Result<(), SolidError> {
    for given in [carried, reference.len()] {
        if !possible.contains(&given) || carried != reference.len() {
            let words: Vec<String> = possible.iter().map(|n| n.to_string()).collect();
            return Err(SolidError::Vectors { what, wanted: words.join(" or "), given });
        }
    }
    Ok(())
}
