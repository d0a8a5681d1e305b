//! The names of an energy model: which can be given, and what they stand for.

use super::keyword::Keyword;
use super::statement::Word;
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::suggest::did_you_mean;
use poinsot_expr::Expr;
use std::collections::{HashMap, HashSet};

/// The name of time.
pub(crate) const TIME: &str = "t";

/// Names of generated code (lagrangian-dae-modeling §1.29).
const GENERATED: [&str; 5] = ["x_", "xdot_", "res_", "dfdx_", "dfdxdot_"];

/// Ending of rates in generated code.
const RATE_ENDING: &str = "_ddt";

/// All names of a model.
#[derive(Debug, Default)]
pub(crate) struct Names {
    /// Displacements, flows, dynamic variables, efforts.
    pub variables: Vec<Word>,
    /// What is read of the rest of a model.
    pub readings: Vec<String>,
    /// Definitions, tables among them.
    pub definitions: Vec<Word>,
    /// Names with a mistake: what uses them is not reported again.
    pub lost: HashSet<String>,
    /// What each name of a variable or definition is, and its place.
    places: HashMap<String, (Meaning, Span)>,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Meaning {
    Variable,
    Reading,
    Definition,
    Time,
    /// π.
    Constant,
}

/// Why a name cannot be given to something.
fn reserved(name: &str) -> Option<String> {
    let meaning = match name {
        TIME => "the time",
        "der" => "the rate of a variable",
        "table" => "a table of points",
        _ if Keyword::from_word(name).is_some() => "a keyword",
        _ if poinsot_expr::builtin(name).is_some() => "a function",
        _ if poinsot_expr::KEYWORDS.contains(&name) => "a word of the expression language",
        _ if GENERATED.contains(&name) => "a name of generated code",
        _ if name.ends_with(RATE_ENDING) => {
            return Some(format!(
                "the ending `{RATE_ENDING}` is for rates in generated code; choose another name"
            ));
        }
        _ => return None,
    };
    Some(format!("`{name}` means {meaning}; choose another name"))
}

impl Names {
    /// No names but those of what is read.
    pub fn new(readings: Vec<String>) -> Self {
        Names { readings, ..Names::default() }
    }

    /// Checks a name that is given to something, and that nothing else has it.
    pub fn check_new(&self, word: &Word, noun: &str, diagnostics: &mut Diagnostics) -> bool {
        let name = &word.text;
        if let Some(help) = reserved(name) {
            diagnostics.push(
                Diagnostic::error(format!("`{name}` cannot be the name of a {noun}"))
                    .at(word.span.clone(), "reserved name")
                    .help(help),
            );
            return false;
        }
        if self.readings.contains(name) {
            diagnostics.push(
                Diagnostic::error(format!("`{name}` is read from the model around and cannot be a {noun}"))
                    .at(word.span.clone(), "used again here")
                    .help("choose another name here or in `read`"),
            );
            return false;
        }
        let Some((meaning, other)) = self.places.get(name) else { return true };
        let what = if *meaning == Meaning::Variable { "variable" } else { "definition" };
        let message = match what == noun {
            true => format!("two {noun}s are called `{name}`"),
            false => format!("a {what} and a {noun} are both called `{name}`"),
        };
        diagnostics.push(
            Diagnostic::error(message)
                .at(word.span.clone(), "used again here")
                .and(other.clone(), format!("this {what}"))
                .help("every name stands for one thing"),
        );
        false
    }

    /// Enters a variable.
    pub fn enter_variable(&mut self, word: &Word) {
        self.places.insert(word.text.clone(), (Meaning::Variable, word.span.clone()));
        self.variables.push(word.clone());
    }

    /// Enters a definition.
    pub fn enter_definition(&mut self, word: &Word) {
        self.places.insert(word.text.clone(), (Meaning::Definition, word.span.clone()));
        self.definitions.push(word.clone());
    }

    /// What a name stands for.
    pub fn meaning(&self, name: &str) -> Option<Meaning> {
        match name {
            TIME => Some(Meaning::Time),
            _ if self.readings.iter().any(|reading| reading == name) => Some(Meaning::Reading),
            _ => match self.places.get(name) {
                Some((meaning, _)) => Some(*meaning),
                None => (name == "pi").then_some(Meaning::Constant),
            },
        }
    }

    /// Reports the names of an expression that stand for nothing; false also where one has a mistake of its
    /// own.
    pub fn check_uses(&self, placed: &Placed, diagnostics: &mut Diagnostics) -> bool {
        let mut good = true;
        for (name, span) in placed.expr.variables() {
            if self.lost.contains(&name) {
                good = false;
                continue;
            }
            if self.meaning(&name).is_some() {
                continue;
            }
            good = false;
            diagnostics.push(
                Diagnostic::error(format!("unknown name `{name}`"))
                    .at(placed.place(span), "not defined")
                    .help(self.unknown_help(&name)),
            );
        }
        good
    }

    fn unknown_help(&self, name: &str) -> String {
        let dotted = self.variables.iter().chain(&self.definitions).any(|word| word.text.contains('.'));
        if name.contains('.') && !dotted {
            return "names have no dots; what belongs to the model around is given a name by `read`".into();
        }
        let words = self.variables.iter().chain(&self.definitions).map(|word| word.text.as_str());
        let known: Vec<&str> = words.chain(self.readings.iter().map(String::as_str)).chain(["pi"]).collect();
        let near = did_you_mean(name, &known);
        near.unwrap_or_else(|| match name {
            "e" => "the base of natural logarithms is `exp(1)`; or define it: `e = exp(1);`".into(),
            "time" => "the time is called `t`".into(),
            _ if name.contains('.') => "neither an instance nor a node has such a variable".into(),
            _ => format!("define it: `{name} = 1;`"),
        })
    }
}

/// An expression and its place; places inside it count from its beginning.
#[derive(Clone, Debug)]
pub(crate) struct Placed {
    pub expr: Expr,
    pub at: Span,
}

impl Placed {
    /// The place in the file of a part.
    pub fn place(&self, inner: Span) -> Span {
        self.at.start + inner.start..self.at.start + inner.end
    }

    /// The place of a name in it, or of the whole.
    pub fn place_of(&self, name: &str) -> Span {
        let found = self.expr.variables().into_iter().find(|(other, _)| other == name);
        found.map_or(self.at.clone(), |(_, span)| self.place(span))
    }
}
