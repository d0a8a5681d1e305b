//! Times the step of an N-link chain: `chain [planar|spatial|planar-body] N h t_end [position|stabilised]
//! [tolerance]`.

use poinsot_analysis::consistent_start;
use poinsot_benches::chain::{Kind, chain};
use poinsot_geometry::Vec3;
use poinsot_integrators::{Gs4, Gs4Form, Member, Settings, Stepper};
use std::time::Instant as Clock;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    let kind = args.get(1).map_or("spatial", |s| s.as_str());
    let n: usize = args.get(2).and_then(|s| s.parse().ok()).unwrap_or(10);
    let h: f64 = args.get(3).and_then(|s| s.parse().ok()).unwrap_or(1e-3);
    let t_end: f64 = args.get(4).and_then(|s| s.parse().ok()).unwrap_or(1.0);
    let form =
        if args.get(5).is_some_and(|s| s == "position") { Gs4Form::Position } else { Gs4Form::Stabilised };
    let tolerance: f64 = args.get(6).and_then(|s| s.parse().ok()).unwrap_or(1e-10);
    let kind = match kind {
        "planar" => Kind::Planar,
        "planar-body" => Kind::PlanarBodies,
        _ => Kind::Spatial,
    };
    let (mut system, last, l) = chain(kind, n);
    let clock = Clock::now();
    let (state, report) = consistent_start(&mut system, 0.0).unwrap();
    println!("start {:.1} ms, redundant {}", clock.elapsed().as_secs_f64() * 1e3, report.redundant.len());
    let settings = Settings { member: Member::u0(0.9, 0.9, 0.9), form, tolerance, ..Settings::default() };
    let mut gs4 = Gs4::new(&system, settings, state, h).unwrap();
    let steps = (t_end / h).round() as usize;
    let clock = Clock::now();
    for k in 0..steps {
        if let Err(e) = gs4.step(h) {
            println!("step {k}: {e}");
            break;
        }
    }
    let wall = clock.elapsed().as_secs_f64();
    let z = &gs4.state().frames[last];
    let tip = z.r + z.rot * Vec3::new(l / 2.0, 0.0, 0.0);
    let c = gs4.counters();
    println!(
        "{kind:?} N={n} {:.2} us/step, it/step {:.2}, fact/step {:.3}, tip {:.9?}",
        wall / c.steps as f64 * 1e6,
        c.iterations as f64 / c.steps as f64,
        c.factorisations as f64 / c.steps as f64,
        tip.as_slice()
    );
}
