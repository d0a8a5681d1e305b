//! Projection onto the constraints after a step, with the least change in the sense of the masses
//! (gs4-isochronous-integrators I-58).
//!
//! ```text
//! M δq + Gᵀμ = 0,  Φ(q̌) = 0      M δv + Gᵀς = 0,  Φv(q̌, v̌) = 0      M δâ + Gᵀι = 0,  Φa(q̌, v̌, ǎ) = 0
//! ```
//! The acceleration that belongs to the end of the step is â⁺ = (1+φ)a⁺ − φa, so the stored a⁺ takes
//! δâ/(1+φ). One factorisation at the unprojected position serves all three; iteration closes each level to
//! round-off. Rows on velocities take part in the projection of velocities only.

use crate::linear::factors::Factors;
use crate::linear::saddle_point::retract;
use poinsot_geometry::Mat3;
use poinsot_mechanics::{Frame, Instant, Linearization, Scratch, System};
use poinsot_numerics::lu::PivotError;

/// Which levels are projected after each step.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Projection {
    /// Positions, Φ = 0.
    pub position: bool,
    /// Velocities, Φ̇ = 0.
    pub velocity: bool,
    /// Accelerations, Φ̈ = 0.
    pub acceleration: bool,
}

impl Projection {
    /// Positions and velocities.
    pub const STATE: Projection = Projection { position: true, velocity: true, acceleration: false };

    /// Whether anything is projected.
    pub fn is_wanted(&self) -> bool {
        self.position || self.velocity || self.acceleration
    }
}

/// Why a projection failed.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ProjectionError {
    Singular(PivotError),
    /// A level that did not close, at its worst equation.
    Open(usize),
}

/// The end of a step, as it is projected.
#[derive(Debug)]
pub(crate) struct End<'a> {
    pub t: f64,
    pub frames: &'a mut Vec<Frame>,
    pub v: &'a mut [f64],
    /// â⁺.
    pub a: &'a mut [f64],
    pub memory: &'a [f64],
    /// The model's length, speed and acceleration.
    pub scale: [f64; 3],
    /// Changes of position and of â⁺, to be handed on.
    pub moved: &'a mut [f64],
    pub accelerated: &'a mut [f64],
}

impl End<'_> {
    fn instant(&self) -> Instant<'_> {
        Instant { t: self.t, frames: self.frames, v: self.v, a: self.a, memory: self.memory, rates: &[] }
    }
}

/// Matrix and work arrays of the projection.
#[derive(Debug)]
pub(crate) struct Projector {
    factors: Factors,
    values: Vec<f64>,
    residual: Vec<f64>,
    frames: Vec<Frame>,
    identity: Vec<Mat3>,
    zero: Vec<f64>,
    rows: Vec<usize>,
    unknowns: Vec<usize>,
    /// Slots of rows on velocities and of their columns, and their diagonal.
    left_out: Vec<usize>,
    diagonal: Vec<usize>,
}

/// A level of the constraints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Level {
    Position = 0,
    Velocity = 1,
    Acceleration = 2,
}

/// Iterations at most; each gains several digits.
const MAX_ITERATIONS: usize = 12;

/// A level that stalls is closed if the last increment was below this, relative to the model's length and
/// speed.
const CLOSED: f64 = 1e-8;

impl Projector {
    pub fn new(system: &System, frames: &[Frame]) -> Self {
        let (pattern, velocity_rows) = (system.pattern(), system.velocity_equations());
        let mut left_out = vec![];
        for &row in &velocity_rows {
            left_out.extend(pattern.slots(row));
            left_out.extend(pattern.rows(row).iter().filter_map(|&column| pattern.index(row, column)));
        }
        Projector {
            factors: Factors::new(system),
            values: vec![0.0; pattern.nnz()],
            residual: vec![0.0; system.size()],
            frames: frames.to_vec(),
            identity: vec![Mat3::identity(); frames.len()],
            zero: vec![0.0; system.size()],
            rows: system.enforced_equations(),
            unknowns: system.nodes().iter().flat_map(|n| n.unknowns()).collect(),
            left_out,
            diagonal: velocity_rows.iter().filter_map(|&row| pattern.index(row, row)).collect(),
        }
    }

    /// Projects the levels that are wanted, positions first.
    pub fn project(
        &mut self,
        system: &System,
        wanted: &Projection,
        end: &mut End,
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        let separate = wanted.position && !self.left_out.is_empty();
        self.factor(system, end, separate, scratch)?;
        if wanted.position {
            self.close(system, Level::Position, end, scratch)?;
        }
        if separate && (wanted.velocity || wanted.acceleration) {
            self.factor(system, end, false, scratch)?;
        }
        if wanted.velocity {
            self.close(system, Level::Velocity, end, scratch)?;
        }
        if wanted.acceleration {
            self.close(system, Level::Acceleration, end, scratch)?;
        }
        Ok(())
    }

    /// Factors [M Gᵀ; G 0] at the end, without the rows on velocities if `holonomic`.
    fn factor(
        &mut self,
        system: &System,
        end: &End,
        holonomic: bool,
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        let at = Instant { a: &self.zero, ..end.instant() };
        system.step_matrix(&Linearization::of_constraints(at, &self.identity), &mut self.values, scratch);
        if holonomic {
            self.left_out.iter().for_each(|&slot| self.values[slot] = 0.0);
            self.diagonal.iter().for_each(|&slot| self.values[slot] = 1.0);
        }
        self.factors.factor(system, &self.values).map_err(ProjectionError::Singular)
    }

    /// Newton's iteration with a fixed matrix until one level is closed to round-off.
    fn close(
        &mut self,
        system: &System,
        level: Level,
        end: &mut End,
        scratch: &mut Scratch,
    ) -> Result<(), ProjectionError> {
        let scale = end.scale[level as usize];
        let mut last = f64::INFINITY;
        for _ in 0..MAX_ITERATIONS {
            let worst = self.evaluate(system, level, end, scratch);
            self.factors.solve(&mut self.residual);
            let largest = self.unknowns.iter().fold(0.0, |m: f64, &i| m.max(self.residual[i].abs()));
            let size = largest / scale;
            // Round-off has been reached when an increment is not half as large as the one before.
            if size.is_nan() || size >= 0.5 * last {
                return if last <= CLOSED { Ok(()) } else { Err(ProjectionError::Open(worst)) };
            }
            self.apply(system, level, end);
            last = size;
            if size <= f64::EPSILON {
                break;
            }
        }
        Ok(())
    }

    /// The level into `residual`; returns its worst row.
    fn evaluate(&mut self, system: &System, level: Level, end: &End, scratch: &mut Scratch) -> usize {
        self.residual.fill(0.0);
        let at = end.instant();
        match level {
            Level::Position => system.constraint_residual(&at, &mut self.residual, scratch),
            Level::Velocity => system.constraint_rate(&at, &mut self.residual, scratch),
            Level::Acceleration => system.constraint_acceleration(&at, &mut self.residual, scratch),
        }
        let size = |row: &usize| self.residual[*row].abs();
        self.rows.iter().copied().max_by(|a, b| size(a).total_cmp(&size(b))).unwrap_or(0)
    }

    /// Subtracts the increment in `residual` from the level's quantity.
    fn apply(&mut self, system: &System, level: Level, end: &mut End) {
        let change = |x: &mut [f64], unknowns: &[usize], residual: &[f64]| {
            unknowns.iter().for_each(|&i| x[i] -= residual[i]);
        };
        match level {
            Level::Position => {
                self.residual.iter_mut().for_each(|r| *r = -*r);
                retract(system, end.frames, &self.residual, &mut self.frames);
                end.frames.copy_from_slice(&self.frames);
                self.unknowns.iter().for_each(|&i| end.moved[i] += self.residual[i]);
            }
            Level::Velocity => change(end.v, &self.unknowns, &self.residual),
            Level::Acceleration => {
                change(end.a, &self.unknowns, &self.residual);
                change(end.accelerated, &self.unknowns, &self.residual);
            }
        }
    }
}
