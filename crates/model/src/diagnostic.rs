//! Diagnostics: what is wrong, where in the file, and what to do about it.

use std::fmt;
use std::ops::Range;

/// A range of bytes in the text of a model file.
pub type Span = Range<usize>;

/// How bad it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    /// The model cannot be used.
    Error,
    /// The model can be used, but probably does not say what was meant.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Severity::Error => "error",
            Severity::Warning => "warning",
        })
    }
}

/// A place in the file and a remark on it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// The bytes the remark is about.
    pub span: Span,
    /// The remark.
    pub text: String,
}

/// One thing to report about a model file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// How bad it is.
    pub severity: Severity,
    /// What is wrong, in one sentence.
    pub message: String,
    /// Where; absent for what does not stand in the file (a command line override).
    pub primary: Option<Label>,
    /// Other places that belong to it.
    pub secondary: Vec<Label>,
    /// What to do about it.
    pub help: Option<String>,
}

impl Diagnostic {
    fn new(severity: Severity, message: impl Into<String>) -> Self {
        Diagnostic { severity, message: message.into(), primary: None, secondary: Vec::new(), help: None }
    }

    /// An error with this message.
    pub fn error(message: impl Into<String>) -> Self {
        Self::new(Severity::Error, message)
    }

    /// A warning with this message.
    pub fn warning(message: impl Into<String>) -> Self {
        Self::new(Severity::Warning, message)
    }

    /// The place it is about.
    pub fn at(mut self, span: Span, text: impl Into<String>) -> Self {
        self.primary = Some(Label { span, text: text.into() });
        self
    }

    /// Another place that belongs to it.
    pub fn and(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    /// What to do about it.
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// What to do about it, if anything is known.
    pub fn maybe_help(mut self, help: Option<String>) -> Self {
        self.help = help.or(self.help);
        self
    }

    /// True for an error, false for a warning.
    pub fn is_error(&self) -> bool {
        self.severity == Severity::Error
    }

    /// `file:line:column: error: message (help)`.
    pub fn one_line(&self, source: &Source) -> String {
        let place = match &self.primary {
            Some(label) => {
                let (line, column) = source.position(label.span.start);
                format!("{}:{line}:{column}", source.name)
            }
            None => source.name.clone(),
        };
        let help = match &self.help {
            Some(help) => format!(" ({help})"),
            None => String::new(),
        };
        format!("{place}: {}: {}{help}", self.severity, self.message)
    }

    /// The full form: message, the lines of the file with carets, help.
    pub fn render(&self, source: &Source, colour: bool) -> String {
        use ariadne::{CharSet, Color, Config, IndexType, Report, ReportKind};

        let Some(primary) = &self.primary else {
            return self.render_without_place(source);
        };
        let (kind, highlight) = match self.severity {
            Severity::Error => (ReportKind::Error, Color::Red),
            Severity::Warning => (ReportKind::Warning, Color::Yellow),
        };
        let config = Config::default()
            .with_color(colour)
            .with_char_set(CharSet::Unicode)
            .with_index_type(IndexType::Byte);
        let name = source.name.as_str();
        let place = |span: &Span| (name, source.clamp(span));
        let mut report =
            Report::build(kind, place(&primary.span)).with_config(config).with_message(&self.message);
        let secondary = self.secondary.iter().map(|label| (label, Color::Cyan));
        let mut labels: Vec<_> = secondary.chain([(primary, highlight)]).collect();
        // Out of order they would be drawn as separate pieces of the file.
        labels.sort_by_key(|(label, _)| label.span.start);
        for (label, colour) in labels {
            report.add_label(
                ariadne::Label::new(place(&label.span)).with_message(&label.text).with_color(colour),
            );
        }
        if let Some(help) = &self.help {
            report.set_help(help);
        }
        let mut out = Vec::new();
        let cache = (name, ariadne::Source::from(source.text.as_str()));
        match report.finish().write(cache, &mut out) {
            Ok(()) => String::from_utf8_lossy(&out).into_owned(),
            Err(_) => self.one_line(source),
        }
    }

    fn render_without_place(&self, source: &Source) -> String {
        let title = match self.severity {
            Severity::Error => "Error",
            Severity::Warning => "Warning",
        };
        let mut out = format!("{title}: {}\n   in {}\n", self.message, source.name);
        if let Some(help) = &self.help {
            out.push_str(&format!("   Help: {help}\n"));
        }
        out
    }
}

/// A model file's name and text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Source {
    /// Name shown in messages, usually the path.
    pub name: String,
    /// The whole text.
    pub text: String,
}

impl Source {
    /// A text under a name.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        Source { name: name.into(), text: text.into() }
    }

    /// Line and column (both from 1, column in characters) of a byte offset.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let offset = self.floor(offset);
        let before = &self.text[..offset];
        let line = before.matches('\n').count() + 1;
        let start = before.rfind('\n').map_or(0, |i| i + 1);
        (line, before[start..].chars().count() + 1)
    }

    /// The greatest character boundary not beyond `offset`.
    fn floor(&self, offset: usize) -> usize {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        offset
    }

    /// The span cut to the text and to character boundaries.
    fn clamp(&self, span: &Span) -> Span {
        let start = self.floor(span.start);
        start..self.floor(span.end).max(start)
    }
}

/// Diagnostics gathered while a file is read: all of them, not only the first.
#[derive(Clone, Debug, Default)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
}

impl Diagnostics {
    /// Adds one; the same message at the same place is kept once.
    pub fn push(&mut self, diagnostic: Diagnostic) {
        if !self.list.contains(&diagnostic) {
            self.list.push(diagnostic);
        }
    }

    /// True if at least one is an error.
    pub fn has_errors(&self) -> bool {
        self.list.iter().any(Diagnostic::is_error)
    }

    /// All, in the order of their places in the file.
    pub fn into_sorted(mut self) -> Vec<Diagnostic> {
        self.list.sort_by_key(|d| d.primary.as_ref().map_or(0, |label| label.span.start));
        self.list
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_characters_from_one() {
        let source = Source::new("f", "a\nβγδ = 1\n");
        assert_eq!(source.position(0), (1, 1));
        assert_eq!(source.position(2), (2, 1));
        assert_eq!(source.position(4), (2, 2));
        assert_eq!(source.position(5), (2, 2));
        assert_eq!(source.position(1000), (3, 1));
    }

    #[test]
    fn one_line_names_file_line_and_column() {
        let source = Source::new("m.toml", "a = 1\nb = 2\n");
        let d = Diagnostic::error("bad number").at(10..11, "here").help("use 3");
        assert_eq!(d.one_line(&source), "m.toml:2:5: error: bad number (use 3)");
        let d = Diagnostic::warning("odd");
        assert_eq!(d.one_line(&source), "m.toml: warning: odd");
    }

    #[test]
    fn rendering_shows_place_labels_and_help() {
        let source = Source::new("m.toml", "β = 1\nmass = 2\nmass = 3\n");
        let d = Diagnostic::error("given twice").at(16..20, "again").and(7..11, "first").help("remove one");
        let plain = d.render(&source, false);
        for part in ["Error: given twice", "m.toml:3:1", "again", "first", "Help: remove one"] {
            assert!(plain.contains(part), "{part} not in\n{plain}");
        }
        assert!(!plain.contains('\u{1b}'));
        assert!(d.render(&source, true).contains('\u{1b}'));
    }

    #[test]
    fn rendering_survives_any_span() {
        let source = Source::new("m.toml", "é\n");
        for (a, b) in [(0, 0), (1, 1), (3, 3), (1, 2), (50, 60), (3, 99)] {
            let d = Diagnostic::error("x").at(a..b, "y");
            assert!(!d.render(&source, false).is_empty());
        }
        let empty = Source::new("m.toml", "");
        assert!(!Diagnostic::error("x").at(0..0, "y").render(&empty, false).is_empty());
    }
}
