//! The order that theory and measurements promise for a quantity, and why it may be less than that of the
//! method.

/// On which level of the equations a quantity stands; its order may depend on that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum QuantityLevel {
    /// A signal of the model, whatever it is made of.
    Signal,
    /// Positions and orientations.
    Position,
    /// Velocities, and the variables of networks.
    Velocity,
    /// Accelerations and reactions that belong to position and velocity.
    Acceleration,
    /// Accelerations and multipliers as the integrator itself has them.
    Own,
}

/// An order to be expected.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ExpectedOrder {
    /// The order, if it is known.
    pub order: Option<f64>,
    /// Why it is less than that of the method.
    pub reason: Option<&'static str>,
}

impl ExpectedOrder {
    pub(crate) const UNKNOWN: ExpectedOrder = ExpectedOrder { order: None, reason: None };

    pub(crate) fn full(order: usize) -> Self {
        ExpectedOrder { order: Some(order as f64), reason: None }
    }

    pub(crate) fn less(order: usize, reason: &'static str) -> Self {
        ExpectedOrder { order: Some(order as f64), reason: Some(reason) }
    }
}
