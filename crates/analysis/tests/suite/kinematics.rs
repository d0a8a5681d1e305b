//! Driven mechanisms: tables of worked examples, closed forms, singular positions, rows on velocities.

#![allow(clippy::approx_constant, clippy::excessive_precision)] // Tables are given as printed.

use poinsot_analysis::*;
use poinsot_expr::{Expr, SmoothFunction};
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::instant;
use poinsot_mechanics::joints::{
    Attachment, point_on_curve, point_on_line, prismatic, revolute, rolling_disk, spherical, universal,
};
use poinsot_mechanics::*;
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4, PI, TAU};

fn law(text: &str) -> SmoothFunction {
    SmoothFunction::new(&Expr::parse(text).unwrap(), &["t"], &|_| None).unwrap()
}

const STILL: Twist = Twist { linear: Vec3::new(0.0, 0.0, 0.0), angular: Vec3::new(0.0, 0.0, 0.0) };

fn planar() -> Chart {
    Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() }
}

fn turn(angle: f64) -> Mat3 {
    so3::exp(&Vec3::new(0.0, 0.0, angle))
}

fn at(node: NodeId, x: f64, y: f64) -> Attachment {
    Attachment { node, origin: Vec3::new(x, y, 0.0), axes: Mat3::identity() }
}

fn body(
    b: &mut SystemBuilder,
    name: &str,
    chart: Chart,
    r: Vec3,
    rot: Mat3,
    mass: f64,
    inertia: f64,
) -> NodeId {
    let node = b.node(name, chart, Frame { r, rot }, STILL);
    b.body(Body::new(node, &MassProperties::new(mass, Vec3::zeros(), Mat3::identity() * inertia)));
    node
}

/// Axes whose third is `axis` (x: 0, y: 1, z: 2).
fn along(axis: usize) -> Mat3 {
    let e = [Vec3::x(), Vec3::y(), Vec3::z()];
    Mat3::from_columns(&[e[(axis + 1) % 3], e[(axis + 2) % 3], e[axis]])
}

type Reader<'a> = Box<dyn FnMut(&System, &Sample) -> Vec<f64> + 'a>;

/// Keeps (t, numbers read) of every sample.
struct Record<'a> {
    read: Reader<'a>,
    rows: Vec<(f64, Vec<f64>)>,
}

impl Observer for Record<'_> {
    fn sample(&mut self, system: &System, sample: &Sample) -> Result<(), Halt> {
        let row = (self.read)(system, sample);
        self.rows.push((sample.at.t, row));
        Ok(())
    }

    fn keep_going(&mut self, _t: f64) -> bool {
        true
    }
}

type Rows = Vec<(f64, Vec<f64>)>;

fn follow<'a>(
    system: &mut System,
    study: &KinematicsStudy,
    read: impl FnMut(&System, &Sample) -> Vec<f64> + 'a,
) -> (KinematicsReport, Rows) {
    let (state, _) = consistent_start(system, 0.0).unwrap();
    let mut record = Record { read: Box::new(read), rows: vec![] };
    let report = run_kinematics(system, state, study, &mut record).unwrap();
    (report, record.rows)
}

fn study(end: f64, step: f64) -> KinematicsStudy {
    KinematicsStudy { end, step, stride: 1, times: vec![] }
}

fn near(got: f64, expected: f64, tolerance: f64, what: &str) {
    assert!((got - expected).abs() <= tolerance, "{what}: {got:.12} instead of {expected:.12}");
}

fn completed(report: &KinematicsReport) {
    assert_eq!(report.ending, KinematicsEnding::Completed, "{report:?}");
    assert!(report.position.value < 1e-11, "{:?}", report.position);
    assert!(report.velocity.value < 1e-9, "{:?}", report.velocity);
    assert!(report.acceleration.value < 1e-7, "{:?}", report.acceleration);
}

fn angle_of(frame: &Frame) -> f64 {
    frame.rot[(1, 0)].atan2(frame.rot[(0, 0)])
}

/// lagrangian-dae-modeling VC-2.16; the crank's angle is prescribed, or its rate.
fn fourbar(by_rate: bool) -> System {
    let mut b = SystemBuilder::new(Vec3::new(0.0, -9.81, 0.0));
    let (theta2, theta3) = (-0.15, 0.87);
    let a = Vec3::new(0.0, 3.0, 0.0);
    let crank = body(&mut b, "crank", planar(), a, turn(0.0), 1.0, 0.2);
    let coupler = body(&mut b, "coupler", planar(), a + Vec3::x() * 1.5, turn(theta2), 2.0, 2.0);
    let rocker = body(&mut b, "rocker", planar(), Vec3::new(4.5, 0.0, 0.0), turn(theta3), 1.0, 1.0);
    b.constraint("A", Box::new(revolute(&at(GROUND, 0.0, 3.0), &at(crank, 0.0, 0.0))));
    b.constraint("B", Box::new(revolute(&at(crank, 1.5, 0.0), &at(coupler, 0.0, 0.0))));
    b.constraint("C", Box::new(revolute(&at(coupler, 5.0, 0.0), &at(rocker, 3.0, 0.0))));
    b.constraint("D", Box::new(revolute(&at(GROUND, 4.5, 0.0), &at(rocker, 0.0, 0.0))));
    let angle = Coordinate::angle(&at(GROUND, 0.0, 3.0), &at(crank, 0.0, 0.0));
    let point = at(crank, 0.0, 0.0).point();
    let drive = match by_rate {
        true => drives::coordinate_rate(angle.clone(), law("2*pi"), point),
        false => drives::coordinate(angle.clone(), law("2*pi*t"), point),
    };
    b.constraint("motor", Box::new(drive));
    b.track(angle, 0.0);
    b.build()
}

/// θ₁, θ₂, θ₃, θ̇₂, θ̇₃, x_E, y_E of the four-bar.
fn read_fourbar(system: &System, sample: &Sample) -> Vec<f64> {
    let at = &sample.at;
    let rate = |k: usize| system.twist(k, at.v).angular.z;
    let e = system.point_motion(2, &Vec3::new(2.5, 0.0, 0.0), at).position;
    let crank = system.tracked(0, at, &mut Scratch::default()).0;
    vec![crank, angle_of(&at.frames[2]), angle_of(&at.frames[3]), rate(2), rate(3), e.x, e.y]
}

const FOURBAR: [[f64; 6]; 4] = [
    [-0.144213443, 0.864046640, -1.694592, 0.533737, 3.974048128, 2.640714795],
    [-0.307170261, 1.482024794, 0.171177, 3.067408, 2.382982480, 3.744093591],
    [-0.034532577, 1.911687358, 1.909481, -0.116586, 0.998509525, 2.913685716],
    [0.302072362, 1.479466057, -0.186133, -3.247418, 2.386805033, 2.243748434],
];

fn check_fourbar(rows: &Rows, turns: usize, per_turn: usize) {
    assert_eq!(rows.len(), turns * per_turn + 1);
    for (k, (t, row)) in rows.iter().enumerate() {
        near(row[0], TAU * t, 1e-10, "crank angle");
        assert!((0.85921 - 1e-5..1.91215 + 1e-5).contains(&row[2]), "rocker {}", row[2]);
        assert!((-0.30954 - 1e-5..0.30296 + 1e-5).contains(&row[1]), "coupler {}", row[1]);
        if k % (per_turn / 4) == 0 {
            let expected = FOURBAR[k / (per_turn / 4) % 4];
            for (i, (got, expected)) in row[1..].iter().zip(expected).enumerate() {
                let tolerance = if i == 2 || i == 3 { 6e-7 } else { 6e-10 };
                near(*got, expected, tolerance, &format!("column {i} at {t}"));
            }
        }
    }
}

#[test]
fn fourbar_over_three_turns() {
    let (report, rows) = follow(&mut fourbar(false), &study(3.0, 0.025), read_fourbar);
    completed(&report);
    assert_eq!((report.steps, report.cut_steps), (120, 0));
    check_fourbar(&rows, 3, 40);
    assert!(report.weakest.value > 0.01 && report.weakest.value < 1.0, "{:?}", report.weakest);
}

/// Steps of a quarter turn are too long to follow: they are halved inside, and the branch is kept.
#[test]
fn fourbar_in_quarter_turns() {
    let (report, rows) = follow(&mut fourbar(false), &study(2.0, 0.25), read_fourbar);
    completed(&report);
    assert!(report.cut_steps > 0);
    check_fourbar(&rows, 2, 4);
}

/// A constant rate is followed exactly, although the row knows no position.
#[test]
fn fourbar_by_rate() {
    let (report, rows) = follow(&mut fourbar(true), &study(3.0, 0.025), read_fourbar);
    completed(&report);
    check_fourbar(&rows, 3, 40);
}

/// The estimate of the smallest singular value against the full decomposition.
#[test]
fn smallest_singular_value() {
    let mut system = fourbar(false);
    let (report, _) = follow(&mut system, &study(0.0, 0.1), read_fourbar);
    let (n, length) = (system.size(), system.length_scale());
    let (a, identity) = (vec![0.0; n], vec![Mat3::identity(); system.nodes().len()]);
    let here = instant(&report.state, &a);
    let linearization = Linearization {
        stage: here,
        stage_tangent: &identity,
        end: here,
        end_tangent: &identity,
        mass: 0.0,
        damping: 0.0,
        stiffness: 0.0,
        level: Level::Position,
        gamma: 0.0,
        networks: false,
        pressed: true,
    };
    let mut values = vec![0.0; system.pattern().nnz()];
    system.step_matrix(&linearization, &mut values, &mut Scratch::default());
    let full = poinsot_numerics::dense::expand(system.pattern(), &values);
    let rows = system.constraint_equations();
    let columns: Vec<(usize, f64)> =
        system.nodes()[1..].iter().flat_map(|n| n.unknowns().zip([length, length, 1.0])).collect();
    let mut g = poinsot_numerics::dense::Mat::zeros(rows.len(), columns.len());
    for (k, &row) in rows.iter().enumerate() {
        let entries: Vec<f64> = columns.iter().map(|(c, unit)| full[(row, *c)] * unit).collect();
        let norm = entries.iter().map(|e| e * e).sum::<f64>().sqrt();
        entries.iter().enumerate().for_each(|(j, e)| g[(k, j)] = e / norm);
    }
    let exact = *poinsot_numerics::dense::singular_values(g.as_ref()).unwrap().last().unwrap();
    near(report.weakest.value / exact, 1.0, 1e-3, "σ");
}

struct SliderCrank {
    /// Height of the crank's pivot above the slider's line.
    offset: f64,
    crank: f64,
    rod: f64,
    /// Angles of crank and rod at the start.
    start: [f64; 2],
}

/// Crank, rod (frame at its middle) and slider, driven by a coordinate of the caller's choice.
impl SliderCrank {
    fn build(&self, drive: impl FnOnce(NodeId, NodeId) -> Vec<Equations>) -> System {
        let [theta, phi] = self.start;
        let mut b = SystemBuilder::new(Vec3::zeros());
        let pivot = Vec3::new(0.0, self.offset, 0.0);
        let pin = pivot + turn(theta) * Vec3::x() * self.crank;
        let half = 0.5 * self.rod;
        let middle = pin + turn(phi) * Vec3::x() * half;
        let end = pin + turn(phi) * Vec3::x() * self.rod;
        let crank = body(&mut b, "crank", planar(), pivot, turn(theta), 1.0, 0.01);
        let rod = body(&mut b, "rod", planar(), middle, turn(phi), 0.6, 0.0045);
        let slider = body(&mut b, "slider", planar(), Vec3::new(end.x, 0.0, 0.0), turn(0.0), 0.4, 0.01);
        b.constraint("pivot", Box::new(revolute(&at(GROUND, 0.0, self.offset), &at(crank, 0.0, 0.0))));
        b.constraint("pin", Box::new(revolute(&at(crank, self.crank, 0.0), &at(rod, -half, 0.0))));
        b.constraint("wrist", Box::new(revolute(&at(rod, half, 0.0), &at(slider, 0.0, 0.0))));
        let guide = |node| Attachment { axes: along(0), ..at(node, 0.0, 0.0) };
        b.constraint("guide", Box::new(prismatic(&guide(GROUND), &guide(slider))));
        for drive in drive(crank, slider) {
            b.constraint("motor", Box::new(drive));
        }
        b.build()
    }

    fn by_crank(&self, text: &str) -> System {
        self.build(|crank, _| vec![crank_drive(crank, text)])
    }

    fn by_slider(&self, text: &str) -> System {
        self.build(|_, slider| vec![slider_drive(slider, text)])
    }
}

fn crank_drive(crank: NodeId, text: &str) -> Equations {
    let angle = Coordinate::angle(&at(GROUND, 0.0, 0.0), &at(crank, 0.0, 0.0));
    drives::coordinate(angle, law(text), at(crank, 0.0, 0.0).point())
}

fn slider_drive(slider: NodeId, text: &str) -> Equations {
    let place = Coordinate::component(at(slider, 0.0, 0.0).point(), 0);
    drives::coordinate(place, law(text), at(slider, 0.0, 0.0).point())
}

/// lagrangian-dae-modeling VC-2.17.
#[test]
fn slider_crank_table() {
    let table = [
        (0.0, [-0.050020857, 6.493746089, -1.887316214, -0.471829053]),
        (FRAC_PI_4, [-0.265230831, 5.885820264, -1.381161305, -8.474557520]),
        (FRAC_PI_2, [-0.357571104, 4.683748499, 0.0, -9.424777961]),
        (PI, [-0.050020857, 3.493746089, 1.887316214, 0.471829053]),
        (1.5 * PI, [0.252680255, 4.841229183, 0.0, 9.424777961]),
    ];
    let model = SliderCrank { offset: 0.25, crank: 1.5, rod: 5.0, start: [0.0, -0.05] };
    let mut system = model.by_crank("2*pi*t");
    let (report, rows) = follow(&mut system, &study(1.0, 1.0 / 64.0), |system, sample| {
        let at = &sample.at;
        let rate = system.twist(2, at.v).angular.z;
        vec![angle_of(&at.frames[2]), at.frames[3].r.x, rate, system.twist(3, at.v).linear.x]
    });
    completed(&report);
    for (theta, expected) in table {
        let (_, row) = &rows[(theta / TAU * 64.0).round() as usize];
        for (k, (got, expected)) in row.iter().zip(expected).enumerate() {
            near(*got, expected, 1e-9, &format!("column {k} at {theta:.3}"));
        }
    }
}

/// D14: rod angle, place, speed, acceleration of the slider and driving torque.
const D14: [(f64, [f64; 5]); 3] = [
    (
        0.02,
        [
            0.1301734369128764511,
            0.3895679180371277256,
            -1.0199957329237049,
            -46.40664042629251,
            1.7886488830225781,
        ],
    ),
    (
        0.05,
        [
            0.2843049058942418340,
            0.3419872860955552193,
            -1.9987173289724867,
            -16.17769415808524,
            1.3221520483731964,
        ],
    ),
    (
        0.1,
        [
            0.3079431049288209270,
            0.2442730248877866584,
            -1.5538746601298501,
            25.54621309372442,
            -1.5524874588118752,
        ],
    ),
];

#[test]
fn driving_torque_of_the_slider_crank() {
    let model = SliderCrank { offset: 0.0, crank: 0.1, rod: 0.3, start: [0.0, 0.0] };
    let mut system = model.by_crank("20*t");
    let times = vec![0.02, 0.05, 0.1];
    let plan = KinematicsStudy { end: 0.1, step: 0.0007, stride: 1000, times };
    let (report, rows) = follow(&mut system, &plan, |system, sample| {
        let at = &sample.at;
        let slider = system.point_motion(3, &Vec3::zeros(), at);
        let x = [slider.position.x, slider.velocity.x, slider.acceleration.x];
        let torque = -system.multiplier(4, 0, at);
        vec![-angle_of(&at.frames[2]), x[0], x[1], x[2], torque, sample.supplied, sample.balance.kinetic]
    });
    completed(&report);
    assert_eq!(rows.len(), 4);
    for ((t, row), (expected_t, expected)) in rows[1..].iter().zip(D14) {
        assert_eq!(*t, expected_t);
        for (k, (got, expected)) in row.iter().zip(expected).enumerate() {
            near(*got, expected, 1e-10 * expected.abs().max(1.0), &format!("column {k} at {t}"));
        }
        // The work of the drive is the change of kinetic energy, up to the trapezoidal rule.
        near(row[5], row[6] - rows[0].1[6], 2e-4, "work");
    }
}

/// floating-frame-and-ancf V14c: velocities per unit of the crank's.
#[test]
fn velocities_of_the_slider_crank() {
    let (l2, l3) = (0.7, 1.9);
    let start = [0.3, -(l2 * 0.3_f64.sin() / l3).asin()];
    let model = SliderCrank { offset: 0.0, crank: l2, rod: l3, start };
    let mut system = model.by_crank("0.3 + t + 0.2*sin(3*t)");
    let (report, rows) = follow(&mut system, &study(8.0, 0.02), |system, sample| {
        let at = &sample.at;
        let rod = system.twist(2, at.v);
        let (crank, slider) = (system.twist(1, at.v).angular.z, system.twist(3, at.v).linear.x);
        vec![
            angle_of(&at.frames[1]),
            angle_of(&at.frames[2]),
            crank,
            rod.angular.z,
            slider,
            rod.linear.x,
            rod.linear.y,
        ]
    });
    completed(&report);
    for (_, row) in &rows {
        let (t2, t3, w) = (row[0], row[1], row[2]);
        near(l2 * t2.sin() + l3 * t3.sin(), 0.0, 1e-12, "loop");
        near(row[3], -w * l2 * t2.cos() / (l3 * t3.cos()), 1e-11, "θ̇₃");
        near(row[4], -w * l2 * (t2 - t3).sin() / t3.cos(), 1e-11, "slider");
        near(row[5], w * l2 * (-t2.sin() + 0.5 * t2.cos() * t3.tan()), 1e-11, "rod, x");
        near(row[6], w * 0.5 * l2 * t2.cos(), 1e-11, "rod, y");
    }
}

/// lagrangian-dae-modeling VC-2.18: revolute, spherical, universal, prismatic.
#[test]
fn spatial_slider_crank_table() {
    let (psi, l1, l2, d, b_c) = (PI / 6.0, 1.0, 4.0, 2.0, 1.25);
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let (alpha, gamma) = (-0.12, -0.52);
    let rot = so3::exp(&Vec3::new(alpha, 0.0, 0.0)) * so3::exp(&Vec3::new(0.0, 0.0, gamma));
    let place = Vec3::new(-d, -2.95, b_c);
    let crank = body(&mut b, "crank", Chart::Motion, Vec3::zeros(), Mat3::identity(), 1.0, 0.2);
    let slider = body(&mut b, "slider", Chart::Motion, place, Mat3::identity(), 1.0, 0.1);
    let rod = body(&mut b, "rod", Chart::Motion, place, rot, 2.0, 2.0);
    let frame = |node, axis: usize| Attachment { node, origin: Vec3::zeros(), axes: along(axis) };
    b.constraint("R", Box::new(revolute(&frame(GROUND, 1), &frame(crank, 1))));
    let pin =
        Attachment { node: crank, origin: Vec3::new(0.0, psi.sin(), psi.cos()) * l1, axes: Mat3::identity() };
    let tip = Attachment { node: rod, origin: Vec3::y() * l2, axes: Mat3::identity() };
    b.constraint("S", Box::new(spherical(&pin, &tip)));
    b.constraint("U", Box::new(universal(&frame(slider, 0), &frame(rod, 2))));
    let line = Attachment { node: GROUND, origin: Vec3::new(-d, 0.0, b_c), axes: along(1) };
    b.constraint("P", Box::new(prismatic(&line, &frame(slider, 1))));
    let angle = Coordinate::angle(&frame(GROUND, 1), &frame(crank, 1));
    b.constraint("motor", Box::new(drives::coordinate(angle, law("2*pi*t"), frame(crank, 1).point())));
    let mut system = b.build();
    let (report, rows) = follow(&mut system, &study(2.0, 1.0 / 80.0), |system, sample| {
        let at = &sample.at;
        let r = &at.frames[3].rot;
        let w = system.twist(3, at.v).angular;
        let gamma = (-r[(0, 1)]).asin();
        let speed = system.twist(2, at.v).linear.y;
        vec![(-r[(1, 2)]).atan2(r[(2, 2)]), gamma, at.frames[2].r.y, w.z, w.x / gamma.cos(), speed]
    });
    completed(&report);
    let table = [
        [-0.111072161, -0.523598776, -2.942755221, -1.570796327, -0.101147603, 3.161071725],
        [-0.464501223, -0.798781112, -1.994674004, 0.0, -2.181206075, 2.726507594],
        [-0.657126042, -0.523598776, -2.242706053, 1.570796327, 0.699682259, -3.967904681],
        [-0.331930827, -0.287435268, -3.126513700, 0.0, 1.500448790, -1.875560987],
    ];
    for k in 0..8 {
        for (i, (got, expected)) in rows[20 * k].1.iter().zip(table[k % 4]).enumerate() {
            near(*got, expected, 1e-9, &format!("column {i} at quarter {k}"));
        }
    }
    let lowest = rows.iter().map(|(_, r)| r[2]).fold(f64::INFINITY, f64::min);
    let highest = rows.iter().map(|(_, r)| r[2]).fold(f64::NEG_INFINITY, f64::max);
    assert!((-3.211136438..-3.2107).contains(&lowest) && (-1.868..=-1.866952965).contains(&highest));
}

/// A bead on a helix, its height driven: motion and effort in closed form.
#[test]
fn bead_on_a_driven_curve() {
    let g = Vec3::new(0.0, 0.0, -9.81);
    let mut b = SystemBuilder::new(g);
    let bead = b.node("bead", Chart::Point, Frame { r: Vec3::x(), rot: Mat3::identity() }, STILL);
    b.body(Body::new(bead, &MassProperties::point(2.0, Vec3::zeros())));
    let s = b.parameter("place", 0.0);
    let curve = ["cos(s)", "sin(s)", "0.3*s"]
        .map(|text| SmoothFunction::new(&Expr::parse(text).unwrap(), &["s"], &|_| None).unwrap());
    b.constraint("wire", Box::new(point_on_curve(&at(GROUND, 0.0, 0.0), &at(bead, 0.0, 0.0), s, curve)));
    let height = Coordinate::component(at(bead, 0.0, 0.0).point(), 2);
    b.constraint("motor", Box::new(drives::coordinate(height, law("0.3*t^2"), at(bead, 0.0, 0.0).point())));
    let mut system = b.build();
    let (report, rows) = follow(&mut system, &study(3.0, 0.02), |system, sample| {
        let p = system.point_motion(1, &Vec3::zeros(), &sample.at);
        let mut row = p.position.as_slice().to_vec();
        row.extend_from_slice(p.velocity.as_slice());
        row.extend_from_slice(p.acceleration.as_slice());
        row.push(-system.multiplier(1, 0, &sample.at));
        row
    });
    completed(&report);
    for (t, row) in &rows {
        let (s, w, e) = (t * t, 2.0 * t, 2.0);
        let slope = Vec3::new(-s.sin(), s.cos(), 0.3);
        let bend = Vec3::new(-s.cos(), -s.sin(), 0.0);
        let (v, a) = (slope * w, slope * e + bend * (w * w));
        // The vertical force F has the power of the motion along the wire: F·0.3 = m (a − g)·r′.
        let effort = 2.0 * (a - g).dot(&slope) / 0.3;
        let expected = [[s.cos(), s.sin(), 0.3 * s], [v.x, v.y, v.z], [a.x, a.y, a.z]].concat();
        for (got, expected) in row.iter().zip(&expected) {
            near(*got, *expected, 1e-9, "motion");
        }
        near(row[9], effort, 1e-8, "effort");
    }
}

/// A point on an inclined line, its height driven.
#[test]
fn point_on_a_driven_line() {
    let mut b = SystemBuilder::new(Vec3::new(0.0, -10.0, 0.0));
    let bead = b.node("bead", Chart::Point, Frame { r: Vec3::zeros(), rot: Mat3::identity() }, STILL);
    b.body(Body::new(bead, &MassProperties::point(3.0, Vec3::zeros())));
    let rod = Mat3::from_columns(&[Vec3::z(), Vec3::new(0.8, -0.6, 0.0), Vec3::new(0.6, 0.8, 0.0)]);
    let line = Attachment { node: GROUND, origin: Vec3::zeros(), axes: rod };
    b.constraint("line", Box::new(point_on_line(&line, &at(bead, 0.0, 0.0))));
    let laws = [None, Some(law("0.4*sin(2*t)")), None];
    b.constraint("motor", Box::new(drives::point(&at(GROUND, 0.0, 0.0), &at(bead, 0.0, 0.0), laws)));
    let mut system = b.build();
    let (report, rows) = follow(&mut system, &study(2.0, 0.05), |system, sample| {
        let p = system.point_motion(1, &Vec3::zeros(), &sample.at);
        vec![p.position.x, p.position.y, p.acceleration.x, system.multiplier(1, 0, &sample.at)]
    });
    completed(&report);
    for (t, row) in &rows {
        let (y, a) = (0.4 * (2.0 * t).sin(), -1.6 * (2.0 * t).sin());
        near(row[1], y, 1e-13, "y");
        near(row[0], 0.75 * y, 1e-13, "x");
        near(row[2], 0.75 * a, 1e-12, "ẍ");
        // The vertical force F moves the bead along the rod: F·0.8 = m (a/0.8 + g·0.8).
        near(-row[3], 3.0 * (a / 0.64 + 10.0), 1e-11, "effort");
    }
}

/// Two links with crossed axes turning at constant relative rates: both angles are exact.
#[test]
fn constant_rates_in_space() {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let first = body(&mut b, "first", Chart::Motion, Vec3::zeros(), Mat3::identity(), 1.0, 0.5);
    let second = body(&mut b, "second", Chart::Motion, Vec3::x() * 2.0, Mat3::identity(), 1.0, 0.5);
    let frame = |node, x: f64, axis: usize| Attachment { node, origin: Vec3::x() * x, axes: along(axis) };
    b.constraint("base", Box::new(revolute(&frame(GROUND, 0.0, 2), &frame(first, 0.0, 2))));
    b.constraint("elbow", Box::new(revolute(&frame(first, 2.0, 1), &frame(second, 0.0, 1))));
    let angles = [
        Coordinate::angle(&frame(GROUND, 0.0, 2), &frame(first, 0.0, 2)),
        Coordinate::angle(&frame(first, 2.0, 1), &frame(second, 0.0, 1)),
    ];
    for (angle, rate) in angles.iter().zip(["1.7", "-2.9"]) {
        let drive = drives::coordinate_rate(angle.clone(), law(rate), frame(first, 0.0, 2).point());
        b.constraint("motor", Box::new(drive));
        b.track(angle.clone(), 0.0);
    }
    let mut system = b.build();
    let (report, rows) = follow(&mut system, &study(6.0, 0.05), |system, sample| {
        let s = &mut Scratch::default();
        vec![system.tracked(0, &sample.at, s).0, system.tracked(1, &sample.at, s).0]
    });
    completed(&report);
    for (t, row) in &rows {
        near(row[0], 1.7 * t, 1e-10, "base");
        near(row[1], -2.9 * t, 1e-10, "elbow");
    }
}

/// A driven wheel rolls as far as its rim; the drive balances gravity on the slope.
#[test]
fn driven_wheel_on_a_slope() {
    let (radius, slope, m, j) = (0.4, 0.2_f64, 5.0, 0.3);
    let g = Vec3::new(-slope.sin(), -slope.cos(), 0.0) * 9.81;
    let mut b = SystemBuilder::new(g);
    let wheel = body(&mut b, "wheel", planar(), Vec3::y() * radius, turn(0.0), m, j);
    let plane = Attachment { node: GROUND, origin: Vec3::zeros(), axes: along(1) };
    b.constraint("road", Box::new(rolling_disk(&plane, &at(wheel, 0.0, 0.0), radius)));
    let angle = Coordinate::angle(&at(GROUND, 0.0, 0.0), &at(wheel, 0.0, 0.0));
    let drive = drives::coordinate(angle, law("4*sin(t)"), at(wheel, 0.0, 0.0).point());
    b.constraint("motor", Box::new(drive));
    let mut system = b.build();
    let (report, rows) = follow(&mut system, &study(4.0, 0.05), |system, sample| {
        vec![sample.at.frames[1].r.x, -system.multiplier(1, 0, &sample.at)]
    });
    completed(&report);
    for (t, row) in &rows {
        near(row[0], -radius * 4.0 * t.sin(), 1e-11, "way");
        let spin_up = (j + m * radius * radius) * -4.0 * t.sin();
        near(row[1], spin_up - m * 9.81 * slope.sin() * radius, 1e-10, "torque");
    }
}

/// Rows that cannot be integrated are followed with second order.
#[test]
fn prescribed_spin_is_second_order() {
    let end = |step: f64| {
        let mut b = SystemBuilder::new(Vec3::zeros());
        let top = body(&mut b, "top", Chart::Motion, Vec3::zeros(), Mat3::identity(), 1.0, 0.5);
        b.constraint("tip", Box::new(spherical(&at(GROUND, 0.0, 0.0), &at(top, 0.0, 0.0))));
        let laws = [law("2*sin(t)"), law("cos(2*t)"), law("1 + 0.5*t")];
        b.constraint("spin", Box::new(drives::angular_velocity(&at(top, 0.0, 0.0), true, laws)));
        let (report, _) = follow(&mut b.build(), &study(2.0, step), |_, _| vec![]);
        completed(&report);
        report.state.frames[1].rot
    };
    let (coarse, fine, finer) = (end(0.04), end(0.02), end(0.01));
    let (first, second) = ((coarse - fine).norm(), (fine - finer).norm());
    let order = (first / second).log2();
    assert!((order - 2.0).abs() < 0.1 && second < 1e-3, "order {order}, {second:e}");
}

/// Pulled by the slider to the end of its reach at t = 0.1.
#[test]
fn drive_to_the_dead_centre() {
    let x0: f64 = 0.35;
    let cosine = (x0 * x0 + 0.01 - 0.09) / (2.0 * x0 * 0.1);
    let theta = cosine.acos();
    let start = [theta, -(0.1 * theta.sin() / 0.3).asin()];
    let model = SliderCrank { offset: 0.0, crank: 0.1, rod: 0.3, start };
    let mut system = model.by_slider("0.35 + 0.5*t");
    let (report, rows) = follow(&mut system, &study(0.2, 0.003), |_, sample| vec![sample.at.frames[3].r.x]);
    let KinematicsEnding::Failed(KinematicsError::Singular { time, equation }) = &report.ending else {
        panic!("{:?}", report.ending)
    };
    near(*time, 0.1, 1e-4, "time");
    assert!(equation.contains("motor"), "{equation}");
    assert!(report.weakest.equation.contains("motor") && report.weakest.value < 0.02, "{:?}", report.weakest);
    near(rows.last().unwrap().1[0], 0.4, 1e-4, "last position");
}

/// Started exactly at the dead centre the mechanism does not know where to go.
#[test]
fn start_in_the_dead_centre() {
    let model = SliderCrank { offset: 0.0, crank: 0.1, rod: 0.3, start: [0.0, 0.0] };
    let mut system = model.by_slider("0.4 - 0.1*t^2");
    match consistent_start(&mut system, 0.0) {
        Err(StartError::SingularPosition { .. }) => {}
        Ok((state, _)) => {
            let mut record = Record { read: Box::new(|_, _| vec![]), rows: vec![] };
            let error = run_kinematics(&system, state, &study(0.1, 0.01), &mut record);
            assert!(error.is_err(), "{error:?}");
        }
        Err(other) => panic!("{other}"),
    }
}

#[test]
fn freedom_is_refused() {
    let model = SliderCrank { offset: 0.0, crank: 0.1, rod: 0.3, start: [0.5, -0.16] };
    let mut system = model.build(|_, _| vec![]);
    let (state, _) = consistent_start(&mut system, 0.0).unwrap();
    let mut record = Record { read: Box::new(|_, _| vec![]), rows: vec![] };
    let error = run_kinematics(&system, state, &study(1.0, 0.01), &mut record).unwrap_err();
    assert!(matches!(error, KinematicsError::Underdetermined { freedom: 1, .. }), "{error}");
    assert!(error.to_string().contains("`run`"));
}

/// A law that jumps has no motion through the jump.
#[test]
fn jump_of_a_drive() {
    let model = SliderCrank { offset: 0.0, crank: 0.1, rod: 0.3, start: [0.5, -0.16] };
    let mut system = model.by_crank("0.5 + 2*t + if(t > 0.105, 0.3, 0)");
    let (report, rows) = follow(&mut system, &study(1.0, 0.01), |_, _| vec![]);
    let KinematicsEnding::Failed(error) = &report.ending else { panic!("{:?}", report.ending) };
    assert!(matches!(error, KinematicsError::Jump { .. }), "{error}");
    let last = rows.last().unwrap().0;
    assert!((0.104..0.106).contains(&last), "{last}");
}

/// Two drives that agree at the start only.
#[test]
fn one_drive_too_many() {
    let model = SliderCrank { offset: 0.0, crank: 0.1, rod: 0.3, start: [0.5, -0.16] };
    let x0 = 0.1 * 0.5_f64.cos() + (0.09 - (0.1 * 0.5_f64.sin()).powi(2)).sqrt();
    let rate = x0.to_string();
    // Contradicting rates are seen at once.
    let mut system =
        model.build(|crank, slider| vec![crank_drive(crank, "0.5 + t"), slider_drive(slider, &rate)]);
    let error = consistent_start(&mut system, 0.0).unwrap_err();
    assert!(
        matches!(&error, poinsot_analysis::StartError::ConflictingRate { equation, .. } if equation.contains("drive")),
        "{error}"
    );
    let mut system =
        model.build(|crank, slider| vec![crank_drive(crank, "0.5 + t^2"), slider_drive(slider, &rate)]);
    let (state, start) = consistent_start(&mut system, 0.0).unwrap();
    assert_eq!(start.redundant.len(), 1);
    let mut record = Record { read: Box::new(|_, _| vec![]), rows: vec![] };
    let report = run_kinematics(&system, state, &study(1.0, 0.01), &mut record).unwrap();
    let KinematicsEnding::Failed(error) = &report.ending else { panic!("{:?}", report.ending) };
    assert!(matches!(error, KinematicsError::Conflict { .. }), "{error}");
}

/// A parallelogram whose rods fall into line at half a turn: there it could go over into the crossed form.
fn parallelogram() -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let up = turn(0.6);
    let crank = body(&mut b, "crank", planar(), Vec3::zeros(), up, 1.0, 0.2);
    let coupler = body(&mut b, "coupler", planar(), up * Vec3::x(), turn(0.0), 1.0, 0.2);
    let rocker = body(&mut b, "rocker", planar(), Vec3::x() * 3.0, up, 1.0, 0.2);
    b.constraint("A", Box::new(revolute(&at(GROUND, 0.0, 0.0), &at(crank, 0.0, 0.0))));
    b.constraint("B", Box::new(revolute(&at(crank, 1.0, 0.0), &at(coupler, 0.0, 0.0))));
    b.constraint("C", Box::new(revolute(&at(coupler, 3.0, 0.0), &at(rocker, 1.0, 0.0))));
    b.constraint("D", Box::new(revolute(&at(GROUND, 3.0, 0.0), &at(rocker, 0.0, 0.0))));
    b.constraint("motor", Box::new(crank_drive(crank, "0.6 + t")));
    b.build()
}

#[test]
fn parallelogram_through_its_change_points() {
    let (report, rows) =
        follow(&mut parallelogram(), &study(7.0, 0.0137), |_, s| vec![angle_of(&s.at.frames[2])]);
    assert_eq!(report.ending, KinematicsEnding::Completed);
    assert!(rows.iter().all(|(_, row)| row[0].abs() < 1e-9), "the coupler turned");
    assert!(report.weakest.value < 0.01, "{:?}", report.weakest);
    let change = PI - 0.6;
    let passed = [change, change + PI].map(|t| (report.weakest.time - t).abs() < 0.0137);
    assert!(passed[0] || passed[1], "{:?}", report.weakest);
}

/// Exactly in line the rank is lost.
#[test]
fn parallelogram_in_line() {
    let plan = KinematicsStudy { times: vec![PI - 0.6], ..study(7.0, 0.0137) };
    let (report, rows) = follow(&mut parallelogram(), &plan, |_, _| vec![]);
    let KinematicsEnding::Failed(KinematicsError::Singular { time, .. }) = &report.ending else {
        panic!("{:?}", report.ending)
    };
    near(*time, PI - 0.6, 1e-5, "time");
    assert!(rows.last().unwrap().0 < *time, "a sample without meaning");
}

fn disk_full() -> Halt {
    Halt::new("disk full", "make room")
}

/// Refuses the sample at one time, asks to stop at another.
struct Critic {
    refuse: f64,
    stop: f64,
}

impl Observer for Critic {
    fn sample(&mut self, _system: &System, sample: &Sample) -> Result<(), Halt> {
        if sample.at.t >= self.refuse { Err(disk_full()) } else { Ok(()) }
    }

    fn keep_going(&mut self, t: f64) -> bool {
        t < self.stop
    }
}

#[test]
fn observer_ends_the_study() {
    let refused = KinematicsEnding::Halted(disk_full());
    for (refuse, stop, ending, t) in
        [(0.035, 1.0, refused, 0.04), (1.0, 0.025, KinematicsEnding::Interrupted, 0.03)]
    {
        let mut system = fourbar(false);
        let (state, _) = consistent_start(&mut system, 0.0).unwrap();
        let report = run_kinematics(&system, state, &study(1.0, 0.01), &mut Critic { refuse, stop }).unwrap();
        assert_eq!(report.ending, ending);
        near(report.state.t, t, 1e-12, "time");
    }
}
