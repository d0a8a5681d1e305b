//! Times the steps of a beam: `beam CASE SPACE ELEMENTS ORDER H T_END METHOD [TOLERANCE [REPEATS]]`.
//!
//! CASE is `pendulum`, `flying` or `spinup`, SPACE `plane` or `space`, with `-motion` for elements that
//! interpolate motions, ORDER the degree of the interpolation, METHOD `position`, `stabilised` (both GS4) or
//! `energy-momentum`. The data are those of benches/beam_problem.py.

use poinsot_analysis::consistent_start;
use poinsot_expr::{Expr, Function, SmoothFunction};
use poinsot_geometry::{Mat3, Vec3};
use poinsot_integrators::{ConservingSettings, Form, Member, Method, Settings};
use poinsot_mechanics::beams::{
    BeamChain, Formulation, MassModel, MotionScheme, Section, SectionMass, node_shares,
};
use poinsot_mechanics::conserving::Rule;
use poinsot_mechanics::forces::{PointForce, Torque};
use poinsot_mechanics::joints::{Attachment, revolute};
use poinsot_mechanics::*;
use std::time::Instant as Clock;

/// A straight beam in the plane xy.
struct Problem {
    from: Vec3,
    to: Vec3,
    gravity: f64,
    /// GA, EA, EI, mass and rotary inertia per length.
    section: [f64; 5],
}

const PENDULUM: Problem = Problem {
    from: Vec3::new(0.0, 0.0, 0.0),
    to: Vec3::new(1.2, 0.0, 0.0),
    gravity: 9.81,
    section: [
        5.0 / 6.0 * 0.7e6 / 2.6 * 0.0018,
        0.7e6 * 0.0018,
        0.7e6 * 1.215e-8,
        5540.0 * 0.0018,
        5540.0 * 1.215e-8,
    ],
};

const FLYING: Problem = Problem {
    from: Vec3::new(6.0, 0.0, 0.0),
    to: Vec3::new(0.0, 8.0, 0.0),
    gravity: 0.0,
    section: [1e4, 1e4, 500.0, 1.0, 10.0],
};

const SPINUP: Problem = Problem {
    from: Vec3::new(0.0, 0.0, 0.0),
    to: Vec3::new(10.0, 0.0, 0.0),
    gravity: 0.0,
    section: [1e7, 2.8e7, 1.4e4, 1.2, 6e-4],
};

/// The force at the end of the flying beam; its moment is −10 times that.
const PULSE: &str = "if(t < 2.5, 3.2*t, if(t < 5, 16 - 3.2*t, 0))";

/// The angle of the root: 6 rad/s after 15 s.
const SPIN: &str = "if(t < 15, 0.4*(t^2/2 + (15/(2*pi))^2*(cos(2*pi*t/15) - 1)), 6*t - 45)";

fn function(text: &str) -> Function {
    Function::new(&Expr::parse(text).unwrap(), &["t"], &|_| None).unwrap()
}

fn on(node: usize) -> Attachment {
    Attachment { node, origin: Vec3::zeros(), axes: Mat3::identity() }
}

/// The system and the nodes of the beam.
fn build(case: &str, space: &str, elements: usize, order: usize) -> (System, Vec<usize>) {
    let p = match case {
        "pendulum" => PENDULUM,
        "flying" => FLYING,
        "spinup" => SPINUP,
        other => panic!("no case {other}: pendulum, flying or spinup"),
    };
    let mut b = SystemBuilder::new(Vec3::new(0.0, -p.gravity, 0.0));
    let along = (p.to - p.from).normalize();
    let rot = Mat3::from_columns(&[Vec3::z().cross(&along), Vec3::z(), along]);
    let plane = Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::y() };
    let motion = Formulation::Motion(MotionScheme::default());
    let (chart, formulation) = match space {
        "plane" => (plane, Formulation::Director),
        "space" => (Chart::Motion, Formulation::Director),
        "plane-motion" => (plane, motion),
        "space-motion" => (Chart::Motion, motion),
        other => panic!("no space {other}: plane, space, plane-motion or space-motion"),
    };
    let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
    let (mut nodes, mut reference) = (vec![], vec![]);
    for (k, share) in node_shares(elements, order).into_iter().enumerate() {
        let frame = Frame { r: p.from.lerp(&p.to, share), rot };
        nodes.push(b.node(&format!("node{k}"), chart, frame, still));
        reference.push(frame);
    }
    let [ga, ea, ei, mass, rotary] = p.section;
    let mass = SectionMass { mass, first: [0.0; 2], second: [rotary, rotary, 0.0] };
    let section = Section::diagonal([ga, ga, ea, ei, ei, ei], mass);
    let attachments: Vec<Attachment> = nodes.iter().map(|&node| on(node)).collect();
    let chain = BeamChain {
        name: "beam",
        nodes: &attachments,
        reference: &reference,
        order,
        section: &section,
        mass: MassModel::Consistent,
        mass_damping: 0.0,
    };
    chain.add_as(formulation, &mut b).unwrap();
    // Hinge axes along z: the third axis of both attachments.
    let axes = Mat3::from_columns(&[Vec3::x(), Vec3::y(), Vec3::z()]);
    let ground = Attachment { node: GROUND, origin: p.from, axes };
    let root = Attachment { node: nodes[0], origin: Vec3::zeros(), axes: rot.transpose() * axes };
    if case == "flying" {
        let zero = || function("0");
        b.force(
            "force",
            Box::new(PointForce::dead(nodes[0], Vec3::zeros(), [function(PULSE), zero(), zero()])),
        );
        let moment = format!("-10*({PULSE})");
        b.force("moment", Box::new(Torque::dead(nodes[0], [zero(), zero(), function(&moment)])));
    } else {
        b.constraint("pin", Box::new(revolute(&ground, &root)));
    }
    if case == "spinup" {
        let angle = SmoothFunction::new(&Expr::parse(SPIN).unwrap(), &["t"], &|_| None).unwrap();
        let drive = drives::coordinate(Coordinate::angle(&ground, &root), angle, ground.point());
        b.constraint("drive", Box::new(drive));
    }
    (b.build(), nodes)
}

fn method(name: &str, tolerance: f64) -> Method {
    let member = Member::u0(0.9, 0.9, 0.9);
    let gs4 = |form: Form| Settings { member, form, tolerance, ..Settings::default() }.into();
    match name {
        "position" => gs4(Form::Position),
        "stabilised" => gs4(Form::Stabilised),
        "energy-momentum" => {
            ConservingSettings { tolerance, ..ConservingSettings::new(Rule::EnergyMomentum) }.into()
        }
        other => panic!("no method {other}: position, stabilised or energy-momentum"),
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, default: f64| args.get(k).map_or(default, |s| s.parse().unwrap());
    let word = |k: usize, default: &'static str| args.get(k).map_or(default, |s| s.clone().leak());
    let (case, space, name) = (word(0, "pendulum"), word(1, "plane"), word(6, "stabilised"));
    let (elements, order) = (number(2, 10.0) as usize, number(3, 1.0) as usize);
    let (h, t_end, tolerance) = (number(4, 1e-3), number(5, 0.7), number(7, 1e-8));
    let (mut system, nodes) = build(case, space, elements, order);
    let (state, _) = consistent_start(&mut system, 0.0).unwrap();
    let steps = (t_end / h).round() as usize;
    let (mut stepper, mut wall) = (None, f64::INFINITY);
    for _ in 0..number(8, 1.0) as usize {
        let mut run = method(name, tolerance).start(&system, state.clone(), h).unwrap();
        let clock = Clock::now();
        for k in 0..steps {
            if let Err(e) = run.step(h) {
                println!("step {k}: {e}");
                break;
            }
            run.snap_time((k + 1) as f64 * h);
        }
        wall = clock.elapsed().as_secs_f64().min(wall);
        stepper = Some(run);
    }
    let Some(stepper) = stepper else { return };
    let c = stepper.counters();
    let place = |node: usize| stepper.state().frames[node].r;
    println!(
        "{:.3} us/step, it/step {:.3}, fact/step {:.4}, root {:.12?}, tip {:.12?}",
        wall / c.steps as f64 * 1e6,
        c.iterations as f64 / c.steps as f64,
        c.factorisations as f64 / c.steps as f64,
        place(nodes[0]).as_slice(),
        place(nodes[nodes.len() - 1]).as_slice(),
    );
}
