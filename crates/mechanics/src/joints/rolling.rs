//! Rolling without slip on a plane: a thin disk or wheel, and a ball.
//!
//! The plane is the 1-2 plane of the first attachment (axes t₁, t₂, n, origin p), the wheel the second
//! attachment (centre x, axes d₁, d₂ in the disk, d₃ along the axle). From the centre of a disk of radius a
//! to the contact point
//!
//! ```text
//! c = b₁ d₁ + b₂ d₂,   b_i = −a c_i / √(c₁² + c₂²),   c_i = n·d_i
//! ```
//! the direction of steepest descent in the disk; of a ball c = −a n. The rows are
//!
//! ```text
//! height   n·(x − p) − a √(c₁² + c₂²) = 0            (ball: n·(x − p) − a = 0)
//! slip     t_k·(ẋ + ω×c − ṗ − Ω×ρ) = 0,  k = 1, 2,   ρ = x + c − p
//! ```
//! with ω×c = b₁ ḋ₁ + b₂ ḋ₂ for the disk, and the plane's own motion ṗ + Ω×ρ (floating-frame-and-ancf §1.3.3,
//! corrected). The first row is holonomic, the others act on velocities.

use super::rows::Attachment;
use crate::coordinate::Coordinate;
use crate::equations::{Equation, Equations, Law};
use crate::nodes::carried::{Carried, GROUND};
use crate::speed::Speed;

/// u · ẋ.
fn projection(u: Carried, x: Carried) -> Speed {
    Speed::Projection([u, x])
}

/// Disk of the given radius, its axle along the third axis of the second attachment, on the 1-2 plane of the
/// first.
pub fn rolling_disk(plane: &Attachment, wheel: &Attachment, radius: f64) -> Equations {
    let (n, d) = (plane.axis(2), [wheel.axis(0), wheel.axis(1)]);
    let mut coordinates = vec![
        Coordinate::Cosine([n, d[0]]),
        Coordinate::Cosine([n, d[1]]),
        Coordinate::displacement(plane, wheel),
    ];
    let height = Law::formula("h - a*sqrt(c1^2 + c2^2)", &["c1", "c2", "h", "t"], &[("a", radius)]);
    let mut rows = vec![Equation::holonomic("height above the plane", 3, height)];
    let mut speeds = vec![];
    for (k, name) in SLIP.into_iter().enumerate() {
        let t = plane.axis(k);
        let first = speeds.len();
        speeds.extend([projection(t, wheel.point()), projection(t, d[0]), projection(t, d[1])]);
        let mut row = Equation {
            name,
            coordinates: vec![0, 1],
            speeds: vec![first, first + 1, first + 2],
            law: Law::formula(
                "v - a*(c1*u1 + c2*u2)/sqrt(c1^2 + c2^2)",
                &["c1", "c2", "v", "u1", "u2", "t"],
                &[("a", radius)],
            ),
        };
        if plane.node != GROUND {
            // t_k·(Ω×ρ) = (t_k·ṫ_j)(t_j·ρ) with the other axis t_j; the part along n vanishes at the contact.
            let other = plane.axis(1 - k);
            let place = coordinates.len();
            coordinates.extend([
                Coordinate::displacement_along(plane, wheel, 1 - k),
                Coordinate::Cosine([other, d[0]]),
                Coordinate::Cosine([other, d[1]]),
            ]);
            speeds.extend([projection(t, plane.point()), projection(t, other)]);
            row.coordinates.extend([place, place + 1, place + 2]);
            row.speeds.extend([first + 3, first + 4]);
            row.law = Law::formula(
                "v - a*(c1*u1 + c2*u2)/sqrt(c1^2 + c2^2) - p - (y - a*(c1*e1 + c2*e2)/sqrt(c1^2 + c2^2))*w",
                &["c1", "c2", "y", "e1", "e2", "v", "u1", "u2", "p", "w", "t"],
                &[("a", radius)],
            );
        }
        rows.push(row);
    }
    Equations::new("rolling disk", coordinates, speeds, rows, wheel.point())
}

/// Ball of the given radius, centred at the second attachment, on the 1-2 plane of the first.
pub fn rolling_ball(plane: &Attachment, ball: &Attachment, radius: f64) -> Equations {
    let height = Equation::holonomic("height above the plane", 1, Law::linear(vec![1.0], radius));
    let mut coordinates = vec![Coordinate::displacement(plane, ball)];
    let (mut rows, mut speeds) = (vec![height], vec![]);
    for (k, sign) in [(0, -1.0), (1, 1.0)] {
        // t₁·(ω × −a n) = −a ω·t₂ and t₂·(ω × −a n) = a ω·t₁.
        let (t, other) = (plane.axis(k), plane.axis(1 - k));
        let first = speeds.len();
        speeds.extend([projection(t, ball.point()), Speed::spin(ball.node, other)]);
        let mut row = Equation {
            name: SLIP[k],
            coordinates: vec![],
            speeds: vec![first, first + 1],
            law: Law::linear(vec![1.0, sign * radius], 0.0),
        };
        if plane.node != GROUND {
            let place = coordinates.len();
            coordinates.push(Coordinate::displacement_along(plane, ball, 1 - k));
            speeds.extend([projection(t, plane.point()), projection(t, other)]);
            row.coordinates.push(place);
            row.speeds.extend([first + 2, first + 3]);
            row.law =
                Law::formula("v + a*s - p - y*w", &["y", "v", "s", "p", "w", "t"], &[("a", sign * radius)]);
        }
        rows.push(row);
    }
    Equations::new("rolling ball", coordinates, speeds, rows, ball.point())
}

const SLIP: [&str; 2] = ["slip along x", "slip along y"];
