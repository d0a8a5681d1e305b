//! Identities of null space matrices (energy-momentum-null-space V-9.2, V-9.3, V-9.4) and the order of
//! Newton's iteration.

use super::*;
use crate::conserving_models::*;
use poinsot_geometry::{Mat3, Vec3};
use poinsot_mechanics::joints::*;
use poinsot_mechanics::{Body, Chart, Frame, GROUND, MassProperties, System, SystemBuilder, Twist};
use poinsot_numerics::dense::singular_values;
use poinsot_numerics::irregular;

const RULE: Rule = Rule::EnergyMomentum;

/// Two bodies on a joint, or one on the ground.
fn pair(kind: &str, grounded: bool, reversed: bool) -> System {
    let mut b = SystemBuilder::new(Vec3::z() * -9.81);
    let turn = so3(&Vec3::new(0.3, -0.8, 0.5));
    let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
    let mut ends = vec![];
    for k in 0..2 {
        if k == 0 && grounded {
            ends.push(attached(GROUND, Vec3::new(0.4, -0.1, 0.2), turn));
            continue;
        }
        let frame =
            Frame { r: Vec3::new(0.5, 0.2 * f64::from(k), -0.3), rot: so3(&Vec3::new(0.1, 0.9, -0.4)) };
        let node = b.node("body", Chart::Motion, frame, still);
        let inertia = Mat3::from_diagonal(&Vec3::new(1.0, 1.5, 2.0));
        b.body(Body::new(node, &MassProperties::new(1.0 + f64::from(k), Vec3::zeros(), inertia)));
        // Both attachments stand at the same place, with the same axes.
        let origin = frame.rot.transpose() * (Vec3::new(0.4, -0.1, 0.2) - frame.r);
        ends.push(attached(node, origin, frame.rot.transpose() * turn));
    }
    if reversed {
        ends.swap(0, 1);
    }
    let (one, two) = (&ends[0], &ends[1]);
    match kind {
        "spherical" => b.constraint(kind, Box::new(spherical(one, two))),
        "revolute" => b.constraint(kind, Box::new(revolute(one, two))),
        "prismatic" => b.constraint(kind, Box::new(prismatic(one, two))),
        "cylindrical" => b.constraint(kind, Box::new(cylindrical(one, two))),
        "planar" => b.constraint(kind, Box::new(planar(one, two))),
        "fixed" => b.constraint(kind, Box::new(fixed(one, two))),
        "universal" => {
            let cross =
                attached(two.node, two.origin, two.axes * so3(&(Vec3::x() * std::f64::consts::FRAC_PI_2)));
            b.constraint(kind, Box::new(universal(one, &cross)))
        }
        "point on line" => b.constraint(kind, Box::new(point_on_line(one, two))),
        "point on plane" => b.constraint(kind, Box::new(point_on_plane(one, two))),
        _ => {
            let away = attached(two.node, two.origin + Vec3::new(0.3, 0.4, 1.2), two.axes);
            b.constraint(kind, Box::new(distance(one, &away, 1.3)))
        }
    };
    b.build()
}

fn so3(theta: &Vec3) -> Mat3 {
    poinsot_geometry::so3::exp(theta)
}

struct Bench<'s> {
    view: Conserving<'s>,
    step: ConservingStep,
    newton: ReducedNewton,
}

impl<'s> Bench<'s> {
    fn new(system: &'s System) -> Self {
        let view = Conserving::new(system, Default::default());
        let mut step = ConservingStep::new(&view);
        step.h = 0.1;
        step.start.clone_from(&system.start_state(0.0).frames);
        step.memory.clone_from(&system.start_state(0.0).memory);
        step.rest();
        let newton = ReducedNewton::new(&view, &step, true).unwrap();
        Bench { view, step, newton }
    }

    /// F with irregular increments.
    fn scatter(&mut self, seed: usize, size: f64) {
        let nu: Vec<f64> = (0..self.newton.tree.size).map(|k| size * irregular(seed + k)).collect();
        self.newton.tree.columns(&self.view, &self.step, At::End, &mut self.newton.end).unwrap();
        self.newton.tree.update(&self.view, &mut self.step, &self.newton.end, &nu).unwrap();
    }

    fn constraints(&self) -> usize {
        self.view.system().constraints().len()
    }

    /// Columns of Pd° or P° as vectors of the view's unknowns.
    fn null_space(&mut self, at: At) -> Vec<Vec<f64>> {
        let n = &mut self.newton;
        n.tree.columns(&self.view, &self.step, at, &mut n.test).unwrap();
        let column = |k: usize| {
            let nu: Vec<f64> = (0..n.tree.size).map(|i| f64::from(u8::from(i == k))).collect();
            let mut delta = vec![0.0; self.view.size()];
            n.tree.push(&n.test, &nu, &mut delta);
            delta
        };
        (0..n.tree.size).map(column).collect()
    }

    /// Largest |G P| over all constraints of a tree.
    fn product(&mut self, at: At) -> f64 {
        let columns = self.null_space(at);
        let (mut rows, mut room, mut worst) = (vec![0.0; 72], ConservingScratch::default(), 0.0_f64);
        for c in 0..self.constraints() {
            match at {
                At::Test(rule) => self.view.discrete_rows(c, rule, &self.step, &mut rows, &mut room),
                At::End => self.view.end_rows(c, &self.step, &mut rows, &mut room),
            }
            let unknowns = self.view.touched_unknowns(c);
            for k in 0..self.view.rows_in_force(c).count() {
                for column in &columns {
                    let row = &rows[k * unknowns.len()..(k + 1) * unknowns.len()];
                    let value: f64 = row.iter().zip(unknowns).map(|(g, &eq)| g * column[eq]).sum();
                    worst = worst.max(value.abs());
                }
            }
        }
        worst
    }

    fn open(&self) -> f64 {
        let (mut phi, mut room) = ([0.0; 6], ConservingScratch::default());
        let mut worst = 0.0_f64;
        for c in 0..self.constraints() {
            self.view.end_residual(c, &self.step, &mut phi, &mut room);
            let rows = self.view.rows_in_force(c).count();
            worst = phi[..rows].iter().fold(worst, |m, p| m.max(p.abs()));
        }
        worst
    }
}

/// V-9.2, V-9.3 and V-9.4 for one model that is a tree.
fn check_identities(name: &str, system: &System, free: usize) {
    let mut bench = Bench::new(system);
    assert_eq!(bench.newton.tree.size, free, "{name}");
    assert!(bench.newton.tree.closures.is_empty());
    for seed in 0..5 {
        bench.step.start.clone_from(&bench.step.end.clone());
        bench.step.rest();
        bench.newton.tree.begin(&bench.view, &bench.step).unwrap();
        bench.scatter(100 * seed, 0.6);
        // F keeps the constraints.
        assert!(bench.open() < 2e-14, "{name}: open {:e}", bench.open());
        let (discrete, tangent) = (bench.product(At::Test(RULE)), bench.product(At::End));
        assert!(discrete < 1e-13 && tangent < 1e-13, "{name}: Gd Pd {discrete:e}, G P {tangent:e}");
        let columns = bench.null_space(At::Test(RULE));
        if free > 0 {
            let matrix = Mat::from_fn(bench.view.size(), free, |i, j| columns[j][i]);
            let values = singular_values(matrix.as_ref()).unwrap();
            assert!(values[free - 1] > 1e-2, "{name}: singular values {values:?}");
        }
        // dF/dmu at 0 is P: central differences of the frames.
        let columns = bench.null_space(At::End);
        let (from, eps) = (bench.step.clone(), 1e-5);
        for (k, column) in columns.iter().enumerate() {
            let mut ends = vec![];
            for sign in [1.0, -1.0] {
                bench.step = from.clone();
                let mut nu = vec![0.0; free];
                nu[k] = sign * eps;
                let end = bench.newton.test.clone();
                bench.newton.tree.update(&bench.view, &mut bench.step, &end, &nu).unwrap();
                ends.push(bench.step.end.clone());
            }
            let mut linear = from.clone();
            let small: Vec<f64> = column.iter().map(|c| c * 1e-9).collect();
            linear.advance(&bench.view, &small);
            for (id, (ahead, behind)) in ends[0].iter().zip(&ends[1]).enumerate().skip(1) {
                let by_f = (ahead.r - behind.r) / (2.0 * eps);
                let by_p = (linear.change[id].r - from.change[id].r) / 1e-9;
                let turn_f = (ahead.rot - behind.rot) / (2.0 * eps);
                let turn_p = (linear.change[id].rot - from.change[id].rot) / 1e-9;
                let error = (by_f - by_p).norm() + (turn_f - turn_p).norm();
                assert!(error < 2e-6, "{name}, unknown {k}: dF − P = {error:e}");
            }
        }
        bench.step = from;
    }
}

#[test]
fn null_space_of_every_joint() {
    let kinds = [
        ("spherical", 3),
        ("revolute", 1),
        ("prismatic", 1),
        ("cylindrical", 2),
        ("planar", 3),
        ("fixed", 0),
        ("universal", 2),
        ("point on line", 4),
        ("point on plane", 5),
        ("distance", 5),
    ];
    for (kind, free) in kinds {
        for reversed in [false, true] {
            check_identities(kind, &pair(kind, true, reversed), free);
            check_identities(kind, &pair(kind, false, reversed), free + 6);
        }
    }
}

#[test]
fn null_space_of_trees() {
    check_identities("chain of hinges", &chain(5, Links::Hinge), 5);
    check_identities("chain of balls", &chain(4, Links::Ball), 12);
    check_identities("pendulum", &double_spherical_pendulum(), 4);
    check_identities("tree", &mixed_tree(false), 6 + 3 + 2 + 3 + 1 + 1);
    check_identities("grounded tree", &mixed_tree(true), 3 + 3 + 2 + 3 + 1 + 1);
}

/// The discrete null space needs no admissible end, so that the treatment with all coordinates has it exactly
/// too.
#[test]
fn discrete_null_space_holds_for_any_two_positions() {
    for kind in
        ["spherical", "revolute", "prismatic", "cylindrical", "planar", "fixed", "universal", "distance"]
    {
        for reversed in [false, true] {
            let system = pair(kind, false, reversed);
            let mut bench = Bench::new(&system);
            let delta: Vec<f64> = (0..bench.view.size()).map(|k| 0.4 * irregular(7 + k)).collect();
            bench.step.advance(&bench.view, &delta);
            assert!(bench.open() > 1e-2);
            assert!(bench.product(At::Test(RULE)) < 1e-13, "{kind}");
        }
    }
}

/// Sizes of the increments of one step, with a new matrix for every iterate.
fn increments(system: &System, minimal: bool, h: f64) -> Vec<f64> {
    let state = system.start_state(0.0);
    let mut bench = Bench::new(system);
    bench.newton.minimal = minimal;
    (bench.step.h, bench.newton.convergence) = (h, Convergence::always_factoring(CONSERVING));
    for (id, rate) in bench.step.rates.iter_mut().enumerate() {
        *rate = state.frames[id].rate(&system.twist(id, &state.v));
    }
    let scale = Scale { linear: 0.1, angular: 0.1, tolerance: 1e-12, round_off: 1e-15, max_iterations: 20 };
    let mut sizes = vec![];
    for _ in 0..8 {
        let (newton, step) = (&mut bench.newton, &mut bench.step);
        newton.factored_for = None;
        newton.evaluate(&bench.view, RULE, step, &mut Effort::default()).unwrap();
        newton.factor(&bench.view, RULE, step, &mut Effort::default()).unwrap();
        sizes.push(newton.improve(&bench.view, step, 0.5 * h * h, &scale).unwrap());
    }
    sizes
}

/// e_{k+1} ≤ C e_k² down to round-off.
#[test]
fn newton_converges_quadratically() {
    let mut regular = linkage();
    regular.suspend_rows(&[(6, 4)]);
    for (name, system, h) in [
        ("pendulum", double_spherical_pendulum(), 0.1),
        ("top", top(), 5e-3),
        ("revolute", revolute_pair(), 0.01),
        ("planar", planar_pair(), 4e-3),
        ("linkage", regular, 5e-3),
        ("tree", mixed_tree(true), 0.02),
    ] {
        for minimal in [true, false] {
            let sizes = increments(&system, minimal, h);
            println!("{name} minimal {minimal}: {sizes:?}");
            let pairs: Vec<_> = sizes.windows(2).filter(|w| w[1] > 1e-10 && w[0] < 0.3).collect();
            assert!(!pairs.is_empty(), "{name}");
            assert!(pairs.iter().all(|w| w[1] < 50.0 * w[0] * w[0]), "{name} {minimal}: {sizes:?}");
            assert!(sizes.iter().any(|s| *s < 1e-11), "{name}: {sizes:?}");
        }
    }
}
