//! Options of the solver (lagrangian-dae-modeling §1.30), all of them optional.

use super::energy::Reader;
use super::keyword::Keyword;
use super::statement::{Value, Word};
use crate::diagnostic::{Diagnostic, Span};
use crate::suggest::did_you_mean;
use crate::value::Located;
use poinsot_mechanics::EquationForm;

/// A tolerance.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Amount {
    /// For all variables.
    All(f64),
    /// For each of q, f, s, e.
    Each(Vec<f64>),
}

/// What a file says about its solution.
#[derive(Clone, Debug, Default)]
pub(crate) struct Options {
    pub absolute: Option<Amount>,
    pub relative: Option<Amount>,
    /// Usual sizes of q, f, s, e.
    pub nominal: Option<Vec<f64>>,
    pub first_step: Option<f64>,
    pub max_steps: Option<usize>,
    pub event_times: Vec<f64>,
    /// Index of every unknown.
    pub index: Option<Located<Vec<usize>>>,
    pub form: Option<Located<EquationForm>>,
    /// Displacements and flows whose start values stay.
    pub keep: Vec<Word>,
    /// Keywords for a study, with their places: an energy model inside another model does not use them.
    pub of_study: Vec<(Keyword, Span)>,
}

/// Forms by name.
const FORMS: [(&str, EquationForm); 5] = [
    ("index3", EquationForm::Index3),
    ("index2", EquationForm::Index2),
    ("stabilised", EquationForm::Stabilised),
    ("index1", EquationForm::Index1),
    ("ode", EquationForm::Ode),
];

/// The form that a word means.
pub(crate) fn form(word: &str) -> Option<EquationForm> {
    let word = if word == "stabilized" { "stabilised" } else { word };
    FORMS.iter().find(|(name, _)| *name == word).map(|(_, form)| *form)
}

/// The help of a message about a word that means no form.
pub(crate) fn form_help(word: &str) -> String {
    let names = FORMS.map(|(name, _)| name);
    did_you_mean(word, names).unwrap_or_else(|| format!("one of {}", names.join(", ")))
}

impl Reader<'_> {
    /// Reads the options. The model has so many q, f, s, e and so many displacement and flow constraints.
    pub(super) fn options(&mut self, counts: [usize; 4], holonomic: usize, flow: usize) -> Option<Options> {
        let before = self.diagnostics.has_errors();
        let variables = counts.iter().sum();
        let form = self.form();
        let options = Options {
            absolute: self.tolerance(Keyword::AbsoluteTolerance, variables),
            relative: self.tolerance(Keyword::RelativeTolerance, variables),
            nominal: self.positive_numbers(Keyword::NominalSizes, variables),
            first_step: self.first_step(),
            max_steps: self.whole(Keyword::MaxSteps, 1).map(|steps| steps.value),
            event_times: self.event_times(),
            index: self.index(
                variables,
                form.as_ref().map(|form| form.value).unwrap_or_default(),
                holonomic,
                flow,
            ),
            form,
            keep: self.keep(counts),
            of_study: self.of_study(),
        };
        (before || !self.diagnostics.has_errors()).then_some(options)
    }

    fn form(&mut self) -> Option<Located<EquationForm>> {
        let span = self.single(Keyword::Form)?;
        let word = &self.text[span.clone()];
        match form(word) {
            Some(value) => Some(Located { value, span }),
            None => {
                let message = format!("there is no form `{word}`");
                let help = form_help(word);
                self.diagnostics.push(Diagnostic::error(message).at(span, "not a form").help(help));
                None
            }
        }
    }

    fn tolerance(&mut self, keyword: Keyword, variables: usize) -> Option<Amount> {
        let vector = matches!(self.given.get(&keyword)?.value, Value::Vector { .. });
        if vector {
            return self.positive_numbers(keyword, variables).map(Amount::Each);
        }
        let span = self.single(keyword)?;
        let value = self.number(span.clone(), None)?;
        self.demand_positive(keyword, &[value], span).map(|()| Amount::All(value))
    }

    fn positive_numbers(&mut self, keyword: Keyword, variables: usize) -> Option<Vec<f64>> {
        let span = self.given.get(&keyword)?.value.span();
        let list = self.numbers(keyword, variables, "variable", None)?;
        self.demand_positive(keyword, &list, span).map(|()| list)
    }

    fn demand_positive(&mut self, keyword: Keyword, values: &[f64], span: Span) -> Option<()> {
        let bad = values.iter().find(|value| **value <= 0.0);
        if let Some(bad) = bad {
            let message = format!("{} must be positive, but has {bad}", keyword.word());
            self.diagnostics.push(Diagnostic::error(message).at(span, "must be positive"));
        }
        bad.is_none().then_some(())
    }

    fn first_step(&mut self) -> Option<f64> {
        let span = self.single(Keyword::InitialStepSize)?;
        let value = self.number(span.clone(), None)?;
        self.demand_positive(Keyword::InitialStepSize, &[value], span).map(|()| value)
    }

    /// Times that increase.
    fn event_times(&mut self) -> Vec<f64> {
        let Some(items) = self.items(Keyword::EventTimes) else { return Vec::new() };
        let mut times: Vec<f64> = Vec::new();
        for item in items {
            let Some(time) = self.number(item.clone(), None) else { return Vec::new() };
            if times.last().is_some_and(|last| time <= *last) {
                let message =
                    format!("event times increase, but {time} does not follow on {}", times[times.len() - 1]);
                self.diagnostics.push(Diagnostic::error(message).at(item, "not later"));
                return Vec::new();
            }
            times.push(time);
        }
        times
    }

    /// The index of each unknown q, f, s, e, λ, μ, ν.
    fn index(
        &mut self,
        variables: usize,
        form: EquationForm,
        holonomic: usize,
        flow: usize,
    ) -> Option<Located<Vec<usize>>> {
        let span = self.given.get(&Keyword::DifferentiationIndex)?.value.span();
        let multipliers = holonomic + flow + if form == EquationForm::Stabilised { holonomic } else { 0 };
        let list = self.numbers(Keyword::DifferentiationIndex, variables + multipliers, "unknown", None)?;
        if let Some(bad) = list.iter().find(|value| value.fract() != 0.0 || !(0.0..=9.0).contains(*value)) {
            let message = format!("an index is a small whole number, not {bad}");
            self.diagnostics.push(Diagnostic::error(message).at(span, "not indices"));
            return None;
        }
        Some(Located { value: list.into_iter().map(|value| value as usize).collect(), span })
    }

    /// Names of displacements and flows.
    fn keep(&mut self, [q, f, ..]: [usize; 4]) -> Vec<Word> {
        let mut keep = Vec::new();
        for span in self.items(Keyword::Keep).unwrap_or_default() {
            let word = Word { text: self.text[span.clone()].to_owned(), span };
            let known: Vec<&str> = self.names.variables.iter().take(q + f).map(|v| v.text.as_str()).collect();
            if known.contains(&word.text.as_str()) {
                keep.push(word);
                continue;
            }
            let help = did_you_mean(&word.text, &known).unwrap_or_else(|| match known.as_slice() {
                [] => "the model has none".into(),
                known => format!("there are {}", known.join(", ")),
            });
            self.diagnostics.push(
                Diagnostic::error(format!("`{}` is no displacement and no flow", word.text))
                    .at(word.span, "cannot be kept")
                    .help(help),
            );
        }
        keep
    }

    /// What belongs to a study and not to the model.
    fn of_study(&self) -> Vec<(Keyword, Span)> {
        let keywords = [
            Keyword::InitialTime,
            Keyword::FinalTime,
            Keyword::OutputPoints,
            Keyword::AbsoluteTolerance,
            Keyword::RelativeTolerance,
            Keyword::InitialStepSize,
            Keyword::MaxSteps,
            Keyword::EventTimes,
        ];
        let given = keywords.into_iter().filter_map(|k| Some((k, self.given.get(&k)?.name.span.clone())));
        given.collect()
    }
}
