//! Joints that hold a point of the second body on a line, plane or curve of the first.

use super::end::End;
use super::frame::{perpendicular, triad};
use super::joint::joint;
use super::{Resolver, transpose};
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{PointOnCurveTable, PointOnLineTable, PointOnPlaneTable, Triple};
use crate::spec::{JointKind, JointSpec};
use crate::value::{Located, Text};
use poinsot_expr::SmoothFunction;
use poinsot_geometry::{Pose, Vec3};

/// Argument of the coordinates of a curve.
pub(crate) const CURVE_ARGUMENTS: &[&str] = &["s"];

/// What the tables of lines and planes have.
struct Guide<'a> {
    name: &'a Text,
    between: &'a Located<[Text; 2]>,
    at: Option<&'a Triple>,
    axis: Option<&'a Triple>,
    point: Option<&'a Triple>,
    span: &'a Span,
}

macro_rules! guide {
    ($table:expr) => {
        Guide {
            name: &$table.name,
            between: &$table.between,
            at: $table.at.as_ref(),
            axis: $table.axis.as_ref(),
            point: $table.point.as_ref(),
            span: &$table.span,
        }
    };
}

impl Resolver<'_> {
    pub(super) fn point_on_line(&mut self, table: &PointOnLineTable) -> Option<JointSpec> {
        self.guide(guide!(table), JointKind::PointOnLine)
    }

    pub(super) fn point_on_plane(&mut self, table: &PointOnPlaneTable) -> Option<JointSpec> {
        self.guide(guide!(table), JointKind::PointOnPlane)
    }

    /// A line or plane through `at` (z axis along `axis`) and a point of the second body.
    fn guide(&mut self, table: Guide, kind: JointKind) -> Option<JointSpec> {
        let ends = self.ends(table.between);
        let at = table.at.map(|at| self.vector(at));
        let axis =
            table.axis.map(|axis| self.direction(axis, &format!("the axis of `{}`", table.name.value)));
        let given = table.point.map(|point| self.vector(point));
        let [first, second] = ends?;
        let (at, axis, given) = (transpose(at)?, transpose(axis)?, transpose(given)?);
        self.refuse_point_end(first, &table.between.value[0], &kind)?;
        let own = self.own_point(second, table.point, given, table.name)?;
        let marker = first.marker.map(|(_, pose)| pose);
        let point = own.or(at).or(marker.map(|pose| pose.r));
        let Some(point) = point else {
            self.missing_at(table.span, kind.word());
            return None;
        };
        let frame = match (marker, axis) {
            (Some(pose), _) => {
                let at = table.at.filter(|_| own.is_some());
                self.not_used(table.name, [("at", at), ("axis", table.axis)]);
                pose
            }
            (None, Some(z)) => Pose::new(at.unwrap_or(point), triad(z, perpendicular(z))),
            (None, None) => {
                self.missing(table.span, kind.word(), "axis", "a world direction");
                return None;
            }
        };
        let ends = [first.with_frame(frame), second.with_frame(Pose::new(point, frame.rotation))];
        Some(joint(table.name, kind, ends))
    }

    /// A curve in the first end's frame and a point of the second body.
    pub(super) fn point_on_curve(&mut self, table: &PointOnCurveTable) -> Option<JointSpec> {
        let ends = self.ends(&table.between);
        let curve = self.curve(table);
        let start = self.number(&table.start);
        let at = table.at.as_ref().map(|at| self.vector(at));
        let axes = table.orientation.as_ref().map(|axes| self.rotation(Some(axes)));
        let given = table.point.as_ref().map(|point| self.vector(point));
        let [first, second] = ends?;
        let (at, axes, given) = (transpose(at)?, transpose(axes)?, transpose(given)?);
        let kind = JointKind::PointOnCurve { curve: Box::new(curve?), start: start? };
        self.refuse_point_end(first, &table.between.value[0], &kind)?;
        let own = self.own_point(second, table.point.as_ref(), given, &table.name)?;
        if first.marker.is_some() {
            self.not_used(&table.name, [("at", table.at.as_ref())]);
            if let Some(axes) = &table.orientation {
                self.unused(&table.name, "orientation", axes.span.clone());
            }
        }
        let frame = Pose::new(at.unwrap_or(first.pose.r), axes.unwrap_or(first.pose.rotation));
        let frame = first.own_or(frame);
        let point = Pose::new(own.unwrap_or(second.pose.r), frame.rotation);
        Some(joint(&table.name, kind, [first.with_frame(frame), second.with_frame(point)]))
    }

    /// The coordinates of the curve as functions of `s`.
    fn curve(&mut self, table: &PointOnCurveTable) -> Option<[SmoothFunction; 3]> {
        let curve = self.smooth_components(&table.curve, CURVE_ARGUMENTS)?;
        if curve.iter().all(|component| component.partial_is_zero(0)) {
            self.diagnostics.push(
                Diagnostic::error(format!("the curve of `{}` is a single point", table.name.value))
                    .at(table.curve.span.clone(), "does not depend on `s`")
                    .help("give the coordinates as expressions of the parameter `s`, e.g. \"cos(s)\""),
            );
            return None;
        }
        Some(curve)
    }

    /// The point of an end that is known without the joint: its marker, the given point, its point mass.
    /// The outer option is empty after a mistake.
    fn own_point(
        &mut self,
        end: End,
        table: Option<&Triple>,
        given: Option<Vec3>,
        name: &Text,
    ) -> Option<Option<Vec3>> {
        match (end.marker, given, table) {
            (Some((_, pose)), _, table) => {
                self.not_used(name, [("point", table)]);
                Some(Some(pose.r))
            }
            (None, Some(point), Some(table)) => {
                self.check_point_of_attack(end, point, table)?;
                Some(Some(point))
            }
            _ if self.is_point(end.body) => Some(Some(end.pose.r)),
            _ => Some(None),
        }
    }

    /// The first end carries a frame, which a point mass has not.
    pub(super) fn refuse_point_end(&mut self, end: End, name: &Text, kind: &JointKind) -> Option<()> {
        if self.is_point(end.body) {
            self.no_orientation(name, &format!("the frame of a {} joint", kind.word()));
            return None;
        }
        Some(())
    }

    /// Warns of keys for which a marker stands.
    pub(super) fn not_used<const N: usize>(&mut self, name: &Text, keys: [(&str, Option<&Triple>); N]) {
        for (key, triple) in keys {
            if let Some(triple) = triple {
                self.unused(name, key, triple.span.clone());
            }
        }
    }
}
