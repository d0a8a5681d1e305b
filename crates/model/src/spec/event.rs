//! Events.

use super::{Crossing, EndSpec, Formula, Frame};
use crate::diagnostic::Span;

/// Something that happens during a motion.
#[derive(Clone, Debug)]
pub struct EventSpec {
    /// Its name.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// When it happens.
    pub trigger: Trigger,
    /// Parameters that get new values.
    pub set: Vec<(String, Formula)>,
    /// Impulses that act.
    pub impulses: Vec<ImpulseSpec>,
    /// The coordinate that bounces.
    pub bounce: Option<BounceSpec>,
    /// Whether the motion ends.
    pub stop: bool,
}

/// When an event happens.
#[derive(Clone, Debug)]
pub enum Trigger {
    /// Where a formula crosses zero.
    Crossing {
        /// The formula.
        formula: Formula,
        /// The direction.
        crossing: Crossing,
    },
    /// At times, ascending.
    Times(Vec<f64>),
}

/// An impulse on a body.
#[derive(Clone, Debug)]
pub struct ImpulseSpec {
    /// The body; the origin of the frame is the point of attack, its axes are those of components in body
    /// axes.
    pub on: EndSpec,
    /// Impulse of a force.
    pub force: [Formula; 3],
    /// Impulse of a torque.
    pub torque: [Formula; 3],
    /// Axes of the components.
    pub frame: Frame,
}

/// A coordinate that is thrown back.
#[derive(Clone, Debug)]
pub struct BounceSpec {
    /// The coordinate: a formula of positions.
    pub coordinate: Formula,
    /// Rate afterwards over rate before.
    pub restitution: f64,
}
