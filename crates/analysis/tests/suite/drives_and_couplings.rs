//! Driven coordinates of every joint that has one, and couplings of joint coordinates against closed forms.

use crate::mechanisms;

use mechanisms::*;
use poinsot_analysis::*;
use poinsot_expr::SmoothFunction;
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_mechanics::forces::Torque;
use poinsot_mechanics::joints::*;
use poinsot_mechanics::*;
use std::f64::consts::{FRAC_PI_2, PI, TAU};

const LEAD: f64 = 0.4;

/// A joint, if there is one, and its coordinate.
type Made = (Option<Box<dyn Constraint>>, Coordinate);

/// A joint with one of its coordinates.
struct Driven {
    name: &'static str,
    /// The joint, and the coordinate that is driven.
    make: fn(&mut SystemBuilder, &Attachment, &Attachment) -> Made,
    /// The second attachment in the axes of the first.
    place: fn() -> (Vec3, Mat3),
    /// The law, with its value at the start.
    law: &'static str,
    start: f64,
}

/// Several turns, unevenly.
const TURNS: &str = "a + 15*t + 0.4*sin(3*t)";
/// To and fro.
const STROKE: &str = "a + 0.3*sin(4*t) + 0.1*t";

fn skew_rotation() -> Mat3 {
    so3::exp(&Vec3::new(0.7, -0.4, 0.9))
}

fn across() -> Mat3 {
    turn(0.8) * so3::exp(&(Vec3::y() * FRAC_PI_2)) * turn(-0.5)
}

fn driven() -> Vec<Driven> {
    vec![
        Driven {
            name: "revolute angle",
            make: |_, a, b| (Some(Box::new(revolute(a, b))), Coordinate::angle(a, b)),
            place: || (Vec3::zeros(), turn(2.1)),
            law: TURNS,
            start: 2.1,
        },
        Driven {
            name: "revolute angle from the third turn on",
            make: |_, a, b| (Some(Box::new(revolute(a, b))), Coordinate::angle(a, b)),
            place: || (Vec3::zeros(), turn(2.1)),
            law: TURNS,
            start: 2.1 + 2.0 * TAU,
        },
        Driven {
            name: "prismatic displacement",
            make: |_, a, b| (Some(Box::new(prismatic(a, b))), Coordinate::displacement(a, b)),
            place: || (Vec3::z() * 0.6, Mat3::identity()),
            law: STROKE,
            start: 0.6,
        },
        Driven {
            name: "cylindrical displacement",
            make: |_, a, b| (Some(Box::new(cylindrical(a, b))), Coordinate::displacement(a, b)),
            place: || (Vec3::z() * -0.4, turn(-1.3)),
            law: STROKE,
            start: -0.4,
        },
        Driven {
            name: "cylindrical angle",
            make: |_, a, b| (Some(Box::new(cylindrical(a, b))), Coordinate::angle(a, b)),
            place: || (Vec3::z() * -0.4, turn(-1.3)),
            law: TURNS,
            start: -1.3,
        },
        Driven {
            name: "screw angle",
            make: |_, a, b| (Some(Box::new(screw(a, b, LEAD))), Coordinate::angle(a, b)),
            place: || (Vec3::z() * (LEAD / TAU * 1.2), turn(1.2)),
            law: TURNS,
            start: 1.2,
        },
        Driven {
            name: "screw displacement",
            make: |_, a, b| (Some(Box::new(screw(a, b, LEAD))), Coordinate::displacement(a, b)),
            place: || (Vec3::z() * (LEAD / TAU * 1.2), turn(1.2)),
            law: "a + 1.1*t",
            start: LEAD / TAU * 1.2,
        },
        Driven {
            name: "planar angle",
            make: |_, a, b| (Some(Box::new(planar(a, b))), Coordinate::angle(a, b)),
            place: || (Vec3::new(0.5, -0.7, 0.0), turn(2.6)),
            law: TURNS,
            start: 2.6,
        },
        Driven {
            name: "planar displacement",
            make: |_, a, b| (Some(Box::new(planar(a, b))), Coordinate::displacement_along(a, b, 1)),
            place: || (Vec3::new(0.5, -0.7, 0.0), turn(2.6)),
            law: STROKE,
            start: -0.7,
        },
        Driven {
            name: "universal first angle",
            make: |_, a, b| (Some(Box::new(universal(a, b))), Coordinate::first_cross_angle(a, b)),
            place: || (Vec3::zeros(), across()),
            law: TURNS,
            start: 0.8,
        },
        Driven {
            name: "universal second angle",
            make: |_, a, b| (Some(Box::new(universal(a, b))), Coordinate::second_cross_angle(a, b)),
            place: || (Vec3::zeros(), across()),
            law: TURNS,
            start: PI - 0.5,
        },
        Driven {
            name: "distance of two points",
            make: |_, a, b| (None, Coordinate::distance(a, b)),
            place: || (Vec3::new(0.6, -0.3, 0.6), skew_rotation()),
            law: STROKE,
            start: 0.9,
        },
        Driven {
            name: "point on line",
            make: |_, a, b| (Some(Box::new(point_on_line(a, b))), Coordinate::displacement(a, b)),
            place: || (Vec3::z() * 0.45, skew_rotation()),
            law: STROKE,
            start: 0.45,
        },
        Driven {
            name: "point on plane",
            make: |_, a, b| (Some(Box::new(point_on_plane(a, b))), Coordinate::displacement_along(a, b, 0)),
            place: || (Vec3::new(-0.3, 0.4, 0.0), skew_rotation()),
            law: STROKE,
            start: -0.3,
        },
        Driven {
            name: "point on curve",
            make: |b, first, second| {
                let place = b.parameter("place", 0.55);
                let r = ["0.8*cos(s)", "0.5*sin(s)", "0.1*s"].map(|text| {
                    let text = poinsot_expr::Expr::parse(text).unwrap();
                    SmoothFunction::new(&text, &["s"], &|_| None).unwrap()
                });
                (Some(Box::new(point_on_curve(first, second, place, r))), curve_parameter(place))
            },
            place: || (Vec3::new(0.8 * 0.55f64.cos(), 0.5 * 0.55f64.sin(), 0.055), skew_rotation()),
            law: "a + 3*t + 0.2*sin(2*t)",
            start: 0.55,
        },
        Driven {
            name: "place of a ball",
            make: |_, a, b| {
                (Some(Box::new(rolling_ball(a, b, 0.3))), Coordinate::displacement_along(a, b, 0))
            },
            place: || (Vec3::new(0.1, 0.2, 0.3), skew_rotation()),
            law: STROKE,
            start: 0.1,
        },
    ]
}

/// f(t) with the constant a.
fn law_from(text: &str, a: f64) -> SmoothFunction {
    let names = move |name: &str| (name == "a").then_some(a);
    SmoothFunction::new(&poinsot_expr::Expr::parse(text).unwrap(), &["t"], &names).unwrap()
}

struct Rig {
    system: System,
    drive: usize,
    law: SmoothFunction,
    point: Attachment,
}

/// Two bodies in free flight, one coordinate of their joint driven by its value, or by its rate.
fn rig(case: &Driven, by_rate: bool) -> Rig {
    let mut rng = Random(88172645463325252);
    let mut b = SystemBuilder::new(Vec3::zeros());
    let first = Frame { r: rng.vector(), rot: rng.rotation() };
    let (o1, a1, o2, a2) = (rng.vector() * 0.5, rng.rotation(), rng.vector() * 0.5, rng.rotation());
    let (d, turned) = (case.place)();
    let joint = Frame { r: first.r + first.rot * (o1 + a1 * d), rot: first.rot * a1 * turned };
    let rot = joint.rot * a2.transpose();
    let second = Frame { r: joint.r - rot * o2, rot };
    let nodes = [("first", first, 1.7), ("second", second, 0.9)].map(|(name, frame, mass)| {
        let velocity = Twist { linear: rng.vector() * 0.3, angular: rng.vector() * 0.5 };
        let node = b.node(name, Chart::Motion, frame, velocity);
        let principal = rng.rotation();
        let moments = Mat3::from_diagonal(&(Vec3::new(0.21, 0.34, 0.45) * mass));
        let inertia = principal * moments * principal.transpose();
        b.body(Body::new(node, &MassProperties::new(mass, rng.vector() * 0.1, inertia)));
        node
    });
    let ends = [attach(nodes[0], o1, a1), attach(nodes[1], o2, a2)];
    let (joint, coordinate) = (case.make)(&mut b, &ends[0], &ends[1]);
    if let Some(joint) = joint {
        b.constraint("joint", joint);
    }
    let start = case.start;
    let law = law_from(case.law, start);
    let drive = if by_rate {
        let slope = rate_text(case.law);
        drives::coordinate_rate(coordinate.clone(), law_from(slope, start), ends[1].point())
    } else {
        drives::coordinate(coordinate.clone(), law.clone(), ends[1].point()).starting_near(&[start])
    };
    let drive = b.constraint("drive", Box::new(drive));
    b.track(coordinate, start);
    Rig { system: b.build(), drive, law, point: ends[1] }
}

/// The derivative of the laws above, by hand.
fn rate_text(law: &str) -> &'static str {
    match law {
        TURNS => "15 + 1.2*cos(3*t)",
        STROKE => "1.2*cos(4*t) + 0.1",
        "a + 1.1*t" => "1.1",
        "a + 3*t + 0.2*sin(2*t)" => "3 + 0.4*cos(2*t)",
        _ => panic!("no derivative of {law}"),
    }
}

const END: f64 = 2.0;

/// The coordinate follows its law over several turns; the drive's effort times the rate is the growth of the
/// kinetic energy, and the loads of both bodies are equal and opposite.
#[test]
fn coordinates_follow_their_laws() {
    for case in driven() {
        let Rig { mut system, drive, law, point } = rig(&case, false);
        let (state, report) =
            consistent_start(&mut system, 0.0).unwrap_or_else(|e| panic!("{}: {e}", case.name));
        assert!(report.residual.0 < 1e-13 && report.moved.0 < 1e-12, "{}: {report:?}", case.name);
        let mut largest: f64 = 0.0;
        run_from(&mut system, state, default_method(), END, 400, 1, |system, sample| {
            let (at, mut s) = (&sample.at, Scratch::default());
            let what = |what: &str| format!("{}: {what} at {}", case.name, at.t);
            let (value, rate) = system.tracked(0, at, &mut s);
            near(value, law.value(&[at.t]), 1e-12, &what("coordinate"));
            near(rate, law.partial(0, &[at.t]), 1e-11, &what("rate"));
            let z = &at.frames[point.node];
            let p = z.r + z.rot * point.origin;
            let loads = [1, 2].map(|node| newton_euler(system, node, &p, at));
            let motions = [1, 2].map(|node| motion_at(system, node, &p, at));
            near3(&loads[0].force, &-loads[1].force, 1e-11, &what("force"));
            near3(&loads[0].moment, &-loads[1].moment, 1e-11, &what("moment"));
            let growth = loads[0].power(&motions[0]) + loads[1].power(&motions[1]);
            let effort = -system.multiplier(drive, 0, at);
            near(effort * rate, growth, 1e-10, &what("effort times rate"));
            near(system.drive_power(drive, at, &mut s), growth, 1e-10, &what("power of the drive"));
            near(sample.balance.power.supplied, growth, 1e-10, &what("power supplied"));
            largest = largest.max(growth.abs());
            vec![]
        });
        assert!(largest > 0.1, "{}: the drive does nothing", case.name);
    }
}

/// The work of the drive is the change of the energy, to the second order of the method.
#[test]
fn energy_balance_of_drives() {
    for case in driven() {
        let [coarse, fine] = [400, 800].map(|steps| {
            let mut system = rig(&case, false).system;
            let (report, _) = run(&mut system, default_method(), END, steps, 1, |_, _| vec![]);
            assert!(report.audit.supplied.abs() > 0.1, "{}: no work", case.name);
            report.audit.imbalance.value / report.audit.energy_scale
        });
        assert!(fine < 1e-4, "{}: imbalance {fine:.2e}", case.name);
        assert!((order(coarse, fine) - 2.0).abs() < 0.15, "{}: order {:.2}", case.name, order(coarse, fine));
    }
}

/// A prescribed rate holds exactly; the coordinate follows to the second order of the method, over turns too.
#[test]
fn coordinates_follow_their_rates() {
    for case in driven() {
        let [coarse, fine] = [400, 800].map(|steps| {
            let Rig { mut system, drive, law, .. } = rig(&case, true);
            let mut off: f64 = 0.0;
            run(&mut system, default_method(), END, steps, 1, |system, sample| {
                let (at, mut s) = (&sample.at, Scratch::default());
                let (value, rate) = system.tracked(0, at, &mut s);
                near(rate, law.partial(0, &[at.t]), 1e-11, case.name);
                let power = -system.multiplier(drive, 0, at) * rate;
                near(system.drive_power(drive, at, &mut s), power, 1e-10, case.name);
                off = off.max((value - law.value(&[at.t])).abs());
                vec![]
            });
            off
        });
        assert!(fine < 5e-4, "{}: off by {fine:.2e}", case.name);
        assert!((order(coarse, fine) - 2.0).abs() < 0.1, "{}: order {:.2}", case.name, order(coarse, fine));
    }
}

/// A point of a free body led along a circle in skew axes that move: the drive's force is what the body
/// needs, its power what the energy gains.
#[test]
fn driven_point() {
    let mut rng = Random(4242424242);
    let mut b = SystemBuilder::new(Vec3::new(0.0, 0.0, -9.81));
    let axes = rng.rotation();
    let node = rigid(
        &mut b,
        "body",
        axes * Vec3::new(0.5, 0.0, 0.2),
        Mat3::identity(),
        2.0,
        Vec3::new(0.1, 0.2, 0.25),
    );
    let reference = attach(GROUND, Vec3::zeros(), axes);
    let held = attach(node, Vec3::new(0.1, 0.05, -0.1), Mat3::identity());
    let laws = [Some(law("0.5*cos(3*t)")), Some(law("0.5*sin(3*t)")), None];
    let drive = b.constraint("hand", Box::new(drives::point(&reference, &held, laws)));
    let mut system = b.build();
    let (report, _) = run(&mut system, default_method(), 3.0, 600, 1, |system, sample| {
        let (at, mut s) = (&sample.at, Scratch::default());
        let point = system.point_motion(node, &held.origin, at);
        let (place, speed) = (axes.tr_mul(&point.position), axes.tr_mul(&point.velocity));
        let (c, sine) = ((3.0 * at.t).cos(), (3.0 * at.t).sin());
        near(place.x, 0.5 * c, 1e-12, "place");
        near(place.y, 0.5 * sine, 1e-12, "place");
        near(speed.x, -1.5 * sine, 1e-10, "speed");
        near(speed.y, 1.5 * c, 1e-10, "speed");
        let needed = newton_euler(system, node, &point.position, at);
        let reaction = system.reaction(drive, at, &mut s);
        near3(&reaction.force, &needed.force, 1e-10, "force of the hand");
        near3(&reaction.torque, &needed.moment, 1e-10, "torque of the hand");
        near(axes.tr_mul(&reaction.force).z, 0.0, 1e-11, "force along the free axis");
        near(system.drive_power(drive, at, &mut s), reaction.force.dot(&point.velocity), 1e-9, "power");
        vec![]
    });
    assert!(report.audit.imbalance.value < 1e-3 * report.audit.energy_scale, "{:?}", report.audit.imbalance);
}

/// A prescribed angular velocity, in world axes or in axes of the body: the drive's torque is Euler's.
#[test]
fn driven_spin() {
    for own in [false, true] {
        let mut rng = Random(77777);
        let mut b = SystemBuilder::new(Vec3::zeros());
        let node = rigid(&mut b, "body", Vec3::zeros(), rng.rotation(), 2.0, Vec3::new(0.1, 0.2, 0.25));
        let driven = attach(node, Vec3::zeros(), rng.rotation());
        let laws = ["1 + sin(t)", "2*cos(2*t)", "0.5*t"];
        let drive = drives::angular_velocity(&driven, own, laws.map(law));
        let drive = b.constraint("gyro", Box::new(drive));
        let mut system = b.build();
        let (report, _) = run(&mut system, default_method(), 3.0, 600, 1, |system, sample| {
            let (at, mut s) = (&sample.at, Scratch::default());
            let rot = at.frames[node].rot;
            let spin = rot * system.twist(node, at.v).angular;
            let axes = if own { rot * driven.axes } else { Mat3::identity() };
            let wanted = Vec3::new(1.0 + at.t.sin(), 2.0 * (2.0 * at.t).cos(), 0.5 * at.t);
            near3(&axes.tr_mul(&spin), &wanted, 1e-11, "angular velocity");
            let needed = newton_euler(system, node, &at.frames[node].r, at);
            let reaction = system.reaction(drive, at, &mut s);
            near3(&reaction.torque, &needed.moment, 1e-10, "torque");
            near(reaction.force.norm(), 0.0, 1e-12, "force");
            near(system.drive_power(drive, at, &mut s), reaction.torque.dot(&spin), 1e-10, "power");
            vec![]
        });
        assert!(report.audit.supplied.abs() > 0.05);
        assert!(
            report.audit.imbalance.value < 1e-4 * report.audit.energy_scale,
            "{:?}",
            report.audit.imbalance
        );
    }
}

/// Shafts along z that turn about fixed points, their angles and inertias.
struct Shafts {
    builder: SystemBuilder,
    angles: Vec<Coordinate>,
    nodes: Vec<NodeId>,
    pins: Vec<usize>,
}

/// One shaft per inertia, started at the given speeds, each under a constant torque.
fn shafts(inertias: &[f64], speeds: &[f64], torques: &[f64]) -> Shafts {
    let mut b = SystemBuilder::new(Vec3::zeros());
    let (mut angles, mut nodes, mut pins) = (vec![], vec![], vec![]);
    for (k, ((inertia, speed), torque)) in inertias.iter().zip(speeds).zip(torques).enumerate() {
        let r = Vec3::new(k as f64, 0.5 * k as f64, 0.0);
        let spin = Twist { linear: Vec3::zeros(), angular: Vec3::z() * *speed };
        let node = b.node(&format!("shaft {k}"), Chart::Motion, Frame { r, rot: Mat3::identity() }, spin);
        let moments = Mat3::from_diagonal(&(Vec3::new(0.6, 0.7, 1.0) * *inertia));
        b.body(Body::new(node, &MassProperties::new(1.5, Vec3::zeros(), moments)));
        let ends = [attach(GROUND, r, Mat3::identity()), attach(node, Vec3::zeros(), Mat3::identity())];
        pins.push(b.constraint(&format!("bearing {k}"), Box::new(revolute(&ends[0], &ends[1]))));
        let angle = Coordinate::angle(&ends[0], &ends[1]);
        b.track(angle.clone(), 0.0);
        b.force("torque", Box::new(Torque::dead(node, load(Vec3::z() * *torque))));
        angles.push(angle);
        nodes.push(node);
    }
    Shafts { builder: b, angles, nodes, pins }
}

/// The centre of a shaft, where couplings report.
fn centre(node: NodeId) -> Carried {
    Carried::point(node, Vec3::zeros())
}

/// Gear pair of 17 and 43 teeth under a torque on the first shaft, over twenty turns:
/// θ̈₁ = τ/(J₁ + (z₁/z₂)² J₂), θ₂ = ∓(z₁/z₂) θ₁, the wheel's torque is ±z₂/z₁ that of the pinion.
#[test]
fn gear_pair() {
    let (z, j, torque) = ([17.0, 43.0], [0.3, 2.1], 4.0);
    for (internal, sign) in [(false, -1.0), (true, 1.0)] {
        let mut shafts = shafts(&j, &[0.0; 2], &[torque, 0.0]);
        let angles = [shafts.angles[0].clone(), shafts.angles[1].clone()];
        let gear = couplings::gear(angles, z, internal, 0.0, centre(shafts.nodes[1]));
        let gear = shafts.builder.constraint("gear", Box::new(gear));
        let pin = shafts.pins[1];
        let mut system = shafts.builder.build();
        let acceleration = torque / (j[0] + (z[0] / z[1]).powi(2) * j[1]);
        let end = (2.0 * 20.0 * TAU / acceleration).sqrt();
        let (_, rows) = run(&mut system, default_method(), end, 400, 1, |system, sample| {
            let mut s = Scratch::default();
            let mut angle = |k: usize| system.tracked(k, &sample.at, &mut s).0;
            let (first, second) = (angle(0), angle(1));
            let lambda = system.multiplier(gear, 0, &sample.at);
            let on_wheel = system.reaction(gear, &sample.at, &mut s).torque;
            let bearing = system.reaction(pin, &sample.at, &mut s).torque;
            vec![first, second, lambda, on_wheel.z, bearing.z, on_wheel.xy().norm()]
        });
        for (t, row) in &rows {
            near(row[0], 0.5 * acceleration * t * t, 1e-10, "pinion");
            near(row[1], sign * z[0] / z[1] * row[0], 1e-12, "ratio");
            let wheel = sign * z[0] / z[1] * acceleration * j[1];
            let on_pinion = j[0] * acceleration - torque;
            near(row[2], -on_pinion / z[0], 1e-11, "torque per tooth");
            near(row[3], wheel, 1e-11, "torque on the wheel");
            near(row[3], -sign * z[1] / z[0] * on_pinion, 1e-10, "ratio of torques");
            near(row[4].abs() + row[5], 0.0, 1e-11, "torque about the bearing and across");
        }
        near(rows.last().unwrap().1[0], 20.0 * TAU, 1e-9, "twenty turns");
    }
}

/// Planetary gear with a fixed ring: z_r = z_s + 2 z_p; Willis ω_c = ω_s z_s/(z_s + z_r),
/// ω_p = ω_c − (z_s/z_p)(ω_s − ω_c); all accelerations follow from the energy of the whole.
#[test]
fn planetary_gear() {
    let (zs, zp) = (18.0, 27.0);
    let zr = zs + 2.0 * zp;
    let (js, jc, jp, mp, arm, torque) = (0.05, 0.4, 0.02, 0.8, 0.3, 1.5);
    let mut b = SystemBuilder::new(Vec3::zeros());
    let sun = rigid(&mut b, "sun", Vec3::zeros(), Mat3::identity(), 1.0, Vec3::new(0.03, 0.03, js));
    let carrier = rigid(&mut b, "carrier", Vec3::zeros(), Mat3::identity(), 2.0, Vec3::new(0.3, 0.3, jc));
    let planet = rigid(&mut b, "planet", Vec3::x() * arm, Mat3::identity(), mp, Vec3::new(0.01, 0.01, jp));
    let at = |node: NodeId, x: f64| attach(node, Vec3::x() * x, Mat3::identity());
    b.constraint("sun bearing", Box::new(revolute(&at(GROUND, 0.0), &at(sun, 0.0))));
    b.constraint("carrier bearing", Box::new(revolute(&at(GROUND, 0.0), &at(carrier, 0.0))));
    b.constraint("planet bearing", Box::new(revolute(&at(carrier, arm), &at(planet, 0.0))));
    // All angles are those against the carrier, also that of the fixed ring.
    let against = |node: NodeId| Coordinate::angle(&at(carrier, 0.0), &at(node, 0.0));
    let inner = couplings::gear([against(sun), against(planet)], [zs, zp], false, 0.0, centre(planet));
    let outer = couplings::gear([against(GROUND), against(planet)], [zr, zp], true, 0.0, centre(planet));
    let (inner, outer) = (b.constraint("inner", Box::new(inner)), b.constraint("outer", Box::new(outer)));
    for node in [sun, carrier, planet] {
        b.track(Coordinate::angle(&at(GROUND, 0.0), &at(node, 0.0)), 0.0);
    }
    b.force("motor", Box::new(Torque::dead(sun, load(Vec3::z() * torque))));
    let mut system = b.build();

    let c = zs / (zs + zr);
    let p = c - zs / zp * (1.0 - c);
    let sun_acceleration = torque / (js + (jc + mp * arm * arm) * c * c + jp * p * p);
    let end = (2.0 * 20.0 * TAU / sun_acceleration).sqrt();
    let (report, rows) = run(&mut system, default_method(), end, 2000, 20, |system, sample| {
        let mut s = Scratch::default();
        let angles = [0, 1, 2].map(|k| system.tracked(k, &sample.at, &mut s).0);
        let loads = [inner, outer].map(|c| system.multiplier(c, 0, &sample.at));
        let accelerations = [1, 2, 3].map(|k| system.twist(k, sample.at.a).angular.z);
        [&angles[..], &loads[..], &accelerations[..]].concat()
    });
    // J_s α_s + z_s λ₁ = τ,   J_p α_p + z_p λ₁ − z_p λ₂ = 0.
    let first = (torque - js * sun_acceleration) / zs;
    let second = first + jp * p * sun_acceleration / zp;
    for (t, row) in &rows {
        // The planet's centre runs along a circle: its motion is second order, what depends on angles only is
        // exact.
        near(row[1], c * row[0], 1e-11, "carrier");
        near(row[2], p * row[0], 1e-10, "planet");
        near(row[0], 0.5 * sun_acceleration * t * t, 2e-3, "sun");
        near(row[5], sun_acceleration, 1e-9 * sun_acceleration, "acceleration of the sun");
        near(row[6], c * sun_acceleration, 1e-9 * sun_acceleration, "acceleration of the carrier");
        near(row[7], p * sun_acceleration, 1e-9 * sun_acceleration, "acceleration of the planet");
        near(row[3], first, 1e-9 * first, "inner mesh");
        near(row[4], second, 1e-9 * second, "outer mesh");
    }
    assert!(rows.last().unwrap().1[0] > 19.9 * TAU);
    assert!(report.audit.imbalance.value < 1e-3 * report.audit.energy_scale, "{:?}", report.audit.imbalance);
}

/// Rack and pinion: s̈ = r τ/(J + m r²), tooth force −λ = m s̈.
#[test]
fn rack_and_pinion() {
    let (radius, inertia, mass, torque) = (0.07, 0.02, 3.0, 0.9);
    for sign in [1.0, -1.0] {
        let mut shafts = shafts(&[inertia], &[0.0], &[torque]);
        let b = &mut shafts.builder;
        let along = axes_along(&Vec3::x());
        let rack = rigid(b, "rack", Vec3::y() * radius, Mat3::identity(), mass, Vec3::new(0.1, 0.2, 0.3));
        let ends = [attach(GROUND, Vec3::y() * radius, along), attach(rack, Vec3::zeros(), along)];
        b.constraint("guide", Box::new(prismatic(&ends[0], &ends[1])));
        let stroke = Coordinate::displacement(&ends[0], &ends[1]);
        b.track(stroke.clone(), 0.0);
        let angle = shafts.angles[0].clone();
        let mesh = couplings::rack_and_pinion(angle, stroke, sign * radius, 0.0, centre(rack));
        let mesh = b.constraint("mesh", Box::new(mesh));
        let mut system = shafts.builder.build();
        let acceleration = sign * radius * torque / (inertia + mass * radius * radius);
        let (_, rows) = run(&mut system, default_method(), 3.0, 300, 1, |system, sample| {
            let mut s = Scratch::default();
            let [turned, moved] = [0, 1].map(|k| system.tracked(k, &sample.at, &mut s).0);
            let force = system.reaction(mesh, &sample.at, &mut s).force;
            vec![turned, moved, system.multiplier(mesh, 0, &sample.at), force.x, force.yz().norm()]
        });
        for (t, row) in &rows {
            near(row[1], 0.5 * acceleration * t * t, 1e-11, "rack");
            near(row[1], sign * radius * row[0], 1e-12, "ratio");
            near(row[2], -mass * acceleration, 1e-11, "tooth force");
            near(row[3], mass * acceleration, 1e-11, "force on the rack");
            near(row[4], 0.0, 1e-11, "force across");
        }
        assert!(rows.last().unwrap().1[0].abs() > 8.0 * TAU);
    }
}

/// Belt: r₁ θ₁ = ±r₂ θ₂; the difference of the tensions is (τ₁ − J₁ θ̈₁)/r₁.
#[test]
fn belt() {
    let (r, j, torques) = ([0.12, 0.31], [0.2, 0.9], [3.0, -1.2]);
    for (crossed, sign) in [(false, 1.0), (true, -1.0)] {
        let mut shafts = shafts(&j, &[0.0; 2], &torques);
        let angles = [shafts.angles[0].clone(), shafts.angles[1].clone()];
        let belt = couplings::belt(angles, r, crossed, 0.0, centre(shafts.nodes[1]));
        let belt = shafts.builder.constraint("belt", Box::new(belt));
        let mut system = shafts.builder.build();
        let ratio = sign * r[0] / r[1];
        let acceleration = (torques[0] + ratio * torques[1]) / (j[0] + ratio * ratio * j[1]);
        let (_, rows) = run(&mut system, default_method(), 5.0, 500, 1, |system, sample| {
            let mut s = Scratch::default();
            let [first, second] = [0, 1].map(|k| system.tracked(k, &sample.at, &mut s).0);
            vec![first, second, system.multiplier(belt, 0, &sample.at)]
        });
        for (t, row) in &rows {
            near(row[0], 0.5 * acceleration * t * t, 1e-10, "first wheel");
            near(row[1], ratio * row[0], 1e-11, "ratio");
            near(row[2], (torques[0] - j[0] * acceleration) / r[0], 1e-10, "difference of tensions");
        }
    }
}

/// Three shafts in one relation Σ c_i θ_i = c with an offset: λ = Σ c_i τ_i/J_i / Σ c_i²/J_i, J_i θ̈_i = τ_i
/// − c_i λ, from speeds that the relation allows.
#[test]
fn linear_coupling_of_three() {
    let (c, j, torques) = ([1.5, -0.7, 2.2], [0.3, 0.5, 1.1], [2.0, -1.0, 0.4]);
    let (w0, w1) = (3.0, -2.0);
    let speeds = [w0, w1, -(c[0] * w0 + c[1] * w1) / c[2]];
    let mut shafts = shafts(&j, &speeds, &torques);
    let terms = shafts.angles.iter().cloned().zip(c).collect();
    let relation = couplings::linear("differential", terms, 0.0, centre(shafts.nodes[0]));
    let relation = shafts.builder.constraint("differential", Box::new(relation));
    let mut system = shafts.builder.build();
    let lambda = (0..3).map(|i| c[i] * torques[i] / j[i]).sum::<f64>()
        / (0..3).map(|i| c[i] * c[i] / j[i]).sum::<f64>();
    let (_, rows) = run(&mut system, default_method(), 6.0, 600, 1, |system, sample| {
        let mut s = Scratch::default();
        let angles = [0, 1, 2].map(|k| system.tracked(k, &sample.at, &mut s).0);
        [&angles[..], &[system.multiplier(relation, 0, &sample.at)]].concat()
    });
    for (t, row) in &rows {
        for i in 0..3 {
            let acceleration = (torques[i] - c[i] * lambda) / j[i];
            near(row[i], speeds[i] * t + 0.5 * acceleration * t * t, 1e-10, "angle");
        }
        near(row[3], lambda, 1e-11, "load of the coupling");
    }
    assert!(rows.last().unwrap().1[..3].iter().all(|angle| angle.abs() > 3.0 * TAU));
}

/// An offset of the relation is met by the assembly: the gears start a third of a turn apart.
#[test]
fn gear_with_an_offset() {
    let mut shafts = shafts(&[0.3, 2.1], &[0.0; 2], &[1.0, 0.0]);
    let angles = [shafts.angles[0].clone(), shafts.angles[1].clone()];
    let gear = couplings::gear(angles, [3.0, 5.0], false, 4.0, centre(shafts.nodes[1]));
    shafts.builder.constraint("gear", Box::new(gear));
    let mut system = shafts.builder.build();
    let (_, rows) = run(&mut system, default_method(), 5.0, 200, 1, |system, sample| {
        let mut s = Scratch::default();
        [0, 1].map(|k| system.tracked(k, &sample.at, &mut s).0).to_vec()
    });
    // The assembly moves each as its inertia weighs: δ_i ∝ z_i/J_i.
    let lambda = 4.0 / (9.0 / 0.3 + 25.0 / 2.1);
    near(rows[0].1[0], 3.0 / 0.3 * lambda, 1e-12, "first angle of the assembly");
    near(rows[0].1[1], 5.0 / 2.1 * lambda, 1e-12, "second angle of the assembly");
    for (_, row) in &rows {
        near(3.0 * row[0] + 5.0 * row[1], 4.0, 1e-11, "offset");
    }
}
