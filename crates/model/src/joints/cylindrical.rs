//! Cylindrical joint.

use super::common_frame::CommonFrame;
use super::declaration::{ANGLE, DISPLACEMENT, joint};
use super::{
    Axial, JointEnds, JointEntry, JointLaw, JointSpec, JointStop, JointSymbol, JointType, LimitsTable,
};
use crate::file::Triple;
use crate::resolve::Resolver;
use poinsot_mechanics::{Constraint, joints};

/// What there is to know of the type.
pub const CYLINDRICAL: JointType = JointType {
    word: "cylindrical",
    free: "rotation about and translation along the axis",
    coordinates: &[ANGLE, DISPLACEMENT],
    axial: Some(Axial::Axis),
    stops: &[
        JointStop { coordinate: 0, force: "angle_limit_force" },
        JointStop { coordinate: 1, force: "displacement_limit_force" },
    ],
    takes_torsion: true,
    symbol: JointSymbol::Sleeve,
    example: r#"[[joint]]
name = "piston_rod"
type = "cylindrical"
between = ["barrel", "rod"]
at = [0, 0, 0.5]
axis = [0, 0, 1]
displacement_limits = { lower = 0, upper = 0.3, stiffness = 1e6 }"#,
    ..JointType::PLAIN
};

joint! {
    /// Rotation about and translation along one axis.
    CylindricalTable "cylindrical joint" is CYLINDRICAL {
        /// World point of the joint at the start; not needed if an end is a marker.
        at: Option<Triple>,
        /// World direction of the axis at the start; the z axis of a marker end if missing.
        axis: Option<Triple>,
        /// Stops of the angle, rad.
        angle_limits: Option<LimitsTable>,
        /// Stops of the displacement, m.
        displacement_limits: Option<LimitsTable>,
    }
}

impl JointEntry for CylindricalTable {
    fn resolve(&self, resolver: &mut Resolver) -> Option<JointSpec> {
        let keys = CommonFrame { at: self.at.as_ref(), axis: Some(self.axis.as_ref()), at_second: false };
        let ends = resolver.common_frame(self, keys);
        let limits = resolver.limits(self);
        JointSpec::new(self, Cylindrical, ends?).equipped(limits?, None)
    }

    fn limit_tables(&self) -> Vec<Option<&LimitsTable>> {
        vec![self.angle_limits.as_ref(), self.displacement_limits.as_ref()]
    }
}

/// Rotation about and translation along the common z axis.
#[derive(Clone, Copy, Debug)]
pub struct Cylindrical;

impl JointLaw for Cylindrical {
    fn declaration(&self) -> &'static JointType {
        &CYLINDRICAL
    }

    fn constraint(&self, ends: &JointEnds) -> Box<dyn Constraint> {
        Box::new(joints::cylindrical(&ends.first, &ends.second))
    }
}
