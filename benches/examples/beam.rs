//! Times the steps of a beam: `beam CASE SPACE ELEMENTS ORDER H T_END METHOD [TOLERANCE [REPEATS]]`.
//!
//! CASE is `pendulum`, `flying` or `spinup`, SPACE `plane` or `space`, with `-motion` for elements that
//! interpolate motions and `-ancf` for lines by places and slopes, or `space-sections` (slopes across
//! the line) or `plate` (a strip of thin plate elements), ORDER the degree of the interpolation,
//! METHOD `position`, `stabilised` (both GS4) or `energy-momentum`.

use poinsot_analysis::consistent_start;
use poinsot_benches::beam::beam;
use poinsot_integrators::{ConservingSettings, Gs4Form, Member, Method, Settings};
use poinsot_mechanics::conserving::Rule;
use std::time::Instant as Clock;

fn method(name: &str, tolerance: f64) -> Method {
    let member = Member::u0(0.9, 0.9, 0.9);
    let gs4 = |form: Gs4Form| Settings { member, form, tolerance, ..Settings::default() }.into();
    match name {
        "position" => gs4(Gs4Form::Position),
        "stabilised" => gs4(Gs4Form::Stabilised),
        "energy-momentum" => {
            ConservingSettings { tolerance, ..ConservingSettings::new(Rule::EnergyMomentum) }.into()
        }
        other => panic!("no method {other}: position, stabilised or energy-momentum"),
    }
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, default: f64| args.get(k).map_or(default, |s| s.parse().unwrap());
    let word = |k: usize, default: &'static str| args.get(k).map_or(default, |s| s.clone().leak());
    let (case, space, name) = (word(0, "pendulum"), word(1, "plane"), word(6, "stabilised"));
    let (elements, order) = (number(2, 10.0) as usize, number(3, 1.0) as usize);
    let (h, t_end, tolerance) = (number(4, 1e-3), number(5, 0.7), number(7, 1e-8));
    let (mut system, nodes) = beam(case, space, elements, order);
    let (state, _) = consistent_start(&mut system, 0.0).unwrap();
    let steps = (t_end / h).round() as usize;
    let (mut stepper, mut wall) = (None, f64::INFINITY);
    for _ in 0..number(8, 1.0) as usize {
        let mut run = method(name, tolerance).start(&system, state.clone(), h).unwrap();
        let clock = Clock::now();
        for k in 0..steps {
            if let Err(e) = run.step(h) {
                println!("step {k}: {e}");
                break;
            }
            run.snap_time((k + 1) as f64 * h);
        }
        wall = clock.elapsed().as_secs_f64().min(wall);
        stepper = Some(run);
    }
    let Some(stepper) = stepper else { return };
    let c = stepper.counters();
    let place = |node: usize| stepper.state().frames[node].r;
    println!(
        "{:.3} us/step, it/step {:.3}, fact/step {:.4}, root {:.12?}, tip {:.12?}",
        wall / c.steps as f64 * 1e6,
        c.iterations as f64 / c.steps as f64,
        c.factorisations as f64 / c.steps as f64,
        place(nodes[0]).as_slice(),
        place(nodes[nodes.len() - 1]).as_slice(),
    );
}
