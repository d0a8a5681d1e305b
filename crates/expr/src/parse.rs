//! Tokens to tree, by operator precedence.
//!
//! From loosest to tightest: `or`, `and`, `not`, comparison (not chained), `+ -`, `* /`, sign,
//! `^` (right associative; a sign may stand in the exponent), then numbers, names, calls and
//! parentheses. Sums and products may be as long as memory allows, see [`crate::chain`].

use crate::builtin::{Value, builtin, suggest_function};
use crate::chain::{chains, joined};
use crate::equation::{RATE, rate_name, rate_of};
use crate::expr::{Expr, Node};
use crate::operator::{BinaryOperator, Binding, UnaryOperator};
use crate::suggest::hint;
use crate::table::Table;
use crate::token::{Spanned, Token, tokens};
use std::ops::Range;
use std::sync::Arc;

/// Operands, parentheses and arguments may be nested this deep; it bounds the parser's recursion.
const MAX_NESTING: usize = 400;
/// The tree may be this high; it bounds the recursion of everything that walks a tree.
const MAX_HEIGHT: usize = 1000;

/// Why a text is not an expression.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}{}", hint(suggestion))]
pub struct ParseError {
    /// What is wrong.
    pub message: String,
    /// The bytes of the source that are wrong.
    pub span: Range<usize>,
    /// What was probably meant: text to put in place of `span`.
    pub suggestion: Option<String>,
}

impl ParseError {
    pub(crate) fn new(message: impl Into<String>, span: Range<usize>) -> Self {
        Self { message: message.into(), span, suggestion: None }
    }

    pub(crate) fn suggesting(mut self, text: impl Into<String>) -> Self {
        self.suggestion = Some(text.into());
        self
    }
}

/// A tree, its height, and its span with the parentheses around it.
struct Tree {
    expr: Expr,
    height: usize,
    span: Range<usize>,
}

struct Parser<'a> {
    source: &'a str,
    tokens: Vec<Spanned>,
    at: usize,
    nesting: usize,
    tables: &'a [Arc<Table>],
    /// Whether `der(name)` is a name.
    rates: bool,
}

pub(crate) fn parse(source: &str, tables: &[Arc<Table>]) -> Result<Expr, ParseError> {
    parse_all(source, tables, false)
}

/// Parses with `der(name)`, the rate of a name, as a name of its own.
pub(crate) fn parse_with_rates(source: &str, tables: &[Arc<Table>]) -> Result<Expr, ParseError> {
    parse_all(source, tables, true)
}

fn parse_all(source: &str, tables: &[Arc<Table>], rates: bool) -> Result<Expr, ParseError> {
    let mut parser = Parser { source, tokens: tokens(source)?, at: 0, nesting: 0, tables, rates };
    if parser.token() == Token::End {
        return Err(ParseError::new("the expression is empty", 0..source.len()));
    }
    let tree = parser.expression(Binding::Or)?;
    match parser.token() {
        Token::End => Ok(tree.expr),
        Token::Close => Err(ParseError::new("this `)` closes nothing", parser.span())),
        Token::Comma => Err(parser.stray_comma()),
        _ => Err(parser.missing_operator()),
    }
}

fn infix(token: Token) -> Option<BinaryOperator> {
    Some(match token {
        Token::Plus => BinaryOperator::Add,
        Token::Minus => BinaryOperator::Subtract,
        Token::Star => BinaryOperator::Multiply,
        Token::Slash => BinaryOperator::Divide,
        Token::Caret => BinaryOperator::Power,
        Token::Less => BinaryOperator::Less,
        Token::LessEqual => BinaryOperator::LessEqual,
        Token::Greater => BinaryOperator::Greater,
        Token::GreaterEqual => BinaryOperator::GreaterEqual,
        Token::Equal => BinaryOperator::Equal,
        Token::NotEqual => BinaryOperator::NotEqual,
        Token::And => BinaryOperator::And,
        Token::Or => BinaryOperator::Or,
        _ => return None,
    })
}

impl Parser<'_> {
    fn token(&self) -> Token {
        self.tokens[self.at].token
    }

    fn span(&self) -> Range<usize> {
        self.tokens[self.at].span.clone()
    }

    fn text(&self, index: usize) -> &str {
        &self.source[self.tokens[index].span.clone()]
    }

    /// Moves past the current token (never past the end) and returns its span.
    fn advance(&mut self) -> Range<usize> {
        let span = self.span();
        if self.token() != Token::End {
            self.at += 1;
        }
        span
    }

    /// An expression whose loosest operator binds at least as tightly as `loosest`.
    fn expression(&mut self, loosest: Binding) -> Result<Tree, ParseError> {
        self.nesting += 1;
        if self.nesting > MAX_NESTING {
            return Err(self.too_large());
        }
        let mut left = self.prefix(loosest)?;
        while let Some(op) = infix(self.token()) {
            if op.binding() < loosest {
                break;
            }
            left = if chains(op) { self.chain(op.binding(), left)? } else { self.binary(op, left)? };
        }
        self.nesting -= 1;
        Ok(left)
    }

    /// Operands in a row, as in a + b - c.
    fn chain(&mut self, binding: Binding, first: Tree) -> Result<Tree, ParseError> {
        let mut rest = Vec::new();
        while let Some(op) = infix(self.token()).filter(|op| op.binding() == binding) {
            self.advance();
            rest.push((op, self.expression(op.operand_bindings().1)?));
        }
        joined(first, rest, &mut |op, left, right| self.join(op, left, right))
    }

    fn binary(&mut self, op: BinaryOperator, left: Tree) -> Result<Tree, ParseError> {
        self.advance();
        let right = self.expression(op.operand_bindings().1)?;
        let compares = op.binding() == Binding::Comparison;
        let next = infix(self.token());
        if compares && next.is_some_and(|op| op.binding() == Binding::Comparison) {
            let message = "comparisons cannot be chained; write `a < b and b < c`";
            return Err(ParseError::new(message, self.span()));
        }
        self.join(op, left, right)
    }

    fn join(&self, op: BinaryOperator, left: Tree, right: Tree) -> Result<Tree, ParseError> {
        let span = left.span.start..right.span.end;
        let height = left.height.max(right.height);
        let node = Node::Binary(op, Box::new(left.expr), Box::new(right.expr));
        self.tree(node, span, height)
    }

    /// A node over children of the given height.
    fn tree(&self, node: Node, span: Range<usize>, below: usize) -> Result<Tree, ParseError> {
        if below >= MAX_HEIGHT {
            return Err(self.too_large());
        }
        Ok(Tree { expr: Expr::new(node, span.clone()), height: below + 1, span })
    }

    fn prefix(&mut self, loosest: Binding) -> Result<Tree, ParseError> {
        let op = match self.token() {
            Token::Minus => UnaryOperator::Negate,
            Token::Not => UnaryOperator::Not,
            Token::Plus => {
                self.advance();
                return self.expression(Binding::Sign);
            }
            _ => return self.atom(),
        };
        if op.binding() < loosest {
            let message = "`not` after an operator needs parentheses around it: `(not x)`";
            return Err(ParseError::new(message, self.span()));
        }
        let start = self.advance().start;
        let x = self.expression(op.binding())?;
        let span = start..x.span.end;
        self.tree(Node::Unary(op, Box::new(x.expr)), span, x.height)
    }

    fn atom(&mut self) -> Result<Tree, ParseError> {
        match self.token() {
            Token::Number(value) => {
                let span = self.advance();
                self.tree(Node::Number(value), span, 0)
            }
            Token::Open => self.group(),
            Token::If => self.choice(),
            Token::Word if self.tokens[self.at + 1].token == Token::Open => self.call(),
            Token::Word => self.name(),
            _ => Err(self.missing_operand()),
        }
    }

    fn group(&mut self) -> Result<Tree, ParseError> {
        let open = self.advance();
        if self.token() == Token::Close {
            let message = "nothing stands between these parentheses";
            return Err(ParseError::new(message, open.start..self.span().end));
        }
        let mut inner = self.expression(Binding::Or)?;
        match self.token() {
            Token::Close => {}
            Token::End => return Err(unclosed(open)),
            Token::Comma => return Err(self.stray_comma()),
            _ => return Err(self.missing_operator()),
        }
        inner.span = open.start..self.advance().end;
        Ok(inner)
    }

    fn name(&mut self) -> Result<Tree, ParseError> {
        let name = self.text(self.at).to_string();
        if self.is_function(&name) {
            return Err(self.bare_function(&name));
        }
        let span = self.advance();
        self.tree(Node::Name(name), span, 0)
    }

    fn table(&self, name: &str) -> Option<&Arc<Table>> {
        self.tables.iter().find(|table| table.name() == name)
    }

    fn is_function(&self, name: &str) -> bool {
        builtin(name).is_some() || self.table(name).is_some()
    }

    fn call(&mut self) -> Result<Tree, ParseError> {
        let name = self.text(self.at).to_string();
        if self.rates && name == RATE {
            return self.rate();
        }
        let Some(function) = builtin(&name) else {
            return match self.table(&name).cloned() {
                Some(table) => self.table_call(table),
                None => Err(self.unknown_function(&name)),
            };
        };
        let start = self.advance().start;
        let (arguments, height) = self.arguments()?;
        let span = start..self.tokens[self.at - 1].span.end;
        if !function.accepts(arguments.len()) {
            let least = function.arguments.len();
            let more = !function.accepts(least + 1);
            let wanted = format!("{}{}", if more { "" } else { "at least " }, count(least));
            let what = format!("`{}` takes {wanted}", function.signature());
            return Err(wrong_count(what, &arguments, least, span));
        }
        // What folds its arguments has the height of so many calls.
        let folds = if matches!(function.value, Value::Fold(_)) { arguments.len() - 2 } else { 0 };
        self.tree(Node::Call(function, arguments), span, height + folds)
    }

    /// `der(name)`.
    fn rate(&mut self) -> Result<Tree, ParseError> {
        let start = self.advance().start;
        let (arguments, _) = self.arguments()?;
        let span = start..self.tokens[self.at - 1].span.end;
        match arguments.as_slice() {
            [Expr { node: Node::Name(name), .. }] if rate_of(name).is_none() => {
                self.tree(Node::Name(rate_name(name)), span, 0)
            }
            [other] => {
                let message = "`der(x)` is the rate of a variable, not of an expression";
                Err(ParseError::new(message, other.span.clone()))
            }
            _ => Err(wrong_count("`der(x)` takes 1 argument".into(), &arguments, 1, span)),
        }
    }

    fn table_call(&mut self, table: Arc<Table>) -> Result<Tree, ParseError> {
        let start = self.advance().start;
        let (arguments, height) = self.arguments()?;
        let span = start..self.tokens[self.at - 1].span.end;
        match <[Expr; 1]>::try_from(arguments) {
            Ok([x]) => self.tree(Node::Table(table, 0, Box::new(x)), span, height),
            Err(arguments) => {
                let what = format!("the table `{}(x)` takes 1 argument", table.name());
                Err(wrong_count(what, &arguments, 1, span))
            }
        }
    }

    fn choice(&mut self) -> Result<Tree, ParseError> {
        let start = self.advance().start;
        let what = "`if(condition, value, otherwise)` takes 3 arguments";
        if self.token() != Token::Open {
            return Err(ParseError::new(what, start..start + 2));
        }
        let (arguments, height) = self.arguments()?;
        let span = start..self.tokens[self.at - 1].span.end;
        match <[Expr; 3]>::try_from(arguments) {
            Ok(parts) => self.tree(Node::If(Box::new(parts)), span, height),
            Err(arguments) => Err(wrong_count(what.to_string(), &arguments, 3, span)),
        }
    }

    /// `(a, b, ...)`: the arguments and the height of the highest.
    fn arguments(&mut self) -> Result<(Vec<Expr>, usize), ParseError> {
        let open = self.advance();
        let (mut list, mut height) = (Vec::new(), 0);
        if self.token() == Token::Close {
            self.advance();
            return Ok((list, height));
        }
        loop {
            if self.token() == Token::End && list.is_empty() {
                return Err(unclosed(open));
            }
            let argument = self.expression(Binding::Or)?;
            height = height.max(argument.height);
            list.push(argument.expr);
            match self.token() {
                Token::Comma => self.advance(),
                Token::Close => {
                    self.advance();
                    return Ok((list, height));
                }
                Token::End => return Err(unclosed(open)),
                _ => return Err(self.missing_operator()),
            };
        }
    }

    fn too_large(&self) -> ParseError {
        let message = "the expression is nested too deeply here; split it into parameters";
        ParseError::new(message, self.span())
    }

    /// Two operands in a row: `2x`, `a b`, `(a)(b)`.
    fn missing_operator(&self) -> ParseError {
        let (left, right) = (self.at - 1, self.at);
        let span = self.tokens[left].span.start..self.tokens[right].span.end;
        let (a, b) = (self.text(left), self.text(right));
        let message = format!("an operator is missing between `{a}` and `{b}`");
        let error = ParseError::new(message, span);
        let numbers = |i: usize| matches!(self.tokens[i].token, Token::Number(_));
        if self.token() == Token::Not || (numbers(left) && numbers(right)) {
            return error;
        }
        error.suggesting(format!("{a}*{b}"))
    }

    /// An operator, comma, parenthesis or the end where a number or name should be.
    fn missing_operand(&self) -> ParseError {
        let here = self.text(self.at);
        if self.at == 0 {
            let message = format!("a number or name is missing before `{here}`");
            return ParseError::new(message, self.span());
        }
        let before = self.tokens[self.at - 1].span.clone();
        let message = format!("a number or name is missing after `{}`", self.text(self.at - 1));
        if self.token() == Token::End {
            return ParseError::new(message, before);
        }
        let message = format!("{message} and before `{here}`");
        ParseError::new(message, before.start..self.span().end)
    }

    fn stray_comma(&self) -> ParseError {
        let around = self.at - 1..=self.at + 1;
        let span = self.tokens[*around.start()].span.start..self.tokens[*around.end()].span.end;
        let text = &self.source[span.clone()];
        let digits = |part: &str| part.bytes().all(|b| b.is_ascii_digit()) && !part.is_empty();
        if text.split(',').all(digits) {
            let message = "decimals are written with a point";
            return ParseError::new(message, span).suggesting(text.replace(',', "."));
        }
        let message = "a comma stands only between the arguments of a function";
        ParseError::new(message, self.span())
    }

    /// `sin x`, or `sin` alone.
    fn bare_function(&self, name: &str) -> ParseError {
        let message = format!("the function `{name}` needs its arguments in parentheses");
        let next = &self.tokens[self.at + 1];
        let operand = self.text(self.at + 1);
        let simple = match next.token {
            Token::Number(_) => true,
            Token::Word => !self.is_function(operand),
            _ => false,
        };
        if !simple {
            return ParseError::new(message, self.span());
        }
        let span = self.span().start..next.span.end;
        ParseError::new(message, span).suggesting(format!("{name}({operand})"))
    }

    /// `sine(x)`, or a product without its sign: `m(a + b)`.
    fn unknown_function(&self, name: &str) -> ParseError {
        if ["pow", "power"].contains(&name) {
            let message = format!("unknown function `{name}`; a power is written `x^y`");
            return ParseError::new(message, self.span());
        }
        if name == RATE {
            let message = "`der(x)`, the rate of a variable, is known only in equations";
            return ParseError::new(message, self.span());
        }
        if let Some(known) = suggest_function(name, self.tables) {
            let message = format!("unknown function `{name}`");
            return ParseError::new(message, self.span()).suggesting(known);
        }
        let span = self.span().start..self.tokens[self.at + 1].span.end;
        let message = format!("unknown function `{name}`; a product needs its `*`");
        ParseError::new(message, span).suggesting(format!("{name}*("))
    }
}

fn unclosed(open: Range<usize>) -> ParseError {
    ParseError::new("this `(` is never closed", open)
}

fn count(n: usize) -> String {
    format!("{n} argument{}", if n == 1 { "" } else { "s" })
}

/// Points at the surplus arguments, or at the whole call if some are missing.
fn wrong_count(what: String, given: &[Expr], wanted: usize, call: Range<usize>) -> ParseError {
    let message = format!(
        "{what}, but {} given",
        match given.len() {
            1 => "1 is".to_string(),
            n => format!("{n} are"),
        }
    );
    let span = match (given.get(wanted), given.last()) {
        (Some(first), Some(last)) => first.span.start..last.span.end,
        _ => call,
    };
    ParseError::new(message, span)
}
