//! What an equilibrium study is asked for.

use poinsot_model::study::{Count, Located, Number, StudyContext, StudyRequest};
use poinsot_model::{Span, record};

record! {
    /// The position at rest under the loads.
    pub struct EquilibriumTable "equilibrium study" {
        /// Time at which loads and drives are taken, s.
        time: Number = 0,
        /// Largest force out of balance, relative to the largest load, and largest correction left, relative
        /// to the model's length and in radians; both as far as rounding allows.
        tolerance: Number = 1e-10,
        /// Most steps in which the loads are brought up, where Newton's method under the full load fails.
        load_steps: Located<Count> = 60,
        /// Most iterations under the full load and for each load step.
        max_iterations: Located<Count> = 60,
    }
}

/// The position at rest under the loads.
#[derive(Clone, Debug, PartialEq)]
pub struct EquilibriumSpec {
    /// Time at which loads and drives are taken.
    pub time: f64,
    /// Relative tolerance.
    pub tolerance: f64,
    /// Most steps in which the loads are brought up, where Newton's method under the full load fails.
    pub load_steps: usize,
    /// Most iterations under the full load and for each load step.
    pub max_iterations: usize,
    /// Place of the table's header.
    pub span: Span,
}

impl EquilibriumSpec {
    /// The search at a time with the defaults of the file format.
    pub fn at(time: f64) -> Self {
        EquilibriumSpec { time, tolerance: 1e-10, load_steps: 60, max_iterations: 60, span: 0..0 }
    }
}

impl StudyRequest for EquilibriumSpec {
    fn word(&self) -> &'static str {
        "equilibrium"
    }
    fn span(&self) -> &Span {
        &self.span
    }
    fn start(&self) -> f64 {
        self.time
    }
}

/// Evaluates and checks the table.
pub fn resolve(table: &EquilibriumTable, context: &mut StudyContext) -> Option<EquilibriumSpec> {
    let time = context.number(&table.time);
    let tolerance = context.positive(&table.tolerance, "the tolerance");
    Some(EquilibriumSpec {
        time: time?,
        tolerance: tolerance?,
        load_steps: table.load_steps.value.0,
        max_iterations: table.max_iterations.value.0,
        span: table.span.clone(),
    })
}
