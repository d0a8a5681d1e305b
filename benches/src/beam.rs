//! Beams in the plane xy: a pendulum, one in free flight, one that is spun up. The data are those of
//! benches/beam_problem.py.

use poinsot_expr::{Expr, Function, SmoothFunction};
use poinsot_flexible::{Isotropic, Material};
use poinsot_geometry::{Mat3, Vec3, Vec6};
use poinsot_mechanics::ancf::solid::{Constitution, PlatePatch, PlateTheory, SolidBeam};
use poinsot_mechanics::ancf::{
    Cable, CableDesign, CablePoints, CableSection, CableStrain, SlopeNode, cable_mass,
};
use poinsot_mechanics::beams::{
    BeamChain, Formulation, MassModel, MotionScheme, Section, SectionMass, node_shares,
};
use poinsot_mechanics::forces::{PointForce, Torque};
use poinsot_mechanics::joints::{Attachment, revolute, spherical};
use poinsot_mechanics::*;

/// A straight beam in the plane xy.
struct Problem {
    from: Vec3,
    to: Vec3,
    gravity: f64,
    /// GA, EA, EI, mass and rotary inertia per length.
    section: [f64; 5],
}

const PENDULUM: Problem = Problem {
    from: Vec3::new(0.0, 0.0, 0.0),
    to: Vec3::new(1.2, 0.0, 0.0),
    gravity: 9.81,
    section: [
        5.0 / 6.0 * 0.7e6 / 2.6 * 0.0018,
        0.7e6 * 0.0018,
        0.7e6 * 1.215e-8,
        5540.0 * 0.0018,
        5540.0 * 1.215e-8,
    ],
};

const FLYING: Problem = Problem {
    from: Vec3::new(6.0, 0.0, 0.0),
    to: Vec3::new(0.0, 8.0, 0.0),
    gravity: 0.0,
    section: [1e4, 1e4, 500.0, 1.0, 10.0],
};

const SPINUP: Problem = Problem {
    from: Vec3::new(0.0, 0.0, 0.0),
    to: Vec3::new(10.0, 0.0, 0.0),
    gravity: 0.0,
    section: [1e7, 2.8e7, 1.4e4, 1.2, 6e-4],
};

/// The force at the end of the flying beam; its moment is −10 times that.
const PULSE: &str = "if(t < 2.5, 3.2*t, if(t < 5, 16 - 3.2*t, 0))";

/// The angle of the root: 6 rad/s after 15 s.
const SPIN: &str = "if(t < 15, 0.4*(t^2/2 + (15/(2*pi))^2*(cos(2*pi*t/15) - 1)), 6*t - 45)";

fn function(text: &str) -> Function {
    Function::new(&Expr::parse(text).unwrap(), &["t"], &|_| None).unwrap()
}

fn on(node: usize) -> Attachment {
    Attachment { node, origin: Vec3::zeros(), axes: Mat3::identity() }
}

/// A line by places and slopes, held by a pin at its start, and its places.
fn line(p: &Problem, planar: bool, elements: usize) -> (System, Vec<usize>) {
    let mut b = SystemBuilder::new(Vec3::new(0.0, -p.gravity, 0.0));
    let [_, axial, bending, mass, _] = p.section;
    let section =
        CableSection { axial, bending, fourth: 0.0, axial_viscosity: 0.0, bending_viscosity: 0.0, mass };
    let normal = planar.then(Vec3::z);
    let design = CableDesign {
        section,
        strain: CableStrain::Curvature,
        points: CablePoints::Three,
        normal,
        tension: 0.0,
    };
    let along = (p.to - p.from).normalize();
    let l = (p.to - p.from).norm() / elements as f64;
    let axes = Mat3::from_columns(&[Vec3::z().cross(&along), Vec3::z(), along]);
    let plane = planar.then(|| [Vec3::x(), Vec3::y()]);
    let place = |k: usize| p.from + along * (l * k as f64);
    let nodes: Vec<SlopeNode> = (0..=elements)
        .map(|k| {
            let start = [place(k), along];
            SlopeNode::add_to(&mut b, &format!("node{k}"), plane, start, [Vec3::zeros(); 2])
        })
        .collect();
    for (k, pair) in nodes.windows(2).enumerate() {
        let ends = [pair[0], pair[1]];
        let reference = [place(k), along, place(k + 1), along];
        let law = Cable::new(&ends, l, &reference, axes, &design).unwrap();
        b.force(&format!("element{k}"), Box::new(law));
        b.inertia(cable_mass(&ends, l, mass * l));
    }
    let places: Vec<usize> = nodes.iter().map(|node| node.place.node).collect();
    let ground = Attachment { node: GROUND, origin: p.from, axes: Mat3::identity() };
    b.constraint("pin", Box::new(spherical(&ground, &on(places[0]))));
    (b.build(), places)
}

/// Elements with slopes across the line, held by a pin at their start, and their places.
fn sections(p: &Problem, elements: usize, order: usize) -> (System, Vec<usize>) {
    let mut b = SystemBuilder::new(Vec3::new(0.0, -p.gravity, 0.0));
    let [ga, ea, ei, mass, rotary] = p.section;
    let mass = SectionMass { mass, first: [0.0; 2], second: [rotary, rotary, 0.0] };
    let section = Section::diagonal([ga, ga, ea, ei, ei, ei], mass);
    let kind = SolidBeam::Sections { order, section: &section, initial: Vec6::zeros(), stiffening: 1.0 };
    let along = (p.to - p.from).normalize();
    let rot = Mat3::from_columns(&[Vec3::z().cross(&along), Vec3::z(), along]);
    let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
    let (mut nodes, mut reference) = (vec![], vec![]);
    for (k, share) in node_shares(elements, order).into_iter().enumerate() {
        let frame = Frame { r: p.from.lerp(&p.to, share), rot };
        nodes.push(kind.node(&mut b, &format!("node{k}"), &frame, &still));
        reference.push(frame);
    }
    kind.add_to(&mut b, "beam", &nodes, &reference, 0.0).unwrap();
    let places: Vec<usize> = nodes.iter().map(|node| node[0].node).collect();
    let ground = Attachment { node: GROUND, origin: p.from, axes: Mat3::identity() };
    b.constraint("pin", Box::new(spherical(&ground, &on(places[0]))));
    (b.build(), places)
}

/// Width of the plate that is the pendulum (m).
const WIDTH: f64 = 0.2;

/// A strip of thin plate elements that is the pendulum without Poisson's ratio, held along its first edge,
/// and the places along one side.
fn plate(p: &Problem, elements: usize) -> (System, Vec<usize>) {
    let mut b = SystemBuilder::new(Vec3::new(0.0, -p.gravity, 0.0));
    let [_, ea, ei, mass, _] = p.section;
    let thickness = (12.0 * ei / ea).sqrt();
    let area = WIDTH * thickness;
    let material = Isotropic { young: ea / area, poisson: 0.0 };
    let material = Material::isotropic(material, mass / area).unwrap();
    let along = (p.to - p.from).normalize();
    let patch = PlatePatch {
        name: "plate",
        elements: [elements, 1],
        sides: [(p.to - p.from).norm(), WIDTH],
        thickness,
        material: &material,
        constitution: Constitution::default(),
        theory: PlateTheory::Thin,
    };
    let flat = |u: f64, v: f64| [p.from + along * u + Vec3::z() * v, along, Vec3::z()];
    let reference = patch.reference(flat).unwrap();
    let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
    // Of the edge that is held the places and the slopes along it.
    let nodes = patch.add_nodes(&mut b, &reference, &still, |[i, _], k, x| match (i, k) {
        (0, 0) => Some(Carried::point(GROUND, *x)),
        (0, 2) => Some(Carried::direction(GROUND, *x)),
        _ => None,
    });
    patch.add_to(&mut b, &nodes).unwrap();
    (b.build(), nodes[..=elements].iter().map(|node| node.carried[0].node).collect())
}

/// The system and the nodes of the beam.
pub fn beam(case: &str, space: &str, elements: usize, order: usize) -> (System, Vec<usize>) {
    let p = match case {
        "pendulum" => PENDULUM,
        "flying" => FLYING,
        "spinup" => SPINUP,
        other => panic!("no case {other}: pendulum, flying or spinup"),
    };
    if let "plane-ancf" | "space-ancf" | "space-sections" | "plate" = space {
        assert_eq!(case, "pendulum", "lines and plates with slopes are set up for the pendulum");
        return match space {
            "space-sections" => sections(&p, elements, order),
            "plate" => plate(&p, elements),
            _ => line(&p, space == "plane-ancf", elements),
        };
    }
    let mut b = SystemBuilder::new(Vec3::new(0.0, -p.gravity, 0.0));
    let along = (p.to - p.from).normalize();
    let rot = Mat3::from_columns(&[Vec3::z().cross(&along), Vec3::z(), along]);
    let plane = Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::y() };
    let motion = Formulation::Motion(MotionScheme::default());
    let (chart, formulation) = match space {
        "plane" => (plane, Formulation::Director),
        "space" => (Chart::Motion, Formulation::Director),
        "plane-motion" => (plane, motion),
        "space-motion" => (Chart::Motion, motion),
        other => {
            panic!(
                "no space {other}: plane, space, plane-motion, space-motion, plane-ancf, space-ancf, \
                 space-sections or plate"
            )
        }
    };
    let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
    let (mut nodes, mut reference) = (vec![], vec![]);
    for (k, share) in node_shares(elements, order).into_iter().enumerate() {
        let frame = Frame { r: p.from.lerp(&p.to, share), rot };
        nodes.push(b.node(&format!("node{k}"), chart, frame, still));
        reference.push(frame);
    }
    let [ga, ea, ei, mass, rotary] = p.section;
    let mass = SectionMass { mass, first: [0.0; 2], second: [rotary, rotary, 0.0] };
    let section = Section::diagonal([ga, ga, ea, ei, ei, ei], mass);
    let attachments: Vec<Attachment> = nodes.iter().map(|&node| on(node)).collect();
    let chain = BeamChain {
        name: "beam",
        nodes: &attachments,
        reference: &reference,
        order,
        section: &section,
        mass: MassModel::Consistent,
        mass_damping: 0.0,
    };
    chain.add_as(formulation, &mut b).unwrap();
    // Hinge axes along z: the third axis of both attachments.
    let axes = Mat3::from_columns(&[Vec3::x(), Vec3::y(), Vec3::z()]);
    let ground = Attachment { node: GROUND, origin: p.from, axes };
    let root = Attachment { node: nodes[0], origin: Vec3::zeros(), axes: rot.transpose() * axes };
    if case == "flying" {
        let zero = || function("0");
        b.force(
            "force",
            Box::new(PointForce::dead(nodes[0], Vec3::zeros(), [function(PULSE), zero(), zero()])),
        );
        let moment = format!("-10*({PULSE})");
        b.force("moment", Box::new(Torque::dead(nodes[0], [zero(), zero(), function(&moment)])));
    } else {
        b.constraint("pin", Box::new(revolute(&ground, &root)));
    }
    if case == "spinup" {
        let angle = SmoothFunction::new(&Expr::parse(SPIN).unwrap(), &["t"], &|_| None).unwrap();
        let drive = drives::coordinate(Coordinate::angle(&ground, &root), angle, ground.point());
        b.constraint("drive", Box::new(drive));
    }
    (b.build(), nodes)
}
