//! Pinion on a rack.

use super::{CouplingEntry, CouplingSpec, CouplingType};
use crate::declared::declared;
use crate::file::FileTable;
use crate::resolve::Resolver;
use crate::value::{Located, Number, Text};

/// What there is to know of the type.
pub const RACK_AND_PINION: CouplingType = CouplingType {
    word: "rack_and_pinion",
    relation: "displacement − radius · angle = constant",
    load_unit: Some("N"),
    example: r#"[[coupling]]
name = "steering"
type = "rack_and_pinion"
joints = ["pinion_axle", "rack_slide"]
radius = 0.015"#,
};

declared! {
    /// A pinion on a rack: displacement − radius·angle = constant.
    RackAndPinionTable "rack_and_pinion coupling" is RACK_AND_PINION: CouplingType {
        /// The joint of the pinion, with an `angle`, and that of the rack, with a `displacement`.
        joints: Located<[Text; 2]>,
        /// Pitch radius of the pinion, m; a negative one reverses the direction.
        radius: Number,
    }
}

impl CouplingEntry for RackAndPinionTable {
    /// displacement − radius θ = const
    fn resolve(&self, resolver: &mut Resolver, _file: &FileTable) -> Option<CouplingSpec> {
        let joints = resolver.coupled(&self.joints, ["angle", "displacement"]);
        let radius = resolver.not_zero(&self.radius, &format!("the radius of `{}`", self.name.value));
        Some(CouplingSpec::of_two(self, joints?, [-radius?, 1.0]))
    }
}
