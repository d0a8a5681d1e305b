//! Temporary.
#[path = "../tests/common/mod.rs"]
mod common;
use poinsot_numerics::SparseLu;
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let (size, rows) = (a[2].parse().unwrap(), a[3].parse().unwrap());
    let kkt = common::chain(100, size, rows).kkt(1);
    let mut lu = SparseLu::new(&kkt.pattern);
    lu.factor(&kkt.values).unwrap();
    let b = common::Random::new(2).vector(kkt.pattern.n());
    let mut x = b.clone();
    let mut best = f64::INFINITY;
    for _ in 0..400 {
        let t = std::time::Instant::now();
        for _ in 0..200 {
            if a[1] == "f" { lu.factor(&kkt.values).unwrap(); } else { x.copy_from_slice(&b); lu.solve(&mut x); }
        }
        best = best.min(t.elapsed().as_secs_f64() / 200.0 / 100.0);
    }
    println!("{} {size}+{rows}: {:.1} ns per link", a[1], best * 1e9);
}
