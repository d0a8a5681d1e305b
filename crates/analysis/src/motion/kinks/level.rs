//! Levels of switches: between which of them a switch stands, and which it has passed.

/// Passing a level by less than this part of the tolerance is noise, and so it is by a few roundings.
pub(super) const NOISE: f64 = 1e-2;
pub(super) const ROUNDINGS: f64 = 8.0;

/// The levels between which a switch stands; not numbers where it is not known.
pub(super) type Cell = (f64, f64);

pub(super) const UNKNOWN: Cell = (f64::NAN, f64::NAN);

/// The levels around `x`, if it is not so near to one of them that this is noise.
pub(super) fn cell_of(x: f64, around: Option<Cell>, noise: f64) -> Cell {
    match around {
        Some((low, high)) if x - low > noise && high - x > noise => (low, high),
        _ => UNKNOWN,
    }
}

/// A switch that passes a level.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Passing {
    pub time: f64,
    pub(super) switch: usize,
    pub(super) cell: Cell,
}

/// A switch behind a level that it stood before, with the time of passing where that is known.
#[derive(Clone, Copy, Debug)]
pub(super) struct Outside {
    pub switch: usize,
    pub level: f64,
    pub time: Option<f64>,
}
