//! Warnings that other values of parameters raise while a study runs.

use crate::diagnostic::{Diagnostic, Source};
use std::sync::{Arc, Mutex, PoisonError};

/// What a study has met besides the warnings of its model. Clones are of one study and share it.
#[derive(Clone, Debug, Default)]
pub struct Raised(Arc<Mutex<Ledger>>);

#[derive(Clone, Debug, Default)]
struct Ledger {
    known: Vec<Kind>,
    told: Vec<String>,
}

/// A place in the file, and a message without its numbers: the same thing with another value is not news.
type Kind = (Option<usize>, String);

impl Raised {
    /// Nothing yet besides warnings that were told before.
    pub(crate) fn knowing(warnings: &[Diagnostic]) -> Self {
        let known = warnings.iter().map(kind).collect();
        Raised(Arc::new(Mutex::new(Ledger { known, told: vec![] })))
    }

    /// For another study: what it meets is its own.
    pub fn afresh(&self) -> Self {
        let known = self.lock().known.clone();
        Raised(Arc::new(Mutex::new(Ledger { known, told: vec![] })))
    }

    /// Notes warnings that came with values of parameters, each kind once.
    pub fn note(&self, values: &[(String, f64)], warnings: &[Diagnostic], source: &Source) {
        let mut ledger = self.lock();
        for warning in warnings {
            let kind = kind(warning);
            if !ledger.known.contains(&kind) {
                ledger.known.push(kind);
                ledger.told.push(told(values, warning, source));
            }
        }
    }

    /// The warnings so far, with the values at which they came.
    pub fn told(&self) -> Vec<String> {
        self.lock().told.clone()
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Ledger> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn kind(warning: &Diagnostic) -> Kind {
    let is_number = |word: &str| {
        word.trim_matches(|c: char| !c.is_ascii_alphanumeric() && c != '-').parse::<f64>().is_ok()
    };
    let words: Vec<&str> = warning.message.split_whitespace().filter(|word| !is_number(word)).collect();
    (warning.primary.as_ref().map(|label| label.span.start), words.join(" "))
}

/// "with `d` = -1: message (file:line:column)".
fn told(values: &[(String, f64)], warning: &Diagnostic, source: &Source) -> String {
    let values: Vec<String> = values.iter().map(|(name, value)| format!("`{name}` = {value}")).collect();
    let place = warning.primary.as_ref().map_or(String::new(), |label| {
        let (line, column) = source.position(label.span.start);
        format!(" ({}:{line}:{column})", source.name)
    });
    format!("with {}: {}{place}", values.join(", "), warning.message)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_is_told_once() {
        let source = Source::new("m.toml", "a = 1\nb = 2\n");
        let at = |start: usize, message: &str| Diagnostic::warning(message).at(start..start + 1, "");
        let raised = Raised::knowing(&[at(0, "odd: 3 is more than 1")]);
        let value = |v: f64| vec![("d".to_owned(), v)];
        raised.note(&value(1.0), &[at(0, "odd: 7 is more than 1")], &source);
        assert!(raised.told().is_empty());
        raised.note(&value(2.0), &[at(10, "odd: -7.5e-3 is less than 0")], &source);
        raised.note(&value(3.0), &[at(10, "odd: 9 is less than 0"), at(10, "even")], &source);
        let told = raised.told();
        assert_eq!(told[0], "with `d` = 2: odd: -7.5e-3 is less than 0 (m.toml:2:5)");
        assert_eq!(told[1..], ["with `d` = 3: even (m.toml:2:5)"]);
        let other = raised.afresh();
        other.note(&value(4.0), &[at(10, "even")], &source);
        assert!(other.told().is_empty() && raised.told().len() == 2);
    }
}
