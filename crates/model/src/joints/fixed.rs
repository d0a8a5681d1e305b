//! Fixed joint (weld).

use super::common_frame::CommonFrame;
use super::declaration::joint;
use super::{JointEnds, JointEntry, JointLaw, JointSpec, JointSymbol, JointType};
use crate::file::Triple;
use crate::resolve::Resolver;
use poinsot_mechanics::{Constraint, joints};

/// What there is to know of the type.
pub const FIXED: JointType = JointType {
    word: "fixed",
    free: "nothing",
    symbol: JointSymbol::Clamp,
    has_axis: false,
    example: r#"[[joint]]
name = "weld"
type = "fixed"
between = ["frame", "bracket"]"#,
    ..JointType::PLAIN
};

joint! {
    /// No relative motion.
    FixedTable "fixed joint" is FIXED {
        /// World point of the joint at the start; default: a marker end, else the second body's origin.
        at: Option<Triple>,
    }
}

impl JointEntry for FixedTable {
    fn resolve(&self, resolver: &mut Resolver) -> Option<JointSpec> {
        let keys = CommonFrame { at: self.at.as_ref(), axis: None, at_second: true };
        Some(JointSpec::new(self, Fixed, resolver.common_frame(self, keys)?))
    }
}

/// No relative motion.
#[derive(Clone, Copy, Debug)]
pub struct Fixed;

impl JointLaw for Fixed {
    fn declaration(&self) -> &'static JointType {
        &FIXED
    }

    fn constraint(&self, ends: &JointEnds) -> Box<dyn Constraint> {
        Box::new(joints::fixed(&ends.first, &ends.second))
    }
}
