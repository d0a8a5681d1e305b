//! Overconstrained linkages, least reactions, joints that contradict each other, singular positions.

use crate::mechanisms;

use mechanisms::*;
use poinsot_analysis::*;
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::{Dependents, Method, Partition, Procedure, SaddlePoint, instant};
use poinsot_mechanics::forces::PointForce;
use poinsot_mechanics::joints::*;
use poinsot_mechanics::*;
use std::f64::consts::{PI, TAU};

/// A joint of a loop: its point and its axis in the world.
type Hinge = (Vec3, Vec3);

/// A closed loop of revolutes: link k from hinge k to hinge k + 1, link 0 is ground. Hinge k turns link k
/// against link k − 1; its angle is tracked under the same number.
fn ring(hinges: &[Hinge], gravity: Vec3) -> SystemBuilder {
    let mut b = SystemBuilder::new(gravity);
    let n = hinges.len();
    for k in 1..n {
        let middle = (hinges[k].0 + hinges[(k + 1) % n].0) * 0.5;
        let inertia = Vec3::new(0.02, 0.03, 0.04);
        rigid(
            &mut b,
            &format!("link {k}"),
            middle,
            so3::exp(&(Vec3::new(0.3, -0.2, 0.5) * k as f64)),
            1.0,
            inertia,
        );
    }
    for (k, (point, axis)) in hinges.iter().enumerate() {
        let ends = hinge_ends(&b, (k + n - 1) % n, k, *point, axis);
        b.constraint(&format!("hinge {k}"), Box::new(revolute(&ends[0], &ends[1])));
        b.track(Coordinate::angle(&ends[0], &ends[1]), 0.0);
    }
    b
}

fn hinge_ends(b: &SystemBuilder, first: NodeId, second: NodeId, point: Vec3, axis: &Vec3) -> [Attachment; 2] {
    [first, second].map(|node| attach_at(b, node, point, axes_along(axis)))
}

/// Drives the angle of hinge 1 against ground.
fn drive_first(b: &mut SystemBuilder, hinge: &Hinge, text: &str) {
    let ends = hinge_ends(b, GROUND, 1, hinge.0, &hinge.1);
    let drive = drives::coordinate(Coordinate::angle(&ends[0], &ends[1]), law(text), ends[1].point());
    b.constraint("motor", Box::new(drive));
}

fn angles(system: &System, sample: &Sample, count: usize) -> Vec<f64> {
    let mut s = Scratch::default();
    (0..count).map(|k| system.tracked(k, &sample.at, &mut s).0).collect()
}

/// The joint's name in the words of a redundant row.
fn named(row: &str) -> &str {
    row.split('`').nth(1).unwrap()
}

fn mobility(system: &System) -> usize {
    system.coordinates() - system.active_rows()
}

/// A plane four-bar anywhere in space: the crank can turn fully.
fn four_bar_hinges() -> [Hinge; 4] {
    let skew = so3::exp(&Vec3::new(0.4, 0.9, -0.3));
    let (a, b, c) = (0.4, 1.2, 1.0);
    let crank = Vec3::new(a * 0.7f64.cos(), a * 0.7f64.sin(), 0.0);
    let ground = Vec3::new(1.1, 0.0, 0.0);
    // The third hinge from the lengths of coupler and rocker.
    let d = ground - crank;
    let l = d.norm();
    let x = (b * b - c * c + l * l) / (2.0 * l);
    let e = d / l;
    let top = crank + e * x + Vec3::new(-e.y, e.x, 0.0) * (b * b - x * x).sqrt();
    let place = |p: Vec3| (skew * p + Vec3::new(0.2, -0.5, 0.8), skew * Vec3::z());
    // Link 0 is ground, from the rocker's hinge to the crank's.
    [place(ground), place(Vec3::zeros()), place(crank), place(top)]
}

#[test]
fn four_bar_in_space() {
    let hinges = four_bar_hinges();
    let mut system = ring(&hinges, Vec3::new(0.0, 0.0, -9.81)).build();
    let (_, report) = consistent_start(&mut system, 0.0).unwrap();
    assert_eq!(system.coordinates(), 18);
    assert_eq!(system.active_rows(), 17);
    assert_eq!(mobility(&system), 1);
    assert_eq!(report.redundant.len(), 3);
    for row in &report.redundant {
        assert!(row.row.contains("(revolute)"), "{row:?}");
        assert!(row.depends_on.len() >= 3, "a loop closes with all of its hinges: {row:?}");
        let mut all: Vec<&str> = row.depends_on.iter().map(String::as_str).collect();
        all.push(named(&row.row));
        all.sort_unstable();
        all.dedup();
        assert_eq!(all, ["hinge 0", "hinge 1", "hinge 2", "hinge 3"], "{row:?}");
    }
    let distance = report.distance.unwrap();
    assert!(distance.0 > 0.01 && distance.0 < 1.0, "{distance:?}");
    // Driven over three turns it stays plane, with the redundant rows closed.
    let mut b = ring(&hinges, Vec3::new(0.0, 0.0, -9.81));
    drive_first(&mut b, &hinges[1], "2*pi*t");
    let mut system = b.build();
    let (report, rows) =
        run(&mut system, default_method(), 3.0, 600, 1, |system, sample| angles(system, sample, 4));
    assert!(report.audit.position.value < 1e-11, "{:?}", report.audit.position);
    for (t, row) in &rows {
        near(row[1], TAU * t, 1e-10, "crank");
        // The angles of a plane loop sum up to nothing.
        near(row.iter().sum::<f64>(), 0.0, 1e-10, "sum of the angles");
    }
}

/// Frames of the axes of a loop with the Denavit–Hartenberg links (a, α) and angles θ.
fn denavit_hartenberg(links: &[(f64, f64)], theta: &[f64]) -> Vec<(Vec3, Mat3)> {
    let mut frames = vec![(Vec3::zeros(), Mat3::identity())];
    for ((a, alpha), theta) in links.iter().zip(theta) {
        let (r, rot) = *frames.last().unwrap();
        let turned = rot * turn(*theta);
        frames.push((r + turned * Vec3::x() * *a, turned * so3::exp(&(Vec3::x() * *alpha))));
    }
    frames
}

/// sin((β+α)/2)/sin((β−α)/2) of the linkage below.
fn bennett_relation() -> f64 {
    ((TWISTS[1] + TWISTS[0]) * 0.5).sin() / ((TWISTS[1] - TWISTS[0]) * 0.5).sin()
}

const TWISTS: [f64; 2] = [0.6, 1.3];

/// The Denavit–Hartenberg angles at the start, from tan(θ₁/2) tan(θ₂/2) = sin((β+α)/2)/sin((β−α)/2).
fn bennett_angles() -> [f64; 4] {
    let first = 0.9f64;
    let second = 2.0 * (bennett_relation() / (first * 0.5).tan()).atan();
    [first, second, TAU - first, TAU - second]
}

/// Bennett's linkage: a/sin α = b/sin β. Angle k of the four belongs to hinge k + 1.
fn bennett_hinges() -> Vec<Hinge> {
    let a = 0.5;
    let b = a * TWISTS[1].sin() / TWISTS[0].sin();
    let links = [(a, TWISTS[0]), (b, TWISTS[1])];
    let frames = denavit_hartenberg(&[links, links].concat(), &bennett_angles());
    let (r, rot) = frames[4];
    assert!(
        r.norm() < 1e-13 && (rot - Mat3::identity()).norm() < 1e-13,
        "Bennett's condition closes the loop"
    );
    [3, 0, 1, 2].iter().map(|&k| (frames[k].0, frames[k].1.column(2).into_owned())).collect()
}

#[test]
fn bennett_linkage() {
    let (hinges, relation) = (bennett_hinges(), bennett_relation());
    let mut b = ring(&hinges, Vec3::zeros());
    let start = bennett_angles();
    drive_first(&mut b, &hinges[1], "2*pi*t");
    let mut system = b.build();
    let (state, report) = consistent_start(&mut system, 0.0).unwrap();
    assert_eq!((system.coordinates(), system.active_rows()), (18, 18));
    assert_eq!(report.redundant.len(), 3);
    assert!(report.redundant.iter().all(|row| row.depends_on.len() >= 3), "{:?}", report.redundant);
    let (report, rows) = run_from(&mut system, state, default_method(), 2.0, 800, 1, |system, sample| {
        angles(system, sample, 4)
    });
    // No choice of redundant rows serves for a whole turn.
    assert!(report.audit.exchanges > 0);
    assert!(report.audit.position.value < 1e-11, "{:?}", report.audit.position);
    for (t, row) in &rows {
        let turned = [start[0] + row[1], start[1] + row[2], start[2] + row[3], start[3] + row[0]];
        near(row[1], TAU * t, 1e-10, "crank");
        let product = (turned[0] * 0.5).sin() * (turned[1] * 0.5).sin()
            - relation * (turned[0] * 0.5).cos() * (turned[1] * 0.5).cos();
        near(product, 0.0, 1e-10, "Bennett's relation");
        near((turned[0] + turned[2]).sin(), 0.0, 1e-10, "opposite angles");
        near((turned[1] + turned[3]).sin(), 0.0, 1e-10, "opposite angles");
    }
}

/// Sarrus' linkage: two folding legs across each other lead the platform straight up and down.
#[test]
fn sarrus_linkage() {
    let (e, height) = (0.3, 0.8);
    let leg = |out: Vec3, axis: Vec3| {
        [(out, axis), (out * (1.0 + e) + Vec3::z() * (0.5 * height), axis), (out + Vec3::z() * height, axis)]
    };
    let [base1, knee1, top1] = leg(Vec3::x(), Vec3::y());
    let [base2, knee2, top2] = leg(Vec3::y(), Vec3::x());
    let build = || ring(&[base2, base1, knee1, top1, top2, knee2], Vec3::new(0.0, 0.0, -9.81)).build();
    let mut system = build();
    let (_, report) = consistent_start(&mut system, 0.0).unwrap();
    assert_eq!((system.coordinates(), system.active_rows(), mobility(&system)), (30, 29, 1));
    assert_eq!(report.redundant.len(), 1);
    // Both legs forbid a turn of the platform about the vertical: a tilt of hinges, and all six take part.
    let row = &report.redundant[0];
    assert!(row.row.contains("tilt"), "{row:?}");
    let mut all: Vec<&str> = row.depends_on.iter().map(String::as_str).collect();
    all.push(named(&row.row));
    all.sort_unstable();
    all.dedup();
    assert_eq!(all.len(), 6, "{row:?}");
    let [coarse, fine] = [200, 400].map(|steps| {
        let mut system = build();
        let start = *system.nodes().get(3).map(|n| &n.start).unwrap();
        let (report, rows) = run(&mut system, default_method(), 0.4, steps, 1, |_, sample| {
            let z = &sample.at.frames[3];
            let moved = z.r - start.r;
            near(moved.xy().norm(), 0.0, 1e-11, "the platform goes straight");
            near((z.rot - start.rot).norm(), 0.0, 1e-11, "the platform does not turn");
            vec![moved.z]
        });
        assert!(rows.last().unwrap().1[0] < -0.2, "the platform falls {:?}", rows.last());
        assert!(report.audit.position.value < 1e-11);
        report.audit.imbalance.value / report.audit.energy_scale
    });
    assert!((order(coarse, fine) - 2.0).abs() < 0.1 && fine < 1e-4, "energy {coarse:.2e}, {fine:.2e}");
}

const EDGE: f64 = 0.1;

/// The six-body linkage of energy-momentum-null-space V-7 ("invertible cube"): six tetrahedra, six hinges.
fn cube() -> System {
    let a = (0.16 * PI).tan();
    let corners = [[0, 0, 0], [0, 1, 0], [1, 1, 0], [1, 1, -1], [1, 0, -1], [0, 0, -1]];
    let corner = corners.map(|c| Vec3::new(c[0] as f64, c[1] as f64, c[2] as f64) * EDGE);
    let axis = [Vec3::x(), -Vec3::z(), -Vec3::y(), -Vec3::x(), Vec3::z(), Vec3::y()];
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    for k in 0..6 {
        let next = (k + 1) % 6;
        let along = |k: usize| corner[k] + axis[k] * (a * EDGE);
        let points = [corner[k], along(k), corner[next], along(next)];
        let centre = points.iter().sum::<Vec3>() / 4.0;
        let mass = 1000.0 * a * a * EDGE.powi(3) / 6.0;
        let spread: Mat3 =
            points.iter().map(|p| (p - centre) * (p - centre).transpose()).sum::<Mat3>() * (mass / 20.0);
        let inertia = Mat3::identity() * spread.trace() - spread;
        // All five joint rates are 30: body k turns about the hinges 1 … k.
        let mut velocity = STILL;
        for j in 1..=k {
            velocity.angular += axis[j] * 30.0;
            velocity.linear += axis[j].cross(&(centre - corner[j])) * 30.0;
        }
        let node =
            b.node(&format!("body {k}"), Chart::Motion, Frame { r: centre, rot: Mat3::identity() }, velocity);
        b.body(Body::new(node, &MassProperties::new(mass, Vec3::zeros(), inertia)));
    }
    let ends = [GROUND, 1].map(|node| attach_at(&b, node, corner[0], Mat3::identity()));
    b.constraint("base", Box::new(fixed(&ends[0], &ends[1])));
    for k in 1..=6 {
        let (point, axis) = (corner[k % 6], axis[k % 6]);
        let ends = hinge_ends(&b, k, k % 6 + 1, point, &axis);
        b.constraint(&format!("hinge {k}"), Box::new(revolute(&ends[0], &ends[1])));
        b.track(Coordinate::angle(&ends[0], &ends[1]), 0.0);
    }
    b.build()
}

/// Time of one revolution.
const PERIOD: f64 = 0.39022808;

#[test]
fn invertible_cube_at_the_start() {
    let mut system = cube();
    let mass: f64 = system.bodies().map(|body| body.mass).sum();
    near(mass, 0.3022301776, 1e-10, "mass");
    let (state, report) = consistent_start(&mut system, 0.0).unwrap();
    assert_eq!((system.coordinates(), system.active_rows(), report.redundant.len()), (36, 35, 1));
    assert!(report.velocity_change.0 < 1e-12 && report.spin_change.0 < 1e-10, "{report:?}");
    let row = &report.redundant[0];
    // Only the loop is overconstrained, not its base.
    assert!(row.row.contains("hinge"), "{row:?}");
    assert!(!row.depends_on.contains(&"base".to_string()), "{row:?}");
    assert_eq!(row.depends_on.len(), 6, "{row:?}");
    let distance = report.distance.unwrap();
    assert!(distance.0 > 0.01 && distance.0 < 1.0, "{distance:?}");
    let zero = vec![0.0; system.size()];
    let balance = system.balance(&instant(&state, &zero), &mut Scratch::default());
    near(balance.kinetic, 0.828168005675, 1e-11, "kinetic energy");
    near(balance.potential, -0.148243902117, 1e-11, "potential energy");
}

/// Follows the cube; sin θ¹ (1 + sin θ²) = sin θ², equal angles in turn and constant diagonals all the way.
fn follow_cube(method: Method, end: f64, steps: usize) -> (MotionReport, Rows) {
    let mut system = cube();
    // Hinge k is at corner k; body k carries it.
    let corners: Vec<Vec3> = (0..6)
        .map(|k| {
            let pin = &system.constraints()[if k == 0 { 6 } else { k }];
            pin.law.carried()[1].c
        })
        .collect();
    let (report, rows) = run(&mut system, method, end, steps, 1, |system, sample| {
        let row = angles(system, sample, 6);
        near(row[0].sin() * (1.0 + row[1].sin()), row[1].sin(), 1e-10, "relation of the angles");
        for k in [2, 4] {
            near(row[k], row[0], 1e-10, "odd hinges");
            near(row[k + 1], row[1], 1e-10, "even hinges");
        }
        let corner = |k: usize| system.point_motion(k + 1, &corners[k], &sample.at).position;
        for k in 0..3 {
            near((corner(k + 3) - corner(k)).norm(), EDGE * 3f64.sqrt(), 1e-12, "diagonal");
        }
        row
    });
    assert!(report.audit.position.value < 1e-13, "{:?}", report.audit.position);
    assert!(report.audit.velocity.value < 1e-10, "{:?}", report.audit.velocity);
    assert_eq!(report.audit.cut_steps, 0);
    (report, rows)
}

/// Three revolutions with h = 1e-3.
#[test]
fn invertible_cube_over_revolutions() {
    // The second order errors are those of the reference's own scheme at this step, about 6e-4 in θ² at t =
    // 0.26.
    let methods: [(Method, f64, f64); 3] =
        [(default_method(), 7e-4, 2e-4), (midpoint(), 7e-4, 2e-4), (Procedure::Embedding.into(), 1e-7, 4e-6)];
    for (method, tolerance, energy) in methods {
        let (report, rows) = follow_cube(method, 1.2, 1200);
        for (t, expected) in SNAPSHOTS {
            let (time, row) = &rows[(t * 1000.0).round() as usize];
            near(*time, t, 1e-12, "time");
            near(row[0], expected[0], tolerance, "first angle");
            near(row[1], expected[1], tolerance, "second angle");
        }
        // From end to end three times: θ¹ ∈ [−7π/6, π/6], θ² ∈ [−π/6, 7π/6].
        let extent = |k: usize, sign: f64| rows.iter().fold(f64::MIN, |m, (_, row)| m.max(sign * row[k]));
        for (k, sign, limit) in
            [(0, 1.0, PI / 6.0), (0, -1.0, 7.0 * PI / 6.0), (1, 1.0, 7.0 * PI / 6.0), (1, -1.0, PI / 6.0)]
        {
            near(extent(k, sign), limit, 1e-3, "range of the angles");
        }
        let audit = &report.audit;
        assert!(audit.imbalance.value < energy * audit.energy_scale, "{:?}", audit.imbalance);
    }
}

/// After the period everything is as it was.
#[test]
fn period_of_the_invertible_cube() {
    let (_, rows) = follow_cube(Procedure::Embedding.into(), PERIOD, 1600);
    for (k, angle) in rows.last().unwrap().1.iter().enumerate() {
        // 30 rad/s times the last digit of the period.
        near(*angle, 0.0, 2e-7, &format!("angle {k}"));
    }
    let back = |steps: usize| follow_cube(default_method(), PERIOD, steps).1.last().unwrap().1[0].abs();
    let (coarse, fine) = (back(800), back(1600));
    assert!((order(coarse, fine) - 2.0).abs() < 0.1 && fine < 2e-4, "{coarse:.2e}, {fine:.2e}");
}

/// (θ¹, θ²) of the reference with one degree of freedom.
const SNAPSHOTS: [(f64, [f64; 2]); 6] = [
    (0.02, [0.414334640, 0.739430131]),
    (0.04, [0.523497347, 1.597304023]),
    (0.08, [0.138560066, 2.980648270]),
    (0.09, [-0.061688475, 3.199694754]),
    (0.13, [-1.123622137, 3.635587760]),
    (0.26, [-3.661578568, 1.728760084]),
];

/// A table on four legs, one leg too many; `reference` is where the body's frame stands on it.
fn table(legs: &[[f64; 2]], centre: [f64; 2], reference: Vec3, weight: f64) -> System {
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let node = b.node("table", Chart::Motion, Frame { r: reference, rot: Mat3::identity() }, STILL);
    let centre = Vec3::new(centre[0], centre[1], 0.8) - reference;
    b.body(Body::new(
        node,
        &MassProperties::new(weight / 9.81, centre, Mat3::from_diagonal(&Vec3::new(1.0, 2.0, 2.5))),
    ));
    for (k, [x, y]) in legs.iter().enumerate() {
        let foot = Vec3::new(*x, *y, 0.0);
        let ends = [
            attach(GROUND, Vec3::zeros(), Mat3::identity()),
            attach(node, foot - reference, Mat3::identity()),
        ];
        b.constraint(&format!("leg {k}"), Box::new(point_on_plane(&ends[0], &ends[1])));
    }
    b.build()
}

/// Loads of the legs, and the largest change of Gᵀλ by the spreading relative to its size.
fn leg_loads(system: &mut System) -> (Vec<f64>, f64) {
    let (state, report) = consistent_start(system, 0.0).unwrap();
    assert_eq!(report.redundant.len(), system.constraints().len() - 3, "{report:?}");
    let n = system.size();
    let (mut a, mut s) = (vec![0.0; n], Scratch::default());
    SaddlePoint::new(system).accelerations(system, &state, &mut a).unwrap();
    let pulled = |a: &[f64], s: &mut Scratch| {
        let mut f = vec![0.0; n];
        system.add_all_pulls(&instant(&state, a), a, &mut f, s);
        f
    };
    let before = pulled(&a, &mut s);
    Redundancy::new(system).spread_reactions(system, &state, &mut a).unwrap();
    let after = pulled(&a, &mut s);
    let size = before.iter().fold(0.0, |m: f64, f| m.max(f.abs()));
    let change = before.iter().zip(&after).fold(0.0, |m: f64, (x, y)| m.max((x - y).abs()));
    let at = instant(&state, &a);
    let loads = (0..system.constraints().len()).map(|c| system.reaction(c, &at, &mut s).force.z).collect();
    (loads, change / size)
}

/// On a rectangle of legs (±a, ±b) the loads of least squares are W/4 (1 + x_c x_i/a² + y_c y_i/b²), wherever
/// the body's reference point is.
#[test]
fn least_loads_of_a_table() {
    let (a, b, weight) = (0.9, 0.5, 320.0);
    let legs = [[a, b], [-a, b], [-a, -b], [a, -b]];
    let centre = [0.3, -0.15];
    for reference in [Vec3::new(0.0, 0.0, 0.8), Vec3::new(0.3, -0.15, 0.8), Vec3::new(0.9, 0.5, 0.0)] {
        let mut system = table(&legs, centre, reference, weight);
        let (loads, change) = leg_loads(&mut system);
        assert!(change < 1e-12, "the resultant has changed by {change:.2e}");
        for (load, [x, y]) in loads.iter().zip(legs) {
            let expected = weight / 4.0 * (1.0 + centre[0] * x / (a * a) + centre[1] * y / (b * b));
            near(
                *load,
                expected,
                1e-9 * weight,
                &format!("leg at {x}, {y} with the reference at {reference:?}"),
            );
        }
    }
}

/// Six legs anywhere: the loads are Aᵀ(A Aᵀ)⁻¹ f with the three equations of balance A λ = f.
#[test]
fn least_loads_of_a_table_with_six_legs() {
    let legs = [[0.9, 0.5], [-0.7, 0.6], [-0.8, -0.3], [0.4, -0.6], [0.1, 0.2], [1.2, -0.1]];
    let (centre, weight) = ([0.2, 0.1], 250.0);
    let balance = |leg: &[f64; 2]| Vec3::new(1.0, leg[0], leg[1]);
    let gram: Mat3 = legs.iter().map(|leg| balance(leg) * balance(leg).transpose()).sum();
    let dual = gram.try_inverse().unwrap() * balance(&centre) * weight;
    let mut system = table(&legs, centre, Vec3::new(0.5, -0.2, 0.3), weight);
    let (loads, change) = leg_loads(&mut system);
    assert!(change < 1e-12, "the resultant has changed by {change:.2e}");
    for (load, leg) in loads.iter().zip(&legs) {
        near(*load, dual.dot(&balance(leg)), 1e-9 * weight, &format!("leg at {leg:?}"));
    }
}

/// The least reactions of an overconstrained four-bar in motion carry the same resultants.
#[test]
fn spreading_keeps_resultants() {
    let hinges = four_bar_hinges();
    let mut b = ring(&hinges, Vec3::new(1.0, 2.0, -9.81));
    drive_first(&mut b, &hinges[1], "9*t + 0.5*sin(7*t)");
    let mut system = b.build();
    let (_, rows) = run(&mut system, default_method(), 1.0, 200, 1, |system, sample| {
        let at = &sample.at;
        let mut s = Scratch::default();
        // Newton–Euler of each link with the reactions at both of its hinges: it is second in one and first
        // in the next.
        let mut worst: f64 = 0.0;
        let mut size: f64 = 0.0;
        for link in 1..4 {
            let z = at.frames[link];
            let needed = newton_euler(system, link, &z.r, at);
            let (mut force, mut moment) = (-needed.force, -needed.moment);
            for (hinge, sign) in [(link, 1.0), ((link + 1) % 4, -1.0)] {
                let reaction = system.reaction(hinge, at, &mut s);
                let second = system.constraints()[hinge].law.carried()[1];
                let point = second.value(&at.frames[second.node]);
                force += reaction.force * sign;
                moment += (reaction.torque + (point - z.r).cross(&reaction.force)) * sign;
                size = size.max(reaction.force.norm());
            }
            if link == 1 {
                moment += system.reaction(4, at, &mut s).torque;
            }
            worst = worst.max(force.norm()).max(moment.norm());
        }
        assert!(worst < 1e-11 * (1.0 + size), "{worst:.2e} of {size:.2e} at {}", at.t);
        vec![size]
    });
    assert!(rows.iter().any(|(_, row)| row[0] > 20.0));
}

/// A loop whose links are too short to close.
#[test]
fn loop_that_cannot_close() {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let flat = |node: NodeId, x: f64| attach(node, Vec3::x() * x, Mat3::identity());
    let left = rigid(&mut b, "left", Vec3::zeros(), Mat3::identity(), 1.0, Vec3::new(0.1, 0.1, 0.1));
    let right = rigid(&mut b, "right", Vec3::x() * 3.0, turn(2.0), 1.0, Vec3::new(0.1, 0.1, 0.1));
    b.constraint("left pin", Box::new(revolute(&flat(GROUND, 0.0), &flat(left, 0.0))));
    b.constraint("right pin", Box::new(revolute(&flat(GROUND, 3.0), &flat(right, 0.0))));
    b.constraint("middle pin", Box::new(revolute(&flat(left, 1.2), &flat(right, 1.2))));
    match consistent_start(&mut b.build(), 0.0).unwrap_err() {
        StartError::NotAssembled { equation, residual, .. } => {
            assert!(equation.contains("pin` (revolute), offset"), "{equation}");
            // 0.6 are missing, in all joints together.
            assert!(residual > 0.1 && residual < 1.0, "{residual}");
        }
        other => panic!("{other}"),
    }
}

/// A second bearing beside the first: it closes with the others but for its offset along the axis.
#[test]
fn redundant_joint_with_an_offset() {
    let hinges = four_bar_hinges();
    let start = |offset: f64| {
        let mut b = ring(&hinges, Vec3::zeros());
        let ends = hinge_ends(&b, 3, GROUND, hinges[0].0, &hinges[0].1);
        let moved = Attachment { origin: ends[1].origin + hinges[0].1 * offset, ..ends[1] };
        b.constraint("second bearing", Box::new(revolute(&ends[0], &moved)));
        consistent_start(&mut b.build(), 0.0)
    };
    let (_, report) = start(0.0).unwrap();
    assert_eq!(report.redundant.len(), 8);
    assert_eq!(report.redundant.iter().filter(|row| row.row.contains("second bearing")).count(), 5);
    for offset in [1e-2, 1e-4, 1e-6] {
        match start(offset).unwrap_err() {
            StartError::Conflict { equation, residual } => {
                assert!(equation.starts_with("joint `second bearing` (revolute), offset"), "{equation}");
                let expected = hinges[0].1.amax() * offset;
                near(residual, expected, 1e-6 * offset, "what stays open");
            }
            other => panic!("{other}"),
        }
    }
}

/// A table whose fourth leg is short.
#[test]
fn table_with_a_short_leg() {
    let legs = [[0.9, 0.5], [-0.9, 0.5], [-0.9, -0.5], [0.9, -0.5]];
    let mut b = SystemBuilder::new(Vec3::zeros());
    let node = rigid(&mut b, "table", Vec3::z() * 0.8, Mat3::identity(), 30.0, Vec3::new(1.0, 2.0, 2.5));
    for (k, [x, y]) in legs.iter().enumerate() {
        let foot = Vec3::new(*x, *y, if k == 3 { -0.79 } else { -0.8 });
        let ends = [attach(GROUND, Vec3::zeros(), Mat3::identity()), attach(node, foot, Mat3::identity())];
        b.constraint(&format!("leg {k}"), Box::new(point_on_plane(&ends[0], &ends[1])));
    }
    match consistent_start(&mut b.build(), 0.0).unwrap_err() {
        StartError::Conflict { equation, residual } => {
            assert!(equation.contains("leg") && equation.ends_with("height"), "{equation}");
            near(residual, 0.01, 1e-3, "gap");
        }
        other => panic!("{other}"),
    }
}

/// Slider-crank with the slider driven, the crank at the angle φ from the stretched position.
fn driven_slider(phi: f64, chart: Chart) -> System {
    let (r, l) = (0.3f64, 1.0f64);
    let mut b = SystemBuilder::new(Vec3::zeros());
    let pin = Vec3::new(r * phi.cos(), r * phi.sin(), 0.0);
    let tilt = (pin.y / l).asin();
    let x = pin.x + l * tilt.cos();
    let mut body = |name: &str, at: Vec3, rot: Mat3| {
        let node = b.node(name, chart, Frame { r: at, rot }, STILL);
        b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), Mat3::identity() * 0.1)));
        node
    };
    let crank = body("crank", Vec3::zeros(), turn(phi));
    let rod = body("rod", pin, turn(-tilt));
    let slider = body("slider", Vec3::x() * x, Mat3::identity());
    for (name, nodes, point) in [
        ("main bearing", [GROUND, crank], Vec3::zeros()),
        ("crank pin", [crank, rod], pin),
        ("wrist pin", [rod, slider], Vec3::x() * x),
    ] {
        let ends = nodes.map(|node| attach_at(&b, node, point, Mat3::identity()));
        b.constraint(name, Box::new(revolute(&ends[0], &ends[1])));
    }
    let along = axes_along(&Vec3::x());
    let ends = [GROUND, slider]
        .map(|node| attach_at(&b, node, Vec3::x() * if node == GROUND { 0.0 } else { x }, along));
    b.constraint("guide", Box::new(prismatic(&ends[0], &ends[1])));
    let drive = drives::coordinate(
        Coordinate::displacement(&ends[0], &ends[1]),
        law(&format!("{x:.17}")),
        ends[1].point(),
    );
    b.constraint("piston", Box::new(drive));
    b.build()
}

const PLANE: Chart = Chart::Planar {
    e1: Vec3::new(1.0, 0.0, 0.0),
    e2: Vec3::new(0.0, 1.0, 0.0),
    normal: Vec3::new(0.0, 0.0, 1.0),
};

/// The distance to the dead centre is proportional to the angle from it.
#[test]
fn distance_to_a_dead_centre() {
    for (chart, redundant) in [(PLANE, 0), (Chart::Motion, 3)] {
        let slopes = [0.08, 0.04, 0.02, 0.01, 0.001].map(|phi| {
            let mut system = driven_slider(phi, chart);
            let (_, report) = consistent_start(&mut system, 0.0).unwrap_or_else(|e| panic!("{phi}: {e}"));
            assert_eq!(report.redundant.len(), redundant);
            report.distance.unwrap().0 / phi
        });
        for pair in slopes.windows(2) {
            near(pair[1] / pair[0], 1.0, 2e-3, "slope");
        }
        near(slopes[4] / slopes[3], 1.0, 1e-4, "slope near the dead centre");
        assert!(slopes[4] > 0.05, "{slopes:?}");
    }
}

#[test]
fn start_at_a_dead_centre() {
    for chart in [PLANE, Chart::Motion] {
        match consistent_start(&mut driven_slider(0.0, chart), 0.0).unwrap_err() {
            StartError::SingularPosition { equation } => {
                let joints = ["main bearing", "crank pin", "wrist pin", "guide", "piston"];
                assert!(joints.contains(&named(&equation)), "{equation}");
            }
            other => panic!("{other}"),
        }
    }
}

/// A parallelogram at its change point, all hinges in line.
#[test]
fn change_point_of_a_parallelogram() {
    let hinge = |x: f64, y: f64| (Vec3::new(x, y, 0.0), Vec3::z());
    // Ground from 2 to 0, cranks of length 1.
    let mut system =
        ring(&[hinge(2.0, 0.0), hinge(0.0, 0.0), hinge(1.0, 0.0), hinge(3.0, 0.0)], Vec3::zeros()).build();
    match consistent_start(&mut system, 0.0).unwrap_err() {
        StartError::SingularPosition { equation } => {
            assert!(named(&equation).starts_with("hinge"), "{equation}")
        }
        other => panic!("{other}"),
    }
    // Elsewhere it is an ordinary four-bar.
    let (c, s) = (0.5f64.cos(), 0.5f64.sin());
    let mut system =
        ring(&[hinge(2.0, 0.0), hinge(0.0, 0.0), hinge(c, s), hinge(2.0 + c, s)], Vec3::zeros()).build();
    let (_, report) = consistent_start(&mut system, 0.0).unwrap();
    assert_eq!((report.redundant.len(), mobility(&system)), (3, 1));
}

/// Two drives of one coordinate.
#[test]
fn drives_that_contradict_each_other() {
    let build = |by_rate: bool, laws: [&str; 2]| {
        let mut b = SystemBuilder::new(Vec3::zeros());
        let node = rigid(&mut b, "wheel", Vec3::zeros(), Mat3::identity(), 1.0, Vec3::new(0.1, 0.1, 0.1));
        let ends = [GROUND, node].map(|node| attach(node, Vec3::zeros(), Mat3::identity()));
        b.constraint("bearing", Box::new(revolute(&ends[0], &ends[1])));
        let angle = Coordinate::angle(&ends[0], &ends[1]);
        for (k, text) in laws.iter().enumerate() {
            let drive = match by_rate {
                true => drives::coordinate_rate(angle.clone(), law(text), ends[1].point()),
                false => drives::coordinate(angle.clone(), law(text), ends[1].point()),
            };
            b.constraint(&format!("motor {k}"), Box::new(drive));
        }
        b.build()
    };
    // Two that agree are redundant.
    for (by_rate, text) in [(false, "t"), (true, "1")] {
        let (_, report) = consistent_start(&mut build(by_rate, [text, text]), 0.0).unwrap();
        assert_eq!(report.redundant.len(), 1);
        assert!(named(&report.redundant[0].row).starts_with("motor"), "{:?}", report.redundant);
        assert_eq!(report.redundant[0].depends_on.len(), 1);
    }
    match consistent_start(&mut build(false, ["t", "t + 0.1"]), 0.0).unwrap_err() {
        StartError::Conflict { equation, residual } => {
            assert!(named(&equation).starts_with("motor"), "{equation}");
            near(residual, 0.1, 1e-12, "difference of the angles");
        }
        other => panic!("{other}"),
    }
    for (by_rate, laws) in [(false, ["t", "2*t"]), (true, ["1", "2"])] {
        match consistent_start(&mut build(by_rate, laws), 0.0).unwrap_err() {
            StartError::ConflictingRate { equation, rate } => {
                assert!(named(&equation).starts_with("motor"), "{equation}");
                near(rate, 1.0, 1e-12, "difference of the speeds");
            }
            other => panic!("{other}"),
        }
    }
    // What agrees at the start only is seen on the way.
    let mut system = build(true, ["1", "1 + 0.01*sin(t)"]);
    let (state, _) = consistent_start(&mut system, 0.0).unwrap();
    let study = MotionStudy::fixed(1.0, 0.01, 1, default_method());
    let report = run_motion(&mut system, state, &study, &mut |_: &System, _: &Sample| {}).unwrap();
    let Ending::Failed(failure) = report.ending else { panic!("{:?}", report.ending) };
    assert!(failure.reason.contains("contradicts the others"), "{failure}");
    assert!(failure.equation.contains("motor"), "{failure}");
    let t = report.state.t;
    near(report.audit.velocity.value, 0.01 * f64::sin(t), 1e-10, "difference of the speeds there");
}

/// Bennett's linkage with its first hinge driven, followed by the given method and looked at every `stride`
/// steps.
fn follow_bennett(method: Method, stride: usize) -> (MotionReport, Vec<f64>) {
    let hinges = bennett_hinges();
    let mut b = ring(&hinges, Vec3::new(0.3, 0.2, -2.0));
    drive_first(&mut b, &hinges[1], "5*t + 0.3*sin(4*t)");
    let mut system = b.build();
    let (report, rows) = run(&mut system, method, 1.5, 1500, stride, |system, sample| {
        let mut row = angles(system, sample, 4);
        row.push(system.multiplier(4, 0, &sample.at));
        row
    });
    assert!(report.audit.position.value < 1e-13, "{:?}", report.audit.position);
    assert_eq!(report.audit.cut_steps, 0);
    assert!(report.audit.exchanges > 1);
    (report, rows.last().unwrap().1.clone())
}

/// Every integrator that keeps the constraints follows the loop, to the same torque of the drive. How often
/// it is looked at has no influence: a choice of rows that becomes weak is exchanged between samples too.
#[test]
fn integrators_on_a_redundant_loop() {
    let methods: [Method; 4] =
        [default_method(), midpoint(), Procedure::Embedding.into(), Procedure::Projected.into()];
    let mut ends = vec![];
    for method in methods {
        let (often, end) = follow_bennett(method, 1);
        let (rarely, same) = follow_bennett(method, 1500);
        assert_eq!(often.state, rarely.state);
        assert_eq!(often.audit.exchanges, rarely.audit.exchanges);
        assert_eq!(end[..4], same[..4]);
        assert!(often.audit.imbalance.value < 2e-5 * often.audit.energy_scale, "{:?}", often.audit.imbalance);
        ends.push(end);
    }
    for end in &ends[1..] {
        for (x, y) in end.iter().zip(&ends[0]) {
            near(*x, *y, 1e-10, "angles and torque");
        }
    }
}

/// Free motion of the same loop over two turns: the order of the energy survives the exchanges.
#[test]
fn energy_across_exchanges() {
    let hinges = bennett_hinges();
    let follow = |method: Method, steps: usize| {
        let mut system = ring(&hinges, Vec3::zeros()).build();
        let (mut state, _) = consistent_start(&mut system, 0.0).unwrap();
        // The one velocity that the loop allows, with the first link at 6 rad/s.
        let mut solver = Dependents::new(&system);
        let partition = Partition::choose(&mut solver, &system, &state, None).unwrap();
        assert_eq!(partition.mobility(), 1);
        let motion = solver.directions(&system, &partition, &state).unwrap().remove(0);
        let size = system.twist(1, &motion).angular.norm();
        state.v = motion.iter().map(|v| v * 6.0 / size).collect();
        let (report, rows) =
            run_from(&mut system, state, method, 3.0, steps, 1, |system, sample| angles(system, sample, 4));
        assert!(rows.last().unwrap().1[0].abs() > 2.0 * TAU);
        assert!(report.audit.exchanges > 3);
        assert!(report.audit.position.value < 1e-12);
        report.audit.imbalance.value / report.audit.energy_scale
    };
    let [coarse, fine] = [1200, 2400].map(|steps| follow(default_method(), steps));
    assert!(fine < 1e-5 && (order(coarse, fine) - 2.0).abs() < 0.2, "{coarse:.2e}, {fine:.2e}");
    let [coarse, fine] = [300, 600].map(|steps| follow(Procedure::Embedding.into(), steps));
    assert!(fine < 2e-9 && (order(coarse, fine) - 4.0).abs() < 0.3, "{coarse:.2e}, {fine:.2e}");
}

/// A cart on four wheels with parallel axles: one height and two of the lateral slips too many.
#[test]
fn cart_on_four_wheels() {
    let (radius, chassis, wheel, spin, push) = (0.3, 20.0, 2.0, 0.12, 15.0);
    let heading = turn(0.4);
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let body = rigid(&mut b, "chassis", Vec3::z() * 0.5, heading, chassis, Vec3::new(1.0, 2.0, 2.5));
    let ground = attach(GROUND, Vec3::zeros(), Mat3::identity());
    let mut contacts = vec![];
    for (k, (x, y)) in [(0.8, 0.5), (-0.7, 0.5), (-0.7, -0.5), (0.8, -0.5)].into_iter().enumerate() {
        let centre = heading * Vec3::new(x, y, radius);
        let node = rigid(&mut b, &format!("wheel {k}"), centre, heading, wheel, Vec3::new(0.07, spin, 0.07));
        let axle = axes_along(&(heading * Vec3::y()));
        let ends = [body, node].map(|node| attach_at(&b, node, centre, axle));
        b.constraint(&format!("axle {k}"), Box::new(revolute(&ends[0], &ends[1])));
        contacts
            .push(b.constraint(&format!("contact {k}"), Box::new(rolling_disk(&ground, &ends[1], radius))));
    }
    let along = heading * Vec3::x();
    b.force("push", Box::new(PointForce::dead(body, Vec3::zeros(), load(along * push))));
    let mut system = b.build();
    let (state, report) = consistent_start(&mut system, 0.0).unwrap();
    assert_eq!(report.redundant.len(), 3, "{report:?}");
    assert_eq!(mobility(&system), 1);
    let acceleration = push / (chassis + 4.0 * (wheel + spin / (radius * radius)));
    let (report, rows) = run_from(&mut system, state, default_method(), 3.0, 300, 1, |system, sample| {
        let mut s = Scratch::default();
        let moved = sample.at.frames[1].r - Vec3::z() * 0.5;
        let loads: Vec<Vec3> =
            contacts.iter().map(|&c| system.reaction(c, &sample.at, &mut s).force).collect();
        let total: Vec3 = loads.iter().sum();
        let weight = (chassis + 4.0 * wheel) * 9.81;
        near(total.z, weight, 1e-9 * weight, "weight");
        near(total.dot(&along), -4.0 * spin / (radius * radius) * acceleration, 1e-9, "traction");
        vec![moved.dot(&along), (moved - along * moved.dot(&along)).norm()]
    });
    for (t, row) in &rows {
        near(row[0], 0.5 * acceleration * t * t, 1e-9, "way");
        near(row[1], 0.0, 1e-9, "straight");
    }
    assert!(report.audit.velocity.value < 1e-10, "{:?}", report.audit.velocity);
}
