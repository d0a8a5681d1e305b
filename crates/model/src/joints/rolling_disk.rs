//! Disk that rolls on a plane.

use super::declaration::joint;
use super::plane::{PARALLEL, Rolled, Rolling, height};
use super::{Axial, JointEnds, JointEntry, JointLaw, JointSpec, JointSymbol, JointType, Wheel};
use crate::file::Triple;
use crate::resolve::Resolver;
use crate::value::Number;
use poinsot_mechanics::{Constraint, joints};

/// What there is to know of the type.
pub const ROLLING_DISK: JointType = JointType {
    word: "rolling_disk",
    free: "a thin disk rolls on a plane without slipping",
    axial: Some(Axial::Axis),
    symbol: JointSymbol::Ring,
    notes: "A disk that does not touch the plane at the start is moved there; a warning tells if it is \
            farther away than half the radius.",
    example: r#"[[joint]]
name = "wheel_on_road"
type = "rolling_disk"
between = ["ground", "wheel"]
radius = 0.3
at = [0, 0, 0]
normal = [0, 0, 1]
axle = [0, 1, 0]"#,
    ..JointType::PLAIN
};

joint! {
    /// A thin disk (second end) rolls without slipping on a plane (first end).
    RollingDiskTable "rolling_disk joint" is ROLLING_DISK {
        /// Radius of the disk, m.
        radius: Number,
        /// A world point of the plane at the start; not needed if the first end is a marker.
        at: Option<Triple>,
        /// World normal of the plane at the start, to the side of the disk; the z axis of a marker if
        /// missing.
        normal: Option<Triple>,
        /// World direction of the disk's axle at the start; the z axis of a marker if missing.
        axle: Option<Triple>,
        /// World centre of the disk at the start; default: the second end's origin or marker.
        centre: Option<Triple>,
    }
}

impl JointEntry for RollingDiskTable {
    /// First frame: a point of the plane, z along its normal. Second frame: the centre, z along the axle.
    fn resolve(&self, resolver: &mut Resolver) -> Option<JointSpec> {
        let Self { name, radius, at, normal, centre, .. } = self;
        let axle = resolver.direction_key(name, "axle", &self.axle);
        let Rolled { ends, radius, plane, centre } =
            resolver.rolled(self, Rolling { radius, at, normal, centre })?;
        let keys = [("centre", self.centre.as_ref()), ("axle", self.axle.as_ref())];
        let wheel = resolver.turned_frame(self, ends[1], keys, centre, axle?);
        let (plane, wheel) = (plane?, wheel?);
        // Its lowest point is r·sin(angle between normal and axle) below the centre.
        let sine = plane.rotation.column(2).cross(&wheel.rotation.column(2)).norm();
        if sine < PARALLEL {
            resolver.parallel(self, &self.axle, "the axle", "the disk lies flat on the plane");
            return None;
        }
        resolver.warn_gap(name, height(&plane, &wheel) - radius * sine, radius);
        let ends = [ends[0].with_frame(plane), ends[1].with_frame(wheel)];
        Some(JointSpec::new(self, RollingDisk { radius }, ends))
    }
}

/// A disk about the second origin, axle along the second z axis, rolls on the xy plane of the first frame
/// without slipping.
#[derive(Clone, Copy, Debug)]
pub struct RollingDisk {
    /// Radius of the disk.
    pub radius: f64,
}

impl JointLaw for RollingDisk {
    fn declaration(&self) -> &'static JointType {
        &ROLLING_DISK
    }

    fn constraint(&self, ends: &JointEnds) -> Box<dyn Constraint> {
        Box::new(joints::rolling_disk(&ends.first, &ends.second, self.radius))
    }

    fn wheel(&self) -> Option<Wheel> {
        Some(Wheel::Disk(self.radius))
    }
}
