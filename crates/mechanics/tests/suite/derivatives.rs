//! Exact derivatives of every element against central differences at random states, in every chart.

use crate::random;

use poinsot_expr::{Expr, Function, SmoothFunction};
use poinsot_geometry::{Mat3, Mat6, Vec3, so3};
use poinsot_mechanics::forces::{
    Bushing, CoordinateForce, Governed, Gyrostat, PointForce, Stop, Torque, Turning,
};
use poinsot_mechanics::joints::*;
use poinsot_mechanics::*;
use random::Random;

impl Random {
    fn spd6(&mut self) -> Mat6 {
        let m = Mat6::from_fn(|_, _| self.next());
        m * m.transpose() + Mat6::identity()
    }

    fn function(&mut self, text: &str, arguments: &[&str]) -> Function {
        let c = self.next();
        let names = move |name: &str| (name == "c").then_some(c);
        Function::new(&Expr::parse(text).unwrap(), arguments, &names).unwrap()
    }

    fn load(&mut self) -> [Function; 3] {
        [self.function("c*sin(t)+1", &["t"]), self.function("c", &["t"]), self.function("2*c*t", &["t"])]
    }
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Kind {
    Motion,
    Planar,
    Point,
    PlanarPoint,
}

impl Kind {
    fn is_point(self) -> bool {
        matches!(self, Kind::Point | Kind::PlanarPoint)
    }
}

fn chart(kind: Kind, rot: &Mat3) -> Chart {
    match kind {
        Kind::Motion => Chart::Motion,
        Kind::Point => Chart::Point,
        Kind::PlanarPoint => Chart::PlanarPoint { e1: Vec3::x(), e2: Vec3::y() },
        Kind::Planar => Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: rot.transpose() * Vec3::z() },
    }
}

/// Two bodies of the given kinds, joined by what `join` adds.
fn pair(
    rng: &mut Random,
    kinds: [Kind; 2],
    join: impl Fn(&mut Random, &mut SystemBuilder, Attachment, Attachment),
) -> System {
    let mut b = SystemBuilder::new(rng.vector() * 9.0);
    let mut ends = vec![];
    for (k, kind) in kinds.into_iter().enumerate() {
        let rot = if kind.is_point() { Mat3::identity() } else { rng.rotation() };
        let start = Frame { r: rng.vector() + Vec3::x() * (3.0 * k as f64), rot };
        let velocity = Twist { linear: rng.vector(), angular: rng.vector() * 2.0 };
        let node = b.node(&format!("body{k}"), chart(kind, &rot), start, velocity);
        let inertia = Mat3::from_diagonal(&Vec3::new(1.1, 1.3, 1.6));
        let turn = rng.rotation();
        let properties = MassProperties::new(
            1.5 + rng.next(),
            if kind.is_point() { Vec3::zeros() } else { rng.vector() * 0.3 },
            turn * inertia * turn.transpose(),
        );
        b.body(Body::new(node, &properties));
        let origin = if kind.is_point() { Vec3::zeros() } else { rng.vector() };
        let axes = if kind.is_point() { Mat3::identity() } else { rng.rotation() };
        ends.push(Attachment { node, origin, axes });
    }
    join(rng, &mut b, ends[0], ends[1]);
    b.build()
}

/// The unknowns' entries of all nodes.
fn unknowns(system: &System) -> Vec<usize> {
    system.nodes().iter().flat_map(|n| n.unknowns()).collect()
}

pub(crate) fn moved(system: &System, state: &State, i: usize, step: f64) -> State {
    let mut delta = vec![0.0; system.size()];
    delta[i] = step;
    let mut new = state.clone();
    for ((node, z), out) in system.nodes().iter().zip(&state.frames).zip(&mut new.frames) {
        *out = node.chart.retract(z, &delta[node.unknowns()]);
    }
    new
}

/// Compares the assembled matrix with differences of the residual and of the constraints.
pub(crate) fn check(system: &System, rng: &mut Random, label: &str) {
    let n = system.size();
    let state = system.start_state(0.7);
    let a: Vec<f64> = (0..n).map(|_| rng.next() * 3.0).collect();
    let identity = vec![Mat3::identity(); system.nodes().len()];
    let mut s = Scratch::default();
    let (c_weight, k_weight, gamma) = (0.7, 0.4, 0.3);
    let at = |state: &State| -> Vec<f64> {
        let mut out = vec![0.0; n];
        let at = Instant {
            t: state.t,
            frames: &state.frames,
            v: &state.v,
            a: &a,
            memory: &state.memory,
            rates: &[],
        };
        let mut s = Scratch::default();
        system.residual(&at, &mut out, &mut s);
        out
    };
    let rows = |state: &State, rate: bool| -> Vec<f64> {
        let mut out = vec![0.0; n];
        let at = Instant {
            t: state.t,
            frames: &state.frames,
            v: &state.v,
            a: &a,
            memory: &state.memory,
            rates: &[],
        };
        let mut s = Scratch::default();
        if rate {
            system.constraint_rate(&at, &mut out, &mut s);
        } else {
            system.constraint_residual(&at, &mut out, &mut s);
        }
        out
    };
    let instant =
        Instant { t: state.t, frames: &state.frames, v: &state.v, a: &a, memory: &state.memory, rates: &[] };
    let mut at_level = |level| {
        let mut values = vec![0.0; system.pattern().nnz()];
        let lin = Linearization {
            stage: instant,
            stage_tangent: &identity,
            end: instant,
            end_tangent: &identity,
            mass: 1.0,
            damping: c_weight,
            stiffness: k_weight,
            level,
            gamma,
            networks: true,
            pressed: true,
        };
        system.step_matrix(&lin, &mut values, &mut s);
        values
    };
    let position = at_level(Level::Position);
    let velocity = at_level(Level::Velocity);
    let entry = |values: &[f64], i, j| system.pattern().index(i, j).map_or(0.0, |k| values[k]);
    let e = 1e-5;
    let all = unknowns(system);
    let pressed = system.is_pressed();
    let by_multiplier: std::collections::HashMap<usize, Vec<f64>> = system
        .constraint_equations()
        .into_iter()
        .map(|i| {
            let side = |step: f64| {
                let mut pressed = a.clone();
                pressed[i] += step;
                let mut out = vec![0.0; n];
                system.residual(&Instant { a: &pressed, ..instant }, &mut out, &mut Scratch::default());
                out
            };
            let (plus, minus) = (side(e), side(-e));
            (i, plus.iter().zip(&minus).map(|(p, m)| (p - m) / (2.0 * e)).collect())
        })
        .collect();
    for &j in &all {
        let (plus, minus) = (moved(system, &state, j, e), moved(system, &state, j, -e));
        let mut faster = state.clone();
        faster.v[j] += e;
        let mut slower = state.clone();
        slower.v[j] -= e;
        let (rp, rm, vp, vm) = (at(&plus), at(&minus), at(&faster), at(&slower));
        // The mass matrix: the residual is linear in a.
        let mut unit = a.clone();
        unit[j] += 1.0;
        let mut mass = vec![0.0; n];
        let heavier = Instant { a: &unit, ..instant };
        system.residual(&heavier, &mut mass, &mut Scratch::default());
        let base = at(&state);
        for &i in &all {
            let expected = mass[i] - base[i]
                + c_weight * (vp[i] - vm[i]) / (2.0 * e)
                + k_weight * (rp[i] - rm[i]) / (2.0 * e);
            let got = entry(&position, i, j);
            let scale = 1.0 + expected.abs();
            assert!(
                (got - expected).abs() < 2e-7 * scale,
                "{label}: {} by {}: {got} instead of {expected}",
                system.equation_name(i),
                system.equation_name(j)
            );
        }
        let (gp, gm) = (rows(&plus, false), rows(&minus, false));
        let (dp, dm) = (rows(&plus, true), rows(&minus, true));
        let (fp, fm) = (rows(&faster, true), rows(&slower, true));
        for i in system.constraint_equations() {
            let g = (fp[i] - fm[i]) / (2.0 * e);
            let d = (dp[i] - dm[i]) / (2.0 * e);
            let expected = g + gamma * d;
            let near = |got: f64, expected: f64| (got - expected).abs() < 1e-7 * (1.0 + expected.abs());
            let pushed = by_multiplier[&i][j];
            assert!(near(entry(&position, j, i), pushed), "{label}: ∂R/∂λ");
            assert!(pressed || near(pushed, g), "{label}: Gᵀ");
            assert!(near(entry(&velocity, i, j), expected), "{label}: ∂(rate)/∂q");
            if system.velocity_equations().contains(&i) {
                assert!(near(entry(&position, i, j), expected), "{label}: ∂(rate)/∂q of a velocity row");
            } else {
                assert!(near(entry(&position, i, j), g), "{label}: G");
                assert!(near((gp[i] - gm[i]) / (2.0 * e), g), "{label}: ∂Φ/∂q");
            }
        }
    }
    check_levels(system, &state, &a, label);
}

/// Rates against differences of Φ, and their derivatives against differences of the rates, along a motion
/// with the given velocity and acceleration.
fn check_levels(system: &System, state: &State, a: &[f64], label: &str) {
    let n = system.size();
    let levels = |t: f64| {
        let mut moved = State { t: state.t + t, ..state.clone() };
        let mut delta = vec![0.0; n];
        for &i in &unknowns(system) {
            delta[i] = t * state.v[i] + 0.5 * t * t * a[i];
            moved.v[i] += t * a[i];
        }
        for (k, node) in system.nodes().iter().enumerate() {
            let range = node.unknowns();
            moved.frames[k] = node.chart.retract(&state.frames[k], &delta[range.clone()]);
            if node.chart == Chart::Motion {
                // The increments' rate and the angular velocity differ by the tangent of the retraction.
                let turn = &mut moved.v[range.clone()][3..];
                let omega = node.chart.tangent(&delta[range]) * Vec3::new(turn[0], turn[1], turn[2]);
                turn.copy_from_slice(omega.as_slice());
            }
        }
        let at =
            Instant { t: moved.t, frames: &moved.frames, v: &moved.v, a, memory: &state.memory, rates: &[] };
        let (mut phi, mut rate) = (vec![0.0; n], vec![0.0; n]);
        system.constraint_levels(&at, &mut phi, &mut rate, &mut Scratch::default());
        (phi, rate)
    };
    let e = 1e-4;
    let sides = [levels(e), levels(-e), levels(2.0 * e), levels(-2.0 * e)];
    let at = Instant { t: state.t, frames: &state.frames, v: &state.v, a, memory: &state.memory, rates: &[] };
    let (mut rate, mut acceleration) = (vec![0.0; n], vec![0.0; n]);
    system.constraint_rate(&at, &mut rate, &mut Scratch::default());
    system.constraint_acceleration(&at, &mut acceleration, &mut Scratch::default());
    let on_velocities = system.velocity_equations();
    for i in system.constraint_equations() {
        // Fourth-order differences.
        let slope = |[p, m, pp, mm]: [f64; 4]| (8.0 * (p - m) - (pp - mm)) / (12.0 * e);
        let first = slope(sides.each_ref().map(|(phi, _)| phi[i]));
        let holds = on_velocities.contains(&i) || (rate[i] - first).abs() < 1e-7 * (1.0 + first.abs());
        assert!(holds, "{label}: {}: Φ̇ = {} instead of {first}", system.equation_name(i), rate[i]);
        let second = slope(sides.each_ref().map(|(_, rate)| rate[i]));
        let holds = (acceleration[i] - second).abs() < 1e-7 * (1.0 + second.abs());
        assert!(holds, "{label}: {}: {} instead of {second}", system.equation_name(i), acceleration[i]);
    }
}

const FRAMES: [[Kind; 2]; 4] = [
    [Kind::Motion, Kind::Motion],
    [Kind::Motion, Kind::Planar],
    [Kind::Planar, Kind::Planar],
    [Kind::Planar, Kind::Motion],
];

#[test]
fn joints() {
    type Make = fn(&Attachment, &Attachment) -> Joint;
    let library: [(&str, Make); 7] = [
        ("fixed", fixed),
        ("spherical", spherical),
        ("revolute", revolute),
        ("prismatic", prismatic),
        ("cylindrical", cylindrical),
        ("planar", planar),
        ("universal", universal),
    ];
    let mut rng = Random(0x9e3779b97f4a7c15);
    for (name, make) in library {
        for kinds in FRAMES {
            for _ in 0..4 {
                let system = pair(&mut rng, kinds, |_, b, first, second| {
                    b.constraint(name, Box::new(make(&first, &second)));
                    let ground = Attachment { node: GROUND, ..first };
                    b.constraint("to ground", Box::new(make(&ground, &second)));
                });
                check(&system, &mut rng, name);
            }
        }
    }
}

pub(crate) fn smooth(text: &str) -> SmoothFunction {
    SmoothFunction::new(&Expr::parse(text).unwrap(), &["t"], &|_| None).unwrap()
}

/// A function of one argument under another name.
fn curve(text: &str) -> SmoothFunction {
    SmoothFunction::new(&Expr::parse(text).unwrap(), &["s"], &|_| None).unwrap()
}

#[test]
fn joints_of_equations() {
    type Make = fn(&Attachment, &Attachment) -> Box<dyn Constraint>;
    let library: [(&str, Make); 9] = [
        ("screw", |a, b| Box::new(screw(a, b, 0.3))),
        ("point on line", |a, b| Box::new(point_on_line(a, b))),
        ("point on plane", |a, b| Box::new(point_on_plane(a, b))),
        ("constant velocity", |a, b| Box::new(constant_velocity(a, b))),
        ("rolling disk", |a, b| Box::new(rolling_disk(a, b, 0.4))),
        ("rolling ball", |a, b| Box::new(rolling_ball(a, b, 0.4))),
        ("knife edge", |a, b| Box::new(knife_edge(a, b))),
        ("angular velocity", |a, b| {
            let laws = || [smooth("sin(t)"), smooth("t^2"), smooth("1")];
            let own = Box::new(drives::angular_velocity(b, true, laws()));
            Box::new(Composite::new("both", vec![own, Box::new(drives::angular_velocity(a, false, laws()))]))
        }),
        ("point", |a, b| {
            Box::new(drives::point(a, b, [Some(smooth("sin(3*t)")), None, Some(smooth("t^3"))]))
        }),
    ];
    let mut rng = Random(0x7c0ffee123456789);
    for (name, make) in library {
        for kinds in FRAMES {
            for _ in 0..4 {
                let system = pair(&mut rng, kinds, |_, b, first, second| {
                    b.constraint(name, make(&first, &second));
                    let ground = Attachment { node: GROUND, ..first };
                    b.constraint("to ground", make(&ground, &second));
                });
                check(&system, &mut rng, name);
            }
        }
    }
}

#[test]
fn point_on_a_curve() {
    let mut rng = Random(0x0ddba11cafef00d5);
    for kinds in [FRAMES[0], FRAMES[1], FRAMES[2], [Kind::Motion, Kind::Point]] {
        for _ in 0..4 {
            let system = pair(&mut rng, kinds, |_, b, first, second| {
                let curve = [curve("cos(s)"), curve("sin(2*s) + s"), curve("exp(0.3*s)")];
                let place = b.parameter("place", 0.4);
                b.constraint("cam", Box::new(point_on_curve(&first, &second, place, curve)));
            });
            check(&system, &mut rng, "point on curve");
        }
    }
}

#[test]
fn couplings_and_drives_of_coordinates() {
    let mut rng = Random(0xabcdef0123456789);
    let all = [
        Coordinate::distance,
        Coordinate::displacement,
        Coordinate::angle,
        Coordinate::first_cross_angle,
        Coordinate::second_cross_angle,
    ];
    for kinds in FRAMES {
        for make in all {
            let system = pair(&mut rng, kinds, |_, b, first, second| {
                let at = second.point();
                let s = make(&first, &second);
                b.constraint("drive", Box::new(drives::coordinate(s.clone(), smooth("sin(2*t) + t^2"), at)));
                b.constraint("rate", Box::new(drives::coordinate_rate(s.clone(), smooth("cos(t)"), at)));
                let other = Coordinate::displacement_along(&first, &second, 1);
                b.constraint(
                    "coupling",
                    Box::new(couplings::linear("linear", vec![(s, 2.0), (other, -0.7)], 0.3, at)),
                );
            });
            check(&system, &mut rng, "coupling");
        }
    }
}

/// Rows from expressions of coordinates, speeds and time, with all their mixed derivatives.
#[test]
fn equations_from_expressions() {
    let mut rng = Random(0x1357924680acebdf);
    for kinds in FRAMES {
        for _ in 0..4 {
            let system = pair(&mut rng, kinds, |_, b, first, second| {
                let coordinates = vec![
                    Coordinate::angle(&first, &second),
                    Coordinate::component(second.point(), 1),
                    Coordinate::Cosine([first.axis(0), second.axis(2)]),
                ];
                let speeds = vec![
                    Speed::Rate(Coordinate::distance(&first, &second)),
                    Speed::Projection([first.axis(1), second.point()]),
                    Speed::spin(second.node, first.axis(0)),
                ];
                let law = |text: &str, arguments: &[&str]| {
                    let expr = Expr::parse(text).unwrap();
                    Law::Expression(SmoothFunction::new(&expr, arguments, &|_| None).unwrap())
                };
                let holonomic = Equation::holonomic(
                    "position",
                    3,
                    law("sin(a)*y*t + c^2*y + a*c", &["a", "y", "c", "t"]),
                );
                let velocity = Equation {
                    name: "velocity",
                    coordinates: vec![0, 1],
                    speeds: vec![0, 1, 2],
                    law: law("y^2*u*cos(t) + sin(a)*v + a*y*w + t*y", &["a", "y", "u", "v", "w", "t"]),
                };
                let rows = vec![holonomic, velocity];
                let user = Equations::try_new("user", coordinates, speeds, rows, second.point()).unwrap();
                b.constraint("user", Box::new(user));
            });
            check(&system, &mut rng, "equations");
        }
    }
}

#[test]
fn friction_that_the_reaction_presses() {
    let mut rng = Random(0x5eed5eed5eed5eed);
    for kinds in FRAMES {
        for _ in 0..4 {
            let system = pair(&mut rng, kinds, |rng, b, first, second| {
                let joint = b.constraint("pin", Box::new(revolute(&first, &second)));
                let law = Friction {
                    coordinate: Coordinate::angle(&first, &second),
                    weights: [1.0, 1.0, 1.0, 2.5, 2.5, 0.0],
                    static_coefficient: 0.3,
                    dynamic_coefficient: 0.2,
                    stribeck: 0.7 + 0.1 * rng.next(),
                    transition: 0.9,
                    lever: 0.2,
                    viscous: 0.05,
                    preload: 3.0,
                };
                b.friction(joint, law);
            });
            check(&system, &mut rng, "friction");
        }
    }
}

#[test]
fn stops() {
    let mut rng = Random(0x600dcafe600dcafe);
    for kinds in FRAMES {
        for (lower, upper) in [(-9.0, -8.0), (8.0, 9.0)] {
            let system = pair(&mut rng, kinds, |_, b, first, second| {
                let coordinate = Coordinate::displacement(&first, &second);
                b.force("stop", Box::new(Stop { coordinate, lower, upper, stiffness: 20.0, damping: 0.02 }));
            });
            check(&system, &mut rng, "stop");
        }
    }
}

#[test]
fn distance_between_points_and_frames() {
    let mut rng = Random(0xda3e39cb94b95bdb);
    let pairs = [
        [Kind::Point, Kind::Motion],
        [Kind::Point, Kind::Point],
        [Kind::Motion, Kind::Planar],
        [Kind::PlanarPoint, Kind::Planar],
        [Kind::PlanarPoint, Kind::PlanarPoint],
    ];
    for kinds in pairs {
        for _ in 0..4 {
            let system = pair(&mut rng, kinds, |_, b, first, second| {
                b.constraint("rod", Box::new(distance(&first, &second, 2.0)));
            });
            check(&system, &mut rng, "distance");
        }
    }
}

#[test]
fn forces_along_coordinates() {
    let mut rng = Random(0x853c49e6748fea9b);
    for kinds in FRAMES {
        for _ in 0..4 {
            let coordinates = [Coordinate::distance, Coordinate::displacement, Coordinate::angle];
            for make in coordinates {
                let system = pair(&mut rng, kinds, |rng, b, first, second| {
                    let law = rng.function("c*s^2 + 0.3*sin(t)*r*s", &["t", "s", "r"]);
                    let element = CoordinateForce {
                        coordinate: make(&first, &second),
                        stiffness: 2.0,
                        damping: 0.6,
                        free: 0.4,
                        law: Some(law),
                    };
                    b.force("element", Box::new(element));
                });
                check(&system, &mut rng, "coordinate force");
            }
        }
    }
}

#[test]
fn loads() {
    let mut rng = Random(0xc6a4a7935bd1e995);
    for kinds in FRAMES {
        for _ in 0..4 {
            let system = pair(&mut rng, kinds, |rng, b, first, second| {
                b.force("dead", Box::new(PointForce::dead(first.node, first.origin, rng.load())));
                let follower = PointForce::follower(first.node, first.origin, &first.axes, rng.load());
                b.force("follower", Box::new(follower));
                b.force("torque", Box::new(Torque::dead(second.node, rng.load())));
                let follower = Torque::follower(second.node, &second.axes, rng.load());
                b.force("follower torque", Box::new(follower));
            });
            check(&system, &mut rng, "loads");
        }
    }
}

/// Everything that a law can read of two bodies.
fn readings(first: &Attachment, second: &Attachment) -> Vec<Reading> {
    let coordinates = [
        Coordinate::distance(first, second),
        Coordinate::displacement(first, second),
        Coordinate::angle(first, second),
        Coordinate::first_cross_angle(first, second),
        Coordinate::second_cross_angle(first, second),
        Coordinate::component(second.point(), 1),
        Coordinate::component(first.axis(0), 2),
        Coordinate::Cosine([first.axis(1), second.axis(2)]),
    ];
    let speeds = coordinates.iter().cloned().map(Speed::Rate).chain([
        Speed::Projection([first.axis(0), second.point()]),
        Speed::spin(second.node, second.axis(1)),
        Speed::spin(first.node, Carried::direction(GROUND, Vec3::z())),
    ]);
    let speeds: Vec<Reading> = speeds.map(Reading::Speed).collect();
    coordinates.into_iter().map(Reading::Coordinate).chain(speeds).collect()
}

/// Each kind of element with inputs × each kind of reading.
#[test]
fn laws_of_the_state() {
    let mut rng = Random(0x51a7_e1a5);
    let anywhere = Attachment { node: GROUND, origin: Vec3::zeros(), axes: Mat3::identity() };
    for kinds in FRAMES {
        for read in 0..readings(&anywhere, &anywhere).len() {
            let system = pair(&mut rng, kinds, |rng, b, first, second| {
                let zero = || [0.0; 3].map(Function::constant);
                let spring = |coordinate| CoordinateForce {
                    coordinate,
                    stiffness: 2.0,
                    damping: 0.3,
                    free: 0.4,
                    law: None,
                };
                let elements: [Box<dyn Force>; 7] = [
                    Box::new(PointForce::dead(first.node, first.origin, zero())),
                    Box::new(PointForce::follower(first.node, first.origin, &first.axes, zero())),
                    Box::new(Torque::dead(second.node, zero())),
                    Box::new(Torque::follower(second.node, &second.axes, zero())),
                    Box::new(spring(Coordinate::distance(&first, &second))),
                    Box::new(spring(Coordinate::angle(&first, &second))),
                    Box::new(Bushing::new(&first, &second, Mat6::identity(), Mat6::identity() * 0.1)),
                ];
                for element in elements {
                    let all = readings(&first, &second);
                    let other = all[(read + 5) % all.len()].clone();
                    let laws = ["c*r^2*sin(o) + t", "r*o", "c*cos(r)", "o^2", "r - o", "c*r*t"];
                    let inputs = element.extensions().input.unwrap().inputs();
                    let laws = laws[..inputs].iter().map(|law| rng.function(law, &["t", "r", "o"]));
                    let efforts: Vec<Function> = laws.collect();
                    let law = Governed::new(element, vec![all[read].clone(), other], &efforts).unwrap();
                    b.force("law", Box::new(law));
                }
            });
            check(&system, &mut rng, &format!("law of reading {read}"));
        }
    }
}

fn is_angle(reading: &Reading) -> bool {
    matches!(
        reading,
        Reading::Coordinate(Coordinate::Angle(_)) | Reading::Speed(Speed::Rate(Coordinate::Angle(_)))
    )
}

/// Laws that read everything there is, some of it twice: coordinates with their rates, in any order. There is
/// no limit to their number.
#[test]
fn laws_that_read_much() {
    let mut rng = Random(0x3a0d_71e5);
    for (kinds, stiffness) in FRAMES.into_iter().flat_map(|kinds| [(kinds, 0.0), (kinds, 2.0)]) {
        let system = pair(&mut rng, kinds, |rng, b, first, second| {
            let coordinate = Coordinate::distance(&first, &second);
            let spring = CoordinateForce { coordinate, stiffness, damping: 0.0, free: 0.4, law: None };
            let zero = [0.0; 3].map(Function::constant);
            let elements: [Box<dyn Force>; 2] =
                [Box::new(spring), Box::new(PointForce::dead(first.node, first.origin, zero))];
            for element in elements {
                // The sum of all angles is too curved for differences.
                let pairs = [(&first, &second), (&second, &first), (&first, &second)];
                let all = pairs.iter().flat_map(|(one, other)| readings(one, other));
                let all: Vec<Reading> = all.filter(|reading| !is_angle(reading)).collect();
                assert!(all.len() > 36);
                let names: Vec<String> = (0..all.len()).map(|j| format!("r{j}")).collect();
                let arguments: Vec<&str> =
                    ["t"].into_iter().chain(names.iter().map(String::as_str)).collect();
                let inputs = element.extensions().input.unwrap().inputs();
                let term = |i: usize| move |(j, name): (usize, &String)| format!("c*sin({name} + {})", i + j);
                let laws = (0..inputs).map(|i| {
                    let terms: Vec<String> = names.iter().enumerate().skip(7 * i).map(term(i)).collect();
                    rng.function(&terms.join(" + "), &arguments)
                });
                let efforts: Vec<Function> = laws.collect();
                b.force("law", Box::new(Governed::new(element, all, &efforts).unwrap()));
            }
        });
        check(&system, &mut rng, "law of many readings");
    }
}

/// What can be read of a constraint: a multiplier, and forces and torques along directions of the world, of a
/// body and of a line.
fn reaction_parts(first: &Attachment, second: &Attachment, row: usize) -> Vec<ReactionPart> {
    let world = ReadDirection::Carried(Carried::direction(GROUND, Vec3::new(0.6, 0.0, 0.8)));
    let own = ReadDirection::Carried(Carried::direction(first.node, first.axes.column(0).into_owned()));
    let line = ReadDirection::Line(first.point(), second.point());
    let along = [world, own, line];
    let forces = along.map(ReactionPart::Force).into_iter().chain(along.map(ReactionPart::Torque));
    forces.chain([ReactionPart::Multiplier { row, factor: -1.3 }]).collect()
}

/// Laws that read reactions: each part × joints of many kinds, also one that the law does not act on.
#[test]
fn laws_of_reactions() {
    type Make = fn(&Attachment, &Attachment) -> Box<dyn Constraint>;
    let library: [(&str, Make); 7] = [
        ("revolute", |a, b| Box::new(revolute(a, b))),
        ("prismatic", |a, b| Box::new(prismatic(a, b))),
        ("universal", |a, b| Box::new(universal(a, b))),
        ("distance", |a, b| Box::new(distance(a, b, 0.7))),
        ("point on plane", |a, b| Box::new(point_on_plane(a, b))),
        ("rolling ball", |a, b| Box::new(rolling_ball(a, b, 0.4))),
        ("screw", |a, b| Box::new(screw(a, b, 0.3))),
    ];
    let mut rng = Random(0x4eac_7104_5001);
    for (name, make) in library {
        for kinds in FRAMES {
            for part in 0..7 {
                let system = pair(&mut rng, kinds, |rng, b, first, second| {
                    let ground = Attachment { node: GROUND, ..first };
                    let joint = b.constraint(name, make(&first, &second));
                    let other = b.constraint("other", Box::new(spherical(&ground, &second)));
                    let read = |b: &SystemBuilder, c: usize, row: usize| {
                        let part = reaction_parts(&first, &second, row)[part];
                        ReactionReading::new(c, b.constraint_law(c), part)
                    };
                    let zero = || [0.0; 3].map(Function::constant);
                    let spring = CoordinateForce {
                        coordinate: Coordinate::distance(&first, &second),
                        stiffness: 2.0,
                        damping: 0.3,
                        free: 0.4,
                        law: None,
                    };
                    let elements: [Box<dyn Force>; 3] = [
                        Box::new(PointForce::follower(first.node, first.origin, &first.axes, zero())),
                        Box::new(Torque::dead(first.node, zero())),
                        Box::new(spring),
                    ];
                    for element in elements {
                        let reactions = vec![read(b, joint, 0), read(b, other, 2)];
                        let speed = Reading::Speed(Speed::Rate(Coordinate::distance(&first, &second)));
                        let laws = ["c*p*q + p^2*v", "c*sin(p) + q*t", "p*v - q^2"];
                        let inputs = element.extensions().input.unwrap().inputs();
                        let laws = laws[..inputs].iter();
                        let efforts: Vec<Function> =
                            laws.map(|law| rng.function(law, &["t", "v", "p", "q"])).collect();
                        let law = Governed::pressed(element, vec![speed], reactions, &efforts).unwrap();
                        b.force("law", Box::new(law));
                    }
                });
                check(&system, &mut rng, &format!("law of reaction {part} of {name}"));
            }
        }
    }
}

/// Inertia forces of a turning frame on bodies with an eccentric centre of mass, on points and on what
/// couples nodes.
#[test]
fn turning_frame_and_gyrostat() {
    let mut rng = Random(0x7a11_f4a3_e000_0001);
    let points = [[Kind::Point, Kind::Motion], [Kind::PlanarPoint, Kind::Planar]];
    for kinds in FRAMES.into_iter().chain(points) {
        for _ in 0..4 {
            let system = pair(&mut rng, kinds, |rng, b, first, second| {
                b.turning(Turning { rate: rng.vector() * 3.0, centre: rng.vector() });
                b.force(
                    "gyrostat",
                    Box::new(Gyrostat::new(second.node, &second.axes.column(2).into(), 1.7, rng.vector())),
                );
                let ends = [first, second].map(|end| Carried::point(end.node, end.origin));
                b.inertia(Inertia::new(ends.to_vec(), |i, j| if i == j { 0.8 } else { 0.3 }));
            });
            check(&system, &mut rng, "turning frame and gyrostat");
        }
    }
}

#[test]
fn bushing() {
    let mut rng = Random(0x2545f4914f6cdd1d);
    for kinds in FRAMES {
        for _ in 0..6 {
            let system = pair(&mut rng, kinds, |rng, b, first, second| {
                // Keep the relative rotation well below π, where the rotation vector is smooth.
                let turn = so3::exp(&(rng.vector() * 0.8));
                let axes = b.start(second.node).rot.transpose() * b.start(first.node).rot * first.axes * turn;
                let second = Attachment { axes, ..second };
                b.force("bushing", Box::new(Bushing::new(&first, &second, rng.spd6(), rng.spd6())));
            });
            check(&system, &mut rng, "bushing");
        }
    }
}

/// A force with a potential is its negative gradient, and its power is the rate of work.
#[test]
fn potentials() {
    let mut rng = Random(0x1234567890abcdef);
    for _ in 0..6 {
        let system = pair(&mut rng, [Kind::Motion, Kind::Motion], |rng, b, first, second| {
            let axes = b.start(second.node).rot.transpose() * b.start(first.node).rot * first.axes;
            let turned = Attachment { axes: axes * so3::exp(&(rng.vector() * 0.7)), ..second };
            b.force("bushing", Box::new(Bushing::new(&first, &turned, rng.spd6(), Mat6::zeros())));
            b.turning(Turning { rate: rng.vector() * 2.0, centre: rng.vector() });
            b.force("gyrostat", Box::new(Gyrostat::new(first.node, &Vec3::z(), 2.0, rng.vector())));
            for make in [Coordinate::distance, Coordinate::angle] {
                let coordinate = make(&first, &second);
                let element =
                    CoordinateForce { coordinate, stiffness: 3.0, damping: 0.0, free: 0.2, law: None };
                b.force("spring", Box::new(element));
            }
        });
        let n = system.size();
        let zero = vec![0.0; n];
        let mut still = system.start_state(0.0);
        still.v.fill(0.0);
        let potential = |state: &State| {
            let at = Instant {
                t: 0.0,
                frames: &state.frames,
                v: &state.v,
                a: &zero,
                memory: &state.memory,
                rates: &[],
            };
            system.balance(&at, &mut Scratch::default()).potential
        };
        let mut residual = vec![0.0; n];
        let at =
            Instant { t: 0.0, frames: &still.frames, v: &zero, a: &zero, memory: &still.memory, rates: &[] };
        system.residual(&at, &mut residual, &mut Scratch::default());
        let e = 1e-5;
        for i in unknowns(&system) {
            let slope = (potential(&moved(&system, &still, i, e))
                - potential(&moved(&system, &still, i, -e)))
                / (2.0 * e);
            assert!((slope - residual[i]).abs() < 1e-6 * (1.0 + slope.abs()), "{slope} {}", residual[i]);
        }
    }
}

/// gs4-isochronous-integrators V-19: the rows and the angle that joints are made of agree with differences to
/// 2e-10.
#[test]
fn rows_of_joints_to_ten_digits() {
    let mut rng = Random(0x19_19_19_19_19_19_19_19);
    let angle = |first: &Attachment, second: &Attachment| {
        let s = Coordinate::angle(first, second);
        Box::new(drives::coordinate(s, smooth("0.3*t"), second.point())) as Box<dyn Constraint>
    };
    type Make<'a> = &'a dyn Fn(&Attachment, &Attachment) -> Box<dyn Constraint>;
    let library: [(&str, Make); 5] = [
        ("COINC", &|a, b| Box::new(spherical(a, b))),
        ("COINC and DOT1", &|a, b| Box::new(revolute(a, b))),
        ("DOT1 and DOT2", &|a, b| Box::new(prismatic(a, b))),
        ("DOT2", &|a, b| Box::new(planar(a, b))),
        ("ANGLE", &angle),
    ];
    for (name, make) in library {
        for _ in 0..20 {
            let system = pair(&mut rng, FRAMES[0], |_, b, first, second| {
                b.constraint(name, make(&first, &second));
            });
            let state = system.start_state(0.7);
            let phi = |state: &State| {
                let zero = vec![0.0; system.size()];
                let mut out = zero.clone();
                let at = Instant {
                    t: state.t,
                    frames: &state.frames,
                    v: &state.v,
                    a: &zero,
                    memory: &state.memory,
                    rates: &[],
                };
                system.constraint_residual(&at, &mut out, &mut Scratch::default());
                out
            };
            let zero = vec![0.0; system.size()];
            let at = Instant {
                t: state.t,
                frames: &state.frames,
                v: &state.v,
                a: &zero,
                memory: &state.memory,
                rates: &[],
            };
            let mut values = vec![0.0; system.pattern().nnz()];
            system.kinematic_matrix(&at, 1.0, &mut values, &mut Scratch::default());
            let e = 1e-3;
            for j in unknowns(&system) {
                let sides = [1.0, -1.0, 2.0, -2.0, 3.0, -3.0].map(|k| phi(&moved(&system, &state, j, k * e)));
                for i in system.constraint_equations() {
                    // Sixth-order differences.
                    let [a, b, c] = [0, 2, 4].map(|k| sides[k][i] - sides[k + 1][i]);
                    let expected = (45.0 * a - 9.0 * b + c) / (60.0 * e);
                    let got = system.pattern().index(i, j).map_or(0.0, |slot| values[slot]);
                    let error = (got - expected).abs() / (1.0 + expected.abs());
                    assert!(error < 2e-10, "{name}: {got} instead of {expected}, off by {error:e}");
                }
            }
        }
    }
}
