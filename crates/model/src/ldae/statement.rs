//! From text to statements: `name = value;`.
//!
//! Comments become blanks and `**` becomes `^ `, so that every byte keeps its place and expressions are read
//! by the expression language as they stand.

use crate::diagnostic::{Diagnostic, Diagnostics, Span};

/// A name and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Word {
    pub text: String,
    pub span: Span,
}

/// The right side of a statement; parts are places in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    /// An expression or a word.
    Scalar(Span),
    /// `[a, b]`.
    Vector { items: Vec<Span>, span: Span },
    /// `table(...)`: its arguments.
    Table { arguments: Vec<Span>, span: Span },
}

impl Value {
    /// Its place.
    pub fn span(&self) -> Span {
        match self {
            Value::Scalar(span) | Value::Vector { span, .. } | Value::Table { span, .. } => span.clone(),
        }
    }
}

/// A statement.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Statement {
    pub name: Word,
    pub value: Value,
}

/// The text with comments blanked and `**` as `^ `: byte for byte as long.
pub(crate) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let comment = rest.starts_with(['#', '%']) || rest.starts_with("//");
        let length = if comment { rest.find('\n').unwrap_or(rest.len()) } else { first.len_utf8() };
        match first {
            _ if comment => out.extend(std::iter::repeat_n(' ', length)),
            '*' if rest.starts_with("**") => {
                out.push_str("^ ");
                rest = &rest[2..];
                continue;
            }
            '\u{feff}' => out.extend(std::iter::repeat_n(' ', length)),
            _ => out.push(first),
        }
        rest = &rest[length..];
    }
    out
}

/// Whether a character can stand in a name.
fn in_name(c: char) -> bool {
    c == '_' || c.is_alphanumeric()
}

/// Whether a text is a name: letters, digits and underscores, no digit first.
pub(crate) fn is_identifier(text: &str) -> bool {
    text.starts_with(|c: char| c == '_' || c.is_alphabetic()) && text.chars().all(in_name) && text != "π"
}

/// Whether a text is a name of something in an instance: names joined by dots.
pub(crate) fn is_dotted_identifier(text: &str) -> bool {
    text.split('.').all(is_identifier)
}

/// A place without the blanks around it.
pub(crate) fn trim(text: &str, span: Span) -> Span {
    let part = &text[span.clone()];
    let start = span.start + (part.len() - part.trim_start().len());
    start..start + part.trim().len()
}

/// The statements of a text that [`plain`] has made. What is wrong with one does not hide the others. With
/// `dots` names may be those of variables in instances.
pub(crate) fn statements(text: &str, dots: bool, diagnostics: &mut Diagnostics) -> Vec<Statement> {
    let mut list = Vec::new();
    let mut start = 0;
    while start < text.len() {
        let end = text[start..].find(';').map_or(text.len(), |at| start + at);
        let span = trim(text, start..end);
        if !span.is_empty() {
            if end == text.len() {
                missing_semicolon(span.end, diagnostics);
            }
            let parts = without_semicolon(text, span, diagnostics);
            list.extend(parts.into_iter().filter_map(|span| statement(text, span, dots, diagnostics)));
        }
        start = end + 1;
    }
    list
}

fn missing_semicolon(end: usize, diagnostics: &mut Diagnostics) {
    diagnostics.push(
        Diagnostic::error("a `;` is missing")
            .at(end.saturating_sub(1)..end, "ends here")
            .help("every statement ends with `;`"),
    );
}

/// Depth of brackets and parentheses before each byte, and the places of single `=`.
fn equal_signs(text: &str, span: &Span) -> Vec<(usize, usize)> {
    let bytes = &text.as_bytes()[span.clone()];
    let (mut depth, mut signs) = (0usize, Vec::new());
    for (at, byte) in bytes.iter().enumerate() {
        let near = |at: Option<usize>| at.and_then(|at| bytes.get(at)).copied().unwrap_or(b' ');
        match byte {
            b'(' | b'[' => depth += 1,
            b')' | b']' => depth = depth.saturating_sub(1),
            b'=' if !b"=<>!~".contains(&near(at.checked_sub(1))) && near(Some(at + 1)) != b'=' => {
                signs.push((span.start + at, depth));
            }
            _ => {}
        }
    }
    signs
}

/// Splits where a second `name =` follows although no `;` stands before it.
fn without_semicolon(text: &str, span: Span, diagnostics: &mut Diagnostics) -> Vec<Span> {
    let mut parts = Vec::new();
    let mut start = span.start;
    for (at, depth) in equal_signs(text, &span).into_iter().skip(1) {
        let before = text[start..at].trim_end();
        let name = before.trim_end_matches(in_name);
        let begins_line = name.trim_end_matches([' ', '\t']).ends_with('\n');
        let value = name.trim_end();
        let complete =
            !value.is_empty() && !value.ends_with(['=', '+', '-', '*', '/', '^', ',', '(', '[', '<', '>']);
        if depth > 0 || name.len() == before.len() || !begins_line || !complete {
            continue;
        }
        missing_semicolon(start + value.len(), diagnostics);
        parts.push(start..start + value.len());
        start += name.len();
    }
    parts.push(start..span.end);
    parts
}

fn statement(text: &str, span: Span, dots: bool, diagnostics: &mut Diagnostics) -> Option<Statement> {
    let Some(&(equal, _)) = equal_signs(text, &span).first() else {
        diagnostics.push(
            Diagnostic::error("a statement is `name = value;`")
                .at(span, "no `=`")
                .help("comments begin with `#`, `%` or `//`"),
        );
        return None;
    };
    let name = trim(text, span.start..equal);
    let word = &text[name.clone()];
    if !(is_identifier(word) || dots && is_dotted_identifier(word)) {
        let (message, place) = match word.is_empty() {
            true => ("a name is missing before `=`".to_owned(), equal..equal + 1),
            false => (format!("`{word}` is not a name"), name),
        };
        diagnostics.push(
            Diagnostic::error(message)
                .at(place, "not a name")
                .help("a name has letters, digits and underscores and does not start with a digit"),
        );
        return None;
    }
    let right = trim(text, equal + 1..span.end);
    if right.is_empty() {
        diagnostics.push(
            Diagnostic::error(format!("`{word}` has no value"))
                .at(equal..equal + 1, "nothing stands after it"),
        );
        return None;
    }
    let value = value(text, right, diagnostics)?;
    Some(Statement { name: Word { text: word.to_owned(), span: name }, value })
}

/// A vector, a table, or anything else.
fn value(text: &str, span: Span, diagnostics: &mut Diagnostics) -> Option<Value> {
    let body = &text[span.clone()];
    if body.starts_with('[') {
        let items = list(text, span.clone(), span.start, diagnostics)?;
        return Some(Value::Vector { items, span });
    }
    if let Some(rest) = body.strip_prefix("table")
        && rest.trim_start().starts_with('(')
    {
        let open = span.end - rest.trim_start().len();
        let arguments = list(text, span.clone(), open, diagnostics)?;
        return Some(Value::Table { arguments, span });
    }
    Some(Value::Scalar(span))
}

/// The parts of `[a, b]` or `(a, b)` that begins at `open` and ends with the span.
pub(crate) fn list(text: &str, span: Span, open: usize, diagnostics: &mut Diagnostics) -> Option<Vec<Span>> {
    let mut stack: Vec<usize> = Vec::new();
    let mut items = Vec::new();
    let mut start = open + 1;
    for (at, byte) in text[open..span.end].bytes().enumerate().map(|(at, byte)| (open + at, byte)) {
        match byte {
            b'(' | b'[' => stack.push(at),
            b',' if stack.len() == 1 => {
                items.push(trim(text, start..at));
                start = at + 1;
            }
            b')' | b']' => {
                let opened = stack.pop()?;
                let wanted = if text.as_bytes()[opened] == b'(' { b')' } else { b']' };
                if byte != wanted {
                    let (have, want) = (char::from(byte), char::from(wanted));
                    diagnostics.push(
                        Diagnostic::error(format!("`{have}` stands where `{want}` should close"))
                            .at(at..at + 1, format!("should be `{want}`"))
                            .and(opened..opened + 1, "opened here"),
                    );
                    return None;
                }
                if stack.is_empty() {
                    return closed(text, (items, start), at, &span, diagnostics);
                }
            }
            _ => {}
        }
    }
    let opened = stack.last().copied().unwrap_or(open);
    let bracket = &text[opened..opened + 1];
    diagnostics.push(
        Diagnostic::error(format!("this `{bracket}` is never closed"))
            .at(opened..opened + 1, "not closed before the `;`")
            .help("elements of a vector are separated by commas; `;` ends the statement"),
    );
    None
}

/// The last part, and nothing behind it.
fn closed(
    text: &str,
    (mut items, start): (Vec<Span>, usize),
    close: usize,
    span: &Span,
    diagnostics: &mut Diagnostics,
) -> Option<Vec<Span>> {
    let last = trim(text, start..close);
    if !items.is_empty() || !last.is_empty() {
        items.push(last);
    }
    if let Some(empty) = items.iter().find(|item| item.is_empty()) {
        let place = empty.start.saturating_sub(1)..empty.start;
        diagnostics
            .push(Diagnostic::error("an element is missing beside a comma").at(place, "nothing stands here"));
        return None;
    }
    let rest = trim(text, close + 1..span.end);
    if !rest.is_empty() {
        diagnostics.push(
            Diagnostic::error("this does not belong to the vector")
                .at(rest, "behind the closing bracket")
                .help("a vector stands alone: `name = [a, b];`"),
        );
        return None;
    }
    Some(items)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (Vec<(String, Vec<String>)>, Vec<String>) {
        let plain = plain(text);
        assert_eq!(plain.len(), text.len());
        let mut diagnostics = Diagnostics::default();
        let list = statements(&plain, false, &mut diagnostics);
        let texts = |statement: &Statement| match &statement.value {
            Value::Scalar(span) => vec![plain[span.clone()].to_owned()],
            Value::Vector { items, .. } | Value::Table { arguments: items, .. } => {
                items.iter().map(|item| plain[item.clone()].to_owned()).collect()
            }
        };
        let list = list.iter().map(|s| (s.name.text.clone(), texts(s))).collect();
        (list, diagnostics.into_sorted().into_iter().map(|d| d.message).collect())
    }

    fn pair(name: &str, parts: &[&str]) -> (String, Vec<String>) {
        (name.to_owned(), parts.iter().map(|part| (*part).to_owned()).collect())
    }

    #[test]
    fn statements_vectors_comments_and_powers() {
        let (list, messages) = read(
            "# one; two\nR1 = 8; R2=4.8e1 ;% three\nV = [a**2, if(a == b, 1, 2), // four\n  max(a, b)];;\nx = [];",
        );
        assert!(messages.is_empty(), "{messages:?}");
        let want = [
            pair("R1", &["8"]),
            pair("R2", &["4.8e1"]),
            pair("V", &["a^ 2", "if(a == b, 1, 2)", "max(a, b)"]),
            pair("x", &[]),
        ];
        assert_eq!(list, want);
    }

    #[test]
    fn tables_are_values() {
        let (list, messages) = read("lift = table(linear, [0, 0], [1, 2.5]);");
        assert!(messages.is_empty());
        assert_eq!(list, [pair("lift", &["linear", "[0, 0]", "[1, 2.5]"])]);
    }

    #[test]
    fn a_missing_semicolon_hides_nothing() {
        let (list, messages) = read("a = 1\nb = [2,\n3]\nc = a ==\n 4");
        assert_eq!(messages, ["a `;` is missing"; 3]);
        assert_eq!(list, [pair("a", &["1"]), pair("b", &["2", "3"]), pair("c", &["a ==\n 4"])]);
    }

    #[test]
    fn mistakes_in_form() {
        for (text, message) in [
            ("= 1;", "a name is missing before `=`"),
            ("2x = 1;", "`2x` is not a name"),
            ("a b = 1;", "`a b` is not a name"),
            ("a = ;", "`a` has no value"),
            ("hello;", "a statement is `name = value;`"),
            ("v = [1; 2];", "this `[` is never closed"),
            ("v = [1, (2];", "`]` stands where `)` should close"),
            ("v = [1, 2)];", "`)` stands where `]` should close"),
            ("v = [1,, 2];", "an element is missing beside a comma"),
            ("v = [1, 2,];", "an element is missing beside a comma"),
            ("v = [1] + 2;", "this does not belong to the vector"),
        ] {
            assert_eq!(read(text).1.first().map(String::as_str), Some(message), "{text}");
        }
    }
}
