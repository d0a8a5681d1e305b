//! Places along the line of a beam that forces hold: `cable.at(0.37)`, as quantities name them.

use super::Resolver;
use super::end::{End, OnLine};
use super::names::Thing;
use crate::diagnostic::Diagnostic;
use crate::file::{BeamFormulation, BeamTable, FileTable};
use crate::quantity::BeamPlace;
use crate::spec::{BodyRef, BodySpec, LinePlace};
use crate::value::{Located, Number, Text};
use poinsot_geometry::{Pose, Vec3};
use poinsot_mechanics::ancf::Cubic;
use poinsot_mechanics::beams::{Course, node_shares, node_weights};

/// ξ nearer than this to that of a node are the node's.
const SAME: f64 = 1e-9;

/// The name and the arc length in `cable.at(0.37)`, as ranges of the text.
fn parts_of(text: &str) -> Option<[std::ops::Range<usize>; 2]> {
    let name = text.find(".at(").filter(|_| text.ends_with(')'))?;
    Some([0..name, name + 4..text.len() - 1])
}

impl Resolver<'_> {
    /// What a force holds: a body, a marker, or a place along the line of a beam.
    pub(crate) fn end_or_place(&mut self, name: &Text, file: &FileTable) -> Option<End> {
        if parts_of(&name.value).is_some() {
            return self.line_place(name, file);
        }
        let end = self.end(name)?;
        self.place(end)
    }

    /// Whether a name is that of a place along the line of a beam.
    pub(crate) fn is_line_place(name: &Text) -> bool {
        parts_of(&name.value).is_some()
    }

    /// The two ends of a force, which may be places along lines.
    pub(crate) fn ends_or_places(
        &mut self,
        between: &Located<[Text; 2]>,
        file: &FileTable,
    ) -> Option<[End; 2]> {
        if !between.value.iter().any(Self::is_line_place) {
            return self.ends(between);
        }
        let [first, second] = between.value.each_ref().map(|name| self.end_or_place(name, file));
        Some([first?, second?])
    }

    fn line_place(&mut self, name: &Text, file: &FileTable) -> Option<End> {
        let [line, inner] = parts_of(&name.value)?.map(|part| name.part(part));
        let Some(Thing::Beam(beam)) = self.names.get(&line.value) else {
            let beams = self.names.of(|thing| matches!(thing, Thing::Beam(_)));
            let beams: Vec<String> = beams.into_iter().map(str::to_owned).collect();
            let beams: Vec<&str> = beams.iter().map(String::as_str).collect();
            if let Some(Thing::Plate(_)) = self.names.get(&line.value) {
                let message = format!("`{}` is a plate: places between nodes are on beams", line.value);
                let help =
                    format!("hold a node of it, `{0}.nodeI_J`, or a corner, `{0}.corner1`", line.value);
                self.diagnostics.push(Diagnostic::error(message).at(line.span, "not a beam").help(help));
                return None;
            }
            self.unknown(&line, "beam", &beams);
            return None;
        };
        let s = self.number(&Number::Expression(inner.clone()))?;
        let table = file.beam.get(beam)?;
        let course = self.courses.get(beam)?.as_ref()?;
        let Some((element, xi)) = course.locate(s) else {
            let message = format!("s = {s} is beyond the ends of the beam `{}`", line.value);
            let help = format!("its length is {}", course.length());
            self.diagnostics.push(Diagnostic::error(message).at(inner.span, "not on the beam").help(help));
            return None;
        };
        let order = self.beam_sizes.get(beam).copied()??.order;
        let places: Vec<f64> = node_shares(1, order).iter().map(|share| 2.0 * share - 1.0).collect();
        let distance = |k: usize| (places[k] - xi).abs();
        let nearest =
            (0..places.len()).fold(0, |best, k| if distance(k) < distance(best) { k } else { best });
        let at_node = distance(nearest) < SAME;
        let xi = if at_node { places[nearest] } else { xi };
        let node = format!("{}.node{}", line.value, element * order + nearest);
        if at_node && table.formulation.value != BeamFormulation::Ancf {
            let Some(Thing::Body(index)) = self.names.hold(&node) else { return None };
            return self.place((BodyRef::Body(index), None));
        }
        if table.formulation.value == BeamFormulation::Motion {
            let message = format!("a place between the nodes of `{}` cannot be held", line.value);
            let help = format!(
                "hold the nearest node, `{node}`, or take formulation = \"director\" or \"ancf\", whose lines \
                 can be held anywhere"
            );
            self.diagnostics.push(
                Diagnostic::error(message)
                    .at(name.span.clone(), "with formulation \"motion\" it depends on turns of the nodes")
                    .help(help),
            );
            return None;
        }
        let Some(Thing::Body(held)) = self.names.get(&node) else { return None };
        let first = held - nearest;
        let point = self.point_on(table, first, (element, order, xi), course)?;
        let body = BodyRef::Body(held);
        let on_line = OnLine { place: LinePlace { beam, at: BeamPlace::new(element, xi) }, point };
        Some(End { line: Some(on_line), ..self.place((body, None))? })
    }

    /// The point as modelled, of an element that starts at a node.
    fn point_on(
        &self,
        table: &BeamTable,
        first: usize,
        (element, order, xi): (usize, usize, f64),
        course: &Course,
    ) -> Option<Vec3> {
        let nodes = (first..=first + order).map(|k| self.bodies.get(k)?.as_ref().map(BodySpec::line_pose));
        let nodes: Vec<Pose> = nodes.collect::<Option<_>>()?;
        if !table.is_cable() {
            return Some(nodes.iter().zip(node_weights(order, xi)).map(|(node, n)| node.r * n).sum());
        }
        let l = course.bounds[element + 1] - course.bounds[element];
        let corner = course.corners.iter().find(|corner| corner.node == element);
        let behind = corner.map_or(nodes[0].rotation, |corner| nodes[0].rotation * corner.turn);
        let slopes = [behind.column(2).into_owned(), nodes[1].rotation.column(2).into_owned()];
        let [a, b, c, d] = Cubic::at(0.5 * (1.0 + xi), l).value;
        Some(nodes[0].r * a + slopes[0] * b + nodes[1].r * c + slopes[1] * d)
    }
}
