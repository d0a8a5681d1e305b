//! A force of one's own: the drag of the air on a ball, thrown at 45°.
//!
//! ```text
//! f = −c |ẋ| ẋ        ∂f/∂ẋ = −c (|ẋ| 1 + ẋ ẋᵀ/|ẋ|)
//! ```
//! cargo run --release --example own_force -p poinsot

use poinsot::{Blocks, Carried, Error, Force, Mat3, Model, Motion, Place, Power, Vec3};

/// Drag that grows with the square of the speed.
#[derive(Debug)]
struct Drag {
    at: [Carried; 1],
    /// Half the density of the air, times the area, times the drag coefficient (kg/m).
    c: f64,
}

impl Force for Drag {
    fn kind(&self) -> &'static str {
        "drag"
    }

    // The points and directions that the force is a function of.
    fn carried(&self) -> &[Carried] {
        &self.at
    }

    fn force(&self, at: &Motion, f: &mut [Vec3]) {
        f[0] -= at.xdot[0] * (self.c * at.xdot[0].norm());
    }

    // Exact derivatives: implicit integrators, modes and equilibria live on them.
    fn tangent(&self, at: &Motion, _k: &mut Blocks, c: &mut Blocks) {
        let (v, speed) = (at.xdot[0], at.xdot[0].norm());
        if speed > 0.0 {
            c.push(0, 0, (Mat3::identity() * speed + v * v.transpose() / speed) * -self.c);
        }
    }

    // What it takes out of the energy: the audit balances it against the motion.
    fn power(&self, at: &Motion) -> Power {
        Power { supplied: 0.0, dissipated: self.c * at.xdot[0].norm().powi(3) }
    }
}

/// A ball with and without air, thrown with some velocity.
fn balls(velocity: [f64; 3], end: f64) -> Result<[Model; 2], Error> {
    let mut builder = Model::builder("ball");
    builder.body("ball").set("type", "point").set("mass", MASS).set("velocity", velocity);
    builder.signal("x", "ball.position.x");
    builder.signal("fall", "-ball.velocity.z");
    builder.study("motion").set("end", end).set("output_step", 0.01);
    let vacuum = builder.build()?;
    let mut air = vacuum.clone();
    air.add_force("drag", &[Place::point("ball", [0.0; 3])], |x| Drag { at: [x[0]], c: DRAG })?;
    Ok([vacuum, air])
}

/// Mass of the ball (kg), drag (kg/m) and gravity (m/s²).
const MASS: f64 = 0.145;
const DRAG: f64 = 9e-4;
const GRAVITY: f64 = 9.81;

fn main() -> Result<(), Error> {
    let [vacuum, air] = balls([28.0, 0.0, 28.0], 4.0)?;
    let (free, slowed) = (vacuum.run()?, air.run()?);
    // The audit counts the drag: what the ball loses is what the drag dissipates.
    println!("{}", slowed.text());
    assert!(free.holds() && slowed.holds());
    println!("after 4 s: {:.1} m without air, {:.1} m with it", free.last("x")?, slowed.last("x")?);
    assert!((free.last("x")? - 112.0).abs() < 1e-6);

    // Let go from rest it falls with v = v∞ tanh(g t/v∞), m g = c v∞².
    let [_, air] = balls([0.0; 3], 6.0)?;
    let limit = (MASS * GRAVITY / DRAG).sqrt();
    let (exact, found) = (limit * (GRAVITY * 6.0 / limit).tanh(), air.run()?.last("fall")?);
    println!(
        "after 6 s of fall: {found:.6} m/s, exactly {exact:.6} m/s; it will never exceed {limit:.1} m/s"
    );
    assert!((found - exact).abs() < 1e-4 * exact);
    Ok(())
}
