//! Torque on a body.

use super::declaration::{LOAD_NAMES, LawKeys, own_frame};
use super::{ForceEntry, ForceInput, ForceLaw, ForceSpec, ForceType, Load};
use crate::build::Site;
use crate::declared::declared;
use crate::file::{FileTable, Frame, Triple};
use crate::resolve::Resolver;
use crate::spec::{BodyRef, EndSpec};
use crate::value::{Located, Text};
use poinsot_expr::Function;
use poinsot_mechanics::ancf::SlopeMoment;
use poinsot_mechanics::{Force, forces};

/// What there is to know of the type.
pub const TORQUE: ForceType = ForceType {
    word: "torque",
    noun: "torque",
    what: "torque on a body",
    along: None,
    input: ForceInput::Components,
    is_link: false,
    holds_rods: false,
    notes: "",
    example: r#"[[force]]
name = "propeller"
type = "torque"
on = "hull"
torque = ["3 - 0.2*hull.angular_velocity_body.x", 0, 0]
frame = "body""#,
};

declared! {
    /// A torque on a body. Components may use the time `t` and quantities of the running system.
    TorqueTable "torque" is TORQUE: ForceType {
        /// The body or marker it acts on, or a place along a cable as "cable.at(0.37)".
        on: Text,
        /// Components, N·m; expressions may use `t` and quantities of the running system.
        torque: Triple,
        /// Axes of the components.
        frame: Located<Frame> = "world",
    }
}

impl ForceEntry for TorqueTable {
    fn resolve(&self, resolver: &mut Resolver, file: &FileTable) -> Option<ForceSpec> {
        let torque = resolver.load_components(&self.torque, file);
        // A moment in world axes acts on the slope of a line, which needs no frame at the node for it.
        let of_time = !self.torque.value.iter().any(|number| resolver.reads_state(number, &["t"], file));
        let is_moment = of_time && self.frame.value == Frame::World;
        let line = resolver.idle_line_node(&self.on.value);
        let line = line.filter(|node| is_moment && resolver.is_line_node(BodyRef::Body(*node)));
        let end = resolver.loaded_place(&self.on, file)?;
        if let Some(node) = line {
            resolver.leave_idle(node);
        }
        if end.line.is_some() {
            if !is_moment || !resolver.is_line_node(end.body) {
                resolver.no_torque_on_line(&self.on);
                return None;
            }
        } else if resolver.is_point(end.body) && !(is_moment && resolver.is_line_node(end.body)) {
            resolver.no_orientation(&self.on, "a torque");
            return None;
        }
        Some(ForceSpec::new(self, Torque { on: own_frame(end), torque: torque?, frame: self.frame.value }))
    }

    fn law_keys(&self) -> Option<LawKeys<'_>> {
        Some(LawKeys { efforts: self.torque.value.iter().collect(), own: LOAD_NAMES, always: false })
    }
}

/// A torque on a body.
#[derive(Clone, Debug)]
pub struct Torque {
    /// The body; the axes of the frame are those of a follower torque's components.
    pub on: EndSpec,
    /// Components as functions of `t`.
    pub torque: [Function; 3],
    /// Axes of the components.
    pub frame: Frame,
}

impl ForceLaw for Torque {
    fn declaration(&self) -> &'static ForceType {
        &TORQUE
    }

    fn force(&self, site: &Site) -> Box<dyn Force> {
        let (at, torque) = (site.attach(&self.on), self.torque.clone());
        if let Some(slope) = site.slope(&self.on) {
            return Box::new(SlopeMoment::new(slope, torque));
        }
        Box::new(match self.frame {
            Frame::World => forces::Torque::dead(at.node, torque),
            Frame::Body => forces::Torque::follower(at.node, &at.axes, torque),
        })
    }

    fn laws(&self) -> &[Function] {
        &self.torque
    }

    fn load(&self) -> Option<Load<'_>> {
        Some(Load { on: &self.on, components: &self.torque, frame: self.frame, is_torque: true })
    }
}
