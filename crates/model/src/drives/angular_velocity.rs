//! Drive of an angular velocity.

use super::{DriveEffort, DriveEntry, DriveLaw, DriveSpec, DriveType};
use crate::build::Site;
use crate::declared::declared;
use crate::file::{FileTable, Frame, Triple};
use crate::forces::{LOAD_ARGUMENTS, own_frame};
use crate::resolve::Resolver;
use crate::resolve::kink::Roughness;
use crate::spec::EndSpec;
use crate::value::{Located, Number, Text};
use poinsot_expr::SmoothFunction;
use poinsot_mechanics::{Constraint, drives};

/// What there is to know of the type.
pub const ANGULAR_VELOCITY_DRIVE: DriveType = DriveType {
    word: "angular_velocity",
    what: "the angular velocity of a body",
    effort: DriveEffort::Torque,
    example: r#"[[drive]]
name = "spin"
type = "angular_velocity"
on = "rotor"
angular_velocity = [0, 0, "50*smootherstep(t/2)"]
frame = "body""#,
};

declared! {
    /// Imposes the angular velocity of a body.
    AngularVelocityDriveTable "angular_velocity drive" is ANGULAR_VELOCITY_DRIVE: DriveType {
        /// The body or marker.
        on: Text,
        /// Components over time, rad/s; each may use `t`, positions of the running system and variables of
        /// equations, which feel nothing.
        angular_velocity: Triple,
        /// Axes of the components.
        frame: Located<Frame> = "world",
    }
}

impl DriveEntry for AngularVelocityDriveTable {
    fn resolve(&self, resolver: &mut Resolver, file: &FileTable) -> Option<DriveSpec> {
        // What reads the running system is resolved with the other laws that do.
        let of_state = self
            .angular_velocity()
            .is_some_and(|laws| laws.iter().any(|law| resolver.reads_state(law, LOAD_ARGUMENTS, file)));
        let components = self.angular_velocity.value.each_ref().map(|number| match of_state {
            true => Some(SmoothFunction::constant(0.0)),
            false => resolver.drive_law(number, Roughness::Jump),
        });
        let on = resolver.driven(&self.on)?;
        if resolver.is_point(on.body) {
            resolver.no_orientation(&self.on, "an angular velocity");
            return None;
        }
        let [x, y, z] = components;
        let (components, frame) = ([x?, y?, z?], self.frame.value);
        Some(DriveSpec::new(self, AngularVelocityDrive { on: own_frame(on), components, frame }))
    }

    fn angular_velocity(&self) -> Option<[&Number; 3]> {
        Some(self.angular_velocity.value.each_ref())
    }
}

/// The angular velocity of a body over time.
#[derive(Clone, Debug)]
pub struct AngularVelocityDrive {
    /// The body.
    pub on: EndSpec,
    /// Components over time.
    pub components: [SmoothFunction; 3],
    /// Axes of the components: the world's, or those of the end.
    pub frame: Frame,
}

impl DriveLaw for AngularVelocityDrive {
    fn declaration(&self) -> &'static DriveType {
        &ANGULAR_VELOCITY_DRIVE
    }

    fn constraint(&self, site: &Site) -> Box<dyn Constraint> {
        let own = self.frame == Frame::Body;
        Box::new(drives::angular_velocity(&site.attach(&self.on), own, self.components.clone()))
    }

    fn laws(&self) -> Vec<&SmoothFunction> {
        self.components.iter().collect()
    }
}
