//! What a residual tells of constraint rows besides.

use super::scatter::store_rows;
use crate::element_buffers::MAX_ROWS;
use crate::system::Places;

/// What a residual tells of constraint rows besides, and where.
#[derive(Debug)]
pub enum RowLevels<'a> {
    /// Nothing: the entries of rows are zero.
    None,
    /// Φ in their entries.
    Positions,
    /// The rates in their entries, and Φ in those of another vector.
    Rates(Option<&'a mut [f64]>),
}

impl RowLevels<'_> {
    /// Whether Φ is wanted.
    #[inline]
    pub fn positions(&self) -> bool {
        matches!(self, RowLevels::Positions | RowLevels::Rates(Some(_)))
    }

    /// Whether rates are wanted.
    #[inline]
    pub fn rates(&self) -> bool {
        matches!(self, RowLevels::Rates(_))
    }

    /// Stores what is wanted of one constraint; `out` is the residual.
    #[inline]
    pub fn store(&mut self, places: &Places, phi: &[f64; MAX_ROWS], rate: &[f64; MAX_ROWS], out: &mut [f64]) {
        match self {
            RowLevels::None => {}
            RowLevels::Positions => store_rows(places, phi, out),
            RowLevels::Rates(other) => {
                store_rows(places, rate, out);
                if let Some(other) = other {
                    store_rows(places, phi, other);
                }
            }
        }
    }
}
