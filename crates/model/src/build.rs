//! The last stage: a specification becomes a system of equations.

mod beam;
mod cable;
mod flexible;
mod law;
mod line_place;
mod network;
mod parts;
mod plate;
mod section_line;
mod site;

use crate::diagnostic::Diagnostic;
use crate::spec::{Amount, BodyKind, BodyRef, MassSpec, Model, Plane, ShapeSpec, Solid};
use cable::{LineNode, add_line_node};
use parts::Parts;
use poinsot_geometry::{Mat3, Pose, Vec3};
use poinsot_mechanics::mass_properties::{MassError, Shape, TriangleMesh};
use poinsot_mechanics::{
    Body, Carried, Chart, Frame, GROUND, Instant, MassProperties, NodeId, System, SystemBuilder, Twist,
};
use section_line::add_section_node;
pub use site::Site;

/// Where the things of a model are in its system: constraint `i` is joint `i`, force `i` is force `i`.
#[derive(Clone, Debug)]
pub struct Assembly {
    /// Node of each body; its origin is the centre of mass, where the mass matrix is constant.
    pub nodes: Vec<NodeId>,
    /// Centre of mass of each body from its reference point, body axes.
    pub centres: Vec<Vec3>,
    /// Tracked coordinates of each joint.
    pub coordinates: Vec<Vec<usize>>,
    /// Friction of each joint.
    pub frictions: Vec<Option<usize>>,
    /// Forces of each joint's stops, in the order of its limits.
    pub stops: Vec<Vec<usize>>,
    /// Constraint of each coupling.
    pub couplings: Vec<usize>,
    /// Constraint of each drive.
    pub drives: Vec<usize>,
    /// Constraint of each equation.
    pub equations: Vec<usize>,
    /// Forces that are the elements of each beam.
    pub beams: Vec<Vec<usize>>,
    /// Forces that are the elements of each plate, the first side running faster.
    pub plates: Vec<Vec<usize>>,
    /// Slopes of the nodes of each plate along its sides.
    pub plate_slopes: Vec<Vec<[Carried; 2]>>,
    /// Nodes of the numbers of each flexible body's shapes.
    pub shapes: Vec<Vec<NodeId>>,
    /// First variable of each block of first-order equations in the network that they all make.
    pub variables: Vec<usize>,
}

impl Assembly {
    /// Node of a body or ground.
    pub fn node(&self, body: BodyRef) -> NodeId {
        match body {
            BodyRef::Ground => GROUND,
            BodyRef::Body(index) => self.nodes[index],
        }
    }

    /// A point of a body, given from its reference point, as seen from its node.
    pub fn from_node(&self, body: BodyRef, point: &Vec3) -> Vec3 {
        match body {
            BodyRef::Ground => *point,
            BodyRef::Body(index) => point - self.centres[index],
        }
    }

    /// Equation number of a variable of a block of first-order equations.
    pub fn variable(&self, system: &System, block: usize, index: usize) -> usize {
        system.networks()[0].unknown(self.variables[block] + index)
    }

    /// World position of a body's reference point.
    pub fn position(&self, body: BodyRef, at: &Instant) -> Vec3 {
        let z = &at.frames[self.node(body)];
        z.r + z.rot * self.from_node(body, &Vec3::zeros())
    }
}

/// Builds the system of a model.
pub fn build(model: &Model) -> Result<(System, Assembly), Diagnostic> {
    let mut builder = SystemBuilder::new(model.gravity);
    if let Some(frame) = model.turning {
        builder.turning(frame);
    }
    let Placed { nodes, centres, lines, sections } = add_bodies(model, &mut builder)?;
    let shapes = flexible::add_numbers(model, &mut builder);
    let mut parts = Parts {
        model,
        builder,
        nodes,
        centres,
        lines,
        sections,
        shapes,
        coordinates: vec![],
        couplings: vec![],
        drives: vec![],
        equations: vec![],
        commands: vec![],
        places: vec![],
    };
    parts.hold_line_places();
    let (mut tracked, mut frictions) = (vec![], vec![]);
    for (index, joint) in model.joints.iter().enumerate() {
        tracked.push(parts.joint(index, joint));
        frictions.push(joint.friction.map(|friction| parts.friction(index, joint, &friction)));
    }
    model.couplings.iter().try_for_each(|c| parts.coupling(c))?;
    model.drives.iter().try_for_each(|d| parts.drive(d))?;
    model.constraints.iter().try_for_each(|c| parts.equation(c))?;
    for force in &model.forces {
        let law = parts.force(force)?;
        parts.builder.force(&force.name, law);
    }
    let beams: Result<_, Diagnostic> = model.beams.iter().map(|beam| parts.beam(beam)).collect();
    (0..model.flexible.len()).for_each(|index| parts.flexible(index));
    let plates: Result<Vec<_>, Diagnostic> = model.plates.iter().map(|plate| parts.plate(plate)).collect();
    let (plates, plate_slopes) = plates?.into_iter().unzip();
    let variables = parts.network()?;
    parts.static_loads()?;
    let stops: Result<_, Diagnostic> =
        model.joints.iter().enumerate().map(|(index, joint)| parts.stops(index, joint)).collect();
    let Parts { mut builder, nodes, centres, shapes, couplings, drives, equations, .. } = parts;
    let assembly = Assembly {
        nodes,
        centres,
        coordinates: tracked,
        frictions,
        stops: stops?,
        couplings,
        drives,
        equations,
        beams: beams?,
        plates,
        plate_slopes,
        shapes,
        variables,
    };
    model.additions.iter().for_each(|addition| addition.add(&mut builder, &assembly));
    Ok((builder.build(), assembly))
}

/// The nodes of bodies.
struct Placed {
    nodes: Vec<NodeId>,
    centres: Vec<Vec3>,
    /// Places and slopes of those that are nodes of lines with slopes.
    lines: Vec<Option<LineNode>>,
    /// Vectors of those that are nodes with section axes as slopes and have no frame.
    sections: Vec<Option<Vec<Carried>>>,
}

/// Adds the bodies; returns their nodes and centres of mass.
fn add_bodies(model: &Model, b: &mut SystemBuilder) -> Result<Placed, Diagnostic> {
    let (mut nodes, mut centres, mut lines) = (vec![], vec![], vec![None; model.bodies.len()]);
    let mut sections = vec![None; model.bodies.len()];
    for (k, body) in model.bodies.iter().enumerate() {
        let Pose { r, rotation } = body.pose();
        let (properties, twist) = match &body.kind {
            BodyKind::Rigid(rigid) => {
                let twist =
                    Twist { linear: rigid.velocity, angular: rotation.tr_mul(&rigid.angular_velocity) };
                (mass_of(&rigid.mass)?, twist)
            }
            BodyKind::Point(point) => {
                let twist = Twist { linear: point.velocity, angular: Vec3::zeros() };
                (MassProperties::point(point.mass, Vec3::zeros()), twist)
            }
            BodyKind::PlateNode(node) => {
                let twist = Twist { linear: node.velocity, angular: Vec3::zeros() };
                nodes.push(b.node(&body.name, Chart::Point, Frame { r, rot: rotation }, twist));
                centres.push(Vec3::zeros());
                continue;
            }
            BodyKind::CableNode(cable) => {
                let own = chart(model.plane, false, &rotation);
                if cable.sections {
                    let (node, carried) = add_section_node(b, model.plane, body, cable, own);
                    sections[k] = carried;
                    nodes.push(node);
                    centres.push(Vec3::zeros());
                    continue;
                }
                let (node, line) = add_line_node(b, model.plane, body, cable, own);
                lines[k] = Some(line);
                nodes.push(node);
                centres.push(Vec3::zeros());
                continue;
            }
            BodyKind::BeamNode(node) | BodyKind::FloatingFrame(node) | BodyKind::Interface(node) => {
                let twist = Twist { linear: node.velocity, angular: rotation.tr_mul(&node.angular_velocity) };
                let chart = chart(model.plane, false, &rotation);
                nodes.push(b.node(&body.name, chart, Frame { r, rot: rotation }, twist));
                centres.push(Vec3::zeros());
                continue;
            }
        };
        let centre = properties.centre;
        let start = Frame { r: r + rotation * centre, rot: rotation };
        let carried = rotation * twist.angular.cross(&centre);
        let twist = Twist { linear: twist.linear + carried, ..twist };
        let chart = chart(model.plane, body.is_point(), &rotation);
        let node = b.node(&body.name, chart, start, twist);
        let about_centre = MassProperties::new(properties.mass, Vec3::zeros(), properties.inertia);
        b.body(Body::new(node, &about_centre));
        nodes.push(node);
        centres.push(centre);
    }
    Ok(Placed { nodes, centres, lines, sections })
}

/// How a body moves in space or in the model's plane.
fn chart(plane: Option<Plane>, point: bool, rotation: &Mat3) -> Chart {
    let Some(plane) = plane else {
        return if point { Chart::Point } else { Chart::Motion };
    };
    let (e1, e2) = match plane {
        Plane::Xy => (Vec3::x(), Vec3::y()),
        Plane::Yz => (Vec3::y(), Vec3::z()),
        Plane::Zx => (Vec3::z(), Vec3::x()),
    };
    if point {
        Chart::PlanarPoint { e1, e2 }
    } else {
        Chart::Planar { e1, e2, normal: rotation.tr_mul(&e1.cross(&e2)) }
    }
}

fn mass_of(mass: &MassSpec) -> Result<MassProperties, Diagnostic> {
    match mass {
        MassSpec::Given { mass, centre_of_mass, inertia } => {
            Ok(MassProperties::new(*mass, *centre_of_mass, *inertia))
        }
        MassSpec::Shapes(shapes) => {
            let parts: Result<Vec<_>, Diagnostic> = shapes.iter().map(mass_of_shape).collect();
            Ok(MassProperties::sum(&parts?))
        }
    }
}

fn mass_of_shape(shape: &ShapeSpec) -> Result<MassProperties, Diagnostic> {
    let fail = |error: MassError| Diagnostic::error(error.to_string()).at(shape.span.clone(), "this shape");
    let solid = solid(&shape.solid);
    let properties = match shape.amount {
        Amount::Density(density) => solid.with_density(density),
        Amount::Mass(mass) => solid.with_mass(mass),
    };
    Ok(properties.map_err(fail)?.moved(&shape.pose.rotation, &shape.pose.r))
}

fn solid(solid: &Solid) -> Shape {
    match solid {
        Solid::Shape(shape) => shape.clone(),
        Solid::Mesh(mesh) => Shape::Mesh(TriangleMesh::clone(mesh)),
    }
}
