//! A pendulum: build a model, run it, read a column, compare with what is known.
//!
//! cargo run --release --example pendulum -p poinsot

use poinsot::{Entry, Error, Model};

fn main() -> Result<(), Error> {
    // A rod of 1 m, hinged at its upper end, let go 30° from where it hangs. Keys are those of a model file,
    // and a text is an expression of the parameters.
    let mut builder = Model::builder("pendulum");
    builder.settings().set("plane", "zx").set("gravity", [0.0, 0.0, -9.81]);
    builder.parameter("L", 1.0).parameter("start", "radians(30)");
    builder
        .body("rod")
        .set("shape", Entry::of_type("box").with("size", ["0.02", "0.02", "L"]).with("mass", 1.2))
        .set("position", ["-L/2*sin(start)", "0", "-L/2*cos(start)"])
        .set("orientation", Entry::new().with("axis", [0, 1, 0]).with("angle", "start"));
    builder
        .joint("hinge", "revolute")
        .set("between", ["ground", "rod"])
        .set("at", [0, 0, 0])
        .set("axis", [0, 1, 0]);
    builder.signal("angle", "hinge.angle + start");
    builder.study("motion").set("end", 10.0).set("integrator", "radau").set("output_step", 0.005);

    let model = builder.build()?;
    let run = model.run()?;

    // What was checked, with ✓, ! or ✗ before each line.
    println!("{}", run.text());
    assert!(run.holds());

    // Times at which the pendulum comes through its lowest place, by straight lines between the rows.
    let (time, angle) = (run.time(), run.column("angle")?);
    let passes: Vec<f64> = (1..time.len())
        .filter(|&k| angle[k - 1].signum() != angle[k].signum())
        .map(|k| time[k - 1] - angle[k - 1] * (time[k] - time[k - 1]) / (angle[k] - angle[k - 1]))
        .collect();
    let half_periods = (passes.len() - 1) as f64;
    let measured = 2.0 * (passes[passes.len() - 1] - passes[0]) / half_periods;

    // T = 4 √(2L/3g) K(sin(θ/2)), the complete elliptic integral by the arithmetic–geometric mean.
    let theta = 30f64.to_radians();
    let (mut a, mut b) = (1.0f64, (theta / 2.0).cos());
    while (a - b).abs() > 1e-15 {
        (a, b) = ((a + b) / 2.0, (a * b).sqrt());
    }
    let length = 1.0f64;
    let inertia = 1.2 * (length.powi(2) + 0.02f64.powi(2)) / 12.0 + 1.2 * 0.25 * length.powi(2);
    let exact = 2.0 * std::f64::consts::PI / a * (inertia / (1.2 * 9.81 * length / 2.0)).sqrt();
    println!("period {measured:.6} s, exactly {exact:.6} s");
    assert!((measured - exact).abs() < 1e-4 * exact);
    Ok(())
}
