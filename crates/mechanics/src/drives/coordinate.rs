//! Driven coordinate: a joint's angle or displacement follows a law of time.
//!
//! ```text
//! Φ = s − f(t) = 0        (1 row)        or on velocities        ψ = ṡ − f(t) = 0
//! ```
//! The drive acts on the coordinate with the force or torque −λ and supplies the power λ ∂Φ/∂t.

use crate::coordinate::Coordinate;
use crate::equations::{Equation, Equations, Law};
use crate::nodes::carried::Carried;
use crate::speed::Speed;
use poinsot_expr::SmoothFunction;

/// s = f(t); reactions are reported at the point `at`.
pub fn coordinate(s: Coordinate, law: SmoothFunction, at: Carried) -> Equations {
    let law = Law::Linear { factors: vec![1.0], offset: law };
    let row = Equation::holonomic("prescribed coordinate", 1, law);
    Equations::new("drive", vec![s], vec![], vec![row], at).called("drive")
}

/// ṡ = f(t).
pub fn coordinate_rate(s: Coordinate, law: SmoothFunction, at: Carried) -> Equations {
    let law = Law::Linear { factors: vec![1.0], offset: law };
    let row = Equation { name: "prescribed rate", coordinates: vec![], speeds: vec![0], law };
    Equations::new("drive", vec![], vec![Speed::Rate(s)], vec![row], at).called("drive")
}
