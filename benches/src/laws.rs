//! Springs and loads that are built in, and the same ones written as laws of the state.

use poinsot_expr::{Expr, Function};
use poinsot_geometry::{Mat3, Mat6, Vec3};
use poinsot_mechanics::forces::{Bushing, CoordinateForce, Governed, PointForce, Torque};
use poinsot_mechanics::joints::Attachment;
use poinsot_mechanics::{
    Blocks, Body, Carried, Chart, Coordinate, Force, Frame, MassProperties, Motion, NodeId, Reading, Speed,
    System, SystemBuilder, Twist,
};

/// An element between two nodes.
pub type Element = fn(NodeId, NodeId) -> Box<dyn Force>;

/// The native spring and the laws that are compared with it; last a native bushing and one by laws.
pub const ELEMENTS: [(&str, Element); 8] = [
    ("spring", spring),
    ("spring law", spring_law),
    ("spring and law", spring_and_law),
    ("drag law", drag_law),
    ("torque law", torque_law),
    ("stop law", stop_law),
    ("bushing", bushing),
    ("bushing law", bushing_law),
];

const STIFFNESS: f64 = 20.0;
const DAMPING: f64 = 0.3;
const FREE: f64 = 0.8;

fn distance(first: NodeId, second: NodeId) -> Coordinate {
    let at = |node| Attachment { node, origin: Vec3::new(0.1, 0.2, 0.0), axes: Mat3::identity() };
    Coordinate::distance(&at(first), &at(second))
}

fn native(first: NodeId, second: NodeId, stiffness: f64, damping: f64) -> CoordinateForce {
    CoordinateForce { coordinate: distance(first, second), stiffness, damping, free: FREE, law: None }
}

fn function(text: &str, names: &[&str]) -> Function {
    let constant = |name: &str| match name {
        "k" => Some(STIFFNESS),
        "c" => Some(DAMPING),
        "l0" => Some(FREE),
        _ => None,
    };
    Function::new(&Expr::parse(text).expect("it parses"), names, &constant).expect("its names are known")
}

/// F = k (l − l₀) + c l̇, built in.
pub fn spring(first: NodeId, second: NodeId) -> Box<dyn Force> {
    Box::new(native(first, second, STIFFNESS, DAMPING))
}

fn governed(element: CoordinateForce, law: &str) -> Box<dyn Force> {
    let length = element.coordinate.clone();
    let read = vec![Reading::Coordinate(length.clone()), Reading::Speed(Speed::Rate(length))];
    let law = [function(law, &["t", "l", "v"])];
    Box::new(Governed::new(Box::new(element), read, &law).expect("it fits"))
}

/// The same spring as a law of its length and rate.
pub fn spring_law(first: NodeId, second: NodeId) -> Box<dyn Force> {
    governed(native(first, second, 0.0, 0.0), "k*(l - l0) + c*v")
}

/// The native spring, and a law of its length and rate beside it.
pub fn spring_and_law(first: NodeId, second: NodeId) -> Box<dyn Force> {
    governed(native(first, second, STIFFNESS, DAMPING), "0.5*l^2 - 0.1*v")
}

/// A drag on a point of the first node by its own velocity.
pub fn drag_law(first: NodeId, _second: NodeId) -> Box<dyn Force> {
    let point = Vec3::new(0.1, 0.2, 0.0);
    let carried = Carried::point(first, point);
    let speeds = (0..3).map(|k| Reading::Speed(Speed::Rate(Coordinate::component(carried, k)))).collect();
    let law =
        ["x", "y", "z"].map(|k| function(&format!("-0.1*{k}*sqrt(x^2 + y^2 + z^2)"), &["t", "x", "y", "z"]));
    let idle = [0.0; 3].map(Function::constant);
    let force = PointForce::dead(first, point, idle);
    Box::new(Governed::new(Box::new(force), speeds, &law).expect("it fits"))
}

/// A torque on the first node by its own angular velocity.
pub fn torque_law(first: NodeId, _second: NodeId) -> Box<dyn Force> {
    let axis = |k: usize| Carried::direction(first, Vec3::ith(k, 1.0));
    let spins = (0..3).map(|k| Reading::Speed(Speed::spin(first, axis(k)))).collect();
    let law = ["p", "q", "r"].map(|w| function(&format!("-0.1*{w}*abs({w})"), &["t", "p", "q", "r"]));
    let idle = [0.0; 3].map(Function::constant);
    Box::new(Governed::new(Box::new(Torque::dead(first, idle)), spins, &law).expect("it fits"))
}

/// A stop of the length between two limits that move with the time.
pub fn stop_law(first: NodeId, second: NodeId) -> Box<dyn Force> {
    let upper = "if(l > 0.9 + 0.01*t, max(k*(l - 0.9 - 0.01*t)*(1 + c*(v - 0.01)), 0), 0)";
    let lower = "if(l < 0.2, max(k*(0.2 - l)*(1 - c*v), 0), 0)";
    governed(native(first, second, 0.0, 0.0), &format!("{upper} - {lower}"))
}

fn mount(first: NodeId, second: NodeId, stiffness: f64, damping: f64) -> Bushing {
    let at = |node| Attachment { node, origin: Vec3::new(0.1, 0.2, 0.0), axes: Mat3::identity() };
    Bushing::new(&at(first), &at(second), Mat6::identity() * stiffness, Mat6::identity() * damping)
}

/// Six springs and dampers, built in.
pub fn bushing(first: NodeId, second: NodeId) -> Box<dyn Force> {
    Box::new(mount(first, second, STIFFNESS, DAMPING))
}

/// A bushing whose six efforts are laws of the distance and its rate.
pub fn bushing_law(first: NodeId, second: NodeId) -> Box<dyn Force> {
    let length = distance(first, second);
    let read = vec![Reading::Coordinate(length.clone()), Reading::Speed(Speed::Rate(length))];
    let law = [1, 2, 3, 4, 5, 6].map(|n| function(&format!("{n}*k*(l - l0) + c*v"), &["t", "l", "v"]));
    Box::new(Governed::new(Box::new(mount(first, second, 0.0, 0.0)), read, &law).expect("it fits"))
}

/// An element with a motion that it sees, and room for what it gives.
#[derive(Debug)]
pub struct Alone {
    element: Box<dyn Force>,
    x: Vec<Vec3>,
    xdot: Vec<Vec3>,
    memory: Vec<f64>,
    f: Vec<Vec3>,
    k: Blocks,
    c: Blocks,
}

impl Alone {
    /// The element in some motion.
    pub fn new(element: Element) -> Self {
        let element = element(1, 2);
        let n = element.carried().len();
        Alone {
            x: (0..n).map(|k| Vec3::new(0.3 + k as f64, 0.7, -0.2 * k as f64)).collect(),
            xdot: (0..n).map(|k| Vec3::new(-0.4, 0.1 * k as f64, 0.9)).collect(),
            memory: vec![0.0; element.memories()],
            f: vec![Vec3::zeros(); n],
            k: Blocks::default(),
            c: Blocks::default(),
            element,
        }
    }

    /// Adds the force.
    pub fn force(&mut self) -> &[Vec3] {
        let Alone { element, x, xdot, memory, f, .. } = self;
        element.force(&Motion { t: 0.3, x, xdot, memory, reactions: &[] }, f);
        f
    }

    /// The tangents.
    pub fn tangent(&mut self) -> [&Blocks; 2] {
        let Alone { element, x, xdot, memory, k, c, .. } = self;
        k.clear();
        c.clear();
        element.tangent(&Motion { t: 0.3, x, xdot, memory, reactions: &[] }, k, c);
        [k, c]
    }
}

/// Free bodies in a row, each with an element to the next one if there is one.
pub fn row(bodies: usize, element: Option<Element>) -> System {
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let node = |b: &mut SystemBuilder, i: usize| {
        let start = Frame { r: Vec3::new(i as f64, 0.1 * (i % 3) as f64, 0.0), rot: Mat3::identity() };
        let velocity =
            Twist { linear: Vec3::new(0.0, 0.3, 0.1 * i as f64), angular: Vec3::new(0.1, 0.2, 0.3) };
        let node = b.node(&format!("body{i}"), Chart::Motion, start, velocity);
        b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), Mat3::identity() * 0.1)));
        node
    };
    let nodes: Vec<NodeId> = (0..bodies).map(|i| node(&mut b, i)).collect();
    for (i, pair) in nodes.windows(2).enumerate() {
        if let Some(element) = element {
            b.force(&format!("element{i}"), element(pair[0], pair[1]));
        }
    }
    b.build()
}
