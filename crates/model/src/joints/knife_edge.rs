//! Knife edge (skate).

use super::declaration::joint;
use super::plane::PARALLEL;
use super::{JointEnds, JointEntry, JointLaw, JointSpec, JointType};
use crate::file::Triple;
use crate::resolve::Resolver;
use poinsot_geometry::{Mat3, Pose, Vec3};
use poinsot_mechanics::{Constraint, joints};

/// What there is to know of the type.
pub const KNIFE_EDGE: JointType = JointType {
    word: "knife_edge",
    free: "a blade does not move sideways over a plane",
    notes: "Forbidden is the velocity across blade and normal, not across the plane: it is mostly used with \
            a planar joint or in a planar model.",
    example: r#"[[joint]]
name = "skate"
type = "knife_edge"
between = ["ground", "sled"]
at = [0.2, 0, 0]
axis = [1, 0, 0]
normal = [0, 0, 1]"#,
    ..JointType::PLAIN
};

joint! {
    /// A blade on the second body does not move sideways over a plane of the first (skate).
    KnifeEdgeTable "knife_edge joint" is KNIFE_EDGE {
        /// World point of the blade at the start; not needed if the second end is a marker.
        at: Option<Triple>,
        /// World direction of the blade at the start; the x axis of a marker if missing.
        axis: Option<Triple>,
        /// World normal of the plane at the start; the z axis of the first end's marker if missing.
        normal: Option<Triple>,
    }
}

impl JointEntry for KnifeEdgeTable {
    /// First frame: z along the normal. Second frame: the blade's point, x along the blade, z near the
    /// normal.
    fn resolve(&self, resolver: &mut Resolver) -> Option<JointSpec> {
        let name = &self.name;
        let ends = resolver.ends(&self.between);
        let at = resolver.point_key(&self.at);
        let axis = resolver.direction_key(name, "axis", &self.axis);
        let normal = resolver.direction_key(name, "normal", &self.normal);
        let ends = ends?;
        resolver.refuse_points(&ends, self)?;
        let (at, axis, normal) = (at?, axis?, normal?);
        let (point, blade) = match (ends[1].marker, at, axis) {
            (Some((_, pose)), ..) => {
                resolver.not_used(name, &[("at", self.at.as_ref()), ("axis", self.axis.as_ref())]);
                (pose.r, pose.rotation.column(0).into())
            }
            (None, Some(at), Some(axis)) => (at, axis),
            (None, at, axis) => {
                resolver.missing_of(self, [("at", at.is_none()), ("axis", axis.is_none())]);
                return None;
            }
        };
        let keys = [("at", None), ("normal", self.normal.as_ref())];
        let plane = resolver.plane_frame(self, ends[0], keys, Some(point), normal)?;
        let up: Vec3 = plane.rotation.column(2).into();
        let Some(z) = (up - blade * blade.dot(&up)).try_normalize(PARALLEL) else {
            resolver.parallel(self, &self.axis, "the blade", "it has no direction in the plane");
            return None;
        };
        let blade = Pose::new(point, Mat3::from_columns(&[blade, z.cross(&blade), z]));
        let ends = [ends[0].with_frame(plane), ends[1].with_frame(blade)];
        Some(JointSpec::new(self, KnifeEdge, ends))
    }
}

/// The second origin has no velocity relative to the first body across the second x axis (the blade) and the
/// first z axis (the normal).
#[derive(Clone, Copy, Debug)]
pub struct KnifeEdge;

impl JointLaw for KnifeEdge {
    fn declaration(&self) -> &'static JointType {
        &KNIFE_EDGE
    }

    fn constraint(&self, ends: &JointEnds) -> Box<dyn Constraint> {
        Box::new(joints::knife_edge(&ends.first, &ends.second))
    }
}
