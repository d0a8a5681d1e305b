//! What a member of a family costs: reading a model file, resolving it for other parameters, building it.
//! `cargo run --release -p poinsot-benches --example other_parameters [model files]`

use poinsot_model::build;
use poinsot_studies::load_str;
use std::time::Instant;

/// The least time of many (µs).
fn least(mut work: impl FnMut()) -> f64 {
    let mut least = f64::INFINITY;
    for _ in 0..50 {
        let clock = Instant::now();
        work();
        least = least.min(clock.elapsed().as_secs_f64());
    }
    1e6 * least
}

fn main() {
    let mut files: Vec<String> = std::env::args().skip(1).collect();
    if files.is_empty() {
        files = ["rotor_blade", "robot_arm", "voice_coil_beam", "dc_motor"]
            .map(|name| format!("{}/../examples/{name}.toml", env!("CARGO_MANIFEST_DIR")))
            .to_vec();
    }
    println!("{:24} {:>10} {:>10} {:>10}  (µs)", "model", "read", "resolve", "build");
    for file in files {
        let text = std::fs::read_to_string(&file).expect("a model file");
        let (model, _) = load_str(&file, &text, &[]).expect("a valid model");
        let Some(parameter) = model.parameters.first() else { continue };
        let values = [(parameter.name.clone(), 1.1 * parameter.value)];
        let set = [(parameter.name.clone(), format!("{:?}", 1.1 * parameter.value))];
        let read = least(|| drop(load_str(&file, &text, &set)));
        let resolve = least(|| drop(model.with_parameters(&values)));
        let built = least(|| drop(build(&model)));
        println!("{:24} {read:10.1} {resolve:10.1} {built:10.1}", model.name);
    }
}
