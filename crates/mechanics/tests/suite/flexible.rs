//! Flexible bodies: forces against sums over particles, exact derivatives, energy, the digest's numbers.

use crate::derivatives::{check, moved};
use crate::random::Random;

use poinsot_flexible::{InertiaIntegrals, LumpedPoint};
use poinsot_geometry::nalgebra::DMatrix;
use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::flexible::{Elasticity, FlexibleInertia, Interface, TransmittedLoad};
use poinsot_mechanics::forces::Turning;
use poinsot_mechanics::joints::*;
use poinsot_mechanics::*;

const SHAPES: usize = 3;

fn points(rng: &mut Random, plane: bool) -> Vec<LumpedPoint> {
    let mut vector = || {
        let v = rng.vector();
        if plane { Vec3::new(v.x, v.y, 0.0) } else { v }
    };
    let of = |vector: &mut dyn FnMut() -> Vec3, mass| LumpedPoint {
        mass,
        place: vector(),
        displacements: (0..SHAPES).map(|_| vector() * 0.4).collect(),
    };
    (0..7).map(|k| of(&mut vector, 0.3 + 0.1 * k as f64)).collect()
}

fn planar() -> Chart {
    Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() }
}

/// A flexible body of particles with random motion: its floating frame and numbers.
fn body(rng: &mut Random, b: &mut SystemBuilder, points: &[LumpedPoint], plane: bool) -> (usize, Vec<usize>) {
    let flat = |v: Vec3| if plane { Vec3::new(v.x, v.y, 0.0) } else { v };
    let rot = if plane { poinsot_geometry::so3::exp(&(Vec3::z() * rng.next())) } else { rng.rotation() };
    let spin = if plane { Vec3::z() * rng.next() * 3.0 } else { rng.vector() * 2.0 };
    let chart = if plane { planar() } else { Chart::Motion };
    let velocity = Twist { linear: flat(rng.vector()), angular: spin };
    let frame = b.node("body", chart, Frame { r: flat(rng.vector()), rot }, velocity);
    let numbers: Vec<usize> =
        (0..SHAPES).map(|k| b.number(&format!("shape {k}"), rng.next() * 0.5, rng.next())).collect();
    b.flexible_inertia(FlexibleInertia::new(frame, &numbers, &InertiaIntegrals::lumped(points, SHAPES)));
    (frame, numbers)
}

/// Place and velocity of a particle.
fn particle(
    state: &State,
    system: &System,
    frame: usize,
    numbers: &[usize],
    point: &LumpedPoint,
) -> (Vec3, Vec3) {
    let z = &state.frames[frame];
    let v = system.nodes()[frame].chart.twist(&state.v[system.nodes()[frame].unknowns()]);
    let (mut u, mut rate) = (point.place, Vec3::zeros());
    for (shape, &number) in point.displacements.iter().zip(numbers) {
        u += shape * state.frames[number].r.x;
        rate += shape * state.v[system.nodes()[number].unknowns()][0];
    }
    (z.r + z.rot * u, v.linear + z.rot * (v.angular.cross(&u) + rate))
}

/// x(t + e) for constant accelerations in the unknowns, exact to e².
fn advanced(system: &System, state: &State, a: &[f64], e: f64) -> State {
    let mut new = state.clone();
    for (node, out) in system.nodes().iter().zip(&mut new.frames) {
        let step: Vec<f64> = node.unknowns().map(|i| e * state.v[i] + 0.5 * e * e * a[i]).collect();
        *out = node.chart.retract(out, &step);
    }
    new.v.iter_mut().zip(a).for_each(|(v, a)| *v += e * a);
    new
}

fn instant<'a>(state: &'a State, a: &'a [f64]) -> Instant<'a> {
    Instant { t: state.t, frames: &state.frames, v: &state.v, a, memory: &state.memory, rates: &[] }
}

/// Σ_j m_j (ẍ_j − g + 2 Ω × ẋ_j + Ω × (Ω × (x_j − x₀)))·∂x_j/∂unknown, by differences of the places alone.
fn sum_over_particles(
    system: &System,
    state: &State,
    a: &[f64],
    (frame, numbers, points): (usize, &[usize], &[LumpedPoint]),
    turning: &Turning,
) -> Vec<f64> {
    let e = 1e-4;
    let mut out = vec![0.0; system.size()];
    let (next, last) = (advanced(system, state, a, e), advanced(system, state, a, -e));
    for point in points {
        let at = |state: &State| particle(state, system, frame, numbers, point);
        let ((x, v), after, before) = (at(state), at(&next), at(&last));
        let mut acceleration = (after.0 - x * 2.0 + before.0) / (e * e) - system.gravity;
        acceleration += turning.rate.cross(&v) * 2.0;
        acceleration += turning.rate.cross(&turning.rate.cross(&(x - turning.centre)));
        for (i, out) in out.iter_mut().enumerate() {
            let side = |step| at(&moved(system, state, i, step)).0;
            *out += point.mass * acceleration.dot(&((side(1e-5) - side(-1e-5)) / 2e-5));
        }
    }
    out
}

/// floating-frame-and-ancf V34, for every chart and in a frame that turns.
#[test]
fn inertia_forces_are_those_of_all_particles() {
    let mut rng = Random(0x9e3779b97f4a7c15);
    for plane in [false, true] {
        for spin in [0.0, 1.7] {
            let points = points(&mut rng, plane);
            let down = if plane { Vec3::new(0.3, -9.0, 0.0) } else { rng.vector() * 9.0 };
            let mut b = SystemBuilder::new(down);
            let rate = if plane { Vec3::z() } else { rng.vector() } * spin;
            let turning = Turning { rate, centre: rng.vector() };
            b.turning(turning);
            let (frame, numbers) = body(&mut rng, &mut b, &points, plane);
            let system = b.build();
            let state = system.start_state(0.0);
            let a: Vec<f64> = (0..system.size()).map(|_| rng.next() * 3.0).collect();
            let mut got = vec![0.0; system.size()];
            system.residual(&instant(&state, &a), &mut got, &mut Scratch::default());
            let expected = sum_over_particles(&system, &state, &a, (frame, &numbers, &points), &turning);
            for (i, (got, expected)) in got.iter().zip(&expected).enumerate() {
                let text = format!("plane {plane}, spin {spin}, unknown {i}: {got} for {expected}");
                assert!((got - expected).abs() < 2e-6 * (1.0 + expected.abs()), "{text}");
            }
        }
    }
}

#[test]
fn energies_and_momenta_are_those_of_all_particles() {
    let mut rng = Random(0x2545f4914f6cdd1d);
    let points = points(&mut rng, false);
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let (frame, numbers) = body(&mut rng, &mut b, &points, false);
    let system = b.build();
    let state = system.start_state(0.0);
    let a = vec![0.0; system.size()];
    let got = system.balance(&instant(&state, &a), &mut Scratch::default());
    let (mut kinetic, mut momentum, mut angular, mut moment) =
        (0.0, Vec3::zeros(), Vec3::zeros(), Vec3::zeros());
    for point in &points {
        let (x, v) = particle(&state, &system, frame, &numbers, point);
        kinetic += 0.5 * point.mass * v.norm_squared();
        momentum += v * point.mass;
        angular += x.cross(&v) * point.mass;
        moment += x * point.mass;
    }
    assert!((got.kinetic - kinetic).abs() < 1e-12 * kinetic);
    assert!((got.momentum - momentum).norm() < 1e-12 * momentum.norm());
    assert!((got.angular_momentum - angular).norm() < 1e-12 * angular.norm());
    assert!((got.centre_of_mass - moment / system.total_mass()).norm() < 1e-13);
    assert!((got.potential - 9.81 * moment.z).abs() < 1e-12 * (1.0 + moment.z.abs()));
}

/// With elasticity, an interface and a rigid body hinged to it, in space and in a plane, at rest or turning.
#[test]
fn derivatives_are_exact() {
    let mut rng = Random(0x1234567887654321);
    for plane in [false, true] {
        for spin in [0.0, 0.8] {
            let points = points(&mut rng, plane);
            let mut b = SystemBuilder::new(Vec3::new(0.4, -9.0, 0.0));
            let rate = if plane { Vec3::z() } else { rng.vector() } * spin;
            b.turning(Turning { rate, centre: Vec3::new(0.1, 0.2, 0.0) });
            let (frame, numbers) = body(&mut rng, &mut b, &points, plane);
            let root = DMatrix::from_fn(SHAPES, SHAPES, |_, _| rng.next());
            let stiffness = &root * root.transpose();
            b.force("elasticity", Box::new(Elasticity::new(&numbers, &stiffness, &(&stiffness * 0.1))));
            let flat = |v: Vec3| if plane { Vec3::new(v.x, v.y, 0.0) } else { v };
            let start =
                Frame { r: flat(rng.vector()), rot: if plane { Mat3::identity() } else { rng.rotation() } };
            let still = Twist { linear: flat(rng.vector()), angular: Vec3::z() };
            let end = b.node("end", if plane { planar() } else { Chart::Motion }, start, still);
            let shapes = |rng: &mut Random| (0..SHAPES).map(|_| flat(rng.vector())).collect::<Vec<_>>();
            let turns = |rng: &mut Random| -> Vec<Vec3> {
                (0..SHAPES).map(|_| if plane { Vec3::z() * rng.next() } else { rng.vector() }).collect()
            };
            let (place, displacements, rotations) = (flat(rng.vector()), shapes(&mut rng), turns(&mut rng));
            let tie = Interface::new(end, frame, &numbers, place, displacements, rotations);
            let mut second = vec![[0.0; 6]; SHAPES * SHAPES];
            for k in 0..SHAPES {
                for l in 0..=k {
                    let six = std::array::from_fn(|_| rng.next());
                    (second[k * SHAPES + l], second[l * SHAPES + k]) = (six, six);
                }
            }
            b.constraint("end", Box::new(tie.with_second_order(&second)));
            let rod = b.node("rod", if plane { planar() } else { Chart::Motion }, Frame::identity(), still);
            b.body(Body::new(rod, &MassProperties::new(1.0, Vec3::zeros(), Mat3::identity())));
            let hold = |node| Attachment { node, origin: Vec3::zeros(), axes: Mat3::identity() };
            b.constraint("hinge", Box::new(spherical(&hold(end), &hold(rod))));
            check(&b.build(), &mut rng, &format!("flexible body, plane {plane}, spin {spin}"));
        }
    }
}

/// Shapes that are loaded and do not act back.
#[test]
fn derivatives_of_one_way_coupling_are_exact() {
    let mut rng = Random(0x3c6ef372fe94f82b);
    for plane in [false, true] {
        let points = points(&mut rng, plane);
        let mut b = SystemBuilder::new(Vec3::new(0.4, -9.0, 0.0));
        let flat = |v: Vec3| if plane { Vec3::new(v.x, v.y, 0.0) } else { v };
        let chart = || if plane { planar() } else { Chart::Motion };
        let twist = Twist { linear: flat(rng.vector()), angular: Vec3::z() };
        let frame = b.node("body", chart(), Frame::identity(), twist);
        let numbers: Vec<usize> =
            (0..SHAPES).map(|k| b.number(&format!("{k}"), rng.next(), rng.next())).collect();
        let integrals = InertiaIntegrals::lumped(&points, SHAPES);
        b.flexible_inertia(FlexibleInertia::new(frame, &numbers, &integrals).one_way(&integrals));
        let stiffness = DMatrix::identity(SHAPES, SHAPES) * 3.0;
        let elasticity = Elasticity::new(&numbers, &stiffness, &(&stiffness * 0.1));
        b.force("elasticity", Box::new(elasticity.uncounted()));
        let end = b.node("end", chart(), Frame::identity(), twist);
        let tie = Interface::new(end, frame, &[], flat(rng.vector()), vec![], vec![]);
        let index = b.constraint("end", Box::new(tie.clone()));
        let displacements: Vec<Vec3> = (0..SHAPES).map(|_| rng.vector()).collect();
        let rotations: Vec<Vec3> = (0..SHAPES).map(|_| rng.vector()).collect();
        b.force("load", Box::new(TransmittedLoad::new(&numbers, (index, &tie), &displacements, &rotations)));
        b.body(Body::new(end, &MassProperties::new(1.0, Vec3::zeros(), Mat3::identity())));
        check(&b.build(), &mut rng, &format!("one-way coupling, plane {plane}"));
    }
}

/// floating-frame-and-ancf V30: the mass matrix of a beam with S = diag(ξ, 3ξ² − 2ξ³).
#[test]
fn mass_matrix_of_the_example_beam() {
    let (m, l, angle) = (1.236, 0.5, 30f64.to_radians());
    let (x, y) = (Vec3::x(), Vec3::y());
    let dyad = |a: &Vec3, b: &Vec3| a * b.transpose();
    let integrals = InertiaIntegrals {
        mass: m,
        first_moment: x * (m * l / 2.0),
        second_moment: dyad(&x, &x) * (m * l * l / 3.0),
        mean: vec![x * (m / 2.0), y * (m / 2.0)],
        moments: vec![dyad(&x, &x) * (m * l / 3.0), dyad(&y, &x) * (m * l * 7.0 / 20.0)],
        products: vec![
            dyad(&x, &x) * (m / 3.0),
            dyad(&x, &y) * (m * 7.0 / 20.0),
            dyad(&y, &x) * (m * 7.0 / 20.0),
            dyad(&y, &y) * (m * 13.0 / 35.0),
        ],
    };
    let mut b = SystemBuilder::new(Vec3::zeros());
    let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
    let rot = poinsot_geometry::so3::exp(&(Vec3::z() * angle));
    let frame = b.node("beam", planar(), Frame { r: Vec3::new(1.0, 0.5, 0.0), rot }, still);
    let numbers = [b.number("q1", 0.001, 0.0), b.number("q2", 0.01, 0.0)];
    b.flexible_inertia(FlexibleInertia::new(frame, &numbers, &integrals));
    let system = b.build();
    let state = system.start_state(0.0);
    let order: Vec<usize> =
        [frame, numbers[0], numbers[1]].iter().flat_map(|&node| system.nodes()[node].unknowns()).collect();
    let column = |j: usize| {
        let mut a = vec![0.0; system.size()];
        a[order[j]] = 1.0;
        let mut out = vec![0.0; system.size()];
        system.residual(&instant(&state, &a), &mut out, &mut Scratch::default());
        order.iter().map(|&i| out[i]).collect::<Vec<_>>()
    };
    let expected = [
        ((0, 0), 1.236),
        ((1, 1), 1.236),
        ((0, 2), -0.160161),
        ((1, 2), 0.265047),
        ((0, 3), 0.535204),
        ((0, 4), -0.309),
        ((1, 3), 0.309),
        ((1, 4), 0.535204),
        ((2, 2), 0.1034583),
        ((2, 3), -0.004326),
        ((2, 4), 0.216733),
        ((3, 3), 0.412),
        ((4, 4), 0.459086),
    ];
    for ((i, j), value) in expected {
        let got = column(j)[i];
        assert!((got - value).abs() < 6e-7, "({i}, {j}): {got} for {value}");
        assert!((column(i)[j] - got).abs() < 1e-15);
    }
}
