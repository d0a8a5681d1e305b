//! Drive of a joint's coordinate.

use super::{DriveEffort, DriveEntry, DriveLaw, DriveSpec, DriveType};
use crate::build::Site;
use crate::declared::declared;
use crate::diagnostic::Diagnostic;
use crate::file::FileTable;
use crate::forces::LOAD_ARGUMENTS;
use crate::resolve::Resolver;
use crate::resolve::kink::Roughness;
use crate::value::{Number, Text};
use poinsot_expr::SmoothFunction;
use poinsot_mechanics::{Constraint, drives};

/// What there is to know of the type.
pub const JOINT_DRIVE: DriveType = DriveType {
    word: "joint",
    what: "a coordinate of a joint, or its rate",
    effort: DriveEffort::Along,
    example: r#"[[drive]]
name = "motor"
type = "joint"
joint = "hinge"
position = "2*pi*t""#,
};

declared! {
    /// Imposes a joint's coordinate (`position`) or its rate (`rate`).
    JointDriveTable "joint drive" is JOINT_DRIVE: DriveType {
        /// The joint.
        joint: Text,
        /// The coordinate; not needed if the joint has only one.
        coordinate: Option<Text>,
        /// The coordinate over time, rad or m; may use `t`, and positions of the running system: an ideal
        /// relation, whose force acts on what is read as well.
        position: Option<Number>,
        /// The rate of the coordinate over time, rad/s or m/s; may use `t`, positions and velocities of the
        /// running system, linearly in the velocities, and variables of equations, which feel nothing.
        rate: Option<Number>,
    }
}

impl DriveEntry for JointDriveTable {
    fn resolve(&self, resolver: &mut Resolver, file: &FileTable) -> Option<DriveSpec> {
        let law = self.checked_law(resolver, file);
        let joint = resolver.joint_named(&self.joint)?;
        let coordinate = match &self.coordinate {
            Some(name) => resolver.coordinate_of(joint, &name.value, name.span.clone()),
            None => resolver.only_coordinate(joint, &self.joint),
        };
        let (law, level) = law?;
        let of_state = self.law().is_some_and(|law| resolver.reads_state(law, LOAD_ARGUMENTS, file));
        Some(DriveSpec::new(self, JointDrive { joint, coordinate: coordinate?, law, level, of_state }))
    }

    fn law(&self) -> Option<&Number> {
        self.position.as_ref().or(self.rate.as_ref())
    }
}

impl JointDriveTable {
    /// The one law that is given, and what it imposes.
    fn checked_law(&self, resolver: &mut Resolver, file: &FileTable) -> Option<(SmoothFunction, DriveLevel)> {
        let of_state = |law: &Number| resolver.reads_state(law, LOAD_ARGUMENTS, file);
        match (&self.position, &self.rate) {
            // Written out when everything is known that it may read.
            (Some(law), None) if of_state(law) => Some((SmoothFunction::constant(0.0), DriveLevel::Position)),
            (None, Some(law)) if of_state(law) => Some((SmoothFunction::constant(0.0), DriveLevel::Rate)),
            (Some(position), None) => {
                Some((resolver.drive_law(position, Roughness::Kink)?, DriveLevel::Position))
            }
            (None, Some(rate)) => Some((resolver.drive_law(rate, Roughness::Jump)?, DriveLevel::Rate)),
            (Some(position), Some(rate)) => {
                resolver.diagnostics.push(
                    Diagnostic::error(format!("`{}` has both `position` and `rate`", self.name.value))
                        .at(rate.span(), "the rate")
                        .and(position.span(), "the position")
                        .help("remove one of the two"),
                );
                None
            }
            (None, None) => {
                resolver.diagnostics.push(
                    Diagnostic::error("missing key `position` in joint drive")
                        .at(self.span.clone(), "this joint drive needs `position`")
                        .help("give `position` or `rate`, an expression of `t`"),
                );
                None
            }
        }
    }
}

/// A joint coordinate or its rate over time.
#[derive(Clone, Debug)]
pub struct JointDrive {
    /// Index into [`Model::joints`](crate::Model::joints).
    pub joint: usize,
    /// Index into the joint's [`coordinates`](crate::spec::JointType::coordinates).
    pub coordinate: usize,
    /// Coordinate or rate over time.
    pub law: SmoothFunction,
    /// Which of the two.
    pub level: DriveLevel,
    /// Whether the law reads the running system instead.
    pub of_state: bool,
}

/// What of a coordinate is imposed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriveLevel {
    /// The coordinate.
    Position,
    /// Its rate.
    Rate,
}

impl DriveLaw for JointDrive {
    fn declaration(&self) -> &'static DriveType {
        &JOINT_DRIVE
    }

    fn constraint(&self, site: &Site) -> Box<dyn Constraint> {
        let at = site.attach(&site.model.joints[self.joint].second).point();
        let s = site.coordinate(self.joint, self.coordinate).clone();
        Box::new(match self.level {
            DriveLevel::Position => drives::coordinate(s, self.law.clone(), at),
            DriveLevel::Rate => drives::coordinate_rate(s, self.law.clone(), at),
        })
    }

    fn laws(&self) -> Vec<&SmoothFunction> {
        vec![&self.law]
    }

    fn coordinate(&self) -> Option<(usize, usize)> {
        Some((self.joint, self.coordinate))
    }

    fn position(&self, t: f64) -> Option<f64> {
        (self.level == DriveLevel::Position && !self.of_state).then(|| self.law.value(&[t]))
    }

    fn rate(&self, t: f64) -> Option<f64> {
        (!self.of_state).then(|| match self.level {
            DriveLevel::Position => self.law.partial(0, &[t]),
            DriveLevel::Rate => self.law.value(&[t]),
        })
    }

    fn imposes_rate(&self) -> bool {
        self.level == DriveLevel::Rate
    }
}
