//! Prismatic joint (slider).

use super::BearingLoad::{Bending, Force};
use super::common_frame::CommonFrame;
use super::declaration::{DISPLACEMENT, joint};
use super::{
    Axial, GuideFrictionTable, JointEnds, JointEntry, JointLaw, JointSpec, JointStop, JointSymbol, JointType,
    LimitsTable,
};
use crate::file::Triple;
use crate::resolve::Resolver;
use poinsot_mechanics::{Constraint, joints};

/// What there is to know of the type.
pub const PRISMATIC: JointType = JointType {
    word: "prismatic",
    free: "translation along the axis",
    coordinates: &[DISPLACEMENT],
    axial: Some(Axial::Axis),
    bearing: &[Force, Force, Bending, Bending, Bending],
    stops: &[JointStop { coordinate: 0, force: "limit_force" }],
    symbol: JointSymbol::Block,
    example: r#"[[joint]]
name = "slide"
type = "prismatic"
between = ["frame", "carriage"]
at = [0, 0, 0.2]
axis = [1, 0, 0]
friction = { dynamic = 0.1, viscous = 2 }"#,
    ..JointType::PLAIN
};

joint! {
    /// Translation along one axis, no rotation.
    PrismaticTable "prismatic joint" is PRISMATIC {
        /// World point of the joint at the start; not needed if an end is a marker.
        at: Option<Triple>,
        /// World direction of the axis at the start; the z axis of a marker end if missing.
        axis: Option<Triple>,
        /// Stops of the displacement, m.
        limits: Option<LimitsTable>,
        /// Friction in the guide.
        friction: Option<GuideFrictionTable>,
    }
}

impl JointEntry for PrismaticTable {
    fn resolve(&self, resolver: &mut Resolver) -> Option<JointSpec> {
        let keys = CommonFrame { at: self.at.as_ref(), axis: Some(self.axis.as_ref()), at_second: false };
        let ends = resolver.common_frame(self, keys);
        let limits = resolver.limits(self);
        let friction = self.friction.as_ref().map(|table| resolver.guide_friction(&self.name, table));
        JointSpec::new(self, Prismatic, ends?).equipped(limits?, friction)
    }

    fn limit_tables(&self) -> Vec<Option<&LimitsTable>> {
        vec![self.limits.as_ref()]
    }
}

/// Translation along the common z axis.
#[derive(Clone, Copy, Debug)]
pub struct Prismatic;

impl JointLaw for Prismatic {
    fn declaration(&self) -> &'static JointType {
        &PRISMATIC
    }

    fn constraint(&self, ends: &JointEnds) -> Box<dyn Constraint> {
        Box::new(joints::prismatic(&ends.first, &ends.second))
    }
}
