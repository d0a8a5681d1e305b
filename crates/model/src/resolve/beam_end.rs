//! The ends of beams: joints named `beam.start` and `beam.end`.

use super::Resolver;
use super::names::Thing;
use crate::diagnostic::Diagnostic;
use crate::file::{BeamTable, EndTable, EndType, FileTable, Triple};
use crate::joints::{
    CylindricalTable, FixedTable, JointSpec, JointTable, PlanarTable, PrismaticTable, RevoluteTable,
    SphericalTable, StartOf, UniversalTable,
};
use crate::spec::BodyRef;
use crate::value::{Located, Number, Text};
use poinsot_geometry::Vec3;

/// The ends of a beam that are held, with their words.
fn held(beam: &BeamTable) -> impl Iterator<Item = (&'static str, &EndTable)> {
    let ends = [("start", beam.start.as_ref()), ("end", beam.end.as_ref())];
    let ends = ends.into_iter().filter_map(|(word, end)| Some((word, end?)));
    ends.filter(|(_, end)| end.held.r#type.value != EndType::Free)
}

impl Resolver<'_> {
    /// Enters `beam.start` and `beam.end`: the nodes, and the joints where they are held.
    pub(super) fn name_beam_ends(&mut self, beam: &BeamTable, first: usize, last: usize) {
        for (word, node) in [("start", first), ("end", last)] {
            let name = format!("{}.{word}", beam.name.value);
            self.names.things.insert(name, (Thing::Body(node), beam.name.span.clone()));
        }
    }

    /// Joints at the ends of beams follow those of the file.
    pub(super) fn name_end_joints(&mut self, file: &FileTable) {
        let ends = file.beam.iter().flat_map(|beam| held(beam).map(move |(word, _)| (beam, word)));
        for (k, (beam, word)) in ends.enumerate() {
            self.names.end_joints.insert(format!("{}.{word}", beam.name.value), file.joint.len() + k);
        }
    }

    /// The joints at the ends of beams.
    pub fn resolve_beam_ends(&mut self, file: &FileTable) {
        for beam in &file.beam {
            for (word, end) in held(beam) {
                // A pin holds the point of a line: that needs no frame at its node.
                let pinned = matches!(end.held.r#type.value, EndType::Pinned | EndType::Spherical);
                let idle = self.idle_line_node(&format!("{}.{word}", beam.name.value));
                let joint = self.end_joint(beam, word, end);
                if let Some(node) = idle.filter(|_| pinned) {
                    self.leave_idle(node);
                }
                self.joints.push(joint);
            }
        }
    }

    fn end_joint(&mut self, beam: &BeamTable, word: &str, table: &EndTable) -> Option<JointSpec> {
        let end = &table.held;
        let span = table.span.clone();
        let text = |value: String| Text { value, span: span.clone(), content_start: None };
        let name = text(format!("{}.{word}", beam.name.value));
        // The node carries the name of the end.
        let Some(Thing::Body(node)) = self.names.get(&name.value) else { return None };
        let to = end.to.clone().unwrap_or_else(|| text("ground".into()));
        let (_, marker) = self.end(&to)?;
        let place = self.bodies.get(node)?.as_ref()?.pose().r;
        let at = match (&end.at, marker) {
            (Some(at), _) => Some(at.clone()),
            (None, Some(_)) => None,
            (None, None) => Some(triple(place, &span)),
        };
        let between = Located { value: [to, name.clone()], span: span.clone() };
        let kind = end.r#type.value;
        if self.is_point(BodyRef::Body(node)) && matches!(kind, EndType::Clamped | EndType::Fixed) {
            return self.line_clamp(&name, between, at.as_ref(), node);
        }
        let turns = !matches!(
            kind,
            EndType::Clamped | EndType::Fixed | EndType::Pinned | EndType::Spherical | EndType::Free
        );
        if !turns && let Some(axis) = &end.axis {
            self.needless(beam, word, kind, "axis", axis);
        }
        if kind != EndType::Universal
            && let Some(axis) = &end.second_axis
        {
            self.needless(beam, word, kind, "second_axis", axis);
        }
        let normal = self.plane.map(|plane| triple(plane.normal(), &span));
        let axis = end.axis.clone().or(normal.filter(|_| turns && marker.is_none()));
        let (limits, friction) = (None, None);
        let joint = match kind {
            EndType::Free => return None,
            EndType::Clamped | EndType::Fixed => {
                JointTable::Fixed(FixedTable { name, between, at, start_values: StartOf::NONE, span })
            }
            EndType::Pinned | EndType::Spherical => {
                JointTable::Spherical(SphericalTable { name, between, at, start_values: StartOf::NONE, span })
            }
            EndType::Hinged | EndType::Revolute => JointTable::Revolute(RevoluteTable {
                name,
                between,
                at,
                axis,
                limits,
                friction,
                start_values: StartOf::NONE,
                span,
            }),
            EndType::Prismatic => JointTable::Prismatic(PrismaticTable {
                name,
                between,
                at,
                axis: end.axis.clone(),
                limits: None,
                friction: None,
                start_values: StartOf::NONE,
                span,
            }),
            EndType::Cylindrical => JointTable::Cylindrical(CylindricalTable {
                name,
                between,
                at,
                axis: end.axis.clone(),
                angle_limits: None,
                displacement_limits: None,
                start_values: StartOf::NONE,
                span,
            }),
            EndType::Planar => {
                JointTable::Planar(PlanarTable { name, between, at, axis, start_values: StartOf::NONE, span })
            }
            EndType::Universal => {
                let second_axis = end.second_axis.clone();
                JointTable::Universal(UniversalTable {
                    name,
                    between,
                    at,
                    axis: end.axis.clone(),
                    second_axis,
                    start_values: StartOf::NONE,
                    span,
                })
            }
        };
        joint.entry().resolve(self)
    }

    fn needless(&mut self, beam: &BeamTable, word: &str, kind: EndType, key: &str, given: &Triple) {
        let message =
            format!("`{key}` of `{}.{word}` has no meaning for \"{}\"", beam.name.value, kind.word());
        self.diagnostics.push(Diagnostic::error(message).at(given.span.clone(), format!("remove `{key}`")));
    }
}

fn triple(v: Vec3, span: &std::ops::Range<usize>) -> Triple {
    let number = |value| Number::Value(Located { value, span: span.clone() });
    Located { value: [number(v.x), number(v.y), number(v.z)], span: span.clone() }
}
