//! What a kinematics study is asked for.

use poinsot_model::study::{Number, StudyContext, StudyRequest, transpose};
use poinsot_model::{Span, record};

record! {
    /// Positions, velocities and accelerations that follow from constraints and drives alone.
    pub struct KinematicsTable "kinematics study" {
        /// Start time, s.
        start: Number = 0,
        /// End time, s.
        end: Number,
        /// Time between the positions that are computed, s.
        step: Number,
        /// Time between recorded rows, s; default: every step, thinned to at most 2000 rows.
        output_step: Option<Number>,
    }
}

/// Motion from constraints and drives alone.
#[derive(Clone, Debug, PartialEq)]
pub struct KinematicsSpec {
    /// Start time.
    pub start: f64,
    /// End time.
    pub end: f64,
    /// Time between the positions.
    pub step: f64,
    /// Time between recorded rows, if given.
    pub output_step: Option<f64>,
    /// Place of the table's header.
    pub span: Span,
}

impl StudyRequest for KinematicsSpec {
    fn word(&self) -> &'static str {
        "kinematics"
    }
    fn span(&self) -> &Span {
        &self.span
    }
    fn start(&self) -> f64 {
        self.start
    }
    fn times(&self) -> Option<(f64, f64)> {
        Some((self.start, self.end))
    }
}

/// Evaluates and checks the table.
pub fn resolve(table: &KinematicsTable, context: &mut StudyContext) -> Option<KinematicsSpec> {
    let times = context.times([&table.start, &table.end], Some(&table.step));
    let output_step = table.output_step.as_ref().map(|n| context.positive(n, "the output step"));
    let (start, end, step) = times?;
    Some(KinematicsSpec {
        start,
        end,
        step: step?,
        output_step: transpose(output_step)?,
        span: table.span.clone(),
    })
}
