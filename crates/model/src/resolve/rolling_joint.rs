//! Joints of a body with a plane: rolling disk, rolling ball, knife edge.

use super::Resolver;
use super::end::End;
use super::frame::{perpendicular, triad};
use super::joint::joint;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{KnifeEdgeTable, RollingBallTable, RollingDiskTable, Triple};
use crate::spec::{JointKind, JointSpec};
use crate::value::Text;
use poinsot_geometry::{Mat3, Pose, Vec3};

/// Least sine of an angle between directions that pass as different.
const PARALLEL: f64 = 1e-6;

/// The joint that messages are about.
struct Subject<'a> {
    name: &'a Text,
    span: &'a Span,
    kind: &'a JointKind,
}

/// A key with what it holds.
type Key<'a> = (&'static str, Option<&'a Triple>);

impl Resolver<'_> {
    /// First frame: a point of the plane, z along its normal. Second frame: the centre, z along the axle.
    pub(super) fn rolling_disk(&mut self, table: &RollingDiskTable) -> Option<JointSpec> {
        let name = &table.name;
        let ends = self.ends(&table.between);
        let radius = self.positive(&table.radius, &format!("the radius of `{}`", name.value));
        let (at, normal) = (self.point_key(&table.at), self.direction_key(name, "normal", &table.normal));
        let (centre, axle) = (self.point_key(&table.centre), self.direction_key(name, "axle", &table.axle));
        let ends = ends?;
        let kind = JointKind::RollingDisk { radius: radius? };
        self.refuse_points(&ends, &table.between, &kind)?;
        let subject = Subject { name, span: &table.span, kind: &kind };
        let keys = [("at", table.at.as_ref()), ("normal", table.normal.as_ref())];
        let plane = self.plane_frame(&subject, ends[0], keys, at?, normal?);
        let keys = [("centre", table.centre.as_ref()), ("axle", table.axle.as_ref())];
        let centre = centre?.unwrap_or(ends[1].pose.r);
        let wheel = self.turned_frame(&subject, ends[1], keys, centre, axle?);
        let (plane, wheel) = (plane?, wheel?);
        // Its lowest point is r·sin(angle between normal and axle) below the centre.
        let sine = plane.rotation.column(2).cross(&wheel.rotation.column(2)).norm();
        if sine < PARALLEL {
            self.parallel(name, &table.axle, &table.span, "the axle", "the disk lies flat on the plane");
            return None;
        }
        let radius = radius?;
        self.warn_gap(name, height(&plane, &wheel) - radius * sine, radius);
        Some(joint(name, kind, [ends[0].with_frame(plane), ends[1].with_frame(wheel)]))
    }

    /// First frame: a point of the plane, z along its normal. Second frame: the centre.
    pub(super) fn rolling_ball(&mut self, table: &RollingBallTable) -> Option<JointSpec> {
        let name = &table.name;
        let ends = self.ends(&table.between);
        let radius = self.positive(&table.radius, &format!("the radius of `{}`", name.value));
        let (at, normal) = (self.point_key(&table.at), self.direction_key(name, "normal", &table.normal));
        let centre = self.point_key(&table.centre);
        let ends = ends?;
        let kind = JointKind::RollingBall { radius: radius? };
        self.refuse_points(&ends, &table.between, &kind)?;
        let subject = Subject { name, span: &table.span, kind: &kind };
        let keys = [("at", table.at.as_ref()), ("normal", table.normal.as_ref())];
        let plane = self.plane_frame(&subject, ends[0], keys, at?, normal?)?;
        if ends[1].marker.is_some() {
            self.not_used(name, [("centre", table.centre.as_ref())]);
        }
        let centre = centre?.unwrap_or(ends[1].pose.r);
        let ball = ends[1].own_or(Pose::new(centre, plane.rotation));
        let radius = radius?;
        self.warn_gap(name, height(&plane, &ball) - radius, radius);
        Some(joint(name, kind, [ends[0].with_frame(plane), ends[1].with_frame(ball)]))
    }

    /// First frame: z along the normal. Second frame: the blade's point, x along the blade, z near the
    /// normal.
    pub(super) fn knife_edge(&mut self, table: &KnifeEdgeTable) -> Option<JointSpec> {
        let name = &table.name;
        let ends = self.ends(&table.between);
        let at = self.point_key(&table.at);
        let axis = self.direction_key(name, "axis", &table.axis);
        let normal = self.direction_key(name, "normal", &table.normal);
        let ends = ends?;
        let kind = JointKind::KnifeEdge;
        self.refuse_points(&ends, &table.between, &kind)?;
        let subject = Subject { name, span: &table.span, kind: &kind };
        let (at, axis, normal) = (at?, axis?, normal?);
        let (point, blade) = match (ends[1].marker, at, axis) {
            (Some((_, pose)), ..) => {
                self.not_used(name, [("at", table.at.as_ref()), ("axis", table.axis.as_ref())]);
                (pose.r, pose.rotation.column(0).into())
            }
            (None, Some(at), Some(axis)) => (at, axis),
            (None, at, axis) => {
                self.missing_of(&subject, [("at", at.is_none()), ("axis", axis.is_none())]);
                return None;
            }
        };
        let keys = [("at", None), ("normal", table.normal.as_ref())];
        let plane = self.plane_frame(&subject, ends[0], keys, Some(point), normal)?;
        let up: Vec3 = plane.rotation.column(2).into();
        let Some(z) = (up - blade * blade.dot(&up)).try_normalize(PARALLEL) else {
            self.parallel(name, &table.axis, &table.span, "the blade", "it has no direction in the plane");
            return None;
        };
        let blade = Pose::new(point, Mat3::from_columns(&[blade, z.cross(&blade), z]));
        Some(joint(name, kind, [ends[0].with_frame(plane), ends[1].with_frame(blade)]))
    }

    /// World frame of the plane: the marker's, else the given point and normal.
    fn plane_frame(
        &mut self,
        subject: &Subject,
        end: End,
        keys: [Key; 2],
        at: Option<Vec3>,
        normal: Option<Vec3>,
    ) -> Option<Pose> {
        let Some(at) = at.or(end.marker.map(|(_, pose)| pose.r)) else {
            self.missing_of(subject, [("at", true), ("normal", normal.is_none())]);
            return None;
        };
        self.turned_frame(subject, end, keys, at, normal)
    }

    /// World frame with its z axis along a direction: the marker's, else the given one.
    fn turned_frame(
        &mut self,
        subject: &Subject,
        end: End,
        keys: [Key; 2],
        origin: Vec3,
        z: Option<Vec3>,
    ) -> Option<Pose> {
        if let Some((_, pose)) = end.marker {
            self.not_used(subject.name, keys);
            return Some(pose);
        }
        let Some(z) = z else {
            self.missing_of(subject, [(keys[1].0, true)]);
            return None;
        };
        Some(Pose::new(origin, triad(z, perpendicular(z))))
    }

    /// A point that may be missing; the outer option is empty after a mistake.
    fn point_key(&mut self, table: &Option<Triple>) -> Option<Option<Vec3>> {
        match table {
            Some(triple) => self.vector(triple).map(Some),
            None => Some(None),
        }
    }

    /// A direction that may be missing; the outer option is empty after a mistake.
    fn direction_key(&mut self, name: &Text, key: &str, table: &Option<Triple>) -> Option<Option<Vec3>> {
        match table {
            Some(triple) => self.direction(triple, &format!("the {key} of `{}`", name.value)).map(Some),
            None => Some(None),
        }
    }

    fn missing_of<const N: usize>(&mut self, subject: &Subject, keys: [(&str, bool); N]) {
        for (key, missing) in keys {
            let what = match key {
                "at" => "a world point",
                _ => "a world direction",
            };
            if missing {
                self.missing(subject.span, subject.kind.word(), key, what);
            }
        }
    }

    fn parallel(&mut self, name: &Text, given: &Option<Triple>, span: &Span, what: &str, why: &str) {
        let place = given.as_ref().map_or(span, |triple| &triple.span);
        self.diagnostics.push(
            Diagnostic::error(format!("{what} of `{}` is parallel to the normal: {why}", name.value))
                .at(place.clone(), "along the normal"),
        );
    }

    /// The start closes small gaps; a large one is rarely meant.
    fn warn_gap(&mut self, name: &Text, gap: f64, radius: f64) {
        if gap.abs() > 0.5 * radius {
            let side = if gap > 0.0 { "above" } else { "below" };
            self.diagnostics.push(
                Diagnostic::warning(format!(
                    "`{}` does not touch the plane at the start: it is {:.6} {side} it",
                    name.value,
                    gap.abs()
                ))
                .at(name.span.clone(), "more than half the radius away")
                .help("the normal points to the side of the body that rolls"),
            );
        }
    }
}

/// Height of the second origin over the first frame's xy plane.
fn height(plane: &Pose, body: &Pose) -> f64 {
    plane.rotation.column(2).dot(&(body.r - plane.r))
}
