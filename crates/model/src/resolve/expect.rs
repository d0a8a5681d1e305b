//! Expectations: values that the results must show.

use super::Resolver;
use super::formula::Place;
use crate::diagnostic::{Diagnostic, Span};
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
        let when = self.when(table, file, study)?;
        let branch = self.branch(table, study)?;
        Some(ExpectSpec {
            formula: formula?,
            at,
            when,
            branch,
            value: value?,
            tolerance: tolerance?,
            source: table.source.as_ref().map(|text| text.value.clone()),
            span: table.span.clone(),
        })
    }

    /// The signal that `at` is a value of.
    fn when(
        &mut self,
        table: &ExpectTable,
        file: &FileTable,
        study: Option<&StudySpec>,
    ) -> Option<Option<usize>> {
        let Some(when) = &table.when else { return Some(None) };
        self.demand_path("when", &when.span, study)?;
        if table.at.is_none() {
            self.diagnostics.push(
                Diagnostic::error("`when` needs a value")
                    .at(when.span.clone(), "when it is what?")
                    .help("add `at`, the value of the signal"),
            );
            return None;
        }
        self.output(when, file).map(Some)
    }

    /// The branch of a path, from 0.
    fn branch(&mut self, table: &ExpectTable, study: Option<&StudySpec>) -> Option<usize> {
        let Some(branch) = &table.branch else { return Some(0) };
        self.demand_path("branch", &branch.span, study)?;
        Some(branch.value.0 - 1)
    }

    fn demand_path(&mut self, key: &str, span: &Span, study: Option<&StudySpec>) -> Option<()> {
        match study {
            Some(StudySpec::Path(_)) | None => Some(()),
            Some(other) => {
                let word = other.word();
                self.diagnostics.push(
                    Diagnostic::error(format!("a study of type {word:?} has no path of equilibria"))
                        .at(span.clone(), format!("`{key}` is not allowed"))
                        .help(format!("remove `{key}`, or choose type = \"path\"")),
                );
                None
            }
        }
    }

    /// Events are counted over the whole study.
    fn check_events(&mut self, formula: &Formula, table: &ExpectTable) {
        let is_event = |quantity: &Quantity| {
            matches!(
                quantity,
                Quantity::Event { .. } | Quantity::Singular { .. } | Quantity::SingularCount(_)
            )
        };
        if !formula.quantities.iter().any(is_event) {
            return;
        }
        let of_time = formula.quantities.iter().any(|q| matches!(q, Quantity::Event { .. }));
        if let Some(at) = &table.at {
            let message = match of_time {
                true => "events are counted over the whole study",
                false => "singular points belong to the whole path",
            };
            self.diagnostics
                .push(Diagnostic::error(message).at(at.span(), "`at` is not allowed").help("remove `at`"));
        }
        if !formula.quantities.iter().all(is_event) {
            self.diagnostics.push(match of_time {
                true => Diagnostic::error("an expectation about events cannot name other quantities")
                    .at(formula.span.clone(), "mixes events and quantities"),
                false => {
                    Diagnostic::error("an expectation about singular points cannot name other quantities")
                        .at(formula.span.clone(), "mixes singular points and quantities of a state")
                }
            });
        }
    }

    /// The time of an expectation must be one the study passes.
    fn check_time(&mut self, at: f64, study: &StudySpec, number: &Number) -> Option<()> {
        if let StudySpec::Path(_) = study {
            return Some(());
        }
        if let StudySpec::Campbell(campbell) = study {
            let [low, high] = campbell.range;
            if !(low..=high).contains(&at) {
                let name = &campbell.parameter;
                self.diagnostics.push(
                    Diagnostic::error(format!("{name} = {at} is not within the study ({low} to {high})"))
                        .at(number.span(), "outside the range of the parameter"),
                );
                return None;
            }
            return Some(());
        }
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
