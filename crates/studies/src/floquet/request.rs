//! What a floquet study is asked for.

use crate::periodic::request as periodic;
use crate::periodic::{MotionKeys, PeriodicSpec};
use poinsot_model::study::{Count, List, Located, Number, StudyContext, StudyRequest, Text, transpose};
use poinsot_model::{Diagnostic, Span, choice, record};

choice! {
    /// How multipliers are computed.
    pub enum MultipliersWord "method" {
        /// All of them, from the product of the linearised steps.
        "product" => Product,
        /// The largest alone, from motions after small deviations: for models with many unknowns.
        "leading" => Leading,
        /// From harmonics of the small motions in periodic coordinates (Hill's method), beside those of the
        /// product, with which they are compared.
        "hill" => Hill,
    }
}

record! {
    /// Multipliers of periodic motions as functions of a parameter: where small deviations grow.
    pub struct FloquetTable "floquet study" {
        /// The parameter that is changed.
        parameter: Text,
        /// Its first and last value.
        range: Located<[Number; 2]>,
        /// Number of values, evenly spaced; more are put in where modes change quickly, or meet.
        values: Located<Count> = 41,
        /// Accuracy of the ends of unstable ranges, as a part of the whole range.
        accuracy: Number = 1e-6,
        /// How multipliers are computed.
        method: Located<MultipliersWord> = "product",
        /// Harmonics of "hill"; default: 10.
        harmonics: Option<Located<Count>>,
        /// Harmonics that "hill" keeps of them (de-aliasing); default: all.
        kept: Option<Located<Count>>,
        /// Three or more equal blades of a rotor in their order around the axis, each with the names of its
        /// bodies and beams: their small motions are told in multi-blade coordinates too (Coleman's
        /// transformation), where their equations are constant, with the frequencies seen from the ground.
        blades: List<List<Text>> = [],
    } and motion: MotionKeys<false>
}

/// How multipliers are computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MultipliersBy {
    /// All, from the product of the linearised steps.
    Product,
    /// The largest.
    Leading,
    /// From harmonics, so many, of which so many are kept.
    Hill {
        /// Harmonics.
        harmonics: usize,
        /// Those that are kept.
        kept: Option<usize>,
    },
}

/// Multipliers as functions of a parameter.
#[derive(Clone, Debug, PartialEq)]
pub struct FloquetSpec {
    /// Name of the parameter.
    pub parameter: String,
    /// Its first and last value, the last one larger.
    pub range: [f64; 2],
    /// Number of values, at least two.
    pub values: usize,
    /// Accuracy of the ends of ranges, as a part of the range.
    pub accuracy: f64,
    /// How multipliers are computed.
    pub by: MultipliersBy,
    /// Blades of a rotor: names with their places.
    pub blades: Vec<Vec<(String, Span)>>,
    /// The motion, at the value of the parameter that the model has.
    pub motion: PeriodicSpec,
    /// Place of the table's header.
    pub span: Span,
}

impl StudyRequest for FloquetSpec {
    fn word(&self) -> &'static str {
        "floquet"
    }
    fn span(&self) -> &Span {
        &self.span
    }
    fn start(&self) -> f64 {
        self.motion.start
    }
    fn passes(&self, at: f64) -> Result<(), (String, &'static str, Option<&'static str>)> {
        let ([low, high], name) = (self.range, &self.parameter);
        match (low..=high).contains(&at) {
            true => Ok(()),
            false => Err((
                format!("{name} = {at} is not within the study ({low} to {high})"),
                "outside the range of the parameter",
                None,
            )),
        }
    }
}

/// Evaluates and checks the table.
pub fn resolve(table: &FloquetTable, context: &mut StudyContext) -> Option<FloquetSpec> {
    let parameter = context.parameter(&table.parameter);
    let range = context.ascending(&table.range, "the range");
    let accuracy = context.positive(&table.accuracy, "the accuracy");
    let motion = periodic::resolve(&table.motion.0, context);
    let by = by(table, context);
    let values = &table.values;
    if values.value.0 < 2 {
        context.report(
            Diagnostic::error("a range needs at least two values").at(values.span.clone(), "too few"),
        );
        return None;
    }
    Some(FloquetSpec {
        parameter: parameter?,
        range: range?,
        values: values.value.0,
        accuracy: accuracy?,
        by: by?,
        blades: table.blades.0.iter().map(|blade| blade.0.iter().map(named).collect()).collect(),
        motion: PeriodicSpec { span: table.span.clone(), ..motion? },
        span: table.span.clone(),
    })
}

fn named(text: &Text) -> (String, Span) {
    (text.value.clone(), text.span.clone())
}

fn by(table: &FloquetTable, context: &mut StudyContext) -> Option<MultipliersBy> {
    let hill = table.method.value == MultipliersWord::Hill;
    for (key, written) in [("harmonics", &table.harmonics), ("kept", &table.kept)] {
        if let Some(count) = written.as_ref().filter(|_| !hill) {
            let text = format!("`{key}` is for method = \"hill\"");
            context.report(Diagnostic::error(text).at(count.span.clone(), "not used"));
            return None;
        }
    }
    let harmonics = table.harmonics.as_ref().map_or(10, |count| count.value.0);
    let kept = transpose(table.kept.as_ref().map(|count| {
        if count.value.0 < harmonics {
            return Some(count.value.0);
        }
        let text = format!("of {harmonics} harmonics fewer can be kept, not {}", count.value.0);
        context.report(Diagnostic::error(text).at(count.span.clone(), "nothing is left out"));
        None
    }))?;
    Some(match table.method.value {
        MultipliersWord::Product => MultipliersBy::Product,
        MultipliersWord::Leading => MultipliersBy::Leading,
        MultipliersWord::Hill => MultipliersBy::Hill { harmonics, kept },
    })
}
