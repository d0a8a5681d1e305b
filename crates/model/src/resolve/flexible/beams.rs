//! Flexible bodies of beams of the model: the elements of the beams, linear in their displacements.

use super::Shapes;
use super::reduced::Outline;
use crate::FullBodyData;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{
    BeamFormulation, BeamTable, BeamsSourceTable, FileTable, FlexibleSourceTable, FlexibleTable, Plane,
};
use crate::resolve::Resolver;
use crate::resolve::names::Thing;
use crate::spec::{BeamSpec, BeamTheory};
use crate::value::Text;
use poinsot_flexible::{
    BodyMatrices, Component, Group, MatrixInput, NodeTable, Skin, SymmetricMatrix, UnknownLabel,
};
use poinsot_geometry::{Mat3, Mat6, Vec3};
use poinsot_mechanics::beams::{BeamChain, BeamError, Course, Formulation, pieces};
use poinsot_mechanics::joints::Attachment;
use poinsot_mechanics::{Chart, Frame, Instant, Linearization, Scratch, State, System, SystemBuilder, Twist};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Nodes nearer than this part of the size of the body are one.
const SAME_PLACE: f64 = 1e-9;

/// Each beam that a flexible body is made of, and the body.
pub(in crate::resolve) fn owners_of_beams(file: &FileTable) -> BTreeMap<String, String> {
    let mut owners = BTreeMap::new();
    for table in &file.flexible {
        let FlexibleSourceTable::Beams(source) = &table.source else { continue };
        let is_beam = |name: &&Text| file.beam.iter().any(|beam| beam.name.value == name.value);
        for name in source.beams.value.0.iter().filter(is_beam) {
            owners.entry(name.value.clone()).or_insert_with(|| table.name.value.clone());
        }
    }
    owners
}

/// The tables without the beams that flexible bodies are made of, and these.
pub(in crate::resolve) fn without_beams_of_flexible(
    file: &FileTable,
) -> (Cow<'_, FileTable>, Vec<BeamTable>) {
    let owners = owners_of_beams(file);
    if owners.is_empty() {
        return (Cow::Borrowed(file), vec![]);
    }
    let mut file = file.clone();
    let taken = |beam: &BeamTable| owners.contains_key(&beam.name.value);
    let absorbed = file.beam.iter().filter(|beam| taken(beam)).cloned().collect();
    file.beam.retain(|beam| !taken(beam));
    (Cow::Owned(file), absorbed)
}

/// A beam on the nodes of the body.
struct Placed {
    spec: BeamSpec,
    formulation: Formulation,
    course: Course,
    /// Node of the body that each of its nodes is, and its axes seen from there.
    nodes: Vec<(usize, Mat3)>,
}

impl Resolver<'_> {
    /// A body of beams of the model.
    pub(super) fn body_of_beams(
        &mut self,
        table: &FlexibleTable,
        source: &BeamsSourceTable,
        file: &FileTable,
    ) -> Option<Shapes> {
        self.refuse_geometric(table)?;
        let beams: Vec<_> = source
            .beams
            .value
            .0
            .iter()
            .map(|name| self.beam_of_flexible(table, source, name, file))
            .collect();
        let beams: Vec<(BeamSpec, Formulation, Course)> = beams.into_iter().collect::<Option<_>>()?;
        let mut frames: Vec<Frame> = vec![];
        let places = beams.iter().flat_map(|(_, _, course)| course.frames.iter().map(|frame| frame.r));
        let near = SAME_PLACE * extent(places);
        let mut placed = vec![];
        for (spec, formulation, course) in beams {
            let nodes = course.frames.iter().map(|frame| {
                let known = frames.iter().position(|other| (other.r - frame.r).norm() <= near);
                let node = known.unwrap_or(frames.len());
                if known.is_none() {
                    frames.push(*frame);
                }
                (node, frames[node].rot.tr_mul(&frame.rot))
            });
            let nodes = nodes.collect();
            placed.push(Placed { spec, formulation, course, nodes });
        }
        let matrices = match matrices_of(&frames, &placed) {
            Ok(matrices) => matrices,
            Err((name, error)) => {
                let message = format!("the beam `{name}`: {error}");
                let span = source.beams.span.clone();
                self.diagnostics.push(Diagnostic::error(message).at(span, "one of these beams"));
                return None;
            }
        };
        let fail = |this: &mut Self, words: String| {
            let message = format!("the flexible body `{}`: {words}", table.name.value);
            this.diagnostics.push(Diagnostic::error(message).at(source.span.clone(), "these beams"));
        };
        let skin = Skin { triangles: vec![], lines: placed.iter().flat_map(lines_of).collect() };
        let normal = self.normal_in_body(table)?;
        let data =
            FullBodyData::Matrices { matrices: Arc::new(matrices), length: 1.0, mass: 1.0, skin, normal };
        let body = match data.full() {
            Ok(body) => body,
            Err(error) => {
                fail(self, error.to_string());
                return None;
            }
        };
        let groups: Vec<Group> = placed.iter().flat_map(groups_of).collect();
        let outline = Outline { nodes: &body.nodes, unknowns: &body.unknowns, groups: &groups, labels: None };
        self.reduce_body(table, &outline, data, &source.span)
    }

    /// The body axis that is normal to the plane of a planar model.
    fn normal_in_body(&mut self, table: &FlexibleTable) -> Option<Option<usize>> {
        let rotation = self.rotation(table.orientation.as_ref())?;
        let Some(plane) = self.plane else { return Some(None) };
        let normal = rotation.tr_mul(&match plane {
            Plane::Xy => Vec3::z(),
            Plane::Yz => Vec3::x(),
            Plane::Zx => Vec3::y(),
        });
        Some((0..3).find(|axis| (normal[*axis].abs() - 1.0).abs() < 1e-9))
    }

    /// Elements and line of a beam that the body takes.
    fn beam_of_flexible(
        &mut self,
        table: &FlexibleTable,
        source: &BeamsSourceTable,
        name: &Text,
        file: &FileTable,
    ) -> Option<(BeamSpec, Formulation, Course)> {
        let absorbed = self.absorbed.clone();
        let Some(beam) = absorbed.iter().find(|beam| beam.name.value == name.value) else {
            let names: Vec<&str> = absorbed.iter().map(|beam| beam.name.value.as_str()).collect();
            let all = self.names.of(|thing| matches!(thing, Thing::Beam(_)));
            let all: Vec<String> = names.into_iter().chain(all).map(str::to_owned).collect();
            let all: Vec<&str> = all.iter().map(String::as_str).collect();
            self.unknown(name, "beam", &all);
            return None;
        };
        let twice = source.beams.value.0.iter().filter(|other| other.value == name.value).count() > 1;
        let owner = self.names.absorbed.get(&name.value).filter(|owner| **owner != table.name.value);
        if let Some(owner) = owner.cloned().or(twice.then(|| table.name.value.clone())) {
            let message = format!("the beam `{}` is part of `{owner}` already", name.value);
            self.diagnostics.push(Diagnostic::error(message).at(name.span.clone(), "a second time"));
            return None;
        }
        self.refuse_what_a_part_has_not(beam)?;
        let size = self.size_of_beam(beam)?;
        // What a beam puts among the bodies, courses and sections belongs to beams that take part.
        let kept = (self.bodies.len(), self.courses.len(), self.beam_sections.len());
        let spec = self.beam_of_size(size, beam, file);
        let course = self.courses.pop().flatten();
        self.bodies.truncate(kept.0);
        self.courses.truncate(kept.1);
        self.beam_sections.truncate(kept.2);
        let spec = spec?;
        let BeamTheory::Sections(formulation) = spec.theory else { return None };
        Some((spec, formulation, course?))
    }

    /// A part of a flexible body is neither held nor loaded nor started itself.
    fn refuse_what_a_part_has_not(&mut self, beam: &BeamTable) -> Option<()> {
        if beam.formulation.value == BeamFormulation::Ancf {
            let message = format!("`{}` is part of a flexible body, which takes no slopes", beam.name.value);
            let help = "parts of flexible bodies have formulation \"director\" or \"motion\"";
            let place = beam.formulation.span.clone();
            self.diagnostics.push(Diagnostic::error(message).at(place, "not of a part").help(help));
            return None;
        }
        let given: [(&str, Option<Span>); 5] = [
            ("start", beam.start.as_ref().map(|end| end.span.clone())),
            ("end", beam.end.as_ref().map(|end| end.span.clone())),
            ("load", beam.load.as_ref().map(|load| load.span.clone())),
            ("moment", beam.moment.as_ref().map(|moment| moment.span.clone())),
            ("shape", beam.shape.as_ref().map(|shape| shape.span())),
        ];
        let found = given.into_iter().find_map(|(key, span)| Some((key, span?)));
        let Some((key, span)) = found else { return Some(()) };
        let message = format!("`{}` is part of a flexible body: `{key}` has no effect", beam.name.value);
        let help = "joints and forces hold the interfaces of the flexible body";
        self.diagnostics.push(Diagnostic::error(message).at(span, "not of a part").help(help));
        None
    }
}

/// M, K and C of beams that are welded at common nodes, in world axes.
fn matrices_of(frames: &[Frame], beams: &[Placed]) -> Result<BodyMatrices, (String, BeamError)> {
    let mut builder = SystemBuilder::new(Vec3::zeros());
    let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
    let nodes: Vec<usize> =
        frames.iter().map(|frame| builder.node("node", Chart::Motion, *frame, still)).collect();
    for Placed { spec, formulation, course, nodes: own } in beams {
        for piece in pieces(course.frames.len(), &course.corners) {
            let turn = |k: usize| {
                let corner = course.corners.iter().find(|corner| k == piece.start && corner.node == k);
                corner.map_or(Mat3::identity(), |corner| corner.turn)
            };
            let on = |k: usize| Attachment {
                node: nodes[own[k].0],
                origin: Vec3::zeros(),
                axes: own[k].1 * turn(k),
            };
            let at = |k: usize| Frame { r: course.frames[k].r, rot: course.frames[k].rot * turn(k) };
            let attachments: Vec<Attachment> = piece.clone().map(on).collect();
            let reference: Vec<Frame> = piece.clone().map(at).collect();
            let chain = BeamChain {
                name: &spec.name,
                nodes: &attachments,
                reference: &reference,
                order: spec.order,
                section: &spec.section,
                mass: spec.mass,
                mass_damping: spec.mass_damping,
            };
            chain.add_as(*formulation, &mut builder).map_err(|error| (spec.name.clone(), error))?;
        }
    }
    let system = builder.build();
    let is_damped = beams.iter().any(|beam| {
        beam.spec.mass_damping != 0.0 || beam.spec.section.viscosity.iter().any(|value| *value != 0.0)
    });
    let labels: Vec<u64> = (1..=frames.len() as u64).collect();
    let component = |k: usize| if k < 3 { Component::Translation(k) } else { Component::Rotation(k - 3) };
    let of_node = |node: &u64| {
        let node = *node;
        (0..6).map(move |k| UnknownLabel { node, component: component(k) })
    };
    let unknowns: Vec<UnknownLabel> = labels.iter().flat_map(of_node).collect();
    let input = |weights| MatrixInput { matrix: matrix_of(&system, &nodes, weights), labels: None };
    Ok(BodyMatrices {
        mass: input([1.0, 0.0, 0.0]),
        stiffness: input([0.0, 0.0, 1.0]),
        damping: is_damped.then(|| input([0.0, 1.0, 0.0])),
        nodes: NodeTable { labels: labels.clone(), places: frames.iter().map(|frame| frame.r).collect() },
        labels: Some(unknowns),
    })
}

/// M, C or K at the start. Rotations of the unknowns are those about world axes.
fn matrix_of(system: &System, nodes: &[usize], [mass, damping, stiffness]: [f64; 3]) -> SymmetricMatrix {
    let state = system.start_state(0.0);
    let zero = vec![0.0; system.size()];
    let State { t, frames, memory, rates, .. } = &state;
    let at = Instant { t: *t, frames, v: &zero, a: &zero, memory, rates };
    let identity = vec![Mat3::identity(); system.nodes().len()];
    let at = Linearization { mass, damping, stiffness, ..Linearization::at(at, &identity) };
    let mut values = vec![0.0; system.pattern().nnz()];
    system.step_matrix(&at, &mut values, &mut Scratch::default());
    let mut place = vec![(0, 0); system.size()];
    for (k, node) in nodes.iter().enumerate() {
        system.nodes()[*node].unknowns().enumerate().for_each(|(i, eq)| place[eq] = (k, i));
    }
    let mut entries = vec![];
    let pattern = system.pattern();
    for column in 0..pattern.n() {
        for (&row, slot) in pattern.rows(column).iter().zip(pattern.slots(column)) {
            entries.push((place[row], place[column], values[slot]));
        }
    }
    entries.sort_by_key(|((i, _), (j, _), _)| (*i, *j));
    let mut turned = vec![];
    for block in entries.chunk_by(|(i, j, _), (k, l, _)| (i.0, j.0) == (k.0, l.0)) {
        let (i, j) = (block[0].0.0, block[0].1.0);
        let mut values = Mat6::zeros();
        block.iter().for_each(|((_, a), (_, b), value)| values[(*a, *b)] = *value);
        // ω in body axes: A ω̄ about world axes.
        let (left, right) = (state.frames[nodes[i]].rot, state.frames[nodes[j]].rot);
        let rows = left * values.fixed_rows::<3>(3);
        values.fixed_rows_mut::<3>(3).copy_from(&rows);
        let columns = values.fixed_columns::<3>(3) * right.transpose();
        values.fixed_columns_mut::<3>(3).copy_from(&columns);
        for a in 0..6 {
            for b in 0..6 {
                if 6 * i + a >= 6 * j + b {
                    turned.push((6 * i + a, 6 * j + b, values[(a, b)]));
                }
            }
        }
    }
    SymmetricMatrix::from_entries(6 * nodes.len(), turned.iter().copied())
}

/// The nodes of a beam by their names.
fn groups_of(beam: &Placed) -> Vec<Group> {
    let group = |word: String, k: usize| Group {
        name: format!("{}.{word}", beam.spec.name),
        nodes: vec![beam.nodes[k].0],
        elements: vec![],
    };
    let last = beam.nodes.len() - 1;
    let ends = [group("start".into(), 0), group("end".into(), last)];
    ends.into_iter().chain((0..=last).map(|k| group(format!("node{k}"), k))).collect()
}

/// Lines between the nodes of a beam, as thick as a round section of its mass and inertia.
fn lines_of(beam: &Placed) -> Vec<([usize; 2], f64)> {
    let mass = &beam.spec.section.mass;
    let radius = (mass.second[0] + mass.second[1]).max(0.0) * 2.0 / mass.mass;
    let radius = if radius.is_finite() { radius.sqrt() } else { 0.0 };
    beam.nodes.windows(2).map(|ends| ([ends[0].0, ends[1].0], radius)).collect()
}

/// The diagonal of the box around places.
fn extent(places: impl Iterator<Item = Vec3>) -> f64 {
    let (mut low, mut high) = (Vec3::repeat(f64::INFINITY), Vec3::repeat(f64::NEG_INFINITY));
    places.for_each(|x| (low, high) = (low.inf(&x), high.sup(&x)));
    (high - low).norm()
}
