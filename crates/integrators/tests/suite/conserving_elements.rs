//! Two bodies in free flight, tied by one element after the other: energy and momentum are kept to round-off.

use poinsot_expr::{Expr, SmoothFunction};
use poinsot_geometry::{Mat3, Mat6, Vec3, so3};
use poinsot_integrators::{ConservingSettings, EnergyMomentum, Stepper};
use poinsot_mechanics::conserving::{Coordinates, Rule};
use poinsot_mechanics::forces::{Bushing, CoordinateForce, Stop};
use poinsot_mechanics::joints::*;
use poinsot_mechanics::*;

fn balance(system: &System, state: &State) -> Balance {
    let a = vec![0.0; system.size()];
    let State { t, frames, v, memory, rates, .. } = state;
    system.balance(&Instant { t: *t, frames, v, a: &a, memory, rates }, &mut Scratch::default())
}

fn smooth(text: &str, arguments: &[&str]) -> SmoothFunction {
    SmoothFunction::new(&Expr::parse(text).unwrap(), arguments, &|_| None).unwrap()
}

/// Two bodies that turn together, a spring across them, and what `tie` adds between coinciding attachments.
fn pair(tie: impl Fn(&mut SystemBuilder, Attachment, Attachment)) -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let omega = Vec3::new(2.0, -3.0, 1.5);
    let (places, point) = ([Vec3::zeros(), Vec3::new(1.0, 0.2, 0.1)], Vec3::new(0.4, 0.3, -0.2));
    let axes = so3::exp(&Vec3::new(0.3, -0.5, 0.8));
    let mut ends = vec![];
    for (k, r) in places.into_iter().enumerate() {
        let twist = Twist { linear: omega.cross(&r), angular: omega };
        let node = b.node(&format!("body {k}"), Chart::Motion, Frame { r, rot: Mat3::identity() }, twist);
        let inertia = Mat3::from_diagonal(&Vec3::new(0.2, 0.3, 0.4)) * (1.0 + k as f64);
        b.body(Body::new(node, &MassProperties::new(1.5 + k as f64, Vec3::zeros(), inertia)));
        ends.push(Attachment { node, origin: point - r, axes });
    }
    let (first, second) = (ends[0], ends[1]);
    let coordinate = Coordinate::distance(
        &Attachment { origin: Vec3::new(0.0, 0.6, 0.3), ..first },
        &Attachment { origin: Vec3::new(0.1, -0.5, 0.4), ..second },
    );
    let spring = CoordinateForce { coordinate, stiffness: 40.0, damping: 0.0, free: 0.6, law: None };
    b.force("spring", Box::new(spring));
    tie(&mut b, first, second);
    b.build()
}

fn check(name: &str, tie: impl Fn(&mut SystemBuilder, Attachment, Attachment)) {
    let system = pair(tie);
    let start = balance(&system, &system.start_state(0.0));
    for coordinates in [Coordinates::Motion, Coordinates::Directors, Coordinates::EulerParameters] {
        let settings = ConservingSettings { coordinates, ..ConservingSettings::new(Rule::EnergyMomentum) };
        let mut integration = EnergyMomentum::new(&system, settings, system.start_state(0.0)).unwrap();
        for step in 0..200 {
            integration.attempt(0.02).unwrap_or_else(|e| panic!("{name} {coordinates:?} step {step}: {e}"));
            integration.accept();
        }
        let iterations = integration.counters().iterations;
        let now = balance(&system, integration.state());
        let energy = now.total() / start.total() - 1.0;
        let spin = (now.angular_momentum - start.angular_momentum).norm() / start.angular_momentum.norm();
        let push = (now.momentum - start.momentum).norm() / start.momentum.norm();
        println!("{name} {coordinates:?}: H {energy:.1e} L {spin:.1e} p {push:.1e} iterations {iterations}");
        assert!(energy.abs() < 1e-12 && spin < 1e-12 && push < 1e-12, "{name} {coordinates:?}");
    }
}

#[test]
fn ties() {
    let symmetric = Mat6::from_fn(|i, j| if i == j { 60.0 } else { 3.0 + (i + j) as f64 });
    check("spring alone", |_, _, _| {});
    check("bushing", |b, first, second| {
        b.force("bushing", Box::new(Bushing::new(&first, &second, symmetric, Mat6::zeros())));
    });
    check("torsion", |b, first, second| {
        b.constraint("pin", Box::new(revolute(&first, &second)));
        let coordinate = Coordinate::angle(&first, &second);
        let law = CoordinateForce { coordinate, stiffness: 5.0, damping: 0.0, free: 1.0, law: None };
        b.force("torsion", Box::new(law));
    });
    check("stop", |b, first, second| {
        b.constraint("pin", Box::new(revolute(&first, &second)));
        let coordinate = Coordinate::angle(&first, &second);
        let law = Stop { coordinate, lower: -0.1, upper: 0.1, stiffness: 300.0, damping: 0.0 };
        b.force("stop", Box::new(law));
    });
    check("distance", |b, first, second| {
        let second = Attachment { origin: second.origin + Vec3::new(0.3, 0.0, 0.4), ..second };
        b.constraint("rod", Box::new(distance(&first, &second, 0.5)));
    });
    check("screw", |b, first, second| {
        b.constraint("screw", Box::new(screw(&first, &second, 0.5)));
    });
    check("constant velocity", |b, first, second| {
        b.constraint("shaft", Box::new(constant_velocity(&first, &second)));
    });
    check("curve", |b, first, second| {
        let place = b.parameter("place", 0.0);
        let curve = ["sin(s)", "s", "0.3*s^2"].map(|text| smooth(text, &["s"]));
        b.constraint("cam", Box::new(point_on_curve(&first, &second, place, curve)));
    });
    check("expression", |b, first, second| {
        b.constraint("sleeve", Box::new(cylindrical(&first, &second)));
        let coordinates = vec![Coordinate::angle(&first, &second), Coordinate::displacement(&first, &second)];
        let row = Law::Expression(smooth("0.3*sin(q)*(1 + s) - s", &["q", "s", "t"]));
        let rows = vec![Equation::holonomic("cam", 2, row)];
        let cam = Equations::try_new("cam", coordinates, vec![], rows, second.point()).unwrap();
        b.constraint("cam", Box::new(cam));
    });
}
