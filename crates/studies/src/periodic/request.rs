//! What a periodic study is asked for.

use super::scheme::{self, SchemeSpec};
use super::table::{PeriodKey, PeriodicTable, StartsAs};
use poinsot_integrators::{Given, find};
use poinsot_model::spec::IntegratorSpec;
use poinsot_model::study::{StudyContext, StudyRequest, transpose};
use poinsot_model::{Diagnostic, Span};

/// The tolerance where none is given.
const TOLERANCE: f64 = 1e-8;
/// Times the tolerance that multipliers may be off by where nothing else is said.
const MULTIPLIERS: f64 = 100.0;
/// Amplitude of a swing.
const AMPLITUDE: f64 = 0.1;
/// The longest time that is looked at for the period of a swing, s, where there is no guess.
const SECOND: f64 = 1.0;
/// Elements at first where their number is free, and where the tolerance is loose.
const ELEMENTS: [usize; 2] = [16, 8];
/// Tolerances from here on are loose.
const LOOSE: f64 = 1e-5;

/// The period.
#[derive(Clone, Debug, PartialEq)]
pub enum PeriodSpec {
    /// Known.
    Known(f64),
    /// Unknown, about so long.
    Unknown(f64),
}

/// A motion that repeats itself.
#[derive(Clone, Debug, PartialEq)]
pub struct PeriodicSpec {
    /// The period.
    pub period: PeriodSpec,
    /// Periods of loads and drives in it.
    pub multiple: usize,
    /// Place of the period.
    pub period_span: Span,
    /// Time of the start.
    pub start: f64,
    /// Periods before.
    pub settle: f64,
    /// The guess.
    pub from: StartsAs,
    /// Amplitude of a swing.
    pub amplitude: f64,
    /// The steps.
    pub scheme: SchemeSpec,
    /// The integrator of what settles.
    pub settles_by: IntegratorSpec,
    /// Elements, at first or all.
    pub elements: usize,
    /// The tolerance, if elements are chosen.
    pub tolerance: Option<f64>,
    /// Error that is left of multipliers, if elements are chosen.
    pub multipliers: f64,
    /// By how much variables advance: name, its place, advance.
    pub advance: Vec<(String, Span, f64)>,
    /// Signals by their index, and the values they have at the start.
    pub hold: Vec<(usize, f64)>,
    /// Multipliers in the tables.
    pub count: usize,
    /// Rows of the period.
    pub rows: usize,
    /// Place of the table's header.
    pub span: Span,
}

impl StudyRequest for PeriodicSpec {
    fn word(&self) -> &'static str {
        "periodic"
    }
    fn span(&self) -> &Span {
        &self.span
    }
    fn start(&self) -> f64 {
        self.start
    }
    fn times(&self) -> Option<(f64, f64)> {
        let length = match self.period {
            PeriodSpec::Known(period) => period,
            PeriodSpec::Unknown(_) => f64::INFINITY,
        };
        Some((self.start, self.start + length))
    }
}

/// The same for a study that needs steps from time to time.
pub fn resolve_by_steps(table: &PeriodicTable, context: &mut StudyContext) -> Option<PeriodicSpec> {
    let spec = resolve(table, context)?;
    if let SchemeSpec::Spectral(_) = spec.scheme {
        context.report(
            Diagnostic::error("harmonics of a whole period serve single motions only")
                .at(table.scheme.span.clone(), "not in this study")
                .help("take \"collocation\", \"dg\" or \"shooting\", or a study of type \"periodic\""),
        );
        return None;
    }
    Some(spec)
}

/// Evaluates and checks the table.
pub fn resolve(table: &PeriodicTable, context: &mut StudyContext) -> Option<PeriodicSpec> {
    let guess =
        transpose(table.guess.as_ref().map(|guess| context.positive(guess, "the guess of the period")));
    let period = match &table.period {
        PeriodKey::Known(number) => {
            let value = context.positive(number, "the period");
            if let Some(guess) = &table.guess {
                context.report(
                    Diagnostic::warning("`guess` is not used: the period is known")
                        .at(guess.span(), "not used"),
                );
            }
            value.map(|value| PeriodSpec::Known(value * table.multiple.value.0 as f64))
        }
        PeriodKey::Unknown(span) => match guess {
            Some(Some(guess)) => Some(PeriodSpec::Unknown(guess)),
            Some(None) if table.from.value == StartsAs::Swing => Some(PeriodSpec::Unknown(SECOND)),
            Some(None) => {
                context.report(
                    Diagnostic::error("an unknown period needs a guess")
                        .at(span.clone(), "about how long?")
                        .help("add `guess`, s: the time between two swings of a motion tells it"),
                );
                None
            }
            None => None,
        },
    };
    let amplitude =
        transpose(table.amplitude.as_ref().map(|number| context.positive(number, "the amplitude")));
    if let (Some(number), false) = (&table.amplitude, table.from.value == StartsAs::Swing) {
        let unused = "`amplitude` is not used: the motion is not guessed to be a swing";
        let help = "add from = \"swing\"";
        context.report(Diagnostic::warning(unused).at(number.span(), "not used").help(help));
    }
    if let (PeriodKey::Known(_), StartsAs::Swing) = (&table.period, table.from.value) {
        let message = "a swing has a period of its own";
        let help = "write period = \"unknown\"";
        let place = table.from.span.clone();
        context.report(Diagnostic::error(message).at(place, "the period is given").help(help));
        return None;
    }
    if let (PeriodKey::Unknown(_), 2..) = (&table.period, table.multiple.value.0) {
        let unused = "`multiple` is not used: the period is unknown";
        let help = "give a `guess` of that multiple";
        let place = table.multiple.span.clone();
        context.report(Diagnostic::warning(unused).at(place, "not used").help(help));
    }
    let start = context.number(&table.start);
    let settle = context.number(&table.settle);
    if let Some(settle) = settle {
        context.demand(
            settle,
            settle >= 0.0,
            table.settle.span(),
            "the number of periods",
            "not negative",
        )?;
    }
    let tolerance =
        transpose(table.tolerance.as_ref().map(|number| context.positive(number, "the tolerance")));
    let integrator = integrator(table, context);
    let advance = match &table.advance {
        None => Some(vec![]),
        Some(names) => {
            let each = names
                .list
                .iter()
                .map(|(name, number)| Some((name.value.clone(), name.span.clone(), context.number(number)?)));
            each.collect::<Vec<_>>().into_iter().collect()
        }
    };
    let hold = match &table.hold {
        None => Some(vec![]),
        Some(names) => {
            let each = names.list.iter().map(|(name, number)| {
                let (signal, value) = (context.signal(name), context.number(number));
                Some((signal?, value?))
            });
            each.collect::<Vec<_>>().into_iter().collect()
        }
    };
    let integrator = integrator?;
    let tolerance = match (tolerance?, &table.elements) {
        (None, None) => Some(TOLERANCE),
        (given, _) => given,
    };
    let scheme = scheme::resolve(table, &integrator, tolerance, context)?;
    let multipliers = transpose(
        table
            .multiplier_tolerance
            .as_ref()
            .map(|number| context.positive(number, "the tolerance of multipliers")),
    )?;
    if let (Some(number), None) = (&table.multiplier_tolerance, tolerance) {
        let unused = "`multiplier_tolerance` is not used: the number of elements is given";
        let help = "add `tolerance`, or leave `elements` out";
        context.report(Diagnostic::warning(unused).at(number.span(), "not used").help(help));
    }
    Some(PeriodicSpec {
        period: period?,
        multiple: match &table.period {
            PeriodKey::Known(_) => table.multiple.value.0,
            PeriodKey::Unknown(_) => 1,
        },
        period_span: table.period.span(),
        start: start?,
        settle: settle?,
        from: table.from.value,
        amplitude: amplitude?.unwrap_or(AMPLITUDE),
        scheme: scheme.clone(),
        settles_by: integrator,
        elements: table
            .elements
            .as_ref()
            .map_or_else(|| first_elements(&scheme, tolerance), |count| count.value.0),
        tolerance,
        multipliers: multipliers.unwrap_or(MULTIPLIERS * tolerance.unwrap_or(TOLERANCE)),
        advance: advance?,
        hold: hold?,
        count: table.count.value.0,
        rows: table.rows.value.0,
        span: table.span.clone(),
    })
}

/// Elements at first where their number is free.
fn first_elements(scheme: &SchemeSpec, tolerance: Option<f64>) -> usize {
    let is_loose = tolerance.is_some_and(|tolerance| tolerance >= LOOSE);
    ELEMENTS[usize::from(is_loose || matches!(scheme, SchemeSpec::Collocation { points: 4, .. }))]
}

/// The integrator of a name.
fn integrator(table: &PeriodicTable, context: &mut StudyContext) -> Option<IntegratorSpec> {
    let name = &table.integrator;
    if let Some(entry) = find(&name.value)
        && entry.mechanics_only()
        && context.has_variables()
    {
        context.report(
            Diagnostic::error(format!("the integrator {:?} does not know [[equations]]", name.value))
                .at(name.span.clone(), "for mechanics only")
                .help("choose another, for example radau"),
        );
        return None;
    }
    match IntegratorSpec::named(&name.value, &Given::default()) {
        Ok((spec, _)) => Some(spec),
        Err(error) => {
            context.report(
                Diagnostic::error(error.message).at(name.span.clone(), error.label).maybe_help(error.help),
            );
            None
        }
    }
}
