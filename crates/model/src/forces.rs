//! The loads and compliant elements that a model file knows, one file each: keys, checks, law, quantities.
//!
//! A file declares a [`ForceType`], the table of its keys (`declared!`), how the table becomes a
//! [`ForceSpec`] ([`ForceEntry`]), and the law ([`ForceLaw`]), whose physics is in
//! `poinsot_mechanics::forces`. The list below makes it known.

mod bushing;
mod declaration;
mod gyrostat;
mod point_force;
mod spring;
mod thrust;
mod torque;
mod torsion;

use crate::read::tagged;

pub use bushing::*;
pub use declaration::*;
pub use gyrostat::*;
pub use point_force::*;
pub use spring::*;
pub use thrust::*;
pub use torque::*;
pub use torsion::*;

tagged! {
    /// A load or a compliant element.
    pub(crate) enum ForceTable "force": ForceEntry of ForceType {
        POINT_FORCE.word => Force(LoadTable),
        TORQUE.word => Torque(TorqueTable),
        SPRING.word => Spring(SpringTable),
        TORSION.word => Torsion(TorsionTable),
        THRUST.word => Thrust(ThrustTable),
        BUSHING.word => Bushing(BushingTable),
        GYROSTAT.word => Gyrostat(GyrostatTable),
    }
}
