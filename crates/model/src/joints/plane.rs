//! Joints of a body with a plane: rolling disk, rolling ball, knife edge.

use super::JointHead;
use crate::diagnostic::Diagnostic;
use crate::file::Triple;
use crate::resolve::Resolver;
use crate::resolve::end::End;
use crate::resolve::frame::{perpendicular, triad};
use crate::value::{Number, Text};
use poinsot_geometry::{Pose, Vec3};

/// Least sine of an angle between directions that pass as different.
pub(super) const PARALLEL: f64 = 1e-6;

/// A key with what it holds.
type Key<'a> = (&'static str, Option<&'a Triple>);

/// The keys that rolling joints share.
pub(super) struct Rolling<'a> {
    pub radius: &'a Number,
    pub at: &'a Option<Triple>,
    pub normal: &'a Option<Triple>,
    pub centre: &'a Option<Triple>,
}

/// What they say: the ends, the radius, the frame of the plane (`None` after a mistake in it) and the centre
/// of what rolls.
pub(super) struct Rolled {
    pub ends: [End; 2],
    pub radius: f64,
    pub plane: Option<Pose>,
    pub centre: Vec3,
}

impl Resolver<'_> {
    /// What a body rolls on.
    pub(super) fn rolled(&mut self, table: &dyn JointHead, keys: Rolling) -> Option<Rolled> {
        let name = table.name();
        let ends = self.ends(table.between());
        let radius = self.positive(keys.radius, &format!("the radius of `{}`", name.value));
        let at = self.point_key(keys.at);
        let normal = self.direction_key(name, "normal", keys.normal);
        let centre = self.point_key(keys.centre);
        let (ends, radius) = (ends?, radius?);
        self.refuse_points(&ends, table)?;
        let names = [("at", keys.at.as_ref()), ("normal", keys.normal.as_ref())];
        let plane = self.plane_frame(table, ends[0], names, at?, normal?);
        Some(Rolled { ends, radius, plane, centre: centre?.unwrap_or(ends[1].pose.r) })
    }

    /// World frame of the plane: the marker's, else the given point and normal.
    pub(super) fn plane_frame(
        &mut self,
        table: &dyn JointHead,
        end: End,
        keys: [Key; 2],
        at: Option<Vec3>,
        normal: Option<Vec3>,
    ) -> Option<Pose> {
        let Some(at) = at.or(end.marker.map(|(_, pose)| pose.r)) else {
            self.missing_of(table, [("at", true), ("normal", normal.is_none())]);
            return None;
        };
        self.turned_frame(table, end, keys, at, normal)
    }

    /// World frame with its z axis along a direction: the marker's, else the given one.
    pub(super) fn turned_frame(
        &mut self,
        table: &dyn JointHead,
        end: End,
        keys: [Key; 2],
        origin: Vec3,
        z: Option<Vec3>,
    ) -> Option<Pose> {
        if let Some((_, pose)) = end.marker {
            self.not_used(table.name(), &keys);
            return Some(pose);
        }
        let Some(z) = z else {
            self.missing_of(table, [(keys[1].0, true)]);
            return None;
        };
        Some(Pose::new(origin, triad(z, perpendicular(z))))
    }

    /// A point that may be missing; the outer option is empty after a mistake.
    pub(super) fn point_key(&mut self, table: &Option<Triple>) -> Option<Option<Vec3>> {
        match table {
            Some(triple) => self.vector(triple).map(Some),
            None => Some(None),
        }
    }

    /// A direction that may be missing; the outer option is empty after a mistake.
    pub(super) fn direction_key(
        &mut self,
        name: &Text,
        key: &str,
        table: &Option<Triple>,
    ) -> Option<Option<Vec3>> {
        match table {
            Some(triple) => self.direction(triple, &format!("the {key} of `{}`", name.value)).map(Some),
            None => Some(None),
        }
    }

    pub(super) fn missing_of<const N: usize>(&mut self, table: &dyn JointHead, keys: [(&str, bool); N]) {
        for (key, missing) in keys {
            let what = match key {
                "at" => "a world point",
                _ => "a world direction",
            };
            if missing {
                self.missing(table, key, what);
            }
        }
    }

    pub(super) fn parallel(&mut self, table: &dyn JointHead, given: &Option<Triple>, what: &str, why: &str) {
        let place = given.as_ref().map_or(table.span(), |triple| &triple.span);
        let name = &table.name().value;
        self.diagnostics.push(
            Diagnostic::error(format!("{what} of `{name}` is parallel to the normal: {why}"))
                .at(place.clone(), "along the normal"),
        );
    }

    /// The start closes small gaps; a large one is rarely meant.
    pub(super) fn warn_gap(&mut self, name: &Text, gap: f64, radius: f64) {
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
pub(super) fn height(plane: &Pose, body: &Pose) -> f64 {
    plane.rotation.column(2).dot(&(body.r - plane.r))
}
