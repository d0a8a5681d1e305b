//! The tables of couplings.

use crate::read::{record, tagged};
use crate::value::{List, Located, Number, Text};

tagged! {
    /// A linear relation between the coordinates of joints.
    pub enum CouplingTable "coupling" {
        "gear" => Gear(GearTable),
        "rack_and_pinion" => RackAndPinion(RackAndPinionTable),
        "belt" => Belt(BeltTable),
        "linear" => Linear(LinearTable),
    }
}

impl CouplingTable {
    /// Its name.
    pub fn name(&self) -> &Text {
        match self {
            CouplingTable::Gear(table) => &table.name,
            CouplingTable::RackAndPinion(table) => &table.name,
            CouplingTable::Belt(table) => &table.name,
            CouplingTable::Linear(table) => &table.name,
        }
    }
}

record! {
    /// A pair of gears: za·angle_a + zb·angle_b = constant (internal: minus).
    pub struct GearTable "gear coupling" {
        /// Name, unique among all things of the model.
        name: Text,
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

record! {
    /// A pinion on a rack: displacement − radius·angle = constant.
    pub struct RackAndPinionTable "rack_and_pinion coupling" {
        /// Name, unique among all things of the model.
        name: Text,
        /// The joint of the pinion, with an `angle`, and that of the rack, with a `displacement`.
        joints: Located<[Text; 2]>,
        /// Pitch radius of the pinion, m; a negative one reverses the direction.
        radius: Number,
    }
}

record! {
    /// A belt over two pulleys: ra·angle_a − rb·angle_b = constant (crossed: plus).
    pub struct BeltTable "belt coupling" {
        /// Name, unique among all things of the model.
        name: Text,
        /// The two joints of the pulleys, each with an `angle`.
        joints: Located<[Text; 2]>,
        /// Radii of the pulleys [ra, rb], m.
        radii: Located<[Number; 2]>,
        /// True if the belt is crossed: the pulleys turn against each other.
        crossed: bool = false,
    }
}

record! {
    /// Any linear relation: Σ factor·coordinate = offset.
    pub struct LinearTable "linear coupling" {
        /// Name, unique among all things of the model.
        name: Text,
        /// Two to four terms.
        terms: Located<List<TermTable>>,
        /// The constant sum; default: that at the start.
        offset: Option<Number>,
    }
}

record! {
    /// A term of a linear coupling.
    pub struct TermTable "term" {
        /// A joint's coordinate, e.g. "hinge.angle".
        coordinate: Text,
        /// The factor, not zero.
        factor: Number,
    }
}
