//! What there is to see of a model, and where it is at each sample.

use crate::flexible_scene::scene_flexible;
use crate::looks::{dressed, dressed_beam, ground};
use crate::plate_scene::{axes_on_plate, scene_plates, strip_resultant};
use poinsot_geometry::nalgebra::{Rotation3, SymmetricEigen, UnitQuaternion};
use poinsot_geometry::{Mat3, Pose, Vec3};
use poinsot_mechanics::mass_properties::{Axis, Shape as MassShape, TriangleMesh};
use poinsot_mechanics::{Balance, Instant, Scratch, System};
use poinsot_model::spec::{
    BeamSpec, BodyKind, BodyRef, BodySpec, EndSpec, ForceSpec, Frame, JointSpec, JointSymbol, Load, MassSpec,
    PulleySpec, RopeLaw, Solid as MassSolid, Wheel,
};
use poinsot_model::{Assembly, Model, Probe, View};
use poinsot_results::scene::{
    End, JointSymbol as SceneSymbol, Placement, Scene, SceneBeam, SceneBody, SceneJoint, SceneKind,
    SceneLink, SceneLoad, ScenePulley, Shape, Solid,
};
use poinsot_results::{Block, FrameSize, Frames};

/// Radius of derived rods, in lengths of the model.
const ROD: f64 = 0.02;
/// Radius of the largest point mass, likewise.
const POINT: f64 = 0.04;
/// Bounds of derived solids and section outlines, likewise.
const THICKNESS: [f64; 2] = [0.006, 0.6];
/// Height of the middle of a cone above the centre of its base, in heights.
const CONE_MIDDLE: f64 = 0.5;

/// The scene of a model.
pub fn scene(model: &Model, system: &System, assembly: &Assembly) -> Scene {
    let length = system.length_scale();
    let up = (-model.gravity).try_normalize(0.0).unwrap_or(Vec3::z());
    let mut first = 0;
    let beams = model.beams.iter().map(|beam| {
        first += beam.elements();
        scene_beam(beam, first - beam.elements(), length)
    });
    let beams = beams.enumerate().map(|(k, beam)| dressed_beam(beam, model.looks.beams.get(k), length));
    let beams = beams.collect();
    let mut first = 0;
    let flexible = model.flexible.iter().map(|spec| {
        first += spec.body.size();
        scene_flexible(spec, first - spec.body.size(), length)
    });
    Scene {
        flexible: flexible.collect(),
        name: model.name.clone(),
        length,
        up: up.into(),
        gravity: model.gravity.into(),
        bodies: (0..model.bodies.len())
            .map(|k| dressed(model, k, scene_body(model, assembly, k, length)))
            .collect(),
        ground: ground(model),
        joints: model.joints.iter().map(scene_joint).collect(),
        springs: model.forces.iter().filter_map(spring).collect(),
        loads: model.forces.iter().filter_map(load).collect(),
        beams,
        plates: scene_plates(model, length),
    }
}

fn end(e: &EndSpec) -> End {
    let body = match e.body {
        BodyRef::Ground => None,
        BodyRef::Body(k) => Some(k),
    };
    End { body, at: e.frame.r.into() }
}

fn scene_joint(joint: &JointSpec) -> SceneJoint {
    let declared = joint.kind.declaration();
    let axis = joint.first.frame.rotation.column(2).into_owned();
    SceneJoint {
        name: joint.name.clone(),
        kind: declared.word.into(),
        symbol: symbol(declared.symbol),
        // What runs along a line is where its body is.
        ends: [
            end(if joint.kind.line().is_some() { &joint.second } else { &joint.first }),
            end(&joint.second),
        ],
        axis: declared.has_axis.then(|| axis.into()),
        over: joint.law::<RopeLaw>().map_or(vec![], pulleys),
    }
}

/// The pulleys of a rope.
fn pulleys(rope: &RopeLaw) -> Vec<ScenePulley> {
    let pulley = |pulley: &PulleySpec| ScenePulley {
        at: end(&pulley.on),
        radius: pulley.radius,
        axis: rope.axis.into(),
    };
    rope.pulleys.iter().map(pulley).collect()
}

/// The symbol under its name in a scene.
fn symbol(of: JointSymbol) -> SceneSymbol {
    match of {
        JointSymbol::Pin => SceneSymbol::Pin,
        JointSymbol::Ball => SceneSymbol::Ball,
        JointSymbol::Sleeve => SceneSymbol::Sleeve,
        JointSymbol::Thread => SceneSymbol::Thread,
        JointSymbol::Block => SceneSymbol::Block,
        JointSymbol::Clamp => SceneSymbol::Clamp,
        JointSymbol::Plate => SceneSymbol::Plate,
        JointSymbol::Ring => SceneSymbol::Ring,
        JointSymbol::Cross => SceneSymbol::Cross,
        JointSymbol::Rod => SceneSymbol::Rod,
        JointSymbol::Rope => SceneSymbol::Rope,
    }
}

fn spring(force: &ForceSpec) -> Option<SceneLink> {
    let ends = force.kind.ends().filter(|_| force.kind.declaration().is_link)?;
    Some(SceneLink { name: force.name.clone(), ends: ends.map(end) })
}

fn load(force: &ForceSpec) -> Option<SceneLoad> {
    Some(SceneLoad { name: force.name.clone(), end: end(force.kind.load()?.on) })
}

fn scene_beam(beam: &BeamSpec, first: usize, length: f64) -> SceneBeam {
    // A rectangle of the same ratio of bending to axial stiffness, EI/EA = h²/12.
    let c = &beam.section.stiffness;
    let edge = |bending: f64| {
        let height = (12.0 * bending / c[(2, 2)]).sqrt();
        let [least, most] = THICKNESS.map(|share| share * length);
        if height.is_finite() { height.clamp(least, most) } else { least }
    };
    let (x, y) = (0.5 * edge(c[(4, 4)]), 0.5 * edge(c[(3, 3)]));
    SceneBeam {
        name: beam.name.clone(),
        nodes: beam.nodes.clone().collect(),
        order: beam.order,
        elements: beam.elements(),
        first,
        outline: vec![[x, y], [-x, y], [-x, -y], [x, -y]],
        color: None,
    }
}

fn scene_body(model: &Model, assembly: &Assembly, k: usize, length: f64) -> SceneBody {
    let body = &model.bodies[k];
    let (kind, shapes) = match &body.kind {
        BodyKind::BeamNode(_)
        | BodyKind::CableNode(_)
        | BodyKind::FloatingFrame(_)
        | BodyKind::Interface(_)
        | BodyKind::PlateNode(_) => (SceneKind::Node, vec![]),
        BodyKind::Point(point) => {
            let heaviest = model.bodies.iter().filter_map(point_mass).fold(0.0, f64::max);
            let radius = POINT * length * (point.mass / heaviest).cbrt().max(0.3);
            (SceneKind::Point, vec![derived(Solid::Sphere { radius }, Placement::default())])
        }
        BodyKind::Rigid(rigid) => match &rigid.mass {
            MassSpec::Shapes(shapes) => {
                let given = shapes.iter().map(|s| solid(&s.solid, &s.pose)).collect();
                (SceneKind::Body, given)
            }
            MassSpec::Given { mass, centre_of_mass, inertia } => {
                let shapes = rolling(model, k)
                    .or_else(|| linkage(model, k, centre_of_mass, length))
                    .unwrap_or_else(|| vec![inertia_solid(*mass, centre_of_mass, inertia, length)]);
                (SceneKind::Body, shapes)
            }
        },
    };
    SceneBody { name: body.name.clone(), kind, centre: assembly.centres[k].into(), shapes }
}

fn point_mass(body: &BodySpec) -> Option<f64> {
    match &body.kind {
        BodyKind::Point(point) => Some(point.mass),
        _ => None,
    }
}

fn derived(solid: Solid, pose: Placement) -> Shape {
    Shape { solid, pose, color: None, derived: true }
}

/// The wheel or the ball that rolls; none if the body does not.
fn rolling(model: &Model, k: usize) -> Option<Vec<Shape>> {
    let of_joint = |joint: &JointSpec| {
        let frame = &joint.second.frame;
        match joint.kind.wheel().filter(|_| joint.second.body == BodyRef::Body(k))? {
            Wheel::Disk(radius) => Some(wheel(frame, radius)),
            Wheel::Ball(radius) => Some(vec![derived(Solid::Sphere { radius }, placement(frame))]),
        }
    };
    model.joints.iter().find_map(of_joint)
}

/// A rim about z with two spokes across, by which its turning is seen.
fn wheel(frame: &Pose, radius: f64) -> Vec<Shape> {
    let rim = Solid::Tube { outer: radius, inner: 0.86 * radius, length: 0.12 * radius };
    let across = |k: usize| {
        let arm = frame.rotation.column(k) * (0.9 * radius);
        rod(&(frame.r - arm), &(frame.r + arm), 0.03 * radius)
    };
    vec![derived(rim, placement(frame)), across(0), across(1)]
}

/// Rods from the centre of mass to where joints and springs hold a body; none if they hold it nowhere else.
fn linkage(model: &Model, k: usize, centre: &Vec3, length: f64) -> Option<Vec<Shape>> {
    let joints = model.joints.iter().flat_map(|j| [&j.first, &j.second]);
    let springs = model.forces.iter().map(|f| &f.kind).filter(|kind| kind.declaration().holds_rods);
    let springs = springs.filter_map(|kind| kind.ends()).flatten();
    let mut points: Vec<Vec3> = vec![];
    for end in joints.chain(springs).filter(|end| end.body == BodyRef::Body(k)) {
        let far = |p: &Vec3| (end.frame.r - p).norm() > 1e-3 * length;
        if far(centre) && points.iter().all(far) {
            points.push(end.frame.r);
        }
    }
    if points.is_empty() {
        return None;
    }
    let mut shapes: Vec<Shape> = points.iter().map(|p| rod(centre, p, ROD * length)).collect();
    let ball = Placement { position: (*centre).into(), ..Placement::default() };
    shapes.push(derived(Solid::Sphere { radius: 1.6 * ROD * length }, ball));
    Some(shapes)
}

fn rod(a: &Vec3, b: &Vec3, radius: f64) -> Shape {
    let along = b - a;
    let turn = Rotation3::rotation_between(&Vec3::z(), &along)
        .unwrap_or_else(|| Rotation3::from_axis_angle(&Vec3::x_axis(), std::f64::consts::PI));
    let pose = placement(&Pose::new((a + b) * 0.5, turn.into_inner()));
    derived(Solid::Capsule { radius, length: along.norm() }, pose)
}

/// The solid with the mass and the principal moments of a body: a cylinder where just two of them are equal,
/// r² = 2 J₃/m, l² = 12 J₁/m − 3 r², else a cuboid, a² = 6 (J₂ + J₃ − J₁)/m.
fn inertia_solid(mass: f64, centre: &Vec3, inertia: &Mat3, length: f64) -> Shape {
    let eigen = SymmetricEigen::new(*inertia);
    let j = eigen.eigenvalues;
    let [least, most] = THICKNESS.map(|share| share * length);
    let edge = |square: f64| square.max(0.0).sqrt().clamp(least, 2.0 * most);
    let equal = |a: usize, b: usize| (j[a] - j[b]).abs() <= 1e-9 * j.max();
    let round = (0..3).find(|&k| {
        let [a, b] = [(k + 1) % 3, (k + 2) % 3];
        equal(a, b) && !equal(a, k)
    });
    let (solid, order) = match round {
        Some(k) => {
            let square = 2.0 * j[k] / mass;
            let across = (k + 1) % 3;
            let radius = 0.5 * edge(4.0 * square);
            (
                Solid::Cylinder { radius, length: edge(12.0 * j[across] / mass - 3.0 * square) },
                [across, (k + 2) % 3, k],
            )
        }
        None => {
            let size = std::array::from_fn(|i| edge(6.0 * (j.sum() - 2.0 * j[i]) / mass));
            (Solid::Box { size }, [0, 1, 2])
        }
    };
    let mut axes = Mat3::from_columns(&order.map(|k| eigen.eigenvectors.column(k).into_owned()));
    if axes.determinant() < 0.0 {
        axes.column_mut(0).neg_mut();
    }
    derived(solid, placement(&Pose::new(*centre, axes)))
}

/// A pose as a scene has it.
pub fn placement(pose: &Pose) -> Placement {
    Placement { position: pose.r.into(), rotation: quaternion(&pose.rotation) }
}

/// Quaternion (x, y, z, w) of a rotation.
fn quaternion(rotation: &Mat3) -> [f64; 4] {
    let q = UnitQuaternion::from_rotation_matrix(&Rotation3::from_matrix_unchecked(*rotation));
    [q.i, q.j, q.k, q.w]
}

/// The turn of z into an axis.
pub fn along(axis: Axis) -> Mat3 {
    match axis {
        Axis::X => Rotation3::from_axis_angle(&Vec3::y_axis(), std::f64::consts::FRAC_PI_2).into_inner(),
        Axis::Y => Rotation3::from_axis_angle(&Vec3::x_axis(), -std::f64::consts::FRAC_PI_2).into_inner(),
        Axis::Z => Mat3::identity(),
    }
}

/// A solid of the mass as it looks.
pub fn solid(solid: &MassSolid, pose: &Pose) -> Shape {
    let (look, turn, shift) = match solid {
        MassSolid::Mesh(mesh) => (mesh_solid(mesh), Mat3::identity(), 0.0),
        MassSolid::Shape(shape) => match shape {
            MassShape::Box { size } => (Solid::Box { size: *size }, Mat3::identity(), 0.0),
            MassShape::Sphere { radius } => (Solid::Sphere { radius: *radius }, Mat3::identity(), 0.0),
            MassShape::Cylinder { radius, length, axis } => {
                (Solid::Cylinder { radius: *radius, length: *length }, along(*axis), 0.0)
            }
            MassShape::HollowCylinder { outer_radius, inner_radius, length, axis } => {
                let tube = Solid::Tube { outer: *outer_radius, inner: *inner_radius, length: *length };
                (tube, along(*axis), 0.0)
            }
            MassShape::Cone { radius, height, axis } => {
                (Solid::Cone { radius: *radius, length: *height }, along(*axis), CONE_MIDDLE * height)
            }
            MassShape::Mesh(mesh) => (mesh_solid(mesh), Mat3::identity(), 0.0),
            MassShape::Tetrahedron { corners } => {
                let triangles = vec![[0, 1, 2], [0, 2, 3], [0, 3, 1], [1, 3, 2]];
                let mesh = TriangleMesh { vertices: corners.to_vec(), triangles };
                (mesh_solid(&mesh), Mat3::identity(), 0.0)
            }
        },
    };
    let turn = pose.rotation * turn;
    let pose = placement(&Pose::new(pose.r + turn * Vec3::new(0.0, 0.0, shift), turn));
    Shape { solid: look, pose, color: None, derived: false }
}

fn mesh_solid(mesh: &TriangleMesh) -> Solid {
    let vertices = mesh.vertices.iter().flat_map(|v| [v.x as f32, v.y as f32, v.z as f32]);
    let triangles = mesh.triangles.iter().flatten().map(|&i| i as u32);
    Solid::Mesh {
        vertices: Block::f32(&[mesh.vertices.len(), 3], vertices),
        triangles: Block::u32(&[mesh.triangles.len(), 3], triangles),
    }
}

/// Records where everything is.
#[derive(Debug, Default)]
pub struct FrameRecorder {
    /// The frames so far.
    pub frames: Frames,
    row: Vec<f32>,
    scratch: Scratch,
    probe: Probe,
}

impl FrameRecorder {
    /// For a scene.
    pub fn new(scene: &Scene) -> Self {
        let frames = Frames::new(FrameSize::of(scene));
        FrameRecorder { frames, ..FrameRecorder::default() }
    }

    /// Takes in an instant.
    pub fn record(&mut self, model: &Model, system: &System, assembly: &Assembly, at: &Instant, axis: f64) {
        let finite = self.row(model, system, assembly, at).iter().all(|x| x.is_finite());
        if finite {
            self.frames.push(axis, &self.row);
        }
    }

    /// The numbers of a frame.
    pub fn row(&mut self, model: &Model, system: &System, assembly: &Assembly, at: &Instant) -> &[f32] {
        self.row.clear();
        for k in 0..model.bodies.len() {
            let rot = self.axes_on_line(model, system, assembly, at, k);
            let rot = rot.or_else(|| axes_on_plate(model, assembly, at, k));
            let q = quaternion(&rot.unwrap_or(at.frames[assembly.nodes[k]].rot));
            let r = assembly.position(BodyRef::Body(k), at);
            self.row.extend(r.iter().chain(&q).map(|&x| x as f32));
        }
        for k in 0..model.joints.len() {
            let reaction = system.reaction(k, at, &mut self.scratch);
            self.wrench(&reaction.force, &reaction.torque);
        }
        for force in &model.forces {
            let view = View { model, assembly, system, at: *at, balance: &Balance::default(), results: None };
            if let Some((force, torque)) = applied(force, &view, &mut self.probe) {
                self.wrench(&force, &torque);
            }
        }
        for &element in assembly.beams.iter().flatten() {
            let state = system.section_state(element, 0.0, at, &mut self.scratch);
            let resultant = state.map_or([0.0; 6], |state| state.resultant.into());
            self.row.extend(resultant.map(|x| x as f32));
        }
        self.plates(model, system, assembly, at);
        let deformed = assembly.shapes.iter().flatten().map(|&node| at.frames[node].r.x as f32);
        self.row.extend(deformed);
        &self.row
    }

    /// Section forces of strips along the first sides of plates.
    fn plates(&mut self, model: &Model, system: &System, assembly: &Assembly, at: &Instant) {
        for (plate, elements) in model.plates.iter().zip(&assembly.plates) {
            let width = plate.sides[1] / plate.elements[1] as f64;
            for &element in elements {
                let found = system.stress_resultants(element, [0.0; 2], at, &mut self.scratch);
                let resultant = found.map_or([0.0; 6], |found| strip_resultant(&found, width));
                self.row.extend(resultant.map(|x| x as f32));
            }
        }
    }

    /// Section axes at a node of a line with slopes, whose point has none.
    fn axes_on_line(
        &mut self,
        model: &Model,
        system: &System,
        assembly: &Assembly,
        at: &Instant,
        k: usize,
    ) -> Option<Mat3> {
        let BodyKind::CableNode(_) = &model.bodies[k].kind else { return None };
        let beam = model.beams.iter().position(|beam| beam.nodes.contains(&k))?;
        let (place, elements) = (k - model.beams[beam].nodes.start, &assembly.beams[beam]);
        let order = model.beams[beam].order;
        let element = place.saturating_sub(1) / order;
        let xi = 2.0 * (place - element * order) as f64 / order as f64 - 1.0;
        let force = *elements.get(element)?;
        Some(system.section_place(force, xi, at, &mut self.scratch)?.axes)
    }

    fn wrench(&mut self, force: &Vec3, torque: &Vec3) {
        self.row.extend(force.iter().chain(torque.iter()).map(|&x| x as f32));
    }
}

/// Force and torque of a load in world axes.
fn applied(force: &ForceSpec, view: &View, probe: &mut Probe) -> Option<(Vec3, Vec3)> {
    let Load { on, components, frame, is_torque } = force.kind.load()?;
    let mut value = Vec3::from_fn(|i, _| match &force.law {
        Some(law) => probe.formula(&law[i], view, &[]),
        None => components[i].value(&[view.at.t]),
    });
    if frame == Frame::Body {
        value = view.at.frames[view.assembly.node(on.body)].rot * (on.frame.rotation * value);
    }
    Some(if is_torque { (Vec3::zeros(), value) } else { (value, Vec3::zeros()) })
}
