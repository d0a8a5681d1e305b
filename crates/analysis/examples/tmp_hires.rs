#![allow(missing_docs, dead_code)]
use poinsot_analysis::*; use poinsot_integrators::*; use poinsot_mechanics::*; use poinsot_expr::*; use poinsot_geometry::Vec3;
struct Silent;
impl Observer for Silent { fn sample(&mut self, _: &System, _: &Sample) -> Result<(), String> { Ok(()) } fn keep_going(&mut self, _: f64) -> bool { true } }
fn network(names: &[&str], start: &[f64], eqs: &[&str]) -> System {
    let m = names.len();
    let mut args: Vec<String> = names.iter().map(|s| s.to_string()).collect();
    args.extend(names.iter().map(|s| format!("d{s}"))); args.push("t".into());
    let a: Vec<&str> = args.iter().map(|s| s.as_str()).collect();
    let equations = eqs.iter().map(|e| Function::new(&Expr::parse(e).unwrap(), &a, &|_| None).unwrap()).collect();
    let variables = (0..m).map(|i| Variable { name: names[i].into(), start: start[i], nominal: 1.0 }).collect();
    let mut b = SystemBuilder::new(Vec3::zeros());
    b.network(Network { name: "n".into(), variables, readings: vec![], equations, loads: vec![] }).unwrap();
    b.build()
}
fn main() {
    let hires = (vec!["y1","y2","y3","y4","y5","y6","y7","y8"], vec![1.,0.,0.,0.,0.,0.,0.,0.0057], vec!["dy1-(-1.71*y1+0.43*y2+8.32*y3+0.0007)","dy2-(1.71*y1-8.75*y2)","dy3-(-10.03*y3+0.43*y4+0.035*y5)","dy4-(8.32*y2+1.71*y3-1.12*y4)","dy5-(-1.745*y5+0.43*y6+0.43*y7)","dy6-(-280*y6*y8+0.69*y4+1.71*y5-0.43*y6+0.69*y7)","dy7-(280*y6*y8-1.81*y7)","dy8+(280*y6*y8-1.81*y7)"], 321.8122, vec![7.3713125733256678e-04,1.4424857263161847e-04,5.8887297409675751e-05,1.1756513432831492e-03,2.3863561988313306e-03,6.2389682527427958e-03,2.8499983951857691e-03,2.8500016048142309e-03]);
    let vdp = (vec!["y1","y2"], vec![2.,0.], vec!["dy1-y2","dy2-(1000*(1-y1*y1)*y2-y1)"], 2000., vec![1.7061677321704650e+00,-8.9280970102481655e-04]);
    let rob = (vec!["y1","y2","y3"], vec![1.,0.,0.], vec!["dy1+0.04*y1-1e4*y2*y3","dy2-0.04*y1+1e4*y2*y3+3e7*y2*y2","dy3-3e7*y2*y2"], 1e11, vec![2.0833401496947805e-08,8.3333607703087283e-14,9.9999997916651517e-01]);
    let stages: usize = std::env::args().nth(1).map_or(3, |a| a.parse().unwrap());
    for (name, p) in [("hires", &hires), ("vdp", &vdp), ("rob", &rob)] {
        for tol in [1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-9, 1e-10] {
            let mut best = f64::INFINITY; let mut line = String::new();
            for _ in 0..10 {
                let mut system = network(&p.0, &p.1, &p.2);
                let state = system.start_state(0.0);
                let tolerance = if name == "rob" { Tolerance { relative: tol, absolute: tol * 1e-6 } } else { Tolerance::both(tol) };
                let mut study = MotionStudy::adaptive(p.3, tolerance, ImplicitSettings { stages, tolerance, ..Default::default() });
                study.pace = Pace::Adaptive { tolerance, first: None, longest: None, every: Some(p.3) };
                let c0 = cpu();
                let r = run_motion(&mut system, state, &study, &mut Silent).unwrap();
                best = best.min(cpu() - c0);
                let n = &system.networks()[0];
                let err = (0..p.4.len()).map(|j| (r.state.v[n.unknown(j)] - p.4[j]).abs() / (p.4[j].abs() + if name=="rob" {1e-6} else {1.0})).fold(0.0, f64::max);
                let rel = (0..p.4.len()).map(|j| (r.state.v[n.unknown(j)] / p.4[j] - 1.0).abs()).fold(0.0, f64::max);
                let c = r.counters;
                line = format!("{name} {tol:.0e} mixed {err:.1e} rel {rel:.1e} steps {} rej {} uns {} it {} jac {} fact {} {}", c.steps, c.rejected, c.unsolved, c.iterations, c.jacobians, c.factorisations, matches!(r.ending, Ending::Completed));
            }
            println!("{line} {:.3} ms", best * 1e3);
        }
    }
}
fn cpu() -> f64 {
    #[repr(C)] struct Ts { s: i64, n: i64 }
    unsafe extern "C" { fn clock_gettime(id: i32, t: *mut Ts) -> i32; }
    let mut t = Ts { s: 0, n: 0 };
    unsafe { clock_gettime(3, &mut t); }
    t.s as f64 + 1e-9 * t.n as f64
}
