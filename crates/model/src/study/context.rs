//! What the table of a study is checked against: the numbers and names of the model around it.

use crate::diagnostic::{Diagnostic, Span};
use crate::file::FileTable;
use crate::resolve::Resolver;
use crate::spec::{BodyRef, InputSpec};
use crate::study::initial::InitialTable;
use crate::value::{Located, Number, Text};

/// The model around the table of a study. Each look-up reports what is wrong and then gives nothing.
pub struct StudyContext<'r, 'a> {
    pub(crate) resolver: &'r mut Resolver<'a>,
    pub(crate) file: &'r FileTable,
}

impl StudyContext<'_, '_> {
    /// Reports a mistake.
    pub fn report(&mut self, diagnostic: Diagnostic) {
        self.resolver.diagnostics.push(diagnostic);
    }

    /// The value of a number.
    pub fn number(&mut self, number: &Number) -> Option<f64> {
        self.resolver.number(number)
    }

    /// The values of several numbers, all mistakes reported.
    pub fn numbers<const N: usize>(&mut self, numbers: &[Number; N]) -> Option<[f64; N]> {
        self.resolver.numbers(numbers)
    }

    /// A number above zero.
    pub fn positive(&mut self, number: &Number, subject: &str) -> Option<f64> {
        self.resolver.positive(number, subject)
    }

    /// A value that must be something in words.
    pub fn demand(&mut self, value: f64, holds: bool, span: Span, subject: &str, what: &str) -> Option<f64> {
        self.resolver.demand(value, holds, span, subject, what)
    }

    /// Two numbers, the second greater.
    pub fn ascending(&mut self, pair: &Located<[Number; 2]>, subject: &str) -> Option<[f64; 2]> {
        let [low, high] = pair.value.each_ref().map(|number| self.number(number));
        let (low, high) = (low?, high?);
        if low >= high {
            self.report(
                Diagnostic::error(format!("{subject} from {low} to {high} is empty"))
                    .at(pair.span.clone(), "give the smaller value first"),
            );
            return None;
        }
        Some([low, high])
    }

    /// Start, end and step, the end after the start and a step not longer than between them.
    pub fn times(
        &mut self,
        [start, end]: [&Number; 2],
        step: Option<&Number>,
    ) -> Option<(f64, f64, Option<f64>)> {
        let first = self.number(start);
        let last = self.number(end);
        let length = transpose(step.map(|step| self.positive(step, "the step")));
        let (first, last, length) = (first?, last?, length?);
        if last <= first {
            self.report(
                Diagnostic::error(format!("the study ends at {last}, not after its start at {first}"))
                    .at(end.span(), "the end")
                    .and(start.span(), "the start"),
            );
            return None;
        }
        if let (Some(length), Some(step)) = (length, step)
            && length > last - first
        {
            let whole = last - first;
            self.report(
                Diagnostic::error(format!("the step {length} is longer than the whole study ({whole})"))
                    .at(step.span(), "too long"),
            );
            return None;
        }
        Some((first, last, length))
    }

    /// The name of a parameter of the file.
    pub fn parameter(&mut self, name: &Text) -> Option<String> {
        self.resolver.parameter_named(name)
    }

    /// A signal by name: its index.
    pub fn signal(&mut self, name: &Text) -> Option<usize> {
        self.resolver.output(name, self.file)
    }

    /// A body or the ground by name.
    pub fn body(&mut self, name: &Text) -> Option<BodyRef> {
        self.resolver.body_named(name)
    }

    /// The body in whose frame a state is at rest.
    pub fn observer(&mut self, name: &Text) -> Option<BodyRef> {
        self.resolver.observer(name)
    }

    /// An input of a linear system by name.
    pub fn input(&mut self, name: &Text) -> Option<InputSpec> {
        self.resolver.input(name, self.file)
    }

    /// Whether the study starts from another state than that of the model.
    pub fn has_initial(&self) -> bool {
        self.initial().is_some()
    }

    /// Whether it starts from a steady motion.
    pub fn is_steady(&self) -> bool {
        self.initial().is_some_and(InitialTable::is_steady)
    }

    fn initial(&self) -> Option<&InitialTable> {
        self.file.study.at_hand()?.keys.initial.as_ref()
    }

    /// Whether the model has beams.
    pub fn has_beams(&self) -> bool {
        !self.file.beam.is_empty()
    }

    /// Whether the model has first-order equations.
    pub fn has_variables(&self) -> bool {
        !self.resolver.variables.is_empty()
    }

    /// Name of the first block of equations, if there is one.
    pub fn equations(&self) -> Option<&Text> {
        let block = self.file.equations.first().map(|block| &block.name);
        block.or(self.file.lagrangian.first().map(|block| &block.name))
    }
}

/// Nothing given is fine, something wrong is not.
pub fn transpose<T>(value: Option<Option<T>>) -> Option<Option<T>> {
    match value {
        Some(inner) => inner.map(Some),
        None => Some(None),
    }
}
