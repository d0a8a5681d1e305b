//! The couplings that a model file knows, one file each: keys and the linear relation that they mean.
//!
//! A file declares a [`CouplingType`], the table of its keys (`declared!`), and how the table becomes a
//! [`CouplingSpec`] ([`CouplingEntry`]): terms of a linear relation, `poinsot_mechanics::couplings::linear`.
//! The list below makes it known.

mod belt;
mod declaration;
mod gear;
mod linear;
mod rack_and_pinion;

use crate::read::tagged;

pub use belt::*;
pub use declaration::*;
pub use gear::*;
pub use linear::*;
pub use rack_and_pinion::*;

tagged! {
    /// A linear relation between the coordinates of joints.
    pub(crate) enum CouplingTable "coupling": CouplingEntry of CouplingType {
        GEAR.word => Gear(GearTable),
        RACK_AND_PINION.word => RackAndPinion(RackAndPinionTable),
        BELT.word => Belt(BeltTable),
        LINEAR.word => Linear(LinearTable),
    }
}
