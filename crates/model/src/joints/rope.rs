//! Rope over pulleys.

use super::declaration::joint;
use super::{JointEnds, JointEntry, JointLaw, JointSpec, JointSymbol, JointType, PointEnds};
use crate::diagnostic::Diagnostic;
use crate::file::Triple;
use crate::read::{choice, record};
use crate::resolve::frame::{perpendicular, triad};
use crate::resolve::{Resolver, transpose};
use crate::spec::{BodyRef, EndSpec};
use crate::value::{List, Located, Number, Text};
use poinsot_geometry::{Pose, Vec3};
use poinsot_mechanics::joints::{Attachment, MAX_WHEELS, Rope, RopeWheel};
use poinsot_mechanics::{Constraint, GROUND};

/// What there is to know of the type.
pub const ROPE: JointType = JointType {
    word: "rope",
    free: "all but the length of a rope over pulleys",
    points: PointEnds::Both,
    symbol: JointSymbol::Rope,
    has_axis: false,
    notes: "A rope without mass and of constant length from the first end over the pulleys to the second, in a \
            plane across `axis`. It touches each pulley from where it comes to where it leaves, along the common \
            tangents, and slides without friction: its `tension` is the same on both sides. Where a pulley \
            `turns` along, it does not slip there: `tension` is that of the part at the first end, `tension_2` \
            that behind the first such pulley, and so on, and their difference turns the pulley, against its \
            inertia and the friction of its bearing. A motion ends where a part gets slack: the rope would have \
            to push. It does not know the mass, the elasticity and the bending of the rope, slip with friction, \
            and parts that leave the plane far or lift off a pulley: a cable (`[[beam]]` with formulation = \
            \"ancf\" in a sliding joint), springs and contacts have these.",
    example: r#"[[joint]]
name = "hoist"
type = "rope"
between = ["counterweight", "cage"]
points = [[-0.4, 0, -2], [0.4, 0, -3]]
axis = [0, 1, 0]
over = [{ wheel = "ground", at = [0, 0, 0], radius = 0.4, side = "left" }]"#,
    ..JointType::PLAIN
};

choice! {
    /// On which side of a rope a pulley is, along the rope and seen against its axis.
    pub enum RopeSide "side of a pulley" {
        /// The centre is on the left.
        "left" => Left,
        /// The centre is on the right.
        "right" => Right,
    }
}

record! {
    /// A pulley of a rope.
    pub(crate) struct PulleyTable "pulley" {
        /// The body or marker that it is or turns on, or "ground".
        wheel: Text,
        /// World point of its centre at the start; default: the origin of the body or marker.
        at: Option<Triple>,
        /// Radius at which the rope runs, m.
        radius: Number,
        /// On which side of the rope it is, from the first end to the second, seen against the axis.
        side: Located<RopeSide>,
        /// True if the body turns along with the rope, without slip.
        turns: bool = false,
    }
}

joint! {
    /// A rope of constant length over pulleys.
    RopeTable "rope joint" is ROPE {
        /// World points on the two bodies at the start; default their origins or markers.
        points: Option<Located<[Triple; 2]>>,
        /// World direction of the axes of all pulleys; default: the normal of the plane of the model.
        axis: Option<Triple>,
        /// The pulleys in order from the first end to the second.
        over: Located<List<PulleyTable>>,
        /// Length, m, of a rope that slides over all pulleys; default: the length at the start.
        length: Option<Number>,
    }
}

impl JointEntry for RopeTable {
    fn resolve(&self, resolver: &mut Resolver) -> Option<JointSpec> {
        let name = &self.name.value;
        let ends = resolver.end_points(&self.between, self.points.as_ref(), &self.name);
        let subject = format!("the axis of `{name}`");
        let axis = match (&self.axis, resolver.plane) {
            (Some(axis), _) => resolver.direction(axis, &subject),
            (None, Some(plane)) => Some(plane.normal()),
            (None, None) => {
                resolver.missing(self, "axis", "the world direction of the axes of the pulleys");
                None
            }
        };
        let length =
            self.length.as_ref().map(|length| resolver.positive(length, &format!("the length of `{name}`")));
        let axis = axis?;
        let pulleys: Vec<_> =
            self.over.value.0.iter().map(|table| self.pulley(table, axis, resolver)).collect();
        let ((ends, _), pulleys) = (ends?, pulleys.into_iter().collect::<Option<Vec<_>>>()?);
        let length = transpose(length)?;
        if let (Some(number), true) = (&self.length, pulleys.iter().any(|pulley| pulley.turns)) {
            resolver.diagnostics.push(
                Diagnostic::error(format!("`length` of `{name}`: it is held at pulleys that turn along"))
                    .at(number.span(), "several parts")
                    .help("place the ends so that the rope has its length, or leave out `turns`"),
            );
            return None;
        }
        if pulleys.is_empty() {
            resolver.diagnostics.push(
                Diagnostic::error(format!("the rope `{name}` runs over no pulley"))
                    .at(self.over.span.clone(), "none")
                    .help("a straight rope is a joint of type \"distance\""),
            );
            return None;
        }
        let mut start = vec![resolver.place_of(&ends[0])?];
        for pulley in &pulleys {
            start.push(resolver.place_of(&pulley.on)?);
        }
        start.push(resolver.place_of(&ends[1])?);
        let across = perpendicular(axis);
        start.extend(pulleys.iter().filter(|pulley| pulley.turns).map(|_| across));
        let law = RopeLaw { pulleys, axis, start, length };
        // On the ground: whether it is possible at all.
        let at_rest =
            |end: &EndSpec| Attachment { node: GROUND, origin: Vec3::zeros(), axes: end.frame.rotation };
        if let Err(error) = law.rope(&JointEnds::new(at_rest(&ends[0]), at_rest(&ends[1]))) {
            resolver.diagnostics.push(
                Diagnostic::error(format!("the rope `{name}` cannot run so: {error}"))
                    .at(self.over.span.clone(), "over these pulleys")
                    .help(format!(
                        "centres must be farther apart than radii allow, and there are at most {MAX_WHEELS} pulleys"
                    )),
            );
            return None;
        }
        Some(JointSpec::new(self, law, ends))
    }
}

impl RopeTable {
    fn pulley(&self, table: &PulleyTable, axis: Vec3, resolver: &mut Resolver) -> Option<PulleySpec> {
        let end = resolver.end(&table.wheel).and_then(|end| resolver.place(end));
        let at = table.at.as_ref().map(|at| resolver.vector(at));
        let subject = format!("a radius of `{}`", self.name.value);
        let radius = resolver.positive(&table.radius, &subject);
        let (end, at, radius) = (end?, transpose(at)?, radius?);
        if table.turns && resolver.is_point(end.body) {
            resolver.no_orientation(&table.wheel, "a rope that turns its pulley");
            return None;
        }
        if table.turns && end.body == BodyRef::Ground {
            resolver.diagnostics.push(
                Diagnostic::error(format!(
                    "a pulley of `{}` is to turn along, but the ground does not",
                    self.name.value
                ))
                .at(table.wheel.span.clone(), "does not turn")
                .help("name the body of the pulley, or leave out `turns`"),
            );
            return None;
        }
        if let (Some(at), Some(given)) = (at, &table.at) {
            resolver.check_point_of_attack(end, at, given)?;
        }
        let centre = at.unwrap_or_else(|| end.marker.map_or(end.pose.r, |(_, pose)| pose.r));
        let on = end.at_frame(Pose::new(centre, triad(axis, perpendicular(axis))));
        let sign = if table.side.value == RopeSide::Left { 1.0 } else { -1.0 };
        Some(PulleySpec { on, radius: sign * radius, turns: table.turns })
    }
}

/// A pulley of a rope.
#[derive(Clone, Copy, Debug)]
pub struct PulleySpec {
    /// Its centre, third axis along its own.
    pub on: EndSpec,
    /// Radius (m), positive if the centre is on the left of the rope.
    pub radius: f64,
    /// Whether it turns along.
    pub turns: bool,
}

/// A rope over pulleys.
#[derive(Clone, Debug)]
pub struct RopeLaw {
    /// The pulleys in order.
    pub pulleys: Vec<PulleySpec>,
    /// Direction of their axes.
    pub axis: Vec3,
    /// Places at the start: first end, pulleys, second end, then the marks of pulleys that turn along.
    start: Vec<Vec3>,
    /// Length (m), if it is not that at the start.
    pub length: Option<f64>,
}

impl RopeLaw {
    fn rope(&self, ends: &JointEnds) -> Result<Rope, poinsot_mechanics::joints::RopeError> {
        let wheels = self.pulleys.iter().enumerate().map(|(k, pulley)| {
            let PulleySpec { on, radius, turns } = pulley;
            let still = Attachment { node: GROUND, origin: on.frame.r, axes: on.frame.rotation };
            let at = ends.others.get(k).copied().unwrap_or(still);
            RopeWheel { centre: at.point(), radius: *radius, mark: turns.then(|| at.axis(0)) }
        });
        let wheels: Vec<RopeWheel> = wheels.collect();
        let both = [ends.first.point(), ends.second.point()];
        Rope::new(both, &wheels, &self.axis, &self.start, self.length)
    }
}

impl JointLaw for RopeLaw {
    fn declaration(&self) -> &'static JointType {
        &ROPE
    }

    fn constraint(&self, ends: &JointEnds) -> Box<dyn Constraint> {
        Box::new(self.rope(ends).expect("a rope that was checked when it was read"))
    }

    fn others(&self) -> Vec<EndSpec> {
        self.pulleys.iter().map(|pulley| pulley.on).collect()
    }

    fn tensions(&self) -> usize {
        1 + self.pulleys.iter().filter(|pulley| pulley.turns).count()
    }
}
