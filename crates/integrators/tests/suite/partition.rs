//! Choice of independent coordinates, and the dependent ones that follow from them (floating-frame-and-ancf
//! §1.3.4, V13, V14).

use crate::common;

use common::{Random, attach, consistent_start, largest, violation, without_redundant_rows};
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::{Dependents, Jacobian, MAX_UNKNOWNS, Partition, PartitionError, instant};
use poinsot_mechanics::joints::{Attachment, knife_edge, prismatic, revolute, spherical};
use poinsot_mechanics::*;
use poinsot_numerics::dense::{Mat, singular_values};

const L2: f64 = 0.4;
const L3: f64 = 1.1;

fn planar() -> Chart {
    Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() }
}

fn bar(b: &mut SystemBuilder, name: &str, from: Vec3, to: Vec3) -> NodeId {
    let d = to - from;
    let rot = so3::exp(&(Vec3::z() * d.y.atan2(d.x)));
    let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
    let node = b.node(name, planar(), Frame { r: (from + to) * 0.5, rot }, still);
    b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), Mat3::identity() * 0.1)));
    node
}

/// Attachment of a node at a world point, with axes whose third is given by `axes` in the world.
fn at_world(b: &SystemBuilder, node: NodeId, point: Vec3, axes: Mat3) -> Attachment {
    let z = *b.start(node);
    attach(node, z.rot.tr_mul(&(point - z.r)), z.rot.tr_mul(&axes))
}

fn pin(b: &mut SystemBuilder, name: &str, nodes: [NodeId; 2], point: Vec3) {
    let ends = nodes.map(|node| at_world(b, node, point, Mat3::identity()));
    b.constraint(name, Box::new(revolute(&ends[0], &ends[1])));
}

/// V14: crank 2 (node 1), rod 3 (node 2) and slider 4 (node 3), frames at mid-link; angles θ2 and θ3 from the
/// x-axis.
fn slider_crank(theta2: f64) -> (System, f64) {
    let theta3 = -(L2 * theta2.sin() / L3).asin();
    let elbow = Vec3::new(theta2.cos(), theta2.sin(), 0.0) * L2;
    let end = elbow + Vec3::new(theta3.cos(), theta3.sin(), 0.0) * L3;
    let mut b = SystemBuilder::new(Vec3::zeros());
    let crank = bar(&mut b, "crank", Vec3::zeros(), elbow);
    let rod = bar(&mut b, "rod", elbow, end);
    let slider = bar(&mut b, "slider", end - Vec3::x() * 0.1, end + Vec3::x() * 0.1);
    pin(&mut b, "main", [GROUND, crank], Vec3::zeros());
    pin(&mut b, "crank pin", [crank, rod], elbow);
    pin(&mut b, "wrist pin", [rod, slider], end);
    let ends = [GROUND, slider].map(|node| at_world(&b, node, end, common::along_x()));
    b.constraint("guide", Box::new(prismatic(&ends[0], &ends[1])));
    (without_redundant_rows(b.build()), theta3)
}

/// |det G_d| with all unknowns but one as dependents.
fn determinant(system: &System, independent: usize) -> f64 {
    let state = system.start_state(0.0);
    let mut jacobian = Jacobian::new(system);
    let zero = vec![0.0; system.size()];
    jacobian.evaluate(system, &instant(&state, &zero), &mut Scratch::default());
    let columns: Vec<usize> = jacobian.unknowns().iter().copied().filter(|&i| i != independent).collect();
    let rows = jacobian.rows().to_vec();
    assert_eq!(rows.len(), columns.len());
    let mut m = Mat::zeros(rows.len(), rows.len());
    for (row, column, value) in jacobian.entries() {
        let r = rows.iter().position(|&x| x == row).unwrap();
        if let Some(c) = columns.iter().position(|&x| x == column) {
            m[(r, c)] = value;
        }
    }
    singular_values(m.as_ref()).unwrap().iter().product()
}

/// The unknowns θ2 and R_1^4.
fn crank_angle(system: &System) -> usize {
    system.nodes()[1].unknowns().start + 2
}

fn slider_place(system: &System) -> usize {
    system.nodes()[3].unknowns().start
}

/// V14a, V14b: det G_d = ± l3 cos θ3 with θ2 independent, ± l2 l3 sin(θ2 − θ3) with the slider's place.
#[test]
fn determinants_of_the_slider_crank() {
    for theta2 in [0.3, 1.0, 1.7, 2.9, 4.0, -0.8] {
        let (system, theta3) = slider_crank(theta2);
        assert_eq!((system.coordinates(), system.active_rows()), (9, 8));
        let by_angle = determinant(&system, crank_angle(&system));
        assert!((by_angle - (L3 * theta3.cos()).abs()).abs() < 1e-14, "θ2 = {theta2}: {by_angle}");
        let by_place = determinant(&system, slider_place(&system));
        let expected = (L2 * L3 * (theta2 - theta3).sin()).abs();
        assert!((by_place - expected).abs() < 1e-14, "θ2 = {theta2}: {by_place} instead of {expected}");
    }
    let (dead_centre, _) = slider_crank(0.0);
    assert!(determinant(&dead_centre, slider_place(&dead_centre)) < 1e-15);
}

/// At the dead centre the slider cannot be independent; nobody chooses it, and asking for it is refused.
#[test]
fn dead_centre_is_avoided() {
    let (system, _) = slider_crank(0.0);
    let (state, mut solver) = (system.start_state(0.0), Dependents::new(&system));
    let partition = Partition::choose(&mut solver, &system, &state, None).unwrap();
    assert_eq!(partition.mobility(), 1);
    assert!(partition.condition < 10.0, "{}", partition.condition);
    assert_eq!(partition.names(&system), ["body `crank`, rotation"]);
    let place = slider_place(&system);
    let refused = Partition::with_independent(&mut solver, &system, &state, &[place]);
    assert!(matches!(refused, Err(PartitionError::Rank { .. })), "{refused:?}");
    // Before the dead centre the slider serves, and its condition grows like 1/sin(θ2 − θ3).
    let condition = |theta2: f64| {
        let (system, _) = slider_crank(theta2);
        let (state, mut solver) = (system.start_state(0.0), Dependents::new(&system));
        Partition::with_independent(&mut solver, &system, &state, &[slider_place(&system)]).unwrap().condition
    };
    let ratio = condition(0.001) / condition(0.01);
    assert!((ratio - 10.0).abs() < 0.1, "{ratio}");
}

/// Asking for the wrong number, or for something that is no coordinate.
#[test]
fn wrong_wishes_are_refused() {
    let (system, _) = slider_crank(1.0);
    let (state, mut solver) = (system.start_state(0.0), Dependents::new(&system));
    let mut ask =
        |wish: &[usize]| Partition::with_independent(&mut solver, &system, &state, wish).unwrap_err();
    assert_eq!(ask(&[]), PartitionError::Count { expected: 1, given: 0 });
    let row = system.constraint_equations()[0];
    assert_eq!(ask(&[row]), PartitionError::NotACoordinate(row));
    assert_eq!(ask(&[1000]), PartitionError::NotACoordinate(1000));
}

/// Beyond the size that is eliminated as a full matrix there is a clear refusal.
#[test]
fn too_large_a_system_is_refused() {
    let mut b = SystemBuilder::new(Vec3::zeros());
    for _ in 0..=MAX_UNKNOWNS / 3 {
        common::unit_point(&mut b, Vec3::zeros(), Vec3::zeros());
    }
    let system = b.build();
    let refused = Partition::choose(&mut Dependents::new(&system), &system, &system.start_state(0.0), None);
    assert_eq!(refused, Err(PartitionError::TooLarge(system.coordinates())));
}

/// V14c: velocities per unit θ̇2.
#[test]
fn velocities_of_the_slider_crank() {
    let theta2: f64 = 0.9;
    let (system, theta3) = slider_crank(theta2);
    let (state, mut solver) = (system.start_state(0.0), Dependents::new(&system));
    let angle = crank_angle(&system);
    let partition = Partition::with_independent(&mut solver, &system, &state, &[angle]).unwrap();
    let b = solver.directions(&system, &partition, &state).unwrap().remove(0);
    let rod = system.nodes()[2].unknowns().start;
    let (s2, c2, c3) = (theta2.sin(), theta2.cos(), theta3.cos());
    let expected = [
        (angle, 1.0),
        (rod + 2, -L2 * c2 / (L3 * c3)),
        (slider_place(&system), -L2 * (theta2 - theta3).sin() / c3),
        (rod, L2 * (-s2 + 0.5 * c2 * theta3.tan())),
        (rod + 1, 0.5 * L2 * c2),
    ];
    for (i, value) in expected {
        assert!((b[i] - value).abs() < 1e-14, "{}: {} instead of {value}", system.equation_name(i), b[i]);
    }
}

/// A spatial four-bar linkage with two spherical joints, the coupler's spin included: two degrees of freedom.
fn spatial_loop(turn: f64) -> System {
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let (first, second) = (so3::exp(&Vec3::new(0.2, 0.1, turn)), so3::exp(&Vec3::new(-1.1, 0.3, 0.4)));
    let (o, a) = (Vec3::zeros(), Vec3::new(0.1, 0.4, 0.1 + 0.2 * turn));
    let (c, d) = (Vec3::new(1.2, 0.7, 0.6), Vec3::new(1.4, 0.0, 0.0));
    let mut link = |name: &str, r: Vec3, turn: Vec3| {
        let still = Twist { linear: Vec3::zeros(), angular: Vec3::new(1.0, 0.5, -0.7) };
        let node = b.node(name, Chart::Motion, Frame { r, rot: so3::exp(&turn) }, still);
        b.body(Body::new(node, &MassProperties::new(1.3, Vec3::x() * 0.05, Mat3::identity() * 0.1)));
        node
    };
    let crank = link("crank", a * 0.5, Vec3::new(0.2, 0.0, 0.9 + turn));
    let coupler = link("coupler", (a + c) * 0.5, Vec3::new(turn, -0.5, 0.3));
    let rocker = link("rocker", (c + d) * 0.5, Vec3::new(0.7, 0.1 - turn, 0.0));
    for (name, node, point, axes) in [("first", crank, o, first), ("second", rocker, d, second)] {
        let ends = [GROUND, node].map(|node| at_world(&b, node, point, axes));
        b.constraint(name, Box::new(revolute(&ends[0], &ends[1])));
    }
    for (name, nodes, point) in [("near", [crank, coupler], a), ("far", [coupler, rocker], c)] {
        let ends = nodes.map(|node| at_world(&b, node, point, Mat3::identity()));
        b.constraint(name, Box::new(spherical(&ends[0], &ends[1])));
    }
    b.build()
}

/// G B = 0 and B_i = I at random states, and any independent velocities and small moves can be completed.
#[test]
fn directions_lie_in_the_null_space() {
    let mut random = Random(20260);
    for _ in 0..20 {
        let system = spatial_loop(2.0 * random.next() - 1.0);
        let mut state = consistent_start(&system);
        let mut solver = Dependents::new(&system);
        let partition = Partition::choose(&mut solver, &system, &state, None).unwrap();
        assert_eq!((partition.mobility(), partition.dependent.len()), (2, 16));
        assert_eq!(partition.dependent, partition.dependent_positions);
        let directions = solver.directions(&system, &partition, &state).unwrap();
        for (k, b) in directions.iter().enumerate() {
            let mut rate = vec![0.0; system.size()];
            for (row, column, g) in solver.evaluate(&system, &state).entries() {
                rate[row] += g * b[column];
            }
            assert!(largest(&rate) < 1e-13, "G B = {:.2e}", largest(&rate));
            for (l, &i) in partition.independent.iter().enumerate() {
                assert!((b[i] - f64::from(u8::from(k == l))).abs() < 1e-15);
            }
        }
        // Independent velocities and positions at will.
        let frames = state.frames.clone();
        let mut delta = vec![0.0; system.size()];
        for &i in &partition.independent {
            state.v[i] = random.next() - 0.5;
            delta[i] = 0.1 * (random.next() - 0.5);
        }
        let wanted: Vec<f64> = partition.independent.iter().map(|&i| delta[i]).collect();
        solver.positions(&system, &partition, &frames, &mut delta, &mut state).unwrap();
        solver.velocities(&system, &partition, &mut state).unwrap();
        let (position, velocity) = violation(&system, &state);
        assert!(position < 1e-14 && velocity < 1e-13, "Φ = {position:.2e}, Φ̇ = {velocity:.2e}");
        for (&i, wanted) in partition.independent.iter().zip(wanted) {
            assert_eq!(delta[i], wanted, "an independent position was moved");
        }
    }
}

/// 1/σ_min against the singular values of the full matrix.
#[test]
fn condition_is_that_of_the_dependent_columns() {
    let system = spatial_loop(0.3);
    let (state, mut solver) = (consistent_start(&system), Dependents::new(&system));
    let partition = Partition::choose(&mut solver, &system, &state, None).unwrap();
    let length = system.length_scale();
    let mut scale = vec![1.0; system.size()];
    for node in system.nodes() {
        node.unknowns().take(node.chart.linear_dofs()).for_each(|i| scale[i] = length);
    }
    let (rows, m) = (system.constraint_equations(), partition.dependent.len());
    let mut full = Mat::zeros(m, m);
    let mut norm = vec![0.0; m];
    for (row, column, g) in solver.evaluate(&system, &state).entries() {
        let r = rows.iter().position(|&x| x == row).unwrap();
        norm[r] += (g * scale[column]).powi(2);
        if let Ok(c) = partition.dependent.binary_search(&column) {
            full[(r, c)] = g * scale[column];
        }
    }
    for r in 0..m {
        (0..m).for_each(|c| full[(r, c)] /= norm[r].sqrt());
    }
    let smallest = *singular_values(full.as_ref()).unwrap().last().unwrap();
    let exact = smallest.recip();
    assert!((partition.condition / exact - 1.0).abs() < 0.05, "{} instead of {exact}", partition.condition);
}

/// V13: Peaucellier's linkage has one degree of freedom, and its point P moves on a straight line.
#[test]
fn peaucellier_draws_a_straight_line() {
    let (long, short, fixed): (f64, f64, f64) = (1.3, 0.5, 0.45);
    // A at the origin, D at (fixed, 0) with AD = DC, and C on that circle at the angle φ as seen from A.
    let phi: f64 = 0.2;
    let polar = |r: f64, angle: f64| Vec3::new(r * angle.cos(), r * angle.sin(), 0.0);
    let reach = 2.0 * fixed * phi.cos();
    let c = polar(reach, phi);
    let p = polar((long * long - short * short) / reach, phi);
    let middle = (c + p) * 0.5;
    let half = (short * short - (p - c).norm_squared() * 0.25).sqrt();
    let (b1, e1) = (
        middle + polar(half, phi + std::f64::consts::FRAC_PI_2),
        middle - polar(half, phi + std::f64::consts::FRAC_PI_2),
    );
    let d = Vec3::x() * fixed;
    let mut b = SystemBuilder::new(Vec3::zeros());
    let names = ["AB", "AE", "BC", "BP", "EC", "EP", "DC"];
    let ends = [(Vec3::zeros(), b1), (Vec3::zeros(), e1), (b1, c), (b1, p), (e1, c), (e1, p), (d, c)];
    let bars: Vec<NodeId> = names.iter().zip(ends).map(|(name, (x, y))| bar(&mut b, name, x, y)).collect();
    let [ab, ae, bc, bp, ec, ep, dc] = bars[..] else { unreachable!() };
    let pins = [
        ([GROUND, ab], Vec3::zeros()),
        ([GROUND, ae], Vec3::zeros()),
        ([ab, bc], b1),
        ([ab, bp], b1),
        ([ae, ec], e1),
        ([ae, ep], e1),
        ([bc, ec], c),
        ([bc, dc], c),
        ([bp, ep], p),
        ([GROUND, dc], d),
    ];
    for (nodes, point) in pins {
        pin(&mut b, "pin", nodes, point);
    }
    let system = without_redundant_rows(b.build());
    assert_eq!((system.coordinates(), system.active_rows()), (21, 20));
    let (mut state, mut solver) = (system.start_state(0.0), Dependents::new(&system));
    let wanted = system.nodes()[dc].unknowns().start + 2;
    let free = Partition::choose(&mut solver, &system, &state, None).unwrap();
    assert_eq!(free.mobility(), 1);
    let partition = Partition::with_independent(&mut solver, &system, &state, &[wanted]).unwrap();
    let tip = Carried::point(bp, state.frames[bp].rot.tr_mul(&(p - state.frames[bp].r)));
    let line = (long * long - short * short) / (2.0 * fixed);
    for _ in 0..10 {
        let frames = state.frames.clone();
        let mut delta = vec![0.0; system.size()];
        delta[wanted] = -0.05;
        solver.positions(&system, &partition, &frames, &mut delta, &mut state).unwrap();
        let x = tip.value(&state.frames[bp]);
        assert!((x.x - line).abs() < 1e-13, "P leaves its line: {}", x.x - line);
    }
    assert!((tip.value(&state.frames[bp]).y - p.y).abs() > 0.3, "P has not moved");
}

/// A knife edge takes one velocity and no position.
#[test]
fn rows_on_velocities_leave_positions_free() {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
    let node = b.node("sleigh", planar(), Frame::identity(), still);
    b.body(Body::new(node, &MassProperties::new(1.0, Vec3::x() * 0.3, Mat3::identity() * 0.2)));
    let [ground, blade] = [GROUND, node].map(|node| attach(node, Vec3::zeros(), Mat3::identity()));
    b.constraint("blade", Box::new(knife_edge(&ground, &blade)));
    let system = b.build();
    let (state, mut solver) = (system.start_state(0.0), Dependents::new(&system));
    let partition = Partition::choose(&mut solver, &system, &state, None).unwrap();
    assert_eq!((partition.mobility(), partition.dependent_positions.len()), (2, 0));
    // Along x the blade cannot go sideways: y is the dependent velocity.
    assert_eq!(partition.dependent, [system.nodes()[node].unknowns().start + 1]);
}

/// The previous choice stays while it is nearly as good, and goes when it is not.
#[test]
fn choice_does_not_flicker() {
    let pendulum = |angle: f64| {
        let mut b = SystemBuilder::new(Vec3::zeros());
        let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
        let chart = Chart::PlanarPoint { e1: Vec3::x(), e2: Vec3::y() };
        let r = Vec3::new(angle.cos(), angle.sin(), 0.0);
        let node = b.node("bob", chart, Frame { r, rot: Mat3::identity() }, still);
        b.body(Body::new(node, &MassProperties::point(1.0, Vec3::zeros())));
        let [ground, bob] = [GROUND, node].map(|node| attach(node, Vec3::zeros(), Mat3::identity()));
        b.constraint("rod", Box::new(joints::distance(&ground, &bob, 1.0)));
        b.build()
    };
    let choose = |angle: f64, previous: Option<&Partition>| {
        let system = pendulum(angle);
        let (state, mut solver) = (system.start_state(0.0), Dependents::new(&system));
        Partition::choose(&mut solver, &system, &state, previous).unwrap()
    };
    let flat = choose(0.1, None);
    assert!((flat.condition - 0.1f64.cos().recip()).abs() < 1e-12);
    assert!(!choose(0.80, None).same_split(&flat), "beyond 45° the other coordinate is better");
    assert!(choose(0.80, Some(&flat)).same_split(&flat), "but not by much");
    assert!(!choose(1.3, Some(&flat)).same_split(&flat), "here it is");
}
