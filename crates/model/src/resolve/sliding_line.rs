//! Joints that run along the line of a beam: the line as it is made, and what such joints bring along.

use super::Resolver;
use super::end::End;
use super::formula::Place;
use super::names::Thing;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{Crossing, FileTable};
use crate::forces::Thrust;
use crate::joints::{JointSpec, LineSpec, Sliding};
use crate::quantity::{JointQuantity, Quantity};
use crate::spec::{BodyKind, BodyRef, ConstraintSpec, EndSpec, EventSpec, Trigger};
use crate::value::Text;
use poinsot_geometry::Vec3;
use poinsot_mechanics::ancf::Cubic;

/// Places in each element from which the nearest point is looked for.
const LOOKS: usize = 5;
/// Steps of Newton's method towards it; at a good start three are enough.
const STEPS: usize = 20;
/// Arc lengths beyond an end by less than this share of the length are at the end.
const SAME: f64 = 1e-9;

/// A line by places and tangents of its nodes.
pub(crate) struct BeamCurve {
    /// Arc length, place and unit tangent of each node.
    nodes: Vec<(f64, Vec3, Vec3)>,
}

impl BeamCurve {
    pub fn length(&self) -> f64 {
        self.nodes.last().map_or(0.0, |node| node.0)
    }

    /// Whether an arc length is on the line.
    pub fn reaches(&self, s: f64) -> bool {
        let slack = SAME * self.length();
        (-slack..=self.length() + slack).contains(&s)
    }

    /// Place and unit tangent at an arc length.
    pub fn at(&self, s: f64) -> (Vec3, Vec3) {
        let last = self.nodes.len() - 2;
        let element = self.nodes[1..].iter().position(|node| s <= node.0).unwrap_or(last).min(last);
        let [point, slope, _] = self.in_element(element, s);
        (point, slope.normalize())
    }

    /// The cubic of an element and its first two derivatives.
    fn in_element(&self, element: usize, s: f64) -> [Vec3; 3] {
        let [(from, a, t), (to, b, u)] = [self.nodes[element], self.nodes[element + 1]];
        let shape = Cubic::at((s - from) / (to - from), to - from);
        [&shape.value, &shape.slope, &shape.curvature].map(|w| a * w[0] + t * w[1] + b * w[2] + u * w[3])
    }

    /// The arc length whose place is nearest to a point.
    pub fn nearest(&self, point: &Vec3) -> f64 {
        let mut best = (f64::INFINITY, 0.0);
        for element in 0..self.nodes.len() - 1 {
            let (from, to) = (self.nodes[element].0, self.nodes[element + 1].0);
            for look in 0..=LOOKS {
                let mut s = from + (to - from) * look as f64 / LOOKS as f64;
                for _ in 0..STEPS {
                    // Half the derivatives of |r − x|².
                    let [r, slope, bend] = self.in_element(element, s);
                    let (first, second) =
                        ((r - point).dot(&slope), slope.norm_squared() + (r - point).dot(&bend));
                    let step = first / second.max(1e-3 * slope.norm_squared());
                    s = (s - step).clamp(from, to);
                }
                let distance = (self.in_element(element, s)[0] - point).norm();
                // Neighbours share a node: the first of equal ones.
                if distance < best.0 * (1.0 - 1e-12) {
                    best = (distance, s);
                }
            }
        }
        best.1
    }
}

impl Resolver<'_> {
    /// The nodes of a beam on whose line something can run.
    pub(crate) fn line_of_beam(&mut self, name: &Text) -> Option<LineSpec> {
        let Some(Thing::Beam(beam)) = self.names.get(&name.value) else {
            let beams = self.names.of(|thing| matches!(thing, Thing::Beam(_)));
            let beams: Vec<String> = beams.into_iter().map(str::to_owned).collect();
            let beams: Vec<&str> = beams.iter().map(String::as_str).collect();
            self.unknown(name, "beam", &beams);
            return None;
        };
        let order = self.beam_sizes.get(beam).copied()??.order;
        let course = self.courses.get(beam)?.as_ref()?;
        let (places, has_corners) = (course.places(order), !course.corners.is_empty());
        let first = self.names.body_called(&format!("{}.node0", name.value))?;
        let nodes = first..first + places.len();
        let refuse = |why: &str, help: &str| {
            Diagnostic::error(format!("nothing can slide along the beam `{}`: {why}", name.value))
                .at(name.span.clone(), "this beam")
                .help(help)
        };
        if has_corners {
            let help = "a body that comes to a corner is hit: give the line an arc, or use two beams";
            self.diagnostics.push(refuse("its line has corners", help));
            return None;
        }
        let across = |node: usize| {
            let kind = self.bodies.get(node).and_then(Option::as_ref).map(|body| &body.kind);
            matches!(kind, Some(BodyKind::CableNode(cable)) if cable.sections)
        };
        if nodes.clone().any(across) {
            let help = "element = \"cable\", and formulation = \"director\" and \"motion\" have one";
            let why = "element = \"beam\" has slopes across the line, and none along it";
            self.diagnostics.push(refuse(why, help));
            return None;
        }
        Some(LineSpec { nodes, places })
    }

    /// The line as it is made.
    pub(crate) fn curve_of(&self, line: &LineSpec) -> Option<BeamCurve> {
        let node = |(node, s): (usize, &f64)| {
            let pose = self.bodies.get(node)?.as_ref()?.line_pose();
            Some((*s, pose.r, pose.rotation.column(2).into_owned()))
        };
        let nodes = line.nodes.clone().zip(&line.places).map(node).collect::<Option<Vec<_>>>()?;
        Some(BeamCurve { nodes })
    }

    /// The node of a line that is nearest to an arc length; it is not held by that.
    pub(crate) fn node_near(&self, line: &LineSpec, s: f64) -> Option<End> {
        let behind = line.places.partition_point(|place| *place < s).min(line.places.len() - 1);
        let before = behind.saturating_sub(1);
        let nearer = if s - line.places[before] < line.places[behind] - s { before } else { behind };
        self.place((BodyRef::Body(line.nodes.start + nearer), None))
    }
}

/// The law of a joint that runs along a line.
fn sliding(joint: &JointSpec) -> Option<&Sliding> {
    joint.law::<Sliding>()
}

impl Resolver<'_> {
    /// A motion ends where a joint comes to an end of its line, and where a rope gets slack.
    pub(super) fn events_of_joints(&mut self, file: &FileTable) -> Vec<EventSpec> {
        let mut list = vec![];
        for joint in self.joints.iter().flatten() {
            let name = &joint.name;
            let length = sliding(joint).and_then(|sliding| sliding.line.places.last());
            if let Some(length) = length {
                list.push((
                    joint.span.clone(),
                    vec![
                        (
                            format!("{name}.arc_length"),
                            Crossing::Falling,
                            format!("{name} at the start of its beam"),
                        ),
                        (
                            format!("{name}.arc_length - {length:?}"),
                            Crossing::Rising,
                            format!("{name} at the end of its beam"),
                        ),
                    ],
                ));
            }
            let slack = |part: usize| {
                let what = if part == 0 { "tension".into() } else { format!("tension_{}", part + 1) };
                (format!("{name}.{what}"), Crossing::Falling, format!("{name} slack"))
            };
            list.push((joint.span.clone(), (0..joint.kind.tensions()).map(slack).collect()));
        }
        let mut events = vec![];
        for (span, own) in list {
            for (text, crossing, name) in own {
                let text = Text { value: text, span: span.clone(), content_start: None };
                let Some(formula) = self.formula(&Place::signal(&text, file)) else { continue };
                events.push(EventSpec {
                    name,
                    span: span.clone(),
                    trigger: Trigger::Crossing { formula, crossing },
                    set: vec![],
                    impulses: vec![],
                    bounce: None,
                    stop: true,
                });
            }
        }
        events
    }

    /// Dry friction along a line knows the force that presses from the whole force of the joint: nothing else
    /// may push along the line.
    pub(super) fn check_friction_on_lines(&mut self, constraints: &[Option<ConstraintSpec>]) {
        let mut found: Vec<Diagnostic> = vec![];
        for (index, joint) in self.joints.iter().enumerate() {
            let Some(joint) = joint.as_ref().filter(|joint| sliding(joint).is_some()) else { continue };
            if joint.friction.is_none_or(|friction| friction.static_coefficient == 0.0) {
                continue;
            }
            let of_joint = |quantity: &Quantity| {
                matches!(quantity, Quantity::Joint { joint, what: JointQuantity::Coordinate { .. }
                    | JointQuantity::CoordinateRate { .. } } if *joint == index)
            };
            let mut pushes: Vec<(Span, &str)> = vec![];
            if !(joint.limits.is_empty() && joint.stop_laws.is_empty()) {
                pushes.push((joint.span.clone(), "its stops"));
            }
            let forces = self.forces.iter().flatten();
            let thrusts = forces.filter(|f| f.law::<Thrust>().is_some_and(|thrust| thrust.joint == index));
            pushes.extend(thrusts.map(|force| (force.span.clone(), "this force")));
            let drives = self.drives.iter().flatten();
            let along = drives.filter(|drive| drive.kind.coordinate().is_some_and(|(j, _)| j == index));
            pushes.extend(along.map(|drive| (drive.span.clone(), "this drive")));
            let couplings = self.couplings.iter().flatten();
            let tied = couplings.filter(|c| c.terms.iter().any(|term| term.joint == index));
            pushes.extend(tied.map(|coupling| (coupling.span.clone(), "this coupling")));
            let equations = constraints.iter().flatten().filter(|c| c.quantities.iter().any(of_joint));
            pushes.extend(equations.map(|equation| (equation.span.clone(), "this constraint")));
            for (span, what) in pushes {
                let name = &joint.name;
                let message = format!(
                    "dry friction of the sliding joint `{name}` beside a push along its beam: {what}"
                );
                let help = "the friction would count the push among the forces that press: give `viscous` friction \
                            alone, or leave out one of the two";
                found.push(
                    Diagnostic::error(message)
                        .at(span, "pushes along the beam")
                        .and(joint.span.clone(), "the joint")
                        .help(help),
                );
            }
        }
        found.into_iter().for_each(|diagnostic| self.diagnostics.push(diagnostic));
    }
}

impl Resolver<'_> {
    /// World place of an end at the start.
    pub(crate) fn place_of(&self, end: &EndSpec) -> Option<Vec3> {
        self.pose(end.body).map(|pose| (pose * end.frame).r)
    }
}
