//! A joint of one's own: a bead on a wire that has the shape of a parabola.
//!
//! ```text
//! Φ = z − k x²        G = ∂Φ/∂(x, y, z) = (−2 k x, 0, 1)        and y = 0
//! ```
//! cargo run --release --example own_joint -p poinsot

use poinsot::{Blocks, Carried, Configuration, Constraint, Error, Gradients, Mat3, Model, Place, Vec3};

/// A point stays on the wire z = k x² in the plane y = 0 of the world.
#[derive(Debug)]
struct Wire {
    bead: [Carried; 1],
    k: f64,
}

impl Constraint for Wire {
    fn kind(&self) -> &'static str {
        "wire"
    }

    fn row_name(&self, row: usize) -> &'static str {
        ["height above the wire", "offset from its plane"][row]
    }

    fn rows(&self) -> usize {
        2
    }

    fn carried(&self) -> &[Carried] {
        &self.bead
    }

    fn reaction_point(&self) -> usize {
        0
    }

    fn residual(&self, at: &Configuration, phi: &mut [f64]) {
        phi[0] = at.x[0].z - self.k * at.x[0].x.powi(2);
        phi[1] = at.x[0].y;
    }

    // The constraint force is along these, and nothing else needs to be said about it.
    fn gradients(&self, at: &Configuration, g: &mut Gradients) {
        g.push(0, 0, Vec3::new(-2.0 * self.k * at.x[0].x, 0.0, 1.0));
        g.push(1, 0, Vec3::y());
    }

    // ∂(G ẋ)/∂x at fixed ẋ.
    fn rate_gradients(&self, _at: &Configuration, xdot: &[Vec3], g: &mut Gradients) {
        g.push(0, 0, Vec3::new(-2.0 * self.k * xdot[0].x, 0.0, 0.0));
    }

    // Σ λ ∂G/∂x.
    fn hessian(&self, _at: &Configuration, lambda: &[f64], h: &mut Blocks) {
        h.push(0, 0, Mat3::from_diagonal(&Vec3::new(-2.0 * self.k * lambda[0], 0.0, 0.0)));
    }

    // Quadratic in x: energy–momentum steps keep energy with it as they do with joints of the library.
    fn is_quadratic(&self) -> bool {
        true
    }
}

fn main() -> Result<(), Error> {
    const CURVE: f64 = 0.8;
    let mut results = vec![];
    // The same joint with every integrator: none needs to know it.
    for integrator in ["generalized-alpha", "radau", "energy-momentum", "dormand-prince"] {
        let mut builder = Model::builder("wire");
        builder.body("bead").set("type", "point").set("mass", 0.2).set("position", [0.5, 0.0, 0.2]);
        builder.signal("x", "bead.position.x");
        builder.study("motion").set("end", 2.0).set("step", 2e-4).set("integrator", integrator);
        let mut model = builder.build()?;
        model.add_joint("wire", &[Place::point("bead", [0.0; 3])], |x| Wire { bead: [x[0]], k: CURVE })?;
        let run = model.run()?;
        assert!(run.holds(), "{}", run.text());
        println!("{integrator:16} x = {:+.6} m after 2 s", run.last("x")?);
        results.push(run.last("x")?);
    }
    assert!(results.iter().all(|x| (x - results[1]).abs() < 1e-4));
    Ok(())
}
