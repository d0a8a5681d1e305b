//! A sweep: the same model for many values of a parameter, on all cores. Nothing is read or parsed again.
//!
//! cargo run --release --example sweep -p poinsot

use poinsot::{Error, Model};
use std::f64::consts::TAU;
use std::thread;

const MASS: f64 = 2.0;
const STIFFNESS: f64 = 320.0;
const DAMPING: f64 = 6.0;
const PUSH: f64 = 5.0;

/// A mass on a rail with spring and damper, pushed at a frequency.
fn shaker() -> Result<Model, Error> {
    let mut builder = Model::builder("shaker");
    builder.settings().set("gravity", [0.0; 3]);
    builder.parameter("frequency", 1.0).parameter("omega", "2*pi*frequency");
    builder.body("mass").set("type", "point").set("mass", MASS);
    builder.joint("rail", "point_on_line").set("between", ["ground", "mass"]).set("axis", [1, 0, 0]);
    builder
        .force("mount", "spring")
        .set("between", ["ground", "mass"])
        .set("points", [[-1, 0, 0], [0, 0, 0]])
        .set("stiffness", STIFFNESS)
        .set("damping", DAMPING);
    let push = format!("{PUSH}*sin(omega*t)");
    builder.force("push", "force").set("on", "mass").set("force", [push.as_str(), "0", "0"]);
    builder.signal("x", "mass.position.x");
    builder.study("motion").set("end", 12.0).set("step", 1e-3).set("output_step", 2e-3);
    builder.build()
}

/// Largest |x| in the last third of the run, when the start is forgotten.
fn amplitude(model: &Model, frequency: f64) -> Result<f64, Error> {
    let run = model.with(&[("frequency", frequency)])?.run()?;
    let x = run.column("x")?;
    Ok(x[2 * x.len() / 3..].iter().fold(0.0, |most, x| f64::max(most, x.abs())))
}

fn main() -> Result<(), Error> {
    let model = &shaker()?;
    let frequencies: Vec<f64> = (1..=20).map(|k| 0.25 * f64::from(k)).collect();
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let found: Vec<Result<f64, Error>> = thread::scope(|scope| {
        let parts = frequencies.chunks(frequencies.len().div_ceil(cores));
        let parts: Vec<_> = parts
            .map(|part| scope.spawn(move || part.iter().map(|f| amplitude(model, *f)).collect::<Vec<_>>()))
            .collect();
        parts.into_iter().flat_map(|part| part.join().unwrap_or_default()).collect()
    });
    assert_eq!(found.len(), frequencies.len());
    for (frequency, amplitude) in frequencies.iter().zip(found) {
        // A = F/√((k − m ω²)² + (c ω)²)
        let (omega, amplitude) = (TAU * frequency, amplitude?);
        let exact = PUSH / (STIFFNESS - MASS * omega.powi(2)).hypot(DAMPING * omega);
        println!("{frequency:4.2} Hz  {:6.3} mm, exactly {:6.3} mm", 1e3 * amplitude, 1e3 * exact);
        assert!((amplitude - exact).abs() < 1e-3 * exact);
    }
    Ok(())
}
