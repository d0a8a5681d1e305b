//! The table of events.

use super::{Frame, ParametersTable, Triple};
use crate::read::{FromToml, Node, Reader, choice, record};
use crate::value::{Located, Number, Text};
use schemars::{Schema, SchemaGenerator, json_schema};
use toml::de::DeValue;

record! {
    /// Something that happens during a motion: at a time, or where a formula crosses zero. First the
    /// parameters get their new values, then impulses act, then a coordinate bounces; `stop` ends the motion.
    pub struct EventTable "event" {
        /// Name, unique among all things of the model.
        name: Text,
        /// Formula that crosses zero: quantities, signals, parameters, `time`.
        when: Option<Text>,
        /// Time or times, s; one of `when` and `at` is required.
        at: Option<TimesTable>,
        /// Direction of the crossing; default "both".
        crossing: Option<Located<Crossing>>,
        /// True ends the motion; expectations without `at` are then taken there.
        stop: Option<Located<bool>>,
        /// New values of parameters: numbers or formulas of quantities at the event, signals and parameters.
        /// All that depends on them follows, also the times at which laws of time have kinks and jumps.
        set: Option<ParametersTable>,
        /// An impulse on a body, or several.
        impulse: Option<ImpulsesTable>,
        /// Throws a coordinate back.
        bounce: Option<BounceTable>,
    }
}

choice! {
    /// Direction in which a formula crosses zero.
    pub enum Crossing "crossing" {
        /// From negative to positive.
        "rising" => Rising,
        /// From positive to negative.
        "falling" => Falling,
        /// Either way.
        "both" => Both,
    }
}

record! {
    /// An impulse: the velocities of the whole system jump under the constraints.
    pub struct ImpulseTable "impulse" {
        /// The body or marker it acts on.
        body: Text,
        /// Point of attack in body axes, m; default: the body's origin or the marker.
        at: Option<Triple>,
        /// Impulse of a force, N·s: numbers or formulas.
        force: Option<Triple>,
        /// Impulse of a torque, N·m·s: numbers or formulas.
        torque: Option<Triple>,
        /// Axes of the components.
        frame: Located<Frame> = "world",
    }
}

record! {
    /// An impulse along the gradient of a coordinate that reverses its rate.
    pub struct BounceTable "bounce" {
        /// Formula of positions, rotation entries, joint coordinates, spring lengths and angles, parameters,
        /// `time`; default: `when` itself.
        coordinate: Option<Text>,
        /// Rate afterwards over rate before, from 0 to 1.
        restitution: Number,
    }
}

/// A time or several.
#[derive(Clone, Debug)]
pub struct TimesTable(pub Vec<Number>);

impl FromToml for TimesTable {
    fn expected() -> String {
        "a time or an array of times".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        let DeValue::Array(items) = node.get_ref() else {
            return Number::from_toml(node, reader).map(|time| TimesTable(vec![time]));
        };
        let read: Vec<_> = items.iter().map(|item| Number::from_toml(item, reader)).collect();
        read.into_iter().collect::<Option<_>>().map(TimesTable)
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let one = Number::schema(generator);
        json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}

/// An impulse or several.
#[derive(Clone, Debug)]
pub struct ImpulsesTable(pub Vec<ImpulseTable>);

impl FromToml for ImpulsesTable {
    fn expected() -> String {
        "an impulse or an array of impulses".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        let DeValue::Array(items) = node.get_ref() else {
            return ImpulseTable::from_toml(node, reader).map(|one| ImpulsesTable(vec![one]));
        };
        let read: Vec<_> = items.iter().map(|item| ImpulseTable::from_toml(item, reader)).collect();
        read.into_iter().collect::<Option<_>>().map(ImpulsesTable)
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let one = ImpulseTable::schema(generator);
        json_schema!({ "anyOf": [one, { "type": "array", "items": one }] })
    }
}
