//! Source text to tokens.

use crate::parse::ParseError;
use std::ops::Range;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Token {
    Number(f64),
    /// A name, function or keyword; the text is in the source.
    Word,
    Plus,
    Minus,
    Star,
    Slash,
    Caret,
    Open,
    Close,
    Comma,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
    Not,
    If,
    End,
}

/// A token and where it stands.
#[derive(Debug, Clone)]
pub(crate) struct Spanned {
    pub token: Token,
    pub span: Range<usize>,
}

/// The symbols that others begin with, longer ones before their beginnings.
const SYMBOLS: &[(&str, Token)] = &[
    ("<=", Token::LessEqual),
    (">=", Token::GreaterEqual),
    ("==", Token::Equal),
    ("!=", Token::NotEqual),
    ("<", Token::Less),
    (">", Token::Greater),
    ("*", Token::Star),
];

/// What people write who come from other languages, and what it is called here.
const FOREIGN: &[(&str, &str)] = &[
    ("**", "^"),
    ("=<", "<="),
    ("=>", ">="),
    ("<>", "!="),
    ("~=", "!="),
    ("&&", " and "),
    ("||", " or "),
    ("&", " and "),
    ("|", " or "),
    ("=", "=="),
    ("!", "not "),
    ("~", "not "),
    ("[", "("),
    ("{", "("),
    ("]", ")"),
    ("}", ")"),
    ("×", "*"),
    ("·", "*"),
    ("⋅", "*"),
    ("÷", "/"),
    ("−", "-"),
    ("–", "-"),
    ("≤", "<="),
    ("≥", ">="),
    ("≠", "!="),
    ("²", "^2"),
    ("³", "^3"),
    ("°", "*pi/180"),
    ("√", "sqrt"),
];

/// Splits the source; the last token is [`Token::End`].
pub(crate) fn tokens(source: &str) -> Result<Vec<Spanned>, ParseError> {
    let mut list = Vec::new();
    let mut at = 0;
    while let Some(first) = source[at..].chars().next() {
        if first.is_whitespace() {
            at += first.len_utf8();
            continue;
        }
        let (token, length) = token_at(source, at, first)?;
        list.push(Spanned { token, span: at..at + length });
        at += length;
    }
    list.push(Spanned { token: Token::End, span: at..at });
    Ok(list)
}

/// The token at byte `at` and its length.
fn token_at(source: &str, at: usize, first: char) -> Result<(Token, usize), ParseError> {
    let rest = &source[at..];
    let fraction = first == '.' && rest[1..].starts_with(|c: char| c.is_ascii_digit());
    if first.is_ascii_digit() || fraction {
        return number(rest, at);
    }
    if begins_name(first) {
        return word(rest, at);
    }
    if let Some(token) = plain(first) {
        return Ok((token, 1));
    }
    let foreign = FOREIGN.iter().find(|(text, _)| rest.starts_with(text));
    let symbol = SYMBOLS.iter().find(|(text, _)| rest.starts_with(text));
    match (foreign, symbol) {
        // `=` begins `==`, `!` begins `!=`; but `**` is no product and `<>` no comparison.
        (Some((wrong, right)), known) if known.is_none_or(|(s, _)| s.len() < wrong.len()) => {
            let message = format!("`{wrong}` is written `{}`", right.trim());
            Err(ParseError::new(message, at..at + wrong.len()).suggesting(*right))
        }
        (_, Some((text, token))) => Ok((*token, text.len())),
        _ => Err(stray(first, at)),
    }
}

/// The symbols that begin no other.
fn plain(first: char) -> Option<Token> {
    Some(match first {
        '+' => Token::Plus,
        '-' => Token::Minus,
        '/' => Token::Slash,
        '^' => Token::Caret,
        '(' => Token::Open,
        ')' => Token::Close,
        ',' => Token::Comma,
        _ => return None,
    })
}

fn stray(first: char, at: usize) -> ParseError {
    let span = at..at + first.len_utf8();
    let message = match first {
        '%' => "`%` is not an operator; the remainder is written `mod(x, y)`".to_string(),
        '?' | ':' => "a choice is written `if(condition, value, otherwise)`".to_string(),
        '.' => "a dot stands only inside a number or between the parts of a name".to_string(),
        '\u{0}'..='\u{1f}' | '\u{7f}' => format!("stray character {first:?}"),
        _ => format!("stray character `{first}`"),
    };
    ParseError::new(message, span)
}

/// digits [`.` digits] [`e` sign digits], with at least one digit before the exponent.
fn number(rest: &str, at: usize) -> Result<(Token, usize), ParseError> {
    let digits = |from: usize| {
        let bytes = rest[from..].bytes();
        from + bytes.take_while(u8::is_ascii_digit).count()
    };
    let mut end = digits(0);
    if rest[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if rest[end..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[end + 1..].starts_with(['+', '-']));
        let exponent = digits(end + 1 + sign);
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    check_number_end(rest, at, end)?;
    let text = &rest[..end];
    let mantissa = text.split(['e', 'E']).next().unwrap_or_default();
    let nonzero = mantissa.contains(|c: char| ('1'..='9').contains(&c));
    match text.parse::<f64>() {
        Ok(value) if value.is_infinite() => {
            let message = format!("number out of range: the largest is {:e}", f64::MAX);
            Err(ParseError::new(message, at..at + end))
        }
        Ok(0.0) if nonzero => {
            let message = "number out of range: it is so small that it would become 0";
            Err(ParseError::new(message, at..at + end))
        }
        Ok(value) => Ok((Token::Number(value), end)),
        Err(_) => Err(ParseError::new("malformed number", at..at + end)),
    }
}

/// Refuses `1.2.3` and `1_000`, which would otherwise read as two things in a row.
fn check_number_end(rest: &str, at: usize, end: usize) -> Result<(), ParseError> {
    let run = |more: &[char]| {
        let inside = |c: char| c.is_ascii_digit() || more.contains(&c);
        let tail = rest[end..].find(|c| !inside(c));
        end + tail.unwrap_or(rest.len() - end)
    };
    if rest[end..].starts_with('.') {
        let span = at..at + run(&['.']);
        return Err(ParseError::new("a number has only one decimal point", span));
    }
    let grouped = rest[end..].strip_prefix('_');
    if grouped.is_some_and(|tail| tail.starts_with(|c: char| c.is_ascii_digit())) {
        let stop = run(&['_']);
        let joined = rest[..stop].replace('_', "");
        let message = "the digits of a number are written without separators";
        return Err(ParseError::new(message, at..at + stop).suggesting(joined));
    }
    Ok(())
}

fn begins_name(c: char) -> bool {
    c == '_' || c.is_alphabetic()
}

fn continues_name(c: char) -> bool {
    begins_name(c) || c.is_ascii_digit()
}

/// The length of the part of a name (between dots) at the start of `text`.
fn part_length(text: &str) -> usize {
    if !text.starts_with(begins_name) {
        return 0;
    }
    text.find(|c| !continues_name(c)).unwrap_or(text.len())
}

fn word(rest: &str, at: usize) -> Result<(Token, usize), ParseError> {
    let mut end = part_length(rest);
    while rest[end..].starts_with('.') {
        let part = part_length(&rest[end + 1..]);
        if part == 0 {
            let message = format!("a name is missing after `{}`", &rest[..=end]);
            return Err(ParseError::new(message, at..at + end + 1));
        }
        end += 1 + part;
    }
    let text = &rest[..end];
    let token = match text {
        "and" => Token::And,
        "or" => Token::Or,
        "not" => Token::Not,
        "if" => Token::If,
        "π" => {
            let error = ParseError::new("`π` is written `pi`", at..at + end);
            return Err(error.suggesting("pi"));
        }
        _ => Token::Word,
    };
    Ok((token, end))
}

/// Whether the text is, as a whole, one word.
pub(crate) fn is_name_token(text: &str) -> bool {
    !text.is_empty()
        && text != "π"
        && text.split('.').all(|part| !part.is_empty() && part_length(part) == part.len())
}
