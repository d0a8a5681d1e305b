//! The conserving view: its matrix against central differences of its residual, in every choice of
//! coordinates, and the balance of energy and momentum over a step.

use crate::random;

use poinsot_expr::{Expr, Function};
use poinsot_geometry::{Mat3, Mat6, Vec3};
use poinsot_mechanics::conserving::{Conserving, ConservingScratch, ConservingStep, Coordinates, Rule};
use poinsot_mechanics::forces::{Bushing, CoordinateForce, Governed, PointForce, Torque};
use poinsot_mechanics::joints::*;
use poinsot_mechanics::*;
use random::Random;

fn function(text: &str, arguments: &[&str]) -> Function {
    Function::new(&Expr::parse(text).unwrap(), arguments, &|_| None).unwrap()
}

/// A rigid body and a second one in the given chart, joined by what `join` adds.
fn pair(
    rng: &mut Random,
    planar: bool,
    join: impl Fn(&mut Random, &mut SystemBuilder, Attachment, Attachment),
) -> System {
    let mut b = SystemBuilder::new(rng.vector() * 9.0);
    let mut ends = vec![];
    for k in 0..2 {
        let start = Frame { r: rng.vector() + Vec3::x() * (3.0 * k as f64), rot: rng.rotation() };
        let velocity = Twist { linear: rng.vector(), angular: rng.vector() * 2.0 };
        let normal = start.rot.transpose() * Vec3::z();
        let chart = match planar {
            true => Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal },
            false => Chart::Motion,
        };
        let node = b.node(&format!("body{k}"), chart, start, velocity);
        let turn = rng.rotation();
        let inertia = turn * Mat3::from_diagonal(&Vec3::new(1.1, 1.3, 1.6)) * turn.transpose();
        b.body(Body::new(node, &MassProperties::new(1.5 + rng.next(), rng.vector() * 0.3, inertia)));
        ends.push(Attachment { node, origin: rng.vector(), axes: rng.rotation() });
    }
    join(rng, &mut b, ends[0], ends[1]);
    b.build()
}

type Join = fn(&mut Random, &mut SystemBuilder, Attachment, Attachment);

fn elements() -> Vec<(&'static str, Join)> {
    fn add(b: &mut SystemBuilder, law: impl Constraint + 'static) {
        b.constraint("c", Box::new(law));
    }
    vec![
        ("free", |_, _, _, _| {}),
        ("spherical", |_, b, p, q| add(b, spherical(&p, &q))),
        ("revolute", |_, b, p, q| add(b, revolute(&p, &q))),
        ("cylindrical", |_, b, p, q| add(b, cylindrical(&p, &q))),
        ("prismatic", |_, b, p, q| add(b, prismatic(&p, &q))),
        ("planar", |_, b, p, q| add(b, planar(&p, &q))),
        ("universal", |_, b, p, q| add(b, universal(&p, &q))),
        ("fixed", |_, b, p, q| add(b, fixed(&p, &q))),
        ("distance", |_, b, p, q| add(b, distance(&p, &q, 2.0))),
        ("knife edge", |_, b, p, q| add(b, knife_edge(&p, &q))),
        ("screw", |_, b, p, q| add(b, screw(&p, &q, 0.1))),
        ("spring", |_, b, p, q| {
            let law = Some(function("sin(3*t)+s^3+0.1*v", &["t", "s", "v"]));
            let coordinate = Coordinate::distance(&p, &q);
            let spring = CoordinateForce { coordinate, stiffness: 7.0, damping: 0.3, free: 1.0, law };
            b.force("f", Box::new(spring));
        }),
        ("spring between nodes", |rng, b, p, q| {
            let law = Some(function("sin(3*t)+s^3+0.1*v", &["t", "s", "v"]));
            let axis = q.axis(0);
            let sum = vec![(p.point(), 0.3), (q.point(), 0.7), (axis, rng.next())];
            let place = Attachment { node: b.between(sum), origin: Vec3::zeros(), axes: Mat3::identity() };
            let post = Attachment { node: GROUND, origin: Vec3::new(0.4, -2.0, 3.0), ..p };
            let coordinate = Coordinate::distance(&place, &post);
            let spring = CoordinateForce { coordinate, stiffness: 7.0, damping: 0.3, free: 1.0, law };
            b.force("f", Box::new(spring));
            let readings = vec![
                Reading::Coordinate(Coordinate::distance(&place, &p)),
                Reading::Speed(Speed::Rate(Coordinate::component(place.point(), 1))),
            ];
            let push = PointForce::dead(place.node, Vec3::zeros(), [0.0; 3].map(Function::constant));
            let laws = ["r*v", "t - r^2", "0.3*v"].map(|l| function(l, &["t", "r", "v"]));
            b.force("g", Box::new(Governed::new(Box::new(push), readings, &laws).unwrap()));
        }),
        ("torsion", |_, b, p, q| {
            let coordinate = Coordinate::angle(&p, &q);
            let spring = CoordinateForce { coordinate, stiffness: 7.0, damping: 0.3, free: 1.0, law: None };
            b.force("f", Box::new(spring));
        }),
        ("bushing", |_, b, p, q| {
            let stiffness = Mat6::from_fn(|i, j| if i == j { 4.0 + i as f64 } else { 0.3 });
            b.force("f", Box::new(Bushing::new(&p, &q, stiffness, stiffness * 0.1)));
        }),
        ("friction", |_, b, p, q| {
            let joint = b.constraint("c", Box::new(revolute(&p, &q)));
            b.friction(
                joint,
                Friction {
                    coordinate: Coordinate::angle(&p, &q),
                    weights: [1.0, 1.0, 1.0, 0.0, 0.0, 0.0],
                    static_coefficient: 0.4,
                    dynamic_coefficient: 0.3,
                    stribeck: 0.5,
                    transition: 0.2,
                    lever: 0.3,
                    viscous: 0.1,
                    preload: 0.5,
                },
            );
        }),
        ("law of reactions", |_, b, p, q| {
            let joint = b.constraint("c", Box::new(revolute(&p, &q)));
            let rod = b.constraint("d", Box::new(distance(&Attachment { node: GROUND, ..p }, &q, 2.0)));
            let own = ReadDirection::Carried(Carried::direction(p.node, p.axes.column(0).into_owned()));
            let line = ReadDirection::Line(p.point(), q.point());
            let read = |b: &SystemBuilder, c, part| ReactionReading::new(c, b.constraint_law(c), part);
            let reactions = vec![
                read(b, joint, ReactionPart::Force(own)),
                read(b, joint, ReactionPart::Torque(line)),
                read(b, rod, ReactionPart::Multiplier { row: 0, factor: -1.0 }),
            ];
            let laws = ["0.3*p*q", "0.2*p^2 + r*t", "sin(q)*r"].map(|l| function(l, &["t", "p", "q", "r"]));
            let idle = || [0.0; 3].map(Function::constant);
            let push: [Box<dyn Force>; 2] = [
                Box::new(PointForce::follower(p.node, p.origin, &p.axes, idle())),
                Box::new(Torque::dead(p.node, idle())),
            ];
            for element in push {
                let law = Governed::pressed(element, vec![], reactions.clone(), &laws).unwrap();
                b.force("law", Box::new(law));
            }
        }),
        ("loads", |_, b, p, _| {
            let load = || [function("sin(t)", &["t"]), function("2", &["t"]), function("t", &["t"])];
            b.force("f", Box::new(PointForce::follower(p.node, p.origin, &p.axes, load())));
            b.force("g", Box::new(Torque::dead(p.node, load())));
        }),
    ]
}

fn crossing(view: &Conserving, system: &System, rng: &mut Random, reach: f64) -> ConservingStep {
    let state = system.start_state(0.3);
    let mut step = ConservingStep::new(view);
    (step.t, step.h) = (0.3, 0.2);
    step.start = state.frames.clone();
    step.memory = state.memory.clone();
    step.rates =
        (0..system.nodes().len()).map(|k| state.frames[k].rate(&system.twist(k, &state.v))).collect();
    step.quadrature = vec![(0.2, 0.4), (0.7, 0.6)];
    step.rest();
    let delta: Vec<f64> = (0..view.size()).map(|_| rng.next() * reach).collect();
    step.advance(view, &delta);
    step.lambda.iter_mut().for_each(|l| *l = rng.next() * 3.0);
    step
}

#[test]
fn step_matrix_is_the_derivative_of_the_residual() {
    let mut rng = Random(2026);
    let mut s = ConservingScratch::default();
    for (name, join) in elements() {
        for planar in [false, true] {
            let system = pair(&mut rng, planar, join);
            for coordinates in [Coordinates::Motion, Coordinates::Directors, Coordinates::EulerParameters] {
                for rule in [Rule::EnergyMomentum, Rule::Variational, Rule::Averaged] {
                    // Bushings are made for orthonormal axes: means are not, nor are iterates in the other
                    // coordinates.
                    if name == "bushing"
                        && (rule != Rule::EnergyMomentum || coordinates != Coordinates::Motion)
                    {
                        continue;
                    }
                    let view = Conserving::new(&system, coordinates);
                    let step = crossing(&view, &system, &mut rng, 0.15);
                    let n = view.size();
                    let beta = 0.5 * step.h * step.h;
                    let mut values = vec![0.0; view.pattern().nnz()];
                    let mut out = vec![0.0; n];
                    let mut here = step.clone();
                    view.residual(rule, &mut here, &mut out, &mut s);
                    view.matrix(rule, &here, &mut values, &mut s);
                    let rows = view.enforced_equations();
                    let e = 1e-6;
                    for j in 0..n {
                        let mut unit = vec![0.0; n];
                        unit[j] = 1.0;
                        let mut column = vec![0.0; n];
                        view.pattern().multiply(&values, &unit, &mut column);
                        let mut side = |sign: f64| {
                            let mut there = step.clone();
                            if rows.contains(&j) {
                                there.lambda[j] += sign * e;
                            } else {
                                unit[j] = sign * e;
                                there.advance(&view, &unit);
                            }
                            view.residual(rule, &mut there, &mut out, &mut s);
                            out.clone()
                        };
                        let (plus, minus) = (side(1.0), side(-1.0));
                        for i in 0..n {
                            let mut d = (plus[i] - minus[i]) / (2.0 * e);
                            // Unknowns are in units of β, constraint rows and the norm of parameters divided
                            // by it.
                            let is_norm = coordinates == Coordinates::EulerParameters
                                && (1..=2)
                                    .any(|k| view.unknowns(k).len() == 7 && view.unknowns(k).start + 3 == i);
                            if !rows.contains(&j) && !rows.contains(&i) && !is_norm {
                                d *= beta;
                            }
                            let error = (d - column[i]).abs();
                            assert!(
                                error < 2e-7 * (1.0 + d.abs()),
                                "{name} {coordinates:?} {rule:?} planar {planar}: ({i}, {j}) {d} {}",
                                column[i]
                            );
                        }
                    }
                }
            }
        }
    }
}
