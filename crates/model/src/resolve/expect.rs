//! Expectations: values that the results must show.

use super::Resolver;
use super::formula::Place;
use crate::diagnostic::Diagnostic;
use crate::file::{ExpectTable, FileTable};
use crate::quantity::Quantity;
use crate::spec::{ExpectSpec, Formula, StudySpec, Tolerance};
use crate::value::Number;

impl Resolver<'_> {
    pub fn expect(
        &mut self,
        table: &ExpectTable,
        file: &FileTable,
        study: Option<&StudySpec>,
    ) -> Option<ExpectSpec> {
        let formula = self.formula(&Place::expectation(&table.signal, file, study));
        let value = self.number(&table.value);
        let tolerance = self.tolerance(table);
        let at = table.at.as_ref().map(|at| self.number(at));
        let at = match at {
            Some(at) => Some(at?),
            None => None,
        };
        if let Some(formula) = &formula {
            self.check_events(formula, table);
        }
        if !file.study.present {
            self.diagnostics.push(
                Diagnostic::error("an expectation needs a [study] that produces results")
                    .at(table.span.clone(), "nothing is simulated"),
            );
        }
        if let (Some(at), Some(study), Some(number)) = (at, study, &table.at) {
            self.check_time(at, study, number)?;
        }
        Some(ExpectSpec {
            formula: formula?,
            at,
            value: value?,
            tolerance: tolerance?,
            source: table.source.as_ref().map(|text| text.value.clone()),
            span: table.span.clone(),
        })
    }

    /// Events are counted over the whole study.
    fn check_events(&mut self, formula: &Formula, table: &ExpectTable) {
        let is_event = |quantity: &Quantity| matches!(quantity, Quantity::Event { .. });
        if !formula.quantities.iter().any(is_event) {
            return;
        }
        if let Some(at) = &table.at {
            self.diagnostics.push(
                Diagnostic::error("events are counted over the whole study")
                    .at(at.span(), "`at` is not allowed")
                    .help("remove `at`"),
            );
        }
        if !formula.quantities.iter().all(is_event) {
            self.diagnostics.push(
                Diagnostic::error("an expectation about events cannot name other quantities")
                    .at(formula.span.clone(), "mixes events and quantities"),
            );
        }
    }

    /// The time of an expectation must be one the study passes.
    fn check_time(&mut self, at: f64, study: &StudySpec, number: &Number) -> Option<()> {
        let Some((start, end)) = study.times() else {
            let word = study.word();
            self.diagnostics.push(
                Diagnostic::error(format!("a study of type {word:?} has no course of time"))
                    .at(number.span(), "`at` is not allowed")
                    .help("remove `at`"),
            );
            return None;
        };
        if !(start..=end).contains(&at) {
            self.diagnostics.push(
                Diagnostic::error(format!("the time {at} is not within the study ({start} to {end})"))
                    .at(number.span(), "outside the study"),
            );
            return None;
        }
        Some(())
    }

    fn tolerance(&mut self, table: &ExpectTable) -> Option<Tolerance> {
        match (&table.tolerance, &table.relative) {
            (Some(bound), None) => self.not_negative(bound, "the tolerance").map(Tolerance::Absolute),
            (None, Some(ratio)) => {
                self.not_negative(ratio, "the relative tolerance").map(Tolerance::Relative)
            }
            (Some(bound), Some(ratio)) => {
                self.diagnostics.push(
                    Diagnostic::error("the expectation has two tolerances")
                        .at(ratio.span(), "relative")
                        .and(bound.span(), "absolute")
                        .help("remove one of the two"),
                );
                None
            }
            (None, None) => {
                self.diagnostics.push(
                    Diagnostic::error("missing key `tolerance` in expectation")
                        .at(table.span.clone(), "this expectation needs `tolerance`")
                        .help("give `tolerance` (absolute) or `relative`"),
                );
                None
            }
        }
    }
}
