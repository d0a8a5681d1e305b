//! Screw joint (helical joint).

use super::common_frame::CommonFrame;
use super::declaration::{ANGLE, DISPLACEMENT, joint};
use super::{
    Axial, JointEnds, JointEntry, JointLaw, JointSpec, JointStop, JointSymbol, JointType, LimitsTable,
};
use crate::file::Triple;
use crate::resolve::Resolver;
use crate::value::Number;
use poinsot_mechanics::{Constraint, joints};

/// What there is to know of the type.
pub const SCREW: JointType = JointType {
    word: "screw",
    free: "rotation about the axis with a translation in proportion",
    coordinates: &[ANGLE, DISPLACEMENT],
    axial: Some(Axial::Axis),
    stops: &[JointStop { coordinate: 1, force: "limit_force" }],
    symbol: JointSymbol::Thread,
    example: r#"[[joint]]
name = "spindle"
type = "screw"
between = ["frame", "nut"]
at = [0, 0, 0.2]
axis = [0, 0, 1]
lead = 0.005"#,
    ..JointType::PLAIN
};

joint! {
    /// Rotation about one axis with a translation along it in proportion (helical joint).
    ScrewTable "screw joint" is SCREW {
        /// World point of the joint at the start; not needed if an end is a marker.
        at: Option<Triple>,
        /// World direction of the axis at the start; the z axis of a marker end if missing.
        axis: Option<Triple>,
        /// Translation for one turn, m; negative for a left-handed thread.
        lead: Number,
        /// Stops of the displacement, m.
        limits: Option<LimitsTable>,
    }
}

impl JointEntry for ScrewTable {
    fn resolve(&self, resolver: &mut Resolver) -> Option<JointSpec> {
        let lead = resolver.not_zero(&self.lead, &format!("the lead of `{}`", self.name.value));
        let keys = CommonFrame { at: self.at.as_ref(), axis: Some(self.axis.as_ref()), at_second: false };
        let ends = resolver.common_frame(self, keys);
        let limits = resolver.limits(self);
        JointSpec::new(self, Screw { lead: lead? }, ends?).equipped(limits?, None)
    }

    fn limit_tables(&self) -> Vec<Option<&LimitsTable>> {
        vec![self.limits.as_ref()]
    }
}

/// Rotation about the common z axis, translation along it in proportion.
#[derive(Clone, Copy, Debug)]
pub struct Screw {
    /// Translation for one turn, not zero; negative for a left-handed thread.
    pub lead: f64,
}

impl JointLaw for Screw {
    fn declaration(&self) -> &'static JointType {
        &SCREW
    }

    fn constraint(&self, ends: &JointEnds) -> Box<dyn Constraint> {
        Box::new(joints::screw(&ends.first, &ends.second, self.lead))
    }
}
