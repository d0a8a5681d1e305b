//! What a study of a response curve is asked for.

use super::table::{Begins, ResponseTable};
use crate::periodic::PeriodicSpec;
use poinsot_analysis::OrbitSingularKind;
use poinsot_model::study::{StudyContext, StudyRequest};
use poinsot_model::{Diagnostic, Span};

/// A point at which the other curve is followed too.
#[derive(Clone, Debug, PartialEq)]
pub struct Switch {
    /// Its kind.
    pub kind: OrbitSingularKind,
    /// Its number among those of its kind, from 0.
    pub number: usize,
    /// Where it was asked for.
    pub span: Span,
}

/// Periodic motions along a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct ResponseSpec {
    /// Name of the parameter.
    pub parameter: String,
    /// Its place.
    pub parameter_span: Span,
    /// Value at the start, and the value towards which the curve sets out.
    pub range: [f64; 2],
    /// Where it begins.
    pub begin: Begins,
    /// Where that was said.
    pub begin_span: Span,
    /// Signals that are measured, as indices.
    pub signals: Option<Vec<usize>>,
    /// First step.
    pub step: f64,
    /// Longest step.
    pub longest: f64,
    /// Shortest step.
    pub shortest: f64,
    /// Most motions on each curve.
    pub motions: usize,
    /// Size of a correction at which a motion counts as found.
    pub correction: f64,
    /// Points at which the other curve is followed too.
    pub switches: Vec<Switch>,
    /// Frames of each motion.
    pub frames: usize,
    /// The motion.
    pub motion: PeriodicSpec,
    /// Place of the table's header.
    pub span: Span,
}

impl StudyRequest for ResponseSpec {
    fn word(&self) -> &'static str {
        "response_curve"
    }
    fn span(&self) -> &Span {
        &self.span
    }
    fn start(&self) -> f64 {
        self.motion.start
    }
    fn has_branches(&self) -> bool {
        true
    }
    fn passes(&self, at: f64) -> Result<(), (String, &'static str, Option<&'static str>)> {
        let [low, high] = [self.range[0].min(self.range[1]), self.range[0].max(self.range[1])];
        match (low..=high).contains(&at) {
            true => Ok(()),
            false => {
                let message = format!("the value {at} is not within the range ({low} to {high})");
                Err((message, "outside the range", None))
            }
        }
    }
}

/// Evaluates and checks the table.
pub fn resolve(table: &ResponseTable, context: &mut StudyContext) -> Option<ResponseSpec> {
    let parameter = context.parameter(&table.parameter);
    let range = context.numbers(&table.range.value);
    let step = context.positive(&table.step, "the step");
    let longest = context.positive(&table.longest_step, "the longest step");
    let shortest = context.positive(&table.shortest_step, "the shortest step");
    let correction = context.positive(&table.correction, "the size of a correction");
    let mut good = true;
    let signals = table.signals.as_ref().map(|list| {
        let found: Vec<Option<usize>> = list.0.iter().map(|name| context.signal(name)).collect();
        good &= found.iter().all(Option::is_some);
        found.into_iter().flatten().collect::<Vec<usize>>()
    });
    let mut switches = vec![];
    for name in table.switch.iter().flat_map(|list| &list.0) {
        let parts = name.value.split_once('.');
        let number = parts.and_then(|(_, number)| number.parse::<usize>().ok()).filter(|n| *n > 0);
        let kind = match parts.map(|(word, _)| word) {
            Some("doubling") => Some(OrbitSingularKind::Doubling),
            Some("branch") => Some(OrbitSingularKind::Branch),
            _ => None,
        };
        match (kind, number) {
            (Some(kind), Some(number)) => {
                switches.push(Switch { kind, number: number - 1, span: name.span.clone() });
            }
            _ => {
                good = false;
                context.report(
                    Diagnostic::error(format!("no other curve can be followed at {:?}", name.value))
                        .at(name.span.clone(), "no such point")
                        .help("name a period doubling or a branch point: \"doubling.1\", \"branch.2\""),
                );
            }
        }
    }
    let motion = crate::periodic::resolve_by_steps(&table.motion.0, context);
    let range = range?;
    if range[0] == range[1] {
        context.report(
            Diagnostic::error(format!("the curve starts where it should lead to, at {}", range[0]))
                .at(table.range.span.clone(), "the same value twice"),
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
    let mut motion = motion?;
    motion.span = table.span.clone();
    if !motion.hold.is_empty() {
        context.report(
            Diagnostic::error("`hold` has no place on a response curve: the whole motion changes along it")
                .at(table.span.clone(), "in this study")
                .help("leave `hold` out; the phase of a motion of unknown period is kept by itself"),
        );
        return None;
    }
    good.then_some(())?;
    Some(ResponseSpec {
        parameter: parameter?,
        parameter_span: table.parameter.span.clone(),
        range,
        begin: table.begin.value,
        begin_span: table.begin.span.clone(),
        signals,
        step,
        longest,
        shortest,
        motions: table.motions.value.0,
        correction: correction?,
        switches,
        frames: table.frames.value.0,
        motion,
        span: table.span.clone(),
    })
}
