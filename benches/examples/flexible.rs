//! Times a model with a flexible body: `flexible MODEL POINT H T_END METHOD [REPEATS]`, or writes the
//! matrices of the full body for a peer: `flexible MODEL matrices FOLDER`.
//!
//! POINT is the body whose place is told at the end, METHOD `position` or `stabilised`. Set-up is all
//! from the text of the model on: reading the mesh, elements, reduction, system, start.

use poinsot_analysis::consistent_start;
use poinsot_integrators::{Gs4Form, Member, Method, Settings};
use poinsot_model::build;
use poinsot_numerics::SymmetricMatrix;
use poinsot_studies::load_str;
use std::fmt::Write;
use std::time::Instant as Clock;

fn method(name: &str) -> Method {
    let gs4 = |form| Settings { member: Member::u0(0.9, 0.9, 0.9), form, ..Settings::default() }.into();
    match name {
        "position" => gs4(Gs4Form::Position),
        "stabilised" => gs4(Gs4Form::Stabilised),
        other => panic!("no method {other}: position or stabilised"),
    }
}

/// A symmetric matrix as MatrixMarket text.
fn market(matrix: &SymmetricMatrix) -> String {
    let mut text = String::from("%%MatrixMarket matrix coordinate real symmetric\n");
    writeln!(text, "{0} {0} {1}", matrix.size(), matrix.entries().count()).unwrap();
    for (i, j, value) in matrix.entries() {
        writeln!(text, "{} {} {value:e}", i.max(j) + 1, i.min(j) + 1).unwrap();
    }
    text
}

fn main() {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let number = |k: usize, default: f64| args.get(k).map_or(default, |s| s.parse().unwrap());
    let text = std::fs::read_to_string(&args[0]).expect("a model file");
    let clock = Clock::now();
    let (model, _) = load_str(&args[0], &text, &[]).expect("a valid model");
    if args[1] == "matrices" {
        let full = model.flexible[0].recipe.as_ref().expect("of elements").data.full().expect("a body");
        let nodes: String = full.nodes.iter().map(|x| format!("{:e},{:e},{:e}\n", x.x, x.y, x.z)).collect();
        for (name, text) in
            [("k.mtx", market(&full.stiffness)), ("m.mtx", market(&full.mass)), ("nodes.csv", nodes)]
        {
            std::fs::write(format!("{}/{name}", args[2]), text).expect("a folder to write to");
        }
        return;
    }
    let (mut system, assembly) = build(&model).expect("a system");
    let (state, _) = consistent_start(&mut system, 0.0).expect("a start");
    let setup = clock.elapsed().as_secs_f64();
    let body = model.bodies.iter().position(|body| body.name == args[1]).expect("a body of the model");
    let node = assembly.nodes[body];
    let (h, t_end) = (number(2, 1e-3), number(3, 1.0));
    let steps = (t_end / h).round() as usize;
    let (mut least, mut last) = (f64::INFINITY, None);
    for _ in 0..number(5, 1.0) as usize {
        let mut run = method(&args[4]).start(&system, state.clone(), h).expect("a start of the method");
        let clock = Clock::now();
        for k in 0..steps {
            run.step(h).expect("a step");
            run.snap_time((k + 1) as f64 * h);
        }
        least = clock.elapsed().as_secs_f64().min(least);
        last = Some(run);
    }
    let run = last.expect("one run or more");
    let (c, place) = (run.counters(), run.state().frames[node].r);
    println!(
        "{{\"setup\": {setup:e}, \"step\": {:e}, \"iterations\": {:.3}, \"shapes\": {}, \"place\": {:?}}}",
        least / c.steps as f64,
        c.iterations as f64 / c.steps as f64,
        model.flexible[0].body.size(),
        place.as_slice(),
    );
}
