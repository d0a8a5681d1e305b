//! The ends of joints and forces: bodies and markers by name, and their frames.

use super::Resolver;
use super::names::Thing;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::FileTable;
use crate::file::Triple;
use crate::joints::{JointTable, PointEnds};
use crate::spec::{BodyKind, BodyRef, EndSpec, LinePlace};
use crate::value::{Located, Text};
use poinsot_geometry::{Pose, Vec3};

/// A place along the line of a beam as an end.
#[derive(Clone, Copy)]
pub(crate) struct OnLine {
    /// Which one.
    pub place: LinePlace,
    /// World point at the start.
    pub point: Vec3,
}

/// One end as it was named: a body, or a marker with its world pose at the start.
#[derive(Clone, Copy)]
pub(crate) struct End {
    pub body: BodyRef,
    /// World pose of the body at the start.
    pub pose: Pose,
    /// Index and world pose of the marker.
    pub marker: Option<(usize, Pose)>,
    /// The place along a line that it is; the body is then the node next to it.
    pub line: Option<OnLine>,
}

impl End {
    /// The world frame of the marker or of the place along a line, else the given one.
    pub fn own_or(&self, world: Pose) -> Pose {
        let on_line = self.line.map_or(world, |line| Pose::new(line.point, self.pose.rotation));
        self.marker.map_or(on_line, |(_, pose)| pose)
    }

    /// With a frame of its own, whatever a marker says.
    pub fn at_frame(&self, world: Pose) -> EndSpec {
        let marker = self.marker.map(|(index, _)| index);
        EndSpec { body: self.body, frame: self.pose.relative(&world), marker, line: self.place() }
    }

    /// The frame of this end in body axes: the marker's own, else the given world frame.
    pub fn with_frame(&self, world: Pose) -> EndSpec {
        EndSpec {
            body: self.body,
            frame: self.pose.relative(&self.own_or(world)),
            marker: self.marker.map(|(index, _)| index),
            line: self.place(),
        }
    }

    fn place(&self) -> Option<LinePlace> {
        self.line.map(|line| line.place)
    }
}

impl Resolver<'_> {
    /// The ends of a distance joint and their distance at the start.
    pub(crate) fn end_points(
        &mut self,
        between: &Located<[Text; 2]>,
        points: Option<&Located<[Triple; 2]>>,
        name: &Text,
    ) -> Option<([EndSpec; 2], f64)> {
        let ends = self.ends(between);
        self.points_of(ends, between, points, name)
    }

    /// The same of a spring, which may also hold places along lines.
    pub(crate) fn spring_points(
        &mut self,
        between: &Located<[Text; 2]>,
        points: Option<&Located<[Triple; 2]>>,
        name: &Text,
        file: &FileTable,
    ) -> Option<([EndSpec; 2], f64)> {
        let ends = self.ends_or_places(between, file);
        self.points_of(ends, between, points, name)
    }

    fn points_of(
        &mut self,
        ends: Option<[End; 2]>,
        between: &Located<[Text; 2]>,
        points: Option<&Located<[Triple; 2]>>,
        name: &Text,
    ) -> Option<([EndSpec; 2], f64)> {
        let given = points.map(|points| points.value.each_ref().map(|p| self.vector(p)));
        let ends = ends?;
        if let Some(points) = points
            && ends.iter().all(|end| end.marker.is_some() || end.line.is_some())
        {
            self.unused(name, "points", points.span.clone());
        }
        let [a, b] = match (given, points) {
            (Some(given), Some(points)) => [0, 1].map(|i| {
                let at = given[i]?;
                self.check_point_of_attack(ends[i], at, &points.value[i])?;
                Some(Pose::new(at, ends[i].pose.rotation))
            }),
            _ => ends.map(|end| Some(end.pose)),
        };
        let world = [ends[0].own_or(a?), ends[1].own_or(b?)];
        let length = (world[1].r - world[0].r).norm();
        let size = world[0].r.norm().max(world[1].r.norm());
        if length <= 1e-12 * size {
            let span = points.map_or(&between.span, |points| &points.span);
            let name = &name.value;
            self.diagnostics.push(
                Diagnostic::error(format!("the two points of `{name}` coincide at the start"))
                    .at(span.clone(), "length zero, no direction")
                    .help("give `points` that differ, or markers"),
            );
            return None;
        }
        let specs = [ends[0].with_frame(world[0]), ends[1].with_frame(world[1])];
        Some((specs, length))
    }

    /// A point mass can be held at no point but itself, a place along a line neither.
    pub(crate) fn check_point_of_attack(&mut self, end: End, at: Vec3, given: &Triple) -> Option<()> {
        if let Some(line) = end.line {
            let off = (at - line.point).norm();
            if off <= 1e-9 * at.norm().max(1.0) {
                return Some(());
            }
            let message =
                format!("this end is a place along a beam, but the given point is {off} away from it");
            let [x, y, z]: [f64; 3] = line.point.into();
            self.diagnostics.push(
                Diagnostic::error(message)
                    .at(given.span.clone(), "not at that place")
                    .help(format!("the place is [{x}, {y}, {z}]")),
            );
            return None;
        }
        let off = (at - end.pose.r).norm();
        if !self.is_point(end.body) || off <= 1e-9 * at.norm().max(1.0) {
            return Some(());
        }
        self.diagnostics.push(
            Diagnostic::error(format!("this end is a point mass, but the given point is {off} away from it"))
                .at(given.span.clone(), "not at the point mass"),
        );
        None
    }

    /// The two ends named by `between`; they must be on different bodies.
    pub(crate) fn ends(&mut self, between: &Located<[Text; 2]>) -> Option<[End; 2]> {
        let [first, second] = &between.value;
        let ends = [self.end(first), self.end(second)];
        let bodies = ends.map(|end| end.map(|(body, _)| body));
        if let [Some(a), Some(b)] = bodies
            && a == b
        {
            let message = match first.value == second.value {
                true => format!("both ends are `{}`", first.value),
                false => format!("`{}` and `{}` are on the same body", first.value, second.value),
            };
            self.diagnostics.push(
                Diagnostic::error(message)
                    .at(second.span.clone(), "the same body again")
                    .and(first.span.clone(), "first end")
                    .help("the two ends must be on different bodies"),
            );
            return None;
        }
        let [first, second] = ends.map(|end| self.place(end?));
        Some([first?, second?])
    }

    /// A body or marker by name.
    pub(crate) fn end(&mut self, name: &Text) -> Option<(BodyRef, Option<usize>)> {
        if name.value == "ground" {
            return Some((BodyRef::Ground, None));
        }
        match self.names.hold(&name.value) {
            Some(Thing::Body(index)) => Some((BodyRef::Body(index), None)),
            Some(Thing::Marker(index)) => {
                let marker = self.markers.get(index)?.as_ref()?;
                Some((marker.body, Some(index)))
            }
            _ if Self::is_line_place(name) => {
                self.diagnostics.push(
                    Diagnostic::error(format!("`{}` cannot be held here: no node is there", name.value))
                        .at(name.span.clone(), "a place between nodes")
                        .help(
                            "springs, and forces and torques in world axes, hold any place along a line; others \
                             name a node, as `cable.node3`: choose `elements` so that one is there",
                        ),
                );
                None
            }
            _ => {
                let wanted = |thing| matches!(thing, Thing::Body(_) | Thing::Marker(_));
                let names = self.names.of(wanted);
                let mut names: Vec<String> = names.into_iter().map(str::to_owned).collect();
                names.push("ground".into());
                let names: Vec<&str> = names.iter().map(String::as_str).collect();
                self.unknown(name, "body or marker", &names);
                None
            }
        }
    }

    /// World poses of an end at the start.
    pub(crate) fn place(&self, (body, marker): (BodyRef, Option<usize>)) -> Option<End> {
        let pose = self.pose(body)?;
        let marker = match marker {
            Some(index) => {
                let inner = self.markers.get(index)?.as_ref()?.pose;
                Some((index, pose * inner))
            }
            None => None,
        };
        Some(End { body, pose, marker, line: None })
    }

    /// Reports the ends that are point masses.
    pub(crate) fn refuse_point_ends(
        &mut self,
        ends: &[End; 2],
        between: &Located<[Text; 2]>,
        what: &str,
    ) -> Option<()> {
        let mut fine = Some(());
        for (end, name) in ends.iter().zip(&between.value) {
            if self.is_point(end.body) {
                self.no_orientation(name, what);
                fine = None;
            }
        }
        fine
    }

    /// Reports that a point mass cannot be used here.
    pub(crate) fn no_orientation(&mut self, name: &Text, what: &str) {
        if let Some(Thing::Body(index)) = self.names.get(&name.value)
            && let Some(Some(body)) = self.bodies.get(index)
            && matches!(body.kind, BodyKind::CableNode(_))
        {
            let message =
                format!("{what} cannot act on `{}`, a node of a line with slopes in space", name.value);
            self.diagnostics.push(
                Diagnostic::error(message)
                    .at(name.span.clone(), "has a place and a slope, but no torsion")
                    .help(
                        "hold it at its point, clamp it with `start` or `end` of the beam, or take formulation = \
                         \"director\", which has section axes",
                    ),
            );
            return;
        }
        self.diagnostics.push(
            Diagnostic::error(format!("{what} cannot act on the point mass `{}`", name.value))
                .at(name.span.clone(), "has no orientation")
                .help(format!(
                    "a point mass can have {} joints, be the second end of {}, and carry springs and world \
                     forces",
                    joints_with(PointEnds::Both),
                    joints_with(PointEnds::Second)
                )),
        );
    }

    pub(crate) fn unused(&mut self, name: &Text, key: &str, span: Span) {
        self.diagnostics.push(
            Diagnostic::warning(format!("`{key}` of `{}` is not used", name.value))
                .at(span, "the marker's own frame is used")
                .help(format!("remove `{key}`, or name the body instead of the marker")),
        );
    }
}

/// The joints that point masses may be such ends of.
fn joints_with(points: PointEnds) -> String {
    let of = JointTable::declared().into_iter().filter(|of| of.points == points);
    let words: Vec<&str> = of.map(|of| of.word).collect();
    match words.split_last() {
        Some((last, [])) => (*last).into(),
        Some((last, others)) => format!("{} and {last}", others.join(", ")),
        None => String::new(),
    }
}
