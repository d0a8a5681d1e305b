//! Beams in whole studies: statics, frequencies, motion, against closed forms and reference solutions.

use poinsot_analysis::{EquilibriumSettings, consistent_start, find_equilibrium, find_modes};
use poinsot_expr::{Expr, Function};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::{
    ConservingSettings, EnergyMomentum, Galerkin, GalerkinSettings, Gs4, SaddlePoint, Settings, Stepper,
    instant,
};
use poinsot_mechanics::beams::{BeamChain, MassModel, Section, SectionMass, node_shares};
use poinsot_mechanics::conserving::{Coordinates, Rule};
use poinsot_mechanics::forces::{PointForce, Torque};
use poinsot_mechanics::joints::{Attachment, fixed, point_on_line, spherical};
use poinsot_mechanics::*;
use std::f64::consts::PI;

fn still() -> Twist {
    Twist { linear: Vec3::zeros(), angular: Vec3::zeros() }
}

fn on(node: usize) -> Attachment {
    Attachment { node, origin: Vec3::zeros(), axes: Mat3::identity() }
}

fn function(text: &str) -> Function {
    Function::new(&Expr::parse(text).unwrap(), &["t"], &|_| None).unwrap()
}

fn load(x: &str, y: &str, z: &str) -> [Function; 3] {
    [function(x), function(y), function(z)]
}

/// Adds nodes at frames; the first is ground itself where the beam is clamped.
fn add_nodes(b: &mut SystemBuilder, frames: &[Frame], planar: bool, clamped: bool) -> Vec<Attachment> {
    let mut nodes = vec![];
    for (k, z) in frames.iter().enumerate() {
        if k == 0 && clamped {
            nodes.push(Attachment { node: GROUND, origin: z.r, axes: z.rot });
            continue;
        }
        let normal = z.rot.transpose() * Vec3::z();
        let chart =
            if planar { Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal } } else { Chart::Motion };
        nodes.push(on(b.node(&format!("node{k}"), chart, *z, still())));
    }
    nodes
}

fn chain<'a>(
    nodes: &'a [Attachment],
    reference: &'a [Frame],
    order: usize,
    section: &'a Section,
) -> BeamChain<'a> {
    BeamChain {
        name: "beam",
        nodes,
        reference,
        order,
        section,
        mass: MassModel::Consistent,
        mass_damping: 0.0,
    }
}

/// Frames of a straight line with d₃ along it and d₂ as given.
fn straight(from: Vec3, to: Vec3, d2: Vec3, elements: usize, order: usize) -> Vec<Frame> {
    let d3 = (to - from).normalize();
    let d2 = (d2 - d3 * d3.dot(&d2)).normalize();
    let rot = Mat3::from_columns(&[d2.cross(&d3), d2, d3]);
    node_shares(elements, order).iter().map(|share| Frame { r: from + (to - from) * *share, rot }).collect()
}

/// Rest under loads that grow with t from 0 to 1, in steps.
fn load_up(system: &System, steps: usize) -> State {
    let mut state = system.start_state(0.0);
    for k in 1..=steps {
        state.t = k as f64 / steps as f64;
        let settings = EquilibriumSettings { relaxations: 0, ..EquilibriumSettings::default() };
        let found = find_equilibrium(system, state, &settings).unwrap();
        assert!(found.residual.0 < 1e-10, "{:?}", found.residual);
        state = found.state;
    }
    state
}

/// Asserts the error on the finest mesh and the order 2p, measured between the last two meshes.
fn assert_converges(what: &str, order: usize, errors: &[f64], finest: f64) {
    let measured: Vec<f64> = errors.windows(2).map(|e| (e[0] / e[1]).log2()).collect();
    println!("{what}, elements of order {order}: {errors:?} {measured:.2?}");
    let (error, last) = (errors[errors.len() - 1], measured[measured.len() - 1]);
    assert!(
        error < finest && (last - 2.0 * order as f64).abs() < 0.2,
        "{what}, order {order}: {error:e}, {last}"
    );
}

/// C02: a moment 2π EI/L rolls a cantilever up to a full circle. Directors of the section are interpolated,
/// so the elements are not exact; the tip comes home with the order 2p of elements of order p.
#[test]
fn cantilever_rolls_up_to_a_circle() {
    let mass = SectionMass { mass: 1.0, first: [0.0; 2], second: [0.1, 0.1, 0.0] };
    let section = Section::diagonal([1e4, 1e4, 1e4, 100.0, 100.0, 100.0], mass);
    for (order, counts, finest) in
        [(1, [16, 32, 64], 6.6e-2), (2, [8, 16, 32], 1.9e-4), (3, [4, 8, 16], 4.0e-6)]
    {
        let mut errors = vec![];
        for elements in counts {
            let frames = straight(Vec3::zeros(), Vec3::x() * 10.0, Vec3::z(), elements, order);
            let mut b = SystemBuilder::new(Vec3::zeros());
            let nodes = add_nodes(&mut b, &frames, true, true);
            chain(&nodes, &frames, order, &section).add_to(&mut b).unwrap();
            let tip = nodes[nodes.len() - 1].node;
            b.force("moment", Box::new(Torque::dead(tip, load("0", "0", "20*pi*t"))));
            let state = load_up(&b.build(), 20);
            errors.push(state.frames[tip].r.norm());
        }
        assert_converges("roll-up", order, &errors, finest);
    }
}

/// V5 of motion-interpolation-galerkin: a bend of 45° with a tip force out of its plane.
#[test]
fn bend_of_45_degrees() {
    let mut stiffness =
        poinsot_geometry::Mat6::from_diagonal(&[4.17e6, 4.17e6, 1e7, 8.33e5, 8.33e5, 7.03e5].into());
    (stiffness[(2, 4)], stiffness[(4, 2)]) = (-8.33e3, -8.33e3);
    let mass = SectionMass { mass: 1.0, first: [0.0; 2], second: [0.1, 0.1, 0.0] };
    let section = Section::given(stiffness, mass);
    let exact = Vec3::new(-13.73548151, -23.82504922, 53.61385810);
    for (order, counts, finest) in [(1, [8, 16, 32], 1.4e-3), (2, [4, 8, 16], 7.1e-6), (3, [2, 4, 8], 2.5e-7)]
    {
        let mut errors = vec![];
        for elements in counts {
            let pieces = elements * order;
            let frame = |share: &f64| {
                let (s, c) = (0.25 * PI * share).sin_cos();
                let rot = Mat3::from_columns(&[Vec3::new(-c, s, 0.0), Vec3::z(), Vec3::new(s, c, 0.0)]);
                Frame { r: Vec3::new(1.0 - c, s, 0.0) * 100.0, rot }
            };
            let frames: Vec<Frame> = node_shares(elements, order).iter().map(frame).collect();
            let mut b = SystemBuilder::new(Vec3::zeros());
            let nodes = add_nodes(&mut b, &frames, false, true);
            chain(&nodes, &frames, order, &section).add_to(&mut b).unwrap();
            let tip = nodes[pieces].node;
            b.force("tip", Box::new(PointForce::dead(tip, Vec3::zeros(), load("0", "0", "600*t"))));
            let state = load_up(&b.build(), 6);
            errors.push((state.frames[tip].r - frames[pieces].r - exact).norm() / exact.norm());
        }
        assert_converges("45° bend", order, &errors, finest);
    }
}

/// C07: Reissner's cantilever with a transverse tip force, L = EI = 1, EA = 400, GA = 200.
#[test]
fn reissner_cantilever() {
    let mass = SectionMass { mass: 1.0, first: [0.0; 2], second: [0.1, 0.1, 0.0] };
    let section = Section::diagonal([200.0, 200.0, 400.0, 1.0, 1.0, 1.0], mass);
    let exact = (Vec3::new(4.42080788196261e-1, 8.40672765144772e-1, 0.0), 1.42516070798621);
    for (order, counts, finest) in [(1, [8, 16, 32], 1.9e-3), (2, [4, 8, 16], 2.0e-5), (3, [2, 4, 8], 1.6e-6)]
    {
        let (mut errors, mut turns) = (vec![], vec![]);
        for elements in counts {
            let frames = straight(Vec3::zeros(), Vec3::x(), Vec3::z(), elements, order);
            let mut b = SystemBuilder::new(Vec3::zeros());
            let nodes = add_nodes(&mut b, &frames, true, true);
            chain(&nodes, &frames, order, &section).add_to(&mut b).unwrap();
            let tip = nodes[nodes.len() - 1].node;
            b.force("tip", Box::new(PointForce::dead(tip, Vec3::zeros(), load("0", "10*t", "0"))));
            let state = load_up(&b.build(), 10);
            let z = &state.frames[tip];
            errors.push((z.r - exact.0).norm());
            turns.push((z.rot[(1, 2)].atan2(z.rot[(0, 2)]) - exact.1).abs());
        }
        assert_converges("Reissner's cantilever, tip", order, &errors, finest);
        assert_converges("Reissner's cantilever, angle", order, &turns, finest);
    }
}

/// Lumped masses: the frequencies converge too, with second order.
#[test]
fn frequencies_with_lumped_masses() {
    let mass = SectionMass { mass: 1.0, first: [0.0; 2], second: [0.0004, 0.0004, 0.0] };
    let section = Section::diagonal([1.0 / 0.001248, 1.0 / 0.001248, 1e6, 1.0, 1.0, 1.0], mass);
    let mut errors = vec![];
    for elements in [16, 32, 64] {
        let frames = straight(Vec3::zeros(), Vec3::x(), Vec3::z(), elements, 1);
        let mut b = SystemBuilder::new(Vec3::zeros());
        let nodes = add_nodes(&mut b, &frames, true, true);
        let beam = BeamChain { mass: MassModel::Lumped, ..chain(&nodes, &frames, 1, &section) };
        beam.add_to(&mut b).unwrap();
        let mut system = b.build();
        let (state, _) = consistent_start(&mut system, 0.0).unwrap();
        let a = vec![0.0; system.size()];
        let modes = find_modes(&system, &state, &a, GROUND, 2).unwrap();
        errors.push((modes.modes[1].value.im / 21.46982417966182 - 1.0).abs());
    }
    assert_converges("frequency 2, lumped", 1, &errors, 3e-4);
}

/// C15: frequencies of Timoshenko's cantilever, ρI = 0.0004, EI/kGA = 0.001248 in units L = EI = ρA = 1.
#[test]
fn frequencies_of_a_cantilever() {
    let exact =
        [3.502641070306319, 21.46982417966182, 58.14983170645173, 109.0291432660419, 171.2971827034631];
    let mass = SectionMass { mass: 1.0, first: [0.0; 2], second: [0.0004, 0.0004, 0.0] };
    let section = Section::diagonal([1.0 / 0.001248, 1.0 / 0.001248, 1e6, 1.0, 1.0, 1.0], mass);
    for (order, counts, finest) in
        [(1, [16, 32, 64], 4.8e-3), (2, [8, 16, 32], 6.5e-5), (3, [4, 8, 16], 5.3e-6)]
    {
        let mut errors = vec![vec![]; 5];
        for elements in counts {
            let frames = straight(Vec3::zeros(), Vec3::x(), Vec3::z(), elements, order);
            let mut b = SystemBuilder::new(Vec3::zeros());
            let nodes = add_nodes(&mut b, &frames, true, true);
            chain(&nodes, &frames, order, &section).add_to(&mut b).unwrap();
            let mut system = b.build();
            let (state, _) = consistent_start(&mut system, 0.0).unwrap();
            let mut a = vec![0.0; system.size()];
            SaddlePoint::new(&system).accelerations(&system, &state, &mut a).unwrap();
            let modes = find_modes(&system, &state, &a, GROUND, 5).unwrap();
            for (k, exact) in exact.iter().enumerate() {
                errors[k].push((modes.modes[k].value.im / exact - 1.0).abs());
            }
        }
        // The first of cubic elements comes to the rounding of the stiffness.
        for (k, errors) in errors.iter().enumerate().filter(|(k, _)| order < 3 || *k > 0) {
            assert_converges(&format!("frequency {}", k + 1), order, errors, finest);
        }
        assert!(order < 3 || errors[0][2] < 1e-10);
    }
}

/// The same with an extension 1e8 times faster than the first bending mode, about 1e10 times on the mesh: low
/// frequencies keep their digits.
#[test]
fn low_frequencies_beside_stiff_extension() {
    let exact = [3.502641070306319, 21.46982417966182, 58.14983170645173];
    let mass = SectionMass { mass: 1.0, first: [0.0; 2], second: [0.0004, 0.0004, 0.0] };
    let section = Section::diagonal([1.0 / 0.001248, 1.0 / 0.001248, 5e16, 1.0, 1.0, 1.0], mass);
    let frames = straight(Vec3::zeros(), Vec3::x(), Vec3::z(), 16, 3);
    let mut b = SystemBuilder::new(Vec3::zeros());
    let nodes = add_nodes(&mut b, &frames, true, true);
    chain(&nodes, &frames, 3, &section).add_to(&mut b).unwrap();
    let mut system = b.build();
    let (state, _) = consistent_start(&mut system, 0.0).unwrap();
    let a = vec![0.0; system.size()];
    let modes = find_modes(&system, &state, &a, GROUND, 10).unwrap();
    for (k, exact) in exact.iter().enumerate() {
        let error = (modes.modes[k].value.im / exact - 1.0).abs();
        println!("frequency {}: {error:.2e}", k + 1);
        assert!(error < [1e-10, 1e-8, 2e-7][k] && modes.modes[k].value.re == 0.0, "{}: {error:e}", k + 1);
    }
}

/// Dead loads on beams that are 1e7 times stiffer in shear and extension than in bending: elastica by C07
/// (elliptic integrals), in one call and with the settings as they are. Shear and extension make an error of
/// P/GA.
#[test]
fn elastica_with_rigid_shear() {
    let mass = SectionMass { mass: 1.0, first: [0.0; 2], second: [0.01, 0.01, 0.0] };
    let section = Section::diagonal([1e7, 1e7, 1e7, 1.0, 1.0, 1.0], mass);
    let exact = [
        (1.0, 0.05643323628337688, 0.30172077379981355, 3e-7),
        (10.0, 0.5549955977537513, 0.8106090248802964, 1.5e-6),
    ];
    for (p, shortening, deflection, tolerance) in exact {
        let frames = straight(Vec3::zeros(), Vec3::x(), Vec3::z(), 24, 3);
        let mut b = SystemBuilder::new(Vec3::zeros());
        let nodes = add_nodes(&mut b, &frames, true, true);
        chain(&nodes, &frames, 3, &section).add_to(&mut b).unwrap();
        let tip = nodes[nodes.len() - 1].node;
        b.force("tip", Box::new(PointForce::dead(tip, Vec3::zeros(), load("0", &p.to_string(), "0"))));
        let system = b.build();
        let found =
            find_equilibrium(&system, system.start_state(0.0), &EquilibriumSettings::default()).unwrap();
        let r = found.state.frames[tip].r;
        let error = (1.0 - r.x - shortening).abs().max((r.y - deflection).abs());
        println!("P = {p}: {error:.2e}, {} iterations, {} load steps", found.iterations, found.load_steps);
        assert!(error < tolerance && found.iterations < 30, "{error:e}, {}", found.iterations);
    }
}

fn balance(system: &System, state: &State) -> Balance {
    let zero = vec![0.0; system.size()];
    system.balance(&instant(state, &zero), &mut Scratch::default())
}

fn flying_beam(order: usize, elements: usize, planar: bool) -> (System, [usize; 3]) {
    let mass = SectionMass { mass: 1.0, first: [0.0; 2], second: [10.0, 10.0, 0.0] };
    let section = Section::diagonal([1e4, 1e4, 1e4, 500.0, 500.0, 500.0], mass);
    let frames = straight(Vec3::new(6.0, 0.0, 0.0), Vec3::new(0.0, 8.0, 0.0), Vec3::z(), elements, order);
    let mut b = SystemBuilder::new(Vec3::zeros());
    let nodes = add_nodes(&mut b, &frames, planar, false);
    chain(&nodes, &frames, order, &section).add_to(&mut b).unwrap();
    let force = "if(t < 2.5, 3.2*t, if(t < 5, 16 - 3.2*t, 0))";
    b.force("force", Box::new(PointForce::dead(nodes[0].node, Vec3::zeros(), load(force, "0", "0"))));
    b.force("moment", Box::new(Torque::dead(nodes[0].node, load("0", "0", &format!("-10*{force}")))));
    (b.build(), [nodes[0].node, nodes[nodes.len() / 2].node, nodes[nodes.len() - 1].node])
}

/// C11: the flying beam. In free flight energy and momenta stay to round-off; positions converge to the
/// reference.
#[test]
fn flying_beam_keeps_energy_and_momenta() {
    let expected = [
        (
            2.5,
            [(5.004430508, -0.731732525), (4.119955276, 4.112499057), (1.488903146, 8.359117119)],
            34.41774957,
        ),
        (
            5.0,
            [(4.299401084, 0.640248226), (7.967415293, 4.037266707), (11.823806685, 7.222035399)],
            52.69921190,
        ),
        (
            10.0,
            [(21.065042354, 7.951492775), (17.986351098, 4.010683386), (14.957286274, 0.031299822)],
            52.69921190,
        ),
    ];
    let (system, points) = flying_beam(3, 8, true);
    let mut errors = vec![];
    for h in [0.02, 0.01, 0.005] {
        let settings = ConservingSettings::new(Rule::EnergyMomentum);
        let mut run = EnergyMomentum::new(&system, settings, system.start_state(0.0)).unwrap();
        let mut after = None;
        for (t, places, energy) in &expected {
            while run.state().t < t - 0.5 * h {
                run.attempt(h).unwrap();
                run.accept();
                let now = balance(&system, run.state());
                if run.state().t > 5.0 - 0.5 * h {
                    let then = *after.get_or_insert(now);
                    assert!(
                        (now.total() / then.total() - 1.0).abs() < 1e-12,
                        "{}",
                        now.total() - then.total()
                    );
                    assert!(
                        (now.momentum - then.momentum).norm() < 1e-11,
                        "{}",
                        now.momentum - then.momentum
                    );
                    assert!(
                        (now.angular_momentum - then.angular_momentum).norm() < 1e-10,
                        "{}",
                        now.angular_momentum - then.angular_momentum
                    );
                }
            }
            let now = balance(&system, run.state());
            let mut worst: f64 = 0.0;
            for (node, (x, y)) in points.iter().zip(places) {
                worst = worst.max((run.state().frames[*node].r - Vec3::new(*x, *y, 0.0)).norm());
            }
            println!("h {h} t {t}: {worst:e} energy {:e}", now.total() / energy - 1.0);
            // The work of the moment at the end swings with the shear waves that the kink of the load sends
            // out.
            assert!((now.total() / energy - 1.0).abs() < if *t < 5.0 { 2e-4 } else { 5e-5 });
            assert!(*t < 5.0 || (now.momentum - Vec3::x() * 20.0).norm() < 1e-11);
            assert!(*t < 10.0 || (now.centre_of_mass - Vec3::new(18.0, 4.0, 0.0)).norm() < 1e-10);
            errors.push(worst);
        }
    }
    for k in 0..3 {
        let order = (errors[k] / errors[6 + k]).log2() / 2.0;
        assert!(order > 1.4 && errors[6 + k] < 6e-5, "{order} {}", errors[6 + k]);
    }
}

/// The same in space, in all coordinates and by Galerkin's method.
#[test]
fn coordinates_agree_in_space() {
    let (system, points) = flying_beam(1, 4, false);
    let mut ends = vec![];
    for coordinates in [Coordinates::Motion, Coordinates::Directors, Coordinates::EulerParameters] {
        let settings = ConservingSettings { coordinates, ..ConservingSettings::new(Rule::EnergyMomentum) };
        let mut run = EnergyMomentum::new(&system, settings, system.start_state(0.0)).unwrap();
        for _ in 0..50 {
            run.attempt(0.05).unwrap();
            run.accept();
        }
        ends.push(run.state().frames[points[2]].r);
    }
    assert!((ends[0] - ends[1]).norm() < 1e-10 && (ends[0] - ends[2]).norm() < 1e-10);
    let refused =
        EnergyMomentum::new(&system, ConservingSettings::new(Rule::Variational), system.start_state(0.0));
    assert!(refused.is_err());
    let settings = GalerkinSettings::new(2);
    let mut run = Galerkin::new(&system, settings, system.start_state(0.0)).unwrap();
    for _ in 0..50 {
        run.attempt(0.05).unwrap();
        run.accept();
    }
    let apart = (run.state().frames[points[2]].r - ends[0]).norm();
    assert!(apart < 2e-3, "{apart}");
}

/// GS4 steps of the equations in charts and conserving steps in natural coordinates describe one beam.
#[test]
fn both_views_are_of_one_beam() {
    let (system, points) = flying_beam(2, 8, false);
    let mut apart = vec![];
    for h in [0.02, 0.01] {
        let mut gs4 = Gs4::new(&system, Settings::default(), system.start_state(0.0), h).unwrap();
        let settings = ConservingSettings::new(Rule::EnergyMomentum);
        let mut conserving = EnergyMomentum::new(&system, settings, system.start_state(0.0)).unwrap();
        for _ in 0..(2.5f64 / h).round() as usize {
            gs4.step(h).unwrap();
            conserving.attempt(h).unwrap();
            conserving.accept();
        }
        let place = |state: &State| state.frames[points[2]].r;
        apart.push((place(gs4.state()) - place(conserving.state())).norm());
    }
    println!("{apart:?}");
    assert!(apart[1] < 2e-4 && apart[0] / apart[1] > 3.0, "{apart:?}");
}

/// V-3 of energy-momentum-null-space: a beam with concentrated masses under two loads, then free.
#[test]
fn beam_with_concentrated_masses() {
    let mass = SectionMass { mass: 0.27, first: [0.0; 2], second: [9e-8, 9e-8, 0.0] };
    let section = Section::diagonal([1.84615e5, 1.84615e5, 4.8e5, 0.16, 0.16, 0.1230769], mass);
    let frames = straight(Vec3::x() * -1.0, Vec3::x(), Vec3::z(), 22, 1);
    let mut b = SystemBuilder::new(Vec3::zeros());
    let nodes = add_nodes(&mut b, &frames, false, false);
    chain(&nodes, &frames, 1, &section).add_to(&mut b).unwrap();
    for (k, mass) in [(0, 10.0), (11, 1.0), (22, 10.0)] {
        b.body(Body { node: nodes[k].node, mass, centre: Vec3::zeros(), inertia: Mat3::zeros() });
    }
    let f = "if(t < 0.5, 0.5*(1 - cos(4*pi*t)), 0)";
    for (k, p) in [(0, [1.3, 1.0, 0.8]), (22, [-1.2, -1.6, 1.0])] {
        let [x, y, z] = p.map(|p| format!("{p}*{f}"));
        b.force("p", Box::new(PointForce::dead(nodes[k].node, Vec3::zeros(), load(&x, &y, &z))));
    }
    let system = b.build();
    assert!((system.total_mass() - 21.54).abs() < 1e-12);
    let settings = ConservingSettings::new(Rule::EnergyMomentum);
    let mut run = EnergyMomentum::new(&system, settings, system.start_state(0.0)).unwrap();
    let mut then = None;
    for _ in 0..500 {
        run.attempt(0.01).unwrap();
        run.accept();
        let now = balance(&system, run.state());
        if run.state().t > 0.499 {
            let first = *then.get_or_insert(now);
            assert!((now.momentum - Vec3::new(0.025, -0.15, 0.45)).norm() < 1e-11, "{}", now.momentum);
            assert!(
                (now.total() / first.total() - 1.0).abs() < 1e-10,
                "{} {}",
                run.state().t,
                now.total() / first.total() - 1.0
            );
            assert!((now.angular_momentum - first.angular_momentum).norm() < 1e-11);
        }
    }
}

/// V-8 of energy-momentum-null-space: a flexible spatial slider-crank, with the digest's numbers under its
/// assumed geometry.
#[test]
fn flexible_slider_crank() {
    let mass = SectionMass { mass: 20.0, first: [0.0; 2], second: [10.0, 10.0, 0.0] };
    let soft = Section::diagonal([1e5, 1e5, 1e5, 1e4, 1e4, 1e4], mass);
    let hard = Section::diagonal([1e6, 1e6, 1e6, 1e5, 1e5, 1e5], mass);
    let mut b = SystemBuilder::new(Vec3::zeros());
    let first = straight(Vec3::new(0.0, -3.0, 1.5), Vec3::new(0.0, 3.0, 1.5), Vec3::z(), 20, 1);
    let end = Vec3::new(13.75f64.sqrt(), 0.0, 0.0);
    let second = straight(Vec3::new(0.0, 0.0, 1.5), end, Vec3::y(), 15, 1);
    let beam = add_nodes(&mut b, &first, false, false);
    let slider = add_nodes(&mut b, &second, false, false);
    chain(&beam, &first, 1, &soft).add_to(&mut b).unwrap();
    chain(&slider, &second, 1, &hard).add_to(&mut b).unwrap();
    let weld = Attachment { axes: first[10].rot.transpose(), ..beam[10] };
    b.constraint(
        "weld",
        Box::new(fixed(&weld, &Attachment { axes: second[0].rot.transpose(), ..slider[0] })),
    );
    let along_x = Mat3::from_columns(&[Vec3::y(), Vec3::z(), Vec3::x()]);
    let rail = Attachment { node: GROUND, origin: Vec3::zeros(), axes: along_x };
    b.constraint("bearing", Box::new(point_on_line(&rail, &slider[15])));
    for (k, y) in [(0, -3.0), (20, 3.0)] {
        let start = Frame { r: Vec3::new(0.0, y, 0.375), rot: Mat3::identity() };
        let crank = b.node("crank", Chart::Motion, start, still());
        let inertia = Mat3::from_diagonal(&Vec3::new(0.086375, 0.086375, 0.004));
        b.body(Body { node: crank, mass: 1.0, centre: Vec3::zeros(), inertia });
        let at = |z: f64| Attachment { origin: Vec3::z() * z, ..on(crank) };
        let pivot = Attachment { origin: Vec3::y() * y, ..on(GROUND) };
        b.constraint("pivot", Box::new(spherical(&pivot, &at(-0.375))));
        b.constraint("top", Box::new(spherical(&at(1.125), &beam[k])));
    }
    let force = "if(t < 2, 1000*sin(pi*t), 0)";
    b.force("f", Box::new(PointForce::dead(slider[15].node, Vec3::zeros(), load(force, "0", "0"))));
    let system = b.build();
    let settings = ConservingSettings::new(Rule::EnergyMomentum);
    let mut run = EnergyMomentum::new(&system, settings, system.start_state(0.0)).unwrap();
    let mut strain: f64 = 0.0;
    for step in 1..=1000 {
        run.attempt(0.01).unwrap();
        run.accept();
        let now = balance(&system, run.state());
        let place = run.state().frames[beam[10].node].r;
        match step {
            100 => {
                assert!((now.total() - 1096.50295573).abs() < 1e-6, "{}", now.total());
                assert!((place - Vec3::new(1.555574, 0.0, 1.045640)).norm() < 2e-6, "{place}");
            }
            200 => {
                assert!((now.total() - 2406.157477).abs() < 1e-6, "{}", now.total());
                assert!((place - Vec3::new(0.076026, 0.0, -1.553257)).norm() < 2e-6, "{place}");
            }
            1000 => {
                assert!((now.total() - 2406.157477).abs() < 1e-6, "{}", now.total());
                assert!((run.state().frames[slider[15].node].r.x - 2.902704).abs() < 2e-6);
            }
            _ => {}
        }
        if step > 200 {
            strain = strain.max(now.potential);
        }
    }
    assert!((strain - 2017.0).abs() < 0.5, "{strain}");
}
