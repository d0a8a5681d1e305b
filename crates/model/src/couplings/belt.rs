//! Belt over two pulleys.

use super::{CouplingEntry, CouplingSpec, CouplingType};
use crate::declared::declared;
use crate::file::FileTable;
use crate::resolve::Resolver;
use crate::value::{Located, Number, Text};

/// What there is to know of the type.
pub const BELT: CouplingType = CouplingType {
    word: "belt",
    relation: "ra θa − rb θb = constant; crossed: ra θa + rb θb",
    load_unit: Some("N"),
    example: r#"[[coupling]]
name = "belt"
type = "belt"
joints = ["pinion_axle", "wheel_axle"]
radii = [0.05, 0.12]"#,
};

declared! {
    /// A belt over two pulleys: ra·angle_a − rb·angle_b = constant (crossed: plus).
    BeltTable "belt coupling" is BELT: CouplingType {
        /// The two joints of the pulleys, each with an `angle`.
        joints: Located<[Text; 2]>,
        /// Radii of the pulleys [ra, rb], m.
        radii: Located<[Number; 2]>,
        /// True if the belt is crossed: the pulleys turn against each other.
        crossed: bool = false,
    }
}

impl CouplingEntry for BeltTable {
    /// ra θa − rb θb = const, crossed ra θa + rb θb = const
    fn resolve(&self, resolver: &mut Resolver, _file: &FileTable) -> Option<CouplingSpec> {
        let joints = resolver.coupled(&self.joints, ["angle", "angle"]);
        let radii = resolver.positive_pair(&self.radii, &format!("a radius of `{}`", self.name.value));
        let [a, b] = radii?;
        Some(CouplingSpec::of_two(self, joints?, [a, if self.crossed { b } else { -b }]))
    }
}
