//! Universal joint (Cardan joint).

use super::declaration::joint;
use super::shafts::{Placed, Shafts};
use super::{Dimension, JointCoordinate, JointEnds, JointEntry, JointLaw, JointSpec, JointType};
use crate::diagnostic::Diagnostic;
use crate::file::Triple;
use crate::resolve::Resolver;
use crate::resolve::frame::triad;
use poinsot_geometry::{Pose, Vec3};
use poinsot_mechanics::Coordinate;
use poinsot_mechanics::{Constraint, joints};

/// Greatest cosine between axes that pass as perpendicular.
const PERPENDICULAR: f64 = 1e-6;

/// What there is to know of the type.
pub const UNIVERSAL: JointType = JointType {
    word: "universal",
    free: "rotations about the two axes",
    coordinates: &[
        JointCoordinate {
            name: "first_angle",
            rate: "first_angle_rate",
            dimension: Dimension::Angle,
            meaning: "about the axis of the first body",
            of: |ends| Coordinate::first_cross_angle(&ends.first, &ends.second),
        },
        JointCoordinate {
            name: "second_angle",
            rate: "second_angle_rate",
            dimension: Dimension::Angle,
            meaning: "about the axis of the second body",
            of: |ends| Coordinate::second_cross_angle(&ends.first, &ends.second),
        },
    ],
    example: r#"[[joint]]
name = "cardan"
type = "universal"
between = ["input_shaft", "output_shaft"]
at = [0, 0, 0.5]
axis = [1, 0, 0]
second_axis = [0, 1, 0]"#,
    ..JointType::PLAIN
};

joint! {
    /// Rotation about two perpendicular axes, one fixed in each body (Cardan joint).
    UniversalTable "universal joint" is UNIVERSAL {
        /// World point of the joint at the start; not needed if an end is a marker.
        at: Option<Triple>,
        /// World direction of the axis fixed in the first body; the z axis of a marker if missing.
        axis: Option<Triple>,
        /// World direction of the axis fixed in the second body; the z axis of a marker if missing.
        second_axis: Option<Triple>,
    }
}

impl JointEntry for UniversalTable {
    /// Two axes, each fixed in its own body, perpendicular at the start.
    fn resolve(&self, resolver: &mut Resolver) -> Option<JointSpec> {
        let axes = [("axis", self.axis.as_ref()), ("second_axis", self.second_axis.as_ref())];
        let shafts = Shafts { at: self.at.as_ref(), axes };
        let Placed { ends, point, axes } = resolver.place_shafts(self, &shafts)?;
        for (axis, (key, _)) in axes.iter().zip(&shafts.axes) {
            if axis.is_none() {
                resolver.missing(self, key, "a world direction");
            }
        }
        let [first, second] = axes;
        let (first, second) = (first?, second?);
        self.check_perpendicular(first, second, resolver)?;
        let first_frame = Pose::new(point, triad(first, second));
        let second_frame = Pose::new(point, triad(second, first));
        let ends = [ends[0].with_frame(first_frame), ends[1].with_frame(second_frame)];
        Some(JointSpec::new(self, Universal, ends))
    }
}

impl UniversalTable {
    fn check_perpendicular(&self, first: Vec3, second: Vec3, resolver: &mut Resolver) -> Option<()> {
        let cosine = first.dot(&second);
        if cosine.abs() <= PERPENDICULAR {
            return Some(());
        }
        let name = &self.name.value;
        let angle = cosine.clamp(-1.0, 1.0).acos().to_degrees();
        let place = |triple: &Option<Triple>| match triple {
            Some(triple) => triple.span.clone(),
            None => self.span.clone(),
        };
        resolver.diagnostics.push(
            Diagnostic::error(format!(
                "the axes of the universal joint `{name}` are not perpendicular: \
                 the angle between them is {angle:.4}°"
            ))
            .at(place(&self.second_axis), "the second axis")
            .and(place(&self.axis), "the first axis"),
        );
        None
    }
}

/// The origins coincide, the two z axes stay perpendicular. Each frame's x axis is the other frame's z axis
/// at the start.
#[derive(Clone, Copy, Debug)]
pub struct Universal;

impl JointLaw for Universal {
    fn declaration(&self) -> &'static JointType {
        &UNIVERSAL
    }

    fn constraint(&self, ends: &JointEnds) -> Box<dyn Constraint> {
        Box::new(joints::universal(&ends.first, &ends.second))
    }
}
