//! Discontinuous time elements and the steps made of them (motion-interpolation-galerkin V7, X1, X3, X4, P9).

use crate::common;
use crate::conserving_models;

use common::{Random, attach, largest, order, violation};
use poinsot_geometry::{Mat3, Mat6, Vec3, Vec6, se3, so3};
use poinsot_integrators::{
    Amplification, ConstraintPoints, DgSettings, DiscontinuousGalerkin, Scheme, StabilityFunction, Stepper,
    TimeElement, Tolerance,
};
use poinsot_mechanics::joints::*;
use poinsot_mechanics::*;

const DEGREES: [usize; 3] = [1, 2, 3];

fn tight(degree: usize, points: ConstraintPoints, project: bool) -> DgSettings {
    DgSettings { degree, points, project, estimate: false, tolerance: Tolerance::both(1e-12) }
}

fn run(system: &System, settings: DgSettings, steps: usize, end: f64) -> (State, Vec<f64>, f64) {
    let mut integration = DiscontinuousGalerkin::new(system, settings, system.start_state(0.0)).unwrap();
    let h = end / steps as f64;
    for _ in 0..steps {
        integration.step(h).unwrap();
    }
    let iterations = integration.counters().iterations as f64 / steps as f64;
    (integration.state().clone(), integration.accelerations().to_vec(), iterations)
}

/// X1: |R(iy)| and the phase of degree one.
#[test]
fn an_oscillator_is_damped_as_by_radau() {
    let tableau = Scheme::new(1, ConstraintPoints::Radau).tableau().unwrap();
    let method = StabilityFunction(|z| tableau.stability(z));
    let table = [
        (0.5, 0.999156474),
        (1.0, 0.987729597),
        (2.0, 0.874474632),
        (5.0, 0.422743682),
        (10.0, 0.204397796),
        (100.0, 0.0200049938),
    ];
    for (y, exact) in table {
        let found = method.spectral_radius(y, 0.0);
        assert!((found - exact).abs() < 1e-9, "|R({y}i)| = {found}");
    }
    for (y, exact, digits) in [(1.0, -3.5085e-3, 1e-7), (0.5, -1.14485e-4, 1e-9)] {
        let root = method.principal_root(y, 0.0).unwrap();
        assert!((root.arg() - y - exact).abs() < digits, "phase {}", root.arg() - y);
    }
    for degree in DEGREES {
        let (own, radau) = (
            Scheme::new(degree, ConstraintPoints::Radau).tableau().unwrap(),
            poinsot_integrators::Tableau::radau_iia(degree + 1).unwrap(),
        );
        for y in [0.3, 1.0, 4.0, 30.0] {
            let z = poinsot_numerics::dense::c64::new(-0.1 * y, y);
            assert!((own.stability(z) - radau.stability(z)).norm() < 1e-13);
        }
        assert_eq!(own.order, 2 * degree + 1);
        let found = poinsot_integrators::rooted_trees::measured_order(&own, &own.b, 8, 1e-11);
        assert!(found == 2 * degree + 1, "degree {degree}: rooted trees say {found}");
    }
}

/// The body of V7 with its wrench f = M v̇_e − ad(v_e)ᵀ M v_e in its own axes.
#[derive(Debug)]
struct Wrench {
    carried: [Carried; 4],
    mass: Mat6,
}

/// r_e, R_e and material velocity and acceleration of the motion that V7 prescribes.
fn prescribed(t: f64) -> (Vec3, Mat3, Vec6, Vec6) {
    let z = |a: f64| so3::exp(&(Vec3::z() * a));
    let x = |a: f64| so3::exp(&(Vec3::x() * a));
    let (a, b, c) = (2.0 * t, 2.0 * t.sin(), 3.0 * t.cos() - 3.0);
    let (da, db, dc) = (2.0, 2.0 * t.cos(), -3.0 * t.sin());
    let (ddb, ddc) = (-2.0 * t.sin(), -3.0 * t.cos());
    let r = Vec3::new((2.0 * t).sin(), (2.0 * t).cos() - 1.0, 0.5 * t - (4.0 * t).sin());
    let v = Vec3::new(2.0 * (2.0 * t).cos(), -2.0 * (2.0 * t).sin(), 0.5 - 4.0 * (4.0 * t).cos());
    let acceleration = Vec3::new(-4.0 * (2.0 * t).sin(), -4.0 * (2.0 * t).cos(), 16.0 * (4.0 * t).sin());
    let rot = z(a) * x(b) * z(c);
    // ω = R3(c)ᵀ (R1(b)ᵀ e3 ȧ + e1 ḃ) + e3 ċ.
    let inner = x(b).transpose() * Vec3::z() * da + Vec3::x() * db;
    let omega = z(c).transpose() * inner + Vec3::z() * dc;
    let inner_rate = (x(b).transpose() * Vec3::z() * da).cross(&Vec3::x()) * db + Vec3::x() * ddb;
    let omega_rate =
        z(c).transpose() * inner_rate + (z(c).transpose() * inner).cross(&Vec3::z()) * dc + Vec3::z() * ddc;
    let linear = rot.tr_mul(&v);
    let linear_rate = rot.tr_mul(&acceleration) - omega.cross(&linear);
    (r, rot, se3::join(&linear, &omega), se3::join(&linear_rate, &omega_rate))
}

impl Force for Wrench {
    fn kind(&self) -> &'static str {
        "wrench"
    }
    fn carried(&self) -> &[Carried] {
        &self.carried
    }
    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        let (.., v, rate) = prescribed(at.t);
        let wrench = self.mass * rate - se3::ad(&v).transpose() * self.mass * v;
        let (force, moment) = se3::split(&wrench);
        let d = [at.x[1], at.x[2], at.x[3]];
        let in_space = |local: &Vec3| d[0] * local.x + d[1] * local.y + d[2] * local.z;
        let torque = in_space(&moment);
        f[0] += in_space(&force);
        (0..3).for_each(|k| f[1 + k] += torque.cross(&d[k]) * 0.5);
    }
    fn tangent(&self, at: &Motion, k: &mut Blocks, _c: &mut Blocks) {
        let (.., v, rate) = prescribed(at.t);
        let wrench = self.mass * rate - se3::ad(&v).transpose() * self.mass * v;
        let (force, moment) = se3::split(&wrench);
        let torque = at.x[1] * moment.x + at.x[2] * moment.y + at.x[3] * moment.z;
        for j in 0..3 {
            k.push(0, 1 + j, Mat3::identity() * force[j]);
            for i in 0..3 {
                let own = if i == j { so3::skew(&torque) * 0.5 } else { Mat3::zeros() };
                k.push(1 + i, 1 + j, own - so3::skew(&at.x[1 + i]) * (0.5 * moment[j]));
            }
        }
    }
    fn sees_velocity(&self) -> bool {
        false
    }
    fn power(&self, _at: &Motion) -> Power {
        Power::default()
    }
}

/// The body of V7 with another offset of its centre, forced or free.
fn forced_body(offset: Vec3, forced: bool, v: Vec6) -> System {
    let rho = Mat3::new(1.25, 0.57, -0.23, 0.57, 1.56, 0.34, -0.23, 0.34, 2.54);
    let mass = 6.0;
    let of_centre = rho + so3::skew(&offset) * so3::skew(&offset) * mass;
    let mut b = SystemBuilder::new(Vec3::zeros());
    let (linear, angular) = se3::split(&v);
    let node = b.node("body", Chart::Motion, Frame::identity(), Twist { linear, angular });
    b.body(Body::new(node, &MassProperties::new(mass, offset, of_centre)));
    if forced {
        let mut whole = Mat6::zeros();
        whole.fixed_view_mut::<3, 3>(0, 0).copy_from(&(Mat3::identity() * mass));
        whole.fixed_view_mut::<3, 3>(0, 3).copy_from(&(so3::skew(&offset).transpose() * mass));
        whole.fixed_view_mut::<3, 3>(3, 0).copy_from(&(so3::skew(&offset) * mass));
        whole.fixed_view_mut::<3, 3>(3, 3).copy_from(&rho);
        let director = |k| Carried::direction(node, Vec3::ith(k, 1.0));
        let carried = [Carried::point(node, Vec3::zeros()), director(0), director(1), director(2)];
        b.force("wrench", Box::new(Wrench { carried, mass: whole }));
    }
    b.build()
}

/// e_R, e_u, e_w, e_v of V7.
fn errors(state: &State) -> [f64; 4] {
    let (r, rot, v, _) = prescribed(state.t);
    let (linear, omega) = se3::split(&v);
    let (frame, exact) = (&state.frames[1], rot * linear);
    let own = &state.v;
    let (speed, spin) = (Vec3::new(own[0], own[1], own[2]), Vec3::new(own[3], own[4], own[5]));
    [
        so3::log(&rot.tr_mul(&frame.rot)).norm(),
        (frame.r - r).norm() / r.norm(),
        (spin - omega).norm() / omega.norm(),
        (speed - exact).norm() / exact.norm(),
    ]
}

fn assert_digits(found: f64, exact: f64, digits: i32, what: &str) {
    let unit = 10_f64.powf(exact.abs().log10().floor() - (digits - 1) as f64);
    assert!((found - exact).abs() < 0.6 * unit, "{what}: {found:.4e} instead of {exact:e}");
}

/// V7 as printed (no body has such an inertia), and with an offset that a body can have.
#[test]
fn a_forced_body_errs_as_the_table_says() {
    let start = Vec6::new(2.0, 0.0, -3.5, 2.0, 0.0, 2.0);
    let printed = [
        (40, [6.270e-4, 2.523e-2, 3.726e-4, 5.266e-3]),
        (80, [8.963e-5, 3.238e-3, 4.616e-5, 6.778e-4]),
        (160, [1.190e-5, 4.081e-4, 5.709e-6, 8.543e-5]),
    ];
    let possible =
        [(80, [7.657e-5, 3.246e-3, 5.157e-6, 6.067e-4]), (160, [9.792e-6, 4.090e-4, 7.190e-7, 7.649e-5])];
    let offsets = [Vec3::new(0.25, -0.03, 0.12), Vec3::new(0.05, -0.03, 0.02)];
    for (offset, table) in offsets.into_iter().zip([&printed[..], &possible[..]]) {
        let system = forced_body(offset, true, start);
        for &(steps, exact) in table {
            let (state, _, iterations) = run(&system, tight(1, ConstraintPoints::Radau, true), steps, 4.0);
            let found = errors(&state);
            println!("{steps}: {found:.4?}, {iterations} iterations");
            for (found, exact) in found.iter().zip(exact) {
                assert_digits(*found, exact, 4, &format!("{steps} steps"));
            }
            assert!(iterations < 5.0);
        }
    }
}

/// P9: what a free body loses of its energy, and how its momentum drifts.
#[test]
fn a_free_body_loses_energy_as_the_table_says() {
    let start = Vec6::new(1.0, -0.5, 0.3, 4.0, 2.0, -3.0);
    let system = forced_body(Vec3::new(0.25, -0.03, 0.12), false, start);
    let balance = |state: &State| {
        let a = vec![0.0; system.size()];
        system.balance(&poinsot_integrators::instant(state, &a), &mut Scratch::default())
    };
    let first = balance(&system.start_state(0.0));
    assert_digits(first.total(), 37.324, 5, "energy");
    let table = [(20, 1.152, 0.624), (40, 0.1549, 0.0776), (80, 0.01963, 0.00947), (160, 0.00246, 0.00117)];
    for (steps, loss, drift) in table {
        let mut integration = DiscontinuousGalerkin::new(
            &system,
            tight(1, ConstraintPoints::Radau, true),
            system.start_state(0.0),
        )
        .unwrap();
        let mut last = first.total();
        for _ in 0..steps {
            integration.step(2.0 / steps as f64).unwrap();
            let now = balance(integration.state()).total();
            assert!(now < last, "energy rises");
            last = now;
        }
        println!("{steps}: loss {:.4e}", first.total() - last);
        assert_digits(first.total() - last, loss, 3, "loss");
        let now = balance(integration.state());
        let [linear, angular] =
            [now.momentum - first.momentum, now.angular_momentum - first.angular_momentum].map(|p| p.norm());
        println!("    drift {linear:.4e}, {angular:.4e}, {:.4e}", linear.hypot(angular));
        assert_digits(linear.hypot(angular), drift, 3, "drift");
    }
}

/// The heavy top of X3 and the double pendulum of X4.
pub fn heavy_top() -> System {
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    let (arm, omega) = (Vec3::y(), Vec3::new(1.0, 10.0, -2.0));
    let start = Frame { r: arm, rot: Mat3::identity() };
    let node = b.node("top", Chart::Motion, start, Twist { linear: omega.cross(&arm), angular: omega });
    let inertia = Mat3::from_diagonal(&Vec3::new(0.234375, 0.46875, 0.234375));
    b.body(Body::new(node, &MassProperties::new(15.0, Vec3::zeros(), inertia)));
    let at = |node, origin| attach(node, origin, Mat3::identity());
    b.constraint("pivot", Box::new(spherical(&at(GROUND, Vec3::zeros()), &at(node, -arm))));
    b.build()
}

pub fn double_pendulum() -> System {
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    let (w1, w2) = (Vec3::new(1.0, 0.5, 2.0), Vec3::new(-2.0, 1.0, -1.0));
    let x = Vec3::x();
    let (v1, v2) = (w1.cross(&(x * 0.5)), w1.cross(&x) + w2.cross(&(x * 0.4)));
    let mut body = |r: Vec3, v, w, mass, inertia: Vec3| {
        let start = Frame { r, rot: Mat3::identity() };
        let node = b.node("link", Chart::Motion, start, Twist { linear: v, angular: w });
        b.body(Body::new(node, &MassProperties::new(mass, Vec3::zeros(), Mat3::from_diagonal(&inertia))));
        node
    };
    let one = body(x * 0.5, v1, w1, 1.0, Vec3::new(0.02, 0.09, 0.1));
    let two = body(x * 1.4, v2, w2, 0.7, Vec3::new(0.01, 0.05, 0.06));
    let at = |node, along: f64| attach(node, Vec3::x() * along, Mat3::identity());
    b.constraint("pivot", Box::new(spherical(&at(GROUND, 0.0), &at(one, -0.5))));
    b.constraint("joint", Box::new(spherical(&at(one, 0.5), &at(two, -0.4))));
    b.build()
}

/// Rotation, velocity and multipliers that a run errs by.
fn difference(system: &System, found: &(State, Vec<f64>, f64), exact: &(State, Vec<f64>, f64)) -> [f64; 3] {
    let turn = |k: usize| so3::log(&found.0.frames[k].rot.tr_mul(&exact.0.frames[k].rot)).norm();
    let rotation = (1..found.0.frames.len()).map(turn).fold(0.0, f64::max);
    let velocity: Vec<f64> = found.0.v.iter().zip(&exact.0.v).map(|(a, b)| a - b).collect();
    let rows = system.constraint_equations();
    let multipliers: Vec<f64> = rows.iter().map(|&k| found.1[k] - exact.1[k]).collect();
    [rotation, largest(&velocity), largest(&multipliers)]
}

#[test]
fn a_top_stays_on_its_pivot() {
    let system = heavy_top();
    let settings = tight(1, ConstraintPoints::Radau, false);
    let exact = run(&system, tight(3, ConstraintPoints::Radau, true), 2000, 1.0);
    for (steps, rotation) in [(20, 1.53e-2), (40, 1.93e-3), (80, 2.40e-4), (160, 2.98e-5)] {
        let found = run(&system, settings, steps, 1.0);
        let error = difference(&system, &found, &exact);
        let open = violation(&system, &found.0);
        println!("{steps}: {error:?}, open {open:?}, {} iterations", found.2);
        // The table compares with 1280 steps of the same, which err by (steps/1280)³ of that.
        let own = 1.0 - (steps as f64 / 1280.0).powi(3);
        assert_digits(error[0] * own, rotation, 3, "rotation");
        assert!(open.0 < 4e-15 && open.1 < 2e-12, "{open:?}");
    }
}

/// X4 and P1: orders of configuration and velocity, and how far the joints are open, at steps of 0.8/80 and
/// 0.8/160 or, where errors are then rounding, at longer ones.
#[test]
fn points_of_constraints_decide_on_the_order() {
    use ConstraintPoints::{Gauss, Radau};
    let system = double_pendulum();
    let reference = run(&system, tight(3, Radau, true), 2000, 0.8);
    for (points, project, degree, steps, orders) in [
        // As published: k = 1 has orders 3, 2 and 1 with Radau points, 2, 1 and 1 with Gauss points.
        (Radau, false, 1, 80, [2.9, 1.8, 0.85]),
        (Radau, false, 2, 20, [4.9, 2.9, 1.9]),
        (Radau, false, 3, 10, [6.5, 3.8, 2.7]),
        (Gauss, false, 1, 80, [1.9, 0.9, f64::NEG_INFINITY]),
        (Gauss, false, 2, 40, [2.9, 1.8, 1.3]),
        (Gauss, false, 3, 20, [3.8, 2.8, 1.6]),
        // The end moved onto the constraints on velocities frees them of the error of multipliers.
        (Radau, true, 1, 80, [2.9, 2.9, 0.85]),
        (Radau, true, 2, 20, [4.9, 4.9, 1.9]),
        (Radau, true, 3, 20, [6.6, 6.6, 2.7]),
    ] {
        let [coarse, fine] = [1, 2].map(|halves| {
            let found = run(&system, tight(degree, points, project), steps * halves, 0.8);
            (difference(&system, &found, &reference), violation(&system, &found.0))
        });
        let found: [f64; 3] = std::array::from_fn(|i| order(coarse.0[i], fine.0[i]));
        println!("{points:?} {project} k {degree}: {:?} orders {found:.2?} open {:?}", fine.0, fine.1);
        for (found, least) in found.iter().zip(orders) {
            assert!(*found > least, "{points:?} {project} k {degree}: orders {found} below {least}");
        }
        if points == Radau {
            assert!(fine.1.0 < 1e-15 && (!project || fine.1.1 < 1e-13), "open {:?}", fine.1);
        }
        if (points, degree) == (Radau, 1) && !project {
            // Against 1280 steps of the same, which err by (160/1280)³ of that.
            assert_digits(fine.0[0] * (1.0 - 1.0 / 512.0), 5.27e-6, 3, "rotation");
        }
        if (points, degree) == (Gauss, 1) {
            // |g| has order two. Of the components of a vector the largest is found, the norm is 5.1e-5.
            assert!(fine.1.0 < 5.1e-5 && fine.1.0 > 5.1e-5 / 3f64.sqrt(), "open {:?}", fine.1);
        }
    }
}

/// With tolerances that steps do not come near to, the end is that of the solved element: three points in ten
/// steps leave 1e-10, which an iteration cut short would not.
#[test]
fn the_end_of_a_step_is_that_of_the_last_iterate() {
    let system = double_pendulum();
    let at = |steps: usize, tolerance: f64| {
        let settings =
            DgSettings { tolerance: Tolerance::both(tolerance), ..tight(3, ConstraintPoints::Radau, true) };
        run(&system, settings, steps, 0.8)
    };
    let exact = at(320, 1e-13);
    for steps in [80, 160, 320] {
        let error = difference(&system, &at(steps, 1e-9), &exact);
        // 2.4e-9 at 40 steps, of order seven.
        assert!(error[0] < 1e-10 && error[1] < 1e-9, "{steps}: {error:?}");
    }
}

#[test]
fn the_matrix_is_the_derivative_of_the_residual() {
    let mut random = Random(11);
    for system in [double_pendulum(), heavy_top(), conserving_models::revolute_pair()] {
        for points in [ConstraintPoints::Radau, ConstraintPoints::Gauss] {
            for degree in DEGREES {
                let start = system.start_state(0.3);
                let mut element = TimeElement::new(&system, Scheme::new(degree, points), &start);
                let h = 0.05;
                let size = element.size();
                let a: Vec<f64> = (0..system.size()).map(|_| random.next() - 0.5).collect();
                let nudge: Vec<f64> = (0..size).map(|_| random.next() - 0.5).collect();
                let mut at = |y: &[f64], sign: f64, out: &mut Vec<f64>| {
                    element.begin(&start, h);
                    element.go_on(&a);
                    element.improve(&nudge);
                    let y: Vec<f64> = y.iter().map(|y| sign * y).collect();
                    element.improve(&y);
                    out.resize(size, 0.0);
                    element.residual(out);
                };
                let (mut plus, mut minus) = (vec![], vec![]);
                let mut columns = vec![];
                for k in 0..size {
                    let mut y = vec![0.0; size];
                    y[k] = 1e-5;
                    at(&y, 1.0, &mut plus);
                    at(&y, -1.0, &mut minus);
                    columns.push(plus.iter().zip(&minus).map(|(p, m)| (p - m) / 2e-5).collect::<Vec<_>>());
                }
                at(&vec![0.0; size], 1.0, &mut plus);
                element.factor().unwrap();
                let (pattern, values) = element.matrix();
                let mut dense = vec![vec![0.0; size]; size];
                for (c, column) in dense.iter_mut().enumerate() {
                    for (&r, slot) in pattern.rows(c).iter().zip(pattern.slots(c)) {
                        column[r] = values[slot];
                    }
                }
                let scale = columns.iter().flatten().fold(0.0, |m: f64, x| m.max(x.abs()));
                for (c, (dense, differences)) in dense.iter().zip(&columns).enumerate() {
                    for (r, (exact, difference)) in dense.iter().zip(differences).enumerate() {
                        assert!(
                            (exact - difference).abs() < 2e-8 * scale,
                            "{points:?} k {degree} ({r}, {c}): {exact} instead of {difference}"
                        );
                    }
                }
            }
        }
    }
}
