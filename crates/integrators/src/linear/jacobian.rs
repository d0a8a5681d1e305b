//! The constraint Jacobian G of a system, in units in which its columns and rows compare.
//!
//! ```text
//! Ĝ = R G S,     S = length for translations, 1 for rotations,     R: rows of unit length
//! ```
//! A translation by the model's length then counts as much as a rotation by one radian, and a row in metres
//! as much as one without a unit.

use poinsot_geometry::Mat3;
use poinsot_mechanics::{Instant, Level, Linearization, Scratch, System};

/// G at an instant, entry by entry; make one and reuse it.
#[derive(Debug)]
pub struct Jacobian {
    entries: Vec<Entry>,
    /// The step matrix that the system fills.
    values: Vec<f64>,
    /// Ĝ, one number per entry.
    scaled: Vec<f64>,
    rows: Vec<usize>,
    unknowns: Vec<usize>,
    /// R of constraint equations, S of unknowns.
    scale: Vec<f64>,
    /// Where a velocity vector is wanted and does not matter.
    zero: Vec<f64>,
    identity: Vec<Mat3>,
}

/// A place of G and its slots in the pattern of the system.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry {
    pub row: usize,
    pub column: usize,
    /// Slot (row, column).
    pub lower: usize,
    /// Slot (column, row).
    pub upper: usize,
}

impl Jacobian {
    /// For the given system as it is numbered now.
    pub fn new(system: &System) -> Self {
        let (pattern, rows, mask) =
            (system.pattern(), system.enforced_equations(), system.is_constraint_row());
        let mut entries = vec![];
        for &row in &rows {
            for (&column, upper) in pattern.rows(row).iter().zip(pattern.slots(row)) {
                // The pattern is symmetric: the transposed place is stored too.
                if let (false, Some(lower)) = (mask[column], pattern.index(row, column)) {
                    entries.push(Entry { row, column, lower, upper });
                }
            }
        }
        let mut scale = vec![1.0; system.size()];
        let length = system.length_scale();
        for node in system.nodes() {
            node.unknowns().take(node.chart.linear_dofs()).for_each(|i| scale[i] = length);
        }
        Jacobian {
            scaled: vec![0.0; entries.len()],
            entries,
            values: vec![0.0; pattern.nnz()],
            rows,
            unknowns: (0..system.size()).filter(|&i| !mask[i]).collect(),
            scale,
            zero: vec![0.0; system.size()],
            identity: vec![Mat3::identity(); system.nodes().len()],
        }
    }

    /// Evaluates ∂(rate)/∂v = G.
    pub fn evaluate(&mut self, system: &System, at: &Instant, s: &mut Scratch) {
        self.assemble(system, at, None, s);
    }

    /// Evaluates G T, the derivative of Φ by the local increment δ of q = qₙ ∘ δ, with T of every node; rows
    /// on velocities stay as they are.
    pub fn evaluate_by_increment(
        &mut self,
        system: &System,
        at: &Instant,
        tangents: &[Mat3],
        s: &mut Scratch,
    ) {
        self.assemble(system, at, Some(tangents), s);
    }

    fn assemble(&mut self, system: &System, at: &Instant, tangents: Option<&[Mat3]>, s: &mut Scratch) {
        let at = Instant { v: &self.zero, a: &self.zero, ..*at };
        let linearization = Linearization {
            end_tangent: tangents.unwrap_or(&self.identity),
            mass: 0.0,
            level: if tangents.is_some() { Level::Position } else { Level::Velocity },
            ..Linearization::at(at, &self.identity)
        };
        system.step_matrix(&linearization, &mut self.values, s);
        let (scale, scaled) = (&mut self.scale, &mut self.scaled);
        self.rows.iter().for_each(|&row| scale[row] = 0.0);
        for (value, e) in scaled.iter_mut().zip(&self.entries) {
            *value = self.values[e.lower] * scale[e.column];
            scale[e.row] += *value * *value;
        }
        // A row that nothing can change stays zero.
        self.rows
            .iter()
            .for_each(|&row| scale[row] = if scale[row] > 0.0 { scale[row].sqrt().recip() } else { 1.0 });
        for (value, e) in scaled.iter_mut().zip(&self.entries) {
            *value *= scale[e.row];
        }
    }

    /// The constraint equations.
    pub fn rows(&self) -> &[usize] {
        &self.rows
    }

    /// The unknowns, in equation order.
    pub fn unknowns(&self) -> &[usize] {
        &self.unknowns
    }

    /// (constraint equation, unknown, ∂rate/∂v) as evaluated last.
    pub fn entries(&self) -> impl Iterator<Item = (usize, usize, f64)> + '_ {
        self.entries.iter().map(|e| (e.row, e.column, self.values[e.lower]))
    }

    /// The places with the numbers of Ĝ.
    pub(crate) fn scaled(&self) -> impl Iterator<Item = (&Entry, f64)> + '_ {
        self.entries.iter().zip(self.scaled.iter().copied())
    }

    /// R of a constraint equation, S of an unknown.
    pub(crate) fn scale(&self) -> &[f64] {
        &self.scale
    }
}
