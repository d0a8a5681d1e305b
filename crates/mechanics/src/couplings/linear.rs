//! General linear coupling of joint coordinates.
//!
//! ```text
//! Φ = Σ_j c_j s_j − c = 0        (1 row)
//! ```

use crate::coordinate::Coordinate;
use crate::equations::{Equation, Equations, Law};
use crate::nodes::carried::Carried;

/// Couples coordinates with factors; reactions are reported at the point `at`.
pub fn linear(kind: &'static str, terms: Vec<(Coordinate, f64)>, offset: f64, at: Carried) -> Equations {
    let (coordinates, factors): (Vec<_>, Vec<_>) = terms.into_iter().unzip();
    let row = Equation::holonomic("ratio", coordinates.len(), Law::linear(factors, offset));
    Equations::new(kind, coordinates, vec![], vec![row], at).called("coupling")
}
