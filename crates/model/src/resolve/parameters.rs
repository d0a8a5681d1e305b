//! Parameters: overrides, mutual dependence, values.

use super::Resolver;
use crate::diagnostic::{Diagnostic, Span};
use crate::expression::{parse, report};
use crate::file::{FileTable, TableTable};
use crate::parametric::ParameterValue;
use crate::spec::ParameterSpec;
use crate::suggest::did_you_mean;
use crate::value::{Number, Text};
use poinsot_expr::{EvalError, Expr};

/// A parameter still to be evaluated.
struct Pending {
    name: Text,
    expr: Expr,
    /// The text of the expression; `None` if it came from an override or is a plain number.
    text: Option<Text>,
    overridden: bool,
}

impl Resolver<'_> {
    /// Evaluates all parameters; those that depend on others come after them.
    pub fn resolve_parameters(&mut self, file: &FileTable, given: &[ParameterValue]) {
        let list = file.parameters.table.as_ref().map_or(&[][..], |t| &t.list);
        self.check_given(list, given, file);
        let mut pending = Vec::new();
        for (name, number) in list {
            if !self.check_name(name, "parameter") {
                self.scope.lost.push(name.value.clone());
                continue;
            }
            let read = match given.iter().rev().find(|given| given.name == name.value) {
                Some(ParameterValue { expr, .. }) => expr.clone().map(|expr| Pending {
                    name: name.clone(),
                    expr,
                    text: None,
                    overridden: true,
                }),
                None => self.file_value(name, number, file),
            };
            match read {
                Some(parameter) => pending.push(parameter),
                None => self.scope.lost.push(name.value.clone()),
            }
        }
        let known: Vec<&str> = list.iter().map(|(n, _)| n.value.as_str()).collect();
        self.evaluate(pending, &known);
        let order = |p: &ParameterSpec| list.iter().position(|(n, _)| n.value == p.name);
        self.parameters.sort_by_key(order);
    }

    fn check_given(&mut self, list: &[(Text, Number)], given: &[ParameterValue], file: &FileTable) {
        // Parameters of energy models are looked at where these are read.
        let of_block = |name: &str| {
            let block = name.split_once('.').map(|(block, _)| block);
            block.is_some_and(|block| file.lagrangian.iter().any(|other| other.name.value == block))
        };
        for ParameterValue { name, .. } in given.iter().filter(|given| !of_block(&given.name)) {
            let known = || list.iter().map(|(text, _)| text.value.as_str());
            if known().any(|n| n == name) || self.scope.lost.contains(name) {
                continue;
            }
            let help = did_you_mean(name, known()).unwrap_or_else(|| match list.len() {
                0 => "this file has no parameters".into(),
                _ => format!("parameters: {}", known().collect::<Vec<_>>().join(", ")),
            });
            self.diagnostics
                .push(Diagnostic::error(format!("cannot set `{name}`: no such parameter")).help(help));
        }
    }

    fn file_value(&mut self, name: &Text, number: &Number, file: &FileTable) -> Option<Pending> {
        let (expr, text) = match number {
            Number::Value(_) => (Expr::number(self.number(number)?), None),
            Number::Expression(text) if self.refuse_table(text, file) => return None,
            Number::Expression(text) => (parse(text, &[], &mut self.diagnostics)?, Some(text.clone())),
        };
        Some(Pending { name: name.clone(), expr, text, overridden: false })
    }

    /// True after reporting that a parameter calls a table.
    fn refuse_table(&mut self, text: &Text, file: &FileTable) -> bool {
        let Err(error) = Expr::parse(&text.value) else { return false };
        let at = error.span.start;
        let rest = text.value.get(at..).unwrap_or_default();
        let called = |table: &&TableTable| {
            let rest = rest.strip_prefix(&table.name.value);
            !table.name.value.is_empty() && rest.is_some_and(|rest| rest.trim_start().starts_with('('))
        };
        let Some(table) = file.table.iter().find(called) else { return false };
        let name = &table.name.value;
        self.diagnostics.push(
            Diagnostic::error(format!("the table `{name}` cannot be used in a parameter"))
                .at(text.locate(at..at + name.len()), "not known here")
                .and(table.name.span.clone(), "this table")
                .help("tables may depend on parameters, not the other way round"),
        );
        true
    }

    /// Takes the parameters whose names are all known until none is left that has.
    fn evaluate(&mut self, mut pending: Vec<Pending>, known: &[&str]) {
        pending.retain(|parameter| {
            let ok = self.check_parameter_names(parameter, known);
            if !ok {
                self.scope.lost.push(parameter.name.value.clone());
            }
            ok
        });
        loop {
            let ready = |p: &Pending| {
                let known = |name: &str| {
                    self.scope.get(name).is_some() || !pending.iter().any(|q| q.name.value == name)
                };
                p.expr.variables().iter().all(|(name, _)| known(name))
            };
            let Some(index) = pending.iter().position(ready) else {
                break;
            };
            let parameter = pending.remove(index);
            self.evaluate_one(parameter);
        }
        self.report_cycle(&pending);
        let left = pending.into_iter().map(|p| p.name.value);
        self.scope.lost.extend(left);
    }

    fn evaluate_one(&mut self, parameter: Pending) {
        let name = parameter.name.value.clone();
        let lost = |(n, _): &(String, Span)| self.scope.lost.contains(n);
        if parameter.expr.variables().iter().any(lost) {
            self.scope.lost.push(name);
            return;
        }
        match parameter.expr.eval(&|n| self.scope.get(n)) {
            Ok(value) => {
                self.scope.parameters.push((name.clone(), value));
                self.parameters.push(ParameterSpec {
                    name,
                    value,
                    overridden: parameter.overridden,
                    span: parameter.name.span,
                });
            }
            Err(error) => {
                self.report_value(&parameter, error);
                self.scope.lost.push(name);
            }
        }
    }

    fn report_value(&mut self, parameter: &Pending, error: EvalError) {
        match &parameter.text {
            Some(text) => report(error, text, &mut self.diagnostics),
            None => {
                let name = &parameter.name.value;
                let message = format!("cannot set `{name}`: {error}");
                self.diagnostics.push(Diagnostic::error(message));
            }
        }
    }

    /// Every name in a parameter's expression must be a parameter or a constant.
    fn check_parameter_names(&mut self, parameter: &Pending, known: &[&str]) -> bool {
        let mut ok = true;
        for (name, span) in parameter.expr.variables() {
            let name = name.as_str();
            if known.contains(&name) || poinsot_expr::constant(name).is_some() {
                continue;
            }
            ok = false;
            if self.scope.lost.iter().any(|lost| lost == name) {
                continue;
            }
            let help = did_you_mean(name, known);
            let error = match &parameter.text {
                Some(text) => Diagnostic::error(format!("unknown name `{name}`"))
                    .at(text.locate(span), "not a parameter"),
                None => {
                    Diagnostic::error(format!("cannot set `{}`: unknown name `{name}`", parameter.name.value))
                }
            };
            self.diagnostics.push(error.maybe_help(help));
        }
        ok
    }

    /// What is left over depends on itself: follow the names until one returns.
    fn report_cycle(&mut self, pending: &[Pending]) {
        let Some(first) = pending.first() else { return };
        let mut path = vec![first];
        loop {
            let Some(last) = path.last() else { return };
            let next = last
                .expr
                .variables()
                .into_iter()
                .find_map(|(name, _)| pending.iter().find(|p| p.name.value == name));
            let Some(next) = next else { return };
            let seen = path.iter().position(|p| p.name.value == next.name.value);
            if let Some(start) = seen {
                let cycle = &path[start..];
                let names: Vec<&str> = cycle.iter().map(|p| p.name.value.as_str()).collect();
                let chain = format!("{} → {}", names.join(" → "), names[0]);
                let mut diagnostic =
                    Diagnostic::error(format!("parameter `{}` depends on itself: {chain}", names[0]))
                        .at(cycle[0].name.span.clone(), "depends on itself");
                for other in &cycle[1..] {
                    diagnostic = diagnostic.and(other.name.span.clone(), "by way of this one");
                }
                self.diagnostics.push(diagnostic);
                return;
            }
            path.push(next);
        }
    }
}
