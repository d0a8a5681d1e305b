#![allow(dead_code)]
#[path = "../tests/suite/reduction_bodies.rs"]
mod reduction_bodies;
use poinsot_flexible::reduction::*;
use std::time::Instant;
fn main() {
    let n: Vec<usize> = std::env::args().skip(1).map(|x| x.parse().unwrap()).collect();
    let t = Instant::now();
    let body = reduction_bodies::lattice([n[0], n[1], n[2]], true);
    println!("body {} unknowns {:?}", body.unknowns.len(), t.elapsed());
    let mut request = Reduction {
        interfaces: vec![],
        method: Method::Free { modes: ModeChoice::Count(30), corrections: 0 },
        reference: Reference::MeanAxis,
        damping: Damping::None,
        compare: 0,
    };
    let t = Instant::now();
    let reduced = reduce(&body, &request).unwrap();
    println!("30 free modes {:?}", t.elapsed());
    println!("{:?}", reduced.report.frequencies);
    let far = body.nodes.iter().map(|x| x.x).fold(0.0, f64::max);
    request.interfaces = vec![
        InterfaceRequest::rigid("a", &reduction_bodies::nodes_at(&body, |x| x.x < 0.01)),
        InterfaceRequest::mean("b", &reduction_bodies::nodes_at(&body, |x| x.x > far - 0.01)),
    ];
    request.method = Method::CraigBampton(ModeChoice::Count(30));
    request.compare = 10;
    let t = Instant::now();
    let reduced = reduce(&body, &request).unwrap();
    println!("craig-bampton 30 with comparison {:?}\n{}", t.elapsed(), reduced.report.words());
    println!(
        "{}",
        std::fs::read_to_string("/proc/self/status")
            .unwrap()
            .lines()
            .find(|l| l.starts_with("VmHWM"))
            .unwrap()
    );
}
