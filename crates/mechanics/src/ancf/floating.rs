//! A planar cubic line seen from a floating frame along its first slope, and back (floating-frame-and-ancf
//! §1.21.8, §1.21.9).
//!
//! ```text
//! e(R, θ, q):  r_O = R,  r_O′ = q₁ a,  r_A = R + q₂ a + q₃ b,  r_A′ = q₄ a + q₅ b
//! a = (cos θ, sin θ),  b = (−sin θ, cos θ);   B = ∂e/∂(R₁, R₂, θ, q₁ … q₅),   M_f = Bᵀ M B
//! ```
//! q are place and slopes of the element in its frame: ū₁,ₓ(0); ū(l); ū,ₓ(l). M_f is the mass matrix of the
//! same shapes with a floating frame.

/// Coordinates with a floating frame: R₁, R₂, θ, q₁ … q₅.
pub type FloatingCoordinates = [f64; 8];

/// e of floating coordinates: r_O, r_O′, r_A, r_A′, two components each.
pub fn nodal_coordinates(q: &FloatingCoordinates) -> [f64; 8] {
    let (s, c) = q[2].sin_cos();
    [
        q[0],
        q[1],
        q[3] * c,
        q[3] * s,
        q[0] + q[4] * c - q[5] * s,
        q[1] + q[4] * s + q[5] * c,
        q[6] * c - q[7] * s,
        q[6] * s + q[7] * c,
    ]
}

/// Floating coordinates of e: the frame is at the first node, along its slope.
pub fn floating_coordinates(e: &[f64; 8]) -> FloatingCoordinates {
    let theta = e[3].atan2(e[2]);
    let (s, c) = theta.sin_cos();
    let seen = |x: f64, y: f64| [c * x + s * y, c * y - s * x];
    let ([q2, q3], [q4, q5]) = (seen(e[4] - e[0], e[5] - e[1]), seen(e[6], e[7]));
    [e[0], e[1], theta, e[2].hypot(e[3]), q2, q3, q4, q5]
}

/// B = ∂e/∂(R₁, R₂, θ, q₁ … q₅), row by row.
pub fn velocity_transformation(q: &FloatingCoordinates) -> [[f64; 8]; 8] {
    let (s, c) = q[2].sin_cos();
    let (q1, q2, q3, q4, q5) = (q[3], q[4], q[5], q[6], q[7]);
    [
        [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, -q1 * s, c, 0.0, 0.0, 0.0, 0.0],
        [0.0, 0.0, q1 * c, s, 0.0, 0.0, 0.0, 0.0],
        [1.0, 0.0, -q2 * s - q3 * c, 0.0, c, -s, 0.0, 0.0],
        [0.0, 1.0, q2 * c - q3 * s, 0.0, s, c, 0.0, 0.0],
        [0.0, 0.0, -q4 * s - q5 * c, 0.0, 0.0, 0.0, c, -s],
        [0.0, 0.0, q4 * c - q5 * s, 0.0, 0.0, 0.0, s, c],
    ]
}
