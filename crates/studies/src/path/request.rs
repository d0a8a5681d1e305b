//! What a path study is asked for.

use poinsot_model::study::{Count, Located, Number, StudyContext, StudyRequest, Text, transpose};
use poinsot_model::{Diagnostic, Span, record};

record! {
    /// Equilibria along a parameter, with limit and bifurcation points.
    pub struct PathTable "path study" {
        /// The parameter that changes along the path.
        parameter: Text,
        /// Value towards which the path sets out; it ends there.
        to: Number,
        /// Value at the start; default: that of the parameter.
        from: Option<Number>,
        /// The path ends where the parameter leaves this range; default: as far as `to` on the other side of
        /// the start too.
        range: Option<Located<[Number; 2]>>,
        /// Signal that the parameter is plotted against; default: the first one.
        signal: Option<Text>,
        /// The path ends where that signal leaves this range.
        signal_range: Option<Located<[Number; 2]>>,
        /// First step: a share of the way of the parameter, of the length of the model, or an angle in rad.
        step: Number = 0.02,
        /// Longest step.
        longest_step: Number = 0.1,
        /// Step below which the path is given up.
        shortest_step: Number = 1e-7,
        /// Most points of each branch.
        points: Located<Count> = 500,
        /// Whether crossing paths are followed from the bifurcations of the first one.
        branches: bool = true,
        /// Time at which loads and drives are taken, s.
        time: Number = 0,
        /// Size of a correction, as that of steps, at which a point counts as found.
        tolerance: Number = 1e-8,
    }
}

/// Equilibria along a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct PathSpec {
    /// Name of the parameter.
    pub parameter: String,
    /// Its value at the start; `None` is that of the parameter itself.
    pub from: Option<f64>,
    /// Value towards which the path sets out.
    pub to: f64,
    /// Range of the parameter, if given.
    pub range: Option<[f64; 2]>,
    /// Index into [`Model::signals`](poinsot_model::Model::signals) of the signal that the parameter is
    /// plotted against, if given.
    pub signal: Option<usize>,
    /// Range of that signal, if given.
    pub signal_range: Option<[f64; 2]>,
    /// First step.
    pub step: f64,
    /// Longest step.
    pub longest: f64,
    /// Shortest step.
    pub shortest: f64,
    /// Most points of each branch.
    pub points: usize,
    /// Whether crossing paths are followed.
    pub branches: bool,
    /// Time at which loads and drives are taken.
    pub time: f64,
    /// Size of a correction at which a point counts as found.
    pub tolerance: f64,
    /// Place of the table's header.
    pub span: Span,
}

impl PathSpec {
    /// The path of a parameter to a value at a time, with the defaults of the file format.
    pub fn to(parameter: &str, to: f64, time: f64) -> Self {
        PathSpec {
            parameter: parameter.into(),
            from: None,
            to,
            range: None,
            signal: None,
            signal_range: None,
            step: 0.02,
            longest: 0.1,
            shortest: 1e-7,
            points: 500,
            branches: true,
            time,
            tolerance: 1e-8,
            span: 0..0,
        }
    }
}

impl StudyRequest for PathSpec {
    fn word(&self) -> &'static str {
        "path"
    }
    fn span(&self) -> &Span {
        &self.span
    }
    fn start(&self) -> f64 {
        self.time
    }
    fn has_branches(&self) -> bool {
        true
    }
    fn passes(&self, _at: f64) -> Result<(), (String, &'static str, Option<&'static str>)> {
        Ok(())
    }
}

/// Evaluates and checks the table.
pub fn resolve(table: &PathTable, context: &mut StudyContext) -> Option<PathSpec> {
    let parameter = context.parameter(&table.parameter);
    let to = context.number(&table.to);
    let from = transpose(table.from.as_ref().map(|from| context.number(from)));
    let range = transpose(table.range.as_ref().map(|range| context.ascending(range, "the range")));
    let signal = transpose(table.signal.as_ref().map(|signal| context.signal(signal)));
    let of_signal = &table.signal_range;
    let signal_range = transpose(of_signal.as_ref().map(|range| context.ascending(range, "the range")));
    let step = context.positive(&table.step, "the step");
    let longest = context.positive(&table.longest_step, "the longest step");
    let shortest = context.positive(&table.shortest_step, "the shortest step");
    let tolerance = context.positive(&table.tolerance, "the tolerance");
    let time = context.number(&table.time);
    if let (Some(range), None) = (of_signal, &table.signal) {
        context.report(
            Diagnostic::error("`signal_range` needs a signal")
                .at(range.span.clone(), "of which signal?")
                .help("add `signal`, the name of a [[signal]]"),
        );
        return None;
    }
    let (from, to) = (from?, to?);
    if let (Some(from), Some(number)) = (from, &table.from)
        && from == to
    {
        context.report(
            Diagnostic::error(format!("the path starts where it should lead to, at {to}"))
                .at(table.to.span(), "the same value")
                .and(number.span(), "the start"),
        );
        return None;
    }
    let (step, longest, shortest) = (step?, longest?, shortest?);
    if !(shortest <= step && step <= longest) {
        context.report(
            Diagnostic::error(format!(
                "the step {step} does not lie between the shortest, {shortest}, and the longest, {longest}"
            ))
            .at(table.step.span(), "the first step")
            .help("give `step`, `shortest_step` and `longest_step` in that order of size"),
        );
        return None;
    }
    Some(PathSpec {
        parameter: parameter?,
        from,
        to,
        range: range?,
        signal: signal?,
        signal_range: signal_range?,
        step,
        longest,
        shortest,
        points: table.points.value.0,
        branches: table.branches,
        time: time?,
        tolerance: tolerance?,
        span: table.span.clone(),
    })
}
