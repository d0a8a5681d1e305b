//! What can be read off an element that acts along a scalar coordinate.

use crate::force::{Force, Motion};

/// A force element along a scalar coordinate: a length or an angle.
pub trait CoordinateElement: Force {
    /// The coordinate, its rate and the force along it.
    fn along(&self, at: &Motion) -> Along;
}

/// A scalar coordinate of an element with the force that acts along it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Along {
    /// Length or angle.
    pub value: f64,
    /// Its rate.
    pub rate: f64,
    /// Tension or torque, positive when it pulls the coordinate back.
    pub force: f64,
}
