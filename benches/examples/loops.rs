//! Timings on a spatial system with many closed loops, in units of one numeric factorisation.
//!
//! `loops CELLS PENDULUMS`: a chain of cells that each close a loop of three bodies on the last link of the
//! cell before, in ever different planes: four-bars of revolutes in space, with three redundant rows each,
//! alternate with R-S-U-R loops. Pendulums hang from the cells. With 300 and 100 it has 1000 bodies and 300
//! loops.

use poinsot_analysis::{EquilibriumSettings, Redundancy, consistent_start, find_equilibrium, find_modes};
use poinsot_geometry::{Mat3, Vec3, so3};
use poinsot_integrators::SaddlePoint;
use poinsot_mechanics::forces::CoordinateForce;
use poinsot_mechanics::joints::{Attachment, revolute, spherical, universal};
use poinsot_mechanics::*;
use std::time::Instant as Clock;

struct Builder {
    b: SystemBuilder,
    random: u64,
}

impl Builder {
    fn noise(&mut self) -> f64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        (self.random >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    }

    /// A rod between two world points, modelled a little off its place.
    fn rod(&mut self, name: &str, from: Vec3, to: Vec3) -> (NodeId, Frame) {
        let place = Frame { r: (from + to) * 0.5, rot: Mat3::identity() };
        let off = Vec3::new(self.noise(), self.noise(), self.noise()) * 1e-3;
        let turn = so3::exp(&(Vec3::new(self.noise(), self.noise(), self.noise()) * 1e-3));
        let start = Frame { r: place.r + off, rot: turn };
        let still = Twist { linear: Vec3::zeros(), angular: Vec3::zeros() };
        let node = self.b.node(name, Chart::Motion, start, still);
        let inertia = Mat3::from_diagonal(&Vec3::new(2e-3, 2.2e-3, 2.5e-3));
        self.b.body(Body::new(node, &MassProperties::new(0.5, Vec3::zeros(), inertia)));
        (node, place)
    }

    fn pin(&mut self, name: &str, ends: [(NodeId, Frame); 2], at: Vec3, axes: Mat3) {
        let [first, second] = ends.map(|(node, place)| Attachment { node, origin: at - place.r, axes });
        self.b.constraint(name, Box::new(revolute(&first, &second)));
        let law = CoordinateForce {
            coordinate: Coordinate::angle(&first, &second),
            stiffness: 20.0,
            damping: 0.0,
            free: 0.0,
            law: None,
        };
        self.b.force(name, Box::new(law));
    }

    fn ball(&mut self, name: &str, ends: [(NodeId, Frame); 2], at: Vec3) {
        let [first, second] =
            ends.map(|(node, place)| Attachment { node, origin: at - place.r, axes: Mat3::identity() });
        self.b.constraint(name, Box::new(spherical(&first, &second)));
    }

    fn cross(&mut self, name: &str, ends: [(NodeId, Frame); 2], at: Vec3, axes: Mat3) {
        // Tilted axes, so that the loop is not in a singular position.
        let tilted = so3::exp(&Vec3::new(0.4, -0.3, 0.2)) * axes;
        let along = Mat3::from_columns(&[tilted.column(1), tilted.column(2), tilted.column(0)]);
        let [(one, first), (two, second)] = ends;
        let first = Attachment { node: one, origin: at - first.r, axes: along };
        let second = Attachment { node: two, origin: at - second.r, axes: tilted };
        self.b.constraint(name, Box::new(universal(&first, &second)));
    }
}

fn system(cells: usize, pendulums: usize) -> System {
    let mut s = Builder { b: SystemBuilder::new(Vec3::zeros()), random: 88172645463325252 };
    let mut base = (GROUND, Frame::identity());
    let mut axes = Mat3::identity();
    let mut corner = Vec3::zeros();
    for k in 0..cells {
        let (x, y) = (Vec3::from(axes.column(0)) * 0.3, Vec3::from(axes.column(1)) * 0.2);
        let across = y * 0.1;
        let points = [corner, corner + across, corner + across + x, corner + x * 0.9];
        let left = s.rod(&format!("left{k}"), points[0], points[1]);
        let coupler = s.rod(&format!("coupler{k}"), points[1], points[2]);
        let right = s.rod(&format!("right{k}"), points[2], points[3]);
        s.pin(&format!("a{k}"), [base, left], points[0], axes);
        s.pin(&format!("d{k}"), [right, base], points[3], axes);
        if k % 2 == 0 {
            s.pin(&format!("b{k}"), [left, coupler], points[1], axes);
            s.pin(&format!("c{k}"), [coupler, right], points[2], axes);
        } else {
            s.ball(&format!("b{k}"), [left, coupler], points[1]);
            s.cross(&format!("c{k}"), [coupler, right], points[2], axes);
        }
        if k < pendulums {
            let bob = s.rod(&format!("bob{k}"), points[2], points[2] - Vec3::z() * 0.3);
            s.pin(&format!("e{k}"), [coupler, bob], points[2], axes);
        }
        // The next cell stands on the right link, in another plane.
        base = right;
        corner = points[2];
        axes = so3::exp(&Vec3::new(0.7, 0.4, 0.9)) * axes;
    }
    s.b.build()
}

/// The shortest of a few runs (s).
fn best<T>(mut run: impl FnMut() -> T) -> (f64, T) {
    let mut shortest = f64::INFINITY;
    let mut last = None;
    for _ in 0..5 {
        let clock = Clock::now();
        last = Some(run());
        shortest = shortest.min(clock.elapsed().as_secs_f64());
    }
    (shortest, last.unwrap())
}

fn main() {
    let arguments: Vec<usize> = std::env::args().skip(1).filter_map(|a| a.parse().ok()).collect();
    let (cells, pendulums) =
        (arguments.first().copied().unwrap_or(300), arguments.get(1).copied().unwrap_or(100));
    let mut system = system(cells, pendulums);
    let bodies = system.nodes().len() - 1;
    let clock = Clock::now();
    let (state, start) = consistent_start(&mut system, 0.0).unwrap();
    let start_time = clock.elapsed().as_secs_f64();
    let mut saddle = SaddlePoint::new(&system);
    let (unit, _) = best(|| saddle.factor(&system, &state).unwrap());
    let (solve, _) = best(|| saddle.solve(&mut vec![1.0; system.size()]));
    println!(
        "{bodies} bodies, {cells} loops, {} equations, {} redundant rows",
        system.size(),
        start.redundant.len()
    );
    println!("one factorisation {:.3} ms, one solve {:.3} ms", unit * 1e3, solve * 1e3);
    let clock = Clock::now();
    let mut analysis = Redundancy::new(&system);
    println!("redundancy: set up {:.1} units", clock.elapsed().as_secs_f64() / unit);
    let (rank, found) = best(|| analysis.dependent(&system, &state).unwrap().0.len());
    let (names, _) = best(|| analysis.redundant(&system, &state).unwrap());
    let (distance, d) = best(|| analysis.distance(&system, &state).unwrap());
    println!(
        "redundancy: rank {:.1} units ({found} dependent rows), what they depend on {:.1} units, distance {:.1} units ({:?})",
        rank / unit,
        names / unit,
        distance / unit,
        d
    );
    println!(
        "consistent start: {} Newton iterations, {:.0} units, joints open by {:.1e} before, {:.1e} after",
        start.iterations,
        start_time / unit,
        start.residual.0,
        start.residual.1
    );
    let rest = find_equilibrium(&system, state, &EquilibriumSettings::default()).unwrap();
    println!("equilibrium: {} iterations by {:?}", rest.iterations, rest.method);
    let (modes, found) = best(|| find_modes(&system, &rest.state, &rest.a, GROUND, 10).unwrap());
    println!(
        "modes: {:.0} units, {} applications, lowest {:.6} and tenth {:.6} rad/s",
        modes / unit,
        found.applications,
        found.modes[0].value.norm(),
        found.modes[found.modes.len() - 1].value.norm()
    );
}
