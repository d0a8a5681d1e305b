//! Times the sparse LU on chains and on a tree with loops.
//!
//! `cargo run --release -p poinsot-benches --example lu_timing`

#[path = "../../crates/numerics/tests/suite/common/mod.rs"]
#[allow(dead_code, reason = "uses a part of them")]
mod common;

use common::{Kkt, Mechanism, Random, carrier, chain, ring, tree_with_loops};
use poinsot_numerics::{PivotingLu, SparseLu};
use std::time::Instant;

/// Best time of one call in microseconds, over batches of about a millisecond.
fn time(mut call: impl FnMut()) -> f64 {
    let start = Instant::now();
    call();
    let once = start.elapsed().as_secs_f64();
    let batch = (1e-3 / once.max(1e-9)).clamp(1.0, 2000.0) as usize;
    let mut best = f64::INFINITY;
    let begin = Instant::now();
    while begin.elapsed().as_secs_f64() < 0.15 {
        let start = Instant::now();
        for _ in 0..batch {
            call();
        }
        best = best.min(start.elapsed().as_secs_f64() / batch as f64);
    }
    1e6 * best
}

fn residual(kkt: &Kkt, b: &[f64], x: &[f64]) -> f64 {
    let mut r = b.to_vec();
    kkt.pattern.accumulate(&kkt.values, x, -1.0, &mut r);
    let size = |v: &[f64]| v.iter().fold(0.0, |s: f64, x| s.max(x.abs()));
    size(&r) / size(x).max(size(b))
}

/// Times of the same matrix with faer's sparse LU.
fn time_pivoting(kkt: &Kkt, b: &[f64]) -> (f64, f64) {
    let Ok(mut lu) = PivotingLu::new(&kkt.pattern) else {
        return (f64::NAN, f64::NAN);
    };
    let factor = time(|| {
        std::hint::black_box(lu.factor(&kkt.values).is_ok());
    });
    let mut x = b.to_vec();
    let solve = time(|| {
        x.copy_from_slice(b);
        lu.solve(&mut x);
    });
    (factor, solve)
}

fn report(name: &str, mechanism: &Mechanism) {
    let order = time(|| {
        std::hint::black_box(mechanism.order());
    });
    let kkt = mechanism.kkt(1);
    let analyse = time(|| {
        std::hint::black_box(SparseLu::new(&kkt.pattern));
    });
    let mut lu = SparseLu::new(&kkt.pattern);
    if let Err(error) = lu.factor(&kkt.values) {
        println!("{name:<28} {error}");
        return;
    }
    let factor = time(|| lu.factor(&kkt.values).expect("factored before"));
    let b = Random::new(2).vector(kkt.pattern.n());
    let mut x = b.clone();
    let mut y = b.clone();
    let solve = time(|| {
        x.copy_from_slice(&b);
        lu.solve(&mut x);
    });
    let solve2 = time(|| {
        x.copy_from_slice(&b);
        y.copy_from_slice(&b);
        lu.solve2(&mut x, &mut y);
    });
    let error = residual(&kkt, &b, &x);
    let (pivoting_factor, pivoting_solve) = time_pivoting(&kkt, &b);
    println!(
        "{name:<28} {:>7} {:>9} {:>10} {:>7} {order:>10.1} {analyse:>10.1} {factor:>10.2} {solve:>10.2} {solve2:>10.2} {error:>9.1e} {pivoting_factor:>10.1} {pivoting_solve:>10.2}",
        kkt.pattern.n(),
        lu.fill(),
        lu.products(),
        lu.fronts(),
    );
}

fn main() {
    println!("times in µs");
    println!(
        "{:<28} {:>7} {:>9} {:>10} {:>7} {:>10} {:>10} {:>10} {:>10} {:>10} {:>9} {:>10} {:>10}",
        "",
        "n",
        "fill",
        "products",
        "fronts",
        "order",
        "analyse",
        "factor",
        "solve",
        "solve2",
        "residual",
        "faer LU",
        "solve"
    );
    for (name, size, rows) in [("planar", 3, 2), ("spherical", 6, 3), ("revolute", 6, 5)] {
        for bodies in [10, 100, 1000, 10_000] {
            report(&format!("chain {name} {bodies}"), &chain(bodies, size, rows));
        }
    }
    report("ring spherical 1000", &ring(1000, 6, 3));
    report("tree, 300 loops, 1000", &tree_with_loops(1000, 6, 3, 300, 7));
    report("tree spherical 1000", &tree_with_loops(1000, 6, 3, 0, 7));
    report("tree revolute, 100 loops", &tree_with_loops(1000, 6, 5, 100, 9));
    report("carrier of 20 legs of 3", &carrier(20, 3, 6, 5));
    report("carrier of 5 legs of 3", &carrier(5, 3, 6, 5));
    report("tree, 3000 loops, 10000", &tree_with_loops(10_000, 6, 3, 3000, 7));
}
