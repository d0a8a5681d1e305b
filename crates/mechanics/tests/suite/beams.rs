//! Beam elements: exact derivatives in both views, objectivity, reference free of stress, patch tests, mass.

use crate::random;

use poinsot_expr::{Expr, Function};
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6, so3};
use poinsot_mechanics::beams::{
    Beam, BeamElement, DistributedLoad, Formulation, LoadAxes, MassDamping, MotionScheme, Section,
    SectionMass, StateLoad, StateMoment, consistent_mass, distributed_moment, lumped_mass, node_shares,
};
use poinsot_mechanics::conserving::{Conserving, ConservingScratch, ConservingStep, Coordinates, Rule};
use poinsot_mechanics::joints::Attachment;
use poinsot_mechanics::*;
use random::Random;

fn still() -> Twist {
    Twist { linear: Vec3::zeros(), angular: Vec3::zeros() }
}

fn on(node: usize) -> Attachment {
    Attachment { node, origin: Vec3::zeros(), axes: Mat3::identity() }
}

fn spd6(rng: &mut Random) -> Mat6 {
    let m = Mat6::from_fn(|_, _| rng.next());
    m * m.transpose() + Mat6::identity()
}

fn section(rng: &mut Random, viscous: bool) -> Section {
    let mass = SectionMass { mass: 1.3, first: [0.1, -0.2], second: [0.4, 0.5, 0.1] };
    let section = Section::given(spd6(rng), mass);
    if viscous { section.with_viscosity(spd6(rng) * 0.3) } else { section }
}

/// Frames along a line of a curvature and twist, in pieces of the given length.
fn helix(n: usize, piece: f64, curvature: &Vec3, start: Frame) -> Vec<Frame> {
    let mut frames = vec![start];
    for _ in 1..n {
        let mut z = frames[frames.len() - 1];
        let fine = 2000;
        for _ in 0..fine {
            let ds = piece / f64::from(fine);
            let half = z.rot * so3::exp(&(curvature * (0.5 * ds)));
            z.r += half.column(2) * ds;
            z.rot *= so3::exp(&(curvature * ds));
        }
        frames.push(z);
    }
    frames
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Space {
    Space,
    Plane,
}

/// One element of n nodes on offset attachments, deformed and moving, with mass, damping and loads.
fn one_element(rng: &mut Random, n: usize, space: Space, viscous: bool, loaded: bool) -> System {
    let curvature = if space == Space::Plane { Vec3::y() * 0.4 } else { rng.vector() };
    let start = Frame {
        r: rng.vector(),
        rot: if space == Space::Plane { turn_into_plane() } else { rng.rotation() },
    };
    let reference = helix(n, 0.7, &curvature, start);
    let mut b = SystemBuilder::new(rng.vector() * 9.0);
    let mut ends = vec![];
    for (k, z) in reference.iter().enumerate() {
        // The node's own axes are any; the attachment's are those of the section.
        let own = if space == Space::Plane { so3::exp(&(Vec3::z() * rng.next())) } else { rng.rotation() };
        let origin = if space == Space::Plane {
            own.transpose() * Vec3::new(0.1, 0.2, 0.0)
        } else {
            rng.vector() * 0.3
        };
        let attachment = |node: usize| Attachment { node, origin, axes: own.transpose() * z.rot };
        let turn = if space == Space::Plane { Vec3::z() * rng.next() } else { rng.vector() };
        let shift = rng.vector() * 0.2;
        let shift = if space == Space::Plane { Vec3::new(shift.x, shift.y, 0.0) } else { shift };
        let frame = Frame { r: z.r - own * origin + shift, rot: so3::exp(&(turn * 0.4)) * own };
        let normal = frame.rot.transpose() * Vec3::z();
        let chart = match space {
            Space::Space => Chart::Motion,
            Space::Plane => Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal },
        };
        let velocity = Twist { linear: rng.vector(), angular: rng.vector() * 2.0 };
        let node = b.node(&format!("n{k}"), chart, frame, velocity);
        ends.push(attachment(node));
    }
    let section = section(rng, viscous);
    b.force("beam", Box::new(Beam::new(&ends, &reference, &section).unwrap()));
    let inertia = consistent_mass(&ends, &reference, &section.mass).unwrap();
    if viscous {
        b.force("drag", Box::new(MassDamping::new(&inertia, 0.7)));
    }
    if loaded {
        for axes in [LoadAxes::World, LoadAxes::Section] {
            let f = |text: &str| Function::new(&Expr::parse(text).unwrap(), &["t", "s"], &|_| None).unwrap();
            let force = [f("sin(t)+s"), f("2"), f("t*s")];
            let load = DistributedLoad::new(&ends, &reference, 0.4, axes, force).unwrap();
            b.force("load", Box::new(load));
            let names = [
                "t", "s", "x", "y", "z", "u", "v", "w", "ax", "ay", "az", "bx", "by", "bz", "cx", "cy", "cz",
            ];
            let names: Vec<&str> = names.into_iter().chain(["far", "turning"]).collect();
            let law = |text: &str| Function::new(&Expr::parse(text).unwrap(), &names, &|_| None).unwrap();
            let laws = [law("x*y + far*s - u^2"), law("w*bz*turning + sin(cx*z)"), law("ay*v + bx*far - t")];
            let (first, last) = (ends[0], ends[ends.len() - 1]);
            let readings = vec![
                Reading::Coordinate(Coordinate::distance(&first, &last)),
                Reading::Speed(Speed::spin(last.node, last.axis(1))),
            ];
            let read = (readings, vec![], vec![]);
            let load = StateLoad::new(&ends, &reference, 0.4, axes, read.clone(), &laws).unwrap();
            b.force("law", Box::new(load));
            let moment = StateMoment::new(&ends, &reference, 0.4, axes, read, &laws).unwrap();
            b.force("moment law", Box::new(moment));
            let moment = [f("0.3"), f("s*t"), f("-1")];
            for torque in distributed_moment(&ends, &reference, 0.4, axes, &moment).unwrap() {
                b.force("moment", Box::new(torque));
            }
        }
    }
    b.inertia(inertia);
    b.build()
}

/// Section axes with d₃ along x, d₂ out of the plane.
fn turn_into_plane() -> Mat3 {
    Mat3::from_columns(&[Vec3::y(), Vec3::z(), Vec3::x()])
}

fn residual(system: &System, state: &State, a: &[f64]) -> Vec<f64> {
    let at = Instant { t: state.t, frames: &state.frames, v: &state.v, a, memory: &state.memory, rates: &[] };
    let mut out = vec![0.0; system.size()];
    system.residual(&at, &mut out, &mut Scratch::default());
    out
}

fn moved(system: &System, state: &State, i: usize, step: f64) -> State {
    let mut delta = vec![0.0; system.size()];
    delta[i] = step;
    let mut new = state.clone();
    for ((node, z), out) in system.nodes().iter().zip(&state.frames).zip(&mut new.frames) {
        *out = node.chart.retract(z, &delta[node.unknowns()]);
    }
    new
}

fn matrix(system: &System, state: &State, a: &[f64], [mass, damping, stiffness]: [f64; 3]) -> Vec<f64> {
    let identity = vec![Mat3::identity(); system.nodes().len()];
    let at = Instant { t: state.t, frames: &state.frames, v: &state.v, a, memory: &state.memory, rates: &[] };
    let lin = Linearization { mass, damping, stiffness, ..Linearization::at(at, &identity) };
    let mut values = vec![0.0; system.pattern().nnz()];
    system.step_matrix(&lin, &mut values, &mut Scratch::default());
    values
}

#[test]
fn tangent_is_the_derivative_of_the_residual() {
    let mut rng = Random(0x5eed);
    for n in 2..=4 {
        for space in [Space::Space, Space::Plane] {
            for (viscous, loaded) in [(false, false), (true, false), (true, true)] {
                let system = one_element(&mut rng, n, space, viscous, loaded);
                let size = system.size();
                let state = system.start_state(0.7);
                let a: Vec<f64> = (0..size).map(|_| rng.next() * 3.0).collect();
                let got = matrix(&system, &state, &a, [1.0, 0.7, 0.4]);
                let e = 1e-5;
                let base = residual(&system, &state, &a);
                for j in 0..size {
                    let (rp, rm) = (
                        residual(&system, &moved(&system, &state, j, e), &a),
                        residual(&system, &moved(&system, &state, j, -e), &a),
                    );
                    let faster = |step: f64| {
                        let mut state = state.clone();
                        state.v[j] += step;
                        residual(&system, &state, &a)
                    };
                    let (vp, vm) = (faster(e), faster(-e));
                    let mut unit = a.clone();
                    unit[j] += 1.0;
                    let heavier = residual(&system, &state, &unit);
                    for i in 0..size {
                        let expected = heavier[i] - base[i]
                            + 0.7 * (vp[i] - vm[i]) / (2.0 * e)
                            + 0.4 * (rp[i] - rm[i]) / (2.0 * e);
                        let value = system.pattern().index(i, j).map_or(0.0, |k| got[k]);
                        assert!(
                            (value - expected).abs() < 1e-7 * (1.0 + expected.abs()),
                            "{n} nodes {space:?} viscous {viscous} loaded {loaded} ({i}, {j}): {value} instead of {expected}"
                        );
                    }
                }
            }
        }
    }
}

#[test]
fn step_matrix_is_the_derivative_of_the_step() {
    let mut rng = Random(77);
    let mut s = ConservingScratch::default();
    for (n, loaded) in [(2, false), (2, true), (3, false), (4, false)] {
        for space in [Space::Space, Space::Plane] {
            let system = one_element(&mut rng, n, space, true, loaded);
            for coordinates in [Coordinates::Motion, Coordinates::Directors, Coordinates::EulerParameters] {
                for rule in [Rule::EnergyMomentum, Rule::Averaged] {
                    let view = Conserving::new(&system, coordinates);
                    let mut step = ConservingStep::new(&view);
                    let mut state = system.start_state(0.3);
                    system.take_rates(&mut state);
                    (step.t, step.h) = (0.3, 0.2);
                    step.start = state.frames.clone();
                    step.rates = state.rates.clone();
                    step.memory = state.memory.clone();
                    step.dissipation.fill(0.1);
                    step.quadrature = vec![(0.2, 0.4), (0.7, 0.6)];
                    step.rest();
                    let delta: Vec<f64> = (0..view.size()).map(|_| rng.next() * 0.1).collect();
                    step.advance(&view, &delta);
                    step.lambda.iter_mut().for_each(|l| *l = rng.next());
                    let (size, beta) = (view.size(), 0.5 * step.h * step.h);
                    let (mut values, mut out) = (vec![0.0; view.pattern().nnz()], vec![0.0; size]);
                    let mut here = step.clone();
                    view.residual(rule, &mut here, &mut out, &mut s);
                    view.matrix(rule, &here, &mut values, &mut s);
                    let levels = view.level_rows();
                    let rows = view.enforced_equations();
                    let e = 1e-6;
                    for j in (0..size).filter(|j| !rows.contains(j)) {
                        let mut unit = vec![0.0; size];
                        unit[j] = 1.0;
                        let mut column = vec![0.0; size];
                        view.pattern().multiply(&values, &unit, &mut column);
                        let mut side = |sign: f64| {
                            let mut there = step.clone();
                            unit[j] = sign * e;
                            there.advance(&view, &unit);
                            view.residual(rule, &mut there, &mut out, &mut s);
                            out.clone()
                        };
                        let (plus, minus) = (side(1.0), side(-1.0));
                        for i in 0..size {
                            let factor = if levels.contains(&i) { 1.0 } else { beta };
                            let d = factor * (plus[i] - minus[i]) / (2.0 * e);
                            assert!(
                                (d - column[i]).abs() < 3e-7 * (1.0 + d.abs()),
                                "{n} nodes {space:?} {coordinates:?} {rule:?} ({i}, {j}): {d} {}",
                                column[i]
                            );
                        }
                    }
                }
            }
        }
    }
}

/// Nodal vectors of frames.
fn vectors(frames: &[Frame]) -> Vec<Vec3> {
    frames
        .iter()
        .flat_map(|z| [z.r, z.rot.column(0).into(), z.rot.column(1).into(), z.rot.column(2).into()])
        .collect()
}

fn at<'a>(x: &'a [Vec3], xdot: &'a [Vec3]) -> Motion<'a> {
    Motion { t: 0.0, x, xdot, memory: &[], reactions: &[] }
}

#[test]
fn force_over_a_step_keeps_energy_and_momenta() {
    let mut rng = Random(5);
    for n in 2..=4 {
        let reference = helix(n, 0.5, &rng.vector(), Frame { r: rng.vector(), rot: rng.rotation() });
        let ends: Vec<Attachment> = (1..=n).map(on).collect();
        for viscous in [false, true] {
            let beam = Beam::new(&ends, &reference, &section(&mut rng, viscous)).unwrap();
            // Any vectors will do: the strains are quadratic in them.
            let from: Vec<Vec3> = vectors(&reference).iter().map(|x| x + rng.vector() * 0.3).collect();
            let to: Vec<Vec3> = from.iter().map(|x| x + rng.vector() * 0.3).collect();
            let h = 0.1;
            let mean: Vec<Vec3> = from.iter().zip(&to).map(|(a, b)| (a + b) * 0.5).collect();
            let rate: Vec<Vec3> = from.iter().zip(&to).map(|(a, b)| (b - a) / h).collect();
            let step = StepEnds {
                t: 0.0,
                h,
                span: LawSpan::ALL,
                from: &from,
                to: &to,
                mean: &mean,
                rate: &rate,
                memory: &[],
                reactions: &[],
                dissipation: 0.2,
            };
            let mut f = vec![Vec3::zeros(); 4 * n];
            beam.discrete_force(&step, &mut f);
            let work: f64 = (0..4 * n).map(|a| f[a].dot(&step.change(a))).sum();
            let (v, v_end) = (beam.potential(&at(&from, &rate)), beam.potential(&at(&to, &rate)));
            let lost = beam.discrete_work(&step);
            assert!(lost.dissipated > 0.0 && lost.supplied == 0.0);
            assert!((work - (v - v_end - lost.dissipated)).abs() < 1e-13 * (v + v_end), "{work}");
            let force: Vec3 = (0..n).map(|a| f[4 * a]).sum();
            let moment: Vec3 = mean.iter().zip(&f).map(|(x, f)| x.cross(f)).sum();
            assert!(force.norm() < 1e-13 && moment.norm() < 1e-13, "{force} {moment}");
        }
    }
}

#[test]
fn strains_do_not_feel_a_rigid_motion() {
    let mut rng = Random(9);
    for n in 2..=4 {
        let reference = helix(n, 0.5, &rng.vector(), Frame { r: rng.vector(), rot: rng.rotation() });
        let ends: Vec<Attachment> = (1..=n).map(on).collect();
        let beam = Beam::new(&ends, &reference, &section(&mut rng, false)).unwrap();
        let bent: Vec<Frame> = reference
            .iter()
            .map(|z| Frame { r: z.r + rng.vector() * 0.2, rot: so3::exp(&(rng.vector() * 0.5)) * z.rot })
            .collect();
        let zero = vec![Vec3::zeros(); 4 * n];
        let x = vectors(&bent);
        let (q, c) = (rng.rotation() * rng.rotation(), rng.vector() * 10.0);
        let carried: Vec<Frame> = bent.iter().map(|z| Frame { r: c + q * z.r, rot: q * z.rot }).collect();
        let y = vectors(&carried);
        let (v, w) = (beam.potential(&at(&x, &zero)), beam.potential(&at(&y, &zero)));
        assert!((v - w).abs() < 1e-12 * v, "{n}: {v} {w}");
        for xi in [-1.0, -0.3, 0.8] {
            let (s, t) = (beam.section_state(&at(&x, &zero), xi), beam.section_state(&at(&y, &zero), xi));
            assert!(
                (s.strain - t.strain).norm() < 1e-12
                    && (s.resultant - t.resultant).norm() < 1e-12 * s.resultant.norm()
            );
        }
        // The reference itself is free of stress, wherever it is.
        let carried: Vec<Frame> =
            reference.iter().map(|z| Frame { r: c + q * z.r, rot: q * z.rot }).collect();
        let mut f = zero.clone();
        beam.force(&at(&vectors(&carried), &zero), &mut f);
        assert!(f.iter().all(|f| f.norm() < 1e-13), "{f:?}");
    }
}

/// A straight beam of unequal elements along z from the origin, on ground frames; the tangent at rest.
fn straight(n: usize, pieces: &[f64], stiffness: [f64; 6]) -> (System, Vec<f64>) {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let mut place = 0.0;
    let mut places = vec![0.0];
    for piece in pieces {
        for share in &node_shares(1, n - 1)[1..] {
            places.push(place + piece * share);
        }
        place += piece;
    }
    let frames: Vec<Frame> =
        places.iter().map(|&s| Frame { r: Vec3::z() * s, rot: Mat3::identity() }).collect();
    let nodes: Vec<usize> = frames.iter().map(|z| b.node("n", Chart::Motion, *z, still())).collect();
    let mass = SectionMass { mass: 1.0, first: [0.0; 2], second: [0.1, 0.1, 0.0] };
    let section = Section::diagonal(stiffness, mass);
    for e in 0..pieces.len() {
        let range = e * (n - 1)..e * (n - 1) + n;
        let ends: Vec<Attachment> = nodes[range.clone()].iter().map(|&k| on(k)).collect();
        b.force("beam", Box::new(Beam::new(&ends, &frames[range.clone()], &section).unwrap()));
        b.inertia(consistent_mass(&ends, &frames[range], &section.mass).unwrap());
    }
    (b.build(), places)
}

/// Small uniform bending, torsion, extension: inner nodes are in balance, the ends see the resultants. Exact
/// on any mesh.
#[test]
fn small_uniform_strains_pass_the_patch_test() {
    let stiffness = [3.0e3, 4.0e3, 9.0e3, 20.0, 30.0, 11.0];
    for n in 2..=4 {
        let (system, places) = straight(n, &[0.3, 0.5, 0.2, 0.7], stiffness);
        let state = system.start_state(0.0);
        let zero = vec![0.0; system.size()];
        let k = matrix(&system, &state, &zero, [0.0, 0.0, 1.0]);
        let length = places[places.len() - 1];
        for strain in [2, 3, 4, 5] {
            let mut u = zero.clone();
            for (node, &s) in system.nodes()[1..].iter().zip(&places) {
                let unknowns = &mut u[node.unknowns()];
                match strain {
                    2 => unknowns[2] = s,
                    // r′ = θ × e₃: bending about 1 moves the line along −2, about 2 along +1.
                    3 => (unknowns[1], unknowns[3]) = (-0.5 * s * s, s),
                    4 => (unknowns[0], unknowns[4]) = (0.5 * s * s, s),
                    _ => unknowns[5] = s,
                }
            }
            let mut f = zero.clone();
            system.pattern().multiply(&k, &u, &mut f);
            for (a, node) in system.nodes()[1..].iter().enumerate() {
                for (c, eq) in node.unknowns().enumerate() {
                    let resultant = if c == strain { stiffness[strain] } else { 0.0 };
                    let expected = match places[a] {
                        0.0 => -resultant,
                        s if (s - length).abs() < 1e-12 => resultant,
                        _ => 0.0,
                    };
                    assert!(
                        (f[eq] - expected).abs() < 1e-10 * stiffness[2],
                        "{n} nodes, strain {strain}, node {a}: {} {expected}",
                        f[eq]
                    );
                }
            }
        }
    }
}

/// Finite extension is exact too.
#[test]
fn finite_extension_is_exact() {
    for n in 2..=4 {
        let (system, _) = straight(n, &[0.3, 0.5], [3.0e3, 4.0e3, 9.0e3, 20.0, 30.0, 11.0]);
        let mut state = system.start_state(0.0);
        state.frames.iter_mut().for_each(|z| z.r *= 1.25);
        let zero = vec![0.0; system.size()];
        let at = Instant {
            t: 0.0,
            frames: &state.frames,
            v: &state.v,
            a: &zero,
            memory: &state.memory,
            rates: &[],
        };
        let mut s = Scratch::default();
        for index in 0..2 {
            let here = system.section_state(index, 0.3, &at, &mut s).unwrap();
            assert!((here.strain - Vec6::z() * 0.25).norm() < 1e-14);
            assert!((here.resultant - Vec6::z() * 2250.0).norm() < 1e-10);
        }
        assert!((system.balance(&at, &mut s).potential - 0.8 * 0.5 * 9.0e3 * 0.0625).abs() < 1e-11);
    }
}

/// A rigid motion of a straight beam: energy and momenta of the rod, with any mesh; lumped masses agree in
/// what they share.
#[test]
fn mass_of_a_rigid_motion_is_that_of_a_rod() {
    let mut rng = Random(21);
    let mass = SectionMass { mass: 2.5, first: [0.0; 2], second: [0.03, 0.05, 0.01] };
    for n in 2..=4 {
        let (length, rot, w) = (1.7, rng.rotation(), rng.vector() * 2.0);
        let (r, v) = (rng.vector(), rng.vector());
        let frames: Vec<Frame> = (0..n)
            .map(|a| Frame { r: r + rot.column(2) * (length * (a as f64 / (n - 1) as f64 - 0.5)), rot })
            .collect();
        let build = |lumped: bool| {
            let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
            for z in &frames {
                let linear = v + w.cross(&(z.r - r));
                b.node("n", Chart::Motion, *z, Twist { linear, angular: rot.transpose() * w });
            }
            let ends: Vec<Attachment> = (1..=n).map(on).collect();
            match lumped {
                false => b.inertia(consistent_mass(&ends, &frames, &mass).unwrap()),
                true => {
                    let bodies = lumped_mass([(&ends[..], &frames[..])], &mass).unwrap();
                    bodies.into_iter().for_each(|body| b.body(body));
                }
            }
            b.build()
        };
        let euler = Mat3::new(0.03, 0.01, 0.0, 0.01, 0.05, 0.0, 0.0, 0.0, 0.0) * length;
        let m = 2.5 * length;
        let inertia = Mat3::identity() * euler.trace() - euler
            + Mat3::from_diagonal(&Vec3::new(1.0, 1.0, 0.0)) * (m * length * length / 12.0);
        let spin = rot * inertia * rot.transpose() * w;
        for lumped in [false, true] {
            let system = build(lumped);
            let state = system.start_state(0.0);
            let zero = vec![0.0; system.size()];
            let at = Instant {
                t: 0.0,
                frames: &state.frames,
                v: &state.v,
                a: &zero,
                memory: &state.memory,
                rates: &[],
            };
            let b = system.balance(&at, &mut Scratch::default());
            assert!((system.total_mass() - m).abs() < 1e-14);
            assert!((b.momentum - v * m).norm() < 1e-13);
            assert!((b.centre_of_mass - r).norm() < 1e-13);
            assert!((b.potential - m * 9.81 * r.z).abs() < 1e-12);
            if !lumped {
                assert!(
                    (b.kinetic - 0.5 * m * v.norm_squared() - 0.5 * w.dot(&spin)).abs() < 1e-12,
                    "{n}: {}",
                    b.kinetic
                );
                assert!((b.angular_momentum - r.cross(&v) * m - spin).norm() < 1e-12, "{n}");
                // The same from natural velocities.
                let mut state = state.clone();
                system.take_rates(&mut state);
                let natural = system.balance(&Instant { rates: &state.rates, ..at }, &mut Scratch::default());
                assert!((natural.kinetic - b.kinetic).abs() < 1e-13);
                assert!((natural.angular_momentum - b.angular_momentum).norm() < 1e-13);
            }
        }
    }
}

/// v·R = dT/dt + dV/dt along any motion: the inertia forces are those of the kinetic energy.
#[test]
fn inertia_forces_have_the_power_of_the_energy() {
    let mut rng = Random(31);
    for n in 2..=4 {
        let system = one_element(&mut rng, n, Space::Space, false, false);
        let state = system.start_state(0.0);
        let a: Vec<f64> = (0..system.size()).map(|_| rng.next() * 3.0).collect();
        let energy = |t: f64| {
            let mut there = state.clone();
            for (k, node) in system.nodes().iter().enumerate() {
                let range = node.unknowns();
                let delta: Vec<f64> = range.clone().map(|i| t * state.v[i] + 0.5 * t * t * a[i]).collect();
                there.frames[k] = node.chart.retract(&state.frames[k], &delta);
                range.clone().for_each(|i| there.v[i] += t * a[i]);
                if node.chart == Chart::Motion {
                    let turn = &mut there.v[range][3..];
                    let omega = node.chart.tangent(&delta) * Vec3::new(turn[0], turn[1], turn[2]);
                    turn.copy_from_slice(omega.as_slice());
                }
            }
            let at = Instant {
                t: 0.0,
                frames: &there.frames,
                v: &there.v,
                a: &a,
                memory: &there.memory,
                rates: &[],
            };
            system.balance(&at, &mut Scratch::default()).total()
        };
        let e = 1e-4;
        let slope = (8.0 * (energy(e) - energy(-e)) - (energy(2.0 * e) - energy(-2.0 * e))) / (12.0 * e);
        let r = residual(&system, &state, &a);
        let power: f64 = r.iter().zip(&state.v).map(|(r, v)| r * v).sum();
        assert!((power - slope).abs() < 1e-8 * (1.0 + slope.abs()), "{n}: {power} {slope}");
    }
}

/// Loads per length have their resultants: force, moment about the origin, and power of a rigid motion.
#[test]
fn loads_per_length_have_their_resultants() {
    let f = |text: &str| Function::new(&Expr::parse(text).unwrap(), &["t", "s"], &|_| None).unwrap();
    let z = |s: f64| Frame { r: Vec3::z() * s, rot: Mat3::identity() };
    for n in 2..=4 {
        let reference: Vec<Frame> = node_shares(1, n - 1).iter().map(|s| z(2.0 * s)).collect();
        let ends: Vec<Attachment> = (1..=n).map(on).collect();
        let x = vectors(&reference);
        let zero = vec![Vec3::zeros(); x.len()];
        // q = (s − 3, 0, 5) from s = 3 to 5: ∫q = (2, 0, 10), moment about the origin ∫ (s − 3)² e_y = 8/3
        // e_y.
        let load =
            DistributedLoad::new(&ends, &reference, 3.0, LoadAxes::World, [f("s - 3"), f("0"), f("5")])
                .unwrap();
        let mut force = zero.clone();
        load.force(&at(&x, &zero), &mut force);
        let sum: Vec3 = force.iter().sum();
        let moment: Vec3 = x.iter().zip(&force).map(|(x, f)| x.cross(f)).sum();
        assert!((sum - Vec3::new(2.0, 0.0, 10.0)).norm() < 1e-13);
        assert!((moment - Vec3::y() * (8.0 / 3.0)).norm() < 1e-13);
        let lift = vec![Vec3::x(); x.len()];
        assert!((load.power(&at(&x, &lift)).supplied - 2.0).abs() < 1e-13);
        let density = [f("s"), f("1"), f("0")];
        let torques = distributed_moment(&ends, &reference, 3.0, LoadAxes::Section, &density).unwrap();
        let mut sum = Vec3::zeros();
        for torque in &torques {
            let d = [Vec3::x(), Vec3::y(), Vec3::z()];
            let mut f = [Vec3::zeros(); 3];
            torque.force(&at(&d, &d), &mut f);
            sum += d.iter().zip(&f).map(|(d, f)| d.cross(f)).sum::<Vec3>();
        }
        assert!((sum - Vec3::new(8.0, 2.0, 0.0)).norm() < 1e-13, "{sum}");
    }
}

/// A moving beam element of n nodes parallel to a plane.
#[derive(Clone, Copy, Debug)]
struct Flat {
    n: usize,
    clamped: bool,
    formulation: Formulation,
    /// How far its nodes are turned against each other (rad).
    turned: f64,
}

/// Its nodes have planar charts or those of space.
fn element_parallel_to_plane(seed: u64, flat: Flat, planar: bool) -> System {
    let Flat { n, clamped, formulation, turned } = flat;
    let mut rng = Random(seed);
    // A plane that is not one of the world's axes.
    let tilt = rng.rotation();
    let start = Frame { r: rng.vector(), rot: tilt * turn_into_plane() };
    let reference = helix(n, 0.7, &(Vec3::y() * 0.4), start);
    let (e1, e2, e3) = (tilt * Vec3::x(), tilt * Vec3::y(), tilt * Vec3::z());
    let mut b = SystemBuilder::new(rng.vector() * 9.0);
    let mut ends = vec![];
    for (k, z) in reference.iter().enumerate() {
        let own = so3::exp(&(e3 * rng.next())) * tilt * rng.rotation();
        let origin = own.transpose() * (e1 * 0.1 + e2 * 0.2);
        let shift = e1 * (0.2 * rng.next()) + e2 * (0.2 * rng.next());
        let frame =
            Frame { r: z.r - own * origin + shift, rot: so3::exp(&(e3 * (turned * rng.next()))) * own };
        let normal = frame.rot.transpose() * e3;
        let velocity =
            Twist { linear: e1 * rng.next() + e2 * rng.next(), angular: normal * (2.0 * rng.next()) };
        let chart = if planar { Chart::Planar { e1, e2, normal } } else { Chart::Motion };
        let node = b.node(&format!("n{k}"), chart, frame, velocity);
        let axes = own.transpose() * z.rot;
        ends.push(Attachment { node, origin, axes });
    }
    if clamped {
        ends[0] = Attachment { node: GROUND, origin: reference[0].r, axes: reference[0].rot };
    }
    let mass = SectionMass { mass: 1.3, first: [0.1, -0.2], second: [0.4, 0.5, 0.1] };
    let section = Section::given(spd6(&mut rng), mass);
    b.force("beam", formulation.element(&ends, &reference, &section).unwrap());
    b.inertia(consistent_mass(&ends, &reference, &section.mass).unwrap());
    b.build()
}

/// Elements of both formulations, little and much bent.
fn flat_elements() -> impl Iterator<Item = Flat> {
    let motion = Formulation::Motion(MotionScheme::default());
    let bends = [(Formulation::Director, 0.4), (motion, 0.01), (motion, 0.4), (motion, 1.3)];
    bends.into_iter().flat_map(|(formulation, turned)| {
        let sizes = [(2, false), (3, false), (4, false), (2, true), (4, true)];
        sizes.map(|(n, clamped)| Flat { n, clamped, formulation, turned })
    })
}

#[test]
fn beams_in_a_plane_obey_the_equations_of_space() {
    for element in flat_elements() {
        let (plane, space) =
            (element_parallel_to_plane(77, element, true), element_parallel_to_plane(77, element, false));
        let (flat, full) = (plane.start_state(0.3), space.start_state(0.3));
        let mut rng = Random(5);
        let (mut a_plane, mut a_space) = (vec![0.0; plane.size()], vec![0.0; space.size()]);
        for (p, s) in plane.nodes().iter().zip(space.nodes()).skip(1) {
            let Chart::Planar { e1, e2, normal } = p.chart else { panic!("a planar chart") };
            let [x, y, turn] = [rng.next(), rng.next(), rng.next()];
            a_plane[p.unknowns()].copy_from_slice(&[x, y, turn]);
            let twist = Twist { linear: e1 * x + e2 * y, angular: normal * turn };
            s.chart.velocities(&twist, &mut a_space[s.unknowns()]);
        }
        let (r_plane, r_space) = (residual(&plane, &flat, &a_plane), residual(&space, &full, &a_space));
        let size = r_space.iter().fold(0.0_f64, |m, r| m.max(r.abs()));
        for (p, s) in plane.nodes().iter().zip(space.nodes()).skip(1) {
            let Chart::Planar { e1, e2, normal } = p.chart else { panic!("a planar chart") };
            let full = &r_space[s.unknowns()];
            let (force, torque) = (Vec3::from_column_slice(&full[..3]), Vec3::from_column_slice(&full[3..]));
            let expected = [e1.dot(&force), e2.dot(&force), normal.dot(&torque)];
            for (own, expected) in r_plane[p.unknowns()].iter().zip(expected) {
                // Axes of the reference are products of 2000 rotations, orthonormal to some 1e-13.
                assert!((own - expected).abs() < 1e-12 * size, "{element:?}: {own} for {expected} of {size}");
            }
        }
    }
}

#[test]
fn tangents_in_a_plane_are_derivatives() {
    for element in flat_elements() {
        let system = element_parallel_to_plane(31, element, true);
        let state = system.start_state(0.3);
        let mut rng = Random(6);
        let a: Vec<f64> = (0..system.size()).map(|_| rng.next()).collect();
        let got = matrix(&system, &state, &a, [0.0, 0.0, 1.0]);
        let e = 1e-5;
        for j in 0..system.size() {
            let beside = |step: f64| residual(&system, &moved(&system, &state, j, step), &a);
            let (after, before) = (beside(e), beside(-e));
            for i in 0..system.size() {
                let expected = (after[i] - before[i]) / (2.0 * e);
                let value = system.pattern().index(i, j).map_or(0.0, |k| got[k]);
                let error = (value - expected).abs();
                assert!(error < 1e-7 * (1.0 + expected.abs()), "{element:?} ({i}, {j}): {value} {expected}");
            }
        }
    }
}
