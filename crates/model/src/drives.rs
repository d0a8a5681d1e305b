//! The motions that a model file can impose, one file each: keys, checks, law, quantities.
//!
//! A file declares a [`DriveType`], the table of its keys (`declared!`), how the table becomes a
//! [`DriveSpec`] ([`DriveEntry`]), and the law ([`DriveLaw`]), whose equations are in
//! `poinsot_mechanics::drives`. The list below makes it known.

mod angular_velocity;
mod declaration;
mod joint;
mod point;

use crate::read::tagged;

pub use angular_velocity::*;
pub use declaration::*;
pub use joint::*;
pub use point::*;

tagged! {
    /// A motion imposed as a function of time.
    pub(crate) enum DriveTable "drive": DriveEntry of DriveType {
        JOINT_DRIVE.word => Joint(JointDriveTable),
        POINT_DRIVE.word => Point(PointDriveTable),
        ANGULAR_VELOCITY_DRIVE.word => AngularVelocity(AngularVelocityDriveTable),
    }
}
