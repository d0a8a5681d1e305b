//! Diagnostics: what is wrong, where in the file, and what to do about it.

use std::fmt;
use std::ops::Range;

/// Longest line in bytes that is shown whole.
const LONGEST_LINE: usize = 400;
/// Characters that are shown of a longer one.
const EXCERPT: usize = 80;
/// Longest message in characters; of a longer one the end is left out.
const LONGEST_MESSAGE: usize = 1000;
/// Diagnostics that are shown; who mends the first ones often mends the others too.
const MOST: usize = 20;

/// The full form of many diagnostics, with the lines of the file: the first ones, errors before warnings if
/// there are too many, and how many more there are.
pub fn render_all(list: &[Diagnostic], source: &Source, colour: bool) -> String {
    let (shown, more) = first(list);
    let mut parts: Vec<String> = shown.iter().map(|d| d.render(source, colour)).collect();
    parts.extend(more);
    parts.join("\n")
}

/// One line for each diagnostic; as [`render_all`].
pub fn list_all(list: &[Diagnostic], source: &Source) -> String {
    let (shown, more) = first(list);
    let mut lines: Vec<String> = shown.iter().map(|d| d.one_line(source)).collect();
    lines.extend(more);
    lines.join("\n")
}

/// The diagnostics to be shown, and a word about the others.
fn first(list: &[Diagnostic]) -> (Vec<&Diagnostic>, Option<String>) {
    let mut shown: Vec<&Diagnostic> = list.iter().collect();
    if list.len() <= MOST {
        return (shown, None);
    }
    shown.sort_by_key(|diagnostic| !diagnostic.is_error());
    shown.truncate(MOST);
    (shown, Some(format!("… and {} more that are not shown", list.len() - MOST)))
}

/// A text without the end that nobody reads.
fn shortened(text: &str) -> String {
    match text.char_indices().nth(LONGEST_MESSAGE) {
        Some((end, _)) => format!("{} …", &text[..end]),
        None => text.to_owned(),
    }
}

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
            Some(help) => format!(" ({})", shortened(help)),
            None => String::new(),
        };
        format!("{place}: {}: {}{help}", self.severity, shortened(&self.message))
    }

    /// The full form: message, the lines of the file with carets, help.
    pub fn render(&self, source: &Source, colour: bool) -> String {
        use ariadne::{CharSet, Color, Config, IndexType, Report, ReportKind};

        let Some(primary) = &self.primary else {
            return self.render_without_place(source);
        };
        let labels = self.secondary.iter().chain([primary]);
        if labels.clone().any(|label| source.line_around(&label.span).len() > LONGEST_LINE) {
            return self.render_excerpts(source, primary);
        }
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
        let mut report = Report::build(kind, place(&primary.span))
            .with_config(config)
            .with_message(shortened(&self.message));
        let secondary = self.secondary.iter().map(|label| (label, Color::Cyan));
        let mut labels: Vec<_> = secondary.chain([(primary, highlight)]).collect();
        // Out of order they would be drawn as separate pieces of the file.
        labels.sort_by_key(|(label, _)| label.span.start);
        for (label, colour) in labels {
            let text = shortened(&label.text);
            report.add_label(ariadne::Label::new(place(&label.span)).with_message(text).with_color(colour));
        }
        if let Some(help) = &self.help {
            report.set_help(shortened(help));
        }
        let mut out = Vec::new();
        let cache = (name, ariadne::Source::from(source.text.as_str()));
        match report.finish().write(cache, &mut out) {
            Ok(()) => String::from_utf8_lossy(&out).into_owned(),
            Err(_) => self.one_line(source),
        }
    }

    fn render_without_place(&self, source: &Source) -> String {
        let mut out = format!("{}\n   in {}\n", self.heading(), source.name);
        if let Some(help) = &self.help {
            out.push_str(&format!("   Help: {}\n", shortened(help)));
        }
        out
    }

    fn heading(&self) -> String {
        let title = match self.severity {
            Severity::Error => "Error",
            Severity::Warning => "Warning",
        };
        format!("{title}: {}", shortened(&self.message))
    }

    /// Message, places and help where a line is too long to be shown: of each only what is around the place.
    fn render_excerpts(&self, source: &Source, primary: &Label) -> String {
        let (line, column) = source.position(primary.span.start);
        let mut out = format!("{}\n   ╭─[ {}:{line}:{column} ]\n", self.heading(), source.name);
        let mut labels: Vec<&Label> = self.secondary.iter().chain([primary]).collect();
        labels.sort_by_key(|label| label.span.start);
        for label in labels {
            let (line, _) = source.position(label.span.start);
            let (excerpt, before, marked) = source.excerpt(&label.span);
            let (number, marks) = (line.to_string(), "^".repeat(marked));
            out += &format!(
                "   │\n{number:>2} │ {excerpt}\n   │ {:before$}{marks} {}\n",
                "",
                shortened(&label.text)
            );
        }
        if let Some(help) = &self.help {
            out += &format!("   │\n   │ Help: {}\n", shortened(help));
        }
        out + "───╯\n"
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

    /// The line in which a span begins.
    fn line_around(&self, span: &Span) -> &str {
        let at = self.floor(span.start);
        let start = self.text[..at].rfind('\n').map_or(0, |i| i + 1);
        let end = self.text[at..].find('\n').map_or(self.text.len(), |i| at + i);
        &self.text[start..end]
    }

    /// What stands around a place in its line, the number of characters before it there, and the number of
    /// those that are meant.
    fn excerpt(&self, span: &Span) -> (String, usize, usize) {
        let (line, (_, column)) = (self.line_around(span), self.position(span.start));
        let meant = self.text[self.clamp(span)].split('\n').next().unwrap_or_default().chars().count();
        let from = (column - 1).saturating_sub(EXCERPT / 2);
        let plain = |c: char| if c.is_control() { ' ' } else { c };
        let mut shown: String = line.chars().skip(from).take(EXCERPT).map(plain).collect();
        let (mut before, length) = (column - 1 - from, shown.chars().count());
        let marked = meant.min(length.saturating_sub(before)).max(1);
        if from > 0 {
            (shown, before) = (format!("… {shown}"), before + 2);
        }
        if line.chars().nth(from + EXCERPT).is_some() {
            shown += " …";
        }
        (shown, before, marked)
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
    fn of_long_lines_only_what_is_around_the_place_is_shown() {
        let text = format!("a = 1\n{}β ?? γ{}\n", "é".repeat(9000), "x".repeat(9000));
        let at = text.find("??").unwrap();
        let d = Diagnostic::error("odd").at(at..at + 2, "this").and(0..1, "first").help("leave it");
        let shown = d.render(&Source::new("m.toml", &text), false);
        assert!(shown.len() < 1500, "{}", shown.len());
        let lines: Vec<&str> = shown.lines().collect();
        assert!(shown.contains("m.toml:2:9003") && shown.contains("Help: leave it"), "{shown}");
        let line = lines.iter().position(|line| line.contains("??")).unwrap();
        let column = |line: &str, c: char| line.chars().position(|x| x == c).unwrap();
        assert_eq!(column(lines[line], '?'), column(lines[line + 1], '^'), "{shown}");
        assert!(lines[line + 1].ends_with("^^ this"), "{shown}");
    }

    #[test]
    fn of_many_the_first_errors_are_shown() {
        let source = Source::new("m.toml", "a = 1\n");
        let warning = Diagnostic::warning("odd").at(0..1, "");
        let mut list = vec![warning; 30];
        list.extend((0..1000).map(|k| Diagnostic::error(format!("bad {k}")).at(0..1, "")));
        let shown = render_all(&list, &source, false);
        assert!(shown.contains("bad 19") && !shown.contains("bad 20") && !shown.contains("odd"), "{shown}");
        assert!(shown.ends_with("… and 1010 more that are not shown"), "{shown}");
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
