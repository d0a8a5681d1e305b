//! Sliding joint: a point of a body runs along a beam, or a beam runs through a ring.

use super::BearingLoad::Force;
use super::declaration::joint;
use super::{
    Dimension, GuideFrictionTable, JointCoordinate, JointEnds, JointEntry, JointLaw, JointSpec, JointStop,
    JointSymbol, JointType, LimitsTable, PointEnds,
};
use crate::diagnostic::Diagnostic;
use crate::file::Triple;
use crate::read::choice;
use crate::resolve::Resolver;
use crate::resolve::frame::{perpendicular, triad};
use crate::resolve::transpose;
use crate::spec::BodyRef;
use crate::value::Located;
use poinsot_geometry::Pose;
use poinsot_mechanics::ancf::SlopeNode;
use poinsot_mechanics::{Constraint, joints};
use std::ops::Range;

/// What there is to know of the type.
pub const SLIDING: JointType = JointType {
    word: "sliding",
    free: "a point of the second body runs along a beam",
    coordinates: &[JointCoordinate {
        name: "arc_length",
        rate: "arc_rate",
        dimension: Dimension::Length,
        meaning: "along the beam as it was made, from its start",
        of: |ends| joints::arc_length(ends.parameter),
    }],
    bearing: &[Force, Force, Force],
    stops: &[JointStop { coordinate: 0, force: "limit_force" }],
    points: PointEnds::Second,
    symbol: JointSymbol::Ring,
    has_axis: false,
    notes: "The first end is a beam, not a body. The arc length is a variable of its own: without friction the \
            force between beam and body has no part along the beam. With `orientation = \"tangent\"` the z axis \
            of the second end follows the beam; it may turn about it. A fixed or moving ring through which a \
            cable is pulled is the second end as well: `between = [\"cable\", \"ground\"]` with `point`, or a \
            body. The motion ends where the joint reaches an end of the beam; stops (`limits`) keep it from \
            there. Beams of section axes lend their third axes: the joint is on the smooth curve through the \
            nodes. Springs, dampers and motors along the beam are forces of type `thrust` and drives.",
    example: r#"[[beam]]
name = "wire"
from = [-1, 0, 0.3]
to = [1, 0, 0.3]
elements = 4
formulation = "ancf"
start = "clamped"
end = "clamped"
section = { type = "circle", diameter = 0.004, young = 2e11, density = 7800 }

[[joint]]
name = "slide"
type = "sliding"
between = ["wire", "bead"]
orientation = "tangent"
friction = { dynamic = 0.1 }"#,
    ..JointType::PLAIN
};

choice! {
    /// Whether a body that slides along a beam follows its direction.
    pub enum SlidingOrientation "orientation of a sliding joint" {
        /// Its point alone is held.
        "free" => Free,
        /// The z axis of the second end is along the beam.
        "tangent" => Tangent,
    }
}

joint! {
    /// A point of a body runs along a beam.
    SlidingTable "sliding joint" is SLIDING {
        /// World point on the second body at the start; default: its origin or marker.
        point: Option<Triple>,
        /// Whether the second body follows the direction of the beam.
        orientation: Located<SlidingOrientation> = "free",
        /// Stops of the arc length, m.
        limits: Option<LimitsTable>,
        /// Friction along the beam. The force that presses is the whole force between beam and body without
        /// the friction itself.
        friction: Option<GuideFrictionTable>,
    }
}

/// The beam of a sliding joint.
#[derive(Clone, Debug)]
pub struct LineSpec {
    /// Its nodes among the bodies.
    pub nodes: Range<usize>,
    /// Arc length at each of them (m).
    pub places: Vec<f64>,
}

impl JointEntry for SlidingTable {
    fn resolve(&self, resolver: &mut Resolver) -> Option<JointSpec> {
        let [beam, body] = &self.between.value;
        let line = resolver.line_of_beam(beam);
        let second = resolver.end(body).and_then(|end| resolver.place(end));
        let given = self.point.as_ref().map(|point| resolver.vector(point));
        let near = self.start_values.table().and_then(|start| start.coordinate(0));
        let near_value = near.map(|number| resolver.number(number));
        let limits = resolver.limits(self);
        let friction = self.friction.as_ref().map(|table| resolver.guide_friction(&self.name, table));
        let (line, second) = (line?, second?);
        let (given, near_value) = (transpose(given)?, transpose(near_value)?);
        if let BodyRef::Body(index) = second.body
            && line.nodes.contains(&index)
        {
            let message = format!("`{}` is a node of the beam `{}` itself", body.value, beam.value);
            resolver.diagnostics.push(
                Diagnostic::error(message)
                    .at(body.span.clone(), "cannot slide along its own beam")
                    .help("the second end is another body, a marker, a node of another beam or \"ground\""),
            );
            return None;
        }
        let own = resolver.own_point(second, self.point.as_ref(), given, &self.name)?;
        let point = own.unwrap_or(second.pose.r);
        let follows = self.orientation.value == SlidingOrientation::Tangent;
        if follows && resolver.is_point(second.body) {
            resolver.no_orientation(body, "a sliding joint that follows the beam");
            return None;
        }
        let curve = resolver.curve_of(&line)?;
        let start = near_value.unwrap_or_else(|| curve.nearest(&point));
        if let Some(number) = near
            && !curve.reaches(start)
        {
            let message = format!("the arc length {start} is beyond the ends of the beam `{}`", beam.value);
            let help = format!("its length is {}", curve.length());
            resolver
                .diagnostics
                .push(Diagnostic::error(message).at(number.span(), "not on the beam").help(help));
            return None;
        }
        let (place, tangent) = curve.at(start);
        let frame = Pose::new(place, triad(tangent, perpendicular(tangent)));
        let law = Sliding { line: line.clone(), start, follows };
        let first = resolver.node_near(&line, start)?.with_frame(frame);
        let second = second.with_frame(Pose::new(point, frame.rotation));
        JointSpec::new(self, law, [first, second]).equipped(limits?, friction)
    }

    fn limit_tables(&self) -> Vec<Option<&LimitsTable>> {
        vec![self.limits.as_ref()]
    }
}

/// A point runs along the line of a beam.
#[derive(Clone, Debug)]
pub struct Sliding {
    /// The line.
    pub line: LineSpec,
    /// Arc length near the second origin at the start (m).
    pub start: f64,
    /// Whether the third axis of the second end follows the tangent.
    pub follows: bool,
}

impl JointLaw for Sliding {
    fn declaration(&self) -> &'static JointType {
        &SLIDING
    }

    /// Without a line at hand it is the straight one along the z axis of the first end.
    fn constraint(&self, ends: &JointEnds) -> Box<dyn Constraint> {
        let straight = SlopeNode { place: ends.first.point(), slope: ends.first.axis(2) };
        let (elements, places) = match ends.line.as_slice() {
            [] => (&[[straight; 2]][..], &[0.0, 1.0][..]),
            elements => (elements, self.line.places.as_slice()),
        };
        Box::new(joints::sliding(&ends.second, ends.parameter, elements, places, self.follows))
    }

    fn parameter(&self) -> Option<f64> {
        Some(self.start)
    }

    fn line(&self) -> Option<&LineSpec> {
        Some(&self.line)
    }

    /// The whole force of the joint is √(N² + F²) with the friction F = μ N: μ/√(1 + μ²) of it.
    fn pressed_share(&self, coefficient: f64) -> f64 {
        coefficient / coefficient.hypot(1.0)
    }
}
