//! Knife edge: a blade that can move lengthwise and turn, but not sideways.
//!
//! ```text
//! ψ = w₂·(ẋ₂ − ẋ₁ − Ω×ρ) = 0,   ρ = x₂ − x₁        (1 row on velocities)
//! ```
//! x₂ is the blade's point, w₁ its direction and w₂ its side on the second body; x₁ and Ω belong to the
//! surface it cuts. With the surface's axes u_k, Ω×ρ = Σ_k (u_k·ρ) u̇_k.

use super::rows::Attachment;
use crate::coordinate::Coordinate;
use crate::equations::{Equation, Equations, Law};
use crate::nodes::carried::GROUND;
use crate::speed::Speed;

/// Blade along the first axis of the second attachment, on a surface that moves with the first.
pub fn knife_edge(surface: &Attachment, blade: &Attachment) -> Equations {
    let side = blade.axis(1);
    let mut speeds = vec![Speed::Projection([side, blade.point()])];
    let mut coordinates = vec![];
    let mut law = Law::linear(vec![1.0], 0.0);
    if surface.node != GROUND {
        coordinates = (0..3).map(|k| Coordinate::displacement_along(surface, blade, k)).collect();
        speeds.push(Speed::Projection([side, surface.point()]));
        speeds.extend((0..3).map(|k| Speed::Projection([side, surface.axis(k)])));
        let arguments = ["r1", "r2", "r3", "v", "p", "w1", "w2", "w3", "t"];
        law = Law::formula("v - p - r1*w1 - r2*w2 - r3*w3", &arguments, &[]);
    }
    let row = Equation {
        name: "sideways slip",
        coordinates: (0..coordinates.len()).collect(),
        speeds: (0..speeds.len()).collect(),
        law,
    };
    Equations::new("knife edge", coordinates, speeds, vec![row], blade.point())
}
