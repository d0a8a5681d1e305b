//! Joints with an axis on each body.

use super::JointHead;
use crate::file::Triple;
use crate::resolve::Resolver;
use crate::resolve::end::End;
use poinsot_geometry::Vec3;

/// The keys that place the axes.
pub(super) struct Shafts<'a> {
    pub at: Option<&'a Triple>,
    pub axes: [(&'static str, Option<&'a Triple>); 2],
}

/// Their values: ends, world point, and the world axis of each end where it is known.
pub(super) struct Placed {
    pub ends: [End; 2],
    pub point: Vec3,
    pub axes: [Option<Vec3>; 2],
}

impl Resolver<'_> {
    /// The ends, the point, and the axes: a marker's z axis, else the given one.
    pub(super) fn place_shafts(&mut self, table: &dyn JointHead, shafts: &Shafts) -> Option<Placed> {
        let name = table.name();
        let ends = self.ends(table.between());
        let at = shafts.at.map(|at| self.vector(at));
        let given = shafts.axes.map(|(key, triple)| {
            let subject = format!("the {} of `{}`", key.replace('_', " "), name.value);
            triple.map(|triple| self.direction(triple, &subject))
        });
        let ends = ends?;
        self.refuse_points(&ends, table)?;
        self.warn_unused(&ends, name, &[("at", shafts.at)]);
        let marker = ends.iter().find_map(|end| end.marker.map(|(_, pose)| pose));
        if at.is_none() && marker.is_none() {
            self.missing_at(table);
        }
        let mut axes = [None; 2];
        for (i, (key, triple)) in shafts.axes.into_iter().enumerate() {
            axes[i] = match (ends[i].marker, given[i]) {
                (Some((_, pose)), _) => {
                    self.not_used(name, &[(key, triple)]);
                    Some(pose.rotation.column(2).into())
                }
                (None, Some(axis)) => Some(axis?),
                (None, None) => None,
            };
        }
        let point = at.unwrap_or(marker.map(|pose| pose.r))?;
        Some(Placed { ends, point, axes })
    }
}
