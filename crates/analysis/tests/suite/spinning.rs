//! Spinning states: turning frames against simulated rotation, gyrostats against rotors, modes followed
//! through a parameter.

use poinsot_analysis::{
    CampbellStudy, EigenMethod, EigenvalueVerdict, EquilibriumSettings, InstabilityKind, Linear, ModesError,
    Spectrum, Stability, StateSpace, campbell, consistent_start, find_equilibrium, find_modes,
};
use poinsot_geometry::{Mat3, Mat6, Vec3};
use poinsot_integrators::SaddlePoint;
use poinsot_mechanics::beams::{BeamChain, MassModel, Section, SectionMass, node_shares};
use poinsot_mechanics::forces::{Bushing, Gyrostat, Turning};
use poinsot_mechanics::joints::{Attachment, fixed, revolute};
use poinsot_mechanics::*;
use poinsot_numerics::dense::{c64, eigenvalues};

fn still() -> Twist {
    Twist { linear: Vec3::zeros(), angular: Vec3::zeros() }
}

fn on(node: NodeId, origin: Vec3) -> Attachment {
    Attachment { node, origin, axes: Mat3::identity() }
}

/// A state with its accelerations and multipliers.
fn started(system: &mut System) -> (State, Vec<f64>) {
    let (state, _) = consistent_start(system, 0.0).unwrap();
    let mut a = vec![0.0; system.size()];
    SaddlePoint::new(system).accelerations(system, &state, &mut a).unwrap();
    (state, a)
}

/// Eigenvalues above the real axis, by size.
fn upper(values: impl IntoIterator<Item = c64>) -> Vec<c64> {
    let mut values: Vec<c64> = values.into_iter().filter(|v| v.im > 1e-3).collect();
    values.sort_by(|a, b| a.im.total_cmp(&b.im));
    values
}

/// A blade of beam elements on a hub at a radius; the hub spins in space, or it is the ground of a turning
/// frame.
fn blade(elements: usize, order: usize, spin: f64, in_turning_frame: bool) -> (System, NodeId) {
    let (radius, length) = (0.3, 1.0);
    let rotation = Vec3::z() * spin;
    let mut b = SystemBuilder::new(Vec3::zeros());
    let turning = |r: &Vec3, rot: &Mat3| match in_turning_frame {
        true => still(),
        false => Twist { linear: rotation.cross(r), angular: rot.transpose() * rotation },
    };
    let hub = match in_turning_frame {
        true => {
            b.turning(Turning { rate: rotation, centre: Vec3::zeros() });
            GROUND
        }
        false => {
            let hub =
                b.node("hub", Chart::Motion, Frame::identity(), turning(&Vec3::zeros(), &Mat3::identity()));
            let inertia = Mat3::from_diagonal(&Vec3::new(1.0, 1.0, 1e9));
            b.body(Body::new(hub, &MassProperties::new(1.0, Vec3::zeros(), inertia)));
            b.constraint("shaft", Box::new(revolute(&on(GROUND, Vec3::zeros()), &on(hub, Vec3::zeros()))));
            hub
        }
    };
    let rot = Mat3::from_columns(&[Vec3::y(), Vec3::z(), Vec3::x()]);
    let shares = node_shares(elements, order);
    let frames: Vec<Frame> =
        shares.iter().map(|s| Frame { r: Vec3::x() * (radius + s * length), rot }).collect();
    let mut nodes = vec![];
    for (k, z) in frames.iter().enumerate() {
        nodes.push(on(b.node(&format!("node{k}"), Chart::Motion, *z, turning(&z.r, &z.rot)), Vec3::zeros()));
    }
    let mass = SectionMass { mass: 1.0, first: [0.02, -0.01], second: [2e-3, 5e-3, 1e-3] };
    let section = Section::diagonal([400.0, 400.0, 900.0, 1.0, 3.0, 0.8], mass);
    let chain = BeamChain {
        name: "blade",
        nodes: &nodes,
        reference: &frames,
        order,
        section: &section,
        mass: MassModel::Consistent,
        mass_damping: 0.0,
    };
    chain.add_to(&mut b).unwrap();
    let root = Attachment { node: hub, origin: frames[0].r, axes: rot };
    b.constraint("root", Box::new(fixed(&root, &on(nodes[0].node, Vec3::zeros()))));
    (b.build(), hub)
}

/// The modes of a blade in a frame that turns with its hub are those of the blade that spins in space, seen
/// from the hub. The centre of mass lies beside the line, so the blade is not straight at rest; about the
/// straight state both are linearised alike.
#[test]
fn turning_frame_and_spinning_hub_have_the_same_modes() {
    let spin = 2.5;
    let (mut turning, _) = blade(3, 2, spin, true);
    let (mut spinning, hub) = blade(3, 2, spin, false);
    let (state, a) = started(&mut turning);
    let in_frame = find_modes(&turning, &state, &a, GROUND, 12).unwrap();
    let (state, a) = started(&mut spinning);
    let in_space = find_modes(&spinning, &state, &a, hub, 16).unwrap();
    let [first, second] = [in_frame, in_space].map(|m| upper(m.modes.into_iter().map(|m| m.value)));
    println!("{first:?}\n{second:?}");
    for (k, value) in first.iter().take(8).enumerate() {
        // The heavy hub moves by 1e-9 with the blade.
        assert!((value - second[k]).norm() < 1e-8 * value.norm(), "{k}: {value} {}", second[k]);
    }
}

/// The sparse method finds the lowest eigenvalues of the dense one, gyroscopic terms and prestress included.
#[test]
fn sparse_and_dense_agree_with_gyroscopic_terms() {
    let (mut system, _) = blade(14, 2, 4.0, true);
    let (state, a) = started(&mut system);
    let found = find_modes(&system, &state, &a, GROUND, 6).unwrap();
    assert_eq!(found.method, EigenMethod::ShiftInvert);
    let linear = Linear::about(&system, &state, &a, GROUND);
    let coriolis = linear.damping.iter().fold(0.0, |m: f64, c| m.max(c.abs()));
    assert!(coriolis > 0.1, "{coriolis}");
    let space = StateSpace::new(&system, &linear).unwrap();
    let dense = upper(eigenvalues(space.a.as_ref()).unwrap());
    let sparse = upper(found.modes.iter().map(|m| m.value));
    assert_eq!(sparse.len(), 6);
    for (s, d) in sparse.iter().zip(&dense) {
        assert!((s - d).norm() < 1e-7 * d.norm(), "{s} {d}");
    }
}

/// A disk on a flat shaft, in the frame of the shaft (E07).
fn flat_shaft(w: f64) -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let node =
        b.node("disk", Chart::PlanarPoint { e1: Vec3::x(), e2: Vec3::y() }, Frame::identity(), still());
    b.body(Body::new(node, &MassProperties::point(1.0, Vec3::zeros())));
    let stiffness = Mat6::from_diagonal(&[0.81, 1.21, 0.0, 0.0, 0.0, 0.0].into());
    b.force(
        "shaft",
        Box::new(Bushing::new(
            &on(GROUND, Vec3::zeros()),
            &on(node, Vec3::zeros()),
            stiffness,
            Mat6::zeros(),
        )),
    );
    b.turning(Turning { rate: Vec3::z() * w, centre: Vec3::zeros() });
    b.build()
}

/// Above both critical speeds no direction is stiff, but Coriolis forces hold the disk.
#[test]
fn gyroscopic_forces_can_hold_what_stiffness_does_not() {
    for (w, stability, gyroscopic) in [
        (0.5, Stability::Stable, None),
        (1.0, Stability::Unstable, Some(EigenvalueVerdict::Unstable)),
        (2.0, Stability::Stable, Some(EigenvalueVerdict::Stable)),
    ] {
        let mut system = flat_shaft(w);
        let (state, _) = consistent_start(&mut system, 0.0).unwrap();
        let found = find_equilibrium(&system, state, &EquilibriumSettings::default()).unwrap();
        assert_eq!(found.verdict.stability, stability, "{w}");
        assert_eq!(found.verdict.negative, [0, 1, 2][w as usize]);
        assert_eq!(found.by_modes.map(|(verdict, _)| verdict), gyroscopic);
    }
}

/// A symmetric rotor that spins in space and a gyrostat that does not have the same tilting modes, in space
/// and in a turning frame.
#[test]
fn gyrostat_is_a_spinning_rotor() {
    let (a, c, spin, k): (f64, f64, f64, f64) = (0.12, 0.05, 300.0, 700.0);
    let root = ((c * spin) * (c * spin) + 4.0 * a * k).sqrt();
    let whirls = [(root - c * spin) / (2.0 * a), (root + c * spin) / (2.0 * a)];
    for frame in [0.0, 40.0] {
        let mut b = SystemBuilder::new(Vec3::zeros());
        let node = b.node("rotor", Chart::Motion, Frame::identity(), still());
        // Without inertia about its axis beyond the spin: the frame does not change that.
        let inertia = Mat3::from_diagonal(&Vec3::new(a, a, 1e-3));
        b.body(Body::new(node, &MassProperties::new(1.0, Vec3::zeros(), inertia)));
        let stiffness = Mat6::from_diagonal(&[1e7, 1e7, 1e7, k, k, 1e5].into());
        b.force(
            "mount",
            Box::new(Bushing::new(
                &on(GROUND, Vec3::zeros()),
                &on(node, Vec3::zeros()),
                stiffness,
                Mat6::zeros(),
            )),
        );
        // In space the axial momentum is C ω; 1e-3 of it turns with the frame.
        let rate = Vec3::z() * frame;
        b.force("spin", Box::new(Gyrostat::new(node, &Vec3::z(), c * spin - 1e-3 * frame, rate)));
        b.turning(Turning { rate, centre: Vec3::zeros() });
        let mut system = b.build();
        let (state, acc) = started(&mut system);
        let found = find_modes(&system, &state, &acc, GROUND, 12).unwrap();
        let found = upper(found.modes.iter().map(|m| m.value));
        // Seen from the turning frame a forward whirl is slower and a backward one faster by its rate.
        let expected = [(whirls[0] + frame).abs(), (whirls[1] - frame).abs()];
        for e in expected {
            assert!(found.iter().any(|v| (v.im - e).abs() < 1e-9 * e), "{e} in {found:?}");
        }
    }
}

/// Two masses on springs to ground, 1 and p, and one between them, small: frequencies veer at p = 1 and
/// shapes are exchanged.
fn veering(p: f64, between: f64) -> System {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let chart = Chart::PlanarPoint { e1: Vec3::x(), e2: Vec3::y() };
    let mut ends = vec![];
    for k in 0..2 {
        let node =
            b.node("mass", chart, Frame { r: Vec3::y() * f64::from(k), rot: Mat3::identity() }, still());
        b.body(Body::new(node, &MassProperties::point(1.0, Vec3::zeros())));
        ends.push(on(node, Vec3::zeros()));
    }
    let spring = |kx: f64| Mat6::from_diagonal(&[kx, 50.0, 0.0, 0.0, 0.0, 0.0].into());
    let anchors = [Vec3::zeros(), Vec3::y()].map(|at| on(GROUND, at));
    b.force("first", Box::new(Bushing::new(&anchors[0], &ends[0], spring(1.0), Mat6::zeros())));
    b.force("second", Box::new(Bushing::new(&anchors[1], &ends[1], spring(p), Mat6::zeros())));
    let free = Attachment { origin: Vec3::y(), ..ends[0] };
    let coupling = Mat6::from_diagonal(&[between, 0.0, 0.0, 0.0, 0.0, 0.0].into());
    b.force("between", Box::new(Bushing::new(&free, &ends[1], coupling, Mat6::zeros())));
    b.build()
}

fn spectrum(system: &mut System, count: usize, speed: f64) -> Result<Spectrum, ModesError> {
    let (state, a) = started(system);
    Spectrum::about(system, (&state, &a), GROUND, count, (speed, Some(Vec3::z())))
}

fn evenly(from: f64, to: f64, points: usize) -> Vec<f64> {
    (0..points).map(|k| from + (to - from) * k as f64 / (points - 1) as f64).collect()
}

#[test]
fn branches_veer_with_a_coupling_and_cross_without() {
    let study = CampbellStudy { values: evenly(0.5, 1.52, 9), count: 2, orders: vec![] };
    let k = 0.004;
    let found = campbell(&study, &mut |p| spectrum(&mut veering(p, k), 2, 0.0), &|| false).unwrap();
    // The shapes change within about k around p = 1: values are put in.
    assert!(found.values.len() > study.values.len() + 2, "{}", found.values.len());
    assert!(found.mixed.is_empty(), "{:?}", found.mixed);
    for (row, p) in found.values.iter().enumerate() {
        let (mean, half) = (0.5 * (1.0 + p) + k, 0.5 * (1.0 - p));
        let root = half.hypot(k);
        for (branch, square) in found.branches.iter().zip([mean - root, mean + root]) {
            assert!((branch.values[row].im - square.sqrt()).abs() < 1e-12, "{p}");
        }
    }
    assert_eq!(found.veerings.len(), 1);
    assert!((found.veerings[0].value - 1.0).abs() < 0.02 && found.veerings[0].branches == [0, 1]);
    // Without coupling each branch keeps its mass.
    let found = campbell(&study, &mut |p| spectrum(&mut veering(p, 0.0), 2, 0.0), &|| false).unwrap();
    let last = found.values.len() - 1;
    assert!(found.mixed.is_empty(), "{:?}", found.mixed);
    assert!((found.branches[0].values[last].im - 1.52f64.sqrt()).abs() < 1e-12);
    assert!((found.branches[1].values[last].im - 1.0).abs() < 1e-12);
    assert!(found.veerings.is_empty());
}

/// Seen from the turning frame the forward whirl of a symmetric rotor has ω₀ − Ω: the branch goes through
/// zero at the critical speed and comes back as a backward one, while the other one has ω₀ + Ω. At Ω = 0 both
/// coincide.
#[test]
fn a_whirl_is_followed_through_zero_and_from_a_double_eigenvalue() {
    let rotor = |w: f64| {
        let mut b = SystemBuilder::new(Vec3::zeros());
        let node =
            b.node("disk", Chart::PlanarPoint { e1: Vec3::x(), e2: Vec3::y() }, Frame::identity(), still());
        b.body(Body::new(node, &MassProperties::point(1.0, Vec3::zeros())));
        let k = Mat6::from_diagonal(&[1.0, 1.0, 0.0, 0.0, 0.0, 0.0].into());
        b.force(
            "shaft",
            Box::new(Bushing::new(&on(GROUND, Vec3::zeros()), &on(node, Vec3::zeros()), k, Mat6::zeros())),
        );
        b.turning(Turning { rate: Vec3::z() * w, centre: Vec3::zeros() });
        b.build()
    };
    let study = CampbellStudy { values: evenly(0.0, 2.0, 12), count: 2, orders: vec![1.0, 2.0] };
    let found = campbell(&study, &mut |w| spectrum(&mut rotor(w), 2, w), &|| false).unwrap();
    assert!(found.mixed.is_empty() && found.instabilities.is_empty(), "{:?}", found.instabilities);
    let last = found.values.len() - 1;
    let slow = if found.branches[0].values[last].im < 2.0 { 0 } else { 1 };
    for (row, w) in found.values.iter().enumerate() {
        assert!((found.branches[slow].values[row].im - (1.0 - w).abs()).abs() < 1e-9, "{w}");
        assert!((found.branches[1 - slow].values[row].im - (1.0 + w)).abs() < 1e-9, "{w}");
        if *w > 0.0 {
            let sense = if *w < 1.0 { 1.0 } else { -1.0 };
            assert!((found.branches[slow].whirls[row].unwrap() - sense).abs() < 1e-6, "{w}");
            assert!((found.branches[1 - slow].whirls[row].unwrap() + 1.0).abs() < 1e-6, "{w}");
        }
    }
    // |1 − Ω| = Ω at ½, 1 + Ω = 2Ω at 1, |1 − Ω| = 2Ω at ⅓.
    let crossings: Vec<(f64, f64)> = found.crossings.iter().map(|c| (c.order, c.value)).collect();
    for (found, expected) in crossings.iter().zip([(2.0, 1.0 / 3.0), (1.0, 0.5), (2.0, 1.0)]) {
        assert!(found.0 == expected.0 && (found.1 - expected.1).abs() < 1e-9, "{crossings:?}");
    }
    assert_eq!(crossings.len(), 3);
}

/// E07: unstable between ω₁ and ω₂.
#[test]
fn onset_of_divergence_is_located() {
    let study = CampbellStudy { values: evenly(0.3, 1.7, 15), count: 2, orders: vec![] };
    let found = campbell(&study, &mut |w| spectrum(&mut flat_shaft(w), 2, w), &|| false).unwrap();
    assert_eq!(found.instabilities.len(), 1);
    let i = &found.instabilities[0];
    assert_eq!(i.kind, InstabilityKind::Divergence);
    assert!((i.from.unwrap() - 0.9).abs() < 1e-9 && (i.to.unwrap() - 1.1).abs() < 1e-9, "{i:?}");
    // λ² at Ω = 1.
    assert!((i.growth * i.growth - 0.009_900_987_672_415_59).abs() < 1e-12);
}
