//! Ordering and LU on KKT matrices of random mechanisms.

use crate::common;

use common::{Kkt, Mechanism, Random, carrier, chain, ring, tree_with_loops};
use poinsot_numerics::dense::{DenseLu, condition, expand, rank};
use poinsot_numerics::ordering::{Coupler, order_groups, order_groups_strict};
use poinsot_numerics::{PatternBuilder, PivotingLu, SparseLu};
use proptest::prelude::*;

fn size(x: &[f64]) -> f64 {
    x.iter().fold(0.0, |s, x| s.max(x.abs()))
}

fn distance(x: &[f64], y: &[f64]) -> f64 {
    let difference: Vec<_> = x.iter().zip(y).map(|(x, y)| x - y).collect();
    size(&difference)
}

/// |b − A x| / (|b| + |x|).
fn residual(kkt: &Kkt, b: &[f64], x: &[f64]) -> f64 {
    let mut r = b.to_vec();
    kkt.pattern.accumulate(&kkt.values, x, -1.0, &mut r);
    size(&r) / (size(b) + size(x))
}

fn agrees_with_dense(mechanism: &Mechanism, seed: u64) {
    let kkt = mechanism.kkt(seed);
    let mut lu = SparseLu::new(&kkt.pattern);
    lu.factor(&kkt.values).unwrap();
    let mut random = Random::new(seed + 1);
    let (b, c) = (random.vector(lu.n()), random.vector(lu.n()));
    let (mut x, mut y, mut z) = (b.clone(), b.clone(), c.clone());
    lu.solve(&mut x);
    lu.solve2(&mut y, &mut z);
    assert!(distance(&x, &y) <= 1e-15 * size(&x));
    assert!(residual(&kkt, &b, &x) <= 1e-12);
    assert!(residual(&kkt, &c, &z) <= 1e-12);
    // cᵀ(A⁻¹ b) = (A⁻ᵀ c)ᵀ b.
    let mut w = c.clone();
    lu.solve_transposed(&mut w);
    let product = |x: &[f64], y: &[f64]| x.iter().zip(y).map(|(x, y)| x * y).sum::<f64>();
    let scale = size(&x).max(size(&w)) * size(&b).max(size(&c)) * b.len() as f64;
    assert!((product(&c, &x) - product(&w, &b)).abs() <= 1e-12 * scale);
    let full = expand(&kkt.pattern, &kkt.values);
    let mut exact = b.clone();
    DenseLu::new(full.as_ref()).unwrap().solve(&mut exact);
    let condition = condition(full.as_ref()).unwrap();
    assert!(distance(&x, &exact) <= 1e-14 * condition * size(&exact));
    let before = residual(&kkt, &b, &x);
    lu.refine(&kkt.values, &kkt.pattern, &b, &mut x);
    assert!(residual(&kkt, &b, &x) <= before.max(1e-15));
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(40) })]
    #[test]
    fn random_mechanisms_agree_with_dense_lu(
        bodies in 1usize..25,
        planar in any::<bool>(),
        rows in 1usize..4,
        loops in 0usize..6,
        seed in 0u64..1000,
    ) {
        let (body, rows) = if planar { (3, rows.min(2)) } else { (6, rows) };
        // No more loops than degrees of freedom, or the rows are dependent.
        let loops = loops.min(bodies * (body - rows) / 2);
        agrees_with_dense(&tree_with_loops(bodies, body, rows, loops, seed), seed);
    }
}

#[test]
fn large_fronts_agree_with_dense_lu() {
    // A dense matrix of every size around the vector and chunk lengths.
    for n in (1..40).chain([63, 64, 65, 97]) {
        let mut builder = PatternBuilder::new(n);
        builder.add_clique(&(0..n).collect::<Vec<_>>());
        let pattern = builder.build();
        let mut random = Random::new(n as u64);
        let mut values = random.vector(n * n);
        for i in 0..n {
            values[i * n + i] += n as f64;
        }
        let mut lu = SparseLu::new(&pattern);
        lu.factor(&values).unwrap();
        let b = random.vector(n);
        let (mut x, mut y, mut exact) = (b.clone(), b.clone(), b.clone());
        lu.solve(&mut x);
        DenseLu::new(expand(&pattern, &values).as_ref()).unwrap().solve(&mut exact);
        assert!(distance(&x, &exact) <= 1e-14, "n = {n}");
        let dropped = lu.factor_dropping(&values, &vec![true; n], 1e-10).unwrap();
        assert!(dropped.is_empty());
        lu.solve(&mut y);
        assert!(distance(&y, &exact) <= 1e-14, "n = {n}");
    }
    agrees_with_dense(&ring(40, 6, 5), 3);
    agrees_with_dense(&carrier(12, 3, 6, 5), 4);
    agrees_with_dense(&tree_with_loops(60, 6, 3, 80, 5), 5);
}

#[test]
fn pivoting_fallback_gives_the_same_solution() {
    let kkt = tree_with_loops(30, 6, 3, 5, 11).kkt(11);
    let mut lu = SparseLu::new(&kkt.pattern);
    let mut pivoting = PivotingLu::new(&kkt.pattern).unwrap();
    lu.factor(&kkt.values).unwrap();
    pivoting.factor(&kkt.values).unwrap();
    let mut x = Random::new(1).vector(lu.n());
    let mut y = x.clone();
    lu.solve(&mut x);
    pivoting.solve(&mut y);
    assert!(distance(&x, &y) <= 1e-10 * size(&x));
    lu.solve_transposed(&mut x);
    pivoting.solve_transposed(&mut y);
    assert!(distance(&x, &y) <= 1e-10 * size(&x));
}

/// Appends a copy of a coupler, the rows of which then depend on the first.
fn with_copy(mechanism: &mut Mechanism, original: usize, seed: u64) -> (Kkt, usize) {
    let copy = mechanism.couplers[original].clone();
    mechanism.couplers.push(copy);
    let sizes = vec![mechanism.size; mechanism.bodies];
    let order = order_groups_strict(&sizes, &mechanism.couplers);
    let mut kkt = mechanism.kkt_ordered(order, seed);
    let last = mechanism.couplers.len() - 1;
    let (from, to) = (kkt.order.coupler_offset[original], kkt.order.coupler_offset[last]);
    let rows = mechanism.couplers[last].rows;
    for r in 0..rows {
        for &node in &mechanism.couplers[last].nodes {
            let offset = kkt.order.node_offset[node];
            for column in offset..offset + mechanism.size {
                let slot = |i, j| kkt.pattern.index(i, j).unwrap();
                kkt.values[slot(to + r, column)] = kkt.values[slot(from + r, column)];
                kkt.values[slot(column, to + r)] = kkt.values[slot(column, from + r)];
            }
        }
    }
    (kkt, rows)
}

#[test]
fn duplicated_rows_are_dropped_and_the_rest_is_solved() {
    for seed in 0..20 {
        let mut mechanism = tree_with_loops(12, 6, 3, 2, seed);
        let original = seed as usize % 12;
        let (kkt, copies) = with_copy(&mut mechanism, original, seed);
        let n = kkt.pattern.n();
        assert_eq!(rank(expand(&kkt.pattern, &kkt.values).as_ref(), 1e-12).unwrap(), n - copies);
        let mut lu = SparseLu::new(&kkt.pattern);
        let error = lu.factor(&kkt.values).unwrap_err();
        assert!(kkt.multiplier[error.row], "{error}");
        let dropped = lu.factor_dropping(&kkt.values, &kkt.multiplier, 1e-10).unwrap();
        assert_eq!(dropped.len(), copies, "seed {seed}: {dropped:?}");
        // A consistent right-hand side is met, with zero where rows were dropped.
        let mut b = vec![0.0; n];
        kkt.pattern.multiply(&kkt.values, &Random::new(seed).vector(n), &mut b);
        let mut x = b.clone();
        lu.solve(&mut x);
        assert!(residual(&kkt, &b, &x) <= 1e-12, "seed {seed}");
        assert!(dropped.iter().all(|&row| x[row] == 0.0));
    }
}

#[test]
fn a_failed_factorisation_leaves_no_trace() {
    let kkt = chain(5, 6, 3).kkt(1);
    let mut lu = SparseLu::new(&kkt.pattern);
    let mut broken = kkt.values.clone();
    broken[kkt.pattern.index(9, 9).unwrap()] = f64::NAN;
    assert!(lu.factor(&broken).is_err());
    broken.fill(0.0);
    assert_eq!(lu.factor(&broken).unwrap_err().row, 0);
    assert!(lu.factor_dropping(&broken, &kkt.multiplier, 1e-10).is_err());
    lu.factor(&kkt.values).unwrap();
    let b = Random::new(1).vector(lu.n());
    let mut x = b.clone();
    lu.solve(&mut x);
    assert!(residual(&kkt, &b, &x) <= 1e-14);
}

#[test]
fn scaling_of_units_does_not_trip_the_pivot_test() {
    // Masses of 1e12 make multiplier pivots of 1e-12.
    let mut kkt = chain(20, 6, 3).kkt(1);
    for column in 0..kkt.pattern.n() {
        for (slot, &row) in kkt.pattern.slots(column).zip(kkt.pattern.rows(column)) {
            if !kkt.multiplier[row] && !kkt.multiplier[column] {
                kkt.values[slot] *= 1e12;
            }
        }
    }
    SparseLu::new(&kkt.pattern).factor(&kkt.values).unwrap();
}

#[test]
fn chain_fills_only_between_neighbouring_joints() {
    // Link i: 6 + 3 pivots that see the 3 multipliers of the next joint.
    for bodies in [1, 2, 10, 1000] {
        let lu = SparseLu::new(&chain(bodies, 6, 3).kkt(1).pattern);
        assert_eq!(lu.fill(), bodies * 81 + (bodies - 1) * 2 * 27);
    }
}

#[test]
fn fill_is_linear_in_the_number_of_bodies() {
    let per_body = |bodies: usize, loops: usize| {
        let mechanism = tree_with_loops(bodies, 6, 3, loops, 3);
        SparseLu::new(&mechanism.kkt(1).pattern).fill() as f64 / bodies as f64
    };
    assert!(per_body(4000, 0) < 1.1 * per_body(500, 0));
    assert!(per_body(4000, 400) < 1.3 * per_body(500, 50));
    let fill = |n| SparseLu::new(&ring(n, 6, 3).kkt(1).pattern).fill() as f64 / n as f64;
    assert!(fill(1000) < 1.05 * fill(100));
}

#[test]
fn order_is_a_numbering_with_couplers_after_their_nodes() {
    for seed in 0..30 {
        let mut mechanism = tree_with_loops(40, 6, 4, 10, seed);
        let nodes = vec![1, 5, 9];
        mechanism.couplers.push(Coupler { nodes, rows: 2 });
        let nodes = vec![3, 8];
        mechanism.couplers.push(Coupler { nodes, rows: 0 });
        let nodes = vec![];
        mechanism.couplers.push(Coupler { nodes, rows: 1 });
        let order = order_groups_strict(&vec![6; 40], &mechanism.couplers);
        let mut used = vec![false; order.n];
        let mut take = |offset: usize, count: usize| {
            for slot in &mut used[offset..offset + count] {
                assert!(!std::mem::replace(slot, true));
            }
        };
        order.node_offset.iter().for_each(|&offset| take(offset, 6));
        for (coupler, &offset) in mechanism.couplers.iter().zip(&order.coupler_offset) {
            take(offset, coupler.rows);
            assert!(coupler.rows == 0 || coupler.nodes.iter().all(|&n| order.node_offset[n] < offset));
        }
        assert!(used.into_iter().all(|used| used));
    }
}

#[test]
fn hub_does_not_gather_the_multipliers_of_its_legs() {
    let mechanism = carrier(40, 1, 6, 3);
    let sizes = vec![6; mechanism.bodies];
    let strict = mechanism.kkt_ordered(order_groups_strict(&sizes, &mechanism.couplers), 1);
    let relaxed = mechanism.kkt_ordered(order_groups(&sizes, &mechanism.couplers), 1);
    let products = |kkt: &Kkt| SparseLu::new(&kkt.pattern).products();
    assert!(3 * products(&relaxed) < products(&strict));
    agrees_with_dense(&mechanism, 1);
}
