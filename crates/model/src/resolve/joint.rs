//! Joints: the two ends and their frames in body axes.

use super::Resolver;
use super::end::End;
use super::frame::{perpendicular, triad};
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{DistanceTable, JointTable, Triple};
use crate::spec::{EndSpec, FrictionSpec, JointKind, JointSpec, LimitSpec};
use crate::value::{Located, Text};
use poinsot_geometry::{Mat3, Pose};

/// What the tables of joints with one common frame have.
struct Plain<'a> {
    name: &'a Text,
    between: &'a Located<[Text; 2]>,
    at: Option<&'a Triple>,
    /// `None` for joints without an axis.
    axis: Option<Option<&'a Triple>>,
    span: &'a Span,
}

impl Resolver<'_> {
    pub fn joint(&mut self, joint: &JointTable) -> Option<JointSpec> {
        macro_rules! plain {
            ($table:expr) => {
                plain!($table, None)
            };
            ($table:expr, axis) => {
                plain!($table, Some($table.axis.as_ref()))
            };
            ($table:expr, $axis:expr) => {
                Plain {
                    name: &$table.name,
                    between: &$table.between,
                    at: $table.at.as_ref(),
                    axis: $axis,
                    span: &$table.span,
                }
            };
        }
        match joint {
            JointTable::Fixed(t) => self.plain(plain!(t), JointKind::Fixed),
            JointTable::Spherical(t) => self.plain(plain!(t), JointKind::Spherical),
            JointTable::Revolute(t) => {
                let joint = self.plain(plain!(t, axis), JointKind::Revolute);
                let limits = self.limits(&t.name, [(0, t.limits.as_ref())]);
                let friction = t.friction.as_ref().map(|table| self.pin_friction(&t.name, table));
                equipped(joint?, limits?, friction)
            }
            JointTable::Prismatic(t) => {
                let joint = self.plain(plain!(t, axis), JointKind::Prismatic);
                let limits = self.limits(&t.name, [(0, t.limits.as_ref())]);
                let friction = t.friction.as_ref().map(|table| self.guide_friction(&t.name, table));
                equipped(joint?, limits?, friction)
            }
            JointTable::Cylindrical(t) => {
                let joint = self.plain(plain!(t, axis), JointKind::Cylindrical);
                let tables = [(0, t.angle_limits.as_ref()), (1, t.displacement_limits.as_ref())];
                let limits = self.limits(&t.name, tables);
                equipped(joint?, limits?, None)
            }
            JointTable::Screw(t) => {
                let lead = self.not_zero(&t.lead, &format!("the lead of `{}`", t.name.value));
                // The kind does not matter to the frames.
                let joint = self.plain(plain!(t, axis), JointKind::Screw { lead: lead.unwrap_or(1.0) });
                let limits = self.limits(&t.name, [(1, t.limits.as_ref())]);
                lead.and(equipped(joint?, limits?, None))
            }
            JointTable::Planar(t) => self.plain(plain!(t, axis), JointKind::Planar),
            JointTable::Universal(t) => self.universal(t),
            JointTable::ConstantVelocity(t) => self.constant_velocity(t),
            JointTable::Distance(t) => self.distance(t),
            JointTable::PointOnLine(t) => self.point_on_line(t),
            JointTable::PointOnPlane(t) => self.point_on_plane(t),
            JointTable::PointOnCurve(t) => self.point_on_curve(t),
            JointTable::RollingDisk(t) => self.rolling_disk(t),
            JointTable::RollingBall(t) => self.rolling_ball(t),
            JointTable::KnifeEdge(t) => self.knife_edge(t),
        }
    }

    /// A joint with one point and at most one axis.
    fn plain(&mut self, table: Plain, kind: JointKind) -> Option<JointSpec> {
        let ends = self.ends(table.between);
        let at = table.at.map(|at| self.vector(at));
        let subject = format!("the axis of `{}`", table.name.value);
        let given = table.axis.flatten();
        let axis = given.map(|axis| self.direction(axis, &subject));
        let ends = ends?;
        self.refuse_points(&ends, table.between, &kind)?;
        self.warn_unused(&ends, table.name, &[("at", table.at), ("axis", given)]);
        if ends.iter().all(|end| end.marker.is_some()) {
            // Each end has its own frame.
            let ends = ends.map(|end| end.with_frame(Pose::identity()));
            return Some(joint(table.name, kind, ends));
        }
        let marker = ends.iter().find_map(|end| end.marker.map(|(_, pose)| pose));
        let point = at.unwrap_or_else(|| match (marker, &kind) {
            (Some(pose), _) => Some(pose.r),
            (None, JointKind::Fixed) => Some(ends[1].pose.r),
            (None, _) => {
                self.missing_at(table.span, kind.word());
                None
            }
        });
        let rotation = match (axis, marker) {
            (Some(axis), Some(pose)) => axis.map(|z| triad(z, pose.rotation.column(0).into())),
            (Some(axis), None) => axis.map(|z| triad(z, perpendicular(z))),
            (None, Some(pose)) => Some(pose.rotation),
            (None, None) if table.axis.is_none() => Some(Mat3::identity()),
            (None, None) => {
                self.missing(table.span, kind.word(), "axis", "a world direction");
                None
            }
        };
        let world = Pose::new(point?, rotation?);
        Some(joint(table.name, kind, ends.map(|end| end.with_frame(world))))
    }

    fn distance(&mut self, table: &DistanceTable) -> Option<JointSpec> {
        let name = &table.name.value;
        let given =
            table.length.as_ref().map(|length| self.positive(length, &format!("the length of `{name}`")));
        let (ends, start) = self.end_points(&table.between, table.points.as_ref(), &table.name)?;
        let length = given.unwrap_or(Some(start))?;
        Some(joint(&table.name, JointKind::Distance { length }, ends))
    }

    /// Most joints hold an orientation, which a point mass has not.
    pub(super) fn refuse_points(
        &mut self,
        ends: &[End; 2],
        between: &Located<[Text; 2]>,
        kind: &JointKind,
    ) -> Option<()> {
        if matches!(kind, JointKind::Spherical) {
            return Some(());
        }
        self.refuse_point_ends(ends, between, &format!("a {} joint", kind.word()))
    }

    /// Keys that two markers make superfluous.
    pub(super) fn warn_unused(&mut self, ends: &[End; 2], name: &Text, keys: &[(&str, Option<&Triple>)]) {
        if ends.iter().all(|end| end.marker.is_some()) {
            for (key, triple) in keys {
                if let Some(triple) = triple {
                    self.unused(name, key, triple.span.clone());
                }
            }
        }
    }

    pub(super) fn missing_at(&mut self, span: &Span, word: &str) {
        self.missing(span, word, "at", "the world point where both bodies meet");
    }

    pub(super) fn missing(&mut self, span: &Span, word: &str, key: &str, what: &str) {
        self.diagnostics.push(
            Diagnostic::error(format!("missing key `{key}` in {word} joint"))
                .at(span.clone(), format!("this {word} joint needs `{key}`"))
                .help(format!("give `{key}` ({what}), or use a marker as an end")),
        );
    }
}

pub(super) fn joint(name: &Text, kind: JointKind, [first, second]: [EndSpec; 2]) -> JointSpec {
    JointSpec {
        name: name.value.clone(),
        span: name.span.clone(),
        kind,
        first,
        second,
        limits: Vec::new(),
        friction: None,
    }
}

/// The joint with its stops and friction; `None` if the friction has a mistake.
fn equipped(
    joint: JointSpec,
    limits: Vec<LimitSpec>,
    friction: Option<Option<FrictionSpec>>,
) -> Option<JointSpec> {
    let friction = match friction {
        Some(friction) => Some(friction?),
        None => None,
    };
    Some(JointSpec { limits, friction, ..joint })
}
