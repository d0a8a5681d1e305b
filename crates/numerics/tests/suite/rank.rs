//! Dependent constraint rows: the rank-revealing factorisation against dense singular values.

use crate::common;

use common::Random;
use poinsot_numerics::dense::{Mat, singular_values};
use poinsot_numerics::krylov::{KrylovSettings, smallest_singular_values};
use poinsot_numerics::ordering::{Coupler, order_groups_strict};
use poinsot_numerics::{Pattern, PatternBuilder, SparseLu};

/// Rows of constraints on bodies of six velocities.
struct Constraint {
    bodies: Vec<usize>,
    /// One row of six numbers per body, by rows of the constraint.
    rows: Vec<Vec<f64>>,
}

struct System {
    bodies: usize,
    /// Inverse square root of the (diagonal) mass matrix, by body.
    inverse_root: Vec<[f64; 6]>,
    constraints: Vec<Constraint>,
}

impl System {
    fn new(bodies: usize, random: &mut Random) -> Self {
        let inverse_root = (0..bodies)
            .map(|_| std::array::from_fn(|i| (if i < 3 { 1.0 } else { 3.0 }) * 2f64.powf(random.number())))
            .collect();
        Self { bodies, inverse_root, constraints: Vec::new() }
    }

    fn rows(&self) -> usize {
        self.constraints.iter().map(|c| c.rows.len()).sum()
    }

    /// G M^{-1/2} with rows of unit length.
    fn scaled(&self) -> Mat<f64> {
        let mut g = Mat::zeros(self.rows(), 6 * self.bodies);
        let mut row = 0;
        for constraint in &self.constraints {
            for numbers in &constraint.rows {
                for (k, &body) in constraint.bodies.iter().enumerate() {
                    for i in 0..6 {
                        g[(row, 6 * body + i)] = numbers[6 * k + i] * self.inverse_root[body][i];
                    }
                }
                let length = g.row(row).norm_l2();
                for j in 0..6 * self.bodies {
                    g[(row, j)] /= length;
                }
                row += 1;
            }
        }
        g
    }

    /// [M Gᵀ; G 0] in strict order, with the marks of the multipliers.
    fn kkt(&self) -> (Pattern, Vec<f64>, Vec<bool>) {
        let couplers: Vec<_> = self
            .constraints
            .iter()
            .map(|c| Coupler { nodes: c.bodies.clone(), rows: c.rows.len() })
            .collect();
        let order = order_groups_strict(&vec![6; self.bodies], &couplers);
        let body = |b: usize| (order.node_offset[b]..order.node_offset[b] + 6).collect::<Vec<_>>();
        let mut builder = PatternBuilder::new(order.n);
        for b in 0..self.bodies {
            builder.add_clique(&body(b));
        }
        let mut multiplier = vec![false; order.n];
        for (c, &offset) in self.constraints.iter().zip(&order.coupler_offset) {
            let rows: Vec<_> = (offset..offset + c.rows.len()).collect();
            multiplier[offset..offset + c.rows.len()].fill(true);
            c.bodies.iter().for_each(|&b| {
                builder.add_block(&rows, &body(b));
            });
        }
        let pattern = builder.build();
        let mut values = vec![0.0; pattern.nnz()];
        let mut set = |i, j, value| values[pattern.index(i, j).unwrap()] = value;
        for b in 0..self.bodies {
            for (i, &at) in body(b).iter().enumerate() {
                set(at, at, self.inverse_root[b][i].powi(-2));
            }
        }
        for (c, &offset) in self.constraints.iter().zip(&order.coupler_offset) {
            for (r, numbers) in c.rows.iter().enumerate() {
                for (k, &b) in c.bodies.iter().enumerate() {
                    for (i, &at) in body(b).iter().enumerate() {
                        set(at, offset + r, numbers[6 * k + i]);
                        set(offset + r, at, numbers[6 * k + i]);
                    }
                }
            }
        }
        (pattern, values, multiplier)
    }

    fn dropped(&self, tolerance: f64) -> usize {
        let (pattern, values, multiplier) = self.kkt();
        SparseLu::new(&pattern).factor_dropping(&values, &multiplier, tolerance).unwrap().len()
    }

    /// Singular values of the scaled rows, ascending.
    fn spectrum(&self) -> Vec<f64> {
        let mut values = singular_values(self.scaled().as_ref()).unwrap();
        values.resize(self.rows(), 0.0);
        values.reverse();
        values
    }
}

/// Rows of velocity of the point p along d (`moment` false) or of angular velocity along d.
fn row(from_center: [f64; 3], d: [f64; 3], moment: bool, sign: f64) -> Vec<f64> {
    let r = from_center;
    let cross = [r[1] * d[2] - r[2] * d[1], r[2] * d[0] - r[0] * d[2], r[0] * d[1] - r[1] * d[0]];
    let numbers = if moment {
        [0.0, 0.0, 0.0, d[0], d[1], d[2]]
    } else {
        [d[0], d[1], d[2], cross[0], cross[1], cross[2]]
    };
    numbers.iter().map(|x| sign * x).collect()
}

fn minus(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    std::array::from_fn(|i| a[i] - b[i])
}

/// Revolute joint about an axis near z at a point, of one body on the ground or of two.
fn revolute(bodies: &[usize], centers: &[[f64; 3]], point: [f64; 3], tilt: [f64; 2]) -> Constraint {
    // Across the axis (t₀, t₁, 1).
    let (across, along) = ([[1.0, 0.0, -tilt[0]], [0.0, 1.0, -tilt[1]]], [tilt[0], tilt[1], 1.0]);
    let mut rows = Vec::new();
    for (d, moment) in
        [(across[0], false), (across[1], false), (along, false), (across[0], true), (across[1], true)]
    {
        let mut numbers = Vec::new();
        for (k, &b) in bodies.iter().enumerate() {
            let sign = if k == 0 { -1.0 } else { 1.0 };
            numbers.extend(row(minus(point, centers[b]), d, moment, sign));
        }
        rows.push(numbers);
    }
    Constraint { bodies: bodies.to_vec(), rows }
}

/// Loop of n links between two points of the ground with spatial revolute joints: with parallel
/// axes three of its rows are dependent, with tilted ones none from seven joints on.
fn closed_loop(n: usize, tilt: f64, seed: u64) -> System {
    let mut random = Random::new(seed);
    let mut system = System::new(n, &mut random);
    // Joints on a wide arc with random deviations.
    let joints: Vec<[f64; 3]> = (0..=n)
        .map(|i| {
            let angle = std::f64::consts::PI * i as f64 / n as f64;
            let radius = n as f64 / 3.0 + 0.3 * random.number();
            [radius * angle.cos(), radius * angle.sin(), 0.2 * random.number()]
        })
        .collect();
    let centers: Vec<[f64; 3]> = (0..n)
        .map(|i| std::array::from_fn(|k| 0.5 * (joints[i][k] + joints[i + 1][k]) + 0.1 * random.number()))
        .collect();
    for (i, &point) in joints.iter().enumerate() {
        let bodies: Vec<usize> = (i.saturating_sub(1)..(i + 1).min(n)).collect();
        let tilt = [tilt * random.number(), tilt * random.number()];
        system.constraints.push(revolute(&bodies, &centers, point, tilt));
    }
    system
}

#[test]
fn three_rows_of_a_planar_loop_are_dropped_at_any_length() {
    for n in [3, 10, 30, 100, 300, 1000, 3000] {
        for seed in 0..4 {
            let system = closed_loop(n, 0.0, seed);
            for tolerance in [1e-13, 1e-11, 1e-9] {
                assert_eq!(system.dropped(tolerance), 3, "{n} links, tolerance {tolerance:e}");
            }
        }
    }
}

#[test]
fn no_row_of_a_spatial_loop_is_dropped_at_any_length() {
    for n in [6, 7, 10, 30, 100, 300, 1000, 3000] {
        for seed in 0..4 {
            assert_eq!(closed_loop(n, 0.5, seed).dropped(1e-9), 0, "{n} links");
        }
    }
}

#[test]
fn nearly_planar_loops_lose_rows_where_singular_values_vanish() {
    for n in [8, 30, 60] {
        for (tilt, tolerance) in [(1e-2, 1e-9), (1e-3, 1e-11), (1e-7, 1e-9), (1e-9, 1e-13), (1e-12, 1e-13)] {
            let system = closed_loop(n, tilt, n as u64);
            let dependent = system.spectrum().iter().filter(|&&s| s < f64::sqrt(tolerance)).count();
            let expected = if tilt > 1e-5 { 0 } else { 3 };
            assert_eq!(dependent, expected, "{n} links, tilt {tilt:e}: {:?}", &system.spectrum()[..4]);
            assert_eq!(system.dropped(tolerance), expected, "{n} links, tilt {tilt:e}");
        }
    }
}

/// Random tree of bodies with random joints of three rows, some closing loops.
fn random_mechanism(bodies: usize, loops: usize, random: &mut Random) -> System {
    let mut system = System::new(bodies, random);
    let mut pairs: Vec<Vec<usize>> = vec![vec![0]];
    pairs.extend((1..bodies).map(|i| vec![i - 1 - random.below(i.min(3)), i]));
    for _ in 0..loops {
        let a = random.below(bodies - 1);
        pairs.push(vec![a, a + 1 + random.below(bodies - 1 - a)]);
    }
    for bodies in pairs {
        let rows = (0..3).map(|_| random.vector(6 * bodies.len())).collect();
        system.constraints.push(Constraint { bodies, rows });
    }
    system
}

/// Appends a row that combines up to `parts` rows of different joints, off by `deviation`.
fn add_combination(system: &mut System, parts: usize, deviation: f64, random: &mut Random) {
    let count = system.constraints.len();
    let mut sum = vec![0.0; 6 * system.bodies];
    let mut bodies = Vec::new();
    for _ in 0..parts {
        let constraint = &system.constraints[random.below(count)];
        let numbers = &constraint.rows[random.below(constraint.rows.len())];
        let factor = 1.0 + 0.5 * random.number();
        for (k, &b) in constraint.bodies.iter().enumerate() {
            bodies.push(b);
            for i in 0..6 {
                sum[6 * b + i] += factor * numbers[6 * k + i];
            }
        }
    }
    bodies.sort_unstable();
    bodies.dedup();
    let size = sum.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
    let entries = bodies.iter().flat_map(|&b| 6 * b..6 * b + 6);
    let row = entries.map(|i| sum[i] + deviation * size * random.number()).collect();
    system.constraints.push(Constraint { bodies, rows: vec![row] });
}

#[test]
fn dropped_rows_agree_with_singular_values() {
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let bodies = 4 + random.below(20);
        for (deviation, tolerance, dependent) in [
            (0.0, 1e-9, true),
            (0.0, 1e-13, true),
            (1e-12, 1e-9, true),
            (1e-12, 1e-13, true),
            (1e-9, 1e-9, true),
            (1e-9, 1e-13, true),
            (1e-6, 1e-9, true),
            (1e-2, 1e-9, false),
        ] {
            let mut system = random_mechanism(bodies, bodies / 4, &mut random);
            let added = 1 + random.below(4);
            // Copies (one part) and combinations.
            for i in 0..added {
                add_combination(&mut system, 1 + i, deviation, &mut random);
            }
            let values = system.spectrum();
            let vanishing = values.iter().filter(|&&s| s < f64::sqrt(tolerance)).count();
            let dropped = system.dropped(tolerance);
            assert_eq!(
                dropped,
                vanishing,
                "seed {seed}, deviation {deviation:e}: {:?}",
                &values[..added + 1]
            );
            assert_eq!(dropped, if dependent { added } else { 0 }, "seed {seed}, deviation {deviation:e}");
        }
    }
}

#[test]
fn small_deviations_are_kept_where_asked_for() {
    // Pivots of about 1e-10 of their terms stand clear of rounding errors in small mechanisms.
    for seed in 0..30 {
        let mut random = Random::new(seed);
        let mut system = random_mechanism(8, 1, &mut random);
        add_combination(&mut system, 2, 1e-5, &mut random);
        assert!(system.spectrum()[0] < 1e-4);
        assert_eq!(system.dropped(1e-13), 0, "seed {seed}");
        // Twice the same row is dropped at any tolerance.
        add_combination(&mut system, 1, 0.0, &mut random);
        assert_eq!(system.dropped(0.0), 1, "seed {seed}");
    }
}

#[test]
fn smallest_singular_values_through_the_kkt_matrix() {
    let system = closed_loop(40, 1e-2, 1);
    let exact = {
        // Of G M^{-1/2} as it is, without scaling of rows.
        let scaled = system.scaled();
        let mut lengths = Vec::new();
        for c in &system.constraints {
            for numbers in &c.rows {
                let squares = numbers
                    .iter()
                    .enumerate()
                    .map(|(i, x)| (x * system.inverse_root[c.bodies[i / 6]][i % 6]).powi(2));
                lengths.push(squares.sum::<f64>().sqrt());
            }
        }
        let g = Mat::from_fn(scaled.nrows(), scaled.ncols(), |i, j| scaled[(i, j)] * lengths[i]);
        let mut values = singular_values(g.as_ref()).unwrap();
        values.reverse();
        values
    };
    let (pattern, values, multiplier) = system.kkt();
    let mut lu = SparseLu::new(&pattern);
    lu.factor(&values).unwrap();
    let rows: Vec<usize> = (0..pattern.n()).filter(|&i| multiplier[i]).collect();
    let mut b = vec![0.0; pattern.n()];
    // S⁻¹ r = −λ.
    let mut inverse = |r: &[f64], out: &mut [f64]| {
        b.fill(0.0);
        rows.iter().zip(r).for_each(|(&row, r)| b[row] = *r);
        lu.solve(&mut b);
        rows.iter().zip(out).for_each(|(&row, out)| *out = -b[row]);
    };
    let found = smallest_singular_values(rows.len(), &mut inverse, 5, &KrylovSettings::default()).unwrap();
    println!("{} applications", found.applications);
    for (pair, exact) in found.pairs.iter().zip(&exact) {
        assert!((pair.value / exact - 1.0).abs() < 1e-6, "{} {exact}", pair.value);
    }
}
