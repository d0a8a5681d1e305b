//! Spin momentum that a body carries.

use super::declaration::own_frame;
use super::{ForceEntry, ForceInput, ForceLaw, ForceSpec, ForceType};
use crate::build::Site;
use crate::declared::declared;
use crate::diagnostic::Diagnostic;
use crate::file::{FileTable, Triple};
use crate::resolve::Resolver;
use crate::spec::BodyRef;
use crate::value::{Number, Text};
use poinsot_geometry::Vec3;
use poinsot_mechanics::{Force, forces};

/// What there is to know of the type.
pub const GYROSTAT: ForceType = ForceType {
    word: "gyrostat",
    noun: "gyrostat",
    what: "spin momentum that a body carries",
    along: None,
    input: ForceInput::None("a gyrostat has no torque of its own to add to"),
    is_link: false,
    holds_rods: false,
    notes: "The torque −ω × h does no work. A rotor inside a body, or a wheel whose turning the model leaves \
            out: the mass properties of the body include those of the rotor, its spin is the gyrostat. A \
            symmetric rotor on bearings of any stiffness then has constant matrices seen from the ground. \
            `angular_momentum` of the system includes h.",
    example: r#"[[force]]
name = "flywheel"
type = "gyrostat"
on = "car"
axis = [0, 1, 0]
momentum = "0.8*300""#,
};

declared! {
    /// Spin momentum that a body carries: a rotor inside it, or a wheel whose turning the model leaves out.
    /// Its torque is −ω × h with the angular velocity ω of the body.
    GyrostatTable "gyrostat" is GYROSTAT: ForceType {
        /// The body or marker that carries it.
        on: Text,
        /// Direction of the momentum in the axes of the body or marker.
        axis: Triple,
        /// Angular momentum of the spin, N·m·s: moment of inertia about the axis times the angular velocity.
        momentum: Number,
    }
}

impl ForceEntry for GyrostatTable {
    fn resolve(&self, resolver: &mut Resolver, _file: &FileTable) -> Option<ForceSpec> {
        let axis = resolver.direction(&self.axis, &format!("the axis of `{}`", self.name.value));
        let momentum = resolver.number(&self.momentum);
        let end = resolver.loaded(&self.on)?;
        if resolver.is_point(end.body) {
            resolver.no_orientation(&self.on, "a gyrostat");
            return None;
        }
        if resolver.plane.is_some() && !resolver.is_turning {
            // −ω × h lies in the plane that ω is normal to.
            let message = format!("the gyrostat `{}` has no effect in a planar model", self.name.value);
            resolver.diagnostics.push(
                Diagnostic::warning(message)
                    .at(self.name.span.clone(), "its torque turns bodies out of the plane"),
            );
        }
        let on = own_frame(end);
        let (axis, momentum) = (on.frame.rotation * axis?, momentum?);
        Some(ForceSpec::new(self, Gyrostat { on: on.body, axis, momentum }))
    }
}

/// Spin momentum that a body carries.
#[derive(Clone, Debug)]
pub struct Gyrostat {
    /// The body.
    pub on: BodyRef,
    /// Unit vector along the momentum, body axes.
    pub axis: Vec3,
    /// The momentum.
    pub momentum: f64,
}

impl ForceLaw for Gyrostat {
    fn declaration(&self) -> &'static ForceType {
        &GYROSTAT
    }

    fn force(&self, site: &Site) -> Box<dyn Force> {
        let frame_rate = site.model.turning.map_or(Vec3::zeros(), |frame| frame.rate);
        Box::new(forces::Gyrostat::new(site.node(self.on), &self.axis, self.momentum, frame_rate))
    }

    fn spin(&self) -> Option<(BodyRef, Vec3, f64)> {
        Some((self.on, self.axis, self.momentum))
    }
}
