//! What the tests of joints share: bodies, laws, runs, Newton–Euler loads.

#[path = "../../../../mechanics/tests/suite/random.rs"]
mod random;

use poinsot_analysis::*;
use poinsot_expr::{Expr, Function, SmoothFunction};
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::{Member, Method, Settings};
use poinsot_mechanics::joints::Attachment;
use poinsot_mechanics::*;
pub use random::Random;

pub const STILL: Twist = Twist { linear: Vec3::new(0.0, 0.0, 0.0), angular: Vec3::new(0.0, 0.0, 0.0) };

/// A law of time.
pub fn law(text: &str) -> SmoothFunction {
    SmoothFunction::new(&Expr::parse(text).unwrap(), &["t"], &|_| None).unwrap()
}

/// Components of a load as constants.
pub fn load(v: Vec3) -> [Function; 3] {
    [0, 1, 2].map(|k| Function::constant(v[k]))
}

/// Rotation about the third axis.
pub fn turn(angle: f64) -> Mat3 {
    so3::exp(&Vec3::new(0.0, 0.0, angle))
}

/// Axes whose third is `axis`.
pub fn axes_along(axis: &Vec3) -> Mat3 {
    let w = axis.normalize();
    let helper = if w.x.abs() < 0.9 { Vec3::x() } else { Vec3::y() };
    let u = helper.cross(&w).normalize();
    Mat3::from_columns(&[u, w.cross(&u), w])
}

pub fn attach(node: NodeId, origin: Vec3, axes: Mat3) -> Attachment {
    Attachment { node, origin, axes }
}

/// The attachment of a node that coincides at the start with a frame given in world axes.
pub fn attach_at(b: &SystemBuilder, node: NodeId, point: Vec3, axes: Mat3) -> Attachment {
    let z = *b.start(node);
    Attachment { node, origin: z.rot.tr_mul(&(point - z.r)), axes: z.rot.tr_mul(&axes) }
}

/// A rigid body with its reference point in the centre of mass.
pub fn rigid(b: &mut SystemBuilder, name: &str, r: Vec3, rot: Mat3, mass: f64, inertia: Vec3) -> NodeId {
    let node = b.node(name, Chart::Motion, Frame { r, rot }, STILL);
    b.body(Body::new(node, &MassProperties::new(mass, Vec3::zeros(), Mat3::from_diagonal(&inertia))));
    node
}

type Reader<'a> = Box<dyn FnMut(&System, &Sample) -> Vec<f64> + 'a>;

/// Keeps (t, numbers read) of every sample.
struct Record<'a> {
    read: Reader<'a>,
    rows: Rows,
}

pub type Rows = Vec<(f64, Vec<f64>)>;

impl Observer for Record<'_> {
    fn sample(&mut self, system: &System, sample: &Sample) -> Result<(), Halt> {
        self.rows.push((sample.at.t, (self.read)(system, sample)));
        Ok(())
    }

    fn keep_going(&mut self, _t: f64) -> bool {
        true
    }
}

/// The default integrator at the tightest useful tolerance.
pub fn default_method() -> Method {
    Settings { tolerance: 1e-13, max_iterations: 40, ..Settings::default() }.into()
}

/// The midpoint rule, without numerical damping.
pub fn midpoint() -> Method {
    let member = Member::v0(1.0, 1.0, 0.0);
    Settings { member, tolerance: 1e-13, max_iterations: 40, ..Settings::default() }.into()
}

/// Starts and runs to `end` in `steps` steps, looking every `stride` of them.
pub fn run<'a>(
    system: &mut System,
    method: Method,
    end: f64,
    steps: usize,
    stride: usize,
    read: impl FnMut(&System, &Sample) -> Vec<f64> + 'a,
) -> (MotionReport, Rows) {
    let (state, _) = consistent_start(system, 0.0).unwrap_or_else(|e| panic!("{e}"));
    run_from(system, state, method, end, steps, stride, read)
}

/// The same from a state.
pub fn run_from<'a>(
    system: &mut System,
    state: State,
    method: Method,
    end: f64,
    steps: usize,
    stride: usize,
    read: impl FnMut(&System, &Sample) -> Vec<f64> + 'a,
) -> (MotionReport, Rows) {
    let study = MotionStudy::fixed(end, end / steps as f64, stride, method);
    let mut record = Record { read: Box::new(read), rows: vec![] };
    let report = run_motion(system, state, &study, &mut record).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(report.ending, Ending::Completed);
    (report, record.rows)
}

/// log₂ of the ratio of two errors, one at h and one at h/2.
pub fn order(coarse: f64, fine: f64) -> f64 {
    (coarse / fine).log2()
}

#[track_caller]
pub fn near(got: f64, expected: f64, tolerance: f64, what: &str) {
    assert!(
        (got - expected).abs() <= tolerance,
        "{what}: {got:.14e} instead of {expected:.14e}, off by {:.2e}",
        (got - expected).abs()
    );
}

#[track_caller]
pub fn near3(got: &Vec3, expected: &Vec3, tolerance: f64, what: &str) {
    assert!((got - expected).norm() <= tolerance, "{what}: {got:?} instead of {expected:?}");
}

/// A force and a moment about a point that is known from the context.
#[derive(Clone, Copy, Debug)]
pub struct Wrench {
    pub force: Vec3,
    pub moment: Vec3,
}

/// A body's rigid motion at the point P: the velocity of the body there, and its angular velocity (world).
#[derive(Clone, Copy, Debug)]
pub struct RigidMotion {
    pub velocity: Vec3,
    pub spin: Vec3,
}

pub fn motion_at(system: &System, node: NodeId, p: &Vec3, at: &Instant) -> RigidMotion {
    let z = &at.frames[node];
    let own = system.twist(node, at.v);
    let spin = z.rot * own.angular;
    RigidMotion { velocity: own.linear + spin.cross(&(p - z.r)), spin }
}

/// Newton–Euler: what must act on a body besides gravity, with its moment about P, for the accelerations at
/// hand,
///
/// F = m (a_G − g),   M_P = R (J_G α + ω × J_G ω) + (x_G − P) × F.
pub fn newton_euler(system: &System, node: NodeId, p: &Vec3, at: &Instant) -> Wrench {
    let mut sum = Wrench { force: Vec3::zeros(), moment: Vec3::zeros() };
    for body in system.bodies().filter(|body| body.node == node) {
        let (m, c) = (body.mass, body.centre);
        let about_centre = body.inertia - (Mat3::identity() * c.dot(&c) - c * c.transpose()) * m;
        let centre = system.point_motion(node, &c, at);
        let turning = system.angular_motion(node, at);
        let (w, alpha) = (turning.velocity_body, turning.acceleration_body);
        let force = (centre.acceleration - system.gravity) * m;
        let spin_up = turning.rotation * (about_centre * alpha + w.cross(&(about_centre * w)));
        sum.force += force;
        sum.moment += spin_up + (centre.position - p).cross(&force);
    }
    sum
}

impl Wrench {
    pub fn power(&self, of: &RigidMotion) -> f64 {
        self.force.dot(&of.velocity) + self.moment.dot(&of.spin)
    }
}

/// Classical fourth-order Runge–Kutta for ẏ = f(t, y).
pub fn runge_kutta<const N: usize>(
    f: impl Fn(f64, &[f64; N]) -> [f64; N],
    mut y: [f64; N],
    end: f64,
    steps: usize,
) -> [f64; N] {
    let h = end / steps as f64;
    let shifted = |y: &[f64; N], k: &[f64; N], c: f64| std::array::from_fn(|i| y[i] + c * k[i]);
    for n in 0..steps {
        let t = n as f64 * h;
        let k1 = f(t, &y);
        let k2 = f(t + 0.5 * h, &shifted(&y, &k1, 0.5 * h));
        let k3 = f(t + 0.5 * h, &shifted(&y, &k2, 0.5 * h));
        let k4 = f(t + h, &shifted(&y, &k3, h));
        y = std::array::from_fn(|i| y[i] + h / 6.0 * (k1[i] + 2.0 * (k2[i] + k3[i]) + k4[i]));
    }
    y
}
