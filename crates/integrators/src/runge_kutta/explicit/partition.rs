//! Independent and dependent coordinates of a constrained system (floating-frame-and-ancf §1.3.4).
//!
//! ```text
//! G = [ G_d  G_i ],   G_d square and regular,   v_d = −G_d⁻¹ (G_i v_i + drift)
//! ```
//! The split is found by Gaussian elimination of Ĝ (see [`Jacobian`](crate::Jacobian)) with full pivoting:
//! the columns of the pivots are dependent. Rows on velocities restrict velocities only, so they are
//! eliminated last: positions have the pivots of the holonomic rows as dependents, velocities those of all
//! rows.
//!
//! Coordinates are the unknowns of the nodes in equation order. For a rotation they are the components of the
//! local increment in body axes, which start at zero in every step and so never become singular.

use crate::runge_kutta::explicit::dependents::Dependents;
use poinsot_mechanics::{State, System};
use thiserror::Error;

/// A pivot in a column that was dependent before counts for this much more, so that the choice does not
/// flicker.
const LOYALTY: f64 = 1.1;

/// Pivot of Ĝ below which a row depends on the others.
const RANK_TOLERANCE: f64 = 1e-10;

/// Most unknowns for which a partition is chosen: the elimination holds Ĝ as a full matrix.
pub const MAX_UNKNOWNS: usize = 3000;

/// A split of the unknowns into independent and dependent ones.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Partition {
    /// Independent velocities, ascending.
    pub independent: Vec<usize>,
    /// Dependent velocities, ascending; as many as rows in force.
    pub dependent: Vec<usize>,
    /// Those of them whose positions are dependent too; as many as holonomic rows. All others are independent
    /// positions.
    pub dependent_positions: Vec<usize>,
    /// 1/σ_min of Ĝ_d at the state of the choice, at least 1.
    pub condition: f64,
}

/// Why coordinates cannot be split, or dependent ones not be found.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum PartitionError {
    /// A row depends on others.
    #[error("{equation} depends on the other joints, or contradicts the choice of independent coordinates")]
    Rank {
        /// The row, in words.
        equation: String,
    },
    /// Too many unknowns.
    #[error(
        "the system has {0} unknowns; independent coordinates are chosen for at most {MAX_UNKNOWNS}: use the projected or augmented procedure"
    )]
    TooLarge(usize),
    /// The wrong number of independent coordinates was asked for.
    #[error(
        "{given} independent coordinates were asked for, but the system has {expected} degrees of freedom"
    )]
    Count {
        /// Degrees of freedom in velocities.
        expected: usize,
        /// Number given.
        given: usize,
    },
    /// Something else than a coordinate was asked for.
    #[error("equation {0} is not a coordinate of a body")]
    NotACoordinate(usize),
    /// The matrix of the dependent coordinates is singular.
    #[error("the dependent coordinates do not follow from the independent ones: singular at {equation}")]
    Singular {
        /// Equation, in words.
        equation: String,
    },
    /// Newton's iteration for dependent positions failed.
    #[error("the dependent positions were not found: {equation} stays open by {residual:.3e}")]
    Open {
        /// The row, in words.
        equation: String,
        /// Its residual.
        residual: f64,
    },
    /// The dependent positions that were found are farther away than the motion leads.
    #[error("the joints close elsewhere than the motion leads: {equation} jumps")]
    Jump {
        /// The coordinate, in words.
        equation: String,
    },
}

impl Partition {
    /// The partition with the largest pivots at a state; columns of `previous` are kept where they are nearly
    /// as good.
    pub fn choose(
        solver: &mut Dependents,
        system: &System,
        state: &State,
        previous: Option<&Partition>,
    ) -> Result<Self, PartitionError> {
        let mut weight = vec![1.0; system.size()];
        if let Some(previous) = previous {
            previous.dependent.iter().for_each(|&i| weight[i] = LOYALTY);
        }
        Self::by_pivots(solver, system, state, &weight)
    }

    /// The partition with the given independent velocities; positions that rows on velocities leave free are
    /// chosen.
    pub fn with_independent(
        solver: &mut Dependents,
        system: &System,
        state: &State,
        independent: &[usize],
    ) -> Result<Self, PartitionError> {
        let rows = system.is_constraint_row();
        let mut weight = vec![1.0; system.size()];
        for &i in independent {
            if rows.get(i).is_none_or(|&row| row) {
                return Err(PartitionError::NotACoordinate(i));
            }
            weight[i] = 0.0;
        }
        let (given, unknowns) = (weight.iter().filter(|w| **w == 0.0).count(), system.coordinates());
        let expected = unknowns.saturating_sub(system.active_rows());
        if given != expected {
            return Err(PartitionError::Count { expected, given });
        }
        Self::by_pivots(solver, system, state, &weight)
    }

    fn by_pivots(
        solver: &mut Dependents,
        system: &System,
        state: &State,
        weight: &[f64],
    ) -> Result<Self, PartitionError> {
        if system.coordinates() > MAX_UNKNOWNS {
            return Err(PartitionError::TooLarge(system.coordinates()));
        }
        let jacobian = solver.evaluate(system, state);
        let mut table = Table::new(system, jacobian, weight);
        let fail = |row| PartitionError::Rank { equation: system.equation_name(row) };
        let mut dependent = table.pivots(false).map_err(fail)?;
        let mut dependent_positions = dependent.clone();
        dependent.extend(table.pivots(true).map_err(fail)?);
        dependent.sort_unstable();
        dependent_positions.sort_unstable();
        let is_independent = |i: &usize| dependent.binary_search(i).is_err();
        let independent = solver.jacobian().unknowns().iter().copied().filter(is_independent).collect();
        let mut partition = Partition { independent, dependent, dependent_positions, condition: 1.0 };
        partition.condition = solver.condition_at(system, &partition, state)?;
        Ok(partition)
    }

    /// Degrees of freedom in velocities.
    pub fn mobility(&self) -> usize {
        self.independent.len()
    }

    /// Whether two partitions split alike.
    pub fn same_split(&self, other: &Partition) -> bool {
        self.dependent == other.dependent && self.dependent_positions == other.dependent_positions
    }

    /// The independent velocities in words.
    pub fn names(&self, system: &System) -> Vec<String> {
        self.independent.iter().map(|&i| system.equation_name(i)).collect()
    }
}

/// Ĝ as a full matrix in elimination.
struct Table<'a> {
    width: usize,
    cells: Vec<f64>,
    lines: Vec<Line>,
    unknowns: &'a [usize],
    /// By how much a pivot in a column counts.
    weight: Vec<f64>,
    pivot: Vec<f64>,
}

/// A row of the table that has no pivot yet.
struct Line {
    equation: usize,
    on_velocity: bool,
    start: usize,
    /// Best weighted pivot and its column.
    best: (f64, usize),
}

impl<'a> Table<'a> {
    fn new(system: &System, jacobian: &'a crate::Jacobian, weight: &[f64]) -> Self {
        let (unknowns, rows) = (jacobian.unknowns(), jacobian.rows());
        let width = unknowns.len();
        let mut place = vec![0; system.size()];
        unknowns.iter().enumerate().for_each(|(k, &i)| place[i] = k);
        rows.iter().enumerate().for_each(|(k, &row)| place[row] = k * width);
        let mut cells = vec![0.0; rows.len() * width];
        for (e, value) in jacobian.scaled() {
            cells[place[e.row] + place[e.column]] = value;
        }
        let mut on_velocity = vec![false; system.size()];
        system.velocity_equations().into_iter().for_each(|row| on_velocity[row] = true);
        let line = |&row: &usize| Line {
            equation: row,
            on_velocity: on_velocity[row],
            start: place[row],
            best: (0.0, 0),
        };
        let lines = rows.iter().map(line).collect();
        let weight = unknowns.iter().map(|&i| weight[i]).collect();
        let mut table = Table { width, cells, lines, unknowns, weight, pivot: vec![0.0; width] };
        (0..table.lines.len()).for_each(|k| table.rate(k));
        table
    }

    /// Finds the best pivot of a line.
    fn rate(&mut self, line: usize) {
        let start = self.lines[line].start;
        let cells = self.cells[start..start + self.width].iter().zip(&self.weight);
        let mut best = (0.0, 0);
        for (column, (cell, weight)) in cells.enumerate() {
            let size = cell.abs() * weight;
            if size > best.0 {
                best = (size, column);
            }
        }
        self.lines[line].best = best;
    }

    /// Eliminates the rows of one kind, the row with the largest pivot first; returns the pivots' unknowns,
    /// or the equation that has none.
    fn pivots(&mut self, on_velocity: bool) -> Result<Vec<usize>, usize> {
        let mut found = vec![];
        loop {
            let wanted = (0..self.lines.len()).filter(|&k| self.lines[k].on_velocity == on_velocity);
            let by_size = |a: &usize, b: &usize| self.lines[*a].best.0.total_cmp(&self.lines[*b].best.0);
            let Some(line) = wanted.max_by(by_size) else { return Ok(found) };
            let Line { equation, start, best: (size, column), .. } = self.lines.swap_remove(line);
            if size < RANK_TOLERANCE {
                return Err(equation);
            }
            found.push(self.unknowns[column]);
            self.pivot.copy_from_slice(&self.cells[start..start + self.width]);
            self.eliminate(column);
        }
    }

    /// Takes a column out of all lines that are left.
    fn eliminate(&mut self, column: usize) {
        for k in 0..self.lines.len() {
            let start = self.lines[k].start;
            let line = &mut self.cells[start..start + self.width];
            if line[column] == 0.0 {
                continue;
            }
            let factor = line[column] / self.pivot[column];
            line.iter_mut().zip(&self.pivot).for_each(|(cell, pivot)| *cell -= factor * pivot);
            line[column] = 0.0;
            self.rate(k);
        }
    }
}
