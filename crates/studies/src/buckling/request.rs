//! What a buckling study is asked for.

use poinsot_model::study::{Count, Located, Number, StudyContext, StudyRequest, Text, transpose};
use poinsot_model::{Span, choice, record};

choice! {
    /// The side on which critical values are sought.
    pub enum Side "side" {
        /// Greater values than at the state.
        "up" => Up,
        /// Smaller values.
        "down" => Down,
        /// Both.
        "both" => Both,
    }
}

record! {
    /// Critical values of a parameter, linearised about an equilibrium.
    pub struct BucklingTable "buckling study" {
        /// The parameter.
        parameter: Text,
        /// Its value at the state that buckles; default: that of the parameter.
        at: Option<Number>,
        /// Number of critical values, from the nearest.
        count: Located<Count> = 4,
        /// The side on which they are sought.
        side: Located<Side> = "up",
        /// Time at which loads and drives are taken, s.
        time: Number = 0,
    }
}

/// Critical values of a parameter, linearised about an equilibrium.
#[derive(Clone, Debug, PartialEq)]
pub struct BucklingSpec {
    /// Name of the parameter.
    pub parameter: String,
    /// Its value at the state that buckles; `None` is that of the parameter itself.
    pub at: Option<f64>,
    /// Number of critical values.
    pub count: usize,
    /// The side on which they are sought.
    pub side: Side,
    /// Time at which loads and drives are taken.
    pub time: f64,
    /// Place of the table's header.
    pub span: Span,
}

impl BucklingSpec {
    /// The critical values of a parameter at a time, with the defaults of the file format.
    pub fn of(parameter: &str, time: f64) -> Self {
        BucklingSpec { parameter: parameter.into(), at: None, count: 4, side: Side::Up, time, span: 0..0 }
    }
}

impl StudyRequest for BucklingSpec {
    fn word(&self) -> &'static str {
        "buckling"
    }
    fn span(&self) -> &Span {
        &self.span
    }
    fn start(&self) -> f64 {
        self.time
    }
}

/// Evaluates and checks the table.
pub fn resolve(table: &BucklingTable, context: &mut StudyContext) -> Option<BucklingSpec> {
    let parameter = context.parameter(&table.parameter);
    let at = transpose(table.at.as_ref().map(|at| context.number(at)));
    let time = context.number(&table.time);
    Some(BucklingSpec {
        parameter: parameter?,
        at: at?,
        count: table.count.value.0,
        side: table.side.value,
        time: time?,
        span: table.span.clone(),
    })
}
