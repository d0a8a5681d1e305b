//! What a joint declares.

use crate::declared::Declared;
use crate::diagnostic::Span;
use crate::resolve::{Resolver, transpose};
use crate::spec::EndSpec;
use crate::value::{Located, Text};
use poinsot_geometry::Vec3;
use poinsot_mechanics::ancf::SlopeNode;
use poinsot_mechanics::joints::Attachment;
use poinsot_mechanics::{Constraint, Coordinate, GROUND, NodeId};
use std::any::Any;
use std::fmt::Debug;
use std::sync::Arc;

use super::limits::Stops;
use super::{FrictionSpec, JointStartSpec, LimitSpec, LimitsTable, LineSpec, StartTable, StopLawSpec};

/// What is the same for all joints of a type.
#[derive(Clone, Copy, Debug)]
pub struct JointType {
    /// Its word in the file.
    pub word: &'static str,
    /// The motion that it leaves free.
    pub free: &'static str,
    /// Its scalar coordinates in order.
    pub coordinates: &'static [JointCoordinate],
    /// Where the reaction along the joint points, if the joint can hold one.
    pub axial: Option<Axial>,
    /// What each row loads the bearing with, if the joint can have friction.
    pub bearing: &'static [BearingLoad],
    /// The coordinates that can have stops.
    pub stops: &'static [JointStop],
    /// Whether a torsion spring can work along its first coordinate.
    pub takes_torsion: bool,
    /// Which of its ends may be point masses.
    pub points: PointEnds,
    /// How it is drawn.
    pub symbol: JointSymbol,
    /// Whether it leaves all rotations free, so that an orientation can be asked of its start.
    pub orients: bool,
    /// Whether the z axis of the first end means something.
    pub has_axis: bool,
    /// More for the reference page.
    pub notes: &'static str,
    /// A joint of a model file, for the reference page.
    pub example: &'static str,
}

impl JointType {
    /// The least that a joint is: an axis, no coordinates, no bearing.
    pub(super) const PLAIN: JointType = JointType {
        word: "",
        free: "",
        coordinates: &[],
        axial: None,
        bearing: &[],
        stops: &[],
        takes_torsion: false,
        points: PointEnds::None,
        symbol: JointSymbol::Cross,
        orients: false,
        has_axis: true,
        notes: "",
        example: "",
    };
}

/// The line along which a reaction can be asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axial {
    /// The z axis of the first frame.
    Axis,
    /// From the first origin to the second.
    Line,
}

/// Which ends of a joint may be point masses, which have no orientation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PointEnds {
    /// None.
    None,
    /// The second.
    Second,
    /// Both.
    Both,
}

/// A coordinate that can have stops.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct JointStop {
    /// Index into [`JointType::coordinates`].
    pub coordinate: usize,
    /// The force of the stops as a quantity.
    pub force: &'static str,
}

/// What a row of a joint loads its bearing with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BearingLoad {
    /// A force.
    Force,
    /// A bending moment, which two bearings carry.
    Bending,
}

/// How a joint is drawn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointSymbol {
    /// A pin along the axis.
    Pin,
    /// A ball.
    Ball,
    /// A sleeve that slides and turns on a rail.
    Sleeve,
    /// A nut on a thread.
    Thread,
    /// A block that slides on a rail.
    Block,
    /// A clamp.
    Clamp,
    /// A plate across the axis.
    Plate,
    /// A ring about the axis.
    Ring,
    /// A cross.
    Cross,
    /// A thin rod from end to end.
    Rod,
    /// A rope over pulleys.
    Rope,
}

/// A body that rolls.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wheel {
    /// A disk of this radius about the z axis of the second frame.
    Disk(f64),
    /// A ball of this radius.
    Ball(f64),
}

/// A scalar coordinate of a joint and its rate as quantities.
#[derive(Clone, Copy, Debug)]
pub struct JointCoordinate {
    /// Name of the coordinate.
    pub name: &'static str,
    /// Name of its rate.
    pub rate: &'static str,
    /// What it measures.
    pub dimension: Dimension,
    /// How it is counted, for the reference page.
    pub meaning: &'static str,
    /// The coordinate between two attachments.
    pub of: fn(&JointEnds) -> Coordinate,
}

/// What a coordinate measures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dimension {
    /// An angle.
    Angle,
    /// A length.
    Length,
    /// The parameter of a curve.
    Parameter,
}

impl Dimension {
    /// Unit of the coordinate.
    pub fn unit(self) -> Option<&'static str> {
        match self {
            Dimension::Angle => Some("rad"),
            Dimension::Length => Some("m"),
            Dimension::Parameter => None,
        }
    }

    /// Unit of its rate.
    pub fn rate_unit(self) -> Option<&'static str> {
        match self {
            Dimension::Angle => Some("rad/s"),
            Dimension::Length => Some("m/s"),
            Dimension::Parameter => None,
        }
    }

    /// Unit of the force along it.
    pub fn effort_unit(self) -> Option<&'static str> {
        match self {
            Dimension::Angle => Some("N·m"),
            Dimension::Length => Some("N"),
            Dimension::Parameter => None,
        }
    }
}

/// The angle of the second x axis about the common z axis.
pub(super) const ANGLE: JointCoordinate = JointCoordinate {
    name: "angle",
    rate: "rate",
    dimension: Dimension::Angle,
    meaning: "of the x axes about the z axis; counts full turns",
    of: |ends| Coordinate::angle(&ends.first, &ends.second),
};

/// The way of the second origin along the first z axis.
pub(super) const DISPLACEMENT: JointCoordinate = JointCoordinate {
    name: "displacement",
    rate: "displacement_rate",
    dimension: Dimension::Length,
    meaning: "along the axis of the first end",
    of: |ends| Coordinate::displacement_along(&ends.first, &ends.second, 2),
};

/// The place of the second origin along the first x axis.
pub(super) const X: JointCoordinate = JointCoordinate {
    name: "x",
    rate: "x_rate",
    dimension: Dimension::Length,
    meaning: "in the axes of the first end",
    of: |ends| Coordinate::displacement_along(&ends.first, &ends.second, 0),
};

/// The place of the second origin along the first y axis.
pub(super) const Y: JointCoordinate = JointCoordinate {
    name: "y",
    rate: "y_rate",
    dimension: Dimension::Length,
    meaning: "in the axes of the first end",
    of: |ends| Coordinate::displacement_along(&ends.first, &ends.second, 1),
};

/// The two frames of a joint on the nodes of a system.
#[derive(Clone, Debug)]
pub struct JointEnds {
    /// The first.
    pub first: Attachment,
    /// The second.
    pub second: Attachment,
    /// The node of the joint's own variable, ground if it has none.
    pub parameter: NodeId,
    /// The elements of the line that it runs along, none for most.
    pub line: Vec<[SlopeNode; 2]>,
    /// Other frames that it holds: the pulleys of a rope.
    pub others: Vec<Attachment>,
}

impl JointEnds {
    /// Two attachments of a joint without a variable of its own.
    pub fn new(first: Attachment, second: Attachment) -> Self {
        JointEnds { first, second, parameter: GROUND, line: vec![], others: vec![] }
    }
}

/// A joint's law with its numbers. The frames of the two ends coincide, as far as the joint forbids motion,
/// unless markers say otherwise.
pub trait JointLaw: Any + Debug + Send + Sync {
    /// Its type.
    fn declaration(&self) -> &'static JointType;

    /// Its equations.
    fn constraint(&self, ends: &JointEnds) -> Box<dyn Constraint>;

    /// Start value of a variable of its own.
    fn parameter(&self) -> Option<f64> {
        None
    }

    /// Other frames that it holds, beside its two ends.
    fn others(&self) -> Vec<EndSpec> {
        vec![]
    }

    /// How many of its rows, from the first on, are tensions of a rope.
    fn tensions(&self) -> usize {
        0
    }

    /// The line that it runs along.
    fn line(&self) -> Option<&LineSpec> {
        None
    }

    /// The coefficient of friction by the whole force of the joint, for one by the force that presses.
    fn pressed_share(&self, coefficient: f64) -> f64 {
        coefficient
    }

    /// What its second body looks like, if it rolls.
    fn wheel(&self) -> Option<Wheel> {
        None
    }

    /// Its word in the file.
    fn word(&self) -> &'static str {
        self.declaration().word
    }

    /// Its scalar coordinates in order.
    fn coordinates(&self) -> &'static [JointCoordinate] {
        self.declaration().coordinates
    }
}

/// What all tables of joints have, made by `joint!`.
pub(crate) trait JointHead: Declared<JointType> {
    /// The names of its ends.
    fn between(&self) -> &Located<[Text; 2]>;
    /// What it starts with.
    fn start(&self) -> Option<&StartTable>;
}

/// A joint as the file has it.
pub(crate) trait JointEntry: JointHead {
    /// Checks it and finds its frames.
    fn resolve(&self, resolver: &mut Resolver) -> Option<JointSpec>;

    /// The tables of its stops, in the order of [`JointType::stops`].
    fn limit_tables(&self) -> Vec<Option<&LimitsTable>> {
        vec![]
    }
}

/// Declares the table of a joint: its own keys and those all joints share.
macro_rules! joint {
    ($(#[doc = $doc:literal])* $name:ident $title:literal is $declaration:ident
        { $( $(#[doc = $key_doc:literal])* $key:ident : $type:ty $(= $default:tt)? ),* $(,)? }) => {
        $crate::declared::declared! {
            $(#[doc = $doc])*
            $name $title is $declaration: $crate::joints::JointType {
                /// First and second end: bodies, markers or "ground".
                between: $crate::value::Located<[$crate::value::Text; 2]>,
                $( $(#[doc = $key_doc])* $key: $type $(= $default)?, )*
            } and start_values: $crate::joints::StartOf<$name>
        }

        impl $crate::joints::JointHead for $name {
            fn between(&self) -> &$crate::value::Located<[$crate::value::Text; 2]> {
                &self.between
            }
            fn start(&self) -> Option<&$crate::joints::StartTable> {
                self.start_values.table()
            }
        }
    };
}
pub(super) use joint;

/// A joint.
#[derive(Clone, Debug)]
pub struct JointSpec {
    /// Its name.
    pub name: String,
    /// Place of the name.
    pub span: Span,
    /// What it is.
    pub kind: Arc<dyn JointLaw>,
    /// First end.
    pub first: EndSpec,
    /// Second end.
    pub second: EndSpec,
    /// Stops, at most one pair for each coordinate.
    pub limits: Vec<LimitSpec>,
    /// Stops that are laws.
    pub stop_laws: Vec<StopLawSpec>,
    /// Friction along the coordinate.
    pub friction: Option<FrictionSpec>,
    /// What it is asked to start with.
    pub start: Vec<JointStartSpec>,
}

impl JointSpec {
    /// A joint of a table between two ends.
    pub(super) fn new(table: &dyn JointHead, law: impl JointLaw, [first, second]: [EndSpec; 2]) -> Self {
        JointSpec {
            name: table.name().value.clone(),
            span: table.name().span.clone(),
            kind: Arc::new(law),
            first,
            second,
            limits: Vec::new(),
            stop_laws: Vec::new(),
            friction: None,
            start: Vec::new(),
        }
    }

    /// The joint with its stops and friction; `None` if the friction has a mistake.
    pub(super) fn equipped(self, stops: Stops, friction: Option<Option<FrictionSpec>>) -> Option<Self> {
        let Stops { limits, laws: stop_laws } = stops;
        Some(JointSpec { limits, stop_laws, friction: transpose(friction)?, ..self })
    }

    /// The law if it is of this type.
    pub fn law<L: JointLaw>(&self) -> Option<&L> {
        (&*self.kind as &dyn Any).downcast_ref()
    }

    /// The direction along which its axial reaction is measured: `axis` is the first z axis, `line` leads
    /// from the first origin to the second.
    pub fn axial_direction(&self, axis: Vec3, line: Vec3) -> Vec3 {
        match self.kind.declaration().axial {
            Some(Axial::Line) => line.normalize(),
            _ => axis,
        }
    }
}
