//! What a joint is asked to start with: its coordinates and their rates by the names that its type declares,
//! and the orientation of the second body where all rotations are free.

use super::{JointHead, JointSpec, JointType};
use crate::declared::Declared;
use crate::diagnostic::{Diagnostic, Span};
use crate::drives::DriveLevel;
use crate::file::{OrientationTable, Triple};
use crate::read::{FromToml, Node, Reader, RestOfTable, add_property, check_keys, object_schema};
use crate::resolve::{Resolver, transpose};
use crate::spec::{DriveSpec, EndSpec};
use crate::value::Number;
use poinsot_geometry::{Mat3, Vec3};
use schemars::{Schema, SchemaGenerator};
use std::marker::PhantomData;
use toml::de::{DeTable, DeValue};

/// The key of the table.
const KEY: &str = "start";
const ORIENTATION: &str = "orientation";
const ANGULAR_VELOCITY: &str = "angular_velocity";
/// Difference, relative to the values, that passes for rounding.
const AGREES: f64 = 1e-9;

/// What a joint is asked to start with, as the file has it.
#[derive(Clone, Debug)]
pub(crate) struct StartTable {
    /// Coordinates by index, or their rates.
    values: Vec<(usize, DriveLevel, Number)>,
    orientation: Option<OrientationTable>,
    angular_velocity: Option<Triple>,
    span: Span,
}

/// A value that a joint is asked to start with.
#[derive(Clone, Debug)]
pub struct JointStartSpec {
    /// Its key.
    pub word: &'static str,
    /// What and how much.
    pub value: JointStartValue,
    /// Place of the value.
    pub span: Span,
}

/// What a joint can be asked to start with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum JointStartValue {
    /// A coordinate, or its rate.
    Coordinate {
        /// Index into [`JointType::coordinates`].
        index: usize,
        /// Which of the two.
        level: DriveLevel,
        /// The value.
        value: f64,
    },
    /// Orientation of the second body in the axes of the first.
    Orientation(Mat3),
    /// Angular velocity of the second body relative to the first, in the axes of the first.
    AngularVelocity(Vec3),
}

impl JointSpec {
    /// The value with which a coordinate is asked to start.
    pub fn starts_at(&self, coordinate: usize) -> Option<f64> {
        self.start.iter().find_map(|start| match start.value {
            JointStartValue::Coordinate { index, level: DriveLevel::Position, value }
                if index == coordinate =>
            {
                Some(value)
            }
            _ => None,
        })
    }
}

impl JointType {
    /// The keys of its start, with the coordinates and rates that they are.
    fn start_values(&self) -> impl Iterator<Item = (&'static str, usize, DriveLevel)> + use<> {
        let of = |(k, c): (usize, &super::JointCoordinate)| {
            [(c.name, k, DriveLevel::Position), (c.rate, k, DriveLevel::Rate)]
        };
        self.coordinates.iter().enumerate().flat_map(of)
    }

    /// All keys of its start; empty if nothing can be asked of it.
    fn start_keys(&self) -> Vec<&'static str> {
        let turning = [ORIENTATION, ANGULAR_VELOCITY].into_iter().filter(|_| self.orients);
        self.start_values().map(|(key, ..)| key).chain(turning).collect()
    }

    fn read_start(&self, table: &DeTable, span: Span, reader: &mut Reader) -> Option<StartTable> {
        let title = format!("{} joint start", self.word);
        check_keys(table, &title, &self.start_keys(), &[], reader);
        let given =
            self.start_values().filter_map(|(key, index, level)| Some((table.get(key)?, index, level)));
        let values: Vec<Option<_>> = given
            .map(|(node, index, level)| Some((index, level, Number::from_toml(node, reader)?)))
            .collect();
        let turning = |key| table.get(key).filter(|_| self.orients);
        let orientation = turning(ORIENTATION).map(|node| OrientationTable::from_toml(node, reader));
        let angular_velocity = turning(ANGULAR_VELOCITY).map(|node| Triple::from_toml(node, reader));
        if table.is_empty() {
            reader.diagnostics.push(
                Diagnostic::error("the start of this joint asks for nothing")
                    .at(span.clone(), "empty")
                    .help(format!("give some of {}", self.start_keys().join(", "))),
            );
        }
        Some(StartTable {
            values: values.into_iter().collect::<Option<_>>()?,
            orientation: transpose(orientation)?,
            angular_velocity: transpose(angular_velocity)?,
            span,
        })
    }

    fn start_schema(&self, generator: &mut SchemaGenerator) -> Schema {
        let mut properties = serde_json::Map::new();
        for c in self.coordinates {
            let unit = |unit: Option<&str>| unit.map_or(String::new(), |unit| format!(", {unit}"));
            let text = format!("Value of `{}` at the start{}.", c.name, unit(c.dimension.unit()));
            add_property(&mut properties, c.name, Number::schema(generator), text, None);
            let text = format!("Rate of `{}` at the start{}.", c.name, unit(c.dimension.rate_unit()));
            add_property(&mut properties, c.rate, Number::schema(generator), text, None);
        }
        if self.orients {
            let text = "Orientation of the second body in the axes of the first at the start.".to_owned();
            let schema = OrientationTable::schema(generator);
            add_property(&mut properties, ORIENTATION, schema, text, None);
            let text = "Angular velocity of the second body relative to the first at the start, in the axes \
                        of the first, rad/s."
                .to_owned();
            add_property(&mut properties, ANGULAR_VELOCITY, Triple::schema(generator), text, None);
        }
        object_schema("joint start", description(), properties, vec![])
    }
}

fn description() -> String {
    "What the joint starts with: its coordinates and their rates.".into()
}

/// The key `start` of the joints whose type `D` declares something to start with.
#[derive(Clone, Debug)]
pub(crate) struct StartOf<D> {
    table: Option<StartTable>,
    of: PhantomData<D>,
}

impl<D> StartOf<D> {
    /// Nothing is asked for.
    pub(crate) const NONE: Self = StartOf { table: None, of: PhantomData };

    /// What is asked for.
    pub(crate) fn table(&self) -> Option<&StartTable> {
        self.table.as_ref()
    }
}

impl<D: Declared<JointType>> StartOf<D> {
    pub(super) fn schema(generator: &mut SchemaGenerator) -> Schema {
        D::declared().start_schema(generator)
    }
}

impl<D: Declared<JointType>> RestOfTable for StartOf<D> {
    fn keys(own: &[&'static str]) -> Vec<&'static str> {
        let wanted = !D::declared().start_keys().is_empty() && !own.contains(&KEY);
        [KEY].into_iter().filter(|_| wanted).collect()
    }

    /// A joint may have a number of that name besides.
    fn read(table: &DeTable, own: &[&'static str], reader: &mut Reader) -> Option<Self> {
        let declared = D::declared();
        let node: Option<&Node> = table.get(KEY).filter(|_| !declared.start_keys().is_empty());
        match node.map(|node| (node, node.get_ref())) {
            Some((node, DeValue::Table(table))) => {
                let table = Some(declared.read_start(table, reader.span(node.span()), reader)?);
                Some(StartOf { table, of: PhantomData })
            }
            Some((node, _)) if !own.contains(&KEY) => {
                reader.mismatch(node, &format!("a table ({})", declared.start_keys().join(", ")));
                None
            }
            _ => Some(Self::NONE),
        }
    }

    fn properties(
        own: &[&'static str],
        generator: &mut SchemaGenerator,
        object: &mut serde_json::Map<String, serde_json::Value>,
    ) {
        if !Self::keys(own).is_empty() {
            add_property(object, KEY, Self::schema(generator), description(), None);
        }
    }
}

impl StartTable {
    /// A coordinate, if it is given.
    pub(super) fn coordinate(&self, index: usize) -> Option<&Number> {
        let wanted =
            |(k, level, _): &&(usize, DriveLevel, Number)| *k == index && *level == DriveLevel::Position;
        self.values.iter().find(wanted).map(|(.., number)| number)
    }
}

impl Resolver<'_> {
    /// A joint with what it is asked to start with.
    pub(crate) fn joint(&mut self, table: &dyn super::JointEntry) -> Option<JointSpec> {
        let spec = table.resolve(self)?;
        let Some(start) = table.start() else { return Some(spec) };
        let start = self.joint_start(table, &spec, start)?;
        Some(JointSpec { start, ..spec })
    }

    fn joint_start(
        &mut self,
        joint: &dyn JointHead,
        spec: &JointSpec,
        table: &StartTable,
    ) -> Option<Vec<JointStartSpec>> {
        let mut start = vec![];
        for (index, level, number) in &table.values {
            let coordinate = spec.kind.coordinates()[*index];
            let (word, value, span) = match level {
                DriveLevel::Position => (coordinate.name, self.number(number)?, number.span()),
                DriveLevel::Rate => (coordinate.rate, self.number(number)?, number.span()),
            };
            if *level == DriveLevel::Position {
                self.warn_beyond_stop(spec, *index, value, span.clone());
            }
            let value = JointStartValue::Coordinate { index: *index, level: *level, value };
            start.push(JointStartSpec { word, value, span });
        }
        if table.orientation.is_some() || table.angular_velocity.is_some() {
            self.refuse_points_that_turn(joint, [&spec.first, &spec.second], table)?;
        }
        if let Some(orientation) = &table.orientation {
            let value = JointStartValue::Orientation(self.rotation(Some(orientation))?);
            start.push(JointStartSpec { word: ORIENTATION, value, span: orientation.span.clone() });
        }
        if let Some(rate) = &table.angular_velocity {
            let value = JointStartValue::AngularVelocity(self.vector(rate)?);
            start.push(JointStartSpec { word: ANGULAR_VELOCITY, value, span: rate.span.clone() });
        }
        Some(start)
    }

    /// Stops are elastic: a start inside of one is possible, but rarely meant.
    fn warn_beyond_stop(&mut self, joint: &JointSpec, coordinate: usize, value: f64, span: Span) {
        let Some(limits) = joint.limits.iter().find(|limits| limits.coordinate == coordinate) else { return };
        let beyond = |limit: Option<f64>, sign: f64| limit.filter(|limit| sign * (value - limit) > 0.0);
        if let Some(limit) = beyond(limits.lower, -1.0).or(beyond(limits.upper, 1.0)) {
            let message = format!("`{}` starts at {value}, beyond its stop at {limit}", joint.name);
            self.diagnostics.push(
                Diagnostic::warning(message)
                    .at(span, "inside the stop")
                    .help("it starts with the stop compressed"),
            );
        }
    }

    fn refuse_points_that_turn(
        &mut self,
        joint: &dyn JointHead,
        ends: [&EndSpec; 2],
        table: &StartTable,
    ) -> Option<()> {
        if ends.iter().all(|end| !self.is_point(end.body)) {
            return Some(());
        }
        self.diagnostics.push(
            Diagnostic::error(format!(
                "`{}` holds a point mass, which has no orientation",
                joint.name().value
            ))
            .at(table.span.clone(), "cannot be asked for")
            .and(joint.between().span.clone(), "one of these is a point mass"),
        );
        None
    }

    /// A drive says what its coordinate does from the start on: a start value can only agree.
    pub(crate) fn check_starts_of_drives(&mut self, time: f64) {
        let (joints, drives) = (&self.joints, &self.drives);
        let mut found = vec![];
        for drive in drives.iter().flatten() {
            let Some((joint, coordinate)) = drive.kind.coordinate() else { continue };
            let Some(Some(joint)) = joints.get(joint) else { continue };
            let conflict = |start: &JointStartSpec| conflict(joint, start, drive, coordinate, time);
            found.extend(joint.start.iter().filter_map(conflict));
        }
        found.into_iter().for_each(|diagnostic| self.diagnostics.push(diagnostic));
    }
}

/// What a drive and a start value of the same coordinate say differently.
fn conflict(
    joint: &JointSpec,
    start: &JointStartSpec,
    drive: &DriveSpec,
    coordinate: usize,
    time: f64,
) -> Option<Diagnostic> {
    let JointStartValue::Coordinate { index, level, value } = start.value else { return None };
    let driven = match level {
        DriveLevel::Position => drive.kind.position(time),
        DriveLevel::Rate => drive.kind.rate(time),
    };
    let driven = driven.filter(|_| index == coordinate)?;
    let differs = (driven - value).abs() > AGREES * driven.abs().max(value.abs()).max(1e-6);
    let message = format!(
        "`{}.{}` starts with {value}, but `{}` drives it with {driven} at t = {time}",
        joint.name, start.word, drive.name
    );
    differs.then(|| {
        Diagnostic::error(message)
            .at(start.span.clone(), "the start value")
            .and(drive.span.clone(), "the drive")
            .help("remove the start value: the drive says it already")
    })
}
