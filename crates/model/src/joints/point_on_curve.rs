//! Point on a curve.

use super::declaration::joint;
use super::{
    Dimension, JointCoordinate, JointEnds, JointEntry, JointLaw, JointSpec, JointType, PointEnds, StartOf,
};
use crate::diagnostic::Diagnostic;
use crate::file::OrientationTable;
use crate::file::Triple;
use crate::read::{FromToml, Node, Reader};
use crate::resolve::Resolver;
use crate::resolve::transpose;
use crate::value::Number;
use poinsot_expr::SmoothFunction;
use poinsot_geometry::Pose;
use poinsot_mechanics::{Constraint, joints};
use schemars::{Schema, SchemaGenerator, json_schema};
use toml::de::DeValue;

/// Argument of the coordinates of a curve.
const CURVE_ARGUMENTS: &[&str] = &["s"];

/// What there is to know of the type.
pub const POINT_ON_CURVE: JointType = JointType {
    word: "point_on_curve",
    free: "a point of the second body moves along a curve of the first",
    coordinates: &[JointCoordinate {
        name: "parameter",
        rate: "parameter_rate",
        dimension: Dimension::Parameter,
        meaning: "the parameter `s`",
        of: |ends| joints::curve_parameter(ends.parameter),
    }],
    points: PointEnds::Second,
    notes: "The parameter is a variable of its own: the three rows leave the point one freedom.",
    example: r#"[[joint]]
name = "loop"
type = "point_on_curve"
between = ["frame", "car"]
curve = ["0.3*sin(s)", 0, "0.3*(1 - cos(s))"]"#,
    ..JointType::PLAIN
};

joint! {
    /// A point of the second body stays on a curve fixed to the first.
    PointOnCurveTable "point_on_curve joint" is POINT_ON_CURVE {
        /// Coordinates of the curve in its own frame, m: expressions of the parameter `s`.
        curve: Triple,
        /// Parameter near the place of the point at the start; or a table of what the joint starts with.
        start: CurveStart = 0,
        /// World origin of the curve's frame at the start; default: the first end's own frame.
        at: Option<Triple>,
        /// World orientation of the curve's frame at the start; default: that of the first end's own frame.
        orientation: Option<OrientationTable>,
        /// World point on the second body at the start; default: its origin or marker.
        point: Option<Triple>,
    }
}

impl JointEntry for PointOnCurveTable {
    /// A curve in the first end's frame and a point of the second body.
    fn resolve(&self, resolver: &mut Resolver) -> Option<JointSpec> {
        let ends = resolver.ends(&self.between);
        let curve = self.curve(resolver);
        let start = self.near().map_or(Some(0.0), |near| resolver.number(near));
        let at = self.at.as_ref().map(|at| resolver.vector(at));
        let axes = self.orientation.as_ref().map(|axes| resolver.rotation(Some(axes)));
        let given = self.point.as_ref().map(|point| resolver.vector(point));
        let [first, second] = ends?;
        let (at, axes, given) = (transpose(at)?, transpose(axes)?, transpose(given)?);
        let law = PointOnCurve { curve: curve?, start: start? };
        resolver.refuse_point_end(first, self)?;
        let own = resolver.own_point(second, self.point.as_ref(), given, &self.name)?;
        if first.marker.is_some() {
            resolver.not_used(&self.name, &[("at", self.at.as_ref())]);
            if let Some(axes) = &self.orientation {
                resolver.unused(&self.name, "orientation", axes.span.clone());
            }
        }
        let frame = Pose::new(at.unwrap_or(first.pose.r), axes.unwrap_or(first.pose.rotation));
        let frame = first.own_or(frame);
        let point = Pose::new(own.unwrap_or(second.pose.r), frame.rotation);
        Some(JointSpec::new(self, law, [first.with_frame(frame), second.with_frame(point)]))
    }
}

impl PointOnCurveTable {
    /// The parameter from which the place on the curve is looked for.
    fn near(&self) -> Option<&Number> {
        self.start.near.as_ref().or_else(|| self.start_values.table()?.coordinate(0))
    }

    /// The coordinates of the curve as functions of `s`.
    fn curve(&self, resolver: &mut Resolver) -> Option<[SmoothFunction; 3]> {
        let curve = resolver.smooth_components(&self.curve, CURVE_ARGUMENTS)?;
        if curve.iter().all(|component| component.partial_is_zero(0)) {
            resolver.diagnostics.push(
                Diagnostic::error(format!("the curve of `{}` is a single point", self.name.value))
                    .at(self.curve.span.clone(), "does not depend on `s`")
                    .help("give the coordinates as expressions of the parameter `s`, e.g. \"cos(s)\""),
            );
            return None;
        }
        Some(curve)
    }
}

/// A parameter near the start; a table of start values is read with those of other joints.
#[derive(Clone, Debug)]
pub(crate) struct CurveStart {
    near: Option<Number>,
}

impl FromToml for CurveStart {
    fn expected() -> String {
        "a number, an expression in quotes, or a table (joint start)".into()
    }
    fn from_toml(node: &Node, reader: &mut Reader) -> Option<Self> {
        match node.get_ref() {
            DeValue::Table(_) => Some(CurveStart { near: None }),
            _ => Some(CurveStart { near: Some(Number::from_toml(node, reader)?) }),
        }
    }
    fn schema(generator: &mut SchemaGenerator) -> Schema {
        let table = StartOf::<PointOnCurveTable>::schema(generator);
        json_schema!({ "anyOf": [Number::schema(generator), table] })
    }
}

/// The second origin stays on a curve in the first frame.
#[derive(Clone, Debug)]
pub struct PointOnCurve {
    /// Coordinates in the axes of the first frame as functions of `s`.
    pub curve: [SmoothFunction; 3],
    /// Parameter near the second origin at the start.
    pub start: f64,
}

impl JointLaw for PointOnCurve {
    fn declaration(&self) -> &'static JointType {
        &POINT_ON_CURVE
    }

    fn constraint(&self, ends: &JointEnds) -> Box<dyn Constraint> {
        Box::new(joints::point_on_curve(&ends.first, &ends.second, ends.parameter, self.curve.clone()))
    }

    fn parameter(&self) -> Option<f64> {
        Some(self.start)
    }
}
