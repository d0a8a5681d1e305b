//! The line of a beam, its nodes and their axes.

use super::Resolver;
use super::beam::BeamSize;
use super::frame::perpendicular;
use super::names::Thing;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{
    ArcTable, BeamTable, ElementsTable, FileTable, HelixTable, LineKind, PlaceTable, Plane, Triple,
};
use crate::value::{List, Located, Number};
use poinsot_expr::SmoothFunction;
use poinsot_geometry::{Pose, Vec3};
use poinsot_mechanics::Frame as NodeFrame;
use poinsot_mechanics::beams::{Course, Curve, Helix, LineError, Spline, Straight, shared_out};
use std::f64::consts::TAU;

/// Argument of curves.
const CURVE_ARGUMENTS: &[&str] = &["u"];
/// Argument of the twist.
const TWIST_ARGUMENTS: &[&str] = &["s"];

/// A line given by functions of u.
struct Given {
    components: [SmoothFunction; 3],
    range: [f64; 2],
}

impl Curve for Given {
    fn point(&self, u: f64) -> Vec3 {
        Vec3::from_fn(|i, _| self.components[i].value(&[u]))
    }
    fn slope(&self, u: f64) -> Vec3 {
        Vec3::from_fn(|i, _| self.components[i].partial(0, &[u]))
    }
    fn range(&self) -> [f64; 2] {
        self.range
    }
}

/// The line of a beam as it was given.
enum Line {
    Smooth(Box<dyn Curve>),
    Polyline(Vec<Vec3>),
}

impl Line {
    /// Direction in which it starts.
    fn start(&self) -> Vec3 {
        match self {
            Line::Smooth(curve) => {
                let [from, to] = curve.range();
                curve.slope(from) * (to - from).signum()
            }
            Line::Polyline(points) => points.get(1).map_or_else(Vec3::zeros, |second| second - points[0]),
        }
    }
}

impl Resolver<'_> {
    /// Markers on nodes of beams, or all others.
    pub fn resolve_markers(&mut self, file: &FileTable, on_beams: bool) {
        for (k, marker) in file.marker.iter().enumerate() {
            let body = self.names.get(&marker.body.value);
            let on_beam = matches!(body, Some(Thing::Body(index)) if index >= file.body.len());
            if on_beam == on_beams {
                self.markers[k] = self.marker(marker);
            }
        }
    }

    /// Places and axes of the nodes.
    pub(super) fn course(&mut self, table: &BeamTable, size: BeamSize) -> Option<Course> {
        let axis1 = table.axis1.as_ref().map(|axis| self.direction(axis, "`axis1`"));
        let twist = table.twist.as_ref().map(|twist| self.function(twist, TWIST_ARGUMENTS));
        let (line, span) = self.line(table)?;
        let first = match axis1 {
            Some(axis) => axis?,
            None => default_axis(self.plane, &line.start()),
        };
        let course = match &line {
            Line::Smooth(curve) => match &table.elements {
                ElementsTable::Total(_) => Course::along(curve.as_ref(), size.elements, size.order, &first),
                ElementsTable::Pieces(list) => {
                    Err(LineError::Elements { elements: list.value.0.len(), pieces: 1 })
                }
            },
            Line::Polyline(points) => self
                .elements_of_pieces(table, size, points)
                .and_then(|elements| Course::polyline(points, &elements, size.order, &first)),
        };
        let course = match course {
            Ok(course) => course,
            Err(error) => {
                self.no_course(table, error, span);
                return None;
            }
        };
        let length = course.length();
        let course = match twist {
            None => course,
            Some(twist) => {
                let twist = twist?;
                match twist.depends_on(0) {
                    true => course.twisted(size.order, |s| twist.value(&[s])),
                    false => course.twisted(size.order, |s| twist.value(&[s]) * s / length),
                }
            }
        };
        self.in_plane(table, &span, course)
    }

    /// The one line that the keys describe, and where.
    fn line(&mut self, table: &BeamTable) -> Option<(Line, Span)> {
        let BeamTable { from, to, points, line, arc, helix, curve, range, .. } = table;
        if let (Some(line), None) = (line, points) {
            let message = format!("`line` of the beam `{}` has no points to go through", table.name.value);
            self.diagnostics.push(Diagnostic::error(message).at(line.span.clone(), "needs `points`"));
            return None;
        }
        let smooth = |curve: Box<dyn Curve>| Line::Smooth(curve);
        match (from, to, points, arc, helix, curve, range) {
            (Some(from), Some(to), None, None, None, None, None) => {
                let (a, b) = (self.beam_place(from), self.beam_place(to));
                Some((smooth(Box::new(Straight { from: a?, to: b? })), to.span()))
            }
            (None, None, Some(points), None, None, None, None) => {
                let kind = line.as_ref().map_or(LineKind::Polyline, |line| line.value);
                Some((self.through(table, points, kind)?, points.span.clone()))
            }
            (Some(from), to, None, Some(arc), None, None, None) => {
                let arc_of = self.arc(table, from, to.as_ref(), arc)?;
                Some((smooth(Box::new(arc_of)), arc.span.clone()))
            }
            (None, None, None, None, Some(helix), None, None) => {
                Some((smooth(Box::new(self.helix(table, helix)?)), helix.span.clone()))
            }
            (None, None, None, None, None, Some(curve), Some(range)) => {
                let components = self.smooth_components(curve, CURVE_ARGUMENTS);
                let range = self.numbers(&range.value);
                let given = Given { components: components?, range: range? };
                Some((smooth(Box::new(given)), curve.span.clone()))
            }
            _ => {
                self.diagnostics.push(
                    Diagnostic::error(format!("the beam `{}` has no line", table.name.value))
                        .at(table.span.clone(), "needs one line")
                        .help(
                            "the line is given by `from` and `to` (straight), `points`, `from` and `arc`, `helix`, \
                             or `curve` and `range`: one of these",
                        ),
                );
                None
            }
        }
    }

    /// A line through points.
    fn through(
        &mut self,
        table: &BeamTable,
        list: &Located<List<PlaceTable>>,
        kind: LineKind,
    ) -> Option<Line> {
        let points: Vec<_> = list.value.0.iter().map(|place| self.beam_place(place)).collect();
        let points: Vec<Vec3> = points.into_iter().collect::<Option<_>>()?;
        let smooth = match kind {
            _ if points.len() < 2 => Err(LineError::Points),
            LineKind::Polyline => return Some(Line::Polyline(points)),
            LineKind::Spline => Spline::new(&points),
        };
        match smooth {
            Ok(spline) => Some(Line::Smooth(Box::new(spline))),
            Err(error) => {
                self.no_course(table, error, list.span.clone());
                None
            }
        }
    }

    fn arc(
        &mut self,
        table: &BeamTable,
        from: &PlaceTable,
        to: Option<&PlaceTable>,
        arc: &ArcTable,
    ) -> Option<Helix> {
        let name = &table.name.value;
        let start = self.beam_place(from);
        let ArcTable { centre, tangent, axis, radius, angle, through, .. } = arc;
        let made = match (centre, tangent, axis, radius, angle, through, to) {
            (Some(centre), None, Some(axis), None, Some(angle), None, None) => {
                let centre = self.vector(centre);
                let (axis, angle) = self.turn(name, axis, angle)?;
                Ok(Helix::arc(&start?, &centre?, &axis, angle))
            }
            (None, Some(tangent), Some(axis), Some(radius), Some(angle), None, None) => {
                let tangent = self.direction(tangent, "`tangent`");
                let radius = self.positive(radius, &format!("the radius of `{name}`"));
                let (axis, angle) = self.turn(name, axis, angle)?;
                Helix::arc_along(&start?, &tangent?, &axis, radius?, angle)
            }
            (None, None, None, None, None, Some(through), Some(to)) => {
                let (through, to) = (self.vector(through), self.beam_place(to));
                Helix::arc_through(&start?, &through?, &to?)
            }
            _ => {
                self.diagnostics.push(
                    Diagnostic::error(format!("the arc of the beam `{name}` is not determined"))
                        .at(arc.span.clone(), "this arc")
                        .help(
                            "from its start an arc has `centre`, `axis` and `angle`; or `tangent`, `axis`, `radius` and `angle`; \
                             or `through` and the beam's `to`",
                        ),
                );
                return None;
            }
        };
        match made {
            Ok(arc) => Some(arc),
            Err(error) => {
                self.no_course(table, error, arc.span.clone());
                None
            }
        }
    }

    /// Axis and angle of an arc.
    fn turn(&mut self, name: &str, axis: &Triple, angle: &Number) -> Option<(Vec3, f64)> {
        let axis = self.direction(axis, "`axis`");
        let angle = self.not_zero(angle, &format!("the angle of `{name}`"));
        Some((axis?, angle?))
    }

    fn helix(&mut self, table: &BeamTable, helix: &HelixTable) -> Option<Helix> {
        let name = &table.name.value;
        let (centre, axis) = (self.vector(&helix.centre), self.direction(&helix.axis, "`axis`"));
        let radius = self.positive(&helix.radius, &format!("the radius of `{name}`"));
        let turns = self.positive(&helix.turns, &format!("the turns of `{name}`"));
        let pitch = self.number(&helix.pitch);
        let towards = helix.towards.as_ref().map(|triple| (self.direction(triple, "`towards`"), triple));
        let axis = axis?;
        let across = |direction: Vec3| (direction - axis * axis.dot(&direction)).try_normalize(1e-6);
        let towards = match towards {
            None => across(Vec3::x()).or_else(|| across(Vec3::y())).unwrap_or_else(|| perpendicular(axis)),
            Some((direction, triple)) => {
                let found = across(direction?);
                if found.is_none() {
                    let message = format!("`towards` of the helix `{name}` is along its axis");
                    self.diagnostics
                        .push(Diagnostic::error(message).at(triple.span.clone(), "along the axis"));
                }
                found?
            }
        };
        let hand = if helix.left_handed { -1.0 } else { 1.0 };
        Some(Helix {
            centre: centre?,
            axis,
            radius: towards * radius?,
            pitch: hand * pitch?,
            angle: hand * turns? * TAU,
        })
    }

    /// The point of a place: numbers, or the origin of something that stands before this beam in the file.
    fn beam_place(&mut self, place: &PlaceTable) -> Option<Vec3> {
        let name = match place {
            PlaceTable::Point(triple) => return self.vector(triple),
            PlaceTable::Name(name) => name,
        };
        let found = match self.names.get(&name.value) {
            Some(Thing::Body(index)) => match self.bodies.get(index) {
                Some(body) => return body.as_ref().map(|body| body.pose().r),
                None => None,
            },
            Some(Thing::Marker(index)) => match self.markers.get(index)? {
                Some(marker) => self.pose(marker.body).map(|pose: Pose| (pose * marker.pose).r),
                // With a mistake, or on a beam.
                None => None,
            },
            _ => {
                // Reports that there is no such thing.
                self.end(name)?;
                let message = "the ground has no place of its own: give three numbers, or a marker";
                self.diagnostics.push(Diagnostic::error(message).at(name.span.clone(), "where?"));
                return None;
            }
        };
        if found.is_none() && !self.names.is_lost(&name.value) {
            self.diagnostics.push(
                Diagnostic::error(format!("the place of `{}` is not known yet", name.value))
                    .at(name.span.clone(), "on a beam further down, or on a marker of a beam")
                    .help("name a body, a marker on a body, or a node of a beam above"),
            );
        }
        found
    }

    /// Elements of each straight piece.
    fn elements_of_pieces(
        &mut self,
        table: &BeamTable,
        size: BeamSize,
        points: &[Vec3],
    ) -> Result<Vec<usize>, LineError> {
        match &table.elements {
            ElementsTable::Total(_) => {
                let lengths: Vec<f64> = points.windows(2).map(|p| (p[1] - p[0]).norm()).collect();
                shared_out(size.elements, &lengths)
            }
            ElementsTable::Pieces(list) => {
                let count = |number: &Number| self.number(number).map_or(0, |value| value as usize);
                Ok(list.value.0.iter().map(count).collect())
            }
        }
    }

    /// Reports a line along which there is no beam.
    fn no_course(&mut self, table: &BeamTable, error: LineError, line: Span) {
        let name = &table.name.value;
        let point = |k: usize| table.points.as_ref().and_then(|list| Some(list.value.0.get(k)?.span()));
        let diagnostic = match error {
            LineError::AxisAlongLine => {
                let message = format!("the beam `{name}` has no section axes: `axis1` is along it where it starts");
                let span = table.axis1.as_ref().map_or(line, |axis| axis.span.clone());
                Diagnostic::error(message).at(span, "along the line").help("give an `axis1` across the line")
            }
            LineError::DoublePoint(k) => Diagnostic::error(format!("the beam `{name}`: {error}"))
                .at(point(k).unwrap_or(line), "the same place again"),
            LineError::Reversal(k) => Diagnostic::error(format!("the beam `{name}`: {error}"))
                .at(point(k).unwrap_or(line), "turns back here")
                .help("two beams with a joint can go back on each other"),
            LineError::Elements { .. } => Diagnostic::error(format!("the beam `{name}`: {error}"))
                .at(table.elements.span(), "these elements")
                .help("a polyline has at least one element for each piece; a list has one number for each piece"),
            _ => Diagnostic::error(format!("the beam `{name}`: {error}")).at(line, "the line"),
        };
        self.diagnostics.push(diagnostic);
    }

    /// The course, if it lies in the plane of a planar model.
    fn in_plane(&mut self, table: &BeamTable, span: &Span, course: Course) -> Option<Course> {
        let Some(plane) = self.plane else { return Some(course) };
        let normal = plane.normal();
        let tilted = |z: &NodeFrame| normal.dot(&z.rot.column(2)).abs() > 1e-9;
        if course.frames.iter().any(tilted) {
            let message = format!(
                "the model is planar ({}), but the beam `{}` leaves the plane",
                plane.word(),
                table.name.value
            );
            self.diagnostics.push(Diagnostic::error(message).at(span.clone(), "out of plane"));
            return None;
        }
        Some(course)
    }
}

/// A direction for axis 1 where none is given: in the plane, else nearest to z, or to x for a beam along z.
fn default_axis(plane: Option<Plane>, tangent: &Vec3) -> Vec3 {
    match plane.map(|plane| plane.normal().cross(tangent)) {
        Some(axis) if axis.norm() > 1e-6 * tangent.norm() => axis,
        _ if tangent.cross(&Vec3::z()).norm() > 1e-6 * tangent.norm() => Vec3::z(),
        _ => Vec3::x(),
    }
}
