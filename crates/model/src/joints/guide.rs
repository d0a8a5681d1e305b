//! Joints that hold a point of the second body on a line, plane or curve of the first.

use super::JointHead;
use crate::file::Triple;
use crate::resolve::end::End;
use crate::resolve::frame::{perpendicular, triad};
use crate::resolve::{Resolver, transpose};
use crate::spec::EndSpec;
use crate::value::Text;
use poinsot_geometry::{Pose, Vec3};

/// The keys that place a line or plane.
pub(super) struct Guide<'a> {
    pub at: Option<&'a Triple>,
    pub axis: Option<&'a Triple>,
    pub point: Option<&'a Triple>,
}

impl Resolver<'_> {
    /// A line or plane through `at` (z axis along `axis`) and a point of the second body.
    pub(super) fn guide(&mut self, table: &dyn JointHead, keys: Guide) -> Option<[EndSpec; 2]> {
        let name = table.name();
        let ends = self.ends(table.between());
        let at = keys.at.map(|at| self.vector(at));
        let axis = keys.axis.map(|axis| self.direction(axis, &format!("the axis of `{}`", name.value)));
        let given = keys.point.map(|point| self.vector(point));
        let [first, second] = ends?;
        let (at, axis, given) = (transpose(at)?, transpose(axis)?, transpose(given)?);
        self.refuse_point_end(first, table)?;
        let own = self.own_point(second, keys.point, given, name)?;
        let marker = first.marker.map(|(_, pose)| pose);
        let point = own.or(at).or(marker.map(|pose| pose.r));
        let Some(point) = point else {
            self.missing_at(table);
            return None;
        };
        let frame = match (marker, axis) {
            (Some(pose), _) => {
                let at = keys.at.filter(|_| own.is_some());
                self.not_used(name, &[("at", at), ("axis", keys.axis)]);
                pose
            }
            (None, Some(z)) => Pose::new(at.unwrap_or(point), triad(z, perpendicular(z))),
            (None, None) => {
                self.missing(table, "axis", "a world direction");
                return None;
            }
        };
        Some([first.with_frame(frame), second.with_frame(Pose::new(point, frame.rotation))])
    }

    /// The point of an end that is known without the joint: its marker, the given point, its point mass.
    /// The outer option is empty after a mistake.
    pub(super) fn own_point(
        &mut self,
        end: End,
        table: Option<&Triple>,
        given: Option<Vec3>,
        name: &Text,
    ) -> Option<Option<Vec3>> {
        match (end.marker, given, table) {
            (Some((_, pose)), _, table) => {
                self.not_used(name, &[("point", table)]);
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
    pub(super) fn refuse_point_end(&mut self, end: End, table: &dyn JointHead) -> Option<()> {
        if self.is_point(end.body) {
            let what = format!("the frame of a {} joint", table.declaration().word);
            self.no_orientation(&table.between().value[0], &what);
            return None;
        }
        Some(())
    }
}
