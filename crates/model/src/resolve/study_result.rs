//! Results of studies that expectations name: `mode.1.frequency`, `matrix.A.1.2`, `equilibrium.stable`,
//! `limit_point.1.P`.

use super::Resolver;
use super::formula::Place;
use crate::diagnostic::{Diagnostic, Span};
use crate::file::FileTable;
use crate::quantity::{EventQuantity, Quantity};
use crate::study::{Asked, NoResult, Studies, pick};
use crate::suggest::did_you_mean;

/// The text with a letter for the first digit of each part of a result's name, byte for byte as long:
/// to the expression language `mode.1.frequency` is no name, but `mode.b.frequency` is.
pub(super) fn with_letters(text: &str, studies: Studies) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'.' || byte >= 0x80;
    let mut start = 0;
    while start < bytes.len() {
        if !inside(bytes[start]) {
            start += 1;
            continue;
        }
        let length = bytes[start..].iter().take_while(|byte| inside(**byte)).count();
        let word = &mut bytes[start..start + length];
        let root = word.split(|byte| *byte == b'.').next().unwrap_or_default();
        let is_result = root.len() < length && std::str::from_utf8(root).is_ok_and(|r| studies.is_root(r));
        for i in 1..if is_result { length } else { 0 } {
            if word[i - 1] == b'.' && word[i].is_ascii_digit() {
                word[i] += b'a' - b'0';
            }
        }
        start += length;
    }
    // Only ASCII was replaced, and by ASCII.
    String::from_utf8(bytes).unwrap_or_else(|_| text.to_owned())
}

impl Resolver<'_> {
    /// The result that a dotted name stands for.
    pub(super) fn study_result(&mut self, name: &str, span: &Span, place: &Place) -> Option<Quantity> {
        let found = match place.results {
            Some(_) if name.starts_with("event.") => event_result(name, place.file),
            Some(study) => {
                let rest = name.split('.').skip(1).collect();
                let signals = place.file.signal.iter().map(|signal| signal.name.value.as_str()).collect();
                self.studies.result(&Asked { name, rest, study, signals }).map(Quantity::Result)
            }
            None => Err((
                format!("`{name}` is a result of the study"),
                Some("results of a study can be used only in [[expect]]".into()),
            )),
        };
        match found {
            Ok(quantity) => Some(quantity),
            Err((message, help)) => {
                let at = place.text.locate(span.clone());
                self.diagnostics.push(Diagnostic::error(message).at(at, "not known here").maybe_help(help));
                None
            }
        }
    }
}

/// `event.NAME.count` and so on.
fn event_result(name: &str, file: &FileTable) -> Result<Quantity, NoResult> {
    let parts: Vec<&str> = name.split('.').collect();
    let ["event", owner, what] = parts.as_slice() else {
        let words: Vec<&str> = EventQuantity::ALL.iter().map(|(word, _)| *word).collect();
        return Err((
            format!("there is no result `{name}`"),
            Some(format!("of an event there are {}", words.join(", "))),
        ));
    };
    let names = || file.event.iter().map(|event| event.name.value.as_str());
    let event = names()
        .position(|other| other == *owner)
        .ok_or_else(|| (format!("there is no event `{owner}`"), did_you_mean(owner, names())))?;
    Ok(Quantity::Event { event, what: pick(name, what, &EventQuantity::ALL)? })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Span;
    use crate::read::{Reader, Tag};
    use crate::study::{ResultFamily, StudyKind, StudyTable};
    use schemars::{Schema, SchemaGenerator};
    use std::sync::Arc;
    use toml::de::DeTable;

    /// A study with modes and matrices.
    struct Small;

    const fn family(root: &'static str) -> ResultFamily {
        ResultFamily { root, example: "", fits: |_| true, read: |asked| Err(asked.none("")) }
    }

    impl StudyKind for Small {
        fn word(&self) -> &'static str {
            "small"
        }
        fn without_equations(&self) -> Option<&'static str> {
            None
        }
        fn results(&self) -> &'static [ResultFamily] {
            const { &[family("mode"), family("matrix")] }
        }
        fn no_end(&self) -> Option<&'static str> {
            None
        }
        fn read(&self, _: &DeTable, _: Span, _: &[&str], _: &mut Reader) -> Option<Arc<dyn StudyTable>> {
            None
        }
        fn schema(&self, _: &mut SchemaGenerator, _: Tag) -> Schema {
            Schema::default()
        }
    }

    #[test]
    fn only_results_get_letters() {
        let with_letters = |text: &str| with_letters(text, Studies(&[&Small]));
        assert_eq!(with_letters("2*mode.12.real - matrix.A.1.2"), "2*mode.b2.real - matrix.A.b.c");
        assert_eq!(with_letters("a.1 + xmode.1 + 1.5e3 + modes.1"), "a.1 + xmode.1 + 1.5e3 + modes.1");
        assert_eq!(with_letters("é.1 mode.9"), "é.1 mode.j");
    }
}
