//! Pair of gears.

use super::{CouplingEntry, CouplingSpec, CouplingType};
use crate::declared::declared;
use crate::diagnostic::Diagnostic;
use crate::file::FileTable;
use crate::resolve::Resolver;
use crate::value::{Located, Number, Text};

/// What there is to know of the type.
pub const GEAR: CouplingType = CouplingType {
    word: "gear",
    relation: "za θa + zb θb = constant; internal: za θa − zb θb",
    load_unit: Some("N·m"),
    example: r#"[[coupling]]
name = "gears"
type = "gear"
joints = ["pinion_axle", "wheel_axle"]
teeth = [17, 51]"#,
};

declared! {
    /// A pair of gears: za·angle_a + zb·angle_b = constant (internal: minus).
    GearTable "gear coupling" is GEAR: CouplingType {
        /// The two joints of the gears, each with an `angle`.
        joints: Located<[Text; 2]>,
        /// Numbers of teeth [za, zb].
        teeth: Option<Located<[Number; 2]>>,
        /// Speed of the first gear divided by that of the second, positive; instead of the teeth.
        ratio: Option<Number>,
        /// True if one gear runs inside the other: both turn the same way.
        internal: bool = false,
    }
}

impl CouplingEntry for GearTable {
    /// za θa + zb θb = const, internal za θa − zb θb = const; the ratio ωa/ωb is zb/za.
    fn resolve(&self, resolver: &mut Resolver, _file: &FileTable) -> Option<CouplingSpec> {
        let name = &self.name.value;
        let joints = resolver.coupled(&self.joints, ["angle", "angle"]);
        let factors = match (&self.teeth, &self.ratio) {
            (Some(teeth), None) => resolver.positive_pair(teeth, &format!("a number of teeth of `{name}`")),
            (None, Some(ratio)) => {
                resolver.positive(ratio, &format!("the ratio of `{name}`")).map(|ratio| [1.0, ratio])
            }
            (Some(teeth), Some(ratio)) => {
                resolver.diagnostics.push(
                    Diagnostic::error(format!("`{name}` has both `teeth` and `ratio`"))
                        .at(ratio.span(), "the ratio")
                        .and(teeth.span.clone(), "the teeth")
                        .help("remove one of the two"),
                );
                None
            }
            (None, None) => {
                resolver.diagnostics.push(
                    Diagnostic::error("missing key `teeth` in gear coupling")
                        .at(self.span.clone(), "this gear coupling needs `teeth`")
                        .help("give `teeth` or `ratio`"),
                );
                None
            }
        };
        let [a, b] = factors?;
        Some(CouplingSpec::of_two(self, joints?, [a, if self.internal { -b } else { b }]))
    }
}
