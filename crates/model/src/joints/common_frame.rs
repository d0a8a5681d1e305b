//! Joints with one frame that both bodies share: a point and at most one axis.

use super::{JointHead, PointEnds};
use crate::diagnostic::{Diagnostic, Span};
use crate::file::Triple;
use crate::resolve::Resolver;
use crate::resolve::end::End;
use crate::resolve::frame::{perpendicular, triad};
use crate::spec::EndSpec;
use crate::value::Text;
use poinsot_geometry::{Mat3, Pose};

/// The keys that place the frame.
#[derive(Clone, Copy)]
pub(super) struct CommonFrame<'a> {
    pub at: Option<&'a Triple>,
    /// `None` for joints without an axis.
    pub axis: Option<Option<&'a Triple>>,
    /// Whether the second body's origin is the point where nothing else gives one.
    pub at_second: bool,
}

impl Resolver<'_> {
    /// The ends of a joint with one point and at most one axis.
    pub(super) fn common_frame(&mut self, table: &dyn JointHead, keys: CommonFrame) -> Option<[EndSpec; 2]> {
        let ends = self.ends(table.between());
        let at = keys.at.map(|at| self.vector(at));
        let subject = format!("the axis of `{}`", table.name().value);
        let given = keys.axis.flatten();
        let axis = given.map(|axis| self.direction(axis, &subject));
        let ends = ends?;
        self.refuse_points(&ends, table)?;
        self.warn_unused(&ends, table.name(), &[("at", keys.at), ("axis", given)]);
        if ends.iter().all(|end| end.marker.is_some()) {
            // Each end has its own frame.
            return Some(ends.map(|end| end.with_frame(Pose::identity())));
        }
        let marker = ends.iter().find_map(|end| end.marker.map(|(_, pose)| pose));
        let point = at.unwrap_or_else(|| match marker {
            Some(pose) => Some(pose.r),
            None if keys.at_second => Some(ends[1].pose.r),
            None => {
                self.missing_at(table);
                None
            }
        });
        let rotation = match (axis, marker) {
            (Some(axis), Some(pose)) => axis.map(|z| triad(z, pose.rotation.column(0).into())),
            (Some(axis), None) => axis.map(|z| triad(z, perpendicular(z))),
            (None, Some(pose)) => Some(pose.rotation),
            (None, None) if keys.axis.is_none() => Some(Mat3::identity()),
            (None, None) => {
                self.missing(table, "axis", "a world direction");
                None
            }
        };
        let world = Pose::new(point?, rotation?);
        Some(ends.map(|end| end.with_frame(world)))
    }

    /// Most joints hold an orientation, which a point mass has not.
    pub(super) fn refuse_points(&mut self, ends: &[End; 2], table: &dyn JointHead) -> Option<()> {
        if table.declaration().points == PointEnds::Both {
            return Some(());
        }
        self.refuse_point_ends(ends, table.between(), &format!("a {} joint", table.declaration().word))
    }

    /// Keys that two markers make superfluous.
    pub(super) fn warn_unused(&mut self, ends: &[End; 2], name: &Text, keys: &[(&str, Option<&Triple>)]) {
        if ends.iter().all(|end| end.marker.is_some()) {
            self.not_used(name, keys);
        }
    }

    /// Warns of keys for which a marker stands.
    pub(super) fn not_used(&mut self, name: &Text, keys: &[(&str, Option<&Triple>)]) {
        for (key, triple) in keys {
            if let Some(triple) = triple {
                self.unused(name, key, triple.span.clone());
            }
        }
    }

    pub(super) fn missing_at(&mut self, table: &dyn JointHead) {
        self.missing(table, "at", "the world point where both bodies meet");
    }

    pub(super) fn missing(&mut self, table: &dyn JointHead, key: &str, what: &str) {
        let (span, word): (&Span, &str) = (table.span(), table.declaration().word);
        self.diagnostics.push(
            Diagnostic::error(format!("missing key `{key}` in {word} joint"))
                .at(span.clone(), format!("this {word} joint needs `{key}`"))
                .help(format!("give `{key}` ({what}), or use a marker as an end")),
        );
    }
}
