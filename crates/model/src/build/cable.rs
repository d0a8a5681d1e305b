//! Beams of a model with formulation "ancf": lines by places and slopes.

use super::law::CableElement;
use super::parts::Parts;
use crate::diagnostic::Diagnostic;
use crate::joints::LineSpec;
use crate::spec::{BeamSpec, BodyKind, BodySpec, CableNodeSpec, CableSpec, Plane};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::ancf::{
    Cable, CableError, CableLoad, CableLoadKind, SlopeNode, cable_mass, corner_ties, lumped_cable_mass,
    planar_tie,
};
use poinsot_mechanics::beams::{LoadAxes, MassDamping, MassModel};
use poinsot_mechanics::{Body, Carried, Chart, Frame, Inertia, MassProperties, NodeId, SystemBuilder, Twist};

/// The nodes of a line's node: place with the slope before and that behind it, the same but at corners.
#[derive(Clone, Copy, Debug)]
pub(super) struct LineNode {
    pub before: SlopeNode,
    pub behind: SlopeNode,
}

/// The share of the mass at a node that the frame tied to it carries, so that its equations are regular.
/// Mass and inertia are taken out of place and slope: the sum stays the same, but for a slope that
/// stretches, which changes its length without that share.
const SHARE: f64 = 1e-4;
/// J of a lumped slope, in m l²: the entry of the consistent mass.
const LUMPED: f64 = 1.0 / 105.0;

/// World axes of a plane, first and second.
pub(super) fn axes_of(plane: Plane) -> [usize; 2] {
    match plane {
        Plane::Xy => [0, 1],
        Plane::Yz => [1, 2],
        Plane::Zx => [2, 0],
    }
}

/// Adds the place and the slopes of a node of a line, and the frame tied to it if it needs one; returns the
/// node that stands for the body.
pub(super) fn add_line_node(
    b: &mut SystemBuilder,
    plane: Option<Plane>,
    body: &BodySpec,
    cable: &CableNodeSpec,
    chart: Chart,
) -> (NodeId, LineNode) {
    let CableNodeSpec { node, is_framed, turn, .. } = cable;
    let (r, rotation) = (node.pose.r, node.pose.rotation);
    let spin = &node.angular_velocity;
    let axes = plane.map(|plane| axes_of(plane).map(|k| Vec3::ith(k, 1.0)));
    let slope = |axes: &Mat3| axes.column(2).into_owned();
    let (along, name) =
        (slope(&rotation), if *is_framed { format!("{}.line", body.name) } else { body.name.clone() });
    let before = SlopeNode::add_to(b, &name, axes, [r, along], [node.velocity, spin.cross(&along)]);
    let behind = turn.map_or(before, |turn| {
        let along = slope(&(rotation * turn));
        let start = Frame { r: along, rot: Mat3::identity() };
        let rate = Twist { linear: spin.cross(&along), angular: Vec3::zeros() };
        let chart = axes.map_or(Chart::Slope, |[e1, e2]| Chart::PlanarSlope { e1, e2 });
        let behind = b.node(&format!("{name}.slope behind"), chart, start, rate);
        SlopeNode::of(before.place.node, behind)
    });
    let nodes = LineNode { before, behind };
    if !is_framed {
        return (before.place.node, nodes);
    }
    let twist = Twist { linear: node.velocity, angular: rotation.tr_mul(spin) };
    (b.node(&body.name, chart, Frame { r, rot: rotation }, twist), nodes)
}

impl Parts<'_> {
    /// Adds a line with slopes; returns the forces that are its elements.
    pub(super) fn cable(&mut self, beam: &BeamSpec, spec: &CableSpec) -> Result<Vec<usize>, Diagnostic> {
        let fail = |error: CableError| {
            let message = format!("the beam `{}` cannot have formulation \"ancf\": {error}", beam.name);
            Diagnostic::error(message).at(beam.span.clone(), "this beam")
        };
        let mut forces = vec![];
        for e in 0..beam.elements() {
            let ends = self.ends_of(beam, e);
            let reference = self.reference_of(beam, spec, e);
            let [from, to] = [spec.bounds[e], spec.bounds[e + 1]];
            let l = to - from;
            let places = [0, 1].map(|k| [reference[k].r, reference[k].rot.column(2).into_owned()]);
            let [[r, s], [r2, s2]] = places;
            let axes = reference[0].rot;
            let law = Cable::new(&ends, l, &[r, s, r2, s2], axes, &spec.design).map_err(fail)?;
            forces.push(self.builder.force(&format!("{}.element{e}", beam.name), Box::new(law)));
            let mass = spec.design.section.mass * l;
            let inertia = cable_mass(&ends, l, mass);
            if beam.mass_damping != 0.0 {
                let drag = MassDamping::new(&inertia, beam.mass_damping);
                self.builder.force(&format!("{}.element{e} drag", beam.name), Box::new(drag));
            }
            self.builder.inertia(match beam.mass {
                MassModel::Consistent => inertia,
                MassModel::Lumped => lumped_cable_mass(&ends, mass, LUMPED * mass * l * l),
            });
            let normal = spec.design.normal;
            self.cable_loads(beam, &CableElement { ends: &ends, from, length: l, axes: &axes, normal })?;
        }
        for k in beam.nodes.clone() {
            self.tie(spec, k);
        }
        Ok(forces)
    }

    /// Loads and moments per length on an element.
    fn cable_loads(&mut self, beam: &BeamSpec, on: &CableElement) -> Result<(), Diagnostic> {
        let [load, moment] = match beam.load_axes {
            LoadAxes::World => [CableLoadKind::Dead, CableLoadKind::Moment],
            LoadAxes::Section => [CableLoadKind::Follower, CableLoadKind::SectionMoment],
        };
        let laws =
            [(&beam.load, &beam.load_law, load, "load"), (&beam.moment, &beam.moment_law, moment, "moment")];
        for (of_time, of_state, kind, word) in laws {
            let name = format!("{} {word}", beam.name);
            if let Some(law) = of_time {
                let CableElement { ends, from, length, axes, normal } = *on;
                let load = CableLoad::new(ends, from, length, kind, law.clone(), axes, normal);
                self.builder.force(&name, Box::new(load));
            }
            if let Some(law) = of_state {
                let load = self.cable_load(law, on, kind)?;
                self.builder.force(&name, load);
            }
        }
        Ok(())
    }

    /// The elements between the nodes of a line. Nodes with section axes lend their third axes as slopes.
    pub(super) fn elements_of(&self, line: &LineSpec) -> Vec<[SlopeNode; 2]> {
        let axis = |k: usize| {
            let node = self.nodes[k];
            let (place, slope) = (Carried::point(node, Vec3::zeros()), Carried::direction(node, Vec3::z()));
            let lent = SlopeNode { place, slope };
            LineNode { before: lent, behind: lent }
        };
        let nodes: Vec<LineNode> =
            line.nodes.clone().map(|k| self.lines[k].unwrap_or_else(|| axis(k))).collect();
        nodes.windows(2).map(|pair| [pair[0].behind, pair[1].before]).collect()
    }

    pub(super) fn ends_of(&self, beam: &BeamSpec, e: usize) -> [SlopeNode; 2] {
        let node = |k: usize| self.lines[beam.nodes.start + k].expect("a node of a line with slopes");
        [node(e).behind, node(e + 1).before]
    }

    /// Frames at the ends of an element where it is free of stress; behind a corner with the axes of the
    /// piece.
    fn reference_of(&self, beam: &BeamSpec, spec: &CableSpec, e: usize) -> [Frame; 2] {
        let mut frames = [spec.reference[e], spec.reference[e + 1]];
        if let Some(corner) = beam.corners.iter().find(|corner| corner.node == e) {
            frames[0].rot *= corner.turn;
        }
        frames
    }

    /// Ties the frame of a node to its place and slopes.
    fn tie(&mut self, spec: &CableSpec, k: usize) {
        let body = &self.model.bodies[k];
        let (BodyKind::CableNode(cable), Some(line)) = (&body.kind, self.lines[k]) else { return };
        if !cable.is_framed {
            return;
        }
        let frame = self.nodes[k];
        let rotation = cable.node.pose.rotation;
        let mut slopes = vec![(line.before, Vec3::z())];
        if let Some(turn) = cable.turn {
            slopes.push((line.behind, turn.column(2).into_owned()));
        }
        let laws = match (self.model.plane, slopes.as_slice()) {
            (Some(plane), _) => {
                let normal = rotation.tr_mul(&plane.normal());
                vec![planar_tie(frame, &slopes, &normal, axes_of(plane))]
            }
            (None, &[before, behind]) => corner_ties(frame, &[before, behind]).to_vec(),
            // In space a frame is only at corners.
            (None, _) => return,
        };
        for law in laws {
            self.builder.constraint(&format!("{} of the line", body.name), Box::new(law));
        }
        // The share of what stands at the node.
        let lengths: f64 = spec.bounds.windows(2).map(|b| b[1] - b[0]).fold(f64::INFINITY, f64::min);
        let (mass, count) = (spec.design.section.mass * lengths, slopes.len() as f64);
        let (m, j) = (SHARE * mass, SHARE * LUMPED * mass * lengths * lengths);
        let inertia = Mat3::from_diagonal_element(j * count);
        self.builder.body(Body::new(frame, &MassProperties::new(m, Vec3::zeros(), inertia)));
        self.builder.inertia(Inertia::new(vec![line.before.place], |_, _| -m));
        for (slope, _) in slopes {
            self.builder.inertia(Inertia::new(vec![slope.slope], |_, _| -j));
        }
    }
}
