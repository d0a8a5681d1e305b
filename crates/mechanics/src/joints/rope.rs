//! Rope of constant length over pulleys, in a plane of fixed direction.
//!
//! ```text
//! wheels k = 0 … m + 1 in the order of the rope: centre c_k, radius r_k, positive where the centre is on the
//! left of the rope seen against the normal n, zero at both ends
//!
//! D = c_{k+1} − c_k,   ρ = r_{k+1} − r_k,   D⊥ = D − n n·D = ℓ u + ρ n×u,   ℓ² = |D⊥|² − ρ²
//! α = arg D⊥ − atan2(ρ, ℓ)                     direction of the straight run u_k, counted over full turns
//! ℓ_k = √(|D|² − ρ²)                           its length, a slope out of the plane included
//! L = Σ_k ℓ_k + Σ_k r_k (α_k − α_{k−1}) = Σ_k (ℓ_k − ρ_k α_k)
//! Φ = L − L₀ = 0                               (1 row: one tension −λ from end to end)
//! ```
//! The rope slides freely: the tension is the same on both sides. Where a wheel turns along without slip the
//! rope is held at it: one row for the rope on each side, and the mark at which the wheel holds it turns with
//! the angle ψ of the wheel about n,
//!
//! ```text
//! before the wheel  Φ = … + r_k ψ_k − L₀ = 0,     behind it  Φ = … − r_k ψ_k − L₀ = 0
//! ```
//! so that the tensions differ by what turns the wheel. With m = n × u, for one run,
//!
//! ```text
//! ∂L/∂D  = D/ℓ_k − ρ m/ℓ                                      (u in the plane)
//! ∂²L/∂D² = (I − D Dᵀ/ℓ_k²)/ℓ_k + ρ (u mᵀ + m uᵀ)/ℓ² + ρ² m mᵀ/ℓ³
//! ```

use crate::constraint::{Configuration, Constraint};
use crate::element_buffers::{Blocks, Gradients, MAX_MEMORY, MAX_ROWS};
use crate::nodes::carried::Carried;
use poinsot_geometry::{Mat3, Vec3};
use std::f64::consts::TAU;
use thiserror::Error;

/// A wheel that a rope runs over.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RopeWheel {
    /// Its centre.
    pub centre: Carried,
    /// Its radius (m), positive if the centre is on the left of the rope, seen against the normal.
    pub radius: f64,
    /// A direction of the wheel across the normal, if it turns along with the rope.
    pub mark: Option<Carried>,
}

/// A rope that cannot be.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum RopeError {
    /// More wheels than there is room for.
    #[error("a rope can run over {most} wheels", most = MAX_WHEELS)]
    Wheels,
    /// Two wheels overlap, or an end is inside of a wheel.
    #[error("there is no straight run behind wheel {0} (0 is the first end): it overlaps with what follows")]
    Overlap(usize),
}

/// Most wheels: the angles of all runs and of all wheels that turn along are remembered.
pub const MAX_WHEELS: usize = 5;

/// A rope over wheels.
#[derive(Clone, Debug)]
pub struct Rope {
    /// Centres of both ends and the wheels between, in order, then the marks.
    carried: Vec<Carried>,
    radii: Vec<f64>,
    /// Of each wheel, the place of its mark.
    marks: Vec<Option<usize>>,
    /// Axes of the plane and its normal.
    plane: [Vec3; 3],
    /// Length of each row (m).
    lengths: Vec<f64>,
    /// Angles as modelled: of the runs, then of the marks.
    start: Vec<f64>,
    rows: usize,
}

/// One straight run.
struct Run {
    d: Vec3,
    rho: f64,
    /// ℓ_k, slope included.
    length: f64,
    /// ℓ in the plane.
    flat: f64,
    u: Vec3,
    m: Vec3,
}

impl Rope {
    /// Over `wheels` from `first` to `second`, about the axis `normal`; as long as it is where its
    /// vectors are `start`, or of the `length` given, which needs wheels that do not turn along.
    pub fn new(
        [first, second]: [Carried; 2],
        wheels: &[RopeWheel],
        normal: &Vec3,
        start: &[Vec3],
        length: Option<f64>,
    ) -> Result<Self, RopeError> {
        let turning = wheels.iter().filter(|wheel| wheel.mark.is_some()).count();
        if wheels.len() > MAX_WHEELS || turning >= MAX_ROWS {
            return Err(RopeError::Wheels);
        }
        let mut carried = vec![first];
        carried.extend(wheels.iter().map(|wheel| wheel.centre));
        carried.push(second);
        let mut radii = vec![0.0];
        radii.extend(wheels.iter().map(|wheel| wheel.radius));
        radii.push(0.0);
        let mut marks = vec![None];
        for wheel in wheels {
            marks.push(wheel.mark.map(|_| carried.len()));
            carried.extend(wheel.mark);
        }
        marks.push(None);
        let across = if normal.x.abs() < 0.6 { Vec3::x() } else { Vec3::y() };
        let e1 = (across - normal * normal.dot(&across)).normalize();
        let plane = [e1, normal.cross(&e1), *normal];
        let mut rope =
            Rope { carried, radii, marks, plane, lengths: vec![], start: vec![], rows: turning + 1 };
        rope.begin(start)?;
        let mut lengths = [0.0; MAX_ROWS];
        rope.lengths = vec![0.0; rope.rows];
        rope.residual(&Configuration { t: 0.0, x: start, memory: &rope.start }, &mut lengths[..rope.rows]);
        rope.lengths = lengths[..rope.rows].to_vec();
        if let Some(length) = length.filter(|_| rope.rows == 1) {
            rope.lengths[0] = length;
        }
        Ok(rope)
    }

    /// Length of the rope before, between and behind the wheels that turn along; between marks of wheels it
    /// is counted from where their angle is zero.
    pub fn lengths(&self) -> &[f64] {
        &self.lengths
    }

    /// The angles at the start: over each wheel the rope turns to the side of its centre, by less than a
    /// whole turn.
    fn begin(&mut self, x: &[Vec3]) -> Result<(), RopeError> {
        let mut angles: Vec<f64> = vec![];
        for k in 0..self.runs() {
            let (d, rho) = (x[k + 1] - x[k], self.radii[k + 1] - self.radii[k]);
            let flat = d - self.plane[2] * self.plane[2].dot(&d);
            // Neither a common tangent, nor a run of some length.
            if flat.norm_squared() <= rho * rho * (1.0 + 1e-12) {
                return Err(RopeError::Overlap(k));
            }
            let mut angle = self.run(x, k).1;
            if let Some(&before) = angles.last() {
                let turn = (angle - before).rem_euclid(TAU);
                // Straight past the wheel but for rounding.
                let turn = if TAU - turn < 1e-9 { turn - TAU } else { turn };
                angle = before + if self.radii[k] < 0.0 && turn > 1e-9 { turn - TAU } else { turn };
            }
            angles.push(angle);
        }
        angles.extend(self.marks.iter().flatten().map(|&mark| self.angle_of(&x[mark])));
        debug_assert!(angles.len() <= MAX_MEMORY);
        self.start = angles;
        Ok(())
    }

    /// Number of straight runs.
    fn runs(&self) -> usize {
        self.radii.len() - 1
    }

    /// The row of a run.
    fn row(&self, run: usize) -> usize {
        self.marks[..=run].iter().flatten().count()
    }

    fn angle_of(&self, v: &Vec3) -> f64 {
        self.plane[1].dot(v).atan2(self.plane[0].dot(v))
    }

    /// A run, and its direction between −2π and 2π.
    fn run(&self, x: &[Vec3], k: usize) -> (Run, f64) {
        let (d, rho) = (x[k + 1] - x[k], self.radii[k + 1] - self.radii[k]);
        let n = &self.plane[2];
        let rise = n.dot(&d);
        let square = d.norm_squared() - rho * rho;
        let flat = (square - rise * rise).sqrt();
        let alpha = self.angle_of(&d) - rho.atan2(flat);
        let u = self.plane[0] * alpha.cos() + self.plane[1] * alpha.sin();
        (Run { d, rho, length: square.sqrt(), flat, u, m: n.cross(&u) }, alpha)
    }

    /// The wheels that turn along: place of the mark, its memory, and factors of ψ in the rows before and
    /// behind.
    fn turning(&self) -> impl Iterator<Item = (usize, usize, [(usize, f64); 2])> + '_ {
        let marked =
            self.marks.iter().zip(&self.radii).filter_map(|(mark, radius)| Some(((*mark)?, *radius)));
        marked.enumerate().map(|(j, (mark, radius))| (mark, self.runs() + j, [(j, radius), (j + 1, -radius)]))
    }

    /// ∂ψ/∂e = n × e/|e|² of a mark, and its derivative along ė.
    fn turn_gradient(&self, e: &Vec3, rate: &Vec3) -> [Vec3; 2] {
        let n = &self.plane[2];
        let flat = e - n * n.dot(e);
        let square = flat.norm_squared();
        let across = n.cross(e);
        [across / square, n.cross(rate) / square - across * (2.0 * flat.dot(rate) / (square * square))]
    }
}

impl Run {
    /// ∂L/∂D.
    fn gradient(&self) -> Vec3 {
        self.d / self.length - self.m * (self.rho / self.flat)
    }

    /// ∂²L/∂D².
    fn hessian(&self) -> Mat3 {
        let (Run { rho, flat, u, m, .. }, along) = (self, self.d / self.length);
        let straight = (Mat3::identity() - along * along.transpose()) / self.length;
        let turn = (u * m.transpose() + m * u.transpose()) * (rho / (flat * flat));
        straight + turn + m * m.transpose() * (rho * rho / (flat * flat * flat))
    }
}

/// An angle in the turn nearest to another.
fn near(angle: f64, other: f64) -> f64 {
    angle + TAU * ((other - angle) / TAU).round()
}

impl Constraint for Rope {
    fn kind(&self) -> &'static str {
        "rope"
    }

    fn row_name(&self, k: usize) -> &'static str {
        const NAMES: [&str; MAX_ROWS] = [
            "length",
            "length behind wheel 1",
            "length behind wheel 2",
            "length behind wheel 3",
            "length behind wheel 4",
            "length behind wheel 5",
        ];
        NAMES[k]
    }

    fn rows(&self) -> usize {
        self.rows
    }

    fn carried(&self) -> &[Carried] {
        &self.carried
    }

    fn reaction_point(&self) -> usize {
        self.runs()
    }

    fn memories(&self) -> usize {
        self.start.len()
    }

    fn start_memory(&self, memory: &mut [f64]) {
        memory.copy_from_slice(&self.start);
    }

    fn remember(&self, at: &Configuration, memory: &mut [f64]) {
        for (k, angle) in memory.iter_mut().enumerate().take(self.runs()) {
            *angle = near(self.run(at.x, k).1, at.memory[k]);
        }
        for (mark, place, _) in self.turning() {
            memory[place] = near(self.angle_of(&at.x[mark]), at.memory[place]);
        }
    }

    fn residual(&self, at: &Configuration, phi: &mut [f64]) {
        phi.iter_mut().zip(&self.lengths).for_each(|(phi, length)| *phi = -length);
        for k in 0..self.runs() {
            let (run, alpha) = self.run(at.x, k);
            phi[self.row(k)] += run.length - run.rho * near(alpha, at.memory[k]);
        }
        for (mark, place, factors) in self.turning() {
            let psi = near(self.angle_of(&at.x[mark]), at.memory[place]);
            factors.into_iter().for_each(|(row, factor)| phi[row] += factor * psi);
        }
    }

    fn gradients(&self, at: &Configuration, g: &mut Gradients) {
        for k in 0..self.runs() {
            let slope = self.run(at.x, k).0.gradient();
            g.push(self.row(k), k, -slope);
            g.push(self.row(k), k + 1, slope);
        }
        for (mark, _, factors) in self.turning() {
            let [slope, _] = self.turn_gradient(&at.x[mark], &Vec3::zeros());
            factors.into_iter().for_each(|(row, factor)| g.push(row, mark, slope * factor));
        }
    }

    fn rate_gradients(&self, at: &Configuration, xdot: &[Vec3], g: &mut Gradients) {
        for k in 0..self.runs() {
            let rate = self.run(at.x, k).0.hessian() * (xdot[k + 1] - xdot[k]);
            g.push(self.row(k), k, -rate);
            g.push(self.row(k), k + 1, rate);
        }
        for (mark, _, factors) in self.turning() {
            let [_, rate] = self.turn_gradient(&at.x[mark], &xdot[mark]);
            factors.into_iter().for_each(|(row, factor)| g.push(row, mark, rate * factor));
        }
    }

    fn hessian(&self, at: &Configuration, lambda: &[f64], h: &mut Blocks) {
        for k in 0..self.runs() {
            let c = self.run(at.x, k).0.hessian() * lambda[self.row(k)];
            h.push(k, k, c);
            h.push(k + 1, k + 1, c);
            h.push(k, k + 1, -c);
            h.push(k + 1, k, -c);
        }
        for (mark, _, factors) in self.turning() {
            let scale: f64 = factors.into_iter().map(|(row, factor)| factor * lambda[row]).sum();
            let column = |e: Vec3| self.turn_gradient(&at.x[mark], &e)[1] * scale;
            h.push(
                mark,
                mark,
                Mat3::from_columns(&[column(Vec3::x()), column(Vec3::y()), column(Vec3::z())]),
            );
        }
    }
}
