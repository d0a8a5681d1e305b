//! An expression as text whose names can be changed and whose units can be put in: `4.7 [kohm]` is
//! `(4.7*1e3)`.

use super::flat_text::{FlatText, Origin};
use crate::diagnostic::{Diagnostic, Diagnostics, Span};
use crate::units::{Dimensions, Unit, UnitError};

/// Text of an expression in parts.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Formula {
    parts: Vec<Part>,
    /// Where it stands, or what it was made for.
    pub origin: Span,
}

#[derive(Clone, Debug, PartialEq)]
enum Part {
    /// Anything but a name; copied from the place, if there is one.
    Text(String, Option<usize>),
    /// A name, dots included.
    Name(String, Option<usize>),
    /// A number or something in parentheses with a unit behind it.
    Quantity { parts: Vec<Part>, unit: Unit },
}

/// Whether a character begins a name.
fn begins_name(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

/// The length of the name, dots included, at the beginning of a text.
fn name_length(text: &str) -> usize {
    let part = |text: &str| match text.starts_with(begins_name) {
        true => text.find(|c: char| !(begins_name(c) || c.is_ascii_digit())).unwrap_or(text.len()),
        false => 0,
    };
    let mut end = part(text);
    while end > 0 && text[end..].starts_with('.') {
        match part(&text[end + 1..]) {
            0 => break,
            more => end += 1 + more,
        }
    }
    end
}

/// The length of the number at the beginning of a text.
fn number_length(text: &str) -> usize {
    let digits = |from: usize| from + text[from..].bytes().take_while(u8::is_ascii_digit).count();
    let mut end = digits(0);
    if text[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if text[end..].starts_with(['e', 'E']) {
        let sign = usize::from(text[end + 1..].starts_with(['+', '-']));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    end
}

/// The unit in brackets at a place: its inner place and the end.
fn bracket(text: &str, at: usize, end: usize) -> Option<(Span, usize)> {
    let rest = &text[at..end];
    let open = at + (rest.len() - rest.trim_start().len());
    if !text[open..end].starts_with('[') {
        return None;
    }
    let close = open + text[open..end].find(']')?;
    Some((open + 1..close, close + 1))
}

/// Whether a text has a unit in brackets behind a number, a parenthesis or a name.
pub(crate) fn has_units(text: &str) -> bool {
    text.match_indices('[').any(|(at, _)| {
        text[..at]
            .trim_end()
            .ends_with(|c: char| begins_name(c) || c.is_ascii_digit() || c == ')' || c == '.')
    })
}

/// Reads a unit; a mistake is reported at its place.
fn unit(text: &str, at: &Span, diagnostics: &mut Diagnostics) -> Option<Unit> {
    let report = |error: UnitError| {
        let help = match &error {
            UnitError::Unknown { suggestion: Some(near), .. } => Some(format!("did you mean `{near}`?")),
            _ => None,
        };
        diagnostics.push(Diagnostic::error(error.to_string()).at(at.clone(), "not a unit").maybe_help(help));
    };
    Unit::parse(&text[at.clone()]).map_err(report).ok()
}

/// A name with a unit behind it, perhaps: `q` or `q [C]`.
pub(crate) fn name_with_unit(
    text: &str,
    at: &Span,
    diagnostics: &mut Diagnostics,
) -> Option<(Span, Option<Unit>)> {
    let name = at.start..at.start + text[at.clone()].find('[').unwrap_or(at.len());
    let name = super::super::statement::trim(text, name);
    match bracket(text, name.end, at.end) {
        Some((inside, _)) => Some((name, Some(unit(text, &inside, diagnostics)?))),
        None => Some((name, None)),
    }
}

impl Formula {
    /// Reads a place of a text.
    pub fn parse(text: &str, at: &Span, diagnostics: &mut Diagnostics) -> Option<Self> {
        let mut parts: Vec<Part> = Vec::new();
        let mut opened: Vec<usize> = Vec::new();
        let mut here = at.start;
        while here < at.end {
            let rest = &text[here..at.end];
            let first = rest.chars().next()?;
            let digit = |c: char| c.is_ascii_digit();
            if begins_name(first) {
                let length = name_length(rest);
                parts.push(Part::Name(rest[..length].to_owned(), Some(here)));
                here += length;
                if let Some((inside, end)) = bracket(text, here, at.end) {
                    let message = "a unit stands behind a number or a parenthesis, not behind a name";
                    diagnostics.push(Diagnostic::error(message).at(inside.start - 1..end, "behind a name"));
                    return None;
                }
                continue;
            }
            let number = digit(first) || (first == '.' && rest[1..].starts_with(digit));
            let length = if number { number_length(rest).max(1) } else { first.len_utf8() };
            let begin = match first {
                '(' => {
                    opened.push(parts.len());
                    None
                }
                ')' => Some(opened.pop().unwrap_or(parts.len())),
                _ if number => Some(parts.len()),
                _ => None,
            };
            parts.push(Part::Text(rest[..length].to_owned(), Some(here)));
            here += length;
            if let (Some(begin), Some((inside, end))) = (begin, bracket(text, here, at.end)) {
                let unit = unit(text, &inside, diagnostics)?;
                let inner = parts.split_off(begin);
                parts.push(Part::Quantity { parts: inner, unit });
                here = end;
            }
        }
        Some(Formula { parts, origin: at.clone() })
    }

    /// Text that was made for something that stands at a place.
    pub fn made(text: &str, origin: Span) -> Self {
        let mut formula = Self::parse(text, &(0..text.len()), &mut Diagnostics::default())
            .unwrap_or(Formula { parts: vec![Part::Text(text.to_owned(), None)], origin: 0..0 });
        formula.change(&|_| None, true);
        Formula { origin, ..formula }
    }

    fn change(&mut self, new: &dyn Fn(&str) -> Option<String>, elsewhere: bool) {
        fn walk(parts: &mut [Part], new: &dyn Fn(&str) -> Option<String>, elsewhere: bool) {
            for part in parts {
                match part {
                    Part::Text(_, at) => *at = at.filter(|_| !elsewhere),
                    Part::Name(name, at) => {
                        let changed = new(name);
                        *at = at.filter(|_| !elsewhere && changed.is_none());
                        *name = changed.unwrap_or_else(|| std::mem::take(name));
                    }
                    Part::Quantity { parts, .. } => walk(parts, new, elsewhere),
                }
            }
        }
        walk(&mut self.parts, new, elsewhere);
    }

    /// The formula with other names.
    pub fn renamed(&self, new: &dyn Fn(&str) -> Option<String>) -> Self {
        let mut formula = self.clone();
        formula.change(new, false);
        formula
    }

    /// The formula of a component, made for what stands at a place of the model.
    pub fn moved(&self, origin: &Span) -> Self {
        let mut formula = self.clone();
        formula.change(&|_| None, true);
        formula.origin = origin.clone();
        formula
    }

    /// All names.
    pub fn names(&self) -> Vec<&str> {
        fn walk<'a>(parts: &'a [Part], names: &mut Vec<&'a str>) {
            for part in parts {
                match part {
                    Part::Name(name, _) => names.push(name),
                    Part::Quantity { parts, .. } => walk(parts, names),
                    Part::Text(..) => {}
                }
            }
        }
        let mut names = Vec::new();
        walk(&self.parts, &mut names);
        names
    }

    /// Whether a name occurs.
    pub fn contains(&self, name: &str) -> bool {
        self.names().contains(&name)
    }

    /// Whether it is nothing but a name.
    pub fn is_name(&self) -> bool {
        matches!(self.parts.as_slice(), [Part::Name(..)])
    }

    /// Whether it is nothing but zero.
    pub fn is_zero(&self) -> bool {
        self.parts.iter().all(|part| match part {
            Part::Text(text, _) => text.trim().is_empty() || text.trim().parse() == Ok(0.0),
            _ => false,
        })
    }

    /// The numbers with units, as they were written.
    pub fn quantities(&self) -> Vec<String> {
        let written = |part: &Part| match part {
            Part::Quantity { parts, unit } => {
                let mut out = FlatText::default();
                write(parts, &self.origin, &mut out);
                Some(format!("{} [{}]", out.text, unit.text))
            }
            _ => None,
        };
        self.parts.iter().filter_map(written).collect()
    }

    /// Writes it with numbers in SI units.
    pub fn write(&self, out: &mut FlatText) {
        write(&self.parts, &self.origin, out);
    }

    /// The text with numbers in SI units.
    pub fn text(&self) -> String {
        let mut out = FlatText::default();
        self.write(&mut out);
        out.text
    }

    /// The text with a name in place of every number with a unit, and the dimensions of these names.
    pub fn measured(&self) -> (FlatText, Vec<(String, Dimensions)>) {
        let (mut out, mut quantities) = (FlatText::default(), Vec::new());
        for part in &self.parts {
            match part {
                Part::Quantity { unit, .. } => {
                    let name = format!("quantity_{}_", quantities.len() + 1);
                    out.push(&name, Origin::Of(self.origin.clone()));
                    quantities.push((name, unit.dimensions));
                }
                other => write(std::slice::from_ref(other), &self.origin, &mut out),
            }
        }
        (out, quantities)
    }
}

fn write(parts: &[Part], origin: &Span, out: &mut FlatText) {
    let place = |at: &Option<usize>| at.map_or(Origin::Of(origin.clone()), Origin::At);
    for part in parts {
        match part {
            Part::Text(text, at) | Part::Name(text, at) => out.push(text, place(at)),
            Part::Quantity { parts, unit } => {
                let made = Origin::Of(origin.clone());
                out.push("(", made.clone());
                write(parts, origin, out);
                if unit.factor != 1.0 {
                    out.push(&format!("*{:e}", unit.factor), made.clone());
                }
                if unit.offset != 0.0 {
                    out.push(&format!(" + {}", unit.offset), made.clone());
                }
                out.push(")", made);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<Formula, String> {
        let mut diagnostics = Diagnostics::default();
        Formula::parse(text, &(0..text.len()), &mut diagnostics)
            .ok_or_else(|| diagnostics.into_sorted().iter().map(|d| d.message.clone()).collect())
    }

    #[test]
    fn units_become_factors() {
        for (text, want) in [
            ("4.7 [kohm]", "(4.7*1e3)"),
            ("1/2[ms]", "1/(2*1e-3)"),
            ("(a + b) [mm]*c", "((a + b)*1e-3)*c"),
            ("20 [degC]", "(20 + 273.15)"),
            ("3 [m]", "(3)"),
            ("f(x, 2.5e-3 [V])", "f(x, (2.5e-3))"),
            ("a.b - 1", "a.b - 1"),
        ] {
            assert_eq!(read(text).map(|f| f.text()), Ok(want.into()));
        }
        assert_eq!(read("3 [furlong]"), Err("unknown unit `furlong`".into()));
        assert_eq!(
            read("a [m]"),
            Err("a unit stands behind a number or a parenthesis, not behind a name".into())
        );
    }

    #[test]
    fn names_change_and_are_listed() {
        let formula = read("R*i*i/2 + R1.x - sin(3 [rad])").unwrap();
        assert_eq!(formula.names(), ["R", "i", "i", "R1.x", "sin"]);
        let new = formula.renamed(&|name| (name == "i").then(|| "M1.i".into()));
        assert_eq!(new.text(), "R*M1.i*M1.i/2 + R1.x - sin((3))");
    }

    #[test]
    fn brackets_of_vectors_are_no_units() {
        assert!(!has_units("table([0, 1], [2, 3])"));
        assert!(!has_units("[a, b]"));
        assert!(has_units("x = 3 [m]"));
        assert!(has_units("(2) [m]"));
    }
}
