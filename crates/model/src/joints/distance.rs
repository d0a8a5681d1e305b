//! Distance joint (massless rod).

use super::declaration::joint;
use super::{Axial, JointEnds, JointEntry, JointLaw, JointSpec, JointSymbol, JointType, PointEnds};
use crate::file::Triple;
use crate::resolve::Resolver;
use crate::value::{Located, Number};
use poinsot_mechanics::{Constraint, joints};

/// What there is to know of the type.
pub const DISTANCE: JointType = JointType {
    word: "distance",
    free: "all but the distance of two points (a massless rod)",
    axial: Some(Axial::Line),
    points: PointEnds::Both,
    symbol: JointSymbol::Rod,
    has_axis: false,
    example: r#"[[joint]]
name = "string"
type = "distance"
between = ["ground", "bob"]
points = [[0, 0, 2], [0, 0, 0.5]]"#,
    ..JointType::PLAIN
};

joint! {
    /// Constant distance between two points (massless rod).
    DistanceTable "distance joint" is DISTANCE {
        /// World points on the two bodies at the start; default their origins or markers.
        points: Option<Located<[Triple; 2]>>,
        /// The distance, m; default: the distance at the start.
        length: Option<Number>,
    }
}

impl JointEntry for DistanceTable {
    fn resolve(&self, resolver: &mut Resolver) -> Option<JointSpec> {
        let subject = format!("the length of `{}`", self.name.value);
        let given = self.length.as_ref().map(|length| resolver.positive(length, &subject));
        let (ends, start) = resolver.end_points(&self.between, self.points.as_ref(), &self.name)?;
        let length = given.unwrap_or(Some(start))?;
        Some(JointSpec::new(self, Distance { length }, ends))
    }
}

/// The origins keep their distance.
#[derive(Clone, Copy, Debug)]
pub struct Distance {
    /// The distance.
    pub length: f64,
}

impl JointLaw for Distance {
    fn declaration(&self) -> &'static JointType {
        &DISTANCE
    }

    fn constraint(&self, ends: &JointEnds) -> Box<dyn Constraint> {
        Box::new(joints::distance(&ends.first, &ends.second, self.length))
    }
}
