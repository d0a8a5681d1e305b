//! Formulas: expressions over the quantities of the running system.

use super::Resolver;
use super::beam_place::with_plain_places;
use super::study_result::with_letters;
use crate::expression::{parse_as, report};
use crate::file::FileTable;
use crate::quantity::Quantity;
use crate::spec::Formula;
use crate::study::StudyRequest;
use crate::value::Text;
use poinsot_expr::{Expr, Program};

/// A formula's text and what it may name.
pub(super) struct Place<'a> {
    pub text: &'a Text,
    pub file: &'a FileTable,
    /// Set in expectations, which may name results of the study, if that is known.
    pub results: Option<Option<&'a dyn StudyRequest>>,
}

impl<'a> Place<'a> {
    /// The value of a signal, or a constraint.
    pub fn signal(text: &'a Text, file: &'a FileTable) -> Self {
        Place { text, file, results: None }
    }

    /// What an expectation checks.
    pub fn expectation(text: &'a Text, file: &'a FileTable, study: Option<&'a dyn StudyRequest>) -> Self {
        Place { text, file, results: Some(study) }
    }
}

/// What a name in an expression turned out to be.
pub(super) enum Meaning {
    Quantity(Quantity),
    /// A parameter or a constant of the language: a fixed number.
    Fixed,
}

impl Resolver<'_> {
    /// Parses an expression, gives every name its meaning and compiles it.
    pub(super) fn formula(&mut self, place: &Place) -> Option<Formula> {
        let (expr, named) = self.named_quantities(place)?;
        let (arguments, quantities): (Vec<String>, Vec<Quantity>) = named.into_iter().unzip();
        let program = self.compile(&expr, &arguments, place.text)?;
        Some(Formula {
            text: place.text.value.clone(),
            span: place.text.span.clone(),
            expr,
            arguments,
            quantities,
            program,
        })
    }

    /// Parses an expression and gives every name its meaning: the quantities, each once.
    pub(super) fn named_quantities(&mut self, place: &Place) -> Option<(Expr, Vec<(String, Quantity)>)> {
        let form = with_plain_places(&with_letters(&place.text.value, self.studies));
        let expr = parse_as(&form, place.text, &self.scope.tables, &mut self.diagnostics)?;
        let mut named: Vec<(String, Quantity)> = Vec::new();
        let mut known = Some(());
        for (name, span) in expr.variables() {
            // The name as it was written.
            let written = place.text.value.get(span.clone()).unwrap_or(&name);
            match self.meaning(written, &span, place) {
                Some(Meaning::Quantity(_)) if named.iter().any(|(other, _)| *other == name) => {}
                Some(Meaning::Quantity(quantity)) => named.push((name, quantity)),
                Some(Meaning::Fixed) => {}
                None => known = None,
            }
        }
        known?;
        Some((expr, named))
    }

    fn compile(&mut self, expr: &Expr, arguments: &[String], text: &Text) -> Option<Program> {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        match Program::compile(expr, &arguments, &|name| self.scope.get(name)) {
            Ok(program) => Some(program),
            Err(error) => {
                report(error, text, &mut self.diagnostics);
                None
            }
        }
    }
}
