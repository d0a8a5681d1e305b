//! Entries of a square matrix as they stand in a file, and the symmetric matrix of them.

use crate::file_error::{Fault, FileError};
use poinsot_numerics::SymmetricMatrix;

/// Largest difference of a_ij and a_ji, relative to the largest entry.
const SYMMETRY: f64 = 1e-9;

/// Which entries a file gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sides {
    /// All of them.
    Both,
    /// Of each pair (i, j), (j, i) one.
    One,
}

/// Entries (row, column, value) of a square matrix.
#[derive(Clone, Debug, Default)]
pub(super) struct Entries {
    pub size: usize,
    pub list: Vec<(u32, u32, f64)>,
}

impl Entries {
    /// Whether a file that does not say so gives one side only: it has none on the other.
    pub fn sides(&self) -> Sides {
        let below = self.list.iter().any(|(i, j, _)| i > j);
        let above = self.list.iter().any(|(i, j, _)| i < j);
        if below && above { Sides::Both } else { Sides::One }
    }

    /// The symmetric matrix, after both sides were compared.
    pub fn symmetric(&self, file: &str, sides: Sides) -> Result<SymmetricMatrix, FileError> {
        if self.list.iter().any(|(.., value)| !value.is_finite()) {
            return Err(FileError::whole(file, Fault::Inconsistent("an entry is not finite".into())));
        }
        let entries = self.list.iter().map(|&(i, j, value)| (i as usize, j as usize, value));
        if sides == Sides::One {
            return Ok(SymmetricMatrix::from_entries(self.size, entries));
        }
        // Half the sum and half the difference of the sides below and above the diagonal.
        let half = |(i, j, value): (usize, usize, f64)| (i, j, if i == j { value } else { 0.5 * value });
        let mean = SymmetricMatrix::from_entries(self.size, entries.clone().map(half));
        let off = entries.filter(|(i, j, _)| i != j);
        let signed = off.map(|(i, j, value)| (i, j, if i > j { 0.5 * value } else { -0.5 * value }));
        let difference = SymmetricMatrix::from_entries(self.size, signed);
        let largest = self.list.iter().map(|(.., value)| value.abs()).fold(0.0, f64::max);
        let worst = difference.entries().max_by(|a, b| a.2.abs().total_cmp(&b.2.abs()));
        match worst {
            Some((i, j, half)) if 2.0 * half.abs() > SYMMETRY * largest => {
                let middle = mean.column(j).find(|(row, _)| *row == i).map_or(0.0, |(_, value)| value);
                let (row, column, triangle) = (j + 1, i + 1, self.sides() == Sides::One);
                let fault =
                    Fault::Asymmetric { row, column, above: middle - half, below: middle + half, triangle };
                Err(FileError::whole(file, fault))
            }
            _ => Ok(mean),
        }
    }
}
