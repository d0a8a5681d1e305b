//! Expectations: values that the results must show.

use super::Resolver;
use super::formula::Place;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::{ExpectTable, FileTable};
use crate::spec::{ExpectSpec, Formula, Tolerance};
use crate::study::StudyRequest;
use crate::value::Number;

impl Resolver<'_> {
    pub fn expect(
        &mut self,
        table: &ExpectTable,
        file: &FileTable,
        study: Option<&dyn StudyRequest>,
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
            self.check_whole(formula, table);
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
        study: Option<&dyn StudyRequest>,
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
    fn branch(&mut self, table: &ExpectTable, study: Option<&dyn StudyRequest>) -> Option<usize> {
        let Some(branch) = &table.branch else { return Some(0) };
        self.demand_path("branch", &branch.span, study)?;
        Some(branch.value.0 - 1)
    }

    fn demand_path(&mut self, key: &str, span: &Span, study: Option<&dyn StudyRequest>) -> Option<()> {
        match study {
            None => Some(()),
            Some(study) if study.has_branches() => Some(()),
            Some(study) => {
                let word = study.word();
                self.diagnostics.push(
                    Diagnostic::error(format!("a study of type {word:?} has no path of equilibria"))
                        .at(span.clone(), format!("`{key}` is not allowed"))
                        .help(format!("remove `{key}`, or choose type = \"path\"")),
                );
                None
            }
        }
    }

    /// What belongs to the whole study has no time of its own, and nothing of a state beside it.
    fn check_whole(&mut self, formula: &Formula, table: &ExpectTable) {
        let Some(whole) = formula.quantities.iter().find_map(|q| q.of_whole_study()) else { return };
        if let Some(at) = &table.at {
            let error = Diagnostic::error(whole.belongs);
            self.diagnostics.push(error.at(at.span(), "`at` is not allowed").help("remove `at`"));
        }
        if !formula.quantities.iter().all(|q| q.of_whole_study().is_some()) {
            let message = format!("an expectation about {} cannot name other quantities", whole.noun);
            self.diagnostics.push(Diagnostic::error(message).at(formula.span.clone(), whole.mixes));
        }
    }

    /// The time of an expectation must be one the study passes.
    fn check_time(&mut self, at: f64, study: &dyn StudyRequest, number: &Number) -> Option<()> {
        let passed = study.passes(at);
        if let Err((message, label, help)) = &passed {
            let error = Diagnostic::error(message).at(number.span(), *label);
            self.diagnostics.push(error.maybe_help(help.map(str::to_owned)));
        }
        passed.ok()
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
