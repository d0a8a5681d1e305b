//! The cubic polynomials of a line between two nodes (floating-frame-and-ancf §1.21.1,
//! gs4-isochronous-integrators I-86).
//!
//! ```text
//! r(x) = s₁ r_O + s₂ r_O′ + s₃ r_A + s₄ r_A′,   ξ = x/l
//! s₁ = 1 − 3ξ² + 2ξ³,  s₂ = l(ξ − 2ξ² + ξ³),  s₃ = 3ξ² − 2ξ³,  s₄ = l(ξ³ − ξ²)
//! ```
//! As s₁ + s₃ = 1, derivatives by x need the places through δ = r_A − r_O alone.

/// The polynomials at a place of an element.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cubic {
    /// s₁ … s₄.
    pub value: [f64; 4],
    /// First derivatives by x.
    pub slope: [f64; 4],
    /// Second derivatives.
    pub curvature: [f64; 4],
    /// Third derivatives, the same everywhere.
    pub third: [f64; 4],
}

impl Cubic {
    /// At ξ in [0, 1] of an element of length l.
    pub fn at(xi: f64, l: f64) -> Self {
        let (square, cube) = (xi * xi, xi * xi * xi);
        Cubic {
            value: [
                1.0 - 3.0 * square + 2.0 * cube,
                l * (xi - 2.0 * square + cube),
                3.0 * square - 2.0 * cube,
                l * (cube - square),
            ],
            slope: [
                6.0 * (square - xi) / l,
                1.0 - 4.0 * xi + 3.0 * square,
                6.0 * (xi - square) / l,
                3.0 * square - 2.0 * xi,
            ],
            curvature: [
                (12.0 * xi - 6.0) / (l * l),
                (6.0 * xi - 4.0) / l,
                (6.0 - 12.0 * xi) / (l * l),
                (6.0 * xi - 2.0) / l,
            ],
            third: [12.0 / (l * l * l), 6.0 / (l * l), -12.0 / (l * l * l), 6.0 / (l * l)],
        }
    }
}
