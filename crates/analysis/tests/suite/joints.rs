//! Every joint between two free bodies: what it leaves free, what it transmits, what it conserves.
//!
//! The joints are placed by an independent description: the frame of the second attachment relative to the
//! first, and the relative motions that are possible there. Nothing of the joints' equations is used.

use crate::mechanisms;

use mechanisms::*;
use poinsot_analysis::*;
use poinsot_geometry::{Mat3, Vec3, Vec6, so3};
use poinsot_integrators::{Method, Procedure};
use poinsot_mechanics::joints::*;
use poinsot_mechanics::*;
use std::f64::consts::{FRAC_PI_2, TAU};

/// A possible relative motion: velocity of the second body, seen from the first, at the second origin;
/// angular velocity.
type Freedom = (Vec3, Vec3);

/// The world frames of both attachments.
struct Ends {
    x1: Vec3,
    u: Mat3,
    x2: Vec3,
    w: Mat3,
}

impl Ends {
    fn axis1(&self, k: usize) -> Vec3 {
        self.u.column(k).into_owned()
    }

    fn axis2(&self, k: usize) -> Vec3 {
        self.w.column(k).into_owned()
    }
}

type Make = fn(&mut SystemBuilder, &Attachment, &Attachment) -> Box<dyn Constraint>;

/// A joint with its independent description.
struct Kind {
    name: &'static str,
    rows: usize,
    make: Make,
    /// The second attachment in the axes of the first, at a generic place.
    place: fn() -> (Vec3, Mat3),
    freedoms: fn(&Ends) -> Vec<Freedom>,
}

fn turns() -> Vec<Freedom> {
    [Vec3::x(), Vec3::y(), Vec3::z()].map(|e| (Vec3::zeros(), e)).to_vec()
}

fn slides(axes: &[Vec3]) -> Vec<Freedom> {
    axes.iter().map(|e| (*e, Vec3::zeros())).collect()
}

/// Rotations about a point at `arm` from the second origin.
fn turns_about(arm: Vec3) -> Vec<Freedom> {
    [Vec3::x(), Vec3::y(), Vec3::z()].map(|e| (-e.cross(&arm), e)).to_vec()
}

const LEAD: f64 = 0.4;
const ROD: f64 = 0.9;
const RADIUS: f64 = 0.35;

fn skew_rotation() -> Mat3 {
    so3::exp(&Vec3::new(0.7, -0.4, 0.9))
}

/// The curve of the tests: a bent space curve.
fn curve(s: f64) -> Vec3 {
    Vec3::new(0.8 * s.cos(), 0.5 * s.sin(), 0.3 * s + 0.1 * s * s)
}

fn curve_tangent(s: f64) -> Vec3 {
    Vec3::new(-0.8 * s.sin(), 0.5 * s.cos(), 0.3 + 0.2 * s)
}

/// The place on the curve of a point on it, by Newton from many starts.
fn place_on_curve(r: &Vec3) -> f64 {
    let refined = (-40..40).map(|k| {
        (0..12).fold(k as f64 * 0.1, |s, _| {
            let tangent = curve_tangent(s);
            s - (curve(s) - r).dot(&tangent) / tangent.norm_squared()
        })
    });
    let distance = |s: &f64| (curve(*s) - r).norm();
    let s = refined.min_by(|a, b| distance(a).total_cmp(&distance(b))).unwrap();
    assert!(distance(&s) < 1e-12, "the point is not on the curve");
    s
}

/// From the centre of a disk to its lowest point.
fn lowest(e: &Ends) -> Vec3 {
    let (n, axle) = (e.axis1(2), e.axis2(2));
    -(n - axle * n.dot(&axle)).normalize() * RADIUS
}

fn kinds() -> Vec<Kind> {
    vec![
        Kind {
            name: "fixed",
            rows: 6,
            make: |_, a, b| Box::new(fixed(a, b)),
            place: || (Vec3::zeros(), Mat3::identity()),
            freedoms: |_| vec![],
        },
        Kind {
            name: "spherical",
            rows: 3,
            make: |_, a, b| Box::new(spherical(a, b)),
            place: || (Vec3::zeros(), skew_rotation()),
            freedoms: |_| turns(),
        },
        Kind {
            name: "revolute",
            rows: 5,
            make: |_, a, b| Box::new(revolute(a, b)),
            place: || (Vec3::zeros(), turn(2.1)),
            freedoms: |e| vec![(Vec3::zeros(), e.axis1(2))],
        },
        Kind {
            name: "prismatic",
            rows: 5,
            make: |_, a, b| Box::new(prismatic(a, b)),
            place: || (Vec3::z() * 0.6, Mat3::identity()),
            freedoms: |e| slides(&[e.axis1(2)]),
        },
        Kind {
            name: "cylindrical",
            rows: 4,
            make: |_, a, b| Box::new(cylindrical(a, b)),
            place: || (Vec3::z() * -0.4, turn(-1.3)),
            freedoms: |e| vec![(e.axis1(2), Vec3::zeros()), (Vec3::zeros(), e.axis1(2))],
        },
        Kind {
            name: "screw",
            rows: 5,
            make: |_, a, b| Box::new(screw(a, b, LEAD)),
            place: || (Vec3::z() * (LEAD / TAU * 1.2), turn(1.2)),
            freedoms: |e| vec![(e.axis1(2) * (LEAD / TAU), e.axis1(2))],
        },
        Kind {
            name: "planar",
            rows: 3,
            make: |_, a, b| Box::new(planar(a, b)),
            place: || (Vec3::new(0.5, -0.7, 0.0), turn(2.6)),
            freedoms: |e| {
                let mut all = slides(&[e.axis1(0), e.axis1(1)]);
                all.push((Vec3::zeros(), e.axis1(2)));
                all
            },
        },
        Kind {
            name: "universal",
            rows: 4,
            make: |_, a, b| Box::new(universal(a, b)),
            place: || {
                let across = so3::exp(&(Vec3::y() * FRAC_PI_2));
                (Vec3::zeros(), turn(0.8) * across * turn(-0.5))
            },
            freedoms: |e| vec![(Vec3::zeros(), e.axis1(2)), (Vec3::zeros(), e.axis2(2))],
        },
        Kind {
            name: "constant velocity",
            rows: 4,
            make: |_, a, b| Box::new(constant_velocity(a, b)),
            place: || (Vec3::zeros(), so3::exp(&Vec3::new(0.5, 0.3, 0.0))),
            // The axis of rotation lies in the plane that bisects the shafts.
            freedoms: |e| {
                let (u, w) = (e.axis1(2), e.axis2(2));
                vec![(Vec3::zeros(), u.cross(&w)), (Vec3::zeros(), u - w)]
            },
        },
        Kind {
            name: "distance",
            rows: 1,
            make: |_, a, b| Box::new(distance(a, b, ROD)),
            place: || (Vec3::new(2.0, -1.0, 2.0) / 3.0 * ROD, skew_rotation()),
            freedoms: |e| {
                let across = axes_along(&(e.x2 - e.x1));
                let mut all = slides(&[across.column(0).into_owned(), across.column(1).into_owned()]);
                all.extend(turns());
                all
            },
        },
        Kind {
            name: "point on line",
            rows: 2,
            make: |_, a, b| Box::new(point_on_line(a, b)),
            place: || (Vec3::z() * 0.45, skew_rotation()),
            freedoms: |e| [slides(&[e.axis1(2)]), turns()].concat(),
        },
        Kind {
            name: "point on plane",
            rows: 1,
            make: |_, a, b| Box::new(point_on_plane(a, b)),
            place: || (Vec3::new(-0.3, 0.4, 0.0), skew_rotation()),
            freedoms: |e| [slides(&[e.axis1(0), e.axis1(1)]), turns()].concat(),
        },
        Kind {
            name: "point on curve",
            rows: 3,
            make: |b, first, second| {
                let parameter = b.parameter("place", 0.55);
                let r = ["0.8*cos(s)", "0.5*sin(s)", "0.3*s + 0.1*s^2"].map(|text| {
                    let text = poinsot_expr::Expr::parse(text).unwrap();
                    poinsot_expr::SmoothFunction::new(&text, &["s"], &|_| None).unwrap()
                });
                Box::new(point_on_curve(first, second, parameter, r))
            },
            place: || (curve(0.55), skew_rotation()),
            freedoms: |e| {
                let s = place_on_curve(&e.u.tr_mul(&(e.x2 - e.x1)));
                [slides(&[e.u * curve_tangent(s)]), turns()].concat()
            },
        },
        Kind {
            name: "rolling disk",
            rows: 3,
            make: |_, a, b| Box::new(rolling_disk(a, b, RADIUS)),
            place: || {
                let rot = skew_rotation();
                let tilt = rot[(2, 2)];
                (Vec3::new(0.2, 0.3, RADIUS * (1.0 - tilt * tilt).sqrt()), rot)
            },
            freedoms: |e| turns_about(lowest(e)),
        },
        Kind {
            name: "rolling ball",
            rows: 3,
            make: |_, a, b| Box::new(rolling_ball(a, b, RADIUS)),
            place: || (Vec3::new(-0.4, 0.3, RADIUS), skew_rotation()),
            freedoms: |e| turns_about(e.axis1(2) * -RADIUS),
        },
        Kind {
            name: "knife edge",
            rows: 1,
            make: |_, a, b| Box::new(knife_edge(a, b)),
            place: || (Vec3::new(0.3, -0.2, 0.25), skew_rotation()),
            freedoms: |e| [slides(&[e.axis2(0), e.axis2(2)]), turns()].concat(),
        },
    ]
}

/// Two bodies in free flight, joined.
struct Pair {
    system: System,
    joint: usize,
    ends: [Attachment; 2],
}

/// Bodies with generic inertia at generic places; `offset` moves their centres away from the reference
/// points.
fn pair(kind: &Kind, seed: u64, offset: f64) -> Pair {
    let mut rng = Random(seed);
    let mut b = SystemBuilder::new(Vec3::zeros());
    let first = Frame { r: rng.vector(), rot: rng.rotation() };
    let (o1, a1, o2, a2) = (rng.vector() * 0.5, rng.rotation(), rng.vector() * 0.5, rng.rotation());
    let (d, turned) = (kind.place)();
    // The second attachment's frame in the world, then the body that carries it.
    let joint = Frame { r: first.r + first.rot * (o1 + a1 * d), rot: first.rot * a1 * turned };
    let rot = joint.rot * a2.transpose();
    let second = Frame { r: joint.r - rot * o2, rot };
    let nodes = [("first", first, 1.7), ("second", second, 0.9)].map(|(name, frame, mass)| {
        let velocity = Twist { linear: rng.vector(), angular: rng.vector() * 2.0 };
        let node = b.node(name, Chart::Motion, frame, velocity);
        let principal = rng.rotation();
        let moments = Mat3::from_diagonal(&(Vec3::new(0.21, 0.34, 0.45) * mass));
        let inertia = principal * moments * principal.transpose();
        b.body(Body::new(node, &MassProperties::new(mass, rng.vector() * offset, inertia)));
        node
    });
    let ends = [attach(nodes[0], o1, a1), attach(nodes[1], o2, a2)];
    let law = (kind.make)(&mut b, &ends[0], &ends[1]);
    let joint = b.constraint("joint", law);
    Pair { system: b.build(), joint, ends }
}

fn ends(attachments: &[Attachment; 2], at: &Instant) -> Ends {
    let [(x1, u), (x2, w)] = attachments.map(|end| {
        let z = &at.frames[end.node];
        (z.r + z.rot * end.origin, z.rot * end.axes)
    });
    Ends { x1, u, x2, w }
}

fn six((v, w): &Freedom) -> Vec6 {
    Vec6::new(v.x, v.y, v.z, w.x, w.y, w.z)
}

/// An orthonormal basis of the span of vectors that must be independent.
fn basis(freedoms: &[Freedom]) -> Vec<Vec6> {
    let mut basis: Vec<Vec6> = vec![];
    for f in freedoms {
        let mut v = six(f);
        let size = v.norm();
        for _ in 0..2 {
            basis.iter().for_each(|e| v -= e * e.dot(&v));
        }
        assert!(v.norm() > 1e-3 * size, "the freedoms of a test are dependent");
        basis.push(v.normalize());
    }
    basis
}

/// How far relative motion and reaction at the second origin are from what the description allows.
#[derive(Debug)]
struct Seen {
    /// Relative motion outside the freedoms.
    stray: f64,
    /// Newton's third law between the loads that the accelerations need.
    third_law: f64,
    /// The joint's reported reaction against the load that the second body needs.
    reported: f64,
    /// Power of the reactions on both bodies together.
    power: f64,
    /// Largest power of the reaction on a unit of a freedom.
    leak: f64,
    /// Sizes of reaction and motion.
    load: f64,
}

fn look(kind: &Kind, joint: usize, attachments: &[Attachment; 2], system: &System, at: &Instant) -> Seen {
    let e = ends(attachments, at);
    let p = e.x2;
    let [m1, m2] = [1, 2].map(|node| motion_at(system, node, &p, at));
    let [f1, f2] = [1, 2].map(|node| newton_euler(system, node, &p, at));
    let reaction = system.reaction(joint, at, &mut Scratch::default());
    let mut stray = six(&(m2.velocity - m1.velocity, m2.spin - m1.spin));
    let free = basis(&(kind.freedoms)(&e));
    let dofs = 6 + usize::from(kind.name == "point on curve") - kind.rows;
    assert_eq!(free.len(), dofs, "{}", kind.name);
    free.iter().for_each(|e| stray -= e * e.dot(&stray));
    let wrench = six(&(reaction.force, reaction.torque));
    Seen {
        stray: stray.norm(),
        third_law: (f1.force + f2.force).norm().max((f1.moment + f2.moment).norm()),
        reported: (reaction.force - f2.force).norm().max((reaction.torque - f2.moment).norm()),
        power: (f1.power(&m1) + f2.power(&m2)).abs(),
        leak: free.iter().fold(0.0, |m, e| f64::max(m, e.dot(&wrench).abs())),
        load: f2.force.norm().max(f2.moment.norm()),
    }
}

/// Reactions: equal and opposite, as reported, powerless, without part along what the joint leaves free; the
/// motion stays within that.
#[test]
fn reactions_on_both_sides() {
    for (kind, seed) in kinds().iter().flat_map(|kind| SEEDS.map(|seed| (kind, seed))) {
        let Pair { mut system, joint, ends } = pair(kind, seed, 0.3);
        let (state, report) = consistent_start(&mut system, 0.0).unwrap();
        // The description puts the joint where its equations want it.
        assert!(report.residual.0 < 1e-14 && report.moved.0 < 1e-13, "{}: {report:?}", kind.name);
        assert!(report.redundant.is_empty() && report.void == 0, "{}: {report:?}", kind.name);
        let extra = usize::from(kind.name == "point on curve");
        assert_eq!(system.coordinates() - system.active_rows(), 12 + extra - kind.rows, "{}", kind.name);
        let mut largest: f64 = 0.0;
        let (report, _) = run_from(&mut system, state, default_method(), 1.0, 200, 1, |system, sample| {
            let seen = look(kind, joint, &ends, system, &sample.at);
            largest = largest.max(seen.load);
            let what = format!("{} at {}: {seen:?}", kind.name, sample.at.t);
            assert!(seen.stray < 1e-11 && seen.power < 1e-11, "{what}");
            let round_off = 1e-12 * (1.0 + seen.load);
            assert!(
                seen.third_law < round_off && seen.reported < round_off && seen.leak < round_off,
                "{what}"
            );
            vec![]
        });
        assert!(largest > 0.01, "{}: the joint carries no load", kind.name);
        let audit = &report.audit;
        assert!(audit.position.value < 1e-12, "{}: {:?}", kind.name, audit.position);
        assert!(audit.velocity.value < 1e-11, "{}: {:?}", kind.name, audit.velocity);
        assert!(
            audit.acceleration.value < 1e-13 * (1.0 + largest),
            "{}: {:?}",
            kind.name,
            audit.acceleration
        );
    }
}

/// One end on ground: the reaction is the load of the body that moves, or, if ground is second, the opposite.
#[test]
fn reactions_against_ground() {
    for (kind, grounded) in kinds().iter().flat_map(|kind| [(kind, 0), (kind, 1)]) {
        let mut b = SystemBuilder::new(Vec3::new(1.0, -2.0, -9.0));
        let mut rng = Random(SEEDS[1]);
        let (d, turned) = (kind.place)();
        let base = Frame { r: rng.vector(), rot: rng.rotation() };
        // The frames of both attachments in the world.
        let frames = [base, Frame { r: base.r + base.rot * d, rot: base.rot * turned }];
        let velocity = Twist { linear: rng.vector(), angular: rng.vector() };
        let body = Frame { r: rng.vector(), rot: rng.rotation() };
        let node = b.node("body", Chart::Motion, body, velocity);
        let inertia = Mat3::from_diagonal(&Vec3::new(0.21, 0.34, 0.45));
        b.body(Body::new(node, &MassProperties::new(1.3, rng.vector() * 0.2, inertia)));
        let nodes = if grounded == 0 { [GROUND, node] } else { [node, GROUND] };
        let ends = [0, 1].map(|k| attach_at(&b, nodes[k], frames[k].r, frames[k].rot));
        let law = (kind.make)(&mut b, &ends[0], &ends[1]);
        let joint = b.constraint("joint", law);
        let mut system = b.build();
        let (state, report) = consistent_start(&mut system, 0.0).unwrap();
        assert!(report.residual.0 < 1e-14 && report.redundant.is_empty(), "{}: {report:?}", kind.name);
        let (report, _) = run_from(&mut system, state, default_method(), 0.5, 100, 1, |system, sample| {
            let at = &sample.at;
            let e = self::ends(&ends, at);
            let motions = nodes.map(|node| motion_at(system, node, &e.x2, at));
            let mut stray =
                six(&(motions[1].velocity - motions[0].velocity, motions[1].spin - motions[0].spin));
            let free = basis(&(kind.freedoms)(&e));
            free.iter().for_each(|e| stray -= e * e.dot(&stray));
            let what = format!("{} with ground as end {grounded} at {}", kind.name, at.t);
            assert!(stray.norm() < 1e-11, "{what}: {stray:?}");
            let needed = newton_euler(system, node, &e.x2, at);
            let sign = if grounded == 0 { 1.0 } else { -1.0 };
            let reaction = system.reaction(joint, at, &mut Scratch::default());
            let size = 1.0 + needed.force.norm() + needed.moment.norm();
            near3(&(reaction.force * sign), &needed.force, 1e-12 * size, &what);
            near3(&(reaction.torque * sign), &needed.moment, 1e-12 * size, &what);
            vec![]
        });
        let audit = &report.audit;
        assert!(audit.position.value < 1e-12 && audit.velocity.value < 1e-11, "{}", kind.name);
        assert!(
            audit.imbalance.value < 1e-13 + 2e-3 * audit.energy_scale,
            "{}: {:?}",
            kind.name,
            audit.imbalance
        );
    }
}

/// A start that is off by some centimetres and degrees is closed, quadratically, with the least change.
#[test]
fn assembly_of_every_joint() {
    for (kind, seed) in kinds().iter().flat_map(|kind| SEEDS.map(|seed| (kind, seed))) {
        let Pair { mut system, joint, ends } = pair(kind, seed, 0.3);
        let mut rng = Random(seed + 1);
        let mut state = system.start_state(0.0);
        state.frames[2].r += rng.vector() * 0.05;
        state.frames[2].rot *= so3::exp(&(rng.vector() * 0.05));
        system.set_start(&state);
        let (closed, report) =
            consistent_start(&mut system, 0.0).unwrap_or_else(|e| panic!("{}: {e}", kind.name));
        let holonomic = kind.name != "knife edge";
        assert!(!holonomic || report.residual.0 > 1e-5, "{}: {report:?}", kind.name);
        assert!(report.residual.1 < 1e-13 && report.iterations <= 6, "{}: {report:?}", kind.name);
        assert!(report.moved.0 < 0.15 && report.turned.0 < 0.15, "{}: {report:?}", kind.name);
        let a = vec![0.0; system.size()];
        let seen = look(kind, joint, &ends, &system, &poinsot_integrators::instant(&closed, &a));
        assert!(seen.stray < 1e-12, "{}: {seen:?}", kind.name);
    }
}

/// In the plane rows across it are void; what is left obeys Newton's third law in the plane.
#[test]
fn reactions_in_the_plane() {
    let chart = Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() };
    let flat = |angle: f64| turn(angle) * axes_along(&Vec3::x());
    let cases: [(&str, usize, usize, Make, Mat3, Vec3); 6] = [
        ("revolute", 2, 3, |_, a, b| Box::new(revolute(a, b)), Mat3::identity(), Vec3::zeros()),
        ("fixed", 3, 3, |_, a, b| Box::new(fixed(a, b)), flat(0.3), Vec3::zeros()),
        ("prismatic", 2, 3, |_, a, b| Box::new(prismatic(a, b)), flat(0.7), Vec3::z() * 0.5),
        ("point on line", 1, 1, |_, a, b| Box::new(point_on_line(a, b)), flat(-0.4), Vec3::z() * 0.5),
        ("point on plane", 1, 0, |_, a, b| Box::new(point_on_plane(a, b)), flat(1.4), Vec3::y() * 0.4),
        ("distance", 1, 0, |_, a, b| Box::new(distance(a, b, ROD)), flat(0.0), Vec3::z() * ROD),
    ];
    for (name, rows, void, make, axes, place) in cases {
        let mut rng = Random(SEEDS[2]);
        let mut b = SystemBuilder::new(Vec3::zeros());
        let in_plane = |v: Vec3| Vec3::new(v.x, v.y, 0.0);
        let nodes = [1.4, 0.8].map(|mass| {
            let velocity = Twist { linear: in_plane(rng.vector()), angular: Vec3::z() * (2.0 * rng.next()) };
            let start = Frame { r: in_plane(rng.vector()), rot: turn(rng.next()) };
            let node = b.node("body", chart, start, velocity);
            let centre = in_plane(rng.vector()) * 0.2;
            b.body(Body::new(node, &MassProperties::new(mass, centre, Mat3::identity() * 0.2)));
            node
        });
        let point = in_plane(rng.vector());
        let other = point + axes * place;
        let ends = [attach_at(&b, nodes[0], point, axes), attach_at(&b, nodes[1], other, axes)];
        let law = make(&mut b, &ends[0], &ends[1]);
        let joint = b.constraint("joint", law);
        let mut system = b.build();
        let (state, report) = consistent_start(&mut system, 0.0).unwrap();
        assert_eq!((system.active_rows(), report.void), (rows, void), "{name}");
        let mut largest: f64 = 0.0;
        run_from(&mut system, state, default_method(), 1.0, 100, 1, |system, sample| {
            let at = &sample.at;
            let p = at.frames[ends[1].node].r + at.frames[ends[1].node].rot * ends[1].origin;
            let loads = nodes.map(|node| newton_euler(system, node, &p, at));
            let reaction = system.reaction(joint, at, &mut Scratch::default());
            near3(&loads[0].force, &-loads[1].force, 1e-12, name);
            near3(&loads[0].moment, &-loads[1].moment, 1e-12, name);
            near3(&reaction.force, &loads[1].force, 1e-12, name);
            near3(&reaction.torque, &loads[1].moment, 1e-12, name);
            largest = largest.max(reaction.force.norm());
            vec![]
        });
        assert!(largest > 0.01, "{name}: no load");
    }
}

/// Two shafts in bearings, bent by β, the first driven over five turns: a constant-velocity joint hands the
/// angle on as it is, a universal joint with tan θ₂ = cos β tan θ₁.
#[test]
fn bent_shafts() {
    let bend = 0.6f64;
    let lean = so3::exp(&(Vec3::x() * -bend));
    for homokinetic in [true, false] {
        let mut b = SystemBuilder::new(Vec3::zeros());
        let shafts = [("first", Mat3::identity()), ("second", lean)].map(|(name, axes)| {
            let along: Vec3 = axes.column(2).into_owned() * if name == "first" { -0.4 } else { 0.4 };
            let node = rigid(&mut b, name, along, Mat3::identity(), 1.0, Vec3::new(0.02, 0.03, 0.025));
            let ends = [GROUND, node].map(|node| attach_at(&b, node, along, axes));
            b.constraint(name, Box::new(revolute(&ends[0], &ends[1])));
            let angle = Coordinate::angle(&ends[0], &ends[1]);
            b.track(angle.clone(), 0.0);
            (node, angle, ends[1].point())
        });
        // The cross: along x in the first shaft, across both x and the shaft in the second.
        let (first, second) = match homokinetic {
            true => (Mat3::identity(), lean),
            false => (axes_along(&Vec3::x()), axes_along(&(lean * Vec3::y()))),
        };
        let ends = [
            attach_at(&b, shafts[0].0, Vec3::zeros(), first),
            attach_at(&b, shafts[1].0, Vec3::zeros(), second),
        ];
        b.constraint(
            "joint",
            match homokinetic {
                true => Box::new(constant_velocity(&ends[0], &ends[1])),
                false => Box::new(universal(&ends[0], &ends[1])),
            },
        );
        let drive = drives::coordinate(shafts[0].1.clone(), law("2*pi*t"), shafts[0].2);
        b.constraint("motor", Box::new(drive));
        let mut system = b.build();
        let (state, report) = consistent_start(&mut system, 0.0).unwrap();
        // The bearings hold the centre already.
        assert_eq!(report.redundant.len(), 3, "{report:?}");
        run_from(&mut system, state, default_method(), 5.0, 1000, 1, |system, sample| {
            let mut s = Scratch::default();
            let [(first, speed), (second, handed_on)] = [0, 1].map(|k| system.tracked(k, &sample.at, &mut s));
            let (c, sine) = (first.cos(), first.sin());
            let ratio = if homokinetic { 1.0 } else { bend.cos() / (c * c + (bend.cos() * sine).powi(2)) };
            let expected = match homokinetic {
                true => first,
                false => first + (bend.cos() * sine * c - c * sine).atan2(c * c + bend.cos() * sine * sine),
            };
            near(second, expected, 1e-10, "angle of the second shaft");
            near(handed_on, ratio * speed, 1e-9, "speed of the second shaft");
            vec![]
        });
    }
}

const SEEDS: [u64; 3] = [88172645463325252, 1234567890123, 5555555555555];

/// Relative changes of linear momentum, angular momentum and energy over a free flight of one second.
fn changes(kind: &Kind, offset: f64, method: Method, steps: usize) -> [f64; 3] {
    let mut system = pair(kind, SEEDS[0], offset).system;
    let (report, _) = run(&mut system, method, 1.0, steps, 1, |_, _| vec![]);
    let audit = &report.audit;
    assert_eq!(audit.supplied, 0.0, "{}: a joint that is not driven supplies energy", kind.name);
    assert_eq!(audit.dissipated, 0.0, "{}", kind.name);
    [
        audit.momentum_change.value / audit.start.momentum.norm(),
        audit.angular_momentum_change.value / audit.start.angular_momentum.norm(),
        audit.imbalance.value / audit.start.kinetic,
    ]
}

/// The stabilised form conserves the linear momentum exactly if the reference points are the centres of mass,
/// and else, like angular momentum and energy, to the second order of the method.
#[test]
fn free_flight_with_gs4() {
    for kind in kinds() {
        let [momentum, ..] = changes(&kind, 0.0, default_method(), 100);
        assert!(momentum < 1e-13, "{}: momentum {momentum:.2e}", kind.name);
        let [coarse, fine] = [100, 200].map(|steps| changes(&kind, 0.3, default_method(), steps));
        for (k, what) in ["momentum", "angular momentum", "energy"].into_iter().enumerate() {
            let measured = order(coarse[k], fine[k]);
            assert!(fine[k] < 5e-5, "{}: {what} {:.2e}", kind.name, fine[k]);
            assert!((measured - 2.0).abs() < 0.1, "{}: {what} of order {measured:.2}", kind.name);
        }
    }
}

/// The same to 1e-9 with the embedding of fourth order.
#[test]
fn free_flight_with_embedding() {
    for kind in kinds() {
        let [coarse, fine] = [300, 600].map(|steps| changes(&kind, 0.3, Procedure::Embedding.into(), steps));
        for (k, what) in ["momentum", "angular momentum", "energy"].into_iter().enumerate() {
            let measured = order(coarse[k], fine[k]);
            assert!(fine[k] < 1e-9, "{}: {what} {:.2e}", kind.name, fine[k]);
            if fine[k] > 1e-12 {
                assert!((measured - 4.0).abs() < 0.2, "{}: {what} of order {measured:.2}", kind.name);
            }
        }
    }
}
