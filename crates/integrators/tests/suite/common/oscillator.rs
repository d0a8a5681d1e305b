//! A nonlinear forced damped oscillator (gs4-isochronous-integrators V-03).

use super::{along_x, attach, law, runge_kutta, unit_point};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::forces::CoordinateForce;
use poinsot_mechanics::{Coordinate, GROUND, System, SystemBuilder};

pub const Q0: f64 = 0.7;
pub const V0: f64 = 0.4;

/// q̈ = −sin q − 0.2 q̇³ − 0.5 q q̇ + 0.5 cos(1.3 t).
pub fn acceleration(t: f64, q: f64, v: f64) -> f64 {
    -q.sin() - 0.2 * v.powi(3) - 0.5 * q * v + 0.5 * (1.3 * t).cos()
}

pub fn oscillator() -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let node = unit_point(&mut b, Vec3::x() * Q0, Vec3::x() * V0);
    let ground = attach(GROUND, Vec3::zeros(), along_x());
    let point = attach(node, Vec3::zeros(), Mat3::identity());
    let element = CoordinateForce {
        coordinate: Coordinate::displacement(&ground, &point),
        stiffness: 0.0,
        damping: 0.0,
        free: 0.0,
        law: Some(law("sin(s) + 0.2*r^3 + 0.5*s*r - 0.5*cos(1.3*t)")),
    };
    b.force("element", Box::new(element));
    b.build()
}

/// (q, v, q̈) at a time.
pub fn reference(t: f64) -> [f64; 3] {
    let rate = |t: f64, y: &[f64; 2]| [y[1], acceleration(t, y[0], y[1])];
    let [q, v] = runge_kutta(rate, [Q0, V0], t, 4000);
    [q, v, acceleration(t, q, v)]
}
