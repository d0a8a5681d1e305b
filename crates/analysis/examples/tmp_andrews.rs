#![allow(dead_code, missing_docs)]
use poinsot_analysis::consistent_start;
use poinsot_expr::Function;
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::{Form, Gs4, Member, SaddlePoint, Settings, instant};
use poinsot_mechanics::forces::{CoordinateForce, Torque};
use poinsot_mechanics::joints::{Attachment, revolute};
use poinsot_mechanics::*;

const M: [f64; 7] = [0.04325, 0.00365, 0.02373, 0.00706, 0.07050, 0.00706, 0.05498];
const I: [f64; 7] = [2.194e-6, 4.410e-7, 5.255e-6, 5.667e-7, 1.169e-5, 5.667e-7, 1.912e-5];
/// Relative angles β, Θ, γ, Φ, δ, Ω, ε at the start.
const START: [f64; 7] = [
    -0.0617138900142764,
    0.0,
    0.455279819163070,
    0.222668390165886,
    0.487364979543843,
    -0.222668390165886,
    1.23054744454982,
];
/// Angles and rates at t = 0.03, recomputed to 15 digits.
const ANGLES: [f64; 7] = [
    15.810771195153707,
    -15.756371058411839,
    0.04082224011964581,
    -0.534730116342080,
    0.524409965879954,
    0.534730116342080,
    1.048080741041938,
];
const RATES: [f64; 7] = [
    1139.9203022591061,
    -1424.3792951775401,
    11.032911910618596,
    19.293374105032045,
    0.573569914829503,
    -19.293374105032045,
    0.323179149249131,
];
const LAMBDA: [f64; 6] = [
    199.17534810453863,
    -29.755309974971764,
    23.06654361162215,
    31.452725275771137,
    22.64249478639438,
    11.617392352611257,
];

struct Mechanism {
    system: System,
    trackers: [usize; 7],
    /// The joints at the common pin: coupler with bodies 3, 4 and 6.
    loops: [usize; 3],
}

/// Relative angles from absolute ones (bodies 2, 4 and 6 are measured from bodies 1, 5 and 7).
fn relative(x: [f64; 7]) -> [f64; 7] {
    [x[0], x[1] - x[0], x[2], x[3] - x[4], x[4], x[5] - x[6], x[6]]
}

fn mechanism() -> Mechanism {
    let (a, b, c) = ([-0.06934, -0.00227], [-0.03635, 0.03273], [0.014, 0.072]);
    let (d, da, e, ea, rr, ra) = (0.028, 0.0115, 0.02, 0.01421, 0.007, 0.00092);
    let (ss, sa, sb, sc, sd) = (0.035, 0.01874, 0.01043, 0.018, 0.02);
    let (ta, tb, u, ua, ub, zf, zt, fa) = (0.02308, 0.00916, 0.04, 0.01228, 0.00449, 0.02, 0.04, 0.01421);
    let [be, th, ga, ph, de, om, ep] = START;
    let angle = [be, be + th, ga, ph + de, de, om + ep, ep];
    let turn = |k: usize| so3::exp(&Vec3::new(0.0, 0.0, angle[k]));
    let plane = |p: [f64; 2]| Vec3::new(p[0], p[1], 0.0);
    let pin1 = turn(0) * plane([rr, 0.0]);
    let centre = [
        turn(0) * plane([ra, 0.0]),
        pin1 - turn(1) * plane([da, 0.0]),
        plane(b) + turn(2) * plane([sb, -sa]),
        plane(a) + turn(4) * plane([zt, 0.0]) + turn(3) * plane([0.0, ea - e]),
        plane(a) + turn(4) * plane([ta, tb]),
        plane(a) + turn(6) * plane([0.0, -u]) + turn(5) * plane([zf - fa, 0.0]),
        plane(a) + turn(6) * plane([-ub, -ua]),
    ];
    let mut builder = SystemBuilder::new(Vec3::zeros());
    let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
    let chart = Chart::Planar { e1: Vec3::x(), e2: Vec3::y(), normal: Vec3::z() };
    let nodes = [0, 1, 2, 3, 4, 5, 6].map(|k| {
        let start = Frame { r: centre[k], rot: turn(k) };
        let node = builder.node(&format!("k{}", k + 1), chart, start, still);
        let inertia = Mat3::identity() * I[k];
        builder.body(Body::new(node, &MassProperties::new(M[k], Vec3::zeros(), inertia)));
        node
    });
    let at = |node, p: [f64; 2]| Attachment { node, origin: plane(p), axes: Mat3::identity() };
    let body = |k: usize, p| at(nodes[k - 1], p);
    let end = [da - d, 0.0];
    let joints = [
        (at(GROUND, [0.0, 0.0]), body(1, [-ra, 0.0])),
        (body(1, [rr - ra, 0.0]), body(2, [da, 0.0])),
        (at(GROUND, b), body(3, [-sb, sa])),
        (body(2, end), body(3, [-sb, sa - ss])),
        (body(2, end), body(4, [0.0, -ea])),
        (body(2, end), body(6, [fa, 0.0])),
        (body(4, [0.0, e - ea]), body(5, [zt - ta, -tb])),
        (body(6, [fa - zf, 0.0]), body(7, [ub, ua - u])),
        (at(GROUND, a), body(5, [-ta, -tb])),
        (at(GROUND, a), body(7, [ub, ua])),
    ];
    for (k, (first, second)) in joints.iter().enumerate() {
        builder.constraint(&format!("j{k}"), Box::new(revolute(first, second)));
    }
    let spring = CoordinateForce {
        coordinate: Coordinate::distance(&at(GROUND, c), &body(3, [sd - sb, sa - sc])),
        stiffness: 4530.0,
        damping: 0.0,
        free: 0.07785,
        law: None,
    };
    builder.force("spring", Box::new(spring));
    let torque = [0.0, 0.0, 0.033].map(Function::constant);
    builder.force("drive", Box::new(Torque::dead(nodes[0], torque)));
    let trackers = nodes
        .map(|node| builder.track(Coordinate::angle(&at(GROUND, [0.0, 0.0]), &at(node, [0.0, 0.0])), 0.0));
    Mechanism { system: builder.build(), trackers, loops: [3, 4, 5] }
}
use poinsot_analysis::*;
use poinsot_integrators::*;
struct Silent;
impl Observer for Silent {
    fn sample(&mut self, _: &System, _: &Sample) -> Result<(), String> {
        Ok(())
    }
    fn keep_going(&mut self, _: f64) -> bool {
        true
    }
}
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let forms = [
        ("stab", StageForm::Stabilised),
        ("pos", StageForm::Position),
        ("vel", StageForm::Velocity),
        ("acc", StageForm::Acceleration),
    ];
    let reps: usize = args.get(1).map_or(5, |a| a.parse().unwrap());
    let want: Vec<usize> = args.get(2).map_or(vec![3, 5, 7], |a| vec![a.parse().unwrap()]);
    for stages in want {
        for (name, form) in forms {
            if args.get(3).is_some_and(|f| f != name) {
                continue;
            }
            for tol in [1e-5, 1e-6, 1e-7, 1e-8, 1e-9] {
                if args.get(4).is_some_and(|f| f.parse::<f64>().unwrap() != tol) {
                    continue;
                }
                let mut best = f64::INFINITY;
                let mut out = String::new();
                for _ in 0..reps {
                    let mut m = mechanism();
                    let (state, _) = consistent_start(&mut m.system, 0.0).unwrap();
                    let tolerance = Tolerance::both(tol);
                    let settings = ImplicitSettings {
                        stages,
                        form,
                        tolerance,
                        project: form == StageForm::Velocity,
                        ..Default::default()
                    };
                    let mut study = MotionStudy::adaptive(0.03, tolerance, settings);
                    study.pace = Pace::Adaptive { tolerance, first: None, longest: None, every: Some(0.03) };
                    let clock = cpu();
                    let report = run_motion(&mut m.system, state, &study, &mut Silent).unwrap();
                    best = best.min(cpu() - clock);
                    let zero = vec![0.0; m.system.size()];
                    let abs = [0, 1, 2, 3, 4, 5, 6].map(|k| {
                        m.system
                            .tracked(m.trackers[k], &instant(&report.state, &zero), &mut Scratch::default())
                            .0
                    });
                    let got = relative(abs);
                    let err = (0..7).map(|k| ((got[k] - ANGLES[k]) / ANGLES[k]).abs()).fold(0.0, f64::max);
                    let aerr = (0..7).map(|k| (got[k] - ANGLES[k]).abs()).fold(0.0, f64::max);
                    let c = report.counters;
                    out = format!(
                        "{stages} {name} {tol:.0e}: err {err:.1e} abs {aerr:.1e} steps {} rej {} uns {} it {} res {} fact {} jac {}  {:?}",
                        c.steps,
                        c.rejected,
                        c.unsolved,
                        c.iterations,
                        c.residuals,
                        c.factorisations,
                        c.jacobians,
                        matches!(report.ending, Ending::Completed)
                    );
                }
                println!("{out} time {:.2} ms", best * 1e3);
            }
        }
    }
}
fn cpu() -> f64 {
    #[repr(C)]
    struct Ts {
        s: i64,
        n: i64,
    }
    unsafe extern "C" {
        fn clock_gettime(id: i32, t: *mut Ts) -> i32;
    }
    let mut t = Ts { s: 0, n: 0 };
    unsafe {
        clock_gettime(3, &mut t);
    }
    t.s as f64 + 1e-9 * t.n as f64
}
