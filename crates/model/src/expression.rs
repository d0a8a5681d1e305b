//! Expressions of the file: parsing, evaluation with the parameters, compilation.

use crate::diagnostic::{Diagnostic, Diagnostics};
use crate::suggest::did_you_mean;
use crate::value::{Number, Text};
use poinsot_expr::{EvalError, Expr, Function, SmoothFunction, Table};
use std::sync::Arc;

/// The names an expression may use: the parameters with their values, and the tables.
#[derive(Default)]
pub(crate) struct Scope {
    /// Functions through points.
    pub tables: Vec<Arc<Table>>,
    /// Names and values.
    pub parameters: Vec<(String, f64)>,
    /// Names without a value because of a mistake reported elsewhere.
    pub lost: Vec<String>,
}

/// Parses a string; a mistake is shown inside it.
pub(crate) fn parse(text: &Text, tables: &[Arc<Table>], diagnostics: &mut Diagnostics) -> Option<Expr> {
    parse_as(&text.value, text, tables, diagnostics)
}

/// Parses another form of a string, byte for byte as long; a mistake is shown inside the string.
pub(crate) fn parse_as(
    form: &str,
    text: &Text,
    tables: &[Arc<Table>],
    diagnostics: &mut Diagnostics,
) -> Option<Expr> {
    match Expr::parse_with(form, tables) {
        Ok(expr) => Some(expr),
        Err(error) => {
            let help = error.suggestion.map(|s| format!("did you mean `{s}`?"));
            diagnostics.push(
                Diagnostic::error(error.message)
                    .at(text.locate(error.span), "in this expression")
                    .maybe_help(help),
            );
            None
        }
    }
}

/// Reports that an expression has no value.
pub(crate) fn report(error: EvalError, text: &Text, diagnostics: &mut Diagnostics) {
    let help = error.suggestion().map(|s| format!("did you mean `{s}`?"));
    let message = match &error {
        EvalError::UnknownName { name, .. } => format!("unknown name `{name}`"),
        other => other.to_string(),
    };
    diagnostics.push(
        Diagnostic::error(message).at(text.locate(error.span()), "in this expression").maybe_help(help),
    );
}

impl Scope {
    /// The value of a parameter.
    pub fn get(&self, name: &str) -> Option<f64> {
        self.parameters.iter().find(|(n, _)| n == name).map(|(_, v)| *v)
    }

    /// The value of a number; it is finite.
    pub fn number(&self, number: &Number, diagnostics: &mut Diagnostics) -> Option<f64> {
        match number {
            Number::Value(number) if number.value.is_finite() => Some(number.value),
            Number::Value(number) => {
                diagnostics.push(
                    Diagnostic::error(format!("{} is not a finite number", number.value))
                        .at(number.span.clone(), "must be finite"),
                );
                None
            }
            Number::Expression(text) => {
                let expr = parse(text, &self.tables, diagnostics)?;
                self.check_names(&expr, text, &[], diagnostics)?;
                expr.eval(&|name| self.get(name)).map_err(|error| report(error, text, diagnostics)).ok()
            }
        }
    }

    /// A number that may depend on `arguments`, compiled.
    pub fn function(
        &self,
        number: &Number,
        arguments: &[&str],
        diagnostics: &mut Diagnostics,
    ) -> Option<Function> {
        let expr = self.law(number, arguments, diagnostics)?;
        let function = Function::new(&expr, arguments, &|name| self.get(name));
        compiled(function, number, diagnostics)
    }

    /// A number that may depend on `arguments`, compiled with its second derivatives.
    pub fn smooth(
        &self,
        number: &Number,
        arguments: &[&str],
        diagnostics: &mut Diagnostics,
    ) -> Option<SmoothFunction> {
        let expr = self.law(number, arguments, diagnostics)?;
        let function = SmoothFunction::new(&expr, arguments, &|name| self.get(name));
        compiled(function, number, diagnostics)
    }

    /// The expression of a number that may depend on `arguments`, its names checked.
    pub fn law(&self, number: &Number, arguments: &[&str], diagnostics: &mut Diagnostics) -> Option<Expr> {
        let Number::Expression(text) = number else {
            return self.number(number, diagnostics).map(Expr::number);
        };
        let expr = parse(text, &self.tables, diagnostics)?;
        self.check_names(&expr, text, arguments, diagnostics)?;
        self.warn_of_shadows(&expr, text, arguments, diagnostics);
        Some(expr)
    }

    /// Reports every name that is neither a parameter, an argument nor a constant.
    fn check_names(
        &self,
        expr: &Expr,
        text: &Text,
        arguments: &[&str],
        diagnostics: &mut Diagnostics,
    ) -> Option<()> {
        let mut known = Some(());
        for (name, span) in expr.variables() {
            let found = arguments.contains(&name.as_str())
                || self.get(&name).is_some()
                || poinsot_expr::constant(&name).is_some();
            if found {
                continue;
            }
            known = None;
            if self.lost.contains(&name) {
                continue;
            }
            let candidates = self.parameters.iter().map(|(n, _)| n.as_str());
            let candidates = candidates.chain(arguments.iter().copied());
            let help = unknown_help(&name, arguments)
                .or_else(|| did_you_mean(&name, candidates))
                .unwrap_or_else(|| self.list_names(arguments));
            diagnostics.push(
                Diagnostic::error(format!("unknown name `{name}`"))
                    .at(text.locate(span), "not known here")
                    .help(help),
            );
        }
        known
    }

    /// In a law `length` is the spring's, even if a parameter is called so.
    fn warn_of_shadows(&self, expr: &Expr, text: &Text, arguments: &[&str], diagnostics: &mut Diagnostics) {
        for (name, span) in expr.variables() {
            if arguments.contains(&name.as_str()) && self.get(&name).is_some() {
                diagnostics.push(
                    Diagnostic::warning(format!(
                        "`{name}` is the variable of this law, not the parameter `{name}`"
                    ))
                    .at(text.locate(span), "the variable")
                    .help("give the parameter another name"),
                );
            }
        }
    }

    fn list_names(&self, arguments: &[&str]) -> String {
        let names: Vec<&str> =
            arguments.iter().copied().chain(self.parameters.iter().map(|(n, _)| n.as_str())).collect();
        match names.len() {
            0 => "this file has no parameters: add it to [parameters]".into(),
            1..=12 => format!("known names: {}", names.join(", ")),
            _ => "add it to [parameters]".into(),
        }
    }
}

/// The compiled function, its mistake reported.
fn compiled<F>(function: Result<F, EvalError>, number: &Number, diagnostics: &mut Diagnostics) -> Option<F> {
    match (function, number) {
        (Ok(function), _) => Some(function),
        (Err(error), Number::Expression(text)) => {
            report(error, text, diagnostics);
            None
        }
        (Err(error), Number::Value(value)) => {
            diagnostics.push(Diagnostic::error(error.to_string()).at(value.span.clone(), "here"));
            None
        }
    }
}

/// Help for names that are known elsewhere.
fn unknown_help(name: &str, arguments: &[&str]) -> Option<String> {
    match name {
        "time" if arguments.contains(&"t") => Some("the time is called `t` here".into()),
        "t" | "time" => {
            Some("this number is fixed at the start: only loads and drives may use the time".into())
        }
        _ if name.contains('.') => Some(
            "quantities of the running system are known only in signals, expectations and constraints".into(),
        ),
        _ => None,
    }
}
